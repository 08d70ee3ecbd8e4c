//! `a2aspec client`: checks a client, which is driven by a wrapper, or by something else (`--serve`).

use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::args::ClientArgs;
use super::fail::{Failure, library, unwritable};
use super::progress::Progress;
use super::{Exit, outcome, print, settings, signals};
use crate::client::{self, ClientError, Finished, JOBS, LIMIT, Speaks, Wanted, serve as served};
use crate::diagnostic::shell;
use crate::diagnostic::words::shorten;
use crate::plan::Selection;
use crate::reason::Reason;
use crate::report::{Report, Secrets};
use crate::wrapper::{Output, Patience};

/// How much of what a wrapper has written is shown where it cannot be worked with.
const SHOWN: usize = 2_000;
/// The most characters of one line of that.
const LONGEST_LINE: usize = 200;

/// Checks a client.
pub(super) async fn run(mut args: ClientArgs) -> Result<Exit, Failure> {
    let command = shell::line(&args.command);
    let (outcome, cases) = (std::mem::take(&mut args.outcome), args.cases.clone());
    outcome::of(outcome, cases.as_deref(), command, check(args)).await
}

/// How long a case that is served waits for further requests.
const WAIT: Duration = Duration::from_secs(30);

/// Waits for a client that something else drives.
async fn serve(args: ClientArgs, address: &str) -> Result<Report, Failure> {
    let stop = signals::heard()?;
    let address = listening(address)?;
    let mut flags = flags(&args);
    flags.extend(["--serve".to_owned(), address.clone()]);
    let wait = args.wait.map(|seconds| settings::above_zero("wait", seconds)).transpose()?;
    let deadline = args.deadline.map(|seconds| settings::above_zero("deadline", seconds)).transpose()?;
    let wanted = served::Wanted {
        address,
        library: Arc::new(library(args.cases.as_deref().map(Path::new))?),
        selection: Selection { areas: args.area, levels: args.level, only: args.only, skip: args.skip },
        speaks: Speaks { profiles: settings::versions(&args.profile)?, bindings: settings::bindings(&args.binding)? },
        wait: wait.unwrap_or(WAIT),
        deadline,
        flags,
        stop,
    };
    let serving = served::prepare(wanted).await.map_err(failure)?;
    if let Some(path) = &args.urls {
        std::fs::write(path, format!("{:#}\n", serving.urls())).map_err(|error| unwritable(path, &error))?;
    }
    let (trials, url) = (serving.trials(), serving.url());
    let cases = if trials == 1 { "case waits" } else { "cases wait" };
    print::note(&Secrets::default(), &format!("{trials} {cases} for a client; {url} lists them"));
    print::note(&Secrets::default(), &format!("the run ends when all are judged, or by `curl -X DELETE {url}`"));
    let mut progress = Progress::new(trials);
    let report = served::run(serving, |event| progress.see(event)).await;
    let is_unvisited = report.results.iter().all(|result| result.reason == Some(Reason::NotVisited));
    if is_unvisited && report.stopped.is_none() {
        let help = "point the client at the URLs of the cases, which the page and --urls list";
        return Err(Failure::new(Exit::Target, "no client visited a case", Some(help)));
    }
    Ok(report)
}

/// An address to listen on, of `[HOST:]PORT`.
fn listening(text: &str) -> Result<String, Failure> {
    let (host, port) = text.rsplit_once(':').unwrap_or(("127.0.0.1", text));
    let is_unspecified = host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|ip| ip.is_unspecified());
    match port.parse::<u16>() {
        Ok(port) if !host.is_empty() && !is_unspecified => Ok(format!("{host}:{port}")),
        Ok(_) => Err(Failure::usage(format!(
            "`{text}`: the URLs of the cases begin with the host; name one under which the client reaches it"
        ))),
        Err(_) => Err(Failure::usage(format!("`{text}` is not [HOST:]PORT, such as 9000 or agent.test:9000"))),
    }
}

async fn check(args: ClientArgs) -> Result<Report, Failure> {
    if let Some(address) = args.serve.clone() {
        return serve(args, &address).await;
    }
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
        ClientError::Interrupted => return Failure::whole(Exit::Interrupted, format!("{error}\n")),
        ClientError::NotServed(_) => (Exit::Target, "docs/clients.md lists what can be checked without a wrapper"),
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
