//! The matrix as one page of HTML.

use std::collections::BTreeSet;

use super::outcome::Outcome;
use super::{Agent, Area, Matrix, Requirement, Run, is_violated, trend};
use crate::diagnostic::words::{count, one_line};
use crate::page::{
    Filter, anchor, attributes, badge, document, escape, filters, href, number, row, row_with, table, text,
};
use crate::report::conformance::{Conformance, Part};
use crate::verdict::Verdict;

/// What rows can be hidden by: two agents can be compared where there are two.
fn chosen_by(matrix: &Matrix) -> Vec<Filter> {
    let names: Vec<String> = matrix.newest().map(|(agent, _)| agent.label.clone()).collect();
    let two = (names.len() > 1)
        .then(|| Filter::Two { names, results: Outcome::ALL.map(|outcome| (outcome.name(), outcome.words())) });
    let all = [
        Filter::Typed("text", "ListTasks"),
        Filter::One("verdict"),
        Filter::One("level"),
        Filter::One("version"),
        Filter::Typed("section", "3.1"),
        Filter::One("area"),
    ];
    all.into_iter().chain(two).collect()
}

/// How each agent came out in a row, for the filter by two agents: the first letter of each, in the order of the agents.
fn outcomes(verdicts: impl Iterator<Item = Option<Verdict>>) -> String {
    verdicts.filter_map(|verdict| Outcome::of(verdict).name().chars().next()).collect()
}

/// Up to so many agents have a column each; of more, the agents with one verdict are counted.
const MOST_COLUMNS: usize = 24;

/// The page; nothing of an agent is taken for markup.
pub(crate) fn render(matrix: &Matrix) -> String {
    let mut out = format!("<h1>{} side by side</h1>\n", count(matrix.agents.len(), "agent"));
    out.push_str(&format!("<p class=\"lead\">{}</p>\n", escape(&matrix.conclusion)));
    out.push_str(
        "<nav>\n<a href=\"#agents\">Agents</a>\n<a href=\"#conformance\">Conformance</a>\n<a href=\"#areas\">Areas</a>\n\
         <a href=\"#requirements\">Requirements</a>\n<a href=\"#history\">History</a>\n</nav>\n",
    );
    agents(&mut out, matrix);
    conformance(&mut out, matrix);
    out.push_str(&filters(&chosen_by(matrix)));
    areas(&mut out, matrix);
    requirements(&mut out, matrix);
    history(&mut out, matrix);
    out.push_str(&format!("<p>By {} {}.</p>\n", matrix.tool.name, matrix.tool.version));
    document(&format!("a2aspec: {}", count(matrix.agents.len(), "agent")), &out)
}

fn agents(out: &mut String, matrix: &Matrix) {
    out.push_str("<h2 id=\"agents\">Agents</h2>\n");
    let heads = ["agent", "URL", "checked", "gate", "pass", "fail", "flaky", "unreached", "skipped", "broken", "runs"];
    table(out, &heads, |out| {
        for agent in &matrix.agents {
            let url = format!("<td><code>{}</code></td>", escape(&agent.url));
            let Some(run) = agent.runs.first() else {
                let reason = agent.not_checked.as_deref().unwrap_or_default();
                let why = format!("<td colspan=\"9\">not checked: {}</td>", escape(&one_line(reason)));
                row(out, "", [text(&agent.label), url, why]);
                continue;
            };
            let counts = &run.counts;
            let numbers = [counts.pass, counts.fail, counts.flaky, counts.unreached, counts.skipped, counts.broken];
            let cells = [
                format!("<td>{}</td>", report(run, &agent.label)),
                url,
                text(run.day()),
                text(run.gate.as_deref().unwrap_or_default()),
            ];
            let runs = match agent.runs.len() {
                1 => "<td class=\"number\">1</td>".to_owned(),
                runs => format!("<td class=\"number\"><a href=\"#{}\">{runs}</a></td>", place_of(agent)),
            };
            row(out, "", cells.into_iter().chain(numbers.map(number)).chain([runs]));
        }
    });
}

