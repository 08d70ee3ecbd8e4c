//! The versions in which objects say their `kind`. Each later one only adds to the one before, so one translation
//! serves them all, with a row of this table for each version: what it lacks of 0.3, and what it has otherwise.

use super::write::write_task;
use crate::core::{Notification, OperationName, Rules};
use crate::model::{Event, Task};

/// A version of this family.
#[derive(Debug)]
pub struct Kin {
    /// The operations of 0.3 over JSON-RPC that there are no methods for.
    pub lacks: &'static [OperationName],
    /// Whether a stream that fails before it begins has the HTTP status of an error.
    pub refuses_streams_by_status: bool,
    /// How the version behaves.
    pub rules: Rules,
}

/// 0.2.5: the extended card is got by HTTP (0.2.5, section 7.10).
pub static V0_2_5: Kin =
    Kin { lacks: &[OperationName::GetExtendedAgentCard], refuses_streams_by_status: true, rules: RULES };

/// 0.3, which lacks nothing.
pub static V0_3: Kin = Kin { lacks: &[], refuses_streams_by_status: false, rules: RULES };

/// How the family behaves.
const RULES: Rules =
    Rules { stream_ends_at_auth_required: true, ended_task_is_shown_to_subscribers: true, notification };

/// The task at each new status (0.3, section 9.5); artifacts come along with the next one.
fn notification(task: &Task, event: &Event) -> Option<Notification> {
    match event {
        Event::Artifact(_) => None,
        Event::Status(_) => {
            let body = write_task(task).ok()?;
            Some(Notification { content_type: "application/json", body: body.to_string().into_bytes() })
        }
    }
}
