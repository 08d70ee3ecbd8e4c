//! Whole runs against agents in memory, by a clock that nobody waits for.

mod beside;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::*;
use crate::auth::Credentials;
use crate::binding::Outgoing;
use crate::case::Library;
use crate::interface::{Agent, Interface, Listed};
use crate::judge::oracle;
use crate::plan::{self, Selection};
use crate::profile::{self, Binding, Profile};
use crate::report::gate::{FailOn, Gate};
use crate::report::{Report, ReportBuilder, Secrets};
use crate::room::Holding;
use crate::transport::http::Settings;
use crate::transport::memory::{Memory, Reply};

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
    /// States that its words bring about.
    words: &'static [(&'static str, &'static str)],
    /// Whether a wrong history length cuts what it has stored.
    is_cut: bool,
    /// What it was sent.
    heard: Mutex<Vec<String>>,
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
                let text = params["message"]["parts"][0]["text"].as_str().unwrap_or_default();
                self.heard.lock().unwrap().push(text.to_owned());
                let state = match self.words.iter().find(|(word, _)| *word == text) {
                    Some((_, state)) => state,
                    None if text == "slow" && !self.is_quick => "TASK_STATE_WORKING",
                    None => "TASK_STATE_COMPLETED",
                };
                let status = json!({ "state": state, "timestamp": "2026-01-31T12:00:00.000Z" });
                let mut task = json!({ "id": name, "contextId": "c", "status": status });
                if self.is_cut {
                    task["history"] = json!([params["message"]]);
                }
                tasks.insert(name, task.clone());
                Some(json!({ "task": task }))
            }
            Some("GetTask") => {
                let task = tasks.get_mut(params["id"].as_str().unwrap_or_default());
                task.map(|task| {
                    if self.is_cut && params["historyLength"].as_i64().is_some_and(|length| length < 0) {
                        task["history"] = json!([]);
                    }
                    task.clone()
                })
            }
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
    /// The version and the binding of the agent.
    over: (&'static str, Binding),
    /// The examples of the agent's card.
    examples: &'static [&'static str],
    max_messages: Option<u64>,
    /// When the user stops it.
    stop_after: Option<Duration>,
    deadline: Option<Duration>,
    fails_fast: bool,
    retries: usize,
    beside: Option<Beside>,
    /// Where the other replicas of the agent are.
    replicas: &'static [&'static str],
    jobs: usize,
    /// How long others hold all the room that there is for answers.
    crowded: Duration,
}

fn of(cases: &'static [&'static str]) -> Run {
    Run {
        cases,
        over: ("1.0", Binding::Jsonrpc),
        examples: &[],
        max_messages: None,
        stop_after: None,
        deadline: None,
        fails_fast: false,
        retries: 0,
        beside: None,
        replicas: &[],
        jobs: 4,
        crowded: Duration::ZERO,
    }
}

impl Run {
    /// Runs against an agent that answers like this; the report, and how long the run took by its own clock.
    async fn against(self, answer: impl Fn(&Outgoing) -> Reply + Send + Sync + 'static) -> (Report, Duration) {
        self.against_all_of(Memory::new(answer)).await
    }

