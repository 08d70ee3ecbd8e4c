//! The hunt: probes are sent, many at a time, and judged as their answers come.

pub(super) mod fallen;
mod hunter;
pub(super) mod judging;
mod leg;
pub(super) mod messages;
pub(super) mod observed;
mod payoff;
#[cfg(test)]
mod tests;
mod under_way;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};

use super::across;
use super::aim::Aim;
use super::bucket::Found;
use super::class::Classes;
use super::growth::{self, Growth, Watch};
use super::shrink;
use crate::case::Library;
use crate::plan::Trial;
use crate::profile::Operation;
use crate::session::Session;
use crate::session::stop::until_stopped;
use crate::verdict::Level;
use hunter::{Hunter, Since};
use judging::Judge;
use leg::{Leg, Rounds};

/// How long it may take to get to know the agent, beside the time of a hunt.
const MEETING: Duration = Duration::from_secs(6);
/// How long a hunt may go on after its time, for what made the agent fall and for making smaller what was found.
const SHRINKING: Duration = Duration::from_secs(7);
/// How long after its time everything has ended, showing again what was found included.
pub const AFTER: Duration = Duration::from_secs(13);
/// How long the agent has to cancel the tasks that the hunt leaves behind.
const TIDYING: Duration = Duration::from_secs(1);
/// Of the messages that the agent may be given, one in so many is kept for making smaller what was found, and for showing it again.
const FOR_SHRINKING: u64 = 4;
/// One in so many is kept for showing it again.
const FOR_AGAIN: u64 = 8;

/// What a hunt may cost.
#[derive(Debug, Clone)]
pub struct Budget {
    /// How long new requests are made.
    pub time: Duration,
    /// How many of them.
    pub requests: Option<u64>,
    /// How many messages the agent may begin to work on.
    pub messages: Option<u64>,
    /// How many requests are in flight.
    pub jobs: usize,
    /// What decides what is made.
    pub seed: u64,
    /// The phases; empty: all.
    pub phases: Vec<Phase>,
    /// The operations; empty: all.
    pub operations: Vec<Operation>,
    /// The agent's process, where it is on this machine: what it takes is watched.
    pub pid: Option<u32>,
    /// The names of causes that are known, of which nothing more is to be said.
    pub known: BTreeSet<String>,
    /// From which level on the first finding that is not known ends the hunt; nothing: whatever is found, it goes on.
    pub ends_at: Option<Level>,
    /// Whether requests that made the agent answer otherwise are changed further.
    pub is_led: bool,
}

impl Budget {
    /// How many requests are in flight where nobody says otherwise.
    pub const JOBS: usize = 8;

    /// A hunt of this length by a seed, in which nothing else is limited or left out.
    pub fn lasting(time: Duration, seed: u64) -> Self {
        Self {
            time,
            requests: None,
            messages: None,
            jobs: Self::JOBS,
            seed,
            phases: Vec::new(),
            operations: Vec::new(),
            pid: None,
            known: BTreeSet::new(),
            ends_at: None,
            is_led: true,
        }
    }

    /// How many messages the agent may have begun to work on by the end of the hunt: some are left for what is made smaller.
    fn for_hunting(&self) -> Option<u64> {
        self.messages.map(|most| most - most / FOR_SHRINKING)
    }

    /// The same by the end of making smaller what was found.
    fn for_shrinking(&self) -> Option<u64> {
        self.messages.map(|most| most - most / FOR_AGAIN)
    }
}

/// A part of a hunt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Every single change of every request, and every place at which a body can break off.
    Boundaries,
    /// Requests with several changes, and bodies with other bytes, as the seed decides.
    Mutation,
    /// Several requests about one task, one after the other or at once, as the seed decides.
    Sequences,
    /// What was made over one binding, read over another.
    Across,
    /// HTTP/1.1 as no library writes it.
    Transport,
    /// Streams that are left, joined, and held against their task.
    Streams,
    /// Webhooks with real addresses, and what is posted there.
    Webhooks,
    /// The same questions in equal batches, of which the later ones are to cost no more.
    Growth,
    /// Many streams of one task at once: only where it is named.
    Stress,
}

impl Phase {
    /// Every phase, in their order.
    pub const ALL: [Self; 9] = [
        Self::Boundaries,
        Self::Mutation,
        Self::Sequences,
        Self::Across,
        Self::Transport,
        Self::Streams,
        Self::Webhooks,
        Self::Growth,
        Self::Stress,
    ];

    /// Those in which the seed decides.
    const RANDOM: [Self; 7] =
        [Self::Mutation, Self::Sequences, Self::Across, Self::Transport, Self::Streams, Self::Webhooks, Self::Stress];

