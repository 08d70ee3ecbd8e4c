//! What an agent leaves unanswered: each request that it is silent on costs a time limit, so those that it is known to be
//! silent on are not made again.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::profile::Operation;
use crate::reason::Reason;
use crate::transcript::{Answer, Content, Ended, Limit, TransportError};

/// After so many exchanges in a row that came to nothing, the suite asks whether the agent is still there; after so many right calls
/// as of [`MOST_IN_A_ROW`].
const PATIENCE: usize = 6;
/// After so many right calls of one operation in a row that came to nothing it is not called any more; calls of a streaming
/// operation that are refused do not count.
const MOST_IN_A_ROW: usize = 4;
/// After so many wrong requests that came to nothing no more are made. Agents hang on the wrong requests of many cases, and
/// answer right ones in between.
const MOST_WRONG: usize = 24;

/// The silence of one interface.
#[derive(Debug, Default)]
pub(crate) struct Silence {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// Of any kind, in a row.
    in_a_row: usize,
    /// Right calls among them, in a row; wrong requests between them do not count.
    right_in_a_row: usize,
    by_operation: HashMap<Operation, usize>,
    /// Those that brought something at some time.
    answered: HashSet<Operation>,
    wrong: usize,
    /// Whether a right call of GetTask came to nothing at some time.
    has_left_a_question: bool,
}

impl Silence {
    /// Begins to count anew: what kept the agent from answering is over.
    pub fn forget(&self) {
        let mut inner = self.lock();
        let (answered, has_left_a_question) = (std::mem::take(&mut inner.answered), inner.has_left_a_question);
        *inner = Inner { answered, has_left_a_question, ..Inner::default() };
    }

    /// Why a request is not to be made, if it is not.
    pub fn forbids(&self, operation: Option<Operation>, is_wrong: bool) -> Option<Reason> {
        let inner = self.lock();
        if is_wrong {
            return (inner.wrong >= MOST_WRONG).then_some(Reason::SilentOnWrongRequests);
        }
        let operation = operation.filter(|operation| inner.by_operation.get(operation) >= Some(&MOST_IN_A_ROW))?;
        let name = operation.to_string();
        Some(match inner.answered.contains(&operation) {
            true => Reason::StoppedServing { operation: name },
            false => Reason::SilentOperation { operation: name },
        })
    }

    /// Notes an answer. An error that comes instead of a stream does not show that streams bring anything.
    pub fn note(&self, answer: &Answer, is_wrong: bool) {
        // What found no room beside other answers shows neither, unless it is a stream that took all that room without one event.
        let is_without_room = answer.exchange.ended == Ended::Endless(Limit::Memory);
        let is_empty = matches!(&answer.content, Content::Stream(events) if events.is_empty());
        if is_without_room && !is_empty {
            return;
        }
        let mut inner = self.lock();
        let operation = answer.exchange.request.operation.filter(|_| !is_wrong);
        if !is_without_room && !is_silent(answer) {
            inner.in_a_row = 0;
            inner.right_in_a_row = if is_wrong { inner.right_in_a_row } else { 0 };
            let is_refused = matches!(answer.content, Content::Error(_));
            let operation = operation.filter(|operation| !(operation.streams() && is_refused));
            inner.by_operation.extend(operation.map(|operation| (operation, 0)));
            inner.answered.extend(operation);
            return;
        }
        inner.in_a_row += 1;
        inner.right_in_a_row += usize::from(!is_wrong);
        inner.wrong += usize::from(is_wrong);
        inner.has_left_a_question |= operation == Some(Operation::GetTask);
        if let Some(operation) = operation {
            *inner.by_operation.entry(operation).or_default() += 1;
        }
    }

    /// Whether so much came to nothing that it is time to ask whether the agent is still there.
    pub fn is_suspicious(&self) -> bool {
        let inner = self.lock();
        inner.in_a_row >= PATIENCE || inner.right_in_a_row >= MOST_IN_A_ROW
    }

    /// Whether the last exchange came to nothing.
    pub fn is_silent(&self) -> bool {
        self.lock().in_a_row > 0
    }

