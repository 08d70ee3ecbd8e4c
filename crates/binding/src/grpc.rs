//! gRPC over HTTP/2 (A2A 1.0 section 10): calls as messages, and messages as answers.

mod address;
mod codec;
mod json;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;

use crate::profile::Operation;

pub use address::Address;
pub use codec::{raw, read, read_again, read_message, read_request, read_whole, request};

/// A call, ready to be sent.
#[derive(Debug, Clone)]
pub struct Outgoing {
    /// `/package.Service/Method`.
    pub path: String,
    /// Its metadata as they go over the wire: values of names in `-bin` are in base64 already. A `grpc-timeout` is
    /// for the agent to keep: the suite waits as long as ever.
    pub metadata: Vec<(String, String)>,
    /// The only message of the request, without its frame.
    pub message: Bytes,
    /// What stands before the message in place of its prefix.
    pub prefix: Option<Bytes>,
    /// Whether it asks for a stream, which gets a connection of its own.
    pub streams: bool,
    /// `content-type`, unless it is `application/grpc`.
    pub content_type: Option<String>,
    /// The body as the record shows it.
    pub text: Bytes,
    /// The operation that it calls.
    pub operation: Option<Operation>,
    /// The canonical parameters of the call.
    pub params: Arc<Value>,
    /// What it is for.
    pub purpose: String,
}

/// A message of a response, undecoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawMessage {
    /// When it was complete, since the request.
    pub after: Duration,
    /// The message, without its frame.
    pub bytes: Bytes,
}
