//! Legal variations of the reference agent are legal: the whole suite passes under each.
//!
//! No MUST and no SHOULD may fail, but for a SHOULD where the entry has a reason (`warns`). To run the suite once for each variation
//! and version takes an hour, so variations are served several at a time, no two of them of one area: they are about different
//! things. If a case turns red, each of them runs by itself, and the ones that are to blame fail. By itself this tries each group in a
//! part of the cases, every group in other ones, and leaves to a version what it has from another. The versions with a card of
//! their own share the groups.
//!
//! `A2ASPEC_VARIATIONS=whole` runs all cases, and `A2ASPEC_VARIATIONS=alone` each variation by itself. With a filter those that it
//! names run by themselves. `A2ASPEC_VARIATIONS_PROFILE=1.0` leaves out the versions that have another card.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
use crate::common::suite;

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use a2a_reference_agent::{Config, Variation};
use a2aspec::case::Library;
use a2aspec::plan::Selection;
use a2aspec::profile::{self, Profile};
use a2aspec::report::model::Report;
use a2aspec::transport::http::Http;
use a2aspec::verdict::{TrialResult, Verdict};
use futures_util::StreamExt as _;
use libtest_mimic::{Arguments, Trial};

/// How long the suite waits for an answer.
const TIMEOUT: Duration = Duration::from_secs(20);
/// How long a slow task works: cases must meet it at work, also where many agents are checked at once.
const SLOW: Duration = Duration::from_millis(2500);
/// How many agents are checked at once.
const AT_ONCE: usize = 6;
/// One in so many cases is run with a group.
const PART: usize = 8;
/// As `a2aspec check` does by default.
const JOBS: usize = 8;

/// The cards of the agent, by the version that has one of its own, and the versions to which each leads.
const BASES: [(Option<&str>, &[&str]); 7] = [
    (None, &["1.0", "0.3"]),
    (Some("1.1-draft"), &["1.1-draft"]),
    (Some("1.0-draft"), &["1.0-draft"]),
    (Some("0.2.5"), &["0.2.5"]),
    (Some("0.2.1"), &["0.2.1"]),
    (Some("0.1"), &["0.1"]),
    (Some("proposal"), &["proposal"]),
];

/// Variations that are served at once.
type Group = Vec<&'static Variation>;

/// What turned red under a variation, for people.
type Red = BTreeMap<&'static str, Vec<String>>;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let all = Variation::all().expect("variations.yaml is right");
    let mode = std::env::var("A2ASPEC_VARIATIONS").unwrap_or_default();
    let filter = arguments.filter.as_deref();
    let wanted: Group = all
        .iter()
        .filter(|variation| !arguments.list && filter.is_none_or(|filter| variation.id.contains(filter)))
        .collect();
    let is_alone = mode == "alone" || filter.is_some();
    let runtime = tokio::runtime::Runtime::new().expect("the runtime starts");
    let extent = if is_alone || mode == "whole" { Extent::All } else { Extent::Part };
    let red = Arc::new(runtime.block_on(check(&wanted, is_alone, extent)));
    let tests = all.iter().map(|variation| {
        let red = Arc::clone(&red);
        Trial::test(format!("variation {}", variation.id), move || match red.get(variation.id.as_str()) {
            Some(cases) => Err(cases.join("\n").into()),
            None => Ok(()),
        })
    });
    libtest_mimic::run(&arguments, tests.collect()).exit_code()
}

/// What the suite runs on.
struct Ground {
    library: Arc<Library>,
    profiles: Vec<Arc<Profile>>,
    http: Http,
    /// The cases of each version that it does not have from another.
    own: BTreeMap<String, BTreeSet<String>>,
}

/// Which cases are run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// All of them.
    All,
    /// One in so many, other ones for each group, of those that a version does not have from another.
    Part,
}

