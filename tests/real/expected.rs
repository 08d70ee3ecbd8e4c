//! What was read by hand: `tests/real/<version>.expected.yaml`.

use std::path::Path;

use a2aspec::yaml;
use serde::Deserialize;

/// The expectations of one agent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// The agent's program, beside this file.
    pub agent: String,
    /// The package it is built on, with its version.
    pub sdk: String,
    /// The profile by which it is checked; names its environment, too.
    pub profile: String,
    /// Where it truly deviates.
    pub findings: Vec<Deviation>,
    /// Cases that cannot be judged with this agent. Anything else that is not reached, or breaks, fails the test.
    #[serde(default)]
    pub untested: Vec<Untested>,
}

/// One case that the agent rightly does not pass.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// Id of the case.
    pub case: String,
    /// Ids of the requirements that it checks.
    pub requirements: Vec<String>,
    /// The level at which they bind.
    pub level: String,
    /// `fail`, `warn` or `note`.
    pub verdict: String,
    /// The sections that state them.
    pub section: String,
    /// What the agent does, what the text says, why this is a true deviation.
    pub why: String,
    /// The exchange that shows it.
    pub exchange: Quote,
}

/// A short quote of an exchange. `...` stands for anything; what is between must be there, in this order.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quote {
    /// Of the request: method, URL, headers, an empty line, the body.
    pub sent: String,
    /// Of the response: status, headers, an empty line, the body.
    pub came: String,
}

/// One case that cannot be judged.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Untested {
    /// Id of the case.
    pub case: String,
    /// `unreached` or `broken`.
    pub verdict: String,
    /// Why it cannot be judged.
    pub why: String,
}

impl Expected {
    /// Reads the file, in which every argument must be made.
    pub fn read(path: &Path) -> Result<Self, String> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
        let expected: Self = yaml::read(&name, &text).map_err(|mistake| {
            let line =
                mistake.offset.map_or(1, |offset| text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1);
            format!("{name}:{line}: {}", mistake.message)
        })?;
        for finding in &expected.findings {
            if finding.why.trim().is_empty() {
                return Err(format!("{name}: {} is not argued", finding.case));
            }
        }
        if let Some(silent) = expected.untested.iter().find(|untested| untested.why.trim().is_empty()) {
            return Err(format!("{name}: {} is not argued", silent.case));
        }
        Ok(expected)
    }
}

impl Quote {
    /// Whether `text` holds the pieces of a quote in their order.
    pub fn is_in(quote: &str, text: &str) -> bool {
        let mut rest = text;
        quote.split("...").map(str::trim).all(|piece| match rest.split_once(piece) {
            Some((_, after)) => {
                rest = after;
                true
            }
            None => false,
        })
    }
}
