//! Decisions, read from bytes.

use arbitrary::Unstructured;

/// A sequence of decisions. When the bytes are used up, each further decision is the simplest one.
#[derive(Debug)]
pub struct Choices<'a>(Unstructured<'a>);

impl<'a> Choices<'a> {
    /// The decisions in these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(Unstructured::new(bytes))
    }

    /// A number below `count`; 0 where there is none. The bytes of 0 are zeros.
    pub fn below(&mut self, count: usize) -> usize {
        // Always two bytes, or four, also where there is but one: so a sequence can be written by hand, and cut between decisions.
        match count {
            0 => 0,
            1..=0x1_0000 => usize::from(self.0.arbitrary::<u16>().unwrap_or_default()) % count,
            _ => usize::try_from(self.0.arbitrary::<u32>().unwrap_or_default()).unwrap_or_default() % count,
        }
    }

    /// One of several; nothing where there is none. The first is the simplest.
    pub fn pick<'t, T>(&mut self, all: &'t [T]) -> Option<&'t T> {
        all.get(self.below(all.len()))
    }

    /// Whether something happens that happens once in so many times; it is simpler that it does not.
    pub fn one_in(&mut self, times: usize) -> bool {
        times > 0 && self.below(times) + 1 == times
    }

    /// Any 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.arbitrary().unwrap_or_default()
    }

    /// Bytes, at most so many.
    pub fn bytes(&mut self, most: usize) -> &'a [u8] {
        let length = self.below(most + 1).min(self.0.len());
        self.0.bytes(length).unwrap_or_default()
    }

    /// Whether all bytes are used up.
    pub fn is_over(&self) -> bool {
        self.0.is_empty()
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.0.len()
    }
}

/// The bytes of the decisions with this number in the run of a seed: the same on every machine.
pub fn seeded(seed: u64, number: u64, length: usize) -> Vec<u8> {
    // Neighbouring numbers would give neighbouring states: the multiplier of Knuth's generator spreads them.
    let mut random = fastrand::Rng::with_seed(seed ^ number.wrapping_add(1).wrapping_mul(6_364_136_223_846_793_005));
    let mut bytes = vec![0; length];
    random.fill(&mut bytes);
    bytes
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_simplest_decisions_are_made_of_nothing() {
        for bytes in [&[][..], &[0; 64][..]] {
            let mut choices = Choices::new(bytes);
            assert_eq!((choices.below(7), choices.below(100_000), choices.below(0)), (0, 0, 0));
            assert_eq!(choices.pick(&["first", "second"]), Some(&"first"));
            assert_eq!(choices.pick::<u8>(&[]), None);
            assert!(!choices.one_in(3) && !choices.one_in(2) && choices.one_in(1) && !choices.one_in(0));
            assert_eq!(choices.bytes(9), b"");
        }
    }

    #[test]
    fn decisions_can_be_written_by_hand() {
        let mut choices = Choices::new(&[9, 9, 5, 0, 1, 1, 0xff, 0xff, 3, 0, b'a', b'b', b'c', b'd']);
        assert_eq!(choices.below(1), 0);
        assert_eq!((choices.below(7), choices.below(300), choices.below(0x1_0000)), (5, 257, 0xffff));
        assert_eq!(choices.bytes(20), b"abc");
        assert_eq!((choices.left(), choices.is_over()), (1, false));
    }

    #[test]
    fn a_seed_gives_the_same_bytes_and_each_number_others() {
        assert_eq!(seeded(7, 1, 5), seeded(7, 1, 5));
        assert_ne!(seeded(7, 1, 32), seeded(7, 2, 32));
        assert_ne!(seeded(7, 1, 32), seeded(8, 1, 32));
        let known = seeded(1, 2, 8);
        assert_eq!(known, seeded(1, 2, 8));
        assert_eq!(known.len(), 8);
    }
}
