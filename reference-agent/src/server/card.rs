use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::body::Bytes;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};

use serde_json::Value;

use crate::core::fnv1a;
use crate::model::Timestamp;

/// The card as it is served: written once, with what caches need to know (section 8.6.1).
#[derive(Debug)]
pub struct CardDocument {
    body: Bytes,
    entity_tag: String,
    last_modified: Timestamp,
}

impl CardDocument {
    /// Writes a card that has just come into being.
    ///
    /// # Errors
    /// None that a card can cause.
    pub fn new(card: &Value) -> io::Result<Self> {
        let body = serde_json::to_vec_pretty(card)?;
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        Ok(Self {
            entity_tag: format!("\"{:016x}\"", fnv1a(&body)),
            body: body.into(),
            last_modified: Timestamp::from_milliseconds(i64::try_from(seconds * 1000).unwrap_or(i64::MAX)),
        })
    }

    /// Answers GET and HEAD; the server takes the body from answers to HEAD.
    pub fn serve(&self, request: &HeaderMap) -> Response {
        let headers: [(HeaderName, String); 3] = [
            (CACHE_CONTROL, "public, max-age=60".to_owned()),
            (ETAG, self.entity_tag.clone()),
            (LAST_MODIFIED, self.last_modified.to_http_date()),
        ];
        if self.is_known_to(request) {
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        (headers, [(CONTENT_TYPE, "application/json")], self.body.clone()).into_response()
    }

    /// Whether the client has this card already (RFC 9110, section 13.1). The entity tag, where there is one, decides.
    fn is_known_to(&self, request: &HeaderMap) -> bool {
        if request.contains_key(IF_NONE_MATCH) {
            let values = request.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
            let mut tags = values.flat_map(|value| value.split(',')).map(str::trim);
            return tags.any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == self.entity_tag);
        }
        request
            .get(IF_MODIFIED_SINCE)
            .and_then(|value| Timestamp::from_http_date(value.to_str().ok()?))
            .is_some_and(|since| self.last_modified <= since)
    }
}
