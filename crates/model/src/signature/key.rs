//! Public keys, and what they verify: by ring, and by p521 what ring does not have.

use p521::ecdsa::signature::Verifier as _;
use ring::rsa::PublicKeyComponents;
use ring::signature as by;

use super::algorithm::Algorithm;

/// A public key that a verifier trusts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Its name; a key without one fits every signature of its kind.
    pub id: Option<String>,
    /// The one algorithm that it may be used with, where it says so (RFC 7517 section 4.4).
    pub algorithm: Option<String>,
    /// What it is.
    pub material: Material,
}

/// What a public key is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Material {
    /// Modulus and exponent, big-endian, without leading zeros.
    Rsa {
        /// The modulus.
        n: Vec<u8>,
        /// The exponent.
        e: Vec<u8>,
    },
    /// A point on a curve, as SEC 1 writes it without compression.
    Point(Curve, Vec<u8>),
    /// The 32 bytes of a key of Ed25519.
    Ed25519(Vec<u8>),
}

/// Curves of RFC 7518 section 6.2.1.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Curve {
    /// P-256.
    P256,
    /// P-384.
    P384,
    /// P-521.
    P521,
}

impl Curve {
    /// The curve of a name.
    pub(super) fn named(name: &str) -> Option<Self> {
        [Self::P256, Self::P384, Self::P521].into_iter().find(|curve| curve.name() == name)
    }

    /// Its name in keys.
    pub const fn name(self) -> &'static str {
        match self {
            Self::P256 => "P-256",
            Self::P384 => "P-384",
            Self::P521 => "P-521",
        }
    }

    /// How many bytes a coordinate has.
    pub const fn bytes(self) -> usize {
        match self {
            Self::P256 => 32,
            Self::P384 => 48,
            Self::P521 => 66,
        }
    }
}

impl Key {
    /// Whether it is a key for an algorithm: of its kind, of its curve (RFC 7518 section 3.4), and not meant for another.
    #[must_use]
    pub fn fits(&self, algorithm: Algorithm) -> bool {
        use Algorithm::{EdDsa, Es256, Es384, Es512};
        let is_of_kind = match (&self.material, algorithm) {
            (Material::Point(curve, _), Es256) => *curve == Curve::P256,
            (Material::Point(curve, _), Es384) => *curve == Curve::P384,
            (Material::Point(curve, _), Es512) => *curve == Curve::P521,
            (Material::Ed25519(_), EdDsa) => true,
            (Material::Rsa { .. }, other) => !matches!(other, Es256 | Es384 | Es512 | EdDsa),
            _ => false,
        };
        is_of_kind && self.algorithm.as_deref().is_none_or(|meant| Algorithm::named(meant) == Some(algorithm))
    }

    /// Whether a signature over `message` is one of this key.
    #[must_use]
    pub fn verifies(&self, algorithm: Algorithm, message: &[u8], signature: &[u8]) -> bool {
        self.fits(algorithm)
            && match &self.material {
                Material::Rsa { n, e } => rsa(algorithm).is_some_and(|parameters| {
                    PublicKeyComponents { n, e }.verify(parameters, message, signature).is_ok()
                }),
                Material::Point(curve, point) => match curve {
                    Curve::P256 => verifies(&by::ECDSA_P256_SHA256_FIXED, point, message, signature),
                    Curve::P384 => verifies(&by::ECDSA_P384_SHA384_FIXED, point, message, signature),
                    Curve::P521 => verifies_p521(point, message, signature),
                },
                Material::Ed25519(key) => verifies(&by::ED25519, key, message, signature),
            }
    }
}

fn verifies(by: &'static dyn by::VerificationAlgorithm, key: &[u8], message: &[u8], signature: &[u8]) -> bool {
    by::UnparsedPublicKey::new(by, key).verify(message, signature).is_ok()
}

fn verifies_p521(point: &[u8], message: &[u8], signature: &[u8]) -> bool {
    let key = p521::ecdsa::VerifyingKey::from_sec1_bytes(point);
    let signature = p521::ecdsa::Signature::from_slice(signature);
    matches!((key, signature), (Ok(key), Ok(signature)) if key.verify(message, &signature).is_ok())
}

/// Keys of fewer than 2,048 bits sign nothing (RFC 7518 section 3.3).
fn rsa(algorithm: Algorithm) -> Option<&'static by::RsaParameters> {
    match algorithm {
        Algorithm::Rs256 => Some(&by::RSA_PKCS1_2048_8192_SHA256),
        Algorithm::Rs384 => Some(&by::RSA_PKCS1_2048_8192_SHA384),
        Algorithm::Rs512 => Some(&by::RSA_PKCS1_2048_8192_SHA512),
        Algorithm::Ps256 => Some(&by::RSA_PSS_2048_8192_SHA256),
        Algorithm::Ps384 => Some(&by::RSA_PSS_2048_8192_SHA384),
        Algorithm::Ps512 => Some(&by::RSA_PSS_2048_8192_SHA512),
        _ => None,
    }
}
