//! The matrix for a terminal: a line for each agent.

use super::{Agent, Matrix};
use crate::diagnostic::words::{count, one_line, shorten};
use crate::report::conformance::{Conformance, Part};

/// Columns of a name.
const LONGEST_NAME: usize = 40;

/// The lines.
pub(crate) fn render(matrix: &Matrix) -> String {
    let mut out = format!("{}\n\n", matrix.conclusion());
    let names = matrix.agents.iter().map(|agent| shorten(&one_line(&agent.name), LONGEST_NAME));
    let names: Vec<String> = names.collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or_default().max("agent".len());
    out.push_str(&format!("{:width$}  {:10}  {:11}  pass  fail  not tested\n", "agent", "checked", "gate"));
    for (agent, name) in matrix.agents.iter().zip(names) {
        out.push_str(&format!("{name:width$}  {}\n", line(agent).trim_end()));
    }
    out.push_str(&conformance(matrix));
    out
}

/// What was shown of each part of each version; nothing where not every case was run on any agent.
fn conformance(matrix: &Matrix) -> String {
    let head = ["conformance", "version"].into_iter().chain(Part::ALL.map(Part::name)).map(str::to_owned).collect();
    let mut rows: Vec<Vec<String>> = vec![head];
    for (agent, version, row) in matrix.conformance() {
        let names = [shorten(&one_line(&agent.name), LONGEST_NAME), version.to_owned()];
        rows.push(names.into_iter().chain(row.into_iter().map(Conformance::brief)).collect());
    }
    if rows.len() == 1 {
        return String::new();
    }
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).filter_map(width).collect();
    let line = |row: &Vec<String>| {
        let cells: String = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}  ")).collect();
        format!("{}\n", cells.trim_end())
    };
    format!("\n{}", rows.iter().map(line).collect::<String>())
}

fn line(agent: &Agent) -> String {
    let Some(run) = agent.runs.first() else {
        let reason = agent.not_checked.as_deref().unwrap_or_default();
        return format!("not checked: {}", one_line(reason));
    };
    let day = run.started.split('T').next().unwrap_or_default();
    let gate = run.gate.as_deref().unwrap_or("-");
    let untested = run.counts.unreached + run.counts.broken;
    let changes = [(&run.newly_violated, "newly violated"), (&run.fixed, "fixed")];
    let changes = changes.iter().filter(|(ids, _)| !ids.is_empty());
    let changes: Vec<String> =
        changes.map(|(ids, what)| format!("{} {what}", count(ids.len(), "requirement"))).collect();
    let (pass, fail) = (run.counts.pass, run.counts.fail);
    format!("{day:10}  {gate:11}  {pass:4}  {fail:4}  {untested:10}  {}", changes.join(", "))
}
