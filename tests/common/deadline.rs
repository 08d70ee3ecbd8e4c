//! Programs that must end in time.

use std::fmt;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::program::Running;

/// What a program said, and how it ended.
pub struct Run {
    /// Its exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Some(code) => writeln!(f, "exit code {code}")?,
            None => writeln!(f, "ended by a signal")?,
        }
        write!(f, "{}{}", self.stdout, self.stderr)
    }
}

/// Runs a program to its end, which must come within `limit`.
///
/// # Errors
/// It cannot be started, or did not end in time; then with what it had written.
pub fn run(command: &mut Command, limit: Duration) -> Result<Run, String> {
    let name = command.get_program().display().to_string();
    let running = Running::of(command.stdin(Stdio::null()));
    let running = running.map_err(|error| format!("{name} cannot be started: {error}"))?;
    let (status, stdout, stderr) = running.end_within(limit).map_err(|told| format!("{name}: {told}"))?;
    Ok(Run { code: status.code(), stdout, stderr })
}
