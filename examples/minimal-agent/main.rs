//! An A2A agent that is as small as it can be and conforms: version 1.0 over JSON-RPC, texts alone, without streams and webhooks.
//!
//! It echoes what it is sent as the artifact of a task that is completed at once. `cargo run --example minimal-agent` serves it at
//! <http://127.0.0.1:8080>, or at the port that is named; `a2aspec check http://127.0.0.1:8080` checks it.

use std::sync::{Arc, Mutex, PoisonError};

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, extract::State};
use jiff::Timestamp;
use serde_json::{Value, json};

/// The states by which tasks can be listed (4.1.3); each task here is completed.
const STATES: &str = "TASK_STATE_SUBMITTED TASK_STATE_WORKING TASK_STATE_COMPLETED TASK_STATE_FAILED TASK_STATE_CANCELED \
    TASK_STATE_INPUT_REQUIRED TASK_STATE_REJECTED TASK_STATE_AUTH_REQUIRED";

/// Every task, in the order in which they came.
type Tasks = Arc<Mutex<Vec<Value>>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let port = std::env::args().nth(1).unwrap_or_else(|| "8080".to_owned());
    serve(tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await?).await
}

/// Answers whoever comes.
pub async fn serve(listener: tokio::net::TcpListener) -> std::io::Result<()> {
    let card = card(&format!("http://{}", listener.local_addr()?));
    // The card never changes while the agent runs, so its version can be its tag (8.6.1).
    let tags = [(header::CACHE_CONTROL, "max-age=60"), (header::ETAG, "\"1.0.0\"")];
    let card = async move |asked: HeaderMap| match asked.get(header::IF_NONE_MATCH) {
        Some(tag) if tag == tags[1].1 => (StatusCode::NOT_MODIFIED, tags).into_response(),
        _ => (tags, Json(card)).into_response(),
    };
    let agent = Router::new()
        .route("/.well-known/agent-card.json", get(card))
        .route("/rpc", post(rpc))
        .with_state(Tasks::default());
    axum::serve(listener, agent).await
}

/// Section 8: who the agent is, and where and how it is spoken to.
fn card(url: &str) -> Value {
    json!({
        "name": "Minimal agent",
        "description": "Echoes what it is sent",
        "version": "1.0.0",
        "supportedInterfaces": [{ "url": format!("{url}/rpc"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }],
        "capabilities": { "streaming": false, "pushNotifications": false },
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "echo", "name": "Echo", "description": "Says the same again", "tags": ["echo"] }],
    })
}

/// An error: its code, what it says, and the reason by which errors of A2A are known (5.4).
struct Fault(i64, &'static str, &'static str);

const PARSE_ERROR: Fault = Fault(-32700, "this is no JSON", "PARSE_ERROR");
const INVALID_REQUEST: Fault = Fault(-32600, "this is no request of JSON-RPC 2.0", "INVALID_REQUEST");
const NO_SUCH_METHOD: Fault = Fault(-32601, "there is no such method", "METHOD_NOT_FOUND");
const NO_SUCH_TASK: Fault = Fault(-32001, "there is no such task", "TASK_NOT_FOUND");
const NOT_CANCELABLE: Fault = Fault(-32002, "the task has ended", "TASK_NOT_CANCELABLE");
const NO_PUSH: Fault = Fault(-32003, "there are no push notifications", "PUSH_NOTIFICATION_NOT_SUPPORTED");
const UNSUPPORTED: Fault = Fault(-32004, "this agent cannot do that", "UNSUPPORTED_OPERATION");
const NO_TEXT: Fault = Fault(-32005, "this agent reads text/plain alone", "CONTENT_TYPE_NOT_SUPPORTED");
const NO_SUCH_VERSION: Fault = Fault(-32009, "this agent speaks 1.0 alone", "VERSION_NOT_SUPPORTED");

fn invalid<T>(what: &'static str) -> Result<T, Fault> {
    Err(Fault(-32602, what, "INVALID_PARAMS"))
}

