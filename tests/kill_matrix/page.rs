//! `docs/kill-matrix.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use a2a_reference_agent::Fault;
use a2aspec::profile;
use libtest_mimic::Failed;

use super::Kill;
use super::kill::Cases;

/// Where the page is.
pub const PATH: &str = "docs/kill-matrix.md";

/// The page.
pub fn write(kills: &[Kill], cases: &Cases) -> String {
    let mut page = String::new();
    let profiles = profiles(cases);
    let killed = kills.iter().filter(|kill| !kill.red.is_empty()).count();
    let _ = write!(
        page,
        "# Kill matrix\n\n\
         Which cases turn red when the reference agent is wrong in one way. Made by\n\
         `A2ASPEC_KILL_MATRIX=write cargo test --release --test kill_matrix`; not to be edited.\n\n\
         {killed} of {} faults turn a case red. In each version:\n\n\
         | version | faults that turn a case red there | cases | turned red by a fault |\n|---|---|---|---|\n",
        kills.len(),
    );
    for profile in &profiles {
        let dead: BTreeSet<&str> = kills.iter().flat_map(|kill| kill.cases_in(profile)).collect();
        let faults = kills.iter().filter(|kill| !kill.cases_in(profile).is_empty()).count();
        let run = cases.values().filter(|run_in| run_in.contains(profile)).count();
        let _ = writeln!(page, "| {profile} | {faults} | {run} | {} |", dead.len());
    }
    let columns = profiles.join(" | ");
    let rules = "---|".repeat(profiles.len());
    let _ = write!(
        page,
        "\n## Faults\n\n\
         With the number of cases that turn red in each version. Cases in bold are of the requirements that the fault breaks.\n\n\
         | fault | the agent, wrong | breaks | {columns} | turns red |\n|---|---|---|{rules}---|\n"
    );
    for kill in kills {
        let bold = |case: &&str| match kill.own.contains(*case) {
            true => format!("**{case}**"),
            false => (*case).to_owned(),
        };
        let red: Vec<String> = kill.cases().iter().map(bold).collect();
        let blunt = kill.fault.blunt.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        let Fault { id, breaks, requirements, .. } = kill.fault;
        let counts = profiles.iter().map(|profile| match kill.cases_in(profile).len() {
            0 => String::new(),
            count => count.to_string(),
        });
        let counts = counts.collect::<Vec<_>>().join(" | ");
        let (breaks_ids, red) = (requirements.join(", "), red.join(", "));
        let _ = writeln!(page, "| {id} | {breaks} | {breaks_ids} | {counts} | {red}{blunt} |");
    }
    let _ = write!(
        page,
        "\n## Cases\n\n\
         With the number of faults that turn the case red in each version that runs it.\n\n\
         | case | {columns} | faults that turn it red |\n|---|{rules}---|\n"
    );
    let mut by_case: BTreeMap<&str, Vec<&Kill>> = BTreeMap::new();
    for kill in kills {
        for case in kill.cases() {
            by_case.entry(case).or_default().push(kill);
        }
    }
    for (case, run_in) in cases {
        let by = by_case.get(case.as_str()).map(Vec::as_slice).unwrap_or_default();
        let count = |profile: &String| match run_in.contains(profile) {
            true => by.iter().filter(|kill| kill.turns_red(case, profile)).count().to_string(),
            false => String::new(),
        };
        let counts: Vec<String> = profiles.iter().map(count).collect();
        let names: Vec<&str> = by.iter().map(|kill| kill.fault.id.as_str()).collect();
        let _ = writeln!(page, "| {case} | {} | {} |", counts.join(" | "), names.join(", "));
    }
    page
}

/// The versions, the newest first.
fn profiles(cases: &Cases) -> Vec<String> {
    let bundled = profile::bundled().expect("the profiles are right");
    let names = bundled.iter().rev().map(|profile| profile.name());
    names.filter(|name| cases.values().any(|run_in| run_in.contains(*name))).map(str::to_owned).collect()
}

/// Whether the page that is there is of these faults and cases, and shows each case red in each version that runs it.
pub fn is_of(faults: &[Fault], cases: &Cases) -> Result<(), Failed> {
    let page = std::fs::read_to_string(PATH)?;
    let cells = |line: &'_ str| -> Option<Vec<String>> {
        let inside = line.strip_prefix("| ")?.strip_suffix(" |")?;
        Some(inside.split(" | ").map(|cell| cell.trim().to_owned()).collect())
    };
    let rows: BTreeMap<String, Vec<String>> =
        page.lines().filter_map(cells).filter_map(|row| Some((row.first()?.clone(), row))).collect();
    let mut stale: Vec<String> =
        faults.iter().filter(|fault| !rows.contains_key(&fault.id)).map(|fault| fault.id.clone()).collect();
    let names = rows.get("case").cloned().unwrap_or_default();
    for (case, profiles) in cases {
        let count = |profile: &String| {
            let column = names.iter().position(|name| name == profile)?;
            rows.get(case)?.get(column)?.parse::<usize>().ok()
        };
        let unseen = profiles.iter().filter(|profile| count(profile).unwrap_or_default() == 0);
        stale.extend(unseen.map(|profile| format!("{case} in {profile}")));
    }
    if stale.is_empty() {
        return Ok(());
    }
    Err(format!("{PATH} is stale, it lacks: {}; its head says how to make it", stale.join(", ")).into())
}
