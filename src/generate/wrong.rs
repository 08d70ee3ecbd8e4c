//! Values with exactly one thing wrong.

use std::fmt;

use serde_json::{Value, json};

use super::form::{Form, Type, Types};
use super::value::{Place, Values};
use super::{Choices, number, text};
use crate::wire::json::pointer;

/// What is wrong with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Class {
    /// A value of a type that cannot stand there.
    WrongType,
    /// Null where there is no null.
    Null,
    /// A member that must be there is not.
    MissingMember,
    /// Of several members of which one must be there, none is.
    NoneOfSeveral,
    /// Of several members of which one may be there, two are.
    TwoOfSeveral,
    /// A string that is no value of its enum.
    UnknownEnumValue,
    /// A value of an enum with other upper and lower case.
    OtherCase,
    /// Something else than the one value that may stand there.
    WrongConstant,
    /// An array without an item where one must be.
    EmptyArray,
    /// A number beyond its bounds.
    OutOfRange,
    /// A number with a fraction where it must be whole.
    NotWhole,
}

impl Class {
    /// Every class.
    pub const ALL: [Self; 11] = [
        Self::WrongType,
        Self::Null,
        Self::MissingMember,
        Self::NoneOfSeveral,
        Self::TwoOfSeveral,
        Self::UnknownEnumValue,
        Self::OtherCase,
        Self::WrongConstant,
        Self::EmptyArray,
        Self::OutOfRange,
        Self::NotWhole,
    ];

    /// Its name in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::WrongType => "wrong-type",
            Self::Null => "null",
            Self::MissingMember => "missing-member",
            Self::NoneOfSeveral => "none-of-several",
            Self::TwoOfSeveral => "two-of-several",
            Self::UnknownEnumValue => "unknown-enum-value",
            Self::OtherCase => "other-case",
            Self::WrongConstant => "wrong-constant",
            Self::EmptyArray => "empty-array",
            Self::OutOfRange => "out-of-range",
            Self::NotWhole => "not-whole",
        }
    }

    /// What is wrong, in a few words.
    pub fn reason(self) -> &'static str {
        match self {
            Self::WrongType => "a value of the wrong type",
            Self::Null => "null where no null may stand",
            Self::MissingMember => "a required member is missing",
            Self::NoneOfSeveral => "none of the members of which one is required",
            Self::TwoOfSeveral => "two of the members of which only one may be set",
            Self::UnknownEnumValue => "a string that is no value of the enum",
            Self::OtherCase => "an enum value in the wrong case",
            Self::WrongConstant => "another value than the only one allowed",
            Self::EmptyArray => "an empty array where an item is required",
            Self::OutOfRange => "a number out of range",
            Self::NotWhole => "a number with a fraction where an integer is required",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The one thing that is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// What.
    pub class: Class,
    /// Where: JSON pointer to the wrong value, or to where the missing one should be.
    pub pointer: String,
}

/// A change that may make a right value wrong.
struct Change {
    class: Class,
    pointer: String,
    /// What goes there; `None` takes away what is there.
    value: Option<Value>,
}

/// How many changes are tried.
const TRIES: usize = 6;

/// A wrong value; only of a class, where one is named.
pub(super) fn make(
    values: &Values,
    kind: &str,
    only: Option<Class>,
    choices: &mut Choices<'_>,
) -> Option<(Value, Wrong)> {
    // What is wrong is chosen first, so that few bytes are enough to choose it.
    let wanted = choices.bits() as usize;
    let mut places = Some(Vec::new());
    let value = values.with_places(kind, choices, &mut places);
    let mut changes: Vec<Change> = Vec::new();
    for place in places.unwrap_or_default() {
        changes.extend(at(values, &value, &place, choices));
    }
    if let Some(only) = only {
        // None of several is found by taking a member away.
        let by = if only == Class::NoneOfSeveral { Class::MissingMember } else { only };
        changes.retain(|change| change.class == by);
    }
    let mut classes: Vec<Class> = changes.iter().map(|change| change.class).collect();
    classes.sort_unstable();
    classes.dedup();
    // Each class as often as the others, however many changes are of it.
    for attempt in 0..TRIES {
        let class = *classes.get((wanted % 251 + attempt) % classes.len().max(1))?;
        let of_class: Vec<&Change> = changes.iter().filter(|change| change.class == class).collect();
        let change = of_class.get((wanted / 251 + attempt) % of_class.len().max(1))?;
        let found = applied(&value, change).and_then(|wrong| Some((judged(values, kind, &wrong, change)?, wrong)));
        if let Some((what, wrong)) = found.filter(|(what, _)| only.is_none_or(|only| what.class == only)) {
            return Some((wrong, what));
        }
    }
    None
}

/// What is wrong with a changed value, by its schema; `None` where nothing is, or something is elsewhere.
fn judged(values: &Values, kind: &str, wrong: &Value, change: &Change) -> Option<Wrong> {
    let violations = values.schemas.violations(kind, wrong);
    let at = |pointer: &str| violations.iter().any(|violation| violation.place() == pointer);
    let parent = change.pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
    if at(&change.pointer) {
        return Some(Wrong { class: change.class, pointer: change.pointer.clone() });
    }
    match change.class {
        Class::MissingMember if at(parent) => Some(Wrong { class: Class::NoneOfSeveral, pointer: parent.to_owned() }),
        Class::TwoOfSeveral if at(parent) => Some(Wrong { class: change.class, pointer: parent.to_owned() }),
        _ => None,
    }
}

