//! From which finding others follow: one cause is one problem, and all that it violates stands under it, with its evidence. A finding
//! follows where the run shows it: by the same exchange, the same task, or since nothing of a kind is checked at all.

mod alike;
mod ended;
mod failing;
mod members;
mod mixed;
mod refused;
mod shown;
mod tasks;
mod unchecked;
mod wrapped;

use std::collections::{BTreeMap, BTreeSet};

use super::builder::{Key, key_of_trial};
use super::cited::CitedExchanges;
use super::model::ExchangeInfo;
use crate::finding::Finding;
use crate::plan::{Plan, Trial};
use crate::verdict::TrialResult;

/// The trials of a plan, by what tells one from another.
type Trials<'a> = BTreeMap<Key<'a>, &'a Trial>;

/// Finds, among what was seen, what follows from what.
type Step = fn(&[Seen<'_>]) -> Vec<Link>;

/// Notes in each finding that follows from another the fingerprint of that. Without the whole plan nothing shows that a kind of input is
/// never checked.
pub(super) fn trace(plan: Option<&Plan>, results: &mut [TrialResult], exchanges: &CitedExchanges) {
    if let Some(plan) = plan {
        let trials: Trials<'_> = plan.trials.iter().map(|trial| (key_of_trial(trial), &**trial)).collect();
        unchecked::trace(&trials, results);
        failing::trace(&trials, results);
    }
    let steps: [Step; 8] = [
        tasks::others,
        tasks::restarted,
        wrapped::links,
        members::links,
        alike::links,
        ended::links,
        mixed::links,
        refused::links,
    ];
    for step in steps {
        let links = step(&seen(results, exchanges));
        for Link { result, finding, cause } in links {
            let finding = results.get_mut(result).and_then(|result| result.findings.get_mut(finding));
            if let Some(finding) = finding.filter(|finding| finding.cause.is_none() && finding.fingerprint() != cause) {
                finding.cause = Some(cause);
            }
        }
    }
    resolve(results);
}

/// What follows from something that follows itself has the cause of that.
fn resolve(results: &mut [TrialResult]) {
    let mut causes: BTreeMap<String, BTreeSet<Option<String>>> = BTreeMap::new();
    for finding in results.iter().flat_map(|result| &result.findings) {
        causes.entry(finding.fingerprint()).or_default().insert(finding.cause.clone());
    }
    for finding in results.iter_mut().flat_map(|result| &mut result.findings) {
        let Some(own) = finding.cause.as_ref().and_then(|cause| causes.get(cause)) else { continue };
        if let (1, Some(Some(further))) = (own.len(), own.first()) {
            finding.cause = Some(further.clone());
        }
    }
}

/// A finding with where it was seen.
struct Seen<'a> {
    /// Its result, by index.
    result: usize,
    /// Its place among the findings of that.
    index: usize,
    of: &'a TrialResult,
    finding: &'a Finding,
    /// What it cites, where the report has room for it.
    exchange: Option<&'a ExchangeInfo>,
}

impl Seen<'_> {
    /// That it follows from this.
    fn from(&self, cause: &str) -> Link {
        Link { result: self.result, finding: self.index, cause: cause.to_owned() }
    }

    /// Whether both are about one interface.
    fn is_beside(&self, other: &Self) -> bool {
        (&self.of.profile, &self.of.binding) == (&other.of.profile, &other.of.binding)
    }

    /// Whether it is about the interface of the other, if only as one of two.
    fn is_about_interface_of(&self, other: &Self) -> bool {
        let is_over_it = self.of.binding.split('+').any(|one| one == other.of.binding);
        self.of.profile == other.of.profile && is_over_it
    }

    /// Whether both cite one exchange.
    fn is_in_exchange_of(&self, other: &Self) -> bool {
        self.finding.exchange.is_some() && self.finding.exchange == other.finding.exchange
    }
}

/// That each of these follows from the first of the roots that is about its interface. A root among them follows from that, too.
fn beside(these: &[&Seen<'_>], roots: &[&Seen<'_>]) -> Vec<Link> {
    let link =
        |one: &&Seen<'_>| roots.iter().find(|root| root.is_beside(one)).map(|root| one.from(&root.finding.problem()));
    these.iter().filter_map(link).collect()
}

/// That one finding follows from another.
struct Link {
    result: usize,
    finding: usize,
    cause: String,
}

/// What results tell, other than what is flaky.
fn seen<'a>(results: &'a [TrialResult], exchanges: &'a CitedExchanges) -> Vec<Seen<'a>> {
    let told = results.iter().enumerate().filter(|(_, of)| of.verdict.is_violation());
    told.flat_map(|(result, of)| {
        of.findings.iter().enumerate().map(move |(index, finding)| {
            let exchange = finding.exchange.and_then(|number| exchanges.get(number));
            Seen { result, index, of, finding, exchange }
        })
    })
    .collect()
}

#[cfg(test)]
mod tests;
