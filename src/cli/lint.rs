//! `a2aspec lint`: checks case files and catalogues, and prints the schema of case files.

use super::args::LintArgs;
use super::fail::{Failure, library, profiles};
use crate::case::SCHEMA;
use crate::diagnostic::words::count;

/// Reads everything, and says how much there is; what is wrong with it is the failure.
pub(super) fn run(args: &LintArgs) -> Result<String, Failure> {
    if args.schema {
        return Ok(SCHEMA.to_owned());
    }
    for profile in profiles()? {
        for dialect in profile.dialects.values() {
            if let Some(kind) = dialect.schemas.unusable().first() {
                let (profile, dialect) = (profile.name(), &dialect.name);
                return Err(Failure::broken(format!("the schema of {kind} in {profile} ({dialect}) cannot be used")));
            }
        }
    }
    let library = library(args.dir.as_deref())?;
    let own = library.cases.values().filter(|case| case.own.is_some()).count();
    let requirements: usize = library.catalogues.values().map(|catalogue| catalogue.statements().count()).sum();
    let catalogues = library.catalogues.len();
    Ok(format!(
        "{} and {} in {} are right{}\n",
        count(library.cases.len(), "case"),
        count(requirements, "requirement"),
        count(catalogues, "catalogue"),
        if own > 0 { format!("; {} from your folder", count(own, "case")) } else { String::new() },
    ))
}
