//! Bindings: how operations travel. Each one turns requests into operations and answers into responses, and knows
//! nothing of what an operation does.

pub mod credentials;
mod event_stream;
pub mod extended_card;
pub mod grpc;
pub mod http;
pub mod http_json;
pub mod jsonrpc;
