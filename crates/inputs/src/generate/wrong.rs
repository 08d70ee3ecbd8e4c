//! Values with exactly one thing wrong.

use std::fmt;

use serde_json::{Value, json};

use super::form::{Form, Member, Type, Types};
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

/// Something that may be done at a place of a right value, so that it is wrong. What goes there is made when it is chosen.
struct Idea<'v> {
    class: Class,
    place: &'v Place,
    how: How<'v>,
}

/// What is done there.
#[derive(Clone, Copy)]
enum How<'v> {
    /// The value becomes another one.
    Other,
    /// It becomes a number above the most, or below the least.
    Beyond(i64, i64),
    /// A member is taken away.
    Without(&'v str),
    /// A member is added that is required in another form.
    With,
}

/// A change that may make a right value wrong.
struct Change {
    class: Class,
    pointer: String,
    /// What goes there; `None` takes away what is there.
    value: Option<Value>,
}

impl Change {
    /// Makes it in a value; `false` where there is no such place.
    fn apply(&self, value: &mut Value) -> bool {
        let Some((parent, token)) = self.pointer.rsplit_once('/') else {
            return self.value.clone().map(|other| *value = other).is_some();
        };
        let Some(name) = pointer::tokens(&format!("/{token}")).and_then(|mut tokens| tokens.pop()) else {
            return false;
        };
        match (value.pointer_mut(parent), self.value.clone()) {
            (Some(Value::Object(members)), Some(value)) => {
                members.insert(name, value);
                true
            }
            (Some(Value::Object(members)), None) => members.shift_remove(&name).is_some(),
            (Some(Value::Array(items)), Some(value)) => {
                let item = pointer::index(&name).and_then(|index| items.get_mut(index));
                item.map(|item| *item = value).is_some()
            }
            _ => false,
        }
    }
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
    let mut value = values.with_places(kind, choices, &mut places);
    let places = places.unwrap_or_default();
    let mut ideas: Vec<Idea<'_>> = places.iter().flat_map(|place| ideas(values, place, only)).collect();
    // Each class as often as the others, however many ideas are of it.
    ideas.sort_by_key(|idea| idea.class);
    let of_classes: Vec<&[Idea<'_>]> = ideas.chunk_by(|one, other| one.class == other.class).collect();
    for attempt in 0..TRIES {
        let of_class = of_classes.get((wanted % 251 + attempt) % of_classes.len().max(1))?;
        let idea = of_class.get((wanted / 251 + attempt) % of_class.len().max(1))?;
        let Some(change) = idea.change(values, &value, choices) else { continue };
        if idea.is_surely_wrong(values, &change) {
            if change.apply(&mut value) {
                let what = Wrong { class: change.class, pointer: change.pointer.clone() };
                debug_assert_eq!(judged(values, kind, &value, &change).as_ref(), Some(&what), "{value}");
                return Some((value, what));
            }
            continue;
        }
        let mut wrong = value.clone();
        let what = if change.apply(&mut wrong) { judged(values, kind, &wrong, &change) } else { None };
        if let Some(what) = what.filter(|what| only.is_none_or(|only| what.class == only)) {
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
    // Which of the two it is to take a member away, the schema tells.
    let (class, pointer) = match change.class {
        Class::NoneOfSeveral if at(&change.pointer) => (Class::MissingMember, change.pointer.as_str()),
        class if at(&change.pointer) => (class, change.pointer.as_str()),
        Class::MissingMember if at(parent) => (Class::NoneOfSeveral, parent),
        class @ (Class::NoneOfSeveral | Class::TwoOfSeveral) if at(parent) => (class, parent),
        _ => return None,
    };
    Some(Wrong { class, pointer: pointer.to_owned() })
}

/// The types of what may stand at a place.
fn allowed(forms: &[Form]) -> Types {
    forms.iter().fold(Types::none(), |all, form| all.or(form.types))
}

/// What may be done at a place, as far as its form tells; only of a class, where one is named.
fn ideas<'v>(values: &'v Values, place: &'v Place, only: Option<Class>) -> Vec<Idea<'v>> {
    let forms = values.forms.at(place.node);
    let Some(form) = forms.get(place.form) else { return Vec::new() };
    let mut found = Vec::new();
    let mut add = |class, how| {
        if only.is_none_or(|only| only == class) {
            found.push(Idea { class, place, how });
        }
    };
    let allowed = allowed(forms);
    let numbers = Types::only(Type::Integer).or(Types::only(Type::Number));
    let may_be = |types: Types| !form.types.and(types).is_empty();
    add(Class::WrongType, How::Other);
    if !allowed.has(Type::Null) {
        add(Class::Null, How::Other);
    }
    match form.values.as_deref() {
        Some([_]) => add(Class::WrongConstant, How::Other),
        Some(_) => add(Class::UnknownEnumValue, How::Other),
        None => {}
    }
    if form.values.is_some() {
        add(Class::OtherCase, How::Other);
    }
    if form.least_items > 0 {
        add(Class::EmptyArray, How::Other);
    }
    if may_be(numbers) {
        if let Some(most) = form.most.and_then(|most| most.checked_add(1)) {
            add(Class::OutOfRange, How::Beyond(most, i64::MAX));
        }
        if let Some(least) = form.least.and_then(|least| least.checked_sub(1)) {
            add(Class::OutOfRange, How::Beyond(i64::MIN, least));
        }
        if !allowed.has(Type::Number) {
            add(Class::NotWhole, How::Other);
        }
    }
    for member in form.members.iter().filter(|member| member.is_required) {
        add(Class::MissingMember, How::Without(&member.name));
        if forms.iter().any(|other| !other.requires(&member.name)) {
            add(Class::NoneOfSeveral, How::Without(&member.name));
        }
    }
    if further(forms, form).next().is_some() {
        add(Class::TwoOfSeveral, How::With);
    }
    found
}

/// The members that must be there in other forms, and need not in this one.
fn further<'f>(forms: &'f [Form], form: &'f Form) -> impl Iterator<Item = (&'f Form, &'f Member)> {
    let all = forms.iter().flat_map(|other| other.members.iter().map(move |member| (other, member)));
    all.filter(move |(_, member)| member.is_required && !form.requires(&member.name))
}

impl Idea<'_> {
    /// Whether its change breaks the only form that there is: then no schema need be asked, of which each takes longer than the value
    /// took to be made.
    fn is_surely_wrong(&self, values: &Values, change: &Change) -> bool {
        let form = values.forms.at(self.place.node).first().filter(|_| self.place.is_plain);
        form.is_some_and(|form| match (self.how, &change.value) {
            (How::Without(name), None) => self.class == Class::MissingMember && form.requires(name),
            (How::Other | How::Beyond(..), Some(value)) => form.is_broken_by(value),
            _ => false,
        })
    }

    /// What it comes to; nothing where the value that stands there is not one of which it can be made.
    fn change(&self, values: &Values, whole: &Value, choices: &mut Choices<'_>) -> Option<Change> {
        let Place { pointer, node, form, .. } = self.place;
        let forms = values.forms.at(*node);
        let (form, value) = forms.get(*form).zip(whole.pointer(pointer))?;
        let inside = |name: &str, value: &Value| {
            let mut pointer = pointer.clone();
            pointer::push(&mut pointer, name);
            value.is_object().then_some(pointer)
        };
        let (pointer, value) = match self.how {
            How::Other => (pointer.clone(), Some(self.other(forms, value, choices)?)),
            How::Beyond(least, most) if value.is_number() => {
                (pointer.clone(), Some(json!(number::integer(least, most, choices))))
            }
            How::Beyond(..) => return None,
            How::Without(name) => (inside(name, value)?, None),
            How::With => {
                let others: Vec<_> = further(forms, form).collect();
                let (other, member) = choices.pick(&others)?;
                let Value::Object(mut members) = values.of_form(other, choices) else { return None };
                (inside(&member.name, value)?, Some(members.shift_remove(&member.name)?))
            }
        };
        Some(Change { class: self.class, pointer, value })
    }

    /// What stands there in place of a value.
    fn other(&self, forms: &[Form], value: &Value, choices: &mut Choices<'_>) -> Option<Value> {
        match (self.class, value) {
            (Class::WrongType, _) => {
                let allowed = allowed(forms);
                let others: Vec<Type> = allowed.others().iter().filter(|kind| *kind != Type::Null).collect();
                sample(*choices.pick(&others)?, value, allowed)
            }
            (Class::Null, value) => (!value.is_null()).then_some(Value::Null),
            (Class::OtherCase, Value::String(text)) => {
                Some(other_case(text)).filter(|other| other != text).map(Value::String)
            }
            (Class::UnknownEnumValue | Class::WrongConstant, Value::String(text)) => {
                Some(json!(unknown(text, choices)))
            }
            (Class::UnknownEnumValue | Class::WrongConstant, Value::Number(_)) => {
                Some(json!(number::integer(1000, i64::from(i32::MAX), choices)))
            }
            (Class::EmptyArray, Value::Array(items)) => (!items.is_empty()).then(|| json!([])),
            (Class::NotWhole, Value::Number(_)) => Some(json!(1.5)),
            _ => None,
        }
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
