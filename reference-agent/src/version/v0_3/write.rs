//! From the model to the JSON of 0.3, or as much of it as a version of its kin has.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};

use super::names::{Role, TaskState};
use super::traits::VersionTraits;
use crate::core::Answer;
use crate::model;
use crate::model::Metadata;
use crate::version::{Json, Version, base64};

/// Writes the answer to an operation.
///
/// # Errors
/// None that the model can cause.
pub fn write_answer(answer: &Answer, traits: &VersionTraits) -> serde_json::Result<Json> {
    match answer {
        Answer::Sent(model::Sent::Task(task)) | Answer::Task(task) => write_task(task, traits),
        Answer::Sent(model::Sent::Message(message)) => Json::of(&Kind::Message(Message::of(message, traits))),
        Answer::Tasks(response) => {
            let tasks: Vec<Kind> = response.tasks.iter().map(|task| Kind::Task(Task::of(task, traits))).collect();
            Json::of(&tasks)
        }
        Answer::PushConfig(config) => Json::of(&TaskPushNotificationConfig::from(config)),
        Answer::PushConfigs(response) => {
            let configs: Vec<TaskPushNotificationConfig> = response.configs.iter().map(Into::into).collect();
            Json::of(&configs)
        }
        // 0.3, section 7.8; and no version of the family has the other.
        Answer::Deleted | Answer::NoPushConfig => Ok(Json::null()),
        Answer::ExtendedCard(card) => Json::of(card.of(Version::V0_3)),
    }
}

/// Writes an element of a stream.
///
/// # Errors
/// None that the model can cause.
pub fn write_event(event: &model::StreamEvent, is_last: bool, traits: &VersionTraits) -> serde_json::Result<Json> {
    Json::of(&match event {
        model::StreamEvent::Task(task) => Kind::Task(Task::of(task, traits)),
        model::StreamEvent::Message(message) => Kind::Message(Message::of(message, traits)),
        model::StreamEvent::Update(model::Event::Status(update)) => Kind::StatusUpdate(TaskStatusUpdateEvent {
            task_id: &update.task_id,
            context_id: &update.context_id,
            status: TaskStatus::of(&update.status, traits),
            is_final: is_last,
        }),
        model::StreamEvent::Update(model::Event::Artifact(update)) => {
            Kind::ArtifactUpdate(TaskArtifactUpdateEvent::of(update, traits))
        }
    })
}

/// Writes a task.
///
/// # Errors
/// None that the model can cause.
pub fn write_task(task: &model::Task, traits: &VersionTraits) -> serde_json::Result<Json> {
    Json::of(&Kind::Task(Task::of(task, traits)))
}

