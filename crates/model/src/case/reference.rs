//! References in case files: `${name.path.to.value}`.
//!
//! A string that is nothing but one reference becomes the value it names; a reference inside a longer string is put in
//! as text. `${times.N.text}` is a text so many times, for input that is long or deep; `${params.OP.ID}` is what the
//! version makes of the parameters of an operation that takes one id. There is nothing else: no defaults, no conditions, no
//! arithmetic.

use std::borrow::Cow;

use serde_json::Value;
use thiserror::Error;

/// The longest text that `${times.N.text}` makes, in bytes: more than an agent must take, and little enough to keep.
const LONGEST: usize = 4 * 1024 * 1024;
/// What stands for the number of the turn in `${times.N.text}`.
const TURN: char = '#';

/// Where references find their values.
pub trait References {
    /// The value of a name, or of a whole reference; `None` where there is none yet.
    fn value(&self, name: &str) -> Option<Cow<'_, Value>>;
}

/// A reference that names nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`${{{reference}}}` has no value")]
pub struct Unresolved {
    /// What stands between the braces.
    pub reference: String,
}

/// `value` with every reference in it filled in.
///
/// # Errors
/// The first reference that names nothing.
pub fn resolve(value: &Value, from: &dyn References) -> Result<Value, Unresolved> {
    Ok(match value {
        Value::String(text) => resolve_text(text, from)?,
        Value::Array(items) => items.iter().map(|item| resolve(item, from)).collect::<Result<Value, _>>()?,
        Value::Object(members) => {
            let mut resolved = serde_json::Map::new();
            for (name, member) in members {
                resolved.insert(name.clone(), resolve(member, from)?);
            }
            Value::Object(resolved)
        }
        other => other.clone(),
    })
}

fn resolve_text(text: &str, from: &dyn References) -> Result<Value, Unresolved> {
    let pieces = split(text);
    if let [Piece::Reference(reference)] = pieces.as_slice() {
        return lookup(reference, from);
    }
    let mut filled = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => filled.push_str(text),
            Piece::Reference(reference) => match lookup(reference, from)? {
                Value::String(text) => filled.push_str(&text),
                other => filled.push_str(&other.to_string()),
            },
        }
    }
    Ok(Value::String(filled))
}

/// The value that a reference names, by what stands between its braces.
///
/// # Errors
/// A reference that names nothing.
pub fn lookup(reference: &str, from: &dyn References) -> Result<Value, Unresolved> {
    let missing = || Unresolved { reference: reference.to_owned() };
    if let Some(repeated) = repetition(reference) {
        return repeated.map(Value::String).ok_or_else(missing);
    }
    if let Some(value) = from.value(reference) {
        return Ok(value.into_owned());
    }
    let (name, path) = reference.split_once('.').ok_or_else(missing)?;
    let value = from.value(name).ok_or_else(missing)?;
    follow(&value, path).cloned().ok_or_else(missing)
}

/// The value at the end of a path of names and indices, such as `task.parts.0.text`.
pub fn follow<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(value, |value, key| match value {
        Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        other => other.get(key),
    })
}

/// The text of `times.N.text`; `None` inside where it is written wrongly or too long, `None` for any other reference.
fn repetition(reference: &str) -> Option<Option<String>> {
    let (number, text) = match reference.strip_prefix("times.")?.split_once('.') {
        Some((number, text)) if !text.is_empty() => (number, text),
        _ => return Some(None),
    };
    let turns = number.parse::<usize>().ok().filter(|turns| turns.saturating_mul(text.len()) <= LONGEST);
    Some(turns.map(|turns| match text.contains(TURN) {
        true => (0..turns).map(|turn| text.replace(TURN, &turn.to_string())).collect(),
        false => text.repeat(turns),
    }))
}

enum Piece<'a> {
    Text(&'a str),
    Reference(&'a str),
}

fn split(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((reference, after)) = after.split_once('}') else { break };
        if !before.is_empty() {
            pieces.push(Piece::Text(before));
        }
        pieces.push(Piece::Reference(reference));
        rest = after;
    }
    if !rest.is_empty() || pieces.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    pieces
}

