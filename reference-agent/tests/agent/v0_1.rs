//! A2A 0.1 and the proposal before it: tasks under the ids of their clients, continued at will, and streams of updates.

use a2a_reference_agent::{Capability, RunningAgent};
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};

use crate::client::{Answer, Client, agent, agent_with, answer, call};
use crate::push::{next, webhook};

const VERSIONS: [&str; 2] = ["0.1", "proposal"];

fn base(agent: &RunningAgent, version: &str) -> String {
    let bases = agent.bases();
    bases.into_iter().find(|(name, _)| *name == version).unwrap().1
}

fn client(agent: &RunningAgent, version: &str) -> Client {
    Client::below(&base(agent, version))
}

/// The parameters of a message to the task `id`.
fn send(id: &str, text: &str) -> Value {
    json!({ "id": id, "message": { "role": "user", "parts": [{ "type": "text", "text": text }] } })
}

async fn get(url: String) -> Answer {
    answer(crate::client::http().get(url)).await
}

fn state(task: &Value) -> &str {
    task["status"]["state"].as_str().unwrap()
}

#[tokio::test]
async fn the_card_leads_to_the_agent() {
    let agent = agent().await;
    for version in VERSIONS {
        let base = base(&agent, version);
        assert_eq!(base, format!("{}/{version}", agent.url()));
        let card = get(format!("{base}/.well-known/agent.json")).await;
        assert_eq!((card.status, &card.headers[CONTENT_TYPE]), (200, &"application/json".parse().unwrap()));
        let card = card.json();
        assert_eq!(card["url"], format!("{base}/a2a"));
        assert_eq!(card["authentication"]["schemes"], json!([]));
        assert_eq!(get(format!("{base}/agent/authenticatedExtendedCard")).await.status, 404);
        let interface = (format!("{base}/a2a"), format!("A2A {version}, JSONRPC"));
        assert!(agent.interfaces().contains(&interface));
    }
}

#[tokio::test]
async fn a_task_has_the_id_of_its_client() {
    let agent = agent().await;
    for version in VERSIONS {
        let client = client(&agent, version);
        let id = format!("mine/{version}");
        let mut params = send(&id, "complete");
        params["sessionId"] = json!("my-session");
        let task = client.result("tasks/send", params).await;
        assert_eq!((&task["id"], &task["sessionId"]), (&json!(id), &json!("my-session")));
        assert_eq!((state(&task), &task["artifacts"][0]["index"]), ("completed", &json!(0)));
        assert_eq!(client.result("tasks/get", json!({ "id": id })).await, task);
        // A session that nobody named is the agent's.
        let other = client.result("tasks/send", send(&format!("other/{version}"), "complete")).await;
        assert!(other["sessionId"].as_str().is_some_and(|session| session != "my-session"));
    }
}

#[tokio::test]
async fn ids_of_clients_do_not_meet_those_of_the_agent() {
    let agent = agent().await;
    client(&agent, "0.1").result("tasks/send", send("task-000001", "complete")).await;
    let parts = json!([{ "kind": "text", "text": "complete" }]);
    let message = json!({ "message": { "kind": "message", "messageId": "m", "role": "user", "parts": parts } });
    let made = Client::v0_3(&agent).result("message/send", message).await;
    assert_ne!(made["id"], "task-000001");
}

#[tokio::test]
async fn every_trigger_ends_in_a_task() {
    let agent = agent().await;
    for version in VERSIONS {
        let client = client(&agent, version);
        for (trigger, expected) in [
            ("message", "completed"),
            ("chunks", "completed"),
            ("input-required", "input-required"),
            ("auth-required", "input-required"),
            ("fail", "failed"),
            ("reject", "failed"),
            ("file", "completed"),
            ("data", "completed"),
        ] {
            let task = client.result("tasks/send", send(&format!("{trigger}/{version}"), trigger)).await;
            assert_eq!(state(&task), expected, "{version} {trigger}");
            assert_eq!(task.get("history"), None, "nobody has asked for it");
            let is_indexed = |(index, artifact): (usize, &Value)| artifact["index"] == index;
            let artifacts = task["artifacts"].as_array().map(Vec::as_slice).unwrap_or_default();
            assert!(artifacts.iter().enumerate().all(is_indexed), "{task}");
        }
    }
}

