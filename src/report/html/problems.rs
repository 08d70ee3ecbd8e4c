//! The problems, each with its evidence.

use super::super::evidence;
use super::super::markdown;
use super::super::model::{CaseInfo, Report};
use super::super::problems::{BELOW, OF_WHAT_IS_BELOW, Problem};
use super::results::{data, links};
use super::shown::Shown;
use crate::diagnostic::words::{count, one_line};
use crate::page::{badge, escape, link};
use crate::verdict::{Layer, TrialResult};

/// The width of evidence, in columns.
const WIDTH: usize = 110;

pub(super) fn render(out: &mut String, shown: &Shown<'_>) {
    let problems = &shown.report.problems;
    out.push_str("<section>\n<h2 id=\"problems\">Problems</h2>\n");
    if problems.is_empty() {
        out.push_str("<p>None in what was tested.</p>\n");
    }
    let mut layer = Layer::Agent;
    for (index, problem) in problems.iter().enumerate() {
        if std::mem::replace(&mut layer, problem.layer) != problem.layer {
            out.push_str(&format!("<h3>{BELOW}</h3>\n<p>{OF_WHAT_IS_BELOW}</p>\n"));
        }
        out.push_str(&one(shown, index, shown.is_whole(index)));
    }
    out.push_str(&shown.evidence_left_out());
    out.push_str("</section>\n");
}

/// A problem; without its evidence where there is no room for it.
pub(super) fn one(shown: &Shown<'_>, index: usize, is_whole: bool) -> String {
    let report = shown.report;
    let Some(problem) = report.problems.get(index) else { return String::new() };
    let Some(((result, finding), heading)) = problem.shown(report).zip(problem.heading(report)) else {
        return String::new();
    };
    let remark = match report.knows(problem) {
        true => Some("known".to_owned()),
        false => report.remark_on(problem),
    };
    let remark = remark.map(|remark| format!(" ({})", escape(&remark))).unwrap_or_default();
    let mut seen: Vec<&TrialResult> =
        problem.evidence.iter().filter_map(|evidence| report.results.get(evidence.result)).collect();
    seen.dedup_by_key(|result| (&result.case, &result.profile, &result.binding));
    // The worst is read first.
    let open = if index == 0 { " open" } else { "" };
    let mut out = format!(
        "<details id=\"problem-{index}\"{}{open}>\n<summary>{} <b>{}</b>{remark}: <code>{}</code></summary>\n",
        data(&seen),
        badge(problem.verdict.name()),
        escape(&result.case),
        escape(&one_line(&problem.message)),
    );
    let read = heading.url().map(|url| format!(" <a href=\"{}\">Specification</a>", escape(url))).unwrap_or_default();
    out.push_str(&format!("<p>{}{read}</p>\n", escape(&format!("{heading}: {}", one_line(heading.text)))));
    let info = report.cases.iter().find(|case| case.id == result.case);
    if let Some(CaseInfo { why, .. }) = info {
        out.push_str(&format!("<p>{}</p>\n", escape(why)));
    }
    if is_whole {
        out.push_str(&format!("<pre tabindex=\"0\">{}</pre>\n", escape(&evidence::of_problem(report, problem, WIDTH))));
        conversation(&mut out, shown, result);
    }
    command(&mut out, report, result);
    if is_whole {
        issue(&mut out, report, problem);
    }
    let cited = [finding.exchange, finding.against].into_iter().flatten();
    let cited: Vec<String> = cited.filter_map(|number| shown.link_to_exchange(number)).collect();
    if !cited.is_empty() {
        out.push_str(&format!("<p>Exchanges: {}</p>\n", cited.join(", ")));
    }
    out.push_str(&format!("<p>Seen in {}.</p>\n", links(shown, seen.into_iter())));
    let others = problem.other_requirements.iter().filter_map(|index| report.requirements.get(*index));
    let others: Vec<String> = others.map(|other| link("requirement", &other.id)).collect();
    if !others.is_empty() {
        out.push_str(&format!("<p>Violates {}, too.</p>\n", others.join(", ")));
    }
    out.push_str("</details>\n");
    out
}

/// The steps of a case, folded, each with a link to its exchange.
fn conversation(out: &mut String, shown: &Shown<'_>, result: &TrialResult) {
    if result.steps.is_empty() {
        return;
    }
    let left_out = match result.steps_left_out {
        0 => String::new(),
        more => format!(", and {more} left out in the middle"),
    };
    out.push_str(&format!(
        "<details>\n<summary>Conversation: {}{left_out}</summary>\n<ol>\n",
        count(result.steps.len(), "step")
    ));
    for step in &result.steps {
        let exchange = shown.link_to_exchange(step.exchange).map(|link| format!(" ({link})")).unwrap_or_default();
        let (sent, received) = (escape(&one_line(&step.sent)), escape(&one_line(&step.received)));
        out.push_str(&format!("<li><code>{sent}</code> &rarr; <code>{received}</code>{exchange}</li>\n"));
    }
    out.push_str("</ol>\n</details>\n");
}

/// The command that runs the case again, to be copied.
fn command(out: &mut String, report: &Report, result: &TrialResult) {
    let info = report.cases.iter().find(|case| case.id == result.case);
    if let Some(rerun) = info.and_then(|case| case.rerun_of(result)) {
        let command = escape(&one_line(&rerun.command));
        out.push_str(&format!("<pre class=\"bytes whole\" data-copy=\"the command\">{command}</pre>\n"));
    }
}

/// A text for an issue of the agent's developers, to be copied.
fn issue(out: &mut String, report: &Report, problem: &Problem) {
    out.push_str(&format!(
        "<details>\n<summary>As an issue</summary>\n<pre class=\"bytes\" data-copy=\"the issue\">{}</pre>\n</details>\n",
        escape(&markdown::issue(report, problem))
    ));
}
