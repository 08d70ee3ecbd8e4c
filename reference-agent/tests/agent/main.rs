//! The agent over a real connection: the main flows of all versions, and HTTP around them.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that panics has failed")]

mod client;
mod grpc;
mod http;
mod jsonrpc;
mod kit;
mod only;
mod push;
mod rest_0_3;
mod rest_1_0;
mod rest_client;
mod rest_http;
mod tenants;
mod trust;
mod v0_1;
mod v0_2;
mod v0_3;
mod v1_0;
mod v1_0_draft;
mod variations;
