//! Brings the agent into the states that cases need.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::message;
use super::pooled::Pooled;
use super::words::Words;
use super::{Session, StepError};
use crate::binding::CallRequest;
use crate::case::{Case, Fixture, Goal, Trigger, Until};
use crate::judge::{Polled, describe};
use crate::profile::Operation;
use crate::reason::Reason;
use crate::transcript::{Answer, Ended, StreamEvent, task_in};

/// How soon a task is looked at again while the suite waits for its state: at once for an agent that is fast, ever
/// more seldom for one that is not, so that what it does is seen late by no more than a quarter of the time that it took.
pub(super) const FIRST_POLL: Duration = Duration::from_millis(25);
const LAST_POLL: Duration = Duration::from_millis(400);

/// After so many attempts in a row that failed a fixture is not tried again.
const MOST_MISSED: usize = 3;
/// After so many tasks in a row that did not get on while the suite waited it does not wait any more.
const MOST_STUCK: usize = 3;

/// How much longer a case looks whether a task settles that may never do so than the longest wait for one that did has taken.
const SETTLES: Duration = Duration::from_secs(2);

/// Waits before a task is looked at again, each time longer.
pub(super) struct Patience(pub Duration);

impl Patience {
    pub async fn wait(&mut self) {
        tokio::time::sleep(self.0).await;
        self.0 = (self.0 * 5 / 4).min(LAST_POLL);
    }
}

/// What makes two shared fixtures the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Wanted {
    goal: Goal,
    trigger: Trigger,
    /// Whether it is made by other words than the trigger's own.
    is_replaced: bool,
    /// Whether it is for cases that send wrong requests: what these do to a task, the others must not see.
    for_wrong_requests: bool,
    count: usize,
}

impl Wanted {
    fn of(fixture: &Fixture, for_wrong_requests: bool, words: &Words) -> Self {
        let is_replaced = words.is_replaced(fixture.trigger);
        Self { goal: fixture.task, trigger: fixture.trigger, is_replaced, for_wrong_requests, count: fixture.count }
    }
}

impl Session {
    /// A task in the wanted state, or several; unless the fixture is to be fresh, it is shared with other cases, but only
    /// with such as send wrong requests, too, or as send none.
    pub async fn fixture(&self, fixture: &Fixture, for_wrong_requests: bool) -> Result<Arc<Value>, StepError> {
        // A working task will not stay so: it is always made anew.
        if fixture.fresh || fixture.task == Goal::Working {
            return self.make(fixture).await;
        }
        let wanted = Wanted::of(fixture, for_wrong_requests, &self.options.words);
        let cell = {
            let mut fixtures = self.fixtures.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(fixtures.entry(wanted).or_default())
        };
        let mut own = None;
        let kept = cell
            .get_or_init(|| async {
                let task = own.insert(self.make(fixture).await?);
                Ok(Pooled::new(task))
            })
            .await;
        match kept.as_ref().map(Pooled::get).map_err(StepError::clone) {
            // What the trigger could not bring about, the run may have seen by chance.
            Err(error) if fixture.count == 1 && fixture.trigger == fixture.task.trigger() => {
                // Only a terminal state is sure to last: what waited for its client may have been answered since.
                let lasting = fixture.task.state().filter(|state| self.profile().is_terminal(state));
                let seen = lasting.and_then(|state| self.record.task_in_state(state));
                seen.ok_or(error)
            }
            made => made,
        }
    }

    /// Makes a fixture, unless it is known that it cannot be made: each attempt costs a message, and may cost a time limit.
    async fn make(&self, fixture: &Fixture) -> Result<Arc<Value>, StepError> {
        let wanted = Wanted::of(fixture, false, &self.options.words);
        let missed = self.missed.lock().unwrap_or_else(PoisonError::into_inner).get(&wanted).cloned();
        if let Some((MOST_MISSED.., error)) = missed {
            return Err(error);
        }
        let made = self.try_to_make(fixture).await.map(Arc::new);
        let mut missed = self.missed.lock().unwrap_or_else(PoisonError::into_inner);
        match &made {
            Ok(_) => {
                missed.remove(&wanted);
                self.note_reached(fixture);
            }
            Err(error) => missed.entry(wanted).or_insert_with(|| (0, error.clone())).0 += 1,
        }
        made
    }

