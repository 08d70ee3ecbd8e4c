//! What goes wrong before a request is one: changes to bytes as they come over a connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;

use super::asked::replace;
use super::data::{Fault, SocketChange};

/// The end of a head.
const END_OF_HEAD: &[u8] = b"\r\n\r\n";
/// How a frame begins that takes a call back (RFC 9113 section 6.4).
const RST_STREAM: &[u8] = b"\0\0\x04\x03\0";
/// How a request begins that follows another.
const REQUESTS: [&[u8]; 2] = [b"POST /", b"GET /"];

/// The faults of an agent that act at its sockets.
#[derive(Debug)]
pub(crate) struct Sockets {
    changes: Vec<&'static SocketChange>,
    /// Whether nothing is read as it comes any more.
    is_dead: AtomicBool,
}

impl Sockets {
    /// Those of these faults, or nothing where there are none.
    pub(crate) fn new(faults: &[&'static Fault]) -> Option<Arc<Self>> {
        let changes: Vec<_> = faults.iter().filter_map(|fault| fault.socket.as_ref()).collect();
        (!changes.is_empty()).then(|| Arc::new(Self { changes, is_dead: AtomicBool::new(false) }))
    }

    /// What becomes of bytes that came together; nothing where the connection is to end. `is_first` tells whether they are the
    /// first of their connection.
    pub(crate) fn change(&self, bytes: &[u8], is_first: bool) -> Option<Bytes> {
        let mut bytes = Bytes::copy_from_slice(bytes);
        for change in &self.changes {
            for (from, to) in &change.replace {
                bytes = replace(&bytes, from.as_bytes(), to.as_bytes());
            }
            if change.whole_heads && is_first && find(&bytes, END_OF_HEAD).is_none() {
                return None;
            }
            let is_flood = change.dies_of_frames > 0 && count(&bytes, RST_STREAM) >= change.dies_of_frames;
            self.is_dead.fetch_or(is_flood, Ordering::Relaxed);
            if change.last_only {
                bytes = last_request(bytes);
            }
        }
        Some(bytes)
    }

    /// Whether the names of header fields of answers begin with capital letters.
    pub(crate) fn has_title_case(&self) -> bool {
        self.changes.iter().any(|change| change.title_case)
    }

    /// A connection was lost.
    pub(crate) fn lose(&self) {
        if self.changes.iter().any(|change| change.dies_of_resets) {
            self.is_dead.store(true, Ordering::Relaxed);
        }
    }

    /// Whether nothing is read as it comes any more.
    pub(crate) fn is_dead(&self) -> bool {
        self.is_dead.load(Ordering::Relaxed)
    }
}

/// The last of several requests that came together.
fn last_request(mut bytes: Bytes) -> Bytes {
    while let Some(place) = REQUESTS.iter().filter_map(|start| find(bytes.get(1..)?, start)).min() {
        bytes = bytes.slice(place + 1..);
    }
    bytes
}

fn count(bytes: &[u8], wanted: &[u8]) -> usize {
    bytes.windows(wanted.len()).filter(|window| *window == wanted).count()
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sockets(change: SocketChange) -> Sockets {
        Sockets { changes: vec![Box::leak(Box::new(change))], is_dead: AtomicBool::new(false) }
    }

    #[test]
    fn bytes_are_changed_before_they_are_a_request() {
        let pairs = vec![(" : ".to_owned(), ": ".to_owned()), ("a\r\n".to_owned(), String::new())];
        let lenient = sockets(SocketChange { replace: pairs, ..SocketChange::default() });
        assert_eq!(lenient.change(b"X : a\r\nb", true).unwrap(), "X: b");
        lenient.lose();
        assert!(!lenient.is_dead());

        let hasty = sockets(SocketChange { whole_heads: true, ..SocketChange::default() });
        assert_eq!(hasty.change(b"GET / HT", true), None);
        assert_eq!(hasty.change(b"GET / HT", false).unwrap(), "GET / HT");
        assert!(hasty.change(b"GET / HTTP/1.1\r\n\r\n", true).is_some());

        let last = sockets(SocketChange { last_only: true, ..SocketChange::default() });
        assert_eq!(last.change(b"POST /1 {}GET /2 POST /3", true).unwrap(), "POST /3");
        assert_eq!(last.change(b"POST /1 {}", true).unwrap(), "POST /1 {}");

        let flooded = sockets(SocketChange { dies_of_frames: 2, ..SocketChange::default() });
        let reset = [RST_STREAM, &[0, 0, 0, 1, 0, 0, 0, 8]].concat();
        assert!(flooded.change(&reset, true).is_some() && !flooded.is_dead());
        assert!(flooded.change(&reset.repeat(2), true).is_some() && flooded.is_dead());

        let mortal = sockets(SocketChange { dies_of_resets: true, ..SocketChange::default() });
        assert!(!mortal.is_dead());
        mortal.lose();
        assert!(mortal.is_dead());
    }
}
