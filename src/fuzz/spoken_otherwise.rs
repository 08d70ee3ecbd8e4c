//! The same JSON in other words: whatever a text has, its reader has to find (RFC 8259, sections 2, 4 and 7).

use serde_json::{Map, Value};

use crate::generate::Choices;

/// The same with the members of each object in the other order; nothing where it is no JSON.
pub(super) fn reordered(text: &str) -> Option<String> {
    let value: Value = serde_json::from_str(text).ok()?;
    serde_json::to_string(&reversed(value)).ok()
}

fn reversed(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(reversed).collect(),
        Value::Object(members) => {
            let members = members.into_iter().rev().map(|(name, member)| (name, reversed(member)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        other => other,
    }
}

/// One of the ways in which the text of an envelope may be written otherwise.
pub(super) fn otherwise(text: &str, choices: &mut Choices<'_>) -> Option<String> {
    match choices.below(4) {
        0 => serde_json::to_string_pretty(&serde_json::from_str::<Value>(text).ok()?).ok(),
        1 => Some(format!(" \t\r\n{text}\r\n \t")),
        2 => reordered(text),
        // Each character of the names and the texts that is no letter of a reference, as RFC 8259, section 7, allows it.
        _ => Some(text.replace("jsonrpc", "\\u006as\\u006fnrpc").replace("method", "\\u006Dethod")),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_other_text_says_the_same() {
        let text = r#"{"jsonrpc":"2.0","method":"GetTask","params":{"id":"a","metadata":{"b":[1,{"c":2,"d":3}]}}}"#;
        let meant: Value = serde_json::from_str(text).unwrap();
        for how in 0..4 {
            let other = otherwise(text, &mut Choices::new(&[how, 0])).unwrap();
            assert_ne!(other, text);
            assert_eq!(serde_json::from_str::<Value>(&other).unwrap(), meant);
        }
        assert!(reordered(text).unwrap().starts_with(r#"{"params":{"metadata":{"b":[1,{"d":3"#));
    }
}
