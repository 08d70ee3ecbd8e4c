//! An agent in memory: answers without a network, by the clock of tokio, which a test may stop.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::io::DuplexStream;

use super::network::{Body, Head, Transport};
use super::raw::Duplex;
use crate::auth::Header;
use crate::binding::Outgoing;
use crate::transcript::{Ended, TransportError};

/// An agent in memory.
pub struct Memory {
    answer: Box<dyn Fn(&Outgoing) -> Reply + Send + Sync>,
    /// What holds the other end of a connection, where there are any.
    hold: Option<Box<dyn Fn(DuplexStream) + Send + Sync>>,
}

/// How many bytes of a connection in memory wait to be read.
const IN_FLIGHT: usize = 64 << 10;

impl Memory {
    /// An agent that answers each request like this.
    pub fn new(answer: impl Fn(&Outgoing) -> Reply + Send + Sync + 'static) -> Self {
        Self { answer: Box::new(answer), hold: None }
    }

    /// The same, which also gets the other end of each connection for bytes as they are.
    #[must_use]
    pub fn holding(mut self, hold: impl Fn(DuplexStream) + Send + Sync + 'static) -> Self {
        self.hold = Some(Box::new(hold));
        self
    }
}

/// What comes of a request, and when.
#[derive(Debug, Clone)]
pub struct Reply {
    /// How long the head takes.
    pub after: Duration,
    /// The status and the media type; nothing where no head ever comes.
    pub head: Option<(u16, &'static str)>,
    /// The pieces of the body, each so long after the one before it.
    pub pieces: Vec<(Duration, Bytes)>,
    /// How the exchange ends: `Complete`, or whatever breaks it; nothing where it stays open.
    pub ended: Option<Ended>,
}

impl Reply {
    /// A JSON text, at once.
    pub fn json(status: u16, value: &Value) -> Self {
        Self {
            after: Duration::ZERO,
            head: Some((status, "application/json")),
            pieces: vec![(Duration::ZERO, Bytes::from(value.to_string()))],
            ended: Some(Ended::Complete),
        }
    }

    /// A stream of JSON texts, `pace` apart, which the agent then closes.
    pub fn events(pace: Duration, values: &[Value]) -> Self {
        let pieces = values.iter().map(|value| (pace, Bytes::from(format!("data: {value}\n\n")))).collect();
        Self { head: Some((200, "text/event-stream")), pieces, ..Self::json(200, &Value::Null) }
    }

    /// Nothing, ever.
    pub fn silence() -> Self {
        Self { after: Duration::ZERO, head: None, pieces: Vec::new(), ended: None }
    }

    /// Nobody listens.
    pub fn refused() -> Self {
        Self { ended: Some(Ended::Failed(TransportError::Refused)), ..Self::silence() }
    }

    /// The connection is closed.
    pub fn closed() -> Self {
        Self { ended: Some(Ended::Failed(TransportError::Reset)), ..Self::silence() }
    }

    /// The same, so much later.
    #[must_use]
    pub fn late(mut self, after: Duration) -> Self {
        self.after += after;
        self
    }
}

impl Transport for Memory {
    fn send<'a>(
        &'a self,
        request: &'a Outgoing,
        _credentials: &'a [Header],
        _anew: bool,
    ) -> BoxFuture<'a, Result<Head, Ended>> {
        let reply = (self.answer)(request);
        async move {
            tokio::time::sleep(reply.after).await;
            let rest = Pieces { left: reply.pieces.into(), ended: reply.ended };
            match reply.head {
                Some((status, kind)) => {
                    let headers = vec![("content-type".to_owned(), kind.to_owned())];
                    Ok(Head { status, headers, body: Box::new(rest) })
                }
                None => Err(rest.end().await),
            }
        }
        .boxed()
    }

    fn dial<'a>(&'a self, _url: &'a str) -> BoxFuture<'a, Result<Box<dyn Duplex>, Ended>> {
        async {
            let hold = self.hold.as_ref().ok_or(Ended::Failed(TransportError::Refused))?;
            let (ours, theirs) = tokio::io::duplex(IN_FLIGHT);
            hold(theirs);
            Ok(Box::new(ours) as Box<dyn Duplex>)
        }
        .boxed()
    }
}

struct Pieces {
    left: VecDeque<(Duration, Bytes)>,
    ended: Option<Ended>,
}

impl Pieces {
    /// How it ends; of what stays open, never.
    async fn end(&self) -> Ended {
        match &self.ended {
            Some(ended) => ended.clone(),
            None => std::future::pending().await,
        }
    }
}

impl Body for Pieces {
    fn piece(&mut self) -> BoxFuture<'_, Result<Option<Bytes>, Ended>> {
        async {
            // A piece that nobody waits for to the end is still to come.
            let Some((after, piece)) = self.left.front().cloned() else {
                return match self.end().await {
                    Ended::Complete => Ok(None),
                    broken => Err(broken),
                };
            };
            tokio::time::sleep(after).await;
            self.left.pop_front();
            Ok(Some(piece))
        }
        .boxed()
    }
}
