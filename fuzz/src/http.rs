//! What is read of HTTP and TLS as bytes: against httparse and percent-encoding where these have an opinion.

use a2aspec::wire::http1::{self, Http1ErrorKind};
use a2aspec::wire::http2::{self, Frame, kind};
use a2aspec::wire::{challenge, grpc, http, tls};
use bytes::Bytes;

/// The most fields that httparse is given room for.
const MOST_FIELDS: usize = 64;

/// However answers of HTTP/1.1 are cut, the same comes out; and of a head that httparse reads, what it reads. The first byte says
/// where they are cut, and what they answer.
pub fn answers(bytes: &[u8]) {
    let Some((at, stream)) = bytes.split_first() else { return };
    let whole = read_answers(*at, &[stream]);
    let (one, other) = stream.split_at(usize::from(*at).min(stream.len()));
    assert_eq!(whole, read_answers(*at, &[one, other]), "cut at {}", one.len());
    let bytewise: Vec<&[u8]> = stream.chunks(1).collect();
    assert_eq!(whole, read_answers(*at, &bytewise), "cut everywhere");
    let mut room = [httparse::EMPTY_HEADER; MOST_FIELDS];
    let mut theirs = httparse::Response::new(&mut room);
    // It takes empty lines before an answer, and words like `HTTP/1.1 000`.
    let is_complete = theirs.parse(stream).is_ok_and(|status| status.is_complete());
    if !is_complete || !stream.starts_with(b"HTTP") || theirs.code.is_none_or(|code| code < 100) {
        return;
    }
    match whole.0.first() {
        Some(http1::Item::Head(head) | http1::Item::Interim(head)) => {
            assert_eq!((Some(head.status), Some(head.minor)), (theirs.code, theirs.version));
            let read = head.fields.iter().map(|field| (field.name.clone(), field.value.clone()));
            let meant = theirs.headers.iter().map(|field| {
                (field.name.to_owned(), String::from_utf8_lossy(field.value).trim_matches([' ', '\t']).to_owned())
            });
            assert_eq!(read.collect::<Vec<_>>(), meant.collect::<Vec<_>>());
        }
        // How long a body is, httparse does not say.
        _ => assert_eq!(whole.1.as_ref().err().map(|(kind, _)| *kind), Some(Http1ErrorKind::Length), "{whole:?}"),
    }
}

type Answers = (Vec<http1::Item>, Result<http1::Ending, (Http1ErrorKind, u64)>);

/// What the bytes say, pieces of bodies put together, and how they ended.
fn read_answers(asked: u8, chunks: &[&[u8]]) -> Answers {
    let mut decoder = http1::Decoder::new(http1::Limits::default());
    decoder.answers(["GET", "HEAD", "CONNECT", "POST"][usize::from(asked % 4)]);
    let mut items: Vec<http1::Item> = Vec::new();
    let mut add = |found: Vec<http1::Item>| {
        for item in found {
            match (items.last_mut(), item) {
                (Some(http1::Item::Data(known)), http1::Item::Data(more)) => known.extend(more),
                (_, item) => items.push(item),
            }
        }
    };
    for chunk in chunks {
        match decoder.push(chunk) {
            Ok(found) => add(found),
            Err(error) => {
                add(error.items);
                return (items, Err((error.kind, error.offset)));
            }
        }
    }
    (items, Ok(decoder.finish()))
}

/// However frames of HTTP/2 are cut, the same comes out, and what comes out of a frame is not more than it holds. The first byte says
/// where they are cut; where it is odd, the settings that have to come first stand before the bytes.
pub fn frames(bytes: &[u8]) {
    let Some((at, stream)) = bytes.split_first() else { return };
    let settings = Frame { kind: kind::SETTINGS, flags: 0, stream: 0, length: None, payload: Bytes::new() }.write();
    let stream = if at % 2 == 1 { [&settings, stream].concat() } else { stream.to_vec() };
    let read = |chunks: &[&[u8]]| {
        let mut decoder = http2::Decoder::default();
        let mut items = Vec::new();
        for chunk in chunks {
            match decoder.push(chunk) {
                Ok(found) => items.extend(found),
                Err((found, error)) => {
                    items.extend(found);
                    return (items, Some(error));
                }
            }
        }
        (items, None)
    };
    let whole = read(&[&stream]);
    let (one, other) = stream.split_at(usize::from(*at).min(stream.len()));
    assert_eq!(whole, read(&[one, other]), "cut at {}", one.len());
    let data = whole.0.iter().map(|item| if let http2::Item::Data { data, .. } = item { data.len() } else { 0 });
    assert!(data.sum::<usize>() <= stream.len());
}

/// Media types, delays, challenges and the messages of gRPC are read from any text, and written as they were read.
pub fn fields(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Some(media) = http::MediaType::parse(text) {
        assert_eq!(http::MediaType::parse(&media.to_string()), Some(media));
    }
    let _ = http::retry_after(text);
    for scheme in challenge::schemes([text].into_iter()) {
        assert!(!scheme.is_empty() && text.contains(scheme), "{scheme:?}");
    }
    let trailers =
        [("grpc-status", text), ("grpc-message", text)].map(|(name, value)| (name.to_owned(), value.to_owned()));
    let status = grpc::Status::read(&[], &trailers).expect("there is one");
    assert_eq!(status.message, percent_encoding::percent_decode_str(text).decode_utf8_lossy());
    assert_eq!(status.code.map(|code| code.name()), text.parse().ok().filter(|_| is_digits(text)).map(name_of_code));
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn name_of_code(code: grpc::Code) -> &'static str {
    code.name()
}

/// What a server has said of TLS does not change by what it says later.
pub fn tls(bytes: &[u8]) {
    let Some((at, stream)) = bytes.split_first() else { return };
    let (first, _) = stream.split_at(usize::from(*at).min(stream.len()));
    if let (Some(early), true) = (tls::server_reply(first), stream.len() < 1 << 14) {
        assert_eq!(tls::server_reply(stream), Some(early), "cut at {}", first.len());
    }
}
