//! What the fuzzer finds of ten planted faults, how soon, and in how many words: `cargo bench --bench planted [-- SEEDS|FIRST-LAST]
//! [PROFILE...]`.
//!
//! Each fault is hunted for 30 seconds by each seed, and for three minutes where it was not found then. It counts as found where a
//! finding names the operation and what is wrong with it; every other finding of the same hunt tells the same cause once more, since
//! nothing else is wrong with the agent. Those are counted with the first few seeds; with the others the first finding ends the
//! hunt.
//! To be reached: 8 of 10 within 30 seconds and all within three minutes, by 19 of 20 seeds, and 1.2 findings for each cause.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "common/block_on.rs"]
mod block_on;

use std::net::Ipv4Addr;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};

use a2a_reference_agent::{Config, Fault};
use a2aspec::Suite;
use a2aspec::fuzz::Budget;
use a2aspec::suite::library;
use a2aspec::verdict::Level;
use block_on::block_on;

/// The last seed unless the command line says it.
const SEEDS: u64 = 20;
/// How many requests are in flight.
const JOBS: usize = 8;
/// Seconds.
const SOON: u64 = 30;
const LATE: u64 = 180;
/// With so many seeds hunts last their whole time, so that what is told more than once is.
const WHOLE: u64 = 2;
/// What is to be reached.
const FOUND_SOON: usize = 8;
const LEAST_SEEDS: f64 = 0.95;
const MOST_REPORTS: f64 = 1.2;

/// A fault, with the operations at which it shows and the words of a finding that knows it; any of each.
struct Planted {
    fault: &'static str,
    operations: &'static [&'static str],
    words: &'static [&'static str],
}

const PLANTED: [Planted; 10] = [
    Planted { fault: "largest-length", operations: &["GetTask"], words: &["InternalError", "INTERNAL", "HTTP 500"] },
    Planted {
        fault: "one-in-thirteen",
        operations: &["GetTask", "ListTasks", "CancelTask", "SendMessage"],
        words: &["contextId", "context_id"],
    },
    Planted {
        fault: "read-after-delete",
        operations: &["GetTaskPushNotificationConfig"],
        words: &["serves a request that it must refuse"],
    },
    Planted {
        fault: "silent-at-a-number",
        operations: &["GetTask", "ListTasks", "CancelTask"],
        words: &["unanswered"],
    },
    Planted { fault: "one-in-a-hundred-thousand", operations: &[], words: &["HTTP 500"] },
    Planted { fault: "leak", operations: &["GetTask"], words: &["the memory of the agent grows"] },
    Planted { fault: "crash", operations: &[], words: &["unanswered", "closes the connection"] },
    Planted {
        fault: "lost-update",
        operations: &["GetTask", "CancelTask", "SendMessage", "ListTasks", "SubscribeToTask"],
        words: &["terminal"],
    },
    Planted { fault: "unreadable-elsewhere", operations: &["GetTask", "ListTasks"], words: &["InternalError"] },
    Planted { fault: "endless-after-leaving", operations: &["SubscribeToTask"], words: &["does not end"] },
];

/// What came of one hunt.
struct Hunt {
    is_found: bool,
    /// What was told, a line each.
    told: Vec<String>,
    requests: u64,
    /// How long requests were made.
    seconds: f64,
    /// How long it took, from the card to the report.
    whole: Duration,
}

