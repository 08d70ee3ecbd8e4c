//! What failed is run again when the agent comes back.

use super::program::{self, Running};

/// The program at work; each line of its standard error tells how far it is.
fn watch(url: &str) -> Running {
    let what = ["--profile", "1.0", "--binding", "jsonrpc", "--only", "get", "--timeout", "60"];
    program::start(&[&["watch", url], &what[..]].concat(), &[])
}

/// Ends it as a user does, and gives its exit code.
fn end(watch: Running) -> i32 {
    watch.signal("INT");
    watch.wait().code
}

/// The reference agent as a process of its own, which is gone when it is dropped; at this port, and with these flags.
fn agent(port: &str, flags: &[&str]) -> (Running, String) {
    let agent = program::start(&[&["agent", "--only", "1.0", "--port", port], flags].concat(), &[]);
    let url = agent.stdout_line("reference agent at ").replace("reference agent at ", "");
    (agent, url)
}

#[test]
fn what_failed_is_run_again_when_the_agent_comes_back() {
    let (wrong, url) = agent("0", &["--fault", "get/unknown-is-internal"]);
    let watch = watch(&url);
    assert!(!watch.stderr_line("round 1: ").contains("that failed"));
    watch.stderr_line("the gate fails: ");
    let waiting = watch.stderr_line("waiting for the agent to change: ");
    assert!(waiting.contains("that failed will be run again"), "{waiting}");
    drop(wrong);
    watch.stderr_line("the agent is gone");
    let port = url.rsplit(':').next().unwrap().trim_matches('/').to_owned();
    let (_right, same) = agent(&port, &[]);
    assert_eq!(same, url);
    let round = watch.stderr_line("round 2: ");
    assert!(round.contains("that failed"), "{round}");
    watch.stderr_line("the gate passes: ");
    let waiting = watch.stderr_line("waiting for the agent to change: ");
    assert!(waiting.contains("everything is run again"), "{waiting}");
    assert_eq!(end(watch), 0);
}

/// An agent that is not there yet is waited for.
#[test]
fn an_agent_that_starts_later() {
    let (first, url) = agent("0", &[]);
    drop(first);
    let watch = watch(&url);
    watch.stderr_line("waiting for the agent to change: ");
    let port = url.rsplit(':').next().unwrap().trim_matches('/').to_owned();
    let _agent = agent(&port, &[]);
    watch.stderr_line("round 1: ");
    watch.stderr_line("the gate passes: ");
    assert_eq!(end(watch), 0);
}

#[test]
fn the_reference_agent_can_be_watched() {
    let watch = program::start(&["watch", "--self", "--profile", "1.0", "--binding", "jsonrpc", "--only", "get"], &[]);
    watch.stderr_line("the gate passes: ");
    watch.stderr_line("waiting for the agent to change: ");
    assert_eq!(end(watch), 0);
}
