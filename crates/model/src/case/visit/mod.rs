//! Cases about clients (`role: client`): the agent that they meet, what they are told to do, and what must come of it.

mod assertion;
mod convert;
pub(super) mod file;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;
use serde_json::Value;

pub use assertion::named_place;

use super::Matcher;
use crate::profile::{Binding, Capability, Operation};

/// Whom a case is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// An agent.
    #[default]
    Agent,
    /// Its client.
    Client,
}

/// What a client meets and does.
#[derive(Debug, Clone)]
pub struct Visit {
    /// The agent.
    pub agent: ScriptedAgent,
    /// What the client is told to do, in turn.
    pub steps: Vec<Doing>,
    /// What is required of the requests that come.
    pub requests: Vec<Demand>,
}

/// The agent that a client meets: a right one, but for what is said here.
#[derive(Debug, Clone, Default)]
pub struct ScriptedAgent {
    /// Its interfaces, in the order of the card; empty: one of the binding of the trial.
    pub interfaces: Vec<Offered>,
    /// What is merged into the card (RFC 7396).
    pub card: Value,
    /// Header fields of the answer with the card, or `None` to leave out one that it has.
    pub headers: BTreeMap<String, Option<String>>,
    /// A fault of the reference agent, by its id.
    pub fault: Option<String>,
    /// A legal variation of the reference agent, by its id.
    pub variation: Option<String>,
    /// Answers in place of the agent's own, in turn; after the last the agent answers itself.
    pub script: BTreeMap<Asked, Vec<Scripted>>,
}

/// An interface in the card.
#[derive(Debug, Clone)]
pub struct Offered {
    /// Its binding as the card names it; `None`: that of the trial.
    pub binding: Option<String>,
    /// Its path, below that of the case.
    pub at: String,
    /// Its version as the card names it; `None`: that of the trial.
    pub version: Option<String>,
    /// Its tenant.
    pub tenant: Option<String>,
    /// What is there.
    pub is: Behind,
}

/// What is at an interface.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Behind {
    /// The agent.
    #[default]
    Served,
    /// Nothing listens.
    Dead,
    /// HTTP 503.
    Refusing,
    /// An agent that must not be asked.
    Foreign,
}

/// What of a scripted agent is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(from = "AskedName")]
pub enum Asked {
    /// The card.
    Card,
    /// An operation.
    Operation(Operation),
}

/// As case files write it.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum CardName {
    Card,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(untagged)]
enum AskedName {
    Card(CardName),
    Operation(Operation),
}

impl From<AskedName> for Asked {
    fn from(name: AskedName) -> Self {
        match name {
            AskedName::Card(CardName::Card) => Self::Card,
            AskedName::Operation(operation) => Self::Operation(operation),
        }
    }
}

/// An answer that a case writes.
#[derive(Debug, Clone)]
pub struct Scripted {
    /// What it says.
    pub says: Says,
    /// What is merged into the envelope of JSON-RPC (RFC 7396).
    pub envelope: Option<Value>,
    /// Milliseconds before each piece of it.
    pub pause: u64,
    /// How it ends.
    pub ends: Ends,
    /// How an event stream is written.
    pub writing: Writing,
}

/// What a written answer says.
#[derive(Debug, Clone)]
pub enum Says {
    /// A result in canonical form.
    Result(Value),
    /// An error by its name, with a message.
    Error(String),
    /// The events of a stream in canonical form; each is a result, or `{ error: NAME }`.
    Events(Vec<Value>),
    /// Bytes.
    Http {
        /// HTTP status.
        status: u16,
        /// Header fields.
        headers: BTreeMap<String, String>,
        /// The body.
        body: String,
    },
    /// What the agent would answer.
    Agent,
}

/// How a written answer ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ends {
    /// In good order.
    #[default]
    Closed,
    /// The connection breaks.
    Cut,
    /// It stays open until the client leaves.
    Open,
}

/// How an event stream is written, all of which the grammar of event streams allows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Writing {
    /// The ends of its lines.
    pub lines: LineEnds,
    /// Whether a byte order mark comes first.
    pub bom: bool,
    /// Whether comments come between events.
    pub comments: bool,
    /// Whether there are fields that no reader knows, and such as it may pass over.
    pub fields: bool,
    /// Whether nothing follows the colons.
    pub no_space: bool,
    /// Whether the data of an event are on several lines.
    pub multi_line: bool,
    /// Whether each byte comes by itself.
    pub byte_by_byte: bool,
}

