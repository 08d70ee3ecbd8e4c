use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::base64::{self, Base64Error};

/// A `google.rpc.Status` with four details, as another implementation of protobuf wrote it.
const WRITTEN_ELSEWHERE: &str = "CAUSDG5vIHN1Y2ggdGFzaxpkCih0eXBlLmdvb2dsZWFwaXMuY29tL2dvb2dsZS5ycGMuRXJyb3JJbmZvEjgKDlR\
    BU0tfTk9UX0ZPVU5EEhBhMmEtcHJvdG9jb2wub3JnGgUKAWISABoNCgZ0YXNrSWQSA3QtMRpQCil0eXBlLmdvb2dsZWFwaXMuY29tL2dvb2dsZS5yc\
    GMuQmFkUmVxdWVzdBIjCiEKAmlkEghpcyBlbXB0eRoFRU1QVFkiCgoCZGUSBGxlZXIaNgoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLlJl\
    dHJ5SW5mbxIKCggIARCAyrXuARovCiN0eXBlLmdvb2dsZWFwaXMuY29tL2dvb2dsZS5ycGMuSGVscBIICgYKAWQSAXU=";

fn fields(fields: &[(&str, &str)]) -> Vec<(String, String)> {
    fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn decoder() -> Decoder {
    Decoder::new(None, 100)
}

/// Everything that a reader says of a body that comes in these chunks.
fn read<'a>(mut decoder: Decoder, chunks: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Frame>, Option<FrameErrorKind>) {
    let mut frames = Vec::new();
    for chunk in chunks {
        match decoder.push(chunk) {
            Ok(more) => frames.extend(more),
            Err(error) => {
                frames.extend(error.frames);
                return (frames, Some(error.kind));
            }
        }
    }
    (frames, decoder.finish().err().map(|error| error.kind))
}

#[test]
fn takes_the_status_from_where_it_stands() {
    for (headers, trailers, found) in [
        (&[][..], &[("grpc-status", "0")][..], Some(("0", Some(Code::Ok), false))),
        (&[("grpc-status", "5")], &[], Some(("5", Some(Code::NotFound), true))),
        (&[("grpc-status", "5")], &[("grpc-status", "3")], Some(("3", Some(Code::InvalidArgument), false))),
        (&[("grpc-status", "05")], &[], Some(("05", Some(Code::NotFound), true))),
        (&[], &[("grpc-status", "17")], Some(("17", None, false))),
        (&[], &[("grpc-status", "NOT_FOUND")], Some(("NOT_FOUND", None, false))),
        (&[], &[("grpc-status", "")], Some(("", None, false))),
        (&[("grpc-message", "alone")], &[("x", "y")], None),
    ] {
        let status = Status::read(&fields(headers), &fields(trailers));
        let seen = status.as_ref().map(|status| (status.text.as_str(), status.code, status.is_in_headers));
        assert_eq!(seen, found, "{headers:?} {trailers:?}");
    }
}

#[test]
fn decodes_messages_without_ever_refusing_one() {
    for (written, meant) in [
        ("", ""),
        ("no such task", "no such task"),
        ("100%25", "100%"),
        ("caf%C3%A9%0a", "café\n"),
        ("50% off", "50% off"),
        ("%", "%"),
        ("%4", "%4"),
        ("%zz%41", "%zzA"),
        ("%gg%4g", "%gg%4g"),
        ("%%41", "%A"),
        ("%FF!", "\u{FFFD}!"),
        ("+", "+"),
    ] {
        let trailers = fields(&[("grpc-status", "2"), ("grpc-message", written)]);
        assert_eq!(Status::read(&[], &trailers).unwrap().message, meant, "{written}");
    }
}

