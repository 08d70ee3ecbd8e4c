//! What is the same seen in two ways: over several bindings, each of which has its own name for it, or by a case and an oracle.

use std::collections::{BTreeMap, BTreeSet};

use super::shown::operation;
use super::{Link, Seen};
use crate::finding::Kind;

pub(super) fn links(seen: &[Seen<'_>]) -> Vec<Link> {
    let mut links = over_bindings(seen);
    links.extend(histories(seen));
    links.extend(lists_of_others(seen));
    links
}

/// An agent that fails at the same inputs over several bindings fails by one code below them: each binding only names that otherwise.
fn over_bindings(seen: &[Seen<'_>]) -> Vec<Link> {
    type Shown<'a> = (BTreeSet<(&'a str, Option<&'a str>)>, BTreeSet<&'a str>);
    let fails: Vec<&Seen<'_>> = seen.iter().filter(|seen| is_failure(seen)).collect();
    let problem = |one: &Seen<'_>| (one.of.profile.clone(), one.finding.problem());
    let mut by_problem: BTreeMap<(String, String), Shown<'_>> = BTreeMap::new();
    for one in &fails {
        let (cases, bindings) = by_problem.entry(problem(one)).or_default();
        cases.insert((&one.of.case, one.finding.input.as_deref()));
        bindings.insert(&one.of.binding);
    }
    let mut links = Vec::new();
    for one in &fails {
        let own = problem(one);
        let Some((cases, bindings)) = by_problem.get(&own) else { continue };
        // The first over the bindings in their order is the root.
        let is_alike = |root: &&&Seen<'_>| {
            let other = problem(root);
            let elsewhere = by_problem.get(&other).filter(|_| other.0 == own.0);
            other == own || elsewhere.is_some_and(|(alike, over)| alike == cases && over.is_disjoint(bindings))
        };
        links.extend(fails.iter().find(is_alike).map(|root| one.from(&root.finding.problem())));
    }
    links
}

/// Whether it is that an agent fails at a kind of input, or that a server of HTTP does not read what it must.
fn is_failure(seen: &Seen<'_>) -> bool {
    let is_of_server = seen.of.case.starts_with("http1/");
    let is_failure = match &seen.finding.kind {
        Kind::FailedInstead { .. } => true,
        Kind::NotFoundOverHttp { .. } | Kind::WrongAnswer { .. } | Kind::WrongError { .. } => is_of_server,
        _ => false,
    };
    is_failure && seen.finding.input.is_some()
}

/// A history that is longer than was asked for is seen by the case that asks, and by who looks at all answers.
fn histories(seen: &[Seen<'_>]) -> Vec<Link> {
    let is_in_history = |kind: &Kind| {
        let Kind::Value { place, .. } = kind else { return false };
        place.rsplit_once('/').is_some_and(|(list, last)| last == "history" || list.ends_with("/history"))
    };
    let long: Vec<&Seen<'_>> = seen.iter().filter(|seen| seen.finding.kind == Kind::HistoryTooLong).collect();
    let asked = seen.iter().filter(|seen| is_in_history(&seen.finding.kind));
    asked
        .filter_map(|one| {
            let same = long.iter().find(|long| long.is_in_exchange_of(one))?;
            Some(one.from(&same.finding.problem()))
        })
        .collect()
}

/// What one caller finds of another in one list is there for one reason, whatever member shows it.
fn lists_of_others(seen: &[Seen<'_>]) -> Vec<Link> {
    let is_of_others = |seen: &&Seen<'_>| {
        matches!(seen.finding.kind, Kind::Value { .. }) && seen.of.case.starts_with("security/others-")
    };
    let all: Vec<&Seen<'_>> = seen.iter().filter(is_of_others).collect();
    let called = |seen: &Seen<'_>| seen.exchange.and_then(operation);
    let mut links = Vec::new();
    for one in &all {
        let is_same = |root: &&&Seen<'_>| root.is_beside(one) && called(root).is_some() && called(root) == called(one);
        links.extend(all.iter().find(is_same).map(|root| one.from(&root.finding.problem())));
    }
    links
}
