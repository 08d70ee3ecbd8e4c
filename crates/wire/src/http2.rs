//! HTTP/2 frame by frame (RFC 9113): written as the caller says, right or wrong, and read as they come.
//!
//! Field blocks are written as literals without indexing and without Huffman coding (RFC 7541 section 6.2.2), which every peer
//! reads and which needs no state; so names may be in upper case, and pseudo-header fields in any order.

mod decoder;

use bytes::{BufMut, Bytes, BytesMut};

pub use decoder::{Decoder, Item};

/// What a client sends before anything else (section 3.4).
pub const PREFACE: &str = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Bytes before the payload of each frame.
const HEAD: usize = 9;

/// Types of frames (section 6).
pub mod kind {
    #![allow(missing_docs, reason = "the names are those of the standard")]
    pub const DATA: u8 = 0x0;
    pub const HEADERS: u8 = 0x1;
    pub const PRIORITY: u8 = 0x2;
    pub const RST_STREAM: u8 = 0x3;
    pub const SETTINGS: u8 = 0x4;
    pub const PUSH_PROMISE: u8 = 0x5;
    pub const PING: u8 = 0x6;
    pub const GOAWAY: u8 = 0x7;
    pub const WINDOW_UPDATE: u8 = 0x8;
    pub const CONTINUATION: u8 = 0x9;
}

/// Flags of frames (section 6).
pub mod flag {
    /// The last frame of this side of a stream.
    pub const END_STREAM: u8 = 0x1;
    /// The last frame of a field block.
    pub const END_HEADERS: u8 = 0x4;
    /// The payload begins with the length of the padding at its end.
    pub const PADDED: u8 = 0x8;
    /// Five bytes about the order of streams stand before the fields.
    pub const PRIORITY: u8 = 0x20;
}

/// A frame to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Its type.
    pub kind: u8,
    /// Its flags.
    pub flags: u8,
    /// The stream that it is for; 0 for the connection.
    pub stream: u32,
    /// The length that it states, where that is not the length of its payload. Three bytes of it are written.
    pub length: Option<u32>,
    /// Its payload.
    pub payload: Bytes,
}

impl Frame {
    /// Its bytes.
    #[must_use]
    pub fn write(&self) -> Bytes {
        let own = u32::try_from(self.payload.len()).unwrap_or(u32::MAX);
        let [_, length @ ..] = self.length.unwrap_or(own).to_be_bytes();
        let mut bytes = BytesMut::with_capacity(HEAD + self.payload.len());
        bytes.put_slice(&length);
        bytes.put_u8(self.kind);
        bytes.put_u8(self.flags);
        bytes.put_u32(self.stream);
        bytes.put_slice(&self.payload);
        bytes.freeze()
    }
}

/// A field as it stands in a block: a literal without indexing whose name and value are literals, too.
#[must_use]
pub fn field(name: &[u8], value: &[u8]) -> Bytes {
    let mut bytes = BytesMut::with_capacity(name.len() + value.len() + 5);
    bytes.put_u8(0);
    for text in [name, value] {
        put_length(&mut bytes, text.len());
        bytes.put_slice(text);
    }
    bytes.freeze()
}

/// The length of a string that is not Huffman coded: an integer with a prefix of 7 bits (RFC 7541 sections 5.1 and 5.2).
fn put_length(bytes: &mut BytesMut, length: usize) {
    const MOST: u8 = 0x7f;
    match u8::try_from(length).ok().filter(|length| *length < MOST) {
        Some(length) => bytes.put_u8(length),
        None => {
            bytes.put_u8(MOST);
            let mut rest = length.saturating_sub(usize::from(MOST));
            while rest >= 0x80 {
                bytes.put_u8(u8::try_from(rest % 0x80).unwrap_or_default() | 0x80);
                rest /= 0x80;
            }
            bytes.put_u8(u8::try_from(rest).unwrap_or_default());
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_states_its_length_or_another() {
        let frame = Frame { kind: kind::PING, flags: 1, stream: 3, length: None, payload: Bytes::from_static(b"ab") };
        assert_eq!(frame.write(), [0, 0, 2, 6, 1, 0, 0, 0, 3, b'a', b'b'].as_slice());
        let other = Frame { length: Some(0x01_02_03), payload: Bytes::new(), ..frame };
        assert_eq!(other.write(), [1, 2, 3, 6, 1, 0, 0, 0, 3].as_slice());
    }

    #[test]
    fn fields_of_any_length_are_read_as_they_were_written() {
        for length in [0, 1, 126, 127, 128, 254, 255, 300, 20_000] {
            let value = vec![b'x'; length];
            let block = [field(b":path", b"/"), field(b"X-Upper", &value)].concat();
            let read = loona_hpack::Decoder::new().decode(&block).unwrap();
            assert_eq!(read, [(b":path".to_vec(), b"/".to_vec()), (b"X-Upper".to_vec(), value)]);
        }
    }
}
