//! The suite against real agents: agents of ours on published SDKs, which share neither code nor readings with this
//! project. Every finding against them was read by hand against the specification, and is recorded with its argument
//! in `tests/real/<agent>.expected.yaml`. One finding too many or too few fails.
//!
//! `tests/real/README.md` tells how to run this, how to settle a difference, and how to add an agent.

// Helpers of tests fail like tests.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "real/agent.rs"]
mod agent;
use crate::common::deadline;
#[path = "real/difference.rs"]
mod difference;
#[path = "real/expected.rs"]
mod expected;
#[path = "real/fuzzed.rs"]
mod fuzzed;
use crate::common::program;
use crate::common::rerun as lines;
#[path = "real/report.rs"]
mod report;
#[path = "real/rerun.rs"]
mod rerun;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use libtest_mimic::{Completion, Failed, Trial};

use agent::{Agent, Language, USERS};
use deadline::run;
use expected::Expected;
use report::Report;

/// The files of the agents that are checked, each named in its own expectations.
const EXPECTATIONS: [&str; 12] = [
    "python-1.0.expected.yaml",
    "python-1.0-secured.expected.yaml",
    "python-0.3.expected.yaml",
    "python-0.3-secured.expected.yaml",
    "python-0.2.5.expected.yaml",
    "python-0.1.expected.yaml",
    "rust-1.0.expected.yaml",
    "rust-1.0-secured.expected.yaml",
    "javascript-0.3.expected.yaml",
    "javascript-0.3-secured.expected.yaml",
    "javascript-1.0.expected.yaml",
    "javascript-1.0-secured.expected.yaml",
];

/// The same of agents on frameworks that share no code with the official SDKs. They are not fuzzed: what the fuzzer would find is
/// what these files tell already, mostly that nothing is checked.
const STRANGERS: [&str; 5] = [
    "strangers/a2akit-0.3.expected.yaml",
    "strangers/fasta2a-1.0.expected.yaml",
    "strangers/protocol-server-1.0.expected.yaml",
    "strangers/voltagent-0.2.5.expected.yaml",
    "strangers/mastra-0.3.expected.yaml",
];

/// What the names of those files end in; before it stands the name of the agent.
const SUFFIX: &str = ".expected.yaml";

/// What is checked of an agent with users and webhooks: what is about these, and what its card says of them.
const OF_USERS: [&str; 5] = ["security", "push", "capabilities", "*extended-card*", "card/valid"];

/// How long the agents in one language may take to be made, which is once on a machine.
const SETUP: Duration = Duration::from_secs(1_800);

/// How long one run of the suite may take: many times what it does take.
const CHECK: Duration = Duration::from_secs(600);

/// Exit code by which the set-up says that the agents cannot be had here.
const CANNOT_BE_HAD: i32 = 77;

/// A check of each agent, and a hunt on most.
pub fn trials() -> impl Iterator<Item = Trial> {
    let checked = EXPECTATIONS.into_iter().chain(STRANGERS);
    let checked = checked.map(|file| Trial::ignorable_test(format!("real/{}", name(file)), || check(file)));
    // One with users is the same agent.
    let fuzzed = EXPECTATIONS.into_iter().filter(|file| !name(file).ends_with("-secured"));
    checked.chain(fuzzed.map(|file| Trial::ignorable_test(format!("real/fuzzed-{}", name(file)), || fuzz(file))))
}

/// An agent that is there to be asked.
struct Begun {
    expected: Expected,
    agent: Agent,
    /// A folder for what is written meanwhile.
    scratch: PathBuf,
    log: PathBuf,
}

/// Starts the agent of these expectations, for a trial of this name; or says why it cannot be had here.
fn begin(file: &str, trial: &str) -> Result<Result<Begun, String>, Failed> {
    let folder = folder();
    let expected = Expected::read(&folder.join(file))?;
    if let Some(reason) = made(&expected)? {
        eprintln!("{reason}");
        return Ok(Err(reason));
    }
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("real-{}", trial.replace('/', "-")));
    let _ = std::fs::remove_dir_all(&scratch);
    std::fs::create_dir_all(&scratch)?;
    let log = scratch.join("agent.log");
    let agent = Agent::start(&folder, &expected, &log)
        .map_err(|error| format!("{error}; what it logged is in {}", log.display()))?;
    Ok(Ok(Begun { expected, agent, scratch, log }))
}

