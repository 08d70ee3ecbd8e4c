//! What a run found, in the form in which every renderer reads it and the JSON report shows it.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::body::Body;
use crate::case::{Level, Trigger};
use crate::diagnostic::words::one_line;

/// A whole report. `schemas/report.schema.json` describes its JSON.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// Verdicts counted by level.
    pub summary: Summary,
    /// One entry per trial: a case over one binding in one profile.
    pub results: Vec<TrialResult>,
    /// One entry per requirement that a case of this run checks.
    pub requirements: Vec<RequirementResult>,
    /// One entry per case with a result other than `pass` and `skipped`.
    pub cases: Vec<CaseInfo>,
    /// The exchanges that findings cite, as far as a report has room for them.
    pub exchanges: Vec<ExchangeInfo>,
    /// How many more they cite.
    #[serde(skip_serializing_if = "is_zero")]
    pub exchanges_left_out: usize,
}

/// The program.
#[derive(Debug, Clone, Serialize)]
pub struct Tool {
    /// `a2aspec`.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

/// The agent under test.
#[derive(Debug, Clone, Serialize)]
pub struct TargetInfo {
    /// As the user gave it, or that of the agent that was started.
    pub url: String,
    /// Where its card was found; several where the agent has several, none where it has none.
    pub cards: Vec<String>,
    /// The agent's name for itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Every interface that the card declares.
    pub interfaces: Vec<InterfaceInfo>,
}

/// One declared interface.
#[derive(Debug, Clone, Serialize)]
pub struct InterfaceInfo {
    /// Its URL.
    pub url: String,
    /// The binding as the card spells it.
    pub binding: String,
    /// The protocol version as the card spells it.
    pub version: String,
    /// The profile by which it was checked.
    pub profile: Option<String>,
    /// Why it was not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// What about it is odd, though it can be checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The form in which it speaks, where the version leaves that open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// Why it could not be checked to the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<String>,
}

impl InterfaceInfo {
    /// What it is and where, as the card spells it, on one line.
    pub fn title(&self) -> String {
        let url = if self.url.is_empty() { "an empty URL" } else { &self.url };
        one_line(&format!("{} {} at {url}", self.binding, self.version))
    }

    /// Adds to what is odd about it.
    pub fn add_note(&mut self, text: &str) {
        self.note = Some(match self.note.take() {
            Some(note) => format!("{note}; {text}"),
            None => text.to_owned(),
        });
    }
}

impl TargetInfo {
    /// The interfaces that are checked, in the order of the endpoints.
    pub fn checked_mut(&mut self) -> impl Iterator<Item = &mut InterfaceInfo> {
        self.interfaces.iter_mut().filter(|interface| interface.skipped.is_none())
    }
}

/// Verdicts counted by level.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// The behaviour was seen and right.
    pub pass: usize,
    /// The behaviour was seen and wrong.
    pub fail: usize,
    /// The agent could not be brought into the state.
    pub unreached: usize,
    /// The case does not apply to this agent.
    pub skipped: usize,
    /// The suite itself failed, or lost the connection.
    pub broken: usize,
}

impl Counts {
    fn count(&mut self, verdict: Verdict) {
        let place = match verdict {
            Verdict::Pass => &mut self.pass,
            Verdict::Fail | Verdict::Warn | Verdict::Note => &mut self.fail,
            Verdict::Unreached => &mut self.unreached,
            Verdict::Skipped => &mut self.skipped,
            Verdict::Broken => &mut self.broken,
        };
        *place += 1;
    }

