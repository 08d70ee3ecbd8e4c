//! gRPC below A2A: media type, status, message, frames and details of every call (the protocol's section "Responses").

use std::str::from_utf8;

use serde_json::Value;

use super::answers::{whole, whole_beside};
use super::args::{Nothing, StatusDetails};
use super::judged;
use crate::finding::{Finding, Kind, NOTHING, show};
use crate::profile::Binding;
use crate::transcript::{Answer, Content, EventContent, Response};
use crate::wire::grpc::{Code, Decoder, Details, Frame, FrameError, Status};
use crate::{Judgement, RunView};

/// The calls that came to their end, also of methods that A2A does not have; not those whose content type is deliberately not
/// gRPC's, which may be answered in any way.
fn calls<'a>(view: &RunView<'a>) -> impl Iterator<Item = (&'a Answer, &'a Response)> {
    whole(view).chain(whole_beside(view)).filter(|(answer, _)| {
        let sent = answer.exchange.request.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        answer.binding == Binding::Grpc && sent.is_none_or(|(_, value)| is_grpc(value))
    })
}

/// Whether a content type is gRPC's. Names of media types are the same in either case (RFC 9110 section 8.3.1).
fn is_grpc(content_type: &str) -> bool {
    let text = content_type.trim().to_ascii_lowercase();
    let rest = text.strip_prefix("application/grpc");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['+', ';']))
}

/// The values of a field, in the headers and then in the trailers.
fn fields<'a>(response: &'a Response, name: &'static str) -> impl Iterator<Item = &'a str> {
    let all = response.headers.iter().chain(&response.trailers);
    all.filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
}

fn here(answer: &Answer, kind: Kind) -> Finding {
    Finding::new(kind).in_exchange(answer.exchange.number)
}

/// Answers are declared as gRPC.
pub(super) fn content_type(view: RunView<'_>, _: &Nothing) -> Judgement {
    let mut findings = Vec::new();
    let mut seen = 0;
    for (answer, response) in calls(&view).filter(|(_, response)| response.status == 200) {
        seen += 1;
        let types: Vec<&str> = fields(response, "content-type").collect();
        if !matches!(types.as_slice(), [only] if is_grpc(only)) {
            let actual = if types.is_empty() { "no content-type".to_owned() } else { types.join(" and ") };
            findings.push(here(answer, Kind::GrpcUndeclared).compare("one application/grpc", actual));
        }
    }
    judged(seen, "answer over gRPC", findings)
}

/// Calls end with HTTP 200 and one status of gRPC: after the body, or in the headers of an answer that has none.
pub(super) fn status(view: RunView<'_>, _: &Nothing) -> Judgement {
    let mut findings = Vec::new();
    let mut seen = 0;
    for (answer, response) in calls(&view) {
        let statuses: Vec<&str> = fields(response, "grpc-status").collect();
        if response.status != 200 {
            // Beside the service another may answer; and a server may say in HTTP, too, that it cannot read the headers.
            let is_beside = answer.exchange.request.operation.is_none();
            let is_said_twice = response.status == 400 && !statuses.is_empty();
            if !is_beside && !is_said_twice {
                seen += 1;
                let actual = format!("HTTP {}", response.status);
                findings.push(here(answer, Kind::GrpcNotHttp200).compare("HTTP 200", actual));
            }
            continue;
        }
        seen += 1;
        let wanted = "one number from 0 to 16";
        match statuses.as_slice() {
            [only] if !is_code(only) => {
                findings.push(here(answer, Kind::GrpcStatusNoCode).compare(wanted, format!("{only:?}")));
            }
            [_] if response.header("grpc-status").is_some() && !response.body.is_empty() => {
                let finding = here(answer, Kind::GrpcStatusTooEarly);
                findings.push(finding.compare("grpc-status in the trailers", "grpc-status in the headers"));
            }
            [_] => {}
            [] => findings.push(here(answer, Kind::GrpcStatusMissing).compare(wanted, NOTHING)),
            many => {
                let finding = here(answer, Kind::GrpcStatusRepeated);
                findings.push(finding.compare(wanted, many.join(" and ")));
            }
        }
    }
    judged(seen, "call to its end", findings)
}

/// Whether a text is a code in decimal digits, without zeros before it.
fn is_code(text: &str) -> bool {
    Code::ALL.into_iter().any(|code| code.number().to_string() == text)
}

/// Messages of statuses are percent-encoded UTF-8.
pub(super) fn message(view: RunView<'_>, _: &Nothing) -> Judgement {
    let mut findings = Vec::new();
    let mut seen = 0;
    for (answer, response) in calls(&view) {
        for text in fields(response, "grpc-message") {
            seen += 1;
            if let Err(wanted) = percent_decode(text) {
                let finding = here(answer, Kind::GrpcMessageMisencoded);
                findings.push(finding.compare(wanted, show(&Value::from(text))));
            }
        }
    }
    judged(seen, "grpc-message", findings)
}

/// Undoes percent-encoding ("Percent-Encoded"), or says what is wanted instead.
fn percent_decode(text: &str) -> Result<String, &'static str> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'%' => {
                let digits = after.get(..2).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
                let digits = digits.and_then(|digits| from_utf8(digits).ok());
                let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
                bytes.push(byte.ok_or("two hexadecimal digits after each %")?);
                rest = after.get(2..).unwrap_or_default();
            }
            0x20..=0x7E => bytes.push(first),
            _ => return Err("printable ASCII"),
        }
    }
    String::from_utf8(bytes).map_err(|_| "UTF-8 behind the percent-encoding")
}

