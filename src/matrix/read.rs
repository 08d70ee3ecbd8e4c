//! A JSON report, as far as a matrix shows it.

use serde::Deserialize;

use crate::report::conformance::Conformance;
use crate::report::failure::ErrorInfo;
use crate::report::model::Tool;
use crate::report::saved::{self, SavedError};
use crate::verdict::{Level, Verdict};

/// What is read of a JSON report.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Saved {
    /// What made it.
    pub tool: Tool,
    /// When its run began: RFC 3339.
    pub started: String,
    /// The agent.
    pub target: Target,
    /// Why the run could not be done, if so.
    pub error: Option<ErrorInfo>,
    /// What it means for a release.
    pub gate: Option<Gate>,
    /// One entry per trial.
    pub results: Vec<Trial>,
    /// One entry per requirement that a case of the run checks.
    pub requirements: Vec<Requirement>,
    /// What was shown of each part of each version, where every case was run.
    #[serde(default)]
    pub conformance: Vec<Conformance>,
}

/// The agent.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Target {
    /// Its URL.
    pub url: String,
    /// Its name for itself.
    pub name: Option<String>,
}

/// What a report means for a release.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Gate {
    /// What it says.
    pub outcome: String,
}

/// A case over one binding in one version.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Trial {
    /// The case.
    pub case: String,
    /// The version.
    pub profile: String,
    /// Its level.
    pub level: Level,
    /// How it came out.
    pub verdict: Verdict,
}

/// A requirement.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Requirement {
    /// Its id.
    pub id: String,
    /// The version for which it was checked.
    pub profile: String,
    /// The section that states it.
    pub section: String,
    /// Its level.
    pub level: Level,
    /// What it says.
    pub text: String,
    /// How it came out.
    pub verdict: Verdict,
    /// The cases that check it.
    pub cases: Vec<String>,
}

impl Trial {
    /// The area of the case.
    pub fn area(&self) -> &str {
        area(&self.case)
    }
}

/// The area of a case.
pub(super) fn area(case: &str) -> &str {
    case.split('/').next().unwrap_or(case)
}

/// Reads a JSON report.
///
/// # Errors
/// The text is none, or is of another version.
pub(super) fn read(file: &str, text: &str) -> Result<Saved, SavedError> {
    saved::read(file, text)
}
