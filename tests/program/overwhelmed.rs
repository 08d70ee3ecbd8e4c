//! Agents that stop answering in the middle of a run: for too many requests at once, for streams that clients left, or for good.

use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::Response;
use futures_util::StreamExt as _;
use futures_util::stream::unfold;
use serde_json::Value;
use tokio::sync::Semaphore;

use super::agent::{Agent, reference};
use super::program;

/// How many requests an agent serves at once.
const WORKERS: usize = 4;

/// A request that was let through, and what is done when it is over: it is told whether its answer was sent to the end.
struct Passage {
    is_whole: bool,
    end: Option<Box<dyn FnOnce(bool) + Send>>,
}

impl Passage {
    fn then(end: impl FnOnce(bool) + Send + 'static) -> Self {
        Self { is_whole: false, end: Some(Box::new(end)) }
    }
}

impl Drop for Passage {
    fn drop(&mut self) {
        if let Some(end) = self.end.take() {
            end(self.is_whole);
        }
    }
}

/// The reference agent behind a door, which sees the body of each request.
fn behind<F: Future<Output = Passage> + Send>(door: impl Fn(&str) -> F + Clone + Send + Sync + 'static) -> Agent {
    Agent::serve(async move |url| {
        let agent = Arc::new(reference(Some(url)).await);
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        Router::new().fallback(move |request: Request| {
            let (agent, client, door) = (Arc::clone(&agent), client.clone(), door.clone());
            async move {
                let (head, body) = request.into_parts();
                let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
                let passage = door(&String::from_utf8_lossy(&body)).await;
                let mut headers = head.headers.clone();
                headers.remove("host");
                let url = format!("{}{}", agent.url(), head.uri);
                let answer = client.request(head.method, url).headers(headers).body(body).send().await.unwrap();
                let mut passed = Response::builder().status(answer.status());
                for (name, value) in answer.headers().iter().filter(|(name, _)| *name != "transfer-encoding") {
                    passed = passed.header(name, value);
                }
                let is_stream =
                    answer.headers().get("content-type").is_some_and(|kind| kind.as_bytes().starts_with(b"text/event"));
                if !is_stream {
                    let body = answer.bytes().await.unwrap();
                    let mut passage = passage;
                    passage.is_whole = true;
                    return passed.body(Body::from(body)).unwrap();
                }
                let pieces = unfold((answer.bytes_stream().boxed(), passage), async |(mut pieces, mut passage)| {
                    let piece: Option<reqwest::Result<Bytes>> = pieces.next().await;
                    passage.is_whole = piece.is_none();
                    piece.map(|piece| (piece, (pieces, passage)))
                });
                passed.body(Body::from_stream(pieces)).unwrap()
            }
        })
    })
}

/// An agent with few workers, which loses one for each stream that its client leaves. It gets new ones when so many clients have given
/// up waiting who were the only ones; or never.
fn that_loses_workers(comes_back_after: Option<usize>) -> Agent {
    let workers = Arc::new(Mutex::new(Arc::new(Semaphore::new(WORKERS))));
    let (waiting, given_up) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    behind(move |_| {
        let (workers, waiting, given_up) = (Arc::clone(&workers), Arc::clone(&waiting), Arc::clone(&given_up));
        async move {
            waiting.fetch_add(1, Ordering::SeqCst);
            let present = Arc::clone(&workers.lock().unwrap());
            let mut turn = Passage::then(move |is_served| {
                let was_last = waiting.fetch_sub(1, Ordering::SeqCst) == 1;
                if was_last && !is_served && Some(given_up.fetch_add(1, Ordering::SeqCst) + 1) == comes_back_after {
                    given_up.store(0, Ordering::SeqCst);
                    *workers.lock().unwrap() = Arc::new(Semaphore::new(WORKERS));
                }
            });
            let worker = present.acquire_owned().await.unwrap();
            turn.is_whole = true;
            Passage::then(move |is_whole| if is_whole { drop(worker) } else { worker.forget() })
        }
    })
}

