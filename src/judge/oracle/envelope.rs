//! JSON texts and JSON-RPC envelopes, over everything that was seen.

use serde_json::Value;

use super::tasks::first_few;
use super::{member, settle, text};
use crate::judge::expectation::barrier;
use crate::judge::{CaseView, Judgement, RunView};
use crate::profile::Profile;
use crate::report::model::{Finding, show};
use crate::transcript::{Answer, ErrorObject, EventSaid, Said};
use crate::wire::http::MediaType;
use crate::wire::json::{self, Document};
use crate::wire::jsonrpc::{Id, IdMatch, Request, classify, read_response};

/// A JSON text that an agent sent as a response: a body, or the data of an event.
struct Sent<'a> {
    answer: &'a Answer,
    event: Option<usize>,
    document: &'a Document,
}

impl Sent<'_> {
    fn finding(&self, pointer: &str, message: impl Into<String>) -> Finding {
        let mut finding = Finding::new(message).at(self.answer.exchange.number, pointer);
        finding.event = self.event;
        finding
    }
}

/// Every response object of a run that could be parsed.
fn sent(answers: &[Answer]) -> Vec<Sent<'_>> {
    let mut found = Vec::new();
    for answer in answers {
        let mut add = |event, document| found.push(Sent { answer, event, document });
        match &answer.said {
            Said::Result(payload) => add(None, &payload.document),
            Said::Error(error) => add(None, &error.document),
            Said::Stream(events) => {
                for (index, event) in events.iter().enumerate() {
                    match &event.said {
                        EventSaid::Result(payload) => add(Some(index), &payload.document),
                        EventSaid::Error(error) => add(Some(index), &error.document),
                        EventSaid::Unreadable(_) => {}
                    }
                }
            }
            _ => {}
        }
    }
    found
}

fn judged(seen: usize, what: &str, findings: Vec<Finding>) -> Judgement {
    match seen {
        0 => Judgement::Unseen(format!("the run saw no {what}")),
        _ => Judgement::of(first_few(findings.into_iter())),
    }
}

/// Bodies that call themselves JSON are JSON by RFC 8259: the grammar, UTF-8, no byte order mark.
pub(super) fn json_text(view: RunView<'_>, _: &Value) -> Judgement {
    let mut findings = Vec::new();
    let mut seen = 0;
    for answer in view.answers {
        let Some(response) = &answer.exchange.response else { continue };
        let media_type = response.header("content-type").and_then(MediaType::parse);
        let is_json = media_type.is_some_and(|kind| kind.essence() == "application/json");
        if is_json && !response.body.is_empty() && !matches!(answer.said, Said::Lost | Said::Stream(_)) {
            seen += 1;
            if let Err(error) = json::parse(&response.body, &json::Limits::default()) {
                let message = format!("a body is not JSON: {} at {}", error.kind, error.position);
                findings.push(Finding::new(message).in_exchange(answer.exchange.number));
            }
        }
    }
    judged(seen, "JSON body", findings)
}

/// No object names a member twice (RFC 8259 section 4 SHOULD).
pub(super) fn duplicate_keys(view: RunView<'_>, _: &Value) -> Judgement {
    let sent = sent(view.answers);
    let mut findings = Vec::new();
    for one in &sent {
        for duplicate in one.document.duplicates() {
            let message = format!("an object names the member {:?} twice", duplicate.key);
            findings.push(one.finding(&duplicate.pointer, message));
        }
    }
    judged(sent.len(), "response", findings)
}

/// Responses keep JSON-RPC 2.0 section 5; their ids are judged apart.
pub(super) fn envelope(view: RunView<'_>, _: &Value) -> Judgement {
    let mut findings = Vec::new();
    let mut seen = 0;
    for one in sent(view.answers) {
        seen += 1;
        for problem in read_response(one.document).problems.into_iter().filter(|problem| problem.pointer != "/id") {
            let message = "a response is not as JSON-RPC 2.0 wants it";
            findings.push(one.finding(&problem.pointer, message).compare(problem.expected, problem.actual));
        }
    }
    for answer in view.answers {
        if let Said::Unreadable(unreadable) = &answer.said
            && answer.exchange.request.rpc_id.is_some()
            && !is_refused_by_http(answer)
        {
            seen += 1;
            findings.push(
                Finding::new("an answer is no JSON-RPC response")
                    .compare("a response object", unreadable.reason.clone())
                    .in_exchange(answer.exchange.number),
            );
        }
    }
    judged(seen, "response", findings)
}

