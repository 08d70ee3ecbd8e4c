//! From the JSON of 0.3 to the model, and from as much of it as a version of its kin has. Members that are not named
//! here, or that the version does not have, are ignored.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::names::Role;
use super::traits::VersionTraits;
use crate::core::{Operation, OperationName, Violation, check_webhook};
use crate::model;
use crate::model::Metadata;
use crate::version::field::{
    Bytes, Checked, Field, Int, List, Nested, Object, Strings, check_value, history_length, parameters,
};

/// Reads the parameters of an operation.
///
/// # Errors
/// The first parameter that is missing or wrong.
pub fn read(name: OperationName, params: Option<Value>, traits: &VersionTraits) -> Checked<Operation> {
    Ok(match name {
        OperationName::SendMessage => Operation::SendMessage(Box::new(send_message(parameters(params)?, traits)?)),
        OperationName::SendStreamingMessage => {
            Operation::SendStreamingMessage(Box::new(send_message(parameters(params)?, traits)?))
        }
        OperationName::GetTask => get_task(parameters(params)?)?,
        OperationName::CancelTask => Operation::CancelTask { id: task_id(parameters(params)?)? },
        OperationName::SubscribeToTask => Operation::SubscribeToTask { id: task_id(parameters(params)?)? },
        OperationName::CreatePushConfig => Operation::CreatePushConfig(task_push_config(parameters(params)?)?),
        OperationName::GetPushConfig => Operation::GetPushConfig(push_config_name(parameters(params)?, traits)?),
        OperationName::ListPushConfigs => Operation::ListPushConfigs(model::ListPushConfigsRequest {
            task_id: task_id(parameters(params)?)?,
            page_size: None,
            page_token: None,
        }),
        OperationName::DeletePushConfig => {
            let name = push_config_name(parameters(params)?, traits)?;
            if name.id.is_none() {
                return Err(Violation::new("pushNotificationConfigId", "is required"));
            }
            Operation::DeletePushConfig(name)
        }
        // It has no parameters: whatever is there is ignored, as long as it is an object.
        OperationName::GetExtendedAgentCard => {
            let NoParams {} = parameters(params)?;
            Operation::GetExtendedAgentCard
        }
        // All tasks as they are, without parameters (0.3, after section 7.3). JSON-RPC has no such method.
        OperationName::ListTasks => {
            Operation::ListTasks(model::ListTasksRequest { is_whole: true, ..model::ListTasksRequest::default() })
        }
    })
}

#[derive(Debug, Deserialize)]
struct NoParams {}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct MessageSendParams {
    message: Nested<Message>,
    configuration: Nested<MessageSendConfiguration>,
    metadata: Field<Metadata>,
}

