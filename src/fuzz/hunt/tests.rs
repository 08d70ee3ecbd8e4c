//! How a hunt spends its time, by a clock that stands still, against an agent in memory.

#![allow(clippy::unwrap_used)]

#[path = "../../../benches/common/stairs.rs"]
mod stairs;

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::*;
use stairs::Stairs;

use crate::auth::Credentials;
use crate::binding::Outgoing;
use crate::discovery::triggers::Triggers;
use crate::event::EventSink;
use crate::interface::Interface;
use crate::judge::oracle;
use crate::profile::{self, Binding};
use crate::session::Options;
use crate::session::places::Places;
use crate::session::words::Words;
use crate::transport::Connection;
use crate::transport::http::{Http, Settings};
use crate::transport::memory::{Memory, Reply};

/// How long an answer takes.
const LATENCY: Duration = Duration::from_millis(100);
/// How long the agent works on a message.
const WORK: Duration = Duration::from_secs(2);
const JOBS: usize = Budget::JOBS;

fn budget(time: Duration, phases: &[Phase]) -> Budget {
    Budget { phases: phases.to_vec(), ..Budget::lasting(time, 7) }
}

/// A hunt over an agent that answers like this; what came of it, and how long it took from its first question to its last.
async fn hunted(budget: &Budget, answer: impl Fn(&Outgoing) -> Reply + Send + Sync + 'static) -> (Hunted, Duration) {
    hunted_over(Binding::Jsonrpc, None, budget, answer).await
}

/// The same over a binding, with at most so many requests a second.
async fn hunted_over(
    binding: Binding,
    rate: Option<f64>,
    budget: &Budget,
    answer: impl Fn(&Outgoing) -> Reply + Send + Sync + 'static,
) -> (Hunted, Duration) {
    let profiles = profile::bundled().unwrap();
    let all: Vec<_> = profiles.iter().map(AsRef::as_ref).collect();
    let library = Library::load(None, &all, &oracle::all()).unwrap();
    let classes = Classes::bundled().unwrap();
    let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
    let settings = Settings { credentials: Credentials::default(), timeout: Duration::from_secs(10) };
    let http = Arc::new(Http::over(Arc::new(Memory::new(answer)), settings).at_most(rate));
    let interface = Interface::new(profile, binding, "http://agent.test/".to_owned()).unwrap();
    let options = Options {
        max_messages: None,
        messages: Arc::default(),
        words: Arc::new(Words::new(Triggers::default(), None)),
        places: Places::that_learn(JOBS),
        trust: Arc::default(),
        webhooks: None,
    };
    let (events, _heard) = mpsc::unbounded_channel();
    let sink = EventSink::new(events, Instant::now(), crate::report::Secrets::default());
    let session = Session::new(Connection::new(interface, Arc::clone(&http)), http, options, sink);
    let (_stopper, stop) = watch::channel(false);
    let began = Instant::now();
    let sessions = vec![(0, Arc::new(session))];
    let hunted = hunt(sessions, &[], (&library, &classes), budget, &stop, |_| {}).await;
    (hunted, began.elapsed())
}

/// An agent with one task after the other, which takes messages and shows tasks.
struct Small {
    tasks: Mutex<Vec<Value>>,
    /// How long a plain answer takes.
    latency: Duration,
    /// How long it works on a message.
    work: Duration,
}

impl Default for Small {
    fn default() -> Self {
        Self::with(LATENCY)
    }
}

impl Small {
    fn with(latency: Duration) -> Self {
        Self { tasks: Mutex::default(), latency, work: WORK }
    }

    fn answer(&self, request: &Outgoing) -> Reply {
        let error = |id: &Value, code: i64| {
            let error = json!({ "code": code, "message": "no" });
            Reply::json(200, &json!({ "jsonrpc": "2.0", "id": id, "error": error })).late(self.latency)
        };
        let Ok(call) = serde_json::from_slice::<Value>(&request.body) else { return error(&Value::Null, -32700) };
        let mut tasks = self.tasks.lock().unwrap();
        let (result, work) = match call["method"].as_str() {
            Some("SendMessage") if is_message(&call["params"]) => {
                let status = json!({ "state": "TASK_STATE_COMPLETED", "timestamp": "2026-01-31T12:00:00.000Z" });
                let id = format!("t{}", tasks.len());
                tasks.push(json!({ "id": id, "contextId": "c", "status": status }));
                (tasks.last().map(|task| json!({ "task": task })), self.work)
            }
            Some("GetTask") => (tasks.iter().find(|task| task["id"] == call["params"]["id"]).cloned(), self.latency),
            Some("SendMessage") => return error(&call["id"], -32602),
            _ => return error(&call["id"], -32601),
        };
        match result {
            Some(result) => {
                Reply::json(200, &json!({ "jsonrpc": "2.0", "id": call["id"], "result": result })).late(work)
            }
            None => error(&call["id"], -32001),
        }
    }
}

