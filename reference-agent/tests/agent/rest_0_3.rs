//! A2A 0.3 over HTTP+JSON, in the form of its JSON Schema and in that of its protobuf definition.

use a2a_reference_agent::{Capability, Config, RestDialect, RunningAgent};
use reqwest::Method;
use reqwest::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use serde_json::{Value, json};

use crate::client::{agent, agent_with, answer, start};
use crate::rest_client::Rest;

fn json_message(text: &str) -> Value {
    let parts = json!([{ "kind": "text", "text": text }]);
    json!({ "message": { "kind": "message", "messageId": "m-1", "role": "user", "parts": parts } })
}

fn proto_message(text: &str) -> Value {
    json!({ "message": { "messageId": "m-1", "role": "ROLE_USER", "content": [{ "text": text }] } })
}

fn message_in(form: RestDialect) -> fn(&str) -> Value {
    match form {
        RestDialect::Json => json_message,
        RestDialect::Proto => proto_message,
    }
}

/// An agent that speaks `form` alone.
async fn agent_in(form: RestDialect) -> RunningAgent {
    let config = Config { rest_dialect: Some(form), ..Config::default() };
    start(config).await
}

#[tokio::test]
async fn a_message_is_answered_in_its_own_form() {
    let agent = agent().await;
    let rest = Rest::v0_3(&agent);
    let sent = rest.post("/message:send", json_message("complete")).await;
    let timestamp = &sent["task"]["status"]["timestamp"];
    assert_eq!(
        sent,
        json!({ "task": {
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
        } }),
    );
    let sent = rest.post("/message:send", proto_message("complete")).await;
    let timestamp = &sent["task"]["status"]["timestamp"];
    assert_eq!(
        sent,
        json!({ "task": {
            "id": "task-000002",
            "contextId": "context-000002",
            "status": { "state": "TASK_STATE_COMPLETED", "timestamp": timestamp },
            "artifacts": [{ "artifactId": "artifact-000002", "name": "echo", "parts": [{ "text": "complete" }] }],
            "history": [{
                "messageId": "m-1",
                "contextId": "context-000002",
                "taskId": "task-000002",
                "role": "ROLE_USER",
                "content": [{ "text": "complete" }],
            }],
        } }),
    );
    assert_eq!(rest.post("/message:send", json_message("message")).await["message"]["kind"], "message");
    assert_eq!(rest.post("/message:send", proto_message("message")).await["message"]["role"], "ROLE_AGENT");
}

/// Who begins a task in one form cannot read it in the other.
#[tokio::test]
async fn a_task_is_read_in_the_form_of_its_last_message() {
    let agent = agent().await;
    let rest = Rest::v0_3(&agent);
    let state = async |task: &str| rest.get(&format!("/tasks/{task}")).await["status"]["state"].take();
    rest.post("/message:send", json_message("input-required")).await;
    rest.post("/message:send", proto_message("input-required")).await;
    rest.post_stream("/message:stream", json_message("input-required")).await.next().await.unwrap();
    rest.post_stream("/message:stream", proto_message("input-required")).await.next().await.unwrap();
    for (task, expected) in [
        ("task-000001", "input-required"),
        ("task-000002", "TASK_STATE_INPUT_REQUIRED"),
        ("task-000003", "input-required"),
        ("task-000004", "TASK_STATE_INPUT_REQUIRED"),
    ] {
        assert_eq!(state(task).await, expected, "{task}");
    }
    assert_eq!(rest.get("/tasks").await[0]["status"]["state"], "TASK_STATE_INPUT_REQUIRED", "a list has one form");

    let mut events = rest.stream(rest.bare(Method::GET, "/tasks/task-000001:subscribe")).await;
    assert_eq!(events.next().await.unwrap()["task"]["kind"], "task");
    assert_eq!(rest.post("/tasks/task-000001:cancel", json!({})).await["status"]["state"], "canceled");
    let mut follow_up = proto_message("input-required");
    follow_up["message"]["taskId"] = json!("task-000003");
    rest.post("/message:send", follow_up).await;
    assert_eq!(state("task-000003").await, "TASK_STATE_COMPLETED");
}

#[tokio::test]
async fn an_agent_of_one_form_refuses_the_other() {
    for (form, other) in [(RestDialect::Json, RestDialect::Proto), (RestDialect::Proto, RestDialect::Json)] {
        let agent = agent_in(form).await;
        let rest = Rest::v0_3(&agent);
        let status = async |form| {
            let body = message_in(form)("complete").to_string();
            answer(rest.posting("/message:send", body)).await.status
        };
        assert_eq!((status(form).await, status(other).await), (200, 400), "{form}");
    }
}

