//! JSON texts: what they are declared as, the grammar, and members that are there twice.

use super::answers::{http_errors, whole};
use super::args::Nothing;
use super::judged;
use crate::finding::{Finding, Kind};
use crate::profile::Binding;
use crate::transcript::{Answer, Content, EventContent, Payload};
use crate::wire::http::MediaType;
use crate::wire::json::{self, Document};
use crate::{Judgement, RunView};

/// A JSON text that an agent sent as a response: a body, or the data of an event.
pub(super) struct Sent<'a> {
    pub answer: &'a Answer,
    pub event: Option<usize>,
    pub document: &'a Document,
}

impl Sent<'_> {
    pub fn finding(&self, pointer: &str, kind: Kind) -> Finding {
        let mut finding = Finding::new(kind).at(self.answer.exchange.number, pointer);
        finding.event = self.event;
        finding
    }
}

/// Every response object of a run that could be parsed. What should be one and is none is for the cases about framing.
pub(super) fn sent(answers: &[Answer]) -> Vec<Sent<'_>> {
    let mut found = Vec::new();
    for answer in answers {
        let mut add = |event, document| found.push(Sent { answer, event, document });
        match &answer.content {
            Content::Result(payload) => add(None, &payload.document),
            Content::Error(error) => add(None, &error.document),
            Content::Stream(events) => {
                for (index, event) in events.iter().enumerate() {
                    match &event.content {
                        EventContent::Result(payload) if event.mended.is_some() && is_bare(answer, payload) => {}
                        EventContent::Result(payload) => add(Some(index), &payload.document),
                        EventContent::Error(error) => add(Some(index), &error.document),
                        EventContent::Unreadable(_) => {}
                    }
                }
            }
            _ => {}
        }
    }
    // What is no JSON has no text of its own.
    found.retain(|sent| !sent.document.root().is_null());
    found
}

/// Whether an event over JSON-RPC is a result without its response.
fn is_bare(answer: &Answer, payload: &Payload) -> bool {
    answer.binding == Binding::Jsonrpc && payload.base.is_empty()
}

/// Bodies that call themselves JSON are JSON by RFC 8259: the grammar, UTF-8, no byte order mark. Over HTTP+JSON the data
/// of events, too; those of JSON-RPC are responses, which `stream-framing` reads.
pub(super) fn json_text(view: RunView<'_>, _: &Nothing) -> Judgement {
    let mut findings = Vec::new();
    let mut seen = 0;
    for answer in view.answers {
        let Some(response) = &answer.exchange.response else { continue };
        let media_type = response.header("content-type").and_then(MediaType::parse);
        let is_json = media_type.is_some_and(|kind| is_json(view.binding, &kind));
        if is_json && !response.body.is_empty() && !matches!(answer.content, Content::Lost | Content::Stream(_)) {
            seen += 1;
            let problem = if is_read_as_json(&answer.content) { None } else { not_json(&response.body) };
            if let Some(error) = problem {
                let kind = Kind::NotJson { reason: format!("{} at {}", error.kind, error.position) };
                findings.push(Finding::new(kind).in_exchange(answer.exchange.number));
            }
        }
        let events = answer.events().iter().enumerate().filter(|_| view.binding == Binding::HttpJson);
        for (index, event) in events {
            seen += 1;
            if let Some(reason) = event.mended {
                // One cause, which the case about the framing of streams reports, too.
                let kind = Kind::EventDataUnreadable { reason: reason.to_owned() };
                findings.push(Finding::new(kind).at(answer.exchange.number, "").in_event(index));
            } else if let Some(error) = not_json(event.data.as_bytes()) {
                let kind = Kind::EventNotJson { reason: format!("{} at {}", error.kind, error.position) };
                findings.push(Finding::new(kind).in_exchange(answer.exchange.number).in_event(index));
            }
        }
    }
    judged(seen, "JSON body", findings)
}

/// Whether a whole body was read as JSON already, by which it is that.
fn is_read_as_json(content: &Content) -> bool {
    match content {
        Content::Result(payload) => !payload.document.root().is_null(),
        Content::Error(error) => !error.document.root().is_null(),
        _ => false,
    }
}

/// Why a text is no JSON, if it is none.
fn not_json(text: &[u8]) -> Option<json::JsonError> {
    json::parse(text, &json::Limits::default()).err()
}

/// Whether a body of this type is JSON: over HTTP+JSON by its suffix, too (RFC 6839 section 3.1).
fn is_json(binding: Binding, kind: &MediaType) -> bool {
    kind.essence() == "application/json" || (binding == Binding::HttpJson && kind.sub.ends_with("+json"))
}

/// No object names a member twice (RFC 8259 section 4 SHOULD).
pub(super) fn duplicate_keys(view: RunView<'_>, _: &Nothing) -> Judgement {
    let sent = sent(view.answers);
    let mut findings = Vec::new();
    for one in &sent {
        for duplicate in one.document.duplicates() {
            let kind = Kind::MemberRepeated { member: format!("{:?}", duplicate.key) };
            findings.push(one.finding(&duplicate.pointer, kind));
        }
    }
    judged(sent.len(), "response", findings)
}

/// Unary responses say that they are JSON, in a media type of the binding.
pub(super) fn media_type(view: RunView<'_>, _: &Nothing) -> Judgement {
    let facts = view.profile.facts.bindings.get(&view.binding);
    let of_answers = facts.map_or(&[][..], |facts| facts.media_types.as_slice());
    let of_errors = facts.map(|facts| facts.error_media_types.as_slice()).filter(|types| !types.is_empty());
    let mut findings = Vec::new();
    let mut seen = 0;
    for answer in declared(&view) {
        let Some(response) = &answer.exchange.response else { continue };
        seen += 1;
        let header = response.header("content-type");
        let kind = header.and_then(MediaType::parse).map(|kind| kind.essence());
        let wanted = of_errors.filter(|_| matches!(answer.content, Content::Error(_))).unwrap_or(of_answers);
        if kind.is_none_or(|kind| !wanted.contains(&kind)) {
            let actual = header.unwrap_or("no content-type").to_owned();
            findings.push(
                Finding::new(Kind::JsonUndeclared)
                    .compare(wanted.join(" or "), actual)
                    .in_exchange(answer.exchange.number),
            );
        }
    }
    judged(seen, "response", findings)
}

/// The answers that have to say what they are. Over HTTP+JSON there are others on the way that answer in their own
/// form, and answers without a body.
fn declared<'a>(view: &RunView<'a>) -> Vec<&'a Answer> {
    if view.binding == Binding::Jsonrpc {
        let has_text = |answer: &&Answer| match &answer.content {
            Content::Result(_) | Content::Batch(_) => true,
            Content::Error(error) => !error.is_bare(),
            _ => false,
        };
        return view.answers.iter().filter(has_text).collect();
    }
    let results = whole(view).filter(|(answer, response)| {
        answer.binding == Binding::HttpJson
            && answer.exchange.request.operation.is_some()
            && matches!(answer.content, Content::Result(_))
            && !response.body.is_empty()
    });
    let errors = http_errors(view).into_iter().filter(|error| error.body.is_some()).map(|error| error.answer);
    results.map(|(answer, _)| answer).chain(errors).collect()
}
