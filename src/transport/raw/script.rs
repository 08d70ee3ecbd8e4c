//! What is written, and when.

use std::time::Duration;

use bytes::Bytes;

use crate::auth::Header;
use crate::binding::Outgoing;
use crate::wire::http2;

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
    /// What answers are.
    pub speech: Speech,
}

/// What comes over a connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Speech {
    /// Answers of HTTP/1.1, one after the other.
    #[default]
    Http1,
    /// Frames of HTTP/2. The first answer is that on the first stream of a client, whatever comes of others.
    Http2,
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
    /// A frame of HTTP/2. In its payload, credentials are fields.
    Frame(Box<FramePart>),
}

/// A frame of HTTP/2 whose payload is made of parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FramePart {
    /// The frame; its payload is made when it is written.
    pub frame: http2::Frame,
    /// How many bytes of padding there are.
    pub padding: Option<u8>,
    /// What the payload is made of.
    pub payload: Vec<Part>,
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
        Self { meant, moves, answers: 1, reading: Reading::default(), speech: Speech::Http1 }
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
            Self::Frame(part) => part.payload.iter().map(Self::len).sum(),
        }
    }

    /// Its bytes, with these credentials.
    pub(super) fn bytes(&self, credentials: &[Header]) -> Bytes {
        match self {
            Self::Bytes(own) => own.clone(),
            Self::Credentials => {
                credentials.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect::<String>().into()
            }
            Self::Frame(part) => part.bytes(credentials),
        }
    }
}

impl FramePart {
    fn bytes(&self, credentials: &[Header]) -> Bytes {
        let mut payload: Vec<u8> = self.padding.into_iter().collect();
        for part in &self.payload {
            match part {
                // Names of HTTP/2 are in lower case (RFC 9113 section 8.2.1).
                Part::Credentials => credentials.iter().for_each(|(name, value)| {
                    payload.extend(http2::field(name.to_ascii_lowercase().as_bytes(), value.as_bytes()));
                }),
                other => payload.extend(other.bytes(credentials)),
            }
        }
        payload.extend(std::iter::repeat_n(0, self.padding.map_or(0, usize::from)));
        http2::Frame { payload: payload.into(), ..self.frame.clone() }.write()
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