/// Whether a request was turned away before it came to JSON-RPC: for its credentials (1.0 section 3.3.2, 0.3 section
/// 4.4), for its media type (RFC 9110 15.5.16), or by a server that has too much to do (1.0 section 3.3.2). Whether it
/// should have been is for the case that sent it.
fn is_refused_by_http(answer: &Answer) -> bool {
    answer.exchange.response.as_ref().is_some_and(|response| {
        let is_client_error = (400..500).contains(&response.status);
        barrier(response.status).is_some() || response.status == 415 || (is_client_error && is_foreign(answer))
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
pub(super) fn response_id(view: RunView<'_>, _: &Value) -> Judgement {
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
            let actual = found.map_or_else(|| "nothing there".to_owned(), |node| show(&node.to_value()));
            let message = "a response does not carry the id of its request";
            findings.push(one.finding("/id", message).compare(show(wanted), actual));
        }
    }
    judged(seen, "response to a request with an id", findings)
}

/// Where the id of a request cannot be read, the answer's is null (JSON-RPC 2.0 section 5). Of a wrong request with a
/// good id, an agent may have read it or not.
pub(super) fn unreadable_id(view: RunView<'_>, _: &Value) -> Judgement {
    let mut findings = Vec::new();
    let mut seen = 0;
    for one in sent(view.answers) {
        let request = &one.answer.exchange.request;
        let readable = match classify(&request.body) {
            Request::ParseError(_) => None,
            Request::Invalid(invalid) => invalid.id,
            Request::Call(_) | Request::Notification { .. } | Request::Batch(_) => continue,
        };
        // A server that reads more into the text than there is (a lenient parser may, RFC 8259 section 9) has its own case.
        if !could_not_be_read(&one) {
            continue;
        }
        seen += 1;
        let found = one.document.root().get("id");
        let is_right = found.is_some_and(|found| {
            found.is_null() || readable.as_ref().is_some_and(|id| id.compare(found) != IdMatch::Different)
        });
        if !is_right {
            let actual = found.map_or_else(|| "nothing there".to_owned(), |node| show(&node.to_value()));
            let expected = if readable.is_some() { "null, or the id of the request" } else { "null" };
            let message = "an answer to what is no request does not have the id null";
            findings.push(one.finding("/id", message).compare(expected, actual));
        }
    }
    judged(seen, "answer to what is no request", findings)
}

/// Whether the agent says that it could not read the request: then the id is null (JSON-RPC 2.0 section 5). Whether it
/// should have been able to is for the cases that sent it.
fn could_not_be_read(sent: &Sent<'_>) -> bool {
    let code = sent.document.at("/error/code").and_then(|code| code.as_number()).and_then(json::Number::as_whole_i64);
    matches!(code, Some(-32700 | -32600))
}

/// Whether the agent refused a request for its media type, or its client, before it looked into the body.
fn was_not_looked_into(sent: &Sent<'_>) -> bool {
    sent.document.at("/error").is_some() && (is_foreign(sent.answer) || is_refused_by_http(sent.answer))
}

/// Unary responses say that they are JSON.
pub(super) fn media_type(view: RunView<'_>, _: &Value) -> Judgement {
    let mut findings = Vec::new();
    let mut seen = 0;
    for answer in view.answers {
        let (Said::Result(_) | Said::Error(_), Some(response)) = (&answer.said, &answer.exchange.response) else {
            continue;
        };
        seen += 1;
        let header = response.header("content-type");
        let kind = header.and_then(MediaType::parse);
        if kind.is_none_or(|kind| kind.essence() != "application/json") {
            let actual = header.unwrap_or("no content-type").to_owned();
            let message = "a response is not declared as JSON";
            findings
                .push(Finding::new(message).compare("application/json", actual).in_exchange(answer.exchange.number));
        }
    }
    judged(seen, "response", findings)
}

/// Every error object of a run with its exchange, but for requests in another version's name: those an agent may
/// answer in that version's shape.
fn errors<'a>(view: &RunView<'a>) -> Vec<(&'a Answer, &'a ErrorObject)> {
    let is_ours = |answer: &&Answer| {
        view.profile.facts.headers.iter().all(|(name, value)| {
            let sent = answer.exchange.request.headers.iter().find(|(sent, _)| sent.eq_ignore_ascii_case(name));
            sent.is_some_and(|(_, sent)| sent == value)
        })
    };
    let ours = view.answers.iter().filter(is_ours);
    ours.flat_map(|answer| answer.errors().into_iter().map(move |error| (answer, error))).collect()
}

