//! What is answered is what was asked for: the task, the context, the webhook, what a list is filtered by, and how long it may be.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::args::Nothing;
use super::sent::{payloads, tasks};
use super::{judged_apart, violates};
use crate::finding::{Finding, Kind, show, show_found};
use crate::profile::Operation;
use crate::reason::Reason;
use crate::transcript::{Answer, Payload, task_in};
use crate::{Judged, Judgement, RunView, items};

/// What `as-asked` asserts.
pub(super) const AS_ASKED: &[&str] = &["task", "context", "webhook", "filter", "since", "page", "once"];

/// The most items that a page can be asked for (1.0, section 3.1.4).
const LARGEST_PAGE: u64 = 100;
/// Agents keep times to the millisecond.
const MOMENT: SignedDuration = SignedDuration::from_millis(1);

/// Each answer is about what its request has named.
pub(super) fn as_asked(view: RunView<'_>, _: &Nothing) -> Judged {
    let mut found = Found { held: BTreeSet::new(), findings: Vec::new() };
    for answer in view.answers {
        let request = &answer.exchange.request;
        let Some(operation) = request.operation.filter(|_| request.params.is_object()) else { continue };
        for (payload, event) in payloads(answer) {
            let at = At { view: &view, answer, payload, event, operation };
            match operation {
                Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask => {
                    of_task(&at, "/id", &mut found);
                }
                Operation::SendMessage | Operation::SendStreamingMessage => {
                    of_task(&at, "/message/taskId", &mut found);
                    of_context(&at, &mut found);
                }
                Operation::ListTasks => of_list(&at, &mut found),
                Operation::CreateTaskPushNotificationConfig
                | Operation::GetTaskPushNotificationConfig
                | Operation::ListTaskPushNotificationConfigs => of_webhooks(&at, &mut found),
                Operation::DeleteTaskPushNotificationConfig | Operation::GetExtendedAgentCard => {}
            }
        }
    }
    match found.held.is_empty() {
        true => Judgement::Unseen(Reason::run_saw_no("answer to what names something")).into(),
        false => judged_apart(found.held, found.findings),
    }
}

struct Found {
    held: BTreeSet<&'static str>,
    findings: Vec<Finding>,
}

/// A result, or an event of a stream.
struct At<'a> {
    view: &'a RunView<'a>,
    answer: &'a Answer,
    payload: &'a Payload,
    event: Option<usize>,
    operation: Operation,
}

impl<'a> At<'a> {
    fn params(&self) -> &'a Value {
        &self.answer.exchange.request.params
    }

    fn value(&self) -> &'a Value {
        &self.payload.reading.value
    }

    fn finding(&self, kind: Kind, place: &str) -> Finding {
        let finding = Finding::new(kind).at(self.answer.exchange.number, self.payload.locate(place));
        Finding { event: self.event, ..finding }
    }

    /// Whether the wire of the version has a place for this of the parameters: what it has none for was not asked.
    fn was_written(&self, asked: &str) -> bool {
        let view = self.view;
        let Some(kind) = view.profile.operation(self.operation).and_then(|facts| facts.params.as_deref()) else {
            return false;
        };
        if self.answer.binding != view.binding || !view.dialect.tells_of(kind, asked) {
            return false;
        }
        let written = view.dialect.from_wire(kind, view.dialect.to_wire(kind, self.params()));
        written.value.pointer(asked) == self.params().pointer(asked)
    }

    /// What is shown at a place is what was asked for, if anything is shown there.
    fn compare(&self, name: &'static str, asked: &str, place: &str, found: &mut Found) {
        let (Some(wanted), Some(shown)) = (text(self.params(), asked), text(self.value(), place)) else { return };
        found.held.insert(name);
        if shown != wanted && self.was_written(asked) {
            let member = place.rsplit('/').next().unwrap_or_default().to_owned();
            let kind = Kind::AnsweredOtherwise { operation: self.operation.to_string(), member };
            let finding = self.finding(kind, place).compare(show(&Value::from(wanted)), show(&Value::from(shown)));
            found.findings.push(violates(name, finding));
        }
    }
}

fn text<'a>(value: &'a Value, place: &str) -> Option<&'a str> {
    value.pointer(place).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// The task, or what an event says of it, is the one that was named.
