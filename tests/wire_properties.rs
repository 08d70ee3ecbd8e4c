//! What must hold of the readers of `wire` for every input.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::panic)]

use a2aspec::wire::json::{self, JsonErrorKind, Kind, Limits, Node};
use a2aspec::wire::{base64, http, jsonrpc, pointer, sse, timestamp};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

/// Any JSON value a few levels deep; every double and every string may occur.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 8, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..8).prop_map(Value::from),
            vec((any::<String>(), inner), 0..8).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Bytes that look like JSON often enough to get past the first one.
fn json_like() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            "\"",
            "\"a\"",
            "\"a\":",
            "\\",
            "\\u",
            "\\ud83d",
            "\\ude00",
            "\\n",
            "0",
            "-",
            "1",
            ".",
            "e",
            "E+",
            "1e400",
            "true",
            "false",
            "null",
            "nul",
            " ",
            "\n",
            "\t",
            "\r",
            "\u{b}",
            "\u{1}",
            "\u{7f}",
            "é",
            "\u{feff}",
            "01",
            "1.5",
            "[]",
            "{}",
            "[1,",
            "{\"k\":1,",
            "\u{a0}",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        vec(any::<u8>(), 1..3),
    ];
    vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// A printed value with one byte changed, removed or repeated.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    (value(), any::<prop::sample::Index>(), any::<u8>(), 0..4).prop_map(|(value, at, byte, how)| {
        let mut bytes = serde_json::to_vec(&value).unwrap();
        let at = at.index(bytes.len());
        match how {
            0 => bytes[at] = byte,
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, bytes[at]),
            _ => bytes.truncate(at),
        }
        bytes
    })
}

/// Bytes that look like an event stream.
fn stream_like() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => prop::sample::select(vec![
            "data", "data:", "data: x", "data:  é", ":", "\r", "\n", "\r\n", "\n\n", "\r\r", "\r\n\r\n", "id", "id: 1", "id: \0",
            "event: e", "event", "retry: 5", "retry: +5", "retry: 99999999999999999999", "\u{feff}", "Data: x", " ", "😀",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 1..4),
        1 => prop::sample::select(vec![b"\xF0\x9F".to_vec(), b"\xEF\xBB".to_vec(), b"\xE2".to_vec(), b"\xC0\x80".to_vec()]),
    ];
    vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

type Seen = (Vec<sse::Item>, sse::LineEnds, Option<u64>, String, Option<u64>, bool, sse::Ending);

fn read_stream<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Seen {
    let mut decoder = sse::Decoder::new(sse::Limits::default());
    let mut items = Vec::new();
    for chunk in chunks {
        items.extend(decoder.push(chunk).unwrap());
    }
    (
        items,
        decoder.line_ends(),
        decoder.broken_utf8(),
        decoder.last_event_id().to_owned(),
        decoder.retry(),
        decoder.has_bom(),
        decoder.finish(),
    )
}

/// Every node's bytes, read alone, are the same value.
fn spans_hold(document: &json::Document) {
    document.visit(|pointer, node| {
        let again = json::parse(document.raw(node).as_bytes(), &Limits::default()).unwrap();
        assert!(alike(again.root(), node), "{pointer:?}");
        if let Kind::Object(members) = &node.kind {
            for member in members {
                let key = document.text().get(member.key_span.clone()).unwrap();
                let key = json::parse(key.as_bytes(), &Limits::default()).unwrap();
                assert_eq!(key.root().kind, Kind::String(member.key.clone()));
            }
        }
    });
}

/// Equality but for the spans.
fn alike(one: &Node, other: &Node) -> bool {
    match (&one.kind, &other.kind) {
        (Kind::Array(a), Kind::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Kind::Object(a), Kind::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.key == b.key && alike(&a.value, &b.value))
        }
        (a, b) => a == b,
    }
}

