//! The inputs for parsers against second opinions: none of them is what it says it is not.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::program;
use crate::common::vectors;

use std::collections::BTreeSet;
use std::path::Path;

use a2aspec::corpus::{Class, Input, Kind, Makers, Verdict};
use a2aspec::generate::{Choices, seeded};
use a2aspec::profile;
use a2aspec::wire::grpc::Decoder as Frames;
use a2aspec::wire::json::{self, JsonError, Limits};
use a2aspec::wire::jsonrpc::{self, Request};
use a2aspec::wire::{base64, sse};
use serde_json::{Value, json};

/// Inputs of each class.
const EACH: u64 = 60;
/// How often one is tried to be made: some are rare.
const TRIES: u64 = 2000;

/// Every class of a kind with some of its inputs.
fn inputs(makers: &Makers, see: impl FnMut(&Class, &Input)) {
    so_many_inputs(EACH, makers, see);
}

fn so_many_inputs(each: u64, makers: &Makers, mut see: impl FnMut(&Class, &Input)) {
    for class in makers.classes() {
        let mut made = 0;
        for number in 0..TRIES {
            if number >= each && made > 0 {
                break;
            }
            if let Some(input) = makers.make(class, &mut Choices::new(&seeded(11, number, 256))) {
                assert_eq!(input.verdict, class.verdict);
                see(class, &input);
                made += 1;
            }
        }
        assert!(made > 0, "{} {}: no inputs", makers.kind(), class.name);
    }
}

fn of(kind: Kind) -> Makers {
    Makers::new(kind, None).unwrap()
}

fn read(bytes: &[u8]) -> Result<Value, JsonError> {
    json::parse(bytes, &Limits::default()).map(|document| document.value())
}

/// serde_json and our reader agree wherever RFC 8259 leaves no choice. They differ only where it does: serde_json refuses lone
/// surrogates and numbers beyond a double, and keeps the last of two members.
#[test]
fn json_texts_are_what_two_readers_say() {
    inputs(&of(Kind::Json), |class, input| {
        let shown = String::from_utf8_lossy(&input.bytes);
        let theirs = serde_json::from_slice::<Value>(&input.bytes);
        let ours = read(&input.bytes);
        match class.verdict {
            Verdict::Accept => {
                assert_eq!(ours.as_ref().unwrap(), theirs.as_ref().unwrap(), "{}: {shown}", class.name);
                assert_eq!(input.value.as_ref(), theirs.as_ref().ok(), "{}: {shown}", class.name);
            }
            Verdict::Reject => assert!(theirs.is_err() && ours.is_err(), "{}: {shown:?}", class.name),
            Verdict::Either => assert!(input.value.is_none()),
        }
    });
}

fn events(chunks: &[&[u8]]) -> Value {
    let mut decoder = sse::Decoder::new(sse::Limits::default());
    let items = chunks.iter().flat_map(|chunk| decoder.push(chunk).unwrap()).collect::<Vec<_>>();
    let event = |item: sse::Item| match item {
        sse::Item::Event(event) => Some(json!({
            "event": event.event_type, "data": event.data, "id": &*event.last_event_id, "retry": event.retry,
        })),
        sse::Item::Comment(_) | sse::Item::Undispatched(_) => None,
    };
    items.into_iter().filter_map(event).collect()
}

/// What the streams were made to mean is what our reader reads, however they are cut, and what an everyday client reads where
/// that is known to be right: it loses a last event that ends in CR, and stops at bytes that are not UTF-8.
#[test]
fn event_streams_mean_what_two_readers_say() {
    inputs(&of(Kind::Sse), |class, input| {
        let shown = String::from_utf8_lossy(&input.bytes[..input.bytes.len().min(300)]).into_owned();
        let expected = input.value.as_ref().unwrap();
        assert_eq!(&events(&[&input.bytes]), expected, "{}: {shown:?}", class.name);
        if input.bytes.len() < 300 {
            for at in 0..input.bytes.len() {
                let (one, other) = input.bytes.split_at(at);
                assert_eq!(&events(&[one, other]), expected, "{} cut at {at}: {shown:?}", class.name);
            }
        }
        let excused = input.bytes.ends_with(b"\r") || std::str::from_utf8(&input.bytes).is_err();
        if !excused {
            let theirs = sse::second_opinion(&input.bytes).unwrap();
            let ours: Vec<sse::ClientEvent> = expected.as_array().unwrap().iter().map(client_event).collect();
            assert_eq!(theirs, ours, "{}: {shown:?}", class.name);
        }
    });
}

