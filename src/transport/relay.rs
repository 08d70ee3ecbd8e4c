//! Requests that others made, passed on to an agent as they came.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, Version};
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;

use super::dialing::{Dialing, Tcp, Ways};
use super::transport_error;
pub(crate) use super::transport_error::{LONGEST_HEADERS, MOST_FIELDS};
use crate::transcript::Ended;

/// A body that is passed on.
pub(crate) type Passing = UnsyncBoxBody<Bytes, hyper::Error>;

/// A way to agents that adds nothing to requests and takes nothing from them.
pub(crate) struct Relay {
    one: Client<HttpsConnector<Tcp>, Passing>,
    two: Client<HttpsConnector<Tcp>, Passing>,
    limit: Duration,
}

impl Relay {
    /// One whose connections are made in this way, each in so long a time.
    ///
    /// # Errors
    /// The TLS back end cannot be set up on this machine.
    pub fn new(dialing: Dialing, limit: Duration) -> Result<Self, String> {
        let ways = Ways::new(dialing);
        let tls = || Ok::<_, String>(HttpsConnectorBuilder::new().with_tls_config(ways.tls()?).https_or_http());
        let mut client = Client::builder(TokioExecutor::new());
        client.http1_preserve_header_case(true).http1_max_headers(MOST_FIELDS);
        let one = client.build(tls()?.enable_http1().wrap_connector(ways.tcp(limit)));
        let mut client = Client::builder(TokioExecutor::new());
        client.http2_only(true).http2_max_header_list_size(LONGEST_HEADERS);
        let two = client.build(tls()?.enable_http2().wrap_connector(ways.tcp(limit)));
        Ok(Self { one, two, limit })
    }

    /// Sends a request to the address of its URI, over HTTP/2 if that is its version, and waits for the head of the response.
    ///
    /// # Errors
    /// How the exchange ended without one.
    pub async fn send(&self, request: Request<Passing>) -> Result<Response<Incoming>, Ended> {
        let client = if request.version() == Version::HTTP_2 { &self.two } else { &self.one };
        client.request(request).await.map_err(|error| transport_error::ended(&error, self.limit))
    }
}
