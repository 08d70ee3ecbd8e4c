//! All tasks of the agent, in memory.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::clock::Clock;
use super::error::Error;
use super::ids::Ids;
use super::log::{Change, Readers};
use super::marks::Marks;
use super::order::{Order, Place};
use super::push::Subscription;
use crate::config::RestDialect;
use crate::model::{
    Artifact, Event, Message, Metadata, Part, Role, Task, TaskArtifactUpdateEvent, TaskState, TaskStatus,
    TaskStatusUpdateEvent,
};

/// The tasks, and what is counted and timed across them.
#[derive(Debug, Default)]
pub struct Store {
    /// In the order in which they were made. None is ever removed, so where a task stands is its number.
    tasks: Vec<Entry>,
    /// The numbers of the tasks, by their ids.
    numbers: HashMap<Box<str>, usize>,
    /// All tasks, in the order of List Tasks.
    order: Order,
    /// The tasks of each context, in the same order.
    contexts: HashMap<Box<str>, Order>,
    pub ids: Ids,
    clock: Clock,
}

/// A task and all that hangs on it.
#[derive(Debug)]
pub struct Entry {
    /// The task as it is now.
    pub task: Task,
    /// Who waits for its changes. Nobody, once the task has ended.
    pub readers: Readers,
    /// Who is told by webhook, by the id of the configuration.
    pub push: BTreeMap<String, Subscription>,
    /// What the extensions of its last message put on what is made of it.
    pub marks: Marks,
    /// In which form its last message over HTTP+JSON was written, where the version leaves that open.
    pub rest_dialect: Option<RestDialect>,
    /// The number of the replica that works on it.
    pub home: usize,
    /// How many scripts have been begun on the task: the last one is at work.
    turns: u32,
}

impl Store {
    /// One without tasks, which makes these ids.
    pub fn with(ids: Ids) -> Self {
        Self { ids, ..Self::default() }
    }

    /// The task `id`.
    ///
    /// # Errors
    /// [`Error::TaskNotFound`] where there is none.
    pub fn entry(&self, id: &str) -> Result<&Entry, Error> {
        let entry = self.numbers.get(id).and_then(|number| self.tasks.get(*number));
        entry.ok_or_else(|| Error::TaskNotFound { task_id: id.to_owned() })
    }

    /// The task `id`, to be changed; its status only by [`Self::enter`].
    ///
    /// # Errors
    /// [`Error::TaskNotFound`] where there is none.
    pub fn entry_mut(&mut self, id: &str) -> Result<&mut Entry, Error> {
        let entry = self.numbers.get(id).and_then(|number| self.tasks.get_mut(*number));
        entry.ok_or_else(|| Error::TaskNotFound { task_id: id.to_owned() })
    }

    /// The push configuration of this id, whichever task it is of. Only a fault asks for it.
    pub fn push_config(&self, id: &str) -> Option<&Subscription> {
        self.tasks.iter().find_map(|entry| entry.push.get(id))
    }

    /// The order of all tasks, or of those of a context; `None` for a context that there is not.
    pub fn order(&self, context_id: Option<&str>) -> Option<&Order> {
        match context_id {
            None => Some(&self.order),
            Some(context_id) => self.contexts.get(context_id),
        }
    }

    /// The task at a place.
    pub fn task_at(&self, place: Place) -> Option<&Task> {
        self.tasks.get(place.task).map(|entry| &entry.task)
    }

    /// The context for a message that does not name a task: the client's, or a new one (section 3.4.1).
    pub fn context(&mut self, wished: Option<String>) -> String {
        let context = wished.unwrap_or_else(|| {
            loop {
                let made = self.ids.context();
                if !self.contexts.contains_key(made.as_str()) {
                    break made;
                }
            }
        });
        self.contexts.entry(context.as_str().into()).or_default();
        context
    }

    /// Makes a task of a first message, and gives its id: the one that the message names, or else a new one.
    pub fn create(&mut self, context_id: String, message: Message) -> String {
        let id = message.task_id.clone().unwrap_or_else(|| self.new_task_id());
        let timestamp = self.clock.now();
        let state = TaskState::Submitted;
        let mut task = Task {
            id: id.clone(),
            context_id,
            status: TaskStatus { state, message: None, timestamp },
            artifacts: None,
            history: Vec::new(),
            metadata: Metadata::new(),
            generation: 1,
        };
        Change::Message(addressed(message, &task)).apply(&mut task);
        let place = Place { timestamp, task: self.tasks.len() };
        self.order.insert(state, place);
        self.contexts.entry(task.context_id.as_str().into()).or_default().insert(state, place);
        self.numbers.insert(id.as_str().into(), place.task);
        self.tasks.push(Entry {
            task,
            readers: Readers::default(),
            push: BTreeMap::new(),
            marks: Marks::default(),
            rest_dialect: None,
            home: 0,
            turns: 0,
        });
        id
    }

