//! The tables of a bench.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use crate::bug::{Bug, Rarity};
use crate::hunt::Outcome;

/// What share of some bugs was met, told and named.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Rate {
    /// Bugs.
    pub bugs: usize,
    /// Met by a request.
    pub met: usize,
    /// Shown in an answer.
    pub shown: usize,
    /// Told by any finding.
    pub told: usize,
    /// Told by one that names operation and effect.
    pub named: usize,
    /// Told by one that also names the place.
    pub placed: usize,
    /// Files of bugs that were told.
    pub files: usize,
}

/// A kind of class, and the rate of each class of it.
pub type Table = (&'static str, Vec<(String, Rate)>);

impl Rate {
    fn add(&mut self, outcome: &Outcome) {
        self.bugs += 1;
        self.met += usize::from(outcome.is_met());
        self.shown += usize::from(outcome.tally.shown > 0);
        self.told += usize::from(outcome.is_told());
        self.named += usize::from(outcome.is_named);
        self.placed += usize::from(outcome.is_placed);
        self.files += outcome.files;
    }

    fn files_each(self) -> f64 {
        self.files as f64 / self.told.max(1) as f64
    }
}

/// The rate of all, and of each class of each kind, the weakest first.
#[must_use]
pub fn rates(outcomes: &[Outcome]) -> (Rate, Vec<Table>) {
    let mut all = Rate::default();
    let mut classes: BTreeMap<&'static str, BTreeMap<String, Rate>> = BTreeMap::new();
    for outcome in outcomes {
        let Some(bug) = &outcome.bug else { continue };
        all.add(outcome);
        for (kind, class) in classes_of(bug) {
            classes.entry(kind).or_default().entry(class).or_default().add(outcome);
        }
    }
    let sorted = classes.into_iter().map(|(kind, classes)| {
        let mut classes: Vec<(String, Rate)> = classes.into_iter().collect();
        let share = |rate: &Rate| (rate.named as f64 / rate.bugs as f64, rate.told as f64 / rate.bugs as f64);
        // Of two that are as weak, the one with more bugs says more.
        classes.sort_by(|(_, left), (_, right)| {
            share(left).partial_cmp(&share(right)).unwrap_or(std::cmp::Ordering::Equal).then(right.bugs.cmp(&left.bugs))
        });
        (kind, classes)
    });
    (all, sorted.collect())
}

fn is_likely(outcome: &Outcome) -> bool {
    outcome.bug.as_ref().is_some_and(|bug| bug.rarity < Rarity::Rare)
}

/// The classes of a bug, one or more of each kind.
fn classes_of(bug: &Bug) -> Vec<(&'static str, String)> {
    let mut classes = vec![
        ("effect", bug.effect.class().to_owned()),
        ("operation", bug.operation.clone()),
        ("binding", bug.binding.class().to_owned()),
        ("rarity", bug.rarity.class().to_owned()),
        ("conditions", bug.conditions.len().to_string()),
    ];
    let mut places: Vec<&str> = bug.conditions.iter().map(|condition| condition.place.class()).collect();
    let mut relations: Vec<&str> = bug.conditions.iter().map(|condition| condition.relation.class()).collect();
    for list in [&mut places, &mut relations] {
        list.sort_unstable();
        list.dedup();
    }
    classes.extend(places.into_iter().map(|place| ("place", place.to_owned())));
    classes.extend(relations.into_iter().map(|relation| ("relation", relation.to_owned())));
    classes
}

/// Everything as Markdown.
#[must_use]
pub fn markdown(seed: u64, seconds: u64, outcomes: &[Outcome], controls: &[Outcome]) -> String {
    let mut text = String::new();
    let (all, kinds) = rates(outcomes);
    // Writing into a text does not fail.
    let mut line = |words: std::fmt::Arguments<'_>| {
        let _written = text.write_fmt(words);
        text.push('\n');
    };
    line(format_args!("# Drawn bugs, seed {seed}, {seconds} s each\n"));
    line(format_args!("| | bugs | met | shown | told | named | placed | files a told bug |"));
    line(format_args!("|---|---|---|---|---|---|---|---|"));
    // What chance finds in some thousand requests.
    let (likely, _) = rates(&outcomes.iter().filter(|outcome| is_likely(outcome)).cloned().collect::<Vec<_>>());
    for (name, rate) in [("all", all), ("without rare values and needles", likely)] {
        let share = |part: usize| format!("{part} ({:.0} %)", 100.0 * part as f64 / rate.bugs.max(1) as f64);
        line(format_args!(
            "| {name} | {} | {} | {} | {} | {} | {} | {:.2} |",
            rate.bugs,
            share(rate.met),
            share(rate.shown),
            share(rate.told),
            share(rate.named),
            share(rate.placed),
            rate.files_each()
        ));
    }
    let mut requests: Vec<u64> = outcomes.iter().map(|outcome| outcome.tally.requests).collect();
    requests.sort_unstable();
    let median = requests.get(requests.len() / 2).copied().unwrap_or_default();
    line(format_args!("\nRequests of a hunt: {median} (median)."));
    let deterministic = || outcomes.iter().filter(|outcome| outcome.bug.as_ref().is_some_and(Bug::is_deterministic));
    let replays = || deterministic().flat_map(|outcome| &outcome.replay);
    let still = replays().filter(|verdict| *verdict == "STILL").count();
    line(format_args!("Replay of deterministic bugs: {still} of {} findings STILL.", replays().count()));
    for outcome in deterministic() {
        for verdict in outcome.replay.iter().filter(|verdict| *verdict != "STILL") {
            line(format_args!("- {verdict}: {}", outcome.bug.as_ref().map(Bug::line).unwrap_or_default()));
        }
    }
    for outcome in outcomes.iter().filter(|outcome| outcome.is_told() && outcome.tally.shown == 0) {
        line(format_args!("- told, but no answer was changed: {}", outcome.findings[0]));
    }
    let out_of_reach: u64 = outcomes.iter().map(|outcome| outcome.out_of_reach).sum();
    line(format_args!("Drawn again because nobody can reach them: {out_of_reach}."));
    let false_ones: usize = controls.iter().map(|control| control.findings.len()).sum();
    let requests: u64 = controls.iter().map(|control| control.tally.requests).sum();
    line(format_args!(
        "Without a bug: {false_ones} findings in {} hunts of {requests} requests in all.",
        controls.len()
    ));
    for finding in controls.iter().flat_map(|control| &control.findings) {
        line(format_args!("- false: {finding}"));
    }
    for (kind, classes) in kinds {
        line(format_args!("\n| {kind} | bugs | met | shown | told | named |\n|---|---|---|---|---|---|"));
        for (class, rate) in classes {
            line(format_args!(
                "| {class} | {} | {} | {} | {} | {} |",
                rate.bugs, rate.met, rate.shown, rate.told, rate.named
            ));
        }
    }
    line(format_args!("\n## Missed, or told by another name\n"));
    for outcome in outcomes.iter().filter(|outcome| !outcome.is_named) {
        let bug = outcome.bug.as_ref().map(Bug::line).unwrap_or_default();
        line(format_args!("- {bug}: {}", outcome.why()));
    }
    line(format_args!("\n## Named\n"));
    for outcome in outcomes.iter().filter(|outcome| outcome.is_named) {
        let bug = outcome.bug.as_ref().map(Bug::line).unwrap_or_default();
        line(format_args!("- {bug}: {} files; {}", outcome.files, outcome.findings[0]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw;
    use crate::proxy::Tally;

    #[test]
    fn the_weakest_class_comes_first() {
        let outcome = |index: usize, bug: Bug| {
            let is_found = index.is_multiple_of(2);
            let findings = if is_found { vec!["GetTask: x".to_owned()] } else { Vec::new() };
            let tally = Tally { met: u64::from(is_found), ..Tally::default() };
            Outcome {
                bug: Some(bug),
                out_of_reach: 0,
                seed: 1,
                tally,
                is_named: is_found,
                is_placed: false,
                files: findings.len(),
                findings,
                replay: vec!["STILL".to_owned()],
                seconds: 1.0,
                error: None,
            }
        };
        let outcomes: Vec<Outcome> =
            draw::draw(1, 40).into_iter().enumerate().map(|(index, bug)| outcome(index, bug)).collect();
        let (all, kinds) = rates(&outcomes);
        assert_eq!((all.bugs, all.met, all.told, all.named), (40, 20, 20, 20));
        for (kind, classes) in &kinds {
            let shares: Vec<f64> = classes.iter().map(|(_, rate)| rate.named as f64 / rate.bugs as f64).collect();
            assert!(shares.is_sorted(), "{kind}: {shares:?}");
        }
        let text = markdown(1, 20, &outcomes, &[]);
        assert!(text.contains("| all | 40 | 20 (50 %) |"), "{text}");
    }
}
