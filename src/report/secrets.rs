//! What must not be shown: credentials, in every spelling in which they may come back.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// What stands in place of a secret.
const MASK: &str = "***";

/// Shorter secrets are not masked: their characters occur by chance, and a report full of masks hides its findings.
const SHORTEST: usize = 4;

/// Shorter pieces of base64 are not taken for a secret.
const SHORTEST_BASE64: usize = 8;

/// The secrets of a run.
#[derive(Clone, Default)]
pub struct Secrets {
    /// Every spelling, longest first, so that none is cut by one inside it.
    spellings: Vec<String>,
    /// The secrets themselves, longest first.
    values: Vec<String>,
}

impl Secrets {
    /// Takes the values that must not be shown; those of fewer than four characters are not masked.
    pub fn new(values: Vec<String>) -> Self {
        let values = values.iter().map(|value| value.trim()).filter(|value| value.chars().count() >= SHORTEST);
        let values: BTreeSet<String> = values.map(str::to_owned).collect();
        let mut spellings = values.clone();
        for value in &values {
            spellings.extend(json_spellings(value));
            spellings.extend(base64_spellings(value));
        }
        Self { spellings: longest_first(spellings), values: longest_first(values) }
    }

    /// These and more.
    #[must_use]
    pub fn and(&self, more: Vec<String>) -> Self {
        Self::new(self.values.iter().cloned().chain(more).collect())
    }

    /// The text with `***` for every secret, be it written plainly, escaped as in JSON, percent-encoded, or in base64,
    /// there also amid other bytes as in basic authentication.
    pub fn mask(&self, text: &str) -> String {
        let mut masked = text.to_owned();
        self.mask_in_place(&mut masked);
        masked
    }

    /// [`Secrets::mask`], without a copy where there is nothing to mask.
    pub fn mask_in_place(&self, text: &mut String) {
        for spelling in &self.spellings {
            if text.contains(spelling) {
                *text = text.replace(spelling, MASK);
            }
        }
        if text.contains('%') {
            for value in &self.values {
                mask_encoded(text, value.as_bytes());
            }
        }
    }

    /// Whether there is anything to mask.
    pub fn is_empty(&self) -> bool {
        self.spellings.is_empty()
    }
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secrets({} spellings)", self.spellings.len())
    }
}

/// The value inside a JSON string: as most writers escape it, with `\/`, and with everything beyond ASCII escaped in
/// either case of hexadecimal digits.
fn json_spellings(value: &str) -> Vec<String> {
    let quoted = serde_json::Value::from(value).to_string();
    let plain = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or(value).to_owned();
    let mut ascii = String::new();
    let mut ascii_upper = String::new();
    for c in plain.chars() {
        if c.is_ascii() {
            ascii.push(c);
            ascii_upper.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            ascii.push_str(&format!("\\u{unit:04x}"));
            ascii_upper.push_str(&format!("\\u{unit:04X}"));
        }
    }
    let all = [plain, ascii, ascii_upper];
    let slashed = all.clone().map(|spelling| spelling.replace('/', "\\/"));
    all.into_iter().chain(slashed).collect()
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

fn longest_first(texts: BTreeSet<String>) -> Vec<String> {
    let mut texts: Vec<String> = texts.into_iter().collect();
    texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
    texts
}

/// Masks a value wherever a text spells it with some of its bytes percent-encoded. Which ones differs: in a query (RFC
/// 3986 section 2.1) more than in gRPC's `grpc-message`, and there from library to library.
fn mask_encoded(text: &mut String, value: &[u8]) {
    let mut from = 0;
    while let Some(found) = (from..text.len()).find_map(|start| Some(start..end_of(text.as_bytes(), start, value)?)) {
        from = found.start + MASK.len();
        // Both ends are those of whole characters: the value begins and ends with one.
        text.replace_range(found, MASK);
    }
}

/// Where the value ends that is spelled from `at` on.
fn end_of(text: &[u8], mut at: usize, value: &[u8]) -> Option<usize> {
    for byte in value {
        let rest = text.get(at..)?;
        let is_encoded = || {
            let digits = std::str::from_utf8(rest.strip_prefix(b"%")?.get(..2)?).ok()?;
            u8::from_str_radix(digits, 16).ok()
        };
        at += match rest.first() {
            Some(first) if first == byte => 1,
            _ if is_encoded() == Some(*byte) => 3,
            _ => return None,
        };
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::STANDARD;

    use super::*;

    fn secrets(value: &str) -> Secrets {
        Secrets::new(vec![value.to_owned()])
    }

    #[test]
    fn plain_and_escaped_spellings() {
        let secrets = secrets("p\"w/\u{e9}1");
        for spelling in ["p\"w/\u{e9}1", "p\\\"w/\u{e9}1", "p\\\"w\\/\\u00e91", "p\\\"w/\\u00E91", "p%22w%2F%C3%A91"] {
            assert_eq!(secrets.mask(&format!("<{spelling}>")), "<***>", "{spelling}");
        }
        for spelling in ["p%22w/%c3%a91", "p\"w/%C3%A91", "%70%22%77/\u{e9}1"] {
            assert_eq!(secrets.mask(&format!("<%{spelling}%{spelling}>")), "<%***%***>", "{spelling}");
        }
        assert_eq!(secrets.mask("p%22w%2F%C3%A92 p%2"), "p%22w%2F%C3%A92 p%2");
        assert_eq!(secrets.mask("nothing"), "nothing");
    }

    #[test]
    fn base64_at_every_place() {
        let secrets = secrets("correct-horse");
        assert_eq!(secrets.mask(&STANDARD_NO_PAD.encode("correct-horse")), "***");
        for user in ["", "a", "ab", "abc", "abcd", "\u{e9}"] {
            let basic = STANDARD.encode(format!("{user}:correct-horse"));
            let masked = secrets.mask(&basic);
            assert!(masked.contains("***"), "{basic}");
            assert!(masked.len() < basic.len() - 10, "{masked}");
            let followed = STANDARD.encode(format!("{user}:correct-horse!!!"));
            assert!(secrets.mask(&followed).contains("***"), "{followed}");
        }
    }

    #[test]
    fn longer_spellings_go_first_and_short_ones_do_not_count() {
        let secrets = Secrets::new(vec!["token".into(), "token-of-more".into(), "ab".into(), String::new()]);
        assert_eq!(secrets.mask("a token-of-more, a token, ab"), "a ***, a ***, ab");
        assert!(Secrets::new(vec!["abc".into()]).is_empty());
        assert!(!format!("{secrets:?}").contains("token"));
    }
}
