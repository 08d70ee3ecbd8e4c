//! Event streams. What they mean is worked out from what they were made of, and not by reading them.

use serde_json::{Value, json};

use super::Verdict::Accept;
use super::{Fixed, Input};
use crate::generate::{Choices, text};
use crate::verdict::Level::Must;

const fn class(name: &'static str, section: &'static str, reason: &'static str) -> Fixed {
    Fixed { name, verdict: Accept, level: Must, section, reason }
}

const GRAMMAR: &str = "HTML Living Standard section 9.2.5";
const READING: &str = "HTML Living Standard section 9.2.6";

/// Every stream of bytes is an event stream: none is refused, and each has one meaning.
pub(super) const CLASSES: &[Fixed] = &[
    class("plain", GRAMMAR, "events of one line of data"),
    class("several-lines", READING, "lines of data are joined by line feeds"),
    class("event-type", READING, "the last event field before the empty line counts"),
    class("id", READING, "an id stays in force for the events after it"),
    class("id-emptied", READING, "an id without a value sets it back to nothing"),
    class("id-with-nul", READING, "an id that holds U+0000 is ignored"),
    class("retry", READING, "a retry of digits sets a time and is no event"),
    class("retry-not-digits", READING, "a retry of anything else is ignored"),
    class("comment", GRAMMAR, "lines that begin with a colon are ignored"),
    class("unknown-field", READING, "other names are ignored"),
    class("other-case", READING, "names are case-sensitive"),
    class("field-without-colon", READING, "a line without a colon is a field with an empty value"),
    class("space-after-colon", READING, "one space after the colon is taken away, and no more"),
    class("colon-in-value", READING, "only the first colon divides a line"),
    class("empty-data", READING, "an event whose data is one empty line has empty data"),
    class("no-data", READING, "fields without data make no event, and their event type is forgotten"),
    class("cr", GRAMMAR, "carriage return alone ends a line"),
    class("crlf", GRAMMAR, "carriage return and line feed end one line together"),
    class("mixed-line-ends", GRAMMAR, "the three line ends in one stream"),
    class("byte-order-mark", GRAMMAR, "one leading mark is taken away"),
    class("second-byte-order-mark", GRAMMAR, "a second mark is part of the first name, which makes it unknown"),
    class("unfinished-event", READING, "an event without its empty line is discarded at the end"),
    class("unfinished-line", READING, "the end of the stream ends no line"),
    class("unicode", GRAMMAR, "any character but line ends may stand in a value"),
    class(
        "invalid-utf-8",
        "Encoding Standard section 6, UTF-8 decode",
        "broken bytes become U+FFFD, and the stream goes on",
    ),
    class("long-line", GRAMMAR, "a line may have any length"),
    class("nothing", GRAMMAR, "no events: an empty stream, or empty lines only"),
    class("mixed", READING, "everything at once"),
];

/// A stream as it is written, with a client's state beside it.
#[derive(Default)]
struct Stream {
    bytes: Vec<u8>,
    ends: Vec<&'static str>,
    lines: usize,
    kind: String,
    data: Vec<String>,
    id: String,
    pending_id: String,
    retry: Option<u64>,
    events: Vec<Value>,
}

impl Stream {
    fn line(&mut self, line: &[u8]) {
        self.bytes.extend_from_slice(line);
        let end = self.ends.get(self.lines % self.ends.len().max(1)).copied().unwrap_or("\n");
        // Between two ends with nothing between them, a CR before an LF would be one end.
        let end = if end == "\n" && self.bytes.ends_with(b"\r") { "\r" } else { end };
        self.bytes.extend_from_slice(end.as_bytes());
        self.lines += 1;
    }

    /// A field as it is usually written, which counts.
    fn field(&mut self, name: &str, value: &str) {
        self.written(format!("{name}: {value}").as_bytes(), name, value);
    }

