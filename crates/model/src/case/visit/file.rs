//! The shape of a case about clients, before its meaning is checked.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::{Behind, Ends, LineEnds, Role, Told, Word};
use crate::case::file::even_null;
use crate::profile::{Binding, Capability};
use crate::verdict::Level;

/// One case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(in crate::case) struct ClientCaseEntry {
    pub id: String,
    pub title: String,
    pub why: String,
    pub right: String,
    pub wrong: String,
    pub fix: String,
    #[allow(dead_code, reason = "it is what leads here")]
    pub role: Role,
    #[serde(default)]
    pub bindings: Vec<Binding>,
    #[serde(default)]
    pub agent: AgentEntry,
    pub steps: Vec<DoingEntry>,
    #[serde(default)]
    pub requests: Vec<RequestsEntry>,
    #[serde(default)]
    pub level: Option<Level>,
    #[serde(default)]
    pub profiles: Vec<String>,
    #[serde(default)]
    pub section: Option<String>,
}

/// The agent.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(in crate::case) struct AgentEntry {
    #[serde(default)]
    pub interfaces: Vec<OfferedEntry>,
    #[serde(default)]
    pub card: Option<serde_json::Map<String, Value>>,
    #[serde(default)]
    pub headers: BTreeMap<String, Option<String>>,
    #[serde(default)]
    pub fault: Option<String>,
    #[serde(default)]
    pub variation: Option<String>,
    #[serde(default)]
    pub script: BTreeMap<String, Vec<ScriptedEntry>>,
}

/// An interface.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(in crate::case) struct OfferedEntry {
    #[serde(default)]
    pub binding: Option<String>,
    pub at: String,
    #[serde(default)]
    pub version: Option<String>,
    #[serde(default)]
    pub tenant: Option<String>,
    #[serde(default)]
    pub is: Behind,
}

/// An answer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(in crate::case) struct ScriptedEntry {
    #[serde(default, deserialize_with = "even_null")]
    pub result: Option<Value>,
    #[serde(default)]
    pub error: Option<String>,
    #[serde(default)]
    pub events: Option<Vec<Value>>,
    #[serde(default)]
    pub status: Option<u16>,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    #[serde(default)]
    pub body: Option<String>,
    #[serde(default)]
    pub agent: bool,
    #[serde(default)]
    pub envelope: Option<serde_json::Map<String, Value>>,
    #[serde(default)]
    pub pause: u64,
    #[serde(default)]
    pub ends: Ends,
    #[serde(default)]
    pub writing: WritingEntry,
}

/// How an event stream is written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(in crate::case) struct WritingEntry {
    #[serde(default)]
    pub lines: LineEnds,
    #[serde(default)]
    pub bom: bool,
    #[serde(default)]
    pub comments: bool,
    #[serde(default)]
    pub fields: bool,
    #[serde(default)]
    pub no_space: bool,
    #[serde(default)]
    pub multi_line: bool,
    #[serde(default)]
    pub byte_by_byte: bool,
}

/// A step.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(in crate::case) struct DoingEntry {
    #[serde(rename = "do")]
    pub word: Word,
    #[serde(default, rename = "as")]
    pub name: Option<String>,
    #[serde(default)]
    pub client: Option<String>,
    #[serde(default)]
    pub card: Option<String>,
    #[serde(default)]
    pub stream: Option<String>,
    #[serde(default)]
    pub with: Option<serde_json::Map<String, Value>>,
    #[serde(default)]
    pub most: Option<u64>,
    #[serde(default)]
    pub bindings: Option<Vec<String>>,
    #[serde(default)]
    pub extensions: Option<Vec<String>>,
    #[serde(default)]
    pub auth: Option<serde_json::Map<String, Value>>,
    #[serde(default)]
    pub output_modes: Option<Vec<String>>,
    #[serde(default)]
    pub reported: Option<ReportedEntry>,
}

/// What must be reported.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(in crate::case) struct ReportedEntry {
    #[serde(default)]
    pub outcome: Vec<Told>,
    #[serde(default)]
    pub at: BTreeMap<String, Value>,
    #[serde(default, deserialize_with = "even_null")]
    pub name: Option<Value>,
}

/// What is required of requests.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(in crate::case) struct RequestsEntry {
    #[serde(default)]
    pub of: Option<String>,
    #[serde(default, rename = "where")]
    pub place: Option<String>,
    #[serde(default, deserialize_with = "even_null")]
    pub count: Option<Value>,
    #[serde(default)]
    pub each: Option<ConditionsEntry>,
    #[serde(default)]
    pub first: Option<ConditionsEntry>,
    #[serde(default)]
    pub last: Option<ConditionsEntry>,
    #[serde(default)]
    pub later: Option<ConditionsEntry>,
    #[serde(default, deserialize_with = "yes_or_conditions")]
    pub never: Option<ConditionsEntry>,
    #[serde(default)]
    pub order: Vec<String>,
    #[serde(default)]
    pub differ: Vec<String>,
    #[serde(default, deserialize_with = "yes_or_always")]
    pub always: Option<AlwaysEntry>,
}

/// Of which agents a demand holds in any traffic.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(in crate::case) struct AlwaysEntry {
    #[serde(default)]
    pub lacks: Option<Capability>,
}

/// Conditions on a request.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(in crate::case) struct ConditionsEntry {
    #[serde(default)]
    pub at: BTreeMap<String, Value>,
    #[serde(default)]
    pub headers: BTreeMap<String, Value>,
    #[serde(default)]
    pub http: BTreeMap<String, Value>,
    #[serde(default)]
    pub rpc: BTreeMap<String, Value>,
    #[serde(default)]
    pub call: BTreeMap<String, Value>,
    #[serde(default)]
    pub answer: BTreeMap<String, Value>,
}

/// Which agents, or `true` for all of them.
fn yes_or_always<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<AlwaysEntry>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Bool(true) => Ok(Some(AlwaysEntry::default())),
        value => AlwaysEntry::deserialize(value).map(Some).map_err(serde::de::Error::custom),
    }
}

/// Conditions, or `true` where there are none.
fn yes_or_conditions<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<ConditionsEntry>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Bool(true) => Ok(Some(ConditionsEntry::default())),
        value => ConditionsEntry::deserialize(value).map(Some).map_err(serde::de::Error::custom),
    }
}
