//! Operations over the wire: how a canonical call becomes a request, and a response an [`Answer`].
//!
//! A binding writes requests and reads answers, and does no I/O: [`jsonrpc`] and [`http_json`] are [`Codec`]s over
//! [`http::Http`], which carries bytes and knows nothing of A2A; [`grpc`] has its own carrier, [`grpc::Grpc`].
//! [`Connection`] puts the two together for one interface of the agent.

pub mod grpc;
pub mod http;
mod http_json;
mod jsonrpc;
mod text;
mod trouble;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;

use crate::plan::Endpoint;
use crate::profile::{Binding, Operation};
use crate::transcript::{Answer, Exchange, Said, StreamEvent};
use grpc::client::Grpc;
use http::{Http, Incoming, Outgoing, RawEvent};

/// A call of an operation, ready to be written.
#[derive(Debug, Clone)]
pub struct CallRequest {
    /// Which operation.
    pub operation: Operation,
    /// Its canonical parameters.
    pub params: Value,
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
    /// Appended to the interface's URL.
    pub suffix: String,
    /// The body.
    pub body: Bytes,
    /// `Content-Type`, if any.
    pub content_type: Option<String>,
    /// Headers over the profile's own: `None` leaves one out.
    pub headers: Vec<(String, Option<String>)>,
    /// The operation that the body calls, where that is known.
    pub operation: Option<Operation>,
    /// The id in the body, where that is known.
    pub rpc_id: Option<Value>,
    /// What it is for.
    pub purpose: String,
}

/// How a binding over HTTP writes requests and reads answers.
pub trait Codec: Send + Sync {
    /// The ways to write a call: one, or several where texts differ about the route, the likeliest first.
    fn requests(&self, endpoint: &Endpoint, call: &CallRequest, number: u64) -> Vec<Outgoing>;

    /// What a whole exchange says; `events` are those of its stream, where it was one.
    fn read(&self, endpoint: &Endpoint, exchange: Arc<Exchange>, events: Option<Vec<StreamEvent>>) -> Answer;

    /// What one event of a stream says.
    fn read_event(&self, endpoint: &Endpoint, operation: Option<Operation>, event: &RawEvent) -> StreamEvent;
}

/// A call as it would go over the wire: method, URL, headers, body; `None` where the binding has no form for it.
pub fn preview(endpoint: &Endpoint, call: &CallRequest, number: u64) -> Option<Outgoing> {
    match over_http(endpoint.binding) {
        Some(codec) => codec.requests(endpoint, call, number).into_iter().next(),
        None => grpc::request(endpoint, call).ok().map(|outgoing| Outgoing {
            method: "POST".to_owned(),
            url: format!("{}{}", endpoint.base(), outgoing.path),
            headers: outgoing.metadata,
            body: outgoing.text,
            operation: outgoing.operation,
            params: outgoing.params,
            rpc_id: None,
            purpose: outgoing.purpose,
        }),
    }
}

/// The codec of a binding over HTTP; gRPC has a carrier of its own.
pub fn over_http(binding: Binding) -> Option<&'static dyn Codec> {
    match binding {
        Binding::Jsonrpc => Some(&jsonrpc::JsonRpc),
        Binding::HttpJson => Some(&http_json::HttpJson),
        Binding::Grpc => None,
    }
}

/// One interface of the agent, and the way to it.
pub struct Connection {
    /// The interface.
    pub endpoint: Endpoint,
    http: Arc<Http>,
    line: Line,
}

/// What carries a binding.
enum Line {
    Http {
        codec: &'static dyn Codec,
        /// Which way of writing an operation the agent understood, where there are several.
        ways: Mutex<HashMap<Operation, usize>>,
        /// Exchanges in which it did not.
        missed: Mutex<Vec<Exchange>>,
    },
    Grpc(Box<Grpc>),
    /// There is no way to the interface, and why.
    None(String),
}

/// A stream that is being read.
pub struct OpenStream {
    incoming: AnyIncoming,
    events: Vec<StreamEvent>,
    operation: Option<Operation>,
}

/// A response that is being read, by what carries it.
enum AnyIncoming {
    Http(Box<Incoming>),
    Grpc(Box<grpc::client::Incoming>),
}

impl Connection {
    /// A way to an interface; nothing is connected yet.
    pub fn new(endpoint: Endpoint, http: Arc<Http>) -> Self {
        let line = match over_http(endpoint.binding) {
            Some(codec) => Line::Http { codec, ways: Mutex::default(), missed: Mutex::default() },
            None => match Grpc::new(&endpoint.url, endpoint.tls, Arc::clone(&http)) {
                Ok(grpc) => Line::Grpc(Box::new(grpc)),
                Err(reason) => Line::None(reason),
            },
        };
        Self { endpoint, http, line }
    }

