//! The JSON mapping of the protos: a message written as JSON and read again is the same message, and what the
//! specification allows as a message its JSON Schema allows as JSON.

use std::collections::HashMap;

use jsonschema::Validator;
use proptest::collection::{hash_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::strategy::Union;
use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor, ReflectMessage, Value};

use super::{Proto, must_be_set, schema_of};

/// What a generated message may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Range {
    /// Whatever the proto can express.
    Expressible,
    /// Only what the specification allows.
    Lawful,
}

/// Any of the proto's messages.
fn any_message(proto: &Proto, range: Range) -> impl Strategy<Value = DynamicMessage> + use<> {
    Union::new(proto.messages().iter().map(|kind| message(proto, kind, range)))
}

fn message(proto: &Proto, kind: &MessageDescriptor, range: Range) -> BoxedStrategy<DynamicMessage> {
    match kind.full_name() {
        "google.protobuf.Struct" => {
            let values = kind.parent_pool().get_message_by_name(VALUE).expect("Google's types come together");
            structure(kind, value(&values))
        }
        "google.protobuf.Timestamp" => timestamp(kind),
        VALUE => value(kind),
        _ => {
            let mut members: Vec<BoxedStrategy<Option<Member>>> = Vec::new();
            for field in kind.fields().filter(|field| !is_exclusive(field)) {
                let must_be_set = range == Range::Lawful && must_be_set(proto, &field);
                members.push(maybe(member(proto, &field, range, must_be_set), must_be_set));
            }
            for group in kind.oneofs().filter(|group| !group.is_synthetic()) {
                let one = Union::new(group.fields().map(|field| member(proto, &field, range, false)));
                members.push(maybe(one.boxed(), range == Range::Lawful));
            }
            let kind = kind.clone();
            members.prop_map(move |members| build(&kind, members.into_iter().flatten())).boxed()
        }
    }
}

const VALUE: &str = "google.protobuf.Value";

type Member = (FieldDescriptor, Value);

fn is_exclusive(field: &FieldDescriptor) -> bool {
    field.containing_oneof().is_some_and(|group| !group.is_synthetic())
}

fn maybe(member: BoxedStrategy<Member>, always: bool) -> BoxedStrategy<Option<Member>> {
    if always { member.prop_map(Some).boxed() } else { option::of(member).boxed() }
}

/// In the form that a decoder makes, which has no field set to what it is without being set.
fn build(kind: &MessageDescriptor, members: impl Iterator<Item = Member>) -> DynamicMessage {
    let mut message = DynamicMessage::new(kind.clone());
    members.for_each(|(field, value)| message.set_field(&field, value));
    let bytes = prost_reflect::prost::Message::encode_to_vec(&message);
    DynamicMessage::decode(kind.clone(), bytes.as_slice()).expect("what was encoded can be decoded")
}

/// A field with a value; one that must be set has no value that is the default of its type.
fn member(proto: &Proto, field: &FieldDescriptor, range: Range, must_be_set: bool) -> BoxedStrategy<Member> {
    let least = usize::from(must_be_set);
    let values = match field.kind() {
        Kind::Message(entry) if entry.is_map_entry() => {
            let one = single(proto, &entry.map_entry_value_field(), range, false);
            let entry = ("(?s).{0,4}".prop_map(MapKey::String), one);
            hash_map(entry.0, entry.1, least..3).prop_map(Value::Map).boxed()
        }
        _ if field.is_list() => vec(single(proto, field, range, false), least..3).prop_map(Value::List).boxed(),
        _ => single(proto, field, range, must_be_set),
    };
    let field = field.clone();
    values.prop_map(move |value| (field.clone(), value)).boxed()
}

