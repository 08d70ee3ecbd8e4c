//! A task that has ended is shown alike by every operation: what one answer shows otherwise than answers before and after it was changed on
//! the way.
//!
//! An ended task is what it is (1.0 section 3.1.1: it takes no more messages). An agent may still add to it, as late artifacts; so nothing
//! is said of an answer unless the task was seen to be the same before it and after it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::Value;

use super::args::Nothing;
use super::judged;
use super::sent::{payloads, tasks};
use super::tasks::first_difference;
use crate::finding::{Finding, Kind};
use crate::matcher::same;
use crate::profile::Operation;
use crate::transcript::{Answer, Payload};
use crate::{Judgement, RunView, items};

/// The members that every answer with the task shows.
const MEMBERS: [&str; 3] = ["/contextId", "/status/timestamp", "/status/message"];
/// What lists may leave out.
const ARTIFACTS: &str = "/artifacts";

/// Ended tasks are shown alike.
pub(super) fn shown_alike(view: RunView<'_>, _: &Nothing) -> Judgement {
    let mut shown: BTreeMap<(&str, &str), Vec<Shown<'_>>> = BTreeMap::new();
    for answer in view.answers.iter().filter(|answer| answer.binding == view.binding) {
        for (payload, _) in payloads(answer).into_iter().filter(|(_, event)| event.is_none()) {
            for (place, task) in tasks(&payload.reading.value) {
                let Some(id) = task.get("id").and_then(Value::as_str) else { continue };
                let state = task.pointer("/status/state").and_then(Value::as_str);
                let Some(state) = state.filter(|state| view.profile.is_terminal(state)) else { continue };
                shown.entry((id, state)).or_default().push(Shown { answer, payload, place, task });
            }
        }
    }
    let mut findings = Vec::new();
    for shown in shown.values().filter(|shown| shown.len() > 2) {
        for member in MEMBERS {
            findings.extend(otherwise(shown.iter().collect(), member));
        }
        // Others may leave them out, and some of them.
        let whole = |one: &&Shown<'_>| one.answer.exchange.request.operation == Some(Operation::GetTask);
        findings.extend(otherwise(shown.iter().filter(whole).collect(), ARTIFACTS));
        for messages in messages(shown.iter().filter(whole)).values().flatten() {
            findings.extend(otherwise(messages.iter().collect(), ""));
        }
    }
    judged(shown.values().filter(|shown| shown.len() > 2).count(), "task that was shown three times", findings)
}

/// The messages of a history in several showings of it, by their ids; nothing of an id that one history has twice.
fn messages<'a>(all: impl Iterator<Item = &'a Shown<'a>>) -> BTreeMap<&'a str, Option<Vec<Shown<'a>>>> {
    let mut found: BTreeMap<&str, Option<Vec<Shown<'_>>>> = BTreeMap::new();
    for Shown { answer, payload, place, task } in all {
        let mut here = BTreeSet::new();
        for (index, message) in items(task, "history").iter().enumerate() {
            let Some(id) = message.get("messageId").and_then(Value::as_str) else { continue };
            let place = format!("{place}/history/{index}");
            let known = found.entry(id).or_insert_with(|| Some(Vec::new()));
            match known {
                Some(shown) if here.insert(id) => shown.push(Shown { answer, payload, place, task: message }),
                _ => *known = None,
            }
        }
    }
    found
}

/// A task in an answer, or a message of it.
struct Shown<'a> {
    answer: &'a Answer,
    payload: &'a Payload,
    place: String,
    task: &'a Value,
}

impl Shown<'_> {
    fn asked(&self) -> Duration {
        self.answer.exchange.started
    }

    fn answered(&self) -> Duration {
        self.answer.exchange.started + self.answer.exchange.elapsed
    }

    /// What it shows there; an empty list is as good as none.
    fn member(&self, place: &str) -> &Value {
        let shown = self.task.pointer(place).unwrap_or(&Value::Null);
        if shown.as_array().is_some_and(Vec::is_empty) { &Value::Null } else { shown }
    }
}

/// The first that shows a member otherwise than most do, between two that show it as most do.
fn otherwise(all: Vec<&Shown<'_>>, place: &str) -> Option<Finding> {
    let alike = |value: &Value| all.iter().filter(|one| same(one.member(place), value)).count();
    // Mostly all of them are alike.
    let first = all.first()?.member(place);
    let usual = match alike(first) {
        number if number == all.len() => return None,
        number if number * 2 > all.len() => first,
        _ => all.iter().map(|one| one.member(place)).max_by_key(|value| alike(value))?,
    };
    let is_usual = |one: &&&Shown<'_>| same(one.member(place), usual);
    all.iter().filter(|one| !is_usual(one)).find_map(|odd| {
        let before = all.iter().filter(is_usual).find(|one| one.answered() <= odd.asked())?;
        all.iter().filter(is_usual).find(|one| one.asked() >= odd.answered())?;
        let (inner, was, is) = first_difference(place, usual, odd.member(place))?;
        let number = odd.answer.exchange.number;
        // What is lost is lost where it should be.
        let mut held = inner.as_str();
        while odd.task.pointer(held).is_none() {
            held = held.rsplit_once('/').map_or("", |(outer, _)| outer);
        }
        let at = odd.payload.locate(&format!("{}{held}", odd.place));
        let finding = Finding::new(Kind::AnswersDiffer { place: inner }).at(number, at);
        Some(finding.against(before.answer.exchange.number).compare(was, is))
    })
}