    /// An id that no task has; clients make some, too.
    fn new_task_id(&mut self) -> String {
        loop {
            let made = self.ids.task();
            if !self.has(&made) {
                break made;
            }
        }
    }

    /// Loses everything but what ids there have been. Only a fault asks for it.
    pub fn forget(&mut self) {
        *self = Self::with(std::mem::take(&mut self.ids));
    }

    /// Whether there is a task `id`.
    pub fn has(&self, id: &str) -> bool {
        self.numbers.contains_key(id)
    }

    /// Ends the streams of a task that has not ended. Only a fault asks for it.
    pub fn lose_readers(&mut self, task_id: &str) {
        if let Ok(entry) = self.entry_mut(task_id) {
            entry.readers.dismiss();
        }
    }

    /// Puts a task back as it was, where it is in another state now. Only a fault asks for it.
    ///
    /// # Errors
    /// [`Error::TaskNotFound`].
    pub fn put_back(&mut self, was: Task) -> Result<(), Error> {
        if self.entry(&was.id)?.task.status.state != was.status.state {
            self.enter(&was.id, was.status.state, None)?;
            let task = &mut self.entry_mut(&was.id)?.task;
            (task.history, task.artifacts) = (was.history, was.artifacts);
        }
        Ok(())
    }

    /// Gives a new task the history and the artifacts of the one that was made before it in its context. Only a fault asks for it.
    ///
    /// # Errors
    /// [`Error::TaskNotFound`].
    pub fn take_over(&mut self, task_id: &str) -> Result<(), Error> {
        let context = self.entry(task_id)?.task.context_id.clone();
        let is_before = |task: &&Task| task.context_id == context && task.id != task_id;
        let Some(before) = self.tasks.iter().rev().map(|entry| &entry.task).find(is_before).cloned() else {
            return Ok(());
        };
        let task = &mut self.entry_mut(task_id)?.task;
        let own = std::mem::replace(&mut task.history, before.history);
        task.history.extend(own);
        for artifact in before.artifacts.into_iter().flatten() {
            self.add_artifact(task_id, Artifact::clone(&artifact), false, true)?;
        }
        Ok(())
    }

    /// Lets the work on a task go, which stays as it is. Only a fault asks for it.
    pub fn drop_work(&mut self, task_id: &str) {
        if let Ok(entry) = self.entry_mut(task_id) {
            entry.begin_turn();
        }
    }

    /// Adds a message to the history of a task.
    ///
    /// # Errors
    /// [`Error::TaskNotFound`].
    pub fn append(&mut self, task_id: &str, message: Message) -> Result<(), Error> {
        let entry = self.entry_mut(task_id)?;
        let change = Change::Message(addressed(message, &entry.task));
        entry.record(change);
        Ok(())
    }

    /// Brings a task into a state; `text` is what the agent says to it.
    ///
    /// # Errors
    /// [`Error::TaskNotFound`].
    pub fn enter(&mut self, task_id: &str, state: TaskState, text: Option<&str>) -> Result<(), Error> {
        let entry = self.entry(task_id)?;
        let (context_id, marks) = (entry.task.context_id.clone(), entry.marks.clone());
        let timestamp = self.clock.now();
        let message = text.map(|text| {
            let mut message = self.say(context_id.clone(), Some(task_id.to_owned()), text);
            marks.put_on_message(&mut message, || timestamp);
            Arc::new(message)
        });
        let entry = self.entry_mut(task_id)?;
        let left = (entry.task.status.state, entry.task.status.timestamp);
        let generation = entry.task.generation + 1;
        entry.record(Change::Event(Event::Status(TaskStatusUpdateEvent {
            task_id: task_id.to_owned(),
            context_id: context_id.clone(),
            status: TaskStatus { state, message, timestamp },
            generation,
        })));
        if let Some(task) = self.numbers.get(task_id).copied() {
            for order in [Some(&mut self.order), self.contexts.get_mut(context_id.as_str())].into_iter().flatten() {
                order.remove(left.0, Place { timestamp: left.1, task });
                order.insert(state, Place { timestamp, task });
            }
        }
        Ok(())
    }

    /// A message that is the whole answer to another one.
    pub fn reply(&mut self, context_id: String, text: &str, marks: &Marks) -> Message {
        let mut reply = self.say(context_id, None, text);
        marks.put_on_message(&mut reply, || self.clock.now());
        reply
    }

    /// Adds an artifact, or a chunk of one, to a task.
    ///
    /// # Errors
    /// [`Error::TaskNotFound`].
    pub fn add_artifact(
        &mut self,
        task_id: &str,
        mut artifact: Artifact,
        append: bool,
        last_chunk: bool,
    ) -> Result<(), Error> {
        // What is appended joins an artifact that has them.
        if !append {
            let marks = self.entry(task_id)?.marks.clone();
            marks.put_on_artifact(&mut artifact, || self.clock.now());
        }
        let entry = self.entry_mut(task_id)?;
        let context_id = entry.task.context_id.clone();
        let task_id = task_id.to_owned();
        let known = entry.task.artifacts.as_deref().unwrap_or_default();
        let generation = entry.task.generation + 1;
        let index = known.iter().position(|known| known.artifact_id == artifact.artifact_id).unwrap_or(known.len());
        entry.record(Change::Event(Event::Artifact(TaskArtifactUpdateEvent {
            task_id,
            context_id,
            index,
            artifact: Arc::new(artifact),
            append,
            last_chunk,
            generation,
        })));
        Ok(())
    }

