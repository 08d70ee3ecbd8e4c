//! Tasks and messages: what never changes, what is unique, who speaks.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Value, json};

use super::across::same_value;
use super::args::{Agree, ExactlyOne, MostRecent, Nothing, Pair, Task};
use super::judgement_of;
use crate::finding::{Finding, Kind, NOTHING, show, show_found};
use crate::matcher::same;
use crate::profile::Operation;
use crate::profile::facts::TaskIds;
use crate::reason::Reason;
use crate::transcript::{Answer, OWN_IDS, Payload, StreamEvent, task_in};
use crate::wire::json::pointer;
use crate::{CaseView, Judgement, RunView, items};

/// Two readings of one task are equal. What an agent notes in the task's metadata is its own affair (1.0 section 4.1.1):
/// it may say when, how often or by whom the task was read.
pub(super) fn unchanged(view: CaseView<'_>, args: &Pair<Task>) -> Judgement {
    judgement_of((|| {
        let Pair(before, after) = args;
        let (mut old, mut new) = (view.task(before)?.clone(), view.task(after)?.clone());
        for task in [&mut old, &mut new] {
            task.as_object_mut().map(|members| members.remove("metadata"));
        }
        let Some((place, was, is)) = first_difference("", &old, &new) else { return Ok(Judgement::Right) };
        let mut finding = Finding::new(Kind::TaskChanged { place: place.clone() }).compare(was, is);
        finding = view.cite(finding, after, &place);
        Ok(Judgement::Wrong(vec![finding]))
    })())
}

/// Two tasks hold the same at a place; absent, null and empty are alike.
pub(super) fn agree(view: CaseView<'_>, args: &Agree) -> Judgement {
    judgement_of((|| {
        let place = args.on.as_str();
        let Pair(first, second) = &args.tasks;
        let held = |task: &Value| {
            let value = task.pointer(place).cloned().unwrap_or_default();
            let is_empty = value.as_array().is_some_and(Vec::is_empty);
            if is_empty { Value::Null } else { value }
        };
        let (a, b) = (held(view.task(first)?), held(view.task(second)?));
        if same_value(view.profile, &a, &b) {
            return Ok(Judgement::Right);
        }
        if let Some(Pair(one, other)) = &args.like {
            let is_alike = same_value(view.profile, &held(view.task(one)?), &held(view.task(other)?));
            // That the agent shows the place otherwise in each way is for another case.
            if !is_alike {
                return Err(Judgement::Unseen(Reason::ShownOtherwise { place: place.to_owned() }));
            }
        }
        let Some((inner, was, is)) = first_difference(place, &a, &b) else { return Ok(Judgement::Right) };
        let mut finding = Finding::new(Kind::AnswersDiffer { place: inner.clone() }).compare(was, is);
        finding = view.cite(finding, second, &inner);
        Ok(Judgement::Wrong(vec![finding]))
    })())
}

/// Messages in a task's history that name the task name its context, or none (1.0 sections 3.4.3 and 4.1.4).
pub(super) fn history_keeps_context(view: CaseView<'_>, args: &Task) -> Judgement {
    judgement_of((|| {
        let name: &str = args;
        let task = view.task(name)?;
        let (id, context) = (task.get("id"), task.get("contextId"));
        let history = items(task, "history").iter().enumerate();
        let own: Vec<(usize, &Value)> = history.filter(|(_, message)| message.get("taskId") == id).collect();
        if own.is_empty() {
            // What an agent keeps is its own affair (3.7).
            return Ok(Judgement::Right);
        }
        let strayed = own.into_iter().filter(|(_, message)| {
            message.get("contextId").is_some_and(|found| !found.is_null() && found != "" && Some(found) != context)
        });
        let findings = strayed.map(|(index, message)| {
            let mut finding = Finding::new(Kind::MessageInOtherContext)
                .compare(show_found(context), show_found(message.get("contextId")));
            finding = view.cite(finding, name, &format!("/history/{index}/contextId"));
            finding
        });
        Ok(Judgement::of(findings.collect()))
    })())
}

