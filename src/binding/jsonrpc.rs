//! JSON-RPC 2.0 over HTTP, streams as server-sent events (A2A 1.0 section 9, A2A 0.3 sections 3.2.1 and 3.3.1).

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::http::{Outgoing, RawEvent, merge_headers};
use super::{CallRequest, Codec};
use crate::plan::Endpoint;
use crate::profile::{Binding, Operation};
use crate::transcript::{Answer, Ended, ErrorObject, EventSaid, Exchange, Payload, Said, StreamEvent, Unreadable};
use crate::wire::json::{self, Document};
use crate::wire::jsonrpc::read_response;

/// The codec.
pub(super) struct JsonRpc;

impl Codec for JsonRpc {
    fn request(&self, endpoint: &Endpoint, call: &CallRequest, number: u64) -> Outgoing {
        let profile = &endpoint.profile;
        let facts = profile.operation(call.operation);
        let id = call.rpc_id.clone().unwrap_or_else(|| json!(number));
        let mut body = Map::new();
        body.insert("jsonrpc".to_owned(), json!("2.0"));
        body.insert("id".to_owned(), id.clone());
        body.insert("method".to_owned(), json!(facts.map_or("", |facts| facts.method.as_str())));
        match facts.and_then(|facts| facts.params.as_deref()) {
            Some(kind) => {
                body.insert("params".to_owned(), profile.to_wire(kind, &call.params));
            }
            None if call.params.as_object().is_some_and(Map::is_empty) => {}
            None => {
                body.insert("params".to_owned(), call.params.clone());
            }
        }
        let media_type =
            profile.facts.bindings.get(&Binding::Jsonrpc).map_or("application/json", |facts| facts.media_type.as_str());
        let mut headers = merge_headers(&profile.facts.headers, &call.headers);
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
            headers.push(("content-type".to_owned(), media_type.to_owned()));
        }
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("accept")) {
            let streams = facts.is_some_and(|facts| facts.stream);
            let accept = if streams { "text/event-stream, application/json" } else { "application/json" };
            headers.push(("accept".to_owned(), accept.to_owned()));
        }
        Outgoing {
            method: "POST".to_owned(),
            url: endpoint.url.clone(),
            headers,
            body: Bytes::from(Value::Object(body).to_string()),
            operation: Some(call.operation),
            params: call.params.clone(),
            rpc_id: Some(id),
            purpose: call.purpose.clone(),
        }
    }

    fn read(&self, endpoint: &Endpoint, exchange: Arc<Exchange>, events: Option<Vec<StreamEvent>>) -> Answer {
        let said = match (&exchange.response, events) {
            (None, _) => Said::Lost,
            (Some(_), Some(events)) => Said::Stream(events),
            (Some(_), None) if exchange.ended != Ended::Complete => Said::Lost,
            (Some(response), None) => read_body(endpoint, exchange.request.operation, &response.body, response.status),
        };
        Answer { exchange, said }
    }

    fn read_event(&self, endpoint: &Endpoint, operation: Option<Operation>, event: &RawEvent) -> StreamEvent {
        let data = event.event.data.clone();
        let said = match json::parse(data.as_bytes(), &json::Limits::default()) {
            Ok(document) => match read_document(endpoint, operation, &document) {
                Said::Result(payload) => EventSaid::Result(payload),
                Said::Error(error) => EventSaid::Error(error),
                Said::Unreadable(unreadable) => EventSaid::Unreadable(unreadable),
                _ => EventSaid::Unreadable(Unreadable { reason: "an event that is no response".into(), offset: None }),
            },
            Err(error) => EventSaid::Unreadable(Unreadable {
                reason: format!("an event whose data is not JSON: {}", error.kind),
                offset: Some(error.offset),
            }),
        };
        StreamEvent { after: event.after, data, said }
    }
}

fn read_body(endpoint: &Endpoint, operation: Option<Operation>, body: &Bytes, status: u16) -> Said {
    if body.iter().all(u8::is_ascii_whitespace) {
        return if (200..300).contains(&status) {
            Said::Nothing
        } else {
            Said::Unreadable(Unreadable { reason: format!("HTTP {status} without a body"), offset: None })
        };
    }
    match json::parse(body, &json::Limits::default()) {
        Ok(document) => read_document(endpoint, operation, &document),
        Err(error) => {
            let is_html = body.trim_ascii_start().first() == Some(&b'<');
            let reason = if is_html {
                format!("HTTP {status} with a page of markup instead of JSON")
            } else {
                format!("HTTP {status} with a body that is not JSON: {}", error.kind)
            };
            Said::Unreadable(Unreadable { reason, offset: Some(error.offset) })
        }
    }
}

fn read_document(endpoint: &Endpoint, operation: Option<Operation>, document: &Document) -> Said {
    if document.root().as_array().is_some() {
        return Said::Batch(document.clone());
    }
    let envelope = read_response(document);
    if let Some(error) = &envelope.error {
        return Said::Error(ErrorObject {
            document: document.clone(),
            base: "/error".to_owned(),
            name: error.code.and_then(|code| endpoint.profile.error_name(code)).map(str::to_owned),
            code: error.code,
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
    let profile = &endpoint.profile;
    let kind = operation.and_then(|operation| profile.operation(operation)).and_then(|facts| facts.result.as_deref());
    let value = result.to_value();
    let reading = match kind {
        Some(kind) => profile.from_wire(kind, &value),
        None => crate::profile::Reading::plain(value),
    };
    Said::Result(Payload { document: document.clone(), base: "/result".to_owned(), reading })
}