/// The references in a value. Those that need no other value (repetitions, `params.OP.ID` with a plain id) are left out; of
/// `params.OP.name.path` there is `name.path`.
pub fn references(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => split(text)
            .into_iter()
            .filter_map(|piece| match piece {
                Piece::Reference(reference) if matches!(repetition(reference), Some(Some(_))) => None,
                Piece::Reference(reference) => {
                    match reference.strip_prefix("params.").and_then(|rest| rest.split_once('.')) {
                        Some((_, id)) => Some(id).filter(|id| id.contains('.')),
                        None => Some(reference),
                    }
                }
                Piece::Text(_) => None,
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(references).collect(),
        Value::Object(members) => members.values().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

/// What a reference is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling<'a> {
    /// `name`, or `name.path`.
    Name(&'a str, Option<&'a str>),
    /// `params.OPERATION.ID`; the id is another reference where there is a dot in it.
    Params(&'a str, &'a str),
    /// `times.N.text`.
    Times,
    /// `times` or `params` with something else behind it.
    Wrong(&'static str),
}

/// Every reference in a text, as it stands between the braces, with what it is.
pub(super) fn spellings(text: &str) -> Vec<(&str, Spelling<'_>)> {
    let pieces = split(text).into_iter();
    let references = pieces.filter_map(|piece| match piece {
        Piece::Reference(reference) => Some(reference),
        Piece::Text(_) => None,
    });
    references.map(|reference| (reference, spelling(reference))).collect()
}

/// What a reference is, by what stands between its braces.
pub(super) fn spelling(reference: &str) -> Spelling<'_> {
    let (name, path) = reference.split_once('.').map_or((reference, None), |(name, path)| (name, Some(path)));
    match (name, repetition(reference)) {
        (_, Some(Some(_))) => Spelling::Times,
        ("times", _) => Spelling::Wrong("a repetition is written `${times.N.TEXT}`, and makes 4 MiB at most"),
        ("params", _) => path
            .and_then(|path| path.split_once('.'))
            .map_or(Spelling::Wrong("parameters are written `${params.OPERATION.ID}`"), |(operation, id)| {
                Spelling::Params(operation, id)
            }),
        _ => Spelling::Name(name, path),
    }
}

/// Whether a text is one reference and nothing else, so that its value may have any type.
pub(super) fn is_lone(text: &str) -> bool {
    matches!(split(text).as_slice(), [Piece::Reference(_)])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    struct Fixed(Value);

    impl References for Fixed {
        fn value(&self, name: &str) -> Option<Cow<'_, Value>> {
            self.0.get(name).map(Cow::Borrowed)
        }
    }

    fn names(value: &Value) -> Vec<&str> {
        let told = references(value).into_iter().map(|reference| match spelling(reference) {
            Spelling::Name(name, _) => name,
            _ => reference,
        });
        told.collect()
    }

    #[test]
    fn a_lone_reference_keeps_the_type_of_its_value() {
        let from = Fixed(json!({"t": {"id": "a", "n": [1, 2]}}));
        assert_eq!(resolve(&json!({"x": "${t.n.1}", "y": "${t.id}"}), &from), Ok(json!({"x": 2, "y": "a"})));
    }

    #[test]
    fn a_reference_inside_text_becomes_text() {
        let from = Fixed(json!({"t": {"id": "a", "n": 3}}));
        assert_eq!(resolve(&json!("<${t.id}-${t.n}>"), &from), Ok(json!("<a-3>")));
    }

    #[test]
    fn a_text_is_repeated() {
        let from = Fixed(json!({}));
        assert_eq!(resolve(&json!("<${times.3.[}>"), &from), Ok(json!("<[[[>")));
        assert_eq!(resolve(&json!(r#"{${times.2."k#":0.5,}"z":0}"#), &from), Ok(json!(r#"{"k0":0.5,"k1":0.5,"z":0}"#)));
        assert_eq!(resolve(&json!("${times.0.x}"), &from), Ok(json!("")));
        assert!(names(&json!("${times.3.[}")).is_empty());
        for wrong in ["times.3", "times.x.a", "times.3.", "times.4194305.a", "times.18446744073709551615.ab"] {
            assert_eq!(names(&json!(format!("${{{wrong}}}"))), [wrong]);
            assert!(resolve(&json!(format!("${{{wrong}}}")), &from).is_err());
        }
    }

    #[test]
    fn parameters_of_a_call_name_what_their_id_names() {
        assert_eq!(names(&json!("<${params.GetTask.done.id}>")), ["done"]);
        assert!(names(&json!("${params.GetTask.a2aspec-no-such-task}")).is_empty());
        assert_eq!(names(&json!("${params.GetTask}")), ["params.GetTask"]);
    }

    #[test]
    fn references_are_told_with_their_paths() {
        let value = json!({ "a": "<${t.id}> ${unique}", "b": ["${params.GetTask.done.id}", "${params.GetTask.none}"] });
        assert_eq!(references(&value), ["t.id", "unique", "done.id"]);
    }

    #[test]
    fn a_reference_to_nothing_is_named() {
        let error = resolve(&json!("${t.gone}"), &Fixed(json!({"t": {}}))).unwrap_err();
        assert_eq!(error.to_string(), "`${t.gone}` has no value");
    }
}
