//! The traffic of one agent, exchange by exchange: which cases judge it, and what they say.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::exchange::Reader;
use super::find::Found;
use super::window::Judging;
use super::{Judged, TrafficError};
use crate::case::Library;
use crate::diagnostic::words::count;
use crate::event::Event;
use crate::har::Entry;
use crate::interface::Agent;
use crate::plan::{self, Plan, Selection, Trial};
use crate::report::ReportBuilder;
use crate::transcript::Exchange;

/// The traffic of an agent while it is judged.
pub(crate) struct Traffic {
    agent: Agent,
    plan: Plan,
    began: Timestamp,
    reader: Reader,
    judging: Judging,
    /// The assertions of which a line was given while it went on.
    reported: BTreeSet<String>,
}

impl Traffic {
    /// No traffic of an agent yet.
    ///
    /// # Errors
    /// The selection matches nothing.
    pub fn new(found: Found, library: &Library, selection: &Selection) -> Result<Self, TrafficError> {
        let Found { agent, capabilities, names, began } = found;
        let plan = plan::of_traffic(library, &agent.interfaces, &capabilities, selection)?;
        let reader = Reader::new(&agent, names, began);
        let judging = Judging::new(&plan.trials, &agent, capabilities);
        Ok(Self { agent, plan, began, reader, judging, reported: BTreeSet::new() })
    }

    /// Takes an entry of a file, or of what is recorded under a name.
    pub fn take(&mut self, name: &str, entry: Entry) {
        if let Some(recorded) = self.reader.read(name, entry) {
            self.judging.take(recorded);
        }
    }

    /// An entry as an archive may show it: without credentials.
    pub fn masked(&mut self, entry: &Entry) -> Exchange {
        self.reader.masked(entry)
    }

    /// Counts calls that cannot be judged, and why, as a clause.
    pub fn leave_out(&mut self, calls: usize, why: &'static str) {
        if calls > 0 {
            self.reader.counts.entries += calls;
            *self.reader.counts.unreached.entry(why).or_default() += calls;
        }
    }

    /// When it began.
    pub fn began(&self) -> Timestamp {
        self.began
    }

    /// What is wrong, and was not reported before: a line for each.
    pub fn news(&mut self) -> Vec<String> {
        let secrets = self.reader.secrets();
        let found = self.judging.findings().into_iter();
        found
            .filter(|(assertion, _)| self.reported.insert(assertion.clone()))
            .map(|(_, line)| secrets.mask(&line))
            .collect()
    }

    /// The report, of traffic that took so long.
    ///
    /// # Errors
    /// Nothing in it is a call of A2A.
    pub fn finish(self, command: &str, took: Duration) -> Result<Judged, TrafficError> {
        let Self { mut agent, plan, began, reader, mut judging, .. } = self;
        let (secrets, counts) = (reader.secrets(), reader.counts);
        judging.end();
        for (index, listed) in agent.interfaces.iter_mut().enumerate() {
            match (judging.calls(index), &listed.interface) {
                (_, None) => {}
                (0, Some(_)) => listed.skip("the traffic has no call to it that can be judged"),
                (calls, Some(_)) => listed.info.add_note(&format!("{} judged", count(calls, "recorded call"))),
            }
        }
        for (reason, number) in &counts.unreached {
            let note = format!("{} not judged: {reason}", count(*number, "recorded call"));
            let checked = agent.interfaces.iter_mut().filter(|listed| listed.interface.is_some());
            checked.for_each(|it| it.info.add_note(&note));
        }
        if counts.judged == 0 {
            let reasons = counts.unreached.iter();
            let reasons: Vec<String> =
                reasons.map(|(why, number)| format!("{}: {why}", count(*number, "call"))).collect();
            return Err(match reasons.is_empty() {
                true => TrafficError::NoCalls { entries: counts.entries, cards: agent.cards.len(), grpc: 0 },
                false => TrafficError::NotJudged { reasons },
            });
        }
        let is_there = |index: usize| agent.interfaces.get(index).is_some_and(|listed| listed.interface.is_some());
        let is_judged = |trial: &Trial| is_there(trial.interface) && judging.concerns(trial);
        let kept: Vec<bool> = plan.trials.iter().map(|trial| is_judged(trial)).collect();
        let trials = plan.trials.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(trial, _)| Arc::clone(trial));
        let plan = Arc::new(Plan { trials: trials.collect() });
        let mut builder = ReportBuilder::new(&agent.url, command, Arc::clone(&plan), secrets.clone(), began);
        builder.of_part();
        builder.see(&Event::Met(agent.info()));
        for ((result, cited), _) in judging.results().into_iter().zip(kept).filter(|(_, kept)| *kept) {
            builder.see(&Event::Finished { result: Box::new(result), cited }.masked(&secrets));
        }
        builder.see(&Event::Done { messages_sent: judging.messages(), stopped: None });
        Ok(Judged { report: builder.finish(took), counts })
    }
}