/// What was shown of each part of each version.
fn conformance(out: &mut String, matrix: &Matrix) {
    out.push_str("<h2 id=\"conformance\">Conformance</h2>\n");
    if matrix.conformance().next().is_none() {
        out.push_str("<p>No report is of a run of every case.</p>\n");
        return;
    }
    out.push_str("<p>How many MUST requirements are violated or not tested, of those that apply.</p>\n");
    let heads: Vec<&str> = ["agent", "version"].into_iter().chain(Part::ALL.map(Part::name)).collect();
    table(out, &heads, |out| {
        for (agent, version, parts) in matrix.conformance() {
            let cell = |shown: &Conformance| {
                let class = shown.outcome.verdict().name();
                format!("<td><span class=\"state {class}\">{}</span></td>", escape(&shown.brief()))
            };
            row(out, "", [text(&agent.label), text(version)].into_iter().chain(parts.into_iter().map(cell)));
        }
    });
}

fn areas(out: &mut String, matrix: &Matrix) {
    let newest: Vec<(&Agent, &Run)> = matrix.newest().collect();
    out.push_str("<section>\n<h2 id=\"areas\">Areas</h2>\n<p>How many cases pass, of those that were tested.</p>\n");
    let is_wide = newest.len() > MOST_COLUMNS;
    let names: Vec<String> = match is_wide {
        true => ["conform", "violate", "not tested"].map(str::to_owned).to_vec(),
        false => newest.iter().map(|(agent, run)| report(run, &agent.label)).collect(),
    };
    let heads: Vec<&str> = std::iter::once("area").chain(names.iter().map(String::as_str)).collect();
    table(out, &heads, |out| {
        for name in matrix.areas() {
            let found: Vec<Option<&Area>> = newest.iter().map(|(_, run)| run.areas.get(name)).collect();
            let all = || found.iter().copied().flatten();
            let verdicts: BTreeSet<Verdict> = all().filter_map(|area| area.worst).collect();
            let facts = [
                ("area", name.to_owned()),
                ("version", joined(all().flat_map(|area| area.versions.iter().cloned()))),
                ("level", joined(all().flat_map(|area| area.levels.iter().map(ToString::to_string)))),
                ("verdict", joined(verdicts.iter().map(|verdict| verdict.name().to_owned()))),
                ("agents", outcomes(found.iter().map(|area| area.and_then(|area| area.worst)))),
            ];
            let cells: Vec<String> = match is_wide {
                true => counted(found.iter().map(|area| area.and_then(|area| area.worst))).map(number).to_vec(),
                false => found.iter().copied().map(area_cell).collect(),
            };
            row_with(out, "", &attributes(&facts), std::iter::once(text(name)).chain(cells));
        }
    });
    out.push_str("</section>\n");
}

/// How much of an area passes, in the colour of its worst verdict.
fn area_cell(area: Option<&Area>) -> String {
    let Some((area, worst)) = area.and_then(|area| Some((area, area.worst?))) else { return "<td></td>".to_owned() };
    let shown = match area.counts.tested() {
        0 => escape(worst.name()),
        tested => format!("{}/{tested}", area.counts.pass),
    };
    format!("<td><span class=\"state {}\">{shown}</span></td>", worst.name())
}

