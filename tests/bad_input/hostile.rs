//! Agents that would hold the suite up, or make it hold more than it has: every run ends soon, in little memory, and with a
//! short report.

use std::convert::Infallible;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::Response;
use futures_util::{StreamExt as _, stream};
use serde_json::Value;

use super::agent::Agent;
use super::program;
use super::proxy::{Asked, COLLECTS, is_stream, reference_agent, unchanged};

/// How long an answer is waited for, in seconds.
const TIMEOUT: u32 = 2;
/// The most waits for an answer, one after the other, by which a run may take longer than [`USUAL`] ones do.
const MOST_WAITS: u32 = 15;
/// The most times that of [`USUAL`] which a run may take beside its waits: bodies that are large take time to be read.
const MOST_TIMES: u32 = 4;
/// The most memory, in KiB, that answers in flight may take beside what a run takes anyway.
const MOST_IN_FLIGHT: u64 = 48 << 10;
/// The longest JSON report.
const LONGEST_REPORT: usize = 5 << 20;

/// A run of all cases against an agent that is right: how long it takes here and now, and how much memory.
static USUAL: LazyLock<(Duration, Option<u64>)> = LazyLock::new(|| {
    let agent = reference_agent(|_, answer| unchanged(answer));
    let began = Instant::now();
    let arguments = ["check", &agent.url, "--profile", "1.0", "--binding", "jsonrpc", "--report", "terminal"];
    let (ran, peak) = program::start(&[&arguments[..], &COLLECTS].concat(), &[]).wait_and_watch();
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    (began.elapsed(), peak)
});

/// Runs these cases, or all, against an agent, holds the run against these bounds, and gives its exit code and report.
fn check(agent: &Agent, cases: &[&str]) -> (i32, Value) {
    check_with(agent, cases, &[])
}

/// The same with these flags.
fn check_with(agent: &Agent, cases: &[&str], flags: &[&str]) -> (i32, Value) {
    let folder = program::Folder::new();
    let (json, trace) = (folder.file("report.json"), folder.file("trace.txt"));
    let report = format!("json={json}");
    let (usual, usual_peak) = *USUAL;
    let timeout = TIMEOUT.to_string();
    let only = ["--profile", "1.0", "--binding", "jsonrpc", "--timeout", &timeout];
    let cases: Vec<&str> = cases.iter().flat_map(|cases| ["--only", cases]).collect();
    let outputs = ["--report", &report, "--report", "terminal", "--trace", &trace];
    let began = Instant::now();
    let (ran, peak) =
        program::start(&[&["check", &agent.url], &only[..], &COLLECTS, flags, &cases, &outputs].concat(), &[])
            .wait_and_watch();
    let took = began.elapsed();
    let most = MOST_TIMES * usual + MOST_WAITS * Duration::from_secs(TIMEOUT.into());
    assert!(took < most, "the run took {took:?}, and one against an agent that is right {usual:?}");
    if let (Some(peak), Some(usual)) = (peak, usual_peak) {
        println!("{} MiB, usually {} MiB", peak >> 10, usual >> 10);
        assert!(peak < usual + MOST_IN_FLIGHT, "the run took {} MiB, usually it takes {}", peak >> 10, usual >> 10);
    }
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    let report = std::fs::read_to_string(json).expect(&ran.stderr);
    assert!(report.len() < LONGEST_REPORT, "a report of {} bytes", report.len());
    let traced = std::fs::metadata(trace).unwrap().len();
    assert!(traced < 50 << 20, "a trace of {traced} bytes");
    (ran.code, serde_json::from_str(&report).unwrap())
}

/// The reference agent, whose answers to calls of some methods are others.
fn answering(methods: &'static [&'static str], other: impl Fn() -> Response<Body> + Send + Sync + 'static) -> Agent {
    reference_agent(move |asked, answer| match calls(&asked, methods) {
        true => other(),
        false => unchanged(answer),
    })
}

fn calls(asked: &Asked, methods: &[&str]) -> bool {
    asked.is_call() && methods.iter().any(|method| asked.body.contains(&format!("\"{method}\"")))
}

