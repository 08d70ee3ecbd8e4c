//! What is done once more when nothing else is under way: one silence, one lost connection or one failure proves little while
//! other requests of the suite's own go on beside.
//!
//! Requests that were left without an answer are sent again where a case judges just that (`answered`). Cases for whose answers
//! the suite had no room beside those of others are played when there is room. Cases that failed are run again where the user
//! wants it. What comes then is no part of what the cases see that judge an interface as a whole: for these
//! the first time counts.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use tokio::sync::watch;
use tokio::time::Instant;

use super::ending::Ending;
use super::judging::Judging;
use super::schedule::Schedule;
use super::{Interfaces, one, tell_result};
use crate::event::{Event, EventSink};
use crate::plan::Trial;
use crate::reason::Reason;
use crate::session::stop::until_stopped;
use crate::verdict::{TrialResult, Verdict};

/// What waits until nothing else is under way.
pub(super) struct Again {
    /// How often a case that failed is run again.
    retries: usize,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// Interfaces over which a request was left without an answer.
    interfaces: Vec<usize>,
    /// Those that had no room.
    crowded: Vec<Arc<Trial>>,
    failed: Vec<Arc<Trial>>,
}

impl Again {
    pub fn new(retries: usize) -> Self {
        Self { retries, inner: Mutex::default() }
    }

    /// Has what was left without an answer over an interface asked again, before the interface is judged as a whole.
    pub fn ask(&self, interface: usize) {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).interfaces.push(interface);
    }

    /// Has a trial run again if there was no room for its answers: whether what it came to is none of its results, or if it failed.
    pub fn see(&self, trial: &Arc<Trial>, result: &TrialResult) -> bool {
        if result.reason == Some(Reason::NoRoom) {
            self.inner.lock().unwrap_or_else(PoisonError::into_inner).crowded.push(Arc::clone(trial));
            return true;
        }
        if self.retries > 0 && matches!(result.verdict, Verdict::Fail | Verdict::Warn) {
            self.inner.lock().unwrap_or_else(PoisonError::into_inner).failed.push(Arc::clone(trial));
        }
        false
    }

    /// Does it, one thing after the other.
    pub async fn run(
        self,
        interfaces: &Interfaces,
        (schedule, judging): (&Schedule, &Judging),
        ending: &Ending,
        stop: &watch::Receiver<bool>,
        sink: &EventSink,
    ) {
        let Inner { interfaces: unanswered, crowded, mut failed } =
            self.inner.into_inner().unwrap_or_else(PoisonError::into_inner);
        for interface in unanswered {
            let Some(session) = interfaces.get(interface) else { continue };
            until_stopped(session.ask_again().boxed(), stop).await;
            judging.add(session, schedule.observing(interface));
        }
        for trial in crowded {
            let began = Instant::now();
            let done = one(&trial, interfaces.sides_of(&trial), ending, stop).boxed().await;
            ending.see(&done.result);
            if self.retries > 0 && matches!(done.result.verdict, Verdict::Fail | Verdict::Warn) {
                failed.push(trial);
            }
            tell_result(sink, began, done);
        }
        // What a case has done to the tasks that it shared with others is not to fail it again.
        let concerned = |index: usize| failed.iter().any(|trial| trial.talks_over(index));
        interfaces.all().filter(|(index, _)| concerned(*index)).for_each(|(_, session)| session.start_over());
        for trial in failed {
            for _ in 0..self.retries {
                let done = one(&trial, interfaces.sides_of(&trial), ending, stop).boxed().await;
                let verdict = done.result.verdict;
                sink.send(Event::Again { result: Box::new(done.result) });
                if verdict == Verdict::Pass || *stop.borrow() {
                    break;
                }
            }
        }
    }
}
