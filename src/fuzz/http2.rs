//! HTTP/2 frame by frame: calls of gRPC that are right and cut in rare ways, whose message is not whole, whose frames or fields are
//! odd, or that have no end (RFC 9113; gRPC over HTTP/2, Requests).
//!
//! Each asks for a task, so it changes nothing, whatever is read of it.

use std::time::Duration;

use bytes::Bytes;
use serde_json::json;

use super::probe::{Probe, Send, bare};
use crate::case::{FrameKind, FramePayload, Last, Piece, Written, WrittenFrame};
use crate::generate::Choices;
use crate::profile::Operation;
use crate::session::bytes::FIELDS_OF_A_CALL;
use crate::wire::http2::{PREFACE, flag};

/// How long what may never be answered is left open.
const PATIENCE: Duration = Duration::from_millis(300);
/// The stream of the call, and another beside it.
const CALL: u32 = 1;
const OTHER: u32 = 3;
/// How long a field is that servers have limits for, and how many of them go beyond the limit for all.
const LONG: usize = 15_000;
const MANY: usize = 8;
/// What stands in frames that say nothing.
const FILLER: &str = "a2aspec";

/// A call that these decisions come to.
pub(super) fn make(choices: &mut Choices<'_>) -> Option<Probe> {
    // There are as many ways of being odd as of all else.
    Some(match choices.below(7) {
        0 | 1 => right(choices),
        2 => cut(choices),
        3..=5 => odd(choices)?,
        _ => open(choices),
    })
}

fn written(class: &str, place: &str, pieces: Vec<Piece>) -> Probe {
    let begin = [text(PREFACE), frame(FrameKind::Settings, 0, 0, none())];
    let send = begin.into_iter().chain(pieces).collect();
    let send = Send::Bytes { params: json!({ "id": "${done.id}" }), send };
    Probe { send, class: class.to_owned(), place: place.to_owned(), ..bare(Operation::GetTask) }
}

fn text(text: &str) -> Piece {
    Piece::Write { what: Written::Text(text.to_owned()), at_once: None }
}

fn frame(kind: FrameKind, flags: u8, stream: u32, payload: FramePayload) -> Piece {
    with(WrittenFrame { kind, flags, stream, length: None, padding: None, resets: None, payload })
}

fn with(frame: WrittenFrame) -> Piece {
    Piece::Write { what: Written::Frame(Box::new(frame)), at_once: None }
}

fn none() -> FramePayload {
    exact(&[])
}

fn exact(bytes: &[u8]) -> FramePayload {
    FramePayload::Exact(Bytes::copy_from_slice(bytes))
}

fn fields(fields: &[&str]) -> FramePayload {
    FramePayload::Fields(fields.iter().map(|field| (*field).to_owned()).collect())
}

/// The head of the call, with these flags.
fn head_on(stream: u32, flags: u8) -> Piece {
    frame(FrameKind::Headers, flag::END_HEADERS | flags, stream, fields(&FIELDS_OF_A_CALL))
}

fn head() -> Piece {
    head_on(CALL, 0)
}

/// A piece of the body of the call.
fn data(flags: u8, payload: FramePayload) -> Piece {
    frame(FrameKind::Data, flags, CALL, payload)
}

fn words(text: &str) -> FramePayload {
    FramePayload::Text(text.to_owned())
}

/// The message of the call as it should be.
const WHOLE: &str = "${bytes.prefix}${bytes.body}";

fn body() -> Piece {
    data(flag::END_STREAM, words(WHOLE))
}

/// The prefix of a message, with this flag and length.
fn prefix(flag: u8, length: u32) -> FramePayload {
    exact(&[&[flag], length.to_be_bytes().as_slice()].concat())
}

