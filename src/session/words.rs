//! Other words for a trigger, where its own do not do.
//!
//! A trigger that does not do keeps many cases from their state. So when a case was kept from it, the suite tries what the
//! card says that one can send, and then a few words that samples and kits know. A message may cost money: each candidate is
//! sent once in a run, over whichever interface missed a state first, and what it shows is remembered for every trigger.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::fixture::{FIRST_POLL, Patience};
use super::{Session, StepError, message};
use crate::case::{Case, Fixture, Goal, Trigger};
use crate::discovery::triggers::{Say, Source, Triggers};
use crate::event::OtherWords;
use crate::profile::Operation;
use crate::reason::Reason;
use crate::transcript::{Answer, Ended, task_in};

/// Of the messages that a user allows, one in so many may go into the search.
const SHARE: u64 = 10;
/// After so many candidates that all brought a direct message, the agent is taken for one that has no tasks.
const ENOUGH_MESSAGES: usize = 6;
/// What works so long is slow: cases look at such tasks, cancel them and subscribe to them while they work.
const SLOW: Duration = Duration::from_secs(1);

/// What to send for each trigger, as far as the run has found out. The interfaces of an agent share it.
#[derive(Debug)]
pub struct Words {
    triggers: Triggers,
    /// The most candidates that may be sent. Without a limit of the user's, there are few enough: what a trigger's own words
    /// bring, the examples of the card, and two more words.
    most: Option<usize>,
    known: Mutex<BTreeMap<Trigger, Known>>,
    /// Held while a word is looked for, so that nothing is tried twice.
    tried: tokio::sync::Mutex<Tried>,
    bring_no_tasks: AtomicBool,
}

/// What is known of a trigger.
#[derive(Debug, Clone)]
enum Known {
    /// Its own words do.
    Does,
    /// These do.
    Other(Source, Say),
    /// None that were tried do.
    Nothing,
}

/// What was tried.
#[derive(Debug, Default)]
struct Tried {
    said: Vec<(Source, Say, BTreeSet<Trigger>)>,
    /// Whether trying more is of no use.
    is_over: bool,
}

impl Tried {
    /// Whether so much was tried, and all of it brought a direct message, that the agent is taken for one without tasks.
    fn has_shown_no_task(&self) -> bool {
        let only_messages = BTreeSet::from([Trigger::Message]);
        self.said.len() >= ENOUGH_MESSAGES && self.said.iter().all(|(.., shown)| *shown == only_messages)
    }

    fn shown(&self, say: &Say) -> Option<&BTreeSet<Trigger>> {
        self.said.iter().find(|(_, known, _)| known == say).map(|(.., shown)| shown)
    }
}

impl Words {
    /// The triggers of a run that may send so many messages.
    pub fn new(triggers: Triggers, max_messages: Option<u64>) -> Self {
        let most = max_messages.and_then(|most| usize::try_from(most / SHARE).ok());
        Self {
            triggers,
            most,
            known: Mutex::default(),
            tried: tokio::sync::Mutex::default(),
            bring_no_tasks: AtomicBool::default(),
        }
    }

    /// The trigger of a case of which the settings say that nothing does it, if there is one.
    pub(crate) fn never(&self, case: &Case) -> Option<Trigger> {
        case.triggers().into_iter().find(|trigger| self.triggers.is_never(*trigger))
    }

    /// Whether so many words were tried, and all of them brought a direct message, that the agent is taken for one without tasks.
    pub(crate) fn bring_no_tasks(&self) -> bool {
        self.bring_no_tasks.load(Ordering::Relaxed)
    }

    /// What to send for a trigger.
    pub fn say(&self, trigger: Trigger) -> Say {
        match self.known().get(&trigger) {
            Some(Known::Other(_, say)) => say.clone(),
            _ => self.triggers.say(trigger),
        }
    }

    /// Whether other words than its own are sent for a trigger.
    pub(crate) fn is_replaced(&self, trigger: Trigger) -> bool {
        matches!(self.known().get(&trigger), Some(Known::Other(..)))
    }