/// Checks one agent and compares what the suite says with what was read by hand.
fn check(file: &str) -> Result<Completion, Failed> {
    let Begun { expected, agent, scratch, log } = match begin(file, name(file))? {
        Ok(begun) => begun,
        Err(reason) => return Ok(Completion::ignored_with(reason)),
    };
    let report = report_on(&agent, &expected, &origins_of(&agent, &expected)?, &scratch)?;
    let agent = if expected.afresh { agent.again(&folder(), &expected, &scratch.join("again.log"))? } else { agent };
    let lines = rerun::that_fail(&expected, &report, agent.url(), &origins_of(&agent, &expected)?)?;
    drop(agent);
    let difference = difference::between(&expected, &report);
    match (difference.is_some() || lines.is_some()).then(|| difference.into_iter().chain(lines).collect::<String>()) {
        None => Ok(Completion::Completed),
        Some(difference) => {
            let Expected { agent, sdk, .. } = &expected;
            let log = log.display();
            Err(format!(
                "the report on {agent} ({sdk}) differs from tests/real/{file}\n{difference}The agent's log is in {log}\n"
            )
            .into())
        }
    }
}

/// Fuzzes one agent and compares what is found with what was read by hand.
fn fuzz(file: &str) -> Result<Completion, Failed> {
    let Begun { agent, scratch, log, .. } = match begin(file, &format!("fuzzed-{}", name(file)))? {
        Ok(begun) => begun,
        Err(reason) => return Ok(Completion::ignored_with(reason)),
    };
    match fuzzed::difference(&agent, name(file), &folder(), &scratch)? {
        None => Ok(Completion::Completed),
        Some(difference) => Err(format!("{difference}The agent's log is in {}\n", log.display()).into()),
    }
}

/// The origins beside its own to which credentials may go.
fn origins_of(agent: &Agent, expected: &Expected) -> Result<Vec<String>, String> {
    if expected.secured { rerun::other_origins(agent.url()) } else { Ok(Vec::new()) }
}

/// The name of an agent, from that of its expectations.
fn name(file: &str) -> &str {
    file.trim_end_matches(SUFFIX)
}

/// Makes an agent and those that come with it, once for all trials. Some reason: why they cannot be had here.
fn made(expected: &Expected) -> Result<Option<String>, String> {
    type Made = Arc<OnceLock<Result<Option<String>, String>>>;
    static MADE: Mutex<BTreeMap<PathBuf, Made>> = Mutex::new(BTreeMap::new());
    let script = Language::set_up(expected);
    let made = Arc::clone(MADE.lock().map_err(|error| error.to_string())?.entry(script.clone()).or_default());
    let make = || {
        let done = run(Command::new("sh").arg(&script).current_dir(folder()), SETUP)?;
        match done.code {
            Some(0) => Ok(None),
            Some(CANNOT_BE_HAD) => Ok(Some(done.stdout.trim().to_owned())),
            // A mistake in the set-up itself, which must not look like a machine without what it needs.
            _ => Err(format!("{} failed: {done}", script.display())),
        }
    };
    made.get_or_init(make).clone()
}

/// Runs the suite against the agent as its user would, who leaves it to the suite which version the agent speaks.
fn report_on(agent: &Agent, expected: &Expected, origins: &[String], scratch: &Path) -> Result<Report, Failed> {
    let file = scratch.join("report.json");
    let mut command = program::command::command(env!("CARGO_BIN_EXE_a2aspec"));
    command
        .args(["check", agent.url(), "--fail-on", "never", "--report"])
        .arg(format!("json={}", file.display()))
        // Away from any a2aspec.toml of the project's.
        .current_dir(scratch);
    if let Some(card) = expected.card_at(agent.url()) {
        command.args(["--card", &card]);
    }
    if expected.secured {
        command.args(OF_USERS.iter().flat_map(|what| ["--only", what]));
        for ((name, token), flag) in USERS.into_iter().zip(["--as", "--other"]) {
            let variable = format!("A2ASPEC_TEST_{}", name.to_uppercase());
            let identity = match expected.api_key {
                true => format!("{name}={}: env:{variable}", expected.credentials(token).0),
                false => format!("{name}=bearer:env:{variable}"),
            };
            command.args([flag, name, "--identity", &identity]).env(variable, token);
        }
        // Credentials go to the origin of the agent alone, and gRPC has a port of its own.
        command.args(origins.iter().flat_map(|origin| ["--allow-origin", origin]));
    }
    let done = run(&mut command, CHECK)?;
    match done.code {
        Some(0) => Ok(Report::read(&file)?),
        _ => Err(format!("a2aspec failed: {done}").into()),
    }
}

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real")
}
