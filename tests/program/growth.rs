//! What grows with each call is found; each run has a process of its own, in which nothing else takes memory or gives it back.

use serde_json::Value;

use super::program;

/// What is said to grow, of the questions about a task and no others.
fn grows(fault: &str) -> Vec<String> {
    let folder = program::Folder::new();
    let json = folder.file("report.json");
    let report = format!("json={json}");
    let what = ["fuzz", "--self", "--fault", fault, "--profile", "0.2.5", "--phase", "growth", "--only", "GetTask"];
    let ran = program::run(&[&what[..], &["--requests", "2000", "--seed", "5", "--report", &report]].concat(), &[]);
    let report: Value = serde_json::from_str(&std::fs::read_to_string(json).expect(&ran.stderr)).unwrap();
    let growth = report["fuzz"]["growth"].as_array().expect("what grows").clone();
    let line = |growth: &Value| format!("{} {}", growth["interfaces"][0], growth["what"]).replace('"', "");
    growth.iter().map(line).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn memory_that_is_never_given_back_is_told() {
    let growth = grows("planted/leak");
    assert!(growth.iter().any(|line| line.starts_with("0.2.5 jsonrpc the memory of the agent grows")), "{growth:#?}");
}

#[test]
fn answers_that_take_longer_and_longer_are_told() {
    let growth = grows("planted/slower-each-time");
    assert!(growth.iter().any(|line| line.starts_with("0.2.5 jsonrpc an answer takes")), "{growth:#?}");
}
