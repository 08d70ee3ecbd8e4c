//! The checks as data: case files and requirement catalogues.
//!
//! Enters: the YAML under `cases/` (and a user's own folder). Leaves: a [`Library`] of typed [`Case`]s and
//! [`Requirement`]s, or every [`Mistake`] that was found, each with its place. Knows the
//! profiles, whose names it must not misspell, and nothing of running.

mod acts;
mod assertion;
mod bytes;
mod check_ref;
mod convert;
mod durable;
mod file;
mod input;
mod library;
mod lint;
mod matcher;
mod needs;
mod oracle;
mod outcome;
mod read;
mod reference;
mod requirement;
mod sets;
mod shape;
pub mod visit;
mod webhook;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use ::bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use acts::{Behaviour, Export as ActsExport, export as export_acts};
pub use assertion::Assertion;
pub use bytes::{BytesCall, FrameKind, FramePayload, Last, Piece, Written, WrittenFrame};
pub use check_ref::CheckRef;
pub use durable::Durable;
pub use input::{Input, Rule};
pub use library::{Check, Library, Source};
pub use matcher::{Kind as ValueKind, Matcher};
pub use oracle::{Asserts, Named, Oracle, Over, What, WrongArguments};
pub use outcome::Outcome;
pub use reference::{References, Unresolved, follow, lookup, resolve};
pub use requirement::{Binds, Catalogue, Need, Requirement, SectionLink, Unasked, Visible};
pub use sets::{Added, NoSet, RequirementSet, Sets};
pub use shape::SCHEMA;
pub use visit::{Role, Visit, Word};
pub use webhook::{Awaited, Deliveries, Enough, HookAnswer, Webhook};

use crate::auth::Caller;
use crate::extension::Extension;
use crate::profile::{Binding, Capability, Operation};
use crate::verdict::{Foreign, Level};
pub use crate::wire::json::merge;
use crate::wire::tls::Offer;
use crate::yaml::Mistake;

/// One check.
#[derive(Debug, Clone)]
pub struct Case {
    /// Stable path-like id; its first segment is the area and the folder.
    pub id: String,
    /// What is checked, as a sentence without a full stop.
    pub title: String,
    /// Why it matters to whoever runs agents.
    pub why: String,
    /// What a right exchange looks like.
    pub right: String,
    /// What a wrong exchange looks like.
    pub wrong: String,
    /// How to fix an agent that fails.
    pub fix: String,
    /// Capabilities that the card must declare.
    pub needs: Vec<Capability>,
    /// Capabilities that the card must not declare.
    pub without: Vec<Capability>,
    /// The URIs of an extension that the card must declare by one of them, where the case is about that; empty: it is about none.
    pub extension: Vec<String>,
    /// Bindings to which it is confined; empty: every binding.
    pub bindings: Vec<Binding>,
    /// Dialects to which it is confined, where an agent may speak one of several; empty: every dialect.
    pub dialects: Vec<String>,
    /// Whether it runs over each ordered pair of bindings, some of its steps over the second.
    pub across: bool,
    /// Whether it checks that the version is spoken which the card claims: it runs also where the claim is false.
    pub claim: bool,
    /// What of the first identity's the second tries to get at, where it is about that: `a task`.
    pub object: Option<String>,
    /// Named tasks that must exist before the first step.
    pub given: BTreeMap<String, Fixture>,
    /// Named webhooks that the agent is given.
    pub webhooks: BTreeMap<String, Webhook>,
    /// What it does.
    pub action: Action,
    /// Oracles that judge the case as a whole.
    pub holds: Vec<OracleCall>,
    /// For a user's own case, which no catalogue names: where it applies.
    pub own: Option<Own>,
    /// The file that holds it.
    pub file: String,
    /// Its place in the file, as a JSON pointer.
    pub at: String,
    /// What of a test in another format it cannot say: then it does not run.
    pub beyond: Vec<Beyond>,
}

/// A construct of another format that cases do not have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Beyond {
    /// Why no case can say it, as a clause, and where it is.
    pub mistake: Mistake,
    /// `file:line:column`.
    pub place: String,
}

