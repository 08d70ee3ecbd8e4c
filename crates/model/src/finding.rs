//! What was wrong, with its evidence.

mod fingerprint;
mod kind;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

pub use fingerprint::AFTER_CHECKS;
pub use kind::Kind;
pub use kind::{NO_ANSWER, UNREADABLE};

use crate::diagnostic::words::shorten;

/// One thing that was wrong, with its evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// What was wrong, as data.
    pub kind: Kind,
    /// Which of the things that the case expects it violates: see `docs/cases.md`.
    pub assertion: String,
    /// RFC 6901 pointer into the response body, or into the data of the event.
    pub pointer: Option<String>,
    /// What the specification demands.
    pub expected: Option<String>,
    /// What came instead.
    pub received: Option<String>,
    /// Number of the exchange that proves it.
    pub exchange: Option<u64>,
    /// Number of the exchange with which that one was compared.
    pub against: Option<u64>,
    /// Index of the event in a stream.
    pub event: Option<usize>,
    /// Line of the step in the case file that expected otherwise, as `file:line`.
    pub source: Option<String>,
    /// What is around the place, where the body is too long to be shown.
    pub excerpt: Option<ExcerptInfo>,
    /// The kind of input that shows it, where that tells it from others of its kind: the same in every run.
    pub input: Option<String>,
    /// The operation that the exchange called, where a report has found that out.
    pub operation: Option<String>,
    /// The fingerprint of what it follows from, where the run shows that: both are one problem.
    pub cause: Option<String>,
    /// What else is wrong with the answer, where this is but a consequence of it. Reports do not have it.
    pub follows: Option<Follows>,
    /// What is wrong with all answers of its kind, so that other findings are but consequences of this one. Reports do not have it.
    pub entails: Vec<Follows>,
}

/// What is wrong with an answer as a whole, so that whatever it should hold or be follows from that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Follows {
    /// None of the events of a stream can be read.
    UnreadStream,
    /// GetTask does not find the task.
    UnfoundTask,
    /// The answer of an operation is no JSON-RPC response.
    NoResponse {
        /// The operation.
        operation: String,
    },
    /// The result of an operation, which has this canonical type, is no object.
    NoObject {
        /// The operation.
        operation: String,
        /// The type.
        of: String,
    },
}

/// A piece of a body, or of the data of an event, around the place of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct ExcerptInfo {
    /// Of what it is a piece, such as `response body`.
    pub of: String,
    /// The piece.
    pub text: String,
    /// The bytes of the piece that the finding is about.
    pub from: usize,
    /// Where they end.
    pub to: usize,
    /// What is there other than what was expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// What findings say was received where there was nothing.
pub const NOTHING: &str = "missing";

/// What an input begins with that has no name but that of its case.
pub const NAMED: &str = "the request of ";

/// Most characters of a headline.
const LONGEST_HEADLINE: usize = 300;

/// Most characters of a value in a headline.
const IN_HEADLINE: usize = 60;

