//! Routes over HTTP: whether there is one, and what is said where there is not.

use serde_json::Value;

use super::args::{Pair, StatusField, Step};
use super::{judged, judgement_of};
use crate::finding::{Finding, Kind, NOTHING};
use crate::profile::Profile;
use crate::reason::Reason;
use crate::transcript::{Answer, Response};
use crate::wire::http::barrier;
use crate::{CaseView, Judgement, RunView, describe, is_of_a2a};

/// Every HTTP answer with some status has some header field; it may be empty.
pub(super) fn status_field(view: RunView<'_>, args: &StatusField) -> Judgement {
    let (status, name) = (args.status, args.field.as_str());
    let mut findings = Vec::new();
    let mut seen = 0;
    // This is a rule of HTTP, whatever was asked for.
    for answer in view.answers.iter().chain(view.beside) {
        let has_status = |response: &&Response| response.status == status;
        let Some(response) = answer.exchange.response.as_ref().filter(has_status) else { continue };
        seen += 1;
        if response.header(name).is_none() {
            let kind = Kind::HeaderMissing { status: status.to_string(), name: name.to_owned() };
            let finding = Finding::new(kind);
            findings.push(finding.compare(name, NOTHING).in_exchange(answer.exchange.number));
        }
    }
    judged(seen, &format!("answer with HTTP {status}"), findings)
}

/// One of two requests at least came to a route of the agent's.
pub(super) fn a_route_of(view: CaseView<'_>, args: &Pair<Step>) -> Judgement {
    judgement_of((|| {
        let Pair(a, b) = args;
        let mut findings = Vec::new();
        let mut unclear = None;
        for name in [a, b] {
            let answer = view.step(name)?.seen.answer();
            let Some((answer, response)) = answer.and_then(|answer| Some((answer, answer.exchange.response.as_ref()?)))
            else {
                unclear = Some(Reason::NothingOf { step: name.to_string() });
                continue;
            };
            if barrier(response.status).is_some() {
                unclear = Some(Reason::BarredBefore { label: format!("HTTP {}", response.status) });
            } else if is_route(view.profile, answer, response.status) {
                return Ok(Judgement::Right);
            } else {
                let finding = Finding::new(Kind::NoRoute { method: answer.exchange.request.method.clone() })
                    .compare("an answer of the agent's own for one of the two", describe(answer));
                findings.push(finding.in_exchange(answer.exchange.number));
            }
        }
        match unclear {
            Some(reason) => Err(Judgement::Unseen(reason)),
            None => Ok(Judgement::Wrong(findings)),
        }
    })())
}

/// A slash more or less at the end of an interface's URL over JSON-RPC leads to the interface, too. By RFC 3986 the two are
/// different resources, unless there is no path (section 6.2.3), and no text of A2A says otherwise.
pub(super) fn slash_either_way(view: CaseView<'_>, args: &Pair<Step>) -> Judgement {
    judgement_of((|| {
        let Pair(declared, other) = args;
        let (declared, other) = (view.heard(declared)?, view.heard(other)?);
        let status = |answer: &Answer| answer.exchange.response.as_ref().map(|response| response.status);
        let is_missed = |answer: &Answer| matches!(status(answer), Some(404 | 405)) && !is_json_rpc(answer);
        for answer in [declared, other] {
            if let Some(status) = status(answer).filter(|status| barrier(*status).is_some()) {
                return Err(Judgement::Unseen(Reason::BarredBefore { label: format!("HTTP {status}") }));
            }
        }
        if is_missed(declared) {
            return Err(Judgement::Unseen(Reason::OtherAnswer { received: describe(declared) }));
        }
        if !has_path(&declared.exchange.request.url) {
            return Err(Judgement::Unseen(Reason::NoPath));
        }
        if !is_missed(other) {
            return Ok(Judgement::Right);
        }
        let finding = Finding::new(Kind::SlashMatters).compare("the answer of the interface", describe(other));
        Ok(Judgement::Wrong(vec![finding.in_exchange(other.exchange.number)]))
    })())
}

/// Whether an answer is an object of JSON-RPC, whatever its status is.
fn is_json_rpc(answer: &Answer) -> bool {
    let body = answer.exchange.response.as_ref().map(|response| response.body.as_ref()).unwrap_or_default();
    serde_json::from_slice::<Value>(body).is_ok_and(|body| body.get("jsonrpc").is_some())
}

/// Whether a URL has a path other than `/`, and no query, which a slash would come after.
fn has_path(url: &str) -> bool {
    let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = after_scheme.split_once('/').map_or("", |(_, path)| path);
    !path.is_empty() && !path.contains(['?', '#'])
}

/// Whether there is a route where a request went. A 404 may be about what it asked for, if it is an error of A2A.
fn is_route(profile: &Profile, answer: &Answer, status: u16) -> bool {
    match status {
        405 | 501 => false,
        404 => answer.refusal().is_some_and(|error| is_of_a2a(profile, answer.binding, error)),
        _ => true,
    }
}
