//! Send Message and Send Streaming Message (sections 3.1.1, 3.1.2 and 3.4).

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use super::INPUT_MODES;
use super::behaviour::{Script, Trigger, Work};
use super::echo::{Echo, Mark};
use super::engine::Engine;
use super::error::{Error, Unsupported, Violation};
use super::guard;
use super::marks::Marks;
use super::operation::{Answer, Caller, Rules};
use super::push;
use super::store::Store;
use super::stream::TaskStream;
use crate::fault::Switch;
use crate::model::{Message, Part, SendMessageRequest, Sent, Task, TaskPushNotificationConfig, TaskState};

/// How long a message is looked at by an agent that is to be slow with it.
const READING: Duration = Duration::from_millis(10);

/// What has become of a message.
enum Accepted {
    /// It was answered at once.
    Reply(Message),
    /// It began a task or joined one, and what is done about the message may take long.
    Task { task_id: String, is_long: bool },
}

impl Engine {
    /// Section 3.1.1: answers when the task is at rest or, if asked to, at once (section 3.2.2). Where clients do not
    /// ask, the task may be shown as soon as long work on it has begun.
    pub(super) async fn send(self: &Arc<Self>, request: SendMessageRequest, caller: Caller) -> Result<Answer, Error> {
        let rules = caller.rules;
        let history_length = request.configuration.history_length.or(rules.default_history_length);
        let return_immediately = request.configuration.return_immediately;
        let waits_for_webhooks = self.config.breaks(match return_immediately {
            true => Switch::AnswersAtOnceAfterWebhooks,
            false => Switch::AnswersAfterWebhooks,
        });
        let read = self.read_early(&request).await;
        let (task_id, is_awaited): (_, fn(TaskState) -> bool) = {
            let store = &mut self.store();
            let accepted = self.accept(store, request, caller);
            if let (Err(_), Some(task)) = (&accepted, read) {
                store.put_back(task)?;
            }
            match accepted? {
                Accepted::Reply(message) => return Ok(Answer::Sent(Sent::Message(message))),
                Accepted::Task { task_id, is_long: true } if !rules.waits_for_long_work => {
                    (task_id, |state| state != TaskState::Submitted)
                }
                Accepted::Task { task_id, .. } if return_immediately && waits_for_webhooks => (task_id, |_| true),
                Accepted::Task { task_id, .. } if return_immediately => {
                    if self.config.breaks(Switch::ForgetsUnawaitedTasks) {
                        store.drop_work(&task_id);
                    }
                    let task = store.entry(&task_id)?.task.with_history(history_length);
                    self.cut_as_answered(store, &task, history_length)?;
                    return Ok(Answer::Sent(Sent::Task(task)));
                }
                Accepted::Task { task_id, .. } => (task_id, TaskState::is_at_rest),
            }
        };
        let task = self.once(&task_id, history_length, is_awaited).await?;
        if waits_for_webhooks && !self.store().entry(&task_id)?.push.is_empty() {
            // The change that led here may not have reached the courier yet.
            sleep(READING).await;
            while self.courier.is_calling() {
                sleep(READING).await;
            }
        }
        self.cut_as_answered(&mut self.store(), &task, history_length)?;
        Ok(Answer::Sent(Sent::Task(task)))
    }

    /// Cuts the stored history to that of an answer. Only a fault asks for it.
    fn cut_as_answered(&self, store: &mut Store, answered: &Task, history_length: Option<u32>) -> Result<(), Error> {
        if self.config.breaks(Switch::CutsHistoryOfAnswers) && history_length.is_some() {
            store.entry_mut(&answered.id)?.task.history.clone_from(&answered.history);
        }
        Ok(())
    }

    /// The task of a message as it is when the message comes; nothing is done about the message for a while then. Only a
    /// fault asks for it.
    async fn read_early(&self, request: &SendMessageRequest) -> Option<Task> {
        if !self.config.breaks(Switch::PutsBackWhatItRead) {
            return None;
        }
        let task = self.store().entry(request.message.task_id.as_deref()?).ok()?.task.clone();
        sleep(READING).await;
        Some(task)
    }