fn send_message(params: MessageSendParams, traits: &VersionTraits) -> Checked<model::SendMessageRequest> {
    params.metadata.metadata("metadata")?;
    Ok(model::SendMessageRequest {
        message: params.message.required_as("message", |read| message(read, traits))?,
        configuration: params.configuration.optional_as("configuration", configuration)?.unwrap_or_default(),
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct MessageSendConfiguration {
    accepted_output_modes: Strings,
    blocking: Field<bool>,
    history_length: Field<Int>,
    push_notification_config: Nested<PushNotificationConfig>,
}

fn configuration(Object(read): Object<MessageSendConfiguration>) -> Checked<model::SendMessageConfiguration> {
    read.accepted_output_modes.all("acceptedOutputModes")?;
    Ok(model::SendMessageConfiguration {
        push: read.push_notification_config.optional_as("pushNotificationConfig", push_config)?,
        history_length: read.history_length.optional_as("historyLength", |Int(length)| history_length(length))?,
        // Where the client does not say, this agent waits: 0.3 has no default (0.3, section 7.1.1).
        return_immediately: read.blocking.optional("blocking")? == Some(false),
        if_generation_match: None,
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Message {
    kind: Field<String>,
    message_id: Field<String>,
    context_id: Field<String>,
    task_id: Field<String>,
    role: Field<Role>,
    parts: List<Part>,
    metadata: Field<Metadata>,
    extensions: Strings,
    reference_task_ids: Strings,
}

fn message(Object(read): Object<Message>, traits: &VersionTraits) -> Checked<model::Message> {
    // Required by the schema, and missing in every request of the text (0.3, section 9): so it may be missing.
    if read.kind.optional("kind")?.is_some_and(|kind| kind != "message") {
        return Err(Violation::new("kind", "must be `message`"));
    }
    Ok(model::Message {
        message_id: read.message_id.text("messageId")?,
        context_id: read.context_id.optional_text("contextId")?,
        task_id: read.task_id.optional_text("taskId")?,
        role: read.role.required("role")?.into(),
        parts: read.parts.each_of_some("parts", part)?,
        metadata: read.metadata.metadata("metadata")?,
        extensions: if traits.names_extensions { read.extensions.all("extensions")? } else { Vec::new() },
        reference_task_ids: read.reference_task_ids.all("referenceTaskIds")?,
    })
}

/// The three kinds of part (0.3, section 6.5) in one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Part {
    kind: Field<String>,
    text: Field<String>,
    file: Nested<File>,
    data: Field<Map<String, Value>>,
    metadata: Field<Metadata>,
}

fn part(Object(read): Object<Part>) -> Checked<model::Part> {
    let kind = read.kind.required("kind")?;
    let mut part = match kind.as_str() {
        "text" => model::Part::text(read.text.required("text")?),
        "file" => read.file.required_as("file", file)?,
        "data" => {
            let data = check_value("data", Value::Object(read.data.required("data")?))?;
            model::Part::new(model::Content::Data(data))
        }
        _ => return Err(Violation::new("kind", "must be `text`, `file` or `data`")),
    };
    part.metadata = read.metadata.metadata("metadata")?;
    Ok(part)
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct File {
    bytes: Field<Bytes>,
    uri: Field<String>,
    name: Field<String>,
    mime_type: Field<String>,
}

fn file(Object(read): Object<File>) -> Checked<model::Part> {
    let content = match (read.bytes.optional("bytes")?, read.uri.optional("uri")?) {
        (Some(Bytes(bytes)), None) => model::Content::Raw(bytes),
        (None, Some(uri)) => model::Content::Url(uri),
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

fn get_task(params: TaskQueryParams) -> Checked<Operation> {
    params.metadata.metadata("metadata")?;
    Ok(Operation::GetTask {
        id: params.id.text("id")?,
        history_length: params.history_length.optional_as("historyLength", |Int(length)| history_length(length))?,
        current_generation: None,
    })
}

/// Parameters that name a task (0.3, section 7.4.1; 0.1, section 7.4.1).
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct TaskIdParams {
    id: Field<String>,
    metadata: Field<Metadata>,
}

/// The id in them.
pub fn task_id(params: TaskIdParams) -> Checked<String> {
    params.metadata.metadata("metadata")?;
    params.id.text("id")
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct TaskPushNotificationConfig {
    task_id: Field<String>,
    push_notification_config: Nested<PushNotificationConfig>,
}

fn task_push_config(params: TaskPushNotificationConfig) -> Checked<model::TaskPushNotificationConfig> {
    let task_id = params.task_id.text("taskId")?;
    let config = params.push_notification_config.required_as("pushNotificationConfig", push_config)?;
    Ok(model::TaskPushNotificationConfig { task_id, ..config })
}

/// Where and how to deliver (0.3, section 6.8).
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PushNotificationConfig {
    id: Field<String>,
    url: Field<String>,
    token: Field<String>,
    authentication: Nested<PushNotificationAuthenticationInfo>,
}

/// Reads where to deliver.
///
/// # Errors
/// The first member that is missing or wrong.
pub fn push_config(Object(read): Object<PushNotificationConfig>) -> Checked<model::TaskPushNotificationConfig> {
    let config = model::TaskPushNotificationConfig {
        tenant: None,
        id: read.id.optional_text("id")?.unwrap_or_default(),
        task_id: String::new(),
        url: read.url.text("url")?,
        token: read.token.optional_text("token")?,
        authentication: read.authentication.optional_as("authentication", authentication)?,
    };
    check_webhook(&config).map_err(in_words_of_0_3)?;
    Ok(config)
}

/// The model has one scheme where 0.3 has a list.
pub fn in_words_of_0_3(violation: Violation) -> Violation {
    match violation.field.as_str() {
        "authentication.scheme" => Violation::new("authentication.schemes[0]", violation.description),
        _ => violation,
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PushNotificationAuthenticationInfo {
    schemes: Strings,
    credentials: Field<String>,
}

fn authentication(Object(read): Object<PushNotificationAuthenticationInfo>) -> Checked<model::AuthenticationInfo> {
    let mut schemes = read.schemes.each_of_some("schemes", Ok)?.into_iter();
    Ok(model::AuthenticationInfo {
        scheme: schemes.next().unwrap_or_default(),
        alternatives: schemes.collect(),
        credentials: read.credentials.optional_text("credentials")?,
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PushConfigParams {
    id: Field<String>,
    push_notification_config_id: Field<String>,
    metadata: Field<Metadata>,
}

fn push_config_name(params: PushConfigParams, traits: &VersionTraits) -> Checked<model::PushConfigName> {
    params.metadata.metadata("metadata")?;
    let id = params.push_notification_config_id;
    Ok(model::PushConfigName {
        task_id: params.id.text("id")?,
        id: if traits.names_push_configs { id.optional_text("pushNotificationConfigId")? } else { None },
    })
}

#[cfg(test)]
mod tests {
    use super::super::traits::{V0_2_1, V0_2_5, V0_3};
    use super::*;
    use crate::model::Content;
    use serde_json::json;

    fn sent(params: Value) -> Checked<model::SendMessageRequest> {
        sent_in(params, &V0_3)
    }

    fn sent_in(params: Value, traits: &VersionTraits) -> Checked<model::SendMessageRequest> {
        match read(OperationName::SendMessage, Some(params), traits)? {
            Operation::SendMessage(request) => Ok(*request),
            other => panic!("{other:?}"),
        }
    }

    fn with_parts(parts: Value) -> Value {
        json!({"message": {"kind": "message", "messageId": "m", "role": "user", "parts": parts}})
    }

    #[test]
    fn parts_become_those_of_the_model() {
        let request = sent(with_parts(json!([
            {"kind": "text", "text": "hello", "metadata": {"k": 1}},
            {"kind": "file", "file": {"bytes": "Zm9v", "name": "f", "mimeType": "text/plain"}},
            {"kind": "file", "file": {"uri": "https://example.com/"}},
            {"kind": "data", "data": {"a": null}},
        ])))
        .unwrap();
        let parts = request.message.parts;
        assert_eq!(parts[0].metadata.get("k"), Some(&json!(1)));
        assert_eq!(parts[1].content, Content::Raw(b"foo".to_vec()));
        assert_eq!(parts[1].filename.as_deref(), Some("f"));
        assert_eq!(parts[1].media_type.as_deref(), Some("text/plain"));
        assert_eq!(parts[2].content, Content::Url("https://example.com/".to_owned()));
        assert_eq!(parts[3].content, Content::Data(json!({"a": null})));
        assert!(!request.configuration.return_immediately);
    }

    #[test]
    fn mistakes_are_named() {
        for (params, field) in [
            (json!({}), "message"),
            (json!({"message": {"kind": "task", "messageId": "m"}}), "message.kind"),
            (json!({"message": {"messageId": "m", "role": "ROLE_USER"}}), "message.role"),
            (json!({"message": {"messageId": "m", "role": "user"}}), "message.parts"),
            (with_parts(json!([{"text": "x"}])), "message.parts[0].kind"),
            (with_parts(json!([{"kind": "audio"}])), "message.parts[0].kind"),
            (with_parts(json!([{"kind": "text"}])), "message.parts[0].text"),
            (with_parts(json!([{"kind": "data", "data": []}])), "message.parts[0].data"),
            (with_parts(json!([{"kind": "file", "file": {}}])), "message.parts[0].file"),
            (with_parts(json!([{"kind": "file", "file": {"bytes": "?"}}])), "message.parts[0].file.bytes"),
        ] {
            assert_eq!(sent(params.clone()).unwrap_err().field, field, "{params}");
        }
    }

    #[test]
    fn what_a_version_does_not_have_is_ignored() {
        let mut params = with_parts(json!([{"kind": "text", "text": "x"}]));
        params["message"]["extensions"] = json!(["urn:x"]);
        for (traits, extensions, id) in [(&V0_3, 1, Some("c")), (&V0_2_5, 1, Some("c")), (&V0_2_1, 0, None)] {
            assert_eq!(sent_in(params.clone(), traits).unwrap().message.extensions.len(), extensions);
            let name = json!({"id": "t", "pushNotificationConfigId": "c"});
            let Ok(Operation::GetPushConfig(name)) = read(OperationName::GetPushConfig, Some(name), traits) else {
                panic!("{traits:?}");
            };
            assert_eq!((name.task_id.as_str(), name.id.as_deref()), ("t", id));
        }
        params["message"]["extensions"] = json!("urn:x");
        assert!(sent_in(params.clone(), &V0_2_1).is_ok());
        assert_eq!(sent_in(params, &V0_2_5).unwrap_err().field, "message.extensions");
    }

    #[test]
    fn modes_may_be_missing() {
        // Required by the listing, and missing in the text's own requests (0.2.5, sections 7.1.1 and 9.4).
        let mut params = with_parts(json!([{"kind": "text", "text": "x"}]));
        params["configuration"] = json!({"blocking": false});
        assert!(sent_in(params, &V0_2_5).unwrap().configuration.return_immediately);
    }

    #[test]
    fn schemes_keep_their_order() {
        let config = json!({"url": "http://x", "authentication": {"schemes": ["Bearer", "Basic"]}});
        let params = json!({"taskId": "t", "pushNotificationConfig": config});
        let read = read(OperationName::CreatePushConfig, Some(params), &V0_3);
        let Ok(Operation::CreatePushConfig(config)) = read else { panic!("{read:?}") };
        let authentication = config.authentication.unwrap();
        assert_eq!((authentication.scheme.as_str(), authentication.alternatives), ("Bearer", vec!["Basic".to_owned()]));
    }
}
