//! `--restart-command` and `--durable`: how the agent is restarted, and what is to last.

use std::process::Stdio;
use std::sync::Arc;

use tokio::process::Command;

use super::config::Config;
use super::fail::Failure;
use super::{Exit, line, trust};
use crate::case::Durable;
use crate::suite::SuiteBuilder;

/// A command that restarts the agent, and what the agent keeps then.
pub(super) struct Restart {
    line: String,
    durable: Vec<Durable>,
}

impl Restart {
    /// Reads the flags, and the file for what they leave out; nothing where there is no command.
    ///
    /// # Errors
    /// The file needs the user's trust for its command; or a flag or the file lacks the other half.
    pub fn read(line: Option<String>, durable: Vec<Durable>, config: &Config) -> Result<Option<Self>, Failure> {
        let is_asked_for = !durable.is_empty();
        if line.is_none() {
            trust::admit_restart(config)?;
        }
        let line = line.or_else(|| config.restart_command.clone());
        let durable = if is_asked_for { durable } else { config.durable.clone() };
        match (line, durable.is_empty()) {
            (Some(line), false) => Ok(Some(Self { line, durable })),
            (Some(_), true) => {
                let help = "name what the agent must keep, as in --durable tasks,push-configs";
                Err(Failure::new(Exit::Usage, "the restart command has nothing to check without --durable", Some(help)))
            }
            (None, _) if is_asked_for => {
                let help = "name the command that restarts the agent with --restart-command";
                Err(Failure::new(
                    Exit::Usage,
                    "--durable is checked by a restart, and there is no command for it",
                    Some(help),
                ))
            }
            (None, _) => Ok(None),
        }
    }

    /// The suite with it.
    pub fn of(self, suite: SuiteBuilder) -> SuiteBuilder {
        let line: Arc<str> = self.line.as_str().into();
        suite.restart_command(&self.line).restart(self.durable, move || run(Arc::clone(&line)))
    }
}

/// Runs a line of the shell. What it prints as an error is shown; what it starts in the background goes on.
async fn run(line: Arc<str>) -> Result<(), String> {
    let mut command = Command::from(line::command(&line));
    // Standard output may be a report.
    command.stdin(Stdio::null()).stdout(Stdio::null()).kill_on_drop(true);
    match command.status().await {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("the command `{line}` fails ({status})")),
        Err(error) => Err(format!("the command `{line}` cannot be run: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_command_says_how_it_ends() {
        assert_eq!(run("exit 0".into()).await, Ok(()));
        assert_eq!(run("exit 3".into()).await.unwrap_err(), "the command `exit 3` fails (exit status: 3)");
    }

    #[test]
    fn the_command_and_what_lasts_go_together() {
        let read = |line: Option<&str>, durable: &[Durable], file: &Config| {
            Restart::read(line.map(str::to_owned), durable.to_vec(), file).map_err(|failure| failure.text)
        };
        let none = Config::default();
        assert!(read(None, &[], &none).unwrap().is_none());
        assert!(read(Some("true"), &[], &none).is_err_and(|text| text.contains("--durable")));
        assert!(read(None, &[Durable::Tasks], &none).is_err_and(|text| text.contains("no command")));
        let file = Config { durable: vec![Durable::PushConfigs], ..Config::default() };
        assert!(
            read(None, &[], &file).unwrap().is_none(),
            "a file may declare what lasts, and a flag name the command"
        );
        assert_eq!(read(Some("true"), &[], &file).unwrap().unwrap().durable, [Durable::PushConfigs]);
        let both = read(Some("true"), &[Durable::Tasks], &file).unwrap().unwrap();
        assert_eq!((both.line.as_str(), both.durable), ("true", vec![Durable::Tasks]));
    }
}
