//! From the model to the JSON form of the protobuf definition of 0.3. What it has no member for, such as the metadata
//! of parts and the names of files, is left out.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Value, json};

use super::super::write::PushNotificationConfig;
use crate::core::Answer;
use crate::model;
use crate::model::Metadata;
use crate::version::{Json, Version, base64, resource_name};

/// Writes the answer to an operation.
///
/// # Errors
/// None that the model can cause.
pub fn write_answer(answer: &Answer) -> serde_json::Result<Json> {
    match answer {
        Answer::Sent(model::Sent::Task(task)) => wrap("task", &Task::from(task)),
        Answer::Sent(model::Sent::Message(message)) => wrap("message", &Message::from(message)),
        Answer::Task(task) => Json::of(&Task::from(task)),
        // An array in both forms (0.3, after section 7.3): the protobuf definition has no such operation.
        Answer::Tasks(response) => Json::of(&response.tasks.iter().map(Task::from).collect::<Vec<_>>()),
        Answer::PushConfig(config) => Json::of(&TaskPushNotificationConfig::from(config)),
        Answer::PushConfigs(response) => {
            let configs: Vec<_> = response.configs.iter().map(TaskPushNotificationConfig::from).collect();
            wrap("configs", &configs)
        }
        // google.protobuf.Empty; and 0.3 does not have the other.
        Answer::Deleted | Answer::NoPushConfig => Ok(Json::empty_object()),
        Answer::ExtendedCard(card) => Json::of(card.of(Version::V0_3)),
    }
}

/// Writes an element of a stream.
///
/// # Errors
/// None that the model can cause.
pub fn write_event(event: &model::StreamEvent, is_last: bool) -> serde_json::Result<Json> {
    let member = super::member_of(event);
    match event {
        model::StreamEvent::Task(task) => wrap(member, &Task::from(task)),
        model::StreamEvent::Message(message) => wrap(member, &Message::from(message)),
        model::StreamEvent::Update(model::Event::Status(update)) => {
            let update = TaskStatusUpdateEvent {
                task_id: &update.task_id,
                context_id: &update.context_id,
                status: (&update.status).into(),
                is_final: is_last,
            };
            wrap(member, &update)
        }
        model::StreamEvent::Update(model::Event::Artifact(update)) => {
            wrap(member, &TaskArtifactUpdateEvent::from(update))
        }
    }
}

/// An object with one member.
fn wrap(member: &'static str, value: &impl Serialize) -> serde_json::Result<Json> {
    Ok(Json::member(member, &Json::of(value)?))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Task<'a> {
    id: &'a str,
    context_id: &'a str,
    status: TaskStatus<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    artifacts: Option<Vec<Artifact<'a>>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    history: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    metadata: &'a Metadata,
}

impl<'a> From<&'a model::Task> for Task<'a> {
    fn from(task: &'a model::Task) -> Self {
        Self {
            id: &task.id,
            context_id: &task.context_id,
            status: (&task.status).into(),
            artifacts: task
                .artifacts
                .as_ref()
                .map(|artifacts| artifacts.iter().map(|artifact| artifact.as_ref().into()).collect()),
            history: task.history.iter().map(|message| message.as_ref().into()).collect(),
            metadata: &task.metadata,
        }
    }
}

#[derive(Serialize)]
struct TaskStatus<'a> {
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message<'a>>,
    timestamp: String,
}

impl<'a> From<&'a model::TaskStatus> for TaskStatus<'a> {
    fn from(status: &'a model::TaskStatus) -> Self {
        Self {
            state: task_state_name(status.state),
            message: status.message.as_deref().map(Into::into),
            timestamp: status.timestamp.to_string(),
        }
    }
}

const fn task_state_name(state: model::TaskState) -> &'static str {
    match state {
        model::TaskState::Submitted => "TASK_STATE_SUBMITTED",
        model::TaskState::Working => "TASK_STATE_WORKING",
        model::TaskState::Completed => "TASK_STATE_COMPLETED",
        model::TaskState::Failed => "TASK_STATE_FAILED",
        // With two L, other than anywhere else.
        model::TaskState::Canceled => "TASK_STATE_CANCELLED",
        model::TaskState::InputRequired => "TASK_STATE_INPUT_REQUIRED",
        model::TaskState::Rejected => "TASK_STATE_REJECTED",
        model::TaskState::AuthRequired => "TASK_STATE_AUTH_REQUIRED",
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Message<'a> {
    message_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    context_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<&'a str>,
    role: &'static str,
    content: Vec<Part<'a>>,
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    metadata: &'a Metadata,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    extensions: &'a [String],
}

