//! Answers as JSON, whatever carries them.

pub mod grpc;
pub mod whole;

use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;

fn has_type(headers: &HeaderMap, prefix: &str) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(prefix.as_bytes()))
}

/// Whether something is a message of gRPC.
pub fn is_grpc(headers: &HeaderMap) -> bool {
    has_type(headers, "application/grpc")
}

/// Whether something is an event stream.
pub fn is_event_stream(headers: &HeaderMap) -> bool {
    has_type(headers, "text/event-stream")
}

/// Whether something is JSON.
pub fn has_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json") || essence.to_ascii_lowercase().ends_with("+json")
}
