//! `docs/kill-matrix.md`.

use std::collections::BTreeSet;
use std::fmt::Write;

use a2a_reference_agent::Fault;
use libtest_mimic::Failed;

use super::Kill;

/// Where the page is.
pub const PATH: &str = "docs/kill-matrix.md";

/// The page.
pub fn write(kills: &[Kill], cases: &BTreeSet<String>) -> String {
    let mut page = String::new();
    let killed = kills.iter().filter(|kill| !kill.red.is_empty()).count();
    let dead: BTreeSet<&str> = kills.iter().flat_map(Kill::cases).collect();
    let _ = write!(
        page,
        "# Kill matrix\n\n\
         Which cases turn red when the reference agent is wrong in one way. Made by\n\
         `A2ASPEC_KILL_MATRIX=write cargo test --release --test kill_matrix`; not to be edited.\n\n\
         | | | |\n|---|---|---|\n\
         | faults | {} | {killed} turn a case red |\n\
         | cases | {} | {} are turned red by a fault |\n",
        kills.len(),
        cases.len(),
        cases.iter().filter(|case| dead.contains(case.as_str())).count(),
    );
    page.push_str("\n## Faults\n\nCases in bold are of the requirements that the fault breaks.\n\n");
    page.push_str("| fault | the agent, wrong | breaks | turns red |\n|---|---|---|---|\n");
    for kill in kills {
        let bold = |case: &&str| match kill.own.contains(*case) {
            true => format!("**{case}**"),
            false => (*case).to_owned(),
        };
        let red: Vec<String> = kill.cases().iter().map(bold).collect();
        let blunt = kill.fault.blunt.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        let Fault { id, breaks, requirements, .. } = kill.fault;
        let _ = writeln!(page, "| {id} | {breaks} | {} | {}{blunt} |", requirements.join(", "), red.join(", "));
    }
    page.push_str("\n## Cases\n\n| case | faults that turn it red |\n|---|---|\n");
    for case in cases {
        let by: Vec<&str> =
            kills.iter().filter(|kill| kill.turns_red(case)).map(|kill| kill.fault.id.as_str()).collect();
        let _ = writeln!(page, "| {case} | {} |", by.join(", "));
    }
    page
}

/// Whether the page that is there is of these faults and cases.
pub fn is_of(faults: &[Fault], cases: &BTreeSet<String>) -> Result<(), Failed> {
    let page = std::fs::read_to_string(PATH)?;
    let rows: BTreeSet<&str> = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next()).collect();
    let names = faults.iter().map(|fault| &fault.id).chain(cases);
    let missing: Vec<&str> = names.map(String::as_str).filter(|name| !rows.contains(name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!("{PATH} is stale, it lacks: {}; its head says how to make it", missing.join(", ")).into())
}
