//! The versions in which objects say their `kind`. Each later one only adds to the one before, so one translation
//! serves them all, with a row of this table for each version: what it lacks of 0.3, and what it has otherwise.

use super::write::write_task;
use crate::core::{Notification, OperationName, Rules};
use crate::model::{Event, Task};

/// A version of this family.
#[derive(Debug)]
pub struct VersionTraits {
    /// The operations of 0.3 over JSON-RPC that there are no methods for.
    pub lacks: &'static [OperationName],
    /// Whether cards, messages and artifacts name extensions, and a header asks for them.
    pub names_extensions: bool,
    /// Whether a client can name one of several push notification configurations of a task.
    pub names_push_configs: bool,
    /// Whether a stream that fails before it begins has the HTTP status of an error.
    pub refuses_streams_by_status: bool,
    /// How the version behaves.
    pub rules: Rules,
}

/// 0.2.1: no extensions, and a task has one push notification configuration, which is read by the task alone
/// (0.2.1, sections 7.5 and 7.6).
pub static V0_2_1: VersionTraits = VersionTraits {
    lacks: &[OperationName::GetExtendedAgentCard, OperationName::ListPushConfigs, OperationName::DeletePushConfig],
    names_extensions: false,
    names_push_configs: false,
    refuses_streams_by_status: true,
    rules: Rules {
        keeps_one_push_config: true,
        notification: |task, event| notification(task, event, &V0_2_1),
        ..RULES
    },
};

/// 0.2.5: the extended card is got by HTTP (0.2.5, section 7.10).
pub static V0_2_5: VersionTraits =
    VersionTraits { lacks: &[OperationName::GetExtendedAgentCard], refuses_streams_by_status: true, ..WHOLE };

/// 0.3, which lacks nothing.
pub static V0_3: VersionTraits = WHOLE;

const WHOLE: VersionTraits = VersionTraits {
    lacks: &[],
    names_extensions: true,
    names_push_configs: true,
    refuses_streams_by_status: false,
    rules: RULES,
};

/// How the family behaves.
const RULES: Rules = Rules {
    streams_may_await_credentials: false,
    ended_task_is_shown_to_subscribers: true,
    waiting_task_is_shown_once: false,
    clients_name_tasks: false,
    ended_task_goes_on: false,
    waits_for_long_work: true,
    answers_with_messages: true,
    default_history_length: None,
    shows_no_push_config: false,
    keeps_one_push_config: false,
    has_generations: false,
    notification: |task, event| notification(task, event, &V0_3),
};

/// The task at each new status (0.3, section 9.5); artifacts come along with the next one.
fn notification(task: &Task, event: &Event, traits: &VersionTraits) -> Option<Notification> {
    match event {
        Event::Artifact(_) => None,
        Event::Status(_) => {
            let body = write_task(task, traits).ok()?;
            Some(Notification { content_type: "application/json", body: body.into_text().into_bytes() })
        }
    }
}

impl VersionTraits {
    /// Those of `extensions` that an object of this version names: all or none.
    pub fn extensions<'a>(&self, extensions: &'a [String]) -> &'a [String] {
        if self.names_extensions { extensions } else { &[] }
    }
}
