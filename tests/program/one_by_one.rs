//! An agent that serves one request at a time, a stream to its end: no text asks for more.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::Response;
use futures_util::StreamExt as _;
use serde_json::Value;
use tokio::sync::Mutex;

use super::agent::{Agent, reference};
use super::program;

/// The reference agent behind a door that lets one request through at a time.
fn one_at_a_time() -> Agent {
    Agent::serve(async move |url| {
        let agent = Arc::new(reference(Some(url)).await);
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let door = Arc::new(Mutex::new(()));
        Router::new().fallback(move |request: Request| {
            let (agent, client, door) = (Arc::clone(&agent), client.clone(), Arc::clone(&door));
            async move {
                let (head, body) = request.into_parts();
                let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
                let through = door.lock_owned().await;
                let mut headers = head.headers.clone();
                headers.remove("host");
                let url = format!("{}{}", agent.url(), head.uri);
                let answer = client.request(head.method, url).headers(headers).body(body).send().await.unwrap();
                let mut passed = Response::builder().status(answer.status());
                for (name, value) in answer.headers().iter().filter(|(name, _)| *name != "transfer-encoding") {
                    passed = passed.header(name, value);
                }
                let pieces = answer.bytes_stream().map(move |piece| {
                    let _held = &through;
                    piece
                });
                passed.body(Body::from_stream(pieces)).unwrap()
            }
        })
    })
}

/// The verdicts by case, and what is odd about the interface.
fn check(agent: &Agent, jobs: &[&str]) -> (BTreeMap<String, String>, String) {
    let folder = program::Folder::new();
    let file = folder.file("report.json");
    let report = format!("json={file}");
    let target = ["check", &agent.url, "--profile", "1.0", "--binding", "jsonrpc", "--report", &report];
    let cases = ["--only", "get/*", "--only", "stream/*"];
    program::start(&[&target[..], &cases, jobs].concat(), &[]).wait();
    let report: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let results = report["results"].as_array().unwrap().iter();
    let verdicts = results.map(|result| (text(&result["case"]), text(&result["verdict"])));
    (verdicts.collect(), text(&report["target"]["interfaces"][0]["note"]))
}

#[test]
fn an_agent_that_serves_one_request_at_a_time_is_asked_so() {
    let agent = one_at_a_time();
    let (verdicts, note) = check(&agent, &[]);
    assert!(note.contains("as with --jobs 1"), "{note}");
    let (one_by_one, note) = check(&agent, &["--jobs", "1"]);
    assert_eq!((&verdicts, note.as_str()), (&one_by_one, ""));
    let passed = verdicts.values().filter(|verdict| *verdict == "pass").count();
    assert!(passed * 10 > verdicts.len() * 8, "{verdicts:#?}");
    assert!(verdicts.values().all(|verdict| verdict != "fail"), "{verdicts:#?}");
}