/// Whether an agent that refuses what is wrong begins to work on this.
fn is_message(params: &Value) -> bool {
    let (message, configuration) = (&params["message"], &params["configuration"]);
    let parts = message["parts"].as_array().filter(|parts| !parts.is_empty());
    let are_right = parts.is_some_and(|parts| parts.iter().all(|part| part["text"].is_string()));
    let objects =
        [configuration, &configuration["taskPushNotificationConfig"], &message["metadata"], &params["metadata"]];
    let lists = [&configuration["acceptedOutputModes"], &message["extensions"], &message["referenceTaskIds"]];
    let length = &configuration["historyLength"];
    let is_at_once = &configuration["returnImmediately"];
    message["messageId"].is_string()
        && message["role"] == "ROLE_USER"
        && are_right
        && objects.iter().all(|value| value.is_null() || value.is_object())
        && lists.iter().all(|value| value.is_null() || value.is_array())
        && (length.is_null() || length.as_u64().is_some())
        && (is_at_once.is_null() || is_at_once.is_boolean())
}

#[tokio::test(start_paused = true)]
async fn while_some_wait_for_the_agents_work_others_go_on() {
    let small = Small::default();
    let time = Duration::from_secs(6);
    let budget = budget(time, &[Phase::Mutation, Phase::Sequences]);
    let (hunted, _) = hunted(&budget, move |request| small.answer(request)).await;
    // What eight clients get that do nothing but wait for plain answers.
    let most = JOBS as u128 * (time.as_millis() / LATENCY.as_millis());
    assert!(u128::from(hunted.requests) > most / 2, "{} of {most}", hunted.requests);
    assert!(hunted.elapsed <= time + Duration::from_secs(1), "{:?}", hunted.elapsed);
}

#[tokio::test(start_paused = true)]
async fn a_fast_agent_is_asked_as_fast_as_it_answers_however_many_wait_for_its_work() {
    let latency = LATENCY / 10;
    let small = Small::with(latency);
    let time = Duration::from_secs(6);
    let budget = budget(time, &[Phase::Mutation, Phase::Sequences]);
    let (hunted, _) = hunted(&budget, move |request| small.answer(request)).await;
    let most = JOBS as u128 * (time.as_millis() / latency.as_millis());
    assert!(u128::from(hunted.requests) > most / 2, "{} of {most}", hunted.requests);
}

#[tokio::test(start_paused = true)]
async fn what_stays_unanswered_holds_up_nothing_and_is_not_waited_for_in_the_end() {
    let time = Duration::from_secs(25);
    let hunted = async |may_be_left: bool| {
        let (small, asked) = (Small::default(), AtomicU64::new(0));
        hunted(&budget(time, &[Phase::Mutation]), move |request| {
            // No plain question stays unanswered: of an agent that is silent then, nothing is asked until it is certain how it is.
            let is_message = request.body.windows(11).any(|part| part == b"SendMessage");
            let is_left = is_message && asked.fetch_add(1, Ordering::Relaxed) % 20 == 19;
            if is_left && may_be_left { Reply::silence() } else { small.answer(request) }
        })
        .await
    };
    let (of_all, _) = hunted(false).await;
    let (hunted, took) = hunted(true).await;
    // Each that stays unanswered has a place for a moment.
    assert!(hunted.requests * 5 > of_all.requests * 4, "{} of {}", hunted.requests, of_all.requests);
    assert!(hunted.elapsed <= time + Duration::from_secs(1), "{:?}", hunted.elapsed);
    // What was found is tried again, at ten seconds each, and not for ever.
    assert!(hunted.dead.is_none() && took <= time + Duration::from_secs(15), "{took:?}");
}

