//! Judges exchanges by the cases that judge everything seen, so many at a time that memory stays flat.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use super::echo;
use super::exchange::Recorded;
use super::met::met;
use crate::binding::{is_call, read_recorded};
use crate::case::Action;
use crate::finding::Finding;
use crate::interface::{Agent, Interface};
use crate::judge::client::observed;
use crate::judge::{Judged, Judgement, RunView, Service, oracle};
use crate::plan::Trial;
use crate::profile::{Capability, Dialect, Operation};
use crate::reason::Reason;
use crate::run::{cited_by, conclude, spell};
use crate::transcript::{Answer, Exchange};
use crate::verdict::{TrialResult, Verdict};

/// The most bytes of the exchanges that are judged together. Trees that are read from them take many times as much.
const MOST_BYTES: usize = 2 << 20;
/// The most exchanges that are judged together.
const MOST: usize = 2_000;
/// The most bytes that wait to be judged, of all callers and interfaces.
const MOST_WAITING: usize = 8 << 20;
/// The most findings of one case that are kept.
const MOST_FINDINGS: usize = 12;
/// The oracles that need requests which no client makes for its own sake: asked again, or in other dialects.
const OF_OWN_REQUESTS: [&str; 1] = ["answered"];

/// The cases, and the exchanges that wait to be judged.
pub(super) struct Judging {
    trials: Vec<Arc<Trial>>,
    tallies: Vec<Tally>,
    interfaces: Vec<Option<Interface>>,
    /// What the card declares, by profile.
    declared: BTreeMap<String, BTreeSet<Capability>>,
    /// How many calls to each interface were judged.
    calls: Vec<usize>,
    /// The interfaces to which others than the suite sent requests.
    visited: BTreeSet<usize>,
    waiting: BTreeMap<(usize, u64), Window>,
    /// The last number of an exchange.
    number: u64,
    messages: u64,
}

/// Exchanges of one caller over one interface.
#[derive(Default)]
struct Window {
    recorded: Vec<Recorded>,
    bytes: usize,
    /// Whether something came since the last look.
    is_new: bool,
}

/// What came of a case so far.
#[derive(Default)]
struct Tally {
    is_right: bool,
    unseen: Option<Reason>,
    broken: Option<Reason>,
    held: BTreeSet<String>,
    violated: BTreeSet<String>,
    findings: Vec<Finding>,
    cited: BTreeMap<u64, Arc<Exchange>>,
}

impl Judging {
    /// One for the cases of a plan.
    pub fn new(trials: &[Arc<Trial>], agent: &Agent, declared: BTreeMap<String, BTreeSet<Capability>>) -> Self {
        let interfaces: Vec<_> = agent.interfaces.iter().map(|listed| listed.interface.clone()).collect();
        Self {
            trials: trials.to_vec(),
            tallies: trials.iter().map(|_| Tally::default()).collect(),
            declared,
            calls: vec![0; interfaces.len()],
            interfaces,
            visited: BTreeSet::new(),
            waiting: BTreeMap::new(),
            number: 0,
            messages: 0,
        }
    }

    /// How many calls to an interface were judged.
    pub fn calls(&self, interface: usize) -> usize {
        self.calls.get(interface).copied().unwrap_or_default()
    }

    /// Whether somebody was there whom a trial is about: the agent, or a client that is not the suite.
    pub fn concerns(&self, trial: &Trial) -> bool {
        trial.case.visit().is_none() || self.visited.contains(&trial.interface)
    }

    /// How many messages the agent was sent.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// Takes an exchange.
    pub fn take(&mut self, recorded: Recorded) {
        if let Some(calls) = self.calls.get_mut(recorded.interface) {
            *calls += 1;
        }
        self.messages += u64::from(recorded.exchange.request.operation.is_some_and(Operation::sends_a_message));
        if !recorded.is_own {
            self.visited.insert(recorded.interface);
        }
        let key = (recorded.interface, recorded.caller);
        let window = self.waiting.entry(key).or_default();
        window.bytes += size(&recorded.exchange);
        window.recorded.push(recorded);
        window.is_new = true;
        if window.bytes >= MOST_BYTES || window.recorded.len() >= MOST {
            self.judge(key);
        } else if self.waiting.values().map(|window| window.bytes).sum::<usize>() >= MOST_WAITING {
            self.end();
        }
    }

