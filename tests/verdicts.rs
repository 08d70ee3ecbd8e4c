//! Verdicts rest on what was seen: agents with faults and legal variations that were drawn at random are checked, and each report is read
//! again by rules that are here alone. No result passes without an assertion that was decided, and no requirement without one that
//! decides it; none fails without a finding that names it.
//!
//! The draw is the same each time. `A2ASPEC_VERDICTS=100` draws a hundred other agents, and prints the seed; `A2ASPEC_VERDICTS_SEED`
//! draws those of a seed again.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::suite;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use a2a_reference_agent::{Capability, Config, Fault, Variation};
use a2aspec::Report;
use a2aspec::case::{CheckRef, Library};
use a2aspec::judge::oracle;
use a2aspec::profile::{self, Profile};
use a2aspec::report::model::RequirementResult;
use a2aspec::verdict::{TrialResult, Verdict};
use futures_util::StreamExt as _;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use suite::{Run, as_planned};

/// How many agents are checked.
const AGENTS: usize = 12;
/// How many of them at once.
const AT_ONCE: usize = 4;
/// The most faults of an agent.
const MOST_FAULTS: usize = 5;
/// The most of its ways that are legal and unusual.
const MOST_VARIATIONS: usize = 4;
/// How long the suite waits for an answer: some faults leave requests without one.
const TIMEOUT: Duration = Duration::from_secs(3);
/// How long the agent works on a slow task.
const SLOW: Duration = Duration::from_millis(1500);
/// The versions whose cards are apart, and that of the agent itself.
const PLACES: [Option<&str>; 7] =
    [None, Some("1.1-draft"), Some("1.0-draft"), Some("0.2.5"), Some("0.2.1"), Some("0.1"), Some("proposal")];

/// An agent that is wrong in several ways, and unusual in some.
#[derive(Debug, Clone)]
struct Drawn {
    at: Option<&'static str>,
    faults: Vec<&'static Fault>,
    variations: Vec<&'static Variation>,
    without: Vec<Capability>,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let faults: Vec<&'static Fault> = Fault::all().unwrap().iter().collect();
    let variations: Vec<&'static Variation> = Variation::all().unwrap().iter().collect();
    let without = prop::sample::subsequence(Capability::ALL.to_vec(), 0..=1);
    let variations = prop::sample::subsequence(variations, 0..=MOST_VARIATIONS);
    (prop::sample::select(PLACES.to_vec()), without, variations).prop_flat_map(move |(at, without, variations)| {
        let acting = faults.iter().copied().filter(|fault| fault.acts_in(at.unwrap_or("1.0")));
        let some = prop::sample::subsequence(acting.collect::<Vec<_>>(), 1..=MOST_FAULTS);
        some.prop_map(move |faults| Drawn { at, faults, variations: variations.clone(), without: without.clone() })
    })
}

