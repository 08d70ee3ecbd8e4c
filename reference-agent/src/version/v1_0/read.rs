//! From the JSON of 1.0 to the model. Members that are not named here are ignored (section 5.7). ProtoJSON, which 5.5 names,
//! has its readers take the names of the proto as well as those in camelCase.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::draft;
use super::names::EnumValue;
use super::traits::{V1_0, VersionTraits};
use crate::core::{Operation, OperationName, Rules, Violation, check_webhook};
use crate::model;
use crate::model::Metadata;
use crate::version::field::{
    Bytes, Checked, Field, Nested, Object, ProtoInt, ProtoInt64, Strings, check_value, history_length, parameters,
    present,
};

/// Reads the parameters of an operation.
///
/// # Errors
/// The first parameter that is missing or wrong.
pub fn read(name: OperationName, params: Option<Value>, rules: &Rules) -> Checked<Operation> {
    Ok(match name {
        OperationName::SendMessage => Operation::SendMessage(Box::new(send_message(parameters(params)?, rules)?)),
        OperationName::SendStreamingMessage => {
            Operation::SendStreamingMessage(Box::new(send_message(parameters(params)?, rules)?))
        }
        OperationName::GetTask => get_task(parameters(params)?, rules)?,
        OperationName::ListTasks => Operation::ListTasks(list_tasks(parameters(params)?, &V1_0)?),
        OperationName::CancelTask => Operation::CancelTask { id: cancel_task(parameters(params)?)? },
        OperationName::SubscribeToTask => Operation::SubscribeToTask { id: subscribe_to_task(parameters(params)?)? },
        OperationName::CreatePushConfig => {
            let config: TaskPushNotificationConfig = parameters(params)?;
            let config = push_config(config)?;
            if config.task_id.is_empty() {
                return Err(Violation::new("taskId", "is required"));
            }
            Operation::CreatePushConfig(config)
        }
        OperationName::GetPushConfig => Operation::GetPushConfig(push_config_name(parameters(params)?)?),
        OperationName::ListPushConfigs => Operation::ListPushConfigs(list_push_configs(parameters(params)?)?),
        OperationName::DeletePushConfig => Operation::DeletePushConfig(push_config_name(parameters(params)?)?),
        OperationName::GetExtendedAgentCard => {
            let GetExtendedAgentCardRequest { tenant } = parameters(params)?;
            tenant.optional("tenant")?;
            Operation::GetExtendedAgentCard
        }
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct SendMessageRequest {
    tenant: Field<String>,
    message: Nested<Message>,
    configuration: Nested<SendMessageConfiguration>,
    metadata: Field<Metadata>,
}

fn send_message(request: SendMessageRequest, rules: &Rules) -> Checked<model::SendMessageRequest> {
    // For whom a request is has been found out before; there is nothing to do with its metadata.
    request.tenant.optional("tenant")?;
    request.metadata.metadata("metadata")?;
    Ok(model::SendMessageRequest {
        message: request.message.required_as("message", |read| message(read, &V1_0))?,
        configuration: request
            .configuration
            .optional_as("configuration", |read| configuration(read, rules))?
            .unwrap_or_default(),
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct SendMessageConfiguration {
    #[serde(alias = "accepted_output_modes")]
    accepted_output_modes: Strings,
    #[serde(alias = "task_push_notification_config")]
    task_push_notification_config: Nested<TaskPushNotificationConfig>,
    #[serde(alias = "history_length")]
    history_length: Field<ProtoInt>,
    #[serde(alias = "return_immediately")]
    return_immediately: Field<bool>,
    #[serde(alias = "if_generation_match")]
    if_generation_match: Field<ProtoInt64>,
}

fn configuration(
    Object(read): Object<SendMessageConfiguration>,
    rules: &Rules,
) -> Checked<model::SendMessageConfiguration> {
    // What the scripts make does not depend on what the client would like to have.
    read.accepted_output_modes.all("acceptedOutputModes")?;
    Ok(model::SendMessageConfiguration {
        push: read
            .task_push_notification_config
            .optional_as("taskPushNotificationConfig", |Object(config)| push_config(config))?,
        history_length: read.history_length.optional_as("historyLength", |ProtoInt(length)| history_length(length))?,
        return_immediately: read.return_immediately.optional("returnImmediately")?.unwrap_or_default(),
        if_generation_match: generation(read.if_generation_match, "ifGenerationMatch", rules)?,
    })
}

/// One turn of the conversation (section 4.1.4).
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Message {
    #[serde(alias = "message_id")]
    message_id: Field<String>,
    #[serde(alias = "context_id")]
    context_id: Field<String>,
    #[serde(alias = "task_id")]
    task_id: Field<String>,
    role: Field<EnumValue>,
    /// Of the shape that the version gives them.
    parts: Field<Vec<Field<Map<String, Value>>>>,
    metadata: Field<Metadata>,
    extensions: Strings,
    #[serde(alias = "reference_task_ids")]
    reference_task_ids: Strings,
}

/// Reads a message.
///
/// # Errors
/// The first member that is missing or wrong.
pub fn message(Object(read): Object<Message>, traits: &VersionTraits) -> Checked<model::Message> {
    let role = |value: EnumValue| {
        let [user, agent] = [model::Role::User, model::Role::Agent].map(|role| traits.names.role(role));
        traits.names.read_role(&value).ok_or_else(|| Violation::new("", format!("must be {user} or {agent}")))
    };
    let part = if traits.nests_parts { draft::read_part } else { part };
    Ok(model::Message {
        message_id: read.message_id.text("messageId")?,
        context_id: read.context_id.optional_text("contextId")?,
        task_id: read.task_id.optional_text("taskId")?,
        role: read.role.required_as("role", role)?,
        parts: read.parts.each_of_some("parts", part)?,
        metadata: read.metadata.metadata("metadata")?,
        extensions: read.extensions.all("extensions")?,
        reference_task_ids: read.reference_task_ids.all("referenceTaskIds")?,
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Part {
    text: Field<String>,
    raw: Field<Bytes>,
    url: Field<String>,
    // Null is a value here, so this one is no field like the others.
    #[serde(deserialize_with = "present")]
    data: Option<Value>,
    metadata: Field<Metadata>,
    filename: Field<String>,
    #[serde(alias = "media_type")]
    media_type: Field<String>,
}

fn part(members: Map<String, Value>) -> Checked<model::Part> {
    let read: Part = parameters(Some(Value::Object(members)))?;
    let contents = [
        read.text.optional("text")?.map(model::Content::Text),
        read.raw.optional("raw")?.map(|Bytes(bytes)| model::Content::Raw(bytes)),
        read.url.optional("url")?.map(model::Content::Url),
        read.data.map(|data| check_value("data", data)).transpose()?.map(model::Content::Data),
    ];
    let mut contents = contents.into_iter().flatten();
    let (Some(content), None) = (contents.next(), contents.next()) else {
        return Err(Violation::new("", "must have exactly one of text, raw, url and data"));
    };
    Ok(model::Part {
        content,
        metadata: read.metadata.metadata("metadata")?,
        filename: read.filename.optional_text("filename")?,
        media_type: read.media_type.optional_text("mediaType")?,
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct GetTaskRequest {
    tenant: Field<String>,
    id: Field<String>,
    #[serde(alias = "history_length")]
    history_length: Field<ProtoInt>,
    #[serde(alias = "current_generation")]
    current_generation: Field<ProtoInt64>,
}

/// A generation, in versions that have some.
fn generation(field: Field<ProtoInt64>, name: &str, rules: &Rules) -> Checked<Option<i64>> {
    let field = if rules.has_generations { field } else { Field::Unset };
    Ok(field.optional(name)?.map(|ProtoInt64(generation)| generation))
}

fn get_task(request: GetTaskRequest, rules: &Rules) -> Checked<Operation> {
    request.tenant.optional("tenant")?;
    Ok(Operation::GetTask {
        id: request.id.text("id")?,
        history_length: request
            .history_length
            .optional_as("historyLength", |ProtoInt(length)| history_length(length))?,
        current_generation: generation(request.current_generation, "currentGeneration", rules)?,
    })
}

/// Which tasks to list (section 3.1.4).
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ListTasksRequest {
    tenant: Field<String>,
    #[serde(alias = "context_id")]
    context_id: Field<String>,
    status: Field<EnumValue>,
    #[serde(alias = "page_size")]
    page_size: Field<ProtoInt>,
    #[serde(alias = "page_token")]
    page_token: Field<String>,
    #[serde(alias = "history_length")]
    history_length: Field<ProtoInt>,
    /// Which the draft has by another name, and in another form.
    #[serde(alias = "status_timestamp_after")]
    pub status_timestamp_after: Field<String>,
    #[serde(alias = "include_artifacts")]
    include_artifacts: Field<bool>,
}

/// Reads which tasks to list.
///
/// # Errors
/// The first member that is wrong.
pub fn list_tasks(request: ListTasksRequest, traits: &VersionTraits) -> Checked<model::ListTasksRequest> {
    let state =
        |value: EnumValue| traits.names.read_state(&value).ok_or_else(|| Violation::new("", "must name a task state"));
    let timestamp = |text: String| {
        model::Timestamp::parse(&text)
            .ok_or_else(|| Violation::new("", "must be a timestamp such as 2025-10-28T10:30:00.000Z"))
    };
    request.tenant.optional("tenant")?;
    Ok(model::ListTasksRequest {
        context_id: request.context_id.optional_text("contextId")?,
        // The unspecified state is how protobuf leaves the filter out.
        status: request.status.optional_as("status", state)?.flatten(),
        status_timestamp_after: request.status_timestamp_after.optional_as("statusTimestampAfter", timestamp)?,
        is_whole: false,
        page_size: request.page_size.optional("pageSize")?.map(|ProtoInt(size)| size),
        page_token: request.page_token.optional_text("pageToken")?,
        history_length: request
            .history_length
            .optional_as("historyLength", |ProtoInt(length)| history_length(length))?,
        include_artifacts: request.include_artifacts.optional("includeArtifacts")?.unwrap_or_default(),
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct CancelTaskRequest {
    tenant: Field<String>,
    id: Field<String>,
    metadata: Field<Metadata>,
}

fn cancel_task(request: CancelTaskRequest) -> Checked<String> {
    request.tenant.optional("tenant")?;
    request.metadata.metadata("metadata")?;
    request.id.text("id")
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct SubscribeToTaskRequest {
    tenant: Field<String>,
    id: Field<String>,
}

fn subscribe_to_task(request: SubscribeToTaskRequest) -> Checked<String> {
    request.tenant.optional("tenant")?;
    request.id.text("id")
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct TaskPushNotificationConfig {
    tenant: Field<String>,
    id: Field<String>,
    #[serde(alias = "task_id")]
    task_id: Field<String>,
    url: Field<String>,
    token: Field<String>,
    authentication: Nested<AuthenticationInfo>,
}

fn push_config(config: TaskPushNotificationConfig) -> Checked<model::TaskPushNotificationConfig> {
    let config = model::TaskPushNotificationConfig {
        tenant: config.tenant.optional_text("tenant")?,
        id: config.id.optional_text("id")?.unwrap_or_default(),
        task_id: config.task_id.optional_text("taskId")?.unwrap_or_default(),
        url: config.url.text("url")?,
        token: config.token.optional_text("token")?,
        authentication: config.authentication.optional_as("authentication", authentication)?,
    };
    check_webhook(&config)?;
    Ok(config)
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct AuthenticationInfo {
    scheme: Field<String>,
    credentials: Field<String>,
}

fn authentication(Object(read): Object<AuthenticationInfo>) -> Checked<model::AuthenticationInfo> {
    Ok(model::AuthenticationInfo {
        scheme: read.scheme.text("scheme")?,
        alternatives: Vec::new(),
        credentials: read.credentials.optional_text("credentials")?,
    })
}

/// The parameters of Get and of Delete Push Notification Config.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PushConfigRequest {
    tenant: Field<String>,
    #[serde(alias = "task_id")]
    task_id: Field<String>,
    id: Field<String>,
}

fn push_config_name(request: PushConfigRequest) -> Checked<model::PushConfigName> {
    request.tenant.optional("tenant")?;
    Ok(model::PushConfigName { task_id: request.task_id.text("taskId")?, id: Some(request.id.text("id")?) })
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ListTaskPushNotificationConfigsRequest {
    tenant: Field<String>,
    #[serde(alias = "task_id")]
    task_id: Field<String>,
    #[serde(alias = "page_size")]
    page_size: Field<ProtoInt>,
    #[serde(alias = "page_token")]
    page_token: Field<String>,
}

fn list_push_configs(request: ListTaskPushNotificationConfigsRequest) -> Checked<model::ListPushConfigsRequest> {
    let size = |ProtoInt(size)| u32::try_from(size).map_err(|_| Violation::new("", "must not be negative"));
    request.tenant.optional("tenant")?;
    Ok(model::ListPushConfigsRequest {
        task_id: request.task_id.text("taskId")?,
        // Zero is how protobuf leaves this one out.
        page_size: request.page_size.optional_as("pageSize", size)?.filter(|size| *size > 0),
        page_token: request.page_token.optional_text("pageToken")?,
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct GetExtendedAgentCardRequest {
    tenant: Field<String>,
}

#[cfg(test)]
mod tests {
    use super::super::{RULES, RULES_OF_1_1};
    use super::*;
    use crate::model::{Content, Role};
    use serde_json::json;

    fn sent(params: Value) -> Checked<model::SendMessageRequest> {
        match read(OperationName::SendMessage, Some(params), &RULES_OF_1_1)? {
            Operation::SendMessage(request) => Ok(*request),
            other => panic!("{other:?}"),
        }
    }

    fn with_parts(parts: Value) -> Value {
        json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": parts}})
    }

    /// Older versions ignore members that they do not know (section 5.7).
    #[test]
    fn generations_are_read_where_there_are_some() {
        let get = |generation: Value, rules| match read(
            OperationName::GetTask,
            Some(json!({"id": "t", "currentGeneration": generation})),
            rules,
        ) {
            Ok(Operation::GetTask { current_generation, .. }) => Ok(current_generation),
            Ok(other) => panic!("{other:?}"),
            Err(violation) => Err(violation.field),
        };
        for (json, number) in [
            (json!(3), 3),
            (json!("3"), 3),
            (json!(3.0), 3),
            (json!("-1"), -1),
            (json!("9223372036854775807"), i64::MAX),
        ] {
            assert_eq!(get(json.clone(), &RULES_OF_1_1), Ok(Some(number)), "{json}");
        }
        for wrong in [json!("x"), json!(1.5), json!("9223372036854775808"), json!(true), json!("")] {
            assert_eq!(get(wrong.clone(), &RULES_OF_1_1), Err("currentGeneration".to_owned()), "{wrong}");
            assert_eq!(get(wrong.clone(), &RULES), Ok(None), "{wrong}");
        }
        let sent = |generation: Value| {
            let mut params = with_parts(json!([{"text": "x"}]));
            params["configuration"] = json!({"ifGenerationMatch": generation});
            sent(params).map(|request| request.configuration.if_generation_match)
        };
        assert_eq!(sent(json!("7")), Ok(Some(7)));
        assert_eq!(sent(json!({})).unwrap_err().field, "configuration.ifGenerationMatch");
    }

    #[test]
    fn a_full_message_is_read() {
        let request = sent(json!({
            "tenant": null,
            "message": {
                "messageId": "m", "contextId": "c", "taskId": "", "role": 1, "unknown": {"x": []},
                "parts": [
                    {"text": "", "mediaType": "text/plain"},
                    {"raw": "-_8", "filename": "f"},
                    {"url": "https://example.com/", "text": null},
                    {"data": null, "metadata": {"k": [1]}},
                ],
                "extensions": ["urn:x"], "referenceTaskIds": ["t"],
            },
            "configuration": {"historyLength": "3", "returnImmediately": true, "acceptedOutputModes": []},
        }))
        .unwrap();
        let message = request.message;
        assert_eq!(message.role, Role::User);
        assert_eq!(message.context_id.as_deref(), Some("c"));
        assert_eq!(message.task_id, None);
        let contents: Vec<Content> = message.parts.into_iter().map(|part| part.content).collect();
        let expected = [
            Content::Text(String::new()),
            Content::Raw(vec![0xfb, 0xff]),
            Content::Url("https://example.com/".to_owned()),
            Content::Data(Value::Null),
        ];
        assert_eq!(contents, expected);
        assert_eq!(request.configuration.history_length, Some(3));
        assert!(request.configuration.return_immediately);
    }

    #[test]
    fn mistakes_in_a_message_are_named() {
        for (params, field) in [
            (json!({}), "message"),
            (json!({"message": "x"}), "message"),
            (json!({"message": ["m"]}), "message"),
            (json!({"message": {}}), "message.messageId"),
            (json!({"message": {"messageId": "m", "parts": [{"text": "x"}]}}), "message.role"),
            (json!({"message": {"messageId": "m", "role": "user", "parts": [{"text": "x"}]}}), "message.role"),
            (json!({"message": {"messageId": "m", "role": 0, "parts": [{"text": "x"}]}}), "message.role"),
            (with_parts(json!([])), "message.parts"),
            (with_parts(json!(null)), "message.parts"),
            (with_parts(json!([{}])), "message.parts[0]"),
            (with_parts(json!([{"text": "x"}, {"text": "x", "data": null}])), "message.parts[1]"),
            (with_parts(json!([{"text": 5}])), "message.parts[0].text"),
            (with_parts(json!([{"raw": "?"}])), "message.parts[0].raw"),
            (with_parts(json!([{"raw": "+_+_"}])), "message.parts[0].raw"),
            (with_parts(json!([{"text": "x", "metadata": []}])), "message.parts[0].metadata"),
        ] {
            assert_eq!(sent(params.clone()).unwrap_err().field, field, "{params}");
        }
    }

    #[test]
    fn mistakes_in_a_configuration_are_named() {
        for (configuration, field) in [
            (json!(5), "configuration"),
            (json!({"historyLength": -1}), "configuration.historyLength"),
            (json!({"historyLength": 1.5}), "configuration.historyLength"),
            (json!({"returnImmediately": "true"}), "configuration.returnImmediately"),
            (json!({"acceptedOutputModes": [1]}), "configuration.acceptedOutputModes[0]"),
            (json!({"taskPushNotificationConfig": {}}), "configuration.taskPushNotificationConfig.url"),
            (
                json!({"taskPushNotificationConfig": {"url": "http://x", "authentication": {}}}),
                "configuration.taskPushNotificationConfig.authentication.scheme",
            ),
        ] {
            let mut params = with_parts(json!([{"text": "x"}]));
            params["configuration"] = configuration;
            assert_eq!(sent(params.clone()).unwrap_err().field, field, "{params}");
        }
    }

    #[test]
    fn lists_are_asked_for_in_many_ways() {
        let list = |params| match read(OperationName::ListTasks, params, &RULES_OF_1_1) {
            Ok(Operation::ListTasks(request)) => Ok(request),
            Ok(other) => panic!("{other:?}"),
            Err(violation) => Err(violation.field),
        };
        assert_eq!(list(None), Ok(model::ListTasksRequest::default()));
        assert_eq!(list(Some(json!({"status": "TASK_STATE_UNSPECIFIED", "pageToken": ""}))), list(None));
        assert_eq!(list(Some(json!({"pageSize": "7"}))).unwrap().page_size, Some(7));
        assert_eq!(list(Some(json!({"status": "working"}))), Err("status".to_owned()));
        for edge in ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z"] {
            let after = list(Some(json!({"statusTimestampAfter": edge}))).unwrap().status_timestamp_after;
            assert_eq!(after, model::Timestamp::parse(edge), "{edge}");
        }
        assert_eq!(list(Some(json!({"statusTimestampAfter": "yesterday"}))), Err("statusTimestampAfter".to_owned()));
        assert_eq!(list(Some(json!([]))), Err("params".to_owned()));
    }
}