/// Our reader against `serde_json`, which follows the grammar but has limits of its own.
fn same_grammar(bytes: &[u8]) {
    let ours = json::parse(bytes, &Limits::default());
    let theirs = serde_json::from_slice::<Value>(bytes);
    match (ours, theirs) {
        (Ok(document), Ok(theirs)) => {
            spans_hold(&document);
            let fits = document.walk().all(|(_, node)| node.as_number().is_none_or(|n| n.as_f64().is_some()));
            assert!(!fits || close(&document.value(), &theirs), "{} is not {theirs}", document.value());
        }
        (Err(_), Err(_)) => {}
        (Err(error), Ok(_)) => panic!("{error}, but serde_json reads {:?}", bytes.escape_ascii().to_string()),
        (Ok(document), Err(error)) => {
            let mut is_beyond = error.to_string().contains("recursion limit");
            let surrogate = |text: &json::Text| text.has_lone_surrogate();
            document.visit(|_, node| match &node.kind {
                Kind::Number(number) => is_beyond |= number.as_f64().is_none(),
                Kind::String(text) => is_beyond |= surrogate(text),
                Kind::Object(members) => is_beyond |= members.iter().any(|m| surrogate(&m.key)),
                _ => {}
            });
            assert!(is_beyond, "accepted, but {error}: {:?}", bytes.escape_ascii().to_string());
        }
    }
}

