//! Proxies on the way to hosts: those of the environment, in the variables that curl reads, or one that the user names.

use std::env;
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http::Uri;
use http::uri::Scheme;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::TokioIo;
use thiserror::Error;
use tokio::net::TcpStream;
use tower_service::Service;
use url::{Host, Url};

use super::{Dialing, Resolver};
use crate::auth::userinfo::{hidden, split};
use crate::interface::is_loopback;

/// The variables that name proxies. Of two spellings, the first that is set counts.
const VARIABLES: [[&str; 2]; 3] =
    [["HTTP_PROXY", "http_proxy"], ["HTTPS_PROXY", "https_proxy"], ["ALL_PROXY", "all_proxy"]];

/// The scheme of a URL whose bytes are TLS already: it goes the way of https.
pub(in crate::transport) const BYTES_OF_TLS: &str = "tls";

/// Which proxy leads where.
#[derive(Clone, Default)]
pub(super) struct Proxies {
    matcher: Option<Arc<Matcher>>,
    /// Whether the user names it for this run: then it leads to this machine, too.
    is_named: bool,
    /// What must not be shown of their URLs.
    secrets: Vec<String>,
}

/// A proxy that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{origin} is {value:?}, and the suite goes through proxies such as http://proxy.example:8080 only")]
pub struct NoProxy {
    /// What names it.
    pub origin: String,
    /// Its URL, without credentials.
    pub value: String,
}

/// A proxy on the way to a host.
pub(in crate::transport) struct Proxy(Intercept);

/// Shows neither who the suite is to the proxy, nor how it proves that.
impl fmt::Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let user = if self.0.basic_auth().is_some() { "***@" } else { "" };
        let authority = self.0.uri().authority().map(ToString::to_string).unwrap_or_default();
        write!(f, "http://{user}{authority}")
    }
}

impl Proxy {
    /// With the credentials, for a client that reads them there.
    pub fn url(&self) -> Option<Url> {
        let mut url = Url::parse(&self.0.uri().to_string()).ok()?;
        let basic = self.0.basic_auth().and_then(|value| value.to_str().ok()?.strip_prefix("Basic "));
        let pair = basic.and_then(|pair| String::from_utf8(STANDARD.decode(pair).ok()?).ok());
        if let Some((user, password)) = pair.as_deref().and_then(|pair| pair.split_once(':')) {
            url.set_username(user).ok()?;
            url.set_password(Some(password)).ok()?;
        }
        Some(url)
    }
}

impl fmt::Debug for Proxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxies").field("is_named", &self.is_named).finish_non_exhaustive()
    }
}

impl Proxies {
    pub fn of_environment() -> Result<Self, NoProxy> {
        let (mut secrets, mut matcher) = (Vec::new(), None);
        for names in VARIABLES {
            let set = names.iter().find_map(|name| Some((*name, env::var(name).ok()?)));
            if let Some((name, value)) = set.filter(|(_, value)| !value.is_empty()) {
                usable(&value, name)?;
                secrets.extend(secrets_of(&value));
                matcher = Some(Arc::new(Matcher::from_env()));
            }
        }
        Ok(Self { matcher, is_named: false, secrets })
    }

    pub fn named(url: &str) -> Result<Self, NoProxy> {
        let matcher = Some(Arc::new(usable(url, "--proxy")?));
        Ok(Self { matcher, is_named: true, secrets: secrets_of(url) })
    }
}

fn secrets_of(url: &str) -> Vec<String> {
    split(url).1.map(|userinfo| userinfo.secrets()).unwrap_or_default()
}

/// What leads everywhere through a proxy, if it is one of HTTP: others speak a protocol of their own, or TLS to the proxy itself.
fn usable(value: &str, origin: &str) -> Result<Matcher, NoProxy> {
    let matcher = Matcher::builder().all(value).build();
    let found = matcher.intercept(&Uri::from_static("http://agent.invalid/"));
    match found.is_some_and(|found| found.uri().scheme() == Some(&Scheme::HTTP)) {
        true => Ok(matcher),
        false => Err(NoProxy { origin: origin.to_owned(), value: hidden(value) }),
    }
}