/// Messages in a task's history that name a task name this one (1.0 sections 4.1.1 and 4.1.4, 0.3 sections 6.1 and 6.4).
pub(super) fn history_keeps_task(view: CaseView<'_>, args: &Task) -> Judgement {
    judgement_of((|| {
        let name: &str = args;
        let task = view.task(name)?;
        let id = task.get("id");
        let history = items(task, "history").iter().enumerate();
        let named =
            |message: &Value| message.get("taskId").and_then(Value::as_str).is_some_and(|named| !named.is_empty());
        let naming: Vec<(usize, &Value)> = history.filter(|(_, message)| named(message)).collect();
        if naming.is_empty() {
            return Err(Judgement::Unseen(Reason::NoTaskNamed));
        }
        let strayed = naming.into_iter().filter(|(_, message)| message.get("taskId") != id);
        let findings = strayed.map(|(index, message)| {
            let finding =
                Finding::new(Kind::MessageOfOtherTask).compare(show_found(id), show_found(message.get("taskId")));
            view.cite(finding, name, &format!("/history/{index}/taskId"))
        });
        Ok(Judgement::of(findings.collect()))
    })())
}

/// Exactly one of the named members of a result is set.
pub(super) fn exactly_one(view: CaseView<'_>, args: &ExactlyOne) -> Judgement {
    judgement_of((|| {
        let played = view.step(&args.step)?;
        let names: Vec<&str> = args.of.iter().map(String::as_str).collect();
        let Some(root) = played.seen.root() else {
            return Err(Judgement::Unseen(Reason::NoResult));
        };
        let set = names.iter().filter(|name| root.get(**name).is_some_and(Value::is_object)).count();
        let mut finding =
            Finding::new(Kind::NotExactlyOne).compare(format!("exactly one of {}", names.join(", ")), show(&root));
        if let Some(location) = played.seen.locate("") {
            finding = finding.at(location.exchange, location.pointer);
        }
        Ok(if set == 1 { Judgement::Right } else { Judgement::Wrong(vec![finding]) })
    })())
}

pub(super) fn first_difference(place: &str, old: &Value, new: &Value) -> Option<(String, String, String)> {
    if same(old, new) {
        return None;
    }
    let nothing = || NOTHING.to_owned();
    let child = |name: &str| {
        let mut path = place.to_owned();
        pointer::push(&mut path, name);
        path
    };
    match (old, new) {
        (Value::Object(was), Value::Object(is)) => {
            let names: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
            names.into_iter().find_map(|name| match (was.get(name), is.get(name)) {
                (Some(was), Some(is)) => first_difference(&child(name), was, is),
                (Some(was), None) => Some((child(name), show(was), nothing())),
                (None, Some(is)) => Some((child(name), nothing(), show(is))),
                (None, None) => None,
            })
        }
        (Value::Array(was), Value::Array(is)) if was.len() == is.len() => was
            .iter()
            .zip(is)
            .enumerate()
            .find_map(|(index, (was, is))| first_difference(&child(&index.to_string()), was, is)),
        (Value::Array(was), Value::Array(is)) => {
            // What was added or is gone convinces, where the rest is as it was.
            let is_longer = was.iter().zip(is).all(|(was, is)| same(was, is));
            let told = |items: &[Value], others: &[Value]| match items.get(others.len()..).and_then(<[Value]>::first) {
                Some(further) if is_longer => format!("{} items, among them {}", items.len(), show(further)),
                _ => format!("{} items", items.len()),
            };
            Some((place.to_owned(), told(was, is), told(is, was)))
        }
        _ => Some((place.to_owned(), show(old), show(new))),
    }
}

