//! What the suite says: the parts of its JSON report that are compared.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use a2aspec::case::CheckRef;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

/// A report.
#[derive(Debug, Deserialize)]
pub struct Report {
    /// What was checked.
    pub target: Target,
    /// One entry for each case over each binding.
    pub results: Vec<Outcome>,
    /// One entry for each requirement.
    pub requirements: Vec<Requirement>,
    /// What a person is told of: one entry for each cause.
    pub problems: Vec<Problem>,
    /// What findings cite.
    pub exchanges: Vec<Exchange>,
    /// One entry for each case that did not pass.
    pub cases: Vec<Case>,
}

/// A cause as the report tells it.
#[derive(Debug, Deserialize)]
pub struct Problem {
    /// `fail`, `warn` or another.
    pub verdict: String,
}

/// What helps with a case.
#[derive(Debug, Deserialize)]
pub struct Case {
    /// Its id.
    pub id: String,
    /// How to run it again.
    pub rerun: Vec<Rerun>,
}

/// How to run a case again.
#[derive(Debug, Deserialize)]
pub struct Rerun {
    /// In which version.
    pub profile: String,
    /// Over which binding.
    pub binding: String,
    /// The command line.
    pub command: String,
}

/// One requirement.
#[derive(Debug, Deserialize)]
pub struct Requirement {
    /// Its id.
    pub id: String,
    /// What the assertions that decide it come to.
    pub verdict: String,
    /// These assertions.
    pub checks: Vec<CheckRef>,
}

impl Requirement {
    /// Whether it is said to be violated.
    pub fn is_violated(&self) -> bool {
        matches!(self.verdict.as_str(), "fail" | "warn" | "note")
    }

    /// What a result shows of its being violated: the findings of assertions that decide it.
    pub fn violations_in<'a>(&'a self, outcome: &'a Outcome) -> impl Iterator<Item = &'a Finding> {
        let decides = |finding: &&Finding| {
            self.checks.iter().any(|check| check.is_violated_by(&outcome.case, &finding.assertion))
        };
        outcome.findings.iter().filter(move |_| outcome.requirements.contains(&self.id)).filter(decides)
    }
}

/// What was checked.
#[derive(Debug, Deserialize)]
pub struct Target {
    /// What the card declares, and what was found out by asking.
    pub interfaces: Vec<Interface>,
}

/// One interface.
#[derive(Debug, Deserialize)]
pub struct Interface {
    /// Over which binding, as the card spells it.
    pub binding: String,
    /// The version that the card says, or that goes without saying.
    pub version: String,
    /// The profile by which it was checked.
    pub profile: Option<String>,
}

/// How one case came out.
#[derive(Debug, Deserialize)]
pub struct Outcome {
    /// Its id.
    pub case: String,
    /// In which version.
    pub profile: String,
    /// Over which binding.
    pub binding: String,
    /// The requirements that it checks.
    pub requirements: Vec<String>,
    /// Their level.
    pub level: String,
    /// Their sections.
    pub section: String,
    /// How it came out.
    pub verdict: String,
    /// Why it was not judged.
    pub reason: Option<String>,
    /// What was wrong.
    pub findings: Vec<Finding>,
}

/// One thing that was wrong.
#[derive(Debug, Deserialize)]
pub struct Finding {
    /// What it violates.
    pub assertion: String,
    /// In words.
    pub message: String,
    /// What was demanded.
    pub expected: Option<String>,
    /// What came.
    pub received: Option<String>,
    /// The exchange that proves it.
    pub exchange: Option<u64>,
}

/// An exchange.
#[derive(Debug, Deserialize)]
pub struct Exchange {
    id: u64,
    request: Request,
    response: Option<Response>,
}

#[derive(Debug, Deserialize)]
struct Request {
    method: String,
    url: String,
    headers: BTreeMap<String, String>,
    #[serde(flatten)]
    body: Body,
}

#[derive(Debug, Deserialize)]
struct Response {
    status: u16,
    headers: BTreeMap<String, String>,
    #[serde(flatten)]
    body: Body,
}

#[derive(Debug, Deserialize)]
struct Body {
    body: String,
    body_encoding: Option<String>,
}

impl Body {
    fn text(&self) -> Cow<'_, str> {
        match self.body_encoding.as_deref() {
            Some("base64") => {
                let bytes = STANDARD.decode(&self.body).unwrap_or_default();
                Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
            }
            _ => Cow::Borrowed(&self.body),
        }
    }
}

impl Report {
    /// Reads the file that the suite wrote.
    pub fn read(path: &Path) -> Result<Self, String> {
        let bytes = std::fs::read(path).map_err(|error| format!("there is no report: {error}"))?;
        serde_json::from_slice(&bytes).map_err(|error| format!("the report cannot be read: {error}"))
    }

    /// The exchanges that the findings of a case cite.
    pub fn cited<'a>(&'a self, outcome: &'a Outcome) -> impl Iterator<Item = &'a Exchange> {
        let cites = |exchange: &&Exchange| outcome.findings.iter().any(|finding| finding.exchange == Some(exchange.id));
        self.exchanges.iter().filter(cites)
    }
}

impl Exchange {
    /// Its number.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// What was sent, as text.
    pub fn sent(&self) -> String {
        let Request { method, url, headers, body } = &self.request;
        format!("{method} {url}\n{}\n{}", lines(headers), body.text())
    }

    /// What came, as text.
    pub fn came(&self) -> String {
        match &self.response {
            Some(Response { status, headers, body }) => {
                format!("{status}\n{}\n{}", lines(headers), body.text())
            }
            None => "nothing".to_owned(),
        }
    }
}

fn lines(headers: &BTreeMap<String, String>) -> String {
    headers.iter().map(|(name, value)| format!("{name}: {value}\n")).collect()
}
