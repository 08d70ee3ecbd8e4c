//! What a run has seen of one interface: every answer, and the tasks by the states in which they were shown.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::transcript::{Answer, StreamEvent, task_in};

/// The most bytes that large answers may take here: a part of the room that all answers share.
const MOST_LARGE: usize = 2 << 20;

/// The record. Answers are kept for the cases that judge the run as a whole.
#[derive(Default)]
pub(super) struct Record {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    answers: Vec<Answer>,
    /// The answers in order, made when they are asked for: every case that observes reads the same.
    ordered: Option<Arc<Vec<Answer>>>,
    /// The last task that was shown in each state.
    tasks: HashMap<String, Value>,
    /// The id of the first task that was shown.
    first_id: Option<String>,
    /// The bytes that large answers take, which wait here for the cases that judge an interface as a whole.
    large: usize,
    /// Whether all who read the answers have done so.
    is_closed: bool,
}

impl Record {
    /// Adds an answer.
    pub fn add(&self, answer: &Answer) {
        let mut inner = self.lock();
        let results = answer.result().into_iter();
        let events = answer.events().iter().filter_map(StreamEvent::value);
        for task in results.chain(events).filter_map(task_in) {
            if let (None, Some(id)) = (&inner.first_id, task.get("id").and_then(Value::as_str)) {
                inner.first_id = Some(id.to_owned());
            }
            if let Some(state) = task.pointer("/status/state").and_then(Value::as_str) {
                inner.tasks.insert(state.to_owned(), task.clone());
            }
        }
        // What is too much to be read proves nothing, and what is large takes the room of others.
        let share = answer.exchange.share.as_ref().map_or(0, |share| share.bytes());
        if !inner.is_closed && answer.too_much().is_none() && inner.large + share <= MOST_LARGE {
            inner.large += share;
            inner.answers.push(answer.clone());
            inner.ordered = None;
        }
    }

    /// Every answer so far, in the order of the exchanges.
    pub fn answers(&self) -> Arc<Vec<Answer>> {
        let mut inner = self.lock();
        if let Some(ordered) = &inner.ordered {
            return Arc::clone(ordered);
        }
        let mut answers = inner.answers.clone();
        answers.sort_by_key(|answer| answer.exchange.number);
        let ordered = Arc::new(answers);
        inner.ordered = Some(Arc::clone(&ordered));
        ordered
    }

    /// Lets go of the answers: nobody will ask for them again.
    pub fn close(&self) {
        let mut inner = self.lock();
        inner.is_closed = true;
        inner.answers = Vec::new();
        inner.ordered = None;
    }

    /// A task that was seen in this state by chance.
    pub fn task_in_state(&self, state: &str) -> Option<Value> {
        self.lock().tasks.get(state).cloned()
    }

    /// The id of a task of this agent, whichever.
    pub fn some_id(&self) -> Option<String> {
        self.lock().first_id.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
