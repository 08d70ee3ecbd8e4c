//! Any value of the model, for tests of properties.
//!
//! Numbers in free-form data have a fraction, moments are whole milliseconds, and optional texts are not empty: what
//! is beyond that looks different from one form to another, and has tests of its own.

use std::sync::Arc;

use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;
use serde_json::{Map, Value};

use super::{
    Artifact, AuthenticationInfo, Content, Event, Message, Metadata, Part, Role, StreamEvent, Task,
    TaskArtifactUpdateEvent, TaskPushNotificationConfig, TaskState, TaskStatus, TaskStatusUpdateEvent, Timestamp,
};

/// A text that is not empty.
pub fn text() -> impl Strategy<Value = String> + Clone {
    ".{1,8}"
}

/// Any JSON, a few levels deep.
pub fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i32>().prop_map(|number| Value::from(f64::from(number) + 0.5)),
        ".*".prop_map(Value::String),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::Array),
            btree_map(".*", inner, 0..3).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Free-form members.
pub fn metadata() -> impl Strategy<Value = Metadata> {
    btree_map(".*", json(), 0..3).prop_map(|members| Map::from_iter(members).into())
}

/// A part of any kind.
pub fn part() -> impl Strategy<Value = Part> {
    let content = prop_oneof![
        ".*".prop_map(Content::Text),
        vec(any::<u8>(), 0..20).prop_map(Content::Raw),
        ".*".prop_map(Content::Url),
        json().prop_map(Content::Data),
    ];
    (content, metadata(), of(text()), of(text())).prop_map(|(content, metadata, filename, media_type)| Part {
        content,
        metadata,
        filename,
        media_type,
    })
}

/// A message.
pub fn message() -> impl Strategy<Value = Message> {
    let ids = (text(), of(text()), of(text()));
    let role = prop_oneof![Just(Role::User), Just(Role::Agent)];
    let lists = (vec(part(), 1..4), vec(text(), 0..3), vec(text(), 0..3));
    (ids, role, lists, metadata()).prop_map(
        |((message_id, context_id, task_id), role, (parts, extensions, reference_task_ids), metadata)| Message {
            message_id,
            context_id,
            task_id,
            role,
            parts,
            metadata,
            extensions,
            reference_task_ids,
        },
    )
}

/// An artifact.
pub fn artifact() -> impl Strategy<Value = Artifact> {
    (text(), of(text()), of(text()), vec(part(), 1..4), metadata(), vec(text(), 0..3)).prop_map(
        |(artifact_id, name, description, parts, metadata, extensions)| Artifact {
            artifact_id,
            name,
            description,
            parts,
            metadata,
            extensions,
        },
    )
}

/// A state.
pub fn state() -> impl Strategy<Value = TaskState> {
    prop_oneof![
        Just(TaskState::Submitted),
        Just(TaskState::Working),
        Just(TaskState::Completed),
        Just(TaskState::Failed),
        Just(TaskState::Canceled),
        Just(TaskState::InputRequired),
        Just(TaskState::Rejected),
        Just(TaskState::AuthRequired),
    ]
}

/// A status of these centuries.
pub fn status() -> impl Strategy<Value = TaskStatus> {
    (state(), of(message()), -4_000_000_000_000..4_000_000_000_000_i64).prop_map(|(state, message, milliseconds)| {
        TaskStatus { state, message: message.map(Arc::new), timestamp: Timestamp::from_milliseconds(milliseconds) }
    })
}

/// A task.
pub fn task() -> impl Strategy<Value = Task> {
    (
        text(),
        text(),
        status(),
        of(vec(artifact().prop_map(Arc::new), 0..3)),
        vec(message().prop_map(Arc::new), 0..3),
        metadata(),
    )
        .prop_map(|(id, context_id, status, artifacts, history, metadata)| Task {
            id,
            context_id,
            status,
            artifacts,
            history,
            metadata,
            generation: 0,
        })
}

/// An element of a stream.
pub fn stream_event() -> impl Strategy<Value = StreamEvent> {
    let status = (text(), text(), status()).prop_map(|(task_id, context_id, status)| TaskStatusUpdateEvent {
        task_id,
        context_id,
        status,
        generation: 0,
    });
    let artifact = (text(), text(), 0..9_usize, artifact().prop_map(Arc::new), any::<bool>(), any::<bool>()).prop_map(
        |(task_id, context_id, index, artifact, append, last_chunk)| TaskArtifactUpdateEvent {
            task_id,
            context_id,
            index,
            artifact,
            append,
            last_chunk,
            generation: 0,
        },
    );
    prop_oneof![
        task().prop_map(StreamEvent::Task),
        message().prop_map(StreamEvent::Message),
        status.prop_map(|update| StreamEvent::Update(Event::Status(update))),
        artifact.prop_map(|update| StreamEvent::Update(Event::Artifact(update))),
    ]
}

/// A push notification configuration. Only 0.3 has several schemes.
pub fn push_config() -> impl Strategy<Value = TaskPushNotificationConfig> {
    const HEADER: &str = "[!-~]{1,8}";
    let authentication = ("[A-Za-z]{1,8}", of(HEADER)).prop_map(|(scheme, credentials)| AuthenticationInfo {
        scheme,
        alternatives: Vec::new(),
        credentials,
    });
    (of(text()), text(), text(), "https?://[a-z]{1,8}/[a-z]{0,8}", of(HEADER), of(authentication)).prop_map(
        |(tenant, id, task_id, url, token, authentication)| TaskPushNotificationConfig {
            tenant,
            id,
            task_id,
            url,
            token,
            authentication,
        },
    )
}
