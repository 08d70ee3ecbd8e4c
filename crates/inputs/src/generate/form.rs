//! What values of a schema look like once every alternative in it has been decided.

use serde_json::Value;

/// The types of a JSON value, the one that is taken first before the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Object = 1,
    Array = 2,
    String = 4,
    Integer = 8,
    Number = 16,
    Boolean = 32,
    Null = 64,
}

/// A set of types. `Number` is a number with a fraction here, so that no value is of two types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Types(u8);

impl Types {
    pub const ALL: [Type; 7] =
        [Type::Object, Type::Array, Type::String, Type::Integer, Type::Number, Type::Boolean, Type::Null];

    pub fn any() -> Self {
        Self(127)
    }

    pub fn none() -> Self {
        Self(0)
    }

    /// The type of a value.
    pub fn of(value: &Value) -> Self {
        Self::only(match value {
            Value::Object(_) => Type::Object,
            Value::Array(_) => Type::Array,
            Value::String(_) => Type::String,
            Value::Bool(_) => Type::Boolean,
            Value::Null => Type::Null,
            Value::Number(number) if number.is_f64() => Type::Number,
            Value::Number(_) => Type::Integer,
        })
    }

    pub fn only(kind: Type) -> Self {
        Self(kind as u8)
    }

    /// The types that a keyword `type` names.
    pub fn named(keyword: &Value) -> Self {
        let one = |name: &Value| match name.as_str() {
            Some("object") => Type::Object as u8,
            Some("array") => Type::Array as u8,
            Some("string") => Type::String as u8,
            Some("integer") => Type::Integer as u8,
            Some("number") => Type::Number as u8 | Type::Integer as u8,
            Some("boolean") => Type::Boolean as u8,
            Some("null") => Type::Null as u8,
            _ => 0,
        };
        Self(match keyword {
            Value::Array(several) => several.iter().fold(0, |all, name| all | one(name)),
            name => one(name),
        })
    }

    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// All types but these.
    pub fn others(self) -> Self {
        Self(!self.0 & 127)
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn has(self, kind: Type) -> bool {
        self.0 & kind as u8 != 0
    }

    /// Its types, the simplest first.
    pub fn iter(self) -> impl Iterator<Item = Type> {
        Self::ALL.into_iter().filter(move |kind| self.has(*kind))
    }

    /// Whether a value is of one of the types.
    pub fn hold(self, value: &Value) -> bool {
        !self.and(Self::of(value)).is_empty()
    }
}

/// Where the forms of something stand among all forms.
pub(super) type Node = usize;

/// The node of what may be anything.
pub(super) const ANYTHING: Node = 0;

/// One way in which a value can satisfy a schema.
#[derive(Debug, Clone)]
pub(super) struct Form {
    pub types: Types,
    /// The values that it can have, where they are listed. All are of the types.
    pub values: Option<Vec<Value>>,
    /// Strings and other values that it must not have.
    pub not: Vec<Value>,
    /// The members that an object may or must have.
    pub members: Vec<Member>,
    /// What further members hold, where the schema says so: an object that is a map.
    pub rest: Option<Node>,
    pub items: Node,
    pub least_items: usize,
    pub least_members: usize,
    pub most_members: usize,
    pub least: Option<i64>,
    pub most: Option<i64>,
    /// Whether the schema allows values that no form stands for, such as texts by a pattern.
    pub leaves_out: bool,
}

impl Form {
    /// Whether a value is surely none of this form, without a look into it.
    pub fn is_broken_by(&self, value: &Value) -> bool {
        let is_beyond =
            |number: i64| self.least.is_some_and(|least| number < least) || self.most.is_some_and(|most| number > most);
        if self.leaves_out {
            return false;
        }
        !self.types.hold(value)
            || self.values.as_ref().is_some_and(|values| !values.contains(value))
            || value.as_i64().is_some_and(is_beyond)
            || value.as_array().is_some_and(|items| items.len() < self.least_items)
    }

    /// Whether an object must have a member of this name.
    pub fn requires(&self, name: &str) -> bool {
        self.members.iter().any(|member| member.is_required && member.name == name)
    }
}

/// A member of an object.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub name: String,
    pub node: Node,
    pub is_required: bool,
}
