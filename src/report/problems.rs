//! From findings to problems: one cause is told once, under the requirement that its evidence violates.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;

use super::model::{Report, RequirementResult};
use super::{headline, rank};
use crate::case::SectionLink;
use crate::finding::{Finding, Kind};
use crate::verdict::{Layer, Level, TrialResult, Verdict};

/// One cause, with everything that shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// That of its findings: equal from run to run.
    pub fingerprint: String,
    /// What was wrong, by name.
    pub kind: String,
    /// The worst verdict of the results that show it.
    pub verdict: Verdict,
    /// What was wrong, in one line.
    pub message: String,
    /// The requirement under which it is told: an index into the report's requirements.
    pub requirement: Option<usize>,
    /// What of the agent that is about.
    #[serde(skip_serializing_if = "Layer::is_agent")]
    pub layer: Layer,
    /// The others that the evidence violates.
    pub other_requirements: BTreeSet<usize>,
    /// Where it shows; the first is told in full.
    pub evidence: Vec<Evidence>,
}

/// What the problems of the HTTP server stand under.
pub(in crate::report) const BELOW: &str = "The HTTP server below the agent";
/// What that means for whoever reads it.
pub(in crate::report) const OF_WHAT_IS_BELOW: &str =
    "A2A does not demand this, and clients of A2A seldom meet it. It does not fail the default gate.";

/// Where a problem shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Evidence {
    /// An index into the report's results.
    pub result: usize,
    /// An index into the findings of that result.
    pub finding: usize,
}

impl Problem {
    /// How many results show it.
    pub fn results(&self) -> usize {
        self.evidence.iter().map(|evidence| evidence.result).collect::<BTreeSet<_>>().len()
    }

    /// The result whose evidence is shown: an index into the report's results.
    pub fn shown_in(&self) -> Option<usize> {
        self.evidence.first().map(|evidence| evidence.result)
    }

    /// The result and the finding that are shown.
    pub fn shown<'a>(&self, report: &'a Report) -> Option<(&'a TrialResult, &'a Finding)> {
        let evidence = self.evidence.first()?;
        Some((report.results.get(evidence.result)?, evidence.of(&report.results)?))
    }

    /// What it stands under: its requirement, or the case that shows it where that stands for none.
    pub fn heading<'a>(&self, report: &'a Report) -> Option<Heading<'a>> {
        if let Some(requirement) = self.requirement.and_then(|index| report.requirements.get(index)) {
            return Some(Heading::from(requirement));
        }
        let (result, _) = self.shown(report)?;
        let TrialResult { case, level, section, title, .. } = result;
        Some(Heading { id: case, level: *level, section, links: &[], text: title })
    }
}

/// What problems stand under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heading<'a> {
    /// A requirement, or a case.
    pub id: &'a str,
    /// Its level.
    pub level: Level,
    /// The sections that it is from, with commas.
    pub section: &'a str,
    /// Where these are published.
    pub links: &'a [SectionLink],
    /// What it says.
    pub text: &'a str,
}

impl<'a> From<&'a RequirementResult> for Heading<'a> {
    fn from(RequirementResult { id, level, section, links, text, .. }: &'a RequirementResult) -> Self {
        Self { id, level: *level, section, links, text }
    }
}

impl Heading<'_> {
    /// Where the first of its sections can be read.
    pub fn url(&self) -> Option<&str> {
        self.links.first().map(|link| link.url.as_str())
    }
}

impl fmt::Display for Heading<'_> {
    /// `1.0-3.1.3-2 (MUST, section 3.1.3)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if self.section.contains(',') { "sections" } else { "section" };
        write!(f, "{} ({}, {noun} {})", self.id, self.level, self.section)
    }
}

impl Report {
    /// The problems that no list of known failures has, worst first.
    pub fn new_problems(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(|problem| !self.knows(problem))
    }
}

impl Evidence {
    /// The finding.
    pub fn of(self, results: &[TrialResult]) -> Option<&Finding> {
        results.get(self.result)?.findings.get(self.finding)
    }
}

