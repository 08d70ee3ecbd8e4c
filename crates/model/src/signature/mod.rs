//! Signed agent cards (A2A 1.0 section 8.4): the canonical form of a card, its signatures as JWS (RFC 7515), and keys.
//!
//! Enters: a card, and the keys that are trusted. Leaves: which of its signatures hold, over which form of the card; or why
//! one does not.

mod algorithm;
mod canonical;
mod header;
mod i_json;
mod key;
mod keys;
mod other_form;
mod refusal;
mod sign;
mod verify;

pub use algorithm::Algorithm;
pub use canonical::{Canonical, Decision, Rule, Slip, Unknown, jcs};
pub use header::Header;
pub use i_json::{NoCanonicalForm, read};
pub use key::{Curve, Key, Material};
pub use keys::{KeyError, Keys};
pub use other_form::OtherForm;
pub use refusal::Refusal;
pub use sign::{SignError, Signer};
pub use verify::{Signature, signatures};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Bytes in base64url without padding (RFC 7515 section 2), with no bit that says nothing.
fn base64url(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
