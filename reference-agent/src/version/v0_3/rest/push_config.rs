//! The body that sets a push notification configuration (0.3, section 7.5), which comes in several wrappings.
//!
//! The text says `{config: TaskPushNotificationConfig}`. The protobuf definition has `parent` and `configId` beside
//! `config`, or makes the configuration alone the body. That has `taskId` in one form and `name` in the other.

use serde_json::{Map, Value};

use super::NOT_THE_PATH;
use crate::config::RestDialect;
use crate::core::Violation;
use crate::version::field::Checked;
use crate::version::resource_name;

/// The form that a body is written in, where it shows.
pub fn form_of(params: &Map<String, Value>) -> Option<RestDialect> {
    let config = params.get("config");
    let of_proto = [config.unwrap_or(&Value::Null).get("name"), params.get("name"), params.get("parent")];
    if of_proto.into_iter().flatten().next().is_some() {
        return Some(RestDialect::Proto);
    }
    // Outside of `config`, the task is what the path says.
    config?.get("taskId").map(|_| RestDialect::Json)
}

/// Takes the configuration out of its wrapping, and gives it as JSON-RPC has it: the task as `taskId`, and the id of
/// the configuration within it. The task of the path is among the parameters under that name, too.
///
/// # Errors
/// Another task than that of the path.
pub fn unwrap(mut params: Map<String, Value>) -> Checked<Map<String, Value>> {
    let task_id = params.get("taskId").and_then(Value::as_str).unwrap_or_default().to_owned();
    by_json_name(&mut params, "config_id", "configId");
    let given_id = params.remove("configId").filter(|id| !is_empty(id));
    let mut config = match params.remove("config") {
        None | Some(Value::Null) => params,
        Some(Value::Object(config)) => config,
        Some(_) => return Err(Violation::new("config", "must be an object")),
    };
    by_json_name(&mut config, "push_notification_config", "pushNotificationConfig");

    let named_task = config.insert("taskId".to_owned(), Value::String(task_id.clone()));
    if named_task.is_some_and(|named| !is_empty(&named) && named != task_id.as_str()) {
        return Err(Violation::new("taskId", NOT_THE_PATH));
    }
    let named_id = match config.get("name").filter(|name| !is_empty(name)) {
        None => None,
        Some(name) => {
            let named = name.as_str().and_then(resource_name::read_push_config);
            let (_, id) = named.filter(|(named_task, _)| *named_task == task_id).ok_or_else(|| {
                Violation::new("name", "must be tasks/{id}/pushNotificationConfigs/{id}, with the task of the path")
            })?;
            Some(Value::from(id))
        }
    };
    if let (Some(id), Some(Value::Object(inner))) = (given_id.or(named_id), config.get_mut("pushNotificationConfig"))
        && inner.get("id").is_none_or(is_empty)
    {
        inner.insert("id".to_owned(), id);
    }
    Ok(config)
}

/// Readers of ProtoJSON take the original name of a field beside that of JSON, and clients write it.
fn by_json_name(members: &mut Map<String, Value>, original: &str, name: &str) {
    if let Some(value) = members.remove(original) {
        members.entry(name).or_insert(value);
    }
}

/// Whether a member says nothing.
fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_str() == Some("")
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;
    use crate::core::{Operation, OperationName};
    use serde_json::json;

    #[test]
    fn the_form_shows_in_the_name_of_the_task() {
        for (body, form) in [
            (json!({"taskId": "t", "config": {"taskId": "t"}}), Some(RestDialect::Json)),
            (json!({"taskId": "t", "config": {"name": ""}}), Some(RestDialect::Proto)),
            (json!({"taskId": "t", "name": ""}), Some(RestDialect::Proto)),
            (json!({"taskId": "t", "parent": "tasks/t", "config": {}}), Some(RestDialect::Proto)),
            (json!({"taskId": "t"}), None),
            (json!({"taskId": "t", "config": {}}), None),
            (json!({"taskId": "t", "config": 5}), None),
        ] {
            assert_eq!(form_of(body.as_object().unwrap()), form, "{body}");
        }
    }

    #[test]
    fn push_configs_come_in_several_wrappings() {
        let create = |params: Value| match read(
            OperationName::CreatePushConfig,
            params.as_object().unwrap().clone(),
            RestDialect::Json,
        ) {
            Ok(Operation::CreatePushConfig(config)) => Ok((config.task_id, config.id, config.url)),
            Ok(other) => panic!("{other:?}"),
            Err(violation) => Err(violation.field),
        };
        let inner = json!({"url": "http://x/"});
        let done = |id: &str| Ok(("t".to_owned(), id.to_owned(), "http://x/".to_owned()));
        for (params, expected) in [
            (json!({"taskId": "t", "config": {"taskId": "t", "pushNotificationConfig": inner}}), done("")),
            (json!({"taskId": "t", "config": {"pushNotificationConfig": inner}}), done("")),
            (json!({"taskId": "t", "pushNotificationConfig": {"id": "c", "url": "http://x/"}}), done("c")),
            (
                json!({"taskId": "t", "parent": "tasks/t", "configId": "c", "config": {"pushNotificationConfig": inner}}),
                done("c"),
            ),
            // As the published Python client of 1.0 writes it for agents of 0.3.
            (
                json!({"taskId": "t", "parent": "tasks/t", "config_id": "c", "config": {"push_notification_config": inner}}),
                done("c"),
            ),
            (
                json!({"taskId": "t", "config": {"name": "tasks/t/pushNotificationConfigs/c", "pushNotificationConfig": inner}}),
                done("c"),
            ),
            (
                json!({"taskId": "t", "config": {"name": "tasks/u/pushNotificationConfigs/c", "pushNotificationConfig": inner}}),
                Err("name".to_owned()),
            ),
            (
                json!({"taskId": "t", "config": {"taskId": "u", "pushNotificationConfig": inner}}),
                Err("taskId".to_owned()),
            ),
            (
                json!({"taskId": "t", "config": {"pushNotificationConfig": {}}}),
                Err("pushNotificationConfig.url".to_owned()),
            ),
            (json!({"taskId": "t", "config": []}), Err("config".to_owned())),
            (json!({"taskId": "t"}), Err("pushNotificationConfig".to_owned())),
        ] {
            assert_eq!(create(params.clone()), expected, "{params}");
        }
    }
}
