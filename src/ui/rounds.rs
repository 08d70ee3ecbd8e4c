//! The runs: one after the other, each with the agent as it is by then.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde::Deserialize;
use serde_json::json;
use tokio::sync::{mpsc, watch};

use super::known::{Place, line};
use super::{Find, Found, Missing, Shared};
use crate::event::Event;
use crate::suite::{Pulse, Suite};

/// What is to be run.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Choice {
    /// Nothing: the agent is only looked for.
    Nothing,
    /// Every case.
    All,
    /// What was wrong; everything where nothing was.
    Failed,
    /// These.
    Cases(BTreeSet<Place>),
}

/// What runs, and what it waits for.
pub(super) struct Rounds<'f> {
    find: &'f Find<'f>,
    shared: Arc<Shared>,
    chosen: mpsc::Receiver<Choice>,
    stop: watch::Receiver<bool>,
}

/// What was at the cards of the agent when it was last looked for, and the way there.
struct Seen {
    pulse: Arc<Pulse>,
    cards: Option<u64>,
}

impl<'f> Rounds<'f> {
    /// None has run.
    pub fn new(
        find: &'f Find<'f>,
        shared: Arc<Shared>,
        chosen: mpsc::Receiver<Choice>,
        stop: watch::Receiver<bool>,
    ) -> Self {
        Self { find, shared, chosen, stop }
    }

    /// Looks for the agent, and then runs what is chosen, until all is to end.
    pub async fn go_on(mut self) {
        let mut seen = self.round(Choice::Nothing).await;
        while let Some(choice) = self.wait(seen.as_ref()).await {
            seen = self.round(choice).await;
        }
    }

    /// What is to be run next; nothing at the end.
    async fn wait(&mut self, seen: Option<&Seen>) -> Option<Choice> {
        let Self { shared, chosen, stop, .. } = self;
        let mut watching = shared.is_watching.subscribe();
        let changed = async {
            // Who is gone and comes back is looked for, whether or not it is watched.
            let is_missing = seen.is_none_or(|seen| seen.cards.is_none());
            if !is_missing && watching.wait_for(|is_on| *is_on).await.is_err() {
                return std::future::pending().await;
            }
            match seen {
                Some(seen) => seen.pulse.changed(seen.cards, || shared.report("gone", &json!({}))).await,
                None => std::future::pending().await,
            }
            if *shared.is_watching.borrow() { Choice::Failed } else { Choice::Nothing }
        };
        tokio::select! {
            choice = chosen.recv() => choice,
            choice = changed => Some(choice),
            _ended = stop.wait_for(|is_over| *is_over) => None,
        }
    }

    /// Finds the agent and runs what is chosen.
    async fn round(&mut self, choice: Choice) -> Option<Seen> {
        self.shared.is_running.store(true, Ordering::Release);
        self.shared.stopper.send_replace(false);
        let seen = self.play(choice).await;
        self.shared.is_running.store(false, Ordering::Release);
        self.shared.report("changed", &json!({}));
        seen
    }

    async fn play(&mut self, choice: Choice) -> Option<Seen> {
        let (find, mut stop) = (self.find, self.stop.clone());
        let found = tokio::select! {
            found = find() => found,
            _ended = stop.wait_for(|is_over| *is_over) => return None,
        };
        let Found { mut suite, pulse } = match found {
            Ok(found) => found,
            Err(missing) => return self.miss(missing),
        };
        let seen = Seen { cards: pulse.look().await, pulse: Arc::new(pulse) };
        suite.keep_steps();
        suite.end_with(self.shared.stopper.subscribe());
        let wanted = {
            let mut known = self.shared.known();
            known.meet(&suite);
            known.wanted(choice)
        };
        self.shared.report("changed", &json!({}));
        if wanted.is_empty() {
            return Some(seen);
        }
        suite.retain(|trial| wanted.contains(&Place::of(trial)));
        self.run(suite).await;
        Some(seen)
    }

    async fn run(&self, suite: Suite) {
        let shared = &self.shared;
        let cases = suite.plan().trials.len();
        shared.report("began", &json!({ "cases": cases }));
        shared.known().begin(cases);
        let forward = async {
            let mut stop = self.stop.clone();
            // The end of the program ends the run.
            let _ended = stop.wait_for(|is_over| *is_over).await;
            shared.stopper.send_replace(true);
            std::future::pending::<()>().await;
        };
        let run = suite.run_with(|event| {
            if let Event::Finished { result, .. } | Event::Again { result } | Event::Without { result, .. } = event {
                shared.report("result", &line(result));
            }
            shared.known().see(event);
        });
        tokio::select! {
            _report = run => {}
            () = forward => {}
        }
        shared.known().end();
    }

    /// There is no agent, for now.
    fn miss(&self, missing: Missing) -> Option<Seen> {
        let seen = missing.pulse.clone().map(|pulse| Seen { pulse, cards: None });
        self.shared.known().miss(missing);
        seen
    }
}
