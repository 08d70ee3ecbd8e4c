//! From the model to the messages of 1.0.
//!
//! The answer to an operation is one of several kinds, and an rpc has one type of response; where the two do not
//! belong together these functions give `None`.

use std::sync::Arc;

use super::{
    AgentCard, Artifact, AuthenticationInfo, ListTaskPushNotificationConfigsResponse, ListTasksResponse, Message, Part,
    Role, SendMessageResponse, StreamResponse, Task, TaskArtifactUpdateEvent, TaskPushNotificationConfig, TaskState,
    TaskStatus, TaskStatusUpdateEvent, part, send_message_response, stream_response,
};
use crate::core::Answer;
use crate::model;
use crate::version::protobuf::{write_metadata, write_timestamp, write_value};

/// Of Send Message.
pub fn sent(answer: Answer) -> Option<SendMessageResponse> {
    let payload = match answer {
        Answer::Sent(model::Sent::Task(task)) => send_message_response::Payload::Task(task.into()),
        Answer::Sent(model::Sent::Message(message)) => send_message_response::Payload::Message(message.into()),
        _ => return None,
    };
    Some(SendMessageResponse { payload: Some(payload) })
}

/// Of Get Task and Cancel Task.
pub fn task(answer: Answer) -> Option<Task> {
    if let Answer::Task(task) = answer { Some(task.into()) } else { None }
}

/// Of List Tasks.
pub fn tasks(answer: Answer) -> Option<ListTasksResponse> {
    let Answer::Tasks(response) = answer else {
        return None;
    };
    Some(ListTasksResponse {
        tasks: response.tasks.into_iter().map(Into::into).collect(),
        next_page_token: response.next_page_token,
        page_size: i32::try_from(response.page_size).unwrap_or(i32::MAX),
        total_size: i32::try_from(response.total_size).unwrap_or(i32::MAX),
    })
}

/// Of Create and Get Push Notification Config.
pub fn push_config(answer: Answer) -> Option<TaskPushNotificationConfig> {
    if let Answer::PushConfig(config) = answer { Some(config.into()) } else { None }
}

/// Of List Push Notification Configs.
pub fn push_configs(answer: Answer) -> Option<ListTaskPushNotificationConfigsResponse> {
    let Answer::PushConfigs(response) = answer else {
        return None;
    };
    Some(ListTaskPushNotificationConfigsResponse {
        configs: response.configs.into_iter().map(Into::into).collect(),
        next_page_token: response.next_page_token.unwrap_or_default(),
    })
}

/// Of Delete Push Notification Config: a `google.protobuf.Empty`.
pub fn deleted(answer: Answer) -> Option<()> {
    if let Answer::Deleted = answer { Some(()) } else { None }
}

/// Of Get Extended Agent Card.
pub fn extended_card(answer: Answer) -> Option<AgentCard> {
    if let Answer::ExtendedCard(card) = answer { Some(Arc::unwrap_or_clone(card).into()) } else { None }
}

/// Writes an element of a stream. That it is the last one is told by the end of the stream.
pub fn event(event: model::StreamEvent, _is_last: bool) -> StreamResponse {
    use stream_response::Payload;
    let payload = match event {
        model::StreamEvent::Task(task) => Payload::Task(task.into()),
        model::StreamEvent::Message(message) => Payload::Message(message.into()),
        model::StreamEvent::Update(model::Event::Status(update)) => Payload::StatusUpdate(update.into()),
        model::StreamEvent::Update(model::Event::Artifact(update)) => Payload::ArtifactUpdate(update.into()),
    };
    StreamResponse { payload: Some(payload) }
}

impl From<model::Task> for Task {
    fn from(task: model::Task) -> Self {
        Self {
            id: task.id,
            context_id: task.context_id,
            status: Some(task.status.into()),
            artifacts: task.artifacts.unwrap_or_default().into_iter().map(Into::into).collect(),
            history: task.history.into_iter().map(Into::into).collect(),
            metadata: write_metadata(task.metadata),
        }
    }
}

