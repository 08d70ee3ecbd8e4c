//! Streams: their pattern, their end, what they are about, and whether they agree.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use super::across::same_value;
use super::args::{Carries, OneOrSome, Pair, Stream, StreamAndTask};
use super::{judged_apart, judged_of, judgement_of, violates};
use crate::finding::{Finding, Follows, Kind, NOTHING, show, show_found};
use crate::matcher::same;
use crate::profile::Profile;
use crate::reason::Reason;
use crate::transcript::{Answer, EVENTS, Ended, EventContent, Limit, StreamEvent};
use crate::{CaseView, Judged, Judgement, StepRecord};

/// How shortly before the suite stopped reading a last event shows that more were to come.
const STILL_COMING: Duration = Duration::from_secs(1);

/// The member that names what an event is.
pub(super) fn kind(event: &Value) -> Option<&str> {
    EVENTS.into_iter().find(|name| event.get(name).is_some())
}

/// The state that an event shows.
pub(super) fn state(event: &Value) -> Option<&str> {
    let holder = event.get("task").or_else(|| event.get("statusUpdate"))?;
    holder.pointer("/status/state")?.as_str()
}

pub(super) fn finding_at(answer: &Answer, index: usize, pointer: &str, kind: Kind) -> Finding {
    let located = answer.events().get(index).and_then(StreamEvent::payload).map(|payload| payload.locate(pointer));
    Finding::new(kind).at(answer.exchange.number, located.unwrap_or_default()).in_event(index)
}

/// Events that cannot be read, or are errors in the middle of a stream.
fn unreadable(answer: &Answer) -> Vec<Finding> {
    let broken = |(index, event): (usize, &StreamEvent)| {
        let kind = match &event.content {
            EventContent::Result(payload) if kind(&payload.reading.value).is_some() => return None,
            EventContent::Result(payload) => {
                let found = Finding::new(Kind::EventUnknown).compare("one of the four", show(&payload.reading.value));
                return Some(found.at(answer.exchange.number, payload.locate("")).in_event(index));
            }
            EventContent::Error(error) => Kind::ErrorInStream { error: show(&error.value) },
            EventContent::Unreadable(unreadable) => Kind::EventUnreadable { reason: unreadable.reason.clone() },
        };
        let is_unread = matches!(event.content, EventContent::Unreadable(_));
        let finding = Finding::new(kind).following(is_unread.then_some(Follows::UnreadStream));
        Some(finding.at(answer.exchange.number, "").in_event(index))
    };
    answer.events().iter().enumerate().filter_map(broken).collect()
}

/// A stream that lost its connection proves nothing.
pub(super) fn intact(answer: &Answer) -> Result<(), Judgement> {
    match &answer.exchange.ended {
        Ended::Failed(transport_error) => {
            Err(Judgement::Broken(Reason::StreamLost { how: transport_error.to_string() }))
        }
        _ => Ok(()),
    }
}

/// What `stream-pattern` asserts: that each event is one of the four, that the first is a task or a message, that a message
/// is alone, and that only updates follow a task.
pub(super) const PATTERN: &[&str] = &["events", "first", "message", "updates"];

/// A Task and then updates of it, or exactly one Message (1.0 section 3.1.2); a final Task is allowed (11.7).
pub(super) fn pattern(view: CaseView<'_>, args: &Stream) -> Judged {
    judged_of((|| {
        let answer = view.stream(args)?;
        intact(answer)?;
        let mut held = BTreeSet::from(["events"]);
        let mut findings: Vec<Finding> =
            unreadable(answer).into_iter().map(|finding| violates("events", finding)).collect();
        let kinds: Vec<Option<&str>> = answer.events().iter().map(|event| event.value().and_then(kind)).collect();
        match kinds.first().copied().flatten() {
            Some("message") => {
                held.extend(["first", "message"]);
                let further = (kinds.len() > 1).then(|| {
                    let finding = finding_at(answer, 1, "", Kind::EventAfterMessage);
                    finding.compare("exactly one message", format!("{} events", kinds.len()))
                });
                findings.extend(further.map(|finding| violates("message", finding)));
            }
            Some("task") => {
                held.insert("first");
                held.extend((kinds.len() > 1).then_some("updates"));
                for (index, kind) in kinds.iter().enumerate().skip(1) {
                    let is_last = index + 1 == kinds.len();
                    let finding = match kind {
                        Some("message") => finding_at(answer, index, "", Kind::MessageAfterTask),
                        Some("task") if !is_last => finding_at(answer, index, "", Kind::TaskInMidStream)
                            .compare("status and artifact updates", "a task"),
                        _ => continue,
                    };
                    findings.push(violates("updates", finding));
                }
            }
            Some(other) => {
                let finding = finding_at(answer, 0, "", Kind::StreamWithoutTask);
                findings.push(violates("first", finding.compare("a task, or a single message", format!("a {other}"))));
            }
            None => {}
        }
        Ok(judged_apart(held, findings))
    })())
}

