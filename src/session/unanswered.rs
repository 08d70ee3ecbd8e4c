//! Requests that were left without an answer, and asking them once more: one silence or one lost connection proves nothing,
//! least of all while other requests of the suite's own are under way. So each is sent again when nothing else is.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Session;
use super::question::Heard;
use crate::binding::{CallRequest, RawRequest};
use crate::profile::Operation;
use crate::transcript::{Answer, AskedTwice, Unanswered, task_in};

/// How many requests are asked again: each may cost a time limit, and one is enough to tell of.
const MOST_ASKED_AGAIN: usize = 4;

const OTHERS: &str = "are others answered?";

/// A request as it was made.
pub(super) enum Asked {
    Call(CallRequest),
    Raw(RawRequest),
}

/// What is known of the requests of one interface that were left without an answer.
#[derive(Default)]
pub(super) struct Left {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// Those to be asked again, with the number of the exchange.
    waiting: Vec<(Asked, u64)>,
    asked: Vec<AskedTwice>,
}

impl Left {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds what was asked twice.
    pub fn tell(&self, twice: AskedTwice) {
        self.lock().asked.push(twice);
    }

    /// Remembers a request if it is left without an answer and is one to ask again; one of each case, since what is wrong with
    /// one request of a case is mostly what is wrong with the next.
    pub fn note(&self, answer: &Answer, is_wrong: bool, asked: impl FnOnce() -> Asked) {
        let operation = answer.exchange.request.operation;
        if answer.unanswered().is_none_or(|how| !tells(&how, operation, is_wrong)) {
            return;
        }
        let mut inner = self.lock();
        let asked = asked();
        let is_new = inner.waiting.iter().all(|(known, _)| known.purpose() != asked.purpose());
        if is_new && inner.waiting.len() < MOST_ASKED_AGAIN {
            inner.waiting.push((asked, answer.exchange.number));
        }
    }
}

impl Asked {
    fn purpose(&self) -> &str {
        match self {
            Self::Call(call) => &call.purpose,
            Self::Raw(raw) => &raw.purpose,
        }
    }

    fn operation(&self) -> Option<Operation> {
        match self {
            Self::Call(call) => Some(call.operation),
            Self::Raw(raw) => raw.operation,
        }
    }
}

/// Whether a request tells something if it is left so twice. No text bounds how long an agent may be at work: its silence tells
/// only of what takes no work, to look up one thing or to refuse what is no request.
fn tells(how: &Unanswered, operation: Option<Operation>, is_wrong: bool) -> bool {
    match (how, operation) {
        (Unanswered::Closed(_), _) => true,
        (Unanswered::Silent(_), Some(Operation::GetTask | Operation::GetTaskPushNotificationConfig)) => true,
        (Unanswered::Silent(_), Some(operation)) => {
            is_wrong && !operation.sends_a_message() && operation != Operation::SubscribeToTask
        }
        (Unanswered::Silent(_), None) => is_wrong,
    }
}

impl Session {
    /// Whether requests were left without an answer that are to be asked again.
    pub fn has_unanswered(&self) -> bool {
        !self.left.lock().waiting.is_empty()
    }

    /// Those that were asked again, and what came of it.
    pub fn asked_twice(&self) -> Vec<AskedTwice> {
        self.left.lock().asked.clone()
    }

    /// Asks once more what was left without an answer. Nothing else of the suite's may be under way.
    pub async fn ask_again(&self) {
        let waiting = std::mem::take(&mut self.left.lock().waiting);
        for (asked, first) in waiting {
            if self.gone().is_some() {
                return;
            }
            let sends = asked.operation().is_some_and(Operation::sends_a_message);
            if sends && self.count_message().is_err() {
                continue;
            }
            let answer = match asked {
                Asked::Call(call) => self.connection.call(&call).await,
                Asked::Raw(raw) => self.connection.raw(raw).await,
            };
            self.note_one(&answer, true);
            if let Some(task) = answer.result().and_then(task_in).filter(|task| self.is_running(task)) {
                self.will_tidy_up(task);
            }
            let left = answer.unanswered();
            // An agent that answers nothing any more is gone, and tells nothing of this request.
            if left.is_none() || matches!(self.ask_plainly(OTHERS).await, Heard::Answered(_)) {
                let second = answer.exchange.number;
                self.left.lock().asked.push(AskedTwice { first, second, left, after_streams: 0 });
            }
        }
    }
}
