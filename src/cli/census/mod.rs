//! `a2aspec census`: many agents checked one beside the other, each with a report of its own, and all of them in a matrix.
//!
//! What has been done is what is on disk: an agent is done once its JSON report is there, which comes into being as a whole. So a
//! census that was ended, in whatever way, goes on where it was.

mod target;

pub(super) use target::Listed;

use std::collections::{BTreeMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio::sync::watch;

use self::target::Target;
use super::args::CensusArgs;
use super::fail::{self, Failure, library};
use super::matrix::Place;
use super::settings::{self, Settings};
use super::{Exit, check, print, sets, signals};
use crate::auth::userinfo::hidden;
use crate::case::Library;
use crate::diagnostic::words::{count, one_line};
use crate::matrix::Builder;
use crate::report::gate::Threshold;
use crate::report::{self, Format, Secrets, output};
use crate::suite::TIMEOUT;
use crate::transport::http::{Http, Settings as HttpSettings};

/// Columns of the texts in reports.
const WIDTH: usize = 100;

/// Checks every agent that has no report yet, and writes the matrix of all.
pub(super) async fn run(args: CensusArgs) -> Result<Exit, Failure> {
    let stop = signals::heard()?;
    settings::above_zero("deadline", args.deadline)?;
    let targets = target::read(&args.targets)?;
    let census = Census::new(&args, stop)?;
    census.validate(&targets)?;
    let folder = args.folder.display();
    std::fs::create_dir_all(&args.folder)
        .map_err(|error| Failure::usage(format!("the folder {folder} cannot be made: {error}")))?;
    let place = Place::of(args.report)?;
    let agents = targets.iter().map(|target| (target.name.as_str(), hidden(&target.url)));
    place.begin(agents, "the census has not ended")?;
    let (mut done, mut waiting) = (Vec::new(), VecDeque::new());
    for target in targets {
        match target.is_done(&args.folder)? {
            true => done.push(target),
            false => waiting.push_back(target),
        }
    }
    if !done.is_empty() {
        print::note(&Secrets::default(), &format!("{} in {folder} already", count(done.len(), "report")));
    }
    let checked = census.check_all(waiting).await;
    let mut builder = Builder::default();
    for target in &done {
        place.add(&mut builder, Some(&target.name), &target.report(&args.folder))?;
    }
    for Checked { target, outcome } in &checked {
        match outcome {
            Outcome::Done => place.add(&mut builder, Some(&target.name), &target.report(&args.folder))?,
            Outcome::NotChecked(reason) => builder.not_checked(&target.name, &hidden(&target.url), reason),
            Outcome::Stopped | Outcome::NotWritten => {}
        }
    }
    let exit = place.write(&builder.finish())?;
    let is = |wanted: fn(&Outcome) -> bool| checked.iter().any(|checked| wanted(&checked.outcome));
    Ok(match exit {
        _ if is(|outcome| matches!(outcome, Outcome::NotWritten)) => Exit::Usage,
        _ if is(|outcome| matches!(outcome, Outcome::Stopped)) => Exit::Interrupted,
        exit => exit,
    })
}

/// An agent that was tried.
struct Checked {
    target: Target,
    outcome: Outcome,
}

/// What came of it.
enum Outcome {
    /// Its report is on disk.
    Done,
    /// It could not be checked.
    NotChecked(String),
    /// The user ended the census before it was done.
    Stopped,
    /// Its report cannot be written, which was told.
    NotWritten,
}

/// One line for an agent that was tried.
fn tell(Checked { target, outcome }: &Checked, number: usize, all: usize) {
    let what = match outcome {
        Outcome::Done => "checked".to_owned(),
        Outcome::NotChecked(reason) => format!("not checked: {}", one_line(reason)),
        Outcome::Stopped => "interrupted".to_owned(),
        Outcome::NotWritten => "the report cannot be written".to_owned(),
    };
    print::note(&Secrets::default(), &format!("{number} of {all}: {}: {what}", target.name));
}

/// What all checks have in common.
struct Census {
    folder: PathBuf,
    agents: usize,
    per_host: usize,
    quick: bool,
    only: Vec<String>,
    deadline: f64,
    library: Arc<Library>,
    /// The certificates of this machine are read once.
    http: Http,
    stop: watch::Receiver<bool>,
}

impl Census {
    fn new(args: &CensusArgs, stop: watch::Receiver<bool>) -> Result<Self, Failure> {
        let settings = HttpSettings { credentials: crate::auth::Credentials::default(), timeout: TIMEOUT };
        Ok(Self {
            folder: args.folder.clone(),
            agents: usize::from(args.agents),
            per_host: usize::from(args.per_host),
            quick: args.quick,
            only: args.only.clone(),
            deadline: args.deadline,
            library: Arc::new(library(None)?),
            http: Http::dialing(super::dialing::of_environment()?, settings).map_err(Failure::broken)?,
            stop,
        })
    }

    /// Checks them, as many at once as may be, in their order but for hosts that have enough to do.
    async fn check_all(&self, mut waiting: VecDeque<Target>) -> Vec<Checked> {
        let all = waiting.len();
        let mut hosts: BTreeMap<String, usize> = BTreeMap::new();
        let mut under_way = FuturesUnordered::new();
        let mut checked = Vec::new();
        loop {
            while under_way.len() < self.agents && !*self.stop.borrow() {
                let has_room = |target: &Target| hosts.get(&target.host).is_none_or(|busy| *busy < self.per_host);
                let Some(target) = waiting.iter().position(has_room).and_then(|at| waiting.remove(at)) else { break };
                *hosts.entry(target.host.clone()).or_default() += 1;
                under_way.push(self.check(target));
            }
            let Some((target, outcome)) = under_way.next().await else { break };
            if let Some(busy) = hosts.get_mut(&target.host) {
                *busy -= 1;
            }
            let one = Checked { target, outcome };
            tell(&one, checked.len() + 1, all);
            checked.push(one);
        }
        checked.extend(waiting.into_iter().map(|target| Checked { target, outcome: Outcome::Stopped }));
        checked
    }

    /// Checks one; whatever happens to it is no other's trouble.
    async fn check(&self, target: Target) -> (Target, Outcome) {
        let outcome = AssertUnwindSafe(self.report_on(&target)).catch_unwind().await;
        let outcome = match outcome {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(failure)) => Outcome::NotChecked(failure.sentence().to_owned()),
            Err(_) => Outcome::NotChecked("the suite itself failed".to_owned()),
        };
        (target, outcome)
    }

    /// How an agent is checked: its own settings count before what is said of all.
    fn settings_of(&self, target: &Target) -> Result<Settings, Failure> {
        let args = target.args(self.quick, &self.only, self.deadline);
        settings::with(args, target.settings.clone())
    }

    /// Refuses settings that cannot be used, of whichever agent, before the first is asked.
    fn validate(&self, targets: &[Target]) -> Result<(), Failure> {
        let wrong = targets.iter().filter_map(|target| {
            let failure = self.settings_of(target).err()?;
            Some(format!("{}: {}", target.name, failure.sentence()))
        });
        let wrong: Vec<String> = wrong.collect();
        match wrong.is_empty() {
            true => Ok(()),
            false => {
                Err(Failure::listing(Exit::Usage, "some agents cannot be checked as they are listed", &wrong, None))
            }
        }
    }

    async fn report_on(&self, target: &Target) -> Result<Outcome, Failure> {
        let Settings { suite, cases, fail_on, min_tested, requirements, .. } =
            self.settings_of(target)?.authorized().await?;
        let secrets = suite.secrets();
        let library = match cases {
            Some(own) => Arc::new(library(Some(&own))?),
            None => Arc::clone(&self.library),
        };
        let set = sets::named(requirements.as_deref(), &library)?;
        let suite = suite.stop(self.stop.clone()).library(library).stranger();
        let suite = if target.is_plain() { suite.client(&self.http) } else { suite };
        let suite = suite.prepare().await.map_err(|error| Failure::from(error).masked(&secrets))?;
        let mut report = suite.run().await;
        if *self.stop.borrow() {
            return Ok(Outcome::Stopped);
        }
        set.iter().for_each(|set| report.hold_to(set));
        check::gate(&mut report, Threshold { fail_on, min_tested });
        let path = target.report(&self.folder);
        // The JSON comes last: once it is there, so is everything.
        for (format, path) in [(Format::Html, path.with_extension("html")), (Format::Json, path)] {
            if let Err(error) = output::save(&path, &report::render(&report, format, WIDTH)) {
                fail::show(&Failure::usage(format!("the report of {} cannot be written: {error}", target.name)));
                return Ok(Outcome::NotWritten);
            }
        }
        Ok(Outcome::Done)
    }
}
