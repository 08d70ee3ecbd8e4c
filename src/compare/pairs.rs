//! The exchanges of both sides, side by side: in what the first differs that does.

use std::collections::{BTreeMap, BTreeSet};

use super::difference::{Difference, Trial};
use super::kind::Kind;
use super::sight::{Body, Sight};
use crate::transcript::Ended;

/// Two exchanges that should be alike.
pub(super) type Pair<'s> = (&'s Sight, &'s Sight);

/// What of a step tells it from the others of its case.
type Step<'s> = (&'s str, &'s str, &'s str);

/// The exchanges of the same steps of the same cases, in their order.
pub(super) fn pairs<'s>(direct: &'s [Sight], gateway: &'s [Sight]) -> Vec<Pair<'s>> {
    let direct_of = by_step(direct);
    let gateway_of = by_step(gateway);
    let mut all: Vec<Pair<'s>> = Vec::new();
    for (step, of_direct) in &direct_of {
        if let Some(of_gateway) = gateway_of.get(step) {
            all.extend(of_direct.iter().copied().zip(of_gateway.iter().copied()));
        }
    }
    all.sort_by_key(|(direct, _)| direct.shown.id);
    all
}

fn by_step(sights: &[Sight]) -> BTreeMap<Step<'_>, Vec<&Sight>> {
    let mut all: BTreeMap<Step<'_>, Vec<&Sight>> = BTreeMap::new();
    for sight in sights {
        all.entry((&sight.case, &sight.over, &sight.called)).or_default().push(sight);
    }
    all.values_mut().for_each(|of| of.sort_by_key(|sight| sight.shown.id));
    all
}

/// In what the exchanges of cases differ, each kind of difference once. What follows the first that differs in a case may follow from
/// it, and is left aside.
pub(super) fn differences(pairs: &[Pair<'_>], cases: &BTreeSet<&str>) -> Vec<Difference> {
    let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut found: Vec<Difference> = Vec::new();
    for (direct, gateway) in pairs.iter().filter(|(direct, _)| cases.contains(direct.case.as_str())) {
        if seen.contains(&(&direct.case, &direct.over)) {
            continue;
        }
        let Some(difference) = difference(direct, gateway) else { continue };
        seen.insert((&direct.case, &direct.over));
        let trial = Trial { case: direct.case.clone(), over: direct.over.clone() };
        match found.iter_mut().find(|known| known.is_same(&difference)) {
            Some(known) => known.shown_by.push(trial),
            None => found.push(Difference { shown_by: vec![trial], ..difference }),
        }
    }
    for difference in &mut found {
        let over: BTreeSet<String> = difference.shown_by.iter().map(|trial| trial.over.clone()).collect();
        difference.interfaces = over.into_iter().filter(|over| !over.is_empty()).collect();
    }
    found
}

/// In what two exchanges differ, if they do.
pub(super) fn difference(direct: &Sight, gateway: &Sight) -> Option<Difference> {
    let (kind, what) = kind(direct, gateway).filter(|_| !is_guarded_against(direct, gateway))?;
    let message = what.unwrap_or_else(|| message(kind, direct, gateway));
    Some(shown(kind, message, direct, gateway))
}

/// A difference with what came on each side, and the exchanges that show it.
pub(super) fn shown(kind: Kind, message: impl Into<String>, direct: &Sight, gateway: &Sight) -> Difference {
    let difference = Difference::new(kind, message).between(direct.outcome(), gateway.outcome());
    difference.shown(Some(direct.shown.clone()), Some(gateway.shown.clone()))
}

/// Whether a gateway refuses a NUL in a target, as it should where nobody expects one (RFC 3986, section 7.3).
fn is_guarded_against(direct: &Sight, gateway: &Sight) -> bool {
    gateway.status == Some(400) && direct.shown.request.url.contains("%00")
}

fn message(kind: Kind, direct: &Sight, gateway: &Sight) -> String {
    if kind == Kind::NoResponse {
        return format!("no response through the gateway: {}", gateway.outcome());
    }
    format!("{} directly, {} through the gateway ({})", direct.outcome(), gateway.outcome(), named(kind))
}

/// What a kind of difference between two responses means.
fn named(kind: Kind) -> &'static str {
    match kind {
        Kind::BodyLimit => "a limit for bodies",
        Kind::HeaderLimit => "a limit for headers",
        Kind::TimeLimit => "a time limit",
        Kind::RateLimit => "a rate limit",
        Kind::CredentialsLost => "credentials",
        Kind::MethodRefused => "a method that the gateway refuses",
        Kind::Unavailable => "the gateway does not reach the agent",
        Kind::BodyReplaced => "the body is replaced",
        Kind::BodyCut => "the body is cut",
        Kind::Compressed => "compressed without Accept-Encoding",
        Kind::TrailersLost => "the trailers are lost",
        Kind::Error => "another error",
        Kind::NoResponse => "no response",
        _ => "another status",
    }
}

