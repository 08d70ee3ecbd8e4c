//! The cards of both sides: addresses, members, signatures, and the headers for caches.

use serde_json::Value;

use super::address::{Place, Places, declared};
use super::difference::Difference;
use super::kind::Kind;
use super::sight::{Lane, Sight};
use crate::diagnostic::words::{count, count_as, list, shorten};
use crate::interface::Agent;
use crate::profile::Profile;
use crate::secrets::Secrets;
use crate::signature::{Canonical, Unknown};
use crate::suite::Suite;
use crate::transcript::Exchange;

/// Headers for caches.
const OF_CACHES: [&str; 3] = ["etag", "last-modified", "cache-control"];
/// Most members of a card that are reported.
const MOST: usize = 12;
/// Longest value of a member that is reported.
const LONGEST: usize = 80;

/// A card as one side serves it.
#[derive(Debug)]
pub(super) struct Served {
    sight: Sight,
    value: Option<Value>,
}

impl Served {
    /// What came for a card.
    pub fn new(exchange: &Exchange, secrets: &Secrets) -> Self {
        let body = exchange.response.as_ref().filter(|response| response.status == 200).map(|response| &response.body);
        let lanes: [Lane; 0] = [];
        Self {
            sight: Sight::of(exchange, &lanes, secrets),
            value: body.and_then(|body| serde_json::from_slice(body).ok()),
        }
    }
}

/// The cards of an agent, as they are served now.
pub(super) async fn served(suite: &Suite) -> Vec<Served> {
    let mut all = Vec::new();
    for url in suite.agent().cards.iter().filter(|card| card.contains("://")) {
        let exchange = suite.http().fetch("GET", url, &[], "the card").await;
        all.push(Served::new(&exchange, suite.secrets()));
    }
    all
}

/// In what the cards differ, and what differs as it should.
pub(super) fn differences(
    direct: &[Served],
    gateway: &[Served],
    places: &Places,
    profiles: &[&Profile],
) -> (Vec<Difference>, Vec<String>) {
    let (mut found, mut notes) = (Vec::new(), Vec::new());
    for (before, after) in direct.iter().zip(gateway) {
        let (Some(was), Some(is)) = (&before.value, &after.value) else { continue };
        members(was, is, places, &mut found, &mut notes);
        found.extend(signature(was, is, profiles));
        found.extend(headers(before, after));
    }
    if gateway.len() < direct.len() {
        let message = format!("{} directly, {} through the gateway", count(direct.len(), "card"), gateway.len());
        found.push(Difference::new(Kind::CardMissing, message));
    }
    (found, notes)
}

/// The interfaces of the gateway's card that lead past the gateway.
pub(super) fn addresses(agent: &Agent, places: &Places) -> Option<Difference> {
    let mut past: Vec<String> = Vec::new();
    let mut to_agent = false;
    for listed in &agent.interfaces {
        let url = declared(&listed.info, listed.interface.as_ref());
        let place = places.of(url);
        if place != Place::Own && !past.contains(&url.to_owned()) {
            past.push(url.to_owned());
            to_agent |= place == Place::Other;
        }
    }
    if past.is_empty() {
        return None;
    }
    let where_to = if to_agent { "to the direct address" } else { "to another host" };
    let message = format!("the card that the gateway serves leads past it, {where_to}");
    past.truncate(MOST);
    Some(Difference::new(Kind::CardAddress, message).between("", list(&past)))
}

/// The members that differ.
fn members(was: &Value, is: &Value, places: &Places, found: &mut Vec<Difference>, notes: &mut Vec<String>) {
    let mut differing = Vec::new();
    walk(was, is, String::new(), &mut differing);
    // Signatures have a kind of their own.
    differing.retain(|(pointer, _, _)| !pointer.starts_with("/signatures"));
    let is_url = |value: Option<&Value>| value.and_then(Value::as_str).is_some_and(|text| text.contains("://"));
    let is_address = |pointer: &str| pointer.ends_with("/url");
    let (rewritten, others): (Vec<_>, Vec<_>) = differing.into_iter().partition(|(pointer, before, after)| {
        let text = after.and_then(Value::as_str).unwrap_or_default();
        (is_url(*before) && is_url(*after) || is_address(pointer) && before.is_some() && after.is_some())
            && places.of(text) == Place::Own
    });
    if !rewritten.is_empty() {
        let number = count_as(rewritten.len(), "address", "addresses");
        notes.push(format!("the card at the gateway has {number} of the gateway instead of the agent's"));
    }
    for (pointer, before, after) in others.into_iter().take(MOST) {
        // `addresses` reports at once all that lead past the gateway.
        if is_address(&pointer) && before.is_some() && after.is_some() {
            continue;
        }
        let message = format!("the card's member {pointer} differs");
        found.push(Difference::new(Kind::CardChanged, message).between(told(before), told(after)));
    }
}

fn told(value: Option<&Value>) -> String {
    value.map_or_else(|| "not there".to_owned(), |value| shorten(&value.to_string(), LONGEST))
}

