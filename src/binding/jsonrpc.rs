//! JSON-RPC 2.0 over HTTP, streams as server-sent events (A2A 1.0 section 9, A2A 0.3 sections 3.2.1 and 3.3.1).

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::http::{Outgoing, RawEvent};
use super::{CallRequest, Codec, text};
use crate::plan::Endpoint;
use crate::profile::Operation;
use crate::transcript::{Answer, ErrorObject, EventSaid, Exchange, Payload, Said, StreamEvent, Unreadable};
use crate::wire::json::Document;
use crate::wire::jsonrpc::read_response;

/// Errors by which an agent does not refuse a request but fails at it, or denies knowing the method.
const NO_REFUSAL: [&str; 3] = ["InternalError", "JSONParseError", "MethodNotFoundError"];

/// The codec.
pub(super) struct JsonRpc;

impl Codec for JsonRpc {
    fn requests(&self, endpoint: &Endpoint, call: &CallRequest, number: u64) -> Vec<Outgoing> {
        let profile = &endpoint.profile;
        let facts = profile.operation(call.operation);
        let id = call.rpc_id.clone().unwrap_or_else(|| json!(number));
        let mut body = Map::new();
        body.insert("jsonrpc".to_owned(), json!("2.0"));
        body.insert("id".to_owned(), id.clone());
        body.insert("method".to_owned(), json!(facts.and_then(|facts| facts.method.as_deref()).unwrap_or_default()));
        match facts.and_then(|facts| facts.params.as_deref()) {
            Some(kind) => {
                body.insert("params".to_owned(), endpoint.dialect.to_wire(kind, &call.params));
            }
            None if call.params.as_object().is_some_and(Map::is_empty) => {}
            None => {
                body.insert("params".to_owned(), call.params.clone());
            }
        }
        let streams = facts.is_some_and(|facts| facts.stream);
        vec![Outgoing {
            method: "POST".to_owned(),
            url: endpoint.url.clone(),
            headers: text::headers(
                endpoint,
                &call.headers,
                text::media_types(endpoint).first().map(String::as_str),
                streams,
            ),
            body: Bytes::from(Value::Object(body).to_string()),
            operation: Some(call.operation),
            params: call.params.clone(),
            rpc_id: Some(id),
            purpose: call.purpose.clone(),
        }]
    }

    fn read(&self, endpoint: &Endpoint, exchange: Arc<Exchange>, events: Option<Vec<StreamEvent>>) -> Answer {
        let said = text::read(&exchange, events, |response| {
            if response.body.iter().all(u8::is_ascii_whitespace) {
                return match response.status {
                    200..300 => Said::Nothing,
                    status => Said::Unreadable(text::unreadable(format!("HTTP {status} without a body"))),
                };
            }
            match text::parse(response) {
                Ok(document) => read_document(endpoint, exchange.request.operation, &document),
                Err(unreadable) => Said::Unreadable(unreadable),
            }
        });
        Answer { binding: endpoint.binding, exchange, said }
    }

    fn read_event(&self, endpoint: &Endpoint, operation: Option<Operation>, event: &RawEvent) -> StreamEvent {
        text::read_event(event, |document| match read_document(endpoint, operation, document) {
            Said::Result(payload) => EventSaid::Result(payload),
            Said::Error(error) => EventSaid::Error(error),
            Said::Unreadable(unreadable) => EventSaid::Unreadable(unreadable),
            _ => EventSaid::Unreadable(text::unreadable("an event that is no response")),
        })
    }
}

fn read_document(endpoint: &Endpoint, operation: Option<Operation>, document: &Document) -> Said {
    if document.root().as_array().is_some() {
        return Said::Batch(document.clone());
    }
    let profile = &endpoint.profile;
    let envelope = read_response(document);
    if let Some(error) = &envelope.error {
        let names = profile.errors_with(|facts| error.code.is_some() && facts.jsonrpc == error.code);
        let refuses = error.code.is_some() && !NO_REFUSAL.iter().any(|name| names.iter().any(|known| known == name));
        return Said::Error(ErrorObject {
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
        return Said::Unreadable(Unreadable { reason, offset: Some(0) });
    };
    let reading = endpoint.read_result(operation, result.to_value());
    Said::Result(Payload { document: document.clone(), base: "/result".to_owned(), reading })
}
