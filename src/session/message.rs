//! The messages that the suite sends.

use serde_json::{Map, Value, json};

pub(crate) use crate::case::merge;
use crate::discovery::triggers::Say;
use crate::profile::facts::TaskIds;
use crate::profile::{Operation, Profile};
use crate::transport::unique;

/// Canonical parameters that send a trigger's message.
pub(crate) fn params(say: &Say) -> Value {
    let id = match &say.message_id_prefix {
        Some(prefix) => format!("{prefix}-{}", unique()),
        None => unique(),
    };
    let mut message = Map::new();
    message.insert("messageId".to_owned(), json!(id));
    message.insert("role".to_owned(), json!("ROLE_USER"));
    message.insert("parts".to_owned(), json!([{ "text": say.text }]));
    if let Some(metadata) = &say.metadata {
        message.insert("metadata".to_owned(), metadata.clone());
    }
    json!({ "message": message })
}

/// The most bytes of a name or token of an agent's that a request repeats: the agent could make every request as large as its answers.
const LONGEST_NAME: usize = 64 << 10;
/// The members of parameters, and of the message among them, whose values agents choose.
const NAMES: [&str; 4] = ["id", "taskId", "contextId", "pageToken"];

/// The first of what an agent chose that is too long to be sent back, with its bytes.
pub(crate) fn too_long(params: &Value) -> Option<(&'static str, usize)> {
    let within = [Some(params), params.get("message")].into_iter().flatten();
    let named = within.flat_map(|value| NAMES.map(|name| (name, value.get(name).and_then(Value::as_str))));
    named.filter_map(|(name, text)| Some((name, text?.len()))).find(|(_, length)| *length > LONGEST_NAME)
}

/// Gives a message that begins a conversation a context of its own. Where clients choose the ids of tasks, all messages of one task get
/// the same.
pub(crate) fn name_context(profile: &Profile, operation: Operation, params: &mut Value) {
    let Some(Value::Object(message)) = params.get_mut("message").filter(|_| operation.sends_a_message()) else {
        return;
    };
    let of_client = profile.facts.task_ids == TaskIds::Client;
    let context = match message.get("taskId") {
        Some(Value::String(task)) if of_client => format!("{task}-context"),
        Some(_) => return,
        None => unique(),
    };
    message.entry("contextId").or_insert_with(|| Value::from(context));
}

/// Gives a message that names no task the id of a new one, where clients choose ids (A2A 0.1, sections 6.1 and 7.1.1).
pub(crate) fn name_task(profile: &Profile, operation: Operation, params: &mut Value) {
    if operation.sends_a_message()
        && profile.facts.task_ids == TaskIds::Client
        && let Some(Value::Object(message)) = params.get_mut("message")
    {
        message.entry("taskId").or_insert_with(|| Value::from(unique()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_too_long_is_seen_wherever_it_is() {
        let long = "x".repeat(LONGEST_NAME + 1);
        assert_eq!(too_long(&json!({ "pageToken": long })), Some(("pageToken", LONGEST_NAME + 1)));
        assert_eq!(too_long(&json!({ "message": { "contextId": long } })), Some(("contextId", LONGEST_NAME + 1)));
        assert_eq!(
            too_long(&json!({ "id": "x".repeat(LONGEST_NAME), "message": { "parts": [{ "text": long }] } })),
            None
        );
    }

    #[test]
    fn no_two_messages_share_an_id() {
        let say = Say { text: "hello".into(), message_id_prefix: Some("tck".into()), metadata: None };
        let (a, b) = (params(&say), params(&say));
        assert_ne!(a.pointer("/message/messageId"), b.pointer("/message/messageId"));
        assert!(a.pointer("/message/messageId").and_then(Value::as_str).unwrap().starts_with("tck-"));
    }
}
