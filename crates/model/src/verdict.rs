//! How a case came out, and how strongly what it checks is demanded.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock;
use crate::finding::Finding;
use crate::reason::Reason;

/// The force of a requirement (RFC 2119).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub enum Level {
    /// Breaking it is a failure.
    #[serde(rename = "MUST")]
    Must,
    /// Breaking it is a warning.
    #[serde(rename = "SHOULD")]
    Should,
    /// Worth a note.
    #[serde(rename = "MAY")]
    May,
}

impl Level {
    /// Every level, the strongest first.
    pub const ALL: [Self; 3] = [Self::Must, Self::Should, Self::May];
}

impl FromStr for Level {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|level| level.to_string().eq_ignore_ascii_case(name));
        known.ok_or_else(|| format!("{name:?} is no level; there is must, should and may"))
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Must => "MUST",
            Self::Should => "SHOULD",
            Self::May => "MAY",
        })
    }
}

/// What of an agent a requirement is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// The agent.
    #[default]
    Agent,
    /// The HTTP server below it, which is seldom its own: A2A does not demand what its requirements demand.
    HttpServer,
}

impl Layer {
    /// How much a requirement of this level weighs: what A2A does not demand is no failure of an agent.
    pub fn weight(self, level: Level) -> Level {
        match self {
            Self::Agent => level,
            Self::HttpServer => level.max(Level::Should),
        }
    }

    /// Whether it is the agent itself.
    pub fn is_agent(&self) -> bool {
        *self == Self::Agent
    }
}

/// How a case came out. Ordered from good to bad, so that the worst of several is their maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The behaviour was seen and right.
    Pass,
    /// The case does not apply to this agent.
    Skipped,
    /// The needed state could not be produced.
    Unreached,
    /// The suite itself failed, or lost the connection.
    Broken,
    /// A MAY worth telling.
    Note,
    /// Something was broken, and was right when the case was run again.
    Flaky,
    /// A SHOULD is broken.
    Warn,
    /// A MUST is broken.
    Fail,
}

impl Verdict {
    /// What a broken requirement of this level means.
    pub fn broken_at(level: Level) -> Self {
        match level {
            Level::Must => Self::Fail,
            Level::Should => Self::Warn,
            Level::May => Self::Note,
        }
    }

    /// Whether something was seen to be wrong, and stayed so when the case was run again.
    pub fn is_violation(self) -> bool {
        self >= Self::Note && self != Self::Flaky
    }

    /// Whether a case is to run again once the agent is another: something was wrong, or the agent or the suite failed.
    pub fn asks_for_another_run(self) -> bool {
        matches!(self, Self::Fail | Self::Warn | Self::Flaky | Self::Broken)
    }

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Skipped => "skipped",
            Self::Unreached => "unreached",
            Self::Broken => "broken",
            Self::Note => "note",
            Self::Flaky => "flaky",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// One case over one binding in one profile.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct TrialResult {
    /// Id of the case.
    pub case: String,
    /// What it checks.
    pub title: String,
    /// Ids of the requirements that it checks.
    pub requirements: Vec<String>,
    /// How strongly what it checks is demanded in this profile: where something was violated, how strongly that is.
    pub level: Level,
    /// Sections that state those requirements.
    pub section: String,
    /// The profile.
    pub profile: String,
    /// The binding.
    pub binding: String,
    /// How it came out.
    pub verdict: Verdict,
    /// Why it was skipped, not reached or broken.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The assertions that were seen to hold: see `docs/cases.md`. Of those below an oracle's own only what a
    /// requirement names.
    pub held: Vec<String>,
    /// The assertions that were violated.
    pub violated: Vec<String>,
    /// What was wrong: the first few, where it is much.
    pub findings: Vec<Finding>,
    /// How much more was.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub findings_left_out: usize,
    /// The exchanges that led to the verdict, in their order, where something was wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepInfo>,
    /// How many more there were in the middle.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub steps_left_out: usize,
    /// How it came out when it was run again, where it failed at first (`--retries`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<Verdict>,
    /// How it came out when it was run again without the side condition of the run, where it was not right with it (`--load`,
    /// `--replica`, `--restart-command`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without: Option<Without>,
    /// What it tries on what belongs to another caller, where it is about that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreign: Option<Foreign>,
    /// The parts of a run from which it is, each with how it came out there; nothing where the run had no parts (`--shard`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub shards: BTreeMap<usize, Verdict>,
    /// When it went on; nothing where it did not run, or not to its end.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub times: Option<Times>,
}