    /// The same against an agent that may hold connections, too.
    async fn against_all_of(self, memory: Memory) -> (Report, Duration) {
        let (profiles, library) = &*DATA;
        let (version, binding) = self.over;
        let profile = profiles.iter().find(|profile| profile.name() == version).unwrap();
        let url = "http://agent.example/".to_owned();
        let interface = Interface::new(profile, binding, url.clone()).unwrap();
        let replicas = self.replicas.iter().map(|url| (*url).to_owned()).collect();
        let interfaces = vec![Listed::named(Interface { replicas, ..interface })];
        let only = self.cases.iter().map(|case| (*case).to_owned()).collect();
        let selection = Selection { only, ..Selection::default() };
        let declared = BTreeMap::from([(version.to_owned(), Default::default())]);
        let means =
            plan::Means { has_webhooks: false, lets_in_by_certificate: false, credentials: &Credentials::default() };
        let plan = Arc::new(plan::make(library, &interfaces, &declared, &selection, means).unwrap());
        let settings = Settings { credentials: Credentials::default(), timeout: LIMIT };
        let http = Arc::new(Http::over(Arc::new(memory), settings));
        let room = http.room().clone();
        let agent = Agent { url, interfaces, ..Agent::default() };
        let examples = self.examples.iter().map(|text| (*text).to_owned()).collect();
        let triggers = Triggers::default().with_examples(examples);
        let options = Options {
            restart: None,
            jobs: self.jobs,
            deadline: self.deadline.map(Deadline::after),
            fail_fast: self.fails_fast.then(|| FailFast::at(|result| result.verdict == Verdict::Fail)),
            retries: self.retries,
            keeps_steps: false,
            beside: self.beside,
            max_messages: self.max_messages,
            triggers,
            trust: Arc::default(),
            webhooks: None,
            secrets: Secrets::default(),
        };
        let (events, mut heard) = mpsc::unbounded_channel();
        let (stopper, stop) = watch::channel(false);
        let began = Instant::now();
        let stopping = async {
            if let Some(after) = self.stop_after {
                tokio::time::sleep(after).await;
                stopper.send(true).unwrap();
            }
        };
        let crowding = async {
            let mut others = Holding::default();
            others.weight.add_text(&[b'x'; 8 << 20]);
            assert!(self.crowded.is_zero() || others.fits(&room, false, LIMIT).await);
            tokio::time::sleep(self.crowded).await;
        };
        let running = execute(Arc::clone(&plan), agent, http, options, events, stop);
        tokio::join!(crowding, running, stopping);
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
    assert_eq!((problem.kind.as_str(), report.results[0].findings[0].assertion.as_str()), ("failed-instead", "error"));
    assert_eq!(Gate::of(&report, FailOn::Must), Gate::Fails);
    assert_eq!(Gate::of(&report, FailOn::Never), Gate::Passes);
}

/// That the suite had no room for an answer says nothing of the agent: its case is played again when there is room.
#[tokio::test(start_paused = true)]
async fn what_there_was_no_room_for_is_played_again() {
    for (crowded, verdict) in [(LIMIT * 3 / 2, "pass"), (LIMIT * 5, "unreached (no-room)")] {
        let small = Small::default();
        let large = move |request: &Outgoing| {
            let reply = small.answer(request);
            let body: Vec<u8> = reply.pieces.iter().flat_map(|(_, piece)| piece.to_vec()).collect();
            let mut answer: Value = serde_json::from_slice(&body).unwrap();
            if answer["result"]["id"].is_null() {
                return reply;
            }
            answer["result"]["metadata"] = json!({ "long": "x".repeat(300_000) });
            Reply::json(200, &answer)
        };
        let run = Run { crowded, ..of(&["get/repeatable"]) };
        let (report, _) = run.against(large).await;
        assert_eq!(told(&report), [format!("get/repeatable: {verdict}")]);
    }
}

/// An agent whose HTTP server answers what comes over a connection, if it is let in.
fn served(small: &Arc<Small>, is_let_in: fn(&str) -> bool) -> Memory {
    let (calls, small) = (Arc::clone(small), Arc::clone(small));
    Memory::new(move |request| calls.answer(request)).holding(move |mut connection| {
        let small = Arc::clone(&small);
        tokio::spawn(async move {
            let mut bytes = vec![0; 8 << 10];
            let size = connection.read(&mut bytes).await.unwrap();
            let text = String::from_utf8_lossy(&bytes[..size]).into_owned();
            let Some((head, body)) = text.split_once("\r\n\r\n").filter(|(head, _)| is_let_in(head)) else { return };
            let body = ::bytes::Bytes::copy_from_slice(body.as_bytes());
            let headers = Vec::new();
            let (method, url, purpose) = (String::new(), String::new(), head.to_owned());
            let call =
                Outgoing { method, url, headers, body, operation: None, params: Arc::default(), rpc_id: None, purpose };
            let (_, answer) = small.answer(&call).pieces.remove(0);
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
                answer.len()
            );
            connection.write_all(head.as_bytes()).await.unwrap();
            connection.write_all(&answer).await.unwrap();
        });
    })
}