impl Dialing {
    /// Goes through the proxies that the environment names: `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, in either case.
    /// This machine is reached straight, and so are hosts whose addresses are given here.
    ///
    /// # Errors
    /// One of them cannot be used.
    pub fn by_environment(&mut self) -> Result<(), NoProxy> {
        self.proxies = Proxies::of_environment()?;
        Ok(())
    }

    /// Goes through this proxy, to this machine as well.
    ///
    /// # Errors
    /// It cannot be used.
    pub fn through(&mut self, proxy: &str) -> Result<(), NoProxy> {
        self.proxies = Proxies::named(proxy)?;
        Ok(())
    }

    /// What must not be shown of proxies: an agent behind one that reads along may get to see how the suite proves who it is.
    pub(crate) fn secrets(&self) -> &[String] {
        &self.proxies.secrets
    }

    /// Whether there is any.
    pub(in crate::transport) fn has_proxies(&self) -> bool {
        self.proxies.matcher.is_some()
    }

    /// The proxy on the way to a URL; nothing where the way is straight.
    pub(in crate::transport) fn proxy_to(&self, target: &Uri) -> Option<Proxy> {
        let matcher = self.proxies.matcher.as_ref()?;
        let host = target.host()?;
        // Each request asks: names take longer to read than addresses.
        let read = || host.parse().map(Host::Ipv4).or_else(|_| Host::parse(host));
        let is_here = || read().is_ok_and(|host| is_loopback(&as_text(&host)));
        let is_known = || self.is_told(host);
        if !self.proxies.is_named && (is_here() || is_known()) {
            return None;
        }
        match target.scheme_str() {
            Some(BYTES_OF_TLS) => {
                let host = target.authority()?.clone();
                let target = Uri::builder().scheme(Scheme::HTTPS).authority(host).path_and_query("/").build().ok()?;
                matcher.intercept(&target)
            }
            _ => matcher.intercept(target),
        }
        .map(Proxy)
    }
}

fn as_text(host: &Host<String>) -> Host<&str> {
    match host {
        Host::Domain(name) => Host::Domain(name),
        Host::Ipv4(address) => Host::Ipv4(*address),
        Host::Ipv6(address) => Host::Ipv6(*address),
    }
}

/// Makes connections that carry whatever is written, straight or through a proxy (`CONNECT`, RFC 9110 section 9.3.6).
#[derive(Clone)]
pub(in crate::transport) struct Tcp {
    straight: HttpConnector<Resolver>,
    dialing: Arc<Dialing>,
    limit: Duration,
}

impl Tcp {
    pub fn new(straight: HttpConnector<Resolver>, dialing: Arc<Dialing>, limit: Duration) -> Self {
        Self { straight, dialing, limit }
    }
}

impl Service<Uri> for Tcp {
    type Response = TokioIo<TcpStream>;
    type Error = Box<dyn Error + Send + Sync>;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.straight.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, target: Uri) -> Self::Future {
        let Some(Proxy(proxy)) = self.dialing.proxy_to(&target) else {
            let connecting = self.straight.call(target);
            return async { connecting.await.map_err(Into::into) }.boxed();
        };
        let mut tunnel = Tunnel::new(proxy.uri().clone(), self.straight.clone());
        if let Some(credentials) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(credentials.clone());
        }
        let limit = self.limit;
        async move {
            let connecting = tunnel.call(with_port(target)?);
            let connected = tokio::time::timeout(limit, connecting).await;
            Ok(connected.map_err(|_| std::io::Error::from(std::io::ErrorKind::TimedOut))??)
        }
        .boxed()
    }
}

/// The same URL with its port: without one, a tunnel is one to the port of https.
fn with_port(target: Uri) -> Result<Uri, http::Error> {
    match (target.host(), target.port(), target.scheme() == Some(&Scheme::HTTP)) {
        (Some(host), None, true) => {
            Uri::builder().scheme(Scheme::HTTP).authority(format!("{host}:80")).path_and_query("/").build()
        }
        _ => Ok(target),
    }
}
