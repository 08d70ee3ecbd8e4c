//! A folder, and a shell in it that runs what a page shows.

use std::io::{BufRead as _, BufReader, PipeReader};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

/// How long one block may take: far more than any does, even on a machine with much to do.
const LIMIT: Duration = Duration::from_secs(300);

/// The line that ends the output of a block. A server that the block has started keeps the pipe open.
const END: &str = "-- the end of the block --";

/// Runs a server until its first line of output.
const SERVES: &str = r#"
serves() {
    rm -f .served && mkfifo .served
    "$@" >.served &
    exec 3<.served
    read -r first <&3
    printf '%s\n' "$first"
    kill $!
    wait $! || true
    exec 3<&-
    rm .served
}
"#;

/// Starts the reference agent, which serves until the block ends, and waits until it does.
const STARTS: &str = r#"
AGENT=
starts() {
    rm -f .agent && mkfifo .agent
    a2aspec agent --port "$AGENT_PORT" "$@" >.agent &
    AGENT=$!
    exec 4<.agent
    read -r first <&4
    rm .agent
}
ends() {
    [ -z "$AGENT" ] || { kill "$AGENT"; wait "$AGENT"; } || true
    printf '\n%s\n' "$END"
    printf '\n%s\n' "$END" >&2
}
trap ends EXIT
"#;

/// Names that pages use for credentials, each with a value that means nothing.
const VARIABLES: [&str; 9] =
    ["AGENT_TOKEN", "AGENT_KEY", "ANN", "BOB", "OLD", "SID", "TOKEN", "OTHER_TOKEN", "CLIENT_SECRET"];

/// What pipelines set: of one job of one.
const PIPELINE: [(&str, &str); 3] =
    [("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "1"), ("GITHUB_STEP_SUMMARY", "summary.md")];

/// What leads a program elsewhere.
const PROXIES: [&str; 6] = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];

/// What came of a block.
pub struct Done {
    pub code: i32,
    /// Standard output, and standard error behind it.
    pub output: String,
}

/// The folder of one page. What a block has left running ends with it.
pub struct Shell {
    folder: PathBuf,
    path: String,
    groups: Vec<u32>,
}

impl Shell {
    /// An empty folder for a page.
    pub fn new(page: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("commands").join(page.replace('/', "-"));
        let _none = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("the folder can be made");
        let program = Path::new(env!("CARGO_BIN_EXE_a2aspec")).parent().expect("it is in a folder").display();
        let path = format!("{program}:{}", std::env::var("PATH").unwrap_or_default());
        Self { folder, path, groups: Vec::new() }
    }

    /// Runs commands, up to the first that fails. An agent that they start listens at the port.
    pub fn run(&mut self, script: &str, port: u16) -> Done {
        // Two pipes, as pipelines have it: reports may go to either stream.
        let (output, for_output) = std::io::pipe().expect("there are pipes");
        let (errors, for_errors) = std::io::pipe().expect("there are pipes");
        let mut command = Command::new("sh");
        let script = format!("{SERVES}{STARTS}{script}");
        command.args(["-e", "-c", &script]).current_dir(&self.folder).env("PATH", &self.path);
        command.env("NO_COLOR", "1").env("COLUMNS", "200").env("XDG_CONFIG_HOME", self.folder.with_extension("home"));
        VARIABLES.iter().for_each(|name| {
            command.env(name, format!("t0ken-of-{name}"));
        });
        command.env("AGENT_PORT", port.to_string()).env("END", END);
        command.envs(PIPELINE).env("A2ASPEC_SOURCES", env!("CARGO_MANIFEST_DIR"));
        PROXIES.iter().for_each(|name| {
            command.env_remove(name);
        });
        // A group of its own, by which everything that it starts can be ended.
        command.stdin(Stdio::null()).stdout(for_output).stderr(for_errors).process_group(0);
        let mut child = command.spawn().expect("there is a shell");
        self.groups.push(child.id());
        // It has its own ends of the pipes.
        drop(command);
        let (output, errors) = (until_end(output), until_end(errors));
        let wait = |lines: Receiver<String>| {
            lines.recv_timeout(LIMIT).unwrap_or_else(|_| panic!("no end after {} s:\n{script}", LIMIT.as_secs()))
        };
        let output = format!("{}\n{}", wait(output), wait(errors));
        let status = child.wait().expect("it can be waited for");
        // The number of a group that has ended is free: another program may get it.
        self.groups.retain(|group| signal(*group, "-0"));
        Done { code: status.code().unwrap_or(-1), output }
    }
}

/// One stream of a block, once it has ended.
fn until_end(reader: PipeReader) -> Receiver<String> {
    let (ended, end) = mpsc::channel();
    std::thread::spawn(move || {
        let lines = BufReader::new(reader).split(b'\n').map_while(Result::ok);
        let lines = lines.map(|line| String::from_utf8_lossy(&line).into_owned());
        let lines: Vec<String> = lines.take_while(|line| line != END).collect();
        ended.send(lines.join("\n"))
    });
    end
}

impl Drop for Shell {
    fn drop(&mut self) {
        for group in &self.groups {
            signal(*group, "-KILL");
        }
    }
}

/// Sends a signal to a group of processes, and returns whether one is left.
fn signal(group: u32, signal: &str) -> bool {
    let mut kill = Command::new("kill");
    let sent = kill.args([signal, "--", &format!("-{group}")]).stderr(Stdio::null()).status();
    sent.is_ok_and(|status| status.success())
}