#[tokio::test]
async fn long_work_is_shown_as_such() {
    let agent = agent_with(&[], 60_000).await;
    for version in VERSIONS {
        let client = client(&agent, version);
        let id = format!("slow/{version}");
        assert_eq!(state(&client.result("tasks/send", send(&id, "slow")).await), "working");
        // A further message is noted, and nobody waits.
        assert_eq!(state(&client.result("tasks/send", send(&id, "and hurry")).await), "working");
        let canceled = client.result("tasks/cancel", json!({ "id": id })).await;
        assert_eq!((state(&canceled), canceled.get("history")), ("canceled", None));
        assert_eq!(client.code("tasks/cancel", json!({ "id": id })).await, -32002);
    }
}

#[tokio::test]
async fn a_message_continues_a_task_that_has_ended() {
    let agent = agent_with(&[], 200).await;
    for version in VERSIONS {
        let client = client(&agent, version);
        let id = format!("again/{version}");
        client.result("tasks/send", send(&id, "complete one")).await;
        let task = client.result("tasks/send", send(&id, "complete two")).await;
        assert_eq!((&task["id"], state(&task)), (&json!(id), "completed"));
        let texts: Vec<_> = task["artifacts"].as_array().unwrap().iter().map(|a| &a["parts"][0]["text"]).collect();
        assert_eq!(texts, ["complete one", "complete two"]);
        assert_eq!(task["artifacts"][1]["index"], 1);

        // The work of a canceled task does not come back with the next message.
        let id = format!("canceled/{version}");
        client.result("tasks/send", send(&id, "slow")).await;
        let canceled = client.result("tasks/cancel", json!({ "id": id })).await;
        let before = canceled["artifacts"].as_array().map_or(0, Vec::len);
        client.result("tasks/send", send(&id, "slow")).await;
        let task = client.wait_for("tasks/get", &json!(id), "completed").await;
        assert_eq!(task["artifacts"].as_array().unwrap().len(), before + 1, "{task}");
    }
}

#[tokio::test]
async fn a_question_is_answered_under_the_id_alone() {
    let agent = agent().await;
    for version in VERSIONS {
        let client = client(&agent, version);
        let id = format!("asking/{version}");
        let mut first = send(&id, "input-required");
        first["historyLength"] = json!(5);
        let asking = client.result("tasks/send", first).await;
        let question = asking["status"]["message"].clone();
        assert_eq!(question["role"], "agent");
        assert_eq!(asking["history"].as_array().unwrap().len(), 1);
        let done = client.result("tasks/send", send(&id, "blue")).await;
        assert_eq!((state(&done), done.get("history")), ("completed", None));
        let shown = client.result("tasks/get", json!({ "id": id, "historyLength": 2 })).await;
        assert_eq!(shown["history"][0], question);
        assert_eq!(shown["history"][1]["parts"][0]["text"], "blue");
        for none in
            [json!({ "id": id }), json!({ "id": id, "historyLength": 0 }), json!({ "id": id, "historyLength": null })]
        {
            assert_eq!(client.result("tasks/get", none).await, done);
        }
        // Another session than that of the task.
        let mut elsewhere = send(&id, "blue");
        elsewhere["sessionId"] = json!("another");
        let refused = client.respond("tasks/send", elsewhere).await["error"].take();
        assert_eq!((&refused["code"], &refused["data"]["field"]), (&json!(-32602), &json!("sessionId")));
    }
}

