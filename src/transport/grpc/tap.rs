//! Between tonic's client and the channel: records what comes, and keeps from tonic what it would stumble over.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use futures_util::stream;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue};
use http_body::{Body as _, Frame};
use http_body_util::StreamBody;
use hyper_util::client::legacy;
use tower_service::Service;

use super::channel::Channel;
use crate::binding::LONGEST_BODY;
use crate::transcript::{Ended, Limit};
use crate::transport::http::KEPT_OF_TOO_MUCH;

/// Fields that tonic does not get to see: it panics at details that are not base64, and gives up a whole response
/// whose encoding it does not know, though its messages may not be compressed.
const WITHHELD: [&str; 2] = ["grpc-status-details-bin", "grpc-encoding"];

/// Carries one call and records the response.
pub(super) struct Tap {
    pub(super) is_for_stream: bool,
    pub(super) tape: Arc<Mutex<Tape>>,
    pub(super) content_type: HeaderValue,
    /// The only message of the request.
    pub(super) message: Bytes,
    /// What stands before it, unless it is what has to.
    pub(super) prefix: Option<Bytes>,
}

/// What came of a response so far.
pub(super) struct Tape {
    /// HTTP status and headers.
    pub(super) head: Option<(u16, Vec<(String, String)>)>,
    /// The body.
    pub(super) received: BytesMut,
    /// Trailers after it.
    pub(super) trailers: Vec<(String, String)>,
    /// How it ended, once it has.
    pub(super) ended: Option<Ended>,
    /// Where more comes from.
    body: Option<hyper::body::Incoming>,
    /// What carries the call.
    channel: Channel,
}

/// The body of a response, as tonic gets it: through the tape.
pub(super) struct TapedBody(Arc<Mutex<Tape>>);

/// Locks a tape. Nothing that holds it can leave it half written.
pub(super) fn hold(tape: &Mutex<Tape>) -> MutexGuard<'_, Tape> {
    tape.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Service<http::Request<tonic::body::Body>> for Tap {
    type Response = http::Response<TapedBody>;
    type Error = legacy::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, legacy::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), legacy::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: http::Request<tonic::body::Body>) -> Self::Future {
        request.headers_mut().insert(CONTENT_TYPE, self.content_type.clone());
        let request = request.map(|_| framed(&self.message, self.prefix.as_ref()));
        let response = hold(&self.tape).channel.send(request, self.is_for_stream);
        let tape = self.tape.clone();
        Box::pin(async move {
            let outcome = response.await;
            let mut held = hold(&tape);
            match outcome {
                Ok(response) => {
                    let (mut head, body) = response.into_parts();
                    held.head = Some((head.status.as_u16(), fields(&head.headers)));
                    held.body = Some(body);
                    withhold(&mut head.headers);
                    Ok(http::Response::from_parts(head, TapedBody(tape.clone())))
                }
                Err(error) => {
                    held.ended = Some(held.channel.refusal(&error));
                    Err(error)
                }
            }
        })
    }
}

/// A message behind another prefix, or behind its own (gRPC over HTTP/2, Requests: not compressed, and its length). tonic would copy it, and messages may
/// be large.
fn framed(message: &Bytes, other: Option<&Bytes>) -> tonic::body::Body {
    let length = u32::try_from(message.len()).unwrap_or(u32::MAX).to_be_bytes();
    let prefix = other.cloned().unwrap_or_else(|| [&[0], length.as_slice()].concat().into());
    // What is empty makes no frame: of empty ones that do not end a request, servers take but some on a connection, since they
    // look like a flood (RFC 9113 section 10.5). Empty messages are common.
    let pieces = [prefix, message.clone()].into_iter().filter(|piece| !piece.is_empty());
    tonic::body::Body::new(StreamBody::new(stream::iter(pieces.map(|piece| Ok::<_, Infallible>(Frame::data(piece))))))
}

impl Tape {
    /// An empty tape for a call over this channel.
    pub(super) fn new(channel: Channel) -> Self {
        Self { head: None, received: BytesMut::new(), trailers: Vec::new(), ended: None, body: None, channel }
    }

    /// Records the next piece of the body and hands it on; `None` once it has ended, however it did.
    pub(super) fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Option<Frame<Bytes>>> {
        let Some(body) = self.body.as_mut() else {
            self.ended.get_or_insert(Ended::Complete);
            return Poll::Ready(None);
        };
        let ended = match ready!(Pin::new(body).poll_frame(context)) {
            Some(Ok(piece)) => match self.take(piece) {
                Ok(piece) => return Poll::Ready(Some(piece)),
                Err(ended) => ended,
            },
            Some(Err(error)) => self.channel.interruption(&error),
            None => Ended::Complete,
        };
        self.ended.get_or_insert(ended);
        self.stop();
        Poll::Ready(None)
    }

    fn take(&mut self, piece: Frame<Bytes>) -> Result<Frame<Bytes>, Ended> {
        if let Some(data) = piece.data_ref() {
            if self.received.len() + data.len() > LONGEST_BODY {
                return Err(Ended::Endless(Limit::Bytes(LONGEST_BODY)));
            }
            self.received.extend_from_slice(data);
        }
        Ok(match piece.into_trailers() {
            Ok(mut trailers) => {
                self.trailers.extend(fields(&trailers));
                withhold(&mut trailers);
                Frame::trailers(trailers)
            }
            Err(other) => other,
        })
    }

    /// Keeps no more of the body than a report shows.
    pub(super) fn keep_the_beginning(&mut self) {
        self.received = BytesMut::from(self.received.get(..KEPT_OF_TOO_MUCH).unwrap_or(&self.received));
    }

    /// Lets go of the body: if it has not ended, the agent is told that nobody listens.
    pub(super) fn stop(&mut self) {
        self.body = None;
    }
}

impl http_body::Body for TapedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        hold(&self.0).poll_piece(context).map(|piece| piece.map(Ok))
    }
}

fn fields(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect()
}

fn withhold(headers: &mut HeaderMap) {
    for name in WITHHELD {
        headers.remove(name);
    }
}
