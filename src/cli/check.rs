//! `a2aspec check`: the main job.

use std::fs::File;
use std::io::{BufWriter, IsTerminal as _};
use std::path::{Path, PathBuf};

use anstream::adapter::strip_str;

use super::args::{CheckArgs, Form};
use super::fail::{Failure, library};
use super::progress::Progress;
use super::settings::Settings;
use super::{Exit, fail, own_agent, print, settings, signals, tell};
use crate::case::Source;
use crate::event::Event;
use crate::files;
use crate::report::baseline::Baseline;
use crate::report::gate::{FailOn, Gate, Threshold};
use crate::report::model::Report;
use crate::report::output::{self, Sink};
use crate::report::{self, Format, Secrets, Trace};
use crate::suite::SuiteBuilder;
use crate::verdict::TrialResult;

/// Checks the agent that the program brings along.
pub(super) async fn run_self(mut args: CheckArgs) -> Result<Exit, Failure> {
    if args.target.url.is_some() {
        let help = "`a2aspec check URL` checks the agent there";
        return Err(Failure::new(Exit::Usage, "selftest checks the reference agent and takes no URL", Some(help)));
    }
    args.target.is_self = true;
    run(args).await
}

/// Checks an agent.
pub(super) async fn run(args: CheckArgs) -> Result<Exit, Failure> {
    let stop = signals::listen().map_err(|error| Failure::broken(format!("signals cannot be waited for: {error}")))?;
    let dry_run = args.dry_run;
    let settings = settings::resolve(args)?.authorized().await?;
    let Settings {
        suite, own, cases, fail_on, min_tested, fail_fast, outputs, trace, baseline, write_baseline, ..
    } = settings;
    let mut known = Known::read(baseline)?;
    let suite = if fail_fast { suite.fail_fast(known.fails(fail_on)) } else { suite };
    let suite = suite.stop(stop).library(library(cases.as_deref())?);
    if let Some(form) = dry_run {
        return dry(suite, own, form).await;
    }
    let sinks = output::prepare(&outputs, trace.as_deref()).map_err(|error| Failure::usage(error.to_string()))?;
    let (suite, own) = own_agent::find(suite, own).await?;
    tell::found(&suite);
    tell::cost(&suite);
    let mut progress = Progress::new(suite.plan().trials.len());
    let mut tracer = Tracer::new(sinks.trace, suite.secrets());
    let secrets = suite.secrets().clone();
    let mut report = suite
        .run_with(|event| {
            progress.see(event);
            tracer.see(event, |warn| progress.suspend(warn));
        })
        .await;
    let is_listed = known.apply(&mut report, fail_on, write_baseline.as_deref());
    let exit = gate(&mut report, Threshold { fail_on, min_tested });
    if let Some(agent) = own {
        agent.stop().await;
    }
    let is_written = write(&report, &sinks.reports) && tracer.is_written && is_listed;
    Ok(match exit {
        Exit::Interrupted => {
            print::warn(&secrets, &tell::interrupted(&report, is_written));
            Exit::Interrupted
        }
        exit => {
            tell::ended(&report);
            if is_written { exit } else { Exit::Usage }
        }
    })
}

/// Finds the agent, and says what would be run.
async fn dry(suite: SuiteBuilder, own: Option<a2a_reference_agent::Config>, form: Form) -> Result<Exit, Failure> {
    let (suite, own) = own_agent::find(suite, own).await?;
    tell::found(&suite);
    let outline = suite.outline();
    let text = match form {
        Form::Terminal => outline.terminal(width()),
        Form::Json => outline.json(),
    };
    if let Some(agent) = own {
        agent.stop().await;
    }
    print::found(suite.secrets().mask(&text))
}

/// The known failures.
pub(super) struct Known {
    list: Option<(String, Baseline)>,
}

impl Known {
    pub fn read(file: Option<PathBuf>) -> Result<Self, Failure> {
        let Some(path) = file else { return Ok(Self { list: None }) };
        let file = path.display().to_string();
        let text = files::text(&path, files::LONGEST).map_err(|error| {
            let help = "--write-baseline FILE makes one";
            Failure::new(Exit::Usage, &format!("the baseline {file} cannot be read: {error}"), Some(help))
        })?;
        match Baseline::read(&file, &text) {
            Ok(list) => Ok(Self { list: Some((file, list)) }),
            Err(mistake) => Err(Failure::mistakes(&[mistake], &[Source { file, text }])),
        }
    }

