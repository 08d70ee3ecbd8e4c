//! What a run asks of an agent at once, and what became of it: shared by all sessions of the run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use tokio::sync::{Mutex, MutexGuard, OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

use crate::transcript::{Answer, Content, Ended};

/// What is under way, and whether the agent stopped answering for it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Load {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// Held by each case while it talks: alone by one that runs by itself.
    door: Arc<RwLock<()>>,
    is_one_by_one: AtomicBool,
    /// Held while an interface waits for the agent.
    watch: Mutex<()>,
    /// For how many reasons cases are to ask nothing, so that nothing is under way.
    halts: AtomicUsize,
    was_waited_for: AtomicBool,
    is_back: AtomicBool,
    was_told: AtomicBool,
    under_way: AtomicUsize,
    /// The most requests that were under way when one was left unanswered.
    most: AtomicUsize,
    silences: AtomicUsize,
    streams_left: AtomicUsize,
}

/// A case's turn to talk.
#[derive(Debug)]
pub(crate) enum Turn {
    /// Others may talk as well.
    Beside(#[expect(dead_code, reason = "it is held")] OwnedRwLockReadGuard<()>),
    /// Nobody else does.
    Alone(#[expect(dead_code, reason = "it is held")] OwnedRwLockWriteGuard<()>),
}

/// As long as it is there, cases ask nothing.
pub(super) struct Halt<'a>(&'a Inner);

impl Drop for Halt<'_> {
    fn drop(&mut self) {
        self.0.halts.fetch_sub(1, Relaxed);
    }
}

/// A request that is under way.
pub(super) struct UnderWay<'a>(&'a Inner);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Relaxed);
    }
}

impl Load {
    /// Waits for the turn of a case: beside others, unless cases run one by one.
    pub async fn turn(&self) -> Turn {
        if !self.is_one_by_one() {
            let turn = Arc::clone(&self.inner.door).read_owned().await;
            // That may have changed in the meantime.
            if !self.is_one_by_one() {
                return Turn::Beside(turn);
            }
        }
        self.alone().await
    }

    /// Has cases run one by one from now on.
    pub fn go_one_by_one(&self) {
        self.inner.is_one_by_one.store(true, Relaxed);
    }

    /// Whether cases run one by one.
    pub fn is_one_by_one(&self) -> bool {
        self.inner.is_one_by_one.load(Relaxed)
    }

    /// Waits until no case talks.
    pub(super) async fn alone(&self) -> Turn {
        Turn::Alone(Arc::clone(&self.inner.door).write_owned().await)
    }

    /// Keeps cases from asking anything.
    pub(super) fn halt(&self) -> Halt<'_> {
        self.inner.halts.fetch_add(1, Relaxed);
        Halt(&self.inner)
    }

    /// Whether cases are to ask nothing.
    pub(super) fn is_halted(&self) -> bool {
        self.inner.halts.load(Relaxed) > 0
    }

    /// Waits until no other interface waits for the agent.
    pub(super) async fn watch(&self) -> MutexGuard<'_, ()> {
        self.inner.watch.lock().await
    }

    /// Whether the agent was waited for before. From now on it was.
    pub(super) fn note_waited_for(&self) -> bool {
        self.inner.was_waited_for.swap(true, Relaxed)
    }

    /// Whether the agent answered again when nothing else was under way, so that cases run one by one.
    pub fn is_back(&self) -> bool {
        self.inner.is_back.load(Relaxed)
    }

    pub(super) fn note_back(&self) {
        self.go_one_by_one();
        self.inner.is_back.store(true, Relaxed);
    }

    /// Whether it was noted before that the agent was overwhelmed. From now on it is.
    pub(super) fn note_told(&self) -> bool {
        self.inner.was_told.swap(true, Relaxed)
    }

    /// Whether it was noted that the agent was overwhelmed.
    pub fn was_told(&self) -> bool {
        self.inner.was_told.load(Relaxed)
    }

    /// Counts a request for as long as it is under way.
    pub(super) fn request(&self) -> UnderWay<'_> {
        self.inner.under_way.fetch_add(1, Relaxed);
        UnderWay(&self.inner)
    }

    /// Counts what an answer shows. It is not under way any more.
    pub(super) fn note(&self, answer: &Answer) {
        let is_left = matches!(answer.exchange.ended, Ended::HungUp | Ended::LeftOpen);
        if matches!(answer.content, Content::Stream(_)) && is_left {
            self.inner.streams_left.fetch_add(1, Relaxed);
        }
        if answer.is_silence() {
            self.inner.silences.fetch_add(1, Relaxed);
            self.inner.most.fetch_max(self.inner.under_way.load(Relaxed) + 1, Relaxed);
        }
    }

    /// How many requests were left unanswered so far.
    pub fn silences(&self) -> usize {
        self.inner.silences.load(Relaxed)
    }

    /// The most requests that were under way when one was left unanswered.
    pub(super) fn most_under_way(&self) -> usize {
        self.inner.most.load(Relaxed)
    }

    /// How many streams were left before their end, at least.
    pub(super) fn streams_left(&self) -> usize {
        self.inner.streams_left.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn cases_talk_beside_each_other_until_they_run_one_by_one() {
        let load = Load::default();
        let turn = || load.turn().now_or_never();
        let (one, other) = (turn(), turn());
        assert!(matches!((&one, &other), (Some(Turn::Beside(_)), Some(Turn::Beside(_)))));
        assert!(load.alone().now_or_never().is_none());
        drop((one, other));
        load.go_one_by_one();
        let alone = turn();
        assert!(matches!(alone, Some(Turn::Alone(_))));
        assert!(turn().is_none());
    }

    #[test]
    fn requests_are_counted_while_they_are_under_way() {
        let load = Load::default();
        let (one, other) = (load.request(), load.request());
        assert_eq!(load.inner.under_way.load(Relaxed), 2);
        drop((one, other));
        assert_eq!(load.inner.under_way.load(Relaxed), 0);
    }
}
