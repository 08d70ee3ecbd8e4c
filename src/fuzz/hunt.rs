//! The hunt: probes are sent, many at a time, and judged as their answers come.

pub(super) mod judging;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use futures_util::{FutureExt as _, StreamExt as _};
use tokio::sync::watch;
use tokio::time::Instant;

use super::across;
use super::aim::{Aim, side};
use super::bucket::Found;
use super::class::Classes;
use super::probe::{Probe, Reading, Ready, attempt, boundaries, in_turn};
use super::shrink;
use super::spoken::speak;
use crate::case::Library;
use crate::generate::seeded;
use crate::plan::Trial;
use crate::profile::Operation;
use crate::session::Session;
use crate::session::stop::until_stopped;
use crate::session::streams::read_out;
use crate::transcript::Answer;
use crate::verdict::Level;
use judging::Judge;

/// How many bytes the decisions of one probe have at most.
const CHOICES: usize = 96;
/// After so many answers the agent is asked whether it is still as it was.
const BETWEEN_CONTROLS: usize = 512;
/// After so many decisions in a row that come to nothing there is nothing left to be made, such as of sequences when the agent
/// is to work on no more messages. They are looked for without a pause, in which nothing else goes on.
const MOST_MISSED: usize = 4096;
/// How long a stream may be silent between two events before it is left.
const BETWEEN_EVENTS: Duration = Duration::from_millis(100);
/// How often the agent is asked whether it has come back, and how long it is given each time.
const LAST_CHANCES: usize = 4;
const CHANCE: Duration = Duration::from_millis(500);

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
    /// How many requests a second at most.
    pub rate: Option<f64>,
    /// What decides what is made.
    pub seed: u64,
    /// The phases; empty: all.
    pub phases: Vec<Phase>,
    /// The operations; empty: all.
    pub operations: Vec<Operation>,
    /// The names of causes that are known, of which nothing more is to be said.
    pub known: BTreeSet<String>,
}

/// A part of a hunt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
}

impl Phase {
    /// Every phase, in their order.
    pub const ALL: [Self; 6] =
        [Self::Boundaries, Self::Mutation, Self::Sequences, Self::Across, Self::Transport, Self::Streams];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Boundaries => "boundaries",
            Self::Mutation => "mutation",
            Self::Sequences => "sequences",
            Self::Across => "across",
            Self::Transport => "transport",
            Self::Streams => "streams",
        }
    }
}

/// How far a hunt is.
#[derive(Debug, Clone)]
pub struct Progress {
    /// What it is at.
    pub what: &'static str,
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
    let mut aims = Vec::new();
    for (index, session) in sessions {
        let mut aim = Aim::meet(session, index, observers, (library, classes)).await;
        if !budget.operations.is_empty() {
            aim.operations.retain(|operation| budget.operations.contains(operation));
        }
        aims.push(aim);
    }
    let mut not_tried: Vec<String> = aims.iter().filter_map(Aim::lacks).collect();
    aims.retain(|aim| !aim.operations.is_empty() && aim.session.gone().is_none());
    let began = Instant::now();
    let mut hunter = Hunter {
        judge: Judge::new(library, classes),
        aims: &aims,
        classes,
        budget,
        began,
        requests: 0,
        by_operation: BTreeMap::new(),
        dead: None,
    };
    let is_wanted = |phase: &Phase| budget.phases.is_empty() || budget.phases.contains(phase);
    if is_wanted(&Phase::Across) && !aims.iter().any(|aim| across::has_partner(&aims, aim)) {
        not_tried.push("what was made over one binding, read over another: no version has two bindings".to_owned());
    }
    let random: Vec<Phase> =
        Phase::ALL.into_iter().filter(|phase| *phase != Phase::Boundaries && is_wanted(phase)).collect();
    if is_wanted(&Phase::Boundaries) {
        // What follows is to have its part of what there is, unless nothing follows.
        let share = if random.is_empty() { 1 } else { 2 };
        let limits =
            Limits { time: budget.time / share, messages: budget.messages.map(|most| most / u64::from(share)) };
        until_stopped(hunter.run(&[Phase::Boundaries], limits, &mut tell).boxed_local(), stop).await;
    }
    if !random.is_empty() && hunter.dead.is_none() {
        let limits = Limits { time: budget.time, messages: budget.messages };
        until_stopped(hunter.run(&random, limits, &mut tell).boxed_local(), stop).await;
    }
    hunter.judge.end(&aims);
    let known = hunter.judge.buckets.take(&budget.known);
    let elapsed = began.elapsed();
    let (requests, by_operation, dead) = (hunter.requests, hunter.by_operation, hunter.dead);
    let mut judge = hunter.judge;
    let gone = match dead {
        None => {
            let smaller = shrink::all(&aims, &mut judge, |found| {
                tell(&Progress { what: "shrinking", requests, elapsed, found });
            });
            until_stopped(smaller.boxed_local(), stop).await.unwrap_or_default()
        }
        Some(_) => 0,
    };
    for aim in &aims {
        until_stopped(aim.session.tidy_up().boxed(), stop).await;
    }
    not_tried.extend(judge.messages_used_up(budget.messages));
    let messages = judge.messages;
    Hunted {
        found: judge.buckets.into_found(),
        requests,
        messages,
        by_operation,
        gone,
        known,
        elapsed,
        dead,
        not_tried,
        is_stopped: *stop.borrow(),
    }
}

