//! Push notifications, as a webhook sees them.

use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::client::{Client, PATIENCE, agent};

/// The headers and the body of a notification.
pub type Received = (HeaderMap, Value);

/// A webhook, and what it receives. It refuses everything, which must not matter.
pub async fn webhook() -> (String, mpsc::UnboundedReceiver<Received>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let receive = post(async move |headers: HeaderMap, body: Bytes| {
        sender.send((headers, serde_json::from_slice(&body).unwrap())).unwrap();
        StatusCode::INTERNAL_SERVER_ERROR
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, Router::new().route("/hook", receive)).await });
    (url, receiver)
}

/// The next thing that a webhook receives.
pub async fn next(receiver: &mut mpsc::UnboundedReceiver<Received>) -> Received {
    tokio::time::timeout(PATIENCE, receiver.recv()).await.unwrap().unwrap()
}

#[tokio::test]
async fn the_draft_tells_the_events_of_its_streams() {
    let agent = agent().await;
    let client = Client::v1_0_draft(&agent);
    let (url, mut receiver) = webhook().await;
    let config = json!({ "url": url, "authentication": { "schemes": ["Bearer", "Basic"], "credentials": "secret" } });
    let message = json!({ "messageId": "m", "role": "user", "parts": [{ "text": "complete" }] });
    let params = json!({ "message": message, "configuration": { "blocking": true, "pushNotificationConfig": config } });
    let task = client.result("SendMessage", params).await;

    let (headers, working) = next(&mut receiver).await;
    assert_eq!(headers["content-type"], "application/json");
    assert_eq!(headers["authorization"], "Bearer secret");
    assert_eq!(
        (&working["statusUpdate"]["status"]["state"], &working["statusUpdate"]["final"]),
        (&json!("working"), &json!(false))
    );
    let (_, artifact) = next(&mut receiver).await;
    assert_eq!(artifact["artifactUpdate"]["artifact"], task["artifacts"][0]);
    let (_, completed) = next(&mut receiver).await;
    assert_eq!(
        (&completed["statusUpdate"]["status"], &completed["statusUpdate"]["final"]),
        (&task["status"], &json!(true))
    );
}

#[tokio::test]
async fn a_webhook_is_told_every_event_in_order() {
    let agent = agent().await;
    let client = Client::v1_0(&agent);
    let (url, mut receiver) = webhook().await;
    let config = json!({
        "url": url,
        "token": "recognise me",
        "authentication": { "scheme": "Bearer", "credentials": "secret" },
    });
    let message = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "complete" }] });
    let params = json!({ "message": message, "configuration": { "taskPushNotificationConfig": config } });
    let sent = client.result("SendMessage", params).await;

    let (headers, working) = next(&mut receiver).await;
    assert_eq!(headers["content-type"], "application/a2a+json");
    assert_eq!(headers["authorization"], "Bearer secret");
    assert_eq!(headers["x-a2a-notification-token"], "recognise me");
    assert_eq!(working["statusUpdate"]["status"]["state"], "TASK_STATE_WORKING");
    assert_eq!(working["statusUpdate"]["taskId"], sent["task"]["id"]);
    let (_, artifact) = next(&mut receiver).await;
    assert_eq!(artifact["artifactUpdate"]["artifact"], sent["task"]["artifacts"][0]);
    let (_, completed) = next(&mut receiver).await;
    assert_eq!(completed["statusUpdate"]["status"], sent["task"]["status"]);
}

#[tokio::test]
async fn an_old_webhook_is_told_the_task() {
    let agent = agent().await;
    let client = Client::v0_3(&agent);
    let (url, mut receiver) = webhook().await;
    let message = json!({ "messageId": "m", "role": "user", "parts": [{ "kind": "text", "text": "complete" }] });
    let params = json!({ "message": message, "configuration": { "pushNotificationConfig": { "url": url } } });
    let task = client.result("message/send", params).await;
    let (headers, working) = next(&mut receiver).await;
    assert_eq!(headers["content-type"], "application/json");
    assert_eq!(headers.get("authorization"), None);
    assert_eq!((&working["kind"], &working["status"]["state"]), (&json!("task"), &json!("working")));
    let (_, completed) = next(&mut receiver).await;
    assert_eq!(completed, task);
}

#[tokio::test]
async fn configurations_can_be_managed() {
    let agent = agent().await;
    let client = Client::v1_0(&agent);
    let (url, mut receiver) = webhook().await;
    let message = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "input-required" }] });
    let task = client.result("SendMessage", json!({ "message": message })).await["task"].clone();
    let id = &task["id"];

    let made = client.result("CreateTaskPushNotificationConfig", json!({ "taskId": id, "url": url })).await;
    assert_eq!(made, json!({ "id": "push-000001", "taskId": id, "url": url }));
    let named = json!({ "taskId": id, "id": "mine", "url": url });
    assert_eq!(client.result("CreateTaskPushNotificationConfig", named.clone()).await, named);
    let list = client.result("ListTaskPushNotificationConfigs", json!({ "taskId": id })).await;
    assert_eq!(list, json!({ "configs": [named, made] }));
    let page = client.result("ListTaskPushNotificationConfigs", json!({ "taskId": id, "pageSize": 1 })).await;
    assert_eq!(page["configs"], json!([named]));
    let rest = json!({ "taskId": id, "pageSize": 1, "pageToken": page["nextPageToken"] });
    let rest = client.result("ListTaskPushNotificationConfigs", rest).await;
    assert_eq!(rest, json!({ "configs": [made] }));

    let mine = json!({ "taskId": id, "id": "mine" });
    assert_eq!(client.result("GetTaskPushNotificationConfig", mine.clone()).await, named);
    for _ in 0..2 {
        assert_eq!(client.result("DeleteTaskPushNotificationConfig", mine.clone()).await, json!({}));
    }
    assert_eq!(client.code("GetTaskPushNotificationConfig", mine).await, -32001);

    // Only the one that is left is told of the end.
    client.result("CancelTask", json!({ "id": id })).await;
    let (_, canceled) = next(&mut receiver).await;
    assert_eq!(canceled["statusUpdate"]["status"]["state"], "TASK_STATE_CANCELED");
    let more = tokio::time::timeout(Duration::from_millis(100), receiver.recv()).await;
    assert!(more.is_err(), "{more:?}");
}

#[tokio::test]
async fn unusable_webhooks_are_refused() {
    let agent = agent().await;
    let client = Client::v1_0(&agent);
    let message = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "input-required" }] });
    let task = client.result("SendMessage", json!({ "message": message })).await["task"].clone();
    for url in ["", "file:///etc/passwd", "/hook", "http://user@host/"] {
        let config = json!({ "taskId": task["id"], "url": url });
        let response = client.respond("CreateTaskPushNotificationConfig", config).await;
        assert_eq!(response["error"]["code"], -32602, "{url}");
        assert_eq!(response["error"]["data"][1]["fieldViolations"][0]["field"], "url");
    }
    let config = json!({ "taskId": "nobody", "url": "http://127.0.0.1:9/" });
    assert_eq!(client.code("CreateTaskPushNotificationConfig", config).await, -32001);
    let params = json!({ "message": message, "configuration": { "taskPushNotificationConfig": { "url": "x:" } } });
    let response = client.respond("SendMessage", params).await;
    assert_eq!(
        response["error"]["data"][1]["fieldViolations"][0]["field"],
        "configuration.taskPushNotificationConfig.url",
    );
}
