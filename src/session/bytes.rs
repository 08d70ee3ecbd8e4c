//! Requests that are written byte by byte, or frame by frame: their texts are made of the parts of a right request.

use std::borrow::Cow;
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};
use url::Url;

use super::StepError;
use crate::binding::Outgoing;
use crate::case::{FrameKind, FramePayload, Last, Piece, References, Written, WrittenFrame, resolve};
use crate::profile::Binding;
use crate::transport::raw::{FramePart, Move, Part, Reading, Script, Speech};
use crate::wire::grpc;
use crate::wire::http2::{self, flag};

/// The pause after each of the pieces into which a text is cut: long enough that each travels alone.
const BETWEEN_PIECES: Duration = Duration::from_millis(1);
/// What stands for the fields of a right request, and for all of it: the client adds credentials to these.
const FIELDS: &str = "${bytes.fields}";
const REQUEST: &str = "${bytes.request}";
/// What stands for the message of a call over gRPC and for its prefix: bytes that need be no text.
const PREFIX: &str = "${bytes.prefix}";
const BODY: &str = "${bytes.body}";
/// Why a call is taken back (RFC 9113 section 7).
const CANCEL: u8 = 8;
/// The stream of a right request.
const STREAM: u32 = 1;

/// What is written over a binding, and when: `meant` is what the bytes are meant to be.
///
/// # Errors
/// A reference has no value.
pub(crate) fn script(
    (meant, binding): (Outgoing, Binding),
    (send, answers): (&[Piece], usize),
    scope: &dyn References,
) -> Result<Script, StepError> {
    let right = Right::new(&meant).ok_or_else(|| StepError::mistake(format!("{} is no URL", meant.url)))?;
    let known = Known { scope, right: &right };
    let mut moves = Vec::new();
    for piece in send {
        moves.push(match piece {
            Piece::Write { what, at_once } => {
                let parts = match what {
                    Written::Text(text) => known.parts(text)?,
                    Written::Exact(bytes) => vec![Part::Bytes(bytes.clone())],
                    Written::Frame(frame) => known.frames_of(frame)?,
                };
                match at_once {
                    Some(size) => Move::Drip { parts, size: *size, pause: BETWEEN_PIECES },
                    None => Move::Send(parts),
                }
            }
            Piece::Pause(pause) => Move::Pause(*pause),
            Piece::WaitFor(answers) => Move::Await(*answers),
            Piece::Then(Last::HalfClose) => Move::HalfClose,
            Piece::Then(Last::Close) => Move::Close,
            Piece::Then(Last::Reset) => Move::Reset,
        });
    }
    let speech = if binding == Binding::Grpc { Speech::Http2 } else { Speech::Http1 };
    if moves.is_empty() {
        moves.push(Move::Send(match speech {
            Speech::Http1 => known.parts(REQUEST)?,
            Speech::Http2 => known.frames()?,
        }));
    }
    Ok(Script { meant, moves, answers, reading: Reading::default(), speech })
}

/// The fields of a call over HTTP/2, in terms of its parts (gRPC over HTTP/2, Requests).
pub(crate) const FIELDS_OF_A_CALL: [&str; 6] = [
    ":method: ${bytes.method}",
    ":scheme: http",
    ":path: ${bytes.target}",
    ":authority: ${bytes.host}",
    "te: trailers",
    FIELDS,
];

/// The parts of a right request.
struct Right {
    line: String,
    method: String,
    url: String,
    target: String,
    host: String,
    /// Field lines, CRLF included, without credentials, Host and those of the framing.
    fields: String,
    /// The same as names and values.
    headers: Vec<(String, String)>,
    body: Bytes,
}

