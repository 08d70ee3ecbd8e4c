//! The set of requirements by which the gate decides (`--requirements`): what came later is reported, and does not fail the gate.
//!
//! A result counts by the requirements of which the set has the case. Where it has none of them, the whole result does not count.

use std::collections::BTreeMap;

use serde::Serialize;

use super::model::{Counts, Report};
use super::problems::Problem;
use crate::case::{CheckRef, Library, RequirementSet};
use crate::diagnostic::words::count_as;
use crate::verdict::{Level, TrialResult, Verdict};

/// The set, and what came later.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SetInfo {
    /// Its name, such as `2026-12`.
    pub name: String,
    /// The results that count otherwise than they came out, by their index.
    pub later: BTreeMap<usize, Later>,
}

/// A result of which the set has less than there is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Later {
    /// The set that has all of it.
    pub since: String,
    /// What it counts as: `skipped` where the set has nothing of it.
    pub counts_as: Verdict,
}

/// A requirement that a result is about.
struct Rule<'a> {
    /// The set that added the case to it, where that is a later one.
    later: Option<&'a str>,
    /// The level of the verdict where it is violated.
    weight: Level,
    /// What decides it.
    checks: Vec<&'a CheckRef>,
}

/// What a result counts as by a set, where that is another verdict than its own.
fn counted(result: &TrialResult, rules: &[Rule<'_>]) -> Option<Later> {
    let since = rules.iter().filter_map(|rule| rule.later).max()?.to_owned();
    let counting = || rules.iter().filter(|rule| rule.later.is_none());
    let Some(of_case) = counting().map(|rule| rule.weight).min() else {
        return (result.verdict != Verdict::Skipped).then_some(Later { since, counts_as: Verdict::Skipped });
    };
    let is_wrong = result.verdict.is_violation() || result.verdict == Verdict::Flaky;
    if !is_wrong {
        return None;
    }
    let level = |assertion: &String| {
        let decides = |rule: &&Rule<'_>| rule.checks.iter().any(|check| check.is_violated_by(&result.case, assertion));
        match rules.iter().any(|rule| decides(&rule)) {
            true => counting().filter(decides).map(|rule| rule.weight).min(),
            // Whatever decides no requirement is demanded as strongly as the case.
            false => Some(of_case),
        }
    };
    let level = match result.violated.is_empty() {
        true => Some(of_case),
        false => result.violated.iter().filter_map(level).min(),
    };
    let counts_as = match level {
        None => Verdict::Pass,
        Some(_) if result.verdict == Verdict::Flaky => Verdict::Flaky,
        Some(level) => Verdict::broken_at(level),
    };
    (counts_as != result.verdict).then_some(Later { since, counts_as })
}

/// What a result counts as while the run goes on, where there is no report yet.
pub(crate) fn counts_as(result: &TrialResult, set: &RequirementSet, library: &Library) -> Verdict {
    let rule = |id: &String| {
        let requirement = library.requirement(id)?;
        let checks = requirement.checks_of(&result.case).collect();
        Some(Rule { later: set.later(id, &result.case), weight: requirement.weight(), checks })
    };
    let rules: Vec<Rule<'_>> = result.requirements.iter().filter_map(rule).collect();
    counted(result, &rules).map_or(result.verdict, |later| later.counts_as)
}

impl Report {
    /// Lets only count what a set has.
    pub(crate) fn hold_to(&mut self, set: &RequirementSet) {
        let known: BTreeMap<(&str, &str), _> =
            self.requirements.iter().map(|rule| ((rule.profile.as_str(), rule.id.as_str()), rule)).collect();
        let later = |result: &TrialResult| {
            let rule = |id: &String| {
                let requirement = known.get(&(result.profile.as_str(), id.as_str()))?;
                let checks = requirement.checks.iter().filter(|check| check.case == result.case).collect();
                Some(Rule { later: set.later(id, &result.case), weight: requirement.weight(), checks })
            };
            counted(result, &result.requirements.iter().filter_map(rule).collect::<Vec<_>>())
        };
        let results = self.results.iter().enumerate();
        let later = results.filter_map(|(index, result)| Some((index, later(result)?))).collect();
        self.requirement_set = Some(SetInfo { name: set.name.clone(), later });
    }

    /// What a result counts as for the gate, by its index; nothing where there is none.
    pub(crate) fn counts_as(&self, index: usize) -> Option<Verdict> {
        let later = self.requirement_set.as_ref().and_then(|set| set.later.get(&index));
        later.map(|later| later.counts_as).or_else(|| Some(self.results.get(index)?.verdict))
    }

    /// Every result with what it counts as for the gate.
    pub(super) fn counted(&self) -> impl Iterator<Item = (usize, &TrialResult, Verdict)> {
        let results = self.results.iter().enumerate();
        results.map(|(index, result)| (index, result, self.counts_as(index).unwrap_or(result.verdict)))
    }

    /// Among the cases that count: how many were tested, and how many apply.
    pub(super) fn tested(&self) -> (usize, usize) {
        let mut counts = Counts::default();
        match self.requirement_set {
            Some(_) => self.counted().for_each(|(.., verdict)| counts.count(verdict)),
            None => return (self.summary.sum(Counts::tested), self.summary.sum(|it| it.total() - it.skipped)),
        }
        (counts.tested(), counts.total() - counts.skipped)
    }

    /// The worst that a problem counts as, of what no list of known failures has.
    pub(super) fn problem_counts_as(&self, problem: &Problem) -> Verdict {
        let new =
            problem.evidence.iter().map(|evidence| evidence.result).filter(|result| self.known(*result).is_none());
        new.filter_map(|result| self.counts_as(result)).max().unwrap_or(Verdict::Pass)
    }

    /// What is to be said beside a result that counts less than it came out, by its index.
    pub(super) fn remark(&self, index: usize) -> Option<String> {
        let set = self.requirement_set.as_ref()?;
        let (result, counts_as) = (self.results.get(index)?, set.later.get(&index)?.counts_as);
        remark(&set.name, result.verdict, counts_as)
    }

    /// The same of a problem.
    pub(super) fn remark_on(&self, problem: &Problem) -> Option<String> {
        let set = self.requirement_set.as_ref()?;
        let is_later = |result: usize| set.later.contains_key(&result);
        let is_some_later = problem.evidence.iter().any(|evidence| is_later(evidence.result));
        (is_some_later && !self.knows(problem)).then_some(())?;
        remark(&set.name, problem.verdict, self.problem_counts_as(problem))
    }

    /// Which requirements count, in a sentence; nothing where all do.
    pub(super) fn of_set(&self) -> Option<String> {
        let set = self.requirement_set.as_ref()?;
        let newer = set.later.len();
        let newer =
            if newer == 0 { String::new() } else { format!("; {} newer", count_as(newer, "result is", "results are")) };
        Some(format!("The gate counts the requirements of the set {}{newer}", set.name))
    }

    /// How many problems do not count, in a sentence; nothing where all do.
    pub(super) fn out_of_set(&self) -> Option<String> {
        let set = self.requirement_set.as_ref()?;
        let is_out =
            |problem: &&Problem| self.remark_on(problem).is_some() && !self.problem_counts_as(problem).is_violation();
        match self.problems.iter().filter(is_out).count() {
            0 => None,
            1 => Some(format!("1 problem is not in the set {} and does not count", set.name)),
            more => Some(format!("{more} problems are not in the set {} and do not count", set.name)),
        }
    }
}

fn remark(set: &str, verdict: Verdict, counts_as: Verdict) -> Option<String> {
    match counts_as {
        _ if counts_as == verdict
            || !(verdict.is_violation() || matches!(verdict, Verdict::Flaky | Verdict::Broken)) =>
        {
            None
        }
        Verdict::Fail | Verdict::Warn | Verdict::Note | Verdict::Flaky => {
            Some(format!("counts as `{}` in the set {set}", counts_as.name()))
        }
        _ => Some(format!("not in the set {set}: does not count")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::baseline::Baseline;
    use super::super::conclusion::conclude;
    use super::super::gate::{FailOn, Gate, Threshold};
    use super::super::model::{RequirementResult, Summary};
    use super::super::{problems, sample};
    use super::*;
    use crate::case::Source;
    use crate::finding::{Finding, Kind};
    use crate::profile::{self, Profile};

    const CATALOGUE: &str = r#"
catalogue: "1.0"
title: A2A 1.0
source: none
requirements:
  - { id: 1.0-1-1, section: "1", level: MUST, text: old and strong, cases: [get/a, get/b, get/e#refused] }
  - { id: 1.0-1-2, section: "1", level: SHOULD, text: old and weak, cases: [get/d#error, get/e#error] }
  - { id: 1.0-2-1, section: "2", level: MUST, text: new, cases: [get/b, get/c, get/d#refused] }
"#;

    const OLDER: &str = "set: '2026-12'\nadds: { 1.0-1-1: MUST get/a get/b get/e, 1.0-1-2: SHOULD get/d get/e }\n";
    const NEWER: &str = "set: '2027-03'\nadds: { 1.0-2-1: MUST get/b get/c get/d }\n";

    /// A library with two sets. `get/c` is a new case, and `get/d` an old one that now checks something new, too.
    fn library() -> Library {
        let case = |id: &str| {
            format!(
                "  - id: {id}\n    title: t\n    why: w\n    right: r\n    wrong: w\n    fix: f\n    \
                 steps: [{{ call: GetTask, with: {{ id: \"${{unknown-id}}\" }}, expect: {{ outcome: [TaskNotFoundError] }} }}]\n"
            )
        };
        let cases = ["get/a", "get/b", "get/c", "get/d", "get/e"].map(case).concat();
        let source = |file: &str, text: &str| Source { file: file.to_owned(), text: text.to_owned() };
        let texts = vec![
            source("x/get/get.yaml", &format!("cases:\n{cases}")),
            source("x/requirements/1.0.yaml", CATALOGUE),
            source("x/sets/2026-12.yaml", OLDER),
            source("x/sets/2027-03.yaml", NEWER),
        ];
        let profiles = profile::bundled().unwrap();
        let known: Vec<&Profile> = profiles.iter().map(AsRef::as_ref).collect();
        Library::read(texts, &known, &[]).unwrap()
    }

    fn set(date: &str) -> RequirementSet {
        library().sets().unwrap().at(date).unwrap()
    }

    /// A report with one result for each of these: case, verdict, requirements, violated assertions.
    fn report(results: &[(&str, Verdict, &[&str], &[&str])]) -> Report {
        let (full, library) = (sample::full(), library());
        let result = |(case, verdict, requirements, violated): &(&str, Verdict, &[&str], &[&str])| {
            let name = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
            let finding = |name: &&str| Finding {
                assertion: (*name).to_owned(),
                ..Finding::new(Kind::Value { place: (*name).into(), condition: (*case).into() })
            };
            TrialResult {
                case: (*case).to_owned(),
                verdict: *verdict,
                requirements: name(requirements),
                violated: name(violated),
                findings: violated.iter().map(finding).collect(),
                ..full.results[0].clone()
            }
        };
        let results: Vec<TrialResult> = results.iter().map(result).collect();
        let rule = |id: &&str| {
            let rule = library.requirement(id).unwrap();
            RequirementResult {
                id: (*id).to_owned(),
                level: rule.level,
                checks: rule.cases.iter().map(|check| check.value.clone()).collect(),
                ..full.requirements[0].clone()
            }
        };
        let requirements: Vec<RequirementResult> = ["1.0-1-1", "1.0-1-2", "1.0-2-1"].iter().map(rule).collect();
        let problems = problems::find(&results, &requirements);
        let summary = Summary::of(&results);
        Report {
            results,
            requirements,
            problems,
            summary,
            stopped: None,
            target: sample::interrupted().target,
            root_causes: Vec::new(),
            ..full
        }
    }

    const OLD: &[&str] = &["1.0-1-1"];
    const BOTH: &[&str] = &["1.0-1-1", "1.0-2-1"];
    const NEW: &[&str] = &["1.0-2-1"];
    const WEAK: &[&str] = &["1.0-1-2", "1.0-2-1"];

    #[test]
    fn only_what_a_set_has_fails_a_gate() {
        use Verdict::{Broken, Fail, Flaky, Pass, Skipped, Unreached, Warn};
        for (case, verdict, requirements, violated, counts_as) in [
            ("get/a", Fail, OLD, &["error"][..], Fail),
            ("get/a", Pass, OLD, &[], Pass),
            // An old requirement demands the same.
            ("get/b", Fail, BOTH, &["error"], Fail),
            // The case is new.
            ("get/c", Fail, NEW, &["error"], Skipped),
            ("get/c", Broken, NEW, &[], Skipped),
            ("get/c", Unreached, NEW, &[], Skipped),
            ("get/c", Pass, NEW, &[], Skipped),
            // What it violates is new, and so is its level.
            ("get/d", Fail, WEAK, &["refused"], Pass),
            ("get/d", Fail, WEAK, &["refused", "error"], Warn),
            ("get/d", Fail, WEAK, &["of no requirement"], Warn),
            ("get/d", Flaky, WEAK, &["refused"], Pass),
            ("get/d", Flaky, WEAK, &["error"], Flaky),
            ("get/d", Broken, WEAK, &[], Broken),
            // A user's own.
            ("own/case", Fail, &["own-own/case"], &["error"], Fail),
        ] {
            let mut report = report(&[(case, verdict, requirements, violated)]);
            report.hold_to(&set("2026-12"));
            assert_eq!(report.counts_as(0), Some(counts_as), "{case} {verdict:?} {violated:?}");
            let early = super::counts_as(&report.results[0], &set("2026-12"), &library());
            assert_eq!(early, counts_as, "{case} {verdict:?} {violated:?}, during the run");
            report.hold_to(&set("2027-03"));
            assert_eq!(report.counts_as(0), Some(verdict), "{case} {verdict:?} {violated:?}");
        }
        assert_eq!(report(&[]).counts_as(0), None);
    }

    #[test]
    fn a_gate_passes_what_came_later() {
        use Verdict::{Broken, Fail, Pass, Unreached, Warn};
        let gate = |results: &[(&str, Verdict, &[&str], &[&str])], date: &str, fail_on: FailOn| {
            let mut report = report(results);
            report.hold_to(&set(date));
            report.gate(fail_on)
        };
        let new: [(&str, Verdict, &[&str], &[&str]); 2] = [("get/a", Pass, OLD, &[]), ("get/c", Fail, NEW, &["error"])];
        assert_eq!(gate(&new, "2026-12", FailOn::Must), Gate::Passes);
        assert_eq!(gate(&new, "2027-03", FailOn::Must), Gate::Fails);
        let weak: [(&str, Verdict, &[&str], &[&str]); 1] = [("get/d", Fail, WEAK, &["refused", "error"])];
        assert_eq!(gate(&weak, "2026-12", FailOn::Must), Gate::Passes);
        assert_eq!(gate(&weak, "2026-12", FailOn::Should), Gate::Fails);
        let broken: [(&str, Verdict, &[&str], &[&str]); 2] = [("get/a", Pass, OLD, &[]), ("get/c", Broken, NEW, &[])];
        assert_eq!(gate(&broken, "2026-12", FailOn::Must), Gate::Passes);
        assert_eq!(gate(&broken, "2027-03", FailOn::Must), Gate::Broken);
        let own: [(&str, Verdict, &[&str], &[&str]); 1] = [("own/case", Warn, &["own-own/case"], &["error"])];
        assert_eq!(gate(&own, "2026-12", FailOn::Should), Gate::Fails);
        // How much must be tested is said of the cases of the set.
        for (date, expected) in [("2026-12", Gate::Passes), ("2027-03", Gate::Fails)] {
            let mut report = report(&[("get/a", Pass, OLD, &[]), ("get/c", Unreached, NEW, &[])]);
            report.hold_to(&set(date));
            let threshold = Threshold { min_tested: "100%".parse().ok(), ..FailOn::Must.into() };
            assert_eq!(report.gate(threshold), expected, "{date}");
        }
    }

    #[test]
    fn a_report_names_what_does_not_count() {
        use Verdict::{Fail, Pass};
        let mut report = report(&[
            ("get/a", Pass, OLD, &[]),
            ("get/c", Fail, NEW, &["error"]),
            ("get/d", Fail, WEAK, &["refused", "error"]),
        ]);
        let remarks = |report: &Report| -> Vec<Option<String>> {
            report.problems.iter().map(|problem| report.remark_on(problem)).collect()
        };
        assert_eq!(remarks(&report), [const { None }; 3]);
        report.hold_to(&set("2026-12"));
        let out = Some("not in the set 2026-12: does not count".to_owned());
        let less = Some("counts as `warn` in the set 2026-12".to_owned());
        let told = remarks(&report);
        assert!(told.contains(&out) && told.contains(&less), "{told:?}");
        assert_eq!([report.remark(0), report.remark(1), report.remark(2)], [None, out, less]);
        assert_eq!(
            report.of_set().unwrap(),
            "The gate counts the requirements of the set 2026-12; 2 results are newer"
        );
        assert!(conclude(&report).1.ends_with("; 1 problem is not in the set 2026-12 and does not count"));
        // What does not count is not written to a list of known failures, which it would only make longer.
        assert!(Baseline::of(&report, FailOn::Must, &Baseline::default()).known.is_empty());
        report.hold_to(&set("2027-03"));
        assert_eq!(remarks(&report), [const { None }; 3]);
        assert_eq!(Baseline::of(&report, FailOn::Must, &Baseline::default()).known.len(), 2);
        assert_eq!(report.of_set().unwrap(), "The gate counts the requirements of the set 2027-03");
        assert_eq!(report.out_of_set(), None);
    }
}
