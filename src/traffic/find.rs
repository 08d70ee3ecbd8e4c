//! From the survey to the agent: its card, its interfaces, and the version of each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;
use url::Url;

use super::hidden::{self, Names};
use super::survey::{Based, Seen, Survey, place};
use super::{TrafficError, Wanted};
use crate::discovery::find::capabilities;
use crate::discovery::interfaces::{self, Known};
use crate::interface::{Agent, CardPlace, Interface, InterfaceInfo, Listed};
use crate::profile::{Binding, Capability, Dialect, Profile};

/// The agent of the traffic.
pub(crate) struct Found {
    /// The agent, with the interfaces to which calls went.
    pub agent: Agent,
    /// The capabilities that its card declares, by profile.
    pub capabilities: BTreeMap<String, BTreeSet<Capability>>,
    /// What has credentials.
    pub names: Names,
    /// When the traffic began.
    pub began: Timestamp,
}

impl Found {
    /// An agent that was found by its cards, with what these declare, by profile, before there was any traffic.
    pub(crate) fn by_cards(
        agent: Agent,
        cards: &[Value],
        capabilities: BTreeMap<String, BTreeSet<Capability>>,
        began: Timestamp,
    ) -> Self {
        Self { agent, capabilities, names: hidden::names(cards.iter()), began }
    }
}

/// A card of the traffic, and the interfaces that it declares.
struct Card<'s> {
    url: &'s str,
    value: &'s Value,
    known: Vec<Known>,
}

/// An address of calls in one version.
struct Spot<'c> {
    binding: Binding,
    url: String,
    profile: Arc<Profile>,
    /// The form of its objects, if the version has several.
    dialect: Option<Arc<Dialect>>,
    /// The card that declares it, and as what.
    card: Option<&'c Card<'c>>,
    declared: Option<&'c Known>,
}

impl Spot<'_> {
    /// What tells its agent from others: the card, or the origin where there is none.
    fn agent(&self) -> String {
        let origin = || Url::parse(&self.url).map(|url| url.origin().ascii_serialization()).unwrap_or_default();
        self.card.map_or_else(origin, |card| card.url.to_owned())
    }

    /// What kind of interface it is.
    fn kind(&self) -> (Binding, &str) {
        (self.binding, self.profile.name())
    }

    /// Whether it is where the card declares it.
    fn is_exact(&self) -> bool {
        // A slash at the end makes a difference only if no path follows.
        let spelled = |url: &str| match self.binding {
            Binding::HttpJson => url.trim_end_matches('/').to_owned(),
            Binding::Jsonrpc | Binding::Grpc => url.to_owned(),
        };
        let declared = self.declared.and_then(|known| place(&known.url));
        declared.is_some_and(|url| spelled(url.as_str()) == spelled(&self.url))
    }

    fn is_at(&self, wanted: &str) -> bool {
        self.url.starts_with(wanted) || self.card.is_some_and(|card| card.url.starts_with(wanted))
    }
}

/// Finds the agent that is meant.
///
/// # Errors
/// There is none, there are several, or the version of an interface is not known.
pub(super) fn find(survey: &Survey<'_>, wanted: &Wanted, profiles: &[Arc<Profile>]) -> Result<Found, TrafficError> {
    let cards: Vec<Card<'_>> = cards(survey, profiles);
    let mut spots = Vec::new();
    for (url, seen) in &survey.jsonrpc {
        let fits = |profile: &Arc<Profile>| seen.fits(profile, Binding::Jsonrpc).then(|| url.clone());
        spots.extend(versions(Binding::Jsonrpc, seen, &cards, wanted, profiles, &fits));
    }
    for ((origin, based), seen) in &survey.http_json {
        // Not every kind of request shows a state.
        let all = survey.http_json.iter().filter(|((other, _), _)| other == origin);
        let states = all.flat_map(|(_, seen)| &seen.states).cloned().collect();
        let seen = &Seen { states, versions: seen.versions.clone(), methods: seen.methods.clone() };
        let fits = |profile: &Arc<Profile>| {
            let Based { base, .. } = based.iter().find(|based| based.profile == profile.name())?;
            Some(format!("{origin}{base}"))
        };
        spots.extend(versions(Binding::HttpJson, seen, &cards, wanted, profiles, &fits));
    }
    let urls = |spots: &[Result<Spot<'_>, TrafficError>]| {
        let all: BTreeSet<String> = spots.iter().flatten().map(|spot| spot.url.clone()).collect();
        all.into_iter().collect::<Vec<_>>()
    };
    if spots.is_empty() {
        let (cards, grpc) = (survey.cards.len(), survey.grpc);
        return Err(TrafficError::NoCalls { entries: survey.entries, cards, grpc });
    }
    let known = urls(&spots);
    if let Some(wanted) = &wanted.agent {
        spots.retain(|spot| match spot {
            Ok(spot) => spot.is_at(wanted),
            Err(TrafficError::NoVersion { url, .. }) => url.starts_with(wanted),
            Err(_) => true,
        });
        if spots.is_empty() {
            return Err(TrafficError::NoSuchAgent { wanted: wanted.clone(), urls: known });
        }
    }
    let spots = spots.into_iter().collect::<Result<Vec<_>, _>>()?;
    let spots = without_others(spots);
    one_agent(&spots)?;
    let agent = agent(&spots);
    let of_card = |spot: &Spot<'_>| spot.card.map(|card| capabilities(card.value, &spot.profile));
    Ok(Found {
        capabilities: spots.iter().filter_map(of_card).collect(),
        names: hidden::names(spots.iter().filter_map(|spot| spot.card).map(|card| card.value)),
        began: survey.began.unwrap_or_default(),
        agent,
    })
}

