//! A stream through the eyes of an ordinary Rust client.

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};

use eventsource_stream::Eventsource;
use futures_util::{FutureExt, StreamExt};

/// Longest stream that is read, in bytes.
const MAX_STREAM: usize = 4 << 20;
/// Most bytes of events that are returned.
const MAX_OUTPUT: usize = 16 << 20;
/// Longest line that may set an id, in bytes: the library copies the id at every empty line.
const MAX_ID_LINE: usize = 1024;

/// Begins the stream: it dispatches nothing, and the crate then takes any further byte order mark for the ordinary
/// character that it is.
const EMPTY_LINE: &[u8] = b"\n";

/// Event type, data and id, as the library reports them.
pub type ClientEvent = (String, String, String);

/// What the `eventsource-stream` crate, an everyday client library, makes of a whole stream. The judge is
/// [`Decoder`](super::Decoder); where the two differ, an agent's users may be surprised though the agent is right.
///
/// A leading byte order mark, on which that crate panics, is taken away first, and the stream is handed over line by
/// line, since the crate copies what is left of a chunk at every line. It loses a last event that ends in a lone CR.
///
/// # Errors
/// The crate's own error as text, or that the stream is more than this opinion is worth.
pub fn second_opinion(bytes: &[u8]) -> Result<Vec<ClientEvent>, String> {
    if bytes.len() > MAX_STREAM {
        return Err(format!("stream of {} bytes exceeds {MAX_STREAM} bytes", bytes.len()));
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let long_id = bytes
        .split(|byte| matches!(byte, b'\n' | b'\r'))
        .find(|line| line.starts_with(b"id") && line.len() > MAX_ID_LINE);
    if let Some(line) = long_id {
        return Err(format!("id line of {} bytes exceeds {MAX_ID_LINE} bytes", line.len()));
    }
    // The known panic is avoided above; should there be another, it is a finding about the crate, not a crash of ours.
    catch_unwind(AssertUnwindSafe(|| read(bytes))).unwrap_or_else(|_| Err("the library panicked".to_owned()))
}

fn read(bytes: &[u8]) -> Result<Vec<ClientEvent>, String> {
    // After a broken byte the crate hands nothing on until the end; as one chunk that costs it one look.
    let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    let (text, broken) = bytes.split_at(valid);
    let chunks =
        [EMPTY_LINE].into_iter().chain(text.split_inclusive(|byte| matches!(byte, b'\n' | b'\r'))).chain([broken]);
    let mut stream = futures_util::stream::iter(chunks.map(Ok::<_, Infallible>)).eventsource();
    let mut events = Vec::new();
    let mut output = 0;
    // All bytes are at hand, so the stream is always ready; if it were not, there would be nothing more to come.
    while let Some(Some(next)) = stream.next().now_or_never() {
        let event = next.map_err(|error| error.to_string())?;
        output += event.event.len() + event.data.len() + event.id.len();
        if output > MAX_OUTPUT {
            return Err(format!("events of more than {MAX_OUTPUT} bytes"));
        }
        events.push((event.event, event.data, event.id));
    }
    Ok(events)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_a_client_reads() {
        let events = second_opinion(b"\xEF\xBB\xBFid: 1\r\ndata: a\r\n\r\nevent: e\ndata: b\ndata\n\n").unwrap();
        let event = |t: &str, d: &str, i: &str| (t.to_owned(), d.to_owned(), i.to_owned());
        assert_eq!(events, [event("message", "a", "1"), event("e", "b\n", "1")]);
    }

    #[test]
    fn reports_instead_of_panicking() {
        assert!(second_opinion(b"data: \xFF\n\n").is_err());
        assert_eq!(second_opinion(b"\xEF\xBB\xBF\xEF\xBB\xBFdata: x\n\n"), Ok(Vec::new()));
        assert!(second_opinion(&vec![b'\n'; MAX_STREAM + 1]).is_err());
        let long_id = [b"id: ".as_slice(), &[b'x'; 2000]].concat();
        assert!(second_opinion(&long_id).is_err());
        assert!(second_opinion(&[b"data\r".as_slice(), &long_id].concat()).is_err());
        let longest_id = [b"id: ".as_slice(), &[b'x'; MAX_ID_LINE - 4]].concat();
        assert_eq!(second_opinion(&longest_id), Ok(Vec::new()));
    }

    /// Every event has the id once more, so that a short stream may come to much.
    #[test]
    fn holds_no_more_than_it_may() {
        let stream = |events: usize| [b"id: ".as_slice(), &[b'x'; 1000], b"\n", &b"data\n\n".repeat(events)].concat();
        let size = "message".len() + 1000;
        assert_eq!(second_opinion(&stream(MAX_OUTPUT / size)).map(|events| events.len()), Ok(MAX_OUTPUT / size));
        let error = second_opinion(&stream(MAX_OUTPUT / size + 1)).unwrap_err();
        assert_eq!(error, "events of more than 16777216 bytes");
    }

    #[test]
    fn many_lines_take_linear_time() {
        for line in [b"\r".as_slice(), b"\r\n", b":\n", b"data\n", b"\xFF\n"] {
            let stream = line.repeat((1 << 18) / line.len());
            assert_eq!(second_opinion(&stream).is_err(), line.starts_with(b"\xFF"));
        }
    }
}
