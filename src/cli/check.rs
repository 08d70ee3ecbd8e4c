//! `a2aspec check`: the main job.

use std::io::IsTerminal as _;
use std::sync::Arc;
use std::time::Instant;

use anstream::adapter::strip_str;
use tokio::sync::mpsc;

use super::again::{command, exceptions};
use super::args::CheckArgs;
use super::fail::{Failure, library, profile, profiles};
use super::target::{choose, find, find_own, start_own_agent, tell_what_was_found, tell_where_it_is};
use super::{Exit, fail, print, settings, signals};
use crate::binding::http::{self, Http};
use crate::diagnostic::words::{count, list};
use crate::discovery::triggers::{self, Triggers};
use crate::event::Event;
use crate::plan::{self, NothingMatches};
use crate::reason::Reason;
use crate::report::gate::{FailOn, Gate};
use crate::report::model::{GateInfo, Report};
use crate::report::output::{self, Sink};
use crate::report::terminal::progress::Progress;
use crate::report::{self, Format, ReportBuilder, Trace};
use crate::run::{self, Options};
use crate::verdict::Verdict;

/// Checks an agent.
pub(super) async fn run(args: CheckArgs) -> Result<Exit, Failure> {
    let stop = signals::listen().map_err(|error| Failure::broken(format!("signals cannot be waited for: {error}")))?;
    let mut settings = settings::settle(args)?;
    let library = library(settings.cases.as_deref())?;
    for (old, new) in settings.selection.follow(|id| library.renamed(id)) {
        print::note(&settings.secrets, &format!("note: {old} is called {new} now; that is what is meant"));
    }
    settings.profiles.iter().try_for_each(|name| profile(name).map(|_| ()))?;
    let profiles = profiles()?;
    let sinks = output::prepare(&settings.outputs, settings.trace.as_deref());
    let sinks = sinks.map_err(|error| Failure::usage(error.to_string()))?;
    let mut trace = sinks.trace.map(|file| Trace::into_file(file, settings.secrets.clone()));
    let mut is_written = true;

    let own = start_own_agent(&settings).await?;
    let url = match (&settings.url, &own) {
        (Some(url), _) => url.clone(),
        (None, Some(agent)) => settings::parse_url(agent.url())?,
        (None, None) => return Err(Failure::broken("there is no agent to check")),
    };
    let http = http::Settings { credentials: settings.given.for_agent(&url, own.is_some()), timeout: settings.timeout };
    let http =
        Http::new(http).map_err(|error| Failure::broken(format!("the HTTP client cannot be set up: {error}")))?;
    let http = Arc::new(http);
    let find = async {
        match &own {
            Some(agent) => find_own(&http, agent, &settings, &profiles).await,
            None => find(&http, &url, &settings, &profiles).await,
        }
    };
    let found = tokio::select! {
        found = find => found,
        () = signals::stopped(&stop) => {
            let text = "interrupted before the first case; there is no report\n".to_owned();
            return Err(Failure { exit: Exit::Interrupted, text });
        }
    };
    // Agents may show in a card, or in what they send in its place, what they were sent.
    let mut found = found.map_err(|failure| failure.masked(&settings.secrets))?;
    settings.secrets = settings.secrets.and(std::mem::take(&mut found.secrets));
    choose(&mut found, &settings).map_err(|failure| failure.masked(&settings.secrets))?;
    if let Some(trace) = &mut trace {
        trace.mask(settings.secrets.clone());
    }
    let http = Arc::new(http.knowing(std::mem::take(&mut found.identities)));

    let plan = plan::make(&library, &found.endpoints, &found.capabilities, &settings.selection);
    let plan = Arc::new(plan.map_err(|error| nothing_matches(&error))?);
    tell_what_was_found(&found, &plan, &settings);
    tell_where_it_is(&mut found, &url, http.credentials(), &settings);

    let options = Options {
        jobs: settings.jobs,
        max_messages: settings.max_messages,
        triggers: Triggers::new(settings.triggers.clone(), triggers::announced(&found.extensions), settings.preset),
    };
    let began = Instant::now();
    let command = command(&settings);
    let started = jiff::Timestamp::now();
    let secrets = settings.secrets.clone();
    let mut builder = ReportBuilder::new(url.as_str(), &command, Arc::clone(&plan), secrets, started);
    for (profile, binding, command) in exceptions(&settings, &found, http.credentials()) {
        builder.run_again_by(&profile, &binding, command);
    }
    let (events, mut heard) = mpsc::unbounded_channel();
    let work = run::execute(Arc::clone(&plan), found.info, found.endpoints, http, options, events, stop);
    let listen = async {
        let mut progress = Progress::new(plan.trials.len());
        while let Some(event) = heard.recv().await {
            progress.see(&event);
            builder.see(&event);
            if let Some(Err(error)) = trace.as_mut().map(|trace| trace.see(&event)) {
                let text = format!("error: the trace cannot be written to its end: {error}");
                progress.suspend(|| print::note(&settings.secrets, &text));
                (trace, is_written) = (None, false);
            }
            if matches!(event, Event::Done { .. }) {
                break;
            }
        }
    };
    tokio::join!(work, listen);
    let mut report = builder.finish(began.elapsed());
    let exit = gate(&mut report, settings.fail_on);
    if let Some(agent) = own {
        agent.stop().await;
    }
    is_written &= write(&report, &sinks.reports);
    Ok(match exit {
        Exit::Interrupted => {
            print::note(&settings.secrets, &interrupted(&report, is_written));
            Exit::Interrupted
        }
        _ if !is_written => Exit::Usage,
        exit => exit,
    })
}

