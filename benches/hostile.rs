//! What a run costs on agents that would hold it up, or make it hold more than it has: `cargo bench --bench hostile [-- NAME]`.
//!
//! Each agent is the reference agent but for some answers, on a thread of its own; the runs are the program itself, with
//! `--timeout 2`. The bench fails where a run takes longer than [`LONGEST`] or more memory than [`MOST_MEMORY`].

// Without a word to print there is no bench: it may fail as a test may.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "common/run.rs"]
mod run;

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::Response;
use common::agent::Agent;
use common::proxy::{reference_agent, unchanged};
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};

/// How long a run may take.
const LONGEST: Duration = Duration::from_secs(60);
/// The most memory that a run may take, in KiB.
const MOST_MEMORY: u64 = 100 << 10;
/// Entries of a list that is too long.
const MANY: usize = 20_000;

/// What an agent does to its answers.
enum Wrong {
    /// Calls of any method are answered with this media type and these bytes, again and again without an end.
    Endless(&'static str, &'static str),
    /// Streams are, and nothing else.
    EndlessStreams(&'static str),
    /// The card is another.
    Card(fn(&mut Value)),
    /// The results of calls are others.
    Result(fn(&mut Value)),
}

const KINDS: [(&str, Wrong); 18] = [
    ("right", Wrong::Result(|_| {})),
    ("body", Wrong::Endless("application/json", "[")),
    ("spaces", Wrong::Endless("application/json", " ")),
    ("comments", Wrong::EndlessStreams(":x\n")),
    ("empty data", Wrong::EndlessStreams("data:\n\n")),
    ("data lines", Wrong::EndlessStreams("data:\n")),
    ("ids", Wrong::EndlessStreams("id: 1\n")),
    ("retry", Wrong::EndlessStreams("retry: 1\n\n")),
    ("line", Wrong::EndlessStreams("x")),
    ("events", Wrong::EndlessStreams("event: x\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n")),
    (
        "host",
        Wrong::Card(|card| card["supportedInterfaces"][0]["url"] = json!(format!("http://{}/", "a".repeat(100_000)))),
    ),
    (
        "extensions",
        Wrong::Card(|card| {
            card["capabilities"]["extensions"] =
                many(|number| json!({ "uri": format!("urn:x:{number}"), "required": true }));
        }),
    ),
    ("skills", Wrong::Card(|card| card["skills"] = many(|number| json!({ "id": number })))),
    (
        "signatures",
        Wrong::Card(|card| {
            card["signatures"] = many(|_| json!({ "protected": "eyJhbGciOiJFUzI1NiJ9", "signature": "AAAA" }));
        }),
    ),
    (
        "interfaces",
        Wrong::Card(|card| {
            let first = card["supportedInterfaces"][0].clone();
            card["supportedInterfaces"] = many(|_| first.clone());
        }),
    ),
    ("members", Wrong::Card(|card| (0..MANY).for_each(|number| card[format!("m{number}")] = json!(number)))),
    (
        "artifacts",
        Wrong::Result(|result| {
            if let Some(artifacts) = result.pointer_mut("/task/artifacts").filter(|artifacts| artifacts.is_array()) {
                *artifacts =
                    many(|number| json!({ "artifactId": format!("a{number}"), "parts": [{ "text": number }] }));
            }
        }),
    ),
    (
        "page token",
        Wrong::Result(|result| {
            if result.get("nextPageToken").is_some() {
                result["nextPageToken"] = json!("p".repeat(3_000_000));
            }
        }),
    ),
];

fn many(entry: impl Fn(usize) -> Value) -> Value {
    (0..MANY).map(entry).collect()
}

fn main() {
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    println!("agent            wall  peak memory  results");
    let mut failed = false;
    for (name, wrong) in KINDS {
        if wanted.as_ref().is_some_and(|wanted| wanted != name) {
            continue;
        }
        let agent = serve(wrong);
        let arguments = ["check", &agent.url, "--profile", "1.0", "--timeout", "2", "--report", "json"];
        let run = run::watched(&arguments);
        let peak = run.memory.map_or("?".to_owned(), |peak| (peak >> 10).to_string());
        println!("{name:<12} {:>8.1?}  {peak:>7} MiB  {:>7}", run.wall, run.verdicts.len());
        failed |= run.wall > LONGEST || run.memory.is_some_and(|peak| peak > MOST_MEMORY);
    }
    std::process::exit(i32::from(failed));
}

fn serve(wrong: Wrong) -> Agent {
    reference_agent(move |asked, answer| {
        let is_stream = ["SendStreamingMessage", "SubscribeToTask", ":stream", ":subscribe"];
        let is_stream = is_stream.iter().any(|name| asked.body.contains(name) || asked.path.ends_with(name));
        match &wrong {
            Wrong::Endless(kind, chunk) if asked.is_call() => endless(kind, chunk),
            Wrong::EndlessStreams(chunk) if asked.is_call() && is_stream => endless("text/event-stream", chunk),
            Wrong::Card(change) if !asked.is_call() => changed(answer, change),
            Wrong::Result(change) if asked.is_call() => changed(answer, &|body| match body.get_mut("result") {
                Some(result) => change(result),
                None => change(body),
            }),
            _ => unchanged(answer),
        }
    })
}

fn endless(kind: &str, chunk: &str) -> Response<Body> {
    let chunk = Bytes::from(chunk.repeat((4 << 10) / chunk.len()));
    let body = Body::from_stream(stream::repeat(chunk).map(Ok::<_, Infallible>));
    Response::builder().header("content-type", kind).body(body).unwrap()
}

fn changed(answer: Response<Bytes>, change: &dyn Fn(&mut Value)) -> Response<Body> {
    match serde_json::from_slice::<Value>(answer.body()) {
        Ok(mut body) => {
            change(&mut body);
            answer.map(|_| Body::from(body.to_string()))
        }
        Err(_) => unchanged(answer),
    }
}
