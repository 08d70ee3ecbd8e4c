//! Places among all that an agent is asked, known again from one run to the next.
//!
//! A suite asks the same in each run, but for ids and ports. Without these a request says by itself for which check
//! it is made, so that a fault can act on just that one, and nobody has to describe it.

use axum::http::HeaderMap;
use serde_json::Value;

use super::asked::{Asked, Binding};

/// Headers that other things than the request decide: where it goes, who may send it, and what its client adds.
const NOT_TELLING: [&str; 6] = ["authorization", "content-length", "host", "te", "transfer-encoding", "user-agent"];
/// What runs of digits have at least that are another in each run: ports and counters.
const LONG_NUMBER: usize = 5;

/// The beginning of a body that is looked at: bodies of megabytes differ in it.
const LONGEST_BODY: usize = 16 << 10;

/// A request without what is another in each run, and what a right agent answers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub(super) request: String,
    /// The name of the error that answers it; none of a result.
    pub error: Option<String>,
}

impl Place {
    /// The place of a request that is answered with this error, or with a result.
    pub fn new(asked: &Asked, error: Option<String>) -> Self {
        Self { request: asked.request_shape().to_owned(), error }
    }

    /// The version and the binding of the request: `1.0 jsonrpc`; nothing where it has no binding, as for a card.
    pub fn interface(&self) -> Option<&str> {
        self.request.lines().next().filter(|interface| !interface.ends_with(' '))
    }
}

impl Asked {
    /// The request, as it came, without what is another in each run.
    pub(super) fn request_shape(&self) -> &str {
        self.shape.get_or_init(|| {
            let binding = self.binding.map(Binding::name).unwrap_or_default();
            let (version, method, uri) = (self.version.name(), &self.parts.method, &self.parts.uri);
            let address = uri.path_and_query().map(|address| same(address.as_str())).unwrap_or_default();
            let (headers, body) = (telling(&self.parts.headers), self.body_shape());
            format!("{version} {binding}\n{method} {address}\n{headers}\n{body}")
        })
    }

    fn body_shape(&self) -> String {
        // The length of an id is in the bytes around it. JSON has no such lengths, but cannot show every byte.
        if self.binding == Some(Binding::Grpc) {
            let written = self.rpc().and_then(|rpc| rpc.write_request(&self.params));
            let shown = match written.is_some_and(|written| is_reordered(&written, &self.body)) {
                true => Some(self.params.clone()),
                // A request that is told again is told in its JSON form.
                false => serde_json::from_slice(&self.body).ok(),
            };
            if let Some(shown) = shown {
                return cut(&same(&sorted(&shown).to_string()));
            }
        }
        let text = String::from_utf8_lossy(&self.body[..self.body.len().min(2 * LONGEST_BODY)]);
        cut(&match (self.binding, self.id.as_u64()) {
            // Calls are numbered.
            (Some(Binding::JsonRpc), Some(id)) => same(&text.replacen(&format!("\"id\":{id},"), "\"id\":#,", 1)),
            _ => same(&text),
        })
    }
}

/// The beginning of a body, where nothing in it is of another length in each run.
fn cut(text: &str) -> String {
    text.chars().take(LONGEST_BODY).collect()
}

/// Whether bytes are the same in another order, as where fields are: a client need not write them by their numbers.
fn is_reordered(one: &[u8], other: &[u8]) -> bool {
    let sorted = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        bytes.sort_unstable();
        bytes
    };
    one.len() == other.len() && sorted(one) == sorted(other)
}

/// A value with its members in the order of their names, and its numbers in one form: a message keeps neither.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut all: Vec<(&String, Value)> = members.iter().map(|(name, member)| (name, sorted(member))).collect();
            all.sort_by_key(|(name, _)| name.as_str());
            Value::Object(all.into_iter().map(|(name, member)| (name.clone(), member)).collect())
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Number(number) => number.as_f64().map_or_else(|| value.clone(), Value::from),
        other => other.clone(),
    }
}

fn telling(headers: &HeaderMap) -> String {
    let mut telling: Vec<String> = headers
        .iter()
        // Clients accept everything where a request says nothing of it.
        .filter(|(name, value)| !NOT_TELLING.contains(&name.as_str()) && *value != "*/*")
        .map(|(name, value)| format!("{name}: {}", same(&String::from_utf8_lossy(value.as_bytes()))))
        .collect();
    telling.sort();
    telling.join("\n")
}

/// A text with `#` for whatever looks like a number that somebody counted, or a piece of an id.
fn same(text: &str) -> String {
    let mut same = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (word, tail) = rest.split_at(end);
        let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        let is_hexadecimal = word.bytes().all(|byte| byte.is_ascii_hexdigit()) && word.contains(char::is_numeric);
        let is_counter = same.ends_with("#-") && is_number(word);
        match is_counter || (word.len() >= LONG_NUMBER && is_hexadecimal) {
            true => same.push('#'),
            false => same.push_str(word),
        }
        let next = tail.chars().next();
        same.extend(next);
        rest = &tail[next.map_or(0, char::len_utf8)..];
    }
    same
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_another_in_each_run_makes_no_other_place() {
        for (one, other) in [
            ("a2aspec-189f2c04b7d21a0c1f2-7", "a2aspec-18a0111111111111111-1234"),
            ("task-000001", "task-000123"),
            ("http://127.0.0.1:40123/card", "http://127.0.0.1:51111/card"),
        ] {
            assert_eq!(same(one), same(other));
        }
        for (one, other) in
            [("1", "2"), ("GetTask", "CancelTask"), ("a2aspec-no-such-task", "a2aspec-another"), ("é", "è")]
        {
            assert_ne!(same(one), same(other));
        }
    }
}
