//! The conversation with an agent over one interface: what makes traffic safe and keeps what came of it.
//!
//! A [`Session`] counts messages against a budget, holds every call against the schema of its version, notices when the agent
//! falls silent, records every answer, and makes and shares tasks in the states that cases need. It decides nothing about what
//! to send, and judges nothing: a scheduler stands above it.
//!
//! ```
//! # use std::error::Error;
//! # use std::sync::Arc;
//! # use std::time::Duration;
//! use a2aspec::auth::Credentials;
//! use a2aspec::transport::Connection;
//! use a2aspec::transport::http::{Http, Settings};
//! use a2aspec::transport::memory::{Memory, Reply};
//! use a2aspec::discovery::triggers::Triggers;
//! use a2aspec::event::EventSink;
//! use a2aspec::report::Secrets;
//! use a2aspec::interface::Interface;
//! use a2aspec::profile::{self, Binding, Operation};
//! use a2aspec::session::{Options, Session, places::Places, words::Words};
//! use a2aspec::transcript::Content;
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn Error>> {
//! // An agent in memory that knows one error.
//! let agent = Memory::new(|request| {
//!     let error = json!({ "code": -32001, "message": "no such task" });
//!     Reply::json(200, &json!({ "jsonrpc": "2.0", "id": request.rpc_id, "error": error }))
//! });
//! let settings = Settings { credentials: Credentials::default(), timeout: Duration::from_secs(10) };
//! let http = Arc::new(Http::over(Arc::new(agent), settings));
//!
//! let profiles = profile::bundled().unwrap();
//! let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
//! let interface = Interface::new(profile, Binding::Jsonrpc, "http://agent.test/".to_owned()).unwrap();
//! let options = Options {
//!     max_messages: Some(40),
//!     messages: Default::default(),
//!     words: Arc::new(Words::new(Triggers::default(), None)),
//!     places: Places::new(1),
//!     trust: Arc::default(),
//!     webhooks: None,
//! };
//! let (events, mut heard) = tokio::sync::mpsc::unbounded_channel();
//! let sink = EventSink::new(events, tokio::time::Instant::now(), Secrets::default());
//! let session = Session::new(Connection::new(interface, Arc::clone(&http)), http, options, sink);
//!
//! let answer = session.call(Operation::GetTask, json!({ "id": "t-1" }), "a task that is not there").await.unwrap();
//! let Content::Error(error) = &answer.content else { panic!("{answer:?}") };
//! assert_eq!(error.code, Some(-32001));
//! assert!(heard.try_recv().is_ok(), "each exchange is an event");
//! # Ok(())
//! # }
//! ```

mod aside;
pub(crate) mod bytes;
mod comeback;
mod control;
pub(crate) mod dialect;
mod door;
pub(crate) mod fixture;
mod lasting;
mod left_streams;
pub(crate) mod load;
pub mod message;
mod messages_alone;
mod one_by_one;
pub mod places;
mod pooled;
mod question;
pub(crate) mod record;
mod send;
pub mod shared;
mod silence;
pub(crate) mod stop;
pub(crate) mod streams;
mod string_ids;
#[cfg(test)]
mod tests;
mod unanswered;
pub(crate) mod unknown;
mod vigil;
pub(crate) mod webhook;
pub mod words;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::OnceCell;

use crate::auth::Caller;
use crate::case::Unresolved;
use crate::discovery::Trust;
use crate::event::{Condition, EventSink};
use crate::judge::{self, Service};
use crate::profile::{Operation, Profile};
use crate::reason::Reason;
use crate::transcript::{Answer, Ended, Payload, task_in};
use crate::transport::http::Http;
use crate::transport::inbound::Receiver;
use crate::transport::{Connection, OpenStream};
use control::Control;
use fixture::Wanted;
pub use fixture::fixtures;
use messages_alone::MessagesAlone;
pub(crate) use one_by_one::AT_ONCE;
use places::Places;
use pooled::Pooled;
use record::Record;
use silence::Silence;
use unanswered::Left;
use words::Words;

/// What a session needs to know besides its interface.
#[derive(Debug, Clone)]
pub struct Options {
    /// The most messages that the agent may be sent, over all sessions together.
    pub max_messages: Option<u64>,
    /// How many it was sent, over all sessions together.
    pub messages: Arc<AtomicU64>,
    /// What to send to bring the agent into its states, which sessions share.
    pub words: Arc<Words>,
    /// The places for requests in flight, which sessions share.
    pub places: Places,
    /// By what signatures of cards are verified.
    pub trust: Arc<Trust>,
    /// What receives deliveries to webhooks, where a case of the run waits for some.
    pub webhooks: Option<Arc<Receiver>>,
}

/// Why a step cannot go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepError {
    /// The agent could not be brought into the state.
    Unreached(Reason),
    /// The suite itself is wrong, or lost the connection.
    Broken(Reason),
}

