use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use super::*;
use crate::profile;
use crate::verdict::Verdict;

const JSON: &str = "application/json";

/// The card of an agent of 1.0 over JSON-RPC at `/a2a` and over HTTP+JSON at `/rest`.
fn card() -> Value {
    let interface = |path: &str, binding: &str| json!({ "url": format!("http://agent.example{path}"), "protocolBinding": binding, "protocolVersion": "1.0" });
    json!({
        "name": "demo",
        "description": "a demo",
        "version": "1",
        "supportedInterfaces": [interface("/a2a", "JSONRPC"), interface("/rest", "HTTP+JSON")],
        "capabilities": { "streaming": true },
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "s", "name": "s", "description": "s", "tags": ["s"] }],
    })
}

fn task(state: &str) -> Value {
    let status = json!({ "state": state, "timestamp": "2026-11-02T10:00:00.000Z" });
    json!({ "id": "t-1", "contextId": "c-1", "status": status })
}

/// An entry as browsers write it.
fn entry(second: u32, method: &str, url: &str, sent: &Value, kind: &str, received: &str) -> Value {
    let header = |name: &str, value: &str| json!({ "name": name, "value": value });
    let mut request = json!({
        "method": method,
        "url": url,
        "headers": [header("Accept", "*/*"), header("A2A-Version", "1.0"), header("Authorization", "Bearer tok-en-4711")],
    });
    if !sent.is_null() {
        request["headers"].as_array_mut().unwrap().push(header("Content-Type", JSON));
        request["postData"] = json!({ "mimeType": JSON, "text": sent.to_string() });
    }
    json!({
        "startedDateTime": format!("2026-11-02T10:00:{second:02}.000Z"),
        "time": 5.5,
        "request": request,
        "response": {
            "status": 200,
            "headers": [header("Content-Type", kind)],
            "content": { "size": received.len(), "mimeType": kind, "text": received },
        },
    })
}

fn fetched(second: u32) -> Value {
    let url = "http://agent.example/.well-known/agent-card.json";
    entry(second, "GET", url, &Value::Null, JSON, &card().to_string())
}

fn called(second: u32, method: &str, params: &Value, result: &Value) -> Value {
    let sent = json!({ "jsonrpc": "2.0", "id": second, "method": method, "params": params });
    let received = json!({ "jsonrpc": "2.0", "id": second, "result": result });
    entry(second, "POST", "http://agent.example/a2a", &sent, JSON, &received.to_string())
}

/// Judges entries, as the only ones of a file.
fn judged_by(entries: &[Value], change: impl FnOnce(&mut Wanted)) -> Result<Judged, TrafficError> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = format!("a2aspec-traffic-{}-{}.har", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, json!({ "log": { "entries": entries } }).to_string()).unwrap();
    let judged = of_file(&file, change);
    std::fs::remove_file(&file).unwrap();
    judged
}

fn of_file(file: &Path, change: impl FnOnce(&mut Wanted)) -> Result<Judged, TrafficError> {
    let mut wanted = Wanted {
        files: vec![file.to_owned()],
        agent: None,
        profiles: Vec::new(),
        bindings: Vec::new(),
        library: Arc::new(crate::suite::library(None).unwrap()),
        selection: Selection::default(),
        command: "a2aspec judge traffic.har".to_owned(),
    };
    change(&mut wanted);
    judge(&wanted, &profile::bundled().unwrap())
}

fn judged(entries: &[Value]) -> Judged {
    judged_by(entries, |_| {}).unwrap()
}

/// The ids of the cases with a verdict.
fn with(judged: &Judged, verdict: Verdict) -> Vec<&str> {
    let results = judged.report.results.iter().filter(|result| result.verdict == verdict);
    results.map(|result| result.case.as_str()).collect()
}

fn failing(judged: &Judged) -> Vec<&str> {
    [with(judged, Verdict::Fail), with(judged, Verdict::Warn), with(judged, Verdict::Broken)].concat()
}

