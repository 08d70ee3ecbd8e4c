//! Resource names: how the protobuf definition of 0.3 names tasks and their configurations (0.3, sections 7.3 to 7.9).

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
}
