//! What follows from it that an object lacks a member that it must have: whatever reads the member finds nothing there.

use super::shown::operation;
use super::{Link, Seen};
use crate::finding::{Kind, NOTHING};

/// An object without a member.
struct Lack<'a> {
    seen: &'a Seen<'a>,
    of: &'a str,
    member: &'a str,
    /// The same for all members that one object lacks.
    cause: String,
}

pub(super) fn links(seen: &[Seen<'_>]) -> Vec<Link> {
    let lacks = lacks(seen);
    let mut links: Vec<Link> = lacks.iter().map(|lack| lack.seen.from(&lack.cause)).collect();
    for one in seen {
        let found = match &one.finding.kind {
            // Over gRPC what is left out shows as its default.
            Kind::SchemaValue { of, place, .. } if one.finding.received.as_deref() == Some("[]") => {
                lacks.iter().find(|lack| lack.of == of && place.strip_prefix('/') == Some(lack.member))
            }
            kind if kind.has_value() && one.finding.received.as_deref() == Some(NOTHING) => {
                let member = last_name(kind).unwrap_or_default();
                let called = one.exchange.and_then(operation);
                lacks.iter().find(|lack| {
                    let is_same_call = called.is_some() && lack.seen.exchange.and_then(operation) == called;
                    lack.member == member && lack.seen.is_beside(one) && is_same_call
                })
            }
            _ => None,
        };
        links.extend(found.map(|lack| one.from(&lack.cause)));
    }
    links
}

/// The objects that lack members. Several that one object lacks were left out by one hand.
fn lacks<'a>(seen: &'a [Seen<'a>]) -> Vec<Lack<'a>> {
    let mut lacks: Vec<Lack<'_>> = seen
        .iter()
        .filter_map(|seen| {
            let Kind::SchemaObject { of, condition } = &seen.finding.kind else { return None };
            let member = condition.strip_prefix("the member \"")?.strip_suffix('"')?;
            Some(Lack { seen, of, member, cause: seen.finding.problem() })
        })
        .collect();
    let first_of = |lack: &Lack<'_>| {
        let is_of_it = |other: &&Lack<'_>| {
            let is_here =
                other.seen.is_in_exchange_of(lack.seen) && other.seen.finding.pointer == lack.seen.finding.pointer;
            other.of == lack.of && is_here
        };
        lacks.iter().filter(is_of_it).min_by_key(|other| other.member).map(|other| other.cause.clone())
    };
    let causes: Vec<Option<String>> = lacks.iter().map(first_of).collect();
    for (lack, cause) in lacks.iter_mut().zip(causes) {
        if let Some(cause) = cause {
            lack.cause = cause;
        }
    }
    lacks
}

/// The last name of the place that a finding is about.
fn last_name(kind: &Kind) -> Option<&str> {
    match kind {
        Kind::Value { place, .. } | Kind::SchemaValue { place, .. } | Kind::EnvelopeValue { place, .. } => {
            place.rsplit('/').next()
        }
        _ => None,
    }
}
