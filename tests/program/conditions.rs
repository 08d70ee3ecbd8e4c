//! Agents of which one condition bears on the whole run: it costs them the cases that are about it, and no others.

use std::collections::BTreeMap;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, Response, StatusCode};
use serde_json::{Value, json};

use super::agent::{Agent, reference};
use super::{program, proxy};

/// What is before the reference agent: it may answer itself, change the request, or change the answer.
#[derive(Clone, Copy)]
struct Before {
    answer: fn(&Value) -> Option<Value>,
    change: fn(&mut Value),
    changed: fn(&Value, &mut Value),
}

const NOTHING: Before = Before { answer: |_| None, change: |_| {}, changed: |_, _| {} };

/// The reference agent over JSON-RPC with something before it. Cards and streams pass as they are.
fn agent(before: Before) -> Agent {
    Agent::serve(async move |url| {
        let agent = std::sync::Arc::new(reference(Some(url)).await);
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        Router::new().fallback(move |request: Request| {
            let (agent, client) = (std::sync::Arc::clone(&agent), client.clone());
            async move {
                let (head, body) = request.into_parts();
                let mut body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
                let asked = serde_json::from_slice::<Value>(&body).ok().filter(|_| head.method == "POST");
                if let Some(asked) = &asked {
                    if let Some(answer) = (before.answer)(asked) {
                        return in_json(&answer);
                    }
                    let mut changed = asked.clone();
                    (before.change)(&mut changed);
                    if changed != *asked {
                        body = Bytes::from(changed.to_string());
                    }
                }
                let mut headers: HeaderMap = head.headers.clone();
                headers.remove("host");
                headers.remove("content-length");
                let url = format!("{}{}", agent.url(), head.uri.path_and_query().map_or("/", |path| path.as_str()));
                let answer = client.request(head.method, url).headers(headers).body(body).send().await.unwrap();
                pass_on(answer, asked, before).await
            }
        })
    })
}

async fn pass_on(answer: reqwest::Response, asked: Option<Value>, before: Before) -> Response<Body> {
    let mut passed = Response::builder().status(answer.status());
    for (name, value) in answer.headers() {
        if name != "transfer-encoding" && name != "content-length" {
            passed = passed.header(name, value);
        }
    }
    let is_json = answer.headers().get("content-type").is_some_and(|kind| kind == "application/json");
    let Some(asked) = asked.filter(|_| is_json) else {
        return passed.body(Body::from_stream(answer.bytes_stream())).unwrap();
    };
    let body = answer.bytes().await.unwrap();
    let Ok(mut value) = serde_json::from_slice::<Value>(&body) else { return passed.body(Body::from(body)).unwrap() };
    let was = value.clone();
    (before.changed)(&asked, &mut value);
    passed.body(if was == value { Body::from(body) } else { Body::from(value.to_string()) }).unwrap()
}

fn in_json(value: &Value) -> Response<Body> {
    let answer = Response::builder().status(StatusCode::OK).header("content-type", "application/json");
    answer.body(Body::from(value.to_string())).unwrap()
}

/// A report about the agent over JSON-RPC of 1.0.
fn check(agent: &Agent, options: &[&str]) -> Value {
    check_over(agent, ("1.0", "jsonrpc"), options)
}

