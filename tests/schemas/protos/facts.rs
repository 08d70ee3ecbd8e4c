//! The protos against the tables of facts, in both directions: fields with their numbers, types and marks; values of
//! enums; rpcs; routes. Both sides are written out as sets of sentences and compared.

use std::collections::BTreeSet;

use prost_reflect::{EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor};

use super::super::tables::{self, Row};
use super::{Proto, signature};

type Facts = BTreeSet<String>;

/// Reads one kind of facts out of a proto.
type Reader = fn(&Proto) -> Facts;

#[test]
fn protos_and_tables_agree() {
    for proto in Proto::all() {
        for (what, in_proto, in_table) in [
            ("fields", fields(&proto), fields_of_table(&proto.version)),
            ("rpcs", rpcs(&proto), rpcs_of_table(&proto.version)),
            ("routes", routes(&proto), routes_of_table(&proto.version)),
        ] {
            let Some(in_table) = in_table else { return };
            assert!(in_table.len() >= 10, "{}: the table has only {} {what}", proto.version, in_table.len());
            let only_in_proto: Vec<_> = in_proto.difference(&in_table).collect();
            let only_in_table: Vec<_> = in_table.difference(&in_proto).collect();
            assert!(
                only_in_proto.is_empty() && only_in_table.is_empty(),
                "{} {what}\nonly in the proto: {only_in_proto:#?}\nonly in the table: {only_in_table:#?}",
                proto.version
            );
        }
    }
}

/// Such as `Task.id = 1: string as id, required`.
fn fields(proto: &Proto) -> Facts {
    let mut facts = Facts::new();
    for message in proto.messages() {
        if message.fields().len() == 0 {
            facts.insert(format!("{}: no fields", message.name()));
        }
        facts.extend(message.fields().map(|field| field_fact(proto, &message, &field)));
    }
    for kind in proto.enums() {
        facts.extend(kind.values().map(|value| enum_fact(&kind, value.name(), value.number())));
    }
    facts
}

fn field_fact(proto: &Proto, message: &MessageDescriptor, field: &FieldDescriptor) -> String {
    let group = field.containing_oneof().filter(|group| !group.is_synthetic());
    let mut fact = format!(
        "{}.{} = {}: {} as {}",
        message.name(),
        field.name(),
        field.number(),
        type_in_tables(field),
        field.json_name()
    );
    if field.is_list() {
        fact.push_str(", repeated");
    }
    if proto.is_required(field) {
        fact.push_str(", required");
    }
    if let Some(group) = &group {
        fact.push_str(&format!(", one of {}", group.name()));
    }
    if field.field_descriptor_proto().proto3_optional() {
        fact.push_str(", optional");
    }
    if field.field_descriptor_proto().options.as_ref().is_some_and(|options| options.deprecated()) {
        fact.push_str(", deprecated");
    }
    fact
}

fn enum_fact(kind: &EnumDescriptor, name: &str, number: i32) -> String {
    format!("{}.{name} = {number}", kind.name())
}

/// The word of the column `json_type` for a field's type.
fn type_in_tables(field: &FieldDescriptor) -> String {
    match field.kind() {
        Kind::Bool => "boolean".to_owned(),
        Kind::Bytes => "string (base64)".to_owned(),
        Kind::Int32 => "number".to_owned(),
        Kind::String => "string".to_owned(),
        Kind::Int64 => "string (int64 in ProtoJSON)".to_owned(),
        Kind::Enum(kind) => kind.name().to_owned(),
        Kind::Message(entry) if entry.is_map_entry() => {
            let (key, value) = (entry.map_entry_key_field(), entry.map_entry_value_field());
            format!("object (map of {} to {})", type_in_tables(&key), type_in_tables(&value))
        }
        Kind::Message(message) => match message.full_name() {
            "google.protobuf.Struct" => "object".to_owned(),
            "google.protobuf.Timestamp" => "string (timestamp)".to_owned(),
            "google.protobuf.Value" => "any".to_owned(),
            _ => message.name().to_owned(),
        },
        other => panic!("{}: {other:?} is in no table", field.full_name()),
    }
}

fn fields_of_table(version: &str) -> Option<Facts> {
    let lines = tables::read(version, "fields.tsv")?;
    Some(lines.iter().filter(|line| line["schema"] == "a2a.proto").map(field_of_table).collect())
}

fn field_of_table(line: &Row) -> String {
    let [object, field, number] = ["object", "field", "proto_number"].map(|column| &line[column]);
    if line["json_type"] == "enum value" {
        return format!("{object}.{field} = {number}");
    }
    if field == "(no fields)" {
        return format!("{object}: no fields");
    }
    let mut fact = format!("{object}.{field} = {number}: {} as {}", line["json_type"], line["json_name"]);
    if line["repeated"] == "yes" {
        fact.push_str(", repeated");
    }
    if line["required"] == "yes" {
        fact.push_str(", required");
    }
    if !line["oneof"].is_empty() {
        fact.push_str(&format!(", one of {}", line["oneof"]));
    }
    if line["note"].contains("(proto `optional`)") {
        fact.push_str(", optional");
    }
    if line["note"].ends_with("deprecated") {
        fact.push_str(", deprecated");
    }
    fact
}