/// An agent that leaves a request unanswered if too many others are open. One that is sensitive answers from then on only what comes
/// when nothing else is open.
fn that_serves_few_at_once(is_sensitive: bool) -> Agent {
    let (open, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(WORKERS)));
    behind(move |_| {
        let (of_this, most) = (Arc::clone(&open), Arc::clone(&most));
        let is_too_much = open.fetch_add(1, Ordering::SeqCst) >= most.load(Ordering::SeqCst);
        if is_too_much && is_sensitive {
            most.store(1, Ordering::SeqCst);
        }
        let passage = Passage::then(move |_| {
            of_this.fetch_sub(1, Ordering::SeqCst);
        });
        async move {
            if is_too_much {
                let _until_it_is_given_up = passage;
                return pending().await;
            }
            passage
        }
    })
}

/// An agent that does not answer its nth request if this holds.
fn that_is_silent(is_silent: impl Fn(usize, &str) -> bool + Clone + Send + Sync + 'static) -> Agent {
    let asked = Arc::new(AtomicUsize::new(0));
    behind(move |body| {
        let is_silent = is_silent(asked.fetch_add(1, Ordering::SeqCst), body);
        async move { if is_silent { pending().await } else { Passage::then(|_| {}) } }
    })
}

/// A report about an agent over JSON-RPC of 1.0, and how the program ended.
fn check(agent: &Agent) -> (Value, program::Ran) {
    check_areas(agent, &["get", "history", "jsonrpc", "list", "parts", "send", "stream", "subscribe"])
}

fn check_areas(agent: &Agent, areas: &[&str]) -> (Value, program::Ran) {
    let folder = program::Folder::new();
    let file = folder.file("report.json");
    let report = format!("json={file}");
    let target = ["check", &agent.url, "--profile", "1.0", "--binding", "jsonrpc", "--timeout", "3"];
    let reports = ["--report", &report, "--report", "terminal"];
    let areas = areas.iter().map(|area| format!("{area}/*"));
    let areas = areas.chain(["robustness/answered".to_owned()]).collect::<Vec<_>>();
    let only = areas.iter().flat_map(|area| ["--only", area.as_str()]);
    let ran = program::start(&target.into_iter().chain(reports).chain(only).collect::<Vec<_>>(), &[]).wait();
    (serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap(), ran)
}

/// The cases with a verdict.
fn of<'a>(report: &'a Value, verdict: &str) -> Vec<&'a str> {
    let results = report["results"].as_array().unwrap().iter();
    let of_it = results.filter(|result| result["verdict"] == verdict);
    of_it.map(|result| result["case"].as_str().unwrap()).collect()
}

fn assert_little_is_lost(report: &Value) {
    let results = report["results"].as_array().unwrap();
    let is_lost = |result: &&Value| result["verdict"] == "unreached" || result["verdict"] == "broken";
    let lost: Vec<String> =
        results.iter().filter(is_lost).map(|result| format!("{}: {}", result["case"], result["reason"])).collect();
    let all = results.len() - of(report, "skipped").len();
    assert!(all > 60 && lost.len() * 10 <= all, "{} of {all}: {lost:#?}\n{:#}", lost.len(), report["target"]);
}

/// That is the only failure, and is told once.
fn assert_hangs_after_streams(report: &Value) {
    let note = interface(report, "note");
    assert!(note.contains("stops answering after clients left streams"), "{note}");
    assert_eq!(of(report, "fail"), ["robustness/answered"], "{:#}", report["problems"]);
    let problems = report["problems"].as_array().unwrap().iter();
    let told: Vec<&str> = problems
        .filter(|problem| problem["verdict"] == "fail")
        .map(|problem| problem["message"].as_str().unwrap())
        .collect();
    assert!(told.len() == 1 && told[0].contains("after clients left streams"), "{told:?}");
}

/// The gate does not pass, nothing fails, and no cause is named.
fn assert_stopped(report: &Value, ran: &program::Ran) {
    assert_eq!(ran.code, 3, "{}", ran.stdout);
    assert!(!ran.stdout.contains("nothing wrong was seen"), "{}", ran.stdout);
    assert!(of(report, "fail").is_empty(), "{:#}", report["problems"]);
    assert_eq!(interface(report, "note"), "");
}

