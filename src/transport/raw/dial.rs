//! Connections to where a URL points, plain or with TLS as the other clients have it.

use std::future::Future as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_rustls::{HttpsConnectorBuilder, MaybeHttpsStream};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tower_service::Service;

use crate::transcript::{Ended, TransportError};
use crate::transport::dialing::{Tcp, Ways};
use crate::transport::transport_error;

/// A connection that carries bytes both ways. To drop it is to close it.
pub trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {
    /// Lets the other side see an error when this is dropped, where the connection can do that.
    fn reset_on_drop(&mut self) {}
}

impl Duplex for tokio::io::DuplexStream {}

/// Makes connections.
pub(in crate::transport) struct Dialer {
    tcp: Tcp,
    ways: Arc<Ways>,
    limit: Duration,
}

impl Dialer {
    /// Connections that may take so long to be made.
    pub fn new(ways: &Arc<Ways>, limit: Duration) -> Self {
        Self { tcp: ways.tcp(limit), ways: Arc::clone(ways), limit }
    }

    /// Connects to the host and port of a URL. With TLS no protocol is negotiated: a server
    /// then speaks HTTP/1.1.
    ///
    /// # Errors
    /// Why there is no connection.
    pub async fn dial(&self, url: &str) -> Result<Box<dyn Duplex>, Ended> {
        let other = |error: String| Ended::Failed(TransportError::Other(error));
        let uri: Uri = url.parse().map_err(|error: http::uri::InvalidUri| other(error.to_string()))?;
        let stream = match uri.scheme_str() {
            Some("https") => {
                let tls = HttpsConnectorBuilder::new().with_tls_config(self.ways.tls().map_err(other)?);
                let connector = tls.https_or_http().enable_http1().wrap_connector(self.tcp.clone());
                let stream = connected(connector, uri).await;
                stream.map_err(|error| transport_error::ended(error.as_ref(), self.limit))?
            }
            _ => {
                let stream = connected(self.tcp.clone(), uri).await;
                MaybeHttpsStream::Http(stream.map_err(|error| transport_error::ended(error.as_ref(), self.limit))?)
            }
        };
        Ok(Box::new(Socket { stream: TokioIo::new(stream) }))
    }
}

async fn connected<S: Service<Uri>>(mut connector: S, uri: Uri) -> Result<S::Response, S::Error> {
    std::future::poll_fn(|context| connector.poll_ready(context)).await?;
    let mut connecting = Box::pin(connector.call(uri));
    std::future::poll_fn(|context| connecting.as_mut().poll(context)).await
}

/// A connection of the network.
struct Socket {
    stream: TokioIo<MaybeHttpsStream<TokioIo<TcpStream>>>,
}

impl Duplex for Socket {
    fn reset_on_drop(&mut self) {
        let tcp = match self.stream.inner() {
            MaybeHttpsStream::Http(tcp) => tcp.inner(),
            MaybeHttpsStream::Https(tls) => tls.inner().get_ref().0.inner().inner(),
        };
        // Where it cannot be done, the connection is closed as usual.
        let _ = tcp.set_zero_linger();
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut tokio::io::ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
