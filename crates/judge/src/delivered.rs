//! What came to a webhook, and whether it is as expected.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::expectation::{conditions, places};
use super::matcher::{check, describe};
use super::{Judged, Judgement, Observation, StepRecord};
use crate::case::{Assertion, Expect};
use crate::diagnostic::words::count_as;
use crate::finding::{Finding, Kind};
use crate::profile::{Binding, Profile};
use crate::reason::Reason;
use crate::transcript::{Answer, Content, Delivered, Ended, Exchange, Payload, Unreadable};
use crate::wire::json;

/// Why what was waited for was not seen.
pub(crate) fn missing(delivered: &Delivered) -> Reason {
    match delivered.answers.len() {
        0 => match delivered.handshake.clone().filter(|_| !delivered.was_reached) {
            Some(how) => Reason::WebhookHandshake { url: delivered.url.clone(), how },
            None => Reason::NothingDelivered { url: delivered.url.clone() },
        },
        some => Reason::TooLittleDelivered {
            limit: delivered.limit.as_secs_f32().to_string(),
            deliveries: count_as(some, "delivery", "deliveries"),
        },
    }
}

/// A delivery with its payload, read as the version has it, whatever binding the client speaks over.
pub fn read(profile: &Profile, binding: Binding, exchange: Arc<Exchange>) -> Answer {
    let content = match json::parse(&exchange.request.body, &json::Limits::default()) {
        _ if !matches!(exchange.ended, Ended::Complete | Ended::HungUp) => Content::Lost,
        Ok(document) => {
            let reading = Arc::new(profile.read_notification(document.value()));
            Content::Result(Payload { document, base: String::new(), reading })
        }
        Err(error) => Content::Unreadable(Unreadable {
            is_too_much: error.kind.is_limit(),
            ..Unreadable::new(format!("a body that is not JSON: {}", error.kind), Some(error.offset))
        }),
    };
    Answer { binding, exchange, content }
}

/// Judges a step that waits for deliveries. Silence is wrong only of an agent that is known to get here.
pub(super) fn step(played: &StepRecord, delivered: &Delivered) -> Judged {
    let Some(expect) = &played.expect else {
        return match delivered.is_enough {
            true => Judged::new([], Vec::new()),
            false => Judgement::Unseen(missing(delivered)).into(),
        };
    };
    if !delivered.is_enough {
        if !delivered.was_reached {
            return Judgement::Unseen(missing(delivered)).into();
        }
        let mut finding = Finding::new(Kind::DeliveryMissing)
            .compare("a delivery", format!("{} within {} s", received(delivered), delivered.limit.as_secs_f32()));
        finding.exchange = delivered.answers.last().map(|answer| answer.exchange.number);
        finding.assertion = Assertion::Result.name();
        finding.source.clone_from(&played.source);
        return Judged::new([], vec![finding]);
    }
    let written = played.written.as_ref().unwrap_or(expect);
    let mut findings = places(expect, written, &played.seen);
    findings.extend(delivered.answers.iter().flat_map(|answer| heads(expect, written, answer)));
    for finding in &mut findings {
        finding.source.clone_from(&played.source);
    }
    let places = expect.at.keys().map(|place| Assertion::At(place));
    let heads = expect.http.keys().map(|name| Assertion::Http(name)).filter(|_| !delivered.answers.is_empty());
    let asked = std::iter::once(Assertion::Result).chain(places).chain(heads);
    Judged::new(asked.map(|assertion| assertion.name()), findings)
}

fn received(delivered: &Delivered) -> String {
    match delivered.answers.len() {
        0 => "none".to_owned(),
        some => format!("{}, none of which is it,", count_as(some, "delivery", "deliveries")),
    }
}

/// In what the method and the headers of a delivery are not as expected.
fn heads(expect: &Expect, written: &Expect, answer: &Answer) -> Vec<Finding> {
    let request = &answer.exchange.request;
    let mut findings = Vec::new();
    for (name, matcher) in &expect.http {
        let condition = written.http.get(name).map(describe).unwrap_or_default();
        let (kind, value) = match name.as_str() {
            "method" => (Kind::DeliveryMethod { condition }, Some(request.method.as_str())),
            name => (Kind::DeliveryHeader { name: name.to_owned(), condition }, request.header(name)),
        };
        let holder: Map<String, Value> = value.into_iter().map(|value| ("it".to_owned(), value.into())).collect();
        for mismatch in check(&Value::Object(holder), "/it", matcher) {
            let mut finding = Finding::new(kind.clone())
                .compare(mismatch.expected, mismatch.received)
                .in_exchange(answer.exchange.number);
            finding.assertion = Assertion::Http(name).name();
            findings.push(finding);
        }
    }
    findings
}

/// Whether the agent is in the state that the case is about; if not, why.
pub(super) fn reached(played: &StepRecord, delivered: &Delivered) -> Result<(), Reason> {
    if !delivered.is_enough && !played.reach.is_empty() {
        return Err(missing(delivered));
    }
    let root = delivered.value();
    conditions(played, |place, matcher| {
        let named = if place.is_empty() { "what was delivered".to_owned() } else { format!("`{place}`") };
        (named, check(&root, place, matcher))
    })
}

impl Observation {
    /// What came to a webhook, where that was waited for.
    pub(super) fn delivered(&self) -> Option<&Delivered> {
        match self {
            Self::Deliveries(delivered) => Some(delivered),
            _ => None,
        }
    }
}
