//! What is odd about the URL of an interface, though no sentence forbids it: `check` and `card lint` tell it in the same words.

use std::fmt;

use url::{Host, Url};

use crate::interface::is_public;

/// The ends of the paths at which cards are found.
const CARDS: [&str; 2] = ["/.well-known/agent-card.json", "/.well-known/agent.json"];

/// Something odd about a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Hint {
    /// It names all addresses of a machine, and so none that a client can reach from elsewhere (RFC 1122, section 3.2.1.3; RFC 4291,
    /// section 2.5.2).
    Unspecified {
        /// The address.
        address: String,
    },
    /// It is where cards are.
    Card,
    /// It has a place for a value that nobody has filled in.
    Placeholder,
    /// It is public, and without TLS.
    Plain,
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unspecified { address } => write!(
                f,
                "{address} is where a server listens, and no address that clients elsewhere can reach: write the agent's public host"
            ),
            Self::Card => f.write_str("the URL is that of the card itself: write the URL of the agent's endpoint"),
            Self::Placeholder => f.write_str(
                "the URL has a placeholder in braces, which no client can fill in: write the URL as it is called",
            ),
            Self::Plain => f.write_str("plain http at a public host: in production the URL is an https URL"),
        }
    }
}

/// What is odd about the URL of an interface.
pub(crate) fn of_url(url: &str) -> Vec<Hint> {
    let Ok(parsed) = Url::parse(url) else { return Vec::new() };
    let unspecified = match parsed.host() {
        Some(Host::Ipv4(address)) if address.is_unspecified() => Some(address.to_string()),
        Some(Host::Ipv6(address)) if address.is_unspecified() => Some(format!("[{address}]")),
        _ => None,
    };
    let is_card = CARDS.iter().any(|end| parsed.path().ends_with(end));
    // Braces are written as escapes in a URL that is meant so (RFC 3986, section 2).
    let is_template = url.contains(['{', '}']);
    let is_plain = parsed.scheme() == "http" && unspecified.is_none() && is_public(&parsed);
    let unspecified = unspecified.map(|address| Hint::Unspecified { address });
    let more = [(is_card, Hint::Card), (is_template, Hint::Placeholder), (is_plain, Hint::Plain)];
    unspecified.into_iter().chain(more.into_iter().filter_map(|(is_so, hint)| is_so.then_some(hint))).collect()
}

/// What is odd about the interfaces of a card as a version reads them, each with its place.
#[cfg(feature = "cli")]
pub(crate) fn of_card(card: &serde_json::Value, profile: &crate::profile::Profile) -> Vec<(String, Hint)> {
    let all = super::interfaces::places_of(card, profile).into_iter();
    all.flat_map(|(place, url)| of_url(&url).into_iter().map(move |hint| (place.clone(), hint))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_that_leads_nowhere_is_told() {
        let told = |url: &str| of_url(url).iter().map(Hint::to_string).collect::<Vec<_>>().join("; ");
        for url in ["http://0.0.0.0:80/", "https://0.0.0.0/a", "http://[::]:9/x"] {
            assert!(told(url).contains("is where a server listens"), "{url}");
        }
        for url in ["https://a.example/.well-known/agent.json", "https://a.example/b/.well-known/agent-card.json"] {
            assert_eq!(of_url(url), [Hint::Card], "{url}");
        }
        assert_eq!(of_url("http://agent.example.org/a2a"), [Hint::Plain]);
        assert_eq!(of_url("https://agent.example.org/{tenant}/a2a"), [Hint::Placeholder]);
        let usual = [
            "https://agent.example.org/",
            "http://127.0.0.1:80/",
            "http://localhost/",
            "http://10.0.0.1/",
            "h:50051",
            "/a",
        ];
        for url in usual {
            assert_eq!(of_url(url), [], "{url}");
        }
    }
}
