//! Programs that must end in time.

use std::fmt;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

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

/// A program that is killed when nobody holds it any more, however that came.
pub struct Guarded(pub Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        // It may have ended already; then there is nothing to do.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs a program to its end, which must come within `limit`.
pub fn run(command: &mut Command, limit: Duration) -> Result<Run, String> {
    let name = command.get_program().display().to_string();
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = Guarded(child.map_err(|error| format!("{name} cannot be started: {error}"))?);
    let (sender, ended) = channel();
    let (stdout, stderr) = (child.0.stdout.take(), child.0.stderr.take());
    let (Some(stdout), Some(stderr)) = (stdout, stderr) else { return Err(format!("{name} has no output")) };
    collect(stdout, sender.clone(), |text| (Some(text), None));
    collect(stderr, sender, |text| (None, Some(text)));

    let deadline = Instant::now() + limit;
    let mut run = Run { code: None, stdout: String::new(), stderr: String::new() };
    loop {
        // Both ends of output closed: the program has ended, or is about to.
        match ended.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok((stdout, stderr)) => {
                run.stdout.push_str(&stdout.unwrap_or_default());
                run.stderr.push_str(&stderr.unwrap_or_default());
            }
            Err(RecvTimeoutError::Timeout) => return Err(format!("{name} did not end within {limit:?}")),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let status = child.0.wait().map_err(|error| format!("{name} cannot be waited for: {error}"))?;
    run.code = status.code();
    Ok(run)
}

type Text = (Option<String>, Option<String>);

fn collect(mut from: impl Read + Send + 'static, to: Sender<Text>, wrap: fn(String) -> Text) {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error is still worth showing.
        let _ = from.read_to_end(&mut bytes);
        let _ = to.send(wrap(String::from_utf8_lossy(&bytes).into_owned()));
    });
}
