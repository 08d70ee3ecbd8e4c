//! A2A 0.2.1 and 0.2.5: what they share with 0.3, and what they have otherwise.

use a2a_reference_agent::{Capability, RunningAgent};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use serde_json::{Value, json};

use crate::client::{Answer, Client, agent, agent_with, answer, call};

const VERSIONS: [&str; 2] = ["0.2.5", "0.2.1"];

fn base(agent: &RunningAgent, version: &str) -> String {
    let bases = agent.bases();
    bases.into_iter().find(|(name, _)| *name == version).unwrap().1
}

fn client(agent: &RunningAgent, version: &str) -> Client {
    Client::below(&base(agent, version))
}

fn message(text: &str) -> Value {
    let parts = json!([{ "kind": "text", "text": text }]);
    json!({ "message": { "kind": "message", "messageId": "m-1", "role": "user", "parts": parts } })
}

async fn get(url: String) -> Answer {
    answer(crate::client::http().get(url)).await
}

#[tokio::test]
async fn each_version_has_its_base() {
    let agent = agent().await;
    let url = agent.url().to_owned();
    let unnamed = ["0.2.5", "0.2.1", "0.1", "proposal"].map(|version| (version, format!("{url}/{version}")));
    let named = [
        ("1.1-draft", format!("{url}/1.1-draft")),
        ("1.0", url.clone()),
        ("1.0-draft", format!("{url}/1.0-draft")),
        ("0.3", url.clone()),
    ];
    let expected: Vec<_> = named.into_iter().chain(unnamed).collect();
    assert_eq!(agent.bases(), expected);
    let interfaces = agent.interfaces();
    for version in VERSIONS {
        let interface = (format!("{url}/{version}/a2a"), format!("A2A {version}, JSONRPC"));
        assert!(interfaces.contains(&interface), "{interfaces:?}");
    }
}

#[tokio::test]
async fn the_card_leads_to_the_agent() {
    let agent = agent().await;
    for version in VERSIONS {
        let base = base(&agent, version);
        let card = get(format!("{base}/.well-known/agent.json")).await;
        assert_eq!(card.status, 200);
        assert_eq!(card.headers[CONTENT_TYPE], "application/json");
        let card = card.json();
        assert_eq!(card["url"], format!("{base}/a2a"));
        for later in ["protocolVersion", "preferredTransport", "additionalInterfaces", "supportedInterfaces"] {
            assert_eq!(card.get(later), None, "{version} {later}");
        }
        assert_eq!(get(format!("{base}/.well-known/agent-card.json")).await.status, 404);
    }
}

#[tokio::test]
async fn tasks_are_those_of_0_3() {
    let agent = agent().await;
    for version in VERSIONS {
        let client = client(&agent, version);
        for text in ["complete", "file", "data", "input-required"] {
            let task = client.result("message/send", message(text)).await;
            assert_eq!(task["kind"], "task");
            let id = json!({ "id": task["id"] });
            assert_eq!(client.result("tasks/get", id.clone()).await, task);
            assert_eq!(Client::v0_3(&agent).result("tasks/get", id).await, task);
        }
        assert_eq!(client.result("message/send", message("message")).await["kind"], "message");
    }
}

#[tokio::test]
async fn files_come_as_bytes_and_by_url() {
    let agent = agent().await;
    for version in VERSIONS {
        let task = client(&agent, version).result("message/send", message("file")).await;
        let parts = task["artifacts"][0]["parts"].as_array().unwrap();
        assert!(parts[0]["file"]["bytes"].is_string());
        assert_eq!(parts[1]["file"]["uri"], "https://example.com/picture.png");
        assert!(parts.iter().all(|part| part["file"]["mimeType"].is_string()));
    }
}

