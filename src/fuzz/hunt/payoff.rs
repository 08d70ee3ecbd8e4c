//! What pays: the phases in which the agent has lately done something that it had not done before have twice the turns.

use std::cell::RefCell;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::Phase;
use crate::fuzz::probe::Probe;
use crate::transcript::{Answer, Content};

/// What the agent has done, and the phases that showed something new since they were asked for.
#[derive(Debug, Default)]
pub(in crate::fuzz) struct Payoff {
    done: RefCell<HashSet<u64>>,
    new: RefCell<HashSet<Phase>>,
}

impl Payoff {
    /// Takes note of what the agent made of a request: over which interface, of which operation, of what change where.
    pub fn see(&self, phase: Phase, interface: usize, (probe, answer): (&Probe, &Answer)) {
        let mut hasher = DefaultHasher::new();
        (interface, probe.operation, &probe.class, &probe.place).hash(&mut hasher);
        outcome(answer).hash(&mut hasher);
        if self.done.borrow_mut().insert(hasher.finish()) {
            self.paid(phase);
        }
    }

    /// A phase has shown something new.
    pub fn paid(&self, phase: Phase) {
        self.new.borrow_mut().insert(phase);
    }

    /// Whether a phase has shown something new since this was asked last.
    pub fn take(&self, phase: Phase) -> bool {
        self.new.borrow_mut().remove(&phase)
    }
}

/// What came of a request, in few forms: an error by its name and its status, a result, a stream by whether it has events, or how
/// the exchange ended.
fn outcome(answer: &Answer) -> (Option<u16>, Option<String>, bool) {
    let status = answer.exchange.response.as_ref().map(|response| response.status);
    let error = answer.refusal().map(|error| error.label.clone());
    let has_something = match &answer.content {
        Content::Result(_) => true,
        Content::Stream(events) => !events.is_empty(),
        _ => false,
    };
    (status, error, has_something)
}
