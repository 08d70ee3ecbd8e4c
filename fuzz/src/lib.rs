//! What must hold of every reader of the suite, for any bytes: the bodies of the fuzz targets.
//!
//! Each panics where something does not hold. cargo-fuzz drives them from `fuzz_targets/`; `tests/fuzz_targets.rs` of the suite
//! runs them on what was found before (`regressions/`) and on some hundred seeded inputs, without cargo-fuzz.

// A target tells by a panic.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use a2a_reference_agent::{Version, reads, reads_over_grpc, reads_over_http};
use a2aspec::case::{Library, Source};
use a2aspec::cli::config::Config;
use a2aspec::generate::{Choices, Values};
use a2aspec::profile::{self, Dialect, Profile};
use a2aspec::wire::grpc::{Decoder, Details};
use a2aspec::wire::json::{self, Document, Kind, Limits};
use a2aspec::wire::{base64, grpc, jsonrpc, sse, timestamp};
use serde_json::Value;

/// Panics where something does not hold of the bytes.
pub type Target = fn(&[u8]);

/// Every target by its name.
pub const TARGETS: [(&str, Target); 14] = [
    ("agent", agent),
    ("agent-http", agent_http),
    ("agent-grpc", agent_grpc),
    ("json", json_text),
    ("sse", event_stream),
    ("envelope", envelope),
    ("card", card),
    ("frames", frames),
    ("details", details),
    ("timestamp", time),
    ("base64", base64_text),
    ("case", case_file),
    ("config", config),
    ("dialects", dialects),
];

/// Our reader of JSON accepts what serde_json accepts, but for what RFC 8259 leaves to readers, and reads the same value.
pub fn json_text(bytes: &[u8]) {
    let ours = json::parse(bytes, &Limits::default());
    match (&ours, serde_json::from_slice::<Value>(bytes)) {
        (Ok(document), Ok(theirs)) => {
            let fits = document.walk().all(|(_, node)| node.as_number().is_none_or(|number| number.as_f64().is_some()));
            assert!(!fits || document.value() == theirs, "{} is not {theirs}", document.value());
        }
        (Err(error), Ok(_)) => assert!(error.kind.is_limit(), "{error}, but serde_json reads it"),
        (Ok(document), Err(error)) => assert!(is_beyond(document, &error), "accepted, but {error}"),
        (Err(_), Err(_)) => {}
    }
    if let Ok(document) = ours {
        document.visit(|pointer, node| {
            assert!(json::parse(document.raw(node).as_bytes(), &Limits::default()).is_ok(), "{pointer:?}");
        });
        let _ = document.duplicates();
    }
}

/// Whether a text has what serde_json does not hold: depth, large numbers, lone surrogates.
fn is_beyond(document: &Document, error: &serde_json::Error) -> bool {
    let mut is_beyond = error.to_string().contains("recursion limit");
    document.visit(|_, node| match &node.kind {
        Kind::Number(number) => is_beyond |= number.as_f64().is_none(),
        Kind::String(text) => is_beyond |= text.has_lone_surrogate(),
        Kind::Object(members) => is_beyond |= members.iter().any(|member| member.key.has_lone_surrogate()),
        _ => {}
    });
    is_beyond
}

/// However an event stream is cut, the same items come out. The first byte says where it is cut.
pub fn event_stream(bytes: &[u8]) {
    let Some((at, stream)) = bytes.split_first() else { return };
    let read = |chunks: &[&[u8]]| {
        let mut decoder = sse::Decoder::new(sse::Limits::default());
        let items: Vec<sse::Item> =
            chunks.iter().flat_map(|chunk| decoder.push(chunk).expect("no limit is met")).collect();
        let state = (decoder.last_event_id().to_owned(), decoder.retry(), decoder.line_ends(), decoder.has_bom());
        (items, state, decoder.finish())
    };
    let whole = read(&[stream]);
    let (one, other) = stream.split_at(usize::from(*at).min(stream.len()));
    assert_eq!(whole, read(&[one, other]), "cut at {}", one.len());
    let bytewise: Vec<&[u8]> = stream.chunks(1).collect();
    assert_eq!(whole, read(&bytewise), "cut everywhere");
}

/// Whatever a response or a request is, it is read, and alike whether it is compact or not.
pub fn envelope(bytes: &[u8]) {
    let request = jsonrpc::classify(bytes);
    let Ok(document) = json::parse(bytes, &Limits::default()) else {
        assert!(matches!(request, jsonrpc::Request::ParseError(_)));
        return;
    };
    let reading = jsonrpc::read_response(&document);
    let lenient = jsonrpc::read_with_null_error(&document);
    assert!(lenient.problems.len() <= reading.problems.len());
    if let (Some(error), []) = (&reading.error, reading.problems.as_slice()) {
        assert!(error.message.is_some() && reading.result.is_none());
    }
    let again = Document::of_text(&format!(" {}\n", document.text()));
    assert_eq!(jsonrpc::read_response(&again).problems, reading.problems);
}

