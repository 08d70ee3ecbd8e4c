//! The shape of a case file: its keys, and the types of their values, as `schemas/case.schema.json` has them for editors.
//!
//! The reader of the types stops at the first mistake; the schema finds all of them. A test holds the two against each other, so
//! that neither takes what the other refuses.

use std::sync::LazyLock;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::convert::inner;
use crate::diagnostic::near;
use crate::profile::schema::wanted;
use crate::wire::json::pointer;
use crate::yaml::tree::Part;
use crate::yaml::{Mistake, Tree};

/// The schema of case files, for editors.
pub const SCHEMA: &str = include_str!(concat!(env!("DATA"), "/schemas/case.schema.json"));

static SCHEMA_VALUE: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(SCHEMA).unwrap_or(Value::Bool(true)));

static VALIDATOR: LazyLock<Option<Validator>> = LazyLock::new(|| jsonschema::validator_for(&SCHEMA_VALUE).ok());

/// Keys that once had another name.
const RENAMED: [(&str, &str); 1] = [("mend", "fix")];

/// A mistake in the shape of a file.
pub(super) struct Misshape {
    /// Where, as a pointer.
    pub at: String,
    part: Part,
    message: String,
    help: Option<String>,
    /// What makes up for it, so that the rest can be read.
    repair: Repair,
}

enum Repair {
    /// Another name for the member.
    Rename(String),
    /// Leaving it out.
    Remove,
    /// Another value.
    Replace(Value),
    /// A member that is missing.
    Add(String),
    /// There is none.
    None,
}

/// Everything that is wrong with the shape of a file.
pub(super) fn misshapes(value: &Value) -> Vec<Misshape> {
    let Some(validator) = VALIDATOR.as_ref().filter(|validator| !validator.is_valid(value)) else { return Vec::new() };
    let mut found: Vec<Misshape> = validator.iter_errors(value).flat_map(|error| told(&error)).collect();
    // A key that is misspelled is missing as well, which nobody needs to be told.
    let meant: Vec<String> = found
        .iter()
        .filter_map(|one| match &one.repair {
            Repair::Rename(meant) => Some(inner(one.at.rsplit_once('/').map_or("", |(around, _)| around), meant)),
            _ => None,
        })
        .collect();
    found.retain(|one| match &one.repair {
        Repair::Add(missing) => !meant.contains(&inner(&one.at, missing)),
        _ => true,
    });
    found
}

fn told(error: &ValidationError<'_>) -> Vec<Misshape> {
    let at = error.instance_path().to_string();
    let schema = error.schema_path().to_string();
    let around = schema.rsplit_once('/').and_then(|(around, _)| SCHEMA_VALUE.pointer(around));
    let named = |key: &str| around.and_then(|around| around.get(key)?.as_str());
    let value = |message: String, help: Option<String>, repair: Repair| {
        vec![Misshape { at: at.clone(), part: Part::Value, message, help, repair }]
    };
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let known = around.and_then(|around| around.get("properties")?.as_object());
            let known: Vec<&str> = known.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
            let unknown = unexpected.iter().map(|name| {
                let renamed = RENAMED.iter().find(|(old, new)| old == name && known.contains(new)).map(|(_, new)| *new);
                let near = renamed.or_else(|| near::nearest(name, known.iter().copied()));
                let help = renamed.map(|new| format!("it is called `{new}` now"));
                Misshape {
                    at: inner(&at, name),
                    part: Part::Name,
                    message: format!("unknown key `{name}`"),
                    help: help.or_else(|| near::help(name, known.iter().copied())),
                    repair: near.map_or(Repair::Remove, |near| Repair::Rename(near.to_owned())),
                }
            });
            unknown.collect()
        }
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            value(format!("the key `{name}` is missing"), None, Repair::Add(name.to_owned()))
        }
        ValidationErrorKind::Enum { options } => {
            let known: Vec<&str> = options.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let written = error.instance();
            let kind = named("title").unwrap_or("value");
            match written.as_str() {
                Some(text) => {
                    let near = near::nearest(text, known.iter().copied());
                    let repair = near.map_or(Repair::None, |near| Repair::Replace(near.into()));
                    value(format!("no such {kind}: `{text}`"), near::help(text, known.iter().copied()), repair)
                }
                None => value(format!("expected the name of a {kind}, not {}", kind_of(written)), None, Repair::None),
            }
        }
        ValidationErrorKind::Type { .. } => {
            let wanted = wanted(error);
            let wanted = wanted.strip_prefix("null or ").unwrap_or(&wanted);
            let written = error.instance();
            let is_unquoted = wanted.contains("a string") && (written.is_number() || written.is_boolean());
            let help = is_unquoted.then(|| "put it into quotes".to_owned());
            let help = help.or_else(|| {
                let is_bare = wanted.contains("an array") && written.is_string();
                is_bare.then(|| "put it into brackets".to_owned())
            });
            value(format!("expected {wanted}, not {}", kind_of(written)), help, Repair::None)
        }
        ValidationErrorKind::Minimum { limit } => {
            value(format!("expected at least {limit}, not {}", error.instance()), None, Repair::None)
        }
        // Which act a step does, and what an oracle or a condition holds, is told when they are read.
        ValidationErrorKind::OneOfNotValid { .. }
        | ValidationErrorKind::OneOfMultipleValid { .. }
        | ValidationErrorKind::MinProperties { .. }
        | ValidationErrorKind::MaxProperties { .. } => Vec::new(),
        _ => value(format!("expected {}", wanted(error)), None, Repair::None),
    }
}

