//! The typed places in everything that an agent answered, with the raw value at each.

use serde_json::Value;

use crate::finding::{Finding, Kind};
use crate::transcript::{Answer, Content, Payload};

/// A payload with what is needed to cite it.
pub(super) struct Cited<'a> {
    /// The payload.
    pub payload: &'a Payload,
    /// Number of its exchange.
    pub exchange: u64,
    /// Index of its event, in a stream.
    pub event: Option<usize>,
}

/// Every payload of a run.
pub(super) fn payloads<'a>(answers: impl IntoIterator<Item = &'a Answer>) -> impl Iterator<Item = Cited<'a>> {
    answers.into_iter().flat_map(|answer| {
        let exchange = answer.exchange.number;
        let cited: Vec<Cited<'_>> = match &answer.content {
            Content::Result(payload) => vec![Cited { payload, exchange, event: None }],
            Content::Stream(events) => events
                .iter()
                .enumerate()
                .filter_map(|(index, event)| Some(Cited { payload: event.payload()?, exchange, event: Some(index) }))
                .collect(),
            _ => Vec::new(),
        };
        cited
    })
}

impl Cited<'_> {
    /// The result as it is on the wire.
    pub fn wire(&self) -> &Value {
        &self.payload.reading.wire
    }

    /// A finding at a wire pointer within the result.
    pub fn finding(&self, pointer: &str, kind: Kind) -> Finding {
        let mut finding = Finding::new(kind).at(self.exchange, format!("{}{pointer}", self.payload.base));
        finding.event = self.event;
        finding
    }
}
