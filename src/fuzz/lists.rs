//! One list, asked for in several ways: in pages, in other words, and before and after one change.

use jiff::{Timestamp, ToSpan as _};
use serde_json::{Value, json};

use super::across::{HERE, THERE, agree};
use super::aim::Aim;
use super::bytes::written;
use super::probe::{Body, Hold, Probe, step};
use super::request;
use super::spoken_otherwise::reordered;
use crate::generate::{Choices, free};
use crate::profile::{Binding, Operation};

const LIST: Operation = Operation::ListTasks;
/// The name of the first step, and of the list before and after a change.
const MADE: &str = "made";
const BEFORE: &str = "before";
const AFTER: &str = "after";
/// The most tasks that a context has for it.
const MOST_TASKS: usize = 6;
/// How far ahead of UTC an instant is told elsewhere, in hours.
const AHEAD: i64 = 8;
/// The case on which it rests that a list is the same when it is asked for once more.
const REPEATABLE: &str = "list/repeatable";

/// The list of a context of several tasks as one page, and page by page.
pub(super) fn paged(aim: &Aim, choices: &mut Choices<'_>) -> Option<Vec<Probe>> {
    let size = 1 + choices.below(3);
    let count = size + 1 + choices.below(MOST_TASKS - size);
    let mut steps = context(aim, count)?;
    let name = |number: usize| format!("page{number}");
    let further = further_words(aim, choices);
    let ask = |size: usize| with(&further, json!({ "contextId": "${made.task.contextId}", "pageSize": size }));
    steps.push(Probe {
        name: "whole".to_owned(),
        is_needed: true,
        class: "plain-read".to_owned(),
        ..step(LIST, ask(100))
    });
    let mut pages: Vec<String> = Vec::new();
    for number in 0..count.div_ceil(size) {
        let mut params = ask(size);
        if let Some(before) = pages.last() {
            request::put(&mut params, "/pageToken", json!(format!("${{{before}.result.nextPageToken}}")));
        }
        pages.push(name(number));
        let args = json!({ "whole": "whole", "pages": pages });
        let holds = vec![Hold::of_sense("pages-agree", args, "list/walk-covers")];
        let page = step(LIST, params);
        steps.push(Probe { name: name(number), is_needed: true, class: "plain-read".to_owned(), holds, ..page });
    }
    Some(steps)
}

/// The list of a context in another spelling: what a client leaves out is said, members stand in another order, a number has a fraction of
/// zero, an instant is told in another offset.
pub(super) fn respelled(aim: &Aim, choices: &mut Choices<'_>) -> Option<Vec<Probe>> {
    let mut steps = context(aim, 1 + choices.below(2))?;
    let of = |more: Value| {
        let mut params = json!({ "contextId": "${made.task.contextId}", "pageSize": 5 });
        if let (Value::Object(params), Value::Object(more)) = (&mut params, more) {
            params.extend(more);
        }
        params
    };
    let since = |time: &str| json!({ "statusTimestampAfter": time });
    let (here, there, class) = match choices.below(4) {
        0 => (json!({}), json!({ "includeArtifacts": false }), "plain-read"),
        1 => (json!({ "status": "TASK_STATE_COMPLETED" }), json!({}), "plain-read"),
        // 1.0, section 5.6.1: clients write UTC, and an agent may refuse what is not.
        2 => {
            let time = aim.fill(&json!("${done.status.timestamp}"))?.as_str()?.parse::<Timestamp>().ok()?;
            // Who does not look at the offset takes this for an instant in the future.
            let elsewhere = (time + AHEAD.hours()).to_string().replace('Z', "+08:00");
            (since(&time.to_string()), since(&elsewhere), "open")
        }
        _ => (json!({ "historyLength": 0 }), json!({ "historyLength": 0 }), "open"),
    };
    let dialect = &aim.session.connection.interface.dialect;
    let kind = aim.params(LIST)?;
    if ["/includeArtifacts", "/statusTimestampAfter"].iter().any(|place| !dialect.tells_of(kind, place)) {
        return None;
    }
    let there = match (class, aim.session.connection.interface.binding) {
        ("open", Binding::Jsonrpc) if there.get("historyLength").is_some() => {
            let request = written(aim, LIST, of(there))?;
            let text = match choices.below(2) {
                0 => reordered(&request.body)?,
                _ => request.body.replace("\"pageSize\":5", "\"pageSize\":5.0"),
            };
            request.with_body(LIST, class, Body::Text(text))
        }
        _ => Probe { class: class.to_owned(), ..step(LIST, of(there)) },
    };
    let ask = || Probe { class: "plain-read".to_owned(), is_needed: true, ..step(LIST, of(here.clone())) };
    steps.push(Probe { name: HERE.to_owned(), ..ask() });
    steps.push(Probe { name: THERE.to_owned(), ..there });
    steps.push(Probe { holds: vec![agree(REPEATABLE)], ..ask() });
    Some(steps)
}

