//! The HTTP/2 connection under the calls.

use std::time::Duration;

use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

/// The most bytes of headers or trailers that are read: what a status and its details could ever need, and more.
const LONGEST_HEADERS: u32 = 256 << 10;

/// Connects when it is first needed and keeps the connection. Clones share it.
pub(super) type Channel = Client<HttpsConnector<HttpConnector>, tonic::body::Body>;

/// A channel. `timeout` is how long a connection may take.
///
/// # Errors
/// The TLS back end cannot be set up on this machine.
pub(super) fn open(timeout: Duration) -> Result<Channel, String> {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_connect_timeout(Some(timeout));
    let connector = HttpsConnectorBuilder::new()
        .try_with_platform_verifier()
        .map_err(|error| error.to_string())?
        .https_or_http()
        .enable_http2()
        .wrap_connector(tcp);
    Ok(Client::builder(TokioExecutor::new())
        .http2_only(true)
        .http2_max_header_list_size(LONGEST_HEADERS)
        .retry_canceled_requests(false)
        .build(connector))
}
