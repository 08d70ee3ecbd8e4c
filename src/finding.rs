//! What was wrong, with its evidence.

use serde::Serialize;
use serde_json::Value;

/// One thing that was wrong, with its evidence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// A lower-case fragment without a full stop.
    pub message: String,
    /// RFC 6901 pointer into the response body, or into the data of the event.
    pub pointer: Option<String>,
    /// What the specification demands.
    pub expected: Option<String>,
    /// What came instead.
    pub actual: Option<String>,
    /// Number of the exchange that proves it.
    pub exchange: Option<u64>,
    /// Number of the exchange with which that one was compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<u64>,
    /// Index of the event in a stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<usize>,
    /// Line of the step in the case file that expected otherwise, as `file:line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What is around the place, where the body is too long to be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<ExcerptInfo>,
}

/// A piece of a body, or of the data of an event, around the place of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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

impl Finding {
    /// A finding without evidence yet.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            pointer: None,
            expected: None,
            actual: None,
            exchange: None,
            against: None,
            event: None,
            source: None,
            excerpt: None,
        }
    }

    /// Adds what was demanded and what came.
    #[must_use]
    pub fn compare(mut self, expected: impl Into<String>, actual: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self.actual = Some(actual.into());
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
