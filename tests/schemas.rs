//! The JSON Schemas and protos under `schemas/<version>/`: sound, strict where the specification is, silent where it is
//! not, and in step with each other and with the tables of fields.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests fail like tests")]

#[path = "schemas/a2a_0_1.rs"]
mod a2a_0_1;
#[path = "schemas/a2a_0_2.rs"]
mod a2a_0_2;
#[path = "schemas/a2a_0_3.rs"]
mod a2a_0_3;
#[path = "schemas/a2a_0_3_proto.rs"]
mod a2a_0_3_proto;
#[path = "schemas/a2a_1_0.rs"]
mod a2a_1_0;
#[path = "schemas/a2a_1_0_draft.rs"]
mod a2a_1_0_draft;
#[path = "schemas/drift.rs"]
mod drift;
#[path = "schemas/protos.rs"]
mod protos;
#[path = "schemas/sections.rs"]
mod sections;
#[path = "schemas/tables.rs"]
mod tables;

use std::fs;
use std::path::Path;

use jsonschema::Validator;
use serde_json::{Map, Value, json};

/// The root of the package, below which `schemas/` lies and beside which `shared/` may lie.
const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// One schema file, with everything that these tests hold against it.
struct Document {
    /// The file below `schemas/`.
    path: &'static str,
    /// What it says.
    schema: Value,
    /// A valid instance of every definition, rich enough to be broken in many places.
    examples: Map<String, Value>,
    /// More instances that are valid, at the edge of what the specification allows.
    allowed: Vec<(&'static str, Value)>,
    /// Examples broken in one way each.
    broken: Vec<Broken>,
    /// Whether null stands for an optional member that is unset.
    null_is_unset: bool,
}

impl Document {
    fn all() -> [Self; 10] {
        [
            Self {
                path: "1.0/a2a.schema.json",
                schema: read_schema("1.0/a2a.schema.json"),
                examples: a2a_1_0::examples(),
                allowed: a2a_1_0::allowed(),
                broken: a2a_1_0::broken(),
                null_is_unset: true,
            },
            Self {
                path: "1.1-draft/a2a.schema.json",
                schema: read_over("1.0/a2a.schema.json", "1.1-draft/a2a.schema.json"),
                examples: a2a_1_0::examples_of_1_1(),
                allowed: a2a_1_0::allowed(),
                broken: a2a_1_0::broken_of_1_1(),
                null_is_unset: true,
            },
            Self {
                path: "0.3/a2a.schema.json",
                schema: read_schema("0.3/a2a.schema.json"),
                examples: a2a_0_3::examples(),
                allowed: a2a_0_3::allowed(),
                broken: a2a_0_3::broken(),
                null_is_unset: false,
            },
            Self {
                path: "0.3/a2a.proto.schema.json",
                schema: read_schema("0.3/a2a.proto.schema.json"),
                examples: a2a_0_3_proto::examples(),
                allowed: a2a_0_3_proto::allowed(),
                broken: a2a_0_3_proto::broken(),
                null_is_unset: true,
            },
            Self::of_1_0_draft("1.0-draft/a2a.schema.json", read_schema("1.0-draft/a2a.schema.json"), false),
            Self::of_1_0_draft(
                "1.0-draft/a2a.proto.schema.json",
                read_over("1.0-draft/a2a.schema.json", "1.0-draft/a2a.proto.schema.json"),
                true,
            ),
            Self::of_0_2("0.2.5/a2a.schema.json"),
            Self::of_0_2("0.2.1/a2a.schema.json"),
            Self::of_0_1("0.1/a2a.schema.json"),
            Self::of_0_1("proposal/a2a.schema.json"),
        ]
    }

    fn of_0_2(path: &'static str) -> Self {
        let schema = read_schema(path);
        Self {
            path,
            examples: a2a_0_2::examples(&schema),
            allowed: a2a_0_2::allowed(&schema),
            broken: a2a_0_2::broken(&schema),
            schema,
            null_is_unset: false,
        }
    }

    fn of_0_1(path: &'static str) -> Self {
        let schema = read_schema(path);
        Self {
            path,
            examples: a2a_0_1::examples(&schema),
            allowed: a2a_0_1::allowed(&schema),
            broken: a2a_0_1::broken(&schema),
            schema,
            null_is_unset: true,
        }
    }

