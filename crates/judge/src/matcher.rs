//! Whether a value meets a condition.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::case::{Matcher, ValueKind};
use crate::finding::{show, show_found};
use crate::wire::json::pointer;

/// A condition that is not met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Canonical pointer of the value.
    pub pointer: String,
    /// What the condition asks for.
    pub expected: String,
    /// What is there.
    pub received: String,
}

/// Everything in which the value at `place` below `root` does not meet `matcher`.
pub fn check(root: &Value, place: &str, matcher: &Matcher) -> Vec<Mismatch> {
    let value = pointer::find(root, place);
    let wrong = |expected: String| vec![Mismatch { pointer: place.to_owned(), expected, received: show_found(value) }];
    match matcher {
        Matcher::All(parts) => parts.iter().flat_map(|part| check(root, place, part)).collect(),
        Matcher::Each(places) => match value {
            Some(Value::Array(items)) => check_each(root, place, items.len(), places),
            _ => wrong("an array".to_owned()),
        },
        Matcher::Some(places) => {
            let count = value.and_then(Value::as_array).map_or(0, Vec::len);
            match (0..count).any(|index| check_item(root, place, index, places).is_empty()) {
                true => Vec::new(),
                false => wrong(describe(matcher)),
            }
        }
        Matcher::Last(places) => match value.and_then(Value::as_array).map(Vec::len) {
            Some(count) if count > 0 => check_item(root, place, count - 1, places),
            _ => wrong("an array with a last item".to_owned()),
        },
        Matcher::AnyOf(groups) => match groups.iter().any(|group| is_met(root, place, group)) {
            true => Vec::new(),
            false => wrong(describe(matcher)),
        },
        Matcher::NoneOf(groups) => match groups.iter().any(|group| is_met(root, place, group)) {
            true => wrong(describe(matcher)),
            false => Vec::new(),
        },
        Matcher::NeverAfter(once, never) => {
            let count = value.and_then(Value::as_array).map_or(0, Vec::len);
            let meets = |index: usize, groups: &[BTreeMap<String, Matcher>]| {
                groups.iter().any(|group| check_item(root, place, index, group).is_empty())
            };
            let first = (0..count).find(|index| meets(*index, once)).unwrap_or(count);
            let after = (first + 1..count).find(|index| meets(*index, never));
            after.map_or_else(Vec::new, |index| {
                let mut item = place.to_owned();
                pointer::push(&mut item, &index.to_string());
                vec![Mismatch { received: show_found(root.pointer(&item)), pointer: item, expected: describe(matcher) }]
            })
        }
        simple => {
            if holds(simple, value) {
                Vec::new()
            } else {
                wrong(describe(simple))
            }
        }
    }
}

/// Whether the list at `place`, however much is added to it, can no longer meet `matcher`: it has an item that `each` refuses.
pub fn refutes(root: &Value, place: &str, matcher: &Matcher) -> bool {
    match matcher {
        Matcher::All(parts) => parts.iter().any(|part| refutes(root, place, part)),
        Matcher::Each(_) => !check(root, place, matcher).is_empty(),
        _ => false,
    }
}

fn check_each(root: &Value, place: &str, count: usize, places: &BTreeMap<String, Matcher>) -> Vec<Mismatch> {
    (0..count).flat_map(|index| check_item(root, place, index, places)).collect()
}

/// Whether what is at these places below a value meets all of these conditions.
fn is_met(root: &Value, place: &str, places: &BTreeMap<String, Matcher>) -> bool {
    places.iter().all(|(inner, matcher)| check(root, &format!("{place}{inner}"), matcher).is_empty())
}

fn check_item(root: &Value, list: &str, index: usize, places: &BTreeMap<String, Matcher>) -> Vec<Mismatch> {
    let mut item = list.to_owned();
    pointer::push(&mut item, &index.to_string());
    places.iter().flat_map(|(inner, matcher)| check(root, &format!("{item}{inner}"), matcher)).collect()
}

