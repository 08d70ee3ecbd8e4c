//! What lists cost: no more on an agent that holds many tasks than on one that holds none, and no more than is needed on an
//! agent whose lists have no end.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::body::{Body, Bytes};
use axum::http::Response;
use serde_json::{Value, json};

use super::agent::Agent;
use super::program;
use super::proxy::{Asked, reference_agent, unchanged};
use super::stock::stock;

/// Tasks that an agent holds before the run: many times what the suite makes.
const STORED: usize = 3000;
/// By how much the lists of two runs may differ, in bytes: the three pages that show tasks of every context, at most a hundred
/// tasks each. All the tasks that are stored are many times as much.
const MARGIN: usize = 128 << 10;

/// What lists have cost so far.
#[derive(Default)]
struct Cost {
    requests: AtomicUsize,
    bytes: AtomicUsize,
}

impl Cost {
    /// What they have cost since they were asked last.
    fn take(&self) -> (usize, usize) {
        (self.requests.swap(0, Ordering::Relaxed), self.bytes.swap(0, Ordering::Relaxed))
    }
}

fn is_list(asked: &Asked) -> bool {
    asked.path.ends_with("/tasks") || asked.body.contains(r#""ListTasks""#)
}

/// The reference agent behind something that counts.
fn counted() -> (Agent, Arc<Cost>) {
    let cost = Arc::new(Cost::default());
    let counts = Arc::clone(&cost);
    let agent = reference_agent(move |asked, answer| {
        if is_list(&asked) {
            counts.requests.fetch_add(1, Ordering::Relaxed);
            counts.bytes.fetch_add(answer.body().len(), Ordering::Relaxed);
        }
        unchanged(answer)
    });
    (agent, cost)
}

/// A run, one case at a time; each case with its verdict and its reason.
fn check(url: &str, flags: &[&str]) -> Vec<[String; 3]> {
    let mut arguments = vec!["check", url, "--report", "json", "--jobs", "1"];
    arguments.extend(flags);
    let ran = program::run(&arguments, &[]);
    let report: Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("no report: {}{}", ran.stdout, ran.stderr));
    let text = |result: &Value, name: &str| result[name].as_str().unwrap_or_default().to_owned();
    let results = report["results"].as_array().unwrap().iter();
    results.map(|result| ["case", "verdict", "reason"].map(|name| text(result, name))).collect()
}

/// One case against a list that is made up.
fn check_one(list: impl Fn(&Value, usize) -> Value + Send + Sync + 'static, case: &str) -> ([String; 3], usize) {
    let cost = Arc::new(Cost::default());
    let counts = Arc::clone(&cost);
    let agent = reference_agent(move |asked, answer| match serde_json::from_str::<Value>(&asked.body) {
        Ok(call) if call["method"] == "ListTasks" => {
            let nth = counts.requests.fetch_add(1, Ordering::Relaxed);
            let body = json!({ "jsonrpc": "2.0", "id": call["id"], "result": list(&call["params"], nth) }).to_string();
            Response::builder().header("content-type", "application/json").body(Body::from(body)).unwrap()
        }
        _ => unchanged(answer),
    });
    let mut results = check(&agent.url, &["--profile", "1.0", "--binding", "jsonrpc", "--only", case]);
    assert_eq!(results.len(), 1, "{results:?}");
    (results.remove(0), cost.take().0)
}

fn page(tasks: Value, token: &str) -> Value {
    json!({ "tasks": tasks, "nextPageToken": token, "pageSize": 2, "totalSize": 1_000_000 })
}

fn foreign() -> Value {
    json!([{ "id": "t", "contextId": "of another", "status": { "state": "TASK_STATE_COMPLETED" } }])
}

