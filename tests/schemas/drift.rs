//! The schemas against the tables of fields: same objects, members, types, presence and enum values.
//!
//! The tables are facts drawn from the specification, one row for each member. Where they lie beside the project the
//! comparison is exact in both directions; where they do not, it says that it was not run.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{Document, exclusive_members, tables};

/// One row of `fields.tsv`: a member of an object, a value of an enum, or an alternative of a union.
struct Row {
    object: String,
    /// The name on the wire; of an enum value its spelling; of an alternative nothing.
    name: String,
    json_type: String,
    required: bool,
    repeated: bool,
    /// The group of exclusive members that this one belongs to, or nothing.
    oneof: String,
    is_alternative: bool,
}

/// What a schema file is held against. The messages of 0.3's proto are held against the proto itself, see `protos`.
pub(crate) struct Held {
    pub(crate) path: &'static str,
    /// The value of the column `schema` in the rows that describe it.
    table: &'static str,
    /// Definitions that no table has: results of methods, and error bodies that the text alone describes.
    pub(crate) not_in_table: &'static [&'static str],
    /// Objects and members that the table requires and another sentence does not: see `docs/interpretations.md`.
    optional: &'static [(&'static str, &'static str)],
    /// Objects and members whose type another sentence widens, with that type.
    wider: &'static [(&'static str, &'static str, &'static str)],
    /// Objects of the table that the suite reads without a schema.
    without_schema: &'static [&'static str],
    /// Enums with the values that another sentence adds.
    also: &'static [(&'static str, &'static [&'static str])],
}

impl Held {
    /// The folder that the file lies in.
    pub(crate) fn version(&self) -> &'static str {
        self.path.split('/').next().unwrap_or_default()
    }
}

/// What the listings of 0.2.1 and 0.2.5 require, and their tables or examples do not; and of 0.2.5 what the release requires
/// and the text before it does not have.
const OPTIONAL_IN_0_2: &[(&str, &str)] = &[
    ("TaskStatusUpdateEvent", "final"),
    ("MessageSendConfiguration", "acceptedOutputModes"),
    ("AgentCard", "protocolVersion"),
];

/// Data are an object by the listings of 0.2.1 and 0.2.5, an object or an array by their tables.
const WIDER_IN_0_2: &[(&str, &str, &str)] = &[("DataPart", "data", "object|array")];

/// Data are an object by the table of 0.1, and an object or an array by the later text of the same name.
const WIDER_IN_0_1: &[(&str, &str, &str)] = &[("DataPart", "data", "object|array")];

/// What the sketches of the proposal require, and the schema of the same day and their own examples do not.
const OPTIONAL_IN_THE_PROPOSAL: &[(&str, &str)] = &[
    ("AgentCard", "description"),
    ("AgentCard", "authentication"),
    ("AgentCard", "defaultInputModes"),
    ("AgentCard", "defaultOutputModes"),
    ("AgentProvider", "url"),
    ("AgentSkill", "description"),
    ("AgentSkill", "tags"),
    ("Task", "sessionId"),
    ("Artifact", "index"),
    ("TextPart", "metadata"),
    ("FilePart", "metadata"),
    ("DataPart", "metadata"),
    ("TaskStatusUpdateEvent", "final"),
];

/// The sample card of the proposal has a text where its sketch has a list.
const WIDER_IN_THE_PROPOSAL: &[(&str, &str, &str)] = &[("AgentAuthentication", "schemes", "array|string")];

/// Envelopes up to 0.1, which the readers of JSON-RPC judge.
const ENVELOPES_UP_TO_0_1: &[&str] =
    &["JSONRPCRequest", "JSONRPCResponse", "SendTaskStreamingResponse", "JSONRPCError", "ErrorMessage"];

/// ProtoJSON writes an int64 as a text, as the table has it, and reads a number as well.
const INT64_IN_1_1: &[(&str, &str, &str)] = &[
    ("Task", "generation", "integer|string?"),
    ("TaskStatusUpdateEvent", "generation", "integer|string?"),
    ("TaskArtifactUpdateEvent", "generation", "integer|string?"),
    ("GetTaskRequest", "currentGeneration", "integer|string?"),
    ("SendMessageConfiguration", "ifGenerationMatch", "integer|string?"),
];

