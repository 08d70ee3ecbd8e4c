//! Many problems, each in a few lines: the page must be read before its details are. The whole evidence of each is a command away.

use super::super::evidence;
use super::super::model::Report;
use super::super::problems::{BELOW, Problem};
use super::super::rank;
use super::super::style::{self, FAINT, STRONG, paint};
use crate::diagnostic::words::{count, one_line, shorten, wrap};
use crate::verdict::{Layer, Verdict};

/// From how many problems on a report is short on each.
const MANY: usize = 6;

/// The most steps of a case that are shown: the last, of which the verdict is.
const MOST_STEPS: usize = 2;

/// Columns that the label of a line takes.
const LABEL: usize = 5;

/// Whether a report has so many problems that each is told in a few lines.
pub(super) fn is_due(report: &Report) -> bool {
    report.fuzz.is_none() && report.new_problems().count() >= MANY
}

pub(super) fn render(report: &Report, width: usize) -> String {
    let mut problems: Vec<&Problem> = report.new_problems().collect();
    rank::by_urgency(&report.results, &mut problems);
    let mut out = format!("{}\n", paint(STRONG, format_args!("{}, worst first", number(&problems))));
    let mut layer = Layer::Agent;
    for problem in problems {
        if std::mem::replace(&mut layer, problem.layer) != problem.layer {
            out.push_str(&format!("{}\n", paint(STRONG, BELOW)));
        }
        out.push_str(&one(report, problem, width));
    }
    let hint = "`--report terminal=full` prints the exchanges of all problems; `--only CASE` checks one case again";
    out.extend(wrap(hint, width).into_iter().map(|line| format!("{}\n", paint(FAINT, line))));
    out
}

/// How many problems there are, and how many notes.
fn number(problems: &[&Problem]) -> String {
    let notes = problems.iter().filter(|problem| problem.verdict == Verdict::Note).count();
    let of_problems = count(problems.len() - notes, "problem");
    if notes == 0 { of_problems } else { format!("{of_problems} and {}", count(notes, "note")) }
}

/// A problem: what is wrong, by which requirement and in how many results, and how to fix what must be fixed.
fn one(report: &Report, problem: &Problem, width: usize) -> String {
    let Some((result, _)) = problem.shown(report) else { return String::new() };
    let name = problem.verdict.name().to_uppercase();
    let mut out = String::new();
    let remark = report.remark_on(problem).map(|remark| format!(" ({remark})")).unwrap_or_default();
    let headline = one_line(&format!("{}: {}{remark}", result.case, problem.message));
    for (index, line) in wrap(&headline, width - LABEL).into_iter().enumerate() {
        let label = if index == 0 {
            paint(style::of(problem.verdict), format_args!("{name:<LABEL$}"))
        } else {
            " ".repeat(LABEL)
        };
        out.push_str(&format!("{label}{line}\n"));
    }
    if problem.verdict != Verdict::Fail {
        return out;
    }
    let steps = evidence::step_lines(result, width - LABEL);
    // Of a single request the headline tells as much as there is room for.
    for step in steps.iter().skip(steps.len().saturating_sub(MOST_STEPS)).filter(|_| steps.len() > 1) {
        out.push_str(&format!("{:LABEL$}{step}\n", ""));
    }
    let requirement = problem.heading(report).map(|heading| heading.id).unwrap_or_default();
    let seen = match problem.results() {
        1 => format!(" ({requirement})"),
        results => format!(" ({requirement}, {results} results)"),
    };
    let fix = report.cases.iter().find(|case| case.id == result.case).map(|case| case.fix.as_str()).unwrap_or_default();
    let fix = if fix.is_empty() { String::new() } else { format!("fix: {fix}") };
    let fix = shorten(&one_line(&fix), (width - LABEL).saturating_sub(seen.chars().count()));
    out.push_str(&format!("{:LABEL$}{}\n", "", paint(FAINT, format!("{fix}{seen}").trim_start())));
    out
}