#[test]
fn reads_details_that_another_implementation_wrote() {
    let value = json!({
        "code": 5,
        "message": "no such task",
        "details": [
            {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "TASK_NOT_FOUND",
                "domain": "a2a-protocol.org",
                "metadata": { "b": "", "taskId": "t-1" },
            },
            {
                "@type": "type.googleapis.com/google.rpc.BadRequest",
                "fieldViolations": [{
                    "field": "id",
                    "description": "is empty",
                    "reason": "EMPTY",
                    "localizedMessage": { "locale": "de", "message": "leer" },
                }],
            },
            { "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1.500s" },
            { "@type": "type.googleapis.com/google.rpc.Help", "value": "CgYKAWQSAXU=" },
        ],
    });
    for text in [WRITTEN_ELSEWHERE, WRITTEN_ELSEWHERE.trim_end_matches('=')] {
        let trailers = fields(&[("grpc-status", "5"), ("grpc-status-details-bin", text)]);
        let details = Status::read(&[], &trailers).unwrap().details.unwrap().unwrap();
        assert_eq!(details.value, value);
        assert_eq!(details.bytes, base64::decode(text).unwrap());
    }
}

#[test]
fn reads_details_with_little_in_them() {
    let none = json!({ "code": 0, "message": "", "details": [] });
    let empty_info = json!({
        "code": 0,
        "message": "",
        "details": [{ "@type": "google.rpc.ErrorInfo" }, { "@type": "", "value": "" }],
    });
    assert_eq!(Details::read("").unwrap().value, none);
    let bytes = b"\x1a\x16\x0a\x14google.rpc.ErrorInfo\x1a\x00".to_vec();
    assert_eq!(Details::decode(bytes).unwrap().value, empty_info);
}

#[test]
fn writes_durations_as_protojson_does() {
    let delay = |duration: &[u8]| {
        let info = [&[0x0a, duration.len() as u8], duration].concat();
        let any = [b"\x0a\x14google.rpc.RetryInfo\x12", &[info.len() as u8][..], &info].concat();
        let status = [&[0x1a, any.len() as u8], any.as_slice()].concat();
        let details = Details::decode(status).unwrap().value;
        details.pointer("/details/0/retryDelay").unwrap().as_str().unwrap().to_owned()
    };
    for (duration, text) in [
        (&[][..], "0s"),
        (&[0x08, 0x03], "3s"),
        (&[0x10, 0x01], "0.000000001s"),
        (&[0x08, 0x02, 0x10, 0xe8, 0x07], "2.000001s"),
        (&[0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], "-1s"),
    ] {
        assert_eq!(delay(duration), text);
    }
}

#[test]
fn says_where_details_are_wrong() {
    assert_eq!(Details::read("CAU*").unwrap_err(), DetailsError::Base64(Base64Error::Character { at: 3, found: '*' }));
    assert_eq!(Details::read("CA_=").unwrap_err(), DetailsError::UrlSafe { at: 2, found: '_' });
    assert_eq!(Details::read("CA-=").unwrap_err(), DetailsError::UrlSafe { at: 2, found: '-' });
    for (bytes, place, kind) in [
        (&b"\x08"[..], "grpc-status-details-bin", "google.rpc.Status"),
        (b"\x12\x02\xff\xff", "grpc-status-details-bin", "google.rpc.Status"),
        (b"\x1a\x19\x0a\x14google.rpc.ErrorInfo\x12\x01\x0a", "details[0]", "google.rpc.ErrorInfo"),
        (b"\x1a\x00\x1a\x1a\x0a\x15google.rpc.BadRequest\x12\x01\x0a", "details[1]", "google.rpc.BadRequest"),
    ] {
        let DetailsError::Protobuf(error) = Details::read(&base64::encode(bytes)).unwrap_err() else {
            panic!("{bytes:?} is base64");
        };
        assert_eq!((error.place.as_str(), error.kind.as_str()), (place, kind), "{error}");
    }
}

#[test]
fn takes_a_body_apart() {
    let body = [&b"\0\0\0\0\x02hi"[..], b"\0\0\0\0\0", b"\0\0\0\0\x01!"].concat();
    let frames = decoder().push(&body).unwrap();
    let seen: Vec<_> = frames.iter().map(|frame| (frame.offset, frame.is_compressed, &frame.message[..])).collect();
    assert_eq!(seen, [(0, false, &b"hi"[..]), (7, false, b""), (12, false, b"!")]);
    assert_eq!(frame(b"hi").unwrap(), body[..7]);
}

