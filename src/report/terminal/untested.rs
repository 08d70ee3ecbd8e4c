//! What was not tested, and why: not reached, broken, skipped.

use std::collections::BTreeSet;

use super::super::model::Report;
use super::super::reasons::by_reason;
use super::super::style::{self, FAINT, paint};
use super::problems::some;
use super::{Detail, case_name};
use crate::diagnostic::words::{count, one_line, wrap};
use crate::verdict::{TrialResult, Verdict};

/// Most names of cases for one reason.
const MOST_NAMES: usize = 12;

pub(super) fn render(report: &Report, detail: Detail, width: usize) -> String {
    let most = detail.most(MOST_NAMES);
    let parts = [unreached(report, most, width), broken(report, most, width), skipped(report, width)];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

fn heading(verdict: Verdict, name: &str, number: usize, meaning: &str, width: usize) -> String {
    let indent = name.len() + 1;
    let lines = wrap(&format!("{}{meaning}", count(number, "case")), width.saturating_sub(indent));
    format!("{} {}\n", paint(style::of(verdict), name), lines.join(&format!("\n{:indent$}", "")))
}

fn total(groups: &[(String, Vec<&TrialResult>)]) -> usize {
    groups.iter().map(|(_, results)| results.len()).sum()
}

fn unreached(report: &Report, most: usize, width: usize) -> String {
    let groups = by_reason(report, Verdict::Unreached);
    if groups.is_empty() {
        return String::new();
    }
    let whose = if total(&groups) == 1 { "it tests" } else { "they test" };
    let meaning = format!(": the agent could not be brought into the state that {whose}");
    let mut out = heading(Verdict::Unreached, "UNREACHED", total(&groups), &meaning, width);
    for (reason, results) in &groups {
        reason_and_cases(&mut out, report, reason, results, most, width);
    }
    out
}

fn broken(report: &Report, most: usize, width: usize) -> String {
    let groups = by_reason(report, Verdict::Broken);
    if groups.is_empty() {
        return String::new();
    }
    let meaning = ": the connection or the suite itself failed, which tells nothing of the agent";
    let mut out = heading(Verdict::Broken, "BROKEN", total(&groups), meaning, width);
    for (reason, results) in &groups {
        reason_and_cases(&mut out, report, reason, results, most, width);
        let messages: BTreeSet<String> =
            results.iter().flat_map(|result| &result.findings).map(|finding| one_line(&finding.headline())).collect();
        for message in messages {
            out.push_str(&format!("    {message}\n"));
        }
        let rerun = results
            .first()
            .and_then(|result| report.cases.iter().find(|case| case.id == result.case))
            .and_then(|case| case.rerun.first());
        if let Some(rerun) = rerun {
            out.push_str(&format!("    {} {}\n", paint(FAINT, "rerun:"), rerun.command));
        }
    }
    out
}

fn reason_and_cases(
    out: &mut String,
    report: &Report,
    reason: &str,
    results: &[&TrialResult],
    most: usize,
    width: usize,
) {
    for line in wrap(&format!("{reason} ({})", count(results.len(), "case")), width - 2) {
        out.push_str(&format!("  {line}\n"));
    }
    let names: Vec<String> = results.iter().map(|result| case_name(report, result)).collect();
    for line in wrap(&some(&names, most), width - 4) {
        out.push_str(&format!("    {}\n", paint(FAINT, line)));
    }
}

fn skipped(report: &Report, width: usize) -> String {
    let groups = by_reason(report, Verdict::Skipped);
    if groups.is_empty() {
        return String::new();
    }
    let mut out = heading(Verdict::Skipped, "SKIPPED", total(&groups), "", width);
    let counts: Vec<String> = groups.iter().map(|(_, results)| count(results.len(), "case")).collect();
    let columns = counts.iter().map(String::len).max().unwrap_or_default();
    for ((reason, _), number) in groups.iter().zip(&counts) {
        for (index, line) in wrap(reason, width - columns - 4).into_iter().enumerate() {
            let number = if index == 0 { number.as_str() } else { "" };
            out.push_str(&format!("  {number:>columns$}  {line}\n"));
        }
    }
    out
}
