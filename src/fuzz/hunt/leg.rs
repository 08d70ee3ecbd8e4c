//! Legs of a hunt: what is to be decided next, and how far a leg goes.

use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use super::Phase;
use super::messages::Messages;
use super::payoff::Payoff;
use crate::fuzz::aim::Aim;
use crate::fuzz::probe::{boundaries, in_turn};
use crate::generate::seeded;

/// How many bytes the decisions of one probe have at most.
const CHOICES: usize = 512;
/// Of so many turns of a phase with several steps one begins as one that led to something new.
const LED: usize = 3;
/// How many times the turns of others a phase has that pays.
const PAYS: usize = 2;

/// What was decided: a phase, an interface by its place among those that are fuzzed, and the decisions.
pub(super) type Decided = (Phase, usize, Vec<u8>);

/// Some phases in turn.
pub(super) struct Leg {
    decisions: Box<dyn Iterator<Item = Decided>>,
    /// Up to when it goes on, since the hunt began.
    pub time: Duration,
    /// How many messages the agent may have begun to work on by its end.
    pub messages: Option<u64>,
    /// What is made when what is under way has shown that there is room for it: so many messages.
    pub later: VecDeque<(Decided, u64)>,
    /// The messages that were left for the end.
    pub last: VecDeque<Decided>,
    /// How many decisions there are, where each comes only once.
    pub count: Option<usize>,
    /// Whether messages that are right are left for the end, where there may be too few for all: they may take those that there are,
    /// and what is refused takes none.
    pub is_sparing: bool,
}

impl Leg {
    /// Every single change, once.
    pub fn of_boundaries(aims: &[Aim], time: Duration, messages: Option<u64>) -> Self {
        let of = |(index, aim)| boundaries(aim).into_iter().map(|bytes| (Phase::Boundaries, index, bytes)).collect();
        let all: Vec<Decided> = in_turn(aims.iter().enumerate().map(of).collect());
        let is_sparing = messages.is_some_and(|most| most < all.len() as u64);
        Self { count: Some(all.len()), is_sparing, ..Self::new(Box::new(all.into_iter()), time, messages) }
    }

    /// Rounds of what a seed decides.
    pub fn of_rounds(rounds: Rounds, time: Duration, messages: Option<u64>) -> Self {
        Self::new(Box::new(rounds), time, messages)
    }

    fn new(decisions: Box<dyn Iterator<Item = Decided>>, time: Duration, messages: Option<u64>) -> Self {
        let (later, last) = Default::default();
        Self { decisions, time, messages, later, last, count: None, is_sparing: false }
    }

    /// What was put off first, if there is room for it now.
    pub fn next(&mut self, spent: &Messages) -> Option<Decided> {
        if let Some((decided, _)) = self.later.pop_front_if(|(_, work)| spent.have_room_for(*work, self.messages)) {
            return Some(decided);
        }
        let next = self.decisions.next();
        self.is_sparing &= next.is_some();
        next.or_else(|| if self.later.is_empty() { self.last.pop_front() } else { None })
    }

    /// How many decisions were not made, and how many there are, where each comes only once. Those for which there was no room are
    /// told by who counts that.
    pub fn left(&self) -> Option<(usize, usize)> {
        let (left, _) = self.decisions.size_hint();
        self.count.filter(|_| left > 0).map(|count| (left, count))
    }

    /// Whether there may be room for what was put off when what is under way is answered.
    pub fn waits_for(&self, spent: &Messages) -> bool {
        !self.later.is_empty() && spent.are_under_way()
    }
}

/// Round after round: each phase has its turns, over each interface. Those of a phase that paid in the round before are more.
pub(super) struct Rounds {
    phases: Vec<Phase>,
    interfaces: usize,
    seed: u64,
    payoff: Rc<Payoff>,
    /// What is left of the round.
    left: VecDeque<(Phase, usize)>,
    number: u64,
    /// How many rounds there were.
    rounds: usize,
    /// Whether what led to something new is the beginning of more.
    is_led: bool,
}

impl Rounds {
    pub fn new(phases: Vec<Phase>, interfaces: usize, (seed, is_led): (u64, bool), payoff: Rc<Payoff>) -> Self {
        Self { phases, interfaces, seed, payoff, left: VecDeque::new(), number: 0, rounds: 0, is_led }
    }

    /// The turns of a round, those of different phases beside each other.
    fn round(&self) -> VecDeque<(Phase, usize)> {
        let turns = |phase: &Phase| phase.turns() * if self.payoff.take(*phase) { PAYS } else { 1 };
        let turns: Vec<(Phase, usize)> = self.phases.iter().map(|phase| (*phase, turns(phase))).collect();
        let most = turns.iter().map(|(_, turns)| *turns).max().unwrap_or_default();
        let of_turn = |turn: usize| turns.iter().filter(move |(_, turns)| turn < *turns).map(|(phase, _)| *phase);
        let phases = (0..most).flat_map(of_turn);
        let all = phases.flat_map(|phase| (0..self.interfaces).map(move |interface| (phase, interface)));
        // Each interface has its turn in another round.
        let is_alone = self.phases.len() == 1;
        all.filter(|(phase, interface)| is_alone || (self.rounds + interface).is_multiple_of(phase.every())).collect()
    }
}

impl Iterator for Rounds {
    type Item = Decided;

    fn next(&mut self) -> Option<Decided> {
        if self.left.is_empty() {
            self.left = self.round();
            self.rounds += 1;
        }
        let (phase, interface) = self.left.pop_front()?;
        let bytes = seeded(self.seed, self.number, CHOICES);
        let mut turn = fastrand::Rng::with_seed(self.seed.rotate_left(32) ^ self.number);
        self.number += 1;
        // Requests that are made alone are changed further one by one.
        let is_led = self.is_led && phase != Phase::Mutation && turn.usize(..LED) == 0;
        let further = || self.payoff.further(phase, interface, &bytes, (turn.usize(..), turn.usize(..)));
        let bytes = is_led.then(further).flatten().unwrap_or(bytes);
        Some((phase, interface, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(decided: &[Decided], phase: Phase) -> usize {
        decided.iter().filter(|(of, ..)| *of == phase).count()
    }

    #[test]
    fn a_phase_that_pays_has_more_turns_in_the_next_round_and_no_other_has_fewer() {
        let payoff = Rc::new(Payoff::default());
        let mut rounds = Rounds::new(vec![Phase::Mutation, Phase::Sequences], 3, (7, true), Rc::clone(&payoff));
        let plain = (Phase::Mutation.turns() + Phase::Sequences.turns()) * 3;
        let first: Vec<Decided> = rounds.by_ref().take(plain).collect();
        payoff.paid(Phase::Sequences);
        let second: Vec<Decided> = rounds.by_ref().take(plain + Phase::Sequences.turns() * 3).collect();
        let third: Vec<Decided> = rounds.take(plain).collect();
        for (decided, sequences) in [(first, 4), (second, 8), (third, 4)] {
            let counts = [Phase::Mutation, Phase::Sequences].map(|phase| count(&decided, phase));
            assert_eq!(counts, [16 * 3, sequences * 3]);
        }
        assert_eq!(Rounds::new(vec![Phase::Mutation], 0, (7, true), payoff).next(), None);
    }
}
