//! Finds the agent's card and reads from it what can be checked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;
use url::Url;

use super::bases::Bases;
use super::card::{self, Found};
use super::interfaces::Declared;
use super::strangers::{Home, Refused};
use super::{doubled, hints, interfaces, nearest, probe, triggers};
use crate::auth::{Identity, userinfo};
use crate::extension;
use crate::interface::scheme::{self, Scheme};
use crate::interface::{Agent, CardPlace, Interface, InterfaceInfo, Listed};
use crate::profile::{Binding, Capability, Profile};
use crate::transport::http::Http;
use crate::wire::json::Document;

pub use super::card::{DiscoveryError, Lookup};
pub(crate) use super::strangers::Guard;

/// What was found.
#[derive(Debug)]
pub(crate) struct Discovered {
    /// The agent.
    pub agent: Agent,
    /// The capabilities that the card declares, by profile.
    pub capabilities: BTreeMap<String, BTreeSet<Capability>>,
    /// The extensions that the card lists.
    pub extensions: Value,
    /// What its skills say that one can send.
    pub examples: Vec<String>,
    /// The cards.
    pub cards: Vec<Value>,
    /// In what each card breaks its schema, with its text.
    pub flaws: Vec<Flaws>,
    /// The security schemes of the cards, each with the version that declares it.
    pub schemes: Vec<(String, Scheme)>,
    /// The credentials in the URLs of the interfaces.
    pub identities: Vec<Identity>,
    /// What must not be shown of the cards.
    pub secrets: Vec<String>,
    /// Whether hosts are connected to at public addresses only, and the hosts that may be at others.
    pub only_public: Option<BTreeSet<String>>,
}

/// What is wrong with a card that can still be used.
#[derive(Debug, Clone)]
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

/// What the user says of the interfaces.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// The versions that are checked; whatever the card says, where there are none.
    pub profiles: &'a [String],
    /// The tenant whose interfaces are checked.
    pub tenant: Option<&'a str>,
    /// Where they are instead.
    pub bases: &'a Bases,
    /// Which interfaces at private addresses are called.
    pub guard: Guard<'a>,
}

/// How often another interface is looked for in place of one that must not be called.
const ROUNDS: usize = 4;

/// Why an interface is not checked when those of a tenant are wanted.
pub(crate) const OTHER_TENANT: &str = "--tenant leaves it out";

/// Looks for the card of the agent at `url` and reads it. Unless the user says which versions are `wanted`, each interface over
/// JSON-RPC is asked whether it speaks the version that the card says, by at most three requests a family of methods. Where no card
/// says the version, it is asked for what only some releases have, by one request each.
///
/// # Errors
/// [`DiscoveryError`]: the agent's faults, or the user's.
pub(crate) async fn discover(
    http: &Arc<Http>,
    url: &Url,
    lookup: &Lookup,
    profiles: &[Arc<Profile>],
    wanted: Wanted<'_>,
) -> Result<Discovered, DiscoveryError> {
    let home = Home::of(http, url).await;
    let card = match home.pinned(http).map_err(DiscoveryError::Client)? {
        Some(pinned) => card::find(&pinned, url, lookup, profiles).await?,
        None => card::find(http, url, lookup, profiles).await?,
    };
    let mut found = without_private(http, &home, &card, profiles, wanted).await;
    let http = http.knowing(found.identities.clone());
    let http = match &found.only_public {
        Some(beside) => Arc::new(http.only_public(beside).map_err(DiscoveryError::Client)?),
        None => Arc::new(http),
    };
    if wanted.profiles.is_empty() {
        found = probe::versions(&http, found, &card.document.value(), profiles).await;
    }
    probe::releases(&http, &mut found).await;
    doubled::settle(&http, &mut found).await;
    Ok(found)
}

/// What a card leads to without the interfaces that must not be called. In place of one of these, another of the same version and
/// binding may be checked.
async fn without_private(
    http: &Http,
    home: &Home<'_>,
    card: &Found,
    profiles: &[Arc<Profile>],
    wanted: Wanted<'_>,
) -> Discovered {
    let mut refused = Refused::default();
    let mut found = read(home.url(), card, profiles, wanted, &refused);
    if !home.is_guarded(wanted.guard) {
        return found;
    }
    for round in 1.. {
        let more = home.refused(http, &found.agent, wanted.guard).await;
        if more.is_empty() {
            break;
        }
        if round == ROUNDS {
            let why = |listed: &Listed| more.get(&listed.info.url).cloned();
            found.agent.interfaces.iter_mut().for_each(|listed| why(listed).iter().for_each(|why| listed.skip(why)));
            break;
        }
        refused.extend(more);
        found = read(home.url(), card, profiles, wanted, &refused);
    }
    found.only_public = Some(home.beside(http, &found.agent, wanted.guard));
    found
}

