//! The JSON Schemas of a profile, compiled when first asked for.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError, Validator};
use serde_json::{Map, Value, json};

use crate::wire::json::pointer;
use crate::yaml::Mistake;

/// The most entries of a list that are judged at once.
const PIECE: usize = 1_000;
/// After so many violations of the entries of one list, only those of a new kind are kept.
const MOST: usize = 1_000;

/// The schemas of every wire object of one version.
pub struct Schemas {
    definitions: Value,
    compiled: Mutex<HashMap<String, Option<Arc<Validator>>>>,
}

/// One way in which a value breaks its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Pointer into the validated value.
    pub pointer: String,
    /// The member of the object there that is missing, where that is what is wrong.
    pub missing: Option<String>,
    /// What the schema wants there, to stand behind "expected": a thing, without the value that is there.
    pub wanted: String,
}

impl Violation {
    /// Whether both are that one and the same member is missing.
    pub fn lacks_the_same(&self, other: &Self) -> bool {
        self.missing.is_some() && (&self.pointer, &self.missing) == (&other.pointer, &other.missing)
    }

    /// Pointer to what is wrong: that of the missing member, where one is missing.
    pub fn place(&self) -> String {
        let mut place = self.pointer.clone();
        if let Some(missing) = &self.missing {
            pointer::push(&mut place, missing);
        }
        place
    }
}

impl Schemas {
    /// Reads `a2a.schema.json`.
    ///
    /// # Errors
    /// A file that is not JSON or has no `$defs`.
    pub fn read(file: &str, text: &str) -> Result<Self, Mistake> {
        let document: Value = serde_json::from_str(text).map_err(|error| Mistake::whole(file, error.to_string()))?;
        let definitions =
            document.get("$defs").cloned().ok_or_else(|| Mistake::whole(file, "the file has no `$defs`"))?;
        Ok(Self { definitions, compiled: Mutex::default() })
    }

    /// One schema by itself, with the `$defs` in it, for what has this name.
    pub fn of(kind: &str, schema: &Value) -> Self {
        let mut definitions = schema.get("$defs").cloned().unwrap_or_else(|| json!({}));
        if let Some(all) = definitions.as_object_mut() {
            all.insert(kind.to_owned(), schema.clone());
        }
        Self { definitions, compiled: Mutex::default() }
    }

    /// These schemas with others over them, such as those of a binding which spells some types otherwise.
    pub fn under(&self, own: &Self) -> Self {
        let mut all = self.definitions.clone();
        if let (Value::Object(all), Value::Object(own)) = (&mut all, &own.definitions) {
            all.extend(own.clone());
        }
        Self { definitions: all, compiled: Mutex::default() }
    }

    /// The schemas themselves, by wire type.
    pub fn definitions(&self) -> &Value {
        &self.definitions
    }

    /// Whether there is a schema of this wire type.
    pub fn has(&self, kind: &str) -> bool {
        self.definitions.get(kind).is_some()
    }

    /// The members that the schema of a wire type names.
    pub fn properties(&self, kind: &str) -> Vec<&str> {
        let members = self.definitions.get(kind).and_then(|schema| schema.get("properties")).and_then(Value::as_object);
        members.map(|members| members.keys().map(String::as_str).collect()).unwrap_or_default()
    }

