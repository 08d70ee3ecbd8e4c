//! The JSON that RFC 8785 section 3.1 takes: that of RFC 7493.

use serde_json::Value;
use thiserror::Error;

use crate::wire::json::{self, JsonError, Kind};

/// Why a text has no canonical form.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NoCanonicalForm {
    /// No JSON at all.
    #[error("{} at line {}, column {}", .0.kind, .0.position.line, .0.position.column)]
    NotJson(JsonError),
    /// RFC 7493 section 2.3.
    #[error("{key:?} stands twice in one object, at {pointer:?}")]
    Duplicate {
        /// The name.
        key: String,
        /// The object.
        pointer: String,
    },
    /// RFC 7493 section 2.1.
    #[error("the text at {0:?} has half of a surrogate pair, which no UTF-8 can write")]
    LoneSurrogate(String),
    /// RFC 7493 section 2.2.
    #[error("the number at {0:?} is larger than a double can be")]
    Number(String),
}

/// Reads a text that is to be canonicalised.
///
/// # Errors
/// [`NoCanonicalForm`]: the first thing that is in the way.
pub fn read(bytes: &[u8]) -> Result<Value, NoCanonicalForm> {
    let document = json::parse(bytes, &json::Limits::default()).map_err(NoCanonicalForm::NotJson)?;
    if let Some(duplicate) = document.duplicates().into_iter().next() {
        return Err(NoCanonicalForm::Duplicate { key: duplicate.key, pointer: duplicate.pointer });
    }
    let mut wrong = None;
    document.visit(|pointer, node| {
        let found = match &node.kind {
            Kind::String(text) if text.has_lone_surrogate() => NoCanonicalForm::LoneSurrogate,
            Kind::Object(members) if members.iter().any(|member| member.key.has_lone_surrogate()) => {
                NoCanonicalForm::LoneSurrogate
            }
            Kind::Number(number) if !number.as_f64().is_some_and(f64::is_finite) => NoCanonicalForm::Number,
            _ => return,
        };
        wrong.get_or_insert_with(|| found(pointer.to_owned()));
    });
    wrong.map_or_else(|| Ok(document.value()), Err)
}
