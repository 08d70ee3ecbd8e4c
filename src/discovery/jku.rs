//! Keys from where the signatures of a card say that they are: the member `jku` of their protected headers (1.0 section
//! 8.4.2), which whoever wrote the card chose. So nothing is fetched but from hosts that the user names.

use std::io;
use std::net::IpAddr;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::Value;
use thiserror::Error;
use url::{Host, Url};

use crate::interface::is_routed;
use crate::signature::{KeyError, Keys, signatures};
use crate::transcript::{Ended, Limit};
use crate::transport::http::Http;
use crate::transport::looked_up;

/// The most bytes of a set of keys.
pub(crate) const MOST_BYTES: usize = 64 << 10;
/// The most places from which one card has keys fetched.
pub(crate) const MOST_PLACES: usize = 4;

/// Why no keys came from a place.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum JkuError {
    /// Keys are to be fetched over a secure channel (8.4.3).
    #[error("it is not https, and not on this machine")]
    Insecure,
    /// A name that leads into a private network: the card would have the user ask there.
    #[error("{host} is {address}, which is no public address; to allow it, name the address itself with --allow-jku")]
    Private {
        /// The host.
        host: String,
        /// What it resolves to.
        address: IpAddr,
    },
    /// The name leads nowhere.
    #[error("{0} has no address")]
    Unknown(String),
    /// Nothing came.
    #[error("{0}")]
    Failed(String),
    /// Something else than keys came.
    #[error("HTTP {0}; redirects are not followed")]
    Status(u16),
    /// More than keys are.
    #[error("more than {} KiB", MOST_BYTES >> 10)]
    TooLarge,
    /// No keys.
    #[error(transparent)]
    Keys(#[from] KeyError),
}

/// By what signatures of cards are verified.
#[derive(Debug, Clone, Default)]
pub struct Trust {
    /// The keys that are known.
    pub keys: Keys,
    /// The hosts from which keys may be fetched: `HOST` with every port, `HOST:PORT` with that one.
    pub hosts: Vec<String>,
    /// The places that were asked already.
    pub asked: Vec<Url>,
}

impl Trust {
    /// Adds the keys to which the signatures of a card point; and tells the places from which none came.
    pub(crate) async fn learn(&mut self, http: &Http, card: &Value) -> Vec<(Url, JkuError)> {
        let mut places = places(card, &self.hosts);
        places.retain(|place| !self.asked.contains(place));
        self.asked.extend_from_slice(&places);
        let (keys, failed) = from(http, places).await;
        self.keys.add(keys);
        failed
    }
}

/// The keys to which the signatures of a card point, from hosts that are allowed; and the places from which none came.
pub(crate) async fn keys(http: &Http, card: &Value, allowed: &[String]) -> (Keys, Vec<(Url, JkuError)>) {
    from(http, places(card, allowed)).await
}

async fn from(http: &Http, places: Vec<Url>) -> (Keys, Vec<(Url, JkuError)>) {
    let (mut all, mut failed) = (Keys::default(), Vec::new());
    for place in places {
        match fetch(http, &place, by_this_machine).await {
            Ok(keys) => all.add(keys),
            Err(error) => failed.push((place, error)),
        }
    }
    (all, failed)
}

/// The places that signatures name and that are allowed: `HOST` allows every port, `HOST:PORT` that one.
fn places(card: &Value, allowed: &[String]) -> Vec<Url> {
    let mut places = Vec::new();
    if allowed.is_empty() {
        return places;
    }
    for (_, signature) in signatures(card) {
        let Some(jku) = signature.ok().and_then(|signature| Url::parse(signature.header.text("jku")?).ok()) else {
            continue;
        };
        // Whoever writes user:password@ wants something else read than what is asked.
        let is_plain = jku.username().is_empty() && jku.password().is_none();
        if is_plain && is_allowed(&jku, allowed) && !places.contains(&jku) {
            places.push(jku);
        }
    }
    places.truncate(MOST_PLACES);
    places
}

fn is_allowed(url: &Url, allowed: &[String]) -> bool {
    let Some(host) = url.host_str() else { return false };
    let port = url.port_or_known_default().map(|port| format!("{host}:{port}"));
    allowed.iter().any(|name| name.eq_ignore_ascii_case(host) || Some(name.to_ascii_lowercase()) == port)
}

/// Finds the addresses of a host.
type Lookup = fn(String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;

/// As the resolver of this machine gives them.
fn by_this_machine(host: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
    async move { looked_up(&host).await }.boxed()
}

async fn fetch(http: &Http, url: &Url, lookup: Lookup) -> Result<Keys, JkuError> {
    let is_local = match url.host() {
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        // The user has named the address itself.
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    if url.scheme() != "https" && !is_local {
        return Err(JkuError::Insecure);
    }
    let fetched = async {
        let public = match url.host() {
            Some(Host::Domain(name)) if !is_local && !http.is_told(name) => public(http, url, name, lookup).await?,
            _ => None,
        };
        let http = public.as_ref().unwrap_or(http);
        Ok::<_, JkuError>(http.fetch("GET", url.as_str(), &[], "the keys of the card's signatures").await)
    };
    // In pieces, an answer might take for ever.
    let limit = http.timeout();
    let slow = JkuError::Failed(Ended::TimedOut(limit).to_string());
    let exchange = tokio::time::timeout(limit, fetched).await.map_err(|_| slow)??;
    let response = match (&exchange.response, &exchange.ended) {
        (Some(response), Ended::Complete) => response,
        (_, Ended::Endless(Limit::Bytes(_))) => return Err(JkuError::TooLarge),
        (_, ended) => return Err(JkuError::Failed(ended.to_string())),
    };
    match response.status {
        200 if response.body.len() > MOST_BYTES => Err(JkuError::TooLarge),
        200 => Ok(Keys::read(&response.body)?),
        status => Err(JkuError::Status(status)),
    }
}

/// A client that goes where a name leads now, if that is out of private networks: were it looked for again, it might lead
/// elsewhere. A proxy looks for it by itself, and may know names that nobody here does: then there is no such client.
async fn public(http: &Http, url: &Url, name: &str, lookup: Lookup) -> Result<Option<Http>, JkuError> {
    let addresses = lookup(name.to_owned()).await.unwrap_or_default();
    if let Some(address) = addresses.iter().find(|address| !is_routed(**address)) {
        return Err(JkuError::Private { host: name.to_owned(), address: *address });
    }
    match http.proxy_to(url.as_str()) {
        Some(_) => Ok(None),
        None if addresses.is_empty() => Err(JkuError::Unknown(name.to_owned())),
        None => http.looking_at(name, &addresses).map(Some).map_err(JkuError::Failed),
    }
}

#[cfg(test)]
mod tests;
