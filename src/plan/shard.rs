//! A plan in parts that are run apart, such as on several machines of a pipeline.
//!
//! Which case is in which part follows from the plan alone: whoever makes the same plan makes the same parts. A case stays
//! whole, over all versions and bindings, and the parts cost about the same. Cases that judge a whole interface are in every
//! part, for each sees exchanges that the others do not.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

use super::{Plan, Trial};

/// One of several parts of a plan.
///
/// ```
/// use a2aspec::plan::Shard;
///
/// let shard: Shard = "2/3".parse().unwrap();
/// assert_eq!((shard.number(), shard.of()), (2, 3));
/// assert!("4/3".parse::<Shard>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    number: usize,
    of: usize,
}

impl Shard {
    /// Its number, from 1.
    pub fn number(self) -> usize {
        self.number
    }

    /// How many there are.
    pub fn of(self) -> usize {
        self.of
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match read {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Self { number, of }),
            _ => Err(format!("{text:?}; write which part of how many, such as 1/4 for the first of four")),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// What a case is taken to cost beside its messages, where it waits for the agent's work: that takes most of its time.
const WAITING: u64 = 4;

impl Plan {
    /// What it is, in a few digits: two plans of the same trials have the same.
    pub(crate) fn fingerprint(&self) -> String {
        let line = |trial: &Trial| {
            let skipped = if trial.skipped.is_some() { " skipped" } else { "" };
            format!("{} {} {}{skipped}\n", trial.profile, trial.bindings(), trial.case.id)
        };
        let mut lines: Vec<String> = self.trials.iter().map(|trial| line(trial)).collect();
        lines.sort_unstable();
        let digest = Sha256::digest(lines.concat());
        digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Keeps one part of it.
    pub(crate) fn keep(&mut self, shard: Shard) {
        let parts = self.parts(shard.of);
        self.trials.retain(|trial| parts.get(&trial.case.id).is_none_or(|part| part + 1 == shard.number));
    }

    /// In which part each case is, from 0, but for those that are in all: the dearest first, each into what is cheapest then.
    fn parts(&self, number: usize) -> BTreeMap<String, usize> {
        let mut costs: BTreeMap<&str, u64> = BTreeMap::new();
        for trial in self.trials.iter().filter(|trial| !trial.observes()) {
            *costs.entry(&trial.case.id).or_default() += cost(trial);
        }
        let mut cases: Vec<(&str, u64)> = costs.into_iter().collect();
        cases.sort_by_key(|(_, cost)| Reverse(*cost));
        let mut loads = vec![0; number];
        let mut place = |(case, cost): (&str, u64)| {
            let cheapest = loads.iter().enumerate().min_by_key(|(_, load)| **load).map_or(0, |(part, _)| part);
            if let Some(load) = loads.get_mut(cheapest) {
                *load += cost;
            }
            (case.to_owned(), cheapest)
        };
        cases.into_iter().map(&mut place).collect()
    }
}

/// About what a trial costs, in messages. What only reads costs something as well, and what is skipped next to nothing.
fn cost(trial: &Trial) -> u64 {
    if trial.skipped.is_some() {
        return 1;
    }
    let waits = if trial.case.waits_for_work() { WAITING } else { 0 };
    4 * (1 + super::cost::of_case(&trial.case) + waits)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::plan::whole::plan;

    fn names(plan: &Plan) -> BTreeSet<(String, String)> {
        plan.trials.iter().map(|trial| (trial.case.id.clone(), trial.bindings())).collect()
    }

    #[test]
    fn every_case_is_in_one_part_and_what_observes_in_all() {
        let whole = plan();
        let mut seen = BTreeSet::new();
        let mut costs = Vec::new();
        for number in 1..=3 {
            let mut part = plan();
            part.keep(Shard { number, of: 3 });
            let talking = Plan { trials: part.trials.iter().filter(|trial| !trial.observes()).cloned().collect() };
            assert!(names(&talking).iter().all(|name| seen.insert(name.clone())), "in two parts");
            let observing = |plan: &Plan| plan.trials.iter().filter(|trial| trial.observes()).count();
            assert_eq!(observing(&part), observing(&whole));
            costs.push(talking.trials.iter().map(|trial| cost(trial)).sum::<u64>());
            seen.extend(names(&part));
        }
        assert_eq!(seen, names(&whole));
        let (least, most) = (costs.iter().min().unwrap(), costs.iter().max().unwrap());
        assert!(most - least <= most / 20, "{costs:?}");
        let mut only = plan();
        only.keep(Shard { number: 1, of: 1 });
        assert_eq!(names(&only), names(&whole));
    }

    #[test]
    fn a_plan_is_known_by_its_trials() {
        let (whole, mut part) = (plan(), plan());
        assert_eq!(whole.fingerprint(), part.fingerprint());
        part.trials.reverse();
        assert_eq!(whole.fingerprint(), part.fingerprint());
        part.trials.pop();
        assert_ne!(whole.fingerprint(), part.fingerprint());
    }

    #[test]
    fn a_part_is_written_as_which_of_how_many() {
        assert_eq!("1/4".parse::<Shard>().map(|shard| shard.to_string()), Ok("1/4".to_owned()));
        for wrong in ["", "1", "0/3", "4/3", "1/0", "a/b", "1/3/5", "-1/3"] {
            assert!(wrong.parse::<Shard>().unwrap_err().contains("such as 1/4"), "{wrong}");
        }
    }
}
