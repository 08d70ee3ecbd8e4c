//! A client of A2A 1.0 over JSON-RPC and HTTP+JSON, and the wrapper that lets `a2aspec client` drive it.
//!
//! The wrapper (`wrapper`, `case`) reads commands and writes answers. Below it is an ordinary client: `resolver` reads cards,
//! `interface` chooses, `client` performs operations by `jsonrpc` or `http_json`, `stream` reads events, `webhook` receives.
//!
//! It makes no mistake by itself. `clients/broken` turns on one of the [`deviation`]s, each of which acts in one place here.

mod auth;
mod case;
mod client;
pub mod deviation;
mod failure;
mod follow;
mod http;
mod http_json;
mod interface;
mod jsonrpc;
mod model;
mod oauth;
mod operation;
mod read;
mod resolver;
mod signature;
mod sse;
mod stream;
mod webhook;
mod wrapper;

/// Connects to the suite that started this program, and does what it is told until the connection ends.
///
/// # Errors
/// The suite cannot be reached, or refuses; a sentence.
pub fn serve() -> Result<(), String> {
    // Another provider can only be there already if this is called twice.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| format!("no runtime: {error}"))?;
    let ended = runtime.block_on(wrapper::serve());
    runtime.shutdown_background();
    ended
}
