//! What is done once more when nothing else is under way: one silence, one lost connection or one failure proves little while
//! other requests of the suite's own go on beside.
//!
//! Requests that were left without an answer are sent again where a case judges just that (`answered`). Cases for whose answers
//! the suite had no room beside those of others are played when there is room. Cases beside which the agent left requests unanswered
//! are played again, for it may have had too much to do. Cases that failed are run again where the user wants it, and those that were not right beside something else without that. What comes then is no part of what the cases see that judge an interface as a whole: for these
//! the first time counts.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use tokio::sync::watch;
use tokio::time::Instant;

use super::ending::Ending;
use super::judging::Judging;
use super::schedule::Schedule;
use super::trial::Done;
use super::{Interfaces, alone, tell_result};
use crate::event::{Event, EventSink};
use crate::plan::Trial;
use crate::reason::Reason;
use crate::session::stop::until_stopped;
use crate::transport::turns;
use crate::verdict::{SideCondition, TrialResult, Verdict};

/// After so many cases that the agent leaves unanswered again, and none that it answers now, no others are played that did not fail:
/// each costs a time limit.
const MOST_LEFT_AGAIN: usize = 3;

/// What waits until nothing else is under way.
pub(super) struct Again {
    /// How often a case that failed is run again.
    retries: usize,
    /// Without what a case that was not right is run once more.
    without: Option<SideCondition>,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// Interfaces over which a request was left without an answer.
    interfaces: Vec<usize>,
    /// Those that had no room.
    crowded: Vec<Arc<Trial>>,
    silent: Vec<Silent>,
    failed: Vec<Arc<Trial>>,
    /// Those that may come out otherwise without the side condition of the run.
    conditional: Vec<Arc<Trial>>,
}

/// A trial beside which the agent left a request unanswered.
struct Silent {
    trial: Arc<Trial>,
    began: Instant,
    /// What it came to.
    done: Done,
    was_alone: bool,
}

/// What went on beside a trial.
pub(super) struct Meanwhile {
    /// Whether the agent left a request unanswered, be it of another trial.
    pub was_silent: bool,
    /// Whether nothing else was under way.
    pub was_alone: bool,
}

impl Again {
    pub fn new(retries: usize, without: Option<SideCondition>) -> Self {
        Self { retries, without, inner: Mutex::default() }
    }

