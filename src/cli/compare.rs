//! `a2aspec compare`: one agent directly and through a gateway.

use super::args::{CheckArgs, CompareArgs};
use super::check::write_all;
use super::fail::{Failure, library};
use super::progress::Progress;
use super::{Exit, own_agent, print, settings, signals};

use crate::compare::{Comparison, Ended, SCHEMA_VERSION, Side, Watcher, closing, compare, markdown, terminal};
use crate::event::Event;
use crate::report::gate::FailOn;
use crate::report::output::{self, Sink};
use crate::report::{Format, Output, Secrets, json, model};
use crate::suite::Suite;
use std::sync::Arc;

/// The formats of a comparison.
const FORMATS: [Format; 3] = [Format::Terminal, Format::Json, Format::Markdown];

/// Compares the two sides.
pub(super) async fn run(args: CompareArgs) -> Result<Exit, Failure> {
    if own_agent::is_meant(&args.target) {
        return Err(Failure::new(
            Exit::Usage,
            "compare takes the URLs of both sides, and not --self",
            Some("start the reference agent with `a2aspec agent`, and name its URL"),
        ));
    }
    settings::without_trace("compare", &args.target)?;
    let config = settings::read(&args.target)?;
    let outputs = settings::outputs(args.target.report.clone())?;
    refuse_others(&outputs)?;
    let sinks = output::prepare(&outputs, None).map_err(|error| Failure::usage(error.to_string()))?.reports;
    // Both are read before anything is sent.
    let (direct, gateway) = (of_side(&args, Side::Direct, Vec::new()), of_side(&args, Side::Gateway, Vec::new()));
    let fail_on = settings::with(direct, config.clone())?.fail_on;
    settings::with(gateway, config.clone())?;
    let library = Arc::new(library(args.selection.cases.as_deref().or(config.cases.as_deref()))?);
    let stop = signals::heard()?;
    let prepare = async |side: Side, bases: Vec<String>| -> Result<Suite, Failure> {
        let settings = settings::with(of_side(&args, side, bases), config.clone())?.authorized().await?;
        let suite = settings.suite.stop(stop.clone()).library(Arc::clone(&library));
        let (suite, _) = own_agent::find(suite, None).await.map_err(|failure| at(side, failure))?;
        Ok(suite)
    };
    let done = compare(prepare, &mut Told { progress: None }).await;
    let (comparison, exit) = match done {
        Ok(Ended::Compared(comparison)) if is_empty(&comparison) => {
            let help = "`a2aspec check` with the direct URL reports why";
            let failure = Failure::new(Exit::Target, "no case could be tested on either side", Some(help));
            return write_failure(&sinks, &args, failure);
        }
        Ok(Ended::Compared(comparison)) => {
            let fails = !comparison.differences.is_empty() && fail_on != FailOn::Never;
            (*comparison, if fails { Exit::Fails } else { Exit::Holds })
        }
        Ok(Ended::Interrupted(why)) => {
            let failure = Failure::new(Exit::Interrupted, &why, None);
            return write_failure(&sinks, &args, failure);
        }
        Err(failure) => return write_failure(&sinks, &args, failure),
    };
    let comparison = Comparison { exit_code: exit as u8, ..comparison };
    let is_written = write(&sinks, &comparison);
    print::note(&Secrets::default(), &closing(&comparison));
    Ok(if is_written { exit } else { Exit::Usage })
}

/// Whether a comparison shows nothing, not even that nothing differs.
fn is_empty(comparison: &Comparison) -> bool {
    comparison.differences.is_empty() && comparison.cases.compared == comparison.cases.untested
}

/// The arguments of a check of one side.
fn of_side(args: &CompareArgs, side: Side, bases: Vec<String>) -> CheckArgs {
    let mut target = args.target.clone();
    target.report = Vec::new();
    if side == Side::Gateway {
        target.url = Some(args.gateway.clone());
        target.base_url.clone_from(&args.gateway_base_url);
        target.card.clone_from(&args.gateway_card);
        target.header.extend(args.gateway_header.iter().cloned());
        target.bearer = args.gateway_bearer.clone().or(target.bearer);
    }
    // What the user names wins.
    let is_named = |base: &String| {
        let binding = base.split('=').next().unwrap_or_default();
        target.base_url.iter().any(|known| known.starts_with(&format!("{binding}=")) || !known.contains('='))
    };
    let bases: Vec<String> = bases.into_iter().filter(|base| !is_named(base)).collect();
    target.base_url.extend(bases);
    CheckArgs { target, selection: args.selection.clone(), receiver: args.receiver.clone(), ..CheckArgs::default() }
}

fn refuse_others(outputs: &[Output]) -> Result<(), Failure> {
    match outputs.iter().find(|output| !FORMATS.contains(&output.format)) {
        None => Ok(()),
        Some(other) => Err(Failure::new(
            Exit::Usage,
            &format!("compare has no report of the format {}", other.format),
            Some("use terminal, json or markdown"),
        )),
    }
}

/// A failure with the side that it is of.
fn at(side: Side, failure: Failure) -> Failure {
    let way = side.way();
    let text = failure.text.replacen("error: ", &format!("error: {way}: "), 1);
    Failure { text, message: format!("{way}: {}", failure.message), ..failure }
}

/// Writes into every report why there is no comparison.
fn write_failure(sinks: &[(Format, Sink)], args: &CompareArgs, failure: Failure) -> Result<Exit, Failure> {
    let comparison = Comparison {
        schema_version: SCHEMA_VERSION,
        tool: model::Tool::default(),
        direct: args.target.url.clone().unwrap_or_default(),
        gateway: args.gateway.clone(),
        started: format!("{:.3}", jiff::Timestamp::now()),
        duration_ms: 0,
        messages_sent: 0,
        exit_code: failure.exit as u8,
        error: Some(failure.info()),
        notes: Vec::new(),
        differences: Vec::new(),
        cases: Default::default(),
        unsteady: Vec::new(),
    };
    // Standard error says it to people.
    let is_said = |(format, sink): &&(Format, Sink)| format.is_for_terminals() && matches!(sink, Sink::Stdout);
    let files = sinks.iter().filter(|sink| !is_said(sink));
    write_all(files, |format, width| render(&comparison, format, width));
    Err(failure)
}

fn write(sinks: &[(Format, Sink)], comparison: &Comparison) -> bool {
    write_all(sinks, |format, width| render(comparison, format, width))
}

fn render(comparison: &Comparison, format: Format, width: usize) -> String {
    match format {
        Format::Json => json::indented(comparison),
        Format::Markdown => markdown(comparison),
        _ => terminal(comparison, width),
    }
}

/// Tells how far it is.
struct Told {
    progress: Option<Progress>,
}

impl Watcher for Told {
    fn begin(&mut self, what: &str, cases: usize) {
        self.progress = None;
        print::note(&Secrets::default(), &format!("{what}: {cases} cases"));
        self.progress = Some(Progress::new(cases));
    }

    fn see(&mut self, event: &Event) {
        if let Some(progress) = &mut self.progress {
            progress.see(event);
        }
    }
}
