//! From the JSON of the draft to the model: the requests that are not those of 1.0.
//!
//! Over HTTP+JSON a path gives the ids of tasks and configurations; over JSON-RPC there is an id (9.4.3), or the resource
//! name that the protobuf definition has. Either will do, and if both are there they must agree.

use serde::Deserialize;
use serde_json::{Map, Number, Value};

use super::super::read::{ListTasksRequest, Message, list_tasks, message};
use super::super::traits::DRAFT;
use crate::core::{Operation, OperationName, Violation};
use crate::model;
use crate::model::{Metadata, Timestamp};
use crate::version::field::{Checked, Field, Nested, Object, ProtoInt, Strings, history_length, parameters};
use crate::version::v0_3::{PushNotificationConfig, push_config};
use crate::version::{resource_name, v0_3};

/// Reads the parameters of an operation.
///
/// # Errors
/// The first parameter that is missing or wrong.
pub fn read(name: OperationName, params: Option<Value>) -> Checked<Operation> {
    Ok(match name {
        OperationName::SendMessage => Operation::SendMessage(Box::new(send_message(parameters(params)?)?)),
        OperationName::SendStreamingMessage => {
            Operation::SendStreamingMessage(Box::new(send_message(parameters(params)?)?))
        }
        OperationName::GetTask => get_task(parameters(params)?)?,
        OperationName::ListTasks => Operation::ListTasks(list(parameters(params)?)?),
        OperationName::CancelTask => Operation::CancelTask { id: task(parameters(params)?)? },
        OperationName::SubscribeToTask => Operation::SubscribeToTask { id: task(parameters(params)?)? },
        OperationName::CreatePushConfig => set_push_config(parameters(params)?)?,
        OperationName::GetPushConfig => Operation::GetPushConfig(push_config_name(parameters(params)?)?),
        OperationName::ListPushConfigs => Operation::ListPushConfigs(list_push_configs(parameters(params)?)?),
        OperationName::DeletePushConfig => Operation::DeletePushConfig(push_config_name(parameters(params)?)?),
        // It has no parameters: whatever is there is ignored, as long as it is an object.
        OperationName::GetExtendedAgentCard => {
            let _ignored: Map<String, Value> = parameters(params)?;
            Operation::GetExtendedAgentCard
        }
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SendMessageRequest {
    message: Nested<Message>,
    configuration: Nested<SendMessageConfiguration>,
    metadata: Field<Metadata>,
}

fn send_message(request: SendMessageRequest) -> Checked<model::SendMessageRequest> {
    request.metadata.metadata("metadata")?;
    let configuration = request.configuration.optional("configuration")?.unwrap_or_default();
    Ok(model::SendMessageRequest {
        message: request.message.required_as("message", |read| message(read, &DRAFT))?,
        configuration: configure(configuration).map_err(|violation| violation.within("configuration"))?,
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct SendMessageConfiguration {
    #[serde(alias = "accepted_output_modes")]
    accepted_output_modes: Strings,
    #[serde(alias = "push_notification_config")]
    push_notification_config: Nested<PushNotificationConfig>,
    #[serde(alias = "history_length")]
    history_length: Field<ProtoInt>,
    blocking: Field<bool>,
}

fn configure(Object(read): Object<SendMessageConfiguration>) -> Checked<model::SendMessageConfiguration> {
    read.accepted_output_modes.all("acceptedOutputModes")?;
    Ok(model::SendMessageConfiguration {
        push: read.push_notification_config.optional_as("pushNotificationConfig", push_config)?,
        history_length: read.history_length.optional_as("historyLength", |ProtoInt(length)| history_length(length))?,
        // Nobody waits who does not ask to (3.2.2).
        return_immediately: !read.blocking.optional("blocking")?.unwrap_or_default(),
        if_generation_match: None,
    })
}

/// The task that a request is about.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TaskRequest {
    id: Field<String>,
    name: Field<String>,
}

fn task(request: TaskRequest) -> Checked<String> {
    let id = request.id.optional_text("id")?;
    let named = request.name.optional_text("name")?.map(|name| resource_name::task(&name)).transpose()?;
    agreed(id, named, "name")?.ok_or_else(|| Violation::new("id", "is required"))
}

/// What is said by an id and, once more, in the resource name of the member `name`.
fn agreed(id: Option<String>, named: Option<String>, name: &str) -> Checked<Option<String>> {
    match (id, named) {
        (Some(id), Some(named)) if id != named => Err(Violation::new(name, "must be what is said elsewhere")),
        (id, named) => Ok(id.or(named)),
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct GetTaskRequest {
    #[serde(flatten)]
    task: TaskRequest,
    #[serde(alias = "history_length")]
    history_length: Field<ProtoInt>,
}

fn get_task(request: GetTaskRequest) -> Checked<Operation> {
    Ok(Operation::GetTask {
        id: task(request.task)?,
        history_length: request
            .history_length
            .optional_as("historyLength", |ProtoInt(length)| history_length(length))?,
        current_generation: None,
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct DraftListTasksRequest {
    #[serde(flatten)]
    request: ListTasksRequest,
    #[serde(alias = "last_updated_after")]
    last_updated_after: Field<Milliseconds>,
    metadata: Field<Metadata>,
}

fn list(
    DraftListTasksRequest { mut request, last_updated_after, metadata }: DraftListTasksRequest,
) -> Checked<model::ListTasksRequest> {
    metadata.metadata("metadata")?;
    // A member of 1.0 alone.
    request.status_timestamp_after = Field::Unset;
    let request = list_tasks(request, &DRAFT)?;
    Ok(model::ListTasksRequest {
        status_timestamp_after: last_updated_after
            .optional_as("lastUpdatedAfter", |Milliseconds(milliseconds)| updated_after(milliseconds))?
            .flatten(),
        // Where the client does not say, none (3.1.4).
        history_length: request.history_length.or(Some(0)),
        ..request
    })
}

/// The moment from which on tasks were updated, given in milliseconds since 1970 (3.1.4). Zero is how protobuf leaves this
/// one out.
///
/// # Errors
/// A moment beyond the calendar.
pub fn updated_after(milliseconds: i64) -> Checked<Option<Timestamp>> {
    if milliseconds == 0 {
        return Ok(None);
    }
    let moment = Timestamp::from_nanoseconds(i128::from(milliseconds) * 1_000_000);
    moment.map(Some).ok_or_else(|| Violation::new("", "must be a moment of the calendar"))
}

/// A 64-bit integer: `5`, `5.0` or, as the JSON form of protobuf writes it, `"5"`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "Value")]
struct Milliseconds(i64);

impl TryFrom<Value> for Milliseconds {
    type Error = &'static str;

    fn try_from(value: Value) -> Result<Self, Self::Error> {
        let number: Option<Number> = match value {
            Value::Number(number) => Some(number),
            Value::String(text) if !text.contains(char::is_whitespace) => serde_json::from_str(&text).ok(),
            _ => None,
        };
        #[expect(clippy::cast_possible_truncation, reason = "a whole number of this size is exact")]
        let whole = |float: f64| (float.fract() == 0.0 && float.abs() < 9.0e15).then_some(float as i64);
        let integer = number.and_then(|number| number.as_i64().or_else(|| number.as_f64().and_then(whole)));
        integer.map(Self).ok_or("must be a number of milliseconds since 1970")
    }
}

/// Section 3.1.7. The wrappings are those of 0.3, which has the same definition.
fn set_push_config(mut params: Map<String, Value>) -> Checked<Operation> {
    let text = |params: &Map<String, Value>, name: &str| match params.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone()).filter(|text| !text.is_empty())),
        Some(_) => Err(Violation::new(name, "must be a string")),
    };
    let task_id = text(&params, "taskId")?;
    let parent = text(&params, "parent")?.map(|parent| resource_name::parent(&parent)).transpose()?;
    let task_id = agreed(task_id, parent, "parent")?.ok_or_else(|| Violation::new("parent", "is required"))?;
    params.insert("taskId".to_owned(), Value::String(task_id));
    let params = v0_3::rest::unwrap_push_config(params)?;
    v0_3::read(OperationName::CreatePushConfig, Some(Value::Object(params)), &v0_3::V0_3)
}

/// The parameters of Get and of Delete Push Notification Config.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PushConfigRequest {
    name: Field<String>,
    task_id: Field<String>,
    id: Field<String>,
}

fn push_config_name(request: PushConfigRequest) -> Checked<model::PushConfigName> {
    let (task_id, id) = (request.task_id.optional_text("taskId")?, request.id.optional_text("id")?);
    let named = request.name.optional_text("name")?.map(|name| resource_name::push_config_name(&name)).transpose()?;
    let (named_task, named_id) = named.map(|named| (named.task_id, named.id)).unzip();
    let task_id = agreed(task_id, named_task, "name")?;
    let id = agreed(id, named_id.flatten(), "name")?;
    match (task_id, id) {
        (Some(task_id), Some(id)) => Ok(model::PushConfigName { task_id, id: Some(id) }),
        _ => Err(Violation::new("name", "is required")),
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ListTaskPushNotificationConfigRequest {
    parent: Field<String>,
    task_id: Field<String>,
    #[serde(alias = "page_size")]
    page_size: Field<ProtoInt>,
    #[serde(alias = "page_token")]
    page_token: Field<String>,
}

fn list_push_configs(request: ListTaskPushNotificationConfigRequest) -> Checked<model::ListPushConfigsRequest> {
    let size = |ProtoInt(size)| u32::try_from(size).map_err(|_| Violation::new("", "must not be negative"));
    let parent = request.parent.optional_text("parent")?.map(|parent| resource_name::parent(&parent)).transpose()?;
    let task_id = agreed(request.task_id.optional_text("taskId")?, parent, "parent")?;
    Ok(model::ListPushConfigsRequest {
        task_id: task_id.ok_or_else(|| Violation::new("parent", "is required"))?,
        // Zero is how protobuf leaves this one out.
        page_size: request.page_size.optional_as("pageSize", size)?.filter(|size| *size > 0),
        page_token: request.page_token.optional_text("pageToken")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read_as(name: OperationName, params: Value) -> Result<Operation, String> {
        read(name, Some(params)).map_err(|violation| violation.field)
    }

    fn sent(params: Value) -> Result<model::SendMessageRequest, String> {
        match read_as(OperationName::SendMessage, params)? {
            Operation::SendMessage(request) => Ok(*request),
            other => panic!("{other:?}"),
        }
    }

    fn message() -> Value {
        json!({"message": {"messageId": "m", "role": "user", "parts": [{"text": "x"}]}})
    }

    #[test]
    fn nobody_waits_who_does_not_ask_to() {
        let mut params = message();
        assert!(sent(params.clone()).unwrap().configuration.return_immediately);
        for (configuration, at_once) in
            [(json!({}), true), (json!({"blocking": false}), true), (json!({"blocking": true}), false)]
        {
            params["configuration"] = configuration;
            assert_eq!(sent(params.clone()).unwrap().configuration.return_immediately, at_once);
        }
    }

    #[test]
    fn mistakes_in_a_message_are_named() {
        for (pointer, value, field) in [
            ("/message/role", json!("ROLE_USER"), "message.role"),
            ("/message/role", json!(0), "message.role"),
            ("/message/parts", json!([]), "message.parts"),
            ("/message/parts/0", json!({}), "message.parts[0]"),
            ("/message/parts/0", json!({"raw": "Zm9v"}), "message.parts[0]"),
            ("/message/parts/0", json!({"file": {}}), "message.parts[0].file"),
        ] {
            let mut params = message();
            *params.pointer_mut(pointer).unwrap() = value;
            assert_eq!(sent(params.clone()).unwrap_err(), field, "{params}");
        }
        for (configuration, field) in [
            (json!(5), "configuration"),
            (json!({"blocking": "true"}), "configuration.blocking"),
            (json!({"historyLength": -1}), "configuration.historyLength"),
            (json!({"pushNotificationConfig": {}}), "configuration.pushNotificationConfig.url"),
        ] {
            let mut params = message();
            params["configuration"] = configuration;
            assert_eq!(sent(params.clone()).unwrap_err(), field, "{params}");
        }
    }

    #[test]
    fn tasks_are_named_by_id_or_by_resource_name() {
        let cancel = |params| match read_as(OperationName::CancelTask, params) {
            Ok(Operation::CancelTask { id }) => Ok(id),
            Ok(other) => panic!("{other:?}"),
            Err(field) => Err(field),
        };
        for params in [json!({"id": "t"}), json!({"name": "tasks/t"}), json!({"id": "t", "name": "tasks/t"})] {
            assert_eq!(cancel(params), Ok("t".to_owned()));
        }
        for (params, field) in [
            (json!({}), "id"),
            (json!({"id": 5}), "id"),
            (json!({"name": "t"}), "name"),
            (json!({"name": "tasks/"}), "name"),
            (json!({"name": 5}), "name"),
            (json!({"id": "t", "name": "tasks/u"}), "name"),
        ] {
            assert_eq!(cancel(params.clone()), Err(field.to_owned()), "{params}");
        }
        let get = read_as(OperationName::GetTask, json!({"name": "tasks/t", "historyLength": "2"}));
        assert_eq!(
            get,
            Ok(Operation::GetTask { id: "t".to_owned(), history_length: Some(2), current_generation: None })
        );
    }

    #[test]
    fn lists_have_no_history_unless_they_are_asked_for_it() {
        let list = |params| match read_as(OperationName::ListTasks, params) {
            Ok(Operation::ListTasks(request)) => Ok(request),
            Ok(other) => panic!("{other:?}"),
            Err(field) => Err(field),
        };
        let plain = list(json!({})).unwrap();
        assert_eq!((plain.history_length, plain.status_timestamp_after), (Some(0), None));
        assert_eq!(list(json!({"historyLength": 3})).unwrap().history_length, Some(3));
        assert_eq!(list(json!({"status": "unspecified", "statusTimestampAfter": 5, "lastUpdatedAfter": 0})), Ok(plain));
        for after in [json!(1_500), json!("1500"), json!(1500.0)] {
            let after = list(json!({"lastUpdatedAfter": after})).unwrap().status_timestamp_after;
            assert_eq!(after, Some(Timestamp::from_milliseconds(1500)));
        }
        for edge in [-62_135_596_800_000_i64, 253_402_300_799_999] {
            let after = list(json!({"lastUpdatedAfter": edge})).unwrap().status_timestamp_after;
            assert_eq!(after, Some(Timestamp::from_milliseconds(edge)), "{edge}");
        }
        for (params, field) in [
            (json!({"lastUpdatedAfter": -62_135_596_800_001_i64}), "lastUpdatedAfter"),
            (json!({"lastUpdatedAfter": 253_402_300_800_000_i64}), "lastUpdatedAfter"),
            (json!({"lastUpdatedAfter": "yesterday"}), "lastUpdatedAfter"),
            (json!({"lastUpdatedAfter": i64::MAX}), "lastUpdatedAfter"),
            (json!({"status": "TASK_STATE_WORKING"}), "status"),
            (json!({"metadata": []}), "metadata"),
        ] {
            assert_eq!(list(params.clone()), Err(field.to_owned()), "{params}");
        }
    }

    #[test]
    fn push_configs_are_named_by_their_resource_or_by_their_path() {
        let inner = json!({"url": "http://x/"});
        let set = |params| match read_as(OperationName::CreatePushConfig, params) {
            Ok(Operation::CreatePushConfig(config)) => Ok((config.task_id, config.id)),
            Ok(other) => panic!("{other:?}"),
            Err(field) => Err(field),
        };
        let done = |id: &str| Ok(("t".to_owned(), id.to_owned()));
        for (params, expected) in [
            (json!({"parent": "tasks/t", "configId": "c", "config": {"pushNotificationConfig": inner}}), done("c")),
            (json!({"taskId": "t", "configId": "c", "config": {"pushNotificationConfig": inner}}), done("c")),
            (json!({"taskId": "t", "parent": "tasks/t", "pushNotificationConfig": inner}), done("")),
            (json!({"taskId": "t", "parent": "tasks/u", "config": {}}), Err("parent".to_owned())),
            (json!({"config": {"pushNotificationConfig": inner}}), Err("parent".to_owned())),
            (json!({"parent": "tasks/t", "config": {}}), Err("pushNotificationConfig".to_owned())),
        ] {
            assert_eq!(set(params.clone()), expected, "{params}");
        }
        let name = model::PushConfigName { task_id: "t".to_owned(), id: Some("c".to_owned()) };
        for params in [json!({"name": "tasks/t/pushNotificationConfigs/c"}), json!({"taskId": "t", "id": "c"})] {
            let get = read_as(OperationName::GetPushConfig, params);
            assert_eq!(get, Ok(Operation::GetPushConfig(name.clone())));
        }
        assert_eq!(read_as(OperationName::DeletePushConfig, json!({"taskId": "t"})), Err("name".to_owned()));
        assert_eq!(read_as(OperationName::ListPushConfigs, json!({})), Err("parent".to_owned()));
    }
}
