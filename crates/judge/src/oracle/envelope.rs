//! JSON-RPC envelopes.

use std::collections::BTreeSet;

use serde_json::Value;

use super::args::{BatchAnswers, Nothing, RpcId, StreamRpcId};
use super::errors::at_error;
use super::tasks::first_few;
use super::texts::{Sent, sent};
use super::{judged, judged_apart, judgement_of, violates};
use crate::cause::{AN_ERROR, MALFORMED, failure, is_codeless, name_of, of_another_kind};
use crate::finding::{Finding, Follows, Kind, show, show_found};
use crate::profile::Operation;
use crate::reason::Reason;
use crate::transcript::{Answer, Content};
use crate::wire::http::{MediaType, is_before_the_agent};
use crate::wire::json;
use crate::wire::jsonrpc::{Id, IdMatch, Request, classify, read_response, read_with_null_error};
use crate::{CaseView, Judged, Judgement, RunView, describe};

/// What `envelope` asserts: that each answer is a response object, that it says its version, that it has exactly one of result
/// and error, what an error is and has, and that its code is none of those that nobody may use.
pub(super) const ENVELOPE: &[&str] =
    &["object", "/jsonrpc", "result-or-error", "/error", "/error/code", "/error/message", "reserved-code"];

/// Responses keep JSON-RPC 2.0 section 5; their ids are judged apart.
pub(super) fn envelope(view: RunView<'_>, _: &Nothing) -> Judged {
    let null_error = view.profile.facts.bindings.get(&view.binding).is_some_and(|facts| facts.null_error);
    let mut findings = Vec::new();
    let mut held = BTreeSet::new();
    let strange = strange(view.answers);
    let objects = strange
        .iter()
        .filter_map(|(answer, document)| Some(Sent { answer, event: None, document: document.as_ref()? }));
    for one in sent(view.answers).into_iter().chain(objects) {
        let may_be_null = null_error && one.event.is_some();
        let read = if may_be_null { read_with_null_error(one.document) } else { read_response(one.document) };
        let is_object = one.document.root().as_object().is_some();
        held.insert("object");
        held.extend(["/jsonrpc", "result-or-error"].into_iter().filter(|_| is_object));
        if let Some(error) = &read.error {
            held.insert("/error");
            held.extend(["/error/code", "/error/message"].into_iter().filter(|_| error.node.as_object().is_some()));
            if let Some(code) = error.code {
                held.insert("reserved-code");
                if is_for_nobody(code) {
                    let condition = "a code that JSON-RPC defines or leaves to servers";
                    let (place, value) = ("/error/code".to_owned(), condition.to_owned());
                    let kind = Kind::EnvelopeValue { place, condition: value };
                    let finding = one.finding("/error/code", kind).compare(condition, code.to_string());
                    findings.push(violates("reserved-code", finding));
                }
            }
        }
        for problem in read.problems.into_iter().filter(|problem| problem.pointer != "/id") {
            let asserted = match problem.pointer.as_str() {
                "" if is_object => "result-or-error",
                "" => "object",
                place => place,
            }
            .to_owned();
            let (place, condition) = (problem.pointer.to_owned(), problem.expected.to_owned());
            let kind =
                if place.is_empty() { Kind::Envelope { condition } } else { Kind::EnvelopeValue { place, condition } };
            let finding = one.finding(&problem.pointer, kind).compare(problem.expected, problem.actual);
            findings.push(violates(&asserted, finding));
        }
    }
    for (answer, document) in &strange {
        if document.is_none() {
            let finding = Finding::new(Kind::NoResponseObject).compare("a response object", describe(answer));
            findings.push(violates("object", finding.in_exchange(answer.exchange.number)));
        }
    }
    if let Some(first) = findings.first_mut() {
        first.entails = without_responses(view.answers, strange.iter().map(|(answer, _)| *answer));
    }
    match held.is_empty() && findings.is_empty() {
        true => Judgement::Unseen(Reason::run_saw_no("response")).into(),
        false => judged_apart(held, findings),
    }
}

