//! The conversation behind a verdict: each exchange of the steps of a case, in one line.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::diagnostic::words::count;
use crate::finding::show;
use crate::judge::{StepRecord, describe};
use crate::transcript::{Answer, Content, Exchange};
use crate::verdict::StepInfo;

/// The most exchanges of one case that are kept.
const MOST: usize = 16;
/// How many of them are the first, which show what the case began with. The others are the last.
const FIRST: usize = 4;
/// The most characters of the body of a request that has no parameters.
const BODY: usize = 120;

/// The exchanges of a case in their order, the middle left out where there are many; with the number of those left out.
pub(super) fn of(played: &[StepRecord]) -> (Vec<StepInfo>, usize) {
    let answers = played.iter().flat_map(|played| played.seen.answers().iter().map(|answer| (&played.name, answer)));
    // Exchanges have their numbers from when they began. A stream that was opened and then drained is there twice, at last as a whole.
    let last: BTreeMap<u64, _> = answers.map(|answer| (answer.1.exchange.number, answer)).collect();
    let mut steps: Vec<StepInfo> = last.into_values().map(|(name, answer)| step(name.as_deref(), answer)).collect();
    let left_out = steps.len().saturating_sub(MOST);
    if left_out > 0 {
        steps.drain(FIRST..FIRST + left_out);
    }
    (steps, left_out)
}

fn step(name: Option<&str>, answer: &Answer) -> StepInfo {
    StepInfo {
        exchange: answer.exchange.number,
        name: name.map(str::to_owned),
        sent: sent(&answer.exchange),
        received: match &answer.content {
            Content::Result(payload) => in_short(&payload.reading.value).unwrap_or_else(|| describe(answer)),
            _ => describe(answer),
        },
    }
}

/// What readers look for in a result; nothing where it has nothing of the kind.
fn in_short(result: &Value) -> Option<String> {
    let inner = result.get("task").or_else(|| result.get("message")).unwrap_or(result);
    let text = |pointer: &str| inner.pointer(pointer).and_then(Value::as_str);
    if let (Some(id), Some(state)) = (text("/id"), text("/status/state")) {
        return Some(format!("the task {id} in {state}"));
    }
    if let Some(said) = text("/parts/0/text") {
        return Some(format!("a message: {said:?}"));
    }
    let tasks = result.get("tasks")?.as_array()?;
    let ids: Vec<&str> = tasks.iter().filter_map(|task| task.get("id")?.as_str()).collect();
    Some(format!("{}: {}", count(tasks.len(), "task"), ids.join(", ")))
}

/// The text of a message that has nothing else but a task; nothing of other parameters.
fn said(params: &Value) -> Option<String> {
    let members = params.as_object()?;
    let message = members.get("message")?.as_object()?;
    let is_usual = |name: &String| ["messageId", "role", "parts", "taskId", "contextId"].contains(&name.as_str());
    let [part] = message.get("parts")?.as_array()?.as_slice() else { return None };
    let text = part.get("text")?.as_str().filter(|_| part.as_object().is_some_and(|part| part.len() == 1))?;
    if members.len() > 1 || !message.keys().all(is_usual) {
        return None;
    }
    match message.get("taskId").and_then(Value::as_str) {
        Some(task) => Some(format!("{text:?} to the task {task}")),
        None => Some(format!("{text:?}")),
    }
}

/// What was sent: the operation with its parameters, or the beginning of the bytes.
fn sent(exchange: &Exchange) -> String {
    let request = &exchange.request;
    if let Some(operation) = request.operation {
        return match request.params.is_null() {
            true => operation.to_string(),
            false => format!("{operation} {}", said(&request.params).unwrap_or_else(|| show(&request.params))),
        };
    }
    let body: String = String::from_utf8_lossy(&request.body).chars().take(BODY).collect();
    match request.is_verbatim {
        true => format!("these bytes: {body}"),
        false => format!("{} {} {body}", request.method, request.url).trim_end().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_step_names_what_readers_look_for() {
        let task = json!({ "id": "t-1", "status": { "state": "TASK_STATE_WORKING" }, "history": [] });
        assert_eq!(in_short(&task).as_deref(), Some("the task t-1 in TASK_STATE_WORKING"));
        assert_eq!(in_short(&json!({ "task": task })).as_deref(), Some("the task t-1 in TASK_STATE_WORKING"));
        let message = json!({ "message": { "parts": [{ "text": "hi" }] } });
        assert_eq!(in_short(&message).as_deref(), Some("a message: \"hi\""));
        assert_eq!(in_short(&json!({ "tasks": [task, task] })).as_deref(), Some("2 tasks: t-1, t-1"));
        assert_eq!(in_short(&json!({ "url": "https://a.example" })), None);
    }

    #[test]
    fn a_message_that_is_odd_is_shown_whole() {
        let message =
            |text: Value| json!({ "message": { "messageId": "m", "role": "user", "parts": [text], "taskId": "t" } });
        assert_eq!(said(&message(json!({ "text": "slow" }))).as_deref(), Some("\"slow\" to the task t"));
        assert_eq!(said(&message(json!({ "text": 7 }))), None);
        assert_eq!(said(&message(json!({ "text": "slow", "data": {} }))), None);
        assert_eq!(said(&json!({ "message": {}, "configuration": {} })), None);
        assert_eq!(said(&json!({ "id": "t" })), None);
    }
}