#[tokio::test]
async fn a_stream_has_updates_and_ends_with_a_final_one() {
    let agent = agent().await;
    for version in VERSIONS {
        let client = client(&agent, version);
        for (trigger, end) in [("chunks", "completed"), ("input-required", "input-required"), ("fail", "failed")] {
            let id = format!("stream/{trigger}/{version}");
            let events = client.events("tasks/sendSubscribe", send(&id, trigger)).await;
            assert!(events.iter().all(|event| event["id"] == json!(id)), "{events:?}");
            let (last, before) = events.split_last().unwrap();
            assert_eq!((state(last), &last["final"]), (end, &json!(true)));
            assert!(before.iter().all(|event| event.get("final") != Some(&json!(true))));
            assert_eq!((state(&events[0]), state(&events[1])), ("submitted", "working"));
            // Whoever comes later is told the same, in the same words.
            assert_eq!(client.events("tasks/resubscribe", json!({ "id": id })).await, std::slice::from_ref(last));
        }
        let id = format!("stream/chunks/{version}");
        let events = client.events("tasks/sendSubscribe", send(&id, "chunks")).await;
        let chunks: Vec<&Value> = events.iter().filter_map(|event| event.get("artifact")).collect();
        let told = |chunk: &Value| (chunk["index"].clone(), chunk["append"].clone(), chunk["lastChunk"].clone());
        // Behind the two artifacts of the turn before.
        assert_eq!(told(chunks[0]), (json!(2), json!(false), json!(false)));
        assert_eq!(told(chunks[4]), (json!(2), json!(true), json!(true)));
        assert_eq!(told(chunks[5]), (json!(3), json!(false), json!(true)));
        let task = client.result("tasks/get", json!({ "id": id })).await;
        assert_eq!(task["artifacts"][2]["parts"].as_array().unwrap().len(), 5);
        assert!(task["artifacts"][2].get("append").is_none());
    }
}

#[tokio::test]
async fn a_subscriber_is_told_what_follows() {
    let agent = agent_with(&[], 400).await;
    for version in VERSIONS {
        let client = client(&agent, version);
        let id = format!("followed/{version}");
        client.result("tasks/send", send(&id, "slow")).await;
        let params = json!({ "id": id, "historyLength": 3, "metadata": {} });
        let mut events = client.stream("tasks/resubscribe", params).await;
        let first = events.next().await.unwrap();
        assert_eq!((state(&first), &first["final"]), ("working", &json!(false)));
        let rest = events.all().await;
        assert!(rest.iter().any(|event| event.get("artifact").is_some()));
        assert_eq!(rest.last().unwrap()["final"], true);
    }
}

#[tokio::test]
async fn streams_of_0_1_are_refused_by_status() {
    let agent = agent().await;
    let deaf = agent_with(&[Capability::Streaming], 300).await;
    for (agent, method, params, status, code) in [
        (&agent, "tasks/sendSubscribe", json!({}), 400, -32602),
        (&agent, "tasks/resubscribe", json!({ "id": "nobody" }), 404, -32001),
        (&deaf, "tasks/sendSubscribe", send("t", "complete"), 400, -32004),
        (&deaf, "tasks/resubscribe", json!({ "id": "nobody" }), 400, -32004),
    ] {
        let refused = client(agent, "0.1").raw(call(method, params.clone())).await;
        assert_eq!((refused.status, &refused.json()["error"]["code"]), (status, &json!(code)), "{method}");
        assert_eq!(client(agent, "proposal").code(method, params).await, code);
    }
}

