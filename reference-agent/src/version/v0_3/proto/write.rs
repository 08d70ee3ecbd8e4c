//! From the model to the messages of 0.3.
//!
//! The answer to an operation is one of several kinds, and an rpc has one type of response; where the two do not
//! belong together these functions give `None`.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{
    AgentCard, Artifact, AuthenticationInfo, DataPart, FilePart, ListTaskPushNotificationConfigResponse, Message, Part,
    PushNotificationConfig, Role, SendMessageResponse, StreamResponse, Task, TaskArtifactUpdateEvent,
    TaskPushNotificationConfig, TaskState, TaskStatus, TaskStatusUpdateEvent, file_part, part, send_message_response,
    stream_response,
};
use crate::core::Answer;
use crate::model;
use crate::version::protobuf::{alike, write_metadata, write_struct, write_timestamp};
use crate::version::resource_name;

alike::write_objects!();
alike::write_resources!();

impl From<model::TaskStatus> for TaskStatus {
    fn from(status: model::TaskStatus) -> Self {
        Self {
            state: TaskState::from(status.state).into(),
            update: status.message.map(owned),
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
            content: message.parts.into_iter().map(Into::into).collect(),
            metadata: write_metadata(message.metadata),
            extensions: message.extensions,
        }
    }
}

impl From<model::Part> for Part {
    fn from(part: model::Part) -> Self {
        let mime_type = part.media_type.unwrap_or_default();
        let part = match part.content {
            model::Content::Text(text) => part::Part::Text(text),
            model::Content::Raw(bytes) => {
                part::Part::File(FilePart { mime_type, file: Some(file_part::File::FileWithBytes(bytes)) })
            }
            model::Content::Url(uri) => {
                part::Part::File(FilePart { mime_type, file: Some(file_part::File::FileWithUri(uri)) })
            }
            model::Content::Data(data) => {
                let object = match data {
                    Value::Object(object) => object,
                    // Data of 0.3 is an object (0.3, section 6.5.3); a message of 1.0 may have brought any value.
                    other => Map::from_iter([("value".to_owned(), other)]),
                };
                part::Part::Data(DataPart { data: Some(write_struct(object)) })
            }
        };
        Self { part: Some(part) }
    }
}
