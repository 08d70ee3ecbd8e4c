//! Objects of A2A within JSON, whatever version and form it is in: they are told by their members.

use serde_json::{Map, Value};

use super::data::Kind;

/// Members whose insides are the client's own.
const FREE: [&str; 3] = ["metadata", "data", "params"];

/// Calls `found` with every object of a kind below `value`, in the order of the text, with the members around it.
pub fn visit(value: &mut Value, kind: Kind, found: &mut dyn FnMut(&mut Value, &[String])) {
    visit_below(value, kind, &mut Vec::new(), found);
}

fn visit_below(value: &mut Value, kind: Kind, path: &mut Vec<String>, found: &mut dyn FnMut(&mut Value, &[String])) {
    if is(value, kind, path) {
        found(value, path);
    }
    match value {
        Value::Object(members) => {
            for (name, member) in members.iter_mut().filter(|(name, _)| is_ours(name, kind)) {
                path.push(name.clone());
                visit_below(member, kind, path, found);
                path.pop();
            }
        }
        Value::Array(items) => {
            for item in items {
                path.push("*".to_owned());
                visit_below(item, kind, path, found);
                path.pop();
            }
        }
        _ => {}
    }
}

/// The details of an error are data of JSON-RPC's `error`, not of a part.
fn is_ours(name: &str, kind: Kind) -> bool {
    !FREE.contains(&name) || (kind == Kind::ErrorInfo && name == "data")
}

fn is(value: &Value, kind: Kind, path: &[String]) -> bool {
    let around = |depth: usize| path.len().checked_sub(depth).and_then(|index| path.get(index)).map(String::as_str);
    let item_of = |names: &[&str]| around(1) == Some("*") && around(2).is_some_and(|name| names.contains(&name));
    match kind {
        Kind::Answer => return path.is_empty(),
        Kind::TaskList if value.is_array() => return path.is_empty(),
        _ => {}
    }
    let Value::Object(members) = value else { return false };
    let has = |name: &str| members.contains_key(name);
    match kind {
        Kind::Answer => false,
        Kind::Envelope => path.is_empty() && has("jsonrpc"),
        Kind::Task => has("status") && has("id") && !has("taskId") && !has("final"),
        Kind::TaskList => has("tasks"),
        Kind::StatusUpdate => has("status") && (has("taskId") || has("final")),
        Kind::ArtifactUpdate => has("artifact") && (has("taskId") || has("id")),
        Kind::Status => around(1) == Some("status") && !has("details"),
        Kind::Message => has("messageId") || (has("role") && has("parts")),
        Kind::Artifact => has("artifactId") || (has("index") && has("parts")),
        Kind::Part => item_of(&["parts", "content"]),
        Kind::PushConfig => {
            let is_within = around(1) == Some("pushNotificationConfig");
            has("url") && !has("skills") && (is_within || has("taskId") || has("id") || has("token"))
        }
        Kind::Card => has("skills") && has("capabilities"),
        Kind::Interface => item_of(&["supportedInterfaces", "additionalInterfaces"]),
        Kind::Skill => item_of(&["skills"]),
        Kind::Error => {
            around(1) == Some("error") || (path.is_empty() && (is_bare_error(members) || is_problem(members)))
        }
        Kind::ErrorInfo => has("reason") && has("domain"),
    }
}

/// 0.3 over HTTP+JSON has the error object as the whole body.
fn is_bare_error(members: &Map<String, Value>) -> bool {
    members.get("code").is_some_and(Value::is_number) && members.contains_key("message")
}

/// The draft of 1.0 has problem details there (RFC 9457).
fn is_problem(members: &Map<String, Value>) -> bool {
    members.get("status").is_some_and(Value::is_number) && members.contains_key("detail")
}

/// The member to which a pointer leads. The protobuf form of 0.3 and problem details have other names for some members.
pub fn member<'a>(value: &'a mut Value, pointer: &str) -> Option<&'a mut Value> {
    let mut value = value;
    for token in tokens(pointer) {
        value = match value {
            Value::Object(members) => {
                let name = name_in(members, &token)?;
                members.get_mut(&name)?
            }
            Value::Array(items) => items.get_mut(token.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(value)
}

/// The name that a member has in an object, if it is there.
pub fn name_in(members: &Map<String, Value>, name: &str) -> Option<String> {
    let aliases: &[&str] = match name {
        "parts" => &["content"],
        "message" => &["update", "detail"],
        _ => &[],
    };
    [name].iter().chain(aliases).find(|name| members.contains_key(**name)).map(|name| (*name).to_owned())
}

/// The tokens of a pointer (RFC 6901).
pub fn tokens(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~")).collect()
}

/// A pointer cut before its last token.
pub fn parent_and_name(pointer: &str) -> Option<(&str, String)> {
    let (parent, _) = pointer.rsplit_once('/')?;
    Some((parent, tokens(pointer).pop()?))
}
