//! The envelope, as it looks over HTTP.

use serde_json::{Value, json};

use crate::client::{Client, agent, call};

#[tokio::test]
async fn ids_come_back_as_they_were() {
    let agent = agent().await;
    let client = Client::v1_0(&agent);
    for id in [r#""a""#, r#""""#, "0", "-7", "1.5", "9007199254740993", "18446744073709551615", "null"] {
        let answer = client.raw(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ListTasks"}}"#)).await;
        assert!(answer.body.starts_with(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result""#)), "{}", answer.body);
    }
}

#[tokio::test]
async fn mistakes_have_their_codes() {
    let agent = agent().await;
    let client = Client::v1_0(&agent);
    for (body, code, id) in [
        ("{".to_owned(), -32700, json!(null)),
        ("[]".to_owned(), -32600, json!(null)),
        ("7".to_owned(), -32600, json!(null)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"Nothing"}"#.to_owned(), -32601, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":""}"#.to_owned(), -32601, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"GetTask"}"#.to_owned(), -32602, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":["x"]}"#.to_owned(), -32602, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":null}"#.to_owned(), -32602, json!(1)),
        (call("GetTask", json!({ "id": 5 })), -32602, json!("call")),
    ] {
        let answer = client.raw(body.clone()).await;
        assert_eq!(answer.status, 200);
        let response = answer.json();
        assert_eq!((&response["error"]["code"], &response["id"]), (&json!(code), &id), "{body}");
    }
    let deep = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{}}}"#, "[".repeat(100_000));
    assert_eq!(client.raw(deep).await.json()["error"]["code"], -32700);
    assert_eq!(client.raw(b"{\"jsonrpc\":\"\xff\"}".to_vec()).await.json()["error"]["code"], -32700);
}

#[tokio::test]
async fn notifications_are_obeyed_in_silence() {
    let agent = agent().await;
    let client = Client::v1_0(&agent);
    let message = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "slow" }] });
    let params = json!({ "message": message });
    let notification = json!({ "jsonrpc": "2.0", "method": "SendMessage", "params": params });
    for body in [notification.to_string(), json!([notification]).to_string()] {
        let answer = client.raw(body).await;
        assert_eq!((answer.status, answer.body.as_str()), (204, ""));
    }
    let stream = json!({ "jsonrpc": "2.0", "method": "SendStreamingMessage", "params": params });
    assert_eq!(client.raw(stream.to_string()).await.status, 204);
    assert_eq!(client.raw(r#"{"jsonrpc":"2.0","method":"Nothing"}"#).await.status, 204);
    assert_eq!(client.result("ListTasks", json!({})).await["totalSize"], 3);
}

#[tokio::test]
async fn batches_get_an_answer_for_each_call() {
    let agent = agent().await;
    let client = Client::v1_0(&agent);
    let call = |id: u32, method: &str| json!({ "jsonrpc": "2.0", "id": id, "method": method });
    let batch = json!([
        call(1, "ListTasks"),
        { "jsonrpc": "2.0", "method": "ListTasks" },
        [],
        call(2, "SendStreamingMessage"),
        call(3, "GetTask"),
        call(4, "GetExtendedAgentCard"),
    ]);
    let answer = client.raw(batch.to_string()).await;
    assert_eq!(answer.status, 200);
    let answers = answer.json();
    let outcome = |answer: &Value| (answer["id"].clone(), answer["error"]["code"].clone());
    let outcomes: Vec<(Value, Value)> = answers.as_array().unwrap().iter().map(outcome).collect();
    let expected = [
        (json!(1), json!(null)),
        (json!(null), json!(-32600)),
        (json!(2), json!(-32600)),
        (json!(3), json!(-32602)),
        (json!(4), json!(-32000)),
    ];
    assert_eq!(outcomes, expected);
}
