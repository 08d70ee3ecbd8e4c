//! The page to work with: who may use it, what runs, and what is sent by hand.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::response::Json;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::agent::{Agent, reference};
use super::program::{self, Running};

/// A token of the user.
const SECRET: &str = "s3cret-of-mine";

/// The program at work, and a page of it.
struct Page {
    ui: Running,
    url: String,
    client: Client,
    runtime: Runtime,
}

/// What came of a request.
struct Came {
    status: u16,
    policy: String,
    text: String,
}

impl Page {
    fn of(arguments: &[&str]) -> Self {
        let ui = program::start(&[&["ui"], arguments].concat(), &[("MINE", SECRET)]);
        let url = ui.stdout_line("ui at ").replace("ui at ", "").trim().to_owned();
        let _provided = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().no_proxy().timeout(program::LIMIT).build().unwrap();
        Self { ui, url, client, runtime: Runtime::new().unwrap() }
    }

    fn send(&self, request: RequestBuilder) -> Came {
        self.runtime.block_on(async {
            let answer = request.send().await.unwrap();
            let policy = answer.headers().get("content-security-policy").map(|it| it.to_str().unwrap().to_owned());
            let status = answer.status().as_u16();
            Came { status, policy: policy.unwrap_or_default(), text: answer.text().await.unwrap() }
        })
    }

    fn post(&self, path: &str, body: &Value) -> Came {
        let request = self.client.post(format!("{}{path}", self.url)).header("content-type", "application/json");
        self.send(request.body(body.to_string()))
    }

    fn state(&self) -> Value {
        serde_json::from_str(&self.send(self.client.get(format!("{}state", self.url))).text).unwrap()
    }

    /// The state, once nothing runs and this holds of it.
    fn until(&self, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        program::until(what, || Some(self.state()).filter(|state| state["busy"] == false && holds(state)))
    }

    /// Runs cases, and gives the state after it.
    fn run(&self, choice: &Value) -> Value {
        assert_eq!(self.post("run", choice).status, 202);
        self.until("the end of a run", |_| true)
    }

    /// Makes a call by hand: the lines that came of it.
    fn call(&self, call: &Value) -> Vec<Value> {
        let came = self.post("call", call);
        assert_eq!(came.status, 200, "{}", came.text);
        came.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn end(self) -> i32 {
        self.ui.signal("INT");
        self.ui.wait().code
    }
}

/// The verdicts of a case, over all that it runs over.
fn verdicts<'s>(state: &'s Value, case: &str) -> BTreeSet<&'s str> {
    let results = state["report"]["results"].as_array().unwrap().iter().filter(|result| result["case"] == case);
    results.map(|result| result["verdict"].as_str().unwrap()).collect()
}

fn place(case: &str, binding: &str) -> Value {
    json!({ "case": case, "profile": "1.0", "binding": binding })
}

/// The reference agent as a process of its own.
fn agent(port: &str, flags: &[&str]) -> (Running, String) {
    let agent = program::start(&[&["agent", "--only", "1.0", "--port", port], flags].concat(), &[]);
    let url = agent.stdout_line("reference agent at ").replace("reference agent at ", "");
    (agent, url)
}

fn port_of(url: &str) -> String {
    url.rsplit(':').next().unwrap().trim_matches('/').to_owned()
}

#[test]
fn only_the_page_may_ask() {
    let page = Page::of(&["--self", "--profile", "1.0", "--only", "get"]);
    page.until("the agent", |state| !state["agent"].is_null());
    let root = page.url.split_inclusive('/').take(3).collect::<String>();
    let state = format!("{}state", page.url);
    let own = page.send(page.client.get(&page.url));
    assert_eq!(own.status, 200);
    assert!(own.text.contains("<title>a2aspec ui</title>"));
    let guarded = |came: &Came| {
        assert!(came.policy.starts_with("default-src 'none'; script-src 'self';"), "{}", came.policy);
    };
    guarded(&own);
    for url in [root.clone(), format!("{root}state"), format!("{root}0123456789abcdef0123456789abcdef/state")] {
        let came = page.send(page.client.get(&url));
        assert_eq!(came.status, 404, "{url}");
        assert!(!came.text.contains("Reference"), "{url}");
        guarded(&came);
    }
    for (field, value) in [
        ("host", "agent.example"),
        ("origin", "https://agent.example"),
        ("origin", "null"),
        ("sec-fetch-site", "cross-site"),
    ] {
        let came = page.send(page.client.get(&state).header(field, value));
        assert_eq!(came.status, 403, "{field}: {value}");
        guarded(&came);
    }
    // A form of another page sends no JSON.
    let form = page.client.post(format!("{}run", page.url)).header("content-type", "text/plain").body("\"all\"");
    assert_eq!(page.send(form).status, 403);
    assert_eq!(page.state()["busy"], false);
    assert_eq!(page.end(), 0);
}

