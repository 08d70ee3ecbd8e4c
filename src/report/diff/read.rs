//! A report that was written before, as far as two of them are compared.

use serde::Deserialize;

use crate::report::saved::{self, SavedError};
use crate::verdict::{Level, Verdict};

/// What is read of a JSON report.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Saved {
    /// When its run began: RFC 3339.
    pub started: String,
    /// The agent.
    pub target: Target,
    /// One entry per cause.
    pub problems: Vec<Problem>,
    /// One entry per trial.
    pub results: Vec<Trial>,
    /// The requirements that problems name by their place.
    pub requirements: Vec<Requirement>,
}

/// The agent.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Target {
    /// Its URL.
    pub url: String,
}

/// A cause.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Problem {
    /// Equal from run to run.
    pub fingerprint: String,
    /// The verdict of the results that show it.
    pub verdict: Verdict,
    /// What was wrong.
    pub message: String,
    /// An index into the requirements.
    pub requirement: Option<usize>,
    /// Where it shows.
    pub evidence: Vec<Evidence>,
}

/// Where a problem shows.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct Evidence {
    /// An index into the results.
    pub result: usize,
}

/// A case over one binding in one version.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Trial {
    /// The case.
    pub case: String,
    /// The version.
    pub profile: String,
    /// The binding, or two.
    pub binding: String,
    /// How it came out.
    pub verdict: Verdict,
    /// Why it was not tested.
    pub reason: Option<String>,
}

/// A requirement.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Requirement {
    /// Its id.
    pub id: String,
    /// Its level.
    pub level: Level,
    /// What it says.
    pub text: String,
}

impl Saved {
    /// Reads a JSON report.
    ///
    /// # Errors
    /// The text is none, is of another version, or is about a run that could not be done.
    pub(crate) fn read(file: &str, text: &str) -> Result<Self, SavedError> {
        saved::read_results(file, text)
    }
}
