//! gRPC as the suite speaks it: bytes in and out of one HTTP/2 channel, no retries, no compression, everything bounded
//! and recorded.
//!
//! Knows nothing of A2A or of protobuf. tonic's plain client makes the requests and takes the messages out of the
//! responses; a tap between it and the channel keeps what came over the wire, so that a record does not depend on what
//! a client library makes of an answer. The channel is hyper's, with the TLS that `http` has, and not tonic's: that one
//! ends a call by itself when the deadline in `grpc-timeout` is over, and whether the agent does is for the suite to
//! see.

mod channel;
mod preface;
mod tap;
mod verbatim;

#[cfg(test)]
mod tests;

use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::time::Instant;
use tonic::metadata::MetadataMap;

use super::http::Http;
use crate::binding::grpc::{Address, Outgoing, RawMessage};
use crate::binding::{self, LONGEST_BODY, MOST_EVENTS};
use crate::profile::Operation;
use crate::room::Holding;
use crate::transcript::{Direction, Ended, Exchange, Limit, Request, Response, TransportError};
#[cfg(test)]
use crate::wire::grpc::Status;
use channel::Channel;
use tap::{Tap, Tape, hold};
use verbatim::Verbatim;

/// The content type of a request, unless it says otherwise.
const CONTENT_TYPE: &str = "application/grpc";
/// The name of the suite in requests.
const USER_AGENT: &str = concat!("a2aspec/", env!("CARGO_PKG_VERSION"));

/// The way to one gRPC interface.
pub(crate) struct Grpc {
    channel: Channel,
    address: Address,
    http: Arc<Http>,
}

/// A response that is being read.
///
/// Messages come out as long as they are framed as gRPC has it and not compressed. Whatever follows is recorded, too:
/// [`crate::wire::grpc::Decoder`] says of the body in the record what is wrong with it. A server that cancels the call
/// (RST_STREAM with CANCEL or NO_ERROR) looks as if it had ended the response without trailers: hyper tells no more.
pub(crate) struct Incoming {
    number: u64,
    purpose: String,
    request: Request,
    at: Duration,
    sent: Instant,
    tape: Arc<Mutex<Tape>>,
    /// Where messages come from, until there can be no more.
    messages: Option<tonic::Streaming<Bytes>>,
    seen: usize,
    holding: Holding,
    ended: Option<Ended>,
    elapsed: Duration,
}

impl Grpc {
    /// The way to an interface: `http://host:port`, `https://host:port` or `host:port`. Where the URL has no scheme,
    /// `tls` says whether to use TLS; if it does not, port 443 means TLS and every other plain text. Nothing is
    /// connected before the first call; from then on all calls share one connection as long as it lasts.
    ///
    /// # Errors
    /// The URL is none of these, or the TLS back end cannot be set up on this machine.
    pub(crate) fn new(url: &str, tls: Option<bool>, http: Arc<Http>) -> Result<Self, String> {
        let address = Address::parse(url, tls)?;
        let channel = Channel::new(http.ways(), http.timeout())?;
        Ok(Self { channel, address, http })
    }

    /// Sends a call and waits for the head of the response. A call that the agent did not look at, since it was about to
    /// close the connection or had enough to do on it, is made once more (RFC 9113 sections 6.8 and 8.7).
    pub(crate) async fn send(&self, number: u64, outgoing: Outgoing) -> Incoming {
        if let Err(ended) = self.http.may_go(&self.address.to_string()).await {
            let mut incoming = self.begin(number, &outgoing);
            incoming.end(ended);
            return incoming;
        }
        let incoming = self.send_once(number, outgoing.clone()).await;
        if incoming.was_not_looked_at() { self.send_once(number, outgoing).await } else { incoming }
    }

    /// A call as its parts would go over HTTP/2, `te` apart; nothing where the interface is reached with TLS.
    pub(crate) fn written(&self, outgoing: Outgoing) -> Option<binding::Outgoing> {
        let url = format!("{}{}", self.address, outgoing.path);
        let fixed = [("content-type", content_type(&outgoing)), ("user-agent", USER_AGENT)];
        let fixed = fixed.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let headers = fixed.into_iter().chain(outgoing.metadata).collect();
        let Outgoing { message: body, operation, params, purpose, .. } = outgoing;
        let method = "POST".to_owned();
        let written = binding::Outgoing { method, url, headers, body, operation, params, rpc_id: None, purpose };
        written.url.starts_with("http:").then_some(written)
    }

