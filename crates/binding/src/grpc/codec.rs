//! Canonical calls as messages, and messages and statuses as answers (A2A 1.0 section 10, A2A 0.3 section 3.2.2).

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use prost_reflect::{DynamicMessage, MessageDescriptor, MethodDescriptor};
use serde_json::{Value, json};

use super::json::to_json;
use super::{Outgoing, RawMessage};
use crate::interface::Interface;
use crate::profile::{Operation, Reading};
use crate::transcript::{
    Answer, Content, Ended, ErrorObject, EventContent, Exchange, Payload, Response, StreamEvent, Unreadable,
};
use crate::wire::grpc::{Code, Decoder, Status};
use crate::wire::json::Document;
use crate::{CallRequest, LONGEST_BODY, RawRequest, merge_headers};

/// The request for a call.
///
/// # Errors
/// What the messages of the version have no place for.
pub fn request(interface: &Interface, call: &CallRequest) -> Result<Outgoing, String> {
    let rpc = rpc(interface, call.operation).ok_or_else(|| format!("there is no rpc for {}", call.operation))?;
    let facts = interface.profile.operation(call.operation);
    let wire = match facts.and_then(|facts| facts.params.as_deref()) {
        Some(kind) => interface.dialect.to_wire(kind, &call.params),
        None => json!({}),
    };
    let message = interface.profile.write_message(call.operation, &wire)?;
    let descriptors = interface.profile.descriptors.as_ref();
    Ok(Outgoing {
        path: descriptors.map(|all| all.path(rpc.name())).unwrap_or_default(),
        metadata: metadata(interface, &call.headers),
        message: Bytes::from(message),
        prefix: None,
        streams: rpc.is_server_streaming(),
        content_type: None,
        text: Bytes::from(wire.to_string()),
        operation: Some(call.operation),
        params: Arc::clone(&call.params),
        purpose: call.purpose.clone(),
    })
}

/// What a recorded call at a path is: its operation, and its message in JSON form, or nothing where its bytes are no message of the
/// operation. `encoding` is how messages may be compressed.
pub fn read_request(
    interface: &Interface,
    path: &str,
    encoding: Option<&str>,
    body: &[u8],
) -> Option<(Operation, Option<Value>)> {
    let descriptors = interface.profile.descriptors.as_ref()?;
    let mut operations = interface.profile.facts.operations.keys();
    let (operation, rpc) = operations.find_map(|operation| {
        let rpc = rpc(interface, *operation)?;
        (descriptors.path(rpc.name()) == path).then_some((*operation, rpc))
    })?;
    let frames = Decoder::new(encoding, LONGEST_BODY).push(body).unwrap_or_default();
    let message = match <[_; 1]>::try_from(frames) {
        Ok([only]) => decode(interface, rpc.input(), only.message).ok(),
        Err(_) => None,
    };
    Some((operation, message.map(|document| document.value().clone())))
}

/// The request for exact bytes.
pub fn raw(interface: &Interface, raw: RawRequest) -> Outgoing {
    let descriptors = interface.profile.descriptors.as_ref();
    Outgoing {
        path: descriptors.map(|all| all.path(raw.suffix.trim_start_matches('/'))).unwrap_or_default(),
        metadata: metadata(interface, &raw.headers),
        message: raw.body.clone(),
        prefix: raw.prefix,
        streams: false,
        content_type: raw.content_type,
        text: raw.body,
        operation: raw.operation,
        params: Arc::default(),
        purpose: raw.purpose,
    }
}

/// The profile's headers and a step's own are metadata here, in lower case (1.0 section 10.2).
fn metadata(interface: &Interface, own: &[(String, Option<String>)]) -> Vec<(String, String)> {
    let merged = merge_headers(&interface.headers(), own);
    merged.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value)).collect()
}

fn rpc(interface: &Interface, operation: Operation) -> Option<MethodDescriptor> {
    interface.profile.descriptors.as_ref()?.rpc(operation, interface.profile.operation(operation)?)
}

