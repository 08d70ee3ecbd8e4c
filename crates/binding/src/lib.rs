//! Operations as they are written for the wire, and answers as they are read from it: the three bindings of A2A, without I/O.
//!
//! Enters: an [`Interface`] and a [`CallRequest`] of canonical parameters, or an [`Exchange`] that was recorded. Leaves: an
//! [`Outgoing`] request (one of gRPC is [`grpc::Outgoing`]), or an [`Answer`]. JSON-RPC and HTTP+JSON are each a [`Codec`].

mod asked;
mod called;
mod event;
pub mod grpc;
mod http_json;
mod jsonrpc;
mod outgoing;
mod several;
mod text;
pub mod written;

use std::sync::Arc;

use a2aspec_model::{interface, profile, transcript};
use a2aspec_wire as wire;
use bytes::Bytes;
use serde_json::Value;

use interface::Interface;
use profile::{Binding, Operation};
use transcript::{Answer, Exchange, StreamEvent};

pub use asked::is_call;
pub use called::called;
pub use event::{PIECE, RawEvent, is_stream};
pub use outgoing::{Outgoing, merge_headers};

/// The most bytes of one body that the suite holds.
pub const LONGEST_BODY: usize = 4 << 20;
/// The most events of one stream that the suite reads.
pub const MOST_EVENTS: usize = 2_000;

/// The URL to which the requests of an interface go. That of a gRPC interface has its scheme, whether or not the card says
/// it, and no path.
pub fn address(interface: &Interface) -> String {
    match interface.binding {
        Binding::Grpc => match grpc::Address::parse(&interface.url, interface.tls) {
            Ok(address) => address.to_string(),
            Err(_) => interface.url.clone(),
        },
        Binding::Jsonrpc | Binding::HttpJson => interface.url.clone(),
    }
}

/// A call of an operation, ready to be written.
#[derive(Debug, Clone)]
pub struct CallRequest {
    /// Which operation.
    pub operation: Operation,
    /// Its canonical parameters: what is recorded of it shares them.
    pub params: Arc<Value>,
    /// The id to use where the case chooses it.
    pub rpc_id: Option<Value>,
    /// Headers over the profile's own: `None` leaves one out.
    pub headers: Vec<(String, Option<String>)>,
    /// What it is for: the case, mostly.
    pub purpose: String,
}

/// A request given byte by byte, ready to be sent.
#[derive(Debug, Clone)]
pub struct RawRequest {
    /// HTTP method.
    pub method: String,
    /// Appended to the interface's URL. A slash alone is one less where the URL ends with one.
    pub suffix: String,
    /// The body.
    pub body: Bytes,
    /// `Content-Type`, if any.
    pub content_type: Option<String>,
    /// Headers over the profile's own: `None` leaves one out.
    pub headers: Vec<(String, Option<String>)>,
    /// Over gRPC, what stands before the message in place of its prefix.
    pub prefix: Option<Bytes>,
    /// The operation that the body calls, where that is known.
    pub operation: Option<Operation>,
    /// The id in the body, where that is known.
    pub rpc_id: Option<Value>,
    /// What it is for.
    pub purpose: String,
}

impl RawRequest {
    /// Whether it goes to another address than that of the interface: where this is the address of all requests, only a query
    /// belongs to it.
    pub fn is_elsewhere(&self, binding: Binding) -> bool {
        binding == Binding::Jsonrpc && !matches!(self.suffix.chars().next(), None | Some('?' | '&'))
    }

    /// Where it goes, given the URL of the interface.
    pub fn url(&self, base: &str) -> String {
        match (self.suffix.as_str(), base.strip_suffix('/')) {
            ("/", Some(without)) => without.to_owned(),
            (suffix, _) => format!("{base}{suffix}"),
        }
    }
}

/// How a binding over HTTP writes requests and reads answers.
pub trait Codec: Send + Sync {
    /// The ways to write a call: one, or several where texts differ about the route, the likeliest first.
    fn requests(&self, interface: &Interface, call: &CallRequest, number: u64) -> Vec<Outgoing>;

