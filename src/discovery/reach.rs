//! Where the interfaces are, seen from the URL that the user gave: what a user must know who believes to talk to that one.

use url::Url;

use crate::auth::{Credentials, origin};
pub(crate) use crate::binding::address;
use crate::diagnostic::words::list;
use crate::interface::{CardPlace, Interface, is_loopback};
use crate::profile::Binding;
use crate::transport::http::Http;

/// What is worth knowing of where an interface is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Concern {
    /// `--base-url` leads here.
    Mapped {
        /// Its URL in the card.
        declared: String,
    },
    /// Plain HTTP, where the user, or the card, speaks of TLS.
    Plain {
        /// What is https.
        secure: String,
        /// Whether credentials go there all the same.
        is_trusted: bool,
    },
    /// Its certificate is taken as it comes.
    Unverified,
    /// A proxy is on the way.
    Proxied {
        /// Its URL, without credentials.
        proxy: String,
        /// Whether it reads what passes, and may change it.
        is_reader: bool,
    },
    /// Credentials are not sent there.
    Withheld {
        /// Its origin.
        origin: String,
        /// Where they are sent.
        trusted: Vec<String>,
    },
    /// Parameters of queries are not sent there: requests of gRPC have none.
    NoQuery {
        /// Their names.
        parameters: Vec<String>,
    },
}

impl Concern {
    /// Whether it is more than a note.
    pub(crate) fn is_warning(&self) -> bool {
        matches!(self, Self::Plain { .. } | Self::Unverified)
    }
}

impl std::fmt::Display for Concern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Mapped { declared } => write!(f, "the card says {declared}, which --base-url maps to this"),
            Self::Plain { secure, is_trusted } => {
                write!(f, "not encrypted, although {secure} is https: anyone on the way can read and change it")?;
                if *is_trusted { f.write_str("; the credentials, too, since you name this origin") } else { Ok(()) }
            }
            Self::Unverified => {
                f.write_str("its certificate is not verified (--insecure): whoever is on the way can be the agent")
            }
            Self::Proxied { proxy, is_reader } => {
                write!(f, "reached through the proxy {proxy}")?;
                let reads = ", which reads plain HTTP and may change it; raw requests go through a tunnel";
                if *is_reader { f.write_str(reads) } else { Ok(()) }
            }
            Self::NoQuery { parameters } => {
                write!(f, "gRPC has no query: what the run brings there is not sent ({})", list(parameters))
            }
            Self::Withheld { origin, trusted } => {
                let trusted = list(trusted);
                write!(f, "no credentials are sent here, only to {trusted}; to send them: --allow-origin {origin}")
            }
        }
    }
}

/// What is worth knowing of where an interface is. `url` is the one that the user gave.
pub(crate) fn concerns(interface: &Interface, url: &Url, http: &Http) -> Vec<Concern> {
    let of_encryption = http.verifies_nothing() && address(interface).starts_with("https:");
    let unverified = of_encryption.then_some(Concern::Unverified);
    let is_plain = address(interface).starts_with("http:") && interface.binding != Binding::Grpc;
    let proxied = http.proxy_to(&address(interface)).map(|proxy| Concern::Proxied { proxy, is_reader: is_plain });
    unverified.into_iter().chain(proxied).chain(of_place(interface, url, http.credentials())).collect()
}

fn of_place(interface: &Interface, url: &Url, credentials: &Credentials) -> Vec<Concern> {
    let address = address(interface);
    let mapped = interface.mapped.clone().map(|declared| Concern::Mapped { declared });
    let secure = match &interface.card {
        _ if url.scheme() == "https" => Some(format!("the URL {url}")),
        CardPlace::Url(card) if card.starts_with("https:") => Some(format!("the card {card}")),
        _ => None,
    };
    let is_plain = !address.starts_with("https:");
    let is_trusted = credentials.trusts(&address) && credentials.brings_to(&address);
    let plain = secure.filter(|_| is_plain).map(|secure| Concern::Plain { secure, is_trusted });
    let withheld = credentials
        .keeps_from(&address)
        .then(|| Concern::Withheld { origin: origin::shown(&address), trusted: credentials.trusted() });
    let parameters: Vec<String> =
        credentials.parameters_for(&address).into_iter().map(|(name, _)| name.clone()).collect();
    let is_lost = interface.binding == Binding::Grpc && !parameters.is_empty();
    mapped.into_iter().chain(plain).chain(withheld).chain(is_lost.then_some(Concern::NoQuery { parameters })).collect()
}

