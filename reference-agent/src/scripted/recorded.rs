//! Bodies of answers that keep what was sent, and tell the script when they are over.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use http_body::{Body as HttpBody, Frame};
use tokio::time::{Sleep, sleep};

use super::{Answered, Asked, End, Reply, Script};

/// The most bytes of an answer that are kept.
const MOST_KEPT: usize = 1 << 20;

/// How long what was sent has to leave before an answer is cut.
const BEFORE_CUT: Duration = Duration::from_millis(20);

/// The body of an answer.
pub(super) struct Recorded {
    source: Source,
    record: Option<Record>,
}

enum Source {
    Agent(Body),
    Script {
        pieces: std::vec::IntoIter<(Duration, Bytes)>,
        waiting: Option<(Pin<Box<Sleep>>, Bytes)>,
        end: End,
        /// Whether what was sent had time to leave before the answer is cut.
        has_left: bool,
    },
}

/// What is told once the answer is over.
struct Record {
    script: Arc<dyn Script>,
    asked: Asked,
    status: u16,
    headers: Vec<(String, String)>,
    body: BytesMut,
}

impl Record {
    fn end(self, has_left: bool) {
        let Self { script, asked, status, headers, body } = self;
        let answered = Answered { status: Some(status), headers, body: body.freeze(), has_left, at: Instant::now() };
        script.answered(&asked, answered);
    }
}

/// The answer breaks off as the script says.
#[derive(Debug, thiserror::Error)]
#[error("cut off as the script says")]
pub(super) struct Cut;

impl Recorded {
    /// The answer where there is no agent: nobody hears of it.
    pub fn of_nobody(status: u16) -> hyper::Response<Self> {
        let body = Self { source: Source::Agent(Body::empty()), record: None };
        let mut response = hyper::Response::new(body);
        *response.status_mut() = hyper::StatusCode::from_u16(status).unwrap_or_default();
        response
    }

    /// That of the right agent.
    pub fn of_agent(script: &Arc<dyn Script>, asked: Asked, response: Response) -> hyper::Response<Self> {
        let (parts, body) = response.into_parts();
        let text = |value: &hyper::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers = parts.headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect();
        let status = parts.status.as_u16();
        let record = Record { script: Arc::clone(script), asked, status, headers, body: BytesMut::new() };
        hyper::Response::from_parts(parts, Self { source: Source::Agent(body), record: Some(record) })
    }

    /// That of the script. A status or a field that HTTP does not have is left out.
    pub fn scripted(script: &Arc<dyn Script>, asked: Asked, reply: Reply) -> hyper::Response<Self> {
        let lower = |(name, value): &(String, String)| (name.to_ascii_lowercase(), value.clone());
        let (status, headers) = (reply.status, reply.headers.iter().map(lower).collect());
        let record = Record { script: Arc::clone(script), asked, status, headers, body: BytesMut::new() };
        Self::written(reply, Some(record))
    }

    /// One that belongs to no stage: nothing is kept of it.
    pub fn of_front(reply: Reply) -> hyper::Response<Self> {
        Self::written(reply, None)
    }

    fn written(reply: Reply, record: Option<Record>) -> hyper::Response<Self> {
        let Reply { status, headers, pieces, end } = reply;
        let source = Source::Script { pieces: pieces.into_iter(), waiting: None, end, has_left: false };
        let mut response = hyper::Response::new(Self { source, record });
        if let Ok(status) = hyper::StatusCode::from_u16(status) {
            *response.status_mut() = status;
        }
        for (name, value) in headers {
            let name = hyper::header::HeaderName::try_from(name);
            if let (Ok(name), Ok(value)) = (name, hyper::header::HeaderValue::try_from(value)) {
                response.headers_mut().append(name, value);
            }
        }
        response
    }

    fn poll_source(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::BoxError>>> {
        match &mut self.source {
            Source::Agent(body) => Pin::new(body).poll_frame(context).map_err(Into::into),
            Source::Script { pieces, waiting, end, has_left } => {
                if waiting.is_none() {
                    let Some((pause, piece)) = pieces.next() else {
                        return match end {
                            End::Complete => Poll::Ready(None),
                            End::Cut if *has_left => Poll::Ready(Some(Err(Cut.into()))),
                            End::Cut => {
                                // Who is asked again later has written what was there by then.
                                *has_left = true;
                                *waiting = Some((Box::pin(sleep(BEFORE_CUT)), Bytes::new()));
                                context.waker().wake_by_ref();
                                Poll::Pending
                            }
                            End::Open => Poll::Pending,
                        };
                    };
                    if pause.is_zero() {
                        return Poll::Ready(Some(Ok(Frame::data(piece))));
                    }
                    *waiting = Some((Box::pin(sleep(pause)), piece));
                }
                let Some((pause, _)) = waiting else { return Poll::Pending };
                ready!(pause.as_mut().poll(context));
                let piece = waiting.take().map(|(_, piece)| piece).unwrap_or_default();
                Poll::Ready(Some(Ok(Frame::data(piece))))
            }
        }
    }
}

impl HttpBody for Recorded {
    type Data = Bytes;
    type Error = axum::BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let frame = ready!(self.poll_source(context));
        match &frame {
            Some(Ok(frame)) => {
                if let (Some(data), Some(record)) = (frame.data_ref(), &mut self.record) {
                    let room = MOST_KEPT.saturating_sub(record.body.len()).min(data.len());
                    record.body.extend_from_slice(data.get(..room).unwrap_or_default());
                }
            }
            Some(Err(_)) | None => {
                if let Some(record) = self.record.take() {
                    record.end(false);
                }
            }
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        // What knows its end before it is polled is never polled again, and nobody would hear of it.
        false
    }

    fn size_hint(&self) -> http_body::SizeHint {
        match &self.source {
            Source::Agent(body) => body.size_hint(),
            // What comes in pieces is to come in chunks.
            Source::Script { pieces, waiting, end: End::Complete, .. }
                if waiting.is_none() && pieces.as_slice().len() < 2 =>
            {
                let left: usize = pieces.as_slice().iter().map(|(_, piece)| piece.len()).sum();
                match pieces.as_slice().iter().all(|(pause, _)| pause.is_zero()) {
                    true => http_body::SizeHint::with_exact(left as u64),
                    false => http_body::SizeHint::default(),
                }
            }
            Source::Script { .. } => http_body::SizeHint::default(),
        }
    }
}

impl Drop for Recorded {
    fn drop(&mut self) {
        if let Some(record) = self.record.take() {
            let is_over = self.is_all_sent();
            record.end(!is_over);
        }
    }
}

impl Recorded {
    /// Whether nothing is left to be sent: where the length is known, hyper does not ask for the end.
    fn is_all_sent(&self) -> bool {
        match &self.source {
            Source::Agent(body) => HttpBody::is_end_stream(body) || body.size_hint().exact() == Some(0),
            Source::Script { pieces, waiting, end, .. } => {
                pieces.as_slice().is_empty() && waiting.is_none() && *end == End::Complete
            }
        }
    }
}