pub(crate) const HELD: [Held; 8] = [
    Held {
        path: "1.0/a2a.schema.json",
        table: "a2a.proto",
        not_in_table: &["JSONRPCError", "HTTPErrorResponse", "Status", "ErrorDetail", "ErrorInfo"],
        optional: &[],
        wider: &[],
        without_schema: &[],
        also: &[],
    },
    Held {
        path: "1.1-draft/a2a.schema.json",
        table: "a2a.proto",
        not_in_table: &["JSONRPCError", "HTTPErrorResponse", "Status", "ErrorDetail", "ErrorInfo"],
        optional: &[],
        wider: INT64_IN_1_1,
        without_schema: &[],
        also: &[],
    },
    Held {
        path: "1.0-draft/a2a.schema.json",
        table: "a2a.proto",
        not_in_table: &[
            "SendMessageResult",
            "StreamEvent",
            "GetTaskByIdRequest",
            "TaskByIdRequest",
            "AnyPushNotificationConfig",
            "PushNotificationConfigList",
        ],
        optional: &[],
        wider: &[
            ("ListTasksRequest", "lastUpdatedAfter", "integer|string?"),
            ("ListTaskPushNotificationConfigResponse", "configs", "[AnyPushNotificationConfig]?"),
        ],
        without_schema: &[],
        also: &[("TaskState", &["canceled"])],
    },
    Held {
        path: "0.3/a2a.schema.json",
        table: "a2a.json",
        not_in_table: &[
            "WrappedSendMessageResult",
            "WrappedStreamEvent",
            "PushNotificationConfigBody",
            "SendMessageResult",
            "StreamEvent",
            "SendStreamingMessageResult",
            "GetTaskResult",
            "ListTasksResult",
            "CancelTaskResult",
            "SetTaskPushNotificationConfigResult",
            "GetTaskPushNotificationConfigResult",
            "ListTaskPushNotificationConfigResult",
            "DeleteTaskPushNotificationConfigResult",
            "TaskResubscriptionResult",
            "GetAuthenticatedExtendedCardResult",
        ],
        optional: &[],
        wider: &[],
        without_schema: &[],
        also: &[],
    },
    Held {
        path: "0.2.5/a2a.schema.json",
        table: "a2a.json",
        not_in_table: &[
            "SendMessageResult",
            "StreamEvent",
            "SendStreamingMessageResult",
            "GetTaskResult",
            "CancelTaskResult",
            "SetTaskPushNotificationConfigResult",
            "GetTaskPushNotificationConfigResult",
            "ListTaskPushNotificationConfigResult",
            "DeleteTaskPushNotificationConfigResult",
            "TaskResubscriptionResult",
        ],
        optional: OPTIONAL_IN_0_2,
        wider: WIDER_IN_0_2,
        without_schema: &[],
        also: &[],
    },
    Held {
        path: "0.2.1/a2a.schema.json",
        table: "a2a.json",
        not_in_table: &[
            "SendMessageResult",
            "StreamEvent",
            "SendStreamingMessageResult",
            "GetTaskResult",
            "CancelTaskResult",
            "SetTaskPushNotificationConfigResult",
            "GetTaskPushNotificationConfigResult",
            "TaskResubscriptionResult",
        ],
        optional: OPTIONAL_IN_0_2,
        wider: WIDER_IN_0_2,
        without_schema: &[],
        also: &[],
    },
    Held {
        path: "0.1/a2a.schema.json",
        table: "text tables (checked against a2a.json)",
        not_in_table: &["TaskUpdateEvent", "TaskPushNotificationConfigIfAny"],
        optional: &[],
        wider: WIDER_IN_0_1,
        without_schema: ENVELOPES_UP_TO_0_1,
        also: &[],
    },
    Held {
        path: "proposal/a2a.schema.json",
        table: "text (TypeScript sketch)",
        not_in_table: &["TaskUpdateEvent"],
        optional: OPTIONAL_IN_THE_PROPOSAL,
        wider: WIDER_IN_THE_PROPOSAL,
        without_schema: ENVELOPES_UP_TO_0_1,
        also: &[],
    },
];

