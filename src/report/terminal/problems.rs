//! What is wrong: every finding once, under the requirement that it breaks, worst first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::super::evidence::{self, Told};
use super::super::model::{Report, RequirementResult};
use super::super::style::{self, STRONG, paint};
use super::case_name;
use crate::diagnostic::words::{one_line, wrap};
use crate::finding::Finding;
use crate::verdict::{TrialResult, Verdict};

/// Most names in a row of names.
const MOST_NAMES: usize = 6;

/// One finding, wherever it was made.
struct Problem {
    verdict: Verdict,
    /// Results, by index, with what each found; the first is told in full.
    places: Vec<(usize, Finding)>,
    /// The requirement under which it is told, by index.
    rule: Option<usize>,
    /// The others that it bears on.
    other_rules: BTreeSet<usize>,
}

/// What makes two findings the same: verdict, message, kind of place, expectation, and the error that came instead.
type Likeness = (Verdict, String, Option<String>, Option<String>, Option<String>);

pub(super) fn render(report: &Report, width: usize) -> String {
    // Requirements are in order; results without one come last, each for itself.
    let mut groups: BTreeMap<(Reverse<Verdict>, usize, usize), Vec<Problem>> = BTreeMap::new();
    for problem in problems(report) {
        let first = problem.places.first().map_or(0, |(result, _)| *result);
        let place = problem.rule.map_or((usize::MAX, first), |rule| (rule, 0));
        groups.entry((Reverse(problem.verdict), place.0, place.1)).or_default().push(problem);
    }
    let blocks: Vec<String> = groups.values_mut().map(|group| block(report, group, width)).collect();
    blocks.join("\n")
}

/// Every problem, in the order in which the results show them.
fn problems(report: &Report) -> Vec<Problem> {
    let mut found: Vec<Problem> = Vec::new();
    let mut known: BTreeMap<Likeness, usize> = BTreeMap::new();
    for (index, result) in report.results.iter().enumerate() {
        if result.verdict < Verdict::Note {
            continue;
        }
        for finding in findings(result) {
            let likeness = (
                result.verdict,
                finding.message.clone(),
                finding.pointer.as_deref().map(kind_of_place),
                finding.expected.clone(),
                error_that_came(&finding),
            );
            let at = *known.entry(likeness).or_insert(found.len());
            match found.get_mut(at) {
                Some(problem) => problem.places.push((index, finding)),
                None => found.push(Problem {
                    verdict: result.verdict,
                    places: vec![(index, finding)],
                    rule: None,
                    other_rules: BTreeSet::new(),
                }),
            }
        }
    }
    for problem in &mut found {
        assign_rules(report, problem);
    }
    found
}

/// The findings of a result; a failure without one is told by its reason or title, so that none is lost.
fn findings(result: &TrialResult) -> Vec<Finding> {
    if result.findings.is_empty() {
        return vec![Finding::new(result.reason.as_ref().unwrap_or(&result.title))];
    }
    result.findings.clone()
}

/// The error of a finding about an error code: an agent that refuses two requests by two errors has two problems.
fn error_that_came(finding: &Finding) -> Option<String> {
    let is_about_a_code = finding.pointer.as_deref().is_some_and(|pointer| pointer.ends_with("/code"));
    let actual = finding.actual.as_deref().filter(|_| is_about_a_code)?;
    Some(actual.split(')').next().unwrap_or(actual).to_owned())
}

/// The last two names of a pointer: the same mistake in every item of a list, or in the same member of a thing that
/// comes alone here and in a list there, is one mistake.
fn kind_of_place(pointer: &str) -> String {
    let is_index = |token: &&str| !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit());
    let names: Vec<&str> = pointer.split('/').filter(|token| !is_index(token)).collect();
    names.get(names.len().saturating_sub(2)..).unwrap_or_default().join("/")
}