fn single(proto: &Proto, field: &FieldDescriptor, range: Range, must_be_set: bool) -> BoxedStrategy<Value> {
    let lawful = range == Range::Lawful;
    match field.kind() {
        Kind::Bool if must_be_set => Just(Value::Bool(true)).boxed(),
        Kind::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        Kind::Bytes => vec(any::<u8>(), 0..6).prop_map(|bytes| Value::Bytes(bytes.into())).boxed(),
        // The bounds of all lengths and sizes are within these (1.0 3.1.4).
        Kind::Int32 if lawful => (1..=100).prop_map(Value::I32).boxed(),
        // Generations are counted from nothing (1.1-draft 3.1.2).
        Kind::Int64 if lawful => (0..=i64::MAX).prop_map(Value::I64).boxed(),
        Kind::Int64 => any::<i64>().prop_map(Value::I64).boxed(),
        Kind::Int32 => any::<i32>().prop_map(Value::I32).boxed(),
        // One text is taken from a list (1.0 4.5.2).
        Kind::String if lawful && field.full_name().ends_with("APIKeySecurityScheme.location") => {
            select(vec!["query", "header", "cookie"]).prop_map(|text| Value::String(text.to_owned())).boxed()
        }
        Kind::String if must_be_set => "(?s).{1,6}".prop_map(Value::String).boxed(),
        Kind::String => "(?s).{0,6}".prop_map(Value::String).boxed(),
        Kind::Enum(kind) => {
            let numbers: Vec<i32> =
                kind.values().map(|value| value.number()).filter(|one| !lawful || *one != 0).collect();
            let unknown = if lawful { select(numbers.clone()).boxed() } else { any::<i32>().boxed() };
            prop_oneof![4 => select(numbers), 1 => unknown].prop_map(Value::EnumNumber).boxed()
        }
        Kind::Message(kind) => message(proto, &kind, range).prop_map(Value::Message).boxed(),
        other => panic!("{}: {other:?} is new in these protos", field.full_name()),
    }
}

/// From the year 1 to the year 9999, which is what JSON can say.
fn timestamp(kind: &MessageDescriptor) -> BoxedStrategy<DynamicMessage> {
    let kind = kind.clone();
    let moment = (-62_135_596_800..=253_402_300_799_i64, 0..1_000_000_000_i32);
    moment
        .prop_map(move |(seconds, nanos)| {
            let members = [("seconds", Value::I64(seconds)), ("nanos", Value::I32(nanos))];
            build(&kind, members.into_iter().map(|(name, value)| named(&kind, name, value)))
        })
        .boxed()
}

fn named(kind: &MessageDescriptor, name: &str, value: Value) -> Member {
    (kind.get_field_by_name(name).unwrap_or_else(|| panic!("{} has no {name}", kind.full_name())), value)
}

/// A message with one field set.
fn only(kind: &MessageDescriptor, name: &str, value: Value) -> DynamicMessage {
    build(kind, std::iter::once(named(kind, name, value)))
}

/// Any JSON value a few levels deep, as a `google.protobuf.Value`.
fn value(kind: &MessageDescriptor) -> BoxedStrategy<DynamicMessage> {
    let googles = |name: &str| kind.parent_pool().get_message_by_name(name).expect("a type of Google");
    let (list, object) = (googles("google.protobuf.ListValue"), googles("google.protobuf.Struct"));
    let leaf = prop_oneof![
        Just(("null_value", Value::EnumNumber(0))),
        any::<bool>().prop_map(|one| ("bool_value", Value::Bool(one))),
        any::<f64>().prop_map(|one| ("number_value", Value::F64(one))),
        "(?s).{0,4}".prop_map(|one| ("string_value", Value::String(one))),
    ];
    let made = |kind: &MessageDescriptor| {
        let kind = kind.clone();
        move |(name, value)| only(&kind, name, value)
    };
    let of_leaf = made(kind);
    let of_inner = made(kind);
    leaf.prop_map(of_leaf)
        .prop_recursive(3, 12, 3, move |inner| {
            let list = list.clone();
            let items = vec(inner.clone().prop_map(Value::Message), 0..3);
            let items = items.prop_map(move |items| ("list_value", only(&list, "values", Value::List(items))));
            let members = structure(&object, inner).prop_map(|object| ("struct_value", object));
            let of_inner = of_inner.clone();
            prop_oneof![items, members].prop_map(move |(name, inner)| of_inner((name, Value::Message(inner))))
        })
        .boxed()
}

