//! An agent that asks for patience gets it.

use std::sync::Mutex;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::Response;

use super::program;
use super::proxy::{reference_agent, unchanged};

#[test]
fn a_429_is_waited_out() {
    let calls: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let agent = {
        let calls = Arc::clone(&calls);
        reference_agent(move |asked, answer| {
            if !asked.is_call() || !asked.body.contains("GetTask") {
                return unchanged(answer);
            }
            let mut calls = calls.lock().unwrap_or_else(PoisonError::into_inner);
            calls.push(Instant::now());
            match calls.len() {
                1 => Response::builder().status(429).header("retry-after", "1").body(Body::empty()).unwrap(),
                _ => unchanged(answer),
            }
        })
    };
    let arguments = [
        "check",
        &agent.url,
        "--profile",
        "1.0",
        "--binding",
        "jsonrpc",
        "--only",
        "get/unknown-id",
        "--timeout",
        "60",
        "--jobs",
        "1",
    ];
    let ran = program::run(&arguments, &[]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let calls = calls.lock().unwrap();
    assert!(calls[1] - calls[0] >= Duration::from_secs(1), "the suite did not wait as it was asked to");
}
