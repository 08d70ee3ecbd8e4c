//! The shape of a case file, before its meaning is checked.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::{Awaited, Durable, FrameKind, Goal, Last, Role, Side, Trigger, Until};
use crate::auth::Caller;
use crate::profile::{Binding, Capability, Operation};
use crate::verdict::Level;
use crate::wire::tls::Offer;

/// A whole file. Its cases are read one by one, so that a mistake in one hides none in another.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseFile {
    pub cases: Vec<Value>,
}

/// One case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct CaseEntry {
    pub id: String,
    pub title: String,
    pub why: String,
    pub right: String,
    pub wrong: String,
    pub fix: String,
    #[serde(default)]
    #[allow(dead_code, reason = "a case about clients is another entry")]
    pub role: Role,
    #[serde(default)]
    pub needs: Vec<Capability>,
    #[serde(default)]
    pub without: Vec<Capability>,
    #[serde(default)]
    pub extension: Vec<String>,
    #[serde(default)]
    pub bindings: Vec<Binding>,
    #[serde(default)]
    pub dialects: Vec<String>,
    #[serde(default)]
    pub across: bool,
    #[serde(default)]
    pub claim: bool,
    #[serde(default)]
    pub object: Option<String>,
    #[serde(default)]
    pub given: BTreeMap<String, FixtureEntry>,
    #[serde(default)]
    pub webhooks: BTreeMap<String, WebhookEntry>,
    #[serde(default)]
    pub steps: Vec<StepEntry>,
    #[serde(default)]
    pub observe: Option<Value>,
    #[serde(default)]
    pub holds: Vec<Value>,
    #[serde(default)]
    pub level: Option<Level>,
    #[serde(default)]
    pub profiles: Vec<String>,
    #[serde(default)]
    pub section: Option<String>,
}

/// One fixture.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct FixtureEntry {
    pub task: Goal,
    #[serde(default)]
    pub trigger: Option<Trigger>,
    #[serde(default)]
    pub fresh: bool,
    #[serde(default = "one")]
    pub count: usize,
}

/// One webhook.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct WebhookEntry {
    #[serde(default)]
    pub answer: Vec<Value>,
    #[serde(default)]
    pub elsewhere: bool,
}

fn one() -> usize {
    1
}

/// One step: one of the acts, and what goes with it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct StepEntry {
    #[serde(default)]
    pub call: Option<Operation>,
    #[serde(default)]
    pub stream: Option<Operation>,
    #[serde(default)]
    pub open: Option<Operation>,
    #[serde(default)]
    pub drain: Option<String>,
    #[serde(default)]
    pub close: Option<String>,
    #[serde(default)]
    pub raw: Option<RawEntry>,
    #[serde(default)]
    pub bytes: Option<Operation>,
    #[serde(default)]
    pub wait: Option<WaitEntry>,
    #[serde(default)]
    pub walk: Option<Map<String, Value>>,
    #[serde(default)]
    pub card: Option<CardEntry>,
    #[serde(default)]
    pub hello: Option<Offer>,
    #[serde(default)]
    pub deliveries: Option<DeliveriesEntry>,
    #[serde(default)]
    pub release: Option<String>,
    #[serde(default)]
    pub together: Option<Vec<StepEntry>>,

    #[serde(default)]
    pub with: Option<Value>,
    #[serde(default)]
    pub trigger: Option<Trigger>,
    #[serde(default)]
    pub invalid: bool,
    #[serde(default)]
    pub rpc_id: Option<RpcIdEntry>,
    #[serde(default)]
    pub over: Side,
    #[serde(default)]
    pub by: Caller,
    #[serde(default, rename = "as")]
    pub name: Option<String>,
    #[serde(default)]
    pub after: Option<String>,
    #[serde(default)]
    pub unless: Option<String>,
    #[serde(default)]
    pub after_restart: Option<Durable>,
    #[serde(default)]
    pub headers: BTreeMap<String, Option<String>>,
    #[serde(default)]
    pub extensions: Vec<String>,
    #[serde(default = "yes")]
    pub required_extensions: bool,
    #[serde(default)]
    pub send: Option<Vec<PieceEntry>>,
    #[serde(default)]
    pub answers: Option<usize>,
    #[serde(default)]
    pub until: BTreeMap<String, Value>,
    #[serde(default)]
    pub applies: BTreeMap<String, Value>,
    #[serde(default)]
    pub reach: BTreeMap<String, Value>,
    #[serde(default)]
    pub expect: Option<ExpectEntry>,
}

fn yes() -> bool {
    true
}

/// A JSON-RPC id; a struct of its own so that `null` can be told from nothing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RpcIdEntry {
    pub value: Value,
}

/// One thing that a `bytes` step does.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct PieceEntry {
    #[serde(default)]
    pub lines: Option<Vec<String>>,
    #[serde(default)]
    pub text: Option<String>,
    #[serde(default)]
    pub base64: Option<String>,
    #[serde(default)]
    pub frame: Option<FrameEntry>,
    #[serde(default)]
    pub at_once: Option<usize>,
    #[serde(default)]
    pub pause: Option<u64>,
    #[serde(default)]
    pub wait_for: Option<usize>,
    #[serde(default)]
    pub then: Option<Last>,
}

/// A frame of HTTP/2.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct FrameEntry {
    #[serde(rename = "type")]
    pub kind: FrameKind,
    #[serde(default)]
    pub flags: u8,
    #[serde(default)]
    pub stream: u32,
    #[serde(default)]
    pub length: Option<u32>,
    #[serde(default)]
    pub padding: Option<u8>,
    #[serde(default)]
    pub resets: Option<u16>,
    #[serde(default)]
    pub text: Option<String>,
    #[serde(default)]
    pub base64: Option<String>,
    #[serde(default)]
    pub fields: Option<Vec<String>>,
}

/// A raw request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawEntry {
    #[serde(default)]
    pub body: Option<String>,
    #[serde(default)]
    pub base64: Option<String>,
    #[serde(default)]
    pub fill: Option<usize>,
    #[serde(default)]
    pub prefix: Option<String>,
    #[serde(default = "post")]
    pub method: String,
    #[serde(default)]
    pub suffix: String,
    #[serde(default, deserialize_with = "even_null")]
    pub content_type: Option<Option<String>>,
}

fn post() -> String {
    "POST".to_owned()
}

/// A wait.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct WaitEntry {
    pub task: String,
    pub until: Until,
}

/// A wait for deliveries.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct DeliveriesEntry {
    pub to: String,
    #[serde(default)]
    pub count: Option<usize>,
    #[serde(default)]
    pub until: Option<Awaited>,
}

/// A fetch of the card.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct CardEntry {
    #[serde(default = "get")]
    pub method: String,
    #[serde(default)]
    pub extended: bool,
}

fn get() -> String {
    "GET".to_owned()
}

/// An expectation.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ExpectEntry {
    #[serde(default)]
    pub outcome: Vec<String>,
    #[serde(default)]
    pub at: BTreeMap<String, Value>,
    #[serde(default)]
    pub error_at: BTreeMap<String, Value>,
    #[serde(default)]
    pub http: BTreeMap<String, Value>,
    #[serde(default)]
    pub grpc: BTreeMap<String, Value>,
    #[serde(default)]
    pub connection: BTreeMap<String, Value>,
    #[serde(default, deserialize_with = "even_null")]
    pub extensions: Option<Value>,
    #[serde(default, deserialize_with = "even_null")]
    pub rpc_id: Option<Value>,
}

/// A member that is there, be it `null`.
pub(in crate::case) fn even_null<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