#[tokio::test(start_paused = true)]
async fn bytes_are_judged_by_what_comes_over_their_connection() {
    let has_one_host = |head: &str| head.matches("\r\nHost: ").count() == 1 && !head.contains('@');
    let (small, run) = (Arc::new(Small::default()), of(&["http1/host"]));
    let (report, _) = run.against_all_of(served(&small, has_one_host)).await;
    assert_eq!(told(&report), ["http1/host: pass"]);

    let (report, _) = of(&["http1/host"]).against_all_of(served(&small, |_| true)).await;
    assert_eq!(told(&report), ["http1/host: warn"]);
    let finding = &report.results[0].findings[0];
    assert_eq!((finding.kind.name().as_str(), finding.assertion.as_str()), ("http-status", "none.http:status"));
    let cited = report.exchanges.iter().find(|exchange| Some(exchange.id) == finding.exchange).unwrap();
    assert!(cited.request.verbatim && cited.request.body.text().contains("X-A2aspec: no-host"));

    // Who serves nothing in this way cannot be judged by it.
    let (report, _) = of(&["http1/host"]).against_all_of(served(&small, |_| false)).await;
    assert_eq!(told(&report), ["http1/host: unreached (other-answer)"]);
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
    assert_eq!(report.problems[0].kind, "operation-denied");
}

/// An agent that calls every list unsupported does not have them, whatever a case expects of one.
#[tokio::test(start_paused = true)]
async fn an_operation_that_is_never_supported_is_told_once() {
    let small = Small::default();
    let cases = &["history/list-negative", "list/members", "list/page-size-zero", "operations/served"];
    let (report, _) = of(cases)
        .against(move |request| {
            let call: Value = serde_json::from_slice(&request.body).unwrap_or_default();
            match call["method"].as_str() {
                Some("ListTasks") => Reply::json(200, &error(&call["id"], -32004)),
                _ => small.answer(request),
            }
        })
        .await;
    assert_eq!(
        told(&report),
        [
            "history/list-negative: unreached (not-served)",
            "list/members: unreached (not-served)",
            "list/page-size-zero: unreached (not-served)",
            "operations/served: fail",
        ]
    );
    let kinds: Vec<&str> = report.problems.iter().map(|problem| problem.kind.as_str()).collect();
    assert_eq!(kinds, ["operation-unsupported"]);
}

/// Where no answer of an operation is a response, its cases say nothing else. Where one input alone has such an answer, it has its case.
#[tokio::test(start_paused = true)]
async fn what_follows_from_answers_that_are_no_responses_is_told_once() {
    let cases = &["jsonrpc/envelope", "list/members", "parts/raw", "send/task-or-message"];
    let bare = |method: &'static str, sent: &'static str, answer: Reply| {
        let small = Small::default();
        of(cases).against(move |request| {
            let call: Value = serde_json::from_slice(&request.body).unwrap_or_default();
            let is_it = call["method"] == method && call["params"].to_string().contains(sent);
            if is_it { answer.clone() } else { small.answer(request) }
        })
    };
    let (report, _) = bare("ListTasks", "", Reply::json(200, &json!({ "tasks": [] }))).await;
    let unreached = "list/members: unreached (no-responses)";
    assert_eq!(told(&report), ["jsonrpc/envelope: fail", unreached, "parts/raw: pass", "send/task-or-message: pass"]);
    let (report, _) = bare("SendMessage", "\"raw\"", Reply::json(500, &json!("Internal Server Error"))).await;
    let denied = "list/members: fail";
    assert_eq!(told(&report), ["jsonrpc/envelope: fail", denied, "parts/raw: fail", "send/task-or-message: pass"]);
}

