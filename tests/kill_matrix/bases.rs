//! Where the reference agent can be checked.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};

use a2a_reference_agent::Config;

use super::kill::Cases;

/// A place of the agent with a card, and the versions to which that leads.
#[derive(Debug, Clone)]
pub struct Base {
    /// Its place among the bases.
    pub index: usize,
    /// Whether it is at a public address, with TLS: then it is for the cases about that, and else for all others.
    pub is_public: bool,
    /// The version whose card it is; nothing for the agent's own, which names several.
    pub at: Option<&'static str>,
    /// The versions to which the card leads, as far as they run any case.
    pub profiles: Vec<&'static str>,
}

/// The bases of the agent at which there are cases to run.
pub async fn of_the_agent(cases: &Cases) -> Vec<Base> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let agent = a2a_reference_agent::start(Config::default(), address).await.expect("the reference agent starts");
    let mut by_url: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
    for (name, url) in agent.bases() {
        if cases.values().any(|profiles| profiles.iter().any(|profile| profile == name)) {
            by_url.entry(url).or_default().push(name);
        }
    }
    let places = [false, true].into_iter().flat_map(|is_public| by_url.iter().map(move |base| (is_public, base)));
    let bases = places.enumerate().map(|(index, (is_public, (url, profiles)))| {
        let at = if url == agent.url() { None } else { profiles.first().copied() };
        Base { index, is_public, at, profiles: profiles.clone() }
    });
    let bases = bases.collect();
    agent.stop().await;
    bases
}