fn interface<'a>(report: &'a Value, member: &str) -> &'a str {
    let interfaces = report["target"]["interfaces"].as_array().unwrap();
    interfaces.iter().find_map(|interface| interface[member].as_str()).unwrap_or_default()
}

/// All at once: nearly all of their time goes to waiting for agents that do not answer.
#[test]
fn agents_that_stop_answering() {
    let agents: [fn(); 8] = [
        an_agent_that_hangs_after_left_streams_is_told_so_once,
        an_agent_that_hangs_for_a_while_after_left_streams_is_told_so_once,
        an_agent_that_hangs_for_good_is_reported_without_a_cause,
        an_agent_that_hangs_with_many_requests_at_once_is_asked_one_thing_at_a_time,
        an_agent_that_then_answers_nothing_but_single_requests_is_asked_those,
        what_an_agent_left_unanswered_is_asked_again_though_it_went_on_by_itself,
        an_agent_that_is_silent_now_and_then_is_not_blamed_for_streams,
        an_agent_that_dies_is_not_blamed_for_what_it_leaves,
    ];
    std::thread::scope(|scope| agents.into_iter().for_each(|agent| drop(scope.spawn(agent))));
}

fn an_agent_that_hangs_after_left_streams_is_told_so_once() {
    loses_little_and_hangs_after_streams(1);
}

fn an_agent_that_hangs_for_a_while_after_left_streams_is_told_so_once() {
    loses_little_and_hangs_after_streams(2);
}

fn loses_little_and_hangs_after_streams(comes_back_after: usize) {
    let (report, ran) = check(&that_loses_workers(Some(comes_back_after)));
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert_hangs_after_streams(&report);
    assert_little_is_lost(&report);
}

fn an_agent_that_hangs_for_good_is_reported_without_a_cause() {
    let (report, ran) = check(&that_loses_workers(None));
    let lost = interface(&report, "lost");
    assert!(lost.contains("stopped answering") && lost.contains("streams had been left"), "{lost}");
    assert_stopped(&report, &ran);
}

fn an_agent_that_hangs_with_many_requests_at_once_is_asked_one_thing_at_a_time() {
    assert_little_is_lost(&fails_nothing(&that_serves_few_at_once(false)));
}

fn an_agent_that_then_answers_nothing_but_single_requests_is_asked_those() {
    // Cases that need two requests at once are lost, and there are many.
    fails_nothing(&that_serves_few_at_once(true));
}

fn fails_nothing(agent: &Agent) -> Value {
    let (report, _) = check(agent);
    let note = interface(&report, "note");
    assert!(note.contains("answered again with nothing else under way") && !note.contains("left streams"), "{note}");
    assert!(of(&report, "fail").is_empty(), "{:#}", report["problems"]);
    report
}

fn what_an_agent_left_unanswered_is_asked_again_though_it_went_on_by_itself() {
    let (report, _) = check(&that_is_silent(|number, _| (100..103).contains(&number)));
    assert!(of(&report, "fail").is_empty(), "{:#}", report["problems"]);
    assert!(
        interface(&report, "lost").is_empty() && !interface(&report, "note").contains("left streams"),
        "{report:#}"
    );
    assert_little_is_lost(&report);
}

/// It would be silent in an experiment, too, whatever is done with streams.
fn an_agent_that_is_silent_now_and_then_is_not_blamed_for_streams() {
    let questions = Arc::new(AtomicUsize::new(0));
    let is_silent = move |_: usize, body: &str| {
        body.contains("\"GetTask\"") && (questions.fetch_add(1, Ordering::SeqCst) + 1).is_multiple_of(4)
    };
    let (report, _) = check_areas(&that_is_silent(is_silent), &["get", "stream"]);
    assert!(!interface(&report, "note").contains("left streams"), "{}", interface(&report, "note"));
    assert!(!report["problems"].to_string().contains("left streams"), "{:#}", report["problems"]);
}

fn an_agent_that_dies_is_not_blamed_for_what_it_leaves() {
    let (report, ran) = check(&that_is_silent(|number, _| number >= 150));
    let lost = interface(&report, "lost");
    assert!(lost.contains("stopped answering"), "{lost}");
    assert_stopped(&report, &ran);
    assert!(of(&report, "pass").len() > 10, "{report:#}");
}
