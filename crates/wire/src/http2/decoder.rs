//! What a server sends, frame by frame (RFC 9113 section 4).

use bytes::{Buf as _, Bytes, BytesMut};
use thiserror::Error;

use super::{HEAD, flag, kind};

/// The longest frame that is read: what a client that says nothing of it has to take (section 6.5.2), and some more.
const LONGEST_FRAME: usize = 1 << 20;
/// The longest field block.
const LONGEST_BLOCK: usize = 256 << 10;

/// What a frame, or a field block of several, says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A field block: the head of a response, or its trailers.
    Fields {
        /// The stream.
        stream: u32,
        /// The fields in their order, pseudo-header fields among them.
        fields: Vec<(String, String)>,
        /// Whether nothing follows on the stream.
        is_last: bool,
    },
    /// A piece of a body.
    Data {
        /// The stream.
        stream: u32,
        /// The piece, without padding.
        data: Bytes,
        /// Whether nothing follows on the stream.
        is_last: bool,
    },
    /// The stream was given up.
    Reset {
        /// The stream.
        stream: u32,
        /// Why (section 7).
        code: u32,
    },
    /// The connection is given up, or is to end.
    GoAway {
        /// Why (section 7); 0: in good order.
        code: u32,
    },
    /// A frame about the connection, or one that says nothing of an answer.
    Other {
        /// Its type.
        kind: u8,
    },
}

/// What comes is no HTTP/2 of a server.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Http2Error {
    /// The connection does not begin with a SETTINGS frame (section 3.4).
    #[error("the connection does not begin with a SETTINGS frame")]
    NoSettings,
    /// A frame is longer than is read.
    #[error("a frame of {0} bytes, more than are read")]
    TooLong(usize),
    /// A frame that cannot have this length, or whose padding is longer than itself.
    #[error("a frame of type {0:#04x} whose length cannot be")]
    Length(u8),
    /// A field block that is interrupted, or continued where there is none (section 6.10).
    #[error("a field block that is interrupted, or continued where there is none")]
    Block,
    /// Fields that cannot be decompressed (section 4.3).
    #[error("fields that cannot be read: {0}")]
    Fields(String),
}

/// A field block that has begun.
struct Block {
    stream: u32,
    is_last: bool,
    bytes: BytesMut,
}

/// Reads frames as their bytes come.
pub struct Decoder {
    buffer: BytesMut,
    fields: loona_hpack::Decoder<'static>,
    block: Option<Block>,
    has_begun: bool,
}

impl Default for Decoder {
    fn default() -> Self {
        let mut fields = loona_hpack::Decoder::new();
        // What the suite's SETTINGS leave as it is (section 6.5.2).
        fields.set_max_allowed_table_size(4096);
        Self { buffer: BytesMut::new(), fields, block: None, has_begun: false }
    }
}

impl Decoder {
    /// Takes the next bytes, and returns what they complete.
    ///
    /// # Errors
    /// The first thing that is wrong, with what was complete before it.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Item>, (Vec<Item>, Http2Error)> {
        self.buffer.extend_from_slice(bytes);
        let mut items = Vec::new();
        loop {
            match self.next() {
                Ok(Some(item)) => items.extend(item),
                Ok(None) => return Ok(items),
                Err(error) => return Err((items, error)),
            }
        }
    }

    /// The next frame; nothing inside where a field block goes on.
    fn next(&mut self) -> Result<Option<Option<Item>>, Http2Error> {
        let Some((head, _)) = self.buffer.split_first_chunk::<HEAD>() else { return Ok(None) };
        let [a, b, c, kind, flags, stream @ ..] = *head;
        let length = usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c);
        if !self.has_begun && kind != kind::SETTINGS {
            return Err(Http2Error::NoSettings);
        }
        if length > LONGEST_FRAME {
            return Err(Http2Error::TooLong(length));
        }
        if self.buffer.len() < HEAD + length {
            return Ok(None);
        }
        self.has_begun = true;
        self.buffer.advance(HEAD);
        let payload = self.buffer.split_to(length).freeze();
        // The highest bit is reserved (section 4.1).
        let stream = u32::from_be_bytes(stream) & 0x7fff_ffff;
        self.read((kind, flags, stream), payload).map(Some)
    }

    fn read(&mut self, (kind, flags, stream): (u8, u8, u32), payload: Bytes) -> Result<Option<Item>, Http2Error> {
        if self.block.is_some() != (kind == kind::CONTINUATION) {
            return Err(Http2Error::Block);
        }
        let is_last = flags & flag::END_STREAM != 0;
        let code = |at: usize| {
            let number = payload.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_be_bytes);
            number.ok_or(Http2Error::Length(kind))
        };
        Ok(Some(match kind {
            kind::DATA => Item::Data { stream, data: unpadded(kind, flags, payload)?, is_last },
            kind::HEADERS => {
                let mut bytes = unpadded(kind, flags, payload)?;
                if flags & flag::PRIORITY != 0 {
                    bytes = bytes.get(5..).map(Bytes::copy_from_slice).ok_or(Http2Error::Length(kind))?;
                }
                self.block = Some(Block { stream, is_last, bytes: BytesMut::from(bytes.as_ref()) });
                return self.end_block(flags);
            }
            kind::CONTINUATION => {
                let block = self.block.as_mut().filter(|block| block.stream == stream).ok_or(Http2Error::Block)?;
                if block.bytes.len() + payload.len() > LONGEST_BLOCK {
                    return Err(Http2Error::TooLong(block.bytes.len() + payload.len()));
                }
                block.bytes.extend_from_slice(&payload);
                return self.end_block(flags);
            }
            kind::RST_STREAM => Item::Reset { stream, code: code(0)? },
            kind::GOAWAY => Item::GoAway { code: code(4)? },
            kind => Item::Other { kind },
        }))
    }

    /// The fields of the block, where it is complete.
    fn end_block(&mut self, flags: u8) -> Result<Option<Item>, Http2Error> {
        if flags & flag::END_HEADERS == 0 {
            return Ok(None);
        }
        let Some(Block { stream, is_last, bytes }) = self.block.take() else { return Ok(None) };
        let read = self.fields.decode(&bytes).map_err(|error| Http2Error::Fields(error.to_string()))?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let fields = read.into_iter().map(|(name, value)| (text(name), text(value))).collect();
        Ok(Some(Item::Fields { stream, fields, is_last }))
    }
}