/// A shortened history is the end of the whole one (1.0 section 3.2.4, 0.3 section 7.3.1).
pub(super) fn most_recent(view: CaseView<'_>, args: &MostRecent) -> Judgement {
    judgement_of((|| {
        let part_name: &str = &args.part;
        let part = view.task(part_name)?;
        let whole = view.task(&args.whole)?;
        let (part, whole) = (items(part, "history"), items(whole, "history"));
        if part.is_empty() || whole.len() <= part.len() {
            let (part, whole) = (part.len().to_string(), whole.len().to_string());
            let reason = Reason::HistoriesTooShort { part, whole };
            return Err(Judgement::Unseen(reason));
        }
        let tail = whole.iter().skip(whole.len() - part.len());
        let id = |message: &Value| message.get("messageId").map(show).unwrap_or_default();
        let wrong = tail.zip(part).position(|(wanted, got)| !same(wanted, got));
        let Some(index) = wrong else { return Ok(Judgement::Right) };
        let wanted = whole.get(whole.len() - part.len() + index).map(id).unwrap_or_default();
        let got = part.get(index).map(id).unwrap_or_default();
        let mut finding =
            Finding::new(Kind::HistoryNotMostRecent).compare(format!("message {wanted}"), format!("message {got}"));
        finding = view.cite(finding, part_name, &format!("/history/{index}"));
        Ok(Judgement::Wrong(vec![finding]))
    })())
}

/// A state of a task, and when it was shown.
struct Shown<'a> {
    task: &'a str,
    state: &'a str,
    answer: &'a Answer,
    event: Option<usize>,
    asked: Duration,
    answered: Duration,
}

/// A terminal state is never left: neither within a stream, nor in an answer that was asked for after another answer
/// had shown it (1.0 section 3.1.1, 0.3 section 6.1). A task whose id the suite chose, where agents choose them, was made in another
/// version: lists may hold it, and the first proposal lets its client reopen it (`tasks/send`).
pub(super) fn transitions(view: RunView<'_>, _: &Nothing) -> Judgement {
    let is_of_the_version = |task: &str| view.profile.facts.task_ids == TaskIds::Client || !task.starts_with(OWN_IDS);
    let mut shown: BTreeMap<&str, Vec<Shown<'_>>> = BTreeMap::new();
    for answer in view.answers {
        for one in states(answer).into_iter().filter(|one| is_of_the_version(one.task)) {
            shown.entry(one.task).or_default().push(one);
        }
    }
    if shown.is_empty() {
        return Judgement::Unseen(Reason::run_saw_no("task"));
    }
    let mut findings = Vec::new();
    for states in shown.values() {
        let first = states.iter().filter(|one| view.profile.is_terminal(one.state)).min_by_key(|one| one.answered);
        let Some(first) = first else { continue };
        let after = |one: &&Shown<'_>| {
            let same_stream = one.answer.exchange.number == first.answer.exchange.number;
            let later = if same_stream { one.event > first.event } else { one.asked >= first.answered };
            later && one.state != first.state
        };
        if let Some(wrong) = states.iter().find(after) {
            let mut finding =
                Finding::new(Kind::TerminalStateLeft { task: first.task.to_owned(), state: first.state.to_owned() })
                    .compare(format!("{}, as in exchange {}", first.state, first.answer.exchange.number), wrong.state)
                    .in_exchange(wrong.answer.exchange.number);
            finding.event = wrong.event;
            findings.push(finding);
        }
    }
    Judgement::of(findings)
}

/// Whether results were read into canonical form. Those of exact bytes that call no operation have the names of the wire.
fn is_canonical(answer: &Answer) -> bool {
    answer.exchange.request.operation.is_some()
}

fn states(answer: &Answer) -> Vec<Shown<'_>> {
    let exchange = &answer.exchange;
    if !is_canonical(answer) {
        return Vec::new();
    }
    let end = exchange.started + exchange.elapsed;
    if let Some(result) = answer.result() {
        let listed = items(result, "tasks").iter();
        return listed
            .chain(task_in(result))
            .filter_map(|task| {
                let state = task.pointer("/status/state")?.as_str()?;
                let task = task.get("id")?.as_str()?;
                Some(Shown { task, state, answer, event: None, asked: exchange.started, answered: end })
            })
            .collect();
    }
    let read = |(index, event): (usize, &'_ StreamEvent)| {
        let value = answer.events().get(index)?.value()?;
        let holder = value.get("task").or_else(|| value.get("statusUpdate"))?;
        let state = holder.pointer("/status/state")?.as_str()?;
        let task = holder.get("id").or_else(|| holder.get("taskId"))?.as_str()?;
        // When an event was made is not known: it may have waited in a buffer. It is surely not older than the request,
        // and surely not younger than its reading.
        let answered = exchange.started + event.after;
        Some(Shown { task, state, answer, event: Some(index), asked: exchange.started, answered })
    };
    answer.events().iter().enumerate().filter_map(read).collect()
}

