//! Assertions on values (5): maps of operators, nested as the answer is.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::Reader;
use super::template::Captured;
use crate::case::convert::inner;
use crate::case::{Matcher, ValueKind};
use crate::yaml::tree::Part;

/// Conditions by the pointer of the value that they are about.
pub(super) type Places = BTreeMap<String, Matcher>;

pub(super) const OPERATORS: [&str; 18] = [
    "type",
    "exists",
    "absent",
    "contains",
    "matches",
    "starts_with",
    "ends_with",
    "gte",
    "lte",
    "gt",
    "lt",
    "count",
    "count_gte",
    "count_lte",
    "one_of",
    "all_of",
    "any_of",
    "not",
];

/// Adds a condition to those of its place.
pub(super) fn add(places: &mut Places, place: String, matcher: Matcher) {
    let both = match places.remove(&place) {
        None => matcher,
        Some(Matcher::All(mut parts)) => {
            parts.push(matcher);
            Matcher::All(parts)
        }
        Some(other) => Matcher::All(vec![other, matcher]),
    };
    places.insert(place, both);
}

/// Adds the conditions of several places.
pub(super) fn add_all(places: &mut Places, more: Places) {
    more.into_iter().for_each(|(place, matcher)| add(places, place, matcher));
}

impl Reader<'_> {
    /// The conditions that an assertion makes on a value and on what is in it.
    pub(super) fn conditions(&mut self, value: &Value, at: &str, captured: &Captured) -> Places {
        let mut places = Places::new();
        self.nested(value, at, "", captured, &mut places);
        places
    }

    fn nested(&mut self, value: &Value, at: &str, place: &str, captured: &Captured, places: &mut Places) {
        match value {
            Value::Object(members) if members.is_empty() => {
                self.beyond(at, &Part::Value, "an assertion without conditions asserts nothing");
            }
            Value::Array(items) if items.is_empty() => {
                self.beyond(at, &Part::Value, "an assertion of an empty list may mean any list, or none");
            }
            Value::Object(members) => {
                let operators = members.keys().filter(|name| OPERATORS.contains(&name.as_str())).count();
                if operators == members.len() {
                    for (name, arg) in members {
                        let matcher = self.operator(name, arg, &inner(at, name), captured);
                        matcher.into_iter().for_each(|matcher| add(places, place.to_owned(), matcher));
                    }
                } else if operators > 0 {
                    self.beyond(at, &Part::Value, "a map with operators beside members can be read in two ways");
                } else {
                    self.members(members, at, place, captured, places);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.nested(item, &inner(at, index), &inner(place, index), captured, places);
                }
            }
            scalar => {
                let wanted = self.filled(scalar, at, captured);
                add(places, place.to_owned(), Matcher::Equals(wanted));
            }
        }
    }

    fn members(
        &mut self,
        members: &Map<String, Value>,
        at: &str,
        place: &str,
        captured: &Captured,
        places: &mut Places,
    ) {
        for (name, member) in members {
            let at = inner(at, name);
            // A path is no key, says 5.2; a runner could take it for one that no answer has.
            if name.contains(['.', '[']) {
                self.beyond(&at, &Part::Name, format!("`{name}` is a path, and a key has to be a name"));
                continue;
            }
            // Parts of files are flat in the protocol, and so are they in cases.
            if name == "file" && is_part(place) {
                self.beyond(&at, &Part::Name, "parts of A2A 1.0 have no `file`");
                continue;
            }
            self.nested(member, &at, &inner(place, name), captured, places);
        }
    }

    fn operator(&mut self, name: &str, arg: &Value, at: &str, captured: &Captured) -> Option<Matcher> {
        let arg = match name {
            "all_of" | "any_of" | "not" | "one_of" => arg.clone(),
            _ => self.filled(arg, at, captured),
        };
        let count = || arg.as_u64().and_then(|count| usize::try_from(count).ok());
        let text = || arg.as_str().map(str::to_owned);
        let is_true = || (arg == Value::Bool(true)).then_some(());
        // A number above another is at least it, and not it.
        let beside = |bound: f64| Matcher::DiffersFrom(Value::from(bound));
        let (matcher, wanted) = match name {
            "type" => (self.kind(&arg).map(Matcher::Type), "the name of a type of JSON"),
            "exists" => (is_true().map(|()| Matcher::Present(true)), "true"),
            "absent" => (is_true().map(|()| Matcher::Present(false)), "true"),
            "contains" => (text().map(|part| all_text(Matcher::Contains(Value::String(part)))), "a string"),
            "starts_with" => (text().map(Matcher::StartsWith), "a string"),
            "ends_with" => (text().map(Matcher::EndsWith), "a string"),
            "gte" => (arg.as_f64().map(Matcher::AtLeast), "a number"),
            "lte" => (arg.as_f64().map(Matcher::AtMost), "a number"),
            "gt" => (arg.as_f64().map(|bound| Matcher::All(vec![Matcher::AtLeast(bound), beside(bound)])), "a number"),
            "lt" => (arg.as_f64().map(|bound| Matcher::All(vec![Matcher::AtMost(bound), beside(bound)])), "a number"),
            "count" => (count().map(|count| all_items(Some(count), Some(count))), "a number"),
            "count_gte" => (count().map(|count| all_items(Some(count), None)), "a number"),
            "count_lte" => (count().map(|count| all_items(None, Some(count))), "a number"),
            "matches" => {
                self.beyond(at, &Part::Name, "`matches` is a regular expression, which cases do not have");
                return None;
            }
            "not" => return Some(Matcher::NoneOf(vec![self.conditions(&arg, at, captured)])),
            _ => {
                let Some(items) = arg.as_array().filter(|items| !items.is_empty()) else {
                    self.wrong(at, &Part::Value, format!("`{name}` wants a list"));
                    return None;
                };
                // Alternatives of `one_of` are values; the streams of section 7 have assertions there.
                if name == "one_of" && !items.iter().any(Value::is_object) {
                    return Some(Matcher::OneOf(
                        items.iter().enumerate().map(|(n, item)| self.filled(item, &inner(at, n), captured)).collect(),
                    ));
                }
                let groups: Vec<Places> =
                    items.iter().enumerate().map(|(n, item)| self.conditions(item, &inner(at, n), captured)).collect();
                return Some(match name {
                    "all_of" => Matcher::All(groups.into_iter().map(|group| Matcher::AnyOf(vec![group])).collect()),
                    _ => Matcher::AnyOf(groups),
                });
            }
        };
        if matcher.is_none() {
            self.wrong(at, &Part::Value, format!("`{name}` wants {wanted}"));
        }
        matcher
    }

    fn kind(&mut self, arg: &Value) -> Option<ValueKind> {
        Some(match arg.as_str()? {
            "string" => ValueKind::String,
            "number" => ValueKind::Number,
            "boolean" => ValueKind::Boolean,
            "array" => ValueKind::Array,
            "object" => ValueKind::Object,
            "null" => ValueKind::Null,
            _ => return None,
        })
    }
}

/// `contains` is about strings, and counts are about arrays: a case means more by them.
fn all_text(matcher: Matcher) -> Matcher {
    Matcher::All(vec![Matcher::Type(ValueKind::String), matcher])
}

fn all_items(min: Option<usize>, max: Option<usize>) -> Matcher {
    Matcher::All(vec![Matcher::Type(ValueKind::Array), Matcher::Length(min, max)])
}

/// Whether a pointer ends at an item of `parts`.
fn is_part(place: &str) -> bool {
    place.rsplit_once('/').is_some_and(|(list, index)| list.ends_with("/parts") && index.parse::<usize>().is_ok())
}
