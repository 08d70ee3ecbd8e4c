//! The gate: what a report means for a release.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::lock::LockInfo;
use super::model::{GateInfo, Report};
use super::tested::{MinTested, TooFew};
use crate::event::Stopped;
use crate::reason::Reason;
use crate::verdict::{Level, TrialResult, Verdict};

/// From which level on a broken requirement fails the gate.
///
/// ```
/// use a2aspec::FailOn;
///
/// assert_eq!("should".parse(), Ok(FailOn::Should));
/// assert_eq!(FailOn::default(), FailOn::Must);
/// assert!("SHOULD".parse::<FailOn>().is_err());
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FailOn {
    /// A MUST that is broken.
    #[default]
    Must,
    /// A MUST or a SHOULD that is broken.
    Should,
    /// Nothing: the report is all that is wanted.
    Never,
}

impl FailOn {
    /// Every level.
    pub const ALL: [Self; 3] = [Self::Must, Self::Should, Self::Never];

    /// Its name on the command line and in `a2aspec.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Must => "must",
            Self::Should => "should",
            Self::Never => "never",
        }
    }

    /// Whether a result with this verdict fails the gate.
    pub fn fails_at(self, verdict: Verdict) -> bool {
        let broken = [Level::Must, Level::Should].into_iter().filter(|level| Some(*level) <= self.level());
        broken.map(Verdict::broken_at).any(|failing| failing == verdict)
    }

    /// The weakest level that fails the gate.
    pub fn level(self) -> Option<Level> {
        match self {
            Self::Must => Some(Level::Must),
            Self::Should => Some(Level::Should),
            Self::Never => None,
        }
    }
}

impl FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|level| level.name() == text);
        known.ok_or_else(|| format!("{text:?}; there is must, should and never"))
    }
}

/// What a report must show for the gate to pass.
///
/// ```
/// use a2aspec::{FailOn, Threshold};
///
/// let threshold = Threshold { min_tested: "90%".parse().ok(), ..FailOn::Should.into() };
/// assert_eq!(threshold.fail_on, FailOn::Should);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Threshold {
    /// From which level on a broken requirement fails the gate.
    pub fail_on: FailOn,
    /// How many cases must be tested, if that is said.
    pub min_tested: Option<MinTested>,
}

impl From<FailOn> for Threshold {
    fn from(fail_on: FailOn) -> Self {
        Self { fail_on, min_tested: None }
    }
}

/// What the gate says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Gate {
    /// Nothing that was tested is broken at the level that counts.
    Passes,
    /// Something is, or too little was tested, or nothing that the agent does was seen: that is no evidence of anything.
    Fails,
    /// The agent, or an interface that its card declares, could not be checked to the end.
    Unreachable,
    /// The suite broke, or lost the connection.
    Broken,
    /// The user ended the run, or the time was over that it was given.
    Interrupted,
    /// What was asked for cannot be done, such as a selection that selects nothing.
    Unusable,
}

impl Gate {
    /// What it says, after `the gate`.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Passes => "passes",
            Self::Fails => "fails",
            Self::Unreachable => "says nothing: the agent could not be checked to the end",
            Self::Broken => "says nothing: the suite broke, or lost the connection",
            Self::Interrupted => "says nothing: the run was ended before all was tested",
            Self::Unusable => "says nothing: what was asked for cannot be done",
        }
    }

    /// What a report comes to.
    pub fn of(report: &Report, threshold: impl Into<Threshold>) -> Self {
        let Threshold { fail_on, min_tested } = threshold.into();
        let any = |verdict: Verdict| report.counted().any(|(.., counted)| counted == verdict);
        // A card alone shows nothing of what an agent does.
        let is_about_card = |result: &TrialResult| result.area() == "card";
        let does = |verdict: Verdict| report.counted().any(|(_, it, counted)| counted == verdict && !is_about_card(it));
        if let Some(error) = &report.error {
            return error.outcome;
        }
        // An agent that died has failed, whatever is demanded of it.
        if report.fuzz.as_ref().is_some_and(|fuzz| fuzz.dead.is_some()) {
            return Self::Fails;
        }
        match report.stopped {
            Some(Stopped::Interrupted | Stopped::TimeOver { .. } | Stopped::TokenOver { .. }) => Self::Interrupted,
            Some(Stopped::Gone { .. }) => Self::Unreachable,
            Some(Stopped::FirstFailure { .. }) | None if fails(report, fail_on) => Self::Fails,
            // It ended at what others take for a failure: of the rest nothing is known.
            Some(Stopped::FirstFailure { .. }) => Self::Interrupted,
            None if fail_on.level().is_some() && has_fallen(report) => Self::Fails,
            None if report.lost().next().is_some() => Self::Unreachable,
            None if report.counted().any(|(_, it, _)| it.reason.as_ref().is_some_and(Reason::is_no_restart)) => {
                Self::Unusable
            }
            None if any(Verdict::Broken) => Self::Broken,
            None if does(Verdict::Unreached) && !does(Verdict::Pass) && !does(Verdict::Flaky) => Self::Fails,
            None if min_tested.is_some_and(|wanted| TooFew::of(report, wanted).is_some()) => Self::Fails,
            None => Self::Passes,
        }
    }
}

