//! What to fix first: the few problems that stop most clients, each in a line.

use super::super::model::Report;
use super::super::problems::Problem;
use super::super::rank;
use super::super::style::{self, FAINT, STRONG, paint};
use crate::diagnostic::words::{count, one_line, wrap};
use crate::verdict::Verdict;

/// Most lines of the list.
const MOST: usize = 5;

/// The list; nothing where there are so few problems that they are all seen at a glance.
pub(super) fn render(report: &Report, width: usize) -> String {
    let is_wrong = |problem: &&Problem| matches!(problem.verdict, Verdict::Fail | Verdict::Warn);
    let mut problems: Vec<&Problem> = report.new_problems().filter(is_wrong).collect();
    if problems.len() <= MOST {
        return String::new();
    }
    rank::by_urgency(&report.results, &mut problems);
    let mut out = format!("{}\n", paint(STRONG, format_args!("fix first, of {}", count(problems.len(), "problem"))));
    for problem in problems.into_iter().take(MOST) {
        let name = problem.verdict.name().to_uppercase();
        let case = problem.shown(report).map_or("", |(result, _)| &result.case);
        let shown = paint(FAINT, format_args!("{case}, {}", count(problem.results(), "result")));
        for (index, line) in wrap(&one_line(&problem.message), width - 7).into_iter().enumerate() {
            let name = if index == 0 { paint(style::of(problem.verdict), &name) } else { " ".repeat(name.len()) };
            out.push_str(&format!("  {name} {line}\n"));
        }
        out.push_str(&format!("       {shown}\n"));
    }
    out
}