    fn of_1_0_draft(path: &'static str, schema: Value, in_proto: bool) -> Self {
        Self {
            path,
            schema,
            examples: a2a_1_0_draft::examples(in_proto),
            allowed: a2a_1_0_draft::allowed(in_proto),
            broken: a2a_1_0_draft::broken(in_proto),
            null_is_unset: true,
        }
    }

    fn at(path: &str) -> Self {
        let mut all = Self::all().into_iter();
        all.find(|document| document.path == path).unwrap_or_else(|| panic!("no document {path}"))
    }

    /// The folder that the file lies in.
    fn version(&self) -> &'static str {
        self.path.split_once('/').expect("a folder").0
    }

    fn definitions(&self) -> &Map<String, Value> {
        self.schema["$defs"].as_object().expect("$defs is an object")
    }

    fn validator(&self, definition: &str) -> Validator {
        let mut schema = self.schema.clone();
        schema["$ref"] = json!(format!("#/$defs/{definition}"));
        jsonschema::draft202012::new(&schema).unwrap_or_else(|error| panic!("{} {definition}: {error}", self.path))
    }

    /// What is wrong with `instance`: pointer and keyword of each error.
    fn errors(&self, definition: &str, instance: &Value) -> Vec<(String, String)> {
        errors(&self.validator(definition), instance)
    }
}

