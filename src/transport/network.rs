//! What carries requests over HTTP: the network, or an agent in memory.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::dialing::{Dialing, Ways};
use super::raw::{Dialer, Duplex};
use super::transport_error;
use crate::auth::Header;
use crate::binding::Outgoing;
use crate::transcript::{Ended, TransportError};

/// How long a connection may be idle and still be used again.
const LONGEST_IDLE: Duration = Duration::from_secs(2);

/// What the suite calls itself.
pub(crate) const USER_AGENT: &str = concat!("a2aspec/", env!("CARGO_PKG_VERSION"));

/// A way over which requests go. It adds nothing to them, follows no redirects, and sets no time limits but one for making a
/// connection: who sends is the judge of time.
pub trait Transport: Send + Sync {
    /// Sends a request, with these credentials beside its own headers, and waits for the head of its response; `anew` over a
    /// connection that none has used before.
    ///
    /// # Errors
    /// How the exchange ended without one.
    fn send<'a>(
        &'a self,
        request: &'a Outgoing,
        credentials: &'a [Header],
        anew: bool,
    ) -> BoxFuture<'a, Result<Head, Ended>>;

    /// A connection to the host of a URL, for bytes as they are.
    ///
    /// # Errors
    /// Why there is none.
    fn dial<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<Box<dyn Duplex>, Ended>>;

    /// The same transport with other connections; nothing where hosts are not looked for at all.
    ///
    /// # Errors
    /// Why there is no such transport.
    fn along(&self, dialing: &Dialing) -> Result<Option<Arc<dyn Transport>>, String> {
        let _ = dialing;
        Ok(None)
    }

    /// Whether it looks for hosts.
    fn looks_for_hosts(&self) -> bool {
        false
    }
}

/// The head of a response, and the way to its body.
pub struct Head {
    /// HTTP status.
    pub status: u16,
    /// Its headers, by lower-case name.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Box<dyn Body>,
}

/// A body that comes piece by piece. To drop it is to drop its connection.
pub trait Body: Send + Sync {
    /// The next piece; nothing at the end.
    ///
    /// # Errors
    /// How the exchange ended before the end of the body.
    fn piece(&mut self) -> BoxFuture<'_, Result<Option<Bytes>, Ended>>;
}

/// The network.
pub(super) struct Network {
    client: reqwest::Client,
    /// Opens a connection for each request.
    fresh: reqwest::Client,
    dialer: Dialer,
    ways: Arc<Ways>,
    /// How long it may take to connect.
    limit: Duration,
}

impl Network {
    /// # Errors
    /// The TLS back end cannot be set up on this machine.
    pub fn new(ways: &Arc<Ways>, limit: Duration) -> Result<Self, String> {
        let mut tls = ways.tls()?;
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        let builder = || {
            let builder = reqwest::Client::builder().tls_backend_preconfigured(tls.clone());
            let builder = if ways.has_proxies() { builder.proxy(proxy(ways)) } else { builder.no_proxy() };
            builder
                .dns_resolver(ways.resolver())
                .redirect(reqwest::redirect::Policy::none())
                .connect_timeout(limit)
                .http1_max_headers(transport_error::MOST_FIELDS)
                .tcp_nodelay(true)
                .user_agent(USER_AGENT)
        };
        // Servers close idle connections after some seconds: one is better not used again just then.
        let client = builder().pool_idle_timeout(LONGEST_IDLE).build().map_err(|error| error.to_string())?;
        let fresh = builder().pool_max_idle_per_host(0).build().map_err(|error| error.to_string())?;
        Ok(Self { client, fresh, dialer: Dialer::new(ways, limit), ways: Arc::clone(ways), limit })
    }
}

/// The way through the proxies. Plain requests are told to the proxy, as other clients do; those with TLS go through a tunnel.
fn proxy(ways: &Arc<Ways>) -> reqwest::Proxy {
    let ways = Arc::clone(ways);
    reqwest::Proxy::custom(move |url| ways.proxy_to(url.as_str()).and_then(|proxy| proxy.url()))
}

impl Network {
    /// How an exchange ended that has no answer: where a proxy is on the way to a URL, it is the proxy that was not reached.
    fn blamed(&self, url: &str, ended: Ended) -> Ended {
        match (&ended, self.ways.proxy_to(url)) {
            (Ended::Failed(error @ (TransportError::Refused | TransportError::UnknownHost)), Some(proxy)) => {
                Ended::Failed(TransportError::Other(format!("the proxy {proxy} is not reached: {error}")))
            }
            _ => ended,
        }
    }

    /// Refuses what only a proxy says (RFC 9110 section 15.5.8).
    fn by_the_agent(&self, url: &str, status: reqwest::StatusCode) -> Result<(), Ended> {
        let asks = status == reqwest::StatusCode::PROXY_AUTHENTICATION_REQUIRED;
        match asks.then(|| self.ways.proxy_to(url)).flatten() {
            Some(proxy) => {
                let error = format!("the proxy {proxy} wants credentials: http://USER:PASSWORD@HOST:PORT gives them");
                Err(Ended::Failed(TransportError::Other(error)))
            }
            None => Ok(()),
        }
    }
}

impl Transport for Network {
    fn send<'a>(
        &'a self,
        request: &'a Outgoing,
        credentials: &'a [Header],
        anew: bool,
    ) -> BoxFuture<'a, Result<Head, Ended>> {
        async move {
            let method = reqwest::Method::from_bytes(request.method.as_bytes())
                .map_err(|error| Ended::Failed(TransportError::Other(error.to_string())))?;
            let client = if anew { &self.fresh } else { &self.client };
            let mut out = client.request(method, &request.url).body(request.body.clone());
            for (name, value) in request.headers.iter().chain(credentials) {
                out = out.header(name, value);
            }
            let response = out.send().await;
            let response =
                response.map_err(|error| self.blamed(&request.url, transport_error::ended(&error, self.limit)))?;
            self.by_the_agent(&request.url, response.status())?;
            let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
            let headers = response.headers().iter();
            let headers = headers.map(|(name, value)| (name.as_str().to_owned(), text(value.as_bytes()))).collect();
            let status = response.status().as_u16();
            Ok(Head { status, headers, body: Box::new(FromNetwork { response, limit: self.limit }) })
        }
        .boxed()
    }

    fn dial<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<Box<dyn Duplex>, Ended>> {
        self.dialer.dial(url).boxed()
    }

    fn along(&self, dialing: &Dialing) -> Result<Option<Arc<dyn Transport>>, String> {
        let ways = Arc::new(self.ways.along(dialing.clone()));
        Ok(Some(Arc::new(Self::new(&ways, self.limit)?)))
    }

    fn looks_for_hosts(&self) -> bool {
        true
    }
}

struct FromNetwork {
    response: reqwest::Response,
    limit: Duration,
}

impl Body for FromNetwork {
    fn piece(&mut self) -> BoxFuture<'_, Result<Option<Bytes>, Ended>> {
        async { self.response.chunk().await.map_err(|error| transport_error::ended(&error, self.limit)) }.boxed()
    }
}