impl StepError {
    /// A mistake of the suite or of a case.
    pub fn mistake(what: impl Into<String>) -> Self {
        Self::Broken(Reason::mistake(what))
    }
}

impl From<Unresolved> for StepError {
    fn from(unresolved: Unresolved) -> Self {
        Self::Unreached(Reason::Unresolved { reference: format!("${{{}}}", unresolved.reference) })
    }
}

/// How well an agent understands a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Understanding {
    /// It refuses a message in it.
    Nothing,
    /// It takes a message in it.
    Messages,
    /// It speaks it itself.
    Everything,
}

/// A fixture that one case makes while the others that want it wait.
type Shared = Arc<OnceCell<Result<Pooled, StepError>>>;

/// The agent, over one interface.
pub struct Session {
    pub(crate) connection: Connection,
    pub(crate) http: Arc<Http>,
    pub(crate) options: Options,
    pub(crate) record: Record,
    /// Fixtures that cases share.
    pub(crate) fixtures: Mutex<HashMap<Wanted, Shared>>,
    /// Streams that keep a fixture's task alive.
    pub(crate) held: Mutex<Vec<OpenStream>>,
    /// Which work takes long.
    lasting: lasting::Lasting,
    /// Running tasks that the run leaves behind.
    pub(crate) running: Mutex<Vec<String>>,
    control: OnceLock<Control>,
    sink: EventSink,
    messages: Arc<AtomicU64>,
    silence: Silence,
    service: Mutex<Service>,
    left: Left,
    /// Fixtures that could not be made, with how often in a row.
    pub(crate) missed: Mutex<HashMap<Wanted, (usize, StepError)>>,
    /// How many tasks in a row did not get on while the suite waited.
    pub(crate) stuck: AtomicUsize,
    /// The longest time that a task took to settle while the suite waited.
    pub(crate) longest_wait: Mutex<Duration>,
    gone: OnceLock<Reason>,
    /// Held while a case makes sure that the agent is still there.
    asking: tokio::sync::Mutex<()>,
    /// Whether what the agent did not do is forgotten, since it answers again.
    is_renewed: AtomicBool,
    conditions: Mutex<Vec<Condition>>,
    /// What it answers to requests whose id is a number, where it reads strings alone.
    to_a_number: OnceLock<Answer>,
    /// Whether each message that begins a conversation names a context: the agent takes no other.
    contexts: AtomicBool,
    /// What it answers to one that names none, if it takes no such message.
    without_context: OnceLock<Answer>,
    /// What it does not have, where it serves messages alone.
    messages_alone: OnceLock<MessagesAlone>,
    /// The sessions of other callers, once there are any.
    callers: Mutex<BTreeMap<Caller, Arc<Session>>>,
    /// The sessions in the other dialects in which the agent was tried.
    tried: OnceLock<Vec<Arc<Session>>>,
}

impl Session {
    /// A session over a connection; nothing is sent yet.
    pub fn new(connection: Connection, http: Arc<Http>, options: Options, sink: EventSink) -> Self {
        Self {
            connection,
            http,
            options,
            record: Record::default(),
            fixtures: Mutex::default(),
            held: Mutex::default(),
            lasting: Mutex::default(),
            running: Mutex::default(),
            control: OnceLock::new(),
            sink,
            messages: Arc::default(),
            callers: Default::default(),
            tried: OnceLock::new(),
            silence: Silence::default(),
            service: Mutex::default(),
            left: Left::default(),
            missed: Mutex::default(),
            stuck: AtomicUsize::new(0),
            longest_wait: Mutex::default(),
            gone: OnceLock::new(),
            asking: tokio::sync::Mutex::default(),
            is_renewed: AtomicBool::new(false),
            conditions: Mutex::default(),
            to_a_number: OnceLock::new(),
            contexts: AtomicBool::new(false),
            without_context: OnceLock::new(),
            messages_alone: OnceLock::new(),
        }
    }

    /// A session over the same interface in the name of a caller. What it sees is no part of what this one has seen: agents
    /// show each what is theirs. Messages count for both.
    pub(crate) fn of(self: &Arc<Self>, caller: Caller) -> Arc<Self> {
        if caller == Caller::Own {
            return Arc::clone(self);
        }
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        let session = callers.entry(caller).or_insert_with(|| {
            let http = Arc::new(self.http.in_the_name_of(caller));
            let connection = Connection::new(self.connection.interface.clone(), Arc::clone(&http));
            let session = Self::new(connection, http, self.options.clone(), self.sink.clone());
            Arc::new(Self { messages: Arc::clone(&self.messages), ..session })
        });
        Arc::clone(session)
    }

