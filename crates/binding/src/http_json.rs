//! HTTP+JSON: resources and verbs, streams as server-sent events (A2A 1.0 section 11, A2A 0.3 sections 3.2.3 and 3.3.3).

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Map, Value};

use crate::interface::Interface;
use crate::profile::{Operation, Route, route};
use crate::transcript::{Answer, Content, ErrorObject, EventContent, Exchange, Payload, StreamEvent};
use crate::wire::json::{self, Document};
use crate::{CallRequest, Codec, Outgoing, RawEvent, text};

/// The codec.
pub(crate) struct HttpJson;

impl Codec for HttpJson {
    fn requests(&self, interface: &Interface, call: &CallRequest, _: u64) -> Vec<Outgoing> {
        let profile = &interface.profile;
        let routes = profile.routes.get(&call.operation).map_or(&[][..], Vec::as_slice);
        let none = Map::new();
        let params = call.params.as_object().unwrap_or(&none);
        let streams = profile.operation(call.operation).is_some_and(|facts| facts.stream);
        let mut alternatives = Vec::new();
        for (route, path) in route::choose(routes, params) {
            let media_types = text::media_types(interface).iter().map(|kind| Some(kind.as_str()));
            // Without a body there is nothing to name the type of.
            let media_types: Vec<_> = if route.has_body() { media_types.collect() } else { vec![None] };
            for (query, body) in forms(interface, call, route) {
                alternatives.extend(media_types.iter().map(|media_type| Outgoing {
                    method: route.verb.clone(),
                    url: format!("{}{path}{query}", interface.base()),
                    headers: text::headers(interface, &call.headers, *media_type, streams),
                    body: body.clone(),
                    operation: Some(call.operation),
                    params: call.params.clone(),
                    rpc_id: None,
                    purpose: call.purpose.clone(),
                }));
            }
        }
        alternatives
    }

    fn read(&self, interface: &Interface, exchange: Arc<Exchange>, events: Option<Vec<StreamEvent>>) -> Answer {
        let operation = exchange.request.operation;
        let content = text::read(&exchange, events, |response| {
            let body = text::parse(response);
            match (response.status, body) {
                (400.., body) => Content::Error(read_error(interface, response.status, body.ok())),
                (200..300, _) if response.body.is_empty() => match operation {
                    // Nothing is a fine result where any will do (1.0 section 3.1.10).
                    Some(operation) if interface.result_type(operation).is_none() => {
                        Content::Result(nothing(interface))
                    }
                    _ => Content::Nothing,
                },
                (200..300, Ok(document)) => Content::Result(payload(interface, operation, document)),
                (200..300, Err(unreadable)) => Content::Unreadable(unreadable),
                (status, _) => Content::Unreadable(text::unreadable(format!("HTTP {status}, which is no answer"))),
            }
        });
        Answer { binding: interface.binding, exchange, content }
    }

    fn read_event(&self, interface: &Interface, operation: Option<Operation>, event: &RawEvent) -> StreamEvent {
        text::read_event(event, |document| {
            let error = document.root().get("error").is_some();
            // An error in a stream comes too late for a status of its own: its code says which it would have had.
            let status =
                document.at("/error/code").and_then(|code| code.as_number()).and_then(json::Number::as_whole_i64);
            let content = match (error, status.and_then(|status| u16::try_from(status).ok())) {
                (true, status) => {
                    EventContent::Error(read_error(interface, status.unwrap_or_default(), Some(document.clone())))
                }
                (false, _) => EventContent::Result(payload(interface, operation, document.clone())),
            };
            (content, None)
        })
    }
}

/// The members of a call that do not stand in its path, in their wire form.
fn rest(interface: &Interface, call: &CallRequest, route: &Route) -> Value {
    let whole = interface.binding_facts().is_some_and(|facts| facts.whole_body);
    let mut params = Arc::clone(&call.params);
    if !(whole && route.has_body())
        && route.path.members().any(|name| params.get(name).is_some())
        && let Value::Object(members) = Arc::make_mut(&mut params)
    {
        members.retain(|name, _| !route.path.members().any(|known| known == name));
    }
    match interface.profile.operation(call.operation).and_then(|facts| facts.params.as_deref()) {
        Some(kind) => interface.dialect.to_wire(kind, &params),
        None => Arc::unwrap_or_clone(params),
    }
}

