//! What a plan costs: messages to the agent, each of which may cost money.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Plan, Trial};
use crate::case::{Act, Case, Fixture, Goal};
use crate::profile::Operation;
use crate::verdict::Level;

impl Plan {
    /// About how many messages it sends: those of its steps and fixtures. What goes wrong may take more, and what is not
    /// reached takes fewer.
    pub(crate) fn messages(&self) -> u64 {
        let mut shared: BTreeSet<(usize, bool, &Fixture)> = BTreeSet::new();
        let mut sent = 0;
        for trial in self.trials.iter().filter(|trial| trial.skipped.is_none()) {
            sent += in_steps(&trial.case);
            for fixture in trial.case.given.values() {
                let is_own = fixture.fresh || fixture.task == Goal::Working;
                if is_own || shared.insert((trial.interface, trial.case.sends_wrong_requests(), fixture)) {
                    sent += fixture.count as u64;
                }
            }
        }
        sent
    }

    /// Puts first what a few messages are best spent on: what the specification demands before what it recommends, and of
    /// each level the first case of every area before the second of any.
    pub(crate) fn spread(&mut self) {
        let mut seen = BTreeMap::<_, usize>::new();
        let mut keyed: Vec<_> = std::mem::take(&mut self.trials)
            .into_iter()
            .map(|trial| {
                let of_area = (trial.level, trial.case.area().to_owned());
                let place = seen.entry(of_area).or_default();
                *place += 1;
                ((trial.observes(), trial.level, *place), trial)
            })
            .collect();
        keyed.sort_by_key(|(key, _)| *key);
        self.trials = keyed.into_iter().map(|(_, trial)| trial).collect();
    }

    /// The cases that a quick run keeps: what the specification demands, each over one binding.
    pub(crate) fn quicken(&mut self) {
        let mut kept = BTreeSet::new();
        let is_kept = |trial: &Arc<Trial>| {
            trial.level == Level::Must
                && trial.second.is_none()
                && kept.insert((trial.profile.clone(), trial.case.id.clone()))
        };
        self.trials.retain(is_kept);
    }
}

/// About how many messages a case sends by itself.
pub(super) fn of_case(case: &Case) -> u64 {
    in_steps(case) + case.given.values().map(|fixture| fixture.count as u64).sum::<u64>()
}

/// How many messages the steps of a case send.
fn in_steps(case: &Case) -> u64 {
    let sends = |act: &Act| act.operation().is_some_and(Operation::sends_a_message);
    case.all_steps().into_iter().filter(|step| sends(&step.act)).count() as u64
}