fn requirements(out: &mut String, matrix: &Matrix) {
    let newest: Vec<(usize, &Agent)> =
        matrix.agents.iter().enumerate().filter(|(_, agent)| !agent.runs.is_empty()).collect();
    out.push_str("<section>\n<h2 id=\"requirements\">Requirements</h2>\n");
    if let Some(kept) = matrix.kept() {
        out.push_str(&format!("<p>{}.</p>\n", escape(&kept)));
    }
    let is_wide = newest.len() > MOST_COLUMNS;
    let mut heads = vec!["version", "id", "level", "section", "what it says"];
    let names: Vec<String> = newest.iter().map(|(_, agent)| escape(&agent.label)).collect();
    match is_wide {
        true => heads.extend(["conform", "violate", "not tested", "who violates it"]),
        false => heads.extend(names.iter().map(String::as_str)),
    }
    table(out, &heads, |out| {
        for requirement in &matrix.requirements {
            let Requirement { id, version, section, level, text: says, areas, verdicts } = requirement;
            let kinds: BTreeSet<Verdict> = verdicts.iter().flatten().copied().collect();
            let found = newest.iter().map(|(place, agent)| (*agent, verdicts.get(*place).copied().flatten()));
            let facts = [
                ("version", version.clone()),
                ("level", level.to_string()),
                ("section", section.split(", ").collect::<Vec<_>>().join("|")),
                ("area", joined(areas.iter().cloned())),
                ("verdict", joined(kinds.iter().map(|verdict| verdict.name().to_owned()))),
                ("agents", outcomes(found.clone().map(|(_, verdict)| verdict))),
            ];
            let says = [text(version), text(id), text(&level.to_string()), text(section), text(says)];
            let cells: Vec<String> = match is_wide {
                true => {
                    let violating = found.clone().filter(|(_, verdict)| verdict.is_some_and(is_violated));
                    let violating = violating
                        .filter_map(|(agent, _)| Some(report_at(agent.runs.first()?, id, &escape(&agent.label))));
                    let who = format!("<td>{}</td>", violating.collect::<Vec<_>>().join(", "));
                    counted(found.map(|(_, verdict)| verdict)).map(number).into_iter().chain([who]).collect()
                }
                false => found.map(|(agent, verdict)| cell(agent.runs.first(), id, verdict)).collect(),
            };
            row_with(out, "", &attributes(&facts), says.into_iter().chain(cells));
        }
    });
    out.push_str("</section>\n");
}

/// The verdict of an agent, which leads to its report.
fn cell(run: Option<&Run>, requirement: &str, verdict: Option<Verdict>) -> String {
    match (run, verdict) {
        (Some(run), Some(verdict)) => format!("<td>{}</td>", report_at(run, requirement, &badge(verdict.name()))),
        _ => "<td></td>".to_owned(),
    }
}

fn history(out: &mut String, matrix: &Matrix) {
    out.push_str("<h2 id=\"history\">History</h2>\n");
    let mut is_none = true;
    for agent in matrix.agents.iter().filter(|agent| agent.runs.len() > 1) {
        is_none = false;
        out.push_str(&format!("<h3 id=\"{}\">{}</h3>\n", place_of(agent), escape(&agent.label)));
        out.push_str(&trend::picture(agent));
        let heads = ["run", "by", "gate", "pass", "fail", "unreached", "MUST violations", "newly violated", "fixed"];
        table(out, &heads, |out| {
            for run in &agent.runs {
                let names = |ids: &[String]| text(&ids.join(", "));
                let cells = [
                    format!("<td>{}</td>", report(run, &run.started)),
                    text(&run.made_by),
                    text(run.gate.as_deref().unwrap_or_default()),
                    number(run.counts.pass),
                    number(run.counts.fail),
                    number(run.counts.unreached),
                    number(run.must_violations),
                    names(&run.newly_violated),
                    names(&run.fixed),
                ];
                row(out, "", cells);
            }
        });
    }
    if is_none {
        out.push_str("<p>No agent was checked more than once.</p>\n");
    }
}

/// A link to the report of a run.
fn report(run: &Run, name: &str) -> String {
    format!("<a href=\"{}\">{}</a>", href(run.page.as_deref().unwrap_or(&run.file)), escape(name))
}

/// A link to what the report of a run says of a requirement; `shown` is markup.
fn report_at(run: &Run, requirement: &str, shown: &str) -> String {
    match &run.page {
        Some(page) => format!("<a href=\"{}#{}\">{shown}</a>", href(page), anchor("requirement", requirement)),
        None => shown.to_owned(),
    }
}

fn place_of(agent: &Agent) -> String {
    anchor("agent", &format!("{} {}", agent.name, agent.url))
}

fn joined(values: impl Iterator<Item = String>) -> String {
    values.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join("|")
}

/// How many agents conform, how many do not, and of how many it is not known.
fn counted(verdicts: impl Iterator<Item = Option<Verdict>>) -> [usize; 3] {
    verdicts.fold([0; 3], |[conform, violate, unknown], verdict| match Outcome::of(verdict) {
        Outcome::Pass => [conform + 1, violate, unknown],
        Outcome::Fail => [conform, violate + 1, unknown],
        Outcome::Untested => [conform, violate, unknown + 1],
    })
}
