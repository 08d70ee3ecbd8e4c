//! Whole runs against agents in memory, by a clock that nobody waits for.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::*;
use crate::auth::Credentials;
use crate::binding::http::{Outgoing, Settings};
use crate::binding::memory::{Memory, Reply};
use crate::case::Library;
use crate::interface::{Agent, Interface, Listed};
use crate::judge::oracle;
use crate::plan::{self, Selection};
use crate::profile::{self, Binding, Profile};
use crate::report::gate::{FailOn, Gate};
use crate::report::{Report, ReportBuilder, Secrets};

/// How long the suite waits for an answer.
const LIMIT: Duration = Duration::from_secs(10);

/// The profiles and the cases.
static DATA: LazyLock<(Vec<Arc<Profile>>, Library)> = LazyLock::new(|| {
    let profiles = profile::bundled().unwrap();
    let known: Vec<&Profile> = profiles.iter().map(AsRef::as_ref).collect();
    let library = Library::load(None, &known, &oracle::all()).unwrap();
    (profiles, library)
});

/// A small agent over JSON-RPC in 1.0: a message brings a task, whose state is the text in capitals.
#[derive(Default)]
struct Small {
    /// Whether every task is finished at once.
    is_quick: bool,
    tasks: Mutex<HashMap<String, Value>>,
}

impl Small {
    fn answer(&self, request: &Outgoing) -> Reply {
        let Ok(call) = serde_json::from_slice::<Value>(&request.body) else {
            return Reply::json(200, &error(&Value::Null, -32700));
        };
        let (id, params) = (call["id"].clone(), &call["params"]);
        let mut tasks = self.tasks.lock().unwrap();
        let result = match call["method"].as_str() {
            Some("SendMessage") => {
                let name = format!("task-{}", tasks.len());
                let state = match params["message"]["parts"][0]["text"].as_str() {
                    Some("slow") if !self.is_quick => "TASK_STATE_WORKING",
                    _ => "TASK_STATE_COMPLETED",
                };
                let status = json!({ "state": state, "timestamp": "2026-01-31T12:00:00.000Z" });
                let task = json!({ "id": name, "contextId": "c", "status": status });
                tasks.insert(name, task.clone());
                Some(json!({ "task": task }))
            }
            Some("GetTask") => tasks.get(params["id"].as_str().unwrap_or_default()).cloned(),
            _ => return Reply::json(200, &error(&id, -32601)),
        };
        match result {
            Some(result) => Reply::json(200, &json!({ "jsonrpc": "2.0", "id": id, "result": result })),
            None => Reply::json(200, &error(&id, -32001)),
        }
    }
}

fn error(id: &Value, code: i64) -> Value {
    let data = json!([{
        "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND", "domain": "a2a-protocol.org"
    }]);
    let data = if code == -32001 { data } else { json!([]) };
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": "no", "data": data } })
}

/// The method that a request calls.
fn method(request: &Outgoing) -> String {
    let call: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    call["method"].as_str().unwrap_or_default().to_owned()
}

/// A run of some cases.
struct Run {
    cases: &'static [&'static str],
    max_messages: Option<u64>,
    /// When the user stops it.
    stop_after: Option<Duration>,
}

fn of(cases: &'static [&'static str]) -> Run {
    Run { cases, max_messages: None, stop_after: None }
}

impl Run {
    /// Runs against an agent that answers like this; the report, and how long the run took by its own clock.
    async fn against(self, answer: impl Fn(&Outgoing) -> Reply + Send + Sync + 'static) -> (Report, Duration) {
        let (profiles, library) = &*DATA;
        let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
        let url = "http://agent.example/".to_owned();
        let interfaces = vec![Listed::named(Interface::new(profile, Binding::Jsonrpc, url.clone()).unwrap())];
        let only = self.cases.iter().map(|case| (*case).to_owned()).collect();
        let selection = Selection { only, ..Selection::default() };
        let declared = BTreeMap::from([("1.0".to_owned(), Default::default())]);
        let plan = Arc::new(plan::make(library, &interfaces, &declared, &selection).unwrap());
        let settings = Settings { credentials: Credentials::default(), timeout: LIMIT };
        let http = Arc::new(Http::over(Arc::new(Memory::new(answer)), settings));
        let agent = Agent { url, interfaces, ..Agent::default() };
        let options = Options { jobs: 4, max_messages: self.max_messages, triggers: Triggers::default() };
        let (events, mut heard) = mpsc::unbounded_channel();
        let (stopper, stop) = watch::channel(false);
        let began = Instant::now();
        let stopping = async {
            if let Some(after) = self.stop_after {
                tokio::time::sleep(after).await;
                stopper.send(true).unwrap();
            }
        };
        let running = execute(Arc::clone(&plan), agent, http, options, events, stop);
        tokio::join!(running, stopping);
        let took = began.elapsed();
        let started = jiff::Timestamp::UNIX_EPOCH;
        let mut builder =
            ReportBuilder::new("http://agent.example/", "a2aspec check", plan, Secrets::default(), started);
        while let Some(event) = heard.recv().await {
            builder.see(&event);
        }
        (builder.finish(took), took)
    }
}