/// A JSON object of such values, as a `google.protobuf.Struct`.
fn structure(kind: &MessageDescriptor, values: BoxedStrategy<DynamicMessage>) -> BoxedStrategy<DynamicMessage> {
    let kind = kind.clone();
    let entry = ("(?s).{0,4}".prop_map(MapKey::String), values.prop_map(Value::Message));
    hash_map(entry.0, entry.1, 0..3).prop_map(move |fields| only(&kind, "fields", Value::Map(fields))).boxed()
}

fn to_json(message: &DynamicMessage) -> serde_json::Value {
    serde_json::to_value(message).unwrap_or_else(|error| panic!("{error}: {message:?}"))
}

/// Everything that a property needs to know of one version, made once.
struct Version {
    proto: Proto,
    validators: HashMap<String, Validator>,
}

impl Version {
    fn all() -> Vec<Self> {
        let with_validators = |proto: Proto| {
            let schema = schema_of(&proto.version);
            let names = proto.messages().into_iter().map(|kind| kind.name().to_owned());
            let validators = names.map(|name| (name.clone(), schema.validator(&name))).collect();
            Self { proto, validators }
        };
        Proto::all().into_iter().map(with_validators).collect()
    }

    fn errors(&self, message: &DynamicMessage, json: &serde_json::Value) -> Vec<(String, String)> {
        super::super::errors(&self.validators[message.descriptor().name()], json)
    }
}

fn run<S: Strategy>(strategy: &S, property: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    runner.run(strategy, property).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_message_written_as_json_is_read_back() {
    for proto in Proto::all() {
        run(&any_message(&proto, Range::Expressible), |message| {
            let json = to_json(&message);
            let back = DynamicMessage::deserialize(message.descriptor(), json.clone());
            prop_assert_eq!(back.map_err(|error| TestCaseError::fail(format!("{error}: {json}")))?, message);
            Ok(())
        });
    }
}

/// The one null that sets something (1.0 4.1.6): chance finds it too seldom.
#[test]
fn a_part_whose_data_is_null_is_no_empty_part() {
    let proto = Proto::all().into_iter().find(|proto| proto.version == "1.0").expect("a proto");
    let kinds = ["lf.a2a.v1.Part", VALUE].map(|name| proto.pool.get_message_by_name(name).expect("a message"));
    let [part, value] = &kinds;
    let message = only(part, "data", Value::Message(only(value, "null_value", Value::EnumNumber(0))));
    let json = to_json(&message);
    assert_eq!(json, serde_json::json!({ "data": null }));
    assert_eq!(DynamicMessage::deserialize(part.clone(), json).expect("a part"), message);
    assert_ne!(message, DynamicMessage::new(part.clone()));
}

#[test]
fn a_lawful_message_keeps_its_schema() {
    for version in Version::all() {
        run(&any_message(&version.proto, Range::Lawful), |message| {
            let json = to_json(&message);
            prop_assert_eq!(version.errors(&message, &json), [], "{} {}", message.descriptor().name(), json);
            Ok(())
        });
    }
}

/// So that the property above is no empty promise.
#[test]
fn a_message_that_lacks_what_must_be_set_breaks_its_schema() {
    for version in Version::all() {
        let lawful = any_message(&version.proto, Range::Lawful);
        run(&(lawful, any::<Index>()), |(mut message, index)| {
            let kind = message.descriptor();
            let needed: Vec<_> = kind.fields().filter(|field| must_be_set(&version.proto, field)).collect();
            prop_assume!(!needed.is_empty());
            message.clear_field(&needed[index.index(needed.len())]);
            let found = version.errors(&message, &to_json(&message));
            prop_assert_eq!(found, [(String::new(), "required".to_owned())]);
            Ok(())
        });
    }
}
