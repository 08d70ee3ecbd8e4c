//! What pays: the phases in which the agent has lately done something that it had not done before have twice the turns, and the decisions
//! that led to it are the beginning of further ones.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::Phase;
use crate::fuzz::probe::Probe;
use crate::transcript::{Answer, Content};

/// So many decisions of a phase over an interface are kept; then each new one takes the place of the oldest.
const KEPT: usize = 64;

/// What the agent has done, and the phases that showed something new since they were asked for.
#[derive(Debug, Default)]
pub(in crate::fuzz) struct Payoff {
    done: RefCell<HashSet<u64>>,
    new: RefCell<HashSet<Phase>>,
    led: RefCell<HashMap<(Phase, usize), Led>>,
}

/// Decisions that led to something new, the first that did so first.
type Led = VecDeque<Vec<u8>>;

impl Payoff {
    /// Takes note of what the agent made of a request: over which interface, of which operation, of what change where.
    pub fn see(&self, phase: Phase, interface: usize, (probe, answer): (&Probe, &Answer)) {
        let mut hasher = DefaultHasher::new();
        (interface, probe.operation, &probe.class, &probe.place).hash(&mut hasher);
        outcome(answer).hash(&mut hasher);
        if self.done.borrow_mut().insert(hasher.finish()) {
            self.paid(phase);
            self.keep(phase, interface, &probe.choices);
        }
    }

    /// Keeps decisions of which something new came.
    fn keep(&self, phase: Phase, interface: usize, choices: &[u8]) {
        let mut led = self.led.borrow_mut();
        let kept = led.entry((phase, interface)).or_default();
        if !kept.iter().any(|other| other == choices) {
            kept.push_back(choices.to_vec());
        }
        if kept.len() > KEPT {
            kept.pop_front();
        }
    }

    /// Decisions that begin as some that led to something new, and go on as these.
    pub fn further(
        &self,
        phase: Phase,
        interface: usize,
        choices: &[u8],
        (which, behind): (usize, usize),
    ) -> Option<Vec<u8>> {
        let led = self.led.borrow();
        let kept = led.get(&(phase, interface))?;
        let begin = kept.get(which.checked_rem(kept.len())?)?;
        let behind = behind.checked_rem(begin.len().min(choices.len()))?;
        Some(begin.iter().take(behind).chain(choices.iter().skip(behind)).copied().collect())
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
