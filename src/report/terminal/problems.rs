//! What is wrong: every problem once, under the requirement that it breaks, worst first.

use std::collections::BTreeSet;

use super::super::evidence::{self, Told};
use super::super::model::Report;
use super::super::problems::{BELOW, Evidence, Heading, OF_WHAT_IS_BELOW, Problem};
use super::super::style::{self, FAINT, STRONG, paint};
use super::{Detail, case_name};
use crate::diagnostic::words::{one_line, wrap};

/// Most names in a row of names.
const MOST_NAMES: usize = 6;

pub(super) fn render(report: &Report, detail: Detail, width: usize) -> String {
    // A problem without a requirement stands for itself.
    let is_one = |a: &Problem, b: &Problem| {
        let is_same = a.verdict == b.verdict && a.requirement == b.requirement;
        is_same && (a.requirement.is_some() || a.shown_in() == b.shown_in())
    };
    // Those that are known are counted at the end.
    let shown: Vec<Problem> = report.new_problems().cloned().collect();
    let blocks = |of: &[Problem]| {
        let blocks = of.chunk_by(is_one).map(|group| block(report, group, detail, width));
        blocks.collect::<Vec<_>>().join("\n")
    };
    let (own, below) = shown.split_at(shown.partition_point(|problem| problem.layer.is_agent()));
    if below.is_empty() {
        return blocks(own);
    }
    let gap = if own.is_empty() { "" } else { "\n" };
    let mut out = format!("{}{gap}{}\n", blocks(own), paint(STRONG, BELOW));
    for line in wrap(OF_WHAT_IS_BELOW, width - 2) {
        out.push_str(&format!("  {line}\n"));
    }
    format!("{out}\n{}", blocks(below))
}

/// One requirement with its problems, those of one trial together.
fn block(report: &Report, group: &[Problem], detail: Detail, width: usize) -> String {
    let Some(first) = group.first() else { return String::new() };
    let mut out = heading(report, first, width);
    for same in group.chunk_by(|a, b| a.shown_in() == b.shown_in()) {
        let Some(result) = same.first().and_then(Problem::shown_in).and_then(|index| report.results.get(index)) else {
            continue;
        };
        let told: Vec<Told<'_>> = same.iter().filter_map(|problem| tell(report, problem, detail)).collect();
        out.push('\n');
        out.push_str(&evidence::of_trial(report, result, &told, width));
        if detail == Detail::All {
            same.iter().for_each(|problem| out.push_str(&others(report, problem, width)));
        }
    }
    out
}

fn heading(report: &Report, problem: &Problem, width: usize) -> String {
    let name = problem.verdict.name().to_uppercase();
    let heading = problem.heading(report);
    let title = heading.map(|heading| heading.to_string()).unwrap_or_default();
    let text = heading.map_or("", |heading| heading.text);
    let mut out = format!("{} {}\n", paint(style::of(problem.verdict), &name), paint(STRONG, title));
    for line in wrap(&one_line(text), width - 5) {
        out.push_str(&format!("     {line}\n"));
    }
    if let Some(url) = heading.as_ref().and_then(Heading::url) {
        out.push_str(&format!("     {}\n", paint(FAINT, url)));
    }
    out
}

/// What shows a problem beside its first finding: the other findings of each result.
fn others(report: &Report, problem: &Problem, width: usize) -> String {
    let mut out = String::new();
    let mut further: Vec<Evidence> = problem.evidence.iter().skip(1).copied().collect();
    further.sort_unstable();
    for of_one in further.chunk_by(|one, next| one.result == next.result) {
        let Some(result) = of_one.first().and_then(|first| report.results.get(first.result)) else { continue };
        let findings = of_one.iter().filter_map(|evidence| evidence.of(&report.results));
        let told: Vec<Told<'_>> = findings.map(|finding| Told { finding, headline: None, rows: Vec::new() }).collect();
        out.push('\n');
        out.push_str(&evidence::of_trial(report, result, &told, width));
    }
    out
}

/// A problem with where else it shows.
fn tell<'a>(report: &'a Report, problem: &'a Problem, detail: Detail) -> Option<Told<'a>> {
    let main = problem.evidence.first()?;
    let here = problem.evidence.iter().skip(1).filter(|evidence| evidence.result == main.result);
    let here: Vec<String> = here
        .filter_map(|evidence| {
            let other = evidence.of(&report.results)?;
            let event = other.event.map(|event| format!("event {}", event + 1));
            let parts = [event, other.pointer.clone(), other.exchange.map(|id| format!("(exchange {id})"))];
            let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
            (!parts.is_empty()).then(|| parts.join(" "))
        })
        .collect();
    let others: BTreeSet<usize> =
        problem.evidence.iter().map(|evidence| evidence.result).filter(|result| *result != main.result).collect();
    let others: Vec<String> =
        others.into_iter().filter_map(|index| Some(case_name(report, report.results.get(index)?))).collect();
    let requirements = problem.other_requirements.iter().filter_map(|index| report.requirements.get(*index));
    let requirements: Vec<String> = requirements.map(|requirement| Heading::from(requirement).to_string()).collect();
    let mut rows = Vec::new();
    for (label, names) in [("also at", here), ("also in", others), ("also", requirements)] {
        if !names.is_empty() {
            rows.push((label, some(&names, detail.most(MOST_NAMES))));
        }
    }
    rows.extend(report.remark_on(problem).map(|remark| ("gate", remark)));
    Some(Told { finding: main.of(&report.results)?, headline: Some(&problem.message), rows })
}

/// The first few names, and how many more there are.
pub(super) fn some(names: &[String], most: usize) -> String {
    // One name takes no more room than the words that would stand for it.
    if names.len() <= most.saturating_add(1) {
        return names.join(", ");
    }
    let shown: Vec<&str> = names.iter().take(most).map(String::as_str).collect();
    format!("{} and {} more", shown.join(", "), names.len() - most)
}
