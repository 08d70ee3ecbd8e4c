//! What has come over a connection of HTTP/2: the answer on each stream.

use std::collections::BTreeMap;

use tokio::time::Instant;

use super::Script;
use crate::transcript::{Ended, Fate, Limit, Request, TransportError};
use crate::transport::http::{Http, Incoming};
use crate::wire::http2::{Decoder, Item};

/// The first stream of a client, and the most that are kept.
const FIRST: u32 = 1;
const MOST_STREAMS: usize = 256;

/// The answers so far, by their streams.
pub(super) struct Streams<'a> {
    http: &'a Http,
    decoder: Decoder,
    /// How each answer is recorded.
    request: Request,
    purpose: String,
    sent: Instant,
    /// The number of the answer on the first stream.
    number: u64,
    answers: BTreeMap<u32, Incoming>,
    interim: Vec<u16>,
}

impl<'a> Streams<'a> {
    /// Nothing yet; the answer on the first stream has this number.
    pub fn new(http: &'a Http, number: u64, request: Request, script: &Script) -> Self {
        let (purpose, sent) = (script.meant.purpose.clone(), Instant::now());
        let (decoder, answers, interim) = (Decoder::default(), BTreeMap::new(), Vec::new());
        Self { http, decoder, request, purpose, sent, number, answers, interim }
    }

    /// Takes the next bytes; says what the connection came to where they are the last that can be read.
    pub async fn take(&mut self, bytes: &[u8]) -> Option<Fate> {
        let (items, failure) = match self.decoder.push(bytes) {
            Ok(items) => (items, None),
            Err((items, failure)) => (items, Some(failure)),
        };
        for item in items {
            // Whoever gives the connection up for an error closes it (section 5.4.1); until then there is nothing to wait for.
            if matches!(item, Item::GoAway { code } if code != 0) {
                return Some(self.close());
            }
            self.add(item).await;
        }
        let failure = failure?;
        self.end(&Ended::Failed(TransportError::NotHttp2(failure.to_string())));
        Some(Fate::Unreadable)
    }

    async fn add(&mut self, item: Item) {
        match item {
            Item::Fields { stream, fields, is_last } => {
                let (pseudo, fields): (Vec<_>, Vec<_>) =
                    fields.into_iter().partition(|(name, _)| name.starts_with(':'));
                let status = pseudo.iter().find(|(name, _)| name == ":status").and_then(|(_, text)| text.parse().ok());
                if let Some(status @ 100..=199) = status {
                    self.interim.push(status);
                    return;
                }
                let Some(incoming) = self.on(stream) else { return };
                match status {
                    Some(status) => incoming.begin_with(status, fields),
                    None => incoming.trailers = fields,
                }
                if is_last {
                    incoming.end(Ended::Complete);
                }
            }
            Item::Data { stream, data, is_last } => {
                let http = self.http;
                let Some(incoming) = self.on(stream).filter(|incoming| incoming.ended.is_none()) else { return };
                incoming.holding.weight.add_text(&data);
                if http.fits(&mut incoming.holding, true).await {
                    incoming.take(&data);
                } else {
                    incoming.end(Ended::Endless(Limit::Memory));
                }
                if is_last {
                    incoming.end(Ended::Complete);
                }
            }
            Item::Reset { stream, code } => {
                self.on(stream).into_iter().for_each(|answer| answer.end(Ended::Reset(code)))
            }
            Item::GoAway { .. } | Item::Other { .. } => {}
        }
    }

    /// The answer on a stream, which begins where there is none yet.
    fn on(&mut self, stream: u32) -> Option<&mut Incoming> {
        if self.answers.len() >= MOST_STREAMS && !self.answers.contains_key(&stream) {
            return None;
        }
        let number = if stream == FIRST { self.number } else { self.http.next_number() };
        let at = self.http.since_start(self.sent);
        let begin = || Incoming::new(number, self.purpose.clone(), self.request.clone(), at, self.sent);
        Some(self.answers.entry(stream).or_insert_with(begin))
    }

    /// How many streams are over; none, as long as the first is not.
    pub fn complete(&self) -> usize {
        let is_over = |answer: &&Incoming| answer.ended.is_some();
        match self.answers.get(&FIRST).filter(is_over) {
            Some(_) => self.answers.values().filter(is_over).count(),
            None => 0,
        }
    }

    /// The connection has been closed by the agent.
    pub fn close(&mut self) -> Fate {
        let has_head = self.on(FIRST).is_some_and(|first| first.status().is_some());
        self.end(&if has_head { Ended::Failed(TransportError::Reset) } else { Ended::Closed });
        Fate::Closed
    }

    /// Ends the answers that are not complete, that on the first stream among them, where nothing has come of it.
    pub fn end(&mut self, ended: &Ended) {
        self.on(FIRST);
        self.answers.values_mut().for_each(|answer| answer.end(ended.clone()));
    }

    /// The answers in the order of their streams, and the statuses of interim ones.
    pub fn into_answers(mut self) -> (Vec<Incoming>, Vec<u16>) {
        self.on(FIRST);
        (self.answers.into_values().collect(), self.interim)
    }
}
