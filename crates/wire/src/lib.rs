//! Bytes with positions: what a peer really sent, before anything lenient has touched it.
//!
//! Raw bytes or header text enter; trees, events and values that remember where they stood leave. Libraries made
//! for use rather than for judgement keep the last of duplicate keys, swallow comments, accept `2024-1-1`; the readers
//! here follow their standard to the letter and say at which byte it was left. YAML, which people write, is read the same way, and
//! [`diagnostic`] shows what is wrong with a text in its place. This crate knows nothing of A2A, holds no clock and does no I/O. No
//! input makes it panic, recurse without bound or hold more than its named limits.

pub mod base64;
pub mod challenge;
pub mod diagnostic;
pub mod grpc;
pub mod http;
pub mod http1;
pub mod http2;
pub mod json;
pub mod jsonrpc;
pub mod sse;
pub mod timestamp;
pub mod tls;
pub mod yaml;

pub use json::pointer;