/// The agent closes the stream when the task is finished, not before, and nothing follows the terminal state
/// (1.0 sections 3.1.2, 3.1.6, 11.7; 0.3 section 7.2.2).
pub(super) fn closes(view: CaseView<'_>, args: &Stream) -> Judgement {
    judgement_of((|| {
        let answer = view.stream(args)?;
        at_its_end(&view, answer)?;
        Ok(Judgement::of(closing(view.profile, answer)))
    })())
}

/// A stream that was lost, or outlasts the suite's patience, says nothing about its end.
pub(super) fn at_its_end(view: &CaseView<'_>, answer: &Answer) -> Result<(), Judgement> {
    intact(answer)?;
    unfinished(view, answer).map_or(Ok(()), |reason| Err(Judgement::Unseen(reason)))
}

/// A stream that outlasts the suite's patience is no fault as long as its task may still be at work: only another
/// answer of the same case can show that the task had come to rest before. It must have come well before the suite gave
/// the stream up, for what is true at the last moment may still be on its way.
fn unfinished(view: &CaseView<'_>, answer: &Answer) -> Option<Reason> {
    /// The least that an agent has for telling on a stream what another answer shows.
    const TIME_TO_TELL: Duration = Duration::from_millis(200);
    let limit = match &answer.exchange.ended {
        Ended::Endless(Limit::Time(limit)) | Ended::TimedOut(limit) => limit,
        _ => return None,
    };
    /// The least that an agent has for closing a stream after its last event.
    const TIME_TO_CLOSE: Duration = Duration::from_millis(200);
    let events = answer.events().iter().filter_map(StreamEvent::value);
    let shows_the_end = answer
        .events()
        .iter()
        .any(|event| is_the_last(view.profile, event) && event.after + TIME_TO_CLOSE <= answer.exchange.elapsed);
    let task =
        events.clone().find_map(|event| event.pointer("/task/id").or_else(|| event.pointer("/statusUpdate/taskId")));
    let given_up = answer.exchange.started + answer.exchange.elapsed;
    let in_time = |played: &&StepRecord| {
        let read = played.seen.answer().map(|read| read.exchange.started + read.exchange.elapsed);
        read.is_some_and(|read| read + TIME_TO_TELL <= given_up)
    };
    let known_elsewhere = view.played.iter().filter(in_time).filter_map(|played| played.seen.task()).any(|seen| {
        let state = seen.pointer("/status/state").and_then(Value::as_str);
        let rests = state.is_some_and(|state| view.profile.is_terminal(state) || view.profile.is_interrupted(state));
        seen.get("id") == task && rests
    });
    let limit = limit.as_secs_f32().to_string();
    (!shows_the_end && !known_elsewhere).then_some(Reason::StillAtWork { limit })
}

/// Whether nothing is to come after an event.
pub(super) fn is_the_last(profile: &Profile, event: &StreamEvent) -> bool {
    let is_terminal = |value: &Value| state(value).is_some_and(|state| profile.is_terminal(state));
    is_final(event) || event.value().is_some_and(|value| is_terminal(value) || kind(value) == Some("message"))
}

