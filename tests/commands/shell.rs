//! A folder, and a shell in it that runs what a page shows.

use std::io::{BufRead as _, BufReader, PipeReader};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
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
    /// Both streams, as a terminal would show them.
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

    /// Runs commands, up to the first that fails.
    pub fn run(&mut self, script: &str) -> Done {
        // A pipe, as pipelines have it.
        let (reader, writer) = std::io::pipe().expect("there are pipes");
        let errors = writer.try_clone().expect("it can be shared");
        let mut command = Command::new("sh");
        let script = format!("trap 'printf \"\\n{END}\\n\"' EXIT\n{SERVES}{script}");
        command.args(["-e", "-c", &script]).current_dir(&self.folder).env("PATH", &self.path);
        command.env("NO_COLOR", "1").env("COLUMNS", "200").env("XDG_CONFIG_HOME", self.folder.with_extension("home"));
        VARIABLES.iter().for_each(|name| {
            command.env(name, format!("t0ken-of-{name}"));
        });
        command.envs(PIPELINE).env("A2ASPEC_SOURCES", env!("CARGO_MANIFEST_DIR"));
        PROXIES.iter().for_each(|name| {
            command.env_remove(name);
        });
        // A group of its own, by which everything that it starts can be ended.
        command.stdin(Stdio::null()).stdout(writer).stderr(errors).process_group(0);
        let mut child = command.spawn().expect("there is a shell");
        self.groups.push(child.id());
        // It has its own ends of the pipe.
        drop(command);
        let output = until_end(reader).unwrap_or_else(|| panic!("no end after {} s:\n{script}", LIMIT.as_secs()));
        let status = child.wait().expect("it can be waited for");
        Done { code: status.code().unwrap_or(-1), output }
    }
}

/// The output of a block; nothing once the limit is over.
fn until_end(reader: PipeReader) -> Option<String> {
    let (ended, end) = mpsc::channel();
    std::thread::spawn(move || {
        let lines = BufReader::new(reader).split(b'\n').map_while(Result::ok);
        let lines = lines.map(|line| String::from_utf8_lossy(&line).into_owned());
        let lines: Vec<String> = lines.take_while(|line| line != END).collect();
        ended.send(lines.join("\n"))
    });
    end.recv_timeout(LIMIT).ok()
}

impl Drop for Shell {
    fn drop(&mut self) {
        for group in &self.groups {
            let mut kill = Command::new("kill");
            let _gone = kill.args(["-KILL", "--", &format!("-{group}")]).stderr(Stdio::null()).status();
        }
    }
}