    /// The triggers of which it is known whether they do, and what does in the place of those that do not.
    pub fn found(&self) -> Vec<OtherWords> {
        let known = self.known();
        let told = known.iter().map(|(trigger, known)| {
            let (say, is_example) = match known {
                Known::Other(source, say) => (Some(say.clone()), *source == Source::Example),
                Known::Does | Known::Nothing => (None, false),
            };
            let (text, message_id_prefix) = say.map(|say| (say.text, say.message_id_prefix)).unzip();
            OtherWords {
                trigger: trigger.to_string(),
                does: matches!(known, Known::Does),
                text,
                message_id_prefix: message_id_prefix.flatten(),
                is_example,
            }
        });
        told.collect()
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<Trigger, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    /// Notes that a trigger brought the state that is its own. A task that is shown at work may be done with it at once.
    pub(super) fn note_reached(&self, fixture: &Fixture) {
        if fixture.trigger == fixture.task.trigger() && !matches!(fixture.task, Goal::Working | Goal::Canceled) {
            self.options.words.known().entry(fixture.trigger).or_insert(Known::Does);
        }
    }

    /// Whether the agent makes no tasks, as it may (A2A 1.0, section 3.1.1): it answered the first message with a message, and does
    /// so whatever words are tried, and its streams, where it has some, are about no task.
    pub(super) async fn makes_no_tasks(&self) -> bool {
        let words = &self.options.words;
        let brings_message = |answer: &Answer| {
            answer.exchange.request.operation == Some(Operation::SendMessage)
                && answer.result().is_some_and(|result| result.get("message").is_some())
        };
        let shows_no_task = || self.record.some_id().is_none();
        let is_likely = self.record.answers(&self.connection).iter().any(brings_message) && shows_no_task();
        if !is_likely || self.constant().is_some() {
            return false;
        }
        for trigger in Trigger::ALL.into_iter().filter(|trigger| *trigger != Trigger::Message) {
            if words.bring_no_tasks() || !shows_no_task() {
                break;
            }
            self.find_words(trigger, false).await;
        }
        if words.bring_no_tasks() && shows_no_task() {
            // An agent may make tasks for streams alone.
            let _ = super::control::streams(self).await;
        }
        words.bring_no_tasks() && shows_no_task()
    }

    /// Whether a case needs a task which the agent, as it may, does not make.
    pub(crate) fn lacks_tasks_for(&self, reason: &Reason) -> bool {
        let wants_message = reason.trigger() == Some(Trigger::Message.name());
        let is_about_state = reason.may_be_for_the_words() || matches!(reason, Reason::TriggerUnanswered { .. });
        is_about_state && !wants_message && self.options.words.bring_no_tasks()
    }

    /// Looks for words that do what a trigger should, unless it is known what does. `missed`: its own words were seen to bring
    /// something else, so that they need not be tried again.
    pub async fn find_words(&self, trigger: Trigger, missed: bool) {
        let words = &self.options.words;
        let mut tried = words.tried.lock().await;
        if tried.is_over || words.known().contains_key(&trigger) || self.constant().is_some() {
            return;
        }
        if words.triggers.is_never(trigger) {
            return;
        }
        let own = words.triggers.say(trigger);
        if !missed && self.shows(&mut tried, Source::Known, own, trigger).await {
            words.known().insert(trigger, Known::Does);
            return;
        }
        for (source, say) in words.triggers.others(trigger) {
            if tried.is_over {
                return;
            }
            if self.shows(&mut tried, source, say.clone(), trigger).await {
                words.known().insert(trigger, Known::Other(source, say));
                return;
            }
        }
        // What was tried for another may do as well.
        let found = tried.said.iter().find(|(.., shown)| shown.contains(&trigger));
        let known = found.map_or(Known::Nothing, |(source, say, _)| Known::Other(*source, say.clone()));
        words.known().insert(trigger, known);
    }

    /// Whether these words do what a trigger should; they are sent unless they were before.
    async fn shows(&self, tried: &mut Tried, source: Source, say: Say, trigger: Trigger) -> bool {
        if let Some(shown) = tried.shown(&say) {
            return shown.contains(&trigger);
        }
        let sent = tried.said.len();
        let is_enough = self.options.words.most.is_some_and(|most| sent >= most);
        if tried.is_over || is_enough || tried.has_shown_no_task() {
            tried.is_over = true;
            return false;
        }
        match self.try_words(&say).await {
            Ok(shown) => {
                let is_shown = shown.contains(&trigger);
                tried.said.push((source, say, shown));
                self.options.words.bring_no_tasks.store(tried.has_shown_no_task(), Ordering::Relaxed);
                is_shown
            }
            // Against silence, and without messages that may be sent, no words help.
            Err(_) => {
                tried.is_over = true;
                false
            }
        }
    }

    /// Sends words, and looks at what comes of them until it has come to rest.
    async fn try_words(&self, say: &Say) -> Result<BTreeSet<Trigger>, StepError> {
        const PURPOSE: &str = "what do other words bring?";
        let mut params = message::params(say);
        message::merge(&mut params, &json!({ "configuration": { "returnImmediately": true } }));
        let began = Instant::now();
        let answer = self.call(Operation::SendMessage, params, PURPOSE).await?;
        if !matches!(answer.exchange.ended, Ended::Complete) {
            return Err(StepError::mistake("no words help against silence"));
        }
        let result = answer.result();
        if result.is_some_and(|result| result.get("message").is_some()) {
            return Ok(BTreeSet::from([Trigger::Message]));
        }
        let Some(mut task) = result.and_then(task_in).cloned() else { return Ok(BTreeSet::new()) };
        let mut patience = Patience(FIRST_POLL);
        while self.is_running(&task) && began.elapsed() < self.http.timeout() {
            patience.wait().await;
            let params = json!({ "id": task.get("id").cloned().unwrap_or_default() });
            match self.call(Operation::GetTask, params, PURPOSE).await?.result().and_then(task_in) {
                Some(read) => task = read.clone(),
                None => break,
            }
        }
        if self.is_running(&task) {
            self.will_tidy_up(&task);
        }
        Ok(behaviours(&task, began.elapsed() >= SLOW))
    }
}

/// The triggers that words do for, by what their task has come to.
fn behaviours(task: &Value, is_slow: bool) -> BTreeSet<Trigger> {
    let state = task.pointer("/status/state").and_then(Value::as_str);
    let goals = [Goal::Completed, Goal::InputRequired, Goal::AuthRequired, Goal::Failed, Goal::Rejected];
    let goal = goals.into_iter().find(|goal| goal.state() == state);
    let mut shown: BTreeSet<Trigger> = goal.map(Goal::trigger).into_iter().collect();
    let may_go_on = matches!(state, Some("TASK_STATE_SUBMITTED" | "TASK_STATE_WORKING" | "TASK_STATE_COMPLETED"));
    if is_slow && may_go_on {
        shown.insert(Trigger::Slow);
    }
    if goal == Some(Goal::Completed) {
        let artifacts = task.get("artifacts").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let parts = |artifact: &Value| artifact.get("parts").and_then(Value::as_array).cloned().unwrap_or_default();
        for parts in artifacts.iter().map(parts) {
            let with = |members: &[&str]| {
                parts.iter().filter(|part| members.iter().any(|member| part.get(*member).is_some())).count()
            };
            // A text that came in pieces is kept in pieces.
            let seen = [
                (Trigger::File, with(&["raw", "url"]) > 0),
                (Trigger::Data, with(&["data"]) > 0),
                (Trigger::Chunks, with(&["text"]) > 1),
            ];
            shown.extend(seen.into_iter().filter(|(_, is_seen)| *is_seen).map(|(trigger, _)| trigger));
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(state: &str, parts: &Value, is_slow: bool) -> Vec<Trigger> {
        let task = json!({ "id": "t", "status": { "state": state }, "artifacts": [{ "parts": parts }] });
        behaviours(&task, is_slow).into_iter().collect()
    }

    #[test]
    fn a_task_shows_all_that_its_words_do() {
        let (done, text) = ("TASK_STATE_COMPLETED", json!({ "text": "a" }));
        assert_eq!(of(done, &json!([text]), false), [Trigger::Complete]);
        assert_eq!(of(done, &json!([text, text]), true), [Trigger::Complete, Trigger::Slow, Trigger::Chunks]);
        assert_eq!(
            of(done, &json!([{ "raw": "" }, { "data": 1 }]), false),
            [Trigger::Complete, Trigger::File, Trigger::Data]
        );
        assert_eq!(of("TASK_STATE_WORKING", &json!([]), true), [Trigger::Slow]);
        assert_eq!(of("TASK_STATE_WORKING", &json!([]), false), []);
        assert_eq!(of("TASK_STATE_INPUT_REQUIRED", &json!([text, text]), true), [Trigger::InputRequired]);
        assert_eq!(of("TASK_STATE_REJECTED", &json!([]), false), [Trigger::Reject]);
        assert_eq!(of("TASK_STATE_CANCELED", &json!([]), true), []);
        assert_eq!(behaviours(&json!({}), true), BTreeSet::new());
    }
}
