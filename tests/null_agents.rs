//! Agents that do nothing: whatever they say to everything, no case about behaviour may pass on it.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::agent;
use crate::common::program;

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use agent::{Agent, card_over};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};
use axum::response::IntoResponse as _;
use axum::routing::get;
use http_body::Frame;
use serde_json::{Value, json};

/// Seconds for which the suite waits for an answer. Agents that answer do so within it on a machine with much else to do.
const TIMEOUT: &str = "20";

/// The same for agents that never answer, of which only the card comes.
const OF_THE_SILENT: &str = "5";

/// The most requests for a result: to ask an agent again and again that says the same to everything is in vain.
const MOST_REQUESTS: usize = 8;

/// What such an agent says to everything: an answer to this body of a request, or nothing for ever.
type Says = Option<fn(body: &str) -> Response<Body>>;

/// A text in JSON.
fn in_json(status: StatusCode, text: String) -> Response<Body> {
    (status, [("content-type", "application/json")], text).into_response()
}

/// JSON-RPC: a text for the id of the request.
fn to_id(body: &str, says: fn(id: Value) -> String) -> Response<Body> {
    let request: Value = serde_json::from_str(body).unwrap_or_default();
    in_json(StatusCode::OK, says(request.get("id").cloned().unwrap_or_default()))
}

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

/// HTTP+JSON: this status and this object.
fn at_rest(status: StatusCode, body: Value) -> Response<Body> {
    in_json(status, body.to_string())
}

fn message_at_rest_1_0() -> Response<Body> {
    let message = json!({ "messageId": "always-the-same", "role": "ROLE_AGENT", "parts": [{ "text": "hello" }] });
    at_rest(StatusCode::OK, json!({ "message": message }))
}

fn message_at_rest_0_3() -> Response<Body> {
    let parts = json!([{ "kind": "text", "text": "hello" }]);
    let message = json!({ "kind": "message", "messageId": "always-the-same", "role": "agent", "parts": parts });
    at_rest(StatusCode::OK, message)
}

fn task_at_rest() -> Response<Body> {
    let status = json!({ "state": "TASK_STATE_COMPLETED", "timestamp": "2026-01-31T12:00:00.000Z" });
    let task = json!({ "id": "always-the-same", "contextId": "c", "status": status });
    let mut result = task.clone();
    result["task"] = task;
    at_rest(StatusCode::OK, result)
}

fn no_such_task_at_rest() -> Response<Body> {
    let info = json!({
        "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND", "domain": "a2a-protocol.org",
    });
    let error = json!({ "code": 404, "status": "NOT_FOUND", "message": "Task not found", "details": [info] });
    at_rest(StatusCode::NOT_FOUND, json!({ "error": error }))
}

fn task_at_rest_of_draft() -> Response<Body> {
    let status = json!({ "state": "completed", "timestamp": "2026-01-31T12:00:00.000Z" });
    let task = json!({ "id": "always-the-same", "contextId": "c", "status": status });
    let mut result = task.clone();
    result["task"] = task;
    at_rest(StatusCode::OK, result)
}

fn no_such_task_at_rest_of_draft() -> Response<Body> {
    let kind = "https://a2a-protocol.org/errors/task-not-found";
    let problem = json!({ "type": kind, "title": "Not Found", "status": 404, "detail": "Task not found" });
    (StatusCode::NOT_FOUND, [("content-type", "application/problem+json")], problem.to_string()).into_response()
}

fn a_page() -> Response<Body> {
    ([("content-type", "text/html")], "<!doctype html><html><body><h1>Welcome</h1></body></html>").into_response()
}

/// gRPC: a status without any message.
fn status(code: &'static str) -> Response<Body> {
    ([("content-type", "application/grpc"), ("grpc-status", code)], Body::empty()).into_response()
}

/// gRPC: one message and success.
fn one_message(message: &[u8]) -> Response<Body> {
    let length = u32::try_from(message.len()).unwrap().to_be_bytes();
    let frame = [&[0], &length[..], message].concat();
    let success = HeaderMap::from_iter([("grpc-status".parse().unwrap(), HeaderValue::from_static("0"))]);
    let body = Body::new(WithTrailers { frames: vec![Frame::trailers(success), Frame::data(Bytes::from(frame))] });
    ([("content-type", "application/grpc")], body).into_response()
}

