//! Requests in which some things are others, and what is known of them for that.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::aim::Aim;
use super::base::{Base, Spot};
use super::change::Change;
use super::class::Classes;
use super::feedback::Picked;
use super::free;
use super::kept;
use super::probe::{Probe, Send, bare};
use super::request;
use super::varied::is_free;
use crate::generate::Choices;
use crate::profile::Operation;

/// The most things that are changed in one request.
const MOST_CHANGES: usize = 4;
/// The most things that are changed in one that was changed before.
const MOST_FURTHER: usize = 2;
/// Of so many changes of a request that was kept one is left out.
const KEEPS: usize = 12;

/// What was changed in a request that was right.
#[derive(Debug, Clone, Default)]
pub(super) struct Made {
    /// Whether it was the one with all that a client may add.
    is_rich: bool,
    /// The places, by their numbers among those of the request, and what is there.
    changes: Vec<(usize, By)>,
}

/// By what a place was changed.
#[derive(Debug, Clone)]
enum By {
    /// One of its changes, by its number.
    Listed(usize),
    /// A value of no list, which has this class.
    Free(Value, &'static str),
}

/// A right request while it is changed.
struct Draft<'a> {
    operation: Operation,
    base: &'a Base,
    params: Value,
    made: Made,
}

impl<'a> Draft<'a> {
    fn new(aim: &'a Aim, operation: Operation, is_rich: bool) -> Option<Self> {
        let base = aim.base(operation, is_rich)?;
        let made = Made { is_rich, changes: Vec::new() };
        Some(Self { operation, base, params: base.params.clone(), made })
    }

    /// Changes a place, if that can be.
    fn change(&mut self, number: usize, by: By) {
        let Some(spot) = self.base.spots.get(number) else { return };
        let change = match &by {
            By::Listed(change) => spot.changes.get(*change).map(Cow::Borrowed),
            By::Free(value, class) => Some(Cow::Owned(Change { value: Some(value.clone()), class })),
        };
        if change.is_some_and(|change| apply(&mut self.params, &spot.pointer, &change)) {
            // What was changed there before, or within, is there no more.
            let spots = &self.base.spots;
            let is_there =
                |other: &usize| spots.get(*other).is_some_and(|other| !is_within(&other.pointer, &spot.pointer));
            self.made.changes.retain(|(other, _)| is_there(other));
            self.made.changes.push((number, by));
        }
    }

    /// Changes some places as it is decided; by values of no list, too, where it may.
    fn change_some(&mut self, aim: &Aim, count: usize, may_be_free: bool, choices: &mut Choices<'_>) {
        for _ in 0..count {
            let number = choices.below(self.base.spots.len());
            let Some(spot) = self.base.spots.get(number) else { break };
            // What is of no list is what no boundary has.
            let by = if may_be_free && choices.below(3) > 0 {
                let (value, class) = free::value(&spot.at(self.operation), &aim.learned, choices);
                if !spot.can_hold(&value) {
                    continue;
                }
                By::Free(value, class)
            } else {
                By::Listed(choices.below(spot.changes.len()))
            };
            self.change(number, by);
        }
    }

    /// The request, with what has to come of it.
    fn finish(self, aim: &Aim, classes: &Classes) -> Probe {
        let (operation, base) = (self.operation, self.base);
        let class_of = |(number, by): &(usize, By)| match by {
            By::Listed(change) => base.wrong_by(aim, classes, operation, (base.spots.get(*number)?, *change)),
            By::Free(_, class) => Some(*class).filter(|class| *class != "open"),
        };
        let place_of = |number: &usize| base.spots.get(*number).map_or("", |spot| spot.pointer.as_str());
        let is_read = matches!(operation, Operation::GetTask | Operation::ListTasks);
        let (class, place) = match self.made.changes.as_slice() {
            [] if is_read => ("plain-read", ""),
            // With all that a client may add, an agent may find something that it does not take.
            [] if operation == Operation::SendMessage && !self.made.is_rich && aim.known().has_task() => {
                ("right-message", "")
            }
            [] => ("open", ""),
            [one] => (class_of(one).unwrap_or("open"), place_of(&one.0)),
            several => {
                let is_wrong = several.iter().any(|one| class_of(one).is_some());
                let last = several.last().map_or("", |(number, _)| place_of(number));
                (if is_wrong { "several" } else { "open" }, last)
            }
        };
        let (class, place) = (class.to_owned(), place.to_owned());
        let made = Some(Arc::new(self.made));
        Probe { send: Send::Call { params: self.params }, class, place, made, ..bare(operation) }
    }
}