/// A call that is right, and that few clients write so.
fn right(choices: &mut Choices<'_>) -> Probe {
    let (place, pieces) = match choices.below(11) {
        // Frame by frame, and each of them cut.
        0 => {
            let mut pieces =
                vec![head(), data(0, words("${bytes.prefix}")), data(flag::END_STREAM, words("${bytes.body}"))];
            let size = 1 + choices.below(16);
            for piece in &mut pieces {
                if let Piece::Write { at_once, .. } = piece {
                    *at_once = Some(size);
                }
            }
            ("/in-pieces", pieces)
        }
        // 6.1: the flag of the end may come alone.
        1 => ("/empty-frames", vec![head(), data(0, none()), data(0, words(WHOLE)), data(flag::END_STREAM, none())]),
        // 6.1, 6.2
        2 => {
            let (flags, padding) =
                (flag::PADDED | flag::END_STREAM, Some(u8::try_from(choices.below(256)).unwrap_or(u8::MAX)));
            let payload = words(WHOLE);
            let padded = WrittenFrame {
                kind: FrameKind::Data,
                flags,
                stream: CALL,
                length: None,
                padding,
                resets: None,
                payload,
            };
            ("/padding", vec![head(), with(padded)])
        }
        // 6.10
        3 => {
            let (first, rest) = FIELDS_OF_A_CALL.split_at(choices.below(FIELDS_OF_A_CALL.len() + 1));
            let begin = frame(FrameKind::Headers, 0, CALL, fields(first));
            let end = frame(FrameKind::Continuation, flag::END_HEADERS, CALL, fields(rest));
            ("/continuation", vec![begin, end, body()])
        }
        // 4.1 and 5.5: what is not known is ignored.
        4 => {
            let unknown = |stream| frame(FrameKind::Unknown, 0, stream, words(FILLER));
            ("/unknown-frame", vec![unknown(0), head(), unknown(CALL), body()])
        }
        // 6.5.2: so are settings.
        5 => (
            "/unknown-setting",
            vec![frame(FrameKind::Settings, 0, 0, exact(&[0xa2, 0xa2, 0, 0, 0, 1])), head(), body()],
        ),
        // 6.7
        6 => ("/ping", vec![frame(FrameKind::Ping, 0, 0, words("a2aspec!")), head(), body()]),
        // 6.3: what says of an order is read by nobody any more, and refused by nobody.
        7 => ("/priority", vec![frame(FrameKind::Priority, 0, CALL, exact(&[0, 0, 0, 0, 15])), head(), body()]),
        // 6.9: more room.
        8 => {
            let more = |stream| frame(FrameKind::WindowUpdate, 0, stream, exact(&[0, 0, 0xff, 0xff]));
            ("/window", vec![more(0), head(), more(CALL), body()])
        }
        // 5.1.1: another call that is under way holds up nobody.
        9 => {
            ("/beside-another", vec![head(), head_on(OTHER, 0), frame(FrameKind::Data, 0, OTHER, prefix(0, 7)), body()])
        }
        // 6.4: nor does one that is taken back.
        _ => {
            let other = frame(FrameKind::Data, 0, OTHER, prefix(0, 7));
            let reset = frame(FrameKind::RstStream, 0, OTHER, exact(&[0, 0, 0, 8]));
            ("/beside-a-reset", vec![head(), head_on(OTHER, 0), other, reset, body()])
        }
    };
    written("right-frames", place, pieces)
}

/// A call that ends before its message does, or that has none.
fn cut(choices: &mut Choices<'_>) -> Probe {
    let length =
        |from: usize, to: usize, choices: &mut Choices<'_>| u32::try_from(from + choices.below(to)).unwrap_or(u32::MAX);
    let behind = |prefix: FramePayload| vec![head(), data(0, prefix), data(flag::END_STREAM, words("${bytes.body}"))];
    // Longer than any question for a task, and shorter: each has a tag, a length, and an id of one byte at least.
    let pieces = match choices.below(7) {
        0 => behind(prefix(0, length(10_000, 1 << 16, choices))),
        1 => behind(prefix(0, u32::MAX)),
        2 => behind(prefix(0, length(0, 3, choices))),
        3 => vec![head(), data(flag::END_STREAM, exact(&[0, 0, 0]))],
        4 => vec![head(), data(flag::END_STREAM, words("${bytes.prefix}"))],
        5 => vec![head(), data(flag::END_STREAM, none())],
        _ => vec![head_on(CALL, flag::END_STREAM)],
    };
    // Whoever does not see that it is cut does not see how.
    written("cut-message", "", pieces)
}

/// The fields of a call, of which one is odd.
fn odd_fields() -> Vec<Vec<&'static str>> {
    let right = FIELDS_OF_A_CALL.to_vec();
    let [last, first] = [right.len(), 0];
    let mut all = Vec::new();
    // 8.3: pseudo-header fields that are missing; and te, by which gRPC finds out about proxies.
    for at in 0..last - 1 {
        let mut fields = right.clone();
        fields.remove(at);
        all.push(fields);
    }
    // Values that are none, a method that the service does not have, and one that is none of gRPC.
    for (at, other) in
        [(4, "te: gzip"), (2, ":path: "), (2, ":path: /a2aspec.v1.NoSuchService/NoSuchMethod"), (0, ":method: PUT")]
    {
        let mut fields = right.clone();
        if let Some(field) = fields.get_mut(at) {
            *field = other;
        }
        all.push(fields);
    }
    for (at, more) in [
        // 8.3: there twice, behind others, unknown, of a response.
        (1, ":method: POST"),
        (3, ":path: /a2aspec"),
        (first, "x-a2aspec: 1"),
        (4, ":a2aspec: 1"),
        (4, ":status: 200"),
        // 8.2: names in upper case, fields of a connection, control characters.
        (last, "X-A2aspec: 1"),
        (last, "connection: keep-alive"),
        (last, "x-a2aspec: a\r\nb\0"),
        // 8.1.1
        (last, "content-length: 1"),
    ] {
        let mut fields = right.clone();
        fields.insert(at, more);
        all.push(fields);
    }
    all
}

