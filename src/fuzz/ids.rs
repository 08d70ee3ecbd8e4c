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

#[cfg(test)]
mod tests {
    use super::*;

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
