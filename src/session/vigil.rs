//! What is done when an agent stops answering: everything else of the run comes to its end, and then one plain question at a time
//! shows whether the agent is gone, or had too much to do. An agent that answers costs none of this.
//!
//! Whoever answers again is asked one thing at a time from then on. That streams which clients left are the cause is reported only
//! if it was shown: with nothing else under way, and a plain question that was answered before.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep};

use super::{Session, StepError, message};
use crate::binding::CallRequest;
use crate::case::Trigger;
use crate::event::Condition;
use crate::profile::Operation;
use crate::reason::Reason;
use crate::transcript::{Answer, AskedTwice, Content, Ended, TransportError, task_in};

const PURPOSE: &str = "is the agent still there?";
const ABOUT_STREAMS: &str = "does it answer after streams are left?";
/// Before a question to an agent that left the one before unanswered.
const PAUSE: Duration = Duration::from_millis(250);
/// The most streams that are left to see whether the agent goes on.
const MOST_LEFT: usize = 8;

/// What came of a plain question.
enum Asked {
    /// An answer, whatever it says: the number of the exchange.
    Answered(u64),
    /// None, and how.
    Left { how: String, answer: Option<Answer> },
    /// The agent has nothing that it could be asked.
    Nothing,
}

impl Session {
    /// Makes sure that it is of use to go on. An agent may hang on the wrong requests of several cases at once; only if
    /// it does not answer a right one, either, is it gone, or has too much to do.
    pub async fn check_liveness(&self) {
        let load = self.options.places.load();
        self.start_anew_if_back();
        if !self.is_doubtful() {
            return;
        }
        let watch = load.watch().await;
        // Somebody else may have waited for it in the meantime.
        self.start_anew_if_back();
        if !self.is_doubtful() {
            return;
        }
        if load.was_waited_for() {
            drop(watch);
        }
        let asked = self.ask_plainly(&message::unique(), PURPOSE).await;
        let how = match asked {
            Asked::Nothing => return,
            Asked::Answered(_) if !self.is_held_up() => return,
            Asked::Answered(_) => None,
            Asked::Left { how, answer } if is_refused(answer.as_ref()) => return self.note_gone(how),
            Asked::Left { how, .. } => Some(how),
        };
        let is_gone = self.silence.is_suspicious();
        match (load.note_waited_for() || !self.is_back_alone(is_gone).await, how) {
            (false, _) => self.start_anew_if_back(),
            (true, Some(how)) if is_gone => self.note_gone(self.circumstances(how)),
            (true, _) => {}
        }
    }

    /// Whether so much came to nothing that it is time to ask whether the agent is still there.
    fn is_doubtful(&self) -> bool {
        self.gone.get().is_none() && (self.silence.is_suspicious() || self.is_held_up())
    }

    /// Whether questions that take no work are left unanswered, while others are answered.
    fn is_held_up(&self) -> bool {
        !self.options.places.load().was_waited_for() && self.silence.is_silent_on_questions()
    }

    fn note_gone(&self, how: String) {
        let _ = self.gone.set(Reason::StoppedAnswering { how });
    }

    /// What is certain of an agent that does not answer any more, besides how it was last silent.
    fn circumstances(&self, how: String) -> String {
        let load = self.options.places.load();
        let (requests, streams) = (load.most_under_way(), load.streams_left());
        format!("{how}; up to {requests} requests were under way, and {streams} streams had been left before their end")
    }

    /// Forgets what an agent did not do while it answered nothing.
    fn start_anew_if_back(&self) {
        if self.options.places.load().is_back() && !self.is_renewed.swap(true, Ordering::Relaxed) {
            self.silence.forget();
            self.forget_what_was_missed();
        }
    }