/// What came of the cases.
fn verdicts<'a>(report: &'a Value, verdict: &str) -> Vec<&'a Value> {
    let results = report["results"].as_array().unwrap();
    results.iter().filter(|result| result["verdict"] == verdict).collect()
}

/// Chunks without end.
fn endless(chunk: &'static [u8]) -> Body {
    Body::from_stream(stream::repeat(Bytes::from_static(chunk)).map(Ok::<_, Infallible>))
}

fn json(body: Body) -> Response<Body> {
    Response::builder().header("content-type", "application/json").body(body).unwrap()
}

fn events(body: Body) -> Response<Body> {
    Response::builder().header("content-type", "text/event-stream").body(body).unwrap()
}

/// What is too much for the suite says nothing about the agent.
#[test]
fn a_body_without_end_is_not_failed() {
    let agent = answering(&["ListTasks"], || json(endless(&[b' '; 16 << 10])));
    // Of more cases, those that come after the first few would not ask any more.
    let (_, report) = check(&agent, &["list/members"]);
    let result = &report["results"][0];
    assert_eq!((result["case"].as_str(), result["verdict"].as_str()), (Some("list/members"), Some("unreached")));
    let reason = result["reason"].as_str().unwrap();
    assert!(reason.contains("an answer of more than 4 MiB"), "{reason}");
}

#[test]
fn a_body_of_zeros() {
    let zeros = Bytes::from(vec![0; 8 << 20]);
    let zeros = answering(&["GetTask", "ListTasks"], move || json(Body::from(zeros.clone())));
    // One after the other, each is read up to the limit, until the agent counts as gone.
    let (code, report) = check_with(&zeros, &["list/*", "get/*"], &["--jobs", "1"]);
    assert_eq!(code, 3, "{:#}", report["summary"]);
}

/// Just below the limits, everywhere: text of a few bytes that takes a hundred times as many when it is read.
#[test]
fn bodies_of_many_values() {
    let many = format!("[{}0]", "{\"a\":[]},".repeat(10_000));
    let agent =
        answering(&["SendMessage", "GetTask", "ListTasks", "CancelTask"], move || json(Body::from(many.clone())));
    check(&agent, &["list/*", "get/*", "send/*"]);
}

#[test]
fn answers_of_one_long_string() {
    let agent = reference_agent(|asked, answer| {
        let Ok(mut body) = serde_json::from_slice::<Value>(answer.body()) else { return unchanged(answer) };
        if !asked.is_call() {
            return unchanged(answer);
        }
        body["a2aspecLong"] = Value::from("x".repeat(400 << 10));
        json(Body::from(body.to_string()))
    });
    // Such answers wait for room; they are read all the same.
    let (_, report) = check(&agent, &["get/*", "send/*"]);
    assert!(verdicts(&report, "pass").len() > 10, "{:#}", report["summary"]);
    // One of these cases reads everything again when the others are over.
    let (_, report) = check(&agent, &["list/*"]);
    assert!(verdicts(&report, "pass").len() > 15, "{:#}", report["summary"]);
}

#[test]
fn streams_that_flood() {
    const EVENT: &[u8] = b"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"statusUpdate\":{\"taskId\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":\"TASK_STATE_WORKING\"}}}}\n\n";
    let agent = answering(&["SendStreamingMessage", "SubscribeToTask"], || events(endless(EVENT)));
    // Each such stream is read until its time is over.
    check(&agent, &["stream/pattern", "stream/closes", "stream/ids", "subscribe/first-event"]);
}

/// Lines of a stream that make no event: each run ends when a few streams have shown it, however many cases read one.
#[test]
fn streams_of_lines_that_are_no_event() {
    for lines in ["retry: 1\n\n", ":x\n", "id: 1\n", "data:\n"] {
        println!("{lines:?}");
        let chunk = Bytes::from(lines.repeat((4 << 10) / lines.len()));
        let agent = answering(&["SendStreamingMessage", "SubscribeToTask"], move || {
            events(Body::from_stream(stream::repeat(chunk.clone()).map(Ok::<_, Infallible>)))
        });
        // Few at once: more floods leave a busy machine no time for the calls between them.
        let (_, report) = check_with(&agent, &[], &["--jobs", "2"]);
        assert!(verdicts(&report, "pass").len() > 50, "the rest is tested: {:#}", report["summary"]);
    }
}

