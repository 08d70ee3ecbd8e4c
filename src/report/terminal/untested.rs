//! What was not tested, and why: not reached, broken, skipped. What follows from a root cause is counted there.

use std::collections::BTreeSet;

use super::super::model::Report;
use super::super::reasons::{Group, by_reason};
use super::super::style::{self, FAINT, paint};
use super::{Detail, case_name};
use crate::diagnostic::words::{count, one_line, shorten, wrap};
use crate::verdict::{TrialResult, Verdict};

/// Most reasons for which cases were skipped, on the short page.
const MOST_SKIPPED: usize = 3;

pub(super) fn render(report: &Report, detail: Detail, width: usize) -> String {
    let parts = [unreached(report, detail, width), broken(report, detail, width), skipped(report, detail, width)];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

fn heading(verdict: Verdict, name: &str, number: usize, meaning: &str, width: usize) -> String {
    let indent = name.len() + 1;
    let lines = wrap(&format!("{}{meaning}", count(number, "case")), width.saturating_sub(indent));
    format!("{} {}\n", paint(style::of(verdict), name), lines.join(&format!("\n{:indent$}", "")))
}

fn total(groups: &[Group<'_>]) -> usize {
    groups.iter().map(|group| group.results.len()).sum()
}

fn unreached(report: &Report, detail: Detail, width: usize) -> String {
    let groups = by_reason(report, Verdict::Unreached);
    if groups.is_empty() {
        return String::new();
    }
    let whose = match (report.target.client.is_some(), total(&groups)) {
        (true, _) => "",
        (false, 1) => " that it tests",
        (false, _) => " that they test",
    };
    let meaning = format!(": {}{whose}", report.unreached());
    let mut out = heading(Verdict::Unreached, "UNREACHED", total(&groups), &meaning, width);
    out.push_str(&rows(report, &groups, detail, width));
    out
}

fn broken(report: &Report, detail: Detail, width: usize) -> String {
    let groups = by_reason(report, Verdict::Broken);
    if groups.is_empty() {
        return String::new();
    }
    let meaning = ": the connection or the suite itself failed, which tells nothing of the agent";
    let mut out = heading(Verdict::Broken, "BROKEN", total(&groups), meaning, width);
    for group in &groups {
        out.push_str(&rows(report, std::slice::from_ref(group), detail, width));
        let messages: BTreeSet<String> = group
            .results
            .iter()
            .flat_map(|result| &result.findings)
            .map(|finding| one_line(&finding.headline()))
            .collect();
        for message in messages {
            out.push_str(&format!("    {message}\n"));
        }
        let rerun = group
            .results
            .first()
            .and_then(|result| report.cases.iter().find(|case| case.id == result.case))
            .and_then(|case| case.rerun.first());
        if let Some(rerun) = rerun {
            out.push_str(&format!("    {} {}\n", paint(FAINT, "rerun:"), rerun.command));
        }
    }
    out
}

fn skipped(report: &Report, detail: Detail, width: usize) -> String {
    let groups = by_reason(report, Verdict::Skipped);
    if groups.is_empty() {
        return String::new();
    }
    let mut out = heading(Verdict::Skipped, "SKIPPED", total(&groups), "", width);
    let most = detail.most(MOST_SKIPPED);
    // One more line takes no more room than the line that counts it.
    let shown = if groups.len() <= most.saturating_add(1) { groups.len() } else { most };
    let (first, others) = groups.split_at(shown);
    out.push_str(&rows(report, first, Detail::Best, width));
    if !others.is_empty() {
        let others = format!("{} for {}", count(total(others), "case"), count(others.len(), "other reason"));
        out.push_str(&format!("  {}\n", paint(FAINT, others)));
    }
    out
}

/// A reason on one line; what to do about it on another, where one has no room for both.
fn in_short(reason: &str, columns: usize) -> Vec<String> {
    match reason.split_once("; ") {
        Some((what, help)) if reason.chars().count() > columns => {
            vec![shorten(what, columns), shorten(help, columns)]
        }
        _ => vec![shorten(reason, columns)],
    }
}

/// The reasons, each on one line behind the number of its cases; with the names of the cases where everything is told.
fn rows(report: &Report, groups: &[Group<'_>], detail: Detail, width: usize) -> String {
    let counts: Vec<String> = groups.iter().map(|group| count(group.results.len(), "case")).collect();
    let columns = counts.iter().map(String::len).max().unwrap_or_default();
    let mut out = String::new();
    for (group, number) in groups.iter().zip(&counts) {
        let reason = match detail {
            Detail::Best => in_short(&group.text(), width - columns - 4),
            Detail::All => wrap(&group.text(), width - columns - 4),
        };
        for (index, line) in reason.into_iter().enumerate() {
            let number = if index == 0 { number.as_str() } else { "" };
            out.push_str(&format!("  {number:>columns$}  {line}\n"));
        }
        if detail == Detail::All {
            let names: Vec<String> =
                group.results.iter().map(|result: &&TrialResult| case_name(report, result)).collect();
            for line in wrap(&names.join(", "), width - columns - 4) {
                out.push_str(&format!("  {:columns$}  {}\n", "", paint(FAINT, line)));
            }
        }
    }
    out
}