/// Whether an interface is on the host of a URL, at whatever port and by whatever scheme. This machine has several names.
pub(crate) fn is_on_host_of(interface: &Interface, url: &Url) -> bool {
    let Ok(address) = Url::parse(&address(interface)) else { return false };
    let is_this_machine = |url: &Url| url.host().is_some_and(|host| is_loopback(&host));
    address.host() == url.host() || (is_this_machine(&address) && is_this_machine(url))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::Identity;

    fn interface(binding: Binding, url: &str, card: &str) -> Interface {
        let profile = crate::profile::bundled().unwrap().into_iter().find(|profile| profile.name() == "1.0").unwrap();
        let interface = Interface::new(&profile, binding, url.to_owned()).unwrap();
        Interface { card: CardPlace::Url(card.to_owned()), ..interface }
    }

    fn credentials(trusted: &[&str]) -> Credentials {
        let origins: Vec<_> = trusted.iter().filter_map(|url| origin::of(url)).collect();
        Credentials::new(origins.clone(), vec![Identity::new(vec![("x-key".into(), "k".into())], origins)])
    }

    fn told(binding: Binding, url: &str, given: &str, card: &str, credentials: &Credentials) -> Vec<String> {
        let concerns = of_place(&interface(binding, url, card), &Url::parse(given).unwrap(), credentials);
        concerns.iter().map(|concern| format!("{} {concern}", if concern.is_warning() { "!" } else { "-" })).collect()
    }

    #[test]
    fn from_https_to_http_is_never_silent() {
        let (secure, plain) = ("https://agent.example/", "http://agent.example/");
        let is_warned = |binding: Binding, url: &str, given: &str, card: &str, credentials: &Credentials| {
            told(binding, url, given, card, credentials).iter().any(|text| text.starts_with("! not encrypted"))
        };
        for credentials in [Credentials::default(), credentials(&[secure]), credentials(&[secure, plain])] {
            for (binding, url) in [
                (Binding::Jsonrpc, plain),
                (Binding::HttpJson, plain),
                (Binding::Grpc, plain),
                (Binding::Grpc, "agent.example:50051"),
            ] {
                assert!(is_warned(binding, url, secure, plain, &credentials), "{url}");
                assert!(is_warned(binding, url, plain, secure, &credentials), "{url} and a card over https");
                assert!(!is_warned(binding, url, plain, plain, &credentials), "{url} and no TLS anywhere");
            }
            for (binding, url) in
                [(Binding::Jsonrpc, secure), (Binding::Grpc, secure), (Binding::Grpc, "agent.example:443")]
            {
                assert!(!is_warned(binding, url, secure, secure, &credentials), "{url}");
            }
        }
    }

    #[test]
    fn what_is_withheld_is_told_with_what_to_do() {
        let url = "http://agent.example:80/";
        let others = credentials(&[url]);
        assert_eq!(told(Binding::Jsonrpc, "http://Agent.example/a2a", url, url, &others), [""; 0]);
        let text = "- no credentials are sent here, only to http://agent.example; to send them: --allow-origin";
        let told = |binding, at: &str| told(binding, at, url, url, &others);
        assert_eq!(told(Binding::HttpJson, "http://agent.example:81/a"), [format!("{text} http://agent.example:81")]);
        assert_eq!(told(Binding::Grpc, "agent.example:443"), [format!("{text} https://agent.example")]);
        assert_eq!(told(Binding::Grpc, "agent.example:80"), [""; 0]);
    }

    #[test]
    fn this_machine_has_several_names() {
        let is_on = |at: &str, url: &str| {
            is_on_host_of(&interface(Binding::Jsonrpc, at, "http://a.example"), &Url::parse(url).unwrap())
        };
        assert!(is_on("http://a.example:1/x", "https://A.example/"));
        assert!(is_on("http://localhost:1", "http://[::1]:2/"));
        assert!(is_on("http://127.0.0.1:1", "http://localhost/"));
        assert!(!is_on("http://b.example", "http://a.example/"));
        assert!(!is_on("http://b.example", "http://localhost/"));
    }
}
