//! The protected header of a signature (RFC 7515 section 4, A2A 1.0 section 8.4.2).

use serde_json::Value;

use super::base64url;
use super::refusal::Refusal;
use crate::wire::json;

/// A protected header that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    /// What it says, member by member.
    pub members: Value,
    /// Names that it has twice (RFC 7515 section 4 demands that they be unique).
    pub duplicates: Vec<String>,
}

impl Header {
    /// Reads the member `protected` of a signature.
    ///
    /// # Errors
    /// [`Refusal`]: no base64url, no JSON, no object.
    pub fn read(protected: &str) -> Result<Self, Refusal> {
        let bytes = base64url(protected).ok_or(Refusal::HeaderNotBase64url)?;
        let document = json::parse(&bytes, &json::Limits::default());
        let document = document.map_err(|error| Refusal::HeaderNotJson(error.kind.to_string()))?;
        let members = document.value();
        if !members.is_object() {
            return Err(Refusal::HeaderNotObject);
        }
        let top = document.duplicates().into_iter().filter(|duplicate| duplicate.pointer.is_empty());
        Ok(Self { members, duplicates: top.map(|duplicate| duplicate.key).collect() })
    }

    /// A member that is a text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.members.get(name).and_then(Value::as_str)
    }

    /// Why nobody may act by it, if so: extensions that it declares critical and that no verifier of cards knows
    /// (RFC 7515 section 4.1.11).
    pub(super) fn critical(&self) -> Option<Refusal> {
        let critical = self.members.get("crit")?;
        let names = critical.as_array().map_or(&[][..], Vec::as_slice);
        let first = names.iter().find_map(Value::as_str);
        Some(Refusal::Critical(first.map_or_else(|| critical.to_string(), str::to_owned)))
    }
}
