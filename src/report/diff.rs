//! What has changed between two reports: which problems are new, which are fixed, and what is no longer tested.

mod read;
mod told;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

pub(crate) use read::Saved;
pub(crate) use told::{markdown, terminal};

use super::gate::FailOn;
use crate::verdict::{Level, Verdict};

/// What has changed from one report to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Diff {
    /// The report before.
    pub before: Run,
    /// The report after.
    pub after: Run,
    /// Problems that are only in the later one, and those that it has in more results.
    pub new: Vec<Change>,
    /// Problems that are only in the earlier one, where what showed them is still tested.
    pub fixed: Vec<Change>,
    /// What was tested before and is not any more, by the reason.
    pub no_longer_tested: Vec<Untested>,
    /// Results that are tested now and were not before.
    pub newly_tested: usize,
    /// Problems that are in both.
    pub remaining: usize,
}

/// One of the two.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Run {
    /// The file.
    pub file: String,
    /// When it began: RFC 3339.
    pub started: String,
    /// The agent's URL.
    pub url: String,
}

/// A problem that is new or fixed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Change {
    /// That of the problem.
    pub fingerprint: String,
    /// Its verdict.
    pub verdict: Verdict,
    /// What is wrong, or was.
    pub message: String,
    /// The requirement under which it is told.
    pub requirement: Option<Told>,
    /// The results that show it, or did: those that are new, where it was there in others.
    pub results: Vec<String>,
    /// Whether it was there before, in other results.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub has_spread: bool,
}

/// A requirement, as it is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Told {
    /// Its id.
    pub id: String,
    /// Its level.
    pub level: Level,
    /// What it says.
    pub text: String,
}

/// What was tested before and is not any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Untested {
    /// Why.
    pub reason: String,
    /// The results.
    pub results: Vec<String>,
}

impl Diff {
    /// Compares two reports, each with the name of its file.
    pub(crate) fn between(before: (&str, &Saved), after: (&str, &Saved)) -> Self {
        let (was, is) = (States::of(before.1), States::of(after.1));
        let known: BTreeMap<_, BTreeSet<String>> =
            before.1.problems.iter().map(|it| (key(it), shown(before.1, it))).collect();
        let still: BTreeSet<_> = after.1.problems.iter().map(key).collect();
        let mut new = Vec::new();
        let mut remaining = 0;
        for problem in &after.1.problems {
            let earlier = known.get(&key(problem));
            remaining += usize::from(earlier.is_some());
            // What was not tested before may have been so all the time.
            let is_new = |name: &String| earlier.is_none_or(|earlier| !earlier.contains(name) && was.is_tested(name));
            let results: Vec<String> = shown(after.1, problem).into_iter().filter(is_new).collect();
            if !results.is_empty() {
                new.push(change(after.1, problem, results, earlier.is_some()));
            }
        }
        let fixed = before.1.problems.iter().filter(|problem| !still.contains(&key(problem)));
        let fixed = fixed.filter_map(|problem| {
            let results: Vec<String> = shown(before.1, problem).into_iter().filter(|name| is.is_tested(name)).collect();
            (!results.is_empty()).then(|| change(before.1, problem, results, false))
        });
        Self {
            new,
            fixed: fixed.collect(),
            no_longer_tested: is.lost_since(&was),
            newly_tested: was.untested_but_in(&is),
            remaining,
            before: run(before),
            after: run(after),
        }
    }

    /// Whether something is new that fails a gate at this level.
    pub(crate) fn fails(&self, fail_on: FailOn) -> bool {
        self.new.iter().any(|change| fail_on.fails_at(change.verdict))
    }
}

fn run((file, saved): (&str, &Saved)) -> Run {
    Run { file: file.to_owned(), started: saved.started.clone(), url: saved.target.url.clone() }
}

fn key(problem: &read::Problem) -> (Verdict, &str) {
    (problem.verdict, &problem.fingerprint)
}

/// The results that show a problem.
fn shown(saved: &Saved, problem: &read::Problem) -> BTreeSet<String> {
    problem.evidence.iter().filter_map(|evidence| saved.results.get(evidence.result)).map(name).collect()
}

