//! Where a gRPC interface listens, from the URL that a card states.

use std::fmt;

use http::Uri;
use http::uri::Authority;
use url::Url;

/// Where calls go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Whether with TLS.
    is_tls: bool,
    /// `host:port`, or `host` where a URL leaves the port to its scheme.
    authority: String,
    /// The path in the URL, where it has one: gRPC's own paths begin at the root, so it is not used.
    pub path: Option<String>,
}

impl Address {
    /// Reads `http://...`, `https://...` or `host:port`. `tls` decides for the last form; without it, port 443 means
    /// TLS.
    ///
    /// # Errors
    /// Why the text is none of these.
    pub fn parse(text: &str, tls: Option<bool>) -> Result<Self, String> {
        let wrong = |why: &str| {
            let forms = "http://host:port, https://host:port or host:port";
            format!("its URL is no address of gRPC ({why}): write {forms}")
        };
        if text.contains("://") {
            let url = Url::parse(text).map_err(|error| wrong(&error.to_string()))?;
            let is_tls = match url.scheme() {
                "http" => false,
                "https" => true,
                other => return Err(wrong(&format!("its scheme is {other}"))),
            };
            let host = url.host_str().ok_or_else(|| wrong("it has no host"))?;
            let authority = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
            return Ok(Self { is_tls, authority, path: beyond_root(url.path()) });
        }
        let (authority, path) = text.split_at(text.find('/').unwrap_or(text.len()));
        let authority: Authority = authority.parse().map_err(|_| wrong("it has no host"))?;
        if authority.host().is_empty() || authority.as_str().contains('@') {
            return Err(wrong("it has no host"));
        }
        let port = authority.port_u16().ok_or_else(|| wrong("it has no port"))?;
        Ok(Self {
            is_tls: tls.unwrap_or(port == 443),
            authority: format!("{}:{port}", authority.host()),
            path: beyond_root(path),
        })
    }

    /// The address as the origin of requests.
    pub fn origin(&self) -> Result<Uri, String> {
        self.to_string().parse().map_err(|error| format!("requests cannot go to {self}: {error}"))
    }
}

/// A path that is more than the root.
fn beyond_root(path: &str) -> Option<String> {
    Some(path).filter(|path| !matches!(*path, "" | "/")).map(str::to_owned)
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", if self.is_tls { "https" } else { "http" }, self.authority)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_cards_say() {
        for (text, tls, origin, path) in [
            ("http://localhost:50051", None, "http://localhost:50051", None),
            ("http://localhost:50051/", Some(true), "http://localhost:50051", None),
            ("http://localhost", None, "http://localhost", None),
            ("https://agent.example", None, "https://agent.example", None),
            ("https://agent.example:8443/a2a/grpc?x=1", None, "https://agent.example:8443", Some("/a2a/grpc")),
            ("http://[::1]:50051", None, "http://[::1]:50051", None),
            ("localhost:50051", None, "http://localhost:50051", None),
            ("localhost:50051", Some(true), "https://localhost:50051", None),
            ("127.0.0.1:443", None, "https://127.0.0.1:443", None),
            ("agent.example:443", Some(false), "http://agent.example:443", None),
            ("[::1]:50051/a2a", None, "http://[::1]:50051", Some("/a2a")),
        ] {
            let address = Address::parse(text, tls).unwrap();
            assert_eq!((address.to_string().as_str(), address.path.as_deref()), (origin, path), "{text}");
            assert!(address.origin().is_ok(), "{text}");
        }
    }

    #[test]
    fn says_why_a_text_is_no_address() {
        for (text, why) in [
            ("", "it has no host"),
            ("/a2a", "it has no host"),
            (":50051", "it has no host"),
            ("http://", "empty host"),
            ("ftp://agent.example", "its scheme is ftp"),
            ("agent.example", "it has no port"),
            ("agent.example:70000", "it has no"),
            ("two words:1", "it has no host"),
        ] {
            let error = Address::parse(text, None).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
