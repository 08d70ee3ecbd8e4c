//! Where the interfaces of a card are on the instance that is checked, which may serve the card of another: `--base-url`.

use std::collections::BTreeMap;
use std::str::FromStr;

use thiserror::Error;
use url::Url;

use crate::profile::Binding;

/// The base URLs that the user names: one for every interface, and one for those of a binding, which wins.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bases {
    every: Option<Base>,
    of_binding: BTreeMap<Binding, Base>,
}

/// A URL to whose scheme, host and port interfaces are mapped, and whose path comes before theirs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Base(Url);

/// Why bases cannot be used; readable after the text that was given.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum BaseError {
    /// The part before `=` names no binding.
    #[error("names the binding {0:?}; there is jsonrpc, http-json and grpc")]
    Binding(String),
    /// It is no URL.
    #[error("is no URL of http or https")]
    Url,
    /// It has parts that cannot come before the path of an interface.
    #[error("has a query or a fragment; a base is scheme, host, port and perhaps a path")]
    Rest,
    /// Two for the same.
    #[error("comes after another base for the same interfaces")]
    Twice,
    /// The same replica twice.
    #[error("is given twice")]
    Again,
}

impl Bases {
    /// Adds one as the user writes it, without credentials: `URL` or `BINDING=URL`.
    ///
    /// # Errors
    /// It cannot be read, or there is one for the same interfaces.
    pub(crate) fn add(&mut self, text: &str) -> Result<(), BaseError> {
        let (binding, url) = parts(text);
        let base: Base = url.parse()?;
        let before = match binding {
            None => self.every.replace(base),
            Some(name) => {
                let binding = name.parse().map_err(|_| BaseError::Binding(name.to_owned()))?;
                self.of_binding.insert(binding, base)
            }
        };
        before.map_or(Ok(()), |_| Err(BaseError::Twice))
    }

    /// The base of the interfaces over a binding.
    pub(crate) fn of(&self, binding: Binding) -> Option<&Base> {
        self.of_binding.get(&binding).or(self.every.as_ref())
    }
}

/// What a user writes before `=`, if anything, and the URL. A URL may have `=` in it, too.
pub(crate) fn parts(text: &str) -> (Option<&str>, &str) {
    match text.split_once('=') {
        Some((binding, url)) if !binding.contains(['/', ':']) => (Some(binding), url),
        _ => (None, text),
    }
}

impl FromStr for Base {
    type Err = BaseError;

    fn from_str(text: &str) -> Result<Self, BaseError> {
        let url = Url::parse(text).map_err(|_| BaseError::Url)?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(BaseError::Url);
        }
        match url.query().is_some() || url.fragment().is_some() {
            true => Err(BaseError::Rest),
            false => Ok(Self(url)),
        }
    }
}

impl Base {
    /// Whether it is reached with TLS.
    pub(crate) fn is_tls(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// The URL of an interface here: what follows its host and port, as it is spelled, follows the base. A URL without host
    /// is one of the base's host; `host:port` stays that.
    pub(crate) fn map(&self, url: &str) -> String {
        let prefix = self.0.path().trim_end_matches('/');
        let beyond = |rest: &str, from: &[char]| rest.find(from).map_or("", |at| rest.split_at(at).1).to_owned();
        let (scheme, rest) = match url.split_once("://") {
            Some((_, rest)) => (format!("{}://", self.0.scheme()), beyond(rest, &['/', '?', '#'])),
            None if url.starts_with('/') => (format!("{}://", self.0.scheme()), url.to_owned()),
            None => (String::new(), beyond(url, &['/'])),
        };
        let host = self.0.host_str().unwrap_or_default();
        let port = match scheme.is_empty() {
            true => self.0.port_or_known_default(),
            false => self.0.port(),
        };
        let port = port.map(|port| format!(":{port}")).unwrap_or_default();
        let rest = rest.split('#').next().unwrap_or_default();
        format!("{scheme}{host}{port}{prefix}{rest}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(base: &str, url: &str) -> String {
        base.parse::<Base>().unwrap().map(url)
    }

    #[test]
    fn an_interface_keeps_its_path_and_query() {
        let here = "http://127.0.0.1:8080";
        for (base, url, wanted) in [
            (here, "https://agent.example/a2a/v1?key=1", "http://127.0.0.1:8080/a2a/v1?key=1"),
            ("http://127.0.0.1:8080/", "https://agent.example", "http://127.0.0.1:8080"),
            (here, "https://agent.example:444/", "http://127.0.0.1:8080/"),
            (here, "https://agent.example?tenant=a/b", "http://127.0.0.1:8080?tenant=a/b"),
            ("https://staging.example/one/", "http://agent.example/a2a/#x", "https://staging.example/one/a2a/"),
            ("https://staging.example/one", "http://agent.example", "https://staging.example/one"),
            (here, "/a2a", "http://127.0.0.1:8080/a2a"),
            (here, "agent.example:443", "127.0.0.1:8080"),
            ("https://[::1]", "agent.example:50051/a2a", "[::1]:443/a2a"),
            ("https://staging.example/one", "agent.example:50051", "staging.example:443/one"),
        ] {
            assert_eq!(map(base, url), wanted, "{url} on {base}");
        }
    }

    #[test]
    fn that_of_a_binding_wins() {
        let mut bases = Bases::default();
        for text in ["http://all.example", "grpc=https://grpc.example", "http-json=http://rest.example/a=b"] {
            bases.add(text).unwrap();
        }
        let of = |binding: Binding| bases.of(binding).unwrap().0.to_string();
        assert_eq!(of(Binding::Grpc), "https://grpc.example/");
        assert_eq!(of(Binding::HttpJson), "http://rest.example/a=b");
        assert_eq!(of(Binding::Jsonrpc), "http://all.example/");
        assert!(Bases::default().of(Binding::Grpc).is_none());
    }

    #[test]
    fn says_what_is_wrong() {
        for (texts, error) in [
            (&["rest=http://a.example"][..], BaseError::Binding("rest".to_owned())),
            (&["a.example"], BaseError::Url),
            (&["ftp://a.example"], BaseError::Url),
            (&["http://a.example?x=1"], BaseError::Rest),
            (&["http://a.example", "http://b.example"], BaseError::Twice),
            (&["grpc=http://a.example", "grpc=http://b.example"], BaseError::Twice),
        ] {
            let mut bases = Bases::default();
            let found = texts.iter().try_for_each(|text| bases.add(text));
            assert_eq!(found, Err(error), "{texts:?}");
        }
    }
}
