//! `a2aspec lint`: checks case files and catalogues.

use std::collections::BTreeSet;

use super::args::LintArgs;
use super::fail::{Failure, WIDTH, profiles};
use crate::case::{Beyond, Library};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::words::count;
use crate::judge::oracle;
use crate::profile::Profile;

/// Reads everything, and says how much there is; what is wrong with it is the failure.
pub(super) fn run(args: &LintArgs) -> Result<String, Failure> {
    let profiles = profiles()?;
    for profile in &profiles {
        for dialect in profile.dialects.values() {
            if let Some(kind) = dialect.schemas.unusable().first() {
                let (profile, dialect) = (profile.name(), &dialect.name);
                return Err(Failure::broken(format!("the schema of {kind} in {profile} ({dialect}) cannot be used")));
            }
        }
    }
    let profiles: Vec<&Profile> = profiles.iter().map(AsRef::as_ref).collect();
    let library = Library::lint(args.dir.as_deref(), &profiles, &oracle::all())
        .map_err(|(mistakes, sources)| Failure::mistakes(&mistakes, &sources))?;
    let own = library.cases.values().filter(|case| case.own.is_some()).count();
    let requirements: usize =
        library.catalogues.values().map(|catalogue| catalogue.current_requirements().count()).sum();
    let catalogues = library.catalogues.len();
    Ok(format!(
        "{}{} and {} in {} are right{}\n",
        beyond(&library),
        count(library.cases.len(), "case"),
        count(requirements, "requirement"),
        count(catalogues, "catalogue"),
        if own > 0 { format!("; {} from your folder", count(own, "case")) } else { String::new() },
    ))
}

/// Why tests in other formats cannot run, each in its place, and how many they are.
fn beyond(library: &Library) -> String {
    let idle: Vec<_> = library.cases.values().filter(|case| !case.beyond.is_empty()).collect();
    let all: BTreeSet<&Beyond> = idle.iter().flat_map(|case| &case.beyond).collect();
    let mut told = String::new();
    for Beyond { mistake, .. } in all {
        let source = library.sources.iter().find(|source| source.file == mistake.file);
        let known = source.zip(mistake.offset);
        let text = known.map(|(source, _)| source.text.as_str());
        let span = known.map(|(_, offset)| offset..offset + mistake.length);
        let message = format!("the suite cannot run this test: {}", mistake.message);
        let diagnostic = Diagnostic { text, span, ..Diagnostic::new(&mistake.file, message) };
        told.push_str(&diagnostic.warning().render(WIDTH));
        told.push('\n');
    }
    match idle.len() {
        0 => told,
        several => format!("{told}{} will not run, for the reasons above\n", count(several, "test")),
    }
}
