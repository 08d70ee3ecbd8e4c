//! The reference agent behind something that spoils its answers.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, Response, StatusCode};
use axum::response::IntoResponse as _;

use super::agent::{Agent, reference};

/// The longest request that a test makes, in bytes.
const LONGEST: usize = 1 << 20;

/// Headers that the changed body gets anew.
const OF_THE_FRAMING: [&str; 2] = ["transfer-encoding", "content-length"];

/// What is in front collects a stream before it passes it on. This leaves out the case that finds that.
pub const COLLECTS: [&str; 2] = ["--skip", "stream/arrives-in-time"];

/// What the suite asked.
pub struct Asked {
    pub path: String,
    pub query: String,
    pub headers: HeaderMap,
    pub body: String,
}

impl Asked {
    /// Whether it is about the protocol and not the card.
    pub fn is_call(&self) -> bool {
        !self.path.starts_with("/.well-known")
    }

    /// Whether it is a call over gRPC.
    pub fn is_grpc(&self) -> bool {
        let kind = self.headers.get("content-type").and_then(|kind| kind.to_str().ok());
        kind.is_some_and(|kind| kind.starts_with("application/grpc"))
    }
}

/// The reference agent, whose whole answers `change` may replace; its card names the address of what is in front. What
/// is in front carries no gRPC: the answer to every rpc is UNIMPLEMENTED.
pub fn reference_agent(change: impl Fn(Asked, Response<Bytes>) -> Response<Body> + Send + Sync + 'static) -> Agent {
    let change = Arc::new(change);
    Agent::serve(async move |url| {
        let agent = Arc::new(reference(Some(url)).await);
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        Router::new().fallback(move |request: Request| {
            let (agent, client, change) = (Arc::clone(&agent), client.clone(), Arc::clone(&change));
            async move {
                let (head, body) = request.into_parts();
                let Ok(body) = axum::body::to_bytes(body, LONGEST).await else {
                    return StatusCode::PAYLOAD_TOO_LARGE.into_response();
                };
                let path = head.uri.path().to_owned();
                let query = head.uri.query().unwrap_or_default().to_owned();
                let (headers, body_text) = (head.headers.clone(), String::from_utf8_lossy(&body).into_owned());
                let asked = Asked { path, query, headers, body: body_text };
                if asked.is_grpc() {
                    let unimplemented = [("content-type", "application/grpc"), ("grpc-status", "12")];
                    return change(asked, (unimplemented, ()).into_response().map(|_| Bytes::new()));
                }
                // Whoever takes it for a proxy says the whole URL.
                let url = format!("{}{}", agent.url(), head.uri.path_and_query().map_or("/", |path| path.as_str()));
                let mut headers = head.headers.clone();
                headers.remove("host");
                let answer = client.request(head.method, url).headers(headers).body(body.clone()).send().await.unwrap();
                let mut spoiled = Response::builder().status(answer.status());
                for (name, value) in
                    answer.headers().iter().filter(|(name, _)| !OF_THE_FRAMING.contains(&name.as_str()))
                {
                    spoiled = spoiled.header(name, value);
                }
                let answer = spoiled.body(answer.bytes().await.unwrap()).unwrap();
                change(asked, answer)
            }
        })
    })
}

/// An answer as it is.
pub fn unchanged(answer: Response<Bytes>) -> Response<Body> {
    answer.map(Body::from)
}

/// Whether an answer is an event stream.
pub fn is_stream(answer: &Response<Bytes>) -> bool {
    let kind = answer.headers().get("content-type").and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/event-stream"))
}
