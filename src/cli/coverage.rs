//! `a2aspec coverage`: which cases check which requirement, and what nothing checks.

use super::args::CoverageArgs;
use super::fail::{Failure, library, profile_names};
use crate::coverage::{self, Coverage};

/// The matrix.
pub(super) fn run(args: &CoverageArgs) -> Result<String, Failure> {
    let library = library(args.cases.as_deref())?;
    let mut profiles = profile_names(args.profile.as_deref())?;
    // The newest first: it is the one that is looked for.
    profiles.reverse();
    let profiles: Vec<&str> = profiles.iter().map(String::as_str).collect();
    let coverage = match (&args.profile, profiles.as_slice()) {
        (Some(_), [profile]) => Coverage::of_profile(&library, profile),
        _ => Coverage::whole(&library, &profiles),
    };
    Ok(coverage::render(&coverage, args.report))
}
