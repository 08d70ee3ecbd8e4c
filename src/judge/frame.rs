//! Conditions on what carries an answer: HTTP status and headers, gRPC status and metadata, the id of JSON-RPC.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::matcher::check as check_value;
use crate::case::{Expect, Matcher};
use crate::finding::Finding;
use crate::profile::Binding;
use crate::transcript::{Answer, Response, Said};

/// Everything in which the frame of an answer is not as expected.
pub(super) fn check(expect: &Expect, answer: &Answer) -> Vec<Finding> {
    let response = answer.exchange.response.as_ref();
    let header = |name: &str| response.and_then(|response| header(response, name));
    let mut findings = Vec::new();
    if let Some(response) = response {
        findings.extend(conditions(&expect.http, answer, |name| match name {
            "status" => ("the HTTP status".to_owned(), Some(Value::from(response.status))),
            name => (format!("the header {name}"), header(name)),
        }));
    }
    findings.extend(conditions(&expect.grpc, answer, |name| match name {
        "status" => ("the gRPC status".to_owned(), grpc_code(answer).map(Value::from)),
        "message" => {
            let message = answer.refusal().and_then(|error| error.value.get("message").cloned());
            ("the gRPC message".to_owned(), message)
        }
        name => (format!("the metadata {name}"), header(name)),
    }));
    findings.extend(rpc_id(expect, answer));
    findings
}

/// The gRPC code that an answer comes to: what its status says, or what the protocol makes of an answer without one.
pub(super) fn grpc_code(answer: &Answer) -> Option<&str> {
    match (answer.binding, answer.refusal(), &answer.said) {
        (Binding::Grpc, Some(error), _) => Some(&error.label),
        (Binding::Grpc, None, Said::Result(_) | Said::Stream(_)) => Some("OK"),
        _ => None,
    }
}

fn header(response: &Response, name: &str) -> Option<Value> {
    let trailer = || response.trailers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    let value = response.header(name).or_else(trailer)?;
    // Media types are the same in either case (RFC 9110 section 8.3.1).
    Some(Value::from(if name == "content-type" { value.to_ascii_lowercase() } else { value.to_owned() }))
}

/// Conditions by name; `find` says what a name stands for and what is there.
fn conditions(
    conditions: &BTreeMap<String, Matcher>,
    answer: &Answer,
    find: impl Fn(&str) -> (String, Option<Value>),
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, matcher) in conditions {
        let (what, value) = find(name);
        let holder: Map<String, Value> = value.into_iter().map(|value| ("it".to_owned(), value)).collect();
        for mismatch in check_value(&Value::Object(holder), "/it", matcher) {
            findings.push(
                Finding::new(format!("{what} is not as it must be"))
                    .compare(mismatch.expected, mismatch.actual)
                    .in_exchange(answer.exchange.number),
            );
        }
    }
    findings
}

fn rpc_id(expect: &Expect, answer: &Answer) -> Vec<Finding> {
    let Some(matcher) = &expect.rpc_id else { return Vec::new() };
    let document = match &answer.said {
        Said::Result(payload) => &payload.document,
        Said::Error(error) if !error.is_bare() => &error.document,
        _ => return Vec::new(),
    };
    let envelope = document.value();
    check_value(&envelope, "/id", matcher)
        .into_iter()
        .map(|mismatch| {
            Finding::new("the id of the response is not as it must be")
                .compare(mismatch.expected, mismatch.actual)
                .at(answer.exchange.number, "/id")
        })
        .collect()
}
