//! What a card declares: interfaces, and by which version each is to be checked.

use std::sync::Arc;

use serde_json::Value;
use url::Url;

use super::bases::Bases;
use super::nearest;
use super::strangers::Refused;
use crate::auth::{Identity, Userinfo, origin, userinfo};
use crate::binding::grpc::Address;
use crate::diagnostic::words::join;
use crate::extension::list;
use crate::interface::{Agent, CardPlace, Interface};
use crate::profile::facts::InterfaceFacts;
use crate::profile::{Binding, Profile};

/// The most characters of a URL that is called: it stands in every request and record. RFC 9110, section 4.1, recommends to support
/// 8,000.
const LONGEST_URL: usize = 8_000;
/// The most interfaces of a card that are read, in the words of one version.
const MOST: usize = 256;
/// The most bytes of the header that asks for the extensions that a card requires: servers refuse longer ones (RFC 6585, section 5).
const LONGEST_HEADER: usize = 8_000;

/// One interface as a card declares it.
#[derive(Debug, Clone)]
pub(super) struct Declared {
    /// Without credentials.
    pub url: String,
    /// Those in its URL.
    pub userinfo: Option<Userinfo>,
    pub binding: String,
    /// As the card spells it; where it spells none, the one that goes without saying.
    pub version: String,
    pub tenant: Option<String>,
    /// The version by which it is checked, where there is one.
    pub profile: Option<Arc<Profile>>,
    /// Whether the card says the version.
    pub is_said: bool,
    /// Whether the version that the card says is none that is known, so that it is checked by another.
    pub is_unknown: bool,
}

impl Declared {
    fn is_at(&self, other: &Self) -> bool {
        (&self.url, &self.binding, &self.tenant) == (&other.url, &other.binding, &other.tenant)
    }

    fn profile_name(&self) -> Option<&str> {
        self.profile.as_ref().map(|profile| profile.name())
    }
}

/// The interfaces of a card. Those of the profiles `wanted` are among them where the card can be read as one of these,
/// whatever version it says: the user knows better.
pub(super) fn declared(card: &Value, profiles: &[Arc<Profile>], wanted: &[String]) -> Vec<Declared> {
    let said = said(card, profiles);
    let is_wanted = |name: &str| wanted.iter().any(|wanted| wanted == name);
    if said.is_empty() && wanted.is_empty() {
        return unsaid(card, profiles);
    }
    if wanted.is_empty() && said.iter().all(|interface| interface.profile.is_none()) {
        let nearest = |interface: Declared| Declared {
            profile: nearest::version(
                &interface.version,
                |profile| places(card, profile).any(|place| place.is_at(&interface)),
                card,
                profiles,
            ),
            is_unknown: true,
            ..interface
        };
        return said.into_iter().map(nearest).collect();
    }
    let mut found = said.clone();
    for profile in profiles.iter().rev().filter(|profile| is_wanted(profile.name())) {
        if found.iter().any(|known| known.profile_name() == Some(profile.name())) {
            continue;
        }
        let as_wanted = |interface: Declared| Declared { profile: Some(Arc::clone(profile)), ..interface };
        // In the words of that version, or else wherever an interface is.
        let own: Vec<Declared> = places(card, profile).collect();
        let elsewhere = if own.is_empty() { said.clone() } else { Vec::new() };
        found.extend(own.into_iter().chain(elsewhere).map(as_wanted));
    }
    found
}

/// An interface of a card in a version and over a binding that are known.
#[cfg(feature = "cli")]
#[derive(Debug, Clone)]
pub(crate) struct Known {
    /// Without credentials.
    pub url: String,
    /// The binding.
    pub binding: Binding,
    /// How the card spells the binding.
    pub named: String,
    /// How the card spells the version.
    pub version: String,
    /// Whether it spells it at all.
    pub is_said: bool,
    /// The version.
    pub profile: Arc<Profile>,
}

/// The interfaces of a card in versions and over bindings that are known.
#[cfg(feature = "cli")]
pub(crate) fn known(card: &Value, profiles: &[Arc<Profile>]) -> Vec<Known> {
    let known = |declared: Declared| {
        let binding = binding_of(declared.profile.as_ref()?, &declared)?;
        let Declared { url, binding: named, version, is_said, profile, .. } = declared;
        Some(Known { url, binding, named, version, is_said, profile: profile? })
    };
    declared(card, profiles, &[]).into_iter().filter_map(known).collect()
}

