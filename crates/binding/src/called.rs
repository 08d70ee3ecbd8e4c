//! What exact bytes call.

use serde_json::Value;

use crate::interface::Interface;
use crate::profile::{Binding, Operation, OperationFacts, Route};
use crate::wire::json;
use crate::wire::jsonrpc::{self, Request};

/// What exact bytes call, which tells how to read the answer; and the id that they ask back, for the judge to compare.
pub fn called(interface: &Interface, method: &str, suffix: &str, body: &[u8]) -> (Option<Operation>, Option<Value>) {
    let operations = interface.profile.facts.operations.iter();
    let of_method = |method: &str| {
        operations
            .clone()
            .map(|(operation, _)| *operation)
            .find(|operation| interface.method(*operation) == Some(method))
    };
    match interface.binding {
        Binding::Jsonrpc => {
            let Ok(document) = json::parse(body, &json::Limits::default()) else { return (None, None) };
            match jsonrpc::classify_document(&document) {
                Request::Call(call) => (of_method(&call.method), document.root().get("id").map(json::Node::to_value)),
                Request::Notification { method, .. } => (of_method(&method), None),
                _ => (None, None),
            }
        }
        Binding::HttpJson => {
            let path = suffix.split('?').next().unwrap_or_default();
            let routes = interface.profile.routes.iter();
            let is_called = |route: &&Route| {
                route.verb == method
                    && route.path.parse(path).is_some_and(|parts| {
                        parts.iter().all(|(_, value)| !value.is_empty() && !value.contains(['/', ':']))
                    })
            };
            let found = routes.filter(|(_, routes)| routes.iter().any(|route| is_called(&route)));
            (found.map(|(operation, _)| *operation).next(), None)
        }
        Binding::Grpc => {
            let rpc = suffix.trim_start_matches('/');
            let descriptors = interface.profile.descriptors.as_ref();
            let is_called = |(operation, facts): &(&Operation, &OperationFacts)| {
                descriptors.and_then(|all| all.rpc(**operation, facts)).is_some_and(|method| method.name() == rpc)
            };
            (operations.clone().find(is_called).map(|(operation, _)| *operation), None)
        }
    }
}
