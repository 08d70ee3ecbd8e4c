//! Whether two bindings say the same (1.0 section 5.1, 0.3 section 3.4).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::streams::intact;
use super::{pair, settle};
use crate::judge::matcher::same;
use crate::judge::{CaseView, Judgement, describe};
use crate::profile::Profile;
use crate::report::model::{Finding, show};
use crate::transcript::{Answer, ErrorObject, Said};
use crate::wire::base64;
use crate::wire::json::pointer;

/// Two answers are the same: results that are equal in canonical form, or one error. Ids count by where they recur and
/// not by what they are, times and page tokens not at all; over gRPC nothing tells a default from what is not there.
pub(super) fn same_answers(view: CaseView<'_>, args: &Value) -> Judgement {
    settle((|| {
        let (a, b) = pair(args)?;
        let seen = |name: &str| {
            let answer = view.step(name)?.seen.answer();
            answer.ok_or_else(|| Judgement::Unseen(format!("nothing came back for {name}")))
        };
        let (first, second) = (seen(a)?, seen(b)?);
        intact(first)?;
        intact(second)?;
        Ok(Judgement::of(compare(view.profile, first, second)?.into_iter().collect()))
    })())
}

fn compare(profile: &Profile, first: &Answer, second: &Answer) -> Result<Option<Finding>, Judgement> {
    let disagree = |message: &str| {
        let message = format!("{} and {} disagree: {message}", first.binding, second.binding);
        Finding::new(message).in_exchange(second.exchange.number).against(first.exchange.number)
    };
    let expected = || format!("{} as over {} (exchange {})", describe(first), first.binding, first.exchange.number);
    match (first.refusal(), second.refusal()) {
        (Some(one), Some(other)) => {
            let (names, others) = (identity(profile, one), identity(profile, other));
            if names.is_empty() || others.is_empty() {
                return Err(Judgement::Unseen(
                    "an error does not say which it is, so that they cannot be compared".to_owned(),
                ));
            }
            let is_same = names.iter().any(|name| others.contains(name));
            Ok((!is_same).then(|| disagree("they give different errors").compare(expected(), describe(second))))
        }
        (None, None) => {
            let (Said::Result(one), Said::Result(other)) = (&first.said, &second.said) else {
                return Err(Judgement::Unseen(format!(
                    "there are no two results but {} and {}",
                    describe(first),
                    describe(second)
                )));
            };
            let known = profile.member_names();
            let (left, right) = (essence(&known, &one.reading.value), essence(&known, &other.reading.value));
            Ok(difference(&left, &right, String::new()).map(|place| {
                let part = |value: &Value| value.pointer(&place).map_or_else(|| "nothing there".to_owned(), show);
                let (wanted, got) = (part(&one.reading.value), part(&other.reading.value));
                disagree("the same question has different answers")
                    .at(second.exchange.number, other.locate(&place))
                    .compare(format!("{wanted} as over {} (exchange {})", first.binding, first.exchange.number), got)
            }))
        }
        _ => Ok(Some(disagree("one serves what the other refuses").compare(expected(), describe(second)))),
    }
}

/// The errors that an error object can be. A wrong status beside a right reason is for other cases to judge.
fn identity(profile: &Profile, error: &ErrorObject) -> Vec<String> {
    let reason = error.reason(profile.facts.error_domain.as_deref());
    let named = profile.errors_with(|facts| reason.is_some() && facts.reason.as_deref() == reason);
    if named.is_empty() { error.names.clone() } else { named }
}

/// A value without what may differ between two right answers to one question; of members that the version does not know,
/// not every binding can carry any.
fn essence(known: &BTreeSet<String>, value: &Value) -> Value {
    Essence { known, ids: BTreeMap::new() }.of("", value)
}

/// Members whose values are free of form: nothing in them is a default, an id or a time.
const FREE: [&str; 4] = ["metadata", "data", "params", "header"];
/// Members that hold ids.
const IDS: [&str; 5] = ["id", "taskId", "contextId", "messageId", "artifactId"];

struct Essence<'a> {
    /// The names of the members that the version knows.
    known: &'a BTreeSet<String>,
    /// The ids that were met, with the order in which they were.
    ids: BTreeMap<String, usize>,
}

