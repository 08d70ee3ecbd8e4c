//! `a2aspec corpus`: inputs for parsers, as files.

use super::Exit;
use super::args::CorpusArgs;
use super::fail::{Failure, profile, profiles};
use crate::corpus::folder::{self, FolderError, Index, Plan};
use crate::corpus::{Kind, Verdict};
use crate::diagnostic::words::count;

/// Writes the folder, and says what is in it.
pub(super) fn run(args: &CorpusArgs) -> Result<String, Failure> {
    let kinds = match args.kind.as_slice() {
        [] => Kind::ALL.to_vec(),
        named => named.iter().map(|name| kind(name)).collect::<Result<_, _>>()?,
    };
    let profiles = match args.profile.as_slice() {
        [] => profiles()?,
        named => named.iter().map(|name| profile(name)).collect::<Result<_, _>>()?,
    };
    let plan = Plan { kinds, profiles, seed: args.seed, count: args.count };
    let index = folder::write(&args.dir, &plan).map_err(|error| failure(&error))?;
    Ok(told(&args.dir.display().to_string(), &index))
}

/// The kind of this name.
pub(super) fn kind(name: &str) -> Result<Kind, Failure> {
    name.parse::<Kind>().map_err(|error| Failure::new(Exit::Usage, &error.to_string(), error.help().as_deref()))
}

fn failure(error: &FolderError) -> Failure {
    let help = match error {
        FolderError::NotEmpty(_) => Some("name a folder that is not there yet, or an empty one"),
        FolderError::Unwritable { .. } | FolderError::NoSuchKind(_) => None,
    };
    Failure::new(Exit::Usage, &error.to_string(), help)
}

/// A line for each folder of inputs, and what to read next.
fn told(folder: &str, index: &Index) -> String {
    let mut out = format!("{:<20} {:>7} {:>7} {:>7} {:>7}\n", "", "classes", "accept", "reject", "either");
    for (within, classes) in &index.classes {
        let inside = |file: &str| file.rsplit_once('/').is_some_and(|(folder, _)| folder == within);
        let of = |verdict| index.inputs.iter().filter(|entry| entry.verdict == verdict && inside(&entry.file)).count();
        let (accept, reject, either) = (of(Verdict::Accept), of(Verdict::Reject), of(Verdict::Either));
        out.push_str(&format!("{within:<20} {:>7} {accept:>7} {reject:>7} {either:>7}\n", classes.len()));
    }
    let all = count(index.inputs.len(), "input");
    out.push_str(&format!("{all} in {folder}; index.json says of each what a reader should do, and why\n"));
    out
}
