//! Inputs that nobody checks: where an interface serves every input of a kind that it must refuse, that it looks at none of them is one
//! cause. Where it refuses some, each that it serves is one of its own.

use std::collections::{BTreeMap, BTreeSet};

use super::super::builder::key_of_result;
use super::Trials;
use crate::case::{Expect, Input, Outcome, Rule};
use crate::finding::{AFTER_CHECKS, Finding, Kind};
use crate::plan::Trial;
use crate::profile::Operation;
use crate::verdict::{TrialResult, Verdict};

/// A group of checks that are missing together, by name, with the inputs that it is about.
type Group = (String, Box<dyn Fn(&Input) -> bool>);

/// What one interface was asked, and whether it looked at it.
#[derive(Default)]
struct Asked {
    /// By their text and the operation that was called.
    inputs: BTreeMap<(String, Option<Operation>), (Input, BTreeSet<bool>)>,
}

pub(super) fn trace(trials: &Trials<'_>, results: &mut [TrialResult]) {
    let mut asked: BTreeMap<(String, String), Asked> = BTreeMap::new();
    for result in results.iter() {
        let Some(trial) = trials.get(&key_of_result(result)) else { continue };
        for (input, is_checked) in looked_at(trial, result) {
            for over in [result.binding.as_str(), EVERYWHERE] {
                let asked = asked.entry((result.profile.clone(), over.to_owned())).or_default();
                let known = asked.inputs.entry((input.text.clone(), input.operation));
                known.or_insert_with(|| (input.clone(), BTreeSet::new())).1.insert(is_checked);
            }
        }
    }
    // What each input that is not checked is told as, over each interface.
    let mut told: BTreeMap<(String, String, String), String> = BTreeMap::new();
    for result in results.iter_mut() {
        let over = |over: &str| asked.get(&(result.profile.clone(), over.to_owned()));
        let (Some(here), Some(everywhere)) = (over(&result.binding), over(EVERYWHERE)) else { continue };
        let Some(trial) = trials.get(&key_of_result(result)) else { continue };
        let sent = inputs(trial);
        for finding in &mut result.findings {
            let Some(text) = finding.unchecked().map(str::to_owned) else { continue };
            let input = sent.iter().find(|input| input.text == text);
            finding.cause = input.and_then(|input| missing(input, here, everywhere));
            told.insert((result.profile.clone(), result.binding.clone(), text), finding.problem());
        }
    }
    // Two bindings disagree about an input that one of them does not check.
    for result in results.iter_mut().filter(|result| result.binding.contains('+')) {
        let Some(trial) = trials.get(&key_of_result(result)) else { continue };
        let inputs = inputs(trial);
        let of_side = |binding: &str| {
            inputs
                .iter()
                .find_map(|input| told.get(&(result.profile.clone(), binding.to_owned(), input.text.clone())).cloned())
        };
        let cause = result.binding.split('+').find_map(of_side);
        let disagrees = |finding: &&mut Finding| matches!(finding.kind, Kind::ServiceDisagrees { .. });
        result.findings.iter_mut().filter(disagrees).for_each(|finding| finding.cause.clone_from(&cause));
    }
}

/// What stands for all bindings of a version.
const EVERYWHERE: &str = "";

/// The fingerprint of the widest group of checks that are missing as a whole, and of which this is one.
fn missing(input: &Input, here: &Asked, everywhere: &Asked) -> Option<String> {
    // Over one binding there may be few kinds of malformed input, so that those that are left show little.
    if input.rule.is_of_parameters() && everywhere.checks_no_parameters() {
        return Some(Finding::fingerprint_of("no parameters are checked"));
    }
    if let Some((name, _)) = groups(input).into_iter().find(|(_, is_in)| here.are_unchecked(is_in)) {
        return Some(Finding::fingerprint_of(&name));
    }
    // A member is read by code that all bindings share.
    let member = input.member.as_ref()?;
    let is_of_member = |other: &Input| other.of == input.of && other.member.as_ref() == Some(member);
    everywhere.are_unchecked(&is_of_member).then(|| Finding::fingerprint_of(&format!("{member} of {}", input.of)))
}

impl Asked {
    /// Whether there are at least two kinds of input in a group, and none was ever looked at.
    fn are_unchecked(&self, is_in: &dyn Fn(&Input) -> bool) -> bool {
        let all = || self.inputs.values().filter(|(input, _)| is_in(input));
        let kinds: BTreeSet<&str> = all().map(|(input, _)| input.text.as_str()).collect();
        kinds.len() > 1 && all().all(|(_, seen)| !seen.contains(&true))
    }

    /// Whether nothing of any kind that the schema forbids was ever looked at.
    fn checks_no_parameters(&self) -> bool {
        let is_asked = |rule: Rule| self.inputs.values().any(|(input, _)| input.rule == rule);
        let rules = [Rule::Type, Rule::Missing, Rule::Value];
        rules.into_iter().all(is_asked) && self.are_unchecked(&|input| input.rule.is_of_parameters())
    }
}

/// The groups of checks to which an input belongs, the widest first.
fn groups(input: &Input) -> Vec<Group> {
    let rule = input.rule;
    let mut groups: Vec<Group> = Vec::new();
    // That an operation on a task never refuses anything, not even what is about no task, is more than a check that is missing.
    let is_of_tasks = |operation: &Operation| {
        matches!(operation, Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask)
    };
    if let Some(operation) = input.operation.filter(is_of_tasks) {
        groups
            .push((format!("{operation} refuses nothing"), Box::new(move |other| other.operation == Some(operation))));
    }
    if rule != Rule::Other && rule != Rule::Value {
        groups.push((format!("no {rule:?} is checked"), Box::new(move |other| other.rule == rule)));
    }
    if rule == Rule::Type || rule == Rule::Missing {
        let reader = input.of.clone();
        let is_in = move |other: &Input| other.rule == rule && other.of == reader;
        groups.push((format!("no {rule:?} is checked of {}", input.of), Box::new(is_in)));
    }
    groups
}

/// The inputs of a trial that must be refused, each with whether the agent looked at it. A failure shows neither.
fn looked_at(trial: &Trial, result: &TrialResult) -> Vec<(Input, bool)> {
    let served: BTreeSet<&str> = result.findings.iter().filter_map(Finding::unchecked).collect();
    let is_passed = result.verdict == Verdict::Pass;
    let is_told = result.verdict.is_violation();
    let is_refused = |finding: &Finding| matches!(&finding.kind, Kind::WrongError { received, .. } if !AFTER_CHECKS.contains(&received.as_str()));
    let is_refused = result.findings.iter().any(is_refused);
    inputs(trial)
        .into_iter()
        .filter_map(|input| match served.contains(input.text.as_str()) {
            true if is_told => Some((input, false)),
            _ if is_passed || is_told && is_refused => Some((input, true)),
            _ => None,
        })
        .collect()
}

/// The inputs of a trial that must be refused.
pub(super) fn inputs(trial: &Trial) -> Vec<Input> {
    let steps = trial.case.all_steps();
    let must = steps.iter().filter(|step| step.expect.as_ref().is_some_and(must_refuse));
    must.map(|step| trial.input(step)).collect()
}

/// Whether nothing but an error is right.
fn must_refuse(expect: &Expect) -> bool {
    !expect.allows_result() && expect.outcome.iter().any(Outcome::is_error)
}
