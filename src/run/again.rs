//! What is done once more when nothing else is under way: one silence, one lost connection or one failure proves little while
//! other requests of the suite's own go on beside.
//!
//! Requests that were left without an answer are sent again where a case judges just that (`answered`). Cases for whose answers
//! the suite had no room beside those of others are played when there is room. Cases beside which the agent stopped answering are
//! played again if it answers one thing at a time. Cases that failed are run again where the user
//! wants it. What comes then is no part of what the cases see that judge an interface as a whole: for these
//! the first time counts.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use tokio::sync::watch;
use tokio::time::Instant;

use super::ending::Ending;
use super::judging::Judging;
use super::schedule::Schedule;
use super::trial::Done;
use super::{Interfaces, Sides, one, tell_result};
use crate::event::{Event, EventSink};
use crate::plan::Trial;
use crate::reason::Reason;
use crate::session::stop::until_stopped;
use crate::verdict::{TrialResult, Verdict};

/// How many cases are played again for an agent that leaves something unanswered then, too: each costs a time limit.
const MOST_LEFT_AGAIN: usize = 3;

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
    /// Those beside which the agent left a request unanswered, with when they began and what they came to.
    silent: Vec<(Arc<Trial>, Instant, Done)>,
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

    /// What a trial came to, if that is its result now. It is run again if there was no room for its answers, and perhaps if the
    /// agent left something unanswered meanwhile; also if it failed.
    pub fn see(&self, trial: &Arc<Trial>, began: Instant, done: Done, was_silent: bool) -> Option<Done> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if done.result.reason == Some(Reason::NoRoom) {
            inner.crowded.push(Arc::clone(trial));
            return None;
        }
        if was_silent && may_be_for_silence(&done.result) {
            inner.silent.push((Arc::clone(trial), began, done));
            return None;
        }
        if self.retries > 0 && matches!(done.result.verdict, Verdict::Fail | Verdict::Warn) {
            inner.failed.push(Arc::clone(trial));
        }
        Some(done)
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
        let Inner { interfaces: unanswered, crowded, silent, mut failed } =
            self.inner.into_inner().unwrap_or_else(PoisonError::into_inner);
        for interface in unanswered {
            let Some(session) = interfaces.get(interface) else { continue };
            until_stopped(session.ask_again().boxed(), stop).await;
            judging.add(session, schedule.observing(interface));
        }
        let again = async |trial: &Arc<Trial>| {
            let began = Instant::now();
            (began, one(trial, interfaces.sides_of(trial), ending, stop).boxed().await)
        };
        let mut tell = |trial: Arc<Trial>, (began, done): (Instant, Done)| {
            ending.see(&done.result);
            if self.retries > 0 && matches!(done.result.verdict, Verdict::Fail | Verdict::Warn) {
                failed.push(trial);
            }
            tell_result(sink, began, done);
        };
        for trial in crowded {
            let played = again(&trial).await;
            tell(trial, played);
        }
        let mut left = 0;
        for (trial, began, done) in silent {
            let sides = interfaces.sides_of(&trial);
            let load = sides.as_ref().map(|sides| sides.first.options.places.load());
            let Some(load) = load.filter(|load| load.is_back() && left < MOST_LEFT_AGAIN) else {
                let gone = sides.iter().flat_map(Sides::all).find_map(|session| session.gone());
                let done = without_blame(&trial, done, gone);
                tell(trial, (began, done));
                continue;
            };
            let before = load.silences();
            let played = again(&trial).await;
            left += usize::from(load.silences() > before);
            tell(trial, played);
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

/// Whether a result may have come of an agent that answered nothing for a while.
fn may_be_for_silence(result: &TrialResult) -> bool {
    let is_for_the_agent = |reason: &Reason| !reason.is_for_other_agents() && !reason.is_end_of_run();
    match result.verdict {
        Verdict::Fail | Verdict::Warn => true,
        Verdict::Unreached | Verdict::Broken => result.reason.as_ref().is_some_and(is_for_the_agent),
        _ => false,
    }
}

/// What a trial came to beside which the agent stopped answering for good: a failure may be of that alone.
fn without_blame(trial: &Trial, done: Done, gone: Option<Reason>) -> Done {
    match (done.result.verdict, gone) {
        (Verdict::Fail | Verdict::Warn, Some(reason)) => Done::without_findings(trial, Verdict::Unreached, reason),
        _ => done,
    }
}
