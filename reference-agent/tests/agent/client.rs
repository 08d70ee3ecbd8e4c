//! A small client that knows nothing of A2A but its envelopes.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::time::Duration;

use a2a_reference_agent::{Capability, Config, RunningAgent};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use serde_json::{Value, json};

/// How long a test waits for anything.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// An agent that is as `config` says.
pub async fn start(config: Config) -> RunningAgent {
    a2a_reference_agent::start(config, SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap()
}

/// An agent whose `slow` takes `slow_ms`.
pub async fn agent_with(without: &[Capability], slow_ms: u64) -> RunningAgent {
    let config = Config {
        without: BTreeSet::from_iter(without.iter().copied()),
        slow: Duration::from_millis(slow_ms),
        ..Config::default()
    };
    start(config).await
}

/// An agent whose streams stay open while their tasks wait for credentials.
pub async fn awaiting_agent() -> RunningAgent {
    let config = Config { streams_await_credentials: true, ..Config::default() };
    start(config).await
}

/// An agent with everything.
pub async fn agent() -> RunningAgent {
    agent_with(&[], 300).await
}

/// An answer of the agent.
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

/// A client that goes straight to the agent: a proxy of this machine is no part of a test.
pub fn http() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}

/// Calls of one version.
pub struct Client {
    pub url: String,
    version: &'static str,
    http: reqwest::Client,
}

impl Client {
    pub fn v1_0(agent: &RunningAgent) -> Self {
        Self { url: format!("{}/1.0", agent.url()), version: "1.0", http: http() }
    }

    pub fn v1_0_draft(agent: &RunningAgent) -> Self {
        Self { url: format!("{}/1.0-draft/a2a", agent.url()), version: "1.0", http: http() }
    }

    pub fn v0_3(agent: &RunningAgent) -> Self {
        Self { url: format!("{}/0.3", agent.url()), version: "", http: http() }
    }

    /// Calls of a version that has a base of its own; `base` is such a one.
    pub fn below(base: &str) -> Self {
        Self { url: format!("{base}/a2a"), version: "", http: http() }
    }

    pub fn request(&self, body: impl Into<reqwest::Body>) -> reqwest::RequestBuilder {
        let request = self.http.post(&self.url).header(CONTENT_TYPE, "application/json").body(body);
        if self.version.is_empty() { request } else { request.header("A2A-Version", self.version) }
    }

    /// Sends a body as it is.
    pub async fn raw(&self, body: impl Into<reqwest::Body>) -> Answer {
        answer(self.request(body)).await
    }

    /// The whole response to a call.
    pub async fn respond(&self, method: &str, params: Value) -> Value {
        let answer = self.raw(call(method, params)).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!(answer.headers[CONTENT_TYPE], "application/json");
        let response = answer.json();
        assert_eq!(response["jsonrpc"], "2.0");
        assert_eq!(response["id"], "call");
        response
    }

    /// The result of a call.
    pub async fn result(&self, method: &str, params: Value) -> Value {
        let mut response = self.respond(method, params).await;
        assert!(response.get("error").is_none(), "{response}");
        response["result"].take()
    }

    /// The code of the error that a call gives.
    pub async fn code(&self, method: &str, params: Value) -> i64 {
        let response = self.respond(method, params).await;
        response["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error in {response}"))
    }

    /// The results of a stream, as they come.
    pub async fn stream(&self, method: &str, params: Value) -> Events {
        let response = self.request(call(method, params)).send().await.unwrap();
        assert_eq!(response.headers()[CONTENT_TYPE], "text/event-stream");
        Events::new(response, |mut response| {
            assert_eq!((&response["jsonrpc"], &response["id"]), (&json!("2.0"), &json!("call")));
            response["result"].take()
        })
    }

    /// All results of a stream that ends.
    pub async fn events(&self, method: &str, params: Value) -> Vec<Value> {
        self.stream(method, params).await.all().await
    }

    /// Polls until a task is in `state`.
    pub async fn wait_for(&self, method: &str, id: &Value, state: &str) -> Value {
        let polling = async {
            loop {
                let task = self.result(method, json!({ "id": id })).await;
                if task["status"]["state"] == state {
                    return task;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(PATIENCE, polling).await.unwrap()
    }
}

/// A stream under way.
pub struct Events {
    chunks: BoxStream<'static, Vec<u8>>,
    rest: Vec<u8>,
    unwrap: fn(Value) -> Value,
}

impl Events {
    /// The events of a response; `unwrap` takes them out of what the binding puts around them.
    pub fn new(response: reqwest::Response, unwrap: fn(Value) -> Value) -> Self {
        let chunks = response.bytes_stream().map(|chunk| chunk.unwrap().to_vec()).boxed();
        Self { chunks, rest: Vec::new(), unwrap }
    }

    /// All that come until the stream ends.
    pub async fn all(mut self) -> Vec<Value> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }

    pub async fn next(&mut self) -> Option<Value> {
        tokio::time::timeout(PATIENCE, self.read()).await.expect("an event or the end of the stream")
    }

    async fn read(&mut self) -> Option<Value> {
        loop {
            if let Some(end) = self.rest.windows(2).position(|pair| pair == b"\n\n") {
                let event: Vec<u8> = self.rest.drain(..end + 2).collect();
                let event = String::from_utf8(event).unwrap();
                let data = event.strip_prefix("data: ").and_then(|event| event.strip_suffix("\n\n")).unwrap();
                return Some((self.unwrap)(serde_json::from_str(data).unwrap()));
            }
            self.rest.extend(self.chunks.next().await?);
        }
    }
}

pub async fn answer(request: reqwest::RequestBuilder) -> Answer {
    let response = request.timeout(PATIENCE).send().await.unwrap();
    Answer {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        body: response.text().await.unwrap(),
    }
}

pub fn call(method: &str, params: Value) -> String {
    json!({ "jsonrpc": "2.0", "id": "call", "method": method, "params": params }).to_string()
}
