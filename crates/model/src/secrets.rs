//! What must not be shown: credentials, in every spelling in which they may come back, and the pieces of them.

mod cut;
mod layers;
mod pieces;
pub mod random;
mod spelling;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use bytes::Bytes;
use layers::Layer;
use pieces::Pieces;
use serde_json::Value;
use spelling::Reading;

use crate::auth::Token;

/// What stands in place of a secret: the first of these whose character is in no secret, so that a mask beside other
/// characters never spells one.
const MASKS: [&str; 2] = ["***", "\u{2022}\u{2022}\u{2022}"];

/// Shorter secrets are not masked: their characters occur by chance, and a report full of masks hides its findings.
const SHORTEST: usize = 4;

/// Shorter pieces of base64 are not taken for a secret.
const SHORTEST_BASE64: usize = 8;

/// The secrets of a run.
#[derive(Clone)]
pub struct Secrets {
    /// What is looked for, by its first byte: the secrets, and the digits that stand for them.
    needles: Vec<Vec<String>>,
    /// The pieces of the same.
    pieces: Arc<Pieces>,
    mask: &'static str,
    /// The secrets themselves.
    values: BTreeSet<String>,
    /// Those that a run gets to know while it goes on.
    later: Option<Arc<Later>>,
}

/// Tokens that are renewed.
struct Later {
    tokens: Vec<Token>,
    /// All secrets as they were last, and how many the tokens had then.
    known: Mutex<(usize, Arc<Secrets>)>,
}

impl Default for Secrets {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl Secrets {
    /// Takes the values that must not be shown; those of fewer than four characters are not masked.
    pub fn new(values: Vec<String>) -> Self {
        let values = values.iter().map(|value| value.trim()).filter(|value| value.chars().count() >= SHORTEST);
        let values: BTreeSet<String> = values.map(str::to_owned).collect();
        let is_free = |mask: &&&str| !values.iter().any(|value| mask.chars().any(|c| value.contains(c)));
        let mask = MASKS.iter().find(is_free).unwrap_or(&MASKS[0]);
        let encoded = |value: &String| base64_spellings(value).into_iter().chain(hexadecimal_spellings(value));
        let encoded: BTreeSet<String> = values.iter().flat_map(encoded).collect();
        let mut pieces = Pieces::default();
        values.union(&encoded).for_each(|text| pieces.add(text));
        let mut needles = vec![Vec::new(); if values.is_empty() { 0 } else { 256 }];
        for needle in values.union(&encoded) {
            let first = needle.bytes().next().and_then(|first| needles.get_mut(usize::from(first)));
            first.into_iter().for_each(|same: &mut Vec<String>| same.push(needle.clone()));
        }
        Self { needles, pieces: Arc::new(pieces), mask, values, later: None }
    }

    /// These and more.
    #[must_use]
    pub fn and(&self, more: Vec<String>) -> Self {
        let tokens = self.later.iter().flat_map(|later| later.tokens.clone()).collect();
        Self::new(self.values.iter().cloned().chain(more).collect()).and_of(tokens)
    }

    /// These and those of tokens, also of those that have yet to come.
    #[must_use]
    pub fn and_of(self, tokens: Vec<Token>) -> Self {
        if tokens.is_empty() {
            return self;
        }
        let known = Mutex::new((0, Arc::new(self.clone())));
        Self { later: Some(Arc::new(Later { tokens, known })), ..self }
    }

    /// All that is known by now, where it may be more than at first.
    fn by_now(&self) -> Option<Arc<Self>> {
        let later = self.later.as_ref()?;
        let mut known = later.known.lock().unwrap_or_else(PoisonError::into_inner);
        let count = later.tokens.iter().map(Token::count_secrets).sum();
        if known.0 != count {
            let values = self.values.iter().cloned().chain(later.tokens.iter().flat_map(Token::secrets));
            *known = (count, Arc::new(Self::new(values.collect())));
        }
        Some(Arc::clone(&known.1))
    }

