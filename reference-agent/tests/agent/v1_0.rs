//! A2A 1.0.

use a2a_reference_agent::Capability;
use serde_json::{Value, json};

use crate::client::{Client, agent, agent_with, awaiting_agent};

fn message(text: &str) -> Value {
    json!({ "message": { "messageId": "m-1", "role": "ROLE_USER", "parts": [{ "text": text }] } })
}

fn follow_up(task: &Value, text: &str) -> Value {
    let mut params = message(text);
    params["message"]["taskId"] = task["id"].clone();
    params["message"]["messageId"] = json!("m-2");
    params
}

fn at_once(mut params: Value) -> Value {
    params["configuration"]["returnImmediately"] = json!(true);
    params
}

/// The state in an event of a stream; null where it has none.
fn state(event: &Value) -> &Value {
    let status = if event.get("task").is_some() { &event["task"] } else { &event["statusUpdate"] };
    &status["status"]["state"]
}

fn states(events: &[Value]) -> Vec<&str> {
    events.iter().filter_map(|event| state(event).as_str()).collect()
}

#[tokio::test]
async fn a_message_becomes_a_completed_task() {
    let agent = agent().await;
    let result = Client::v1_0(&agent).result("SendMessage", message("complete this")).await;
    let timestamp = result["task"]["status"]["timestamp"].clone();
    assert!(timestamp.as_str().unwrap().ends_with('Z'));
    assert_eq!(
        result,
        json!({ "task": {
            "id": "task-000001",
            "contextId": "context-000001",
            "status": { "state": "TASK_STATE_COMPLETED", "timestamp": timestamp },
            "artifacts": [{
                "artifactId": "artifact-000001",
                "name": "echo",
                "parts": [{ "text": "complete this" }],
            }],
            "history": [{
                "messageId": "m-1",
                "contextId": "context-000001",
                "taskId": "task-000001",
                "role": "ROLE_USER",
                "parts": [{ "text": "complete this" }],
            }],
        } }),
    );
    agent.stop().await;
}

#[tokio::test]
async fn a_message_can_be_answered_by_a_message() {
    let agent = agent().await;
    let client = Client::v1_0(&agent);
    let mut params = message("message please");
    params["message"]["contextId"] = json!("mine");
    let expected = json!({ "message": {
        "messageId": "message-000001",
        "contextId": "mine",
        "role": "ROLE_AGENT",
        "parts": [{ "text": "You said: message please" }],
    } });
    assert_eq!(client.result("SendMessage", params).await, expected);
    let events = client.events("SendStreamingMessage", message("message")).await;
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["message"]["role"], "ROLE_AGENT");
    assert_eq!(client.result("ListTasks", json!({})).await["totalSize"], 0);
}

#[tokio::test]
async fn every_trigger_leads_to_its_state() {
    let agent = agent().await;
    let client = Client::v1_0(&agent);
    for (text, state) in [
        ("complete", "TASK_STATE_COMPLETED"),
        ("slow", "TASK_STATE_COMPLETED"),
        ("chunks", "TASK_STATE_COMPLETED"),
        ("input-required", "TASK_STATE_INPUT_REQUIRED"),
        ("auth-required", "TASK_STATE_AUTH_REQUIRED"),
        ("fail", "TASK_STATE_FAILED"),
        ("reject", "TASK_STATE_REJECTED"),
        ("file", "TASK_STATE_COMPLETED"),
        ("data", "TASK_STATE_COMPLETED"),
    ] {
        let result = client.result("SendMessage", message(text)).await;
        assert_eq!(result["task"]["status"]["state"], state, "{text}");
    }
}

#[tokio::test]
async fn files_and_data_are_parts() {
    let agent = agent().await;
    let client = Client::v1_0(&agent);
    let result = client.result("SendMessage", message("file")).await;
    assert_eq!(
        result["task"]["artifacts"][0]["parts"],
        json!([
            {
                "raw": "SGVsbG8gZnJvbSB0aGUgcmVmZXJlbmNlIGFnZW50Lgo=",
                "filename": "greeting.txt",
                "mediaType": "text/plain",
            },
            { "url": "https://example.com/picture.png", "filename": "picture.png", "mediaType": "image/png" },
        ]),
    );
    let result = client.result("SendMessage", message("data")).await;
    let data = &result["task"]["artifacts"][0]["parts"][0]["data"];
    assert_eq!(data["null"], Value::Null);
    assert!(data.as_object().unwrap().contains_key("null"));
}

