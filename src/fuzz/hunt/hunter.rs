//! The one who hunts: requests are made, many at a time, until the agent falls or the budget is used up.

use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_util::stream::poll_fn;
use futures_util::{Stream, StreamExt as _};
use tokio::time::Instant;

use super::fallen::Fallen;
use super::judging::{Attempt, Judge};
use super::{Budget, Phase, Progress};
use crate::fuzz::aim::{Aim, side};
use crate::fuzz::class::Classes;
use crate::fuzz::health::{Health, look};
use crate::fuzz::probe::{Probe, attempt, boundaries, in_turn};
use crate::fuzz::spoken::speak;
use crate::generate::seeded;
use crate::profile::Operation;
use crate::transcript::Answer;

/// How many bytes the decisions of one probe have at most.
const CHOICES: usize = 96;
/// After so many answers the agent is asked whether it is still as it was.
const BETWEEN_CONTROLS: usize = 512;
/// So many attempts are kept, for the case that the agent falls of several.
const KEPT: usize = 1024;
/// After so many decisions in a row that come to nothing there is nothing left to be made, such as of sequences when the agent
/// is to work on no more messages. They are looked for without a pause, in which nothing else goes on.
const MOST_MISSED: usize = 4096;
/// How long what is under way when the time is over may go on: most of it is answered by then. What is not shows nothing, since
/// nobody knows how long it would have taken.
const LINGERS: Duration = Duration::from_secs(1);
/// How many attempts wait for the agent's work, for each request that may be in flight.
const WAITING: usize = 16;

pub(super) struct Hunter<'a> {
    pub judge: Judge<'a>,
    pub aims: &'a [Aim],
    pub classes: &'a Classes,
    pub budget: &'a Budget,
    pub began: Instant,
    pub requests: u64,
    pub by_operation: BTreeMap<(String, Operation), u64>,
    /// What was made last, in the order of the answers.
    pub last: VecDeque<Arc<Attempt>>,
    /// How much of that since the agent was last seen to be as it was.
    pub since: usize,
    /// How often the agent was gone, and came back.
    pub falls: u64,
    pub dead: Option<String>,
}

/// What was decided: a phase, an interface, and the decisions.
type Decided = (Phase, usize, Vec<u8>);
type Decisions<'a> = dyn Iterator<Item = Decided> + 'a;

