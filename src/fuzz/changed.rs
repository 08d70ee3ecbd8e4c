//! Requests in which some things are others, and what is known of them for that.

use std::borrow::Cow;

use serde_json::Value;

use super::aim::Aim;
use super::base::Spot;
use super::change::Change;
use super::class::Classes;
use super::free;
use super::probe::{Probe, Send, bare};
use super::request;
use crate::generate::Choices;
use crate::profile::Operation;

/// The most things that are changed in one request.
const MOST_CHANGES: usize = 4;

/// By what a place was changed.
enum Done {
    /// One of its changes, by its number.
    Listed(usize),
    /// A value of no list, which has this class.
    Free(&'static str),
}

/// A request in which some things are others; none, where that is decided.
pub(super) fn changed<'a>(
    aim: &'a Aim,
    classes: &Classes,
    (operation, is_rich): (Operation, bool),
    how: usize,
    choices: &mut Choices<'_>,
) -> Option<Probe> {
    let base = aim.base(operation, is_rich)?;
    let mut params = base.params.clone();
    // The first is what boundaries are made of: one change. The second is none.
    let count = match how {
        0 => 1,
        1 => 0,
        _ => 1 + choices.below(MOST_CHANGES),
    };
    let mut done: Vec<(&Spot, Done)> = Vec::new();
    for _ in 0..count {
        let Some(spot) = choices.pick(&base.spots) else { break };
        // What is of no list is what no boundary has.
        let (change, by) = if how > 1 && choices.below(3) > 0 {
            let (value, class) = free::value(&spot.at(operation), &aim.learned, choices);
            if !spot.can_hold(&value) {
                continue;
            }
            (Cow::Owned(Change { value: Some(value), class }), Done::Free(class))
        } else {
            let number = choices.below(spot.changes.len());
            let Some(change) = spot.changes.get(number) else { break };
            (Cow::Borrowed(change), Done::Listed(number))
        };
        if apply(&mut params, &spot.pointer, &change) {
            // What was changed there before, or within, is there no more.
            done.retain(|(other, _)| !is_within(&other.pointer, &spot.pointer));
            done.push((spot, by));
        }
    }
    let class_of = |(spot, by): &(&'a Spot, Done)| match by {
        Done::Listed(number) => base.wrong_by(aim, classes, operation, (*spot, *number)),
        Done::Free(class) => Some(*class).filter(|class| *class != "open"),
    };
    let is_read = matches!(operation, Operation::GetTask | Operation::ListTasks);
    let (class, place) = match done.as_slice() {
        [] if is_read => ("plain-read", ""),
        // With all that a client may add, an agent may find something that it does not take.
        [] if operation == Operation::SendMessage && !is_rich && aim.known().has_task() => ("right-message", ""),
        [] => ("open", ""),
        [one] => (class_of(one).unwrap_or("open"), one.0.pointer.as_str()),
        several => {
            let is_wrong = several.iter().any(|one| class_of(one).is_some());
            let last = several.last().map_or("", |(spot, _)| spot.pointer.as_str());
            (if is_wrong { "several" } else { "open" }, last)
        }
    };
    let (class, place) = (class.to_owned(), place.to_owned());
    Some(Probe { send: Send::Call { params }, class, place, ..bare(operation) })
}

/// A request into which some of what others have said is put, each in its place. It may be served.
pub(super) fn recombined(aim: &Aim, operation: Operation, is_rich: bool, choices: &mut Choices<'_>) -> Option<Probe> {
    let base = aim.base(operation, is_rich)?;
    let said = |spot: &&Spot| !aim.pool.at(operation, &spot.pointer).is_empty();
    let spots: Vec<&Spot> = base.spots.iter().filter(said).collect();
    let mut params = base.params.clone();
    let mut place = "";
    for _ in 0..1 + choices.below(MOST_CHANGES) {
        let spot = choices.pick(&spots)?;
        let value = choices.pick(aim.pool.at(operation, &spot.pointer))?;
        if spot.can_hold(value) && request::put(&mut params, &spot.pointer, value.clone()) {
            place = &spot.pointer;
        }
    }
    let (send, place) = (Send::Call { params }, place.to_owned());
    Some(Probe { send, class: "open".to_owned(), place, ..bare(operation) })
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