fn closing(profile: &Profile, answer: &Answer) -> Vec<Finding> {
    let mut findings = Vec::new();
    let events: Vec<&Value> = answer.events().iter().filter_map(StreamEvent::value).collect();
    let terminal = events.iter().position(|event| state(event).is_some_and(|state| profile.is_terminal(state)));
    let last = events.iter().rev().find_map(|event| state(event));
    let interrupted = last.is_some_and(|state| profile.is_interrupted(state));
    let is_message = events.first().copied().and_then(kind) == Some("message");
    if let Some(terminal) = terminal {
        for (index, event) in events.iter().enumerate().skip(terminal + 1) {
            // 11.7 lets an agent send the finished task once more before it closes.
            if kind(event) != Some("task") {
                let what = kind(event).unwrap_or("nameless event");
                let article = if what.starts_with('a') { "an" } else { "a" };
                let what = format!("{article} {what}");
                let finding = finding_at(answer, index, "", Kind::EventAfterEnd { what });
                findings.push(finding.compare("the end of the stream", "a further event"));
            }
        }
    }
    let end = &answer.exchange.ended;
    let over = Finding::new(Kind::StreamEndsWrongly).in_exchange(answer.exchange.number);
    match (end, terminal.is_some() || is_message, interrupted) {
        (Ended::Complete, false, false) => {
            findings.push(over.compare(
                "updates until the task is finished or interrupted",
                format!("closed by the agent at {}", last.unwrap_or("no state")),
            ));
        }
        (Ended::Endless(_) | Ended::TimedOut(_), true, _) => {
            findings.push(over.compare("closed by the agent once the task is finished", end.to_string()));
        }
        (Ended::Endless(_) | Ended::TimedOut(_), false, false) => {
            findings.push(over.compare("updates until the task is finished or interrupted", end.to_string()));
        }
        _ => {}
    }
    findings
}

/// What `stream-ids` asserts: the ids of each kind of update, and that of a task that is shown again.
pub(super) const IDS: &[&str] = &[
    "/statusUpdate/taskId",
    "/statusUpdate/contextId",
    "/artifactUpdate/taskId",
    "/artifactUpdate/contextId",
    "/task/id",
];

/// Every event of a stream is about the task with which it began.
pub(super) fn ids(view: CaseView<'_>, args: &OneOrSome<Stream>) -> Judged {
    judged_of((|| {
        let each = args.all().iter().map(|stream| view.stream(stream).map(ids_of)).collect::<Result<Vec<_>, _>>()?;
        let is_silent = each.iter().any(|(held, _)| held.is_empty());
        let (held, findings): (Vec<_>, Vec<_>) = each.into_iter().unzip();
        let findings: Vec<Finding> = findings.into_iter().flatten().collect();
        if is_silent && findings.is_empty() {
            return Err(Judgement::Unseen(Reason::NoUpdate));
        }
        Ok(judged_apart(held.into_iter().flatten().collect(), findings))
    })())
}

/// The ids in a stream that were compared, and those of them that are wrong.
fn ids_of(answer: &Answer) -> (BTreeSet<&'static str>, Vec<Finding>) {
    let (mut held, mut findings) = (BTreeSet::new(), Vec::new());
    let events: Vec<Option<&Value>> = answer.events().iter().map(StreamEvent::value).collect();
    let known = |member: &str, inner: &str| {
        events.iter().flatten().find_map(|event| {
            let holder = event.get("task").and_then(|task| task.get(inner));
            let update = event.get("statusUpdate").or_else(|| event.get("artifactUpdate"));
            holder.or_else(|| update.and_then(|update| update.get(member))).cloned()
        })
    };
    let task = known("taskId", "id");
    let context = known("contextId", "contextId");
    let mut tasks = 0;
    for (index, event) in events.iter().enumerate() {
        let Some(event) = event else { continue };
        for &place in IDS {
            let Some((holder, member)) = place.trim_start_matches('/').split_once('/') else { continue };
            let Some(object) = event.get(holder) else { continue };
            let is_task = holder == "task";
            tasks += usize::from(is_task);
            let wanted = if member == "contextId" { &context } else { &task };
            let Some(wanted) = wanted else { continue };
            let found = object.get(member);
            // The first task is that with which the others are compared; one without an id is for its schema.
            if is_task && (tasks == 1 || found.is_none()) {
                continue;
            }
            held.insert(place);
            if found == Some(wanted) {
                continue;
            }
            let kind = match is_task {
                true => Kind::StreamChangesTask,
                false => Kind::EventOfOtherTask { member: member.to_owned() },
            };
            let finding = finding_at(answer, index, place, kind).compare(show(wanted), show_found(found));
            findings.push(violates(place, finding));
        }
    }
    (held, findings)
}