#[tokio::test]
async fn the_last_event_of_a_stream_is_final() {
    let agent = agent().await;
    for version in VERSIONS {
        let client = client(&agent, version);
        let events = client.events("message/stream", message("chunks")).await;
        assert_eq!(events[0]["kind"], "task");
        let (last, before) = events.split_last().unwrap();
        assert_eq!((&last["kind"], &last["final"]), (&json!("status-update"), &json!(true)));
        assert!(before.iter().all(|event| event.get("final") != Some(&json!(true))));
        let task = client.result("tasks/get", json!({ "id": events[0]["id"] })).await;
        assert_eq!(client.events("tasks/resubscribe", json!({ "id": task["id"] })).await, [task]);
    }
}

#[tokio::test]
async fn streams_are_refused_by_a_status_that_has_the_error_with_it() {
    let agent = agent().await;
    let deaf = agent_with(&[Capability::Streaming], 300).await;
    for version in VERSIONS {
        let (client, deaf) = (client(&agent, version), client(&deaf, version));
        let ended = client.result("message/send", message("complete")).await;
        let mut further = message("more");
        further["message"]["taskId"] = ended["id"].clone();
        for (client, method, params, status, code) in [
            (&client, "message/stream", json!({}), 400, -32602),
            (&client, "message/stream", further, 400, -32004),
            (&client, "tasks/resubscribe", json!({}), 400, -32602),
            (&client, "tasks/resubscribe", json!({ "id": "nobody" }), 404, -32001),
            (&deaf, "message/stream", message("complete"), 400, -32004),
            (&deaf, "tasks/resubscribe", json!({ "id": "nobody" }), 400, -32004),
        ] {
            let refused = client.raw(call(method, params)).await;
            assert_eq!(
                (refused.status, &refused.headers[CONTENT_TYPE]),
                (status, &"application/json".parse().unwrap())
            );
            let response = refused.json();
            assert_eq!((&response["id"], &response["error"]["code"]), (&json!("call"), &json!(code)), "{response}");
        }
        // What is no stream is answered as ever.
        assert_eq!(client.code("message/send", json!({})).await, -32602);
    }
    // 0.3 has no such rule.
    assert_eq!(Client::v0_3(&agent).code("message/stream", json!({})).await, -32602);
}

#[tokio::test]
async fn what_came_later_is_not_there() {
    let agent = agent().await;
    for version in VERSIONS {
        let client = client(&agent, version);
        for method in ["agent/getAuthenticatedExtendedCard", "tasks/list", "SendMessage", "tasks/send"] {
            assert_eq!(client.code(method, json!({})).await, -32601, "{version} {method}");
        }
        assert_eq!(get(format!("{}/v1/tasks", base(&agent, version))).await.status, 404);
        // There is no header for versions yet, so it says nothing.
        let body = call("tasks/get", json!({}));
        let served = answer(client.request(body).header("A2A-Version", "1.0")).await;
        assert_eq!(served.json()["error"]["code"], -32602);
    }
}

#[tokio::test]
async fn the_extended_card_is_got_by_http() {
    let agent = agent().await;
    let without = agent_with(&[Capability::ExtendedCard], 300).await;
    for version in VERSIONS {
        let url = format!("{}/agent/authenticatedExtendedCard", base(&agent, version));
        let refused = get(url.clone()).await;
        assert_eq!(
            (refused.status, &refused.headers[WWW_AUTHENTICATE]),
            (401, &"Bearer realm=\"a2a\"".parse().unwrap())
        );
        let served = answer(crate::client::http().get(url).header(AUTHORIZATION, "Bearer x")).await;
        assert_eq!(served.status, 200);
        let mut extended = served.json();
        assert_eq!(extended["skills"].as_array_mut().unwrap().pop().unwrap()["id"], "inner-circle");
        let public = get(format!("{}/.well-known/agent.json", base(&agent, version))).await.json();
        assert_eq!(extended, public);
        assert_eq!(public["supportsAuthenticatedExtendedCard"], true);

        let missing = get(format!("{}/agent/authenticatedExtendedCard", base(&without, version))).await;
        assert_eq!(missing.status, 404);
    }
}