/// As the published Python client of 0.3 writes it.
#[tokio::test]
async fn a_message_with_the_original_names_is_answered_in_their_form() {
    let agent = agent().await;
    let message = json!({ "message_id": "m", "role": "ROLE_USER", "content": [{ "text": "complete" }] });
    let sent = Rest::v0_3(&agent).post("/message:send", json!({ "request": message })).await;
    assert_eq!(sent["task"]["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(sent["task"]["history"][0]["messageId"], "m");
}

#[tokio::test]
async fn a_request_without_a_form_is_answered_in_that_of_the_agent() {
    for form in [RestDialect::Json, RestDialect::Proto] {
        let agent = agent_in(form).await;
        let rest = Rest::v0_3(&agent);
        let message = message_in(form);
        let sent = rest.post("/message:send", message("complete")).await;
        assert_eq!(rest.get("/tasks/task-000001").await, sent["task"]);
        assert_eq!(rest.get("/tasks").await, json!([sent["task"]]));
        let waiting = rest.post("/message:send", message("input-required")).await;
        assert_eq!(rest.get("/tasks?pageSize=1&status=x").await, json!([waiting["task"], sent["task"]]));

        let mut stream = rest.stream(rest.bare(Method::GET, "/tasks/task-000002:subscribe")).await;
        assert_eq!(stream.next().await.unwrap(), waiting);
        let canceled = rest.post("/tasks/task-000002:cancel", json!({ "name": "tasks/task-000002" })).await;
        let last = stream.all().await.pop().unwrap();
        assert_eq!(last["statusUpdate"]["status"], canceled["status"]);
        assert_eq!(last["statusUpdate"]["final"], true);
        let (state, kind) = match form {
            RestDialect::Json => ("canceled", Some(&json!("task"))),
            RestDialect::Proto => ("TASK_STATE_CANCELLED", None),
        };
        assert_eq!((&canceled["status"]["state"], canceled.get("kind")), (&json!(state), kind));
    }
}

#[tokio::test]
async fn streams_are_wrapped_in_both_forms() {
    let agent = agent().await;
    let rest = Rest::v0_3(&agent);
    let json = rest.post_stream("/message:stream", json_message("chunks")).await.all().await;
    let proto = rest.post_stream("/message:stream", proto_message("chunks")).await.all().await;
    let members = |events: &[Value]| -> Vec<String> {
        events.iter().map(|event| event.as_object().unwrap().keys().cloned().collect::<String>()).collect()
    };
    assert_eq!(members(&json), members(&proto));
    assert_eq!(members(&json)[..3], ["task", "statusUpdate", "artifactUpdate"]);
    assert_eq!(json[0]["task"]["kind"], "task");
    assert_eq!(json.last().unwrap()["statusUpdate"]["kind"], "status-update");
    assert_eq!(json.last().unwrap()["statusUpdate"]["final"], true);
    assert_eq!(proto[1]["statusUpdate"]["status"]["state"], "TASK_STATE_WORKING");
    assert_eq!(proto[1]["statusUpdate"].get("final"), None);
    assert_eq!(proto[3]["artifactUpdate"]["append"], true);
    assert_eq!(proto[3]["artifactUpdate"].get("kind"), None);
    assert_eq!(proto.last().unwrap()["statusUpdate"]["final"], true);
}

#[tokio::test]
async fn an_ended_task_is_shown_to_subscribers() {
    let agent = agent().await;
    let rest = Rest::v0_3(&agent);
    let sent = rest.post("/message:send", json_message("complete")).await;
    for body in [json!({}), json!({ "name": "tasks/task-000001" }), json!({ "id": "task-000001" })] {
        let events = rest.post_stream("/tasks/task-000001:subscribe", body).await.all().await;
        assert_eq!(events, std::slice::from_ref(&sent));
    }
    let other = json!({ "name": "tasks/other" }).to_string();
    assert_eq!(answer(rest.posting("/tasks/task-000001:subscribe", other)).await.status, 400);
}

#[tokio::test]
async fn files_and_data_keep_their_form() {
    let agent = agent().await;
    let rest = Rest::v0_3(&agent);
    let parts = async |body: Value| rest.post("/message:send", body).await["task"]["artifacts"][0]["parts"].take();
    assert_eq!(parts(json_message("file")).await[0]["file"]["mimeType"], "text/plain");
    let bytes = "SGVsbG8gZnJvbSB0aGUgcmVmZXJlbmNlIGFnZW50Lgo=";
    assert_eq!(
        parts(proto_message("file")).await,
        json!([
            { "file": { "fileWithBytes": bytes, "mimeType": "text/plain" } },
            { "file": { "fileWithUri": "https://example.com/picture.png", "mimeType": "image/png" } },
        ]),
    );
    let data = parts(json_message("data")).await[0]["data"].take();
    assert_eq!(parts(proto_message("data")).await, json!([{ "data": { "data": data } }]));
}

#[tokio::test]
async fn history_is_cut_where_the_query_asks() {
    let agent = agent().await;
    let rest = Rest::v0_3(&agent);
    rest.post("/message:send", json_message("complete")).await;
    assert_eq!(rest.get("/tasks/task-000001?historyLength=1").await["history"].as_array().unwrap().len(), 1);
    for query in ["historyLength=-1", "historyLength=x"] {
        let refused = rest.fetch(&format!("/tasks/task-000001?{query}")).await;
        assert_eq!((refused.status, &refused.json()["code"]), (400, &json!(-32602)));
        assert_eq!(refused.json()["data"]["field"], "historyLength");
    }
}

#[tokio::test]
async fn push_configs_have_both_forms() {
    let url = "http://127.0.0.1:9/";
    for form in [RestDialect::Json, RestDialect::Proto] {
        let agent = agent().await;
        let rest = Rest::v0_3(&agent);
        rest.post("/message:send", message_in(form)("input-required")).await;
        let path = "/tasks/task-000001/pushNotificationConfigs";
        let inner = json!({ "id": "c", "url": url, "authentication": { "schemes": ["Bearer"] } });
        let in_json = json!({ "taskId": "task-000001", "pushNotificationConfig": inner });
        let name = "tasks/task-000001/pushNotificationConfigs/c";
        let in_proto = json!({ "name": name, "pushNotificationConfig": inner });
        assert_eq!(rest.post(path, json!({ "config": in_json })).await, in_json);
        let create = json!({ "parent": "tasks/task-000001", "configId": "c", "config": in_proto });
        assert_eq!(rest.post(path, create).await, in_proto);
        assert_eq!(rest.post(path, in_proto.clone()).await, in_proto);
        assert_eq!(
            rest.post(&format!("{path}?configId=d"), json!({ "pushNotificationConfig": { "url": url } })).await["pushNotificationConfig"]
                ["id"],
            "d"
        );

        let (config, list, deleted) = match form {
            RestDialect::Json => (&in_json, json!([in_json]), Value::Null),
            RestDialect::Proto => (&in_proto, json!({ "configs": [in_proto] }), json!({})),
        };
        assert_eq!(rest.delete(&format!("{path}/d")).await, deleted);
        assert_eq!(rest.get(&format!("{path}/c")).await, *config);
        assert_eq!(rest.get(path).await, list);
        let missing = rest.fetch(&format!("{path}/nobody")).await;
        assert_eq!((missing.status, &missing.json()["code"]), (404, &json!(-32001)));
    }
}

#[tokio::test]
async fn the_extended_card_needs_credentials() {
    let agent = agent().await;
    let rest = Rest::v0_3(&agent);
    let refused = rest.fetch("/card").await;
    assert_eq!(refused.status, 401);
    assert_eq!(refused.headers[WWW_AUTHENTICATE], "Bearer realm=\"a2a\"");
    let card = answer(rest.bare(Method::GET, "/card").header(AUTHORIZATION, "Bearer x")).await;
    assert_eq!((card.status, card.json()["skills"].as_array().unwrap().len()), (200, 2));
}

#[tokio::test]
async fn errors_are_those_of_json_rpc() {
    let agent = agent_with(&Capability::ALL, 300).await;
    let rest = Rest::v0_3(&agent);
    rest.post("/message:send", json_message("complete")).await;
    let mut ended = proto_message("complete");
    ended["message"]["taskId"] = json!("task-000001");
    for (request, status, code) in [
        (rest.bare(Method::GET, "/tasks/nobody"), 404, -32001),
        (rest.bare(Method::POST, "/tasks/task-000001:cancel"), 400, -32002),
        (rest.bare(Method::GET, "/tasks/task-000001/pushNotificationConfigs"), 400, -32003),
        (rest.posting("/message:send", ended.to_string()), 400, -32004),
        (rest.posting("/message:stream", json_message("complete").to_string()), 400, -32004),
        (rest.bare(Method::GET, "/card"), 404, -32007),
        (rest.posting("/message:send", "{}"), 400, -32602),
        (rest.posting("/message:send", "{"), 400, -32700),
        (rest.posting("/message:send", "[]"), 400, -32600),
        (rest.bare(Method::GET, "/message:send"), 405, -32601),
    ] {
        let refused = answer(request).await;
        assert_eq!((refused.status, &refused.json()["code"]), (status, &json!(code)), "{}", refused.body);
        assert!(refused.json()["message"].is_string());
    }
}