#[test]
fn a_right_conversation_passes_by_what_it_shows() {
    let judged = judged(&[fetched(0), called(1, "GetTask", &json!({ "id": "t-1" }), &task("TASK_STATE_COMPLETED"))]);
    assert_eq!(failing(&judged), [""; 0]);
    let passed = with(&judged, Verdict::Pass);
    for shown in ["data/task", "jsonrpc/response-id", "data/task-states"] {
        assert!(passed.contains(&shown), "{shown} is not in {passed:?}");
    }
    let unreached = with(&judged, Verdict::Unreached);
    assert!(unreached.contains(&"data/artifact"), "nothing shows an artifact: {unreached:?}");
    assert_eq!((judged.counts.judged, judged.counts.ignored()), (1, 1));
    assert_eq!(judged.report.target.name.as_deref(), Some("demo"));
}

#[test]
fn a_wrong_answer_fails_wherever_it_is_in_the_file() {
    let mut entries: Vec<Value> =
        (2..6).map(|at| called(at, "GetTask", &json!({ "id": "t-1" }), &task("TASK_STATE_WORKING"))).collect();
    entries.push(called(1, "GetTask", &json!({ "id": "t-1" }), &json!({ "id": 3, "status": {} })));
    entries.push(fetched(9));
    let wrong = judged(&entries);
    assert!(failing(&wrong).contains(&"data/task"), "{:?}", failing(&wrong));
    assert!(wrong.report.requirements.iter().any(|requirement| requirement.verdict == Verdict::Fail));
}

#[test]
fn an_ended_task_goes_on_across_exchanges() {
    let asks = json!({ "id": "t-1" });
    let states = ["TASK_STATE_COMPLETED", "TASK_STATE_WORKING"];
    let mut entries: Vec<Value> =
        (1..).zip(states).map(|(at, state)| called(at, "GetTask", &asks, &task(state))).collect();
    entries.push(fetched(0));
    assert!(failing(&judged(&entries)).contains(&"states/legal-transitions"), "{:?}", failing(&judged(&entries)));
    // The same the other way round is what tasks do, whatever the order in the file.
    entries.swap(0, 1);
    let (one, two) = (entries[0]["startedDateTime"].clone(), entries[1]["startedDateTime"].clone());
    (entries[0]["startedDateTime"], entries[1]["startedDateTime"]) = (two, one);
    assert_eq!(failing(&judged(&entries)), [""; 0]);
}

#[test]
fn what_a_client_wrote_is_not_held_against_the_agent() {
    let message = json!({ "messageId": "m-1", "role": "ROLE_USER", "parts": [{ "text": "x", "media_type": 3 }], "context_id": "c" });
    let mut shown = task("TASK_STATE_COMPLETED");
    shown["history"] = json!([message]);
    let answer = json!({ "task": shown });
    let judged = judged(&[fetched(0), called(1, "SendMessage", &json!({ "message": message }), &answer)]);
    assert_eq!(failing(&judged), [""; 0]);
}

#[test]
fn what_was_not_recorded_is_not_judged() {
    let asks = json!({ "id": "t-1" });
    let right = || called(1, "GetTask", &asks, &task("TASK_STATE_WORKING"));
    let but = |change: fn(&mut Value)| {
        let mut entry = right();
        change(&mut entry);
        entry
    };
    let entries = [
        fetched(0),
        right(),
        but(|entry| entry["response"]["content"] = json!({ "size": 90 })),
        but(|entry| entry["response"]["content"]["text"] = json!("{\"jsonrpc\"")),
        but(|entry| entry["response"]["content"]["encoding"] = json!("base64")),
        but(|entry| entry["response"] = json!({ "status": 0, "_error": "net::ERR_ABORTED" })),
        but(|entry| entry["startedDateTime"] = Value::Null),
        but(|entry| entry["_fromCache"] = json!("memory")),
        but(|entry| entry["response"]["headers"] = json!([])),
        but(|entry| entry["response"] = json!({ "status": 304, "headers": [{ "name": "etag", "value": "x" }] })),
        but(|entry| {
            entry["response"]["status"] = json!(502);
            entry["response"]["content"] = json!({ "text": "<html>bad gateway" });
        }),
    ];
    let judged = judged(&entries);
    assert_eq!(failing(&judged), [""; 0]);
    assert_eq!(judged.counts.unreached.values().sum::<usize>(), 7, "{:?}", judged.counts);
    assert!(judged.counts.unreached.contains_key("the archive has no response body"));
}

