//! What one exchange shows, so that it can be compared with that of the other side.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use crate::binding::{RawEvent, is_stream};
use crate::profile::Binding;
use crate::report::exchange::{describe, ending};
use crate::report::model::ExchangeInfo;
use crate::secrets::Secrets;
use crate::transcript::{Ended, Exchange, Response};

/// The most bytes of a body that evidence shows.
const LONGEST_SHOWN: usize = 600;

/// An exchange, as far as it is compared.
#[derive(Debug, Clone)]
pub(super) struct Sight {
    /// The case that made it.
    pub case: String,
    /// Version and binding of its interface.
    pub over: String,
    /// What it called: an operation, or a method of HTTP.
    pub called: String,
    /// Whether the request has a query, an escape in its path, or names an extension.
    pub has_query: bool,
    pub has_escape: bool,
    pub has_extensions: bool,
    /// The status.
    pub status: Option<u16>,
    /// How it ended.
    pub ended: Ended,
    /// How long it took.
    pub elapsed: Duration,
    /// The headers of the response.
    pub headers: Vec<(String, String)>,
    /// The body of the response.
    pub body: Body,
    /// The error in it, by its codes.
    pub error: Option<String>,
    /// Whether the status of gRPC came.
    pub has_grpc_status: bool,
    /// The exchange for people.
    pub shown: ExchangeInfo,
}

/// What a body is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Body {
    /// Nothing.
    Empty,
    /// JSON.
    Json,
    /// The beginning of JSON.
    Broken,
    /// An event stream.
    Stream {
        /// How many events it has.
        events: usize,
        /// The names of the fields in it.
        fields: BTreeSet<String>,
        /// Whether its last event shows the end of a task.
        is_final: bool,
    },
    /// Messages of gRPC.
    Grpc,
    /// Something encoded.
    Encoded(String),
    /// A page.
    Html,
    /// Something else.
    Text,
}

/// An interface, as exchanges are told to be of it.
#[derive(Debug, Clone)]
pub(super) struct Lane {
    /// Version and binding.
    pub over: String,
    /// The binding.
    pub binding: Binding,
    /// Where it is.
    pub url: String,
}

impl Body {
    /// What it is, for people.
    pub fn told(&self) -> String {
        match self {
            Self::Empty => "no body".to_owned(),
            Self::Json => "JSON".to_owned(),
            Self::Broken => "JSON without its end".to_owned(),
            Self::Stream { .. } => "an event stream".to_owned(),
            Self::Grpc => "messages of gRPC".to_owned(),
            Self::Encoded(encoding) => format!("a body encoded with {encoding}"),
            Self::Html => "an HTML page".to_owned(),
            Self::Text => "text that is not JSON".to_owned(),
        }
    }

    fn of(response: &Response, is_grpc: bool) -> Self {
        let encoding = response.header("content-encoding").filter(|encoding| *encoding != "identity");
        if let Some(encoding) = encoding {
            return Self::Encoded(encoding.to_owned());
        }
        let body = &response.body[..];
        let start = body.iter().find(|byte| !byte.is_ascii_whitespace());
        if is_grpc && start != Some(&b'<') {
            return Self::Grpc;
        }
        if is_stream(&response.headers) {
            return stream(body);
        }
        match start {
            None => Self::Empty,
            Some(b'<') => Self::Html,
            _ if serde_json::from_slice::<Value>(body).is_ok() => Self::Json,
            Some(b'{' | b'[') => Self::Broken,
            Some(_) => Self::Text,
        }
    }
}

fn stream(body: &[u8]) -> Body {
    let text = String::from_utf8_lossy(body);
    let fields: BTreeSet<String> = text
        .lines()
        .filter(|line| !line.starts_with(':') && !line.is_empty())
        .map(|line| line.split(':').next().unwrap_or_default().to_owned())
        .collect();
    let events = RawEvent::all_of_body(body, Duration::ZERO);
    let last = events.last().map(|last| last.event.data.as_str()).unwrap_or_default();
    let ends = ["COMPLETED", "FAILED", "CANCELED", "REJECTED", "INPUT_REQUIRED", "AUTH_REQUIRED"];
    let last = last.to_ascii_uppercase().replace('-', "_");
    Body::Stream {
        events: events.len(),
        fields,
        is_final: ends.iter().any(|end| last.contains(end)) || last.contains("\"ERROR\""),
    }
}

impl Sight {
    /// What an exchange shows.
    pub fn of(exchange: &Exchange, lanes: &[Lane], secrets: &Secrets) -> Self {
        let request = &exchange.request;
        let is_grpc = request.header("content-type").is_some_and(|kind| kind.starts_with("application/grpc"));
        let lane = lane(exchange, lanes, is_grpc);
        let response = exchange.response.as_ref();
        let body = response.map_or(Body::Empty, |response| Body::of(response, is_grpc));
        let path = request.url.split('?').next().unwrap_or_default();
        let called = request.operation.map_or_else(|| request.method.clone(), |operation| operation.to_string());
        let grpc_status = response.and_then(|response| {
            let of_trailers = response.trailers.iter().find(|(name, _)| name == "grpc-status");
            of_trailers.map(|(_, value)| value.as_str()).or_else(|| response.header("grpc-status"))
        });
        let error = match is_grpc {
            true => grpc_status.filter(|status| *status != "0").map(|status| format!("gRPC status {status}")),
            false => response.and_then(|response| error(response, &body)),
        };
        Self {
            case: exchange.purpose.clone(),
            over: lane.map(|lane| lane.over.clone()).unwrap_or_default(),
            called,
            has_query: request.url.contains('?'),
            has_escape: path.contains('%'),
            has_extensions: request
                .headers
                .iter()
                .any(|(name, _)| name.to_ascii_lowercase().ends_with("a2a-extensions")),
            status: response.map(|response| response.status),
            ended: exchange.ended.clone(),
            elapsed: exchange.elapsed,
            headers: response.map(|response| response.headers.clone()).unwrap_or_default(),
            body,
            error,
            has_grpc_status: !is_grpc || grpc_status.is_some(),
            shown: describe(exchange, LONGEST_SHOWN, secrets),
        }
    }

