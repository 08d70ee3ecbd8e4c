//! From the JSON of the family to the model. Members that are not named here are ignored.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::traits::VersionTraits;
use crate::core::{Operation, OperationName, Violation};
use crate::model;
use crate::model::Metadata;
use crate::version::field::{
    Bytes, Checked, Field, Int, List, Nested, Object, check_value, history_length, parameters,
};
use crate::version::v0_3::{PushNotificationConfig, Role, push_config, task_id};

/// Reads the parameters of an operation.
///
/// # Errors
/// The first parameter that is missing or wrong, or that the version has no such operation.
pub fn read(name: OperationName, params: Option<Value>, traits: &VersionTraits) -> Checked<Operation> {
    Ok(match name {
        OperationName::SendMessage => Operation::SendMessage(Box::new(send_message(parameters(params)?, traits)?)),
        OperationName::SendStreamingMessage => {
            Operation::SendStreamingMessage(Box::new(send_message(parameters(params)?, traits)?))
        }
        OperationName::GetTask => {
            let (id, history_length) = task_query(parameters(params)?)?;
            Operation::GetTask { id, history_length, current_generation: None }
        }
        OperationName::CancelTask => Operation::CancelTask { id: task_id(parameters(params)?)? },
        // How much history is asked for matters to tasks, and no task is sent here (0.1, section 7.7).
        OperationName::SubscribeToTask => Operation::SubscribeToTask { id: task_query(parameters(params)?)?.0 },
        OperationName::CreatePushConfig => Operation::CreatePushConfig(task_push_config(parameters(params)?)?),
        OperationName::GetPushConfig => {
            let task_id = task_id(parameters(params)?)?;
            Operation::GetPushConfig(model::PushConfigName { task_id, id: None })
        }
        OperationName::ListTasks
        | OperationName::ListPushConfigs
        | OperationName::DeletePushConfig
        | OperationName::GetExtendedAgentCard => return Err(Violation::new("method", "came with a later version")),
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct TaskSendParams {
    id: Field<String>,
    session_id: Field<String>,
    message: Nested<Message>,
    history_length: Field<Int>,
    push_notification: Nested<PushNotificationConfig>,
    metadata: Field<Metadata>,
}

fn send_message(params: TaskSendParams, traits: &VersionTraits) -> Checked<model::SendMessageRequest> {
    params.metadata.metadata("metadata")?;
    let message = model::Message {
        task_id: Some(params.id.text("id")?),
        context_id: params.session_id.optional_text("sessionId")?,
        ..params.message.required_as("message", |read| message(read, traits))?
    };
    Ok(model::SendMessageRequest {
        message,
        configuration: model::SendMessageConfiguration {
            push: params.push_notification.optional_as("pushNotification", unnamed_push_config)?,
            history_length: params.history_length.optional_as("historyLength", |Int(length)| history_length(length))?,
            return_immediately: false,
            if_generation_match: None,
        },
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Message {
    role: Field<Role>,
    parts: List<Part>,
    metadata: Field<Metadata>,
}

/// A message, without what stands beside it in the request.
fn message(Object(read): Object<Message>, traits: &VersionTraits) -> Checked<model::Message> {
    Ok(model::Message {
        message_id: String::new(),
        context_id: None,
        task_id: None,
        role: read.role.required("role")?.into(),
        parts: read.parts.each_of_some("parts", |read| part(read, traits))?,
        metadata: read.metadata.metadata("metadata")?,
        extensions: Vec::new(),
        reference_task_ids: Vec::new(),
    })
}

/// The three types of part (0.1, section 6.5) in one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Part {
    r#type: Field<String>,
    text: Field<String>,
    file: Nested<FileContent>,
    data: Field<Map<String, Value>>,
    metadata: Field<Metadata>,
}

fn part(Object(read): Object<Part>, traits: &VersionTraits) -> Checked<model::Part> {
    let mut part = match read.r#type.required("type")?.as_str() {
        "text" => model::Part::text(read.text.required("text")?),
        "file" => read.file.required_as("file", |read| file(read, traits))?,
        "data" => {
            let data = check_value("data", Value::Object(read.data.required("data")?))?;
            model::Part::new(model::Content::Data(data))
        }
        _ => return Err(Violation::new("type", "must be `text`, `file` or `data`")),
    };
    part.metadata = read.metadata.metadata("metadata")?;
    Ok(part)
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct FileContent {
    name: Field<String>,
    mime_type: Field<String>,
    bytes: Field<Bytes>,
    uri: Field<String>,
}

fn file(Object(read): Object<FileContent>, traits: &VersionTraits) -> Checked<model::Part> {
    let content = match (read.bytes.optional("bytes")?, read.uri.optional("uri")?) {
        (Some(Bytes(bytes)), None) => model::Content::Raw(bytes),
        (None, Some(uri)) => model::Content::Url(uri),
        // The model has no file that is nowhere; one without bytes says as little.
        (None, None) if traits.files_may_lie_anywhere => model::Content::Raw(Vec::new()),
        _ => return Err(Violation::new("", "must have exactly one of bytes and uri")),
    };
    Ok(model::Part {
        filename: read.name.optional_text("name")?,
        media_type: read.mime_type.optional_text("mimeType")?,
        ..model::Part::new(content)
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct TaskQueryParams {
    id: Field<String>,
    history_length: Field<Int>,
    metadata: Field<Metadata>,
}

/// The task, and how much history is asked for.
fn task_query(params: TaskQueryParams) -> Checked<(String, Option<u32>)> {
    params.metadata.metadata("metadata")?;
    let id = params.id.text("id")?;
    Ok((id, params.history_length.optional_as("historyLength", |Int(length)| history_length(length))?))
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct TaskPushNotificationConfig {
    id: Field<String>,
    push_notification_config: Nested<PushNotificationConfig>,
}

fn task_push_config(params: TaskPushNotificationConfig) -> Checked<model::TaskPushNotificationConfig> {
    let task_id = params.id.text("id")?;
    let config = params.push_notification_config.required_as("pushNotificationConfig", unnamed_push_config)?;
    Ok(model::TaskPushNotificationConfig { task_id, ..config })
}

/// A configuration as 0.3 has it, but for its id: a task has one, so it needs no name.
fn unnamed_push_config(read: Object<PushNotificationConfig>) -> Checked<model::TaskPushNotificationConfig> {
    Ok(model::TaskPushNotificationConfig { id: String::new(), ..push_config(read)? })
}

#[cfg(test)]
mod tests {
    use super::super::traits::{PROPOSAL, V0_1};
    use super::*;
    use serde_json::json;

    fn sent(params: Value, traits: &VersionTraits) -> Checked<model::SendMessageRequest> {
        match read(OperationName::SendMessage, Some(params), traits)? {
            Operation::SendMessage(request) => Ok(*request),
            other => panic!("{other:?}"),
        }
    }

    fn with_parts(parts: Value) -> Value {
        json!({ "id": "t", "message": { "role": "user", "parts": parts } })
    }

    #[test]
    fn what_stands_beside_the_message_becomes_part_of_it() {
        let mut params = with_parts(json!([{ "type": "text", "text": "x" }]));
        params["sessionId"] = json!("s");
        params["historyLength"] = json!(2);
        params["pushNotification"] = json!({ "id": "mine", "url": "http://x", "token": null });
        let request = sent(params, &V0_1).unwrap();
        assert_eq!(request.message.task_id.as_deref(), Some("t"));
        assert_eq!(request.message.context_id.as_deref(), Some("s"));
        assert_eq!(request.configuration.history_length, Some(2));
        let push = request.configuration.push.unwrap();
        assert_eq!((push.id.as_str(), push.url.as_str()), ("", "http://x"));
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        let text = json!([{ "type": "text", "text": "x" }]);
        for (params, field) in [
            (json!({}), "id"),
            (json!({ "id": 1 }), "id"),
            (json!({ "id": "t" }), "message"),
            (json!({ "id": "t", "message": { "parts": text } }), "message.role"),
            (json!({ "id": "t", "message": { "role": "system", "parts": text } }), "message.role"),
            (with_parts(json!([])), "message.parts"),
            (with_parts(json!([{ "text": "x" }])), "message.parts[0].type"),
            (with_parts(json!([{ "kind": "text", "text": "x" }])), "message.parts[0].type"),
            (with_parts(json!([{ "type": "image" }])), "message.parts[0].type"),
            (with_parts(json!([{ "type": "file" }])), "message.parts[0].file"),
            (with_parts(json!([{ "type": "file", "file": { "bytes": "", "uri": "u:" } }])), "message.parts[0].file"),
            (with_parts(json!([{ "type": "data", "data": [] }])), "message.parts[0].data"),
        ] {
            for traits in [&V0_1, &PROPOSAL] {
                assert_eq!(sent(params.clone(), traits).unwrap_err().field, field, "{params}");
            }
        }
    }

    #[test]
    fn a_file_of_0_1_may_lie_anywhere() {
        let params = with_parts(json!([{ "type": "file", "file": { "name": "a", "bytes": null, "uri": null } }]));
        assert_eq!(sent(params.clone(), &PROPOSAL).unwrap_err().field, "message.parts[0].file");
        let part = sent(params, &V0_1).unwrap().message.parts.remove(0);
        assert_eq!((part.filename.as_deref(), part.content), (Some("a"), model::Content::Raw(Vec::new())));
    }

    #[test]
    fn a_task_is_named_by_id() {
        let id = Some(json!({ "id": "t", "historyLength": 1 }));
        for (name, expected) in [
            (
                OperationName::GetTask,
                Operation::GetTask { id: "t".to_owned(), history_length: Some(1), current_generation: None },
            ),
            (OperationName::CancelTask, Operation::CancelTask { id: "t".to_owned() }),
            (OperationName::SubscribeToTask, Operation::SubscribeToTask { id: "t".to_owned() }),
            (
                OperationName::GetPushConfig,
                Operation::GetPushConfig(model::PushConfigName { task_id: "t".to_owned(), id: None }),
            ),
        ] {
            assert_eq!(read(name, id.clone(), &V0_1), Ok(expected));
            assert_eq!(read(name, Some(json!({ "taskId": "t" })), &V0_1).unwrap_err().field, "id");
        }
        let set = json!({ "id": "t", "pushNotificationConfig": { "url": "http://x" } });
        let Ok(Operation::CreatePushConfig(config)) = read(OperationName::CreatePushConfig, Some(set), &V0_1) else {
            panic!()
        };
        assert_eq!((config.task_id.as_str(), config.id.as_str()), ("t", ""));
    }
}
