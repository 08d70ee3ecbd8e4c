//! What a fault does to the verdicts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use a2a_reference_agent::{Capability, Config, Fault, RestDialect};
use a2aspec::case::{Action, Library, Requirement};
use a2aspec::event::Event;
use a2aspec::plan::Trial;
use a2aspec::profile::{self, Profile};
use a2aspec::report::model::Report;
use a2aspec::transport::http::Http;
use a2aspec::verdict::{TrialResult, Verdict};
use futures_util::StreamExt;

use super::bases::Base;
use super::meets::{self, Meetings, Seen};
use super::proofs::{self, Open, Proof, Proofs};
use super::suite;
use super::wrong::{self, Wrong};

/// How long the suite waits for an answer: agents that never give one are among these.
const TIMEOUT: Duration = Duration::from_secs(6);
/// Half of what `a2aspec check` has for its own agent: there are many agents.
const JOBS: usize = 8;

/// Cases that give those something to see that judge the whole run: results, errors and streams, of which each version has one.
const FEEDERS: [&str; 6] = [
    "capabilities/streaming-served",
    "get/existing",
    "get/unknown-id",
    "get/unknown-id-refused",
    "stream/closes",
    "stream/shows-the-end",
];

/// Cases whose faults want an agent of 0.3 that takes both dialects over HTTP+JSON: those about the dialects, and those about
/// what a message brings, without which the suite does not find out which one the agent speaks.
const OF_DIALECTS: [&str; 5] = [
    "http-json/one-dialect",
    "http-json/original-names-in-proto",
    "data/send-response",
    "send/metadata",
    "send/task-or-message",
];

/// The cases, with the versions that run them.
pub type Cases = BTreeMap<String, BTreeSet<String>>;

/// The trials that turn red (case, profile, bindings), each with the assertions that are violated.
pub type Red = BTreeMap<(String, String, String), BTreeSet<String>>;

/// The bindings of a trial that turns red, and the assertions that are violated.
type Shown<'a> = (&'a str, &'a BTreeSet<String>);

/// What a fault does, at all bases where it was tried.
pub struct Kill {
    /// The fault.
    pub fault: &'static Fault,
    /// The cases of its requirements.
    pub own: BTreeSet<String>,
    /// The trials that turn red.
    pub red: Red,
    /// The trials that do not come to a verdict.
    pub lost: usize,
    /// Why a run did not begin.
    pub not_begun: Option<String>,
    /// Headlines of problems that only a fingerprint tells apart.
    pub unnamed: BTreeSet<String>,
    /// Whether it can do something in a version that was left out.
    pub is_for_others: bool,
}

/// How runs share the machine.
#[derive(Clone, Copy)]
pub struct Pace {
    /// How many agents are checked at once.
    pub agents: usize,
    /// How long a slow task of theirs works: the time that a run is given by it.
    pub slow: Duration,
}

/// What a fault does at one base.
#[derive(Clone)]
pub struct Run {
    base: Base,
    red: Red,
    lost: usize,
    not_begun: Option<String>,
    unnamed: BTreeSet<String>,
    took: Duration,
}

/// The data that the suite runs on.
pub struct Suite {
    pub library: Arc<Library>,
    profiles: Vec<Arc<Profile>>,
    http: Http,
    /// The cases that are run.
    pub cases: Cases,
    /// What must be violated of them.
    pub proofs: Proofs,
    /// Those of the versions that were left out.
    left_out: Cases,
    /// The cases that decide each requirement, by its id.
    deciding: BTreeMap<String, BTreeSet<String>>,
    /// What each case asks the agent at each base.
    pub meetings: Vec<Meetings>,
}

