//! `a2aspec client`: checks a client, which is driven by a wrapper.

use std::path::Path;
use std::sync::Arc;

use super::args::ClientArgs;
use super::fail::{Failure, library};
use super::progress::Progress;
use super::{Exit, outcome, print, settings, signals};
use crate::client::{self, ClientError, Finished, JOBS, LIMIT, Wanted};
use crate::diagnostic::shell;
use crate::diagnostic::words::shorten;
use crate::plan::Selection;
use crate::report::{Report, Secrets};
use crate::wrapper::{Output, Patience};

/// How much of what a wrapper has written is shown where it cannot be worked with.
const SHOWN: usize = 2_000;
/// The most characters of one line of that.
const LONGEST_LINE: usize = 200;

/// Checks a client.
pub(super) async fn run(mut args: ClientArgs) -> Result<Exit, Failure> {
    let command = shell::line(&args.command);
    outcome::of(std::mem::take(&mut args.outcome), command, check(args)).await
}

async fn check(args: ClientArgs) -> Result<Report, Failure> {
    let stop = signals::heard()?;
    let flags = flags(&args);
    let limit = args.timeout.map(|seconds| settings::above_zero("timeout", seconds)).transpose()?;
    let jobs = settings::jobs(args.jobs)?;
    let wanted = Wanted {
        profiles: settings::versions(&args.profile)?,
        bindings: settings::bindings(&args.binding)?,
        library: Arc::new(library(args.cases.as_deref().map(Path::new))?),
        selection: Selection { areas: args.area, levels: args.level, only: args.only, skip: args.skip },
        jobs: jobs.unwrap_or(JOBS),
        limit: limit.unwrap_or(LIMIT),
        patience: Patience::default(),
        command: args.command,
        flags,
        stop,
    };
    let prepared = client::prepare(wanted).await.map_err(failure)?;
    print::note(&Secrets::default(), &format!("found {}", prepared.title()));
    let mut progress = Progress::new(prepared.trials());
    let Finished { report, output } = client::run(prepared, |event| progress.see(event)).await;
    drop(progress);
    if report.stopped.is_some() {
        show(&output);
    }
    Ok(report)
}

/// The flags that do the same again.
fn flags(args: &ClientArgs) -> Vec<String> {
    let mut flags = Vec::new();
    let mut flag = |name: &str, value: String| flags.extend([name.to_owned(), value]);
    if let Some(cases) = &args.cases {
        flag("--cases", cases.display().to_string());
    }
    if let Some(timeout) = args.timeout {
        flag("--timeout", timeout.to_string());
    }
    flags
}

fn failure(error: ClientError) -> Failure {
    let (exit, help) = match &error {
        ClientError::Wrapper { .. } => (
            Exit::Target,
            "the wrapper connects to the address in A2ASPEC_WRAPPER and says hello first: docs/clients.md",
        ),
        ClientError::SelfTest { .. } => (
            Exit::Target,
            "the wrapper must do what it is told with the client's public methods, and report what they report",
        ),
        ClientError::Nothing(_) => (Exit::Target, "`bindings` and `versions` in the hello say what the client speaks"),
        ClientError::Selection(_) => {
            (Exit::Usage, "`a2aspec list` lists the cases; those about clients are in the area `client`")
        }
        ClientError::Host(_) => (Exit::Broken, "the suite listens on 127.0.0.1"),
    };
    match &error {
        ClientError::Wrapper { output, .. } | ClientError::SelfTest { output, .. } => show(output),
        _ => {}
    }
    Failure::new(exit, &error.to_string(), Some(help))
}

/// Shows the end of what a wrapper has written.
fn show(output: &Output) {
    for (name, text) in [("standard output", &output.stdout), ("standard error", &output.stderr)] {
        let text = text.trim_end();
        if text.is_empty() {
            continue;
        }
        let skipped = text.chars().count().saturating_sub(SHOWN);
        let end: String = text.chars().skip(skipped).collect();
        print::note(&Secrets::default(), &format!("the end of what the wrapper wrote to its {name}:"));
        end.lines().for_each(|line| print::note(&Secrets::default(), &format!("  {}", shorten(line, LONGEST_LINE))));
    }
}
