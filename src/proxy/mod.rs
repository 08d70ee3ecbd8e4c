//! A reverse proxy before an agent: it passes everything on as it came, and has the traffic judged while it flows.
//!
//! Enters: an agent that was found by its card, and where to listen. Leaves: a [`Judged`], of what clients and the agent said to each
//! other. Of what passes it changes one thing, the addresses in the card, which lead to itself; and what the user asks for ([`Vary`]).

mod address;
mod forward;
mod record;
mod serve;
mod tap;
mod vary;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::traffic::{Judged, Traffic, TrafficError};
use crate::transport::Dialing;
use crate::transport::inbound::ServerTls;
use crate::transport::relay::Relay;
use address::Places;
use forward::Shared;
use record::Recorder;
pub(crate) use record::Recording;
pub(crate) use vary::Vary;

/// How long a connection to the agent may take to be made.
const CONNECTING: Duration = Duration::from_secs(10);
/// How long exchanges may go on that are under way when the proxy ends.
const ENDING: Duration = Duration::from_secs(2);

/// What is wanted.
pub(crate) struct Wanted {
    /// The URLs of the agent's card and of its interfaces: what is at these origins is reached through the proxy.
    pub urls: Vec<String>,
    /// Where the proxy listens for what goes to the first of them; port 0 takes a free one. The other origins have the ports that
    /// follow.
    pub address: SocketAddr,
    /// What it shows to clients, which then come by TLS.
    pub tls: Option<ServerTls>,
    /// How it connects to the agent.
    pub dialing: Dialing,
    /// Whether the card is passed on with the agent's own addresses.
    pub keeps_card: bool,
    /// The share of the exchanges that are judged and recorded, from 0 to 1.
    pub sample: f64,
    /// What is changed on the way.
    pub vary: Vary,
}

/// Why there is no proxy.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProxyError {
    /// It cannot listen.
    #[error("the proxy cannot listen on {address}: {error}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why.
        error: io::Error,
    },
    /// There is no way to the agent.
    #[error("{0}")]
    Client(String),
}

/// A proxy at work.
pub(crate) struct Proxy {
    places: Arc<Places>,
    servers: JoinSet<()>,
    closing: watch::Sender<bool>,
    shared: Arc<Shared>,
    recorder: Recorder,
}

impl Proxy {
    /// Begins to listen.
    ///
    /// # Errors
    /// [`ProxyError`].
    pub async fn start(wanted: Wanted, traffic: Traffic, recording: Recording) -> Result<Self, ProxyError> {
        let relay = Relay::new(wanted.dialing, CONNECTING).map_err(ProxyError::Client)?;
        let mut listeners = Vec::new();
        let mut places = Places::new(wanted.tls.is_some());
        for origin in address::origins(&wanted.urls) {
            let address = next(wanted.address, listeners.len());
            let listen = async {
                let listener = TcpListener::bind(address).await?;
                let bound = listener.local_addr()?;
                Ok((listener, bound))
            };
            let (listener, bound) = listen.await.map_err(|error| ProxyError::Listen { address, error })?;
            places.add(origin, bound);
            listeners.push(listener);
        }
        let places = Arc::new(places);
        let (recorder, sender) = Recorder::start(traffic, recording);
        let shared =
            Arc::new(Shared::new(relay, Arc::clone(&places), sender, (wanted.sample, wanted.vary), wanted.keeps_card));
        let closing = watch::Sender::new(false);
        let mut servers = JoinSet::new();
        let acceptor = wanted.tls.as_ref().map(|tls| tls.acceptor_for(&[b"h2", b"http/1.1"]));
        for (place, listener) in listeners.into_iter().enumerate() {
            servers.spawn(serve::serve(listener, place, acceptor.clone(), Arc::clone(&shared), closing.subscribe()));
        }
        Ok(Self { places, servers, closing, shared, recorder })
    }

    /// Where it listens, and what is reached there; the first is for the agent's URL.
    pub fn places(&self) -> impl Iterator<Item = (String, &str)> {
        self.places.all()
    }

    /// Ends once what is under way is over, or after a moment, and has the rest judged.
    ///
    /// # Errors
    /// Nothing that passed was a call of A2A.
    pub async fn finish(self, command: &str) -> Result<Judged, TrafficError> {
        let Self { mut servers, closing, shared, recorder, .. } = self;
        closing.send_replace(true);
        let ended = async { while servers.join_next().await.is_some() {} };
        // Either they have ended in time, or this ends them now.
        let _in_time = tokio::time::timeout(ENDING, ended).await;
        servers.shutdown().await;
        let left_out = shared.left_out.load(Ordering::Relaxed);
        drop(shared);
        recorder.finish(command, left_out).await
    }
}

/// The address of the listener with this place.
fn next(first: SocketAddr, place: usize) -> SocketAddr {
    let port = match first.port() {
        0 => 0,
        port => port.saturating_add(u16::try_from(place).unwrap_or(u16::MAX)),
    };
    SocketAddr::new(first.ip(), port)
}
