//! Requests that a test gives as they are on the wire (4.4).

use serde_json::{Map, Value};

use super::Reader;
use super::condition::Places;
use super::step::{card, name_of, plain};
use super::template::Captured;
use crate::case::convert::inner;
use crate::case::{Act, Expect, Matcher, Outcome, Raw, RawBody, Step};
use crate::yaml::tree::Part;

const KEYS: [&str; 5] = ["id", "description", "raw_request", "raw_expect", "capture"];
const METHODS: [&str; 4] = ["GET", "POST", "PUT", "DELETE"];
const CARD: &str = "/.well-known/agent-card.json";

impl<'a> Reader<'a> {
    /// A raw request, and what it expects of the answer of HTTP.
    pub(super) fn raw_step(
        &mut self,
        members: &'a Map<String, Value>,
        at: &str,
        captured: &mut Captured,
        steps: &mut Vec<Step>,
    ) {
        self.only(members, at, &KEYS);
        if members.contains_key("capture") {
            self.beyond(&inner(at, "capture"), &Part::Name, "ACTS does not say what `capture` takes of a raw answer");
        }
        let id = self.needed(members, at, "id");
        let of_request = inner(at, "raw_request");
        let request = members.get("raw_request").and_then(|request| self.map(request, &of_request));
        let Some(request) = request else { return };
        self.only(request, &of_request, &["method", "path", "headers", "body", "rawBody"]);
        let method = self.needed(request, &of_request, "method");
        if !METHODS.contains(&method) && !method.is_empty() {
            self.wrong_name(&inner(&of_request, "method"), "method", method, &METHODS);
        }
        let path = self.needed(request, &of_request, "path");
        let path = self.filled_text(path, &inner(&of_request, "path"), captured);
        let mut step = if path == CARD && method == "GET" {
            card(id, at, self.tree.line(at))
        } else {
            let raw = self.raw_request(request, &of_request, method, path, captured);
            plain(Act::Raw(raw), Some(name_of(id)), at, self.tree.line(at))
        };
        self.headers(request, &of_request, captured, &mut step);
        step.expect = self.raw_expected(members, at, captured);
        steps.push(step);
    }

    fn raw_request(
        &mut self,
        request: &'a Map<String, Value>,
        at: &str,
        method: &str,
        path: String,
        captured: &Captured,
    ) -> Raw {
        if !path.starts_with('/') {
            self.beyond(
                &inner(at, "path"),
                &Part::Value,
                "the path does not begin with `/`, at the address of the interface",
            );
        }
        let body = match (request.get("body"), self.text(request, at, "rawBody")) {
            (Some(_), Some(_)) => {
                self.wrong(at, &Part::Value, "a raw request has `body` or `rawBody`, not both");
                String::new()
            }
            (Some(body), None) => self.filled(body, &inner(at, "body"), captured).to_string(),
            (None, Some(text)) => self.filled_text(text, &inner(at, "rawBody"), captured),
            (None, None) => String::new(),
        };
        // The address of an interface may have a path of its own, at whose root the requests of JSON-RPC go.
        let suffix = if path == "/" { String::new() } else { path };
        Raw { body: RawBody::Text(body), method: method.to_owned(), suffix, content_type: None, prefix: None }
    }

    fn headers(&mut self, request: &'a Map<String, Value>, at: &str, captured: &Captured, step: &mut Step) {
        let at = inner(at, "headers");
        let headers = request.get("headers").and_then(|headers| self.map(headers, &at));
        for name in headers.into_iter().flat_map(Map::keys) {
            let text = headers.and_then(|headers| self.text(headers, &at, name)).unwrap_or_default();
            let text = self.filled_text(text, &inner(&at, name), captured);
            match &mut step.act {
                Act::Raw(raw) if name.eq_ignore_ascii_case("content-type") => raw.content_type = Some(Some(text)),
                Act::Raw(_) => {
                    step.headers.insert(name.clone(), Some(text));
                }
                _ => self.beyond(
                    &inner(&at, name),
                    &Part::Name,
                    "the request for the card has headers of the suite's own",
                ),
            }
        }
    }

    fn raw_expected(&mut self, members: &'a Map<String, Value>, at: &str, captured: &Captured) -> Option<Expect> {
        let at = inner(at, "raw_expect");
        let expect = self.map(members.get("raw_expect")?, &at)?;
        self.only(expect, &at, &["status", "headers", "body"]);
        if expect.contains_key("body") {
            self.beyond(
                &inner(&at, "body"),
                &Part::Name,
                "ACTS does not say how the `body` of a raw answer is read in each binding",
            );
        }
        let mut http = Places::new();
        if let Some(status) = expect.get("status") {
            http.insert("status".to_owned(), Matcher::Equals(status.clone()));
        }
        let of_headers = inner(&at, "headers");
        let headers = expect.get("headers").and_then(|headers| self.map(headers, &of_headers));
        for (name, assertion) in headers.into_iter().flatten() {
            let mut conditions = self.conditions(assertion, &inner(&of_headers, name), captured);
            http.extend(conditions.remove("").map(|matcher| (name.to_ascii_lowercase(), matcher)));
        }
        Some(Expect { outcome: vec![Outcome::Http], http, ..Expect::default() })
    }
}
