//! A small client for HTTP+JSON.

use a2a_reference_agent::RunningAgent;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Method, RequestBuilder};
use serde_json::Value;

use crate::client::{Answer, Events, answer};

/// Requests of one version.
pub struct Rest {
    /// The base of the addresses, without a slash at the end.
    pub base: String,
    version: Option<&'static str>,
    pub media_type: &'static str,
    http: reqwest::Client,
}

impl Rest {
    pub fn v1_0(agent: &RunningAgent) -> Self {
        Self {
            base: format!("{}/rest", agent.url()),
            version: Some("1.0"),
            media_type: "application/a2a+json",
            http: crate::client::http(),
        }
    }

    pub fn v1_0_draft(agent: &RunningAgent) -> Self {
        Self {
            base: format!("{}/1.0-draft/v1", agent.url()),
            version: Some("1.0"),
            media_type: "application/json",
            http: crate::client::http(),
        }
    }

    pub fn v0_3(agent: &RunningAgent) -> Self {
        Self {
            base: format!("{}/rest/v1", agent.url()),
            version: None,
            media_type: "application/json",
            http: crate::client::http(),
        }
    }

    /// A request without a body.
    pub fn bare(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.base));
        match self.version {
            Some(version) => request.header("A2A-Version", version),
            None => request,
        }
    }

    /// A POST.
    pub fn posting(&self, path: &str, body: impl Into<reqwest::Body>) -> RequestBuilder {
        self.bare(Method::POST, path).header(CONTENT_TYPE, self.media_type).body(body)
    }

    /// The whole answer to a GET.
    pub async fn fetch(&self, path: &str) -> Answer {
        answer(self.bare(Method::GET, path)).await
    }

    /// What is at `path`.
    pub async fn get(&self, path: &str) -> Value {
        self.good(self.fetch(path).await)
    }

    /// What comes of a POST.
    pub async fn post(&self, path: &str, body: Value) -> Value {
        self.good(answer(self.posting(path, body.to_string())).await)
    }

    pub async fn delete(&self, path: &str) -> Value {
        self.good(answer(self.bare(Method::DELETE, path)).await)
    }

    fn good(&self, answer: Answer) -> Value {
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!(answer.headers[CONTENT_TYPE], self.media_type);
        answer.json()
    }

    /// The stream that a request opens.
    pub async fn stream(&self, request: RequestBuilder) -> Events {
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()[CONTENT_TYPE], "text/event-stream");
        Events::new(response, |event| event)
    }

    /// The stream that a POST opens.
    pub async fn post_stream(&self, path: &str, body: Value) -> Events {
        self.stream(self.posting(path, body.to_string())).await
    }
}

/// The status of a refusal and, if it is one of A2A 1.0, its reason. The body must be well-formed in any case.
pub fn refusal(answer: &Answer) -> (u16, Option<String>) {
    let body = answer.json();
    let error = &body["error"];
    assert_eq!(error["code"], answer.status, "{body}");
    assert!(error["status"].is_string() && error["message"].is_string(), "{body}");
    let reason = error["details"].as_array().unwrap().iter().find_map(|detail| {
        let is_info = detail["@type"] == "type.googleapis.com/google.rpc.ErrorInfo";
        assert!(!is_info || detail["domain"] == "a2a-protocol.org", "{body}");
        is_info.then(|| detail["reason"].as_str().unwrap().to_owned())
    });
    (answer.status, reason)
}
