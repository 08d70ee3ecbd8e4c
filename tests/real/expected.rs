//! What was read by hand: `tests/real/<agent>.expected.yaml`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use a2aspec::yaml;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The expectations of one agent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// The agent beside this file: a program in Python, or the folder of a package in another language.
    pub agent: String,
    /// The package it is built on, with its version.
    pub sdk: String,
    /// The profile by which it is to be checked, as the suite has to find out.
    pub profile: String,
    /// The environment of an agent in Python, where it is not that of its profile.
    #[serde(default)]
    pub environment: Option<String>,
    /// The path of its card, where that is none of the well-known places.
    #[serde(default)]
    pub card: Option<String>,
    /// Whether it has two users and posts to webhooks, and is checked for what these are about alone.
    #[serde(default)]
    pub secured: bool,
    /// Whether its users have API keys in a header rather than bearer tokens.
    #[serde(default)]
    pub api_key: bool,
    /// Whether it is started anew before cases are run again: it serves no longer what it served before a whole run.
    #[serde(default)]
    pub afresh: bool,
    /// Where it truly deviates.
    pub findings: Vec<Deviation>,
    /// Cases that cannot be judged with this agent. Anything else that is not reached, or breaks, fails the test.
    #[serde(default)]
    pub untested: Vec<Untested>,
}

/// One case that the agent rightly does not pass, over one binding or several that deviate alike.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// Id of the case.
    pub case: String,
    /// Ids of those of its requirements that the agent breaks.
    pub requirements: Vec<String>,
    /// The level at which they bind.
    pub level: String,
    /// `fail`, `warn` or `note`.
    pub verdict: String,
    /// Another case whose entry tells the cause, where this one shows no cause of its own.
    #[serde(default)]
    pub cause: Option<String>,
    /// The sections that say so, of those that the report names.
    pub section: String,
    /// What the agent does, what the text says, why this is a true deviation.
    pub why: String,
    /// Whether a race within the agent decides: the case may pass as well.
    #[serde(default)]
    pub unsteady: bool,
    /// The exchange that shows it, for each binding over which it is so.
    pub exchanges: BTreeMap<String, Quote>,
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

/// One case that cannot be judged over some bindings.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Untested {
    /// Id of the case.
    pub case: String,
    /// `unreached` or `broken`.
    pub verdict: String,
    /// Over which bindings.
    pub bindings: Vec<String>,
    /// Why it cannot be judged.
    pub why: String,
    /// Whether a race within the agent decides: the case may pass as well.
    #[serde(default)]
    pub unsteady: bool,
}

/// Reads a file that was written by hand; a mistake in it is told with its line.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<T, String> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    yaml::read(&name, &text).map_err(|mistake| {
        let line =
            mistake.offset.map_or(1, |offset| text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1);
        format!("{name}:{line}: {}", mistake.message)
    })
}

impl Expected {
    /// Reads the file, in which every argument must be made, and made once.
    pub fn read(path: &Path) -> Result<Self, String> {
        let expected: Self = read(path)?;
        expected.is_argued().map_err(|mistake| format!("{}: {mistake}", path.display()))?;
        Ok(expected)
    }

    /// Where the card of an agent at this URL is, if a client has to be told.
    pub fn card_at(&self, url: &str) -> Option<String> {
        self.card.as_ref().map(|path| format!("{url}{path}"))
    }

    /// The header in which a user shows this token, and its value.
    pub fn credentials(&self, token: &str) -> (&'static str, String) {
        if self.api_key { ("x-api-key", token.to_owned()) } else { ("authorization", format!("Bearer {token}")) }
    }

    /// What is known about a case over a binding.
    pub fn finding(&self, case: &str, binding: &str) -> Option<(&Deviation, &Quote)> {
        let of_case = self.findings.iter().filter(|finding| finding.case == case);
        of_case.filter_map(|finding| Some((finding, finding.exchanges.get(binding)?))).next()
    }

    /// How many causes the failures and warnings have.
    pub fn causes(&self) -> usize {
        let told = self.findings.iter().filter(|finding| finding.is_problem());
        told.map(|finding| self.root(finding).case.as_str()).collect::<BTreeSet<_>>().len()
    }

    /// The entry that tells the cause of another; that itself, where it goes in a circle.
    fn root<'a>(&'a self, finding: &'a Deviation) -> &'a Deviation {
        let mut root = finding;
        for _ in &self.findings {
            let named = root.cause.as_ref().and_then(|case| self.findings.iter().find(|one| one.case == *case));
            match named {
                Some(named) => root = named,
                None => return root,
            }
        }
        finding
    }

    /// Each entry names bindings, says why, and is the only one that does so of its case. A cause leads to an entry that has
    /// none beside its own.
    fn is_argued(&self) -> Result<(), String> {
        let findings = self.findings.iter().map(|known| {
            let bindings: Vec<&String> = known.exchanges.keys().collect();
            (&known.case, bindings, &known.why)
        });
        if let Some(lost) = self.findings.iter().find(|known| self.root(known).cause.is_some()) {
            return Err(format!("the cause of {} is told nowhere", lost.case));
        }
        let untested = self.untested.iter().map(|known| (&known.case, known.bindings.iter().collect(), &known.why));
        let mut seen = BTreeSet::new();
        for (case, bindings, why) in findings.chain(untested) {
            if why.trim().is_empty() {
                return Err(format!("{case} is not argued"));
            }
            if bindings.is_empty() {
                return Err(format!("{case} does not say over which bindings"));
            }
            if let Some(twice) = bindings.into_iter().find(|binding| !seen.insert((case, *binding))) {
                return Err(format!("{case} is there twice over {twice}"));
            }
        }
        Ok(())
    }
}

impl Deviation {
    /// Whether it fails a gate at some level.
    fn is_problem(&self) -> bool {
        matches!(self.verdict.as_str(), "fail" | "warn")
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