    /// Whether the binding has a form for a call.
    ///
    /// # Errors
    /// Why it has none.
    pub fn can_carry(&self, call: &CallRequest) -> Result<(), String> {
        match &self.line {
            Line::Http { codec, .. } if codec.requests(&self.endpoint, call, 0).is_empty() => {
                Err(format!("{} has no route for these parameters", call.operation))
            }
            Line::Http { .. } | Line::None(_) => Ok(()),
            Line::Grpc(_) => grpc::request(&self.endpoint, call).map(|_| ()),
        }
    }

    /// Calls a unary operation.
    pub async fn call(&self, call: &CallRequest) -> Answer {
        let stream = self.open(call).await;
        self.whole(stream.incoming).await
    }

    /// Sends raw bytes.
    pub async fn raw(&self, raw: RawRequest) -> Answer {
        let number = self.http.next_number();
        let incoming = match &self.line {
            Line::Http { .. } => {
                let mut headers = http::merge_headers(&self.endpoint.profile.facts.headers, &raw.headers);
                if let Some(content_type) = &raw.content_type {
                    headers.push(("content-type".to_owned(), content_type.clone()));
                }
                let outgoing = Outgoing {
                    method: raw.method,
                    url: format!("{}{}", self.endpoint.base(), raw.suffix),
                    headers,
                    body: raw.body,
                    operation: raw.operation,
                    params: Value::Null,
                    rpc_id: raw.rpc_id,
                    purpose: raw.purpose,
                };
                AnyIncoming::Http(Box::new(self.http.send(number, outgoing).await))
            }
            Line::Grpc(grpc) => AnyIncoming::Grpc(Box::new(grpc.send(number, grpc::raw(&self.endpoint, raw)).await)),
            Line::None(reason) => {
                AnyIncoming::Http(Box::new(self.http.nowhere(number, raw.operation, &raw.purpose, reason)))
            }
        };
        self.whole(incoming).await
    }

    /// Calls a streaming operation; what comes back may still turn out to be no stream.
    pub async fn open(&self, call: &CallRequest) -> OpenStream {
        let incoming = match &self.line {
            Line::Http { codec, ways, missed } => {
                AnyIncoming::Http(Box::new(self.send_some_way(*codec, ways, missed, call).await))
            }
            Line::Grpc(grpc) => {
                let number = self.http.next_number();
                match grpc::request(&self.endpoint, call) {
                    Ok(outgoing) => AnyIncoming::Grpc(Box::new(grpc.send(number, outgoing).await)),
                    Err(reason) => self.nowhere(call, &reason),
                }
            }
            Line::None(reason) => self.nowhere(call, reason),
        };
        OpenStream { incoming, events: Vec::new(), operation: Some(call.operation) }
    }

    /// Sends a call in the way that the agent is known to understand; until that is known, a way that it does not know
    /// (HTTP 404 or 405 for the route, 415 for the media type) makes place for the next.
    async fn send_some_way(
        &self,
        codec: &dyn Codec,
        ways: &Mutex<HashMap<Operation, usize>>,
        missed: &Mutex<Vec<Exchange>>,
        call: &CallRequest,
    ) -> Incoming {
        let known = lock(ways).get(&call.operation).copied();
        let mut number = self.http.next_number();
        let mut fallback: Option<Incoming> = None;
        let mut unknown_route = None;
        let all = codec.requests(&self.endpoint, call, number);
        for (index, outgoing) in
            all.into_iter().enumerate().filter(|(index, _)| known.is_none_or(|known| known == *index))
        {
            let route = (outgoing.method.clone(), outgoing.url.clone());
            if unknown_route.as_ref() == Some(&route) {
                continue;
            }
            if fallback.is_some() {
                number = self.http.next_number();
            }
            let incoming = self.http.send(number, outgoing).await;
            let is_understood = match incoming.status() {
                Some(404 | 405) => {
                    unknown_route = Some(route);
                    false
                }
                Some(415) => false,
                status => {
                    if status.is_some_and(|status| status < 400) {
                        lock(ways).insert(call.operation, index);
                    }
                    true
                }
            };
            // What none of the ways changes is said best by the first.
            let replaces = is_understood || fallback.is_none();
            let other = if replaces { fallback.replace(incoming) } else { Some(incoming) };
            if let Some(mut other) = other {
                self.http.read_to_end(&mut other).await;
                lock(missed).push(other.into_exchange());
            }
            if is_understood {
                break;
            }
        }
        match fallback {
            Some(incoming) => incoming,
            None => self.http.nowhere(number, Some(call.operation), &call.purpose, "there is no route for this call"),
        }
    }