fn client_event(event: &Value) -> sse::ClientEvent {
    let text = |name: &str| event[name].as_str().unwrap().to_owned();
    (text("event"), text("data"), text("id"))
}

#[test]
fn responses_are_what_the_reader_says() {
    inputs(&of(Kind::Envelope), |class, input| {
        let document = json::parse(&input.bytes, &Limits::default()).unwrap();
        let reading = jsonrpc::read_response(&document);
        match class.verdict {
            Verdict::Accept => assert!(reading.problems.is_empty(), "{}: {:?}", class.name, reading.problems),
            Verdict::Reject => assert!(!reading.problems.is_empty(), "{}: {document:?}", class.name),
            Verdict::Either => {}
        }
        if let Some(value) = &input.value {
            let outcome = reading.result.map(|result| json!({ "result": result.to_value() }));
            let outcome =
                outcome.or_else(|| reading.error.map(|error| json!({ "error": error.node.to_value() }))).unwrap();
            let outcome = outcome.as_object().unwrap().clone();
            let id = reading.id.unwrap().to_value();
            let read: serde_json::Map<String, Value> = std::iter::once(("id".to_owned(), id)).chain(outcome).collect();
            assert_eq!(&Value::Object(read), value, "{}", class.name);
        }
    });
}

#[test]
fn requests_are_what_the_reader_says() {
    inputs(&of(Kind::Request), |class, input| {
        let request = jsonrpc::classify(&input.bytes);
        let is_invalid = matches!(request, Request::Invalid(_) | Request::ParseError(_));
        match class.verdict {
            Verdict::Accept => {
                let is_notification = matches!(request, Request::Notification { .. });
                assert!(
                    !is_invalid && is_notification == (class.name == "notification"),
                    "{}: {request:?}",
                    class.name
                );
            }
            Verdict::Reject => assert!(is_invalid, "{}: {request:?}", class.name),
            Verdict::Either => {}
        }
    });
}

#[test]
fn frames_are_what_the_reader_says() {
    inputs(&of(Kind::Grpc), |class, input| {
        let mut decoder = Frames::new(None, 4 << 20);
        let read = decoder.push(&input.bytes).and_then(|frames| decoder.finish().map(|()| frames));
        match class.verdict {
            Verdict::Accept => {
                let messages: Value = read.unwrap().iter().map(|frame| json!(base64::encode(&frame.message))).collect();
                assert_eq!(Some(&messages), input.value.as_ref(), "{}", class.name);
            }
            Verdict::Reject => assert!(read.is_err(), "{}", class.name),
            Verdict::Either => {}
        }
    });
}

#[test]
fn objects_are_what_their_schemas_say() {
    let mut kinds = 0;
    for profile in profile::bundled().unwrap() {
        for kind in [Kind::Card, Kind::Task, Kind::Message, Kind::Event] {
            let Ok(makers) = Makers::new(kind, Some(&profile)) else { continue };
            kinds += 1;
            let dialect = &profile.dialects[&profile.facts.card.dialect];
            let wire_type = match kind {
                Kind::Card => profile.facts.card.kind.as_str(),
                Kind::Task => dialect.wire_type("Task"),
                Kind::Message => dialect.wire_type("Message"),
                _ => dialect.wire_type("StreamResponse"),
            };
            inputs(&makers, |class, input| {
                let value: Value = serde_json::from_slice(&input.bytes).unwrap();
                let broken = dialect.schemas.violations(wire_type, &value);
                match class.verdict {
                    Verdict::Accept => {
                        assert!(broken.is_empty(), "{} {kind} {}: {broken:?}", profile.name(), class.name)
                    }
                    Verdict::Reject => {
                        let place = input.place.as_deref().unwrap();
                        assert!(broken.iter().any(|one| one.place() == place), "{kind} {}: {value}", class.name);
                    }
                    Verdict::Either => {}
                }
            });
        }
    }
    assert_eq!(kinds, 8 * 4, "every version has every kind");
}