fn main() {
    // Cargo adds flags of its own, such as `--bench`.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let seeds = words.iter().find_map(|word| seeds(word)).unwrap_or(1..=SEEDS);
    let profiles: Vec<&str> = words.iter().map(String::as_str).filter(|word| self::seeds(word).is_none()).collect();
    println!("{:>4}  {:<28} {:>8} {:>8} {:>8} {:>9}", "seed", "fault", "found", "in all", "reports", "requests");
    let (mut right_seeds, mut causes, mut reports) = (0_u64, 0_u32, 0_usize);
    for seed in seeds.clone() {
        let (mut soon, mut late) = (0, 0);
        for planted in &PLANTED {
            let is_whole = seed <= WHOLE;
            let mut hunt = hunt(planted, seed, SOON, (is_whole, &profiles));
            // What ended it may have been another word for the same cause.
            if !hunt.is_found && !hunt.told.is_empty() {
                hunt = self::hunt(planted, seed, SOON, (true, &profiles));
            }
            soon += usize::from(hunt.is_found);
            if !hunt.is_found {
                hunt = self::hunt(planted, seed, LATE, (is_whole, &profiles));
            }
            late += usize::from(hunt.is_found);
            if is_whole && hunt.is_found {
                causes += 1;
                reports += hunt.told.len();
            }
            let found = if hunt.is_found { format!("{:.1} s", hunt.seconds) } else { "no".to_owned() };
            let (whole, reports) = (hunt.whole.as_secs_f64(), hunt.told.len());
            println!("{seed:>4}  {:<28} {found:>8} {whole:>6.1} s {reports:>8} {:>9}", planted.fault, hunt.requests);
            if hunt.told.len() > 1 || !hunt.is_found {
                hunt.told.iter().for_each(|line| println!("      {line}"));
            }
        }
        right_seeds += u64::from(soon >= FOUND_SOON && late == PLANTED.len());
        println!("{seed:>4}  {soon} of {} within {SOON} s, {late} within {LATE} s", PLANTED.len());
    }
    let tried = seeds.count();
    println!("{right_seeds} of {tried} seeds as they are to be");
    // Nothing was counted where none of the first seeds is among them.
    let a_cause = (causes > 0).then(|| reports as f64 / f64::from(causes));
    if let Some(a_cause) = a_cause {
        println!("{a_cause:.2} reports for each cause");
    }
    let is_right = right_seeds as f64 >= tried as f64 * LEAST_SEEDS && a_cause.is_none_or(|told| told <= MOST_REPORTS);
    std::process::exit(i32::from(!is_right));
}

/// `SEEDS` or `FIRST-LAST`.
fn seeds(word: &str) -> Option<RangeInclusive<u64>> {
    match word.split_once('-') {
        Some((first, last)) => Some(first.parse().ok()?..=last.parse().ok()?),
        None => Some(1..=word.parse().ok()?),
    }
}

/// Hunts the reference agent with one fault, for the whole time or until something is found.
fn hunt(planted: &Planted, seed: u64, seconds: u64, (is_whole, profiles): (bool, &[&str])) -> Hunt {
    let (agent, began) = (Faulty::start(planted.fault), Instant::now());
    let budget = Budget {
        // The agent is part of this process.
        pid: Some(std::process::id()),
        ends_at: (!is_whole).then_some(Level::May),
        jobs: JOBS,
        ..Budget::lasting(Duration::from_secs(seconds), seed)
    };
    let report = block_on(async {
        let suite = Suite::builder(&agent.url).profiles(profiles.iter().map(|profile| (*profile).to_owned()));
        let suite = agent.bases.iter().fold(suite, |suite, (profile, base)| suite.card_of(profile, base));
        let suite = suite.library(Arc::new(library(None).unwrap())).prepare().await.unwrap();
        suite.fuzz(&budget, |_| {}, |_| {}).await.unwrap().report
    });
    let fuzz = report.fuzz.as_ref().expect("it was a hunt");
    let problems = report.problems.iter().map(|problem| {
        let shown = problem.evidence.first().and_then(|shown| report.results.get(shown.result));
        format!("{}: {}", shown.map_or("", |result| result.title.as_str()), problem.message)
    });
    let grows = fuzz.growth.iter().map(|growth| format!("{}: {}", growth.operation, growth.what));
    let told: Vec<String> = problems.chain(grows).collect();
    let knows = |line: &String| {
        let operation = line.split(':').next().unwrap_or_default();
        let is_there = planted.operations.is_empty() || planted.operations.contains(&operation);
        is_there && planted.words.iter().any(|word| line.contains(word))
    };
    Hunt {
        is_found: told.iter().any(knows),
        told,
        requests: fuzz.requests,
        seconds: fuzz.duration_ms as f64 / 1000.0,
        whole: began.elapsed(),
    }
}

/// The reference agent with a fault, on a thread of its own until this is dropped.
struct Faulty {
    url: String,
    bases: Vec<(&'static str, String)>,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Faulty {
    fn start(fault: &str) -> Self {
        let faults = vec![Fault::find(&format!("planted/{fault}")).expect("the fault is known")];
        let config = Config { faults, ..Config::default() };
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let (tell, started) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            block_on(async {
                let address = (Ipv4Addr::LOCALHOST, 0).into();
                let agent = a2a_reference_agent::start(config, address).await.expect("the agent starts");
                tell.send((agent.url().to_owned(), agent.bases())).expect("somebody waits for it");
                let _ = stopped.await;
                agent.stop().await;
            });
        });
        let (url, bases) = started.recv().expect("the agent starts");
        Self { url, bases, stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Faulty {
    fn drop(&mut self) {
        drop(self.stop.take());
        let _ended = self.thread.take().map(std::thread::JoinHandle::join);
    }
}
