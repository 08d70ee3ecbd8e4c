//! Event streams, and the frames and details of gRPC: against a client's library and against google.rpc as tonic has it.

use a2aspec::wire::grpc::{self, Decoder, Details};
use a2aspec::wire::{base64, sse};
use prost::Message as _;
use tonic_types::pb;

/// However an event stream is cut, the same items come out; and the same events as from a library of clients. The first byte says
/// where it is cut.
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
    // It loses a last event that ends in CR, and gives up at bytes that are no UTF-8 and at very long ids.
    let is_excused = stream.ends_with(b"\r") || std::str::from_utf8(stream).is_err();
    if let (false, Ok(theirs)) = (is_excused, sse::second_opinion(stream)) {
        let ours = whole.0.into_iter().filter_map(|item| match item {
            sse::Item::Event(event) => {
                Some((event.event_type.to_string(), event.data, event.last_event_id.to_string()))
            }
            _ => None,
        });
        assert_eq!(ours.collect::<Vec<_>>(), theirs);
    }
}

/// However a body is cut, the same frames come out, and they make the body again.
pub fn grpc_body(bytes: &[u8]) {
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

/// Status details are read alike from bytes and from the text that spells these, and as the messages of tonic-types read them.
pub fn status_details(bytes: &[u8]) {
    let decoded = Details::decode(bytes.to_vec());
    match (&decoded, Details::read(&base64::encode(bytes))) {
        (Ok(one), Ok(other)) => assert_eq!(one, &other),
        (Err(_), Err(_)) => {}
        (one, other) => panic!("{one:?} is not {other:?}"),
    }
    match (&decoded, pb::Status::decode(bytes)) {
        (Ok(ours), Ok(theirs)) => same_status(&ours.value, &theirs),
        (Err(error), Ok(_)) => assert!(error.place.starts_with("details["), "{error}, but tonic-types reads it"),
        (Ok(ours), Err(error)) => panic!("{}, but {error}", ours.value),
        (Err(_), Err(_)) => {}
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = Details::read(text);
    }
}

fn same_status(ours: &serde_json::Value, theirs: &pb::Status) {
    assert_eq!((ours["code"].as_i64(), ours["message"].as_str()), (Some(theirs.code.into()), Some(&*theirs.message)));
    let text = |detail: &serde_json::Value, name: &str| detail[name].as_str().unwrap_or_default().to_owned();
    for (ours, theirs) in ours["details"].as_array().into_iter().flatten().zip(&theirs.details) {
        assert_eq!(ours["@type"].as_str(), Some(&*theirs.type_url));
        match theirs.type_url.rsplit('/').next() {
            Some("google.rpc.ErrorInfo") => {
                let theirs = pb::ErrorInfo::decode(&*theirs.value).expect("ours was read");
                assert_eq!((text(ours, "reason"), text(ours, "domain")), (theirs.reason, theirs.domain));
            }
            Some("google.rpc.BadRequest") => {
                let theirs = pb::BadRequest::decode(&*theirs.value).expect("ours was read");
                let ours = ours["fieldViolations"].as_array().cloned().unwrap_or_default();
                for (ours, theirs) in ours.iter().zip(&theirs.field_violations) {
                    assert_eq!(
                        (text(ours, "field"), text(ours, "description")),
                        (theirs.field.clone(), theirs.description.clone())
                    );
                }
            }
            Some("google.rpc.RetryInfo") => assert!(pb::RetryInfo::decode(&*theirs.value).is_ok()),
            _ => assert_eq!(base64::decode(&text(ours, "value")).as_deref(), Ok(&*theirs.value)),
        }
    }
}
