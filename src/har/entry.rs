//! One entry of an archive: a request, and its response as far as the tool recorded it.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use jiff::Timestamp;
use serde_json::Value;

/// An entry. Names of headers are in lower case; the pseudo headers of HTTP/2 are left out.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// Its place in the file, from 1 on.
    pub number: u64,
    /// When the request began, where the entry says it.
    pub began: Option<Timestamp>,
    /// How exact that time is: the last digit of its text.
    pub grain: Duration,
    /// How long the exchange took.
    pub took: Duration,
    /// The method.
    pub method: String,
    /// The URL; empty where there is none.
    pub url: String,
    /// The headers of the request.
    pub headers: Vec<(String, String)>,
    /// The body of the request.
    pub body: Body,
    /// The response, if one was recorded.
    pub answer: Option<Answered>,
    /// Whether the response is not the server's own: a cache or a script of the page gave it.
    pub is_local: bool,
    /// What a trace of the suite says beside that.
    pub own: Option<Own>,
}

/// A response.
#[derive(Debug, Clone)]
pub(crate) struct Answered {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Body,
    /// The trailers, which archives do not have.
    pub trailers: Vec<(String, String)>,
}

/// A body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Body {
    /// All of it.
    Whole(Bytes),
    /// The beginning of it, or what may be that.
    Cut(Bytes),
    /// It was not recorded, and how it came to that, as a clause.
    Missing(&'static str),
}

/// What a trace of the suite says of an exchange that the format has no place for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Own {
    /// How it ended, if not by a complete response.
    pub ended: Option<String>,
    /// Whether the agent made the request.
    pub is_inbound: bool,
    /// Whether the body of the request is all that was written.
    pub is_verbatim: bool,
    /// Whether the request was written as exact bytes, so that its parameters are not those of a call.
    pub is_exact: bool,
    /// What it was for.
    pub purpose: String,
}

impl Entry {
    /// Reads an entry, whatever it is.
    pub(crate) fn read(number: u64, mut entry: Value) -> Self {
        let (began, grain) = time(entry.get("startedDateTime").and_then(Value::as_str).unwrap_or_default());
        let milliseconds = entry.get("time").and_then(Value::as_f64).unwrap_or_default();
        let took = Duration::try_from_secs_f64(milliseconds.max(0.0) / 1e3).unwrap_or_default();
        let from_cache = entry.get("_fromCache").is_some_and(|cache| !cache.is_null());
        let by_script = entry.get("_fetchedViaServiceWorker").and_then(Value::as_bool) == Some(true);
        let own = entry.get(super::OWN).and_then(Own::read);
        let mut request = entry.get_mut("request").map(Value::take).unwrap_or_default();
        let response = entry.get_mut("response").map(Value::take).unwrap_or_default();
        let method = text(&request, "method").to_ascii_uppercase();
        Self {
            number,
            began,
            grain,
            took,
            url: text(&request, "url").to_owned(),
            headers: headers(&request),
            body: request_body(&mut request),
            answer: answered(response, &method),
            method,
            is_local: from_cache || by_script,
            own,
        }
    }

    /// The first header of the request with this name (lower case).
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl Body {
    /// What there is of it.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Whole(bytes) | Self::Cut(bytes) => bytes,
            Self::Missing(_) => &[],
        }
    }
}

impl Own {
    fn read(value: &Value) -> Option<Self> {
        let is = |name: &str| value.get(name).and_then(Value::as_bool) == Some(true);
        value.is_object().then(|| Self {
            ended: value.get("ended").and_then(Value::as_str).map(str::to_owned),
            is_inbound: is("inbound"),
            is_verbatim: is("verbatim"),
            is_exact: is("exact"),
            purpose: text(value, "purpose").to_owned(),
        })
    }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A time, and what its last digit is worth.
fn time(text: &str) -> (Option<Timestamp>, Duration) {
    let began = text.parse().ok();
    let digits = text.split_once('.').map_or(0, |(_, rest)| rest.bytes().take_while(u8::is_ascii_digit).count());
    let grain = 10_u64.checked_pow(9_u32.saturating_sub(u32::try_from(digits).unwrap_or(9))).unwrap_or(1);
    (began, Duration::from_nanos(grain))
}

fn headers(message: &Value) -> Vec<(String, String)> {
    let list = message.get("headers").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let pairs = list.iter().map(|header| (text(header, "name").to_ascii_lowercase(), text(header, "value").to_owned()));
    pairs.filter(|(name, _)| !name.is_empty() && !name.starts_with(':')).collect()
}

/// The body of a request: browsers leave one out that a script streamed, and write its size all the same.
fn request_body(request: &mut Value) -> Body {
    let size = request.get("bodySize").and_then(Value::as_i64).unwrap_or(-1);
    let Some(data) = request.get_mut("postData") else {
        return if size > 0 { Body::Missing("the archive has no request body") } else { Body::Whole(Bytes::new()) };
    };
    let encoding = data.get("encoding").or_else(|| data.get("_encoding")).and_then(Value::as_str).map(str::to_owned);
    match data.get_mut("text").map(Value::take) {
        Some(Value::String(text)) => decoded(text, encoding.as_deref(), "the request body is not valid base64"),
        _ if size > 0 => Body::Missing("the archive has no request body"),
        _ => Body::Whole(Bytes::new()),
    }
}

fn answered(mut response: Value, method: &str) -> Option<Answered> {
    // Browsers write the status 0 of a request without a response.
    let status = response.get("status").and_then(Value::as_u64).and_then(|status| u16::try_from(status).ok())?;
    if !(100..1_000).contains(&status) {
        return None;
    }
    let headers = headers(&response);
    let has_none = method == "HEAD" || matches!(status, 100..200 | 204 | 304);
    let written = response.get("bodySize").and_then(Value::as_i64);
    let mut content = response.get_mut("content").map(Value::take).unwrap_or_default();
    let body = match content.get_mut("text").map(Value::take) {
        Some(Value::String(text)) => response_body(text, &content, written),
        _ if has_none => Body::Whole(Bytes::new()),
        _ => Body::Missing("the archive has no response body"),
    };
    Some(Answered { status, headers, body, trailers: Vec::new() })
}

/// A body with its text. A tool that keeps the beginning of a long body gives the size of all of it, or a comment.
fn response_body(text: String, content: &Value, written: Option<i64>) -> Body {
    let size = content.get("size").and_then(Value::as_i64).unwrap_or(-1);
    if text.is_empty() && (size > 0 || written.unwrap_or_default() > 0) {
        return Body::Missing("the archive has no response body");
    }
    let is_said = ["truncated", "only the beginning"].iter().any(|word| self::text(content, "comment").contains(word));
    let encoding = content.get("encoding").and_then(Value::as_str);
    match decoded(text, encoding, "the response body is not valid base64") {
        Body::Whole(bytes) if is_said || i64::try_from(bytes.len()).is_ok_and(|length| length < size) => {
            Body::Cut(bytes)
        }
        body => body,
    }
}

fn decoded(text: String, encoding: Option<&str>, wrong: &'static str) -> Body {
    match encoding {
        Some(encoding) if encoding.eq_ignore_ascii_case("base64") => {
            let digits: String = text.chars().filter(|digit| !digit.is_ascii_whitespace()).collect();
            STANDARD.decode(digits).map_or(Body::Missing(wrong), |bytes| Body::Whole(Bytes::from(bytes)))
        }
        Some(encoding) if !encoding.is_empty() => Body::Missing("the archive has the body in an unknown encoding"),
        _ => Body::Whole(Bytes::from(text)),
    }
}

#[cfg(test)]
mod tests;