/// The objects that say what they are.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Kind<'a> {
    Task(Task<'a>),
    Message(Message<'a>),
    StatusUpdate(TaskStatusUpdateEvent<'a>),
    ArtifactUpdate(TaskArtifactUpdateEvent<'a>),
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
    history: Vec<Kind<'a>>,
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    metadata: &'a Metadata,
}

impl<'a> Task<'a> {
    fn of(task: &'a model::Task, traits: &VersionTraits) -> Self {
        let artifacts =
            |all: &'a Vec<Arc<model::Artifact>>| all.iter().map(|artifact| Artifact::of(artifact, traits)).collect();
        Self {
            id: &task.id,
            context_id: &task.context_id,
            status: TaskStatus::of(&task.status, traits),
            artifacts: task.artifacts.as_ref().map(artifacts),
            history: task.history.iter().map(|message| Kind::Message(Message::of(message, traits))).collect(),
            metadata: &task.metadata,
        }
    }
}

#[derive(Serialize)]
struct TaskStatus<'a> {
    state: TaskState,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Box<Kind<'a>>>,
    timestamp: String,
}

impl<'a> TaskStatus<'a> {
    fn of(status: &'a model::TaskStatus, traits: &VersionTraits) -> Self {
        Self {
            state: status.state.into(),
            message: status.message.as_ref().map(|message| Box::new(Kind::Message(Message::of(message, traits)))),
            timestamp: status.timestamp.to_string(),
        }
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
    role: Role,
    parts: Vec<Part<'a>>,
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    metadata: &'a Metadata,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    extensions: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    reference_task_ids: &'a [String],
}

impl<'a> Message<'a> {
    fn of(message: &'a model::Message, traits: &VersionTraits) -> Self {
        Self {
            message_id: &message.message_id,
            context_id: message.context_id.as_deref(),
            task_id: message.task_id.as_deref(),
            role: message.role.into(),
            parts: message.parts.iter().map(Into::into).collect(),
            metadata: &message.metadata,
            extensions: traits.extensions(&message.extensions),
            reference_task_ids: &message.reference_task_ids,
        }
    }
}

#[derive(Serialize)]
struct Part<'a> {
    #[serde(flatten)]
    content: Content<'a>,
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    metadata: &'a Metadata,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Content<'a> {
    Text { text: &'a str },
    File { file: File<'a> },
    Data { data: Cow<'a, Value> },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct File<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<&'a str>,
}

impl<'a> From<&'a model::Part> for Part<'a> {
    fn from(part: &'a model::Part) -> Self {
        let file = |bytes, uri| {
            let (name, mime_type) = (part.filename.as_deref(), part.media_type.as_deref());
            Content::File { file: File { bytes, uri, name, mime_type } }
        };
        let content = match &part.content {
            model::Content::Text(text) => Content::Text { text },
            model::Content::Raw(bytes) => file(Some(base64::encode(bytes)), None),
            model::Content::Url(url) => file(None, Some(url)),
            model::Content::Data(object @ Value::Object(_)) => Content::Data { data: Cow::Borrowed(object) },
            // Data of 0.3 is an object (0.3, section 6.5.3); a message of 1.0 may have brought any value.
            model::Content::Data(other) => Content::Data { data: Cow::Owned(json!({ "value": other })) },
        };
        Self { content, metadata: &part.metadata }
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

impl<'a> Artifact<'a> {
    fn of(artifact: &'a model::Artifact, traits: &VersionTraits) -> Self {
        Self {
            artifact_id: &artifact.artifact_id,
            name: artifact.name.as_deref(),
            description: artifact.description.as_deref(),
            parts: artifact.parts.iter().map(Into::into).collect(),
            metadata: &artifact.metadata,
            extensions: traits.extensions(&artifact.extensions),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TaskStatusUpdateEvent<'a> {
    task_id: &'a str,
    context_id: &'a str,
    status: TaskStatus<'a>,
    #[serde(rename = "final")]
    is_final: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TaskArtifactUpdateEvent<'a> {
    task_id: &'a str,
    context_id: &'a str,
    artifact: Artifact<'a>,
    append: bool,
    last_chunk: bool,
}

impl<'a> TaskArtifactUpdateEvent<'a> {
    fn of(event: &'a model::TaskArtifactUpdateEvent, traits: &VersionTraits) -> Self {
        Self {
            task_id: &event.task_id,
            context_id: &event.context_id,
            artifact: Artifact::of(&event.artifact, traits),
            append: event.append,
            last_chunk: event.last_chunk,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TaskPushNotificationConfig<'a> {
    task_id: &'a str,
    push_notification_config: PushNotificationConfig<'a>,
}

/// Where and how to deliver (0.3, section 6.8).
#[derive(Serialize)]
pub struct PushNotificationConfig<'a> {
    id: &'a str,
    url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    authentication: Option<PushNotificationAuthenticationInfo<'a>>,
}

/// How the agent authenticates itself there (0.3, section 6.9).
#[derive(Serialize)]
pub struct PushNotificationAuthenticationInfo<'a> {
    schemes: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    credentials: Option<&'a str>,
}

impl<'a> From<&'a model::TaskPushNotificationConfig> for TaskPushNotificationConfig<'a> {
    fn from(config: &'a model::TaskPushNotificationConfig) -> Self {
        Self { task_id: &config.task_id, push_notification_config: config.into() }
    }
}

impl<'a> From<&'a model::TaskPushNotificationConfig> for PushNotificationConfig<'a> {
    fn from(config: &'a model::TaskPushNotificationConfig) -> Self {
        Self {
            id: &config.id,
            url: &config.url,
            token: config.token.as_deref(),
            authentication: config.authentication.as_ref().map(Into::into),
        }
    }
}

impl<'a> From<&'a model::AuthenticationInfo> for PushNotificationAuthenticationInfo<'a> {
    fn from(authentication: &'a model::AuthenticationInfo) -> Self {
        let alternatives = authentication.alternatives.iter().map(String::as_str);
        Self {
            schemes: std::iter::once(authentication.scheme.as_str()).chain(alternatives).collect(),
            credentials: authentication.credentials.as_deref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::traits::{V0_2_1, V0_2_5, V0_3};
    use super::*;
    use crate::model::{Event, StreamEvent, Timestamp};

    #[test]
    fn status_updates_say_whether_they_are_final() {
        let update = model::TaskStatusUpdateEvent {
            task_id: "t".to_owned(),
            context_id: "c".to_owned(),
            status: model::TaskStatus {
                state: model::TaskState::AuthRequired,
                message: None,
                timestamp: Timestamp::from_milliseconds(1),
            },
            generation: 0,
        };
        assert_eq!(
            write_event(&StreamEvent::Update(Event::Status(update)), true, &V0_3).unwrap(),
            json!({
                "kind": "status-update",
                "taskId": "t",
                "contextId": "c",
                "status": {"state": "auth-required", "timestamp": "1970-01-01T00:00:00.001Z"},
                "final": true,
            }),
        );
    }

    #[test]
    fn extensions_are_left_out_where_there_are_none() {
        let message = model::Message {
            message_id: "m".to_owned(),
            context_id: None,
            task_id: None,
            role: model::Role::Agent,
            parts: vec![model::Part::text("x")],
            metadata: Metadata::new(),
            extensions: vec!["urn:x".to_owned()],
            reference_task_ids: Vec::new(),
        };
        let mut artifact = model::Artifact::new("a".to_owned(), "name", vec![model::Part::text("x")]);
        artifact.extensions = vec!["urn:x".to_owned()];
        let task = model::Task {
            id: "t".to_owned(),
            context_id: "c".to_owned(),
            status: model::TaskStatus {
                state: model::TaskState::Completed,
                message: Some(message.clone().into()),
                timestamp: Timestamp::UNIX_EPOCH,
            },
            artifacts: Some(vec![artifact.into()]),
            history: vec![message.into()],
            metadata: Metadata::new(),
            generation: 0,
        };
        for (traits, expected) in [(&V0_3, 3), (&V0_2_5, 3), (&V0_2_1, 0)] {
            let written = write_task(&task, traits).unwrap().value();
            let found = ["/status/message", "/artifacts/0", "/history/0"]
                .into_iter()
                .filter(|pointer| written.pointer(pointer).unwrap().get("extensions").is_some());
            assert_eq!(found.count(), expected, "{traits:?}");
        }
    }

    #[test]
    fn parts_have_kinds() {
        let write = |content| serde_json::to_value(Part::from(&model::Part::new(content))).unwrap();
        assert_eq!(write(model::Content::Text("x".to_owned())), json!({"kind": "text", "text": "x"}));
        assert_eq!(write(model::Content::Raw(b"foo".to_vec())), json!({"kind": "file", "file": {"bytes": "Zm9v"}}));
        assert_eq!(write(model::Content::Url("u:".to_owned())), json!({"kind": "file", "file": {"uri": "u:"}}));
        assert_eq!(write(model::Content::Data(json!({"a": 1}))), json!({"kind": "data", "data": {"a": 1}}));
        assert_eq!(write(model::Content::Data(json!([1]))), json!({"kind": "data", "data": {"value": [1]}}));
    }
}
