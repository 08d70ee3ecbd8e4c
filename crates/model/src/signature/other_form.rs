//! What was signed in place of the canonical form of a card, where that can be found out: signers make the same few mistakes, and one
//! that is named can be mended.

use std::fmt;

use serde_json::{Map, Value};

use super::{Canonical, Keys, Signature, Slip, Unknown, jcs};
use crate::profile::Descriptors;

/// A form of a card other than the canonical one (A2A 1.0 section 8.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherForm {
    /// With members that have their default values, and are neither REQUIRED nor `optional`.
    WithDefaults,
    /// Without REQUIRED members that have their default values.
    WithoutRequired,
    /// Without `optional` members that were set to their default values.
    WithoutExplicit,
    /// Without its empty texts, lists and objects, whatever they mean.
    WithoutEmpty,
    /// With an empty member `signatures`.
    WithSignatures,
    /// JSON that RFC 8785 writes otherwise.
    NotSorted,
}

impl OtherForm {
    /// The form over which a signature holds, if it is one of these.
    #[must_use]
    pub fn signed(signature: &Signature, descriptors: &Descriptors, card: &Value, keys: &Keys) -> Option<Self> {
        let is_over = |bytes: &[u8]| signature.verify(bytes, keys).is_ok();
        for unknown in [Unknown::LeftOut, Unknown::Kept] {
            let by = |slips: &[Slip]| Canonical::with_slips(descriptors, card, unknown, slips);
            for (slips, form) in SLIPS {
                if by(slips).is_some_and(|form| is_over(&form.bytes)) {
                    return Some(form);
                }
            }
            let Some(Canonical { content, .. }) = by(&[]) else { continue };
            if without_empty(&content).and_then(|left| jcs(&left)).is_some_and(|bytes| is_over(&bytes)) {
                return Some(Self::WithoutEmpty);
            }
            for left in [Value::Array(Vec::new()), Value::Null] {
                let mut itself = content.clone();
                itself["signatures"] = left;
                if jcs(&itself).is_some_and(|bytes| is_over(&bytes)) {
                    return Some(Self::WithSignatures);
                }
            }
            // In the order of the card, as programs write it that do not sort.
            if [content.to_string(), format!("{content:#}")].iter().any(|text| is_over(text.as_bytes())) {
                return Some(Self::NotSorted);
            }
        }
        None
    }
}

impl fmt::Display for OtherForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WithDefaults => "one over a card with members that have default values and are to be left out",
            Self::WithoutRequired => "one over a card without required members that have default values",
            Self::WithoutExplicit => "one over a card without optional members that were set to default values",
            Self::WithoutEmpty => "one over the card without its empty texts, lists and objects, as some SDKs sign it",
            Self::WithSignatures => "one over a card with an empty member signatures",
            Self::NotSorted => "one over JSON that RFC 8785 writes otherwise",
        })
    }
}

/// What signers are known to do with the presence of members.
const SLIPS: [(&[Slip], OtherForm); 4] = [
    (&[Slip::KeepsDefaults], OtherForm::WithDefaults),
    (&[Slip::DropsRequired], OtherForm::WithoutRequired),
    (&[Slip::DropsExplicit], OtherForm::WithoutExplicit),
    (&[Slip::DropsRequired, Slip::DropsExplicit], OtherForm::WithoutRequired),
];

/// What is left of a value without all that is empty, whatever it means: published SDKs sign cards so, and verify them so.
fn without_empty(value: &Value) -> Option<Value> {
    match value {
        Value::Object(members) => {
            let left = members.iter().filter_map(|(name, value)| Some((name.clone(), without_empty(value)?)));
            Some(left.collect::<Map<_, _>>()).filter(|left| !left.is_empty()).map(Value::Object)
        }
        Value::Array(items) => {
            let left: Vec<Value> = items.iter().filter_map(without_empty).collect();
            (!left.is_empty()).then_some(Value::Array(left))
        }
        Value::String(text) if text.is_empty() => None,
        other => Some(other.clone()),
    }
}
