//! `a2aspec replay`: findings of the fuzzer's, again.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::args::ReplayArgs;
use super::fail::Failure;
use super::settings::{self, Settings};
use super::undone::Reports;
use super::{Exit, check, own_agent, parser, print, signals};
use crate::case::{Library, Source};
use crate::event::Stopped;
use crate::files;
use crate::finding::Finding;
use crate::judge::oracle;
use crate::plan::Selection;
use crate::profile::{self, Profile};
use crate::reason::Reason;
use crate::report::model::ExchangeInfo;
use crate::report::{Report, Secrets, by_hand};
use crate::suite::Suite;
use crate::verdict::{TrialResult, Verdict};

/// How often each finding is run.
const TIMES: usize = 3;
/// How long an agent has to come back that is gone, and how often it is looked for meanwhile.
const COMES_BACK: Duration = Duration::from_secs(10);
const LOOKS: Duration = Duration::from_millis(100);

/// What became of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    /// It does not come any more.
    Fixed,
    /// It could not be tried.
    NotTried,
    /// It comes now and then.
    Flaky,
    /// Something else is wrong now.
    Otherwise,
    /// It comes as before.
    Still,
}

impl Fate {
    fn name(self) -> &'static str {
        match self {
            Self::Fixed => "FIXED",
            Self::NotTried => "NOT TRIED",
            Self::Flaky => "FLAKY",
            Self::Otherwise => "OTHERWISE",
            Self::Still => "STILL",
        }
    }
}

/// Runs findings again.
pub(super) async fn run(args: ReplayArgs) -> Result<Exit, Failure> {
    let ReplayArgs { findings, parser, target, receiver } = args;
    settings::without_trace("replay", &target)?;
    if let Some(parser) = parser {
        return parser::again(&parser, &findings, target.timeout.unwrap_or(parser::TIMEOUT));
    }
    let sources = sources(&findings)?;
    let library = Arc::new(read(sources)?);
    let config = settings::read(&target)?;
    // The reports of the settings are those of checks.
    let are_reports_asked = !target.report.is_empty();
    let mut settings = settings::of_target(target, &config, None)?;
    if !are_reports_asked {
        settings.outputs.clear();
    }
    settings.suite = settings::webhooks(settings.suite, receiver, &config)?.validate()?;
    let (place, fail_on) = (Reports::of(&settings, None)?, settings.fail_on);
    let (reports, secrets) = place.or_write(play(settings, &library)).await?;
    let is_written = match reports.iter().max_by_key(|report| (report.problems.len(), report.stopped.is_some())) {
        Some(worst) => {
            let mut worst = worst.clone();
            check::gate(&mut worst, fail_on);
            place.finish(&mut worst)
        }
        None => true,
    };
    for stopped in reports.iter().filter_map(|report| report.stopped.as_ref()) {
        match stopped {
            Stopped::Interrupted => return Ok(Exit::Interrupted),
            Stopped::TokenOver { .. } => {
                print::warn(&secrets, &stopped.to_string());
                return Ok(Exit::Interrupted);
            }
            _ => {}
        }
    }
    let (text, worst) = told(&library, &reports);
    print::out(&secrets.mask(&text))?;
    Ok(match worst {
        _ if !is_written => Exit::Usage,
        Some(Fate::Still | Fate::Otherwise | Fate::Flaky) => Exit::Fails,
        Some(Fate::NotTried) => Exit::Target,
        Some(Fate::Fixed) | None => Exit::Holds,
    })
}

/// Finds the agent and runs everything so often.
async fn play(settings: Settings, library: &Arc<Library>) -> Result<(Vec<Report>, Secrets), Failure> {
    let stop = signals::heard()?;
    let Settings { suite, own, .. } = settings.authorized().await?;
    let suite = suite.stop(stop).library(Arc::clone(library)).selection(Selection::default());
    let (suite, own) = own_agent::find(suite, own).await?;
    let mut reports = Vec::new();
    for _ in 0..TIMES {
        reports.push(run_once(&suite).await);
    }
    if let Some(agent) = own {
        agent.stop().await;
    }
    Ok((reports, suite.secrets().clone()))
}

/// Runs everything once. An agent that fell of the last run is waited for.
async fn run_once(suite: &Suite) -> Report {
    let began = Instant::now();
    loop {
        let report = suite.clone().run().await;
        let is_gone = matches!(report.stopped, Some(Stopped::Gone { .. }));
        let shows = report.results.iter().any(TrialResult::shows_something_wrong);
        if !is_gone || shows || began.elapsed() >= COMES_BACK {
            return report;
        }
        tokio::time::sleep(LOOKS).await;
    }
}