    /// Whether there is a way to write a call.
    fn can_write(&self, interface: &Interface, call: &CallRequest) -> bool {
        !self.requests(interface, call, 0).is_empty()
    }

    /// What a whole exchange says; `events` are those of its stream, where it was one.
    fn read(&self, interface: &Interface, exchange: Arc<Exchange>, events: Option<Vec<StreamEvent>>) -> Answer;

    /// What one event of a stream says.
    fn read_event(&self, interface: &Interface, operation: Option<Operation>, event: &RawEvent) -> StreamEvent;
}

/// A call as it would go over the wire: method, URL, headers, body; `None` where the binding has no form for it.
pub fn preview(interface: &Interface, call: &CallRequest, number: u64) -> Option<Outgoing> {
    match over_http(interface.binding) {
        Some(codec) => codec.requests(interface, call, number).into_iter().next(),
        None => grpc::request(interface, call).ok().map(|outgoing| Outgoing {
            method: "POST".to_owned(),
            url: format!("{}{}", interface.base(), outgoing.path),
            headers: outgoing.metadata,
            body: outgoing.text,
            operation: outgoing.operation,
            params: outgoing.params,
            rpc_id: None,
            purpose: outgoing.purpose,
        }),
    }
}

/// A call as a message of gRPC, with the name of its method behind a slash; `None` where there is no place for it in one.
pub fn message(interface: &Interface, call: &CallRequest) -> Option<(String, Bytes)> {
    let outgoing = grpc::request(interface, call).ok()?;
    let (_, rpc) = outgoing.path.rsplit_once('/')?;
    Some((format!("/{rpc}"), outgoing.message))
}

/// What an exchange over HTTP says that somebody else recorded; `None` over gRPC, whose trailers no recording has. When the events of
/// a stream came is not recorded, either: each counts as read at the end.
pub fn read_recorded(interface: &Interface, exchange: Arc<Exchange>) -> Option<Answer> {
    let Some(codec) = over_http(interface.binding) else {
        return Some(grpc::read_whole(interface, Exchange::clone(&exchange)));
    };
    let events = exchange.response.as_ref().filter(|response| is_stream(&response.headers)).map(|response| {
        let events = RawEvent::all_of_body(&response.body, exchange.elapsed).into_iter();
        events.map(|event| codec.read_event(interface, exchange.request.operation, &event)).collect()
    });
    Some(codec.read(interface, exchange, events))
}

/// The codec of a binding over HTTP; gRPC has a carrier of its own.
pub fn over_http(binding: Binding) -> Option<&'static dyn Codec> {
    match binding {
        Binding::Jsonrpc => Some(&jsonrpc::JsonRpc),
        Binding::HttpJson => Some(&http_json::HttpJson),
        Binding::Grpc => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_is_one_more_or_one_less() {
        let at = |suffix: &str, base: &str| {
            let raw = RawRequest {
                method: "POST".to_owned(),
                suffix: suffix.to_owned(),
                body: Bytes::new(),
                content_type: None,
                headers: Vec::new(),
                prefix: None,
                operation: None,
                rpc_id: None,
                purpose: String::new(),
            };
            (raw.url(base), raw.is_elsewhere(Binding::Jsonrpc), raw.is_elsewhere(Binding::HttpJson))
        };
        for (suffix, base, url, is_elsewhere) in [
            ("", "http://h/a2a", "http://h/a2a", false),
            ("/", "http://h/a2a", "http://h/a2a/", true),
            ("/", "http://h/a2a/", "http://h/a2a", true),
            ("?v=1", "http://h/a2a", "http://h/a2a?v=1", false),
            ("&v=1", "http://h/a2a?x=2", "http://h/a2a?x=2&v=1", false),
            ("/tasks", "http://h/a2a", "http://h/a2a/tasks", true),
        ] {
            assert_eq!(at(suffix, base), (url.to_owned(), is_elsewhere, false), "{base} and {suffix}");
        }
    }
}