/// The versions that a card serves, the newest first.
#[cfg(feature = "cli")]
pub(crate) fn versions(card: &Value, profiles: &[Arc<Profile>]) -> Vec<Arc<Profile>> {
    let declared = declared(card, profiles, &[]);
    let is_served = |profile: &&Arc<Profile>| declared.iter().any(|known| known.profile_name() == Some(profile.name()));
    profiles.iter().rev().filter(is_served).cloned().collect()
}

/// The version by which a card is best read that names none which is known: one that it names elsewhere, or that it looks most like.
/// Nothing where it has too little of a card to be one.
#[cfg(feature = "cli")]
pub(crate) fn guessed(card: &Value, profiles: &[Arc<Profile>]) -> Option<Arc<Profile>> {
    const OWN: [&str; 7] =
        ["skills", "capabilities", "url", "supportedInterfaces", "protocolVersion", "defaultInputModes", "provider"];
    let is_card = card.get("name").is_some() && OWN.iter().filter(|member| card.get(**member).is_some()).count() >= 2;
    let named = || of_name(profiles, card.get("protocolVersion")?.as_str()?).next();
    let nearest = || profiles.iter().rev().min_by_key(|profile| profile.strangeness_of_card(card));
    is_card.then(|| named().or_else(nearest).cloned()).flatten()
}

/// The URLs of a card as a version reads them, each with its place.
#[cfg(feature = "cli")]
pub(super) fn places_of(card: &Value, profile: &Profile) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for facts in &profile.facts.card.interfaces {
        for (place, _) in facts.items(card) {
            let member = &facts.url;
            let place = if member.starts_with('/') { member.clone() } else { format!("{place}/{member}") };
            let url = card.pointer(&place).and_then(Value::as_str).map(str::to_owned);
            found.extend(url.filter(|_| found.iter().all(|known| known.0 != place)).map(|url| (place, url)));
        }
    }
    found.truncate(MOST);
    found
}

/// The interfaces whose version the card says.
fn said(card: &Value, profiles: &[Arc<Profile>]) -> Vec<Declared> {
    let newest_first = || profiles.iter().rev();
    let mut all: Vec<Declared> = newest_first()
        .flat_map(|profile| {
            // Several versions may call themselves alike: one of them is known by the place where it says so.
            let own =
                |found: &Declared| of_name(profiles, &found.version).find(|named| Arc::ptr_eq(named, profile)).cloned();
            let said = places(card, profile).filter(|found| found.is_said);
            said.map(move |found| Declared { profile: own(&found), ..found }).collect::<Vec<_>>()
        })
        .collect();
    for index in 0..all.len() {
        let Some(orphan) = all.get(index).filter(|found| found.profile.is_none()) else { continue };
        let same = |other: &&Declared| other.is_at(orphan) && other.version == orphan.version;
        let owner = all.iter().filter(same).find_map(|other| other.profile.clone());
        let by_name = || of_name(profiles, &orphan.version).next().cloned();
        let profile = owner.or_else(by_name);
        if let Some(orphan) = all.get_mut(index) {
            orphan.profile = profile;
        }
    }
    // Cards that serve several versions say the same thing in the words of each.
    let mut found: Vec<Declared> = Vec::new();
    for interface in all {
        let is_known = |known: &Declared| {
            let same_version = match &interface.profile {
                Some(_) => known.profile_name() == interface.profile_name(),
                None => known.version == interface.version,
            };
            known.is_at(&interface) && same_version
        };
        if !found.iter().any(is_known) {
            found.push(interface);
        }
    }
    found
}

/// The profiles that a spelling of the version means, the newest first: those that have this very spelling, or else those
/// whose pattern it meets.
pub(super) fn of_name<'a>(profiles: &'a [Arc<Profile>], version: &'a str) -> impl Iterator<Item = &'a Arc<Profile>> {
    let is_exact = profiles.iter().any(|profile| profile.is_called(version));
    let is_meant = move |profile: &&Arc<Profile>| match is_exact {
        true => profile.is_called(version),
        false => profile.is_declared_as(version),
    };
    profiles.iter().rev().filter(is_meant)
}

