//! Whether two bindings say the same (1.0 section 5.1, 0.3 section 3.4).

use std::collections::BTreeSet;

use serde_json::Value;

use super::args::{Compared, Pair, Task};
use super::judgement_of;
use super::streams::intact;
use crate::expectation::before_the_agent;
use crate::finding::{Finding, Kind, show_found};
use crate::matcher::same;
use crate::profile::facts::Naming;
use crate::profile::{Binding, Profile};
use crate::reason::Reason;
use crate::transcript::{Answer, Content, ErrorObject};
use crate::wire::base64;
use crate::wire::json::pointer;
use crate::{CaseView, Judgement, describe};

/// Two answers about one stored thing are the same: results that are equal in canonical form, or one error. The order of
/// members, the precision of times and the text of page tokens do not count; over gRPC nothing tells a default from what
/// is not there. Things that are made anew each time have ids of their own and are no matter for this oracle. Where the agent
/// answers a repeated request otherwise over one binding, a difference is none of the bindings.
pub(super) fn same_answers(view: CaseView<'_>, args: &Compared) -> Judgement {
    judgement_of((|| {
        let seen = |name: &str| {
            let answer = view.step(name)?.seen.answer();
            answer.ok_or_else(|| Judgement::Unseen(Reason::NothingOf { step: name.to_owned() }))
        };
        let (first, second) = (seen(&args.first)?, seen(&args.second)?);
        let again = args.again.as_ref().map(|again| seen(again)).transpose()?;
        for answer in [first, second].into_iter().chain(again) {
            intact(answer)?;
            if let Some((_, label)) = before_the_agent(answer) {
                return Err(Judgement::Unseen(Reason::BarredBefore { label }));
            }
        }
        if let Some(again) = again
            && compare(view.profile, first, again)?.is_some()
        {
            return Err(Judgement::Unseen(Reason::DiffersFromItself));
        }
        Ok(Judgement::of(compare(view.profile, first, second)?.into_iter().collect()))
    })())
}

/// Two readings of a task have the same time of its status, to the second, or none: in the older versions not every form carries
/// what else could be compared.
pub(super) fn same_time(view: CaseView<'_>, args: &Pair<Task>) -> Judgement {
    judgement_of((|| {
        let Pair(a, b) = args;
        let time = |name: &str| view.task(name).map(|task| task.pointer("/status/timestamp"));
        let (wanted, got) = (time(a)?, time(b)?);
        let is_same = match (wanted, got) {
            (None, None) => return Err(Judgement::Unseen(Reason::TooFewTimestamps)),
            (Some(wanted), Some(got)) => is_about(wanted, got),
            _ => false,
        };
        let finding = Finding::new(Kind::TimesDiffer).compare(show_found(wanted), show_found(got));
        let finding = view.cite(finding, b, "/status/timestamp");
        Ok(if is_same { Judgement::Right } else { Judgement::Wrong(vec![finding]) })
    })())
}

fn compare(profile: &Profile, first: &Answer, second: &Answer) -> Result<Option<Finding>, Judgement> {
    let bindings = || (first.binding.to_string(), second.binding.to_string());
    let disagree = |kind: Kind| Finding::new(kind).in_exchange(second.exchange.number).against(first.exchange.number);
    let expected = || format!("{} as over {} (exchange {})", describe(first), first.binding, first.exchange.number);
    match (first.refusal(), second.refusal()) {
        (Some(one), Some(other)) => {
            let (names, others) = (identity(profile, first, one), identity(profile, second, other));
            if names.is_empty() || others.is_empty() {
                return Err(Judgement::Unseen(Reason::ErrorUnnamed));
            }
            let is_same = names.iter().any(|name| others.contains(name));
            Ok((!is_same).then(|| {
                let (first, second_binding) = bindings();
                let kind = Kind::ErrorsDisagree { first, second: second_binding };
                disagree(kind).compare(expected(), describe(second))
            }))
        }
        (None, None) => {
            let (Content::Result(one), Content::Result(other)) = (&first.content, &second.content) else {
                let (first, second) = (describe(first), describe(second));
                return Err(Judgement::Unseen(Reason::OtherThanResults { first, second }));
            };
            let known = profile.member_names();
            let (left, right) = (essence(known, &one.reading.value), essence(known, &other.reading.value));
            Ok(difference(&left, &right, String::new()).map(|place| {
                let part = |value: &Value| show_found(value.pointer(&place));
                let (wanted, got) = (part(&one.reading.value), part(&other.reading.value));
                disagree(Kind::AnswersDisagree { first: first.binding.to_string(), second: second.binding.to_string() })
                    .at(second.exchange.number, other.locate(&place))
                    .compare(format!("{wanted} as over {} (exchange {})", first.binding, first.exchange.number), got)
            }))
        }
        _ => {
            let (first, second_binding) = bindings();
            let kind = Kind::ServiceDisagrees { first, second: second_binding };
            Ok(Some(disagree(kind).compare(expected(), describe(second))))
        }
    }
}

