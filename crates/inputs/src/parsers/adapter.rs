//! The adapter: a process that is fed inputs and answers them.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use thiserror::Error;

use super::Answer;

/// What came back for one input.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// An answer.
    Answer(Answer),
    /// The adapter ended, as this says.
    Crash(String),
    /// Nothing came in time.
    Hang,
}

/// An adapter that cannot be worked with.
#[derive(Debug, Error)]
pub enum AdapterError {
    /// It cannot be started.
    #[error("the adapter cannot be started: {0}")]
    Start(std::io::Error),
    /// It answered by something else than a line of JSON.
    #[error("the adapter answered {line:?}, which is no answer: {reason}")]
    Answer {
        /// The line, cut to a readable length.
        line: String,
        /// Why.
        reason: String,
    },
    /// It ends before it has read anything.
    #[error("the adapter ends at once: {0}")]
    EndsAtOnce(String),
    /// It takes longer than the time limit to answer its first input.
    #[error("the adapter does not answer its first input within {0:?}")]
    Silent(Duration),
}

/// A parser behind its adapter.
#[derive(Debug)]
pub struct Adapter {
    command: String,
    limit: Duration,
    greeting: Vec<u8>,
    running: Option<Running>,
    /// How often it was started again.
    pub restarts: usize,
}

#[derive(Debug)]
struct Running {
    child: Child,
    inputs: Sender<Vec<u8>>,
    answers: Receiver<Vec<Result<Answer, AdapterError>>>,
    /// Those that have come and were not asked for.
    here: VecDeque<Result<Answer, AdapterError>>,
}

/// The bytes of answers that are read at once.
const AT_ONCE: usize = 64 << 10;

/// How long an adapter may take to start and to answer its first input.
const START: Duration = Duration::from_secs(20);

impl Adapter {
    /// A command for the shell, and how long it may take for each input.
    pub fn new(command: &str, limit: Duration) -> Self {
        Self { command: command.to_owned(), limit, greeting: Vec::new(), running: None, restarts: 0 }
    }

    /// Starts it with an input that it is known by, and so finds out whether it works at all. Each time that it is started again
    /// it is given this input first: how long it takes to start is no matter of the time limit.
    ///
    /// # Errors
    /// It cannot be started, ends at once, says nothing, or something that is no answer.
    pub fn greet(&mut self, input: &[u8]) -> Result<(), AdapterError> {
        input.clone_into(&mut self.greeting);
        self.start()
    }

    fn start(&mut self) -> Result<(), AdapterError> {
        self.running = Some(Running::start(&self.command).map_err(AdapterError::Start)?);
        let greeting = self.greeting.clone();
        self.give(&[&greeting])?;
        let limit = self.limit.max(START);
        match self.receive(limit)? {
            Reply::Answer(_) => Ok(()),
            Reply::Crash(status) => Err(AdapterError::EndsAtOnce(status)),
            Reply::Hang => Err(AdapterError::Silent(limit)),
        }
    }

    /// Gives it some inputs at once, so that neither need wait for the other. What becomes of them is asked for by
    /// [`Self::replies`], before anything else.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn give(&mut self, inputs: &[&[u8]]) -> Result<(), AdapterError> {
        if self.running.is_none() {
            self.start()?;
        }
        let Some(running) = &mut self.running else { return Ok(()) };
        let mut framed = Vec::new();
        for input in inputs {
            framed.extend_from_slice(&u32::try_from(input.len()).unwrap_or(u32::MAX).to_be_bytes());
            framed.extend_from_slice(input);
        }
        // Whoever died is noticed when the answer is waited for.
        let _ = running.inputs.send(framed);
        Ok(())
    }

    /// The replies to the inputs that were given. Where it dies or hangs, the rest is given to it one by one, so that the blame is
    /// with the right input.
    ///
    /// # Errors
    /// It cannot be started, or does not keep to the protocol.
    pub fn replies(&mut self, inputs: &[&[u8]]) -> Result<Vec<Reply>, AdapterError> {
        let mut replies = Vec::with_capacity(inputs.len());
        while replies.len() < inputs.len() {
            match self.receive(self.limit)? {
                Reply::Crash(_) | Reply::Hang if inputs.len() > 1 => break,
                reply => replies.push(reply),
            }
        }
        for input in inputs.iter().skip(replies.len()) {
            replies.push(self.ask(input)?);
        }
        Ok(replies)
    }

    /// Asks for one input.
    ///
    /// # Errors
    /// As [`Self::replies`].
    pub fn ask(&mut self, input: &[u8]) -> Result<Reply, AdapterError> {
        self.give(&[input])?;
        self.receive(self.limit)
    }

    fn receive(&mut self, limit: Duration) -> Result<Reply, AdapterError> {
        let Some(running) = &mut self.running else { return Ok(Reply::Crash("it is not running".to_owned())) };
        if let Some(answer) = running.here.pop_front() {
            return answer.map(Reply::Answer);
        }
        match running.answers.recv_timeout(limit) {
            Ok(answers) => {
                running.here.extend(answers);
                self.receive(limit)
            }
            Err(RecvTimeoutError::Timeout) => {
                self.stop();
                Ok(Reply::Hang)
            }
            Err(RecvTimeoutError::Disconnected) => {
                let status = running.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
                self.stop();
                Ok(Reply::Crash(status))
            }
        }
    }

    fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            self.restarts += 1;
            running.end();
        }
    }
}

impl Drop for Adapter {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.end();
        }
    }
}

impl Running {
    fn start(command: &str) -> std::io::Result<Self> {
        let mut shell = Command::new(if cfg!(windows) { "cmd" } else { "sh" });
        shell.args([if cfg!(windows) { "/C" } else { "-c" }, command]);
        // A group of its own, so that what the shell started ends with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut shell, 0);
        let mut child = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (inputs, to_write) = channel::<Vec<u8>>();
        let (read, answers) = channel();
        if let Some(mut stdin) = child.stdin.take() {
            thread::Builder::new().spawn(move || {
                // One write for all that waits.
                while let Ok(mut bytes) = to_write.recv() {
                    to_write.try_iter().for_each(|more| bytes.extend(more));
                    if stdin.write_all(&bytes).and_then(|()| stdin.flush()).is_err() {
                        break;
                    }
                }
            })?;
        }
        if let Some(stdout) = child.stdout.take() {
            thread::Builder::new().spawn(move || {
                // Answers are read here: meanwhile those before them are judged. What has come is told at once: to wake somebody
                // for each costs more than to read it.
                let mut lines = BufReader::with_capacity(AT_ONCE, stdout);
                let mut line = Vec::new();
                while matches!(lines.read_until(b'\n', &mut line), Ok(1..)) {
                    let mut answers = vec![answer(&line)];
                    line.clear();
                    while lines.buffer().contains(&b'\n') && lines.read_until(b'\n', &mut line).is_ok() {
                        answers.push(answer(&line));
                        line.clear();
                    }
                    if read.send(answers).is_err() {
                        break;
                    }
                }
            })?;
        }
        Ok(Self { child, inputs, answers, here: VecDeque::new() })
    }

    fn end(mut self) {
        drop(self.inputs);
        #[cfg(unix)]
        {
            let group = format!("-{}", self.child.id());
            let _ = Command::new("kill").args(["-9", "--", &group]).stderr(Stdio::null()).status();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a line says.
fn answer(line: &[u8]) -> Result<Answer, AdapterError> {
    let line = String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(line));
    Answer::read(&line).map_err(|reason| AdapterError::Answer { line: line.chars().take(200).collect(), reason })
}
