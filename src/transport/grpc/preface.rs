//! Whether what answers at a port speaks HTTP/2.
//!
//! A server that does sends a SETTINGS frame before anything else (RFC 9113 section 3.4). What one that does not makes
//! of our side's preface differs: an answer in HTTP/1, an alert of TLS, or a connection that is closed at some point, so
//! that the errors of the libraries differ from one time to the next. Hence this look at the first bytes.

use std::error::Error;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http::Uri;
use hyper::rt::{Read, ReadBuf, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};
use tower_service::Service;

use crate::transcript::Ended;
use crate::transport::transport_error;

/// The type of a SETTINGS frame, and where in a frame the type stands.
const SETTINGS: (usize, u8) = (3, 4);
/// The most bytes that one read takes while the first frame is awaited.
const FIRST_READ: usize = 1024;

/// What is known of a port from the connections to it.
#[derive(Default)]
pub(super) struct Known {
    /// Whether any began as HTTP/2 does.
    has_spoken: AtomicBool,
    /// Why the last that failed could not be made.
    failure: Mutex<Option<Ended>>,
}

impl Known {
    /// Whether any connection began as HTTP/2 does.
    pub(super) fn has_spoken(&self) -> bool {
        self.has_spoken.load(Ordering::Relaxed)
    }

    fn note(&self, failure: Ended) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
    }

    /// Why a connection could not be made, or was of no use: with TLS 1.3 a client is turned away for its certificate after its side
    /// of the handshake. Of several calls that wait for one connection only the first is told.
    pub(super) fn failure(&self) -> Option<Ended> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A connector that notes what becomes of its connections.
#[derive(Clone)]
pub(super) struct Watched<C> {
    connector: C,
    known: Arc<Known>,
    timeout: Duration,
}

/// A connection of such a connector.
pub(super) struct Watch<T> {
    io: T,
    /// How many bytes came.
    read: usize,
    known: Arc<Known>,
    timeout: Duration,
}

impl<C> Watched<C> {
    /// A connector that writes into `known`. `timeout` is how long it takes for a connection at most.
    pub(super) fn new(connector: C, known: Arc<Known>, timeout: Duration) -> Self {
        Self { connector, known, timeout }
    }
}

impl<C> Service<Uri> for Watched<C>
where
    C: Service<Uri, Error = Box<dyn Error + Send + Sync>>,
    C::Future: Send + 'static,
{
    type Response = Watch<C::Response>;
    type Error = C::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, C::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), C::Error>> {
        self.connector.poll_ready(context)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connected = self.connector.call(uri);
        let (known, timeout) = (Arc::clone(&self.known), self.timeout);
        Box::pin(async move {
            match connected.await {
                Ok(io) => Ok(Watch { io, read: 0, known, timeout }),
                Err(error) => {
                    known.note(transport_error::ended(&*error, timeout));
                    Err(error)
                }
            }
        })
    }
}

impl<T> Watch<T> {
    fn look(&mut self, bytes: &[u8]) {
        let (at, kind) = SETTINGS;
        if let Some(at) = at.checked_sub(self.read)
            && bytes.get(at) == Some(&kind)
        {
            self.known.has_spoken.store(true, Ordering::Relaxed);
        }
        self.read += bytes.len();
    }
}

impl<T: Read + Unpin> Read for Watch<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        mut buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        if self.read > SETTINGS.0 {
            return Pin::new(&mut self.io).poll_read(context, buffer);
        }
        let mut first = [0; FIRST_READ];
        let room = first.len().min(buffer.remaining());
        let mut taken = ReadBuf::new(first.get_mut(..room).unwrap_or_default());
        if let Err(error) = ready!(Pin::new(&mut self.io).poll_read(context, taken.unfilled())) {
            self.known.note(transport_error::ended(&error, self.timeout));
            return Poll::Ready(Err(error));
        }
        buffer.put_slice(taken.filled());
        self.look(taken.filled());
        Poll::Ready(Ok(()))
    }
}

impl<T: Write + Unpin> Write for Watch<T> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(context, buffers)
    }
}

impl<T: Connection> Connection for Watch<T> {
    fn connected(&self) -> Connected {
        self.io.connected()
    }
}