/// An agent whose card does not lead to the interface that the user names, and why it does not.
pub(crate) fn without_card(url: &Url, profile: &Arc<Profile>, binding: Binding, why: &str) -> Discovered {
    let named = Interface::new(profile, binding, url.to_string()).map(|interface| {
        let useless = interfaces::note(&interface);
        let mut listed = Listed::named(interface);
        useless.iter().map(String::as_str).chain([why]).for_each(|note| listed.info.add_note(note));
        listed
    });
    Discovered {
        agent: Agent { url: url.to_string(), interfaces: named.into_iter().collect(), ..Agent::default() },
        capabilities: BTreeMap::new(),
        extensions: Value::Null,
        examples: Vec::new(),
        cards: Vec::new(),
        flaws: Vec::new(),
        schemes: Vec::new(),
        identities: Vec::new(),
        secrets: Vec::new(),
        only_public: None,
    }
}

impl Discovered {
    /// The same agent at an interface that the user names, in place of those that its card names, and why. `card` is the card
    /// that declares the version, if one does: only such a card says anything of the interface.
    #[must_use]
    pub(crate) fn at(
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
        let mut interfaces = named.agent.interfaces;
        for own in interfaces.iter_mut().filter_map(|listed| listed.interface.as_mut()) {
            own.card = card.clone();
        }
        self.agent.interfaces.iter_mut().for_each(|other| other.skip("the URL is checked instead"));
        interfaces.append(&mut self.agent.interfaces);
        self.agent.interfaces = interfaces;
        self
    }

    /// What two cards of one agent lead to, together.
    #[must_use]
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.agent.cards.extend(other.agent.cards);
        self.agent.interfaces.extend(other.agent.interfaces);
        self.agent.demands.extend(other.agent.demands);
        for (profile, capabilities) in other.capabilities {
            self.capabilities.entry(profile).or_default().extend(capabilities);
        }
        if self.extensions.is_null() {
            self.extensions = other.extensions;
        }
        if self.examples.is_empty() {
            self.examples = other.examples;
        }
        self.cards.extend(other.cards);
        self.flaws.extend(other.flaws);
        self.schemes.extend(other.schemes);
        self.identities.extend(other.identities);
        self.secrets.extend(other.secrets);
        // The hosts of one agent may be private if the user's URL of it is. Interfaces were judged before.
        self.only_public = self.only_public.zip(other.only_public).map(|(own, other)| &own | &other);
        self
    }
}

fn read(url: &Url, found: &Found, profiles: &[Arc<Profile>], wanted: Wanted<'_>, refused: &Refused) -> Discovered {
    let card = found.document.value();
    let (mut identities, mut secrets) = (Vec::new(), userinfo::secrets_in(&card));
    let mut agent = Agent {
        url: url.to_string(),
        cards: vec![found.shown.clone()],
        name: card.get("name").and_then(Value::as_str).map(str::to_owned),
        ..Agent::default()
    };
    let all = interfaces::declared(&card, profiles, wanted.profiles);
    for declared in all.clone() {
        let found = match wanted.tenant.is_none_or(|tenant| declared.tenant.as_deref() == Some(tenant)) {
            true => interfaces::interface(&declared, &agent, &found.place, profiles, wanted.bases, refused),
            false => Err(OTHER_TENANT.to_owned()),
        };
        let (interface, skipped) = match found {
            Ok(interface) => {
                let tenants = interfaces::tenants_beside(&declared, &all);
                let interface = Interface { tenants, ..interface.speaking_to(&card) };
                match interfaces::required_too_much(&interface) {
                    None => (Some(interface), None),
                    why => (None, why),
                }
            }
            Err(why) => (None, Some(why)),
        };
        identities.extend(interface.as_ref().and_then(|interface| interfaces::identity(&declared, interface)));
        secrets.extend(declared.userinfo.iter().flat_map(userinfo::Userinfo::secrets));
        let info = info(declared, interface.as_ref(), skipped);
        agent.interfaces.push(Listed { info, interface });
    }
    // What a card declares counts for the versions that are found in it.
    let is_found = |profile: &&Arc<Profile>| agent.checked().any(|(_, known)| known.profile.name() == profile.name());
    let capabilities = profiles.iter().filter(is_found).map(|profile| capabilities(&card, profile));
    let of_version = |profile: &Arc<Profile>| {
        scheme::declared(&card).into_iter().map(|scheme| (profile.name().to_owned(), scheme)).collect::<Vec<_>>()
    };
    let schemes = profiles.iter().rev().filter(is_found).flat_map(of_version).collect();
    let of_version = |profile: &Arc<Profile>| {
        scheme::Demand::all(&card).into_iter().map(|demand| (profile.name().to_owned(), demand)).collect::<Vec<_>>()
    };
    let demands = profiles.iter().rev().filter(is_found).flat_map(of_version).collect();
    let extensions = profiles.iter().rev().find_map(|profile| card.pointer(&profile.facts.card.extensions));
    Discovered {
        capabilities: capabilities.collect(),
        extensions: extensions.cloned().unwrap_or_default(),
        examples: card.get("skills").map(triggers::examples).unwrap_or_default(),
        flaws: flaws(found, &card, &agent, profiles).into_iter().collect(),
        cards: vec![card],
        schemes,
        agent: Agent { demands, ..agent },
        identities,
        secrets,
        only_public: None,
    }
}