/// The members in which two values differ, by pointer.
fn walk<'v>(
    was: &'v Value,
    is: &'v Value,
    pointer: String,
    differing: &mut Vec<(String, Option<&'v Value>, Option<&'v Value>)>,
) {
    match (was, is) {
        (Value::Object(was), Value::Object(is)) => {
            for (name, before) in was {
                let below = format!("{pointer}/{name}");
                match is.get(name) {
                    Some(after) => walk(before, after, below, differing),
                    None => differing.push((below, Some(before), None)),
                }
            }
            let added = is.iter().filter(|(name, _)| !was.contains_key(*name));
            differing.extend(added.map(|(name, after)| (format!("{pointer}/{name}"), None, Some(after))));
        }
        (Value::Array(was), Value::Array(is)) if was.len() == is.len() => {
            for (index, (before, after)) in was.iter().zip(is).enumerate() {
                walk(before, after, format!("{pointer}/{index}"), differing);
            }
        }
        _ if was == is => {}
        _ => differing.push((pointer, Some(was), Some(is))),
    }
}

/// A signature that the gateway keeps, over a card that it changes.
fn signature(was: &Value, is: &Value, profiles: &[&Profile]) -> Option<Difference> {
    let signatures =
        |card: &Value| card.get("signatures").filter(|all| all.as_array().is_some_and(|all| !all.is_empty())).cloned();
    let before = signatures(was)?;
    let Some(after) = signatures(is) else {
        let lost = Difference::new(Kind::CardSignature, "the gateway removes the signatures of the card");
        return Some(lost.between("signed", "not signed"));
    };
    if before != after {
        // The gateway signs by itself: whether that is right, the cases about signatures decide.
        return None;
    }
    let signed = |card: &Value| {
        let descriptors = profiles.iter().find(|profile| profile.facts.card.canonical_form)?.descriptors.as_ref()?;
        Some(Canonical::by(descriptors, card, Unknown::LeftOut)?.bytes)
    };
    let is_changed = match (signed(was), signed(is)) {
        (Some(was), Some(is)) => was != is,
        _ => without_signatures(was) != without_signatures(is),
    };
    let message = "the gateway changes the signed card and keeps its signature, which no longer verifies";
    let difference = Difference::new(Kind::CardSignature, message);
    is_changed.then(|| difference.between("the signature is of this card", "the signature is of another card"))
}

fn without_signatures(card: &Value) -> Value {
    let mut card = card.clone();
    if let Some(members) = card.as_object_mut() {
        members.remove("signatures");
    }
    card
}

/// Headers for caches that are lost.
fn headers(before: &Served, after: &Served) -> Vec<Difference> {
    let lost = OF_CACHES.into_iter().filter_map(|name| {
        let value = before.sight.header(name).filter(|_| after.sight.header(name).is_none())?;
        let message = format!("the gateway loses the header {name} of the card");
        let difference = Difference::new(Kind::CardHeader, message).between(value, "not sent");
        Some(difference.shown(Some(before.sight.shown.clone()), Some(after.sight.shown.clone())))
    });
    lost.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use url::Url;

    use super::*;

    fn told(was: &Value, is: &Value) -> (Vec<String>, Vec<String>) {
        let url = |text: &str| Url::parse(text).unwrap();
        let places = Places::new(&url("http://gateway.example"), &url("http://agent.example"), &Agent::default());
        let (mut found, mut notes) = (Vec::new(), Vec::new());
        members(was, is, &places, &mut found, &mut notes);
        found.extend(signature(was, is, &[]));
        (found.into_iter().map(|it| it.message).collect(), notes)
    }

    #[test]
    fn addresses_of_the_gateway_are_no_difference() {
        let card =
            |host: &str| json!({ "supportedInterfaces": [{ "url": format!("http://{host}/rpc") }], "skills": [] });
        let (found, notes) = told(&card("agent.example"), &card("gateway.example"));
        assert_eq!((found.len(), notes.len()), (0, 1));
        assert_eq!(told(&card("agent.example"), &card("agent.example")), (Vec::new(), Vec::new()));
    }

    #[test]
    fn other_members_are() {
        let (found, _) = told(
            &json!({ "capabilities": { "streaming": true }, "skills": [{ "id": "a" }] }),
            &json!({ "capabilities": { "streaming": false }, "skills": [], "x": 1 }),
        );
        let names = ["/capabilities/streaming", "/skills", "/x"];
        assert_eq!(found, names.map(|name| format!("the card's member {name} differs")));
    }

    #[test]
    fn a_signature_is_of_one_card() {
        let card = |name: &str, signature: &str| json!({ "name": name, "signatures": [{ "signature": signature }] });
        assert_eq!(told(&card("a", "s"), &card("a", "s")).0, [""; 0]);
        assert!(told(&card("a", "s"), &card("b", "s")).0.iter().any(|it| it.contains("no longer verifies")));
        assert!(
            told(&card("a", "s"), &json!({ "name": "a" })).0.iter().any(|it| it.contains("removes the signatures"))
        );
    }
}