/// Every result as `case: verdict (reason)`.
fn told(report: &Report) -> Vec<String> {
    let results = report.results.iter().map(|result| {
        let reason = result.reason.as_ref().map(|reason| format!(" ({})", reason.name()));
        format!("{}: {}{}", result.case, result.verdict.name(), reason.unwrap_or_default())
    });
    results.collect()
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_is_right_passes() {
    let small = Small::default();
    let (report, _) = of(&["get/unknown-id", "get/repeatable"]).against(move |request| small.answer(request)).await;
    assert_eq!(told(&report), ["get/repeatable: pass", "get/unknown-id: pass"]);
    assert_eq!((Gate::of(&report, FailOn::Must), report.problems.len()), (Gate::Passes, 0));
}

#[tokio::test(start_paused = true)]
async fn what_is_wrong_is_a_problem_and_fails_the_gate() {
    let small = Small::default();
    let (report, _) = of(&["get/unknown-id"])
        .against(move |request| {
            let reply = small.answer(request);
            let is_refused = reply.pieces.iter().any(|(_, piece)| piece.windows(6).any(|part| part == b"-32001"));
            let call: Value = serde_json::from_slice(&request.body).unwrap();
            if is_refused { Reply::json(200, &error(&call["id"], -32603)) } else { reply }
        })
        .await;
    assert_eq!(told(&report), ["get/unknown-id: fail"]);
    let problem = report.problems.first().unwrap();
    assert_eq!((problem.kind.as_str(), report.results[0].findings[0].assertion.as_str()), ("wrong-error", "error"));
    assert_eq!(Gate::of(&report, FailOn::Must), Gate::Fails);
    assert_eq!(Gate::of(&report, FailOn::Never), Gate::Passes);
}

#[tokio::test(start_paused = true)]
async fn an_agent_without_the_needed_state_is_not_judged() {
    let small = Small { is_quick: true, ..Small::default() };
    let (report, _) = of(&["cancel/running"]).against(move |request| small.answer(request)).await;
    assert_eq!(told(&report), ["cancel/running: unreached (trigger-missed)"]);
    assert_eq!(Gate::of(&report, FailOn::Must), Gate::Fails, "nothing that the agent does was seen");
}

#[tokio::test(start_paused = true)]
async fn an_operation_that_is_not_there_fails_the_cases_about_it() {
    let small = Small::default();
    let (report, _) = of(&["cancel/running"]).against(move |request| small.answer(request)).await;
    assert_eq!(told(&report), ["cancel/running: fail"]);
    assert_eq!(report.results[0].findings[0].kind.fixed()[1], "MethodNotFoundError");
}

#[tokio::test(start_paused = true)]
async fn a_message_that_is_never_answered_leaves_its_cases_unreached_after_the_limit() {
    let small = Small::default();
    let (report, took) = of(&["get/repeatable", "get/unknown-id"])
        .against(move |request| match method(request).as_str() {
            "SendMessage" => Reply::silence(),
            _ => small.answer(request),
        })
        .await;
    assert!(report.results.iter().all(|result| result.verdict == Verdict::Unreached), "{:?}", told(&report));
    assert!(took >= LIMIT && took < 6 * LIMIT, "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn an_interface_where_nobody_listens_is_lost() {
    let (report, took) = of(&["get/repeatable", "get/unknown-id"]).against(|_| Reply::refused()).await;
    assert_eq!(told(&report), ["get/repeatable: unreached (unreachable)", "get/unknown-id: unreached (unreachable)"]);
    assert_eq!(Gate::of(&report, FailOn::Must), Gate::Unreachable);
    assert_eq!(
        report.target.interfaces[0].lost.as_deref(),
        Some("the interface cannot be reached: connection refused")
    );
    assert!(took < LIMIT, "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn no_more_messages_are_sent_than_the_user_allows() {
    let small = Arc::new(Small::default());
    let agent = Arc::clone(&small);
    let run = Run { max_messages: Some(0), ..of(&["get/repeatable"]) };
    let (report, _) = run.against(move |request| agent.answer(request)).await;
    assert_eq!(told(&report), ["get/repeatable: unreached (messages-used-up)"]);
    assert_eq!((report.messages_sent, small.tasks.lock().unwrap().len()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_ends_the_run_and_tells_of_every_case() {
    let run = Run { stop_after: Some(Duration::from_secs(1)), ..of(&["get/repeatable", "get/unknown-id"]) };
    let (report, took) = run.against(|_| Reply::silence()).await;
    assert_eq!(told(&report), ["get/repeatable: unreached (interrupted)", "get/unknown-id: unreached (interrupted)"]);
    assert_eq!((Gate::of(&report, FailOn::Must), took), (Gate::Interrupted, Duration::from_secs(1)));
    assert!(report.results.iter().all(|result| result.times.is_none()));
}

/// Cases with right and with wrong requests, and the one about requests that are left without an answer.
const MANY: &[&str] = &[
    "get/unknown-id",
    "get/repeatable",
    "get/missing-id",
    "jsonrpc/unknown-method",
    "jsonrpc/parse-error-truncated",
    "jsonrpc/no-method",
    "jsonrpc/params-string",
    "robustness/answered",
];

/// An agent that is right about all of them.
fn right(small: &Small, request: &Outgoing) -> Reply {
    let call: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let id = call["id"].clone();
    let code = match &call {
        Value::Null => -32700,
        _ if !call["method"].is_string() => -32600,
        _ if ["GetTask", "SendMessage"].iter().all(|known| call["method"] != *known) => -32601,
        _ if !call["params"].is_object() || (call["method"] == "GetTask" && !call["params"]["id"].is_string()) => {
            -32602
        }
        _ => return small.answer(request),
    };
    Reply::json(200, &error(&id, code))
}

/// Runs all of them against an agent that leaves some requests without an answer, by their number and what they are.
async fn leaving(left: impl Fn(usize, &Outgoing) -> Option<Reply> + Send + Sync + 'static) -> (Report, usize) {
    let (small, count) = (Small::default(), Arc::new(Mutex::new(0)));
    let counted = Arc::clone(&count);
    let (report, _) = of(MANY)
        .against(move |request| {
            let mut count = counted.lock().unwrap();
            *count += 1;
            left(*count - 1, request).unwrap_or_else(|| right(&small, request))
        })
        .await;
    let count = *count.lock().unwrap();
    (report, count)
}

fn of_case<'a>(report: &'a Report, case: &str) -> &'a crate::verdict::TrialResult {
    report.results.iter().find(|result| result.case == case).unwrap()
}

/// Whatever it is that comes late, nothing is violated.
#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_late_fails_nothing() {
    let (report, requests) = leaving(|_, _| None).await;
    assert!(report.results.iter().all(|result| result.verdict == Verdict::Pass), "{:?}", told(&report));
    for late in 0..requests {
        let (report, _) = leaving(move |number, _| {
            (number == late).then(|| Reply::json(200, &json!({})).late(Duration::from_secs(12)))
        })
        .await;
        let wrong =
            report.results.iter().filter(|result| !matches!(result.verdict, Verdict::Pass | Verdict::Unreached));
        assert_eq!(wrong.count(), 0, "request {late}: {:?}", told(&report));
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_is_closed_once_fails_nothing() {
    let (_, requests) = leaving(|_, _| None).await;
    for closed in 0..requests {
        let (report, _) = leaving(move |number, _| (number == closed).then(Reply::closed)).await;
        assert!(report.results.iter().all(|result| result.verdict == Verdict::Pass), "{closed}: {:?}", told(&report));
    }
}

/// One finding of its own: that the request is left, and not what its case asks.
#[tokio::test(start_paused = true)]
async fn a_request_that_is_never_answered_is_told_of_once() {
    for (reply, kind) in [(Reply::closed(), "connection-closed"), (Reply::silence(), "request-unanswered")] {
        let (report, _) = leaving(move |_, request| (method(request) == "NoSuchMethod").then(|| reply.clone())).await;
        let found = of_case(&report, "robustness/answered");
        assert_eq!((found.verdict, found.findings[0].kind.name().as_str()), (Verdict::Fail, kind));
        assert_eq!((report.problems.len(), Gate::of(&report, FailOn::Must)), (1, Gate::Fails), "{:?}", told(&report));
    }
}
