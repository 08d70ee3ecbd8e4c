//! What is checked: the agent that the user names or the reference agent, its cards, and the interfaces that are wanted.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use a2a_reference_agent::RunningAgent;
use url::Url;

use super::fail::{Failure, WIDTH};
use super::settings::{self, Settings};
use super::{Exit, print};
use crate::binding::http::Http;
use crate::diagnostic::Diagnostic;
use crate::plan::{self, Endpoint};
use crate::profile::Profile;
use crate::target::discovery::{self, Discovered, DiscoveryError};

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
        let found = discovery::discover(http, &url, &settings.lookup, profiles, &names).await;
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

/// What the card of the agent under test leads to.
pub(super) async fn find(
    http: &Arc<Http>,
    url: &Url,
    settings: &Settings,
    profiles: &[Arc<Profile>],
) -> Result<Discovered, Failure> {
    let error = match discovery::discover(http, url, &settings.lookup, profiles, &settings.profiles).await {
        Ok(found) => return Ok(found),
        Err(error) => error,
    };
    let help = "name the card with --card URL|FILE, or, for an agent without one, its interface with \
                --profile and --binding";
    match &error {
        DiscoveryError::NoCard { .. } | DiscoveryError::NotJson { .. } | DiscoveryError::NotAnObject { .. } => {
            if let ([profile], [binding]) = (settings.profiles.as_slice(), settings.bindings.as_slice())
                && let Some(profile) = profiles.iter().find(|known| known.name() == profile)
            {
                let warning = discovery_failure(&error, None).text.replacen("error", "warning", 1);
                print::err(&settings.secrets.mask(&warning));
                return Ok(discovery::without_card(url, profile, *binding));
            }
            Err(discovery_failure(&error, Some(help)))
        }
        DiscoveryError::Unreachable { .. } => {
            let help = "is the agent running, and is the URL right? --timeout gives a slow one more time";
            Err(discovery_failure(&error, Some(help)))
        }
        DiscoveryError::TooLarge { .. } | DiscoveryError::File { .. } => Err(discovery_failure(&error, None)),
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
    let offered: Vec<String> = found
        .endpoints
        .iter()
        .map(|endpoint| format!("A2A {} over {}", endpoint.profile.name(), endpoint.binding))
        .collect();
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
