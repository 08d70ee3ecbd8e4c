//! An agent that reads the draft of 1.0 otherwise than the reference agent, where its sections contradict each other, is as
//! right (docs/interpretations.md): tasks by name, results with a member around them, configurations without their task,
//! `canceled`.

use axum::body::{Body, Bytes};
use axum::http::Response;
use serde_json::{Map, Value, json};

use super::program;
use super::proxy::{is_stream, reference_agent, unchanged};

/// The member that a bare result has around it in the other form.
fn member(result: &Map<String, Value>) -> Option<&'static str> {
    match ["status", "taskId", "artifact", "parts"].map(|name| result.contains_key(name)) {
        [true, true, ..] => Some("statusUpdate"),
        [true, ..] => Some("task"),
        [_, _, true, _] => Some("artifactUpdate"),
        [.., true] => Some("message"),
        _ => None,
    }
}

fn wrapped(result: Value) -> Value {
    match result.as_object().and_then(member) {
        Some(name) => json!({ name: result }),
        None => result,
    }
}

/// The configuration alone, or a bare list of them.
fn without_task(result: Value) -> Value {
    match (result.get("configs").and_then(Value::as_array), result.get("pushNotificationConfig")) {
        (Some(all), _) => all.iter().cloned().map(without_task).collect(),
        (None, Some(config)) => config.clone(),
        (None, None) => result,
    }
}

fn respell(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if members.get("state").is_some_and(|state| state == "cancelled") {
                members.insert("state".to_owned(), json!("canceled"));
            }
            members.values_mut().for_each(respell);
        }
        Value::Array(items) => items.iter_mut().for_each(respell),
        _ => {}
    }
}

/// A response with its result in the other form.
fn other(method: &str, mut response: Value) -> Value {
    if let Some(result) = response.get_mut("result") {
        let own = result.take();
        *result = match method {
            "SendMessage" | "SendStreamingMessage" | "SubscribeToTask" => wrapped(own),
            _ if method.contains("Push") => without_task(own),
            _ => own,
        };
        respell(result);
    }
    response
}

/// What the agent answers to a call.
fn answer(call: &Value, answer: Response<Bytes>) -> Response<Body> {
    let method = call["method"].as_str().unwrap_or_default();
    if call["params"].get("id").is_some() {
        let error = json!({ "code": -32602, "message": "a task is asked for by its `name`" });
        let body = json!({ "jsonrpc": "2.0", "id": call["id"], "error": error }).to_string();
        return Response::builder().header("content-type", "application/json").body(Body::from(body)).unwrap();
    }
    let text = String::from_utf8_lossy(answer.body()).into_owned();
    let read =
        |text: &str| serde_json::from_str::<Value>(text).ok().map(|response| other(method, response).to_string());
    let body = if is_stream(&answer) {
        let line = |line: &str| match line.strip_prefix("data:").and_then(read) {
            Some(data) => format!("data: {data}\n"),
            None => format!("{line}\n"),
        };
        text.lines().map(line).collect()
    } else {
        read(&text).unwrap_or(text)
    };
    answer.map(|_| Body::from(body))
}

#[test]
fn the_other_side_of_every_contradiction_is_right() {
    let agent = reference_agent(|asked, came| match serde_json::from_str::<Value>(&asked.body) {
        Ok(call) if call.is_object() => answer(&call, came),
        _ => unchanged(came),
    });
    let url = format!("{}/1.0-draft", agent.url);
    let of_notes = ["jsonrpc/bare-results", "jsonrpc/task-by-id", "data/cancelled-spelling"];
    let of_demands = [
        "send/task-or-message",
        "get/existing",
        "get/unknown-id",
        "cancel/takes-effect",
        "push/list",
        "push/set-answers",
        "push/read-address",
        "push/delete-removes",
        "stream/pattern",
        "stream/final-at-the-end",
        "data/send-response",
        "data/stream-response",
        "data/task-states",
        "jsonrpc/escaped-text",
        "jsonrpc/white-space",
    ];
    let mut arguments = vec!["check", &url, "--profile", "1.0-draft", "--binding", "jsonrpc"];
    for case in of_demands.iter().chain(&of_notes) {
        arguments.extend(["--only", case]);
    }
    let ran = program::run(&arguments, &[]);
    let said = ran.stdout.as_str();
    assert_eq!(ran.code, 0, "{said}{}", ran.stderr);
    for part in ["`json-by-name`", "there are 3 notes"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("UNREACHED"), "{said}");
    for case in of_notes {
        assert!(said.contains(case), "{case} is not noted: {said}");
    }
}

/// The definition of 0.3 makes the configuration the body of the request that sets it (`body: "config"`), where the text has
/// an object with it (7.5).
#[test]
fn a_configuration_may_be_the_whole_body() {
    let agent = reference_agent(|asked, came| {
        let body = serde_json::from_str::<Value>(&asked.body).unwrap_or_default();
        if !asked.path.ends_with("/pushNotificationConfigs") || body.get("config").is_none() {
            return unchanged(came);
        }
        let error = json!({ "message": "unknown member: config" }).to_string();
        Response::builder().status(400).header("content-type", "application/json").body(Body::from(error)).unwrap()
    });
    let cases = ["push/set-and-get", "push/list-shows-all", "push/delete-removes", "push/of-unknown-task"];
    let mut arguments = vec!["check", &agent.url, "--profile", "0.3", "--binding", "http-json"];
    cases.iter().for_each(|case| arguments.extend(["--only", case]));
    let ran = program::run(&arguments, &[]);
    let said = ran.stdout.as_str();
    assert_eq!(ran.code, 0, "{said}{}", ran.stderr);
    assert!(said.contains("in the dialect `proto`") && !said.contains("UNREACHED"), "{said}");
}