#[tokio::test]
async fn push_configurations_of_0_2_5_are_those_of_0_3() {
    let agent = agent().await;
    let client = client(&agent, "0.2.5");
    let task = client.result("message/send", message("input-required")).await;
    let id = json!({ "id": task["id"] });
    let set = |config: Value| json!({ "taskId": task["id"], "pushNotificationConfig": config });
    let made = client.result("tasks/pushNotificationConfig/set", set(json!({ "url": "http://127.0.0.1:9/a" }))).await;
    assert!(made["pushNotificationConfig"]["id"].is_string());
    let named = set(json!({ "id": "mine", "url": "http://127.0.0.1:9/b" }));
    assert_eq!(client.result("tasks/pushNotificationConfig/set", named.clone()).await, named);
    assert_eq!(client.result("tasks/pushNotificationConfig/list", id.clone()).await, json!([named, made]));
    let name = json!({ "id": task["id"], "pushNotificationConfigId": "mine" });
    assert_eq!(client.result("tasks/pushNotificationConfig/get", name.clone()).await, named);
    assert_eq!(client.result("tasks/pushNotificationConfig/delete", name).await, json!(null));
    assert_eq!(client.result("tasks/pushNotificationConfig/get", id).await, made);
}

#[tokio::test]
async fn a_task_of_0_2_1_has_one_push_configuration() {
    let agent = agent().await;
    let client = client(&agent, "0.2.1");
    let mut params = message("input-required");
    params["configuration"] = json!({ "pushNotificationConfig": { "url": "http://127.0.0.1:9/sent" } });
    let task = client.result("message/send", params).await;
    let id = json!({ "id": task["id"] });
    let sent = client.result("tasks/pushNotificationConfig/get", id.clone()).await;
    assert_eq!(sent["pushNotificationConfig"]["url"], "http://127.0.0.1:9/sent");
    for url in ["http://127.0.0.1:9/z", "http://127.0.0.1:9/a"] {
        let set = json!({ "taskId": task["id"], "pushNotificationConfig": { "url": url } });
        let set = client.result("tasks/pushNotificationConfig/set", set).await;
        assert_eq!(set["pushNotificationConfig"]["url"], url);
        // The request has no room for an id: one that is there all the same says nothing.
        let with_id = json!({ "id": task["id"], "pushNotificationConfigId": "another" });
        assert_eq!(client.result("tasks/pushNotificationConfig/get", with_id).await, set);
        let all = Client::v0_3(&agent).result("tasks/pushNotificationConfig/list", id.clone()).await;
        assert_eq!(all, json!([set]));
    }
    for method in ["list", "delete"] {
        let method = format!("tasks/pushNotificationConfig/{method}");
        assert_eq!(client.code(&method, id.clone()).await, -32601);
    }
}

#[tokio::test]
async fn extensions_came_with_0_2_5() {
    let agent = agent().await;
    let uri = "urn:a2aspec:triggers:v1";
    for (version, has_extensions) in [("0.2.5", true), ("0.2.1", false)] {
        let client = client(&agent, version);
        let mut params = message("complete");
        params["message"]["extensions"] = json!([uri]);
        let body = call("message/send", params);
        let answer = answer(client.request(body).header("X-A2A-Extensions", uri)).await;
        assert_eq!(answer.headers.contains_key("x-a2a-extensions"), has_extensions, "{version}");
        let task = answer.json()["result"].take();
        assert_eq!(task["history"][0].get("extensions").is_some(), has_extensions, "{version}");
        // A message that another version has brought is shown without them, too.
        let mut params = message("complete");
        params["message"]["extensions"] = json!([uri]);
        let task = Client::v0_3(&agent).result("message/send", params).await;
        let shown = client.result("tasks/get", json!({ "id": task["id"] })).await;
        assert_eq!(shown["history"][0].get("extensions").is_some(), has_extensions, "{version}");
    }
}