/// Whether JSON-RPC reserves a code, and neither defines it nor leaves it to servers (section 5.1).
fn is_for_nobody(code: i64) -> bool {
    let is_reserved = (-32_768..=-32_000).contains(&code);
    let is_defined = code == -32_700 || (-32_603..=-32_600).contains(&code);
    let is_left_to_servers = (-32_099..=-32_000).contains(&code);
    is_reserved && !is_defined && !is_left_to_servers
}

/// Answers that are no responses, with what they say where that is an object: what is wrong with it is not that it is none.
fn strange(answers: &[Answer]) -> Vec<(&Answer, Option<json::Document>)> {
    let read = |answer: &Answer| {
        let body = &answer.exchange.response.as_ref()?.body;
        let document = json::parse(body, &json::Limits::default()).ok()?;
        let problems = read_response(&document).problems;
        let is_told = document.root().as_object().is_some() && problems.iter().any(|problem| problem.pointer != "/id");
        is_told.then_some(document)
    };
    answers.iter().filter(|answer| no_response(answer)).map(|answer| (answer, read(answer))).collect()
}

/// The operations of strange answers that never had a result in the run: what else is wrong with their answers follows from that. Where
/// one was served, what came in place of a response was due to what was sent, and that is for the case that sent it.
fn without_responses<'a>(answers: &[Answer], strange: impl Iterator<Item = &'a Answer>) -> Vec<Follows> {
    let is_served = |operation: Operation| {
        let served = |answer: &Answer| matches!(answer.content, Content::Result(_) | Content::Stream(_));
        answers.iter().any(|answer| answer.exchange.request.operation == Some(operation) && served(answer))
    };
    let operations: BTreeSet<Operation> = strange.filter_map(|answer| answer.exchange.request.operation).collect();
    let never = operations.into_iter().filter(|operation| !is_served(*operation));
    never.map(|operation| Follows::NoResponse { operation: operation.to_string() }).collect()
}

/// Whether a call was answered with what is no JSON-RPC response.
pub(crate) fn no_response(answer: &Answer) -> bool {
    matches!(answer.content, Content::Unreadable(_))
        && answer.exchange.request.rpc_id.is_some()
        && !is_refused_by_http(answer)
}

/// Whether a request was turned away before it came to JSON-RPC: for its credentials (1.0 section 3.3.2, 0.3 section
/// 4.4), for its media type (RFC 9110 15.5.16) or its size, or by a server that has too much to do (1.0 section 3.3.2). Whether it
/// should have been is for the case that sent it.
fn is_refused_by_http(answer: &Answer) -> bool {
    answer.exchange.response.as_ref().is_some_and(|response| {
        let is_client_error = (400..500).contains(&response.status);
        is_before_the_agent(response.status) || response.status == 415 || (is_client_error && is_foreign(answer))
    })
}

/// Whether a request is declared as something else than JSON.
fn is_foreign(answer: &Answer) -> bool {
    let headers = &answer.exchange.request.headers;
    let header = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let kind = header.and_then(|(_, value)| MediaType::parse(value));
    kind.is_none_or(|kind| kind.essence() != "application/json")
}

/// Every response carries the id of its request.
pub(super) fn response_id(view: RunView<'_>, _: &Nothing) -> Judgement {
    let mut findings = Vec::new();
    let mut seen = 0;
    for one in sent(view.answers) {
        let Some(wanted) = one.answer.exchange.request.rpc_id.as_ref() else { continue };
        let Some(id) = Id::from_value(wanted) else { continue };
        let found = one.document.root().get("id");
        if found.is_some_and(json::Node::is_null) && (could_not_be_read(&one) || was_not_looked_into(&one)) {
            continue;
        }
        seen += 1;
        if found.is_none_or(|found| id.compare(found) == IdMatch::Different) {
            let actual = show_found(found.map(|node| node.to_value()).as_ref());
            findings.push(one.finding("/id", Kind::ResponseIdDiffers).compare(show(wanted), actual));
        }
    }
    judged(seen, "response to a request with an id", findings)
}

