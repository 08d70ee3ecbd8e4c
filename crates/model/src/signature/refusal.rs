//! Why a signature is not taken.

use thiserror::Error;

/// Why a signature is not taken. Each has a sentence of its own, since each is mended elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// `protected` or `signature` is not a text (A2A 1.0 section 4.4.7).
    #[error("it has no {0} that is a string")]
    Member(&'static str),
    /// RFC 7515 section 2.
    #[error("its protected header is not base64url, without padding")]
    HeaderNotBase64url,
    /// RFC 7515 section 5.2.
    #[error("its protected header is not JSON: {0}")]
    HeaderNotJson(String),
    /// RFC 7515 section 4.
    #[error("its protected header is no JSON object")]
    HeaderNotObject,
    /// RFC 7515 section 4.
    #[error("its protected header names {0:?} twice")]
    HeaderDuplicate(String),
    /// RFC 7515 section 7.2.1.
    #[error("{0:?} stands in both its headers")]
    InBothHeaders(String),
    /// RFC 7515 section 4.1.1.
    #[error("its protected header has no alg")]
    NoAlgorithm,
    /// RFC 8725 section 3.1.
    #[error("it is not signed: alg is {0:?}")]
    Unsigned(String),
    /// RFC 8725 sections 2.1 and 3.1.
    #[error("alg is {0:?}: whoever can verify with a secret in common can also sign, so that it proves nothing")]
    Secret(String),
    /// Not one of the registry's that are known here.
    #[error("alg is {0:?}, which is none of RS, PS and ES with 256, 384 and 512, and EdDSA")]
    UnknownAlgorithm(String),
    /// A2A 1.0 section 8.4.2.
    #[error("its protected header has no kid")]
    NoKeyId,
    /// RFC 7515 section 4.1.11.
    #[error("its protected header demands with crit that {0:?} be understood")]
    Critical(String),
    /// RFC 7515 section 4.1.11.
    #[error("its unprotected header has crit, which must be in the protected header")]
    CriticalUnprotected,
    /// RFC 7515 section 4.1.11.
    #[error("crit is {0}; expected a list of one or more names")]
    CriticalForm(String),
    /// RFC 7515 section 4.1.11.
    #[error("crit lists {0:?} twice")]
    CriticalTwice(String),
    /// RFC 7515 section 4.1.11.
    #[error("crit lists {0:?}, which is not an extension: RFC 7515 defines it")]
    CriticalRegistered(String),
    /// RFC 7515 section 4.1.11.
    #[error("crit lists {0:?}, but no header has that parameter")]
    CriticalMissing(String),
    /// RFC 7797 section 3.
    #[error("its unprotected header has b64, which must be in the protected header")]
    B64Unprotected,
    /// RFC 7797 section 3.
    #[error("b64 is {0}; expected true or false")]
    B64Form(String),
    /// RFC 7797 section 6.
    #[error("b64 is false, but crit does not list b64")]
    B64NotCritical,
    /// A2A 1.0 section 8.4.2 demands a payload in base64url.
    #[error("b64 is false: it is over a payload that is not in base64url")]
    NotEncoded,
    /// No key of this name is trusted.
    #[error("there is no trusted key {0:?}")]
    NoKey(String),
    /// RFC 8725 section 3.1.
    #[error("the key {id:?} is none for {algorithm}")]
    OtherKey {
        /// Its name.
        id: String,
        /// The algorithm of the header.
        algorithm: &'static str,
    },
    /// RFC 7515 section 2.
    #[error("it is not base64url, without padding")]
    NotBase64url,
    /// RFC 7515 section 5.2.
    #[error("it is not the signature of the key {0:?} over the canonical card")]
    Wrong(String),
}

impl Refusal {
    /// Whether the signature breaks the rules of RFC 7515 or RFC 7797 for `crit` and `b64`, whatever a verifier knows.
    #[must_use]
    pub const fn breaks_critical(&self) -> bool {
        matches!(
            self,
            Self::CriticalUnprotected
                | Self::CriticalForm(_)
                | Self::CriticalTwice(_)
                | Self::CriticalRegistered(_)
                | Self::CriticalMissing(_)
                | Self::B64Unprotected
                | Self::B64Form(_)
                | Self::B64NotCritical
        )
    }

    /// Whether it tells of the verifier, which lacks the key, and not of the signature.
    #[must_use]
    pub const fn is_ours(&self) -> bool {
        matches!(self, Self::NoKey(_))
    }
}