/// Whatever is found, and however long the agent takes over it, the hunt ends soon after its time, and says what it did not come to.
#[tokio::test(start_paused = true)]
async fn a_hunt_ends_soon_after_its_time_whatever_it_has_found() {
    let time = Duration::from_secs(25);
    for ends_at in [None, Some(Level::Must)] {
        let small = Small::default();
        let budget = Budget { ends_at, ..budget(time, &[Phase::Boundaries, Phase::Mutation]) };
        let (hunted, took) = hunted(&budget, move |request| {
            let reply = small.answer(request);
            let text = reply.pieces.iter().any(|(_, piece)| piece.windows(6).any(|part| part == b"-32602"));
            // Each wrong request is left without an answer.
            if text { Reply::silence() } else { reply }
        })
        .await;
        assert!(took <= time + Duration::from_secs(15), "{took:?}");
        assert!(hunted.dead.is_none(), "{:?}", hunted.dead);
        let is_unasked = hunted.not_tried.iter().any(|one| one.contains("not repeated because the time was over"));
        assert!(!hunted.found.is_empty() || is_unasked, "{:?}", hunted.not_tried);
    }
}

/// Each answer is wrong and takes long, so that there is not time to make all of it smaller: what is left is kept as it was found.
#[tokio::test(start_paused = true)]
async fn what_could_not_be_made_smaller_in_time_is_kept_as_it_was_found() {
    let time = Duration::from_secs(60);
    let budget = budget(time, &[Phase::Mutation]);
    let (hunted, took) = hunted(&budget, |request| {
        let call = serde_json::from_slice::<Value>(&request.body).unwrap_or_default();
        let result = json!({ "jsonrpc": "2.0", "id": call["id"], "result": { "id": 7 } });
        Reply::json(200, &result).late(Duration::from_secs(4))
    })
    .await;
    assert!(took <= time + Duration::from_secs(15), "{took:?}");
    let kept = hunted.found.iter().filter(|found| found.is_as_found).count();
    assert!(kept > 0, "{:?}", hunted.found.len());
    let told = format!("{kept} findings not made smaller");
    let told = if kept == 1 { "1 finding not made smaller".to_owned() } else { told };
    assert!(hunted.not_tried.iter().any(|one| one.starts_with(&told)), "{told}: {:?}", hunted.not_tried);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_serves_whatever_is_wrong_is_given_no_more_than_it_may_be() {
    let served = Arc::new(AtomicU64::new(0));
    for phases in [&[Phase::Boundaries][..], &[Phase::Mutation, Phase::Sequences]] {
        let (small, counted) = (Small::default(), Arc::clone(&served));
        served.store(0, Ordering::Relaxed);
        let budget = Budget { messages: Some(40), ..budget(Duration::from_secs(60), phases) };
        let (hunted, _) = hunted(&budget, move |request| {
            let id = serde_json::from_slice::<Value>(&request.body).map(|call| call["id"].clone()).unwrap_or_default();
            if String::from_utf8_lossy(&request.body).contains("SendMessage") {
                counted.fetch_add(1, Ordering::Relaxed);
                // Wrong in itself, so that there is something to be made smaller.
                return Reply::json(200, &json!({ "jsonrpc": "2.0", "id": id, "result": { "task": { "id": 7 } } }));
            }
            small.answer(request)
        })
        .await;
        let served = served.load(Ordering::Relaxed);
        assert!(served <= 40 && hunted.messages > 20, "{served} {} {}", hunted.messages, hunted.requests);
        assert!(!hunted.found.is_empty());
        let what = (hunted.requests, hunted.messages, served, &hunted.dead, hunted.falls, hunted.elapsed);
        assert!(
            hunted.not_tried.iter().any(|one| one.contains("after the first 40")),
            "{phases:?} {what:?} {:?}",
            hunted.not_tried
        );
    }
}

#[tokio::test(start_paused = true)]
async fn what_an_agent_refuses_is_tried_however_few_messages_it_may_be_given() {
    let mut requests = Vec::new();
    for messages in [Some(8), None] {
        let budget = Budget { messages, ..budget(Duration::from_secs(10_000), &[Phase::Boundaries]) };
        let (hunted, _) = hunted(&budget, |request| {
            let id = serde_json::from_slice::<Value>(&request.body).map(|call| call["id"].clone()).unwrap_or_default();
            let error = json!({ "code": -32602, "message": "no" });
            Reply::json(200, &json!({ "jsonrpc": "2.0", "id": id, "error": error }))
        })
        .await;
        // The messages before the hunt, one of them with a context.
        assert_eq!((hunted.messages, hunted.dead), (5, None));
        requests.push(hunted.requests);
    }
    assert_eq!(requests[0], requests[1]);
}

#[tokio::test(start_paused = true)]
async fn the_first_finding_that_is_not_known_ends_a_hunt_that_wants_no_more() {
    let wrong = |request: &Outgoing| {
        let id = serde_json::from_slice::<Value>(&request.body).map(|call| call["id"].clone()).unwrap_or_default();
        Reply::json(200, &json!({ "jsonrpc": "2.0", "id": id, "result": { "id": 7 } }))
    };
    let mut requests = Vec::new();
    let mut known = BTreeSet::new();
    for ends_at in [Some(Level::Must), None, Some(Level::Must)] {
        let whole = budget(Duration::from_secs(20), &[Phase::Boundaries]);
        let (hunted, _) = hunted(&Budget { ends_at, known: known.clone(), ..whole }, wrong).await;
        let is_told = hunted.not_tried.iter().any(|one| one.contains("--fail-fast"));
        // The third knows all that there is.
        assert_eq!(is_told, ends_at.is_some() && known.is_empty(), "{:?}", hunted.not_tried);
        assert_eq!(hunted.found.iter().any(|found| found.level == Level::Must), known.is_empty());
        requests.push(hunted.requests);
        if ends_at.is_none() {
            known.extend(hunted.found.into_iter().map(|found| found.bucket));
        }
    }
    assert!(requests[0] * 4 < requests[1] && requests[2] * 2 > requests[1], "{requests:?}");
}

/// What is lost once says nothing: a hunt that it ended would have ended for nothing.
#[tokio::test(start_paused = true)]
async fn an_answer_that_is_lost_once_ends_no_hunt() {
    const LOST: u64 = 40;
    let mut requests = Vec::new();
    for (is_lost_once, ends_at) in [(true, Some(Level::May)), (true, None), (false, Some(Level::May))] {
        let (small, asked) = (Small::with(LATENCY / 10), AtomicU64::new(0));
        let whole = budget(Duration::from_secs(10), &[Phase::Boundaries]);
        let operations = vec![Operation::GetTask];
        let (hunted, _) = hunted(&Budget { ends_at, operations, ..whole }, move |request| {
            let number = asked.fetch_add(1, Ordering::Relaxed);
            let is_lost = number == LOST || number > LOST && !is_lost_once;
            let call = serde_json::from_slice::<Value>(&request.body).unwrap_or_default();
            let (params, length) = (&call["params"], &call["params"]["historyLength"]);
            match call["method"].as_str() {
                _ if is_lost => Reply::silence(),
                Some("GetTask") if !params["id"].is_string() || !(length.is_null() || length.as_u64().is_some()) => {
                    let error = json!({ "code": -32602, "message": "no" });
                    Reply::json(200, &json!({ "jsonrpc": "2.0", "id": call["id"], "error": error }))
                }
                _ => small.answer(request),
            }
        })
        .await;
        let is_told = !hunted.found.is_empty() || hunted.dead.is_some();
        assert_eq!((is_told, hunted.gone), (!is_lost_once, u64::from(is_lost_once)), "{hunted:?}");
        requests.push(hunted.requests);
    }
    assert_eq!(requests[0], requests[1]);
    assert!(requests[2] < requests[0], "{requests:?}");
}

/// What is asked of the agent, without what differs each time anyway: ids, and which of many tasks is meant.
fn asked(request: &Outgoing) -> String {
    let text = String::from_utf8_lossy(&request.body).into_owned();
    let Ok(mut call) = serde_json::from_str::<Value>(&text) else { return text };
    call["id"] = Value::Null;
    let ids = call.to_string();
    let parts = ids.split('"').map(|part| {
        let is_task = part.strip_prefix('t').is_some_and(|number| number.parse::<u64>().is_ok());
        if is_task || part.starts_with("a2aspec-") { "#" } else { part }
    });
    parts.collect::<Vec<_>>().join("\"")
}

/// Sequences say more than the steps that they need, so that what is asked is mostly new.
#[tokio::test(start_paused = true)]
async fn few_requests_are_repetitions() {
    let small = Small::with(LATENCY / 10);
    let seen = Arc::new(Mutex::new((BTreeSet::new(), 0_u64, 0_u64)));
    let noted = Arc::clone(&seen);
    let budget = budget(Duration::from_secs(20), &[Phase::Mutation, Phase::Sequences]);
    let (hunted, _) = hunted(&budget, move |request| {
        let mut seen = noted.lock().unwrap();
        seen.1 += 1;
        seen.2 += u64::from(!seen.0.insert(asked(request)));
        drop(seen);
        small.answer(request)
    })
    .await;
    let seen = seen.lock().unwrap();
    let (all, again) = (seen.1, seen.2);
    assert!(again * 4 < all, "{again} of {all}, in a hunt of {}", hunted.requests);
}

/// Of what comes three times in four hardly more is left than of what comes always: the message to a task, and the question behind
/// it, which may have been missed once.
#[tokio::test(start_paused = true)]
async fn a_sequence_that_shows_something_now_and_then_is_cut_down() {
    // Work that takes long would take the time of making it smaller.
    let (small, asked) = (Small { work: LATENCY / 10, ..Small::with(LATENCY / 10) }, AtomicU64::new(0));
    let spoken_to = Mutex::new(BTreeSet::new());
    let budget = budget(Duration::from_secs(20), &[Phase::Sequences]);
    let (hunted, _) = hunted(&budget, move |request| {
        let call = serde_json::from_slice::<Value>(&request.body).unwrap_or_default();
        if let Some(id) = call.pointer("/params/message/taskId").and_then(Value::as_str) {
            spoken_to.lock().unwrap().insert(id.to_owned());
        }
        let is_wrong = call["method"] == "GetTask"
            && call
                .pointer("/params/id")
                .and_then(Value::as_str)
                .is_some_and(|id| spoken_to.lock().unwrap().contains(id))
            && asked.fetch_add(1, Ordering::Relaxed) % 4 != 3;
        if !is_wrong {
            return small.answer(request);
        }
        let error = json!({ "code": -32603, "message": "no" });
        Reply::json(200, &json!({ "jsonrpc": "2.0", "id": call["id"], "error": error })).late(LATENCY / 10)
    })
    .await;
    let found = hunted.found.iter().find(|found| found.operation == Operation::GetTask);
    let probes = found.map(|found| found.probes.iter().map(|probe| probe.operation).collect::<Vec<_>>());
    let probes = probes.unwrap();
    let messages = probes.iter().filter(|operation| operation.sends_a_message()).count();
    let are_needed = messages >= 2 && probes.last() == Some(&Operation::GetTask);
    assert!(are_needed && probes.len() <= 5, "{probes:?}");
}

/// What counts how often it is asked, or looks at heads and envelopes, is met in sequences, too.
#[tokio::test(start_paused = true)]
async fn steps_of_sequences_repeat_themselves_and_come_in_another_dress() {
    let (small, said) = (Small::default(), Arc::new(Mutex::new(Vec::new())));
    let heard = Arc::clone(&said);
    let budget = budget(Duration::from_secs(60), &[Phase::Sequences]);
    hunted(&budget, move |request| {
        let call = serde_json::from_slice::<Value>(&request.body).unwrap_or_default();
        let has_field = request.headers.iter().any(|(name, _)| name.starts_with("x-a2aspec"));
        heard.lock().unwrap().push((call, has_field));
        small.answer(request)
    })
    .await;
    let said = said.lock().unwrap();
    assert!(said.iter().any(|(_, has_field)| *has_field));
    assert!(said.iter().any(|(call, _)| call["id"].is_string()));
    let mut reads: HashMap<String, usize> = HashMap::new();
    for (call, _) in said.iter().filter(|(call, _)| call["method"] == "GetTask") {
        *reads.entry(call["params"]["id"].to_string()).or_default() += 1;
    }
    assert!(reads.values().any(|times| *times >= 6), "{reads:?}");
    // Some have much more than their word.
    assert!(said.iter().any(|(call, _)| call["params"]["message"]["parts"].as_array().map_or(0, Vec::len) > 4));
}

/// Over HTTP+JSON a query has members that no operation has, and some of its own twice.
#[tokio::test(start_paused = true)]
async fn a_query_says_more_than_its_operation_has_a_use_for() {
    let said = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&said);
    let budget =
        Budget { operations: vec![Operation::ListTasks], ..budget(Duration::from_secs(30), &[Phase::Mutation]) };
    hunted_over(Binding::HttpJson, None, &budget, move |request| {
        heard.lock().unwrap().push(request.url.clone());
        let status = json!({ "state": "TASK_STATE_COMPLETED", "timestamp": "2026-01-31T12:00:00.000Z" });
        let task = json!({ "id": "t", "contextId": "c", "status": status });
        match request.url.contains("/message:send") {
            true => Reply::json(200, &json!({ "task": task })),
            false => Reply::json(200, &json!({ "tasks": [], "nextPageToken": "", "pageSize": 0, "totalSize": 0 })),
        }
        .late(LATENCY)
    })
    .await;
    let said = said.lock().unwrap();
    let names = |url: &str| -> Vec<String> {
        let pairs = url.split_once('?').into_iter().flat_map(|(_, query)| query.split('&').map(str::to_owned));
        pairs.filter_map(|pair| Some(pair.split_once('=')?.0.to_owned())).collect()
    };
    assert!(said.iter().any(|url| names(url).iter().any(|name| name.starts_with("a2aspec"))));
    let is_twice = |names: &[String]| names.iter().enumerate().any(|(at, name)| names[..at].contains(name));
    assert!(said.iter().any(|url| is_twice(&names(url))));
}

