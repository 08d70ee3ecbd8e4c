//! Every case has been seen to fail: the reference agent, wrong in one way at a time, against the suite.
//!
//! Each fault runs at each base of the agent where it acts and has cases of its own: those that its requirements name, be
//! they of another version, and the versions there run. By itself this runs just these cases: at least one must turn
//! red. With `A2ASPEC_KILL_MATRIX=check` it runs the whole suite instead, and demands that each case is turned red by
//! some fault in each version that runs it, and that no fault turns many cases red that are not about it, unless
//! `faults.yaml` says why. With `A2ASPEC_KILL_MATRIX=write` it writes what it saw to `docs/kill-matrix.md`, too:
//!
//!     A2ASPEC_KILL_MATRIX=write cargo test --release --test kill_matrix
//!
//! `A2ASPEC_KILL_MATRIX_PROFILE=0.2.5` leaves out the other versions, and names the cases that none of their own faults
//! turns red; faults that can do something in those others need do nothing here.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "kill_matrix/bases.rs"]
mod bases;
#[path = "kill_matrix/kill.rs"]
mod kill;
#[path = "kill_matrix/meets.rs"]
mod meets;
#[path = "kill_matrix/page.rs"]
mod page;
#[path = "common/suite.rs"]
mod suite;

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;

use a2a_reference_agent::Fault;
use bases::Base;
use futures_util::StreamExt;
use kill::{Kill, Suite};
use libtest_mimic::{Arguments, Failed, Trial};

/// How many agents are checked at once.
const AGENTS: usize = 16;
/// How many cases a fault may turn red in a version that are not of its requirements, without saying why.
const SIDE_EFFECTS: usize = 6;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mode = std::env::var("A2ASPEC_KILL_MATRIX").unwrap_or_default();
    let profile = std::env::var("A2ASPEC_KILL_MATRIX_PROFILE").ok();
    let faults = Fault::all().expect("faults.yaml is right");
    let is_whole = !mode.is_empty();
    let runtime = tokio::runtime::Runtime::new().expect("the runtime starts");
    let mut suite = Suite::load(profile.as_deref());
    let bases = runtime.block_on(bases::of_the_agent(&suite.cases));
    if is_whole && !arguments.list {
        runtime.block_on(suite.meet(&bases));
    }
    let suite = Arc::new(suite);
    let is_wanted =
        |fault: &Fault| arguments.filter.as_deref().is_none_or(|filter| fault.id.contains(filter)) && !arguments.list;
    let wanted: Vec<&Fault> = faults.iter().filter(|fault| is_wanted(fault)).collect();
    let kills = Arc::new(runtime.block_on(run(&suite, &bases, &wanted, is_whole)));
    let page = page::write(&kills, &suite.cases);
    if mode == "write" && arguments.filter.is_none() && profile.is_none() {
        std::fs::write(page::PATH, &page).expect("docs/kill-matrix.md can be written");
    }
    if !is_whole && let Some(profile) = &profile {
        eprintln!("no fault of theirs turns red in {profile}: {}", unseen(&suite, &kills, profile).join(", "));
    }
    let tests = faults.iter().map(|fault| {
        let kills = Arc::clone(&kills);
        Trial::test(format!("fault {}", fault.id), move || {
            let kill = kills.iter().find(|kill| kill.fault.id == fault.id).expect("it was run");
            verdict(kill, is_whole)
        })
    });
    let mut tests: Vec<Trial> = tests.collect();
    if is_whole {
        for (case, profiles) in suite.cases.clone() {
            for profile in profiles {
                let (kills, case) = (Arc::clone(&kills), case.clone());
                let name = format!("case {profile} {case}");
                let test = move || match kills.iter().any(|kill| kill.turns_red(&case, &profile)) {
                    true => Ok(()),
                    false => Err("no fault turns it red".into()),
                };
                tests.push(Trial::test(name, test));
            }
        }
    }
    if profile.is_none() {
        let cases = suite.cases.clone();
        tests.push(Trial::test("page", move || page::is_of(faults, &cases)));
    }
    libtest_mimic::run(&arguments, tests).exit_code()
}

/// What the faults turn red, in their order: all at all bases, in no order.
async fn run(suite: &Arc<Suite>, bases: &[Base], faults: &[&'static Fault], is_whole: bool) -> Vec<Kill> {
    let pairs =
        faults.iter().enumerate().flat_map(|(place, fault)| bases.iter().map(move |base| (place, *fault, base)));
    let runs = pairs.filter(|(_, fault, base)| suite.is_worth_while(fault, base)).map(|(place, fault, base)| {
        let (suite, base) = (Arc::clone(suite), base.clone());
        async move {
            // A task of its own, so that the runs share all processors.
            let run = tokio::spawn(async move { kill::run(&suite, fault, &base, is_whole).await });
            (place, run.await.expect("the run ends"))
        }
    });
    let mut kills: Vec<Kill> = faults.iter().map(|fault| Kill::none(suite, fault)).collect();
    // Those that wait for an answer that never comes hold up no others.
    let mut done = futures_util::stream::iter(runs).buffer_unordered(AGENTS);
    while let Some((place, run)) = done.next().await {
        if is_whole {
            eprintln!("{}: {run}", faults[place].id);
        }
        kills[place].add(run);
    }
    kills
}

/// The cases of a version that no fault turns red. Where each ran its own cases only, others may.
fn unseen<'a>(suite: &'a Suite, kills: &[Kill], profile: &str) -> Vec<&'a str> {
    let run = suite.cases.iter().filter(|(_, profiles)| profiles.contains(profile)).map(|(case, _)| case.as_str());
    run.filter(|case| !kills.iter().any(|kill| kill.turns_red(case, profile))).collect()
}

fn verdict(kill: &Kill, is_whole: bool) -> Result<(), Failed> {
    let fault = kill.fault;
    if let Some(reason) = &kill.not_begun {
        return Err(format!("a run did not begin: {reason}").into());
    }
    let red = kill.cases();
    if !kill.own.iter().any(|case| red.contains(case.as_str())) && !kill.is_for_others {
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
    let profiles: BTreeSet<&str> = kill.red.iter().map(|(_, profile, _)| profile.as_str()).collect();
    for profile in profiles.into_iter().filter(|_| is_whole && fault.blunt.is_none()) {
        let beside: Vec<&str> = kill.cases_in(profile).into_iter().filter(|case| !kill.own.contains(*case)).collect();
        if beside.len() > SIDE_EFFECTS {
            let (count, cases) = (beside.len(), beside.join(", "));
            return Err(format!("in {profile} it turns red {count} cases of other requirements: {cases}").into());
        }
    }
    Ok(())
}
