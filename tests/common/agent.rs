//! Agents for tests: scripted ones, and the reference agent.

use std::future::Future;
use std::net::Ipv4Addr;
use std::sync::mpsc;
use std::time::Duration;

use a2a_reference_agent::{Config, RunningAgent};
use axum::Router;
use axum::routing::get;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// How long the slow task of the reference agent works: long enough to be met at work on a machine with much else to do.
const SLOW: Duration = Duration::from_secs(2);

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

/// An agent that takes every request and answers none, and tells of each. With a version, it has a card of that version, with an
/// interface over JSON-RPC.
pub fn silent(version: Option<&'static str>) -> (Agent, mpsc::Receiver<()>) {
    let (tell, asked) = mpsc::channel();
    let agent = Agent::serve(async move |url| {
        let silent = Router::new().fallback(move || {
            let _ = tell.send(());
            std::future::pending::<()>()
        });
        match version.map(|version| card(version, &format!("{url}/rpc")).to_string()) {
            Some(card) => silent.route("/.well-known/agent-card.json", get(move || std::future::ready(card))),
            None => silent,
        }
    });
    (agent, asked)
}

/// The reference agent at work on a thread of its own. It stops when this is dropped.
pub struct Reference {
    agent: RunningAgent,
    runtime: Option<Runtime>,
}

impl Reference {
    pub fn start(config: Config) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let agent = runtime.block_on(a2a_reference_agent::start(config, (Ipv4Addr::LOCALHOST, 0).into())).unwrap();
        Self { agent, runtime: Some(runtime) }
    }

    pub fn url(&self) -> String {
        self.agent.url().to_owned()
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The reference agent, on a free port.
pub async fn reference(public_url: Option<String>) -> RunningAgent {
    let config = Config { public_url, slow: SLOW, ..Config::default() };
    a2a_reference_agent::start(config, (Ipv4Addr::LOCALHOST, 0).into()).await.unwrap()
}

/// URL, binding and version, as a card spells them.
pub type Interface = (String, &'static str, &'static str);

/// A valid card for these interfaces, in the form of A2A 1.0, with streams declared.
pub fn card_of(interfaces: &[Interface]) -> Value {
    let list = interfaces
        .iter()
        .map(|(url, binding, version)| json!({ "url": url, "protocolBinding": binding, "protocolVersion": version }));
    let mut card = common();
    card["supportedInterfaces"] = list.collect();
    card
}

/// A valid card for one interface in one version, with streams declared.
pub fn card(profile: &str, url: &str) -> Value {
    card_over("JSONRPC", profile, url)
}

/// A valid card for one interface over a binding, in the form of its version, with streams declared. Before 0.3 cards
/// need not say a version, and these do not.
pub fn card_over(binding: &'static str, profile: &str, url: &str) -> Value {
    let mut card = common();
    match profile {
        "1.0" | "1.1-draft" => {
            let version = profile.trim_end_matches("-draft");
            let interface = json!({ "url": url, "protocolBinding": binding, "protocolVersion": version });
            card["supportedInterfaces"] = json!([interface]);
        }
        "1.0-draft" => {
            card["supportedInterfaces"] = json!([{ "url": url, "protocolBinding": binding }]);
            card["protocolVersion"] = Value::from("1.0");
        }
        "0.3" => {
            card["url"] = Value::from(url);
            card["preferredTransport"] = Value::from(binding);
            card["protocolVersion"] = Value::from("0.3.0");
        }
        _ => card["url"] = Value::from(url),
    }
    card
}

/// What the cards of every version have.
fn common() -> Value {
    json!({
        "name": "Test agent",
        "description": "An agent made for a test.",
        "version": "1.0.0",
        "capabilities": { "streaming": true },
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "test", "name": "Test", "description": "Is tested.", "tags": ["test"] }],
    })
}
