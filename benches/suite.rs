//! How long the suite takes, of all versions at once, with everything on that one run can have, of A2A 1.0 over JSON-RPC alone, and of each version over what it has,
//! how much memory it needs, and whether it says the same each time: `cargo bench --bench suite [-- RUNS]`.
//!
//! Each run is the program itself, started anew, checking the reference agent that it carries.

// Without a word to print there is no bench: it may fail as a test may.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "common/run.rs"]
mod run;

use std::collections::BTreeMap;
use std::time::Duration;

use run::{Run, run};

/// Runs, unless the command line says how many.
const RUNS: usize = 10;
/// What is measured.
const SUITES: [Suite; 10] = [
    Suite { flags: &[], most_time: Duration::from_secs(15), most_memory: 200 << 10 },
    // The agent that is checked by itself always has two users, tokens that it refuses, several schemes, signatures and webhooks.
    // What one run leaves out are tenants, which have interfaces of their own, and TLS before the agent.
    Suite {
        flags: &["--require-extension", "--webhook-tls"],
        most_time: Duration::from_secs(12),
        most_memory: 400 << 10,
    },
    Suite::over_three(&["--profile", "1.0"]),
    Suite::over_one(&["--profile", "1.0", "--binding", "jsonrpc"]),
    Suite::over_three(&["--profile", "1.0-draft"]),
    Suite::over_three(&["--profile", "0.3"]),
    Suite::over_one(&["--profile", "0.2.5"]),
    Suite::over_one(&["--profile", "0.2.1"]),
    Suite::over_one(&["--profile", "0.1"]),
    Suite::over_one(&["--profile", "proposal"]),
];

/// A selection of the suite, with what a run of it may take at most on two cores.
struct Suite {
    /// What selects; nothing for all versions.
    flags: &'static [&'static str],
    most_time: Duration,
    /// In KiB.
    most_memory: u64,
}

impl Suite {
    /// Of a version, over three bindings.
    const fn over_three(flags: &'static [&'static str]) -> Self {
        Self { flags, most_time: Duration::from_secs(5), most_memory: 200 << 10 }
    }

    /// Of a version, over one binding.
    const fn over_one(flags: &'static [&'static str]) -> Self {
        Self { flags, most_time: Duration::from_secs(2), most_memory: 100 << 10 }
    }
}

fn main() {
    // Cargo adds flags of its own, such as `--bench`.
    let runs = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(RUNS).max(1);
    let failed = SUITES.map(|suite| fails(&suite, runs)).contains(&true);
    std::process::exit(i32::from(failed));
}

/// Runs a suite so often, prints what came of it, and says whether it takes too much or differs from run to run.
fn fails(suite: &Suite, runs: usize) -> bool {
    let runs: Vec<Run> = (0..runs).map(|_| run(suite.flags)).collect();
    let mut walls: Vec<Duration> = runs.iter().map(|run| run.wall).collect();
    walls.sort_unstable();
    let (least, middle, most) = (walls[0], walls[walls.len() / 2], walls[walls.len() - 1]);
    let peak = runs.iter().filter_map(|run| run.memory).max();
    let flags: String = suite.flags.iter().map(|flag| format!(" {flag}")).collect();
    println!("a2aspec check --self{flags}: {} results, {} runs", runs[0].verdicts.len(), runs.len());
    println!("wall time    min {least:.2?}, median {middle:.2?}, max {most:.2?} (at most {:.0?})", suite.most_time);
    match peak {
        Some(peak) => println!("peak memory  {} MiB (at most {} MiB)", peak >> 10, suite.most_memory >> 10),
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
    failed || most > suite.most_time || peak.is_some_and(|peak| peak > suite.most_memory)
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
