//! The shape of `profile.yaml`.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::shape::Shape;

/// Everything that `profile.yaml` says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Facts {
    /// Name of the profile, equal to its folder.
    pub profile: String,
    /// Name for people.
    pub title: String,
    /// Where the text of the version is published.
    pub specification: String,
    /// Spellings of `protocolVersion` that mean this profile; `X.*` means any further digits.
    pub declared_as: Vec<String>,
    /// Headers of every request.
    pub headers: BTreeMap<String, String>,
    /// Where the card says what.
    pub card: CardFacts,
    /// How each binding is named and framed.
    pub bindings: BTreeMap<Binding, BindingFacts>,
    /// The life of a task, in canonical spelling.
    pub states: States,
    /// The operations that exist, by canonical name.
    pub operations: BTreeMap<Operation, OperationFacts>,
    /// The errors that exist, by canonical name.
    pub errors: BTreeMap<String, ErrorFacts>,
    /// `domain` of `google.rpc.ErrorInfo`, where the version uses it.
    #[serde(default)]
    pub error_domain: Option<String>,
    /// Which spelling of timestamps the version demands.
    pub timestamps: Timestamps,
    /// The dialect: canonical types whose wire form differs, or that hold such types.
    pub types: BTreeMap<String, Shape>,
}

/// Where an agent card keeps what the suite needs; pointers are RFC 6901.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CardFacts {
    /// Name of the card's type in the schemas.
    #[serde(rename = "type")]
    pub kind: String,
    /// Paths at which a card may be found, in the order in which they are tried.
    pub well_known: Vec<String>,
    /// Places that declare interfaces, in order of preference.
    pub interfaces: Vec<InterfaceFacts>,
    /// Pointer to the boolean of each optional capability.
    pub capabilities: BTreeMap<Capability, String>,
    /// Pointer to the list of extensions.
    pub extensions: String,
    /// Pointer to the list of media types that the agent takes.
    pub input_modes: String,
}

/// One place in a card that declares interfaces: a list of objects, or the card itself.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct InterfaceFacts {
    /// Pointer to a list whose items declare one interface each; without it the card declares one itself.
    #[serde(default)]
    pub list: Option<String>,
    /// Where the URL stands: a member of the item, or a pointer into the card.
    pub url: String,
    /// Where the binding's name stands.
    pub binding: String,
    /// The binding's name when none is given.
    #[serde(default)]
    pub default_binding: Option<String>,
    /// Where the protocol version stands.
    pub version: String,
    /// Where the tenant stands, in versions that have tenants.
    #[serde(default)]
    pub tenant: Option<String>,
}

/// A protocol binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Binding {
    /// JSON-RPC 2.0 over HTTP, streams as server-sent events.
    Jsonrpc,
}

impl Binding {
    /// Every binding of this program.
    pub const ALL: [Self; 1] = [Self::Jsonrpc];
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Jsonrpc => "jsonrpc",
        })
    }
}

impl FromStr for Binding {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|known| known.to_string() == text).ok_or_else(|| {
            let known: Vec<String> = Self::ALL.iter().map(ToString::to_string).collect();
            format!("no such binding; there is {}", known.join(", "))
        })
    }
}

/// How a binding is declared and framed in this version.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BindingFacts {
    /// Its name in cards.
    pub declared_as: String,
    /// Media type of requests and unary answers.
    pub media_type: String,
    /// Media type of streams.
    pub stream_media_type: String,
}

/// An optional capability that a card declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Capability {
    /// Streams of updates.
    Streaming,
    /// Webhooks.
    PushNotifications,
    /// A fuller card for authenticated clients.
    ExtendedCard,
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Streaming => "streaming",
            Self::PushNotifications => "push-notifications",
            Self::ExtendedCard => "extended-card",
        })
    }
}

/// The states of a task by their part in its life.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct States {
    /// States that only a task at its beginning has.
    pub initial: Vec<String>,
    /// States that are never left.
    pub terminal: Vec<String>,
    /// States in which the task waits for its client.
    pub interrupted: Vec<String>,
}

/// An operation, by the name that A2A 1.0 gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[allow(missing_docs, reason = "the names are those of the specification, section 3.1")]
pub enum Operation {
    SendMessage,
    SendStreamingMessage,
    GetTask,
    ListTasks,
    CancelTask,
    SubscribeToTask,
    CreateTaskPushNotificationConfig,
    GetTaskPushNotificationConfig,
    ListTaskPushNotificationConfigs,
    DeleteTaskPushNotificationConfig,
    GetExtendedAgentCard,
}

impl Operation {
    /// Whether it sends the agent a message, which may cost its owner money.
    pub fn sends_a_message(self) -> bool {
        matches!(self, Self::SendMessage | Self::SendStreamingMessage)
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// How an operation goes over the wire.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct OperationFacts {
    /// JSON-RPC method.
    pub method: String,
    /// Canonical type of its parameters; without it the operation takes none.
    #[serde(default)]
    pub params: Option<String>,
    /// Canonical type of its result (of each event, for a stream); without it any result will do.
    #[serde(default)]
    pub result: Option<String>,
    /// Whether it answers with a stream.
    #[serde(default)]
    pub stream: bool,
}

/// How an error is spelled.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ErrorFacts {
    /// JSON-RPC code.
    #[serde(default)]
    pub jsonrpc: Option<i64>,
    /// `reason` of its `google.rpc.ErrorInfo`.
    #[serde(default)]
    pub reason: Option<String>,
}

/// What a timestamp must look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timestamps {
    /// RFC 3339 in UTC with `Z` (A2A 1.0 section 5.6.1).
    Utc,
    /// Any ISO 8601 date and time (A2A 0.3 section 6.2).
    Iso8601,
}
