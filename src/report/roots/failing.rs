//! An agent that never answers with an error of the protocol: where it fails at every task that is not there or has ended, what is
//! missing is the way from such an error to its code, and not a check in each operation.

use std::collections::{BTreeMap, BTreeSet};

use super::super::builder::key_of_result;
use super::Trials;
use crate::case::{Expect, Input, Outcome, Rule, Step};
use crate::finding::{Finding, Kind};
use crate::plan::Trial;
use crate::verdict::{TrialResult, Verdict};

/// The cause, by name.
const CAUSE: &str = "errors of the protocol are failures";

/// What one interface did with tasks that are not there or have ended.
#[derive(Default)]
struct Refusals {
    /// Of what was read where it failed.
    failed: BTreeSet<String>,
    /// Whether it ever refused one.
    refused: bool,
}

pub(super) fn trace(trials: &Trials<'_>, results: &mut [TrialResult]) {
    let mut known: BTreeMap<(String, String), Refusals> = BTreeMap::new();
    for result in results.iter() {
        let Some(trial) = trials.get(&key_of_result(result)) else { continue };
        let known = known.entry((result.profile.clone(), result.binding.clone())).or_default();
        for input in about_tasks(trial) {
            match result.verdict {
                Verdict::Pass => known.refused = true,
                verdict if verdict.is_violation() && result.findings.iter().any(fails_in_the_protocol) => {
                    known.failed.insert(input.of);
                }
                _ => {}
            }
        }
    }
    for result in results.iter_mut() {
        let here = known.get(&(result.profile.clone(), result.binding.clone()));
        // One operation alone may have a fault of its own.
        if here.is_some_and(|here| !here.refused && here.failed.len() > 1) {
            for finding in result.findings.iter_mut().filter(|finding| fails_in_the_protocol(finding)) {
                finding.cause = Some(Finding::fingerprint_of(CAUSE));
            }
        }
    }
}

/// The inputs of a trial that are right but for the task that they name.
fn about_tasks(trial: &Trial) -> Vec<Input> {
    let names_a_task = |input: &Input| {
        input.rule == Rule::Other && ["of no task", "of a task"].iter().any(|end| input.text.ends_with(end))
    };
    let is_asked = |step: &&&Step| step.expect.as_ref().is_some_and(wants_an_error);
    let steps = trial.case.all_steps();
    steps.iter().filter(is_asked).map(|step| trial.input(step)).filter(names_a_task).collect()
}

/// Whether nothing but an error that is no failure is right.
fn wants_an_error(expect: &Expect) -> bool {
    let is_failure = |outcome: &Outcome| matches!(outcome, Outcome::Error(name) if name == "InternalError");
    !expect.allows_result() && expect.outcome.iter().any(Outcome::is_error) && !expect.outcome.iter().any(is_failure)
}

/// Whether an agent fails at what is well formed, by an error of the binding.
fn fails_in_the_protocol(finding: &Finding) -> bool {
    let is_malformed = finding.input.as_deref().is_none_or(|input| input.starts_with("malformed"));
    matches!(finding.kind, Kind::FailedInstead { .. }) && !finding.kind.is_no_answer() && !is_malformed
}
