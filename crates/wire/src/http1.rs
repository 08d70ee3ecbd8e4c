//! Answers of HTTP/1.1 as bytes: heads and framing by RFC 9112, read as they arrive.
//!
//! [`Decoder`] turns chunks of bytes into [`Item`]s: heads with every field as it stood, pieces of bodies, ends with trailers.
//! However the bytes are cut, the same comes out, apart from where pieces of a body are cut. Any number of answers may follow
//! each other on one connection. Where a recipient may choose, it reads on: a line may end with LF alone (section 2.2), and a
//! field may be folded (section 5.2). What leaves the length of an answer in doubt is an error.

mod decoder;
mod head;
#[cfg(test)]
mod tests;

use thiserror::Error;

pub use decoder::Decoder;

/// How much an answer may make its reader hold at once. Bodies are handed over, not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes of a head, and of the trailers.
    pub head: usize,
    /// Most fields of a head, and among the trailers.
    pub fields: usize,
    /// Most interim answers before a final one.
    pub interim: usize,
}

impl Default for Limits {
    /// 256 KiB and 2,048 fields of a head, 64 interim answers.
    fn default() -> Self {
        Self { head: 256 << 10, fields: 2_048, interim: 64 }
    }
}

/// Something that an answer consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// The head of an interim answer (RFC 9110 section 15.2), which has no body.
    Interim(Head),
    /// The head of a final answer.
    Head(Head),
    /// A piece of its body.
    Data(Vec<u8>),
    /// Its end. An answer that only the end of the connection ends has none: see [`Decoder::finish`].
    End {
        /// The fields after a chunked body (section 7.1.2).
        trailers: Vec<Field>,
        /// The byte after the answer.
        at: u64,
    },
}

/// The head of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The minor version of HTTP/1.
    pub minor: u8,
    /// The status.
    pub status: u16,
    /// The reason phrase, which may be empty.
    pub reason: String,
    /// The fields in their order.
    pub fields: Vec<Field>,
    /// How long the body is.
    pub framing: Framing,
    /// Its first byte, counted from the beginning of the connection.
    pub at: u64,
}

impl Head {
    /// The values of the fields of this name, in whatever case.
    pub fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.fields.iter().filter(move |field| field.name.eq_ignore_ascii_case(name)).map(|field| field.value.as_str())
    }
}

/// One field line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The name as written.
    pub name: String,
    /// The value without the white space around it; bytes that are no UTF-8 are replaced.
    pub value: String,
    /// Its first byte, counted from the beginning of the connection.
    pub at: u64,
}

/// How long the body of an answer is (section 6.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// There is none.
    None,
    /// So many bytes.
    Length(u64),
    /// As many chunks as come.
    Chunked,
    /// As long as the connection.
    UntilClose,
}

/// How the bytes ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// After a whole answer, or before the first.
    Between,
    /// In a body that only the end of the connection ends: this is its end.
    WithBody,
    /// In the midst of a head.
    InHead,
    /// In the midst of a body of which more was to come.
    InBody,
}

/// Bytes that are no answer of HTTP/1.1, or more of one than is read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{kind} at byte {offset}")]
pub struct Http1Error {
    /// What is wrong.
    pub kind: Http1ErrorKind,
    /// Where: the first byte of the line.
    pub offset: u64,
    /// What came before it in the same chunk.
    pub items: Vec<Item>,
}

/// What is wrong with an answer. Sections are those of RFC 9112.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Http1ErrorKind {
    /// The first line is none of HTTP/1 (section 4).
    #[error("no status line of HTTP/1")]
    StatusLine,
    /// A line of a head is no field (section 5).
    #[error("a line that is no field")]
    Field,
    /// Content-Length is no number, or several (section 6.3).
    #[error("a Content-Length that is not one number")]
    Length,
    /// The size of a chunk is no hexadecimal number, or more than there can be (section 7.1).
    #[error("a chunk without a size")]
    ChunkSize,
    /// Something else than a line end follows the bytes of a chunk (section 7.1).
    #[error("a chunk that does not end where its size says")]
    ChunkEnd,
    /// A head is longer than is read.
    #[error("a head that is longer than the suite reads")]
    LongHead,
    /// There are more interim answers than are read.
    #[error("more interim answers than the suite reads")]
    Interim,
}

impl Http1ErrorKind {}
