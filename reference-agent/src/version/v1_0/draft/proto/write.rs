//! From the model to the messages of the draft.
//!
//! The answer to an operation is one of several kinds, and an rpc has one type of response; where the two do not
//! belong together these functions give `None`.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{
    AgentCard, Artifact, AuthenticationInfo, DataPart, FilePart, ListTaskPushNotificationConfigResponse,
    ListTasksResponse, Message, Part, PushNotificationConfig, Role, SendMessageResponse, StreamResponse, Task,
    TaskArtifactUpdateEvent, TaskPushNotificationConfig, TaskState, TaskStatus, TaskStatusUpdateEvent, file_part, part,
    send_message_response, stream_response,
};
use crate::core::Answer;
use crate::model;
use crate::version::protobuf::{alike, write_metadata, write_struct, write_timestamp};
use crate::version::resource_name;

alike::write_objects!();
alike::write_turns!();
alike::write_resources!();

impl From<model::Part> for Part {
    fn from(part: model::Part) -> Self {
        let (media_type, name) = (part.media_type.unwrap_or_default(), part.filename.unwrap_or_default());
        let file = |file| part::Part::File(FilePart { media_type, name, file: Some(file) });
        let content = match part.content {
            model::Content::Text(text) => part::Part::Text(text),
            model::Content::Raw(bytes) => file(file_part::File::FileWithBytes(bytes)),
            model::Content::Url(uri) => file(file_part::File::FileWithUri(uri)),
            model::Content::Data(data) => {
                let object = match data {
                    Value::Object(object) => object,
                    // Data of the draft is an object (4.1.8); a message of 1.0 may have brought any value.
                    other => Map::from_iter([("value".to_owned(), other)]),
                };
                part::Part::Data(DataPart { data: Some(write_struct(object)) })
            }
        };
        Self { metadata: write_metadata(part.metadata), part: Some(content) }
    }
}
