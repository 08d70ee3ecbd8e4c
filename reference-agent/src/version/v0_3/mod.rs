//! A2A 0.3: JSON with `kind` discriminators (0.3, section 6).

mod errors;
mod names;
pub mod proto;
mod read;
mod resource_name;
pub mod rest;
mod write;

pub use errors::write_error;
pub use read::read;
pub use write::{write_answer, write_event};

use crate::core::{Notification, Rules};
use crate::model::{Event, Task};

/// How 0.3 behaves.
pub static RULES: Rules =
    Rules { stream_ends_at_auth_required: true, ended_task_is_shown_to_subscribers: true, notification };

/// The task at each new status (0.3, section 9.5); artifacts come along with the next one.
fn notification(task: &Task, event: &Event) -> Option<Notification> {
    match event {
        Event::Artifact(_) => None,
        Event::Status(_) => {
            let body = write::write_task(task).ok()?;
            Some(Notification { content_type: "application/json", body: body.to_string().into_bytes() })
        }
    }
}
