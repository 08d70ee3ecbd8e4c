//! Which of several variations acts in an exchange, where they take turns.

use std::sync::atomic::{AtomicU64, Ordering};

/// Chooses one of several, exchange by exchange; the same seed makes the same choices.
#[derive(Debug)]
pub(crate) struct Choice {
    seed: u64,
    met: AtomicU64,
}

impl Choice {
    /// Those of a seed.
    pub(crate) const fn new(seed: u64) -> Self {
        Self { seed, met: AtomicU64::new(0) }
    }

    /// Which of so many it is this time; nothing of none.
    pub(crate) fn of(&self, many: usize) -> Option<usize> {
        let many = u64::try_from(many).ok().filter(|many| *many > 0)?;
        let number = self.met.fetch_add(1, Ordering::Relaxed);
        usize::try_from(mixed(self.seed.wrapping_add(mixed(number))) % many).ok()
    }
}

/// A number in which each bit depends on each of the other (SplitMix64).
const fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_seed_makes_the_same_choices_and_all_come_up() {
        let of = |seed| {
            let choice = Choice::new(seed);
            (0..200).filter_map(|_| choice.of(10)).collect::<Vec<usize>>()
        };
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        assert_eq!(of(3).into_iter().collect::<BTreeSet<_>>().len(), 10);
        assert_eq!(Choice::new(1).of(0), None);
    }
}
