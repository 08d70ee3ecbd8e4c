//! The headlines of problems: no two of a report are equal.
//!
//! A finding names the operation, what the agent did, and what was expected. Where that leaves open which request shows it, the rule
//! of its case follows. Problems that still read alike get what tells them apart: where it is, over which interface, in which case.

use std::collections::BTreeMap;

use super::problems::{Evidence, Problem};
use crate::finding::{Finding, Kind, NAMED};
use crate::verdict::{TrialResult, Verdict};

/// What tells a problem from others that read alike.
type Detail = fn(&Problem, &TrialResult, &Finding) -> String;

/// In the order in which they are tried.
const DETAILS: [Detail; 7] = [
    |problem, _, _| if problem.verdict == Verdict::Flaky { "flaky".to_owned() } else { String::new() },
    |_, result, _| result.title.clone(),
    |_, _, finding| finding.input.clone().unwrap_or_default(),
    |_, _, finding| place(finding),
    |_, result, _| format!("{} in {}", result.binding, result.profile),
    |_, result, finding| format!("{}#{}", result.case, finding.assertion),
    |problem, _, _| problem.fingerprint.clone(),
];

/// Gives every problem its headline.
pub(super) fn write(results: &[TrialResult], problems: &mut [Problem]) {
    for problem in problems.iter_mut() {
        if let Some((result, finding)) = shown(results, problem) {
            problem.message = of(result, finding);
        }
    }
    let mut kept: Vec<String> = problems.iter().map(|problem| without_values(&problem.message)).collect();
    for detail in DETAILS {
        tell_apart(results, problems, &mut kept, detail);
    }
}

/// The headline of one finding.
fn of(result: &TrialResult, finding: &Finding) -> String {
    let headline = finding.headline();
    match leaves_input_open(finding) && !result.title.is_empty() {
        true => format!("{headline} ({})", result.title),
        false => headline,
    }
}

/// Whether a finding is about a kind of request that it does not describe.
fn leaves_input_open(finding: &Finding) -> bool {
    let is_about_a_request = matches!(
        finding.kind,
        Kind::RequestServed { .. }
            | Kind::WrongError { .. }
            | Kind::FailedInstead { .. }
            | Kind::WrongAnswer { .. }
            | Kind::Connection { .. }
            | Kind::NoAnswer
            | Kind::RequestUnanswered
            | Kind::ConnectionClosed
            | Kind::AnswerNoHttp
    );
    let is_described = matches!(finding.kind, Kind::RequestServed { .. })
        && finding.input.as_deref().is_some_and(|input| !input.starts_with(NAMED));
    is_about_a_request && !is_described
}

/// Adds a detail to the headlines that several problems have, where it differs among them. `kept` has what tells readers something of
/// each headline.
fn tell_apart(results: &[TrialResult], problems: &mut [Problem], kept: &mut [String], detail: Detail) {
    let mut alike: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, headline) in kept.iter().enumerate() {
        alike.entry(headline.clone()).or_default().push(index);
    }
    for indexes in alike.into_values().filter(|indexes| indexes.len() > 1) {
        let detail_of = |index: &usize| {
            let problem = problems.get(*index)?;
            let (result, finding) = shown(results, problem)?;
            Some(detail(problem, result, finding))
        };
        let details: Vec<String> = indexes.iter().map(|index| detail_of(index).unwrap_or_default()).collect();
        if details.iter().all(|detail| Some(detail) == details.first()) {
            continue;
        }
        for (index, detail) in indexes.into_iter().zip(details) {
            let Some(problem) = problems.get_mut(index) else { continue };
            if !detail.is_empty() && !problem.message.contains(&detail) {
                problem.message.push_str(&format!(" ({detail})"));
                // The number in a detail, such as a version, is the same in every run.
                kept.get_mut(index).into_iter().for_each(|kept| kept.push_str(&detail));
            }
        }
    }
}

