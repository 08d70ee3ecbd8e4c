//! The draft of A2A 1.0 over JSON-RPC and HTTP+JSON: what it has otherwise than 1.0.

use a2a_reference_agent::{Capability, RunningAgent};
use reqwest::Method;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};
use serde_json::{Value, json};

use crate::client::{Answer, Client, agent, agent_with, answer, call};
use crate::rest_client::Rest;

const HOOK: &str = "http://127.0.0.1:9/hook";

fn message(text: &str) -> Value {
    json!({ "message": { "messageId": "m-1", "role": "user", "parts": [{ "text": text }] } })
}

fn waiting(text: &str) -> Value {
    let mut params = message(text);
    params["configuration"] = json!({ "blocking": true });
    params
}

async fn get(url: String) -> Answer {
    answer(crate::client::http().get(url)).await
}

#[tokio::test]
async fn the_card_leads_to_the_agent() {
    let agent = agent().await;
    let base = format!("{}/1.0-draft", agent.url());
    let place = format!("{base}/.well-known/agent-card.json");
    assert!(agent.cards().contains(&("1.0-draft", place.clone())));
    let card = get(place).await;
    assert_eq!((card.status, &card.headers[CONTENT_TYPE]), (200, &"application/json".parse().unwrap()));
    let card = card.json();
    assert_eq!(card["protocolVersion"], "1.0");
    assert_eq!(card["supportedInterfaces"][0]["url"], Client::v1_0_draft(&agent).url);
    assert_eq!(
        format!("{}/v1", card["supportedInterfaces"][1]["url"].as_str().unwrap()),
        Rest::v1_0_draft(&agent).base
    );
    assert_eq!(get(format!("{base}/.well-known/agent.json")).await.status, 404);
    for interface in card["supportedInterfaces"].as_array().unwrap() {
        let (url, binding) = (interface["url"].as_str().unwrap(), interface["protocolBinding"].as_str().unwrap());
        assert!(agent.interfaces().contains(&(url.to_owned(), format!("A2A 1.0-draft, {binding}"))), "{url}");
    }
}

#[tokio::test]
async fn results_are_told_by_their_members() {
    let agent = agent().await;
    let client = Client::v1_0_draft(&agent);
    let task = client.result("SendMessage", waiting("file")).await;
    assert_eq!((&task["status"]["state"], &task["history"][0]["role"]), (&json!("completed"), &json!("user")));
    let parts = task["artifacts"][0]["parts"].as_array().unwrap();
    assert_eq!(
        (&parts[0]["file"]["name"], &parts[0]["file"]["mediaType"]),
        (&json!("greeting.txt"), &json!("text/plain"))
    );
    assert_eq!(parts[1]["file"]["fileWithUri"], "https://example.com/picture.png");
    let direct = client.result("SendMessage", message("message")).await;
    assert_eq!(direct["role"], "agent");
    assert!(direct["contextId"].is_string(), "{direct}");
    let data = client.result("SendMessage", waiting("data")).await;
    assert!(data["artifacts"][0]["parts"][0]["data"]["data"].is_object());

    let id = task["id"].as_str().unwrap();
    for params in [json!({ "id": id }), json!({ "name": format!("tasks/{id}") })] {
        assert_eq!(client.result("GetTask", params).await, task);
    }
    assert_eq!(Rest::v1_0_draft(&agent).get(&format!("/tasks/{id}")).await, task);
}

#[tokio::test]
async fn nobody_waits_who_does_not_ask_to() {
    let agent = agent().await;
    let (client, rest) = (Client::v1_0_draft(&agent), Rest::v1_0_draft(&agent));
    let early = ["submitted", "working"];
    let task = client.result("SendMessage", message("slow")).await;
    assert!(early.contains(&task["status"]["state"].as_str().unwrap()), "{task}");
    let task = rest.post("/message:send", message("slow")).await["task"].take();
    assert!(early.contains(&task["status"]["state"].as_str().unwrap()), "{task}");
    let canceled = client.result("CancelTask", json!({ "id": task["id"] })).await;
    assert_eq!(canceled["status"]["state"], "cancelled");
    assert_eq!(client.result("SendMessage", waiting("slow")).await["status"]["state"], "completed");
}

