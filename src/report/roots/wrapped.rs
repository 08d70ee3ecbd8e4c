//! What follows from how an agent wraps its answers: ids of JSON-RPC, and answers that are none.

use std::collections::BTreeMap;

use super::shown::operation;
use super::{Link, Seen, beside};
use crate::finding::{Kind, NOTHING, UNREADABLE};

pub(super) fn links(seen: &[Seen<'_>]) -> Vec<Link> {
    let mut links = without_ids(seen);
    links.extend(ids_in_streams(seen));
    links.extend(messages_that_are_none(seen));
    links.extend(both_members(seen));
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

/// An event whose envelope has another id is seen by the case about streams, and by the one that looks at all answers.
fn ids_in_streams(seen: &[Seen<'_>]) -> Vec<Link> {
    let link = |one: &Seen<'_>| {
        let is_root = |root: &&Seen<'_>| {
            let called = root.exchange.and_then(operation);
            let is_same_call = called.is_some() && called == one.exchange.and_then(operation);
            root.finding.kind == Kind::ResponseIdDiffers && is_same_call && root.is_beside(one)
        };
        Some(one.from(&seen.iter().find(is_root)?.finding.problem()))
    };
    seen.iter().filter(|seen| seen.finding.kind == Kind::EventIdDiffers).filter_map(link).collect()
}

/// An error whose message is not a text has none that people can read.
fn messages_that_are_none(seen: &[Seen<'_>]) -> Vec<Link> {
    let is_place = |kind: &Kind| matches!(kind, Kind::EnvelopeValue { place, .. } if place == "/error/message");
    same_exchange(seen, |kind| *kind == Kind::ErrorWithoutMessage, is_place)
}

/// An agent that writes both members into each response sets the other one to null, beside a result and beside an error.
fn both_members(seen: &[Seen<'_>]) -> Vec<Link> {
    let null_error: Vec<&Seen<'_>> = seen
        .iter()
        .filter(|seen| matches!(&seen.finding.kind, Kind::EnvelopeValue { place, .. } if place == "/error"))
        .filter(|seen| seen.finding.received.as_deref() == Some("null"))
        .collect();
    let has_null_result = |seen: &&Seen<'_>| {
        let body = seen.exchange.and_then(|exchange| exchange.response.as_ref()).map(|response| response.body.text());
        let answer = body.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
        answer.is_some_and(|answer| answer.get("result").is_some_and(serde_json::Value::is_null))
    };
    let both = seen.iter().filter(|seen| matches!(seen.finding.kind, Kind::Envelope { .. }));
    let both: Vec<&Seen<'_>> = both.filter(has_null_result).collect();
    beside(&both, &null_error)
}

/// That the ones follow from the others in the exchanges that both cite.
fn same_exchange(seen: &[Seen<'_>], is_one: fn(&Kind) -> bool, is_root: fn(&Kind) -> bool) -> Vec<Link> {
    let roots: Vec<&Seen<'_>> = seen.iter().filter(|seen| is_root(&seen.finding.kind)).collect();
    let link = |one: &Seen<'_>| {
        let root = roots.iter().find(|root| root.is_in_exchange_of(one))?;
        Some(one.from(&root.finding.problem()))
    };
    seen.iter().filter(|seen| is_one(&seen.finding.kind)).filter_map(link).collect()
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
