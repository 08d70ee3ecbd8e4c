//! Requests whose every byte a case chooses.

use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;

use super::Call;

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
    pub(crate) const NAMES: [&str; 11] =
        ["request", "line", "method", "url", "target", "host", "fields", "body", "length", "hex", "chunks"];

    /// Its texts.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.send.iter().filter_map(|piece| match piece {
            Piece::Write { what: Written::Text(text), .. } => Some(text.as_str()),
            _ => None,
        })
    }
}
