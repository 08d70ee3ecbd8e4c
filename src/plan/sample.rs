//! The few trials that show on what most of a plan depends: whether an interface answers, which triggers do, and whether the agent
//! gets to webhooks.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Plan, Trial};
use crate::case::Trigger;

/// What trials need of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// That it answers at all.
    Answers,
    /// That a trigger brings it into its state.
    Trigger(Trigger),
    /// That it gets to webhooks.
    Webhooks,
}

/// A trial that shows whether there is what others need, too.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub need: Need,
    pub trial: Arc<Trial>,
    /// How many trials over its interface need it.
    pub trials: usize,
}

impl Plan {
    /// For each interface and each need the trial that shows it with the least effort.
    pub(crate) fn samples(&self) -> Vec<Sample> {
        let mut found: BTreeMap<(usize, Need), Sample> = BTreeMap::new();
        let talking = self.trials.iter().filter(|trial| trial.skipped.is_none() && !trial.observes());
        for trial in talking.filter(|trial| trial.second.is_none()) {
            for need in needs(trial) {
                let sample = Sample { need, trial: Arc::clone(trial), trials: 0 };
                let known = found.entry((trial.interface, need)).or_insert(sample);
                known.trials += 1;
                if effort(trial) < effort(&known.trial) {
                    known.trial = Arc::clone(trial);
                }
            }
        }
        found.into_values().collect()
    }

    /// Keeps only these trials.
    pub(crate) fn keep_samples(&mut self, samples: &[Sample]) {
        self.trials.retain(|trial| samples.iter().any(|sample| Arc::ptr_eq(&sample.trial, trial)));
    }
}

fn needs(trial: &Trial) -> Vec<Need> {
    // The card answers also where the agent does not.
    let answers = (trial.case.area() != "card").then_some(Need::Answers);
    let webhooks = trial.receives().then_some(Need::Webhooks);
    answers.into_iter().chain(trial.case.triggers().into_iter().map(Need::Trigger)).chain(webhooks).collect()
}

/// What a trial takes, and what else can go wrong in it, the least first.
fn effort(trial: &Trial) -> (bool, usize, bool, u64, &str) {
    let case = &trial.case;
    (trial.receives(), case.triggers().len(), case.sends_wrong_requests(), super::cost::of_case(case), &case.id)
}
