//! JSON-RPC 2.0 over HTTP, streams as server-sent events (A2A 1.0 section 9, A2A 0.3 sections 3.2.1 and 3.3.1).

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::interface::Interface;
use crate::profile::Operation;
use crate::transcript::{
    Answer, Content, EVENTS, ErrorObject, EventContent, Exchange, Payload, Response, StreamEvent, Unreadable,
};
use crate::wire::http::is_before_the_agent;
use crate::wire::json::Document;
use crate::wire::jsonrpc::read_response;
use crate::{CallRequest, Codec, Outgoing, RawEvent, text};

/// Errors by which an agent does not refuse a request but fails at it, or denies knowing the method.
const NO_REFUSAL: [&str; 3] = ["InternalError", "JSONParseError", "MethodNotFoundError"];

/// The codec.
pub(crate) struct JsonRpc;

/// A request object (JSON-RPC 2.0 section 4).
#[derive(Serialize)]
struct Body<'b> {
    jsonrpc: &'static str,
    id: &'b Value,
    method: &'b str,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<Cow<'b, Value>>,
}

impl Codec for JsonRpc {
    /// Every call has a form, whatever its parameters are.
    fn can_write(&self, _: &Interface, _: &CallRequest) -> bool {
        true
    }

    fn requests(&self, interface: &Interface, call: &CallRequest, number: u64) -> Vec<Outgoing> {
        let profile = &interface.profile;
        let facts = profile.operation(call.operation);
        let id = call.rpc_id.clone().unwrap_or_else(|| interface.ids.of(number));
        let params = match facts.and_then(|facts| facts.params.as_deref()) {
            Some(kind) => Some(Cow::Owned(interface.dialect.to_wire(kind, &call.params))),
            None if call.params.as_object().is_some_and(Map::is_empty) => None,
            None => Some(Cow::Borrowed(&*call.params)),
        };
        let method = interface.method(call.operation).unwrap_or_default();
        let body = Body { jsonrpc: "2.0", id: &id, method, params };
        let streams = facts.is_some_and(|facts| facts.stream);
        vec![Outgoing {
            method: "POST".to_owned(),
            url: interface.url.clone(),
            headers: text::headers(
                interface,
                &call.headers,
                text::media_types(interface).first().map(String::as_str),
                streams,
            ),
            // What is made of values has a text.
            body: Bytes::from(serde_json::to_vec(&body).unwrap_or_default()),
            operation: Some(call.operation),
            params: Arc::clone(&call.params),
            rpc_id: Some(id),
            purpose: call.purpose.clone(),
        }]
    }

    fn read(&self, interface: &Interface, exchange: Arc<Exchange>, events: Option<Vec<StreamEvent>>) -> Answer {
        let content = text::read(&exchange, events, |response| {
            let content = read_body(interface, exchange.request.operation, response);
            match (content, bare_error(interface, exchange.request.operation, response.status)) {
                (Content::Unreadable(_), Some(error)) => Content::Error(error),
                (content, _) => content,
            }
        });
        Answer { binding: interface.binding, exchange, content }
    }

    fn read_event(&self, interface: &Interface, operation: Option<Operation>, event: &RawEvent) -> StreamEvent {
        text::read_event(event, |document| match read_document(interface, operation, document) {
            Content::Result(payload) => (EventContent::Result(payload), None),
            Content::Error(error) => (EventContent::Error(error), None),
            Content::Unreadable(unreadable) => match without_envelope(interface, operation, document) {
                Some(payload) => {
                    (EventContent::Result(payload), Some("its data is a result without a JSON-RPC response around it"))
                }
                None => (EventContent::Unreadable(unreadable), None),
            },
            _ => (EventContent::Unreadable(text::unreadable("an event that is no response")), None),
        })
    }
}

