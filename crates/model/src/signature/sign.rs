//! Signatures for a card, with a private key in PEM (PKCS #8) or as JWK.

use base64::Engine as _;
use p521::ecdsa::signature::Signer as _;
use p521::pkcs8::DecodePrivateKey as _;
use ring::rand::SystemRandom;
use ring::signature as by;
use ring::signature::{EcdsaKeyPair, Ed25519KeyPair, RsaKeyPair};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::pem::PemObject as _;
use serde_json::{Value, json};
use thiserror::Error;

use super::algorithm::Algorithm;
use super::verify::signing_input;
use super::{URL_SAFE_NO_PAD, base64url};

/// Why nothing can be signed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SignError {
    /// Neither form of private keys.
    #[error("it is neither a private key in PEM (-----BEGIN PRIVATE KEY-----, PKCS #8) nor a JWK with the member d")]
    NotPrivate,
    /// A kind of key that signs no cards.
    #[error("its kind is none of RSA (2,048 bits and more), EC (P-256, P-384, P-521) and Ed25519")]
    Kind,
    /// The key is not one for the algorithm.
    #[error("the key signs by {own}, not by {wanted}")]
    OtherAlgorithm {
        /// That of the key.
        own: &'static str,
        /// What was asked for.
        wanted: Algorithm,
    },
    /// The library refused.
    #[error("it cannot sign")]
    Failed,
}

enum Pair {
    Ec(EcdsaKeyPair, Algorithm),
    P521(Box<p521::ecdsa::SigningKey>),
    Ed25519(Ed25519KeyPair),
    Rsa(RsaKeyPair),
}

/// A private key.
pub struct Signer {
    pair: Pair,
}

impl Signer {
    /// Reads a private key.
    ///
    /// # Errors
    /// [`SignError`]: what is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<Self, SignError> {
        let pair = match serde_json::from_slice::<Value>(bytes) {
            Ok(jwk) => of_jwk(&jwk)?,
            Err(_) => {
                let der = PrivatePkcs8KeyDer::from_pem_slice(bytes).map_err(|_| SignError::NotPrivate)?;
                of_pkcs8(der.secret_pkcs8_der()).ok_or(SignError::Kind)?
            }
        };
        Ok(Self { pair })
    }

    /// The algorithm by which it signs unless another is asked for.
    #[must_use]
    pub const fn algorithm(&self) -> Algorithm {
        match &self.pair {
            Pair::Ec(_, algorithm) => *algorithm,
            Pair::P521(_) => Algorithm::Es512,
            Pair::Ed25519(_) => Algorithm::EdDsa,
            Pair::Rsa(_) => Algorithm::Rs256,
        }
    }

    /// A signature over the canonical form of a card, as it stands in the card (A2A 1.0 section 8.4.2).
    ///
    /// # Errors
    /// [`SignError`]: the key does not sign by this algorithm.
    pub fn sign(
        &self,
        canonical: &[u8],
        algorithm: Option<Algorithm>,
        key_id: &str,
        jku: Option<&str>,
    ) -> Result<Value, SignError> {
        let algorithm = algorithm.unwrap_or_else(|| self.algorithm());
        let mut header = json!({ "alg": algorithm.name(), "typ": "JOSE", "kid": key_id });
        if let Some(jku) = jku {
            header["jku"] = jku.into();
        }
        let protected = URL_SAFE_NO_PAD.encode(header.to_string());
        let bytes = self.bytes(algorithm, signing_input(&protected, canonical).as_bytes())?;
        Ok(json!({ "protected": protected, "signature": URL_SAFE_NO_PAD.encode(bytes) }))
    }

    fn bytes(&self, algorithm: Algorithm, message: &[u8]) -> Result<Vec<u8>, SignError> {
        let random = SystemRandom::new();
        match &self.pair {
            Pair::Rsa(pair) => {
                let other = SignError::OtherAlgorithm { own: "RS256 to PS512", wanted: algorithm };
                let padding = rsa(algorithm).ok_or(other)?;
                let mut bytes = vec![0; pair.public().modulus_len()];
                pair.sign(padding, &random, message, &mut bytes).map_err(|_| SignError::Failed)?;
                Ok(bytes)
            }
            _ if algorithm != self.algorithm() => {
                Err(SignError::OtherAlgorithm { own: self.algorithm().name(), wanted: algorithm })
            }
            Pair::Ec(pair, _) => {
                let signature = pair.sign(&random, message).map_err(|_| SignError::Failed)?;
                Ok(signature.as_ref().to_vec())
            }
            Pair::P521(key) => {
                let signature: p521::ecdsa::Signature = key.try_sign(message).map_err(|_| SignError::Failed)?;
                Ok(signature.to_bytes().to_vec())
            }
            Pair::Ed25519(pair) => Ok(pair.sign(message).as_ref().to_vec()),
        }
    }
}