/// A message by the agent, with its place.
struct Spoken<'a> {
    message: &'a Value,
    place: String,
    payload: &'a Payload,
    exchange: u64,
    event: Option<usize>,
}

/// Direct answers and status messages: what the agent says itself, wherever it says it.
fn spoken(answer: &Answer) -> Vec<Spoken<'_>> {
    let unary = answer.result().is_some();
    let mut found = Vec::new();
    if !is_canonical(answer) {
        return found;
    }
    for (index, payload) in answer.payloads().into_iter().enumerate() {
        let value = &payload.reading.value;
        let places = ["/message", "/status/message", "/task/status/message", "/statusUpdate/status/message"];
        for place in places {
            if let Some(message) = pointer::find(value, place).filter(|message| message.is_object()) {
                let event = (!unary).then_some(index);
                found.push(Spoken {
                    message,
                    place: place.to_owned(),
                    payload,
                    exchange: answer.exchange.number,
                    event,
                });
            }
        }
    }
    found
}

impl Spoken<'_> {
    fn finding(&self, inner: &str, kind: Kind) -> Finding {
        let mut finding = Finding::new(kind).at(self.exchange, self.payload.locate(&format!("{}{inner}", self.place)));
        finding.event = self.event;
        finding
    }
}

/// The parts of every message that the suite sent, by the message's id: a status may quote what the client said (1.0
/// section 4.1.2 and 0.3 section 6.2 do not say whose message it holds).
fn sent_by_the_client(answers: &[Answer]) -> BTreeMap<&str, &Value> {
    let messages = answers.iter().filter_map(|answer| answer.exchange.request.params.get("message"));
    messages.filter_map(|message| Some((message.get("messageId")?.as_str()?, message.get("parts")?))).collect()
}

/// No task that is read has more messages than its request has asked for (1.0 section 3.2.4, 0.3 section 7.3.1). What no
/// messages at all mean, lengths that are none, and answers to messages are for cases of their own. The lists of 0.3 take no length.
pub(super) fn history_within_limit(view: RunView<'_>, _: &Nothing) -> Judgement {
    let list = view.profile.operation(Operation::ListTasks).and_then(|facts| facts.params.as_deref());
    let lists_take_it = list.is_some_and(|kind| view.dialect.tells_of(kind, "/historyLength"));
    let mut findings = Vec::new();
    let mut seen = 0;
    for answer in view.answers.iter().filter(|answer| is_canonical(answer)) {
        let request = &answer.exchange.request;
        let reads = match request.operation {
            Some(Operation::GetTask) => true,
            Some(Operation::ListTasks) => lists_take_it,
            _ => false,
        };
        let asked = request.params.get("historyLength").filter(|_| reads);
        let Some(limit) = asked.and_then(Value::as_u64).and_then(|limit| usize::try_from(limit).ok()) else { continue };
        let Some(result) = answer.result().filter(|_| limit > 0) else { continue };
        for task in items(result, "tasks").iter().chain(task_in(result)) {
            let shown = items(task, "history").len();
            seen += usize::from(shown > 0);
            if shown > limit {
                let finding = Finding::new(Kind::HistoryTooLong).compare(format!("at most {limit}"), shown.to_string());
                findings.push(finding.in_exchange(answer.exchange.number));
            }
        }
    }
    match seen {
        0 => Judgement::Unseen(Reason::run_saw_no("history of a length that was asked for")),
        _ => Judgement::of(first_few(findings.into_iter())),
    }
}

