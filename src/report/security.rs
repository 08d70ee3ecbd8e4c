//! What a run shows of who may do what: the page that those read first who answer for an agent's security.
//!
//! Everything in it is counted from results, so that reports which are put together need nothing else.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::model::Counts;
use crate::auth::Caller;
use crate::diagnostic::words::one_line;
use crate::interface::SchemeInfo;
use crate::verdict::{Foreign, TrialResult, Verdict};

/// What is told together, and the cases that it counts: ids, or with `*` at the end their beginnings.
const TOPICS: [(&str, &[&str]); 5] = [
    (
        "credentials",
        &[
            "security/no-credentials*",
            "security/malformed-credentials",
            "security/challenge-fits",
            "security/extended-card*",
            "security/expired*",
            "security/wrong-audience*",
            "security/narrow*",
        ],
    ),
    ("callers kept apart", &["security/others-*"]),
    ("webhooks", &["push/*", "security/webhook-*", "security/redirected-webhook*"]),
    ("signatures", &["card/sign*", "card/extended-sign*"]),
    (
        "TLS",
        &[
            "security/encrypted",
            "security/card-encrypted",
            "security/old-tls",
            "security/weak-ciphers",
            "security/hsts",
        ],
    ),
];

/// A summary of security.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct SecurityInfo {
    /// Who asked, as far as somebody in particular did.
    pub identities: Vec<IdentityInfo>,
    /// What the second identity was given of what belongs to the first; nothing where there was no second.
    #[serde(skip_deserializing)]
    pub matrix: Vec<AccessInfo>,
    /// How cases came out, by what they are about.
    #[serde(skip_deserializing)]
    pub topics: Vec<TopicInfo>,
    /// What of them could not be tried, with what it takes, that with the most cases first.
    #[serde(skip_deserializing)]
    pub not_tried: Vec<NotTriedInfo>,
}

/// An identity that the user gave.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct IdentityInfo {
    /// In whose name: `own`, `other` for the second identity, or the role of another.
    pub caller: String,
    /// What it brings, without any value.
    pub brings: Vec<String>,
}

impl IdentityInfo {
    /// What stands before what it brings, where a line has little room.
    pub(super) fn label(&self) -> String {
        label(&self.caller)
    }
}

/// The same of a caller.
pub(super) fn label(caller: &str) -> String {
    if caller == Caller::WrongAudience.name() { "wrong audience".to_owned() } else { format!("{caller} identity") }
}

/// What comes of one operation on what belongs to another caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AccessInfo {
    /// What is tried on what.
    #[serde(flatten)]
    pub foreign: Foreign,
    /// How it came out, in each version over each binding.
    pub cells: Vec<CellInfo>,
}

/// One interface in a row of the matrix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CellInfo {
    /// The version.
    pub profile: String,
    /// The binding.
    pub binding: String,
    /// The case.
    pub case: String,
    /// How it came out: `pass` is a refusal that tells nothing.
    pub verdict: Verdict,
}

/// How the cases of a topic came out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TopicInfo {
    /// The topic.
    pub topic: String,
    /// How many came out how.
    #[serde(flatten)]
    pub counts: Counts,
}

/// Why something was not tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotTriedInfo {
    /// The topic.
    pub topic: String,
    /// How many cases.
    pub cases: usize,
    /// Why, and what would help.
    pub reason: String,
}

/// The topic of a case.
fn topic(case: &str) -> Option<&'static str> {
    let is_of = |pattern: &&str| match pattern.strip_suffix('*') {
        Some(beginning) => case.starts_with(beginning),
        None => case == *pattern,
    };
    TOPICS.iter().find(|(_, patterns)| patterns.iter().any(&is_of)).map(|(name, _)| *name)
}

impl SecurityInfo {
    /// The summary of results.
    pub(super) fn of(identities: Vec<IdentityInfo>, results: &[TrialResult]) -> Self {
        let about: Vec<(&str, &TrialResult)> =
            results.iter().filter_map(|result| Some((topic(&result.case)?, result))).collect();
        let topics = TOPICS.iter().filter_map(|(name, _)| {
            let mut counts = Counts::default();
            about.iter().filter(|(topic, _)| topic == name).for_each(|(_, result)| counts.count(result.verdict));
            // What does not apply to the agent at all is no topic of its.
            (counts.total() > counts.skipped).then(|| TopicInfo { topic: (*name).to_owned(), counts })
        });
        Self { identities, matrix: matrix(results), topics: topics.collect(), not_tried: not_tried(&about) }
    }

    /// What in it may repeat words from outside.
    pub(super) fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let brought = self.identities.iter_mut().flat_map(|identity| &mut identity.brings);
        brought.chain(self.not_tried.iter_mut().map(|info| &mut info.reason))
    }

    /// Whether there is nothing to show but what could not be tried.
    pub(super) fn shows_nothing(&self) -> bool {
        self.identities.is_empty() && self.topics.is_empty() && self.matrix.is_empty()
    }

    /// Whether no case was about it.
    pub fn is_empty(&self) -> bool {
        self.topics.is_empty() && self.matrix.is_empty() && self.not_tried.is_empty()
    }
}

