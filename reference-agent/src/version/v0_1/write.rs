//! From the model to the JSON of the family.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;
use serde::ser::Error as _;
use serde_json::{Value, json};

use super::names::TaskState;
use super::traits::VersionTraits;
use crate::core::Answer;
use crate::model;
use crate::model::Metadata;
use crate::version::v0_3::{PushNotificationAuthenticationInfo, Role};
use crate::version::{Json, base64};

/// Writes the answer to an operation.
///
/// # Errors
/// For answers that only operations of later versions have.
pub fn write_answer(answer: &Answer, traits: &VersionTraits) -> serde_json::Result<Json> {
    match answer {
        Answer::Sent(model::Sent::Task(task)) | Answer::Task(task) => write_task(task, traits),
        Answer::PushConfig(config) => Json::of(&TaskPushNotificationConfig::from(config)),
        // 0.1, section 7.6
        Answer::NoPushConfig => Ok(Json::null()),
        Answer::Sent(model::Sent::Message(_))
        | Answer::Tasks(_)
        | Answer::PushConfigs(_)
        | Answer::Deleted
        | Answer::ExtendedCard(_) => Err(of_a_later_version()),
    }
}

/// Writes an element of a stream. A task is not among those of the family: its status is, which says whether there is
/// more to come.
///
/// # Errors
/// For messages, which only later versions stream.
pub fn write_event(event: &model::StreamEvent, is_last: bool, traits: &VersionTraits) -> serde_json::Result<Json> {
    let status = |id, status| {
        let status = TaskStatus::of(status, traits);
        Json::of(&TaskStatusUpdateEvent { id, status, is_final: is_last })
    };
    match event {
        model::StreamEvent::Task(task) => status(&task.id, &task.status),
        model::StreamEvent::Update(model::Event::Status(update)) => status(&update.task_id, &update.status),
        model::StreamEvent::Update(model::Event::Artifact(update)) => {
            let chunk = Chunk { append: update.append, last_chunk: update.last_chunk };
            let artifact = Artifact::of(&update.artifact, update.index, Some(chunk), traits);
            Json::of(&TaskArtifactUpdateEvent { id: &update.task_id, artifact })
        }
        model::StreamEvent::Message(_) => Err(of_a_later_version()),
    }
}

/// The rules of the family keep the core from answering so.
fn of_a_later_version() -> serde_json::Error {
    serde_json::Error::custom("only later versions have such an answer")
}

/// Writes a task.
///
/// # Errors
/// None that the model can cause.
pub fn write_task(task: &model::Task, traits: &VersionTraits) -> serde_json::Result<Json> {
    Json::of(&Task::of(task, traits))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Task<'a> {
    id: &'a str,
    session_id: &'a str,
    status: TaskStatus<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    artifacts: Option<Vec<Artifact<'a>>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    history: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    metadata: &'a Metadata,
}

impl<'a> Task<'a> {
    fn of(task: &'a model::Task, traits: &VersionTraits) -> Self {
        let artifacts = |all: &'a Vec<Arc<model::Artifact>>| {
            all.iter().enumerate().map(|(index, artifact)| Artifact::of(artifact, index, None, traits)).collect()
        };
        Self {
            id: &task.id,
            session_id: &task.context_id,
            status: TaskStatus::of(&task.status, traits),
            artifacts: task.artifacts.as_ref().map(artifacts),
            history: task.history.iter().map(|message| Message::of(message, traits)).collect(),
            metadata: &task.metadata,
        }
    }
}

#[derive(Serialize)]
struct TaskStatus<'a> {
    state: TaskState,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message<'a>>,
    timestamp: String,
}

impl<'a> TaskStatus<'a> {
    fn of(status: &'a model::TaskStatus, traits: &VersionTraits) -> Self {
        Self {
            state: status.state.into(),
            message: status.message.as_ref().map(|message| Message::of(message, traits)),
            timestamp: status.timestamp.to_string(),
        }
    }
}

#[derive(Serialize)]
struct Message<'a> {
    role: Role,
    parts: Vec<Part<'a>>,
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    metadata: &'a Metadata,
}

impl<'a> Message<'a> {
    fn of(message: &'a model::Message, traits: &VersionTraits) -> Self {
        Self { role: message.role.into(), parts: parts(&message.parts, traits), metadata: &message.metadata }
    }
}