impl Suite {
    /// The whole but for what a version has from another, or all that there is of it in one version.
    pub fn load(only: Option<&str>) -> Self {
        let profiles = profile::bundled().expect("the profiles are right");
        let library = Arc::new(a2aspec::suite::library(None).expect("the cases are right"));
        let (mut cases, mut left_out) = (Cases::new(), Cases::new());
        let trials = suite::matrix(&library, &profiles).trials;
        // What a version has from another is checked by the same cases and seen to fail there.
        let base_of = |name: &str| profiles.iter().find(|profile| profile.name() == name)?.facts.like.as_deref();
        let all: BTreeSet<(&str, &str)> =
            trials.iter().map(|trial| (trial.profile.as_str(), trial.case.id.as_str())).collect();
        let is_inherited =
            |trial: &Trial| base_of(&trial.profile).is_some_and(|base| all.contains(&(base, trial.case.id.as_str())));
        let is_chosen = |trial: &Trial| only.is_none_or(|only| only == trial.profile);
        let trials: Vec<&Trial> =
            trials.iter().map(AsRef::as_ref).filter(|trial| only.is_some() || !is_inherited(trial)).collect();
        let proofs = proofs::wanted(trials.iter().copied().filter(|trial| is_chosen(trial)));
        for trial in trials {
            let these = if is_chosen(trial) { &mut cases } else { &mut left_out };
            these.entry(trial.case.id.clone()).or_default().insert(trial.profile.clone());
        }
        assert!(!cases.is_empty(), "no version {} has a case", only.unwrap_or_default());
        let requirements = library.catalogues.values().flat_map(|catalogue| &catalogue.requirements);
        let cases_of = |requirement: &Requirement| requirement.case_ids().into_iter().map(str::to_owned).collect();
        let deciding = requirements.map(|requirement| (requirement.id.value.clone(), cases_of(requirement))).collect();
        Self { library, profiles, http: suite::http(TIMEOUT), cases, proofs, left_out, deciding, meetings: Vec::new() }
    }

    /// Finds out what these cases ask an agent without a fault, be it one with everything or one without anything.
    pub async fn meet(&mut self, bases: &[Base], is_wanted: &(dyn Fn(&str) -> bool + Sync), pace: Pace) {
        let Pace { agents, slow } = pace;
        let is_worth = |trial: &Trial| is_wanted(&trial.case.id);
        let met = bases.iter().map(async |base| {
            let seen = Seen::default();
            let is_here = |profile: &String| base.profiles.contains(&profile.as_str());
            let mut wanted = self.cases.iter().filter(|(case, _)| is_wanted(case));
            let is_met = wanted.any(|(_, profiles)| profiles.iter().any(is_here));
            for is_bare in [false, true].into_iter().filter(|_| is_met) {
                let run = report(self, base, &[], is_bare, slow, &is_worth, &|event| seen.see(event)).await;
                run.expect("the reference agent can be checked");
            }
            Meetings::of(seen).await
        });
        self.meetings = futures_util::stream::iter(met).buffered(agents).collect().await;
    }

    /// What must be violated of a case in a version.
    pub fn proofs_of(&self, case: &str, profile: &str) -> impl Iterator<Item = &Proof> {
        self.proofs.get(&(case.to_owned(), profile.to_owned())).into_iter().flatten()
    }

    /// What none of these proves, though it must be.
    pub fn open<'a>(&'a self, kills: &'a [Kill]) -> Open<'a> {
        let mut shown: BTreeMap<(&str, &str), Vec<Shown<'_>>> = BTreeMap::new();
        for ((case, profile, binding), violated) in kills.iter().flat_map(|kill| &kill.red) {
            shown.entry((case, profile)).or_default().push((binding, violated));
        }
        let of = |((case, profile), proofs): (&'a (String, String), &'a Vec<Proof>)| {
            let shown = shown.get(&(case.as_str(), profile.as_str())).map(Vec::as_slice).unwrap_or_default();
            let is_open = |proof: &&Proof| !shown.iter().any(|(binding, violated)| proof.is_in(binding, violated));
            ((case.as_str(), profile.as_str()), proofs.iter().filter(is_open).collect())
        };
        self.proofs.iter().map(of).collect()
    }

    /// Whether a fault can be one at a base: it acts in one of the versions there, which runs a case of its requirements.
    pub fn is_worth_while(&self, fault: &Fault, base: &Base) -> bool {
        let is_there = |profile: &String| base.profiles.contains(&profile.as_str());
        self.own_cases(fault)
            .iter()
            .filter(|case| self.is_about_the_address(case) == base.is_public)
            .filter_map(|case| self.cases.get(case))
            .flatten()
            .any(|profile| is_there(profile) && fault.acts_in(profile))
    }

    fn is_about_the_address(&self, case: &str) -> bool {
        self.library.cases[case].needs.iter().any(|capability| capability.is_of_the_address())
    }

    /// Whether a fault can be one in a version that was left out.
    fn is_for_others(&self, fault: &Fault) -> bool {
        let own = self.own_cases(fault);
        own.iter().filter_map(|case| self.left_out.get(case)).flatten().any(|profile| fault.acts_in(profile))
    }

    /// The cases of the requirements that a fault breaks. A behaviour is wrong in each version that has it, also where
    /// the fault names the requirement of another.
    fn own_cases(&self, fault: &Fault) -> BTreeSet<String> {
        let of = |id: &String| {
            let cases = self.deciding.get(id);
            cases.unwrap_or_else(|| panic!("{}: there is no requirement {id}", fault.id)).iter().cloned()
        };
        fault.requirements.iter().flat_map(of).collect()
    }
}

