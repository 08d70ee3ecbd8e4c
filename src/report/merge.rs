//! The reports of the parts of a run (`--shard`), put together into one.
//!
//! Each case is in one part, so that most of it is putting lists together; what follows from results is made anew. Cases that judge
//! a whole interface are in every part, and each has judged what it saw by itself: what is wrong in what a part saw is wrong in the
//! whole, and it is enough that one part has seen what the case is about. What only shows between exchanges of two parts, such as
//! one id that was given twice, or that no input of a kind is checked, is not seen: the report names for each such result the parts and
//! how it came out there.

use std::collections::{BTreeMap, BTreeSet};

use thiserror::Error;

use super::cited::MOST_FINDINGS;
use super::model::{CaseInfo, ExchangeInfo, Report, ShardInfo, Summary, Tool, TriggerInfo};
use super::saved::{self, SavedError};
use super::security::SecurityInfo;
use super::{conformance, natural, problems, requirements, root_causes};
use crate::case::Library;
use crate::diagnostic::words::list;
use crate::interface::{InterfaceInfo, TargetInfo};
use crate::verdict::{TrialResult, Verdict};

/// Reports that are not those of all parts of one run.
#[derive(Debug, Error)]
pub(crate) enum MergeError {
    /// A file is no report.
    #[error(transparent)]
    NoReport(#[from] SavedError),
    /// The report of a run without parts, or one that was put together before.
    #[error("{file}: this is not the report of a part: `a2aspec check --shard K/N --report json=FILE` writes one")]
    NoPart {
        /// The file.
        file: String,
    },
    /// Another a2aspec made it.
    #[error("{file} was made by a2aspec {found}, and this is {}: one version makes all parts, and puts them together", Tool::default().version)]
    OtherTool {
        /// The file.
        file: String,
        /// The version that made it.
        found: String,
    },
    /// It is about another agent.
    #[error("{file} is about another agent than {first}: {what}")]
    OtherAgent {
        /// The file.
        file: String,
        /// The first file.
        first: String,
        /// In what they differ.
        what: String,
    },
    /// It is a part of another plan.
    #[error(
        "{file} is a part of another plan than {first}: all parts select the same cases, of the same number of parts"
    )]
    OtherPlan {
        /// The file.
        file: String,
        /// The first file.
        first: String,
    },
    /// A part is there twice.
    #[error("{first} and {second} are both part {shard} of {of}")]
    Doubled {
        /// One file.
        first: String,
        /// The other.
        second: String,
        /// Which part.
        shard: usize,
        /// Of how many.
        of: usize,
    },
    /// Parts are not there.
    #[error("of {of} parts {} missing", are(.missing))]
    Missing {
        /// Which.
        missing: Vec<usize>,
        /// Of how many.
        of: usize,
    },
}

fn are(missing: &[usize]) -> String {
    let names: Vec<String> = missing.iter().map(ToString::to_string).collect();
    format!("{} {}", list(&names), if missing.len() == 1 { "is" } else { "are" })
}

/// A part, with its file.
struct Part {
    file: String,
    info: ShardInfo,
    report: Report,
}

/// Reads the reports of all parts, given as file and text, and puts them together. What the gate says is not part of it yet. `library`
/// has the cases that every part has: it is of the same version as all of them.
///
/// # Errors
/// They are not those of all parts of one run.
pub(crate) fn merge(texts: &[(String, String)], library: &Library) -> Result<Report, MergeError> {
    let mut parts = texts.iter().map(|(file, text)| read(file, text)).collect::<Result<Vec<Part>, _>>()?;
    belong_together(&parts)?;
    parts.sort_by_key(|part| part.info.shard);
    together(parts, library).ok_or(MergeError::Missing { missing: vec![1], of: 1 })
}

fn read(file: &str, text: &str) -> Result<Part, MergeError> {
    /// What is read first: another version may have other findings.
    #[derive(serde::Deserialize)]
    struct By {
        tool: Tool,
    }
    let By { tool } = saved::read(file, text)?;
    let file = file.to_owned();
    if tool != Tool::default() {
        return Err(MergeError::OtherTool { file, found: tool.version });
    }
    let report: Report = saved::read_results(&file, text)?;
    match report.shards.as_slice() {
        [info] => Ok(Part { file, info: info.clone(), report }),
        _ => Err(MergeError::NoPart { file }),
    }
}

