//! What the fuzzer has found is found again from its file, by another start of the agent, and by nothing else.

use std::path::Path;

use serde_json::Value;

use super::program::{self, Folder, Ran};
use super::reports::assert_keeps_the_schema;

/// A role that is no role is taken.
const FAULT: [&str; 2] = ["--fault", "planted/takes-a-list"];
/// The interface that is fuzzed.
const OVER: [&str; 4] = ["--profile", "1.0", "--binding", "jsonrpc"];
/// A hunt that finds it and ends by itself.
const HUNT: [&str; 9] =
    ["fuzz", "--self", "--phase", "boundaries", "--only", "SendMessage", "--requests", "4000", "--seed=5"];

/// So many bytes of a trace are some hundred exchanges.
const MANY_EXCHANGES: u64 = 2 << 20;

fn hunt(folder: &Folder, more: &[&str]) -> Ran {
    let findings = folder.file("findings");
    let report = format!("json={}", folder.file("report.json"));
    let places = ["--findings", &findings, "--report", &report];
    program::run(&[&HUNT[..], &OVER, &places, more].concat(), &[])
}

fn replay(folder: &Folder, more: &[&str]) -> Ran {
    let findings = folder.file("findings");
    program::run(&[&["replay", &findings, "--self"], more].concat(), &[])
}

/// What is said of each finding.
fn fates(ran: &Ran) -> Vec<&str> {
    let lines = ran.stdout.lines().filter(|line| !line.starts_with(' '));
    lines.filter_map(|line| Some(line.split_once("fuzz/")?.0.trim())).collect()
}

#[test]
fn what_was_found_comes_again_from_its_file_as_long_as_it_is_there() {
    let folder = Folder::new();
    let junit = format!("junit={}", folder.file("junit.xml"));
    let hunted = hunt(&folder, &[&FAULT[..], &["--report", &junit]].concat());
    assert_eq!(hunted.code, 1, "{}", hunted.stderr);
    let report: Value = serde_json::from_str(&std::fs::read_to_string(folder.file("report.json")).unwrap()).unwrap();
    assert_keeps_the_schema(&report);
    let found = report["fuzz"]["seen"].as_array().unwrap();
    assert!(!found.is_empty() && found.iter().all(|seen| seen["again"] == seen["came"]), "{found:#?}");
    let junit = std::fs::read_to_string(folder.file("junit.xml")).unwrap();
    assert_eq!(junit.matches("<testcase").count(), found.len(), "{junit}");
    assert!(junit.contains("<failure"), "{junit}");
    let files = std::fs::read_dir(Path::new(&folder.file("findings"))).unwrap().count();
    assert_eq!(files, found.len());

    let again = replay(&folder, &FAULT);
    assert_eq!(fates(&again), vec!["STILL"; files], "{}", again.stdout);
    assert!(again.code == 1 && again.stdout.contains("curl "), "{}", again.stdout);
    let mended = replay(&folder, &[]);
    assert_eq!((fates(&mended), mended.code), (vec!["FIXED"; files], 0), "{}", mended.stdout);
    let other = replay(&folder, &["--fault", "planted/wrong-error-for-parameters"]);
    assert_eq!((fates(&other), other.code), (vec!["OTHERWISE"; files], 1), "{}", other.stdout);
    // The agent is not asked over the interface of the finding.
    let elsewhere = replay(&folder, &["--binding", "grpc"]);
    assert_eq!((fates(&elsewhere), elsewhere.code), (vec!["NOT TRIED"; files], 3), "{}", elsewhere.stdout);
}

#[test]
#[cfg(unix)]
fn a_hunt_that_is_interrupted_reports_what_it_has_found() {
    let folder = Folder::new();
    let trace = folder.file("trace.jsonl");
    let flags = ["fuzz", "--self", "--time", "600", "--seed", "5", "--trace", &trace];
    let report = format!("json={}", folder.file("report.json"));
    let findings = folder.file("findings");
    let places = ["--findings", &findings, "--report", &report];
    let running = program::start(&[&flags[..], &OVER, &FAULT, &places].concat(), &[]);
    // It has begun when there are exchanges of its own.
    program::until("a trace of some hundred exchanges", || {
        std::fs::metadata(&trace).is_ok_and(|trace| trace.len() > MANY_EXCHANGES).then_some(())
    });
    running.signal("INT");
    let ran = running.wait();
    assert_eq!(ran.code, 130, "{}", ran.stderr);
    let report: Value = serde_json::from_str(&std::fs::read_to_string(folder.file("report.json")).unwrap()).unwrap();
    assert_keeps_the_schema(&report);
    assert_eq!(report["stopped"], "the run was interrupted");
    assert!(report["fuzz"]["requests"].as_u64().is_some_and(|requests| requests > 100), "{}", report["fuzz"]);
}

/// The receiver of a replay is another one than that of the hunt, with other addresses.
#[test]
fn what_was_posted_wrongly_is_posted_wrongly_again() {
    const FAULT: [&str; 2] = ["--fault", "push/posts-without-credentials"];
    let folder = Folder::new();
    let findings = folder.file("findings");
    let hunt = ["fuzz", "--self", "--phase", "webhooks", "--requests", "400", "--seed=5", "--findings", &findings];
    let hunted = program::run(&[&hunt[..], &OVER, &FAULT].concat(), &[]);
    assert_eq!(hunted.code, 1, "{}{}", hunted.stdout, hunted.stderr);
    let file = std::fs::read_dir(&findings).unwrap().next().unwrap().unwrap().path();
    let written = std::fs::read_to_string(file).unwrap();
    assert!(
        written.contains("delivery-authorization") && written.contains("a delivery lacks the credentials"),
        "{written}"
    );
    let again = replay(&folder, &FAULT);
    assert_eq!((fates(&again), again.code), (vec!["STILL"], 1), "{}", again.stdout);
    let mended = replay(&folder, &[]);
    assert_eq!((fates(&mended), mended.code), (vec!["FIXED"], 0), "{}", mended.stdout);
}
