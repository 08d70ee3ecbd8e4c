//! The matrix as one page of HTML with filters: which case turns red with which fault.

use std::collections::BTreeSet;
use std::fmt::Write;

use a2aspec::case::Library;
use a2aspec::coverage::Coverage;
use a2aspec::profile;

use super::Kill;
use super::kill::Cases;

/// The style and the script of the page of `a2aspec coverage`: the filters are the same.
const STYLE: &str = include_str!("../../src/page/style.css");
const SCRIPT: &str = include_str!("../../src/page/filter.js");

/// The page.
pub fn write(kills: &[Kill], cases: &Cases, library: &Library) -> String {
    let profiles = profiles(cases);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Kill matrix</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>Kill matrix</h1>\n\
         <p>Which cases turn red when the reference agent is wrong in one way.</p>\n\
         <nav><a href=\"#versions\">Versions</a> <a href=\"#cases\">Cases</a> <a href=\"#faults\">Faults</a></nav>\n\
         <form id=\"filters\" hidden>\n\
         <label>version <select name=\"version\"><option value=\"\">all</option></select></label>\n\
         <label>section <input name=\"section\" type=\"search\" size=\"8\" placeholder=\"3.1\"></label>\n\
         <label>level <select name=\"level\"><option value=\"\">all</option></select></label>\n\
         <label>state <select name=\"state\"><option value=\"\">all</option></select></label>\n\
         <button type=\"reset\">show all</button>\n<output aria-live=\"polite\"></output>\n</form>\n"
    );
    versions(&mut page, &profiles, kills, cases);
    all_cases(&mut page, kills, cases, library);
    faults(&mut page, &profiles, kills);
    let _ = write!(page, "</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    page
}

fn versions(page: &mut String, profiles: &[String], kills: &[Kill], cases: &Cases) {
    page.push_str("<h2 id=\"versions\">Versions</h2>\n");
    head(page, &["version", "faults that turn a case red there", "cases", "turned red by a fault"]);
    for profile in profiles {
        let dead: BTreeSet<&str> = kills.iter().flat_map(|kill| kill.cases_in(profile)).collect();
        let faults = kills.iter().filter(|kill| !kill.cases_in(profile).is_empty()).count();
        let run = cases.values().filter(|run_in| run_in.contains(profile)).count();
        row(page, "", &[profile.clone(), faults.to_string(), run.to_string(), dead.len().to_string()]);
    }
    page.push_str("</tbody></table></div>\n");
}

/// A line for each case in each version: what turns it red there.
fn all_cases(page: &mut String, kills: &[Kill], cases: &Cases, library: &Library) {
    let coverage = Coverage::whole(library, &[]);
    let requirements: Vec<_> = coverage.parts.iter().flat_map(|part| &part.requirements).collect();
    page.push_str("<section>\n<h2 id=\"cases\">Cases</h2>\n");
    head(page, &["case", "version", "state", "faults that turn it red"]);
    for (case, run_in) in cases {
        let own: Vec<_> = requirements.iter().filter(|row| row.cases.contains(case)).collect();
        let sections = own.iter().flat_map(|row| row.section.split(',')).map(str::trim);
        let sections = sections.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join("|");
        let levels: BTreeSet<String> = own.iter().map(|row| row.level.to_string()).collect();
        let levels = levels.into_iter().collect::<Vec<_>>().join("|");
        for profile in run_in {
            let by: Vec<&str> =
                kills.iter().filter(|kill| kill.turns_red(case, profile)).map(|kill| kill.fault.id.as_str()).collect();
            let state = if by.is_empty() { "never red" } else { "red" };
            let facts = format!(
                " data-version=\"{profile}\" data-section=\"{}\" data-level=\"{levels}\" data-state=\"{state}\"",
                escape(&sections)
            );
            row(page, &facts, &[case.clone(), profile.clone(), state.to_owned(), by.join(", ")]);
        }
    }
    page.push_str("</tbody></table></div>\n</section>\n");
}

/// A line for each fault: what it turns red, in bold what is about it.
fn faults(page: &mut String, profiles: &[String], kills: &[Kill]) {
    page.push_str("<h2 id=\"faults\">Faults</h2>\n");
    head(page, &["fault", "the agent, wrong", "breaks", "cases in each version", "turns red"]);
    for kill in kills {
        let fault = kill.fault;
        let counts = profiles.iter().map(|profile| (profile, kill.cases_in(profile).len()));
        let counts: Vec<String> =
            counts.filter(|(_, count)| *count > 0).map(|(profile, count)| format!("{profile}: {count}")).collect();
        let _ = write!(
            page,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>",
            escape(&fault.id),
            escape(&fault.breaks),
            escape(&fault.requirements.join(", ")),
            counts.join("<br>"),
        );
        for (index, case) in kill.cases().into_iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            let _ = match kill.own.contains(case) {
                true => write!(page, "{comma}<b>{case}</b>"),
                false => write!(page, "{comma}{case}"),
            };
        }
        if let Some(reason) = &fault.blunt {
            let _ = write!(page, " ({})", escape(reason));
        }
        page.push_str("</td></tr>\n");
    }
    page.push_str("</tbody></table></div>\n");
}

fn head(page: &mut String, heads: &[&str]) {
    page.push_str("<div class=\"table\"><table>\n<thead><tr>");
    heads.iter().for_each(|head| page.push_str(&format!("<th scope=\"col\">{head}</th>")));
    page.push_str("</tr></thead>\n<tbody>\n");
}

fn row(page: &mut String, facts: &str, cells: &[String]) {
    page.push_str(&format!("<tr{facts}>"));
    cells.iter().for_each(|cell| page.push_str(&format!("<td>{}</td>", escape(cell))));
    page.push_str("</tr>\n");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The versions, the newest first.
fn profiles(cases: &Cases) -> Vec<String> {
    let bundled = profile::bundled().expect("the profiles are right");
    let names = bundled.iter().rev().map(|profile| profile.name());
    names.filter(|name| cases.values().any(|run_in| run_in.contains(*name))).map(str::to_owned).collect()
}
