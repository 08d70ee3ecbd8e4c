//! Answers that a case writes, as they go over the wire.

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};

use crate::case::merge;
use crate::case::visit::{Ends, LineEnds, Says, Scripted, Writing};
use crate::profile::{Binding, Operation, Profile};
use crate::wire::grpc::Code;

/// An answer of HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Header fields.
    pub headers: Vec<(String, String)>,
    /// The pieces of the body, each after this pause.
    pub pieces: Vec<(Duration, Bytes)>,
    /// How it ends.
    pub ends: Ends,
}

/// To what it is an answer.
#[derive(Debug, Clone, Copy)]
pub struct To<'a> {
    /// The version of the protocol.
    pub profile: &'a Profile,
    /// The binding of the request.
    pub binding: Binding,
    /// What the request calls.
    pub operation: Operation,
    /// The id of the request over JSON-RPC.
    pub id: &'a Value,
}

/// An answer on the wire; nothing where the agent is to answer itself.
pub fn answer(scripted: &Scripted, to: To<'_>) -> Option<Answer> {
    let own = match &scripted.says {
        Says::Agent => return None,
        Says::Http { status, headers, body } => http(*status, headers, body),
        Says::Result(value) => {
            let (status, value) = to.result(value, scripted.envelope.as_ref());
            to.json(status, &value)
        }
        Says::Error(name) => {
            let (status, value) = to.error(name, scripted.envelope.as_ref());
            to.json(status, &value)
        }
        Says::Events(events) => {
            let texts = events.iter().map(|event| to.event(event, scripted.envelope.as_ref()));
            let pieces = stream(&texts.collect::<Vec<_>>(), &scripted.writing);
            let headers = vec![("content-type".to_owned(), "text/event-stream".to_owned())];
            Answer { status: 200, headers, pieces, ends: Ends::Closed }
        }
    };
    let pause = Duration::from_millis(scripted.pause);
    let pieces = own.pieces.into_iter().map(|(_, piece)| (pause, piece)).collect();
    Some(Answer { pieces, ends: scripted.ends, ..own })
}

/// An answer that is written byte by byte, as for the card.
pub fn http(status: u16, headers: &std::collections::BTreeMap<String, String>, body: &str) -> Answer {
    let headers = headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    let pieces = vec![(Duration::ZERO, Bytes::copy_from_slice(body.as_bytes()))];
    Answer { status, headers, pieces, ends: Ends::Closed }
}

impl To<'_> {
    fn wire(&self, value: &Value) -> Value {
        let kind = self.profile.operation(self.operation).and_then(|facts| facts.result.as_deref());
        match (self.profile.dialects_over(self.binding).next(), kind) {
            (Some(dialect), Some(kind)) => dialect.to_wire(kind, value),
            _ => value.clone(),
        }
    }

    fn enveloped(&self, member: &str, value: Value, patch: Option<&Value>) -> Value {
        if self.binding != Binding::Jsonrpc {
            return value;
        }
        let mut envelope = json!({ "jsonrpc": "2.0", "id": self.id, member: value });
        if let Some(patch) = patch {
            merge(&mut envelope, patch);
        }
        envelope
    }

    fn result(&self, value: &Value, patch: Option<&Value>) -> (u16, Value) {
        (200, self.enveloped("result", self.wire(value), patch))
    }

    /// The error of a name, with its status over HTTP+JSON.
    fn error(&self, name: &str, patch: Option<&Value>) -> (u16, Value) {
        let facts = self.profile.facts.errors.get(name);
        let message = format!("scripted: {name}");
        let reason = facts.and_then(|facts| facts.reason.as_deref()).zip(self.profile.facts.error_domain.as_deref());
        let info = reason.map(|(reason, domain)| {
            json!({ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": domain })
        });
        let details: Vec<Value> = info.into_iter().collect();
        if self.binding == Binding::Jsonrpc {
            let code = facts.and_then(|facts| facts.jsonrpc).unwrap_or(-32603);
            let mut error = json!({ "code": code, "message": message });
            if let (false, Value::Object(members)) = (details.is_empty(), &mut error) {
                members.insert("data".to_owned(), Value::Array(details));
            }
            return (200, self.enveloped("error", error, patch));
        }
        let status = facts.and_then(|facts| facts.http.iter().find_map(|status| status.parse().ok())).unwrap_or(500);
        let code = facts.and_then(|facts| facts.grpc.first().cloned()).unwrap_or_else(|| Code::Internal.to_string());
        let error = json!({ "code": status, "status": code, "message": message, "details": details });
        (status, json!({ "error": error }))
    }

    /// The data of an event.
    fn event(&self, event: &Value, patch: Option<&Value>) -> Value {
        match event.as_object().filter(|members| members.len() == 1).and_then(|members| members.get("error")) {
            Some(Value::String(name)) => self.error(name, patch).1,
            _ => self.result(event, patch).1,
        }
    }

    fn json(&self, status: u16, value: &Value) -> Answer {
        let kinds = self.profile.facts.bindings.get(&self.binding).map(|facts| facts.media_types.as_slice());
        let kind = kinds.and_then(|kinds| kinds.first()).map_or("application/json", String::as_str);
        Answer {
            status,
            headers: vec![("content-type".to_owned(), kind.to_owned())],
            pieces: vec![(Duration::ZERO, Bytes::from(value.to_string()))],
            ends: Ends::Closed,
        }
    }
}

/// The pieces of an event stream with these data, one for each event.
pub fn stream(data: &[Value], writing: &Writing) -> Vec<(Duration, Bytes)> {
    let mut ends = Ender { kind: writing.lines, next: 0 };
    let mut pieces: Vec<String> = Vec::new();
    for (index, value) in data.iter().enumerate() {
        let mut piece = String::new();
        if index == 0 && writing.bom {
            piece.push('\u{feff}');
        }
        let mut line = |text: &str| {
            piece.push_str(text);
            piece.push_str(ends.next());
        };
        if writing.comments {
            line(": a comment");
            line(":");
            line("");
        }
        let colon = if writing.no_space { ":" } else { ": " };
        if writing.fields {
            line(&format!("event{colon}message"));
            line(&format!("id{colon}{index}"));
            line(&format!("retry{colon}1000"));
            line(&format!("foo{colon}1"));
            line("bar");
        }
        let text = match writing.multi_line {
            true => serde_json::to_string_pretty(value).unwrap_or_default(),
            false => value.to_string(),
        };
        for part in text.split('\n') {
            line(&format!("data{colon}{part}"));
        }
        line("");
        pieces.push(piece);
    }
    let bytes = |piece: String| Bytes::from(piece.into_bytes());
    match writing.byte_by_byte {
        false => pieces.into_iter().map(|piece| (Duration::ZERO, bytes(piece))).collect(),
        true => {
            let all = bytes(pieces.concat());
            (0..all.len()).map(|at| (Duration::ZERO, all.slice(at..=at))).collect()
        }
    }
}

/// The ends of lines, one after the other.
struct Ender {
    kind: LineEnds,
    next: usize,
}

impl Ender {
    fn next(&mut self) -> &'static str {
        // In this order, CR is never followed by an LF that would end no line of its own.
        const ALL: [&str; 3] = ["\r", "\r\n", "\n"];
        match self.kind {
            LineEnds::Lf => "\n",
            LineEnds::Crlf => "\r\n",
            LineEnds::Cr => "\r",
            LineEnds::Mixed => {
                self.next += 1;
                ALL[(self.next - 1) % ALL.len()]
            }
        }
    }
}
