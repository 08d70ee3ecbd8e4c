//! The list of known failures: what a gate lets pass because somebody has looked at it, for as long as it stays as it is.

mod edit;

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::{Deserialize, Deserializer, Serialize};

use super::gate::FailOn;
use super::model::Report;
use super::problems::Problem;
use crate::verdict::{TrialResult, Verdict};
use crate::yaml::{self, Mistake};

pub(crate) use edit::{Edit, Note};

/// What the file begins with.
const HEADING: &str = "# Failures of the agent that are known. `a2aspec check --baseline` lets them pass, and nothing else.
# `violated` names what fails in a case: more than that is new. Add a `reason`, the URL of a `bug`, and `until` (as 2027-01-31) if
# there is a day by which it must be fixed.
";

/// A list of known failures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "cli", schemars(title = "Known failures, for a2aspec check --baseline"))]
#[serde(deny_unknown_fields)]
pub(crate) struct Baseline {
    /// Each of them.
    pub known: Vec<Known>,
}

/// A known failure of one case over one binding in one version.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// The case.
    pub case: String,
    /// The version.
    pub profile: String,
    /// The binding, or two.
    pub binding: String,
    /// The assertions that are violated; where there are none, whatever is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violated: Vec<String>,
    /// What is wrong, for people: the headline of the problem when the entry was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// Where it is tracked, such as the URL of an issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bug: Option<String>,
    /// Why it is let pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The last day on which it is.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "day")]
    #[cfg_attr(feature = "cli", schemars(with = "Option<String>", extend("format" = "date")))]
    pub until: Option<Date>,
}

/// Reads a day.
fn day<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Date>, D::Error> {
    date(&String::deserialize(from)?).map(Some).map_err(serde::de::Error::custom)
}

/// A day as people write it.
///
/// # Errors
/// The text is none.
pub(crate) fn date(text: &str) -> Result<Date, String> {
    text.parse().map_err(|_| format!("`{text}` is not a date; write it as 2027-01-31"))
}

/// What a report says of an entry.
enum State {
    /// Its case still fails, by the index of the result.
    Holds(usize),
    /// It fails in another way.
    Fails,
    /// It fails, and the entry's time is over.
    Expired,
    /// It passes.
    Stale,
    /// It was not reached, was skipped, broke, or is flaky.
    Untested,
    /// The run does not have it.
    Elsewhere,
}

impl Known {
    /// The entry that lets a result pass; what people wrote into one before is kept.
    fn of(report: &Report, (index, result): (usize, &TrialResult), before: Option<&Self>) -> Self {
        let shows = |problem: &&Problem| problem.evidence.iter().any(|evidence| evidence.result == index);
        Self {
            case: result.case.clone(),
            profile: result.profile.clone(),
            binding: result.binding.clone(),
            violated: result.violated.clone(),
            what: report.problems.iter().find(shows).map(|problem| problem.message.clone()),
            bug: before.and_then(|known| known.bug.clone()),
            reason: before.and_then(|known| known.reason.clone()),
            until: before.and_then(|known| known.until),
        }
    }

    /// What a report says of it, for a gate at this level.
    fn state(&self, report: &Report, fail_on: FailOn, today: Date) -> State {
        let mut results = report.results.iter().enumerate().filter(|(_, result)| self.is_about(result));
        let Some((index, result)) = results.next() else { return State::Elsewhere };
        match result.verdict {
            _ if report.counts_as(index).is_some_and(|counted| fail_on.fails_at(counted)) && self.is_over(today) => {
                State::Expired
            }
            verdict if verdict.is_violation() && self.covers(result) => State::Holds(index),
            verdict if verdict.is_violation() => State::Fails,
            Verdict::Unreached | Verdict::Skipped | Verdict::Broken | Verdict::Flaky => State::Untested,
            _ => State::Stale,
        }
    }

    fn is_about(&self, result: &TrialResult) -> bool {
        (&self.case, &self.profile, &self.binding) == (&result.case, &result.profile, &result.binding)
    }

