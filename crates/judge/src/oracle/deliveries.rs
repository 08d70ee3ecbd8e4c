//! What the agent posts to webhooks. It may post late, more than once, and in another order than things happened.

use std::collections::BTreeSet;

use serde_json::Value;

use super::across::same_value;
use super::args::{AskedAndDeliveries, Authorization, Deliveries, DeliveriesAndTask, DeliveryToken};
use super::{judged_apart, judged_of, judgement_of, violates};
use crate::delivered::missing;
use crate::finding::{Finding, Kind, show, show_found};
use crate::profile::Profile;
use crate::reason::Reason;
use crate::transcript::{Answer, Content, EVENTS, Payload, state_in, task_in};
use crate::wire::json::pointer;
use crate::wire::timestamp;
use crate::{CaseView, Delivered, Judged, Judgement, describe, items};

/// What `delivery-payload` asserts.
pub(super) const PAYLOAD: &[&str] = &["object", "one", "schema"];

/// Each payload is a JSON object, holds exactly one event, and conforms to the schema of its type.
pub(super) fn payload(view: CaseView<'_>, args: &Deliveries) -> Judged {
    judged_of((|| {
        let delivered = some(view.delivered(args)?)?;
        let mut findings = Vec::new();
        let mut seen = BTreeSet::new();
        for answer in &delivered.answers {
            let number = answer.exchange.number;
            let object = result(answer).filter(|payload| payload.reading.wire.is_object());
            let Some(payload) = object else {
                let received = match &answer.content {
                    Content::Result(payload) => show(&payload.reading.wire),
                    _ => describe(answer),
                };
                let finding = Finding::new(Kind::DeliveryNotJson).compare("a JSON object", received);
                findings.push(violates("object", finding.in_exchange(number)));
                continue;
            };
            seen.insert("object");
            let held: Vec<&str> = EVENTS.into_iter().filter(|name| payload.reading.wire.get(name).is_some()).collect();
            if held.len() != 1 {
                let received = if held.is_empty() { "none of them".to_owned() } else { held.join(" and ") };
                let finding = Finding::new(Kind::DeliveryNotOneEvent).compare(EVENTS.join(" or "), received);
                findings.push(violates("one", finding.at(number, "")));
                continue;
            }
            seen.extend(["one", "schema"]);
            let broken = view.profile.notification_dialect().map(|dialect| payload.reading.violations(dialect));
            findings.extend(broken.into_iter().flatten().map(|broken| {
                let violation = &broken.violation;
                let (place, condition) = (pointer::shown(&violation.place()).to_owned(), violation.wanted.clone());
                let finding = Finding::new(Kind::DeliveryPayload { place, condition: condition.clone() });
                let found = payload.reading.wire.pointer(&violation.pointer);
                let finding = finding.compare(condition, found.map_or_else(|| "nothing".to_owned(), show));
                violates("schema", finding.at(number, violation.pointer.clone()))
            }));
        }
        Ok(judged_apart(seen, findings))
    })())
}

/// Each delivery has a media type that the version gives its payload; parameters of it are free.
pub(super) fn media_type(view: CaseView<'_>, args: &Deliveries) -> Judgement {
    judgement_of((|| {
        let known = &view.profile.facts.notifications.media_types;
        let wanted = known.join(" or ");
        each(some(view.delivered(args)?)?, |answer| {
            let declared = answer.exchange.request.header("content-type").unwrap_or_default();
            let essence = declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
            let received = if declared.is_empty() { "none".to_owned() } else { declared.to_owned() };
            (!known.contains(&essence))
                .then(|| Finding::new(Kind::DeliveryUndeclared).compare(wanted.clone(), received))
        })
    })())
}

/// What `delivery-task` asserts.
pub(super) const TASK: &[&str] = &["task", "context"];