/// The kind of difference between two exchanges, with words of its own where it has some.
fn kind(direct: &Sight, gateway: &Sight) -> Option<(Kind, Option<String>)> {
    let (Some(before), Some(after)) = (direct.status, gateway.status) else {
        let is_lost = direct.status.is_some() && gateway.status.is_none() && gateway.is_lost();
        return is_lost.then_some((Kind::NoResponse, None));
    };
    if before != after {
        return Some((of_status(before, after, &gateway.body), None));
    }
    if let Body::Encoded(encoding) = &gateway.body
        && !matches!(direct.body, Body::Encoded(_))
    {
        return Some((Kind::Compressed, Some(format!("the gateway encodes bodies with {encoding}, unasked"))));
    }
    if !gateway.has_grpc_status && direct.has_grpc_status {
        return Some((Kind::TrailersLost, Some("the trailers of gRPC are lost".to_owned())));
    }
    if let Some(of_stream) = of_streams(direct, gateway) {
        return Some(of_stream);
    }
    match (&direct.body, &gateway.body) {
        (Body::Json, Body::Broken) => return Some((Kind::BodyCut, None)),
        (Body::Json, _) if gateway.is_lost() && !direct.is_lost() => return Some((Kind::BodyCut, None)),
        (Body::Json | Body::Stream { .. }, Body::Html | Body::Text | Body::Empty) => {
            return Some((Kind::BodyReplaced, None));
        }
        _ if direct.error != gateway.error && (direct.error.is_some() || before >= 400) => {
            return Some((Kind::Error, None));
        }
        _ => {}
    }
    let (named, at_gateway) = (direct.media_type()?, gateway.media_type());
    let is_same = Some(&named) == at_gateway.as_ref();
    let at_gateway = at_gateway.unwrap_or_else(|| "nothing".to_owned());
    let what = format!("Content-Type is {named} directly, {at_gateway} through the gateway");
    (!is_same).then_some((Kind::MediaType, Some(what)))
}

/// What another status means.
fn of_status(before: u16, after: u16, body: &Body) -> Kind {
    match after {
        413 => Kind::BodyLimit,
        414 | 431 => Kind::HeaderLimit,
        408 | 504 => Kind::TimeLimit,
        429 => Kind::RateLimit,
        502 | 503 => Kind::Unavailable,
        401 | 403 | 407 => Kind::CredentialsLost,
        405 => Kind::MethodRefused,
        _ if before < 400 && after >= 400 && *body == Body::Html => Kind::BodyReplaced,
        _ => Kind::Status,
    }
}

/// In what two streams differ.
fn of_streams(direct: &Sight, gateway: &Sight) -> Option<(Kind, Option<String>)> {
    let Body::Stream { events, fields, is_final } = &direct.body else { return None };
    let cut = || Some("streams are cut before their end".to_owned());
    let Body::Stream { events: came, fields: kept, is_final: ends } = &gateway.body else { return None };
    let is_whole = direct.ended == Ended::Complete;
    let is_cut =
        is_whole && (gateway.is_lost() || (gateway.ended == Ended::Complete && *is_final && !ends && came < events));
    if is_cut {
        return Some((Kind::StreamCut, cut()));
    }
    let lost: Vec<&str> = fields.difference(kept).map(String::as_str).filter(|field| *field != "data").collect();
    if !lost.is_empty() && *came > 0 {
        return Some((Kind::StreamRewritten, Some(format!("streams lose the field {}", lost.join(", ")))));
    }
    None
}
