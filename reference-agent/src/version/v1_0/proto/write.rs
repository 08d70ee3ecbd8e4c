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
use crate::version::protobuf::{alike, write_metadata, write_timestamp, write_value};

alike::write_objects!(generation);
alike::write_turns!();

/// Of Send Message.
pub fn sent(answer: Answer) -> Option<SendMessageResponse> {
    let payload = match answer {
        Answer::Sent(model::Sent::Task(task)) => send_message_response::Payload::Task(task.into()),
        Answer::Sent(model::Sent::Message(message)) => send_message_response::Payload::Message(message.into()),
        _ => return None,
    };
    Some(SendMessageResponse { payload: Some(payload) })
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

impl From<model::TaskStatusUpdateEvent> for TaskStatusUpdateEvent {
    fn from(update: model::TaskStatusUpdateEvent) -> Self {
        Self {
            task_id: update.task_id,
            context_id: update.context_id,
            status: Some(update.status.into()),
            metadata: None,
            generation: update.generation,
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
