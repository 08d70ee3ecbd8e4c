//! The values of a JSON text and where they stand.

use std::fmt;
use std::ops::Range;

use super::Number;

/// One value and the bytes that spell it.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// What the value is.
    pub kind: Kind,
    /// Its bytes, without white space around.
    pub span: Range<usize>,
}

/// The seven shapes of a JSON value (RFC 8259 section 3).
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number with its spelling.
    Number(Number),
    /// A string.
    String(Text),
    /// An array, in order.
    Array(Vec<Node>),
    /// An object, in the order of the text, duplicates kept.
    Object(Vec<Member>),
}

/// A name and its value in an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// The name.
    pub key: Text,
    /// The bytes of the name, quotes included.
    pub key_span: Range<usize>,
    /// The value.
    pub value: Node,
}

/// A string with its escapes resolved.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Text {
    value: Box<str>,
    lone_surrogate: bool,
}

impl Text {
    pub(super) fn new(value: Box<str>, lone_surrogate: bool) -> Self {
        Self { value, lone_surrogate }
    }

    /// The characters; a lone surrogate escape is replaced by U+FFFD.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.value
    }

    /// Whether the spelling has an escape such as `\ud800` without its partner: JSON by its grammar, but no Unicode
    /// text, and receivers differ on it (RFC 8259 section 8.2).
    #[must_use]
    pub fn has_lone_surrogate(&self) -> bool {
        self.lone_surrogate
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

impl Node {
    /// The member called `key`, the last one if there are several; `None` too if this is no object.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        let members = self.as_object()?;
        let member = members.iter().rev().find(|m| m.key.as_str() == key)?;
        Some(&member.value)
    }

    /// The items, if this is an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Node]> {
        match &self.kind {
            Kind::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The members, if this is an object.
    #[must_use]
    pub fn as_object(&self) -> Option<&[Member]> {
        match &self.kind {
            Kind::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The characters, if this is a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            Kind::String(text) => Some(text.as_str()),
            _ => None,
        }
    }

    /// The number, if this is one.
    #[must_use]
    pub fn as_number(&self) -> Option<&Number> {
        match &self.kind {
            Kind::Number(number) => Some(number),
            _ => None,
        }
    }

    /// Whether this is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self.kind, Kind::Null)
    }

    /// This value as an ordinary one; see [`Document::value`](super::Document::value).
    #[must_use]
    pub fn to_value(&self) -> serde_json::Value {
        use serde_json::Value;
        match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(*value),
            Kind::Number(number) => Value::Number(number.to_value()),
            Kind::String(text) => Value::String(text.as_str().to_owned()),
            Kind::Array(items) => Value::Array(items.iter().map(Node::to_value).collect()),
            Kind::Object(members) => {
                Value::Object(members.iter().map(|m| (m.key.as_str().to_owned(), m.value.to_value())).collect())
            }
        }
    }

    /// A few words for a message: `number 1.5`, `string "abc"`, `array of 3`, cut to a readable length.
    #[must_use]
    pub fn describe(&self) -> String {
        const SHOWN: usize = 60;
        let cut = |text: &str| -> String {
            let mut short: String = text.chars().take(SHOWN).collect();
            if short.len() < text.len() {
                short.push('…');
            }
            short
        };
        match &self.kind {
            Kind::Null => "null".to_owned(),
            Kind::Bool(value) => format!("boolean {value}"),
            Kind::Number(number) => format!("number {}", cut(number.lexeme())),
            Kind::String(text) => format!("string {:?}", cut(text.as_str())),
            Kind::Array(items) => format!("array of {}", items.len()),
            Kind::Object(members) => format!("object of {}", members.len()),
        }
    }
}