#[test]
fn lists_cost_the_same_however_many_tasks_the_agent_holds() {
    let (agent, cost) = counted();
    let measure = || {
        [("1.0", ""), ("1.0-draft", "/1.0-draft")].map(|(profile, base)| {
            let url = format!("{}{base}", agent.url);
            let results = check(&url, &["--profile", profile, "--only", "list", "--only", "history/list-*"]);
            (profile, results, cost.take())
        })
    };
    let empty = measure();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(stock(&format!("{}/1.0", agent.url), STORED));
    for ((profile, empty, (requests, bytes)), (_, stocked, (requests_stocked, bytes_stocked))) in
        empty.into_iter().zip(measure())
    {
        assert!(empty.iter().filter(|[_, verdict, _]| verdict == "pass").count() > 60, "{profile}: {empty:?}");
        assert_eq!(empty, stocked, "{profile}");
        assert!(requests > 50, "{profile}: {requests} requests");
        assert_eq!(requests, requests_stocked, "{profile}");
        assert!(bytes.abs_diff(bytes_stocked) < MARGIN, "{profile}: {bytes} bytes became {bytes_stocked}");
    }
}

#[test]
fn a_list_without_an_end_is_left() {
    let endless = |_: &Value, nth| page(json!([]), &format!("page {nth}"));
    let ([_, verdict, reason], requests) = check_one(endless, "list/walk-covers");
    assert_eq!(verdict, "unreached");
    assert_eq!(
        reason,
        "the list has more than 20 pages (0 tasks), and the suite reads no further; check the agent while it holds fewer tasks"
    );
    assert_eq!(requests, 20);
}

#[test]
fn a_list_that_goes_round_is_over() {
    let round = |params: &Value, _| page(foreign(), if params["pageToken"] == "a" { "b" } else { "a" });
    let ([_, verdict, _], requests) = check_one(round, "list/last-page-token");
    // The first page, that of `a` and that of `b`, which leads to `a` again.
    assert_eq!((verdict.as_str(), requests), ("fail", 3));
}

#[test]
fn a_walk_is_over_when_the_answer_is_known() {
    let endless = |_: &Value, nth| page(foreign(), &format!("page {nth}"));
    let ([_, verdict, _], requests) = check_one(endless, "list/filter-context");
    assert_eq!((verdict.as_str(), requests), ("fail", 1));
    let ([_, verdict, _], requests) = check_one(endless, "list/filter-timestamp-future");
    assert_eq!((verdict.as_str(), requests), ("fail", 1));
    // The new task is on the third page only.
    let made = Arc::new(Mutex::new(Value::Null));
    let known = Arc::clone(&made);
    let agent = reference_agent(move |asked, answer| {
        let call: Value = serde_json::from_str(&asked.body).unwrap_or_default();
        if call["method"] == "SendMessage" {
            let answer: Value = serde_json::from_slice(answer.body()).unwrap();
            *known.lock().unwrap() = answer["result"]["task"].clone();
        }
        if call["method"] != "ListTasks" {
            return unchanged(answer);
        }
        let token = call["params"]["pageToken"].as_str().unwrap_or("p");
        let tasks = if token == "ppp" { json!([known.lock().unwrap().clone()]) } else { foreign() };
        assert!(token.len() <= 3, "the walk went on after it had found the task");
        let body =
            json!({ "jsonrpc": "2.0", "id": call["id"], "result": page(tasks, &format!("{token}p")) }).to_string();
        Response::builder().header("content-type", "application/json").body(Body::from(body)).unwrap()
    });
    let results = check(&agent.url, &["--profile", "1.0", "--binding", "jsonrpc", "--only", "list/contains-created"]);
    assert_eq!(results, [["list/contains-created", "pass", ""]]);
}

/// In 0.3 a list has neither filters nor pages.
#[test]
fn a_whole_list_that_is_too_large_proves_nothing() {
    let agent = reference_agent(|asked, answer| {
        if !is_list(&asked) {
            return unchanged(answer);
        }
        let body = Bytes::from([b"[".as_slice(), &vec![b' '; 5 << 20], b"]"].concat());
        Response::builder().header("content-type", "application/json").body(Body::from(body)).unwrap()
    });
    let flags = ["--profile", "0.3", "--binding", "http-json", "--only", "http-json/list-is-array"];
    let results = check(&agent.url, &flags);
    let reason = "the agent sent an answer of more than 4 MiB, more than the suite reads";
    assert_eq!(results, [["http-json/list-is-array", "unreached", reason]]);
}