/// Some messages are made from the schemas as a whole, and none of those names an address of somebody's.
#[tokio::test(start_paused = true)]
async fn messages_are_generated_and_name_no_address() {
    let (small, said) = (Small::default(), Arc::new(Mutex::new(Vec::new())));
    let heard = Arc::clone(&said);
    let budget =
        Budget { operations: vec![Operation::SendMessage], ..budget(Duration::from_secs(60), &[Phase::Mutation]) };
    hunted(&budget, move |request| {
        heard.lock().unwrap().extend(serde_json::from_slice::<Value>(&request.body));
        small.answer(request)
    })
    .await;
    let said = said.lock().unwrap();
    let profiles = profile::bundled().unwrap();
    let dialect = &profiles.iter().find(|profile| profile.name() == "1.0").unwrap().dialects["json"];
    let is_right = |call: &&Value| dialect.violations("SendMessageRequest", &call["params"]).is_empty();
    let is_of_an_agent = |call: &&Value| call.pointer("/params/message/role") == Some(&json!("ROLE_AGENT"));
    assert!(said.iter().filter(is_right).any(|call| is_of_an_agent(&call)));
    let addresses =
        said.iter().filter_map(|call| call.pointer("/params/configuration/taskPushNotificationConfig/url")?.as_str());
    assert_eq!(
        addresses.into_iter().find(|address| address.starts_with("http") && !address.contains("://a2aspec.invalid/")),
        None
    );
}