    /// Whether it has all that the result violates.
    fn covers(&self, result: &TrialResult) -> bool {
        self.violated.is_empty() || result.violated.iter().all(|name| self.violated.contains(name))
    }

    fn is_over(&self, today: Date) -> bool {
        self.until.is_some_and(|until| until < today)
    }

    /// Why it is let pass, and where it is tracked; nothing where neither is written.
    fn why(&self) -> Option<String> {
        let parts: Vec<&str> = [&self.reason, &self.bug].into_iter().flatten().map(String::as_str).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// The case, and where.
    pub(crate) fn name(&self) -> String {
        format!("{} ({} {})", self.case, self.profile, self.binding)
    }
}

/// What became of a list of known failures in a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct BaselineInfo {
    /// The file.
    pub file: String,
    /// The results that fail as the list says, by their index, with the reason.
    pub known: BTreeMap<usize, Option<String>>,
    /// Entries that are no longer true: the case passes. They fail the gate, so that the list stays true.
    pub stale: Vec<Known>,
    /// Entries whose time is over, and that still fail.
    pub expired: Vec<Known>,
    /// Entries of which the run cannot say anything: their case was not reached, was skipped, broke, or was flaky.
    pub untested: Vec<Known>,
    /// How many entries are about cases that this run does not have.
    pub elsewhere: usize,
}

impl BaselineInfo {
    /// What of the list fails the gate or does not let pass what it names, in one sentence; nothing where all of it is true.
    pub(crate) fn complaint(&self) -> Option<String> {
        let others = |entries: &[Known]| match entries.len() {
            0 | 1 => String::new(),
            all => format!(" and {} more", all - 1),
        };
        let stale = self.stale.first().map(|known| {
            format!("delete {}{} from {}: no longer failing", known.name(), others(&self.stale), self.file)
        });
        let expired = self.expired.first().map(|known| {
            let until = known.until.map(|until| format!(" on {until}")).unwrap_or_default();
            format!("the entry {}{} of {} expired{until}", known.name(), others(&self.expired), self.file)
        });
        let both: Vec<String> = stale.into_iter().chain(expired).collect();
        (!both.is_empty()).then(|| both.join("; "))
    }

    /// The entries that somebody is to look at, by what is the matter with them; only what there is.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (&'static str, &[Known])> {
        let groups = [
            ("no longer true, to be deleted", self.stale.as_slice()),
            ("still true, and its time is over", &self.expired),
            ("not tested in this run", &self.untested),
        ];
        groups.into_iter().filter(|(_, entries)| !entries.is_empty())
    }
}

impl Baseline {
    /// Reads a file.
    ///
    /// # Errors
    /// The first mistake in it.
    pub(crate) fn read(file: &str, text: &str) -> Result<Self, Mistake> {
        yaml::read(file, text)
    }

    /// The list that lets pass whatever fails in a report at this level; what an older list says of the same is kept.
    pub(crate) fn of(report: &Report, fail_on: FailOn, older: &Self) -> Self {
        let failing = report.counted().filter(|(.., counted)| fail_on.fails_at(*counted));
        let known = failing.map(|(index, result, _)| {
            Known::of(report, (index, result), older.known.iter().find(|known| known.is_about(result)))
        });
        // A reason that somebody wrote about a case that was not tested is not lost.
        let is_decided = |known: &Known| {
            let decides = |it: &TrialResult| it.verdict == Verdict::Pass || it.verdict.is_violation();
            report.results.iter().any(|result| known.is_about(result) && decides(result))
        };
        let kept = older.known.iter().filter(|known| known.why().is_some() && !is_decided(known)).cloned();
        Self { known: known.chain(kept).collect() }
    }

    /// The text of a file.
    ///
    /// # Errors
    /// None that a list can cause.
    pub(crate) fn text(&self) -> Result<String, String> {
        Ok(format!("{HEADING}{}", serde_saphyr::to_string(self).map_err(|error| error.to_string())?))
    }