/// The rows that describe the JSON of this version, by object. Nothing where the tables are absent.
fn rows(version: &str, table: &str) -> Option<BTreeMap<String, Vec<Row>>> {
    let mut objects: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for line in tables::read(version, "fields.tsv")?.iter().filter(|line| line["schema"] == table) {
        // Some objects of the proposal have no name in its text.
        let object = line["object"].trim_end_matches(" (unnamed in the text)");
        let rows = objects.entry(object.to_owned()).or_default();
        if line["field"] == "(no fields)" {
            continue;
        }
        rows.push(Row {
            object: object.to_owned(),
            name: line["json_name"].clone(),
            json_type: line["json_type"].clone(),
            required: line["required"] == "yes",
            repeated: line["repeated"] == "yes",
            oneof: line["oneof"].clone(),
            is_alternative: line["field"] == "(one of)",
        });
    }
    Some(objects)
}

#[test]
fn schemas_and_tables_agree() {
    for held in &HELD {
        let document = Document::at(held.path);
        let Some(mut objects) = rows(document.version(), held.table) else {
            return;
        };
        objects.retain(|name, _| !held.without_schema.contains(&name.as_str()));
        assert!(objects.len() > 20, "{}: the table has only {} objects", document.path, objects.len());

        let expected: BTreeSet<&str> =
            objects.keys().map(String::as_str).chain(held.not_in_table.iter().copied()).collect();
        let found: BTreeSet<&str> = document.definitions().keys().map(String::as_str).collect();
        assert_eq!(found, expected, "{}: definitions", document.path);

        for (object, rows) in &objects {
            let definition = &document.definitions()[object];
            if rows.iter().any(|row| row.json_type == "enum value") {
                compare_enum(held, &document, definition, rows);
            } else if rows.iter().any(|row| row.is_alternative) {
                compare_union(&document, definition, rows);
            } else {
                compare_object(held, &document, object, definition, rows);
            }
        }
    }
}

/// The unspecified value of a protobuf enum means that nothing is set, and is no value to send.
fn compare_enum(held: &Held, document: &Document, definition: &Value, rows: &[Row]) {
    let is_unset = |name: &&str| name.ends_with("_UNSPECIFIED") || *name == "(none given)";
    let names = rows.iter().map(|row| row.name.as_str()).filter(|name| !is_unset(name));
    let more =
        held.also.iter().filter(|(kind, _)| *kind == rows[0].object).flat_map(|(_, names)| names.iter().copied());
    let expected: Vec<&str> = names.chain(more).collect();
    assert_eq!(definition["enum"], json!(expected), "{} {}", document.path, rows[0].object);
}

fn compare_union(document: &Document, definition: &Value, rows: &[Row]) {
    let object = &rows[0].object;
    let mut expected: BTreeSet<String> = rows.iter().map(|row| row.json_type.clone()).collect();
    if object == "JSONRPCResponse" {
        // 6.11.2: what `result` holds depends on the method, which a response does not name.
        expected.retain(|name| !name.ends_with("SuccessResponse"));
        expected.insert("JSONRPCSuccessResponse".to_owned());
    }
    let mut found = BTreeSet::new();
    collect_references(definition, &mut found);
    assert_eq!(found, expected, "{} {object}: alternatives", document.path);
}

