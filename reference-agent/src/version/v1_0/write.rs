//! From the model to the JSON of 1.0 and, as far as it is the same, of the draft. Unset members are left out; no member
//! is null but a part's `data`.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::draft;
use super::traits::{Form, V1_0, VersionTraits};
use crate::core::Answer;
use crate::model;
use crate::model::Metadata;
use crate::version::{Json, Version, base64};

/// Writes the answer to an operation.
///
/// # Errors
/// None that the model can cause.
pub fn write_answer(answer: &Answer) -> serde_json::Result<Json> {
    write_answer_of(answer, Form::Wrapped, &V1_0)
}

/// Writes an element of a stream.
///
/// # Errors
/// None that the model can cause.
pub fn write_event(event: &model::StreamEvent) -> serde_json::Result<Json> {
    // That it is the last one is told by the end of the stream.
    write_event_of(event, false, Form::Wrapped, &V1_0)
}

/// Writes the answer to an operation in a version. The draft has push notification configurations of its own.
///
/// # Errors
/// None that the model can cause.
pub fn write_answer_of(answer: &Answer, form: Form, traits: &VersionTraits) -> serde_json::Result<Json> {
    match answer {
        Answer::Sent(model::Sent::Task(task)) => StreamResponse::Task(Task::of(task, traits)).write(form),
        Answer::Sent(model::Sent::Message(message)) => {
            StreamResponse::Message(Message::of(message, traits)).write(form)
        }
        Answer::Task(task) => Json::of(&Task::of(task, traits)),
        Answer::Tasks(tasks) => Json::of(&ListTasksResponse::of(tasks, traits)),
        Answer::PushConfig(config) => Json::of(&TaskPushNotificationConfig::from(config)),
        Answer::PushConfigs(configs) => Json::of(&ListTaskPushNotificationConfigsResponse::from(configs)),
        // The JSON form of google.protobuf.Empty; and 1.0 does not have the other.
        Answer::Deleted | Answer::NoPushConfig => Ok(Json::empty_object()),
        Answer::ExtendedCard(card) => Json::of(card.of(Version::V1_0)),
    }
}

/// Writes an element of a stream in a version.
///
/// # Errors
/// None that the model can cause.
pub fn write_event_of(
    event: &model::StreamEvent,
    is_last: bool,
    form: Form,
    traits: &VersionTraits,
) -> serde_json::Result<Json> {
    let response = match event {
        model::StreamEvent::Task(task) => StreamResponse::Task(Task::of(task, traits)),
        model::StreamEvent::Message(message) => StreamResponse::Message(Message::of(message, traits)),
        model::StreamEvent::Update(model::Event::Status(update)) => {
            StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
                task_id: &update.task_id,
                context_id: &update.context_id,
                status: TaskStatus::of(&update.status, traits),
                is_final: traits.says_final.then_some(is_last),
                generation: generation(update.generation),
            })
        }
        model::StreamEvent::Update(model::Event::Artifact(update)) => {
            StreamResponse::ArtifactUpdate(TaskArtifactUpdateEvent::of(update, traits))
        }
    };
    response.write(form)
}