fn holds(matcher: &Matcher, value: Option<&Value>) -> bool {
    let Some(value) = value else {
        return matches!(matcher, Matcher::Present(false) | Matcher::EmptyOrAbsent | Matcher::Lacks(_));
    };
    match matcher {
        Matcher::Equals(wanted) => same(value, wanted),
        Matcher::OneOf(wanted) => wanted.iter().any(|wanted| same(value, wanted)),
        Matcher::NotOneOf(unwanted) => !unwanted.iter().any(|unwanted| same(value, unwanted)),
        Matcher::Present(wanted) => *wanted,
        Matcher::Type(kind) => is_kind(value, *kind),
        Matcher::Length(min, max) => length(value)
            .is_some_and(|length| min.is_none_or(|min| length >= min) && max.is_none_or(|max| length <= max)),
        Matcher::AtLeast(bound) => value.as_f64().is_some_and(|number| number >= *bound),
        Matcher::AtMost(bound) => value.as_f64().is_some_and(|number| number <= *bound),
        Matcher::Contains(wanted) => contains(value, wanted),
        Matcher::Lacks(unwanted) => !contains(value, unwanted),
        Matcher::StartsWith(head) => value.as_str().is_some_and(|text| text.starts_with(head.as_str())),
        Matcher::DiffersFrom(other) => !same(value, other),
        Matcher::EmptyOrAbsent => value.is_null() || length(value) == Some(0),
        Matcher::EndsWith(tail) => value.as_str().is_some_and(|text| text.ends_with(tail.as_str())),
        Matcher::Each(_)
        | Matcher::Some(_)
        | Matcher::Last(_)
        | Matcher::AnyOf(_)
        | Matcher::NoneOf(_)
        | Matcher::NeverAfter(..)
        | Matcher::All(_) => true,
    }
}

/// Equality of JSON values; numbers compare by value, so that 1 and 1.0 are the same, and whole numbers digit by digit.
pub(super) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => {
            let both_whole = !x.is_f64() && !y.is_f64();
            x == y || (!both_whole && x.as_f64() == y.as_f64())
        }
        (Value::Array(xs), Value::Array(ys)) => xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| same(x, y)),
        (Value::Object(xs), Value::Object(ys)) => {
            xs.len() == ys.len() && xs.iter().all(|(name, x)| ys.get(name).is_some_and(|y| same(x, y)))
        }
        _ => a == b,
    }
}

/// Whether an array has an item like `wanted`, a string that part, an object those members.
fn contains(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (Value::Array(items), _) => items.iter().any(|item| is_like(item, wanted)),
        (Value::String(text), Value::String(part)) => text.contains(part.as_str()),
        (Value::Object(_), Value::Object(_)) => is_like(value, wanted),
        _ => false,
    }
}

/// Equality in which objects may have more members than wanted, at every depth.
fn is_like(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (Value::Array(items), Value::Array(wanted)) => {
            items.len() == wanted.len() && items.iter().zip(wanted).all(|(item, wanted)| is_like(item, wanted))
        }
        (Value::Object(members), Value::Object(wanted)) => {
            wanted.iter().all(|(name, wanted)| members.get(name).is_some_and(|value| is_like(value, wanted)))
        }
        _ => same(value, wanted),
    }
}

fn length(value: &Value) -> Option<usize> {
    match value {
        Value::Array(items) => Some(items.len()),
        Value::Object(members) => Some(members.len()),
        Value::String(text) => Some(text.chars().count()),
        _ => None,
    }
}

fn is_kind(value: &Value, kind: ValueKind) -> bool {
    match kind {
        ValueKind::Object => value.is_object(),
        ValueKind::Array => value.is_array(),
        ValueKind::String => value.is_string(),
        ValueKind::Number => value.is_number(),
        ValueKind::Integer => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        ValueKind::Boolean => value.is_boolean(),
        ValueKind::Null => value.is_null(),
    }
}