/// Frames that break a rule: of which connection errors come, or that are ignored (sections 4 to 6).
fn odd_frames() -> Vec<Piece> {
    let on = |kind, stream, bytes: &[u8]| frame(kind, 0, stream, exact(bytes));
    vec![
        // 6.5: of another length, for a stream, an acknowledgement that holds something, values that cannot be.
        on(FrameKind::Settings, 0, &[0, 1, 0]),
        on(FrameKind::Settings, CALL, &[]),
        frame(FrameKind::Settings, 1, 0, exact(&[0, 4, 0, 0, 0, 1])),
        on(FrameKind::Settings, 0, &[0, 2, 0, 0, 0, 2]),
        on(FrameKind::Settings, 0, &[0, 4, 0xff, 0xff, 0xff, 0xff]),
        on(FrameKind::Settings, 0, &[0, 5, 0, 0, 0, 1]),
        // 6.7
        on(FrameKind::Ping, 0, &[0; 7]),
        on(FrameKind::Ping, CALL, &[0; 8]),
        // 6.9: nothing, and too much.
        on(FrameKind::WindowUpdate, 0, &[0, 0, 0, 0]),
        on(FrameKind::WindowUpdate, 0, &[0x7f, 0xff, 0xff, 0xff]),
        on(FrameKind::WindowUpdate, 0, &[0, 1]),
        // 5.1: streams that have not begun, and those of a server.
        on(FrameKind::WindowUpdate, OTHER, &[0, 0, 0, 1]),
        on(FrameKind::Data, OTHER, &[0, 0, 0, 0, 0]),
        on(FrameKind::RstStream, OTHER, &[0, 0, 0, 8]),
        head_on(2, flag::END_STREAM),
        // 6.1 to 6.10: for no stream, or of another length.
        on(FrameKind::Data, 0, &[0, 0, 0, 0, 0]),
        head_on(0, flag::END_STREAM),
        on(FrameKind::RstStream, 0, &[0, 0, 0, 8]),
        on(FrameKind::Priority, OTHER, &[0, 0, 0]),
        on(FrameKind::Priority, OTHER, &[0, 0, 0, 3, 1]),
        on(FrameKind::Continuation, OTHER, &[]),
        on(FrameKind::PushPromise, OTHER, &[0, 0, 0, 2]),
        // 4.2: longer than the agent has said that it reads.
        on(FrameKind::Unknown, 0, &[0; (1 << 14) + 1]),
        // 6.10: fields that are interrupted.
        frame(FrameKind::Headers, 0, CALL, fields(&FIELDS_OF_A_CALL)),
        // 4.3: fields that nobody can read: index 0, one that is not there, a number without end, a table of any size.
        frame(FrameKind::Headers, flag::END_HEADERS, CALL, exact(&[0x80])),
        frame(FrameKind::Headers, flag::END_HEADERS, CALL, exact(&[0xff, 0x80, 0x80, 0x01])),
        frame(FrameKind::Headers, flag::END_HEADERS, CALL, exact(&[0xff; 12])),
        frame(FrameKind::Headers, flag::END_HEADERS, CALL, exact(&[0x3f, 0xff, 0xff, 0xff, 0x7f])),
        frame(FrameKind::Headers, flag::END_HEADERS | flag::PADDED, CALL, exact(&[0xff, 0])),
    ]
}

