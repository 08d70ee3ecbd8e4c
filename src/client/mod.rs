//! A whole run against a client: its wrapper is started and tested, every case about clients is run, and a report is made.
//!
//! Enters: the command of a wrapper, and what is wanted. Leaves: a [`Report`], in the form that checks of agents have. It composes
//! `wrapper`, `visit`, `judge` and `report`, and prints nothing.

mod board;
mod offer;
mod plan;
mod selftest;
pub(crate) mod serve;
#[cfg(test)]
mod tests;
mod trial;

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use tokio::sync::watch;

use crate::case::Library;
use crate::diagnostic::shell;
use crate::event::{Event, Stopped};
use crate::interface::TargetInfo;
use crate::plan::{NothingMatches, Selection};
use crate::profile::{self, Binding};
use crate::reason::Reason;
use crate::report::{Report, ReportBuilder};
use crate::secrets::Secrets;
use crate::session::stop::stopped;
use crate::stage::Host;
use crate::verdict::Verdict;
use crate::wrapper::{MOST_SILENCES, Output, Patience, Wrapper, WrapperError};
pub(crate) use plan::Speaks;
use trial::Stage;

/// How many cases are under way at once, unless the wrapper or the user wants fewer.
pub(crate) const JOBS: usize = 8;
/// How long a command may take.
pub(crate) const LIMIT: Duration = Duration::from_secs(10);

/// What is wanted.
pub(crate) struct Wanted {
    /// The command of the wrapper.
    pub command: Vec<String>,
    /// The cases and the catalogues.
    pub library: Arc<Library>,
    /// Which of the cases.
    pub selection: Selection,
    /// Which versions; empty: all that the client speaks.
    pub profiles: Vec<String>,
    /// Which bindings; empty: all that the client speaks.
    pub bindings: Vec<Binding>,
    /// How many cases may be under way at once.
    pub jobs: usize,
    /// How long a command may take.
    pub limit: Duration,
    /// How long the wrapper may take beside that.
    pub patience: Patience,
    /// The flags of the command line that does the same again, without any selection of cases.
    pub flags: Vec<String>,
    /// Turns true when the run is to end.
    pub stop: watch::Receiver<bool>,
}

