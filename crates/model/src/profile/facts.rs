//! The shape of `profile.yaml`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::shape::Shape;

/// Everything that `profile.yaml` says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Facts {
    /// Name of the profile, equal to its folder.
    pub profile: String,
    /// Another profile, from which it takes what it does not say itself.
    #[serde(default)]
    pub like: Option<String>,
    /// Name for people.
    pub title: String,
    /// Where the text of the version is published.
    pub specification: String,
    /// The day of its text, as `2025-07-31`: by it profiles are ordered.
    pub published: String,
    /// Whether its text is on its way to a release. Until then it comes before the version that it is like: a card that fits both
    /// is one of the release.
    #[serde(default)]
    pub unreleased: bool,
    /// Spellings of `protocolVersion` that mean this profile; `X.*` means any further digits.
    pub declared_as: Vec<String>,
    /// Headers of every request.
    pub headers: BTreeMap<String, String>,
    /// Headers that list extensions, in requests those that are asked for, in answers those that are active: a request has all
    /// of them. None where the version has no extensions.
    #[serde(default)]
    pub extensions_headers: Vec<String>,
    /// Where the card says what.
    pub card: CardFacts,
    /// How each binding is named and framed.
    pub bindings: BTreeMap<Binding, BindingFacts>,
    /// The life of a task, in canonical spelling.
    pub states: States,
    /// Who makes the ids of tasks.
    #[serde(default)]
    pub task_ids: TaskIds,
    /// The operations that exist, by canonical name.
    pub operations: BTreeMap<Operation, OperationFacts>,
    /// The errors that exist, by canonical name.
    pub errors: BTreeMap<String, ErrorFacts>,
    /// `domain` of `google.rpc.ErrorInfo`, where the version uses it.
    #[serde(default)]
    pub error_domain: Option<String>,
    /// What is posted to webhooks.
    pub notifications: NotificationFacts,
    /// Which spelling of timestamps the version demands.
    pub timestamps: Timestamps,
    /// Whether the version forbids a member beside another that is the same in another spelling.
    #[serde(default)]
    pub one_spelling: bool,
    /// Releases that are taken for this version and do not have all of it, or have more.
    #[serde(default)]
    pub releases: Vec<ReleaseFacts>,
    /// The forms that its objects take on the wire, by name; each binding says which it speaks.
    pub dialects: BTreeMap<String, DialectFacts>,
}

/// Releases around a version that have most of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ReleaseFacts {
    /// Spellings of `protocolVersion` that mean one of them; `*` stands for any text, in spellings that are not those of another.
    pub declared_as: Vec<String>,
    /// Whether a card that names no version may be of one of them.
    #[serde(default)]
    pub unsaid: bool,
    /// The operations that they do not have, or not in the form of the version.
    pub lacks: BTreeSet<Operation>,
    /// The bindings that they have and the version does not.
    #[serde(default)]
    pub more: Option<MoreBindings>,
}

/// Bindings that releases have as a later version has them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MoreBindings {
    /// The profile of that version.
    pub as_in: String,
    /// The operations that the releases do not have over these bindings.
    pub lacks: BTreeSet<Operation>,
    /// The sections of the later text that theirs does not have: requirements that are in these alone do not bind.
    pub without: Vec<String>,
}

/// One form of the version's objects.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DialectFacts {
    /// Another dialect of the profile, from which it takes what it does not say itself.
    #[serde(default)]
    pub like: Option<String>,
    /// The file with the JSON Schemas of its objects; needed where there is no `like`, and otherwise over those of that one.
    #[serde(default)]
    pub schema: Option<String>,
    /// What a member is that is null; left out: a value like others.
    #[serde(default)]
    pub nulls: Option<Nulls>,
    /// Canonical types whose wire form differs, or that hold such types.
    pub types: BTreeMap<String, Shape>,
}

/// What a member of a known type is that is null.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Nulls {
    /// As good as not there (A2A 0.1, tables of sections 5 to 7).
    Absent,
}

/// Where an agent card keeps what the suite needs; pointers are RFC 6901.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CardFacts {
    /// Name of the card's type in the schemas.
    #[serde(rename = "type")]
    pub kind: String,
    /// The dialect in which it is served.
    pub dialect: String,
    /// What a member of the card is that is null, where the dialect does not say it; left out: a value like others.
    #[serde(default)]
    pub nulls: Option<Nulls>,
    /// Paths at which a card may be found, in the order in which they are tried.
    pub well_known: Vec<String>,
    /// The way from the main URL to the extended card, such as `../agent/card`, in versions that have it as a resource.
    #[serde(default)]
    pub extended: Option<String>,
    /// Places that declare interfaces, in order of preference.
    pub interfaces: Vec<InterfaceFacts>,
    /// Pointer to the boolean of each optional capability.
    pub capabilities: BTreeMap<Capability, String>,
    /// Pointer to the list of extensions.
    pub extensions: String,
    /// Pointer to the list of media types that the agent takes.
    pub input_modes: String,
    /// Whether the version says which form of a card is signed.
    #[serde(default)]
    pub canonical_form: bool,
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
    /// Where the protocol version stands, in versions whose cards say it.
    #[serde(default)]
    pub version: Option<String>,
    /// The version that is meant when none is given, in versions whose cards need not say it.
    #[serde(default)]
    pub default_version: Option<String>,
    /// Where the tenant stands, in versions that have tenants.
    #[serde(default)]
    pub tenant: Option<String>,
    /// Pointer into the card: the place counts only where the card has nothing there.
    #[serde(default)]
    pub if_absent: Option<String>,
    /// Members that no item of this version has: one that has them is of another.
    #[serde(default)]
    pub without: Vec<String>,
}

