//! Requests whose bytes are others than a client would write.

use serde_json::Value;

use super::aim::Aim;
use super::probe::{Body, Probe, Send, bare};
use crate::binding::{message, preview};
use crate::generate::Choices;
use crate::profile::{Binding, Operation};

/// The body of a right request, as it is written over an interface that has texts, with what is appended to the URL.
pub(super) fn written(aim: &Aim, operation: Operation, params: Value) -> Option<(String, String)> {
    let interface = &aim.session.connection.interface;
    if interface.binding == Binding::Grpc {
        return None;
    }
    if interface.binding == Binding::HttpJson && !operation.sends_a_message() {
        return None;
    }
    let outgoing = preview(interface, &aim.call(operation, params), 1)?;
    let suffix = interface.suffix_of(outgoing.url.strip_prefix(interface.base())?)?.to_owned();
    let text = String::from_utf8(outgoing.body.to_vec()).ok()?;
    Some((suffix, text))
}

pub(super) fn raw(operation: Operation, class: &str, suffix: String, body: Body) -> Probe {
    let head = Box::default();
    Probe { send: Send::Raw { suffix, body, head }, class: class.to_owned(), ..bare(operation) }
}

/// A body that breaks off somewhere behind its first byte.
pub(super) fn cut(aim: &Aim, operation: Operation, is_rich: bool, choices: &mut Choices<'_>) -> Option<Probe> {
    let (suffix, text) = written(aim, operation, aim.base(operation, is_rich)?.params.clone())?;
    let class = match aim.session.connection.interface.binding {
        Binding::Jsonrpc => "cut-text",
        _ => "cut-body",
    };
    let mut end = 1 + choices.below(text.len() - 1);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    Some(raw(operation, class, suffix, Body::Text(text.get(..end)?.to_owned())))
}

/// A body of which some bytes are others.
pub(super) fn changed_text(aim: &Aim, operation: Operation, is_rich: bool, choices: &mut Choices<'_>) -> Option<Probe> {
    let interface = &aim.session.connection.interface;
    if interface.binding == Binding::Grpc {
        let params = aim.fill(&aim.base(operation, is_rich)?.params)?;
        let (suffix, message) = message(interface, &aim.call(operation, params))?;
        let body = Body::Bytes(mutated(&message, choices).into());
        return Some(raw(operation, "changed-bytes", suffix, body));
    }
    let (suffix, text) = written(aim, operation, aim.base(operation, is_rich)?.params.clone())?;
    let bytes = mutated(text.as_bytes(), choices);
    let body = match String::from_utf8(bytes) {
        Ok(text) => Body::Text(text),
        // What is no text has no references: they are sent as they stand.
        Err(error) => Body::Bytes(error.into_bytes().into()),
    };
    Some(raw(operation, "changed-text", suffix, body))
}

/// Bytes that parsers have trouble with.
const TOKENS: [&[u8]; 24] = [
    b"\"",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"null",
    b"true",
    b"-",
    b"0",
    b"1e999",
    b"\0",
    b"\r\n",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\xc0\x80",
    b" ",
    b"//",
    b"99999999999999999999",
    b"NaN",
];

/// Some bytes taken away, put in, doubled or changed.
fn mutated(bytes: &[u8], choices: &mut Choices<'_>) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=choices.below(3) {
        let at = choices.below(bytes.len() + 1);
        let length = 1 + choices.below(8);
        let end = (at + length).min(bytes.len());
        match choices.below(4) {
            0 => {
                let token = choices.pick(&TOKENS).copied().unwrap_or_default();
                bytes.splice(at..at, token.iter().copied());
            }
            1 => {
                bytes.drain(at..end);
            }
            2 => {
                let doubled = bytes.get(at..end).unwrap_or_default().to_vec();
                bytes.splice(at..at, doubled);
            }
            _ => {
                let bit = choices.below(8);
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << bit;
                }
            }
        }
    }
    bytes
}
