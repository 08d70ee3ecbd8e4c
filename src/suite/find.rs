//! What is checked: what the agent's cards lead to, or the interface that is named.

use std::sync::Arc;

use url::Url;

use super::builder::SuiteBuilder;
use super::error::SuiteError;
use super::notice::Notice;
use crate::auth::{Credentials, origin};
use crate::discovery::find::{Discovered, DiscoveryError, Guard, Lookup, Wanted};
use crate::discovery::{self, reach};
use crate::interface::Listed;
use crate::profile::{Binding, Profile};
use crate::transport::http::Http;

/// What the agent's card, or its cards, lead to.
pub(super) async fn find(
    http: &Arc<Http>,
    url: &Url,
    settings: &SuiteBuilder,
    profiles: &[Arc<Profile>],
) -> Result<Discovered, SuiteError> {
    let mut found = match settings.cards.is_empty() {
        true => by_one_card(http, url, settings, profiles).await?,
        false => by_cards(http, settings, profiles).await?,
    };
    settings.tenant.iter().for_each(|tenant| found.agent.check_for(tenant));
    Ok(found)
}

/// What is wanted of a card that is asked for these versions.
fn wanted<'a>(settings: &'a SuiteBuilder, profiles: &'a [String]) -> Wanted<'a> {
    let guard = Guard { allowed: &settings.allowed_origins, is_of_stranger: settings.is_of_stranger };
    Wanted { profiles, tenant: settings.tenant.as_deref(), bases: &settings.bases, guard }
}

/// What several cards lead to, for the versions that are wanted or for all: those at one URL share one.
async fn by_cards(
    http: &Arc<Http>,
    settings: &SuiteBuilder,
    profiles: &[Arc<Profile>],
) -> Result<Discovered, SuiteError> {
    let is_wanted = |name: &str| settings.profiles.is_empty() || settings.profiles.iter().any(|wanted| wanted == name);
    let mut by_base: Vec<(&Url, Vec<String>)> = Vec::new();
    for (name, base) in settings.cards.iter().filter(|(name, _)| is_wanted(name)) {
        match by_base.iter_mut().find(|(known, _)| *known == base) {
            Some((_, names)) => names.push(name.clone()),
            None => by_base.push((base, vec![name.clone()])),
        }
    }
    let mut all: Option<Discovered> = None;
    for (base, names) in by_base {
        let found = discovery::discover(http, base, &settings.lookup, profiles, wanted(settings, &names)).await?;
        all = Some(match all {
            Some(all) => all.and(found),
            None => found,
        });
    }
    all.ok_or_else(|| SuiteError::NoCardFor { profiles: settings.profiles.clone() })
}

/// What the card of the agent under test leads to; or, where that is not the interface that is named, what the URL itself
/// leads to.
async fn by_one_card(
    http: &Arc<Http>,
    url: &Url,
    settings: &SuiteBuilder,
    profiles: &[Arc<Profile>],
) -> Result<Discovered, SuiteError> {
    let named = settings.named(profiles)?;
    if let Some((profile, binding)) = named.filter(|_| !settings.has_card) {
        return Ok(discovery::without_card(url, profile, binding, "no card was looked for"));
    }
    // A card at another origin is asked for without credentials, which may be why it does not come.
    if let Lookup::Url(card) = &settings.lookup
        && http.credentials().keeps_from(card.as_str())
    {
        let origin = origin::shown(card.as_str());
        settings.tell(&Notice::CardWithoutCredentials { card: card.as_str(), origin: &origin });
    }
    let wanted = wanted(settings, &settings.profiles);
    let error = match discovery::discover(http, url, &settings.lookup, profiles, wanted).await {
        Ok(found) => {
            return Ok(match named {
                Some((profile, binding)) => at_named(found, url, profile, binding, http.credentials()),
                None => found,
            });
        }
        Err(error) => error,
    };
    match named.filter(|_| can_do_without(&error, url)) {
        Some((profile, binding)) => {
            settings.tell(&Notice::WithoutCard(&error));
            let why = format!("no usable card: {}", error.in_short());
            Ok(discovery::without_card(url, profile, binding, &why))
        }
        None => Err(error.into()),
    }
}

/// Whether an interface that is named can be checked all the same: a port that speaks no HTTP/1 has no card, but one where
/// nothing listens has no interface, and a file that cannot be read is the user's to fix.
fn can_do_without(error: &DiscoveryError, url: &Url) -> bool {
    match error {
        DiscoveryError::Unreachable { url: card, is_nowhere: true, .. } => origin::of(card) != origin::of(url.as_str()),
        DiscoveryError::File { .. } => false,
        _ => true,
    }
}

/// The interface that is named: that of the card where this is on the host of the URL or where the user allows it, or else
/// the URL itself. A card may name another instance, to which the user who names this one means to send nothing.
fn at_named(
    mut found: Discovered,
    url: &Url,
    profile: &Arc<Profile>,
    binding: Binding,
    credentials: &Credentials,
) -> Discovered {
    let of_version = |listed: &&mut Listed| {
        let interface = listed.interface.as_ref().filter(|interface| interface.profile.name() == profile.name());
        interface.is_some_and(|interface| listed.info.declares(interface))
    };
    let mut of_version: Vec<&mut Listed> = found.agent.interfaces.iter_mut().filter(of_version).collect();
    let card = of_version.iter().find_map(|listed| Some(listed.interface.as_ref()?.card.clone()));
    let own = of_version.iter_mut().find_map(|listed| {
        let interface = listed.interface.as_ref().filter(|interface| interface.binding == binding)?;
        Some((&mut listed.info, interface))
    });
    let Some((info, own)) = own else {
        let why = format!("the card has no such interface: {}", declared(&found));
        return found.at(url, profile, binding, card, &why);
    };
    let address = reach::address(own);
    if credentials.trusts(&address) {
        return found;
    }
    let (here, there) = (origin::shown(url.as_str()), origin::shown(&address));
    if !reach::is_on_host_of(own, url) {
        let why = format!(
            "the card has it on another host, at {}; to check it there: --allow-origin {there}; \
             to check it at the card's path here: --base-url {here}",
            own.url
        );
        return found.at(url, profile, binding, card, &why);
    }
    info.add_note(&format!("at another origin than the URL; to check it there: --base-url {here}"));
    found
}

/// What a card declares, for a user who wants something else.
fn declared(found: &Discovered) -> String {
    let mut shown: Vec<String> = Vec::new();
    for Listed { info: interface, .. } in &found.agent.interfaces {
        let reason = interface.skipped.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        let text = format!("{}{reason}", interface.title());
        if !shown.contains(&text) {
            shown.push(text);
        }
    }
    match shown.is_empty() {
        true => "it declares no interface".to_owned(),
        false => format!("it declares {}", shown.join(", ")),
    }
}