/// Equality but for the last bit of doubles, which `serde_json` reads fast rather than exactly.
fn close(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| close(a, b)))
        }
        (Value::Number(a), Value::Number(b)) if a.is_f64() && b.is_f64() => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            (a - b).abs() <= a.abs() * f64::EPSILON * 2.0 || (a - b).abs() < f64::MIN_POSITIVE
        }
        (a, b) => a == b,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics(bytes in vec(any::<u8>(), 0..200), text in any::<String>()) {
        let _ = json::parse(&bytes, &Limits::default());
        let _ = jsonrpc::classify(&bytes);
        let _ = read_stream([bytes.as_slice()]);
        let _ = sse::second_opinion(&bytes);
        for text in [text.as_str(), &String::from_utf8_lossy(&bytes)] {
            let _ = timestamp::rfc3339(text);
            let _ = timestamp::iso8601_lenient(text);
            let _ = base64::check(text);
            let _ = base64::decode(text);
            let _ = http::MediaType::parse(text);
            let _ = http::retry_after(text);
            let _ = pointer::tokens(text);
        }
    }

    #[test]
    fn near_misses_do_not_panic(
        stamp in "[0-9]{1,4}[-W]?[0-9]{1,2}-?[0-9]{0,2}[Tt ]?[0-9]{0,2}:?[0-9]{0,2}:?[0-9]{0,2}[.,]?[0-9]{0,20}[Zz+−-]?[0-9:]{0,5}",
        media in "[a-z/;=\" \\\\é]{0,20}",
        encoded in "[A-Za-z0-9+/_=-]{0,12}",
    ) {
        if let Ok(exact) = timestamp::rfc3339(&stamp) {
            prop_assert_eq!(timestamp::iso8601_lenient(&stamp).map(|lenient| lenient.instant), Ok(exact.instant));
        }
        let _ = timestamp::iso8601_lenient(&stamp);
        if let Some(read) = http::MediaType::parse(&media) {
            prop_assert_eq!(http::MediaType::parse(&read.to_string()), Some(read));
        }
        prop_assert_eq!(base64::check(&encoded).err(), base64::decode(&encoded).err());
    }

    #[test]
    fn base64_decodes_what_was_encoded(bytes in vec(any::<u8>(), 0..50)) {
        use ::base64::Engine as _;
        use ::base64::engine::general_purpose as engines;
        for text in [
            engines::STANDARD.encode(&bytes),
            engines::STANDARD_NO_PAD.encode(&bytes),
            engines::URL_SAFE.encode(&bytes),
            engines::URL_SAFE_NO_PAD.encode(&bytes),
        ] {
            prop_assert_eq!(base64::decode(&text), Ok(bytes.clone()));
            prop_assert!(!base64::check(&text).unwrap().has_trailing_bits);
        }
    }

    #[test]
    fn printed_values_are_read_back(value in value(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let document = json::parse(text.unwrap().as_bytes(), &Limits::default()).unwrap();
        prop_assert_eq!(document.value(), value);
        prop_assert_eq!(document.duplicates(), Vec::new());
        for (pointer, node) in document.walk() {
            prop_assert_eq!(document.at(&pointer).map(|found| &found.span), Some(&node.span));
        }
        spans_hold(&document);
    }

    #[test]
    fn the_grammar_is_that_of_serde_json(text in json_like(), damaged in damaged()) {
        same_grammar(&text);
        same_grammar(&damaged);
    }

    #[test]
    fn limits_are_not_exceeded(text in json_like(), depth in 0..4_usize, values in 0..8_usize) {
        let free = json::parse(&text, &Limits::default());
        match json::parse(&text, &Limits { depth, values, ..Limits::default() }) {
            Ok(document) => prop_assert!(document.walk().count() <= values),
            Err(error) if error.kind.is_limit() => {
                let is_size = matches!(error.kind, JsonErrorKind::TooLarge { .. });
                prop_assert!(!is_size, "{} bytes are not too many", text.len());
            }
            Err(error) => prop_assert_eq!(Some(error), free.err()),
        }
    }

    #[test]
    fn responses_are_read_whatever_they_are(text in json_like(), value in value(), name in "id|result|error|jsonrpc") {
        let nested = serde_json::json!({"jsonrpc": "2.0", "id": 1, name: value});
        for bytes in [text, nested.to_string().into_bytes()] {
            let _ = jsonrpc::classify(&bytes);
            if let Ok(document) = json::parse(&bytes, &Limits::default()) {
                let reading = jsonrpc::read_response(&document);
                let extracted = reading.result.is_some() as u8 + reading.error.is_some() as u8;
                prop_assert!(extracted == 1 || !reading.problems.is_empty());
            }
        }
    }

    #[test]
    fn any_chunking_gives_the_same_events(stream in stream_like(), cuts in vec(any::<prop::sample::Index>(), 0..6)) {
        let whole = read_stream([stream.as_slice()]);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.sort_unstable();
        let mut chunks = Vec::new();
        let mut start = 0;
        for cut in cuts {
            chunks.push(&stream[start..cut]);
            start = cut;
        }
        chunks.push(&stream[start..]);
        prop_assert_eq!(&read_stream(chunks), &whole);
        prop_assert_eq!(&read_stream(stream.chunks(1)), &whole);
        for item in &whole.0 {
            let span = match item {
                sse::Item::Event(event) => &event.block.span,
                sse::Item::Undispatched(block) => &block.span,
                sse::Item::Comment(comment) => &comment.span,
            };
            let bytes = &stream[usize::try_from(span.start).unwrap()..usize::try_from(span.end).unwrap()];
            prop_assert!(!bytes.is_empty() && !bytes.starts_with(b"\n") && !bytes.ends_with(b"\n"));
        }
    }

    #[test]
    fn both_stream_readers_agree_on_ordinary_streams(
        events in vec(("[a-z]{0,6}", vec("[^\r\n\0]{0,12}", 1..4), prop::option::of("[^\r\n\0]{1,6}"), any::<bool>()), 0..8),
        has_bom in any::<bool>(),
        is_crlf in any::<bool>(),
    ) {
        let end = if is_crlf { "\r\n" } else { "\n" };
        let mut text = String::from(if has_bom { "\u{feff}" } else { "" });
        for (event_type, data, id, has_comment) in &events {
            if *has_comment {
                text += &format!(": keep-alive{end}{end}");
            }
            if !event_type.is_empty() {
                text += &format!("event: {event_type}{end}");
            }
            if let Some(id) = id {
                text += &format!("id: {id}{end}");
            }
            for line in data {
                text += &format!("data: {line}{end}");
            }
            text += end;
        }
        let (items, ..) = read_stream([text.as_bytes()]);
        let ours: Vec<sse::ClientEvent> = items
            .into_iter()
            .filter_map(|item| match item {
                sse::Item::Event(event) => Some((event.event_type, event.data, event.last_event_id.to_string())),
                _ => None,
            })
            .collect();
        prop_assert_eq!(ours.len(), events.len());
        prop_assert_eq!(sse::second_opinion(text.as_bytes()), Ok(ours));
    }
}
