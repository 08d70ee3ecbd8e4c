//! A2A 1.0: the JSON form of its protobuf definition (section 5.5). `draft` is the text from half a year before; what both
//! share, `read` and `write` have by a row of the table in `kin`.

pub mod draft;
mod errors;
mod names;
pub mod proto;
mod read;
mod traits;
mod write;

pub use errors::{write_details, write_error};
pub use names::Names;
pub use read::read;
pub use write::{write_answer, write_event};

use crate::core::{Notification, Rules};
use crate::model::{Event, StreamEvent, Task};

/// How 1.0 behaves.
pub static RULES: Rules = Rules {
    streams_may_await_credentials: true,
    ended_task_is_shown_to_subscribers: false,
    waiting_task_is_shown_once: false,
    clients_name_tasks: false,
    ended_task_goes_on: false,
    waits_for_long_work: true,
    answers_with_messages: true,
    default_history_length: None,
    shows_no_push_config: false,
    keeps_one_push_config: false,
    notification,
};

/// Every event, in the form of a stream (section 4.3.3).
fn notification(_: &Task, event: &Event) -> Option<Notification> {
    let body = write_event(&StreamEvent::Update(event.clone())).ok()?;
    Some(Notification { content_type: "application/a2a+json", body: body.into_text().into_bytes() })
}
