//! Bodies of gRPC: messages, each behind a flag and its length.

use serde_json::{Value, json};

use super::Verdict::{Accept, Either, Reject};
use super::{Fixed, Input};
use crate::generate::Choices;
use crate::verdict::Level::{May, Must};
use crate::wire::base64;

const FRAMES: &str = "gRPC over HTTP/2, Length-Prefixed-Message";

const fn no(name: &'static str, reason: &'static str) -> Fixed {
    Fixed { name, verdict: Reject, level: Must, section: FRAMES, reason }
}

const fn yes(name: &'static str, reason: &'static str) -> Fixed {
    Fixed { name, verdict: Accept, level: Must, section: FRAMES, reason }
}

/// The bodies come without `grpc-encoding`, so that no message may be compressed.
pub(super) const CLASSES: &[Fixed] = &[
    yes("one", "one message"),
    yes("several", "messages one after the other"),
    yes("empty-message", "a message may have no bytes"),
    yes("nothing", "a body without messages"),
    yes("large", "messages of many bytes"),
    Fixed {
        name: "length-beyond-limits",
        verdict: Either,
        level: May,
        section: FRAMES,
        reason: "a whole message longer than readers take by default",
    },
    no("flag-unknown", "the flag is 0 or 1"),
    no("compressed-without-encoding", "a message is flagged as compressed, and no encoding is named"),
    no("prefix-cut", "the body ends within the five bytes before a message"),
    no("message-cut", "the body ends within a message"),
    no("length-huge", "a length of up to 4 GiB, and a few bytes"),
    no("bytes-after", "bytes after the last message that begin no other"),
];

pub(super) fn make(class: &str, choices: &mut Choices<'_>) -> Option<Input> {
    let mut messages: Vec<Vec<u8>> = Vec::new();
    let count = match class {
        "one" | "empty-message" | "large" | "length-beyond-limits" => 1,
        "several" => 2 + choices.below(4),
        "nothing" => 0,
        _ => choices.below(3),
    };
    for _ in 0..count {
        messages.push(match class {
            "empty-message" => Vec::new(),
            "large" => vec![b'a'; 1000 << choices.below(7)],
            "length-beyond-limits" => vec![0; (4 << 20) + 1],
            _ => message(choices),
        });
    }
    if class == "empty-message" && choices.one_in(2) {
        messages.push(message(choices));
    }
    let mut body: Vec<u8> = messages.iter().flat_map(|message| frame(0, message)).collect();
    let last = message(choices);
    match class {
        "flag-unknown" => body.extend(frame([2, 0xff, 0x80, 3][choices.below(4)], &last)),
        "compressed-without-encoding" => body.extend(frame(1, &last)),
        "prefix-cut" => body.extend(frame(0, &last).get(..1 + choices.below(4))?),
        "message-cut" => {
            let whole = frame(0, b"a message");
            body.extend(whole.get(..5 + choices.below(9))?);
        }
        "length-huge" => {
            body.push(0);
            body.extend([u32::MAX, i32::MAX as u32, 0x8000_0000][choices.below(3)].to_be_bytes());
            body.extend(last);
        }
        // A second prefix that is cut, after a whole message.
        "bytes-after" => {
            body.extend(frame(0, &last));
            body.extend([0, 0, 0, 0].get(..1 + choices.below(4))?);
        }
        _ => {}
    }
    let is_right = CLASSES.iter().any(|known| known.name == class && known.verdict == Accept);
    let value: Value = messages.iter().map(|message| json!(base64::encode(message))).collect();
    Some(Input::new(body, Accept, is_right.then_some(value)))
}

fn frame(flag: u8, message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
    [&[flag][..], &length.to_be_bytes(), message].concat()
}

/// A message of protobuf: a few fields of any type.
fn message(choices: &mut Choices<'_>) -> Vec<u8> {
    let mut message = Vec::new();
    for number in 1..=1 + choices.below(3) {
        let text = crate::generate::text::plain(choices);
        let number = u8::try_from(number).unwrap_or(1);
        message.push(number << 3 | 2);
        message.push(u8::try_from(text.len()).unwrap_or(0));
        message.extend(text.bytes().take(usize::from(u8::try_from(text.len()).unwrap_or(0))));
    }
    message
}
