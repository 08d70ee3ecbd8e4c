use std::sync::Arc;

use super::{Artifact, Message, Metadata, TaskArtifactUpdateEvent, Timestamp};

/// Where a task stands (section 4.1.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskState {
    /// Accepted, not begun.
    Submitted,
    /// Being worked on.
    Working,
    /// Ended well; terminal.
    Completed,
    /// Ended with an error; terminal.
    Failed,
    /// Ended at a client's wish; terminal.
    Canceled,
    /// Waits for a message; interrupted.
    InputRequired,
    /// Refused by the agent; terminal.
    Rejected,
    /// Waits for credentials; interrupted.
    AuthRequired,
}

impl TaskState {
    /// Whether the task has ended for good.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Canceled | Self::Rejected)
    }

    /// Whether the task waits for its client.
    pub const fn is_interrupted(self) -> bool {
        matches!(self, Self::InputRequired | Self::AuthRequired)
    }

    /// Whether nothing happens until a client acts: where a blocking send returns (section 3.2.2).
    pub const fn is_at_rest(self) -> bool {
        self.is_terminal() || self.is_interrupted()
    }
}

/// The state of a task, since when, and what the agent says to it (section 4.1.2).
#[derive(Debug, Clone, PartialEq)]
pub struct TaskStatus {
    /// The state.
    pub state: TaskState,
    /// A message of the agent that belongs to the state.
    pub message: Option<Arc<Message>>,
    /// When the state was entered.
    pub timestamp: Timestamp,
}

/// A unit of work (section 4.1.1). Its messages and artifacts are shared with whoever is shown them, so a copy of a task
/// costs no copies of these.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// Made by the agent, or by the client where its version wants it so.
    pub id: String,
    /// The context of the task; this agent always sets one.
    pub context_id: String,
    /// The current status.
    pub status: TaskStatus,
    /// What was made so far. `None` where the answer leaves artifacts out (section 3.1.4).
    pub artifacts: Option<Vec<Arc<Artifact>>>,
    /// Messages, oldest first.
    pub history: Vec<Arc<Message>>,
    /// Free-form.
    pub metadata: Metadata,
    /// How often the state and the artifacts have changed, from 1 on (1.1, section 3.2.7). 0 where that is not shown.
    pub generation: i64,
}

impl Task {
    /// Enters a new status. The message of the old one moves to the history, so that a conversation reads in order.
    pub fn enter(&mut self, status: TaskStatus) {
        let left = std::mem::replace(&mut self.status, status);
        self.history.extend(left.message);
    }

    /// Adds an artifact or a chunk of one (section 4.2.2).
    pub fn add_artifact(&mut self, update: &TaskArtifactUpdateEvent) {
        let artifacts = self.artifacts.get_or_insert_default();
        match artifacts.get_mut(update.index) {
            Some(known) if update.append => {
                let known = Arc::make_mut(known);
                known.parts.extend(update.artifact.parts.iter().cloned());
                known.metadata.extend(update.artifact.metadata.clone());
            }
            Some(known) => *known = Arc::clone(&update.artifact),
            None => artifacts.push(Arc::clone(&update.artifact)),
        }
    }

    /// The task with at most the `limit` most recent messages; no limit keeps all (section 3.2.4).
    pub fn with_history(&self, limit: Option<u32>) -> Self {
        let limit = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let surplus = self.history.len().saturating_sub(limit);
        Self {
            id: self.id.clone(),
            context_id: self.context_id.clone(),
            status: self.status.clone(),
            artifacts: self.artifacts.clone(),
            history: self.history.iter().skip(surplus).cloned().collect(),
            metadata: self.metadata.clone(),
            generation: self.generation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Part, Role};

    fn message(message_id: &str) -> Message {
        Message {
            message_id: message_id.to_owned(),
            context_id: None,
            task_id: None,
            role: Role::User,
            parts: vec![Part::text("x")],
            metadata: Metadata::new(),
            extensions: Vec::new(),
            reference_task_ids: Vec::new(),
        }
    }

    fn task(messages: &[&str]) -> Task {
        Task {
            id: "t".to_owned(),
            context_id: "c".to_owned(),
            status: TaskStatus { state: TaskState::Working, message: None, timestamp: Timestamp::UNIX_EPOCH },
            artifacts: None,
            history: messages.iter().map(|id| Arc::new(message(id))).collect(),
            metadata: Metadata::new(),
            generation: 1,
        }
    }

    fn ids(task: &Task) -> Vec<&str> {
        task.history.iter().map(|message| message.message_id.as_str()).collect()
    }

    fn chunk(index: usize, id: &str, text: &str, append: bool) -> TaskArtifactUpdateEvent {
        TaskArtifactUpdateEvent {
            task_id: "t".to_owned(),
            context_id: "c".to_owned(),
            index,
            artifact: Arc::new(Artifact::new(id.to_owned(), "name", vec![Part::text(text)])),
            append,
            last_chunk: false,
            generation: 2,
        }
    }

    #[test]
    fn history_keeps_the_most_recent_messages_in_order() {
        for (limit, expected) in [
            (None, vec!["a", "b", "c"]),
            (Some(0), vec![]),
            (Some(2), vec!["b", "c"]),
            (Some(3), vec!["a", "b", "c"]),
            (Some(u32::MAX), vec!["a", "b", "c"]),
        ] {
            let task = task(&["a", "b", "c"]).with_history(limit);
            assert_eq!(ids(&task), expected, "limit {limit:?}");
        }
    }

    #[test]
    fn a_copy_shares_what_it_shows() {
        let mut task = task(&["a"]);
        task.add_artifact(&chunk(0, "one", "x", false));
        let copy = task.with_history(None);
        assert_eq!(copy, task);
        assert!(Arc::ptr_eq(&copy.history[0], &task.history[0]));
        let artifact = |task: &Task| Arc::clone(&task.artifacts.as_ref().unwrap()[0]);
        assert!(Arc::ptr_eq(&artifact(&copy), &artifact(&task)));
        // What was shown stays as it was.
        task.add_artifact(&chunk(0, "one", "y", true));
        assert_eq!((artifact(&copy).parts.len(), artifact(&task).parts.len()), (1, 2));
    }

    #[test]
    fn the_message_of_a_left_status_joins_the_history() {
        let mut task = task(&["a"]);
        let status = |state, message| TaskStatus { state, message, timestamp: Timestamp::UNIX_EPOCH };
        task.enter(status(TaskState::InputRequired, Some(Arc::new(message("question")))));
        assert_eq!(ids(&task), ["a"]);
        task.enter(status(TaskState::Working, None));
        assert_eq!(ids(&task), ["a", "question"]);
    }

    #[test]
    fn chunks_add_up_and_whole_artifacts_replace() {
        let mut task = task(&[]);
        task.add_artifact(&chunk(0, "one", "a", false));
        task.add_artifact(&chunk(1, "two", "x", false));
        task.add_artifact(&chunk(0, "one", "b", true));
        task.add_artifact(&chunk(1, "two", "y", false));
        let artifacts = task.artifacts.unwrap();
        assert_eq!(artifacts.len(), 2);
        assert_eq!(artifacts[0].parts, [Part::text("a"), Part::text("b")]);
        assert_eq!(artifacts[1].parts, [Part::text("y")]);
    }
}
