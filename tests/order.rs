//! The order of the cases makes no difference: each finds what it needs, whatever ran before it.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "common/suite.rs"]
mod suite;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use a2a_reference_agent::{Config, Fault};
use a2aspec::case::Library;
use a2aspec::plan::Trial;
use a2aspec::profile::{self, Binding};

/// How many orders are tried beside that of the plan.
const SHUFFLES: u64 = 3;

/// How long the agent works on a slow task: cases must meet it at work on a machine with other things to do.
const SLOW: Duration = Duration::from_secs(12);

static LIBRARY: LazyLock<Arc<Library>> = LazyLock::new(|| Arc::new(a2aspec::suite::library(None).unwrap()));

/// Shuffles, each time alike for a seed (Fisher and Yates, with the generator of Knuth's MMIX).
fn shuffle(trials: &mut [Arc<Trial>], seed: u64) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for last in (1..trials.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let other = usize::try_from(state >> 33).unwrap() % (last + 1);
        trials.swap(last, other);
    }
}

/// Every verdict of a run over one binding of a version, in an order.
async fn verdicts(version: &str, binding: Binding, fault: Option<&str>, order: u64) -> BTreeMap<String, String> {
    let profiles = profile::bundled().unwrap();
    let library = &*LIBRARY;
    let faults = fault.into_iter().map(|id| Fault::find(id).expect("there is such a fault")).collect();
    let config = Config { slow: SLOW, faults, ..Config::default() };
    let run = suite::Run {
        is_public: false,
        library,
        profiles: &profiles,
        selection: &suite::everything(),
        config,
        at: None,
        of_interest: &|profile| profile.name() == version,
        is_worth: &|trial| trial.other.is_none() && trial.binding == binding,
        see: &|_| {},
        http: &suite::http(Duration::from_secs(30)),
        jobs: 8,
        arrange: &|trials| {
            if order > 0 {
                shuffle(trials, order);
            }
        },
    };
    let report = run.report().await.unwrap().expect("cases apply");
    let results = report.results.iter();
    results.map(|result| (format!("{} {}", result.binding, result.case), result.verdict.name().to_owned())).collect()
}

async fn the_same_in_every_order(version: &str, binding: Binding, fault: Option<&str>) {
    // Beside each other: most of a run waits for slow tasks.
    let orders = (0..=SHUFFLES).map(|order| verdicts(version, binding, fault, order));
    let mut all = futures_util::future::join_all(orders).await.into_iter();
    let planned = all.next().unwrap();
    for (shuffled, order) in all.zip(1..) {
        let is_other = |(case, verdict): &(&String, &String)| shuffled.get(*case) != Some(verdict);
        let others: Vec<String> = planned
            .iter()
            .filter(is_other)
            .map(|(case, verdict)| format!("{case}: {verdict}, and {:?} in order {order}", shuffled.get(case)))
            .collect();
        assert!(others.is_empty() && planned.len() == shuffled.len(), "{others:#?}");
    }
    let is_seen = |verdict: &str| planned.values().any(|seen| seen == verdict);
    assert!(is_seen("pass") && is_seen("fail") == fault.is_some(), "{planned:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_is_right_is_right_in_every_order() {
    the_same_in_every_order("1.0", Binding::Jsonrpc, None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_lets_readings_change_its_tasks_has_the_same_faults_in_every_order() {
    the_same_in_every_order("1.0", Binding::Grpc, Some("history/asking-cuts-it")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_of_an_older_version_is_wrong_alike_in_every_order() {
    the_same_in_every_order("0.3", Binding::HttpJson, Some("history/length-forgotten")).await;
}
