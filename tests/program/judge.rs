//! Recorded traffic is judged as the run was that recorded it, and what was not recorded is not judged.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{program, reports, snapshot};

/// Cases that need requests of their own, or what an archive does not have; each with the reason.
const OTHERWISE: [&str; 1] = [
    // It asks again what was left without an answer.
    "robustness/answered",
];

fn read(file: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

/// The verdicts of a report, by binding and case.
fn verdicts(report: &Value) -> BTreeMap<(String, String), String> {
    let text = |result: &Value, name: &str| result[name].as_str().unwrap().to_owned();
    let results = report["results"].as_array().unwrap().iter();
    results.map(|result| ((text(result, "binding"), text(result, "case")), text(result, "verdict"))).collect()
}

/// Checks the reference agent with these faults, and judges the trace: the verdicts of the run and those of the trace.
fn both(faults: &[&str]) -> [BTreeMap<(String, String), String>; 2] {
    let folder = program::Folder::new();
    let (trace, of_run, of_trace) = (folder.file("run.har"), folder.file("run.json"), folder.file("trace.json"));
    let flags = [format!("json={of_run}"), format!("json={of_trace}")];
    let mut arguments = vec!["selftest", "--profile", "1.0", "--binding", "jsonrpc", "--binding", "http-json"];
    faults.iter().for_each(|fault| arguments.extend(["--fault", fault]));
    arguments.extend(["--timeout", "60", "--fail-on", "never", "--trace", &trace, "--report", &flags[0]]);
    let ran = program::run(&arguments, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = program::run(&["judge", &trace, "--fail-on", "never", "--report", &flags[1]], &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let report = read(&of_trace);
    reports::assert_keeps_the_schema(&report);
    let all = verdicts(&report);
    let mut own = verdicts(&read(&of_run));
    own.retain(|key, _| all.contains_key(key) && !OTHERWISE.contains(&key.1.as_str()));
    [own, all.into_iter().filter(|(key, _)| !OTHERWISE.contains(&key.1.as_str())).collect()]
}

#[test]
fn a_trace_is_judged_as_its_run() {
    let [run, trace] = both(&[]);
    assert_eq!(run, trace);
    assert!(trace.values().filter(|verdict| *verdict == "pass").count() > 30, "{trace:#?}");
}

#[test]
fn a_trace_shows_the_faults_that_its_run_showed() {
    let [run, trace] = both(&["data/time-since-1970", "list/oldest-first"]);
    assert_eq!(run, trace);
    assert!(trace.values().any(|verdict| verdict == "fail"), "{trace:#?}");
}

/// Writes an archive with these entries, and judges it.
fn judged(entries: &Value, arguments: &[&str]) -> program::Ran {
    let folder = program::Folder::new();
    let file = folder.file("traffic.har");
    std::fs::write(&file, json!({ "log": { "entries": entries } }).to_string()).unwrap();
    let ran = program::run(&[&["judge", &file][..], arguments].concat(), &[]);
    let masked = |text: &str| text.replace(&file, "traffic.har");
    program::Ran { code: ran.code, stdout: masked(&ran.stdout), stderr: masked(&ran.stderr) }
}

#[test]
fn what_cannot_be_judged_is_an_error_with_a_help() {
    let folder = program::Folder::new();
    let file = |name: &str, text: &str| {
        let file = folder.file(name);
        std::fs::write(&file, text).unwrap();
        file
    };
    let files = [
        file("cut.har", "{\"log\": {\"entries\": [{\"request\": {\"url\": \"http"),
        file("page.har", "<html>"),
        file("report.har", "{\"results\": []}"),
        file("empty.har", "{\"log\": {\"entries\": []}}"),
        folder.file("missing.har"),
    ];
    let mut told = String::new();
    for file in files {
        let ran = program::run(&["judge", &file], &[]);
        let name = std::path::Path::new(&file).file_name().unwrap().to_str().unwrap().to_owned();
        told.push_str(&format!("exit {}\n{}\n", ran.code, ran.stderr.replace(&file, &name)));
    }
    snapshot::check("judge-errors", &told);
}

#[test]
fn a_violation_is_reported_with_its_entry() {
    let header = |name: &str, value: &str| json!({ "name": name, "value": value });
    let sent = json!({ "jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": { "id": "t" } });
    let received = json!({ "jsonrpc": "2.0", "id": 1, "result": { "id": "t", "status": { "state": "working" } } });
    let entry = json!({
        "startedDateTime": "2026-11-02T10:00:00.000Z",
        "time": 5,
        "request": {
            "method": "POST",
            "url": "http://agent.example/a2a",
            "headers": [header("content-type", "application/json"), header("a2a-version", "1.0")],
            "postData": { "mimeType": "application/json", "text": sent.to_string() },
        },
        "response": {
            "status": 200,
            "headers": [header("content-type", "application/json")],
            "content": { "mimeType": "application/json", "text": received.to_string() },
        },
    });
    let ran = judged(&json!([entry]), &["--only", "data/task-states"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    snapshot::check("judge-violation", &format!("{}\n{}", ran.stdout, ran.stderr));
}
