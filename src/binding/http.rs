//! HTTP as the suite speaks it: no redirects, no decompression, everything bounded and recorded; a request is sent again
//! only where the connection was gone or the server asked for it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use serde_json::Value;

use super::backoff::Backoff;
use super::trouble;
use crate::auth::{Credentials, Header, Identity};
use crate::profile::Operation;
use crate::room::{Holding, Room};
use crate::transcript::{Ended, Exchange, Limit, Request, Response, Trouble};
use crate::wire::http::{MediaType, retry_after};
use crate::wire::sse;

/// The most bytes of one body that the suite holds.
pub const LONGEST_BODY: usize = 4 << 20;
/// The bytes that are kept of a body that is longer: nobody reads it, and a report shows less.
pub(super) const KEPT_OF_TOO_MUCH: usize = 64 << 10;
/// The most events of one stream that the suite reads.
pub const MOST_EVENTS: usize = 2_000;
/// How long a connection may be idle and still be used again.
const LONGEST_IDLE: Duration = Duration::from_secs(2);
/// How often a request that was answered with 429 is tried again.
const PATIENCE_WITH_429: usize = 3;
/// How many time limits a run waits, all in all, because of 429.
const BUDGET_FOR_429: u32 = 3;

/// How the client behaves.
#[derive(Debug, Clone)]
pub struct Settings {
    /// What is sent along, by the origin that a request goes to; masked in records.
    pub credentials: Credentials,
    /// How long to wait for each answer, for each event, and for a stream as a whole.
    pub timeout: Duration,
}

/// A request, ready to be sent.
#[derive(Debug, Clone)]
pub struct Outgoing {
    /// HTTP method.
    pub method: String,
    /// Where it goes.
    pub url: String,
    /// Its headers.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Bytes,
    /// The operation that it calls.
    pub operation: Option<Operation>,
    /// The canonical parameters of the call.
    pub params: Value,
    /// Its JSON-RPC id.
    pub rpc_id: Option<Value>,
    /// What it is for.
    pub purpose: String,
}

/// An event of a stream, undecoded.
#[derive(Debug, Clone)]
pub struct RawEvent {
    /// When it was complete, since the request.
    pub after: Duration,
    /// The event.
    pub event: sse::Event,
}

impl RawEvent {
    /// The first events of a body, which came at these times.
    pub(super) fn all_in(body: &[u8], times: &[Duration]) -> Vec<Self> {
        let items = match sse::Decoder::new(sse::Limits::default()).push(body) {
            Ok(items) => items,
            Err(error) => error.items,
        };
        let events = items.into_iter().filter_map(event_of);
        events.zip(times).map(|(event, after)| Self { after: *after, event }).collect()
    }
}

fn event_of(item: sse::Item) -> Option<sse::Event> {
    match item {
        sse::Item::Event(event) => Some(event),
        sse::Item::Comment(_) | sse::Item::Undispatched(_) => None,
    }
}

/// The client.
pub struct Http {
    client: reqwest::Client,
    /// Opens a connection for each request.
    fresh: reqwest::Client,
    settings: Settings,
    began: Instant,
    numbers: Arc<AtomicU64>,
    room: Room,
    backoff: Arc<Backoff>,
}

/// A response that is being read.
pub struct Incoming {
    number: u64,
    purpose: String,
    request: Request,
    at: Duration,
    sent: Instant,
    head: Option<(u16, Vec<(String, String)>)>,
    body: Option<reqwest::Response>,
    received: BytesMut,
    decoder: Option<sse::Decoder>,
    waiting: VecDeque<RawEvent>,
    seen: usize,
    holding: Holding,
    ended: Option<Ended>,
    elapsed: Duration,
}

impl Http {
    /// A client.
    ///
    /// # Errors
    /// The TLS back end cannot be set up on this machine.
    pub fn new(settings: Settings) -> Result<Self, String> {
        let builder = || {
            reqwest::Client::builder()
                .redirect(reqwest::redirect::Policy::none())
                .no_proxy()
                .connect_timeout(settings.timeout)
                .tcp_nodelay(true)
                .user_agent(concat!("a2aspec/", env!("CARGO_PKG_VERSION")))
        };
        // Servers close idle connections after some seconds: one is better not used again just then.
        let client = builder().pool_idle_timeout(LONGEST_IDLE).build().map_err(|error| error.to_string())?;
        let fresh = builder().pool_max_idle_per_host(0).build().map_err(|error| error.to_string())?;
        Ok(Self::with(client, fresh, settings))
    }

