//! Random numbers of this crate's own: SplitMix64, so that nothing is shared with what is measured.

/// A source of random values; the same seed gives the same values.
#[derive(Debug, Clone)]
pub struct Chance(u64);

impl Chance {
    /// From a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 random bits.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which must not be 0.
    pub const fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// A number from `first` to `last`, both included.
    pub const fn between(&mut self, first: u64, last: u64) -> u64 {
        first + self.below(last - first + 1)
    }

    /// Whether something happens that does so once in `n` times.
    pub const fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// A number of a random size of at most `most` bits: small numbers are as likely as large ones.
    pub const fn sized(&mut self, most: u64) -> u64 {
        match self.below(most + 1) {
            0 => 0,
            bits => (1 << (bits - 1)) | self.below(1 << (bits - 1)),
        }
    }

    /// One of several, of which there is at least one.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        let index = usize::try_from(self.below(of.len() as u64)).unwrap_or_default();
        &of[index]
    }

    /// A character of any script: half are printable ASCII, the others are near a random place of Unicode.
    pub fn character(&mut self) -> char {
        if self.one_in(2) {
            return char::from(u8::try_from(self.between(0x20, 0x7e)).unwrap_or(b' '));
        }
        loop {
            let point = u32::try_from(self.sized(21)).ok().and_then(char::from_u32);
            if let Some(point) = point {
                return point;
            }
        }
    }

    /// A text of a random length of at most `bits` bits, all from one script.
    pub fn text(&mut self, bits: u64) -> String {
        let (length, home) = (self.sized(bits), u32::from(self.character()));
        let near = |chance: &mut Self| {
            let point = (home & !0x3f) | u32::try_from(chance.below(64)).unwrap_or_default();
            char::from_u32(point).unwrap_or('\u{fffd}')
        };
        (0..length).map(|_| near(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_values() {
        let values = |seed| {
            let mut chance = Chance::new(seed);
            (chance.next(), chance.sized(31), chance.text(9))
        };
        assert_eq!(values(7), values(7));
        assert_ne!(values(7), values(8));
    }

    #[test]
    fn sizes_are_spread_evenly() {
        let mut chance = Chance::new(1);
        let mut sizes = [0_u32; 11];
        (0..11_000).for_each(|_| sizes[(64 - chance.sized(10).leading_zeros()) as usize] += 1);
        assert!(sizes.iter().all(|count| (800..1200).contains(count)), "{sizes:?}");
    }
}
