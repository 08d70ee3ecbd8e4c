//! A text with its escapes read, and where each character stands in the text itself.

use std::ops::Range;

use super::spelling::{self, Reading};

/// Most times that escapes are read, one within the other: percent-encoding in percent-encoding, in JSON.
const MOST: usize = 3;

/// A text in which each escape was read once, in the way that takes most of it.
pub(super) struct Layer {
    pub text: String,
    /// In order.
    escapes: Vec<Escape>,
}

/// A character that was escaped.
struct Escape {
    /// Its bytes in the text that was read.
    read: Range<usize>,
    /// Its bytes in the text before that.
    written: Range<usize>,
}

impl Layer {
    /// Nothing where the text has no escape.
    pub(super) fn of(text: &str) -> Option<Self> {
        let mut layer = Self { text: String::new(), escapes: Vec::new() };
        let mut readings = Vec::new();
        let (mut plain, mut at) = (0, 0);
        while let Some(found) = text.as_bytes().get(at..)?.iter().position(|byte| spelling::is_lead(*byte)) {
            at += found;
            spelling::read(text, at, &mut readings);
            let Some(Reading { c, end }) = readings.last().copied().filter(|_| readings.len() > 1) else {
                at += 1;
                continue;
            };
            layer.text.push_str(text.get(plain..at)?);
            let from = layer.text.len();
            layer.text.push(c);
            layer.escapes.push(Escape { read: from..layer.text.len(), written: at..end });
            (plain, at) = (end, end);
        }
        layer.text.push_str(text.get(plain..)?);
        (!layer.escapes.is_empty()).then_some(layer)
    }

    /// A text read again and again, as long as there are escapes in it.
    pub(super) fn all(text: &str) -> Vec<Self> {
        let mut layers: Vec<Self> = Vec::new();
        while layers.len() < MOST {
            let Some(next) = Self::of(layers.last().map_or(text, |last| &last.text)) else { break };
            layers.push(next);
        }
        layers
    }

    /// Where a piece of this text stands in the one before it. An escape belongs to it as a whole.
    pub(super) fn written(&self, piece: &Range<usize>) -> Range<usize> {
        let start = match self.at(piece.start) {
            (Some(escape), _) if piece.start < escape.read.end => escape.written.start,
            (_, start) => start,
        };
        let end = match self.at(piece.end.saturating_sub(1)) {
            (Some(escape), _) if piece.end <= escape.read.end => escape.written.end,
            (_, last) => last + 1,
        };
        start..end
    }

    /// The last escape that begins at or before a byte, and where that byte stands if none holds it.
    fn at(&self, byte: usize) -> (Option<&Escape>, usize) {
        let index = self.escapes.partition_point(|escape| escape.read.start <= byte);
        match index.checked_sub(1).and_then(|index| self.escapes.get(index)) {
            Some(escape) => (Some(escape), escape.written.end + byte.saturating_sub(escape.read.end)),
            None => (None, byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_piece_is_found_where_it_was_written() {
        let text = r"a%2541\u0042c&amp;d";
        let layers = Layer::all(text);
        assert_eq!(layers.iter().map(|layer| layer.text.as_str()).collect::<Vec<_>>(), ["a%41Bc&d", "aABc&d"]);
        let whole = |piece: Range<usize>| text.get(layers[0].written(&layers[1].written(&piece))).unwrap();
        assert_eq!([whole(0..1), whole(1..2), whole(0..2), whole(2..4)], ["a", "%2541", "a%2541", r"\u0042c"]);
        assert_eq!([whole(4..6), whole(5..6), whole(0..6)], ["&amp;d", "d", text]);
        assert!(Layer::all("plain, and 100 % of it").is_empty());
    }
}