/// Where the id of a request cannot be read, the answer's is null (JSON-RPC 2.0 section 5). Of a wrong request with a
/// good id, an agent may have read it or not. Whatever the answer says otherwise, an array, an object or a boolean is no id
/// (section 4).
pub(super) fn unreadable_id(view: RunView<'_>, _: &Nothing) -> Judgement {
    let mut findings = Vec::new();
    let mut seen = 0;
    for one in sent(view.answers) {
        let request = &one.answer.exchange.request;
        let found = one.document.root().get("id");
        let is_an_id =
            |found: &json::Node| matches!(found.kind, json::Kind::String(_) | json::Kind::Number(_) | json::Kind::Null);
        // A server that reads more into the text than there is (a lenient parser may, RFC 8259 section 9) has its own case.
        if !could_not_be_read(&one) && found.is_none_or(is_an_id) {
            continue;
        }
        let readable = match classify(&request.body) {
            Request::ParseError(_) if code(&one) != Some(UNPARSED) => id_of_a_lenient_reader(&request.body),
            Request::ParseError(_) => None,
            Request::Invalid(invalid) => invalid.id,
            Request::Call(_) | Request::Notification { .. } | Request::Batch(_) => continue,
        };
        seen += 1;
        let is_right = found.is_some_and(|found| {
            found.is_null() || readable.as_ref().is_some_and(|id| id.compare(found) != IdMatch::Different)
        });
        if !is_right {
            let actual = show_found(found.map(|node| node.to_value()).as_ref());
            let expected = if readable.is_some() { "null, or the id of the request" } else { "null" };
            findings.push(one.finding("/id", Kind::UnreadableIdNotNull).compare(expected, actual));
        }
    }
    judged(seen, "answer to what is no request", findings)
}

/// Whether the agent says that it could not read the request: then the id is null (JSON-RPC 2.0 section 5). Whether it
/// should have been able to is for the cases that sent it.
fn could_not_be_read(sent: &Sent<'_>) -> bool {
    matches!(code(sent), Some(UNPARSED | NO_REQUEST))
}

/// The codes of what is no JSON, and of what is no request (JSON-RPC 2.0 section 5.1).
const UNPARSED: i64 = -32700;
const NO_REQUEST: i64 = -32600;

fn code(sent: &Sent<'_>) -> Option<i64> {
    sent.document.at("/error/code").and_then(|code| code.as_number()).and_then(json::Number::as_whole_i64)
}

/// The id in a text that is no UTF-8, for a reader that has put something in the place of what it could not decode, as a lenient one
/// may (RFC 8259 section 9). It has read the id, unless it says that it could not parse the text.
fn id_of_a_lenient_reader(body: &[u8]) -> Option<Id> {
    let text = String::from_utf8_lossy(body);
    match classify(text.as_bytes()) {
        Request::Invalid(invalid) => invalid.id,
        Request::Call(call) => Some(call.id),
        _ => None,
    }
}

/// Whether the agent refused a request for its media type, or its client, before it looked into the body.
fn was_not_looked_into(sent: &Sent<'_>) -> bool {
    sent.document.at("/error").is_some() && (is_foreign(sent.answer) || is_refused_by_http(sent.answer))
}

/// Every event of a stream carries the id of the request.
pub(super) fn stream_rpc_id(view: CaseView<'_>, args: &StreamRpcId) -> Judgement {
    judgement_of((|| {
        let answer = view.stream(&args.stream)?;
        let RpcId { id, value: wanted } = &args.id;
        let mut findings = Vec::new();
        let responses = sent(std::slice::from_ref(answer));
        if responses.is_empty() {
            return Err(Judgement::Unseen(Reason::run_saw_no("event that is a response")));
        }
        for one in responses {
            let found = one.document.root().get("id");
            if found.is_none_or(|found| id.compare(found) == IdMatch::Different) {
                let actual = show_found(found.map(|node| node.to_value()).as_ref());
                findings.push(one.finding("/id", Kind::EventIdDiffers).compare(show(wanted), actual));
            }
        }
        Ok(Judgement::of(first_few(findings.into_iter())))
    })())
}

/// What a batch may be answered with.
const AS_A_WHOLE: &str = "an array of responses, or InvalidRequestError";
/// The most items of a batch's answer that are told to be wrong.
const ENOUGH: usize = 5;