#[tokio::test]
async fn the_last_status_of_a_stream_is_final() {
    let agent = agent().await;
    let client = Client::v1_0_draft(&agent);
    let bare = client.events("SendStreamingMessage", message("chunks")).await;
    assert!(bare[0]["id"].is_string() && bare.iter().any(|event| event.get("artifact").is_some()));
    let finals: Vec<&Value> = bare.iter().filter_map(|event| event.get("final")).collect();
    assert_eq!(finals, [&json!(false), &json!(true)], "{bare:?}");

    let asking = client.events("SendStreamingMessage", message("auth-required")).await;
    let last = asking.last().unwrap();
    assert_eq!((&last["status"]["state"], &last["final"]), (&json!("auth-required"), &json!(true)));

    let wrapped = Rest::v1_0_draft(&agent).post_stream("/message:stream", message("chunks")).await.all().await;
    assert!(wrapped.iter().all(|event| event.as_object().unwrap().len() == 1));
    assert_eq!(wrapped.last().unwrap()["statusUpdate"]["final"], true);
    let code = client.code("SubscribeToTask", json!({ "id": bare[0]["id"] })).await;
    assert_eq!(code, -32004);
}

#[tokio::test]
async fn lists_have_no_history_unless_they_are_asked_for_it() {
    let agent = agent().await;
    let (client, rest) = (Client::v1_0_draft(&agent), Rest::v1_0_draft(&agent));
    let first = client.result("SendMessage", waiting("complete")).await;
    let second = client.result("SendMessage", waiting("input-required")).await;
    let listed = client.result("ListTasks", json!({ "metadata": { "hop": [1] } })).await;
    assert_eq!((listed["totalSize"].as_u64(), listed["tasks"][0].get("history")), (Some(2), None));
    assert_eq!(
        client.result("ListTasks", json!({ "historyLength": 5 })).await["tasks"][0]["history"],
        second["history"]
    );
    assert_eq!(rest.get("/tasks?status=input-required").await["tasks"][0]["id"], second["id"]);
    assert_eq!(rest.get("/tasks?lastUpdatedAfter=1500").await["totalSize"], 2);
    assert_eq!(rest.get("/tasks?lastUpdatedAfter=4102444800000").await["totalSize"], 0);
    assert_eq!(client.code("ListTasks", json!({ "lastUpdatedAfter": "yesterday" })).await, -32602);
    assert_eq!(rest.get(&format!("/tasks?contextId={}", first["contextId"].as_str().unwrap())).await["totalSize"], 1);
}

#[tokio::test]
async fn push_configs_have_resource_names() {
    let agent = agent().await;
    let (client, rest) = (Client::v1_0_draft(&agent), Rest::v1_0_draft(&agent));
    let task = client.result("SendMessage", waiting("input-required")).await;
    let id = task["id"].as_str().unwrap();
    let (parent, name) = (format!("tasks/{id}"), format!("tasks/{id}/pushNotificationConfigs/c"));
    let config = json!({ "pushNotificationConfig": { "url": HOOK } });
    let set = json!({ "parent": parent, "configId": "c", "config": config });
    let made = client.result("SetTaskPushNotificationConfig", set.clone()).await;
    assert_eq!(made, json!({ "name": name, "pushNotificationConfig": { "id": "c", "url": HOOK } }));
    assert_eq!(client.result("GetTaskPushNotificationConfig", json!({ "name": name })).await, made);

    let path = format!("/tasks/{id}/pushNotificationConfigs");
    assert_eq!(rest.post(&path, set).await, made);
    assert_eq!(rest.post(&format!("{path}?configId=c"), config).await, made);
    assert_eq!(rest.get(&format!("{path}/c")).await, made);
    let listed = client.result("ListTaskPushNotificationConfig", json!({ "parent": parent })).await;
    assert_eq!((&listed["configs"], rest.get(&path).await), (&json!([made]), listed.clone()));
    assert_eq!(client.result("DeleteTaskPushNotificationConfig", json!({ "name": name })).await, json!({}));
    assert_eq!(rest.delete(&format!("{path}/c")).await, json!({}));
    assert_eq!(client.code("GetTaskPushNotificationConfig", json!({ "name": name })).await, -32001);
}

