//! From results to requirements: each is judged by the assertions that decide it, and by nothing else that a case has shown.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use super::model::RequirementResult;
use super::natural;
use crate::case::{CheckRef, Requirement};
use crate::plan::{Plan, Trial};
use crate::reason::Reason;
use crate::verdict::{Level, TrialResult, Verdict};

/// What one result says of one requirement: a verdict, and why it is not tested.
#[derive(Debug, Clone)]
struct Word {
    verdict: Verdict,
    reason: Option<Reason>,
    /// Whether the whole case decides: then a requirement does not pass before it is reached.
    is_whole: bool,
}

/// Every requirement of the plan, judged.
pub(super) fn judge<'r>(plan: &Plan, results: impl IntoIterator<Item = &'r TrialResult>) -> Vec<RequirementResult> {
    let of_trial = |trial: &'_ Arc<Trial>| {
        let entries = trial.requirements.iter().map(|requirement| unjudged(trial, requirement));
        entries.collect::<Vec<_>>()
    };
    decide(plan.trials.iter().flat_map(of_trial), results)
}

/// Requirements by what results say of them. Those of one name are one, with the cases and the checks of all.
pub(super) fn decide<'r>(
    entries: impl IntoIterator<Item = RequirementResult>,
    results: impl IntoIterator<Item = &'r TrialResult>,
) -> Vec<RequirementResult> {
    let mut found: BTreeMap<(String, String), RequirementResult> = BTreeMap::new();
    for entry in entries {
        match found.entry((entry.profile.clone(), entry.id.clone())) {
            Entry::Vacant(vacant) => {
                vacant.insert(entry);
            }
            Entry::Occupied(known) => {
                let known = known.into_mut();
                let new: Vec<String> = entry.cases.into_iter().filter(|case| !known.cases.contains(case)).collect();
                known.checks.extend(entry.checks.into_iter().filter(|check| new.contains(&check.case)));
                known.cases.extend(new);
            }
        }
    }
    let mut words: BTreeMap<(&str, &str), Vec<Word>> = BTreeMap::new();
    for result in results {
        for id in &result.requirements {
            let Some(entry) = found.get(&(result.profile.clone(), id.clone())) else { continue };
            words.entry((&result.profile, id)).or_default().push(word(entry, result));
        }
    }
    let judged = |entry: &RequirementResult| {
        let words = words.get(&(entry.profile.as_str(), entry.id.as_str())).map_or(&[][..], Vec::as_slice);
        judged(entry.clone(), words)
    };
    let mut found: Vec<RequirementResult> = found.values().map(judged).collect();
    for entry in &mut found {
        entry.cases.sort_unstable();
        entry.checks.sort_by_cached_key(ToString::to_string);
    }
    found.sort_by(|a, b| {
        natural::compare(&a.profile, &b.profile)
            .then_with(|| natural::compare(&a.section, &b.section))
            .then_with(|| natural::compare(&a.id, &b.id))
    });
    found
}

fn unjudged(trial: &Trial, requirement: &Requirement) -> RequirementResult {
    RequirementResult {
        id: requirement.id.value.clone(),
        profile: trial.profile.clone(),
        section: requirement.section.clone(),
        links: requirement.links.clone(),
        level: requirement.level,
        layer: requirement.layer,
        text: requirement.text.clone(),
        verdict: Verdict::Skipped,
        reason: None,
        cases: vec![trial.case.id.clone()],
        checks: requirement.checks_of(&trial.case.id).cloned().collect(),
    }
}

/// What a result says of a requirement. It fails by an assertion that decides it, and by no other; it passes where one of
/// these was seen to hold, or where the whole case decides and passed.
fn word(requirement: &RequirementResult, result: &TrialResult) -> Word {
    let is_whole = requirement.checks_of(&result.case).any(|check| check.assertion.is_none());
    let (verdict, reason) = verdict(requirement, result, is_whole);
    Word { verdict, reason, is_whole }
}

fn verdict(requirement: &RequirementResult, result: &TrialResult, is_whole: bool) -> (Verdict, Option<Reason>) {
    let checks = || requirement.checks_of(&result.case);
    let shows = |assertion: &String| checks().any(|check| check.covers(assertion));
    let violates = |assertion: &String| checks().any(|check| check.is_violated_by(&result.case, assertion));
    if result.violated.iter().any(violates) {
        // What is right at another time is neither kept nor broken.
        let is_flaky = result.verdict == Verdict::Flaky;
        return (if is_flaky { Verdict::Flaky } else { Verdict::broken_at(requirement.weight()) }, None);
    }
    match result.verdict {
        Verdict::Flaky if is_whole => (Verdict::Flaky, None),
        Verdict::Pass if is_whole && !result.held.is_empty() => (Verdict::Pass, None),
        Verdict::Pass | Verdict::Flaky if result.held.iter().any(shows) => (Verdict::Pass, None),
        Verdict::Pass | Verdict::Flaky => (Verdict::Skipped, Some(Reason::NotShown)),
        // Beside what was wrong, the rest was seen. Before a case that was not reached, nothing was: what holds by then are
        // the preconditions of what it is about.
        Verdict::Fail | Verdict::Warn | Verdict::Note if !is_whole && result.held.iter().any(shows) => {
            (Verdict::Pass, None)
        }
        Verdict::Fail | Verdict::Warn | Verdict::Note => {
            (Verdict::Unreached, Some(Reason::ElseWrong { case: result.case.clone() }))
        }
        other => (other, result.reason.clone()),
    }
}

