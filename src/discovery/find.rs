//! Finds the agent's card and reads from it what can be checked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;
use url::Url;

use super::bases::Bases;
use super::card::{self, Found};
use super::{claims, interfaces};
use crate::auth::{Identity, userinfo};
use crate::binding::http::Http;
use crate::interface::{CardPlace, Endpoint, InterfaceInfo, TargetInfo};
use crate::profile::{Binding, Capability, Profile};
use crate::wire::json::Document;

pub use super::card::{DiscoveryError, Lookup};

/// What was found.
#[derive(Debug)]
pub struct Discovered {
    /// For the report.
    pub info: TargetInfo,
    /// The interfaces that can be checked: as many as `info` has that are not skipped, in the same order.
    pub endpoints: Vec<Endpoint>,
    /// The capabilities that the card declares, by profile.
    pub capabilities: BTreeMap<String, BTreeSet<Capability>>,
    /// The extensions that the card lists.
    pub extensions: Value,
    /// In what each card breaks its schema, with its text.
    pub flaws: Vec<Flaws>,
    /// The credentials in the URLs of the interfaces.
    pub identities: Vec<Identity>,
    /// What must not be shown of the cards.
    pub secrets: Vec<String>,
}

/// What is wrong with a card that can still be used.
#[derive(Debug)]
pub struct Flaws {
    /// Where it is.
    pub place: String,
    /// The card.
    pub document: Document,
    /// What is wrong.
    pub found: Vec<Flaw>,
}

/// One thing that is wrong with a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// Name of the profile whose schema is broken.
    pub profile: String,
    /// Pointer into the card.
    pub pointer: String,
    /// What the schema wants, as a fragment.
    pub message: String,
}

/// Looks for the card of the agent at `url` and reads it; `bases` say where its interfaces are instead. Unless the user says which versions are `wanted`, each interface
/// over JSON-RPC is asked whether it speaks the version that the card says, by at most three requests a family of methods.
///
/// # Errors
/// [`DiscoveryError`]: the agent's faults, or the user's.
pub async fn discover(
    http: &Arc<Http>,
    url: &Url,
    lookup: &Lookup,
    profiles: &[Arc<Profile>],
    wanted: &[String],
    bases: &Bases,
) -> Result<Discovered, DiscoveryError> {
    let card = card::find(http, url, lookup, profiles).await?;
    let found = read(url, &card, profiles, wanted, bases);
    match wanted {
        [] => {
            let http = Arc::new(http.knowing(found.identities.clone()));
            Ok(claims::ask(&http, found, &card.document.value(), profiles).await)
        }
        _ => Ok(found),
    }
}

/// An agent whose card does not lead to the interface that the user names, and why it does not.
pub fn without_card(url: &Url, profile: &Arc<Profile>, binding: Binding, why: &str) -> Discovered {
    let endpoint = Endpoint::new(profile, binding, url.to_string());
    let useless = endpoint.as_ref().and_then(interfaces::note);
    Discovered {
        info: TargetInfo {
            url: url.to_string(),
            cards: Vec::new(),
            name: None,
            interfaces: vec![InterfaceInfo {
                url: url.to_string(),
                binding: binding.to_string(),
                version: profile.name().to_owned(),
                profile: Some(profile.name().to_owned()),
                skipped: None,
                note: Some(useless.into_iter().chain([why.to_owned()]).collect::<Vec<_>>().join("; ")),
                dialect: None,
                lost: None,
            }],
        },
        endpoints: endpoint.into_iter().collect(),
        capabilities: BTreeMap::new(),
        extensions: Value::Null,
        flaws: Vec::new(),
        identities: Vec::new(),
        secrets: Vec::new(),
    }
}

impl Discovered {
    /// The same agent at an interface that the user names, in place of those that its card names, and why. `card` is the card
    /// that declares the version, if one does: only such a card says anything of the interface.
    #[must_use]
    pub fn at(
        mut self,
        url: &Url,
        profile: &Arc<Profile>,
        binding: Binding,
        card: Option<CardPlace>,
        why: &str,
    ) -> Self {
        let named = without_card(url, profile, binding, why);
        if card.is_none() {
            self.capabilities.remove(profile.name());
            self.flaws.clear();
        }
        let card = card.unwrap_or(CardPlace::Missing);
        let instead = "the URL is checked instead".to_owned();
        let others = self
            .info
            .interfaces
            .into_iter()
            .map(|other| InterfaceInfo { skipped: other.skipped.or_else(|| Some(instead.clone())), ..other });
        let interfaces = named.info.interfaces.into_iter().chain(others).collect();
        let endpoints = named.endpoints.into_iter().map(|endpoint| Endpoint { card: card.clone(), ..endpoint });
        Self { info: TargetInfo { interfaces, ..self.info }, endpoints: endpoints.collect(), ..self }
    }