    /// The text with `***` for every secret (or with another mask if a secret has an asterisk). Each character of a secret
    /// may be plain, or escaped as in JSON, HTML, a URL or a program, in any mixture, and that again, as in a URL within a URL. A
    /// secret in base64 or hexadecimal is found as well, also amid other bytes as in basic authentication. Of one of eight characters
    /// or more the case of letters makes no difference. A piece of twelve characters is masked wherever it stands, and a shorter
    /// beginning or end where a text was cut (`...`). A text that is masked already stays as it is.
    pub fn mask(&self, text: &str) -> String {
        let mut masked = text.to_owned();
        self.mask_in_place(&mut masked);
        masked
    }

    /// [`Secrets::mask`], without a copy where there is nothing to mask.
    pub fn mask_in_place(&self, text: &mut String) {
        if let Some(all) = self.by_now() {
            return all.mask_in_place(text);
        }
        let found = self.find(text);
        if found.is_empty() {
            return;
        }
        let mut masked = String::with_capacity(text.len());
        let mut from = 0;
        for range in found {
            masked.push_str(text.get(from..range.start).unwrap_or_default());
            masked.push_str(self.mask);
            from = range.end;
        }
        masked.push_str(text.get(from..).unwrap_or_default());
        *text = masked;
    }

    /// The bytes with masks for secrets. Bytes that are no text become one where they hold any: better a text with replacements
    /// than a secret.
    pub fn mask_bytes(&self, bytes: &Bytes) -> Bytes {
        let text = String::from_utf8_lossy(bytes);
        let masked = self.mask(&text);
        if masked == *text { bytes.clone() } else { Bytes::from(masked) }
    }

    /// Masks every string and every name in a value. Bytes in base64 stay base64, where `is_base64` says so of a member.
    pub fn mask_value(&self, value: &mut Value, is_base64: &impl Fn(&str) -> bool) {
        match value {
            Value::String(text) => self.mask_in_place(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.mask_value(item, is_base64)),
            Value::Object(members) => {
                *members = std::mem::take(members)
                    .into_iter()
                    .map(|(name, mut member)| {
                        match &mut member {
                            Value::String(text) if is_base64(&name) => self.mask_base64(text),
                            member => self.mask_value(member, is_base64),
                        }
                        (self.mask(&name), member)
                    })
                    .collect();
            }
            _ => {}
        }
    }

    fn mask_base64(&self, text: &mut String) {
        if self.mask(text) == *text {
            return;
        }
        let bytes = Bytes::from(STANDARD.decode(&text).unwrap_or_default());
        let masked = self.mask_bytes(&bytes);
        *text = STANDARD.encode(if masked == bytes { self.mask.as_bytes() } else { &masked });
    }

    /// Whether there may be anything to mask, now or later.
    pub fn hides_anything(&self) -> bool {
        !self.is_empty() || self.later.is_some()
    }

    /// Whether there is anything to mask.
    pub fn is_empty(&self) -> bool {
        self.needles.is_empty()
    }

    /// Where secrets stand, in order. Those that overlap are one range, so that no end of any is left over.
    fn find(&self, text: &str) -> Vec<Range<usize>> {
        if self.is_empty() {
            return Vec::new();
        }
        let layers = Layer::all(text);
        let mut found = self.find_as_read(text);
        cut::find(text, self.values.iter(), &mut Reader::new(text), &mut found);
        for (depth, layer) in layers.iter().enumerate() {
            let below = layers.get(..=depth).unwrap_or_default();
            let written = |range| below.iter().rev().fold(range, |range, layer| layer.written(&range));
            found.extend(self.find_as_read(&layer.text).into_iter().map(written));
        }
        found.sort_by_key(|range| range.start);
        let mut merged: Vec<Range<usize>> = Vec::new();
        for range in found {
            match merged.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        merged
    }

    /// The secrets and their pieces in a text, of which a secret may be escaped once and a piece is not.
    fn find_as_read(&self, text: &str) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        self.pieces.find(text, &mut found);
        let mut reader = Reader::new(text);
        for (start, byte) in text.bytes().enumerate() {
            let end = match spelling::is_lead(byte) {
                true => self.longest_from_an_escape(start, &mut reader),
                false => self.beginning_with(byte).iter().filter_map(|needle| reader.end_of(start, needle)).max(),
            };
            found.extend(end.map(|end| start..end));
        }
        found
    }

