//! Buckets: what is found, one for each cause.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::aim::Aim;
use super::health::BEHIND;
use super::hunt::Phase;
use super::hunt::judging::second;
use super::probe::{Hold, Probe, Send};
use super::watch::is_of_what_is_stored;
use crate::case::{FUZZED, OracleCall, Requirement};
use crate::finding::{Finding, Kind};
use crate::plan::Trial;
use crate::profile::{Binding, Operation};
use crate::transcript::Exchange;
use crate::verdict::Level;

/// Something that is wrong with the agent.
#[derive(Debug, Clone)]
pub struct Found {
    /// A short name of its cause: the same in every run, so that a list of known ones can name it.
    pub bucket: String,
    /// What was wrong, as it was first seen.
    pub finding: Finding,
    /// How strongly what it violates is demanded.
    pub level: Level,
    /// The requirements that it violates, as those of the case that shows it.
    pub requirements: Vec<Arc<Requirement>>,
    /// The version over which it was seen.
    pub profile: String,
    /// The binding.
    pub binding: Binding,
    /// The interface, by its place in the agent's list.
    pub interface: usize,
    /// The other interface, with its binding, of what was made over two.
    pub second: Option<(usize, Binding)>,
    /// The phase in which it was found.
    pub phase: Phase,
    /// The operation that was called.
    pub operation: Operation,
    /// What was done to the request.
    pub class: String,
    /// The oracle over everything seen that noticed it; nothing where the answer itself is not what it must be.
    pub oracle: Option<OracleCall>,
    /// Whether the agent falls of it: it is gone afterwards, has forgotten what it knew, or answers nothing as it should.
    pub is_fatal: bool,
    /// How often that came when it was tried again, where it was.
    pub came: Option<u64>,
    /// How often it was seen.
    pub hits: u64,
    /// Of what classes it was seen, and over which binding: what is demanded of one may be left open of another.
    pub(super) classes: BTreeSet<(String, Binding)>,
    /// Whether it is as it was found, since the time for making it smaller was over.
    pub is_as_found: bool,
    /// What shows it, in order: one request, or two that contradict each other.
    pub(super) probes: Vec<Probe>,
    /// The exchanges in which it was first seen.
    pub evidence: Vec<Arc<Exchange>>,
}

impl Found {
    /// Id of the case that shows it.
    pub fn case(&self) -> String {
        format!("{FUZZED}/{}", self.bucket)
    }

    /// It is shown by these steps instead. Steps have other names where others are left out, and may be made over one interface alone.
    pub(super) fn become_smaller(&mut self, probes: Vec<Probe>, aims: &[Aim]) {
        if let Some(last) = probes.last() {
            self.class.clone_from(&last.class);
            let hold = last.holds.iter().find(|hold| self.oracle.as_ref().is_some_and(|call| call.name == hold.oracle));
            if let (Some(hold), Some(call)) = (hold, &mut self.oracle) {
                call.args.clone_from(&hold.args);
            }
        }
        self.second = second(aims, &probes).map(|aim| (aim.index, aim.session.connection.interface.binding));
        self.probes = probes;
    }
}

/// What was found, by bucket.
#[derive(Debug, Default)]
pub(super) struct Buckets(BTreeMap<String, Found>);

/// Where something was seen.
#[derive(Clone)]
pub(super) struct Sighting<'a> {
    /// Over which interface.
    pub aim: &'a Aim,
    /// Over which the first step was made.
    pub first: &'a Aim,
    /// The other one of what was made over two.
    pub second: Option<&'a Aim>,
    pub phase: Phase,
    /// What was sent, the last of which showed it.
    pub probes: Vec<Probe>,
    pub finding: Finding,
    /// The case that noticed it, if it was one that judges everything seen.
    pub observer: Option<&'a Trial>,
    /// What does not hold of the steps, if it was that.
    pub hold: Option<&'a Hold>,
    /// Whether the agent falls of it.
    pub is_fatal: bool,
    /// The exchanges that show it.
    pub evidence: Vec<Arc<Exchange>>,
}

impl Sighting<'_> {
    /// The name of its cause. Where an agent fails or contradicts a standard, what made it do so does not matter; where it takes
    /// or refuses what it should not, that is all that matters.
    pub fn bucket(&self) -> Option<String> {
        let probe = self.probes.last()?;
        let interface = &self.aim.session.connection.interface;
        let mut parts = vec![interface.profile.name().to_owned(), probe.operation.to_string()];
        match (&self.observer, &self.finding.kind) {
            // What it falls of is what came before the question that it does not answer.
            _ if self.is_fatal => {
                let culprit = self.probes.iter().rev().find(|probe| probe.name != BEHIND);
                let culprit = culprit.unwrap_or(probe);
                parts = vec![interface.profile.name().to_owned(), "falls".to_owned()];
                // Bytes that no client writes are read before it is known what they ask for.
                if let Send::Call { .. } = culprit.send {
                    parts.push(culprit.operation.to_string());
                }
            }
            (Some(trial), _) => parts.extend([trial.case.id.clone(), self.finding.fingerprint()]),
            (None, _) if let Some(hold) = self.hold => {
                if is_of_what_is_stored(hold) {
                    parts.truncate(1);
                }
                parts.extend([hold.oracle.to_owned(), self.finding.fingerprint()]);
            }
            (None, Kind::FailedInstead { .. }) => parts.extend(["fails".to_owned(), received(&self.finding)]),
            (None, Kind::WrongError { .. }) if is_failure(&self.finding) => {
                parts.extend(["fails".to_owned(), received(&self.finding)]);
            }
            (None, kind) => {
                parts.extend([probe.class.clone(), kind.name(), place_of(&probe.place), received(&self.finding)])
            }
        }
        let mut hash = Sha256::new();
        for part in parts {
            hash.update(part.as_bytes());
            hash.update([0]);
        }
        Some(hash.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect())
    }
}

