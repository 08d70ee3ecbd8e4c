//! Requests of the agent to the suite: a receiver for webhooks.
//!
//! A [`Receiver`] listens until it is dropped, on a free port of the loopback interface unless the user names another address.
//! Each [`Hook`] is a path of its own below it, which nobody guesses and which ends with the hook; what comes for any other path
//! is sent away. A hook answers each request as it was told, and keeps the record of it as an [`Exchange`] with
//! [`Direction::Inbound`](crate::transcript::Direction::Inbound): the request is the agent's, the response the suite's own.
//! Whoever waits for a delivery is woken by it, and never sleeps.

mod hook;
mod reply;
mod request;
#[cfg(test)]
mod tests;
mod tls;

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::accept::accept;
use super::http::Http;
use crate::secrets::random::unguessable;
use crate::transcript::Exchange;
pub use hook::Hook;
use hook::Path;
pub use reply::Reply;
pub use tls::ServerTls;
pub(crate) use tls::hosts;

/// The most deliveries of which a hook keeps the record.
pub const MOST_DELIVERIES: usize = 1_000;
/// The most bytes of bodies that all hooks keep at once; a delivery for which there is no room is answered with 503.
pub const MOST_HELD: usize = 16 << 20;
/// The most waits in vain before nobody waits for long any more, as long as nothing was ever delivered.
const MOST_SILENCES: usize = 2;
/// The most connections at once; those beyond wait.
const MOST_CONNECTIONS: usize = 64;

/// Where a receiver listens, and how the agent gets there.
#[derive(Debug, Clone)]
pub struct Listen {
    /// The address; port 0 takes a free one.
    pub address: SocketAddr,
    /// The URL that leads there from the agent, through a tunnel or an ingress; the address itself where it is not said.
    pub url: Option<String>,
    /// What is shown to those who come by TLS, which is then the only way; without it there is none.
    pub tls: Option<ServerTls>,
    /// Whether there are hooks at another origin, too: at another free port of the same address.
    pub is_elsewhere_too: bool,
}

impl Default for Listen {
    /// A free port of the loopback interface.
    fn default() -> Self {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        Self { address, url: None, tls: None, is_elsewhere_too: false }
    }
}

/// A receiver at work.
pub struct Receiver {
    url: String,
    /// The query that every hook at that URL has; empty: none.
    query: String,
    /// The URL at another origin, where it listens there, too.
    elsewhere: Option<String>,
    shared: Arc<Shared>,
    /// Those who accept connections, which end with this.
    servers: JoinSet<()>,
    /// Whether what is under way is the last.
    closing: watch::Sender<bool>,
}

/// What a receiver, its hooks and its connections share.
struct Shared {
    /// Where times begin, and the numbers of the run.
    began: Instant,
    numbers: Arc<AtomicU64>,
    /// How long the suite waits for the rest of a request.
    timeout: Duration,
    /// The hooks, by the part of the path that nobody guesses.
    paths: Mutex<HashMap<String, Arc<Path>>>,
    /// The bytes of bodies that are kept.
    held: AtomicUsize,
    /// Places for bodies that are longer than most while they are read.
    long: Semaphore,
    /// Whether anything was delivered yet.
    was_reached: AtomicBool,
    /// How often somebody waited in vain until then.
    silences: AtomicUsize,
    /// How the last handshake of TLS ended that came to nothing.
    handshake: Mutex<Option<String>>,
}

impl Receiver {
    /// Begins to listen. Requests are numbered and timed among the exchanges of `http`.
    ///
    /// # Errors
    /// The address cannot be listened on.
    pub async fn start(http: &Http, listen: &Listen) -> std::io::Result<Self> {
        let listener = TcpListener::bind(listen.address).await?;
        let scheme = if listen.tls.is_some() { "https" } else { "http" };
        let at = |address: SocketAddr| format!("{scheme}://{address}");
        let own = at(listener.local_addr()?);
        // What is asked for by the query, such as a tunnel's token, goes with each hook and stands in no other place.
        let said = listen.url.as_deref().map(|url| url.split_once('#').map_or(url, |(url, _)| url));
        let (url, query) = said.map(|url| url.split_once('?').unwrap_or((url, ""))).unwrap_or((&own, ""));
        let (url, query) = (url.trim_end_matches('/').to_owned(), query.to_owned());
        let second = match listen.is_elsewhere_too {
            true => Some(TcpListener::bind((listen.address.ip(), 0)).await?),
            false => None,
        };
        let elsewhere = second.as_ref().map(TcpListener::local_addr).transpose()?.map(at);
        let shared = Arc::new(Shared {
            began: http.began(),
            numbers: http.numbers(),
            timeout: http.timeout(),
            paths: Mutex::default(),
            held: AtomicUsize::new(0),
            long: Semaphore::new(reply::LONG_AT_ONCE),
            was_reached: AtomicBool::new(false),
            silences: AtomicUsize::new(0),
            handshake: Mutex::default(),
        });
        let closing = watch::Sender::new(false);
        let acceptor = listen.tls.as_ref().map(ServerTls::acceptor);
        let mut servers = JoinSet::new();
        for (listener, url) in [(Some(listener), Some(&url)), (second, elsewhere.as_ref())] {
            if let (Some(listener), Some(url)) = (listener, url) {
                let shared = Arc::clone(&shared);
                servers.spawn(serve(listener, acceptor.clone(), url.clone(), shared, closing.subscribe()));
            }
        }
        Ok(Self { url, query, elsewhere, shared, servers, closing })
    }

