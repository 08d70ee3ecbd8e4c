//! The agent under test: its interfaces, and what its cards demand of callers.

use super::scheme::{Demand, SchemeInfo};
use super::{Interface, InterfaceInfo, TargetInfo};

/// The agent under test, with how to speak to it.
#[derive(Debug, Clone, Default)]
pub struct Agent {
    /// As the user gave it, or that of the agent that was started.
    pub url: String,
    /// Where its card was found; several where the agent has several, none where it has none.
    pub cards: Vec<String>,
    /// The agent's name for itself.
    pub name: Option<String>,
    /// Every interface that the card declares. A trial and an event name one by its place in this list.
    pub interfaces: Vec<Listed>,
    /// The security schemes that the card declares.
    pub schemes: Vec<SchemeInfo>,
    /// What the cards demand of callers, each with the version whose card it is.
    pub demands: Vec<(String, Demand)>,
}

/// A demand of a card that the run does not meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmet<'a> {
    /// The skill that it is for; nothing where it is for every request.
    pub skill: Option<&'a str>,
    /// Of each alternative what is missing.
    pub alternatives: Vec<Vec<&'a SchemeInfo>>,
}

impl Agent {
    /// What a report says of it.
    pub fn info(&self) -> TargetInfo {
        TargetInfo {
            client: None,
            url: self.url.clone(),
            cards: self.cards.clone(),
            name: self.name.clone(),
            interfaces: self.interfaces.iter().map(|listed| listed.info.clone()).collect(),
            schemes: self.schemes.clone(),
        }
    }

    /// What the cards demand and the run does not bring, each once: of each alternative what is missing of it.
    pub fn unmet(&self) -> Vec<Unmet<'_>> {
        let mut all: Vec<Unmet<'_>> = Vec::new();
        for (profile, demand) in &self.demands {
            let of_name = |name: &String| {
                let mut known = self.schemes.iter().filter(|scheme| scheme.profiles.contains(profile));
                known.find(|scheme| scheme.name == *name)
            };
            let missing = |names: &Vec<String>| names.iter().filter_map(of_name).filter(|it| !it.brought).collect();
            let alternatives: Vec<Vec<&SchemeInfo>> = demand.alternatives.iter().map(missing).collect();
            let unmet = Unmet { skill: demand.skill.as_deref(), alternatives };
            if unmet.alternatives.iter().all(|missing| !missing.is_empty()) && !all.contains(&unmet) {
                all.push(unmet);
            }
        }
        all
    }

    /// Makes the interfaces that are checked those of a tenant, where their version has tenants: one that the user names in place of
    /// those of the card has none of its own.
    pub fn check_for(&mut self, tenant: &str) {
        for listed in &mut self.interfaces {
            let has_tenants = |interface: &&mut Interface| {
                interface.profile.facts.card.interfaces.iter().any(|facts| facts.tenant.is_some())
            };
            if let Some(interface) = listed.interface.as_mut().filter(has_tenants) {
                interface.tenant = Some(tenant.to_owned());
                listed.info.tenant = Some(tenant.to_owned());
            }
        }
    }

    /// The interfaces that can be checked, each with what the card says of it.
    pub fn checked(&self) -> impl Iterator<Item = (&InterfaceInfo, &Interface)> {
        self.interfaces.iter().filter_map(|listed| Some((&listed.info, listed.interface.as_ref()?)))
    }
}

/// An interface in the list of those that an agent has.
#[derive(Debug, Clone)]
pub struct Listed {
    /// What a report says of it.
    pub info: InterfaceInfo,
    /// How to speak over it; nothing where it is not checked, and then `info` says why.
    pub interface: Option<Interface>,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// What of a card is not met by who brings these schemes: of each demand the missing ones, `+` between those that are demanded
    /// together, `|` between alternatives.
    fn unmet(card: &Value, brought: &[&str]) -> Vec<String> {
        let scheme = |name: &str| SchemeInfo {
            name: name.to_owned(),
            kind: "HTTP bearer".to_owned(),
            profiles: vec!["1.0".to_owned()],
            demanded: true,
            brought: brought.contains(&name),
            help: None,
        };
        let demands = Demand::all(card).into_iter().map(|demand| ("1.0".to_owned(), demand)).collect();
        let agent = Agent { schemes: ["a", "b", "c"].map(scheme).to_vec(), demands, ..Agent::default() };
        let names = |all: &Vec<&SchemeInfo>| all.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join("+");
        let line = |unmet: Unmet<'_>| {
            let alternatives: Vec<String> = unmet.alternatives.iter().map(names).collect();
            format!("{}: {}", unmet.skill.unwrap_or("card"), alternatives.join("|"))
        };
        agent.unmet().into_iter().map(line).collect()
    }

    #[test]
    fn what_is_demanded_together_is_brought_together_and_one_alternative_is_enough() {
        let skills = json!([{ "id": "s", "security": [{ "b": [] }] }, { "id": "free" }]);
        let card = json!({ "security": [{ "a": [], "b": [] }, { "c": [] }], "skills": skills });
        assert_eq!(unmet(&card, &[]), ["card: a+b|c", "s: b"]);
        assert_eq!(unmet(&card, &["a"]), ["card: b|c", "s: b"]);
        assert_eq!(unmet(&card, &["c"]), ["s: b"]);
        assert_eq!(unmet(&card, &["a", "b"]), [""; 0]);
        let protobuf = json!({ "securityRequirements": [{ "schemes": { "a": { "list": [] } } }] });
        assert_eq!(unmet(&protobuf, &[]), ["card: a"]);
        let old = json!({ "authentication": { "schemes": ["a", "b"] } });
        assert_eq!((unmet(&old, &[]), unmet(&old, &["b"])), (vec!["card: a|b".to_owned()], Vec::new()));
        // Who brings nothing is let in, too.
        assert_eq!(unmet(&json!({ "security": [{ "a": [] }, {}] }), &[]), [""; 0]);
        assert_eq!(unmet(&json!([]), &[]), [""; 0]);
    }
}