/// Each delivery names the task, and its context where it names one. Where a version leaves the payload open, the id may stand
/// anywhere.
pub(super) fn task(view: CaseView<'_>, args: &DeliveriesAndTask) -> Judged {
    judged_of((|| {
        let (delivered, task) = (some(view.delivered(&args.deliveries)?)?, view.task(&args.task)?);
        let text = |name: &str| task.get(name).and_then(Value::as_str);
        let (Some(id), context) = (text("id"), text("contextId")) else {
            return Err(Judgement::Unseen(Reason::NoTask { step: args.task.to_string() }));
        };
        let mut findings = Vec::new();
        let mut held = BTreeSet::from(["task"]);
        for answer in &delivered.answers {
            // What cannot be read is for `delivery-payload`.
            let Some(payload) = result(answer) else { continue };
            let value = &payload.reading.value;
            let (named, place) = about(value);
            let is_named = named.map_or_else(|| has_text(value, id), |named| named == id);
            if !is_named {
                let received = named.map_or_else(|| "no id of a task".to_owned(), |named| show(&named.into()));
                let finding = Finding::new(Kind::DeliveryOfOtherTask).compare(show(&id.into()), received);
                let number = answer.exchange.number;
                findings.push(violates(
                    "task",
                    match named {
                        Some(_) => finding.at(number, payload.locate(&place)),
                        None => finding.in_exchange(number),
                    },
                ));
            }
            let around = holder(value).get("contextId").and_then(Value::as_str);
            if let (Some(context), Some(around)) = (context, around) {
                held.insert("context");
                if around != context {
                    let finding =
                        Finding::new(Kind::DeliveryInOtherContext).compare(show(&context.into()), show(&around.into()));
                    findings.push(violates("context", finding.in_exchange(answer.exchange.number)));
                }
            }
        }
        Ok(judged_apart(held, findings))
    })())
}

/// What `delivery-state` asserts.
pub(super) const STATE: &[&str] = &["state", "artifacts"];

/// The end that is told is the one to which the task has come, and the artifacts that are told are the task's: whole ones as they
/// are, of others the ids.
pub(super) fn state(view: CaseView<'_>, args: &DeliveriesAndTask) -> Judged {
    judged_of((|| {
        let (delivered, task) = (some(view.delivered(&args.deliveries)?)?, view.task(&args.task)?);
        let wanted = state_in(task).ok_or(Judgement::Unseen(Reason::NoState))?;
        let mut findings = Vec::new();
        let mut held = BTreeSet::new();
        let payloads = || delivered.answers.iter().filter_map(result).map(|payload| &*payload.reading.value);
        // An artifact may be replaced: of several versions none need be the last.
        let is_only = |artifact: &Value| {
            let id = artifact.get("artifactId");
            let updates = payloads().filter_map(|value| value.pointer("/artifactUpdate/artifact"));
            updates.filter(|other| other.get("artifactId") == id).all(|other| same_value(view.profile, other, artifact))
        };
        for answer in &delivered.answers {
            let Some(payload) = result(answer) else { continue };
            let (value, number) = (&payload.reading.value, answer.exchange.number);
            if let Some(told) = state_in(value).filter(|state| view.profile.is_terminal(state)) {
                held.insert("state");
                if told != wanted {
                    let finding = Finding::new(Kind::DeliveryOfOtherState).compare(wanted, told);
                    findings.push(violates("state", finding.in_exchange(number)));
                }
            }
            for (artifact, is_whole) in artifacts(value) {
                held.insert("artifacts");
                let of_task = items(task, "artifacts").iter();
                let mut twins = of_task.filter(|known| known.get("artifactId") == artifact.get("artifactId"));
                let is_right =
                    |known: &Value| !is_whole || !is_only(artifact) || same_parts(view.profile, known, artifact);
                if !twins.any(is_right) {
                    let finding =
                        Finding::new(Kind::DeliveryOfOtherArtifact).compare("an artifact of the task", show(artifact));
                    findings.push(violates("artifacts", finding.in_exchange(number)));
                }
            }
        }
        match held.is_empty() {
            true => Err(Judgement::Unseen(Reason::NoUpdate)),
            false => Ok(judged_apart(held, findings)),
        }
    })())
}

/// Some delivery has the state in which the task was. Nothing is seen before the end of the task has come: what has not come by then was
/// not posted.
pub(super) fn shows(view: CaseView<'_>, args: &DeliveriesAndTask) -> Judgement {
    judgement_of((|| {
        let (delivered, task) = (some(view.delivered(&args.deliveries)?)?, view.task(&args.task)?);
        let wanted = state_in(task).ok_or(Judgement::Unseen(Reason::NoState))?;
        let told: Vec<(&Answer, &str)> = delivered
            .answers
            .iter()
            .filter_map(|answer| Some((answer, state_in(&result(answer)?.reading.value)?)))
            .collect();
        if told.iter().any(|(_, state)| *state == wanted) {
            return Ok(Judgement::Right);
        }
        let end = told.iter().find(|(_, state)| view.profile.is_terminal(state));
        let (answer, _) = end.ok_or(Judgement::Unseen(Reason::NoEndDelivered))?;
        let states: Vec<&str> = told.iter().map(|(_, state)| *state).collect();
        let finding = Finding::new(Kind::DeliveryMissing).compare(wanted, states.join(", "));
        Ok(Judgement::Wrong(vec![finding.in_exchange(answer.exchange.number)]))
    })())
}

