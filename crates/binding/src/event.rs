//! Events of streams before they are read.

use std::sync::Arc;
use std::time::Duration;

use a2aspec_wire::http::MediaType;
use a2aspec_wire::sse;

use crate::{MOST_EVENTS, several};

/// How many bytes of a stream are decoded at once, since items take many times the bytes of which they are made.
pub const PIECE: usize = 16 << 10;

/// An event of a stream, undecoded.
#[derive(Debug, Clone)]
pub struct RawEvent {
    /// When it was complete, since the request.
    pub after: Duration,
    /// The event.
    pub event: sse::Event,
    /// Whether it is the first of several that were sent as one event.
    pub begins_several: bool,
}

impl RawEvent {
    /// The events of an item: one as a rule, and more where its data hold several JSON texts.
    pub fn all_of(item: sse::Item, after: Duration) -> Vec<Self> {
        let event = match item {
            sse::Item::Event(event) => event,
            sse::Item::Comment(_) | sse::Item::Undispatched(_) => return Vec::new(),
        };
        let several = several::objects_in(&event.data);
        if several.is_empty() {
            return vec![Self { after, event, begins_several: false }];
        }
        let part = |(nth, data): (usize, String)| {
            let (event_type, last_event_id) = (event.event_type.clone(), Arc::clone(&event.last_event_id));
            let event =
                sse::Event { event_type, data, last_event_id, retry: event.retry, block: sse::Block::default() };
            Self { after, event, begins_several: nth == 0 }
        };
        several.into_iter().enumerate().map(part).collect()
    }

    /// The events of a body, as many as the suite reads, all of which came by then.
    pub fn all_of_body(body: &[u8], after: Duration) -> Vec<Self> {
        Self::all_in(body, &vec![after; MOST_EVENTS])
    }

    /// The first events of a body, which came at these times, as many as there are.
    pub fn all_in(body: &[u8], times: &[Duration]) -> Vec<Self> {
        let mut decoder = sse::Decoder::new(sse::Limits::default());
        let mut all: Vec<Self> = Vec::new();
        for piece in body.chunks(PIECE) {
            if all.len() >= times.len() {
                break;
            }
            let (items, is_over) = match decoder.push(piece) {
                Ok(items) => (items, false),
                Err(error) => (error.items, true),
            };
            let rest = times.get(all.len()..).unwrap_or_default();
            let events = items.into_iter().flat_map(|item| Self::all_of(item, Duration::ZERO)).zip(rest);
            all.extend(events.map(|(event, after)| Self { after: *after, ..event }));
            if is_over {
                break;
            }
        }
        all
    }
}

/// Whether the head of a response, with names in lower case, announces an event stream.
pub fn is_stream(headers: &[(String, String)]) -> bool {
    let media_type = headers.iter().find(|(name, _)| name == "content-type").map(|(_, value)| value.as_str());
    media_type.and_then(MediaType::parse).is_some_and(|kind| kind.essence() == "text/event-stream")
}
