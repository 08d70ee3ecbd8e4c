//! HTTP archives (HAR 1.2), entry by entry, as browsers, proxies and the suite itself write them.
//!
//! Enters: a file of any size. Leaves: one [`Entry`] after the other; only one is in memory. It forgives what tools write in place
//! of what the format requires, and knows nothing of A2A.

mod entry;
mod read;

pub(crate) use entry::{Answered, Body, Entry, Own};
pub(crate) use read::{HarError, entries};

/// The member of an entry in which a trace of the suite has what the format has no place for.
pub(crate) const OWN: &str = "_a2aspec";