/// What one message says.
pub fn read_message(interface: &Interface, operation: Option<Operation>, message: &RawMessage) -> StreamEvent {
    let output = operation.and_then(|operation| rpc(interface, operation)).map(|rpc| rpc.output());
    let content = match output
        .ok_or_else(|| Unreadable::new("a message of a type that is not known", None))
        .and_then(|output| decode(interface, output, message.bytes.clone()))
    {
        Ok(document) => {
            let reading = interface.read_result(operation, document.value());
            EventContent::Result(Payload { document, base: String::new(), reading })
        }
        Err(unreadable) => EventContent::Unreadable(unreadable),
    };
    let data = match &content {
        EventContent::Result(payload) => payload.document.text().to_owned(),
        _ => String::new(),
    };
    StreamEvent { after: message.after, data, content, mended: None }
}

/// How deep messages may be nested for the library that decodes them (prost, `RECURSION_LIMIT`), and what it says beyond.
const TOO_DEEP: (usize, &str) = (100, "recursion limit reached");

fn decode(interface: &Interface, output: MessageDescriptor, bytes: Bytes) -> Result<Document, Unreadable> {
    let name = output.name().to_owned();
    let message = DynamicMessage::decode(output, bytes).map_err(|error| {
        let (most, said) = TOO_DEEP;
        match error.to_string().contains(said) {
            true => Unreadable {
                is_too_much: true,
                ..Unreadable::new(format!("messages nested deeper than the {most} levels that the suite decodes"), None)
            },
            false => Unreadable::new(format!("bytes that are no {name}: {error}"), None),
        }
    })?;
    let value = to_json(interface.profile.descriptors.as_ref(), &message)
        .map_err(|error| Unreadable::new(format!("bytes that are no {name} with a JSON form: {error}"), None))?;
    Ok(Document::of_value(&value))
}

/// What a call came to whose frames of HTTP/2 were the caller's own: its messages are taken out of its body.
pub fn read_whole(interface: &Interface, exchange: Exchange) -> Answer {
    let response = exchange.response.as_ref();
    let encoding = response.and_then(|response| response.header("grpc-encoding"));
    let frames = match Decoder::new(encoding, LONGEST_BODY).push(response.map_or(&[][..], |response| &response.body)) {
        Ok(frames) => frames,
        Err(error) => error.frames,
    };
    let messages = frames.into_iter().map(|frame| RawMessage { after: exchange.elapsed, bytes: frame.message });
    let operation = exchange.request.operation;
    let events = messages.map(|message| read_message(interface, operation, &message)).collect();
    read(interface, exchange, events)
}

/// What a call came to; `events` are its messages.
pub fn read(interface: &Interface, mut exchange: Exchange, mut events: Vec<StreamEvent>) -> Answer {
    let operation = exchange.request.operation;
    let streams =
        operation.and_then(|operation| rpc(interface, operation)).is_some_and(|rpc| rpc.is_server_streaming());
    let error = error(interface, &exchange);
    let content = match (&exchange.response, &exchange.ended) {
        (None, Ended::Reset(_)) => error.map_or(Content::Lost, Content::Error),
        (None, _) => Content::Lost,
        (Some(response), Ended::Complete) if error.is_none() && status(response).is_none() => {
            let reason = format!("HTTP {} without a gRPC status", response.status);
            Content::Unreadable(Unreadable::new(reason, None))
        }
        _ if streams => match error {
            Some(error) if events.is_empty() => Content::Error(error),
            Some(error) => {
                let data = error.document.text().to_owned();
                let content = EventContent::Error(error);
                events.push(StreamEvent { after: exchange.elapsed, data, content, mended: None });
                Content::Stream(events.clone())
            }
            None => Content::Stream(events.clone()),
        },
        (Some(_), Ended::Complete | Ended::Reset(_)) => match (error, events.as_slice()) {
            (Some(error), _) => Content::Error(error),
            (None, [only]) => match &only.content {
                EventContent::Result(payload) => Content::Result(payload.clone()),
                EventContent::Error(error) => Content::Error(error.clone()),
                // Exact bytes to a service of which the suite knows nothing bring what they bring.
                EventContent::Unreadable(_) if operation.is_none() => Content::Result(nothing()),
                EventContent::Unreadable(unreadable) => Content::Unreadable(unreadable.clone()),
            },
            (None, messages) => Content::Unreadable(Unreadable::new(
                format!("{} messages where there is to be one", messages.len()),
                None,
            )),
        },
        _ => Content::Lost,
    };
    show(&mut exchange, &content, &events);
    Answer { binding: interface.binding, exchange: Arc::new(exchange), content }
}

