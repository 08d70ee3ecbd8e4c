//! One interface as the fuzzer knows it: how to speak over it, what it serves, and what is there to be asked for.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use serde_json::{Value, json};

use super::base::{Base, Bases};
use super::class::{self, Class, Classes};
use super::feedback::Feedback;
use super::health::{self, Health, Question};
use super::inbox::Inbox;
use super::learned::Learned;
use super::other::Other;
use super::pool::Pool;
use super::probe::call;
use super::request;
use super::usual::Usual;
use super::webhooks;
use crate::auth::Caller;
use crate::binding::CallRequest;
use crate::case::{Fixture, Goal, Library, References, Trigger, resolve};
use crate::generate::Values;
use crate::judge::items;
use crate::plan::Trial;
use crate::profile::{Operation, Type};
use crate::session::{Session, message, unknown};
use crate::transcript::{ErrorObject, task_in};
use crate::transport::unique;
use crate::verdict::Level;

/// What a hunt asks of every answer, whatever the plan: an agent that is asked odd things shows its inside.
const LEAKS: &str = "stack-traces";

/// An interface that is fuzzed.
pub(super) struct Aim {
    /// The agent over it.
    pub session: Arc<Session>,
    /// Its place in the list of the agent's interfaces.
    pub index: usize,
    /// The second identity over it, which has no right to what the first one has.
    pub other: Other,
    /// The cases that judge everything that is seen over it, where what they judge is demanded or recommended.
    pub observers: Vec<Arc<Trial>>,
    /// The operations that it has.
    pub operations: Vec<Operation>,
    /// The error by which it refuses a right request of an operation, where it does.
    refused: BTreeMap<Operation, String>,
    /// What the agent takes for work that it can finish at once.
    pub word: String,
    /// Right requests, to be changed.
    bases: Bases,
    /// Whole ones, made from the schemas.
    values: OnceLock<Values>,
    /// What may be put into them that others have said.
    pub pool: Pool,
    known: RwLock<Arc<Known>>,
    /// Whether a plain question was answered as it should be when the interface was met.
    is_sound: bool,
    /// The cases on which classes rest, as far as the version has them over this interface.
    grounds: BTreeSet<String>,
    /// How quickly it answers.
    pub usual: Usual,
    /// What it has said.
    pub learned: Learned,
    /// The requests that made it answer otherwise.
    pub feedback: Feedback,
    /// What it posts to webhooks.
    pub inbox: Inbox,
}

/// What references stand for.
pub(super) struct Known {
    done: Option<Arc<Value>>,
    unknown: String,
}

impl Known {
    /// Makes what there is to be asked for over an interface.
    async fn make(session: &Session) -> Self {
        let wanted = Fixture { task: Goal::Completed, trigger: Trigger::Complete, fresh: true, count: 1 };
        let done = session.fixture(&wanted, true).await.ok();
        let unknown = unknown::beside(done.as_ref().and_then(|task| task.get("id")?.as_str()));
        Self { done, unknown }
    }

    /// Whether there is a task that has ended.
    pub fn has_task(&self) -> bool {
        self.done.is_some()
    }
}

impl References for Known {
    fn value(&self, name: &str) -> Option<Cow<'_, Value>> {
        match name {
            "done" => self.done.as_deref().map(Cow::Borrowed),
            "unique" => Some(Cow::Owned(json!(unique()))),
            "unknown-id" => Some(Cow::Owned(json!(self.unknown))),
            _ => None,
        }
    }
}

/// The interface over which a step is made: another than that of its attempt, where it says so.
pub(super) fn side<'a>(aims: &'a [Aim], aim: &'a Aim, over: Option<usize>) -> &'a Aim {
    over.and_then(|index| aims.iter().find(|other| other.index == index)).unwrap_or(aim)
}

