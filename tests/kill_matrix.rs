//! Every case has been seen to fail: the reference agent, wrong in one way at a time, against the suite.
//!
//! Each fault of `faults.yaml` runs at each base of the agent where it acts and has cases of its own: those that its
//! requirements name, be they of another version, and the versions there run. By itself this runs just these cases: at
//! least one must turn red. Faults that nobody writes are beside them (`wrong`): what only a case asks is answered with an
//! error that the case does not allow, or with a result where it is to be refused. Both together turn each case red in each
//! version that runs it, over each binding, and violate each assertion that decides a MUST or a SHOULD (`proofs`), but for
//! those of `kill_matrix/not-proven.txt`. That list gives its reasons, and may only get shorter; `A2ASPEC_UPDATE_NOT_PROVEN=1`
//! writes it, and with a filter takes from it what is proven now.
//!
//! With `A2ASPEC_KILL_MATRIX=check` each fault of the file runs against the whole suite, and turns no more than a few cases
//! red that are not about it, unless the file says why. With `A2ASPEC_KILL_MATRIX=write` it writes what it saw as a page,
//! too, to `target/kill-matrix.html` or where `A2ASPEC_KILL_MATRIX_PAGE` says:
//!
//!     A2ASPEC_KILL_MATRIX=write cargo test --release --test kill_matrix
//!
//! `A2ASPEC_KILL_MATRIX_PROFILE=0.2.5` leaves out the other versions; faults that can do something in those others need do
//! nothing here. With a filter the faults that it names run, and wrong answers to the cases that it names.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "kill_matrix/bases.rs"]
mod bases;
mod common;
#[allow(dead_code, unused_imports, reason = "reports have more on their pages, and tests of their own")]
#[path = "../src/page.rs"]
mod html;
#[path = "kill_matrix/kill.rs"]
mod kill;
#[path = "kill_matrix/meets.rs"]
mod meets;
#[path = "kill_matrix/page.rs"]
mod page;
#[path = "kill_matrix/proofs.rs"]
mod proofs;
use crate::common::suite;
// Where the pages of the library look for words.
use a2aspec_wire::diagnostic;
#[path = "kill_matrix/wrong.rs"]
mod wrong;

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use a2a_reference_agent::Fault;
use bases::Base;
use futures_util::StreamExt;
use kill::{Kill, Pace, Suite};
use libtest_mimic::{Arguments, Failed, Trial};
use proofs::{Open, Proof};