fn kind_of(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::Object => "an object",
        ValueKind::Array => "an array",
        ValueKind::String => "a string",
        ValueKind::Number => "a number",
        ValueKind::Integer => "a whole number",
        ValueKind::Boolean => "a boolean",
        ValueKind::Null => "null",
    }
}

/// What a condition asks for, in words that follow "expected".
pub(super) fn describe(matcher: &Matcher) -> String {
    let list = |values: &[Value]| values.iter().map(show).collect::<Vec<_>>().join(", ");
    match matcher {
        Matcher::Equals(wanted) => show(wanted),
        Matcher::OneOf(wanted) => format!("one of {}", list(wanted)),
        Matcher::NotOneOf(unwanted) => format!("none of {}", list(unwanted)),
        Matcher::Present(true) => "to be present".to_owned(),
        Matcher::Present(false) => "to be absent".to_owned(),
        Matcher::Type(kind) => kind_of(*kind).to_owned(),
        Matcher::Length(Some(min), Some(max)) if min == max => format!("a length of {min}"),
        Matcher::Length(Some(min), Some(max)) => format!("a length of {min} to {max}"),
        Matcher::Length(Some(min), None) => format!("a length of at least {min}"),
        Matcher::Length(None, Some(max)) => format!("a length of at most {max}"),
        Matcher::Length(None, None) => "something with a length".to_owned(),
        Matcher::AtLeast(bound) => format!("a number that is at least {bound}"),
        Matcher::AtMost(bound) => format!("a number that is at most {bound}"),
        Matcher::Contains(wanted) => format!("to contain {}", show(wanted)),
        Matcher::Lacks(unwanted) => format!("not to contain {}", show(unwanted)),
        Matcher::StartsWith(head) => format!("a string that begins with {head:?}"),
        Matcher::DiffersFrom(other) => format!("anything but {}", show(other)),
        Matcher::EmptyOrAbsent => "to be empty or absent".to_owned(),
        Matcher::Each(_) => "an array".to_owned(),
        Matcher::EndsWith(tail) => format!("a string that ends with {tail:?}"),
        Matcher::Some(places) => format!("an array that has an item with, {}", describe_places(places)),
        Matcher::Last(places) => format!("an array whose last item has, {}", describe_places(places)),
        Matcher::AnyOf(groups) => groups.iter().map(describe_places).collect::<Vec<_>>().join("; or "),
        Matcher::NeverAfter(once, never) => {
            let list = |groups: &[BTreeMap<String, Matcher>]| {
                groups.iter().map(describe_places).collect::<Vec<_>>().join(", or ")
            };
            format!("no item with, {}, after one with, {}", list(never), list(once))
        }
        Matcher::NoneOf(groups) => {
            format!("none of: {}", groups.iter().map(describe_places).collect::<Vec<_>>().join("; "))
        }
        Matcher::All(parts) => parts.iter().map(describe).collect::<Vec<_>>().join(" and "),
    }
}

