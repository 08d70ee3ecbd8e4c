//! Requests of the agent to the suite: a receiver on this machine, for webhooks.
//!
//! A [`Receiver`] listens on a free port of the loopback interface until it is dropped. It answers each request as it was told,
//! and keeps the record of it as an [`Exchange`] with [`Direction::Inbound`]: the request is the agent's, the response the
//! suite's own. Whoever waits for a request is woken by it, and never sleeps.

mod reply;
mod request;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;

use super::http::Http;
use crate::transcript::{Direction, Ended, Exchange, Request, Response};
pub use reply::{Answering, Reply};
use request::Received;

/// The most requests whose record is kept.
pub const MOST_DELIVERIES: usize = 1_000;
/// The most connections at once; those beyond wait.
const MOST_CONNECTIONS: usize = 64;

/// A receiver at work.
pub struct Receiver {
    url: String,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

/// What a receiver and its connections share.
struct Shared {
    purpose: String,
    /// Where times begin, and the numbers of the run.
    began: Instant,
    numbers: Arc<AtomicU64>,
    /// How long the suite waits for the rest of a request.
    timeout: Duration,
    answering: Mutex<Queue>,
    deliveries: watch::Sender<Vec<Arc<Exchange>>>,
    /// Hears of each as it comes.
    heard: Box<Heard>,
}

/// What hears of a request.
type Heard = dyn Fn(&Arc<Exchange>) + Send + Sync;

/// What is answered.
struct Queue {
    /// To the next requests, one each.
    next: VecDeque<Answering>,
    /// To those after them.
    after: Answering,
}

impl Receiver {
    /// Listens on a free port of the loopback interface. Requests are numbered and timed among the exchanges of `http`, and
    /// answered with 200 until something else is told. `heard` is called for each as it comes.
    ///
    /// # Errors
    /// There is no port.
    pub async fn start(
        http: &Http,
        purpose: &str,
        heard: impl Fn(&Arc<Exchange>) + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let shared = Arc::new(Shared {
            purpose: purpose.to_owned(),
            began: http.began(),
            numbers: http.numbers(),
            timeout: http.timeout(),
            answering: Mutex::new(Queue { next: VecDeque::new(), after: Answering::default() }),
            deliveries: watch::Sender::default(),
            heard: Box::new(heard),
        });
        let server = tokio::spawn(serve(listener, url.clone(), Arc::clone(&shared)));
        Ok(Self { url, shared, server })
    }

    /// Where it listens, such as `http://127.0.0.1:40123`: any path below it is received.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Answers all requests like this from now on.
    pub fn answer(&self, answering: Answering) {
        *self.lock() = Queue { next: VecDeque::new(), after: answering };
    }

    /// Answers the next requests like this, one each in the order in which they come, before it goes on as it did.
    pub fn answer_next(&self, answerings: impl IntoIterator<Item = Answering>) {
        self.lock().next.extend(answerings);
    }

    /// The requests so far, in the order in which they were complete.
    pub fn deliveries(&self) -> Vec<Arc<Exchange>> {
        self.shared.deliveries.borrow().clone()
    }

    /// Waits for the `nth` request, counted from 1; nothing where it does not come within `patience`. A request has come when
    /// it is complete, whether it has been answered or not.
    pub async fn delivery(&self, nth: usize, patience: Duration) -> Option<Arc<Exchange>> {
        let mut deliveries = self.shared.deliveries.subscribe();
        let waited = deliveries.wait_for(|all| all.len() >= nth.max(1));
        let all = tokio::time::timeout(patience, waited).await.ok()?.ok()?;
        all.get(nth.max(1) - 1).cloned()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Queue> {
        self.shared.answering.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn serve(listener: TcpListener, url: String, shared: Arc<Shared>) {
    // Dropping the set ends the connections.
    let mut connections = JoinSet::new();
    loop {
        if connections.len() >= MOST_CONNECTIONS {
            let _ended = connections.join_next().await;
        }
        let Ok((stream, _)) = listener.accept().await else {
            // There may be more sockets again once one of ours has ended.
            if connections.join_next().await.is_none() {
                return;
            }
            continue;
        };
        connections.spawn(reply::converse(stream, url.clone(), Arc::clone(&shared)));
        while connections.try_join_next().is_some() {}
    }
}

impl Shared {
    /// What is answered to the next request.
    fn next_answering(&self) -> Answering {
        let mut queue = self.answering.lock().unwrap_or_else(PoisonError::into_inner);
        queue.next.pop_front().unwrap_or_else(|| queue.after.clone())
    }

    /// Notes a request, and what it is answered, as long as there is room.
    fn note(&self, url: &str, received: Received, at: Instant, reply: Option<&Reply>, ended: Ended) {
        if self.deliveries.borrow().len() >= MOST_DELIVERIES {
            return;
        }
        let response = match reply {
            Some(Reply::Head { status, headers }) => Some((*status, headers.clone())),
            Some(Reply::Close | Reply::Silence) | None => None,
        };
        let exchange = Exchange {
            number: self.numbers.fetch_add(1, Ordering::Relaxed),
            purpose: self.purpose.clone(),
            direction: Direction::Inbound,
            request: Request {
                url: format!("{url}{}", received.target),
                method: received.method,
                headers: received.headers,
                body: received.body.freeze(),
                is_verbatim: false,
                operation: None,
                params: serde_json::Value::Null,
                rpc_id: None,
            },
            response: response.map(|(status, headers)| Response {
                status,
                headers,
                body: Bytes::new(),
                trailers: Vec::new(),
                text: None,
            }),
            ended,
            started: at.duration_since(self.began),
            elapsed: at.elapsed(),
            share: None,
        };
        let exchange = Arc::new(exchange);
        (self.heard)(&exchange);
        self.deliveries.send_modify(|all| all.push(exchange));
    }
}
