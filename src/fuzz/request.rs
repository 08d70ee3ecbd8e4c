//! Right requests, to be changed: for each operation a plain one and one with all that a client may add.
//!
//! They are canonical, with references in place of what differs from agent to agent, as the steps of cases are.

use serde_json::{Map, Value, json};

use crate::profile::facts::TaskIds;
use crate::profile::{Dialect, Operation, Profile};

/// An address that nobody has (RFC 2606).
const WEBHOOK: &str = "https://a2aspec.invalid/webhook";

/// A plain message; `word` is a text that the agent understands.
pub(super) fn message(word: &str) -> Value {
    json!({ "message": { "messageId": "${unique}", "role": "ROLE_USER", "parts": [{ "text": word }] } })
}

/// The least that a request of this operation says.
fn plain(operation: Operation, word: &str) -> Value {
    match operation {
        Operation::SendMessage | Operation::SendStreamingMessage => message(word),
        Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask => json!({ "id": "${done.id}" }),
        Operation::ListTasks => json!({ "contextId": "${done.contextId}" }),
        Operation::CreateTaskPushNotificationConfig => json!({ "taskId": "${done.id}", "url": WEBHOOK }),
        Operation::GetTaskPushNotificationConfig | Operation::DeleteTaskPushNotificationConfig => {
            json!({ "taskId": "${done.id}", "id": "a2aspec-none" })
        }
        Operation::ListTaskPushNotificationConfigs => json!({ "taskId": "${done.id}" }),
        Operation::GetExtendedAgentCard => json!({}),
    }
}

/// What a request of this operation may say beside, in the order in which it is added.
fn further(operation: Operation) -> Vec<(&'static str, Value)> {
    match operation {
        Operation::SendMessage | Operation::SendStreamingMessage => vec![
            ("/configuration", json!({ "acceptedOutputModes": ["text/plain"] })),
            ("/configuration/historyLength", json!(2)),
            ("/configuration/returnImmediately", json!(false)),
            ("/metadata", json!({ "a2aspec": 1 })),
            ("/message/metadata", json!({ "a2aspec": 1 })),
            ("/message/extensions", json!([])),
            ("/message/referenceTaskIds", json!(["${done.id}"])),
        ],
        Operation::GetTask => vec![("/historyLength", json!(1)), ("/metadata", json!({ "a2aspec": 1 }))],
        Operation::ListTasks => vec![
            ("/status", json!("TASK_STATE_COMPLETED")),
            ("/pageSize", json!(10)),
            ("/historyLength", json!(1)),
            ("/statusTimestampAfter", json!("2020-01-01T00:00:00Z")),
            ("/includeArtifacts", json!(false)),
        ],
        Operation::CancelTask => vec![("/metadata", json!({ "a2aspec": 1 }))],
        Operation::CreateTaskPushNotificationConfig => vec![
            ("/id", json!("a2aspec-none")),
            ("/token", json!("a2aspec")),
            ("/authentication", json!({ "scheme": "Bearer", "credentials": "a2aspec" })),
        ],
        Operation::ListTaskPushNotificationConfigs => vec![("/pageSize", json!(10))],
        _ => Vec::new(),
    }
}

/// The least that a request of this operation may say over a binding with this dialect: some ask for what others leave open.
pub(super) fn least(profile: &Profile, dialect: &Dialect, operation: Operation, word: &str) -> Value {
    let request = named(profile, operation, plain(operation, word));
    let kind = profile.operation(operation).and_then(|facts| facts.params.as_deref());
    match kind.is_none_or(|kind| dialect.violations(kind, &dialect.to_wire(kind, &request)).is_empty()) {
        true => request,
        false => rich(profile, dialect, operation, word),
    }
}

/// The same with everything that the version has a place for.
pub(super) fn rich(profile: &Profile, dialect: &Dialect, operation: Operation, word: &str) -> Value {
    let mut request = named(profile, operation, plain(operation, word));
    let Some(kind) = profile.operation(operation).and_then(|facts| facts.params.as_deref()) else { return request };
    for (place, value) in further(operation) {
        add(&mut request, dialect, kind, (place, value));
    }
    request
}