/// One of four, named by its member (section 3.2.3). The answer to Send Message has the first two.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum StreamResponse<'a> {
    Task(Task<'a>),
    Message(Message<'a>),
    StatusUpdate(TaskStatusUpdateEvent<'a>),
    ArtifactUpdate(TaskArtifactUpdateEvent<'a>),
}

impl StreamResponse<'_> {
    fn write(&self, form: Form) -> serde_json::Result<Json> {
        match (form, self) {
            (Form::Wrapped, _) => Json::of(self),
            (Form::Bare, Self::Task(task)) => Json::of(task),
            (Form::Bare, Self::Message(message)) => Json::of(message),
            (Form::Bare, Self::StatusUpdate(update)) => Json::of(update),
            (Form::Bare, Self::ArtifactUpdate(update)) => Json::of(update),
        }
    }
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
    #[serde(skip_serializing_if = "Option::is_none")]
    generation: Option<String>,
}

/// A generation as ProtoJSON writes an int64 that is not 0.
fn generation(of: i64) -> Option<String> {
    (of != 0).then(|| of.to_string())
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
            history: task.history.iter().map(|message| Message::of(message, traits)).collect(),
            metadata: &task.metadata,
            generation: generation(task.generation),
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

impl<'a> TaskStatus<'a> {
    fn of(status: &'a model::TaskStatus, traits: &VersionTraits) -> Self {
        Self {
            state: traits.names.state(status.state),
            message: status.message.as_ref().map(|message| Message::of(message, traits)),
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
    role: &'static str,
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
            role: traits.names.role(message.role),
            parts: Part::all(&message.parts, traits),
            metadata: &message.metadata,
            extensions: &message.extensions,
            reference_task_ids: &message.reference_task_ids,
        }
    }
}

/// A part as one of the versions has it.
#[derive(Serialize)]
#[serde(untagged)]
enum Part<'a> {
    Flat(FlatPart<'a>),
    Nested(draft::Part<'a>),
}

impl<'a> Part<'a> {
    fn all(parts: &'a [model::Part], traits: &VersionTraits) -> Vec<Self> {
        let written = |part: &'a model::Part| {
            if traits.nests_parts { Self::Nested(part.into()) } else { Self::Flat(part.into()) }
        };
        parts.iter().map(written).collect()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FlatPart<'a> {
    #[serde(flatten)]
    content: Content<'a>,
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    metadata: &'a Metadata,
    #[serde(skip_serializing_if = "Option::is_none")]
    filename: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    media_type: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Content<'a> {
    Text(&'a str),
    Raw(String),
    Url(&'a str),
    Data(&'a Value),
}

impl<'a> From<&'a model::Part> for FlatPart<'a> {
    fn from(part: &'a model::Part) -> Self {
        Self {
            content: match &part.content {
                model::Content::Text(text) => Content::Text(text),
                model::Content::Raw(bytes) => Content::Raw(base64::encode(bytes)),
                model::Content::Url(url) => Content::Url(url),
                model::Content::Data(data) => Content::Data(data),
            },
            metadata: &part.metadata,
            filename: part.filename.as_deref(),
            media_type: part.media_type.as_deref(),
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

impl<'a> Artifact<'a> {
    fn of(artifact: &'a model::Artifact, traits: &VersionTraits) -> Self {
        Self {
            artifact_id: &artifact.artifact_id,
            name: artifact.name.as_deref(),
            description: artifact.description.as_deref(),
            parts: Part::all(&artifact.parts, traits),
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
    #[serde(rename = "final", skip_serializing_if = "Option::is_none")]
    is_final: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation: Option<String>,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    generation: Option<String>,
}

impl<'a> TaskArtifactUpdateEvent<'a> {
    fn of(event: &'a model::TaskArtifactUpdateEvent, traits: &VersionTraits) -> Self {
        Self {
            task_id: &event.task_id,
            context_id: &event.context_id,
            artifact: Artifact::of(&event.artifact, traits),
            append: event.append,
            last_chunk: event.last_chunk,
            generation: generation(event.generation),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListTasksResponse<'a> {
    tasks: Vec<Task<'a>>,
    next_page_token: &'a str,
    page_size: u32,
    total_size: usize,
}

impl<'a> ListTasksResponse<'a> {
    fn of(response: &'a model::ListTasksResponse, traits: &VersionTraits) -> Self {
        Self {
            tasks: response.tasks.iter().map(|task| Task::of(task, traits)).collect(),
            next_page_token: &response.next_page_token,
            page_size: response.page_size,
            total_size: response.total_size,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TaskPushNotificationConfig<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<&'a str>,
    id: &'a str,
    task_id: &'a str,
    url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    authentication: Option<AuthenticationInfo<'a>>,
}

#[derive(Serialize)]
struct AuthenticationInfo<'a> {
    scheme: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    credentials: Option<&'a str>,
}

impl<'a> From<&'a model::TaskPushNotificationConfig> for TaskPushNotificationConfig<'a> {
    fn from(config: &'a model::TaskPushNotificationConfig) -> Self {
        Self {
            tenant: config.tenant.as_deref(),
            id: &config.id,
            task_id: &config.task_id,
            url: &config.url,
            token: config.token.as_deref(),
            authentication: config.authentication.as_ref().map(|authentication| AuthenticationInfo {
                scheme: &authentication.scheme,
                credentials: authentication.credentials.as_deref(),
            }),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListTaskPushNotificationConfigsResponse<'a> {
    configs: Vec<TaskPushNotificationConfig<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_page_token: Option<&'a str>,
}

impl<'a> From<&'a model::ListPushConfigsResponse> for ListTaskPushNotificationConfigsResponse<'a> {
    fn from(response: &'a model::ListPushConfigsResponse) -> Self {
        Self {
            configs: response.configs.iter().map(Into::into).collect(),
            next_page_token: response.next_page_token.as_deref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Event, Part as ModelPart, StreamEvent, TaskState, Timestamp};
    use serde_json::json;

    #[test]
    fn events_have_one_member_and_no_nulls() {
        let status =
            model::TaskStatus { state: TaskState::Working, message: None, timestamp: Timestamp::from_milliseconds(1) };
        let update =
            model::TaskStatusUpdateEvent { task_id: "t".to_owned(), context_id: "c".to_owned(), status, generation: 0 };
        let status = json!({"state": "TASK_STATE_WORKING", "timestamp": "1970-01-01T00:00:00.001Z"});
        assert_eq!(
            write_event(&StreamEvent::Update(Event::Status(update))).unwrap(),
            json!({"statusUpdate": {"taskId": "t", "contextId": "c", "status": status}}),
        );

        let mut part = ModelPart::new(model::Content::Data(Value::Null));
        part.media_type = Some("application/json".to_owned());
        let update = model::TaskArtifactUpdateEvent {
            task_id: "t".to_owned(),
            context_id: "c".to_owned(),
            index: 0,
            artifact: model::Artifact::new("a".to_owned(), "n", vec![part]).into(),
            append: true,
            last_chunk: false,
            generation: 2,
        };
        let artifact = json!({
            "artifactId": "a", "name": "n", "parts": [{"data": null, "mediaType": "application/json"}],
        });
        assert_eq!(
            write_event(&StreamEvent::Update(Event::Artifact(update))).unwrap(),
            json!({"artifactUpdate": {"taskId": "t", "contextId": "c", "artifact": artifact, "append": true, "generation": "2"}}),
        );
    }
}