    /// The same client for another run with its own credentials, whose exchanges are numbered and timed from its beginning.
    pub fn anew(&self, credentials: Credentials) -> Self {
        let settings = Settings { credentials, ..self.settings.clone() };
        Self::with(self.client.clone(), self.fresh.clone(), settings)
    }

    fn with(client: reqwest::Client, fresh: reqwest::Client, settings: Settings) -> Self {
        let backoff = Backoff::new(settings.timeout.saturating_mul(BUDGET_FOR_429));
        Self {
            client,
            fresh,
            settings,
            began: Instant::now(),
            numbers: Arc::new(AtomicU64::new(1)),
            room: Room::default(),
            backoff: Arc::new(backoff),
        }
    }

    /// The same client for the rest of the run, which knows what cards gave, too.
    pub fn knowing(&self, found: impl IntoIterator<Item = Identity>) -> Self {
        Self {
            client: self.client.clone(),
            fresh: self.fresh.clone(),
            settings: Settings { credentials: self.settings.credentials.clone().and(found), ..self.settings.clone() },
            began: self.began,
            numbers: Arc::clone(&self.numbers),
            room: self.room.clone(),
            backoff: Arc::clone(&self.backoff),
        }
    }

    /// A number for the next exchange.
    pub fn next_number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    /// How long the suite waits for an answer.
    pub fn timeout(&self) -> Duration {
        self.settings.timeout
    }

    /// What may be sent where.
    pub fn credentials(&self) -> &Credentials {
        &self.settings.credentials
    }

    /// Headers of a request to a URL beside its own; they are masked in records.
    pub(super) fn headers_for(&self, url: &str) -> Vec<&Header> {
        self.settings.credentials.headers_for(url)
    }

    /// When it was made, which is where the times of exchanges begin.
    pub fn began(&self) -> Instant {
        self.began
    }

    /// When something began, since then.
    pub(super) fn since_start(&self, at: Instant) -> Duration {
        at.duration_since(self.began)
    }

    /// Sends a request and waits for the head of the response. A 429 is waited out as it asks, by all requests, and as long
    /// as the budget of the run for that lasts.
    ///
    /// A server may close a connection at any time (RFC 9112 section 9.5), also while a request is on its way over it: one
    /// that nothing answered is sent once more, on a connection of its own.
    pub async fn send(&self, number: u64, outgoing: Outgoing) -> Incoming {
        let mut tries = 0;
        loop {
            self.backoff.pass().await;
            let mut incoming = self.send_once(&self.client, number, &outgoing).await;
            if incoming.ended == Some(Ended::Failed(Trouble::Reset)) {
                incoming = self.send_once(&self.fresh, number, &outgoing).await;
            }
            let wait = incoming.retry_after().filter(|_| tries < PATIENCE_WITH_429);
            if !wait.is_some_and(|wait| self.backoff.ask(tokio::time::Instant::now(), wait)) {
                return incoming;
            }
            tries += 1;
        }
    }

    /// What comes of a call that cannot be made.
    pub(super) fn nowhere(&self, number: u64, operation: Option<Operation>, purpose: &str, reason: &str) -> Incoming {
        let outgoing = Outgoing {
            method: String::new(),
            url: String::new(),
            headers: Vec::new(),
            body: Bytes::new(),
            operation,
            params: Value::Null,
            rpc_id: None,
            purpose: purpose.to_owned(),
        };
        let mut incoming = self.begin(number, &outgoing);
        incoming.end(Ended::Failed(Trouble::Other(reason.to_owned())));
        incoming
    }

    fn begin(&self, number: u64, outgoing: &Outgoing) -> Incoming {
        let sent = Instant::now();
        let mut recorded = outgoing.headers.clone();
        recorded.extend(self.headers_for(&outgoing.url).into_iter().map(|(name, _)| (name.clone(), "***".to_owned())));
        Incoming {
            number,
            purpose: outgoing.purpose.clone(),
            request: Request {
                method: outgoing.method.clone(),
                url: outgoing.url.clone(),
                headers: recorded,
                body: outgoing.body.clone(),
                operation: outgoing.operation,
                params: outgoing.params.clone(),
                rpc_id: outgoing.rpc_id.clone(),
            },
            at: self.since_start(sent),
            sent,
            head: None,
            body: None,
            received: BytesMut::new(),
            decoder: None,
            waiting: VecDeque::new(),
            seen: 0,
            holding: Holding::default(),
            ended: None,
            elapsed: Duration::ZERO,
        }
    }

