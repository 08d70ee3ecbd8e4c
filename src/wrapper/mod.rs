//! Programs around clients: they speak the wrapper contract (docs/clients.md), and the suite tells them what to do.
//!
//! Enters: a command line, and commands for single cases. Leaves: what the wrapper says of each. Knows the framing, the ids and the
//! time limits of the contract, and no verdicts. One process and one connection serve a whole run.

mod hello;
mod link;
mod process;
#[cfg(test)]
mod tests;

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::net::{TcpListener, TcpStream};

pub use hello::Hello;
use link::Link;
pub use link::{Final, Pending, Said};
use process::Process;

use crate::secrets::random::unguessable;

/// The number of the contract.
pub const CONTRACT: u64 = 1;
/// The variable with the address to which a wrapper connects.
pub const ADDRESS: &str = "A2ASPEC_WRAPPER";
/// The variable with the text that a wrapper repeats in its hello.
pub const TOKEN: &str = "A2ASPEC_WRAPPER_TOKEN";
/// The longest line, in bytes.
pub const LONGEST_LINE: usize = 16 << 20;
/// How long after its limit a command may stay without a final answer.
pub const GRACE: Duration = Duration::from_secs(5);
/// So many commands in a row without an answer end a run.
pub const MOST_SILENCES: usize = 3;

/// How long a wrapper may take.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// To connect and to greet.
    pub connect: Duration,
    /// To end once its connection is closed.
    pub end: Duration,
    /// After the limit of a command.
    pub grace: Duration,
}

impl Default for Patience {
    /// As the contract has it.
    fn default() -> Self {
        Self { connect: Duration::from_secs(30), end: Duration::from_secs(5), grace: GRACE }
    }
}

/// A wrapper that cannot be worked with.
#[derive(Debug, thiserror::Error)]
pub enum WrapperError {
    /// The command is no program.
    #[error("`{command}` cannot be started: {error}")]
    Start {
        /// The command.
        command: String,
        /// Why.
        error: std::io::Error,
    },
    /// Nothing can listen here.
    #[error("the suite cannot listen for the wrapper: {0}")]
    Listen(std::io::Error),
    /// It ended.
    #[error("the wrapper ended ({0}) before it connected to the address in {ADDRESS}")]
    EndedAtOnce(String),
    /// It never came.
    #[error("the wrapper did not connect to the address in {ADDRESS} and say hello within {} s", .0.as_secs_f32())]
    Silent(Duration),
    /// What it said first is no right hello.
    #[error("the wrapper was refused: {0}")]
    Refused(String),
}

/// A wrapper at work. Its process is killed when this is dropped.
#[derive(Debug)]
pub struct Wrapper {
    hello: Hello,
    /// How many cases may be under way at once.
    jobs: usize,
    link: Link,
    process: Process,
    patience: Patience,
}

/// A command for a wrapper.
#[derive(Debug, Clone)]
pub struct Command {
    /// The case that it belongs to.
    pub case: String,
    /// The word.
    pub word: String,
    /// Its further members.
    pub members: Map<String, Value>,
    /// How long it may take; of a stream, for each event.
    pub limit: Duration,
}

/// The end of what a wrapper has written to its standard output and its standard error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    /// To its standard output.
    pub stdout: String,
    /// To its standard error.
    pub stderr: String,
}

impl Wrapper {
    /// Starts a wrapper and greets it. At most `jobs` cases are to be under way at once.
    ///
    /// # Errors
    /// A command that is none, or a wrapper that does not keep to the greeting; and what it has written by then.
    pub async fn start(command: &[String], jobs: usize, patience: Patience) -> Result<Self, (WrapperError, Output)> {
        let nothing = |error| (error, Output::default());
        let listening = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listening.map_err(|error| nothing(WrapperError::Listen(error)))?;
        let address = listener.local_addr().map_err(|error| nothing(WrapperError::Listen(error)))?;
        let token = unguessable().map_err(|error| nothing(WrapperError::Listen(error)))?;
        let env = [(ADDRESS, format!("tcp:{address}")), (TOKEN, token.clone())];
        let mut process = Process::start(command, &env).map_err(|error| {
            let command = command.first().cloned().unwrap_or_default();
            nothing(WrapperError::Start { command, error })
        })?;
        let met = tokio::time::timeout(patience.connect, meet(&listener, &mut process)).await;
        let met = met.unwrap_or(Err(WrapperError::Silent(patience.connect)));
        let (stream, line, rest) = match met {
            Ok(met) => met,
            Err(error) => return Err((error, process.output())),
        };
        match Hello::read(&line, &token) {
            Ok(hello) => {
                let jobs = hello.jobs.unwrap_or(jobs).min(jobs).max(1);
                let link = Link::new(stream, rest, patience.grace);
                link.say(&json!({ "do": "welcome", "contract": CONTRACT, "jobs": jobs }));
                Ok(Self { hello, jobs, link, process, patience })
            }
            Err(why) => {
                link::refuse(stream, &why).await;
                Err((WrapperError::Refused(why), process.output()))
            }
        }
    }

    /// What it has said of itself.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// How many cases may be under way at once.
    pub fn jobs(&self) -> usize {
        self.jobs
    }

    /// Gives it a command.
    pub fn begin(&self, command: Command) -> Pending {
        self.link.begin(command)
    }

    /// What broke the contract in a case, if anything did.
    pub fn broken(&self, case: &str) -> Option<String> {
        self.link.broken(case)
    }

    /// How often in a row nothing came, until now.
    pub fn silences(&self) -> usize {
        self.link.silences()
    }

    /// What became of it, where it is no longer there.
    pub fn gone(&self) -> Option<String> {
        self.link.gone().map(|how| match self.process.ended() {
            Some(status) => format!("it ended ({status})"),
            None => how,
        })
    }

    /// The end of what it has written.
    pub fn output(&self) -> Output {
        self.process.output()
    }

    /// Closes the connection, upon which it is to end; it is killed if it does not. Whether it ended by itself.
    pub async fn close(mut self) -> bool {
        self.link.close();
        tokio::time::timeout(self.patience.end, self.process.wait()).await.is_ok()
    }
}

/// Waits until the wrapper has connected and said its first line; with what came behind that.
async fn meet(listener: &TcpListener, process: &mut Process) -> Result<(TcpStream, Vec<u8>, Vec<u8>), WrapperError> {
    let accepted = tokio::select! {
        accepted = listener.accept() => accepted,
        status = process.wait() => return Err(WrapperError::EndedAtOnce(status)),
    };
    let (mut stream, _) = accepted.map_err(WrapperError::Listen)?;
    let _unchanged = stream.set_nodelay(true);
    match link::first_line(&mut stream).await {
        Ok((line, rest)) => Ok((stream, line, rest)),
        Err(why) => {
            link::refuse(stream, &why).await;
            Err(WrapperError::Refused(why))
        }
    }
}

/// The words without which a wrapper is of no use.
pub(crate) const REQUIRED: [&str; 4] = ["resolve", "client", "close", "SendMessage"];

impl Hello {
    /// Whether it knows a word.
    pub fn does(&self, word: &str) -> bool {
        self.does.contains(word)
    }
}

/// Shared by those who wait for what a wrapper says.
type Shared<T> = Arc<std::sync::Mutex<T>>;
