//! The card of a scripted agent.

use serde_json::{Value, json};

use crate::case::merge;
use crate::case::visit::{Behind, Offered, ScriptedAgent};
use crate::profile::{Binding, Profile};

/// What of the reference agent's own card a scripted agent does not have, unless its case says so: a client needs no credentials, and
/// no extension.
const WITHOUT: [&str; 4] = ["/securitySchemes", "/securityRequirements", "/signatures", "/capabilities/extensions"];

/// The interfaces of an agent; where its case names none, one of the binding of the trial.
pub fn interfaces(agent: &ScriptedAgent) -> Vec<Offered> {
    if !agent.interfaces.is_empty() {
        return agent.interfaces.clone();
    }
    let (at, is) = ("a2a".to_owned(), Behind::Served);
    vec![Offered { binding: None, at, version: None, tenant: None, is }]
}

/// How the card of a version names a binding.
pub fn named(profile: &Profile, binding: Binding) -> String {
    profile.facts.bindings.get(&binding).map_or_else(|| binding.to_string(), |facts| facts.declared_as.clone())
}

/// The binding that a card of the version names so.
pub fn binding_of(profile: &Profile, name: &str) -> Option<Binding> {
    Binding::ALL.into_iter().find(|binding| named(profile, *binding) == name)
}

/// The card: the reference agent's own one with other interfaces, and what the case says merged into it.
pub fn card(
    profile: &Profile,
    own: Value,
    agent: &ScriptedAgent,
    binding: Binding,
    url: impl Fn(&Offered) -> String,
) -> Value {
    let mut card = own;
    for place in WITHOUT {
        let (around, member) = place.rsplit_once('/').unwrap_or(("", place));
        if let Some(Value::Object(members)) = card.pointer_mut(around) {
            members.remove(member);
        }
    }
    let interface = |offered: &Offered| {
        let mut interface = json!({
            "url": url(offered),
            "protocolBinding": offered.binding.clone().unwrap_or_else(|| named(profile, binding)),
            "protocolVersion": offered.version.clone().unwrap_or_else(|| profile.name().to_owned()),
        });
        if let (Some(tenant), Value::Object(members)) = (&offered.tenant, &mut interface) {
            members.insert("tenant".to_owned(), Value::from(tenant.clone()));
        }
        interface
    };
    let list: Value = interfaces(agent).iter().map(interface).collect();
    if let Value::Object(members) = &mut card {
        members.insert("supportedInterfaces".to_owned(), list);
    }
    if !agent.card.is_null() {
        merge(&mut card, &agent.card);
    }
    card
}