impl InterfaceFacts {
    /// The objects of a card that declare an interface at this place, with the pointer to each.
    pub fn items<'a>(&self, card: &'a Value) -> Vec<(String, &'a Value)> {
        let is_something = |value: &Value| !value.is_null() && value.as_array().is_none_or(|items| !items.is_empty());
        if self.if_absent.as_ref().and_then(|place| card.pointer(place)).is_some_and(is_something) {
            return Vec::new();
        }
        let Some(list) = &self.list else { return vec![(String::new(), card)] };
        let items = card.pointer(list).and_then(Value::as_array).into_iter().flatten().enumerate();
        let items = items.filter(|(_, item)| self.without.iter().all(|member| item.get(member).is_none()));
        items.map(|(index, item)| (format!("{list}/{index}"), item)).collect()
    }
}

/// A protocol binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Binding {
    /// JSON-RPC 2.0 over HTTP, streams as server-sent events.
    Jsonrpc,
    /// Resources and verbs of HTTP with JSON bodies, streams as server-sent events.
    HttpJson,
    /// Protocol Buffers over gRPC.
    Grpc,
}

impl Binding {
    /// Every binding of this program.
    pub const ALL: [Self; 3] = [Self::Jsonrpc, Self::HttpJson, Self::Grpc];
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Jsonrpc => "jsonrpc",
            Self::HttpJson => "http-json",
            Self::Grpc => "grpc",
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
    /// The dialects that an agent may speak over it; where there are several, the first that it understands.
    pub dialects: Vec<String>,
    /// Media types of requests and unary answers: the first is sent, any will do in an answer.
    #[serde(default)]
    pub media_types: Vec<String>,
    /// Media types of errors, where they are not those of other answers.
    #[serde(default)]
    pub error_media_types: Vec<String>,
    /// Media type of streams.
    #[serde(default)]
    pub stream_media_type: Option<String>,
    /// Whether a stream that fails before it begins may be answered by an HTTP status alone, named by the errors' `http`.
    #[serde(default)]
    pub streams_fail_by_status: bool,
    /// Whether an event may have an `error` that is null beside its result.
    #[serde(default)]
    pub null_error: bool,
    /// Whether routes come from the `google.api.http` annotations of the profile's proto, after those of its operations.
    #[serde(default)]
    pub annotated_routes: bool,
    /// Whether a body repeats the members that its path holds.
    #[serde(default)]
    pub whole_body: bool,
    /// Pointer to the error object in a body that is one; without it the body itself is the error object.
    #[serde(default)]
    pub error: Option<String>,
    /// Pointer into the error object to the URI that says which error it is, in versions whose errors are named so; see
    /// [`ErrorFacts::kind`]. Elsewhere the reason in its `google.rpc.ErrorInfo` says it.
    #[serde(default)]
    pub error_type: Option<String>,
    /// Whether the errors of A2A always say which they are: one that does not is none of them.
    #[serde(default)]
    pub errors_are_named: bool,
    /// Full name of the gRPC service, such as `lf.a2a.v1.A2AService`.
    #[serde(default)]
    pub service: Option<String>,
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
    /// A card that is signed.
    Signatures,
    /// A card that demands credentials of everybody.
    Security,
    /// A card that offers OAuth 2.0.
    Oauth2,
    /// An interface that is reached by TLS.
    Tls,
    /// An interface at an address of the public internet; where a case is about the card alone, the card itself.
    PublicAddress,
    /// An extension that requests may ask for.
    Extensions,
    /// An extension that requests must ask for.
    RequiredExtensions,
    /// A tenant for which there is an interface where the case runs.
    Tenant,
    /// Another one beside it.
    SecondTenant,
}

impl Capability {
    /// Whether it is a matter of where an interface is, and no card need say anything of it.
    pub fn is_of_the_address(self) -> bool {
        matches!(self, Self::Tls | Self::PublicAddress)
    }

