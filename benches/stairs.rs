//! How soon a hunt meets a failure that depends on three values, where the agent says a little more with each that is right:
//! `cargo bench --bench stairs [-- SECONDS]`.
//!
//! Ten seeds draw the values, and each is hunted twice: once changes go on from requests whose answers had a new shape, and once they
//! do not. Chance alone needs all three values in one request.

// Without a word to print there is no bench: it may fail as a test may.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "common/block_on.rs"]
mod block_on;
#[path = "common/stairs.rs"]
mod stairs;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use a2aspec::Suite;
use a2aspec::fuzz::{Budget, Phase};
use a2aspec::profile::Operation;
use a2aspec::suite::library;
use axum::extract::State;
use axum::routing::{get, post};
use axum::{Json, Router};
use block_on::block_on;
use serde_json::{Value, json};
use stairs::Stairs;
use tokio::net::TcpListener;
use tokio::sync::Notify;

/// Seconds of each hunt at most, unless the command line says how many.
const SECONDS: u64 = 60;
const SEEDS: u64 = 10;
/// What is to be reached with the shapes of answers.
const LEAST: usize = 9;

fn main() {
    let seconds = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(SECONDS);
    println!("{:>4}  {:>24}  {:>24}", "seed", "shapes of answers", "chance alone");
    let mut met = [0, 0];
    for seed in 0..SEEDS {
        let row = [true, false].map(|is_led| block_on(hunt(seed, is_led, Duration::from_secs(seconds))));
        for (met, row) in met.iter_mut().zip(&row) {
            *met += usize::from(row.took.is_some());
        }
        println!("{seed:>4}  {:>24}  {:>24}", row[0].told(), row[1].told());
    }
    println!("{:>4}  {:>24}  {:>24}", "met", format!("{} of {SEEDS}", met[0]), format!("{} of {SEEDS}", met[1]));
    std::process::exit(i32::from(met[0] < LEAST));
}

/// What came of a hunt.
struct Met {
    /// When the failure was met.
    took: Option<Duration>,
    /// How many lists the agent was asked for.
    lists: u64,
}

impl Met {
    fn told(&self) -> String {
        match self.took {
            Some(took) => format!("{:.1} s, {} lists", took.as_secs_f64(), self.lists),
            None => format!("not in {} lists", self.lists),
        }
    }
}

async fn hunt(seed: u64, is_led: bool, time: Duration) -> Met {
    let agent = Arc::new(Agent::new(seed));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(axum::serve(listener, routes(address, Arc::clone(&agent))).into_future());
    let suite = Suite::builder(format!("http://{address}")).profiles(["1.0"]);
    let suite = suite.library(Arc::new(library(None).unwrap())).prepare().await.unwrap();
    let budget = Budget {
        phases: vec![Phase::Mutation],
        operations: vec![Operation::GetTask, Operation::ListTasks],
        is_led,
        ..Budget::lasting(time, seed)
    };
    let began = Instant::now();
    let took = tokio::select! {
        _ended = suite.fuzz(&budget, |_| {}, |_| {}) => None,
        () = agent.climbed.notified() => Some(began.elapsed()),
    };
    serving.abort();
    Met { took, lists: agent.lists.load(Ordering::Relaxed) }
}

/// The agent.
struct Agent {
    stairs: Stairs,
    lists: AtomicU64,
    tasks: Mutex<Vec<Value>>,
    climbed: Notify,
}

impl Agent {
    fn new(seed: u64) -> Self {
        let (lists, tasks, climbed) = Default::default();
        Self { stairs: Stairs::new(seed), lists, tasks, climbed }
    }

    fn list(&self, params: &Value) -> Result<Value, i64> {
        self.lists.fetch_add(1, Ordering::Relaxed);
        self.stairs.page(params).ok_or_else(|| {
            self.climbed.notify_one();
            -32603
        })
    }

    fn answer(&self, call: &Value) -> Result<Value, i64> {
        let params = &call["params"];
        let mut tasks = self.tasks.lock().unwrap();
        match call["method"].as_str() {
            Some("SendMessage") if params["message"]["parts"].is_array() => {
                let status = json!({ "state": "TASK_STATE_COMPLETED", "timestamp": "2026-01-31T12:00:00.000Z" });
                let id = format!("t{}", tasks.len());
                tasks.push(json!({ "id": id, "contextId": "c", "status": status }));
                Ok(json!({ "task": tasks.last() }))
            }
            Some("SendMessage") => Err(-32602),
            Some("GetTask") => tasks.iter().find(|task| task["id"] == params["id"]).cloned().ok_or(-32001),
            Some("ListTasks") => self.list(params),
            _ => Err(-32601),
        }
    }
}

fn routes(address: SocketAddr, agent: Arc<Agent>) -> Router {
    let card = json!({
        "name": "Stairs", "description": "Fails at three values.", "version": "1",
        "supportedInterfaces": [
            { "url": format!("http://{address}/"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }
        ],
        "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "stairs", "name": "Stairs", "description": "Climbs.", "tags": ["stairs"] }],
    });
    let card = move || std::future::ready(Json(card));
    Router::new().route("/.well-known/agent-card.json", get(card)).route("/", post(answer)).with_state(agent)
}

async fn answer(State(agent): State<Arc<Agent>>, body: bytes::Bytes) -> Json<Value> {
    let call: Value = serde_json::from_slice(&body).unwrap_or_default();
    Json(match agent.answer(&call) {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": call["id"], "result": result }),
        Err(code) => json!({ "jsonrpc": "2.0", "id": call["id"], "error": { "code": code, "message": "no" } }),
    })
}
