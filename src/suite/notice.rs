//! What is worth knowing before a run, and stands in no report.

use std::time::Duration;

use crate::discovery::{DiscoveryError, JkuError};

/// Something worth knowing that is no error and stands in no report; told while the agent is looked for.
#[derive(Debug)]
pub enum Notice<'a> {
    /// The selection names a requirement by an id that became another.
    Renamed {
        /// What it says.
        old: &'a str,
        /// What is meant.
        new: &'a str,
    },
    /// The card is at an origin to which no credentials go.
    CardWithoutCredentials {
        /// Where the card is.
        card: &'a str,
        /// Its origin.
        origin: &'a str,
    },
    /// No keys came from the place that a signature of the card names.
    NoKeysAt {
        /// The place.
        jku: &'a str,
        /// Why not.
        error: &'a JkuError,
    },
    /// The agent does not answer yet; it is looked for again.
    Waiting {
        /// Why there is no card.
        error: &'a DiscoveryError,
        /// For how long it is looked for.
        limit: Duration,
    },
    /// There is no card that can be used; the interface that is named is checked all the same.
    WithoutCard(&'a DiscoveryError),
}