#[tokio::test]
async fn a_task_has_one_push_configuration() {
    let agent = agent().await;
    for version in VERSIONS {
        let client = client(&agent, version);
        let id = format!("push/{version}");
        let mut params = send(&id, "input-required");
        params["pushNotification"] = json!({ "url": "http://127.0.0.1:9/sent", "token": "secret" });
        let expected = json!({ "id": id, "pushNotificationConfig": params["pushNotification"] });
        client.result("tasks/send", params).await;
        assert_eq!(client.result("tasks/pushNotification/get", json!({ "id": id })).await, expected);
        let set = json!({ "id": id, "pushNotificationConfig": {
            "url": "http://127.0.0.1:9/set", "authentication": { "schemes": ["Bearer", "Basic"], "credentials": "x" },
        } });
        assert_eq!(client.result("tasks/pushNotification/set", set.clone()).await, set);
        assert_eq!(client.result("tasks/pushNotification/get", json!({ "id": id })).await, set);
        assert_eq!(client.code("tasks/pushNotification/get", json!({ "id": "nobody" })).await, -32001);
        assert_eq!(
            client.code("tasks/pushNotification/set", json!({ "id": id, "pushNotificationConfig": {} })).await,
            -32602
        );

        let bare = format!("bare/{version}");
        client.result("tasks/send", send(&bare, "complete")).await;
        let none = client.respond("tasks/pushNotification/get", json!({ "id": bare })).await;
        match version {
            "0.1" => assert_eq!(none["result"], Value::Null),
            _ => assert_eq!(none["error"]["code"], -32001),
        }
    }
    let without = agent_with(&[Capability::Push], 300).await;
    let set = json!({ "id": "t", "pushNotificationConfig": { "url": "http://127.0.0.1:9/" } });
    assert_eq!(client(&without, "0.1").code("tasks/pushNotification/set", set).await, -32003);
}

#[tokio::test]
async fn a_webhook_is_told_of_every_turn() {
    let agent = agent().await;
    let (url, mut notifications) = webhook().await;
    for version in VERSIONS {
        let client = client(&agent, version);
        let id = format!("told/{version}");
        let mut params = send(&id, "complete");
        params["pushNotification"] = json!({ "url": url });
        client.result("tasks/send", params).await;
        client.result("tasks/send", send(&id, "fail")).await;
        let mut states = Vec::new();
        while states.last().is_none_or(|state| state != "failed") {
            let (_, body) = next(&mut notifications).await;
            assert_eq!((&body["id"], body.get("history")), (&json!(id), None));
            states.push(state(&body).to_owned());
        }
        assert_eq!(states, ["working", "completed", "submitted", "working", "failed"]);
    }
}

#[tokio::test]
async fn what_came_later_is_not_there() {
    let agent = agent().await;
    for version in VERSIONS {
        let client = client(&agent, version);
        for method in ["message/send", "tasks/list", "tasks/pushNotificationConfig/set", "SendMessage"] {
            assert_eq!(client.code(method, json!({})).await, -32601, "{version} {method}");
        }
        let served = answer(client.request(call("tasks/get", json!({}))).header("A2A-Version", "1.0")).await;
        assert_eq!(served.json()["error"]["code"], -32602);
    }
}

#[tokio::test]
async fn parts_say_their_type() {
    let agent = agent().await;
    for version in VERSIONS {
        let client = client(&agent, version);
        let parts = json!([
            { "type": "text", "text": "complete", "metadata": { "a": 1 } },
            { "type": "file", "file": { "name": "a.txt", "mimeType": "text/plain", "bytes": "Zm9v" }, "metadata": { "a": 1 } },
            { "type": "file", "file": { "uri": "https://example.com/b" }, "metadata": { "a": 1 } },
            { "type": "data", "data": { "b": [2] }, "metadata": { "a": 1 } },
        ]);
        let id = format!("parts/{version}");
        let params = json!({ "id": id, "historyLength": 1, "message": { "role": "user", "parts": parts } });
        let task = client.result("tasks/send", params).await;
        assert_eq!(task["history"], json!([{ "role": "user", "parts": parts }]));
        // The sketch of the proposal has metadata in every part.
        let metadata = task["artifacts"][0]["parts"][0].get("metadata");
        assert_eq!(metadata, (version == "proposal").then_some(&json!({})));
        // What another version reads of it is whole, too.
        let of_1_0 = Client::v1_0(&agent).result("GetTask", json!({ "id": id })).await;
        assert!(of_1_0["history"][0]["messageId"].as_str().is_some_and(|id| !id.is_empty()), "{of_1_0}");
    }
}
