//! The protos against the JSON Schemas: what the proto says of a message, its schema says of the message's JSON. Members,
//! types, lists, presence, exclusive members, enum values.

use std::collections::{BTreeMap, BTreeSet};

use prost_reflect::{EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor, ServiceDescriptor};
use serde_json::{Map, Value, json};

use super::super::{drift, exclusive_members};
use super::{Held, Proto, is_googles, must_be_set, schema_of};

#[test]
fn protos_and_schemas_agree() {
    let protos = Proto::all();
    assert_eq!(
        protos.iter().map(|proto| proto.version.as_str()).collect::<Vec<_>>(),
        ["0.3", "1.0-draft", "1.1-draft", "1.0"]
    );
    for proto in &protos {
        let found = differences(proto, schema_of(&proto.version).definitions());
        assert!(found.is_empty(), "{}:\n{}", proto.version, found.join("\n"));
    }
}

/// A name that matches nothing would be a demand that nobody sees is gone.
#[test]
fn every_further_demand_is_on_a_field_that_the_proto_leaves_unmarked() {
    for proto in Proto::all() {
        for (name, members) in Held::of(&proto.version).also_required {
            let message = proto.messages().into_iter().find(|message| message.name() == *name);
            let message = message.unwrap_or_else(|| panic!("{}: no message {name}", proto.version));
            for member in *members {
                let field = message.get_field_by_json_name(member);
                let field = field.unwrap_or_else(|| panic!("{}: no {name}.{member}", proto.version));
                assert!(!proto.is_required(&field), "{}: the proto marks {name}.{member} itself", proto.version);
            }
        }
    }
}

/// In what the proto and the definitions of its schema differ.
fn differences(proto: &Proto, definitions: &Map<String, Value>) -> Vec<String> {
    let held = Held::of(&proto.version);
    let reachable = reachable(&proto.service());
    let mut found = Vec::new();

    let own = proto.messages();
    let names: Vec<&str> = own.iter().map(MessageDescriptor::name).collect();
    let dead = names.iter().filter(|name| !reachable.messages.contains_key(**name));
    found.extend(dead.map(|name| format!("{name}: no rpc reaches it")));
    let beyond =
        drift::HELD.iter().find(|other| other.version() == proto.version).map_or(&[][..], |other| other.not_in_table);
    let without_proto = definitions.keys().filter(|name| !reachable.has(name) && !beyond.contains(&name.as_str()));
    found.extend(without_proto.map(|name| format!("{name}: not in the proto")));

    for (name, message) in &reachable.messages {
        match definitions.get(name) {
            Some(definition) => found.extend(message_differences(proto, message, definition)),
            None => found.push(format!("{name}: not in the schema")),
        }
    }
    for (name, kind) in &reachable.enums {
        match definitions.get(name) {
            Some(definition) => found.extend(enum_differences(held, kind, definition)),
            None => found.push(format!("{name}: not in the schema")),
        }
    }
    found
}

/// What the messages of a service are made of.
#[derive(Default)]
struct Reachable {
    messages: BTreeMap<String, MessageDescriptor>,
    enums: BTreeMap<String, EnumDescriptor>,
}

impl Reachable {
    fn has(&self, name: &str) -> bool {
        self.messages.contains_key(name) || self.enums.contains_key(name)
    }

    fn add(&mut self, message: &MessageDescriptor) {
        if is_googles(message.full_name()) {
            return;
        }
        let is_entry = message.is_map_entry();
        if !is_entry && self.messages.insert(message.name().to_owned(), message.clone()).is_some() {
            return;
        }
        for field in message.fields() {
            match field.kind() {
                Kind::Message(inner) => self.add(&inner),
                Kind::Enum(kind) if !is_googles(kind.full_name()) => {
                    self.enums.insert(kind.name().to_owned(), kind);
                }
                _ => {}
            }
        }
    }
}

fn reachable(service: &ServiceDescriptor) -> Reachable {
    let mut found = Reachable::default();
    for rpc in service.methods() {
        found.add(&rpc.input());
        found.add(&rpc.output());
    }
    found
}