    async fn send_once(&self, client: &reqwest::Client, number: u64, outgoing: &Outgoing) -> Incoming {
        let mut incoming = self.begin(number, outgoing);
        let method = match reqwest::Method::from_bytes(outgoing.method.as_bytes()) {
            Ok(method) => method,
            Err(error) => {
                incoming.end(Ended::Failed(Trouble::Other(error.to_string())));
                return incoming;
            }
        };
        let mut request = client.request(method, &outgoing.url).body(outgoing.body.clone());
        for (name, value) in outgoing.headers.iter().chain(self.headers_for(&outgoing.url)) {
            request = request.header(name, value);
        }
        match tokio::time::timeout(self.settings.timeout, request.send()).await {
            Err(_) => incoming.end(Ended::TimedOut(self.settings.timeout)),
            Ok(Err(error)) => incoming.end(trouble::ended(&error, self.settings.timeout)),
            Ok(Ok(response)) => incoming.begin(response),
        }
        incoming
    }

    /// A plain request outside any binding, such as for the card, read to its end.
    pub async fn fetch(
        &self,
        method: &str,
        url: &str,
        headers: &[(String, Option<String>)],
        purpose: &str,
    ) -> Exchange {
        let mut headers = merge_headers(&BTreeMap::new(), headers);
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("accept")) {
            headers.push(("accept".to_owned(), "application/json".to_owned()));
        }
        let outgoing = Outgoing {
            method: method.to_owned(),
            url: url.to_owned(),
            headers,
            body: Bytes::new(),
            operation: None,
            params: Value::Null,
            rpc_id: None,
            purpose: purpose.to_owned(),
        };
        let mut incoming = self.send(self.next_number(), outgoing).await;
        incoming.decoder = None;
        self.read_to_end(&mut incoming).await;
        incoming.into_exchange()
    }

    /// Reads the body of a response that is no stream.
    pub async fn read_to_end(&self, incoming: &mut Incoming) {
        while incoming.ended.is_none() && !incoming.is_stream() {
            self.receive(incoming, self.settings.timeout).await;
        }
    }

    /// The next event of a stream, or `None` when there is none within `patience` or it is over.
    pub async fn next_event(&self, incoming: &mut Incoming, patience: Option<Duration>) -> Option<RawEvent> {
        let deadline = patience.map(|patience| Instant::now() + patience);
        loop {
            if let Some(event) = incoming.waiting.pop_front() {
                incoming.seen += 1;
                return Some(event);
            }
            if incoming.ended.is_some() || !incoming.is_stream() {
                return None;
            }
            if incoming.seen >= MOST_EVENTS {
                incoming.end(Ended::Endless(Limit::Events(MOST_EVENTS)));
                return None;
            }
            let age = incoming.age();
            let Some(left) = self.settings.timeout.checked_sub(age).filter(|left| !left.is_zero()) else {
                let limit = self.settings.timeout;
                incoming.end(match incoming.seen {
                    0 => Ended::TimedOut(limit),
                    _ => Ended::Endless(Limit::Time(limit)),
                });
                return None;
            };
            let wait = match deadline {
                None => left,
                Some(deadline) => {
                    let patience = deadline.saturating_duration_since(Instant::now());
                    if patience.is_zero() {
                        return None;
                    }
                    patience.min(left)
                }
            };
            self.receive_within(incoming, wait).await;
        }
    }

    /// Waits for room for a body, as long as for the answer itself; `false` when there is none even then. A stream does not
    /// wait: what it has already is what others wait for.
    pub(super) async fn fits(&self, holding: &mut Holding, at_once: bool) -> bool {
        let patience = if at_once { self.settings.timeout } else { Duration::ZERO };
        holding.fits(&self.room, at_once, patience).await
    }

    async fn receive(&self, incoming: &mut Incoming, wait: Duration) {
        if !self.receive_within(incoming, wait).await {
            incoming.end(Ended::TimedOut(wait));
        }
    }

    /// Takes the next piece of the body; `false` when none came in time.
    async fn receive_within(&self, incoming: &mut Incoming, wait: Duration) -> bool {
        let Some(body) = incoming.body.as_mut() else {
            incoming.end(Ended::Complete);
            return true;
        };
        match tokio::time::timeout(wait, body.chunk()).await {
            Err(_) => return false,
            Ok(Ok(Some(chunk))) => {
                incoming.holding.weight.add_text(&chunk);
                let at_once = !incoming.is_stream();
                if !self.fits(&mut incoming.holding, at_once).await {
                    incoming.end(Ended::Endless(Limit::Memory));
                    return true;
                }
                incoming.take(&chunk);
            }
            Ok(Ok(None)) => incoming.end(Ended::Complete),
            Ok(Err(error)) => incoming.end(trouble::ended(&error, self.settings.timeout)),
        }
        true
    }
}