/// What the reference agent reads as calls, in any version, is calls to the suite, too.
pub fn agent(bytes: &[u8]) {
    let is_call = |request: &jsonrpc::Request| {
        matches!(request, jsonrpc::Request::Call(_) | jsonrpc::Request::Notification { .. })
    };
    let is_right = match jsonrpc::classify(bytes) {
        jsonrpc::Request::Batch(calls) => calls.iter().all(is_call),
        request => is_call(&request),
    };
    for version in Version::ALL {
        assert!(!reads(version, bytes) || is_right, "{version} reads it, and it is no call");
    }
}

/// What the reference agent reads over HTTP+JSON, in any version, has an address that the version gives to an operation, and a JSON
/// object or nothing as its body. The first line is the method and the address, the rest is the body.
pub fn agent_http(bytes: &[u8]) {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let (line, body) = (&bytes[..end], bytes.get(end + 1..).unwrap_or_default());
    let Some((method, address)) = std::str::from_utf8(line).ok().and_then(|line| line.split_once(' ')) else { return };
    let is_object = json::parse(body, &Limits::default()).is_ok_and(|body| body.value().is_object());
    for version in Version::ALL {
        if reads_over_http(version, method, address, body) {
            assert!(method != "POST" || body.is_empty() || is_object, "{version} reads a body that is no object");
            assert!(
                address.starts_with('/') || address.contains("://"),
                "{version} reads {address}, which is no address"
            );
        }
    }
}

/// What the reference agent reads over gRPC, in any version, is a message to the suite, too; and what the suite reads, it writes as it
/// was read. The first byte chooses the operation.
pub fn agent_grpc(bytes: &[u8]) {
    let Some((choice, message)) = bytes.split_first() else { return };
    for profile in profiles() {
        let operations = &profile.facts.operations;
        let Some((&operation, facts)) = operations.iter().cycle().nth(usize::from(*choice)) else { continue };
        let read = profile.read_message(operation, message);
        let rpc = facts.rpc.clone().unwrap_or_else(|| operation.to_string());
        let version: Option<Version> = profile.name().parse().ok();
        let is_read = version.is_some_and(|version| reads_over_grpc(version, &rpc, message));
        assert!(!is_read || read.is_ok(), "{} {operation}: the agent reads it, but {read:?}", profile.name());
        let Ok(Some(params)) = read else { continue };
        let again = profile.write_message(operation, &params).unwrap_or_else(|error| panic!("{params}: {error}"));
        assert_eq!(profile.read_message(operation, &again), Ok(Some(params)), "{} {operation}", profile.name());
    }
}

fn profiles() -> &'static [Arc<Profile>] {
    static ALL: OnceLock<Vec<Arc<Profile>>> = OnceLock::new();
    ALL.get_or_init(|| profile::bundled().expect("the profiles are right"))
}

/// Every version says what is wrong with any card, and reads it.
pub fn card(bytes: &[u8]) {
    let Ok(document) = json::parse(bytes, &Limits::default()) else { return };
    let card = document.value();
    for profile in profiles() {
        let violations = profile.card_violations(&card);
        let strangeness = profile.strangeness_of_card(&card);
        assert!(strangeness >= violations.len());
        for violation in violations {
            let read = profile.card_as_read(&card);
            assert!(read.pointer(&violation.pointer).is_some(), "{} is no place of the card", violation.pointer);
        }
    }
}

/// However a body is cut, the same frames come out, and they make the body again.
pub fn frames(bytes: &[u8]) {
    let Some((at, body)) = bytes.split_first() else { return };
    let read = |chunks: &[&[u8]]| {
        let mut decoder = Decoder::new(None, 1 << 16);
        let mut frames = Vec::new();
        for chunk in chunks {
            match decoder.push(chunk) {
                Ok(more) => frames.extend(more),
                Err(error) => {
                    frames.extend(error.frames);
                    return (frames, Some((error.kind, error.offset)));
                }
            }
        }
        let ending = decoder.finish().err().map(|error| (error.kind, error.offset));
        (frames, ending)
    };
    let whole = read(&[body]);
    let (one, other) = body.split_at(usize::from(*at).min(body.len()));
    assert_eq!(whole, read(&[one, other]), "cut at {}", one.len());
    if whole.1.is_none() {
        let again: Vec<u8> = whole.0.iter().flat_map(|frame| grpc::frame(&frame.message).expect("it fits")).collect();
        assert_eq!(again, body);
    }
}

