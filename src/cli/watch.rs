//! `a2aspec watch`: for whoever works on an agent: what was wrong is run again whenever the agent is another.

use std::collections::BTreeSet;
use std::io::{BufRead as _, IsTerminal as _};
use std::sync::Arc;

use tokio::sync::{mpsc, watch};

use super::args::{CheckArgs, WatchArgs};
use super::check::gate;
use super::fail::{self, Failure, library};
use super::own_agent::OwnAgent;
use super::progress::Progress;
use super::settings::{self, Settings};
use super::undone::Reports;
use super::{Exit, own_agent, print, sets, signals, tell};
use crate::case::Library;
use crate::diagnostic::words::count;
use crate::plan::Trial;
use crate::report::{Report, Secrets};
use crate::suite::Pulse;
use crate::verdict::TrialResult;

/// A case over one binding in one version.
type Place = (String, String, String);

/// Runs rounds until Ctrl-C. The exit code is that of the last one.
pub(super) async fn run(args: WatchArgs) -> Result<Exit, Failure> {
    let stop = signals::heard()?;
    let WatchArgs { target, selection, requirements } = args;
    settings::without_trace("watch", &target)?;
    let args = CheckArgs { target, selection, requirements, ..CheckArgs::default() };
    let Settings { suite, own, .. } = settings::resolve(args.clone())?;
    let own = own_agent::start_for(&suite, own).await?;
    let mut watcher = Watcher { args, own, stop, library: None, left: BTreeSet::new(), rounds: 0, asked: keys() };
    loop {
        let Round { exit, pulse, seen, secrets } = match watcher.round().await {
            Ok(round) => round,
            // Who writes an agent has it down, or broken, from time to time.
            Err(failure) if failure.exit == Exit::Target => {
                fail::show(&failure);
                let (pulse, secrets) = settings::pulse(&watcher.args, None)?;
                Round { exit: failure.exit, pulse, seen: None, secrets }
            }
            Err(failure) => return Err(failure),
        };
        if *watcher.stop.borrow() || !watcher.wait(&pulse, seen, &secrets).await {
            return Ok(exit);
        }
    }
}

/// What is known between two rounds.
struct Watcher {
    args: CheckArgs,
    /// The agent that is checked, where it was started for that.
    own: Option<OwnAgent>,
    stop: watch::Receiver<bool>,
    library: Option<Arc<Library>>,
    /// What was wrong in the last round; where nothing was, the next one runs everything.
    left: BTreeSet<Place>,
    rounds: usize,
    /// Hears when somebody presses Enter, where somebody can.
    asked: Option<mpsc::UnboundedReceiver<()>>,
}

/// What came of a round.
struct Round {
    exit: Exit,
    pulse: Pulse,
    /// What was at its cards when the round began: what changes meanwhile has changed, too.
    seen: Option<u64>,
    secrets: Secrets,
}

/// What a round has shown, before its reports are written.
struct Played {
    report: Report,
    pulse: Pulse,
    seen: Option<u64>,
    secrets: Secrets,
}

impl Watcher {
    /// Looks for the agent, runs what is to be run, and tells what came of it.
    async fn round(&mut self) -> Result<Round, Failure> {
        // The file of settings may be another by now, too.
        let settings = settings::resolve(self.args.clone())?;
        let (place, fail_on) = (Reports::of(&settings, None)?, settings.fail_on);
        let Played { mut report, pulse, seen, secrets } = place.or_write(self.play(settings)).await?;
        let exit = gate(&mut report, fail_on);
        place.finish(&mut report);
        tell::ended(&report);
        if report.stopped.is_none() {
            self.left = wrong(&report);
        }
        Ok(Round { exit, pulse, seen, secrets })
    }

    /// Finds the agent and runs what is to be run.
    async fn play(&mut self, settings: Settings) -> Result<Played, Failure> {
        let Settings { suite, cases, requirements, .. } = settings.authorized().await?;
        let library = match &self.library {
            Some(library) => Arc::clone(library),
            None => Arc::new(library(cases.as_deref())?),
        };
        self.library = Some(Arc::clone(&library));
        let set = sets::named(requirements.as_deref(), &library)?;
        let suite = suite.stop(self.stop.clone()).library(library);
        let mut suite = own_agent::find_at(suite, self.own.as_ref()).await?;
        let all = suite.plan().trials.len();
        if !self.left.is_empty() {
            suite.retain(|trial| self.left.contains(&place_of(trial)));
        }
        self.rounds += 1;
        print::clear();
        let what = match suite.plan().trials.len() {
            some if some < all => format!("{} that failed", count(some, "case")),
            _ => count(all, "case"),
        };
        print::note(suite.secrets(), &format!("round {}: {what}", self.rounds));
        if self.rounds == 1 {
            tell::found(&suite);
            tell::cost(&suite);
        }
        let (pulse, secrets) = settings::pulse(&self.args, Some(&suite))?;
        let seen = pulse.look().await;
        let mut progress = Progress::new(suite.plan().trials.len());
        let mut report = suite.run_with(|event| progress.see(event)).await;
        drop(progress);
        set.iter().for_each(|set| report.hold_to(set));
        Ok(Played { report, pulse, seen, secrets })
    }

    /// Waits until the agent comes back or is another, or somebody wants another round; false where it is the end.
    async fn wait(&mut self, pulse: &Pulse, seen: Option<u64>, secrets: &Secrets) -> bool {
        let enter = if self.asked.is_some() { "; Enter runs it again at once" } else { "" };
        let left = match self.left.len() {
            0 => "everything is run again".to_owned(),
            left => format!("{} that failed will be run again", count(left, "case")),
        };
        print::note(secrets, &format!("waiting for the agent to change: {left}{enter}, Ctrl-C ends"));
        let asked = async {
            match &mut self.asked {
                Some(asked) => asked.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = pulse.changed(seen, || print::note(secrets, "the agent is gone; it is looked for")) => true,
            Some(()) = asked => true,
            () = signals::stopped(&self.stop) => false,
        }
    }
}

/// Every case that is to run again.
fn wrong(report: &Report) -> BTreeSet<Place> {
    let is_wrong = |result: &&TrialResult| result.verdict.asks_for_another_run();
    let place = |result: &TrialResult| (result.case.clone(), result.profile.clone(), result.binding.clone());
    report.results.iter().filter(is_wrong).map(place).collect()
}

fn place_of(trial: &Trial) -> Place {
    (trial.case.id.clone(), trial.profile.clone(), trial.bindings())
}

/// Hears each line of a terminal. The thread ends with the program: nothing else ends the reading of a terminal.
fn keys() -> Option<mpsc::UnboundedReceiver<()>> {
    if !std::io::stdin().is_terminal() {
        return None;
    }
    let (tell, asked) = mpsc::unbounded_channel();
    let hear = move || {
        for line in std::io::stdin().lock().lines() {
            if line.is_err() || tell.send(()).is_err() {
                return;
            }
        }
    };
    std::thread::Builder::new().name("keys".to_owned()).spawn(hear).ok().map(|_| asked)
}
