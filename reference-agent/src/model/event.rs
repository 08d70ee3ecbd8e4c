use std::sync::Arc;

use super::{Artifact, Message, Task, TaskStatus};

/// A task entered a new status (section 4.2.1).
#[derive(Debug, Clone, PartialEq)]
pub struct TaskStatusUpdateEvent {
    /// The task.
    pub task_id: String,
    /// Its context.
    pub context_id: String,
    /// The new status.
    pub status: TaskStatus,
    /// That of the task after the change.
    pub generation: i64,
}

/// A task has a new artifact, or more of one (section 4.2.2).
#[derive(Debug, Clone, PartialEq)]
pub struct TaskArtifactUpdateEvent {
    /// The task.
    pub task_id: String,
    /// Its context.
    pub context_id: String,
    /// Where the artifact stands among those of its task, from 0 on.
    pub index: usize,
    /// The artifact, or the chunk.
    pub artifact: Arc<Artifact>,
    /// Whether the parts are to be appended to the artifact with the same id.
    pub append: bool,
    /// Whether no more chunks of this artifact follow.
    pub last_chunk: bool,
    /// That of the task after the change.
    pub generation: i64,
}

/// What can happen to a task, as told to its watchers.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A new status.
    Status(TaskStatusUpdateEvent),
    /// A new artifact, or a chunk.
    Artifact(TaskArtifactUpdateEvent),
}

impl Event {
    /// The generation of the task after it.
    pub fn generation_mut(&mut self) -> &mut i64 {
        match self {
            Self::Status(update) => &mut update.generation,
            Self::Artifact(update) => &mut update.generation,
        }
    }
}

/// One element of a stream: a `StreamResponse` (section 3.2.3).
#[derive(Debug, Clone, PartialEq)]
pub enum StreamEvent {
    /// The task as it is when the stream begins.
    Task(Task),
    /// A direct answer, alone in its stream.
    Message(Message),
    /// What happened next.
    Update(Event),
}

impl StreamEvent {
    /// The same for clients of a version without generations.
    #[must_use]
    pub fn without_generation(mut self) -> Self {
        match &mut self {
            Self::Task(task) => task.generation = 0,
            Self::Update(event) => *event.generation_mut() = 0,
            Self::Message(_) => {}
        }
        self
    }
}