    /// The members that the schema of a wire type requires.
    pub fn required(&self, kind: &str) -> Vec<&str> {
        let names = self.definitions.get(kind).and_then(|schema| schema.get("required")).and_then(Value::as_array);
        names.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// A wire type and all that its objects are made of, as far as they have schemas.
    pub fn within<'a>(&'a self, kind: &'a str) -> BTreeSet<&'a str> {
        let mut found = BTreeSet::new();
        let mut open = vec![kind];
        while let Some(kind) = open.pop() {
            let Some(schema) = self.definitions.get(kind) else { continue };
            if found.insert(kind) {
                references(schema, &mut open);
            }
        }
        found
    }

    /// The members that any of the schemas names.
    pub fn member_names(&self) -> Vec<String> {
        let all = self.definitions.as_object().into_iter().flat_map(serde_json::Map::values);
        let properties = all.filter_map(|schema| schema.get("properties")?.as_object());
        properties.flat_map(|members| members.keys().cloned()).collect()
    }

    /// How many members an object has that the schema of the wire type `kind` does not name.
    pub fn unknown_members(&self, kind: &str, value: &Value) -> usize {
        let known = self.definitions.get(kind).and_then(|schema| schema.get("properties")?.as_object());
        let members = value.as_object().into_iter().flat_map(serde_json::Map::keys);
        members.filter(|name| known.is_none_or(|known| !known.contains_key(*name))).count()
    }

    /// The wire types whose schema cannot be compiled: a mistake of ours.
    pub fn unusable(&self) -> Vec<String> {
        let names = self.definitions.as_object().map(|all| all.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
        names.into_iter().filter(|name| self.validator(name).is_none()).collect()
    }

    /// Everything in which `value` breaks the schema of the wire type `kind`, in the order of the value.
    ///
    /// A type without a schema breaks nothing.
    pub fn violations(&self, kind: &str, value: &Value) -> Vec<Violation> {
        let Some(validator) = self.validator(kind) else { return Vec::new() };
        // Most values are right, and it takes little to see that.
        if validator.is_valid(value) {
            return Vec::new();
        }
        let mut found = match longest_list(value) {
            Some((at, entries)) if entries.len() > PIECE => violations_by_pieces(&validator, value, &at, entries),
            _ => violations_of(&validator, value),
        };
        found.dedup();
        found
    }

    fn validator(&self, kind: &str) -> Option<Arc<Validator>> {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = compiled.get(kind) {
            return known.clone();
        }
        let made = self.has(kind).then(|| self.compile(kind)).flatten().map(Arc::new);
        compiled.insert(kind.to_owned(), made.clone());
        made
    }

    /// A validator keeps a copy of all that it is given, so it gets no more than it needs.
    fn compile(&self, kind: &str) -> Option<Validator> {
        let needed = self.within(kind).into_iter();
        let needed: Map<String, Value> =
            needed.filter_map(|name| Some((name.to_owned(), self.definitions.get(name)?.clone()))).collect();
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$ref": format!("#/$defs/{kind}"),
            "$defs": needed,
        });
        jsonschema::validator_for(&schema).ok()
    }
}

impl fmt::Debug for Schemas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.definitions.as_object().map(|all| all.keys().collect()).unwrap_or_default();
        f.debug_tuple("Schemas").field(&names).finish()
    }
}

/// The same of a value whose list at `at` is long, a piece of the list at a time: what a validator keeps for each violation takes
/// many times the entry that is wrong. Nothing in our schemas depends on how long a list is, but for whether it is empty. Of very many
/// violations those that differ from the others by their entry alone are left out.
fn violations_by_pieces(validator: &Validator, value: &Value, at: &str, entries: &[Value]) -> Vec<Violation> {
    let mut value = without_list(value, at);
    let mut found: Vec<Violation> = Vec::new();
    let mut kinds: BTreeSet<(String, Option<String>, String)> = BTreeSet::new();
    for (number, piece) in entries.chunks(PIECE).enumerate() {
        value.pointer_mut(at).into_iter().for_each(|list| *list = Value::Array(piece.to_vec()));
        let in_list =
            |violation: &Violation| violation.pointer.strip_prefix(at).is_some_and(|rest| rest.starts_with('/'));
        let violations = violations_of(validator, &value).into_iter().filter(|it| number == 0 || in_list(it));
        for violation in violations {
            let within = within_entry(&violation.pointer, at).to_owned();
            let is_new = kinds.insert((within, violation.missing.clone(), violation.wanted.clone()));
            if !is_new && found.len() >= MOST {
                continue;
            }
            found.push(match in_list(&violation) {
                true => Violation { pointer: moved(&violation.pointer, at, number * PIECE), ..violation },
                false => violation,
            });
        }
    }
    found
}

/// A pointer into an entry of the list at `at`, as one into the entry; another pointer as it is.
fn within_entry<'p>(pointer: &'p str, at: &str) -> &'p str {
    let below = pointer.strip_prefix(at).and_then(|rest| rest.strip_prefix('/'));
    below.map_or(pointer, |below| below.find('/').map_or("", |end| &below[end..]))
}

/// A pointer into a list at `at`, where that begins `by` entries earlier.
fn moved(pointer: &str, at: &str, by: usize) -> String {
    let rest = pointer.get(at.len() + 1..).unwrap_or_default();
    let (index, rest) = rest.split_once('/').map_or((rest, None), |(index, rest)| (index, Some(rest)));
    let index = index.parse::<usize>().unwrap_or_default() + by;
    rest.map_or_else(|| format!("{at}/{index}"), |rest| format!("{at}/{index}/{rest}"))
}

/// A copy of a value whose list at `at` is empty.
fn without_list(value: &Value, at: &str) -> Value {
    match value {
        Value::Array(_) if at.is_empty() => Value::Array(Vec::new()),
        Value::Object(members) => {
            let copy = members.iter().map(|(name, member)| {
                let rest = at.strip_prefix(&pointer_to(name));
                let copy = match rest.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
                    Some(rest) => without_list(member, rest),
                    None => member.clone(),
                };
                (name.clone(), copy)
            });
            Value::Object(copy.collect())
        }
        other => other.clone(),
    }
}

