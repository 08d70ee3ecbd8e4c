//! Requests in which some things are others, and what is known of them for that.

use serde_json::Value;

use super::aim::Aim;
use super::change::Change;
use super::class::Classes;
use super::probe::{Probe, Send, bare, base, places_of};
use super::request;
use crate::generate::Choices;
use crate::profile::Operation;

/// The most things that are changed in one request.
const MOST_CHANGES: usize = 4;

/// A request in which some things are others; none, where that is decided.
pub(super) fn changed(
    aim: &Aim,
    classes: &Classes,
    (operation, is_rich): (Operation, bool),
    how: usize,
    choices: &mut Choices<'_>,
) -> Option<Probe> {
    let right = base(aim, operation, is_rich);
    let mut params = right.clone();
    // The first is what boundaries are made of: one change. The second is none.
    let count = match how {
        0 => 1,
        1 => 0,
        _ => 1 + choices.below(MOST_CHANGES),
    };
    let mut done: Vec<(String, Change)> = Vec::new();
    for _ in 0..count {
        let places = places_of(aim, operation, &params);
        let Some(at) = choices.pick(&places) else { break };
        let changes = at.changes();
        let Some(change) = choices.pick(&changes) else { break };
        if apply(&mut params, &at.pointer, change) {
            // What was changed there before, or within, is there no more.
            let within = format!("{}/", at.pointer);
            done.retain(|(place, _)| *place != at.pointer && !place.starts_with(&within));
            done.push((at.pointer.clone(), change.clone()));
        }
    }
    let is_read = matches!(operation, Operation::GetTask | Operation::ListTasks);
    let (class, place) = match done.as_slice() {
        [] if is_read => ("plain-read", ""),
        [] => ("open", ""),
        [(place, change)] => {
            (wrong_by(aim, classes, operation, &right, place, change).unwrap_or("open"), place.as_str())
        }
        several => {
            let is_wrong =
                |(place, change): &(String, Change)| wrong_by(aim, classes, operation, &right, place, change).is_some();
            let last = several.last().map_or("", |(place, _)| place.as_str());
            (if several.iter().any(is_wrong) { "several" } else { "open" }, last)
        }
    };
    let (class, place) = (class.to_owned(), place.to_owned());
    Some(Probe { send: Send::Call { params }, class, place, ..bare(operation) })
}

fn apply(params: &mut Value, place: &str, change: &Change) -> bool {
    match &change.value {
        Some(value) => request::put(params, place, value.clone()),
        None => request::remove(params, place),
    }
}

/// The class of a change that makes a right request wrong, all by itself, by the schema of the version and by a requirement.
fn wrong_by<'c>(
    aim: &Aim,
    classes: &Classes,
    operation: Operation,
    right: &Value,
    place: &str,
    change: &'c Change,
) -> Option<&'c str> {
    let class = classes.get(change.class).filter(|class| class.has_models())?;
    if !aim.rests(class, operation, place) {
        return None;
    }
    let dialect = &aim.session.connection.interface.dialect;
    let kind = aim.params(operation)?;
    let wrongs = |value: &Value| Some(dialect.violations(kind, &dialect.to_wire(kind, &aim.fill(value)?)).len());
    let mut alone = right.clone();
    // What asks for more than a client can know is not wrong by what was changed.
    let is_wrong = apply(&mut alone, place, change) && wrongs(right)? == 0 && wrongs(&alone)? > 0;
    is_wrong.then_some(change.class)
}