impl Hunter<'_> {
    /// One leg after the other. Where the agent falls, what is under way is waited for, what made it fall is looked for, and the
    /// rest goes on.
    pub async fn run(&mut self, legs: Vec<Leg<'_>>, tell: &mut impl FnMut(&Progress)) {
        let mut legs = VecDeque::from(legs);
        while let Some(fallen) = self.stretch(&mut legs, tell).await {
            self.dead = self.rise(fallen).await;
            if self.dead.is_some() {
                return;
            }
        }
    }

    /// Requests until there are no more, or something looks as if the agent had fallen. A leg begins while what is left of the
    /// one before it is still under way.
    async fn stretch(&mut self, legs: &mut VecDeque<Leg<'_>>, tell: &mut impl FnMut(&Progress)) -> Option<Fallen> {
        let (aims, classes, budget, began) = (self.aims, self.classes, self.budget, self.began);
        let made = Cell::new(self.requests);
        // Messages that were worked on, and those under way that may be.
        let (worked, at_work) = (Cell::new(self.judge.messages), Cell::new(0));
        let work_of = |steps: &[Probe]| steps.iter().filter(|step| step.may_start_work()).count() as u64;
        let fits =
            |work, most: Option<u64>| most.is_none_or(|most| work == 0 || worked.get() + at_work.get() + work <= most);
        let (missed, is_fallen) = (Cell::new(0), Cell::new(false));
        let may_go_on = || budget.requests.is_none_or(|most| made.get() < most) && !is_fallen.get();
        let decided = std::iter::from_fn(|| {
            while let Some(leg) = legs.front_mut().filter(|_| may_go_on()) {
                let decided = if missed.get() < MOST_MISSED && began.elapsed() < leg.time { leg.next() } else { None };
                if decided.is_some() {
                    return decided;
                }
                legs.pop_front();
                missed.set(0);
            }
            None
        });
        let attempts = decided.filter_map(|((phase, index, bytes), most)| {
            missed.set(missed.get() + 1);
            let aim = aims.get(index)?;
            let steps = attempt(phase, (aims, aim), classes, &bytes)?;
            let work = work_of(&steps);
            if !fits(work, most) || !steps.first()?.can_begin(aim) {
                return None;
            }
            at_work.set(at_work.get() + work);
            missed.set(0);
            made.set(made.get() + steps.len() as u64);
            Some((aim, Arc::new(Attempt { phase, interface: aim.index, steps })))
        });
        let pace = Pace::new(budget.rate);
        let mut sent = attempts.map(|(aim, attempt)| {
            let turn = pace.next();
            async move {
                tokio::time::sleep_until(turn).await;
                let answers = aim.session.connection.in_turn(speak(aims, aim, &attempt.steps)).await;
                (aim, attempt, answers)
            }
        });
        let is_looking = Cell::new(false);
        let sent = poll_fn(|_| if is_looking.get() { Poll::Pending } else { Poll::Ready(sent.next()) });
        let mut answered = sent.buffer_unordered(attempts_at_once(budget.jobs));
        // What was answered while the agent was looked at.
        let mut kept = VecDeque::new();
        let mut fallen = Fallen::default();
        let mut since_control = 0;
        let end = began + budget.time + LINGERS;
        loop {
            let next = match kept.pop_front() {
                Some(next) => Some(next),
                None => tokio::time::timeout_at(end, answered.next()).await.ok().flatten(),
            };
            let Some((aim, attempt, answers)) = next else { break };
            for (step, _) in attempt.steps.iter().zip(&answers) {
                self.requests += 1;
                since_control += 1;
                let on = side(aims, aim, step.over);
                *self.by_operation.entry((on.name(), step.operation)).or_default() += 1;
            }
            at_work.set(at_work.get() - work_of(&attempt.steps));
            self.keep(&attempt);
            let (is_lost, is_due) = (is_lost(&attempt, &answers), since_control >= BETWEEN_CONTROLS);
            if (is_lost || is_due) && !is_fallen.get() {
                since_control = 0;
                fallen.interface = aim.index;
                tell(&self.progress(attempt.phase));
                is_looking.set(true);
                let health = meanwhile(look(aim), &mut answered, &mut kept).await;
                is_looking.set(false);
                match health {
                    Health::Well => self.since = 0,
                    _ => is_fallen.set(true),
                }
            }
            // An agent that is well has but left this one.
            if is_lost && is_fallen.get() {
                fallen.lost.push((attempt, answers));
                continue;
            }
            self.judge.see(aims, aim, &attempt, answers);
            self.judge.has_messages(budget.messages);
            worked.set(self.judge.messages);
        }
        is_fallen.get().then_some(fallen)
    }

    fn keep(&mut self, attempt: &Arc<Attempt>) {
        self.last.push_back(Arc::clone(attempt));
        self.since += 1;
        if self.last.len() > KEPT {
            self.last.pop_front();
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

/// Looks at the agent while answers to what is under way are still read: on one connection, those that nobody reads are in the way of
/// the one that is waited for.
async fn meanwhile<T>(
    look: impl Future<Output = Health>,
    answered: &mut (impl Stream<Item = T> + Unpin),
    kept: &mut VecDeque<T>,
) -> Health {
    let mut look = pin!(look);
    loop {
        tokio::select! {
            biased;
            health = &mut look => return health,
            Some(next) = answered.next() => kept.push_back(next),
        }
    }
}

/// How many attempts are under way: some wait for the agent's work, and only requests count as jobs.
fn attempts_at_once(jobs: usize) -> usize {
    if jobs <= 1 { 1 } else { jobs.saturating_mul(WAITING) }
}

/// Whether a request of an attempt that is to be answered was not.
fn is_lost(attempt: &Attempt, answers: &[Answer]) -> bool {
    let mut both = attempt.steps.iter().zip(answers);
    both.any(|(step, answer)| answer.exchange.response.is_none() && !step.may_be_dropped())
}

/// Some phases in turn.
pub(super) struct Leg<'a> {
    decisions: Box<Decisions<'a>>,
    /// Up to when it goes on, since the hunt began.
    time: Duration,
    /// How many messages the agent may have begun to work on by its end.
    messages: Option<u64>,
}

impl<'a> Leg<'a> {
    pub fn new(phases: &'a [Phase], aims: &'a [Aim], seed: u64, time: Duration, messages: Option<u64>) -> Self {
        Self { decisions: decisions(phases, aims, seed), time, messages }
    }

    fn next(&mut self) -> Option<(Decided, Option<u64>)> {
        Some((self.decisions.next()?, self.messages))
    }
}

/// The decisions of some phases, with the interface that they are for, in turn over both.
fn decisions<'a>(phases: &'a [Phase], aims: &'a [Aim], seed: u64) -> Box<Decisions<'a>> {
    if phases == [Phase::Boundaries] {
        let of = |(index, aim)| boundaries(aim).into_iter().map(|bytes| (Phase::Boundaries, index, bytes)).collect();
        return Box::new(in_turn(aims.iter().enumerate().map(of).collect()).into_iter());
    }
    let most = phases.iter().map(|phase| phase.turns()).max().unwrap_or_default();
    let of_round = |round: usize| phases.iter().copied().filter(move |phase| round < phase.turns());
    let order: Vec<Phase> = (0..most).flat_map(of_round).collect();
    let turns = (order.len() * aims.len()) as u64;
    Box::new((0_u64..).map_while(move |number| {
        let turn = usize::try_from(number.checked_rem(turns)?).ok()?;
        let phase = order.get(turn / aims.len())?;
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use futures_util::stream::once;
    use tokio::sync::oneshot;

    use super::*;

    /// Over HTTP/2, what nobody reads fills the window that all answers share.
    #[tokio::test]
    async fn answers_are_read_while_the_agent_is_looked_at() {
        let (read, was_read) = oneshot::channel();
        let mut answered = once(async move { read.send(()).map(|()| 1).unwrap() }).boxed();
        let look = async { was_read.await.map(|()| Health::Well).unwrap() };
        let mut kept = VecDeque::new();
        assert_eq!(meanwhile(look, &mut answered, &mut kept).await, Health::Well);
        assert_eq!(kept, [1]);
    }
}