/// The files of findings.
fn sources(place: &Path) -> Result<Vec<Source>, Failure> {
    let unreadable =
        |path: &Path, error: &std::io::Error| Failure::usage(format!("{} cannot be read: {error}", path.display()));
    let paths = files::at(place, ".yaml").map_err(|error| unreadable(place, &error))?;
    if paths.is_empty() {
        let message = format!("there is no finding in {}: no file ends in .yaml", place.display());
        return Err(Failure::usage(message));
    }
    let read = |path: std::path::PathBuf| {
        let text = files::text(&path, files::LONGEST).map_err(|error| unreadable(&path, &error))?;
        Ok(Source { file: path.display().to_string(), text })
    };
    paths.into_iter().map(read).collect()
}

fn read(sources: Vec<Source>) -> Result<Library, Failure> {
    let profiles = profile::bundled().map_err(|mistake| Failure::mistakes(&[mistake], &[]))?;
    let profiles: Vec<&Profile> = profiles.iter().map(AsRef::as_ref).collect();
    Library::read(sources, &profiles, &oracle::all())
        .map_err(|(mistakes, sources)| Failure::mistakes(&mistakes, &sources))
}

/// What became of each finding, and the worst of it.
fn told(library: &Library, reports: &[Report]) -> (String, Option<Fate>) {
    let mut results: BTreeMap<&str, Vec<&TrialResult>> = BTreeMap::new();
    for result in reports.iter().flat_map(|report| &report.results) {
        results.entry(result.case.as_str()).or_default().push(result);
    }
    let mut lines = Vec::new();
    let mut worst = None;
    for case in library.cases.values() {
        let runs = results.get(case.id.as_str()).map_or(&[][..], Vec::as_slice);
        let fate = fate(&case.wrong, runs);
        worst = worst.max(Some(fate));
        let mut line = format!("{:9} {}  {}", fate.name(), case.id, case.title);
        match fate {
            Fate::Still => line += &format!("\n          {}", case.wrong),
            Fate::Otherwise => line += &format!("\n          {}, before: {}", headline(runs), case.wrong),
            Fate::Flaky => {
                let came = runs.iter().filter(|result| result.shows_something_wrong()).count();
                line += &format!("\n          {} ({came} of {} times)", case.wrong, runs.len());
            }
            Fate::NotTried => {
                let why = runs.iter().find_map(|result| result.reason.as_ref()).map(Reason::to_string);
                line += &format!("\n          {}", why.unwrap_or_else(|| "the agent has no such interface".to_owned()));
            }
            Fate::Fixed => {}
        }
        if !matches!(fate, Fate::Fixed | Fate::NotTried) {
            line.extend(by_hand(reports, runs).map(|command| format!("\n          {command}")));
        }
        lines.push(line);
    }
    lines.push(String::new());
    (lines.join("\n"), worst)
}

/// The request that shows it, as a line for the shell.
fn by_hand(reports: &[Report], runs: &[&TrialResult]) -> Option<String> {
    let shown = runs.iter().flat_map(|result| result.findings.iter().map(move |finding| (*result, finding)));
    shown.into_iter().find_map(|(result, finding)| {
        // Exchanges are numbered on from run to run.
        let exchanges = reports.iter().flat_map(|report| &report.exchanges);
        // A delivery is the agent's own request.
        let is_it = |exchange: &&ExchangeInfo| Some(exchange.id) == finding.exchange && !exchange.is_inbound();
        let exchange = exchanges.into_iter().find(is_it)?;
        by_hand::line(&exchange.request, result.binding == "grpc")
    })
}

fn headline(runs: &[&TrialResult]) -> String {
    let findings = runs.iter().flat_map(|result| &result.findings);
    let reasons = runs.iter().filter_map(|result| result.reason.as_ref()).map(Reason::to_string);
    findings.map(|finding| finding.headline()).chain(reasons).next().unwrap_or_default()
}

/// What became of a finding that was `wrong` before, over all runs of it.
fn fate(wrong: &str, runs: &[&TrialResult]) -> Fate {
    let came = runs.iter().filter(|result| result.shows_something_wrong()).count();
    let passed = runs.iter().filter(|result| result.verdict == Verdict::Pass).count();
    match (came, passed) {
        (0, 0) => Fate::NotTried,
        (0, _) => Fate::Fixed,
        (_, 0) if runs.iter().all(|result| is_same(wrong, result)) => Fate::Still,
        (_, 0) => Fate::Otherwise,
        _ => Fate::Flaky,
    }
}

/// Whether a result is what a case was written for; texts of the agent may differ.
fn is_same(wrong: &str, result: &TrialResult) -> bool {
    let word = |text: &str| text.split([':', ',', '(']).next().unwrap_or_default().to_owned();
    // A hunt does not name the kind of input, which a case of its own does.
    let says_so =
        |finding: &Finding| [finding.headline(), finding.kind.to_string()].iter().any(|text| word(text) == word(wrong));
    result.findings.is_empty() || result.findings.iter().any(says_so)
}