fn compare_object(held: &Held, document: &Document, object: &str, definition: &Value, rows: &[Row]) {
    let here = format!("{} {object}", document.path);
    let properties = definition["properties"].as_object().unwrap_or_else(|| panic!("{here}: no properties"));

    // A member with the schema `false` is one that must be absent, so no table has it.
    let present = properties.iter().filter(|(_, schema)| **schema != json!(false)).map(|(name, _)| name.as_str());
    let found: BTreeSet<&str> = present.collect();
    let expected: BTreeSet<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(found, expected, "{here}: members");

    let required: BTreeSet<&str> =
        definition["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let expected: BTreeSet<&str> = rows
        .iter()
        .filter(|row| row.required)
        .map(|row| row.name.as_str())
        .filter(|member| !held.optional.contains(&(object, member)))
        .collect();
    assert_eq!(required, expected, "{here}: required members");

    let exclusive: BTreeSet<&str> = exclusive_members(definition).into_iter().collect();
    let grouped = rows.iter().filter(|row| !row.oneof.is_empty());
    let expected: BTreeSet<&str> = grouped.map(|row| row.name.as_str()).collect();
    assert_eq!(exclusive, expected, "{here}: exclusive members");

    for row in rows {
        let nullable = document.null_is_unset && !required.contains(row.name.as_str());
        let mut expected = wire_type(&row.json_type);
        if row.repeated {
            expected = format!("[{expected}]");
        }
        if nullable && expected != "any" {
            expected.push('?');
        }
        let wider = held.wider.iter().find(|(of, member, _)| (*of, *member) == (object, row.name.as_str()));
        if let Some((_, _, kind)) = wider {
            expected = (*kind).to_owned();
        }
        assert_eq!(describe(&properties[&row.name]), expected, "{here}.{}", row.name);
    }
}

/// The type of a table in the notation of [`describe`].
fn wire_type(json_type: &str) -> String {
    match json_type {
        "number" => "integer".to_owned(),
        "object" | "object (free-form)" => "object".to_owned(),
        "string (int64 in ProtoJSON)" => "string".to_owned(),
        // 0.3 6.11.1: a number may, though should not, have a fraction; and a response repeats it.
        "string | integer" => "string|number".to_owned(),
        "string | integer | null" => "string|number?".to_owned(),
        // 0.3: the union of all errors adds nothing to its most general alternative.
        other if other.starts_with("JSONRPCError | ") => "JSONRPCError".to_owned(),
        other => {
            if let Some(value) = other.strip_prefix("object (map of string to ") {
                let value = value.trim_end_matches(')');
                let value = value.strip_prefix("array of ").map_or(value.to_owned(), |item| format!("[{item}]"));
                format!("map<{value}>")
            } else if let Some(values) = other.strip_prefix("string enum ") {
                values.split(" | ").collect::<Vec<_>>().join("|")
            } else if let Some((_, value)) = other.split_once(" literal ") {
                value.to_owned()
            } else if let Some((name, _)) = other.split_once(" (") {
                name.to_owned()
            } else {
                other.split(" | ").collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join("|")
            }
        }
    }
}

/// What a member's schema says, in short: `string`, `Task?`, `[Part]`, `map<string>`, `"a"|"b"`.
pub(crate) fn describe(schema: &Value) -> String {
    if *schema == json!(true) {
        return "any".to_owned();
    }
    if schema["if"] == json!({ "type": "null" }) {
        return format!("{}?", describe(&schema["else"]));
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(values) = schema["enum"].as_array() {
        // The tables know the location of an API key as a string; its three values are in the text (1.0 4.5.2).
        if *values == [json!("query"), json!("header"), json!("cookie")] {
            return "string".to_owned();
        }
        return values.iter().map(Value::to_string).collect::<Vec<_>>().join("|");
    }
    let mut references = BTreeSet::new();
    let types: Vec<&str> = match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => {
            collect_references(schema, &mut references);
            // 0.3 has definitions for what a method gives; the tables spell out their alternatives.
            return match references.into_iter().collect::<Vec<_>>().join("|").as_str() {
                "SendMessageResult" => "Message|Task".to_owned(),
                "StreamEvent" => "Message|Task|TaskArtifactUpdateEvent|TaskStatusUpdateEvent".to_owned(),
                other => other.to_owned(),
            };
        }
    };
    let (base, mark) = match types.as_slice() {
        [base, "null"] => (*base, "?"),
        [base] => (*base, ""),
        [several @ .., "null"] => return format!("{}?", several.join("|")),
        several => return several.join("|"),
    };
    let base = match base {
        "array" => format!("[{}]", describe(&schema["items"])),
        "object" if schema.get("additionalProperties").is_some() => {
            format!("map<{}>", describe(&schema["additionalProperties"]))
        }
        plain => plain.to_owned(),
    };
    format!("{base}{mark}")
}

/// The names of all definitions that `schema` refers to.
fn collect_references(schema: &Value, into: &mut BTreeSet<String>) {
    match schema {
        Value::Object(object) => {
            if let Some(name) = object.get("$ref").and_then(Value::as_str) {
                into.insert(name.trim_start_matches("#/$defs/").to_owned());
            }
            object.values().for_each(|value| collect_references(value, into));
        }
        Value::Array(array) => array.iter().for_each(|value| collect_references(value, into)),
        _ => {}
    }
}