/// What conditions ask for at places within a value.
fn describe_places(places: &BTreeMap<String, Matcher>) -> String {
    let parts = places.iter().map(|(place, matcher)| match place.as_str() {
        "" => describe(matcher),
        place => format!("at `{place}` {}", describe(matcher)),
    });
    parts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Each row: a value, a condition as case files spell it, whether it is met.
    #[test]
    fn conditions_are_met_or_not() {
        let rows = [
            (json!({"a": 1}), json!({"equals": 1.0}), true),
            (json!({"a": 9_007_199_254_740_993_i64}), json!({"equals": 9_007_199_254_740_992_i64}), false),
            (json!({"a": [1, {"b": 2}]}), json!({"equals": [1.0, {"b": 2.0}]}), true),
            (json!({"a": [1, 2]}), json!({"equals": [1]}), false),
            (json!({"a": {"b": 1, "c": 2}}), json!({"equals": {"b": 1}}), false),
            (json!({"a": "x"}), json!("x"), true),
            (json!({"a": "x"}), json!("y"), false),
            (json!({}), json!({"present": false}), true),
            (json!({"a": null}), json!({"present": false}), false),
            (json!({}), json!({"present": true}), false),
            (json!({"a": null}), json!({"empty-or-absent": true}), true),
            (json!({"a": []}), json!({"empty-or-absent": true}), true),
            (json!({}), json!({"empty-or-absent": true}), true),
            (json!({}), json!({"lacks": 1}), true),
            (json!({"a": [1]}), json!({"empty-or-absent": true}), false),
            (json!({"a": [1, 2]}), json!({"length": {"max": 1}}), false),
            (json!({"a": [1, 2]}), json!({"length": 2}), true),
            (json!({"a": "ab"}), json!({"length": {"min": 1}}), true),
            (json!({"a": {"b": 1}}), json!({"length": 1}), true),
            (json!({"a": 1}), json!({"length": {"min": 0}}), false),
            (json!({"a": 5}), json!({"at-least": 5, "at-most": 5}), true),
            (json!({"a": 5}), json!({"at-most": 4}), false),
            (json!({"a": [{"b": 1, "c": 2}]}), json!({"contains": {"b": 1}}), true),
            (json!({"a": [{"b": [{"c": 1, "d": ""}]}]}), json!({"contains": {"b": [{"c": 1}]}}), true),
            (json!({"a": [{"b": [{"c": 1}, 2]}]}), json!({"contains": {"b": [{"c": 1}]}}), false),
            (json!({"a": [{"b": [{"c": 2}]}]}), json!({"contains": {"b": [{"c": 1}]}}), false),
            (json!({"a": [{"b": 1}]}), json!({"lacks": {"b": 1}}), false),
            (json!({"a": [{"b": 1}]}), json!({"lacks": {"b": 2}}), true),
            (json!({"a": {"b": 1, "c": 2}}), json!({"contains": {"b": 1}}), true),
            (json!({"a": {"b": 1}}), json!({"contains": {"b": 2}}), false),
            (json!({"a": {"b": 1}}), json!({"contains": "b"}), false),
            (json!({"a": "hello"}), json!({"contains": "ell"}), true),
            (json!({"a": "hello"}), json!({"starts-with": "ell"}), false),
            (json!({"a": 1}), json!({"differs-from": 2}), true),
            (json!({}), json!({"differs-from": 2}), false),
            (json!({"a": 2.0}), json!({"type": "integer"}), true),
            (json!({"a": 2.5}), json!({"type": "integer"}), false),
            (json!({"a": "x"}), json!({"one-of": ["x", "y"]}), true),
            (json!({"a": "x"}), json!({"not-one-of": ["x", "y"]}), false),
            (json!({}), json!({"not-one-of": ["x"]}), false),
            (json!({"a": [{"s": 1}, {"s": 2}]}), json!({"each": {"/s": {"at-most": 1}}}), false),
            (json!({"a": [{"s": 2}, {"s": 1}]}), json!({"each": {"/s": {"at-most": 1}}}), false),
            (json!({"a": []}), json!({"each": {"/s": 1}}), true),
            (json!({"a": {}}), json!({"each": {"/s": 1}}), false),
            (json!({"a": [{"s": 2}, {"s": 1}]}), json!({"some": {"/s": 1}}), true),
            (json!({"a": [{"s": 2, "t": 2}, {"s": 1, "t": 1}]}), json!({"some": {"/s": 1, "/t": 2}}), false),
            (json!({"a": []}), json!({"some": {"/s": 1}}), false),
            (json!({"b": []}), json!({"some": {"/s": 1}}), false),
            (json!({"a": {"s": 1}}), json!({"some": {"/s": 1}}), false),
        ];
        for (value, condition, met) in rows {
            let matcher = Matcher::read(&condition).unwrap();
            assert_eq!(check(&value, "/a", &matcher).is_empty(), met, "{condition} of {value}");
        }
    }

    /// Conditions that only tests in other formats have.
    #[test]
    fn conditions_on_lists_and_alternatives() {
        let at = |place: &str, wanted: Value| BTreeMap::from([(place.to_owned(), Matcher::Equals(wanted))]);
        let (one, two) = (at("/s", json!(1)), at("/s", json!(2)));
        let list = |states: &[u8]| json!({ "a": states.iter().map(|s| json!({ "s": s })).collect::<Value>() });
        let rows = [
            (list(&[2, 1]), Matcher::Last(one.clone()), true),
            (list(&[1, 2]), Matcher::Last(one.clone()), false),
            (list(&[]), Matcher::Last(one.clone()), false),
            (json!({}), Matcher::Last(one.clone()), false),
            (json!({"a": {"s": 2}}), Matcher::AnyOf(vec![one.clone(), two.clone()]), true),
            (json!({"a": {"s": 3}}), Matcher::AnyOf(vec![one.clone(), two.clone()]), false),
            (json!({"a": {"s": 3}}), Matcher::NoneOf(vec![one.clone(), two.clone()]), true),
            (json!({}), Matcher::NoneOf(vec![one.clone()]), true),
            (json!({"a": {"s": 1}}), Matcher::NoneOf(vec![one.clone(), two.clone()]), false),
            (list(&[1, 1, 2]), Matcher::NeverAfter(vec![two.clone()], vec![one.clone()]), true),
            (list(&[1, 2, 3, 1]), Matcher::NeverAfter(vec![two.clone()], vec![one.clone()]), false),
            (list(&[1]), Matcher::NeverAfter(vec![two], vec![one]), true),
            (json!({"a": "hello"}), Matcher::EndsWith("llo".to_owned()), true),
            (json!({"a": "hello"}), Matcher::EndsWith("hel".to_owned()), false),
            (json!({"a": 1}), Matcher::EndsWith("1".to_owned()), false),
        ];
        for (value, matcher, met) in rows {
            assert_eq!(check(&value, "/a", &matcher).is_empty(), met, "{matcher:?} of {value}");
        }
    }

    #[test]
    fn lengths_are_described() {
        for (condition, words) in [
            (json!({"length": 2}), "a length of 2"),
            (json!({"length": {"min": 1, "max": 2}}), "a length of 1 to 2"),
            (json!({"length": {"min": 1}}), "a length of at least 1"),
            (json!({"length": {"max": 2}}), "a length of at most 2"),
        ] {
            assert_eq!(describe(&Matcher::read(&condition).unwrap()), words);
        }
    }

    #[test]
    fn a_list_that_grows_is_refuted_by_its_items() {
        let root = json!({"a": [{"s": 1}, {"s": 2}]});
        for (condition, is_refuted) in [
            (json!({"each": {"/s": {"at-most": 2}}}), false),
            (json!({"each": {"/s": {"at-most": 1}}}), true),
            (json!({"contains": {"s": 3}, "each": {"/s": 1}}), true),
            // What is not there yet may come.
            (json!({"contains": {"s": 3}}), false),
            (json!({"length": {"min": 3}}), false),
        ] {
            assert_eq!(refutes(&root, "/a", &Matcher::read(&condition).unwrap()), is_refuted, "{condition}");
        }
    }

    #[test]
    fn a_mismatch_says_where_and_what() {
        let matcher = Matcher::read(&json!({"each": {"/s": {"at-most": 1}}})).unwrap();
        let found = check(&json!({"a": [{"s": 1}, {"s": 2}]}), "/a", &matcher);
        let expected =
            Mismatch { pointer: "/a/1/s".into(), expected: "a number that is at most 1".into(), received: "2".into() };
        assert_eq!(found, [expected]);
    }
}
