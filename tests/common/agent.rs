//! Agents for tests: scripted ones, and the reference agent behind something that spoils its answers.

use std::future::Future;
use std::net::Ipv4Addr;

use axum::Router;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// An agent on a free port of this machine. It stops when this is dropped.
pub struct Agent {
    pub url: String,
    runtime: Option<Runtime>,
}

impl Agent {
    /// Serves the routes that are made for the agent's own address.
    pub fn serve<F: Future<Output = Router>>(routes: impl FnOnce(String) -> F) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let url = runtime.block_on(async {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
            let url = format!("http://{}", listener.local_addr().unwrap());
            let routes = routes(url.clone()).await;
            tokio::spawn(async move { axum::serve(listener, routes).await });
            url
        });
        Self { url, runtime: Some(runtime) }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        // Requests may be under way that are never answered.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// A valid card for one interface in one version, with streams declared.
pub fn card(profile: &str, url: &str) -> Value {
    let mut card = json!({
        "name": "Test agent",
        "description": "An agent made for a test.",
        "version": "1.0.0",
        "capabilities": { "streaming": true },
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "test", "name": "Test", "description": "Is tested.", "tags": ["test"] }],
    });
    let interface = match profile {
        "0.3" => json!({ "url": url, "preferredTransport": "JSONRPC", "protocolVersion": "0.3.0" }),
        _ => {
            json!({ "supportedInterfaces": [{ "url": url, "protocolBinding": "JSONRPC", "protocolVersion": profile }] })
        }
    };
    if let (Some(members), Value::Object(more)) = (card.as_object_mut(), interface) {
        members.extend(more);
    }
    card
}
