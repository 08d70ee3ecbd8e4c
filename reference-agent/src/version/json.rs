//! JSON as text: what an answer is from the moment it is written. Nothing is built in between, so that a long answer costs
//! no more than its bytes.

use std::fmt;

use serde::Serialize;

/// JSON that has been written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Json(String);

impl Json {
    /// Writes a value.
    ///
    /// # Errors
    /// None that the model can cause; serde's interface asks for it.
    pub fn of(value: &impl Serialize) -> serde_json::Result<Self> {
        serde_json::to_string(value).map(Self)
    }

    /// `null`.
    pub fn null() -> Self {
        Self("null".to_owned())
    }

    /// An object without members.
    pub fn empty_object() -> Self {
        Self("{}".to_owned())
    }

    /// An object with one member. `name` is a word of the protocol, which needs no escapes.
    pub fn member(name: &'static str, value: &Self) -> Self {
        Self(format!(r#"{{"{name}":{value}}}"#))
    }

    /// The text.
    pub fn into_text(self) -> String {
        self.0
    }
}

impl fmt::Display for Json {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
impl Json {
    /// What the text says.
    pub fn value(&self) -> serde_json::Value {
        serde_json::from_str(&self.0).unwrap()
    }
}

#[cfg(test)]
impl PartialEq<serde_json::Value> for Json {
    fn eq(&self, other: &serde_json::Value) -> bool {
        self.value() == *other
    }
}
