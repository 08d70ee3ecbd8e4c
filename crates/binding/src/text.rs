//! What the bindings with JSON bodies have in common: headers, bodies, events.

use std::sync::Arc;

use crate::interface::Interface;
use crate::transcript::{Content, Ended, EventContent, Exchange, Response, StreamEvent, Unreadable};
use crate::wire::json::{self, Document};
use crate::{RawEvent, merge_headers};

/// The headers of a call: the profile's, the step's own over them, and what the binding needs. A request without a body
/// has no `media_type`.
pub(crate) fn headers(
    interface: &Interface,
    own: &[(String, Option<String>)],
    media_type: Option<&str>,
    streams: bool,
) -> Vec<(String, String)> {
    let facts = interface.binding_facts();
    let media_types = media_types(interface);
    let mut headers = merge_headers(&interface.headers(), own);
    let mut add = |name: &str, value: String| {
        // What the case says of a header is all of it; nothing, where it leaves the header out.
        if !own.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
            headers.push((name.to_owned(), value));
        }
    };
    if let Some(media_type) = media_type {
        add("content-type", media_type.to_owned());
    }
    let stream = facts.and_then(|facts| facts.stream_media_type.clone()).filter(|_| streams);
    let of_errors = facts.map_or(&[][..], |facts| facts.error_media_types.as_slice());
    let of_errors = of_errors.iter().filter(|kind| !media_types.contains(kind));
    add("accept", stream.iter().chain(media_types).chain(of_errors).cloned().collect::<Vec<_>>().join(", "));
    headers
}

/// The media types in which an interface may speak, the likeliest first.
pub(crate) fn media_types(interface: &Interface) -> &[String] {
    interface.binding_facts().map_or(&[], |facts| facts.media_types.as_slice())
}

/// What an exchange says: its events, or what `read_body` makes of a whole response.
pub(crate) fn read(
    exchange: &Arc<Exchange>,
    events: Option<Vec<StreamEvent>>,
    read_body: impl FnOnce(&Response) -> Content,
) -> Content {
    match (&exchange.response, events) {
        (None, _) => Content::Lost,
        (Some(_), Some(events)) => Content::Stream(events),
        (Some(_), None) if exchange.ended != Ended::Complete => Content::Lost,
        (Some(response), None) => read_body(response),
    }
}

/// A body as JSON.
pub(crate) fn parse(response: &Response) -> Result<Document, Unreadable> {
    json::parse(&response.body, &json::Limits::default()).map_err(|error| {
        let is_html = response.body.trim_ascii_start().first() == Some(&b'<');
        let reason = if is_html {
            format!("HTTP {} with a page of markup instead of JSON", response.status)
        } else {
            format!("HTTP {} with a body that is not JSON: {}", response.status, error.kind)
        };
        Unreadable { is_too_much: error.kind.is_limit(), ..Unreadable::new(reason, Some(error.offset)) }
    })
}

/// The separator of records of RFC 7464, which is no part of JSON.
const SEPARATOR: char = '\u{1e}';

/// What an event says: what `read_document` makes of its data, and what is wrong with the form of what it read.
pub(crate) fn read_event(
    event: &RawEvent,
    read_document: impl FnOnce(&Document) -> (EventContent, Option<&'static str>),
) -> StreamEvent {
    let data = event.event.data.clone();
    let parse = |text: &str| json::parse(text.as_bytes(), &json::Limits::default());
    let (content, mended) = match parse(&data) {
        Ok(document) => read_document(&document),
        Err(error) => {
            // A space is as long, so that places stay what they are.
            let spaced = data.starts_with(SEPARATOR).then(|| data.replace(SEPARATOR, " "));
            match spaced.and_then(|text| parse(&text).ok()) {
                Some(document) => (read_document(&document).0, Some("its data begins with U+001E")),
                None => {
                    let reason = format!("an event whose data is not JSON: {}", error.kind);
                    let is_too_much = error.kind.is_limit();
                    let unreadable = Unreadable { is_too_much, ..Unreadable::new(reason, Some(error.offset)) };
                    (EventContent::Unreadable(unreadable), None)
                }
            }
        }
    };
    let mended = event.begins_several.then_some("its data holds several JSON texts").or(mended);
    StreamEvent { after: event.after, data, content, mended }
}

/// A reason without a place.
pub(crate) fn unreadable(reason: impl Into<String>) -> Unreadable {
    Unreadable::new(reason, None)
}