impl Aim {
    /// Gets to know an interface: a finished task is made, and each operation is called once.
    pub async fn meet(
        session: Arc<Session>,
        index: usize,
        trials: &[Arc<Trial>],
        (library, classes): (&Library, &Classes),
    ) -> Self {
        session.probe().await;
        let made = Known::make(&session).await;
        let mut pool = Pool::of_cases(library, session.profile().name());
        made.done.iter().for_each(|task| pool.hear(task));
        // Whatever it said while it was met.
        for answer in session.record.answers(&session.connection).iter() {
            let said = answer.result();
            said.and_then(task_in)
                .into_iter()
                .chain(said.into_iter().flat_map(|page| items(page, "tasks")))
                .for_each(|task| pool.hear(task));
        }
        let other = Other::meet(&session, index, trials, &made).await;
        let known = RwLock::new(Arc::new(made));
        let word = session.options.words.say(Trigger::Complete).text;
        let is_own = |trial: &&Arc<Trial>| {
            let sees_answers = !trial.judges_by("operations-served") && !trial.judges_by("answered");
            trial.interface == index
                && trial.observes()
                && trial.skipped.is_none()
                && trial.level < Level::May
                && !trial.judges_by(LEAKS)
                && sees_answers
        };
        let observers = trials.iter().filter(is_own).cloned().collect();
        let interface = &session.connection.interface;
        let mut grounds = classes.grounds(library, interface.profile.name(), interface.binding);
        grounds.extend(class::grounds(library, interface.profile.name(), interface.binding, webhooks::LIKE));
        let inbox = Inbox::of(&session, index, trials);
        let (operations, refused) = (Vec::new(), BTreeMap::new());
        let bases = Bases::new();
        let mut aim = Self {
            session,
            index,
            other,
            observers,
            operations,
            refused,
            word,
            bases,
            values: OnceLock::new(),
            pool,
            known,
            is_sound: true,
            grounds,
            usual: Usual::default(),
            learned: Learned::default(),
            feedback: Feedback::default(),
            inbox,
        };
        (aim.operations, aim.refused) = aim.served().await;
        aim.is_sound = matches!(health::ask(&aim, Question::Read).await, Health::Well);
        aim
    }

    /// The operations of the version that the interface does not deny, and the errors by which it refuses right requests.
    async fn served(&self) -> (Vec<Operation>, BTreeMap<Operation, String>) {
        let interface = &self.session.connection.interface;
        let (mut served, mut refused) = (Vec::new(), BTreeMap::new());
        for operation in Operation::ALL {
            if !interface.profile.offers(operation, interface.binding) {
                continue;
            }
            // The task that is there shows it, or another is not worth a message.
            if operation.sends_a_message() {
                served.push(operation);
                continue;
            }
            let params = self.fill(&request::least(&interface.profile, &interface.dialect, operation, &self.word));
            let Some(params) = params else { continue };
            if let Ok(answer) = self.session.call(operation, params, "what is there to be fuzzed?").await
                && !crate::judge::denies(&interface.profile, &answer)
            {
                // One that has no answer to a right request is what a hunt looks for.
                served.push(operation);
                if let Some(error) = answer.refusal().and_then(ErrorObject::name) {
                    refused.insert(operation, error.to_owned());
                }
            }
        }
        (served, refused)
    }

    /// The session in whose name a step is made.
    pub fn speaker(&self, by: Caller) -> &Session {
        self.other.session().filter(|_| by == Caller::Other).unwrap_or(&self.session)
    }

    /// The error by which a right request of an operation is refused, such as one for what the agent does not have: no text says
    /// that what is wrong with a request is looked at before that.
    pub fn refuses(&self, operation: Operation) -> Option<&str> {
        self.refused.get(&operation).map(String::as_str)
    }

    /// Whether what comes of a class is demanded in this version, over this interface; what rests on nothing is only to be
    /// answered somehow.
    pub fn rests(&self, class: &Class, operation: Operation, place: &str) -> bool {
        !class.has_models() || class.like(operation, place).is_some_and(|like| self.grounds.contains(like))
    }