    /// How many turns it has in each round. Those with many requests, and those whose requests are waited for, have fewer: they
    /// would take all the time.
    pub(super) fn turns(self) -> usize {
        match self {
            Self::Mutation => 16,
            Self::Sequences => 4,
            Self::Across => 2,
            Self::Boundaries | Self::Transport | Self::Streams | Self::Webhooks | Self::Growth | Self::Stress => 1,
        }
    }

    /// In which rounds it has turns: in one of so many. A delivery costs the agent as much as a request.
    pub(super) fn every(self) -> usize {
        if self == Self::Webhooks { 2 } else { 1 }
    }

    /// Whether its requests may wait for the agent's work, and cost the agent nothing meanwhile.
    pub(super) fn waits(self) -> bool {
        match self {
            Self::Mutation | Self::Boundaries | Self::Growth => false,
            Self::Sequences | Self::Across | Self::Transport | Self::Streams | Self::Webhooks | Self::Stress => true,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Boundaries => "boundaries",
            Self::Mutation => "mutation",
            Self::Sequences => "sequences",
            Self::Across => "across",
            Self::Transport => "transport",
            Self::Streams => "streams",
            Self::Webhooks => "webhooks",
            Self::Growth => "growth",
            Self::Stress => "stress",
        }
    }
}

/// How far a hunt is.
#[derive(Debug, Clone)]
pub struct Progress {
    /// What it is at.
    pub what: &'static str,
    /// While findings are made smaller: how many are done, and how many there are.
    pub shrunk: Option<(usize, usize)>,
    /// How many requests were answered.
    pub requests: u64,
    /// How long it has gone on.
    pub elapsed: Duration,
    /// How many causes were found, by level.
    pub found: BTreeMap<Level, usize>,
}

/// What came of a hunt.
#[derive(Debug)]
pub struct Hunted {
    /// What was found, the worst first, as small as it could be made.
    pub found: Vec<Found>,
    /// How many requests were made.
    pub requests: u64,
    /// How many of them were messages on which the agent began to work.
    pub messages: u64,
    /// How many of them were made to which interface and operation.
    pub by_operation: BTreeMap<(String, Operation), u64>,
    /// How many causes were seen once, and not again when they were asked for.
    pub gone: u64,
    /// The known causes that were seen.
    pub known: BTreeSet<String>,
    /// How long requests were made.
    pub elapsed: Duration,
    /// What grew.
    pub growth: Vec<Growth>,
    /// How often the agent was gone, and came back.
    pub falls: u64,
    /// Why the hunt ended before its time, where the agent did.
    pub dead: Option<String>,
    /// What could not be tried, and why.
    pub not_tried: Vec<String>,
    /// Whether it was stopped.
    pub is_stopped: bool,
}

