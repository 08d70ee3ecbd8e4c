//! What is done when an agent stops answering: the cases under way end, and then one plain question at a time shows whether the agent
//! is gone, or had too much to do. One that answers again is asked one thing at a time from then on. An agent that answers costs
//! none of this.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use tokio::sync::MutexGuard;

use super::Session;
use super::question::Heard;
use crate::event::Condition;
use crate::reason::Reason;
use crate::transcript::{Answer, Ended, TransportError};

const PURPOSE: &str = "is the agent still there?";
/// How many questions an agent may leave unanswered, one after the other, before it counts as gone. Each waits for its time limit: an
/// agent that sees late that clients have given up is free for the next.
pub(super) const QUESTIONS: usize = 3;

impl Session {
    /// Makes sure that it is of use to go on. An agent may hang on the wrong requests of several cases at once; only if
    /// it does not answer a right one, either, is it gone, or has too much to do.
    pub async fn check_liveness(&self) {
        if !self.is_doubtful() {
            return;
        }
        let _asking = self.asking.lock().await;
        // Another case may have asked in the meantime.
        if !self.is_doubtful() {
            return;
        }
        let load = self.options.places.load();
        let _halt = load.halt();
        let Heard::Silence(left) = self.ask_plainly(PURPOSE).await else { return };
        let found = match is_refused(&left) {
            true => Err(left.ended_how()),
            false => self.is_there(&load.watch().await).await,
        };
        if let Err(how) = found {
            let _ = self.gone.set(Reason::StoppedAnswering { how });
        }
    }

    /// Whether so much came to nothing that it is time to ask whether the agent is still there. If cases run one by one, one silence
    /// is enough.
    pub(crate) fn is_doubtful(&self) -> bool {
        let load = self.options.places.load();
        if load.is_back() && !self.is_renewed.swap(true, Ordering::Relaxed) {
            self.begin_anew();
        }
        let is_silent = self.silence.is_suspicious() || (load.is_one_by_one() && self.silence.is_silent());
        self.gone.get().is_none() && is_silent
    }

    /// Forgets what an agent did not do while it answered nothing.
    pub(crate) fn begin_anew(&self) {
        self.silence.forget();
        self.forget_what_was_missed();
    }

    /// Waits for an answer, and before that until nothing else is under way. Where that was in vain, one question more shows of each
    /// other interface whether it is gone too.
    ///
    /// # Errors
    /// How the last question was left.
    async fn is_there(&self, _nobody_else: &MutexGuard<'_, ()>) -> Result<(), String> {
        let load = self.options.places.load();
        if load.is_one_by_one() {
            // It may have come back for another interface.
            return if self.is_doubtful() { self.wait_for_answer(QUESTIONS).await } else { Ok(()) };
        }
        if load.note_waited_for() {
            return self.wait_for_answer(1).await;
        }
        let _alone = load.alone().await;
        self.held.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.wait_for_answer(QUESTIONS).await?;
        load.note_back();
        self.note_overwhelmed();
        Ok(())
    }

    /// Notes that it left requests unanswered beside others, and answers them by themselves.
    pub(crate) fn note_overwhelmed(&self) {
        let load = self.options.places.load();
        if !load.note_told() {
            self.note_condition(Condition::Overwhelmed { requests: load.most_under_way() });
        }
    }

    /// Asks until there is an answer.
    ///
    /// # Errors
    /// How the last question was left.
    pub(super) async fn wait_for_answer(&self, questions: usize) -> Result<(), String> {
        let mut how = Reason::NothingSent.to_string();
        for _ in 0..questions {
            match self.ask_plainly(PURPOSE).await {
                Heard::Answered(_) => return Ok(()),
                Heard::Silence(left) => how = self.circumstances(&left),
                Heard::NotAsked => break,
            }
        }
        Err(how)
    }

    /// What is certain of an agent that does not answer any more. None of it need be the cause.
    fn circumstances(&self, left: &Answer) -> String {
        let load = self.options.places.load();
        let (how, requests, streams) = (left.ended_how(), load.most_under_way(), load.streams_left());
        format!("{how}; up to {requests} requests were under way, and {streams} streams had been left before their end")
    }
}

/// Whether nobody listens any more: that is not for too much work.
fn is_refused(left: &Answer) -> bool {
    matches!(&left.exchange.ended, Ended::Failed(TransportError::Refused | TransportError::UnknownHost))
}