#[test]
fn cases_run_and_run_again_once_the_agent_is_right() {
    let (wrong, url) = agent("0", &["--fault", "get/unknown-is-internal"]);
    let page = Page::of(&[&url, "--profile", "1.0", "--only", "get"]);
    let found = page.until("the agent", |state| !state["agent"].is_null());
    assert_eq!(verdicts(&found, "get/unknown-id"), BTreeSet::from(["not run"]));
    // One case, then everything.
    let one = page.run(&json!({ "cases": [place("get/unknown-id", "jsonrpc")] }));
    assert_eq!(verdicts(&one, "get/unknown-id"), BTreeSet::from(["fail", "not run"]));
    let all = page.run(&json!("all"));
    assert_eq!(verdicts(&all, "get/unknown-id"), BTreeSet::from(["fail"]));
    assert_eq!(verdicts(&all, "get/missing-id"), BTreeSet::from(["pass"]));
    let problems = all["report"]["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 1, "{problems:?}");
    let places = problems[0]["places"].as_array().unwrap().iter();
    assert_eq!(places.filter(|place| place["case"] == "get/unknown-id").count(), 3, "{problems:?}");
    // The conversation of what failed, and of what passed.
    let detail =
        |case: &str| -> Value { serde_json::from_str(&page.post("case", &place(case, "jsonrpc")).text).unwrap() };
    let failed = detail("get/unknown-id");
    assert_eq!(failed["findings"][0]["pointer"], "/error/code");
    let number = &failed["findings"][0]["exchange"];
    let cited =
        failed["exchanges"].as_array().unwrap().iter().find(|exchange| exchange["info"]["id"] == *number).unwrap();
    assert!(cited["info"]["response"]["body"].as_str().unwrap().contains("-32603"));
    assert!(cited["by_hand"].as_str().unwrap().starts_with("curl "));
    assert!(failed["rerun"].as_str().unwrap().contains("--only get/unknown-id"));
    let passed = detail("get/missing-id");
    assert!(!passed["steps"].as_array().unwrap().is_empty() && !passed["exchanges"].as_array().unwrap().is_empty());
    // What failed runs by itself when the agent is another.
    assert_eq!(page.post("watch", &json!({ "on": true })).status, 202);
    drop(wrong);
    let (_right, same) = agent(&port_of(&url), &[]);
    assert_eq!(same, url);
    let right = page.until("the second run", |state| verdicts(state, "get/unknown-id") == BTreeSet::from(["pass"]));
    assert_eq!(right["report"]["problems"], json!([]));
    assert_eq!(page.post("case", &place("get/no-such-case", "jsonrpc")).status, 404);
    assert_eq!(page.end(), 0);
}

#[test]
fn a_run_can_be_stopped_and_a_second_one_waits() {
    let (_agent, url) = agent("0", &[]);
    let page = Page::of(&[&url, "--rate", "5"]);
    page.until("the agent", |state| !state["agent"].is_null());
    assert_eq!(page.post("run", &json!("all")).status, 202);
    program::until("the first result", || {
        Some(page.state()).filter(|state| state["running"]["done"].as_u64().is_some_and(|done| done > 0))
    });
    assert_eq!(page.post("run", &json!("all")).status, 409);
    assert_eq!(page.post("stop", &json!({})).status, 202);
    let stopped = page.until("the end", |_| true);
    let known: BTreeSet<&str> = stopped["report"]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["verdict"].as_str().unwrap())
        .collect();
    assert!(known.contains("not run"), "{known:?}");
    assert_eq!(page.end(), 0);
}

#[test]
fn an_agent_that_comes_later_is_found() {
    let (first, url) = agent("0", &[]);
    drop(first);
    let page = Page::of(&[&url, "--only", "get"]);
    let missing = page.until("what is missing", |state| !state["missing"].is_null());
    assert!(missing["missing"]["message"].as_str().unwrap().contains("refused"), "{}", missing["missing"]);
    let (_agent, _) = agent(&port_of(&url), &[]);
    let found = page.until("the agent", |state| !state["agent"].is_null());
    assert_eq!(found["missing"], Value::Null);
    assert_eq!(page.end(), 0);
}