/// A payload without its padding (sections 6.1 and 6.2).
fn unpadded(kind: u8, flags: u8, payload: Bytes) -> Result<Bytes, Http2Error> {
    if flags & flag::PADDED == 0 {
        return Ok(payload);
    }
    let padding = payload.first().copied().map(usize::from).ok_or(Http2Error::Length(kind))?;
    let end = payload.len().checked_sub(padding).filter(|end| *end > 0).ok_or(Http2Error::Length(kind))?;
    Ok(payload.slice(1..end))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::http2::{Frame, field};

    fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Bytes {
        Frame { kind, flags, stream, length: None, payload: Bytes::copy_from_slice(payload) }.write()
    }

    fn answer() -> Vec<u8> {
        let (status, kind) = (field(b":status", b"200"), field(b"content-type", b"application/grpc"));
        [
            frame(kind::SETTINGS, 0, 0, &[]),
            frame(kind::HEADERS, 0, 1, &status),
            frame(kind::CONTINUATION, flag::END_HEADERS, 1, &kind),
            frame(kind::DATA, flag::PADDED, 1, b"\x02abc\0\0"),
            frame(kind::PING, 0, 0, b"01234567"),
            frame(kind::HEADERS, flag::END_HEADERS | flag::END_STREAM, 1, &field(b"grpc-status", b"0")),
            frame(kind::RST_STREAM, 0, 3, &[0, 0, 0, 8]),
            frame(kind::GOAWAY, 0, 0, &[0, 0, 0, 1, 0, 0, 0, 2, b'x']),
        ]
        .concat()
    }

    fn text(fields: &[(&str, &str)]) -> Vec<(String, String)> {
        fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn an_answer_is_read_wherever_it_is_cut() {
        let bytes = answer();
        let whole = Decoder::default().push(&bytes).unwrap();
        let head = text(&[(":status", "200"), ("content-type", "application/grpc")]);
        assert_eq!(
            whole,
            [
                Item::Other { kind: kind::SETTINGS },
                Item::Fields { stream: 1, fields: head, is_last: false },
                Item::Data { stream: 1, data: Bytes::from_static(b"abc"), is_last: false },
                Item::Other { kind: kind::PING },
                Item::Fields { stream: 1, fields: text(&[("grpc-status", "0")]), is_last: true },
                Item::Reset { stream: 3, code: 8 },
                Item::GoAway { code: 2 },
            ]
        );
        for cut in 0..bytes.len() {
            let mut decoder = Decoder::default();
            let mut items = decoder.push(&bytes[..cut]).unwrap();
            items.extend(decoder.push(&bytes[cut..]).unwrap());
            assert_eq!(items, whole, "{cut}");
        }
    }

    #[test]
    fn what_no_server_sends_is_told() {
        let wrong = |bytes: &[u8]| Decoder::default().push(bytes).unwrap_err().1;
        assert_eq!(wrong(b"HTTP/1.1 400 Bad Request\r\n\r\n"), Http2Error::NoSettings);
        let after = |kind, flags, payload: &[u8]| {
            wrong(&[frame(kind::SETTINGS, 0, 0, &[]), frame(kind, flags, 1, payload)].concat())
        };
        assert_eq!(after(kind::CONTINUATION, flag::END_HEADERS, b""), Http2Error::Block);
        assert_eq!(after(kind::DATA, flag::PADDED, b"\x05a"), Http2Error::Length(kind::DATA));
        assert_eq!(after(kind::RST_STREAM, 0, b"\0"), Http2Error::Length(kind::RST_STREAM));
        assert!(matches!(after(kind::HEADERS, flag::END_HEADERS, b"\xff\xff\xff\xff\xff\xff"), Http2Error::Fields(_)));
    }

    proptest! {
        /// Whatever an agent sends.
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), block in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Decoder::default().push(&bytes);
            let settings = frame(kind::SETTINGS, 0, 0, &[]);
            let _ = Decoder::default().push(&[settings, frame(kind::HEADERS, flag::END_HEADERS, 1, &block)].concat());
        }
    }
}
