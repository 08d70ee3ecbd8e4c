//! What a run costs on an agent that holds tasks already, against one that holds none: `cargo bench --bench stored [-- RUNS]`.
//!
//! The agent is the reference agent, in this process; the runs are the program itself, each started anew. The bench fails where
//! the largest stock makes a run take [`MOST_GROWTH`] times as long as none, or changes a verdict that it has no reason to.

// Without a word to print there is no bench: it may fail as a test may.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "common/run.rs"]
mod run;

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use a2a_reference_agent::{Config, RunningAgent};
use common::stock::stock;
use run::{Run, run};
use tokio::runtime::Runtime;

/// Runs of each kind, unless the command line says how many.
const RUNS: usize = 3;
/// Tasks that the agent holds before the run.
const STOCKS: [usize; 3] = [0, 1_000, 100_000];
/// The versions that are checked: each has lists of its own kind.
const PROFILES: [&str; 3] = ["1.0", "1.0-draft", "0.3"];
/// How many times as long a run may take.
const MOST_GROWTH: f64 = 1.5;
/// What may be passed with no task and unreached with many: in 0.3 a list has every task, in one answer.
const MAY_BE_TOO_LARGE: &str = "0.3 http-json http-json/list-is-array";

fn main() {
    // Cargo adds flags of its own, such as `--bench`.
    let runs = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(RUNS).max(1);
    let runtime = Runtime::new().expect("the runtime starts");
    println!("profile    stored tasks  median wall  times  peak memory  verdicts");
    let mut failed = false;
    for profile in PROFILES {
        let mut first: Option<(Duration, Run)> = None;
        for tasks in STOCKS {
            let mut all: Vec<Run> = (0..runs).map(|_| run_stocked(&runtime, profile, tasks)).collect();
            all.sort_by_key(|run| run.wall);
            let peak =
                all.iter().filter_map(|run| run.memory).max().map_or("?".to_owned(), |peak| (peak >> 10).to_string());
            let last = all.swap_remove(runs / 2);
            let (none, with_none) = first.get_or_insert_with(|| (last.wall, last.clone()));
            let growth = last.wall.as_secs_f64() / none.as_secs_f64();
            let changed = changed(with_none, &last);
            println!(
                "{profile:<10} {tasks:>12}  {:>11.2?}  {growth:>5.2}  {peak:>7} MiB  {}",
                last.wall,
                if changed.is_empty() { "the same".to_owned() } else { changed.join(", ") }
            );
            let is_excused = changed.iter().all(|case| case == MAY_BE_TOO_LARGE);
            failed |= growth > MOST_GROWTH || !is_excused;
        }
    }
    std::process::exit(i32::from(failed));
}

/// A run against an agent of its own that holds so many tasks.
fn run_stocked(runtime: &Runtime, profile: &str, tasks: usize) -> Run {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let agent = runtime.block_on(a2a_reference_agent::start(Config::default(), address)).expect("the agent starts");
    let began = Instant::now();
    runtime.block_on(stock(&format!("{}/1.0", agent.url()), tasks));
    if tasks > 0 {
        eprintln!("({tasks} tasks made in {:.1?})", began.elapsed());
    }
    let ran = run(&[&base(&agent, profile), "--profile", profile]);
    runtime.block_on(agent.stop());
    ran
}

fn base(agent: &RunningAgent, profile: &str) -> String {
    let bases = agent.bases();
    bases.into_iter().find(|(name, _)| *name == profile).expect("the agent speaks it").1
}

/// The cases that came out otherwise.
fn changed(before: &Run, after: &Run) -> Vec<String> {
    let names: BTreeSet<&String> = before.verdicts.keys().chain(after.verdicts.keys()).collect();
    let differs = |name: &&&String| before.verdicts.get(**name) != after.verdicts.get(**name);
    names.iter().filter(differs).map(|name| (*name).clone()).collect()
}