/// A run that cannot be done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClientError {
    /// The wrapper cannot be worked with.
    #[error("{error}")]
    Wrapper {
        /// Why.
        error: WrapperError,
        /// What it has written.
        output: Output,
    },
    /// The wrapper does not drive its client.
    #[error("the wrapper failed its self-test: {what}")]
    SelfTest {
        /// In what.
        what: String,
        /// What it has written.
        output: Output,
    },
    /// The client speaks nothing that is checked.
    #[error("nothing to check: {0}")]
    Nothing(String),
    /// The user ended it before the first case.
    #[error("interrupted before the first case")]
    Interrupted,
    /// What is to be served without a wrapper cannot be.
    #[error("nothing to serve: {0}")]
    NotServed(String),
    /// What the user has selected is not there.
    #[error(transparent)]
    Selection(#[from] NothingMatches),
    /// The suite cannot serve its agents.
    #[error("the scripted agents cannot be served: {0}")]
    Host(#[from] std::io::Error),
}

/// A run that is over.
pub(crate) struct Finished {
    /// The report.
    pub report: Report,
    /// What the wrapper has written.
    pub output: Output,
}

/// A run that can be done: the wrapper is at work, and has passed its self-test.
pub(crate) struct Prepared {
    wanted: Wanted,
    wrapper: Wrapper,
    host: Host,
    plan: Arc<crate::plan::Plan>,
    target: TargetInfo,
    pairs: Vec<plan::Pair>,
}

impl Prepared {
    /// What is checked, in words.
    pub fn title(&self) -> String {
        let over: Vec<String> =
            self.pairs.iter().map(|pair| format!("A2A {} over {}", pair.profile.name(), pair.binding)).collect();
        let cases = self.plan.trials.len();
        format!("client {}: {}; {cases} cases", self.wrapper.hello().title(), over.join(", "))
    }

    /// How many trials there are.
    pub fn trials(&self) -> usize {
        self.plan.trials.len()
    }
}

/// Starts the wrapper, tests it, and plans.
pub(crate) async fn prepare(wanted: Wanted) -> Result<Prepared, ClientError> {
    let profiles = profile::bundled().map_err(|mistake| ClientError::Nothing(mistake.message))?;
    let starting = Wrapper::start(&wanted.command, wanted.jobs, wanted.patience);
    let wrapper = tokio::select! {
        started = starting => started.map_err(|(error, output)| ClientError::Wrapper { error, output })?,
        () = stopped(&wanted.stop) => return Err(ClientError::Interrupted),
    };
    let host = Host::start().await?;
    let pairs = plan::pairs(&profiles, wrapper.hello(), &wanted)?;
    let plan = Arc::new(plan::make(&wanted.library, &pairs, &wanted.selection)?);
    let target = plan::target(&pairs, wrapper.hello(), host.url());
    if let Some(pair) = pairs.first() {
        let tested = selftest::run(&wrapper, &host, pair, wanted.limit);
        let tested = tokio::select! {
            tested = tested => tested,
            () = stopped(&wanted.stop) => return Err(ClientError::Interrupted),
        };
        tested.map_err(|what| ClientError::SelfTest { what, output: wrapper.output() })?;
    }
    Ok(Prepared { wanted, wrapper, host, plan, target, pairs })
}

/// Runs the cases and tells what happens.
pub(crate) async fn run(prepared: Prepared, mut listener: impl FnMut(&Event)) -> Finished {
    let Prepared { wanted, wrapper, host, plan, target, pairs } = prepared;
    let began = Instant::now();
    let title = target.url.clone();
    let command = again(&wanted.flags);
    let mut builder = ReportBuilder::new(&title, &command, Arc::clone(&plan), Secrets::default(), crate::clock::now());
    builder.of_client(&shell::line(&wanted.command));
    let mut tell = |event: Event| {
        listener(&event);
        builder.see(&event);
    };
    tell(Event::Met(target));
    let stage = Stage { wrapper: &wrapper, host: &host, limit: wanted.limit };
    let jobs = wrapper.jobs();
    let mut ended: Option<Stopped> = None;
    {
        let pairs = &pairs;
        let trials = plan.trials.iter().filter(|trial| trial.skipped.is_none());
        let mut under_way = futures_util::stream::iter(trials.map(|trial| {
            let pair = pairs.get(trial.interface);
            async move {
                match (pair, is_over(stage.wrapper)) {
                    (None, _) => None,
                    (Some(_), Some(how)) => {
                        let reason = Reason::WrapperGone { how };
                        Some((trial.without_findings(Verdict::Unreached, reason), Vec::new()))
                    }
                    (Some(pair), None) => Some(trial::run(trial, pair, stage, began).await),
                }
            }
        }))
        .buffer_unordered(jobs);
        loop {
            let next = tokio::select! {
                next = under_way.next() => next,
                () = stopped(&wanted.stop) => {
                    ended = Some(Stopped::Interrupted);
                    None
                }
            };
            let Some(done) = next else { break };
            if let Some((result, cited)) = done {
                tell(Event::Finished { result: Box::new(result), cited });
            }
        }
    }
    if let Some(how) = is_over(&wrapper) {
        ended.get_or_insert(Stopped::Gone { how: format!("the wrapper is gone: {how}") });
    }
    tell(Event::Done { messages_sent: 0, stopped: ended });
    let output = wrapper.output();
    wrapper.close().await;
    Finished { report: builder.finish(began.elapsed()), output }
}

/// Why nothing more is asked of a wrapper, if so.
fn is_over(wrapper: &Wrapper) -> Option<String> {
    let is_silent = wrapper.silences() >= MOST_SILENCES;
    wrapper.gone().or_else(|| is_silent.then(|| format!("it did not answer {MOST_SILENCES} commands in a row")))
}

/// The command line that does the same again, up to the selection of cases.
fn again(flags: &[String]) -> String {
    let flags: String = flags.iter().map(|flag| format!(" {}", shell::word(flag, ""))).collect();
    format!("a2aspec client{flags}")
}