fn rsa(algorithm: Algorithm) -> Option<&'static dyn by::RsaEncoding> {
    match algorithm {
        Algorithm::Rs256 => Some(&by::RSA_PKCS1_SHA256),
        Algorithm::Rs384 => Some(&by::RSA_PKCS1_SHA384),
        Algorithm::Rs512 => Some(&by::RSA_PKCS1_SHA512),
        Algorithm::Ps256 => Some(&by::RSA_PSS_SHA256),
        Algorithm::Ps384 => Some(&by::RSA_PSS_SHA384),
        Algorithm::Ps512 => Some(&by::RSA_PSS_SHA512),
        _ => None,
    }
}

fn of_pkcs8(der: &[u8]) -> Option<Pair> {
    let random = SystemRandom::new();
    let ec = |by: &'static _, algorithm| {
        EcdsaKeyPair::from_pkcs8(by, der, &random).ok().map(|pair| Pair::Ec(pair, algorithm))
    };
    let p521 = || {
        let key = p521::SecretKey::from_pkcs8_der(der).ok()?;
        Some(Pair::P521(Box::new(p521::ecdsa::SigningKey::from(key))))
    };
    ec(&by::ECDSA_P256_SHA256_FIXED_SIGNING, Algorithm::Es256)
        .or_else(|| ec(&by::ECDSA_P384_SHA384_FIXED_SIGNING, Algorithm::Es384))
        .or_else(|| Ed25519KeyPair::from_pkcs8_maybe_unchecked(der).ok().map(Pair::Ed25519))
        .or_else(|| RsaKeyPair::from_pkcs8(der).ok().map(Pair::Rsa))
        .or_else(p521)
}

fn of_jwk(jwk: &Value) -> Result<Pair, SignError> {
    let text = |name: &str| jwk.get(name).and_then(Value::as_str).unwrap_or_default();
    let bytes = |name: &str| base64url(text(name)).filter(|bytes| !bytes.is_empty()).ok_or(SignError::NotPrivate);
    let private = bytes("d")?;
    let random = SystemRandom::new();
    let ec = |by: &'static _, algorithm| {
        let point = [&[4][..], &bytes("x")?, &bytes("y")?].concat();
        let pair = EcdsaKeyPair::from_private_key_and_public_key(by, &private, &point, &random);
        Ok(Pair::Ec(pair.map_err(|_| SignError::Kind)?, algorithm))
    };
    match (text("kty"), text("crv")) {
        ("EC", "P-256") => ec(&by::ECDSA_P256_SHA256_FIXED_SIGNING, Algorithm::Es256),
        ("EC", "P-384") => ec(&by::ECDSA_P384_SHA384_FIXED_SIGNING, Algorithm::Es384),
        ("EC", "P-521") => {
            let key = p521::ecdsa::SigningKey::from_slice(&private).map_err(|_| SignError::Kind)?;
            Ok(Pair::P521(Box::new(key)))
        }
        ("OKP", "Ed25519") => {
            let pair = Ed25519KeyPair::from_seed_and_public_key(&private, &bytes("x")?);
            pair.map(Pair::Ed25519).map_err(|_| SignError::Kind)
        }
        ("RSA", _) => {
            let public_key = by::RsaPublicKeyComponents { n: bytes("n")?, e: bytes("e")? };
            let components = ring::rsa::KeyPairComponents {
                public_key,
                d: private,
                p: bytes("p")?,
                q: bytes("q")?,
                dP: bytes("dp")?,
                dQ: bytes("dq")?,
                qInv: bytes("qi")?,
            };
            RsaKeyPair::from_components(&components).map(Pair::Rsa).map_err(|_| SignError::Kind)
        }
        _ => Err(SignError::Kind),
    }
}