/// The errors that an error object can be. A wrong status beside a right name is for other cases to judge, and so is a name
/// that is not there: by its status it may be any that has it.
fn identity(profile: &Profile, answer: &Answer, error: &ErrorObject) -> Vec<String> {
    let naming = profile.naming(answer.binding);
    let called = error.called(naming).and_then(|called| profile.error_called(naming, called));
    let is_unnamed = naming != Naming::ByStatus && error.called(naming).is_none();
    let by_status = || match (answer.binding, error.code.and_then(|code| u16::try_from(code).ok())) {
        (Binding::HttpJson, Some(status)) if is_unnamed => profile.errors_with(|facts| facts.has_http(status)),
        (Binding::Grpc, _) if is_unnamed => profile.errors_with(|facts| facts.has_grpc(&error.label)),
        _ => error.names.clone(),
    };
    called.map_or_else(by_status, |(name, _)| vec![name.to_owned()])
}

/// Whether two values of one thing are the same, as far as two bindings can say the same.
pub(super) fn same_value(profile: &Profile, a: &Value, b: &Value) -> bool {
    differing(profile, a, b).is_none()
}

/// The innermost place at which two values of one thing are not the same, as far as two answers can say the same.
pub(super) fn differing(profile: &Profile, a: &Value, b: &Value) -> Option<String> {
    let known = profile.member_names();
    difference(&essence(known, a), &essence(known, b), String::new())
}

/// Members whose values are free of form: nothing in them is a default.
const FREE: [&str; 4] = ["metadata", "data", "params", "header"];

/// A value without what may differ between two right answers to one question: of members that the version does not know,
/// not every binding can carry any, and a default is as good as nothing.
fn essence(known: &BTreeSet<String>, value: &Value) -> Value {
    essence_of(known, "", value)
}

fn essence_of(known: &BTreeSet<String>, name: &str, value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| essence_of(known, name, item)).collect(),
        Value::Object(members) => {
            // Any value may be the data of a part; an empty object of any other kind is as good as none.
            let kept = members.iter().filter(|(name, value)| name.as_str() == "data" || !is_default(value));
            let kept = kept.filter(|(name, _)| known.contains(name.as_str()));
            let essence = kept.map(|(name, value)| match FREE.contains(&name.as_str()) {
                true => (name.clone(), value.clone()),
                false => (name.clone(), essence_of(known, name, value)),
            });
            Value::Object(essence.collect())
        }
        // What leads on from a page may be another text for each binding.
        Value::String(_) if name == "nextPageToken" => Value::from("a token"),
        // Both alphabets of base64 spell the same bytes.
        Value::String(text) if name == "raw" => match base64::decode(text) {
            Ok(bytes) => Value::from(base64::encode(&bytes)),
            Err(_) => value.clone(),
        },
        other => other.clone(),
    }
}

