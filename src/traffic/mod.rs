//! Traffic that others made: finds the calls of A2A in archives of HTTP, or takes them as they come, and has them judged as a run is.
//!
//! Enters: archives, and which agent of them is meant. Leaves: a [`Report`] of the cases that judge everything seen, and of those about
//! clients that hold in any traffic. It reads each
//! archive twice: first for the agent, its versions and interfaces, then for the exchanges. It sends nothing and prints nothing.

mod echo;
mod exchange;
mod find;
mod hidden;
mod met;
mod one_agent;
mod survey;
#[cfg(test)]
mod tests;
mod window;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::case::Library;
use crate::diagnostic::words::{count, count_as};
use crate::har::{self, HarError};
use crate::interface::Agent;
use crate::plan::{NothingMatches, Selection, Trial};
use crate::profile::{Binding, Profile};
use crate::report::Report;
use crate::secrets::Secrets;
use crate::transcript::Exchange;
use crate::verdict::TrialResult;
use exchange::Recorded;
pub(crate) use find::Found;
pub(crate) use one_agent::Traffic;
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
    /// No call in it can be judged.
    #[error("no A2A call could be judged")]
    NotJudged {
        /// Why, with how many calls it holds of.
        reasons: Vec<String>,
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
    /// Who judged it is gone.
    #[error("the traffic could not be judged to its end")]
    Lost,
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

/// Judges recorded traffic.
///
/// # Errors
/// [`TrafficError`].
pub(crate) fn judge(wanted: &Wanted, profiles: &[Arc<Profile>]) -> Result<Judged, TrafficError> {
    let mut survey = Survey::new(profiles);
    for file in &wanted.files {
        har::entries(file, &mut |entry| survey.see(&entry))?;
    }
    let found = find::find(&survey, wanted, profiles)?;
    drop(survey);
    let mut traffic = Traffic::new(found, &wanted.library, &wanted.selection)?;
    for file in &wanted.files {
        let name = file.display().to_string();
        har::entries(file, &mut |entry| traffic.take(&name, entry))?;
    }
    traffic.finish(&wanted.command, Duration::ZERO)
}

/// What cases that judge everything seen say of one exchange of the suite with an interface.
pub(crate) fn judge_one(
    agent: &Agent,
    trials: &[Arc<Trial>],
    interface: usize,
    exchange: &Exchange,
) -> Vec<TrialResult> {
    let mut judging = Judging::new(trials, agent, BTreeMap::new());
    let (exchange, suffix) = (exchange.clone(), String::new());
    judging.take(Recorded { interface, caller: 0, exchange, suffix, is_before: false, is_own: true });
    judging.end();
    judging.results().into_iter().map(|(result, _)| result).collect()
}

/// Secrets that were found on the way.
fn secrets_of(values: impl IntoIterator<Item = String>) -> Secrets {
    Secrets::new(values.into_iter().collect())
}
