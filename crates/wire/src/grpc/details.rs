//! `grpc-status-details-bin`: a `google.rpc.Status` in base64.

use std::collections::BTreeMap;

use prost::Message;
use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::base64::{self, Alphabet, Base64Error};

/// The most details, and the most items in one, that are read: more than anyone sends who wants them to be read.
const MOST: usize = 128;

/// A `google.rpc.Status`.
#[derive(Debug, Clone, PartialEq)]
pub struct Details {
    /// The bytes that the base64 spells.
    pub bytes: Vec<u8>,
    /// What they say, as ProtoJSON writes it: `{"code", "message", "details": [{"@type", ...}]}`, these three always
    /// there, and the members of the details where they are not empty. `ErrorInfo`, `BadRequest` and `RetryInfo` of
    /// `google.rpc` are spelled out; any other detail is `{"@type", "value"}` with its bytes in base64.
    pub value: Value,
}

/// Details that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DetailsError {
    /// The text is no base64.
    #[error("{0}")]
    Base64(#[from] Base64Error),
    /// The text is of the alphabet with `-` and `_`, and gRPC uses the one with `+` and `/` ("Binary-Header").
    #[error("character {found:?} at byte {at} is of the URL-safe base64 alphabet, and gRPC uses the standard one")]
    UrlSafe {
        /// Byte offset.
        at: usize,
        /// The character.
        found: char,
    },
    /// The bytes are no such message.
    #[error("{0}")]
    Protobuf(Malformed),
}

/// Bytes that are no message of the type that they should be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{place}: not a {kind}: {reason}")]
pub struct Malformed {
    /// Which bytes: `grpc-status-details-bin`, or `details[0]` in it.
    pub place: String,
    /// Full name of the message.
    pub kind: String,
    /// What the decoder says.
    pub reason: String,
}

#[derive(Clone, PartialEq, Message)]
struct RpcStatus {
    #[prost(int32, tag = "1")]
    code: i32,
    #[prost(string, tag = "2")]
    message: String,
    #[prost(message, repeated, tag = "3")]
    details: Vec<Any>,
}

#[derive(Clone, PartialEq, Message)]
struct Any {
    #[prost(string, tag = "1")]
    type_url: String,
    #[prost(bytes = "vec", tag = "2")]
    value: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
struct ErrorInfo {
    #[prost(string, tag = "1")]
    reason: String,
    #[prost(string, tag = "2")]
    domain: String,
    #[prost(btree_map = "string, string", tag = "3")]
    metadata: BTreeMap<String, String>,
}

#[derive(Clone, PartialEq, Message)]
struct BadRequest {
    #[prost(message, repeated, tag = "1")]
    field_violations: Vec<FieldViolation>,
}

#[derive(Clone, PartialEq, Message)]
struct FieldViolation {
    #[prost(string, tag = "1")]
    field: String,
    #[prost(string, tag = "2")]
    description: String,
    #[prost(string, tag = "3")]
    reason: String,
    #[prost(message, optional, tag = "4")]
    localized_message: Option<LocalizedMessage>,
}

#[derive(Clone, PartialEq, Message)]
struct LocalizedMessage {
    #[prost(string, tag = "1")]
    locale: String,
    #[prost(string, tag = "2")]
    message: String,
}

#[derive(Clone, PartialEq, Message)]
struct RetryInfo {
    #[prost(message, optional, tag = "1")]
    retry_delay: Option<Delay>,
}

/// A `google.protobuf.Duration`.
#[derive(Clone, PartialEq, Message)]
struct Delay {
    #[prost(int64, tag = "1")]
    seconds: i64,
    #[prost(int32, tag = "2")]
    nanos: i32,
}

impl Details {
    /// Reads the value of `grpc-status-details-bin`, padded or not ("Binary-Header" allows both).
    ///
    /// # Errors
    /// It is not base64 of the standard alphabet, or its bytes are no `google.rpc.Status`.
    pub fn read(text: &str) -> Result<Self, DetailsError> {
        if base64::check(text)?.alphabet == Alphabet::UrlSafe
            && let Some((at, found)) = text.char_indices().find(|(_, found)| matches!(found, '-' | '_'))
        {
            return Err(DetailsError::UrlSafe { at, found });
        }
        Self::decode(base64::decode(text)?).map_err(DetailsError::Protobuf)
    }

