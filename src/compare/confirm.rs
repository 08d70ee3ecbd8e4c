//! What differs is done again: only what differs each time is reported.

use std::collections::BTreeSet;

use super::difference::{Counts, Difference, Side, Trial};
use super::found;
use super::pairs;
use super::probe::probe;
use super::seen::Seen;
use super::verdicts::{self, Change};
use super::{Both, Watcher, headers};
use crate::verdict::TrialResult;

/// How often what differs is done again.
const ROUNDS: usize = 2;
/// How many of the cases that show one difference are run again for it.
const SAMPLES: usize = 3;

/// What the requests of the comparison's own have shown.
pub(super) struct Probes {
    /// What differed each time.
    pub differences: Vec<Difference>,
    /// How many messages that took.
    pub messages: u64,
}

/// What the cases have shown.
pub(super) struct Confirmed {
    /// The differences between exchanges.
    pub differences: Vec<Difference>,
    /// Those between verdicts.
    pub changes: Vec<Change>,
    /// How the cases came out.
    pub counts: Counts,
    /// The cases that differed in one run alone.
    pub unsteady: Vec<String>,
    /// What differs as it may.
    pub note: Option<String>,
    /// How many messages the runs again have sent.
    pub messages: u64,
    /// Why the comparison was ended from outside, if it was.
    pub interrupted: Option<String>,
}

/// Sends the requests of the comparison's own both ways, and again where something differs.
pub(super) async fn probes(both: &Both) -> Probes {
    let mut probes = Probes { differences: Vec::new(), messages: 0 };
    for round in 0..=ROUNDS {
        let direct = probe(&both.direct, &both.lanes).await;
        let gateway = probe(&both.gateway, &both.lanes).await;
        probes.messages += direct.messages + gateway.messages;
        let now = found::differences(&direct, &gateway);
        match round {
            0 => probes.differences = now,
            _ => probes.differences.retain(|known| now.iter().any(|it| it.is_same(known))),
        }
        if probes.differences.is_empty() {
            break;
        }
    }
    probes
}

/// What a pair of runs shows.
struct Shown {
    differences: Vec<Difference>,
    note: Option<String>,
}

fn shown(direct: &Seen, gateway: &Seen) -> Shown {
    let cases: BTreeSet<&str> = direct.report.results.iter().map(|result| result.case.as_str()).collect();
    let pairs = pairs::pairs(&direct.sights, &gateway.sights);
    let mut differences = pairs::differences(&pairs, &cases);
    let (of_headers, note) = headers::differences(&pairs, &cases);
    differences.extend(of_headers);
    Shown { differences, note }
}

/// Runs again what differs between two runs.
pub(super) async fn cases(both: &Both, direct: &Seen, gateway: &Seen, watcher: &mut impl Watcher) -> Confirmed {
    let observes: BTreeSet<Trial> = both
        .direct
        .plan()
        .trials
        .iter()
        .filter(|trial| trial.observes())
        .map(|trial| Trial { case: trial.case.id.clone(), over: format!("{} {}", trial.profile, trial.bindings()) })
        .collect();
    let Shown { mut differences, note } = shown(direct, gateway);
    let (mut changes, mut counts) = verdicts::changes(&direct.report, &gateway.report, &observes);
    let mut unsteady: Vec<String> = Vec::new();
    let makers = makers(&changes, direct, gateway);
    let mut messages = 0;
    for _ in 0..ROUNDS {
        if differences.is_empty() && changes.is_empty() {
            break;
        }
        let mut wanted: BTreeSet<Trial> = changes.iter().map(|change| change.trial.clone()).collect();
        wanted.extend(differences.iter().flat_map(|known| known.shown_by.iter().take(SAMPLES).cloned()));
        let is_wanted = |trial: &Trial| {
            makers.contains(&trial.case)
                || wanted.iter().any(|wanted| wanted.case == trial.case && is_over(trial, &wanted.over))
        };
        let before = both.run(Side::Direct, ("confirming", is_wanted), watcher).await;
        let after = both.run(Side::Gateway, ("confirming", is_wanted), watcher).await;
        let interrupted = before.interrupted().or_else(|| after.interrupted());
        messages += before.report.messages_sent + after.report.messages_sent;
        if interrupted.is_some() {
            return Confirmed { differences, changes, counts, unsteady, note, messages, interrupted };
        }
        let now = shown(&before, &after).differences;
        differences.retain(|known| {
            let sampled: Vec<&Trial> = known.shown_by.iter().take(SAMPLES).collect();
            now.iter().any(|it| it.is_same(known) && it.shown_by.iter().any(|trial| sampled.contains(&trial)))
        });
        changes.retain(|change| {
            let holds = change.holds_in(&before.report, &after.report, observes.contains(&change.trial));
            if !holds {
                unsteady.push(change.trial.name());
            }
            holds
        });
    }
    counts.unsteady += unsteady.len();
    Confirmed { differences, changes, counts, unsteady, note, messages, interrupted: None }
}

/// Whether a trial is over an interface, be it over another, too.
pub(super) fn is_over(trial: &Trial, over: &str) -> bool {
    if over.is_empty() || trial.over == over {
        return true;
    }
    let split = |over: &str| over.split_once(' ').map(|(profile, bindings)| (profile.to_owned(), bindings.to_owned()));
    let (Some((profile, bindings)), Some((other, binding))) = (split(&trial.over), split(over)) else { return false };
    profile == other && bindings.split('+').any(|known| binding.split('+').any(|binding| binding == known))
}

/// The cases whose exchanges the findings of observing cases cite.
fn makers(changes: &[Change], direct: &Seen, gateway: &Seen) -> BTreeSet<String> {
    let mut makers = BTreeSet::new();
    for seen in [direct, gateway] {
        let is_changed = |result: &&TrialResult| changes.iter().any(|change| change.trial == verdicts::trial(result));
        for finding in seen.report.results.iter().filter(is_changed).flat_map(|result| &result.findings) {
            let made = seen.report.exchanges.iter().find(|exchange| Some(exchange.id) == finding.exchange);
            makers.extend(made.map(|exchange| exchange.purpose.clone()));
        }
    }
    makers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_over_two_bindings_is_over_each() {
        let trial = |over: &str| Trial { case: "a/b".to_owned(), over: over.to_owned() };
        assert!(is_over(&trial("1.0 jsonrpc+grpc"), "1.0 grpc"));
        assert!(is_over(&trial("1.0 grpc"), ""));
        assert!(!is_over(&trial("1.0 jsonrpc+grpc"), "0.3 grpc"));
        assert!(!is_over(&trial("1.0 jsonrpc"), "1.0 http-json"));
    }
}