/// The forms that a call may have beside its path: a query and a body each, the likeliest first.
fn forms(interface: &Interface, call: &CallRequest, route: &Route) -> Vec<(String, Bytes)> {
    let rest = rest(interface, call, route);
    if !route.has_body() {
        return vec![(query(rest), Bytes::new())];
    }
    let sole = interface.profile.operation(call.operation).and_then(|facts| facts.sole_body.as_ref());
    let alone = sole.and_then(|sole| {
        let body = Bytes::from(rest.get(&sole.member)?.to_string());
        let beside = sole.query.iter().filter_map(|name| Some((name.clone(), rest.get(name)?.clone())));
        Some((query(beside.collect()), body))
    });
    std::iter::once((String::new(), Bytes::from(rest.to_string()))).chain(alone).collect()
}

/// Members as a query, or nothing (1.0 section 11.5): lists are repeated, objects are JSON.
fn query(members: Value) -> String {
    let Value::Object(members) = members else { return String::new() };
    let spelled = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in members {
        match value {
            Value::Null => {}
            Value::Array(items) => {
                query.extend_pairs(items.into_iter().map(|item| (name.clone(), spelled(item))));
            }
            value => {
                query.append_pair(&name, &spelled(value));
            }
        }
    }
    let query = query.finish();
    if query.is_empty() { query } else { format!("?{query}") }
}

fn payload(interface: &Interface, operation: Option<Operation>, document: Document) -> Payload {
    let reading = interface.read_result(operation, document.value());
    Payload { document, base: String::new(), reading }
}

/// The result of an operation that has none to give.
fn nothing(interface: &Interface) -> Payload {
    payload(interface, None, Document::null())
}

/// An error by its status and, where it has one, its body (1.0 sections 5.4 and 11.6).
fn read_error(interface: &Interface, status: u16, document: Option<Document>) -> ErrorObject {
    let document = document.unwrap_or_else(Document::null);
    let profile = &interface.profile;
    let pointer = interface.binding_facts().and_then(|facts| facts.error.clone()).unwrap_or_default();
    let base =
        if document.at(&pointer).is_some_and(|node| node.as_object().is_some()) { pointer } else { String::new() };
    let value = document.at(&base).map(json::Node::to_value).unwrap_or_default();
    let mut error = ErrorObject {
        document,
        base,
        names: Vec::new(),
        code: Some(i64::from(status)),
        label: format!("HTTP {status}"),
        refuses: (400..500).contains(&status) || status == 501,
        value,
    };
    // Nothing says how a body names its error in 0.3: a code of JSON-RPC does.
    let rpc_code = error.value.get("code").and_then(Value::as_i64).filter(|code| *code <= -32000);
    let naming = profile.naming(interface.binding);
    error.names = profile.names_of(interface.binding, error.called(naming), |facts| {
        facts.has_http(status) && rpc_code.is_none_or(|code| facts.jsonrpc == Some(code))
    });
    error
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::profile::{self, Binding};

    /// What sets a configuration in 0.3 (7.5): the object of the text first, then the body of the definition.
    #[test]
    fn a_member_may_be_the_whole_body() {
        let profiles = profile::bundled().unwrap();
        let profile = profiles.iter().find(|profile| profile.name() == "0.3").unwrap();
        let call = CallRequest {
            operation: Operation::CreateTaskPushNotificationConfig,
            params: json!({ "taskId": "t", "id": "c d", "url": "https://hook.invalid/" }).into(),
            rpc_id: None,
            headers: Vec::new(),
            purpose: String::new(),
        };
        let interface = Interface::new(profile, Binding::HttpJson, "http://agent.invalid".to_owned()).unwrap();
        let sent = profile.dialects_over(Binding::HttpJson).map(|dialect| {
            let interface = Interface { dialect: std::sync::Arc::clone(dialect), ..interface.clone() };
            let requests = HttpJson.requests(&interface, &call, 1);
            let [whole, alone] = requests.as_slice() else { panic!("{requests:?}") };
            let read = |outgoing: &Outgoing| serde_json::from_slice::<Value>(&outgoing.body).unwrap();
            assert_eq!(read(whole)["config"], read(alone));
            assert!(read(alone)["pushNotificationConfig"]["url"].is_string());
            assert_eq!(whole.url, "http://agent.invalid/v1/tasks/t/pushNotificationConfigs");
            (dialect.name.clone(), alone.url.replace(&whole.url, ""))
        });
        let sent: Vec<_> = sent.collect();
        assert_eq!(sent, [("proto".to_owned(), "?configId=c+d".to_owned()), ("rest".to_owned(), String::new())]);
    }
}
