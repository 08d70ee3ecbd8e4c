//! What a YAML text holds, with the place of everything in it.
//!
//! `build.rs` has this file, too: it reads the texts that the program carries, and leaves their nodes beside them. So a start of the
//! program parses no YAML.

use std::fmt;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Number, Value};
use serde_saphyr::options::DuplicateKeyPolicy;
use serde_saphyr::{Location, Spanned};

/// A value, and where it is.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Its place in the text.
    pub span: Span,
    /// What it is.
    pub content: Content,
}

/// What a value is. The text has the digits of a number.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the kinds of JSON")]
pub enum Content {
    Null,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    /// The members in their order, and those that are there twice.
    Map(Vec<(Name, Node)>),
}

/// The name of a member, and where it is.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Name {
    /// Its place in the text.
    pub span: Span,
    /// The name.
    pub text: String,
}

/// A place in a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// The first of its bytes.
    pub start: u32,
    /// How many bytes it has.
    pub length: u32,
    /// The line of the first, counted from 1.
    pub line: u32,
}

/// Reads a text. Booleans are `true` and `false` only: `no` is a word, as its writer meant it.
///
/// # Errors
/// What keeps the text from being YAML.
pub fn read(text: &str) -> Result<Node, Box<serde_saphyr::Error>> {
    let options = serde_saphyr::options! { strict_booleans: true, duplicate_keys: DuplicateKeyPolicy::LastWins };
    let root: Spanned<Read> = serde_saphyr::from_str_with_options(text, options)?;
    Ok(node(text, root))
}

/// The byte at a line and a column, both counted from 1.
pub fn offset_of(text: &str, line: u64, column: u64) -> usize {
    let number = |number: u64| usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
    let start: usize = text.split_inclusive('\n').take(number(line)).map(str::len).sum();
    let rest = text.get(start..).unwrap_or_default();
    let width = rest.char_indices().nth(number(column)).map_or(rest.len(), |(at, _)| at);
    start + width
}

impl Node {
    /// The node as a JSON value. Of a name that is there twice in one map the first counts.
    pub fn to_value(&self) -> Value {
        match &self.content {
            Content::Null => Value::Null,
            Content::Bool(value) => Value::Bool(*value),
            Content::Unsigned(number) => Value::Number((*number).into()),
            Content::Signed(number) => Value::Number((*number).into()),
            Content::Float(number) => Number::from_f64(*number).map_or(Value::Null, Value::Number),
            Content::Text(text) => Value::String(text.clone()),
            Content::List(items) => items.iter().map(Self::to_value).collect(),
            Content::Map(members) => {
                let mut object = Map::with_capacity(members.len());
                for (name, value) in members {
                    object.entry(name.text.as_str()).or_insert_with(|| value.to_value());
                }
                Value::Object(object)
            }
        }
    }
}

/// What the reader gives.
enum Read {
    Leaf(Content),
    List(Vec<Spanned<Read>>),
    Map(Vec<(Spanned<String>, Spanned<Read>)>),
}

fn node(text: &str, read: Spanned<Read>) -> Node {
    let span = span(text, read.referenced);
    let content = match read.value {
        Read::Leaf(content) => content,
        Read::List(items) => Content::List(items.into_iter().map(|item| node(text, item)).collect()),
        Read::Map(members) => {
            let member = |(name, value): (Spanned<String>, _)| {
                (Name { span: self::span(text, name.referenced), text: name.value }, node(text, value))
            };
            Content::Map(members.into_iter().map(member).collect())
        }
    };
    Node { span, content }
}

/// The bytes that a location covers.
fn span(text: &str, location: Location) -> Span {
    let span = location.span();
    let number = |number: u64| u32::try_from(number).ok();
    let line = number(location.line()).unwrap_or_default();
    match (span.byte_offset().and_then(number), span.byte_len().and_then(number)) {
        (Some(start), Some(length)) => Span { start, length, line },
        _ => {
            let start = u32::try_from(offset_of(text, location.line(), location.column())).unwrap_or(u32::MAX);
            Span { start, length: 0, line }
        }
    }
}

impl<'de> Deserialize<'de> for Read {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ReadVisitor)
    }
}

struct ReadVisitor;

impl<'de> Visitor<'de> for ReadVisitor {
    type Value = Read;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Read, E> {
        Ok(Read::Leaf(Content::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Read, E> {
        Ok(Read::Leaf(Content::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Read, E> {
        Ok(Read::Leaf(u64::try_from(value).map_or(Content::Signed(value), Content::Unsigned)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Read, E> {
        Ok(Read::Leaf(Content::Unsigned(value)))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Read, E> {
        Ok(Read::Leaf(Content::Float(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Read, E> {
        Ok(Read::Leaf(Content::Text(value.to_owned())))
    }

    fn visit_string<E>(self, value: String) -> Result<Read, E> {
        Ok(Read::Leaf(Content::Text(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Read, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Read::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Read, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = access.next_entry()? {
            members.push(member);
        }
        Ok(Read::Map(members))
    }
}