/// The kinds of mistakes that JSONTestSuite knows are all among ours.
#[test]
fn the_classes_reach_what_the_public_vectors_reach() {
    let Some(folder) = vectors::place("json-parsing") else { return };
    let index = std::fs::read(folder.join("index.json")).unwrap();
    let kind = |error: &JsonError| {
        let shown = format!("{:?}", error.kind);
        let name = shown.split([' ', '{']).next().unwrap().to_owned();
        let detail =
            shown.split_once("expected: ").or(shown.split_once("reason: ")).map(|(_, detail)| detail.to_owned());
        format!("{name} {}", detail.unwrap_or_default())
    };
    let mut ours = BTreeSet::new();
    so_many_inputs(500, &of(Kind::Json), |_, input| {
        ours.extend(read(&input.bytes).err().as_ref().map(kind));
    });
    let index: Value = serde_json::from_slice(&index).unwrap();
    let mut missing = Vec::new();
    for entry in index.as_array().unwrap().iter().filter(|entry| entry["class"] == "reject") {
        let bytes = std::fs::read(folder.join(entry["file"].as_str().unwrap())).unwrap();
        let error = read(&bytes).unwrap_err();
        let is_open = error.kind == json::JsonErrorKind::InvalidUtf8 || error.kind.is_limit();
        if !is_open && !ours.contains(&kind(&error)) {
            missing.push(format!("{}: {}", entry["file"], kind(&error)));
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

fn corpus(arguments: &[&str]) -> program::Ran {
    program::run(&[&["corpus"], arguments].concat(), &[])
}

/// Every file is in the index and the other way round, and the same seed writes the same folder.
#[test]
fn a_folder_is_written_alike_twice() {
    let (one, other) = (program::Folder::new(), program::Folder::new());
    for folder in [&one, &other] {
        let path = folder.path().join("corpus");
        let output = corpus(&[path.to_str().unwrap(), "--count", "60", "--profile", "1.0", "--seed", "7"]);
        assert_eq!(output.code, 0, "{}", output.stderr);
    }
    let index = |folder: &program::Folder| std::fs::read(folder.path().join("corpus/index.json")).unwrap();
    assert_eq!(index(&one), index(&other));
    let read: Value = serde_json::from_slice(&index(&one)).unwrap();
    let entries = read["inputs"].as_array().unwrap();
    assert!(entries.len() > 400, "{}", entries.len());
    let mut listed = BTreeSet::new();
    for entry in entries {
        let file = entry["file"].as_str().unwrap();
        assert!(listed.insert(file), "{file} is there twice");
        let bytes = |folder: &program::Folder| std::fs::read(folder.path().join("corpus").join(file)).unwrap();
        assert_eq!(bytes(&one), bytes(&other), "{file}");
        let (within, _) = file.rsplit_once('/').unwrap();
        let class = read["classes"][within].as_array().unwrap().iter().find(|class| class["name"] == entry["class"]);
        assert!(class.unwrap()["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
        assert!(entry["verdict"] != "accept" || entry.get("value").is_some(), "{file}");
    }
    insta::assert_snapshot!(
        corpus(&[one.path().join("third").to_str().unwrap(), "--kind", "sse", "--kind", "json", "--count", "30"])
            .stdout
            .replace(one.path().to_str().unwrap(), "FOLDER")
    );
}

#[test]
fn what_cannot_be_written_is_said_in_a_sentence() {
    let folder = program::Folder::new();
    std::fs::write(folder.path().join("there"), "already").unwrap();
    let path = folder.path().to_str().unwrap();
    let mut said = String::new();
    let inside = format!("{path}/there/corpus");
    for arguments in [
        &[path][..],
        &[&inside, "--kind", "json"],
        &["new", "--kind", "jsno"],
        &["new", "--kind", "task", "--profile", "2.0"],
        &["new", "--count", "0"],
    ] {
        let output = corpus(arguments);
        let text = output.stderr.replace(path, "FOLDER");
        said.push_str(&format!("{:?}\n{text}\n", Some(output.code)));
    }
    assert!(!Path::new("new").exists());
    insta::assert_snapshot!(said);
}
