//! The agent of `examples/minimal-agent`, which shows how little it takes to conform.

use std::net::Ipv4Addr;

use super::program;
use crate::common::minimal_agent;

#[test]
fn the_minimal_agent_conforms() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    runtime.spawn(minimal_agent::serve(listener));
    let ran = program::run(&["check", &url, "--min-tested", "200"], &[]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    runtime.shutdown_background();
}

/// It stays small enough to be read at once: lines of code, without comments.
#[test]
fn the_minimal_agent_is_small() {
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    let lines = include_str!("../../examples/minimal-agent/main.rs").lines().filter(is_code).count();
    assert!(lines < 200, "{lines} lines");
}