/// What a call came to that was read before and brought results: `events` are the times of its messages, if it streamed.
/// The record has the messages in JSON form, which is what they are read from.
pub fn read_again(interface: &Interface, exchange: Arc<Exchange>, events: Option<&[Duration]>) -> Answer {
    let text = exchange.response.as_ref().and_then(|response| response.text.as_deref()).unwrap_or_default();
    let operation = exchange.request.operation;
    let payload = |line: &str| {
        let document = Document::of_text(line);
        match operation {
            Some(_) => {
                let reading = interface.read_result(operation, document.value());
                Payload { document, base: String::new(), reading }
            }
            None => nothing(),
        }
    };
    let content = match events {
        None => Content::Result(payload(text)),
        Some(times) => Content::Stream(
            text.split('\n')
                .zip(times)
                .map(|(line, after)| {
                    let content = EventContent::Result(payload(line));
                    StreamEvent { after: *after, data: line.to_owned(), content, mended: None }
                })
                .collect(),
        ),
    };
    Answer { binding: interface.binding, exchange, content }
}

fn nothing() -> Payload {
    Payload { document: Document::null(), base: String::new(), reading: Arc::new(Reading::plain(Value::Null)) }
}

/// Puts the JSON form of what came beside its bytes, for people.
fn show(exchange: &mut Exchange, content: &Content, events: &[StreamEvent]) {
    let Some(response) = &mut exchange.response else { return };
    let lines: Vec<&str> = match content {
        Content::Error(error) => vec![error.document.text()],
        _ => events.iter().map(|event| event.data.as_str()).collect(),
    };
    response.text = Some(lines.join("\n"));
}

fn status(response: &Response) -> Option<Status> {
    Status::read(&response.headers, &response.trailers)
}

/// The error that a call came to (1.0 sections 5.4 and 10.6): a status that is not OK, a stream that the agent reset, or
/// an HTTP status without one of gRPC.
fn error(interface: &Interface, exchange: &Exchange) -> Option<ErrorObject> {
    let response = exchange.response.as_ref();
    if let Some(status) = response.and_then(status) {
        let code = status.code.filter(|code| *code != Code::Ok)?;
        let details = match &status.details {
            Some(Ok(details)) => details.value.get("details").cloned().unwrap_or_else(|| json!([])),
            _ => json!([]),
        };
        return Some(error_object(interface, code, &status.message, details));
    }
    match (&exchange.ended, response.map(|response| response.status)) {
        (Ended::Reset(code), _) => {
            let message = format!("(the agent reset the stream: HTTP/2 error {code})");
            Some(error_object(interface, Code::of_reset(*code), &message, json!([])))
        }
        (Ended::Complete, Some(status)) if status != 200 => {
            let message = format!("(the agent answered with HTTP {status} and no gRPC status)");
            Some(error_object(interface, Code::of_http(status), &message, json!([])))
        }
        _ => None,
    }
}

/// An error in the form of `google.rpc.Status`, with the name of its code.
fn error_object(interface: &Interface, code: Code, message: &str, details: Value) -> ErrorObject {
    let name = code.to_string();
    let value = json!({ "code": code.number(), "status": name, "message": message, "details": details });
    let mut error = ErrorObject {
        document: Document::of_value(&value),
        base: String::new(),
        names: Vec::new(),
        code: Some(i64::from(code.number())),
        label: name.clone(),
        // Neither an agent that fails, nor what stands before it, refuses the request for what it is.
        refuses: !matches!(
            code,
            Code::Cancelled
                | Code::Unknown
                | Code::DeadlineExceeded
                | Code::Internal
                | Code::Unavailable
                | Code::DataLoss
                | Code::ResourceExhausted
                | Code::Unauthenticated
                | Code::PermissionDenied
        ),
        value,
    };
    let naming = interface.profile.naming(interface.binding);
    error.names = interface.profile.names_of(interface.binding, error.called(naming), |facts| facts.has_grpc(&name));
    error
}
