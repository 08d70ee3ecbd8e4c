//! Resource names: how the protobuf definitions of 0.3 and of the draft of 1.0 name tasks and their configurations (0.3,
//! sections 7.3 to 7.9; 1.0-draft, sections 10.4.3 to 10.4.10).

use super::field::Checked;
use crate::core::Violation;
use crate::model::PushConfigName;

const TASKS: &str = "tasks/";
const PUSH_CONFIGS: &str = "/pushNotificationConfigs/";

/// `tasks/{task_id}/pushNotificationConfigs/{id}`
pub fn push_config(task_id: &str, id: &str) -> String {
    format!("{TASKS}{task_id}{PUSH_CONFIGS}{id}")
}

/// The id in the name of a task.
pub fn read_task(name: &str) -> Option<&str> {
    name.strip_prefix(TASKS)
}

/// The ids of task and configuration in the name of a configuration.
pub fn read_push_config(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix(TASKS)?.split_once(PUSH_CONFIGS)
}

/// The id of the task that a request names.
///
/// # Errors
/// Anything else in the place of its name.
pub fn task(name: &str) -> Checked<String> {
    let id = read_task(name).filter(|id| !id.is_empty());
    id.map(str::to_owned).ok_or_else(|| Violation::new("name", "must be tasks/{id}"))
}

/// The task that a configuration belongs to. The definition of 0.3 calls it `tasks/{id}` and, where it gives the route to
/// create one, `task/{id}/pushNotificationConfigs`; either will do.
///
/// # Errors
/// Anything else in the place of its name.
pub fn parent(name: &str) -> Checked<String> {
    let id = name.strip_prefix(TASKS).or_else(|| name.strip_prefix("task/"));
    let id = id.map(|id| id.strip_suffix("/pushNotificationConfigs").unwrap_or(id)).filter(|id| !id.is_empty());
    id.map(str::to_owned).ok_or_else(|| Violation::new("parent", "must be tasks/{id}"))
}

/// The configuration that a request names.
///
/// # Errors
/// Anything else in the place of its name.
pub fn push_config_name(name: &str) -> Checked<PushConfigName> {
    let ids = read_push_config(name).filter(|(task_id, id)| !task_id.is_empty() && !id.is_empty());
    ids.map(|(task_id, id)| PushConfigName { task_id: task_id.to_owned(), id: Some(id.to_owned()) })
        .ok_or_else(|| Violation::new("name", "must be tasks/{id}/pushNotificationConfigs/{id}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        assert_eq!(read_task("tasks/a"), Some("a"));
        assert_eq!(read_push_config(&push_config("a", "b")), Some(("a", "b")));
        for other in ["", "a", "task/a", "tasks/a"] {
            assert_eq!(read_push_config(other), None, "{other}");
        }
    }

    #[test]
    fn what_names_nothing_is_refused() {
        for other in ["", "a", "task/a", "tasks/"] {
            assert_eq!(task(other).unwrap_err().field, "name", "{other}");
        }
        assert_eq!(parent("task/a/pushNotificationConfigs"), Ok("a".to_owned()));
        assert_eq!(parent("tasks/").unwrap_err().field, "parent");
        assert_eq!(push_config_name("tasks//pushNotificationConfigs/b").unwrap_err().field, "name");
    }
}