fn name(trial: &read::Trial) -> String {
    format!("{} ({} {})", trial.case, trial.profile, trial.binding)
}

fn change(saved: &Saved, problem: &read::Problem, results: Vec<String>, has_spread: bool) -> Change {
    let requirement = problem.requirement.and_then(|index| saved.requirements.get(index));
    Change {
        fingerprint: problem.fingerprint.clone(),
        verdict: problem.verdict,
        message: problem.message.clone(),
        requirement: requirement.map(|it| Told { id: it.id.clone(), level: it.level, text: it.text.clone() }),
        results,
        has_spread,
    }
}

/// How the results of a report came out, by their names.
struct States(BTreeMap<String, (Verdict, Option<String>)>);

impl States {
    fn of(saved: &Saved) -> Self {
        Self(saved.results.iter().map(|trial| (name(trial), (trial.verdict, trial.reason.clone()))).collect())
    }

    fn is_tested(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|(verdict, _)| is_tested(*verdict))
    }

    /// What was tested in an earlier report and is not here, by the reason; the commonest first.
    fn lost_since(&self, was: &Self) -> Vec<Untested> {
        let mut lost: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for name in was.0.keys().filter(|name| was.is_tested(name) && !self.is_tested(name)) {
            let reason = match self.0.get(name) {
                None => "not part of the later run".to_owned(),
                Some((verdict, None)) => verdict.name().to_owned(),
                Some((verdict, Some(reason))) => format!("{}: {reason}", verdict.name()),
            };
            lost.entry(reason).or_default().push(name.clone());
        }
        let mut lost: Vec<Untested> = lost.into_iter().map(|(reason, results)| Untested { reason, results }).collect();
        lost.sort_by_key(|it| std::cmp::Reverse(it.results.len()));
        lost
    }

    /// How many results were not tested here, and are there.
    fn untested_but_in(&self, is: &Self) -> usize {
        is.0.keys().filter(|name| is.is_tested(name) && !self.is_tested(name)).count()
    }
}

