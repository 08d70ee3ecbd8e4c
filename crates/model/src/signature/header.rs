//! The protected header of a signature (RFC 7515 section 4, A2A 1.0 section 8.4.2).

use serde_json::Value;

use super::base64url;
use super::refusal::Refusal;
use crate::wire::json;

/// The parameter that lists critical extensions (RFC 7515 section 4.1.11).
const CRIT: &str = "crit";
/// The parameter that says whether the payload is encoded (RFC 7797 section 3).
const B64: &str = "b64";
/// The parameters that RFC 7515 defines (section 4.1). They are no extensions, so `crit` must not list them.
const OF_RFC_7515: [&str; 11] = ["alg", "jku", "jwk", "kid", "x5u", "x5c", "x5t", "x5t#S256", "typ", "cty", CRIT];

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

    /// Whether a verifier may act by its `crit` and `b64`.
    ///
    /// # Errors
    /// [`Refusal`]: the rules of RFC 7515 section 4.1.11 or RFC 7797 are broken, a critical extension is unknown, or the payload
    /// is not encoded. `b64` is the only extension that is known here.
    pub(super) fn critical(&self, unprotected: Option<&Value>) -> Result<(), Refusal> {
        let names = self.critical_names()?;
        for (index, name) in names.iter().enumerate() {
            if names.iter().take(index).any(|before| before == name) {
                return Err(Refusal::CriticalTwice((*name).to_owned()));
            }
            if OF_RFC_7515.contains(name) {
                return Err(Refusal::CriticalRegistered((*name).to_owned()));
            }
            let is_in = |header: &Value| header.get(name).is_some();
            if !is_in(&self.members) && !unprotected.is_some_and(is_in) {
                return Err(Refusal::CriticalMissing((*name).to_owned()));
            }
        }
        let is_listed = names.contains(&B64);
        match self.members.get(B64) {
            None | Some(Value::Bool(true)) => {}
            Some(Value::Bool(false)) if !is_listed => return Err(Refusal::B64NotCritical),
            Some(Value::Bool(false)) => {}
            Some(other) => return Err(Refusal::B64Form(other.to_string())),
        }
        if let Some(name) = names.into_iter().find(|name| *name != B64) {
            return Err(Refusal::Critical(name.to_owned()));
        }
        match self.members.get(B64) {
            Some(Value::Bool(false)) => Err(Refusal::NotEncoded),
            _ => Ok(()),
        }
    }

    /// The names of its critical extensions; none if it has no `crit`.
    fn critical_names(&self) -> Result<Vec<&str>, Refusal> {
        let Some(critical) = self.members.get(CRIT) else { return Ok(Vec::new()) };
        let wrong = || Refusal::CriticalForm(critical.to_string());
        let items = critical.as_array().filter(|items| !items.is_empty()).ok_or_else(wrong)?;
        items.iter().map(|item| item.as_str().ok_or_else(wrong)).collect()
    }
}

/// Whether a header that is not signed leaves out what must be integrity protected (RFC 7515 section 4.1.11, RFC 7797 section 3).
///
/// # Errors
/// [`Refusal`]: it has `crit` or `b64`.
pub(super) fn unprotected(header: Option<&Value>) -> Result<(), Refusal> {
    let has = |name: &str| header.is_some_and(|header| header.get(name).is_some());
    match (has(CRIT), has(B64)) {
        (true, _) => Err(Refusal::CriticalUnprotected),
        (false, true) => Err(Refusal::B64Unprotected),
        (false, false) => Ok(()),
    }
}