    /// What two cards of one agent lead to, together.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.info.cards.extend(other.info.cards);
        self.info.interfaces.extend(other.info.interfaces);
        self.endpoints.extend(other.endpoints);
        for (profile, capabilities) in other.capabilities {
            self.capabilities.entry(profile).or_default().extend(capabilities);
        }
        if self.extensions.is_null() {
            self.extensions = other.extensions;
        }
        self.flaws.extend(other.flaws);
        self.identities.extend(other.identities);
        self.secrets.extend(other.secrets);
        self
    }
}

fn read(url: &Url, found: &Found, profiles: &[Arc<Profile>], wanted: &[String], bases: &Bases) -> Discovered {
    let card = found.document.value();
    let (mut identities, mut secrets) = (Vec::new(), userinfo::secrets_in(&card));
    let mut endpoints: Vec<Endpoint> = Vec::new();
    let mut shown = Vec::new();
    for interface in interfaces::declared(&card, profiles, wanted) {
        let endpoint = interfaces::endpoint(&interface, &endpoints, &found.place, profiles, bases)
            .map(|endpoint| endpoint.speaking_to(&card));
        identities.extend(endpoint.as_ref().ok().and_then(|endpoint| interfaces::identity(&interface, endpoint)));
        secrets.extend(interface.userinfo.iter().flat_map(userinfo::Userinfo::secrets));
        let note = endpoint.as_ref().ok().and_then(interfaces::note);
        let mapped = endpoint.as_ref().ok().filter(|endpoint| endpoint.mapped.is_some());
        let mapped = mapped.map(|endpoint| endpoint.url.clone());
        let is_forced = interface.profile.as_ref().is_some_and(|profile| !profile.is_declared_as(&interface.version));
        let unsaid = match interface.is_said {
            false => Some("the card does not say its version".to_owned()),
            true => is_forced.then(|| "as is wanted, though the card says another version".to_owned()),
        };
        shown.push(InterfaceInfo {
            profile: interface.profile.as_ref().map(|profile| profile.name().to_owned()),
            url: mapped.unwrap_or(interface.url),
            binding: interface.binding,
            version: interface.version,
            skipped: endpoint.as_ref().err().cloned(),
            note: note.or(unsaid),
            dialect: None,
            lost: None,
        });
        endpoints.extend(endpoint.ok());
    }
    // What a card declares counts for the versions that are found in it.
    let is_found = |profile: &&Arc<Profile>| endpoints.iter().any(|known| known.profile.name() == profile.name());
    let capabilities = profiles.iter().filter(is_found).map(|profile| capabilities(&card, profile));
    let extensions = profiles.iter().rev().find_map(|profile| card.pointer(&profile.facts.card.extensions));
    Discovered {
        info: TargetInfo {
            url: url.to_string(),
            cards: vec![found.shown.clone()],
            name: card.get("name").and_then(Value::as_str).map(str::to_owned),
            interfaces: shown,
        },
        capabilities: capabilities.collect(),
        extensions: extensions.cloned().unwrap_or_default(),
        flaws: flaws(found, &card, &endpoints, profiles).into_iter().collect(),
        endpoints,
        identities,
        secrets,
    }
}

/// The capabilities that a card declares in the words of a version.
pub(super) fn capabilities(card: &Value, profile: &Profile) -> (String, BTreeSet<Capability>) {
    let pointers = profile.facts.card.capabilities.iter();
    let declared = pointers.filter(|(_, pointer)| card.pointer(pointer) == Some(&Value::Bool(true)));
    (profile.name().to_owned(), declared.map(|(capability, _)| *capability).collect())
}