    /// Which results fail the gate: those at its level that the list does not let pass.
    fn fails(&self, fail_on: FailOn) -> impl Fn(&TrialResult) -> bool + Send + Sync + 'static {
        let list = self.list.as_ref().map(|(_, list)| list.clone());
        let is_known = move |result: &TrialResult| list.as_ref().is_some_and(|list| list.lets_pass(result, today()));
        move |result| fail_on.fails_at(result.verdict) && !is_known(result)
    }

    /// Writes what fails, if that is wanted, and holds the report against the list. Whether it could be written.
    pub fn apply(&mut self, report: &mut Report, fail_on: FailOn, write: Option<&Path>) -> bool {
        let mut is_written = true;
        if let Some(path) = write {
            let older = self.list.take().map(|(_, list)| list).unwrap_or_default();
            let list = Baseline::of(report, fail_on, &older);
            let written = list.text().and_then(|text| std::fs::write(path, text).map_err(|error| error.to_string()));
            if let Err(error) = written {
                fail::show(&Failure::usage(format!("the baseline {} cannot be written: {error}", path.display())));
                is_written = false;
            }
            self.list = Some((path.display().to_string(), list));
        }
        report.baseline = self.list.as_ref().map(|(file, list)| list.against(file, report, fail_on, today()));
        is_written
    }
}

fn today() -> jiff::civil::Date {
    jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date()
}

/// Writes the trace, if one is wanted, for as long as that goes well.
pub(super) struct Tracer {
    trace: Option<Trace<BufWriter<File>>>,
    secrets: Secrets,
    /// Whether all of it was written.
    pub is_written: bool,
}

impl Tracer {
    /// One into this file, without these secrets.
    pub fn new(file: Option<File>, secrets: &Secrets) -> Self {
        let trace = file.map(|file| Trace::into_file(file, secrets.clone()));
        Self { trace, secrets: secrets.clone(), is_written: true }
    }

    /// Takes what happened. `aside` lets a line be printed beside one that says how far all is.
    pub fn see(&mut self, event: &Event, aside: impl FnOnce(&dyn Fn())) {
        if let Some(Err(error)) = self.trace.as_mut().map(|trace| trace.see(event)) {
            let text = format!("error: the trace cannot be written to its end: {error}");
            aside(&|| print::warn(&self.secrets, &text));
            (self.trace, self.is_written) = (None, false);
        }
    }
}

/// Writes every report, whatever becomes of the others. Whether all could be written.
pub(super) fn write(report: &Report, sinks: &[(Format, Sink)]) -> bool {
    write_all(sinks, |format| report::render(report, format, width()))
}

/// Writes every output, whatever becomes of the others. Whether all could be written.
pub(super) fn write_all(sinks: &[(Format, Sink)], render: impl Fn(Format) -> String) -> bool {
    let mut are_written = true;
    for (format, sink) in sinks {
        let text = render(*format);
        let written = match (sink, format) {
            (Sink::Stdout, _) => print::out(&text),
            // Nobody wants escape sequences in a file.
            (_, Format::Terminal | Format::TerminalFull) => save(sink, *format, &strip_str(&text).to_string()),
            _ => save(sink, *format, &text),
        };
        if let Err(failure) = written {
            fail::show(&failure);
            are_written = false;
        }
    }
    are_written
}

fn save(sink: &Sink, format: Format, text: &str) -> Result<(), Failure> {
    sink.write(text).map_err(|error| Failure::usage(format!("the {format} report cannot be written: {error}")))
}

/// Columns of the terminal; as many as read well where there is none.
pub(super) fn width() -> usize {
    const READABLE: usize = 100;
    if !std::io::stdout().is_terminal() {
        return READABLE;
    }
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.unwrap_or(READABLE).clamp(60, 160)
}

/// Puts into the report what it comes to.
pub(super) fn gate(report: &mut Report, threshold: impl Into<Threshold>) -> Exit {
    Exit::from(report.conclude(threshold, |gate| Exit::from(gate) as u8))
}

impl From<Gate> for Exit {
    fn from(gate: Gate) -> Self {
        match gate {
            Gate::Passes => Self::Holds,
            Gate::Fails => Self::Fails,
            Gate::Unreachable => Self::Target,
            Gate::Broken => Self::Broken,
            Gate::Interrupted => Self::Interrupted,
        }
    }
}
