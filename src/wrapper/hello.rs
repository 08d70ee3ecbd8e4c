//! The first line of a wrapper.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::{CONTRACT, REQUIRED};
use crate::diagnostic::words::shorten;

/// What a wrapper says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hello {
    /// The name of the SDK.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The words that it knows.
    pub does: BTreeSet<String>,
    /// The bindings that the SDK speaks, as cards name them.
    pub bindings: Vec<String>,
    /// The versions of the protocol that it speaks.
    pub versions: Vec<String>,
    /// How many cases may be under way at once, where that is limited.
    pub jobs: Option<usize>,
}

/// Its form on the wire. Members that nobody knows are passed over.
#[derive(Deserialize)]
struct Form {
    sdk: Sdk,
    does: BTreeSet<String>,
    bindings: Vec<String>,
    versions: Vec<String>,
    #[serde(default)]
    jobs: Option<usize>,
}

#[derive(Deserialize)]
struct Sdk {
    name: String,
    #[serde(default)]
    version: Option<String>,
}

impl Hello {
    /// Reads a line.
    ///
    /// # Errors
    /// Why the wrapper is refused.
    pub(super) fn read(line: &[u8], token: &str) -> Result<Self, String> {
        const LONGEST: usize = 120;
        let shown = || shorten(&String::from_utf8_lossy(line), LONGEST);
        let value: Value = serde_json::from_slice(line)
            .map_err(|error| format!("its first line is no JSON ({error}): {}", shown()))?;
        if value.get("say").and_then(Value::as_str) != Some("hello") {
            return Err(format!("its first line is no hello: {}", shown()));
        }
        match value.get("contract") {
            Some(number) if number.as_u64() == Some(CONTRACT) => {}
            Some(number) => {
                return Err(format!("it speaks the contract {number}, and the suite the contract {CONTRACT}"));
            }
            None => return Err("its hello does not name the contract".to_owned()),
        }
        if value.get("token").and_then(Value::as_str) != Some(token) {
            return Err(format!("its hello does not have the token in {}", super::TOKEN));
        }
        let form = Form::deserialize(&value).map_err(|error| format!("its hello is misshapen: {error}"))?;
        if let Some(word) = REQUIRED.iter().find(|word| !form.does.contains(**word)) {
            return Err(format!("its hello does not have `{word}` among what it does, which is required"));
        }
        if form.jobs == Some(0) {
            return Err("`jobs` in its hello is 0".to_owned());
        }
        Ok(Self {
            name: form.sdk.name,
            version: form.sdk.version.unwrap_or_default(),
            does: form.does,
            bindings: form.bindings,
            versions: form.versions,
            jobs: form.jobs,
        })
    }

    /// The SDK, with its version.
    pub fn title(&self) -> String {
        format!("{} {}", self.name, self.version).trim().to_owned()
    }
}