fn applied(value: &Value, change: &Change) -> Option<Value> {
    let mut changed = value.clone();
    if change.pointer.is_empty() {
        return change.value.clone();
    }
    let (parent, token) = change.pointer.rsplit_once('/')?;
    let name = pointer::tokens(&format!("/{token}"))?.pop()?;
    match (changed.pointer_mut(parent)?, &change.value) {
        (Value::Object(members), Some(value)) => {
            members.insert(name, value.clone());
        }
        (Value::Object(members), None) => {
            members.shift_remove(&name)?;
        }
        (Value::Array(items), Some(value)) => *items.get_mut(pointer::index(&name)?)? = value.clone(),
        _ => return None,
    }
    Some(changed)
}

/// What can be changed at a place.
fn at(values: &Values, whole: &Value, place: &Place, choices: &mut Choices<'_>) -> Vec<Change> {
    let forms = values.forms.at(place.node);
    let Some((form, value)) = forms.get(place.form).zip(whole.pointer(&place.pointer)) else { return Vec::new() };
    let mut found = Vec::new();
    let mut add = |class, value| found.push(Change { class, pointer: place.pointer.clone(), value: Some(value) });
    let allowed = forms.iter().fold(Types::none(), |all, form| all.or(form.types));
    let others: Vec<Type> = allowed.others().iter().filter(|kind| *kind != Type::Null).collect();
    if let Some(kind) = choices.pick(&others)
        && let Some(value) = sample(*kind, value, allowed)
    {
        add(Class::WrongType, value);
    }
    if !allowed.has(Type::Null) && !value.is_null() {
        add(Class::Null, Value::Null);
    }
    if let (Some(listed), Value::String(text)) = (&form.values, value) {
        let constant = listed.len() == 1;
        let class = if constant { Class::WrongConstant } else { Class::UnknownEnumValue };
        add(class, json!(unknown(text, choices)));
        let other = other_case(text);
        if other != *text {
            add(Class::OtherCase, json!(other));
        }
    }
    if form.values.is_some() && value.is_number() {
        add(Class::UnknownEnumValue, json!(number::integer(1000, i64::from(i32::MAX), choices)));
    }
    match value {
        Value::Array(items) if form.least_items > 0 && !items.is_empty() => add(Class::EmptyArray, json!([])),
        Value::Number(_) => {
            if let Some(most) = form.most.and_then(|most| most.checked_add(1)) {
                add(Class::OutOfRange, json!(number::integer(most, i64::MAX, choices)));
            }
            if let Some(least) = form.least.and_then(|least| least.checked_sub(1)) {
                add(Class::OutOfRange, json!(number::integer(i64::MIN, least, choices)));
            }
            if !allowed.has(Type::Number) {
                add(Class::NotWhole, json!(1.5));
            }
        }
        Value::Object(_) => of_object(values, forms, form, place, choices, &mut found),
        _ => {}
    }
    found
}

/// What can be changed about the members of an object.
fn of_object(
    values: &Values,
    forms: &[Form],
    form: &Form,
    place: &Place,
    choices: &mut Choices<'_>,
    found: &mut Vec<Change>,
) {
    let at = |name: &str| {
        let mut pointer = place.pointer.clone();
        pointer::push(&mut pointer, name);
        pointer
    };
    for member in form.members.iter().filter(|member| member.is_required) {
        found.push(Change { class: Class::MissingMember, pointer: at(&member.name), value: None });
    }
    let own = |name: &str| form.members.iter().any(|member| member.name == name && member.is_required);
    let others = forms.iter().flat_map(|other| other.members.iter().map(move |member| (other, member)));
    let others: Vec<_> = others.filter(|(_, member)| member.is_required && !own(&member.name)).collect();
    if let Some((other, member)) = choices.pick(&others)
        && let Value::Object(mut members) = values.of_form(other, choices)
        && let Some(value) = members.shift_remove(&member.name)
    {
        found.push(Change { class: Class::TwoOfSeveral, pointer: at(&member.name), value: Some(value) });
    }
}

/// A value of a type, made of the one that stands there where that can be.
fn sample(kind: Type, value: &Value, allowed: Types) -> Option<Value> {
    let made = match kind {
        Type::Object if value.is_string() => json!({ "value": value }),
        Type::Object => json!({}),
        Type::Array => json!([value]),
        Type::String => match value {
            Value::String(_) | Value::Null => json!("a"),
            other => Value::String(other.to_string()),
        },
        Type::Integer => json!(7),
        Type::Number => json!(1.5),
        Type::Boolean => json!(true),
        Type::Null => Value::Null,
    };
    (!allowed.hold(&made)).then_some(made)
}

fn unknown(value: &str, choices: &mut Choices<'_>) -> String {
    match choices.below(4) {
        0 => format!("{value}_"),
        1 => String::new(),
        2 => "UNKNOWN".to_owned(),
        _ => text::odd(choices).0,
    }
}

fn other_case(value: &str) -> String {
    let upper = value.to_uppercase();
    if upper == value { value.to_lowercase() } else { upper }
}
