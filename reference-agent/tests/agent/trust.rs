//! Requests that are meant for somebody else, or that show two callers at once.

use a2a_reference_agent::{Config, RunningAgent, Scheme};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, HOST, WWW_AUTHENTICATE};
use serde_json::json;
use tonic::Code;
use tonic::transport::Endpoint;

use crate::client::{Answer, Client, agent, answer, call, http, start};
use crate::grpc::proto::v1_0::ListTasksRequest;
use crate::grpc::proto::v1_0::a2a_service_client::A2aServiceClient;
use crate::grpc::{channel, with};

const VERSION: (&str, &str) = ("a2a-version", "1.0");

/// What a page of a stranger can send to an agent on the reader's machine.
async fn listed(agent: &RunningAgent, host: &str) -> [u16; 3] {
    let http = http();
    let card = http.get(format!("{}/.well-known/agent-card.json", agent.url())).header(HOST, host);
    let tasks = http.get(format!("{}/rest/tasks", agent.url())).header(VERSION.0, VERSION.1).header(HOST, host);
    let called = Client::v1_0(agent).request(call("ListTasks", json!({}))).header(HOST, host);
    [answer(card).await.status, answer(tasks).await.status, answer(called).await.status]
}

/// The status of gRPC of a call whose `:authority` is this.
async fn listed_over_grpc(agent: &RunningAgent, authority: &str) -> Code {
    let endpoint = Endpoint::from_shared(agent.url().to_owned()).unwrap();
    let origin = format!("http://{authority}").parse().unwrap();
    let mut client = A2aServiceClient::new(endpoint.origin(origin).connect().await.unwrap());
    let listed = client.list_tasks(with(ListTasksRequest::default(), &[VERSION])).await;
    listed.map_or_else(|status| status.code(), |_| Code::Ok)
}

#[tokio::test]
async fn an_agent_answers_to_its_own_hosts_alone() {
    let agent = agent().await;
    for host in ["localhost", "localhost:1234", "127.0.0.1", "[::1]:8080"] {
        assert_eq!(listed(&agent, host).await, [200; 3], "{host}");
    }
    for host in ["rebound.example", "localhost.rebound.example:80", "192.0.2.1"] {
        assert_eq!(listed(&agent, host).await, [421; 3], "{host}");
        assert_ne!(listed_over_grpc(&agent, host).await, Code::Ok, "{host}");
    }
    assert_eq!(listed_over_grpc(&agent, "localhost:1").await, Code::Ok);
    let named = start(Config { host: Some("agent.example".to_owned()), ..Config::default() }).await;
    let port = named.url().rsplit(':').next().unwrap().to_owned();
    // Its own URL leads to its name, which nobody resolves here.
    let there = format!("http://127.0.0.1:{port}/.well-known/agent-card.json");
    for (host, status) in [("agent.example", 200), ("localhost", 200), ("rebound.example", 421)] {
        let card = answer(http().get(&there).header(HOST, host)).await;
        assert_eq!(card.status, status, "{host}");
    }
}

/// A call of an agent with the user ann, who has the token `a`.
async fn by(agent: &RunningAgent, query: &str, headers: &[(reqwest::header::HeaderName, &str)]) -> Answer {
    let http = http().post(format!("{}/1.0{query}", agent.url()));
    let request = http.header(CONTENT_TYPE, "application/json").header(VERSION.0, VERSION.1);
    let request = headers.iter().fold(request, |request, (name, value)| request.header(name, *value));
    answer(request.body(call("ListTasks", json!({})))).await
}

#[tokio::test]
async fn two_credentials_are_none() {
    let with_users = |scheme: &str| {
        let schemes: Vec<Scheme> = vec![scheme.parse().unwrap()];
        start(Config { users: vec!["ann=a".parse().unwrap()], schemes, ..Config::default() })
    };
    let key = reqwest::header::HeaderName::from_static("x-key");
    let bearer = with_users("bearer").await;
    assert_eq!(by(&bearer, "", &[(AUTHORIZATION, "Bearer a")]).await.status, 200);
    for second in ["Bearer a", "Bearer b", "Basic YTpi"] {
        let refused = by(&bearer, "", &[(AUTHORIZATION, "Bearer a"), (AUTHORIZATION, second)]).await;
        assert_eq!(refused.status, 401, "{second}: {}", refused.body);
        let challenge = refused.headers[WWW_AUTHENTICATE].to_str().unwrap();
        assert!(challenge.starts_with("Bearer ") && challenge.contains("invalid_request"), "{challenge}");
    }
    let mut grpc = A2aServiceClient::new(channel(&bearer).await);
    let mut code = async |metadata: &[(&'static str, &str)]| {
        let listed = grpc.list_tasks(with(ListTasksRequest::default(), metadata)).await;
        listed.map_or_else(|status| status.code(), |_| Code::Ok)
    };
    let shown = ("authorization", "Bearer a");
    assert_eq!(code(&[VERSION, shown]).await, Code::Ok);
    assert_eq!(code(&[VERSION, shown, shown]).await, Code::Unauthenticated);

    let in_header = with_users("api-key=header:X-Key").await;
    assert_eq!(by(&in_header, "", &[(key.clone(), "a")]).await.status, 200);
    assert_eq!(by(&in_header, "", &[(key.clone(), "a"), (key, "b")]).await.status, 401);
    let in_query = with_users("api-key=query:k").await;
    assert_eq!(by(&in_query, "?k=a", &[]).await.status, 200);
    assert_eq!(by(&in_query, "?k=a&k=b", &[]).await.status, 401);
    let in_cookie = with_users("api-key=cookie:k").await;
    assert_eq!(by(&in_cookie, "", &[(COOKIE, "k=a; j=b")]).await.status, 200);
    assert_eq!(by(&in_cookie, "", &[(COOKIE, "k=a; k=b")]).await.status, 401);
    // Who asks for no credentials is not sent two of them by mistake.
    let open = agent().await;
    let twice = [(AUTHORIZATION, "Bearer a"), (AUTHORIZATION, "Bearer b")];
    assert_eq!((by(&open, "", &twice[..1]).await.status, by(&open, "", &twice).await.status), (200, 401));
}