#[derive(Serialize)]
struct Part<'a> {
    #[serde(flatten)]
    content: Content<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<&'a Metadata>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Content<'a> {
    Text { text: &'a str },
    File { file: FileContent<'a> },
    Data { data: Cow<'a, Value> },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FileContent<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<&'a str>,
}

fn parts<'a>(parts: &'a [model::Part], traits: &VersionTraits) -> Vec<Part<'a>> {
    parts.iter().map(|part| Part::of(part, traits)).collect()
}

impl<'a> Part<'a> {
    fn of(part: &'a model::Part, traits: &VersionTraits) -> Self {
        let file = |bytes, uri| {
            let (name, mime_type) = (part.filename.as_deref(), part.media_type.as_deref());
            Content::File { file: FileContent { name, mime_type, bytes, uri } }
        };
        let content = match &part.content {
            model::Content::Text(text) => Content::Text { text },
            // As a file that lies anywhere was read.
            model::Content::Raw(bytes) if bytes.is_empty() && traits.files_may_lie_anywhere => file(None, None),
            model::Content::Raw(bytes) => file(Some(base64::encode(bytes)), None),
            model::Content::Url(url) => file(None, Some(url)),
            model::Content::Data(object @ Value::Object(_)) => Content::Data { data: Cow::Borrowed(object) },
            // Data is an object (0.1, section 6.5.3); a message of 1.0 may have brought any value.
            model::Content::Data(other) => Content::Data { data: Cow::Owned(json!({ "value": other })) },
        };
        let has_metadata = traits.parts_have_metadata || !part.metadata.is_empty();
        Self { content, metadata: has_metadata.then_some(&part.metadata) }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Artifact<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    parts: Vec<Part<'a>>,
    index: usize,
    #[serde(flatten)]
    chunk: Option<Chunk>,
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    metadata: &'a Metadata,
}

/// What an artifact on a stream has more than one of a task (0.1, section 6.7).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Chunk {
    append: bool,
    last_chunk: bool,
}

impl<'a> Artifact<'a> {
    fn of(artifact: &'a model::Artifact, index: usize, chunk: Option<Chunk>, traits: &VersionTraits) -> Self {
        Self {
            name: artifact.name.as_deref(),
            description: artifact.description.as_deref(),
            parts: parts(&artifact.parts, traits),
            index,
            chunk,
            metadata: &artifact.metadata,
        }
    }
}

#[derive(Serialize)]
struct TaskStatusUpdateEvent<'a> {
    id: &'a str,
    status: TaskStatus<'a>,
    #[serde(rename = "final")]
    is_final: bool,
}

#[derive(Serialize)]
struct TaskArtifactUpdateEvent<'a> {
    id: &'a str,
    artifact: Artifact<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TaskPushNotificationConfig<'a> {
    id: &'a str,
    push_notification_config: PushNotificationConfig<'a>,
}

/// Where and how to deliver (0.1, section 6.8): as in 0.3, without a name.
#[derive(Serialize)]
struct PushNotificationConfig<'a> {
    url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    authentication: Option<PushNotificationAuthenticationInfo<'a>>,
}

