//! Right requests with fields in their heads that few clients send. What they say is lawful, and none of it changes what is asked for.

use super::aim::Aim;
use super::probe::{Probe, Send, bare, media_type};
use crate::generate::Choices;
use crate::profile::{Binding, Operation};

/// The most fields, and how long one is: servers have limits for the whole head, and most allow 8,000 bytes and more (RFC 9110, section 5.4).
const MOST: usize = 48;
const LONGEST: usize = 1_500;
/// The most bytes of all of them.
const ROOM: usize = 6_000;
/// Extensions of nobody's, for which a client may ask all the same (1.0, section 4.6.2).
const EXTENSION: &str = "https://a2aspec.invalid/extensions/";
const MOST_EXTENSIONS: usize = 40;
/// What is said of the media types that are taken; whatever the agent has is among them.
const ACCEPTS: [&str; 6] = [
    "*/*",
    "application/*, text/*;q=0.9, */*;q=0.1",
    "text/html;level=1, application/x-a2aspec;q=0.2, */*;q=0.001",
    "application/json;charset=utf-8;q=0.5,*/*",
    "*/*;q=1.000",
    "application/json, application/a2a+json, text/event-stream, application/problem+json, */*;q=0.8",
];
/// Fields of standards with values that are not for the agent, or that it may leave aside.
const FIELDS: [(&str, &str); 16] = [
    ("accept-charset", "utf-8, iso-8859-1;q=0.5"),
    ("accept-encoding", "identity"),
    ("accept-encoding", "x-a2aspec, identity;q=1"),
    ("accept-language", "de-CH-1996, *;q=0.1"),
    ("baggage", "a2aspec=1;p=2"),
    ("cache-control", "no-cache, max-age=0"),
    ("cookie", "a2aspec=1; a2aspec=2"),
    ("forwarded", "for=192.0.2.60;proto=http;by=203.0.113.43"),
    ("from", "nobody@a2aspec.invalid"),
    ("pragma", "no-cache"),
    ("prefer", "respond-async, wait=1"),
    ("priority", "u=7, i"),
    ("referer", "https://a2aspec.invalid/"),
    ("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
    ("user-agent", "a2aspec (a comment (in another)) x/1"),
    ("via", "1.1 a2aspec"),
];

/// A right request with some such fields.
pub(super) fn headed(aim: &Aim, operation: Operation, is_rich: bool, choices: &mut Choices<'_>) -> Option<Probe> {
    let base = aim.base(operation, is_rich)?;
    let headers = fields(aim, operation, choices);
    let place = place_of(headers.last()?);
    Some(Probe { send: Send::Call { params: base.params.clone() }, headers, place, ..bare(operation) })
}

/// Where a request with such a field differs from others.
pub(super) fn place_of((name, _): &(String, String)) -> String {
    let name = name.to_ascii_lowercase();
    // A name of nobody's is not where it fails.
    format!("header {}", if name.starts_with(OWN) { OWN } else { &name })
}

/// Some such fields for a request of an operation.
pub(super) fn fields(aim: &Aim, operation: Operation, choices: &mut Choices<'_>) -> Vec<(String, String)> {
    let is_grpc = aim.session.connection.interface.binding == Binding::Grpc;
    let mut headers: Vec<(String, String)> = Vec::new();
    let count = if choices.below(4) == 3 { 1 + choices.below(MOST) } else { 1 + choices.below(2) };
    let mut left = ROOM;
    for _ in 0..count {
        // Over gRPC the fields of HTTP are the library's.
        let field = match choices.below(if is_grpc { 2 } else { 6 }) {
            0 => extensions(aim, choices),
            1 => Some((own_name(choices), own_value(choices))),
            2 => choices.pick(&ACCEPTS).map(|value| ("accept".to_owned(), (*value).to_owned())),
            3 => choices.pick(&FIELDS).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
            _ => written(aim, operation, choices),
        };
        let Some((name, value)) = field else { continue };
        let is_there = headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(&name));
        let length = name.len() + value.len();
        if !is_there && length <= left {
            left -= length;
            headers.push((name, value));
        }
    }
    headers
}