fn check_over(agent: &Agent, (version, binding): (&str, &str), options: &[&str]) -> Value {
    let folder = program::Folder::new();
    let file = folder.file("report.json");
    let report = format!("json={file}");
    let target = ["check", &agent.url, "--profile", version, "--binding", binding, "--report", &report];
    program::start(&[&target[..], options].concat(), &[]).wait();
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

/// What the report says of the interface that was checked.
fn note(report: &Value) -> &str {
    let interfaces = report["target"]["interfaces"].as_array().unwrap();
    interfaces.iter().find_map(|interface| interface["note"].as_str()).unwrap_or_default()
}

/// How many cases apply, how many of these are not reached, and the reasons for that.
fn lost(report: &Value) -> (usize, usize, BTreeMap<String, usize>) {
    let results = report["results"].as_array().unwrap();
    let of = |verdict: &str| results.iter().filter(|result| result["verdict"] == verdict).count();
    let mut reasons = BTreeMap::new();
    for result in results.iter().filter(|result| result["verdict"] == "unreached") {
        *reasons.entry(result["reason"].to_string()).or_default() += 1;
    }
    (results.len() - of("skipped"), of("unreached") + of("broken"), reasons)
}

fn assert_little_is_lost(report: &Value) {
    let (all, lost, reasons) = lost(report);
    assert!(all > 60 && lost * 10 <= all, "{lost} of {all}: {reasons:#?}");
}

/// The cases that failed.
fn failed(report: &Value) -> Vec<&str> {
    let results = report["results"].as_array().unwrap().iter();
    results.filter(|result| result["verdict"] == "fail").map(|result| result["case"].as_str().unwrap()).collect()
}

#[test]
fn an_agent_that_reads_string_ids_alone_is_given_strings() {
    let answer = |asked: &Value| {
        let error = json!({ "code": -32600, "message": "id: expected a string" });
        asked.get("id").is_some_and(Value::is_number).then(|| json!({ "jsonrpc": "2.0", "id": null, "error": error }))
    };
    let report = check(&agent(Before { answer, ..NOTHING }), &[]);
    assert!(note(&report).contains("the suite gives it strings"), "{}", note(&report));
    assert_little_is_lost(&report);
    assert_eq!(failed(&report), ["jsonrpc/id-integer"]);
}

#[test]
fn an_agent_that_makes_no_tasks_is_asked_for_none() {
    let change = |asked: &mut Value| {
        let parts = asked.pointer_mut("/params/message/parts").and_then(Value::as_array_mut);
        for text in parts.into_iter().flatten().filter_map(|part| part.get_mut("text")) {
            *text = json!("message");
        }
    };
    let report = check(&agent(Before { change, ..NOTHING }), &[]);
    assert!(note(&report).contains("makes no tasks"), "{}", note(&report));
    assert_little_is_lost(&report);
    assert_eq!(failed(&report), [""; 0]);
}

#[test]
fn of_an_agent_that_answers_everything_alike_one_thing_is_told() {
    let answer = |asked: &Value| {
        // As a model words it: never twice the same.
        let parts = json!([{ "text": format!("Hello, you asked {}.", asked["method"]) }]);
        let message = json!({ "messageId": asked["id"].to_string(), "role": "ROLE_AGENT", "parts": parts });
        Some(json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "message": message } }))
    };
    let report = check(&agent(Before { answer, ..NOTHING }), &[]);
    let first = &report["problems"][0];
    assert_eq!(first["kind"], "answers-alike", "{first}");
    assert_eq!(failed(&report), ["operations/served"]);
    assert!(note(&report).contains("the same kind of answer"), "{}", note(&report));
}

/// A control belongs to its operation: what GetTask does not refuse says nothing of messages.
#[test]
fn an_agent_that_finds_null_for_an_unknown_task_is_checked_all_the_same() {
    let changed = |asked: &Value, answer: &mut Value| {
        if asked["method"] == "GetTask" && answer["error"]["code"] == -32001 {
            *answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": null });
        }
    };
    let report = check(&agent(Before { changed, ..NOTHING }), &[]);
    assert_little_is_lost(&report);
    assert!(failed(&report).contains(&"get/unknown-id"), "{:?}", failed(&report));
}

/// `[triggers] input-required = "never"`: what cannot be is not applicable.
#[test]
fn a_trigger_that_never_does_leaves_nothing_unreached() {
    let folder = program::Folder::new();
    let settings = folder.file("a2aspec.toml");
    std::fs::write(&settings, "[triggers]\ninput-required = 'never'\n").unwrap();
    let report = check(&agent(NOTHING), &["--config", &settings, "--only", "states/*", "--only", "send/follow-up*"]);
    let results = report["results"].as_array().unwrap().iter();
    let never: Vec<&Value> = results.filter(|result| result["reason_kind"] == "trigger-never").collect();
    assert!(never.len() > 3 && never.iter().all(|result| result["verdict"] == "skipped"), "{never:#?}");
    assert!(lost(&report).2.is_empty(), "{:#?}", lost(&report));
}

