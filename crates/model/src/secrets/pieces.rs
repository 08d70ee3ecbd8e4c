//! Pieces of secrets: what is left of one that was cut, by the agent or by the suite, or that has come in parts.

use std::collections::HashSet;
use std::ops::Range;

use super::layers::Layer;

/// The shortest piece that counts, in bytes. Shorter ones tell little, and occur by chance.
const LENGTH: usize = 12;

/// Secrets that are shorter count as a whole, whatever the case of their letters; even shorter ones only as they are.
const SHORTEST: usize = 8;

/// By what the polynomial is multiplied whose value stands for a piece: odd, and without a pattern.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Bits of the sieve in front of each set: most places of a text are no piece, and are told so by one look.
const SIEVE: usize = 1 << 20;

/// All pieces of some texts, without the case of letters.
#[derive(Clone, Default)]
pub(super) struct Pieces(Vec<OfLength>);

/// Those of one length.
#[derive(Clone)]
struct OfLength {
    length: usize,
    hashes: HashSet<u64>,
    sieve: Vec<u64>,
}

impl Pieces {
    /// Takes a text of which no piece may be shown, as it is and as it is if its escapes are read.
    pub(super) fn add(&mut self, text: &str) {
        self.add_plain(text);
        Layer::all(text).iter().for_each(|layer| self.add_plain(&layer.text));
    }

    fn add_plain(&mut self, text: &str) {
        let length = text.len().min(LENGTH);
        if length < SHORTEST {
            return;
        }
        let known = self.0.iter().position(|known| known.length == length);
        let index = known.unwrap_or_else(|| {
            self.0.push(OfLength { length, hashes: HashSet::new(), sieve: vec![0; SIEVE / 64] });
            self.0.len() - 1
        });
        if let Some(known) = self.0.get_mut(index) {
            for (_, hash) in Hashes::new(text, length) {
                known.hashes.insert(hash);
                let (word, bit) = place(hash);
                known.sieve.get_mut(word).into_iter().for_each(|word| *word |= bit);
            }
        }
    }

    /// Adds where pieces stand in a text, between characters.
    pub(super) fn find(&self, text: &str, found: &mut Vec<Range<usize>>) {
        for known in &self.0 {
            let mut last: Option<Range<usize>> = None;
            for (start, _) in Hashes::new(text, known.length).filter(|(_, hash)| known.has(*hash)) {
                let end = start + known.length;
                match &mut last {
                    Some(last) if start < last.end => last.end = end,
                    _ => found.extend(last.replace(start..end).map(|piece| whole(text, &piece))),
                }
            }
            found.extend(last.map(|piece| whole(text, &piece)));
        }
    }
}

impl OfLength {
    fn has(&self, hash: u64) -> bool {
        let (word, bit) = place(hash);
        self.sieve.get(word).is_some_and(|word| word & bit != 0) && self.hashes.contains(&hash)
    }
}

/// The word of a sieve and the bit in it.
fn place(hash: u64) -> (usize, u64) {
    let place = usize::try_from(hash >> 44).unwrap_or_default() % SIEVE;
    (place / 64, 1 << (place % 64))
}

/// With all bytes of the characters at its ends.
fn whole(text: &str, piece: &Range<usize>) -> Range<usize> {
    text.floor_char_boundary(piece.start)..text.ceil_char_boundary(piece.end)
}

/// A number for each piece of a text, each made from the one before it.
struct Hashes<'a> {
    bytes: &'a [u8],
    length: usize,
    /// By what the byte that leaves has been multiplied.
    leaves: u64,
    end: usize,
    hash: u64,
}

impl<'a> Hashes<'a> {
    fn new(text: &'a str, length: usize) -> Self {
        let leaves = (0..length).fold(1, |power: u64, _| power.wrapping_mul(FACTOR));
        Self { bytes: text.as_bytes(), length, leaves, end: 0, hash: 0 }
    }

    fn value(&self, at: usize) -> Option<u64> {
        self.bytes.get(at).map(|byte| u64::from(byte.to_ascii_lowercase()) + 1)
    }
}

impl Iterator for Hashes<'_> {
    type Item = (usize, u64);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            self.hash = self.hash.wrapping_mul(FACTOR).wrapping_add(self.value(self.end)?);
            self.end += 1;
            let Some(start) = self.end.checked_sub(self.length) else { continue };
            if let Some(before) = start.checked_sub(1) {
                self.hash = self.hash.wrapping_sub(self.value(before)?.wrapping_mul(self.leaves));
            }
            return Some((start, self.hash));
        }
    }
}
