//! JSON of no known type: what stands in metadata and data.

use serde_json::{Map, Value};

use super::{Choices, number, text};

/// Most items or members of one value.
const WIDEST: usize = 4;

/// Any JSON value, at most so many levels deep.
pub fn any(depth: usize, choices: &mut Choices<'_>) -> Value {
    match choices.below(if depth == 0 { 4 } else { 6 }) {
        0 => Value::String(text::any(choices)),
        1 => Value::Bool(!choices.one_in(2)),
        2 => number::any(choices),
        3 => Value::Null,
        4 => Value::Object(object(depth - 1, choices)),
        _ => (0..choices.below(WIDEST)).map(|_| any(depth - 1, choices)).collect(),
    }
}

/// Any JSON object; its values are at most so many levels deep.
pub fn object(depth: usize, choices: &mut Choices<'_>) -> Map<String, Value> {
    let count = choices.below(WIDEST);
    (0..count).map(|_| (text::any(choices), any(depth, choices))).collect()
}
