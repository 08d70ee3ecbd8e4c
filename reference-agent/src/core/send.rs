//! Send Message and Send Streaming Message (sections 3.1.1, 3.1.2 and 3.4).

use std::sync::Arc;

use super::INPUT_MODES;
use super::behaviour::{Script, Trigger, Work};
use super::engine::Engine;
use super::error::{Error, Unsupported, Violation};
use super::log::Follower;
use super::operation::{Answer, Rules};
use super::push;
use super::store::Store;
use super::stream::TaskStream;
use crate::fault::Switch;
use crate::model::{Message, Part, SendMessageRequest, Sent, Task, TaskPushNotificationConfig, TaskState};

/// What has become of a message.
enum Accepted {
    /// It was answered at once.
    Reply(Message),
    /// It began a task or joined one: the task as it then was, and its changes from there.
    Task(Box<Task>, Follower),
}

impl Engine {
    /// Section 3.1.1: answers when the task is at rest or, if asked to, at once (section 3.2.2).
    pub(super) async fn send(
        self: &Arc<Self>,
        request: SendMessageRequest,
        rules: &'static Rules,
    ) -> Result<Answer, Error> {
        let history_length = request.configuration.history_length;
        let return_immediately = request.configuration.return_immediately;
        let (mut task, changes) = match self.accept(request, rules)? {
            Accepted::Reply(message) => return Ok(Answer::Sent(Sent::Message(message))),
            Accepted::Task(task, changes) => (task, changes),
        };
        if !return_immediately {
            *task = self.at_rest(&task.id, changes).await?;
        }
        task.limit_history(history_length);
        Ok(Answer::Sent(Sent::Task(*task)))
    }

    /// Section 3.1.2.
    pub(super) fn send_streaming(
        self: &Arc<Self>,
        request: SendMessageRequest,
        rules: &'static Rules,
    ) -> Result<TaskStream, Error> {
        let history_length = request.configuration.history_length;
        let stream = match self.accept(request, rules)? {
            Accepted::Reply(message) => TaskStream::of_message(message, rules, self.closing()),
            Accepted::Task(mut task, changes) => {
                task.limit_history(history_length);
                let if_left = self.if_left(&task.id, Switch::CancelsUnwatchedTask);
                TaskStream::of_task(*task, changes, rules, self.closing()).if_left(if_left)
            }
        };
        Ok(stream)
    }

    /// Checks a message and, if nothing is wrong with it, acts on it. Nothing has happened when this fails.
    fn accept(self: &Arc<Self>, request: SendMessageRequest, rules: &'static Rules) -> Result<Accepted, Error> {
        if request.configuration.push.is_some() {
            self.require_push()?;
        }
        let message = request.message;
        let webhook = request.configuration.push.map(|config| (config, rules));
        let store = &mut self.store();
        match message.task_id.clone() {
            Some(task_id) => {
                let mut checked = check_addressee(store, &task_id, &message);
                if checked.is_ok() && !self.config.breaks(Switch::TakesMessagesToEndedTasks) {
                    checked = check_goes_on(store, &task_id);
                }
                if checked.is_err() && self.config.breaks(Switch::KeepsRefusedMessages) {
                    store.append(&task_id, message.clone())?;
                }
                checked?;
                check_media_types(&message.parts)?;
                self.follow_up(store, &task_id, message, webhook)
            }
            None => {
                check_media_types(&message.parts)?;
                self.begin(store, message, webhook)
            }
        }
    }

    /// Acts on the first message of a task.
    fn begin(
        self: &Arc<Self>,
        store: &mut Store,
        message: Message,
        webhook: Option<(TaskPushNotificationConfig, &'static Rules)>,
    ) -> Result<Accepted, Error> {
        let context_id = store.context(message.context_id.clone());
        let input = message.first_text().to_owned();
        let trigger = Trigger::of(&input);
        if trigger == Trigger::Message {
            return Ok(Accepted::Reply(store.say(context_id, None, &format!("You said: {input}"))));
        }
        let task_id = store.create(context_id, message);
        if let Some((config, rules)) = webhook {
            push::subscribe(self, store, &task_id, config, rules)?;
        }
        self.work_on(&task_id, Script::First(trigger), input);
        snapshot(store, &task_id)
    }

    /// Acts on a further message: a task that waits goes on, a task at work takes note (section 3.4.3).
    fn follow_up(
        self: &Arc<Self>,
        store: &mut Store,
        task_id: &str,
        message: Message,
        webhook: Option<(TaskPushNotificationConfig, &'static Rules)>,
    ) -> Result<Accepted, Error> {
        let input = message.first_text().to_owned();
        if let Some((config, rules)) = webhook {
            push::subscribe(self, store, task_id, config, rules)?;
        }
        if store.entry(task_id)?.task.status.state.is_interrupted() {
            // The question joins the history before the answer does.
            store.enter(task_id, TaskState::Working, None)?;
            store.append(task_id, message)?;
            self.work_on(task_id, Script::Resumed, input);
        } else {
            store.append(task_id, message)?;
        }
        snapshot(store, task_id)
    }

    fn work_on(self: &Arc<Self>, task_id: &str, script: Script, input: String) {
        let work = Work::new(Arc::clone(self), task_id.to_owned());
        self.spawn(async move {
            // A script that fails has lost its task to a cancellation; there is nobody left to tell.
            let _ended = script.play(&work, &input).await;
        });
    }

    /// The task, once nothing more happens to it without its client.
    async fn at_rest(&self, task_id: &str, mut changes: Follower) -> Result<Task, Error> {
        let mut closing = self.closing();
        loop {
            let task = self.get_task(task_id, None)?;
            if task.status.state.is_at_rest() {
                return Ok(task);
            }
            tokio::select! {
                change = changes.next() => change.ok_or(Error::Internal)?,
                _ = closing.wait_for(|is_closing| *is_closing) => return Err(Error::ShuttingDown),
            };
        }
    }
}

fn snapshot(store: &Store, task_id: &str) -> Result<Accepted, Error> {
    let entry = store.entry(task_id)?;
    Ok(Accepted::Task(Box::new(entry.task.clone()), entry.log.follow()))
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
