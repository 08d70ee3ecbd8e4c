//! The agents that stand behind the addresses of the documents.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicU16, Ordering};

use a2a_reference_agent::{Config, RunningAgent};
use tokio::runtime::Runtime;

use super::blocks::Block;
use crate::common::minimal_agent;

/// The agents of one page, each on a free port.
pub struct Agents {
    minimal: String,
    reference: RunningAgent,
    /// Ports for what the page starts by itself, for the agents of single blocks, whose replicas have the next one, and for webhooks.
    free: [u16; 3],
    runtime: Option<Runtime>,
}

/// What a block shows, and what takes its place.
pub struct Places {
    /// The port of the agent that only this block uses.
    pub port: u16,
    places: Vec<(&'static str, String)>,
}

impl Agents {
    /// The reader's agent is the one of `examples/minimal-agent`; the reference agent has the port of gRPC. A page that starts an
    /// agent of its own does so on a free port.
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
        Self { minimal, reference, free: free_ports(), runtime: Some(runtime) }
    }

    /// The addresses of a block. An agent that only this block uses takes the place of both others.
    pub fn places(&self, block: &Block) -> Places {
        let [started, port, hooks] = self.free;
        let own = block.agent.as_ref().map(|flags| url_of(flags, port));
        let replica = block.agent.as_ref().map_or_else(|| self.minimal.clone(), |flags| url_of(flags, port + 1));
        let agent = own.clone().unwrap_or_else(|| self.minimal.clone());
        let places = vec![
            // What is part of another comes behind it.
            ("https://agent.example.com", agent.clone()),
            ("http://localhost:8080", agent.clone()),
            ("http://localhost:8081", replica),
            ("https://agent.example/a2a", agent.clone()),
            ("https://agent.example", agent.clone()),
            ("\"$AGENT_URL\"", agent),
            ("http://localhost:50051", own.unwrap_or_else(|| self.reference.url().to_owned())),
            ("--allow-jku agent.example", "--allow-jku 127.0.0.1".to_owned()),
            // A tunnel that leads here.
            ("0.0.0.0:9000", format!("127.0.0.1:{hooks}")),
            ("https://tunnel.example", format!("http://127.0.0.1:{hooks}")),
            // Programs of the page itself.
            ("cargo run -- ", "a2aspec ".to_owned()),
            ("a2aspec agent --port 8080", "a2aspec agent --port 0".to_owned()),
            (":8080", format!(":{started}")),
            (" 8080", format!(" {started}")),
        ];
        Places { port, places }
    }
}

impl Places {
    /// Commands, with the agents of this test in the place of those that the page names.
    pub fn fill(&self, script: &str) -> String {
        let script = replaced(script, self.places.iter().map(|(shown, used)| (*shown, used.as_str())));
        let agents = script.lines().map(|line| match line.strip_prefix("serves a2aspec agent") {
            Some(rest) if !rest.contains("--port") => format!("serves a2aspec agent --port 0{rest}"),
            _ => line.to_owned(),
        });
        agents.collect::<Vec<_>>().join("\n")
    }

    /// Output, with the addresses that the page shows.
    pub fn back(&self, output: &str) -> String {
        replaced(output, self.places.iter().map(|(shown, used)| (used.as_str(), *shown)))
    }
}

/// A text with the second of each pair in the place of the first, in one pass: what was put in stays. Of two that fit at one
/// place, the earlier is taken.
fn replaced<'a>(text: &str, pairs: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> String {
    let mut made = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (from, to) = pairs.clone().find(|(from, _)| rest.starts_with(from)).unwrap_or_default();
        let (kept, length) =
            if from.is_empty() { (&rest[..first.len_utf8()], first.len_utf8()) } else { (to, from.len()) };
        made.push_str(kept);
        rest = &rest[length..];
    }
    made
}

/// Ports on which nothing listens, and neither on the next ones. They are below those that the system gives to who asks for any, so that
/// nobody takes them before they are used.
fn free_ports<const N: usize>() -> [u16; N] {
    /// The next candidate of this process. Others begin elsewhere.
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let start = u16::try_from(std::process::id() % 10_000).unwrap_or_default();
    let is_free = |port: u16| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok();
    [(); N].map(|()| {
        loop {
            let port = 10_000 + (start + NEXT.fetch_add(2, Ordering::Relaxed)) % 20_000;
            if is_free(port) && is_free(port + 1) {
                break port;
            }
        }
    })
}

/// Where the reference agent is found that is started with these flags.
fn url_of(flags: &str, port: u16) -> String {
    let scheme = if flags.contains("--tls ") { "https" } else { "http" };
    let name = flags.split_once("--name ").and_then(|(_, name)| name.split_whitespace().next());
    format!("{scheme}://{}:{port}", name.unwrap_or("127.0.0.1"))
}

impl Drop for Agents {
    fn drop(&mut self) {
        // Requests may be under way that are never answered.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
