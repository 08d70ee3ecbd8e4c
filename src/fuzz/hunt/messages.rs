//! The messages on which the agent works: `--max-messages` bounds them, and what it refuses costs nothing.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use crate::fuzz::aim::{Aim, side};
use crate::fuzz::probe::Probe;
use crate::profile::Operation;
use crate::transcript::Answer;

/// Of the messages on which it worked, one in so many is a plain one between all the others, to see whether it still does. Before
/// something new is told that may come of that, there is one in any case.
const ASKED: u64 = 16;

/// How many messages the agent works on, and which it does not.
#[derive(Debug, Default)]
pub(in crate::fuzz) struct Messages {
    worked: Cell<u64>,
    /// How many plain ones it was asked to work on, between all the others.
    asked: Cell<u64>,
    /// Those under way on which it may begin to work.
    under_way: Cell<u64>,
    /// Whether there were too few.
    are_used_up: Cell<bool>,
    /// The wrong ones that it was seen to refuse, or once to work on. How much of what is wrong an agent serves is known only when
    /// it has: what was never tried may be work like any other.
    wrong: RefCell<BTreeMap<Kind, Became>>,
}

/// A wrong message: the interface, the operation, the class of change, and the place or wherever it is.
type Kind = (usize, Operation, String, Option<String>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Became {
    Refused,
    Work,
}

impl Messages {
    /// How many it has begun to work on.
    pub fn worked(&self) -> u64 {
        self.worked.get()
    }

    /// Takes note of so many on which it worked.
    pub fn add(&self, worked: u64) {
        self.worked.set(self.worked.get() + worked);
    }

    /// Takes note that a plain one stands between the others.
    pub fn ask(&self) {
        self.asked.set(self.asked.get() + 1);
    }

    /// Whether it was asked to work on few plain ones, of all on which it worked.
    pub fn were_few_asked(&self) -> bool {
        self.asked.get() * ASKED <= self.worked.get()
    }

    /// Whether it may be asked to work on one, where it may be given so many messages in all.
    pub fn may_ask(&self, most: Option<u64>) -> bool {
        most.is_none_or(|most| self.worked.get() + self.under_way.get() < most)
    }

    /// On how many messages of these steps it may begin to work.
    pub fn work_of(&self, (aims, aim): (&[Aim], &Aim), steps: &[Probe]) -> u64 {
        let wrong = self.wrong.borrow();
        let may_be_work = |step: &&Probe| {
            let [here, anywhere] = kinds(side(aims, aim, step.over), step);
            step.may_start_work()
                || *wrong.get(&here).or_else(|| wrong.get(&anywhere)).unwrap_or(&Became::Work) == Became::Work
        };
        steps.iter().filter(|step| sends_a_message(step)).filter(may_be_work).count() as u64
    }

    /// Whether so many more are no more than it may be given.
    pub fn have_room_for(&self, work: u64, most: Option<u64>) -> bool {
        let Some(most) = most.filter(|_| work > 0) else { return true };
        self.are_used_up.set(self.are_used_up.get() || self.worked.get() + work > most);
        self.worked.get() + self.under_way.get() + work <= most
    }

    /// There were too few: nothing was left that would have had room.
    pub fn run_out(&self) {
        self.are_used_up.set(true);
    }

    /// What was not tried for want of messages, of which it may be given so many.
    pub fn not_tried(&self, most: Option<u64>) -> Option<String> {
        let most = most.filter(|_| self.are_used_up.get())?;
        Some(format!("no more messages that the agent works on after the first {most}: --max-messages allows more"))
    }

    /// So many are under way.
    pub fn begin(&self, work: u64) {
        self.under_way.set(self.under_way.get() + work);
    }

    /// So many are no longer.
    pub fn end(&self, work: u64) {
        self.under_way.set(self.under_way.get().saturating_sub(work));
    }

    /// Whether some are.
    pub fn are_under_way(&self) -> bool {
        self.under_way.get() > 0
    }

    /// None is under way.
    pub fn begin_anew(&self) {
        self.under_way.set(0);
    }

    /// Takes note of what became of these steps.
    pub fn see(&self, (aims, aim): (&[Aim], &Aim), steps: &[Probe], answers: &[Answer]) {
        let mut wrong = self.wrong.borrow_mut();
        let messages = steps.iter().zip(answers).filter(|(step, _)| sends_a_message(step));
        for (step, answer) in messages {
            let has_worked = was_worked_on(answer);
            self.add(u64::from(has_worked));
            if step.may_start_work() || answer.exchange.response.is_none() {
                continue;
            }
            let became = if has_worked { Became::Work } else { Became::Refused };
            for kind in kinds(side(aims, aim, step.over), step) {
                let known = wrong.entry(kind).or_insert(became);
                *known = became.max(*known);
            }
        }
    }
}

fn sends_a_message(step: &Probe) -> bool {
    step.operation.sends_a_message() && !step.listens()
}

/// Whether this is an answer to a message on which the agent has begun to work.
pub(in crate::fuzz) fn was_worked_on(answer: &Answer) -> bool {
    answer.refusal().is_none() && !answer.payloads().is_empty()
}

/// At its place, and wherever it is.
fn kinds(on: &Aim, step: &Probe) -> [Kind; 2] {
    [Some(step.place.clone()), None].map(|place| (on.index, step.operation, step.class.clone(), place))
}