#[tokio::test]
async fn problems_have_the_status_and_the_type_of_their_error() {
    let agent = agent_with(&Capability::ALL, 300).await;
    let (client, rest) = (Client::v1_0_draft(&agent), Rest::v1_0_draft(&agent));
    let ended = client.result("SendMessage", waiting("complete")).await;
    let id = ended["id"].as_str().unwrap();
    let mut late = message("more");
    late["message"]["taskId"] = json!(id);
    let mut foreign = message("complete");
    foreign["message"]["parts"] = json!([{ "file": { "fileWithUri": "u:", "mediaType": "audio/ogg" } }]);
    for (request, status, kind) in [
        (rest.bare(Method::GET, "/tasks/nobody"), 404, Some("task-not-found")),
        (rest.bare(Method::POST, &format!("/tasks/{id}:cancel")), 409, Some("task-not-cancelable")),
        (rest.posting("/message:send", late.to_string()), 400, Some("unsupported-operation")),
        (rest.posting("/message:send", foreign.to_string()), 415, Some("content-type-not-supported")),
        (rest.posting("/message:stream", message("x").to_string()), 400, Some("unsupported-operation")),
        (rest.bare(Method::GET, "/extendedAgentCard"), 400, Some("unsupported-operation")),
        (
            rest.bare(Method::GET, &format!("/tasks/{id}/pushNotificationConfigs")),
            400,
            Some("push-notification-not-supported"),
        ),
        (rest.bare(Method::GET, "/tasks").header("A2A-Version", "9.9"), 400, Some("version-not-supported")),
        (rest.bare(Method::GET, "/tasks?pageSize=0"), 400, None),
        (rest.posting("/message:send", "{"), 400, None),
        (rest.posting("/message:send", "{}").header(CONTENT_TYPE, "text/plain"), 415, None),
        (rest.bare(Method::GET, "/nothing"), 404, None),
        (rest.bare(Method::DELETE, "/tasks"), 405, None),
    ] {
        let refused = answer(request).await;
        let problem = refused.json();
        assert_eq!(refused.status, status, "{problem}");
        assert_eq!(refused.headers[CONTENT_TYPE], "application/problem+json");
        assert_eq!(problem["status"], status);
        assert!(problem["detail"].is_string(), "{problem}");
        let uri = kind.map(|kind| json!(format!("https://a2a-protocol.org/errors/{kind}")));
        assert_eq!(problem.get("type"), uri.as_ref(), "{problem}");
    }
    let error = client.respond("GetTask", json!({ "id": "nobody" })).await["error"].take();
    assert_eq!((&error["code"], &error["data"]), (&json!(-32001), &json!({ "taskId": "nobody" })));
}

async fn extended(agent: &RunningAgent) -> Value {
    let rest = Rest::v1_0_draft(agent);
    let by_get = answer(rest.bare(Method::GET, "/extendedAgentCard").header(AUTHORIZATION, "Bearer x")).await;
    let request = Client::v1_0_draft(agent).request(call("GetExtendedAgentCard", json!({})));
    let by_call = answer(request.header(AUTHORIZATION, "Bearer x")).await.json()["result"].take();
    assert_eq!(by_get.json(), by_call);
    by_call
}

#[tokio::test]
async fn the_extended_card_is_one_of_the_draft() {
    let agent = agent().await;
    let card = extended(&agent).await;
    assert_eq!((card["skills"].as_array().unwrap().len(), &card["protocolVersion"]), (2, &json!("1.0")));
    assert_eq!(card["supportedInterfaces"][0].get("protocolVersion"), None);
    let refused = Rest::v1_0_draft(&agent).fetch("/extendedAgentCard").await;
    assert_eq!((refused.status, refused.headers["www-authenticate"].to_str().unwrap()), (401, "Bearer realm=\"a2a\""));
}

#[tokio::test]
async fn a_request_need_not_name_its_version() {
    let agent = agent().await;
    let client = Client::below(&format!("{}/1.0-draft", agent.url()));
    assert_eq!(client.result("SendMessage", waiting("complete")).await["status"]["state"], "completed");
    let rest = Rest::v1_0_draft(&agent);
    let silent = get(format!("{}/tasks", rest.base)).await;
    assert_eq!((silent.status, silent.json()["totalSize"].as_u64()), (200, Some(1)));
}
