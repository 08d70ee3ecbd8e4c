//! The receiver of notifications (sections 4.3.3 and 13.2).

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Method, StatusCode};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::deviation::deviates;
use crate::read;

/// The header in which an agent sends the token of a configuration.
pub(crate) const TOKEN_HEADER: &str = "X-A2A-Notification-Token";
/// The largest notification, in bytes.
const LARGEST: usize = 4 << 20;
/// How many notifications are taken in a second.
const MOST: usize = 50;

/// What a receiver expects.
#[derive(Debug, Default)]
pub(crate) struct Expected {
    pub(crate) tasks: Vec<String>,
    pub(crate) token: Option<String>,
    /// `{scheme, credentials}`.
    pub(crate) authentication: Value,
}

struct Receiver {
    expected: Expected,
    /// When the last ones came.
    times: Mutex<VecDeque<Instant>>,
    /// Those that were taken, to know them again.
    taken: Mutex<VecDeque<Bytes>>,
    events: mpsc::UnboundedSender<Value>,
}

/// A receiver that is open until its server is dropped.
pub(crate) struct Open {
    pub(crate) url: String,
    pub(crate) events: mpsc::UnboundedReceiver<Value>,
    server: tokio::task::JoinHandle<()>,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// Opens a receiver on the loopback.
///
/// # Errors
/// There is no port.
pub(crate) async fn open(expected: Expected) -> Result<Open, String> {
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(|error| error.to_string())?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let (sender, events) = mpsc::unbounded_channel();
    let receiver = Receiver { expected, times: Mutex::default(), taken: Mutex::default(), events: sender };
    let router = Router::new().fallback(notified).layer(DefaultBodyLimit::max(LARGEST)).with_state(Arc::new(receiver));
    let server = tokio::spawn(async move {
        let _ = axum::serve(listener, router).await;
    });
    Ok(Open { url: format!("http://{address}/h"), events, server })
}

async fn notified(
    State(receiver): State<Arc<Receiver>>,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    let status = receiver.take(&method, &headers, &body);
    match status {
        StatusCode::OK if deviates("push/answers-500") => StatusCode::INTERNAL_SERVER_ERROR,
        StatusCode::OK if deviates("push/answers-with-a-redirect") => StatusCode::FOUND,
        status => status,
    }
}

impl Receiver {
    /// The status that answers a notification. Whose it is comes first: a stranger learns nothing.
    fn take(&self, method: &Method, headers: &HeaderMap, body: &Bytes) -> StatusCode {
        if method != Method::POST {
            return StatusCode::METHOD_NOT_ALLOWED;
        }
        if !self.is_in_time() && !deviates("push/takes-any-number") {
            return StatusCode::TOO_MANY_REQUESTS;
        }
        if !self.is_from_the_agent(headers) {
            return StatusCode::UNAUTHORIZED;
        }
        let Ok(value) = serde_json::from_slice(body) else { return StatusCode::BAD_REQUEST };
        let Ok(event) = read::message(value, "StreamResponse") else { return StatusCode::BAD_REQUEST };
        let Ok(Some(kind)) = read::payload(&event) else { return StatusCode::BAD_REQUEST };
        if kind != "task" && deviates("push/updates-refused") {
            return StatusCode::BAD_REQUEST;
        }
        let task = event[kind][if kind == "task" { "id" } else { "taskId" }].as_str().unwrap_or_default();
        if !self.expected.tasks.iter().any(|expected| expected == task) && !deviates("push/any-task-taken") {
            return StatusCode::NOT_FOUND;
        }
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.contains(body) {
            // It is known already: acknowledged, and reported once.
            return if deviates("push/second-one-refused") { StatusCode::CONFLICT } else { StatusCode::OK };
        }
        taken.push_back(body.clone());
        taken.truncate(1000);
        // Nobody listens any more once the case is closed.
        let _ = self.events.send(event);
        StatusCode::OK
    }

    /// Whether no more than [`MOST`] came in the last second.
    fn is_in_time(&self) -> bool {
        let now = Instant::now();
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        while times.front().is_some_and(|time| now.duration_since(*time) > Duration::from_secs(1)) {
            times.pop_front();
        }
        times.push_back(now);
        times.truncate(MOST + 1);
        times.len() <= MOST
    }

    /// Whether a notification has what was agreed on.
    fn is_from_the_agent(&self, headers: &HeaderMap) -> bool {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if let Some(token) = &self.expected.token
            && !deviates("push/token-unchecked")
        {
            let told = header(TOKEN_HEADER);
            let same = if deviates("push/token-checked-by-its-beginning") {
                !told.is_empty() && (told.starts_with(token.as_str()) || token.starts_with(told))
            } else {
                told == token
            };
            let missing = told.is_empty() && deviates("push/missing-token-taken");
            if !same && !missing {
                return false;
            }
        }
        let Some(scheme) = self.expected.authentication["scheme"].as_str() else { return true };
        let credentials = self.expected.authentication["credentials"].as_str().unwrap_or_default();
        let (told, given) = header("authorization").split_once(' ').unwrap_or_default();
        let same = told.eq_ignore_ascii_case(scheme) && !(deviates("push/scheme-by-its-case") && told != scheme);
        // Credentials of Basic are written encoded or not, as the agent has them.
        let encoded = scheme.eq_ignore_ascii_case("basic") && given == STANDARD.encode(credentials);
        (same && (given.trim() == credentials || encoded)) || deviates("push/authorization-unchecked")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn receiver() -> (Receiver, mpsc::UnboundedReceiver<Value>) {
        let (sender, events) = mpsc::unbounded_channel();
        let authentication = json!({ "scheme": "Bearer", "credentials": "c" });
        let expected = Expected { tasks: vec!["t1".to_owned()], token: Some("s3".to_owned()), authentication };
        (Receiver { expected, times: Mutex::default(), taken: Mutex::default(), events: sender }, events)
    }

    fn status(receiver: &Receiver, token: &'static str, authorization: &'static str, task: &str) -> u16 {
        let mut headers = HeaderMap::new();
        headers.insert("x-a2a-notification-token", token.parse().unwrap());
        headers.insert("authorization", authorization.parse().unwrap());
        let body = json!({ "task": { "id": task, "status": { "state": "TASK_STATE_COMPLETED" } } }).to_string();
        receiver.take(&Method::POST, &headers, &Bytes::from(body)).as_u16()
    }

    #[test]
    fn only_what_is_expected_is_taken_and_once() {
        let (receiver, mut events) = receiver();
        assert_eq!(status(&receiver, "s3", "bearer c", "t1"), 200);
        assert_eq!(status(&receiver, "s3", "Bearer c", "t1"), 200);
        assert_eq!(status(&receiver, "s4", "Bearer c", "t1"), 401);
        assert_eq!(status(&receiver, "s3", "Bearer d", "t1"), 401);
        assert_eq!(status(&receiver, "s3", "Bearer c", "t9"), 404);
        assert!(events.try_recv().is_ok() && events.try_recv().is_err());
    }

    #[test]
    fn a_flood_is_stopped() {
        let (receiver, _events) = receiver();
        let statuses: Vec<u16> = (0..200).map(|_| status(&receiver, "s3", "Bearer c", "t1")).collect();
        assert!(statuses.contains(&200) && statuses.contains(&429));
    }
}