    /// Has what was left without an answer over an interface asked again, before the interface is judged as a whole.
    pub fn ask(&self, interface: usize) {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).interfaces.push(interface);
    }

    /// What a trial came to, if that is its result now. It is run again if there was no room for its answers, and perhaps if the
    /// agent left something unanswered meanwhile; also if it failed.
    pub fn see(&self, trial: &Arc<Trial>, began: Instant, done: Done, meanwhile: Meanwhile) -> Option<Done> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if done.result.reason == Some(Reason::NoRoom) {
            inner.crowded.push(Arc::clone(trial));
            return None;
        }
        let Meanwhile { was_silent, was_alone } = meanwhile;
        if may_be_for_silence(&done.result, was_silent) {
            inner.silent.push(Silent { trial: Arc::clone(trial), began, done, was_alone });
            return None;
        }
        if self.retries > 0 && matches!(done.result.verdict, Verdict::Fail | Verdict::Warn) {
            inner.failed.push(Arc::clone(trial));
        }
        if self.without.is_some() && may_change(&done.result) {
            inner.conditional.push(Arc::clone(trial));
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
        let Inner { interfaces: unanswered, crowded, mut silent, mut failed, mut conditional } =
            self.inner.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (_, session) in interfaces.all() {
            until_stopped(session.check_liveness().boxed(), stop).await;
        }
        let unanswered: Vec<_> = unanswered.into_iter().filter_map(|at| Some((at, interfaces.get(at)?))).collect();
        for (_, session) in &unanswered {
            until_stopped(session.ask_again().boxed(), stop).await;
        }
        let mut is_shown = false;
        for (interface, session) in unanswered {
            if !is_shown {
                is_shown = until_stopped(session.hangs_after_left_streams().boxed(), stop).await == Some(true);
            }
            judging.add(session, schedule.observing(interface));
        }
        if let Some((_, session)) = interfaces.all().next() {
            session.options.places.load().go_one_by_one();
        }
        let again = async |trial: &Arc<Trial>| alone(trial, interfaces, ending, stop).await;
        let mut tell = |trial: Arc<Trial>, (began, done): (Instant, Done)| {
            ending.see(&done.result);
            if self.retries > 0 && matches!(done.result.verdict, Verdict::Fail | Verdict::Warn) {
                failed.push(Arc::clone(&trial));
            }
            if self.without.is_some() && may_change(&done.result) {
                conditional.push(trial);
            }
            tell_result(sink, began, done);
        };
        for trial in crowded {
            let played = again(&trial).await;
            tell(trial, played);
        }
        if !silent.is_empty() {
            interfaces.all().for_each(|(_, session)| session.begin_anew());
        }
        // The likeliest first to be answered now: what waits for work often needs more than one request at a time.
        silent.sort_by_key(|it| (it.was_alone, !has_failed(&it.done.result), it.trial.case.waits_for_work()));
        let mut left = 0;
        for Silent { trial, began, done, was_alone } in silent {
            let Some(sides) = interfaces.sides_of(&trial) else { continue };
            let gone = sides.all().find_map(|session| session.gone());
            if gone.is_some() || (left >= MOST_LEFT_AGAIN && !has_failed(&done.result)) {
                let done = without_blame(&trial, done, gone);
                tell(trial, (began, done));
                continue;
            }
            let load = sides.first.options.places.load();
            let before = load.silences();
            let played = again(&trial).await;
            let is_answered = load.silences() == before;
            left += usize::from(!is_answered);
            if is_answered && !was_alone {
                if saw_no_answer(&done.result) {
                    sides.first.note_overwhelmed();
                }
                // What else was unanswered may have been so for the same reason.
                left = if load.was_told() { 0 } else { left };
            }
            tell(trial, played);
        }
        // What a case has done to the tasks that it shared with others is not to fail it again.
        let concerned = |index: usize| failed.iter().chain(&conditional).any(|trial| trial.talks_over(index));
        interfaces.all().filter(|(index, _)| concerned(*index)).for_each(|(_, session)| session.start_over());
        for trial in failed {
            for _ in 0..self.retries {
                let (_, done) = again(&trial).await;
                let verdict = done.result.verdict;
                sink.send(Event::Again { result: Box::new(done.result) });
                if verdict == Verdict::Pass || *stop.borrow() {
                    break;
                }
            }
        }
        let Some(condition) = self.without else { return };
        for trial in conditional {
            let (_, done) = turns::to_first(again(&trial)).await;
            if *stop.borrow() {
                return;
            }
            sink.send(Event::Without { condition, result: Box::new(done.result) });
        }
    }
}

/// Whether a result may have come of an agent that left requests unanswered, beside it or before.
fn may_be_for_silence(result: &TrialResult, was_silent: bool) -> bool {
    let is_for_the_agent = |reason: &Reason| {
        reason.is_for_silence() || (was_silent && !reason.is_for_other_agents() && !reason.is_end_of_run())
    };
    match result.verdict {
        Verdict::Unreached | Verdict::Broken => result.reason.as_ref().is_some_and(is_for_the_agent),
        _ => was_silent && has_failed(result),
    }
}

/// Whether a result may be otherwise without the side condition of the run.
fn may_change(result: &TrialResult) -> bool {
    let is_of_the_agent = |reason: &Reason| !reason.is_for_other_agents() && !reason.is_end_of_run();
    match result.verdict {
        Verdict::Unreached | Verdict::Broken => result.reason.as_ref().is_some_and(is_of_the_agent),
        _ => has_failed(result),
    }
}

fn has_failed(result: &TrialResult) -> bool {
    matches!(result.verdict, Verdict::Fail | Verdict::Warn | Verdict::Note)
}

fn saw_no_answer(result: &TrialResult) -> bool {
    matches!(result.reason, Some(Reason::Unanswered { .. } | Reason::TriggerUnanswered { .. }))
}

/// What a trial came to beside which the agent stopped answering for good: a failure may be of that alone.
fn without_blame(trial: &Trial, done: Done, gone: Option<Reason>) -> Done {
    match gone {
        Some(reason) if has_failed(&done.result) => Done::without_findings(trial, Verdict::Unreached, reason),
        _ => done,
    }
}
