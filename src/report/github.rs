//! The report as annotations of a GitHub workflow: a line for each problem, which the run's page shows.
//!
//! ```text
//! ::error title=1.0-3.1.3-2 (MUST%2C section 3.1.3)::the agent answers with -32603, expected -32001%0A...
//! ```
//!
//! What fails the gate is an error, what is wrong below its level a warning or a notice. GitHub shows ten of each kind for a
//! step: the worst are among them, and the last line says how many there are beside them.

use super::model::Report;
use super::problems::Problem;
use crate::diagnostic::words::{count, one_line, shorten};
use crate::verdict::Verdict;

/// Most annotations of one kind: GitHub shows ten of each for a step, and one says how many more there are.
const MOST: usize = 9;

/// Longest line of a message.
const LONGEST: usize = 400;

/// The report as workflow commands, one a line.
pub(crate) fn render(report: &Report) -> String {
    let fail_on = report.fail_on();
    let mut out = String::new();
    if let Some(error) = &report.error {
        let lines: Vec<String> = error.lines().iter().map(|line| shorten(line, LONGEST)).collect();
        out.push_str(&command("error", None, "a2aspec: nothing was tested", &lines.join("\n")));
    }
    if let Some(reason) = &report.stopped {
        out.push_str(&command("error", None, "a2aspec", &format!("the run stopped before its end: {reason}")));
    }
    for (interface, reason) in report.lost() {
        out.push_str(&command("error", None, "a2aspec", &format!("{}: {reason}", interface.title())));
    }
    for known in report.baseline.iter().flat_map(|info| &info.stale) {
        let file = report.baseline.as_ref().map(|info| info.file.as_str());
        let text = format!("{} passes: delete it from the list of known failures", known.name());
        out.push_str(&command("error", file, "a2aspec: no longer true", &text));
    }
    if let Some(lock) = &report.lock {
        for loss in &lock.lost {
            out.push_str(&command("error", Some(&lock.file), "a2aspec: clients lose what they rely on", loss));
        }
    }
    let kind = |problem: &Problem| match problem.verdict {
        _ if fail_on.fails_at(report.problem_counts_as(problem)) => "error",
        Verdict::Fail | Verdict::Warn | Verdict::Flaky => "warning",
        _ => "notice",
    };
    for of in ["error", "warning", "notice"] {
        let problems: Vec<&Problem> = report.new_problems().filter(|problem| kind(problem) == of).collect();
        problems.iter().take(MOST).for_each(|problem| out.push_str(&annotation(report, of, problem)));
        if let Some(more) = problems.len().checked_sub(MOST).filter(|more| *more > 0) {
            let text =
                format!("{} more like the {MOST} before: the other reports have them all", count(more, "problem"));
            out.push_str(&command(of, None, "a2aspec", &text));
        }
    }
    out
}

fn annotation(report: &Report, kind: &str, problem: &Problem) -> String {
    let heading = problem.heading(report).map(|heading| heading.to_string()).unwrap_or_default();
    let title = match problem.shown(report) {
        Some((result, _)) if !heading.starts_with(&result.case) => format!("{}: {heading}", result.case),
        _ => heading,
    };
    let mut lines = vec![problem.message.clone()];
    if let Some((result, _)) = problem.shown(report) {
        let more = problem.results() - 1;
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        lines.push(format!("in {} over {} in {}{more}", result.case, result.binding, result.profile));
        let case = report.cases.iter().find(|case| case.id == result.case);
        lines.extend(case.filter(|case| !case.fix.is_empty()).map(|case| format!("fix: {}", case.fix)));
        lines.extend(report.remark_on(problem));
        lines.extend(result.told_again());
        let rerun = case.and_then(|case| case.rerun_of(result));
        lines.extend(rerun.map(|rerun| format!("rerun: {}", rerun.command)));
    }
    let lines: Vec<String> = lines.iter().map(|line| shorten(&one_line(line), LONGEST)).collect();
    command(kind, None, &title, &lines.join("\n"))
}

/// One workflow command. <https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands>
fn command(kind: &str, file: Option<&str>, title: &str, message: &str) -> String {
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(&one_line(text)).replace(':', "%3A").replace(',', "%2C");
    let file = file.map(|file| format!("file={},", property(file))).unwrap_or_default();
    let message: Vec<String> = message.split('\n').map(one_line).collect();
    format!("::{kind} {file}title={}::{}\n", property(title), data(&message.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_result_that_is_flaky() {
        insta::assert_snapshot!(render(&sample::flaky()));
    }

    #[test]
    fn every_verdict() {
        insta::assert_snapshot!(render(&sample::full()));
    }

    #[test]
    fn no_problem_is_no_line() {
        assert_eq!(render(&sample::clean()), "");
    }

    #[test]
    fn what_the_agent_says_ends_no_line_and_begins_no_command() {
        let text = command("error", Some("a,b.yaml"), "x::y, z%", "one\n::error::two\r\u{1b}[2J");
        assert_eq!(text, "::error file=a%2Cb.yaml,title=x%3A%3Ay%2C z%25::one%0A::error::two\\r\\u{1b}[2J\n");
    }

    #[test]
    fn no_more_than_are_shown() {
        let mut report = sample::full();
        let problem = report.problems.first().cloned().unwrap();
        report.problems = vec![problem; 30];
        let text = render(&report);
        assert_eq!(text.lines().count(), 10, "{text}");
        assert!(text.contains("21 problems more like the 9 before"), "{text}");
    }
}