/// The list of a context before and after a task was made in it.
pub(super) fn grown(aim: &Aim, choices: &mut Choices<'_>) -> Option<Vec<Probe>> {
    let mut steps = context(aim, 1 + choices.below(2))?;
    let size = if choices.below(2) == 0 { 100 } else { MOST_TASKS + choices.below(95) };
    let params = json!({ "contextId": "${made.task.contextId}", "pageSize": size });
    let params = with(&further_words(aim, choices), params);
    let list = |name: &str| Probe {
        name: name.to_owned(),
        is_needed: true,
        class: "plain-read".to_owned(),
        ..step(LIST, params.clone())
    };
    steps.push(list(BEFORE));
    steps.push(Probe { name: "new".to_owned(), ..further(aim) });
    let args = json!({ "before": BEFORE, "after": AFTER, "made": "new" });
    steps.push(Probe { holds: vec![Hold::of_sense("list-changed", args, "list/contains-created")], ..list(AFTER) });
    Some(steps)
}

/// What the list of a context may be asked for beside, and holds the same tasks with: all have ended, and a moment ago.
fn further_words(aim: &Aim, choices: &mut Choices<'_>) -> Vec<(&'static str, Value)> {
    let all = [
        ("/status", json!("TASK_STATE_COMPLETED")),
        ("/includeArtifacts", json!(choices.below(2) == 1)),
        ("/historyLength", json!(choices.below(12))),
        ("/statusTimestampAfter", json!(long_ago(choices))),
    ];
    let (dialect, kind) = (&aim.session.connection.interface.dialect, aim.params(LIST));
    let is_known = |place: &str| kind.is_some_and(|kind| dialect.tells_of(kind, place));
    all.into_iter().filter(|(place, _)| choices.below(3) == 2 && is_known(place)).collect()
}

/// An instant of long ago, with so many digits of a fraction as are decided.
fn long_ago(choices: &mut Choices<'_>) -> String {
    let digits: String = (0..choices.below(10)).map(|_| choices.below(10).to_string()).collect();
    let fraction = if digits.is_empty() { digits } else { format!(".{digits}") };
    format!("{}-01-01T00:00:00{fraction}Z", 1970 + choices.below(50))
}

fn with(further: &[(&str, Value)], mut params: Value) -> Value {
    for (place, value) in further {
        request::put(&mut params, place, value.clone());
    }
    params
}

