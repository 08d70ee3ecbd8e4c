//! How 0.3 is written over HTTP+JSON (0.3, sections 3.2.3 and 7).
//!
//! Requests and answers are to be "structurally equivalent to the core A2A data structures", and the text leaves open
//! which structures these are. So there are two forms of them, [`RestForm`]; this agent reads both, and answers in the
//! one in which it is spoken to.

mod proto_read;
mod proto_write;

use serde::Serialize;
use serde_json::{Map, Value};

use super::resource_name;
use crate::config::RestForm;
use crate::core::{Answer, Operation, OperationName, Violation};
use crate::model;
use crate::version::field::Checked;

/// What the path of a request says, said otherwise by its body.
const NOT_THE_PATH: &str = "must be what the path says, or be left out";

/// The form that a request is written in, where it shows.
pub fn form_of(name: OperationName, params: &Map<String, Value>) -> Option<RestForm> {
    match name {
        OperationName::SendMessage | OperationName::SendStreamingMessage => {
            let message = params.get("message")?;
            let role = message.get("role").and_then(Value::as_str).unwrap_or_default();
            match (message.get("parts").is_some(), message.get("content").is_some()) {
                (true, false) => Some(RestForm::Json),
                (false, true) => Some(RestForm::Proto),
                _ if role.starts_with("ROLE_") => Some(RestForm::Proto),
                _ => None,
            }
        }
        OperationName::CreatePushConfig => {
            let config = params.get("config");
            let has =
                |member| config.map_or_else(|| params.contains_key(member), |config| config.get(member).is_some());
            match (has("taskId"), has("name")) {
                // Outside of `config` the path has put one.
                (true, false) if config.is_some() => Some(RestForm::Json),
                (_, true) => Some(RestForm::Proto),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Reads the parameters of an operation: those of the body together with those of the path and the query, which have
/// the names that JSON-RPC gives them.
///
/// # Errors
/// The first parameter that is missing or wrong.
pub fn read(name: OperationName, mut params: Map<String, Value>, form: RestForm) -> Checked<Operation> {
    match (name, form) {
        (OperationName::SendMessage, RestForm::Proto) => {
            return Ok(Operation::SendMessage(Box::new(proto_read::send_message(params)?)));
        }
        (OperationName::SendStreamingMessage, RestForm::Proto) => {
            return Ok(Operation::SendStreamingMessage(Box::new(proto_read::send_message(params)?)));
        }
        (OperationName::CancelTask | OperationName::SubscribeToTask, _) => check_task_name(&params)?,
        (OperationName::CreatePushConfig, _) => return create_push_config(params),
        // Protobuf knows no difference between 0 and nothing.
        (OperationName::GetTask, RestForm::Proto) if params.get("historyLength") == Some(&Value::from(0)) => {
            params.remove("historyLength");
        }
        _ => {}
    }
    super::read::read(name, Some(Value::Object(params)))
}

/// The body may name the task once more (0.3, sections 7.4 and 7.9).
fn check_task_name(params: &Map<String, Value>) -> Checked<()> {
    let id = params.get("id").and_then(Value::as_str).unwrap_or_default();
    match params.get("name") {
        None | Some(Value::Null) => Ok(()),
        Some(Value::String(name)) if name.is_empty() || name == id || resource_name::read_task(name) == Some(id) => {
            Ok(())
        }
        Some(_) => Err(Violation::new("name", NOT_THE_PATH)),
    }
}

/// Reads `{config: TaskPushNotificationConfig}` (0.3, section 7.5), or the configuration alone, which is what the
/// protobuf definition makes the body. It has `taskId` in one form and `name` in the other.
fn create_push_config(mut params: Map<String, Value>) -> Checked<Operation> {
    let task_id = params.get("taskId").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut id = params.remove("configId").filter(|id| !is_empty(id));
    let (mut config, place) = match params.remove("config") {
        None => (params, ""),
        Some(Value::Object(config)) => (config, "config"),
        Some(_) => return Err(Violation::new("config", "must be an object")),
    };
    let within = |violation: Violation| if place.is_empty() { violation } else { violation.within(place) };

    let named_task = config.insert("taskId".to_owned(), Value::String(task_id.clone()));
    if named_task.is_some_and(|named| !is_empty(&named) && named != task_id.as_str()) {
        return Err(within(Violation::new("taskId", NOT_THE_PATH)));
    }
    if let Some(name) = config.get("name").filter(|name| !is_empty(name)) {
        let named = name.as_str().and_then(resource_name::read_push_config);
        let (_, named_id) = named.filter(|(named_task, _)| *named_task == task_id).ok_or_else(|| {
            within(Violation::new("name", "must be tasks/{id}/pushNotificationConfigs/{id}, with the task of the path"))
        })?;
        id = id.or_else(|| Some(Value::from(named_id)));
    }
    if let (Some(id), Some(Value::Object(inner))) = (id, config.get_mut("pushNotificationConfig"))
        && inner.get("id").is_none_or(is_empty)
    {
        inner.insert("id".to_owned(), id);
    }
    super::read::read(OperationName::CreatePushConfig, Some(Value::Object(config))).map_err(within)
}

/// Whether a member says nothing.
fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_str() == Some("")
}

/// Writes the answer to an operation.
///
/// # Errors
/// None that the model can cause.
pub fn write_answer(answer: &Answer, form: RestForm) -> serde_json::Result<Value> {
    match (form, answer) {
        (RestForm::Proto, _) => proto_write::write_answer(answer),
        (RestForm::Json, Answer::Sent(model::Sent::Task(_))) => wrap("task", &super::write::write_answer(answer)?),
        (RestForm::Json, Answer::Sent(model::Sent::Message(_))) => {
            wrap("message", &super::write::write_answer(answer)?)
        }
        (RestForm::Json, _) => super::write::write_answer(answer),
    }
}

/// Writes an element of a stream.
///
/// # Errors
/// None that the model can cause.
pub fn write_event(event: &model::StreamEvent, is_last: bool, form: RestForm) -> serde_json::Result<Value> {
    match form {
        RestForm::Proto => proto_write::write_event(event, is_last),
        RestForm::Json => wrap(member_of(event), &super::write::write_event(event, is_last)?),
    }
}

/// The member that holds an event (0.3, section 7.2).
const fn member_of(event: &model::StreamEvent) -> &'static str {
    match event {
        model::StreamEvent::Task(_) => "task",
        model::StreamEvent::Message(_) => "message",
        model::StreamEvent::Update(model::Event::Status(_)) => "statusUpdate",
        model::StreamEvent::Update(model::Event::Artifact(_)) => "artifactUpdate",
    }
}

/// An object with one member.
fn wrap(member: &str, value: &impl Serialize) -> serde_json::Result<Value> {
    Ok(Value::Object(Map::from_iter([(member.to_owned(), serde_json::to_value(value)?)])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn the_form_shows_in_the_message() {
        for (message, form) in [
            (json!({"role": "user", "parts": []}), Some(RestForm::Json)),
            (json!({"role": "ROLE_USER", "content": []}), Some(RestForm::Proto)),
            (json!({"role": "ROLE_USER"}), Some(RestForm::Proto)),
            (json!({"role": "user"}), None),
            (json!({}), None),
            (json!([]), None),
        ] {
            let params = object(json!({ "message": message }));
            assert_eq!(form_of(OperationName::SendMessage, &params), form, "{params:?}");
        }
        assert_eq!(form_of(OperationName::SendMessage, &Map::new()), None);
    }

    #[test]
    fn push_configs_come_in_several_wrappings() {
        let create = |params: Value| match read(OperationName::CreatePushConfig, object(params), RestForm::Json) {
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
            (
                json!({"taskId": "t", "config": {"name": "tasks/t/pushNotificationConfigs/c", "pushNotificationConfig": inner}}),
                done("c"),
            ),
            (
                json!({"taskId": "t", "config": {"name": "tasks/u/pushNotificationConfigs/c", "pushNotificationConfig": inner}}),
                Err("config.name".to_owned()),
            ),
            (
                json!({"taskId": "t", "config": {"taskId": "u", "pushNotificationConfig": inner}}),
                Err("config.taskId".to_owned()),
            ),
            (
                json!({"taskId": "t", "config": {"pushNotificationConfig": {}}}),
                Err("config.pushNotificationConfig.url".to_owned()),
            ),
            (json!({"taskId": "t", "config": []}), Err("config".to_owned())),
            (json!({"taskId": "t"}), Err("pushNotificationConfig".to_owned())),
        ] {
            assert_eq!(create(params.clone()), expected, "{params}");
        }
    }

    #[test]
    fn the_name_of_a_task_is_that_of_its_path() {
        let cancel = |name: Value| {
            read(OperationName::CancelTask, object(json!({"id": "t", "name": name})), RestForm::Json).is_ok()
        };
        for same in [json!(null), json!(""), json!("t"), json!("tasks/t")] {
            assert!(cancel(same.clone()), "{same}");
        }
        for other in [json!("tasks/u"), json!("u"), json!(5)] {
            assert!(!cancel(other.clone()), "{other}");
        }
    }
}