#[test]
fn takes_messages_up_to_its_limit() {
    let longest = frame(&[b'x'; 100]).unwrap();
    assert_eq!(decoder().push(&longest).unwrap().len(), 1);
}

#[test]
fn says_what_is_wrong_with_a_body() {
    use FrameErrorKind::*;
    for (body, encoding, offset, kind) in [
        (&b"<html>"[..], None, 0, Flag { found: b'<' }),
        (b"\x02", None, 0, Flag { found: 2 }),
        (b"\0\0\0\0\x01!{", None, 6, Flag { found: b'{' }),
        (b"\x01", None, 0, CompressedWithoutEncoding),
        (b"\x01", Some("identity"), 0, CompressedWithoutEncoding),
        (b"\0\0\0\0\x65", None, 0, TooLong { length: 101, limit: 100 }),
        (b"\0\xff\xff\xff\xff", None, 0, TooLong { length: u32::MAX, limit: 100 }),
        (b"\0\0", None, 0, TruncatedPrefix { got: 2 }),
        (b"\0\0\0\0\x01!\0", None, 6, TruncatedPrefix { got: 1 }),
        (b"\0\0\0\0\x05hi", None, 0, TruncatedMessage { got: 2, length: 5 }),
        (b"\x01\0\0\0\x05", Some("gzip"), 0, TruncatedMessage { got: 0, length: 5 }),
    ] {
        let mut decoder = Decoder::new(encoding, 100);
        let error = match decoder.push(body) {
            Err(error) => {
                assert_eq!(decoder.push(b"\0").map_err(|error| error.kind), Err(kind), "what is wrong stays so");
                error
            }
            Ok(_) => decoder.finish().unwrap_err(),
        };
        assert_eq!((error.offset, error.kind), (offset, kind), "{body:?}");
    }
}

#[test]
fn keeps_compressed_messages_as_they_are() {
    let frames = Decoder::new(Some("gzip"), 100).push(b"\x01\0\0\0\x02\x1f\x8b").unwrap();
    assert_eq!(frames, [Frame { offset: 0, is_compressed: true, message: bytes::Bytes::from_static(b"\x1f\x8b") }]);
}

/// Bodies that are frames often enough to get past the first one.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let whole = vec(any::<u8>(), 0..120).prop_map(|message| frame(&message).unwrap().to_vec());
    let piece = prop_oneof![4 => whole, 1 => vec(any::<u8>(), 0..8)];
    vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_chunking_gives_the_same_frames(body in body(), size in 1_usize..12, has_encoding: bool) {
        let decoder = || Decoder::new(has_encoding.then_some("gzip"), 100);
        let whole = read(decoder(), [body.as_slice()]);
        prop_assert_eq!(read(decoder(), body.chunks(size)), whole);
    }

    #[test]
    fn messages_come_back_out_of_their_frames(messages in vec(vec(any::<u8>(), 0..100), 0..6)) {
        let body: Vec<u8> = messages.iter().flat_map(|message| frame(message).unwrap()).collect();
        let (frames, error) = read(decoder(), [body.as_slice()]);
        prop_assert_eq!(error, None);
        prop_assert!(frames.iter().map(|frame| &frame.message[..]).eq(messages.iter().map(Vec::as_slice)));
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in vec(any::<u8>(), 0..200), text: String) {
        let _ = read(decoder(), [bytes.as_slice()]);
        let _ = Details::decode(bytes.clone());
        let spoiled: Vec<u8> = base64::decode(WRITTEN_ELSEWHERE).unwrap().into_iter().chain(bytes.clone()).collect();
        let _ = Details::decode(spoiled);
        let names = ["grpc-status", "grpc-message", "grpc-status-details-bin"];
        let lossy = String::from_utf8_lossy(&bytes).into_owned();
        for value in [text, lossy, base64::encode(&bytes)] {
            let fields = names.map(|name| (name.to_owned(), value.clone()));
            prop_assert!(Status::read(&fields, &[]).is_some());
        }
    }
}
