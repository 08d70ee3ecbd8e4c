//! Recorded traffic: finds the calls of A2A in archives of HTTP and has them judged as a run is.
//!
//! Enters: archives, and which agent of them is meant. Leaves: a [`Report`] of the cases that judge everything seen. It reads each
//! archive twice: first for the agent, its versions and interfaces, then for the exchanges. It sends nothing and prints nothing.

mod echo;
mod exchange;
mod find;
mod hidden;
mod survey;
#[cfg(test)]
mod tests;
mod window;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::auth::Credentials;
use crate::case::Library;
use crate::diagnostic::words::{count, count_as};
use crate::event::Event;
use crate::har::{self, HarError};
use crate::plan::{self, Means, NothingMatches, Plan, Selection};
use crate::profile::{Binding, Profile};
use crate::report::{Report, ReportBuilder};
use crate::secrets::Secrets;
use exchange::Reader;
use find::Found;
use survey::Survey;
use window::Judging;

/// What is wanted.
pub(crate) struct Wanted {
    /// The archives, in the order in which they are read.
    pub files: Vec<PathBuf>,
    /// The agent that is meant: the beginning of its URL, or of its card's.
    pub agent: Option<String>,
    /// Which versions; empty: those that the traffic shows.
    pub profiles: Vec<String>,
    /// Which bindings; empty: all.
    pub bindings: Vec<Binding>,
    /// The cases and the catalogues.
    pub library: Arc<Library>,
    /// Which of the cases.
    pub selection: Selection,
    /// The command line that does the same again, without any selection of cases.
    pub command: String,
}

/// Traffic that cannot be judged.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TrafficError {
    /// An archive cannot be read.
    #[error(transparent)]
    Archive(#[from] HarError),
    /// Nothing in it is a call of A2A.
    #[error("no A2A call in {}{}", count_as(*.entries, "entry", "entries"), also(*.cards, *.grpc))]
    NoCalls {
        /// How many entries there are.
        entries: usize,
        /// How many cards.
        cards: usize,
        /// How many calls over gRPC.
        grpc: usize,
    },
    /// Of several agents none is named.
    #[error("the traffic is of several agents")]
    SeveralAgents {
        /// Where they are.
        urls: Vec<String>,
    },
    /// No agent is at the URL that was named.
    #[error("no A2A call to an agent at {wanted}")]
    NoSuchAgent {
        /// What was named.
        wanted: String,
        /// Where agents are.
        urls: Vec<String>,
    },
    /// Nothing in the traffic says the version.
    #[error("nothing in the traffic shows the protocol version at {url}: it can be {}", .versions.join(" or "))]
    NoVersion {
        /// The interface.
        url: String,
        /// What it can be.
        versions: Vec<String>,
    },
    /// What the user has selected is not there.
    #[error(transparent)]
    Selection(#[from] NothingMatches),
}

/// What is there in place of calls.
fn also(cards: usize, grpc: usize) -> String {
    let said = |number: usize, what: &str| (number > 0).then(|| count(number, what));
    let all: Vec<String> =
        said(cards, "agent card").into_iter().chain(said(grpc, "call over gRPC, which is not judged")).collect();
    if all.is_empty() { String::new() } else { format!(", only {}", all.join(" and ")) }
}

/// What became of the entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// All of them.
    pub entries: usize,
    /// Calls that were judged.
    pub judged: usize,
    /// Calls that could not be judged, by the reason.
    pub unreached: BTreeMap<&'static str, usize>,
}

impl Counts {
    /// Those that are no calls to the agent.
    pub fn ignored(&self) -> usize {
        self.entries.saturating_sub(self.judged + self.unreached.values().sum::<usize>())
    }
}

/// Traffic that was judged.
pub(crate) struct Judged {
    /// The report.
    pub report: Report,
    /// What became of the entries.
    pub counts: Counts,
}

/// Judges traffic.
///
/// # Errors
/// [`TrafficError`].
pub(crate) fn judge(wanted: &Wanted, profiles: &[Arc<Profile>]) -> Result<Judged, TrafficError> {
    let mut survey = Survey::new(profiles);
    for file in &wanted.files {
        har::entries(file, &mut |entry| survey.see(&entry))?;
    }
    let Found { mut agent, capabilities, names, began } = find::find(&survey, wanted, profiles)?;
    drop(survey);
    let credentials = Credentials::default();
    let means = Means { has_webhooks: false, lets_in_by_certificate: false, credentials: &credentials };
    let mut plan = plan::make(&wanted.library, &agent.interfaces, &capabilities, &wanted.selection, means)?;
    plan.trials.retain(|trial| trial.observes());
    wanted.selection.leaves(plan.trials.len())?;

    let mut reader = Reader::new(&agent, names, began);
    let mut judging = Judging::new(&plan.trials, &agent);
    for file in &wanted.files {
        let name = file.display().to_string();
        har::entries(file, &mut |entry| {
            if let Some(recorded) = reader.read(&name, entry) {
                judging.take(recorded);
            }
        })?;
    }
    let (counts, secrets) = (reader.counts.clone(), reader.secrets());
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
        agent.interfaces.iter_mut().filter(|listed| listed.interface.is_some()).for_each(|it| it.info.add_note(&note));
    }
    if judging.messages() == 0 && counts.judged == 0 && counts.unreached.is_empty() {
        return Err(TrafficError::NoCalls { entries: counts.entries, cards: agent.cards.len(), grpc: 0 });
    }
    let is_there = |index: usize| agent.interfaces.get(index).is_some_and(|listed| listed.interface.is_some());
    let results = judging.results();
    let plan =
        Arc::new(Plan { trials: plan.trials.iter().filter(|trial| is_there(trial.interface)).cloned().collect() });
    let mut builder = ReportBuilder::new(&agent.url, &wanted.command, Arc::clone(&plan), secrets.clone(), began);
    builder.of_part();
    builder.see(&Event::Met(agent.info()));
    for (interface, result, cited) in results {
        if is_there(interface) {
            builder.see(&Event::Finished { result: Box::new(result), cited }.masked(&secrets));
        }
    }
    builder.see(&Event::Done { messages_sent: judging.messages(), stopped: None });
    Ok(Judged { report: builder.finish(Duration::ZERO), counts })
}

/// Secrets that were found on the way.
fn secrets_of(values: impl IntoIterator<Item = String>) -> Secrets {
    Secrets::new(values.into_iter().collect())
}