/// What a report says of an interface that the card declares.
fn info(declared: Declared, interface: Option<&Interface>, skipped: Option<String>) -> InterfaceInfo {
    let mapped = interface.filter(|interface| interface.mapped.is_some()).map(|interface| interface.url.clone());
    let is_forced = declared.profile.as_ref().is_some_and(|profile| !profile.is_declared_as(&declared.version));
    let unsaid = match declared.is_said {
        false => Some("the card does not say its version".to_owned()),
        true if declared.is_unknown => {
            declared.profile.as_ref().map(|profile| nearest::note(&declared.version, profile))
        }
        true => is_forced.then(|| "as requested; the card declares another version".to_owned()),
    };
    let checked_as = interface.map(|interface| &interface.profile).or(declared.profile.as_ref());
    let mut info = InterfaceInfo {
        profile: checked_as.map(|profile| profile.name().to_owned()),
        url: mapped.unwrap_or(declared.url),
        binding: declared.binding,
        version: declared.version,
        tenant: declared.tenant,
        skipped,
        note: interface.and_then(interfaces::note).or(unsaid),
        dialect: None,
        lost: None,
    };
    interface.and_then(interfaces::note_of_extensions).iter().for_each(|note| info.add_note(note));
    // Where the user says where it is, its URL in the card is of no use here.
    let hints = interface.filter(|interface| interface.mapped.is_none()).map(|interface| hints::of_url(&interface.url));
    hints.into_iter().flatten().for_each(|hint| info.add_note(&hint.to_string()));
    info
}

/// The capabilities that a card declares in the words of a version.
pub(crate) fn capabilities(card: &Value, profile: &Profile) -> (String, BTreeSet<Capability>) {
    let pointers = profile.facts.card.capabilities.iter();
    // A list declares what it holds; one of demands leaves a choice, and where one of them asks for nothing so do all.
    let is_declared = |capability: Capability, value: &Value| match value {
        Value::Array(items) if capability == Capability::Security => !items.is_empty() && !items.iter().any(is_free),
        Value::Array(items) => !items.is_empty(),
        Value::Object(schemes) if capability == Capability::Oauth2 => schemes.values().any(is_oauth2),
        value => *value == Value::Bool(true),
    };
    let declared = pointers
        .filter(|(capability, pointer)| card.pointer(pointer).is_some_and(|value| is_declared(**capability, value)));
    let of_extensions = extension::declared(card, profile);
    let found = declared.map(|(capability, _)| *capability).chain(extension::capabilities(&of_extensions));
    (profile.name().to_owned(), found.collect())
}

/// Whether a security scheme is one of OAuth 2.0: by its member, or by its type.
fn is_oauth2(scheme: &Value) -> bool {
    scheme.get("oauth2SecurityScheme").is_some() || scheme.get("type") == Some(&Value::from("oauth2"))
}

/// Whether a demand of a card asks for no scheme: in the form of OpenAPI or, under `schemes`, of protobuf.
pub(super) fn is_free(demand: &Value) -> bool {
    let is_empty = |value: &Value| value.as_object().is_some_and(serde_json::Map::is_empty);
    is_empty(demand) || demand.get("schemes").is_some_and(is_empty)
}

/// In what the card breaks the schema of each profile that it serves.
fn flaws(card: &Found, value: &Value, agent: &Agent, profiles: &[Arc<Profile>]) -> Option<Flaws> {
    let mut found = Vec::new();
    let serves =
        |profile: &&Arc<Profile>| agent.checked().any(|(_, interface)| interface.profile.name() == profile.name());
    for profile in profiles.iter().filter(serves) {
        for violation in profile.card_violations(value) {
            let profile = profile.name().to_owned();
            found.push(Flaw { profile, pointer: violation.pointer, message: format!("expected {}", violation.wanted) });
        }
    }
    (!found.is_empty()).then(|| Flaws { place: card.shown.clone(), document: card.document.clone(), found })
}

#[cfg(test)]
mod tests;