impl From<model::TaskStatus> for TaskStatus {
    fn from(status: model::TaskStatus) -> Self {
        Self {
            state: TaskState::from(status.state).into(),
            message: status.message.map(Into::into),
            timestamp: Some(write_timestamp(status.timestamp)),
        }
    }
}

impl From<model::Message> for Message {
    fn from(message: model::Message) -> Self {
        Self {
            message_id: message.message_id,
            context_id: message.context_id.unwrap_or_default(),
            task_id: message.task_id.unwrap_or_default(),
            role: Role::from(message.role).into(),
            parts: message.parts.into_iter().map(Into::into).collect(),
            metadata: write_metadata(message.metadata),
            extensions: message.extensions,
            reference_task_ids: message.reference_task_ids,
        }
    }
}

impl From<model::Part> for Part {
    fn from(part: model::Part) -> Self {
        let content = match part.content {
            model::Content::Text(text) => part::Content::Text(text),
            model::Content::Raw(bytes) => part::Content::Raw(bytes),
            model::Content::Url(url) => part::Content::Url(url),
            model::Content::Data(data) => part::Content::Data(write_value(data)),
        };
        Self {
            metadata: write_metadata(part.metadata),
            filename: part.filename.unwrap_or_default(),
            media_type: part.media_type.unwrap_or_default(),
            content: Some(content),
        }
    }
}

impl From<model::Artifact> for Artifact {
    fn from(artifact: model::Artifact) -> Self {
        Self {
            artifact_id: artifact.artifact_id,
            name: artifact.name.unwrap_or_default(),
            description: artifact.description.unwrap_or_default(),
            parts: artifact.parts.into_iter().map(Into::into).collect(),
            metadata: write_metadata(artifact.metadata),
            extensions: artifact.extensions,
        }
    }
}

impl From<model::TaskStatusUpdateEvent> for TaskStatusUpdateEvent {
    fn from(update: model::TaskStatusUpdateEvent) -> Self {
        Self {
            task_id: update.task_id,
            context_id: update.context_id,
            status: Some(update.status.into()),
            metadata: None,
        }
    }
}

impl From<model::TaskArtifactUpdateEvent> for TaskArtifactUpdateEvent {
    fn from(update: model::TaskArtifactUpdateEvent) -> Self {
        Self {
            task_id: update.task_id,
            context_id: update.context_id,
            artifact: Some(update.artifact.into()),
            append: update.append,
            last_chunk: update.last_chunk,
            metadata: None,
        }
    }
}

impl From<model::TaskPushNotificationConfig> for TaskPushNotificationConfig {
    fn from(config: model::TaskPushNotificationConfig) -> Self {
        Self {
            tenant: config.tenant.unwrap_or_default(),
            id: config.id,
            task_id: config.task_id,
            url: config.url,
            token: config.token.unwrap_or_default(),
            authentication: config.authentication.map(|authentication| AuthenticationInfo {
                scheme: authentication.scheme,
                credentials: authentication.credentials.unwrap_or_default(),
            }),
        }
    }
}

impl From<model::TaskState> for TaskState {
    fn from(state: model::TaskState) -> Self {
        match state {
            model::TaskState::Submitted => Self::Submitted,
            model::TaskState::Working => Self::Working,
            model::TaskState::Completed => Self::Completed,
            model::TaskState::Failed => Self::Failed,
            model::TaskState::Canceled => Self::Canceled,
            model::TaskState::InputRequired => Self::InputRequired,
            model::TaskState::Rejected => Self::Rejected,
            model::TaskState::AuthRequired => Self::AuthRequired,
        }
    }
}

impl From<model::Role> for Role {
    fn from(role: model::Role) -> Self {
        match role {
            model::Role::User => Self::User,
            model::Role::Agent => Self::Agent,
        }
    }
}