    /// All of them.
    pub fn total(&self) -> usize {
        self.pass + self.fail + self.unreached + self.skipped + self.broken
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

/// How a case came out. Ordered from good to bad, so that the worst of several is their maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
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

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Skipped => "skipped",
            Self::Unreached => "unreached",
            Self::Broken => "broken",
            Self::Note => "note",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// One case over one binding in one profile.
#[derive(Debug, Clone, Serialize)]
pub struct TrialResult {
    /// Id of the case.
    pub case: String,
    /// What it checks.
    pub title: String,
    /// Ids of the requirements that it checks.
    pub requirements: Vec<String>,
    /// Its level in this profile.
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
    pub reason: Option<String>,
    /// What was wrong: the first few, where it is much.
    pub findings: Vec<Finding>,
    /// How much more was.
    #[serde(skip_serializing_if = "is_zero")]
    pub findings_left_out: usize,
}

impl TrialResult {
    /// The flags that choose what it ran over: `--profile 1.0 --binding grpc`, with both bindings of one across two.
    pub fn flags(&self) -> String {
        let bindings: String = self.binding.split('+').map(|binding| format!(" --binding {binding}")).collect();
        format!("--profile {}{bindings}", self.profile)
    }
}

/// One thing that was wrong, with its evidence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// A lower-case fragment without a full stop.
    pub message: String,
    /// RFC 6901 pointer into the response body, or into the data of the event.
    pub pointer: Option<String>,
    /// What the specification demands.
    pub expected: Option<String>,
    /// What came instead.
    pub actual: Option<String>,
    /// Number of the exchange that proves it.
    pub exchange: Option<u64>,
    /// Number of the exchange with which that one was compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<u64>,
    /// Index of the event in a stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<usize>,
    /// Line of the step in the case file that expected otherwise, as `file:line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What is around the place, where the body is too long to be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<ExcerptInfo>,
}

/// A piece of a body, or of the data of an event, around the place of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExcerptInfo {
    /// Of what it is a piece, such as `response body`.
    pub of: String,
    /// The piece.
    pub text: String,
    /// The bytes of the piece that the finding is about.
    pub from: usize,
    /// Where they end.
    pub to: usize,
    /// What is there other than what was expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

impl Finding {
    /// A finding without evidence yet.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            pointer: None,
            expected: None,
            actual: None,
            exchange: None,
            against: None,
            event: None,
            source: None,
            excerpt: None,
        }
    }

    /// Adds what was demanded and what came.
    #[must_use]
    pub fn compare(mut self, expected: impl Into<String>, actual: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self.actual = Some(actual.into());
        self
    }

    /// Adds where it is.
    #[must_use]
    pub fn at(mut self, exchange: u64, pointer: impl Into<String>) -> Self {
        self.exchange = Some(exchange);
        self.pointer = Some(pointer.into());
        self
    }

    /// Adds the exchange as a whole.
    #[must_use]
    pub fn in_exchange(mut self, exchange: u64) -> Self {
        self.exchange = Some(exchange);
        self
    }

    /// Adds the exchange with which it was compared.
    #[must_use]
    pub fn against(mut self, exchange: u64) -> Self {
        self.against = Some(exchange);
        self
    }

    /// Adds the event of the stream.
    #[must_use]
    pub fn in_event(mut self, event: usize) -> Self {
        self.event = Some(event);
        self
    }
}

/// One requirement, with the worst verdict of its cases.
#[derive(Debug, Clone, Serialize)]
pub struct RequirementResult {
    /// Its id.
    pub id: String,
    /// The profile for which it was checked.
    pub profile: String,
    /// The section that states it.
    pub section: String,
    /// Its level.
    pub level: Level,
    /// What it says.
    pub text: String,
    /// The worst verdict of its cases, at its own level.
    pub verdict: Verdict,
    /// The cases.
    pub cases: Vec<String>,
}

/// What helps with a case that did not pass.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CaseInfo {
    /// Its id.
    pub id: String,
    /// Why it matters to whoever runs agents.
    pub why: String,
    /// How to mend an agent that fails.
    pub mend: String,
    /// What it needs to be able to send to bring the agent into its states.
    pub triggers: Vec<Trigger>,
    /// The command lines that run just this case again, one for each profile and binding in which it did not pass.
    pub again: Vec<String>,
}

/// An exchange, as text.
#[derive(Debug, Clone, Serialize)]
pub struct ExchangeInfo {
    /// Its number.
    pub id: u64,
    /// The case that made it, or what else it was for.
    pub purpose: String,
    /// Milliseconds since the start of the run.
    pub started_ms: f64,
    /// Milliseconds that it took.
    pub elapsed_ms: f64,
    /// What was sent.
    pub request: RequestInfo,
    /// What came back.
    pub response: Option<ResponseInfo>,
    /// How it ended, where that is worth saying.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
}

/// A request, as text.
#[derive(Debug, Clone, Serialize)]
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
}

/// A response, as text.
#[derive(Debug, Clone, Serialize)]
pub struct ResponseInfo {
    /// HTTP status.
    pub status: u16,
    /// Headers; several of one name are joined with commas.
    pub headers: BTreeMap<String, String>,
    /// The body. Where it is decoded: its messages in JSON form, one a line.
    #[serde(flatten)]
    pub body: Body,
    /// Whether the body was no text for people, and is shown decoded.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub decoded: bool,
    /// Trailers after the body, as headers are shown; gRPC has its status there.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub trailers: BTreeMap<String, String>,
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

/// A value as findings show it: one line, not too long.
pub fn show(value: &Value) -> String {
    const LONGEST: usize = 160;
    let text = value.to_string();
    if text.chars().count() <= LONGEST {
        return text;
    }
    let head: String = text.chars().take(LONGEST).collect();
    format!("{head} ...")
}
