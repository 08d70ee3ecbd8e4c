//! Request ids and whether an answer carries the same one.

use crate::json::{Kind, Node, Number};

/// The id of a request (section 4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Id {
    /// `null`, which a request SHOULD NOT use.
    Null,
    /// A string.
    String(String),
    /// A number, spelling kept.
    Number(Number),
}

/// How the id of an answer relates to that of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdMatch {
    /// The same value; `1` and `1.0` are.
    Same,
    /// A number that differs, but is the same double: RFC 8259 section 6 lets a reader lose those digits.
    Rounded,
    /// Something else.
    Different,
}

impl Id {
    /// The id that a value is; `None` for shapes that are no id.
    #[must_use]
    pub fn from_node(node: &Node) -> Option<Self> {
        match &node.kind {
            Kind::Null => Some(Self::Null),
            Kind::String(text) => Some(Self::String(text.as_str().to_owned())),
            Kind::Number(number) => Some(Self::Number(number.clone())),
            Kind::Bool(_) | Kind::Array(_) | Kind::Object(_) => None,
        }
    }

    /// The id that an ordinary value is; `None` for shapes that are no id.
    #[must_use]
    pub fn from_value(value: &serde_json::Value) -> Option<Self> {
        use serde_json::Value;
        match value {
            Value::Null => Some(Self::Null),
            Value::String(text) => Some(Self::String(text.clone())),
            Value::Number(number) => Some(Self::Number(number.into())),
            Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// Compares the id of an answer with this one, which was sent (section 5: it MUST be the same value).
    #[must_use]
    pub fn compare(&self, answer: &Node) -> IdMatch {
        let same = match (self, &answer.kind) {
            (Self::Null, Kind::Null) => true,
            (Self::String(sent), Kind::String(text)) => sent == text.as_str(),
            (Self::Number(sent), Kind::Number(number)) => {
                if !sent.same_value(number) && sent.as_f64().is_some() && sent.as_f64() == number.as_f64() {
                    return IdMatch::Rounded;
                }
                sent.same_value(number)
            }
            _ => false,
        };
        if same { IdMatch::Same } else { IdMatch::Different }
    }
}

impl From<i64> for Id {
    fn from(value: i64) -> Self {
        Self::Number(value.into())
    }
}

impl From<&str> for Id {
    fn from(value: &str) -> Self {
        Self::String(value.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    #[test]
    fn compares_values_not_spellings() {
        let compare = |sent: Id, answer: &str| {
            let document = parse(answer.as_bytes(), &Limits::default()).unwrap();
            sent.compare(document.root())
        };
        assert_eq!(compare(1.into(), "1.0"), IdMatch::Same);
        assert_eq!(compare(1.into(), "\"1\""), IdMatch::Different);
        assert_eq!(compare("a".into(), r#""\u0061""#), IdMatch::Same);
        assert_eq!(compare(Id::Null, "null"), IdMatch::Same);
        assert_eq!(compare(9_007_199_254_740_993.into(), "9007199254740993"), IdMatch::Same);
        assert_eq!(compare(9_007_199_254_740_993.into(), "9007199254740992"), IdMatch::Rounded);
        assert_eq!(compare(1.into(), "2"), IdMatch::Different);
        assert_eq!(compare(1.into(), "[1]"), IdMatch::Different);
        assert_eq!(
            Id::from_value(&serde_json::json!(1.5)),
            Some(Id::Number(Number::from(&serde_json::Number::from_f64(1.5).unwrap())))
        );
        assert_eq!(Id::from_value(&serde_json::json!(true)), None);
    }
}