fn message_differences(proto: &Proto, message: &MessageDescriptor, definition: &Value) -> Vec<String> {
    let name = message.name();
    let mut found = Vec::new();
    let empty = Map::new();
    let properties = definition["properties"].as_object().unwrap_or(&empty);

    let members: BTreeSet<String> = message.fields().map(|field| field.json_name().to_owned()).collect();
    let described = properties.keys().cloned().collect();
    found.extend(unlike(&format!("{name}: members"), &members, &described));

    let required = |field: &FieldDescriptor| must_be_set(proto, field);
    let expected = message.fields().filter(required).map(|field| field.json_name().to_owned()).collect();
    found.extend(unlike(&format!("{name}: required members"), &expected, &strings(&definition["required"])));

    // A synthetic oneof is how a field says that it is optional.
    let groups: Vec<_> = message.oneofs().filter(|group| !group.is_synthetic()).collect();
    if groups.len() > 1 {
        found.push(format!("{name}: {} groups of exclusive members, and schemas express one", groups.len()));
    }
    let grouped = groups.iter().flat_map(|group| group.fields().map(|field| field.json_name().to_owned())).collect();
    let exclusive = exclusive_members(definition).into_iter().map(str::to_owned).collect();
    found.extend(unlike(&format!("{name}: exclusive members"), &grouped, &exclusive));

    for field in message.fields() {
        let Some(schema) = properties.get(field.json_name()) else { continue };
        let mut expected = json_type(&field);
        if expected != "any" && !required(&field) {
            expected.push('?');
        }
        let described = drift::describe(schema);
        if described != expected {
            found.push(format!("{name}.{}: {expected} in the proto, {described} in the schema", field.json_name()));
        }
    }
    found
}

fn enum_differences(held: &Held, kind: &EnumDescriptor, definition: &Value) -> Option<String> {
    let is_sent = |number: i32| number != 0 || held.unspecified.contains(&kind.name());
    let sent: Vec<_> = kind.values().filter(|value| is_sent(value.number())).collect();
    let mut expected: Vec<Value> = sent.iter().map(|value| json!(value.name())).collect();
    if held.numbers {
        expected.extend(sent.iter().map(|value| json!(value.number())));
    }
    let described = &definition["enum"];
    (*described != Value::Array(expected.clone()))
        .then(|| format!("{}: {} in the proto, {described} in the schema", kind.name(), Value::Array(expected)))
}

/// What ProtoJSON makes of a field, in the notation of [`drift::describe`].
fn json_type(field: &FieldDescriptor) -> String {
    if let Kind::Message(entry) = field.kind()
        && entry.is_map_entry()
    {
        let key = entry.map_entry_key_field().kind();
        assert_eq!(key, Kind::String, "{}: keys that are no strings are not expected", field.full_name());
        return format!("map<{}>", json_type(&entry.map_entry_value_field()));
    }
    let one = match field.kind() {
        Kind::String | Kind::Bytes => "string".to_owned(),
        Kind::Bool => "boolean".to_owned(),
        Kind::Int32 => "integer".to_owned(),
        // ProtoJSON writes text and reads both.
        Kind::Int64 => "integer|string".to_owned(),
        Kind::Enum(kind) => kind.name().to_owned(),
        Kind::Message(message) => match message.full_name() {
            "google.protobuf.Struct" => "object".to_owned(),
            "google.protobuf.Timestamp" => "string".to_owned(),
            "google.protobuf.Value" => "any".to_owned(),
            _ => message.name().to_owned(),
        },
        other => panic!("{}: {other:?} is new in these protos", field.full_name()),
    };
    if field.is_list() { format!("[{one}]") } else { one }
}

fn strings(list: &Value) -> BTreeSet<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn unlike(what: &str, proto: &BTreeSet<String>, schema: &BTreeSet<String>) -> Option<String> {
    (proto != schema).then(|| {
        let only = |these: &BTreeSet<String>, those| these.difference(those).cloned().collect::<Vec<_>>();
        format!("{what}: only in the proto {:?}, only in the schema {:?}", only(proto, schema), only(schema, proto))
    })
}