/// Chooses, of the requirements of the cases, the strongest; of several, the one that most of the cases check.
fn assign_rules(report: &Report, problem: &mut Problem) {
    let mut votes: BTreeMap<usize, usize> = BTreeMap::new();
    for result in problem.places.iter().filter_map(|(index, _)| report.results.get(*index)) {
        for (rule, requirement) in report.requirements.iter().enumerate() {
            if requirement.profile == result.profile && result.requirements.contains(&requirement.id) {
                *votes.entry(rule).or_default() += 1;
            }
        }
    }
    problem.rule = votes
        .iter()
        .filter_map(|(rule, votes)| Some((report.requirements.get(*rule)?.level, Reverse(*votes), *rule)))
        .min()
        .map(|(_, _, rule)| rule);
    problem.other_rules = votes.into_keys().filter(|rule| Some(*rule) != problem.rule).collect();
}

/// One requirement with its problems, those of one trial together.
fn block(report: &Report, group: &mut [Problem], width: usize) -> String {
    let Some(first) = group.first() else { return String::new() };
    let mut out = heading(report, first, width);
    group.sort_by_key(|problem| problem.places.first().map(|(result, _)| *result));
    for same in group.chunk_by(|a, b| main_result(a) == main_result(b)) {
        let Some(result) = same.first().and_then(main_result).and_then(|index| report.results.get(index)) else {
            continue;
        };
        let told: Vec<Told<'_>> = same.iter().filter_map(|problem| tell(report, problem)).collect();
        out.push('\n');
        out.push_str(&evidence::of_trial(report, result, &told, width));
    }
    out
}

fn main_result(problem: &Problem) -> Option<usize> {
    problem.places.first().map(|(result, _)| *result)
}

fn heading(report: &Report, problem: &Problem, width: usize) -> String {
    let name = problem.verdict.name().to_uppercase();
    let rule = problem.rule.and_then(|rule| report.requirements.get(rule));
    let result = main_result(problem).and_then(|index| report.results.get(index));
    let (title, text) = match (rule, result) {
        (Some(rule), _) => (rule_name(rule), rule.text.as_str()),
        (None, Some(result)) => {
            (format!("{} ({}, section {})", result.case, result.level, result.section), result.title.as_str())
        }
        (None, None) => (String::new(), ""),
    };
    let mut out = format!("{} {}\n", paint(style::of(problem.verdict), &name), paint(STRONG, title));
    for line in wrap(&one_line(text), width - 5) {
        out.push_str(&format!("     {line}\n"));
    }
    out
}

fn rule_name(rule: &RequirementResult) -> String {
    let noun = if rule.section.contains(',') { "sections" } else { "section" };
    format!("{} ({}, {noun} {})", rule.id, rule.level, rule.section)
}

/// A problem with where else it shows.
fn tell<'a>(report: &Report, problem: &'a Problem) -> Option<Told<'a>> {
    let (main, finding) = problem.places.first()?;
    let here = problem.places.iter().skip(1).filter(|(result, _)| result == main);
    let here: Vec<String> = here
        .filter_map(|(_, other)| {
            let event = other.event.map(|event| format!("event {}", event + 1));
            let parts = [event, other.pointer.clone(), other.exchange.map(|id| format!("(exchange {id})"))];
            let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
            (!parts.is_empty()).then(|| parts.join(" "))
        })
        .collect();
    let others: BTreeSet<usize> =
        problem.places.iter().map(|(result, _)| *result).filter(|result| result != main).collect();
    let others: Vec<String> =
        others.into_iter().filter_map(|index| Some(case_name(report, report.results.get(index)?))).collect();
    let rules: Vec<String> =
        problem.other_rules.iter().filter_map(|rule| report.requirements.get(*rule)).map(rule_name).collect();
    let mut rows = Vec::new();
    for (label, names) in [("also at", here), ("also in", others), ("also rule", rules)] {
        if !names.is_empty() {
            rows.push((label, some(&names, MOST_NAMES)));
        }
    }
    Some(Told { finding, rows })
}

/// The first few names, and how many more there are.
pub(super) fn some(names: &[String], most: usize) -> String {
    // One name takes no more room than the words that would stand for it.
    if names.len() <= most + 1 {
        return names.join(", ");
    }
    let shown: Vec<&str> = names.iter().take(most).map(String::as_str).collect();
    format!("{} and {} more", shown.join(", "), names.len() - most)
}
