//! The canonical data model: the objects of A2A 1.0 (sections 3.2 and 4), without a spelling on the wire.
//!
//! Every protocol version is translated to and from these types, so the engine is written once.

mod artifact;
mod event;
mod message;
mod metadata;
mod push;
mod request;
#[cfg(test)]
pub mod samples;
mod task;
mod timestamp;

pub use artifact::Artifact;
pub use event::{Event, StreamEvent, TaskArtifactUpdateEvent, TaskStatusUpdateEvent};
pub use message::{Content, Message, Part, Role};
pub use metadata::Metadata;
pub use push::{AuthenticationInfo, TaskPushNotificationConfig};
pub use request::{
    ListPushConfigsRequest, ListPushConfigsResponse, ListTasksRequest, ListTasksResponse, PushConfigName,
    SendMessageConfiguration, SendMessageRequest, Sent,
};
pub use task::{Task, TaskState, TaskStatus};
pub use timestamp::Timestamp;