    /// Whether it lets a result pass.
    pub(crate) fn lets_pass(&self, result: &TrialResult, today: Date) -> bool {
        self.known.iter().any(|known| known.is_about(result) && known.covers(result) && !known.is_over(today))
    }

    /// What becomes of it in a report.
    pub(crate) fn against(&self, file: &str, report: &Report, fail_on: FailOn, today: Date) -> BaselineInfo {
        let mut info = BaselineInfo { file: file.to_owned(), ..BaselineInfo::default() };
        for known in &self.known {
            match known.state(report, fail_on, today) {
                State::Elsewhere => info.elsewhere += 1,
                State::Expired => info.expired.push(known.clone()),
                State::Fails => {}
                State::Holds(index) => {
                    info.known.insert(index, known.why());
                }
                State::Untested => info.untested.push(known.clone()),
                State::Stale => info.stale.push(known.clone()),
            }
        }
        info
    }
}

impl Report {
    /// Whether all that shows a problem is known.
    pub(crate) fn knows(&self, problem: &Problem) -> bool {
        self.baseline.is_some() && problem.evidence.iter().all(|evidence| self.known(evidence.result).is_some())
    }

    /// What the list of known failures says of a result, by its index: a reason, or only that it is known.
    pub(crate) fn known(&self, result: usize) -> Option<&Option<String>> {
        self.baseline.as_ref()?.known.get(&result)
    }
}

#[cfg(test)]
mod tests {
    use super::super::gate::Gate;
    use super::super::sample;
    use super::*;

    pub(super) fn report(results: &[(&str, Verdict, &[&str])]) -> Report {
        let full = sample::full();
        let result = |(case, verdict, violated): &(&str, Verdict, &[&str])| TrialResult {
            case: (*case).to_owned(),
            verdict: *verdict,
            violated: violated.iter().map(|name| (*name).to_owned()).collect(),
            ..full.results.first().cloned().unwrap()
        };
        let results = results.iter().map(result).collect();
        Report { results, stopped: None, target: sample::interrupted().target, ..full }
    }

    pub(super) fn today() -> Date {
        "2026-11-23".parse().unwrap()
    }

    /// The gate of a report with a list of one entry, which is made of a report by hand.
    fn gate(entry: &str, results: &[(&str, Verdict, &[&str])]) -> (Gate, BaselineInfo) {
        let mut report = report(results);
        let first = report.results.first().unwrap();
        let of = format!("profile: '{}'\n  binding: {}", first.profile, first.binding);
        let list = Baseline::read("known.yaml", &format!("known:\n- {entry}\n  {of}\n")).unwrap();
        let info = list.against("known.yaml", &report, FailOn::Must, today());
        report.baseline = Some(info.clone());
        (report.gate(FailOn::Must), info)
    }

    #[test]
    fn what_is_known_passes_and_nothing_else() {
        use Verdict::{Fail, Pass, Unreached};
        let known = "case: get/a\n  violated: [error]";
        assert_eq!(gate(known, &[("get/a", Fail, &["error"])]).0, Gate::Passes);
        assert_eq!(gate(known, &[("get/a", Fail, &["error", "refused"])]).0, Gate::Fails);
        assert_eq!(gate("case: get/a", &[("get/a", Fail, &["error", "refused"])]).0, Gate::Passes);
        assert_eq!(gate(known, &[("get/a", Fail, &["error"]), ("get/b", Fail, &["error"])]).0, Gate::Fails);
        // The list stays true.
        let (stale, info) = gate(known, &[("get/a", Pass, &[])]);
        assert_eq!((stale, info.stale.len()), (Gate::Fails, 1));
        // What could not be tested is told, and excuses nothing.
        let (untested, info) = gate(known, &[("get/a", Unreached, &[]), ("get/b", Pass, &[])]);
        assert_eq!((untested, info.untested.len(), info.known.len()), (Gate::Passes, 1, 0));
        let (elsewhere, info) = gate(known, &[("get/b", Pass, &[])]);
        assert_eq!((elsewhere, info.elsewhere), (Gate::Passes, 1));
    }

