//! What a request asks for, over either binding, and what is known of the moment in which it came.

use std::collections::BTreeSet;

use bytes::Bytes;
use http::{HeaderMap, Method};
use serde_json::{Map, Value};

use crate::schema::{self, Operation};

/// The base of JSON-RPC at the agent.
pub const JSONRPC: &str = "/1.0";
/// The base of HTTP+JSON at the agent.
pub const HTTP_JSON: &str = "/rest";

/// A call of an operation.
#[derive(Debug, Clone)]
pub struct Call {
    /// The operation.
    pub operation: &'static Operation,
    /// Whether it came over JSON-RPC.
    pub is_jsonrpc: bool,
    /// The members of the request, wherever they were written.
    pub params: Value,
    /// The head.
    pub headers: HeaderMap,
    /// The query as it was written.
    pub query: String,
    /// The body as it was written.
    pub body: Bytes,
    /// The id of the JSON-RPC request.
    pub id: Option<Value>,
}

/// What is known of the moment of a call.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The page to which its token leads.
    pub page: Option<u64>,
    /// How many calls of the operation there were, this one included.
    pub calls: u64,
    /// The same on its task.
    pub calls_on_task: u64,
    /// How many requests came over the connection.
    pub nth_on_connection: u64,
    /// How many requests are in flight.
    pub in_flight: u64,
    /// Whether the request before it on the connection was refused.
    pub is_behind_refusal: bool,
    /// The last call on its task, or the last of all if it names none.
    pub before: Option<String>,
    /// The state of its task.
    pub state: Option<String>,
    /// The number of messages in the history of its task.
    pub messages: Option<u64>,
    /// The number of webhooks of its task.
    pub webhooks: Option<u64>,
    /// Ids and tokens that the agent gave.
    pub given: BTreeSet<String>,
}

impl Call {
    /// Reads a request; `None` if it is not a call of an operation.
    #[must_use]
    pub fn read(method: &Method, path: &str, query: &str, headers: &HeaderMap, body: &Bytes) -> Option<Self> {
        let (operation, is_jsonrpc, params, id) = if path == JSONRPC {
            let mut envelope: Value = serde_json::from_slice(body).ok()?;
            let operation = Operation::named(envelope.get("method")?.as_str()?)?;
            let id = envelope.get("id").cloned();
            (operation, true, envelope.get_mut("params").map(Value::take).unwrap_or_default(), id)
        } else {
            let path = path.strip_prefix(HTTP_JSON)?;
            let (operation, mut params) = route(method, path).or_else(|| of_tenant(method, path))?;
            if method == Method::POST
                && let Ok(Value::Object(members)) = serde_json::from_slice(body)
            {
                params.extend(members);
            }
            for pair in query.split('&').filter(|pair| !pair.is_empty()) {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                params.insert(decoded(name), Value::String(decoded(&value.replace('+', " "))));
            }
            (operation, false, Value::Object(params), None)
        };
        let (headers, query, body) = (headers.clone(), query.to_owned(), body.clone());
        Some(Self { operation, is_jsonrpc, params, headers, query, body, id })
    }

    /// The task that it names.
    #[must_use]
    pub fn task(&self) -> Option<&str> {
        self.params.pointer(task_member(&self.operation.name)?)?.as_str()
    }
}

/// Where a request of an operation names its task.
#[must_use]
pub fn task_member(operation: &str) -> Option<&'static str> {
    match operation {
        "GetTask" | "CancelTask" | "SubscribeToTask" => Some("/id"),
        "SendMessage" | "SendStreamingMessage" => Some("/message/taskId"),
        "ListTasks" | "GetExtendedAgentCard" => None,
        _ => Some("/taskId"),
    }
}

/// The operation at an address, with the members that are in its path.
fn route(method: &Method, path: &str) -> Option<(&'static Operation, Map<String, Value>)> {
    // The text of 1.0 (sections 5.3 and 11.3) has POST for one of them, and the protobuf definition GET.
    let has_verb = |operation: &&Operation| {
        operation.verb == method.as_str() || (operation.name == "SubscribeToTask" && method == Method::POST)
    };
    schema::all().iter().filter(has_verb).find_map(|operation| {
        let (path, template) = match operation.path.rsplit_once(':') {
            Some((template, verb)) => (path.strip_suffix(verb)?.strip_suffix(':')?, template),
            None => (path, operation.path.as_str()),
        };
        let (steps, wanted): (Vec<&str>, Vec<&str>) = (path.split('/').collect(), template.split('/').collect());
        let mut members = Map::new();
        let is_it = steps.len() == wanted.len()
            && steps.iter().zip(wanted).all(|(step, wanted)| match wanted.strip_prefix('{') {
                Some(name) => {
                    let name = if name == "task_id}" { "taskId" } else { "id" };
                    members.insert(name.to_owned(), Value::String(decoded(step)));
                    !step.is_empty() && !step.contains(':')
                }
                None => *step == wanted,
            });
        is_it.then_some((operation, members))
    })
}

/// The same at an address that begins with a tenant, which each operation has, too.
fn of_tenant(method: &Method, path: &str) -> Option<(&'static Operation, Map<String, Value>)> {
    let (tenant, _) = path.strip_prefix('/')?.split_once('/')?;
    let (operation, mut members) = route(method, &path[1 + tenant.len()..])?;
    members.insert("tenant".to_owned(), Value::String(decoded(tenant)));
    Some((operation, members))
}

/// Without percent encoding.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let byte = hex.filter(|_| *first == b'%').and_then(|two| u8::from_str_radix(two, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// With percent encoding of everything but letters, digits and `-._~`.
#[must_use]
pub fn encoded(text: &str) -> String {
    let keep = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
    text.as_bytes()
        .iter()
        .map(|byte| if keep(byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(method: &Method, path: &str, query: &str, body: &'static str) -> Option<(String, Value)> {
        let call = Call::read(method, path, query, &HeaderMap::new(), &Bytes::from(body))?;
        Some((call.operation.name.clone(), call.params))
    }

    #[test]
    fn calls_of_both_bindings_are_read() {
        let get = json!({ "id": "a b", "historyLength": "3" });
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"a b","historyLength":"3"}}"#;
        assert_eq!(read(&Method::POST, "/1.0", "", body), Some(("GetTask".to_owned(), get.clone())));
        assert_eq!(read(&Method::GET, "/rest/tasks/a%20b", "historyLength=3", ""), Some(("GetTask".to_owned(), get)));
        let operation = |method, path| read(&method, path, "", "{}").map(|(operation, _)| operation);
        assert_eq!(operation(Method::GET, "/rest/tasks").as_deref(), Some("ListTasks"));
        assert_eq!(operation(Method::POST, "/rest/tasks/1:cancel").as_deref(), Some("CancelTask"));
        assert_eq!(operation(Method::GET, "/rest/tasks/1:subscribe").as_deref(), Some("SubscribeToTask"));
        assert_eq!(operation(Method::POST, "/rest/message:stream").as_deref(), Some("SendStreamingMessage"));
        assert_eq!(
            read(&Method::DELETE, "/rest/tasks/1/pushNotificationConfigs/2", "", ""),
            Some(("DeleteTaskPushNotificationConfig".to_owned(), json!({ "taskId": "1", "id": "2" })))
        );
        assert_eq!(
            read(&Method::GET, "/rest/a%2Fb/tasks/1", "", ""),
            Some(("GetTask".to_owned(), json!({ "id": "1", "tenant": "a/b" })))
        );
        assert_eq!(operation(Method::GET, "/.well-known/agent-card.json"), None);
    }
}
