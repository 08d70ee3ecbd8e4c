//! HTTP as the suite speaks it: no redirects, no decompression, everything bounded and recorded; a request is sent again
//! only where the connection was gone or the server asked for it.

mod incoming;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::Instant;

use super::backoff::Backoff;
use super::dialing::{Dialing, Ways, looked_up};
use super::network::{Network, Transport};
use super::pace::Pace;
use super::raw::Duplex;
use crate::auth::token::Over;
use crate::auth::{Caller, Credentials, Header, Identity};
use crate::binding::{MOST_EVENTS, Outgoing, RawEvent, merge_headers};
use crate::profile::Operation;
use crate::room::{Holding, Room};
use crate::transcript::{Ended, Exchange, Limit, Request, TransportError};

pub(crate) use incoming::Incoming;

/// The bytes that are kept of a body that is longer: nobody reads it, and a report shows less.
pub(super) const KEPT_OF_TOO_MUCH: usize = 64 << 10;
/// How often a request that was answered with 429 is tried again.
const PATIENCE_WITH_429: usize = 3;
/// How many time limits a run waits, all in all, because of 429.
const BUDGET_FOR_429: u32 = 3;
/// Which part of the time limit an agent has to close a connection that is of no use to it any more.
const PARTS: u32 = 10;

/// How the client behaves.
#[derive(Debug, Clone)]
pub struct Settings {
    /// What is sent along, by the origin that a request goes to; masked in records.
    pub credentials: Credentials,
    /// How long to wait for each answer, for each event, and for a stream as a whole.
    pub timeout: Duration,
}

/// How one caller's requests go.
type Line = (Arc<Ways>, Arc<dyn Transport>);

/// The client.
pub struct Http {
    transport: Arc<dyn Transport>,
    ways: Arc<Ways>,
    /// Those of other callers, where some have certificates of their own.
    callers: Arc<BTreeMap<Caller, Line>>,
    settings: Settings,
    began: Instant,
    numbers: Arc<AtomicU64>,
    room: Room,
    backoff: Arc<Backoff>,
    pace: Arc<Pace>,
}

impl Http {
    /// A client that makes connections as this machine does.
    ///
    /// # Errors
    /// The TLS back end cannot be set up on this machine.
    pub fn new(settings: Settings) -> Result<Self, String> {
        Self::dialing(Dialing::default(), settings)
    }

    /// A client that makes connections in this way.
    ///
    /// # Errors
    /// The TLS back end cannot be set up on this machine, or not in this way.
    pub fn dialing(dialing: Dialing, settings: Settings) -> Result<Self, String> {
        let line = |caller| {
            let ways = Arc::new(Ways::new(dialing.of(caller)));
            let network: Arc<dyn Transport> = Arc::new(Network::new(&ways, settings.timeout)?);
            Ok::<Line, String>((ways, network))
        };
        let (ways, network) = line(Caller::Own)?;
        let mut callers = BTreeMap::new();
        // Who asks for nobody must not show what the run itself shows: connections are kept apart by caller.
        if dialing.certified().next().is_some() {
            let nobody = line(Caller::Nobody)?;
            for caller in Caller::ALL.into_iter().filter(|caller| *caller != Caller::Own) {
                let has_own = dialing.certificate_of(caller).is_some();
                callers.insert(caller, if has_own { line(caller)? } else { nobody.clone() });
            }
        }
        Ok(Self { callers: Arc::new(callers), ..Self::by(ways, network, settings) })
    }

    /// A client over any transport.
    pub fn over(transport: Arc<dyn Transport>, settings: Settings) -> Self {
        Self::by(Arc::new(Ways::new(Dialing::default())), transport, settings)
    }

    fn by(ways: Arc<Ways>, transport: Arc<dyn Transport>, settings: Settings) -> Self {
        let backoff = Backoff::new(settings.timeout.saturating_mul(BUDGET_FOR_429));
        Self {
            transport,
            ways,
            callers: Arc::default(),
            settings,
            began: Instant::now(),
            numbers: Arc::new(AtomicU64::new(1)),
            room: Room::default(),
            backoff: Arc::new(backoff),
            pace: Arc::default(),
        }
    }

