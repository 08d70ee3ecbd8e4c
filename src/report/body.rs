//! A body as a report shows it: whole where it is short, else its beginning, its length and its hash; bytes that are no
//! text as base64. What a report takes is so bounded, whatever an agent sends.

use std::borrow::Cow;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::secrets::Secrets;

/// The most bytes of a body that a report shows.
pub(crate) const LONGEST_SHOWN: usize = 8 << 10;

/// How much of a longer body is masked before it is cut: no secret that begins in what is shown ends beyond it.
const MASKED: usize = 64 << 10;

/// A body.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Body {
    /// The text, or as much of it as is shown.
    #[serde(rename = "body")]
    text: String,
    /// How the text stands for bytes that are none.
    #[serde(rename = "body_encoding", skip_serializing_if = "Option::is_none")]
    encoding: Option<Encoding>,
    /// What the body is as a whole, where it is longer than what is shown.
    #[serde(rename = "body_cut", skip_serializing_if = "Option::is_none")]
    cut: Option<Cut>,
}

/// How a text stands for bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Encoding {
    /// RFC 4648 section 4, padded.
    Base64,
}

/// A body of which only the beginning is shown.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct Cut {
    /// Its length in bytes.
    pub bytes: usize,
    /// SHA-256 of all of it, in lower-case hexadecimal digits.
    pub sha256: String,
}

impl Cut {
    fn of(bytes: &[u8]) -> Self {
        let sha256 = Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        });
        Self { bytes: bytes.len(), sha256 }
    }
}

impl Body {
    /// The body with these bytes, masked; at most `longest` of them are shown.
    pub(crate) fn new(bytes: &[u8], longest: usize, secrets: &Secrets) -> Self {
        let cut = (bytes.len() > longest).then(|| Cut::of(bytes));
        let near = bytes.get(..bytes.len().min(longest + MASKED)).unwrap_or(bytes);
        let text = text_of(near, cut.is_some());
        let masked = secrets.mask(&text);
        // A secret in bytes that are no text: better a text with replacements than a secret in base64.
        if is_text(near, cut.is_some()) || masked != text {
            return Self { text: head(&masked, longest), encoding: None, cut };
        }
        let shown = bytes.get(..bytes.len().min(longest)).unwrap_or(bytes);
        Self { text: STANDARD.encode(shown), encoding: Some(Encoding::Base64), cut }
    }

    /// The body that came as these bytes and is shown in this form.
    pub(crate) fn decoded(text: &str, bytes: &[u8], longest: usize, secrets: &Secrets) -> Self {
        let cut = (text.len() > longest).then(|| Cut::of(bytes));
        Self {
            text: head(&secrets.mask(text.get(..floor(text, longest + MASKED)).unwrap_or(text)), longest),
            encoding: None,
            cut,
        }
    }

    /// What is shown, as text: U+FFFD stands for bytes that are none.
    pub fn text(&self) -> Cow<'_, str> {
        match self.encoding {
            None => Cow::Borrowed(&self.text),
            Some(Encoding::Base64) => {
                let bytes = STANDARD.decode(&self.text).unwrap_or_default();
                Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
            }
        }
    }

    /// What a report shows: the text, or base64.
    pub(crate) fn shown(&self) -> &str {
        &self.text
    }

    /// Whether that is base64.
    pub(crate) fn is_base64(&self) -> bool {
        self.encoding.is_some()
    }

    /// What the whole body is, where only its beginning is shown.
    pub(crate) fn cut(&self) -> Option<&Cut> {
        self.cut.as_ref()
    }

    /// Its length in bytes.
    pub(crate) fn length(&self) -> usize {
        match (&self.cut, self.encoding) {
            (Some(cut), _) => cut.bytes,
            (None, None) => self.text.len(),
            (None, Some(Encoding::Base64)) => STANDARD.decode(&self.text).map_or(0, |bytes| bytes.len()),
        }
    }

    /// The bytes that it takes in a report.
    pub(crate) fn size(&self) -> usize {
        self.text.len()
    }
}

/// Whether bytes are text for people: UTF-8 without NUL. The last character of a beginning may be incomplete.
fn is_text(bytes: &[u8], is_beginning: bool) -> bool {
    let is_utf8 = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => is_beginning && error.error_len().is_none(),
    };
    is_utf8 && !bytes.contains(&0)
}

fn text_of(bytes: &[u8], is_beginning: bool) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        // The rest of the last character is beyond the beginning.
        Err(error) if is_beginning && error.error_len().is_none() => {
            String::from_utf8_lossy(bytes.get(..error.valid_up_to()).unwrap_or_default())
        }
        _ => String::from_utf8_lossy(bytes),
    }
}

/// The text cut to at most so many bytes.
fn head(text: &str, longest: usize) -> String {
    text.get(..floor(text, longest)).unwrap_or(text).to_owned()
}

/// The last place, at or before so many bytes, that is between two characters.
pub(super) fn floor(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn body(bytes: &[u8], longest: usize) -> Body {
        Body::new(bytes, longest, &Secrets::new(vec!["hunter22".to_owned()]))
    }

    #[test]
    fn a_short_text_is_shown_whole() {
        let shown = body("grüße".as_bytes(), 100);
        assert_eq!((shown.text().as_ref(), shown.cut(), shown.encoding), ("grüße", None, None));
    }

    #[test]
    fn of_a_long_one_the_beginning_the_length_and_the_hash() {
        // The cut is in the middle of a character.
        let shown = body("aü".repeat(100).as_bytes(), 5);
        assert_eq!(shown.text(), "aüa");
        assert_eq!(shown.cut().unwrap().bytes, 300);
        // FIPS 180-2 appendix B.1.
        let abc = body(b"abc", 2);
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!((abc.text().as_ref(), abc.cut().unwrap().sha256.as_str()), ("ab", hash));
    }

    #[test]
    fn bytes_that_are_no_text_are_base64() {
        let zeros = body(&[0; 8], 4);
        assert_eq!((zeros.text.as_str(), zeros.encoding), ("AAAAAA==", Some(Encoding::Base64)));
        let bytes = body(b"{\"a\":\"\xff\"}", 100);
        assert_eq!((bytes.text.as_str(), bytes.text().as_ref()), ("eyJhIjoi/yJ9", "{\"a\":\"\u{fffd}\"}"));
    }

    #[test]
    fn secrets_are_masked_before_the_cut() {
        assert_eq!(body(b"12345 hunter22 and more", 9).text(), "12345 ***");
        assert_eq!(body(b"\xff hunter22", 100).text(), "\u{fffd} ***");
        assert_eq!(Body::decoded("12345 hunter22", b"", 9, &Secrets::new(vec!["hunter22".into()])).text(), "12345 ***");
    }

    proptest! {
        #[test]
        fn nothing_is_longer_than_asked_for(bytes in prop::collection::vec(any::<u8>(), 0..300), longest in 0_usize..200) {
            let shown = body(&bytes, longest);
            prop_assert!(shown.size() <= longest.div_ceil(3) * 4);
            prop_assert_eq!(shown.cut().is_some(), bytes.len() > longest);
        }
    }
}