/// What answers every request with a page is no agent: that is told once, by the case about the card, and nothing else is asked.
#[tokio::test(start_paused = true)]
async fn an_interface_that_speaks_no_json_rpc_is_told_of_once() {
    for (status, expected) in [(200, "no-json-rpc"), (404, "no-json-rpc"), (401, "credentials-wanted")] {
        let cases =
            &["card/serves-declared", "get/existing", "get/unknown-id", "jsonrpc/media-type", "operations/served"];
        let (report, _) = of(cases).against(move |_| Reply::json(status, &json!({ "detail": "no such page" }))).await;
        let verdict = if status == 401 { format!("unreached ({expected})") } else { "fail".to_owned() };
        let rest = ["get/existing", "get/unknown-id", "jsonrpc/media-type", "operations/served"];
        let rest = rest.iter().map(|case| format!("{case}: unreached ({expected})"));
        let all: Vec<String> = std::iter::once(format!("card/serves-declared: {verdict}")).chain(rest).collect();
        assert_eq!(told(&report), all);
        assert_eq!(Gate::of(&report, FailOn::Must), Gate::Unreachable);
        assert!(report.messages_sent <= 3, "{} messages", report.messages_sent);
    }
}

/// Where nothing is below the URL over HTTP+JSON, the case about the card reports it, and nothing else is asked.
#[tokio::test(start_paused = true)]
async fn an_interface_without_routes_is_reported_once() {
    let missing = json!({ "detail": "Not Found" });
    for (version, status, body) in [
        ("1.0", 404, &missing),
        ("1.0", 405, &json!({})),
        ("1.0", 404, &json!("<html>")),
        ("0.3", 404, &missing),
        ("0.3", 501, &json!({ "error": "no route" })),
    ] {
        let cases: &[&str] = match version {
            "0.3" => &["card/serves-messages", "get/existing", "get/unknown-id", "operations/served"],
            _ => &["card/serves-operations", "get/existing", "get/unknown-id", "operations/served"],
        };
        let run = Run { over: (version, Binding::HttpJson), ..of(cases) };
        let body = body.clone();
        let (report, _) = run.against(move |_| Reply::json(status, &body)).await;
        let rest = cases[1..].iter().map(|case| format!("{case}: unreached (no-routes)"));
        let all: Vec<String> = std::iter::once(format!("{}: fail", cases[0])).chain(rest).collect();
        assert_eq!(told(&report), all, "{version} {status}");
        assert_eq!(Gate::of(&report, FailOn::Must), Gate::Unreachable);
    }
}

/// An agent that breaks is there: what it cannot do is for the cases to report.
#[tokio::test(start_paused = true)]
async fn an_agent_that_breaks_on_everything_has_routes() {
    const OLD: &[&str] = &["cancel/unknown-id-refused"];
    const NEW: &[&str] = &["get/unknown-id"];
    for (version, case, body) in [
        ("1.0", NEW, json!("<html>")),
        ("1.0", NEW, json!({ "detail": "boom" })),
        ("0.3", OLD, json!("<html>")),
        ("0.3", OLD, json!({})),
    ] {
        let run = Run { over: (version, Binding::HttpJson), ..of(case) };
        let shown = body.clone();
        let (report, _) = run.against(move |_| Reply::json(500, &body)).await;
        assert_eq!(told(&report), [format!("{}: fail", case[0])], "{version} {shown}");
    }
}

/// An error of A2A with the same status is an answer of the agent.
#[tokio::test(start_paused = true)]
async fn a_refusal_with_the_status_of_a_missing_route_is_an_answer() {
    let refusal = json!({ "error": { "code": 404, "status": "NOT_FOUND", "message": "no", "details": [{
        "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND", "domain": "a2a-protocol.org"
    }] } });
    let run = Run { over: ("1.0", Binding::HttpJson), ..of(&["card/serves-operations", "get/unknown-id"]) };
    let (report, _) = run.against(move |_| Reply::json(404, &refusal)).await;
    assert!(!told(&report).iter().any(|line| line.contains("no-routes")), "{:?}", told(&report));
}