    /// Judges what still waits.
    pub fn end(&mut self) {
        let keys: Vec<_> = self.waiting.keys().copied().collect();
        keys.into_iter().for_each(|key| self.judge(key));
    }

    /// What came of each case, with the exchanges that its findings cite.
    pub fn results(&mut self) -> Vec<(TrialResult, Vec<Arc<Exchange>>)> {
        let tallies = std::mem::take(&mut self.tallies).into_iter();
        self.trials.iter().zip(tallies).map(|(trial, tally)| tally.result(trial)).collect()
    }

    /// What is wrong so far, also in what still waits to be judged: the assertion, so that each is known again, and a line for it.
    pub fn findings(&mut self) -> Vec<(String, String)> {
        let mut tallies: Vec<Tally> = self.trials.iter().map(|_| Tally::default()).collect();
        let changed: Vec<(usize, Vec<Recorded>)> = self
            .waiting
            .iter_mut()
            .filter_map(|((interface, _), window)| {
                std::mem::take(&mut window.is_new).then(|| (*interface, window.recorded.clone()))
            })
            .collect();
        for (interface, recorded) in changed {
            self.look(interface, recorded, &mut tallies);
        }
        let mut found = Vec::new();
        for (trial, findings) in self.trials.iter().zip(self.tallies.iter().zip(&tallies)) {
            for finding in findings.0.findings.iter().chain(&findings.1.findings) {
                let verdict = Verdict::broken_at(trial.level_of(std::slice::from_ref(&finding.assertion)));
                let (case, over) = (&trial.case.id, trial.bindings());
                let line = format!("{} {case} over {over}: {}", verdict.name().to_uppercase(), finding.headline());
                found.push((format!("{case}#{} over {over}", finding.assertion), line));
            }
        }
        found
    }

    fn judge(&mut self, key: (usize, u64)) {
        let Some(Window { recorded, .. }) = self.waiting.remove(&key) else { return };
        let mut tallies = std::mem::take(&mut self.tallies);
        self.number += self.look(key.0, recorded, &mut tallies);
        self.tallies = tallies;
    }

    /// Judges exchanges of one caller over one interface, and counts them.
    fn look(&self, index: usize, mut recorded: Vec<Recorded>, tallies: &mut [Tally]) -> u64 {
        let Some(Some(interface)) = self.interfaces.get(index) else { return 0 };
        recorded.sort_by_key(|recorded| recorded.exchange.started);
        let is_own = recorded.iter().any(|recorded| recorded.is_own);
        let (mut calls, mut beside, mut requests) = (Vec::new(), Vec::new(), Vec::new());
        let mut number = self.number;
        for Recorded { mut exchange, is_before, is_own, suffix, .. } in recorded {
            number += 1;
            exchange.number = number;
            let call = !is_before && is_call(interface, &exchange.request);
            let exchange = Arc::new(exchange);
            // The suite writes wrong requests on purpose.
            if !is_own {
                requests.push(met(interface, &suffix, Arc::clone(&exchange)));
            }
            if let Some(answer) = read_recorded(interface, exchange) {
                if call { calls.push(answer) } else { beside.push(answer) }
            }
        }
        let service = service(interface, &calls);
        let declared = self.declared.get(interface.profile.name());
        let view = RunView {
            profile: &interface.profile,
            dialect: &interface.dialect,
            binding: interface.binding,
            answers: &calls,
            beside: &beside,
            service: &service,
            asked_twice: &[],
            tried: &[],
        };
        for (trial, tally) in self.trials.iter().zip(tallies) {
            if trial.interface == index && trial.skipped.is_none() {
                let judged = match trial.case.visit() {
                    Some(visit) => observed(visit, &requests, declared, &trial.case.file),
                    None => judged(trial, view, is_own),
                };
                tally.add(judged, &interface.dialect, &calls, &beside);
            }
        }
        number - self.number
    }
}