    /// Waits until no case is under way, and then for an answer. Whether there is one. Where answers came between the silences, they
    /// may be of the questions and not of too much work: then a question for a task that is not there has to be answered as well.
    async fn is_back_alone(&self, was_silent: bool) -> bool {
        let load = self.options.places.load();
        let _alone = load.alone().await;
        self.held.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let (requests, streams) = (load.most_under_way(), load.streams_left());
        let is_answered =
            was_silent || matches!(self.ask_plainly(&message::unique(), PURPOSE).await, Asked::Answered(_));
        let Some(control) = self.wait_for_answer().await.filter(|_| is_answered) else { return false };
        if streams > 0
            && let Some(streams) = self.hangs_after_streams(control).await
        {
            self.note_condition(Condition::HangsAfterStreams { streams });
            if self.wait_for_answer().await.is_none() {
                self.note_gone(self.circumstances(format!("no answer within {} s", self.http.timeout().as_secs_f32())));
                return false;
            }
        }
        load.note_back();
        self.note_condition(Condition::Overwhelmed { requests, streams });
        true
    }

    /// Asks until there is an answer, for as long as a request may take; the number of its exchange.
    async fn wait_for_answer(&self) -> Option<u64> {
        let began = Instant::now();
        loop {
            // The agent has to see first that the one before was given up.
            sleep(PAUSE).await;
            self.silence.forget();
            match self.ask_plainly(&self.some_id(), PURPOSE).await {
                Asked::Answered(number) => return Some(number),
                Asked::Nothing => return None,
                Asked::Left { .. } if began.elapsed() >= self.http.timeout() => return None,
                Asked::Left { .. } => {}
            }
        }
    }

    /// After how many streams that a client leaves a plain question is unanswered, if that is so. The question is asked after each.
    async fn hangs_after_streams(&self, mut control: u64) -> Option<usize> {
        for streams in 1..=MOST_LEFT {
            if !self.leaves_a_stream().await.unwrap_or(false) {
                return None;
            }
            match self.ask_plainly(&self.some_id(), ABOUT_STREAMS).await {
                Asked::Answered(number) => control = number,
                Asked::Left { answer: Some(answer), .. } => {
                    let left = answer.unanswered()?;
                    let (first, second) = (control, answer.exchange.number);
                    self.left.tell(AskedTwice { first, second, left: Some(left), after_streams: streams });
                    return Some(streams);
                }
                Asked::Left { answer: None, .. } | Asked::Nothing => return None,
            }
        }
        None
    }

    /// Opens a stream and leaves it after its first event; whether it had not ended by then.
    async fn leaves_a_stream(&self) -> Result<bool, StepError> {
        let call = CallRequest {
            operation: Operation::SendStreamingMessage,
            params: message::params(&self.options.words.say(Trigger::Slow)).into(),
            rpc_id: None,
            headers: Vec::new(),
            purpose: ABOUT_STREAMS.to_owned(),
        };
        let mut stream = self.open(call, false).await?;
        let first = self.connection.next(&mut stream, None).await;
        if let Some(task) = first.as_ref().and_then(|event| event.value()).and_then(task_in) {
            self.will_tidy_up(task);
        }
        let is_open = first.is_some() && stream.is_stream() && !stream.is_over();
        self.note(&self.connection.finish(stream, false).await);
        Ok(is_open)
    }

    fn some_id(&self) -> String {
        self.record.some_id().unwrap_or_else(message::unique)
    }

    /// Asks for a task, or sends a message where the agent has no more.
    async fn ask_plainly(&self, id: &str, purpose: &str) -> Asked {
        let asked = match (self.has_no(Operation::GetTask), self.has_no(Operation::SendMessage)) {
            (true, true) => return Asked::Nothing,
            (true, false) => {
                let params = message::params(&self.options.words.say(Trigger::Complete));
                self.call(Operation::SendMessage, params, purpose).await
            }
            (false, _) => self.call(Operation::GetTask, json!({ "id": id }), purpose).await,
        };
        match asked {
            Ok(answer) if matches!(answer.content, Content::Lost) || answer.is_silence() => {
                Asked::Left { how: answer.ended_how(), answer: Some(answer) }
            }
            Ok(answer) => Asked::Answered(answer.exchange.number),
            // It is known to leave this question unanswered, too.
            Err(StepError::Unreached(reason)) => Asked::Left { how: reason.to_string(), answer: None },
            Err(StepError::Broken(_)) => Asked::Nothing,
        }
    }
}

/// Whether nobody listens any more: that is not for too much work.
fn is_refused(answer: Option<&Answer>) -> bool {
    let ended = answer.map(|answer| &answer.exchange.ended);
    matches!(ended, Some(Ended::Failed(TransportError::Refused | TransportError::UnknownHost)))
}
