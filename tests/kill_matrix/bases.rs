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
    let bases = by_url.into_iter().enumerate().map(|(index, (url, profiles))| {
        let at = if url == agent.url() { None } else { profiles.first().copied() };
        Base { index, at, profiles }
    });
    let bases = bases.collect();
    agent.stop().await;
    bases
}
