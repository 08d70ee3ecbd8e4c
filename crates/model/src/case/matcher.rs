//! Conditions on one value: what a case file can say about a place in an answer.

use std::collections::BTreeMap;

use serde_json::Value;

use super::convert::inner;
use crate::diagnostic::near;
use crate::wire::json::pointer;
use crate::yaml::tree::Part;

/// A condition. All parts that are set must hold.
#[derive(Debug, Clone, PartialEq)]
pub enum Matcher {
    /// The value equals this one.
    Equals(Value),
    /// The value is one of these.
    OneOf(Vec<Value>),
    /// The value is there and none of these.
    NotOneOf(Vec<Value>),
    /// The value is there, or is not.
    Present(bool),
    /// The value is there and of this JSON type.
    Type(Kind),
    /// Items of an array, members of an object, or characters of a string: at least, at most.
    Length(Option<usize>, Option<usize>),
    /// The number is at least this.
    AtLeast(f64),
    /// The number is at most this.
    AtMost(f64),
    /// The array has an item like this, the string has this part, or the object has these members.
    Contains(Value),
    /// The array has no item like this.
    Lacks(Value),
    /// The string begins with this.
    StartsWith(String),
    /// The value is there and not this one.
    DiffersFrom(Value),
    /// The value is absent, null, or has nothing in it.
    EmptyOrAbsent,
    /// Every item of the array meets these conditions at these places.
    Each(BTreeMap<String, Matcher>),
    /// Some item of the array meets these conditions at these places.
    Some(BTreeMap<String, Matcher>),
    /// The last item of the array meets these conditions at these places. Only tests in other formats say so, and the same goes
    /// for the next four.
    Last(BTreeMap<String, Matcher>),
    /// At least one of these groups of conditions is met.
    AnyOf(Vec<BTreeMap<String, Matcher>>),
    /// None of these groups of conditions is met.
    NoneOf(Vec<BTreeMap<String, Matcher>>),
    /// After an item of the array that meets one of the first groups of conditions, none meets one of the second.
    NeverAfter(Vec<BTreeMap<String, Matcher>>, Vec<BTreeMap<String, Matcher>>),
    /// The string ends with this.
    EndsWith(String),
    /// Several conditions at once.
    All(Vec<Matcher>),
}

/// What is wrong with a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongCondition {
    /// Where, as a pointer into the condition.
    pub at: String,
    /// What of it.
    pub part: Part,
    /// What is wrong, as a fragment.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// A JSON type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of JSON")]
pub enum Kind {
    Object,
    Array,
    String,
    Number,
    Integer,
    Boolean,
    Null,
}

impl Kind {
    const ALL: [(&'static str, Self); 7] = [
        ("object", Self::Object),
        ("array", Self::Array),
        ("string", Self::String),
        ("number", Self::Number),
        ("integer", Self::Integer),
        ("boolean", Self::Boolean),
        ("null", Self::Null),
    ];

    /// The names of all types.
    pub const NAMES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];
}

impl Matcher {
    /// Reads a condition as a case file spells it: a bare value to equal, or an object of conditions.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(value: &Value) -> Result<Self, Vec<WrongCondition>> {
        let Value::Object(members) = value else { return Ok(Self::Equals(value.clone())) };
        let (mut parts, mut wrong) = (Vec::new(), Vec::new());
        for (name, arg) in members {
            match Self::part(name, arg) {
                Ok(part) => parts.push(part),
                Err(more) => wrong.extend(more.into_iter().map(|one| one.below(name))),
            }
        }
        if members.is_empty() {
            wrong.push(WrongCondition::value("a condition is empty", Some("`{present: true}` asks for presence")));
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        Ok(match <[Self; 1]>::try_from(parts) {
            Ok([only]) => only,
            Err(several) => Self::All(several),
        })
    }