/// The interfaces of a card that says no version: in the words of the version whose card it looks most like, and of the
/// newest where it looks like several.
fn unsaid(card: &Value, profiles: &[Arc<Profile>]) -> Vec<Declared> {
    let mut best: Option<(usize, Vec<Declared>)> = None;
    for profile in profiles.iter().rev() {
        let as_own = |interface: Declared| Declared { profile: Some(Arc::clone(profile)), ..interface };
        let needs_none = profile.facts.card.interfaces.iter().any(|facts| facts.default_version.is_some());
        let found: Vec<Declared> = places(card, profile).filter(|_| needs_none).map(as_own).collect();
        let strangeness = profile.strangeness_of_card(card);
        if !found.is_empty() && best.as_ref().is_none_or(|(least, _)| strangeness < *least) {
            best = Some((strangeness, found));
        }
    }
    best.map(|(_, found)| found).unwrap_or_default()
}

/// What the places of a version hold, whatever version they say.
fn places(card: &Value, profile: &Profile) -> impl Iterator<Item = Declared> {
    profile.facts.card.interfaces.iter().flat_map(|facts| at_place(card, facts, profile.name()))
}

fn at_place(card: &Value, facts: &InterfaceFacts, unnamed: &str) -> Vec<Declared> {
    let at = |holder: &Value, place: &str| {
        let value = if place.starts_with('/') { card.pointer(place) } else { holder.get(place) };
        value.and_then(Value::as_str).map(str::to_owned)
    };
    let read = |holder: &Value| {
        let said = facts.version.as_ref().and_then(|version| at(holder, version));
        let (url, userinfo) = userinfo::split(&at(holder, &facts.url)?);
        Some(Declared {
            url,
            userinfo,
            binding: at(holder, &facts.binding).or_else(|| facts.default_binding.clone())?,
            is_said: said.is_some(),
            version: said.or_else(|| facts.default_version.clone()).unwrap_or_else(|| unnamed.to_owned()),
            tenant: facts.tenant.as_ref().and_then(|tenant| at(holder, tenant)).filter(|tenant| !tenant.is_empty()),
            profile: None,
            is_unknown: false,
        })
    };
    facts.items(card).into_iter().filter_map(|(_, holder)| read(holder)).take(MOST).collect()
}

/// How to speak over a declared interface, or why it cannot be checked.
pub(super) fn interface(
    declared: &Declared,
    agent: &Agent,
    place: &CardPlace,
    profiles: &[Arc<Profile>],
    bases: &Bases,
    refused: &Refused,
) -> Result<Interface, String> {
    let profile = declared.profile.as_ref().ok_or_else(|| {
        let known: Vec<&str> = profiles.iter().map(|profile| profile.name()).collect();
        format!("A2A {} is not checked, only {}", declared.version, join(&known))
    })?;
    let release = profile.release(declared.is_said.then_some(declared.version.as_str()));
    let more = release.and_then(|release| release.more.as_ref()).filter(|_| binding_of(profile, declared).is_none());
    let later = more.and_then(|more| profiles.iter().find(|known| known.name() == more.as_in));
    let profile = later.unwrap_or(profile);
    let binding = binding_of(profile, declared)
        .ok_or_else(|| format!("{} is a binding that the suite does not know", declared.binding))?;
    let card_is_secret = matches!(place, CardPlace::Url(card) if card.starts_with("https:"));
    let tls = (!declared.url.contains("://") && card_is_secret).then_some(true);
    let base = bases.of(binding);
    let url = match binding {
        Binding::Grpc => Address::parse(&declared.url, tls).map(|_| declared.url.clone())?,
        // A path alone needs no card to be a path on the base.
        Binding::Jsonrpc | Binding::HttpJson if base.is_some() && declared.url.starts_with('/') => declared.url.clone(),
        Binding::Jsonrpc | Binding::HttpJson => http_url(declared, place)?,
    };
    if base.is_none() && has_more_than_a_path(&url) {
        let why = "its URL has a query or a fragment, which would swallow the paths of requests";
        return Err(format!("{why}; to call it all the same: --base-url {}", origin::shown(&url)));
    }
    if base.is_none()
        && let Some(why) = refused.get(&declared.url)
    {
        return Err(why.clone());
    }
    let (url, tls, mapped) = match base {
        Some(base) => (base.map(&url), Some(base.is_tls()), Some(declared.url.clone())),
        None => (url, tls, None),
    };
    let is_twin = |known: &Interface| known.profile.name() == profile.name() && known.binding == binding;
    if let Some((_, twin)) = agent.checked().find(|(_, known)| is_twin(known)) {
        return Err(instead_of(declared, twin));
    }
    if url.len() > LONGEST_URL {
        return Err(format!(
            "its URL has {} characters, and the suite calls none with more than {LONGEST_URL}",
            url.len()
        ));
    }
    let interface = Interface::new(profile, binding, url)
        .ok_or_else(|| format!("A2A {} has no form for the binding {binding}", profile.name()))?;
    let (tenant, card) = (declared.tenant.clone(), place.clone());
    let lacks = release.map(|release| release.lacks.clone()).unwrap_or_default();
    let interface = Interface { tls, mapped, tenant, card, lacks, is_said: declared.is_said, ..interface };
    Ok(match more {
        Some(more) => interface.as_of_release(more),
        None => interface,
    })
}