    /// Ends when what has come is answered, or after so long.
    pub(crate) async fn finish(mut self, limit: Duration) {
        self.closing.send_replace(true);
        // Either they have ended in time, or dropping `self` ends them now.
        let _in_time = tokio::time::timeout(limit, async { while self.servers.join_next().await.is_some() {} }).await;
    }

    /// The URL below which all hooks are, such as `http://127.0.0.1:40123`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Whether each hook has a query that the user has named.
    pub(crate) fn has_query(&self) -> bool {
        !self.query.is_empty()
    }

    /// Whether the agent was seen to get here: something was delivered to a hook.
    pub fn was_reached(&self) -> bool {
        self.shared.was_reached.load(Ordering::Relaxed)
    }

    /// How the last handshake of TLS ended that came to nothing: whoever it was may not trust the certificate.
    pub fn failed_handshake(&self) -> Option<String> {
        self.shared.handshake.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes that a delivery did not come in time.
    pub fn note_silence(&self) {
        self.shared.silences.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether it is no use to wait for long: the agent does not seem to get here.
    pub fn is_silent(&self) -> bool {
        !self.was_reached() && self.shared.silences.load(Ordering::Relaxed) >= MOST_SILENCES
    }

    /// A new hook, which answers with 200 until something else is told. `heard` is called for each request as it comes.
    ///
    /// # Errors
    /// The machine has no random numbers.
    pub fn hook(&self, purpose: &str, heard: impl Fn(&Arc<Exchange>) + Send + Sync + 'static) -> std::io::Result<Hook> {
        self.hook_below((&self.url, &self.query), purpose, heard)
    }

    /// The same at another origin.
    ///
    /// # Errors
    /// The machine has no random numbers, or the receiver listens at one origin only.
    pub fn hook_elsewhere(
        &self,
        purpose: &str,
        heard: impl Fn(&Arc<Exchange>) + Send + Sync + 'static,
    ) -> std::io::Result<Hook> {
        let url = self.elsewhere.as_deref().ok_or_else(|| std::io::Error::other("webhooks are at one origin only"))?;
        self.hook_below((url, ""), purpose, heard)
    }

    fn hook_below(
        &self,
        (url, query): (&str, &str),
        purpose: &str,
        heard: impl Fn(&Arc<Exchange>) + Send + Sync + 'static,
    ) -> std::io::Result<Hook> {
        let name = unguessable()?;
        let path = Arc::new(Path::new(purpose, heard));
        self.shared.paths().insert(name.clone(), Arc::clone(&path));
        let query = if query.is_empty() { String::new() } else { format!("?{query}") };
        Ok(Hook::new(format!("{url}/{name}{query}"), name, path, Arc::clone(&self.shared)))
    }
}

impl std::fmt::Debug for Receiver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Receiver").field("url", &self.url).finish_non_exhaustive()
    }
}

impl Shared {
    fn paths(&self) -> MutexGuard<'_, HashMap<String, Arc<Path>>> {
        self.paths.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Agrees on TLS with whoever came; nothing where that fails, which is noted.
    async fn shake_hands(&self, acceptor: &TlsAcceptor, stream: TcpStream) -> Option<TlsStream<TcpStream>> {
        let ended = match tokio::time::timeout(self.timeout, acceptor.accept(stream)).await {
            Ok(Ok(stream)) => return Some(stream),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "it stopped in the middle".to_owned(),
        };
        *self.handshake.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended);
        None
    }

    /// The hook of a path. What comes before its own part, and after it, is up to whatever stands before the receiver.
    fn path(&self, path: &str) -> Option<Arc<Path>> {
        let paths = self.paths();
        path.split('/').find_map(|segment| paths.get(segment).cloned())
    }
}

async fn serve(
    listener: TcpListener,
    acceptor: Option<TlsAcceptor>,
    url: String,
    shared: Arc<Shared>,
    closing: watch::Receiver<bool>,
) {
    accept(listener, MOST_CONNECTIONS, closing.clone(), |stream| {
        let (acceptor, url, shared, closing) = (acceptor.clone(), url.clone(), Arc::clone(&shared), closing.clone());
        async move {
            let Some(acceptor) = acceptor else { return reply::converse(stream, url, shared, closing).await };
            if let Some(stream) = shared.shake_hands(&acceptor, stream).await {
                reply::converse(stream, url, shared, closing).await;
            }
        }
    })
    .await;
}
