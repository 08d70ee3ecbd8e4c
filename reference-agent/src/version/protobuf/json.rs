//! Free-form data: `google.protobuf.Struct` and `google.protobuf.Value`.
//!
//! Their numbers are doubles. Whole ones become integers, so that data reads the same whatever binding brought it.
//! Depth needs no limit here: the reader of the messages has one.

use prost_types::value::Kind;
use prost_types::{ListValue, Struct, Value as ProtoValue};
use serde_json::{Map, Number, Value};

use super::optional;
use crate::core::Violation;
use crate::model::Metadata;
use crate::version::field::Checked;

/// The largest magnitude up to which every integer is a double.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Reads metadata; none where the member is missing.
pub fn read_metadata(metadata: Option<Struct>, name: &str) -> Checked<Metadata> {
    Ok(optional(metadata, name, read_struct)?.unwrap_or_default().into())
}

/// Writes metadata; an empty map is left out.
pub fn write_metadata(metadata: Metadata) -> Option<Struct> {
    Some(metadata.into_members()).filter(|members| !members.is_empty()).map(write_struct)
}

/// Reads an object.
pub fn read_struct(object: Struct) -> Checked<Map<String, Value>> {
    let read = |(name, value): (String, ProtoValue)| match read_value(value) {
        Ok(value) => Ok((name, value)),
        Err(violation) => Err(violation.within(&name)),
    };
    object.fields.into_iter().map(read).collect()
}

/// Writes an object.
pub fn write_struct(object: Map<String, Value>) -> Struct {
    Struct { fields: object.into_iter().map(|(name, value)| (name, write_value(value))).collect() }
}

/// Reads any value.
pub fn read_value(value: ProtoValue) -> Checked<Value> {
    match value.kind {
        None => Err(Violation::new("", "must have a value")),
        Some(Kind::NullValue(_)) => Ok(Value::Null),
        Some(Kind::BoolValue(truth)) => Ok(Value::Bool(truth)),
        Some(Kind::StringValue(text)) => Ok(Value::String(text)),
        Some(Kind::NumberValue(number)) => {
            read_number(number).map(Value::Number).ok_or_else(|| Violation::new("", "must be a finite number"))
        }
        Some(Kind::StructValue(object)) => read_struct(object).map(Value::Object),
        Some(Kind::ListValue(list)) => {
            let read = |(index, value)| read_value(value).map_err(|violation| violation.within(&format!("[{index}]")));
            list.values.into_iter().enumerate().map(read).collect::<Checked<_>>().map(Value::Array)
        }
    }
}

/// Writes any value. Integers beyond 2^53 lose their last digits.
pub fn write_value(value: Value) -> ProtoValue {
    let kind = match value {
        Value::Null => Kind::NullValue(0),
        Value::Bool(truth) => Kind::BoolValue(truth),
        Value::String(text) => Kind::StringValue(text),
        Value::Number(number) => Kind::NumberValue(number.as_f64().unwrap_or_default()),
        Value::Object(object) => Kind::StructValue(write_struct(object)),
        Value::Array(values) => Kind::ListValue(ListValue { values: values.into_iter().map(write_value).collect() }),
    };
    ProtoValue { kind: Some(kind) }
}

fn read_number(number: f64) -> Option<Number> {
    if number.fract() == 0.0 && number.abs() <= EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "a whole number of this size is exact")]
        return Some(Number::from(number as i64));
    }
    Number::from_f64(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::samples;
    use proptest::prelude::*;
    use serde_json::json;

    proptest! {
        #[test]
        fn values_come_back(value in samples::json()) {
            prop_assert_eq!(read_value(write_value(value.clone())), Ok(value));
        }
    }

    #[test]
    fn numbers_look_as_in_json() {
        let read = |number| read_value(ProtoValue { kind: Some(Kind::NumberValue(number)) });
        assert_eq!(read(5.0).unwrap().to_string(), "5");
        assert_eq!(read(-5.0).unwrap().to_string(), "-5");
        assert_eq!(read(0.5).unwrap().to_string(), "0.5");
        assert_eq!(read(EXACT).unwrap(), json!(9_007_199_254_740_992_i64));
        assert_eq!(read(1e300).unwrap(), json!(1e300));
    }

    #[test]
    fn what_is_no_json_is_named() {
        let number = |number| ProtoValue { kind: Some(Kind::NumberValue(number)) };
        for bad in [ProtoValue { kind: None }, number(f64::NAN), number(f64::INFINITY)] {
            let list = ProtoValue { kind: Some(Kind::ListValue(ListValue { values: vec![bad] })) };
            let object = Struct { fields: [("a".to_owned(), list)].into() };
            assert_eq!(read_metadata(Some(object), "metadata").unwrap_err().field, "metadata.a[0]");
        }
    }
}
