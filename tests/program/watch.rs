//! What failed is run again when the agent comes back.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Far longer than anything here takes.
const LIMIT: Duration = Duration::from_secs(90);

/// The program at work, and each line of its standard error.
struct Watch {
    child: Child,
    lines: mpsc::Receiver<String>,
}

impl Watch {
    fn start(url: &str) -> Self {
        let what = ["--profile", "1.0", "--binding", "jsonrpc", "--only", "get", "--timeout", "20"];
        let mut child = Command::new(env!("CARGO_BIN_EXE_a2aspec"))
            .args([&["watch", url], &what[..]].concat())
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stderr = child.stderr.take().unwrap();
        let (tell, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                let _ = tell.send(line);
            }
        });
        Self { child, lines }
    }

    /// The next line that has these words.
    fn until(&self, words: &str) -> String {
        let began = Instant::now();
        let mut heard = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(LIMIT.saturating_sub(began.elapsed())) {
            if line.contains(words) {
                return line;
            }
            heard.push(line);
        }
        panic!("no {words:?} in {heard:#?}");
    }

    fn end(mut self) -> i32 {
        let status = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        assert!(status.unwrap().success());
        self.child.wait().unwrap().code().unwrap()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

/// The reference agent as a process of its own, which can be killed; at this port, and with these flags.
fn agent(port: &str, flags: &[&str]) -> (Stopped, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_a2aspec"))
        .args([&["agent", "--only", "1.0", "--port", port], flags].concat())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let url = line.trim().strip_prefix("reference agent at ").expect("it says where it is").to_owned();
    (Stopped(child), url)
}

/// A process that is gone when this is dropped.
struct Stopped(Child);

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn what_failed_is_run_again_when_the_agent_comes_back() {
    let (wrong, url) = agent("0", &["--fault", "get/unknown-is-internal"]);
    let watch = Watch::start(&url);
    assert!(!watch.until("round 1: ").contains("that failed"));
    watch.until("the gate fails: ");
    let waiting = watch.until("waiting for the agent to change: ");
    assert!(waiting.contains("that failed will be run again"), "{waiting}");
    drop(wrong);
    watch.until("the agent is gone");
    let port = url.rsplit(':').next().unwrap().trim_matches('/').to_owned();
    let (_right, same) = agent(&port, &[]);
    assert_eq!(same, url);
    let round = watch.until("round 2: ");
    assert!(round.contains("that failed"), "{round}");
    watch.until("the gate passes: ");
    let waiting = watch.until("waiting for the agent to change: ");
    assert!(waiting.contains("everything is run again"), "{waiting}");
    assert_eq!(watch.end(), 0);
}

/// An agent that is not there yet is waited for.
#[test]
fn an_agent_that_starts_later() {
    let (first, url) = agent("0", &[]);
    drop(first);
    let watch = Watch::start(&url);
    watch.until("waiting for the agent to change: ");
    let port = url.rsplit(':').next().unwrap().trim_matches('/').to_owned();
    let _agent = agent(&port, &[]);
    watch.until("round 1: ");
    watch.until("the gate passes: ");
    assert_eq!(watch.end(), 0);
}