#[tokio::test]
async fn a_stream_begins_with_the_task_and_tells_every_event() {
    let agent = agent().await;
    let client = Client::v1_0(&agent);
    let events = client.events("SendStreamingMessage", message("chunks")).await;
    assert_eq!(states(&events), ["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]);
    assert!(events.iter().all(|event| event.as_object().unwrap().len() == 1));

    let chunks: Vec<&Value> = events.iter().filter_map(|event| event.get("artifactUpdate")).collect();
    assert_eq!(chunks.len(), 6);
    assert_eq!(chunks[0].get("append"), None);
    assert!(chunks[1..5].iter().all(|chunk| chunk["append"] == json!(true)));
    assert_eq!(chunks[3].get("lastChunk"), None);
    assert_eq!(chunks[4]["lastChunk"], json!(true));

    // The chunks add up to the artifact.
    let task = client.result("GetTask", json!({ "id": events[0]["task"]["id"] })).await;
    let parts: Vec<&Value> = chunks[..5].iter().map(|chunk| &chunk["artifact"]["parts"][0]).collect();
    assert_eq!(task["artifacts"][0]["parts"], json!(parts));
}

#[tokio::test]
async fn all_streams_of_a_task_tell_the_same() {
    let agent = agent().await;
    let client = Client::v1_0(&agent);
    let mut first = client.stream("SendStreamingMessage", message("slow")).await;
    let id = first.next().await.unwrap()["task"]["id"].clone();
    let subscription = client.events("SubscribeToTask", json!({ "id": id })).await;
    assert!(subscription[0].get("task").is_some());
    let mut whole = Vec::new();
    while let Some(event) = first.next().await {
        whole.push(event);
    }
    let told = &subscription[1..];
    assert!(!told.is_empty());
    assert_eq!(told, &whole[whole.len() - told.len()..]);
    assert_eq!(state(whole.last().unwrap()), "TASK_STATE_COMPLETED");
    assert_eq!(client.code("SubscribeToTask", json!({ "id": id })).await, -32004);
}

#[tokio::test]
async fn a_task_goes_on_without_its_client() {
    let agent = agent().await;
    let client = Client::v1_0(&agent);
    let mut stream = client.stream("SendStreamingMessage", message("slow")).await;
    let id = stream.next().await.unwrap()["task"]["id"].clone();
    drop(stream);
    client.wait_for("GetTask", &id, "TASK_STATE_COMPLETED").await;
}

#[tokio::test]
async fn a_question_waits_for_its_answer() {
    let agent = agent().await;
    let client = Client::v1_0(&agent);
    let events = client.events("SendStreamingMessage", message("input-required")).await;
    assert_eq!(states(&events), ["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "TASK_STATE_INPUT_REQUIRED"]);
    let task = events[0]["task"].clone();
    let mut subscription = client.stream("SubscribeToTask", json!({ "id": task["id"] })).await;
    assert_eq!(state(&subscription.next().await.unwrap()), "TASK_STATE_INPUT_REQUIRED");

    let events = client.events("SendStreamingMessage", follow_up(&task, "blue")).await;
    assert_eq!(states(&events), ["TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]);
    let history = events[0]["task"]["history"].as_array().unwrap();
    let said: Vec<&Value> = history.iter().map(|message| &message["parts"][0]["text"]).collect();
    assert_eq!(said, ["input-required", "Which colour would you like?", "blue"]);
    assert_eq!(history[2]["taskId"], task["id"]);
    assert_eq!(history[2]["contextId"], task["contextId"]);

    assert_eq!(state(&subscription.next().await.unwrap()), "TASK_STATE_WORKING");
    assert!(subscription.next().await.unwrap().get("artifactUpdate").is_some());
    assert_eq!(state(&subscription.next().await.unwrap()), "TASK_STATE_COMPLETED");
    assert_eq!(subscription.next().await, None);

    assert_eq!(client.code("SendMessage", follow_up(&task, "more")).await, -32004);
    assert_eq!(client.code("SendStreamingMessage", follow_up(&task, "more")).await, -32004);
}

#[tokio::test]
async fn a_stream_ends_where_authorization_is_awaited_and_a_subscription_goes_on() {
    let agent = agent().await;
    let client = Client::v1_0(&agent);
    let events = client.events("SendStreamingMessage", message("auth-required")).await;
    assert_eq!(states(&events).last(), Some(&"TASK_STATE_AUTH_REQUIRED"));
    let task = &events[0]["task"];
    let mut subscription = client.stream("SubscribeToTask", json!({ "id": task["id"] })).await;
    assert_eq!(state(&subscription.next().await.unwrap()), "TASK_STATE_AUTH_REQUIRED");
    client.result("SendMessage", follow_up(task, "granted")).await;
    assert_eq!(states(&subscription.all().await), ["TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]);
}

#[tokio::test]
async fn a_stream_stays_open_where_credentials_come_outside_the_protocol() {
    let agent = awaiting_agent().await;
    let client = Client::v1_0(&agent);
    let mut stream = client.stream("SendStreamingMessage", message("auth-required")).await;
    let task = stream.next().await.unwrap()["task"].clone();
    stream.next().await.unwrap();
    let event = stream.next().await.unwrap();
    assert_eq!(state(&event), "TASK_STATE_AUTH_REQUIRED");
    assert_eq!(event["statusUpdate"]["status"]["message"]["role"], "ROLE_AGENT");
    client.result("SendMessage", follow_up(&task, "granted")).await;
    assert_eq!(state(&stream.next().await.unwrap()), "TASK_STATE_WORKING");
    stream.next().await.unwrap();
    assert_eq!(state(&stream.next().await.unwrap()), "TASK_STATE_COMPLETED");
    assert_eq!(stream.next().await, None);
}

#[tokio::test]
async fn a_running_task_takes_messages_and_can_be_canceled() {
    let agent = agent_with(&[], 60_000).await;
    let client = Client::v1_0(&agent);
    let sent = client.result("SendMessage", at_once(message("slow"))).await;
    let task = &sent["task"];
    assert_eq!(task["status"]["state"], "TASK_STATE_SUBMITTED");
    let sent = client.result("SendMessage", at_once(follow_up(task, "faster"))).await;
    assert_eq!(sent["task"]["history"].as_array().unwrap().len(), 2);

    let mut stream = client.stream("SubscribeToTask", json!({ "id": task["id"] })).await;
    stream.next().await.unwrap();
    let canceled = client.result("CancelTask", json!({ "id": task["id"], "metadata": { "why": 1 } })).await;
    assert_eq!(canceled["status"]["state"], "TASK_STATE_CANCELED");
    let mut last = Value::Null;
    while let Some(event) = stream.next().await {
        last = event;
    }
    assert_eq!(last["statusUpdate"]["status"], canceled["status"]);

    assert_eq!(client.code("CancelTask", json!({ "id": task["id"] })).await, -32002);
    assert_eq!(client.code("CancelTask", json!({ "id": "nobody" })).await, -32001);
    // Nothing of the script comes after the end.
    assert_eq!(client.result("GetTask", json!({ "id": task["id"] })).await, canceled);
}

#[tokio::test]
async fn messages_must_fit_their_task() {
    let agent = agent().await;
    let client = Client::v1_0(&agent);
    let sent = client.result("SendMessage", message("input-required")).await;
    let mut mismatch = follow_up(&sent["task"], "x");
    mismatch["message"]["contextId"] = json!("another");
    let response = client.respond("SendMessage", mismatch).await;
    assert_eq!(response["error"]["code"], -32602);
    assert_eq!(response["error"]["data"][1]["fieldViolations"][0]["field"], "message.contextId", "{response}");
    let unknown = follow_up(&json!({ "id": "nobody" }), "x");
    let response = client.respond("SendMessage", unknown).await;
    assert_eq!(
        response["error"],
        json!({
            "code": -32001,
            "message": "there is no task `nobody`",
            "data": [{
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "TASK_NOT_FOUND",
                "domain": "a2a-protocol.org",
                "metadata": { "taskId": "nobody" },
            }],
        }),
    );
    // A refusal changes nothing.
    assert_eq!(client.result("GetTask", json!({ "id": sent["task"]["id"] })).await, sent["task"]);

    let mut foreign = message("complete");
    foreign["message"]["parts"][0]["mediaType"] = json!("audio/ogg");
    assert_eq!(client.code("SendMessage", foreign).await, -32005);
    assert_eq!(client.result("ListTasks", json!({})).await["totalSize"], 1);
}

#[tokio::test]
async fn history_is_cut_where_asked() {
    let agent = agent().await;
    let client = Client::v1_0(&agent);
    let sent = client.result("SendMessage", message("input-required")).await;
    let mut params = follow_up(&sent["task"], "blue");
    params["configuration"] = json!({ "historyLength": 1 });
    let sent = client.result("SendMessage", params).await;
    assert_eq!(sent["task"]["history"].as_array().unwrap().len(), 1);
    assert_eq!(sent["task"]["history"][0]["parts"][0]["text"], "blue");
    let id = &sent["task"]["id"];
    assert_eq!(client.result("GetTask", json!({ "id": id, "historyLength": 0 })).await.get("history"), None);
    let task = client.result("GetTask", json!({ "id": id, "historyLength": 2 })).await;
    assert_eq!(task["history"][0]["role"], "ROLE_AGENT");
    let list = client.result("ListTasks", json!({ "historyLength": 0 })).await;
    assert_eq!(list["tasks"][0].get("history"), None);
}

#[tokio::test]
async fn lists_have_pages() {
    let agent = agent().await;
    let client = Client::v1_0(&agent);
    for _ in 0..5 {
        client.result("SendMessage", message("complete")).await;
    }
    let mut seen = Vec::new();
    let mut token = json!("");
    loop {
        let page = client.result("ListTasks", json!({ "pageSize": 2, "pageToken": token })).await;
        assert_eq!((&page["pageSize"], &page["totalSize"]), (&json!(2), &json!(5)));
        for task in page["tasks"].as_array().unwrap() {
            assert_eq!(task.get("artifacts"), None);
            seen.push(task["id"].as_str().unwrap().to_owned());
        }
        token = page["nextPageToken"].clone();
        if token == "" {
            break;
        }
    }
    assert_eq!(seen, ["task-000005", "task-000004", "task-000003", "task-000002", "task-000001"]);
    let empty = client.result("ListTasks", json!({ "contextId": "nowhere" })).await;
    assert_eq!(empty, json!({ "tasks": [], "nextPageToken": "", "pageSize": 50, "totalSize": 0 }));
    let list = client.result("ListTasks", json!({ "includeArtifacts": true, "pageSize": 1 })).await;
    assert_eq!(list["tasks"][0]["artifacts"][0]["name"], "echo");
}

#[tokio::test]
async fn capabilities_that_are_off_are_refused() {
    let agent = agent_with(&Capability::ALL, 300).await;
    let client = Client::v1_0(&agent);
    let task = client.result("SendMessage", message("input-required")).await["task"].clone();
    for method in ["SendStreamingMessage", "SubscribeToTask"] {
        let mut params = message("complete");
        params["id"] = task["id"].clone();
        assert_eq!(client.code(method, params).await, -32004, "{method}");
    }
    let config = json!({ "taskId": task["id"], "id": "p", "url": "http://127.0.0.1:9/" });
    for method in [
        "CreateTaskPushNotificationConfig",
        "GetTaskPushNotificationConfig",
        "ListTaskPushNotificationConfigs",
        "DeleteTaskPushNotificationConfig",
    ] {
        assert_eq!(client.code(method, config.clone()).await, -32003, "{method}");
    }
    let mut params = message("complete");
    params["configuration"] = json!({ "taskPushNotificationConfig": { "url": "http://127.0.0.1:9/" } });
    assert_eq!(client.code("SendMessage", params).await, -32003);
    assert_eq!(client.code("GetExtendedAgentCard", json!({})).await, -32004);
}
