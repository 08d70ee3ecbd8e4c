//! Origins of URLs (RFC 6454): scheme, host and port, whatever the case of the host and with the port that goes without
//! saying.

use url::Url;

pub use url::Origin;

/// The origin of a URL over HTTP; nothing where it is no such URL.
pub fn of(url: &str) -> Option<Origin> {
    let url = Url::parse(url).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| url.origin()).filter(Origin::is_tuple)
}

/// Reads an origin as a user writes it: `https://agent.example:8443`.
///
/// # Errors
/// What is wrong with it, readable after its name.
pub fn parse(text: &str) -> Result<Origin, String> {
    if !text.contains("://") {
        return Err("has no scheme".to_owned());
    }
    let url = Url::parse(text).map_err(|error| format!("cannot be read: {error}"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("has credentials in it".to_owned());
    }
    if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
        return Err("has more than scheme, host and port".to_owned());
    }
    of(text).ok_or_else(|| "is not of http or https".to_owned())
}

/// The origin of a URL as people read it, without a port that goes without saying; the URL where it has none.
pub fn shown(url: &str) -> String {
    of(url).map_or_else(|| url.to_owned(), |origin| origin.ascii_serialization())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_default_ports_are_normalised() {
        for same in ["https://agent.example", "https://AGENT.example:443/a?b", "HTTPS://agent.Example/"] {
            assert_eq!(of(same), of("https://agent.example/x"), "{same}");
        }
        for other in ["http://agent.example", "https://agent.example:444", "https://agents.example"] {
            assert_ne!(of(other), of("https://agent.example"), "{other}");
        }
        assert_eq!(of("http://[::1]:80"), of("http://[0:0::1]/"));
        for none in ["agent.example:443", "ftp://agent.example", "", "file:///a"] {
            assert_eq!(of(none), None, "{none}");
        }
        assert_eq!(shown("http://Agent.example:80/a"), "http://agent.example");
    }

    #[test]
    fn an_origin_is_no_more_than_that() {
        assert_eq!(parse("https://Agent.example:443/").ok(), of("https://agent.example"));
        for (text, why) in [
            ("agent.example", "has no scheme"),
            ("https://agent.example/a2a", "has more than"),
            ("https://agent.example?x", "has more than"),
            ("https://u:p@agent.example", "has credentials"),
            ("ws://agent.example", "is not of http"),
            ("localhost:8080", "has no scheme"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