/// The area of the cases that the fuzzer makes of what it finds.
pub const FUZZED: &str = "fuzz";

impl Case {
    /// The extension that it is about, of those that a card declares.
    pub fn extension_of<'a>(&self, declared: &'a [Extension]) -> Option<&'a Extension> {
        declared.iter().find(|known| self.extension.contains(&known.uri))
    }

    /// The first segment of the id.
    pub fn area(&self) -> &str {
        self.id.split('/').next().unwrap_or(&self.id)
    }

    /// Whom it is about.
    pub fn role(&self) -> Role {
        match &self.action {
            Action::Visit(_) => Role::Client,
            Action::Steps(_) | Action::Observe(_) => Role::Agent,
        }
    }

    /// What a client meets and does in it, where it is about clients.
    pub fn visit(&self) -> Option<&Visit> {
        match &self.action {
            Action::Visit(visit) => Some(visit),
            Action::Steps(_) | Action::Observe(_) => None,
        }
    }

    /// Whether an agent that answers every request alike can show what it is about: the card, and what the card says of the
    /// interface.
    pub fn needs_no_control(&self) -> bool {
        self.claim || self.id.starts_with("card/")
    }

    /// The operations of which it wants a refusal, and nothing else.
    pub fn operations_to_refuse(&self) -> BTreeSet<Operation> {
        let refused = |step: &&Step| step.expect.as_ref().is_some_and(|expect| !expect.allows_result());
        let of_step = |step: &Step| match &step.act {
            Act::Call(call) | Act::Stream(call) | Act::Open(call) | Act::Bytes(BytesCall { call, .. }) => {
                Some(call.operation)
            }
            _ => None,
        };
        self.all_steps().into_iter().filter(refused).filter_map(of_step).collect()
    }

    /// Whether it does nothing but fetch the card.
    pub fn is_about_the_card(&self) -> bool {
        let steps = self.all_steps();
        !steps.is_empty() && steps.iter().all(|step| matches!(step.act, Act::Card(_)))
    }

    /// Every trigger that it sends, for a fixture or in a step.
    pub fn triggers(&self) -> Vec<Trigger> {
        let of_step = |step: &Step| match &step.act {
            Act::Call(call) | Act::Stream(call) | Act::Open(call) | Act::Bytes(BytesCall { call, .. }) => call.trigger,
            _ => None,
        };
        let mut found: BTreeSet<Trigger> = self.given.values().map(|fixture| fixture.trigger).collect();
        found.extend(self.all_steps().into_iter().filter_map(of_step));
        found.into_iter().collect()
    }

    /// Whether it sends what no client should, on purpose.
    pub fn sends_wrong_requests(&self) -> bool {
        let is_wrong = |step: &&Step| match &step.act {
            Act::Call(call) | Act::Stream(call) | Act::Open(call) => call.invalid,
            Act::Raw(_) => true,
            _ => false,
        };
        self.all_steps().iter().any(is_wrong)
    }

    /// Whether most of its time goes to a task that the agent works on.
    pub fn waits_for_work(&self) -> bool {
        self.works().0 > 0
    }

    /// How much work of the agent it waits for: how many tasks, one after the other, and whether they are slow ones.
    pub fn works(&self) -> (usize, bool) {
        let waits = self.all_steps().iter().filter(|step| matches!(step.act, Act::Wait(_))).count();
        let is_slow = self.triggers().contains(&Trigger::Slow);
        (waits.max(usize::from(is_slow)), is_slow)
    }

    /// Whether its webhooks are at more than one origin.
    pub fn has_webhooks_elsewhere(&self) -> bool {
        self.webhooks.values().any(|webhook| webhook.elsewhere)
    }

    /// In whose names its steps are done.
    pub fn callers(&self) -> BTreeSet<Caller> {
        self.all_steps().into_iter().map(|step| step.by).collect()
    }

    /// What it tries on what belongs to another caller, where it is about that.
    pub fn foreign(&self) -> Option<Foreign> {
        let steps = self.all_steps();
        let mut tried = steps.iter().filter(|step| step.by == Caller::Other).filter_map(|step| step.act.operation());
        Some(Foreign { operation: tried.next()?.to_string(), object: self.object.clone()? })
    }

    /// Every step, those inside others included.
    pub fn all_steps(&self) -> Vec<&Step> {
        let mut all = Vec::new();
        if let Action::Steps(steps) = &self.action {
            steps.iter().for_each(|step| step.add_to(&mut all));
        }
        all
    }

    /// What must be durable for the agent to be restarted within the case; nothing where it is not to be.
    pub fn lasts_by(&self) -> Option<Durable> {
        let Action::Steps(steps) = &self.action else { return None };
        steps.iter().find_map(|step| step.after_restart)
    }
}

