//! What references of a case name in what came of a step.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::Observation;
use crate::case::follow;
use crate::transcript::{Content, StreamEvent};

impl Observation {
    /// What a path names in it: `task`, `message`, `result`, `request`, `events`, `error`, `http` and `headers` lead on.
    pub fn refer(&self, path: &str) -> Option<Value> {
        find(self, path)
    }
}

/// The ids of the task that a stream is about, where it does not show the task itself.
fn task_of_update(events: &[Value]) -> Option<Value> {
    let update = events.iter().find_map(|event| event.get("statusUpdate").or_else(|| event.get("artifactUpdate")))?;
    Some(json!({ "id": update.get("taskId")?, "contextId": update.get("contextId") }))
}

fn find(seen: &Observation, path: &str) -> Option<Value> {
    let (member, rest) = path.split_once('.').map_or((path, None), |(member, rest)| (member, Some(rest)));
    let whole = member_of(seen, member)?;
    match rest {
        None => Some(whole.into_owned()),
        Some(rest) => follow(&whole, rest).cloned(),
    }
}

fn member_of<'a>(seen: &'a Observation, member: &str) -> Option<Cow<'a, Value>> {
    if seen.delivered().is_some() {
        return seen.root().filter(|_| member == "result");
    }
    let answer = seen.answer()?;
    match member {
        "task" => seen.task().map(Cow::Borrowed).or_else(|| match &answer.content {
            Content::Stream(events) => task_of_update(&values(events)).map(Cow::Owned),
            _ => None,
        }),
        "message" => answer.result()?.get("message").map(Cow::Borrowed),
        "result" => seen.root(),
        "request" => Some(Cow::Borrowed(&answer.exchange.request.params)),
        "events" => match &answer.content {
            Content::Stream(events) => Some(Cow::Owned(Value::Array(values(events)))),
            _ => None,
        },
        "error" => answer.refusal().map(|error| Cow::Borrowed(&error.value)),
        "http" => answer.exchange.response.as_ref().map(|response| Cow::Owned(json!({ "status": response.status }))),
        "headers" => {
            let headers = answer.exchange.response.as_ref()?.headers.iter();
            let headers: Map<String, Value> = headers.map(|(name, value)| (name.clone(), json!(value))).collect();
            Some(Cow::Owned(Value::Object(headers)))
        }
        _ => None,
    }
}

fn values(events: &[StreamEvent]) -> Vec<Value> {
    events.iter().map(|event| event.value().cloned().unwrap_or_default()).collect()
}