    /// What comes of a call that cannot be made.
    fn nowhere(&self, call: &CallRequest, reason: &str) -> AnyIncoming {
        let number = self.http.next_number();
        AnyIncoming::Http(Box::new(self.http.nowhere(number, Some(call.operation), &call.purpose, reason)))
    }

    /// The exchanges since the last question in which a way of writing an operation was not understood.
    pub fn take_missed(&self) -> Vec<Exchange> {
        match &self.line {
            Line::Http { missed, .. } => std::mem::take(&mut *lock(missed)),
            Line::Grpc(_) | Line::None(_) => Vec::new(),
        }
    }

    /// The next event of a stream; `None` when there is none within `patience`, or the stream is over.
    ///
    /// Without `patience` the wait is as long as the suite's time limit.
    pub async fn next(&self, stream: &mut OpenStream, patience: Option<Duration>) -> Option<StreamEvent> {
        let event = self.next_of(&mut stream.incoming, stream.operation, patience).await?;
        stream.events.push(event.clone());
        Some(event)
    }

    async fn next_of(
        &self,
        incoming: &mut AnyIncoming,
        operation: Option<Operation>,
        patience: Option<Duration>,
    ) -> Option<StreamEvent> {
        match (incoming, &self.line) {
            (AnyIncoming::Http(incoming), Line::Http { codec, .. }) => {
                let raw = self.http.next_event(incoming, patience).await?;
                Some(codec.read_event(&self.endpoint, operation, &raw))
            }
            (AnyIncoming::Grpc(incoming), Line::Grpc(grpc)) => {
                let raw = grpc.next_message(incoming, patience).await?;
                Some(grpc::read_message(&self.endpoint, operation, &raw))
            }
            _ => None,
        }
    }

    /// Ends a stream, or reads the rest of an answer that is none, and says what it was.
    pub async fn finish(&self, mut stream: OpenStream, left_open: bool) -> Answer {
        if stream.is_stream() {
            match &mut stream.incoming {
                AnyIncoming::Http(incoming) => incoming.hang_up(left_open),
                AnyIncoming::Grpc(incoming) => incoming.hang_up(left_open),
            }
            return self.read(&stream.incoming, Some(stream.events));
        }
        self.whole(stream.incoming).await
    }

    async fn whole(&self, mut incoming: AnyIncoming) -> Answer {
        if let AnyIncoming::Http(incoming) = &mut incoming {
            self.http.read_to_end(incoming).await;
        }
        let (operation, is_text_stream) = match &incoming {
            AnyIncoming::Http(incoming) => (incoming.operation(), incoming.is_stream()),
            AnyIncoming::Grpc(incoming) => (incoming.operation(), true),
        };
        if !is_text_stream {
            return self.read(&incoming, None);
        }
        let mut events = Vec::new();
        while let Some(event) = self.next_of(&mut incoming, operation, None).await {
            events.push(event);
        }
        self.read(&incoming, Some(events))
    }

    fn read(&self, incoming: &AnyIncoming, events: Option<Vec<StreamEvent>>) -> Answer {
        match (incoming, &self.line) {
            (AnyIncoming::Http(incoming), Line::Http { codec, .. }) => {
                codec.read(&self.endpoint, Arc::new(incoming.snapshot()), events)
            }
            (AnyIncoming::Grpc(incoming), _) => grpc::read(&self.endpoint, incoming, events.unwrap_or_default()),
            (AnyIncoming::Http(incoming), _) => {
                let exchange = Arc::new(incoming.snapshot());
                Answer { binding: self.endpoint.binding, exchange, said: Said::Lost }
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl OpenStream {
    /// Whether the agent answered with a stream at all. Over gRPC that is one which is not over before its first message.
    pub fn is_stream(&self) -> bool {
        match &self.incoming {
            AnyIncoming::Http(incoming) => incoming.is_stream(),
            AnyIncoming::Grpc(incoming) => !self.events.is_empty() || !incoming.is_over(),
        }
    }

    /// Whether nothing more will come.
    pub fn is_over(&self) -> bool {
        match &self.incoming {
            AnyIncoming::Http(incoming) => incoming.is_over(),
            AnyIncoming::Grpc(incoming) => incoming.is_over(),
        }
    }

    /// The events so far.
    pub fn events(&self) -> &[StreamEvent] {
        &self.events
    }

    /// What the exchange is so far: the stream goes on.
    pub fn so_far(&self, connection: &Connection) -> Answer {
        connection.read(&self.incoming, Some(self.events.clone()))
    }
}