struct Hunter<'a> {
    judge: Judge<'a>,
    aims: &'a [Aim],
    classes: &'a Classes,
    budget: &'a Budget,
    began: Instant,
    requests: u64,
    by_operation: BTreeMap<(String, Operation), u64>,
    dead: Option<String>,
}

impl Hunter<'_> {
    /// Some phases in turn, to their end or that of the budget.
    async fn run(&mut self, phases: &[Phase], limits: Limits, tell: &mut impl FnMut(&Progress)) {
        let (aims, classes, budget, began) = (self.aims, self.classes, self.budget, self.began);
        let made = Cell::new(self.requests);
        // Messages that were worked on, and those under way that may be.
        let (worked, at_work) = (Cell::new(self.judge.messages), Cell::new(0));
        let work_of = |steps: &[Probe]| steps.iter().filter(|step| step.may_start_work()).count() as u64;
        let fits = |work| limits.messages.is_none_or(|most| work == 0 || worked.get() + at_work.get() + work <= most);
        let missed = Cell::new(0);
        let may_go_on = || {
            let has_more = budget.requests.is_none_or(|most| made.get() < most) && missed.get() < MOST_MISSED;
            has_more && began.elapsed() < limits.time
        };
        let decisions = decisions(phases, aims, budget.seed).take_while(|_| may_go_on());
        let attempts = decisions.filter_map(|(phase, index, bytes)| {
            missed.set(missed.get() + 1);
            let aim = aims.get(index)?;
            let steps = attempt(phase, (aims, aim), classes, &bytes)?;
            let work = work_of(&steps);
            if !fits(work) || steps.first()?.ready(aim, aim.known()).is_none() {
                return None;
            }
            at_work.set(at_work.get() + work);
            missed.set(0);
            made.set(made.get() + steps.len() as u64);
            Some((phase, aim, steps))
        });
        let pace = Pace::new(budget.rate);
        let sent = attempts.map(|(phase, aim, steps)| {
            let turn = pace.next();
            async move {
                tokio::time::sleep_until(turn).await;
                let answers = speak(aims, aim, &steps).await;
                (phase, aim, steps, answers)
            }
        });
        let mut answered = futures_util::stream::iter(sent).buffer_unordered(attempts_at_once(budget.jobs));
        let mut since_control = 0;
        while let Some((phase, aim, steps, answers)) = answered.next().await {
            let mut is_lost = false;
            for (step, answer) in steps.iter().zip(&answers) {
                self.requests += 1;
                since_control += 1;
                let on = side(aims, aim, step.over);
                *self.by_operation.entry((on.name(), step.operation)).or_default() += 1;
                is_lost |= answer.exchange.response.is_none();
            }
            at_work.set(at_work.get() - work_of(&steps));
            self.judge.see(aims, aim, phase, steps, answers);
            self.judge.has_messages(limits.messages);
            worked.set(self.judge.messages);
            if is_lost || since_control >= BETWEEN_CONTROLS {
                since_control = 0;
                tell(&self.progress(phase));
                if is_lost && let Some(how) = is_dead(aim).await {
                    self.dead = Some(how);
                    return;
                }
                // Those that wait for the judge may be many.
                tokio::task::yield_now().await;
            }
        }
    }

    fn progress(&self, phase: Phase) -> Progress {
        Progress {
            what: phase.name(),
            requests: self.requests,
            elapsed: self.began.elapsed(),
            found: self.judge.buckets.levels(),
        }
    }
}

