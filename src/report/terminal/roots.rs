//! The root causes: what decides most results, with how many follow from it.

use super::super::model::Report;
use super::super::root_causes::RootCause;
use super::super::style::{self, FAINT, STRONG, paint};
use crate::diagnostic::words::{one_line, wrap};
use crate::verdict::Verdict;

/// Columns before the lines of a cause.
const INDENT: usize = 2;

pub(in crate::report) fn render(report: &Report, width: usize) -> String {
    render_with(report, width, RootCause::consequences)
}

/// The same, where each result stands for several cases: `follow` has words for those of a cause.
pub(in crate::report) fn render_with(
    report: &Report,
    width: usize,
    follow: impl Fn(&RootCause) -> Option<String>,
) -> String {
    if report.root_causes.is_empty() {
        return String::new();
    }
    let name = if report.root_causes.len() == 1 { "ROOT CAUSE" } else { "ROOT CAUSES" };
    let mut out = format!("{}\n", paint(STRONG, name));
    for cause in &report.root_causes {
        let over = cause.over();
        let over = if over.is_empty() { over } else { format!(" ({over})") };
        let colour = if cause.problem.is_some() { Verdict::Fail } else { Verdict::Unreached };
        for line in wrap(&one_line(&format!("{}{over}", cause.message)), width - INDENT) {
            out.push_str(&format!("{:INDENT$}{}\n", "", paint(style::of(colour), line)));
        }
        let case = cause.problem.and_then(|index| report.problems.get(index)).and_then(|problem| problem.shown(report));
        let proof = case.map(|(result, _)| format!("reported by {}", result.case));
        let rest: Vec<String> = follow(cause).into_iter().chain(proof).collect();
        let help = format!("help: {}", cause.help);
        for text in [rest.join("; "), help].iter().filter(|text| !text.is_empty()) {
            for line in wrap(&one_line(text), width - INDENT - 2) {
                out.push_str(&format!("{:INDENT$}  {}\n", "", paint(FAINT, line)));
            }
        }
    }
    out
}
