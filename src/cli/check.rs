//! `a2aspec check`: the main job.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anstream::adapter::strip_str;

use super::args::{CheckArgs, Form};
use super::baseline::{self, Listed, today};
use super::card::lock::Locked;
use super::fail::{Failure, library};
use super::print::Reader;
use super::progress::Progress;
use super::settings::Settings;
use super::undone::Reports;
use super::{Exit, fail, own_agent, print, sets, settings, signals, tell};
use crate::case::{Library, RequirementSet};
use crate::clock;
use crate::event::Event;
use crate::report::archive::Archive;
use crate::report::baseline::Baseline;
use crate::report::gate::{FailOn, Gate, Threshold};
use crate::report::model::Report;
use crate::report::output::Sink;
use crate::report::sets::counts_as;
use crate::report::{self, Format, Secrets, Trace};
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
    let dry_run = args.dry_run;
    let mut settings = settings::resolve(args)?;
    let threshold = Threshold { fail_on: settings.fail_on, min_tested: settings.min_tested };
    let (baseline, write_baseline) = (settings.baseline.take(), settings.write_baseline.take());
    let mut known = Known::read(baseline)?;
    let lock = settings.lock.take().map(|path| Locked::read(&path)).transpose()?;
    let library = Arc::new(library(settings.cases.as_deref())?);
    let against = Against { known: &known, set: sets::named(settings.requirements.as_deref(), &library)?, lock };
    if let Some(form) = dry_run {
        return dry(settings, library, form).await;
    }
    let trace = settings.trace.take();
    let mut place = Reports::of(&settings, trace.as_deref())?;
    let trace = place.trace.take();
    let Done { mut report, secrets, is_traced } = place.or_write(check(settings, library, against, trace)).await?;
    let is_listed = known.apply(&mut report, threshold.fail_on, write_baseline.as_deref());
    let exit = gate(&mut report, threshold);
    let is_written = place.finish(&mut report) && is_traced && is_listed;
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

/// What the run is held against.
struct Against<'a> {
    known: &'a Known,
    /// The set of requirements that counts.
    set: Option<RequirementSet>,
    lock: Option<Locked>,
}

/// What came of a run.
struct Done {
    report: Report,
    secrets: Secrets,
    /// Whether all of the trace was written, if one is wanted.
    is_traced: bool,
}

/// Finds the agent and runs the cases.
async fn check(
    settings: Settings,
    library: Arc<Library>,
    against: Against<'_>,
    trace: Option<TraceFile>,
) -> Result<Done, Failure> {
    let stop = signals::heard()?;
    let Settings { suite, own, fail_on, fail_fast, .. } = settings.authorized().await?;
    let Against { known, set, lock } = against;
    let suite = match fail_fast {
        true => suite.fail_fast(known.fails(fail_on, set.clone(), Arc::clone(&library))),
        false => suite,
    };
    let suite = suite.stop(stop).library(library);
    let (suite, own) = own_agent::find(suite, own).await?;
    let lock = lock.map(|lock| lock.against_all(suite.cards())).transpose()?;
    tell::found(&suite);
    tell::cost(&suite);
    let mut progress = Progress::new(suite.plan().trials.len());
    let secrets = suite.secrets().clone();
    let mut tracer = Tracer::new(trace, &secrets);
    let mut report = suite
        .run_with(|event| {
            progress.see(event);
            tracer.see(event, |warn| progress.suspend(warn));
        })
        .await;
    drop(progress);
    report.lock = lock;
    set.iter().for_each(|set| report.hold_to(set));
    if let Some(agent) = own {
        agent.stop().await;
    }
    Ok(Done { report, secrets, is_traced: tracer.is_written })
}

/// Finds the agent, and says what would be run.
async fn dry(settings: Settings, library: Arc<Library>, form: Form) -> Result<Exit, Failure> {
    let stop = signals::heard()?;
    let Settings { suite, own, .. } = settings.authorized().await?;
    let suite = suite.stop(stop).library(library);
    let (suite, own) = own_agent::find(suite, own).await?;
    tell::found(&suite);
    let outline = suite.outline();
    let (reader, text) = match form {
        Form::Terminal => (Reader::People, outline.terminal(print::width())),
        Form::Json => (Reader::Programs, outline.json()),
    };
    if let Some(agent) = own {
        agent.stop().await;
    }
    print::to(reader, &suite.secrets().mask(&text))?;
    Ok(Exit::Holds)
}