fn belong_together(parts: &[Part]) -> Result<(), MergeError> {
    let Some((first, others)) = parts.split_first() else { return Ok(()) };
    for part in others {
        let (file, first_file) = (part.file.clone(), first.file.clone());
        if let Some(what) = other_agent(&first.report.target, &part.report.target) {
            return Err(MergeError::OtherAgent { file, first: first_file, what });
        }
        if (&part.info.plan, part.info.of) != (&first.info.plan, first.info.of) {
            return Err(MergeError::OtherPlan { file, first: first_file });
        }
    }
    let of = first.info.of;
    let mut known: BTreeMap<usize, &str> = BTreeMap::new();
    for part in parts {
        if let Some(first) = known.insert(part.info.shard, &part.file) {
            let (first, second) = (first.to_owned(), part.file.clone());
            return Err(MergeError::Doubled { first, second, shard: part.info.shard, of });
        }
    }
    let missing: Vec<usize> = (1..=of).filter(|shard| !known.contains_key(shard)).collect();
    if missing.is_empty() { Ok(()) } else { Err(MergeError::Missing { missing, of }) }
}

/// In what two agents differ. Each part may have an instance of its own, somewhere else.
fn other_agent(one: &TargetInfo, other: &TargetInfo) -> Option<String> {
    let name = |target: &TargetInfo| target.name.clone().unwrap_or_else(|| "an agent without a name".to_owned());
    if name(one) != name(other) {
        return Some(format!("{}, not {}", name(other), name(one)));
    }
    let interfaces = |target: &TargetInfo| {
        let titles = target.interfaces.iter().map(|it| format!("{} {}", it.binding, it.version));
        titles.collect::<Vec<_>>()
    };
    let (one, other) = (interfaces(one), interfaces(other));
    (one != other).then(|| format!("it has {}, not {}", list(&other), list(&one)))
}

/// Nothing where there is no part.
fn together(mut parts: Vec<Part>, library: &Library) -> Option<Report> {
    renumber(&mut parts);
    let (cases, triggers) = (cases(&parts), triggers(&parts));
    let shards: Vec<ShardInfo> = parts.iter().map(|part| part.info.clone()).collect();
    let mut reports = parts.into_iter().map(|part| (part.info.shard, part.report));
    let (number, mut whole) = reports.next()?;
    let mut results: BTreeMap<[String; 3], TrialResult> = BTreeMap::new();
    add_results(&mut results, number, std::mem::take(&mut whole.results));
    for (number, report) in reports {
        add_results(&mut results, number, report.results);
        if whole.security.identities.is_empty() {
            whole.security = report.security;
        }
        whole.requirements.extend(report.requirements);
        whole.exchanges.extend(report.exchanges);
        whole.exchanges_left_out += report.exchanges_left_out;
        whole.messages_sent += report.messages_sent;
        whole.duration_ms = whole.duration_ms.max(report.duration_ms);
        whole.stopped = whole.stopped.or(report.stopped);
        whole.lock = whole.lock.or(report.lock);
        whole.started = whole.started.min(report.started);
        for (known, other) in whole.target.interfaces.iter_mut().zip(report.target.interfaces) {
            add_interface(known, other);
        }
    }
    let mut results: Vec<TrialResult> = results.into_values().collect();
    results.sort_by(|a, b| {
        natural::compare(&a.profile, &b.profile)
            .then_with(|| a.binding.cmp(&b.binding))
            .then_with(|| a.case.cmp(&b.case))
    });
    let requirements = requirements::decide(whole.requirements, &results);
    let problems = problems::find(&results, &requirements);
    let identities = whole.security.identities;
    // A part alone shows no conformance, but all parts of every case do.
    let is_whole = shards.iter().all(|shard| shard.every_case) && whole.stopped.is_none();
    let conformance = match is_whole {
        true => {
            conformance::of(&requirements, &results, &conformance::parts(library.cases.values().map(AsRef::as_ref)))
        }
        false => Vec::new(),
    };
    Some(Report {
        conformance,
        shards,
        summary: Summary::of(&results),
        root_causes: root_causes::find(&results, &problems, &identities),
        problems,
        security: SecurityInfo::of(identities, &results),
        triggers,
        cases: still_wrong(cases, &results),
        requirements,
        results,
        ..whole
    })
}

/// Gives the exchanges of all parts numbers of their own: each part has counted from the beginning.
fn renumber(parts: &mut [Part]) {
    let mut offset = 0;
    for Part { report, .. } in parts {
        let cited = report.results.iter_mut().flat_map(|TrialResult { findings, steps, .. }| {
            let findings = findings.iter_mut().flat_map(|finding| [&mut finding.exchange, &mut finding.against]);
            findings.flatten().chain(steps.iter_mut().map(|step| &mut step.exchange))
        });
        let own = report.exchanges.iter_mut().map(|ExchangeInfo { id, .. }| id);
        let mut last = offset;
        for number in cited.chain(own) {
            *number += offset;
            last = last.max(*number);
        }
        offset = last;
    }
}

