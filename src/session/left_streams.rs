//! Whether an agent stops answering once clients have left streams.
//!
//! Many things may keep an agent from answering while a run goes on. So streams are named as the cause only if that is shown. At the
//! end of the run, with nothing else under way, the suite leaves one stream after the other. After each it has the task canceled and
//! asks for it, so that nothing remains of the stream but that it was left. If a request is unanswered then, the same is done with
//! streams that are read to their end, which has to go well, and once more with streams that are left.

use serde_json::json;

use super::Session;
use super::question::Heard;
use super::vigil::QUESTIONS;
use crate::event::Condition;
use crate::profile::Operation;
use crate::transcript::{Answer, AskedTwice, task_in};
use crate::transport::OpenStream;

const PURPOSE: &str = "does it answer after streams are left?";
/// The most streams after which is looked whether the agent goes on.
const MOST: usize = 8;

/// What is done with a stream after its first event.
#[derive(Clone, Copy, PartialEq)]
enum Then {
    Leave,
    ReadToEnd,
}

impl Session {
    /// Whether it stops answering after left streams. Looked at only if streams were left and a question for a task was left
    /// unanswered in this run. Nothing else of the suite's may be under way.
    pub(crate) async fn hangs_after_left_streams(&self) -> bool {
        let load = self.options.places.load();
        let may_hang = load.streams_left() > 0 && self.silence.has_left_a_question() && self.gone().is_none();
        // Who serves one request at a time may go on with a stream that nobody reads.
        if !may_hang || (load.is_one_by_one() && !load.is_back()) {
            return false;
        }
        let Some(shown) = self.hangs().await else { return false };
        let streams = shown.after_streams;
        self.note_condition(Condition::HangsAfterStreams { streams });
        self.left.tell(shown);
        true
    }

    /// What shows it.
    async fn hangs(&self) -> Option<AskedTwice> {
        let _ = self.unanswered_after(Then::Leave).await??;
        // What happens now and then, or with any stream, is no effect of leaving.
        self.wait_for_answer(QUESTIONS).await.ok()?;
        match self.unanswered_after(Then::ReadToEnd).await? {
            None => self.unanswered_after(Then::Leave).await?,
            Some(_) => None,
        }
    }

    /// The request that is unanswered after streams, if one is; nothing if that cannot be seen.
    async fn unanswered_after(&self, then: Then) -> Option<Option<AskedTwice>> {
        let Heard::Answered(mut control) = self.ask_plainly(PURPOSE).await else { return None };
        for streams in 1..=MOST {
            match self.stream(then).await? {
                Heard::Answered(answer) => control = answer,
                Heard::Silence(answer) => {
                    let (first, second) = (control.exchange.number, answer.exchange.number);
                    let left = Some(answer.unanswered()?);
                    return Some(Some(AskedTwice { first, second, left, after_streams: streams }));
                }
                Heard::NotAsked => return None,
            }
        }
        Some(None)
    }

    /// Opens a stream and ends its task; what came of the last request. Nothing if the task is not seen to end: the agent may be at
    /// work on it then.
    async fn stream(&self, then: Then) -> Option<Heard> {
        let (stream, task) = self.begin_slow_stream(PURPOSE).await.ok()?;
        let is_open = stream.is_stream() && !stream.is_over();
        let mut open = Some(stream).filter(|_| is_open);
        if then == Then::Leave {
            self.finish(open.take()?).await;
            self.is_seen_closed().await;
        }
        let params = json!({ "id": task?.get("id")? });
        let canceled = self.ask_now(Operation::CancelTask, params.clone(), PURPOSE).await;
        if !matches!(canceled, Heard::Answered(_)) {
            return Some(canceled);
        }
        if let Some(mut stream) = open {
            while self.connection.next(&mut stream, None).await.is_some() {}
            self.finish(stream).await;
        }
        let read = self.ask_now(Operation::GetTask, params, PURPOSE).await;
        match &read {
            Heard::Answered(answer) if !self.shows_an_end(answer) => None,
            _ => Some(read),
        }
    }

    async fn finish(&self, stream: OpenStream) {
        self.note(&self.connection.finish(stream, false).await);
    }

    fn shows_an_end(&self, answer: &Answer) -> bool {
        let state = answer.result().and_then(task_in).and_then(|task| task.pointer("/status/state")?.as_str());
        state.is_some_and(|state| self.profile().is_terminal(state))
    }
}
