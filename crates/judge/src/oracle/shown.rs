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
                shown.entry((id, state)).or_default().push(Shown { answer, payload, place, task, said: None });
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
        let of_all = otherwise(shown.iter().filter(whole).collect(), ARTIFACTS);
        for list in LISTS {
            findings.extend(in_order(shown, list));
            // What is wrong with all of them is wrong with each.
            let is_told = of_all.is_some() && list.name == ARTIFACTS;
            let items = items_of(shown.iter(), list);
            let each = items.values().flatten().filter(|_| !is_told);
            findings.extend(each.filter_map(|item| otherwise(item.iter().collect(), "")));
        }
        findings.extend(of_all);
    }
    judged(shown.values().filter(|shown| shown.len() > 2).count(), "task that was shown three times", findings)
}

/// A list of a task, whose items have ids.
#[derive(Clone, Copy)]
struct List {
    /// Where it is.
    name: &'static str,
    id: &'static str,
    /// What an item of it is called.
    item: &'static str,
}

/// The lists of a task. Whoever shows less of one shows the same items in the same order.
const LISTS: [List; 2] = [
    List { name: "/history", id: "messageId", item: "message" },
    List { name: ARTIFACTS, id: "artifactId", item: "artifact" },
];

impl List {
    fn of(self, task: &Value) -> &[Value] {
        items(task, self.name.trim_start_matches('/'))
    }

    fn ids(self, task: &Value) -> Option<Vec<&str>> {
        self.of(task).iter().map(|item| item.get(self.id)?.as_str()).collect()
    }
}

/// The first showing of a list in which an item comes twice, or before another behind which it is in the longest one; that one was shown
/// before it and after it.
fn in_order(all: &[Shown<'_>], list: List) -> Option<Finding> {
    let is_once = |ids: &Vec<&str>| ids.iter().collect::<BTreeSet<_>>().len() == ids.len();
    let listed: Vec<(&Shown<'_>, Vec<&str>)> = all.iter().filter_map(|one| Some((one, list.ids(one.task)?))).collect();
    let (_, longest) = listed.iter().filter(|(_, ids)| is_once(ids)).max_by_key(|(_, ids)| ids.len())?;
    listed.iter().find_map(|(odd, ids)| {
        let mut rest = longest.iter();
        let is_known = ids.iter().all(|id| longest.contains(id));
        if !is_known || ids.iter().all(|id| rest.any(|other| other == id)) {
            return None;
        }
        let mut usual = listed.iter().filter(|(_, ids)| ids == longest).map(|(one, _)| one);
        let before = usual.clone().find(|one| one.answered() <= odd.asked())?;
        usual.find(|one| one.asked() >= odd.answered())?;
        let kind = match is_once(ids) {
            true => Kind::AnswersDiffer { place: list.name.to_owned() },
            false => Kind::ListedTwice { of: list.item.to_owned() },
        };
        let at = odd.payload.locate(&format!("{}{}", odd.place, list.name));
        let finding = Finding::new(kind).at(odd.answer.exchange.number, at);
        Some(finding.against(before.answer.exchange.number).compare(longest.join(", "), ids.join(", ")))
    })
}

/// What is said, without what is as good as nothing: one operation may write an empty list that another leaves out. Extensions are a set.
fn said(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let is_nothing = |member: &Value| match member {
                Value::Null => true,
                Value::String(text) => text.is_empty(),
                Value::Array(items) => items.is_empty(),
                _ => false,
            };
            let said = members.iter().filter(|(_, member)| !is_nothing(member)).map(|(name, member)| {
                let member = match (name.as_str(), member) {
                    ("data" | "metadata", member) => member.clone(),
                    ("extensions", Value::Array(uris)) => {
                        let uris: BTreeSet<&str> = uris.iter().filter_map(Value::as_str).collect();
                        uris.into_iter().collect()
                    }
                    (_, member) => said(member),
                };
                (name.clone(), member)
            });
            Value::Object(said.collect())
        }
        Value::Array(items) => items.iter().map(said).collect(),
        other => other.clone(),
    }
}

/// The items of a list in several showings of it, by their ids; nothing of an id that one list has twice.
fn items_of<'a>(all: impl Iterator<Item = &'a Shown<'a>>, list: List) -> BTreeMap<&'a str, Option<Vec<Shown<'a>>>> {
    let mut found: BTreeMap<&str, Option<Vec<Shown<'_>>>> = BTreeMap::new();
    for Shown { answer, payload, place, task, .. } in all {
        let mut here = BTreeSet::new();
        for (index, item) in list.of(task).iter().enumerate() {
            let Some(id) = item.get(list.id).and_then(Value::as_str) else { continue };
            let place = format!("{place}{}/{index}", list.name);
            let known = found.entry(id).or_insert_with(|| Some(Vec::new()));
            match known {
                Some(shown) if here.insert(id) => {
                    shown.push(Shown { answer, payload, place, task: item, said: Some(said(item)) })
                }
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
    /// What a message or an artifact says, whatever is written of what is empty.
    said: Option<Value>,
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
        let all = self.said.as_ref().unwrap_or(self.task);
        let shown = all.pointer(place).unwrap_or(&Value::Null);
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
