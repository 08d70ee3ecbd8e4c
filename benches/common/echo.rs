//! The smallest agent there is: it answers each SendMessage of A2A 1.0 that is right by a small task, and knows no task later. It costs
//! next to nothing, so that what a hunt costs is the fuzzer's.

use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// What makes a bench the agent.
pub const SERVE: &str = "--serve";

/// The agent as a process of its own, until this is dropped.
pub struct Echo {
    child: Child,
    pub address: SocketAddr,
}

impl Echo {
    /// Starts this program anew with [`SERVE`], by which it has to call [`serve`].
    pub fn start() -> Self {
        let own = std::env::current_exe().expect("this program has a path");
        let mut child = Command::new(own).arg(SERVE).stdout(Stdio::piped()).spawn().expect("the agent starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("its output is piped");
        BufReader::new(stdout).read_line(&mut line).expect("the agent says where it is");
        let address = line.trim().parse().expect("it is an address");
        Self { child, address }
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        let _killed = self.child.kill();
        let _status = self.child.wait();
    }
}

/// The agent: it says where it is, and serves.
pub async fn serve() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    println!("{address}");
    axum::serve(listener, routes(address)).await.unwrap();
}

/// What it serves at an address.
pub fn routes(address: SocketAddr) -> Router {
    let card = card(&format!("http://{address}/")).to_string();
    let card = move || std::future::ready(([(CONTENT_TYPE, "application/json")], card));
    Router::new()
        .route("/.well-known/agent-card.json", get(card))
        .route("/", post(answer))
        .with_state(Arc::new(AtomicU64::new(0)))
}

fn card(url: &str) -> Value {
    json!({
        "name": "Echo", "description": "Answers every message by a small task.", "version": "1",
        "supportedInterfaces": [{ "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }],
        "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "echo", "name": "Echo", "description": "Echoes.", "tags": ["echo"] }],
    })
}

/// As much of a SendMessage as has to be right.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    message: Message,
    #[serde(rename = "configuration")]
    _configuration: Option<Configuration>,
    #[serde(rename = "metadata")]
    _metadata: Option<serde_json::Map<String, Value>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    message_id: String,
    role: Role,
    parts: Vec<Part>,
    context_id: Option<String>,
    #[serde(rename = "metadata")]
    _metadata: Option<serde_json::Map<String, Value>>,
    #[serde(rename = "extensions")]
    _extensions: Option<Vec<String>>,
    #[serde(rename = "referenceTaskIds")]
    _reference_task_ids: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Role {
    RoleUser,
    RoleAgent,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    #[serde(rename = "text")]
    _text: Option<String>,
    #[serde(rename = "metadata")]
    _metadata: Option<serde_json::Map<String, Value>>,
    #[serde(rename = "url")]
    _url: Option<String>,
    #[serde(rename = "filename")]
    _filename: Option<String>,
    #[serde(rename = "mediaType")]
    _media_type: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Configuration {
    #[serde(rename = "acceptedOutputModes")]
    _accepted_output_modes: Option<Vec<String>>,
    #[serde(rename = "historyLength")]
    history_length: Option<i32>,
    #[serde(rename = "returnImmediately")]
    _return_immediately: Option<bool>,
}

async fn answer(State(count): State<Arc<AtomicU64>>, body: Bytes) -> impl IntoResponse {
    let number = count.fetch_add(1, Ordering::Relaxed);
    let (id, outcome) = match serde_json::from_slice::<Value>(&body) {
        Err(_) => (Value::Null, Err((-32700, "Invalid JSON payload"))),
        Ok(request) => {
            let id = request.get("id").cloned().unwrap_or_default();
            (id, called(&request, number))
        }
    };
    let text = match outcome {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err((code, message)) => {
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
        }
    };
    ([(CONTENT_TYPE, "application/json")], text.to_string())
}

fn called(request: &Value, number: u64) -> Result<Value, (i32, &'static str)> {
    if request.get("jsonrpc") != Some(&json!("2.0")) {
        return Err((-32600, "Request payload validation error"));
    }
    match request.get("method").and_then(Value::as_str) {
        Some("SendMessage") => {}
        Some("GetTask") => return Err((-32001, "Task not found")),
        Some(_) => return Err((-32601, "Method not found")),
        None => return Err((-32600, "Request payload validation error")),
    }
    let params = request.get("params").cloned().unwrap_or_default();
    let wrong = |_| (-32602, "Invalid parameters");
    let params: Params = serde_json::from_value(params).map_err(wrong)?;
    let message = params.message;
    let is_negative = params._configuration.and_then(|given| given.history_length).is_some_and(|length| length < 0);
    if message.parts.is_empty()
        || message.message_id.is_empty()
        || is_negative
        || matches!(message.role, Role::RoleAgent)
    {
        return Err((-32602, "Invalid parameters"));
    }
    let context = message.context_id.unwrap_or_else(|| format!("context-{number}"));
    Ok(json!({ "task": {
        "id": format!("task-{number}"), "contextId": context,
        "status": { "state": "TASK_STATE_COMPLETED", "timestamp": "2026-01-01T00:00:00.000Z" },
        "artifacts": [{ "artifactId": "echo", "parts": [{ "text": "done" }] }],
    } }))
}