    /// Whether interfaces differ in it, so that the card as a whole does not have it.
    pub fn is_of_the_interface(self) -> bool {
        self.is_of_the_address() || matches!(self, Self::Tenant | Self::SecondTenant)
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Streaming => "streaming",
            Self::PushNotifications => "push-notifications",
            Self::ExtendedCard => "extended-card",
            Self::Signatures => "signatures",
            Self::Security => "security",
            Self::Oauth2 => "oauth2",
            Self::Tls => "tls",
            Self::PublicAddress => "public-address",
            Self::Extensions => "extensions",
            Self::RequiredExtensions => "required-extensions",
            Self::Tenant => "tenant",
            Self::SecondTenant => "second-tenant",
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

/// Who makes the id of a new task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskIds {
    /// The agent.
    #[default]
    Server,
    /// The client: a message without one gets a new one from the suite (A2A 0.1, sections 6.1 and 7.1.1).
    Client,
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
    /// Every operation.
    pub const ALL: [Self; 11] = [
        Self::SendMessage,
        Self::SendStreamingMessage,
        Self::GetTask,
        Self::ListTasks,
        Self::CancelTask,
        Self::SubscribeToTask,
        Self::CreateTaskPushNotificationConfig,
        Self::GetTaskPushNotificationConfig,
        Self::ListTaskPushNotificationConfigs,
        Self::DeleteTaskPushNotificationConfig,
        Self::GetExtendedAgentCard,
    ];

    /// Whether it sends the agent a message, which may cost its owner money.
    pub fn sends_a_message(self) -> bool {
        matches!(self, Self::SendMessage | Self::SendStreamingMessage)
    }

    /// Whether it is about configurations of push notifications.
    pub fn is_of_webhooks(self) -> bool {
        matches!(
            self,
            Self::CreateTaskPushNotificationConfig
                | Self::GetTaskPushNotificationConfig
                | Self::ListTaskPushNotificationConfigs
                | Self::DeleteTaskPushNotificationConfig
        )
    }

    /// Whether its answer is a stream.
    pub fn streams(self) -> bool {
        matches!(self, Self::SendStreamingMessage | Self::SubscribeToTask)
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
    /// JSON-RPC method; without it the operation does not exist there.
    #[serde(default)]
    pub method: Option<String>,
    /// Routes of HTTP+JSON, such as `GET /tasks/{id}`: in braces stand canonical members of the parameters.
    #[serde(default)]
    pub http: Vec<String>,
    /// What else may be the body over HTTP+JSON, where texts differ about it.
    #[serde(default)]
    pub sole_body: Option<SoleBody>,
    /// Name of its rpc, where it is not its canonical name.
    #[serde(default)]
    pub rpc: Option<String>,
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

/// A member of the parameters that is the body by itself, as `body` of `google.api.http` says; spelled as on the wire.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SoleBody {
    /// The member.
    pub member: String,
    /// Those beside it that stand in the query then.
    #[serde(default)]
    pub query: Vec<String>,
}

/// How an error is spelled.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ErrorFacts {
    /// JSON-RPC code.
    #[serde(default)]
    pub jsonrpc: Option<i64>,
    /// HTTP statuses, each exact (`404`) or a class (`4xx`).
    #[serde(default)]
    pub http: Vec<String>,
    /// gRPC codes by name.
    #[serde(default)]
    pub grpc: Vec<String>,
    /// `reason` of its `google.rpc.ErrorInfo`.
    #[serde(default)]
    pub reason: Option<String>,
    /// URI that is the `type` of its problem details (RFC 9457).
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
}

/// How errors of a binding say which they are, beside their status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming<'a> {
    /// They do not.
    ByStatus,
    /// By the reason of a `google.rpc.ErrorInfo` in this domain.
    ByReason(&'a str),
    /// By a URI at this pointer into the error object.
    ByType(&'a str),
}

impl Naming<'_> {
    /// What an error is called so.
    pub fn of<'a>(&self, facts: &'a ErrorFacts) -> Option<&'a str> {
        match self {
            Self::ByStatus => None,
            Self::ByReason(_) => facts.reason.as_deref(),
            Self::ByType(_) => facts.kind.as_deref(),
        }
    }
}

impl ErrorFacts {
    /// Whether the error may have this HTTP status.
    pub fn has_http(&self, status: u16) -> bool {
        let status = status.to_string();
        self.http.iter().any(|known| match known.strip_suffix("xx") {
            Some(class) => status.starts_with(class),
            None => *known == status,
        })
    }

    /// Whether the error may have this gRPC code.
    pub fn has_grpc(&self, code: &str) -> bool {
        self.grpc.iter().any(|known| known == code)
    }
}

/// What is posted to webhooks, whatever binding the client speaks over.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NotificationFacts {
    /// The dialect of the payload.
    pub dialect: String,
    /// Its canonical type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The media types that texts give it; none where they leave it open.
    #[serde(default)]
    pub media_types: Vec<String>,
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_place_of_interfaces_counts_where_nothing_better_is_and_for_its_own_version() {
        let place = |text: &str| crate::yaml::read::<InterfaceFacts>("place", text).unwrap();
        let list = place("{ list: /list, url: url, binding: binding, without: [version] }");
        let card = json!({ "url": "u", "list": [{ "url": "a" }, { "url": "b", "version": "2" }] });
        assert_eq!(list.items(&card), [("/list/0".to_owned(), &card["list"][0])]);

        let main = place("{ url: /url, binding: /binding, if-absent: /list }");
        assert_eq!(main.items(&card), []);
        for card in [json!({ "url": "u" }), json!({ "url": "u", "list": [] }), json!({ "url": "u", "list": null })] {
            assert_eq!(main.items(&card), [(String::new(), &card)]);
        }
    }
}
