//! How a call turned out.

use std::borrow::Cow;

use super::{Code, Details, DetailsError};

/// What a response says of the outcome of its call ("Responses": Status, Status-Message, Status-Details).
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// `grpc-status` as it was written.
    pub text: String,
    /// The code, where the text is a number that has one.
    pub code: Option<Code>,
    /// `grpc-message` without its percent-encoding; empty where there is none.
    pub message: String,
    /// `grpc-status-details-bin`, where there is one.
    pub details: Option<Result<Details, DetailsError>>,
    /// Whether it came with the headers, as an answer without messages may, and not after the body.
    pub is_in_headers: bool,
}

impl Status {
    /// Reads the status from the trailers, or from the headers where the trailers have none. Names are in lower case.
    /// `None` where there is no `grpc-status`: the answer has no gRPC outcome.
    #[must_use]
    pub fn read(headers: &[(String, String)], trailers: &[(String, String)]) -> Option<Self> {
        let of = |fields| Self::of(fields, false);
        of(trailers).or_else(|| Self::of(headers, true))
    }

    fn of(fields: &[(String, String)], is_in_headers: bool) -> Option<Self> {
        let field = |name: &str| fields.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str());
        let text = field("grpc-status")?.to_owned();
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        Some(Self {
            code: text.parse().ok().filter(|_| is_number),
            text,
            message: field("grpc-message").map(decode_message).unwrap_or_default(),
            details: field("grpc-status-details-bin").map(Details::read),
            is_in_headers,
        })
    }
}

/// Undoes the percent-encoding of `grpc-message`. Nothing is ever refused here: a percent sign that begins no escape
/// stands for itself, and bytes that are not UTF-8 become U+FFFD ("Responses", on Percent-Encoded).
fn decode_message(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        let escaped = match (first, after) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)).map(|(high, low)| high << 4 | low),
            _ => None,
        };
        bytes.push(escaped.unwrap_or(first));
        if escaped.is_some() {
            rest = after.get(2..).unwrap_or_default();
        }
    }
    match String::from_utf8_lossy(&bytes) {
        Cow::Borrowed(valid) => valid.to_owned(),
        Cow::Owned(replaced) => replaced,
    }
}

/// The value of a hexadecimal digit.
fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}