/// `final` marks the last event of the stream and no other (0.3 section 7.2.2).
pub(super) fn final_flag(view: CaseView<'_>, args: &Stream) -> Judgement {
    judgement_of((|| {
        let answer = view.stream(args)?;
        at_its_end(&view, answer)?;
        let events = answer.events();
        if !events.iter().any(|event| event.value().is_some_and(|event| event.get("statusUpdate").is_some())) {
            return Err(Judgement::Unseen(Reason::NoStatusUpdate));
        }
        let mut findings = Vec::new();
        match events.iter().position(is_final) {
            Some(index) if goes_on_after(events, index) => findings.push(
                finding_at(answer, index, "/statusUpdate/final", Kind::FinalBeforeEvents)
                    .compare("false before the last event", "true"),
            ),
            Some(_) => {
                if matches!(answer.exchange.ended, Ended::Endless(_) | Ended::TimedOut(_)) {
                    findings.push(
                        Finding::new(Kind::OpenAfterFinal)
                            .compare("closed by the agent", answer.exchange.ended.to_string())
                            .in_exchange(answer.exchange.number),
                    );
                }
            }
            // A stream that the agent keeps open where the task waits for its client may have more to tell.
            None if answer.exchange.ended == Ended::LeftOpen => return Err(Judgement::Unseen(Reason::NoFinalEvent)),
            None => {
                const FLAG: &str = "/statusUpdate/final";
                let last = events.last().and_then(StreamEvent::value);
                let actual = if last.is_some_and(|it| it.pointer(FLAG).is_some()) { "false" } else { NOTHING };
                let finding = finding_at(answer, events.len().saturating_sub(1), FLAG, Kind::FinalMissing);
                findings.push(finding.compare("true in the last status update", actual));
            }
        }
        Ok(Judgement::of(findings))
    })())
}

/// Whether another event of the protocol follows. Data that is none, such as a mark at the end, is for the case about the framing.
fn goes_on_after(events: &[StreamEvent], index: usize) -> bool {
    let is_readable = |event: &StreamEvent| !matches!(event.content, EventContent::Unreadable(_));
    events.iter().skip(index + 1).any(is_readable)
}

/// Nothing follows the event that `final` marks as the last (0.3 section 7.2.2).
pub(super) fn final_is_last(view: CaseView<'_>, args: &Stream) -> Judgement {
    judgement_of((|| {
        let answer = view.stream(args)?;
        intact(answer)?;
        let events = answer.events();
        let Some(index) = events.iter().position(is_final) else {
            return Err(Judgement::Unseen(Reason::NoFinalEvent));
        };
        let findings = goes_on_after(events, index).then(|| {
            finding_at(answer, index, "/statusUpdate/final", Kind::FinalBeforeEvents)
                .compare("false before the last event", "true")
        });
        Ok(Judgement::of(findings.into_iter().collect()))
    })())
}

/// No status update follows the one that `final` marks as the last; artifacts and the task may (1.0-draft sections 4.2.1 and
/// 11.7).
pub(super) fn final_status_is_last(view: CaseView<'_>, args: &Stream) -> Judgement {
    judgement_of((|| {
        let answer = view.stream(args)?;
        intact(answer)?;
        let events = answer.events();
        let Some(index) = events.iter().position(is_final) else {
            return Err(Judgement::Unseen(Reason::NoFinalEvent));
        };
        let is_status = |event: &StreamEvent| event.value().is_some_and(|event| event.get("statusUpdate").is_some());
        let findings = events.iter().skip(index + 1).any(is_status).then(|| {
            finding_at(answer, index, "/statusUpdate/final", Kind::FinalBeforeStatusUpdates)
                .compare("false before the last status update", "true")
        });
        Ok(Judgement::of(findings.into_iter().collect()))
    })())
}

fn is_final(event: &StreamEvent) -> bool {
    event.value().and_then(|event| event.pointer("/statusUpdate/final")) == Some(&Value::Bool(true))
}

/// The last state that the stream showed is the one that the task has.
pub(super) fn shows_state(view: CaseView<'_>, args: &StreamAndTask) -> Judgement {
    judgement_of((|| {
        let answer = view.stream(&args.stream)?;
        let task = view.task(&args.task)?;
        at_its_end(&view, answer)?;
        let held = task.pointer("/status/state").and_then(Value::as_str).unwrap_or("no state").to_owned();
        let events = answer.events().iter().enumerate();
        let last = events.rev().find_map(|(index, event)| Some((index, state(event.value()?)?.to_owned())));
        let Some((index, shown)) = last else {
            // One that tells of the work and then ends owes the end, too; one without any update came too late for it.
            let is_owed = view.profile.is_terminal(&held) && answer.exchange.ended == Ended::Complete;
            return match updates(answer).last().filter(|_| is_owed) {
                Some(&(last, _)) => {
                    let finding = finding_at(answer, last, "", Kind::StreamWithoutState);
                    Ok(Judgement::Wrong(vec![finding.compare(held, "no state")]))
                }
                None => Err(Judgement::Unseen(Reason::NoState)),
            };
        };
        if shown == held {
            return Ok(Judgement::Right);
        }
        if view.profile.is_interrupted(&shown) && matches!(answer.exchange.ended, Ended::Complete | Ended::LeftOpen) {
            // The agent may close the stream there (1.0 section 11.7): what came later was not for this stream.
            return Err(Judgement::Unseen(Reason::StreamOver { state: shown }));
        }
        if was_cut_short(answer) {
            return Err(Judgement::Unseen(Reason::StillComing));
        }
        let finding = finding_at(answer, index, "", Kind::StreamMissedState).compare(held, shown);
        Ok(Judgement::Wrong(vec![finding]))
    })())
}