/// The longest list that is in objects alone, and where it is.
fn longest_list(value: &Value) -> Option<(String, &[Value])> {
    match value {
        Value::Array(entries) => Some((String::new(), entries)),
        Value::Object(members) => {
            let lists = members.iter().filter_map(|(name, member)| {
                longest_list(member).map(|(at, entries)| (pointer_to(name) + &at, entries))
            });
            lists.max_by_key(|(_, entries)| entries.len())
        }
        _ => None,
    }
}

fn pointer_to(member: &str) -> String {
    let mut pointer = String::new();
    pointer::push(&mut pointer, member);
    pointer
}

fn violations_of(validator: &Validator, value: &Value) -> Vec<Violation> {
    let violation = |error: ValidationError<'_>| Violation {
        pointer: error.instance_path().to_string(),
        missing: missing(&error),
        wanted: shorten(&wanted(&error)),
    };
    validator.iter_errors(value).map(violation).collect()
}

/// The names of the types that a schema refers to.
fn references<'a>(schema: &'a Value, found: &mut Vec<&'a str>) {
    match schema {
        Value::Object(members) => {
            found.extend(members.get("$ref").and_then(Value::as_str).and_then(|at| at.strip_prefix("#/$defs/")));
            members.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

/// The member that is missing, where that is what is wrong.
fn missing(error: &ValidationError<'_>) -> Option<String> {
    match error.kind() {
        ValidationErrorKind::Required { property } => property.as_str().map(str::to_owned),
        _ => None,
    }
}

/// What a schema wants where it is broken.
pub fn wanted(error: &ValidationError<'_>) -> String {
    match error.kind() {
        ValidationErrorKind::Type { kind: TypeKind::Single(one) } => of_type(*one).to_owned(),
        ValidationErrorKind::Type { kind: TypeKind::Multiple(several) } => {
            several.iter().map(of_type).collect::<Vec<_>>().join(" or ")
        }
        ValidationErrorKind::Required { property } => format!("the member {property}"),
        ValidationErrorKind::Enum { options } => format!("one of {options}"),
        ValidationErrorKind::Constant { expected_value } => expected_value.to_string(),
        ValidationErrorKind::MinItems { limit: 1 } => "an array with an item".to_owned(),
        ValidationErrorKind::MinLength { limit: 1 } => "a string that is not empty".to_owned(),
        ValidationErrorKind::Pattern { pattern } => format!("a string like {pattern}"),
        ValidationErrorKind::OneOfNotValid { context } | ValidationErrorKind::AnyOf { context }
            if let Some(members) = alternatives(error, context) =>
        {
            format!("one of the members {}", members.join(", "))
        }
        _ => format!("what its schema says: {}", error.masked_with("it")),
    }
}

/// The members that each of several forms misses, where that is what keeps a value from being one of them.
fn alternatives(error: &ValidationError<'_>, forms: &[Vec<ValidationError<'_>>]) -> Option<Vec<String>> {
    let missing_here = |form: &Vec<ValidationError<'_>>| {
        form.iter().find_map(|inner| missing(inner).filter(|_| inner.instance_path() == error.instance_path()))
    };
    forms.iter().map(missing_here).collect()
}

fn of_type(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Array => "an array",
        JsonType::Boolean => "a boolean",
        JsonType::Integer => "an integer",
        JsonType::Null => "null",
        JsonType::Number => "a number",
        JsonType::Object => "an object",
        JsonType::String => "a string",
    }
}