/// Deliveries of the status to which the task has come have the message of that status (1.0 sections 4.2.1 and 4.3.3), with its parts. A
/// task has one terminal status; it may ask several times, so that two times tell two questions apart.
pub(super) fn message(view: CaseView<'_>, args: &DeliveriesAndTask) -> Judgement {
    judgement_of((|| {
        let (delivered, task) = (some(view.delivered(&args.deliveries)?)?, view.task(&args.task)?);
        let held = task.get("status").unwrap_or(&Value::Null);
        let state = state_in(task).ok_or(Judgement::Unseen(Reason::NoState))?;
        let wanted = parts_of(held).ok_or(Judgement::Unseen(Reason::NoStatusMessage))?;
        let is_it = |status: &Value| {
            let of = |name: &str| (status.get(name), held.get(name));
            let is_same_time = matches!(of("timestamp"), (Some(told), Some(held)) if told == held);
            status.get("state").and_then(Value::as_str) == Some(state)
                && (view.profile.is_terminal(state) || is_same_time)
        };
        let mut told = delivered
            .answers
            .iter()
            .filter_map(|answer| Some((answer, holder(&result(answer)?.reading.value).get("status")?)))
            .filter(|(_, status)| is_it(status))
            .peekable();
        if told.peek().is_none() {
            return Err(Judgement::Unseen(Reason::NoUpdate));
        }
        let findings = told.filter_map(|(answer, status)| {
            let parts = parts_of(status).unwrap_or_default();
            let is_same =
                parts.len() == wanted.len() && parts.iter().zip(wanted).all(|(a, b)| same_value(view.profile, a, b));
            let finding = Finding::new(Kind::DeliveryOfOtherMessage)
                .compare(show_found(held.get("message")), show_found(status.get("message")));
            (!is_same).then(|| finding.in_exchange(answer.exchange.number))
        });
        Ok(Judgement::of(findings.collect()))
    })())
}

/// The parts of the message of a status, if there are some.
fn parts_of(status: &Value) -> Option<&[Value]> {
    status.get("message").map(|message| items(message, "parts")).filter(|parts| !parts.is_empty())
}

/// A webhook where the agent must not post is refused, or is called, which is wrong. That nothing comes proves nothing.
pub(super) fn refused(view: CaseView<'_>, args: &AskedAndDeliveries) -> Judgement {
    judgement_of((|| {
        let delivered = view.delivered(&args.deliveries)?;
        if let Some(first) = delivered.answers.first() {
            let received = format!("a request to {}", first.exchange.request.url);
            let finding = Finding::new(Kind::DeliveryToItself).compare("a refusal of the address", received);
            return Ok(Judgement::Wrong(vec![finding.in_exchange(first.exchange.number)]));
        }
        match view.heard(&args.asked)?.refusal() {
            Some(_) => Ok(Judgement::Right),
            None => Err(Judgement::Unseen(Reason::SilenceProvesNothing)),
        }
    })())
}

/// No delivery says that the task has ended: for a webhook that was deleted before.
pub(super) fn end_untold(view: CaseView<'_>, args: &Deliveries) -> Judgement {
    judgement_of((|| {
        each(view.delivered(args)?, |answer| {
            let told = result(answer).and_then(|payload| state_in(&payload.reading.value));
            let told = told.filter(|state| view.profile.is_terminal(state))?;
            Some(Finding::new(Kind::DeliveryAfterDeletion).compare("nothing", told))
        })
    })())
}

/// Each delivery brings these credentials. Schemes are the same in either case (RFC 9110 section 11.1).
pub(super) fn authorization(view: CaseView<'_>, args: &Authorization) -> Judgement {
    judgement_of((|| {
        let wanted = format!("{} {}", args.scheme, args.credentials.as_deref().unwrap_or("and credentials"));
        each(some(view.delivered(&args.deliveries)?)?, |answer| {
            let brought = answer.exchange.request.header("authorization");
            let (scheme, rest) = brought.and_then(|value| value.trim().split_once(' ')).unwrap_or_default();
            let are_right = match &args.credentials {
                Some(credentials) => rest.trim() == credentials,
                None => !rest.trim().is_empty(),
            };
            let received = brought.unwrap_or("no Authorization").to_owned();
            (!scheme.eq_ignore_ascii_case(&args.scheme) || !are_right)
                .then(|| Finding::new(Kind::DeliveryWithoutCredentials).compare(wanted.clone(), received))
        })
    })())
}