    /// A line that means this field.
    fn written(&mut self, line: &[u8], name: &str, value: &str) {
        self.line(line);
        match name {
            "data" => self.data.push(value.to_owned()),
            "event" => value.clone_into(&mut self.kind),
            "id" => value.clone_into(&mut self.pending_id),
            "retry" => self.retry = value.parse().ok(),
            _ => {}
        }
    }

    /// The empty line.
    fn end_event(&mut self) {
        self.line(b"");
        self.id.clone_from(&self.pending_id);
        let kind = std::mem::take(&mut self.kind);
        let data = std::mem::take(&mut self.data);
        if !data.is_empty() {
            let kind = if kind.is_empty() { "message" } else { &kind };
            self.events.push(json!({ "event": kind, "data": data.join("\n"), "id": self.id, "retry": self.retry }));
        }
    }

    fn plain(&mut self, choices: &mut Choices<'_>) {
        let data = payload(choices);
        self.field("data", &data);
        self.end_event();
    }

    fn input(self) -> Input {
        Input::new(self.bytes, Accept, Some(Value::Array(self.events)))
    }
}

/// What events usually carry.
fn payload(choices: &mut Choices<'_>) -> String {
    const ALL: [&str; 6] = [
        "a",
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}"#,
        "b",
        "[1, 2]",
        "last",
    ];
    choices.pick(&ALL).copied().unwrap_or_default().to_owned()
}

/// Some text without line ends and NUL.
fn one_line(choices: &mut Choices<'_>) -> String {
    let text = text::any(choices);
    text.chars().filter(|character| !matches!(character, '\n' | '\r' | '\0')).collect()
}

pub(super) fn make(class: &str, choices: &mut Choices<'_>) -> Option<Input> {
    let mut stream = Stream { ends: vec!["\n"], ..Stream::default() };
    match class {
        "cr" => stream.ends = vec!["\r"],
        "crlf" => stream.ends = vec!["\r\n"],
        "mixed-line-ends" => stream.ends = vec!["\r\n", "\r", "\n"],
        "byte-order-mark" => stream.bytes.extend_from_slice(b"\xEF\xBB\xBF"),
        "second-byte-order-mark" => {
            stream.bytes.extend_from_slice(b"\xEF\xBB\xBF");
            stream.written("\u{feff}data: lost".as_bytes(), "", "");
            if choices.one_in(2) {
                stream.end_event();
            }
        }
        _ => {}
    }
    if class == "nothing" {
        for _ in 0..choices.below(5) {
            stream.end_event();
        }
        return Some(stream.input());
    }
    for _ in 0..choices.below(3) {
        stream.plain(choices);
    }
    let times = if class == "mixed" { 1 + choices.below(6) } else { 1 };
    for _ in 0..times {
        let part = match class {
            // What ends the stream, and what begins it, stands in no middle.
            "mixed" => CLASSES.get(choices.below(17))?.name,
            other => other,
        };
        feature(part, &mut stream, choices);
    }
    match class {
        "unfinished-event" => {
            stream.plain(choices);
            stream.line(b"data: lost");
            if choices.one_in(2) {
                stream.line(b"event: lost");
            }
        }
        "unfinished-line" => {
            stream.plain(choices);
            let all: [&[u8]; 5] = [b"data: lost", b"data", b":", b"id: 9", b"d"];
            stream.bytes.extend_from_slice(choices.pick(&all).copied().unwrap_or_default());
        }
        _ => {
            for _ in 0..1 + choices.below(2) {
                stream.plain(choices);
            }
        }
    }
    Some(stream.input())
}

