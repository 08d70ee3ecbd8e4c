//! What would be run, said without running it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use super::program::{self, Folder};
use super::proxy::{reference_agent, unchanged};
use super::snapshot;

/// The versions and bindings whose requests are read here.
const WHAT: [&str; 6] = ["--profile", "1.0", "--binding", "jsonrpc", "--binding", "http-json"];

#[test]
fn nothing_is_sent_to_work_on() {
    let (messages, all) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let agent = {
        let (messages, all) = (Arc::clone(&messages), Arc::clone(&all));
        reference_agent(move |asked, answer| {
            all.fetch_add(1, Ordering::Relaxed);
            let is_message = ["message:", "SendMessage", "SendStreamingMessage"]
                .iter()
                .any(|word| asked.body.contains(word) || asked.path.contains(word));
            messages.fetch_add(usize::from(is_message), Ordering::Relaxed);
            unchanged(answer)
        })
    };
    let folder = Folder::new();
    let older = folder.write("report.xml", "of an earlier run");
    let report = format!("junit={older}");
    let ran = program::run(&[&["check", &agent.url, "--dry-run", "--report", &report], &WHAT[..]].concat(), &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("A2A 1.0 over http-json at "), "{}", ran.stdout);
    assert_eq!(messages.load(Ordering::Relaxed), 0, "{}", ran.stdout);
    let sent = all.load(Ordering::Relaxed);
    assert!((1..10).contains(&sent), "the card, and a probe of each interface: {sent} requests");
    assert_eq!(std::fs::read_to_string(older).unwrap(), "of an earlier run");
}

#[test]
fn it_is_told_to_people_and_programs() {
    let only = ["--only", "get", "--only", "push/posted", "--without", "streaming"];
    let arguments = [&["selftest"], &WHAT[..], &only[..]].concat();
    let people = program::run(&[&arguments[..], &["--dry-run"]].concat(), &[]);
    snapshot::check("dry-run", &snapshot::told(&people));
    let programs = program::run(&[&arguments[..], &["--dry-run=json", "--max-messages", "9"]].concat(), &[]);
    assert_eq!(programs.code, 0, "{}", programs.stderr);
    let told: Value = serde_json::from_str(&programs.stdout).unwrap();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/outline.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let wrong: Vec<String> = validator.iter_errors(&told).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(told["messages"]["at_most"], 9);
    assert!(told["webhooks"]["cases"].as_u64() > Some(0), "{told:#}");
    assert_eq!(told["interfaces"][0]["credentials"][0], "authorization");
}

#[test]
fn an_agent_that_is_not_there_is_told_as_ever() {
    assert_eq!(program::run(&["check", "http://127.0.0.1:1", "--dry-run"], &[]).code, 3);
}

/// The limit of messages is one for the run, however many interfaces the agent has.
#[test]
fn all_interfaces_share_the_messages() {
    let ran = program::run(&["selftest", "--profile", "1.0", "--max-messages", "12", "--report", "json"], &[]);
    let report: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    let sent = report["messages_sent"].as_u64().unwrap();
    assert!((6..=12).contains(&sent), "{sent} messages were sent");
    let reasons = report["results"].as_array().unwrap().iter().filter_map(|result| result["reason_kind"].as_str());
    let bindings = reasons.filter(|reason| reason.contains("messages-used-up")).count();
    assert!(bindings > 100, "{bindings} cases found no messages left");
}