/// Most runs are of a few cases.
const MANY: Pace = Pace { agents: 16, slow: Duration::from_millis(1500) };
/// Agents that are wrong for hundreds of cases.
const FEW: Pace = Pace { agents: 6, ..MANY };
/// Where time was too short before, as on a machine that is busy.
const PATIENT: Pace = Pace { agents: 3, slow: Duration::from_secs(4) };
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
    let is_filtered = arguments.filter.is_some();
    let fits = |name: &str| arguments.filter.as_deref().is_none_or(|filter| name.contains(filter)) && !arguments.list;
    let names_wrong = wrong::errors().any(|error| fits(&wrong::id(error)));
    let is_answered_wrongly = |case: &str| names_wrong || fits(case);
    if !arguments.list {
        // A whole run leaves out what a fault cannot meet, of all cases.
        runtime.block_on(suite.meet(&bases, &|case| is_whole || is_answered_wrongly(case), FEW));
    }
    let suite = Arc::new(suite);
    let wanted: Vec<&Fault> = faults.iter().filter(|fault| fits(&fault.id)).collect();
    let kills = Arc::new(runtime.block_on(async {
        let mut kills = run(&suite, &bases, &wanted, is_whole, MANY).await;
        kills.extend(run_wrong(&suite, &bases, &is_answered_wrongly, FEW).await);
        let open = suite.open(&kills);
        let late: Vec<&Fault> = wanted
            .iter()
            .zip(&kills)
            .filter(|(_, kill)| is_late(&suite, kill, &open))
            .map(|(fault, _)| *fault)
            .collect();
        let is_open = |case: &str| {
            open.iter().any(|((of, _), proofs)| *of == case && proofs.iter().any(|proof| !proof.is_listed()))
        };
        let mut again = run(&suite, &bases, &late, is_whole, PATIENT).await;
        again.extend(
            run_wrong_again(profile.as_deref(), &bases, &|case| is_answered_wrongly(case) && is_open(case)).await,
        );
        for again in again {
            let kill = kills.iter_mut().find(|kill| kill.fault.id == again.fault.id).expect("it was run");
            kill.try_again(again);
        }
        kills
    }));
    if mode == "write" {
        let path = std::env::var("A2ASPEC_KILL_MATRIX_PAGE").unwrap_or_else(|_| "target/kill-matrix.html".to_owned());
        let page = page::write(&kills, &suite.cases, &suite.library);
        std::fs::write(&path, page).unwrap_or_else(|error| panic!("{path} cannot be written: {error}"));
        eprintln!("the page is in {path}");
    }
    let open = suite.open(&kills);
    if std::env::var_os("A2ASPEC_UPDATE_NOT_PROVEN").is_some() && profile.is_none() {
        // A part of the faults can only prove something that was not proven.
        let is_open = |proof: &&Proof| !is_filtered || proof.is_listed();
        proofs::write(open.values().flatten().copied().filter(is_open));
    }
    let tests = faults.iter().map(|fault| fault.id.clone()).chain(wrong::errors().map(wrong::id)).map(|id| {
        let kills = Arc::clone(&kills);
        Trial::test(format!("fault {id}"), move || {
            let kill = kills.iter().find(|kill| kill.fault.id == id).expect("it was run");
            verdict(kill, is_whole)
        })
    });
    let mut tests: Vec<Trial> = tests.collect();
    // Which faults a filter leaves out says nothing about the cases.
    if !is_filtered {
        for (case, profiles) in &suite.cases {
            for profile in profiles {
                let seen = seen_wrong(&suite, &open, case, profile, is_whole);
                tests.push(Trial::test(format!("case {profile} {case}"), move || seen.map_err(Failed::from)));
            }
        }
    }
    if !is_filtered && profile.is_none() {
        let wrong = proofs::wrong_lines(&suite.proofs);
        tests.push(Trial::test("the list of what is not proven", move || match wrong.is_empty() {
            true => Ok(()),
            false => Err(format!("not in order, or nothing that must be violated: {}", wrong.join(", ")).into()),
        }));
    }
    libtest_mimic::run(&arguments, tests).exit_code()
}