/// One exchange of a case, as people read it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct StepInfo {
    /// The number of the exchange.
    pub exchange: u64,
    /// The name of the step, where its case gives it one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What was sent.
    pub sent: String,
    /// What came, as the suite read it.
    pub received: String,
}

/// What goes on beside the cases of a run, and may change how they come out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SideCondition {
    /// Ordinary traffic.
    Load,
    /// Requests go to one replica of the agent after the other.
    Replicas,
    /// The agent is restarted within the case.
    Restart,
}

/// How a case came out without the side condition of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub struct Without {
    /// What was left out.
    pub condition: SideCondition,
    /// How it came out.
    pub verdict: Verdict,
}

/// An operation on what belongs to another caller.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub struct Foreign {
    /// The operation.
    pub operation: String,
    /// What it is tried on.
    pub object: String,
}

/// When a trial went on, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
pub struct Times {
    /// From the start of the run to its own.
    pub started_ms: f64,
    /// From its start to its end, with what it waited for its turn.
    pub duration_ms: f64,
    /// What the requests of its steps took, all together.
    pub waited_ms: f64,
}

impl Times {
    /// Times of a trial that began so long after the run.
    pub fn new(started: Duration, duration: Duration, waited: Duration) -> Self {
        let ms = |time: Duration| (time.as_secs_f64() * 1e6).round() / 1e3;
        Self { started_ms: ms(started), duration_ms: ms(duration), waited_ms: ms(waited) }
    }

    /// How long it took.
    pub fn duration(&self) -> Duration {
        clock::milliseconds(self.duration_ms)
    }
}

impl TrialResult {
    /// Every text in which the agent may have a say. The names of what was violated are none of them: they say which requirements
    /// are violated.
    pub fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let reason = self.reason.iter_mut().flat_map(Reason::texts_mut);
        let steps = self.steps.iter_mut().flat_map(|step| [&mut step.sent, &mut step.received]);
        reason.chain(steps).chain(self.findings.iter_mut().flat_map(Finding::texts_mut))
    }

    /// Whether it shows something wrong, if only a request that was left without an answer, which leaves its case unreached.
    pub fn shows_something_wrong(&self) -> bool {
        let is_unanswered = self.reason.as_ref().is_some_and(Reason::is_unanswered);
        matches!(self.verdict, Verdict::Fail | Verdict::Warn | Verdict::Flaky | Verdict::Note) || is_unanswered
    }

    /// Takes how its case came out when it was run again. Where that was right, the result is flaky: what was violated stays,
    /// and what held is what the run that passed has shown.
    pub fn take_again(&mut self, again: &Self) {
        self.again.push(again.verdict);
        if again.verdict == Verdict::Pass {
            self.verdict = Verdict::Flaky;
            self.held.clone_from(&again.held);
        }
    }

    /// Whether it passes without the side condition of the run, and not with it.
    pub fn changes_under(&self) -> Option<SideCondition> {
        self.without.filter(|without| without.verdict == Verdict::Pass).map(|without| without.condition)
    }

    /// What became of it when it was run again, for people; nothing where it was not.
    pub fn told_again(&self) -> Option<String> {
        let retried = self.told_retries();
        let Some(Without { condition, verdict }) = self.without else { return retried };
        let passes = verdict == Verdict::Pass;
        let without = match condition {
            SideCondition::Load if passes => "it passed without the traffic of --load",
            SideCondition::Load => "it did not pass without the traffic of --load, either",
            SideCondition::Replicas if passes => "it passed with the first replica alone",
            SideCondition::Replicas => "it did not pass with the first replica alone, either",
            SideCondition::Restart if passes => "it passed without a restart of the agent",
            SideCondition::Restart => "it did not pass without a restart of the agent, either",
        };
        Some(retried.into_iter().chain([without.to_owned()]).collect::<Vec<_>>().join("; "))
    }

    fn told_retries(&self) -> Option<String> {
        let (runs, failed) = (self.again.len() + 1, 1 + self.again.iter().filter(|it| **it != Verdict::Pass).count());
        match self.again.as_slice() {
            [] => None,
            _ if failed == runs => Some(format!("it did not pass in any of {runs} runs")),
            _ => Some(format!("it failed, and passed in run {runs}")),
        }
    }

    /// The area of its case: the first segment of the id.
    pub fn area(&self) -> &str {
        self.case.split('/').next().unwrap_or(&self.case)
    }
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}