/// In what the card breaks the schema of each profile that it serves.
fn flaws(card: &Found, value: &Value, endpoints: &[Endpoint], profiles: &[Arc<Profile>]) -> Option<Flaws> {
    let mut found = Vec::new();
    let serves = |profile: &&Arc<Profile>| endpoints.iter().any(|endpoint| endpoint.profile.name() == profile.name());
    for profile in profiles.iter().filter(serves) {
        for violation in profile.card_violations(value) {
            let profile = profile.name().to_owned();
            found.push(Flaw { profile, pointer: violation.pointer, message: format!("expected {}", violation.wanted) });
        }
    }
    (!found.is_empty()).then(|| Flaws { place: card.shown.clone(), document: card.document.clone(), found })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at_the_usual_place(card: &Value) -> Found {
        let place = "http://agent.example/.well-known/agent.json";
        Found { place: CardPlace::Url(place.to_owned()), shown: place.to_owned(), document: Document::of_value(card) }
    }

    /// The versions and bindings of the interfaces that can be checked of an agent with this card.
    fn found(card: &Value, wanted: &[&str]) -> Vec<String> {
        let profiles = crate::profile::bundled().unwrap();
        let url = Url::parse("http://agent.example/").unwrap();
        let wanted: Vec<String> = wanted.iter().map(|name| (*name).to_owned()).collect();
        let found = read(&url, &at_the_usual_place(card), &profiles, &wanted, &Bases::default());
        let spell = |endpoint: &Endpoint| format!("{} {}", endpoint.profile.name(), endpoint.binding);
        found.endpoints.iter().map(spell).collect()
    }

    /// A card that is right in 0.2 and names no version.
    fn unsaid() -> Value {
        json!({
            "name": "a", "description": "a", "version": "1", "url": "http://agent.example/a2a", "capabilities": {},
            "defaultInputModes": ["text/plain"], "defaultOutputModes": ["image/png"], "skills": [],
        })
    }

    fn with(name: &str, value: Value) -> Value {
        let mut card = unsaid();
        card.as_object_mut().unwrap().insert(name.to_owned(), value);
        card
    }

    #[test]
    fn a_card_without_a_version_is_of_the_one_that_it_looks_like_or_that_is_wanted() {
        assert_eq!(found(&unsaid(), &[]), ["0.2.5 jsonrpc"]);
        assert_eq!(found(&unsaid(), &["0.2.1"]), ["0.2.1 jsonrpc"]);
        assert_eq!(found(&unsaid(), &["1.0"]), [""; 0]);
        let interfaces = json!([{ "url": "http://agent.example/a2a", "transport": "JSONRPC" }]);
        assert_eq!(found(&with("additionalInterfaces", interfaces), &[]), ["0.2.5 jsonrpc"]);
        assert_eq!(found(&with("authentication", json!({ "schemes": ["Bearer"] })), &[]), ["0.1 jsonrpc"]);
        assert_eq!(found(&with("securitySchemes", json!({})), &["proposal"]), ["proposal jsonrpc"]);
    }

    /// As the package fasta2a 0.2.3 writes it, which speaks the first family: without what that family requires, and with
    /// names of members that no version has.
    #[test]
    fn a_card_that_no_version_allows_is_of_the_one_that_it_breaks_least() {
        let card = json!({
            "name": "Agent", "url": "http://agent.example/", "version": "1.0.0", "skills": [],
            "default_input_modes": ["application/json"], "default_output_modes": ["application/json"],
        });
        assert_eq!(found(&card, &[]), ["0.1 jsonrpc"]);
    }

    #[test]
    fn a_version_that_a_card_says_is_the_one() {
        let of = |version: &str| json!({ "url": "http://agent.example/a2a", "protocolVersion": version });
        for (version, profile) in [("0.2.1", "0.2.1"), ("0.2.5", "0.2.5"), ("0.2.9", "0.2.5"), ("0.3.0", "0.3")] {
            assert_eq!(found(&of(version), &[]), [format!("{profile} jsonrpc")], "{version}");
        }
        assert_eq!(found(&of("7.0"), &[]), [""; 0]);
    }

    #[test]
    fn what_an_agent_takes_is_what_its_requests_name() {
        let profiles = crate::profile::bundled().unwrap();
        let url = Url::parse("http://agent.example/").unwrap();
        let found = read(&url, &at_the_usual_place(&unsaid()), &profiles, &[], &Bases::default());
        let dialect = &found.endpoints.first().unwrap().dialect;
        let sent = dialect.to_wire("SendMessageConfiguration", &json!({ "returnImmediately": true }));
        assert_eq!(sent, json!({ "blocking": false, "acceptedOutputModes": ["image/png"] }));
    }
}
