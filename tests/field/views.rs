//! What one way of reading shows of a task and another does not, and what is kept that must not be.

use std::collections::BTreeMap;
use std::sync::Mutex;

use a2a_reference_agent::Version;
use serde_json::{Map, Value, json};

use super::check;
use super::gateway::{Answer, Call, Faulty};

/// Does something with each object of a value, the outer ones first.
fn each(value: &mut Value, change: &mut impl FnMut(&mut Map<String, Value>)) {
    if let Some(members) = value.as_object_mut() {
        change(members);
        members.values_mut().for_each(|value| each(value, change));
    }
    value.as_array_mut().into_iter().flatten().for_each(|value| each(value, change));
}

/// Whether an object is a task.
fn is_task(members: &Map<String, Value>) -> bool {
    members.contains_key("status") && members.contains_key("id") && members.contains_key("contextId")
}

/// <https://github.com/tomtom215/a2a-rust/issues/130>
/// 4.1.1: artifacts are a "Set of output artifacts" of the task; 3.4.1: a context groups tasks.
#[tokio::test]
async fn a_task_begins_with_what_another_has_left_in_its_context() {
    type First = BTreeMap<String, (String, Map<String, Value>)>;
    let first: &Mutex<First> = Box::leak(Box::default());
    let mix = move |value: &mut Value| {
        each(value, &mut |task| {
            if !is_task(task) {
                return;
            }
            let (id, context) = (task["id"].to_string(), task["contextId"].to_string());
            let mut first = first.lock().unwrap();
            let (owner, left) = first.entry(context).or_insert_with(|| (id.clone(), Map::new()));
            for list in ["artifacts", "history"] {
                let Some(Value::Array(items)) = task.get_mut(list) else { continue };
                match *owner == id {
                    true => drop(left.insert(list.to_owned(), items.clone().into())),
                    false => drop(
                        items.splice(0..0, left.get(list).and_then(Value::as_array).into_iter().flatten().cloned()),
                    ),
                }
            }
        });
    };
    let agent =
        Faulty::agent(Version::V1_0).answered(move |_, response| mix(response)).streamed(move |_, mut event| {
            mix(&mut event);
            vec![event]
        });
    check(agent, &["1.0-4.1.1-2"]).await;
}

/// <https://github.com/trpc-group/trpc-a2a-go/pull/125>
/// 4.1.7: `artifactId` is a "Unique identifier (at least within a task)"; 4.2.2: with `append` the content is added to the artifact.
#[tokio::test]
async fn each_chunk_is_kept_as_an_artifact() {
    let agent = Faulty::agent(Version::V1_0).answered(|_, response| {
        each(response, &mut |task| {
            let Some(Value::Array(artifacts)) = task.get_mut("artifacts") else { return };
            let chunks = |artifact: &Value| {
                let parts = artifact["parts"].as_array().cloned().unwrap_or_default();
                let chunk = |part: Value| {
                    let mut chunk = artifact.clone();
                    chunk["parts"] = json!([part]);
                    chunk
                };
                parts.into_iter().map(chunk).collect::<Vec<_>>()
            };
            *artifacts = artifacts.iter().flat_map(chunks).collect();
        });
    });
    check(agent, &["1.0-4.1.7-2", "1.0-3.5.2-1"]).await;
}

/// <https://github.com/a2aproject/a2a-java/issues/689>
/// What is empty may be written or left out: such an agent is right.
#[tokio::test]
async fn answers_have_empty_members_that_deliveries_leave_out() {
    let fill = |value: &mut Value| {
        each(value, &mut |part| {
            if part.contains_key("text") && part.keys().all(|name| ["text", "mediaType"].contains(&name.as_str())) {
                part.entry("mediaType").or_insert(json!(""));
                part.extend([("filename".to_owned(), json!("")), ("metadata".to_owned(), json!({}))]);
            }
        });
    };
    let agent =
        Faulty::agent(Version::V1_0).answered(move |_, response| fill(response)).streamed(move |_, mut event| {
            fill(&mut event);
            vec![event]
        });
    check(agent, &[]).await;
}

/// <https://github.com/a2aproject/a2a-java/issues/554>
/// 3.1.9: the token is for "the next page of results, or empty if there are no more results in the list".
#[tokio::test]
async fn pages_of_webhooks_go_on_after_the_token_of_a_webhook() {
    let agent = Faulty::agent(Version::V1_0).answered(|call, response| {
        if call.method == "ListTaskPushNotificationConfigs" && response.pointer("/result/nextPageToken").is_some() {
            let last = response["result"]["configs"].as_array().and_then(|configs| configs.last()).cloned();
            response["result"]["nextPageToken"] = last.and_then(|last| last.get("token").cloned()).unwrap_or(json!(""));
        }
    });
    check(agent, &["1.0-3.1.9-4"]).await;
}