fn size(exchange: &Exchange) -> usize {
    exchange.request.body.len() + exchange.response.as_ref().map_or(0, |response| response.body.len())
}

/// What the interface served. Whether it had to serve what it denied is not known of requests that others made.
fn service(interface: &Interface, calls: &[Answer]) -> Service {
    let mut service = Service::default();
    calls.iter().for_each(|answer| service.note(&interface.profile, answer));
    service
}

/// What a case says of some exchanges.
fn judged(trial: &Trial, view: RunView<'_>, is_own: bool) -> Judged {
    let Action::Observe(call) = &trial.case.action else {
        return Judgement::Broken(Reason::mistake(format!("{} does not observe", trial.case.id))).into();
    };
    if OF_OWN_REQUESTS.contains(&call.name.as_str()) {
        return Judgement::Unseen(Reason::NeedsRequests).into();
    }
    let ask = || oracle::over_run(view, call).naming(|own| format!("{}{own}", call.name));
    let judged = std::panic::catch_unwind(AssertUnwindSafe(ask));
    let judged = judged.unwrap_or_else(|_| Judgement::Broken(Reason::JudgePanicked).into());
    // The suite knows what it has sent broken, and its cases judge that.
    if is_own { judged } else { echo::without_clients(&call.name, judged, view.answers) }
}

impl Tally {
    fn add(&mut self, mut judged: Judged, dialect: &Dialect, calls: &[Answer], beside: &[Answer]) {
        let seen = calls.iter().chain(beside);
        spell(dialect, &mut judged.judgement, seen.clone());
        self.held.extend(judged.held);
        self.violated.extend(judged.violated);
        match judged.judgement {
            Judgement::Right => self.is_right = true,
            Judgement::Unseen(reason) => {
                self.unseen.get_or_insert(reason);
            }
            Judgement::Broken(reason) => {
                self.broken.get_or_insert(reason);
            }
            Judgement::Wrong(findings) => {
                for finding in findings {
                    let is_known =
                        |known: &&Finding| known.assertion == finding.assertion && known.kind == finding.kind;
                    // Of one mistake in many exchanges, one is enough.
                    if self.findings.len() < MOST_FINDINGS && self.findings.iter().filter(is_known).count() < 3 {
                        self.findings.push(finding);
                    }
                }
                let numbers = cited_by(&self.findings);
                let cited = seen.map(|answer| &answer.exchange).filter(|exchange| numbers.contains(&exchange.number));
                self.cited.extend(cited.map(|exchange| (exchange.number, Arc::clone(exchange))));
            }
        }
    }

    fn result(self, trial: &Trial) -> (TrialResult, Vec<Arc<Exchange>>) {
        if let Some(reason) = &trial.skipped {
            return (trial.without_findings(Verdict::Skipped, reason.clone()), Vec::new());
        }
        let violated: Vec<String> = self.violated.iter().cloned().collect();
        let held = self.held.into_iter().filter(|name| !self.violated.contains(name)).collect();
        let judgement = match (self.broken, self.findings.is_empty(), self.is_right, self.unseen) {
            (_, false, _, _) => Judgement::Wrong(self.findings),
            (Some(reason), true, _, _) => Judgement::Broken(reason),
            (None, true, true, _) => Judgement::Right,
            (None, true, false, unseen) => Judgement::Unseen(unseen.unwrap_or(Reason::NothingSent)),
        };
        let held = trial.as_named(held, &violated);
        (conclude(trial, Judged { judgement, held, violated }), self.cited.into_values().collect())
    }
}