/// What a part says of an interface, beside what those before it say.
fn add_interface(known: &mut InterfaceInfo, other: InterfaceInfo) {
    let new = other.note.filter(|note| known.note.as_ref().is_none_or(|known| !known.contains(note.as_str())));
    new.iter().for_each(|note| known.add_note(note));
    known.lost = known.lost.take().or(other.lost);
    known.dialect = known.dialect.take().or(other.dialect);
}

fn add_results(all: &mut BTreeMap<[String; 3], TrialResult>, shard: usize, results: Vec<TrialResult>) {
    for mut result in results {
        result.shards = BTreeMap::from([(shard, result.verdict)]);
        let key = [result.profile.clone(), result.binding.clone(), result.case.clone()];
        match all.remove(&key) {
            None => all.insert(key, result),
            Some(known) => all.insert(key, both(known, result)),
        };
    }
}

/// What two parts say of a case that judges the whole run: what is wrong is wrong, what was seen was seen.
fn both(mut one: TrialResult, mut other: TrialResult) -> TrialResult {
    let shards: BTreeMap<usize, Verdict> = one.shards.iter().chain(&other.shards).map(|(k, v)| (*k, *v)).collect();
    if weight(other.verdict) > weight(one.verdict) {
        std::mem::swap(&mut one, &mut other);
    }
    let violated: BTreeSet<String> = one.violated.iter().chain(&other.violated).cloned().collect();
    let held: BTreeSet<String> = one.held.iter().chain(&other.held).cloned().collect();
    // What was right or was not seen has none.
    let mut findings = std::mem::take(&mut one.findings);
    findings.append(&mut other.findings);
    let left_out = findings.len().saturating_sub(MOST_FINDINGS);
    findings.truncate(MOST_FINDINGS);
    TrialResult {
        level: if other.violated.is_empty() { one.level } else { one.level.min(other.level) },
        held: held.into_iter().filter(|name| !violated.contains(name)).collect(),
        violated: violated.into_iter().collect(),
        findings,
        findings_left_out: one.findings_left_out + other.findings_left_out + left_out,
        shards,
        ..one
    }
}

/// Which of two verdicts counts: what was wrong, then what broke, then what was right, then what was not seen.
fn weight(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Skipped => 0,
        Verdict::Unreached => 1,
        Verdict::Pass => 2,
        Verdict::Broken => 3,
        Verdict::Note => 4,
        Verdict::Flaky => 5,
        Verdict::Warn => 6,
        Verdict::Fail => 7,
    }
}

/// What helps with the cases that did not pass in some part.
fn cases(parts: &[Part]) -> BTreeMap<String, CaseInfo> {
    let mut all: BTreeMap<String, CaseInfo> = BTreeMap::new();
    for case in parts.iter().flat_map(|part| &part.report.cases) {
        let known = all.entry(case.id.clone()).or_insert_with(|| CaseInfo { rerun: Vec::new(), ..case.clone() });
        for rerun in &case.rerun {
            let is_known = known.rerun.iter().any(|it| (&it.profile, &it.binding) == (&rerun.profile, &rerun.binding));
            known.rerun.extend((!is_known).then(|| rerun.clone()));
        }
    }
    all
}

/// Of that what is still to be helped.
fn still_wrong(cases: BTreeMap<String, CaseInfo>, results: &[TrialResult]) -> Vec<CaseInfo> {
    let is_wrong = |case: &str, profile: &str, binding: &str| {
        let of_it = |it: &&TrialResult| it.case == case && it.profile == profile && it.binding == binding;
        results.iter().find(of_it).is_some_and(|result| result.verdict > Verdict::Skipped)
    };
    let helped = cases.into_values().map(|mut case| {
        case.rerun.retain(|rerun| is_wrong(&case.id, &rerun.profile, &rerun.binding));
        case.rerun.sort_by(|a, b| natural::compare(&a.profile, &b.profile).then_with(|| a.binding.cmp(&b.binding)));
        case
    });
    helped.filter(|case| !case.rerun.is_empty()).collect()
}

/// The triggers that brought no task into its state in some part. Words that one part has found count for all.
fn triggers(parts: &[Part]) -> Vec<TriggerInfo> {
    let mut all: BTreeMap<String, TriggerInfo> = BTreeMap::new();
    for info in parts.iter().flat_map(|part| &part.report.triggers) {
        match all.get_mut(&info.trigger) {
            None => {
                all.insert(info.trigger.clone(), info.clone());
            }
            Some(known) if known.text.is_none() && info.text.is_some() => *known = info.clone(),
            Some(known) if known.text.is_some() == info.text.is_some() => known.cases += info.cases,
            Some(_) => {}
        }
    }
    let mut all: Vec<TriggerInfo> = all.into_values().collect();
    all.sort_by_key(|info| std::cmp::Reverse(info.cases));
    all
}

#[cfg(test)]
mod tests;