    /// Reads the conditions of several places.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub fn read_places(value: &Value) -> Result<BTreeMap<String, Self>, Vec<WrongCondition>> {
        let Value::Object(places) = value else {
            return Err(vec![WrongCondition::value("expected pointers, each with a condition", None)]);
        };
        let (mut read, mut wrong) = (BTreeMap::new(), Vec::new());
        for (place, condition) in places {
            wrong.extend(check_pointer(place));
            match Self::read(condition) {
                Ok(matcher) => {
                    read.insert(place.clone(), matcher);
                }
                Err(more) => wrong.extend(more.into_iter().map(|one| one.below(place))),
            }
        }
        if wrong.is_empty() { Ok(read) } else { Err(wrong) }
    }

    fn part(name: &str, arg: &Value) -> Result<Self, Vec<WrongCondition>> {
        let wrong = |wanted: &str| vec![WrongCondition::value(&format!("`{name}` wants {wanted}"), None)];
        let list = || arg.as_array().cloned().ok_or_else(|| wrong("an array"));
        let text = || arg.as_str().map(str::to_owned).ok_or_else(|| wrong("a string"));
        let number = || arg.as_f64().ok_or_else(|| wrong("a number"));
        match name {
            "equals" => Ok(Self::Equals(arg.clone())),
            "one-of" => list().map(Self::OneOf),
            "not-one-of" => list().map(Self::NotOneOf),
            "present" => arg.as_bool().map(Self::Present).ok_or_else(|| wrong("true or false")),
            "type" => Kind::ALL.iter().find(|(name, _)| arg.as_str() == Some(name)).map_or_else(
                || {
                    let help = near::help(arg.as_str().unwrap_or_default(), Kind::NAMES);
                    Err(vec![WrongCondition {
                        help,
                        ..WrongCondition::value("`type` wants the name of a JSON type", None)
                    }])
                },
                |(_, kind)| Ok(Self::Type(*kind)),
            ),
            "length" => read_length(arg).ok_or_else(|| wrong("a number, or `{min, max}`")),
            "at-least" => number().map(Self::AtLeast),
            "at-most" => number().map(Self::AtMost),
            "contains" => Ok(Self::Contains(arg.clone())),
            "lacks" => Ok(Self::Lacks(arg.clone())),
            "starts-with" => text().map(Self::StartsWith),
            "differs-from" => Ok(Self::DiffersFrom(arg.clone())),
            "empty-or-absent" if arg == &Value::Bool(true) => Ok(Self::EmptyOrAbsent),
            "empty-or-absent" => Err(wrong("true")),
            "each" => Self::read_places(arg).map(Self::Each),
            "some" => Self::read_places(arg).map(Self::Some),
            _ => Err(vec![WrongCondition {
                at: String::new(),
                part: Part::Name,
                message: format!("no such condition: `{name}`"),
                help: near::help(name, Self::NAMES),
            }]),
        }
    }

    /// The names of all conditions.
    pub const NAMES: [&str; 15] = [
        "equals",
        "one-of",
        "not-one-of",
        "present",
        "type",
        "length",
        "at-least",
        "at-most",
        "contains",
        "lacks",
        "starts-with",
        "differs-from",
        "empty-or-absent",
        "each",
        "some",
    ];

    /// The condition with every value in it put through `change`; used to fill in references.
    ///
    /// # Errors
    /// The first error of `change`.
    pub fn map_values<E>(&self, change: &mut impl FnMut(&Value) -> Result<Value, E>) -> Result<Self, E> {
        let list = |values: &[Value], change: &mut dyn FnMut(&Value) -> Result<Value, E>| {
            values.iter().map(change).collect::<Result<Vec<_>, E>>()
        };
        Ok(match self {
            Self::Equals(value) => Self::Equals(change(value)?),
            Self::OneOf(values) => Self::OneOf(list(values, change)?),
            Self::NotOneOf(values) => Self::NotOneOf(list(values, change)?),
            Self::Contains(value) => Self::Contains(change(value)?),
            Self::Lacks(value) => Self::Lacks(change(value)?),
            Self::DiffersFrom(value) => Self::DiffersFrom(change(value)?),
            Self::StartsWith(text) => match change(&Value::String(text.clone()))? {
                Value::String(text) => Self::StartsWith(text),
                other => Self::Equals(other),
            },
            Self::EndsWith(text) => match change(&Value::String(text.clone()))? {
                Value::String(text) => Self::EndsWith(text),
                other => Self::Equals(other),
            },
            Self::Last(places) => Self::Last(map_places(places, change)?),
            Self::AnyOf(groups) => Self::AnyOf(map_groups(groups, change)?),
            Self::NeverAfter(once, never) => Self::NeverAfter(map_groups(once, change)?, map_groups(never, change)?),
            Self::NoneOf(groups) => Self::NoneOf(map_groups(groups, change)?),
            Self::Each(places) => Self::Each(map_places(places, change)?),
            Self::Some(places) => Self::Some(map_places(places, change)?),
            Self::All(parts) => {
                let mut changed = Vec::with_capacity(parts.len());
                for part in parts {
                    changed.push(part.map_values(change)?);
                }
                Self::All(changed)
            }
            other => other.clone(),
        })
    }
}