/// Its URL has the beginning of all paths already (A2A 0.3, section 3.2.3).
#[test]
fn a_url_over_http_that_ends_in_v1_is_read_as_the_agent_means_it() {
    let agent = proxy::reference_agent(|asked, answer| {
        let rest = |text: String| text.replace("/rest\"", "/rest/v1\"");
        match asked.is_call() {
            true => proxy::unchanged(answer),
            false => answer.map(|body| Body::from(rest(String::from_utf8_lossy(&body).into_owned()))),
        }
    });
    let folder = program::Folder::new();
    let file = folder.file("report.json");
    let report = format!("json={file}");
    let of_it = ["--profile", "0.3", "--binding", "http-json", "--only", "get/*", "--only", "send/*"];
    program::start(&[&["check", &agent.url, "--report", &report][..], &of_it].concat(), &[]).wait();
    let report: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let notes: Vec<&str> =
        report["target"]["interfaces"].as_array().unwrap().iter().filter_map(|it| it["note"].as_str()).collect();
    assert!(notes.iter().any(|note| note.contains("its URL ends in /v1")), "{notes:?}");
    let (all, lost, reasons) = lost(&report);
    assert!(all > 10 && lost * 10 <= all, "{lost} of {all}: {reasons:#?}");
    assert_eq!(failed(&report), [""; 0]);
}

/// The reference agent, of which one way to send messages is served. All else is answered by a page.
fn that_sends_alone((status, kind, page): (u16, &'static str, &'static str)) -> Agent {
    proxy::reference_agent(move |asked, answer| {
        let called = serde_json::from_str::<Value>(&asked.body).ok();
        let method = called.as_ref().and_then(|call| call.get("method")?.as_str());
        let is_other = match method {
            Some(method) => !["message/send", "SendMessage"].contains(&method),
            None => asked.path.contains("/rest") && !asked.path.ends_with("/message:send"),
        };
        if !asked.is_call() || !is_other {
            return proxy::unchanged(answer);
        }
        let answer = Response::builder().status(status).header("content-type", kind).header("allow", "POST");
        answer.body(Body::from(page)).unwrap()
    })
}

