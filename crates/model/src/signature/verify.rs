//! The signatures of a card, and whether they hold.

use serde_json::Value;

use super::algorithm::Algorithm;
use super::header::{self, Header};
use super::keys::Keys;
use super::refusal::Refusal;
use super::{URL_SAFE_NO_PAD, base64url};
use base64::Engine as _;

/// One signature of a card (A2A 1.0 section 4.4.7).
#[derive(Debug, Clone, PartialEq)]
pub struct Signature {
    /// Its place in the card.
    pub pointer: String,
    /// The protected header as it is written, which is what is signed.
    protected: String,
    /// What it says.
    pub header: Header,
    /// The header that is not signed.
    pub unprotected: Option<Value>,
    /// The signature as it is written.
    signature: String,
}

/// The signatures of a card, each with its place, or why it is none.
pub fn signatures(card: &Value) -> Vec<(String, Result<Signature, Refusal>)> {
    let all = card.get("signatures").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let read = |(index, value): (usize, &Value)| {
        let pointer = format!("/signatures/{index}");
        (pointer.clone(), Signature::read(pointer, value))
    };
    all.iter().enumerate().map(read).collect()
}

impl Signature {
    fn read(pointer: String, value: &Value) -> Result<Self, Refusal> {
        let text = |name: &'static str| {
            let text = value.get(name).and_then(Value::as_str);
            text.map(str::to_owned).ok_or(Refusal::Member(name))
        };
        let (protected, signature) = (text("protected")?, text("signature")?);
        let header = Header::read(&protected)?;
        Ok(Self { pointer, protected, header, unprotected: value.get("header").cloned(), signature })
    }

    /// The key that it names.
    #[must_use]
    pub fn key_id(&self) -> Option<&str> {
        self.header.text("kid")
    }

    /// What is written where the bytes of the signature are.
    ///
    /// # Errors
    /// [`Refusal::NotBase64url`].
    pub fn bytes(&self) -> Result<Vec<u8>, Refusal> {
        base64url(&self.signature).ok_or(Refusal::NotBase64url)
    }

    /// The algorithm that made it.
    ///
    /// # Errors
    /// [`Refusal`]: there is none, or none by which a card can be verified.
    pub fn algorithm(&self) -> Result<Algorithm, Refusal> {
        let name = self.header.text("alg").ok_or(Refusal::NoAlgorithm)?;
        match name {
            name if name.eq_ignore_ascii_case("none") => Err(Refusal::Unsigned(name.to_owned())),
            name if name.starts_with("HS") => Err(Refusal::Secret(name.to_owned())),
            name => Algorithm::named(name).ok_or_else(|| Refusal::UnknownAlgorithm(name.to_owned())),
        }
    }

    /// Whether it may be acted by at all, whatever the card and the keys; and by which algorithm, and which key.
    ///
    /// # Errors
    /// [`Refusal`]: what is wrong with its form.
    pub fn usable(&self) -> Result<(Algorithm, &str), Refusal> {
        if let Some(name) = self.header.duplicates.first() {
            return Err(Refusal::HeaderDuplicate(name.clone()));
        }
        header::unprotected(self.unprotected.as_ref())?;
        let unprotected = self.unprotected.as_ref().and_then(Value::as_object).into_iter().flatten();
        let in_both = unprotected.map(|(name, _)| name).find(|name| self.header.members.get(name).is_some());
        if let Some(name) = in_both {
            return Err(Refusal::InBothHeaders(name.clone()));
        }
        let algorithm = self.algorithm()?;
        let id = self.key_id().ok_or(Refusal::NoKeyId)?;
        self.header.critical(self.unprotected.as_ref())?;
        Ok((algorithm, id))
    }

    /// How its headers break the rules for `crit` and `b64`, if they do.
    #[must_use]
    pub fn critical_fault(&self) -> Option<Refusal> {
        let unprotected = self.unprotected.as_ref();
        let checked = header::unprotected(unprotected).and_then(|()| self.header.critical(unprotected));
        checked.err().filter(Refusal::breaks_critical)
    }

    /// Verifies it over the canonical form of a card, with trusted keys alone: what its header carries or points to is no
    /// reason to trust a key (RFC 8725 section 3.10).
    ///
    /// # Errors
    /// [`Refusal`]: why it is not taken.
    pub fn verify(&self, canonical: &[u8], keys: &Keys) -> Result<(), Refusal> {
        let (algorithm, id) = self.usable()?;
        let mut of_id = keys.of_id(id).peekable();
        if of_id.peek().is_none() {
            return Err(Refusal::NoKey(id.to_owned()));
        }
        let fitting: Vec<_> = of_id.filter(|key| key.fits(algorithm)).collect();
        if fitting.is_empty() {
            // A key without a name is this one or another.
            return Err(match keys.of_id(id).any(|key| key.id.is_some()) {
                true => Refusal::OtherKey { id: id.to_owned(), algorithm: algorithm.name() },
                false => Refusal::NoKey(id.to_owned()),
            });
        }
        let bytes = self.bytes()?;
        let message = signing_input(&self.protected, canonical);
        match fitting.into_iter().any(|key| key.verifies(algorithm, message.as_bytes(), &bytes)) {
            true => Ok(()),
            false => Err(Refusal::Wrong(id.to_owned())),
        }
    }
}

/// What is signed: the protected header as it is written, and the payload (RFC 7515 section 5.1).
pub(super) fn signing_input(protected: &str, payload: &[u8]) -> String {
    format!("{protected}.{}", URL_SAFE_NO_PAD.encode(payload))
}
