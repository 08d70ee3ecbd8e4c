//! A2A 0.3.

use a2a_reference_agent::Capability;
use serde_json::{Value, json};

use crate::client::{Client, agent, agent_with};

fn message(text: &str) -> Value {
    let parts = json!([{ "kind": "text", "text": text }]);
    json!({ "message": { "kind": "message", "messageId": "m-1", "role": "user", "parts": parts } })
}

fn summary(events: &[Value]) -> Vec<String> {
    events
        .iter()
        .map(|event| {
            let state = event["status"]["state"].as_str().unwrap_or_default();
            format!("{} {state} {}", event["kind"].as_str().unwrap(), event.get("final").unwrap_or(&Value::Null))
        })
        .collect()
}

#[tokio::test]
async fn a_message_becomes_a_completed_task() {
    let agent = agent().await;
    let result = Client::v0_3(&agent).result("message/send", message("complete")).await;
    let timestamp = result["status"]["timestamp"].clone();
    assert_eq!(
        result,
        json!({
            "kind": "task",
            "id": "task-000001",
            "contextId": "context-000001",
            "status": { "state": "completed", "timestamp": timestamp },
            "artifacts": [{
                "artifactId": "artifact-000001",
                "name": "echo",
                "parts": [{ "kind": "text", "text": "complete" }],
            }],
            "history": [{
                "kind": "message",
                "messageId": "m-1",
                "contextId": "context-000001",
                "taskId": "task-000001",
                "role": "user",
                "parts": [{ "kind": "text", "text": "complete" }],
            }],
        }),
    );
    agent.stop().await;
}

#[tokio::test]
async fn results_say_what_they_are() {
    let agent = agent().await;
    let client = Client::v0_3(&agent);
    assert_eq!(client.result("message/send", message("message")).await["kind"], "message");
    let file = client.result("message/send", message("file")).await;
    assert_eq!(
        file["artifacts"][0]["parts"][1],
        json!({ "kind": "file", "file": {
            "uri": "https://example.com/picture.png", "name": "picture.png", "mimeType": "image/png",
        } }),
    );
    let data = client.result("message/send", message("data")).await;
    assert_eq!(data["artifacts"][0]["parts"][0]["kind"], "data");
    let id = json!({ "id": file["id"] });
    assert_eq!(client.result("tasks/get", id).await, file);
}

#[tokio::test]
async fn the_last_event_of_a_stream_is_final() {
    let agent = agent().await;
    let client = Client::v0_3(&agent);
    let complete = client.events("message/stream", message("complete")).await;
    assert_eq!(
        summary(&complete),
        ["task submitted null", "status-update working false", "artifact-update  null", "status-update completed true",],
    );
    for text in ["input-required", "auth-required"] {
        let events = client.events("message/stream", message(text)).await;
        assert_eq!(summary(&events).last().unwrap(), &format!("status-update {text} true"));

        let id = json!({ "id": events[0]["id"] });
        let mut subscription = client.stream("tasks/resubscribe", id.clone()).await;
        assert_eq!(subscription.next().await.unwrap()["status"]["state"], text);
        let canceled = client.result("tasks/cancel", id.clone()).await;
        assert_eq!(canceled["status"]["state"], "canceled");
        assert_eq!(summary(&[subscription.next().await.unwrap()]), ["status-update canceled true"]);
        assert_eq!(subscription.next().await, None);
        // A finished task is shown once.
        assert_eq!(client.events("tasks/resubscribe", id).await, [canceled]);
    }
}

#[tokio::test]
async fn blocking_is_the_clients_choice() {
    let agent = agent_with(&[], 60_000).await;
    let client = Client::v0_3(&agent);
    let mut params = message("slow");
    params["configuration"] = json!({ "blocking": false });
    let task = client.result("message/send", params).await;
    assert_eq!(task["status"]["state"], "submitted");
    client.wait_for("tasks/get", &task["id"], "working").await;
    client.result("tasks/cancel", json!({ "id": task["id"] })).await;
    let mut params = message("complete");
    params["configuration"] = json!({ "blocking": true });
    assert_eq!(client.result("message/send", params).await["status"]["state"], "completed");
}

#[tokio::test]
async fn errors_have_their_codes() {
    let agent = agent().await;
    let client = Client::v0_3(&agent);
    let task = client.result("message/send", message("complete")).await;
    let id = json!({ "id": task["id"] });
    let mut further = message("more");
    further["message"]["taskId"] = task["id"].clone();
    assert_eq!(client.code("message/send", further).await, -32004);
    assert_eq!(client.code("tasks/cancel", id).await, -32002);
    assert_eq!(client.code("tasks/get", json!({ "id": "nobody" })).await, -32001);
    assert_eq!(client.code("message/send", json!({})).await, -32602);
    assert_eq!(client.code("SendMessage", message("complete")).await, -32601);
    assert_eq!(client.code("tasks/list", json!({})).await, -32601);
}

#[tokio::test]
async fn push_configurations_are_kept() {
    let agent = agent().await;
    let client = Client::v0_3(&agent);
    let task = client.result("message/send", message("input-required")).await;
    let config = json!({
        "id": "mine",
        "url": "http://127.0.0.1:9/hook",
        "token": "secret",
        "authentication": { "schemes": ["Bearer", "Basic"], "credentials": "x" },
    });
    let stored = json!({ "taskId": task["id"], "pushNotificationConfig": config });
    assert_eq!(client.result("tasks/pushNotificationConfig/set", stored.clone()).await, stored);
    let id = json!({ "id": task["id"] });
    assert_eq!(client.result("tasks/pushNotificationConfig/get", id.clone()).await, stored);
    let named = json!({ "id": task["id"], "pushNotificationConfigId": "mine" });
    assert_eq!(client.result("tasks/pushNotificationConfig/get", named.clone()).await, stored);
    assert_eq!(client.result("tasks/pushNotificationConfig/list", id.clone()).await, json!([stored]));
    let deleted = client.respond("tasks/pushNotificationConfig/delete", named.clone()).await;
    assert_eq!(deleted, json!({ "jsonrpc": "2.0", "id": "call", "result": null }));
    assert_eq!(client.result("tasks/pushNotificationConfig/list", id).await, json!([]));
    assert_eq!(client.code("tasks/pushNotificationConfig/get", named).await, -32001);
}

#[tokio::test]
async fn capabilities_that_are_off_are_refused() {
    let agent = agent_with(&Capability::ALL, 300).await;
    let client = Client::v0_3(&agent);
    assert_eq!(client.code("message/stream", message("complete")).await, -32004);
    assert_eq!(client.code("tasks/resubscribe", json!({ "id": "x" })).await, -32004);
    assert_eq!(client.code("tasks/pushNotificationConfig/list", json!({ "id": "x" })).await, -32003);
    assert_eq!(client.code("agent/getAuthenticatedExtendedCard", json!({})).await, -32007);
}