    fn begin(&self, number: u64, outgoing: &Outgoing) -> Incoming {
        let sent = Instant::now();
        Incoming {
            number,
            purpose: outgoing.purpose.clone(),
            request: self.record(outgoing),
            at: self.http.since_start(sent),
            sent,
            tape: Arc::new(Mutex::new(Tape::new(self.channel.clone()))),
            messages: None,
            seen: 0,
            holding: Holding::default(),
            ended: None,
            elapsed: Duration::ZERO,
        }
    }

    async fn send_once(&self, number: u64, outgoing: Outgoing) -> Incoming {
        let mut incoming = self.begin(number, &outgoing);
        let tape = Arc::clone(&incoming.tape);
        match tokio::time::timeout(self.http.timeout(), self.call(tape, outgoing)).await {
            Err(_) => incoming.end(Ended::TimedOut(self.http.timeout())),
            Ok(Err(refused)) => incoming.end(Ended::Failed(TransportError::Other(refused))),
            Ok(Ok(messages)) => {
                incoming.messages = messages;
                incoming.notice_end();
            }
        }
        incoming
    }

    /// Makes the call through tonic. What it says of failures is left aside, since the tape has what came; an error is
    /// a request that cannot be made.
    async fn call(
        &self,
        tape: Arc<Mutex<Tape>>,
        outgoing: Outgoing,
    ) -> Result<Option<tonic::Streaming<Bytes>>, String> {
        let path: PathAndQuery =
            outgoing.path.parse().map_err(|error| format!("{:?} is no path: {error}", outgoing.path))?;
        let origin = self.address.origin()?;
        let mut request = tonic::Request::new(());
        *request.metadata_mut() = MetadataMap::from_headers(self.metadata(&outgoing.metadata)?);
        let content_type = content_type(&outgoing)
            .parse()
            .map_err(|_| format!("{:?} cannot be sent as content-type", content_type(&outgoing)))?;
        let Outgoing { streams, message, prefix, .. } = outgoing;
        let tap = Tap { is_for_stream: streams, tape, content_type, message, prefix };
        let mut client = tonic::client::Grpc::with_origin(tap, origin).max_decoding_message_size(LONGEST_BODY);
        Ok(client.server_streaming(request, path, Verbatim).await.ok().map(tonic::Response::into_inner))
    }

    fn metadata(&self, own: &[(String, String)]) -> Result<HeaderMap, String> {
        let mut headers = HeaderMap::new();
        for (name, value) in own.iter().chain(&self.http.headers_for(&self.address.to_string())) {
            let wrong = |what: &str| format!("{name:?} cannot be sent as metadata: its {what} is not one of HTTP/2");
            let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong("name"))?;
            headers.append(key, HeaderValue::from_bytes(value.as_bytes()).map_err(|_| wrong("value"))?);
        }
        if !headers.contains_key(http::header::USER_AGENT) {
            headers.insert(http::header::USER_AGENT, HeaderValue::from_static(USER_AGENT));
        }
        Ok(headers)
    }

    fn record(&self, outgoing: &Outgoing) -> Request {
        let fixed = [("content-type", content_type(outgoing)), ("te", "trailers")];
        let mut headers: Vec<(String, String)> =
            fixed.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        headers.extend(outgoing.metadata.iter().cloned());
        let given = self.http.headers_for(&self.address.to_string());
        headers.extend(given.into_iter().map(|(name, _)| (name, "***".to_owned())));
        Request {
            method: "POST".to_owned(),
            url: format!("{}{}", self.address, outgoing.path),
            headers,
            body: outgoing.text.clone(),
            is_verbatim: false,
            operation: outgoing.operation,
            params: Arc::clone(&outgoing.params),
            rpc_id: None,
        }
    }

    /// The next message, or `None` when there is none within `patience` or the response is over. Without `patience`
    /// the wait is as long as the suite's time limit, which holds for the response as a whole, too.
    pub(crate) async fn next_message(&self, incoming: &mut Incoming, patience: Option<Duration>) -> Option<RawMessage> {
        let limit = self.http.timeout();
        let deadline = patience.map(|patience| Instant::now() + patience);
        loop {
            if incoming.is_full() {
                return None;
            }
            let Some(left) = limit.checked_sub(incoming.age()).filter(|left| !left.is_zero()) else {
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
            if let Ok(Some(message)) = tokio::time::timeout(wait, incoming.step()).await {
                if !self.http.fits(&mut incoming.holding, false).await {
                    incoming.end(Ended::Endless(Limit::Memory));
                    return None;
                }
                return Some(message);
            }
        }
    }

    /// Reads a response to its end and returns the messages that were left in it. Each piece of it may take as long as
    /// the suite's time limit.
    #[cfg(test)]
    pub(crate) async fn read_to_end(&self, incoming: &mut Incoming) -> Vec<RawMessage> {
        let limit = self.http.timeout();
        let mut messages = Vec::new();
        while !incoming.is_full() {
            match tokio::time::timeout(limit, incoming.step()).await {
                Err(_) => incoming.end(Ended::TimedOut(limit)),
                Ok(message) => messages.extend(message),
            }
        }
        messages
    }
}