/// Hunts over every one of these sessions.
///
/// `observers` are the cases of a plan that judge everything seen; `tell` hears how far it is, now and then.
pub async fn hunt(
    sessions: Vec<(usize, Arc<Session>)>,
    observers: &[Arc<Trial>],
    (library, classes): (&Library, &Classes),
    budget: &Budget,
    stop: &watch::Receiver<bool>,
    mut tell: impl FnMut(&Progress),
) -> Hunted {
    let started = Instant::now();
    let mut aims = Vec::new();
    for (index, session) in sessions {
        let mut aim = Aim::meet(session, index, observers, (library, classes)).await;
        aim.feedback.is_on = budget.is_led;
        if !budget.operations.is_empty() {
            aim.operations.retain(|operation| budget.operations.contains(operation));
        }
        aims.push(aim);
    }
    let mut not_tried: Vec<String> = aims.iter().filter_map(Aim::lacks).collect();
    aims.retain(|aim| !aim.operations.is_empty() && aim.session.gone().is_none());
    // An agent that is slow to be met has less time for the rest.
    let began = Instant::now().min(started + MEETING);
    let latest = began + budget.time + SHRINKING;
    let mut hunter = Hunter {
        judge: Judge::new(library, classes),
        aims: &aims,
        classes,
        budget,
        began,
        latest,
        requests: 0,
        by_operation: BTreeMap::new(),
        last: VecDeque::new(),
        since: Since::default(),
        repeats: Rc::default(),
        left: None,
        falls: 0,
        looked_for: BTreeSet::new(),
        fruitless: 0,
        gone: 0,
        dead: None,
    };
    // Those that it took to get to know the agent.
    hunter.judge.messages.add(aims.iter().map(|aim| aim.session.messages_sent()).sum());
    let is_wanted = |phase: &Phase| match budget.phases.as_slice() {
        // It is for an agent that nobody else needs meanwhile.
        [] => *phase != Phase::Stress,
        named => named.contains(phase),
    };
    if is_wanted(&Phase::Across) && !aims.iter().any(|aim| across::has_partner(&aims, aim)) {
        not_tried.push("what was made over one binding, read over another: no version has two bindings".to_owned());
    }
    if is_wanted(&Phase::Sequences) {
        // What one identity would help with is said once.
        let reasons: BTreeSet<String> = aims.iter().filter_map(Aim::lacks_another_caller).collect();
        not_tried.extend(reasons.iter().map(|why| format!("requests for what belongs to another caller: {why}")));
    }
    let has_webhooks = aims.iter().any(|aim| aim.inbox.is_open());
    let can_be = |phase: &Phase| *phase != Phase::Webhooks || has_webhooks;
    let random: Vec<Phase> = Phase::RANDOM.into_iter().filter(is_wanted).filter(can_be).collect();
    let mut growth = Vec::new();
    // From outside only time can be seen, which is not worth as many requests.
    if budget.phases.contains(&Phase::Growth) || (budget.phases.is_empty() && budget.pid.is_some()) {
        let (pid, jobs, may_work) = (budget.pid, budget.jobs, budget.messages.is_none());
        let watch = Watch { pid, jobs, may_work, end: began + budget.time / 4 };
        let mut grown = growth::Grown::default();
        until_stopped(growth::growth(&aims, watch, &mut grown).boxed_local(), stop).await;
        growth = grown.found;
        hunter.requests += grown.requests;
        hunter.judge.messages.add(grown.messages);
    }
    let hunted = budget.for_hunting();
    let mut legs = Vec::new();
    if is_wanted(&Phase::Boundaries) {
        // What follows is to have its part of what there is, unless nothing follows.
        let share: u32 = if random.is_empty() { 1 } else { 2 };
        let messages = hunted.map(|most| most / u64::from(share));
        legs.push(Leg::of_boundaries(&aims, budget.time / share, messages));
    }
    if !random.is_empty() {
        let rounds = Rounds::new(random, aims.len(), (budget.seed, budget.is_led), Rc::clone(&hunter.judge.payoff));
        legs.push(Leg::of_rounds(rounds, budget.time, hunted));
    }
    until_stopped(hunter.run(legs, &mut tell).boxed_local(), stop).await;
    let elapsed = began.elapsed();
    if hunter.dead.is_none() {
        let _in_time = until_stopped(timeout_at(latest, hunter.end()).boxed_local(), stop).await;
    }
    if is_wanted(&Phase::Webhooks) {
        let reasons: BTreeSet<String> =
            aims.iter().filter_map(|aim| aim.inbox.not_tried()).map(|reason| reason.to_string()).collect();
        not_tried.extend(reasons.iter().map(|why| format!("what the agent posts to webhooks: {why}")));
    }
    // Other phases are not for every operation.
    if !*stop.borrow() && [Phase::Boundaries, Phase::Mutation].iter().any(is_wanted) {
        not_tried.extend(hunter.not_asked());
    }
    if hunter.has_found_enough() {
        not_tried.push("everything that was left when the first finding ended the hunt (--fail-fast)".to_owned());
    }
    hunter.judge.end(&aims);
    let known = hunter.judge.buckets.take(&budget.known);
    let (requests, by_operation, falls, mut dead) = (hunter.requests, hunter.by_operation, hunter.falls, hunter.dead);
    let (mut judge, mut gone) = (hunter.judge, hunter.gone);
    if dead.is_none() {
        let most = budget.for_shrinking();
        let is_first = budget.ends_at.is_some();
        let until = latest.min(Instant::now() + if is_first { shrink::ALL_OF_THE_FIRST } else { shrink::ALL });
        let smaller = shrink::all(&aims, &mut judge, (most, until), |shrunk, found| {
            tell(&Progress { what: "shrinking", shrunk: Some(shrunk), requests, elapsed, found });
        });
        let shrunk = until_stopped(smaller.boxed_local(), stop).await.unwrap_or_default();
        gone += shrunk.gone;
        not_tried.extend(shrunk.not_asked());
        dead = shrunk.dead;
    }
    let tidied = futures_util::future::join_all(aims.iter().map(|aim| aim.session.tidy_up()));
    let _in_time = until_stopped(timeout(TIDYING, tidied).boxed(), stop).await;
    not_tried.extend(judge.messages.not_tried(budget.messages));
    let messages = judge.messages.worked();
    Hunted {
        found: judge.buckets.into_found(),
        requests,
        messages,
        by_operation,
        gone,
        known,
        elapsed,
        growth,
        falls,
        dead,
        not_tried,
        is_stopped: *stop.borrow(),
    }
}
