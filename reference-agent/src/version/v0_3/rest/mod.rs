//! How 0.3 is written over HTTP+JSON (0.3, sections 3.2.3 and 7).
//!
//! The text wants bodies to have the structure of the core objects, and leaves open by which definition. So there are
//! two forms of them, [`RestDialect`]; this agent reads both, and answers in the one in which it is spoken to.

mod proto_read;
mod proto_write;
mod push_config;

pub use proto_write::TaskPushNotificationConfig;
pub use push_config::unwrap as unwrap_push_config;

use serde_json::{Map, Value};

use crate::config::RestDialect;
use crate::core::{Answer, Operation, OperationName, Violation};
use crate::model;
use crate::version::field::Checked;
use crate::version::{Json, resource_name};

/// What the path of a request says, said otherwise by its body.
const NOT_THE_PATH: &str = "must be what the path says, or be left out";

/// The form that a request is written in, where it shows.
pub fn form_of(name: OperationName, params: &Map<String, Value>) -> Option<RestDialect> {
    match name {
        OperationName::SendMessage | OperationName::SendStreamingMessage => {
            // Only the definition in protobuf calls it so.
            if params.contains_key("request") {
                return Some(RestDialect::Proto);
            }
            let message = params.get("message")?;
            let role = message.get("role").and_then(Value::as_str).unwrap_or_default();
            match (message.get("parts").is_some(), message.get("content").is_some()) {
                (true, false) => Some(RestDialect::Json),
                (false, true) => Some(RestDialect::Proto),
                _ if role.starts_with("ROLE_") => Some(RestDialect::Proto),
                _ => None,
            }
        }
        OperationName::CreatePushConfig => push_config::form_of(params),
        _ => None,
    }
}

/// Reads the parameters of an operation: those of the body together with those of the path and the query, which have
/// the names that JSON-RPC gives them.
///
/// # Errors
/// The first parameter that is missing or wrong.
pub fn read(name: OperationName, mut params: Map<String, Value>, form: RestDialect) -> Checked<Operation> {
    match (name, form) {
        (OperationName::SendMessage, RestDialect::Proto) => {
            return Ok(Operation::SendMessage(Box::new(proto_read::send_message(params)?)));
        }
        (OperationName::SendStreamingMessage, RestDialect::Proto) => {
            return Ok(Operation::SendStreamingMessage(Box::new(proto_read::send_message(params)?)));
        }
        (OperationName::CancelTask | OperationName::SubscribeToTask, _) => check_task_name(&params)?,
        (OperationName::CreatePushConfig, _) => params = push_config::unwrap(params)?,
        // Protobuf knows no difference between 0 and nothing.
        (OperationName::GetTask, RestDialect::Proto) if params.get("historyLength") == Some(&Value::from(0)) => {
            params.remove("historyLength");
        }
        _ => {}
    }
    super::read::read(name, Some(Value::Object(params)), &super::V0_3)
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

/// Writes the answer to an operation.
///
/// # Errors
/// None that the model can cause.
pub fn write_answer(answer: &Answer, form: RestDialect) -> serde_json::Result<Json> {
    match (form, answer) {
        (RestDialect::Proto, _) => proto_write::write_answer(answer),
        (RestDialect::Json, Answer::Sent(model::Sent::Task(_))) => {
            Ok(Json::member("task", &super::write::write_answer(answer, &super::V0_3)?))
        }
        (RestDialect::Json, Answer::Sent(model::Sent::Message(_))) => {
            Ok(Json::member("message", &super::write::write_answer(answer, &super::V0_3)?))
        }
        (RestDialect::Json, _) => super::write::write_answer(answer, &super::V0_3),
    }
}

/// Writes an element of a stream.
///
/// # Errors
/// None that the model can cause.
pub fn write_event(event: &model::StreamEvent, is_last: bool, form: RestDialect) -> serde_json::Result<Json> {
    match form {
        RestDialect::Proto => proto_write::write_event(event, is_last),
        RestDialect::Json => {
            Ok(Json::member(member_of(event), &super::write::write_event(event, is_last, &super::V0_3)?))
        }
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
            (json!({"role": "user", "parts": []}), Some(RestDialect::Json)),
            (json!({"role": "ROLE_USER", "content": []}), Some(RestDialect::Proto)),
            (json!({"role": "ROLE_USER"}), Some(RestDialect::Proto)),
            (json!({"role": "user"}), None),
            (json!({}), None),
            (json!([]), None),
        ] {
            let params = object(json!({ "message": message }));
            assert_eq!(form_of(OperationName::SendMessage, &params), form, "{params:?}");
        }
        assert_eq!(form_of(OperationName::SendMessage, &Map::new()), None);
        let by_original_name = object(json!({ "request": {} }));
        assert_eq!(form_of(OperationName::SendMessage, &by_original_name), Some(RestDialect::Proto));
    }

    #[test]
    fn the_name_of_a_task_is_that_of_its_path() {
        let cancel = |name: Value| {
            read(OperationName::CancelTask, object(json!({"id": "t", "name": name})), RestDialect::Json).is_ok()
        };
        for same in [json!(null), json!(""), json!("t"), json!("tasks/t")] {
            assert!(cancel(same.clone()), "{same}");
        }
        for other in [json!("tasks/u"), json!("u"), json!(5)] {
            assert!(!cancel(other.clone()), "{other}");
        }
    }
}