/// The ends of lines in an event stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LineEnds {
    /// LF.
    #[default]
    Lf,
    /// CR LF.
    Crlf,
    /// CR.
    Cr,
    /// Each in turn.
    Mixed,
}

/// A word of the wrapper contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[allow(missing_docs, reason = "the names are those of the contract, docs/clients.md")]
pub enum Word {
    #[serde(rename = "resolve")]
    Resolve,
    #[serde(rename = "client")]
    Client,
    SendMessage,
    GetTask,
    ListTasks,
    CancelTask,
    CreateTaskPushNotificationConfig,
    GetTaskPushNotificationConfig,
    ListTaskPushNotificationConfigs,
    DeleteTaskPushNotificationConfig,
    GetExtendedAgentCard,
    SendStreamingMessage,
    SubscribeToTask,
    #[serde(rename = "cancel-stream")]
    CancelStream,
    #[serde(rename = "card")]
    Card,
    #[serde(rename = "walk")]
    Walk,
    #[serde(rename = "follow")]
    Follow,
}

impl Word {
    /// Every word that cases use.
    pub const ALL: [Self; 17] = [
        Self::Resolve,
        Self::Client,
        Self::SendMessage,
        Self::GetTask,
        Self::ListTasks,
        Self::CancelTask,
        Self::CreateTaskPushNotificationConfig,
        Self::GetTaskPushNotificationConfig,
        Self::ListTaskPushNotificationConfigs,
        Self::DeleteTaskPushNotificationConfig,
        Self::GetExtendedAgentCard,
        Self::SendStreamingMessage,
        Self::SubscribeToTask,
        Self::CancelStream,
        Self::Card,
        Self::Walk,
        Self::Follow,
    ];

    /// The operation that it calls, where it calls one.
    pub fn operation(self) -> Option<Operation> {
        Operation::ALL.into_iter().find(|operation| self.to_string() == operation.to_string())
    }

    /// What the client may ask for when it does this.
    pub fn may_ask(self) -> Vec<Asked> {
        match self {
            Self::Resolve => vec![Asked::Card],
            // A client may take the extended card wherever the agent has one.
            Self::Client => vec![Asked::Card, Asked::Operation(Operation::GetExtendedAgentCard)],
            Self::CancelStream | Self::Card => Vec::new(),
            Self::Walk => vec![Asked::Operation(Operation::ListTasks)],
            Self::Follow => {
                vec![Asked::Operation(Operation::GetTask), Asked::Operation(Operation::SubscribeToTask)]
            }
            word => word.operation().map(Asked::Operation).into_iter().collect(),
        }
    }

    /// Whether its answer is a stream.
    pub fn streams(self) -> bool {
        matches!(self, Self::SendStreamingMessage | Self::SubscribeToTask)
    }

    /// Whether it is done by a client that was made before.
    pub fn takes_a_client(self) -> bool {
        !matches!(self, Self::Resolve | Self::Client | Self::CancelStream)
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resolve => f.write_str("resolve"),
            Self::Client => f.write_str("client"),
            Self::CancelStream => f.write_str("cancel-stream"),
            Self::Card => f.write_str("card"),
            Self::Walk => f.write_str("walk"),
            Self::Follow => f.write_str("follow"),
            operation => fmt::Debug::fmt(operation, f),
        }
    }
}

/// One thing that the client is told to do.
#[derive(Debug, Clone)]
pub struct Doing {
    /// What.
    pub word: Word,
    /// The name of what comes of it.
    pub name: Option<String>,
    /// The client that does it; `None`: the one that was made last.
    pub client: Option<String>,
    /// The stream that is left, of `cancel-stream`.
    pub stream: Option<String>,
    /// The canonical parameters.
    pub with: Option<Value>,
    /// Further members of the command, by the contract.
    pub options: BTreeMap<&'static str, Value>,
    /// What must be reported of it.
    pub reported: Option<Reported>,
    /// Its place in the case file, as a JSON pointer.
    pub at: String,
    /// Line in the case file, where it is known.
    pub line: Option<u64>,
}

/// What must be reported of a step.
#[derive(Debug, Clone, Default)]
pub struct Reported {
    /// The outcomes that are right: `result`, `end`, `error`, or kinds of errors; empty: any.
    pub outcome: Vec<Told>,
    /// Conditions on the value, or on the array of events.
    pub at: BTreeMap<String, Matcher>,
    /// A condition on the name of an error.
    pub name: Option<Matcher>,
}