/// The cards, those of newer places first: of two at one agent, one counts.
fn cards<'s>(survey: &'s Survey<'_>, profiles: &[Arc<Profile>]) -> Vec<Card<'s>> {
    let mut cards: Vec<Card<'_>> = survey
        .cards
        .iter()
        .map(|(url, value)| Card { url, value, known: interfaces::known(value, profiles) })
        .collect();
    let rank = |card: &Card<'_>| usize::from(!card.url.ends_with("/agent-card.json"));
    cards.sort_by_key(rank);
    cards
}

/// The versions in which calls went to an address.
fn versions<'c>(
    binding: Binding,
    seen: &Seen,
    cards: &'c [Card<'c>],
    wanted: &Wanted,
    profiles: &[Arc<Profile>],
    at: &dyn Fn(&Arc<Profile>) -> Option<String>,
) -> Vec<Result<Spot<'c>, TrafficError>> {
    if !(wanted.bindings.is_empty() || wanted.bindings.contains(&binding)) {
        return Vec::new();
    }
    let spot = |profile: &Arc<Profile>, url: String| {
        let (card, declared) = declared(cards, binding, profile, &url).unzip();
        let dialect = seen.dialect(profile, binding);
        Spot { binding, url, profile: Arc::clone(profile), dialect, card, declared }
    };
    let fitting: Vec<Spot<'_>> =
        profiles.iter().rev().filter_map(|profile| Some(spot(profile, at(profile)?))).collect();
    let is_wanted = |spot: &Spot<'_>| wanted.profiles.iter().any(|name| name == spot.profile.name());
    if !wanted.profiles.is_empty() {
        return fitting.into_iter().filter(is_wanted).map(Ok).collect();
    }
    let of_cards = fitting.iter().any(|spot| spot.declared.is_some());
    let of_heads = fitting.iter().any(|spot| seen.names(&spot.profile));
    let shortest = fitting.iter().map(|spot| spot.url.len()).min().unwrap_or_default();
    let names = |spot: &Spot<'_>| seen.names(&spot.profile);
    let is_release = fitting.iter().any(|spot| names(spot) && spot.profile.is_released());
    let is_exact = fitting.iter().any(Spot::is_exact);
    let is_shown = |spot: &Spot<'_>| match (of_cards, of_heads) {
        (true, _) => spot.declared.is_some() && (spot.is_exact() || !is_exact),
        // Drafts and releases name themselves alike.
        (false, true) => names(spot) && (spot.profile.is_released() || !is_release),
        // A longer route says more, and drafts are for who names them.
        (false, false) => spot.url.len() == shortest && spot.profile.is_released(),
    };
    let shown: Vec<Spot<'_>> = fitting.into_iter().filter(is_shown).collect();
    match shown.as_slice() {
        [first, _, ..] if !of_cards && !of_heads => {
            let versions = shown.iter().map(|spot| spot.profile.name().to_owned()).collect();
            vec![Err(TrafficError::NoVersion { url: first.url.clone(), versions })]
        }
        _ => shown.into_iter().map(Ok).collect(),
    }
}

/// The card that declares an interface in a version: at its address, or else at the same path, or else as the only one of its kind on
/// the host of the card. Traffic is often recorded at another address than the card names.
fn declared<'c>(
    cards: &'c [Card<'c>],
    binding: Binding,
    profile: &Profile,
    url: &str,
) -> Option<(&'c Card<'c>, &'c Known)> {
    let of_kind = |card: &'c Card<'c>| {
        let known =
            card.known.iter().filter(move |known| known.binding == binding && known.profile.name() == profile.name());
        known.map(move |known| (card, known))
    };
    let all = || cards.iter().flat_map(of_kind);
    let own = Url::parse(url).ok()?;
    let path = |url: &Url| url.path().trim_end_matches('/').to_owned();
    let there = |card: &Card<'_>, known: &Known| {
        let base = Url::parse(card.url).ok();
        let joined = base.and_then(|base| base.join(&known.url).ok())?;
        place(joined.as_str())
    };
    let is_near = |card: &Card<'_>| Url::parse(card.url).is_ok_and(|card| card.origin() == own.origin());
    let exact = all().find(|(card, known)| {
        there(card, known).is_some_and(|there| there.origin() == own.origin() && path(&there) == path(&own))
    });
    let by_path = || {
        all().find(|(card, known)| is_near(card) && there(card, known).is_some_and(|there| path(&there) == path(&own)))
    };
    let only = || {
        let mut near = all().filter(|(card, _)| is_near(card));
        near.next().filter(|_| near.next().is_none())
    };
    exact.or_else(by_path).or_else(only)
}