impl Right {
    fn new(meant: &Outgoing) -> Option<Self> {
        let url = Url::parse(&meant.url).ok()?;
        let host = match url.port() {
            Some(port) => format!("{}:{port}", url.host_str()?),
            None => url.host_str()?.to_owned(),
        };
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        let target = format!("{}{query}", url.path());
        let agent = ("user-agent".to_owned(), crate::transport::network::USER_AGENT.to_owned());
        let fields = std::iter::once(&agent).chain(&meant.headers).map(|(name, value)| format!("{name}: {value}\r\n"));
        Some(Self {
            line: format!("{} {target} HTTP/1.1\r\n", meant.method),
            method: meant.method.clone(),
            url: format!("{}://{host}{target}", url.scheme()),
            fields: fields.collect(),
            target,
            host,
            headers: meant.headers.clone(),
            body: meant.body.clone(),
        })
    }

    /// The prefix of the message of a call over gRPC.
    fn prefix(&self) -> Bytes {
        grpc::frame(&self.body).map(|frame| frame.slice(..frame.len() - self.body.len())).unwrap_or_default()
    }
}

/// What the texts of a step can name.
struct Known<'a> {
    scope: &'a dyn References,
    right: &'a Right,
}

impl Known<'_> {
    /// A text as it is sent.
    fn parts(&self, text: &str) -> Result<Vec<Part>, StepError> {
        let right = self.right;
        let text = text.replace(REQUEST, &self.request());
        let mut parts = Vec::new();
        for (place, piece) in text.split(FIELDS).enumerate() {
            if place > 0 {
                parts.push(Part::Bytes(Bytes::from(right.fields.clone())));
                parts.push(Part::Credentials);
            }
            if let Value::String(text) = resolve(&Value::String(piece.to_owned()), self)? {
                parts.push(Part::Bytes(Bytes::from(text)));
            }
        }
        Ok(parts)
    }

    /// A frame as it is sent, or many, each with one behind it that takes it back.
    fn frames_of(&self, frame: &WrittenFrame) -> Result<Vec<Part>, StepError> {
        let Some(resets) = frame.resets else { return Ok(vec![self.frame(frame)?]) };
        let mut parts = Vec::new();
        for number in 0..u32::from(resets) {
            let stream = frame.stream.saturating_add(2 * number);
            parts.push(self.frame(&WrittenFrame { stream, resets: None, ..frame.clone() })?);
            let (kind, payload) = (FrameKind::RstStream, FramePayload::Exact(Bytes::from_static(&[0, 0, 0, CANCEL])));
            parts.push(self.frame(&WrittenFrame {
                kind,
                stream,
                flags: 0,
                length: None,
                padding: None,
                resets: None,
                payload,
            })?);
        }
        Ok(parts)
    }

    /// A frame as it is sent.
    fn frame(&self, frame: &WrittenFrame) -> Result<Part, StepError> {
        let payload = match &frame.payload {
            FramePayload::Exact(bytes) => vec![Part::Bytes(bytes.clone())],
            FramePayload::Text(text) => self.bytes(text)?,
            FramePayload::Fields(fields) => {
                let mut parts = Vec::new();
                for field in fields {
                    parts.extend(self.field(field)?);
                }
                parts
            }
        };
        Ok(Part::Frame(Box::new(FramePart { frame: frame.head(), padding: frame.padding, payload })))
    }

    /// A field of HTTP/2 as it is sent; those of a right request, with credentials, where it stands for these.
    fn field(&self, field: &str) -> Result<Vec<Part>, StepError> {
        let written = |name: &str, value: &str| Part::Bytes(http2::field(name.as_bytes(), value.as_bytes()));
        if field == FIELDS {
            let own = self.right.headers.iter().map(|(name, value)| written(&name.to_ascii_lowercase(), value));
            return Ok(own.chain([Part::Credentials]).collect());
        }
        let (name, value) = field.split_once(": ").unwrap_or((field, ""));
        match resolve(&json!([name, value]), self)? {
            Value::Array(both) => {
                let text = |at: usize| both.get(at).and_then(Value::as_str).unwrap_or_default();
                Ok(vec![written(text(0), text(1))])
            }
            _ => Ok(Vec::new()),
        }
    }

    /// A text in which the message and its prefix are the bytes that they are.
    fn bytes(&self, text: &str) -> Result<Vec<Part>, StepError> {
        let mut parts = Vec::new();
        for (place, piece) in text.split(BODY).enumerate() {
            parts.extend((place > 0).then(|| Part::Bytes(self.right.body.clone())));
            for (place, piece) in piece.split(PREFIX).enumerate() {
                parts.extend((place > 0).then(|| Part::Bytes(self.right.prefix())));
                if let Value::String(text) = resolve(&Value::String(piece.to_owned()), self)? {
                    parts.push(Part::Bytes(Bytes::from(text)));
                }
            }
        }
        Ok(parts)
    }

    /// A right call over HTTP/2.
    fn frames(&self) -> Result<Vec<Part>, StepError> {
        let frame = |kind, flags, stream, payload| {
            self.frame(&WrittenFrame { kind, flags, stream, length: None, padding: None, resets: None, payload })
        };
        let fields = FramePayload::Fields(FIELDS_OF_A_CALL.map(str::to_owned).to_vec());
        let message = FramePayload::Text(format!("{PREFIX}{BODY}"));
        Ok(vec![
            Part::Bytes(Bytes::from_static(http2::PREFACE.as_bytes())),
            frame(FrameKind::Settings, 0, 0, FramePayload::Exact(Bytes::new()))?,
            frame(FrameKind::Headers, flag::END_HEADERS, STREAM, fields)?,
            frame(FrameKind::Data, flag::END_STREAM, STREAM, message)?,
        ])
    }

    /// A right request, in terms of its parts.
    fn request(&self) -> String {
        format!(
            "${{bytes.line}}Host: ${{bytes.host}}\r\n{FIELDS}Content-Length: ${{bytes.length}}\r\n\r\n${{bytes.body}}"
        )
    }
}

