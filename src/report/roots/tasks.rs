//! What follows from it that an agent does not go on with the task that a message names, or that it changes one that has ended.

use super::shown::{asks_for, makes_another_task, operation};
use super::{Link, Seen};
use crate::finding::{Finding, Kind};

/// An agent that answers messages to any task with a new one passes over the id: that it refuses none of the ids that it should, and
/// goes on with none, is one cause. That a message to a task that waits is among them shows it.
pub(super) fn others(seen: &[Seen<'_>]) -> Vec<Link> {
    let others: Vec<&Seen<'_>> = seen.iter().filter(|seen| seen.exchange.is_some_and(makes_another_task)).collect();
    let is_about_ids = |seen: &&&Seen<'_>| place(&seen.finding.kind).is_some_and(|place| place.ends_with("/id"));
    let mut links = Vec::new();
    for other in &others {
        let root = others.iter().filter(is_about_ids).find(|root| root.is_beside(other));
        links.extend(root.map(|root| other.from(&root.finding.problem())));
    }
    links
}

/// What an agent does to a task that has ended is seen by whoever reads that task.
pub(super) fn restarted(seen: &[Seen<'_>]) -> Vec<Link> {
    let mut links = Vec::new();
    let served: Vec<&Seen<'_>> = seen.iter().filter(|seen| changes_what_has_ended(seen.finding)).collect();
    let is_call_of_one = |left: &Seen<'_>, served: &Seen<'_>| {
        let called = |seen: &Seen<'_>| seen.exchange.and_then(operation);
        left.is_beside(served) && called(left).is_some() && called(left) == called(served)
    };
    let cause_of_left = |left: &Seen<'_>| {
        let same = served.iter().find(|served| left.is_in_exchange_of(served));
        let alike = || served.iter().find(|served| is_call_of_one(left, served));
        same.or_else(alike).map(|served| served.finding.problem())
    };
    let left: Vec<(&Seen<'_>, &str, String)> = seen
        .iter()
        .filter_map(|seen| match &seen.finding.kind {
            Kind::TerminalStateLeft { task, .. } => {
                let cause = cause_of_left(seen).unwrap_or_else(|| seen.finding.problem());
                Some((seen, task.as_str(), cause))
            }
            _ => None,
        })
        .collect();
    links.extend(left.iter().map(|(left, _, cause)| left.from(cause)));
    for one in seen.iter().filter(|seen| is_about_states(&seen.finding.kind)) {
        let same = left.iter().find(|(left, ..)| one.is_in_exchange_of(left));
        let of_task = || {
            let exchange = one.exchange?;
            left.iter().find(|(left, task, _)| left.is_beside(one) && asks_for(exchange, task))
        };
        links.extend(same.or_else(of_task).map(|(.., cause)| one.from(cause)));
    }
    links
}

/// Whether it is that a task that has ended is canceled, or goes on.
fn changes_what_has_ended(finding: &Finding) -> bool {
    let is_change =
        |input: &str| ["CancelTask with `id` of a task", "a message with `message/taskId` of a task"].contains(&input);
    matches!(finding.kind, Kind::RequestServed { .. }) && finding.input.as_deref().is_some_and(is_change)
}

/// Whether it is that a task is in another state than it must be in, or that it has changed.
fn is_about_states(kind: &Kind) -> bool {
    place(kind).is_some_and(|place| place.ends_with("/status/state"))
}

fn place(kind: &Kind) -> Option<&str> {
    match kind {
        Kind::Value { place, .. } | Kind::AnswersDiffer { place } | Kind::TaskChanged { place } => Some(place),
        _ => None,
    }
}
