//! JSON, and the envelopes of JSON-RPC: against serde_json.

use a2aspec::wire::json::{self, Document, Kind, Limits};
use a2aspec::wire::jsonrpc::{self, Request};
use serde_json::Value;

/// Our reader of JSON accepts what serde_json accepts, but for what RFC 8259 leaves to readers, and reads the same value; each place
/// in it is where serde_json finds it, too.
pub fn text(bytes: &[u8]) {
    let ours = json::parse(bytes, &Limits::default());
    match (&ours, serde_json::from_slice::<Value>(bytes)) {
        (Ok(document), Ok(theirs)) => {
            let fits = document.walk().all(|(_, node)| node.as_number().is_none_or(|number| number.as_f64().is_some()));
            assert!(!fits || document.value() == theirs, "{} is not {theirs}", document.value());
        }
        (Err(error), Ok(_)) => assert!(error.kind.is_limit(), "{error}, but serde_json reads it"),
        (Ok(document), Err(error)) => assert!(is_beyond(document, &error), "accepted, but {error}"),
        (Err(_), Err(_)) => {}
    }
    if let Ok(document) = ours {
        let value = document.value();
        // Names that differ in halves of characters alone are the same to who holds none.
        let mut is_plain = document.duplicates().is_empty();
        document.visit(|_, node| is_plain &= !has_half_a_name(&node.kind));
        document.visit(|pointer, node| {
            assert!(json::parse(document.raw(node).as_bytes(), &Limits::default()).is_ok(), "{pointer:?}");
            assert!(!is_plain || value.pointer(pointer) == Some(&node.to_value()), "{pointer:?} leads elsewhere");
        });
    }
}

/// Whether a text has what serde_json does not hold: depth, large numbers, lone surrogates.
fn is_beyond(document: &Document, error: &serde_json::Error) -> bool {
    let mut is_beyond = error.to_string().contains("recursion limit");
    document.visit(|_, node| match &node.kind {
        Kind::Number(number) => is_beyond |= number.as_f64().is_none(),
        Kind::String(text) => is_beyond |= text.has_lone_surrogate(),
        kind => is_beyond |= has_half_a_name(kind),
    });
    is_beyond
}

fn has_half_a_name(kind: &Kind) -> bool {
    matches!(kind, Kind::Object(members) if members.iter().any(|member| member.key.has_lone_surrogate()))
}

/// Whatever a response or a request is, it is read, and alike whether it is compact or not; and it is right where the few lines below
/// call it right, which know of it what serde_json has read.
pub fn envelope(bytes: &[u8]) {
    let request = jsonrpc::classify(bytes);
    let Ok(document) = json::parse(bytes, &Limits::default()) else {
        assert!(matches!(request, Request::ParseError(_)));
        return;
    };
    let reading = jsonrpc::read_response(&document);
    let lenient = jsonrpc::read_with_null_error(&document);
    assert!(lenient.problems.len() <= reading.problems.len());
    if let (Some(error), []) = (&reading.error, reading.problems.as_slice()) {
        assert!(error.message.is_some() && reading.result.is_none());
    }
    let again = Document::of_text(&format!(" {}\n", document.text()));
    assert_eq!(jsonrpc::read_response(&again).problems, reading.problems);
    // Of two members of one name each reader has its own idea, and of numbers beyond a double.
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return };
    if document.duplicates().is_empty() {
        assert_eq!(is_response(&value), reading.problems.is_empty(), "{value}: {:?}", reading.problems);
        let is_call = |request: &Request| matches!(request, Request::Call(_) | Request::Notification { .. });
        let all_are_calls = match &request {
            Request::Batch(all) => all.iter().all(is_call),
            request => is_call(request),
        };
        assert_eq!(is_call_or_batch(&value), all_are_calls, "{value}: {request:?}");
    }
}

/// JSON-RPC 2.0, section 5.
fn is_response(value: &Value) -> bool {
    let Some(members) = value.as_object() else { return false };
    let is_error = |error: &Value| {
        let is_whole =
            |code: &Value| code.is_i64() || code.is_u64() || code.as_f64().is_some_and(|code| code.fract() == 0.0);
        error.is_object()
            && error.get("code").is_some_and(is_whole)
            && error.get("message").is_some_and(Value::is_string)
    };
    let outcome = match (members.get("result"), members.get("error")) {
        (Some(_), None) => true,
        (None, Some(error)) => is_error(error),
        _ => false,
    };
    outcome && is_version_2(value) && members.get("id").is_some_and(is_id)
}

/// Sections 4 and 6.
fn is_call_or_batch(value: &Value) -> bool {
    match value {
        Value::Array(calls) => !calls.is_empty() && calls.iter().all(is_call),
        call => is_call(call),
    }
}

fn is_call(value: &Value) -> bool {
    value.is_object()
        && is_version_2(value)
        && value.get("method").is_some_and(Value::is_string)
        && value.get("id").is_none_or(is_id)
        && value.get("params").is_none_or(|params| params.is_object() || params.is_array())
}

fn is_version_2(value: &Value) -> bool {
    value.get("jsonrpc").and_then(Value::as_str) == Some("2.0")
}

fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_number() || id.is_null()
}
