//! Tasks that are not what was said of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use a2a_reference_agent::Version;
use serde_json::{Value, json};

use super::check;
use super::gateway::{Answer, Call, Faulty, error};

/// <https://github.com/a2aproject/a2a-java/issues/723>
/// 3.4.3: "Agents MUST reject messages containing mismatching contextId and taskId".
#[tokio::test]
async fn the_context_of_a_message_to_a_task_is_ignored() {
    let agent = Faulty::agent(Version::V1_0).asked(|call| {
        let message = call.params.pointer_mut("/message")?.as_object_mut()?;
        if message.contains_key("taskId") {
            message.remove("contextId");
        }
        None
    });
    check(agent, &["1.0-3.4.3-3"]).await;
}

/// <https://github.com/a2aproject/a2a-rs/issues/248>
/// 3.4.2: the agent "MUST return a TaskNotFoundError if the provided taskId does not correspond to an existing task".
#[tokio::test]
async fn an_unknown_id_becomes_that_of_a_new_task() {
    let made: &Mutex<BTreeSet<String>> = Box::leak(Box::default());
    let named: &Mutex<BTreeMap<String, String>> = Box::leak(Box::default());
    let agent = Faulty::agent(Version::V1_0)
        .asked(|call| {
            let message = call.params.pointer_mut("/message")?.as_object_mut()?;
            let task = message.get("taskId")?.as_str()?.to_owned();
            if !made.lock().unwrap().contains(&task) {
                message.remove("taskId");
                message.insert("metadata".to_owned(), json!({ "wanted": task }));
            }
            None
        })
        .answered(|call, response| {
            let wanted = call.params["message"]["metadata"]["wanted"].as_str();
            let id = response["result"]["task"]["id"].as_str().map(str::to_owned);
            made.lock().unwrap().extend(id.clone());
            if let (Some(wanted), Some(id)) = (wanted, id) {
                named.lock().unwrap().insert(id, wanted.to_owned());
            }
            let renamed =
                named.lock().unwrap().iter().fold(response.to_string(), |text, (id, new)| text.replace(id, new));
            *response = serde_json::from_str(&renamed).unwrap();
        })
        .streamed(|_, event| {
            made.lock().unwrap().extend(event["result"]["task"]["id"].as_str().map(str::to_owned));
            vec![event]
        });
    check(agent, &["1.0-3.4.2-3", "1.0-3.1.1-6", "1.0-3.1.2-8"]).await;
}

/// Where a task is in an answer of 1.0 or one of before.
fn task_of(response: &mut Value) -> Option<&mut Value> {
    let place = if response.pointer("/result/task").is_some() { "/result/task" } else { "/result" };
    response.pointer_mut(place)
}

/// <https://github.com/a2aproject/a2a-js/issues/539>
/// 3.1.5 has TaskNotCancelableError for a task in a terminal state, 3.3.1 calls cancelling idempotent: either is right.
#[tokio::test]
async fn to_cancel_again_is_refused() {
    let canceled: &Mutex<BTreeSet<String>> = Box::leak(Box::default());
    let agent = Faulty::agent(Version::V1_0)
        .asked(|call| {
            let is_again = call.method == "CancelTask" && canceled.lock().unwrap().contains(call.task());
            is_again.then(|| Answer::error(-32002, "TASK_NOT_CANCELABLE"))
        })
        .answered(|call, response| {
            if call.method == "CancelTask" && response["result"]["status"]["state"] == "TASK_STATE_CANCELED" {
                canceled.lock().unwrap().insert(call.task().to_owned());
            }
        });
    check(agent, &[]).await;
}

/// <https://github.com/a2aproject/a2a-js/issues/157>
/// 0.3, 7.4.2: what `tasks/cancel` answers with is "The task object, with its state".
#[tokio::test]
async fn the_answer_to_a_cancellation_shows_work() {
    let agent = Faulty::agent(Version::V0_3).answered(|call, response| {
        if call.method == "tasks/cancel" && response.get("result").is_some() {
            response["result"]["status"]["state"] = json!("working");
        }
    });
    check(agent, &["0.3-7.4-8"]).await;
}

/// <https://github.com/prebid/salesagent/issues/1961>
/// 0.3, 8.2: TaskNotCancelableError for a task in a state "like completed, failed, or canceled"; 6.1: it is not restarted.
#[tokio::test]
async fn a_finished_task_can_be_canceled() {
    let seen: &Mutex<BTreeMap<String, Value>> = Box::leak(Box::default());
    let canceled: &Mutex<BTreeSet<String>> = Box::leak(Box::default());
    let agent = Faulty::agent(Version::V0_3).answered(|call: &Call, response| {
        if call.method == "tasks/cancel" && response["error"]["code"] == -32002 {
            let Some(task) = seen.lock().unwrap().get(call.task()).cloned() else { return };
            canceled.lock().unwrap().insert(call.task().to_owned());
            *response = json!({ "jsonrpc": "2.0", "id": response["id"], "result": task });
        }
        let Some(task) = task_of(response) else { return };
        let Some(id) = task["id"].as_str().map(str::to_owned) else { return };
        if task["kind"] == "task" {
            if canceled.lock().unwrap().contains(&id) {
                task["status"]["state"] = json!("canceled");
            }
            seen.lock().unwrap().insert(id, task.clone());
        }
    });
    check(agent, &["0.3-7.4-3", "0.3-8.2-2", "0.3-6.1-4"]).await;
}

