//! The versions in which clients make the ids of tasks. They are one protocol, told by two texts: a row of this table
//! for each has what its text says otherwise.

use super::write::write_task;
use crate::core::{Notification, Rules};
use crate::model::{Event, Task};

/// A version of this family.
#[derive(Debug)]
pub struct VersionTraits {
    /// Whether each part has metadata, if need be without anything in it.
    pub parts_have_metadata: bool,
    /// Whether a file may be sent without its bytes and without an address.
    pub files_may_lie_anywhere: bool,
    /// Whether the card names what the agent takes. Where it does not, clients send plain text (0.1, section 5.1), which is
    /// all that its triggers need.
    pub card_names_input_modes: bool,
    /// Whether a stream that fails before it begins has the HTTP status of an error.
    pub refuses_streams_by_status: bool,
    /// How the version behaves.
    pub rules: Rules,
}

/// The proposal: its sketch of a part requires metadata, and it does not speak of HTTP errors.
pub static PROPOSAL: VersionTraits = VersionTraits {
    parts_have_metadata: true,
    files_may_lie_anywhere: false,
    card_names_input_modes: true,
    refuses_streams_by_status: false,
    rules: Rules {
        shows_no_push_config: false,
        notification: |task, event| notification(task, event, &PROPOSAL),
        ..RULES
    },
};

/// 0.1 (sections 6.6, 7.2, 7.6 and 7.7).
pub static V0_1: VersionTraits = VersionTraits {
    parts_have_metadata: false,
    files_may_lie_anywhere: true,
    card_names_input_modes: false,
    refuses_streams_by_status: true,
    rules: RULES,
};

/// How the family behaves.
const RULES: Rules = Rules {
    streams_may_await_credentials: false,
    ended_task_is_shown_to_subscribers: true,
    waiting_task_is_shown_once: true,
    clients_name_tasks: true,
    ended_task_goes_on: true,
    waits_for_long_work: false,
    answers_with_messages: false,
    default_history_length: Some(0),
    shows_no_push_config: true,
    keeps_one_push_config: true,
    has_generations: false,
    notification: |task, event| notification(task, event, &V0_1),
};

/// The task at each new status, as a client that asks for it gets it. No text says what a webhook is sent.
fn notification(task: &Task, event: &Event, traits: &VersionTraits) -> Option<Notification> {
    match event {
        Event::Artifact(_) => None,
        Event::Status(_) => {
            let body = write_task(&task.with_history(traits.rules.default_history_length), traits).ok()?;
            Some(Notification { content_type: "application/json", body: body.into_text().into_bytes() })
        }
    }
}
