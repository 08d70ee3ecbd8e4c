//! What helps who cannot get the card of an agent.

use std::fmt;

use url::Url;

use crate::transcript::{Ended, TransportError};

/// What helps. Its text is for a `help:` line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// To start the agent, or to correct the URL.
    Start,
    /// To use this origin, at which the same port speaks.
    OtherScheme(String),
    /// To trust the certificate, which nobody signed but its owner.
    SelfSigned,
    /// To trust the authority of the certificate, or to show one.
    Certificate,
    /// To correct the proxy.
    Proxy,
    /// To show credentials, or others.
    Credentials,
    /// To wait.
    Wait,
    /// To use this URL, to which a redirect leads.
    Redirect(String),
    /// To name the card, or an interface.
    NameCard,
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start => f.write_str(
                "check that the agent is running and that the URL is correct; --wait 60 waits for an agent that is starting",
            ),
            Self::OtherScheme(origin) => write!(f, "use {origin}"),
            Self::SelfSigned => f.write_str("the certificate is self-signed: --cacert FILE trusts it, --insecure accepts any certificate"),
            Self::Certificate => f.write_str(
                "--cacert FILE trusts the authority of the agent's certificate; --cert FILE --key FILE send a client certificate; \
                 --insecure accepts any certificate",
            ),
            Self::Proxy => f.write_str("check --proxy, or the variables HTTP_PROXY, HTTPS_PROXY and ALL_PROXY; NO_PROXY lists hosts without a proxy"),
            Self::Credentials => f.write_str("pass --bearer env:TOKEN or --header; if you did, the agent refuses these credentials"),
            Self::Wait => f.write_str("--wait 60 waits up to a minute until the agent serves its card"),
            Self::Redirect(url) => write!(f, "use {url}"),
            Self::NameCard => f.write_str(
                "name the card with --card URL|FILE; for an agent without a card, use --profile and --binding",
            ),
        }
    }
}

impl Remedy {
    /// Of an agent that does not answer at a place.
    pub(super) fn of_failure(place: &Url, ended: &Ended) -> Self {
        let Ended::Failed(error) = ended else { return Self::Start };
        match error {
            TransportError::Tls(why) if why.contains("without TLS") => {
                with_scheme(place, "http").map_or(Self::Certificate, |url| Self::OtherScheme(origin(&url)))
            }
            // webpki's words for a certificate that stands for itself.
            TransportError::Tls(why) if why.contains("CaUsedAsEndEntity") || why.contains("SelfSigned") => {
                Self::SelfSigned
            }
            TransportError::Tls(_) | TransportError::NotLetIn(_) => Self::Certificate,
            TransportError::Other(why) if why.contains("the proxy") => Self::Proxy,
            _ => Self::Start,
        }
    }

    /// Of an agent that has no card at any place: each status, and where it redirects to.
    pub(super) fn of_refusals(refused: &[(u16, Option<Url>)]) -> Self {
        let is_all = |of: &[u16]| !refused.is_empty() && refused.iter().all(|(status, _)| of.contains(status));
        if is_all(&[401, 403]) {
            return Self::Credentials;
        }
        if is_all(&[429, 502, 503, 504]) {
            return Self::Wait;
        }
        match refused.iter().find_map(|(_, to)| to.as_ref()) {
            Some(to) => Self::Redirect(agent_of(to)),
            None => Self::NameCard,
        }
    }
}

/// Whether this end shows that the other side speaks TLS.
pub(super) fn is_tls(ended: &Ended) -> bool {
    match ended {
        Ended::Failed(TransportError::Tls(why)) => !why.contains("without TLS"),
        Ended::Failed(TransportError::NotLetIn(_)) => true,
        _ => false,
    }
}

/// The same place by another scheme, if its port is named.
pub(super) fn with_scheme(place: &Url, scheme: &str) -> Option<Url> {
    let mut other = place.clone();
    place.port()?;
    other.set_scheme(scheme).ok()?;
    Some(other)
}

/// Scheme, host and port.
pub(super) fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// The URL of the agent whose card is at a URL.
fn agent_of(card: &Url) -> String {
    let text = card.as_str();
    text.split_once("/.well-known/").map_or(text, |(agent, _)| agent).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_name_what_helps() {
        let to = |url: &str| Some(Url::parse(url).unwrap());
        assert_eq!(Remedy::of_refusals(&[(401, None), (401, None)]), Remedy::Credentials);
        assert_eq!(Remedy::of_refusals(&[(401, None), (404, None)]), Remedy::NameCard);
        assert_eq!(Remedy::of_refusals(&[(503, None), (502, None)]), Remedy::Wait);
        assert_eq!(Remedy::of_refusals(&[]), Remedy::NameCard);
        let moved =
            Remedy::of_refusals(&[(404, None), (301, to("https://agent.example/a/.well-known/agent-card.json"))]);
        assert_eq!(moved.to_string(), "use https://agent.example/a");
        let elsewhere = Remedy::of_refusals(&[(302, to("https://cards.example/echo.json"))]);
        assert_eq!(elsewhere.to_string(), "use https://cards.example/echo.json");
    }

    #[test]
    fn failures_name_what_helps() {
        let place = Url::parse("https://localhost:8443/.well-known/agent-card.json").unwrap();
        let tls = |why: &str| Ended::Failed(TransportError::Tls(why.to_owned()));
        let of = |ended: &Ended| Remedy::of_failure(&place, ended);
        assert_eq!(of(&tls("the port answers without TLS")).to_string(), "use http://localhost:8443");
        assert_eq!(of(&tls("invalid peer certificate: Other(OtherError(CaUsedAsEndEntity))")), Remedy::SelfSigned);
        assert_eq!(of(&tls("invalid peer certificate: UnknownIssuer")), Remedy::Certificate);
        assert_eq!(of(&Ended::Failed(TransportError::Refused)), Remedy::Start);
        let proxy = TransportError::Other("the proxy http://127.0.0.1:9 is not reached: connection refused".to_owned());
        assert_eq!(of(&Ended::Failed(proxy)), Remedy::Proxy);
    }

    #[test]
    fn only_a_port_that_is_named_may_speak_both() {
        let plain = |text: &str| with_scheme(&Url::parse(text).unwrap(), "https").map(|url| url.to_string());
        assert_eq!(plain("http://localhost:8443/a").as_deref(), Some("https://localhost:8443/a"));
        assert_eq!(plain("http://agent.example/a"), None);
    }
}
