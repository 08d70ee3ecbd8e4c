//! What follows from how an agent wraps its answers: ids of JSON-RPC, and answers that are none.

use std::collections::BTreeMap;

use super::{Link, Seen};
use crate::finding::{Kind, NOTHING, UNREADABLE};

pub(super) fn links(seen: &[Seen<'_>]) -> Vec<Link> {
    let mut links = without_ids(seen);
    links.extend(ids_that_are_none(seen));
    links.extend(unreadable(seen));
    links
}

/// Where responses have no id, or null, each case about ids sees it.
fn without_ids(seen: &[Seen<'_>]) -> Vec<Link> {
    let is_left_out = |received: &str| received == NOTHING || received == "null";
    let roots: Vec<&Seen<'_>> = seen.iter().filter(|seen| seen.finding.kind == Kind::ResponseIdDiffers).collect();
    let of_ids = |kind: &Kind| {
        matches!(
            kind,
            Kind::ResponseId { .. } | Kind::UnreadableIdNotNull | Kind::EventIdDiffers | Kind::ResponseIdDiffers
        )
    };
    let mut links = Vec::new();
    for one in seen.iter().filter(|seen| of_ids(&seen.finding.kind)) {
        let Some(received) = one.finding.received.as_deref().filter(|received| is_left_out(received)) else { continue };
        let is_same = |root: &&&Seen<'_>| root.is_beside(one) && root.finding.received.as_deref() == Some(received);
        links.extend(roots.iter().find(is_same).map(|root| one.from(&root.finding.problem())));
    }
    links
}

/// Who takes for an id what is none gives it back with the answer.
fn ids_that_are_none(seen: &[Seen<'_>]) -> Vec<Link> {
    let taken: BTreeMap<u64, &Seen<'_>> = seen
        .iter()
        .filter(|seen| seen.finding.unchecked().is_some())
        .filter_map(|seen| Some((seen.finding.exchange?, seen)))
        .collect();
    let given_back = seen.iter().filter(|seen| seen.finding.kind == Kind::UnreadableIdNotNull);
    given_back.filter_map(|one| Some(one.from(&taken.get(&one.finding.exchange?)?.finding.problem()))).collect()
}

/// What is no answer of the binding is the same whatever was asked, if it says the same.
fn unreadable(seen: &[Seen<'_>]) -> Vec<Link> {
    let is_unreadable = |kind: &Kind| matches!(kind, Kind::WrongAnswer { received, .. } if received == UNREADABLE);
    let all: Vec<&Seen<'_>> =
        seen.iter().filter(|seen| is_unreadable(&seen.finding.kind) && seen.finding.input.is_none()).collect();
    let is_refusal = |kind: &Kind| matches!(kind, Kind::WrongAnswer { expected, .. } if expected == "an error");
    let mut links = Vec::new();
    for one in all.iter().filter(|seen| !is_refusal(&seen.finding.kind)) {
        let is_same = |root: &&&Seen<'_>| {
            is_refusal(&root.finding.kind) && root.is_beside(one) && root.finding.received == one.finding.received
        };
        links.extend(all.iter().find(is_same).map(|root| one.from(&root.finding.problem())));
    }
    links
}
