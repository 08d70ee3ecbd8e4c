//! The HTTP/2 connection under the calls.

use std::sync::Arc;
use std::time::Duration;

use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::{Client, Error, ResponseFuture};
use hyper_util::rt::TokioExecutor;

use super::preface::{Known, Watched};
use crate::transcript::{Ended, TransportError};
use crate::transport::dialing::{Tcp, Ways};
use crate::transport::transport_error;

/// A client of HTTP/2.
type Http2 = Client<Watched<HttpsConnector<Tcp>>, tonic::body::Body>;

/// Connects when it is first needed and keeps the connection. Clones share it.
#[derive(Clone)]
pub(super) struct Channel {
    shared: Http2,
    /// Makes a connection for each request.
    apart: Http2,
    /// What is known of the port.
    known: Arc<Known>,
    timeout: Duration,
}

impl Channel {
    /// A channel whose connections are made in these ways. `timeout` is how long one may take.
    ///
    /// # Errors
    /// The TLS back end cannot be set up on this machine.
    pub(super) fn new(ways: &Ways, timeout: Duration) -> Result<Self, String> {
        let tls = HttpsConnectorBuilder::new().with_tls_config(ways.tls()?);
        let tcp = ways.tcp(timeout);
        let known = Arc::new(Known::default());
        let connector = tls.https_or_http().enable_http2().wrap_connector(tcp);
        let connector = Watched::new(connector, Arc::clone(&known), timeout);
        let mut client = Client::builder(TokioExecutor::new());
        client
            .http2_only(true)
            .http2_max_header_list_size(transport_error::LONGEST_HEADERS)
            // Another connection takes a request of which nothing was written when an idle one turned out to be closed.
            // That is no second try: the agent has not seen the first. What was written is never sent again.
            .retry_canceled_requests(true);
        let shared = client.build(connector.clone());
        let apart = client.pool_max_idle_per_host(0).build(connector);
        Ok(Self { shared, apart, known, timeout })
    }

    /// Sends a request, for a stream over a connection of its own: an agent may allow few requests on one, and streams
    /// that are held open would keep the others waiting.
    pub(super) fn send(&self, request: http::Request<tonic::body::Body>, is_for_stream: bool) -> ResponseFuture {
        if is_for_stream { self.apart.request(request) } else { self.shared.request(request) }
    }

    /// How a call ended that failed before its response began.
    pub(super) fn refusal(&self, error: &Error) -> Ended {
        match transport_error::ended(error, self.timeout) {
            Ended::Failed(TransportError::Reset | TransportError::Other(_) | TransportError::NotHttp2(_))
                if !self.known.has_spoken() =>
            {
                match self.known.failure() {
                    None | Some(Ended::Failed(TransportError::Reset | TransportError::Other(_))) => {
                        let reason = "the port does not answer in HTTP/2, which gRPC needs";
                        Ended::Failed(TransportError::Other(reason.to_owned()))
                    }
                    Some(ended) => ended,
                }
            }
            ended => ended,
        }
    }

    /// How a call ended whose response broke off.
    pub(super) fn interruption(&self, error: &hyper::Error) -> Ended {
        transport_error::ended(error, self.timeout)
    }
}
