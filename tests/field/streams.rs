//! Streams that leave something out.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use a2a_reference_agent::Version;
use serde_json::{Value, json};

use super::check;
use super::gateway::{Answer, Faulty, error};

/// How long a task works that must still be at work when it is read a second time, on a machine with much else to do.
const AT_WORK: Duration = Duration::from_secs(8);

/// A response in the place of another, with its id.
fn instead(of: &Value, mut response: Value) -> Vec<Value> {
    response["jsonrpc"] = json!("2.0");
    response["id"] = of["id"].clone();
    vec![response]
}

/// <https://github.com/a2aproject/a2a-go/issues/439>
/// 3.1.6 refuses subscriptions to tasks in terminal states alone, and 4.1.3 has input-required among the others.
#[tokio::test]
async fn a_task_that_waits_is_not_found_by_who_subscribes() {
    let agent = Faulty::agent(Version::V1_0).streamed(|call, event| {
        let state = &event["result"]["task"]["status"]["state"];
        match call.method == "SubscribeToTask" && state == "TASK_STATE_INPUT_REQUIRED" {
            true => instead(&event, error(-32001, "TASK_NOT_FOUND")),
            false => vec![event],
        }
    });
    check(agent, &["1.0-3.1.6-7"]).await;
}

/// <https://github.com/a2aproject/a2a-python/issues/675>
/// 3.1.6: "The operation MUST return a Task object as the first event in the stream".
#[tokio::test]
async fn a_subscription_begins_with_what_follows() {
    // Only tasks at work show it.
    let agent = Faulty::agent(Version::V1_0).slow(AT_WORK).streamed(|call, event| {
        match call.method == "SubscribeToTask" && event["result"].get("task").is_some() {
            true => Vec::new(),
            false => vec![event],
        }
    });
    check(agent, &["1.0-3.1.6-1"]).await;
}

/// <https://github.com/liujuanjuan1984/codex-a2a/issues/9>
/// 0.3, 7.9 and 8.2: an id that is that of no task is answered with TaskNotFoundError.
#[tokio::test]
async fn who_resubscribes_to_an_unknown_task_gets_an_empty_stream() {
    let agent = Faulty::agent(Version::V0_3).replaced(|call, response| {
        match call.method == "tasks/resubscribe" && response.get("error").is_some() {
            true => Answer::Stream(Vec::new()),
            false => Answer::Json(response),
        }
    });
    check(agent, &["0.3-7.9-4", "0.3-8.1-2", "0.3-8.2-1"]).await;
}

/// <https://github.com/topcheer/ggcode/issues/1073>
/// 0.3, 3.3 and 7.2: the stream tells of changes of the state, of which input-required is one.
#[tokio::test]
async fn a_stream_never_tells_that_the_agent_waits() {
    let agent = Faulty::agent(Version::V0_3).streamed(|call, event| {
        match call.method == "message/stream" && event["result"]["status"]["state"] == "input-required" {
            true => instead(&event, json!({ "error": { "code": -32001, "message": "task timed out" } })),
            false => vec![event],
        }
    });
    check(agent, &["0.3-7.2-4"]).await;
}

/// <https://github.com/jordigilh/kubernaut/issues/1297>
/// 0.3, 7.2.2: the `contextId` of an update is that of the task.
#[tokio::test]
async fn updates_name_no_context() {
    let agent = Faulty::agent(Version::V0_3).streamed(|_, mut event| {
        if event["result"]["kind"] == "status-update" {
            event["result"]["contextId"] = json!("");
        }
        vec![event]
    });
    check(agent, &["0.3-7.2-5", "0.3-7.2.2-5"]).await;
}

/// <https://github.com/a2aproject/a2a-python/issues/1038>, also <https://github.com/a2aproject/a2a-python/issues/833>
/// 4.2.2: with `append` "the content of this artifact should be appended to a previously sent artifact with the same ID".
#[tokio::test]
async fn each_chunk_is_appended_to_an_artifact_that_nobody_knows() {
    let agent = Faulty::agent(Version::V1_0).streamed(|_, mut event| {
        if let Some(update) = event.pointer_mut("/result/artifactUpdate").filter(|update| update["append"] == true) {
            let text = update["artifact"]["parts"].to_string();
            update["artifact"]["artifactId"] = json!(format!("artifact-of-{text}"));
        }
        vec![event]
    });
    check(agent, &["1.0-4.2.2-3", "1.0-3.5.2-1"]).await;
}

/// As @reactive-agents/a2a 0.9.0 and agno 3.1.10 stream: the status that is said to be the last comes before the artifacts.
/// 0.3, 7.2.2: `final` "indicates that this is the terminal update for the current stream interaction".
#[tokio::test]
async fn artifacts_follow_the_last_status() {
    let kept: &Mutex<BTreeMap<String, Vec<Value>>> = Box::leak(Box::default());
    let agent = Faulty::agent(Version::V0_3).streamed(|_, event| {
        let result = &event["result"];
        let stream = event["id"].to_string();
        if result["kind"] == "artifact-update" {
            kept.lock().unwrap().entry(stream).or_default().push(event);
            return Vec::new();
        }
        let is_last = result["final"] == true;
        let held_back = is_last.then(|| kept.lock().unwrap().remove(&stream)).flatten();
        [event].into_iter().chain(held_back.unwrap_or_default()).collect()
    });
    check(agent, &["0.3-7.2.2-2", "0.3-7.2.2-4"]).await;
}

/// As @reactive-agents/a2a 0.9.0 streams: the id of each event is 1. JSON-RPC 2.0, section 5: "It MUST be the same as the value of the id
/// member in the Request Object."
#[tokio::test]
async fn each_event_has_the_same_id() {
    let agent = Faulty::agent(Version::V0_3).streamed(|_, mut event| {
        event["id"] = json!(4711);
        vec![event]
    });
    check(agent, &["jsonrpc-5-3", "0.3-3.3.1-3"]).await;
}
