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
use crate::model::StreamEvent;

/// How 1.0 behaves.
pub static RULES: Rules = OF_1_0;

const OF_1_0: Rules = Rules {
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
    has_generations: false,
    notification: |_, event| notification(&StreamEvent::Update(event.clone()).without_generation()),
};

/// How the draft of 1.1 behaves: as 1.0, and its tasks have generations (1.1, section 3.2.7).
pub static RULES_OF_1_1: Rules = Rules {
    has_generations: true,
    notification: |_, event| notification(&StreamEvent::Update(event.clone())),
    ..OF_1_0
};

/// Every event, in the form of a stream (section 4.3.3).
fn notification(event: &StreamEvent) -> Option<Notification> {
    let body = write_event(event).ok()?;
    Some(Notification { content_type: "application/a2a+json", body: body.into_text().into_bytes() })
}