/// Whatever a request is for: those that make smaller what was found, too.
#[tokio::test(start_paused = true)]
async fn an_agent_is_asked_no_faster_than_it_may_be() {
    const RATE: f64 = 20.0;
    let (small, asked) = (Small::with(LATENCY / 10), Arc::new(AtomicU64::new(0)));
    let counted = Arc::clone(&asked);
    let budget = budget(Duration::from_secs(30), &[Phase::Mutation, Phase::Sequences]);
    let (hunted, took) = hunted_over(Binding::Jsonrpc, Some(RATE), &budget, move |request| {
        counted.fetch_add(1, Ordering::Relaxed);
        let call = serde_json::from_slice::<Value>(&request.body).unwrap_or_default();
        match call["method"] == "ListTasks" {
            // Also where it must refuse, so that there is something to be made smaller.
            true => Reply::json(200, &json!({ "jsonrpc": "2.0", "id": call["id"], "result": { "tasks": [] } })),
            false => small.answer(request),
        }
    })
    .await;
    let most = took.as_secs_f64() * RATE + 1.0;
    let asked = asked.load(Ordering::Relaxed) as f64;
    assert!(asked <= most && asked > most / 4.0, "{asked} of {most} in {took:?}");
    assert!(!hunted.found.is_empty() && hunted.requests > 300, "{} {:?}", hunted.requests, hunted.found);
}