/// What a case does.
#[derive(Debug, Clone)]
pub enum Action {
    /// A conversation of its own.
    Steps(Vec<Step>),
    /// Nothing: it judges what the whole run has shown.
    Observe(OracleCall),
    /// Nothing either: a client is told to do something, and its requests are judged.
    Visit(Box<Visit>),
}

/// Where a user's own case applies.
#[derive(Debug, Clone)]
pub struct Own {
    /// How much it matters.
    pub level: Level,
    /// The profiles to which it applies; empty: all.
    pub profiles: Vec<String>,
    /// The section of whatever text it comes from.
    pub section: String,
}

/// A task (or several) that a case needs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fixture {
    /// The state in which the task is wanted.
    pub task: Goal,
    /// What to send to get there.
    pub trigger: Trigger,
    /// Whether the case changes it and so must have one of its own.
    pub fresh: bool,
    /// How many, all in one context.
    pub count: usize,
}

/// The state in which a fixture's task is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// `TASK_STATE_COMPLETED`.
    Completed,
    /// Neither terminal nor interrupted, and staying so for a while.
    Working,
    /// `TASK_STATE_INPUT_REQUIRED`.
    InputRequired,
    /// `TASK_STATE_AUTH_REQUIRED`.
    AuthRequired,
    /// `TASK_STATE_FAILED`.
    Failed,
    /// `TASK_STATE_REJECTED`.
    Rejected,
    /// `TASK_STATE_CANCELED`: a running task that the suite then cancels.
    Canceled,
}

impl Goal {
    /// What to send to get there, unless the case says otherwise.
    pub fn trigger(self) -> Trigger {
        match self {
            Self::Completed => Trigger::Complete,
            Self::Working | Self::Canceled => Trigger::Slow,
            Self::InputRequired => Trigger::InputRequired,
            Self::AuthRequired => Trigger::AuthRequired,
            Self::Failed => Trigger::Fail,
            Self::Rejected => Trigger::Reject,
        }
    }

    /// The canonical state, where it is one.
    pub fn state(self) -> Option<&'static str> {
        match self {
            Self::Completed => Some("TASK_STATE_COMPLETED"),
            Self::Working => None,
            Self::InputRequired => Some("TASK_STATE_INPUT_REQUIRED"),
            Self::AuthRequired => Some("TASK_STATE_AUTH_REQUIRED"),
            Self::Failed => Some("TASK_STATE_FAILED"),
            Self::Rejected => Some("TASK_STATE_REJECTED"),
            Self::Canceled => Some("TASK_STATE_CANCELED"),
        }
    }
}

/// What to send to bring the agent into a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Trigger {
    /// A task that completes at once, with an artifact.
    Complete,
    /// A direct message, without a task.
    Message,
    /// A task that works for some seconds.
    Slow,
    /// A task whose artifact comes in pieces.
    Chunks,
    /// A task that asks its client for more.
    InputRequired,
    /// A task that asks for authorization.
    AuthRequired,
    /// A task that fails.
    Fail,
    /// A task that is refused.
    Reject,
    /// A task with a file in its artifact.
    File,
    /// A task with structured data in its artifact.
    Data,
}

impl Trigger {
    /// Every trigger, in the order in which they are explained.
    pub const ALL: [Self; 10] = [
        Self::Complete,
        Self::Message,
        Self::Slow,
        Self::Chunks,
        Self::InputRequired,
        Self::AuthRequired,
        Self::Fail,
        Self::Reject,
        Self::File,
        Self::Data,
    ];

