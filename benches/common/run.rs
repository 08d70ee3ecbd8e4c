//! A run of the program, watched from its start to its end.
//!
//! Peak memory is read from procfs and so is known on Linux only.

#[path = "memory.rs"]
mod memory;

use std::collections::BTreeMap;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// How often the memory of the program is looked at. The kernel keeps its peak, so only what is taken in the very last
/// moment can be missed.
const LOOK: Duration = Duration::from_millis(2);

/// One run of the suite.
#[derive(Clone)]
pub struct Run {
    pub wall: Duration,
    /// Peak resident memory in KiB, where the system tells.
    pub memory: Option<u64>,
    /// Verdict by version, binding and case.
    pub verdicts: BTreeMap<String, String>,
}

/// Starts `a2aspec check --self` with these arguments and watches it to its end.
#[allow(dead_code, reason = "not every bench runs the bundled agent")]
pub fn run(arguments: &[&str]) -> Run {
    watched(&[&["check", "--self", "--report", "json"], arguments].concat())
}

/// Starts the program with these arguments, which let it print a report as JSON, and watches it to its end.
pub fn watched(arguments: &[&str]) -> Run {
    let began = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_a2aspec"))
        .args(arguments)
        // Whatever settings lie about where the bench is started are not its own.
        .current_dir(std::env::temp_dir())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let stdout = child.stdout.take().expect("its output is piped");
    let report = thread::spawn(move || serde_json::from_reader::<_, Value>(stdout));
    let memory = watch(&mut child);
    let wall = began.elapsed();
    let report = report.join().expect("the reader ends").expect("the report is JSON");
    let text = |result: &Value, name: &str| result[name].as_str().expect("a result is complete").to_owned();
    let results = report["results"].as_array().expect("the report has results");
    let name = |result: &Value| ["profile", "binding", "case"].map(|name| text(result, name)).join(" ");
    let verdicts = results.iter().map(|result| (name(result), text(result, "verdict"))).collect();
    Run { wall, memory, verdicts }
}

/// Waits for the program to end, and keeps the last peak of memory that it showed.
fn watch(child: &mut Child) -> Option<u64> {
    let mut peak = None;
    loop {
        peak = memory::of(child.id(), "VmHWM").max(peak);
        if child.try_wait().expect("the program can be waited for").is_some() {
            return peak;
        }
        thread::sleep(LOOK);
    }
}
