//! How many requests the fuzzer makes, sends and judges in a second, on one core, of an agent that costs next to nothing:
//! `cargo bench --bench fuzz [-- SECONDS]`.
//!
//! The agent is a process of its own. It answers each SendMessage that is right by a small task, and knows no task later. A plain
//! client beside it, which sends one right SendMessage again and again and reads nothing of the answers, shows what the agent and
//! the machine can: the last column does not change with the machine as the rates do.

// Without a word to print there is no bench: it may fail as a test may.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use a2aspec::Suite;
use a2aspec::fuzz::{Budget, Phase};
use a2aspec::profile::Operation;
use a2aspec::suite::library;
use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// Seconds of each row, unless the command line says how many.
const SECONDS: u64 = 5;
/// Connections.
const JOBS: usize = 8;
/// What is to be reached, as part of what the plain client gets: 20,000 a second where a bare one gets 118,000.
const LEAST: f64 = 0.17;
/// What makes this program the agent.
const SERVE: &str = "--serve";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == SERVE) {
        return block_on(serve());
    }
    // Cargo adds flags of its own, such as `--bench`.
    let seconds = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(SECONDS);
    let (mut agent, address) = start();
    let plain = block_on(load(address, Duration::from_secs(seconds)));
    println!("{:<40} {:>10} {:>8}", "what is sent", "a second", "of plain");
    println!("{:<40} {plain:>10.0}", "one right SendMessage again and again");
    let mut rates = Vec::new();
    for (name, phases) in [
        ("SendMessage, changed in one place", vec![Phase::Boundaries]),
        ("SendMessage, changed in several, or its bytes", vec![Phase::Mutation]),
    ] {
        let (rate, wrong) = block_on(fuzz(address, phases, Duration::from_secs(seconds)));
        println!("{name:<46} {rate:>4.0} {:>8.2} ({wrong} findings)", rate / plain);
        rates.push(rate / plain);
    }
    agent.kill().expect("the agent can be stopped");
    let _status = agent.wait();
    println!("peak memory {} KiB", peak().unwrap_or_default());
    std::process::exit(i32::from(rates.last().is_some_and(|rate| *rate < LEAST)));
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts").block_on(work)
}

/// This program as the agent, and where that is.
fn start() -> (Child, SocketAddr) {
    let own = std::env::current_exe().expect("this program has a path");
    let mut agent = Command::new(own).arg(SERVE).stdout(Stdio::piped()).spawn().expect("the agent starts");
    let mut line = String::new();
    let stdout = agent.stdout.take().expect("its output is piped");
    BufReader::new(stdout).read_line(&mut line).expect("the agent says where it is");
    let address = line.trim().parse().expect("it is an address");
    (agent, address)
}

/// Requests and findings of a hunt: how many a second, and how many causes.
async fn fuzz(address: SocketAddr, phases: Vec<Phase>, time: Duration) -> (f64, usize) {
    let suite = Suite::builder(format!("http://{address}")).profiles(["1.0"]);
    let suite = suite.library(Arc::new(library(None).unwrap())).prepare().await.unwrap();
    let budget = Budget {
        time,
        requests: None,
        messages: None,
        jobs: JOBS,
        seed: 1,
        phases,
        operations: vec![Operation::SendMessage],
        pid: None,
        known: BTreeSet::new(),
        ends_at: None,
    };
    let report = suite.fuzz(&budget, |_| {}, |_| {}).await.unwrap().report;
    let info = report.fuzz.expect("it was a hunt");
    assert!(info.dead.is_none(), "{info:?}");
    (info.requests as f64 * 1000.0 / info.duration_ms as f64, report.problems.len())
}

/// What a client that does nothing else gets from the agent, in requests a second.
async fn load(address: SocketAddr, time: Duration) -> f64 {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {
        "message": { "messageId": "1", "role": "ROLE_USER", "parts": [{ "text": "hello" }] }
    } });
    let body = body.to_string();
    let request = format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let (request, began) = (Arc::<str>::from(request), Instant::now());
    let clients = (0..JOBS).map(|_| {
        let request = Arc::clone(&request);
        async move {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let mut buffer = vec![0; 4096];
            let mut answered = 0_u64;
            while began.elapsed() < time {
                stream.write_all(request.as_bytes()).await.unwrap();
                // Answers are small, and come whole.
                assert_ne!(stream.read(&mut buffer).await.unwrap(), 0);
                answered += 1;
            }
            answered
        }
    });
    let answered: u64 = futures_util::future::join_all(clients).await.into_iter().sum();
    answered as f64 / began.elapsed().as_secs_f64()
}

/// Peak resident memory of this process in KiB, where the system tells.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// The agent.
async fn serve() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let card = card(&format!("http://{address}/")).to_string();
    let card = move || std::future::ready(([(CONTENT_TYPE, "application/json")], card));
    let routes = Router::new()
        .route("/.well-known/agent-card.json", get(card))
        .route("/", post(answer))
        .with_state(Arc::new(AtomicU64::new(0)));
    println!("{address}");
    axum::serve(listener, routes).await.unwrap();
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