    /// A header of the response.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The media type of the response, in lower case and without parameters.
    pub fn media_type(&self) -> Option<String> {
        let value = self.header("content-type")?;
        Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
    }

    /// What came, in a few words: the same for the same answer.
    pub fn outcome(&self) -> String {
        let Some(status) = self.status else {
            return ending(&self.ended).unwrap_or_else(|| "no response".to_owned());
        };
        match (&self.error, &self.body) {
            (Some(error), _) if error.starts_with("gRPC") => error.clone(),
            (Some(error), _) => format!("HTTP {status} with {error}"),
            (None, Body::Json | Body::Grpc | Body::Stream { .. }) if status < 300 => format!("HTTP {status}"),
            (None, body) => format!("HTTP {status} with {}", body.told()),
        }
    }

    /// Whether the other side was waited for in vain, or the connection was lost.
    pub fn is_lost(&self) -> bool {
        matches!(self.ended, Ended::TimedOut(_) | Ended::Failed(_) | Ended::Reset(_) | Ended::Closed)
    }
}

/// The interface of an exchange: that of its binding whose URL is the longest beginning of its own.
fn lane<'a>(exchange: &Exchange, lanes: &'a [Lane], is_grpc: bool) -> Option<&'a Lane> {
    let request = &exchange.request;
    let url = request.url.as_str();
    let is_of = |lane: &&Lane| match lane.binding {
        Binding::Grpc => is_grpc,
        Binding::Jsonrpc => !is_grpc && request.method == "POST" && url.split('?').next() == Some(lane.url.as_str()),
        Binding::HttpJson => !is_grpc && request.rpc_id.is_none() && url.starts_with(lane.url.trim_end_matches('/')),
    };
    if !is_grpc && url.contains("/.well-known/") {
        return None;
    }
    let path =
        |lane: &&Lane| lane.binding == Binding::Grpc && !url.contains(lane.over.split(' ').next().unwrap_or("-"));
    let best = lanes.iter().filter(is_of).max_by_key(|lane| (!path(lane), lane.url.len()))?;
    Some(best)
}

/// The error that a response has, by its codes.
fn error(response: &Response, body: &Body) -> Option<String> {
    let text: &[u8] = &response.body;
    let value: Value = match body {
        Body::Json => serde_json::from_slice(text).ok()?,
        Body::Stream { .. } => {
            let events = RawEvent::all_of_body(text, Duration::ZERO);
            serde_json::from_str(&events.first()?.event.data).ok()?
        }
        _ => return None,
    };
    let error = value.get("error").filter(|error| !error.is_null());
    let Some(error) = error else {
        let kind = value.get("type").and_then(Value::as_str).filter(|_| response.status >= 400)?;
        return Some(format!("the error {kind}"));
    };
    let code = error.get("code").map(Value::to_string);
    let status = error.get("status").and_then(Value::as_str).map(str::to_owned);
    let reason = ["details", "data"]
        .iter()
        .find_map(|name| error.get(*name)?.as_array())
        .and_then(|details| details.iter().find_map(|detail| Some(detail.get("reason")?.as_str()?.to_owned())));
    let parts: Vec<String> = [code, status, reason].into_iter().flatten().collect();
    Some(format!("the error {}", parts.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(kind: &str, body: &str) -> Response {
        Response {
            status: 404,
            headers: vec![("content-type".to_owned(), kind.to_owned())],
            body: body.to_owned().into(),
            trailers: Vec::new(),
            text: None,
        }
    }

    #[test]
    fn bodies_are_told_apart() {
        for (kind, body, told) in [
            ("application/json", "{}", "JSON"),
            ("application/json", " {\"a\": [1,", "JSON without its end"),
            ("text/html", "<html>", "an HTML page"),
            ("text/plain", "no", "text that is not JSON"),
            ("text/plain", "", "no body"),
            ("text/event-stream", "data: 1\n\n", "an event stream"),
        ] {
            assert_eq!(Body::of(&response(kind, body), false).told(), told);
        }
    }

    #[test]
    fn comments_of_streams_are_no_events() {
        let of = |body: &str| Body::of(&response("text/event-stream", body), false);
        assert_eq!(of(": hello\n\ndata: 1\n\n"), of("data: 1\n\n"));
        assert_ne!(of("id: 7\ndata: 1\n\n"), of("data: 1\n\n"));
    }

    #[test]
    fn errors_are_named_by_their_codes() {
        let of = |body: &str| error(&response("application/json", body), &Body::Json);
        assert_eq!(of(r#"{"error": {"code": -32001}}"#).as_deref(), Some("the error -32001"));
        let google = r#"{"error": {"code": 404, "status": "NOT_FOUND", "details": [{"reason": "TASK_NOT_FOUND"}]}}"#;
        assert_eq!(of(google).as_deref(), Some("the error 404 NOT_FOUND TASK_NOT_FOUND"));
        assert_eq!(of(r#"{"type": "urn:x"}"#).as_deref(), Some("the error urn:x"));
        assert_eq!(of("{}"), None);
    }
}
