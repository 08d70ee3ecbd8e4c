//! From nodes to types. What is wrong has the place of the innermost node around it.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::node::{Content, Name, Node, Span};
use super::placed;

/// Why nodes are no such type, and where.
#[derive(Debug)]
pub(super) struct Refusal {
    pub message: String,
    pub at: Option<Span>,
}

impl Refusal {
    fn within(mut self, span: Span) -> Self {
        self.at.get_or_insert(span);
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}

impl de::Error for Refusal {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { message: message.to_string(), at: None }
    }
}

/// A node of a text, to be read as a type.
#[derive(Clone, Copy)]
pub(super) struct Reader<'de> {
    pub node: &'de Node,
    pub text: &'de str,
}

impl<'de> Reader<'de> {
    fn inner(self, node: &'de Node) -> Self {
        Self { node, ..self }
    }

    /// The characters of a number or a word: where a type wants a text, `1.0` is one.
    fn written(self) -> Option<&'de str> {
        let Span { start, length, .. } = self.node.span;
        let start = usize::try_from(start).ok()?;
        self.text.get(start..start.checked_add(usize::try_from(length).ok()?)?)
    }

    fn visit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match &self.node.content {
            Content::Null => visitor.visit_unit(),
            Content::Bool(value) => visitor.visit_bool(*value),
            Content::Unsigned(number) => visitor.visit_u64(*number),
            Content::Signed(number) => visitor.visit_i64(*number),
            Content::Float(number) => visitor.visit_f64(*number),
            Content::Text(text) => visitor.visit_borrowed_str(text),
            Content::List(items) => visitor.visit_seq(Items { reader: self, items: items.iter() }),
            Content::Map(members) => visitor.visit_map(Members { reader: self, members: members.iter(), value: None }),
        }
    }

    fn refuse<T>(self, message: &str) -> Result<T, Refusal> {
        Err(<Refusal as de::Error>::custom(message).within(self.node.span))
    }
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = Refusal;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        self.visit(visitor).map_err(|refusal| refusal.within(self.node.span))
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        use Content::{Bool, Float, Signed, Unsigned};
        match (&self.node.content, self.written()) {
            (Bool(_) | Unsigned(_) | Signed(_) | Float(_), Some(written)) => {
                visitor.visit_borrowed_str(written).map_err(|refusal: Refusal| refusal.within(self.node.span))
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.node.content {
            Content::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Refusal> {
        match name {
            placed::NAME => visitor.visit_seq(placed::Parts::new(self)),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.node.content {
            Content::List(_) => self.deserialize_any(visitor),
            _ => self.refuse("a list is expected here"),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.node.content {
            Content::Map(_) => self.deserialize_any(visitor),
            _ => self.refuse("a map is expected here"),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        let read = match (&self.node.content, self.written()) {
            (Content::Text(text), _) => {
                visitor.visit_enum(IntoDeserializer::<Refusal>::into_deserializer(text.as_str()))
            }
            (Content::Map(members), _) => match members.as_slice() {
                [(name, value)] => visitor.visit_enum(Variant { name, value: self.inner(value) }),
                _ => return self.refuse("one name is expected here, with its value"),
            },
            (Content::List(_) | Content::Null, _) | (_, None) => return self.refuse("a name is expected here"),
            (_, Some(written)) => visitor.visit_enum(IntoDeserializer::<Refusal>::into_deserializer(written)),
        };
        read.map_err(|refusal: Refusal| refusal.within(self.node.span))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct identifier
    }
}

/// The items of a list.
struct Items<'de> {
    reader: Reader<'de>,
    items: std::slice::Iter<'de, Node>,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Refusal;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Refusal> {
        self.items.next().map(|item| seed.deserialize(self.reader.inner(item))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

/// The members of a map.
struct Members<'de> {
    reader: Reader<'de>,
    members: std::slice::Iter<'de, (Name, Node)>,
    value: Option<&'de Node>,
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = Refusal;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Refusal> {
        let Some((name, value)) = self.members.next() else { return Ok(None) };
        self.value = Some(value);
        let text: StrDeserializer<'_, Refusal> = name.text.as_str().into_deserializer();
        seed.deserialize(text).map(Some).map_err(|refusal| refusal.within(name.span))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Refusal> {
        let value = self.value.take().ok_or_else(|| <Refusal as de::Error>::custom("a value without a name"))?;
        seed.deserialize(self.reader.inner(value)).map_err(|refusal| refusal.within(value.span))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.members.len())
    }
}

/// A name with what belongs to it: one of several types.
struct Variant<'de> {
    name: &'de Name,
    value: Reader<'de>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Refusal;
    type Variant = Reader<'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Reader<'de>), Refusal> {
        let text: StrDeserializer<'_, Refusal> = self.name.text.as_str().into_deserializer();
        let variant = seed.deserialize(text).map_err(|refusal| refusal.within(self.name.span))?;
        Ok((variant, self.value))
    }
}

impl<'de> VariantAccess<'de> for Reader<'de> {
    type Error = Refusal;

    fn unit_variant(self) -> Result<(), Refusal> {
        match self.node.content {
            Content::Null => Ok(()),
            _ => self.refuse("nothing is expected here"),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Refusal> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Refusal> {
        self.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, Refusal> {
        self.deserialize_map(visitor)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use crate::yaml::{Placed, read};

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "kebab-case")]
    struct Shelf {
        label: Placed<String>,
        #[serde(default)]
        jars: Vec<Jar>,
        #[serde(default)]
        weights: BTreeMap<String, u8>,
        #[serde(default)]
        lid: Option<Lid>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Lid {
        Open,
        Shut { with: String },
        Half(bool),
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(tag = "of", rename_all = "kebab-case")]
    enum Jar {
        Jam { price: f64 },
        Salt,
    }

    #[test]
    fn a_text_is_read_as_a_type() {
        let text = "label: 1.0\njars: [{ of: jam, price: 2 }, { of: salt }]\nweights: { a: 255, on: 1 }\nlid: { shut: { with: 07 } }\n";
        let shelf: Shelf = read("shelf.yaml", text).unwrap();
        let span = shelf.label.span.unwrap();
        assert_eq!((shelf.label.value.as_str(), span.start, span.length, span.line), ("1.0", 7, 3, 1));
        assert_eq!(shelf.jars, [Jar::Jam { price: 2.0 }, Jar::Salt]);
        assert_eq!(shelf.weights.into_iter().collect::<Vec<_>>(), [("a".to_owned(), 255), ("on".to_owned(), 1)]);
        assert_eq!(shelf.lid, Some(Lid::Shut { with: "07".to_owned() }));
        let lid = |text: &str| read::<Shelf>("shelf.yaml", &format!("label: a\nlid: {text}\n")).unwrap().lid;
        assert_eq!([lid("open"), lid("{ half: true }"), lid("~")], [Some(Lid::Open), Some(Lid::Half(true)), None]);
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        let texts = [
            "label: a\ncolour: red\n",
            "jars: []\n",
            "label: [a]\n",
            "label: a\njars: salt\n",
            "label: a\njars: [salt]\n",
            "label: a\njars: [{ of: salt }, { of: sand }]\n",
            "label: a\nweights: { a: 256 }\n",
            "label: a\nweights: [a]\n",
            "label: a\nlid: ajar\n",
            "label: a\nlid: { half: no }\n",
            "label: a\nlid: { open: 1 }\n",
            "label: a\nlid: {}\n",
            "label: a\nlid: [open]\n",
            "label: a\nlabel: b\n",
            "- label: a\n",
        ];
        let reported = texts.map(|text| {
            let mistake = read::<Shelf>("shelf.yaml", text).unwrap_err();
            let offset = mistake.offset.unwrap();
            format!("{text:?} at {:?}: {}", &text[offset..offset + mistake.length], mistake.message)
        });
        insta::assert_snapshot!(reported.join("\n"));
    }
}