/// The problems that results show, worst first and then in the order of the requirements; those without a requirement last. What is
/// below the agent comes after all that is its own.
pub(in crate::report) fn find(results: &[TrialResult], requirements: &[RequirementResult]) -> Vec<Problem> {
    let mut found: Vec<Problem> = Vec::new();
    // A cause that violates a MUST here and a SHOULD there is one, and so it is where nothing demands anything. What is flaky is told
    // apart.
    let mut known: BTreeMap<(Verdict, String), usize> = BTreeMap::new();
    for (result, of) in results.iter().enumerate().filter(|(_, result)| result.verdict >= Verdict::Note) {
        for (finding, what) in of.findings.iter().enumerate() {
            let fingerprint = what.problem();
            let at = *known.entry((told_as(of.verdict), fingerprint.clone())).or_insert(found.len());
            if at == found.len() {
                found.push(Problem {
                    fingerprint,
                    kind: what.kind.name(),
                    verdict: of.verdict,
                    message: String::new(),
                    requirement: None,
                    layer: Layer::Agent,
                    other_requirements: BTreeSet::new(),
                    evidence: Vec::new(),
                });
            }
            if let Some(problem) = found.get_mut(at) {
                problem.evidence.push(Evidence { result, finding });
            }
        }
    }
    tell_failures_once(results, &mut found);
    for problem in &mut found {
        // What shows it at its worst is shown, and says how bad it is.
        let verdict = |evidence: &Evidence| results.get(evidence.result).map(|result| result.verdict);
        problem.verdict = problem.evidence.iter().filter_map(verdict).max().unwrap_or(problem.verdict);
        assign(results, requirements, problem);
        if let Some(shown) = problem.evidence.first().and_then(|evidence| evidence.of(results)) {
            problem.kind = shown.kind.name();
        }
    }
    rank::sort(results, &mut found);
    headline::write(results, &mut found);
    found
}

/// Moves what is wrong in the form of an answer to the problem that it is no answer: one fix is enough for both. What is no answer
/// of the binding at all needs no such exchange of its own: it follows where any over its interface shows it.
fn tell_failures_once(results: &[TrialResult], found: &mut Vec<Problem>) {
    let mut failures: BTreeMap<u64, usize> = BTreeMap::new();
    let mut unreadable: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (index, problem) in found.iter().enumerate() {
        for evidence in &problem.evidence {
            let Some((result, finding)) = results.get(evidence.result).zip(evidence.of(results)) else { continue };
            if finding.kind.is_no_answer() {
                failures.extend(finding.exchange.map(|exchange| (exchange, index)));
                unreadable.entry((&result.profile, &result.binding)).or_insert(index);
            }
        }
    }
    let follows_from = |problem: &Problem| {
        let all: Option<Vec<usize>> = problem
            .evidence
            .iter()
            .map(|evidence| {
                let (result, finding) = results.get(evidence.result).zip(evidence.of(results))?;
                if finding.kind == Kind::NoResponseObject {
                    return unreadable.get(&(result.profile.as_str(), result.binding.as_str())).copied();
                }
                failures.get(&finding.exchange.filter(|_| finding.kind.is_about_form())?).copied()
            })
            .collect();
        all?.into_iter().next()
    };
    let told = |index: usize| found.get(index).map(|problem| told_as(problem.verdict));
    let moved: Vec<(usize, usize)> = found
        .iter()
        .enumerate()
        .filter_map(|(index, problem)| Some((index, follows_from(problem)?)))
        .filter(|(from, to)| told(*from) == told(*to))
        .collect();
    for (from, to) in &moved {
        let evidence = found.get_mut(*from).map(|problem| std::mem::take(&mut problem.evidence)).unwrap_or_default();
        if let Some(problem) = found.get_mut(*to) {
            problem.evidence.extend(evidence);
        }
    }
    found.retain(|problem| !problem.evidence.is_empty());
}

/// The verdict that readers are told apart by: who repairs what fails repairs with it what is only noted, and what is flaky is for others.
fn told_as(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Flaky => Verdict::Flaky,
        _ => Verdict::Warn,
    }
}

