//! Interfaces at private addresses: the card of a stranger must not have the suite call internal services, whose answers
//! would be in reports.
//!
//! If the user's URL is public, no interface is called at another address than a public one, unless the user names its origin.
//! Addresses are checked again at each connection, and the connection goes to the address that was checked.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use futures_util::future::join_all;
use url::{Host, Url};

use super::reach::{address, is_on_host_of};
use crate::auth::origin::{self, Origin};
use crate::interface::{Agent, Interface, is_loopback, is_public, is_routed};
use crate::transport::http::Http;

/// The URLs of interfaces that must not be called, as the card has them, and why.
pub(super) type Refused = BTreeMap<String, String>;

/// Which interfaces at private addresses are called.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Guard<'a> {
    /// The origins that the user allows.
    pub allowed: &'a [Origin],
    /// Whether the agent is one of many that the user may not know: then none but its own host may be private.
    pub is_of_stranger: bool,
}

/// Where the user's URL leads.
pub(super) struct Home<'a> {
    url: &'a Url,
    /// Its addresses, as far as this machine looks for them.
    addresses: Vec<IpAddr>,
    is_public: bool,
}

impl<'a> Home<'a> {
    /// Looks for the host of the user's URL, once.
    pub async fn of(http: &Http, url: &'a Url) -> Self {
        let found = |addresses, is_public| Self { url, addresses, is_public };
        match url.host() {
            Some(Host::Domain(name)) if !is_loopback(&Host::Domain(name)) && http.looks_for_hosts() => {
                // Where the user says that a host is, its name counts. A proxy looks for names by itself.
                if http.is_told(name) || http.proxy_to(url.as_str()).is_some() {
                    return found(Vec::new(), is_public(url));
                }
                let addresses = http.addresses(name).await;
                let (routed, others): (Vec<_>, Vec<_>) = addresses.into_iter().partition(|address| is_routed(*address));
                match (routed.is_empty(), others.is_empty()) {
                    (false, _) => found(routed, true),
                    (true, false) => found(others, false),
                    (true, true) => found(Vec::new(), is_public(url)),
                }
            }
            Some(Host::Domain(_)) | None => found(Vec::new(), false),
            Some(_) => found(Vec::new(), is_public(url)),
        }
    }

    /// The user's URL.
    pub fn url(&self) -> &'a Url {
        self.url
    }

    /// A client that goes to the addresses that were found, so that what was decided holds for the card, too.
    pub fn pinned(&self, http: &Http) -> Result<Option<std::sync::Arc<Http>>, String> {
        let host = self.url.host_str().filter(|_| !self.addresses.is_empty());
        host.map(|host| http.looking_at(host, &self.addresses).map(std::sync::Arc::new)).transpose()
    }

    /// Whether interfaces at private addresses are refused at all.
    pub fn is_guarded(&self, guard: Guard<'_>) -> bool {
        self.is_public || guard.is_of_stranger
    }

    /// The interfaces that would be checked and must not be called, and why. The user names base URLs, so those may be anywhere.
    pub async fn refused(&self, http: &Http, agent: &Agent, guard: Guard<'_>) -> Refused {
        let judged = agent.interfaces.iter().filter_map(|listed| {
            let interface = listed.interface.as_ref().filter(|interface| interface.mapped.is_none())?;
            Some(async move {
                let found = self.private(http, interface, guard.allowed).await?;
                Some((listed.info.url.clone(), self.why(&found, &address(interface))))
            })
        });
        join_all(judged).await.into_iter().flatten().collect()
    }

    fn why(&self, found: &str, there: &str) -> String {
        let here = origin::shown(self.url.as_str());
        let whose = match self.is_public {
            true => format!("{here} is public"),
            false => "it is not on the host of the agent's URL".to_owned(),
        };
        let there = origin::shown(there);
        format!(
            "{found} is not a public address, and {whose}; to call it there: --allow-origin {there}; \
             to call the card's path here: --base-url {here}"
        )
    }

    /// The hosts that may be at private addresses.
    pub fn beside(&self, http: &Http, agent: &Agent, guard: Guard<'_>) -> BTreeSet<String> {
        let mut beside: BTreeSet<String> = guard.allowed.iter().filter_map(host_of).collect();
        if !self.is_public {
            beside.extend(self.url.host_str().map(str::to_owned));
            beside.extend(self.url.host().filter(is_loopback).map(|_| "localhost".to_owned()));
        }
        let host = |url: &str| Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
        let mapped = agent.checked().filter(|(_, interface)| interface.mapped.is_some());
        beside.extend(mapped.filter_map(|(_, interface)| host(&address(interface))));
        // A proxy is where the user says.
        let targets = agent.checked().map(|(_, interface)| address(interface)).chain([self.url.to_string()]);
        beside.extend(targets.filter_map(|target| host(&http.proxy_to(&target)?)));
        beside
    }

    /// Where an interface is that must not be called: its host, or the private address of that; nothing if it may be called.
    async fn private(&self, http: &Http, interface: &Interface, allowed: &[Origin]) -> Option<String> {
        let there = address(interface);
        let url = Url::parse(&there).ok()?;
        let is_named = origin::of(&there).is_some_and(|origin| allowed.contains(&origin));
        if is_named || is_on_host_of(interface, self.url) {
            return None;
        }
        match url.host()? {
            Host::Domain(name) if is_loopback(&Host::Domain(name)) => Some(name.to_owned()),
            Host::Domain(name) if http.is_told(name) => None,
            Host::Domain(name) => {
                let addresses = http.addresses(name).await;
                let private = addresses.iter().find(|address| !is_routed(**address));
                let is_unknown = addresses.is_empty() && http.proxy_to(&there).is_some() && !is_public(&url);
                match (private, is_unknown) {
                    (Some(address), _) => Some(format!("{name} ({address})")),
                    (None, true) => Some(name.to_owned()),
                    (None, false) => None,
                }
            }
            Host::Ipv4(address) => (!is_routed(address.into())).then(|| address.to_string()),
            Host::Ipv6(address) => (!is_routed(address.into())).then(|| address.to_string()),
        }
    }
}