impl Incoming {
    fn begin(&mut self, response: reqwest::Response) {
        let headers: Vec<(String, String)> = response
            .headers()
            .iter()
            .map(|(name, value)| (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect();
        let media_type = headers.iter().find(|(name, _)| name == "content-type").map(|(_, value)| value.as_str());
        let is_stream = media_type.and_then(MediaType::parse).is_some_and(|kind| kind.essence() == "text/event-stream");
        if is_stream {
            self.decoder = Some(sse::Decoder::new(sse::Limits::default()));
        }
        self.head = Some((response.status().as_u16(), headers));
        self.body = Some(response);
    }

    fn take(&mut self, chunk: &[u8]) {
        if self.received.len() + chunk.len() > LONGEST_BODY {
            self.end(Ended::Endless(Limit::Bytes(LONGEST_BODY)));
            return;
        }
        self.received.extend_from_slice(chunk);
        let Some(decoder) = self.decoder.as_mut() else { return };
        let after = self.sent.elapsed();
        match decoder.push(chunk) {
            Ok(items) => {
                let events = items.into_iter().filter_map(event_of);
                self.waiting.extend(events.map(|event| RawEvent { after, event }));
            }
            Err(_) => self.end(Ended::Endless(Limit::Bytes(LONGEST_BODY))),
        }
    }

    fn end(&mut self, ended: Ended) {
        if self.ended.is_none() {
            self.elapsed = self.age();
            let is_too_much = matches!(ended, Ended::Endless(Limit::Bytes(_) | Limit::Memory));
            if is_too_much {
                self.received = BytesMut::from(self.received.get(..KEPT_OF_TOO_MUCH).unwrap_or(&self.received));
            }
            self.holding.end(!is_too_much);
            self.ended = Some(ended);
            self.body = None;
        }
    }

    /// How long it has been under way, apart from what it waited for the suite.
    fn age(&self) -> Duration {
        self.sent.elapsed().saturating_sub(self.holding.paused())
    }

    /// Drops the connection of a stream that is not over.
    pub fn hang_up(&mut self, left_open: bool) {
        self.end(if left_open { Ended::LeftOpen } else { Ended::HungUp });
    }

    /// Whether the response is an event stream.
    pub fn is_stream(&self) -> bool {
        self.decoder.is_some()
    }

    /// Whether nothing more will come.
    pub fn is_over(&self) -> bool {
        self.ended.is_some() && self.waiting.is_empty()
    }

    /// The status, once the head is there.
    pub fn status(&self) -> Option<u16> {
        self.head.as_ref().map(|(status, _)| *status)
    }

    /// The operation that was called.
    pub fn operation(&self) -> Option<Operation> {
        self.request.operation
    }

    fn retry_after(&self) -> Option<Duration> {
        let (status, headers) = self.head.as_ref()?;
        let value = headers.iter().find(|(name, _)| name == "retry-after").map(|(_, value)| value.as_str())?;
        retry_after(value).filter(|_| *status == 429)
    }

    /// The record of an exchange that goes on.
    pub fn snapshot(&self) -> Exchange {
        Exchange {
            number: self.number,
            purpose: self.purpose.clone(),
            request: self.request.clone(),
            response: self.head.clone().map(|(status, headers)| Response {
                status,
                headers,
                body: Bytes::copy_from_slice(&self.received),
                trailers: Vec::new(),
                text: None,
            }),
            ended: self.ended.clone().unwrap_or(Ended::HungUp),
            started: self.at,
            elapsed: if self.ended.is_some() { self.elapsed } else { self.age() },
            share: self.holding.share(),
        }
    }

    /// The record.
    pub fn into_exchange(self) -> Exchange {
        self.snapshot()
    }
}

/// The profile's headers with a step's own put over them; `None` leaves one out.
pub fn merge_headers(profile: &BTreeMap<String, String>, step: &[(String, Option<String>)]) -> Vec<(String, String)> {
    let overridden = |name: &str| step.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
    let kept = profile.iter().filter(|(name, _)| !overridden(name)).map(|(name, value)| (name.clone(), value.clone()));
    let own = step.iter().filter_map(|(name, value)| Some((name.clone(), value.clone()?)));
    kept.chain(own).collect()
}

#[cfg(test)]
mod tests;
