//! Reports that were written before.

use std::path::Path;

use super::Exit;
use super::fail::Failure;
use crate::files;
use crate::report::saved;

/// What makes such a file.
pub(super) const HELP: &str = "`a2aspec check URL --report json=FILE` writes one";

/// The name and the text of a file that is to be a report.
pub(super) fn text(path: &Path) -> Result<(String, String), Failure> {
    let file = path.display().to_string();
    match files::text(path, files::LONGEST_REPORT) {
        Ok(text) => Ok((file, text)),
        Err(error) => Err(Failure::new(Exit::Usage, &format!("the report {file} cannot be read: {error}"), Some(HELP))),
    }
}

/// The URL of the agent that a report is about.
pub(super) fn url(file: &str, text: &str) -> Result<String, Failure> {
    #[derive(serde::Deserialize)]
    struct About {
        target: Target,
    }
    #[derive(serde::Deserialize)]
    struct Target {
        url: String,
    }
    match saved::read::<About>(file, text) {
        Ok(about) => Ok(about.target.url),
        Err(error) => Err(Failure::new(Exit::Usage, &error.to_string(), Some(HELP))),
    }
}
