//! The cases whose verdicts differ.

use std::collections::{BTreeMap, BTreeSet};

use super::difference::{Counts, Side, Trial};
use crate::finding::Kind as Found;
use crate::report::Report;
use crate::verdict::{TrialResult, Verdict};

/// How a case came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
    /// Right.
    Passes,
    /// Wrong, in these assertions.
    Fails(BTreeSet<String>),
    /// Not tested, for this reason.
    Untested(String),
    /// Right in one run and wrong in another.
    Unsteady,
}

/// A case that came out differently.
#[derive(Debug, Clone)]
pub(super) struct Change {
    /// The case.
    pub trial: Trial,
    /// How it came out directly.
    pub direct: State,
    /// How it came out through the gateway.
    pub gateway: State,
    /// Whether it is about when events arrive.
    pub is_about_time: bool,
}

impl State {
    fn of(result: &TrialResult) -> Self {
        let reason = || result.reason.as_ref().map_or_else(|| result.verdict.name().to_owned(), ToString::to_string);
        match result.verdict {
            Verdict::Pass => Self::Passes,
            Verdict::Flaky => Self::Unsteady,
            Verdict::Fail | Verdict::Warn | Verdict::Note => Self::Fails(result.violated.iter().cloned().collect()),
            Verdict::Skipped | Verdict::Unreached | Verdict::Broken => Self::Untested(reason()),
        }
    }

    /// Whether two states are the same, as far as it counts: a reason may have words of the agent.
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Untested(_), Self::Untested(_)) => true,
            _ => self == other,
        }
    }

    /// What it is, for people.
    pub fn told(&self) -> String {
        match self {
            Self::Passes => "passes".to_owned(),
            Self::Fails(assertions) => {
                let names: Vec<&str> = assertions.iter().map(String::as_str).collect();
                format!("fails: {}", names.join(", "))
            }
            Self::Untested(reason) => format!("not tested: {reason}"),
            Self::Unsteady => "flaky".to_owned(),
        }
    }
}

/// The name of a result.
pub(super) fn trial(result: &TrialResult) -> Trial {
    Trial { case: result.case.clone(), over: format!("{} {}", result.profile, result.binding) }
}

fn states(report: &Report) -> BTreeMap<Trial, &TrialResult> {
    report.results.iter().map(|result| (trial(result), result)).collect()
}

/// The cases that came out differently, and how all of them did. `compared` are those that are run on both sides.
pub(super) fn changes(direct: &Report, gateway: &Report, observes: &BTreeSet<Trial>) -> (Vec<Change>, Counts) {
    let (direct, gateway) = (states(direct), states(gateway));
    let mut counts = Counts::default();
    let mut changes = Vec::new();
    for (trial, before) in &direct {
        let Some(after) = gateway.get(trial) else { continue };
        counts.compared += 1;
        let change = Change {
            trial: trial.clone(),
            direct: State::of(before),
            gateway: State::of(after),
            is_about_time: before.findings.iter().chain(&after.findings).any(|it| matches!(it.kind, Found::EventsLate)),
        };
        match (&change.direct, &change.gateway) {
            (State::Untested(_), State::Untested(_)) => counts.untested += 1,
            (State::Fails(one), State::Fails(other)) if one == other => counts.failing_alike += 1,
            (State::Unsteady, _) | (_, State::Unsteady) => counts.unsteady += 1,
            // Who only observes sees what the others have made: that is told of them.
            (State::Untested(_), _) | (_, State::Untested(_)) if observes.contains(trial) => {}
            (before, after) if before.is_like(after) => {}
            _ => changes.push(change),
        }
    }
    (changes, counts)
}

impl Change {
    /// Whether another run has shown it again. Who only observes may have seen nothing on the right side then.
    pub fn holds_in(&self, direct: &Report, gateway: &Report, observes: bool) -> bool {
        let find = |report: &Report| report.results.iter().find(|result| trial(result) == self.trial).map(State::of);
        let (Some(before), Some(after)) = (find(direct), find(gateway)) else { return false };
        let again = |known: &State, now: &State| match (known, now) {
            (State::Fails(known), State::Fails(now)) => !known.is_disjoint(now),
            (State::Passes, State::Untested(_)) => observes,
            _ => known.is_like(now),
        };
        again(&self.direct, &before) && again(&self.gateway, &after) && !before.is_like(&after)
    }

    /// Whether it is one case that fails on one side, so that the report of that side shows why.
    pub fn fails_on(&self) -> Option<Side> {
        match (&self.direct, &self.gateway) {
            (_, State::Fails(_)) => Some(Side::Gateway),
            (State::Fails(_), _) => Some(Side::Direct),
            _ => None,
        }
    }
}