/// How many agents are drawn, and by what.
fn draw() -> (usize, TestRunner) {
    let said = |name: &str| std::env::var(name).ok().map(|number| number.parse::<u64>().unwrap());
    let (count, seed) = (said("A2ASPEC_VERDICTS"), said("A2ASPEC_VERDICTS_SEED"));
    if count.or(seed).is_none() {
        return (AGENTS, TestRunner::deterministic());
    }
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("A2ASPEC_VERDICTS_SEED={seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let bytes = [(); 32].map(|()| random.u8(..));
    let runner = TestRunner::new_with_rng(Default::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    (count.map_or(AGENTS, |count| usize::try_from(count).unwrap()), runner)
}

#[tokio::test(flavor = "multi_thread")]
async fn verdicts_rest_on_what_was_seen() {
    let profiles = profile::bundled().unwrap();
    let known: Vec<&Profile> = profiles.iter().map(AsRef::as_ref).collect();
    let library = Arc::new(Library::load(None, &known, &oracle::all()).unwrap());
    let (count, mut runner) = draw();
    let agents: Vec<Drawn> = (0..count).map(|_| drawn().new_tree(&mut runner).unwrap().current()).collect();
    let http = suite::http(TIMEOUT);
    let (library, profiles, http) = (&library, &profiles, &http);
    let reports = futures_util::stream::iter(&agents).map(|agent| async move {
        let config = Config {
            faults: agent.faults.clone(),
            variations: agent.variations.clone(),
            slow: SLOW,
            without: agent.without.iter().copied().collect(),
            ..Config::default()
        };
        let run = Run {
            library,
            profiles,
            selection: &Default::default(),
            config,
            is_public: false,
            at: agent.at,
            of_interest: &|_| true,
            is_worth: &|_| true,
            see: &|_| {},
            http,
            jobs: 8,
            arrange: &as_planned,
        };
        (agent, run.report().await)
    });
    let reports: Vec<_> = reports.buffer_unordered(AT_ONCE).collect().await;
    let (mut wrong, mut passed, mut failed) = (Vec::new(), 0, 0);
    for (agent, report) in &reports {
        // A fault may leave no card to begin with.
        let Ok(Some(report)) = report else { continue };
        passed += report.requirements.iter().filter(|entry| entry.verdict == Verdict::Pass).count();
        failed += report.requirements.iter().filter(|entry| is_bad(entry.verdict)).count();
        let faults = agent.faults.iter().map(|fault| fault.id.as_str());
        let ids: Vec<&str> = faults.chain(agent.variations.iter().map(|variation| variation.id.as_str())).collect();
        let at = agent.at.unwrap_or("itself");
        wrong.extend(mistakes(report).into_iter().map(|mistake| format!("{mistake} (at {at}: {})", ids.join(", "))));
    }
    assert!(
        passed > 1000 && failed > AGENTS,
        "{passed} requirements passed, {failed} failed: too few to show anything"
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // The same reports without what they rest on are not taken.
    for (_, report) in reports.into_iter().filter_map(|(agent, report)| Some((agent, report.ok()??))) {
        assert!(!mistakes(&spoiled(&report, |result| result.held.clear())).is_empty(), "nothing was held");
        if report.requirements.iter().any(|entry| is_bad(entry.verdict)) {
            assert!(!mistakes(&spoiled(&report, |result| result.violated.clear())).is_empty(), "nothing was violated");
            let mut alike = report.clone();
            alike.problems.extend(report.problems.first().cloned());
            assert!(mistakes(&alike).iter().any(|mistake| mistake.contains("the same headline")), "two were alike");
            assert!(!mistakes(&Report { problems: Vec::new(), ..report }).is_empty(), "there were no problems");
        }
    }
}

/// A report whose results were changed.
fn spoiled(report: &Report, change: fn(&mut TrialResult)) -> Report {
    let mut spoiled = report.clone();
    spoiled.results.iter_mut().for_each(change);
    spoiled
}

fn is_bad(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Fail | Verdict::Warn | Verdict::Note)
}

/// What of a report rests on nothing, or cannot be told apart.
fn mistakes(report: &Report) -> Vec<String> {
    let mut headlines = BTreeSet::new();
    let alike = report.problems.iter().filter(|problem| !headlines.insert(problem.message.as_str()));
    let mut wrong: Vec<String> =
        alike.map(|problem| format!("two problems have the same headline: {}", problem.message)).collect();
    for result in &report.results {
        let place = format!("{} over {} in {}", result.case, result.binding, result.profile);
        wrong.extend(mistakes_of(result).into_iter().map(|mistake| format!("{place} {mistake}")));
    }
    for (index, requirement) in report.requirements.iter().enumerate() {
        let decides =
            |result: &&TrialResult| result.profile == requirement.profile && requirement.cases.contains(&result.case);
        let results: Vec<&TrialResult> = report.results.iter().filter(decides).collect();
        match requirement.verdict {
            Verdict::Pass if !results.iter().any(|result| is_shown_by(requirement, result)) => {
                wrong.push(format!("{} in {} passes, and nothing shows it", requirement.id, requirement.profile));
            }
            verdict if is_bad(verdict) && !results.iter().any(|result| is_broken_by(requirement, result)) => {
                wrong.push(format!("{} in {} fails, and nothing violates it", requirement.id, requirement.profile));
            }
            verdict if is_bad(verdict) => {
                let names = |requirements: (Option<usize>, &BTreeSet<usize>)| {
                    requirements.0 == Some(index) || requirements.1.contains(&index)
                };
                if !report.problems.iter().any(|problem| names((problem.requirement, &problem.other_requirements))) {
                    wrong.push(format!("{} in {} fails, and no problem names it", requirement.id, requirement.profile));
                }
            }
            _ => {}
        }
    }
    wrong
}

/// What of a result contradicts itself.
fn mistakes_of(result: &TrialResult) -> Vec<String> {
    let mut wrong = Vec::new();
    if result.verdict == Verdict::Pass && result.held.is_empty() {
        wrong.push("passes, and no assertion was decided".to_owned());
    }
    if let Some(both) = result.held.iter().find(|held| result.violated.contains(held)) {
        wrong.push(format!("holds and violates {both}"));
    }
    if is_bad(result.verdict) {
        if result.findings.is_empty() {
            wrong.push("fails without a finding".to_owned());
        }
        if result.violated.is_empty() {
            wrong.push("fails, and violates no assertion".to_owned());
        }
    }
    wrong
}

/// Whether a result was reached, and one of the assertions that decide the requirement held there.
fn is_shown_by(requirement: &RequirementResult, result: &TrialResult) -> bool {
    let is_reached = result.verdict == Verdict::Pass || result.verdict == Verdict::Flaky || is_bad(result.verdict);
    is_reached && checks_of(requirement, result).any(|check| result.held.iter().any(|held| covers(check, held)))
}

/// Whether a result has a finding, and violates one of the assertions that decide the requirement.
fn is_broken_by(requirement: &RequirementResult, result: &TrialResult) -> bool {
    is_bad(result.verdict)
        && !result.findings.is_empty()
        && checks_of(requirement, result)
            .any(|check| result.violated.iter().any(|violated| check.is_violated_by(&result.case, violated)))
}

fn checks_of<'a>(requirement: &'a RequirementResult, result: &'a TrialResult) -> impl Iterator<Item = &'a CheckRef> {
    requirement.checks.iter().filter(|check| check.case == result.case)
}

/// Whether an assertion is the one that is named, or below it: `*` stands for any segment, `$` at the end leaves out what is below.
fn covers(check: &CheckRef, assertion: &str) -> bool {
    let Some(pattern) = &check.assertion else { return true };
    let (pattern, is_exact) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern, true),
        None => (pattern.as_str(), false),
    };
    let segments = |name: &str| name.split(['/', ':', '.']).map(str::to_owned).collect::<Vec<_>>();
    let (wanted, found) = (segments(pattern), segments(assertion));
    let is_long_enough = if is_exact { found.len() == wanted.len() } else { found.len() >= wanted.len() };
    is_long_enough && wanted.iter().zip(&found).all(|(wanted, found)| wanted == "*" || wanted == found)
}