    /// Section 3.1.2.
    pub(super) fn send_streaming(
        self: &Arc<Self>,
        request: SendMessageRequest,
        caller: Caller,
    ) -> Result<TaskStream, Error> {
        let rules = caller.rules;
        let history_length = request.configuration.history_length;
        let store = &mut self.store();
        match self.accept(store, request, caller)? {
            Accepted::Reply(message) => Ok(TaskStream::of_message(message, rules, self.closing())),
            Accepted::Task { task_id, .. } => {
                let stream = TaskStream::of_task(store.entry_mut(&task_id)?, history_length, rules, self.closing());
                let stream = stream.awaiting_credentials(self.config.awaits_credentials());
                let if_left = [Switch::CancelsUnwatchedTask, Switch::StopsUnwatchedTask];
                Ok(stream.if_left(if_left.into_iter().find_map(|switch| self.if_left(&task_id, switch))))
            }
        }
    }

    /// Checks a message and, if nothing is wrong with it, acts on it. Nothing has happened when this fails.
    fn accept(
        self: &Arc<Self>,
        store: &mut Store,
        request: SendMessageRequest,
        caller: Caller,
    ) -> Result<Accepted, Error> {
        let rules = caller.rules;
        let echo = match caller.echo {
            Echo::Active => Mark::of(&request.message)?,
            Echo::Inactive | Echo::Unknown => None,
        };
        let marks = Marks { echo, samples: caller.samples };
        if request.configuration.push.is_some() {
            self.require_push()?;
            guard::guard(&self.config, request.configuration.push.as_ref())?;
        }
        let mut message = request.message;
        let webhook = request.configuration.push;
        let expected = request.configuration.if_generation_match;
        if message.message_id.is_empty() {
            message.message_id = store.ids.message();
        }
        if self.config.breaks(Switch::TrimsTexts) {
            message.trim_texts();
        }
        let known = message.task_id.clone().filter(|id| !rules.clients_name_tasks || store.has(id));
        match known {
            Some(task_id) => {
                let mut checked = check_addressee(store, &task_id, &message);
                // Of two messages for one generation the second may find the task at its end: an agent that takes any takes it, too.
                let takes_any = expected.is_some() && self.config.breaks(Switch::TakesAnyGeneration);
                if checked.is_ok() && !takes_any && !self.takes_messages_to_ended_tasks(rules) {
                    checked = check_goes_on(store, &task_id);
                }
                if let Some(expected) = expected.filter(|_| checked.is_ok() && rules.has_generations) {
                    checked = self.check_generation(store, &task_id, expected);
                }
                if checked.is_err() && self.config.breaks(Switch::KeepsRefusedMessages) {
                    store.append(&task_id, message.clone())?;
                }
                checked?;
                check_media_types(&message.parts)?;
                self.follow_up(store, &task_id, message, marks, webhook, rules)
            }
            None => {
                check_media_types(&message.parts)?;
                self.begin(store, message, marks, webhook, rules)
            }
        }
    }

    fn takes_messages_to_ended_tasks(&self, rules: &Rules) -> bool {
        match rules.ended_task_goes_on {
            true => !self.config.breaks(Switch::RefusesMessagesToEndedTasks),
            false => self.config.breaks(Switch::TakesMessagesToEndedTasks),
        }
    }

    /// Acts on the first message of a task.
    fn begin(
        self: &Arc<Self>,
        store: &mut Store,
        message: Message,
        marks: Marks,
        webhook: Option<TaskPushNotificationConfig>,
        rules: &'static Rules,
    ) -> Result<Accepted, Error> {
        let context_id = store.context(message.context_id.clone());
        let input = message.first_text().to_owned();
        let script = Script::first(self.config.triggers, Trigger::always(&self.config), &message);
        if let Some(reply) = script.reply(&input).filter(|_| rules.answers_with_messages) {
            if self.config.breaks(Switch::KeepsAnsweredMessages) {
                store.create(context_id.clone(), message);
            }
            return Ok(Accepted::Reply(store.reply(context_id, &reply, &marks)));
        }
        let task_id = store.create(context_id, message);
        store.entry_mut(&task_id)?.marks = marks;
        if let Some(config) = webhook {
            push::subscribe(self, store, &task_id, config, rules)?;
        }
        if self.config.breaks(Switch::MixesTasksOfContext) {
            store.take_over(&task_id)?;
        }
        self.work_on(store, &task_id, script, input)?;
        Ok(Accepted::Task { task_id, is_long: script.is_long() })
    }