/// All single changes of an operation are tried, also where it is the only one.
#[tokio::test(start_paused = true)]
async fn one_operation_by_itself_has_all_its_changes() {
    let mut requests = Vec::new();
    for operations in [vec![Operation::GetTask], Vec::new()] {
        let (small, seen) = (Small::default(), Arc::new(Mutex::new(BTreeSet::new())));
        let heard = Arc::clone(&seen);
        let budget = Budget { operations, ..budget(Duration::from_secs(10_000), &[Phase::Boundaries]) };
        hunted(&budget, move |request| {
            let call = serde_json::from_slice::<Value>(&request.body).unwrap_or_default();
            if call["method"] == "GetTask" {
                heard.lock().unwrap().insert(call["params"].to_string());
            }
            small.answer(request)
        })
        .await;
        requests.push(seen.lock().unwrap().clone());
    }
    let missing: Vec<&String> = requests[1].difference(&requests[0]).collect();
    // The ids of tasks differ from hunt to hunt.
    assert!(
        missing.len() < 8 && requests[0].len() > 60,
        "{} of {}: {missing:#?}",
        requests[0].len(),
        requests[1].len()
    );
}

/// What there was no time for is said.
#[tokio::test(start_paused = true)]
async fn single_changes_that_were_not_tried_are_told() {
    let mut told = Vec::new();
    for seconds in [4, 10_000] {
        let small = Small::default();
        let budget = budget(Duration::from_secs(seconds), &[Phase::Boundaries]);
        told.push(hunted(&budget, move |request| small.answer(request)).await.0.not_tried);
    }
    let are_changes = |all: &[String]| all.iter().any(|one| one.contains("single changes: --time"));
    assert!(are_changes(&told[0]) && !are_changes(&told[1]), "{told:#?}");
}

