//! Values of types that know their place.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::U32Deserializer;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IntoDeserializer, SeqAccess, Visitor};

use super::node::Span;
use super::typed::{Reader, Refusal};

/// By what the reader knows that a place is wanted, too.
pub(super) const NAME: &str = "$a2aspec::yaml::Placed";

/// A value, and where it is in its file.
#[derive(Debug, Clone)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// Its place; none of what is in no file.
    pub span: Option<Span>,
}

impl<T> Placed<T> {
    /// A value that is in no file.
    pub fn nowhere(value: T) -> Self {
        Self { value, span: None }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Placed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(NAME, PlacedVisitor(PhantomData))
    }
}

struct PlacedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for PlacedVisitor<T> {
    type Value = Placed<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Placed<T>, D::Error> {
        T::deserialize(deserializer).map(Placed::nowhere)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Placed<T>, A::Error> {
        let number =
            |parts: &mut A| parts.next_element::<u32>()?.ok_or_else(|| A::Error::custom("a place has three numbers"));
        let (start, length, line) = (number(&mut parts)?, number(&mut parts)?, number(&mut parts)?);
        let value = parts.next_element()?.ok_or_else(|| A::Error::custom("a place has a value"))?;
        Ok(Placed { value, span: Some(Span { start, length, line }) })
    }
}

/// The place of a node, number by number, and then its value.
pub(super) struct Parts<'de> {
    reader: Reader<'de>,
    next: usize,
}

impl<'de> Parts<'de> {
    pub(super) fn new(reader: Reader<'de>) -> Self {
        Self { reader, next: 0 }
    }
}

impl<'de> SeqAccess<'de> for Parts<'de> {
    type Error = Refusal;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Refusal> {
        let Span { start, length, line } = self.reader.node.span;
        let number = [start, length, line].get(self.next).copied();
        self.next += 1;
        let read = match number {
            Some(number) => {
                let number: U32Deserializer<Refusal> = number.into_deserializer();
                seed.deserialize(number)
            }
            None => seed.deserialize(self.reader),
        };
        read.map(Some)
    }
}
