//! Data of an extension, in the metadata of what an agent makes: its messages and artifacts (1.0 sections 4.1.4, 4.1.7 and 4.6).

use std::collections::BTreeMap;

use serde_json::Value;

use super::args::{ExtensionData, ExtensionKeys, JsonSchema, Some as AtLeastOne, Step};
use super::judgement_of;
use super::sent::payloads;
use super::tasks::first_few;
use crate::finding::{Finding, Kind, show, show_found};
use crate::matcher::same;
use crate::reason::Reason;
use crate::transcript::Payload;
use crate::wire::json::pointer;
use crate::{CaseView, Judgement};

/// Some message of the agent, or some artifact, has the data.
pub(super) fn there(view: CaseView<'_>, args: &ExtensionKeys) -> Judgement {
    judgement_of((|| {
        let made = made(view, &args.of, &args.keys)?;
        let has_data = made.iter().any(|one| !one.data.is_empty());
        let finding = made.last().filter(|_| !has_data).map(|last| {
            let finding = Finding::new(Kind::ExtensionDataMissing);
            last.cite(finding.compare(args.keys.join(" or "), show_found(last.metadata)), "/metadata")
        });
        Ok(Judgement::of(finding.into_iter().collect()))
    })())
}

/// The data have the form that the specification of the extension gives.
pub(super) fn data(view: CaseView<'_>, args: &ExtensionData) -> Judgement {
    judgement_of((|| {
        let schemas = args.schema.compiled();
        let made = made(view, &args.of, &args.keys)?;
        let mut data = made.iter().flat_map(|one| one.data.iter().map(move |data| (one, data))).peekable();
        if data.peek().is_none() {
            return Err(Judgement::Unseen(Reason::run_saw_no("data of the extension")));
        }
        let findings = data.flat_map(|(one, (key, value))| {
            schemas.violations(JsonSchema::NAME, value).into_iter().map(move |violation| {
                let (place, at) = (violation.place(), violation.pointer);
                let found = value.pointer(&at).filter(|_| violation.missing.is_none());
                let wanted = args.expected.clone().filter(|_| at.is_empty()).unwrap_or(violation.wanted);
                let kind = Kind::ExtensionData { place: pointer::shown(&place).to_owned(), condition: wanted.clone() };
                let finding = Finding::new(kind).compare(wanted, show_found(found));
                one.cite(finding, &format!("{}{at}", in_metadata(key)))
            })
        });
        Ok(Judgement::of(first_few(findings)))
    })())
}

/// The data of one message or artifact are the same at each reading.
pub(super) fn kept(view: CaseView<'_>, args: &ExtensionKeys) -> Judgement {
    judgement_of((|| {
        let made = made(view, &args.of, &args.keys)?;
        let mut first: BTreeMap<(&str, &str), (&Made<'_>, &Value)> = BTreeMap::new();
        let (mut is_seen_again, mut findings) = (false, Vec::new());
        for (one, (key, value)) in made.iter().flat_map(|one| one.data.iter().map(move |data| (one, *data))) {
            let Some((before, known)) = first.get(&(one.id, key)) else {
                first.insert((one.id, key), (one, value));
                continue;
            };
            is_seen_again |= before.exchange != one.exchange;
            if !same(known, value) {
                let finding = Finding::new(Kind::ExtensionDataDiffers).compare(show(known), show(value));
                findings.push(one.cite(finding.against(before.exchange), &in_metadata(key)));
            }
        }
        match is_seen_again {
            true => Ok(Judgement::of(first_few(findings.into_iter()))),
            false => Err(Judgement::Unseen(Reason::run_saw_no("data of the extension twice"))),
        }
    })())
}

/// Where the data under a key are, below what has them.
fn in_metadata(key: &str) -> String {
    let mut at = "/metadata".to_owned();
    pointer::push(&mut at, key);
    at
}

/// A message of the agent or an artifact, with the data of an extension that it has, by their keys.
struct Made<'a> {
    id: &'a str,
    exchange: u64,
    payload: &'a Payload,
    event: Option<usize>,
    place: String,
    metadata: Option<&'a Value>,
    data: Vec<(&'a str, &'a Value)>,
}

impl Made<'_> {
    /// A finding with its place in it.
    fn cite(&self, finding: Finding, at: &str) -> Finding {
        let finding = finding.at(self.exchange, self.payload.locate(&format!("{}{at}", self.place)));
        Finding { event: self.event, ..finding }
    }
}

/// What the agent made, in the answers of the steps.
fn made<'a>(view: CaseView<'a>, steps: &AtLeastOne<Step>, keys: &'a [String]) -> Result<Vec<Made<'a>>, Judgement> {
    let mut all = Vec::new();
    for name in steps.names() {
        for answer in view.step(name)?.seen.answers() {
            for (payload, event) in payloads(answer) {
                let mut places = Vec::new();
                places_of(&payload.reading.value, &mut String::new(), &mut places);
                all.extend(places.into_iter().map(|(place, object)| {
                    let metadata = object.get("metadata");
                    let of = |key: &'a String| Some((key.as_str(), metadata?.get(key)?));
                    let data = keys.iter().filter_map(of).collect();
                    let id = ["artifactId", "messageId"].into_iter().find_map(|name| object.get(name)?.as_str());
                    let (id, exchange) = (id.unwrap_or_default(), answer.exchange.number);
                    Made { id, exchange, payload, event, place, metadata, data }
                }));
            }
        }
    }
    match all.is_empty() {
        true => Err(Judgement::Unseen(Reason::run_saw_no("message of the agent and no artifact"))),
        false => Ok(all),
    }
}

/// The messages of the agent and the artifacts in a value; parts and metadata hold what others choose.
fn places_of<'a>(value: &'a Value, place: &mut String, found: &mut Vec<(String, &'a Value)>) {
    let is_of_the_agent = value.get("role").and_then(Value::as_str) == Some("ROLE_AGENT");
    if value.get("artifactId").is_some() || (value.get("messageId").is_some() && is_of_the_agent) {
        found.push((place.clone(), value));
    }
    let length = place.len();
    let mut within = |name: &str, inner: &'a Value| {
        pointer::push(place, name);
        places_of(inner, place, found);
        place.truncate(length);
    };
    match value {
        Value::Object(members) => {
            let known = members.iter().filter(|(name, _)| !matches!(name.as_str(), "metadata" | "parts"));
            known.for_each(|(name, inner)| within(name, inner));
        }
        Value::Array(items) => items.iter().enumerate().for_each(|(index, item)| within(&index.to_string(), item)),
        _ => {}
    }
}
