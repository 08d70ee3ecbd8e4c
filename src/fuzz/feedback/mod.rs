//! Requests whose answers had a shape that no answer had before: they are kept and changed further, since what an agent does otherwise
//! at one value may be the first of several steps.

mod shape;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::changed::Made;
use super::probe::{Probe, Send};
use crate::generate::Choices;
use crate::profile::Operation;
use crate::transcript::Answer;

/// So many requests of an operation are kept; then each new one takes the place of the oldest.
const KEPT: usize = 1 << 8;
/// The bytes of the largest request that is kept.
const LARGEST: usize = 4 << 10;
/// The shapes that are counted.
const SHAPES: usize = 1 << 14;
/// Of so many kept requests the one with the rarest shape is changed.
const CANDIDATES: usize = 3;

/// What was seen over an interface.
#[derive(Debug, Default)]
pub(super) struct Feedback {
    /// Whether requests are kept.
    pub is_on: bool,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// How often an answer had a shape.
    shapes: HashMap<u64, u64>,
    kept: HashMap<Operation, Ring>,
}

/// The last requests of an operation whose answers had a new shape.
#[derive(Debug, Default)]
struct Ring {
    kept: Vec<Kept>,
    /// The number of the one that is replaced next, once there are as many as are kept.
    oldest: usize,
}

/// A request that is kept.
#[derive(Debug, Clone)]
struct Kept {
    shape: u64,
    made: Arc<Made>,
}

/// A request that was picked.
pub(super) struct Picked {
    /// What was changed in it.
    pub made: Arc<Made>,
    /// The decisions by which this very one is picked again, whatever was seen since.
    pub choices: [u8; 2 * CANDIDATES],
}

impl Feedback {
    /// Takes note of an answer, and keeps its request if the answer has a new shape.
    pub fn hear(&self, probe: &Probe, answer: &Answer) {
        let (Send::Call { params }, Some(made)) = (&probe.send, &probe.made) else { return };
        if !self.is_on {
            return;
        }
        let shape = shape::shape(probe.operation, params, answer);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.shapes.len() >= SHAPES {
            return;
        }
        if let Some(times) = seen.shapes.get_mut(&shape) {
            *times += 1;
        } else if params.to_string().len() <= LARGEST {
            // A shape of which no request is kept is as new as before.
            seen.shapes.insert(shape, 1);
            let kept = Kept { shape, made: Arc::clone(made) };
            seen.kept.entry(probe.operation).or_default().keep(kept);
        }
    }

    /// One of the requests of an operation that are kept; nothing where there is none.
    pub fn pick(&self, operation: Operation, choices: &mut Choices<'_>) -> Option<Picked> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = &seen.kept.get(&operation)?.kept;
        let decided = [(); CANDIDATES].map(|()| choices.below(KEPT));
        let all = decided.into_iter().filter_map(|number| {
            let number = number.checked_rem(kept.len())?;
            Some((number, kept.get(number)?))
        });
        let times = |kept: &Kept| seen.shapes.get(&kept.shape).copied().unwrap_or_default();
        let (number, kept) = all.min_by_key(|(_, kept)| times(kept))?;
        let [low, high] = u16::try_from(number).ok()?.to_le_bytes();
        Some(Picked { made: Arc::clone(&kept.made), choices: [low, high, low, high, low, high] })
    }
}

impl Ring {
    fn keep(&mut self, kept: Kept) {
        if self.kept.len() < KEPT {
            self.kept.push(kept);
        } else if let Some(place) = self.kept.get_mut(self.oldest) {
            *place = kept;
            self.oldest = (self.oldest + 1) % KEPT;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const OPERATION: Operation = Operation::GetTask;

    fn feedback(shapes: &[(u64, u64)]) -> Feedback {
        let mut seen = Seen::default();
        for (shape, times) in shapes {
            seen.shapes.insert(*shape, *times);
            let kept = Kept { shape: *shape, made: Arc::new(Made::default()) };
            seen.kept.entry(OPERATION).or_default().keep(kept);
        }
        Feedback { is_on: true, seen: Mutex::new(seen) }
    }

    #[test]
    fn the_rarest_of_some_is_picked_and_picked_again_when_there_are_more() {
        let few = feedback(&[(0, 9), (1, 1), (2, 4)]);
        let picked = few.pick(OPERATION, &mut Choices::new(&[0, 0, 1, 0, 2, 0])).unwrap();
        assert_eq!(picked.choices, [1, 0, 1, 0, 1, 0]);
        let many = feedback(&[(0, 9), (1, 1_000), (2, 4), (3, 1), (4, 1)]);
        assert_eq!(many.pick(OPERATION, &mut Choices::new(&picked.choices)).unwrap().choices, picked.choices);
        assert!(many.pick(Operation::ListTasks, &mut Choices::new(&[0; 6])).is_none());
    }

    #[test]
    fn no_more_are_kept_than_there_is_room_for() {
        let all: Vec<(u64, u64)> = (0..3 * KEPT as u64).map(|number| (number, 1)).collect();
        let mut seen = feedback(&all).seen.into_inner().unwrap();
        let kept = seen.kept.remove(&OPERATION).unwrap().kept;
        assert_eq!(kept.len(), KEPT);
        assert!(kept.iter().all(|kept| kept.shape >= 2 * KEPT as u64));
    }
}