/// The same with the id of its task, where clients choose them.
fn named(profile: &Profile, operation: Operation, mut request: Value) -> Value {
    if operation.sends_a_message() && profile.facts.task_ids == TaskIds::Client {
        put(&mut request, "/message/taskId", json!("${unique}"));
    }
    request
}

/// Adds a member to a request of this type, where the version has a place for it and it makes nothing wrong.
pub(super) fn add(request: &mut Value, dialect: &Dialect, kind: &str, (place, value): (&str, Value)) {
    if !dialect.tells_of(kind, place) {
        return;
    }
    let mut more = request.clone();
    put(&mut more, place, value);
    let wrongs = |request: &Value| dialect.violations(kind, &dialect.to_wire(kind, request)).len();
    if dialect.without_place(kind, &more).is_none() && wrongs(&more) <= wrongs(request) {
        *request = more;
    }
}

/// Puts a value at a place whose parent is there; an item of an array takes the place of another.
pub(super) fn put(into: &mut Value, place: &str, value: Value) -> bool {
    let Some((parent, name)) = parent_of(into, place) else {
        *into = value;
        return true;
    };
    match parent {
        Some(Value::Object(members)) => {
            members.insert(name, value);
            true
        }
        Some(Value::Array(items)) => match name.parse::<usize>().ok().and_then(|index| items.get_mut(index)) {
            Some(item) => {
                *item = value;
                true
            }
            None => false,
        },
        _ => false,
    }
}

/// The same, where objects that would hold it are made if they are not there.
pub(super) fn put_deep(into: &mut Value, place: &str, value: Value) -> bool {
    let outer: Vec<usize> = place.match_indices('/').skip(1).map(|(end, _)| end).collect();
    for end in outer {
        let Some(outer) = place.get(..end) else { return false };
        if into.pointer(outer).is_none_or(Value::is_null) && !put(into, outer, json!({})) {
            return false;
        }
    }
    put(into, place, value)
}

/// Takes away what is at a place.
pub(super) fn remove(from: &mut Value, place: &str) -> bool {
    match parent_of(from, place) {
        Some((Some(Value::Object(members)), name)) => shift_remove(members, &name),
        _ => false,
    }
}

fn shift_remove(members: &mut Map<String, Value>, name: &str) -> bool {
    members.shift_remove(name).is_some()
}

/// What holds a place, and the name there; nothing for the whole.
fn parent_of<'a>(value: &'a mut Value, place: &str) -> Option<(Option<&'a mut Value>, String)> {
    let (parent, name) = place.rsplit_once('/')?;
    Some((value.pointer_mut(parent), name.replace("~1", "/").replace("~0", "~")))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::profile;

    #[test]
    fn both_are_right_in_every_version() {
        for profile in profile::bundled().unwrap() {
            for (operation, facts) in &profile.facts.operations {
                let Some(kind) = facts.params.as_deref() else { continue };
                for dialect in profile.dialects.values() {
                    let both = [least(&profile, dialect, *operation, "hi"), rich(&profile, dialect, *operation, "hi")];
                    for request in both {
                        let found = dialect.violations(kind, &dialect.to_wire(kind, &request));
                        assert!(found.is_empty(), "{} {operation} {request}: {found:?}", profile.name());
                    }
                }
            }
        }
    }

    #[test]
    fn a_place_can_be_filled_and_emptied() {
        let mut value = json!({ "a": { "b": [1, 2] } });
        assert!(put(&mut value, "/a/b/1", json!(3)) && put(&mut value, "/a/c", json!(4)));
        assert_eq!(value, json!({ "a": { "b": [1, 3], "c": 4 } }));
        assert!(remove(&mut value, "/a/b") && !remove(&mut value, "/a/b") && !put(&mut value, "/x/y", json!(1)));
        assert!(put_deep(&mut value, "/x/y/z", json!(5)) && !put_deep(&mut value, "/a/c/d", json!(6)));
        assert_eq!(value.pointer("/x/y/z"), Some(&json!(5)));
        assert!(put(&mut value, "", json!(1)));
        assert_eq!(value, json!(1));
    }
}