    /// A message of the agent.
    pub fn say(&mut self, context_id: String, task_id: Option<String>, text: &str) -> Message {
        Message {
            message_id: self.ids.message(),
            context_id: Some(context_id),
            task_id,
            role: Role::Agent,
            parts: vec![Part::text(text)],
            metadata: Metadata::new(),
            extensions: Vec::new(),
            reference_task_ids: Vec::new(),
        }
    }
}

impl Entry {
    /// Begins a turn of work, which ends the one before. Gives its number.
    pub fn begin_turn(&mut self) -> u32 {
        self.turns += 1;
        self.turns
    }

    /// Whether work that began with this turn is still the agent's to do.
    pub fn is_at(&self, turn: u32) -> bool {
        self.turns == turn
    }

    /// Adds a chunk once more for each reader but one. Only a fault asks for it.
    pub fn store_for_each_reader(&mut self, chunk: &[Part]) {
        let last = self.task.artifacts.as_mut().and_then(|artifacts| artifacts.last_mut());
        if let Some(artifact) = last {
            let copies = self.readers.len().saturating_sub(1);
            Arc::make_mut(artifact).parts.extend(std::iter::repeat_n(chunk, copies).flatten().cloned());
        }
    }

    /// Makes a change, and tells those who wait for it.
    fn record(&mut self, change: Change) {
        change.apply(&mut self.task);
        if !self.readers.is_empty() || !self.push.is_empty() {
            let change = Arc::new(change);
            self.readers.tell(&change);
            for subscription in self.push.values_mut() {
                subscription.readers.tell(&change);
            }
        }
        if self.task.status.state.is_terminal() {
            self.readers.dismiss();
        }
    }
}

/// A client's message with the ids of the task that it became part of, without the spare room that reading it took.
fn addressed(mut message: Message, task: &Task) -> Arc<Message> {
    message.task_id = Some(task.id.clone());
    message.context_id = Some(task.context_id.clone());
    message.parts.shrink_to_fit();
    Arc::new(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(context_id: Option<&str>) -> Message {
        let mut parts = Vec::with_capacity(4);
        parts.push(Part::text("x"));
        Message {
            message_id: "m".to_owned(),
            context_id: context_id.map(str::to_owned),
            task_id: None,
            role: Role::User,
            parts,
            metadata: Metadata::new(),
            extensions: Vec::new(),
            reference_task_ids: Vec::new(),
        }
    }

    #[test]
    fn a_task_that_has_ended_keeps_nothing_but_itself() {
        let mut store = Store::default();
        let id = store.create("c".to_owned(), message(None));
        let mut reader = store.entry_mut(&id).unwrap().readers.follow();
        store.enter(&id, TaskState::Working, None).unwrap();
        store.enter(&id, TaskState::Completed, None).unwrap();
        let entry = store.entry(&id).unwrap();
        assert!(entry.readers.is_empty());
        assert_eq!(entry.task.history[0].parts.capacity(), 1);
        // Who was reading still learns how it ended.
        let states = std::iter::from_fn(|| reader.try_next()).map(|change| match change.as_ref() {
            Change::Event(Event::Status(update)) => update.status.state,
            other => panic!("{other:?}"),
        });
        assert_eq!(states.collect::<Vec<_>>(), [TaskState::Working, TaskState::Completed]);
    }

    #[test]
    fn a_task_stands_once_in_the_order_of_all_and_of_its_context() {
        let mut store = Store::default();
        let ids = ["a", "b", "a"].map(|context| store.create(context.to_owned(), message(Some(context))));
        store.enter(&ids[0], TaskState::Working, None).unwrap();
        store.enter(&ids[0], TaskState::Failed, None).unwrap();
        let listed = |context: Option<&str>, state| -> Vec<usize> {
            let order = store.order(context).unwrap();
            assert_eq!(order.newest_first(state, None).count(), order.count(state, None));
            order.newest_first(state, None).map(|place| place.task).collect()
        };
        assert_eq!(listed(None, None), [0, 2, 1]);
        assert_eq!(listed(Some("a"), None), [0, 2]);
        assert_eq!(listed(Some("a"), Some(TaskState::Failed)), [0]);
        assert_eq!(listed(None, Some(TaskState::Submitted)), [2, 1]);
        assert_eq!(listed(None, Some(TaskState::Working)), [0; 0]);
        assert!(store.order(Some("c")).is_none());
    }
}