impl Kill {
    /// Nothing yet, of a fault that answers cases with an error.
    pub fn of_wrong_answers(suite: &Suite, error: &str) -> Self {
        let fault = Box::leak(Box::new(wrong::fault(error, BTreeSet::new())));
        Self {
            fault,
            own: BTreeSet::new(),
            red: Red::new(),
            lost: 0,
            not_begun: None,
            unnamed: BTreeSet::new(),
            is_for_others: !suite.left_out.is_empty(),
        }
    }

    /// Nothing yet.
    pub fn none(suite: &Suite, fault: &'static Fault) -> Self {
        let (own, is_for_others) = (suite.own_cases(fault), suite.is_for_others(fault));
        let unnamed = BTreeSet::new();
        Self { fault, own, red: Red::new(), lost: 0, not_begun: None, unnamed, is_for_others }
    }

    /// Takes note of what it does at a base.
    pub fn add(&mut self, run: Run) {
        add(&mut self.red, run.red);
        self.lost += run.lost;
        self.not_begun = self.not_begun.take().or(run.not_begun);
        self.unnamed.extend(run.unnamed);
    }

    /// Takes note of what came of a second try.
    pub fn try_again(&mut self, again: Self) {
        add(&mut self.red, again.red);
        self.not_begun = again.not_begun;
    }

    /// The cases that turn red, whatever the version and binding.
    pub fn cases(&self) -> BTreeSet<&str> {
        self.red.keys().map(|(case, _, _)| case.as_str()).collect()
    }

    /// The cases that turn red in a version.
    pub fn cases_in(&self, profile: &str) -> BTreeSet<&str> {
        self.red.keys().filter(|(_, red_in, _)| red_in == profile).map(|(case, _, _)| case.as_str()).collect()
    }

    /// Whether a case turns red in a version.
    pub fn turns_red(&self, case: &str, profile: &str) -> bool {
        self.red.keys().any(|(red, red_in, _)| red == case && red_in == profile)
    }
}

impl Run {
    /// Takes note of a report; gives the cases that did not apply in it, with the version.
    fn see(&mut self, run: Result<Option<Report>, String>) -> BTreeSet<(String, String)> {
        let results = match run {
            Ok(None) => Vec::new(),
            Ok(Some(report)) => {
                // The last resort that tells problems apart says nothing to readers.
                let unnamed = report.problems.into_iter().filter(|it| it.message.contains(&it.fingerprint));
                self.unnamed.extend(unnamed.map(|it| it.message));
                report.results
            }
            Err(reason) => {
                self.not_begun = Some(format!("{}: {reason}", self.base.at.unwrap_or("/")));
                return BTreeSet::new();
            }
        };
        let mut shown: BTreeMap<(String, String), bool> = BTreeMap::new();
        for TrialResult { case, profile, binding, verdict, violated, .. } in results {
            *shown.entry((case.clone(), profile.clone())).or_default() |= verdict != Verdict::Skipped;
            match verdict {
                Verdict::Fail | Verdict::Warn | Verdict::Flaky | Verdict::Note => {
                    self.red.entry((case, profile, binding)).or_default().extend(violated);
                }
                Verdict::Unreached | Verdict::Broken => self.lost += 1,
                Verdict::Pass | Verdict::Skipped => {}
            }
        }
        shown.into_iter().filter(|(_, shown)| !shown).map(|(pair, _)| pair).collect()
    }
}

impl fmt::Display for Run {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cases: BTreeSet<&str> = self.red.keys().map(|(case, _, _)| case.as_str()).collect();
        let Self { base, red, lost, took, .. } = self;
        let (profiles, red, took) = (base.profiles.join(" and "), red.len(), took.as_secs_f32());
        write!(formatter, "{profiles}: {red} red, {lost} without a verdict, {took:.1} s: {cases:?}")
    }
}

fn add(all: &mut Red, more: Red) {
    for (trial, violated) in more {
        all.entry(trial).or_default().extend(violated);
    }
}