fn at_error(answer: &Answer, error: &ErrorObject, inner: &str, message: impl Into<String>) -> Finding {
    let mut finding = Finding::new(message).at(answer.exchange.number, format!("{}{inner}", error.base));
    if matches!(answer.said, Said::Stream(_)) {
        finding.event = answer.errors().iter().position(|known| std::ptr::eq(*known, error));
    }
    finding
}

/// Details of errors are a list of objects that name their type (1.0 section 9.5).
pub(super) fn error_details(view: RunView<'_>, _: &Value) -> Judgement {
    let mut findings = Vec::new();
    let mut seen = 0;
    for (answer, error) in errors(&view) {
        let Some(data) = error.value.get("data").filter(|data| !data.is_null()) else { continue };
        seen += 1;
        let Some(details) = data.as_array() else {
            findings.push(
                at_error(answer, error, "/data", "the details of an error are no list")
                    .compare("a list of objects with `@type`", show(data)),
            );
            continue;
        };
        for (index, detail) in details.iter().enumerate() {
            if !detail.get("@type").is_some_and(Value::is_string) {
                let message = "a detail of an error does not name its type";
                findings.push(
                    at_error(answer, error, &format!("/data/{index}"), message)
                        .compare("an object with `@type`", show(detail)),
                );
            }
        }
    }
    judged(seen, "error with details", findings)
}

/// Errors of A2A come with a `google.rpc.ErrorInfo` (1.0 section 9.5: SHOULD in 1.0.1, MUST in 1.0.0).
pub(super) fn error_info(view: RunView<'_>, _: &Value) -> Judgement {
    let mut findings = Vec::new();
    let mut seen = 0;
    for (answer, error) in errors(&view) {
        let Some(reason) = error.name().and_then(|name| reason(view.profile, name)) else { continue };
        seen += 1;
        let info = error.info();
        let domain = view.profile.facts.error_domain.as_deref().unwrap_or_default();
        let wanted =
            format!("google.rpc.ErrorInfo with reason {reason} and domain {domain} (SHOULD in 1.0.1, MUST in 1.0.0)");
        let right = info.is_some_and(|info| {
            info.get("reason").and_then(Value::as_str) == Some(reason)
                && info.get("domain").and_then(Value::as_str) == Some(domain)
        });
        if !right {
            let actual = info.or_else(|| error.value.get("data")).map_or_else(|| "no details".to_owned(), show);
            let message = format!("{} does not say what it is in an ErrorInfo", error.name().unwrap_or("an error"));
            findings.push(at_error(answer, error, "", message).compare(wanted, actual));
        }
    }
    judged(seen, "error of A2A", findings)
}

fn reason<'a>(profile: &'a Profile, name: &str) -> Option<&'a str> {
    profile.facts.errors.get(name)?.reason.as_deref()
}

/// Errors have something to read (1.0 section 3.3.2, 0.3 section 6.12).
pub(super) fn error_message(view: RunView<'_>, _: &Value) -> Judgement {
    let errors = errors(&view);
    let mut findings = Vec::new();
    for (answer, error) in &errors {
        let message = error.value.get("message");
        if message.and_then(Value::as_str).is_none_or(|text| text.trim().is_empty()) {
            let actual = message.map_or_else(|| "nothing there".to_owned(), show);
            findings.push(
                at_error(answer, error, "/message", "an error has no message for people")
                    .compare("a string that is not empty", actual),
            );
        }
    }
    judged(errors.len(), "error", findings)
}