    /// Where the longest needle ends whose first character may be escaped at `start`.
    fn longest_from_an_escape(&self, start: usize, reader: &mut Reader<'_>) -> Option<usize> {
        let mut longest = None;
        let readings = reader.begin(start);
        for Reading { c, end } in &readings {
            let first = c.encode_utf8(&mut [0; 4]).bytes().next().unwrap_or_default();
            let rests = self.beginning_with(first).iter().filter_map(|needle| needle.strip_prefix(*c));
            longest = longest.max(rests.filter_map(|rest| reader.end_of(*end, rest)).max());
        }
        reader.first = readings;
        longest
    }

    fn beginning_with(&self, byte: u8) -> &[String] {
        self.needles.get(usize::from(byte)).map_or(&[], Vec::as_slice)
    }
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secrets({} needles)", self.needles.iter().map(Vec::len).sum::<usize>())
    }
}

/// Reads needles in a text. What stands at a place may be read in several ways (`%25` is itself or `%`), so that the reader
/// may be at several places at once. Its lists are kept, which saves making them.
struct Reader<'a> {
    text: &'a str,
    first: Vec<Reading>,
    readings: Vec<Reading>,
    now: Vec<usize>,
    next: Vec<usize>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, first: Vec::new(), readings: Vec::new(), now: Vec::new(), next: Vec::new() }
    }

    /// How the first character may be read, in a list that is to be given back.
    fn begin(&mut self, at: usize) -> Vec<Reading> {
        let mut first = std::mem::take(&mut self.first);
        spelling::read(self.text, at, &mut first);
        first
    }

    /// Where a needle ends that begins at `start`; of several ends the last.
    fn end_of(&mut self, start: usize, needle: &str) -> Option<usize> {
        // Most of a text is plain, and can be read in one way.
        let pairs = needle.bytes().zip(self.text.bytes().skip(start));
        let plain = pairs.take_while(|(wanted, byte)| wanted == byte && !spelling::is_lead(*byte)).count();
        let (at, rest) = (start + plain, needle.get(plain..)?);
        match self.text.as_bytes().get(at) {
            _ if rest.is_empty() => Some(at),
            Some(byte) if spelling::is_lead(*byte) => self.end_by_escapes(at, rest),
            _ => None,
        }
    }

    fn end_by_escapes(&mut self, start: usize, needle: &str) -> Option<usize> {
        self.now.clear();
        self.now.push(start);
        for c in needle.chars() {
            self.next.clear();
            for at in &self.now {
                spelling::read(self.text, *at, &mut self.readings);
                for reading in self.readings.iter().filter(|reading| reading.c == c) {
                    if !self.next.contains(&reading.end) {
                        self.next.push(reading.end);
                    }
                }
            }
            std::mem::swap(&mut self.now, &mut self.next);
            if self.now.is_empty() {
                return None;
            }
        }
        self.now.iter().max().copied()
    }
}

/// The digits that spell the value and nothing else, at each of the three places where it can begin within a group of
/// three bytes, in both alphabets.
fn base64_spellings(value: &str) -> Vec<String> {
    let mut found = Vec::new();
    for before in 0..3 {
        let mut bytes = vec![0; before];
        bytes.extend_from_slice(value.as_bytes());
        // The first digit that holds no bit of what stands before, and the first that holds bits of what follows.
        let from = (before * 8).div_ceil(6);
        let to = bytes.len() * 8 / 6;
        for text in [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)] {
            // At the very beginning the last digit is the value's own if nothing follows.
            if before == 0 {
                found.push(text.clone());
            }
            found.extend(text.get(from..to).map(ToOwned::to_owned));
        }
    }
    found.retain(|spelling| spelling.len() >= SHORTEST_BASE64);
    found
}

/// The digits of the bytes of a value, in small letters and in capitals.
fn hexadecimal_spellings(value: &str) -> [String; 2] {
    let small: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
    [small.to_ascii_uppercase(), small]
}

#[cfg(test)]
mod tests;