/// What the class is about, and the event it stands in.
fn feature(class: &str, stream: &mut Stream, choices: &mut Choices<'_>) {
    let data = payload(choices);
    match class {
        "several-lines" => {
            for _ in 0..2 + choices.below(3) {
                let line = if choices.one_in(4) { String::new() } else { payload(choices) };
                stream.field("data", &line);
            }
        }
        "event-type" => {
            let kinds = ["update", "message", "error", "é"];
            stream.field("event", choices.pick(&kinds).copied().unwrap_or_default());
            if choices.one_in(2) {
                stream.field("event", "last");
            }
            stream.field("data", &data);
        }
        "id" => {
            stream.field("id", choices.pick(&["1", "a b", "0", "😀"]).copied().unwrap_or_default());
            stream.field("data", &data);
        }
        "id-emptied" => {
            stream.field("id", "1");
            stream.plain(choices);
            let line: &[u8] = if choices.one_in(2) { b"id" } else { b"id:" };
            stream.written(line, "id", "");
            stream.field("data", &data);
        }
        "id-with-nul" => {
            stream.field("id", "kept");
            stream.written(b"id: a\0b", "", "");
            stream.field("data", &data);
        }
        "retry" => {
            let time = choices.below(100_000);
            stream.field("retry", &time.to_string());
            stream.field("data", &data);
        }
        "retry-not-digits" => {
            let all =
                ["retry: +5", "retry: 1.5", "retry: -1", "retry: 0x10", "retry: 5s", "retry:", "retry:  5", "retry: ٣"];
            stream.written(choices.pick(&all).copied().unwrap_or_default().as_bytes(), "", "");
            stream.field("data", &data);
        }
        "comment" => {
            let all = [":", ": a", ":data: lost", "::", ": keep-alive"];
            stream.line(choices.pick(&all).copied().unwrap_or_default().as_bytes());
            stream.field("data", &data);
            if choices.one_in(2) {
                stream.line(b": between");
                stream.field("data", "more");
            }
        }
        "unknown-field" => {
            let all = ["foo: lost", "datas: lost", " data: lost", "data : lost", "dat: lost", "nothing"];
            stream.line(choices.pick(&all).copied().unwrap_or_default().as_bytes());
            stream.field("data", &data);
        }
        "other-case" => {
            let all = ["Data: lost", "DATA: lost", "Event: lost", "ID: lost", "Id: lost"];
            stream.line(choices.pick(&all).copied().unwrap_or_default().as_bytes());
            stream.field("data", &data);
        }
        "field-without-colon" => {
            stream.written(b"data", "data", "");
            if choices.one_in(2) {
                stream.written(b"event", "event", "");
            }
            stream.field("data", &data);
        }
        "space-after-colon" => match choices.below(4) {
            0 => stream.written(format!("data:{data}").as_bytes(), "data", &data),
            1 => stream.written(format!("data:  {data}").as_bytes(), "data", &format!(" {data}")),
            2 => stream.written(format!("data:\t{data}").as_bytes(), "data", &format!("\t{data}")),
            _ => stream.written(format!("data: {data} ").as_bytes(), "data", &format!("{data} ")),
        },
        "colon-in-value" => stream.written(b"data:a:b: c", "data", "a:b: c"),
        "empty-data" => {
            let all: [&[u8]; 3] = [b"data", b"data:", b"data: "];
            stream.written(choices.pick(&all).copied().unwrap_or_default(), "data", "");
        }
        "no-data" => {
            stream.field("event", "forgotten");
            if choices.one_in(2) {
                stream.field("id", "7");
            }
            stream.end_event();
            stream.field("data", &data);
        }
        "unicode" => {
            let text = one_line(choices);
            stream.field("data", &text);
        }
        "invalid-utf-8" => {
            let all: [&[u8]; 6] = [b"\xff", b"a\x80b", b"\xe2\x82", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf0\x9f\x98x"];
            let bytes = choices.pick(&all).copied().unwrap_or_default();
            let value = String::from_utf8_lossy(bytes).into_owned();
            stream.written(&[b"data: ", bytes].concat(), "data", &value);
        }
        "long-line" => {
            let long = "x".repeat(1000 << choices.below(8));
            stream.field("data", &long);
        }
        _ => stream.field("data", &data),
    }
    stream.end_event();
}
