//! Conditions on what carries an answer: HTTP status and headers, gRPC status and metadata, the id of JSON-RPC.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::Connected;
use super::matcher::{check as check_value, describe};
use crate::case::{Assertion, Expect, Matcher, Outcome};
use crate::extension;
use crate::finding::{Finding, Kind};
use crate::profile::{Binding, Profile};
use crate::transcript::{Answer, Content, Response};
use crate::wire::json::{Document, Node};

/// What was asked of the frame of an answer, and everything in which that is not as expected.
pub(super) fn check<'a>(expect: &'a Expect, written: &Expect, answer: &Answer) -> (Vec<Assertion<'a>>, Vec<Finding>) {
    let response = answer.exchange.response.as_ref();
    let header = |name: &str| response.and_then(|response| header(response, name));
    let mut findings = Vec::new();
    let mut asked: Vec<Assertion<'a>> = Vec::new();
    if let Some(response) = response {
        asked.extend(expect.http.keys().map(|name| Assertion::Http(name)));
        let find = |name: &str, condition| match name {
            "status" => (Kind::HttpStatus { condition }, Some(Value::from(response.status))),
            name => (Kind::HttpHeader { name: name.to_owned(), condition }, header(name)),
        };
        findings.extend(conditions(&expect.http, &written.http, answer, Assertion::Http, find));
    }
    // Whoever may close the connection instead has no status.
    if response.is_none() && grpc_code(answer).is_none() && expect.outcome.contains(&Outcome::Closed) {
        return (asked, findings);
    }
    asked.extend(expect.grpc.keys().map(|name| Assertion::Grpc(name)));
    let find = |name: &str, condition| match name {
        "status" => (Kind::GrpcStatus { condition }, grpc_code(answer).map(Value::from)),
        "message" => {
            let message = answer.refusal().and_then(|error| error.value.get("message").cloned());
            (Kind::GrpcMessage { condition }, message)
        }
        name => (Kind::GrpcMetadata { name: name.to_owned(), condition }, header(name)),
    };
    findings.extend(conditions(&expect.grpc, &written.grpc, answer, Assertion::Grpc, find));
    (asked, findings)
}

/// In what a connection is not as expected.
pub(super) fn check_connection(
    expect: &Expect,
    written: &Expect,
    answer: &Answer,
    connected: &Connected,
) -> Vec<Finding> {
    let find = |name: &str, condition| (Kind::Connection { name: name.to_owned(), condition }, connected.value(name));
    conditions(&expect.connection, &written.connection, answer, Assertion::Connection, find)
}

/// Whether the id of a JSON-RPC response was asked for, and in what it is not as expected. That of a wrong answer counts, too.
pub(super) fn check_id(
    expect: &Expect,
    written: &Expect,
    answer: &Answer,
) -> (Option<Assertion<'static>>, Vec<Finding>) {
    match (&expect.rpc_id, enveloped(answer)) {
        (Some(matcher), Some(document)) => (Some(Assertion::Id), rpc_id(matcher, written, answer, document)),
        _ => (None, Vec::new()),
    }
}

/// The codes of what is no JSON, and of what is no request (JSON-RPC 2.0, section 5.1).
const NO_REQUEST: [i64; 2] = [-32700, -32600];

/// Whether an answer says that it is to no request, by its code and by the id null.
pub(super) fn says_no_request(answer: &Answer) -> bool {
    let Some(document) = enveloped(answer) else { return false };
    let has_code = answer.refusal().and_then(|error| error.code).is_some_and(|code| NO_REQUEST.contains(&code));
    has_code && document.root().get("id").is_some_and(Node::is_null)
}

/// Whether the list of active extensions was asked for, and in what it is not as expected. Over gRPC it may be with the status.
pub(super) fn check_extensions(
    profile: &Profile,
    expect: &Expect,
    written: &Expect,
    answer: &Answer,
) -> (Option<Assertion<'static>>, Vec<Finding>) {
    let Some(matcher) = expect.extensions.as_ref().filter(|_| answer.exchange.response.is_some()) else {
        return (None, Vec::new());
    };
    let found = check_value(&active_extensions(profile, answer), "", matcher).into_iter().map(|mismatch| {
        let condition = written.extensions.as_ref().map(describe).unwrap_or_default();
        let finding = Finding::new(Kind::ActiveExtensions { condition }).compare(mismatch.expected, mismatch.received);
        Finding { assertion: Assertion::Extensions.name(), ..finding.in_exchange(answer.exchange.number) }
    });
    (Some(Assertion::Extensions), found.collect())
}

/// The extensions that an answer says are active.
pub(super) fn active_extensions(profile: &Profile, answer: &Answer) -> Value {
    let fields = answer.exchange.response.iter().flat_map(|response| response.headers.iter().chain(&response.trailers));
    extension::listed(&profile.facts.extensions_headers, fields).into_iter().map(Value::from).collect()
}

/// The gRPC code that an answer comes to: what its status says, or what the protocol makes of an answer without one.
pub(super) fn grpc_code(answer: &Answer) -> Option<&str> {
    match (answer.binding, answer.refusal(), &answer.content) {
        (Binding::Grpc, Some(error), _) => Some(&error.label),
        (Binding::Grpc, None, Content::Result(_) | Content::Stream(_)) => Some("OK"),
        _ => None,
    }
}

fn header(response: &Response, name: &str) -> Option<Value> {
    let trailer = || response.trailers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    let value = response.header(name).or_else(trailer)?;
    // Media types are the same in either case (RFC 9110 section 8.3.1).
    Some(Value::from(if name == "content-type" { value.to_ascii_lowercase() } else { value.to_owned() }))
}

/// Conditions by name; `assertion` says what asserts one, `find` what a name stands for and what is there.
fn conditions<'a>(
    conditions: &'a BTreeMap<String, Matcher>,
    written: &BTreeMap<String, Matcher>,
    answer: &Answer,
    assertion: fn(&'a str) -> Assertion<'a>,
    find: impl Fn(&str, String) -> (Kind, Option<Value>),
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, matcher) in conditions {
        let condition = written.get(name).map(describe).unwrap_or_default();
        let (kind, value) = find(name, condition);
        let holder: Map<String, Value> = value.into_iter().map(|value| ("it".to_owned(), value)).collect();
        for mismatch in check_value(&Value::Object(holder), "/it", matcher) {
            let mut finding = Finding::new(kind.clone())
                .compare(mismatch.expected, mismatch.received)
                .in_exchange(answer.exchange.number);
            finding.assertion = assertion(name).name();
            findings.push(finding);
        }
    }
    findings
}

/// The JSON-RPC response that an answer is, where it is one.
fn enveloped(answer: &Answer) -> Option<&Document> {
    match &answer.content {
        Content::Result(payload) => Some(&payload.document),
        Content::Error(error) if !error.is_bare() => Some(&error.document),
        _ => None,
    }
}

fn rpc_id(matcher: &Matcher, written: &Expect, answer: &Answer, document: &Document) -> Vec<Finding> {
    check_value(&document.value(), "/id", matcher)
        .into_iter()
        .map(|mismatch| {
            let condition = written.rpc_id.as_ref().map(describe).unwrap_or_default();
            let finding = Finding::new(Kind::ResponseId { condition }).compare(mismatch.expected, mismatch.received);
            Finding { assertion: Assertion::Id.name(), ..finding.at(answer.exchange.number, "/id") }
        })
        .collect()
}