/// The known failures.
pub(super) struct Known {
    list: Option<(String, Baseline)>,
}

impl Known {
    pub fn read(file: Option<PathBuf>) -> Result<Self, Failure> {
        let Some(path) = file else { return Ok(Self { list: None }) };
        let Listed { file, list, .. } = baseline::read(&path)?;
        Ok(Self { list: Some((file, list)) })
    }

    /// Which results fail the gate: those at its level that count in the set and that the list does not let pass.
    fn fails(
        &self,
        fail_on: FailOn,
        set: Option<RequirementSet>,
        library: Arc<Library>,
    ) -> impl Fn(&TrialResult) -> bool + Send + Sync + 'static {
        let list = self.list.as_ref().map(|(_, list)| list.clone());
        let is_known = move |result: &TrialResult| list.as_ref().is_some_and(|list| list.lets_pass(result, today()));
        let counts = move |result: &TrialResult| {
            set.as_ref().is_none_or(|set| fail_on.fails_at(counts_as(result, set, &library)))
        };
        move |result| fail_on.fails_at(result.verdict) && counts(result) && !is_known(result)
    }

    /// Writes what fails, if that is wanted, and holds the report against the list. Whether it could be written.
    pub fn apply(&mut self, report: &mut Report, fail_on: FailOn, write: Option<&Path>) -> bool {
        let mut is_written = true;
        if let Some(path) = write {
            let known = self.list.take().map(|(_, list)| list);
            // What people wrote into the file that is replaced stays, too.
            let older = known.or_else(|| Some(baseline::read(path).ok()?.list)).unwrap_or_default();
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

/// The file of a trace.
pub(super) struct TraceFile {
    file: File,
    /// Whether it is to be an archive of HTTP, which its name says.
    is_archive: bool,
}

impl TraceFile {
    /// One of this name.
    pub fn at(path: &Path, file: File) -> Self {
        let is_archive = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("har"));
        Self { file, is_archive }
    }
}

/// A trace that is being written.
enum Written {
    Text(Trace<BufWriter<File>>),
    Archive(Archive<File>),
}

/// Writes the trace, if one is wanted, for as long as that goes well.
pub(super) struct Tracer {
    trace: Option<Written>,
    secrets: Secrets,
    /// Whether all of it was written.
    pub is_written: bool,
}

impl Tracer {
    /// One into this file, without these secrets.
    pub fn new(file: Option<TraceFile>, secrets: &Secrets) -> Self {
        let trace = file.map(|TraceFile { file, is_archive }| match is_archive {
            true => Written::Archive(Archive::new(file, secrets.clone(), clock::now())),
            false => Written::Text(Trace::into_file(file, secrets.clone())),
        });
        Self { trace, secrets: secrets.clone(), is_written: true }
    }

    /// Takes what happened. `aside` lets a line be printed beside one that says how far all is.
    pub fn see(&mut self, event: &Event, aside: impl FnOnce(&dyn Fn())) {
        let written = self.trace.as_mut().map(|trace| match trace {
            Written::Text(trace) => trace.see(event),
            Written::Archive(archive) => archive.see(event),
        });
        if let Some(Err(error)) = written {
            let text = format!("error: the trace cannot be written to its end: {error}");
            aside(&|| print::warn(&self.secrets, &text));
            (self.trace, self.is_written) = (None, false);
        }
    }
}

/// A report as it is in a file.
pub(super) fn in_file(report: &Report, format: Format) -> String {
    for_file(report::render(report, format, print::READABLE), format)
}

/// A text as it is in a file: nobody wants escape sequences there.
fn for_file(text: String, format: Format) -> String {
    if format.is_for_terminals() { strip_str(&text).to_string() } else { text }
}

/// Writes every output, whatever becomes of the others. Whether all could be written.
pub(super) fn write_all<'s>(
    sinks: impl IntoIterator<Item = &'s (Format, Sink)>,
    render: impl Fn(Format, usize) -> String,
) -> bool {
    let mut are_written = true;
    for (format, sink) in sinks {
        let is_stdout = matches!(sink, Sink::Stdout);
        let text = render(*format, if is_stdout { print::width() } else { print::READABLE });
        let written = if is_stdout {
            print::to(Reader::programs_if(!format.is_for_terminals()), &text)
        } else {
            save(sink, *format, &for_file(text, *format))
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
            Gate::Unusable => Self::Usage,
        }
    }
}
