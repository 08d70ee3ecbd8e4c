//! What comes over a connection, whichever HTTP it is.

use super::received::Received;
use super::streams::Streams;
use super::{Script, Speech};
use crate::transcript::{Ended, Fate, Request};
use crate::transport::http::{Http, Incoming};

/// The answers so far.
pub(super) enum Reader<'a> {
    Http1(Received<'a>),
    Http2(Streams<'a>),
}

impl<'a> Reader<'a> {
    /// Nothing yet; the first answer has this number.
    pub fn new(http: &'a Http, number: u64, request: Request, script: &Script) -> Self {
        match script.speech {
            Speech::Http1 => Self::Http1(Received::new(http, number, request, script)),
            Speech::Http2 => Self::Http2(Streams::new(http, number, request, script)),
        }
    }

    /// Takes the next bytes; says what the connection came to where they are the last that can be read.
    pub async fn take(&mut self, bytes: &[u8]) -> Option<Fate> {
        match self {
            Self::Http1(received) => received.take(bytes).await,
            Self::Http2(streams) => streams.take(bytes).await,
        }
    }

    /// The connection has been closed by the agent.
    pub fn close(&mut self) -> Fate {
        match self {
            Self::Http1(received) => received.close(),
            Self::Http2(streams) => streams.close(),
        }
    }

    /// Ends what is not complete.
    pub fn end(&mut self, ended: Ended) {
        match self {
            Self::Http1(received) => received.end(ended),
            Self::Http2(streams) => streams.end(&ended),
        }
    }

    /// How many of the answers are complete.
    pub fn complete(&self) -> usize {
        match self {
            Self::Http1(received) => received.complete,
            Self::Http2(streams) => streams.complete(),
        }
    }

    /// The answers in their order, and the statuses of interim ones.
    pub fn into_answers(self) -> (Vec<Incoming>, Vec<u16>) {
        match self {
            Self::Http1(received) => (received.answers, received.interim),
            Self::Http2(streams) => streams.into_answers(),
        }
    }
}
