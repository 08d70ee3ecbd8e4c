//! What is checked: the agent that the user names or the reference agent, its cards, and the interfaces that are wanted.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use a2a_reference_agent::RunningAgent;
use url::Url;

use super::fail::{Failure, WIDTH};
use super::settings::{self, Settings};
use super::{Exit, print};
use crate::auth::{Credentials, origin};
use crate::binding::http::Http;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::words::list;
use crate::discovery::find::{Discovered, DiscoveryError, Lookup};
use crate::discovery::{self, reach};
use crate::interface::{Endpoint, InterfaceInfo};
use crate::plan;
use crate::profile::{Binding, Profile};

/// How long the `slow` task of the reference agent works when the suite checks itself: long enough to be met at work,
/// short enough not to be waited for.
const SLOW: Duration = Duration::from_millis(900);

/// Starts the reference agent, where no other is to be checked.
pub(super) async fn start_own_agent(settings: &Settings) -> Result<Option<RunningAgent>, Failure> {
    if settings.url.is_some() {
        return Ok(None);
    }
    let config = a2a_reference_agent::Config {
        without: settings.without.iter().copied().collect(),
        slow: SLOW,
        faults: settings.faults.clone(),
        rest_form: settings.rest_form.unwrap_or_default(),
        ..a2a_reference_agent::Config::default()
    };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let agent = a2a_reference_agent::start(config, address).await;
    agent.map(Some).map_err(|error| Failure::broken(format!("the reference agent cannot be started: {error}")))
}

/// What the cards of the reference agent lead to, for the profiles that are wanted or for all: those that a card can name
/// share one, each of the others has its own.
pub(super) async fn find_own(
    http: &Arc<Http>,
    agent: &RunningAgent,
    settings: &Settings,
    profiles: &[Arc<Profile>],
) -> Result<Discovered, Failure> {
    let is_wanted = |name: &str| settings.profiles.is_empty() || settings.profiles.iter().any(|wanted| wanted == name);
    let bases = agent.bases();
    let mut by_base: Vec<(&str, Vec<String>)> = Vec::new();
    for (name, base) in bases.iter().filter(|(name, _)| is_wanted(name)) {
        match by_base.iter_mut().find(|(known, _)| known == base) {
            Some((_, names)) => names.push((*name).to_owned()),
            None => by_base.push((base, vec![(*name).to_owned()])),
        }
    }
    let mut all: Option<Discovered> = None;
    for (base, names) in by_base {
        let url = settings::parse_url(base)?;
        let found = discovery::discover(http, &url, &settings.lookup, profiles, &names, &settings.bases).await;
        let found = found.map_err(|error| discovery_failure(&error, None))?;
        all = Some(match all {
            Some(all) => all.and(found),
            None => found,
        });
    }
    all.ok_or_else(|| {
        Failure::broken(format!("the reference agent does not speak A2A {}", settings.profiles.join(", ")))
    })
}

/// What the card of the agent under test leads to; or, where that is not what the user names by `--profile` and `--binding`,
/// what the URL itself leads to.
pub(super) async fn find(
    http: &Arc<Http>,
    url: &Url,
    settings: &Settings,
    profiles: &[Arc<Profile>],
) -> Result<Discovered, Failure> {
    let named = named(settings, profiles)?;
    tell_of_a_card_elsewhere(http.credentials(), settings);
    let wanted = &settings.profiles;
    let error = match discovery::discover(http, url, &settings.lookup, profiles, wanted, &settings.bases).await {
        Ok(found) => {
            return Ok(match named {
                Some((profile, binding)) => at_named(found, url, profile, binding, http.credentials()),
                None => found,
            });
        }
        Err(error) => error,
    };
    if let Some((profile, binding)) = named.filter(|_| can_do_without(&error, url)) {
        let warning = discovery_failure(&error, None).masked(&settings.secrets);
        print::err(&warning.text.replacen("error", "warning", 1));
        let why = format!("no usable card: {}", error.in_short());
        return Ok(discovery::without_card(url, profile, binding, &why));
    }
    let help = match &error {
        DiscoveryError::Unreachable { .. } => {
            Some("is the agent running, and is the URL right? --timeout gives a slow one more time")
        }
        DiscoveryError::File { .. } => None,
        DiscoveryError::NoCard { .. }
        | DiscoveryError::NotJson { .. }
        | DiscoveryError::NotAnObject { .. }
        | DiscoveryError::TooLarge { .. } => Some(
            "name the card with --card URL|FILE, or, for an agent without one, its interface with --profile and --binding",
        ),
    };
    Err(discovery_failure(&error, help))
}