/// What a fault turns red at a base: of its own cases, or of all.
pub async fn run(suite: &Suite, fault: &'static Fault, base: &Base, is_whole: bool, slow: Duration) -> Run {
    let own = suite.own_cases(fault);
    let observes = |case: &String| matches!(suite.library.cases[case].action, Action::Observe(_));
    let feeders = FEEDERS.into_iter().filter(|_| own.iter().any(observes));
    let wanted: BTreeSet<&str> = own.iter().chain(&fault.beside).map(String::as_str).chain(feeders).collect();
    // Cases that no run has unless they are asked for are asked for by the faults that are about them.
    let unasked = suite.library.unasked();
    let asks = own.iter().any(|case| !unasked.contains(case.as_str()));
    let purposes = suite.meetings.get(base.index).filter(|_| is_whole).map(|meetings| meetings.purposes(fault));
    let is_worth = |trial: &Trial| {
        let case = trial.case.id.as_str();
        let is_wanted = if is_whole { asks || unasked.contains(case) } else { wanted.contains(case) };
        is_wanted && purposes.as_ref().is_none_or(|purposes| meets::concerns(fault, purposes, trial))
    };
    run_with(suite, &[fault], base, slow, &is_worth).await
}

/// What wrong answers turn red at a base: by the error that they are, the cases that are answered with it and the run.
pub async fn run_wrong(
    suite: &Suite,
    wrong: Wrong,
    base: &Base,
    slow: Duration,
) -> Vec<(&'static str, BTreeSet<String>, Run)> {
    let answered: BTreeSet<wrong::Trial> = wrong.trials.values().flatten().cloned().collect();
    let is_among = |trials: &BTreeSet<wrong::Trial>, case: &str, profile: &str, binding: &str| {
        let over = |interface: Option<String>| trials.contains(&(case.to_owned(), interface));
        over(None) || over(Some(format!("{profile} {binding}")))
    };
    let is_worth = |trial: &Trial| is_among(&answered, &trial.case.id, &trial.profile, &trial.binding.to_string());
    let whole = run_with(suite, &wrong.faults, base, slow, &is_worth).await;
    let of = |(error, trials): (&&'static str, &BTreeSet<wrong::Trial>)| {
        let red = whole.red.iter().filter(|((case, profile, binding), _)| is_among(trials, case, profile, binding));
        let red = red.map(|(trial, violated)| (trial.clone(), violated.clone())).collect();
        let cases = trials.iter().map(|(case, _)| case.clone()).collect();
        (*error, cases, Run { red, ..whole.clone() })
    };
    wrong.trials.iter().map(of).collect()
}

async fn run_with(
    suite: &Suite,
    faults: &[&'static Fault],
    base: &Base,
    slow: Duration,
    is_worth: &(dyn Fn(&Trial) -> bool + Sync),
) -> Run {
    let began = Instant::now();
    let mut run = Run {
        base: base.clone(),
        red: Red::new(),
        lost: 0,
        not_begun: None,
        unnamed: BTreeSet::new(),
        took: Duration::ZERO,
    };
    let refusals = run.see(report(suite, base, faults, false, slow, is_worth, &|_| {}).await);
    if !refusals.is_empty() {
        // What an agent with everything cannot refuse, one without anything can.
        let is_refusal =
            |trial: &Trial| is_worth(trial) && refusals.contains(&(trial.case.id.clone(), trial.profile.clone()));
        run.see(report(suite, base, faults, true, slow, &is_refusal, &|_| {}).await);
    }
    run.took = began.elapsed();
    run
}

async fn report(
    suite: &Suite,
    base: &Base,
    faults: &[&'static Fault],
    is_bare: bool,
    slow: Duration,
    is_worth: &(dyn Fn(&Trial) -> bool + Sync),
    see: &(dyn Fn(&Event) + Sync),
) -> Result<Option<Report>, String> {
    let without = if is_bare { Capability::ALL.into_iter().collect() } else { BTreeSet::new() };
    let run = suite::Run {
        is_public: base.is_public,
        at: base.at,
        library: &suite.library,
        profiles: &suite.profiles,
        selection: &suite::everything(),
        config: Config {
            without,
            requires_extension: is_bare,
            slow,
            faults: faults.to_vec(),
            rest_dialect: dialect_for(suite, faults),
            ..Config::default()
        },
        of_interest: &|profile| base.profiles.contains(&profile.name()),
        is_worth: &|trial| suite::is_about_the_address(trial) == base.is_public && is_worth(trial),
        see,
        http: &suite.http,
        jobs: JOBS,
        arrange: &suite::as_planned,
    };
    run.report().await
}

/// The dialect of 0.3 over HTTP+JSON: the one whose names faults use, unless they are about dialects.
fn dialect_for(suite: &Suite, faults: &[&'static Fault]) -> Option<RestDialect> {
    let mut cases = faults.iter().flat_map(|fault| suite.own_cases(fault));
    (!cases.any(|case| OF_DIALECTS.contains(&case.as_str()))).then_some(RestDialect::Json)
}
