//! What the fuzzer finds in real agents, held against `<agent>.fuzzed.yaml`, in which each cause was read by hand.
//!
//! Only the phase in which nothing is left to chance: each single change of each right request, as many as the number of requests
//! allows. Which of several places shows a cause first does depend on the order of the answers, where the place does not matter to
//! the cause: such causes name operations without places.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use serde::Deserialize;

use super::agent::Agent;
use super::expected;
use crate::common::deadline::run;

/// What is asked of the fuzzer: messages are no matter, and the number of requests ends it, not the time.
const BUDGET: [&str; 10] =
    ["--phase", "boundaries", "--requests", "8000", "--max-messages", "100000", "--time", "170", "--seed", "1"];
/// The least that must have been tried: of some agents there is less to be tried than the budget allows.
const LEAST: u64 = 2800;
/// How long it may take.
const LIMIT: Duration = Duration::from_secs(900);

/// A cause that was read by hand.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cause {
    /// What is wrong, as the report names it: `request-served`.
    kind: String,
    /// The requirements under which it may stand: the report chooses by how many results violate which. None: nothing demands it.
    requirements: Vec<String>,
    /// Whether it also shows where nothing demands anything.
    #[serde(default)]
    noted: bool,
    /// Where it shows: operations, or operations with a place in their parameters. Nothing where any answer may show it.
    #[serde(default)]
    at: Vec<String>,
    /// What the agent does, what the text says, why it is true.
    why: String,
}

/// The parts of the report that are compared.
#[derive(Deserialize)]
struct Report {
    fuzz: Hunt,
    problems: Vec<Problem>,
    results: Vec<Outcome>,
    requirements: Vec<Requirement>,
}

#[derive(Deserialize)]
struct Hunt {
    requests: u64,
    dead: Option<String>,
}

#[derive(Deserialize)]
struct Problem {
    kind: String,
    message: String,
    requirement: Option<usize>,
    evidence: Vec<Evidence>,
}

#[derive(Deserialize)]
struct Evidence {
    result: usize,
}

#[derive(Deserialize)]
struct Outcome {
    title: String,
    binding: String,
}

#[derive(Deserialize)]
struct Requirement {
    id: String,
}

impl Outcome {
    /// The operation, and the place if there is one.
    fn place(&self) -> (&str, &str) {
        let operation = self.title.split(':').next().unwrap_or_default();
        let place = self.title.rsplit_once(", at ").map_or("", |(_, place)| place);
        (operation, place)
    }
}

impl Cause {
    /// Whether it may stand under a requirement, or under none.
    fn stands_under(&self, requirement: Option<&String>) -> bool {
        match requirement {
            Some(id) => self.requirements.contains(id),
            None => self.noted || self.requirements.is_empty(),
        }
    }

    /// Whether it is known to show there.
    fn shows(&self, outcome: &Outcome) -> bool {
        let (operation, place) = outcome.place();
        let is_there = |known: &String| match known.split_once(' ') {
            Some(known) => known == (operation, place),
            None => known == operation,
        };
        self.at.is_empty() || self.at.iter().any(is_there)
    }
}

/// Fuzzes an agent. Some difference: what is found and not argued, or argued and not found.
pub fn difference(agent: &Agent, name: &str, folder: &Path, scratch: &Path) -> Result<Option<String>, String> {
    let path = folder.join(format!("{name}.fuzzed.yaml"));
    let file = path.display().to_string();
    let known: Vec<Cause> = expected::read(&path)?;
    if let Some(cause) = known.iter().find(|cause| cause.why.trim().is_empty()) {
        return Err(format!("{file}: {} is not argued", cause.kind));
    }
    let json = scratch.join("fuzzed.json");
    let mut command = crate::common::program::command::command(env!("CARGO_BIN_EXE_a2aspec"));
    command.args(["fuzz", agent.url()]).args(BUDGET).arg("--findings").arg(scratch.join("findings"));
    let done = run(command.arg("--report").arg(format!("json={}", json.display())).current_dir(scratch), LIMIT)?;
    if !matches!(done.code, Some(0 | 1)) {
        return Err(format!("a2aspec failed: {done}"));
    }
    let text = std::fs::read_to_string(&json).map_err(|error| format!("{}: {error}", json.display()))?;
    let report: Report = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", json.display()))?;
    if report.fuzz.dead.is_some() || report.fuzz.requests < LEAST {
        return Err(format!("the hunt ended early: {} requests, {:?}", report.fuzz.requests, report.fuzz.dead));
    }
    let difference = compared(&known, &report);
    Ok((!difference.is_empty()).then(|| format!("what the fuzzer finds differs from {file}\n{difference}")))
}

fn compared(known: &[Cause], report: &Report) -> String {
    let mut difference = String::new();
    let mut seen = vec![false; known.len()];
    for problem in &report.problems {
        let requirement = problem.requirement.and_then(|index| report.requirements.get(index)).map(|one| &one.id);
        // What nothing demands stands under a requirement of its own case.
        let requirement = requirement.filter(|id| !id.starts_with("own-"));
        for outcome in problem.evidence.iter().filter_map(|evidence| report.results.get(evidence.result)) {
            let is_known =
                |cause: &Cause| cause.kind == problem.kind && cause.stands_under(requirement) && cause.shows(outcome);
            match known.iter().position(is_known) {
                Some(index) => seen.iter_mut().skip(index).take(1).for_each(|seen| *seen = true),
                None => {
                    let (operation, place) = outcome.place();
                    let under = requirement.map_or("nothing", String::as_str);
                    let what = format!("{} under {under} over {}: {operation} {place}", problem.kind, outcome.binding);
                    let _ = writeln!(difference, "  found, and not argued: {what}\n    {}", problem.message);
                }
            }
        }
    }
    for (cause, _) in known.iter().zip(seen).filter(|(_, seen)| !seen) {
        let _ = writeln!(difference, "  argued, and not found: {} under {:?}", cause.kind, cause.requirements);
    }
    difference
}
