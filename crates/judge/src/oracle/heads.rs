//! No value of a request stands in the head of an answer (RFC 9110, section 5.5): who writes line ends there writes fields of its own.

use std::collections::BTreeSet;

use serde_json::Value;

use super::args::Nothing;
use super::{judged_apart, violates};
use crate::finding::{Finding, Kind};
use crate::reason::Reason;
use crate::{Judged, Judgement, RunView};

/// What `heads` asserts: no text makes a field, and none stands in one.
pub(super) const HEADS: &[&str] = &["split", "reflected"];

/// The name of a field that no agent has: texts of requests try to make one.
pub const SPLIT: &str = "a2aspec-split";
/// How long a text is at least that does not stand anywhere by chance.
const LEAST: usize = 12;
/// Fields that repeat what they are about: addresses, media types, and the message of an error.
const MAY_REPEAT: [&str; 6] =
    ["location", "content-location", "link", "grpc-message", "grpc-status-details-bin", "content-type"];
/// Places of content, of webhooks and of secrets, which are no matter for heads, and of what leads to a page, which the head names as the next one if at
/// all.
const CONTENT: [&str; 10] = [
    "/url",
    "/configuration/taskPushNotificationConfig/url",
    "/message/parts",
    "/message/metadata",
    "/metadata",
    "/pageToken",
    "/token",
    "/authentication",
    "/configuration/taskPushNotificationConfig/token",
    "/configuration/taskPushNotificationConfig/authentication",
];

/// Places of names. An agent may repeat one that looks like a name; no agent has one that looks otherwise.
const NAMES: [&str; 3] = ["/tenant", "/contextId", "/message/contextId"];
/// How much of a text tells it from others.
const BEGINNING: usize = 40;

/// Whether a character is one of those of which people and programs make names.
fn is_of_a_name(one: char) -> bool {
    one.is_ascii_alphanumeric() || "-_.:/@".contains(one)
}

/// What a field can hold of a text (RFC 9110, section 5.5).
fn visible_in(text: &str) -> String {
    text.chars().filter(|one| (' '..='~').contains(one)).collect()
}

/// The beginning of that: whoever repeats a long text may cut it.
fn visible(text: &str) -> String {
    visible_in(text).trim().chars().take(BEGINNING).collect::<String>().trim_end().to_owned()
}

/// Each answer has a head of the agent's own.
pub(super) fn heads(view: RunView<'_>, _: &Nothing) -> Judged {
    let mut held = BTreeSet::new();
    let mut findings = Vec::new();
    for answer in view.answers.iter().chain(view.beside) {
        let Some(response) = &answer.exchange.response else { continue };
        held.extend(HEADS);
        let number = answer.exchange.number;
        let fields = || response.headers.iter().chain(&response.trailers);
        if let Some((name, value)) = fields().find(|(name, _)| name.eq_ignore_ascii_case(SPLIT)) {
            let finding = Finding::new(Kind::HeadSplit).in_exchange(number);
            findings.push(violates("split", finding.compare("fields of the agent's own", format!("{name}: {value}"))));
            continue;
        }
        let params = &answer.exchange.request.params;
        let mut sent = BTreeSet::new();
        CONTENT.iter().filter_map(|place| params.pointer(place)).for_each(|value| texts(value, &mut sent));
        let names = NAMES.iter().filter_map(|place| params.pointer(place)?.as_str());
        sent.extend(names.map(visible).filter(|name| name.len() >= LEAST && !name.chars().all(is_of_a_name)));
        let repeats = |value: &str| {
            let value = visible_in(value);
            sent.iter().find(|text| value.contains(text.as_str())).cloned()
        };
        let own = fields().filter(|(name, _)| !MAY_REPEAT.contains(&name.as_str()));
        let found = own.filter_map(|(name, value)| Some((name, value, repeats(value)?))).next();
        if let Some((name, value, text)) = found {
            let finding = Finding::new(Kind::HeadReflects { name: name.clone() }).in_exchange(number);
            let wanted = format!("a value without {}", Value::from(text));
            findings.push(violates("reflected", finding.compare(wanted, value.clone())));
        }
    }
    match held.is_empty() {
        true => Judgement::Unseen(Reason::run_saw_no("answer")).into(),
        false => judged_apart(held, findings),
    }
}

/// The long texts in a value.
fn texts(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            found.extend(Some(visible(text)).filter(|text| text.len() >= LEAST));
        }
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(members) => {
            let content = members.iter().filter(|(name, _)| !["mediaType", "url"].contains(&name.as_str()));
            content.for_each(|(_, member)| texts(member, found));
        }
        _ => {}
    }
}