/// A request in which some things are others; none, where that is decided.
pub(super) fn changed(
    aim: &Aim,
    classes: &Classes,
    (operation, is_rich): (Operation, bool),
    how: usize,
    choices: &mut Choices<'_>,
) -> Option<Probe> {
    let mut draft = Draft::new(aim, operation, is_rich)?;
    // The first is what boundaries are made of: one change. The second is none.
    let count = match how {
        0 => 1,
        1 => 0,
        _ => 1 + choices.below(MOST_CHANGES),
    };
    draft.change_some(aim, count, how > 1, choices);
    Some(draft.finish(aim, classes))
}

/// A request in which many things are said at once, each in a way that may be right: what depends on several of them is met in one request.
pub(super) fn full(aim: &Aim, classes: &Classes, operation: Operation, choices: &mut Choices<'_>) -> Option<Probe> {
    let mut draft = Draft::new(aim, operation, true)?;
    let spots = &draft.base.spots;
    for (number, spot) in spots.iter().enumerate() {
        // What holds others comes behind them.
        let holds = |before: &Spot| before.pointer != spot.pointer && is_within(&before.pointer, &spot.pointer);
        let is_of_others = number.checked_sub(1).and_then(|before| spots.get(before)).is_some_and(holds);
        // The simplest decision leaves it as it is.
        if choices.below(3) == 0 || is_of_others || !is_free(operation, &spot.pointer) {
            continue;
        }
        if let Some(value) = spot.within_many(operation, &aim.learned, choices).filter(|value| spot.can_hold(value)) {
            draft.change(number, By::Free(value, "open"));
        }
    }
    if operation.sends_a_message() {
        for _ in 0..choices.below(MOST_CHANGES) {
            kept::say(aim, operation, &mut draft.params, choices);
        }
    }
    Some(draft.finish(aim, classes))
}

/// A request that was kept for its answer, in which some more things are others, and now and then one is as it was.
pub(super) fn further(
    aim: &Aim,
    classes: &Classes,
    (operation, picked): (Operation, &Picked),
    choices: &mut Choices<'_>,
) -> Option<Probe> {
    let mut draft = Draft::new(aim, operation, picked.made.is_rich)?;
    for (number, by) in &picked.made.changes {
        // The simplest decision leaves it out.
        if choices.below(KEEPS) > 0 {
            draft.change(*number, by.clone());
        }
    }
    draft.change_some(aim, choices.below(MOST_FURTHER + 1), true, choices);
    Some(draft.finish(aim, classes))
}

/// A request into which some of what others have said is put, each in its place. It may be served.
pub(super) fn recombined(
    aim: &Aim,
    classes: &Classes,
    (operation, is_rich): (Operation, bool),
    choices: &mut Choices<'_>,
) -> Option<Probe> {
    let mut draft = Draft::new(aim, operation, is_rich)?;
    let said = |(_, spot): &(usize, &Spot)| !aim.pool.at(operation, &spot.pointer).is_empty();
    let spots: Vec<(usize, &Spot)> = draft.base.spots.iter().enumerate().filter(said).collect();
    for _ in 0..1 + choices.below(MOST_CHANGES) {
        let (number, spot) = choices.pick(&spots)?;
        let value = choices.pick(aim.pool.at(operation, &spot.pointer))?;
        if spot.can_hold(value) {
            draft.change(*number, By::Free(value.clone(), "open"));
        }
    }
    Some(Probe { class: "open".to_owned(), ..draft.finish(aim, classes) })
}

/// Whether a place is another, or within it.
fn is_within(place: &str, other: &str) -> bool {
    place.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Does something at a place of a request. What would hold a value is made with it, where it is not there.
pub(super) fn apply(params: &mut Value, place: &str, change: &Change) -> bool {
    match &change.value {
        Some(value) => request::put_deep(params, place, value.clone()),
        None => request::remove(params, place),
    }
}