impl<'a> From<&'a model::TaskPushNotificationConfig> for TaskPushNotificationConfig<'a> {
    fn from(config: &'a model::TaskPushNotificationConfig) -> Self {
        Self {
            id: &config.task_id,
            push_notification_config: PushNotificationConfig {
                url: &config.url,
                token: config.token.as_deref(),
                authentication: config.authentication.as_ref().map(Into::into),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::traits::{PROPOSAL, V0_1};
    use super::*;
    use crate::model::{Event, StreamEvent, Timestamp};

    fn status(state: model::TaskState, text: Option<&str>) -> model::TaskStatus {
        let message = text.map(|text| model::Message {
            message_id: "m".to_owned(),
            context_id: Some("s".to_owned()),
            task_id: Some("t".to_owned()),
            role: model::Role::Agent,
            parts: vec![model::Part::text(text)],
            metadata: Metadata::new(),
            extensions: vec!["urn:x".to_owned()],
            reference_task_ids: Vec::new(),
        });
        model::TaskStatus { state, message: message.map(Arc::new), timestamp: Timestamp::UNIX_EPOCH }
    }

    fn task() -> model::Task {
        let artifact = |id: &str| model::Artifact::new(id.to_owned(), "name", vec![model::Part::text("x")]);
        model::Task {
            id: "t".to_owned(),
            context_id: "s".to_owned(),
            status: status(model::TaskState::InputRequired, Some("?")),
            artifacts: Some(vec![artifact("a").into(), artifact("b").into()]),
            history: Vec::new(),
            metadata: Metadata::new(),
            generation: 0,
        }
    }

    const TIME: &str = "1970-01-01T00:00:00.000Z";

    #[test]
    fn tasks_have_sessions_and_numbered_artifacts() {
        let part = |text: &str| json!({ "type": "text", "text": text });
        let artifact = |index: u8| json!({ "name": "name", "parts": [part("x")], "index": index });
        let message = json!({ "role": "agent", "parts": [part("?")] });
        assert_eq!(
            write_task(&task(), &V0_1).unwrap(),
            json!({
                "id": "t",
                "sessionId": "s",
                "status": { "state": "input-required", "message": message, "timestamp": TIME },
                "artifacts": [artifact(0), artifact(1)],
            }),
        );
        let of_proposal = write_task(&task(), &PROPOSAL).unwrap().value();
        assert_eq!(of_proposal["artifacts"][0]["parts"][0]["metadata"], json!({}));
    }

    #[test]
    fn a_stream_has_updates_only() {
        let status = json!({ "state": "completed", "timestamp": TIME });
        let mut done = task();
        done.status = self::status(model::TaskState::Completed, None);
        let update = model::TaskStatusUpdateEvent {
            task_id: "t".to_owned(),
            context_id: "s".to_owned(),
            status: done.status.clone(),
            generation: 0,
        };
        let update = StreamEvent::Update(Event::Status(update));
        for (event, is_last) in [(&StreamEvent::Task(done), true), (&update, true), (&update, false)] {
            let expected = json!({ "id": "t", "status": status, "final": is_last });
            assert_eq!(write_event(event, is_last, &V0_1).unwrap(), expected);
        }
    }

    #[test]
    fn chunks_are_told_inside_the_artifact() {
        let update = model::TaskArtifactUpdateEvent {
            task_id: "t".to_owned(),
            context_id: "s".to_owned(),
            index: 3,
            artifact: model::Artifact::new("a".to_owned(), "name", vec![model::Part::text("x")]).into(),
            append: true,
            last_chunk: false,
            generation: 0,
        };
        let parts = json!([{ "type": "text", "text": "x" }]);
        let artifact = json!({ "name": "name", "parts": parts, "index": 3, "append": true, "lastChunk": false });
        assert_eq!(
            write_event(&StreamEvent::Update(Event::Artifact(update)), false, &V0_1).unwrap(),
            json!({ "id": "t", "artifact": artifact }),
        );
    }

    #[test]
    fn parts_have_types() {
        let write = |content| serde_json::to_value(Part::of(&model::Part::new(content), &V0_1)).unwrap();
        assert_eq!(write(model::Content::Text("x".to_owned())), json!({ "type": "text", "text": "x" }));
        assert_eq!(write(model::Content::Raw(b"foo".to_vec())), json!({ "type": "file", "file": { "bytes": "Zm9v" } }));
        assert_eq!(write(model::Content::Raw(Vec::new())), json!({ "type": "file", "file": {} }));
        assert_eq!(write(model::Content::Url("u:".to_owned())), json!({ "type": "file", "file": { "uri": "u:" } }));
        assert_eq!(write(model::Content::Data(json!({ "a": 1 }))), json!({ "type": "data", "data": { "a": 1 } }));
        assert_eq!(write(model::Content::Data(json!([1]))), json!({ "type": "data", "data": { "value": [1] } }));
    }

    #[test]
    fn push_configurations_have_no_names() {
        let config = model::TaskPushNotificationConfig {
            tenant: None,
            id: "push-1".to_owned(),
            task_id: "t".to_owned(),
            url: "http://x".to_owned(),
            token: None,
            authentication: None,
        };
        assert_eq!(
            write_answer(&Answer::PushConfig(config), &V0_1).unwrap(),
            json!({ "id": "t", "pushNotificationConfig": { "url": "http://x" } }),
        );
        assert_eq!(write_answer(&Answer::NoPushConfig, &V0_1).unwrap(), Value::Null);
        assert!(write_answer(&Answer::Deleted, &V0_1).is_err());
    }
}