/// <https://github.com/a2aproject/a2a-java/issues/754>
/// 3.1.6: the stream "MUST terminate when the task reaches a terminal state", and shows updates until then.
#[tokio::test]
async fn a_subscription_shows_nothing_but_the_task() {
    let agent = Faulty::agent(Version::V1_0).streamed(|call, event| {
        match call.method == "SubscribeToTask" && event["result"].get("task").is_none() {
            true => Vec::new(),
            false => vec![event],
        }
    });
    check(agent, &["1.0-3.1.6-4", "1.0-3.1.6-2", "1.0-3.1.6-3"]).await;
}

/// <https://github.com/topcheer/ggcode/issues/1088>
/// 0.3, 7.9: a client reconnects "to resume receiving" the updates of its task.
#[tokio::test]
async fn a_resumed_stream_lacks_the_artifacts() {
    let agent = Faulty::agent(Version::V0_3).streamed(|call, event| {
        match call.method == "tasks/resubscribe" && event["result"]["kind"] == "artifact-update" {
            true => Vec::new(),
            false => vec![event],
        }
    });
    check(agent, &["0.3-7.9-1"]).await;
}

/// <https://github.com/actioncard/a2a-elixir/issues/99>
/// 3.1.6: an agent that declares streaming serves subscriptions to tasks that go on.
#[tokio::test]
async fn no_task_can_be_subscribed_to() {
    let agent = Faulty::agent(Version::V1_0)
        .asked(|call| (call.method == "SubscribeToTask").then(|| Answer::error(-32004, "UNSUPPORTED_OPERATION")));
    check(agent, &["1.0-3.1-1"]).await;
}

/// <https://github.com/a2aproject/a2a-js/issues/156>
/// 0.3, 8.1: -32603 is "An unexpected error occurred on the server"; the message is right, and may be refused.
#[tokio::test]
async fn the_agent_fails_at_a_message_to_a_task_at_work() {
    let states: &Mutex<BTreeMap<String, Value>> = Box::leak(Box::default());
    let see = move |value: &Value| {
        let task = &value["result"];
        let id = task["taskId"].as_str().or(task["id"].as_str());
        if let (Some(id), Some(state)) = (id, task.pointer("/status/state")) {
            states.lock().unwrap().insert(id.to_owned(), state.clone());
        }
    };
    let is_at_work = move |call: &Call| {
        let task = call.params["message"]["taskId"].as_str().unwrap_or_default();
        let states = states.lock().unwrap();
        ["working", "submitted"].iter().any(|state| states.get(task).is_some_and(|known| known == state))
    };
    let agent = Faulty::agent(Version::V0_3)
        .asked(move |call| {
            let is_not_waited_for = call.params["configuration"]["blocking"] == false;
            (call.method == "message/send" && is_not_waited_for && is_at_work(call))
                .then(|| Answer::Json(json!({ "error": { "code": -32603, "message": "Execution finished" } })))
        })
        .answered(move |_, response| see(response))
        .streamed(move |_, event| {
            see(&event);
            vec![event]
        });
    check(agent, &["0.3-6.4-11"]).await;
}

/// <https://github.com/a2aproject/a2a-js/issues/684>
/// 3.3.4 has ExtensionSupportRequiredError for it, and 3.3.2 that what is refused is not done.
#[tokio::test]
async fn a_message_that_is_refused_for_an_extension_is_kept() {
    const EXTENSION: &str = "https://example.org/extension";
    let kept: &Mutex<BTreeMap<String, Vec<Value>>> = Box::leak(Box::default());
    let agent = Faulty::agent(Version::V1_0)
        .card(|card| {
            let extension = json!({ "uri": EXTENSION, "required": true });
            card["capabilities"]["extensions"] = json!([extension]);
        })
        .asked(|call| {
            let asked = call.headers.get("a2a-extensions").and_then(|names| names.to_str().ok()).unwrap_or_default();
            if !["SendMessage", "SendStreamingMessage"].contains(&call.method.as_str()) || asked.contains(EXTENSION) {
                return None;
            }
            if let Some(task) = call.params["message"]["taskId"].as_str() {
                kept.lock().unwrap().entry(task.to_owned()).or_default().push(call.params["message"].clone());
            }
            Some(Answer::error(-32008, "EXTENSION_SUPPORT_REQUIRED"))
        })
        .answered(|_, response| {
            each(response, &mut |task| {
                let id = task.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
                if let (true, Some(Value::Array(history))) = (is_task(task), task.get_mut("history")) {
                    history.extend(kept.lock().unwrap().get(&id).into_iter().flatten().cloned());
                }
            });
        });
    check(agent, &["1.0-3.3.2-3"]).await;
}
