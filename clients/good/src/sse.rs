//! Event streams (HTML Living Standard, section 9.2): bytes, however they are cut, to events.
//!
//! Not `eventsource-stream`: deviations act within the reading of lines, and the suite reads its streams with that.

use crate::deviation::deviates;

/// The most bytes of one event.
const MOST: usize = 16 << 20;

/// Reads the lines of one stream.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    line: Vec<u8>,
    /// The line before ended in CR, so that an LF now belongs to it.
    after_cr: bool,
    /// A line was read: a byte order mark can no longer come.
    begun: bool,
    /// The values of `data` of the event that is being read.
    data: Option<String>,
    named: bool,
}

impl Reader {
    /// Takes the next bytes, and gives the data of the events that they complete.
    ///
    /// # Errors
    /// An event is too large.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Result<Vec<String>, String> {
        let mut events = Vec::new();
        for &byte in bytes {
            let second = std::mem::take(&mut self.after_cr) && byte == b'\n';
            if second {
                continue;
            }
            match byte {
                b'\r' if deviates("sse/cr") => self.line.push(byte),
                b'\r' => {
                    self.after_cr = !deviates("sse/crlf");
                    events.extend(self.end_of_line()?);
                }
                b'\n' => events.extend(self.end_of_line()?),
                _ => self.line.push(byte),
            }
            if self.line.len() + self.data.as_ref().map_or(0, String::len) > MOST {
                return Err("an event of more than 16 MiB".to_owned());
            }
        }
        if deviates("sse/chunks-are-events") {
            self.line.clear();
            self.data = None;
        }
        if deviates("sse/characters-in-one-chunk") {
            self.line = String::from_utf8_lossy(&self.line).into_owned().into_bytes();
        }
        Ok(events)
    }

    /// Whether the stream ended within an event.
    pub(crate) fn is_amid(&self) -> bool {
        !self.line.is_empty() || self.data.is_some()
    }

    /// The event that the stream ended within, as nobody should read it.
    pub(crate) fn rest(&mut self) -> Option<String> {
        self.end_of_line().ok()?;
        self.data.take()
    }

    fn end_of_line(&mut self) -> Result<Option<String>, String> {
        let line = std::mem::take(&mut self.line);
        let mut line = String::from_utf8_lossy(&line).into_owned();
        if !std::mem::replace(&mut self.begun, true) && !deviates("sse/byte-order-mark") {
            line = line.strip_prefix('\u{feff}').unwrap_or(&line).to_owned();
        }
        if line.is_empty() {
            let named = std::mem::take(&mut self.named);
            let event = self.data.take();
            return Ok(if named && deviates("sse/named-events-lost") { None } else { event });
        }
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = match value.strip_prefix(' ') {
            Some(value) => value,
            None if deviates("sse/space-needed") => return Ok(None),
            None => value,
        };
        match field {
            "data" => match &mut self.data {
                Some(data) if deviates("sse/last-data-line-only") => value.clone_into(data),
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            "" if deviates("sse/comments-fail") => return Err("a line without a field".to_owned()),
            "event" => self.named = true,
            "" | "id" | "retry" => {}
            _ if deviates("sse/unknown-fields-fail") => return Err(format!("a field {field}")),
            _ => {}
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: &str = "\u{feff}: hello\n\ndata: {\"a\":\ndata:\"ü\"}\nid: 1\n\nevent: message\ndata: 2\n\n";

    fn read(bytes: &[u8], size: usize) -> (Vec<String>, bool) {
        let mut reader = Reader::default();
        let events = bytes.chunks(size).flat_map(|chunk| reader.take(chunk).unwrap()).collect();
        (events, reader.is_amid())
    }

    #[test]
    fn every_line_end_and_every_cut_gives_the_same_events() {
        let whole = (vec!["{\"a\":\n\"ü\"}".to_owned(), "2".to_owned()], false);
        for end in ["\n", "\r", "\r\n"] {
            let bytes = EVENTS.replace('\n', end).into_bytes();
            for size in 1..bytes.len() {
                assert_eq!(read(&bytes, size), whole, "{end:?} in pieces of {size}");
            }
        }
    }

    #[test]
    fn an_event_without_its_blank_line_is_none() {
        assert_eq!(read(b"data: 1\n", 3), (vec![], true));
        assert_eq!(read(b"data: 1", 3), (vec![], true));
    }
}
