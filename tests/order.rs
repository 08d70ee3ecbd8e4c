//! The order of the cases makes no difference: each finds what it needs, whatever ran before it.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::suite;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use a2a_reference_agent::{Config, Fault};
use a2aspec::case::Library;
use a2aspec::plan::Trial;
use a2aspec::profile::{self, Binding};
use a2aspec::verdict::TrialResult;

/// How many orders are tried beside that of the plan.
const SHUFFLES: u64 = 3;

/// How long the agent works on a slow task: cases must meet it at work on a machine with other things to do.
const SLOW: Duration = Duration::from_secs(12);

/// The same where that was too short, as on a busy machine: what comes halfway must come before the time limit of an answer.
const SLOWER: Duration = Duration::from_secs(24);

/// The time limit of an answer.
const TIMEOUT: Duration = Duration::from_secs(90);

/// How often a difference is looked at again: one that comes from the order is there each time, one of chance is not.
const AGAIN: usize = 2;

/// Its stream goes on as long as the work, here for so long that the answers held beside it may leave it no room.
const STREAMS_ALL_WORK: &str = "stream/arrives-in-time";

/// The name of a verdict, and its reason.
type Verdict = (&'static str, Option<String>);

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

/// The verdict of each case of a run over one binding of a version, in an order, and the reason of one that was not reached.
async fn verdicts(
    (version, binding, fault): (&str, Binding, Option<&str>),
    order: u64,
    slow: Duration,
) -> BTreeMap<String, Verdict> {
    let profiles = profile::bundled().unwrap();
    let library = &*LIBRARY;
    let faults = fault.into_iter().map(|id| Fault::find(id).expect("there is such a fault")).collect();
    let config = Config { slow, faults, ..Config::default() };
    let run = suite::Run {
        is_public: false,
        library,
        profiles: &profiles,
        selection: &suite::everything(),
        config,
        at: None,
        of_interest: &|profile| profile.name() == version,
        is_worth: &|trial| trial.other.is_none() && trial.binding == binding && trial.case.id != STREAMS_ALL_WORK,
        see: &|_| {},
        http: &suite::http(TIMEOUT),
        jobs: 8,
        arrange: &|trials| {
            if order > 0 {
                shuffle(trials, order);
            }
        },
    };
    let report = run.report().await.unwrap().expect("cases apply");
    let results = report.results.iter();
    let verdict = |result: &TrialResult| (result.verdict.name(), result.reason.as_ref().map(ToString::to_string));
    results.map(|result| (format!("{} {}", result.binding, result.case), verdict(result))).collect()
}

async fn the_same_in_every_order(version: &str, binding: Binding, fault: Option<&str>) {
    let agent = (version, binding, fault);
    // Beside each other: most of a run waits for slow tasks.
    let orders = (0..=SHUFFLES).map(|order| verdicts(agent, order, SLOW));
    let mut all = futures_util::future::join_all(orders).await.into_iter();
    let planned = all.next().unwrap();
    let others = all.zip(1..).filter(|(shuffled, _)| !differences(&planned, shuffled).is_empty());
    for order in others.map(|(_, order)| order).collect::<Vec<u64>>() {
        let mut left = Vec::new();
        for _ in 0..AGAIN {
            let pair = [0, order].map(|order| verdicts(agent, order, SLOWER));
            let [planned, shuffled] = futures_util::future::join_all(pair).await.try_into().unwrap();
            left = differences(&planned, &shuffled);
            if left.is_empty() {
                break;
            }
        }
        assert!(left.is_empty(), "in order {order}: {left:#?}");
    }
    let is_seen = |verdict: &str| planned.values().any(|seen| seen.0 == verdict);
    assert!(is_seen("pass") && is_seen("fail") == fault.is_some(), "{planned:?}");
}

/// The cases that come out otherwise in another order.
fn differences(planned: &BTreeMap<String, Verdict>, shuffled: &BTreeMap<String, Verdict>) -> Vec<String> {
    let cases: BTreeSet<&String> = planned.keys().chain(shuffled.keys()).collect();
    let name = |verdicts: &BTreeMap<String, Verdict>, case| verdicts.get(case).map(|verdict: &Verdict| verdict.0);
    let differing = cases.into_iter().filter(|case| name(planned, *case) != name(shuffled, *case));
    differing.map(|case| format!("{case}: {:?}, and {:?}", planned.get(case), shuffled.get(case))).collect()
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
