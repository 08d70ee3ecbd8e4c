//! The set of requirements that a command counts by.

use super::Exit;
use super::fail::Failure;
use crate::case::{Library, RequirementSet, Sets};

/// The set of a date, where one is named.
///
/// # Errors
/// The text is no date, or there was no set yet.
pub(super) fn named(date: Option<&str>, library: &Library) -> Result<Option<RequirementSet>, Failure> {
    let Some(date) = date else { return Ok(None) };
    let sets = all(library)?;
    let set = sets.at(date).map_err(|error| Failure::new(Exit::Usage, &error.to_string(), Some(&sets.listed())))?;
    Ok(Some(set))
}

/// Every set.
pub(super) fn all(library: &Library) -> Result<Sets, Failure> {
    library.sets().map_err(|mistake| Failure::mistakes(&[mistake], &library.sources))
}
