//! The incremental reader.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Block, Comment, Effect, Ending, Event, Field, Item, Limits, LineEnd, LineEnds, SseError, SseErrorKind};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads an event stream chunk by chunk.
///
/// Lines are decoded whole: CR and LF are never part of a longer UTF-8 sequence, so replacing broken bytes by U+FFFD
/// line by line is what the WHATWG decoder does on the stream.
#[derive(Debug)]
pub struct Decoder {
    limits: Limits,
    /// The line being received.
    line: Vec<u8>,
    line_start: u64,
    /// Bytes received.
    offset: u64,
    /// The last byte was CR: an LF now belongs to the same line end.
    is_after_cr: bool,
    is_first_line: bool,
    has_bom: bool,
    line_ends: LineEnds,
    broken_utf8: Option<u64>,
    pending: Pending,
    id: Arc<str>,
    last_event_id: Arc<str>,
    retry: Option<u64>,
    failed: Option<(SseErrorKind, u64)>,
}

/// The buffers of 9.2.6 and the lines that filled them.
#[derive(Debug, Default)]
struct Pending {
    fields: Vec<Field>,
    bytes: usize,
    event_type: String,
    /// Every `data` value followed by a line feed.
    data: String,
    has_data: bool,
}

impl Decoder {
    /// A reader at the beginning of a stream.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            line: Vec::new(),
            line_start: 0,
            offset: 0,
            is_after_cr: false,
            is_first_line: true,
            has_bom: false,
            line_ends: LineEnds::default(),
            broken_utf8: None,
            pending: Pending::default(),
            id: Arc::from(""),
            last_event_id: Arc::from(""),
            retry: None,
            failed: None,
        }
    }

    /// Takes the next bytes of the stream and returns what they complete. A CR ends its line at once, so that no event
    /// waits for a byte that may never come. Comments and events are handed over, not kept: what they take is bounded by
    /// the chunk and the event before it.
    ///
    /// # Errors
    /// The first time a limit is exceeded, with the items of this chunk before it, and ever after.
    pub fn push(&mut self, chunk: &[u8]) -> Result<Vec<Item>, SseError> {
        let mut items = Vec::new();
        let outcome = match self.failed {
            Some(failure) => Err(failure),
            None => self.read(chunk, &mut items),
        };
        match outcome {
            Ok(()) => Ok(items),
            Err((kind, offset)) => {
                self.failed = Some((kind, offset));
                Err(SseError { kind, offset, items })
            }
        }
    }

    /// How the stream ended, now that it has.
    #[must_use]
    pub fn finish(self) -> Ending {
        let rest =
            if self.is_first_line { self.line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&self.line) } else { &self.line };
        let fields = self.pending.fields;
        if !rest.is_empty() {
            let line = String::from_utf8_lossy(rest).into_owned();
            Ending::MidLine { line, fields }
        } else if fields.is_empty() {
            Ending::Clean
        } else {
            Ending::MidEvent { fields }
        }
    }

    /// The last event id that a client would send when it reconnects now.
    #[must_use]
    pub fn last_event_id(&self) -> &str {
        &self.last_event_id
    }

    /// The reconnection time in force, in milliseconds. More than a `u64` holds counts as its largest value.
    #[must_use]
    pub fn retry(&self) -> Option<u64> {
        self.retry
    }

    /// How the lines ended so far.
    #[must_use]
    pub fn line_ends(&self) -> LineEnds {
        self.line_ends
    }

    /// Whether the stream began with a byte order mark, which is allowed and dropped.
    #[must_use]
    pub fn has_bom(&self) -> bool {
        self.has_bom
    }

    /// Start of the first complete line that is not UTF-8; 9.2.5 requires UTF-8 of the sender.
    #[must_use]
    pub fn broken_utf8(&self) -> Option<u64> {
        self.broken_utf8
    }

    fn read(&mut self, chunk: &[u8], items: &mut Vec<Item>) -> Result<(), (SseErrorKind, u64)> {
        let mut rest = chunk;
        if self.is_after_cr && !rest.is_empty() {
            rest = self.join_crlf(rest);
        }
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, after) = rest.split_at(end);
            self.grow(line)?;
            let line_end = if after.starts_with(b"\r") {
                self.line_ends.cr += 1;
                LineEnd::Cr
            } else {
                self.line_ends.lf += 1;
                LineEnd::Lf
            };
            self.end_line(line_end, items)?;
            self.offset += 1;
            self.line_start = self.offset;
            rest = after.get(1..).unwrap_or_default();
            self.is_after_cr = line_end == LineEnd::Cr;
            if self.is_after_cr && !rest.is_empty() {
                rest = self.join_crlf(rest);
            }
        }
        self.grow(rest)
    }

    /// After a CR: takes an LF as the second half of the same line end.
    fn join_crlf<'a>(&mut self, rest: &'a [u8]) -> &'a [u8] {
        self.is_after_cr = false;
        let Some(after) = rest.strip_prefix(b"\n") else {
            return rest;
        };
        self.offset += 1;
        self.line_start = self.offset;
        self.line_ends.cr = self.line_ends.cr.saturating_sub(1);
        self.line_ends.crlf += 1;
        // The CR ended a field line only if that line ends where the CR stood.
        if let Some(field) = self.pending.fields.last_mut()
            && field.span.end + 2 == self.offset
        {
            field.line_end = LineEnd::CrLf;
        }
        after
    }

    fn grow(&mut self, part: &[u8]) -> Result<(), (SseErrorKind, u64)> {
        if self.line.len() + part.len() > self.limits.line {
            let limit = self.limits.line;
            return Err((SseErrorKind::LineTooLong { limit }, self.line_start));
        }
        self.line.extend_from_slice(part);
        self.offset += part.len() as u64;
        Ok(())
    }

    fn end_line(&mut self, line_end: LineEnd, items: &mut Vec<Item>) -> Result<(), (SseErrorKind, u64)> {
        let mut bytes = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_first_line) && bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
            self.has_bom = true;
            self.line_start += BYTE_ORDER_MARK.len() as u64;
        }
        let line = String::from_utf8_lossy(&bytes);
        let is_replaced = matches!(line, Cow::Owned(_));
        if is_replaced {
            self.broken_utf8.get_or_insert(self.line_start);
        }
        let span = self.line_start..self.offset;
        if line.is_empty() {
            items.extend(self.dispatch());
        } else if let Some(text) = line.strip_prefix(':') {
            items.push(Item::Comment(Comment { text: text.to_owned(), is_replaced, span }));
        } else {
            let (name, value, has_colon) = match line.split_once(':') {
                Some((name, value)) => (name, value.strip_prefix(' ').unwrap_or(value), true),
                None => (&*line, "", false),
            };
            let block_start = self.pending.fields.first().map_or(span.start, |field| field.span.start);
            self.pending.bytes += bytes.len();
            if self.pending.bytes > self.limits.event {
                let limit = self.limits.event;
                return Err((SseErrorKind::EventTooLarge { limit }, block_start));
            }
            if self.pending.fields.len() >= self.limits.fields {
                let limit = self.limits.fields;
                return Err((SseErrorKind::TooManyFields { limit }, block_start));
            }
            let effect = self.process(name, value);
            self.pending.fields.push(Field {
                name: name.to_owned(),
                value: value.to_owned(),
                has_colon,
                effect,
                line_end,
                is_replaced,
                span,
            });
        }
        // Keeps the allocation, since the next line is likely as long as this one.
        bytes.clear();
        self.line = bytes;
        Ok(())
    }

    /// 9.2.6, "process the field".
    fn process(&mut self, name: &str, value: &str) -> Effect {
        match name {
            "event" => value.clone_into(&mut self.pending.event_type),
            "data" => {
                self.pending.data.push_str(value);
                self.pending.data.push('\n');
                self.pending.has_data = true;
            }
            "id" if value.contains('\0') => return Effect::IdWithNul,
            "id" => self.id = Arc::from(value),
            "retry" if value.is_empty() || !value.bytes().all(|b| b.is_ascii_digit()) => {
                return Effect::RetryNotDigits;
            }
            "retry" => self.retry = Some(value.parse().unwrap_or(u64::MAX)),
            _ => return Effect::UnknownName,
        }
        Effect::Used
    }

    /// 9.2.6, "dispatch the event".
    fn dispatch(&mut self) -> Option<Item> {
        self.last_event_id = Arc::clone(&self.id);
        let Pending { fields, event_type, mut data, has_data, .. } = std::mem::take(&mut self.pending);
        let span = fields.first()?.span.start..fields.last()?.span.end;
        let block = Block { fields, span };
        if !has_data {
            return Some(Item::Undispatched(block));
        }
        data.pop();
        Some(Item::Event(Event {
            event_type: if event_type.is_empty() { "message".to_owned() } else { event_type },
            data,
            last_event_id: Arc::clone(&self.last_event_id),
            retry: self.retry,
            block,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(chunks: &[&[u8]]) -> (Vec<Item>, Decoder) {
        let mut decoder = Decoder::new(Limits::default());
        let mut items = Vec::new();
        for chunk in chunks {
            items.extend(decoder.push(chunk).unwrap());
        }
        (items, decoder)
    }

    #[test]
    fn keeps_order_spans_comments_and_line_ends() {
        let stream: &[u8] = b"\xEF\xBB\xBFid: 7\r\n:hi\nData: x\rdata:  y\n\nretry:5\n\n";
        let (items, decoder) = read(&[stream]);
        let [Item::Comment(comment), Item::Event(event), Item::Undispatched(block)] = items.as_slice() else {
            panic!("{items:?}");
        };
        assert_eq!((comment.text.as_str(), comment.span.clone()), ("hi", 10..13));
        assert_eq!((event.event_type.as_str(), event.data.as_str()), ("message", " y"));
        assert_eq!((&*event.last_event_id, event.retry), ("7", None));
        assert_eq!(event.block.span, 3..30);
        let fields: Vec<_> =
            event.block.fields.iter().map(|field| (field.name.as_str(), field.effect, field.line_end)).collect();
        assert_eq!(
            fields,
            [
                ("id", Effect::Used, LineEnd::CrLf),
                ("Data", Effect::UnknownName, LineEnd::Cr),
                ("data", Effect::Used, LineEnd::Lf),
            ]
        );
        assert_eq!(block.fields.len(), 1);
        assert_eq!(decoder.retry(), Some(5));
        assert!(decoder.has_bom());
        assert_eq!(decoder.line_ends(), LineEnds { lf: 5, cr: 1, crlf: 1 });
        assert_eq!(decoder.finish(), Ending::Clean);
    }

    #[test]
    fn fields_take_effect_or_not() {
        for (line, effect, seen) in [
            ("event: e", Effect::Used, ("e", "", None)),
            ("event", Effect::Used, ("message", "", None)),
            ("id: 7", Effect::Used, ("message", "7", None)),
            ("id: 7\08", Effect::IdWithNul, ("message", "", None)),
            ("retry: 10", Effect::Used, ("message", "", Some(10))),
            ("retry: 99999999999999999999", Effect::Used, ("message", "", Some(u64::MAX))),
            ("retry: 10s", Effect::RetryNotDigits, ("message", "", None)),
            ("retry: -1", Effect::RetryNotDigits, ("message", "", None)),
            ("retry", Effect::RetryNotDigits, ("message", "", None)),
            ("Event: e", Effect::UnknownName, ("message", "", None)),
        ] {
            let (items, decoder) = read(&[line.as_bytes(), b"\ndata\n\n"]);
            let [Item::Event(event)] = items.as_slice() else {
                panic!("{items:?}");
            };
            assert_eq!(event.block.fields.first().map(|field| field.effect), Some(effect), "{line:?}");
            assert_eq!((event.event_type.as_str(), &*event.last_event_id, event.retry), seen, "{line:?}");
            assert!(!decoder.has_bom());
        }
    }

    #[test]
    fn a_carriage_return_dispatches_at_once() {
        let mut decoder = Decoder::new(Limits::default());
        assert_eq!(decoder.push(b"data: a\r").unwrap(), []);
        assert_eq!(decoder.push(b"\n").unwrap(), []);
        assert_eq!(decoder.push(b"\r").unwrap().len(), 1);
        assert_eq!(decoder.push(b"").unwrap(), []);
        assert_eq!(decoder.push(b"\n").unwrap(), []);
        assert_eq!(decoder.line_ends(), LineEnds { lf: 0, cr: 0, crlf: 2 });
        assert_eq!(decoder.finish(), Ending::Clean);
    }

    #[test]
    fn the_line_end_of_a_comment_is_its_own() {
        let (_, mixed) = read(&[b"a\rb\rc\r\nd\n"]);
        assert_eq!(mixed.line_ends(), LineEnds { lf: 1, cr: 2, crlf: 1 });
        for chunks in [&[b"data: x\n:c\r\n\n".as_slice()][..], &[b"data: x\n:c\r", b"\n\n"]] {
            let (items, decoder) = read(chunks);
            let [Item::Comment(_), Item::Event(event)] = items.as_slice() else {
                panic!("{items:?}");
            };
            assert_eq!(event.block.fields.first().map(|field| field.line_end), Some(LineEnd::Lf));
            assert_eq!(decoder.line_ends(), LineEnds { lf: 2, cr: 0, crlf: 1 });
        }
    }

    #[test]
    fn tells_how_a_stream_ended() {
        let ending = |stream: &[u8]| read(&[stream]).1.finish();
        for clean in [b"".as_slice(), b"\xEF\xBB\xBF", b"data: x\n\n", b":x\n", b"data: x\r\r"] {
            assert_eq!(ending(clean), Ending::Clean, "{clean:?}");
        }
        assert!(matches!(ending(b"data: x\n"), Ending::MidEvent { fields } if fields.len() == 1));
        let Ending::MidLine { line, fields } = ending(b"id: 1\ndata: \xF0\x9F") else {
            panic!("a line was open");
        };
        assert_eq!((line.as_str(), fields.len()), ("data: \u{FFFD}", 1));
    }

    #[test]
    fn an_unfinished_event_leaves_the_last_id_alone() {
        let (_, decoder) = read(&[b"id: 1\n\nid: 2\n"]);
        assert_eq!(decoder.last_event_id(), "1");
    }

    #[test]
    fn notes_broken_utf8() {
        let (items, decoder) = read(&[b"data: ok\ndata: \xE2\x82", b"\n\n"]);
        let [Item::Event(event)] = items.as_slice() else {
            panic!("{items:?}");
        };
        assert_eq!(event.data, "ok\n\u{FFFD}");
        assert_eq!(decoder.broken_utf8(), Some(9));
        assert_eq!(event.block.fields.iter().filter(|field| field.is_replaced).count(), 1);
    }

    #[test]
    fn limits_hold_and_keep_what_came_before() {
        let limits = Limits { line: 10, event: 20, fields: 3 };
        let mut decoder = Decoder::new(limits);
        let error = decoder.push(b"data: 1\n\ndata: 23456\n\n").unwrap_err();
        assert_eq!((error.kind, error.offset), (SseErrorKind::LineTooLong { limit: 10 }, 9));
        assert_eq!(error.items.len(), 1);
        let error = decoder.push(b"\n\n").unwrap_err();
        assert!(error.items.is_empty());

        let mut decoder = Decoder::new(limits);
        assert_eq!(decoder.push(b"data: 1234\ndata: 1234\n\n").unwrap().len(), 1);
        let mut decoder = Decoder::new(limits);
        let error = decoder.push(b"\ndata: 1234\ndata: 1234\ndata: 1234\n").unwrap_err();
        assert_eq!((error.kind, error.offset), (SseErrorKind::EventTooLarge { limit: 20 }, 1));
        let mut decoder = Decoder::new(limits);
        let error = decoder.push(b"a\nb\nc\nd\n").unwrap_err();
        assert_eq!(error.kind, SseErrorKind::TooManyFields { limit: 3 });
    }
}
