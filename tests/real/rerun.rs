//! The lines by which a report says how to run a case again.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use a2aspec::auth::{Caller, Credentials};
use a2aspec::case::Library;
use a2aspec::transport::http::{Http, Settings};
use a2aspec::{Suite, SuiteBuilder};
use futures_util::StreamExt as _;

use super::agent::USERS;
use super::expected::Expected;
use super::lines::{Line, Shown};
use super::report::{Outcome, Report};

/// How many lines are run at once: most of them wait for the agent.
const AT_ONCE: usize = 4;

/// How long an answer is waited for: much, for a machine that does other things, too.
const TIMEOUT: Duration = Duration::from_secs(60);

/// What lines say of an agent with users.
const OF_USERS: [&str; 4] = ["identity", "as_identity", "other", "allow_origin"];

/// The origins of interfaces that are not at the URL of the agent, such as the port of gRPC.
pub fn other_origins(url: &str) -> Result<Vec<String>, String> {
    let (library, http) = shared()?;
    let suite = Suite::builder(url).library(Arc::clone(library)).client(http);
    let suite = runtime()?.block_on(suite.prepare()).map_err(|error| error.to_string())?;
    let urls = suite.interfaces().map(|interface| interface.url.clone()).filter(|other| !other.starts_with(url));
    // The SDK's clients want the port of gRPC without a scheme.
    Ok(urls.map(|other| if other.contains("://") { other } else { format!("http://{other}") }).collect())
}

/// The same run in the names of the users of an agent that knows some.
fn in_their_names(suite: SuiteBuilder, expected: &Expected, origins: &[String]) -> SuiteBuilder {
    let callers = [Caller::Own, Caller::Other].into_iter().zip(USERS);
    let suite = callers.fold(suite, |suite, (caller, (_, token))| {
        let (name, value) = expected.credentials(token);
        suite.header_of(caller, name, &value)
    });
    origins.iter().fold(suite, |suite, origin| suite.allow_origin(origin))
}

/// One for all agents: to read the cases and to set up a client takes longer than many a run.
fn shared() -> Result<&'static (Arc<Library>, Http), String> {
    static SHARED: OnceLock<Result<(Arc<Library>, Http), String>> = OnceLock::new();
    let shared = SHARED.get_or_init(|| {
        let library = a2aspec::suite::library(None).map_err(|error| error.to_string())?;
        let settings = Settings { credentials: Credentials::default(), timeout: TIMEOUT };
        Ok((Arc::new(library), Http::new(settings).map_err(|error| error.to_string())?))
    });
    shared.as_ref().map_err(Clone::clone)
}

fn runtime() -> Result<tokio::runtime::Runtime, String> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())
}

/// The lines that do not show again what they are about, for people to read; nothing where all do.
pub fn that_fail(
    expected: &Expected,
    report: &Report,
    url: &str,
    origins: &[String],
) -> Result<Option<String>, String> {
    let (library, http) = shared()?;
    let card = expected.card_at(url);
    let users = OF_USERS.into_iter().filter(|_| expected.secured);
    let more: Vec<&str> = users.chain(card.iter().map(|_| "card")).collect();
    let (more, card) = (more.as_slice(), card.as_ref());
    let again = futures_util::stream::iter(chosen(expected, report)).map(|(outcome, line)| async move {
        let Outcome { case, profile, binding, verdict, .. } = outcome;
        let suite = Line::read_beside(line, more)?.suite(library, http);
        let suite = card.into_iter().fold(suite, SuiteBuilder::card);
        let suite = if expected.secured { in_their_names(suite, expected, origins) } else { suite };
        let again = suite.run().await.map_err(|error| format!("{line}: {error}"))?;
        let difference = Shown { case, profile, binding, verdict }.differs_from(&again);
        Ok(difference.map(|difference| format!("\nNO RERUN    {difference} by\n  {line}\n")))
    });
    let differences: Result<Vec<Option<String>>, String> =
        runtime()?.block_on(again.buffered(AT_ONCE).collect::<Vec<_>>()).into_iter().collect();
    let text: String = differences?.into_iter().flatten().collect();
    Ok((!text.is_empty()).then_some(text))
}

/// The lines that are run again, with what each is to show: all whose case always comes out so.
fn chosen<'a>(expected: &Expected, report: &'a Report) -> Vec<(&'a Outcome, &'a str)> {
    let is_steady =
        |outcome: &Outcome| expected.finding(&outcome.case, &outcome.binding).is_some_and(|(known, _)| !known.unsteady);
    let lines = report.cases.iter().flat_map(|case| case.rerun.iter().map(move |rerun| (&case.id, rerun)));
    let chosen = lines.filter_map(|(case, rerun)| {
        let is_it = |outcome: &&Outcome| {
            (&outcome.case, &outcome.profile, &outcome.binding) == (case, &rerun.profile, &rerun.binding)
        };
        let outcome = report.results.iter().filter(is_it).find(|outcome| is_steady(outcome))?;
        Some((outcome, rerun.command.as_str()))
    });
    chosen.collect()
}