/// A call of which something is odd, and that says where it ends.
fn odd(choices: &mut Choices<'_>) -> Option<Probe> {
    let (place, pieces) = match choices.below(8) {
        0..=2 => {
            let odd = choices.pick(&odd_fields()).map(|odd| fields(odd))?;
            ("/fields", vec![frame(FrameKind::Headers, flag::END_HEADERS, CALL, odd), body()])
        }
        3 | 4 => ("/frames", vec![choices.pick(&odd_frames()).cloned()?, head(), body()]),
        // Between the head of the call and its message.
        5 => ("/frames", vec![head(), choices.pick(&odd_frames()).cloned()?, body()]),
        6 => match choices.below(3) {
            // A client of gRPC has no trailers, one of HTTP/2 may.
            0 => {
                let flags = flag::END_HEADERS | flag::END_STREAM;
                let trailers = frame(FrameKind::Headers, flags, CALL, fields(&["x-a2aspec: 1"]));
                ("/trailers", vec![head(), data(0, words(WHOLE)), trailers])
            }
            // 5.1
            1 => ("/behind-the-end", vec![head(), body(), data(0, words(FILLER))]),
            // 6.9
            _ => ("/window", vec![head(), frame(FrameKind::WindowUpdate, 0, CALL, exact(&[0, 0, 0, 0])), body()]),
        },
        // 10.5.1: more fields than a server takes.
        _ => {
            let mut pieces = vec![frame(FrameKind::Headers, 0, CALL, fields(&FIELDS_OF_A_CALL))];
            let long = |number: usize| format!("x-a2aspec-{number}: {}", "x".repeat(LONG));
            let count = 1 + choices.below(MANY);
            for number in 0..count {
                let flags = if number + 1 == count { flag::END_HEADERS } else { 0 };
                pieces.push(frame(FrameKind::Continuation, flags, CALL, fields(&[&long(number)])));
            }
            pieces.push(body());
            ("/long", pieces)
        }
    };
    Some(written("odd-frame", place, pieces))
}

/// Calls that are taken back as soon as they are made, so many together (CVE-2023-44487), and the end of the connection.
pub(super) fn flood(calls: usize) -> Probe {
    let (kind, flags, resets) = (FrameKind::Headers, flag::END_HEADERS | flag::END_STREAM, u16::try_from(calls).ok());
    let payload = fields(&FIELDS_OF_A_CALL);
    let call = WrittenFrame { kind, flags, stream: CALL, length: None, padding: None, resets, payload };
    written("open-frame", "", vec![with(call), Piece::Pause(PATIENCE), Piece::Then(Last::Close)])
}

/// A call that has no end, or that is taken back.
fn open(choices: &mut Choices<'_>) -> Probe {
    let half = || data(0, words("${bytes.prefix}"));
    let mut pieces = match choices.below(8) {
        0 => Vec::new(),
        1 => vec![frame(FrameKind::Headers, 0, CALL, fields(&FIELDS_OF_A_CALL))],
        2 => vec![head()],
        3 => vec![head(), half()],
        // Taken back in the middle, or behind the end.
        4 => vec![head(), half(), frame(FrameKind::RstStream, 0, CALL, exact(&[0, 0, 0, 8]))],
        5 => vec![head(), body(), frame(FrameKind::RstStream, 0, CALL, exact(&[0, 0, 0, 8]))],
        // A frame that says more than comes.
        6 => {
            let payload = words(WHOLE);
            let (kind, flags, length) = (FrameKind::Data, flag::END_STREAM, Some(1 << 13));
            vec![head(), with(WrittenFrame { kind, flags, stream: CALL, length, padding: None, resets: None, payload })]
        }
        // Whoever leaves no room is sent no more than a head.
        _ => vec![frame(FrameKind::Settings, 0, 0, exact(&[0, 4, 0, 0, 0, 0])), head(), body()],
    };
    pieces.extend(match choices.below(4) {
        0 => vec![Piece::Then(Last::Close)],
        1 => vec![Piece::Then(Last::Reset)],
        2 => vec![Piece::Then(Last::HalfClose), Piece::Pause(PATIENCE), Piece::Then(Last::Close)],
        // In good order.
        _ => vec![frame(FrameKind::Goaway, 0, 0, exact(&[0; 8])), Piece::Pause(PATIENCE), Piece::Then(Last::Close)],
    });
    written("open-frame", "", pieces)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::fuzz::class::Classes;
    use crate::generate::seeded;

    #[test]
    fn each_class_has_its_kinds_and_says_where_it_ends() {
        let classes = Classes::bundled().unwrap();
        let mut places = BTreeSet::new();
        for number in 0..2_000 {
            let bytes = seeded(1, number, 32);
            let probe = make(&mut Choices::new(&bytes)).unwrap();
            assert!(classes.get(&probe.class).is_some(), "{}", probe.class);
            places.insert(format!("{}{}", probe.class, probe.place));
            let Send::Bytes { send, .. } = &probe.send else { panic!("frames are bytes") };
            let is_left = matches!(send.last(), Some(Piece::Then(_)));
            assert_eq!(is_left, probe.class == "open-frame", "{}{}", probe.class, probe.place);
            // Whoever waits for an answer has ended the call, whatever else was odd.
            let ends = |piece: &Piece| match piece {
                Piece::Write { what: Written::Frame(frame), .. } => {
                    frame.stream == CALL && frame.flags & flag::END_STREAM != 0
                }
                _ => false,
            };
            assert!(is_left || send.iter().any(ends), "{}{}", probe.class, probe.place);
        }
        assert_eq!(places.len(), 11 + 1 + 6 + 1, "{places:#?}");
    }
}
