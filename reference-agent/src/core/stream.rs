use std::sync::Arc;

use tokio::sync::watch;

use super::log::Follower;
use super::store::Entry;
use super::{Engine, Rules};
use crate::model::{Event, Message, StreamEvent};

/// The events that one caller is sent (sections 3.1.2 and 3.1.6): a task and then its updates, or a single message.
#[derive(Debug)]
pub struct TaskStream {
    first: Option<Box<StreamEvent>>,
    updates: Option<Follower>,
    rules: &'static Rules,
    awaits_credentials: bool,
    closing: watch::Receiver<bool>,
    if_left: Option<IfLeft>,
}

/// What is done to a task whose stream is left before its end. Only a fault asks for it: tasks outlive their streams.
#[derive(Debug)]
pub struct IfLeft {
    pub engine: Arc<Engine>,
    pub task_id: String,
    pub act: fn(&Engine, &str),
}

impl TaskStream {
    /// A stream of one message.
    pub fn of_message(message: Message, rules: &'static Rules, closing: watch::Receiver<bool>) -> Self {
        let first = Some(Box::new(StreamEvent::Message(message)));
        Self { first, updates: None, rules, awaits_credentials: false, closing, if_left: None }
    }

    /// A stream of a task as it is and, unless there is nothing to be expected, of what happens to it.
    /// `history_length` is how many messages the task may be shown with.
    pub fn of_task(
        entry: &mut Entry,
        history_length: Option<u32>,
        rules: &'static Rules,
        closing: watch::Receiver<bool>,
    ) -> Self {
        let state = entry.task.status.state;
        let is_over = state.is_terminal() || (state.is_interrupted() && rules.waiting_task_is_shown_once);
        let updates = (!is_over).then(|| entry.readers.follow());
        let task = entry.task.with_history(history_length);
        let first = Some(Box::new(StreamEvent::Task(task)));
        Self { first, updates, rules, awaits_credentials: false, closing, if_left: None }
    }

    /// The same stream, which stays open where its task waits for credentials and `rules` let it.
    pub fn awaiting_credentials(mut self, awaits: bool) -> Self {
        self.awaits_credentials = awaits;
        self
    }

    /// The same stream, with something to be done if it is left before its end.
    pub fn if_left(mut self, act: Option<IfLeft>) -> Self {
        self.if_left = act;
        self
    }

    /// The next event, and whether it is the last one; `None` after that, or when the agent stops.
    pub async fn next(&mut self) -> Option<(StreamEvent, bool)> {
        if let Some(first) = self.first.take() {
            return Some((self.shown(*first), self.updates.is_none()));
        }
        let updates = self.updates.as_mut()?;
        let event = tokio::select! {
            event = updates.next_event() => event?,
            _ = self.closing.wait_for(|is_closing| *is_closing) => return None,
        };
        let ends = |state| self.rules.ends_stream(state, self.awaits_credentials);
        let is_last = matches!(&event, Event::Status(update) if ends(update.status.state));
        if is_last {
            self.updates = None;
        }
        Some((self.shown(StreamEvent::Update(event)), is_last))
    }

    fn shown(&self, event: StreamEvent) -> StreamEvent {
        if self.rules.has_generations { event } else { event.without_generation() }
    }
}

impl Drop for TaskStream {
    fn drop(&mut self) {
        if self.updates.is_some()
            && let Some(IfLeft { engine, task_id, act }) = self.if_left.take()
        {
            act(&engine, &task_id);
        }
    }
}