/// <https://github.com/a2aproject/A2A/issues/373>
/// 0.1: `tasks/get` answers with the task as it is, which the last event of its stream had told.
#[tokio::test]
async fn a_task_that_was_streamed_is_at_work_for_ever() {
    let streamed: &Mutex<BTreeSet<String>> = Box::leak(Box::default());
    let agent = Faulty::agent(Version::V0_1)
        .streamed(|_, event| {
            streamed.lock().unwrap().extend(event["result"]["id"].as_str().map(str::to_owned));
            vec![event]
        })
        .answered(|call, response| {
            let is_streamed = call.method == "tasks/get" && streamed.lock().unwrap().contains(call.task());
            if is_streamed && response["result"].is_object() {
                response["result"]["status"] = json!({ "state": "working" });
            }
        });
    check(agent, &["0.1-7.3-1"]).await;
}

/// <https://github.com/a2aproject/a2a-js/issues/41>
/// 0.3, 6.1: the history of a task has its messages, and 6.4 that `contextId` is "the context the message is associated with".
#[tokio::test]
async fn the_first_message_is_kept_in_a_context_of_its_own() {
    let agent = Faulty::agent(Version::V0_3).answered(|_, response| {
        let history = task_of(response).and_then(|task| task.pointer_mut("/history")?.as_array_mut());
        for message in history.into_iter().flatten().filter(|message| message["role"] == "user") {
            message["contextId"] = json!(format!("context-of-{}", message["messageId"]));
        }
    });
    check(agent, &["0.3-6.1-7"]).await;
}

/// Refuses each message that names no context, as a2a-server 0.6.1 does: it validates `sessionId` as a required member.
fn without_contexts_refused(version: Version, place: &'static str) -> Faulty {
    Faulty::agent(version).asked(move |call| {
        let is_new = call.params.pointer(place).is_none() && call.params["message"].is_object();
        let continues = call.params["message"]["taskId"].is_string();
        (is_new && !continues).then(|| {
            Answer::Json(json!({ "error": { "code": -32603, "message": "Internal error: contextId: Field required" } }))
        })
    })
}

/// 1.0, 4.1.4 and 0.1, 7.1.1: the context is optional. What else the agent can do is seen all the same.
#[tokio::test]
async fn a_message_must_name_a_context() {
    check(without_contexts_refused(Version::V1_0, "/message/contextId"), &["1.0-3.1-1", "1.0-3.2.1-2"]).await;
    check(without_contexts_refused(Version::V0_1, "/sessionId"), &["0.1-7-5", "0.1-7.1-1"]).await;
}

/// An agent that takes no message at all shows nothing of the kinds of parts, metadata and modes: these cases are not told as failures.
#[tokio::test]
async fn no_message_is_taken() {
    let agent = Faulty::agent(Version::V1_0).asked(|call| {
        call.params["message"].is_object().then(|| {
            Answer::Json(json!({ "error": { "code": -32603, "message": "JSON error: unknown variant `ROLE_USER`" } }))
        })
    });
    check(agent, &["1.0-3.1.2-1", "1.0-3.1-1"]).await;
}

/// 3.3.2: the id of an unknown task "might be invalid, expired, or already completed and purged".
#[tokio::test]
async fn tasks_that_have_ended_are_gone() {
    let agent = Faulty::agent(Version::V1_0).answered(|call, response| {
        const ENDED: [&str; 4] =
            ["TASK_STATE_COMPLETED", "TASK_STATE_FAILED", "TASK_STATE_CANCELED", "TASK_STATE_REJECTED"];
        let state = response.pointer("/result/status/state").and_then(Value::as_str);
        if call.method == "GetTask" && state.is_some_and(|state| ENDED.contains(&state)) {
            *response = error(-32001, "TASK_NOT_FOUND");
        }
    });
    check(agent, &[]).await;
}

/// Release 0.2.16 of the Python SDK: over gRPC it reads a task's id up to the first hyphen, so that it finds none.
#[tokio::test]
async fn no_task_is_found() {
    let agent = Faulty::agent(Version::V1_0).answered(|call, response| {
        if call.method == "GetTask" && response.get("result").is_some() {
            *response = error(-32001, "TASK_NOT_FOUND");
        }
    });
    check(agent, &["1.0-3.1-1"]).await;
}
