//! The matrix for a terminal: a line for each agent, what has changed, and the requirements that were asked for.

use std::collections::{BTreeMap, BTreeSet};

use super::{Agent, Matrix, trend};
use crate::diagnostic::words::{count, one_line, shorten};
use crate::report::conformance::{Conformance, Part};

/// Columns of a name.
const LONGEST_NAME: usize = 40;
/// Columns of what a requirement says.
const LONGEST_TEXT: usize = 100;

/// The lines.
pub(crate) fn render(matrix: &Matrix) -> String {
    let mut out = format!("{}\n\n", matrix.conclusion);
    let names = names(matrix);
    let width = names.values().map(|name| name.chars().count()).max().unwrap_or_default().max("agent".len());
    out.push_str(&format!("{:width$}  {:10}  {:11}  pass  fail  not tested\n", "agent", "checked", "gate"));
    for agent in &matrix.agents {
        out.push_str(&format!("{:width$}  {}\n", name(&names, agent), line(agent).trim_end()));
    }
    out.push_str(&conformance(matrix, &names));
    out.push_str(&trends(matrix, &names));
    out.push_str(&requirements(matrix));
    out
}

/// The name of each agent as it is shown here: short, unless two were the same then.
fn names(matrix: &Matrix) -> BTreeMap<&str, String> {
    let short = |label: &str| shorten(&one_line(label), LONGEST_NAME);
    let (mut seen, mut shared) = (BTreeSet::new(), BTreeSet::new());
    for label in matrix.names().map(short) {
        if !seen.insert(label.clone()) {
            shared.insert(label);
        }
    }
    let shown = |label: &str| Some(short(label)).filter(|short| !shared.contains(short));
    matrix.names().map(|label| (label, shown(label).unwrap_or_else(|| one_line(label)))).collect()
}

fn name<'n>(names: &'n BTreeMap<&str, String>, agent: &Agent) -> &'n str {
    names.get(agent.label.as_str()).map(String::as_str).unwrap_or_default()
}

/// What was shown of each part of each version; nothing where not every case was run on any agent.
fn conformance(matrix: &Matrix, names: &BTreeMap<&str, String>) -> String {
    let head = ["conformance", "version"].into_iter().chain(Part::ALL.map(Part::name)).map(str::to_owned).collect();
    let mut rows: Vec<Vec<String>> = vec![head];
    for (agent, version, row) in matrix.conformance() {
        let first = [name(names, agent).to_owned(), version.to_owned()];
        rows.push(first.into_iter().chain(row.into_iter().map(Conformance::brief)).collect());
    }
    if rows.len() == 1 {
        return String::new();
    }
    format!("\n{}", aligned(&rows))
}

/// How agents with several runs have changed.
fn trends(matrix: &Matrix, names: &BTreeMap<&str, String>) -> String {
    let rows = matrix.agents.iter().filter_map(|agent| Some(vec![name(names, agent).to_owned(), trend::line(agent)?]));
    let rows: Vec<Vec<String>> = rows.collect();
    if rows.is_empty() { String::new() } else { format!("\n{}", aligned(&rows)) }
}

/// The requirements for which the conditions hold, if there are conditions.
fn requirements(matrix: &Matrix) -> String {
    let Some(kept) = matrix.kept() else { return String::new() };
    let rows = matrix.requirements.iter().map(|requirement| {
        let text = shorten(&one_line(&requirement.text), LONGEST_TEXT);
        vec![requirement.version.clone(), requirement.id.clone(), requirement.level.to_string(), text]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let end = if rows.is_empty() { "" } else { "\n" };
    format!("\n{}\n{end}{}", one_line(&kept), aligned(&rows))
}

/// Rows as lines, with columns as wide as their widest cell.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).filter_map(width).collect();
    let line = |row: &Vec<String>| {
        let cells: String = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}  ")).collect();
        format!("{}\n", cells.trim_end())
    };
    rows.iter().map(line).collect()
}

fn line(agent: &Agent) -> String {
    let Some(run) = agent.runs.first() else {
        let reason = agent.not_checked.as_deref().unwrap_or_default();
        return format!("not checked: {}", one_line(reason));
    };
    let day = run.day();
    let gate = run.gate.as_deref().unwrap_or("-");
    let untested = run.counts.unreached + run.counts.broken;
    let changes = [(&run.newly_violated, "newly violated"), (&run.fixed, "fixed")];
    let changes = changes.iter().filter(|(ids, _)| !ids.is_empty());
    let changes: Vec<String> =
        changes.map(|(ids, what)| format!("{} {what}", count(ids.len(), "requirement"))).collect();
    let (pass, fail) = (run.counts.pass, run.counts.fail);
    format!("{day:10}  {gate:11}  {pass:4}  {fail:4}  {untested:10}  {}", changes.join(", "))
}