fn rpcs(proto: &Proto) -> Facts {
    proto.service().methods().map(|rpc| signature(&rpc)).collect()
}

fn rpcs_of_table(version: &str) -> Option<Facts> {
    let lines = tables::read(version, "operations.tsv")?;
    Some(lines.iter().filter(|line| has_rpc(line)).map(|line| line["grpc"].clone()).collect())
}

/// Some operations exist without an rpc, and 0.3 tells of one that no message belongs to.
fn has_rpc(line: &Row) -> bool {
    line["grpc"].contains(" -> ")
}

/// Such as `GetTask: GET /v1/tasks/{}`.
fn routes(proto: &Proto) -> Facts {
    let mut facts = Facts::new();
    for rpc in proto.service().methods() {
        let routes = proto.routes(&rpc);
        facts.extend(routes.iter().map(|route| format!("{}: {} {}", rpc.name(), route.method, expand(&route.path))));
    }
    facts
}

/// `/v1/{name=tasks/*}:cancel` and `/v1/tasks/{id}:cancel` are one path: `/v1/tasks/{}:cancel`.
fn expand(path: &str) -> String {
    let mut expanded = String::new();
    for (index, piece) in path.split(['{', '}']).enumerate() {
        let in_braces = index % 2 == 1;
        expanded += &match piece.split_once('=') {
            Some((_, pattern)) if in_braces => pattern.replace('*', "{}"),
            _ if in_braces => "{}".to_owned(),
            _ => piece.to_owned(),
        };
    }
    expanded
}

fn routes_of_table(version: &str) -> Option<Facts> {
    let lines = tables::read(version, "operations.tsv")?;
    Some(lines.iter().filter(|line| has_rpc(line)).flat_map(routes_of_line).collect())
}

/// The column `rest` has the routes of the text; where the proto's differ, it or the note says so.
fn routes_of_line(line: &Row) -> Vec<String> {
    const OF_THE_PROTO: &str = "a2a.proto annotates ";
    let rpc = line["grpc"].split(':').next().unwrap_or_default();
    let annotated = [&line["rest"], &line["note"]].into_iter().find_map(|text| text.split_once(OF_THE_PROTO));
    let instead = annotated.and_then(|(_, rest)| rest.split([' ', ')']).next()).unwrap_or_default();

    let mut routes = Vec::new();
    let is_route = |clause: &&str| !clause.ends_with("(text)") && !clause.contains("examples in");
    for clause in line["rest"].split(';').filter(is_route) {
        let words: Vec<&str> = clause.split_whitespace().collect();
        for pair in words.windows(2).filter(|pair| pair[1].starts_with('/')) {
            let (mut method, mut path) = (pair[0], pair[1].split('?').next().unwrap_or_default());
            if instead.starts_with('/') {
                path = instead;
            } else if !instead.is_empty() {
                method = instead;
            }
            routes.push(format!("{rpc}: {method} {}", expand(path)));
        }
    }
    routes
}

#[test]
fn an_altered_proto_differs_from_its_table() {
    let alterations: [(&str, &str, Reader); 16] = [
        ("string context_id = 2;", "string contextid = 2 [json_name = \"contextId\"];", fields),
        ("string context_id = 2;", "string context_id = 22;", fields),
        ("string context_id = 2;", "bytes context_id = 2;", fields),
        ("string context_id = 2;", "repeated string context_id = 2;", fields),
        ("string context_id = 2;", "optional string context_id = 2;", fields),
        ("optional bool streaming", "bool streaming", fields),
        ("string context_id = 2;", "string context_id = 2 [(google.api.field_behavior) = REQUIRED];", fields),
        ("string context_id = 2;", "string context_id = 2 [json_name = \"context\"];", fields),
        ("oneof content", "oneof part", fields),
        ("TASK_STATE_CANCELED = 5", "TASK_STATE_CANCELED = 15", fields),
        (" [deprecated = true]", "", fields),
        ("google.protobuf.Value data", "google.protobuf.Struct data", fields),
        ("returns (stream StreamResponse)", "returns (StreamResponse)", rpcs),
        ("rpc GetTask(", "rpc FetchTask(", rpcs),
        ("get: \"/tasks/{id}\"", "get: \"/task/{id}\"", routes),
        ("get: \"/tasks/{id}:subscribe\"", "post: \"/tasks/{id}:subscribe\"", routes),
    ];
    let sound = Proto::all().into_iter().find(|proto| proto.version == "1.0").expect("a proto");
    for (from, to, facts) in alterations {
        assert_ne!(facts(&Proto::altered("1.0", from, to)), facts(&sound), "{to}");
    }
}
