//! Every case has been seen to fail: the reference agent, wrong in one way at a time, against the suite.
//!
//! By itself this runs for each fault the cases of the requirements that it breaks: at least one must turn red.
//! With `A2ASPEC_KILL_MATRIX=check` it runs the whole suite for each fault, and demands that each case is turned red by
//! some fault, and that no fault turns many cases red that are not about it, unless `faults.yaml` says why. With
//! `A2ASPEC_KILL_MATRIX=write` it writes what it saw to `docs/kill-matrix.md`, too:
//!
//!     A2ASPEC_KILL_MATRIX=write cargo test --release --test kill_matrix

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "kill_matrix/meets.rs"]
mod meets;
#[path = "kill_matrix/page.rs"]
mod page;
#[path = "common/suite.rs"]
mod suite;

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use a2a_reference_agent::{Capability, Config, Fault};
use a2aspec::case::{Action, Library};
use a2aspec::judge::oracle;
use a2aspec::plan::{self, Selection};
use a2aspec::profile::{self, Profile};
use a2aspec::report::model::{Report, TrialResult, Verdict};
use a2aspec::run::Event;
use futures_util::StreamExt;
use libtest_mimic::{Arguments, Failed, Trial};
use meets::{Meetings, Seen};

/// How long a slow task works: the time that a run of the suite is given by it.
const SLOW: Duration = Duration::from_millis(1500);
/// How long the suite waits for an answer: agents that never give one are among these.
const TIMEOUT: Duration = Duration::from_secs(6);
/// Half of what `a2aspec check` has for its own agent: there are many agents.
const JOBS: usize = 8;
/// How many agents are checked at once.
const AGENTS: usize = 16;
/// How many cases a fault may turn red that are not of its requirements, without saying why.
const SIDE_EFFECTS: usize = 6;

/// Cases that give those something to see that judge the whole run: results, errors and streams.
const FEEDERS: [&str; 4] = ["get/existing", "get/unknown-id", "get/unknown-id-refused", "stream/closes"];

/// What a fault does.
pub struct Kill {
    /// The fault.
    pub fault: &'static Fault,
    /// The cases of its requirements.
    pub own: BTreeSet<String>,
    /// The trials that turn red: case, profile, bindings.
    pub red: BTreeSet<(String, String, String)>,
    /// The trials that do not come to a verdict.
    pub lost: usize,
    /// Why a run did not begin.
    pub not_begun: Option<String>,
}

/// The data that the suite runs on.
struct Suite {
    library: Library,
    profiles: Vec<Arc<Profile>>,
    /// What each case asks the agent; known where the whole suite runs.
    meetings: Option<Meetings>,
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mode = std::env::var("A2ASPEC_KILL_MATRIX").unwrap_or_default();
    let profiles = profile::bundled().expect("the profiles are right");
    let known: Vec<&Profile> = profiles.iter().map(AsRef::as_ref).collect();
    let library = Library::load(None, &known, &oracle::names()).expect("the cases are right");
    let mut suite = Suite { library, profiles, meetings: None };
    let faults = Fault::all().expect("faults.yaml is right");
    let is_wanted =
        |fault: &Fault| arguments.filter.as_deref().is_none_or(|filter| fault.id.contains(filter)) && !arguments.list;
    let is_whole = !mode.is_empty();
    let runtime = tokio::runtime::Runtime::new().expect("the runtime starts");
    if is_whole && !arguments.list {
        suite.meetings = Some(runtime.block_on(meetings(&suite)));
    }
    let suite = Arc::new(suite);
    let kills = runtime.block_on(async {
        let runs = faults.iter().enumerate().filter(|(_, fault)| is_wanted(fault)).map(|(place, fault)| {
            let suite = Arc::clone(&suite);
            async move {
                // A task of its own, so that the runs share all processors.
                let run = tokio::spawn(async move { kill(&suite, fault, is_whole).await });
                let kill = run.await.expect("the run ends");
                if is_whole {
                    let Kill { red, lost, .. } = &kill;
                    eprintln!("{}: {} red, {lost} without a verdict: {:?}", fault.id, red.len(), kill.cases());
                }
                (place, kill)
            }
        });
        // Those that wait for an answer that never comes hold up no others.
        let mut kills: Vec<(usize, Kill)> = futures_util::stream::iter(runs).buffer_unordered(AGENTS).collect().await;
        kills.sort_by_key(|(place, _)| *place);
        kills.into_iter().map(|(_, kill)| kill).collect::<Vec<Kill>>()
    });
    let cases: BTreeSet<String> = suite.library.cases.keys().cloned().collect();
    let page = page::write(&kills, &cases);
    if mode == "write" && arguments.filter.is_none() {
        std::fs::write(page::PATH, &page).expect("docs/kill-matrix.md can be written");
    }
    let kills = Arc::new(kills);
    let mut tests: Vec<Trial> = faults
        .iter()
        .map(|fault| {
            let kills = Arc::clone(&kills);
            Trial::test(format!("fault {}", fault.id), move || {
                let kill = kills.iter().find(|kill| kill.fault.id == fault.id).expect("it was run");
                verdict(kill, is_whole)
            })
        })
        .collect();
    if is_whole {
        tests.extend(cases.iter().cloned().map(|case| {
            let kills = Arc::clone(&kills);
            Trial::test(format!("case {case}"), move || match kills.iter().any(|kill| kill.turns_red(&case)) {
                true => Ok(()),
                false => Err("no fault turns it red".into()),
            })
        }));
    }
    tests.push(Trial::test("page", move || page::is_of(faults, &cases)));
    libtest_mimic::run(&arguments, tests).exit_code()
}

impl Kill {
    /// The cases that turn red, whatever the version and binding.
    pub fn cases(&self) -> BTreeSet<&str> {
        self.red.iter().map(|(case, _, _)| case.as_str()).collect()
    }