    /// Keeps the sessions in the other dialects in which the agent was tried.
    pub(crate) fn keep_tried(&self, sessions: Vec<Arc<Self>>) {
        let _ = self.tried.set(sessions);
    }

    /// The sessions in the other dialects in which the agent was tried.
    pub(crate) fn tried(&self) -> &[Arc<Self>] {
        self.tried.get().map_or(&[], Vec::as_slice)
    }

    /// What the agent answered where it was tried in other dialects.
    pub(crate) fn tried_answers(&self) -> Vec<Answer> {
        let of = |session: &Arc<Self>| session.record.answers(&session.connection).iter().cloned().collect::<Vec<_>>();
        self.tried().iter().flat_map(of).collect()
    }

    /// The version that it speaks.
    pub fn profile(&self) -> &Profile {
        &self.connection.interface.profile
    }

    /// How many messages it was sent.
    pub fn messages_sent(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }

    /// Why it is no use to go on, if it is none.
    pub fn gone(&self) -> Option<Reason> {
        self.gone.get().cloned()
    }

    /// Makes the control exchanges, before any case.
    pub async fn probe(&self) {
        let mut control = control::make(self).await;
        if control.constant.is_some()
            && let Some(to_a_number) = control::reads_only_string_ids(self).await
        {
            let _ = self.to_a_number.set(to_a_number);
            self.note_condition(Condition::OnlyStringIds);
            self.forget_what_was_missed();
            control = control::make(self).await;
        }
        if let Some(refusal) = control.refusal.clone().filter(|answer| answer.refusal().is_some())
            && control::takes_messages_with_a_context(self).await
        {
            let _ = self.without_context.set(refusal);
            self.note_condition(Condition::OnlyWithContext);
            self.forget_what_was_missed();
            control = control::make(self).await;
        }
        // An interface that says nothing at all needs no more patience.
        if self.heard_nothing()
            && let Some(last) = self.record.answers(&self.connection).last()
        {
            let how = last.ended_how();
            let _ = self.gone.set(Reason::Unreachable { how });
        }
        if let Some(reason) = door::closed(self.profile(), &self.record.answers(&self.connection)) {
            let _ = self.gone.set(self.explain(reason));
        }
        if let Some(number) = control.alike {
            self.service.lock().unwrap_or_else(PoisonError::into_inner).alike = Some(number);
            self.note_condition(Condition::AnswersAlike);
        }
        let takes_messages = control.constant.is_none() && self.gone.get().is_none();
        let _ = self.control.set(control);
        if self.makes_no_tasks().await {
            self.note_condition(Condition::MakesNoTasks);
        }
        if takes_messages && let Some(alone) = messages_alone::look(self).await {
            self.service.lock().unwrap_or_else(PoisonError::into_inner).messages_alone = alone.denied.clone();
            let _ = self.messages_alone.set(alone);
            self.note_condition(Condition::MessagesAlone);
        }
    }

    fn note_condition(&self, what: Condition) {
        self.conditions.lock().unwrap_or_else(PoisonError::into_inner).push(what);
    }