    /// Whether a question for a task was left without an answer, though others were answered. Such questions take no work.
    pub fn has_left_a_question(&self) -> bool {
        let inner = self.lock();
        inner.has_left_a_question && inner.answered.contains(&Operation::GetTask)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether nothing came of a request: no connection, no answer, or one without an end.
fn is_silent(answer: &Answer) -> bool {
    let is_not_there = matches!(
        answer.exchange.ended,
        Ended::Failed(TransportError::Refused | TransportError::UnknownHost | TransportError::Tls(_))
    );
    answer.is_silence() || (is_not_there && matches!(answer.content, Content::Lost))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use serde_json::Value;

    use super::*;
    use crate::profile::Binding;
    use crate::report::sample;
    use crate::transcript::{ErrorObject, EventContent, StreamEvent, Unreadable};
    use crate::wire::json::Document;

    fn answer(operation: Operation, content: Content, ended: Ended) -> Answer {
        let mut exchange = sample::exchange(1, "test", "{}", None);
        exchange.request.operation = Some(operation);
        exchange.ended = ended;
        Answer { binding: Binding::Jsonrpc, exchange: Arc::new(exchange), content }
    }

    const LATE: Ended = Ended::TimedOut(Duration::from_secs(1));

    #[test]
    fn an_operation_that_stays_unanswered_is_not_called_again() {
        let silence = Silence::default();
        for _ in 0..MOST_IN_A_ROW {
            assert_eq!(silence.forbids(Some(Operation::GetTask), false), None);
            silence.note(&answer(Operation::GetTask, Content::Lost, LATE), false);
        }
        let operation = || Operation::GetTask.to_string();
        let forbids = || silence.forbids(Some(Operation::GetTask), false);
        assert_eq!(forbids(), Some(Reason::SilentOperation { operation: operation() }));
        assert_eq!(silence.forbids(Some(Operation::ListTasks), false), None);
        silence.note(&answer(Operation::GetTask, Content::Nothing, Ended::Complete), false);
        assert_eq!(forbids(), None);
        // Something stopped what was there before.
        for _ in 0..MOST_IN_A_ROW {
            silence.note(&answer(Operation::GetTask, Content::Lost, LATE), false);
        }
        assert_eq!(forbids(), Some(Reason::StoppedServing { operation: operation() }));
    }

    #[test]
    fn a_stream_without_an_event_is_silence() {
        let silence = Silence::default();
        let operation = Operation::SendStreamingMessage;
        for _ in 0..MOST_IN_A_ROW {
            silence.note(&answer(operation, Content::Stream(Vec::new()), LATE), false);
        }
        assert!(silence.forbids(Some(operation), false).is_some());
        assert!(silence.is_suspicious());
        let refused = Content::Error(ErrorObject {
            document: Document::of_value(&Value::Null),
            base: String::new(),
            names: Vec::new(),
            code: None,
            label: String::new(),
            refuses: true,
            value: Value::Null,
        });
        silence.note(&answer(operation, refused, Ended::Complete), false);
        assert!(!silence.is_suspicious());
        assert!(silence.forbids(Some(operation), false).is_some(), "an error is no event");
        silence.note(&answer(operation, Content::Stream(Vec::new()), Ended::Complete), false);
        assert_eq!((silence.is_suspicious(), silence.forbids(Some(operation), false)), (false, None));
    }

    /// What goes on is no answer, however much of it came; a stream may, once an event has come.
    #[test]
    fn an_answer_without_an_end_is_silence() {
        let document = || Document::of_value(&Value::Null);
        let event = || StreamEvent {
            after: Duration::ZERO,
            data: String::new(),
            content: EventContent::Unreadable(Unreadable::new("an event", None)),
            mended: None,
        };
        let unary = Operation::GetTask;
        let stream = Operation::SubscribeToTask;
        let late = || Ended::Endless(Limit::Time(Duration::from_secs(1)));
        let many = || Ended::Endless(Limit::Events(2000));
        let rows = [
            (unary, Content::Lost, LATE, true),
            (unary, Content::Lost, Ended::Endless(Limit::Bytes(4 << 20)), true),
            (unary, Content::Stream(vec![event()]), late(), true),
            (unary, Content::Stream(vec![event()]), many(), true),
            (unary, Content::Batch(document()), Ended::Complete, false),
            (unary, Content::Lost, Ended::Endless(Limit::Memory), false),
            (stream, Content::Stream(Vec::new()), late(), true),
            (stream, Content::Stream(vec![event()]), late(), false),
            (stream, Content::Stream(vec![event()]), Ended::LeftOpen, false),
        ];
        for (operation, content, ended, is_silence) in rows {
            let silence = Silence::default();
            let told = format!("{operation} {content:?} {ended:?}");
            for _ in 0..MOST_IN_A_ROW {
                silence.note(&answer(operation, content.clone(), ended.clone()), false);
            }
            assert_eq!(silence.is_suspicious(), is_silence, "{told}");
            assert_eq!(silence.forbids(Some(operation), false).is_some(), is_silence, "{told}");
        }
    }

    /// Floods side by side take each other's room: those that are cut for it do not make the others answers.
    #[test]
    fn an_answer_without_room_neither_counts_nor_ends_the_count() {
        let silence = Silence::default();
        let operation = Operation::SendStreamingMessage;
        let ended = |content, limit| answer(operation, content, Ended::Endless(limit));
        let without_room = || ended(Content::Batch(Document::of_value(&Value::Null)), Limit::Memory);
        for _ in 0..MOST_IN_A_ROW {
            assert_eq!(silence.forbids(Some(operation), false), None);
            silence.note(&without_room(), false);
            silence.note(&ended(Content::Stream(Vec::new()), Limit::Bytes(4 << 20)), false);
        }
        silence.note(&without_room(), false);
        assert!(silence.forbids(Some(operation), false).is_some());
        let floods = Silence::default();
        for _ in 0..MOST_IN_A_ROW {
            floods.note(&ended(Content::Stream(Vec::new()), Limit::Memory), false);
        }
        assert!(floods.forbids(Some(operation), false).is_some(), "no event in all that room");
    }

    /// Different operations count together: an agent whose every answer goes on for ever is asked for no more than four.
    #[test]
    fn right_calls_of_any_operation_count_together() {
        let silence = Silence::default();
        let operations = [Operation::GetTask, Operation::ListTasks, Operation::CancelTask, Operation::SendMessage];
        for operation in operations {
            assert!(!silence.is_suspicious());
            silence.note(&answer(operation, Content::Lost, LATE), false);
            // A wrong request that is answered does not show that right ones are.
            silence.note(&answer(operation, Content::Nothing, Ended::Complete), true);
        }
        assert!(silence.is_suspicious());
        silence.note(&answer(Operation::GetTask, Content::Nothing, Ended::Complete), false);
        assert!(!silence.is_suspicious());
    }

    /// Neither answers nor a new beginning make them answered.
    #[test]
    fn a_question_that_was_left_stays_so() {
        let silence = Silence::default();
        silence.note(&answer(Operation::SendMessage, Content::Lost, LATE), false);
        silence.note(&answer(Operation::GetTask, Content::Nothing, Ended::Complete), false);
        assert!(!silence.has_left_a_question(), "work may take long");
        silence.note(&answer(Operation::GetTask, Content::Lost, LATE), false);
        assert!(silence.has_left_a_question() && silence.is_silent() && !silence.is_suspicious());
        silence.note(&answer(Operation::GetTask, Content::Nothing, Ended::Complete), false);
        silence.forget();
        assert!(silence.has_left_a_question() && !silence.is_silent());
    }

    #[test]
    fn wrong_requests_are_counted_whatever_comes_between() {
        let silence = Silence::default();
        for _ in 0..MOST_WRONG {
            assert_eq!(silence.forbids(None, true), None);
            silence.note(&answer(Operation::GetTask, Content::Lost, LATE), true);
            silence.note(&answer(Operation::GetTask, Content::Nothing, Ended::Complete), false);
        }
        assert!(silence.forbids(None, true).is_some());
        assert_eq!(silence.forbids(Some(Operation::GetTask), false), None);
    }
}
