//! A real agent, as a process of its own.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use crate::deadline::Guarded;
use crate::expected::Expected;

/// How long an agent may take until it listens.
const START: Duration = Duration::from_secs(60);

/// What an agent prints, before its URL, once it listens.
const READY: &str = "listening on ";

/// A running agent. It ends when this is dropped, and, because its standard input closes with us, when we are killed.
pub struct Agent {
    _process: Guarded,
    url: String,
}

impl Agent {
    /// Starts the agent that the expectations are about, on a free port.
    ///
    /// What it logs goes to the file `log`.
    pub fn start(folder: &Path, expected: &Expected, log: &Path) -> Result<Self, String> {
        let log = File::create(log).map_err(|error| format!("{}: {error}", log.display()))?;
        let python = folder.join(format!(".venv-{}", expected.profile)).join("bin/python");
        let mut command = Command::new(python);
        command.arg(folder.join(&expected.agent)).args(["--port", "0", "--end-with-stdin"]);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).spawn();
        let mut process = Guarded(child.map_err(|error| format!("{} cannot be started: {error}", expected.agent))?);
        let Some(stdout) = process.0.stdout.take() else { return Err("the agent has no output".to_owned()) };
        let (sender, said) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                // Nobody listens once the URL is known; the agent must be able to go on printing.
                let _ = sender.send(line);
            }
        });
        match said.recv_timeout(START) {
            Ok(line) => match line.strip_prefix(READY) {
                Some(url) => Ok(Self { _process: process, url: url.to_owned() }),
                None => Err(format!("{} said {line:?} and not where it listens", expected.agent)),
            },
            Err(_) => Err(format!("{} ended, or did not listen within {START:?}", expected.agent)),
        }
    }

    /// Where it listens.
    pub fn url(&self) -> &str {
        &self.url
    }
}