/// Whether a value is as good as none.
pub(super) fn is_default(value: &Value) -> bool {
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
            let lacks = |name: &str| Some(inner(name));
            let shared = xs.iter().find_map(|(name, x)| match ys.get(name) {
                Some(y) if name == "timestamp" => (!is_about(x, y)).then(|| inner(name)),
                Some(y) => difference(x, y, inner(name)),
                None => lacks(name),
            });
            shared.or_else(|| ys.keys().filter(|name| !xs.contains_key(*name)).find_map(|name| lacks(name)))
        }
        (Value::Array(xs), Value::Array(ys)) if xs.len() == ys.len() => {
            xs.iter().zip(ys).enumerate().find_map(|(index, (x, y))| difference(x, y, inner(&index.to_string())))
        }
        _ => (!same(a, b)).then_some(place),
    }
}

/// Whether two timestamps are of one moment, whatever their precision; what is not a timestamp, other cases judge.
fn is_about(a: &Value, b: &Value) -> bool {
    let moment = |value: &Value| value.as_str().and_then(|text| text.parse::<jiff::Timestamp>().ok());
    match (moment(a), moment(b)) {
        (Some(a), Some(b)) => a.duration_since(b).abs() <= jiff::SignedDuration::from_secs(1),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Each row: two values, and where they differ in essence.
    #[test]
    fn what_may_differ_does_not_count() {
        let time = |text: &str| json!({ "status": { "timestamp": text } });
        let rows = [
            (json!({"id": "a", "contextId": "b"}), json!({"contextId": "b", "id": "a"}), None),
            (json!({"id": "a"}), json!({"id": "b"}), Some("/id")),
            (time("2026-01-31T12:00:00Z"), time("2026-01-31T12:00:00.987Z"), None),
            (time("2026-01-31T12:00:00Z"), time("2026-01-31T13:00:00Z"), Some("/status/timestamp")),
            (time("2026-01-31T12:00:00Z"), time("2026-01-31T12:00:01Z"), None),
            (time("2026-01-31T12:00:00Z"), time("2026-01-31T12:00:01.001Z"), Some("/status/timestamp")),
            (
                json!({"status": {"state": "A", "timestamp": "x"}}),
                json!({"status": {"state": "A"}}),
                Some("/status/timestamp"),
            ),
            (json!({"name": "", "parts": [], "final": false}), json!({}), None),
            (json!({"totalSize": 0}), json!({}), None),
            (json!({"totalSize": 1}), json!({}), Some("/totalSize")),
            (json!({"tags": ["a"]}), json!({"tags": ["a", "b"]}), Some("/tags")),
            (json!({"metadata": {"a": ""}}), json!({"metadata": {}}), Some("/metadata")),
            (json!({"metadata": {}, "data": null}), json!({"data": null}), None),
            (json!({"data": null}), json!({}), Some("/data")),
            (json!({"metadata": {"a": 1}}), json!({"metadata": {"a": 1.0}}), None),
            (json!({"parts": [{"raw": "-_8="}]}), json!({"parts": [{"raw": "+/8="}]}), None),
            (json!({"parts": [{"raw": "AAA="}]}), json!({"parts": [{"raw": "AAE="}]}), Some("/parts/0/raw")),
            (json!({"parts": [{"text": "-_8="}]}), json!({"parts": [{"text": "+/8="}]}), Some("/parts/0/text")),
            (json!({"nextPageToken": "x"}), json!({"nextPageToken": "y"}), None),
            (json!({"nextPageToken": "x"}), json!({"nextPageToken": ""}), Some("/nextPageToken")),
            (json!({"artifacts": [{}]}), json!({}), Some("/artifacts")),
            (json!({}), json!({"artifacts": [{}]}), Some("/artifacts")),
            (json!({"state": "A"}), json!({"state": "B"}), Some("/state")),
            (json!({"state": "A", "x-ours": 1}), json!({"state": "A"}), None),
        ];
        let profiles = crate::profile::bundled().unwrap();
        let profile = profiles.last().unwrap();
        let known = profile.member_names();
        for (a, b, place) in rows {
            assert_eq!(same_value(profile, &a, &b), place.is_none(), "{a} {b}");
            assert_eq!(
                difference(&essence(known, &a), &essence(known, &b), String::new()).as_deref(),
                place,
                "{a} {b}"
            );
        }
    }
}