impl Essence<'_> {
    fn of(&mut self, name: &str, value: &Value) -> Value {
        match value {
            Value::Array(items) => items.iter().map(|item| self.of(name, item)).collect(),
            Value::Object(members) => {
                // Any value may be the data of a part; an empty object of any other kind is as good as none.
                let kept = members.iter().filter(|(name, value)| name.as_str() == "data" || !is_default(value));
                let counts = |name: &str| name != "timestamp" && self.known.contains(name);
                // By name, so that ids are met in one order (RFC 8259 section 4: members have none).
                let kept: BTreeMap<&String, &Value> = kept.filter(|(name, _)| counts(name)).collect();
                let mut essence = Map::new();
                for (name, value) in kept {
                    let value = if FREE.contains(&name.as_str()) { value.clone() } else { self.of(name, value) };
                    essence.insert(name.clone(), value);
                }
                Value::Object(essence)
            }
            Value::String(text) if IDS.contains(&name) => {
                let next = self.ids.len();
                Value::from(*self.ids.entry(text.clone()).or_insert(next))
            }
            Value::String(_) if name == "nextPageToken" => Value::from("a token"),
            // Both alphabets of base64 spell the same bytes.
            Value::String(text) if name == "raw" => match base64::decode(text) {
                Ok(bytes) => Value::from(base64::encode(&bytes)),
                Err(_) => value.clone(),
            },
            other => other.clone(),
        }
    }
}

fn is_default(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(true) => false,
    }
}

/// The innermost place at which two values differ first.
fn difference(a: &Value, b: &Value, place: String) -> Option<String> {
    let inner = |name: &str| {
        let mut inner = place.clone();
        pointer::push(&mut inner, name);
        inner
    };
    match (a, b) {
        (Value::Object(xs), Value::Object(ys)) => {
            let shared = xs.iter().find_map(|(name, x)| match ys.get(name) {
                Some(y) => difference(x, y, inner(name)),
                None => Some(inner(name)),
            });
            shared.or_else(|| ys.keys().find(|name| !xs.contains_key(*name)).map(|name| inner(name)))
        }
        (Value::Array(xs), Value::Array(ys)) if xs.len() == ys.len() => {
            xs.iter().zip(ys).enumerate().find_map(|(index, (x, y))| difference(x, y, inner(&index.to_string())))
        }
        _ => (!same(a, b)).then_some(place),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Each row: two values, and where they differ in essence.
    #[test]
    fn what_may_differ_does_not_count() {
        let rows = [
            (json!({"id": "a", "status": {"timestamp": "x"}}), json!({"status": {"timestamp": "y"}, "id": "b"}), None),
            (
                json!({"id": "a", "history": [{"taskId": "a"}]}),
                json!({"id": "b", "history": [{"taskId": "c"}]}),
                Some("/id"),
            ),
            (json!({"id": "a", "contextId": "b"}), json!({"contextId": "b", "id": "a"}), None),
            (json!({"name": "", "parts": [], "final": false}), json!({}), None),
            (json!({"metadata": {"a": ""}}), json!({"metadata": {}}), Some("/metadata")),
            (json!({"metadata": {}, "data": null}), json!({"data": null}), None),
            (json!({"data": null}), json!({}), Some("/data")),
            (json!({"metadata": {"a": 1}}), json!({"metadata": {"a": 1.0}}), None),
            (json!({"parts": [{"raw": "-_8="}]}), json!({"parts": [{"raw": "+/8="}]}), None),
            (json!({"parts": [{"raw": "AAA="}]}), json!({"parts": [{"raw": "AAE="}]}), Some("/parts/0/raw")),
            (json!({"nextPageToken": "x"}), json!({"nextPageToken": "y"}), None),
            (json!({"nextPageToken": "x"}), json!({"nextPageToken": ""}), Some("/nextPageToken")),
            (json!({"artifacts": [{}]}), json!({}), Some("/artifacts")),
            (json!({}), json!({"artifacts": [{}]}), Some("/artifacts")),
            (json!({"state": "A"}), json!({"state": "B"}), Some("/state")),
            (json!({"state": "A", "x-ours": 1}), json!({"state": "A"}), None),
        ];
        let profiles = crate::profile::bundled().unwrap();
        let known = profiles.last().unwrap().member_names();
        for (a, b, place) in rows {
            assert_eq!(
                difference(&essence(&known, &a), &essence(&known, &b), String::new()).as_deref(),
                place,
                "{a} {b}"
            );
        }
    }
}
