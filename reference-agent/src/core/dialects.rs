//! In which form clients of 0.3 write of each task over HTTP+JSON. The core keeps it, and does not look into it.

use super::engine::Engine;
use crate::config::RestDialect;
use crate::fault::Switch;

impl Engine {
    /// The form in which a request is read and answered: the only one of the agent, or the one that the request has
    /// `shown`, or that of the last message to its task. Who began a task in one form cannot read it in the other.
    pub fn rest_dialect(&self, shown: Option<RestDialect>, task_id: Option<&str>) -> RestDialect {
        let of_task = || match self.config.breaks(Switch::ForgetsRestDialects) {
            true => None,
            false => self.store().entry(task_id?).ok()?.rest_dialect,
        };
        self.config.rest_dialect.or(shown).or_else(of_task).unwrap_or_default()
    }

    /// Remembers in which form a message to a task was written.
    pub fn note_rest_dialect(&self, task_id: &str, dialect: RestDialect) {
        if let Ok(entry) = self.store().entry_mut(task_id) {
            entry.rest_dialect = Some(dialect);
        }
    }
}
