//! A connection whose incoming bytes pass the faults that act before anything reads them.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::tls::Stream;
use crate::fault::Sockets;

/// What no server takes for a request.
const NONSENSE: &[u8] = b"?\r\n\r\n";
/// How much is read at once.
const PIECE: usize = 64 << 10;

/// A connection, and the faults of the agent at its sockets, if there are any.
pub struct Front {
    stream: Stream,
    faults: Option<Arc<Sockets>>,
    /// Whether anything has come.
    has_begun: bool,
    /// What has come and has not been read yet.
    waiting: Bytes,
    /// Whether it is to look as if the client were gone.
    is_over: bool,
}

impl Front {
    pub fn new(stream: Stream, faults: Option<Arc<Sockets>>) -> Self {
        Self { stream, faults, has_begun: false, waiting: Bytes::new(), is_over: false }
    }

    /// Reads the next bytes and does to them what the faults say; none are left at the end.
    fn poll_next(&mut self, context: &mut Context<'_>, faults: &Sockets) -> Poll<io::Result<()>> {
        let mut piece = vec![0; PIECE];
        let mut buffer = ReadBuf::new(&mut piece);
        if let Err(error) = ready!(Pin::new(&mut self.stream).poll_read(context, &mut buffer)) {
            faults.lose();
            return Poll::Ready(Err(error));
        }
        if faults.is_dead() && !buffer.filled().is_empty() {
            self.waiting = Bytes::from_static(NONSENSE);
            return Poll::Ready(Ok(()));
        }
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        match faults.change(buffer.filled(), is_first) {
            Some(bytes) => self.waiting = bytes,
            None => self.is_over = true,
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for Front {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Some(faults) = self.faults.clone() else { return Pin::new(&mut self.stream).poll_read(context, buffer) };
        if self.waiting.is_empty() && !self.is_over {
            ready!(self.poll_next(context, &faults))?;
        }
        let size = self.waiting.len().min(buffer.remaining());
        buffer.put_slice(&self.waiting[..size]);
        self.waiting.advance(size);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Front {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