/// A headline without the values that differ from run to run, such as ids: they tell readers nothing apart.
fn without_values(message: &str) -> String {
    let mut quoted = false;
    let mut kept = String::new();
    for (at, c) in message.char_indices() {
        quoted ^= c == '"';
        // A value that was cut has no quote at its end.
        quoted &= !message.get(at..).is_some_and(|rest| rest.starts_with(" ..."));
        if !quoted && !c.is_ascii_digit() {
            kept.push(c);
        }
    }
    kept
}

fn place(finding: &Finding) -> String {
    let event = finding.event.map(|event| format!("event {}", event + 1));
    let pointer = finding.pointer.clone().filter(|pointer| !pointer.is_empty()).map(|pointer| format!("at {pointer}"));
    [event, pointer].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn shown<'a>(results: &'a [TrialResult], problem: &Problem) -> Option<(&'a TrialResult, &'a Finding)> {
    let Evidence { result, .. } = problem.evidence.first()?;
    Some((results.get(*result)?, problem.evidence.first()?.of(results)?))
}

#[cfg(test)]
mod tests {
    use super::super::problems::find;
    use super::super::sample;
    use super::*;

    fn shows(case: &str, finding: Finding) -> TrialResult {
        TrialResult {
            case: case.to_owned(),
            title: format!("{case} is refused"),
            verdict: Verdict::Fail,
            findings: vec![finding],
            ..sample::stream().results[0].clone()
        }
    }

    fn headlines(results: &[TrialResult]) -> Vec<String> {
        find(results, &[]).into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn versions_tell_problems_apart() {
        let of = |version: &str| TrialResult {
            profile: version.to_owned(),
            ..shows("version/spoken", Finding::new(Kind::VersionUnknown { claimed: version.to_owned() }))
        };
        let told = headlines(&["1.0", "0.3"].map(of));
        let has_version = |headline: &String| headline.ends_with("in 1.0)") || headline.ends_with("in 0.3)");
        assert!(told.len() == 2 && told.iter().all(has_version), "{told:?}");
    }

    #[test]
    fn requests_that_nothing_else_describes_are_told_apart_by_their_rule() {
        let served = |input: &str| Finding {
            input: Some(input.to_owned()),
            operation: Some("GetTask".to_owned()),
            ..Finding::new(Kind::RequestServed { expected: "an error".to_owned() }).compare("an error", "a result")
        };
        let results = ["a/one", "a/two"].map(|case| shows(case, served(&format!("{NAMED}{case}"))));
        let told = headlines(&results);
        assert_eq!(
            told,
            [
                "GetTask accepts a request that it must refuse, expected an error (a/one is refused)",
                "GetTask accepts a request that it must refuse, expected an error (a/two is refused)",
            ]
        );
        assert_eq!(
            headlines(&[shows("a/one", served("ListTasks with a wrong `status`"))]),
            ["the agent serves ListTasks with a wrong `status`, expected an error"]
        );
    }

    /// A cut text has one quote: what follows it still tells two headlines apart.
    #[test]
    fn what_follows_a_cut_value_is_compared() {
        let told = |expected: &str| {
            without_values(&format!("CancelTask answers with an error (-32000) \"no such ta ..., expected {expected}"))
        };
        assert_ne!(told("TaskNotFoundError"), told("TaskNotCancelableError"));
        assert_eq!(told("-32001"), told("-32002"));
    }

    #[test]
    fn what_reads_alike_gets_its_place() {
        let untyped = |pointer: &str| Finding::new(Kind::DetailMisshaped { member: "m".to_owned() }).at(1, pointer);
        let differ = |pointer: &str| Finding::new(Kind::ErrorWithoutMessage).at(1, pointer);
        let results = [
            shows("a/one", differ("/error/message")),
            TrialResult { findings: vec![differ("/other/text")], ..shows("a/one", untyped("/x")) },
        ];
        let told = headlines(&results);
        assert_eq!(told.len(), 2);
        assert!(told.iter().all(|message| message.contains("(at /")), "{told:?}");
    }
}
