//! The second identity over an interface, as the authorization matrix of the suite has it: it has no right to what the first one has.

use std::sync::Arc;

use serde_json::{Value, json};

use super::aim::Known;
use super::ids::are_far_apart;
use crate::auth::Caller;
use crate::case::References as _;
use crate::judge::before_the_agent;
use crate::plan::Trial;
use crate::profile::Operation;
use crate::reason::Reason;
use crate::session::Session;
use crate::transcript::task_in;
use crate::wire::http::Barrier;

/// The case of the matrix that every version with a matrix has: who may run it has two identities.
const MATRIX: &str = "security/others-task";

/// The second identity, or why there is none.
pub(super) enum Other {
    /// It is let in.
    There {
        /// What it says, and what it is told.
        session: Arc<Session>,
        /// Whether what it makes may be asked for by the first one.
        may_make: bool,
    },
    /// There is none, and what would help.
    Missing(Reason),
    /// The version keeps no callers apart.
    None,
}

impl Other {
    /// Sees whether it is let in.
    pub async fn meet(session: &Arc<Session>, index: usize, trials: &[Arc<Trial>], known: &Known) -> Self {
        let matrix = trials.iter().find(|trial| trial.interface == index && trial.case.id == MATRIX);
        match matrix.map(|trial| &trial.skipped) {
            None => return Self::None,
            Some(Some(reason)) => return Self::Missing(reason.clone()),
            Some(None) => {}
        }
        let other = session.of(Caller::Other);
        let id = known.value("unknown-id").map(|id| id.into_owned()).unwrap_or_default();
        let asked = other.call(Operation::GetTask, json!({ "id": id }), "is the second identity let in?").await;
        match asked.as_ref().ok().and_then(before_the_agent) {
            Some((Barrier::Credentials, label)) => Self::Missing(Reason::OtherNotLetIn { label }),
            Some((Barrier::Unavailable, label)) => Self::Missing(Reason::Unavailable { label }),
            None if asked.is_err() => Self::Missing(Reason::NothingCame),
            None => Self::There { may_make: are_not_counted(session), session: other },
        }
    }

    /// What it says, and what it is told.
    pub fn session(&self) -> Option<&Session> {
        match self {
            Self::There { session, .. } => Some(session),
            Self::Missing(_) | Self::None => None,
        }
    }

    /// Whether what it makes may be asked for by the first one. Of ids that are counted for each caller by themselves, the first one
    /// may have the same.
    pub fn may_make(&self) -> bool {
        matches!(self, Self::There { may_make: true, .. })
    }
}

/// Whether nobody counts the ids of tasks, by those that the first identity has seen.
fn are_not_counted(session: &Session) -> bool {
    let answers = session.record.answers(&session.connection);
    let tasks = answers.iter().flat_map(|answer| answer.result().and_then(task_in).cloned());
    let mut ids: Vec<String> =
        tasks.filter_map(|task| task.get("id").and_then(Value::as_str).map(str::to_owned)).collect();
    ids.sort();
    ids.dedup();
    ids.len() > 1 && ids.windows(2).all(|pair| matches!(pair, [one, other] if are_far_apart(one, other)))
}