    /// Reads the bytes of a `google.rpc.Status`.
    ///
    /// # Errors
    /// They are none, or a detail is not of the type that it says.
    pub fn decode(bytes: Vec<u8>) -> Result<Self, Malformed> {
        let status: RpcStatus = decode("grpc-status-details-bin", "google.rpc.Status", &bytes)?;
        let details: Result<Vec<Value>, _> = status.details.iter().take(MOST).enumerate().map(detail).collect();
        let value = json!({ "code": status.code, "message": status.message, "details": details? });
        Ok(Self { bytes, value })
    }
}

fn decode<M: Message + Default>(place: &str, kind: &str, bytes: &[u8]) -> Result<M, Malformed> {
    M::decode(bytes).map_err(|error| Malformed {
        place: place.to_owned(),
        kind: kind.to_owned(),
        reason: error.to_string(),
    })
}

fn detail((index, any): (usize, &Any)) -> Result<Value, Malformed> {
    let place = format!("details[{index}]");
    let kind = any.type_url.rsplit('/').next().unwrap_or_default();
    let mut members = Members::default();
    members.0.insert("@type".to_owned(), json!(any.type_url));
    match kind {
        "google.rpc.ErrorInfo" => {
            let info: ErrorInfo = decode(&place, kind, &any.value)?;
            members.text("reason", &info.reason);
            members.text("domain", &info.domain);
            if !info.metadata.is_empty() {
                let metadata: BTreeMap<_, _> = info.metadata.iter().take(MOST).collect();
                members.0.insert("metadata".to_owned(), json!(metadata));
            }
        }
        "google.rpc.BadRequest" => {
            let request: BadRequest = decode(&place, kind, &any.value)?;
            if !request.field_violations.is_empty() {
                let violations = request.field_violations.iter().take(MOST).map(FieldViolation::to_json).collect();
                members.0.insert("fieldViolations".to_owned(), Value::Array(violations));
            }
        }
        "google.rpc.RetryInfo" => {
            let info: RetryInfo = decode(&place, kind, &any.value)?;
            if let Some(delay) = info.retry_delay {
                members.text("retryDelay", &delay.to_text());
            }
        }
        _ => {
            members.0.insert("value".to_owned(), json!(base64::encode(&any.value)));
        }
    }
    Ok(Value::Object(members.0))
}

/// A JSON object that leaves empty texts out, as ProtoJSON does.
#[derive(Default)]
struct Members(Map<String, Value>);

impl Members {
    fn text(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.0.insert(name.to_owned(), json!(value));
        }
    }
}

impl FieldViolation {
    fn to_json(&self) -> Value {
        let mut members = Members::default();
        members.text("field", &self.field);
        members.text("description", &self.description);
        members.text("reason", &self.reason);
        if let Some(LocalizedMessage { locale, message }) = &self.localized_message {
            let mut localized = Members::default();
            localized.text("locale", locale);
            localized.text("message", message);
            members.0.insert("localizedMessage".to_owned(), Value::Object(localized.0));
        }
        Value::Object(members.0)
    }
}

impl Delay {
    /// Seconds with 0, 3, 6 or 9 digits after the point, as ProtoJSON writes durations: `1.500s`.
    fn to_text(&self) -> String {
        let sign = if self.seconds < 0 || self.nanos < 0 { "-" } else { "" };
        let (seconds, nanos) = (self.seconds.unsigned_abs(), self.nanos.unsigned_abs());
        match nanos {
            0 => format!("{sign}{seconds}s"),
            n if n % 1_000_000 == 0 => format!("{sign}{seconds}.{:03}s", n / 1_000_000),
            n if n % 1_000 == 0 => format!("{sign}{seconds}.{:06}s", n / 1_000),
            n => format!("{sign}{seconds}.{n:09}s"),
        }
    }
}