/// What was received, where it has few forms.
fn received(finding: &Finding) -> String {
    match &finding.kind {
        Kind::FailedInstead { received } | Kind::WrongError { received, .. } | Kind::WrongAnswer { received, .. } => {
            received.clone()
        }
        _ => String::new(),
    }
}

/// Whether an error says that the agent broke.
pub(super) fn is_failure(finding: &Finding) -> bool {
    let received = received(finding);
    ["InternalError", "UNKNOWN", "INTERNAL", "-32603"].contains(&received.as_str()) || received.starts_with("HTTP 5")
}

/// A place without the indices of its items.
fn place_of(pointer: &str) -> String {
    let names = pointer.split('/').filter(|name| name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_digit()));
    names.collect::<Vec<_>>().join("/")
}

impl Buckets {
    /// Counts a sighting; whether nothing of it is new: neither its cause nor its class over this binding.
    pub fn hit(&mut self, bucket: &str, (class, binding): (&str, Binding)) -> bool {
        self.count(bucket);
        let is_same = |(known, over): &(String, Binding)| known == class && *over == binding;
        self.0.get(bucket).is_some_and(|found| found.classes.iter().any(is_same))
    }

    /// Counts a sighting of what is known.
    pub fn count(&mut self, bucket: &str) {
        if let Some(found) = self.0.get_mut(bucket) {
            found.hits += 1;
        }
    }

    /// Whether something is known that is demanded at least so strongly.
    pub fn has(&self, bucket: &str, level: Level) -> bool {
        self.0.get(bucket).is_some_and(|found| found.level <= level)
    }

    /// Whether something was found that is so.
    pub fn any(&self, is_so: impl FnMut(&Found) -> bool) -> bool {
        self.0.values().any(is_so)
    }

    /// Adds what is new. Of what is known that is kept which is demanded most strongly.
    pub fn add(&mut self, mut found: Found) {
        if let Some(known) = self.0.get_mut(&found.bucket) {
            known.classes.append(&mut found.classes);
            if known.level <= found.level {
                return;
            }
            (found.hits, found.classes) = (known.hits, std::mem::take(&mut known.classes));
        }
        self.0.insert(found.bucket.clone(), found);
    }

    /// Takes out what is known; says what of that was seen.
    pub fn take(&mut self, known: &BTreeSet<String>) -> BTreeSet<String> {
        known.iter().filter(|bucket| self.0.remove(*bucket).is_some()).cloned().collect()
    }

    /// Whether something is among them that is demanded at least so strongly, and is not known.
    pub fn reach(&self, level: Level, known: &BTreeSet<String>) -> bool {
        self.0.values().any(|found| found.level <= level && !known.contains(&found.bucket))
    }

    /// Forgets what did not come again.
    pub fn forget(&mut self, bucket: &str) {
        self.0.remove(bucket);
    }

    /// How many there are at each level.
    pub fn levels(&self) -> BTreeMap<Level, usize> {
        let mut levels = BTreeMap::new();
        for found in self.0.values() {
            *levels.entry(found.level).or_default() += 1;
        }
        levels
    }

    /// Everything that was found, the worst first.
    pub fn into_found(self) -> Vec<Found> {
        let mut all: Vec<Found> = self.0.into_values().collect();
        all.sort_by(|a, b| {
            a.level.cmp(&b.level).then_with(|| b.hits.cmp(&a.hits)).then_with(|| a.bucket.cmp(&b.bucket))
        });
        all
    }

    /// Everything that was found, to be made smaller.
    pub fn each(&mut self) -> impl Iterator<Item = &mut Found> {
        self.0.values_mut()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A finding without its requests.
    pub fn found(class: &str, level: Level) -> Found {
        Found {
            bucket: "a".to_owned(),
            finding: Finding::new(Kind::ConnectionClosed),
            level,
            requirements: Vec::new(),
            profile: "1.0".to_owned(),
            binding: Binding::Jsonrpc,
            interface: 0,
            second: None,
            phase: Phase::Mutation,
            operation: Operation::GetTask,
            class: class.to_owned(),
            oracle: None,
            is_fatal: false,
            came: None,
            is_as_found: false,
            hits: 1,
            classes: BTreeSet::from([(class.to_owned(), Binding::Jsonrpc)]),
            probes: Vec::new(),
            evidence: Vec::new(),
        }
    }

    #[test]
    fn of_one_cause_that_is_kept_which_is_demanded_most() {
        let mut buckets = Buckets::default();
        let seen = |class| (class, Binding::Jsonrpc);
        assert!(!buckets.hit("a", seen("open")) && !buckets.has("a", Level::May));
        buckets.add(found("open", Level::May));
        assert!(buckets.hit("a", seen("open")) && !buckets.hit("a", seen("elsewhere")));
        // What HTTP leaves open, another binding demands.
        assert!(!buckets.hit("a", ("open", Binding::HttpJson)));
        assert!(buckets.has("a", Level::May) && !buckets.has("a", Level::Must));
        buckets.add(found("elsewhere", Level::Must));
        buckets.add(found("chunks", Level::May));
        for class in ["open", "elsewhere", "chunks"] {
            assert!(buckets.hit("a", seen(class)), "{class} is known");
        }
        let all = buckets.into_found();
        assert_eq!(all.len(), 1);
        assert_eq!((all[0].class.as_str(), all[0].level, all[0].hits), ("elsewhere", Level::Must, 7));
    }
}