/// A field of a standard with a value of no list, in the form that the standard has for it: what it says beside is left aside by who does not
/// know it.
fn written(aim: &Aim, operation: Operation, choices: &mut Choices<'_>) -> Option<(String, String)> {
    let (name, value) = match choices.below(4) {
        0 => ("user-agent", format!("a2aspec/{} ({})", visible(choices, is_token), visible(choices, is_comment))),
        1 => ("accept", format!("*/*, application/x-a2aspec;a=\"{}\"", visible(choices, is_quoted))),
        2 => ("accept-encoding", format!("identity, x-a2aspec-{}", visible(choices, is_token))),
        _ => {
            // A parameter that JSON does not have changes nothing (RFC 8259, section 11).
            let has_body = aim.base(operation, false)?.text(aim, operation).is_some_and(|text| !text.body.is_empty());
            let media = media_type(aim).filter(|_| has_body)?;
            ("content-type", format!("{media}; a=\"{}\"", visible(choices, is_quoted)))
        }
    };
    Some((name.to_owned(), value))
}

/// RFC 9110, section 5.6.2.
fn is_token(one: char) -> bool {
    one.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(one)
}

/// RFC 9110, section 5.6.5, without brackets and escapes.
fn is_comment(one: char) -> bool {
    !"()\\".contains(one)
}

/// RFC 9110, section 5.6.4, without quotes and escapes.
fn is_quoted(one: char) -> bool {
    !"\"\\".contains(one)
}

/// RFC 3986, section 2.3, and some of section 2.2; a list of extensions has commas between them.
fn is_of_an_address(one: char) -> bool {
    one.is_ascii_alphanumeric() || "-._~?=&+!*@:;/$".contains(one)
}

/// Visible characters, one or more.
fn visible(choices: &mut Choices<'_>, may_be: fn(char) -> bool) -> String {
    let bits = choices.below(11);
    let length = (1 << bits) + choices.below(1 << bits);
    let all: Vec<char> = ('!'..='~').filter(|one| may_be(*one)).collect();
    let mut random = fastrand::Rng::with_seed(choices.bits());
    let text: String = (0..length.min(LONGEST)).filter_map(|_| all.get(random.usize(..all.len()))).collect();
    // What begins like a reference is none.
    text.replace("${", "$.")
}

/// What the names of fields of nobody's begin with.
const OWN: &str = "x-a2aspec";

fn own_name(choices: &mut Choices<'_>) -> String {
    let length = choices.below(40);
    let letters = (0..length).filter_map(|_| choices.pick(b"abcdefghijklmnopqrstuvwxyz0123456789-"));
    format!("{OWN}-{}", letters.map(|letter| char::from(*letter)).collect::<String>())
}

/// Any visible characters (RFC 9110, section 5.5).
fn own_value(choices: &mut Choices<'_>) -> String {
    visible(choices, |_| true)
}

/// The field that asks for extensions, with many that the agent does not know.
fn extensions(aim: &Aim, choices: &mut Choices<'_>) -> Option<(String, String)> {
    let interface = &aim.session.connection.interface;
    let many = |choices: &mut Choices<'_>| {
        (0..=choices.below(MOST_EXTENSIONS)).map(|number| format!("{EXTENSION}{number}")).collect()
    };
    let asked: Vec<String> = match choices.below(3) {
        2 => vec![format!("{EXTENSION}{}", visible(choices, is_of_an_address))],
        _ => many(choices),
    };
    let (name, uris) = interface.extension_headers(&asked, true).into_iter().next()?;
    Some((name, uris?))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;
    use crate::generate::seeded;

    #[test]
    fn every_field_can_be_in_a_head() {
        let fixed = FIELDS.into_iter().chain(ACCEPTS.map(|value| ("accept", value)));
        let own = (0..200).map(|number| {
            let bytes = seeded(7, number, 200);
            let mut choices = Choices::new(&bytes);
            (own_name(&mut choices), own_value(&mut choices))
        });
        let fixed = fixed.map(|(name, value)| (name.to_owned(), value.to_owned()));
        for (name, value) in fixed.chain(own) {
            HeaderName::from_bytes(name.as_bytes()).unwrap();
            HeaderValue::from_str(&value).unwrap();
            assert!(value.len() <= LONGEST && value.trim() == value && !value.is_empty(), "{name}: {value}");
        }
    }
}