/// Section 9: one call comes in, and its result or its error goes out.
async fn rpc(State(tasks): State<Tasks>, headers: HeaderMap, body: axum::body::Bytes) -> Response {
    let parsed = serde_json::from_slice::<Value>(&body);
    let request = parsed.as_ref().unwrap_or(&Value::Null);
    let id = request.get("id");
    let is_call = request["jsonrpc"] == "2.0" && id.is_none_or(|id| id.is_string() || id.is_number() || id.is_null());
    let outcome = match request["method"].as_str() {
        _ if parsed.is_err() => Err(PARSE_ERROR),
        // What has no id wants no answer.
        Some(method) if is_call => match call(&tasks, &headers, method, &request["params"]) {
            _ if id.is_none() => return StatusCode::NO_CONTENT.into_response(),
            outcome => outcome,
        },
        _ => Err(INVALID_REQUEST),
    };
    let mut answer = json!({ "jsonrpc": "2.0", "id": id.filter(|_| is_call) });
    match outcome {
        Ok(result) => answer["result"] = result,
        Err(Fault(code, message, reason)) => {
            let kind = "type.googleapis.com/google.rpc.ErrorInfo";
            let info = json!({ "@type": kind, "reason": reason, "domain": "a2a-protocol.org" });
            answer["error"] = json!({ "code": code, "message": message, "data": [info] });
        }
    }
    Json(answer).into_response()
}

/// Section 3: the operations.
fn call(tasks: &Tasks, headers: &HeaderMap, method: &str, params: &Value) -> Result<Value, Fault> {
    // A patch number plays no part in it (3.6).
    let version = headers.get("a2a-version").and_then(|version| version.to_str().ok()).unwrap_or_default();
    if version != "1.0" && !version.starts_with("1.0.") {
        return Err(NO_SUCH_VERSION);
    }
    if is_other(params) {
        return invalid("the parameters are no object");
    }
    let mut tasks = tasks.lock().unwrap_or_else(PoisonError::into_inner);
    match method {
        "SendMessage" => send(&mut tasks, &params["message"], &params["configuration"]),
        "GetTask" => shown(find(&tasks, &params["id"])?, params, true),
        "CancelTask" => find(&tasks, &params["id"]).and(Err(NOT_CANCELABLE)),
        "ListTasks" => list(&tasks, params),
        "SendStreamingMessage" | "SubscribeToTask" | "GetExtendedAgentCard" => Err(UNSUPPORTED),
        _ if method.contains("TaskPushNotificationConfig") => Err(NO_PUSH),
        _ => Err(NO_SUCH_METHOD),
    }
}

/// Whether what should be an object or missing is neither.
fn is_other(value: &Value) -> bool {
    !value.is_object() && !value.is_null()
}

/// 3.1.1: a task is made of a message, and is done at once.
fn send(tasks: &mut Vec<Value>, message: &Value, configuration: &Value) -> Result<Value, Fault> {
    if message["messageId"].as_str().is_none_or(str::is_empty)
        || message["role"] != "ROLE_USER"
        || is_other(configuration)
    {
        return invalid("the message has no id, or is not of a user, or the configuration is no object");
    }
    let Some(parts) = message["parts"].as_array().filter(|parts| !parts.is_empty()) else {
        return invalid("there are no parts");
    };
    for part in parts {
        let contents = ["text", "raw", "url", "data"].into_iter().filter(|name| part.get(name).is_some());
        match contents.collect::<Vec<_>>().as_slice() {
            ["text"] if part["text"].is_string() => {}
            ["raw" | "url" | "data"] => return Err(NO_TEXT),
            _ => return invalid("a part has one content"),
        }
    }
    if !message["taskId"].is_null() {
        // Each task has ended, and takes no further message.
        return find(tasks, &message["taskId"]).and(Err(UNSUPPORTED));
    }
    if configuration.get("taskPushNotificationConfig").is_some() {
        return Err(NO_PUSH);
    }
    let number = tasks.len() + 1;
    let mut asked = message.clone();
    asked["taskId"] = json!(format!("task-{number}"));
    if asked["contextId"].as_str().is_none_or(str::is_empty) {
        asked["contextId"] = json!(format!("context-{number}"));
    }
    let now = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string();
    let task = json!({
        "id": asked["taskId"],
        "contextId": asked["contextId"],
        "status": { "state": "TASK_STATE_COMPLETED", "timestamp": now },
        "artifacts": [{ "artifactId": format!("echo-{number}"), "parts": parts }],
        "history": [asked],
    });
    let answer = shown(&task, configuration, true)?;
    tasks.push(task);
    Ok(json!({ "task": answer }))
}

