//! A real agent, as a process of its own.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use super::expected::Expected;

/// How long an agent may take until it listens.
const START: Duration = Duration::from_secs(240);

/// What an agent prints, before its URL, once it listens.
const READY: &str = "listening on ";

/// The users of an agent that knows some, with what they show: the one who checks, and another.
pub const USERS: [(&str, &str); 2] = [("ann", "t0ken-of-ann"), ("bob", "t0ken-of-bob")];

/// In what an agent is written: tells how it is made, and how it is started.
#[derive(Clone, Copy)]
pub enum Language {
    /// A program `<name>.py`, which runs in an environment beside it.
    Python,
    /// A package in a folder of its own.
    Rust,
    /// A program `<name>.mjs` of a package, which has the packages of all of them.
    JavaScript,
}

impl Language {
    /// The language of the agent that the expectations are about.
    pub fn of(expected: &Expected) -> Self {
        match expected.agent.as_str() {
            python if python.ends_with(".py") => Self::Python,
            javascript if javascript.ends_with(".mjs") => Self::JavaScript,
            _ => Self::Rust,
        }
    }

    /// The script that makes the agents of a folder ready, or that of a package, from the folder of all agents.
    pub fn set_up(expected: &Expected) -> PathBuf {
        let agent = Path::new(&expected.agent);
        let folder = match Self::of(expected) {
            Self::Python | Self::JavaScript => agent.parent().unwrap_or(agent),
            Self::Rust => agent,
        };
        folder.join("setup.sh")
    }

    fn command(self, folder: &Path, expected: &Expected) -> Command {
        let agent = folder.join(&expected.agent);
        match self {
            Self::Python => {
                let environment = expected.environment.as_ref().unwrap_or(&expected.profile);
                let mut command = Command::new(agent.with_file_name(format!(".venv-{environment}/bin/python")));
                command.arg(agent);
                command
            }
            Self::Rust => Command::new(agent.join("target/debug").join(agent.file_name().unwrap_or_default())),
            Self::JavaScript => {
                let mut command = Command::new("node");
                command.arg(agent);
                command
            }
        }
    }
}

/// A program that is killed when nobody holds it any more, however that came.
struct Guarded(Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        // It may have ended already; then there is nothing to do.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A running agent. It ends when this is dropped, and, because its standard input closes with us, when we are killed.
pub struct Agent {
    _process: Guarded,
    url: String,
}

impl Agent {
    /// Starts the agent that the expectations are about, on free ports.
    ///
    /// What it logs goes to the file `log`.
    pub fn start(folder: &Path, expected: &Expected, log: &Path) -> Result<Self, String> {
        Self::at("0", folder, expected, log)
    }

    /// The same agent at the same URL, as if nobody had asked it anything yet.
    pub fn again(self, folder: &Path, expected: &Expected, log: &Path) -> Result<Self, String> {
        let port = self.url.rsplit(':').next().unwrap_or_default().to_owned();
        drop(self);
        Self::at(&port, folder, expected, log)
    }

    fn at(port: &str, folder: &Path, expected: &Expected, log: &Path) -> Result<Self, String> {
        let log = File::create(log).map_err(|error| format!("{}: {error}", log.display()))?;
        let mut command = Language::of(expected).command(folder, expected);
        command.args(["--port", port, "--end-with-stdin"]);
        if expected.secured {
            command.arg("--push");
            command.args(USERS.iter().flat_map(|(name, token)| ["--user".to_owned(), format!("{name}={token}")]));
            command.args(expected.api_key.then_some("--api-key"));
        }
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
