//! The matrix as one page of HTML with filters: which case turns red with which fault.

use std::collections::BTreeSet;

use a2aspec::case::Library;
use a2aspec::coverage::Coverage;
use a2aspec::profile;

use super::Kill;
use super::html::{Filter, document, escape, filters, number, row, row_with, table, text};
use super::kill::Cases;

/// The page.
pub fn write(kills: &[Kill], cases: &Cases, library: &Library) -> String {
    let profiles = profiles(cases);
    let mut body = "<h1>Kill matrix</h1>\n\
         <p>Which cases turn red when the reference agent is wrong in one way.</p>\n\
         <nav><a href=\"#versions\">Versions</a> <a href=\"#cases\">Cases</a> <a href=\"#faults\">Faults</a></nav>\n"
        .to_owned();
    let by = [Filter::One("version"), Filter::Typed("section", "3.1"), Filter::One("level"), Filter::One("state")];
    body.push_str(&filters(&by));
    versions(&mut body, &profiles, kills, cases);
    all_cases(&mut body, kills, cases, library);
    faults(&mut body, &profiles, kills);
    document("Kill matrix", &body)
}

fn versions(page: &mut String, profiles: &[String], kills: &[Kill], cases: &Cases) {
    page.push_str("<h2 id=\"versions\">Versions</h2>\n");
    table(page, &["version", "faults that turn a case red there", "cases", "turned red by a fault"], |page| {
        for profile in profiles {
            let dead: BTreeSet<&str> = kills.iter().flat_map(|kill| kill.cases_in(profile)).collect();
            let faults = kills.iter().filter(|kill| !kill.cases_in(profile).is_empty()).count();
            let run = cases.values().filter(|run_in| run_in.contains(profile)).count();
            row(page, "", [text(profile), number(faults), number(run), number(dead.len())]);
        }
    });
}

/// A line for each case in each version: what turns it red there.
fn all_cases(page: &mut String, kills: &[Kill], cases: &Cases, library: &Library) {
    let coverage = Coverage::whole(library, &[]);
    let requirements: Vec<_> = coverage.parts.iter().flat_map(|part| &part.requirements).collect();
    page.push_str("<section>\n<h2 id=\"cases\">Cases</h2>\n");
    table(page, &["case", "version", "state", "faults that turn it red"], |page| {
        for (case, run_in) in cases {
            let own: Vec<_> = requirements.iter().filter(|row| row.cases.contains(case)).collect();
            let sections = own.iter().flat_map(|row| row.section.split(',')).map(str::trim);
            let sections = sections.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join("|");
            let levels: BTreeSet<String> = own.iter().map(|row| row.level.to_string()).collect();
            let levels = levels.into_iter().collect::<Vec<_>>().join("|");
            for profile in run_in {
                let by = kills.iter().filter(|kill| kill.turns_red(case, profile));
                let by: Vec<&str> = by.map(|kill| kill.fault.id.as_str()).collect();
                let state = if by.is_empty() { "never red" } else { "red" };
                let facts = format!(
                    " data-version=\"{profile}\" data-section=\"{}\" data-level=\"{levels}\" data-state=\"{state}\"",
                    escape(&sections)
                );
                row_with(page, "", &facts, [text(case), text(profile), text(state), text(&by.join(", "))]);
            }
        }
    });
    page.push_str("</section>\n");
}

/// A line for each fault: what it turns red, in bold what is about it.
fn faults(page: &mut String, profiles: &[String], kills: &[Kill]) {
    page.push_str("<h2 id=\"faults\">Faults</h2>\n");
    let heads = ["fault", "the agent, wrong", "breaks", "cases in each version", "turns red"];
    table(page, &heads, |page| {
        for kill in kills {
            let fault = kill.fault;
            let counts = profiles.iter().map(|profile| (profile, kill.cases_in(profile).len()));
            let counts: Vec<String> =
                counts.filter(|(_, count)| *count > 0).map(|(profile, count)| format!("{profile}: {count}")).collect();
            let cases = kill.cases().into_iter().map(|case| match kill.own.contains(case) {
                true => format!("<b>{case}</b>"),
                false => case.to_owned(),
            });
            let cases = cases.collect::<Vec<_>>().join(", ");
            let why = fault.blunt.as_ref().map(|reason| format!(" ({})", escape(reason))).unwrap_or_default();
            let counts = format!("<td>{}</td>", counts.join("<br>"));
            let red = format!("<td>{cases}{why}</td>");
            let breaks = text(&fault.requirements.join(", "));
            row(page, "", [text(&fault.id), text(&fault.breaks), breaks, counts, red]);
        }
    });
}

/// The versions, the newest first.
fn profiles(cases: &Cases) -> Vec<String> {
    let bundled = profile::bundled().expect("the profiles are right");
    let names = bundled.iter().rev().map(|profile| profile.name());
    names.filter(|name| cases.values().any(|run_in| run_in.contains(*name))).map(str::to_owned).collect()
}
