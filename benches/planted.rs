//! What the fuzzer finds of ten planted faults, how soon, and in how many words: `cargo bench --bench planted [-- SEEDS|FIRST-LAST]
//! [PROFILE...]`.
//!
//! Each fault is hunted for 30 seconds by each seed, and for three minutes where it was not found then. It counts as found where a
//! finding names the operation and what is wrong with it; every other finding of the same hunt tells the same cause once more, since
//! nothing else is wrong with the agent. Those are counted with the first few seeds; with the others the first finding that is more
//! than a note ends the hunt.
//! To be reached: 8 of 10 within 30 seconds and all within three minutes, by 19 of 20 seeds, and 1.2 findings for each cause.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::ops::RangeInclusive;
use std::process::{Command, Stdio};

use serde_json::Value;

/// The last seed unless the command line says it.
const SEEDS: u64 = 20;
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
}

fn main() {
    // Cargo adds flags of its own, such as `--bench`.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let seeds = words.iter().find_map(|word| seeds(word)).unwrap_or(1..=SEEDS);
    let profiles: Vec<&str> = words.iter().map(String::as_str).filter(|word| self::seeds(word).is_none()).collect();
    println!("{:>4}  {:<28} {:>8} {:>8} {:>9}", "seed", "fault", "found", "reports", "requests");
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
            println!("{seed:>4}  {:<28} {found:>8} {:>8} {:>9}", planted.fault, hunt.told.len(), hunt.requests);
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
    let folder = std::env::temp_dir().join(format!("a2aspec-planted-{}", std::process::id()));
    let mut command = Command::new(env!("CARGO_BIN_EXE_a2aspec"));
    command.args(["fuzz", "--report", "json", "--fault", &format!("planted/{}", planted.fault)]);
    command.args(["--seed", &seed.to_string(), "--time", &seconds.to_string()]);
    if !is_whole {
        command.args(["--fail-fast", "--fail-on", "should"]);
    }
    command.args(profiles.iter().flat_map(|profile| ["--profile", profile])).arg("--findings").arg(&folder);
    // Whatever settings lie about where the bench is started are not its own.
    let output = command.current_dir(std::env::temp_dir()).stdin(Stdio::null()).output().expect("the program starts");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("it reports nothing ({error}; {}): {}", output.status, String::from_utf8_lossy(&output.stderr))
    });
    let _gone = std::fs::remove_dir_all(folder);
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let problems = list(&report["problems"]).into_iter().map(|problem| {
        let shown = problem["evidence"][0]["result"].as_u64().and_then(|index| usize::try_from(index).ok());
        let title = shown.map(|index| text(&report["results"][index]["title"])).unwrap_or_default();
        format!("{title}: {}", text(&problem["message"]))
    });
    let growth = list(&report["fuzz"]["growth"]).into_iter();
    let grows = growth.map(|growth| format!("{}: {}", text(&growth["operation"]), text(&growth["what"])));
    let told: Vec<String> = problems.chain(grows).collect();
    let knows = |line: &String| {
        let operation = line.split(':').next().unwrap_or_default();
        let is_there = planted.operations.is_empty() || planted.operations.contains(&operation);
        is_there && planted.words.iter().any(|word| line.contains(word))
    };
    Hunt {
        is_found: told.iter().any(knows),
        told,
        requests: report["fuzz"]["requests"].as_u64().unwrap_or_default(),
        seconds: report["fuzz"]["duration_ms"].as_f64().unwrap_or_default() / 1000.0,
    }
}
