//! Server-sent events: the event stream grammar of the HTML Living Standard, 9.2.5 and 9.2.6, read as it arrives.
//!
//! [`Decoder`] turns chunks of bytes into [`Item`]s and keeps what an ordinary client drops: comments, unknown fields,
//! line ends, the order of fields and where each stood. However a stream is cut into chunks, the same items come out.
//! [`second_opinion`] says what such a client would see of the same bytes.

mod client;
mod decoder;

use std::ops::Range;
use std::sync::Arc;

use thiserror::Error;

pub use client::{ClientEvent, second_opinion};
pub use decoder::Decoder;

/// How much a stream may make its reader hold at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Longest line, in bytes without its end.
    pub line: usize,
    /// Most bytes in the field lines of one event. They are held twice: as they were written and as they count.
    pub event: usize,
    /// Most field lines in one event, since a line costs more memory than its bytes.
    pub fields: usize,
}

impl Default for Limits {
    /// 16 MiB a line and an event, 16,384 fields: a field takes some 140 bytes however short it is.
    fn default() -> Self {
        Self { line: 16 << 20, event: 16 << 20, fields: 1 << 14 }
    }
}

/// Something that the stream said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// An empty line dispatched an event.
    Event(Event),
    /// A line that begins with a colon. It comes when its line ends, so before the event in whose midst it stands.
    Comment(Comment),
    /// An empty line ended fields among which there was no `data`: no client sees an event, though `id` and `retry`
    /// have had their effect.
    Undispatched(Block),
}

/// An event as a client gets it, and how it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The `event` field, or `message`.
    pub event_type: String,
    /// The `data` fields joined with line feeds.
    pub data: String,
    /// The last event id in force, set by this event or an earlier one.
    pub last_event_id: Arc<str>,
    /// The reconnection time in force, in milliseconds; `None` until the stream sets one.
    pub retry: Option<u64>,
    /// The lines it was made of.
    pub block: Block,
}

/// The field lines up to an empty line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Block {
    /// The fields in order, those without effect included.
    pub fields: Vec<Field>,
    /// Bytes of the stream from the first field to the end of the last one, without its line end.
    pub span: Range<u64>,
}

/// One field line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The name as written; names are case-sensitive.
    pub name: String,
    /// The value, without the one space after the colon.
    pub value: String,
    /// Whether there was a colon; without one the whole line is the name.
    pub has_colon: bool,
    /// What a client makes of it.
    pub effect: Effect,
    /// How the line ended.
    pub line_end: LineEnd,
    /// Whether the line was no UTF-8, so that U+FFFD stands for broken bytes.
    pub is_replaced: bool,
    /// Its bytes in the stream, without the line end.
    pub span: Range<u64>,
}

/// What 9.2.6 has a client do with a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It counts.
    Used,
    /// The name is none of `event`, `data`, `id` and `retry`.
    UnknownName,
    /// An `id` that holds U+0000.
    IdWithNul,
    /// A `retry` that is not made of ASCII digits only.
    RetryNotDigits,
}

/// A comment line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// All that follows the colon.
    pub text: String,
    /// Whether the line was no UTF-8.
    pub is_replaced: bool,
    /// Its bytes in the stream, without the line end.
    pub span: Range<u64>,
}

/// The three ways to end a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    /// Line feed.
    Lf,
    /// Carriage return alone.
    Cr,
    /// Carriage return and line feed.
    CrLf,
}

/// How many lines ended in which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LineEnds {
    /// Lines ended by a line feed.
    pub lf: u64,
    /// Lines ended by a carriage return alone.
    pub cr: u64,
    /// Lines ended by both.
    pub crlf: u64,
}

/// In which state a stream ended. A client discards whatever is not complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// After an empty line, a comment, or nothing at all.
    Clean,
    /// After field lines that no empty line follows.
    MidEvent {
        /// The fields that are lost.
        fields: Vec<Field>,
    },
    /// In the middle of a line.
    MidLine {
        /// The line as far as it came, U+FFFD for broken bytes.
        line: String,
        /// The fields before it that are lost with it.
        fields: Vec<Field>,
    },
}

/// A stream that exceeds a limit; nothing after it is read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{kind} in the event stream at byte {offset}")]
pub struct SseError {
    /// Which limit.
    pub kind: SseErrorKind,
    /// Where the line or the event begins.
    pub offset: u64,
    /// What the same chunk held before.
    pub items: Vec<Item>,
}

/// The limit that a stream exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SseErrorKind {
    /// [`Limits::line`]
    #[error("line longer than {limit} bytes")]
    LineTooLong {
        /// The limit in force.
        limit: usize,
    },
    /// [`Limits::event`]
    #[error("event longer than {limit} bytes")]
    EventTooLarge {
        /// The limit in force.
        limit: usize,
    },
    /// [`Limits::fields`]
    #[error("event of more than {limit} fields")]
    TooManyFields {
        /// The limit in force.
        limit: usize,
    },
}
