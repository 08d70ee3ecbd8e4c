//! Requests whose bytes are others than a client would write.

use percent_encoding::{AsciiSet, CONTROLS, percent_encode};
use serde_json::Value;

use super::aim::Aim;
use super::probe::{Body, Head, Probe, Send, bare};
use crate::binding::{message, preview};
use crate::generate::{Choices, free};
use crate::profile::{Binding, Operation};

/// What stands as it is in a target that is no right one: what it refers to, and whatever a server may be sent (RFC 9112, section
/// 3.2). A fragment would not be sent.
const IN_TARGETS: &AsciiSet = &CONTROLS.add(b' ').add(b'#');

/// What stands as it is in the value of a member of a query (RFC 3986, section 3.4), but for what separates members.
const IN_QUERIES: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'&')
    .add(b'+')
    .add(b'%')
    .add(b'[')
    .add(b']')
    .add(b'{')
    .add(b'}')
    .add(b'|')
    .add(b'\\')
    .add(b'^')
    .add(b'`');
/// The most members that a query has beside its own, and how long one is: servers have limits for addresses.
const MOST_MEMBERS: usize = 40;
const LONGEST_MEMBER: usize = 600;

/// A right request as it is written over an interface that has texts. Both texts have references.
#[derive(Clone)]
pub(super) struct WrittenRequest {
    pub verb: String,
    /// What is appended to the URL.
    pub suffix: String,
    /// Its body; empty where its method has none.
    pub body: String,
}

/// A right request, as it is written over an interface that has texts.
pub(super) fn written(aim: &Aim, operation: Operation, params: Value) -> Option<WrittenRequest> {
    let interface = &aim.session.connection.interface;
    if interface.binding == Binding::Grpc {
        return None;
    }
    let outgoing = preview(interface, &aim.call(operation, params), 1)?;
    let suffix = interface.suffix_of(outgoing.url.strip_prefix(interface.base())?)?;
    // What refers to something is filled in where it is sent.
    let suffix = suffix.replace("%24%7B", "${").replace("%7D", "}");
    let body = String::from_utf8(outgoing.body.to_vec()).ok()?;
    Some(WrittenRequest { verb: outgoing.method, suffix, body })
}

impl WrittenRequest {
    /// The same with another body.
    pub fn with_body(self, operation: Operation, class: &str, body: Body) -> Probe {
        let head = Head { verb: Some(self.verb), ..Head::default() };
        raw(operation, class, self.suffix, (body, head))
    }
}

pub(super) fn raw(operation: Operation, class: &str, suffix: String, (body, head): (Body, Head)) -> Probe {
    Probe { send: Send::Raw { suffix, body, head: Box::new(head) }, class: class.to_owned(), ..bare(operation) }
}

/// A body that breaks off somewhere behind its first byte.
pub(super) fn cut(aim: &Aim, operation: Operation, is_rich: bool, choices: &mut Choices<'_>) -> Option<Probe> {
    let request = aim.base(operation, is_rich)?.text(aim, operation)?.clone();
    let class = match aim.session.connection.interface.binding {
        Binding::Jsonrpc => "cut-text",
        _ => "cut-body",
    };
    let places = places_to_cut(&request.body);
    if places == 0 {
        return None;
    }
    let mut end = 1 + choices.below(places);
    while !request.body.is_char_boundary(end) {
        end -= 1;
    }
    let body = Body::Text(request.body.get(..end)?.to_owned());
    Some(request.with_body(operation, class, body))
}

/// At how many places a body can break off behind its first byte.
pub(super) fn places_to_cut(body: &str) -> usize {
    body.len().saturating_sub(1)
}

/// A body of which some bytes are others; a target where there is no body.
pub(super) fn changed_text(aim: &Aim, operation: Operation, is_rich: bool, choices: &mut Choices<'_>) -> Option<Probe> {
    let interface = &aim.session.connection.interface;
    if interface.binding == Binding::Grpc {
        let params = aim.fill(&aim.base(operation, is_rich)?.params)?;
        let (suffix, message) = message(interface, &aim.call(operation, params))?;
        let body = Body::Bytes(mutated(&message, choices).into());
        return Some(raw(operation, "changed-bytes", suffix, (body, Head::default())));
    }
    let request = aim.base(operation, is_rich)?.text(aim, operation)?.clone();
    if request.body.is_empty() {
        return changed_target(request, operation, choices);
    }
    let bytes = mutated(request.body.as_bytes(), choices);
    let body = match String::from_utf8(bytes) {
        Ok(text) => Body::Text(text),
        // What is no text has no references: they are sent as they stand.
        Err(error) => Body::Bytes(error.into_bytes().into()),
    };
    Some(request.with_body(operation, "changed-text", body))
}

/// A target of which some bytes behind the first slash are others: whatever it names then, it is there on the same host.
fn changed_target(request: WrittenRequest, operation: Operation, choices: &mut Choices<'_>) -> Option<Probe> {
    let target = mutated(request.suffix.strip_prefix('/')?.as_bytes(), choices);
    let suffix = format!("/{}", percent_encode(&target, IN_TARGETS));
    let empty = Body::Text(String::new());
    Some(WrittenRequest { suffix, ..request }.with_body(operation, "changed-target", empty))
}

/// A right request whose query says more: members that no operation has, or one of its own once more as it is. It may be served, or refused.
pub(super) fn queried(aim: &Aim, operation: Operation, is_rich: bool, choices: &mut Choices<'_>) -> Option<Probe> {
    let request = aim.base(operation, is_rich)?.text(aim, operation)?.clone();
    let own: Vec<String> =
        request.suffix.split_once('?').into_iter().flat_map(|(_, query)| query.split('&')).map(str::to_owned).collect();
    let mut suffix = request.suffix.clone();
    let count = if choices.below(4) == 3 { 1 + choices.below(MOST_MEMBERS) } else { 1 + choices.below(2) };
    for number in 0..count {
        let again = choices.pick(&own).filter(|_| choices.below(2) == 1).cloned();
        let pair = again.unwrap_or_else(|| {
            let value = free::text(choices, LONGEST_MEMBER).replace("${", "$.");
            let mut pair = format!("a2aspec{number}=");
            pair.extend(percent_encode(value.as_bytes(), IN_QUERIES));
            pair
        });
        suffix.push(if suffix.contains('?') { '&' } else { '?' });
        suffix.push_str(&pair);
    }
    let body = Body::Text(request.body.clone());
    let probe = WrittenRequest { suffix, ..request }.with_body(operation, "open", body);
    Some(Probe { place: "query".to_owned(), ..probe })
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
