//! What a run found, in the form in which every renderer reads it and the JSON report shows it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::baseline::BaselineInfo;
use super::body::Body;
use super::conformance::Conformance;
use super::failure::ErrorInfo;
use super::gate::{FailOn, Gate};
use super::lock::LockInfo;
use super::problems::Problem;
use super::root_causes::RootCause;
use super::security::SecurityInfo;
use super::sets::SetInfo;
use super::tested::TooFew;
use crate::case::{CheckRef, SectionLink, Trigger};
use crate::event::Stopped;
use crate::interface::{InterfaceInfo, TargetInfo};
use crate::plan::Shard;
use crate::reason::Reason;
use crate::verdict::{Layer, Level, TrialResult, Verdict};

/// A whole report. `schemas/report.schema.json` describes its JSON.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Report {
    /// The version of this form: it grows when what was there means something else, or is no longer there.
    pub schema_version: u32,
    /// What made it.
    pub tool: Tool,
    /// What was checked.
    pub target: TargetInfo,
    /// When the run began: RFC 3339, UTC.
    pub started: String,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// How many messages the agent was sent.
    pub messages_sent: u64,
    /// Why the run ended before its plan did, if it did.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// Why the run could not be done, if so: then there are no results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorInfo>,
    /// What it means for a release, where somebody has asked.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateInfo>,
    /// What became of the list of known failures, where there is one.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineInfo>,
    /// The set of requirements that counts, where one is named, and what came later.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub requirement_set: Option<SetInfo>,
    /// What clients lose with the card, where it is held against a file of `a2aspec card lock`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock: Option<LockInfo>,
    /// The parts of the run from which it is, in the order of their numbers; nothing where the run had no parts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shards: Vec<ShardInfo>,
    /// Verdicts counted by level.
    pub summary: Summary,
    /// What was tried, where the run was a hunt of the fuzzer's.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub fuzz: Option<FuzzInfo>,
    /// The facts about the agent from which most results follow, the most important first.
    #[serde(default)]
    pub root_causes: Vec<RootCause>,
    /// What is wrong: one entry per cause, the worst first.
    #[serde(skip_deserializing)]
    pub problems: Vec<Problem>,
    /// One entry per trial: a case over one binding in one profile.
    pub results: Vec<TrialResult>,
    /// One entry per trigger whose own words did not do, that with the most cases first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub triggers: Vec<TriggerInfo>,
    /// Who may do what, where a case was about that.
    #[serde(default, skip_serializing_if = "SecurityInfo::is_empty")]
    pub security: SecurityInfo,
    /// One entry per requirement that a case of this run checks.
    pub requirements: Vec<RequirementResult>,
    /// What was shown of each part of each version; nothing where not every case was to run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conformance: Vec<Conformance>,
    /// One entry per case with a result other than `pass` and `skipped`.
    pub cases: Vec<CaseInfo>,
    /// The exchanges that findings cite, as far as a report has room for them.
    pub exchanges: Vec<ExchangeInfo>,
    /// How many more they cite.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub exchanges_left_out: usize,
    /// The file of a repository, relative to its root, in which SARIF shows what is wrong; a2aspec.toml where none is named.
    #[serde(skip)]
    pub sarif_location: Option<String>,
}

/// What a hunt of the fuzzer's has tried, and what came of it beside results.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FuzzInfo {
    /// What decided what was made: the same seed and the same answers give the same run.
    pub seed: u64,
    /// How many requests were made.
    pub requests: u64,
    /// On how many of them the agent began to work.
    pub messages: u64,
    /// How long requests were made, in milliseconds.
    pub duration_ms: u64,
    /// How many requests were made, by interface and operation.
    pub tried: Vec<TriedInfo>,
    /// How often each finding was seen, by its case, and how often it came again.
    pub seen: Vec<SeenInfo>,
    /// How many causes were seen once and never again.
    pub gone: u64,
    /// The known causes that were seen: nothing more is said of them.
    pub known: Vec<String>,
    /// The known causes that were not.
    pub not_seen: Vec<String>,
    /// What could not be tried, and why.
    pub not_tried: Vec<String>,
    /// What grew with every batch of the same calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub growth: Vec<GrowthInfo>,
    /// How often the agent was gone, or had forgotten everything, and was there again.
    #[serde(skip_serializing_if = "is_none_of_it")]
    pub falls: u64,
    /// Why it ended before its time, where the agent did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dead: Option<String>,
}

fn is_none_of_it(number: &u64) -> bool {
    *number == 0
}

/// What an agent takes more of with every batch of the same calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GrowthInfo {
    /// Version and binding of each interface over which it was seen.
    pub interfaces: Vec<String>,
    /// The operation that was called.
    pub operation: String,
    /// What grew, and by how much.
    pub what: String,
    /// How many calls it was watched for.
    pub calls: usize,
}

