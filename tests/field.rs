//! Faults that were reported of published agents, each rebuilt from its public report: the suite finds them, by the sentences of the
//! specification that decide, and blames nothing else. A test names the report and the sentence.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "field/card.rs"]
mod card;
#[path = "field/errors.rs"]
mod errors;
#[path = "field/gateway.rs"]
mod gateway;
#[path = "field/lists.rs"]
mod lists;
#[path = "field/push.rs"]
mod push;
#[path = "field/streams.rs"]
mod streams;
#[path = "field/tasks.rs"]
mod tasks;
#[path = "field/views.rs"]
mod views;

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use a2a_reference_agent::Version;
use a2aspec::Suite;
use a2aspec::case::Library;
use a2aspec::report::Report;
use a2aspec::verdict::Verdict;
use gateway::Faulty;

/// Reading the cases takes as long as a small run.
static LIBRARY: LazyLock<Arc<Library>> = LazyLock::new(|| Arc::new(a2aspec::suite::library(None).unwrap()));

/// Runs the suite against an agent as a user would: there is one problem, told under one of the requirements of `found`, all of which fail;
/// or none where nothing is wrong.
async fn check(agent: Faulty, found: &[&str]) {
    let problems = found.len().min(1);
    let report = report(agent).await;
    let is_bad = |verdict: Verdict| matches!(verdict, Verdict::Fail | Verdict::Warn | Verdict::Flaky | Verdict::Broken);
    let failed: Vec<&str> = report
        .requirements
        .iter()
        .filter(|requirement| is_bad(requirement.verdict))
        .map(|requirement| requirement.id.as_str())
        .collect();
    let told: Vec<String> = report
        .problems
        .iter()
        .filter(|problem| is_bad(problem.verdict))
        .map(|problem| {
            let cases = problem.evidence.iter().map(|one| report.results[one.result].case.as_str());
            let id = problem.requirement.map(|index| report.requirements[index].id.as_str()).unwrap_or_default();
            format!("{id}: {} {:?}", problem.message, cases.collect::<BTreeSet<_>>())
        })
        .collect();
    let missed: Vec<String> =
        found.iter().filter(|id| !failed.contains(*id)).map(|id| format!("{id}: {}", outcome(&report, id))).collect();
    let is_told_rightly = |problem: &String| found.iter().any(|id| problem.starts_with(&format!("{id}:")));
    assert!(
        missed.is_empty() && told.len() == problems && told.iter().all(is_told_rightly),
        "missed: {missed:?}\nfailed: {failed:?}\n{}",
        told.join("\n")
    );
}

/// How a requirement came out, and why it was not tested where it was not.
fn outcome(report: &Report, id: &str) -> String {
    let Some(requirement) = report.requirements.iter().find(|requirement| requirement.id == id) else {
        return "not in the report".to_owned();
    };
    let reason = requirement.reason.as_ref().map(|reason| format!(", {reason}")).unwrap_or_default();
    format!("{:?}{reason}", requirement.verdict)
}

async fn report(agent: Faulty) -> Report {
    let url = agent.start().await;
    // The server of HTTP below the agent is not theirs.
    let suite = Suite::builder(&url).library(Arc::clone(&LIBRARY)).skip("http1").prepare().await.unwrap();
    let report = suite.run().await;
    let headlines: BTreeSet<&str> = report.problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(headlines.len(), report.problems.len(), "two problems have the same headline: {headlines:?}");
    report
}

/// No event of these streams has an `id:` line, and no text asks for one: <https://github.com/a2aproject/a2a-rs/issues/201>.
#[tokio::test]
async fn the_agent_without_a_fault_is_right() {
    for version in [Version::V1_0, Version::V0_3, Version::V0_1] {
        check(Faulty::agent(version), &[]).await;
    }
}