impl Ground {
    fn new() -> Self {
        let profiles = profile::bundled().expect("the profiles are right");
        let library = Arc::new(a2aspec::suite::library(None).expect("the cases are right"));
        let trials = suite::matrix(&library, &profiles).trials;
        let mut cases: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for trial in &trials {
            cases.entry(trial.profile.clone()).or_default().insert(trial.case.id.clone());
        }
        let own = profiles.iter().map(|profile| {
            let of = |name: &str| cases.get(name).cloned().unwrap_or_default();
            let inherited = profile.facts.like.as_deref().map(of).unwrap_or_default();
            (profile.name().to_owned(), of(profile.name()).difference(&inherited).cloned().collect())
        });
        let own = own.collect();
        Self { library, profiles, http: suite::http(TIMEOUT), own }
    }

    /// The report on an agent with these variations at one of its bases; nothing where no case applies.
    async fn report(&self, group: &Group, (at, profiles): Base, part: Option<usize>) -> Option<Report> {
        let acting = |profile: &str| group.iter().any(|variation| variation.acts_in(profile));
        let run = suite::Run {
            is_public: false,
            library: &self.library,
            profiles: &self.profiles,
            // What no run has unless it is asked for is about load: it costs more than the rest.
            selection: &Selection::default(),
            at,
            config: Config { slow: SLOW, variations: group.clone(), ..Config::default() },
            of_interest: &|profile| profiles.contains(&profile.name()) && acting(profile.name()),
            is_worth: &|trial| {
                let own = self.own.get(&trial.profile);
                let place = own.and_then(|own| own.iter().position(|id| *id == trial.case.id));
                let is_in = |part: usize| place.is_some_and(|place| (place + part).is_multiple_of(PART));
                !suite::is_about_the_address(trial) && part.is_none_or(is_in)
            },
            see: &|_| {},
            http: &self.http,
            jobs: JOBS,
            arrange: &suite::as_planned,
        };
        run.report().await.unwrap_or_else(|error| panic!("{}: {error}", names(group)))
    }

    /// What turns red under these variations at a base.
    async fn red(&self, group: &Group, base: Base, part: Option<usize>) -> Vec<String> {
        let report = self.report(group, base, part).await;
        let results = report.iter().flat_map(|report| &report.results);
        let is_excused = |result: &TrialResult| {
            result.verdict == Verdict::Warn && group.iter().any(|variation| variation.warns.is_some())
        };
        results.filter(|result| is_red(result) && !is_excused(result)).map(describe).collect()
    }
}

/// Whether a result breaks a MUST or a SHOULD, or could not be had.
fn is_red(result: &TrialResult) -> bool {
    matches!(result.verdict, Verdict::Fail | Verdict::Warn | Verdict::Flaky | Verdict::Broken)
}

fn describe(result: &TrialResult) -> String {
    let mut text = format!("{:?} {} {} {}", result.verdict, result.profile, result.binding, result.case);
    for finding in &result.findings {
        text.push_str(&format!("\n    {}", finding.headline()));
        for (what, value) in
            [("expected", &finding.expected), ("received", &finding.received), ("at", &finding.pointer)]
        {
            if let Some(value) = value {
                text.push_str(&format!("\n      {what}: {value}"));
            }
        }
    }
    text
}

fn names(group: &Group) -> String {
    group.iter().map(|variation| variation.id.as_str()).collect::<Vec<_>>().join(", ")
}