/// An outcome that a client reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names are those of the contract, docs/clients.md")]
pub enum Told {
    Result,
    End,
    /// An error of any kind.
    Error,
    Agent,
    Transport,
    Unreadable,
    Refused,
    Timeout,
    Usage,
    Other,
}

impl Told {
    /// The kinds of errors.
    pub const KINDS: [Self; 7] =
        [Self::Agent, Self::Transport, Self::Unreadable, Self::Refused, Self::Timeout, Self::Usage, Self::Other];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Result => "result",
            Self::End => "end",
            Self::Error => "error",
            Self::Agent => "agent",
            Self::Transport => "transport",
            Self::Unreadable => "unreadable",
            Self::Refused => "refused",
            Self::Timeout => "timeout",
            Self::Usage => "usage",
            Self::Other => "other",
        }
    }
}

/// Requests that a demand is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Of {
    /// Those for the card.
    Card,
    /// Those that call an operation.
    Operation(Operation),
    /// Those that call any operation.
    Any,
    /// Those to an interface that call no operation of the version.
    Unknown,
}

impl Of {
    /// Those that are no operation, by what cases call them.
    pub const WORDS: [(&'static str, Self); 3] = [("card", Self::Card), ("any", Self::Any), ("unknown", Self::Unknown)];
}

impl fmt::Display for Of {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operation(operation) => write!(f, "{operation}"),
            word => f.write_str(Self::WORDS.iter().find(|(_, known)| known == word).map_or("", |(name, _)| name)),
        }
    }
}

/// Something that is required of requests.
#[derive(Debug, Clone)]
pub struct Demand {
    /// Of which.
    pub of: Of,
    /// At which interfaces, by path, `served` or `foreign`; `None`: at any.
    pub place: Option<String>,
    /// What.
    pub wants: Wants,
    /// Whether it holds of the requests of every client, whatever it was told to do; `None`: only after the steps of the case.
    pub always: Option<Always>,
    /// Its place in the case file, as a JSON pointer.
    pub at: String,
    /// Line in the case file, where it is known.
    pub line: Option<u64>,
}

/// Where a demand holds in traffic that the suite did not arrange.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Always {
    /// Only of agents whose card does not declare this; `None`: of all.
    pub lacks: Option<Capability>,
}

/// What is required.
#[derive(Debug, Clone)]
pub enum Wants {
    /// How many there are.
    Count(Matcher),
    /// Conditions on each of them.
    Each(Conditions),
    /// Conditions on the first of them.
    First(Conditions),
    /// Conditions on the last of them.
    Last(Conditions),
    /// Conditions on each of them but the first.
    Later(Conditions),
    /// That there is none, or none that meets the conditions.
    Never(Conditions),
    /// That the first of each comes in this order.
    Order(Vec<Of>),
    /// That no two of them have one value at these places.
    Differ(Vec<String>),
}

/// Conditions on a request, by pointers into the document that the judge makes of it.
pub type Conditions = BTreeMap<String, Matcher>;

impl Visit {
    /// The operations and the words that it takes to be able to do it.
    pub fn words(&self) -> BTreeSet<Word> {
        let base = [Word::Client];
        self.steps.iter().map(|step| step.word).chain(base).collect()
    }

    /// Whether a streaming step is left in the middle by a later one.
    pub fn is_left(&self, step: &Doing) -> bool {
        step.name.is_some() && self.steps.iter().any(|later| later.stream.is_some() && later.stream == step.name)
    }

    /// Whether something of it holds of the requests of every client.
    pub fn holds_always(&self) -> bool {
        self.requests.iter().any(|demand| demand.always.is_some())
    }

    /// What holds of the requests of every client to an agent that declares these capabilities; `None`: no card of it is known.
    pub fn always(&self, declared: Option<&BTreeSet<Capability>>) -> impl Iterator<Item = &Demand> {
        let is_lacking = move |lacks| declared.is_some_and(|declared| !declared.contains(&lacks));
        let holds = move |always: Always| always.lacks.is_none_or(is_lacking);
        self.requests.iter().filter(move |demand| demand.always.is_some_and(holds))
    }

    /// Everything that its steps may make a client ask for.
    pub fn may_ask(&self) -> BTreeSet<Asked> {
        self.steps.iter().flat_map(|step| step.word.may_ask()).collect()
    }
}

/// The bindings that a case may run over.
pub fn runs_over(bindings: &[Binding], binding: Binding) -> bool {
    bindings.is_empty() || bindings.contains(&binding)
}