#[test]
fn streams_with_a_head_and_no_event() {
    let agent = reference_agent(|asked, answer| match asked.is_call() && is_stream(&answer) {
        true => events(Body::from_stream(stream::pending::<Result<Bytes, Infallible>>())),
        false => unchanged(answer),
    });
    // Few at once, so that not all of them wait before the first is known to be in vain.
    let (_, report) = check_with(&agent, &[], &["--jobs", "2"]);
    let known =
        |result: &&&Value| result["reason"].as_str().is_some_and(|reason| reason.contains("in a row had no response"));
    assert!(verdicts(&report, "unreached").iter().any(|result| known(&result)), "{:#}", report["summary"]);
    assert!(verdicts(&report, "pass").len() > 50, "the rest is tested: {:#}", report["summary"]);
}

#[test]
fn a_state_that_nobody_knows() {
    let agent = reference_agent(|asked, answer| {
        if !asked.is_call() {
            return unchanged(answer);
        }
        let body = String::from_utf8_lossy(answer.body()).replace("TASK_STATE_COMPLETED", "TASK_STATE_PERFECT");
        answer.map(|_| Body::from(body))
    });
    check(&agent, &[]);
}

#[test]
fn tasks_that_never_end() {
    let agent = reference_agent(|asked, answer| {
        if !asked.is_call() || is_stream(&answer) {
            return unchanged(answer);
        }
        let body = String::from_utf8_lossy(answer.body()).replace("TASK_STATE_COMPLETED", "TASK_STATE_WORKING");
        answer.map(|_| Body::from(body))
    });
    check(&agent, &[]);
}

#[test]
fn wrong_requests_that_are_never_answered() {
    let agent = Agent::serve(async |url| {
        let inner = std::sync::Arc::new(super::agent::reference(Some(url)).await);
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        axum::Router::new().fallback(move |request: axum::extract::Request| {
            let (inner, client) = (std::sync::Arc::clone(&inner), client.clone());
            async move {
                let (head, body) = request.into_parts();
                let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
                let url = format!("{}{}", inner.url(), head.uri);
                let answer = client.request(head.method, url).headers(head.headers).body(body).send().await.unwrap();
                let status = answer.status();
                let kind = answer.headers().get("content-type").cloned();
                let body = answer.bytes().await.unwrap();
                if String::from_utf8_lossy(&body).contains("\"error\"") {
                    std::future::pending::<()>().await;
                }
                let mut answer = Response::builder().status(status);
                if let Some(kind) = kind {
                    answer = answer.header("content-type", kind);
                }
                answer.body(Body::from(body)).unwrap()
            }
        })
    });
    check(&agent, &[]);
}

/// One budget for the whole run, and not a wait for each request.
#[test]
fn patience_that_is_asked_for_again_and_again() {
    let agent = answering(&["ListTasks"], || {
        Response::builder().status(429).header("retry-after", "2").body(Body::empty()).unwrap()
    });
    let (_, report) = check(&agent, &[]);
    assert!(verdicts(&report, "pass").len() > 20, "{:#}", report["summary"]);
}

#[test]
fn a_head_that_is_too_long() {
    let agent = answering(&["ListTasks"], || {
        let mut answer = Response::builder();
        for number in 0..200 {
            answer = answer.header(format!("x-{number}"), "x".repeat(3_000));
        }
        answer.body(Body::from("{}")).unwrap()
    });
    let (_, report) = check(&agent, &["list/*"]);
    let result = report["results"].as_array().unwrap().iter().find(|result| result["case"] == "list/members").unwrap();
    assert_eq!(result["verdict"], "broken", "{result:#}");
}