/// The validator quotes the whole offending value, which may be a whole task: keep the sentence readable.
fn shorten(message: &str) -> String {
    const LONGEST: usize = 200;
    if message.chars().count() <= LONGEST {
        return message.to_owned();
    }
    let tail: String = message.chars().rev().take(LONGEST / 2).collect::<Vec<_>>().into_iter().rev().collect();
    let head: String = message.chars().take(LONGEST / 2).collect();
    format!("{head} ... {tail}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_schemas_of_another_file_go_over_these() {
        let all = Schemas::read("all", r##"{ "$defs": { "A": { "$ref": "#/$defs/B" }, "B": { "type": "string" } } }"##);
        let all = all.unwrap();
        let over = all.under(&Schemas::read("over", r#"{ "$defs": { "B": { "type": "integer" } } }"#).unwrap());
        assert!(over.violations("A", &json!(1)).is_empty());
        assert_eq!(over.violations("A", &json!("x")).len(), 1);
        assert!(all.violations("A", &json!("x")).is_empty());
        assert!(Schemas::read("over", "{}").is_err());
    }

    /// A long list is judged by pieces: the violations and their places are those of the whole list.
    #[test]
    fn a_long_list_breaks_what_its_entries_break() {
        let schemas = r##"{ "$defs": { "A": {
            "required": ["b", "name"],
            "properties": { "b": { "properties": { "c/d": { "minItems": 1, "items": { "required": ["id"], "properties": { "id": { "type": "string" } } } } } } }
        } } }"##;
        let schemas = Schemas::read("all", schemas).unwrap();
        let wrong = |length: usize| {
            let mut entries: Vec<Value> = vec![json!({ "id": "x" }); length];
            for (place, entry) in
                [(0, json!({})), (PIECE - 1, json!({ "id": 1 })), (PIECE, json!({})), (length - 1, json!({ "id": [] }))]
            {
                entries[place] = entry;
            }
            let value = json!({ "b": { "c/d": entries }, "other": [1] });
            let found = schemas.violations("A", &value);
            found.into_iter().map(|it| (it.pointer, it.wanted)).collect::<Vec<_>>()
        };
        let length = 2 * PIECE + 7;
        let missing = "the member \"id\"".to_owned();
        let expected = [
            ("/b/c~1d/0".to_owned(), missing.clone()),
            (format!("/b/c~1d/{}/id", PIECE - 1), "a string".to_owned()),
            (format!("/b/c~1d/{PIECE}"), missing),
            (format!("/b/c~1d/{}/id", length - 1), "a string".to_owned()),
            (String::new(), "the member \"name\"".to_owned()),
        ];
        let found = wrong(length);
        assert_eq!(found.iter().collect::<BTreeSet<_>>(), expected.iter().collect());
        assert_eq!(found.len(), expected.len(), "{found:?}");
    }

    /// What many entries lack is not kept of each; what only the last one lacks is.
    #[test]
    fn of_very_many_violations_every_kind_is_kept() {
        let schema = r##"{ "$defs": { "A": { "items": { "required": ["id"], "properties": { "id": { "type": "string" } } } } } }"##;
        let schemas = Schemas::read("all", schema).unwrap();
        let mut entries: Vec<Value> = vec![json!({}); 5 * PIECE];
        entries[5 * PIECE - 1] = json!({ "id": 1 });
        let found = schemas.violations("A", &json!(entries));
        assert!((MOST..=MOST + PIECE).contains(&found.len()), "{}", found.len());
        assert_eq!(found.last().unwrap().pointer, format!("/{}/id", 5 * PIECE - 1));
    }

    #[test]
    fn a_violation_says_what_is_wanted_and_not_what_is_there() {
        let schema = json!({
            "type": "object",
            "required": ["id"],
            "properties": {
                "id": { "type": "string", "minLength": 1 },
                "last": { "type": ["boolean", "null"] },
                "kind": { "const": "task" },
                "state": { "enum": ["working", "completed"] },
                "time": { "pattern": "Z$" },
                "parts": { "minItems": 1, "items": { "type": "object" } },
                "size": { "minimum": 0 },
                "part": { "oneOf": [{ "required": ["text"] }, { "required": ["data"], "properties": { "data": { "type": "object" } } }] },
            },
        });
        let validator = jsonschema::validator_for(&schema).unwrap();
        let cases = [
            (json!([]), "an object"),
            (json!({}), "the member \"id\""),
            (json!({ "id": 7 }), "a string"),
            (json!({ "id": "" }), "a string that is not empty"),
            (json!({ "id": "a", "last": 1 }), "null or a boolean"),
            (json!({ "id": "a", "kind": "message" }), "\"task\""),
            (json!({ "id": "a", "state": "done" }), "one of [\"working\",\"completed\"]"),
            (json!({ "id": "a", "time": "now" }), "a string like Z$"),
            (json!({ "id": "a", "parts": [] }), "an array with an item"),
            (json!({ "id": "a", "part": {} }), "one of the members text, data"),
            (
                json!({ "id": "a", "part": { "data": 1 } }),
                "what its schema says: it is not valid under any of the schemas listed in the 'oneOf' keyword",
            ),
            (json!({ "id": "a", "size": -1 }), "what its schema says: it is less than the minimum of 0"),
        ];
        for (value, expected) in cases {
            let found: Vec<String> = validator.iter_errors(&value).map(|error| wanted(&error)).collect();
            assert_eq!(found, [expected], "{value}");
        }
    }
}
