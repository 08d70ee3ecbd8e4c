//! A user who has seen enough presses Ctrl-C, and gets the report of what was seen.

use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

use axum::Router;
use axum::routing::{get, post};
use serde_json::Value;

use super::agent::{Agent, card};
use super::program;
use super::reports::assert_keeps_the_schema;

#[cfg(unix)]
#[test]
fn a_run_that_is_interrupted_is_reported() {
    // An agent that takes every message and answers none, and tells this test of the first.
    let (tell, asked) = mpsc::channel();
    let agent = Agent::serve(async move |url| {
        let card = card("1.0", &format!("{url}/rpc")).to_string();
        let silent = move || {
            let _ = tell.send(());
            std::future::pending::<()>()
        };
        Router::new()
            .route("/.well-known/agent-card.json", get(move || std::future::ready(card)))
            .route("/rpc", post(silent))
    });
    let folder = program::Folder::new();
    let file = folder.file("report.json");
    let report_flag = format!("json={file}");
    // With its profile named the suite does not begin by asking which version it speaks.
    let flags = ["check", &agent.url, "--profile", "1.0", "--timeout", "600", "--report", &report_flag];
    let running = program::start(&flags, &[]);
    asked.recv_timeout(Duration::from_secs(60)).expect("the suite asks something");
    let is_sent = Command::new("kill").args(["-INT", &running.id().to_string()]).status().unwrap();
    assert!(is_sent.success());
    let ran = running.wait();
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let report: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert_keeps_the_schema(&report);
    assert_eq!(report["stopped"], "the run was interrupted");
    let results = report["results"].as_array().unwrap();
    assert!(results.len() > 100, "every case has its result, interrupted or not");
    assert!(results.iter().any(|result| result["reason"] == "the run was interrupted"));
    assert!(results.iter().all(|result| result["verdict"] != "pass"), "nothing was seen that could pass");
}