/// What the agent says, it says as the agent. Where messages have no ids, one with the parts of any that was sent may be a
/// quotation.
pub(super) fn agent_role(view: RunView<'_>, _: &Nothing) -> Judgement {
    let asked = sent_by_the_client(view.answers);
    let with_id = view.dialect.to_wire("Message", &json!({ "messageId": "m" }));
    let have_ids = with_id.get("messageId").is_some();
    let quotes = |spoken: &Spoken<'_>| {
        let Some(parts) = spoken.message.get("parts") else { return false };
        match spoken.message.get("messageId").and_then(Value::as_str) {
            Some(id) => asked.get(id).is_some_and(|theirs| same(theirs, parts)),
            None => !have_ids && asked.values().any(|theirs| same(theirs, parts)),
        }
    };
    let content: Vec<Spoken<'_>> = view.answers.iter().flat_map(spoken).filter(|spoken| !quotes(spoken)).collect();
    if content.is_empty() {
        return Judgement::Unseen(Reason::run_saw_no("message of the agent"));
    }
    let wrong =
        content.iter().filter(|spoken| spoken.message.get("role").and_then(Value::as_str) != Some("ROLE_AGENT"));
    let findings = wrong.map(|spoken| {
        let actual = show_found(spoken.message.get("role"));
        spoken.finding("/role", Kind::AgentInOtherRole).compare("ROLE_AGENT", actual)
    });
    Judgement::of(first_few(findings))
}

/// One id is one message.
pub(super) fn unique_message_ids(view: RunView<'_>, _: &Nothing) -> Judgement {
    let content: Vec<Spoken<'_>> = view.answers.iter().flat_map(spoken).collect();
    if content.is_empty() {
        return Judgement::Unseen(Reason::run_saw_no("message of the agent"));
    }
    let asked = sent_by_the_client(view.answers);
    let mut known: BTreeMap<&str, &Spoken<'_>> = BTreeMap::new();
    let mut findings = Vec::new();
    for spoken in &content {
        let Some(id) = spoken.message.get("messageId").and_then(Value::as_str) else { continue };
        if let Some(theirs) = asked.get(id) {
            if !spoken.message.get("parts").is_some_and(|quoted| same(theirs, quoted)) {
                let kind = Kind::MessageIdTaken { id: format!("{id:?}") };
                findings.push(spoken.finding("/messageId", kind).compare("an id of its own", show(&Value::from(id))));
            }
            continue;
        }
        let first = *known.entry(id).or_insert(spoken);
        let parts = |spoken: &Spoken<'_>| spoken.message.get("parts").cloned().unwrap_or_default();
        if !same(&parts(first), &parts(spoken)) {
            findings.push(
                spoken.finding("/messageId", Kind::MessageIdRepeated { id: format!("{id:?}") }).compare(
                    format!("{} as in exchange {}", show(&parts(first)), first.exchange),
                    show(&parts(spoken)),
                ),
            );
        }
    }
    Judgement::of(first_few(findings.into_iter()))
}

/// The artifacts of a task have different ids (1.0 section 4.1.7, 0.3 section 6.7).
pub(super) fn unique_artifact_ids(view: RunView<'_>, _: &Nothing) -> Judgement {
    let mut findings = Vec::new();
    let mut seen = 0;
    for answer in view.answers {
        for payload in answer.payloads() {
            let Some(task) = task_in(&payload.reading.value) else { continue };
            let mut ids = BTreeSet::new();
            for artifact in items(task, "artifacts") {
                seen += 1;
                let id = artifact.get("artifactId").map(show).unwrap_or_default();
                if !ids.insert(id.clone()) {
                    let kind = Kind::ArtifactIdRepeated { id };
                    findings.push(Finding::new(kind).in_exchange(answer.exchange.number));
                }
            }
        }
    }
    match seen {
        0 => Judgement::Unseen(Reason::run_saw_no("artifact")),
        _ => Judgement::of(first_few(findings.into_iter())),
    }
}

/// Enough findings to see what is wrong; the same mistake in every answer need not be told a hundred times.
pub(super) fn first_few(findings: impl Iterator<Item = Finding>) -> Vec<Finding> {
    const ENOUGH: usize = 5;
    let mut kept: Vec<Finding> = Vec::new();
    for finding in findings {
        // Of each thing that is violated one is told.
        let is_told = |known: &Finding| known.assertion == finding.assertion;
        if kept.len() >= ENOUGH && kept.iter().any(is_told) {
            continue;
        }
        if !kept.iter().any(|known| known.kind == finding.kind && known.received == finding.received) {
            kept.push(finding);
        }
    }
    kept
}
