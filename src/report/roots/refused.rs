//! What follows from how an agent refuses: an operation that it does not support, and errors that have another status than theirs.

use std::collections::BTreeSet;

use super::shown::operation;
use super::{Link, Seen, beside};
use crate::finding::Kind;

pub(super) fn links(seen: &[Seen<'_>]) -> Vec<Link> {
    let mut links = unsupported(seen);
    links.extend(statuses(seen));
    links.extend(one_code(seen));
    links.extend(again(seen));
    links
}

/// How many errors an agent confuses by one code that no specification has, until it is one cause: nothing gives errors their codes.
const CONFUSED: usize = 3;

/// One code that no specification has, in place of several errors, is one cause.
fn one_code(seen: &[Seen<'_>]) -> Vec<Link> {
    let nameless = |seen: &Seen<'_>| match &seen.finding.kind {
        Kind::WrongError { received, expected, .. } if received.parse::<i64>().is_ok() => {
            Some((received.clone(), expected.clone()))
        }
        _ => None,
    };
    let all: Vec<(&Seen<'_>, (String, String))> =
        seen.iter().filter_map(|seen| Some((seen, nameless(seen)?))).collect();
    let mut links = Vec::new();
    for (one, (code, _)) in &all {
        let alike = || all.iter().filter(|(other, (of_other, _))| of_other == code && other.is_beside(one));
        let expected: BTreeSet<&String> = alike().map(|(_, (_, expected))| expected).collect();
        if expected.len() >= CONFUSED {
            links.extend(alike().next().map(|(root, _)| one.from(&root.finding.problem())));
        }
    }
    links
}

/// An operation that refuses with one wrong error does so, too, where it could have been served.
fn again(seen: &[Seen<'_>]) -> Vec<Link> {
    let may_serve =
        |seen: &&Seen<'_>| seen.finding.expected.as_ref().is_some_and(|wanted| wanted.starts_with("a result"));
    let refusals: Vec<&Seen<'_>> =
        seen.iter().filter(|seen| matches!(seen.finding.kind, Kind::WrongError { .. })).collect();
    let is_alike = |one: &Seen<'_>, root: &Seen<'_>| match (&one.finding.kind, &root.finding.kind) {
        (
            Kind::WrongError { operation, received, .. },
            Kind::WrongError { operation: operation_of_root, received: received_of_root, .. },
        ) => operation == operation_of_root && received == received_of_root,
        _ => false,
    };
    let mut links = Vec::new();
    for one in refusals.iter().filter(|seen| may_serve(seen)) {
        let mut roots = refusals.iter().filter(|root| !may_serve(root) && root.is_beside(one));
        links.extend(roots.find(|root| is_alike(one, root)).map(|root| one.from(&root.finding.problem())));
    }
    links
}

/// An operation that is not supported refuses what it must accept, and with another error than where it is supported.
fn unsupported(seen: &[Seen<'_>]) -> Vec<Link> {
    let is_root = |kind: &Kind| matches!(kind, Kind::OperationUnsupported { .. } | Kind::OperationDenied { .. });
    let roots: Vec<&Seen<'_>> = seen.iter().filter(|seen| is_root(&seen.finding.kind)).collect();
    let follows = |kind: &Kind| {
        matches!(kind, Kind::RefusedWrongly | Kind::ErrorsDisagree { .. } | Kind::ServiceDisagrees { .. })
    };
    let mut links = Vec::new();
    for one in seen.iter().filter(|seen| follows(&seen.finding.kind)) {
        let is_cause = |root: &&&Seen<'_>| {
            let named = root.finding.operation.is_some() && root.finding.operation == one.finding.operation;
            let called = root.exchange.and_then(operation);
            let is_same = named || called.is_some() && called == one.exchange.and_then(operation);
            is_same && one.is_about_interface_of(root)
        };
        links.extend(roots.iter().find(is_cause).map(|root| one.from(&root.finding.problem())));
    }
    links
}

/// An error that names itself rightly, and has the status of another, is one cause, whatever was asked: the table of statuses is wrong.
fn statuses(seen: &[Seen<'_>]) -> Vec<Link> {
    let roots: Vec<&Seen<'_>> =
        seen.iter().filter(|seen| matches!(seen.finding.kind, Kind::ErrorInfoStatus { .. })).collect();
    let named: Vec<&Seen<'_>> = seen.iter().filter(|seen| is_named_as_expected(seen)).collect();
    [&roots, &named].into_iter().flat_map(|these| beside(these, &roots)).collect()
}

/// Whether the reason of an error names an expected error.
fn is_named_as_expected(seen: &Seen<'_>) -> bool {
    if !matches!(seen.finding.kind, Kind::FailedInstead { .. } | Kind::WrongError { .. }) {
        return false;
    }
    let (Some(expected), Some(received)) = (&seen.finding.expected, &seen.finding.received) else { return false };
    let reason = received.split(' ').next().filter(|reason| !reason.is_empty());
    let is_reason = |reason: &str| reason.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    reason.is_some_and(|reason| is_reason(reason) && expected.contains(&format!(", {reason})")))
}