/// What turns red, by the variation that is to blame.
async fn check(wanted: &Group, is_alone: bool, extent: Extent) -> Red {
    let ground = Arc::new(Ground::new());
    let groups = if is_alone { wanted.iter().map(|variation| vec![*variation]).collect() } else { groups(wanted) };
    let began = Instant::now();
    let only = std::env::var("A2ASPEC_VARIATIONS_PROFILE").ok();
    let bases =
        || BASES.into_iter().filter(|(_, profiles)| only.as_deref().is_none_or(|only| profiles.contains(&only)));
    let is_part = extent == Extent::Part;
    let first = groups.iter().enumerate().flat_map(|(number, group)| {
        let turn = move |at: usize| !is_part || at == 0 || number % (BASES.len() - 1) + 1 == at;
        let here = bases().enumerate().filter(move |(at, _)| turn(*at));
        here.map(move |(_, base)| Run { group: group.clone(), base, part: is_part.then_some(number) })
    });
    let first = runs(&ground, first).await;
    let many = first.len();
    let (alone, together): (Vec<_>, Vec<_>) =
        first.into_iter().filter(|(_, red)| !red.is_empty()).partition(|(run, _)| run.group.len() == 1);
    let again = together
        .iter()
        .flat_map(|(run, _)| run.group.iter().map(|variation| Run { group: vec![*variation], ..run.clone() }));
    let again = runs(&ground, again).await;
    let mut red = Red::new();
    for (run, cases) in alone.into_iter().chain(again).filter(|(_, cases)| !cases.is_empty()) {
        red.entry(run.group[0].id.as_str()).or_default().extend(cases);
    }
    for (Run { group, base, .. }, cases) in together {
        // One that passes by itself is to blame beside another: the first stands for all of them.
        if !group.iter().any(|variation| red.contains_key(variation.id.as_str())) {
            let all = format!("together at {}: {}", base.0.unwrap_or("/"), names(&group));
            red.entry(group[0].id.as_str()).or_default().extend([all].into_iter().chain(cases));
        }
    }
    eprintln!("{many} runs for {} variations in {:.1} s", wanted.len(), began.elapsed().as_secs_f32());
    red
}

/// A card of the agent.
type Base = (Option<&'static str>, &'static [&'static str]);

/// A run.
#[derive(Clone)]
struct Run {
    group: Group,
    base: Base,
    /// Which part of the cases; nothing for all of them.
    part: Option<usize>,
}

impl Run {
    /// Whether one of its variations acts there.
    fn acts(&self) -> bool {
        let acts = |variation: &&Variation| self.base.1.iter().any(|profile| variation.acts_in(profile));
        self.group.iter().any(acts)
    }
}

/// What turns red in each.
async fn runs(ground: &Arc<Ground>, wanted: impl Iterator<Item = Run>) -> Vec<(Run, Vec<String>)> {
    let wanted: Vec<Run> = wanted.filter(Run::acts).collect();
    let runs = wanted.into_iter().map(|run| {
        let (ground, shared) = (Arc::clone(ground), run.clone());
        async move {
            let began = Instant::now();
            let red = async move { ground.red(&shared.group, shared.base, shared.part).await };
            let red = tokio::spawn(red).await.expect("the run ends");
            if std::env::var_os("A2ASPEC_VARIATIONS_TIMES").is_some() {
                let (at, took) = (run.base.0.unwrap_or("/"), began.elapsed().as_secs_f32());
                eprintln!("{at} {took:.1} s, {} red: {}", red.len(), names(&run.group));
                red.iter().for_each(|red| eprintln!("  {red}"));
            }
            (run, red)
        }
    });
    futures_util::stream::iter(runs).buffer_unordered(AT_ONCE).collect().await
}

/// Variations, a few at a time, of which no two are about one thing.
fn groups(wanted: &Group) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut met: BTreeMap<&str, usize> = BTreeMap::new();
    for variation in wanted {
        let place = met.entry(subject(variation)).or_default();
        if groups.len() == *place {
            groups.push(Group::new());
        }
        groups[*place].push(variation);
        *place += 1;
    }
    groups
}

/// What a variation is about: its area, or of the area with the most of them the first word as well.
fn subject(variation: &Variation) -> &str {
    let id = variation.id.as_str();
    let area = id.split('/').next().unwrap_or_default();
    match area {
        _ if variation.is_of_writing() => "writing",
        "read" => id.split('-').next().unwrap_or_default(),
        area => area,
    }
}
