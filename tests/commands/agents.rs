//! The agents that stand behind the addresses of the documents.

use std::net::{Ipv4Addr, TcpListener};

use a2a_reference_agent::{Config, RunningAgent};
use tokio::runtime::Runtime;

#[path = "../../examples/minimal-agent/main.rs"]
#[allow(dead_code, reason = "its `main` is not called here")]
mod minimal_agent;

/// The agents of one page, each on a free port.
pub struct Agents {
    /// What a page shows, and what takes its place.
    places: Vec<(&'static str, String)>,
    runtime: Option<Runtime>,
    _reference: RunningAgent,
}

impl Agents {
    /// The reader's agent is the one of `examples/minimal-agent`; the reference agent is there where the port of gRPC is meant. A page
    /// that starts an agent of its own does so on a free port.
    pub fn start() -> Self {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).enable_all().build().expect("there is a runtime");
        let (minimal, reference) = runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("there is a port");
            let url = format!("http://{}", listener.local_addr().expect("it has an address"));
            tokio::spawn(minimal_agent::serve(listener));
            let config = Config { only: "1.0".parse().ok(), ..Config::default() };
            let reference = a2a_reference_agent::start(config, (Ipv4Addr::LOCALHOST, 0).into()).await;
            (url, reference.expect("the reference agent starts"))
        });
        let grpc = reference.url().to_owned();
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
        let free = free.expect("there is a port").port();
        let places = vec![
            ("http://localhost:8080", minimal.clone()),
            ("https://agent.example/a2a", minimal.clone()),
            ("https://agent.example", minimal.clone()),
            ("\"$AGENT_URL\"", minimal),
            ("http://localhost:50051", grpc),
            // Servers of the page itself.
            ("a2aspec agent --port 8080", "a2aspec agent --port 0".to_owned()),
            (":8080", format!(":{free}")),
            (" 8080", format!(" {free}")),
        ];
        Self { places, runtime: Some(runtime), _reference: reference }
    }

    /// Commands, with these agents in the place of those that the page names.
    pub fn in_place_of(&self, script: &str) -> String {
        let script = self.places.iter().fold(script.to_owned(), |script, (shown, used)| script.replace(shown, used));
        let agents = script.lines().map(|line| match line.strip_prefix("serves a2aspec agent") {
            Some(rest) if !rest.contains("--port") => format!("serves a2aspec agent --port 0{rest}"),
            _ => line.to_owned(),
        });
        agents.collect::<Vec<_>>().join("\n")
    }

    /// Output, with the addresses that the page shows.
    pub fn back(&self, output: &str) -> String {
        self.places.iter().fold(output.to_owned(), |output, (shown, used)| output.replace(used, shown))
    }
}

impl Drop for Agents {
    fn drop(&mut self) {
        // Requests may be under way that are never answered.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
