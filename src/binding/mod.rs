//! Operations over the wire: how a canonical call becomes a request, and a response an [`Answer`].
//!
//! A binding is a [`Codec`]: it writes requests and reads answers, and does no I/O. [`http::Http`] carries the bytes
//! and knows nothing of A2A. [`Connection`] puts the two together for one interface of the agent.

pub mod grpc;
pub mod http;
mod jsonrpc;
mod trouble;

use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;

use crate::plan::Endpoint;
use crate::profile::{Binding, Operation};
use crate::transcript::{Answer, Exchange, StreamEvent};
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

/// How a binding writes requests and reads answers.
pub trait Codec: Send + Sync {
    /// The request for a call.
    fn request(&self, endpoint: &Endpoint, call: &CallRequest, number: u64) -> Outgoing;

    /// What a whole exchange says; `events` are those of its stream, where it was one.
    fn read(&self, endpoint: &Endpoint, exchange: Arc<Exchange>, events: Option<Vec<StreamEvent>>) -> Answer;

    /// What one event of a stream says.
    fn read_event(&self, endpoint: &Endpoint, operation: Option<Operation>, event: &RawEvent) -> StreamEvent;
}

/// The codec of a binding.
pub fn codec(binding: Binding) -> &'static dyn Codec {
    match binding {
        Binding::Jsonrpc => &jsonrpc::JsonRpc,
    }
}

/// One interface of the agent, and the way to it.
pub struct Connection {
    /// The interface.
    pub endpoint: Endpoint,
    codec: &'static dyn Codec,
    http: Arc<Http>,
}

/// A stream that is being read.
pub struct OpenStream {
    incoming: Incoming,
    events: Vec<StreamEvent>,
    operation: Option<Operation>,
}

impl Connection {
    /// A way to an interface.
    pub fn new(endpoint: Endpoint, http: Arc<Http>) -> Self {
        Self { codec: codec(endpoint.binding), endpoint, http }
    }

    /// Calls a unary operation.
    pub async fn call(&self, call: &CallRequest) -> Answer {
        let number = self.http.next_number();
        let outgoing = self.codec.request(&self.endpoint, call, number);
        let incoming = self.http.send(number, outgoing).await;
        self.whole(incoming).await
    }

    /// Sends raw bytes.
    pub async fn raw(&self, raw: RawRequest) -> Answer {
        let number = self.http.next_number();
        let mut headers = http::merge_headers(&self.endpoint.profile.facts.headers, &raw.headers);
        if let Some(content_type) = &raw.content_type {
            headers.push(("content-type".to_owned(), content_type.clone()));
        }
        let outgoing = Outgoing {
            method: raw.method,
            url: format!("{}{}", self.endpoint.url, raw.suffix),
            headers,
            body: raw.body,
            operation: raw.operation,
            params: Value::Null,
            rpc_id: raw.rpc_id,
            purpose: raw.purpose,
        };
        let incoming = self.http.send(number, outgoing).await;
        self.whole(incoming).await
    }

    /// Calls a streaming operation; what comes back may still turn out to be no stream.
    pub async fn open(&self, call: &CallRequest) -> OpenStream {
        let number = self.http.next_number();
        let outgoing = self.codec.request(&self.endpoint, call, number);
        let incoming = self.http.send(number, outgoing).await;
        OpenStream { incoming, events: Vec::new(), operation: Some(call.operation) }
    }

    /// The next event of a stream; `None` when there is none within `patience`, or the stream is over.
    ///
    /// Without `patience` the wait is as long as the suite's time limit.
    pub async fn next(&self, stream: &mut OpenStream, patience: Option<std::time::Duration>) -> Option<StreamEvent> {
        let raw = self.http.next_event(&mut stream.incoming, patience).await?;
        let event = self.codec.read_event(&self.endpoint, stream.operation, &raw);
        stream.events.push(event.clone());
        Some(event)
    }

    /// Ends a stream, or reads the rest of an answer that is none, and says what it was.
    pub async fn finish(&self, mut stream: OpenStream, left_open: bool) -> Answer {
        if stream.incoming.is_stream() {
            stream.incoming.hang_up(left_open);
            let exchange = Arc::new(stream.incoming.into_exchange());
            return self.codec.read(&self.endpoint, exchange, Some(stream.events));
        }
        self.whole(stream.incoming).await
    }

    async fn whole(&self, mut incoming: Incoming) -> Answer {
        self.http.read_to_end(&mut incoming).await;
        if !incoming.is_stream() {
            return self.codec.read(&self.endpoint, Arc::new(incoming.into_exchange()), None);
        }
        let mut events = Vec::new();
        let operation = incoming.operation();
        while let Some(raw) = self.http.next_event(&mut incoming, None).await {
            events.push(self.codec.read_event(&self.endpoint, operation, &raw));
        }
        self.codec.read(&self.endpoint, Arc::new(incoming.into_exchange()), Some(events))
    }
}

impl OpenStream {
    /// Whether the agent answered with a stream at all.
    pub fn is_stream(&self) -> bool {
        self.incoming.is_stream()
    }

    /// Whether nothing more will come.
    pub fn is_over(&self) -> bool {
        self.incoming.is_over()
    }

    /// The events so far.
    pub fn events(&self) -> &[StreamEvent] {
        &self.events
    }

    /// What the exchange is so far: the stream goes on.
    pub fn so_far(&self, connection: &Connection) -> Answer {
        let exchange = Arc::new(self.incoming.snapshot());
        connection.codec.read(&connection.endpoint, exchange, Some(self.events.clone()))
    }
}