    /// What of the agent bears on the whole run, as the first exchanges showed.
    pub(crate) fn conditions(&self) -> Vec<Condition> {
        self.conditions.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Lets fixtures be made anew that could not be made: what kept them from it is over.
    fn forget_what_was_missed(&self) {
        self.fixtures.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.missed.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.lasting.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Whether it was asked, and no answer has come: not so much as a head, or one that goes on for ever.
    pub fn heard_nothing(&self) -> bool {
        let answers = self.record.answers(&self.connection);
        let is_nothing = |answer: &Answer| {
            let is_lost = answer.exchange.response.is_none() && matches!(answer.exchange.ended, Ended::Failed(_));
            is_lost || answer.is_silence()
        };
        !answers.is_empty() && answers.iter().all(is_nothing)
    }

    /// How well the agent understands the form in which it is spoken to.
    pub(crate) async fn understands(&self) -> Understanding {
        let Ok(result) = control::sends(self).await else { return Understanding::Nothing };
        let Some(id) = task_in(&result).and_then(|task| task.get("id")).cloned() else {
            return Understanding::Messages;
        };
        // An agent that takes more than one form answers a question without a body in its own. The spelling of a state
        // tells them apart, whatever else may be wrong with the task.
        let read = self.call(Operation::GetTask, serde_json::json!({ "id": id }), "which form is it?").await;
        let is_ours = |payload: &&Payload| {
            let state = payload.document.at(&format!("{}/status/state", payload.base)).map(|node| node.to_value());
            state.is_some_and(|state| self.connection.interface.dialect.violations("TaskState", &state).is_empty())
        };
        match read {
            Ok(answer) if answer.payloads().first().is_some_and(is_ours) => Understanding::Everything,
            _ => Understanding::Messages,
        }
    }

    /// Why an answer of this agent proves nothing, if it proves nothing.
    pub fn constant(&self) -> Option<&Reason> {
        self.control.get().and_then(|control| control.constant.as_ref())
    }

    /// Why an answer to a message shows nothing of that message: a plain one, or one without a context, was answered by the same error.
    pub(crate) fn refuses_each_message_so(&self, answer: &Answer) -> Option<Reason> {
        let request = &answer.exchange.request;
        let of_none = || self.control.get()?.refusal.as_ref();
        let names_one = || {
            let body = String::from_utf8_lossy(&request.body);
            CONTEXTS.iter().any(|member| body.contains(member))
        };
        let refusal = self.without_context.get().filter(|_| !names_one()).or_else(of_none)?;
        let code = |answer: &Answer| answer.refusal().map(|error| error.code);
        let is_same = code(answer).is_some() && code(answer) == code(refusal);
        let sends = request.operation.is_some_and(Operation::sends_a_message);
        (sends && is_same).then(|| Reason::AcceptsNoMessage { received: judge::describe(refusal) })
    }

    /// Whether each message that begins a conversation names a context from now on.
    pub(crate) fn gives_contexts(&self, gives: bool) {
        self.contexts.store(gives, Ordering::Relaxed);
    }

    /// Why a refusal of an operation proves nothing, for those that were not seen to refuse what they must.
    pub(crate) fn undiscerning(&self, operation: Operation) -> Option<&Reason> {
        self.control.get().and_then(|control| control.undiscerning.get(&operation))
    }

    /// The id that is expected where a case asks with this one: the agent may be asked with strings alone.
    pub(crate) fn asks_with(&self, id: Value, case: &str) -> Value {
        match self.to_a_number.get().is_some() && !case.starts_with(ABOUT_IDS) {
            true => string_ids::of(id),
            false => id,
        }
    }

    /// Whether an answer is only the one that the agent has for every request whose id is a number.
    pub(crate) fn is_for_a_number(&self, answer: &Answer) -> bool {
        let has_number = |body: &Value| body.get("id").is_some_and(Value::is_number);
        self.to_a_number.get().is_some_and(|known| {
            let body = serde_json::from_slice::<Value>(&answer.exchange.request.body);
            body.is_ok_and(|body| has_number(&body)) && answer.says_the_same_as(known)
        })
    }

    /// Whether it answers every request alike.
    pub(crate) fn answers_alike(&self) -> bool {
        self.control.get().is_some_and(|control| control.alike.is_some())
    }

    /// What the interface said of its operations so far.
    pub(crate) fn service(&self) -> Service {
        self.service.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes that it denies an operation, or calls it unsupported, where it may not: whether it may only who asked knows.
    pub(crate) fn note_denial(&self, answer: &Answer) {
        let lacks = &self.connection.interface.lacks;
        let operation = answer.exchange.request.operation.filter(|operation| !lacks.contains(operation));
        let Some(operation) = operation else { return };
        let number = answer.exchange.number;
        let mut service = self.service.lock().unwrap_or_else(PoisonError::into_inner);
        let of = if judge::says_unsupported(answer) { &mut service.unsupported } else { &mut service.denied };
        let first = of.entry(operation).or_insert(number);
        *first = number.min(*first);
    }

    /// Cancels the tasks that the run started and left running.
    pub async fn tidy_up(&self) {
        let running = std::mem::take(&mut *self.running.lock().unwrap_or_else(PoisonError::into_inner));
        let cancels = running.into_iter().map(|id| async move {
            let params = serde_json::json!({ "id": id });
            let _ = self.call(Operation::CancelTask, params, "tidying up").await;
        });
        futures_util::future::join_all(cancels).await;
        self.held.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// By what signatures of cards are verified.
    pub fn trust(&self) -> &Trust {
        &self.options.trust
    }

    /// An id that no task has, in the form of the agent's own.
    pub(crate) fn unknown_id(&self) -> String {
        unknown::beside(self.record.some_id().as_deref())
    }
}

/// What the cases are called that are about ids: their requests are left as they are.
const ABOUT_IDS: &str = "jsonrpc/id-";
/// What the context of a message is called over the wire, by version.
const CONTEXTS: [&str; 2] = ["\"contextId\"", "\"sessionId\""];
