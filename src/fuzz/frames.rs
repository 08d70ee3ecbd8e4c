//! Messages and metadata: calls of gRPC whose prefix, media type or metadata are not as they should be (gRPC over HTTP/2, Requests),
//! over frames of HTTP/2 that are.

use bytes::Bytes;
use serde_json::json;

use super::aim::Aim;
use super::probe::{Body, Head, Probe, Send, bare};
use crate::binding::message;
use crate::generate::Choices;
use crate::profile::Operation;

/// How long a value is that servers have limits for, and how many fields are more than they take.
const LONG: usize = 20_000;
const MANY: usize = 200;

/// Media types that are none of gRPC's, or that few clients send.
const MEDIA_TYPES: [&str; 6] = [
    "application/json",
    "application/grpc-web",
    "application/grpcx",
    "application/grpc; charset=utf-8",
    "text/plain",
    "application/grpc+a2aspec",
];

/// Fields that servers have opinions about.
const FIELDS: [(&str, &str); 12] = [
    ("grpc-timeout", "a"),
    ("grpc-timeout", "-1S"),
    ("grpc-timeout", "999999999S"),
    ("grpc-timeout", "1"),
    ("grpc-timeout", "99999999H"),
    ("grpc-encoding", "gzip"),
    ("grpc-encoding", "a2aspec"),
    ("grpc-accept-encoding", ",,"),
    ("grpc-message", "%"),
    ("a2aspec-bin", "not base64!"),
    ("content-length", "7"),
    ("authorization", "Bearer"),
];

/// A call that these decisions come to. It asks for a task, so it changes nothing, whatever is read of it.
pub(super) fn make(aim: &Aim, choices: &mut Choices<'_>) -> Option<Probe> {
    let params = aim.fill(&json!({ "id": "${done.id}" }))?;
    let (suffix, message) = message(&aim.session.connection.interface, &aim.call(Operation::GetTask, params))?;
    let mut head = Head::default();
    let mut body = message.to_vec();
    let length = body.len();
    let how = choices.below(7);
    let mut is_whole = how > 2;
    match how {
        // More is said to come than comes, or less.
        0 => head.prefix = Some(prefix(0, length + 1 + choices.below(1 << 16))),
        1 => head.prefix = Some(prefix(0, choices.below(length.max(1)))),
        2 => head.prefix = Some(prefix(0, usize::MAX)),
        // A flag that says that the message is compressed, or that is none.
        3 => head.prefix = Some(prefix(*choices.pick(&[1, 2, 128, 255])?, length)),
        4 => match choices.below(3) {
            // The message twice, none, or half a prefix.
            0 => {
                body.extend(prefix(0, length).iter().copied().chain(message.iter().copied()));
                head.prefix = Some(prefix(0, length));
            }
            1 => (is_whole, head.prefix, body) = (false, Some(Bytes::new()), Vec::new()),
            _ => (is_whole, head.prefix, body) = (false, Some(prefix(0, length).slice(..3)), Vec::new()),
        },
        5 => head.content_type = Some((*choices.pick(&MEDIA_TYPES)?).to_owned()),
        _ => {
            head.headers = match choices.below(4) {
                0 => vec![("a2aspec-long".to_owned(), "x".repeat(LONG))],
                1 => (0..MANY).map(|number| (format!("a2aspec-{number}"), "x".to_owned())).collect(),
                _ => {
                    let (name, value) = *choices.pick(&FIELDS)?;
                    vec![(name.to_owned(), value.to_owned())]
                }
            }
        }
    }
    let send = Send::Raw { suffix, body: Body::Bytes(body.into()), head: Box::new(head) };
    let class = if is_whole { "odd-frame" } else { "cut-message" };
    Some(Probe { send, class: class.to_owned(), ..bare(Operation::GetTask) })
}

/// The prefix of a message, with this flag and length.
fn prefix(flag: u8, length: usize) -> Bytes {
    let length = u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes();
    [&[flag], length.as_slice()].concat().into()
}
