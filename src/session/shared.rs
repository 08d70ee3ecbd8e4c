//! Tasks that cases share: they only read them, so that each finds what the others found.
//!
//! An agent may let a reading change what it has stored. Then what a case sees depends on what ran before it. So cases that
//! send wrong requests share tasks of their own, and a finished task is read again at the end.

use serde_json::{Value, json};

use super::Session;
use crate::profile::Operation;
use crate::transcript::task_in;

/// What of a finished task stays as it is.
const KEPT: [&str; 3] = ["/status/state", "/artifacts", "/history"];

impl Session {
    /// Reads the finished tasks again that cases have shared, and says in what they have changed.
    pub async fn changed_tasks(&self) -> Vec<String> {
        if self.gone().is_some() {
            return Vec::new();
        }
        let mut changes = Vec::new();
        for id in self.shared_ids() {
            let Some(was) = self.record.first_reading(&id).filter(|was| self.is_finished(was)) else { continue };
            let Ok(answer) = self.call(Operation::GetTask, json!({ "id": id }), REREAD).await else { continue };
            // What is gone was purged, which every version allows.
            let Some(is) = answer.result().and_then(task_in) else { continue };
            changes.extend(KEPT.iter().filter_map(|place| change(&was, is, place)));
        }
        changes.sort_unstable();
        changes.dedup();
        changes
    }

    /// Has the tasks that cases share made anew from now on.
    pub fn start_over(&self) {
        self.fixtures.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clear();
    }

    fn is_finished(&self, task: &Value) -> bool {
        task.pointer("/status/state").and_then(Value::as_str).is_some_and(|state| self.profile().is_terminal(state))
    }

    /// The ids of the tasks that cases share.
    fn shared_ids(&self) -> Vec<String> {
        let fixtures = self.fixtures.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let made = fixtures.values().filter_map(|cell| cell.get()?.as_ref().ok()).map(super::pooled::Pooled::get);
        let ids = made.flat_map(|made| {
            let tasks = made.as_array().cloned().unwrap_or_else(|| vec![(*made).clone()]);
            tasks.into_iter().filter_map(|task| Some(task.get("id")?.as_str()?.to_owned()))
        });
        ids.collect()
    }
}

/// What the last readings are for.
pub const REREAD: &str = "is a task that cases share as it was?";

/// In what a task has changed at a place; absent, null and empty are alike.
fn change(was: &Value, is: &Value, place: &str) -> Option<String> {
    let held = |task: &Value| {
        let value = task.pointer(place).cloned().unwrap_or_default();
        if value.as_array().is_some_and(Vec::is_empty) { Value::Null } else { value }
    };
    let (before, after) = (held(was), held(is));
    if before == after {
        return None;
    }
    let told = |value: &Value| match value {
        Value::Null => "nothing".to_owned(),
        Value::Array(items) => crate::diagnostic::words::count(items.len(), "item"),
        other => other.to_string(),
    };
    let (before, after) = (told(&before), told(&after));
    Some(match before == after {
        true => format!("`{place}` has changed"),
        false => format!("`{place}` was {before}, and is {after}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_told_by_what_it_was_and_is() {
        let task = |state: &str, history: Value| json!({ "id": "t", "status": { "state": state }, "history": history });
        let was = task("TASK_STATE_COMPLETED", json!([{ "messageId": "m" }]));
        assert_eq!(change(&was, &was, "/history"), None);
        assert_eq!(change(&was, &task("x", json!(null)), "/history").unwrap(), "`/history` was 1 item, and is nothing");
        assert_eq!(change(&was, &task("x", json!([7])), "/history").unwrap(), "`/history` has changed");
        let state = change(&was, &task("TASK_STATE_WORKING", json!([])), "/status/state").unwrap();
        assert_eq!(state, r#"`/status/state` was "TASK_STATE_COMPLETED", and is "TASK_STATE_WORKING""#);
        assert_eq!(change(&task("x", json!([])), &json!({}), "/history"), None);
    }
}
