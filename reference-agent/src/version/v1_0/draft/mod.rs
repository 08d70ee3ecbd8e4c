//! The draft of A2A 1.0 (2025-11-20), as far as it is not 1.0. Sections here are those of the draft.
//!
//! Its JSON is that of its protobuf definition with other enum values (5.5), and has two forms. Over JSON-RPC tasks,
//! messages and events stand by themselves (9.4.1, 9.4.2); everywhere else one member around them says what they are.

mod part;
mod problem;
pub mod proto;
mod read;
mod write;

pub use super::traits::Form;
pub use part::{Part, read_part};
pub use problem::{write_error, write_plain_problem, write_problem};
pub use read::read;
pub use write::{write_answer, write_event};

use crate::core::{Notification, Rules};
use crate::model::{Event, StreamEvent, Task};

/// How the draft behaves.
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
    has_generations: false,
    notification,
};

/// Every event, in the form of a stream (4.3.3). It is final where streams usually end with it.
fn notification(_: &Task, event: &Event) -> Option<Notification> {
    let is_last = matches!(event, Event::Status(update) if RULES.ends_stream(update.status.state, false));
    let body = write_event(&StreamEvent::Update(event.clone()), is_last, Form::Wrapped).ok()?;
    Some(Notification { content_type: "application/json", body: body.into_text().into_bytes() })
}
