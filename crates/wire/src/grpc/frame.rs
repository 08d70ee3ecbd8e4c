//! Messages in a body: each behind a flag and its length ("Length-Prefixed-Message").

use bytes::{Buf, BufMut, Bytes, BytesMut};
use thiserror::Error;

/// Bytes before each message: one for the flag, four for the length.
const PREFIX: usize = 5;

/// A message with its prefix, not compressed. Lengths are of 32 bits: what is longer has no frame.
#[must_use]
pub fn frame(message: &[u8]) -> Option<Bytes> {
    let length = u32::try_from(message.len()).ok()?;
    let mut frame = BytesMut::with_capacity(PREFIX + message.len());
    frame.put_u8(0);
    frame.put_u32(length);
    frame.put_slice(message);
    Some(frame.freeze())
}

/// One message as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Where its prefix begins, in bytes from the start of the body.
    pub offset: u64,
    /// Whether it is compressed, in the way that `grpc-encoding` names.
    pub is_compressed: bool,
    /// The message, without its prefix.
    pub message: Bytes,
}

/// What is wrong with the frames of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum FrameErrorKind {
    /// The first byte of a prefix is neither 0 nor 1.
    #[error("a message begins with the byte {found:#04x} instead of the compressed flag, which is 0 or 1")]
    Flag {
        /// The byte.
        found: u8,
    },
    /// The flag says compressed, and `grpc-encoding` names no compression.
    #[error("a message is flagged as compressed, but grpc-encoding names no compression")]
    CompressedWithoutEncoding,
    /// Longer than the reader holds.
    #[error("a message announces {length} bytes, more than the {limit} that are read")]
    TooLong {
        /// The length that its prefix states.
        length: u32,
        /// The longest message that is read.
        limit: usize,
    },
    /// The body ends inside a prefix, or bytes follow the last message.
    #[error("{got} bytes stand where the 5 bytes before a message should, and the body ends there")]
    TruncatedPrefix {
        /// How many there are, one to four.
        got: usize,
    },
    /// The body ends inside a message.
    #[error("the body ends after {got} of the {length} bytes of a message")]
    TruncatedMessage {
        /// How many bytes of the message came.
        got: usize,
        /// The length that its prefix states.
        length: u32,
    },
}

/// A body that does not consist of frames, and the frames before that.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{kind} (byte {offset} of the body)")]
pub struct FrameError {
    /// What is wrong.
    pub kind: FrameErrorKind,
    /// Where the frame begins, in bytes from the start of the body.
    pub offset: u64,
    /// The frames that this chunk completed before.
    pub frames: Vec<Frame>,
}

/// Reads frames chunk by chunk.
#[derive(Debug)]
pub struct Decoder {
    /// The longest message.
    limit: usize,
    has_encoding: bool,
    /// What came and is no whole frame yet.
    buffer: BytesMut,
    /// Where the buffer begins in the body.
    offset: u64,
    failed: Option<FrameErrorKind>,
}

impl Decoder {
    /// A reader at the beginning of a body. `encoding` is the value of `grpc-encoding`, where there is one; `limit` is
    /// the length of the longest message, in bytes.
    #[must_use]
    pub fn new(encoding: Option<&str>, limit: usize) -> Self {
        let has_encoding = encoding.is_some_and(|name| !name.is_empty() && name != "identity");
        Self { limit, has_encoding, buffer: BytesMut::new(), offset: 0, failed: None }
    }

    /// Takes the next bytes of the body and returns the frames that they complete. A length over the limit is refused
    /// when its prefix is complete, before any of the message is held.
    ///
    /// # Errors
    /// The first thing that is wrong, with the frames of this chunk before it, and ever after.
    pub fn push(&mut self, chunk: &[u8]) -> Result<Vec<Frame>, FrameError> {
        let mut frames = Vec::new();
        if self.failed.is_none() {
            self.buffer.extend_from_slice(chunk);
            self.failed = self.take(&mut frames).err();
        }
        match self.failed {
            None => Ok(frames),
            Some(kind) => {
                self.buffer.clear();
                Err(FrameError { kind, offset: self.offset, frames })
            }
        }
    }

    /// Says whether the body may end here.
    ///
    /// # Errors
    /// It ends inside a frame, or had failed before.
    pub fn finish(self) -> Result<(), FrameError> {
        let kind = match (self.failed, self.prefix(), self.buffer.len()) {
            (Some(kind), ..) => kind,
            (None, _, 0) => return Ok(()),
            (None, None, got) => FrameErrorKind::TruncatedPrefix { got },
            (None, Some((_, length)), got) => FrameErrorKind::TruncatedMessage { got: got - PREFIX, length },
        };
        Err(FrameError { kind, offset: self.offset, frames: Vec::new() })
    }

    /// Flag and length of the frame at the start of the buffer.
    fn prefix(&self) -> Option<(u8, u32)> {
        let (prefix, _) = self.buffer.split_first_chunk::<PREFIX>()?;
        let [flag, length @ ..] = *prefix;
        Some((flag, u32::from_be_bytes(length)))
    }

    fn take(&mut self, frames: &mut Vec<Frame>) -> Result<(), FrameErrorKind> {
        loop {
            match self.buffer.first() {
                None | Some(0) => {}
                Some(1) if self.has_encoding => {}
                Some(1) => return Err(FrameErrorKind::CompressedWithoutEncoding),
                Some(&found) => return Err(FrameErrorKind::Flag { found }),
            }
            let Some((flag, length)) = self.prefix() else { return Ok(()) };
            let (limit, needed) = (self.limit, usize::try_from(length).unwrap_or(usize::MAX));
            if needed > limit {
                return Err(FrameErrorKind::TooLong { length, limit });
            }
            if self.buffer.len() - PREFIX < needed {
                return Ok(());
            }
            self.buffer.advance(PREFIX);
            let message = self.buffer.split_to(needed).freeze();
            frames.push(Frame { offset: self.offset, is_compressed: flag == 1, message });
            self.offset += (PREFIX + needed) as u64;
        }
    }
}