    async fn try_to_make(&self, fixture: &Fixture) -> Result<Value, StepError> {
        let first = self.make_one(fixture, None).await?;
        if fixture.count == 1 {
            return Ok(first);
        }
        let context = first.get("contextId").cloned();
        let mut tasks = vec![first];
        while tasks.len() < fixture.count {
            let task = self.make_one(fixture, context.as_ref()).await?;
            if task.get("contextId") != context.as_ref() {
                return Err(StepError::Unreached(Reason::NoSecondTask));
            }
            tasks.push(task);
        }
        Ok(Value::Array(tasks))
    }

    async fn make_one(&self, fixture: &Fixture, context: Option<&Value>) -> Result<Value, StepError> {
        let purpose = purpose(fixture.task);
        match fixture.task {
            Goal::Working => self.make_running(fixture, context, &purpose).await,
            Goal::Canceled => {
                let task = self.make_running(fixture, context, &purpose).await?;
                self.cancel(fixture, &task, &purpose).await
            }
            _ => {
                let mut answer = self.ask(fixture, context, false, &purpose).await?;
                if matches!(answer.exchange.ended, Ended::TimedOut(_)) {
                    // Whether an agent answers in the end is for the cases about waiting; the others need its task.
                    answer = self.ask(fixture, context, true, &purpose).await?;
                }
                let task = answer.result().and_then(task_in).cloned();
                let task = task.ok_or_else(|| self.off_with(fixture, &answer))?;
                self.await_goal(fixture, task, &purpose).await
            }
        }
    }

    /// Parameters that send a fixture's trigger, each time as a new message.
    fn params(&self, fixture: &Fixture, context: Option<&Value>) -> Value {
        let mut params = message::params(&self.options.words.say(fixture.trigger));
        if let Some(context) = context {
            message::merge(&mut params, &json!({ "message": { "contextId": context } }));
        }
        params
    }

    /// Sends a fixture's trigger, to be answered at once or when the task has come to rest.
    async fn ask(
        &self,
        fixture: &Fixture,
        context: Option<&Value>,
        at_once: bool,
        purpose: &str,
    ) -> Result<Answer, StepError> {
        let mut params = self.params(fixture, context);
        message::merge(&mut params, &json!({ "configuration": { "returnImmediately": at_once } }));
        self.call(Operation::SendMessage, params, purpose).await
    }

    /// A running task, whose work takes long: asked for by a send that returns at once, else by a stream that is held open.
    async fn make_running(
        &self,
        fixture: &Fixture,
        context: Option<&Value>,
        purpose: &str,
    ) -> Result<Value, StepError> {
        let answer = self.ask(fixture, context, true, purpose).await?;
        let task = answer.result().and_then(task_in).cloned();
        if let Some(task) = task.filter(|task| self.is_running(task)) {
            self.will_tidy_up(&task);
            self.takes_long(fixture, &task, purpose).await?;
            return Ok(task);
        }
        let call = CallRequest {
            operation: Operation::SendStreamingMessage,
            params: self.params(fixture, context).into(),
            rpc_id: None,
            headers: Vec::new(),
            purpose: purpose.to_owned(),
        };
        let mut stream = self.open(call, false).await?;
        let mut running = None;
        while let Some(event) = self.connection.next(&mut stream, None).await {
            running = event.value().and_then(task_of).filter(|task| self.is_running(task));
            if running.is_some() {
                break;
            }
        }
        match running {
            Some(task) => {
                self.held.lock().unwrap_or_else(PoisonError::into_inner).push(stream);
                self.will_tidy_up(&task);
                self.takes_long(fixture, &task, purpose).await?;
                Ok(task)
            }
            None => {
                let streamed = self.connection.finish(stream, false).await;
                self.note(&streamed);
                Err(self.off_with(fixture, &answer))
            }
        }
    }

