//! Routes over HTTP: whether there is one, and what is said where there is not.

use super::args::{Pair, StatusField, Step};
use super::{judged, judgement_of};
use crate::finding::{Finding, Kind, NOTHING};
use crate::judge::{CaseView, Judgement, RunView, describe, is_of_a2a};
use crate::profile::Profile;
use crate::reason::Reason;
use crate::transcript::{Answer, Response};
use crate::wire::http::barrier;

/// Every HTTP answer with some status has some header field; it may be empty.
pub(super) fn status_field(view: RunView<'_>, args: &StatusField) -> Judgement {
    let (status, name) = (args.status, args.field.as_str());
    let mut findings = Vec::new();
    let mut seen = 0;
    for answer in view.answers {
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

/// Whether there is a route where a request went. A 404 may be about what it asked for, if it is an error of A2A.
fn is_route(profile: &Profile, answer: &Answer, status: u16) -> bool {
    match status {
        405 | 501 => false,
        404 => answer.refusal().is_some_and(|error| is_of_a2a(profile, answer.binding, error)),
        _ => true,
    }
}