    /// Acts on a further message: a task that waits goes on, a task at work takes note (section 3.4.3). A task that has
    /// ended begins anew, if it gets here at all.
    fn follow_up(
        self: &Arc<Self>,
        store: &mut Store,
        task_id: &str,
        message: Message,
        marks: Marks,
        webhook: Option<TaskPushNotificationConfig>,
        rules: &'static Rules,
    ) -> Result<Accepted, Error> {
        let input = message.first_text().to_owned();
        if let Some(config) = webhook {
            push::subscribe(self, store, task_id, config, rules)?;
        }
        let entry = store.entry_mut(task_id)?;
        entry.marks = marks;
        let state = entry.task.status.state;
        let next = if state.is_interrupted() {
            Some((TaskState::Working, Script::further(self.config.triggers, &message)))
        } else if state.is_terminal() && rules.ended_task_goes_on {
            Some((TaskState::Submitted, Script::first(self.config.triggers, Trigger::always(&self.config), &message)))
        } else {
            None
        };
        let Some((state, script)) = next else {
            store.append(task_id, message)?;
            return Ok(Accepted::Task { task_id: task_id.to_owned(), is_long: true });
        };
        // What the agent last said joins the history before the answer does.
        store.enter(task_id, state, None)?;
        store.append(task_id, message)?;
        self.work_on(store, task_id, script, input)?;
        Ok(Accepted::Task { task_id: task_id.to_owned(), is_long: script.is_long() })
    }

    fn work_on(self: &Arc<Self>, store: &mut Store, task_id: &str, script: Script, input: String) -> Result<(), Error> {
        let entry = store.entry_mut(task_id)?;
        entry.home = self.replica;
        let turn = entry.begin_turn();
        let work = Work::new(Arc::clone(self), task_id.to_owned(), turn);
        self.spawn(async move {
            // A script that fails has lost its task to a cancellation; there is nobody left to tell.
            let _ended = script.play(&work, &input).await;
        });
        Ok(())
    }

    /// The task, once its state is such a one, with at most so much history.
    async fn once(
        &self,
        task_id: &str,
        history_length: Option<u32>,
        is_such: fn(TaskState) -> bool,
    ) -> Result<Task, Error> {
        let mut closing = self.closing();
        loop {
            let mut changes = {
                let mut store = self.store();
                let entry = store.entry_mut(task_id)?;
                if is_such(entry.task.status.state) {
                    return Ok(entry.task.with_history(history_length));
                }
                entry.readers.follow()
            };
            tokio::select! {
                // Also when there are no more: the task has ended, unless somebody else has brought it back to work.
                _change = changes.next() => {}
                _ = closing.wait_for(|is_closing| *is_closing) => return Err(Error::ShuttingDown),
            };
        }
    }
}

/// Checks that a message fits the task that it names (sections 3.4.2 and 3.4.3).
fn check_addressee(store: &Store, task_id: &str, message: &Message) -> Result<(), Error> {
    let task = &store.entry(task_id)?.task;
    if message.context_id.as_ref().is_some_and(|context_id| *context_id != task.context_id) {
        return Err(Violation::new("message.contextId", "must be the context of the task, or be left out").into());
    }
    Ok(())
}

/// Checks that a task has not ended (section 3.1.1).
fn check_goes_on(store: &Store, task_id: &str) -> Result<(), Error> {
    if store.entry(task_id)?.task.status.state.is_terminal() {
        let task_id = task_id.to_owned();
        return Err(Error::UnsupportedOperation(Unsupported::MessageToEndedTask { task_id }));
    }
    Ok(())
}

/// Checks that the agent can read every part whose media type is given. Parameters such as `charset` do not matter.
fn check_media_types(parts: &[Part]) -> Result<(), Error> {
    for media_type in parts.iter().filter_map(|part| part.media_type.as_ref()) {
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        if !INPUT_MODES.iter().any(|mode| mode.eq_ignore_ascii_case(essence)) {
            return Err(Error::ContentTypeNotSupported { media_type: media_type.clone() });
        }
    }
    Ok(())
}