/// What the faults turn red, in their order: all at all bases, in no order.
async fn run(suite: &Arc<Suite>, bases: &[Base], faults: &[&'static Fault], is_whole: bool, pace: Pace) -> Vec<Kill> {
    let pairs =
        faults.iter().enumerate().flat_map(|(place, fault)| bases.iter().map(move |base| (place, *fault, base)));
    let runs = pairs.filter(|(_, fault, base)| suite.is_worth_while(fault, base)).map(|(place, fault, base)| {
        let (suite, base) = (Arc::clone(suite), base.clone());
        async move {
            // A task of its own, so that the runs share all processors.
            let run = tokio::spawn(async move { kill::run(&suite, fault, &base, is_whole, pace.slow).await });
            (place, run.await.expect("the run ends"))
        }
    });
    let mut kills: Vec<Kill> = faults.iter().map(|fault| Kill::none(suite, fault)).collect();
    // Those that wait for an answer that never comes hold up no others.
    let mut done = futures_util::stream::iter(runs).buffer_unordered(pace.agents);
    while let Some((place, run)) = done.next().await {
        if is_whole {
            eprintln!("{}: {run}", faults[place].id);
        }
        kills[place].add(run);
    }
    kills
}

/// What wrong answers to cases turn red, by the error that they are.
async fn run_wrong(suite: &Arc<Suite>, bases: &[Base], is_wanted: &dyn Fn(&str) -> bool, pace: Pace) -> Vec<Kill> {
    let pairs =
        bases.iter().flat_map(|base| wrong::of(suite, base.index, is_wanted).into_iter().map(move |it| (it, base)));
    let runs = pairs.map(|(wrong, base)| {
        let (suite, base) = (Arc::clone(suite), base.clone());
        async move {
            let run = tokio::spawn(async move { kill::run_wrong(&suite, wrong, &base, pace.slow).await });
            run.await.expect("the run ends")
        }
    });
    let mut kills: Vec<Kill> = wrong::errors().map(|error| Kill::of_wrong_answers(suite, error)).collect();
    let mut done = futures_util::stream::iter(runs).buffer_unordered(pace.agents);
    while let Some(runs) = done.next().await {
        for (error, cases, run) in runs {
            let kill = kills.iter_mut().find(|kill| kill.fault.id == wrong::id(error)).expect("it is one of them");
            kill.own.extend(cases);
            kill.add(run);
        }
    }
    kills
}

/// Has the rest answered wrongly where it is met with time enough: a task that had ended before the suite could cancel it is
/// refused without a fault, and then no wrong answer is where a right one is.
async fn run_wrong_again(
    profile: Option<&str>,
    bases: &[Base],
    is_wanted: &(dyn Fn(&str) -> bool + Sync),
) -> Vec<Kill> {
    let mut suite = Suite::load(profile);
    if !suite.cases.keys().any(|case| is_wanted(case)) {
        return Vec::new();
    }
    suite.meet(bases, is_wanted, PATIENT).await;
    run_wrong(&Arc::new(suite), bases, is_wanted, PATIENT).await
}

/// Whether a fault has not shown what it can: where many agents run, a case that waits may come to no verdict.
fn is_late(suite: &Suite, kill: &Kill, open: &Open<'_>) -> bool {
    let acts_on = |proof: &Proof, profile: &str| match &proof.binding {
        Some(binding) => kill.fault.acts_over(profile, binding),
        None => kill.fault.acts_in(profile),
    };
    let is_open = |case: &str, profile: &str| {
        open.get(&(case, profile)).into_iter().flatten().any(|proof| !proof.is_listed() && acts_on(proof, profile))
    };
    let run_in = |case: &String| suite.cases.get(case).into_iter().flatten();
    let has_open = kill.own.iter().any(|case| run_in(case).any(|profile| is_open(case, profile)));
    has_open || verdict(kill, false).is_err()
}

/// Whether the faults violate of a case in a version what they must. What is listed and is violated all the same is to be
/// taken from the list: runs of everything demand it, others may have seen it by chance.
fn seen_wrong(suite: &Suite, open: &Open<'_>, case: &str, profile: &str, is_whole: bool) -> Result<(), String> {
    let open = open.get(&(case, profile)).map(Vec::as_slice).unwrap_or_default();
    let new: Vec<String> = open.iter().filter(|proof| !proof.is_listed()).map(ToString::to_string).collect();
    let stale = suite.proofs_of(case, profile).filter(|proof| is_whole && proof.is_listed() && !open.contains(proof));
    let stale: Vec<String> = stale.map(ToString::to_string).collect();
    match (new.is_empty(), stale.is_empty()) {
        (true, true) => Ok(()),
        (false, _) => Err(format!("no fault violates: {}", new.join(", "))),
        (true, false) => Err(format!("listed in not-proven.txt, and violated: {}", stale.join(", "))),
    }
}

fn verdict(kill: &Kill, is_whole: bool) -> Result<(), Failed> {
    let fault = kill.fault;
    if let Some(reason) = &kill.not_begun {
        return Err(format!("a run did not begin: {reason}").into());
    }
    if !kill.unnamed.is_empty() {
        let unnamed: Vec<&str> = kill.unnamed.iter().map(String::as_str).collect();
        return Err(format!("problems without a headline of their own: {}", unnamed.join("; ")).into());
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
    let profiles: BTreeSet<&str> = kill.red.keys().map(|(_, profile, _)| profile.as_str()).collect();
    for profile in profiles.into_iter().filter(|_| is_whole && fault.blunt.is_none()) {
        let beside: Vec<&str> = kill.cases_in(profile).into_iter().filter(|case| !kill.own.contains(*case)).collect();
        if beside.len() > SIDE_EFFECTS {
            let (count, cases) = (beside.len(), beside.join(", "));
            return Err(format!("in {profile} it turns red {count} cases of other requirements: {cases}").into());
        }
    }
    Ok(())
}
