//! Which origin of the agent is behind which port of the proxy, and the addresses in a card that lead there.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use serde_json::Value;
use url::Url;

/// The members of a card with interfaces in a list, in all versions.
const LISTS: [&str; 3] = ["supportedInterfaces", "additionalInterfaces", "interfaces"];

/// The origins of the agent.
pub(super) struct Places {
    by_tls: bool,
    all: Vec<(String, SocketAddr)>,
}

impl Places {
    /// None yet; `by_tls` if clients come by TLS.
    pub fn new(by_tls: bool) -> Self {
        Self { by_tls, all: Vec::new() }
    }

    /// Adds an origin, whose traffic comes to this address.
    pub fn add(&mut self, origin: String, listens: SocketAddr) {
        self.all.push((origin, listens));
    }

    /// The origin behind the port with this place.
    pub fn origin(&self, place: usize) -> Option<&str> {
        self.all.get(place).map(|(origin, _)| origin.as_str())
    }

    /// Each URL of the proxy, with the origin behind it.
    pub fn all(&self) -> impl Iterator<Item = (String, &str)> {
        self.all.iter().map(|(origin, listens)| (format!("{}://{listens}", self.scheme()), origin.as_str()))
    }

    fn scheme(&self) -> &'static str {
        if self.by_tls { "https" } else { "http" }
    }

    /// An address of a card as a client gets there that came to `host` for the card: to the same host, at the port for the origin.
    /// Nothing for an address that is not behind the proxy.
    fn through(&self, address: &str, host: &str) -> Option<String> {
        let of_origin = |origin: &str| self.all.iter().position(|(known, _)| known == origin);
        let (place, rest) = match origin(address) {
            Some(origin) => (of_origin(&origin)?, Some(after_authority(address))),
            // Channels of gRPC are often written without a scheme.
            None => {
                let with = ["http", "https"].map(|scheme| origin(&format!("{scheme}://{address}")));
                (with.iter().flatten().find_map(|origin| of_origin(origin))?, None)
            }
        };
        let (_, listens) = self.all.get(place)?;
        let own = Url::parse(&format!("http://{host}")).ok().and_then(|url| url.host_str().map(str::to_owned));
        // Behind a port that is mapped to another, the first is where the client came to.
        let authority = match (place, own) {
            (0, Some(_)) => host.to_owned(),
            (_, Some(name)) => format!("{name}:{}", listens.port()),
            (_, None) => listens.to_string(),
        };
        Some(match rest {
            Some(rest) => format!("{}://{authority}{rest}", self.scheme()),
            None => authority,
        })
    }

    /// The text of a card, or of a response with one, in which the interfaces are behind the proxy for a client that came to `host`.
    /// Every other byte is as it was.
    pub fn rewrite(&self, text: &str, host: &str) -> String {
        let Ok(value) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
        let roots = [Some(&value), value.get("result")];
        let known: BTreeSet<&str> = roots.into_iter().flatten().flat_map(addresses).collect();
        let mut text = text.to_owned();
        for address in known {
            let Some(through) = self.through(address, host) else { continue };
            let [old, new] = [address, through.as_str()].map(|text| Value::from(text).to_string());
            // Some writers of JSON escape slashes.
            for (old, new) in [(old.replace('/', "\\/"), new.replace('/', "\\/")), (old, new)] {
                text = text.replace(&old, &new);
            }
        }
        text
    }
}

/// The origins of URLs, each once, in their order.
pub(super) fn origins(urls: &[String]) -> Vec<String> {
    let mut known: Vec<String> = Vec::new();
    for origin in urls.iter().filter_map(|url| origin(url)) {
        if !known.contains(&origin) {
            known.push(origin);
        }
    }
    known
}

/// The origin of a URL of HTTP.
fn origin(url: &str) -> Option<String> {
    let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    Some(url.origin().ascii_serialization())
}

/// Path, query and fragment of a URL, as they are written.
fn after_authority(url: &str) -> &str {
    let after = url.split_once("://").map_or("", |(_, after)| after);
    after.find(['/', '?', '#']).and_then(|at| after.get(at..)).unwrap_or_default()
}

/// The addresses of the interfaces in a card.
fn addresses(card: &Value) -> Vec<&str> {
    let own = card.get("url").and_then(Value::as_str);
    let lists = LISTS.into_iter().filter_map(|list| card.get(list)?.as_array()).flatten();
    own.into_iter().chain(lists.filter_map(|interface| interface.get("url")?.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Places {
        let mut places = Places::new(false);
        for (origin, port) in [("http://agent.example:8080", 4000), ("http://agent.example:50051", 4001)] {
            places.add(origin.to_owned(), SocketAddr::from(([127, 0, 0, 1], port)));
        }
        places
    }

    #[test]
    fn interfaces_lead_to_the_proxy_and_nothing_else_changes() {
        let card = r#"{ "name": "a\u00e9",  "url":"http://agent.example:8080/a2a?x=1",
            "supportedInterfaces":[{"url":"agent.example:50051","protocolBinding":"GRPC"},{"url":"http:\/\/agent.example:8080\/rest"},
            {"url": "https://other.example/a2a"}], "documentationUrl":"http://agent.example:8080/docs" }"#;
        let expected = r#"{ "name": "a\u00e9",  "url":"http://proxy:4000/a2a?x=1",
            "supportedInterfaces":[{"url":"proxy:4001","protocolBinding":"GRPC"},{"url":"http:\/\/proxy:4000\/rest"},
            {"url": "https://other.example/a2a"}], "documentationUrl":"http://agent.example:8080/docs" }"#;
        assert_eq!(places().rewrite(card, "proxy:4000"), expected);
        let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"url":"http://agent.example:8080"}}"#;
        let through = r#"{"jsonrpc":"2.0","id":1,"result":{"url":"http://proxy:9"}}"#;
        assert_eq!(places().rewrite(answer, "proxy:9"), through);
        assert_eq!(
            places().rewrite("no JSON http://agent.example:8080", "proxy:4000"),
            "no JSON http://agent.example:8080"
        );
    }

    #[test]
    fn each_origin_is_listed_once() {
        let urls = ["http://a/x", "http://a:80/y", "https://a/x", "a:50051", "http://a:50051"].map(str::to_owned);
        assert_eq!(origins(&urls), ["http://a", "https://a", "http://a:50051"]);
    }
}
