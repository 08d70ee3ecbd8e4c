//! Requests whose every byte a case chooses.

use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::Call;
use crate::wire::http2::{Frame, kind};

/// A call that is written byte by byte over a connection of its own.
#[derive(Debug, Clone)]
pub struct BytesCall {
    /// What the bytes are made of, or meant to be.
    pub call: Call,
    /// What is done, in this order; nothing: the request is sent as it should be.
    pub send: Vec<Piece>,
    /// How many answers to wait for.
    pub answers: usize,
}

/// One thing that is done.
#[derive(Debug, Clone)]
pub enum Piece {
    /// Writes a text, with references, or exact bytes; so many at once, where it says so.
    Write {
        /// What.
        what: Written,
        /// How many bytes at once.
        at_once: Option<usize>,
    },
    /// Does nothing for so long.
    Pause(Duration),
    /// Waits for so many answers.
    WaitFor(usize),
    /// Ends the sending side, or the connection.
    Then(Last),
}

/// What a piece writes.
#[derive(Debug, Clone)]
pub enum Written {
    /// A text with references.
    Text(String),
    /// Exact bytes.
    Exact(Bytes),
    /// A frame of HTTP/2.
    Frame(Box<WrittenFrame>),
}

/// A frame of HTTP/2 as a case writes it.
#[derive(Debug, Clone)]
pub struct WrittenFrame {
    /// Its type.
    pub kind: FrameKind,
    /// Its flags.
    pub flags: u8,
    /// The stream that it is for; 0 for the connection.
    pub stream: u32,
    /// The length that it states, where that is not the length of its payload.
    pub length: Option<u32>,
    /// How often it goes out, each time on the next stream of a client, and is taken back at once; nothing: once, and it is not.
    pub resets: Option<u16>,
    /// How many bytes of padding it has, where its flags say that it has some.
    pub padding: Option<u8>,
    /// What it holds.
    pub payload: FramePayload,
}

/// What a frame holds.
#[derive(Debug, Clone)]
pub enum FramePayload {
    /// A text with references; of those to the message and its prefix the bytes.
    Text(String),
    /// Exact bytes.
    Exact(Bytes),
    /// Fields, each as `name: value`, with references.
    Fields(Vec<String>),
}

/// The type of a frame (RFC 9113 section 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names are those of the standard")]
pub enum FrameKind {
    Data,
    Headers,
    Priority,
    RstStream,
    Settings,
    PushPromise,
    Ping,
    Goaway,
    WindowUpdate,
    Continuation,
    /// One that no standard has.
    Unknown,
}

impl FrameKind {
    /// Its number.
    pub fn number(self) -> u8 {
        match self {
            Self::Data => kind::DATA,
            Self::Headers => kind::HEADERS,
            Self::Priority => kind::PRIORITY,
            Self::RstStream => kind::RST_STREAM,
            Self::Settings => kind::SETTINGS,
            Self::PushPromise => kind::PUSH_PROMISE,
            Self::Ping => kind::PING,
            Self::Goaway => kind::GOAWAY,
            Self::WindowUpdate => kind::WINDOW_UPDATE,
            Self::Continuation => kind::CONTINUATION,
            Self::Unknown => 0x42,
        }
    }
}

impl WrittenFrame {
    /// The frame without its payload.
    pub fn head(&self) -> Frame {
        let (kind, payload) = (self.kind.number(), Bytes::new());
        Frame { kind, flags: self.flags, stream: self.stream, length: self.length, payload }
    }
}

/// How sending ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Last {
    /// No more is sent, and answers are still read.
    HalfClose,
    /// The connection is closed.
    Close,
    /// The connection is reset.
    Reset,
}

impl BytesCall {
    /// The names of `${bytes.NAME}`.
    pub const NAMES: [&str; 12] =
        ["request", "line", "method", "url", "target", "host", "fields", "body", "length", "hex", "chunks", "prefix"];

    /// Its texts.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.send.iter().flat_map(Piece::texts)
    }
}

impl Piece {
    /// Its texts.
    fn texts(&self) -> Vec<&str> {
        match self {
            Self::Write { what: Written::Text(text), .. } => vec![text],
            Self::Write { what: Written::Frame(frame), .. } => match &frame.payload {
                FramePayload::Text(text) => vec![text],
                FramePayload::Fields(fields) => fields.iter().map(String::as_str).collect(),
                FramePayload::Exact(_) => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// Whether it is a frame of HTTP/2.
    pub fn is_frame(&self) -> bool {
        matches!(self, Self::Write { what: Written::Frame(_), .. })
    }
}