impl References for Known<'_> {
    fn value(&self, name: &str) -> Option<Cow<'_, Value>> {
        let Right { line, method, url, target, host, body, .. } = self.right;
        let made = match name {
            "bytes.line" => json!(line),
            "bytes.method" => json!(method),
            "bytes.url" => json!(url),
            "bytes.target" => json!(target),
            "bytes.host" => json!(host),
            "bytes.body" => json!(String::from_utf8_lossy(body)),
            "bytes.length" => json!(body.len().to_string()),
            "bytes.chunks" => json!(chunks(body)),
            "bytes.hex" => json!(format!("{:x}", body.len())),
            _ => return self.scope.value(name),
        };
        Some(Cow::Owned(made))
    }
}

/// A chunk for each byte; the body is JSON in ASCII, as a rule, and a character otherwise.
fn chunks(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    text.chars().map(|letter| format!("{:x}\r\n{letter}\r\n", letter.len_utf8())).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn meant(method: &str, url: &str, body: &'static str) -> Outgoing {
        Outgoing {
            method: method.to_owned(),
            url: url.to_owned(),
            headers: vec![("a2a-version".to_owned(), "1.0".to_owned())],
            body: Bytes::from_static(body.as_bytes()),
            operation: None,
            params: Arc::default(),
            rpc_id: None,
            purpose: String::new(),
        }
    }

    #[test]
    fn a_right_request_is_told_in_its_parts() {
        let right = Right::new(&meant("POST", "https://agent.example/a?b=c", "{}")).unwrap();
        assert_eq!(right.line, "POST /a?b=c HTTP/1.1\r\n");
        assert_eq!((right.target.as_str(), right.host.as_str()), ("/a?b=c", "agent.example"));
        assert_eq!(right.url, "https://agent.example/a?b=c");
        assert!(right.fields.ends_with("\r\na2a-version: 1.0\r\n"));
        let with_port = Right::new(&meant("GET", "http://[::1]:8080", "")).unwrap();
        assert_eq!((with_port.target.as_str(), with_port.host.as_str()), ("/", "[::1]:8080"));
    }
}