fn is_tested(verdict: Verdict) -> bool {
    !matches!(verdict, Verdict::Skipped | Verdict::Unreached | Verdict::Broken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Finding, Kind};
    use crate::reason::Reason;
    use crate::report::model::Report;
    use crate::report::{json, problems, sample};
    use crate::verdict::TrialResult;

    /// The report, read back, with problems as its results show them.
    fn saved(mut report: Report) -> Saved {
        report.problems = problems::find(&report.results, &report.requirements);
        Saved::read("report.json", &json::render(&report)).unwrap()
    }

    fn diff(before: Report, after: Report) -> Diff {
        Diff::between(("before.json", &saved(before)), ("after.json", &saved(after)))
    }

    fn with(change: impl Fn(&mut TrialResult)) -> Report {
        let mut report = sample::full();
        report.results.iter_mut().for_each(change);
        report
    }

    fn passes(result: &mut TrialResult) {
        (result.verdict, result.findings, result.reason) = (Verdict::Pass, Vec::new(), None);
        result.violated.clear();
    }

    fn messages(changes: &[Change]) -> Vec<&str> {
        changes.iter().map(|change| change.message.as_str()).collect()
    }

    #[test]
    fn nothing_has_changed() {
        let same = diff(sample::full(), sample::full());
        assert!(same.new.is_empty() && same.fixed.is_empty() && same.no_longer_tested.is_empty(), "{same:#?}");
        assert_eq!((same.newly_tested, same.remaining), (0, saved(sample::full()).problems.len()));
        assert!(!same.fails(FailOn::Should));
    }

    #[test]
    fn what_was_wrong_and_passes_is_fixed_and_the_other_way_round_is_new() {
        let fix = |result: &mut TrialResult| {
            if result.case == "list/page-size" {
                passes(result)
            }
        };
        let fixed = diff(sample::full(), with(fix));
        assert_eq!((messages(&fixed.fixed), fixed.new.len()), (vec!["`/pageSize` is missing"], 0));
        assert_eq!(fixed.fixed[0].results, ["list/page-size (1.0 jsonrpc)"]);
        let new = diff(with(fix), sample::full());
        assert_eq!((messages(&new.new), new.fixed.len()), (vec!["`/pageSize` is missing"], 0));
        assert!(new.fails(FailOn::Must) && !new.fails(FailOn::Never));
    }

    #[test]
    fn a_problem_that_shows_elsewhere_too_has_spread() {
        let fix = |result: &mut TrialResult| {
            if result.case == "get/unknown-id" {
                passes(result)
            }
        };
        let spread = diff(with(fix), sample::full());
        assert_eq!(spread.new.len(), 1, "{spread:#?}");
        assert!(spread.new[0].has_spread && spread.new[0].results == ["get/unknown-id (1.0 jsonrpc)"], "{spread:#?}");
    }

    #[test]
    fn another_mistake_of_the_same_case_is_new() {
        let other = |result: &mut TrialResult| {
            if result.case == "list/page-size" {
                result.findings = vec![Finding::new(Kind::StreamsDiffer)];
            }
        };
        let changed = diff(sample::full(), with(other));
        assert_eq!((changed.new.len(), messages(&changed.fixed)), (1, vec!["`/pageSize` is missing"]));
    }

    #[test]
    fn what_is_not_tested_is_not_fixed() {
        let lose = |result: &mut TrialResult| {
            if result.case == "list/page-size" {
                passes(result);
                (result.verdict, result.reason) = (Verdict::Unreached, Some(Reason::NotRun));
            }
        };
        let lost = diff(sample::full(), with(lose));
        assert!(lost.fixed.is_empty(), "{lost:#?}");
        assert_eq!(lost.no_longer_tested[0].results, ["list/page-size (1.0 jsonrpc)"]);
        let found = diff(with(lose), sample::full());
        assert_eq!(found.newly_tested, 1);
    }

    #[test]
    fn as_it_is_told() {
        let fix = |result: &mut TrialResult| {
            if result.case == "list/page-size" {
                passes(result)
            }
        };
        let break_it = |result: &mut TrialResult| {
            if result.case == "get/existing" {
                (result.verdict, result.findings) = (Verdict::Fail, vec![Finding::new(Kind::StreamsDiffer)]);
            }
        };
        let lose = |result: &mut TrialResult| {
            if result.case == "data/milliseconds" {
                passes(result);
                (result.verdict, result.reason) = (Verdict::Unreached, Some(Reason::NotRun));
            }
        };
        let after = with(|result| {
            fix(result);
            break_it(result);
            lose(result);
        });
        let diff = diff(sample::full(), after);
        insta::assert_snapshot!("terminal", anstream::adapter::strip_str(&terminal(&diff, 90)).to_string());
        insta::assert_snapshot!("markdown", markdown(&diff));
        insta::assert_snapshot!("json", serde_json::to_string_pretty(&diff).unwrap());
    }

    #[test]
    fn a_page_has_an_end() {
        let report = saved(sample::full());
        let mut diff = Diff::between(("before.json", &report), ("after.json", &report));
        let change = change(&report, &report.problems[0], vec!["\u{1f600}".repeat(50); 9], false);
        diff.new = vec![Change { message: "\u{1f600}".repeat(900), ..change }; 900];
        diff.fixed.clone_from(&diff.new);
        diff.no_longer_tested =
            vec![Untested { reason: "\u{1f600}".repeat(900), results: diff.new[0].results.clone() }; 900];
        let page = markdown(&diff);
        assert!(page.len() <= 60_000, "{} bytes", page.len());
        for end in
            ["problems more: `--format json` lists all\n\n### Fixed", "reasons more: `--format json` lists all\n"]
        {
            assert!(page.contains(end), "{page}");
        }
        assert!(page.lines().all(|line| line.matches('`').count() % 2 == 0), "a line is cut: {page}");
    }

    #[test]
    fn what_is_no_report_says_where() {
        let error = |text: &str| Saved::read("old.json", text).unwrap_err().to_string();
        assert_eq!(
            error("{\n  \"schema_version\": 1,\n}"),
            "old.json:3:1: this is no JSON report of `a2aspec check`: trailing comma at line 3 column 1"
        );
        assert!(error("[]").starts_with("old.json:1:"), "{}", error("[]"));
        assert_eq!(
            error("{\"schema_version\":9}"),
            "old.json: the report has version 9, and this a2aspec reads 1; make it again"
        );
    }
}
