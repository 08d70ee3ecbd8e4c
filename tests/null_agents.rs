//! Agents that do nothing: whatever they say to everything, no case about behaviour may pass on it.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "common/agent.rs"]
mod agent;
#[path = "common/program.rs"]
mod program;

use std::time::{Duration, Instant};

use agent::{Agent, card};
use axum::Router;
use axum::http::header;
use axum::routing::{get, post};
use serde_json::{Value, json};

/// Seconds for which the suite waits for an answer.
const TIMEOUT: &str = "2";

/// The longest that a run may take: an agent that answers at once must not keep the suite waiting.
const BOUND: Duration = Duration::from_secs(60);

/// What such an agent says to a request with this id.
type Says = fn(id: Value) -> String;

fn error(id: Value, code: i64, message: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }).to_string()
}

fn an_empty_object(_: Value) -> String {
    "{}".to_owned()
}

fn a_message_of_1_0(id: Value) -> String {
    let message = json!({ "messageId": "always-the-same", "role": "ROLE_AGENT", "parts": [{ "text": "hello" }] });
    json!({ "jsonrpc": "2.0", "id": id, "result": { "message": message } }).to_string()
}

fn a_message_of_0_3(id: Value) -> String {
    let parts = json!([{ "kind": "text", "text": "hello" }]);
    let message = json!({ "kind": "message", "messageId": "always-the-same", "role": "agent", "parts": parts });
    json!({ "jsonrpc": "2.0", "id": id, "result": message }).to_string()
}

fn a_completed_task_of_1_0(id: Value) -> String {
    let status = json!({ "state": "TASK_STATE_COMPLETED", "timestamp": "2026-01-31T12:00:00.000Z" });
    let task = json!({ "id": "always-the-same", "contextId": "c", "status": status });
    // The members of a task beside it make the same answer fit GetTask.
    let mut result = task.clone();
    result["task"] = task;
    json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string()
}

fn a_completed_task_of_0_3(id: Value) -> String {
    let status = json!({ "state": "completed", "timestamp": "2026-01-31T12:00:00.000Z" });
    let task = json!({ "kind": "task", "id": "always-the-same", "contextId": "c", "status": status });
    json!({ "jsonrpc": "2.0", "id": id, "result": task }).to_string()
}

fn no_such_task(id: Value) -> String {
    error(id, -32001, "Task not found")
}

fn an_internal_error(id: Value) -> String {
    error(id, -32603, "Internal error")
}

fn an_invalid_request(id: Value) -> String {
    error(id, -32600, "Invalid Request")
}

fn nothing(_: Value) -> String {
    String::new()
}

/// An agent with a right card that says the same to everything.
fn agent(profile: &'static str, says: Says) -> Agent {
    Agent::serve(async move |url| {
        let card = card(profile, &format!("{url}/rpc")).to_string();
        let json = [(header::CONTENT_TYPE, "application/json")];
        let answer = move |body: String| async move {
            let request: Value = serde_json::from_str(&body).unwrap_or_default();
            let id = request.get("id").cloned().unwrap_or_default();
            ([(header::CONTENT_TYPE, "application/json")], says(id))
        };
        Router::new()
            .route("/.well-known/agent-card.json", get(move || std::future::ready((json, card))))
            .route("/rpc", post(answer))
    })
}

/// Runs everything against such an agent and looks for cases that pass.
fn nothing_passes(profile: &'static str, says: Says) {
    let agent = agent(profile, says);
    let began = Instant::now();
    let ran = program::run(&["check", &agent.url, "--timeout", TIMEOUT, "--report", "json"], &[]);
    let took = began.elapsed();
    let report: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    let results = report["results"].as_array().unwrap();
    let of_profile = |result: &&Value| result["profile"] == profile;
    assert!(results.iter().filter(of_profile).count() > 100, "the suite has more cases than that");
    let passed: Vec<&str> = results
        .iter()
        .filter(|result| result["verdict"] == "pass")
        .map(|result| result["case"].as_str().unwrap())
        .filter(|case| !case.starts_with("card/") || *case == "card/serves-declared")
        .collect();
    assert!(passed.is_empty(), "{passed:#?} pass on an agent that says the same to everything");
    assert_ne!(ran.code, 0, "{}", ran.stderr);
    assert!(took < BOUND, "the run took {} s", took.as_secs());
}

macro_rules! agents {
    ($($name:ident: $profile:literal, $says:path;)*) => {
        $(#[test]
        fn $name() {
            nothing_passes($profile, $says);
        })*
    };
}

agents! {
    an_empty_object_in_1_0: "1.0", an_empty_object;
    an_empty_object_in_0_3: "0.3", an_empty_object;
    the_same_message_in_1_0: "1.0", a_message_of_1_0;
    the_same_message_in_0_3: "0.3", a_message_of_0_3;
    the_same_task_in_1_0: "1.0", a_completed_task_of_1_0;
    the_same_task_in_0_3: "0.3", a_completed_task_of_0_3;
    no_such_task_in_1_0: "1.0", no_such_task;
    no_such_task_in_0_3: "0.3", no_such_task;
    an_internal_error_in_1_0: "1.0", an_internal_error;
    an_internal_error_in_0_3: "0.3", an_internal_error;
    an_invalid_request_in_1_0: "1.0", an_invalid_request;
    an_invalid_request_in_0_3: "0.3", an_invalid_request;
    nothing_in_1_0: "1.0", nothing;
    nothing_in_0_3: "0.3", nothing;
}
