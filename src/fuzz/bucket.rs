//! Buckets: what is found, one for each cause.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::aim::Aim;
use super::health::BEHIND;
use super::hunt::Phase;
use super::hunt::judging::second;
use super::masked::masked;
use super::probe::{Body, Hold, Probe, Send};
use super::watch::is_the_same_everywhere;
use crate::case::{FUZZED, OracleCall, Outcome, Requirement};
use crate::finding::{AFTER_CHECKS, Finding, Kind};
use crate::plan::Trial;
use crate::profile::{Binding, Operation};
use crate::transcript::Exchange;
use crate::verdict::Level;

/// So much of a body is looked at.
const LONGEST_BODY: usize = 256;
/// So many places of one cause are kept.
const MOST_PLACES: usize = 256;

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
    /// Where it was seen: operations, with the place of the request that was changed, if it was one.
    pub places: BTreeSet<(Operation, String)>,
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

    /// The place of the request that shows it.
    fn own_place(&self) -> (Operation, String) {
        (self.operation, self.probes.last().map(|probe| place_of(&probe.place)).unwrap_or_default())
    }

    /// Where else it was seen, a line for each place.
    pub fn other_places(&self) -> Vec<String> {
        let own = self.own_place();
        let others = self.places.iter().filter(|place| **place != own);
        others.map(|(operation, place)| format!("{operation} {place}").trim_end().to_owned()).collect()
    }

    /// It is shown by these steps instead. Steps have other names where others are left out, and may be made over one interface alone.
    pub(super) fn become_smaller(&mut self, probes: Vec<Probe>, aims: &[Aim]) {
        if let Some(last) = probes.last() {
            self.class.clone_from(&last.class);
            self.operation = last.operation;
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
    /// The name of its cause: the same wherever it shows. Where an agent breaks, that is the operation and the text of the failure;
    /// where it contradicts a standard, what it says; where it reads what it should refuse, the kind of input, since one check is
    /// missing for all members.
    pub fn bucket(&self) -> Option<String> {
        let probe = self.probes.last()?;
        let interface = &self.aim.session.connection.interface;
        let (profile, operation) = (interface.profile.name().to_owned(), probe.operation.to_string());
        let failed = || {
            vec![
                operation.clone(),
                "fails".to_owned(),
                code_of(&self.finding),
                text_of(&self.finding, probe, &self.evidence),
            ]
        };
        let own = match (&self.observer, &self.finding.kind) {
            // What it falls of is what came before the question that it does not answer.
            _ if self.is_fatal => {
                let culprit = self.probes.iter().rev().find(|probe| probe.name != BEHIND);
                let culprit = culprit.unwrap_or(probe);
                // Bytes that no client writes are read before it is known what they ask for.
                let is_call = matches!(culprit.send, Send::Call { .. });
                let of = is_call.then(|| culprit.operation.to_string());
                std::iter::once("falls".to_owned()).chain(of).collect()
            }
            (Some(_), _) => vec![self.finding.fingerprint()],
            (None, _) if let Some(hold) = self.hold => {
                let of = (!is_the_same_everywhere(hold)).then_some(operation);
                of.into_iter().chain([hold.oracle.to_owned(), self.finding.fingerprint()]).collect()
            }
            (None, Kind::FailedInstead { .. }) => failed(),
            (None, Kind::WrongError { .. }) if is_failure(&self.finding) => failed(),
            // Whatever was asked, the operation has no answer.
            (None, kind @ (Kind::RequestUnanswered | Kind::ConnectionClosed | Kind::AnswerNoHttp)) => {
                vec![operation, kind.name()]
            }
            (None, kind) => {
                // Who looks for the task that a wrong request names has not checked the request either.
                let is_unchecked = matches!(kind, Kind::RequestServed { .. })
                    || AFTER_CHECKS.contains(&received(&self.finding).as_str());
                let what = if is_unchecked { "unchecked".to_owned() } else { kind.name() + &received(&self.finding) };
                // One reader reads the parameters of all operations; what is there to be asked for, each looks up by itself.
                let of = (!is_about_parameters(probe)).then_some(operation);
                of.into_iter().chain([probe.class.clone(), what]).collect()
            }
        };
        let mut hash = Sha256::new();
        for part in std::iter::once(profile).chain(own) {
            hash.update(part.as_bytes());
            hash.update([0]);
        }
        Some(hash.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect())
    }

    /// Where it was seen: the operation, and the place of its request.
    pub fn place(&self) -> Option<(Operation, String)> {
        let probe = self.probes.last()?;
        Some((probe.operation, place_of(&probe.place)))
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

/// How an agent said that it failed: by the name of an error, or by a status.
fn code_of(finding: &Finding) -> String {
    let (named, text) = (received(finding), finding.received.as_deref().unwrap_or_default());
    let status = text.split("HTTP ").skip(1).find_map(|rest| rest.get(..3).filter(|status| status.starts_with('5')));
    match status.filter(|_| !named.chars().all(char::is_alphanumeric)) {
        Some(status) => format!("HTTP {status}"),
        None => named,
    }
}

/// What an agent said of its failure, without the values that it may have taken from a request.
fn text_of(finding: &Finding, probe: &Probe, evidence: &[Arc<Exchange>]) -> String {
    let sent = match &probe.send {
        Send::Call { params } | Send::Bytes { params, .. } => Cow::Borrowed(params),
        Send::Raw { body: Body::Text(text), .. } => Cow::Owned(serde_json::from_str(text).unwrap_or_default()),
        Send::Raw { .. } | Send::Deliveries(_) | Send::End { .. } => Cow::Owned(Value::Null),
    };
    // The text itself is in quotes, and its values are in others; what is no error of the protocol says it in a body of its own.
    let received = finding.received.as_deref().unwrap_or_default();
    let said = received.split_once('"').map(|(_, said)| said.replace("\\\"", "`"));
    let body = || {
        let answer = evidence.iter().rev().find(|exchange| Some(exchange.number) == finding.exchange)?;
        let body = &answer.response.as_ref()?.body;
        Some(String::from_utf8_lossy(body.get(..LONGEST_BODY).unwrap_or(body)).into_owned())
    };
    let text = said.or_else(body).unwrap_or_default();
    masked(&text, &sent)
}

/// Whether a probe is about a request that is wrong by itself, whatever the agent has.
fn is_about_parameters(probe: &Probe) -> bool {
    matches!(probe.expect.outcome.first(), Some(Outcome::Error(name)) if name == "InvalidParamsError")
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
    /// Counts a sighting; whether nothing of it is new: neither its cause, nor its class over this binding, nor a place before all those
    /// where it was seen.
    pub fn hit(&mut self, bucket: &str, (class, binding): (&str, Binding), place: &(Operation, String)) -> bool {
        self.count(bucket);
        let Some(found) = self.0.get_mut(bucket) else { return false };
        let is_first = found.places.first().is_none_or(|first| place < first);
        if !found.places.contains(place) && found.places.len() < MOST_PLACES {
            found.places.insert(place.clone());
        }
        let is_same = |(known, over): &(String, Binding)| known == class && *over == binding;
        !is_first && found.classes.iter().any(is_same)
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

    /// Adds what is new. Of what is known that is kept which is demanded most strongly, and of several the one at the first place: which
    /// of many was answered first is chance.
    pub fn add(&mut self, mut found: Found) {
        let rank = |found: &Found| (found.level, found.own_place());
        if let Some(known) = self.0.get_mut(&found.bucket) {
            known.classes.append(&mut found.classes);
            known.places.append(&mut found.places);
            if rank(known) <= rank(&found) {
                return;
            }
            (found.classes, found.places) = (std::mem::take(&mut known.classes), std::mem::take(&mut known.places));
            found.hits = known.hits;
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
    use serde_json::json;

    use super::*;
    use crate::fuzz::probe::{bare, step};

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
            places: BTreeSet::from([(Operation::GetTask, String::new())]),
            probes: Vec::new(),
            evidence: Vec::new(),
        }
    }

    #[test]
    fn of_one_cause_that_is_kept_which_is_demanded_most() {
        let mut buckets = Buckets::default();
        let here = (Operation::GetTask, String::new());
        let seen = |class| (class, Binding::Jsonrpc);
        assert!(!buckets.hit("a", seen("open"), &here) && !buckets.has("a", Level::May));
        buckets.add(found("open", Level::May));
        assert!(buckets.hit("a", seen("open"), &here) && !buckets.hit("a", seen("elsewhere"), &here));
        // What HTTP leaves open, another binding demands.
        assert!(!buckets.hit("a", ("open", Binding::HttpJson), &here));
        assert!(buckets.has("a", Level::May) && !buckets.has("a", Level::Must));
        buckets.add(found("elsewhere", Level::Must));
        buckets.add(found("chunks", Level::May));
        for class in ["open", "elsewhere", "chunks"] {
            assert!(buckets.hit("a", seen(class), &here), "{class} is known");
        }
        let all = buckets.into_found();
        assert_eq!(all.len(), 1);
        assert_eq!((all[0].class.as_str(), all[0].level, all[0].hits), ("elsewhere", Level::Must, 7));
    }

    #[test]
    fn of_several_places_the_first_is_kept_and_all_are_counted() {
        let mut buckets = Buckets::default();
        let at = |place: &str| {
            let probes = vec![Probe { place: place.to_owned(), ..bare(Operation::GetTask) }];
            let places = BTreeSet::from([(Operation::GetTask, place.to_owned())]);
            Found { probes, places, ..found("open", Level::Must) }
        };
        for place in ["/id", "/metadata", "/historyLength"] {
            let is_known = buckets.hit("a", ("open", Binding::Jsonrpc), &(Operation::GetTask, place.to_owned()));
            assert_eq!(is_known, place == "/metadata", "{place}");
            if !is_known {
                buckets.add(at(place));
            }
        }
        let all = buckets.into_found();
        assert_eq!((all.len(), all[0].own_place().1.as_str(), all[0].hits), (1, "/historyLength", 3));
        assert_eq!(all[0].other_places(), ["GetTask /id", "GetTask /metadata"]);
    }

    #[test]
    fn what_is_said_of_a_failure_counts_without_values() {
        let failed = |received: &str| {
            let kind = Kind::FailedInstead { received: "InternalError".to_owned() };
            Finding::new(kind).compare("a result", received)
        };
        let probe = step(Operation::GetTask, json!({ "id": "said so" }));
        let said = |received: &str| text_of(&failed(received), &probe, &[]);
        let same = [
            r#"InternalError (-32603) "no task 'a b c' in context 17""#,
            r#"InternalError (-32603) "no task 'x' in context a2aspec-0198""#,
            r#"InternalError (-32603) "no task \"x y\" in context é""#,
        ];
        assert!(same.iter().all(|text| said(text) == "no task # in context #"), "{same:?}");
        assert_ne!(said(same[0]), said(r#"InternalError (-32603) "no context 'a'""#));
        assert_eq!(said(r#"InternalError (-32603) "cannot read said""#), "cannot read #");
        assert_eq!(said("HTTP 500 with a body that is not JSON"), "");
    }

    #[test]
    fn a_failure_over_two_bindings_has_one_code() {
        let code = |named: &str, received: &str| {
            let kind = Kind::FailedInstead { received: named.to_owned() };
            code_of(&Finding::new(kind).compare("a result", received))
        };
        let unnamed = "an error that the specification does not name (HTTP 584)";
        assert_eq!(code("an error", unnamed), code("HTTP 584 and no answer", "HTTP 584 with a body that is not JSON"));
        assert_eq!(code("InternalError", "InternalError (HTTP 500)"), code("InternalError", "InternalError (-32603)"));
    }
}