fn of_task(at: &At<'_>, asked: &str, found: &mut Found) {
    let value = at.value();
    match task_in(value) {
        Some(task) => at.compare("task", asked, if std::ptr::eq(task, value) { "/id" } else { "/task/id" }, found),
        None => {
            for place in ["/statusUpdate/taskId", "/artifactUpdate/taskId", "/message/taskId"] {
                at.compare("task", asked, place, found);
            }
        }
    }
}

/// A context that an agent cannot take is refused; it is not replaced (1.0, section 3.4.1).
fn of_context(at: &At<'_>, found: &mut Found) {
    for place in ["/contextId", "/task/contextId", "/message/contextId", "/statusUpdate/contextId"] {
        at.compare("context", "/message/contextId", place, found);
    }
}

fn of_webhooks(at: &At<'_>, found: &mut Found) {
    of_items(at, ("configs", "webhook"), found);
    at.compare("webhook", "/taskId", "/taskId", found);
    for index in 0..items(at.value(), "configs").len() {
        at.compare("webhook", "/taskId", &format!("/configs/{index}/taskId"), found);
    }
    if at.operation == Operation::GetTaskPushNotificationConfig {
        at.compare("webhook", "/id", "/id", found);
    }
}

/// One list has nothing twice.
fn of_items(at: &At<'_>, (list, what): (&str, &str), found: &mut Found) {
    let mut seen = BTreeSet::new();
    for (index, item) in items(at.value(), list).iter().enumerate() {
        let Some(id) = text(item, "/id") else { continue };
        found.held.insert("once");
        if !seen.insert((id, text(item, "/taskId"))) {
            let finding = at.finding(Kind::ListedTwice { of: what.to_owned() }, &format!("/{list}/{index}"));
            found.findings.push(violates("once", finding.compare(format!("{id} once"), format!("{id} again"))));
            return;
        }
    }
}

fn of_list(at: &At<'_>, found: &mut Found) {
    of_items(at, ("tasks", "task"), found);
    let params = at.params();
    let listed = tasks(at.value());
    let size = params.get("pageSize").and_then(Value::as_u64).filter(|size| (1..=LARGEST_PAGE).contains(size));
    if let Some(size) = size {
        found.held.insert("page");
        if listed.len() as u64 > size && at.was_written("/pageSize") {
            let finding = at.finding(Kind::PageTooLong, "/tasks");
            found.findings.push(violates("page", finding.compare(size.to_string(), listed.len().to_string())));
        }
    }
    let context = text(params, "/contextId");
    // A task that is at work may have gone on since it was looked for; one that has ended has not.
    let state = text(params, "/status").filter(|state| at.view.profile.is_terminal(state));
    let since = text(params, "/statusTimestampAfter").and_then(|time| time.parse::<Timestamp>().ok());
    let leaves_out = params.get("includeArtifacts").and_then(Value::as_bool) == Some(false);
    for (place, task) in listed {
        if let Some(context) = context {
            filter(at, "contextId", (&place, "/contextId", task), context, |shown| shown == context, found);
        }
        if let Some(state) = state {
            filter(at, "status", (&place, "/status/state", task), state, |shown| shown == state, found);
        }
        if let Some(since) = since {
            let is_after =
                |shown: &str| shown.parse::<Timestamp>().map_or(true, |shown| since.duration_since(shown) <= MOMENT);
            let wanted = format!("at or after {since}");
            filter(at, "statusTimestampAfter", (&place, "/status/timestamp", task), &wanted, is_after, found);
        }
        if leaves_out {
            found.held.insert("filter");
            if !items(task, "artifacts").is_empty() && at.was_written("/includeArtifacts") {
                let kind = Kind::FilterNotKept { member: "includeArtifacts".to_owned() };
                let finding = at.finding(kind, &format!("{place}/artifacts"));
                let finding = finding.compare("no artifacts", show_found(task.get("artifacts")));
                found.findings.push(violates("filter", finding));
            }
        }
    }
}

fn filter(
    at: &At<'_>,
    member: &str,
    (place, of, task): (&str, &str, &Value),
    wanted: &str,
    keeps: impl Fn(&str) -> bool,
    found: &mut Found,
) {
    let Some(shown) = text(task, of) else { return };
    // Versions differ about which time is meant.
    let name = if member == "statusTimestampAfter" { "since" } else { "filter" };
    found.held.insert(name);
    if !keeps(shown) && at.was_written(&format!("/{member}")) {
        let finding = at.finding(Kind::FilterNotKept { member: member.to_owned() }, &format!("{place}{of}"));
        found.findings.push(violates(name, finding.compare(wanted, shown)));
    }
}
