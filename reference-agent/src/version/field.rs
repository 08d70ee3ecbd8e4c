//! Members of JSON objects, read so that every mistake can be told with its place.
//!
//! The structs of a version's `read` module have the shape of the wire, with every member a [`Field`]: serde fills
//! them without ever failing, and the conversion to the model then asks each field for what it needs.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Number, Value};

use super::base64;
use crate::core::Violation;
use crate::model::Metadata;

/// How deep free-form JSON may be nested: the limit of protobuf's readers, which other agents may use.
const DEEPEST_VALUE: usize = 100;

/// What reading gives, or the first mistake.
pub type Checked<T> = Result<T, Violation>;

/// A member of an object. `null` counts as unset.
#[derive(Debug, Default)]
pub enum Field<T> {
    /// Not there.
    #[default]
    Unset,
    /// There, and of the right type.
    Set(T),
    /// There, but not what it should be; the reason.
    Wrong(String),
}

/// A member that is an object.
pub type Nested<T> = Field<Object<T>>;

/// A member that is an array of objects.
pub type List<T> = Field<Vec<Nested<T>>>;

/// A member that is an array of strings.
pub type Strings = Field<Vec<Field<String>>>;

impl<'de, T: DeserializeOwned> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Value::deserialize(deserializer)? {
            Value::Null => Self::Unset,
            value => T::deserialize(value).map_or_else(|error| Self::Wrong(error.to_string()), Self::Set),
        })
    }
}

impl<T> Field<T> {
    /// The value, if there is one.
    pub fn optional(self, name: &str) -> Checked<Option<T>> {
        match self {
            Self::Unset => Ok(None),
            Self::Set(value) => Ok(Some(value)),
            Self::Wrong(reason) => Err(Violation::new(name, reason)),
        }
    }

    /// The value, which must be there.
    pub fn required(self, name: &str) -> Checked<T> {
        self.optional(name)?.ok_or_else(|| Violation::new(name, "is required"))
    }
}

impl<T> Field<T> {
    /// What `read` makes of the value, if there is one.
    pub fn optional_as<U>(self, name: &str, read: impl FnOnce(T) -> Checked<U>) -> Checked<Option<U>> {
        self.optional(name)?.map(read).transpose().map_err(|violation| violation.within(name))
    }

    /// What `read` makes of the value, which must be there.
    pub fn required_as<U>(self, name: &str, read: impl FnOnce(T) -> Checked<U>) -> Checked<U> {
        read(self.required(name)?).map_err(|violation| violation.within(name))
    }
}

impl<T> Field<Vec<Field<T>>> {
    /// What `read` makes of each element; nothing where the array is missing.
    pub fn each<U>(self, name: &str, read: impl Fn(T) -> Checked<U>) -> Checked<Vec<U>> {
        let elements = self.optional(name)?.unwrap_or_default();
        let read_at = |(index, element): (usize, Field<T>)| {
            let value = element.required("").and_then(&read);
            value.map_err(|violation| violation.within(&format!("[{index}]")).within(name))
        };
        elements.into_iter().enumerate().map(read_at).collect()
    }

    /// As [`Self::each`], for an array that must have elements (section 5.7).
    pub fn each_of_some<U>(self, name: &str, read: impl Fn(T) -> Checked<U>) -> Checked<Vec<U>> {
        let read = self.each(name, read)?;
        if read.is_empty() { Err(Violation::new(name, "must have at least one element")) } else { Ok(read) }
    }
}

impl Strings {
    /// The strings; none where the array is missing.
    pub fn all(self, name: &str) -> Checked<Vec<String>> {
        self.each(name, Ok)
    }
}

impl Field<String> {
    /// A text that must be there and not be empty (section 5.7).
    pub fn text(self, name: &str) -> Checked<String> {
        let text = self.required(name)?;
        if text.is_empty() { Err(Violation::new(name, "must not be empty")) } else { Ok(text) }
    }

    /// A text that may be missing. An empty one is the same: protobuf knows no difference.
    pub fn optional_text(self, name: &str) -> Checked<Option<String>> {
        Ok(self.optional(name)?.filter(|text| !text.is_empty()))
    }
}

impl Field<Metadata> {
    /// Free-form members; none where the field is missing.
    pub fn metadata(self, name: &str) -> Checked<Metadata> {
        let metadata = self.optional(name)?.unwrap_or_default();
        if metadata.values().any(|value| is_deeper_than(value, DEEPEST_VALUE - 1)) {
            return Err(Violation::new(name, "is nested too deeply"));
        }
        Ok(metadata)
    }
}

/// Checks a free-form value.
pub fn check_value(name: &str, value: Value) -> Checked<Value> {
    if is_deeper_than(&value, DEEPEST_VALUE) { Err(Violation::new(name, "is nested too deeply")) } else { Ok(value) }
}

/// Whether `value` has more than `levels` objects and arrays one inside the other.
fn is_deeper_than(value: &Value, levels: usize) -> bool {
    let inner = |value: &Value| levels == 0 || is_deeper_than(value, levels - 1);
    match value {
        Value::Array(elements) => levels == 0 || elements.iter().any(inner),
        Value::Object(members) => levels == 0 || members.values().any(inner),
        _ => false,
    }
}