    /// The same client for another run with its own credentials, whose exchanges are numbered and timed from its beginning.
    pub(crate) fn anew(&self, credentials: Credentials) -> Self {
        let settings = Settings { credentials, ..self.settings.clone() };
        let (callers, pace) = (Arc::clone(&self.callers), Arc::clone(&self.pace));
        Self { callers, pace, ..Self::by(Arc::clone(&self.ways), Arc::clone(&self.transport), settings) }
    }

    /// The same client for the rest of the run, which knows what cards gave, too.
    pub(crate) fn knowing(&self, found: impl IntoIterator<Item = Identity>) -> Self {
        self.with(self.settings.credentials.clone().and(found))
    }

    /// The same client in the name of a caller.
    pub(crate) fn in_the_name_of(&self, caller: Caller) -> Self {
        let client = self.with(self.settings.credentials.of(caller));
        match self.callers.get(&caller).cloned() {
            Some((ways, transport)) => Self { ways, transport, ..client },
            None => client,
        }
    }

    fn with(&self, credentials: Credentials) -> Self {
        Self {
            transport: Arc::clone(&self.transport),
            ways: Arc::clone(&self.ways),
            callers: Arc::clone(&self.callers),
            settings: Settings { credentials, ..self.settings.clone() },
            began: self.began,
            numbers: Arc::clone(&self.numbers),
            room: self.room.clone(),
            backoff: Arc::clone(&self.backoff),
            pace: Arc::clone(&self.pace),
        }
    }