/// How far an interrupted run has come.
fn interrupted(report: &Report, is_written: bool) -> String {
    let applies = report.results.iter().filter(|result| result.verdict != Verdict::Skipped);
    let (not_run, run): (Vec<_>, Vec<_>) =
        applies.partition(|result| result.reason.as_ref().is_some_and(Reason::is_end_of_run));
    let all = count(run.len() + not_run.len(), "case");
    let report = if is_written { "; the report has their results" } else { "" };
    format!("interrupted after {} of {all}{report}", run.len())
}

fn nothing_matches(error: &NothingMatches) -> Failure {
    let help = match error {
        NothingMatches::Pattern { .. } => {
            "`a2aspec list` shows what there is; `*` stands for any characters".to_owned()
        }
        NothingMatches::NoArea { near, all, .. } if near.is_empty() => format!("there are {}", list(all)),
        NothingMatches::NoArea { near, .. } => format!("did you mean {}?", near.join(", ")),
        NothingMatches::IdleArea { .. } => "`a2aspec list` shows for which versions its cases are".to_owned(),
    };
    Failure::new(Exit::Usage, &error.to_string(), Some(&help))
}

/// Writes every report, whatever becomes of the others. Whether all could be written.
fn write(report: &Report, sinks: &[(Format, Sink)]) -> bool {
    let mut are_written = true;
    for (format, sink) in sinks {
        let text = report::render(report, *format, width());
        let written = match (sink, format) {
            (Sink::Stdout, _) => print::out(&text),
            // Nobody wants escape sequences in a file.
            (_, Format::Terminal) => save(sink, *format, &strip_str(&text).to_string()),
            (_, Format::Json | Format::Junit) => save(sink, *format, &text),
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
fn width() -> usize {
    const READABLE: usize = 100;
    if !std::io::stdout().is_terminal() {
        return READABLE;
    }
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.unwrap_or(READABLE).clamp(60, 160)
}

/// Puts into the report what it comes to.
fn gate(report: &mut Report, fail_on: FailOn) -> Exit {
    let outcome = Gate::of(report, fail_on);
    let exit = Exit::from(outcome);
    report.gate = Some(GateInfo { fail_on, outcome, exit_code: exit as u8 });
    exit
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
