//! One interface as the fuzzer knows it: how to speak over it, what it serves, and what is there to be asked for.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::FutureExt as _;
use serde_json::{Value, json};

use super::class::{Class, Classes};
use super::request;
use crate::binding::CallRequest;
use crate::case::{Fixture, Goal, Library, References, Trigger, resolve};
use crate::plan::Trial;
use crate::profile::{Operation, Type};
use crate::session::{Session, message, unknown};
use crate::verdict::Level;

/// An interface that is fuzzed.
pub(super) struct Aim {
    /// The agent over it.
    pub session: Arc<Session>,
    /// Its place in the list of the agent's interfaces.
    pub index: usize,
    /// The cases that judge everything that is seen over it, where what they judge is demanded or recommended.
    pub observers: Vec<Arc<Trial>>,
    /// The operations that it has.
    pub operations: Vec<Operation>,
    /// What the agent takes for work that it can finish at once.
    pub word: String,
    known: Known,
    /// The cases on which classes rest, as far as the version has them over this interface.
    grounds: BTreeSet<String>,
}

/// What references stand for.
struct Known {
    done: Option<Arc<Value>>,
    unknown: String,
}

impl References for Known {
    fn value(&self, name: &str) -> Option<Cow<'_, Value>> {
        match name {
            "done" => self.done.as_deref().map(Cow::Borrowed),
            "unique" => Some(Cow::Owned(json!(message::unique()))),
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
        observers: &[Arc<Trial>],
        (library, classes): (&Library, &Classes),
    ) -> Self {
        session.probe().await;
        let wanted = Fixture { task: Goal::Completed, trigger: Trigger::Complete, fresh: true, count: 1 };
        let done = session.fixture(&wanted, true).await.ok();
        let example = done.as_ref().and_then(|task| task.get("id")?.as_str()).map(unknown::unlike);
        let known = Known { done, unknown: example.unwrap_or_else(|| unknown::WITHOUT_EXAMPLE.to_owned()) };
        let word = session.options.words.say(Trigger::Complete).text;
        let is_own = |trial: &&Arc<Trial>| {
            let sees_answers = !trial.judges_by("operations-served") && !trial.judges_by("answered");
            trial.interface == index
                && trial.observes()
                && trial.skipped.is_none()
                && trial.level < Level::May
                && sees_answers
        };
        let observers = observers.iter().filter(is_own).cloned().collect();
        let interface = &session.connection.interface;
        let grounds = classes.grounds(library, interface.profile.name(), interface.binding);
        let mut aim = Self { session, index, observers, operations: Vec::new(), word, known, grounds };
        aim.operations = aim.served().await;
        aim
    }

    /// The operations of the version that the interface does not deny.
    async fn served(&self) -> Vec<Operation> {
        let interface = &self.session.connection.interface;
        let mut served = Vec::new();
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
                && answer.exchange.response.is_some()
            {
                served.push(operation);
            }
        }
        served
    }

    /// Whether what comes of a class is demanded in this version, over this interface; what rests on nothing is only to be
    /// answered somehow.
    pub fn rests(&self, class: &Class, operation: Operation, place: &str) -> bool {
        !class.has_models() || class.like(operation, place).is_some_and(|like| self.grounds.contains(like))
    }

    /// What references stand for, before anything was said.
    pub fn known(&self) -> &dyn References {
        &self.known
    }

    /// A value with its references filled in; nothing where the agent gave no value for one.
    pub fn fill(&self, value: &Value) -> Option<Value> {
        resolve(value, &self.known).ok()
    }

    /// The canonical type of an operation's parameters.
    pub fn params(&self, operation: Operation) -> Option<&str> {
        self.session.profile().operation(operation)?.params.as_deref()
    }

    /// That type, to be walked.
    pub fn type_of(&self, operation: Operation) -> Option<Type<'_>> {
        Some(Type::Named(&self.session.connection.interface.dialect, self.params(operation)?))
    }

    /// Whether a plain question is answered, whatever the answer.
    ///
    /// # Errors
    /// How it was not.
    pub async fn is_alive(&self) -> Result<(), String> {
        let params = json!({ "id": self.known.unknown });
        let call = CallRequest {
            operation: Operation::GetTask,
            params,
            rpc_id: None,
            headers: Vec::new(),
            purpose: "is the agent still there?".to_owned(),
        };
        let answer = self.session.connection.call(&call).boxed().await;
        match answer.exchange.response {
            Some(_) => Ok(()),
            None => Err(answer.exchange.ended.to_string()),
        }
    }

    /// What cannot be tried over it, and why.
    pub fn lacks(&self) -> Option<String> {
        if let Some(reason) = self.session.gone() {
            return Some(format!("{}: {reason}", self.name()));
        }
        self.known.done.is_none().then(|| {
            format!(
                "{}: requests about a task, since the agent finished none: set triggers.complete in a2aspec.toml",
                self.name()
            )
        })
    }

    /// What it is, for people.
    pub fn name(&self) -> String {
        let interface = &self.session.connection.interface;
        format!("{} {}", interface.profile.name(), interface.binding)
    }
}