/// How often an operation was called in a hunt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TriedInfo {
    /// Version and binding.
    pub interface: String,
    /// The operation.
    pub operation: String,
    /// How often.
    pub requests: u64,
}

/// How often a finding was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SeenInfo {
    /// The case that shows it.
    pub case: String,
    /// How often it was seen in the hunt.
    pub hits: u64,
    /// How often its case was run again.
    pub again: u64,
    /// How often it came then.
    pub came: u64,
    /// Where else it was seen: operations, with the place of the request that was changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
}

/// The version of the JSON form of a report.
pub const SCHEMA_VERSION: u32 = 1;

/// A part of a run (`--shard`).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct ShardInfo {
    /// Its number, from 1.
    pub shard: usize,
    /// How many parts there are.
    pub of: usize,
    /// What the whole plan is: equal for all parts of one.
    pub plan: String,
    /// Whether the whole plan has every case that there is for the agent: then all parts together show conformance.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub every_case: bool,
    /// Where the agent was.
    pub url: String,
    /// When it began: RFC 3339, UTC.
    pub started: String,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// How many messages the agent was sent.
    pub messages_sent: u64,
}

impl ShardInfo {
    /// That of the part of a plan that the report is about.
    pub(crate) fn of(shard: Shard, plan: String, every_case: bool, report: &Report) -> Self {
        Self {
            shard: shard.number(),
            of: shard.of(),
            plan,
            every_case,
            url: report.target.url.clone(),
            started: report.started.clone(),
            duration_ms: report.duration_ms,
            messages_sent: report.messages_sent,
        }
    }
}

/// What a report means for a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct GateInfo {
    /// From which level on a broken requirement fails the gate.
    pub fail_on: FailOn,
    /// What it says.
    pub outcome: Gate,
    /// The exit code of the program, unless a report could not be written.
    pub exit_code: u8,
    /// That too little was tested, where it was said how much is to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub too_few: Option<TooFew>,
}

/// The program.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Tool {
    /// `a2aspec`.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Default for Tool {
    fn default() -> Self {
        Self { name: env!("CARGO_PKG_NAME").to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
    }
}

/// Verdicts counted by level.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Summary {
    /// Of cases at level MUST.
    pub must: Counts,
    /// Of cases at level SHOULD.
    pub should: Counts,
    /// Of cases at level MAY.
    pub may: Counts,
}

/// How many cases came out how. `fail` counts every case whose requirement was seen broken: `fail`, `warn` or `note`
/// by level.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Counts {
    /// The behaviour was seen and right.
    pub pass: usize,
    /// The behaviour was seen and wrong.
    pub fail: usize,
    /// The behaviour was seen and wrong, and right when the case was run again.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub flaky: usize,
    /// The agent could not be brought into the state.
    pub unreached: usize,
    /// The case does not apply to this agent.
    pub skipped: usize,
    /// The suite itself failed, or lost the connection.
    pub broken: usize,
}

impl Counts {
    /// Counts one more.
    pub(crate) fn count(&mut self, verdict: Verdict) {
        let place = match verdict {
            Verdict::Pass => &mut self.pass,
            Verdict::Fail | Verdict::Warn | Verdict::Note => &mut self.fail,
            Verdict::Flaky => &mut self.flaky,
            Verdict::Unreached => &mut self.unreached,
            Verdict::Skipped => &mut self.skipped,
            Verdict::Broken => &mut self.broken,
        };
        *place += 1;
    }

    /// Those that were seen, right or wrong.
    pub fn tested(&self) -> usize {
        self.pass + self.fail + self.flaky
    }

    /// All of them.
    pub fn total(&self) -> usize {
        self.tested() + self.unreached + self.skipped + self.broken
    }
}

impl Summary {
    /// Counts results.
    pub fn of(results: &[TrialResult]) -> Self {
        let mut summary = Self::default();
        for result in results {
            summary.level_mut(result.level).count(result.verdict);
        }
        summary
    }

    /// A number of the counts, over all levels.
    pub fn sum(&self, number: impl Fn(&Counts) -> usize) -> usize {
        Level::ALL.iter().map(|level| number(self.level(*level))).sum()
    }

    /// The counts of one level.
    pub fn level(&self, level: Level) -> &Counts {
        match level {
            Level::Must => &self.must,
            Level::Should => &self.should,
            Level::May => &self.may,
        }
    }

    fn level_mut(&mut self, level: Level) -> &mut Counts {
        match level {
            Level::Must => &mut self.must,
            Level::Should => &mut self.should,
            Level::May => &mut self.may,
        }
    }
}

