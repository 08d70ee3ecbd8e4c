//! The process of a wrapper: how it is started, what it writes, and how it ends.

use std::collections::VecDeque;
use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tokio::sync::watch;

use super::{Output, Shared};

/// How much of each of its outputs is kept, in bytes: the last of it.
const KEPT: usize = 64 << 10;

/// A process in a group of its own, which is killed when this is dropped.
#[derive(Debug)]
pub(super) struct Process {
    id: u32,
    ended: watch::Receiver<Option<String>>,
    stdout: Shared<VecDeque<u8>>,
    stderr: Shared<VecDeque<u8>>,
}

impl Process {
    /// Starts a command with more in its environment.
    ///
    /// # Errors
    /// The system's.
    pub fn start(command: &[String], env: &[(&str, String)]) -> std::io::Result<Self> {
        let (program, arguments) = command.split_first().ok_or(std::io::ErrorKind::InvalidInput)?;
        let mut started = Command::new(program);
        started.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        started.envs(env.iter().map(|(name, value)| (name, value)));
        // A group of its own, so that what it starts ends with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut started, 0);
        let mut child = started.spawn()?;
        let id = child.id();
        let keep = |source: Option<Box<dyn Read + Send>>| -> std::io::Result<Shared<VecDeque<u8>>> {
            let kept = Arc::new(Mutex::new(VecDeque::new()));
            if let Some(source) = source {
                let into = Arc::clone(&kept);
                thread::Builder::new().name("wrapper-output".to_owned()).spawn(move || read_into(source, &into))?;
            }
            Ok(kept)
        };
        let stdout = keep(child.stdout.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>))?;
        let stderr = keep(child.stderr.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>))?;
        let (tell, ended) = watch::channel(None);
        let process = Self { id, ended, stdout, stderr };
        thread::Builder::new().name("wrapper-end".to_owned()).spawn(move || {
            let status = child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
            // What it has started may outlive it. Later, its number may be the number of another program.
            kill_group(id);
            tell.send_replace(Some(status));
        })?;
        Ok(process)
    }

    /// How it ended, if it has.
    pub fn ended(&self) -> Option<String> {
        self.ended.borrow().clone()
    }

    /// Waits for its end.
    pub async fn wait(&mut self) -> String {
        match self.ended.wait_for(Option::is_some).await {
            Ok(status) => status.clone().unwrap_or_default(),
            // Nobody is left who would know.
            Err(_) => std::future::pending().await,
        }
    }

    /// The end of what it has written.
    pub fn output(&self) -> Output {
        let text = |kept: &Shared<VecDeque<u8>>| {
            let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            let (first, second) = kept.as_slices();
            String::from_utf8_lossy(&[first, second].concat()).into_owned()
        };
        Output { stdout: text(&self.stdout), stderr: text(&self.stderr) }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.ended().is_none() {
            kill_group(self.id);
        }
    }
}

/// Kills a process that was started in a group of its own, and what it has started.
fn kill_group(id: u32) {
    #[cfg(unix)]
    let killed = Command::new("kill").args(["-9", "--", &format!("-{id}")]).stderr(Stdio::null()).status();
    #[cfg(not(unix))]
    let killed = Command::new("taskkill")
        .args(["/T", "/F", "/PID", &id.to_string()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let _whether_it_was_there = killed;
}

fn read_into(mut source: impl Read, into: &Mutex<VecDeque<u8>>) {
    let mut piece = [0; 4 << 10];
    while let Ok(count @ 1..) = source.read(&mut piece) {
        let mut kept = into.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(piece.get(..count).unwrap_or_default());
        let surplus = kept.len().saturating_sub(KEPT);
        kept.drain(..surplus);
    }
}
