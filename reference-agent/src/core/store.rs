//! All tasks of the agent, in memory.

use std::collections::{BTreeMap, BTreeSet};

use super::clock::Clock;
use super::error::Error;
use super::ids::Ids;
use super::log::{Change, ChangeLog};
use super::push::Subscription;
use crate::model::{
    Artifact, Event, Message, Metadata, Part, Role, Task, TaskArtifactUpdateEvent, TaskState, TaskStatus,
    TaskStatusUpdateEvent, Timestamp,
};

/// The tasks, and what is counted and timed across them.
#[derive(Debug, Default)]
pub struct Store {
    tasks: BTreeMap<String, Entry>,
    /// Every task by its status timestamp: the order of List Tasks (section 3.1.4), oldest first.
    order: BTreeSet<Place>,
    contexts: BTreeSet<String>,
    pub ids: Ids,
    clock: Clock,
}

/// The place of a task in the order of List Tasks. The id decides between equal timestamps, so the order is total.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub timestamp: Timestamp,
    pub task_id: String,
}

impl Place {
    /// Where a task stands.
    pub fn of(task: &Task) -> Self {
        Self { timestamp: task.status.timestamp, task_id: task.id.clone() }
    }
}

/// A task and all that hangs on it.
#[derive(Debug)]
pub struct Entry {
    /// The task as it is now.
    pub task: Task,
    /// How it became so.
    pub log: ChangeLog,
    /// Who is told by webhook, by the id of the configuration.
    pub push: BTreeMap<String, Subscription>,
    /// How many scripts have been begun on the task: the last one is at work.
    turns: u32,
}

impl Store {
    /// The task `id`.
    ///
    /// # Errors
    /// [`Error::TaskNotFound`] where there is none.
    pub fn entry(&self, id: &str) -> Result<&Entry, Error> {
        self.tasks.get(id).ok_or_else(|| Error::TaskNotFound { task_id: id.to_owned() })
    }

    /// The task `id`, to be changed.
    ///
    /// # Errors
    /// [`Error::TaskNotFound`] where there is none.
    pub fn entry_mut(&mut self, id: &str) -> Result<&mut Entry, Error> {
        self.tasks.get_mut(id).ok_or_else(|| Error::TaskNotFound { task_id: id.to_owned() })
    }

    /// All tasks, the one with the newest status first, from the one after `place` on.
    pub fn newest_first(&self, after: Option<&Place>) -> impl Iterator<Item = &Task> {
        let places = match after {
            None => self.order.range(..),
            Some(place) => self.order.range(..place),
        };
        places.rev().filter_map(|place| self.tasks.get(&place.task_id)).map(|entry| &entry.task)
    }

    /// How many tasks there are.
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// The context for a message that does not name a task: the client's, or a new one (section 3.4.1).
    pub fn context(&mut self, wished: Option<String>) -> String {
        let context = wished.unwrap_or_else(|| {
            loop {
                let made = self.ids.context();
                if !self.contexts.contains(&made) {
                    break made;
                }
            }
        });
        self.contexts.insert(context.clone());
        context
    }

    /// Makes a task of a first message, and gives its id: the one that the message names, or else a new one.
    pub fn create(&mut self, context_id: String, message: Message) -> String {
        let id = message.task_id.clone().unwrap_or_else(|| self.new_task_id());
        let timestamp = self.clock.now();
        let mut task = Task {
            id: id.clone(),
            context_id,
            status: TaskStatus { state: TaskState::Submitted, message: None, timestamp },
            artifacts: None,
            history: Vec::new(),
            metadata: Metadata::new(),
        };
        Change::Message(addressed(message, &task)).apply(&mut task);
        self.order.insert(Place { timestamp, task_id: id.clone() });
        self.tasks.insert(id.clone(), Entry { task, log: ChangeLog::new(), push: BTreeMap::new(), turns: 0 });
        id
    }

    /// An id that no task has; clients make some, too.
    fn new_task_id(&mut self) -> String {
        loop {
            let made = self.ids.task();
            if !self.tasks.contains_key(&made) {
                break made;
            }
        }
    }

    /// Whether there is a task `id`.
    pub fn has(&self, id: &str) -> bool {
        self.tasks.contains_key(id)
    }

    /// Ends the streams of a task that has not ended. Only a fault asks for it.
    pub fn lose_readers(&mut self, task_id: &str) {
        if let Some(entry) = self.tasks.get_mut(task_id)
            && !entry.task.status.state.is_terminal()
        {
            entry.log = ChangeLog::new();
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
        let context_id = self.entry(task_id)?.task.context_id.clone();
        let message = text.map(|text| self.say(context_id.clone(), Some(task_id.to_owned()), text));
        let timestamp = self.clock.now();
        let entry = self.tasks.get_mut(task_id).ok_or_else(|| Error::TaskNotFound { task_id: task_id.to_owned() })?;
        let left = Place { timestamp: entry.task.status.timestamp, task_id: task_id.to_owned() };
        entry.record(Change::Event(Event::Status(TaskStatusUpdateEvent {
            task_id: task_id.to_owned(),
            context_id,
            status: TaskStatus { state, message, timestamp },
        })));
        self.order.remove(&left);
        self.order.insert(Place { timestamp, task_id: task_id.to_owned() });
        Ok(())
    }

    /// Adds an artifact, or a chunk of one, to a task.
    ///
    /// # Errors
    /// [`Error::TaskNotFound`].
    pub fn add_artifact(
        &mut self,
        task_id: &str,
        artifact: Artifact,
        append: bool,
        last_chunk: bool,
    ) -> Result<(), Error> {
        let entry = self.entry_mut(task_id)?;
        let context_id = entry.task.context_id.clone();
        let task_id = task_id.to_owned();
        let known = entry.task.artifacts.as_deref().unwrap_or_default();
        let index = known.iter().position(|known| known.artifact_id == artifact.artifact_id).unwrap_or(known.len());
        entry.record(Change::Event(Event::Artifact(TaskArtifactUpdateEvent {
            task_id,
            context_id,
            index,
            artifact,
            append,
            last_chunk,
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

    /// Makes the last change once more for each reader but one. Only a fault asks for it.
    pub fn store_for_each_reader(&mut self) {
        for _ in 1..self.log.readers() {
            if let Some(change) = self.log.last() {
                change.apply(&mut self.task);
            }
        }
    }

    fn record(&mut self, change: Change) {
        change.apply(&mut self.task);
        self.log.push(change);
    }
}

/// A client's message with the ids of the task that it became part of.
fn addressed(mut message: Message, task: &Task) -> Message {
    message.task_id = Some(task.id.clone());
    message.context_id = Some(task.context_id.clone());
    message
}
