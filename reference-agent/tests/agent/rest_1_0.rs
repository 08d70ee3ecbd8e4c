//! A2A 1.0 over HTTP+JSON.

use a2a_reference_agent::Capability;
use reqwest::Method;
use reqwest::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use serde_json::{Value, json};

use crate::client::{Client, agent, agent_with, answer};
use crate::rest_client::{Rest, refusal};

fn message(text: &str) -> Value {
    json!({ "message": { "messageId": "m-1", "role": "ROLE_USER", "parts": [{ "text": text }] } })
}

/// A task that waits for a message, and its id.
async fn waiting(rest: &Rest) -> (Value, String) {
    let task = rest.post("/message:send", message("input-required")).await["task"].take();
    let id = task["id"].as_str().unwrap().to_owned();
    (task, id)
}

/// What is said of invalid parameters.
fn invalid() -> (u16, Option<String>) {
    (400, Some("INVALID_PARAMS".to_owned()))
}

#[tokio::test]
async fn messages_become_tasks_or_messages() {
    let agent = agent().await;
    let rest = Rest::v1_0(&agent);
    let sent = rest.post("/message:send", message("complete")).await;
    assert_eq!(sent["task"]["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(sent.as_object().unwrap().len(), 1);
    assert_eq!(rest.get("/tasks/task-000001").await, sent["task"]);
    let sent = rest.post("/message:send", message("message")).await;
    assert_eq!(sent["message"]["role"], "ROLE_AGENT");
}

#[tokio::test]
async fn tasks_are_those_of_json_rpc() {
    let agent = agent().await;
    let (rest, rpc) = (Rest::v1_0(&agent), Client::v1_0(&agent));
    let sent = rpc.result("SendMessage", message("data")).await;
    assert_eq!(rest.get("/tasks/task-000001").await, sent["task"]);
    let listed = rpc.result("ListTasks", json!({ "includeArtifacts": true })).await;
    assert_eq!(rest.get("/tasks?includeArtifacts=true").await, listed);
}

#[tokio::test]
async fn streams_hold_bare_events() {
    let agent = agent().await;
    let rest = Rest::v1_0(&agent);
    let events = rest.post_stream("/message:stream", message("chunks")).await.all().await;
    assert_eq!(events[0]["task"]["status"]["state"], "TASK_STATE_SUBMITTED");
    assert_eq!(events.last().unwrap()["statusUpdate"]["status"]["state"], "TASK_STATE_COMPLETED");
    assert!(events.iter().any(|event| event.get("artifactUpdate").is_some()));
    assert!(events.iter().all(|event| event.as_object().unwrap().len() == 1));
    let events = rest.post_stream("/message:stream", message("message")).await.all().await;
    assert_eq!((events.len(), &events[0]["message"]["role"]), (1, &json!("ROLE_AGENT")));
}

#[tokio::test]
async fn subscriptions_are_opened_by_post_and_by_get() {
    let agent = agent().await;
    let rest = Rest::v1_0(&agent);
    let (task, id) = waiting(&rest).await;
    let path = format!("/tasks/{id}:subscribe");
    let mut streams = vec![
        rest.stream(rest.bare(Method::GET, &path)).await,
        rest.stream(rest.bare(Method::POST, &path)).await,
        rest.post_stream(&path, json!({})).await,
    ];
    for stream in &mut streams {
        assert_eq!(stream.next().await.unwrap()["task"], task);
    }
    let mut answer = message("blue");
    answer["message"]["taskId"] = json!(id);
    rest.post("/message:send", answer).await;
    for stream in streams {
        let last = stream.all().await.pop().unwrap();
        assert_eq!(last["statusUpdate"]["status"]["state"], "TASK_STATE_COMPLETED");
    }
    for method in [Method::GET, Method::POST] {
        let ended = crate::client::answer(rest.bare(method, &path)).await;
        assert_eq!(refusal(&ended), (400, Some("UNSUPPORTED_OPERATION".to_owned())));
    }
}

#[tokio::test]
async fn tasks_are_canceled_once() {
    let agent = agent().await;
    let rest = Rest::v1_0(&agent);
    for body in ["", "{}", r#"{"metadata":{"why":1}}"#] {
        let (_, id) = waiting(&rest).await;
        let path = format!("/tasks/{id}:cancel");
        let canceled = answer(rest.posting(&path, body)).await;
        assert_eq!(canceled.status, 200, "{}", canceled.body);
        assert_eq!(canceled.json()["status"]["state"], "TASK_STATE_CANCELED");
        let again = answer(rest.bare(Method::POST, &path)).await;
        assert_eq!(refusal(&again), (400, Some("TASK_NOT_CANCELABLE".to_owned())));
    }
    let (_, id) = waiting(&rest).await;
    let other = answer(rest.posting(&format!("/tasks/{id}:cancel"), r#"{"id":"other"}"#)).await;
    assert_eq!(refusal(&other), invalid());
    assert_eq!(rest.get(&format!("/tasks/{id}")).await["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
}

#[tokio::test]
async fn lists_are_narrowed_by_the_query() {
    let agent = agent().await;
    let rest = Rest::v1_0(&agent);
    for (text, context) in [("complete", "a b&c"), ("input-required", "a b&c"), ("complete", "é/ü")] {
        let mut params = message(text);
        params["message"]["contextId"] = json!(context);
        rest.post("/message:send", params).await;
    }
    let ids = async |query: &str| -> Vec<String> {
        let page = rest.get(&format!("/tasks?{query}")).await;
        let tasks = page["tasks"].as_array().unwrap();
        tasks.iter().map(|task| task["id"].as_str().unwrap().trim_start_matches("task-00000").to_owned()).collect()
    };
    assert_eq!(ids("").await, ["3", "2", "1"]);
    assert_eq!(ids("contextId=a%20b%26c").await, ["2", "1"]);
    assert_eq!(ids("contextId=%C3%A9%2F%C3%BC").await, ["3"]);
    assert_eq!(ids("status=TASK_STATE_INPUT_REQUIRED").await, ["2"]);
    assert_eq!(ids("contextId=&status=TASK_STATE_COMPLETED").await, ["3", "1"]);
    assert_eq!(ids("statusTimestampAfter=2999-01-01T00%3A00%3A00.000Z").await, [""; 0]);
    assert_eq!(ids("statusTimestampAfter=2000-01-01T00:00:00Z&unknown=x").await, ["3", "2", "1"]);

    let page = rest.get("/tasks?pageSize=2&historyLength=0&includeArtifacts=true").await;
    assert_eq!((&page["pageSize"], &page["totalSize"]), (&json!(2), &json!(3)));
    assert_eq!(page["tasks"][0].get("history"), None);
    assert_eq!(page["tasks"][0]["artifacts"][0]["name"], "echo");
    let token = page["nextPageToken"].as_str().unwrap();
    let page = rest.get(&format!("/tasks?pageSize=2&pageToken={token}&includeArtifacts=false")).await;
    assert_eq!((page["tasks"].as_array().unwrap().len(), &page["nextPageToken"]), (1, &json!("")));
    assert_eq!(page["tasks"][0].get("artifacts"), None);

    for (query, field) in [
        ("pageSize=0", "pageSize"),
        ("pageSize=101", "pageSize"),
        ("pageSize=abc", "pageSize"),
        ("pageSize=", "pageSize"),
        ("historyLength=-1", "historyLength"),
        ("historyLength=1.5", "historyLength"),
        ("status=working", "status"),
        ("statusTimestampAfter=yesterday", "statusTimestampAfter"),
        ("includeArtifacts=1", "includeArtifacts"),
        ("pageToken=nobody", "pageToken"),
    ] {
        let refused = rest.fetch(&format!("/tasks?{query}")).await;
        assert_eq!(refusal(&refused), invalid(), "{query}");
        let detail = &refused.json()["error"]["details"][1];
        assert_eq!(detail["@type"], "type.googleapis.com/google.rpc.BadRequest");
        assert_eq!(detail["fieldViolations"][0]["field"], field, "{query}");
    }
}

#[tokio::test]
async fn history_is_cut_where_the_query_asks() {
    let agent = agent().await;
    let rest = Rest::v1_0(&agent);
    let (_, id) = waiting(&rest).await;
    assert_eq!(rest.get(&format!("/tasks/{id}?historyLength=0")).await.get("history"), None);
    assert_eq!(rest.get(&format!("/tasks/{id}?historyLength=1")).await["history"].as_array().unwrap().len(), 1);
    assert_eq!(refusal(&rest.fetch(&format!("/tasks/{id}?historyLength=x")).await), invalid());
}

#[tokio::test]
async fn ids_may_hold_anything() {
    let agent = agent().await;
    let rest = Rest::v1_0(&agent);
    for (path, id) in [
        ("/tasks/a%2Fb%3Ac%25%20d", "a/b:c% d"),
        ("/tasks/%C3%A9", "é"),
        ("/tasks/a:b", "a:b"),
        ("/tasks/a%3Acancel", "a:cancel"),
        ("/tasks/a%2Fb:subscribe", "a/b"),
        ("/tasks/x/pushNotificationConfigs", "x"),
        ("/tasks/%22%00", "\"\0"),
    ] {
        let missing = rest.fetch(path).await;
        assert_eq!(refusal(&missing), (404, Some("TASK_NOT_FOUND".to_owned())), "{path}");
        assert_eq!(missing.json()["error"]["details"][0]["metadata"]["taskId"], id);
    }
    for path in ["/tasks/", "/tasks/%ff", "/tasks/%zz", "/tasks//pushNotificationConfigs"] {
        assert_eq!(refusal(&rest.fetch(path).await), invalid(), "{path}");
    }

    // An id that needs encoding in the middle of a path, and one that is nothing else.
    let (_, task) = waiting(&rest).await;
    let configs = format!("/tasks/{task}/pushNotificationConfigs");
    let config = rest.post(&configs, json!({ "id": "a/b %é:cancel", "url": "http://127.0.0.1:9/" })).await;
    assert_eq!(config["taskId"], task.as_str());
    assert_eq!(rest.get(&format!("{configs}/a%2Fb%20%25%C3%A9%3Acancel")).await, config);
}

#[tokio::test]
async fn push_configs_live_below_their_task() {
    let agent = agent().await;
    let rest = Rest::v1_0(&agent);
    let (_, task) = waiting(&rest).await;
    let path = format!("/tasks/{task}/pushNotificationConfigs");
    let url = "http://127.0.0.1:9/";
    let made = rest.post(&path, json!({ "url": url })).await;
    assert_eq!((&made["taskId"], &made["url"]), (&json!(task), &json!(url)));
    let named = rest.post(&path, json!({ "taskId": task, "id": "named", "url": url, "token": "t" })).await;
    assert_eq!(rest.get(&format!("{path}/named")).await, named);
    assert_eq!(rest.get(&path).await["configs"].as_array().unwrap().len(), 2);
    let page = rest.get(&format!("{path}?pageSize=1")).await;
    let rest_of = format!("{path}?pageSize=1&pageToken={}", page["nextPageToken"].as_str().unwrap());
    assert_eq!(rest.get(&rest_of).await["configs"].as_array().unwrap().len(), 1);

    assert_eq!(rest.delete(&format!("{path}/named")).await, json!({}));
    assert_eq!(rest.delete(&format!("{path}/named")).await, json!({}));
    let missing = (404, Some("TASK_NOT_FOUND".to_owned()));
    assert_eq!(refusal(&rest.fetch(&format!("{path}/named")).await), missing);
    assert_eq!(refusal(&rest.fetch("/tasks/nobody/pushNotificationConfigs").await), missing);
    for body in [json!({}), json!({ "url": "ftp://x/" }), json!({ "taskId": "other", "url": url })] {
        assert_eq!(refusal(&answer(rest.posting(&path, body.to_string())).await), invalid(), "{body}");
    }
}

#[tokio::test]
async fn every_address_is_there_for_each_tenant() {
    let agent = agent().await;
    let rest = Rest::v1_0(&agent);
    let task = rest.post("/acme/message:send", message("input-required")).await["task"].take();
    let id = task["id"].as_str().unwrap();
    assert_eq!(rest.get(&format!("/acme%20inc/tasks/{id}")).await, task);
    assert_eq!(rest.get("/acme/tasks").await["totalSize"], 1);
    assert_eq!(rest.get("/tasks?tenant=acme").await["totalSize"], 1);
    let mut stream = rest.stream(rest.bare(Method::GET, &format!("/acme/tasks/{id}:subscribe"))).await;
    assert_eq!(stream.next().await.unwrap()["task"], task);

    let configs = format!("/acme/tasks/{id}/pushNotificationConfigs");
    let config = rest.post(&configs, json!({ "id": "c", "url": "http://127.0.0.1:9/" })).await;
    assert_eq!(config["tenant"], "acme");
    assert_eq!(rest.get(&format!("{configs}/c")).await, config);
    assert_eq!(rest.delete(&format!("{configs}/c")).await, json!({}));
    assert_eq!(rest.get(&configs).await["configs"], json!([]));

    let canceled = rest.post(&format!("/acme/tasks/{id}:cancel"), json!({ "tenant": "acme" })).await;
    assert_eq!(canceled["status"]["state"], "TASK_STATE_CANCELED");
    let mut other = message("complete");
    other["tenant"] = json!("other");
    assert_eq!(refusal(&answer(rest.posting("/acme/message:send", other.to_string())).await), invalid());
    assert_eq!(refusal(&rest.fetch("/acme/tasks?tenant=other").await), invalid());
}

#[tokio::test]
async fn the_extended_card_needs_credentials() {
    let agent = agent().await;
    let rest = Rest::v1_0(&agent);
    let refused = rest.fetch("/extendedAgentCard").await;
    assert_eq!(refusal(&refused), (401, None));
    assert_eq!(refused.json()["error"]["status"], "UNAUTHENTICATED");
    assert_eq!(refused.headers[WWW_AUTHENTICATE], "Bearer realm=\"a2a\"");
    for path in ["/extendedAgentCard", "/acme/extendedAgentCard"] {
        let card = answer(rest.bare(Method::GET, path).header(AUTHORIZATION, "Bearer x")).await;
        assert_eq!((card.status, card.json()["skills"].as_array().unwrap().len()), (200, 2));
    }
}

#[tokio::test]
async fn refusals_have_the_status_and_reason_of_their_error() {
    let agent = agent_with(&Capability::ALL, 300).await;
    let rest = Rest::v1_0(&agent);
    let (_, id) = waiting(&rest).await;
    let configs = format!("/tasks/{id}/pushNotificationConfigs");
    let config = format!("{configs}/c");
    let mut foreign = message("complete");
    foreign["message"]["parts"][0]["mediaType"] = json!("audio/ogg");
    let mut pushed = message("complete");
    pushed["configuration"] = json!({ "taskPushNotificationConfig": { "url": "http://127.0.0.1:9/" } });
    let mut lost = message("complete");
    lost["message"]["taskId"] = json!("nobody");
    for (request, status, reason) in [
        (rest.bare(Method::GET, "/tasks/nobody"), 404, "TASK_NOT_FOUND"),
        (rest.bare(Method::POST, "/tasks/nobody:cancel"), 404, "TASK_NOT_FOUND"),
        (rest.posting("/message:send", lost.to_string()), 404, "TASK_NOT_FOUND"),
        (rest.posting("/message:send", foreign.to_string()), 400, "CONTENT_TYPE_NOT_SUPPORTED"),
        (rest.posting("/message:stream", message("complete").to_string()), 400, "UNSUPPORTED_OPERATION"),
        (rest.bare(Method::GET, &format!("/tasks/{id}:subscribe")), 400, "UNSUPPORTED_OPERATION"),
        (rest.bare(Method::GET, "/extendedAgentCard"), 400, "UNSUPPORTED_OPERATION"),
        (rest.posting("/message:send", pushed.to_string()), 400, "PUSH_NOTIFICATION_NOT_SUPPORTED"),
        (rest.posting(&configs, r#"{"url":"http://127.0.0.1:9/"}"#), 400, "PUSH_NOTIFICATION_NOT_SUPPORTED"),
        (rest.bare(Method::GET, &configs), 400, "PUSH_NOTIFICATION_NOT_SUPPORTED"),
        (rest.bare(Method::GET, &config), 400, "PUSH_NOTIFICATION_NOT_SUPPORTED"),
        (rest.bare(Method::DELETE, &config), 400, "PUSH_NOTIFICATION_NOT_SUPPORTED"),
        (rest.bare(Method::GET, "/tasks").header("A2A-Version", "9.9"), 400, "VERSION_NOT_SUPPORTED"),
    ] {
        let refused = answer(request).await;
        assert_eq!(refusal(&refused), (status, Some(reason.to_owned())), "{}", refused.body);
    }
}

#[tokio::test]
async fn a_task_goes_on_without_its_client() {
    let agent = agent().await;
    let rest = Rest::v1_0(&agent);
    let mut stream = rest.post_stream("/message:stream", message("slow")).await;
    let id = stream.next().await.unwrap()["task"]["id"].clone();
    drop(stream);
    Client::v1_0(&agent).wait_for("GetTask", &id, "TASK_STATE_COMPLETED").await;
}