/// An event that is a result itself, and has nothing of a response.
fn without_envelope(interface: &Interface, operation: Option<Operation>, document: &Document) -> Option<Payload> {
    let is_like_one = ["jsonrpc", "result", "error"].iter().any(|member| document.root().get(member).is_some());
    let is_object = document.root().as_object().is_some();
    let streams = interface.profile.operation(operation?).is_some_and(|facts| facts.stream);
    if is_like_one || !is_object || !streams {
        return None;
    }
    let reading = interface.read_result(operation, document.value());
    let is_known = EVENTS.iter().any(|member| reading.value.get(member).is_some_and(Value::is_object));
    is_known.then(|| Payload { document: document.clone(), base: String::new(), reading })
}

fn read_body(interface: &Interface, operation: Option<Operation>, response: &Response) -> Content {
    if response.body.iter().all(u8::is_ascii_whitespace) {
        return match response.status {
            200..300 => Content::Nothing,
            status => Content::Unreadable(text::unreadable(format!("HTTP {status} without a body"))),
        };
    }
    match text::parse(response) {
        // What stands before the agent does not speak its protocol.
        Ok(document) if is_before_the_agent(response.status) && document.root().get("jsonrpc").is_none() => {
            let reason = format!("HTTP {} with a body that is no JSON-RPC", response.status);
            Content::Unreadable(Unreadable::new(reason, Some(0)))
        }
        Ok(document) => read_document(interface, operation, &document),
        Err(unreadable) => Content::Unreadable(unreadable),
    }
}

/// The error that an HTTP status alone is, where a version lets streams fail so (A2A 0.2.1 sections 7.2 and 7.7).
fn bare_error(interface: &Interface, operation: Option<Operation>, status: u16) -> Option<ErrorObject> {
    let profile = &interface.profile;
    let streams = profile.operation(operation?).is_some_and(|facts| facts.stream);
    let is_allowed = interface.binding_facts().is_some_and(|facts| facts.streams_fail_by_status);
    if !streams || !is_allowed || !(400..600).contains(&status) {
        return None;
    }
    let names = profile.errors_with(|facts| facts.has_http(status));
    let blames_the_request = |name: &str| profile.facts.errors.get(name).is_some_and(|facts| facts.has_http(status));
    let denies_the_method = names.iter().any(|name| name == "MethodNotFoundError");
    Some(ErrorObject {
        document: Document::null(),
        base: String::new(),
        code: Some(i64::from(status)),
        label: format!("HTTP {status}"),
        refuses: !denies_the_method && blames_the_request("InvalidParamsError"),
        names,
        value: Value::Null,
    })
}

/// Whether an error with these names is a failure of the agent, or denies the method.
fn is_no_refusal(names: &[String]) -> bool {
    NO_REFUSAL.iter().any(|name| names.iter().any(|known| known == name))
}

