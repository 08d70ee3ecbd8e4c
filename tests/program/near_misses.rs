//! Agents whose answers nearly have the form of their version. What is missing is told by the cases that are about it; the rest
//! of the suite reads what was meant.

use std::collections::BTreeMap;

use axum::body::{Body, Bytes};
use axum::http::Response;
use serde_json::{Value, json};

use super::program;
use super::proxy::{COLLECTS, is_stream, reference_agent, unchanged};

/// The cases that look at what results are made of, and those that need them. 0.3 has no list over JSON-RPC.
const CASES: [&str; 7] = ["send/*", "get/*", "stream/*", "data/*", "states/*", "cancel/*", "history/*"];

/// The cases that do not pass, with their verdicts, and what is odd about the interface, in a run against the reference agent
/// whose results are others.
fn check(version: &str, change: fn(&mut Value)) -> (BTreeMap<String, String>, String) {
    let agent = reference_agent(move |asked, answer| match asked.is_call() {
        true => changed(answer, change),
        false => unchanged(answer),
    });
    let folder = program::Folder::new();
    let file = folder.file("report.json");
    let report = format!("json={file}");
    let lists: &[&str] = if version == "0.3" { &[] } else { &["list/*"] };
    let only: Vec<&str> = CASES.iter().chain(lists).flat_map(|cases| ["--only", cases]).collect();
    let target = ["check", &agent.url, "--profile", version, "--binding", "jsonrpc", "--report", &report];
    program::start(&[&target[..], &only, &COLLECTS].concat(), &[]).wait();
    let report: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let result = |result: &Value| {
        let text = |name: &str| result[name].as_str().unwrap_or_default().to_owned();
        (text("case"), text("verdict"))
    };
    // What is in front gives streams whole, and objects that only other cases make are not seen.
    let is_of_the_test = |(case, verdict): &(String, String)| {
        verdict == "unreached" && (case.starts_with("stream/") || case.starts_with("data/"))
    };
    let verdicts = report["results"].as_array().unwrap().iter().map(result);
    let verdicts = verdicts.filter(|result| result.1 != "pass" && !is_of_the_test(result));
    let interfaces = report["target"]["interfaces"].as_array().unwrap();
    let notes: Vec<&str> = interfaces.iter().filter_map(|interface| interface["note"].as_str()).collect();
    (verdicts.collect(), notes.join("; "))
}

/// An answer whose results, also those in the events of a stream, are changed.
fn changed(answer: Response<Bytes>, change: fn(&mut Value)) -> Response<Body> {
    let spoil = |text: &str| -> Option<String> {
        let mut body: Value = serde_json::from_str(text).ok()?;
        if body.get("error").is_some() {
            return None;
        }
        change(match body.get("jsonrpc") {
            Some(_) => body.get_mut("result")?,
            None => &mut body,
        });
        Some(body.to_string())
    };
    if !is_stream(&answer) {
        return match std::str::from_utf8(answer.body()).ok().and_then(spoil) {
            Some(body) => answer.map(|_| Body::from(body)),
            None => unchanged(answer),
        };
    }
    let lines = String::from_utf8_lossy(answer.body()).into_owned();
    let lines = lines.split('\n').map(|line| match line.strip_prefix("data:").and_then(spoil) {
        Some(data) => format!("data: {data}"),
        None => line.to_owned(),
    });
    let body = lines.collect::<Vec<_>>().join("\n");
    answer.map(|_| Body::from(body))
}

/// Takes a member away from every object.
fn without(value: &mut Value, member: &str) {
    match value {
        Value::Object(members) => {
            members.shift_remove(member);
            members.values_mut().for_each(|value| without(value, member));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| without(item, member)),
        _ => {}
    }
}

fn unwrapped(value: &mut Value, members: &[&str]) {
    for member in members {
        if let Some(inner) = value.get_mut(member) {
            *value = inner.take();
            return;
        }
    }
}

