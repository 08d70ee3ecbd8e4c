//! Whether what answers at a port speaks HTTP/2.
//!
//! A server that does sends a SETTINGS frame before anything else (RFC 9113 section 3.4). What one that does not makes
//! of our side's preface differs: an answer in HTTP/1, an alert of TLS, or a connection that is closed at some point, so
//! that the errors of the libraries differ from one time to the next. Hence this look at the first bytes.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use http::Uri;
use hyper::rt::{Read, ReadBuf, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};
use tower_service::Service;

/// The type of a SETTINGS frame, and where in a frame the type stands.
const SETTINGS: (usize, u8) = (3, 4);
/// The most bytes that one read takes while the first frame is awaited.
const FIRST_READ: usize = 1024;

/// A connector that notes whether any of its connections began as HTTP/2 does.
#[derive(Clone)]
pub(super) struct Watched<C> {
    connector: C,
    has_spoken: Arc<AtomicBool>,
}

/// A connection of such a connector.
pub(super) struct Watch<T> {
    io: T,
    /// How many bytes came.
    read: usize,
    has_spoken: Arc<AtomicBool>,
}

impl<C> Watched<C> {
    /// Sets `has_spoken` when a connection begins as HTTP/2 does.
    pub(super) fn new(connector: C, has_spoken: Arc<AtomicBool>) -> Self {
        Self { connector, has_spoken }
    }
}

impl<C> Service<Uri> for Watched<C>
where
    C: Service<Uri>,
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
        let has_spoken = self.has_spoken.clone();
        Box::pin(async move { Ok(Watch { io: connected.await?, read: 0, has_spoken }) })
    }
}

impl<T> Watch<T> {
    fn look(&mut self, bytes: &[u8]) {
        let (at, kind) = SETTINGS;
        if let Some(at) = at.checked_sub(self.read)
            && bytes.get(at) == Some(&kind)
        {
            self.has_spoken.store(true, Ordering::Relaxed);
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
        ready!(Pin::new(&mut self.io).poll_read(context, taken.unfilled()))?;
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