/// Whether the suite stopped reading a stream in which events were still coming. No text bounds how far a stream may lag
/// behind the task.
fn was_cut_short(answer: &Answer) -> bool {
    let Ended::Endless(Limit::Time(limit)) = &answer.exchange.ended else { return false };
    answer.events().last().is_some_and(|last| limit.saturating_sub(last.after) < STILL_COMING)
}

/// Some text in the stream holds the given one; if none does, nothing was there that could disturb the stream.
pub(super) fn carries(view: CaseView<'_>, args: &Carries) -> Judgement {
    judgement_of((|| {
        let answer = view.stream(&args.stream)?;
        let wanted = args.text.as_str();
        match answer.events().iter().filter_map(StreamEvent::value).any(|event| holds_text(event, wanted)) {
            true => Ok(Judgement::Right),
            false => Err(Judgement::Unseen(Reason::NotSentBack)),
        }
    })())
}

fn holds_text(value: &Value, wanted: &str) -> bool {
    match value {
        Value::String(text) => text.contains(wanted),
        Value::Array(items) => items.iter().any(|item| holds_text(item, wanted)),
        Value::Object(members) => members.values().any(|value| holds_text(value, wanted)),
        _ => false,
    }
}

/// Two streams of one task show the same updates in the same order from where the later one joined
/// (1.0 section 3.5.2).
pub(super) fn same_events(view: CaseView<'_>, args: &Pair<Stream>) -> Judgement {
    judgement_of((|| {
        let Pair(a, b) = args;
        let (first, second) = (view.stream(a)?, view.stream(b)?);
        intact(first)?;
        intact(second)?;
        let (long, short) = {
            let (x, y) = (updates(first), updates(second));
            if x.len() >= y.len() { ((first, x), (second, y)) } else { ((second, y), (first, x)) }
        };
        if short.1.is_empty() {
            return Err(Judgement::Unseen(Reason::NoUpdateForBoth));
        }
        // Only at a terminal state do both streams end with the same event. At an interrupted one an agent may close the
        // one and leave the other open (1.0 sections 3.1.2 and 11.7), and the suite does not give up both at one event.
        let both_ended = [first, second].iter().all(|answer| {
            let shown = answer.events().iter().filter_map(|event| state(event.value()?));
            shown.into_iter().any(|state| view.profile.is_terminal(state))
        });
        let equal = |x: &Value, y: &Value| match first.binding == second.binding {
            true => same(x, y),
            false => same_value(view.profile, x, y),
        };
        let fits = |from: usize| {
            long.1.iter().skip(from).zip(&short.1).filter(|(x, y)| equal(x.1, y.1)).count() == short.1.len()
        };
        let last_start = long.1.len() - short.1.len();
        let starts = if both_ended { last_start..=last_start } else { 0..=last_start };
        if starts.into_iter().any(fits) {
            return Ok(Judgement::Right);
        }
        if !both_ended {
            return Err(Judgement::Unseen(Reason::StreamsUnfinished));
        }
        let tail = &long.1[last_start..];
        let differing = tail.iter().zip(&short.1).find(|(x, y)| !equal(x.1, y.1));
        let finding = match differing {
            Some(((_, wanted), (index, got))) => finding_at(short.0, *index, "", Kind::StreamsDiffer)
                .compare(format!("{} as in exchange {}", show(wanted), long.0.exchange.number), show(got)),
            None => Finding::new(Kind::StreamsDiffer).in_exchange(short.0.exchange.number),
        };
        Ok(Judgement::Wrong(vec![finding]))
    })())
}

/// The updates of a stream with their places; the task with which it begins is each reader's own.
fn updates(answer: &Answer) -> Vec<(usize, &Value)> {
    let events = answer.events().iter().enumerate().filter_map(|(index, event)| Some((index, event.value()?)));
    events.filter(|(_, event)| matches!(kind(event), Some("statusUpdate" | "artifactUpdate"))).collect()
}
