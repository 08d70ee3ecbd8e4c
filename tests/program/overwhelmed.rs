//! Agents that stop answering in the middle of a run: for too many requests at once, for streams that clients left, or for good.

use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::Response;
use futures_util::StreamExt as _;
use futures_util::stream::unfold;
use serde_json::Value;
use tokio::sync::Semaphore;

use super::agent::{Agent, reference};
use super::program;

/// How many requests an agent serves at once.
const WORKERS: usize = 4;

/// A request that was let through, and what is done when it is over: it is told whether its answer was sent to the end.
struct Passage {
    is_whole: bool,
    end: Option<Box<dyn FnOnce(bool) + Send>>,
}

impl Passage {
    fn then(end: impl FnOnce(bool) + Send + 'static) -> Self {
        Self { is_whole: false, end: Some(Box::new(end)) }
    }
}

impl Drop for Passage {
    fn drop(&mut self) {
        if let Some(end) = self.end.take() {
            end(self.is_whole);
        }
    }
}

/// The reference agent behind a door.
fn behind<F: Future<Output = Passage> + Send>(door: impl Fn() -> F + Clone + Send + Sync + 'static) -> Agent {
    Agent::serve(async move |url| {
        let agent = Arc::new(reference(Some(url)).await);
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        Router::new().fallback(move |request: Request| {
            let (agent, client, door) = (Arc::clone(&agent), client.clone(), door.clone());
            async move {
                let (head, body) = request.into_parts();
                let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
                let passage = door().await;
                let mut headers = head.headers.clone();
                headers.remove("host");
                let url = format!("{}{}", agent.url(), head.uri);
                let answer = client.request(head.method, url).headers(headers).body(body).send().await.unwrap();
                let mut passed = Response::builder().status(answer.status());
                for (name, value) in answer.headers().iter().filter(|(name, _)| *name != "transfer-encoding") {
                    passed = passed.header(name, value);
                }
                let is_stream =
                    answer.headers().get("content-type").is_some_and(|kind| kind.as_bytes().starts_with(b"text/event"));
                if !is_stream {
                    let body = answer.bytes().await.unwrap();
                    let mut passage = passage;
                    passage.is_whole = true;
                    return passed.body(Body::from(body)).unwrap();
                }
                let pieces = unfold((answer.bytes_stream().boxed(), passage), async |(mut pieces, mut passage)| {
                    let piece: Option<reqwest::Result<Bytes>> = pieces.next().await;
                    passage.is_whole = piece.is_none();
                    piece.map(|piece| (piece, (pieces, passage)))
                });
                passed.body(Body::from_stream(pieces)).unwrap()
            }
        })
    })
}

/// An agent with few workers, which loses one for each stream that its client leaves. With a watchdog it gets new ones when the
/// last client has given up waiting.
fn that_loses_workers(is_watched: bool) -> Agent {
    let workers = Arc::new(Mutex::new(Arc::new(Semaphore::new(WORKERS))));
    let waiting = Arc::new(AtomicUsize::new(0));
    behind(move || {
        let (workers, waiting) = (Arc::clone(&workers), Arc::clone(&waiting));
        async move {
            waiting.fetch_add(1, Ordering::SeqCst);
            let present = Arc::clone(&workers.lock().unwrap());
            let mut turn = Passage::then(move |is_served| {
                let was_last = waiting.fetch_sub(1, Ordering::SeqCst) == 1;
                if was_last && !is_served && is_watched {
                    *workers.lock().unwrap() = Arc::new(Semaphore::new(WORKERS));
                }
            });
            let worker = present.acquire_owned().await.unwrap();
            turn.is_whole = true;
            Passage::then(move |is_whole| if is_whole { drop(worker) } else { worker.forget() })
        }
    })
}

/// A report about an agent over JSON-RPC of 1.0.
fn check(agent: &Agent) -> Value {
    let folder = program::Folder::new();
    let file = folder.file("report.json");
    let report = format!("json={file}");
    let target =
        ["check", &agent.url, "--profile", "1.0", "--binding", "jsonrpc", "--timeout", "3", "--report", &report];
    let areas = ["get/*", "stream/*", "subscribe/*", "list/*", "jsonrpc/*", "robustness/answered"];
    let only = areas.iter().flat_map(|area| ["--only", area]);
    program::start(&target.into_iter().chain(only).collect::<Vec<_>>(), &[]).wait();
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

/// The cases with a verdict.
fn of<'a>(report: &'a Value, verdict: &str) -> Vec<&'a str> {
    let results = report["results"].as_array().unwrap().iter();
    let of_it = results.filter(|result| result["verdict"] == verdict);
    of_it.map(|result| result["case"].as_str().unwrap()).collect()
}

