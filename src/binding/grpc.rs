//! gRPC over HTTP/2 (A2A 1.0 section 10).

pub(crate) mod client;
mod codec;
mod json;

pub(super) use codec::{raw, read, read_again, read_message, read_whole, request};
