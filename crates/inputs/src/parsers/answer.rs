//! What an adapter says of one input.

use serde_json::Value;

use crate::wire::json::{self, Limits, Node};

/// One line of an adapter.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Whether the parser read the input.
    pub accepted: bool,
    /// What it read, where the adapter says so; null is a value.
    pub value: Option<Value>,
    /// Why it refused it.
    pub error: Option<String>,
}

impl Answer {
    /// Reads a line. It may hold what serde_json does not read, such as a lone surrogate that the parser has read.
    pub(super) fn read(line: &str) -> Result<Self, String> {
        let limits = Limits { bytes: usize::MAX, depth: json::MAX_DEPTH, values: usize::MAX };
        let document = match json::parse(line.as_bytes(), &limits) {
            Ok(document) => document,
            // The value is deeper than we read; that it was accepted stands before it.
            Err(error) if error.kind.is_limit() && line.replace(' ', "").starts_with("{\"accepted\":true,") => {
                return Ok(Self { accepted: true, value: None, error: None });
            }
            Err(error) => return Err(error.to_string()),
        };
        let root = document.root();
        let accepted = match root.get("accepted").map(|accepted| &accepted.kind) {
            Some(json::Kind::Bool(accepted)) => *accepted,
            _ => return Err("it has no `accepted` that is true or false".to_owned()),
        };
        let error = root.get("error").and_then(Node::as_str).map(str::to_owned);
        Ok(Self { accepted, value: root.get("value").map(Node::to_value), error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_answer_or_it_is_said_why_not() {
        let read = |line: &str| Answer::read(line).map(|answer| (answer.accepted, answer.value, answer.error));
        assert_eq!(read(r#"{"accepted": true, "value": null}"#), Ok((true, Some(Value::Null), None)));
        assert_eq!(read(r#"{"accepted":true}"#), Ok((true, None, None)));
        assert_eq!(read(r#"{"accepted":false,"error":"no"}"#), Ok((false, None, Some("no".to_owned()))));
        assert_eq!(read(r#"{"accepted":true,"value":"\ud800"}"#), Ok((true, Some("\u{fffd}".into()), None)));
        let deep = format!("{{\"accepted\": true, \"value\": {}1{}}}", "[".repeat(5000), "]".repeat(5000));
        assert_eq!(read(&deep), Ok((true, None, None)));
        assert!(read(r#"{"accepted":1}"#).is_err() && read("").is_err() && read("ok").is_err());
    }
}