impl<'a> From<&'a model::Message> for Message<'a> {
    fn from(message: &'a model::Message) -> Self {
        Self {
            message_id: &message.message_id,
            context_id: message.context_id.as_deref(),
            task_id: message.task_id.as_deref(),
            role: match message.role {
                model::Role::User => "ROLE_USER",
                model::Role::Agent => "ROLE_AGENT",
            },
            content: message.parts.iter().map(Into::into).collect(),
            metadata: &message.metadata,
            extensions: &message.extensions,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Part<'a> {
    Text(&'a str),
    File(FilePart<'a>),
    Data(DataPart<'a>),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FilePart<'a> {
    #[serde(flatten)]
    file: File<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum File<'a> {
    FileWithUri(&'a str),
    FileWithBytes(String),
}

#[derive(Serialize)]
struct DataPart<'a> {
    data: Cow<'a, Value>,
}

impl<'a> From<&'a model::Part> for Part<'a> {
    fn from(part: &'a model::Part) -> Self {
        let file = |file| Self::File(FilePart { file, mime_type: part.media_type.as_deref() });
        match &part.content {
            model::Content::Text(text) => Self::Text(text),
            model::Content::Raw(bytes) => file(File::FileWithBytes(base64::encode(bytes))),
            model::Content::Url(url) => file(File::FileWithUri(url)),
            model::Content::Data(object @ Value::Object(_)) => Self::Data(DataPart { data: Cow::Borrowed(object) }),
            // As in the other form, data must be an object.
            model::Content::Data(other) => Self::Data(DataPart { data: Cow::Owned(json!({ "value": other })) }),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Artifact<'a> {
    artifact_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    parts: Vec<Part<'a>>,
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    metadata: &'a Metadata,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    extensions: &'a [String],
}

impl<'a> From<&'a model::Artifact> for Artifact<'a> {
    fn from(artifact: &'a model::Artifact) -> Self {
        Self {
            artifact_id: &artifact.artifact_id,
            name: artifact.name.as_deref(),
            description: artifact.description.as_deref(),
            parts: artifact.parts.iter().map(Into::into).collect(),
            metadata: &artifact.metadata,
            extensions: &artifact.extensions,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TaskStatusUpdateEvent<'a> {
    task_id: &'a str,
    context_id: &'a str,
    status: TaskStatus<'a>,
    #[serde(rename = "final", skip_serializing_if = "std::ops::Not::not")]
    is_final: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TaskArtifactUpdateEvent<'a> {
    task_id: &'a str,
    context_id: &'a str,
    artifact: Artifact<'a>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    append: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    last_chunk: bool,
}

impl<'a> From<&'a model::TaskArtifactUpdateEvent> for TaskArtifactUpdateEvent<'a> {
    fn from(event: &'a model::TaskArtifactUpdateEvent) -> Self {
        Self {
            task_id: &event.task_id,
            context_id: &event.context_id,
            artifact: event.artifact.as_ref().into(),
            append: event.append,
            last_chunk: event.last_chunk,
        }
    }
}

/// A configuration by its resource name.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskPushNotificationConfig<'a> {
    name: String,
    push_notification_config: PushNotificationConfig<'a>,
}

impl<'a> From<&'a model::TaskPushNotificationConfig> for TaskPushNotificationConfig<'a> {
    fn from(config: &'a model::TaskPushNotificationConfig) -> Self {
        Self { name: resource_name::push_config(&config.task_id, &config.id), push_notification_config: config.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_by_their_member() {
        let write = |content| {
            let part = model::Part { media_type: Some("a/b".to_owned()), ..model::Part::new(content) };
            serde_json::to_value(Part::from(&part)).unwrap()
        };
        assert_eq!(write(model::Content::Text("x".to_owned())), json!({"text": "x"}));
        assert_eq!(
            write(model::Content::Raw(b"foo".to_vec())),
            json!({"file": {"fileWithBytes": "Zm9v", "mimeType": "a/b"}}),
        );
        assert_eq!(
            write(model::Content::Url("u:".to_owned())),
            json!({"file": {"fileWithUri": "u:", "mimeType": "a/b"}}),
        );
        assert_eq!(write(model::Content::Data(json!({"a": 1}))), json!({"data": {"data": {"a": 1}}}));
        assert_eq!(write(model::Content::Data(json!([1]))), json!({"data": {"data": {"value": [1]}}}));
    }

    #[test]
    fn configs_have_resource_names() {
        let config = model::TaskPushNotificationConfig {
            tenant: None,
            id: "c".to_owned(),
            task_id: "t".to_owned(),
            url: "http://x/".to_owned(),
            token: None,
            authentication: None,
        };
        assert_eq!(
            write_answer(&Answer::PushConfig(config)).unwrap(),
            json!({
                "name": "tasks/t/pushNotificationConfigs/c",
                "pushNotificationConfig": {"id": "c", "url": "http://x/"},
            }),
        );
        assert_eq!(write_answer(&Answer::Deleted).unwrap(), json!({}));
    }
}