/// Each address once, without those beside the one that a card declares for the same kind of interface, such as one with a slash more.
fn without_others(spots: Vec<Spot<'_>>) -> Vec<Spot<'_>> {
    let declared: BTreeSet<(Binding, String, String)> = spots
        .iter()
        .filter(|spot| spot.is_exact())
        .map(|spot| (spot.binding, spot.profile.name().to_owned(), spot.agent()))
        .collect();
    let mut known = BTreeSet::new();
    let is_kept = |spot: &Spot<'_>| {
        let is_beside = declared.contains(&(spot.binding, spot.profile.name().to_owned(), spot.agent()));
        // Requests by different routes lead to one address.
        (spot.is_exact() || !is_beside)
            && known.insert((spot.binding, spot.profile.name().to_owned(), spot.url.clone()))
    };
    spots.into_iter().filter(is_kept).collect()
}

/// That all calls go to one agent, which has one interface of each kind.
fn one_agent(spots: &[Spot<'_>]) -> Result<(), TrafficError> {
    let agents: BTreeSet<String> = spots.iter().map(Spot::agent).collect();
    if agents.len() > 1 {
        return Err(TrafficError::SeveralAgents { urls: agents.into_iter().collect() });
    }
    let kinds: BTreeSet<_> = spots.iter().map(Spot::kind).collect();
    match kinds.len() == spots.len() {
        true => Ok(()),
        false => Err(TrafficError::SeveralAgents { urls: spots.iter().map(|spot| spot.url.clone()).collect() }),
    }
}

fn agent(spots: &[Spot<'_>]) -> Agent {
    let cards: BTreeSet<&str> = spots.iter().filter_map(|spot| spot.card).map(|card| card.url).collect();
    let name = spots.iter().find_map(|spot| spot.card?.value.get("name")?.as_str());
    let first = spots.first().map(|spot| spot.url.clone()).unwrap_or_default();
    Agent {
        url: cards.iter().next().map_or(first, |card| origin_of(card)),
        cards: cards.into_iter().map(str::to_owned).collect(),
        name: name.map(str::to_owned),
        interfaces: spots.iter().filter_map(listed).collect(),
        ..Agent::default()
    }
}

/// Where an agent is whose card is at this URL.
fn origin_of(card: &str) -> String {
    card.split_once("/.well-known/").map_or(card, |(before, _)| before).to_owned()
}

fn listed(spot: &Spot<'_>) -> Option<Listed> {
    let plain = Interface::new(&spot.profile, spot.binding, spot.url.clone())?;
    let plain = Interface { dialect: spot.dialect.clone().unwrap_or_else(|| Arc::clone(&plain.dialect)), ..plain };
    let said = spot.declared.filter(|known| known.is_said).map(|known| known.version.as_str());
    let interface = Interface {
        card: spot.card.map_or(CardPlace::Missing, |card| CardPlace::Url(card.url.to_owned())),
        lacks: spot.profile.lacking_in(said),
        is_said: spot.declared.is_none_or(|known| known.is_said),
        ..spot.card.map_or_else(|| plain.clone(), |card| plain.clone().speaking_to(card.value))
    };
    let note = match (spot.card, spot.declared) {
        (None, _) => Some("the traffic has no card that declares it".to_owned()),
        (Some(_), Some(known)) if place(&known.url).is_some_and(|url| url.as_str() != spot.url) => {
            Some(format!("the card declares it at {}", known.url))
        }
        _ => None,
    };
    let facts = interface.binding_facts();
    let named = || facts.map_or_else(|| spot.binding.to_string(), |facts| facts.declared_as.clone());
    let info = InterfaceInfo {
        url: spot.url.clone(),
        binding: spot.declared.map_or_else(named, |known| known.named.clone()),
        version: spot.declared.map_or_else(|| spot.profile.name().to_owned(), |known| known.version.clone()),
        tenant: None,
        profile: Some(spot.profile.name().to_owned()),
        skipped: None,
        note,
        dialect: spot.dialect.as_ref().map(|dialect| dialect.name.clone()),
        lost: None,
    };
    Some(Listed { info, interface: Some(interface) })
}
