//! A response over HTTP while it is being read.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tokio::time::Instant;

use super::KEPT_OF_TOO_MUCH;
use crate::binding::{LONGEST_BODY, MOST_EVENTS, PIECE, RawEvent, is_stream};
use crate::profile::Operation;
use crate::room::Holding;
use crate::transcript::{Direction, Ended, Exchange, Limit, Request, Response};
use crate::transport::network::{Body, Head};
use crate::wire::http::retry_after;
use crate::wire::sse;

/// A response that is being read.
pub struct Incoming {
    pub(super) number: u64,
    pub(super) purpose: String,
    pub(super) request: Request,
    pub(super) at: Duration,
    pub(super) sent: Instant,
    pub(super) head: Option<(u16, Vec<(String, String)>)>,
    /// What came after the body.
    pub(in crate::transport) trailers: Vec<(String, String)>,
    pub(super) body: Option<Box<dyn Body>>,
    pub(super) received: BytesMut,
    pub(super) decoder: Option<sse::Decoder>,
    pub(super) waiting: VecDeque<RawEvent>,
    pub(super) seen: usize,
    pub(in crate::transport) holding: Holding,
    pub(in crate::transport) ended: Option<Ended>,
    pub(super) elapsed: Duration,
}

impl Incoming {
    /// A response of which nothing has come yet. `at` is when its request was made, since the beginning of the run.
    pub(in crate::transport) fn new(
        number: u64,
        purpose: String,
        request: Request,
        at: Duration,
        sent: Instant,
    ) -> Self {
        Self {
            number,
            purpose,
            request,
            at,
            sent,
            head: None,
            trailers: Vec::new(),
            body: None,
            received: BytesMut::new(),
            decoder: None,
            waiting: VecDeque::new(),
            seen: 0,
            holding: Holding::default(),
            ended: None,
            elapsed: Duration::ZERO,
        }
    }

    pub(super) fn begin(&mut self, head: Head) {
        self.begin_with(head.status, head.headers);
        self.body = Some(head.body);
    }

    /// A head has come. Somebody else reads the body, and gives each piece of it.
    pub(in crate::transport) fn begin_with(&mut self, status: u16, headers: Vec<(String, String)>) {
        if is_stream(&headers) {
            self.decoder = Some(sse::Decoder::new(sse::Limits::default()));
        }
        self.head = Some((status, headers));
    }

    pub(in crate::transport) fn take(&mut self, chunk: &[u8]) {
        if self.received.len() + chunk.len() > LONGEST_BODY {
            self.end(Ended::Endless(Limit::Bytes(LONGEST_BODY)));
            return;
        }
        self.received.extend_from_slice(chunk);
        let Some(decoder) = self.decoder.as_mut() else { return };
        let after = self.sent.elapsed();
        for piece in chunk.chunks(PIECE) {
            let Ok(items) = decoder.push(piece) else {
                return self.end(Ended::Endless(Limit::Bytes(LONGEST_BODY)));
            };
            // An event takes many times its bytes, so those that nobody will read are not kept.
            let room = MOST_EVENTS.saturating_sub(self.seen + self.waiting.len());
            let mut events = items.into_iter().flat_map(|item| RawEvent::all_of(item, after));
            self.waiting.extend(events.by_ref().take(room));
            if events.next().is_some() {
                return self.end(Ended::Endless(Limit::Events(MOST_EVENTS)));
            }
        }
    }

    pub(in crate::transport) fn end(&mut self, ended: Ended) {
        if self.ended.is_none() {
            self.elapsed = self.age();
            let is_too_much = matches!(ended, Ended::Endless(Limit::Bytes(_) | Limit::Memory));
            if is_too_much {
                self.received = BytesMut::from(self.received.get(..KEPT_OF_TOO_MUCH).unwrap_or(&self.received));
            }
            self.holding.end(!is_too_much);
            self.ended = Some(ended);
            self.body = None;
        }
    }

    /// How long it has been under way, apart from what it waited for the suite.
    pub(super) fn age(&self) -> Duration {
        self.sent.elapsed().saturating_sub(self.holding.paused())
    }

    /// The events that nobody has taken yet.
    pub(in crate::transport) fn take_events(&mut self) -> impl Iterator<Item = RawEvent> {
        std::mem::take(&mut self.waiting).into_iter()
    }

    /// Drops the connection of a stream that is not over.
    pub(crate) fn hang_up(&mut self, left_open: bool) {
        self.end(if left_open { Ended::LeftOpen } else { Ended::HungUp });
    }

    /// Whether the response is an event stream.
    pub(crate) fn is_stream(&self) -> bool {
        self.decoder.is_some()
    }

    /// Whether nothing more will come.
    pub(crate) fn is_over(&self) -> bool {
        self.ended.is_some() && self.waiting.is_empty()
    }

    /// The status, once the head is there.
    pub(crate) fn status(&self) -> Option<u16> {
        self.head.as_ref().map(|(status, _)| *status)
    }

    /// The operation that was called.
    pub(crate) fn operation(&self) -> Option<Operation> {
        self.request.operation
    }

    pub(super) fn retry_after(&self) -> Option<Duration> {
        let (status, headers) = self.head.as_ref()?;
        let value = headers.iter().find(|(name, _)| name == "retry-after").map(|(_, value)| value.as_str())?;
        retry_after(value).filter(|_| *status == 429)
    }

    /// The record of an exchange that goes on.
    pub(crate) fn snapshot(&self) -> Exchange {
        Exchange {
            number: self.number,
            purpose: self.purpose.clone(),
            direction: Direction::Outbound,
            request: self.request.clone(),
            response: self.head.clone().map(|(status, headers)| Response {
                status,
                headers,
                body: Bytes::copy_from_slice(&self.received),
                trailers: self.trailers.clone(),
                text: None,
            }),
            ended: self.ended.clone().unwrap_or(Ended::HungUp),
            started: self.at,
            elapsed: if self.ended.is_some() { self.elapsed } else { self.age() },
            share: self.holding.share(),
        }
    }

    /// The record. Of the body no more is kept than came.
    pub(crate) fn into_exchange(self) -> Exchange {
        let elapsed = if self.ended.is_some() { self.elapsed } else { self.age() };
        let body = Bytes::copy_from_slice(&self.received);
        let response =
            self.head.map(|(status, headers)| Response { status, headers, body, trailers: self.trailers, text: None });
        Exchange {
            number: self.number,
            purpose: self.purpose,
            direction: Direction::Outbound,
            request: self.request,
            response,
            ended: self.ended.unwrap_or(Ended::HungUp),
            started: self.at,
            elapsed,
            share: self.holding.share(),
        }
    }
}
