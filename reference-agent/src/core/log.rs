//! What happened to a task, in order, for as many readers as there are.

use std::sync::Arc;

use tokio::sync::watch;

use crate::model::{Event, Message, Task};

/// One change of a task. A task is its first state and all its changes since.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Something that watchers are told.
    Event(Event),
    /// A message was added to the history. Watchers are not told: no event of the protocol says so.
    Message(Message),
}

impl Change {
    /// Makes the change to `task`.
    pub fn apply(&self, task: &mut Task) {
        match self {
            Self::Event(Event::Status(update)) => task.enter(update.status.clone()),
            Self::Event(Event::Artifact(update)) => task.add_artifact(update),
            Self::Message(message) => task.history.push(message.clone()),
        }
    }
}

/// The changes of one task. Every reader keeps its own place, so none misses a change, none sees one twice, and a slow
/// one holds up nobody (section 3.5.2).
#[derive(Debug)]
pub struct ChangeLog {
    changes: watch::Sender<Vec<Arc<Change>>>,
}

impl ChangeLog {
    /// A log without changes.
    pub fn new() -> Self {
        Self { changes: watch::Sender::new(Vec::new()) }
    }

    /// Adds a change and wakes the readers.
    pub fn push(&self, change: Change) {
        self.changes.send_modify(|changes| changes.push(Arc::new(change)));
    }

    /// How many readers there are.
    pub fn readers(&self) -> usize {
        self.changes.receiver_count()
    }

    /// The last change.
    pub fn last(&self) -> Option<Arc<Change>> {
        self.changes.borrow().last().cloned()
    }

    /// A reader of the changes from now on.
    pub fn follow(&self) -> Follower {
        let changes = self.changes.subscribe();
        let place = changes.borrow().len();
        Follower { changes, place }
    }
}

/// A reader of a [`ChangeLog`].
#[derive(Debug)]
pub struct Follower {
    changes: watch::Receiver<Vec<Arc<Change>>>,
    place: usize,
}

impl Follower {
    /// The next change, as soon as there is one; `None` when the log is gone.
    pub async fn next(&mut self) -> Option<Arc<Change>> {
        let place = self.place;
        let changes = self.changes.wait_for(|changes| changes.len() > place).await.ok()?;
        self.place += 1;
        changes.get(place).cloned()
    }

    /// The next event, passing over other changes.
    pub async fn next_event(&mut self) -> Option<Event> {
        loop {
            if let Change::Event(event) = self.next().await?.as_ref() {
                return Some(event.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{TaskState, TaskStatus, TaskStatusUpdateEvent, Timestamp};

    fn change(milliseconds: i64) -> Change {
        Change::Event(Event::Status(TaskStatusUpdateEvent {
            task_id: "t".to_owned(),
            context_id: "c".to_owned(),
            status: TaskStatus {
                state: TaskState::Working,
                message: None,
                timestamp: Timestamp::from_milliseconds(milliseconds),
            },
        }))
    }

    #[tokio::test]
    async fn every_reader_gets_every_change_from_its_place_on() {
        let log = ChangeLog::new();
        let mut early = log.follow();
        log.push(change(1));
        log.push(change(2));
        let mut late = log.follow();
        log.push(change(3));
        for expected in [1, 2, 3] {
            assert_eq!(*early.next().await.unwrap(), change(expected));
        }
        assert_eq!(*late.next().await.unwrap(), change(3));
        drop(log);
        assert_eq!(early.next().await, None);
    }

    #[tokio::test]
    async fn a_reader_is_woken_by_a_change() {
        let log = ChangeLog::new();
        let mut reader = log.follow();
        let waiting = tokio::spawn(async move { reader.next().await });
        tokio::task::yield_now().await;
        log.push(change(7));
        assert_eq!(*waiting.await.unwrap().unwrap(), change(7));
    }
}
