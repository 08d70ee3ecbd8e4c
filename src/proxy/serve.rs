//! The connections of clients.

use std::convert::Infallible;
use std::sync::Arc;

use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use super::forward::{Shared, pass};
use crate::transport::accept::accept;
use crate::transport::relay::{LONGEST_HEADERS, MOST_FIELDS};

/// The most connections at once on one port; those beyond wait.
const MOST_CONNECTIONS: usize = 1_024;

/// Serves what comes to a listener for the origin with this place, until nothing more is to begin and what is under way is over.
pub(super) async fn serve(
    listener: TcpListener,
    place: usize,
    acceptor: Option<TlsAcceptor>,
    shared: Arc<Shared>,
    closing: watch::Receiver<bool>,
) {
    accept(listener, MOST_CONNECTIONS, closing.clone(), |stream| {
        converse(stream, place, acceptor.clone(), Arc::clone(&shared), closing.clone())
    })
    .await;
}

async fn converse(
    stream: TcpStream,
    place: usize,
    acceptor: Option<TlsAcceptor>,
    shared: Arc<Shared>,
    closing: watch::Receiver<bool>,
) {
    // What is small is sent at once: events of streams are.
    let _is_set = stream.set_nodelay(true);
    match acceptor {
        None => speak(stream, place, shared, closing).await,
        Some(acceptor) => {
            // Who does not agree on TLS goes away.
            if let Ok(stream) = acceptor.accept(stream).await {
                speak(stream, place, shared, closing).await;
            }
        }
    }
}

/// Speaks HTTP/1.1 or HTTP/2, whichever the client does.
async fn speak(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    place: usize,
    shared: Arc<Shared>,
    mut closing: watch::Receiver<bool>,
) {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().preserve_header_case(true).max_headers(MOST_FIELDS).timer(TokioTimer::new());
    builder.http2().max_header_list_size(LONGEST_HEADERS);
    let answer = service_fn(move |request| {
        let shared = Arc::clone(&shared);
        async move { Ok::<_, Infallible>(pass(shared, place, request).await) }
    });
    let connection = builder.serve_connection(TokioIo::new(stream), answer);
    tokio::pin!(connection);
    // Of a connection that breaks, the exchanges report it.
    tokio::select! {
        _ended = connection.as_mut() => return,
        _ = closing.wait_for(|is_last| *is_last) => connection.as_mut().graceful_shutdown(),
    }
    let _ended = connection.await;
}