impl Finding {
    /// A finding without evidence yet.
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            assertion: String::new(),
            pointer: None,
            expected: None,
            received: None,
            exchange: None,
            against: None,
            event: None,
            source: None,
            excerpt: None,
            input: None,
            operation: None,
            cause: None,
            follows: None,
            entails: Vec::new(),
        }
    }

    /// Adds of what it is a consequence, if of anything.
    #[must_use]
    pub fn following(mut self, follows: Option<Follows>) -> Self {
        self.follows = follows;
        self
    }

    /// Adds what was demanded and what came.
    #[must_use]
    pub fn compare(mut self, expected: impl Into<String>, received: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self.received = Some(received.into());
        self
    }

    /// Adds where it is.
    #[must_use]
    pub fn at(mut self, exchange: u64, pointer: impl Into<String>) -> Self {
        self.exchange = Some(exchange);
        self.pointer = Some(pointer.into());
        self
    }

    /// Adds the exchange as a whole.
    #[must_use]
    pub fn in_exchange(mut self, exchange: u64) -> Self {
        self.exchange = Some(exchange);
        self
    }

    /// Adds the exchange with which it was compared.
    #[must_use]
    pub fn against(mut self, exchange: u64) -> Self {
        self.against = Some(exchange);
        self
    }

    /// Adds the event of the stream.
    #[must_use]
    pub fn in_event(mut self, event: usize) -> Self {
        self.event = Some(event);
        self
    }

    /// Every text in which the agent may have a say, but the name of what it violates.
    pub fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let excerpt = self.excerpt.iter_mut().map(|excerpt| &mut excerpt.text);
        let texts = [&mut self.pointer, &mut self.expected, &mut self.received].into_iter().flatten();
        self.kind.texts_mut().into_iter().chain(texts).chain(excerpt)
    }

    /// The kind of input, where it is more than the name of the case that sends it.
    fn input_in_words(&self) -> Option<&str> {
        self.input.as_deref().filter(|input| !input.starts_with(NAMED))
    }

    /// What was wrong in one line: a fragment without a full stop. It names the operation or the input, what the agent did, and
    /// what was expected.
    pub fn headline(&self) -> String {
        let (expected, received) = (self.expected.as_deref(), self.received.as_deref());
        let short = |text: &str| shorten(&without_alternatives(text), IN_HEADLINE);
        let who = self.operation.as_deref().unwrap_or("the agent");
        let headline = match (&self.kind, expected, received) {
            (Kind::RequestServed { .. }, Some(expected), _) if let Some(input) = self.input_in_words() => {
                format!("the agent serves {}, expected {}", shorten(input, IN_HEADLINE * 2), short(expected))
            }
            (Kind::RequestServed { expected }, ..) => {
                format!("{who} accepts a request that it must refuse, expected {}", short(expected))
            }
            (Kind::Connection { name, .. }, Some(expected), Some(received)) => of_connection(name, expected, received),
            (kind, _, Some(NOTHING)) if kind.has_value() => format!("{kind}{} is missing", self.in_response()),
            (kind, Some(expected), Some(received)) if kind.has_value() => {
                format!("{kind}{} is {}, expected {}", self.in_response(), short(received), short(expected))
            }
            (Kind::FailedInstead { .. }, Some(expected), Some(received)) => {
                format!("{who} fails with {}, expected {}", short(received), short(expected))
            }
            (Kind::WrongError { .. }, Some(expected), Some(received)) => {
                format!("{who} answers with {}, expected {}", short(received), short(expected))
            }
            (Kind::WrongAnswer { .. }, Some(expected), Some(received)) if self.operation.is_some() => {
                format!("{who} answers with {}, expected {}", short(received), short(expected))
            }
            (Kind::WrongAnswer { .. }, Some(expected), Some(received)) => {
                format!("expected {}, received {}", short(expected), short(received))
            }
            (kind, _, _) => self.with_operation(kind.to_string()),
        };
        shorten(&headline, LONGEST_HEADLINE)
    }

    /// Of which operation's response a value is, where the name of the value does not contain it.
    fn in_response(&self) -> String {
        match (&self.kind, &self.operation) {
            (Kind::Value { .. } | Kind::HttpStatus { .. } | Kind::HttpHeader { .. }, Some(operation)) => {
                format!(" in the response to {operation}")
            }
            (Kind::Whole { .. }, Some(operation)) => format!(" to {operation}"),
            (Kind::ErrorValue { .. } | Kind::WholeError { .. }, Some(operation)) => format!(" of {operation}"),
            _ => String::new(),
        }
    }

    /// A text with the operation that it is about, where that tells more.
    fn with_operation(&self, text: String) -> String {
        match &self.operation {
            Some(operation) if !text.contains(operation.as_str()) => format!("{text} ({operation})"),
            _ => text,
        }
    }
}

/// The first of several things that are right, where all of them have no room: evidence has them all.
fn without_alternatives(text: &str) -> Cow<'_, str> {
    const OR: &str = ", or ";
    match text.split_once(OR) {
        Some((first, _)) if text.chars().count() > IN_HEADLINE => format!("{first}{OR}another").into(),
        _ => text.into(),
    }
}