/// Status details are read alike from bytes and from the text that spells these.
pub fn details(bytes: &[u8]) {
    let decoded = Details::decode(bytes.to_vec());
    let read = Details::read(&base64::encode(bytes));
    match (decoded, read) {
        (Ok(one), Ok(other)) => assert_eq!(one, other),
        (Err(_), Err(_)) => {}
        (one, other) => panic!("{one:?} is not {other:?}"),
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = Details::read(text);
    }
}

/// What RFC 3339 allows, jiff reads as the same time; what is RFC 3339 is ISO 8601, too.
pub fn time(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let lenient = timestamp::iso8601_lenient(text);
    let Ok(strict) = timestamp::rfc3339(text) else { return };
    let lenient = lenient.expect("RFC 3339 is ISO 8601");
    assert_eq!(lenient.instant, strict.instant);
    // jiff ends in the year 9999, some hours before or after by the zone, and takes a leap second for the one before it.
    let is_within = (-377_705_023_201..=253_402_207_200).contains(&strict.instant.seconds);
    if is_within && !text.contains(":60") {
        let theirs: jiff::Timestamp = text.parse().unwrap_or_else(|error| panic!("{error}, but we read {text:?}"));
        assert_eq!(strict.instant.seconds, theirs.as_second() - i64::from(theirs.subsec_nanosecond() < 0));
    }
}

/// Base64 is read back, and what is read is written alike where it is canonical.
pub fn base64_text(bytes: &[u8]) {
    assert_eq!(base64::decode(&base64::encode(bytes)).as_deref(), Ok(bytes));
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (checked, decoded) = (base64::check(text), base64::decode(text));
    assert_eq!(checked.is_ok(), decoded.is_ok(), "{checked:?} {decoded:?}");
    if let (Ok(encoding), Ok(decoded)) = (checked, decoded) {
        let standard: String = text.replace('-', "+").replace('_', "/").trim_end_matches('=').to_owned();
        let again = base64::encode(&decoded).trim_end_matches('=').to_owned();
        assert_eq!(!encoding.has_trailing_bits, standard == again, "{text:?}");
    }
}

/// A case file is read, or each mistake in it has a place.
pub fn case_file(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let source = Source { file: "cases/a/b.yaml".to_owned(), text: text.to_owned() };
    let profiles: Vec<&Profile> = profiles().iter().map(AsRef::as_ref).collect();
    if let Err((mistakes, _)) = Library::read(vec![source], &profiles, &[]) {
        assert!(!mistakes.is_empty());
    }
}

/// The settings are read, or refused.
pub fn config(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = toml::from_str::<Config>(text);
}

type Makers = Vec<(Arc<Dialect>, Values)>;

/// In every wire form of every version: what is right is read and written, and stays as it is then; and what is any JSON
/// is read and written somehow.
pub fn dialects(bytes: &[u8]) {
    static MAKERS: OnceLock<Makers> = OnceLock::new();
    let makers = MAKERS.get_or_init(|| {
        let all = profiles().iter().flat_map(|profile| profile.dialects.values());
        all.map(|dialect| (Arc::clone(dialect), Values::new(Arc::clone(&dialect.schemas)))).collect()
    });
    let mut choices = Choices::new(bytes);
    let Some((dialect, values)) = choices.pick(makers) else { return };
    let kinds: BTreeMap<&str, &str> =
        dialect.types.keys().map(|kind| (kind.as_str(), dialect.wire_type(kind))).collect();
    let kinds: Vec<(&str, &str)> = kinds.into_iter().filter(|(_, wire)| dialect.schemas.has(wire)).collect();
    let Some((kind, wire_type)) = choices.pick(&kinds) else { return };
    let any = choices.one_in(4);
    let wire = match any {
        true => a2aspec::generate::json::any(4, &mut choices),
        false => values.valid(wire_type, &mut choices),
    };
    let read = dialect.from_wire(kind, wire.clone());
    let again = dialect.to_wire(kind, &read.value);
    let reread = dialect.from_wire(kind, again.clone());
    for site in &read.sites {
        assert!(wire.pointer(&site.pointer).is_some() || dialect.nulls_absent, "{kind}: {} in {wire}", site.pointer);
    }
    if !any {
        // What must be sent is added where it was not there, so only what is written once stays as it is.
        let thrice = dialect.to_wire(kind, &reread.value);
        assert_eq!(thrice, again, "{} {kind}: {wire} was read {}", dialect.name, read.value);
    }
}
