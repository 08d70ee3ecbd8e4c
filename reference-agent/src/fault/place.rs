//! Places among all that an agent is asked, known again from one run to the next.
//!
//! A suite asks the same in each run, but for ids and ports. Without these a request says by itself for which check
//! it is made, so that a fault can act on just that one, and nobody has to describe it.

use axum::http::HeaderMap;

use super::asked::{Asked, Binding};

/// Headers that other things than the request decide: where it goes, who may send it, and what its client adds.
const NOT_TELLING: [&str; 6] = ["authorization", "content-length", "host", "te", "transfer-encoding", "user-agent"];
/// What runs of digits have at least that are another in each run: ports and counters.
const LONG_NUMBER: usize = 5;

/// The beginning of a body that is looked at, in bytes: bodies of megabytes differ in it.
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

    /// The version and the binding of the request: `1.0 jsonrpc`.
    pub fn interface(&self) -> &str {
        self.request.lines().next().unwrap_or_default()
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
        let message = self.rpc().filter(|_| self.binding == Some(Binding::Grpc));
        if message.is_some_and(|rpc| rpc.write_request(&self.params).as_ref() == Some(&self.body)) {
            return same(&self.params.to_string());
        }
        let text = String::from_utf8_lossy(&self.body[..self.body.len().min(LONGEST_BODY)]);
        match (self.binding, self.id.as_u64()) {
            // Calls are numbered.
            (Some(Binding::JsonRpc), Some(id)) => same(&text.replacen(&format!("\"id\":{id},"), "\"id\":#,", 1)),
            _ => same(&text),
        }
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