/// A value read from an object, and from nothing else: serde by itself would also take an array of the members.
#[derive(Debug, Default)]
pub struct Object<T>(pub T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Map::deserialize(deserializer)?;
        T::deserialize(Value::Object(members)).map(Self).map_err(D::Error::custom)
    }
}

/// Reads the parameters of an operation. Missing ones are no parameters at all.
pub fn parameters<T: DeserializeOwned>(params: Option<Value>) -> Checked<T> {
    let params = params.unwrap_or_else(|| Value::Object(Map::new()));
    let Object(read) = Object::deserialize(params).map_err(|error| Violation::new("params", error.to_string()))?;
    Ok(read)
}

/// The integer that a number is, if it is one: `5`, `5.0` and `5e0` are the same number.
pub fn integer(number: &Number) -> Option<i32> {
    #[expect(clippy::cast_possible_truncation, reason = "a float without fraction that lies in the range is exact")]
    let from_float = |float: f64| {
        let is_in_range = float >= f64::from(i32::MIN) && float <= f64::from(i32::MAX);
        (is_in_range && float.fract() == 0.0).then_some(float as i32)
    };
    match number.as_i64() {
        Some(integer) => i32::try_from(integer).ok(),
        None => number.as_f64().and_then(from_float),
    }
}

/// An integer as JSON writes it.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "Number")]
pub struct Int(pub i32);

impl TryFrom<Number> for Int {
    type Error = &'static str;

    fn try_from(number: Number) -> Result<Self, Self::Error> {
        integer(&number).map(Self).ok_or("must be an integer")
    }
}

/// A 32-bit integer as the JSON form of protobuf may be written: `5`, `5.0` or `"5"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
pub struct ProtoInt(pub i32);

impl TryFrom<Value> for ProtoInt {
    type Error = &'static str;

    fn try_from(value: Value) -> Result<Self, Self::Error> {
        number(value).as_ref().and_then(integer).map(Self).ok_or("must be a 32-bit integer")
    }
}

/// A 64-bit integer as the JSON form of protobuf may be written: `5` or `"5"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
pub struct ProtoInt64(pub i64);

impl TryFrom<Value> for ProtoInt64 {
    type Error = &'static str;

    fn try_from(value: Value) -> Result<Self, Self::Error> {
        #[expect(clippy::cast_possible_truncation, reason = "a float without fraction is exact below 2^53")]
        let from_float = |float: f64| (float.fract() == 0.0 && float.abs() < 9e15).then_some(float as i64);
        let integer = |number: Number| number.as_i64().or_else(|| from_float(number.as_f64()?));
        number(value).and_then(integer).map(Self).ok_or("must be a 64-bit integer")
    }
}

/// A number, which ProtoJSON may write as a text.
fn number(value: Value) -> Option<Number> {
    match value {
        Value::Number(number) => Some(number),
        Value::String(text) if !text.contains(char::is_whitespace) => serde_json::from_str(&text).ok(),
        _ => None,
    }
}

/// The number of messages that a client wants to see at most.
pub fn history_length(length: i32) -> Checked<u32> {
    u32::try_from(length).map_err(|_| Violation::new("", "must not be negative"))
}

/// Bytes, written as base64.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Bytes(pub Vec<u8>);

impl TryFrom<String> for Bytes {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        base64::decode(&text).map(Self).ok_or("must be base64")
    }
}

/// Keeps a member whose null is a value: `Some(Null)` where it is null, `None` where it is missing.
pub fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct Sample {
        name: Field<String>,
        inner: List<Inner>,
    }

    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct Inner {
        number: Field<i32>,
    }

    fn read(json: Value) -> Checked<(String, Vec<i32>)> {
        let sample: Sample = parameters(Some(json))?;
        Ok((sample.name.text("name")?, sample.inner.each("inner", |Object(inner)| inner.number.required("number"))?))
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        assert_eq!(read(json!({"name": "a", "inner": [{"number": 1}]})), Ok(("a".to_owned(), vec![1])));
        for (json, place) in [
            (json!([]), "params"),
            (json!(null), "params"),
            (json!({}), "name"),
            (json!({"name": null}), "name"),
            (json!({"name": ""}), "name"),
            (json!({"name": 5}), "name"),
            (json!({"name": "a", "inner": {}}), "inner"),
            (json!({"name": "a", "inner": [{"number": 1}, null]}), "inner[1]"),
            (json!({"name": "a", "inner": [[1]]}), "inner[0]"),
            (json!({"name": "a", "inner": [{"number": "1"}]}), "inner[0].number"),
        ] {
            assert_eq!(read(json.clone()).unwrap_err().field, place, "{json}");
        }
    }

    #[test]
    fn whole_numbers_are_integers_however_they_are_written() {
        let number = |text: &str| integer(&serde_json::from_str(text).unwrap());
        assert_eq!(number("5"), Some(5));
        assert_eq!(number("5.0"), Some(5));
        assert_eq!(number("1e2"), Some(100));
        assert_eq!(number("-2147483648"), Some(i32::MIN));
        for other in ["1.5", "2147483648", "-2147483649", "1e40", "1e300"] {
            assert_eq!(number(other), None, "{other}");
        }
    }

    #[test]
    fn depth_has_a_limit() {
        let nested = |levels: usize| (0..levels).fold(json!(1), |value, _| json!([value]));
        assert!(check_value("data", nested(100)).is_ok());
        assert!(check_value("data", nested(101)).is_err());
    }
}