#[test]
fn calls_by_hand_are_shown_as_they_go_on_and_judged() {
    let user = format!("ann={SECRET}");
    let (_agent, url) = agent("0", &["--fault", "data/artifact-description-list", "--user", &user]);
    let page = Page::of(&[&url, "--bearer", "env:MINE"]);
    let state = page.until("the agent", |state| !state["agent"].is_null());
    let interfaces = state["agent"]["interfaces"].as_array().unwrap().clone();
    let mut seen = BTreeSet::new();
    for interface in interfaces.iter().filter(|interface| interface["skipped"].is_null()) {
        let index = &interface["index"];
        let operation = "SendStreamingMessage";
        let blank = json!({ "interface": index, "operation": operation, "text": "hello", "task": "" });
        let params: Value = serde_json::from_str(&page.post("params", &blank).text).unwrap();
        assert_eq!(params["message"]["parts"][0]["text"], "hello");
        let lines = page.call(&json!({ "interface": index, "operation": operation, "params": params }));
        let [events @ .., answer, judged] = lines.as_slice() else { panic!("{lines:?}") };
        assert!(events.len() > 1 && events.iter().all(|line| line["event"]["kind"] == "result"), "{lines:?}");
        assert!(answer["exchange"]["info"]["request"]["url"].is_string(), "{answer}");
        assert!(!answer.to_string().contains(SECRET), "{answer}");
        let wrong = judged["judged"]["wrong"].as_array().unwrap();
        // Over gRPC a description has no other form.
        let is_grpc = interface["binding"] == "grpc";
        assert_eq!(wrong.iter().any(|one| one["case"] == "data/artifact"), !is_grpc, "{judged}");
        assert!(judged["judged"]["held"].as_u64().unwrap() > 3, "{judged}");
        seen.insert(interface["binding"].as_str().unwrap());
    }
    assert_eq!(seen, BTreeSet::from(["grpc", "http-json", "jsonrpc"]));
    let nowhere = json!({ "interface": 99, "operation": "GetTask", "params": {} });
    assert_eq!(page.post("call", &nowhere).status, 404);
    assert_eq!(page.end(), 0);
}

/// The reference agent, whose every answer over JSON-RPC has two megabytes more: of such answers only a few are held at once.
fn with_large_answers() -> Agent {
    Agent::serve(async move |url| {
        let agent = Arc::new(reference(Some(url)).await);
        let client = Client::builder().no_proxy().build().unwrap();
        Router::new().fallback(move |request: Request| {
            let (agent, client) = (Arc::clone(&agent), client.clone());
            async move {
                let (head, body) = request.into_parts();
                let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
                let mut headers = head.headers.clone();
                headers.remove("host");
                let to = format!("{}{}", agent.url(), head.uri);
                let answer = client.request(head.method, to).headers(headers).body(body).send().await.unwrap();
                let mut said: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap_or_default();
                if let Some(task) = said.pointer_mut("/result").and_then(Value::as_object_mut) {
                    task.insert("metadata".to_owned(), json!({ "padding": "x".repeat(2 << 20) }));
                }
                Json(said)
            }
        })
    })
}

#[test]
fn large_answers_leave_room_for_others() {
    let agent = with_large_answers();
    let page = Page::of(&[&agent.url, "--profile", "1.0", "--binding", "jsonrpc", "--only", "get"]);
    page.until("the agent", |state| !state["agent"].is_null());
    let state = page.run(&json!("all"));
    assert!(verdicts(&state, "get/existing").iter().all(|verdict| *verdict != "not run"), "{state}");
    let detail = page.post("case", &place("get/existing", "jsonrpc"));
    let detail: Value = serde_json::from_str(&detail.text).unwrap();
    assert!(detail["exchanges"].as_array().unwrap().iter().any(|exchange| exchange["is_long"] == true), "{detail}");
    assert_eq!(page.end(), 0);
}

#[test]
fn what_cannot_be_used_is_refused() {
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for (arguments, words) in [
        (vec!["ui", "--self", "--report", "json"], "--report has no effect here: ui writes no report"),
        (vec!["ui"], "no agent URL"),
        (vec!["ui", "--self", "--port", &port], "the page cannot listen on port"),
        (vec!["ui", "--self", "--only", "no/such-case"], "no/such-case"),
    ] {
        let ran = program::run(&arguments, &[]);
        assert!(ran.code == 2 && ran.stderr.contains(words), "{arguments:?}: {} {}", ran.code, ran.stderr);
    }
}
