//! `a2aspec baseline`: changes of a list of known failures, in its file.

use std::io::ErrorKind;
use std::path::Path;

use super::args::{BaselineAcceptArgs, BaselineAddArgs, BaselineArgs, BaselineCommand, BaselinePruneArgs, NoteArgs};
use super::fail::Failure;
use super::{Exit, fail, print, saved};
use crate::case::Source;
use crate::diagnostic::near;
use crate::diagnostic::words::count_as;
use crate::files;
use crate::plan;
use crate::report::baseline::{Baseline, Edit, Known, Note};
use crate::report::model::Report;
use crate::report::saved::report;

/// A list of known failures, with its file.
pub(super) struct Listed {
    /// The file, as the user named it.
    pub file: String,
    text: String,
    /// What it holds.
    pub list: Baseline,
}

/// Reads a list.
///
/// # Errors
/// There is no such file, or it is no list.
pub(super) fn read(path: &Path) -> Result<Listed, Failure> {
    let file = path.display().to_string();
    let text = files::text(path, files::LONGEST).map_err(|error| {
        let help = "`a2aspec baseline accept`, or --write-baseline FILE of `a2aspec check`, makes one";
        Failure::new(Exit::Usage, &format!("the baseline {file} cannot be read: {error}"), Some(help))
    })?;
    match Baseline::read(&file, &text) {
        Ok(list) => Ok(Listed { file, text, list }),
        Err(mistake) => Err(Failure::mistakes(&[mistake], &[Source { file, text }])),
    }
}

/// The same of a file that is made where there is none.
fn read_or_new(path: &Path) -> Result<Listed, Failure> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let file = path.display().to_string();
            Ok(Listed { file, text: String::new(), list: Baseline::default() })
        }
        _ => read(path),
    }
}

/// The day on which entries may be over.
pub(super) fn today() -> jiff::civil::Date {
    crate::clock::now().to_zoned(jiff::tz::TimeZone::UTC).date()
}

pub(super) fn run(args: BaselineArgs) -> Result<Exit, Failure> {
    match args.command {
        BaselineCommand::Add(args) => add(args),
        BaselineCommand::Accept(args) => accept(args),
        BaselineCommand::Prune(args) => prune(&args),
    }
}

fn add(args: BaselineAddArgs) -> Result<Exit, Failure> {
    let library = fail::library(args.cases.as_deref())?;
    let profile = fail::profile(&args.profile)?;
    if !library.cases.contains_key(&args.case) {
        let help = near::nearest(&args.case, library.cases.keys().map(String::as_str))
            .map_or_else(|| "`a2aspec list` prints all cases".to_owned(), |near| format!("did you mean {near}?"));
        return Err(Failure::new(Exit::Usage, &format!("there is no case `{}`", args.case), Some(&help)));
    }
    let known = Known {
        case: args.case,
        profile: profile.name().to_owned(),
        binding: args.binding,
        violated: args.violated,
        what: None,
        bug: None,
        reason: None,
        until: None,
    };
    let listed = read_or_new(&args.file)?;
    write(&args.file, &listed, &Edit::adding(&listed.list, known, &note(args.note)))
}

fn accept(args: BaselineAcceptArgs) -> Result<Exit, Failure> {
    let report = read_report(&args.report)?;
    let hits = |pattern: &String, case: &str| plan::names(pattern, case);
    for pattern in &args.only {
        if !report.results.iter().any(|result| hits(pattern, &result.case)) {
            let message = format!("`{pattern}` matches no case of {}", args.report.display());
            let near = near::nearest(pattern, report.results.iter().map(|result| result.case.as_str()));
            let help = near.map(|near| format!("did you mean {near}?"));
            return Err(Failure::new(Exit::Usage, &message, help.as_deref()));
        }
    }
    let listed = read_or_new(&args.file)?;
    let edit = Edit::accepting(
        &listed.list,
        &report,
        args.fail_on.unwrap_or_default(),
        |result| args.only.is_empty() || args.only.iter().any(|pattern| hits(pattern, &result.case)),
        (&note(args.note), today()),
    );
    write(&args.file, &listed, &edit)
}

fn prune(args: &BaselinePruneArgs) -> Result<Exit, Failure> {
    let report = read_report(&args.report)?;
    let listed = read(&args.file)?;
    write(&args.file, &listed, &Edit::pruning(&listed.list, &report, today()))
}

fn read_report(path: &Path) -> Result<Report, Failure> {
    let (file, text) = saved::text(path)?;
    report(&file, &text).map_err(|error| Failure::new(Exit::Usage, &error.to_string(), Some(saved::HELP)))
}

fn note(args: NoteArgs) -> Note {
    Note { reason: args.reason, bug: args.bug, until: args.until }
}

/// Writes the file where something changes, and prints what did.
fn write(path: &Path, listed: &Listed, edit: &Edit<'_>) -> Result<Exit, Failure> {
    let names = ["added", "changed", "deleted"].into_iter().zip(edit.changes());
    let changes: Vec<(&str, Vec<String>)> = names.filter(|(_, entries)| !entries.is_empty()).collect();
    let all = count_as(edit.list().known.len(), "entry", "entries");
    if changes.is_empty() {
        return print::found(format!("{}: nothing to change, {all}\n", listed.file));
    }
    let text = edit.text(&listed.file, &listed.text).map_err(Failure::broken)?;
    std::fs::write(path, text)
        .map_err(|error| Failure::usage(format!("the baseline {} cannot be written: {error}", listed.file)))?;
    let numbers: Vec<String> = changes.iter().map(|(what, entries)| format!("{} {what}", entries.len())).collect();
    let mut out = format!("{}: {}, {all}\n", listed.file, numbers.join(", "));
    for (what, entries) in changes {
        entries.iter().for_each(|name| out.push_str(&format!("  {what:<7} {name}\n")));
    }
    print::found(out)
}
