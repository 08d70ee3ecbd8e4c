//! How long the whole A2A 1.0 suite over JSON-RPC takes, how much memory it needs, and whether it says the same each
//! time: `cargo bench --bench suite [-- RUNS]`.
//!
//! Each run is the program itself, started anew, checking the reference agent that it carries. Peak memory is read
//! from procfs and so is known on Linux only.

// Without a word to print there is no bench: it may fail as a test may.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Runs, unless the command line says how many.
const RUNS: usize = 10;
/// How often the memory of the program is looked at. The kernel keeps its peak, so only what is taken in the very last
/// moment can be missed.
const LOOK: Duration = Duration::from_millis(2);
/// Most wall time of a run, on two cores.
const MOST_TIME: Duration = Duration::from_secs(2);
/// Most memory of a run, in KiB.
const MOST_MEMORY: u64 = 100 << 10;

/// One run of the suite.
struct Run {
    wall: Duration,
    /// Peak resident memory in KiB, where the system tells.
    memory: Option<u64>,
    /// Verdict by case.
    verdicts: BTreeMap<String, String>,
}

fn main() {
    // Cargo adds flags of its own, such as `--bench`.
    let runs = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(RUNS).max(1);
    let runs: Vec<Run> = (0..runs).map(|_| run()).collect();

    let mut walls: Vec<Duration> = runs.iter().map(|run| run.wall).collect();
    walls.sort_unstable();
    let (least, middle, most) = (walls[0], walls[walls.len() / 2], walls[walls.len() - 1]);
    let peak = runs.iter().filter_map(|run| run.memory).max();
    println!("A2A 1.0 over JSON-RPC, {} cases, {} runs", runs[0].verdicts.len(), runs.len());
    println!("wall time    min {least:.2?}, median {middle:.2?}, max {most:.2?} (at most {MOST_TIME:.0?})");
    match peak {
        Some(peak) => println!("peak memory  {} MiB (at most {} MiB)", peak >> 10, MOST_MEMORY >> 10),
        None => println!("peak memory  not known on this system"),
    }
    println!("verdicts     {}", tally(&runs[0].verdicts));

    let mut failed = false;
    for (number, run) in runs.iter().enumerate().skip(1) {
        for (case, verdict) in &run.verdicts {
            let before = runs[0].verdicts.get(case);
            if before != Some(verdict) {
                failed = true;
                println!("differs      run {}: {case} is {verdict}, it was {before:?}", number + 1);
            }
        }
        failed |= run.verdicts.len() != runs[0].verdicts.len();
    }
    println!("the same     {}", if failed { "no" } else { "yes, in every run" });
    failed |= most > MOST_TIME || peak.is_some_and(|peak| peak > MOST_MEMORY);
    std::process::exit(i32::from(failed));
}

/// Starts the program and watches it to its end.
fn run() -> Run {
    let began = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_a2aspec"))
        .args(["check", "--profile", "1.0", "--binding", "jsonrpc", "--report", "json"])
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
    let verdicts = results.iter().map(|result| (text(result, "case"), text(result, "verdict"))).collect();
    Run { wall, memory, verdicts }
}

/// Waits for the program to end, and keeps the last peak of memory that it showed.
fn watch(child: &mut Child) -> Option<u64> {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = None;
    loop {
        let shown = std::fs::read_to_string(&status).ok();
        peak = shown.as_deref().and_then(peak_in).max(peak);
        if child.try_wait().expect("the program can be waited for").is_some() {
            return peak;
        }
        thread::sleep(LOOK);
    }
}

/// `VmHWM:     12345 kB` in the status of a process.
fn peak_in(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// How many cases came out how.
fn tally(verdicts: &BTreeMap<String, String>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for verdict in verdicts.values() {
        *counts.entry(verdict).or_default() += 1;
    }
    let parts: Vec<String> = counts.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
    parts.join(", ")
}
