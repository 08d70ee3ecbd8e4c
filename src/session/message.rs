//! The messages that the suite sends.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};

pub(crate) use crate::case::merge;
use crate::discovery::triggers::Say;
use crate::profile::facts::TaskIds;
use crate::profile::{Operation, Profile};
use crate::transcript::OWN_IDS;

/// A string that no other call returns, in this run or another: agents may remember message ids between runs.
pub(crate) fn unique() -> String {
    static RUN: OnceLock<String> = OnceLock::new();
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let run = RUN.get_or_init(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        format!("{:x}{:x}", now.as_nanos(), std::process::id())
    });
    format!("{OWN_IDS}{run}-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

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
    fn no_two_messages_share_an_id() {
        let say = Say { text: "hello".into(), message_id_prefix: Some("tck".into()), metadata: None };
        let (a, b) = (params(&say), params(&say));
        assert_ne!(a.pointer("/message/messageId"), b.pointer("/message/messageId"));
        assert!(a.pointer("/message/messageId").and_then(Value::as_str).unwrap().starts_with("tck-"));
    }
}