/// An operation that is not there is denied, by whatever page: that is one finding, and what needs it does not apply.
#[test]
fn of_an_agent_that_serves_messages_alone_one_thing_is_told() {
    let html = (405, "text/html", "<html><body>Not here</body></html>");
    for (interface, page) in [
        (("0.3", "jsonrpc"), (404, "text/plain", "Not here")),
        (("0.3", "http-json"), (404, "application/json", r#"{"detail":"Not Found"}"#)),
        (("1.0", "jsonrpc"), (501, "application/json", r#"{"error":"not implemented"}"#)),
        (("1.0", "http-json"), (400, "application/json", r#"{"error":"not supported"}"#)),
        (("1.0", "http-json"), html),
    ] {
        let agent = that_sends_alone(page);
        let report = check_over(&agent, interface, &[]);
        let what = format!("{interface:?} {page:?}");
        assert!(note(&report).contains("serves messages alone"), "{what}: {}", note(&report));
        assert_little_is_lost(&report);
        assert_eq!(failed(&report), ["operations/served"], "{what}");
        let first = &report["problems"][0];
        assert_eq!((&first["kind"], &first["verdict"]), (&json!("messages-alone"), &json!("fail")), "{what}: {first}");
        let others = report["problems"].as_array().unwrap().iter().filter(|problem| problem["verdict"] == "fail");
        assert_eq!(others.count(), 1, "{what}");
        let ran = program::run(&["doctor", &agent.url, "--profile", interface.0, "--binding", interface.1], &[]);
        let told = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        let (of_it, of_cases) = (told.find("serves messages alone"), told.find("apply"));
        assert!(of_it.is_some() && of_it < of_cases, "{what}: {}", ran.stdout);
    }
}

/// An agent that does not know a task, and says so carelessly, serves the operation all the same.
#[test]
fn an_agent_whose_errors_have_no_form_serves_more_than_messages() {
    let agent = proxy::reference_agent(|asked, answer| match (asked.is_call(), answer.status().as_u16()) {
        (true, 400..) => answer.map(|_| Body::from(r#"{"detail":"No such task"}"#)),
        _ => proxy::unchanged(answer),
    });
    let report = check_over(&agent, ("1.0", "http-json"), &["--only", "get/*", "--only", "cancel/*"]);
    assert!(!note(&report).contains("messages alone"), "{}", note(&report));
    let results = report["results"].as_array().unwrap().iter();
    let reached = results.filter(|result| result["case"].as_str().unwrap().starts_with("get/"));
    assert!(reached.filter(|result| result["verdict"] == "pass").count() > 2, "{report:#}");
}

/// An agent over HTTP+JSON of 0.3 that makes no tasks answers 404 to the question for one, and gives its errors any form.
#[test]
fn an_agent_without_tasks_that_finds_none_serves_the_question_for_one() {
    let agent = Agent::serve(async move |url| {
        let card = json!({
            "protocolVersion": "0.3.0", "name": "Greeter", "description": "Greets", "version": "1.0.0", "url": url,
            "preferredTransport": "HTTP+JSON", "capabilities": {}, "defaultInputModes": ["text/plain"],
            "defaultOutputModes": ["text/plain"],
            "skills": [{ "id": "greet", "name": "Greet", "description": "Greets", "tags": ["greet"] }],
        });
        let message = json!({
            "kind": "message", "messageId": "m-1", "role": "agent", "parts": [{ "kind": "text", "text": "Hello" }],
        });
        Router::new().fallback(move |request: Request| {
            let (card, message) = (card.clone(), message.clone());
            async move {
                match request.uri().path() {
                    "/.well-known/agent-card.json" => in_json(&card),
                    path if path.ends_with("/message:send") => in_json(&message),
                    _ => {
                        let mut none = in_json(&json!({ "detail": "Not Found" }));
                        *none.status_mut() = StatusCode::NOT_FOUND;
                        none
                    }
                }
            }
        })
    });
    let report = check_over(&agent, ("0.3", "http-json"), &["--only", "operations/*", "--only", "send/*"]);
    assert!(note(&report).contains("makes no tasks"), "{}", note(&report));
    assert!(!note(&report).contains("messages alone"), "{}", note(&report));
    assert!(!failed(&report).contains(&"operations/served"), "{report:#}");
}

/// The reference agent whose streams have other data: those of the events that `change` makes of all of theirs.
fn that_streams(change: fn(&[&str]) -> Vec<String>) -> Agent {
    proxy::reference_agent(move |_, answer| {
        if !proxy::is_stream(&answer) {
            return proxy::unchanged(answer);
        }
        let lines = String::from_utf8_lossy(answer.body()).into_owned();
        let all: Vec<&str> = lines.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim_start).collect();
        let event = |data: &String| format!("data: {}\n\n", data.replace('\n', "\ndata: "));
        let body: String = change(&all).iter().map(event).collect();
        answer.map(|_| Body::from(body))
    })
}

/// What is wrong with each event of each stream is told once, and the other cases judge what was meant.
#[test]
fn streams_that_need_one_repair_are_read() {
    fn separated(all: &[&str]) -> Vec<String> {
        all.iter().map(|data| format!("\u{1e}{data}")).collect()
    }
    fn bare(all: &[&str]) -> Vec<String> {
        let result = |data: &&str| {
            let response = serde_json::from_str::<Value>(data).unwrap();
            response.get("result").map_or_else(|| (*data).to_owned(), Value::to_string)
        };
        all.iter().map(result).collect()
    }
    fn in_pairs(all: &[&str]) -> Vec<String> {
        all.chunks(2).map(|pair| pair.join("\n")).collect()
    }
    fn in_one(all: &[&str]) -> Vec<String> {
        vec![all.concat()]
    }
    type Change = fn(&[&str]) -> Vec<String>;
    for (interface, change, words) in [
        (("0.3", "jsonrpc"), separated as Change, "U+001E"),
        (("1.0", "http-json"), separated, "U+001E"),
        (("1.0", "jsonrpc"), bare, "without a JSON-RPC response"),
        (("0.3", "jsonrpc"), bare, "without a JSON-RPC response"),
        (("1.0", "jsonrpc"), in_pairs, "several JSON texts"),
        (("0.3", "jsonrpc"), in_one, "several JSON texts"),
        (("1.0", "http-json"), in_one, "several JSON texts"),
    ] {
        let report = check_over(&that_streams(change), interface, &proxy::COLLECTS);
        let (all, lost, reasons) = lost(&report);
        assert!(all > 100 && lost * 10 <= all, "{interface:?} {words}: {lost} of {all}: {reasons:#?}");
        let problems = report["problems"].as_array().unwrap().iter();
        let failures: Vec<String> = problems
            .filter(|problem| problem["verdict"] == "fail")
            .map(|problem| problem["message"].as_str().unwrap().to_owned())
            .collect();
        assert!(failures.len() == 1 && failures[0].contains(words), "{interface:?}: {failures:#?}");
        let results = report["results"].as_array().unwrap().iter();
        let passed = results
            .filter(|result| result["case"].as_str().unwrap().starts_with("stream/") && result["verdict"] == "pass");
        assert!(passed.count() > 8, "{interface:?} {words}");
    }
}