impl Incoming {
    /// Takes the next piece of the response: a message, or something that is recorded and no more.
    async fn step(&mut self) -> Option<RawMessage> {
        if let Some(messages) = &mut self.messages {
            if let Ok(Some(bytes)) = messages.message().await {
                self.seen += 1;
                self.holding.weight.add_binary(&bytes);
                return Some(RawMessage { after: self.sent.elapsed(), bytes });
            }
            // It is over for tonic, at the trailers or at something that is no message. The record goes on.
            self.messages = None;
        }
        poll_fn(|context| hold(&self.tape).poll_piece(context)).await;
        self.notice_end();
        None
    }

    /// Whether there is nothing more to read, because the response is over or because it has grown too long.
    fn is_full(&mut self) -> bool {
        if self.ended.is_none() && self.seen >= MOST_EVENTS {
            self.end(Ended::Endless(Limit::Events(MOST_EVENTS)));
        }
        self.ended.is_some()
    }

    /// Ends with the tape, once there are no messages that were received and not taken yet.
    fn notice_end(&mut self) {
        let ended = hold(&self.tape).ended.clone();
        if let (Some(ended), None) = (ended, &self.messages) {
            self.end(ended);
        }
    }

    fn end(&mut self, ended: Ended) {
        if self.ended.is_none() {
            self.elapsed = self.age();
            let mut tape = hold(&self.tape);
            tape.stop();
            if matches!(ended, Ended::Endless(Limit::Bytes(_) | Limit::Memory)) {
                tape.keep_the_beginning();
                self.holding.end(false);
            }
            drop(tape);
            self.messages = None;
            self.ended = Some(ended);
        }
    }

    /// How long it has been under way, apart from what it waited for the suite.
    fn age(&self) -> Duration {
        self.sent.elapsed().saturating_sub(self.holding.paused())
    }

    /// Whether the agent said that it did nothing with the call.
    fn was_not_looked_at(&self) -> bool {
        let is_refused = Ended::Reset(h2::Reason::REFUSED_STREAM.into());
        let ended = self.ended.as_ref();
        ended.is_some_and(|ended| *ended == is_refused || *ended == Ended::Failed(TransportError::GoneAway))
            && hold(&self.tape).head.is_none()
    }

    /// Cancels the call if it is not over.
    pub(crate) fn hang_up(&mut self, left_open: bool) {
        self.end(if left_open { Ended::LeftOpen } else { Ended::HungUp });
    }

    /// Whether nothing more will come.
    pub(crate) fn is_over(&self) -> bool {
        self.ended.is_some()
    }

    /// The operation that was called.
    pub(crate) fn operation(&self) -> Option<Operation> {
        self.request.operation
    }

    /// What the response says of the outcome of the call, once it is over; `None` where it says nothing.
    #[cfg(test)]
    pub(crate) fn status(&self) -> Option<Status> {
        let tape = hold(&self.tape);
        let (_, headers) = tape.head.as_ref().filter(|_| self.is_over())?;
        Status::read(headers, &tape.trailers)
    }

    /// The record of an exchange that goes on.
    pub(crate) fn snapshot(&self) -> Exchange {
        let tape = hold(&self.tape);
        Exchange {
            number: self.number,
            purpose: self.purpose.clone(),
            direction: Direction::Outbound,
            request: self.request.clone(),
            response: tape.head.clone().map(|(status, headers)| Response {
                status,
                headers,
                body: Bytes::copy_from_slice(&tape.received),
                trailers: tape.trailers.clone(),
                text: None,
            }),
            ended: self.ended.clone().unwrap_or(Ended::HungUp),
            started: self.at,
            elapsed: if self.ended.is_some() { self.elapsed } else { self.age() },
            share: self.holding.share(),
        }
    }

    /// The record.
    pub(crate) fn into_exchange(self) -> Exchange {
        self.snapshot()
    }
}

fn content_type(outgoing: &Outgoing) -> &str {
    outgoing.content_type.as_deref().unwrap_or(CONTENT_TYPE)
}