/// The binding of a version that a card names so.
fn binding_of(profile: &Profile, declared: &Declared) -> Option<Binding> {
    let mut bindings = profile.facts.bindings.iter();
    bindings.find(|(_, facts)| facts.declared_as == declared.binding).map(|(binding, _)| *binding)
}

/// Whether a URL has a query or a fragment: what is added to such a URL is not part of its path.
fn has_more_than_a_path(url: &str) -> bool {
    url.contains(['?', '#'])
}

/// Why an interface is not checked beside one of the same version and binding.
fn instead_of(declared: &Declared, twin: &Interface) -> String {
    let why = format!("{} is checked for the same version and binding", twin.url);
    match &declared.tenant {
        Some(tenant) if twin.tenant != declared.tenant => format!("{why}; --tenant {tenant} checks this one"),
        _ => why,
    }
}

/// The tenants that are declared where this one is.
pub(super) fn tenants_beside(declared: &Declared, all: &[Declared]) -> Vec<String> {
    let is_there = |other: &&Declared| {
        (&other.url, &other.binding, other.profile_name())
            == (&declared.url, &declared.binding, declared.profile_name())
    };
    let mut tenants: Vec<String> = Vec::new();
    for tenant in all.iter().filter(is_there).filter_map(|other| other.tenant.as_ref()) {
        if !tenants.contains(tenant) {
            tenants.push(tenant.clone());
        }
    }
    tenants
}

/// The credentials in the URL of an interface, which belong to its origin: not to where the user maps it.
pub(super) fn identity(declared: &Declared, interface: &Interface) -> Option<Identity> {
    let userinfo = declared.userinfo.as_ref().filter(|_| interface.mapped.is_none())?;
    Identity::at(&super::reach::address(interface), userinfo.authorization())
}

/// What of the URL of an interface is of no use, if anything.
pub(super) fn note(interface: &Interface) -> Option<String> {
    let address = match interface.binding {
        Binding::Grpc => Address::parse(&interface.url, interface.tls).ok()?,
        Binding::Jsonrpc | Binding::HttpJson => return None,
    };
    address.path.map(|path| format!("the path {path} of its URL is ignored, since the paths of gRPC begin at the root"))
}

/// Why an interface cannot be called for what its card requires, if it cannot.
pub(super) fn required_too_much(interface: &Interface) -> Option<String> {
    let required = list(interface.required_extensions());
    let count = interface.required_extensions().count();
    (required.len() > LONGEST_HEADER).then(|| {
        format!(
            "the card requires {count} extensions, whose {} bytes do not fit into a header of a request",
            required.len()
        )
    })
}

/// What every request asks for because the card requires it, if anything.
pub(super) fn note_of_extensions(interface: &Interface) -> Option<String> {
    let required: Vec<&str> = interface.required_extensions().collect();
    let noun = if required.len() == 1 { "extension" } else { "extensions" };
    (!required.is_empty())
        .then(|| format!("every request asks for the {noun} {}, as the card requires", required.join(", ")))
}

/// The URL of an interface over HTTP; a relative one is relative to the card's.
fn http_url(declared: &Declared, place: &CardPlace) -> Result<String, String> {
    if declared.url.is_empty() {
        return Err("its URL is empty".to_owned());
    }
    let url = match place {
        CardPlace::Url(card) => Url::parse(card).and_then(|card| card.join(&declared.url)),
        CardPlace::File(_) | CardPlace::Missing => Url::parse(&declared.url),
    };
    let url = url.map_err(|error| format!("its URL cannot be used: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("its URL has the scheme {:?}", url.scheme()));
    }
    Ok(declared_spelling(declared, &url))
}

/// The URL as the card spells it where it is whole: parsing would add a slash that the agent may not want.
fn declared_spelling(declared: &Declared, parsed: &Url) -> String {
    if Url::parse(&declared.url).is_ok() { declared.url.clone() } else { parsed.to_string() }
}
