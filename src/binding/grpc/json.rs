//! The JSON form of a message, as far as its bytes can tell.

use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, ReflectMessage as _, SerializeOptions, Value as Field};
use serde_json::{Map, Value};

use crate::profile::Descriptors;

/// Members of the model that hold ids: an empty one is none.
const IDS: [&str; 5] = ["id", "taskId", "contextId", "messageId", "artifactId"];

/// A message as ProtoJSON. Members with default values are left out as usual, but those that must be set are shown: over
/// gRPC nothing else tells an empty list, a count of none or the token of a last page from one that was forgotten. Ids
/// are not: whoever must set an id and leaves it empty has not set it.
///
/// # Errors
/// What is in the message that has no JSON form, such as a time in the year 30000.
pub(super) fn to_json(descriptors: Option<&Descriptors>, message: &DynamicMessage) -> Result<Value, String> {
    let options = SerializeOptions::new().skip_default_fields(true);
    let mut value =
        message.serialize_with_options(serde_json::value::Serializer, &options).map_err(|error| error.to_string())?;
    if let Some(descriptors) = descriptors {
        add_required(descriptors, message, &mut value);
    }
    Ok(value)
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
