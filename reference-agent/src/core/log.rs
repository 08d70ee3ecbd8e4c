//! What happens to a task, told to those who read along.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::model::{Event, Message, Task};

/// One change of a task. A task is its first state and all its changes since.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Something that watchers are told.
    Event(Event),
    /// A message was added to the history. Watchers are not told: no event of the protocol says so.
    Message(Arc<Message>),
}

impl Change {
    /// Makes the change to `task`.
    pub fn apply(&self, task: &mut Task) {
        match self {
            Self::Event(Event::Status(update)) => {
                task.enter(update.status.clone());
                task.generation = update.generation;
            }
            Self::Event(Event::Artifact(update)) => {
                task.add_artifact(update);
                task.generation = update.generation;
            }
            Self::Message(message) => task.history.push(Arc::clone(message)),
        }
    }
}

/// Those who read the changes of one task. Each has a queue of its own, so none misses a change, none sees one twice, and a
/// slow one holds up nobody (section 3.5.2). What nobody reads is kept nowhere.
#[derive(Debug, Default)]
pub struct Readers(Vec<Reader>);

/// One of those who read, seen from the task.
#[derive(Debug)]
struct Reader {
    queue: UnboundedSender<Arc<Change>>,
    /// The room in the queue, where it has a bound.
    room: Option<Arc<Semaphore>>,
}

impl Reader {
    /// Tells a change. Whether the reader is still there, and had room for it.
    fn tell(&self, change: &Arc<Change>) -> bool {
        if let Some(room) = &self.room {
            match room.try_acquire() {
                Ok(place) => place.forget(),
                Err(_) => return false,
            }
        }
        self.queue.send(Arc::clone(change)).is_ok()
    }
}

impl Readers {
    /// A reader of the changes from now on.
    pub fn follow(&mut self) -> Follower {
        self.follow_with(None)
    }

    /// The same with room for so many changes that were not read yet. Who falls further behind is sent away.
    pub fn follow_within(&mut self, room: usize) -> Follower {
        self.follow_with(Some(Arc::new(Semaphore::new(room))))
    }

    fn follow_with(&mut self, room: Option<Arc<Semaphore>>) -> Follower {
        // Those who have left are forgotten, also where nothing happens that they could be told.
        self.0.retain(|reader| !reader.queue.is_closed());
        let (queue, changes) = unbounded_channel();
        self.0.push(Reader { queue, room: room.clone() });
        Follower { changes, room }
    }

    /// Tells a change to all readers.
    pub fn tell(&mut self, change: &Arc<Change>) {
        self.0.retain(|reader| reader.tell(change));
    }

    /// Sends the readers away, once they have read what they were told.
    pub fn dismiss(&mut self) {
        self.0 = Vec::new();
    }

    /// How many readers there are, as far as is known.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// One of the [`Readers`].
#[derive(Debug)]
pub struct Follower {
    changes: UnboundedReceiver<Arc<Change>>,
    room: Option<Arc<Semaphore>>,
}

impl Follower {
    /// The next change, as soon as there is one; `None` when the reader has been sent away.
    pub async fn next(&mut self) -> Option<Arc<Change>> {
        let change = self.changes.recv().await?;
        if let Some(room) = &self.room {
            room.add_permits(1);
        }
        Some(change)
    }

    /// The next change, if there is one already.
    #[cfg(test)]
    pub fn try_next(&mut self) -> Option<Arc<Change>> {
        self.changes.try_recv().ok()
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

    fn change(milliseconds: i64) -> Arc<Change> {
        Arc::new(Change::Event(Event::Status(TaskStatusUpdateEvent {
            task_id: "t".to_owned(),
            context_id: "c".to_owned(),
            status: TaskStatus {
                state: TaskState::Working,
                message: None,
                timestamp: Timestamp::from_milliseconds(milliseconds),
            },
            generation: 2,
        })))
    }

    #[tokio::test]
    async fn every_reader_gets_every_change_from_its_place_on() {
        let mut readers = Readers::default();
        let mut early = readers.follow();
        readers.tell(&change(1));
        readers.tell(&change(2));
        let mut late = readers.follow();
        readers.tell(&change(3));
        readers.dismiss();
        for expected in [1, 2, 3] {
            assert_eq!(early.next().await.unwrap(), change(expected));
        }
        assert_eq!(late.next().await.unwrap(), change(3));
        assert_eq!(early.next().await, None);
    }

    #[tokio::test]
    async fn a_reader_is_woken_by_a_change() {
        let mut readers = Readers::default();
        let mut reader = readers.follow();
        let waiting = tokio::spawn(async move { reader.next().await });
        tokio::task::yield_now().await;
        readers.tell(&change(7));
        assert_eq!(waiting.await.unwrap().unwrap(), change(7));
    }

    #[tokio::test]
    async fn who_falls_too_far_behind_is_sent_away() {
        let mut readers = Readers::default();
        let (mut slow, mut patient) = (readers.follow_within(2), readers.follow());
        for number in 1..=2 {
            readers.tell(&change(number));
        }
        assert_eq!(slow.next().await.unwrap(), change(1));
        for number in 3..=4 {
            readers.tell(&change(number));
        }
        for number in 2..=3 {
            assert_eq!(slow.next().await.unwrap(), change(number));
        }
        assert_eq!((slow.next().await, readers.len()), (None, 1));
        assert_eq!(patient.next().await.unwrap(), change(1));
    }

    #[test]
    fn readers_that_leave_are_forgotten() {
        let mut readers = Readers::default();
        for _ in 0..10 {
            drop(readers.follow());
        }
        let staying = readers.follow();
        assert_eq!(readers.len(), 1);
        drop(staying);
        readers.tell(&change(1));
        assert!(readers.is_empty());
    }
}
