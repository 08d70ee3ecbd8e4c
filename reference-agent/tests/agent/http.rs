//! HTTP around the protocol: the card, versions, and what is refused before anything is read.

use reqwest::Method;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, ETAG, IF_NONE_MATCH, LAST_MODIFIED, WWW_AUTHENTICATE};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::client::{Client, agent, answer, awaiting_agent, call};

#[tokio::test]
async fn the_card_can_be_cached() {
    let agent = agent().await;
    let http = crate::client::http();
    let url = format!("{}/.well-known/agent-card.json", agent.url());
    let card = answer(http.get(&url)).await;
    assert_eq!(card.status, 200);
    assert_eq!(card.headers[CONTENT_TYPE], "application/json");
    assert_eq!(card.headers["cache-control"], "public, max-age=60");
    assert!(card.headers.contains_key(LAST_MODIFIED));
    assert_eq!(card.json()["supportedInterfaces"][0]["url"], format!("{}/1.0", agent.url()));

    let known = answer(http.get(&url).header(IF_NONE_MATCH, &card.headers[ETAG])).await;
    assert_eq!((known.status, known.body.as_str()), (304, ""));
    let other = answer(http.get(&url).header(IF_NONE_MATCH, "\"other\"")).await;
    assert_eq!(other.status, 200);
    let head = answer(http.head(&url)).await;
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    assert_eq!(head.headers[ETAG], card.headers[ETAG]);
    let old = answer(http.get(format!("{}/.well-known/agent.json", agent.url()))).await;
    assert_eq!(old.body, card.body);
}

#[tokio::test]
async fn the_extended_card_needs_credentials() {
    let agent = agent().await;
    for (client, method) in
        [(Client::v1_0(&agent), "GetExtendedAgentCard"), (Client::v0_3(&agent), "agent/getAuthenticatedExtendedCard")]
    {
        let refused = client.raw(call(method, json!({}))).await;
        assert_eq!(refused.status, 401);
        assert_eq!(refused.headers[WWW_AUTHENTICATE], "Bearer realm=\"a2a\"");
        assert_eq!(refused.json()["id"], "call");
        assert!(refused.json()["error"]["code"].is_i64());
        let served = answer(client.request(call(method, json!({}))).header(AUTHORIZATION, "Bearer x")).await;
        assert_eq!(served.status, 200);
        assert_eq!(served.json()["result"]["skills"].as_array().unwrap().len(), 2);
    }
}

#[tokio::test]
async fn each_address_speaks_its_versions() {
    let agent = agent().await;
    let http = crate::client::http();
    let code = async |path: &str, version: Option<&str>, method: &str| {
        let url = format!("{}{path}", agent.url());
        let mut request = http.post(url).header(CONTENT_TYPE, "application/json").body(call(method, json!({})));
        if let Some(version) = version {
            request = request.header("A2A-Version", version);
        }
        answer(request).await.json()["error"]["code"].as_i64()
    };
    // An error about parameters shows that the method is known.
    for (path, version, method, expected) in [
        ("/", None, "tasks/get", -32602),
        ("/", Some(""), "tasks/get", -32602),
        ("/", Some("0.3"), "GetTask", -32601),
        ("/", Some("1.0"), "GetTask", -32602),
        ("/", Some("1.0.7"), "GetTask", -32602),
        ("/?A2A-Version=1.0", None, "GetTask", -32602),
        ("/", Some("0.9"), "GetTask", -32009),
        ("/", Some("one"), "GetTask", -32009),
        ("/1.0", Some("1.0"), "GetTask", -32602),
        ("/1.0", None, "GetTask", -32009),
        ("/1.0", Some("0.3"), "GetTask", -32009),
        ("/0.3", None, "tasks/get", -32602),
        ("/0.3", Some("0.3.0"), "tasks/get", -32602),
        ("/0.3", Some("1.0"), "tasks/get", -32009),
    ] {
        assert_eq!(code(path, version, method).await, Some(expected), "{path} {version:?} {method}");
    }
}

#[tokio::test]
async fn what_is_no_json_rpc_request_is_refused() {
    let agent = agent().await;
    let client = Client::v1_0(&agent);
    let http = crate::client::http();
    for method in [Method::GET, Method::PUT, Method::DELETE] {
        let refused = answer(http.request(method, &client.url)).await;
        assert_eq!(refused.status, 405);
        assert_eq!(refused.headers["allow"], "POST");
    }
    for media_type in [None, Some("text/plain"), Some("application/json; charset=latin1")] {
        let mut request = http.post(&client.url).body(call("ListTasks", json!({})));
        if let Some(media_type) = media_type {
            request = request.header(CONTENT_TYPE, media_type);
        }
        let refused = answer(request).await;
        assert_eq!(refused.status, 415);
        assert_eq!(refused.json()["error"]["code"], -32600);
    }
    let charset = "application/json; charset=utf-8";
    let served = http.post(&client.url).header(CONTENT_TYPE, charset).header("A2A-Version", "1.0");
    assert_eq!(answer(served.body(call("ListTasks", json!({})))).await.status, 200);
    let large = client.raw(vec![b' '; 16 * 1024 * 1024 + 1]).await;
    assert_eq!(large.status, 413);
    assert_eq!(large.json()["error"]["code"], -32600);
}

#[tokio::test]
async fn extensions_that_are_asked_for_are_confirmed() {
    let agent = agent().await;
    let uri = "urn:a2aspec:triggers:v1";
    let both = format!("urn:unknown, {uri}");
    let client = Client::v1_0(&agent);
    let body = || call("ListTasks", json!({}));
    let confirmed = answer(client.request(body()).header("A2A-Extensions", both)).await;
    assert_eq!(confirmed.headers["a2a-extensions"], uri);
    assert!(!client.raw(body()).await.headers.contains_key("a2a-extensions"));
}

#[tokio::test]
async fn a_request_without_a_host_is_refused() {
    let agent = agent().await;
    let address = agent.url().strip_prefix("http://").unwrap();
    for (path, host, status) in [
        ("/.well-known/agent-card.json", "Host: localhost\r\n", "200"),
        ("/.well-known/agent-card.json", "", "400"),
        ("/rest/v1/tasks", "Host: localhost\r\nHost: localhost\r\n", "400"),
        ("/1.0", "Host: a b\r\n", "400"),
    ] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\n{host}Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert_eq!(answer.split(' ').nth(1), Some(status), "{path} {host:?}: {answer}");
    }
}

#[tokio::test]
async fn stopping_ends_streams() {
    let agent = awaiting_agent().await;
    let client = Client::v1_0(&agent);
    let message = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "auth-required" }] });
    let mut stream = client.stream("SendStreamingMessage", json!({ "message": message })).await;
    for _ in 0..3 {
        stream.next().await.unwrap();
    }
    agent.stop().await;
    assert_eq!(stream.next().await, None);
    assert!(client.request(call("ListTasks", json!({}))).send().await.is_err());
}
