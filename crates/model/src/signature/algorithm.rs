//! The algorithms of RFC 7518 section 3.1 and RFC 8037 that sign agent cards.

use std::fmt;

/// One that makes signatures that others can verify: those with a secret in common, and `none`, are not among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are the names of the registry")]
pub enum Algorithm {
    Rs256,
    Rs384,
    Rs512,
    Ps256,
    Ps384,
    Ps512,
    Es256,
    Es384,
    Es512,
    EdDsa,
}

use Algorithm::{EdDsa, Es256, Es384, Es512, Ps256, Ps384, Ps512, Rs256, Rs384, Rs512};

impl Algorithm {
    /// Each of them.
    pub const ALL: [Self; 10] = [Rs256, Rs384, Rs512, Ps256, Ps384, Ps512, Es256, Es384, Es512, EdDsa];

    /// The algorithm that `alg` names, case-sensitive (RFC 7515 section 4.1.1). `Ed25519` is EdDSA by RFC 9864.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "Ed25519" => Some(EdDsa),
            name => Self::ALL.into_iter().find(|algorithm| algorithm.name() == name),
        }
    }

    /// Its name in the registry.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Rs256 => "RS256",
            Rs384 => "RS384",
            Rs512 => "RS512",
            Ps256 => "PS256",
            Ps384 => "PS384",
            Ps512 => "PS512",
            Es256 => "ES256",
            Es384 => "ES384",
            Es512 => "ES512",
            EdDsa => "EdDSA",
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
