//! The program as a user runs it.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread::sleep;
use std::time::{Duration, Instant};

pub mod command;
mod heard;

use command::command;
use heard::Heard;

/// How long anything may take before it counts as stuck: far more than anything needs, even on a machine with much else to do.
pub const LIMIT: Duration = Duration::from_secs(600);

/// How often something is looked at that no event tells of.
const LOOK: Duration = Duration::from_millis(5);

/// What came of a run.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// A run that goes on. Its process is gone when this is dropped.
pub struct Running {
    child: Child,
    stdout: Heard,
    stderr: Heard,
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
    let mut command = command(program);
    command.args(arguments).envs(environment.iter().copied());
    Running::of(&mut command).unwrap()
}

/// Starts the program by a line of the shell, in which `"$@"` is the program with its arguments.
pub fn start_by_shell(line: &str, arguments: &[&str]) -> Running {
    let mut command = command("sh");
    command.args(["-c", line, "sh", env!("CARGO_BIN_EXE_a2aspec")]).args(arguments);
    Running::of(&mut command).unwrap()
}

/// Makes a pipe with a name.
#[cfg(unix)]
pub fn make_pipe(path: &str) {
    let ran = run_by("mkfifo", &[path], &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

/// Looks until there is something, and fails after [`LIMIT`] with what was waited for.
#[track_caller]
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let by = Instant::now() + LIMIT;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < by, "waited {} s for {what}", LIMIT.as_secs());
        sleep(LOOK);
    }
}

impl Running {
    /// Starts a command with the signals at their default, and hears what it writes.
    ///
    /// # Errors
    /// The system's, where there is no such program.
    pub fn of(command: &mut Command) -> io::Result<Self> {
        command::reset_signals();
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (stdout, stderr) = (Heard::of(child.stdout.take().unwrap()), Heard::of(child.stderr.take().unwrap()));
        Ok(Self { child, stdout, stderr })
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it writes no more.
    pub fn has_ended(&self) -> bool {
        let now = Instant::now();
        self.stdout.is_over(now) && self.stderr.is_over(now)
    }

    /// Sends a signal by its name, such as `TERM`.
    pub fn signal(&self, name: &str) {
        let ran = run_by("kill", &[&format!("-{name}"), &self.id().to_string()], &[]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }

    /// Waits for the next line of standard output that has these words, after those that were waited for before.
    #[track_caller]
    pub fn stdout_line(&self, words: &str) -> String {
        self.line(&self.stdout, "standard output", words)
    }

    /// The same of standard error.
    #[track_caller]
    pub fn stderr_line(&self, words: &str) -> String {
        self.line(&self.stderr, "standard error", words)
    }

    #[track_caller]
    fn line(&self, heard: &Heard, name: &str, words: &str) -> String {
        let line = heard.line(words, Instant::now() + LIMIT);
        line.unwrap_or_else(|| panic!("no line of {name} has {words:?}\n{}", self.so_far()))
    }

    /// What it has written so far, for people.
    fn so_far(&self) -> String {
        format!("standard output so far:\n{}\nstandard error so far:\n{}", self.stdout.text(), self.stderr.text())
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
            while ended.recv_timeout(LOOK) == Err(mpsc::RecvTimeoutError::Timeout) {
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
    #[track_caller]
    pub fn wait(self) -> Ran {
        self.wait_for(LIMIT)
    }

    #[track_caller]
    fn wait_for(self, limit: Duration) -> Ran {
        match self.end_within(limit) {
            Ok((status, stdout, stderr)) => {
                let code = status.code().unwrap_or_else(|| panic!("the program ended by {status}\n{stdout}\n{stderr}"));
                Ran { code, stdout, stderr }
            }
            Err(told) => panic!("{told}"),
        }
    }

    /// Waits for the end: how it ended, and what it wrote to standard output and standard error.
    ///
    /// # Errors
    /// It did not end in time, and was killed; with what it had written.
    pub fn end_within(mut self, limit: Duration) -> Result<(ExitStatus, String, String), String> {
        let by = Instant::now() + limit;
        let is_over = self.stdout.is_over(by) && self.stderr.is_over(by);
        // Whoever closes both may still go on.
        while is_over && Instant::now() < by {
            if let Some(status) = self.child.try_wait().map_err(|error| error.to_string())? {
                return Ok((status, self.stdout.text(), self.stderr.text()));
            }
            sleep(LOOK);
        }
        Err(format!("the program was still running after {} s\n{}", limit.as_secs(), self.so_far()))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already; then there is nothing to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
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
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
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
