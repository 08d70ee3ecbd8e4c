//! Conditions as assertions.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::super::condition::OPERATORS;
use super::{Said, Writer, merge, object};
use crate::case::{Matcher, ValueKind};
use crate::wire::json::pointer;

/// Members that are lists wherever they are: a count is of a list.
const LISTS: [&str; 8] =
    ["artifacts", "parts", "history", "tasks", "configs", "skills", "supportedInterfaces", "signatures"];

impl Writer {
    /// Conditions on a unary answer: those on one place nested, those on the elements of a list as steps of their own.
    pub(super) fn places(&mut self, places: &BTreeMap<String, Matcher>, id: &str) -> Said<()> {
        let mut expect = json!({});
        for (place, matcher) in places {
            for part in parts(matcher) {
                match part {
                    Matcher::Each(inner) => self.elements("all", place, inner, id)?,
                    Matcher::Some(inner) => self.elements("any", place, inner, id)?,
                    simple => {
                        let operators = self.operators(simple, place)?;
                        put(&mut expect, place, operators)?;
                    }
                }
            }
        }
        if !is_clear(&expect) {
            return Err("a condition on an object and on what is in it".to_owned());
        }
        if expect.as_object().is_some_and(|members| !members.is_empty()) {
            self.named(id)?.insert("expect".to_owned(), expect);
        }
        Ok(())
    }

    fn elements(&mut self, which: &str, place: &str, inner: &BTreeMap<String, Matcher>, id: &str) -> Said<()> {
        let tokens = pointer::tokens(place).unwrap_or_default();
        if tokens.is_empty() || tokens.iter().any(|token| token.contains(['.', '['])) {
            return Err("a list that is the whole answer".to_owned());
        }
        let path = format!("{}[*]", super::bracketed(&tokens.join(".")));
        let wanted = self.nested(inner)?;
        let assertion =
            json!({ "source": format!("{{{{{id}.response}}}}"), (which): { "path": path, "match": wanted } });
        self.push(None, None, object(json!({ "assertion": assertion })));
        Ok(())
    }

    /// Conditions on the events of a stream.
    pub(super) fn stream(&mut self, places: &BTreeMap<String, Matcher>, id: &str) -> Said<()> {
        let mut expect = json!({});
        let mut events = Vec::new();
        for (place, matcher) in places {
            for part in parts(matcher) {
                match (place.as_str(), part) {
                    ("", Matcher::Length(min, max)) => {
                        min.iter().for_each(|min| merge(&mut expect, json!({ "min_count": min })));
                        max.iter().for_each(|max| merge(&mut expect, json!({ "max_count": max })));
                    }
                    ("", Matcher::Each(inner)) => {
                        let each = event(self.nested(inner)?);
                        merge(&mut expect, json!({ "each_event": each }));
                    }
                    ("", Matcher::Some(inner)) => {
                        let mut one = event(self.nested(inner)?);
                        merge(&mut one, json!({ "match": "any_position" }));
                        events.push(one);
                    }
                    (place, part) => {
                        let (index, rest) =
                            place.get(1..).and_then(|rest| rest.split_once('/')).ok_or("the events as a whole")?;
                        let index: usize = index.parse().map_err(|_| "the events as a whole")?;
                        let operators = self.operators(part, place)?;
                        let mut one = json!({});
                        put(&mut one, &format!("/{rest}"), operators)?;
                        let mut one = event(one);
                        merge(&mut one, json!({ "index": index }));
                        events.push(one);
                    }
                }
            }
        }
        if !events.is_empty() {
            merge(&mut expect, json!({ "events": events }));
        }
        if !is_clear(&expect) {
            return Err("a condition on an object and on what is in it".to_owned());
        }
        // A stream that is expected to come has an event at least.
        if expect.as_object().is_some_and(Map::is_empty) {
            expect = json!({ "min_count": 1 });
        }
        self.named(id)?.insert("expect_stream".to_owned(), expect);
        Ok(())
    }

    fn nested(&mut self, places: &BTreeMap<String, Matcher>) -> Said<Value> {
        let mut nested = json!({});
        for (place, matcher) in places {
            let operators = self.operators(matcher, place)?;
            put(&mut nested, place, operators)?;
        }
        Ok(nested)
    }

