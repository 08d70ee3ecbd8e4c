//! JSON reports that were written before.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use super::failure::ErrorInfo;
use super::model::{Report, SCHEMA_VERSION};
use super::problems;
use crate::diagnostic::words::one_line;

/// A text that is no report.
#[derive(Debug, Error)]
pub(crate) enum SavedError {
    /// No JSON, or none of this form.
    #[error("{file}:{}:{}: this is no JSON report of `a2aspec check`: {error}", error.line(), error.column())]
    NoReport {
        /// The file.
        file: String,
        /// What is wrong with it.
        #[source]
        error: serde_json::Error,
    },
    /// The run could not be done: there is nothing in its report to compare or put together.
    #[error("{file}: this run could not be done, so that its report has no results: {message}")]
    NotRun {
        /// The file.
        file: String,
        /// Why.
        message: String,
    },
    /// The report of another program, as far as versions go.
    #[error("{file}: the report has version {found}, and this a2aspec reads {SCHEMA_VERSION}; make it again")]
    OtherVersion {
        /// The file.
        file: String,
        /// Its version.
        found: u32,
    },
}

/// As [`read`], of a report that has results.
///
/// # Errors
/// The text is none, is of another version, or is about a run that could not be done.
pub(crate) fn read_results<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, SavedError> {
    #[derive(Deserialize)]
    struct Form {
        error: Option<ErrorInfo>,
    }
    match read::<Form>(file, text)?.error {
        Some(error) => Err(SavedError::NotRun { file: file.to_owned(), message: one_line(&error.message) }),
        None => read(file, text),
    }
}

/// A whole report, with its problems, which its JSON does not hold in the form that is read.
///
/// # Errors
/// As of [`read_results`].
pub(crate) fn report(file: &str, text: &str) -> Result<Report, SavedError> {
    let mut report: Report = read_results(file, text)?;
    report.problems = problems::find(&report.results, &report.requirements);
    Ok(report)
}

/// Reads of a JSON report what `T` has of it.
///
/// # Errors
/// The text is none, or is of another version.
pub(crate) fn read<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, SavedError> {
    #[derive(Deserialize)]
    struct Form {
        schema_version: u32,
    }
    let no_report = |error| SavedError::NoReport { file: file.to_owned(), error };
    let form: Form = serde_json::from_str(text).map_err(no_report)?;
    if form.schema_version != SCHEMA_VERSION {
        return Err(SavedError::OtherVersion { file: file.to_owned(), found: form.schema_version });
    }
    serde_json::from_str(text).map_err(no_report)
}
