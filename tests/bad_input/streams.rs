//! Streams that do not end, or end in the middle.

use std::convert::Infallible;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::Response;
use axum::routing::get;
use futures_util::{StreamExt as _, stream};

use super::agent::{Agent, card};
use super::proxy::{is_stream, reference_agent, unchanged};
use super::{program, snapshot};
use serde_json::{Value, json};

/// How long the suite waits, in seconds: streams that never end take as long. Agents that answer do so within it even
/// on a machine with much else to do.
const TIMEOUT: &str = "4";

/// The reference agent with other streams than it gives.
fn with_streams(change: fn(Bytes) -> Body) -> Agent {
    reference_agent(move |_, answer| match is_stream(&answer) {
        true => answer.map(change),
        false => unchanged(answer),
    })
}

/// Runs cases of A2A 1.0 against it.
fn check(agent: &Agent, cases: &str) -> (i32, Vec<Value>) {
    let what = ["--profile", "1.0", "--binding", "jsonrpc", "--only", cases];
    let arguments = [&["check", &agent.url], &what[..], &["--timeout", TIMEOUT, "--report", "json"]].concat();
    let ran = program::run(&arguments, &[]);
    let report: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    (ran.code, report["results"].as_array().unwrap().clone())
}

/// Runs one case against it, and compares what is said of it with a snapshot.
fn says(name: &str, agent: &Agent, case: &str) -> i32 {
    let (code, results) = check(agent, case);
    let [result] = results.as_slice() else { panic!("one case has one result, and not {results:#?}") };
    let findings: Vec<Value> = result["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            let members = ["message", "expected", "received", "pointer", "event"];
            members.iter().map(|name| (name.to_string(), finding[*name].clone())).collect()
        })
        .collect();
    let said = json!({ "verdict": result["verdict"], "reason": result["reason"], "findings": findings });
    snapshot::check(name, &format!("exit code {code}\n{}\n", serde_json::to_string_pretty(&said).unwrap()));
    code
}

#[test]
fn a_stream_that_stays_open_after_its_last_event() {
    let agent =
        with_streams(|events| Body::from_stream(stream::iter([Ok::<_, Infallible>(events)]).chain(stream::pending())));
    assert_eq!(says("stream-stays-open", &agent, "stream/closes"), 1);
}

#[test]
fn a_stream_of_comments_without_end() {
    let agent = with_streams(|events| {
        let comments = stream::repeat(Bytes::from_static(b": still here\n\n")).then(|comment| async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            comment
        });
        Body::from_stream(stream::iter([events]).chain(comments).map(Ok::<_, Infallible>))
    });
    assert_eq!(says("stream-of-comments", &agent, "stream/closes"), 1);
}

#[test]
fn a_stream_that_is_silent() {
    let agent = with_streams(|_| Body::from_stream(stream::pending::<Result<Bytes, Infallible>>()));
    assert_eq!(says("stream-is-silent", &agent, "stream/media-type"), 1);
    assert_eq!(says("stream-is-silent-pattern", &agent, "stream/pattern"), 1);
}

#[test]
fn a_stream_that_ends_in_the_middle_of_an_event() {
    let agent = with_streams(|events| Body::from(events.slice(..events.len() - 1)));
    assert_eq!(says("stream-ends-in-an-event", &agent, "stream/closes"), 1);
}

/// A connection that is lost is nobody's fault yet.
#[test]
fn a_stream_whose_connection_is_lost() {
    let agent = with_streams(|events| {
        let half = events.slice(..events.len() / 2);
        // What comes before must be on its way before the connection goes.
        let end = stream::once(async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            Err(std::io::Error::other("gone"))
        });
        Body::from_stream(stream::iter([Ok(half)]).chain(end))
    });
    assert_eq!(says("stream-is-lost", &agent, "stream/closes"), 4);
}

#[test]
fn a_stream_of_what_is_no_json() {
    let agent = with_streams(|_| Body::from("data: hello\n\ndata: world\n\n"));
    assert_eq!(says("stream-of-no-json", &agent, "stream/pattern"), 1);
}

/// The framing of streams is judged over the whole run.
#[test]
fn a_run_whose_streams_end_in_the_middle_of_an_event() {
    let agent = with_streams(|events| Body::from(events.slice(..events.len() - 1)));
    let (_, results) = check(&agent, "stream/*");
    let framing = results.iter().find(|result| result["case"] == "stream/framing").unwrap();
    assert_eq!(framing["verdict"], "fail");
    let message = framing["findings"][0]["message"].as_str().unwrap();
    assert!(message.contains("in the middle of an event"), "{message}");
}

/// An agent that has streams but answers the call for one with a page.
#[test]
fn a_stream_that_is_a_page() {
    let agent = reference_agent(|_, answer| match is_stream(&answer) {
        true => Response::builder().header("content-type", "text/html").body(Body::from("<h1>Hello</h1>")).unwrap(),
        false => unchanged(answer),
    });
    assert_eq!(says("stream-is-a-page", &agent, "stream/media-type"), 1);
}

/// An interface that takes connections and drops them: no case may blame the agent for what nobody has seen.
#[test]
fn an_interface_that_hangs_up() {
    let agent = Agent::serve(async move |_| {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let card = card("1.0", &format!("http://{}", listener.local_addr().unwrap())).to_string();
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                drop(connection)
            }
        });
        Router::new().route("/.well-known/agent-card.json", get(move || std::future::ready(card)))
    });
    let (code, results) = check(&agent, "stream/*");
    assert_eq!(code, 3);
    assert!(results.iter().all(|result| result["verdict"] == "unreached"), "{results:#?}");
}