fn read_schema(path: &str) -> Value {
    let path = Path::new(ROOT).join("schemas").join(path);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The schemas of a file with those of another over them, as a dialect has them that is like another.
fn read_over(base: &str, own: &str) -> Value {
    let (mut all, own) = (read_schema(base), read_schema(own));
    for (name, definition) in own["$defs"].as_object().expect("$defs is an object") {
        all["$defs"][name] = definition.clone();
    }
    all["$id"] = own["$id"].clone();
    all
}

fn errors(validator: &Validator, instance: &Value) -> Vec<(String, String)> {
    validator
        .iter_errors(instance)
        .map(|error| (error.instance_path().to_string(), error.kind().keyword().to_owned()))
        .collect()
}

/// A valid example with one change, and the one error that the change must give.
struct Broken {
    definition: &'static str,
    /// Where the change is made.
    pointer: &'static str,
    /// What is put there; nothing takes the member away.
    value: Option<Value>,
    /// Pointer of the one error.
    at: &'static str,
    /// Keyword of the one error.
    keyword: &'static str,
}

/// `value` at `pointer` is what the schema objects to.
fn wrong(definition: &'static str, pointer: &'static str, value: Value, keyword: &'static str) -> Broken {
    wrong_at(definition, pointer, value, pointer, keyword)
}

/// `value` at `pointer` makes the schema object to `at`.
fn wrong_at(
    definition: &'static str,
    pointer: &'static str,
    value: Value,
    at: &'static str,
    keyword: &'static str,
) -> Broken {
    Broken { definition, pointer, value: Some(value), at, keyword }
}

/// The object that misses the member at `pointer` is what the schema objects to.
fn missing(definition: &'static str, pointer: &'static str) -> Broken {
    Broken { definition, pointer, value: None, at: split(pointer).0, keyword: "required" }
}

fn split(pointer: &str) -> (&str, &str) {
    pointer.rsplit_once('/').unwrap_or_else(|| panic!("{pointer:?} points at no member"))
}

/// Puts `value` at `pointer` inside `instance`, or takes away what is there.
fn change(instance: &mut Value, pointer: &str, value: Option<Value>) {
    if pointer.is_empty() {
        *instance = value.expect("the root can only be replaced");
        return;
    }
    let (parent, member) = split(pointer);
    let parent = instance.pointer_mut(parent).unwrap_or_else(|| panic!("no {parent} in the example"));
    match (parent, value) {
        (Value::Object(object), Some(value)) => {
            object.insert(member.to_owned(), value);
        }
        (Value::Object(object), None) => {
            object.shift_remove(member).unwrap_or_else(|| panic!("no {pointer} in the example"));
        }
        (Value::Array(array), Some(value)) => {
            let index: usize = member.parse().expect("an index");
            array[index] = value;
        }
        (parent, value) => panic!("cannot change {pointer} of {parent} to {value:?}"),
    }
}

#[test]
fn schema_files_follow_draft_2020_12() {
    for document in Document::all() {
        let schema = &document.schema;
        if let Err(error) = jsonschema::draft202012::meta::validate(schema) {
            panic!("{}: {error} at {}", document.path, error.instance_path());
        }
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert_eq!(schema["$id"], format!("https://a2aspec.dev/schemas/{}", document.path));
    }
}

#[test]
fn every_definition_compiles_alone_and_names_its_section() {
    for document in Document::all() {
        for (name, definition) in document.definitions() {
            document.validator(name);
            let description = definition["description"].as_str().unwrap_or_default();
            assert!(
                ["Section ", "Sections ", "After section "].iter().any(|start| description.starts_with(start)),
                "{} {name}: {description:?}",
                document.path
            );
        }
    }
}

#[test]
fn no_definition_closes_its_objects() {
    fn walk(value: &Value, path: &str) {
        match value {
            Value::Object(object) => {
                for keyword in ["additionalProperties", "unevaluatedProperties"] {
                    assert_ne!(object.get(keyword), Some(&json!(false)), "{path}");
                }
                object.iter().for_each(|(key, value)| walk(value, &format!("{path}/{key}")));
            }
            Value::Array(array) => array.iter().for_each(|value| walk(value, path)),
            _ => {}
        }
    }
    for document in Document::all() {
        walk(&document.schema, document.path);
    }
}

#[test]
fn every_definition_accepts_its_example() {
    for document in Document::all() {
        for name in document.definitions().keys() {
            let example = document.examples.get(name);
            let example = example.unwrap_or_else(|| panic!("{} {name} has no example", document.path));
            assert_eq!(document.errors(name, example), [], "{} {name}: {example}", document.path);
        }
        for name in document.examples.keys() {
            assert!(document.definitions().contains_key(name), "{} {name}: no such definition", document.path);
        }
    }
}

#[test]
fn what_the_specification_leaves_open_is_accepted() {
    for document in Document::all() {
        for (name, instance) in &document.allowed {
            assert_eq!(document.errors(name, instance), [], "{} {name}: {instance}", document.path);
        }
    }
}

#[test]
fn a_broken_example_fails_once_and_in_the_right_place() {
    for document in Document::all() {
        assert!(document.broken.len() >= 40, "{} has too few broken examples", document.path);
        for broken in &document.broken {
            let mut instance = document.examples[broken.definition].clone();
            change(&mut instance, broken.pointer, broken.value.clone());
            assert_eq!(
                document.errors(broken.definition, &instance),
                [(broken.at.to_owned(), broken.keyword.to_owned())],
                "{} {} with {:?} at {:?}",
                document.path,
                broken.definition,
                broken.value,
                broken.pointer
            );
        }
    }
}

/// Every member of every object, mechanically: another type fails there, a missing required member fails in the
/// object, null is unset or wrong as the version has it.
#[test]
fn every_member_is_held_to_its_type_and_presence() {
    let mut tried = 0;
    for document in Document::all() {
        for (name, definition) in document.definitions() {
            let (Some(properties), Some(Value::Object(example))) =
                (definition["properties"].as_object(), document.examples.get(name))
            else {
                continue;
            };
            let validator = document.validator(name);
            let required =
                |member: &str| definition["required"].as_array().is_some_and(|all| all.contains(&json!(member)));
            let exclusive = |member: &str| exclusive_members(definition).contains(&member);
            for (member, schema) in properties.iter().filter(|(_, schema)| !schema.is_boolean()) {
                let here = format!("{} {name}.{member}", document.path);
                let fails_at_member = |value: Value| {
                    let mut instance = example.clone();
                    instance.insert(member.clone(), value);
                    let found = errors(&validator, &Value::Object(instance));
                    found.iter().any(|(at, _)| *at == format!("/{member}"))
                };
                let other_type =
                    if schema["type"].to_string().contains("boolean") { json!("true") } else { json!(true) };
                assert!(fails_at_member(other_type), "{here} accepts another type");

                let takes_null = schema["type"].to_string().contains("null");
                if required(member) {
                    let mut instance = example.clone();
                    instance.shift_remove(member);
                    let found = errors(&validator, &Value::Object(instance));
                    assert_eq!(found, [(String::new(), "required".to_owned())], "{here} missing");
                    assert!(takes_null || fails_at_member(Value::Null), "{here} null");
                } else if document.null_is_unset {
                    let mut instance = example.clone();
                    instance.insert(member.clone(), Value::Null);
                    let found = errors(&validator, &Value::Object(instance));
                    // To unset the one exclusive member that is set leaves none.
                    let none_left = exclusive(member) && example.contains_key(member) && !may_set_none(definition);
                    assert_eq!(found.is_empty(), !none_left, "{here} null: {found:?}");
                } else {
                    assert!(takes_null || fails_at_member(Value::Null), "{here} null");
                }
                tried += 1;
            }
        }
    }
    assert!(tried > 300, "only {tried} members tried");
}

/// Each alternative of a union is found by its discriminator, so that an error names what is wrong inside it.
#[test]
fn unions_judge_by_the_discriminator() {
    let mut tried = 0;
    for document in Document::all() {
        for (name, definition) in document.definitions() {
            for branch in definition["allOf"].as_array().into_iter().flatten() {
                let here = format!("{} {name} {branch}", document.path);
                let discriminator = &definition["required"][0];
                let reference = branch["then"]["$ref"].as_str().unwrap_or_else(|| panic!("{here}"));
                let alternative = reference.trim_start_matches("#/$defs/");
                let example = &document.examples[alternative];
                assert_eq!(document.errors(name, example), [], "{here}");
                let required = &document.definitions()[alternative]["required"];
                for member in required.as_array().into_iter().flatten().filter(|member| *member != discriminator) {
                    let mut instance = example.clone();
                    change(&mut instance, &format!("/{}", member.as_str().unwrap_or_default()), None);
                    let expected = [(String::new(), "required".to_owned())];
                    assert_eq!(document.errors(name, &instance), expected, "{here} without {member}");
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 50, "only {tried} members tried");
}

/// Of exclusive members exactly one is set, or at most one; a null is not set, but a null `data` of a part is (1.0
/// 4.1.6).
#[test]
fn only_one_exclusive_member_is_set() {
    let refused = [(String::new(), "oneOf".to_owned())];
    let mut tried = 0;
    for document in Document::all() {
        for (name, definition) in document.definitions() {
            let members = exclusive_members(definition);
            let validator = document.validator(name);
            let sample = |member: &str| {
                let reference = definition["properties"][member]["else"]["$ref"].as_str();
                let target = reference.map(|reference| reference.trim_start_matches("#/$defs/"));
                target.map_or(json!("x"), |target| document.examples[target].clone())
            };
            for member in &members {
                let here = format!("{} {name}.{member}", document.path);
                let mut instance = json!({});
                for other in members.iter().filter(|other| **other != "data") {
                    instance[*other] = Value::Null;
                }
                let none_set = errors(&validator, &instance);
                assert_eq!(none_set, if may_set_none(definition) { &[][..] } else { &refused }, "{here}: none set");
                instance[*member] = sample(member);
                assert_eq!(errors(&validator, &instance), [], "{here}: others null");
                for other in members.iter().filter(|other| *other != member) {
                    let instance = json!({ *member: sample(member), *other: sample(other) });
                    assert_eq!(errors(&validator, &instance), refused, "{here} beside {other}");
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 40, "only {tried} pairs tried");
}

/// Whatever the definition, a value of another JSON type is one error, and a response never has result and error.
#[test]
fn a_value_of_another_type_is_one_error_at_the_root() {
    for document in Document::all() {
        for (name, example) in &document.examples {
            let other = if example.is_string() { json!(true) } else { json!("x") };
            let found = document.errors(name, &other);
            assert!(matches!(found.as_slice(), [(at, _)] if at.is_empty()), "{} {name}: {found:?}", document.path);
            if name.ends_with("SuccessResponse") {
                let mut instance = example.clone();
                instance["error"] = Value::Null;
                let expected = [("/error".to_owned(), "falseSchema".to_owned())];
                assert_eq!(document.errors(name, &instance), expected, "{} {name}", document.path);
            }
        }
    }
}

#[test]
fn unknown_members_never_fail() {
    for document in Document::all() {
        for (name, example) in &document.examples {
            let mut instance = example.clone();
            if let Value::Object(object) = &mut instance {
                object.insert("x-of-tomorrow".to_owned(), json!({ "any": [1, null] }));
            }
            assert_eq!(document.errors(name, &instance), [], "{} {name}", document.path);
        }
    }
}

/// The members of which exactly one may be set, as `definition` has them.
fn exclusive_members(definition: &Value) -> Vec<&str> {
    definition["then"]["oneOf"]
        .as_array()
        .map(|branches| branches.iter().filter_map(|branch| branch["required"][0].as_str()).collect())
        .unwrap_or_default()
}

/// Whether all exclusive members of `definition` may be unset: the alternative that requires none.
fn may_set_none(definition: &Value) -> bool {
    definition["then"]["oneOf"]
        .as_array()
        .is_some_and(|branches| branches.iter().any(|branch| branch.get("required").is_none()))
}