/// The one interface that the flags name, if they name one.
fn named<'a>(
    settings: &Settings,
    profiles: &'a [Arc<Profile>],
) -> Result<Option<(&'a Arc<Profile>, Binding)>, Failure> {
    let ([name], [binding]) = (settings.profiles.as_slice(), settings.bindings.as_slice()) else { return Ok(None) };
    let Some(profile) = profiles.iter().find(|known| known.name() == name) else { return Ok(None) };
    match profile.facts.bindings.contains_key(binding) {
        true => Ok(Some((profile, *binding))),
        false => {
            let known: Vec<String> = profile.facts.bindings.keys().map(ToString::to_string).collect();
            Err(Failure::usage(format!("A2A {name} has no binding {binding}, only {}", list(&known))))
        }
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
    let checked = found.info.interfaces.iter().filter(|interface| interface.skipped.is_none());
    let is_of_version = |(_, (interface, endpoint)): &(usize, (&InterfaceInfo, &Endpoint))| {
        endpoint.profile.name() == profile.name() && is_declared(interface, endpoint)
    };
    let of_version: Vec<_> = checked.zip(&found.endpoints).enumerate().filter(is_of_version).collect();
    let card = of_version.first().map(|(_, (_, endpoint))| endpoint.card.clone());
    let own = of_version.iter().find(|(_, (_, endpoint))| endpoint.binding == binding);
    let Some((index, own)) = own.map(|(index, (_, endpoint))| (*index, *endpoint)) else {
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
    if let Some(interface) = found.info.checked_mut().nth(index) {
        interface.add_note(&format!("at another origin than the URL; to check it there: --base-url {here}"));
    }
    found
}

/// Whether the card leads to an interface in this version, and not only the user who wants it in spite of what the card says.
pub(super) fn is_declared(interface: &InterfaceInfo, endpoint: &Endpoint) -> bool {
    !endpoint.is_said || endpoint.profile.is_declared_as(&interface.version)
}

/// What a card declares, for a user who wants something else.
fn declared(found: &Discovered) -> String {
    let mut shown: Vec<String> = Vec::new();
    for interface in &found.info.interfaces {
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

fn offered(endpoints: &[Endpoint]) -> Vec<String> {
    endpoints.iter().map(|endpoint| format!("A2A {} over {}", endpoint.profile.name(), endpoint.binding)).collect()
}

/// A card at another origin is asked for without credentials, which may be why it does not come.
fn tell_of_a_card_elsewhere(credentials: &Credentials, settings: &Settings) {
    if let Lookup::Url(card) = &settings.lookup
        && credentials.keeps_from(card.as_str())
    {
        let origin = origin::shown(card.as_str());
        let text =
            format!("note: the card at {card} is fetched without credentials; to send them: --allow-origin {origin}");
        print::note(&settings.secrets, &text);
    }
}

fn discovery_failure(error: &DiscoveryError, help: Option<&str>) -> Failure {
    match error {
        DiscoveryError::NotJson { place, error: inner, text } => {
            let message = format!("the card is not JSON: {}", inner.kind);
            let mut diagnostic = Diagnostic::at_offset(place, text, inner.offset, message);
            diagnostic.help = help.map(str::to_owned);
            Failure::diagnostic(Exit::Target, &diagnostic)
        }
        DiscoveryError::NoCard { tried } => {
            Failure::listing(Exit::Target, "there is no agent card at any of its places", tried, help)
        }
        other => Failure::new(Exit::Target, &other.to_string(), help),
    }
}

/// Why an interface is not checked when the user wants others.
const LEFT_OUT: &str = "--profile and --binding leave it out";

/// Keeps the endpoints that the user wants.
pub(super) fn choose(found: &mut Discovered, settings: &Settings) -> Result<(), Failure> {
    let wants = |endpoint: &Endpoint| {
        let profile =
            settings.profiles.is_empty() || settings.profiles.iter().any(|name| name == endpoint.profile.name());
        profile && (settings.bindings.is_empty() || settings.bindings.contains(&endpoint.binding))
    };
    let offered = offered(&found.endpoints);
    // Every interface that is not skipped has its endpoint, in the same order.
    let usable = found.info.interfaces.iter_mut().filter(|interface| interface.skipped.is_none());
    for (interface, _) in usable.zip(&found.endpoints).filter(|(_, endpoint)| !wants(endpoint)) {
        interface.skipped = Some(LEFT_OUT.to_owned());
    }
    found.endpoints.retain(wants);
    if !found.endpoints.is_empty() {
        return Ok(());
    }
    if offered.is_empty() {
        let reasons: Vec<String> = found
            .info
            .interfaces
            .iter()
            .map(|interface| {
                let reason = interface.skipped.as_deref().unwrap_or("not usable");
                format!("{}: {reason}", interface.title())
            })
            .collect();
        let message = match reasons.is_empty() {
            true => "the card declares no interface",
            false => "the card declares no interface that can be checked",
        };
        return Err(Failure::listing(Exit::Target, message, &reasons, None));
    }
    let message =
        format!("the card does not declare what --profile and --binding ask for; it declares {}", offered.join(", "));
    Err(Failure::new(Exit::Target, &message, None))
}

/// Says on standard error what is about to be checked, so that a wrong target shows at once.
pub(super) fn tell_what_was_found(found: &Discovered, plan: &plan::Plan, settings: &Settings) {
    let name = found.info.name.as_deref().unwrap_or("an agent without a name");
    let runnable = plan.trials.iter().filter(|trial| trial.skipped.is_none()).count();
    let endpoints: Vec<String> = found
        .endpoints
        .iter()
        .map(|endpoint| format!("A2A {} over {} at {}", endpoint.profile.name(), endpoint.binding, endpoint.url))
        .collect();
    let text = format!("found {name}: {}; {runnable} of {} cases apply", endpoints.join(", "), plan.trials.len());
    print::note(&settings.secrets, &text);
    for interface in &found.info.interfaces {
        let (word, text) = match (&interface.skipped, &interface.note) {
            (Some(reason), _) if reason != LEFT_OUT => ("not checked", reason),
            (None, Some(note)) => ("note", note),
            _ => continue,
        };
        print::note(&settings.secrets, &format!("{word}: {}: {text}", interface.title()));
    }
    for flaws in &found.flaws {
        let is_checked = |profile: &str| found.endpoints.iter().any(|endpoint| endpoint.profile.name() == profile);
        for flaw in flaws.found.iter().filter(|flaw| is_checked(&flaw.profile)) {
            let message = format!("as a card of A2A {}: {}", flaw.profile, flaw.message);
            let diagnostic =
                Diagnostic::at_pointer(&flaws.place, flaws.document.text(), &flaw.pointer, message).warning();
            print::err(&settings.secrets.mask(&diagnostic.render(WIDTH)));
        }
    }
}

/// Says on standard error, and in the report, what a user must know of where the interfaces are.
pub(super) fn tell_where_it_is(found: &mut Discovered, url: &Url, credentials: &Credentials, settings: &Settings) {
    let concerns = reach::concerns(found, url, credentials);
    for (interface, concerns) in found.info.checked_mut().zip(concerns) {
        for concern in concerns {
            let word = if concern.is_warning() { "warning" } else { "note" };
            print::note(&settings.secrets, &format!("{word}: {}: {concern}", interface.title()));
            interface.add_note(&concern.to_string());
        }
    }
}