/// How many attempts are under way: some wait for the agent's work, and only requests count as jobs.
fn attempts_at_once(jobs: usize) -> usize {
    const WAITING: usize = 4;
    if jobs <= 1 { 1 } else { jobs.saturating_mul(WAITING) }
}

/// Up to where some phases may go.
#[derive(Clone, Copy)]
struct Limits {
    time: Duration,
    messages: Option<u64>,
}

/// The decisions of some phases, with the interface that they are for, in turn over both.
fn decisions<'a>(
    phases: &'a [Phase],
    aims: &'a [Aim],
    seed: u64,
) -> Box<dyn Iterator<Item = (Phase, usize, Vec<u8>)> + 'a> {
    if phases == [Phase::Boundaries] {
        let of = |(index, aim)| boundaries(aim).into_iter().map(|bytes| (Phase::Boundaries, index, bytes)).collect();
        return Box::new(in_turn(aims.iter().enumerate().map(of).collect()).into_iter());
    }
    let turns = (phases.len() * aims.len()) as u64;
    Box::new((0_u64..).map_while(move |number| {
        let turn = usize::try_from(number.checked_rem(turns)?).ok()?;
        let phase = phases.get(turn / aims.len())?;
        Some((*phase, turn % aims.len(), seeded(seed, number, CHOICES)))
    }))
}

/// When the next request may be made.
struct Pace {
    next: Cell<Instant>,
    between: Duration,
}

impl Pace {
    fn new(rate: Option<f64>) -> Self {
        let between = rate.and_then(|rate| Duration::try_from_secs_f64(1.0 / rate).ok()).unwrap_or_default();
        Self { next: Cell::new(Instant::now()), between }
    }

    fn next(&self) -> Instant {
        let turn = self.next.get().max(Instant::now());
        self.next.set(turn + self.between);
        turn
    }
}

/// Sends it. A stream is read as long as it goes on; who waits for more work is left alone.
pub(super) async fn send(aim: &Aim, ready: Ready) -> Option<Answer> {
    Some(match ready {
        Ready::Bytes(number, script) => {
            let (answers, ..) = aim.session.connection.converse(number, &script).boxed().await;
            return answers.into_iter().next();
        }
        Ready::Call(call, Reading::Whole) if call.operation.streams() => {
            let stream = aim.session.connection.open(&call).boxed().await;
            read_out(&aim.session, stream).boxed().await
        }
        Ready::Call(call, reading) if call.operation.streams() => {
            let connection = &aim.session.connection;
            let mut stream = connection.open(&call).boxed().await;
            let is_stream = stream.is_stream();
            // What is no stream is read to its end below, and the first event may take as long as any answer.
            let mut patience = None;
            let mut is_left = false;
            while is_stream && !is_left && connection.next(&mut stream, patience).await.is_some() {
                is_left = matches!(reading, Reading::Left(after) if stream.events().len() >= after);
                // Who leaves after some events waits for them.
                patience = (reading == Reading::Brief).then_some(BETWEEN_EVENTS);
            }
            let left_open = is_stream && !is_left && !stream.is_over();
            connection.finish(stream, left_open).boxed().await
        }
        Ready::Call(call, _) => aim.session.connection.call(&call).boxed().await,
        Ready::Raw(raw) => aim.session.connection.raw(raw).boxed().await,
    })
}

/// Why an agent answers nothing any more, if it does not.
async fn is_dead(aim: &Aim) -> Option<String> {
    let mut how = None;
    for _ in 0..LAST_CHANCES {
        match aim.is_alive().await {
            Ok(()) => return None,
            Err(error) => how = Some(error),
        }
        tokio::time::sleep(CHANCE).await;
    }
    how
}