/// A batch is answered call by call, or refused as a whole (JSON-RPC 2.0 section 6; A2A does not speak of batches).
pub(super) fn batch_answers(view: CaseView<'_>, args: &BatchAnswers) -> Judgement {
    judgement_of((|| {
        let ids = &args.ids;
        let Some(answer) = view.step(&args.step)?.seen.answer() else {
            return Err(Judgement::Unseen(Reason::NothingCame));
        };
        let number = answer.exchange.number;
        let document = match &answer.content {
            Content::Batch(document) => document,
            Content::Error(error) if error.is("InvalidRequestError") => return Ok(Judgement::Right),
            _ if let Some(kind) = failure(answer) => {
                let mut finding = Finding::new(kind).compare(AS_A_WHOLE, describe(answer)).in_exchange(number);
                // As it fails at all that it cannot read.
                finding.input = (!finding.kind.is_no_answer()).then(|| MALFORMED.to_owned());
                return Ok(Judgement::Wrong(vec![finding]));
            }
            Content::Error(error) if !is_codeless(answer, error) => {
                let (expected, received) = ("InvalidRequestError".to_owned(), name_of(error));
                let kind = Kind::WrongError { operation: String::new(), expected, received };
                let finding = at_error(answer, error, "/code", kind).compare(AS_A_WHOLE, show(&error.value));
                return Ok(Judgement::Wrong(vec![finding]));
            }
            Content::Error(_) | Content::Unreadable(_) => {
                let finding = Finding::new(of_another_kind(AN_ERROR, answer));
                return Ok(Judgement::Wrong(vec![finding.compare(AS_A_WHOLE, describe(answer)).in_exchange(number)]));
            }
            _ => {
                let finding = Finding::new(Kind::BatchAnswerWrong);
                return Ok(Judgement::Wrong(vec![finding.in_exchange(number)]));
            }
        };
        let answers = document.value();
        let answers = answers.as_array().map_or(&[][..], Vec::as_slice);
        let mut findings = Vec::new();
        for (index, one) in answers.iter().enumerate() {
            let is_response = one.get("jsonrpc").and_then(Value::as_str) == Some("2.0")
                && (one.get("result").is_some() != one.get("error").is_some());
            if !is_response {
                let finding = Finding::new(Kind::BatchItemWrong).at(number, format!("/{index}"));
                findings.push(finding.compare("jsonrpc \"2.0\" and one of result and error", show(one)));
                if findings.len() == ENOUGH {
                    break;
                }
            }
        }
        for id in ids {
            let count = answers.iter().filter(|answer| answer.get("id") == Some(id)).count();
            if count != 1 {
                let finding = Finding::new(Kind::BatchCallUnanswered { id: id.to_string() });
                findings.push(finding.compare("one response", format!("{count} responses")).in_exchange(number));
            }
        }
        if answers.len() != ids.len() {
            let finding = Finding::new(Kind::BatchCountWrong);
            findings.push(finding.compare(ids.len().to_string(), answers.len().to_string()).in_exchange(number));
        }
        Ok(Judgement::of(findings))
    })())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_replaces_what_is_no_text_reads_an_id() {
        let seven = json::parse(b"7", &json::Limits::default()).unwrap();
        let is_seven = |id: &Id| id.compare(seven.root()) == IdMatch::Same;
        for body in [
            &b"{\"jsonrpc\":\"2.0\",\"id\":7,\"metho\xff\":\"GetTask\"}"[..],
            b"{\"jsonrpc\":\"\xc0\x802.0\",\"id\":7,\"method\":\"GetTask\"}",
            b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"GetTask\",\"params\":{\"id\":\"\xff\"}}",
        ] {
            assert!(id_of_a_lenient_reader(body).as_ref().is_some_and(is_seven), "{}", body.escape_ascii());
        }
        for body in [&b"{\"id\":7,"[..], b"\xff", b"{\"jsonrpc\":\"2.0\",\"metho\xff\":\"GetTask\"}", b"[]"] {
            assert_eq!(id_of_a_lenient_reader(body), None, "{}", body.escape_ascii());
        }
    }
}
