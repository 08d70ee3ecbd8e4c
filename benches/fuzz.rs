//! How many requests the fuzzer makes, sends and judges in a second, on one core, of an agent that costs next to nothing:
//! `cargo bench --bench fuzz [-- SECONDS]`.
//!
//! The agent is a process of its own. It answers each SendMessage that is right by a small task, and knows no task later. A plain
//! client beside it, which sends one right SendMessage again and again and reads nothing of the answers, shows what the agent and
//! the machine can: the last column does not change with the machine as the rates do.

// Without a word to print there is no bench: it may fail as a test may.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "common/block_on.rs"]
mod block_on;
#[path = "common/echo.rs"]
mod echo;
#[path = "common/memory.rs"]
mod memory;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use a2aspec::Suite;
use a2aspec::fuzz::{Budget, Phase};
use a2aspec::profile::Operation;
use a2aspec::suite::library;
use block_on::block_on;
use echo::{Echo, SERVE, serve};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Seconds of each row, unless the command line says how many.
const SECONDS: u64 = 5;
/// Connections.
const JOBS: usize = Budget::JOBS;
/// What is to be reached, as part of what the plain client gets: 20,000 a second where a bare one gets 118,000.
const LEAST: f64 = 0.17;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == SERVE) {
        return block_on(serve());
    }
    // Cargo adds flags of its own, such as `--bench`.
    let seconds = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(SECONDS);
    let agent = Echo::start();
    let address = agent.address;
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
    drop(agent);
    println!("peak memory {} KiB", memory::of(std::process::id(), "VmHWM").unwrap_or_default());
    std::process::exit(i32::from(rates.last().is_some_and(|rate| *rate < LEAST)));
}

/// Requests and findings of a hunt: how many a second, and how many causes.
async fn fuzz(address: SocketAddr, phases: Vec<Phase>, time: Duration) -> (f64, usize) {
    let suite = Suite::builder(format!("http://{address}")).profiles(["1.0"]);
    let suite = suite.library(Arc::new(library(None).unwrap())).prepare().await.unwrap();
    let budget = Budget { phases, operations: vec![Operation::SendMessage], ..Budget::lasting(time, 1) };
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
