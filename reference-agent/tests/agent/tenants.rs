//! Tenants of A2A 1.0: what belongs to one is there in each form of a request that names it, and for nobody else.

use a2a_reference_agent::{Config, RunningAgent};
use serde_json::{Value, json};

use crate::client::{Client, answer, start};
use crate::rest_client::{Rest, refusal};

async fn agent() -> RunningAgent {
    let tenants = ["acme", "globex"].map(|name| name.parse().unwrap()).to_vec();
    start(Config { tenants, ..Config::default() }).await
}

fn message(text: &str) -> Value {
    json!({ "message": { "messageId": "m-1", "role": "ROLE_USER", "parts": [{ "text": text }] } })
}

/// A task that waits, made over HTTP+JSON below this path.
async fn waiting(rest: &Rest, tenant: &str) -> Value {
    rest.post(&format!("{tenant}/message:send"), message("input-required")).await["task"].take()
}

#[tokio::test]
async fn what_belongs_to_one_tenant_is_not_there_for_others() {
    let agent = agent().await;
    let rest = Rest::v1_0(&agent);
    let task = waiting(&rest, "/acme").await;
    let id = task["id"].as_str().unwrap();
    assert_eq!(rest.get(&format!("/acme/tasks/{id}")).await, task);
    assert_eq!(rest.get("/acme/tasks").await["totalSize"], 1);
    let config = format!("/tasks/{id}/pushNotificationConfigs");
    rest.post(&format!("/acme{config}"), json!({ "id": "c", "url": "http://127.0.0.1:9/" })).await;
    for other in ["", "/globex"] {
        assert_eq!(rest.get(&format!("{other}/tasks")).await["totalSize"], 0, "{other}");
        for path in [format!("/tasks/{id}"), format!("{config}/c"), format!("/tasks/{id}:subscribe")] {
            assert_eq!(rest.fetch(&format!("{other}{path}")).await.status, 404, "{other}{path}");
        }
        let cancel = rest.posting(&format!("{other}/tasks/{id}:cancel"), "{}");
        assert_eq!(answer(cancel).await.status, 404, "{other}");
        let mut more = message("complete");
        more["message"]["taskId"] = json!(id);
        assert_eq!(answer(rest.posting(&format!("{other}/message:send"), more.to_string())).await.status, 404);
        let own = waiting(&rest, other).await;
        assert_ne!((&own["id"], &own["contextId"]), (&task["id"], &task["contextId"]), "no id is made twice");
    }
    assert_eq!(rest.get(&format!("/acme/tasks/{id}")).await, task, "nothing has happened to it");
}

#[tokio::test]
async fn a_tenant_is_one_in_each_form_of_a_request() {
    let agent = agent().await;
    let (rest, rpc) = (Rest::v1_0(&agent), Client::v1_0(&agent));
    let mut asked = message("input-required");
    asked["tenant"] = json!("acme");
    let task = rpc.result("SendMessage", asked.clone()).await["task"].take();
    let id = &task["id"];
    assert_eq!(rpc.result("GetTask", json!({ "id": id, "tenant": "acme" })).await, task);
    assert_eq!(rpc.code("GetTask", json!({ "id": id })).await, -32001);
    let id = id.as_str().unwrap();
    assert_eq!(rest.get(&format!("/acme/tasks/{id}")).await, task);
    assert_eq!(rest.get(&format!("/tasks/{id}?tenant=acme")).await, task);
    let in_body = rest.post("/message:send", asked).await["task"].take();
    assert_eq!(rest.get("/acme/tasks").await["totalSize"], 2);
    assert_eq!(rest.get(&format!("/acme/tasks/{}", in_body["id"].as_str().unwrap())).await, in_body);
}

#[tokio::test]
async fn a_tenant_that_there_is_not_is_refused() {
    let agent = agent().await;
    let (rest, rpc) = (Rest::v1_0(&agent), Client::v1_0(&agent));
    for unknown in ["/initech/tasks", "/initech/tasks/task-1-000001", "/tasks?tenant=initech"] {
        assert_eq!(refusal(&rest.fetch(unknown).await), (400, Some("INVALID_PARAMS".to_owned())), "{unknown}");
    }
    assert_eq!(rpc.code("ListTasks", json!({ "tenant": "initech" })).await, -32602);
    assert_eq!(rpc.result("ListTasks", json!({ "tenant": "" })).await["totalSize"], 0, "an empty name is none");
    let old = Client::v0_3(&agent);
    assert_eq!(old.code("tasks/get", json!({ "tenant": "initech", "id": "x" })).await, -32001, "0.3 has no tenants");
}