fn assert_little_is_lost(report: &Value) {
    let results = report["results"].as_array().unwrap();
    let is_lost = |result: &&Value| result["verdict"] == "unreached" || result["verdict"] == "broken";
    let lost: Vec<String> =
        results.iter().filter(is_lost).map(|result| format!("{}: {}", result["case"], result["reason"])).collect();
    let all = results.len() - of(report, "skipped").len();
    assert!(all > 60 && lost.len() * 10 <= all, "{} of {all}: {lost:#?}\n{:#}", lost.len(), report["target"]);
}

/// That is the only failure, and is told once.
fn assert_hangs_after_streams(report: &Value) {
    let note = interface(report, "note");
    assert!(note.contains("it hangs after clients left streams"), "{note}");
    assert_eq!(of(report, "fail"), ["robustness/answered"], "{:#}", report["problems"]);
    let problems = report["problems"].as_array().unwrap().iter();
    let told: Vec<&str> = problems
        .filter(|problem| problem["verdict"] == "fail")
        .map(|problem| problem["message"].as_str().unwrap())
        .collect();
    assert!(told.len() == 1 && told[0].contains("after clients left streams"), "{told:?}");
}

fn interface<'a>(report: &'a Value, member: &str) -> &'a str {
    let interfaces = report["target"]["interfaces"].as_array().unwrap();
    interfaces.iter().find_map(|interface| interface[member].as_str()).unwrap_or_default()
}

#[test]
fn an_agent_that_hangs_after_left_streams_is_told_so_once() {
    let report = check(&that_loses_workers(true));
    assert_hangs_after_streams(&report);
    assert_little_is_lost(&report);
}

#[test]
fn an_agent_that_hangs_for_good_after_left_streams_is_told_so_too() {
    let report = check(&that_loses_workers(false));
    let lost = interface(&report, "lost");
    assert!(lost.contains("stopped answering") && lost.contains("streams had been left"), "{lost}");
    // Either enough workers are left to show it, or none is.
    match interface(&report, "note").is_empty() {
        true => assert!(of(&report, "fail").is_empty(), "{:#}", report["problems"]),
        false => assert_hangs_after_streams(&report),
    }
}

#[test]
fn an_agent_that_hangs_with_many_requests_at_once_is_asked_one_thing_at_a_time() {
    let open = Arc::new(AtomicUsize::new(0));
    let agent = behind(move || {
        let of_this = Arc::clone(&open);
        let is_too_much = open.fetch_add(1, Ordering::SeqCst) >= WORKERS;
        let passage = Passage::then(move |_| {
            of_this.fetch_sub(1, Ordering::SeqCst);
        });
        async move {
            if is_too_much {
                let _until_it_is_given_up = passage;
                return pending().await;
            }
            passage
        }
    });
    let report = check(&agent);
    let note = interface(&report, "note");
    assert!(note.contains("answered again with nothing else under way") && !note.contains("hangs after"), "{note}");
    assert!(of(&report, "fail").is_empty(), "{:#}", report["problems"]);
    assert_little_is_lost(&report);
}

#[test]
fn an_agent_that_dies_is_not_blamed_for_what_it_leaves() {
    let asked = Arc::new(AtomicUsize::new(0));
    let agent = behind(move || {
        let is_dead = asked.fetch_add(1, Ordering::SeqCst) >= 150;
        async move { if is_dead { pending().await } else { Passage::then(|_| {}) } }
    });
    let report = check(&agent);
    let lost = interface(&report, "lost");
    assert!(lost.contains("stopped answering"), "{lost}");
    assert!(!interface(&report, "note").contains("hangs after"), "{report:#}");
    assert!(of(&report, "fail").is_empty(), "{:#}", report["problems"]);
    assert!(of(&report, "pass").len() > 10, "{report:#}");
}
