//! Runs that cannot be done: every report that was asked for is written all the same, with the reason in place of results.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::path::Path;

use futures_util::FutureExt as _;

use super::check::TraceFile;
use super::fail::Failure;
use super::settings::Settings;
use super::{Exit, check};
use crate::report::failure::ErrorInfo;
use crate::report::gate::FailOn;
use crate::report::output::{self, Sink};
use crate::report::{self, Format, Output, Report, Secrets};

/// What the reference agent is called while it has no URL.
const OWN_AGENT: &str = "the reference agent";

/// Where the reports of a run go, and what they say of it while it has not ended.
pub(super) struct Reports {
    /// The reports.
    pub sinks: Vec<(Format, Sink)>,
    /// The trace, which is written while the run goes on, until somebody takes it.
    pub trace: Option<TraceFile>,
    url: String,
    secrets: Secrets,
    fail_on: FailOn,
    started: jiff::Timestamp,
    /// The file of the repository in which code scanning shows what is wrong.
    sarif_location: Option<String>,
    /// Whether somebody has asked for the report on standard output; if not, standard error says enough.
    is_asked: bool,
}

impl Reports {
    /// The place of a run by these settings.
    ///
    /// # Errors
    /// See [`Reports::at`].
    pub fn of(settings: &Settings, trace: Option<&Path>) -> Result<Self, Failure> {
        let url = settings.suite.agent_url().unwrap_or(OWN_AGENT).to_owned();
        let place = Self::at(&settings.outputs, trace, url, settings.suite.secrets(), settings.fail_on)?;
        Ok(Self { is_asked: settings.are_outputs_asked, ..place.located(settings.sarif_location.clone()) })
    }

    /// Makes sure that everything can be written, and replaces what earlier runs have written: until the run ends, its reports say
    /// that it has not.
    ///
    /// # Errors
    /// An output cannot be written as the user asks.
    pub fn at(
        outputs: &[Output],
        trace: Option<&Path>,
        url: String,
        secrets: Secrets,
        fail_on: FailOn,
    ) -> Result<Self, Failure> {
        let unwritable = |error: output::OutputError| Failure::usage(error.to_string());
        let sinks = output::prepare(outputs, trace).map_err(unwritable)?;
        let started = jiff::Timestamp::now();
        let place = Self {
            sinks: sinks.reports,
            trace: sinks.trace.zip(trace).map(|(file, path)| TraceFile::at(path, file)),
            url,
            secrets,
            fail_on,
            started,
            sarif_location: None,
            is_asked: true,
        };
        let report = place.report(ErrorInfo::not_ended(), Exit::Interrupted);
        output::begin(&place.sinks, |format| check::in_file(&report, format)).map_err(unwritable)?;
        Ok(place)
    }

    /// Writes every report of a run that was done, whatever becomes of the others. Whether all could be written.
    pub fn finish(&self, report: &mut Report) -> bool {
        report.sarif_location.clone_from(&self.sarif_location);
        check::write_all(&self.sinks, |format, width| report::render(report, format, width))
    }

    /// With another file of the repository in which code scanning shows what is wrong.
    pub fn located(self, sarif_location: Option<String>) -> Self {
        Self { sarif_location, ..self }
    }

    /// Does the work of a run. Where that cannot be done, or panics, every report says why, and the failure is given back.
    ///
    /// # Errors
    /// Those of the work.
    pub async fn or_write<T>(&self, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        let done = AssertUnwindSafe(work).catch_unwind().await;
        let done =
            done.unwrap_or_else(|panic| Err(Failure::broken(format!("the suite itself failed: {}", said(&*panic)))));
        done.map_err(|failure| self.write(failure))
    }

    /// Writes every report with the reason for a failure, which is given back.
    pub fn write(&self, failure: Failure) -> Failure {
        let failure = failure.masked(&self.secrets);
        let report = self.report(failure.info(), failure.exit);
        let is_said =
            |format: Format, sink: &Sink| !self.is_asked && format.is_for_terminals() && matches!(sink, Sink::Stdout);
        let sinks = self.sinks.iter().filter(|(format, sink)| !is_said(*format, sink));
        check::write_all(sinks, |format, width| report::render(&report, format, width));
        failure
    }

    fn report(&self, error: ErrorInfo, exit: Exit) -> Report {
        let mut report = Report::of_error(&self.url, self.started, error, self.fail_on, exit as u8);
        self.secrets.mask_in_place(&mut report.target.url);
        report.sarif_location.clone_from(&self.sarif_location);
        report
    }
}

/// What a panic said.
fn said(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it panicked")
}