/// Whether a hunt has seen the agent go. Where some causes are known, it may have been one of these: what is not stands among the findings.
fn has_fallen(report: &Report) -> bool {
    report.fuzz.as_ref().is_some_and(|fuzz| fuzz.falls > 0 && fuzz.known.is_empty())
}

/// Whether anything fails at this level that counts and is not known, a list of known failures says what is no longer true, or clients lose
/// what a lock of the card has.
fn fails(report: &Report, fail_on: FailOn) -> bool {
    report.baseline.as_ref().is_some_and(|baseline| !baseline.stale.is_empty())
        || report.lock.as_ref().is_some_and(LockInfo::is_broken)
        || report.counted().any(|(index, _, counted)| fail_on.fails_at(counted) && report.known(index).is_none())
}

impl Report {
    /// What it means for a release.
    pub fn gate(&self, threshold: impl Into<Threshold>) -> Gate {
        Gate::of(self, threshold)
    }

    /// What the gate says, with the exit code that stands for it, becomes part of the report.
    pub fn conclude(&mut self, threshold: impl Into<Threshold>, exit_code: impl FnOnce(Gate) -> u8) -> Gate {
        let threshold = threshold.into();
        let outcome = self.gate(threshold);
        let too_few = threshold.min_tested.and_then(|wanted| TooFew::of(self, wanted));
        self.gate = Some(GateInfo { fail_on: threshold.fail_on, outcome, exit_code: exit_code(outcome), too_few });
        outcome
    }