/// Each delivery brings this token, wherever: no text requires a header of one name.
pub(super) fn token(view: CaseView<'_>, args: &DeliveryToken) -> Judgement {
    judgement_of((|| {
        each(some(view.delivered(&args.deliveries)?)?, |answer| {
            let request = &answer.exchange.request;
            let in_head = request.headers.iter().any(|(_, value)| value.contains(&args.token));
            let body = String::from_utf8_lossy(&request.body);
            let is_brought = in_head || request.url.contains(&args.token) || body.contains(&args.token);
            let finding =
                || Finding::new(Kind::DeliveryWithoutToken).compare(format!("the token {:?}", args.token), "none");
            (!is_brought).then(finding)
        })
    })())
}

/// Some delivery says when it was made, or when its state came about.
pub(super) fn time(view: CaseView<'_>, args: &Deliveries) -> Judgement {
    judgement_of((|| {
        let delivered = some(view.delivered(args)?)?;
        let is_timed = |answer: &Answer| {
            let in_head = answer.exchange.request.header("date").is_some();
            in_head || result(answer).is_some_and(|payload| has_time(&payload.reading.value))
        };
        if delivered.answers.iter().any(is_timed) {
            return Ok(Judgement::Right);
        }
        let number = delivered.answers.first().map(|answer| answer.exchange.number).unwrap_or_default();
        Ok(Judgement::Wrong(vec![Finding::new(Kind::DeliveryWithoutTime).in_exchange(number)]))
    })())
}

/// The deliveries, where there are some.
pub(super) fn some(delivered: &Delivered) -> Result<&Delivered, Judgement> {
    match delivered.answers.is_empty() {
        true => Err(Judgement::Unseen(missing(delivered))),
        false => Ok(delivered),
    }
}

/// What is wrong with each delivery.
fn each(delivered: &Delivered, wrong: impl Fn(&Answer) -> Option<Finding>) -> Result<Judgement, Judgement> {
    let findings = delivered.answers.iter().filter_map(|answer| {
        let finding = wrong(answer)?;
        Some(finding.in_exchange(answer.exchange.number))
    });
    Ok(Judgement::of(findings.collect()))
}

pub(super) fn result(answer: &Answer) -> Option<&Payload> {
    match &answer.content {
        Content::Result(payload) => Some(payload),
        _ => None,
    }
}

/// What a payload is about: the event in it, or all of it.
fn holder(value: &Value) -> &Value {
    EVENTS.into_iter().find_map(|name| value.get(name).filter(|event| event.is_object())).unwrap_or(value)
}

/// The id of the task that a payload names where ids of tasks stand, and the place.
fn about(value: &Value) -> (Option<&str>, String) {
    let held = holder(value);
    let is_task = task_in(held).is_some();
    let name = if is_task && held.get("taskId").is_none() { "id" } else { "taskId" };
    let around = EVENTS.into_iter().find(|name| value.get(name).is_some_and(Value::is_object));
    let place = around.map(|around| format!("/{around}")).unwrap_or_default();
    (held.get(name).and_then(Value::as_str), format!("{place}/{name}"))
}

/// Whether some string in a value is this one.
fn has_text(value: &Value, wanted: &str) -> bool {
    match value {
        Value::String(text) => text == wanted,
        Value::Array(items) => items.iter().any(|item| has_text(item, wanted)),
        Value::Object(members) => members.values().any(|member| has_text(member, wanted)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn has_time(value: &Value) -> bool {
    match value {
        Value::String(text) => timestamp::iso8601_lenient(text).is_ok(),
        Value::Array(items) => items.iter().any(has_time),
        Value::Object(members) => members.values().any(has_time),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The artifacts that a payload tells, each with whether that is all of it.
fn artifacts(value: &Value) -> Vec<(&Value, bool)> {
    let of_task = task_in(value).map_or(&[][..], |task| items(task, "artifacts"));
    let update = value.get("artifactUpdate");
    let is_whole = |update: &Value| {
        update.get("append") != Some(&Value::Bool(true)) && update.get("lastChunk") == Some(&Value::Bool(true))
    };
    let of_update = update.and_then(|update| Some((update.get("artifact")?, is_whole(update))));
    of_task.iter().map(|artifact| (artifact, false)).chain(of_update).collect()
}

fn same_parts(profile: &Profile, known: &Value, told: &Value) -> bool {
    match (known.get("parts"), told.get("parts")) {
        (Some(known), Some(told)) => same_value(profile, known, told),
        (known, told) => known.is_none() == told.is_none(),
    }
}
