//! Finds the agent's card, and reads it as JSON.

use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;
use url::Url;

use super::remedy::{self, Remedy, with_scheme};
use crate::files;
use crate::interface::CardPlace;
use crate::profile::Profile;
use crate::transcript::{Ended, Limit, TransportError};
use crate::transport::http::Http;
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

/// A card, and where it is.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// For the cases that fetch it.
    pub place: CardPlace,
    /// For people.
    pub shown: String,
    /// What it says.
    pub document: Document,
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
        /// Whether there is nobody at all: nothing listens there, or the host has no address.
        is_nowhere: bool,
        /// What helps.
        remedy: Remedy,
    },
    /// No card at any of the places.
    #[error("there is no agent card at any of its places\n  {}", .tried.join("\n  "))]
    NoCard {
        /// Each place with what was found there.
        tried: Vec<String>,
        /// What helps.
        remedy: Remedy,
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
    /// The suite cannot make connections as it must.
    #[error("connections cannot be made: {0}")]
    Client(String),
}

impl DiscoveryError {
    /// Why there is no card that can be used, on one line.
    pub(crate) fn in_short(&self) -> String {
        match self {
            Self::Unreachable { url, how, .. } => format!("the card at {url} cannot be fetched: {how}"),
            Self::NoCard { tried, .. } => format!("there is none: {}", tried.join("; ")),
            other => other.to_string(),
        }
    }
}

/// Looks for the card of the agent at `url`.
///
/// # Errors
/// [`DiscoveryError`]: the agent's faults, or the user's.
pub(crate) async fn find(
    http: &Http,
    url: &Url,
    lookup: &Lookup,
    profiles: &[Arc<Profile>],
) -> Result<Found, DiscoveryError> {
    let places = match lookup {
        Lookup::File(path) => {
            let shown = path.display().to_string();
            let bytes = files::bytes(path, files::LONGEST)
                .map_err(|error| DiscoveryError::File { file: shown.clone(), error })?;
            let document = parse(&shown, &bytes)?;
            return Ok(Found { place: CardPlace::File(path.clone()), shown, document });
        }
        Lookup::Url(card) => vec![card.clone()],
        Lookup::WellKnown => well_known(url, profiles),
    };
    let (card, document) = fetch(http, &places).await?;
    Ok(Found { place: CardPlace::Url(card.to_string()), shown: card.to_string(), document })
}

/// The places where a card may be: below the URL that was given, and at the root of its host (RFC 8615). A URL of a JSON file is that of
/// a card itself: frameworks with several agents behind one host have them at `/.well-known/ID/agent-card.json`.
fn well_known(url: &Url, profiles: &[Arc<Profile>]) -> Vec<Url> {
    let mut paths: Vec<&str> = Vec::new();
    for path in profiles.iter().rev().flat_map(|profile| &profile.facts.card.well_known) {
        if !paths.contains(&path.as_str()) {
            paths.push(path);
        }
    }
    let mut places = Vec::new();
    if url.path().ends_with(".json") {
        places.push(url.clone());
    }
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
    let mut refused = Vec::new();
    let mut first_error = None;
    for place in places {
        let exchange = http.fetch("GET", place.as_str(), &[], "discovery").await;
        let Some(response) = &exchange.response else {
            return Err(unreachable(http, place, &exchange.ended).await);
        };
        match &exchange.ended {
            Ended::Endless(Limit::Bytes(limit)) => {
                return Err(DiscoveryError::TooLarge { place: place.to_string(), limit: *limit });
            }
            Ended::Complete => {}
            other => return Err(unreachable(http, place, other).await),
        }
        if response.status != 200 {
            // Who follows a redirect goes where the user has not sent it, and maybe out of TLS.
            let location = response.header("location").filter(|_| (300..400).contains(&response.status));
            let elsewhere = location.map(|to| format!(", a redirect to {to:?}, which is not followed"));
            refused.push((response.status, location.and_then(|to| place.join(to).ok())));
            tried.push(format!("{place} answers with HTTP {}{}", response.status, elsewhere.unwrap_or_default()));
            continue;
        }
        match parse(place.as_str(), &response.body) {
            Ok(document) => return Ok((place.clone(), document)),
            // Another place may hold the card that this one should.
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error.unwrap_or_else(|| DiscoveryError::NoCard { tried, remedy: Remedy::of_refusals(&refused) }))
}

async fn unreachable(http: &Http, place: &Url, ended: &Ended) -> DiscoveryError {
    let is_nowhere = matches!(ended, Ended::Failed(TransportError::Refused | TransportError::UnknownHost));
    let mut remedy = Remedy::of_failure(place, ended);
    // A port of TLS answers plain HTTP by closing the connection, or with bytes of its own.
    if let (Remedy::Start, "http", false, Some(other)) =
        (&remedy, place.scheme(), is_nowhere, with_scheme(place, "https"))
    {
        let exchange = http.fetch("GET", other.as_str(), &[], "discovery").await;
        if exchange.response.is_some() || remedy::is_tls(&exchange.ended) {
            remedy = Remedy::OtherScheme(remedy::origin(&other));
        }
    }
    DiscoveryError::Unreachable { url: place.to_string(), how: ended.to_string(), is_nowhere, remedy }
}

/// Reads a card.
///
/// # Errors
/// It is no JSON object, or too large.
pub(crate) fn parse(place: &str, bytes: &[u8]) -> Result<Document, DiscoveryError> {
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

#[cfg(test)]
mod tests {
    use super::*;

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
    fn the_url_of_a_card_is_looked_at_first() {
        let profiles = crate::profile::bundled().unwrap();
        let card = Url::parse("http://agent.example/.well-known/poet/agent-card.json").unwrap();
        assert_eq!(well_known(&card, &profiles).first(), Some(&card));
    }
}
