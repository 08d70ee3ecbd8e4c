//! Where the addresses of a card lead: to the gateway that serves it, or past it.

use url::Url;

use crate::binding::address;
use crate::interface::{Agent, Interface, InterfaceInfo, is_loopback};
use crate::profile::Binding;

/// Where an address leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// To the host that serves the card.
    Own,
    /// To the other side.
    Other,
    /// Somewhere else.
    Elsewhere,
}

/// What decides where an address leads: the URLs of both sides.
#[derive(Debug, Clone)]
pub(super) struct Places {
    own: Url,
    other: Url,
    /// Where else the other side has interfaces, besides its URL.
    others: Vec<(String, u16)>,
}

impl Places {
    /// Those of a side at `own`, with the other at `other`, whose agent is this.
    pub fn new(own: &Url, other: &Url, agent: &Agent) -> Self {
        let mut others = Vec::new();
        for (_, interface) in agent.checked() {
            let place = Url::parse(&address(interface)).ok();
            others.extend(place.filter(|place| is_on_host(place, other)).and_then(|place| ends(&place)));
        }
        Self { own: own.clone(), other: other.clone(), others }
    }

    /// Where an address leads.
    pub fn of(&self, address: &str) -> Place {
        let Some(url) = parse(address) else { return Place::Own };
        let here = ends(&url);
        if here == ends(&self.own) {
            return Place::Own;
        }
        // The same URL twice has nothing to lead past.
        let is_other = here == ends(&self.other) || here.is_some_and(|here| self.others.contains(&here));
        match (is_other && ends(&self.own) != ends(&self.other), is_on_host(&url, &self.own)) {
            (true, _) => Place::Other,
            (false, true) => Place::Own,
            (false, false) => Place::Elsewhere,
        }
    }
}

/// An address of a card as a URL; those of gRPC may have no scheme.
fn parse(address: &str) -> Option<Url> {
    match address.contains("://") {
        true => Url::parse(address).ok(),
        false => Url::parse(&format!("http://{address}")).ok(),
    }
}

/// Host and port, where this machine has one name.
fn ends(url: &Url) -> Option<(String, u16)> {
    let host = match url.host()? {
        host if is_loopback(&host) => "localhost".to_owned(),
        host => host.to_string(),
    };
    Some((host, url.port_or_known_default()?))
}

fn is_on_host(url: &Url, other: &Url) -> bool {
    let host = |url: &Url| ends(url).map(|(host, _)| host);
    host(url) == host(other)
}

/// The URL that the card has for an interface.
pub(super) fn declared<'a>(info: &'a InterfaceInfo, interface: Option<&'a Interface>) -> &'a str {
    interface.and_then(|interface| interface.mapped.as_deref()).unwrap_or(&info.url)
}

/// The bases that lead the interfaces of an agent to a URL, where its card leads elsewhere. Interfaces over gRPC have a port of their
/// own, as a rule, which only a user knows, unless the card has them at the port of the others.
pub(super) fn bases(agent: &Agent, places: &Places, url: &Url) -> Vec<String> {
    let of = |wanted: Binding| agent.checked().filter(move |(_, interface)| interface.binding == wanted);
    let end = |(info, interface): (&InterfaceInfo, &Interface)| ends(&parse(declared(info, Some(interface)))?);
    let shared: Vec<_> = [Binding::Jsonrpc, Binding::HttpJson].into_iter().flat_map(of).filter_map(end).collect();
    let is_past = |(info, interface): (&InterfaceInfo, &Interface)| {
        let is_known =
            interface.binding != Binding::Grpc || end((info, interface)).is_some_and(|here| shared.contains(&here));
        is_known && interface.mapped.is_none() && places.of(declared(info, Some(interface))) != Place::Own
    };
    [Binding::Jsonrpc, Binding::HttpJson, Binding::Grpc]
        .into_iter()
        .filter(|binding| of(*binding).any(is_past))
        .map(|binding| format!("{binding}={}", url.as_str().trim_end_matches('/')))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(own: &str, other: &str) -> Places {
        Places::new(&Url::parse(own).unwrap(), &Url::parse(other).unwrap(), &Agent::default())
    }

    #[test]
    fn an_address_leads_to_the_gateway_or_past_it() {
        let places = places("https://gateway.example/agents/echo", "http://agent.internal:8080");
        for (address, place) in [
            ("https://gateway.example/agents/echo/rpc", Place::Own),
            ("gateway.example:50051", Place::Own),
            ("http://agent.internal:8080/rpc", Place::Other),
            ("agent.internal:8080", Place::Other),
            ("https://other.example/rpc", Place::Elsewhere),
        ] {
            assert_eq!(places.of(address), place, "{address}");
        }
    }

    #[test]
    fn ports_tell_apart_what_is_on_one_machine() {
        let places = places("http://localhost:9000", "http://127.0.0.1:8080");
        assert_eq!(places.of("http://127.0.0.1:9000/rpc"), Place::Own);
        assert_eq!(places.of("http://[::1]:8080/rpc"), Place::Other);
    }

    #[test]
    fn an_agent_is_not_past_itself() {
        let places = places("http://127.0.0.1:8080", "http://localhost:8080/");
        assert_eq!(places.of("http://127.0.0.1:8080/rpc"), Place::Own);
        assert_eq!(places.of("http://127.0.0.1:50051"), Place::Own);
    }
}
