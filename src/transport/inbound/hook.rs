//! One webhook: a path of a receiver, what is answered there, and what has come.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::watch;
use tokio::time::Instant;

use super::request::Received;
use super::{MOST_DELIVERIES, MOST_HELD, Reply, Shared};
use crate::transcript::{Direction, Ended, Exchange, Request, Response};

/// A webhook. Its path ends when this is dropped.
pub struct Hook {
    url: String,
    name: String,
    path: Arc<Path>,
    shared: Arc<Shared>,
}

/// What a path is for.
pub(super) struct Path {
    purpose: String,
    replies: Mutex<Queue>,
    /// Whether what is held back is answered.
    is_released: watch::Sender<bool>,
    deliveries: watch::Sender<Vec<Arc<Exchange>>>,
    /// The bytes of bodies among them.
    held: AtomicUsize,
    /// Hears of each request as it comes.
    heard: Box<Heard>,
}

/// What hears of a request.
type Heard = dyn Fn(&Arc<Exchange>) + Send + Sync;

/// What is answered.
#[derive(Default)]
struct Queue {
    /// To the next requests, one each.
    next: VecDeque<Reply>,
    /// To those after them.
    after: Reply,
}

impl Hook {
    pub(super) fn new(url: String, name: String, path: Arc<Path>, shared: Arc<Shared>) -> Self {
        Self { url, name, path, shared }
    }

    /// What the agent is told to post to.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Answers all requests like this from now on.
    pub fn answer(&self, reply: Reply) {
        *self.path.queue() = Queue { next: VecDeque::new(), after: reply };
    }

    /// Answers the next requests like this, one each in the order in which they come, before it goes on as it did.
    pub fn answer_next(&self, replies: impl IntoIterator<Item = Reply>) {
        self.path.queue().next.extend(replies);
    }

    /// Answers what was held back, and holds back nothing more.
    pub fn release(&self) {
        self.path.is_released.send_replace(true);
    }

    /// The deliveries so far, in the order in which they were complete. What asks whether there is a webhook at all, by GET,
    /// HEAD or OPTIONS, is none.
    pub fn deliveries(&self) -> Vec<Arc<Exchange>> {
        self.path.deliveries.borrow().clone()
    }

    /// Keeps nothing more of what has come, for whoever has heard of it already. Gives how many deliveries that were.
    pub fn forget(&self) -> usize {
        let mut deliveries = 0;
        self.path.deliveries.send_modify(|all| deliveries = std::mem::take(all).len());
        self.path.let_go(&self.shared);
        deliveries
    }

    /// Waits until there are enough deliveries. A delivery has come when it is complete, whether it has been answered or not.
    /// Gives all that have come, and whether that was enough within `patience`.
    pub async fn wait(
        &self,
        patience: Duration,
        mut is_enough: impl FnMut(&[Arc<Exchange>]) -> bool,
    ) -> (Vec<Arc<Exchange>>, bool) {
        let mut deliveries = self.path.deliveries.subscribe();
        let waited = deliveries.wait_for(|all| is_enough(all));
        match tokio::time::timeout(patience, waited).await {
            Ok(Ok(all)) => (all.clone(), true),
            Ok(Err(_)) | Err(_) => (self.deliveries(), false),
        }
    }
}

impl Drop for Hook {
    fn drop(&mut self) {
        self.release();
        self.shared.paths().remove(&self.name);
        self.path.let_go(&self.shared);
    }
}

impl Path {
    pub fn new(purpose: &str, heard: impl Fn(&Arc<Exchange>) + Send + Sync + 'static) -> Self {
        Self {
            purpose: purpose.to_owned(),
            replies: Mutex::default(),
            is_released: watch::Sender::default(),
            deliveries: watch::Sender::default(),
            held: AtomicUsize::new(0),
            heard: Box::new(heard),
        }
    }

    /// Makes room for what others are to keep.
    fn let_go(&self, shared: &Shared) {
        shared.held.fetch_sub(self.held.swap(0, Ordering::Relaxed), Ordering::Relaxed);
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.replies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is answered to the next request.
    pub fn next_reply(&self) -> Reply {
        let mut queue = self.queue();
        queue.next.pop_front().unwrap_or_else(|| queue.after.clone())
    }

    /// Waits until the hook is released.
    pub async fn released(&self) {
        let mut is_released = self.is_released.subscribe();
        // Who asks holds the path, so that it is there as long as somebody waits.
        let _released = is_released.wait_for(|is_released| *is_released).await;
    }

    /// Notes a request, and what it is answered. Whether there was room for it.
    pub fn note(
        &self,
        (url, shared): (&str, &Shared),
        received: Received,
        at: Instant,
        reply: Option<&Reply>,
        ended: Ended,
    ) -> bool {
        let is_delivery = received.is_delivery();
        let size = received.body.len();
        let held = shared.held.fetch_add(size, Ordering::Relaxed).saturating_add(size);
        if held > MOST_HELD || self.deliveries.borrow().len() >= MOST_DELIVERIES {
            shared.held.fetch_sub(size, Ordering::Relaxed);
            return false;
        }
        self.held.fetch_add(size, Ordering::Relaxed);
        let response = match reply {
            Some(Reply::Head { status, headers }) => Some((*status, headers.clone())),
            Some(Reply::Held | Reply::Close | Reply::Silence) | None => None,
        };
        let exchange = Arc::new(Exchange {
            number: shared.numbers.fetch_add(1, Ordering::Relaxed),
            purpose: self.purpose.clone(),
            direction: Direction::Inbound,
            request: Request {
                url: format!("{url}{}", received.target),
                method: received.method,
                headers: received.headers,
                body: received.body.freeze(),
                is_verbatim: false,
                operation: None,
                params: Arc::default(),
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
            started: at.duration_since(shared.began),
            elapsed: at.elapsed(),
            share: None,
        });
        (self.heard)(&exchange);
        if is_delivery {
            shared.was_reached.store(true, Ordering::Relaxed);
            self.deliveries.send_modify(|all| all.push(exchange));
        }
        true
    }
}
