//! Finds the agent's card and reads from it what can be checked.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use thiserror::Error;
use url::Url;

use crate::binding::grpc::client::Address;
use crate::binding::http::Http;
use crate::diagnostic::words::join;
use crate::plan::Endpoint;
use crate::profile::facts::InterfaceFacts;
use crate::profile::{Binding, Capability, Profile};
use crate::report::model::{InterfaceInfo, TargetInfo};
use crate::run::CardPlace;
use crate::transcript::{Ended, Limit};
use crate::wire::json::{self, Document, JsonErrorKind};

/// Where to look for the card.
#[derive(Debug, Clone)]
pub enum Lookup {
    /// At the well-known places of the agent's host.
    WellKnown,
    /// At a URL.
    Url(Url),
    /// In a file.
    File(PathBuf),
}

/// What was found.
#[derive(Debug)]
pub struct Discovered {
    /// For the report.
    pub info: TargetInfo,
    /// Where the card is.
    pub place: CardPlace,
    /// The interfaces that can be checked, one for each profile and binding.
    pub endpoints: Vec<Endpoint>,
    /// The capabilities that the card declares, by profile.
    pub capabilities: BTreeMap<String, BTreeSet<Capability>>,
    /// The extensions that the card lists.
    pub extensions: Value,
    /// In what the card breaks its schema, with its text.
    pub flaws: Option<Flaws>,
}

