//! What has come over a connection.

use std::sync::Arc;

use bytes::Bytes;
use tokio::time::Instant;

use super::Script;
use crate::binding::written::split;
use crate::transcript::{Ended, Fate, Limit, Request, TransportError};
use crate::transport::http::{Http, Incoming};
use crate::wire::http1::{Decoder, Ending, Field, Http1Error, Item, Limits};

/// The most answers of one connection that are kept.
const MOST_ANSWERS: usize = 256;

/// The answers so far, the last of which may not be complete.
pub(super) struct Received<'a> {
    http: &'a Http,
    decoder: Decoder,
    /// How the first answer is recorded, and each that is of no request of its own.
    request: Request,
    /// The requests that were written, each for the answer in its place.
    requests: Vec<Bytes>,
    purpose: String,
    sent: Instant,
    number: u64,
    pub answers: Vec<Incoming>,
    pub interim: Vec<u16>,
    /// How many of the answers are complete.
    pub complete: usize,
}

impl<'a> Received<'a> {
    /// Nothing yet; the first answer has this number.
    pub fn new(http: &'a Http, number: u64, request: Request, script: &Script) -> Self {
        let mut decoder = Decoder::new(Limits::default());
        for _ in 0..script.answers {
            decoder.answers(&script.meant.method);
        }
        let (answers, interim, purpose) = (Vec::new(), Vec::new(), script.meant.purpose.clone());
        let requests = split(&request.body);
        Self { http, decoder, request, requests, purpose, sent: Instant::now(), number, answers, interim, complete: 0 }
    }

    /// Takes the next bytes; says what the connection came to where they are the last that can be read.
    pub async fn take(&mut self, bytes: &[u8]) -> Option<Fate> {
        let (items, failure) = match self.decoder.push(bytes) {
            Ok(items) => (items, None),
            Err(Http1Error { kind, offset, items }) => (items, Some(format!("{kind} at byte {offset}"))),
        };
        for item in items {
            if !self.add(item).await {
                return Some(Fate::Open);
            }
        }
        let failure = failure?;
        self.end(Ended::Failed(TransportError::NotHttp1(failure)));
        Some(Fate::Unreadable)
    }

    /// Adds what an answer consists of; `false` where no more is read.
    async fn add(&mut self, item: Item) -> bool {
        match item {
            Item::Interim(head) => self.interim.push(head.status),
            Item::Head(head) => {
                if self.answers.len() >= MOST_ANSWERS {
                    return false;
                }
                let mut incoming = self.incoming();
                incoming.begin_with(head.status, named(head.fields));
                self.answers.push(incoming);
            }
            Item::Data(data) => {
                let Some(incoming) = self.answers.last_mut() else { return true };
                incoming.holding.weight.add_text(&data);
                let at_once = !incoming.is_stream();
                if self.http.fits(&mut incoming.holding, at_once).await {
                    incoming.take(&data);
                } else {
                    incoming.end(Ended::Endless(Limit::Memory));
                }
                return incoming.ended.is_none();
            }
            Item::End { trailers, .. } => {
                if let Some(incoming) = self.answers.last_mut() {
                    incoming.trailers = named(trailers);
                    incoming.end(Ended::Complete);
                }
                self.complete += 1;
            }
        }
        true
    }

    /// The connection has been closed by the agent.
    pub fn close(&mut self) -> Fate {
        match self.decoder.finish() {
            Ending::Between if self.answers.is_empty() => self.begin_and_end(Ended::Closed),
            Ending::Between => {}
            Ending::WithBody => {
                self.complete += 1;
                self.end(Ended::Complete);
            }
            Ending::InHead => self.begin_and_end(Ended::Failed(TransportError::Reset)),
            Ending::InBody => self.end(Ended::Failed(TransportError::Reset)),
        }
        Fate::Closed
    }

    /// Ends the answer that is not complete, or says that none has come. What is no HTTP/1.1 stands for an answer of its own.
    pub fn end(&mut self, ended: Ended) {
        let is_other = matches!(ended, Ended::Failed(TransportError::NotHttp1(_)));
        match self.answers.last_mut() {
            Some(last) if last.ended.is_none() => last.end(ended),
            Some(_) if !is_other => {}
            _ => self.begin_and_end(ended),
        }
    }

    /// Adds an answer without so much as a head.
    fn begin_and_end(&mut self, ended: Ended) {
        let mut incoming = self.incoming();
        incoming.end(ended);
        self.answers.push(incoming);
    }

    fn incoming(&self) -> Incoming {
        let number = if self.answers.is_empty() { self.number } else { self.http.next_number() };
        let at = self.http.since_start(self.sent);
        Incoming::new(number, self.purpose.clone(), self.own_request(), at, self.sent)
    }

    /// The request of the next answer: servers answer in order (RFC 9112 section 9.3.2). Of another request than the first it is
    /// not known what it calls.
    fn own_request(&self) -> Request {
        let first = self.requests.first();
        match self.requests.get(self.answers.len()) {
            Some(own) if Some(own) == first => Request { body: own.clone(), ..self.request.clone() },
            Some(own) => Request {
                body: own.clone(),
                operation: None,
                params: Arc::default(),
                rpc_id: None,
                ..self.request.clone()
            },
            // More answers than requests: nothing asked for this one.
            None if !self.answers.is_empty() => {
                Request { operation: None, params: Arc::default(), rpc_id: None, ..self.request.clone() }
            }
            None => self.request.clone(),
        }
    }
}

/// Fields by names in lower case, as records have them.
fn named(fields: Vec<Field>) -> Vec<(String, String)> {
    fields.into_iter().map(|field| (field.name.to_ascii_lowercase(), field.value)).collect()
}
