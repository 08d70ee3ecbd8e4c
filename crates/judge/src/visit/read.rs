//! Which operation a request calls, and with which parameters: the way of a call backwards.

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use crate::profile::{Binding, Dialect, Operation, Profile, Type};

/// A request as its binding reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The operation; nothing where it is none of the version.
    pub operation: Option<Operation>,
    /// Its parameters in canonical form.
    pub params: Value,
    /// The envelope of JSON-RPC.
    pub rpc: Value,
    /// Where the parameters stand in the body; nothing where they do not all stand there.
    pub base: Option<String>,
}

/// A request of HTTP at an interface.
#[derive(Debug, Clone, Copy)]
pub struct Incoming<'a> {
    /// The method.
    pub method: &'a str,
    /// What follows the URL of the interface in the path, as it came.
    pub suffix: &'a str,
    /// The query, as it came.
    pub query: Option<&'a str>,
    /// The body.
    pub body: &'a [u8],
}

/// Reads a request in the likeliest dialect of its binding; what cannot be read has no operation.
pub fn read(profile: &Profile, binding: Binding, incoming: Incoming<'_>) -> Call {
    read_in(profile, profile.dialects_over(binding).next().map(AsRef::as_ref), binding, incoming)
}

/// Reads a request in a dialect; what cannot be read has no operation.
pub fn read_in(profile: &Profile, dialect: Option<&Dialect>, binding: Binding, incoming: Incoming<'_>) -> Call {
    match binding {
        Binding::Jsonrpc => over_jsonrpc(profile, dialect, incoming),
        Binding::HttpJson => over_http(profile, dialect, incoming),
        Binding::Grpc => Call { operation: None, params: Value::Null, rpc: Value::Null, base: None },
    }
}

fn over_jsonrpc(profile: &Profile, dialect: Option<&Dialect>, incoming: Incoming<'_>) -> Call {
    let rpc: Value = serde_json::from_slice(incoming.body).unwrap_or_default();
    let method = rpc.get("method").and_then(Value::as_str);
    let is_called = |operation: &Operation| {
        let facts = profile.operation(*operation);
        method.is_some() && facts.and_then(|facts| facts.method.as_deref()) == method
    };
    let is_posted = incoming.method == "POST" && incoming.suffix.trim_matches('/').is_empty();
    let operation = Operation::ALL.into_iter().find(is_called).filter(|_| is_posted);
    let wire = rpc.get("params").cloned().unwrap_or_else(|| Value::Object(Map::new()));
    let params = match operation {
        Some(operation) => canonical(profile, dialect, operation, wire),
        None => wire,
    };
    Call { operation, params, rpc, base: Some("/params".to_owned()) }
}

/// The members of a path, with their values.
type Members<'a> = Vec<(&'a str, String)>;

fn over_http(profile: &Profile, dialect: Option<&Dialect>, incoming: Incoming<'_>) -> Call {
    let unknown = |body: Value| Call { operation: None, params: body, rpc: Value::Null, base: Some(String::new()) };
    let body: Value = serde_json::from_slice(incoming.body).unwrap_or_default();
    let mut fitting: Vec<(usize, Operation, Members<'_>)> = Vec::new();
    for (operation, routes) in &profile.routes {
        for route in routes.iter().filter(|route| route.verb == incoming.method) {
            let Some(members) = route.path.parse(incoming.suffix) else { continue };
            if members.iter().any(|(_, value)| value.is_empty() || value.contains('/')) {
                continue;
            }
            let taken: usize = members.iter().map(|(_, value)| value.len()).sum();
            fitting.push((incoming.suffix.len() - taken, *operation, members));
        }
    }
    // The route that says most by itself: `/tasks/{id}:cancel` before `/tasks/{id}`.
    let best = fitting.into_iter().max_by_key(|(literal, _, members)| (*literal, usize::MAX - members.len()));
    let Some((_, operation, members)) = best else { return unknown(body) };
    let mut wire = match &body {
        Value::Object(members) => members.clone(),
        _ => Map::new(),
    };
    let is_all_in_body = members.is_empty() && incoming.query.is_none();
    for (name, value) in members {
        let decoded = percent_decode_str(&value).decode_utf8_lossy().into_owned();
        wire.insert(name.to_owned(), Value::from(decoded));
    }
    let kind = profile.operation(operation).and_then(|facts| facts.params.as_deref());
    for (name, value) in url::form_urlencoded::parse(incoming.query.unwrap_or_default().as_bytes()) {
        put(&mut wire, &name, &value, dialect.zip(kind));
    }
    let params = canonical(profile, dialect, operation, Value::Object(wire));
    let base = is_all_in_body.then(String::new);
    Call { operation: Some(operation), params, rpc: Value::Null, base }
}

/// Adds a parameter of a query, which is a text whatever its type is; one that is repeated is a list.
fn put(members: &mut Map<String, Value>, name: &str, text: &str, of: Option<(&Dialect, &str)>) {
    let types = of.map(|(dialect, kind)| Type::Named(dialect, kind).member(name)).unwrap_or_default();
    let takes = |value: &Value| types.iter().any(|kind| kind.takes(value));
    let own = Value::from(text);
    let value = match serde_json::from_str::<Value>(text) {
        Ok(value @ (Value::Number(_) | Value::Bool(_))) if !takes(&own) && takes(&value) => value,
        _ => own,
    };
    match members.get_mut(name) {
        Some(Value::Array(values)) => values.push(value),
        Some(one) => *one = Value::Array(vec![one.clone(), value]),
        None => {
            members.insert(name.to_owned(), value);
        }
    }
}

fn canonical(profile: &Profile, dialect: Option<&Dialect>, operation: Operation, wire: Value) -> Value {
    let kind = profile.operation(operation).and_then(|facts| facts.params.as_deref());
    match (dialect, kind) {
        (Some(dialect), Some(kind)) => (*dialect.from_wire(kind, wire).value).clone(),
        _ => wire,
    }
}