fn read_document(interface: &Interface, operation: Option<Operation>, document: &Document) -> Content {
    if document.root().as_array().is_some() {
        return Content::Batch(document.clone());
    }
    let profile = &interface.profile;
    let envelope = read_response(document);
    if let Some(error) = &envelope.error {
        let names = profile.errors_with(|facts| error.code.is_some() && facts.jsonrpc == error.code);
        let refuses = error.code.is_some() && !is_no_refusal(&names);
        return Content::Error(ErrorObject {
            document: document.clone(),
            base: "/error".to_owned(),
            names,
            code: error.code,
            label: error.code.map(|code| code.to_string()).unwrap_or_default(),
            refuses,
            value: error.node.to_value(),
        });
    }
    let Some(result) = envelope.result else {
        let reason = match document.root().as_object() {
            Some(_) => "a JSON object that is no JSON-RPC response: it has neither result nor error".to_owned(),
            None => format!("JSON that is no JSON-RPC response: {}", document.root().describe()),
        };
        return Content::Unreadable(Unreadable::new(reason, Some(0)));
    };
    let reading = interface.read_result(operation, result.to_value());
    Content::Result(Payload { document: document.clone(), base: "/result".to_owned(), reading })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::profile::{self, Binding};
    use crate::transcript::{Direction, Ended, Request};

    /// An answer over an interface of a version.
    fn answer(version: &str, operation: Operation, status: u16, body: &str) -> Answer {
        let profiles = profile::bundled().unwrap();
        let profile = profiles.iter().find(|profile| profile.name() == version).unwrap();
        let interface = Interface::new(profile, Binding::Jsonrpc, "http://agent.example/".to_owned()).unwrap();
        let request = Request {
            method: "POST".to_owned(),
            url: interface.url.clone(),
            headers: Vec::new(),
            body: Bytes::new(),
            is_verbatim: false,
            operation: Some(operation),
            params: json!({}).into(),
            rpc_id: Some(json!(1)),
        };
        let body = Bytes::copy_from_slice(body.as_bytes());
        let response = Response { status, headers: Vec::new(), body, trailers: Vec::new(), text: None };
        let exchange = Exchange {
            number: 1,
            purpose: "test".to_owned(),
            direction: Direction::Outbound,
            request,
            response: Some(response),
            ended: Ended::Complete,
            started: Duration::ZERO,
            elapsed: Duration::ZERO,
            share: None,
        };
        JsonRpc.read(&interface, Arc::new(exchange), None)
    }

    #[test]
    fn what_stands_before_the_agent_does_not_speak_json_rpc() {
        for status in [401, 403, 407, 413, 414, 429, 431, 502, 503, 504] {
            let foreign = answer("1.0", Operation::GetTask, status, r#"{"error": "invalid_token"}"#);
            assert!(matches!(foreign.content, Content::Unreadable(_)), "{status}");
            let own = r#"{"jsonrpc": "2.0", "id": 1, "error": {"code": -32001, "message": "no"}}"#;
            assert!(answer("1.0", Operation::GetTask, status, own).refusal().is_some(), "{status}");
        }
        assert!(answer("1.0", Operation::GetTask, 500, r#"{"error": "invalid_token"}"#).refusal().is_some());
    }

    #[test]
    fn a_stream_may_fail_by_its_status_alone() {
        for body in ["", "<html>", r#"{"detail": "Not Found"}"#] {
            let answer = answer("0.2.5", Operation::SubscribeToTask, 404, body);
            let error = answer.refusal().unwrap();
            assert!(error.is_bare() && error.refuses && error.is("TaskNotFoundError"), "{body}");
            assert!(!error.is("InternalError"), "{body}");
        }
        let failure = answer("0.2.5", Operation::SubscribeToTask, 500, "");
        assert!(failure.refusal().is_some_and(|error| error.is("InternalError") && !error.refuses));
        let text_allows_it = answer("0.1", Operation::SubscribeToTask, 500, "");
        assert!(text_allows_it.refusal().is_some_and(|error| error.is("UnsupportedOperationError") && error.refuses));
        let denial = answer("0.2.5", Operation::SubscribeToTask, 405, "");
        assert!(denial.refusal().is_some_and(|error| error.is("MethodNotFoundError") && !error.refuses));
    }

    #[test]
    fn an_error_in_the_body_says_more_than_the_status() {
        let body = r#"{"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "no"}}"#;
        let answer = answer("0.2.5", Operation::SubscribeToTask, 404, body);
        assert!(answer.refusal().is_some_and(|error| error.name() == Some("InternalError") && !error.is_bare()));
    }

    #[test]
    fn nothing_else_fails_by_its_status() {
        let others = [
            ("0.2.5", Operation::GetTask, 404),
            ("0.2.5", Operation::SubscribeToTask, 302),
            ("0.3", Operation::SubscribeToTask, 404),
        ];
        for (version, operation, status) in others {
            let content = answer(version, operation, status, "").content;
            assert!(matches!(content, Content::Unreadable(_)), "{version} {operation} {status}");
        }
        assert!(matches!(answer("0.2.5", Operation::SubscribeToTask, 204, "").content, Content::Nothing));
    }
}