/// What is wrong with a card that can still be used.
#[derive(Debug)]
pub struct Flaws {
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

/// Why there is nothing to check.
#[derive(Debug, Error)]
pub enum DiscoveryError {
    /// The agent does not answer.
    #[error("the agent at {url} cannot be reached: {how}")]
    Unreachable {
        /// What was asked for.
        url: String,
        /// How it failed.
        how: String,
    },
    /// No card at any of the places.
    #[error("there is no agent card at any of its places\n  {}", .tried.join("\n  "))]
    NoCard {
        /// Each place with what was found there.
        tried: Vec<String>,
    },
    /// The file cannot be read.
    #[error("the card {file} cannot be read: {error}")]
    File {
        /// The file.
        file: String,
        /// Why not.
        error: std::io::Error,
    },
    /// The card is more than the suite reads.
    #[error("the card at {place} is larger than {} MiB, the most that is read", .limit >> 20)]
    TooLarge {
        /// Where it is.
        place: String,
        /// The limit.
        limit: usize,
    },
    /// The card is not JSON.
    #[error("the card at {place} is not JSON: {} at line {}, column {}", .error.kind, .error.position.line, .error.position.column)]
    NotJson {
        /// Where it is.
        place: String,
        /// What is wrong, and where.
        error: json::JsonError,
        /// Its text.
        text: String,
    },
    /// The card is JSON, but no object.
    #[error("the card at {place} is {found} and not a JSON object")]
    NotAnObject {
        /// Where it is.
        place: String,
        /// What it is.
        found: String,
    },
}

/// Looks for the card of the agent at `url` and reads it. Where it says no version, it is one of the profiles `wanted`, or
/// of the newest whose cards need say none.
///
/// # Errors
/// [`DiscoveryError`]: the agent's faults, or the user's.
pub async fn discover(
    http: &Http,
    url: &Url,
    lookup: &Lookup,
    profiles: &[Arc<Profile>],
    wanted: &[String],
) -> Result<Discovered, DiscoveryError> {
    let (place, shown, document) = match lookup {
        Lookup::File(path) => {
            let file = path.display().to_string();
            let bytes = std::fs::read(path).map_err(|error| DiscoveryError::File { file: file.clone(), error })?;
            (CardPlace::File(path.clone()), file.clone(), parse(&file, &bytes)?)
        }
        Lookup::Url(card) => {
            let document = fetch(http, std::slice::from_ref(card)).await?;
            (CardPlace::Url(card.to_string()), card.to_string(), document.1)
        }
        Lookup::WellKnown => {
            let (card, document) = fetch(http, &well_known(url, profiles)).await?;
            (CardPlace::Url(card.to_string()), card.to_string(), document)
        }
    };
    Ok(read(url, place, &shown, &document, profiles, wanted))
}

/// An agent without a card, at an interface that the user names.
pub fn without_card(url: &Url, profile: &Arc<Profile>, binding: Binding) -> Discovered {
    let endpoint = Endpoint::new(profile, binding, url.to_string());
    Discovered {
        info: TargetInfo {
            url: url.to_string(),
            card: None,
            name: None,
            interfaces: vec![InterfaceInfo {
                url: url.to_string(),
                binding: binding.to_string(),
                version: profile.name().to_owned(),
                profile: Some(profile.name().to_owned()),
                skipped: None,
                note: endpoint.as_ref().and_then(note),
                form: None,
                lost: None,
            }],
        },
        place: CardPlace::Missing,
        endpoints: endpoint.into_iter().collect(),
        capabilities: BTreeMap::new(),
        extensions: Value::Null,
        flaws: None,
    }
}

/// The places where a card may be: below the URL that was given, and at the root of its host (RFC 8615).
fn well_known(url: &Url, profiles: &[Arc<Profile>]) -> Vec<Url> {
    let mut paths: Vec<&str> = Vec::new();
    for path in profiles.iter().rev().flat_map(|profile| &profile.facts.card.well_known) {
        if !paths.contains(&path.as_str()) {
            paths.push(path);
        }
    }
    let mut places = Vec::new();
    for base in [url.path().trim_end_matches('/'), ""] {
        for path in &paths {
            let mut place = url.clone();
            place.set_query(None);
            place.set_fragment(None);
            place.set_path(&format!("{base}{path}"));
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    places
}

async fn fetch(http: &Http, places: &[Url]) -> Result<(Url, Document), DiscoveryError> {
    let mut tried = Vec::new();
    let mut first_error = None;
    for place in places {
        let exchange = http.fetch("GET", place.as_str(), &[], "discovery").await;
        let Some(response) = &exchange.response else {
            let how = crate::judge::describe_end(&exchange.ended);
            return Err(DiscoveryError::Unreachable { url: place.to_string(), how });
        };
        match &exchange.ended {
            Ended::Endless(Limit::Bytes(limit)) => {
                return Err(DiscoveryError::TooLarge { place: place.to_string(), limit: *limit });
            }
            Ended::Complete => {}
            other => {
                let how = crate::judge::describe_end(other);
                return Err(DiscoveryError::Unreachable { url: place.to_string(), how });
            }
        }
        if response.status != 200 {
            tried.push(format!("{place} answers with HTTP {}", response.status));
            continue;
        }
        match parse(place.as_str(), &response.body) {
            Ok(document) => return Ok((place.clone(), document)),
            // Another place may hold the card that this one should.
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error.unwrap_or(DiscoveryError::NoCard { tried }))
}

fn parse(place: &str, bytes: &[u8]) -> Result<Document, DiscoveryError> {
    let document = json::parse(bytes, &json::Limits::default()).map_err(|error| match error.kind {
        JsonErrorKind::TooLarge { .. } => {
            DiscoveryError::TooLarge { place: place.to_owned(), limit: json::Limits::default().bytes }
        }
        _ => DiscoveryError::NotJson {
            place: place.to_owned(),
            error,
            text: String::from_utf8_lossy(bytes).into_owned(),
        },
    })?;
    match document.root().as_object() {
        Some(_) => Ok(document),
        None => Err(DiscoveryError::NotAnObject { place: place.to_owned(), found: describe(document.root()) }),
    }
}

/// What a JSON text is, for someone who expects an object.
fn describe(node: &json::Node) -> String {
    match &node.kind {
        json::Kind::Array(_) => "a list".to_owned(),
        json::Kind::Null => "null".to_owned(),
        json::Kind::String(_) => "a string".to_owned(),
        _ => node.describe(),
    }
}

/// One interface as a card declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Declared {
    url: String,
    binding: String,
    version: String,
    tenant: Option<String>,
    /// The profile in whose place it stands.
    place: String,
}

fn read(
    url: &Url,
    place: CardPlace,
    shown: &str,
    document: &Document,
    profiles: &[Arc<Profile>],
    wanted: &[String],
) -> Discovered {
    let card = document.value();
    let mut declared: Vec<Declared> = Vec::new();
    for interface in profiles.iter().rev().flat_map(|profile| declarations(&card, profile, false)) {
        // Places that versions share belong to the newest.
        if !declared.iter().any(|known| Declared { place: interface.place.clone(), ..known.clone() } == interface) {
            declared.push(interface);
        }
    }
    if declared.is_empty() {
        let of_profile = |profile: &Arc<Profile>| declarations(&card, profile, true);
        let is_wanted = |profile: &&Arc<Profile>| wanted.is_empty() || wanted.iter().any(|name| name == profile.name());
        let mut found = profiles.iter().rev().filter(is_wanted).map(of_profile).filter(|found| !found.is_empty());
        declared = if wanted.is_empty() { found.next().unwrap_or_default() } else { found.flatten().collect() };
    }
    let mut endpoints: Vec<Endpoint> = Vec::new();
    let mut shown_interfaces = Vec::new();
    for interface in declared {
        // Cards that serve several versions say the same thing in the words of each.
        let known = |known: &Endpoint| {
            (&known.url, &known.tenant) == (&interface.url, &interface.tenant)
                && known.profile.is_declared_as(&interface.version)
                && known
                    .profile
                    .facts
                    .bindings
                    .get(&known.binding)
                    .is_some_and(|facts| facts.declared_as == interface.binding)
        };
        if endpoints.iter().any(known) {
            continue;
        }
        let found = endpoint(&interface, &endpoints, &place, profiles).map(|endpoint| {
            let own = endpoint.dialect.for_card(&card).map(Arc::new);
            Endpoint { dialect: own.unwrap_or_else(|| Arc::clone(&endpoint.dialect)), ..endpoint }
        });
        let profile = profile_of(&interface, profiles);
        shown_interfaces.push(InterfaceInfo {
            url: interface.url,
            binding: interface.binding,
            version: interface.version,
            profile: profile.map(|profile| profile.name().to_owned()),
            skipped: found.as_ref().err().cloned(),
            note: found.as_ref().ok().and_then(note),
            form: None,
            lost: None,
        });
        endpoints.extend(found.ok());
    }
    let capabilities = profiles.iter().map(|profile| {
        let pointers = profile.facts.card.capabilities.iter();
        let declared = pointers.filter(|(_, pointer)| card.pointer(pointer) == Some(&Value::Bool(true)));
        (profile.name().to_owned(), declared.map(|(capability, _)| *capability).collect())
    });
    let extensions = profiles.iter().rev().find_map(|profile| card.pointer(&profile.facts.card.extensions));
    Discovered {
        info: TargetInfo {
            url: url.to_string(),
            card: Some(shown.to_owned()),
            name: card.get("name").and_then(Value::as_str).map(str::to_owned),
            interfaces: shown_interfaces,
        },
        place,
        capabilities: capabilities.collect(),
        extensions: extensions.cloned().unwrap_or_default(),
        flaws: flaws(document, &card, &endpoints, profiles),
        endpoints,
    }
}

/// The interfaces that a card declares in the places of a version.
fn declarations(card: &Value, profile: &Profile, by_default: bool) -> Vec<Declared> {
    let places = profile.facts.card.interfaces.iter();
    let declared = places.flat_map(|facts| interfaces(card, facts, by_default));
    declared.map(|declared| Declared { place: profile.name().to_owned(), ..declared }).collect()
}

/// The profile that an interface means: of those that spell its version just so, or else allow it, that of its place, since
/// two may have one number, or the newest.
fn profile_of<'a>(declared: &Declared, profiles: &'a [Arc<Profile>]) -> Option<&'a Arc<Profile>> {
    let allow: Vec<_> = profiles.iter().filter(|profile| profile.is_declared_as(&declared.version)).collect();
    let spell: Vec<_> =
        allow.iter().filter(|profile| profile.facts.declared_as.contains(&declared.version)).copied().collect();
    let of_version = if spell.is_empty() { allow } else { spell };
    let of_place = of_version.iter().find(|profile| profile.name() == declared.place);
    of_place.or(of_version.last()).copied()
}

/// The interfaces that a place of the card declares: those that say their version, or with `by_default` those that mean
/// the version that goes without saying.
fn interfaces(card: &Value, facts: &InterfaceFacts, by_default: bool) -> Vec<Declared> {
    let at = |holder: &Value, place: &str| {
        let value = if place.starts_with('/') { card.pointer(place) } else { holder.get(place) };
        value.and_then(Value::as_str).map(str::to_owned)
    };
    let read = |holder: &Value| {
        Some(Declared {
            url: at(holder, &facts.url)?,
            binding: at(holder, &facts.binding).or_else(|| facts.default_binding.clone())?,
            version: match facts.version.as_ref().and_then(|version| at(holder, version)) {
                None if by_default => facts.default_version.clone()?,
                version => version?,
            },
            tenant: facts.tenant.as_ref().and_then(|tenant| at(holder, tenant)).filter(|tenant| !tenant.is_empty()),
            place: String::new(),
        })
    };
    facts.items(card).into_iter().filter_map(|(_, holder)| read(holder)).collect()
}

/// The endpoint of a declared interface, or why it cannot be checked.
fn endpoint(
    declared: &Declared,
    known: &[Endpoint],
    place: &CardPlace,
    profiles: &[Arc<Profile>],
) -> Result<Endpoint, String> {
    let profile = profile_of(declared, profiles).ok_or_else(|| {
        let known: Vec<&str> = profiles.iter().map(|profile| profile.name()).collect();
        format!("A2A {} is not checked, only {}", declared.version, join(&known))
    })?;
    let binding = profile
        .facts
        .bindings
        .iter()
        .find(|(_, facts)| facts.declared_as == declared.binding)
        .map(|(binding, _)| *binding)
        .ok_or_else(|| format!("{} is a binding that the suite does not know", declared.binding))?;
    let card_is_secret = matches!(place, CardPlace::Url(card) if card.starts_with("https:"));
    let tls = (!declared.url.contains("://") && card_is_secret).then_some(true);
    let url = match binding {
        Binding::Grpc => Address::parse(&declared.url, tls).map(|_| declared.url.clone())?,
        Binding::Jsonrpc | Binding::HttpJson => http_url(declared, place)?,
    };
    if let Some(twin) = known.iter().find(|known| known.profile.name() == profile.name() && known.binding == binding) {
        return Err(format!("{} is checked for the same version and binding", twin.url));
    }
    let endpoint = Endpoint::new(profile, binding, url)
        .ok_or_else(|| format!("A2A {} has no form for the binding {binding}", profile.name()))?;
    Ok(Endpoint { tls, tenant: declared.tenant.clone(), ..endpoint })
}

/// What of the URL of an interface is of no use, if anything.
fn note(endpoint: &Endpoint) -> Option<String> {
    let address = match endpoint.binding {
        Binding::Grpc => Address::parse(&endpoint.url, endpoint.tls).ok()?,
        Binding::Jsonrpc | Binding::HttpJson => return None,
    };
    address.path.map(|path| format!("the path {path} of its URL is ignored, since the paths of gRPC begin at the root"))
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

/// In what the card breaks the schema of each profile that it serves.
fn flaws(document: &Document, card: &Value, endpoints: &[Endpoint], profiles: &[Arc<Profile>]) -> Option<Flaws> {
    let mut found = Vec::new();
    let serves = |profile: &&Arc<Profile>| endpoints.iter().any(|endpoint| endpoint.profile.name() == profile.name());
    for profile in profiles.iter().filter(serves) {
        for violation in profile.card_violations(card) {
            let profile = profile.name().to_owned();
            found.push(Flaw { profile, pointer: violation.pointer, message: format!("expected {}", violation.wanted) });
        }
    }
    (!found.is_empty()).then(|| Flaws { document: document.clone(), found })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The versions and bindings of the interfaces that can be checked of an agent with this card.
    fn found(card: &Value, wanted: &[&str]) -> Vec<String> {
        let profiles = crate::profile::bundled().unwrap();
        let url = Url::parse("http://agent.example/").unwrap();
        let place = CardPlace::Url("http://agent.example/.well-known/agent.json".to_owned());
        let wanted: Vec<String> = wanted.iter().map(|name| (*name).to_owned()).collect();
        let found = read(&url, place, "the card", &Document::of_value(card), &profiles, &wanted);
        let spell = |endpoint: &Endpoint| format!("{} {}", endpoint.profile.name(), endpoint.binding);
        found.endpoints.iter().map(spell).collect()
    }

    #[test]
    fn a_card_without_a_version_is_of_the_newest_that_needs_none_or_of_the_one_that_is_wanted() {
        let card = json!({ "url": "http://agent.example/a2a" });
        assert_eq!(found(&card, &[]), ["0.2.5 jsonrpc"]);
        assert_eq!(found(&card, &["0.2.1"]), ["0.2.1 jsonrpc"]);
        assert_eq!(found(&card, &["1.0"]), [""; 0]);
        let elsewhere = json!({
            "url": "http://agent.example/a", "preferredTransport": "GRPC",
            "additionalInterfaces": [{ "url": "http://agent.example/b", "transport": "JSONRPC" }],
        });
        assert_eq!(found(&elsewhere, &[]), ["0.2.5 jsonrpc"]);
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
    fn a_card_below_the_url_comes_before_that_of_its_host() {
        let profiles = crate::profile::bundled().unwrap();
        let places = well_known(&Url::parse("http://agent.example/0.2.5/").unwrap(), &profiles);
        let paths: Vec<&str> = places.iter().map(Url::path).collect();
        let wanted = ["/0.2.5/.well-known/agent-card.json", "/0.2.5/.well-known/agent.json"];
        assert_eq!(paths[..2], wanted);
        assert_eq!(paths[2..], ["/.well-known/agent-card.json", "/.well-known/agent.json"]);
    }

    #[test]
    fn what_an_agent_takes_is_what_its_requests_name() {
        let profiles = crate::profile::bundled().unwrap();
        let card = json!({ "url": "http://agent.example/a2a", "defaultOutputModes": ["image/png"] });
        let url = Url::parse("http://agent.example/").unwrap();
        let found = read(&url, CardPlace::Missing, "", &Document::of_value(&card), &profiles, &[]);
        let dialect = &found.endpoints.first().unwrap().dialect;
        let sent = dialect.to_wire("SendMessageConfiguration", &json!({ "returnImmediately": true }));
        assert_eq!(sent, json!({ "blocking": false, "acceptedOutputModes": ["image/png"] }));
    }
}