/// One row for each operation on each kind of thing; nothing where no second identity has asked.
fn matrix(results: &[TrialResult]) -> Vec<AccessInfo> {
    let mut rows: BTreeMap<&Foreign, Vec<CellInfo>> = BTreeMap::new();
    for result in results.iter().filter(|result| result.verdict != Verdict::Skipped) {
        let Some(foreign) = &result.foreign else { continue };
        rows.entry(foreign).or_default().push(CellInfo {
            profile: result.profile.clone(),
            binding: result.binding.clone(),
            case: result.case.clone(),
            verdict: result.verdict,
        });
    }
    rows.into_iter().map(|(foreign, cells)| AccessInfo { foreign: foreign.clone(), cells }).collect()
}

fn not_tried(about: &[(&'static str, &TrialResult)]) -> Vec<NotTriedInfo> {
    let mut reasons: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for (topic, result) in about {
        let Some(reason) = &result.reason else { continue };
        let is_told = match result.verdict {
            Verdict::Unreached | Verdict::Broken => true,
            Verdict::Skipped => reason.is_for_want_of_settings(),
            _ => false,
        };
        if is_told {
            *reasons.entry((topic, one_line(&reason.to_string()))).or_default() += 1;
        }
    }
    let mut all: Vec<NotTriedInfo> = reasons
        .into_iter()
        .map(|((topic, reason), cases)| NotTriedInfo { topic: topic.to_owned(), cases, reason })
        .collect();
    all.sort_by_key(|info| std::cmp::Reverse(info.cases));
    all
}

impl AccessInfo {
    /// How it came out, in a few words: the worst first, and where that was unless it was so everywhere.
    pub(super) fn told(&self) -> String {
        let mut by_verdict: BTreeMap<Verdict, Vec<String>> = BTreeMap::new();
        for cell in &self.cells {
            by_verdict.entry(cell.verdict).or_default().push(format!("{} {}", cell.profile, cell.binding));
        }
        let told = by_verdict.iter().rev().map(|(verdict, places)| match verdict {
            Verdict::Pass => format!("pass {}", places.len()),
            _ => format!("{} {} ({})", verdict.name(), places.len(), places.join(", ")),
        });
        told.collect::<Vec<_>>().join(", ")
    }

    /// The worst of it.
    pub(super) fn worst(&self) -> Verdict {
        self.cells.iter().map(|cell| cell.verdict).max().unwrap_or(Verdict::Skipped)
    }

    /// How it came out over one interface.
    pub(super) fn at(&self, profile: &str, binding: &str) -> Option<Verdict> {
        let here = self.cells.iter().filter(|cell| cell.profile == profile && cell.binding == binding);
        here.map(|cell| cell.verdict).max()
    }
}

/// Every interface of a matrix, in the order of its results.
pub(super) fn columns(matrix: &[AccessInfo]) -> Vec<(&str, &str)> {
    let cells = matrix.iter().flat_map(|row| &row.cells);
    let all: BTreeSet<(&str, &str)> = cells.map(|cell| (cell.profile.as_str(), cell.binding.as_str())).collect();
    let mut all: Vec<(&str, &str)> = all.into_iter().collect();
    all.sort_by(|a, b| super::natural::compare(a.0, b.0).then_with(|| a.1.cmp(b.1)));
    all
}

/// Counts in words: those that there are.
pub(super) fn counted(counts: &Counts) -> String {
    let Counts { pass, fail, flaky, unreached, skipped, broken } = *counts;
    let all = [
        (fail, "wrong"),
        (flaky, "flaky"),
        (pass, "right"),
        (unreached, "not reached"),
        (broken, "broken"),
        (skipped, "not applicable"),
    ];
    let told = all.into_iter().filter(|(number, _)| *number > 0).map(|(number, name)| format!("{number} {name}"));
    told.collect::<Vec<_>>().join(", ")
}

/// A scheme in words, without its name.
pub(super) fn described(scheme: &SchemeInfo) -> String {
    let demanded = if scheme.demanded { ", demanded" } else { "" };
    let brought = match (scheme.brought, &scheme.help) {
        (true, _) => "credentials given".to_owned(),
        (false, Some(help)) => format!("no credentials given; use {help}"),
        (false, None) => "a2aspec does not support it".to_owned(),
    };
    format!("{}{demanded} in {}; {brought}", scheme.kind, scheme.profiles.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::whole::library;
    use crate::report::sample;

    #[test]
    fn every_case_about_security_is_in_one_topic() {
        let library = library();
        for case in library.cases.values().filter(|case| case.area() == "security") {
            assert!(topic(&case.id).is_some(), "{}", case.id);
        }
        for pattern in TOPICS.iter().flat_map(|(_, patterns)| *patterns) {
            let beginning = pattern.trim_end_matches('*');
            assert!(library.cases.keys().any(|id| id.starts_with(beginning)), "{pattern}");
        }
    }

    #[test]
    fn every_case_of_a_second_identity_is_in_the_matrix() {
        for case in library().cases.values() {
            assert_eq!(case.callers().contains(&Caller::Other), case.foreign().is_some(), "{}", case.id);
        }
    }

    #[test]
    fn what_is_only_skipped_is_no_topic() {
        let info = sample::full().security;
        assert_eq!((info.topics, info.matrix), (Vec::new(), Vec::new()));
        assert!(sample::clean().security.is_empty());
    }

    #[test]
    fn rows_tell_the_worst_first() {
        let info = sample::secured().security;
        let told: Vec<String> = info.matrix.iter().map(AccessInfo::told).collect();
        assert_eq!(told, ["pass 2", "fail 1 (1.0 grpc), pass 1"]);
        assert_eq!(columns(&info.matrix), [("1.0", "grpc"), ("1.0", "jsonrpc")]);
    }
}