    /// A number for the next exchange.
    pub(crate) fn next_number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    /// Numbers exchanges after those of another run.
    pub(crate) fn continue_after(&self, other: &Self) {
        self.numbers.fetch_max(other.numbers.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// What numbers the exchanges of the run.
    pub(super) fn numbers(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.numbers)
    }

    /// Of these hosts, those with an address that is not of the public internet, and those whose address is not known in time.
    pub(crate) async fn private_among(&self, hosts: BTreeSet<String>) -> BTreeSet<String> {
        let asked = hosts.into_iter().map(|host| async {
            let is_routed = tokio::time::timeout(self.settings.timeout, self.ways.is_routed(&host)).await;
            (!is_routed.unwrap_or(false)).then_some(host)
        });
        futures_util::future::join_all(asked).await.into_iter().flatten().collect()
    }

    /// The same client, but that a host is at these addresses, and is looked for nowhere else.
    ///
    /// # Errors
    /// Why it cannot be made.
    pub(crate) fn looking_at(&self, host: &str, addresses: &[IpAddr]) -> Result<Self, String> {
        self.along(|dialing| dialing.looking_at(host, addresses))
    }

    /// The same client, but that hosts beside these are connected to at public addresses only.
    ///
    /// # Errors
    /// Why it cannot be made.
    pub(crate) fn only_public(&self, beside: &BTreeSet<String>) -> Result<Self, String> {
        self.along(|dialing| dialing.only_public(beside))
    }

    /// The same client with other connections, for each caller.
    fn along(&self, change: impl Fn(&Dialing) -> Dialing) -> Result<Self, String> {
        let line = |(ways, transport): &Line| {
            let dialing = change(ways.dialing());
            let changed = transport.along(&dialing)?.unwrap_or_else(|| Arc::clone(transport));
            Ok::<Line, String>((Arc::new(ways.along(dialing)), changed))
        };
        let (ways, transport) = line(&(Arc::clone(&self.ways), Arc::clone(&self.transport)))?;
        let callers = self.callers.iter().map(|(caller, own)| Ok((*caller, line(own)?)));
        let callers = Arc::new(callers.collect::<Result<_, String>>()?);
        Ok(Self { ways, transport, callers, ..self.with(self.settings.credentials.clone()) })
    }

    /// The addresses of a host, as far as they are known in time; none if this client looks for no hosts.
    pub(crate) async fn addresses(&self, host: &str) -> Vec<IpAddr> {
        if !self.transport.looks_for_hosts() {
            return Vec::new();
        }
        let found = tokio::time::timeout(self.settings.timeout, looked_up(host)).await;
        found.ok().and_then(Result::ok).unwrap_or_default()
    }

    /// Whether it looks for hosts, which are thus at addresses.
    pub(crate) fn looks_for_hosts(&self) -> bool {
        self.transport.looks_for_hosts()
    }

    /// Whether the user says where a host is.
    pub(crate) fn is_told(&self, host: &str) -> bool {
        self.ways.dialing().is_told(host)
    }

    /// How connections are made.
    pub(super) fn ways(&self) -> &Arc<Ways> {
        &self.ways
    }

    /// Whether certificates of servers are taken as they come.
    pub(crate) fn verifies_nothing(&self) -> bool {
        self.ways.dialing().verifies_nothing()
    }

    /// The proxy on the way to a URL, without credentials; nothing where the way is straight.
    pub(crate) fn proxy_to(&self, url: &str) -> Option<String> {
        self.ways.proxy_to(url).map(|proxy| proxy.to_string())
    }

    /// Whether a certificate of the suite's is shown where one is asked for.
    pub(crate) fn has_certificate(&self) -> bool {
        self.ways.dialing().has_certificate()
    }

    /// How long the suite waits for an answer.
    pub(crate) fn timeout(&self) -> Duration {
        self.settings.timeout
    }

    /// What may be sent where.
    pub(crate) fn credentials(&self) -> &Credentials {
        &self.settings.credentials
    }

    /// Headers of a request to a URL beside its own; they are masked in records.
    pub(super) fn headers_for(&self, url: &str) -> Vec<Header> {
        self.settings.credentials.headers_for(url)
    }

    /// The same client, which sends at most so many requests a second.
    #[must_use]
    pub(crate) fn at_most(self, rate: Option<f64>) -> Self {
        Self { pace: Arc::new(Pace::new(rate)), ..self }
    }

    /// Waits until a request to a URL may go, and what goes along with it holds. Where that holds no more, the run is about to be
    /// ended, and the request is not sent.
    pub(super) async fn may_go(&self, url: &str) -> Result<(), Ended> {
        self.pace.turn().await;
        let Err(Over { why, .. }) = self.settings.credentials.hold_for(url).await else { return Ok(()) };
        // Nothing may be made of this before the run has ended.
        tokio::time::sleep(self.settings.timeout).await;
        Err(Ended::Failed(TransportError::Other(why)))
    }

    /// When it was made, which is where the times of exchanges begin.
    pub(crate) fn began(&self) -> Instant {
        self.began
    }

    /// A connection to the host of a URL, for bytes as they are.
    pub(super) async fn dial(&self, url: &str) -> Result<Box<dyn Duplex>, Ended> {
        self.transport.dial(url).await
    }

    /// Whether a connection to the host of a URL can be made, over which nothing is sent.
    pub(crate) async fn connects(&self, url: &str) -> Result<(), Ended> {
        self.transport.dial(url).await.map(drop)
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
    pub(crate) async fn send(&self, number: u64, outgoing: Outgoing) -> Incoming {
        let mut tries = 0;
        loop {
            self.backoff.pass().await;
            if let Err(ended) = self.may_go(&outgoing.url).await {
                let mut incoming = self.begin(number, &outgoing);
                incoming.end(ended);
                return incoming;
            }
            let mut incoming = self.send_once(number, &outgoing, false).await;
            if incoming.ended == Some(Ended::Failed(TransportError::Reset)) {
                incoming = self.send_once(number, &outgoing, true).await;
            }
            let wait = incoming.retry_after().filter(|_| tries < PATIENCE_WITH_429);
            if !wait.is_some_and(|wait| self.backoff.ask(Instant::now(), wait)) {
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
            params: Arc::default(),
            rpc_id: None,
            purpose: purpose.to_owned(),
        };
        let mut incoming = self.begin(number, &outgoing);
        incoming.end(Ended::Failed(TransportError::Other(reason.to_owned())));
        incoming
    }

    fn begin(&self, number: u64, outgoing: &Outgoing) -> Incoming {
        let sent = Instant::now();
        let mut recorded = outgoing.headers.clone();
        recorded.extend(self.headers_for(&outgoing.url).into_iter().map(|(name, _)| (name, "***".to_owned())));
        let request = Request {
            method: outgoing.method.clone(),
            url: outgoing.url.clone(),
            headers: recorded,
            body: outgoing.body.clone(),
            is_verbatim: false,
            operation: outgoing.operation,
            params: outgoing.params.clone(),
            rpc_id: outgoing.rpc_id.clone(),
        };
        Incoming::new(number, outgoing.purpose.clone(), request, self.since_start(sent), sent)
    }

    async fn send_once(&self, number: u64, outgoing: &Outgoing, anew: bool) -> Incoming {
        let mut incoming = self.begin(number, outgoing);
        let credentials = self.headers_for(&outgoing.url);
        // What is recorded has no value that goes along with it.
        let sent = match self.settings.credentials.address(&outgoing.url) {
            Cow::Borrowed(_) => Cow::Borrowed(outgoing),
            Cow::Owned(url) => Cow::Owned(Outgoing { url, ..outgoing.clone() }),
        };
        let head = self.transport.send(&sent, &credentials, anew);
        match tokio::time::timeout(self.settings.timeout, head).await {
            Err(_) => incoming.end(Ended::TimedOut(self.settings.timeout)),
            Ok(Err(ended)) => incoming.end(ended),
            Ok(Ok(head)) => incoming.begin(head),
        }
        incoming
    }

    /// A plain request outside any binding, such as for the card, read to its end.
    pub(crate) async fn fetch(
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
            params: Arc::default(),
            rpc_id: None,
            purpose: purpose.to_owned(),
        };
        let mut incoming = self.send(self.next_number(), outgoing).await;
        incoming.decoder = None;
        self.read_to_end(&mut incoming).await;
        incoming.into_exchange()
    }

    /// Waits until the agent has closed a connection over which nothing is sent, as it does once it sees its end: before that it sees
    /// the ends of those that were closed before. Who does not close it at once is not waited for.
    pub(crate) async fn is_seen_closed(&self, url: &str) {
        let closed = async {
            let mut connection = self.transport.dial(url).await.ok()?;
            connection.shutdown().await.ok()?;
            connection.read(&mut [0]).await.ok()
        };
        let _ = tokio::time::timeout(self.settings.timeout / PARTS, closed).await;
    }

    /// Reads the body of a response that is no stream. The time limit is for the whole of it: a body that trickles could go on
    /// for ever otherwise.
    pub(crate) async fn read_to_end(&self, incoming: &mut Incoming) {
        let limit = self.settings.timeout;
        while incoming.ended.is_none() && !incoming.is_stream() {
            match limit.checked_sub(incoming.age()).filter(|left| !left.is_zero()) {
                Some(left) => self.receive_within(incoming, left).await,
                None => incoming.end(Ended::TimedOut(limit)),
            }
        }
    }

    /// The next event of a stream, or `None` when there is none within `patience` or it is over.
    pub(crate) async fn next_event(&self, incoming: &mut Incoming, patience: Option<Duration>) -> Option<RawEvent> {
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

    /// Runs a case, so that it and others do not wait for each other's large answers for ever.
    pub(crate) async fn in_turn<T>(&self, case: impl Future<Output = T>) -> T {
        self.room.in_turn(case).await
    }

    /// The room for the answers of a run.
    #[cfg(test)]
    pub(crate) fn room(&self) -> &Room {
        &self.room
    }

    /// Waits for room for an answer, as long as for the answer itself; `false` when there is none even then.
    pub(super) async fn fits(&self, holding: &mut Holding, at_once: bool) -> bool {
        holding.fits(&self.room, at_once, self.settings.timeout).await
    }

    /// Takes the next piece of the body, if one comes in time.
    async fn receive_within(&self, incoming: &mut Incoming, wait: Duration) {
        let Some(body) = incoming.body.as_mut() else { return incoming.end(Ended::Complete) };
        match tokio::time::timeout(wait, body.piece()).await {
            Err(_) => {}
            Ok(Ok(Some(chunk))) => {
                incoming.holding.weight.add_text(&chunk);
                let at_once = !incoming.is_stream();
                match self.fits(&mut incoming.holding, at_once).await {
                    true => incoming.take(&chunk),
                    false => incoming.end(Ended::Endless(Limit::Memory)),
                }
            }
            Ok(Ok(None)) => incoming.end(Ended::Complete),
            Ok(Err(ended)) => incoming.end(ended),
        }
    }
}

#[cfg(test)]
mod tests;