/// The webhooks of a task before and after one was set, and after it was deleted.
pub(super) fn of_webhooks(aim: &Aim, choices: &mut Choices<'_>) -> Option<Vec<Probe>> {
    const SET: Operation = Operation::CreateTaskPushNotificationConfig;
    const LISTED: Operation = Operation::ListTaskPushNotificationConfigs;
    const DELETE: Operation = Operation::DeleteTaskPushNotificationConfig;
    let has = |operation: &Operation| aim.operations.contains(operation) && aim.refuses(*operation).is_none();
    if ![SET, LISTED].iter().all(has) || !has(&Operation::SendMessage) || !aim.has_webhook_ids() {
        return None;
    }
    let mut steps = vec![Probe { name: MADE.to_owned(), ..made(aim, request::message(&aim.word)) }];
    let token = free::text(choices, 300);
    // A page that has room for all of them.
    let size = (choices.below(2) == 1).then(|| json!(3 + choices.below(98)));
    let set = |name: &str| {
        let url = "https://a2aspec.invalid/webhook";
        let mut params = json!({ "taskId": "${made.task.id}", "id": "a2aspec-${unique}", "url": url });
        aim.add(SET, &mut params, ("/token", json!(token)));
        Probe { name: name.to_owned(), is_needed: true, ..step(SET, params) }
    };
    let list = |name: &str| {
        let mut params = json!({ "taskId": "${made.task.id}" });
        size.iter().for_each(|size| aim.add(LISTED, &mut params, ("/pageSize", size.clone())));
        Probe { name: name.to_owned(), is_needed: true, ..step(LISTED, params) }
    };
    let changed = |args: Value| vec![Hold::of_sense("list-changed", args, "push/list")];
    if choices.below(2) == 1 {
        steps.push(set("other"));
    }
    // Page by page, as far as the agent has pages.
    if choices.below(3) == 2 {
        let more = 2 + choices.below(4);
        steps.extend((0..more).map(|number| set(&format!("page{number}-set"))));
        for number in 0..=more {
            let mut params = json!({ "taskId": "${made.task.id}" });
            aim.add(LISTED, &mut params, ("/pageSize", json!(1)));
            if let Some(before) = number.checked_sub(1) {
                aim.add(LISTED, &mut params, ("/pageToken", json!(format!("${{page{before}.result.nextPageToken}}"))));
            }
            steps.push(Probe { name: format!("page{number}"), is_needed: true, ..step(LISTED, params) });
        }
        return Some(steps);
    }
    steps.extend([list(BEFORE), set("new")]);
    let args = json!({ "before": BEFORE, "after": AFTER, "made": "new" });
    steps.push(Probe { holds: changed(args), ..list(AFTER) });
    if aim.operations.contains(&DELETE) && choices.below(2) == 1 {
        let params = json!({ "taskId": "${made.task.id}", "id": "${new.result.id}" });
        steps.push(Probe { name: "gone".to_owned(), is_needed: true, ..step(DELETE, params) });
        let args = json!({ "before": AFTER, "after": "end", "gone": "gone" });
        steps.push(Probe { holds: changed(args), ..list("end") });
    }
    Some(steps)
}

/// A new context with so many tasks that have ended.
fn context(aim: &Aim, count: usize) -> Option<Vec<Probe>> {
    let has = |operation: &Operation| aim.operations.contains(operation);
    if ![Operation::SendMessage, LIST].iter().all(has) || aim.refuses(LIST).is_some() || count == 0 {
        return None;
    }
    // A list of which nobody can say what it is of has everything.
    let (dialect, kind) = (&aim.session.connection.interface.dialect, aim.params(LIST)?);
    if !["/contextId", "/pageSize", "/pageToken"].iter().all(|place| dialect.tells_of(kind, place)) {
        return None;
    }
    let first = Probe { name: MADE.to_owned(), ..made(aim, request::message(&aim.word)) };
    Some(std::iter::once(first).chain((1..count).map(|_| further(aim))).collect())
}

/// One more task in the context.
fn further(aim: &Aim) -> Probe {
    let mut params = request::message(&aim.word);
    request::put(&mut params, "/message/contextId", json!("${made.task.contextId}"));
    made(aim, params)
}

/// A message whose task has ended when it is answered.
fn made(aim: &Aim, mut params: Value) -> Probe {
    aim.answer_at_once(&mut params, false);
    Probe { is_needed: true, ..step(Operation::SendMessage, params) }
}