/// One requirement, judged by the assertions that decide it.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct RequirementResult {
    /// Its id.
    pub id: String,
    /// The profile for which it was checked.
    pub profile: String,
    /// The section that states it.
    pub section: String,
    /// Where its sections are published.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<SectionLink>,
    /// Its level.
    pub level: Level,
    /// What of the agent it is about.
    #[serde(default, skip_serializing_if = "Layer::is_agent")]
    pub layer: Layer,
    /// What it says.
    pub text: String,
    /// What the assertions that decide it come to, at its own level, or as a warning where it is of the HTTP server.
    pub verdict: Verdict,
    /// Why it was not tested.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The cases that check it.
    pub cases: Vec<String>,
    /// What of them decides it.
    pub checks: Vec<CheckRef>,
}

/// A trigger whose own words did not do: what does, or what waits for somebody who knows.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct TriggerInfo {
    /// The trigger.
    pub trigger: String,
    /// The text that does, where the suite has found one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What the message's id begins with, where that is part of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id_prefix: Option<String>,
    /// Whether the text is an example of a skill in the card.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_example: bool,
    /// How many cases were tested by these words; where there are none, how many such words would reach.
    pub cases: usize,
}

/// What helps with a case that did not pass.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct CaseInfo {
    /// Its id.
    pub id: String,
    /// Why it matters to whoever runs agents.
    pub why: String,
    /// How to fix an agent that fails.
    pub fix: String,
    /// What it needs to be able to send to bring the agent into its states.
    pub triggers: Vec<Trigger>,
    /// How to run just this case again, once for each profile and binding in which it did not pass.
    pub rerun: Vec<Rerun>,
}

/// The command line that runs one case again over one binding in one profile.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Rerun {
    /// The profile.
    pub profile: String,
    /// The binding.
    pub binding: String,
    /// The command line.
    pub command: String,
}

/// An exchange, as text.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct ExchangeInfo {
    /// Its number.
    pub id: u64,
    /// The case that made it, or what else it was for.
    pub purpose: String,
    /// Milliseconds since the start of the run.
    pub started_ms: f64,
    /// Milliseconds that it took.
    pub elapsed_ms: f64,
    /// `inbound` where the agent made the request and the suite answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<DirectionInfo>,
    /// What was sent.
    pub request: RequestInfo,
    /// What came back.
    pub response: Option<ResponseInfo>,
    /// How it ended, where that is worth saying.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
}

impl ExchangeInfo {
    /// Whether the agent made the request.
    pub fn is_inbound(&self) -> bool {
        self.direction.is_some()
    }
}

/// Which way an exchange went, where it is not the suite that made the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DirectionInfo {
    /// The agent made it.
    Inbound,
}

/// A request, as text.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct RequestInfo {
    /// HTTP method.
    pub method: String,
    /// Where it went.
    pub url: String,
    /// The headers that the suite set.
    pub headers: BTreeMap<String, String>,
    /// The body.
    #[serde(flatten)]
    pub body: Body,
    /// Whether the body is all that was written on the connection, heads included.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub verbatim: bool,
}

/// A response, as text.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct ResponseInfo {
    /// HTTP status.
    pub status: u16,
    /// Headers; several of one name are joined with commas.
    pub headers: BTreeMap<String, String>,
    /// The body. Where it is decoded: its messages in JSON form, one a line.
    #[serde(flatten)]
    pub body: Body,
    /// Whether the body was no text for people, and is shown decoded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub decoded: bool,
    /// Trailers after the body, as headers are shown; gRPC has its status there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub trailers: BTreeMap<String, String>,
}

impl Report {
    /// The interfaces that a run which went on could not check to the end, each with the reason.
    pub fn lost(&self) -> impl Iterator<Item = (&InterfaceInfo, &str)> {
        self.target.interfaces.iter().filter_map(|interface| Some((interface, interface.lost.as_deref()?)))
    }

    /// What it means that a case was not reached.
    pub(super) fn unreached(&self) -> &'static str {
        match self.target.client {
            Some(_) => "the client did nothing that shows it",
            None => "the agent could not be brought into the state",
        }
    }
}

impl CaseInfo {
    /// How to run it again where this result is from.
    pub fn rerun_of(&self, result: &TrialResult) -> Option<&Rerun> {
        self.rerun.iter().find(|rerun| rerun.profile == result.profile && rerun.binding == result.binding)
    }
}

impl ExchangeInfo {
    /// About how many bytes it takes in a report.
    pub fn size(&self) -> usize {
        const FRAME: usize = 400;
        let of_headers = |headers: &BTreeMap<String, String>| -> usize {
            headers.iter().map(|(name, value)| name.len() + value.len()).sum()
        };
        let response = self.response.as_ref();
        let response = response.map_or(0, |response| {
            response.body.size() + of_headers(&response.headers) + of_headers(&response.trailers)
        });
        FRAME + self.request.url.len() + self.request.body.size() + of_headers(&self.request.headers) + response
    }
}

impl ResponseInfo {
    /// The field of this name (lower case) in the trailers, or else in the headers.
    pub fn last_word(&self, name: &str) -> Option<&str> {
        self.trailers.get(name).or_else(|| self.headers.get(name)).map(String::as_str)
    }
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}