#[tokio::test(start_paused = true)]
async fn an_operation_that_is_not_there_is_told_once_and_the_cases_that_need_it_are_unreached() {
    let small = Small::default();
    let (report, _) = of(&["cancel/running", "cancel/takes-effect", "get/unknown-id", "operations/served"])
        .against(move |request| small.answer(request))
        .await;
    assert_eq!(
        told(&report),
        [
            "cancel/running: unreached (not-served)",
            "cancel/takes-effect: unreached (trigger-missed)",
            "get/unknown-id: pass",
            "operations/served: fail"
        ]
    );
    let said: Vec<&str> = report.problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(said, ["the agent does not know CancelTask"]);
    let requirement = report.problems[0].requirement.and_then(|index| report.requirements.get(index)).unwrap();
    assert_eq!((requirement.id.as_str(), requirement.verdict), ("1.0-3.1-1", Verdict::Fail));
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

#[tokio::test(start_paused = true)]
async fn a_run_ends_when_its_time_is_over() {
    let run = Run { deadline: Some(Duration::from_secs(1)), ..of(&["get/repeatable", "get/unknown-id"]) };
    let (report, took) = run.against(|_| Reply::silence()).await;
    assert_eq!(told(&report), ["get/repeatable: unreached (time-over)", "get/unknown-id: unreached (time-over)"]);
    assert_eq!((Gate::of(&report, FailOn::Never), took), (Gate::Interrupted, Duration::from_secs(1)));
    assert_eq!(report.stopped, Some(Stopped::TimeOver { limit: "1".to_owned() }));
}

#[tokio::test(start_paused = true)]
async fn nothing_begins_after_the_first_failure() {
    let cases = &["cancel/unknown-id", "get/repeatable", "get/unknown-id", "jsonrpc/envelope"];
    let verdicts = async |fails_fast| {
        let agent = Small { is_quick: true, ..Small::default() };
        // It knows no CancelTask.
        let run = Run { fails_fast, jobs: 1, ..of(cases) };
        run.against(move |request| agent.answer(request)).await.0
    };
    let whole = ["cancel/unknown-id: fail", "get/repeatable: pass", "get/unknown-id: pass", "jsonrpc/envelope: pass"];
    assert_eq!(told(&verdicts(false).await), whole);
    let report = verdicts(true).await;
    let cut = ["cancel/unknown-id: fail", "get/repeatable: unreached (first-failure)"];
    assert_eq!(told(&report).get(..2), Some(&cut.map(str::to_owned)[..]));
    // What was seen by then is judged.
    assert_eq!(told(&report).last().map(String::as_str), Some("jsonrpc/envelope: pass"));
    assert_eq!(report.stopped, Some(Stopped::FirstFailure { case: "cancel/unknown-id".to_owned() }));
    assert_eq!(Gate::of(&report, FailOn::Must), Gate::Fails);
}

#[tokio::test(start_paused = true)]
async fn what_passes_when_it_is_run_again_is_flaky() {
    // The first answers to an unknown task are wrong, as many as there are to be.
    let run = async |wrong: usize, retries: usize| {
        let small = Small { is_quick: true, ..Small::default() };
        let seen = Mutex::new(0);
        let agent = move |request: &Outgoing| {
            let call: Value = serde_json::from_slice(&request.body).unwrap_or_default();
            let is_asked =
                method(request) == "GetTask" && call["params"]["id"].as_str().is_some_and(|id| !id.contains("task-"));
            let mut seen = seen.lock().unwrap();
            // The control asks before the case does.
            *seen += usize::from(is_asked);
            match is_asked && (2..2 + wrong).contains(&*seen) {
                true => Reply::json(200, &error(&call["id"], -32603)),
                false => small.answer(request),
            }
        };
        let run = Run { retries, jobs: 1, ..of(&["get/repeatable", "get/unknown-id", "jsonrpc/envelope"]) };
        run.against(agent).await.0
    };
    let unknown = |report: &Report| {
        let result = report.results.iter().find(|result| result.case == "get/unknown-id").unwrap();
        (result.verdict, result.again.clone(), result.findings.len())
    };
    use Verdict::{Fail, Flaky, Pass};
    assert_eq!(unknown(&run(1, 0).await), (Fail, vec![], 1));
    let report = run(1, 2).await;
    assert_eq!(unknown(&report), (Flaky, vec![Pass], 1));
    assert_eq!(Gate::of(&report, FailOn::Should), Gate::Passes);
    let of_it = report.requirements.iter().filter(|rule| rule.cases.iter().any(|case| case == "get/unknown-id"));
    let verdicts: Vec<Verdict> = of_it.map(|rule| rule.verdict).collect();
    assert!(verdicts.contains(&Flaky) && !verdicts.contains(&Fail), "{verdicts:?}");
    assert_eq!(report.problems.iter().map(|problem| problem.verdict).collect::<Vec<_>>(), [Flaky]);
    assert_eq!(unknown(&run(2, 2).await), (Flaky, vec![Fail, Pass], 1));
    let report = run(3, 2).await;
    assert_eq!(unknown(&report), (Fail, vec![Fail, Fail], 1));
    assert_eq!(Gate::of(&report, FailOn::Must), Gate::Fails);
}

#[tokio::test(start_paused = true)]
async fn where_a_trigger_does_not_do_the_examples_of_the_card_are_tried_each_once() {
    let words = &[("Book a flight", "TASK_STATE_INPUT_REQUIRED"), ("error", "TASK_STATE_FAILED")];
    let small = Arc::new(Small { is_quick: true, words, ..Small::default() });
    let agent = Arc::clone(&small);
    let cases = &["get/repeatable", "cancel/input-required", "send/to-failed-task", "send/to-rejected-task"];
    let run = Run { examples: &["Tell me a joke", "Book a flight", "Count"], ..of(cases) };
    let (report, _) = run.against(move |request| agent.answer(request)).await;
    let verdicts: Vec<(&str, Verdict)> =
        report.results.iter().map(|result| (result.case.as_str(), result.verdict)).collect();
    assert_eq!(
        verdicts,
        [
            ("cancel/input-required", Verdict::Fail),
            ("get/repeatable", Verdict::Pass),
            ("send/to-failed-task", Verdict::Fail),
            ("send/to-rejected-task", Verdict::Unreached),
        ]
    );
    let heard = small.heard.lock().unwrap();
    let times = |text: &str| heard.iter().filter(|word| *word == text).count();
    assert_eq!((times("Tell me a joke"), times("Count"), times("refuse")), (1, 1, 1), "{heard:?}");
    let told: Vec<(&str, Option<&str>, bool, usize)> = report
        .triggers
        .iter()
        .map(|info| (info.trigger.as_str(), info.text.as_deref(), info.is_example, info.cases))
        .collect();
    assert_eq!(
        told,
        [
            ("input-required", Some("Book a flight"), true, 1),
            ("fail", Some("error"), false, 1),
            ("reject", None, false, 1),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn nothing_is_tried_on_an_agent_whose_triggers_do() {
    let words = &[("input-required", "TASK_STATE_INPUT_REQUIRED")];
    let small = Arc::new(Small { words, ..Small::default() });
    let agent = Arc::clone(&small);
    let run = Run { examples: &["Book a flight"], ..of(&["get/repeatable", "cancel/input-required"]) };
    let (report, _) = run.against(move |request| agent.answer(request)).await;
    assert!(report.triggers.is_empty());
    assert_eq!(*small.heard.lock().unwrap(), ["complete", "input-required"]);
}

#[tokio::test(start_paused = true)]
async fn a_user_who_allows_few_messages_pays_for_no_search() {
    let small = Arc::new(Small { is_quick: true, ..Small::default() });
    let agent = Arc::clone(&small);
    let run = Run { max_messages: Some(9), examples: &["Book a flight"], ..of(&["cancel/input-required"]) };
    let (report, _) = run.against(move |request| agent.answer(request)).await;
    assert_eq!(told(&report), ["cancel/input-required: unreached (trigger-missed)"]);
    assert_eq!(*small.heard.lock().unwrap(), ["complete", "input-required"]);
}

#[tokio::test(start_paused = true)]
async fn what_a_wrong_request_does_to_a_task_hides_nothing_from_the_cases_that_send_right_ones() {
    let small = Small { is_cut: true, ..Small::default() };
    let cases = &["history/get-negative", "history/get-unset", "history/get-zero"];
    let (report, _) = of(cases).against(move |request| small.answer(request)).await;
    assert_eq!(told(&report), ["history/get-negative: fail", "history/get-unset: pass", "history/get-zero: fail"]);
    let note = report.target.interfaces[0].note.as_deref();
    let told = "a finished task has changed while cases read it: `/history` was 1 item, and is nothing";
    assert_eq!(note, Some(told));
}

#[tokio::test(start_paused = true)]
async fn few_messages_are_spent_on_what_is_demanded_and_on_every_area() {
    let profiles = profile::bundled().unwrap();
    let known: Vec<&Profile> = profiles.iter().map(AsRef::as_ref).collect();
    let library = Library::load(None, &known, &oracle::all()).unwrap();
    let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
    let interfaces: Vec<Listed> = [Binding::Jsonrpc, Binding::HttpJson]
        .map(|binding| Listed::named(Interface::new(profile, binding, String::new()).unwrap()))
        .into();
    let declared = BTreeMap::from([("1.0".to_owned(), Default::default())]);
    let means =
        plan::Means { has_webhooks: false, lets_in_by_certificate: false, credentials: &Credentials::default() };
    let mut plan = plan::make(&library, &interfaces, &declared, &Selection::default(), means).unwrap();
    let (all, of_all) = (plan.trials.len(), plan.messages());
    plan.spread();
    assert_eq!(plan.trials.len(), all);
    let talking: Vec<_> = plan.trials.iter().filter(|trial| !trial.observes()).collect();
    assert!(talking.is_sorted_by_key(|trial| trial.level));
    let areas = |trials: &[&Arc<Trial>]| trials.iter().map(|trial| trial.case.area().to_owned()).collect::<Vec<_>>();
    let first: std::collections::BTreeSet<String> = areas(&talking[..12]).into_iter().collect();
    assert_eq!(first.len(), 12, "{first:?}");
    plan.quicken();
    assert!(plan.trials.iter().all(|trial| trial.second.is_none() && trial.level == crate::verdict::Level::Must));
    assert!(of_all > 2 * plan.messages() && plan.messages() > 0, "{of_all}, {}", plan.messages());
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

/// Whoever takes messages by streams alone tells requests apart as well as others.
#[tokio::test(start_paused = true)]
async fn a_stream_will_do_for_the_control() {
    for (is_streaming, expected) in
        [(true, "get/unknown-id: pass"), (false, "get/unknown-id: unreached (accepts-no-message)")]
    {
        let small = Small::default();
        let (report, _) = of(&["get/unknown-id"])
            .against(move |request| {
                let id = serde_json::from_slice::<Value>(&request.body).unwrap()["id"].clone();
                let status = json!({ "state": "TASK_STATE_COMPLETED" });
                let task = json!({ "task": { "id": "t", "contextId": "c", "status": status } });
                match method(request).as_str() {
                    "SendStreamingMessage" if is_streaming => {
                        Reply::events(Duration::ZERO, &[json!({ "jsonrpc": "2.0", "id": id, "result": task })])
                    }
                    "SendMessage" | "SendStreamingMessage" => Reply::json(200, &error(&id, -32004)),
                    _ => small.answer(request),
                }
            })
            .await;
        assert_eq!(told(&report), [expected]);
    }
}

/// What an agent claims can be seen of one that takes no message, and of one that asks for credentials.
#[tokio::test(start_paused = true)]
async fn claims_need_no_control() {
    let cases = &["card/serves-declared", "version/as-claimed", "get/unknown-id"];
    let (report, _) = of(cases)
        .against(|request| {
            let id = serde_json::from_slice::<Value>(&request.body).unwrap_or_default()["id"].clone();
            let code = if ["GetTask", "SendMessage"].contains(&method(request).as_str()) { -32602 } else { -32601 };
            Reply::json(200, &error(&id, code))
        })
        .await;
    let expected = ["card/serves-declared: pass", "get/unknown-id: fail", "version/as-claimed: pass"];
    assert_eq!(told(&report), expected);
}