    /// Its name in configuration, cards and cases.
    pub fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Message => "message",
            Self::Slow => "slow",
            Self::Chunks => "chunks",
            Self::InputRequired => "input-required",
            Self::AuthRequired => "auth-required",
            Self::Fail => "fail",
            Self::Reject => "reject",
            Self::File => "file",
            Self::Data => "data",
        }
    }
}

impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One action of a case, and what should come of it.
#[derive(Debug, Clone)]
pub struct Step {
    /// What is done.
    pub act: Act,
    /// The name under which later steps and oracles know what came back.
    pub name: Option<String>,
    /// Of several steps at once: the earlier one of them that is over before this begins.
    pub after: Option<String>,
    /// Of several steps at once: the earlier one of them that makes this one superfluous if it is over by then.
    pub unless: Option<String>,
    /// What must be durable for the agent to be restarted before it; nothing where it is not to be.
    pub after_restart: Option<Durable>,
    /// Which of a pair of bindings it goes over.
    pub over: Side,
    /// Whose credentials go along with it.
    pub by: Caller,
    /// Headers to add or, with `None`, to leave out.
    pub headers: BTreeMap<String, Option<String>>,
    /// Extensions that the request asks for.
    pub extensions: Vec<String>,
    /// Whether it asks for those that the card requires, too.
    pub required_extensions: bool,
    /// What an agent may be without, and without which the case is not about it: else it is `skipped`. Written as `reach`.
    pub applies: BTreeMap<String, Matcher>,
    /// What must hold for the agent to be in the state that the case is about; else the case is `unreached`. The place
    /// `extensions` is the list of those that the answer says are active.
    pub reach: BTreeMap<String, Matcher>,
    /// What the specification demands.
    pub expect: Option<Expect>,
    /// Its place in the case file, as a JSON pointer.
    pub at: String,
    /// Line in the case file, where it is known.
    pub line: Option<u64>,
}

/// The place of the list of extensions in what a step has to reach: no pointer.
pub const EXTENSIONS: &str = "extensions";

impl Step {
    /// Whether it asks for other extensions than every request does.
    pub fn asks_for_extensions(&self) -> bool {
        !self.extensions.is_empty() || !self.required_extensions
    }

    /// It, and those inside it.
    fn with_inner(&self) -> Vec<&Self> {
        let mut all = Vec::new();
        self.add_to(&mut all);
        all
    }

    fn add_to<'a>(&'a self, all: &mut Vec<&'a Self>) {
        all.push(self);
        if let Act::Together(steps) = &self.act {
            steps.iter().for_each(|step| step.add_to(all));
        }
    }
}

/// One of a pair of bindings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The first, or the only one.
    #[default]
    First,
    /// The second, in cases that run across.
    Second,
}

/// The closed set of things that a step can do.
#[derive(Debug, Clone)]
pub enum Act {
    /// Calls an operation and waits for its one answer.
    Call(Call),
    /// Calls a streaming operation and reads the stream to its end.
    Stream(Call),
    /// Calls a streaming operation and waits for its first event, or until `reach` holds of the events as a whole (the
    /// place `""`), where the step has that; the stream stays open under the step's name.
    Open(Call),
    /// Reads an open stream to its end.
    Drain(String),
    /// Drops the connection of an open stream.
    Close(String),
    /// Sends bytes that no client library would send.
    Raw(Raw),
    /// Calls an operation, or spoils the call, byte by byte over a connection of its own.
    Bytes(BytesCall),
    /// Polls a task until it is in a state.
    Wait(Wait),
    /// Walks the pages of `ListTasks`.
    Walk(Walk),
    /// Fetches the agent card.
    Card(CardRequest),
    /// Offers TLS as no client should.
    Hello(Offer),
    /// Waits for what the agent posts to a webhook.
    Deliveries(Deliveries),
    /// Answers what a webhook has held back so far, and holds back nothing more.
    Release(String),
    /// Does several steps at the same time.
    Together(Vec<Step>),
}

