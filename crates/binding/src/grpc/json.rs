//! The JSON form of a message, as far as its bytes can tell.

use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, ReflectMessage as _, SerializeOptions, Value as Field};
use serde_json::{Map, Value};

use crate::profile::Descriptors;

/// Members of the model that hold ids: an empty one is none.
const IDS: [&str; 5] = ["id", "taskId", "contextId", "messageId", "artifactId"];

/// A message as ProtoJSON. Members with default values are left out as usual, but those that must be set are shown: over
/// gRPC nothing else tells an empty list, a count of none or the token of a last page from one that was forgotten. Ids
/// are not: whoever must set an id and leaves it empty has not set it. Numbers without a form in JSON that stand in free data are
/// texts here, as ProtoJSON spells them elsewhere: that JSON lacks them is no fault of the agent's.
///
/// # Errors
/// What is in the message that has no JSON form, such as a time in the year 30000.
pub(super) fn to_json(descriptors: Option<&Descriptors>, message: &DynamicMessage) -> Result<Value, String> {
    let written = |message: &DynamicMessage| {
        let options = SerializeOptions::new().skip_default_fields(true);
        message.serialize_with_options(serde_json::value::Serializer, &options).map_err(|error| error.to_string())
    };
    let mut value = match written(message) {
        Ok(value) => value,
        Err(error) => {
            let mut finite = message.clone();
            if !spell_out(&mut finite) {
                return Err(error);
            }
            written(&finite)?
        }
    };
    if let Some(descriptors) = descriptors {
        add_required(descriptors, message, &mut value);
    }
    Ok(value)
}

/// Puts texts in the place of infinite numbers, and of what is none, in the values of a message (`google/protobuf/struct.proto`: these
/// cannot be written as JSON); `false` where there are none.
fn spell_out(message: &mut DynamicMessage) -> bool {
    if message.descriptor().full_name() == "google.protobuf.Value" {
        let number = message.get_field_by_name("number_value").and_then(|value| value.as_f64());
        if let Some(number) = number.filter(|number| !number.is_finite()) {
            let text = match number {
                f64::INFINITY => "Infinity",
                f64::NEG_INFINITY => "-Infinity",
                _ => "NaN",
            };
            message.set_field_by_name("string_value", Field::String(text.to_owned()));
            return true;
        }
    }
    let mut is_changed = false;
    for (_, field) in message.fields_mut() {
        match field {
            Field::Message(inner) => is_changed |= spell_out(inner),
            Field::List(items) => {
                items.iter_mut().filter_map(Field::as_message_mut).for_each(|item| is_changed |= spell_out(item));
            }
            Field::Map(entries) => {
                entries.values_mut().filter_map(Field::as_message_mut).for_each(|entry| is_changed |= spell_out(entry));
            }
            _ => {}
        }
    }
    is_changed
}

fn add_required(descriptors: &Descriptors, message: &DynamicMessage, value: &mut Value) {
    // The well-known types have JSON forms of their own.
    let Value::Object(members) = value else { return };
    if message.descriptor().full_name().starts_with("google.protobuf.") {
        return;
    }
    for field in message.descriptor().fields() {
        let name = field.json_name();
        if let Some(member) = members.get_mut(name) {
            match message.get_field(&field).as_ref() {
                Field::Message(inner) => add_required(descriptors, inner, member),
                Field::List(items) => {
                    for (item, value) in items.iter().zip(member.as_array_mut().into_iter().flatten()) {
                        if let Field::Message(inner) = item {
                            add_required(descriptors, inner, value);
                        }
                    }
                }
                Field::Map(entries) => {
                    for (key, entry) in entries {
                        let member = key.as_str().and_then(|key| member.get_mut(key));
                        if let (Field::Message(inner), Some(value)) = (entry, member) {
                            add_required(descriptors, inner, value);
                        }
                    }
                }
                _ => {}
            }
        } else if !field.supports_presence() && descriptors.is_required(&field) && !IDS.contains(&name) {
            members.insert(name.to_owned(), default_of(&field));
        }
    }
}

/// The default of a field without presence, in its JSON form.
fn default_of(field: &FieldDescriptor) -> Value {
    if field.is_map() {
        return Value::Object(Map::new());
    }
    if field.is_list() {
        return Value::Array(Vec::new());
    }
    match field.kind() {
        Kind::String | Kind::Bytes => Value::from(""),
        Kind::Bool => Value::from(false),
        Kind::Enum(kind) => Value::from(kind.default_value().name()),
        Kind::Int64 | Kind::Uint64 | Kind::Sint64 | Kind::Fixed64 | Kind::Sfixed64 => Value::from("0"),
        Kind::Message(_) => Value::Null,
        _ => Value::from(0),
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    /// A message with a struct in its metadata, one of whose numbers is this.
    fn with_number(number: f64) -> (DynamicMessage, std::sync::Arc<crate::profile::Profile>) {
        let profiles = crate::profile::bundled().unwrap();
        let profile = std::sync::Arc::clone(profiles.iter().find(|profile| profile.name() == "1.0").unwrap());
        let rpc = {
            let facts = profile.operation(crate::profile::Operation::GetTask).unwrap();
            profile.descriptors.as_ref().unwrap().rpc(crate::profile::Operation::GetTask, facts).unwrap()
        };
        let mut task = DynamicMessage::new(rpc.output());
        let text = serde_json::json!({ "id": "t", "metadata": { "a": [{ "b": 1.5 }], "c": "d" } }).to_string();
        task = DynamicMessage::deserialize(task.descriptor(), &mut serde_json::Deserializer::from_str(&text)).unwrap();
        let bytes = prost_reflect::prost::Message::encode_to_vec(&task);
        let place = bytes.windows(8).position(|part| part == 1.5_f64.to_le_bytes()).unwrap();
        let bytes = [&bytes[..place], &number.to_le_bytes(), &bytes[place + 8..]].concat();
        (DynamicMessage::decode(rpc.output(), Bytes::from(bytes)).unwrap(), profile)
    }

    #[test]
    fn numbers_without_a_form_in_json_are_texts() {
        for (number, wanted) in [
            (f64::INFINITY, serde_json::json!("Infinity")),
            (f64::NEG_INFINITY, serde_json::json!("-Infinity")),
            (f64::NAN, serde_json::json!("NaN")),
            (0.25, serde_json::json!(0.25)),
        ] {
            let (message, profile) = with_number(number);
            let value = to_json(profile.descriptors.as_ref(), &message).unwrap();
            assert_eq!(value["metadata"], serde_json::json!({ "a": [{ "b": wanted }], "c": "d" }));
            assert_eq!(value["id"], "t", "the rest is judged");
        }
    }
}
