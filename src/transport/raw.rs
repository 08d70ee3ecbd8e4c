//! HTTP/1.1 as bytes, and HTTP/2 as frames: what a request is made of is the caller's choice, and so is when each byte of it leaves.
//!
//! A [`Script`] says what is written, in which pieces and with which pauses, and how what comes is read. What comes is read by
//! `wire::http1`, as far as it is HTTP/1.1: each answer on the connection, in order, by its own framing; or by `wire::http2`, the
//! answer on each stream. To the frames of the connection itself nothing is replied but what the script writes: no standard sets a
//! time for that (RFC 9113 section 6.5.3), and scripts are short.
//! Everything is bounded and recorded as in [`http`](super::http). Nothing is sent twice, and no connection is used again.

mod converse;
mod dial;
mod reader;
mod received;
mod script;
mod streams;
#[cfg(test)]
mod tests;

pub(super) use dial::Dialer;
pub use dial::Duplex;
pub use script::{FramePart, Move, Part, Reading, Script, Speech};

use super::http::Incoming;
use crate::transcript::Fate;

/// What came of a script.
pub struct Conversation {
    /// The answers in their order; the first may have no head. A connection without any has one of these all the same, which
    /// says how it ended.
    pub answers: Vec<Incoming>,
    /// Statuses of the interim answers, in their order.
    pub interim: Vec<u16>,
    /// How many bytes were written.
    pub written: usize,
    /// What became of the connection.
    pub fate: Fate,
}
