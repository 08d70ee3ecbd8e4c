//! Runs against the reference agent, and what is wrong without one.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use a2a_reference_agent::{Config, Fault, RunningAgent};
use tokio::sync::watch;

use super::*;
use crate::case::Trigger;
use crate::discovery::DiscoveryError;
use crate::discovery::triggers::Say;
use crate::profile::Binding;
use crate::report::gate::{FailOn, Gate};
use crate::report::merge::merge;
use crate::report::{doctor, json};
use crate::verdict::{TrialResult, Verdict};

async fn agent() -> RunningAgent {
    a2a_reference_agent::start(Config::default(), SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await.unwrap()
}

/// A run that does not read the cases anew.
fn suite(url: &str) -> SuiteBuilder {
    static LIBRARY: OnceLock<Arc<Library>> = OnceLock::new();
    let library = LIBRARY.get_or_init(|| Arc::new(library(None).unwrap()));
    Suite::builder(url).library(Arc::clone(library))
}

/// The cases of an area in 1.0 over JSON-RPC.
fn area(agent: &RunningAgent, name: &str) -> SuiteBuilder {
    suite(agent.url()).profiles(["1.0"]).bindings([Binding::Jsonrpc]).area(name)
}

async fn error(suite: SuiteBuilder) -> SuiteError {
    suite.prepare().await.err().unwrap()
}

#[tokio::test]
async fn a_run_comes_from_a_url_to_a_report() {
    let agent = agent().await;
    let suite = area(&agent, "get").prepare().await.unwrap();
    let trials = suite.plan().trials.len();
    let mut finished = 0;
    let report = suite.run_with(|event| finished += usize::from(matches!(event, Event::Finished { .. }))).await;
    assert_eq!((finished, report.results.len()), (trials, trials));
    assert_eq!(report.gate(FailOn::Should), Gate::Passes);
    assert!(report.results.iter().any(|result| result.verdict == Verdict::Pass));
}

#[tokio::test]
async fn what_is_not_kept_is_not_run() {
    let agent = agent().await;
    let mut suite = area(&agent, "get").prepare().await.unwrap();
    suite.retain(|trial| trial.case.id == "get/existing");
    let report = suite.run().await;
    assert_eq!(report.results.iter().map(|result| result.case.as_str()).collect::<Vec<_>>(), ["get/existing"]);
}

#[tokio::test]
async fn a_few_cases_show_what_can_be_tested() {
    let config = Config { without: [a2a_reference_agent::Capability::Streaming].into(), ..Config::default() };
    let agent = a2a_reference_agent::start(config, SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await.unwrap();
    let unknown = Say { text: "?".to_owned(), message_id_prefix: None, metadata: None };
    let all = suite(agent.url()).profiles(["1.0"]).bindings([Binding::Jsonrpc]).trigger(Trigger::Fail, unknown);
    let mut suite = all.prepare().await.unwrap();
    let whole = suite.plan().clone();
    let samples = suite.sample();
    assert!(samples.len() > 8 && suite.plan().trials.len() <= samples.len(), "{}", samples.len());
    let report = suite.run().await;
    let text = doctor::render(&report, &whole, &samples, 100);
    let text = anstream::adapter::strip_str(&text).to_string();
    for line in [
        "answers                yes (",
        "trigger complete       yes (",
        "trigger slow           yes (",
        "trigger fail           yes, by other words: \"fail\" (",
        "webhooks               yes (",
        "the card does not declare streaming",
        "fail = \"fail\"",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    agent.stop().await;
}

#[tokio::test]
async fn the_parts_of_a_run_are_the_whole() {
    let faults = ["cancel/unknown-is-no-method", "errors/no-message"].map(|id| Fault::find(id).unwrap()).to_vec();
    let config = Config { faults, ..Config::default() };
    let agent = a2a_reference_agent::start(config, SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await.unwrap();
    let areas = || area(&agent, "cancel").area("get").area("jsonrpc").area("errors");
    let whole = areas().run().await.unwrap();
    let mut texts = Vec::new();
    for number in 1..=3 {
        let report = areas().shard(format!("{number}/3").parse().unwrap()).run().await.unwrap();
        assert!(report.results.len() < whole.results.len());
        texts.push((format!("{number}.json"), json::render(&report)));
    }
    let merged = merge(&texts, &library(None).unwrap()).unwrap();
    let told = |report: &Report| {
        let results = report.results.iter().map(|result| {
            let TrialResult { case, profile, binding, verdict, level, violated, held, .. } = result;
            format!("{case} {profile} {binding} {verdict:?} {level} {violated:?} {held:?}")
        });
        let rules = report.requirements.iter().map(|rule| format!("{} {} {:?}", rule.id, rule.profile, rule.verdict));
        let problems = report.problems.iter().map(|problem| format!("{} {}", problem.fingerprint, problem.message));
        let reruns = report.cases.iter().flat_map(|case| case.rerun.iter().map(|rerun| rerun.command.clone()));
        let rest = problems.collect::<BTreeSet<_>>().into_iter().chain(reruns.collect::<BTreeSet<_>>());
        results.chain(rules).chain(rest).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(told(&merged), told(&whole));
    assert_eq!(merged.summary, whole.summary);
    // Some areas are not every case.
    assert!(whole.conformance.is_empty() && merged.conformance.is_empty());
    assert_eq!(merged.gate(FailOn::Must), Gate::Fails);
    // Each result says which part saw it, and those of cases that judge the whole run how it came out in each.
    let seen_by = |case: &str| merged.results.iter().find(|result| result.case == case).unwrap().shards.len();
    assert_eq!((seen_by("get/existing"), seen_by("jsonrpc/envelope")), (1, 3));
    agent.stop().await;
}

#[tokio::test]
async fn a_stop_ends_the_run_wherever_it_is() {
    let agent = agent().await;
    let (stopper, stop) = watch::channel(false);
    let suite = area(&agent, "get").stop(stop.clone()).prepare().await.unwrap();
    let report = suite.run_with(|event| stopper.send_modify(|stop| *stop |= matches!(event, Event::Met(_)))).await;
    assert_eq!(report.gate(FailOn::Must), Gate::Interrupted);
    assert!(report.results.iter().all(|result| result.verdict == Verdict::Unreached));
    assert!(matches!(error(area(&agent, "get").stop(stop)).await, SuiteError::Interrupted));
}

#[tokio::test]
async fn without_a_card_the_url_is_the_interface() {
    let agent = agent().await;
    let url = format!("{}/1.0", agent.url());
    let suite = suite(&url).profiles(["1.0"]).bindings([Binding::Jsonrpc]).without_card().only("get/existing");
    let report = suite.run().await.unwrap();
    assert!(report.target.cards.is_empty());
    assert_eq!(report.results.first().map(|result| result.verdict), Some(Verdict::Pass));
}

#[tokio::test]
async fn what_is_worth_knowing_is_told() {
    let agent = agent().await;
    let told: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = Arc::clone(&told);
    let suite = area(&agent, "get")
        .bearer("t0ken")
        .card(format!("{}/no-card", agent.url().replace("127.0.0.1", "localhost")))
        .on_notice(move |notice| {
            heard.lock().unwrap().push(match notice {
                Notice::Renamed { old, new } => format!("{old} is {new}"),
                Notice::CardWithoutCredentials { .. } => "no credentials for the card".to_owned(),
                Notice::NoKeysAt { .. } => "no keys".to_owned(),
                Notice::Waiting { .. } => "waiting".to_owned(),
                Notice::WithoutCard(_) => "no card".to_owned(),
            });
        });
    assert!(suite.prepare().await.is_ok());
    assert_eq!(*told.lock().unwrap(), ["no credentials for the card", "no card"]);
}

#[tokio::test]
async fn an_agent_that_is_starting_is_waited_for() {
    // A port that is free, as far as one can tell.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (waiting, mut begun) = tokio::sync::mpsc::unbounded_channel();
    let suite = suite(&format!("http://127.0.0.1:{port}"))
        .profiles(["1.0"])
        .only("get/existing")
        .wait(Duration::from_secs(60))
        .on_notice(move |notice| {
            assert!(matches!(notice, Notice::Waiting { .. }), "{notice:?}");
            waiting.send(()).unwrap();
        });
    let agent = async {
        begun.recv().await.unwrap();
        a2a_reference_agent::start(Config::default(), SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await.unwrap()
    };
    let (found, agent) = tokio::join!(suite.prepare(), agent);
    assert!(found.is_ok());
    assert!(begun.try_recv().is_err(), "it is told once");
    agent.stop().await;
}

#[tokio::test]
async fn a_wait_ends_and_what_is_wrong_is_not_waited_for() {
    let nobody = suite("http://127.0.0.1:1").wait(Duration::from_millis(300));
    let SuiteError::Discovery(DiscoveryError::Unreachable { is_nowhere: true, .. }) = error(nobody).await else {
        panic!()
    };
    let no_card = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let wrong = suite("http://127.0.0.1:1").card(no_card).wait(Duration::from_secs(600));
    assert!(matches!(error(wrong).await, SuiteError::Discovery(DiscoveryError::NotJson { .. })));
}

#[tokio::test]
async fn what_the_agent_does_not_have_is_an_error_with_data() {
    let agent = agent().await;
    let wanted = suite(agent.url()).bindings([Binding::Grpc]).profiles(["0.3", "1.0"]);
    assert!(wanted.only("get/existing").prepare().await.is_ok());
    let SuiteError::NothingMatches(error) = error(area(&agent, "gte")).await else { unreachable!() };
    assert_eq!(error.to_string(), "there is no area `gte`");
}

#[test]
fn what_is_wrong_is_told_without_the_agent() {
    let url = "http://user:p4ssw0rd@127.0.0.1:1";
    let suites = [
        SuiteBuilder::default().url("127.0.0.1:1"),
        Suite::builder("ftp://127.0.0.1"),
        Suite::builder("http://[1"),
        Suite::builder(url).card("no-such-card.json"),
        Suite::builder(url).base_url("rest=http://u:p4ssw0rd@127.0.0.1:2"),
        Suite::builder(url).allow_origin("https://u:p4ssw0rd@agent.example/a2a"),
        Suite::builder(url).header("X Key", "p4ssw0rd"),
        Suite::builder(url).header("X-Key", "p4ssw0rd\n"),
        Suite::builder(url).bearer(""),
        Suite::builder(url).profiles(["1.0", "7.0"]),
        Suite::builder(url).profiles(["0.2.5"]).bindings([Binding::Grpc]),
        Suite::builder(url).without_card().profiles(["1.0"]),
        // The first is told.
        Suite::builder("localhost").bearer(""),
    ];
    let told: Vec<String> = suites.map(|suite| suite.validate().err().unwrap().to_string()).to_vec();
    assert!(!told.concat().contains("p4ssw0rd"));
    insta::assert_snapshot!(told.join("\n"));
}

#[tokio::test]
async fn the_command_lines_of_a_library_show_no_secret() {
    let agent = agent().await;
    let suite = area(&agent, "get").header("X-Key", "p4ssw0rd").allow_origin("https://a.example").prepare().await;
    let command = suite.unwrap().command.replace(agent.url(), "URL");
    assert_eq!(command, "a2aspec check URL/ --allow-origin https://a.example --header 'X-Key: ***'");
}