/// A body with trailers; the last frame comes first.
struct WithTrailers {
    frames: Vec<Frame<Bytes>>,
}

impl http_body::Body for WithTrailers {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.frames.pop().map(Ok))
    }
}

/// An agent with a right card that says the same to everything, and how often it was asked.
fn agent(profile: &'static str, binding: &'static str, says: Says) -> (Agent, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let agent = Agent::serve(async move |url| {
        let url = if binding == "GRPC" { url } else { format!("{url}/a2a") };
        let card = card_over(binding, profile, &url).to_string();
        let json = [("content-type", "application/json")];
        let card = get(move || std::future::ready((json, card)));
        let answer = move |body: Bytes| {
            count.fetch_add(1, Ordering::Relaxed);
            async move {
                match says {
                    Some(says) => says(&String::from_utf8_lossy(&body)),
                    None => std::future::pending().await,
                }
            }
        };
        Router::new()
            .route("/.well-known/agent-card.json", card.clone())
            .route("/.well-known/agent.json", card)
            .fallback(answer)
    });
    (agent, asked)
}

/// Whether what it says is a JSON-RPC response: then its card says rightly that it speaks JSON-RPC, whatever it says.
fn speaks_json_rpc(says: Says) -> bool {
    let Some(says) = says else { return false };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let body = axum::body::to_bytes(says(r#"{"id":1}"#).into_body(), 1 << 20);
    let body: Value = serde_json::from_slice(&runtime.block_on(body).unwrap()).unwrap_or_default();
    body["jsonrpc"] == "2.0"
}

/// Runs everything against such an agent and looks for cases that pass.
fn nothing_passes(profile: &'static str, binding: &'static str, says: Says) {
    let (agent, asked) = agent(profile, binding, says);
    let speaks_json_rpc = speaks_json_rpc(says);
    let timeout = if says.is_some() { TIMEOUT } else { OF_THE_SILENT };
    let ran = program::run(&["check", &agent.url, "--profile", profile, "--timeout", timeout, "--report", "json"], &[]);
    let report: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    let results = report["results"].as_array().unwrap();
    let of_profile = |result: &&Value| result["profile"] == profile;
    assert!(results.iter().filter(of_profile).count() > 100, "the suite has more cases than that");
    let passed: Vec<&str> = results
        .iter()
        .filter(|result| result["verdict"] == "pass")
        .map(|result| result["case"].as_str().unwrap())
        .filter(|case| !case.starts_with("card/") || (*case == "card/serves-declared" && !speaks_json_rpc))
        // What is not declared is not there: that is seen, and right.
        .filter(|case| *case != "capabilities/extended-card-not-there")
        .collect();
    assert!(passed.is_empty(), "{passed:#?} pass on an agent that says the same to everything");
    assert_ne!(ran.code, 0, "{}", ran.stderr);
    let asked = asked.load(Ordering::Relaxed);
    assert!(asked < MOST_REQUESTS * results.len(), "{asked} requests for {} results", results.len());
}

macro_rules! agents {
    ($binding:literal: $($name:ident: $profile:literal, $says:expr;)*) => {
        $(#[test]
        fn $name() {
            nothing_passes($profile, $binding, $says);
        })*
    };
}

mod over_jsonrpc {
    use super::*;

    agents! {
        "JSONRPC":
        an_empty_object_in_1_0: "1.0", Some(|body| to_id(body, an_empty_object));
        an_empty_object_in_0_3: "0.3", Some(|body| to_id(body, an_empty_object));
        an_empty_object_in_0_2_5: "0.2.5", Some(|body| to_id(body, an_empty_object));
        an_empty_object_in_0_2_1: "0.2.1", Some(|body| to_id(body, an_empty_object));
        an_empty_object_in_0_1: "0.1", Some(|body| to_id(body, an_empty_object));
        an_empty_object_in_the_proposal: "proposal", Some(|body| to_id(body, an_empty_object));
        an_empty_object_in_the_draft: "1.0-draft", Some(|body| to_id(body, an_empty_object));
        the_same_message_in_1_0: "1.0", Some(|body| to_id(body, a_message_of_1_0));
        the_same_message_in_0_3: "0.3", Some(|body| to_id(body, a_message_of_0_3));
        the_same_message_in_0_2_5: "0.2.5", Some(|body| to_id(body, a_message_of_0_3));
        the_same_message_in_0_2_1: "0.2.1", Some(|body| to_id(body, a_message_of_0_3));
        the_same_message_in_0_1: "0.1", Some(|body| to_id(body, a_message_of_0_3));
        the_same_message_in_the_proposal: "proposal", Some(|body| to_id(body, a_message_of_0_3));
        the_same_message_in_the_draft: "1.0-draft", Some(|body| to_id(body, a_message_of_0_3));
        the_same_task_in_1_0: "1.0", Some(|body| to_id(body, a_completed_task_of_1_0));
        the_same_task_in_0_3: "0.3", Some(|body| to_id(body, a_completed_task_of_0_3));
        the_same_task_in_0_2_5: "0.2.5", Some(|body| to_id(body, a_completed_task_of_0_3));
        the_same_task_in_0_2_1: "0.2.1", Some(|body| to_id(body, a_completed_task_of_0_3));
        the_same_task_in_0_1: "0.1", Some(|body| to_id(body, a_completed_task_of_0_3));
        the_same_task_in_the_proposal: "proposal", Some(|body| to_id(body, a_completed_task_of_0_3));
        the_same_task_in_the_draft: "1.0-draft", Some(|body| to_id(body, a_completed_task_of_0_3));
        no_such_task_in_1_0: "1.0", Some(|body| to_id(body, no_such_task));
        no_such_task_in_0_3: "0.3", Some(|body| to_id(body, no_such_task));
        no_such_task_in_0_2_5: "0.2.5", Some(|body| to_id(body, no_such_task));
        no_such_task_in_0_2_1: "0.2.1", Some(|body| to_id(body, no_such_task));
        no_such_task_in_0_1: "0.1", Some(|body| to_id(body, no_such_task));
        no_such_task_in_the_proposal: "proposal", Some(|body| to_id(body, no_such_task));
        no_such_task_in_the_draft: "1.0-draft", Some(|body| to_id(body, no_such_task));
        an_internal_error_in_1_0: "1.0", Some(|body| to_id(body, an_internal_error));
        an_internal_error_in_0_3: "0.3", Some(|body| to_id(body, an_internal_error));
        an_internal_error_in_0_2_5: "0.2.5", Some(|body| to_id(body, an_internal_error));
        an_internal_error_in_0_2_1: "0.2.1", Some(|body| to_id(body, an_internal_error));
        an_internal_error_in_0_1: "0.1", Some(|body| to_id(body, an_internal_error));
        an_internal_error_in_the_proposal: "proposal", Some(|body| to_id(body, an_internal_error));
        an_internal_error_in_the_draft: "1.0-draft", Some(|body| to_id(body, an_internal_error));
        an_invalid_request_in_1_0: "1.0", Some(|body| to_id(body, an_invalid_request));
        an_invalid_request_in_0_3: "0.3", Some(|body| to_id(body, an_invalid_request));
        an_invalid_request_in_0_2_5: "0.2.5", Some(|body| to_id(body, an_invalid_request));
        an_invalid_request_in_0_2_1: "0.2.1", Some(|body| to_id(body, an_invalid_request));
        an_invalid_request_in_0_1: "0.1", Some(|body| to_id(body, an_invalid_request));
        an_invalid_request_in_the_proposal: "proposal", Some(|body| to_id(body, an_invalid_request));
        an_invalid_request_in_the_draft: "1.0-draft", Some(|body| to_id(body, an_invalid_request));
        nothing_in_1_0: "1.0", Some(|body| to_id(body, nothing));
        nothing_in_0_3: "0.3", Some(|body| to_id(body, nothing));
        nothing_in_0_2_5: "0.2.5", Some(|body| to_id(body, nothing));
        nothing_in_0_2_1: "0.2.1", Some(|body| to_id(body, nothing));
        nothing_in_0_1: "0.1", Some(|body| to_id(body, nothing));
        nothing_in_the_proposal: "proposal", Some(|body| to_id(body, nothing));
        nothing_in_the_draft: "1.0-draft", Some(|body| to_id(body, nothing));
        silence_in_1_0: "1.0", None;
        silence_in_0_3: "0.3", None;
        silence_in_0_2_5: "0.2.5", None;
        silence_in_0_2_1: "0.2.1", None;
        silence_in_0_1: "0.1", None;
        silence_in_the_proposal: "proposal", None;
        silence_in_the_draft: "1.0-draft", None;
    }
}

mod over_http_json {
    use super::*;

    agents! {
        "HTTP+JSON":
        an_empty_object_in_1_0: "1.0", Some(|_| at_rest(StatusCode::OK, json!({})));
        an_empty_object_in_0_3: "0.3", Some(|_| at_rest(StatusCode::OK, json!({})));
        the_same_message_in_1_0: "1.0", Some(|_| message_at_rest_1_0());
        the_same_message_in_0_3: "0.3", Some(|_| message_at_rest_0_3());
        the_same_message_in_0_3_as_of_its_proto: "0.3", Some(|_| message_at_rest_1_0());
        the_same_task_in_1_0: "1.0", Some(|_| task_at_rest());
        the_same_task_in_0_3: "0.3", Some(|_| task_at_rest());
        no_such_task_in_1_0: "1.0", Some(|_| no_such_task_at_rest());
        no_such_task_in_0_3: "0.3", Some(|_| no_such_task_at_rest());
        an_empty_object_in_the_draft: "1.0-draft", Some(|_| at_rest(StatusCode::OK, json!({})));
        the_same_task_in_the_draft: "1.0-draft", Some(|_| task_at_rest_of_draft());
        no_such_task_in_the_draft: "1.0-draft", Some(|_| no_such_task_at_rest_of_draft());
        nothing_in_the_draft: "1.0-draft", Some(|_| Body::empty().into_response());
        silence_in_the_draft: "1.0-draft", None;
        an_internal_error_in_1_0: "1.0", Some(|_| at_rest(StatusCode::INTERNAL_SERVER_ERROR, json!({})));
        an_internal_error_in_0_3: "0.3", Some(|_| at_rest(StatusCode::INTERNAL_SERVER_ERROR, json!({})));
        a_bad_request_in_1_0: "1.0", Some(|_| at_rest(StatusCode::BAD_REQUEST, json!({})));
        a_bad_request_in_0_3: "0.3", Some(|_| at_rest(StatusCode::BAD_REQUEST, json!({})));
        nothing_in_1_0: "1.0", Some(|_| Body::empty().into_response());
        nothing_in_0_3: "0.3", Some(|_| Body::empty().into_response());
        not_found_in_1_0: "1.0", Some(|_| StatusCode::NOT_FOUND.into_response());
        not_found_in_0_3: "0.3", Some(|_| StatusCode::NOT_FOUND.into_response());
        a_page_in_1_0: "1.0", Some(|_| a_page());
        a_page_in_0_3: "0.3", Some(|_| a_page());
        silence_in_1_0: "1.0", None;
        silence_in_0_3: "0.3", None;
    }
}

mod over_grpc {
    use super::*;

    agents! {
        "GRPC":
        unimplemented_in_1_0: "1.0", Some(|_| status("12"));
        unimplemented_in_0_3: "0.3", Some(|_| status("12"));
        unimplemented_in_the_draft: "1.0-draft", Some(|_| status("12"));
        an_empty_message_in_the_draft: "1.0-draft", Some(|_| one_message(b""));
        the_same_message_in_the_draft: "1.0-draft", Some(|_| one_message(b"\x0a\x06always"));
        not_found_in_1_0: "1.0", Some(|_| status("5"));
        not_found_in_0_3: "0.3", Some(|_| status("5"));
        an_invalid_argument_in_1_0: "1.0", Some(|_| status("3"));
        an_invalid_argument_in_0_3: "0.3", Some(|_| status("3"));
        success_without_a_message_in_1_0: "1.0", Some(|_| status("0"));
        success_without_a_message_in_0_3: "0.3", Some(|_| status("0"));
        an_empty_message_in_1_0: "1.0", Some(|_| one_message(b""));
        an_empty_message_in_0_3: "0.3", Some(|_| one_message(b""));
        // In every message of both versions the first member, where it is not a message itself, is a text.
        the_same_message_in_1_0: "1.0", Some(|_| one_message(b"\x0a\x06always"));
        the_same_message_in_0_3: "0.3", Some(|_| one_message(b"\x0a\x06always"));
        a_page_in_1_0: "1.0", Some(|_| a_page());
        a_page_in_0_3: "0.3", Some(|_| a_page());
        silence_in_1_0: "1.0", None;
        silence_in_0_3: "0.3", None;
    }
}