#[test]
fn an_altered_proto_differs_from_its_schema() {
    let alterations = [
        ("1.0", "string context_id = 2;", "string context_ids = 2;", "Task: members"),
        ("1.0", "bool append = 4;", "string append = 4;", "TaskArtifactUpdateEvent.append: string?"),
        ("1.0", "repeated Message history", "Message history", "Task.history: Message?"),
        ("1.0", "bytes raw", "google.protobuf.Struct raw", "Part.raw: object?"),
        ("1.0", "TaskStatus status = 3 [(google.api.field_behavior) = REQUIRED]", "TaskStatus status = 3", "Task: req"),
        ("1.0", "string tenant = 1;", "string tenant = 1 [(google.api.field_behavior) = REQUIRED];", "GetTaskReq"),
        ("1.0", "string filename = 6;\n", "oneof name { string filename = 6; }", "groups"),
        ("1.0", "  oneof payload {\n    Task task = 1;", "  Task task = 1;\n  oneof payload {", "StreamResponse: excl"),
        ("1.0", "map<string, StringList>", "map<string, string>", "SecurityRequirement.schemes: map<string>?"),
        ("1.0", "ROLE_AGENT", "ROLE_SERVER", "Role: [\"ROLE_USER\",\"ROLE_SERVER\"]"),
        ("1.0", "// A list as", "message Idle {}\n// A list as", "Idle: no rpc reaches it"),
        ("1.0", "StringList", "TextList", "TextList: not in the schema"),
        ("1.0", "StringList", "TextList", "StringList: not in the proto"),
        ("0.3", "json_name = \"message\", ", "", "SendMessageRequest: members"),
        ("0.3", "TASK_STATE_CANCELLED = 5", "TASK_STATE_CANCELLED = 15", "TaskState: "),
        (
            "0.3",
            "string protected = 1 [(google.api.field_behavior) = REQUIRED]",
            "string protected = 1",
            "Signature: req",
        ),
    ];
    for (version, from, to, expected) in alterations {
        let proto = Proto::altered(version, from, to);
        let found = differences(&proto, schema_of(version).definitions());
        assert!(found.iter().any(|one| one.contains(expected)), "{to:?} gives {found:#?}, not {expected:?}");
    }
}

#[test]
fn an_altered_schema_differs_from_its_proto() {
    let alterations = [
        ("1.0", "/Task/properties/id", json!({ "type": "integer" }), "Task.id: string in the proto, integer"),
        ("1.0", "/Task/properties/id", json!({ "type": ["string", "null"] }), "Task.id: string in the proto, string?"),
        ("1.0", "/Task/required", json!(["id"]), "Task: required members: only in the proto [\"status\"]"),
        ("1.0", "/Task/required/0", json!("contextId"), "only in the schema [\"contextId\"]"),
        ("1.0", "/Task/properties/history/items/$ref", json!("#/$defs/Part"), "Task.history: [Message]? in the proto"),
        ("1.0", "/Part/then/oneOf/0/required/0", json!("filename"), "Part: exclusive members"),
        ("1.0", "/TaskState/enum/0", json!("TASK_STATE_UNSPECIFIED"), "TaskState: "),
        ("0.3", "/Role/enum/3", json!(3), "Role: [\"ROLE_USER\",\"ROLE_AGENT\",1,2] in the proto"),
        ("0.3", "/Task/required/1", json!("metadata"), "Task: required members"),
    ];
    for (version, pointer, value, expected) in alterations {
        let proto = Proto::all().into_iter().find(|proto| proto.version == version).expect("a proto");
        let mut definitions = Value::Object(schema_of(version).definitions().clone());
        *definitions.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = value;
        let found = differences(&proto, definitions.as_object().expect("an object"));
        assert!(found.iter().any(|one| one.contains(expected)), "{pointer} gives {found:#?}, not {expected:?}");
    }
}
