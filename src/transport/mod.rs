//! The way over the network: what carries the requests of a binding to the agent, and records what came back.
//!
//! [`http::Http`] carries bytes and knows nothing of A2A; `grpc` has its own carrier. [`Connection`] puts them together with the
//! binding of one interface of the agent. [`inbound`] is the other direction: what the agent sends by itself.

pub(crate) mod accept;
mod alternatives;
mod backoff;
mod connection;
mod dialing;
pub(crate) mod grpc;
pub(crate) mod heart;
pub mod http;
pub mod inbound;
pub mod memory;
pub mod network;
mod pace;
pub mod raw;
pub(crate) mod relay;
mod transport_error;
pub(crate) mod turns;
mod unique;

pub use connection::{Connection, OpenStream};
pub(crate) use dialing::looked_up;
pub use dialing::{Dialing, NoPem, NoProxy};
pub(crate) use unique::unique;
