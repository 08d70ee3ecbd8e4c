//! Base64 as RFC 4648 defines it: which alphabet, which padding, and whether it is written canonically.

use ::base64::Engine;
use ::base64::alphabet;
use ::base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use thiserror::Error;

/// Which of the two alphabets a text is written in (RFC 4648 sections 4 and 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alphabet {
    /// It uses `+` or `/`.
    Standard,
    /// It uses `-` or `_`.
    UrlSafe,
    /// It uses none of these four.
    Either,
}

/// How a text is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding {
    /// The alphabet.
    pub alphabet: Alphabet,
    /// Whether it ends in `=`.
    pub padded: bool,
    /// Whether its length is a multiple of four: either it is padded or it needs no padding.
    pub is_complete: bool,
    /// Whether the last character carries bits that belong to no byte and are not zero. A decoder may refuse them
    /// (RFC 4648 section 3.5); an encoder must not write them.
    pub has_trailing_bits: bool,
}

/// A text that is no base64 at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Base64Error {
    /// A character of neither alphabet; line breaks and spaces are such (RFC 4648 section 3.3).
    #[error("character {found:?} at byte {at} is in no base64 alphabet")]
    Character {
        /// Byte offset.
        at: usize,
        /// The character.
        found: char,
    },
    /// `+` or `/` in one text with `-` or `_`.
    #[error("{found:?} at byte {at} is of the other base64 alphabet")]
    MixedAlphabets {
        /// Byte offset.
        at: usize,
        /// The first character of the second alphabet.
        found: char,
    },
    /// Padding that is not `=` or `==` filling the last group of four.
    #[error("misplaced padding at byte {at}")]
    Padding {
        /// Byte offset.
        at: usize,
    },
    /// A last group of one character, which can spell no byte.
    #[error("{digits} base64 digits, which no sequence of bytes has")]
    Length {
        /// How many there are, without padding.
        digits: usize,
        /// Byte offset of the last one.
        at: usize,
    },
}

impl Base64Error {
    /// Byte offset of what is wrong.
    #[must_use]
    pub fn at(&self) -> usize {
        match *self {
            Self::Character { at, .. }
            | Self::MixedAlphabets { at, .. }
            | Self::Padding { at }
            | Self::Length { at, .. } => at,
        }
    }
}

/// Checks a text against RFC 4648, either alphabet, with or without padding. The empty text is base64 of no bytes.
///
/// # Errors
/// The first thing that no base64 decoder need accept; trailing bits are reported in [`Encoding`] instead.
pub fn check(text: &str) -> Result<Encoding, Base64Error> {
    let digits = text.find('=').unwrap_or(text.len());
    let (body, padding) = text.split_at(digits);
    let mut alphabet = Alphabet::Either;
    for (at, found) in body.char_indices() {
        let own = match found {
            'A'..='Z' | 'a'..='z' | '0'..='9' => continue,
            '+' | '/' => Alphabet::Standard,
            '-' | '_' => Alphabet::UrlSafe,
            _ => return Err(Base64Error::Character { at, found }),
        };
        if alphabet != Alphabet::Either && alphabet != own {
            return Err(Base64Error::MixedAlphabets { at, found });
        }
        alphabet = own;
    }
    let last = digits % 4;
    if last == 1 {
        let at = digits - 1;
        return Err(Base64Error::Length { digits, at });
    }
    if !padding.is_empty() {
        let due = if last == 0 { 0 } else { 4 - last };
        if due == 0 {
            return Err(Base64Error::Padding { at: digits });
        }
        let count = padding.bytes().take_while(|b| *b == b'=').count();
        if count != due || padding.len() != due {
            return Err(Base64Error::Padding { at: digits + count.min(due) });
        }
    }
    let spare_bits = match last {
        2 => 0b1111,
        3 => 0b11,
        _ => 0,
    };
    let last_value = body.bytes().next_back().map_or(0, value);
    Ok(Encoding {
        alphabet,
        padded: !padding.is_empty(),
        is_complete: text.len().is_multiple_of(4),
        has_trailing_bits: last_value & spare_bits != 0,
    })
}

/// The bytes that a text spells, in whichever of the forms [`check`] accepts; trailing bits are dropped.
///
/// # Errors
/// Those of [`check`].
pub fn decode(text: &str) -> Result<Vec<u8>, Base64Error> {
    const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent);
    const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
    const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);
    let encoding = check(text)?;
    let decoded = match encoding.alphabet {
        Alphabet::UrlSafe => URL_SAFE.decode(text),
        Alphabet::Standard | Alphabet::Either => STANDARD.decode(text),
    };
    // What passed the check is decodable; the mapping is for a disagreement that a test would show.
    decoded.map_err(|_| Base64Error::Length { digits: text.len(), at: text.len() })
}

/// Spells bytes in the standard alphabet, padded.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    ::base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// The six bits of a digit of either alphabet.
fn value(digit: u8) -> u8 {
    match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' | b'-' => 62,
        _ => 63,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_vectors_of_section_10() {
        for (plain, padded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            for text in [padded, padded.trim_end_matches('=')] {
                assert_eq!(decode(text).unwrap(), plain.as_bytes(), "{text}");
                let encoding = check(text).unwrap();
                assert_eq!(encoding.padded, text.ends_with('='));
                assert_eq!(encoding.is_complete, text.len() == padded.len());
                assert_eq!(encoding.alphabet, Alphabet::Either);
                assert!(!encoding.has_trailing_bits);
            }
        }
    }

    #[test]
    fn tells_the_alphabets_apart() {
        assert_eq!(check("+/8=").unwrap().alphabet, Alphabet::Standard);
        assert_eq!(check("-_8").unwrap().alphabet, Alphabet::UrlSafe);
        assert_eq!(decode("+/8="), decode("-_8"));
        assert_eq!(check("+A_A"), Err(Base64Error::MixedAlphabets { at: 2, found: '_' }));
    }

    #[test]
    fn reports_trailing_bits_apart() {
        assert!(check("Zh==").unwrap().has_trailing_bits);
        for text in ["Zo", "Zk", "Zi", "Zh", "ZmC", "ZmB"] {
            assert!(check(text).unwrap().has_trailing_bits, "{text}");
        }
        assert_eq!(decode("Zh==").unwrap(), b"f");
    }

    #[test]
    fn refuses_what_is_no_base64() {
        for (text, at) in [
            ("Z", 0),
            ("Zg=", 3),
            ("Zg===", 4),
            ("Zm9v=", 4),
            ("Zm9vY", 4),
            ("Zg==Zg==", 4),
            ("Zg=\n", 3),
            ("Zm\n9v", 2),
            ("Zm 9", 2),
            ("Zé", 1),
            ("====", 0),
        ] {
            assert_eq!(check(text).map_err(|error| error.at()), Err(at), "{text:?}");
        }
    }
}