impl Act {
    /// The operation that it calls, where it calls one.
    pub fn operation(&self) -> Option<Operation> {
        match self {
            Self::Call(call) | Self::Stream(call) | Self::Open(call) => Some(call.operation),
            Self::Bytes(bytes) => Some(bytes.call.operation),
            Self::Walk(_) => Some(Operation::ListTasks),
            Self::Wait(_) => Some(Operation::GetTask),
            Self::Drain(_)
            | Self::Close(_)
            | Self::Raw(_)
            | Self::Card(_)
            | Self::Hello(_)
            | Self::Deliveries(_)
            | Self::Release(_)
            | Self::Together(_) => None,
        }
    }
}

/// A call of an operation.
#[derive(Debug, Clone)]
pub struct Call {
    /// Which.
    pub operation: Operation,
    /// Its canonical parameters, with references; merged over the trigger's message where there is one.
    pub with: Value,
    /// The trigger whose message is sent.
    pub trigger: Option<Trigger>,
    /// Whether the request is wrong on purpose and so not held against the schema.
    pub invalid: bool,
    /// The JSON-RPC id to use, where the case is about ids.
    pub rpc_id: Option<Value>,
}

/// A request given byte by byte.
#[derive(Debug, Clone)]
pub struct Raw {
    /// The body.
    pub body: RawBody,
    /// HTTP method.
    pub method: String,
    /// Appended to the interface's URL; over gRPC to the path of the service.
    pub suffix: String,
    /// `Content-Type`, where the case is about it: `Some(None)` sends none, `None` that of the binding.
    pub content_type: Option<Option<String>>,
    /// Over gRPC, what stands before the message in place of its prefix.
    pub prefix: Option<Bytes>,
}

/// The body of a [`Raw`] request.
#[derive(Debug, Clone)]
pub enum RawBody {
    /// Text, with references.
    Text(String),
    /// Exact bytes. Requests share them, since they may be large.
    Bytes(Bytes),
}

/// A wait for a state.
#[derive(Debug, Clone)]
pub struct Wait {
    /// The task's id, with references.
    pub task: String,
    /// What is waited for.
    pub until: Until,
}

/// The state that a [`Wait`] waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Until {
    /// A terminal state.
    Terminal,
    /// A terminal or interrupted state.
    Settled,
    /// Such a state, or none for as long as the suite waits: then the task is shown as it is.
    SettledOrNot,
}

/// A walk over the pages of `ListTasks`.
#[derive(Debug, Clone)]
pub struct Walk {
    /// Canonical parameters of the first page, with references.
    pub with: Value,
    /// Conditions on what was walked so far, with references: once all of them hold, the walk has seen enough. Empty: it goes
    /// on to the last page.
    pub until: BTreeMap<String, Matcher>,
}

/// A fetch of the card.
#[derive(Debug, Clone)]
pub struct CardRequest {
    /// HTTP method.
    pub method: String,
    /// Whether it is the extended card, in versions that have it at an address of its own.
    pub extended: bool,
}

/// What should come of a step.
#[derive(Debug, Clone, Default)]
pub struct Expect {
    /// The outcomes that the specification allows; empty: a result.
    pub outcome: Vec<Outcome>,
    /// Conditions on places of the result; they are asked for only where the outcome is a result.
    pub at: BTreeMap<String, Matcher>,
    /// Conditions on the error object, where the outcome is an error.
    pub error_at: BTreeMap<String, Matcher>,
    /// Conditions on HTTP: status (as `status`) and headers by lower-case name.
    pub http: BTreeMap<String, Matcher>,
    /// Conditions on gRPC: status (as `status`), its `message`, and metadata by lower-case name.
    pub grpc: BTreeMap<String, Matcher>,
    /// Conditions on the connection of a `bytes` step.
    pub connection: BTreeMap<String, Matcher>,
    /// Condition on the list of extensions that the answer says are active.
    pub extensions: Option<Matcher>,
    /// Condition on the `id` of the JSON-RPC response.
    pub rpc_id: Option<Matcher>,
}

/// A named oracle with what it is asked about.
#[derive(Debug, Clone, PartialEq)]
pub struct OracleCall {
    /// Its name.
    pub name: String,
    /// Its arguments: the names of steps, mostly.
    pub args: Value,
    /// What it asserts.
    pub asserts: Asserts,
    /// Its place in the case file, as a JSON pointer.
    pub at: String,
}