/// Every event of a stream carries the id of the request.
pub(super) fn stream_rpc_id(view: CaseView<'_>, args: &Value) -> Judgement {
    settle((|| {
        let answer = view.stream(member(args, "stream")?)?;
        let wanted = member(args, "id")?;
        let Some(id) = Id::from_value(wanted) else {
            return Err(Judgement::Broken(format!("{wanted} is no id")));
        };
        let mut findings = Vec::new();
        for one in sent(std::slice::from_ref(answer)) {
            let found = one.document.root().get("id");
            if found.is_none_or(|found| id.compare(found) == IdMatch::Different) {
                let actual = found.map_or_else(|| "nothing there".to_owned(), |node| show(&node.to_value()));
                let message = "an event does not carry the id of its request";
                findings.push(one.finding("/id", message).compare(show(wanted), actual));
            }
        }
        Ok(Judgement::of(first_few(findings.into_iter())))
    })())
}

/// The agent does not serve the request: an error, or HTTP 4xx.
pub(super) fn not_served(view: CaseView<'_>, args: &Value) -> Judgement {
    settle((|| {
        let Some(answer) = view.step(text(args)?)?.seen.answer() else {
            return Err(Judgement::Unseen("nothing came back".to_owned()));
        };
        let refused_by_http =
            answer.exchange.response.as_ref().is_some_and(|response| (400..500).contains(&response.status));
        if answer.refusal().is_some() || refused_by_http {
            return Ok(Judgement::Right);
        }
        let finding = Finding::new("the agent serves a request that it need not")
            .compare("an error, or HTTP 4xx", crate::judge::describe(answer))
            .in_exchange(answer.exchange.number);
        Ok(Judgement::Wrong(vec![finding]))
    })())
}

/// A request was served: for requests of which only a later step shows that they had to be.
pub(super) fn served(view: CaseView<'_>, args: &Value) -> Judgement {
    settle((|| {
        let Some(answer) = view.step(text(args)?)?.seen.answer() else {
            return Err(Judgement::Unseen("nothing came back".to_owned()));
        };
        let Some(error) = answer.refusal() else { return Ok(Judgement::Right) };
        let finding = Finding::new("the agent refuses a request that it must serve")
            .compare("a result", crate::judge::describe(answer))
            .at(answer.exchange.number, format!("{}/code", error.base));
        Ok(Judgement::Wrong(vec![finding]))
    })())
}

/// A batch is answered call by call, or refused as a whole (JSON-RPC 2.0 section 6; A2A does not speak of batches).
pub(super) fn batch_answers(view: CaseView<'_>, args: &Value) -> Judgement {
    settle((|| {
        let name = text(member(args, "step")?)?;
        let ids = member(args, "ids")?.as_array().cloned().unwrap_or_default();
        let Some(answer) = view.step(name)?.seen.answer() else {
            return Err(Judgement::Unseen("nothing came back".to_owned()));
        };
        let number = answer.exchange.number;
        let document = match &answer.said {
            Said::Batch(document) => document,
            Said::Error(error) if error.is("InvalidRequestError") => return Ok(Judgement::Right),
            Said::Error(error) => {
                let finding = at_error(answer, error, "/code", "a batch is refused with the wrong error")
                    .compare("a list of responses, or InvalidRequestError", show(&error.value));
                return Ok(Judgement::Wrong(vec![finding]));
            }
            _ => {
                let finding = Finding::new("a batch is answered with neither a list nor an error");
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
                let finding =
                    Finding::new("an item of a batch's answer is no response").at(number, format!("/{index}"));
                findings.push(finding.compare("jsonrpc \"2.0\" and one of result and error", show(one)));
            }
        }
        for id in &ids {
            let count = answers.iter().filter(|answer| answer.get("id") == Some(id)).count();
            if count != 1 {
                let finding = Finding::new(format!("the call {id} of a batch is not answered once"));
                findings.push(finding.compare("one response", format!("{count} responses")).in_exchange(number));
            }
        }
        if answers.len() != ids.len() {
            let finding = Finding::new("a batch has another number of answers than of calls");
            findings.push(finding.compare(ids.len().to_string(), answers.len().to_string()).in_exchange(number));
        }
        Ok(Judgement::of(findings))
    })())
}