    /// From which level on a broken requirement fails the gate: where nobody has asked, from MUST on.
    pub fn fail_on(&self) -> FailOn {
        self.gate.as_ref().map(|gate| gate.fail_on).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::conclusion::conclude;
    use super::super::model::{FuzzInfo, Summary};
    use super::super::sample;
    use super::*;

    /// A report with one result for each of these cases.
    fn report(results: &[(&str, Verdict)]) -> Report {
        let full = sample::full();
        let result = |(case, verdict): &(&str, Verdict)| TrialResult {
            case: (*case).to_owned(),
            verdict: *verdict,
            ..full.results.first().cloned().unwrap()
        };
        let results = results.iter().map(result).collect();
        Report { results, stopped: None, target: sample::interrupted().target, ..full }
    }

    #[test]
    fn what_is_broken_fails_from_its_level_on() {
        use Verdict::{Fail, Flaky, Note, Pass, Warn};
        for (verdict, expected) in [
            (Fail, [Gate::Fails, Gate::Fails, Gate::Passes]),
            (Warn, [Gate::Passes, Gate::Fails, Gate::Passes]),
            (Note, [Gate::Passes; 3]),
            (Flaky, [Gate::Passes; 3]),
            (Pass, [Gate::Passes; 3]),
        ] {
            let report = report(&[("get/a", Pass), ("get/b", verdict)]);
            assert_eq!(FailOn::ALL.map(|level| Gate::of(&report, level)), expected, "{verdict:?}");
        }
    }

    #[test]
    fn what_was_not_seen_does_not_pass() {
        use Verdict::{Pass, Skipped, Unreached};
        let of = |results: &[(&str, Verdict)]| Gate::of(&report(results), FailOn::Never);
        assert_eq!(of(&[("get/a", Unreached)]), Gate::Fails);
        assert_eq!(of(&[("get/a", Unreached), ("card/valid", Pass)]), Gate::Fails);
        assert_eq!(of(&[("get/a", Unreached), ("get/b", Pass)]), Gate::Passes);
        assert_eq!(of(&[("get/a", Skipped), ("card/valid", Pass)]), Gate::Passes);
        assert_eq!(of(&[]), Gate::Passes);
    }

    /// An agent that was gone, and of which nobody knows why, does not pass because nothing stands in the report.
    #[test]
    fn an_agent_that_was_gone_does_not_pass() {
        let fuzz = FuzzInfo::default();
        let mut seen = report(&[]);
        for (falls, dead, known, expected) in [
            (0, None, false, [Gate::Passes; 3]),
            (31, None, false, [Gate::Fails, Gate::Fails, Gate::Passes]),
            (31, None, true, [Gate::Passes; 3]),
            (0, Some("connection refused"), true, [Gate::Fails; 3]),
        ] {
            let known = known.then(|| "788a5dc56000".to_owned()).into_iter().collect();
            seen.fuzz = Some(FuzzInfo { falls, dead: dead.map(str::to_owned), known, ..fuzz.clone() });
            assert_eq!(FailOn::ALL.map(|level| Gate::of(&seen, level)), expected, "{falls} {dead:?}");
        }
        seen.fuzz = Some(FuzzInfo { falls: 31, dead: None, ..fuzz });
        let (_, conclusion) = conclude(&seen);
        assert!(conclusion.starts_with("the agent was gone 31 times, and no finding shows why"));
    }

    #[test]
    fn what_clients_lose_fails_whatever_the_results_are() {
        let mut seen = report(&[("get/a", Verdict::Pass)]);
        for (lost, expected) in [(vec![], Gate::Passes), (vec!["the skill \"a\" is gone".to_owned()], Gate::Fails)] {
            seen.lock = Some(LockInfo { file: "card.lock.json".to_owned(), lost });
            assert_eq!(FailOn::ALL.map(|level| Gate::of(&seen, level)), [expected; 3]);
        }
        let (_, conclusion) = conclude(&seen);
        assert!(conclusion.ends_with("; clients lose 1 thing that card.lock.json has"), "{conclusion}");
    }

    #[test]
    fn too_little_that_was_tested_fails() {
        use Verdict::{Fail, Pass, Skipped, Unreached};
        let mut seen = report(&[("get/a", Pass), ("get/b", Fail), ("get/c", Unreached), ("get/d", Skipped)]);
        seen.summary = Summary::of(&seen.results);
        for (wanted, expected) in [
            ("66%", Gate::Passes),
            ("67%", Gate::Fails),
            ("100%", Gate::Fails),
            ("2", Gate::Passes),
            ("3", Gate::Fails),
        ] {
            let threshold = Threshold { min_tested: Some(wanted.parse().unwrap()), ..FailOn::Never.into() };
            assert_eq!(seen.conclude(threshold, |gate| gate as u8), expected, "{wanted}");
            let too_few = seen.gate.as_ref().and_then(|gate| gate.too_few);
            assert_eq!(too_few.is_some(), expected == Gate::Fails, "{wanted}");
        }
        let (_, conclusion) = conclude(&seen);
        assert!(conclusion.ends_with("; too little was tested: 2 of the 3 cases that apply, and --min-tested wants 3"));
        for wrong in ["", "%", "101%", "-1", "many", "9.5%"] {
            assert!(wrong.parse::<MinTested>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_ended_the_run_counts_before_what_was_lost_and_what_broke() {
        use Verdict::{Broken, Fail, Pass};
        let mut seen = report(&[("get/a", Pass), ("get/b", Broken)]);
        assert_eq!(Gate::of(&seen, FailOn::Must), Gate::Broken);
        seen.target = sample::full().target;
        if let Some(interface) = seen.target.interfaces.first_mut() {
            interface.lost = Some("connection refused".to_owned());
        }
        assert_eq!(Gate::of(&seen, FailOn::Must), Gate::Unreachable);
        seen.results.extend(report(&[("get/c", Fail)]).results);
        assert_eq!(Gate::of(&seen, FailOn::Must), Gate::Fails);
        let case = "get/c".to_owned();
        for (stopped, expected) in [
            (Stopped::Gone { how: "connection refused".to_owned() }, [Gate::Unreachable; 2]),
            (Stopped::Interrupted, [Gate::Interrupted; 2]),
            (Stopped::TimeOver { limit: "5".to_owned() }, [Gate::Interrupted; 2]),
            (Stopped::TokenOver { why: "no".to_owned(), identity: "me".to_owned() }, [Gate::Interrupted; 2]),
            (Stopped::FirstFailure { case }, [Gate::Fails, Gate::Interrupted]),
        ] {
            seen.stopped = Some(stopped);
            assert_eq!([FailOn::Must, FailOn::Never].map(|level| Gate::of(&seen, level)), expected);
        }
    }

    #[test]
    fn levels_are_read_by_their_names() {
        for level in FailOn::ALL {
            assert_eq!(level.name().parse(), Ok(level));
        }
        assert!("MUST".parse::<FailOn>().is_err());
    }
}
