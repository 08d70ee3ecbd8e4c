//! Ids: where requests name a task, and what names none.

use serde_json::{Value, json};

use super::change::Change;
use crate::profile::Operation;

/// The class of a request for a task that is not there.
pub(super) const UNKNOWN: &str = "unknown-id";

/// Whether the parameters of an operation name a task at a place.
pub(super) fn names_a_task(operation: Operation, pointer: &str) -> bool {
    match operation {
        Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask => pointer == "/id",
        Operation::CreateTaskPushNotificationConfig
        | Operation::GetTaskPushNotificationConfig
        | Operation::ListTaskPushNotificationConfigs
        | Operation::DeleteTaskPushNotificationConfig => pointer == "/taskId",
        Operation::SendMessage | Operation::SendStreamingMessage => pointer == "/message/taskId",
        Operation::ListTasks | Operation::GetExtendedAgentCard => false,
    }
}

/// What can be put where a task is named: texts under which there is none. A message that has nothing there, or only space, may
/// begin a task of its own.
pub(super) fn unknown(operation: Operation, changes: Vec<Change>) -> Vec<Change> {
    let is_none = |text: &str| operation.sends_a_message() && text.trim().is_empty();
    let named = changes.into_iter().map(|change| match change.value.as_ref().and_then(Value::as_str) {
        Some(text) if !is_none(text) => Change { class: UNKNOWN, ..change },
        _ => change,
    });
    // One like those of the agent's own, one that begins like one of them, and one that ends so.
    let alike = ["${unknown-id}", "${done.id}x", "x${done.id}"];
    let alike = alike.map(|id| Change { value: Some(json!(id)), class: UNKNOWN });
    named.chain(alike).collect()
}

/// In how many places ids differ that nobody counts, at least: those of two tasks that were made one after the other.
const FAR: usize = 12;

/// Whether two ids are so far from each other that neither was found by counting from the other. An agent may count the tasks of each
/// caller by themselves: then one id is that of a task of each.
pub(super) fn are_far_apart(one: &str, other: &str) -> bool {
    let differing = one.bytes().zip(other.bytes()).filter(|(a, b)| a != b);
    one.len() == other.len() && differing.count() >= FAR
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_ids_are_near_each_other() {
        let first = "6f1c0d5e-7b1a-4c2e-9d3f-5a2be1c40d71";
        assert!(are_far_apart(first, "0198c3a2-51de-7c07-b0f1-3f9ad2c6e8b4"));
        // Of one millisecond (RFC 9562, section 5.7).
        assert!(are_far_apart("0198c3a2-51de-7c07-b0f1-3f9ad2c6e8b4", "0198c3a2-51de-7a41-8d27-c1045be93f66"));
        for (one, other) in [("task-000009", "task-000010"), ("7", "8"), ("99999999", "100000000"), (first, first)] {
            assert!(!are_far_apart(one, other), "{one} {other}");
        }
    }

    #[test]
    fn a_message_that_names_nothing_may_begin_a_task() {
        let put = |value: Value| Change { value: Some(value), class: "open" };
        let classes = |operation| {
            let changes = vec![put(json!(" ")), put(json!("null")), put(json!(null)), put(json!(7))];
            unknown(operation, changes).into_iter().map(|change| change.class).collect::<Vec<_>>()
        };
        let get = classes(Operation::GetTask);
        assert_eq!(get, [UNKNOWN, UNKNOWN, "open", "open", UNKNOWN, UNKNOWN, UNKNOWN]);
        assert_eq!(classes(Operation::SendMessage)[..2], ["open", UNKNOWN]);
    }
}