/// What is wrong with a connection: its conditions are counters, which mean nothing to readers.
fn of_connection(name: &str, expected: &str, received: &str) -> String {
    match (name, received) {
        ("answers", _) => format!("the agent sends {received} responses on one connection, expected {expected}"),
        ("closed", "true") => "the agent closes the connection, which must stay open".to_owned(),
        ("closed", _) => "the agent keeps the connection open, which it must close".to_owned(),
        ("statuses", _) => format!("the responses on one connection have the statuses {received}, expected {expected}"),
        _ => format!("the interim responses have the statuses {received}, expected {expected}"),
    }
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Finding", 16)?;
        object.serialize_field("kind", &self.kind.name())?;
        let details = self.kind.details();
        match details.is_empty() {
            true => object.skip_field("details")?,
            false => object.serialize_field("details", &details)?,
        }
        object.serialize_field("fingerprint", &self.fingerprint())?;
        object.serialize_field("assertion", &self.assertion)?;
        object.serialize_field("message", &self.headline())?;
        object.serialize_field("pointer", &self.pointer)?;
        object.serialize_field("expected", &self.expected)?;
        object.serialize_field("received", &self.received)?;
        object.serialize_field("exchange", &self.exchange)?;
        for (name, number) in [("against", self.against), ("event", self.event.map(|event| event as u64))] {
            match number {
                Some(number) => object.serialize_field(name, &number)?,
                None => object.skip_field(name)?,
            }
        }
        let texts =
            [("source", &self.source), ("input", &self.input), ("operation", &self.operation), ("cause", &self.cause)];
        for (name, text) in texts {
            match text {
                Some(text) => object.serialize_field(name, text)?,
                None => object.skip_field(name)?,
            }
        }
        match &self.excerpt {
            Some(excerpt) => object.serialize_field("excerpt", excerpt)?,
            None => object.skip_field("excerpt")?,
        }
        object.end()
    }
}

impl<'de> Deserialize<'de> for Finding {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// What the others follow from.
        #[derive(Deserialize)]
        struct Form {
            kind: String,
            #[serde(default)]
            details: BTreeMap<String, String>,
            assertion: String,
            pointer: Option<String>,
            expected: Option<String>,
            received: Option<String>,
            exchange: Option<u64>,
            against: Option<u64>,
            event: Option<usize>,
            source: Option<String>,
            excerpt: Option<ExcerptInfo>,
            input: Option<String>,
            operation: Option<String>,
            cause: Option<String>,
        }
        let form = Form::deserialize(deserializer)?;
        let kind = Kind::read(&form.kind, &form.details);
        Ok(Self {
            kind: kind.ok_or_else(|| D::Error::custom(format!("`{}` with other details than its own", form.kind)))?,
            assertion: form.assertion,
            pointer: form.pointer,
            expected: form.expected,
            received: form.received,
            exchange: form.exchange,
            against: form.against,
            event: form.event,
            source: form.source,
            excerpt: form.excerpt,
            input: form.input,
            operation: form.operation,
            cause: form.cause,
            follows: None,
            entails: Vec::new(),
        })
    }
}

/// A value as findings show it: one line, not too long.
pub fn show(value: &Value) -> String {
    const LONGEST: usize = 160;
    let text = value.to_string();
    if text.chars().count() <= LONGEST {
        return text;
    }
    let head: String = text.chars().take(LONGEST).collect();
    format!("{head} ...")
}

/// A value that may not be there, as findings show it.
pub fn show_found(value: Option<&Value>) -> String {
    value.map_or_else(|| NOTHING.to_owned(), show)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_headline_says_what_was_expected_and_what_was_received() {
        let place = |place: &str| Kind::Value { place: place.to_owned(), condition: "x".to_owned() };
        let error = Kind::WrongError {
            operation: "GetTask".to_owned(),
            expected: "TaskNotFoundError".to_owned(),
            received: "-32603".to_owned(),
        };
        for (finding, headline) in [
            (Finding::new(place("/tasks")).compare("an array", NOTHING), "`/tasks` is missing"),
            (Finding::new(place("/id")).compare("\"a\"", "\"b\""), "`/id` is \"b\", expected \"a\""),
            (
                Finding::new(error).compare("TaskNotFoundError (-32001)", "InternalError (-32603)"),
                "the agent answers with InternalError (-32603), expected TaskNotFoundError (-32001)",
            ),
            (Finding::new(Kind::StreamsDiffer).compare("a", "b"), "two streams of one task differ"),
        ] {
            assert_eq!(finding.headline(), headline);
        }
        let long = Finding::new(place("/id")).compare("\"a\"", "b".repeat(1_000));
        assert!(long.headline().chars().count() < 2 * IN_HEADLINE, "{}", long.headline());
    }
}
