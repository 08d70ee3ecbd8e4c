//! What is written, and when.

use std::time::Duration;

use bytes::Bytes;

use crate::binding::http::Outgoing;

/// A conversation over one connection, as it is planned.
#[derive(Debug, Clone)]
pub struct Script {
    /// What the bytes are meant to be: where they go, what they are for, how answers are read. Of its method, headers and body
    /// nothing is sent.
    pub meant: Outgoing,
    /// What is done, in this order. Answers are read beside it.
    pub moves: Vec<Move>,
    /// How many answers to wait for after the last move; the agent may close the connection before.
    pub answers: usize,
    /// How fast answers are read.
    pub reading: Reading,
}

/// One thing that is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Move {
    /// Writes bytes, as fast as they go.
    Send(Vec<Part>),
    /// Writes so many bytes at once, with a pause after each piece. Each leaves in a packet of its own.
    Drip {
        /// The bytes.
        parts: Vec<Part>,
        /// How many at once, one at least.
        size: usize,
        /// The pause.
        pause: Duration,
    },
    /// Does nothing for so long.
    Pause(Duration),
    /// Waits until so many final answers are complete, or no more can come.
    Await(usize),
    /// Writes no more, and says so: FIN, with TLS after a `close_notify`.
    HalfClose,
    /// Closes the connection, whatever may still come.
    Close,
    /// Drops the connection so that the other side is told of an error: RST.
    Reset,
}

/// A piece of what is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// These bytes.
    Bytes(Bytes),
    /// A field line for each credential that may go to this origin, CRLF included. Only the client knows their values.
    Credentials,
}

/// How fast answers are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// The most bytes that are read at once.
    pub piece: usize,
    /// How long nothing is read before each piece.
    pub pause: Duration,
}

impl Default for Reading {
    /// As fast as they come.
    fn default() -> Self {
        Self { piece: 64 << 10, pause: Duration::ZERO }
    }
}

impl Script {
    /// Sends bytes at once, and waits for one answer.
    pub fn new(meant: Outgoing, bytes: impl Into<Bytes>) -> Self {
        Self::of(meant, vec![Move::Send(vec![Part::Bytes(bytes.into())])])
    }

    /// Makes these moves, and waits for one answer.
    pub fn of(meant: Outgoing, moves: Vec<Move>) -> Self {
        Self { meant, moves, answers: 1, reading: Reading::default() }
    }

    /// The pauses that it makes by itself: waiting for the agent comes on top.
    pub(super) fn pauses(&self) -> Duration {
        let pause = |one: &Move| match one {
            Move::Pause(pause) => *pause,
            Move::Drip { parts, size, pause } => {
                let bytes: usize = parts.iter().map(Part::len).sum();
                let pieces = u32::try_from(bytes.div_ceil((*size).max(1))).unwrap_or(u32::MAX);
                pause.saturating_mul(pieces)
            }
            _ => Duration::ZERO,
        };
        self.moves.iter().map(pause).fold(Duration::ZERO, Duration::saturating_add)
    }
}

impl Part {
    fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Credentials => 0,
        }
    }
}

impl Move {
    /// What it writes; nothing where it does something else.
    pub(super) fn parts(&self) -> &[Part] {
        match self {
            Self::Send(parts) | Self::Drip { parts, .. } => parts,
            _ => &[],
        }
    }
}