/// `--requests` counts what was sent.
#[tokio::test(start_paused = true)]
async fn what_is_decided_and_cannot_be_sent_is_no_request() {
    let small = Small::default();
    let budget =
        Budget { requests: Some(400), ..budget(Duration::from_secs(10_000), &[Phase::Mutation, Phase::Sequences]) };
    let (hunted, _) = hunted(&budget, move |request| small.answer(request)).await;
    // What is under way when there are enough may be more.
    assert!((400..=500).contains(&hunted.requests), "{}", hunted.requests);
}

/// An empty id leads to another path, such as that of the list, whose answer is no task: paths and queries are changed, and stay those
/// of their operation.
#[tokio::test(start_paused = true)]
async fn paths_and_queries_are_changed_and_lead_to_no_other_operation() {
    let asked = Arc::new(Mutex::new(BTreeSet::new()));
    let heard = Arc::clone(&asked);
    let operations = vec![Operation::GetTask, Operation::ListTasks];
    let budget = Budget { operations, ..budget(Duration::from_secs(200), &[Phase::Boundaries, Phase::Mutation]) };
    let (hunted, _) = hunted_over(Binding::HttpJson, None, &budget, move |request| {
        if request.method == "GET" && request.operation.is_some() {
            heard.lock().unwrap().insert((request.operation, request.url.clone()));
        }
        let status = json!({ "state": "TASK_STATE_COMPLETED", "timestamp": "2026-01-31T12:00:00.000Z" });
        let task = json!({ "id": "t", "contextId": "c", "status": status });
        let error = json!({ "error": { "code": 404, "status": "NOT_FOUND", "message": "no" } });
        match request.url.strip_prefix("http://agent.test").unwrap_or_default() {
            "/message:send" => Reply::json(200, &json!({ "task": task })),
            path if path == "/tasks/t" || path.starts_with("/tasks/t?") => Reply::json(200, &task),
            path if path.starts_with("/tasks?") => Reply::json(200, &json!({ "tasks": [] })),
            _ => Reply::json(404, &error),
        }
        .late(LATENCY)
    })
    .await;
    let asked = asked.lock().unwrap();
    let of = |operation: Operation| asked.iter().filter(|(of, _)| *of == Some(operation)).count();
    assert!(of(Operation::GetTask) > 60 && of(Operation::ListTasks) > 60, "{asked:#?}");
    let is_elsewhere = |(operation, url): &&(Option<Operation>, String)| {
        *operation == Some(Operation::GetTask) && url.split('?').next().is_some_and(|path| path.ends_with("/tasks/"))
    };
    assert_eq!(asked.iter().find(is_elsewhere), None);
    assert!(hunted.requests > 1000, "{}", hunted.requests);
}