impl RequirementResult {
    /// The level of its verdict where it is violated.
    pub(super) fn weight(&self) -> Level {
        self.layer.weight(self.level)
    }

    /// What decides it in a case.
    fn checks_of(&self, case: &str) -> impl Iterator<Item = &CheckRef> {
        self.checks.iter().filter(move |check| check.case == case)
    }
}

/// The worst of several words. `pass` needs an assertion that was seen to hold, no case as a whole that was not reached, and
/// nothing that is worse.
fn judged(entry: RequirementResult, words: &[Word]) -> RequirementResult {
    let passed = words.iter().any(|word| word.verdict == Verdict::Pass);
    // Of a case that decides by some of its assertions, what was not seen takes nothing from what was.
    let yields = |word: &&Word| {
        passed && (word.verdict == Verdict::Skipped || (word.verdict == Verdict::Unreached && !word.is_whole))
    };
    let counted = words.iter().filter(|word| !yields(word));
    let verdict = counted.map(|word| word.verdict).max().unwrap_or(Verdict::Skipped);
    let reason = words.iter().find(|word| word.verdict == verdict && word.reason.is_some());
    RequirementResult { verdict, reason: reason.and_then(|word| word.reason.clone()), ..entry }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;
    use crate::verdict::Level;

    fn requirement(checks: &[&str]) -> RequirementResult {
        let checks = checks.iter().map(|check| serde_json::from_value((*check).into()).unwrap()).collect();
        RequirementResult { level: Level::Should, checks, ..sample::stream().requirements[0].clone() }
    }

    fn result(verdict: Verdict, held: &[&str], violated: &[&str]) -> TrialResult {
        let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let sample = sample::stream().results[0].clone();
        TrialResult { case: "a/b".to_owned(), verdict, held: own(held), violated: own(violated), ..sample }
    }

    #[test]
    fn a_requirement_is_judged_by_what_decides_it() {
        let error = requirement(&["a/b#error"]);
        let whole = requirement(&["a/b"]);
        for (requirement, result, wanted) in [
            (&error, result(Verdict::Fail, &["refused"], &["error"]), Verdict::Warn),
            (&error, result(Verdict::Fail, &["refused", "error"], &["/id"]), Verdict::Pass),
            (&error, result(Verdict::Fail, &[], &["refused"]), Verdict::Unreached),
            (&error, result(Verdict::Pass, &["result"], &[]), Verdict::Skipped),
            (&error, result(Verdict::Pass, &["refused", "error"], &[]), Verdict::Pass),
            (&error, result(Verdict::Unreached, &["error"], &[]), Verdict::Unreached),
            (&error, result(Verdict::Broken, &[], &[]), Verdict::Broken),
            (&error, result(Verdict::Flaky, &["refused", "error"], &["error"]), Verdict::Flaky),
            (&error, result(Verdict::Flaky, &["refused", "error"], &["/id"]), Verdict::Pass),
            (&error, result(Verdict::Flaky, &["result"], &["/id"]), Verdict::Skipped),
            (&whole, result(Verdict::Flaky, &["error"], &["error"]), Verdict::Flaky),
            (&whole, result(Verdict::Fail, &["refused"], &["error"]), Verdict::Warn),
            (&whole, result(Verdict::Pass, &["error"], &[]), Verdict::Pass),
            (&whole, result(Verdict::Pass, &[], &[]), Verdict::Skipped),
            (&whole, result(Verdict::Unreached, &["error"], &[]), Verdict::Unreached),
        ] {
            assert_eq!(word(requirement, &result).verdict, wanted, "{:?} {:?}", result.held, result.violated);
        }
    }

    #[test]
    fn the_worst_word_counts_but_what_is_skipped_does_not_undo_a_pass() {
        let judge = |verdicts: &[Verdict], is_whole: bool| {
            let word = |verdict: &Verdict| Word { verdict: *verdict, reason: None, is_whole };
            let words: Vec<Word> = verdicts.iter().map(word).collect();
            judged(sample::stream().requirements[0].clone(), &words).verdict
        };
        assert_eq!(judge(&[Verdict::Pass, Verdict::Skipped], true), Verdict::Pass);
        assert_eq!(judge(&[Verdict::Pass, Verdict::Unreached], true), Verdict::Unreached);
        assert_eq!(judge(&[Verdict::Pass, Verdict::Unreached], false), Verdict::Pass);
        assert_eq!(judge(&[Verdict::Skipped, Verdict::Unreached], false), Verdict::Unreached);
        assert_eq!(judge(&[Verdict::Pass, Verdict::Broken], false), Verdict::Broken);
        assert_eq!(judge(&[Verdict::Pass, Verdict::Warn, Verdict::Broken], true), Verdict::Warn);
        assert_eq!(judge(&[], true), Verdict::Skipped);
    }
}
