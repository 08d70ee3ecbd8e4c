//! The course of a stream beside what else is known of its task: when its events came, and what its status said.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use super::across::same_value;
use super::args::{StreamAndClock, StreamAndTask};
use super::streams::{finding_at, intact, state};
use super::{judged_apart, judged_of, judgement_of, violates};
use crate::finding::{Finding, Kind, show_found};
use crate::reason::Reason;
use crate::transcript::StreamEvent;
use crate::{CaseView, Judged, Judgement, items};

/// What `status-message-as-read` asserts: the task has what the stream showed, and the stream what the task has.
pub(super) const STATUS_MESSAGE: &[&str] = &["task", "stream"];

/// The last status on the stream and the status of the task, read after it, have the same message (1.0 sections 3.1.3 and 4.2.1, 0.3
/// sections 7.3 and 7.2.2). Its parts are compared; whether an agent fills in ids is its own affair.
pub(super) fn status_message_as_read(view: CaseView<'_>, args: &StreamAndTask) -> Judged {
    judged_of((|| {
        let answer = view.stream(&args.stream)?;
        intact(answer)?;
        let name: &str = &args.task;
        let read = view.task(name)?;
        let mut events = answer.events().iter().enumerate().rev();
        let last = events.find_map(|(index, event)| Some((index, status_in(event.value()?)?)));
        let (index, (holder, shown)) = last.ok_or(Judgement::Unseen(Reason::NoState))?;
        let held = read.get("status").unwrap_or(&Value::Null);
        let at = |member: &str| (shown.get(member).unwrap_or(&Value::Null), held.get(member).unwrap_or(&Value::Null));
        let (state_shown, state_held) = at("state");
        let times = at("timestamp");
        if state_shown != state_held || (times.0.is_string() && times.1.is_string() && times.0 != times.1) {
            return Err(Judgement::Unseen(Reason::StatusMovedOn));
        }
        let parts = |status: &Value| status.get("message").map(|message| items(message, "parts").to_vec());
        let some = |parts: &Option<Vec<Value>>| parts.as_ref().is_some_and(|parts| !parts.is_empty());
        let (sent, kept) = (parts(shown), parts(held));
        let differs = |how: &str| Finding::new(Kind::StatusMessageDiffers { held: how.to_owned() });
        let (on_stream, in_task) = (show_found(shown.get("message")), show_found(held.get("message")));
        let of_task = |how: &str| {
            let finding = view.cite(differs(how), name, "/status/message");
            violates("task", finding.compare(on_stream.clone(), in_task.clone()))
        };
        let of_stream = |how: &str| {
            let kind = Kind::StatusMessageDiffers { held: how.to_owned() };
            let finding = finding_at(answer, index, &format!("/{holder}/status/message"), kind);
            violates("stream", finding.compare(in_task.clone(), on_stream.clone()))
        };
        let (mut right, mut findings) = (BTreeSet::new(), Vec::new());
        match (some(&sent), some(&kept)) {
            (false, false) => return Err(Judgement::Unseen(Reason::NoStatusMessage)),
            (true, false) => findings.push(of_task("the task has none")),
            (false, true) => findings.push(of_stream("the stream has none")),
            (true, true) => {
                let (sent, kept) = (sent.unwrap_or_default(), kept.unwrap_or_default());
                let is_same =
                    sent.len() == kept.len() && sent.iter().zip(&kept).all(|(a, b)| same_value(view.profile, a, b));
                if !is_same {
                    findings.push(of_task("their parts differ"));
                }
                right.extend(STATUS_MESSAGE.iter().copied());
            }
        }
        Ok(judged_apart(right, findings))
    })())
}

/// The terminal state that a stream showed last is the one in which its task is read afterwards (1.0 section 3.1.3, 0.3 section 7.3).
pub(super) fn end_as_read(view: CaseView<'_>, args: &StreamAndTask) -> Judgement {
    judgement_of((|| {
        let answer = view.stream(&args.stream)?;
        let name: &str = &args.task;
        let read = view.task(name)?;
        let last = answer.events().iter().rev().find_map(|event| state(event.value()?));
        let told = last.ok_or(Judgement::Unseen(Reason::NoState))?;
        if !view.profile.is_terminal(told) {
            return Err(Judgement::Unseen(Reason::StreamOver { state: told.to_owned() }));
        }
        let held = read.pointer("/status/state").and_then(Value::as_str).unwrap_or("no state");
        if held == told {
            return Ok(Judgement::Right);
        }
        let finding = view.cite(Finding::new(Kind::EndNotRead), name, "/status/state");
        Ok(Judgement::Wrong(vec![finding.compare(told, held)]))
    })())
}

/// The status that an event shows, and the member that holds it.
fn status_in(event: &Value) -> Option<(&'static str, &Value)> {
    ["task", "statusUpdate"].into_iter().find_map(|holder| Some((holder, event.get(holder)?.get("status")?)))
}

/// The least time of work, by the agent's own clock, in which a stream has something to tell.
const LONG_WORK: Duration = Duration::from_millis(500);

/// The events of a stream come while the work goes on (1.0 section 3.1.2). How long the work took is the difference of two times
/// that the agent wrote, so that its clock need not be right. Events that come within a tenth of that time were held back, if
/// the suite was seen to be awake and the agent to answer meanwhile: two readings of another task were asked for and answered
/// within that time. So neither a slow machine nor a slow agent is taken for one that collects events.
pub(super) fn in_time(view: CaseView<'_>, args: &StreamAndClock) -> Judgement {
    judgement_of((|| {
        let answer = view.stream(&args.stream)?;
        intact(answer)?;
        let events = answer.events();
        let (Some(first), Some(last)) = (events.first(), events.last()) else {
            return Err(Judgement::Unseen(Reason::NoStatusUpdate));
        };
        let worked = work(events).filter(|worked| *worked >= LONG_WORK);
        let worked = worked.ok_or(Judgement::Unseen(Reason::WorkTooShort))?;
        let spread = last.after.saturating_sub(first.after);
        if spread >= worked / 10 {
            return Ok(Judgement::Right);
        }
        let (from, until) = (answer.exchange.started + last.after, answer.exchange.started + first.after);
        let window = from.saturating_sub(worked * 9 / 10)..=until.saturating_sub(worked / 10);
        let is_meanwhile =
            |(asked, answered): &(Duration, Duration)| window.contains(asked) && window.contains(answered);
        let clock: &str = &args.clock;
        if view.step(clock)?.seen.times().iter().filter(|times| is_meanwhile(times)).count() < 2 {
            return Err(Judgement::Unseen(Reason::NothingMeanwhile));
        }
        let expected = format!("events over the {} ms of the work", worked.as_millis());
        let received = format!("all {} events within {} ms at its end", events.len(), spread.as_millis());
        Ok(Judgement::Wrong(vec![finding_at(answer, 0, "", Kind::EventsLate).compare(expected, received)]))
    })())
}

/// How long the work took by the times of the first status at work and of the last status.
fn work(events: &[StreamEvent]) -> Option<Duration> {
    let time = |event: &StreamEvent| {
        let event = event.value()?;
        let _shown = state(event)?;
        status_in(event)?.1.get("timestamp")?.as_str()?.parse::<jiff::Timestamp>().ok()
    };
    let mut times = events.iter().filter_map(time);
    let first = times.next()?;
    let last = times.next_back()?;
    Duration::try_from(last.duration_since(first)).ok()
}