/// Conditions of several places with every value in them put through `change`.
fn map_places<E, F: FnMut(&Value) -> Result<Value, E>>(
    places: &BTreeMap<String, Matcher>,
    change: &mut F,
) -> Result<BTreeMap<String, Matcher>, E> {
    places.iter().map(|(place, matcher)| Ok((place.clone(), matcher.map_values(change)?))).collect()
}

fn map_groups<E, F: FnMut(&Value) -> Result<Value, E>>(
    groups: &[BTreeMap<String, Matcher>],
    change: &mut F,
) -> Result<Vec<BTreeMap<String, Matcher>>, E> {
    groups.iter().map(|group| map_places(group, change)).collect()
}

impl WrongCondition {
    fn value(message: &str, help: Option<&str>) -> Self {
        let help = help.map(str::to_owned);
        Self { at: String::new(), part: Part::Value, message: message.to_owned(), help }
    }

    /// The same of what stands under a name.
    pub(super) fn below(self, name: &str) -> Self {
        Self { at: format!("{}{}", inner("", name), self.at), ..self }
    }
}

/// What is wrong with a place in a case file, if it is no pointer (RFC 6901).
pub(super) fn check_pointer(place: &str) -> Option<WrongCondition> {
    if pointer::tokens(place).is_some() {
        return None;
    }
    let help = match place.starts_with('/') {
        true => "`~` is written as `~0`, and `/` in a name as `~1`".to_owned(),
        false => format!("did you mean `/{place}`?"),
    };
    let message = format!("`{place}` is no JSON pointer");
    Some(WrongCondition { at: inner("", place), part: Part::Name, message, help: Some(help) })
}

fn read_length(arg: &Value) -> Option<Matcher> {
    let count = |value: &Value| value.as_u64().and_then(|count| usize::try_from(count).ok());
    if let Some(exact) = count(arg) {
        return Some(Matcher::Length(Some(exact), Some(exact)));
    }
    let members = arg.as_object()?;
    if members.is_empty() || members.keys().any(|name| name != "min" && name != "max") {
        return None;
    }
    let bound = |name: &str| match members.get(name) {
        Some(value) => count(value).map(Some),
        None => Some(None),
    };
    Some(Matcher::Length(bound("min")?, bound("max")?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_bare_value_is_to_be_equalled() {
        assert_eq!(Matcher::read(&json!("x")), Ok(Matcher::Equals(json!("x"))));
        assert_eq!(Matcher::read(&json!([1])), Ok(Matcher::Equals(json!([1]))));
    }

    #[test]
    fn several_conditions_must_all_hold() {
        let read = Matcher::read(&json!({"type": "array", "length": {"max": 2}}));
        assert_eq!(read, Ok(Matcher::All(vec![Matcher::Type(Kind::Array), Matcher::Length(None, Some(2))])));
    }

    #[test]
    fn everything_that_is_wrong_is_told_in_its_place() {
        let wrong = json!({"equal": 1, "type": "strng", "each": { "id": { "presnt": true }, "/a~": { "length": -1 } }});
        let told = Matcher::read(&wrong).unwrap_err();
        let told: Vec<String> = told
            .into_iter()
            .map(|one| format!("{} {:?}: {} ({})", one.at, one.part, one.message, one.help.unwrap_or_default()))
            .collect();
        insta::assert_snapshot!(told.join("\n"));
    }

    #[test]
    fn every_condition_has_a_name() {
        for name in Matcher::NAMES {
            let told = Matcher::read(&json!({ name: {"x": 1} })).err().unwrap_or_default();
            assert!(told.iter().all(|one| !one.message.starts_with("no such")), "{name}");
        }
    }
}
