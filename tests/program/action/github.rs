//! The part of the service's API that comments of pull requests need, on this machine.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use super::super::agent::Agent;

/// The token of the job.
pub const TOKEN: &str = "t0ken-of-the-job";

/// The repository.
pub const REPOSITORY: &str = "o/agent";

/// The longest text of a comment, in characters.
const LONGEST: usize = 65_536;

/// How many comments a page has.
const PAGE: usize = 100;

/// The service, with comments of all pull requests, the oldest first.
pub struct GitHub {
    server: Agent,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    comments: Vec<Value>,
    /// The requests, each as its method and its path.
    asked: Vec<String>,
    /// The answer to all that changes anything, if it is refused.
    refusal: Option<StatusCode>,
}

impl GitHub {
    pub fn start() -> Self {
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        let server = Agent::serve(async move |_| {
            Router::new().fallback(move |request: Request| {
                let shared = Arc::clone(&shared);
                async move {
                    let (head, body) = request.into_parts();
                    let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
                    let token = head.headers.get("authorization").and_then(|value| value.to_str().ok());
                    if token != Some(&format!("Bearer {TOKEN}")) {
                        return StatusCode::UNAUTHORIZED.into_response();
                    }
                    let body = serde_json::from_slice(&body).unwrap_or_default();
                    shared.lock().unwrap().answer(&head.method, &head.uri.to_string(), &body)
                }
            })
        });
        Self { server, state }
    }

    /// The same, but it refuses all that changes anything.
    pub fn that_refuses(with: StatusCode) -> Self {
        let github = Self::start();
        github.state.lock().unwrap().refusal = Some(with);
        github
    }

    pub fn url(&self) -> &str {
        &self.server.url
    }

    /// The texts of the comments.
    pub fn comments(&self) -> Vec<String> {
        let state = self.state.lock().unwrap();
        state.comments.iter().map(|comment| comment["body"].as_str().unwrap().to_owned()).collect()
    }

    /// The requests so far.
    pub fn asked(&self) -> Vec<String> {
        self.state.lock().unwrap().asked.clone()
    }

    /// Somebody comments on a pull request.
    pub fn comment(&self, on: &str, text: &str, kind: &str) {
        self.state.lock().unwrap().add(on, text, kind);
    }
}

impl State {
    fn add(&mut self, on: &str, text: &str, kind: &str) {
        let id = 9_000_000_000_u64 + self.comments.len() as u64;
        self.comments.push(json!({"id": id, "on": on, "body": text, "user": {"type": kind}}));
    }

    fn answer(&mut self, method: &Method, uri: &str, body: &Value) -> Response {
        self.asked.push(format!("{method} {uri}"));
        let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
        let Some(path) = path.strip_prefix(&format!("/repos/{REPOSITORY}/issues/")) else {
            return StatusCode::NOT_FOUND.into_response();
        };
        if let (Some(refusal), true) = (self.refusal, method != Method::GET) {
            return (refusal, r#"{"message":"Resource not accessible by integration"}"#).into_response();
        }
        let text = body["body"].as_str().unwrap_or_default();
        if method != Method::GET && (text.is_empty() || text.chars().count() > LONGEST) {
            return StatusCode::UNPROCESSABLE_ENTITY.into_response();
        }
        if let (&Method::PATCH, Some(id)) = (method, path.strip_prefix("comments/")) {
            let known = self.comments.iter_mut().find(|comment| comment["id"].as_u64() == id.parse().ok());
            return known
                .map_or(StatusCode::NOT_FOUND, |comment| {
                    comment["body"] = text.into();
                    StatusCode::OK
                })
                .into_response();
        }
        match (method, path.strip_suffix("/comments")) {
            (&Method::GET, Some(on)) => {
                let page: usize = query.strip_prefix("per_page=100&page=").unwrap().parse().unwrap();
                let of_it = self.comments.iter().filter(|comment| comment["on"] == on);
                let shown: Vec<&Value> = of_it.skip(PAGE * (page - 1)).take(PAGE).collect();
                json!(shown).to_string().into_response()
            }
            (&Method::POST, Some(on)) => {
                self.add(on, text, "Bot");
                StatusCode::CREATED.into_response()
            }
            _ => StatusCode::NOT_FOUND.into_response(),
        }
    }
}
