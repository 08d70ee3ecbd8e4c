//! Keys from where the signatures of a card say that they are: the member `jku` of their protected headers (1.0 section
//! 8.4.2), which whoever wrote the card chose. So nothing is fetched but from hosts that the user names.

use std::net::{IpAddr, Ipv6Addr};

use serde_json::Value;
use thiserror::Error;
use tokio::net::lookup_host;
use url::{Host, Url};

use crate::binding::http::Http;
use crate::signature::{KeyError, Keys, signatures};
use crate::transcript::Ended;

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

/// The keys to which the signatures of a card point, from hosts that are allowed; and the places from which none came.
pub(crate) async fn keys(http: &Http, card: &Value, allowed: &[String]) -> (Keys, Vec<(Url, JkuError)>) {
    let (mut all, mut failed) = (Keys::default(), Vec::new());
    for place in places(card, allowed) {
        match fetch(http, &place, allowed).await {
            Ok(keys) => all.add(keys),
            Err(error) => failed.push((place, error)),
        }
    }
    (all, failed)
}

/// The places that signatures name and that are allowed: `HOST` allows every port, `HOST:PORT` that one.
fn places(card: &Value, allowed: &[String]) -> Vec<Url> {
    let mut places = Vec::new();
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

async fn fetch(http: &Http, url: &Url, allowed: &[String]) -> Result<Keys, JkuError> {
    let is_local = match url.host() {
        Some(Host::Domain(name)) if name.eq_ignore_ascii_case("localhost") => true,
        // The user has named the address itself.
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => {
            public(name, url.port_or_known_default().unwrap_or_default()).await?;
            false
        }
        None => false,
    };
    debug_assert!(is_allowed(url, allowed));
    if url.scheme() != "https" && !is_local {
        return Err(JkuError::Insecure);
    }
    let exchange = http.fetch("GET", url.as_str(), &[], "the keys of the card's signatures").await;
    let response = match (&exchange.response, &exchange.ended) {
        (Some(response), Ended::Complete) => response,
        (_, ended) => return Err(JkuError::Failed(ended.to_string())),
    };
    match response.status {
        200 if response.body.len() > MOST_BYTES => Err(JkuError::TooLarge),
        200 => Ok(Keys::read(&response.body)?),
        status => Err(JkuError::Status(status)),
    }
}

/// Whether a name leads out of private networks.
async fn public(name: &str, port: u16) -> Result<(), JkuError> {
    let addresses = lookup_host((name, port)).await.map_err(|_| JkuError::Unknown(name.to_owned()))?;
    match addresses.map(|address| address.ip()).find(|address| is_private(*address)) {
        Some(address) => Err(JkuError::Private { host: name.to_owned(), address }),
        None => Ok(()),
    }
}

/// Whether an address is for one machine or one network (RFC 6890).
fn is_private(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            let [first, second, ..] = v4.octets();
            v4.is_loopback()
                || v4.is_private()
                || v4.is_link_local()
                || v4.is_unspecified()
                || v4.is_broadcast()
                || v4.is_multicast()
                || first == 0
                || (first == 100 && (64..128).contains(&second))
        }
        IpAddr::V6(v6) => is_private_v6(v6),
    }
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let first = address.segments()[0];
    address.is_loopback()
        || address.is_unspecified()
        || address.is_multicast()
        || (first & 0xfe00) == 0xfc00
        || (first & 0xffc0) == 0xfe80
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    use super::*;

    fn found(jku: &str, allowed: &[&str]) -> usize {
        let header = URL_SAFE_NO_PAD.encode(json!({ "alg": "ES256", "kid": "a", "jku": jku }).to_string());
        let card = json!({ "signatures": [{ "protected": header, "signature": "" }] });
        places(&card, &allowed.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()).len()
    }

    #[test]
    fn keys_are_fetched_from_hosts_alone_that_are_allowed() {
        let jku = "https://keys.example/jwks.json";
        assert_eq!([found(jku, &[]), found(jku, &["other.example"]), found(jku, &["keys.example"])], [0, 0, 1]);
        assert_eq!([found(jku, &["KEYS.example:443"]), found(jku, &["keys.example:8443"])], [1, 0]);
        assert_eq!(found("https://keys.example@other.example/", &["keys.example"]), 0);
        assert_eq!(found("https://keys.example:pw@keys.example/", &["keys.example"]), 0);
        assert_eq!(found("http://169.254.169.254/latest", &["keys.example"]), 0);
        assert_eq!(found("file:///etc/passwd", &["keys.example"]), 0);
    }

    #[test]
    fn private_addresses_are_known_in_all_their_forms() {
        for address in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "::1",
            "::",
            "fc00::1",
            "fe80::1",
            "::ffff:10.0.0.1",
            "224.0.0.1",
        ] {
            assert!(is_private(address.parse().unwrap()), "{address}");
        }
        for address in ["93.184.216.34", "2606:2800:220:1::1", "100.128.0.1"] {
            assert!(!is_private(address.parse().unwrap()), "{address}");
        }
    }
}
