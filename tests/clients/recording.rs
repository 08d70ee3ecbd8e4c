//! What a client sent, as a file: one request a line.

use std::collections::BTreeMap;
use std::path::Path;

use axum::http::HeaderMap;
use serde_json::{Map, Value, json};

use super::recorder::Recorded;

/// The header fields that A2A and its bindings speak of; the others are those of HTTP libraries.
const OF_THE_PROTOCOL: [&str; 8] = [
    "a2a-extensions",
    "a2a-version",
    "accept",
    "authorization",
    "content-type",
    "last-event-id",
    "te",
    "x-a2a-extensions",
];

/// Writes the recording again instead of holding it against the file.
const UPDATE: &str = "A2ASPEC_UPDATE_RECORDED";

/// The name of the file.
pub fn file(client: &str, version: &str, binding: &str) -> String {
    format!("{client}-in-{version}-{}.jsonl", binding.to_lowercase().replace('+', "-"))
}

/// The requests as lines. What gRPC carries is shown as JSON by `message`, given the path; ids that clients make anew in each
/// run are numbered.
pub fn write(recorded: &[Recorded], message: impl Fn(&str, &[u8]) -> Result<Value, String>) -> Result<String, String> {
    let mut ids = Ids::default();
    let mut text = String::new();
    for Recorded { method, path, headers, body } in recorded {
        let is_grpc = headers.get("content-type").is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc"));
        let body = match (is_grpc, body.is_empty()) {
            (true, _) => Some(message(path, body)?),
            (false, true) => None,
            (false, false) => Some(match serde_json::from_slice(body) {
                Ok(value) => value,
                Err(_) => Value::from(String::from_utf8_lossy(body).into_owned()),
            }),
        };
        let mut line = json!({ "method": method, "path": path, "headers": of_the_protocol(headers) });
        if let (Some(body), Some(line)) = (body, line.as_object_mut()) {
            line.insert("body".to_owned(), body);
        }
        text.push_str(&ids.numbered(&line.to_string()));
        text.push('\n');
    }
    Ok(text)
}

fn of_the_protocol(headers: &HeaderMap) -> Map<String, Value> {
    let value = |name: &&str| -> Option<(String, Value)> {
        let values: Vec<&str> = headers.get_all(*name).iter().filter_map(|value| value.to_str().ok()).collect();
        (!values.is_empty()).then(|| ((*name).to_owned(), Value::from(values.join(", "))))
    };
    OF_THE_PROTOCOL.iter().filter_map(value).collect()
}

/// UUIDs in the order in which they first come.
#[derive(Default)]
struct Ids(BTreeMap<String, usize>);

impl Ids {
    fn numbered(&mut self, line: &str) -> String {
        let mut text = String::new();
        let mut rest = line;
        while let Some(place) = rest.char_indices().map(|(at, _)| at).find(|at| is_uuid(&rest[*at..])) {
            let id = &rest[place..place + UUID.len()];
            let next = self.0.len() + 1;
            let number = *self.0.entry(id.to_owned()).or_insert(next);
            text.push_str(&rest[..place]);
            text.push_str(&format!("UUID-{number}"));
            rest = &rest[place + UUID.len()..];
        }
        text + rest
    }
}

/// The form of a UUID.
const UUID: &str = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

fn is_uuid(text: &str) -> bool {
    let fits = |(form, is): (u8, u8)| if form == b'-' { is == b'-' } else { is.is_ascii_hexdigit() };
    text.len() >= UUID.len() && UUID.bytes().zip(text.bytes()).all(fits)
}

/// In what a recording differs from its file, for people to read; nothing where it does not, or where the file is written.
pub fn compare(file: &Path, text: &str) -> Result<Option<String>, String> {
    let name = file.display();
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(file, text).map_err(|error| format!("{name}: {error}"))?;
        return Ok(None);
    }
    let known = std::fs::read_to_string(file).unwrap_or_default();
    let lines = (known.lines().map(Some).chain(std::iter::repeat(None)))
        .zip(text.lines().map(Some).chain(std::iter::repeat(None)))
        .take_while(|(known, sent)| known.is_some() || sent.is_some());
    let different = lines.zip(1..).find(|((known, sent), _)| known != sent);
    Ok(different.map(|((known, sent), line)| {
        let (known, sent) = (known.unwrap_or("nothing"), sent.unwrap_or("nothing"));
        format!("\n{name}:{line} is\n  {known}\nand the client sent\n  {sent}\n{UPDATE}=1 writes the file again")
    }))
}
