//! Many cards at once: in what their agents are in each other's way, and which of their addresses cannot be connected to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use futures_util::{StreamExt as _, stream};
use serde_json::Value;

use super::{Card, Failure};
use crate::binding::grpc::Address;
use crate::diagnostic::words::{count_as, list, one_line};
use crate::discovery::lock::Lock;
use crate::files;
use crate::transport::http::Http;

/// How many connections are made at once.
const AT_ONCE: usize = 16;

/// The cards of places: a folder stands for its JSON files.
///
/// # Errors
/// A folder cannot be read, or has none.
pub(super) fn places(named: &[String]) -> Result<Vec<String>, Failure> {
    let mut all = Vec::new();
    for place in named {
        let unreadable = |error| Failure::usage(format!("the folder {place} cannot be read: {error}"));
        let mut files = files::at(Path::new(place), ".json").map_err(unreadable)?;
        files.retain(|file| !file.is_dir());
        if files.is_empty() {
            return Err(Failure::usage(format!("the folder {place} has no card: a card is a file that ends in .json")));
        }
        all.extend(files.iter().map(|file| file.display().to_string()));
    }
    Ok(all)
}

/// Cards, each of one agent. Cards with the same name are of the same agent.
#[derive(Default)]
pub(super) struct Fleet {
    members: Vec<Member>,
}

/// A card.
struct Member {
    place: String,
    agent: String,
    offers: Lock,
    http: Http,
}

impl Fleet {
    pub fn add(&mut self, card: Card) -> Result<(), Failure> {
        let offers = super::lock::of(&card)?;
        let agent = card.parsed().get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        self.members.push(Member { place: card.shown, agent, offers, http: card.http });
        Ok(())
    }

    /// How many cards there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// What two agents have that only one can have, a sentence each: who looks for one of them by it finds the other, too.
    pub fn conflicts(&self) -> Vec<String> {
        let owners = self.by(|offers| {
            let skills = offers.skills.keys().map(|id| format!("the skill {id:?}"));
            skills.chain(offers.interfaces.iter().map(ToString::to_string)).collect()
        });
        let agents = |members: &[&Member]| members.iter().map(|it| &it.agent).collect::<BTreeSet<_>>().len();
        let shared = owners.into_iter().filter(|(_, members)| agents(members) > 1);
        let conflict = |(what, members): (String, Vec<&Member>)| {
            let places: Vec<String> =
                members.iter().map(|member| format!("{} ({})", member.agent, member.place)).collect();
            format!("{what} is in the cards of several agents: {}", list(&places))
        };
        shared.map(conflict).collect()
    }

    /// The addresses of interfaces to which no connection can be made, a sentence each. Nothing is sent over a connection.
    pub async fn unreached(&self) -> Vec<String> {
        let places = self.by(|offers| {
            let urls = offers.interfaces.iter().map(|interface| &interface.url);
            // What is no address is wrong in the card itself.
            urls.filter_map(|url| Some(Address::parse(url, None).ok()?.to_string())).collect()
        });
        let tried = places.into_iter().map(async |(address, members)| {
            let error = members.first()?.http.connects(&address).await.err()?;
            let places: Vec<String> = members.iter().map(|member| member.place.clone()).collect();
            Some(format!("{address} ({}): {error}", list(&places)))
        });
        stream::iter(tried).buffered(AT_ONCE).filter_map(async |wrong| wrong).collect().await
    }

    /// The cards by what they offer.
    fn by(&self, offered: impl Fn(&Lock) -> BTreeSet<String>) -> BTreeMap<String, Vec<&Member>> {
        let mut by: BTreeMap<String, Vec<&Member>> = BTreeMap::new();
        for member in &self.members {
            for what in offered(&member.offers) {
                by.entry(what).or_default().push(member);
            }
        }
        by
    }
}

/// What is printed of a fleet.
pub(super) fn told(cards: usize, conflicts: &[String], unreached: Option<&[String]>) -> String {
    let lines = |name: &str, all: &[String]| -> String {
        all.iter().map(|one| format!("{name:<11} {}\n", one_line(one))).collect()
    };
    let mut out = lines("CONFLICT", conflicts) + &lines("UNREACHABLE", unreached.unwrap_or_default());
    if !out.is_empty() {
        out.push('\n');
    }
    let mut sums = vec![count_as(conflicts.len(), "conflict", "conflicts")];
    sums.extend(unreached.map(|all| format!("{} that cannot be reached", count_as(all.len(), "address", "addresses"))));
    out.push_str(&format!("{}: {}\n", count_as(cards, "card", "cards"), list(&sums)));
    out
}
