//! Generations of tasks: waiting for a later one, and messages for one (1.1, sections 3.2.2 and 3.2.7).

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::engine::Engine;
use super::error::Error;
use super::store::Store;
use crate::fault::Switch;

/// How long a client is kept waiting for a later generation, or twice as long as slow work takes.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

impl Engine {
    /// Waits until a task has a later generation than `known`, can have none, or has had none for some time.
    pub(super) async fn until_later(&self, task_id: &str, known: i64) -> Result<(), Error> {
        let end = Instant::now() + LONGEST_WAIT.max(self.config.slow * 2);
        let mut closing = self.closing();
        loop {
            let mut changes = {
                let mut store = self.store();
                let entry = store.entry_mut(task_id)?;
                let is_later = entry.task.generation > known && !self.config.breaks(Switch::HoldsEveryPoll);
                let is_over = entry.task.status.state.is_terminal() && !self.config.breaks(Switch::HoldsEveryPoll);
                if is_later || is_over || self.config.breaks(Switch::HoldsNoPoll) {
                    return Ok(());
                }
                entry.readers.follow()
            };
            let change = async {
                tokio::select! {
                    change = changes.next() => drop(change),
                    _ = closing.wait_for(|is_closing| *is_closing) => {}
                }
            };
            if timeout_at(end, change).await.is_err() || *closing.borrow() {
                return Ok(());
            }
        }
    }

    /// Checks that a task has the generation that a message is for. Nothing comes between this and what the message does.
    pub(super) fn check_generation(&self, store: &Store, task_id: &str, expected: i64) -> Result<(), Error> {
        let current = store.entry(task_id)?.task.generation;
        if current == expected || self.config.breaks(Switch::TakesAnyGeneration) {
            return Ok(());
        }
        Err(Error::TaskGenerationMismatch { task_id: task_id.to_owned(), expected, current })
    }
}
