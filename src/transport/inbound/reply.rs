//! What a hook answers, and how it is carried.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::time::Instant;

use super::Shared;
use super::request::Received;
use crate::binding::LONGEST_BODY;
use crate::transcript::{Ended, Limit};

/// The longest body, in bytes, that needs no place.
const SHORT: usize = 64 << 10;
/// How many longer ones are read at a time.
pub(super) const LONG_AT_ONCE: usize = 4;

/// What is answered to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// A response without a body.
    Head {
        /// HTTP status.
        status: u16,
        /// Its headers.
        headers: Vec<(String, String)>,
    },
    /// 200 as soon as the hook is released, and nothing until then.
    Held,
    /// Nothing: the connection is closed.
    Close,
    /// Nothing, ever: the connection stays open.
    Silence,
}

impl Default for Reply {
    /// 200.
    fn default() -> Self {
        Self::status(200)
    }
}

impl Reply {
    /// This status.
    pub fn status(status: u16) -> Self {
        Self::Head { status, headers: Vec::new() }
    }

    /// A redirect.
    pub fn redirect(status: u16, location: &str) -> Self {
        Self::Head { status, headers: vec![("location".to_owned(), location.to_owned())] }
    }
}

/// The connection is to be closed.
#[derive(Debug, thiserror::Error)]
#[error("closed as told")]
struct Hangup;

/// Receives the requests of one connection, until it ends or what has come is the last.
pub(super) async fn converse(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    url: String,
    shared: Arc<Shared>,
    mut closing: watch::Receiver<bool>,
) {
    let service = service_fn(|request| answer(request, &url, &shared));
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(shared.timeout);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    // What breaks a connection is the agent's business.
    let is_last = tokio::select! {
        _ended = connection.as_mut() => false,
        closing = closing.wait_for(|is_last| *is_last) => closing.is_ok(),
    };
    if is_last {
        connection.as_mut().graceful_shutdown();
        let _ended = connection.await;
    }
}

/// Receives one request, notes it, and answers as told.
async fn answer(
    request: hyper::Request<hyper::body::Incoming>,
    url: &str,
    shared: &Shared,
) -> Result<Answered, Hangup> {
    let at = Instant::now();
    let (parts, mut body) = request.into_parts();
    let Some(path) = shared.path(parts.uri.path()) else { return Ok(head(404, &[])) };
    let mut received = Received::new(&parts);
    let read = read(&mut received, &mut body, shared).await;
    let note = |received, reply, ended| path.note((url, shared), received, at, reply, ended);
    if let Err(ended) = read {
        let is_long = matches!(ended, Ended::Endless(Limit::Bytes(_)));
        note(received, None, ended);
        return if is_long { Ok(head(413, &[])) } else { Err(Hangup) };
    }
    if !received.is_delivery() {
        let mut response = head(200, &[("content-type".to_owned(), "text/plain; charset=utf-8".to_owned())]);
        *response.body_mut() = Full::from(received.asked_back());
        note(received, Some(&Reply::default()), Ended::Complete);
        return Ok(response);
    }
    let reply = path.next_reply();
    let ended = if matches!(reply, Reply::Head { .. }) { Ended::Complete } else { Ended::HungUp };
    if !note(received, Some(&reply), ended) {
        return Ok(head(503, &[]));
    }
    match reply {
        Reply::Head { status, headers } => Ok(head(status, &headers)),
        Reply::Held => {
            path.released().await;
            Ok(head(200, &[]))
        }
        Reply::Close => Err(Hangup),
        Reply::Silence => match std::future::pending::<Infallible>().await {},
    }
}

/// Reads a body to its end. Long ones wait for a place, so that many at once take no more memory than a few; that wait is the suite's
/// and counts for no time limit.
async fn read(received: &mut Received, body: &mut hyper::body::Incoming, shared: &Shared) -> Result<(), Ended> {
    let too_late = || Err(Ended::TimedOut(shared.timeout));
    if tokio::time::timeout(shared.timeout, received.read(body, SHORT)).await.unwrap_or_else(|_| too_late())? {
        return Ok(());
    }
    let _place = shared.long.acquire().await;
    let rest = received.read(body, LONGEST_BODY);
    tokio::time::timeout(shared.timeout, rest).await.unwrap_or_else(|_| too_late()).map(drop)
}

/// What goes back to the agent.
type Answered = hyper::Response<Full<Bytes>>;

/// A response without a body. A status or header that HTTP does not have is left out.
fn head(status: u16, headers: &[(String, String)]) -> Answered {
    let mut response = hyper::Response::new(Full::default());
    if let Ok(status) = hyper::StatusCode::from_u16(status) {
        *response.status_mut() = status;
    }
    for (name, value) in headers {
        let name = hyper::header::HeaderName::try_from(name.as_str());
        if let (Ok(name), Ok(value)) = (name, hyper::header::HeaderValue::try_from(value.as_str())) {
            response.headers_mut().append(name, value);
        }
    }
    response
}
