//! From the model to the JSON of 1.0. Unset members are left out; no member is null but a part's `data`.

use serde::Serialize;
use serde_json::Value;

use super::names::{role_name, task_state_name};
use crate::core::Answer;
use crate::model;
use crate::model::Metadata;
use crate::version::base64;

/// Writes the answer to an operation.
///
/// # Errors
/// None that the model can cause.
pub fn write_answer(answer: &Answer) -> serde_json::Result<Value> {
    match answer {
        Answer::Sent(model::Sent::Task(task)) => serde_json::to_value(StreamResponse::Task(task.into())),
        Answer::Sent(model::Sent::Message(message)) => serde_json::to_value(StreamResponse::Message(message.into())),
        Answer::Task(task) => serde_json::to_value(Task::from(task)),
        Answer::Tasks(tasks) => serde_json::to_value(ListTasksResponse::from(tasks)),
        Answer::PushConfig(config) => serde_json::to_value(TaskPushNotificationConfig::from(config)),
        Answer::PushConfigs(configs) => serde_json::to_value(ListTaskPushNotificationConfigsResponse::from(configs)),
        // The JSON form of google.protobuf.Empty; and 1.0 does not have the other.
        Answer::Deleted | Answer::NoPushConfig => Ok(Value::Object(serde_json::Map::new())),
        Answer::ExtendedCard(card) => serde_json::to_value(card.as_ref()),
    }
}

/// Writes an element of a stream.
///
/// # Errors
/// None that the model can cause.
pub fn write_event(event: &model::StreamEvent) -> serde_json::Result<Value> {
    serde_json::to_value(match event {
        model::StreamEvent::Task(task) => StreamResponse::Task(task.into()),
        model::StreamEvent::Message(message) => StreamResponse::Message(message.into()),
        model::StreamEvent::Update(model::Event::Status(update)) => StreamResponse::StatusUpdate(update.into()),
        model::StreamEvent::Update(model::Event::Artifact(update)) => StreamResponse::ArtifactUpdate(update.into()),
    })
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
            artifacts: task.artifacts.as_ref().map(|artifacts| artifacts.iter().map(Into::into).collect()),
            history: task.history.iter().map(Into::into).collect(),
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
            message: status.message.as_ref().map(Into::into),
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

impl<'a> From<&'a model::Message> for Message<'a> {
    fn from(message: &'a model::Message) -> Self {
        Self {
            message_id: &message.message_id,
            context_id: message.context_id.as_deref(),
            task_id: message.task_id.as_deref(),
            role: role_name(message.role),
            parts: message.parts.iter().map(Into::into).collect(),
            metadata: &message.metadata,
            extensions: &message.extensions,
            reference_task_ids: &message.reference_task_ids,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
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

impl<'a> From<&'a model::Part> for Part<'a> {
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
}

impl<'a> From<&'a model::TaskStatusUpdateEvent> for TaskStatusUpdateEvent<'a> {
    fn from(event: &'a model::TaskStatusUpdateEvent) -> Self {
        Self { task_id: &event.task_id, context_id: &event.context_id, status: (&event.status).into() }
    }
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
            artifact: (&event.artifact).into(),
            append: event.append,
            last_chunk: event.last_chunk,
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

impl<'a> From<&'a model::ListTasksResponse> for ListTasksResponse<'a> {
    fn from(response: &'a model::ListTasksResponse) -> Self {
        Self {
            tasks: response.tasks.iter().map(Into::into).collect(),
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
        let update = model::TaskStatusUpdateEvent { task_id: "t".to_owned(), context_id: "c".to_owned(), status };
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
            artifact: model::Artifact::new("a".to_owned(), "n", vec![part]),
            append: true,
            last_chunk: false,
        };
        let artifact = json!({
            "artifactId": "a", "name": "n", "parts": [{"data": null, "mediaType": "application/json"}],
        });
        assert_eq!(
            write_event(&StreamEvent::Update(Event::Artifact(update))).unwrap(),
            json!({"artifactUpdate": {"taskId": "t", "contextId": "c", "artifact": artifact, "append": true}}),
        );
    }
}