/// What kind of value this is, with its article.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

impl Misshape {
    pub fn mistake(&self, tree: &Tree) -> Mistake {
        Mistake { help: self.help.clone(), ..tree.mistake(&self.at, &self.part, &self.message) }
    }

    /// Makes up for it in `entry`, which stands at `root`: as it was meant, where that is clear.
    pub fn repair(&self, entry: &mut Value, root: &str) {
        let Some(below) = self.at.strip_prefix(root) else { return };
        let (around, name) = below.rsplit_once('/').unwrap_or(("", ""));
        let name =
            pointer::tokens(&format!("/{name}")).and_then(|tokens| tokens.into_iter().next()).unwrap_or_default();
        match &self.repair {
            Repair::Rename(meant) => {
                let members = entry.pointer_mut(around).and_then(Value::as_object_mut);
                if let Some(members) = members
                    && let Some(value) = members.remove(&name)
                {
                    members.entry(meant.clone()).or_insert(value);
                }
            }
            Repair::Remove => {
                if let Some(members) = entry.pointer_mut(around).and_then(Value::as_object_mut) {
                    members.remove(&name);
                }
            }
            Repair::Replace(meant) => {
                if let Some(value) = entry.pointer_mut(below) {
                    *value = meant.clone();
                }
            }
            // What stands for an id would be told to be none.
            Repair::Add(missing) if missing == "id" => {}
            Repair::Add(missing) => {
                if let Some(members) = entry.pointer_mut(below).and_then(Value::as_object_mut) {
                    members.entry(missing.clone()).or_insert_with(|| missing.as_str().into());
                }
            }
            Repair::None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde::de::DeserializeOwned;
    use serde_json::json;

    use super::*;
    use crate::auth::Caller;
    use crate::bundle;
    use crate::case::file::{self, CaseEntry, CaseFile};
    use crate::case::visit::file::{self as client, ClientCaseEntry};
    use crate::case::visit::{Behind, Ends, LineEnds, Role, Told, Word};
    use crate::case::{Awaited, Goal, Matcher, Outcome, Side, Trigger, Until, ValueKind};
    use crate::profile::{Binding, Capability, Operation};
    use crate::verdict::Level;
    use crate::wire::tls::Offer;

    /// Whether the types take a file.
    fn is_read(value: &Value) -> bool {
        use serde::Deserialize as _;
        CaseFile::deserialize(value).is_ok_and(|file| file.cases.iter().all(is_case))
    }

    fn is_case(entry: &Value) -> bool {
        use serde::Deserialize as _;
        match entry.get("role").and_then(Value::as_str) {
            Some("client") => ClientCaseEntry::deserialize(entry).is_ok(),
            _ => CaseEntry::deserialize(entry).is_ok(),
        }
    }

    #[test]
    fn the_schema_takes_every_case() {
        let is_of_cases = |file: &str| ["requirements/", "sets/"].iter().all(|folder| !file.starts_with(folder));
        for (file, text) in bundle::files(&bundle::CASES).into_iter().filter(|(file, _)| is_of_cases(file)) {
            let tree = Tree::read(file, text).unwrap();
            let told: Vec<String> =
                misshapes(tree.value()).iter().map(|one| format!("{}: {}", one.at, one.message)).collect();
            assert!(told.is_empty(), "{file}: {told:?}");
        }
    }

    #[test]
    fn the_schema_finds_what_the_types_refuse() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/bad-cases");
        let mut refused = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                continue;
            }
            let Ok(tree) = Tree::read("", &std::fs::read_to_string(&path).unwrap()) else { continue };
            if !is_read(tree.value()) {
                refused += 1;
                assert!(!misshapes(tree.value()).is_empty(), "{}", path.display());
            }
        }
        assert!(refused > 2, "some files are refused");
    }

    /// The names that a reader lists in its complaint of one that it does not know.
    fn listed<T: DeserializeOwned + std::fmt::Debug>(unknown: &Value) -> BTreeSet<String> {
        let complaint = serde_json::from_value::<T>(unknown.clone()).unwrap_err().to_string();
        complaint.split('`').skip(1).step_by(2).filter(|name| *name != "?").map(str::to_owned).collect()
    }

    fn keys<T: DeserializeOwned + std::fmt::Debug>() -> BTreeSet<String> {
        listed::<T>(&json!({ "?": 0 }))
    }

    fn values<T: DeserializeOwned + std::fmt::Debug>() -> BTreeSet<String> {
        listed::<T>(&json!("?"))
    }

    fn in_schema(place: &str) -> BTreeSet<String> {
        let held = SCHEMA_VALUE.pointer(place).unwrap_or_else(|| panic!("{place} is in the schema"));
        match held {
            Value::Object(members) => members.keys().cloned().collect(),
            items => items.as_array().unwrap().iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        }
    }

    #[test]
    fn the_schema_has_every_key_and_name_of_the_language() {
        let same = |place: &str, of_types: BTreeSet<String>| {
            assert!(!of_types.is_empty(), "{place}");
            assert_eq!(in_schema(place), of_types, "{place} of schemas/case.schema.json");
        };
        same("/properties", keys::<CaseFile>());
        for (name, of_types) in [
            ("case", keys::<CaseEntry>()),
            ("client-case", keys::<client::ClientCaseEntry>()),
            ("scripted-agent", keys::<client::AgentEntry>()),
            ("offered", keys::<client::OfferedEntry>()),
            ("scripted", keys::<client::ScriptedEntry>()),
            ("writing", keys::<client::WritingEntry>()),
            ("doing", keys::<client::DoingEntry>()),
            ("reported", keys::<client::ReportedEntry>()),
            ("requests", keys::<client::RequestsEntry>()),
            ("always", keys::<client::AlwaysEntry>()),
            ("request-conditions", keys::<client::ConditionsEntry>()),
            ("fixture", keys::<file::FixtureEntry>()),
            ("step", keys::<file::StepEntry>()),
            ("raw", keys::<file::RawEntry>()),
            ("piece", keys::<file::PieceEntry>()),
            ("frame", keys::<file::FrameEntry>()),
            ("wait", keys::<file::WaitEntry>()),
            ("card", keys::<file::CardEntry>()),
            ("webhook", keys::<file::WebhookEntry>()),
            ("deliveries", keys::<file::DeliveriesEntry>()),
            ("rpc-id", keys::<file::RpcIdEntry>()),
            ("expect", keys::<file::ExpectEntry>()),
        ] {
            same(&format!("/$defs/{name}/properties"), of_types);
        }
        same("/$defs/case/properties/role/enum", values::<Role>());
        same("/$defs/doing/properties/do/enum", values::<Word>());
        same("/$defs/offered/properties/is/enum", values::<Behind>());
        same("/$defs/scripted/properties/ends/enum", values::<Ends>());
        same("/$defs/writing/properties/lines/enum", values::<LineEnds>());
        same("/$defs/reported/properties/outcome/items/enum", values::<Told>());
        same("/$defs/capability/enum", values::<Capability>());
        same("/$defs/binding/enum", values::<Binding>());
        same("/$defs/operation/enum", values::<Operation>());
        same("/$defs/trigger/enum", values::<Trigger>());
        same("/$defs/fixture/properties/task/enum", values::<Goal>());
        same("/$defs/wait/properties/until/enum", values::<Until>());
        same("/$defs/deliveries/properties/until/enum", values::<Awaited>());
        same("/$defs/step/properties/hello/enum", values::<Offer>());
        same("/$defs/step/properties/over/enum", values::<Side>());
        same("/$defs/step/properties/by/enum", values::<Caller>());
        same("/$defs/frame/properties/type/enum", values::<crate::case::FrameKind>());
        same("/$defs/case/properties/level/enum", values::<Level>());
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
        same("/$defs/condition/then/properties", owned(&Matcher::NAMES));
        same("/$defs/condition/then/properties/type/enum", owned(&ValueKind::NAMES));
        let profiles = crate::profile::bundled().unwrap();
        let errors = profiles.iter().flat_map(|profile| profile.facts.errors.keys().cloned());
        same("/$defs/expect/properties/outcome/items/enum", errors.chain(owned(&Outcome::NAMES)).collect());
    }

    /// Keys that must be there, and the types of values: what the schema takes, the types take, and the other way round.
    #[test]
    fn the_schema_and_the_types_agree_about_values() {
        let case = json!({ "id": "a/b", "title": "t", "why": "w", "right": "r", "wrong": "w", "fix": "m", "level": "MUST",
            "steps": [{ "call": "GetTask" }] });
        let kinds = [json!(null), json!(true), json!(1), json!(-1), json!(1.5), json!("?"), json!([]), json!({})];
        let mut holders: Vec<(String, Value)> = vec![(String::new(), case.clone())];
        let with = |step: Value| {
            let mut case = case.clone();
            case["steps"] = json!([step]);
            case
        };
        holders.push(("/steps/0".to_owned(), with(json!({ "call": "GetTask" }))));
        holders.push(("/steps/0/raw".to_owned(), with(json!({ "raw": {} }))));
        holders.push(("/steps/0/send/0".to_owned(), with(json!({ "bytes": "GetTask", "send": [{}] }))));
        let frame = json!({ "bytes": "GetTask", "send": [{ "frame": { "type": "data" } }] });
        holders.push(("/steps/0/send/0/frame".to_owned(), with(frame)));
        holders.push(("/steps/0/wait".to_owned(), with(json!({ "wait": { "task": "x", "until": "terminal" } }))));
        holders.push(("/steps/0/card".to_owned(), with(json!({ "card": {} }))));
        holders.push(("/steps/0/rpc-id".to_owned(), with(json!({ "call": "GetTask", "rpc-id": { "value": 1 } }))));
        holders.push(("/steps/0/expect".to_owned(), with(json!({ "call": "GetTask", "expect": {} }))));
        holders.push(("/steps/0/deliveries".to_owned(), with(json!({ "deliveries": { "to": "hook" } }))));
        let mut with_webhook = case.clone();
        with_webhook["webhooks"] = json!({ "hook": {} });
        holders.push(("/webhooks/hook".to_owned(), with_webhook));
        let mut given = case.clone();
        given["given"] = json!({ "done": { "task": "completed" } });
        holders.push(("/given/done".to_owned(), given));
        let names = [
            "case",
            "step",
            "raw",
            "piece",
            "frame",
            "wait",
            "card",
            "rpc-id",
            "expect",
            "deliveries",
            "webhook",
            "fixture",
        ];
        // What the reader leaves to the checks that follow it is no matter of shape.
        let is_left =
            |one: &Misshape| one.at.contains("/holds/") || one.at.contains("/observe") || one.at.contains("/outcome/");
        for ((place, holder), name) in holders.iter().zip(names) {
            for key in in_schema(&format!("/$defs/{name}/properties")) {
                for value in kinds.iter().map(Some).chain([None]) {
                    let mut case = holder.clone();
                    let members = case.pointer_mut(place).and_then(Value::as_object_mut).unwrap();
                    match value {
                        Some(value) => members.insert(key.clone(), value.clone()),
                        None => members.remove(&key),
                    };
                    let file = json!({ "cases": [case] });
                    let told = misshapes(&file).into_iter().filter(|one| !is_left(one)).count();
                    // The types would read an array as the members of a map, in their order.
                    let is_list = value == Some(&json!([]));
                    assert!(is_read(&file) || told > 0, "{place}/{key} {value:?}");
                    assert!(!is_read(&file) || told == 0 || is_list, "{place}/{key} {value:?}");
                }
            }
        }
    }
}
