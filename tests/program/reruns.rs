//! Each line by which a report says how to run a case again shows again what it is about.

use std::net::Ipv4Addr;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use a2a_reference_agent::{Config, Fault};
use a2aspec::Suite;
use a2aspec::auth::Credentials;
use a2aspec::case::Library;
use a2aspec::report::model::Report;
use a2aspec::transport::http::{Http, Settings};

use super::rerun::{Line, Shown};

static LIBRARY: LazyLock<Arc<Library>> = LazyLock::new(|| Arc::new(a2aspec::suite::library(None).unwrap()));

/// What goes wrong, a kind of case each: what a case asks itself, what is seen in the answers to others, to lists that some
/// cases ask across bindings, across two bindings, of the card, of bytes, on streams.
const FAULTS: [&str; 8] = [
    "get/unknown-is-internal",
    "data/time-since-1970",
    "list/oldest-first",
    "equivalence/not-cancelled",
    "card/no-etag",
    "http1/host-unneeded",
    "stream/chunk-lost",
    "grpc/not-found-unnamed",
];

/// Runs these areas of a version, and each line of the report.
async fn every_line_reproduces(version: &str, areas: &[&str]) {
    let faults = FAULTS.iter().map(|id| Fault::find(id).expect("there is such a fault")).collect();
    let config = Config { slow: Duration::from_secs(1), faults, ..Config::default() };
    let agent = a2a_reference_agent::start(config, (Ipv4Addr::LOCALHOST, 0).into()).await.unwrap();
    agent.go_wrong();
    let bases = agent.bases();
    let base = bases.iter().find(|(name, _)| *name == version).map_or(agent.url(), |(_, base)| base.as_str());
    let http = Http::new(Settings { credentials: Credentials::default(), timeout: Duration::from_secs(60) }).unwrap();
    let suite = Suite::builder(base).library(Arc::clone(&LIBRARY)).client(&http).profiles([version]);
    let suite = areas.iter().fold(suite, |suite, area| suite.area(area));
    let report = suite.run().await.unwrap();
    let mut lines = 0;
    let mut differences = Vec::new();
    for (line, shown) in lines_of(&report) {
        let again = Line::read(line).unwrap().suite(&LIBRARY, &http).run().await.unwrap();
        differences.extend(shown.differs_from(&again).map(|difference| format!("{difference}: {line}")));
        lines += 1;
    }
    assert!(differences.is_empty() && lines > FAULTS.len(), "{lines} lines: {differences:#?}");
    agent.stop().await;
}

/// The lines of a report, each with what it is to show.
fn lines_of(report: &Report) -> impl Iterator<Item = (&str, Shown<'_>)> {
    let lines = report.cases.iter().flat_map(|case| case.rerun.iter().map(move |rerun| (case.id.as_str(), rerun)));
    lines.filter_map(|(case, rerun)| {
        let is_it = |(it, profile, binding): (&str, &str, &str)| {
            (it, profile, binding) == (case, rerun.profile.as_str(), rerun.binding.as_str())
        };
        let result = report.results.iter().find(|it| is_it((&it.case, &it.profile, &it.binding)))?;
        let verdict = result.verdict.name();
        let shown = Shown { case, profile: &rerun.profile, binding: &rerun.binding, verdict };
        result.shows_something_wrong().then_some((rerun.command.as_str(), shown))
    })
}

#[tokio::test]
async fn over_every_binding_and_across_them() {
    every_line_reproduces("1.0", &["card", "data", "equivalence", "errors", "get", "http1", "list", "stream"]).await;
}

#[tokio::test]
async fn in_an_older_version() {
    every_line_reproduces("0.3", &["card", "data", "equivalence", "get", "stream"]).await;
}