/// Questions are answered as ever: only a message shows it.
#[tokio::test(start_paused = true)]
async fn what_an_agent_works_on_no_message_after_is_found() {
    let (small, rests) = (Small { work: LATENCY, ..Small::default() }, Mutex::new(None));
    let operations = vec![Operation::SendMessage, Operation::GetTask];
    let budget = Budget { operations, ..budget(Duration::from_secs(600), &[Phase::Boundaries]) };
    let (hunted, _) = hunted(&budget, move |request| {
        let has = |text: &[u8]| request.body.windows(text.len()).any(|part| part == text);
        let mut rests = rests.lock().unwrap();
        if has(b"\"SendMessage\"") && rests.is_some_and(|until| Instant::now() < until) {
            let error = json!({ "code": -32603, "message": "no worker" });
            let id = serde_json::from_slice(&request.body).map_or(Value::Null, |call: Value| call["id"].clone());
            return Reply::json(200, &json!({ "jsonrpc": "2.0", "id": id, "error": error })).late(LATENCY);
        }
        if has(b"\"GetTask\"") && has(b"2147483648") {
            *rests = Some(Instant::now() + Duration::from_secs(2));
        }
        small.answer(request)
    })
    .await;
    assert!(hunted.dead.is_none() && hunted.falls > 0, "{hunted:#?}");
    // What else it takes that it should not is another matter; that it failed meanwhile is none.
    let is_failure = |found: &&Found| found.is_fatal || format!("{:?}", found.finding).contains("no worker");
    let failures: Vec<&Found> = hunted.found.iter().filter(is_failure).collect();
    let [found] = failures.as_slice() else {
        panic!("{:?}", failures.iter().map(|found| &found.finding).collect::<Vec<_>>())
    };
    let steps: Vec<Operation> = found.probes.iter().map(|probe| probe.operation).collect();
    assert_eq!(steps, [Operation::GetTask, Operation::SendMessage], "{found:#?}");
    assert_eq!((found.is_fatal, found.came), (true, Some(3)));
}

#[tokio::test(start_paused = true)]
async fn answers_lead_up_stairs_that_chance_does_not_climb() {
    const SEEDS: u64 = 4;
    let mut climbed = [0, 0];
    for seed in 0..SEEDS {
        for (is_led, climbed) in [true, false].into_iter().zip(&mut climbed) {
            let (stairs, small, failed) = (Stairs::new(seed), Small::with(LATENCY / 10), Arc::new(AtomicU64::new(0)));
            let operations = vec![Operation::GetTask, Operation::ListTasks];
            let whole = budget(Duration::from_secs(60), &[Phase::Mutation]);
            let budget = Budget { is_led, operations, seed, requests: Some(6_000), ..whole };
            let failures = Arc::clone(&failed);
            hunted(&budget, move |request| {
                let call = serde_json::from_slice::<Value>(&request.body).unwrap_or_default();
                if call["method"] != "ListTasks" {
                    return small.answer(request);
                }
                let page = stairs.page(&call["params"]);
                failures.fetch_add(u64::from(page.is_none()), Ordering::Relaxed);
                let said = match page {
                    Some(page) => ("result", page),
                    None => ("error", json!({ "code": -32603, "message": "failed" })),
                };
                let answer = json!({ "jsonrpc": "2.0", "id": call["id"], said.0: said.1 });
                Reply::json(200, &answer).late(small.latency)
            })
            .await;
            *climbed += u64::from(failed.load(Ordering::Relaxed) > 0);
        }
    }
    assert!(climbed[0] + 1 >= SEEDS && climbed[1] * 2 <= SEEDS, "{climbed:?}");
}