fn host_of(origin: &Origin) -> Option<String> {
    match origin {
        Origin::Tuple(_, host, _) => Some(host.to_string()),
        Origin::Opaque(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::auth::Credentials;
    use crate::interface::Listed;
    use crate::profile::Binding;
    use crate::transport::Dialing;
    use crate::transport::http::Settings;

    fn http() -> Http {
        let mut dialing = Dialing::default();
        dialing.find_at("agent.example.com", "127.0.0.1".parse().unwrap());
        dialing.find_at("other.example.com", "127.0.0.1".parse().unwrap());
        Http::dialing(dialing, Settings { credentials: Credentials::default(), timeout: Duration::from_secs(5) })
            .unwrap()
    }

    /// Why an interface at a URL is not called when the agent at another is checked; nothing if it is.
    async fn skipped(home: &str, there: &str, allowed: &[&str], is_of_stranger: bool) -> Option<String> {
        let profiles = crate::profile::bundled().unwrap();
        let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
        let binding = if there.contains("://") { Binding::Jsonrpc } else { Binding::Grpc };
        let interface = Interface::new(profile, binding, there.to_owned()).unwrap();
        let agent = Agent { interfaces: vec![Listed::named(interface)], ..Agent::default() };
        let allowed: Vec<Origin> = allowed.iter().filter_map(|text| origin::of(text)).collect();
        let (http, url) = (http(), Url::parse(home).unwrap());
        let guard = Guard { allowed: &allowed, is_of_stranger };
        let home = Home::of(&http, &url).await;
        match home.is_guarded(guard) {
            true => home.refused(&http, &agent, guard).await.into_values().next(),
            false => None,
        }
    }

    #[tokio::test]
    async fn the_card_of_a_public_agent_leads_to_no_private_address() {
        let home = "https://agent.example.com/";
        for private in [
            "http://127.0.0.1:6379/",
            "http://localhost:6379/",
            "http://redis.localhost/",
            "http://169.254.169.254/latest/meta-data?x=",
            "http://10.0.0.1/",
            "http://172.31.255.255/",
            "http://192.168.1.1/",
            "http://100.64.0.1/",
            "http://0.0.0.0:1/",
            "http://0/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://0177.0.0.1/",
            "http://[::1]/",
            "http://[::]/",
            "http://[fe80::1]/",
            "http://[fd00::1]/",
            "http://[::ffff:10.0.0.1]/",
            "http://[::ffff:a9fe:a9fe]/",
            "http://[64:ff9b::a9fe:a9fe]/",
            "http://[2002:7f00:1::]/",
            "http://224.0.0.1/",
            "http://255.255.255.255/",
            "127.0.0.1:50051",
            "localhost:50051",
        ] {
            let why = skipped(home, private, &[], false).await.unwrap_or_default();
            assert!(why.contains("not a public address") && why.contains("--allow-origin"), "{private}: {why}");
        }
        for called in [
            "https://agent.example.com/a2a",
            "https://agent.example.com:8443/",
            "https://other.example.com/",
            "http://93.184.216.34/",
        ] {
            assert_eq!(skipped(home, called, &[], false).await, None, "{called}");
        }
        let allowed = ["http://127.0.0.1:6379"];
        assert_eq!(skipped(home, "http://127.0.0.1:6379/x", &allowed, false).await, None);
        assert!(
            skipped(home, "http://127.0.0.1:6380/x", &allowed, false).await.is_some(),
            "another port is another origin"
        );
    }

    #[tokio::test]
    async fn a_private_agent_may_have_private_interfaces_but_not_in_a_census() {
        for home in ["http://localhost:8080/", "http://127.0.0.1:8080/", "http://10.1.1.1/", "http://[::1]:1/"] {
            assert_eq!(skipped(home, "http://192.168.0.1/a2a", &[], false).await, None, "{home}");
            assert!(skipped(home, "http://192.168.0.1/a2a", &[], true).await.is_some(), "{home}");
        }
        // Its own host is what the user has listed.
        assert_eq!(skipped("http://localhost:8080/", "http://127.0.0.1:9090/", &[], true).await, None);
    }
}