    pub(super) fn is_running(&self, task: &Value) -> bool {
        let state = task.pointer("/status/state").and_then(Value::as_str);
        state.is_some_and(|state| self.profile().is_running(state))
    }

    pub(super) fn will_tidy_up(&self, task: &Value) {
        if let Some(id) = task.get("id").and_then(Value::as_str) {
            self.running.lock().unwrap_or_else(PoisonError::into_inner).push(id.to_owned());
        }
    }

    async fn cancel(&self, fixture: &Fixture, task: &Value, purpose: &str) -> Result<Value, StepError> {
        let params = json!({ "id": task.get("id").cloned().unwrap_or_default() });
        let answer = self.call(Operation::CancelTask, params, purpose).await?;
        let task = answer.result().and_then(task_in).cloned();
        let task = task.ok_or_else(|| self.off_with(fixture, &answer))?;
        self.await_goal(fixture, task, purpose).await
    }

    async fn await_goal(&self, fixture: &Fixture, mut task: Value, purpose: &str) -> Result<Value, StepError> {
        let wanted = fixture.task.state();
        let mut patience = Patience(FIRST_POLL);
        let deadline = Instant::now() + self.http.timeout();
        loop {
            let state = task.pointer("/status/state").and_then(Value::as_str).unwrap_or("no state").to_owned();
            if wanted == Some(state.as_str()) {
                return Ok(task);
            }
            // A task that is being canceled may be shown as it was before.
            let may_change = self.profile().is_running(&state)
                || (self.profile().is_interrupted(&state) && fixture.task == Goal::Canceled);
            if !may_change || Instant::now() >= deadline {
                return Err(self.off(fixture, format!("a task in {state}")));
            }
            patience.wait().await;
            let params = json!({ "id": task.get("id").cloned().unwrap_or_default() });
            let answer = self.call(Operation::GetTask, params, purpose).await?;
            task = match answer.result().and_then(task_in) {
                Some(task) => task.clone(),
                None => return Err(self.off_with(fixture, &answer)),
            };
        }
    }

    /// Polls a task until it is in the state that is wanted; the answer is the last one. A task that takes longer than the
    /// suite waits leaves the case unreached, unless it is what the case asks about.
    pub(crate) async fn wait(&self, id: &Value, until: Until, purpose: &str) -> Result<Polled, StepError> {
        let forms = until != Until::Terminal;
        let is_asked = until == Until::SettledOrNot;
        // Where no task gets on, each does not get all the time again.
        let is_stuck = !is_asked && self.stuck.load(Ordering::Relaxed) >= MOST_STUCK;
        let began = Instant::now();
        let longest = || *self.longest_wait.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = if is_asked { self.http.timeout().min(longest() + SETTLES) } else { self.http.timeout() };
        let deadline = Instant::now() + if is_stuck { Duration::ZERO } else { limit };
        let mut patience = Patience(FIRST_POLL);
        let mut times = Vec::new();
        loop {
            let answer = self.call(Operation::GetTask, json!({ "id": id }), purpose).await?;
            times.extend(answer.times());
            let state = answer.result().and_then(task_in).and_then(|task| task.pointer("/status/state")?.as_str());
            let is_there = state.is_none_or(|state| {
                self.profile().is_terminal(state) || (forms && self.profile().is_interrupted(state))
            });
            if is_there {
                self.stuck.store(0, Ordering::Relaxed);
                // One that settles as something else gives up shows how long that takes, and not how long work does.
                if !is_asked {
                    let mut longest = self.longest_wait.lock().unwrap_or_else(PoisonError::into_inner);
                    *longest = longest.max(began.elapsed());
                }
                return Ok(Polled { last: answer, times });
            }
            if let Some(state) =
                state.filter(|state| !self.profile().is_running(state) && !self.profile().is_interrupted(state))
            {
                let name = self.profile().name();
                let reason = Reason::UnknownState { state: state.to_owned(), version: name.to_owned() };
                return Err(StepError::Unreached(reason));
            }
            // No text bounds how long work may take.
            if Instant::now() >= deadline {
                if is_asked {
                    return Ok(Polled { last: answer, times });
                }
                self.stuck.fetch_add(1, Ordering::Relaxed);
                let state = state.unwrap_or_default().to_owned();
                let limit = self.http.timeout().as_secs_f32().to_string();
                return Err(StepError::Unreached(Reason::StillInState { state, limit }));
            }
            patience.wait().await;
        }
    }

