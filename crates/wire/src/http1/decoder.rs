//! The reader of a connection, chunk by chunk.

use std::collections::VecDeque;

use super::head::{Asked, add_field, chunk_size, status_line};
use super::{Ending, Field, Framing, Head, Http1Error, Http1ErrorKind, Item, Limits};

/// Reads the answers of one connection.
#[derive(Debug, Clone)]
pub struct Decoder {
    limits: Limits,
    /// What was asked and not answered yet.
    asked: VecDeque<Asked>,
    state: State,
    /// The bytes of a line that is not over.
    line: Vec<u8>,
    /// Where that line begins.
    line_at: u64,
    /// How many bytes of the head or the trailers have been read.
    head_size: usize,
    /// How many interim answers have come since the last final one.
    interim: usize,
    /// How many bytes have been read.
    read: u64,
    failed: Option<(Http1ErrorKind, u64)>,
}

#[derive(Debug, Clone)]
enum State {
    StatusLine,
    Fields { start: (u8, u16, String), fields: Vec<Field>, at: u64 },
    Body { left: u64 },
    ChunkSize,
    Chunk { left: u64 },
    ChunkEnd,
    Trailers { fields: Vec<Field> },
    UntilClose,
}

type Failure = (Http1ErrorKind, u64);

impl Decoder {
    /// A reader at the beginning of a connection.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            asked: VecDeque::new(),
            state: State::StatusLine,
            line: Vec::new(),
            line_at: 0,
            head_size: 0,
            interim: 0,
            read: 0,
            failed: None,
        }
    }

    /// Says by which method the next request was made: the answer to HEAD has no body. Where nothing is said, it has one.
    pub fn answers(&mut self, method: &str) {
        self.asked.push_back(Asked::by(method));
    }

    /// Takes the next bytes and returns what they complete.
    ///
    /// # Errors
    /// The first time that the bytes are no answer, with the items of this chunk before that, and ever after.
    pub fn push(&mut self, chunk: &[u8]) -> Result<Vec<Item>, Http1Error> {
        let mut items = Vec::new();
        let outcome = match self.failed {
            Some(failure) => Err(failure),
            None => self.take(chunk, &mut items),
        };
        match outcome {
            Ok(()) => Ok(items),
            Err((kind, offset)) => {
                self.failed = Some((kind, offset));
                Err(Http1Error { kind, offset, items })
            }
        }
    }

    /// How the bytes ended, now that they have.
    #[must_use]
    pub fn finish(&self) -> Ending {
        match self.state {
            State::StatusLine if self.line.is_empty() && self.interim == 0 => Ending::Between,
            State::StatusLine | State::Fields { .. } => Ending::InHead,
            State::UntilClose => Ending::WithBody,
            _ => Ending::InBody,
        }
    }

    fn take(&mut self, chunk: &[u8], items: &mut Vec<Item>) -> Result<(), Failure> {
        let mut rest = chunk;
        while !rest.is_empty() {
            match &mut self.state {
                State::Body { left } | State::Chunk { left } => {
                    let size = usize::try_from(*left).unwrap_or(usize::MAX).min(rest.len());
                    let (data, after) = rest.split_at(size);
                    let size = size as u64;
                    *left -= size;
                    self.read += size;
                    rest = after;
                    items.push(Item::Data(data.to_vec()));
                    self.end_piece(items);
                }
                State::UntilClose => {
                    self.read += rest.len() as u64;
                    items.push(Item::Data(rest.to_vec()));
                    return Ok(());
                }
                _ => {
                    let Some(line) = self.take_line(&mut rest)? else { return Ok(()) };
                    let at = std::mem::replace(&mut self.line_at, self.read);
                    self.read_line(&line, at, items).map_err(|kind| (kind, at))?;
                }
            }
        }
        Ok(())
    }

    /// Goes on after the last byte of a body or chunk.
    fn end_piece(&mut self, items: &mut Vec<Item>) {
        match self.state {
            State::Body { left: 0 } => self.end(Vec::new(), items),
            State::Chunk { left: 0 } => {
                self.state = State::ChunkEnd;
                self.line_at = self.read;
            }
            _ => {}
        }
    }

    fn end(&mut self, trailers: Vec<Field>, items: &mut Vec<Item>) {
        items.push(Item::End { trailers, at: self.read });
        self.state = State::StatusLine;
        self.line_at = self.read;
        self.head_size = 0;
    }

    /// The next line without its end, once it is whole.
    fn take_line(&mut self, rest: &mut &[u8]) -> Result<Option<Vec<u8>>, Failure> {
        let end = rest.iter().position(|byte| *byte == b'\n');
        let (piece, after) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
        *rest = after;
        self.read += piece.len() as u64;
        self.head_size += piece.len();
        if self.head_size > self.limits.head {
            return Err((Http1ErrorKind::LongHead, self.line_at));
        }
        self.line.extend_from_slice(piece);
        if end.is_none() {
            return Ok(None);
        }
        let mut line = std::mem::take(&mut self.line);
        line.pop();
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        Ok(Some(line))
    }

    fn read_line(&mut self, line: &[u8], at: u64, items: &mut Vec<Item>) -> Result<(), Http1ErrorKind> {
        match &mut self.state {
            State::StatusLine => {
                self.state = State::Fields { start: status_line(line)?, fields: Vec::new(), at };
                Ok(())
            }
            State::Fields { start, fields, at } if line.is_empty() => {
                let (start, fields, at) = (std::mem::take(start), std::mem::take(fields), *at);
                let asked = self.asked.front().copied().unwrap_or(Asked::Other);
                self.begin(Head::new(start, fields, at, asked)?, items)
            }
            State::Trailers { fields } if line.is_empty() => {
                let trailers = std::mem::take(fields);
                self.end(trailers, items);
                Ok(())
            }
            State::Fields { fields, .. } | State::Trailers { fields } => {
                if fields.len() >= self.limits.fields {
                    return Err(Http1ErrorKind::LongHead);
                }
                add_field(line, at, fields)
            }
            State::ChunkSize => {
                let left = chunk_size(line)?;
                self.head_size = 0;
                self.state = if left == 0 { State::Trailers { fields: Vec::new() } } else { State::Chunk { left } };
                Ok(())
            }
            State::ChunkEnd if line.is_empty() => {
                self.state = State::ChunkSize;
                Ok(())
            }
            _ => Err(Http1ErrorKind::ChunkEnd),
        }
    }

    /// Goes on after a head.
    fn begin(&mut self, head: Head, items: &mut Vec<Item>) -> Result<(), Http1ErrorKind> {
        let framing = head.framing;
        self.head_size = 0;
        if head.is_interim() {
            self.interim += 1;
            self.state = State::StatusLine;
            items.push(Item::Interim(head));
            return if self.interim > self.limits.interim { Err(Http1ErrorKind::Interim) } else { Ok(()) };
        }
        self.interim = 0;
        self.asked.pop_front();
        items.push(Item::Head(head));
        match framing {
            Framing::None | Framing::Length(0) => self.end(Vec::new(), items),
            Framing::Length(left) => self.state = State::Body { left },
            Framing::Chunked => self.state = State::ChunkSize,
            Framing::UntilClose => self.state = State::UntilClose,
        }
        Ok(())
    }
}
