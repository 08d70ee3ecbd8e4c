//! `a2aspec coverage`: which cases check which requirement, and what nothing checks.

use super::args::CoverageArgs;
use super::fail::{Failure, library, profile_names};
use super::print::Reader;
use super::{Exit, print};
use crate::coverage::{self, Coverage, Format};

/// The matrix.
pub(super) fn run(args: &CoverageArgs) -> Result<Exit, Failure> {
    let library = library(args.cases.as_deref())?;
    let mut profiles = profile_names(args.profile.as_deref())?;
    // The newest first: it is the one that is looked for.
    profiles.reverse();
    let profiles: Vec<&str> = profiles.iter().map(String::as_str).collect();
    let coverage = match (&args.profile, profiles.as_slice()) {
        (Some(_), [profile]) => Coverage::of_profile(&library, profile),
        _ => Coverage::whole(&library, &profiles),
    };
    let text = coverage::render(&coverage, args.report);
    print::to(Reader::programs_if(args.report != Format::Summary), &text)?;
    Ok(Exit::Holds)
}
