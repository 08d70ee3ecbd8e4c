//! The matrix for a terminal: a line for each agent.

use super::{Agent, Matrix};
use crate::diagnostic::words::{count, one_line, shorten};

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
    out
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
