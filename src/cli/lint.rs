//! `a2aspec lint`: checks case files and catalogues, and prints the schema of case files.

use super::args::LintArgs;
use super::fail::{Failure, profiles};
use crate::case::{Library, SCHEMA};
use crate::diagnostic::words::count;
use crate::judge::oracle;
use crate::profile::Profile;

/// Reads everything, and says how much there is; what is wrong with it is the failure.
pub(super) fn run(args: &LintArgs) -> Result<String, Failure> {
    if args.schema {
        return Ok(SCHEMA.to_owned());
    }
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
        "{} and {} in {} are right{}\n",
        count(library.cases.len(), "case"),
        count(requirements, "requirement"),
        count(catalogues, "catalogue"),
        if own > 0 { format!("; {} from your folder", count(own, "case")) } else { String::new() },
    ))
}