fn wrapped(value: &mut Value) {
    let member = match value["kind"].as_str() {
        Some("task") => "task",
        Some("message") => "message",
        Some("status-update") => "statusUpdate",
        Some("artifact-update") => "artifactUpdate",
        _ => return,
    };
    *value = json!({ member: value.take() });
}

fn in_small_letters(value: &mut Value) {
    match value {
        Value::String(text) if text.starts_with("TASK_STATE_") => {
            *text = text["TASK_STATE_".len()..].to_lowercase().replace('_', "-");
        }
        Value::Object(members) => members.values_mut().for_each(in_small_letters),
        Value::Array(items) => items.iter_mut().for_each(in_small_letters),
        _ => {}
    }
}

#[track_caller]
fn tells_only(version: &str, change: fn(&mut Value), cases: &[&str], note: &str) {
    let (told, notes) = check(version, change);
    let told: Vec<String> = told.into_iter().map(|(case, verdict)| format!("{case}: {verdict}")).collect();
    assert_eq!(told, cases);
    assert!(notes.contains(note), "{notes}");
}

#[test]
fn objects_without_their_discriminators() {
    let told = [
        "data/message: fail",
        "data/part: fail",
        "data/send-response: fail",
        "data/stream-response: fail",
        "data/task: fail",
    ];
    tells_only("0.3", |value| without(value, "kind"), &told, "nothing on it says that it is a `task`");
}

#[test]
fn results_without_the_member_around_them() {
    let told = ["data/send-response: fail", "data/stream-response: fail"];
    let note = "it lacks the member `task` around it";
    tells_only("1.0", |value| unwrapped(value, &["task", "message", "statusUpdate", "artifactUpdate"]), &told, note);
}

#[test]
fn results_with_a_member_around_them() {
    let told = ["data/send-response: fail", "data/stream-response: fail", "data/task: fail"];
    tells_only("0.3", wrapped, &told, "it stands in a member `task`");
}

/// Without its page a list has no members, and cannot be walked: one case reports that for all.
#[test]
fn lists_without_their_page() {
    let told = [
        "data/list-response: fail",
        "list/default-page-size: unreached",
        "list/default-page-size-with-filter: unreached",
        "list/last-page-token: unreached",
        "list/members: unreached",
        "list/page-size: unreached",
        "list/stable-while-tasks-arrive: unreached",
        "list/stable-while-tasks-leave: unreached",
        "list/token-present: unreached",
        "list/total-size: unreached",
        "list/walk-covers: unreached",
        "list/walk-no-repeats: unreached",
    ];
    tells_only("1.0", |value| unwrapped(value, &["tasks"]), &told, "it lacks the member `tasks` around it");
}

#[test]
fn states_in_small_letters() {
    tells_only("1.0", in_small_letters, &["data/task-states: fail"], "it is spelled \"completed\"");
}

/// 0.3 has an array in place of a page (section 7.4 over HTTP): what came instead is shown, and not that something in it is missing.
#[test]
fn an_object_in_place_of_a_bare_list_is_shown() {
    let agent = reference_agent(|asked, answer| match asked.path.ends_with("/v1/tasks") {
        true => {
            let list = String::from_utf8_lossy(answer.body()).into_owned();
            answer.map(|_| Body::from(format!(r#"{{"tasks":{list}}}"#)))
        }
        false => unchanged(answer),
    });
    let folder = program::Folder::new();
    let file = folder.file("report.json");
    let report = format!("json={file}");
    let of_it = ["--profile", "0.3", "--binding", "http-json", "--only", "http-json/list-is-array"];
    program::start(&[&["check", &agent.url, "--report", &report][..], &of_it].concat(), &[]).wait();
    let report: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let message = report["problems"][0]["message"].as_str().unwrap_or_default();
    assert!(
        message.starts_with(r#"the answer to ListTasks is {"tasks":["#) && message.contains("expected an array"),
        "{message}"
    );
}
