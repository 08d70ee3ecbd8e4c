//! The program as a user runs it.

#![allow(dead_code, reason = "not every test needs all of it")]

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// How long a run may take before it counts as stuck: far more than any needs, even on a machine with much to do.
const LIMIT: Duration = Duration::from_secs(90);

/// What came of a run.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// A run that goes on.
pub struct Running {
    child: Child,
    stdout: mpsc::Receiver<String>,
    stderr: mpsc::Receiver<String>,
}

/// Runs the program with arguments and environment variables, in the root of the package, and waits for its end.
pub fn run(arguments: &[&str], environment: &[(&str, &str)]) -> Ran {
    start(arguments, environment).wait()
}

/// Runs another program in the same way.
pub fn run_by(program: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Ran {
    start_by(program, arguments, environment).wait()
}

/// Starts the program.
pub fn start(arguments: &[&str], environment: &[(&str, &str)]) -> Running {
    start_by(env!("CARGO_BIN_EXE_a2aspec"), arguments, environment)
}

fn start_by(program: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Running {
    let mut command = command(program, arguments);
    command.envs(environment.iter().copied());
    hear_all(&mut command)
}

/// Starts the program by a line of the shell, in which `"$@"` is the program with its arguments.
pub fn start_by_shell(line: &str, arguments: &[&str]) -> Running {
    let arguments = [&["-c", line, "sh", env!("CARGO_BIN_EXE_a2aspec")][..], arguments].concat();
    hear_all(&mut command("sh", &arguments))
}

/// What leads a program elsewhere: a proxy of this machine is no part of a test.
const PROXIES: [&str; 8] =
    ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"];

fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).env_remove("COLUMNS").env("NO_COLOR", "1");
    PROXIES.iter().for_each(|name| {
        command.env_remove(name);
    });
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn hear_all(command: &mut Command) -> Running {
    let mut child = command.spawn().unwrap();
    let stdout = hear(child.stdout.take().unwrap());
    let stderr = hear(child.stderr.take().unwrap());
    Running { child, stdout, stderr }
}

fn hear(mut pipe: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (tell, heard) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        let _ = tell.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    heard
}

impl Running {
    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal by its name, such as `TERM`.
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill").args([&format!("-{name}"), &self.id().to_string()]).status();
        assert!(status.unwrap().success());
    }

    /// Waits for the end, and gives the peak of the memory that the program took, in KiB, where the system tells.
    pub fn wait_and_watch(self) -> (Ran, Option<u64>) {
        self.watch_for(LIMIT)
    }

    /// The same of a run that may take longer than others.
    pub fn watch_for(self, limit: Duration) -> (Ran, Option<u64>) {
        let status = format!("/proc/{}/status", self.id());
        let (end, ended) = mpsc::channel::<()>();
        let watch = std::thread::spawn(move || {
            let mut peak = None;
            // The kernel keeps the peak: what is missed is what is taken in the very last moment.
            while ended.recv_timeout(Duration::from_millis(5)) == Err(mpsc::RecvTimeoutError::Timeout) {
                let shown = std::fs::read_to_string(&status).ok();
                peak = shown.as_deref().and_then(peak_in).max(peak);
            }
            peak
        });
        let ran = self.wait_for(limit);
        drop(end);
        (ran, watch.join().unwrap())
    }

    /// Waits for the end; a run that is stuck is killed, and the test fails.
    pub fn wait(self) -> Ran {
        self.wait_for(LIMIT)
    }

    fn wait_for(mut self, limit: Duration) -> Ran {
        let heard = self.stdout.recv_timeout(limit).and_then(|stdout| Ok((stdout, self.stderr.recv_timeout(limit)?)));
        let Ok((stdout, stderr)) = heard else {
            let _ = self.child.kill();
            panic!("the program was still running after {} s", limit.as_secs());
        };
        let code = self.child.wait().unwrap().code().expect("the program ends by itself");
        Ran { code, stdout, stderr }
    }
}

/// `VmHWM:     12345 kB` in the status of a process.
fn peak_in(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// A folder of a test's own, which goes when the test ends.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let name = format!("a2aspec-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// A new file in it, with what it holds; its path.
    pub fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
