//! `a2aspec schema`: the JSON Schemas of the files that a2aspec reads and writes, for editors and programs.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use super::args::SchemaOf;
use super::census;
use super::config::Config;
use super::fail::Failure;
use crate::case;
use crate::compare;
use crate::coverage;
use crate::discovery::lock::Lock;
use crate::matrix;
use crate::report::{baseline, json, outline};

/// The schema of a file.
pub(super) fn of(file: SchemaOf) -> Result<String, Failure> {
    match file {
        SchemaOf::Settings => written(&made_of::<Config>()),
        SchemaOf::Targets => written(&made_of::<census::Listed>()),
        SchemaOf::Baseline => written(&made_of::<baseline::Baseline>()),
        SchemaOf::Lock => written(&made_of::<Lock>()),
        SchemaOf::Cases => Ok(case::SCHEMA.to_owned()),
        SchemaOf::Report => Ok(json::SCHEMA.to_owned()),
        SchemaOf::Plan => Ok(outline::SCHEMA.to_owned()),
        SchemaOf::Matrix => Ok(matrix::SCHEMA.to_owned()),
        SchemaOf::Comparison => Ok(compare::SCHEMA.to_owned()),
        SchemaOf::Coverage => Ok(coverage::SCHEMA.to_owned()),
    }
}

/// The schema of what the program reads into this type. Editors that know TOML read draft 7, and no later one.
fn made_of<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft07().with_transform(RecursiveTransform(without_null));
    settings.into_generator().into_root_schema_for::<T>()
}

/// A member that may be left out has no null: TOML has none, and in a list it would be a mistake.
fn without_null(schema: &mut Schema) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [one] = types.as_mut_slice() {
            let one = one.take();
            schema.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(any)) = schema.get_mut("anyOf") {
        any.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
    }
}

fn written(schema: &Schema) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(schema).map_err(|error| Failure::broken(error.to_string()))?;
    Ok(text + "\n")
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;
    use serde_json::json;

    use super::*;

    const EXAMPLE: &str = include_str!("../../docs/settings.md");

    fn schema(file: SchemaOf) -> Value {
        serde_json::from_str(&of(file).unwrap()).unwrap()
    }

    fn errors(schema: &Value, instance: &Value) -> Vec<String> {
        let validator = jsonschema::validator_for(schema).unwrap();
        validator.iter_errors(instance).map(|error| format!("{}: {error}", error.instance_path())).collect()
    }

    /// The settings that the documents show, with every key.
    fn example() -> Value {
        let (_, block) = EXAMPLE.split_once("```toml\n").unwrap();
        toml::from_str(block.split_once("```").unwrap().0).unwrap()
    }

    #[test]
    fn each_is_a_schema() {
        for file in SchemaOf::value_variants() {
            assert!(jsonschema::meta::validate(&schema(*file)).is_ok(), "{file:?}");
        }
    }

    #[test]
    fn the_documents_show_every_setting() {
        let (schema, example) = (schema(SchemaOf::Settings), example());
        assert_eq!(errors(&schema, &example), [""; 0]);
        for setting in schema["properties"].as_object().unwrap().keys() {
            assert!(example.get(setting).is_some(), "docs/settings.md does not show `{setting}`");
        }
        let targets = self::schema(SchemaOf::Targets);
        assert_eq!(errors(&targets, &json!({ "targets": { "weather": example } })), [""; 0]);
    }

    /// Whatever type a setting is given: the schema refuses those that the reader refuses.
    #[test]
    fn what_the_reader_refuses_is_refused() {
        let (schema, example) = (schema(SchemaOf::Settings), example());
        let mut refused = 0;
        for setting in example.as_object().unwrap().keys().map(String::as_str).chain(["misspelled"]) {
            for value in [json!("\u{7f}"), json!(1.5), json!(-1), json!(true), json!([{}]), json!({ "x": [] })] {
                let mut changed = example.clone();
                changed[setting] = value;
                if serde_json::from_value::<Config>(changed.clone()).is_err() {
                    refused += 1;
                    assert!(!errors(&schema, &changed).is_empty(), "{setting}: {}", changed[setting]);
                }
            }
        }
        assert!(refused > 100, "{refused}");
    }

    #[test]
    fn names_and_numbers_are_those_that_there_are() {
        let schema = schema(SchemaOf::Settings);
        for (right, wrong) in [
            (json!({ "profile": ["1.0", "0.3"] }), json!({ "profile": ["1"] })),
            (json!({ "binding": ["grpc"] }), json!({ "binding": ["rest"] })),
            (json!({ "level": ["must"] }), json!({ "level": ["musst"] })),
            (json!({ "fail-on": "never" }), json!({ "fail-on": "always" })),
            (json!({ "min-tested": "90%" }), json!({ "min-tested": "101%" })),
            (json!({ "jobs": 1 }), json!({ "jobs": 0 })),
            (json!({ "timeout": 0.5 }), json!({ "timeout": 0 })),
            (json!({ "base-url": "http://a" }), json!({ "base-url": 1 })),
            (json!({ "triggers": { "slow": { "text": "x" } } }), json!({ "triggers": { "slow": { "txt": "x" } } })),
            (json!({ "triggers": { "slow": "x" } }), json!({ "triggers": { "slowly": "x" } })),
            (json!({ "preset": "acts" }), json!({ "preset": "tck" })),
        ] {
            assert_eq!(errors(&schema, &right), [""; 0]);
            assert!(!errors(&schema, &wrong).is_empty(), "{wrong}");
        }
    }

    #[test]
    fn a_baseline_is_described() {
        let schema = schema(SchemaOf::Baseline);
        let entry = json!({ "case": "get/existing", "profile": "1.0", "binding": "grpc", "until": "2027-01-31" });
        assert_eq!(errors(&schema, &json!({ "known": [entry] })), [""; 0]);
        assert!(!errors(&schema, &json!({ "known": [{ "case": "get/existing" }] })).is_empty());
    }
}
