//! `a2aspec judge`: judges recorded traffic.

use std::sync::Arc;

use super::args::JudgeArgs;
use super::fail::{Failure, library, profiles};
use super::{Exit, outcome, print, settings};
use crate::diagnostic::shell;
use crate::diagnostic::words::{count, count_as};
use crate::har::HarError;
use crate::report::{Report, Secrets};
use crate::suite::SuiteError;
use crate::traffic::{self, Judged, TrafficError, Wanted};

/// Judges traffic.
pub(super) async fn run(mut args: JudgeArgs) -> Result<Exit, Failure> {
    let files: Vec<String> = args.files.iter().map(|file| file.display().to_string()).collect();
    let (outcome, cases) = (std::mem::take(&mut args.outcome), args.by.cases.clone());
    outcome::of(outcome, cases.as_deref(), files.join(" "), async { judge(args) }).await
}

fn judge(args: JudgeArgs) -> Result<Report, Failure> {
    let wanted = Wanted {
        profiles: settings::versions(&args.profile)?,
        bindings: settings::bindings(&args.binding)?,
        library: Arc::new(library(args.by.cases.as_deref())?),
        command: command(&args),
        selection: args.by.selection(),
        files: args.files,
        agent: args.agent,
    };
    let judged = traffic::judge(&wanted, &profiles()?).map_err(failure)?;
    for interface in judged.report.target.interfaces.iter().filter(|interface| interface.skipped.is_none()) {
        print::note(&Secrets::default(), &format!("found {}", interface.title()));
    }
    Ok(told(judged))
}

/// The report, once what became of the entries was printed.
pub(super) fn told(judged: Judged) -> Report {
    let Judged { report, counts } = judged;
    let (entries, ignored) = (count_as(counts.entries, "entry", "entries"), counts.ignored());
    let note = |line: &str| print::note(&Secrets::default(), line);
    note(&format!("{entries}: {} judged, {ignored} not A2A calls to this agent", count(counts.judged, "call")));
    for (why, number) in &counts.unreached {
        note(&format!("{} not judged: {why}", count(*number, "call")));
    }
    report
}

/// The command line that does the same again, without any selection of cases.
fn command(args: &JudgeArgs) -> String {
    let mut words = vec!["a2aspec".to_owned(), "judge".to_owned()];
    words.extend(args.files.iter().map(|file| file.display().to_string()));
    let mut flag = |name: &str, value: String| words.extend([name.to_owned(), value]);
    if let Some(agent) = &args.agent {
        flag("--agent", agent.clone());
    }
    if let Some(cases) = &args.by.cases {
        flag("--cases", cases.display().to_string());
    }
    shell::line(&words)
}

/// Why traffic cannot be judged, with what to do.
pub(super) fn failure(error: TrafficError) -> Failure {
    let message = error.to_string();
    match error {
        TrafficError::Archive(HarError::Io { .. }) => {
            Failure::new(Exit::Usage, &message, Some("name an HTTP archive that exists and can be read"))
        }
        TrafficError::Archive(HarError::NotJson { .. } | HarError::NoEntries { .. }) => {
            let help = "export the traffic as HAR: in a browser from its network tools, with mitmproxy by `--set hardump=FILE`, with a2aspec \
                        by `check --trace FILE.har`";
            Failure::new(Exit::Usage, &message, Some(help))
        }
        TrafficError::NoCalls { .. } => {
            let help = "record calls over JSON-RPC or HTTP+JSON, with their bodies";
            Failure::new(Exit::Target, &message, Some(help))
        }
        TrafficError::NotJudged { reasons } => {
            let help = "record the calls with their whole requests and responses";
            Failure::listing(Exit::Target, &message, &reasons, Some(help))
        }
        TrafficError::SeveralAgents { urls } => {
            Failure::listing(Exit::Usage, &message, &urls, Some("name one of them: --agent URL"))
        }
        TrafficError::NoSuchAgent { urls, .. } => {
            Failure::listing(Exit::Usage, &message, &urls, Some("name the beginning of one of these URLs"))
        }
        TrafficError::NoVersion { versions, .. } => {
            let help = versions.last().map(|version| format!("name it: --profile {version}"));
            Failure::new(Exit::Usage, &message, help.as_deref())
        }
        TrafficError::Lost => Failure::broken(message),
        TrafficError::Selection(error) => SuiteError::NothingMatches(error).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_to_go_wrong_has_a_help() {
        let urls = vec!["http://a".to_owned()];
        for (error, exit) in [
            (TrafficError::NoCalls { entries: 3, cards: 1, grpc: 0 }, Exit::Target),
            (TrafficError::NotJudged { reasons: urls.clone() }, Exit::Target),
            (TrafficError::SeveralAgents { urls: urls.clone() }, Exit::Usage),
            (TrafficError::NoSuchAgent { wanted: "http://b".to_owned(), urls: urls.clone() }, Exit::Usage),
            (TrafficError::NoVersion { url: "http://a".to_owned(), versions: urls }, Exit::Usage),
        ] {
            let failure = failure(error);
            assert!(failure.exit == exit && failure.help.is_some(), "{}", failure.text);
        }
    }
}
