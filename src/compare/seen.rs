//! What a run of one side shows.

use super::Watcher;
use super::sight::{Lane, Sight};
use crate::event::{Event, Stopped};
use crate::report::Report;
use crate::suite::Suite;

/// A run, with what each of its exchanges shows.
#[derive(Debug)]
pub(super) struct Seen {
    /// Its report.
    pub report: Report,
    /// Its exchanges.
    pub sights: Vec<Sight>,
}

impl Seen {
    /// Runs a suite.
    pub async fn run(suite: Suite, lanes: &[Lane], watcher: &mut impl Watcher) -> Self {
        let secrets = suite.secrets().clone();
        let mut sights = Vec::new();
        let report = suite
            .run_with(|event| {
                if let Event::Exchanged(exchange) = event {
                    sights.push(Sight::of(exchange, lanes, &secrets));
                }
                watcher.see(event);
            })
            .await;
        Self { report, sights }
    }

    /// Why the run was ended from outside, if it was.
    pub fn interrupted(&self) -> Option<String> {
        match &self.report.stopped {
            None | Some(Stopped::Gone { .. } | Stopped::FirstFailure { .. }) => None,
            Some(stopped) => Some(stopped.to_string()),
        }
    }
}