/// Bodies are whole messages behind their lengths; a unary call that succeeds has one.
pub(super) fn framing(view: RunView<'_>, _: &Nothing) -> Judgement {
    let mut findings = Vec::new();
    let mut seen = 0;
    // What is not declared as gRPC, `grpc-content-type` has found.
    let is_declared = |response: &Response| fields(response, "content-type").all(is_grpc);
    for (answer, response) in calls(&view).filter(|(_, response)| response.status == 200 && is_declared(response)) {
        seen += 1;
        let frames = match frames(response) {
            Ok(frames) => frames,
            Err(error) => {
                let finding = here(answer, Kind::GrpcBodyUnframed);
                findings.push(finding.compare("whole messages behind their lengths", error.to_string()));
                continue;
            }
        };
        let facts = answer.exchange.request.operation.and_then(|operation| view.profile.operation(operation));
        let is_unary = facts.is_some_and(|facts| !facts.stream);
        let status = Status::read(&response.headers, &response.trailers);
        let is_ok = status.is_some_and(|status| status.code == Some(Code::Ok));
        // The suite accepts no compression, and says so by accepting none ("Message-Accept-Encoding").
        if frames.iter().any(|frame| frame.is_compressed) {
            let finding = here(answer, Kind::GrpcCompressed);
            findings.push(finding.compare("messages as they are", "compressed messages"));
            continue;
        }
        if let Some(reason) = undecodable(answer) {
            let finding = here(answer, Kind::GrpcMessageOfOtherType);
            findings.push(finding.compare("bytes of that type", reason));
        }
        if is_unary && is_ok && frames.len() != 1 {
            let finding = here(answer, Kind::GrpcNotOneMessage);
            findings.push(finding.compare("one message", format!("{} messages", frames.len())));
        }
    }
    judged(seen, "answer over gRPC", findings)
}

/// Why the first message that cannot be decoded cannot be.
fn undecodable(answer: &Answer) -> Option<String> {
    answer.exchange.request.operation?;
    let in_stream = answer.events().iter().find_map(|event| match &event.content {
        EventContent::Unreadable(unreadable) => Some(unreadable),
        _ => None,
    });
    let alone = match &answer.content {
        Content::Unreadable(unreadable) => Some(unreadable),
        _ => None,
    };
    in_stream
        .or(alone)
        .filter(|unreadable| unreadable.reason.starts_with("bytes that are no"))
        .map(|one| one.reason.clone())
}

fn frames(response: &Response) -> Result<Vec<Frame>, FrameError> {
    let encoding = fields(response, "grpc-encoding").next();
    let mut decoder = Decoder::new(encoding, usize::MAX);
    let frames = decoder.push(&response.body)?;
    decoder.finish()?;
    Ok(frames)
}

/// One aspect of every status that comes in detail: whether it is `readable`, and has the `code` and the `message` of
/// the call.
pub(super) fn status_details(view: RunView<'_>, args: &StatusDetails) -> Judgement {
    type Ask = fn(&Status, &Details) -> Option<(String, String)>;
    let (ask, kind): (Ask, Kind) = match args {
        StatusDetails::Readable => (|_, details| untyped(details), Kind::GrpcDetailUntyped),
        StatusDetails::Code => (other_code, Kind::GrpcDetailsCodeDiffers),
        StatusDetails::Message => (other_message, Kind::GrpcDetailsMessageDiffers),
    };
    let is_about_reading = *args == StatusDetails::Readable;
    let mut findings = Vec::new();
    let mut seen = 0;
    for (answer, response) in calls(&view) {
        // Of a call without a status, there is nothing to compare with.
        let status = Status::read(&response.headers, &response.trailers);
        let values = fields(response, "grpc-status-details-bin").flat_map(|value| value.split(','));
        for value in values {
            match (Details::read(value.trim()), &status) {
                (Err(error), _) if is_about_reading => {
                    seen += 1;
                    let finding = here(answer, Kind::GrpcDetailsUnreadable);
                    findings.push(finding.compare("base64 of a google.rpc.Status", error.to_string()));
                }
                (Ok(details), Some(status)) => {
                    seen += 1;
                    if let Some((expected, actual)) = ask(status, &details) {
                        let finding = here(answer, kind.clone());
                        findings.push(finding.compare(expected, actual));
                    }
                }
                _ => {}
            }
        }
    }
    judged(seen, "status with details", findings)
}

/// The first detail whose type is no URL that ends in a name.
fn untyped(details: &Details) -> Option<(String, String)> {
    let kinds = details.value.get("details").and_then(Value::as_array)?.iter();
    let kinds = kinds.map(|detail| detail.get("@type").and_then(Value::as_str).unwrap_or_default());
    let mut untyped = kinds.filter(|kind| kind.rsplit_once('/').is_none_or(|(_, name)| name.is_empty()));
    untyped.next().map(|kind| ("a type_url with / and a name".to_owned(), format!("the type_url {kind:?}")))
}

fn other_code(status: &Status, details: &Details) -> Option<(String, String)> {
    let wanted = status.code?;
    let code = details.value.get("code").and_then(Value::as_i64)?;
    let is_same = Code::from_number(code) == Some(wanted);
    (!is_same).then(|| (format!("the code {} of the call", wanted.number()), format!("the code {code}")))
}

/// Spaces at the ends are lost with the white space around a field's value (RFC 9110 section 5.5).
fn other_message(status: &Status, details: &Details) -> Option<(String, String)> {
    let message = details.value.get("message").and_then(Value::as_str)?;
    let is_same = message.trim_matches(' ') == status.message.trim_matches(' ');
    (!is_same).then(|| (format!("the message {:?} of the call", status.message), format!("the message {message:?}")))
}
