//! A line that the shell of the system runs.

use std::process::Command;

/// The line, ready to be run.
pub(super) fn command(line: &str) -> Command {
    let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut command = Command::new(shell);
    command.arg(flag).arg(line);
    command
}