#[test]
fn streams_and_calls_over_http_json_are_judged() {
    let url = |path: &str| format!("http://agent.example/rest{path}");
    let event = json!({ "statusUpdate": { "taskId": "t-1", "contextId": "c-1", "status": task("TASK_STATE_WORKING")["status"] } });
    let first = json!({ "task": task("TASK_STATE_WORKING") });
    let stream = format!("data: {first}\n\ndata: {event}\n\n");
    let message = json!({ "message": { "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "x" }] } });
    let read = task("TASK_STATE_WORKING").to_string();
    let entries = [
        fetched(0),
        entry(1, "POST", &url("/message:stream"), &message, "text/event-stream", &stream),
        entry(2, "GET", &url("/tasks/t-1"), &Value::Null, JSON, &read),
        entry(3, "GET", "http://agent.example/tasks/t-1", &Value::Null, JSON, "[]"),
    ];
    let judged = judged(&entries);
    assert_eq!(failing(&judged), [""; 0]);
    assert_eq!((judged.counts.judged, judged.counts.ignored()), (2, 2));
    let passed = with(&judged, Verdict::Pass);
    assert!(passed.contains(&"data/status-update") && passed.contains(&"data/task"), "{passed:?}");
    // A stream whose end was not recorded may have been left by its client.
    let cut = format!("{stream}data: {{\"statusUpd");
    let entries = [fetched(0), entry(1, "POST", &url("/message:stream"), &message, "text/event-stream", &cut)];
    assert_eq!(failing(&judged_by(&entries, |_| {}).unwrap()), [""; 0]);
}

#[test]
fn credentials_are_in_no_report() {
    let secret = json!({ "id": "t-1", "metadata": { "echo": "tok-en-4711" } });
    let mut wrong = task("TASK_STATE_WORKING");
    wrong["status"]["state"] = json!("tok-en-4711");
    let judged = judged(&[fetched(0), called(1, "GetTask", &secret, &wrong)]);
    assert!(!failing(&judged).is_empty());
    let text = crate::report::render(&judged.report, crate::report::Format::Json, 100);
    assert!(text.contains("***") && !text.contains("tok-en-4711"), "{text}");
}

#[test]
fn an_agent_must_be_there_and_be_one() {
    let error = |entries: &[Value]| judged_by(entries, |_| {}).err().unwrap().to_string();
    let page = entry(0, "GET", "http://shop.example/", &Value::Null, "text/html", "<html>");
    assert_eq!(error(std::slice::from_ref(&page)), "no A2A call in 1 entry");
    assert_eq!(error(&[page, fetched(0)]), "no A2A call in 2 entries, only 1 agent card");
    let other = |at: &str| {
        let sent = json!({ "jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {} });
        entry(1, "POST", at, &sent, JSON, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#)
    };
    let mut older = other("http://other.example/");
    older["request"]["headers"] = json!([{ "name": "content-type", "value": JSON }]);
    let unsaid = error(std::slice::from_ref(&older));
    assert_eq!(
        unsaid,
        "nothing in the traffic shows the protocol version at http://other.example/: it can be 0.3 or 0.2.5 or 0.2.1"
    );
    let both = [fetched(0), called(1, "GetTask", &json!({ "id": "t-1" }), &task("TASK_STATE_WORKING")), older];
    assert_eq!(
        judged_by(&both, |wanted| wanted.agent = Some("http://agent.example".to_owned())).unwrap().counts.judged,
        1
    );
    let forced = judged_by(&both, |wanted| wanted.profiles = vec!["0.3".to_owned(), "1.0".to_owned()]).err();
    assert!(matches!(forced, Some(TrafficError::SeveralAgents { .. })), "{forced:?}");
    let nowhere = judged_by(&both, |wanted| wanted.agent = Some("http://nowhere.example".to_owned())).err();
    assert!(matches!(nowhere, Some(TrafficError::NoSuchAgent { .. })), "{nowhere:?}");
}
