//! Why a text is not JSON, and where.

use std::fmt;

use thiserror::Error;

/// A place in a text as a person counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1; lines end with a line feed.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl Position {
    /// The position of a byte offset; an offset past the end counts as the end.
    #[must_use]
    pub fn of(bytes: &[u8], offset: usize) -> Self {
        let before = bytes.get(..offset).unwrap_or(bytes);
        let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let newlines = before.iter().filter(|byte| **byte == b'\n').count();
        // Every byte but a UTF-8 continuation begins a character; this holds up in broken UTF-8 as well.
        let characters = before.iter().skip(line_start).filter(|byte| (**byte & 0b1100_0000) != 0b1000_0000).count();
        Self { line: newlines + 1, column: characters + 1 }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A text that is not JSON, or that exceeds a limit.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{kind} at {position} (byte {offset})")]
pub struct JsonError {
    /// What is wrong.
    pub kind: JsonErrorKind,
    /// The first byte that is wrong.
    pub offset: usize,
    /// The same place as line and column.
    pub position: Position,
}

/// What is wrong with a text. Sections are those of RFC 8259.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// No value at all: nothing, or white space only (section 2).
    #[error("no JSON value in {bytes} bytes")]
    Empty {
        /// Length of the text.
        bytes: usize,
    },
    /// The text begins with U+FEFF, which a sender must not add (section 8.1).
    #[error("byte order mark before the JSON text")]
    ByteOrderMark,
    /// Bytes that are not UTF-8 (section 8.1).
    #[error("invalid UTF-8")]
    InvalidUtf8,
    /// A character that the grammar does not allow here.
    #[error("found {found:?} instead of {expected}")]
    UnexpectedCharacter {
        /// The character.
        found: char,
        /// What may stand here.
        expected: &'static str,
    },
    /// The text ends inside a value.
    #[error("text ends instead of {expected}")]
    UnexpectedEnd {
        /// What should follow.
        expected: &'static str,
    },
    /// Something follows the value (section 2: a text is one value).
    #[error("found {found:?} after the JSON value")]
    TrailingBytes {
        /// The first character after the value.
        found: char,
    },
    /// A control character stands in a string without an escape (section 7).
    #[error("unescaped control character U+{code:04X} in a string")]
    ControlCharacter {
        /// Its code point.
        code: u32,
    },
    /// A backslash is followed by no known escape (section 7).
    #[error("bad escape {found:?} in a string")]
    BadEscape {
        /// What follows the backslash, as far as it was read.
        found: String,
    },
    /// A number that section 6 does not allow.
    #[error("bad number: {reason}")]
    BadNumber {
        /// Which rule it breaks.
        reason: &'static str,
    },
    /// More arrays and objects open at once than [`Limits::depth`](super::Limits::depth).
    #[error("nesting deeper than {limit} levels")]
    TooDeep {
        /// The limit in force.
        limit: usize,
    },
    /// More bytes than [`Limits::bytes`](super::Limits::bytes).
    #[error("text of {bytes} bytes exceeds the limit of {limit} bytes")]
    TooLarge {
        /// Length of the text.
        bytes: usize,
        /// The limit in force.
        limit: usize,
    },
    /// More values than [`Limits::values`](super::Limits::values).
    #[error("more than {limit} values")]
    TooManyValues {
        /// The limit in force.
        limit: usize,
    },
}

impl JsonErrorKind {
    /// Whether the text met a limit of ours, so that nothing is known against its grammar.
    #[must_use]
    pub fn is_limit(&self) -> bool {
        matches!(self, Self::TooDeep { .. } | Self::TooLarge { .. } | Self::TooManyValues { .. })
    }
}