    fn turns_red(&self, case: &str) -> bool {
        self.red.iter().any(|(red, _, _)| red == case)
    }

    /// Takes note of a run; gives the cases that did not apply in it, whatever the version and binding.
    fn see(&mut self, run: Result<Option<Report>, String>) -> Vec<String> {
        let results = match run {
            Ok(report) => report.map(|report| report.results).unwrap_or_default(),
            Err(reason) => {
                self.not_begun = Some(reason);
                return Vec::new();
            }
        };
        let mut shown: BTreeMap<String, bool> = BTreeMap::new();
        for TrialResult { case, profile, binding, verdict, .. } in results {
            *shown.entry(case.clone()).or_default() |= verdict != Verdict::Skipped;
            match verdict {
                Verdict::Fail | Verdict::Warn | Verdict::Note => {
                    self.red.insert((case, profile, binding));
                }
                Verdict::Unreached | Verdict::Broken => self.lost += 1,
                Verdict::Pass | Verdict::Skipped => {}
            }
        }
        shown.into_iter().filter(|(_, shown)| !shown).map(|(case, _)| case).collect()
    }
}

/// What a fault turns red: of its own cases, or of all.
async fn kill(suite: &Suite, fault: &'static Fault, is_whole: bool) -> Kill {
    let own = own_cases(&suite.library, fault);
    let mut kill = Kill { fault, own, red: BTreeSet::new(), lost: 0, not_begun: None };
    let selection = match is_whole {
        // Cases that no run has unless they are asked for are asked for by the faults that are about them.
        true if kill.own.iter().any(|case| !suite.library.unasked().contains(case.as_str())) => {
            Selection { only: vec!["*".to_owned()], ..Selection::default() }
        }
        true => Selection::default(),
        false if kill.own.is_empty() => return kill,
        false => {
            let observes = |case: &String| matches!(suite.library.cases[case].action, Action::Observe(_));
            let feeders = FEEDERS.iter().filter(|_| kill.own.iter().any(observes)).map(|case| (*case).to_owned());
            Selection {
                only: kill.own.iter().chain(&fault.beside).cloned().chain(feeders).collect(),
                ..Selection::default()
            }
        }
    };
    let purposes = suite.meetings.as_ref().map(|meetings| meetings.purposes(fault));
    let is_worth =
        |trial: &plan::Trial| purposes.as_ref().is_none_or(|purposes| meets::concerns(fault, purposes, trial));
    let refusals = kill.see(report(suite, &[fault], &selection, false, &is_worth, &|_| {}).await);
    if !refusals.is_empty() {
        // What an agent with everything cannot refuse, one without anything can.
        let selection = Selection { only: refusals, ..Selection::default() };
        kill.see(report(suite, &[fault], &selection, true, &is_worth, &|_| {}).await);
    }
    kill
}

/// What the suite asks an agent without a fault, be it one with everything or one without anything.
async fn meetings(suite: &Suite) -> Meetings {
    let seen = Seen::default();
    let selection = Selection { only: vec!["*".to_owned()], ..Selection::default() };
    for is_bare in [false, true] {
        let run = report(suite, &[], &selection, is_bare, &|_| true, &|event| seen.see(event)).await;
        run.expect("the reference agent can be checked");
    }
    Meetings::of(seen).await
}

async fn report(
    suite: &Suite,
    faults: &[&'static Fault],
    selection: &Selection,
    is_bare: bool,
    is_worth: &(dyn Fn(&plan::Trial) -> bool + Sync),
    see: &(dyn Fn(&Event) + Sync),
) -> Result<Option<Report>, String> {
    let without = if is_bare { Capability::ALL.into_iter().collect() } else { BTreeSet::new() };
    let run = suite::Run {
        at: None,
        library: &suite.library,
        profiles: &suite.profiles,
        selection,
        config: Config { without, slow: SLOW, faults: faults.to_vec(), ..Config::default() },
        of_interest: &|_| true,
        is_worth,
        see,
        timeout: TIMEOUT,
        jobs: JOBS,
    };
    run.report().await
}

/// The cases of the requirements that a fault breaks.
fn own_cases(library: &Library, fault: &Fault) -> BTreeSet<String> {
    let of = |id: &String| {
        let all = || library.catalogues.values().flat_map(|catalogue| &catalogue.requirements);
        let requirement = all().find(|requirement| requirement.id.value == *id);
        let requirement = requirement.unwrap_or_else(|| panic!("{}: there is no requirement {id}", fault.id));
        requirement.cases.iter().map(|case| case.value.clone()).collect::<Vec<_>>()
    };
    fault.requirements.iter().flat_map(of).collect()
}

fn verdict(kill: &Kill, is_whole: bool) -> Result<(), Failed> {
    let fault = kill.fault;
    if let Some(reason) = &kill.not_begun {
        return Err(format!("a run did not begin: {reason}").into());
    }
    let red = kill.cases();
    if !kill.own.iter().any(|case| red.contains(case.as_str())) {
        let own: Vec<&str> = kill.own.iter().map(String::as_str).collect();
        let others: Vec<&str> = red.into_iter().collect();
        return Err(format!(
            "no case of {} turns red ({}); red are: {}; {} without a verdict",
            fault.requirements.join(", "),
            own.join(", "),
            others.join(", "),
            kill.lost
        )
        .into());
    }
    let beside: Vec<&str> = red.into_iter().filter(|case| !kill.own.contains(*case)).collect();
    if is_whole && fault.blunt.is_none() && beside.len() > SIDE_EFFECTS {
        return Err(format!("it turns red {} cases of other requirements: {}", beside.len(), beside.join(", ")).into());
    }
    Ok(())
}