/// Chooses, of the requirements that the evidence at its worst violates, the strongest; of several, the one that most of all
/// evidence violates: in which order it was seen does not matter. What violates it at its worst is shown first: other evidence
/// would say nothing about what it stands under.
fn assign(results: &[TrialResult], requirements: &[RequirementResult], problem: &mut Problem) {
    let violates = |evidence: &Evidence, requirement: &RequirementResult| {
        let Some((result, finding)) = results.get(evidence.result).zip(evidence.of(results)) else { return false };
        requirement.profile == result.profile
            && result.requirements.contains(&requirement.id)
            && requirement.checks.iter().any(|check| check.is_violated_by(&result.case, &finding.assertion))
    };
    let is_worst =
        |evidence: &Evidence| results.get(evidence.result).is_some_and(|result| result.verdict == problem.verdict);
    // What follows from something else says less about it than that does.
    let is_root = |evidence: &Evidence| {
        evidence.of(results).is_some_and(|finding| finding.cause.is_none() && finding.problem() == problem.fingerprint)
    };
    let is_root_worst = problem.evidence.iter().any(|evidence| is_worst(evidence) && is_root(evidence));
    let tells = |evidence: &Evidence| is_worst(evidence) && (is_root(evidence) || !is_root_worst);
    let mut votes: BTreeMap<usize, usize> = BTreeMap::new();
    let mut worst: BTreeSet<usize> = BTreeSet::new();
    for evidence in &problem.evidence {
        for (index, _) in requirements.iter().enumerate().filter(|(_, requirement)| violates(evidence, requirement)) {
            *votes.entry(index).or_default() += 1;
            worst.extend(tells(evidence).then_some(index));
        }
    }
    let chosen = votes
        .iter()
        .filter(|(index, _)| worst.contains(index))
        .filter_map(|(index, votes)| {
            let requirement = requirements.get(*index)?;
            Some((requirement.layer, requirement.level, Reverse(*votes), *index))
        })
        .min()
        .map(|(.., index)| index);
    let requirement = chosen.and_then(|index| requirements.get(index));
    let mut evidence = problem.evidence.clone();
    evidence.sort_by_cached_key(|evidence| {
        (!is_worst(evidence), !tells(evidence), !requirement.is_some_and(|requirement| violates(evidence, requirement)))
    });
    problem.requirement = chosen;
    problem.layer = requirement.map(|requirement| requirement.layer).unwrap_or_default();
    problem.other_requirements = votes.into_keys().filter(|index| Some(*index) != chosen).collect();
    problem.evidence = evidence;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::CheckRef;
    use crate::finding::NO_ANSWER;
    use crate::report::sample;

    fn left(task: &str) -> Finding {
        Finding::new(Kind::TerminalStateLeft { task: task.to_owned(), state: "TASK_STATE_FAILED".to_owned() })
    }

    fn shows(case: &str, binding: &str, requirements: &[&str], findings: Vec<Finding>) -> TrialResult {
        TrialResult {
            violated: findings.iter().map(|finding| finding.assertion.clone()).collect(),
            case: case.to_owned(),
            binding: binding.to_owned(),
            requirements: requirements.iter().map(|id| (*id).to_owned()).collect(),
            verdict: Verdict::Fail,
            findings,
            ..sample::stream().results[0].clone()
        }
    }

    fn requirement(id: &str, level: Level) -> RequirementResult {
        let checks = ["a/one", "a/two", "a/three"].map(CheckRef::whole).to_vec();
        RequirementResult { id: id.to_owned(), level, checks, ..sample::stream().requirements[0].clone() }
    }

    #[test]
    fn one_cause_is_one_problem_over_cases_and_bindings() {
        let results = [
            shows("a/one", "jsonrpc", &["r-1"], vec![left("t-1"), left("t-2")]),
            shows("a/two", "grpc", &["r-1"], vec![left("t-3"), Finding::new(Kind::StreamsDiffer)]),
        ];
        let problems = find(&results, &[requirement("r-1", Level::Must)]);
        let kinds: Vec<(&str, usize)> =
            problems.iter().map(|problem| (problem.kind.as_str(), problem.evidence.len())).collect();
        assert_eq!(kinds, [("terminal-state-left", 3), ("streams-differ", 1)]);
        assert_eq!(problems[0].evidence[2].of(&results), results[1].findings.first());
    }

    /// Who is told of a MUST is told of the SHOULD with it, and of what is only noted. What is flaky is for other readers.
    #[test]
    fn one_cause_is_one_problem_at_its_worst() {
        let case = |name: &str, verdict: Verdict| TrialResult {
            verdict,
            ..shows(name, "jsonrpc", &["r-1"], vec![left(name)])
        };
        let results = [
            case("a/one", Verdict::Warn),
            case("a/two", Verdict::Fail),
            case("a/three", Verdict::Note),
            case("a/one", Verdict::Flaky),
        ];
        let problems = find(&results, &[requirement("r-1", Level::Must)]);
        let told: Vec<_> = problems.iter().map(|it| (it.verdict, it.shown_in(), it.results())).collect();
        assert_eq!(told, [(Verdict::Fail, Some(1), 3), (Verdict::Flaky, Some(3), 1)]);
    }

    /// A page instead of an answer has the form of a page: who fixes the failure has fixed that.
    #[test]
    fn the_form_of_a_failure_is_told_with_the_failure() {
        let failed = |exchange| {
            let kind = Kind::FailedInstead { received: format!("HTTP 500{NO_ANSWER}") };
            Finding::new(kind).in_exchange(exchange)
        };
        let undeclared = |exchange| Finding::new(Kind::JsonUndeclared).in_exchange(exchange);
        let told = |form: Vec<Finding>, verdict| {
            let envelope = TrialResult { verdict, ..shows("a/three", "jsonrpc", &["r-1"], form) };
            let one = shows("a/one", "jsonrpc", &["r-1"], vec![failed(7)]);
            let results = [one, shows("a/two", "jsonrpc", &["r-1"], vec![failed(8)]), envelope];
            let problems = find(&results, &[requirement("r-1", Level::Must)]);
            problems.iter().map(|problem| (problem.kind.clone(), problem.evidence.len())).collect::<Vec<_>>()
        };
        assert_eq!(told(vec![undeclared(7), undeclared(8)], Verdict::Warn), [("failed-instead".to_owned(), 4)]);
        // What has the wrong form beside it is a cause of its own.
        assert_eq!(
            told(vec![undeclared(7), undeclared(9)], Verdict::Fail),
            [("failed-instead".to_owned(), 2), ("json-undeclared".to_owned(), 2)]
        );
        assert_eq!(told(vec![undeclared(7)], Verdict::Note), [("failed-instead".to_owned(), 3)]);
        // A failure that nothing forbids has a form that something does.
        let noted = TrialResult { verdict: Verdict::Note, ..shows("a/one", "jsonrpc", &[], vec![failed(7)]) };
        let results = [noted, shows("a/two", "jsonrpc", &["r-1"], vec![undeclared(7)])];
        let problems = find(&results, &[requirement("r-1", Level::Must)]);
        let [only] = problems.as_slice() else { panic!("{problems:#?}") };
        assert_eq!((only.verdict, only.shown_in(), only.requirement), (Verdict::Fail, Some(1), Some(0)));
        // Where both fail, the failure is shown: its form says less of what to repair.
        let envelope = shows("a/two", "jsonrpc", &["r-2"], vec![undeclared(7)]);
        let results = [envelope, shows("a/one", "jsonrpc", &["r-1"], vec![failed(7)])];
        let problems = find(&results, &["r-1", "r-2"].map(|id| requirement(id, Level::Must)));
        let [only] = problems.as_slice() else { panic!("{problems:#?}") };
        assert_eq!((only.shown_in(), only.requirement), (Some(1), Some(0)));
        // What is no answer at all is so whichever request shows it.
        let formless = Finding::new(Kind::NoResponseObject).in_exchange(9);
        assert_eq!(told(vec![formless], Verdict::Fail), [("failed-instead".to_owned(), 3)]);
    }

    /// Which agent answers first is chance; what a problem stands under, and what shows it, is not.
    #[test]
    fn the_requirement_does_not_depend_on_what_was_seen_first() {
        let one = shows("a/one", "jsonrpc", &["r-1"], vec![left("t-1")]);
        let two = shows("a/two", "jsonrpc", &["r-2"], vec![left("t-2")]);
        let three = shows("a/three", "grpc", &["r-2", "r-3"], vec![left("t-3")]);
        let requirements = ["r-1", "r-2", "r-3"].map(|id| requirement(id, Level::Must));
        for results in [[one.clone(), two.clone(), three.clone()], [three, two, one]] {
            let problems = find(&results, &requirements);
            let [only] = problems.as_slice() else { panic!("{problems:#?}") };
            assert_eq!(only.requirement, Some(1));
            assert_eq!(only.other_requirements, BTreeSet::from([0, 2]));
            let shown = only.shown_in().and_then(|index| results.get(index));
            assert!(shown.is_some_and(|result| result.requirements.contains(&"r-2".to_owned())));
        }
    }

    #[test]
    fn what_is_below_the_agent_comes_last_and_only_where_nothing_of_the_agent_is_violated() {
        let of_server = |id: &str| RequirementResult { layer: Layer::HttpServer, ..requirement(id, Level::Must) };
        let mut results = [
            shows("a/one", "jsonrpc", &["r-1"], vec![left("t-1")]),
            shows("a/two", "jsonrpc", &["r-1", "r-2"], vec![Finding::new(Kind::StreamsDiffer)]),
            shows("a/three", "jsonrpc", &["r-3"], vec![Finding::new(Kind::FinalMissing)]),
        ];
        results.iter_mut().for_each(|result| result.verdict = Verdict::Warn);
        results[2].verdict = Verdict::Note;
        let requirements = [of_server("r-1"), requirement("r-2", Level::Should), requirement("r-3", Level::May)];
        let problems = find(&results, &requirements);
        let told: Vec<_> = problems.iter().map(|problem| (problem.requirement, problem.layer)).collect();
        assert_eq!(told, [(Some(1), Layer::Agent), (Some(2), Layer::Agent), (Some(0), Layer::HttpServer)]);
    }

    #[test]
    fn the_worst_come_first() {
        let mut results = [
            shows("a/one", "jsonrpc", &["r-1"], vec![left("t-1")]),
            shows("a/two", "jsonrpc", &["r-2"], vec![Finding::new(Kind::StreamsDiffer)]),
            shows("a/three", "jsonrpc", &[], vec![Finding::new(Kind::FinalMissing)]),
        ];
        results[0].verdict = Verdict::Warn;
        let problems = find(&results, &[requirement("r-1", Level::Should), requirement("r-2", Level::Must)]);
        let kinds: Vec<&str> = problems.iter().map(|problem| problem.kind.as_str()).collect();
        assert_eq!(kinds, ["streams-differ", "final-missing", "terminal-state-left"]);
    }
}