    /// A trigger brought something else than the task that is wanted.
    pub(super) fn off(&self, fixture: &Fixture, received: String) -> StepError {
        let (goal, trigger) = (name(fixture.task).to_owned(), fixture.trigger.to_string());
        let text = self.options.words.say(fixture.trigger).text;
        StepError::Unreached(Reason::TriggerMissed { text, received, goal, trigger })
    }

    /// A trigger brought this answer. Against silence, no other words help.
    pub(super) fn off_with(&self, fixture: &Fixture, answer: &Answer) -> StepError {
        match self.off(fixture, describe(answer)) {
            StepError::Unreached(Reason::TriggerMissed { text, received, goal, trigger })
                if matches!(answer.exchange.ended, Ended::TimedOut(_)) =>
            {
                StepError::Unreached(Reason::TriggerUnanswered { text, received, goal, trigger })
            }
            error => error,
        }
    }
}

/// The task that an event shows: a whole one, or as much of it as a status update says.
pub(super) fn task_of(event: &Value) -> Option<Value> {
    let of_update = || {
        let update = event.get("statusUpdate")?;
        let mut task = json!({ "id": update.get("taskId")?, "status": update.get("status")? });
        if let (Some(context), Some(members)) = (update.get("contextId"), task.as_object_mut()) {
            members.insert("contextId".to_owned(), context.clone());
        }
        Some(task)
    };
    task_in(event).cloned().or_else(of_update)
}

/// Events of a stream as values; the runner of steps reads them, too.
pub(crate) fn values(events: &[StreamEvent]) -> Vec<Value> {
    events.iter().map(|event| event.value().cloned().unwrap_or_default()).collect()
}

/// What the exchanges are for that make the fixtures of a case.
pub fn fixtures(case: &Case) -> BTreeSet<String> {
    case.given.values().map(|fixture| purpose(fixture.task)).collect()
}

/// What an exchange that makes such a fixture is for.
fn purpose(goal: Goal) -> String {
    format!("a task that is {}", name(goal))
}

fn name(goal: Goal) -> &'static str {
    match goal {
        Goal::Completed => "completed",
        Goal::Working => "working",
        Goal::InputRequired => "waiting for input",
        Goal::AuthRequired => "waiting for authorization",
        Goal::Failed => "failed",
        Goal::Rejected => "rejected",
        Goal::Canceled => "canceled",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_shows_a_task_or_as_much_of_it_as_it_says() {
        let status = json!({ "state": "TASK_STATE_WORKING" });
        let task = json!({ "id": "t", "contextId": "c", "status": status });
        assert_eq!(task_of(&json!({ "task": task })), Some(task.clone()));
        let update = json!({ "taskId": "t", "contextId": "c", "status": status, "final": false });
        assert_eq!(task_of(&json!({ "statusUpdate": update })), Some(task));
        let bare = json!({ "statusUpdate": { "taskId": "t", "status": status } });
        assert_eq!(task_of(&bare), Some(json!({ "id": "t", "status": status })));
        for other in [json!({ "artifactUpdate": { "taskId": "t" } }), json!({ "statusUpdate": {} }), json!(null)] {
            assert_eq!(task_of(&other), None);
        }
    }
}
