//! Streams that end before their task, or mark its end too early: later events are missing, or out of place.

use super::shown::operation;
use super::{Link, Seen};
use crate::finding::Kind;

/// How states are spelled in which a task has ended, whatever the version.
const ENDED: [&str; 5] = ["completed", "failed", "canceled", "cancelled", "rejected"];

/// A state that a stream does not show, and a part of a result that it lacks, follow where the streams of the operation end too early.
pub(super) fn links(seen: &[Seen<'_>]) -> Vec<Link> {
    let early: Vec<&Seen<'_>> = seen.iter().filter(|seen| ends_early(seen)).collect();
    let mut links = Vec::new();
    for one in seen.iter().filter(|seen| is_lack(&seen.finding.kind)) {
        let called = one.exchange.and_then(operation);
        let is_same = |root: &&&Seen<'_>| {
            let of_operation = called.is_some() && root.exchange.and_then(operation) == called;
            of_operation && one.is_about_interface_of(root)
        };
        let is_cut = one.exchange.is_some_and(|exchange| {
            let text = exchange.response.as_ref().map(|response| response.body.text().to_lowercase());
            text.is_some_and(|text| !ENDED.iter().any(|state| text.contains(&format!("{state}\""))))
        });
        links.extend(early.iter().find(is_same).filter(|_| is_cut).map(|root| one.from(&root.finding.problem())));
    }
    links.extend(announced_too_early(seen));
    links.extend(never_stored(seen));
    links
}

/// A task whose end only its stream has shown leaves that end where it is read: it was never stored.
fn never_stored(seen: &[Seen<'_>]) -> Vec<Link> {
    let roots: Vec<&Seen<'_>> = seen.iter().filter(|seen| seen.finding.kind == Kind::EndNotRead).collect();
    let link = |one: &Seen<'_>| {
        let is_same = |root: &&&Seen<'_>| {
            let called = root.exchange.and_then(operation);
            let is_same_read = called.is_some() && called == one.exchange.and_then(operation);
            is_same_read && root.is_beside(one) && root.finding.received == one.finding.received
        };
        Some(one.from(&roots.iter().find(is_same)?.finding.problem()))
    };
    let left = seen.iter().filter(|seen| matches!(seen.finding.kind, Kind::TerminalStateLeft { .. }));
    left.filter_map(link).collect()
}

/// What comes after the update that says that it is the last comes after the end of the task, too, where that update shows the end.
fn announced_too_early(seen: &[Seen<'_>]) -> Vec<Link> {
    let of_interface = |one: &Seen<'_>, kind: &Kind| {
        seen.iter()
            .find(|root| root.finding.kind == *kind && root.is_beside(one))
            .map(|root| one.from(&root.finding.problem()))
    };
    let after = seen.iter().filter(|seen| matches!(seen.finding.kind, Kind::EventAfterEnd { .. }));
    after.filter_map(|one| of_interface(one, &Kind::FinalBeforeEvents)).collect()
}

/// Whether a stream was closed while its task was at work.
fn ends_early(seen: &Seen<'_>) -> bool {
    let is_closed = |received: &String| received.starts_with("closed by the agent");
    seen.finding.kind == Kind::StreamEndsWrongly && seen.finding.received.as_ref().is_some_and(is_closed)
}

/// Whether it is that a stream lacks something of its task.
fn is_lack(kind: &Kind) -> bool {
    matches!(kind, Kind::StreamMissedState | Kind::ArtifactDiffers { .. } | Kind::ArtifactNeverSent { .. })
}