    #[test]
    fn an_entry_is_let_pass_until_its_day_is_over() {
        let failing: [(&str, Verdict, &[&str]); 1] = [("get/a", Verdict::Fail, &["error"])];
        assert_eq!(gate("case: get/a\n  until: 2026-11-23", &failing).0, Gate::Passes);
        let (over, info) = gate("case: get/a\n  until: 2026-11-22", &failing);
        assert_eq!((over, info.expired.len()), (Gate::Fails, 1));
    }

    /// A gate that reports only, or from another level on, does not make an entry untrue.
    #[test]
    fn what_fails_below_the_level_is_still_true() {
        let report = report(&[("get/a", Verdict::Fail, &["error"]), ("get/b", Verdict::Warn, &["error"])]);
        let list = Baseline::of(&report, FailOn::Should, &Baseline::default());
        for level in FailOn::ALL {
            let info = list.against("known.yaml", &report, level, today());
            assert_eq!((info.known.len(), info.stale.len()), (2, 0), "{level:?}");
        }
    }

    #[test]
    fn a_list_is_written_and_read_back() {
        let report = report(&[("get/a", Verdict::Fail, &["error"]), ("get/b", Verdict::Pass, &[])]);
        let mut list = Baseline::of(&report, FailOn::Must, &Baseline::default());
        assert_eq!(list.known.len(), 1);
        list.known[0].reason = Some("we know: see #12".to_owned());
        list.known[0].until = Some(today());
        let text = list.text().unwrap();
        assert_eq!(Baseline::read("known.yaml", &text), Ok(list.clone()));
        assert_eq!(Baseline::of(&report, FailOn::Must, &list), list);
        insta::assert_snapshot!(text);
    }

    #[test]
    fn what_people_wrote_is_kept_unless_the_case_passes() {
        use Verdict::{Pass, Unreached};
        let report = report(&[("get/a", Unreached, &[]), ("get/b", Pass, &[]), ("get/c", Unreached, &[])]);
        let first = report.results.first().unwrap();
        let entry = |case: &str, why: &str| {
            format!("- case: {case}\n  profile: '{}'\n  binding: {}\n{why}", first.profile, first.binding)
        };
        let bug = "  bug: https://bugs.example/7\n";
        let text = format!("known:\n{}{}{}", entry("get/a", bug), entry("get/b", bug), entry("get/c", ""));
        let older = Baseline::read("known.yaml", &text).unwrap();
        let kept = Baseline::of(&report, FailOn::Must, &older);
        assert_eq!(kept.known.iter().map(|known| known.case.as_str()).collect::<Vec<_>>(), ["get/a"]);
        assert_eq!(kept.known[0].why().as_deref(), Some("https://bugs.example/7"));
    }

    #[test]
    fn what_fails_the_gate_is_named() {
        use Verdict::{Fail, Pass};
        let complaint = |entry: &str, results| gate(entry, results).1.complaint().unwrap_or_default();
        let passes: [(&str, Verdict, &[&str]); 1] = [("get/a", Pass, &[])];
        let fails: [(&str, Verdict, &[&str]); 1] = [("get/a", Fail, &["error"])];
        assert!(complaint("case: get/a", &passes).starts_with("delete get/a ("));
        assert!(complaint("case: get/a\n  until: 2026-11-22", &fails).ends_with("expired on 2026-11-22"));
        assert_eq!(complaint("case: get/a", &fails), "");
    }

    #[test]
    fn mistakes_are_said_with_their_place() {
        let wrong = |text: &str| Baseline::read("known.yaml", text).unwrap_err();
        assert!(wrong("known:\n- case: get/a\n  verion: '1.0'\n").message.contains("verion"));
        assert!(wrong("known:\n- { case: get/a, profile: '1.0', binding: jsonrpc, until: soon }\n").offset.is_some());
    }
}
