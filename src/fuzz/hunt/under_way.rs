//! The attempts that are under way, and which of their steps waits since when.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::time::Instant;

use super::judging::Attempt;
use crate::fuzz::aim::{Aim, side};
use crate::fuzz::level::may_take_long;
use crate::fuzz::probe::Probe;

/// A request that waits so long, as a part of the time limit, is silent where others are answered at once.
const SILENT: u32 = 5;
/// Behind the time limit of a request it takes a moment until that is told.
const MOMENT: std::time::Duration = std::time::Duration::from_millis(200);

/// What waits for an answer.
#[derive(Default)]
pub(super) struct UnderWay {
    number: Cell<u64>,
    waiting: RefCell<BTreeMap<u64, Waits>>,
}

/// A step of an attempt, and since when it waits.
struct Waits {
    interface: usize,
    attempt: Arc<Attempt>,
    step: usize,
    since: Instant,
}

impl UnderWay {
    /// The number of a further attempt.
    pub fn next(&self) -> u64 {
        self.number.set(self.number.get() + 1);
        self.number.get()
    }

    /// A step of an attempt is made.
    pub fn begin(&self, number: u64, interface: usize, attempt: &Arc<Attempt>, step: usize) {
        let waits = Waits { interface, attempt: Arc::clone(attempt), step, since: Instant::now() };
        self.waiting.borrow_mut().insert(number, waits);
    }

    /// An attempt has ended.
    pub fn end(&self, number: u64) {
        self.waiting.borrow_mut().remove(&number);
    }

    /// When the time limits of all those are over that are silent, though others of their operation are answered at once.
    pub fn silent_until(&self, aims: &[Aim]) -> Option<Instant> {
        self.waiting.borrow().values().filter_map(|waits| waits.silent_until(aims)).max()
    }
}

impl Waits {
    fn silent_until(&self, aims: &[Aim]) -> Option<Instant> {
        let steps = &self.attempt.steps;
        let step = steps.get(self.step)?;
        // What comes behind it may be waited for.
        if steps.iter().any(Probe::listens) {
            return None;
        }
        let aim = side(aims, aims.iter().find(|aim| aim.index == self.interface)?, step.over);
        // A message of a sequence may be about long work; one alone says no word for that.
        let may_work = step.operation.streams() || (steps.len() > 1 && may_take_long(step));
        let limit = aim.session.connection.timeout();
        let is_silent = self.since.elapsed() * SILENT >= limit;
        let is_suspect = is_silent && !may_work && !step.may_be_dropped() && aim.usual.is_quick(step.operation);
        is_suspect.then(|| self.since + limit + MOMENT)
    }
}
