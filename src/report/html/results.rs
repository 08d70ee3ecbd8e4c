//! The results, a row for each, and those of cases that were not tested, by reason.

use std::collections::{BTreeMap, BTreeSet};

use super::super::model::Report;
use super::super::natural;
use super::super::reasons::by_reason;
use super::shown::Shown;
use crate::clock;
use crate::diagnostic::words::{count, duration, one_line};
use crate::page::{attributes, badge, brief_badge, brief_row, escape, table_of_facts};
use crate::verdict::{TrialResult, Verdict};

pub(super) fn untested(out: &mut String, shown: &Shown<'_>) {
    let report = shown.report;
    out.push_str("<section>\n<h2 id=\"untested\">Not tested</h2>\n");
    let mut is_all = true;
    for (verdict, what) in [
        (Verdict::Broken, "the connection or the suite itself failed"),
        (Verdict::Unreached, report.unreached()),
        (
            Verdict::Skipped,
            if report.target.client.is_some() { "does not apply" } else { "does not apply to this agent" },
        ),
    ] {
        for group in by_reason(report, verdict) {
            is_all = false;
            out.push_str(&format!(
                "<details>\n<summary>{} {}: {} ({what})</summary>\n<p>{}</p>\n</details>\n",
                badge(verdict.name()),
                count(group.results.len(), "case"),
                escape(&group.text()),
                links(shown, group.results.iter().copied())
            ));
        }
    }
    if is_all {
        out.push_str("<p>Everything that applies was.</p>\n");
    }
    out.push_str("</section>\n");
}

pub(super) fn render(out: &mut String, shown: &Shown<'_>) {
    out.push_str("<section>\n<h2 id=\"results\">Results</h2>\n");
    table_of_facts(out, &["verdict", "case", "version", "binding", "level", "time", "what it checks"], |out| {
        shown.results().for_each(|index| out.push_str(&row(shown.report, index)));
    });
    out.push_str(&shown.results_left_out());
    out.push_str("</section>\n");
}

/// The row of a result.
pub(super) fn row(report: &Report, index: usize) -> String {
    let Some(result) = report.results.get(index) else { return String::new() };
    let TrialResult { case, title, profile, binding, level, verdict, reason, findings, times, .. } = result;
    let said = findings.iter().map(|finding| finding.headline());
    let said =
        said.chain(report.remark(index)).chain(result.told_again()).chain(reason.as_ref().map(ToString::to_string));
    let said: String = said.map(|said| format!("<br>{}", escape(&one_line(&said)))).collect();
    let took = times.map(|times| duration(clock::milliseconds(times.duration_ms)));
    let cells = [
        brief_badge(verdict.name()),
        escape(case),
        escape(profile),
        escape(binding),
        level.to_string(),
        // Number and unit stay on one line.
        escape(&took.unwrap_or_default()).replace(' ', "\u{a0}"),
        format!("{}{said}", escape(title)),
    ];
    brief_row(&place(index), &cells)
}

/// The name of its place in the page.
fn place(index: usize) -> String {
    format!("r{index}")
}

/// Links to the rows of results: what is over one binding in one version is named together.
pub(super) fn links<'r>(shown: &Shown<'_>, results: impl Iterator<Item = &'r TrialResult>) -> String {
    let mut groups: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for result in results {
        let name = escape(&result.case);
        let link = match shown.place_of(result) {
            Some(index) => format!("<a href=\"#{}\">{name}</a>", place(index)),
            None => name,
        };
        groups.entry((&result.profile, &result.binding)).or_default().push(link);
    }
    let mut groups: Vec<((&str, &str), Vec<String>)> = groups.into_iter().collect();
    groups.sort_by(|((a, _), _), ((b, _), _)| natural::compare(a, b));
    let told = |((version, binding), links): ((&str, &str), Vec<String>)| {
        format!("{} over {} in {}", links.join(", "), escape(binding), escape(version))
    };
    groups.into_iter().map(told).collect::<Vec<_>>().join("; ")
}

/// By what the evidence of these results can be found.
pub(super) fn data(results: &[&TrialResult]) -> String {
    let all = |of: fn(&TrialResult) -> String| {
        results.iter().map(|result| of(result)).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join("|")
    };
    attributes(&[
        ("version", &all(|result| result.profile.clone())),
        ("binding", &all(|result| result.binding.clone())),
        ("level", &all(|result| result.level.to_string())),
        ("verdict", &all(|result| result.verdict.name().to_owned())),
        ("area", &all(|result| result.area().to_owned())),
    ])
}