    /// A condition on one value as operators.
    pub(super) fn operators(&mut self, matcher: &Matcher, place: &str) -> Said<Value> {
        let is_list = place.rsplit('/').next().is_some_and(|name| LISTS.contains(&name));
        Ok(match matcher {
            Matcher::Equals(value) if !value.is_array() && !value.is_object() => self.value(value)?,
            Matcher::OneOf(values) if !values.iter().any(|value| value.is_array() || value.is_object()) => {
                json!({ "one_of": self.value(&json!(values))? })
            }
            Matcher::Present(true) => json!({ "exists": true }),
            Matcher::Present(false) => json!({ "absent": true }),
            Matcher::Type(kind) => json!({ "type": kind_of(*kind).ok_or("a whole number")? }),
            Matcher::Length(min, max) if is_list => match (min, max) {
                (Some(min), Some(max)) if min == max => json!({ "count": min }),
                _ => {
                    let mut both = json!({});
                    min.iter().for_each(|min| merge(&mut both, json!({ "count_gte": min })));
                    max.iter().for_each(|max| merge(&mut both, json!({ "count_lte": max })));
                    both
                }
            },
            Matcher::AtLeast(bound) => json!({ "gte": bound }),
            Matcher::AtMost(bound) => json!({ "lte": bound }),
            Matcher::StartsWith(head) => json!({ "starts_with": self.text(head)? }),
            Matcher::DiffersFrom(other) if !other.is_array() && !other.is_object() => {
                json!({ "exists": true, "not": self.value(other)? })
            }
            Matcher::NotOneOf(values) => json!({ "exists": true, "not": { "one_of": self.value(&json!(values))? } }),
            Matcher::EmptyOrAbsent if is_list => json!({ "any_of": [{ "absent": true }, { "count": 0 }] }),
            Matcher::All(parts) => {
                let mut all = json!({});
                for part in parts {
                    let part = self.operators(part, place)?;
                    let taken = |name: &String| all.get(name).is_some();
                    if !part.is_object() || part.as_object().is_some_and(|members| members.keys().any(taken)) {
                        return Err("two conditions of one kind on a value".to_owned());
                    }
                    merge(&mut all, part);
                }
                all
            }
            _ => return Err("a condition that the format does not have".to_owned()),
        })
    }
}

/// The conditions that a condition is made of.
fn parts(matcher: &Matcher) -> Vec<&Matcher> {
    match matcher {
        Matcher::All(parts)
            if parts.iter().any(|part| matches!(part, Matcher::Each(_) | Matcher::Some(_) | Matcher::Length(..))) =>
        {
            parts.iter().collect()
        }
        one => vec![one],
    }
}

/// Puts an assertion where a pointer leads, in maps; an item of a list needs all before it, which nothing is asserted of.
fn put(into: &mut Value, place: &str, assertion: Value) -> Said<()> {
    let mut wanted = assertion;
    for token in pointer::tokens(place).unwrap_or_default().into_iter().rev() {
        wanted = match token.parse::<usize>() {
            Ok(0) => json!([wanted]),
            Ok(_) => return Err("an item of a list but the first".to_owned()),
            Err(_) if token.contains(['.', '[']) => return Err("a member with a dot in its name".to_owned()),
            Err(_) => json!({ (token.as_str()): wanted }),
        };
    }
    if place.is_empty() {
        return Err("the answer as a whole".to_owned());
    }
    join(into, wanted)
}

/// Joins two trees of assertions; operators and members of one value cannot stand in one map.
fn join(into: &mut Value, from: Value) -> Said<()> {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (name, value) in from {
                match into.get_mut(&name) {
                    Some(known) => join(known, value)?,
                    None => {
                        into.insert(name, value);
                    }
                }
            }
            Ok(())
        }
        (Value::Array(into), Value::Array(mut from)) => match (into.first_mut(), from.pop()) {
            (Some(into), Some(from)) => join(into, from),
            _ => Ok(()),
        },
        _ => Err("a list and what is in it".to_owned()),
    }
}

/// Whether no map has operators beside members, which a runner could read in two ways.
fn is_clear(assertion: &Value) -> bool {
    match assertion {
        Value::Array(items) => items.iter().all(is_clear),
        Value::Object(members) => {
            let operators = members.keys().filter(|name| OPERATORS.contains(&name.as_str())).count();
            match operators {
                0 => members.values().all(is_clear),
                some => some == members.len(),
            }
        }
        _ => true,
    }
}

/// An event as the format spells its members.
fn event(event: Value) -> Value {
    let members = object(event).into_iter().map(|(name, member)| match name.as_str() {
        "statusUpdate" => ("status_update".to_owned(), member),
        "artifactUpdate" => ("artifact_update".to_owned(), member),
        _ => (name, member),
    });
    Value::Object(members.collect())
}

fn kind_of(kind: ValueKind) -> Option<&'static str> {
    Some(match kind {
        ValueKind::Object => "object",
        ValueKind::Array => "array",
        ValueKind::String => "string",
        ValueKind::Number => "number",
        ValueKind::Boolean => "boolean",
        ValueKind::Null => "null",
        ValueKind::Integer => return None,
    })
}
