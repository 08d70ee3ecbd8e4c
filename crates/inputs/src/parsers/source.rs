//! Where the inputs of a run come from.

use std::collections::BTreeSet;

use crate::corpus::{Class, Input, Makers};
use crate::generate::{Choices, seeded};

/// Inputs that are given at once.
const BATCH: usize = 64;

/// In which rounds an input is made of a class that is known to kill the parser: one in so many.
const FATAL_ROUNDS: u64 = 32;

/// Bytes of choices for each input.
const CHOICES: usize = 256;

/// Where the inputs come from: each class in turn.
pub(super) struct Source<'m> {
    makers: &'m Makers,
    seed: u64,
    /// Of the next input.
    number: u64,
    /// How many may still be made.
    left: usize,
}

/// An input, and the choices it was made of.
pub(super) struct Made<'m> {
    pub bytes: Vec<u8>,
    pub class: &'m Class,
    /// Of the class, among all.
    pub place: usize,
    pub input: Input,
}

impl<'m> Source<'m> {
    /// The inputs of a seed, at most so many.
    pub fn new(makers: &'m Makers, seed: u64, most: usize) -> Self {
        Self { makers, seed, number: 0, left: most }
    }

    /// The next inputs, few of those classes; none when there were enough.
    pub fn next(&mut self, fatal: &BTreeSet<&'static str>) -> Vec<Made<'m>> {
        let classes = self.makers.classes();
        let most = if classes.is_empty() { 0 } else { BATCH.min(self.left) };
        let mut batch = Vec::with_capacity(most);
        while batch.len() < most {
            let round = self.number / classes.len() as u64;
            let place = usize::try_from(self.number).unwrap_or_default() % classes.len();
            let Some(class) = classes.get(place) else { break };
            let bytes = seeded(self.seed, self.number, CHOICES);
            self.number += 1;
            // To start it again costs more than many inputs.
            if !round.is_multiple_of(FATAL_ROUNDS) && fatal.contains(class.name) {
                continue;
            }
            if let Some(input) = self.makers.make(class, &mut Choices::new(&bytes)) {
                batch.push(Made { bytes, class, place, input });
            }
        }
        self.left -= batch.len();
        batch
    }
}