/// The task of this id.
fn find<'a>(tasks: &'a [Value], id: &Value) -> Result<&'a Value, Fault> {
    if id.as_str().is_none_or(str::is_empty) {
        return invalid("there is no id");
    }
    tasks.iter().find(|task| task["id"] == *id).ok_or(NO_SUCH_TASK)
}

/// 3.2.4: a task with as much of its history as is asked for.
fn shown(task: &Value, asked: &Value, has_artifacts: bool) -> Result<Value, Fault> {
    let length = &asked["historyLength"];
    if !length.is_null() && length.as_u64().is_none() {
        return invalid("the length of the history is no number of messages");
    }
    let is_left_out = |name: &str| name == "history" && length == 0 || name == "artifacts" && !has_artifacts;
    let members = task.as_object().into_iter().flatten().filter(|(name, _)| !is_left_out(name));
    Ok(Value::Object(members.map(|(name, value)| (name.clone(), value.clone())).collect()))
}

/// 3.1.4: tasks by what they are asked for, the newest first, page by page.
fn list(tasks: &[Value], asked: &Value) -> Result<Value, Fault> {
    let (context, state, token) = (&asked["contextId"], &asked["status"], &asked["pageToken"]);
    let size = if asked["pageSize"].is_null() { Some(50) } else { asked["pageSize"].as_u64() };
    let Some(size @ 1..=100) = size else { return invalid("a page has 1 to 100 tasks") };
    let after = asked["statusTimestampAfter"].as_str().map_or(Ok(Timestamp::MIN), str::parse);
    let Ok(after) = after else { return invalid("statusTimestampAfter is no timestamp") };
    if !state.is_null() && !state.as_str().is_some_and(|state| STATES.split(' ').any(|known| known == state)) {
        return invalid("there is no such state");
    }
    let fits = |task: &&Value| {
        let at = task["status"]["timestamp"].as_str().and_then(|at| at.parse().ok());
        (context.is_null() || *context == task["contextId"])
            && (state.is_null() || *state == task["status"]["state"])
            && at.is_some_and(|at: Timestamp| at >= after)
    };
    let found: Vec<&Value> = tasks.iter().rev().filter(fits).collect();
    // A page begins behind the task that its token names: tasks that come in between change nothing.
    let begin = match token.as_str().filter(|token| !token.is_empty()) {
        None => Some(0),
        Some(token) => found.iter().position(|task| task["id"] == token).map(|at| at + 1),
    };
    let Some(begin) = begin else { return invalid("there is no such page") };
    let rest = &found[begin..];
    let page = &rest[..rest.len().min(usize::try_from(size).unwrap_or(100))];
    let next = if page.len() < rest.len() { page.last().map_or(&Value::Null, |task| &task["id"]) } else { &json!("") };
    let has_artifacts = asked["includeArtifacts"] == true;
    let shown = page.iter().map(|task| shown(task, asked, has_artifacts)).collect::<Result<Vec<_>, _>>()?;
    Ok(json!({ "tasks": shown, "nextPageToken": next, "pageSize": page.len(), "totalSize": found.len() }))
}