    /// Whether a task of the version may have several webhooks, each under an id: a version of which nobody can ask by an id has one.
    pub fn has_webhook_ids(&self) -> bool {
        let dialect = &self.session.connection.interface.dialect;
        let kind = self.params(Operation::GetTaskPushNotificationConfig);
        kind.is_some_and(|kind| {
            dialect.tells_of(kind, "/id") && dialect.without_place(kind, &json!({ "id": "a" })).is_none()
        })
    }

    /// The first of these cases that the version has over this interface.
    pub fn ground(&self, cases: &[&'static str]) -> Option<&'static str> {
        cases.iter().copied().find(|case| self.grounds.contains(*case))
    }

    /// What references stand for, before anything was said.
    pub fn known(&self) -> Arc<Known> {
        Arc::clone(&self.known.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Makes anew what there is to be asked for: the agent has forgotten it.
    pub async fn remake(&self) {
        let known = Arc::new(Known::make(&self.session).await);
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = known;
    }

    /// Whether a failure to answer a plain question says something: some agents never do.
    pub fn is_sound(&self) -> bool {
        self.is_sound
    }

    /// A right request of an operation; with all that a client may add, where it is rich.
    pub fn base(&self, operation: Operation, is_rich: bool) -> Option<&Base> {
        self.bases.of(self, operation, is_rich)
    }

    /// Values of the version, as the interface has them on the wire.
    pub fn values(&self) -> &Values {
        self.values.get_or_init(|| Values::new(Arc::clone(&self.session.connection.interface.dialect.schemas)))
    }

    /// A value with its references filled in; nothing where the agent gave no value for one.
    pub fn fill(&self, value: &Value) -> Option<Value> {
        resolve(value, &*self.known()).ok()
    }

    /// A call over the interface, for its tenant, with whatever a client must say beside.
    pub fn call(&self, operation: Operation, mut params: Value) -> CallRequest {
        self.session.connection.interface.name_tenant(&mut params);
        message::name_task(self.session.profile(), operation, &mut params);
        call(operation, params)
    }

    /// The canonical type of an operation's parameters.
    pub fn params(&self, operation: Operation) -> Option<&str> {
        self.session.profile().operation(operation)?.params.as_deref()
    }

    /// That type, to be walked.
    pub fn type_of(&self, operation: Operation) -> Option<Type<'_>> {
        Some(Type::Named(&self.session.connection.interface.dialect, self.params(operation)?))
    }

    /// Adds a member to a request of an operation, where the version has a place for it and it makes nothing wrong.
    pub fn add(&self, operation: Operation, request: &mut Value, member: (&str, Value)) {
        if let Some(kind) = self.params(operation) {
            request::add(request, &self.session.connection.interface.dialect, kind, member);
        }
    }

    /// Has a message answered at once, or when its work is done.
    pub fn answer_at_once(&self, message: &mut Value, is_at_once: bool) {
        request::put(message, "/configuration", json!({}));
        self.add(Operation::SendMessage, message, ("/configuration/returnImmediately", json!(is_at_once)));
    }

    /// What cannot be tried over it, and why.
    pub fn lacks(&self) -> Option<String> {
        if let Some(reason) = self.session.gone() {
            return Some(format!("{}: {reason}", self.name()));
        }
        (!self.known().has_task()).then(|| {
            format!(
                "{}: requests about a task, since the agent finished none: set triggers.complete in a2aspec.toml",
                self.name()
            )
        })
    }

    /// Why nobody else asks for what is made over it, where the version keeps callers apart.
    pub fn lacks_another_caller(&self) -> Option<String> {
        match &self.other {
            Other::Missing(reason) => Some(reason.to_string()),
            Other::There { .. } | Other::None => None,
        }
    }

    /// What it is, for people.
    pub fn name(&self) -> String {
        let interface = &self.session.connection.interface;
        format!("{} {}", interface.profile.name(), interface.binding)
    }
}
