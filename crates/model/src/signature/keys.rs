//! Files of public keys: a JWK or a JWKS (RFC 7517), or a public key in PEM.

use rustls::pki_types::SubjectPublicKeyInfoDer;
use rustls::pki_types::pem::PemObject as _;
use serde_json::Value;
use spki::der::Decode as _;
use spki::{ObjectIdentifier, SubjectPublicKeyInfoRef};
use thiserror::Error;

use super::base64url;
use super::key::{Curve, Key, Material};

/// The keys that a verifier trusts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys(pub(super) Vec<Key>);

/// What is wrong with a file of keys.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum KeyError {
    /// Neither form.
    #[error("it is neither a JWK or JWKS, which begins with {{, nor a public key in PEM, which begins with -----BEGIN")]
    NeitherForm,
    /// Not JSON.
    #[error("it is not JSON: {0}")]
    NotJson(String),
    /// A member of a JWK.
    #[error("the key {key} has no {member} that can be used: {expected}")]
    Member {
        /// Its id, or its place in the set.
        key: String,
        /// The member.
        member: &'static str,
        /// What belongs there.
        expected: &'static str,
    },
    /// A secret that both sides know.
    #[error("the key {0} is a secret (kty oct): whoever can verify with it can also sign, so that it proves nothing")]
    Secret(String),
    /// A kind that is not known.
    #[error("the key {key} is of the kind {kind:?}; there are RSA, EC and OKP")]
    Kind {
        /// Its id, or its place in the set.
        key: String,
        /// What it says.
        kind: String,
    },
    /// PEM without a public key.
    #[error("it is PEM without a PUBLIC KEY that can be read: {0}")]
    Pem(String),
    /// No key at all.
    #[error("there is no key in it that verifies signatures")]
    Empty,
}

impl Keys {
    /// Reads a file of keys.
    ///
    /// # Errors
    /// [`KeyError`]: what is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<Self, KeyError> {
        let text = String::from_utf8_lossy(bytes);
        let keys = match text.trim_start() {
            text if text.starts_with('{') => {
                let value = serde_json::from_str(text).map_err(|error| KeyError::NotJson(error.to_string()))?;
                of_json(&value)?
            }
            text if text.starts_with("-----BEGIN") => vec![of_pem(text)?],
            _ => return Err(KeyError::NeitherForm),
        };
        if keys.is_empty() { Err(KeyError::Empty) } else { Ok(Self(keys)) }
    }

    /// Adds the keys of another set.
    pub fn add(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The keys that a signature may mean: those of its name, and those without one.
    pub fn of_id(&self, id: &str) -> impl Iterator<Item = &Key> {
        self.0.iter().filter(move |key| key.id.as_deref().is_none_or(|own| own == id))
    }
}

fn of_json(value: &Value) -> Result<Vec<Key>, KeyError> {
    match value.get("keys").and_then(Value::as_array) {
        // A set may hold keys of kinds that nobody here knows (RFC 7517 section 5).
        Some(keys) => {
            let read = keys.iter().enumerate().filter(|(_, key)| !is_for_others(key));
            let (good, bad): (Vec<_>, Vec<_>) = read.map(|(index, key)| of_jwk(key, index)).partition(Result::is_ok);
            match bad.into_iter().next() {
                Some(wrong) if good.is_empty() => wrong.map(|_| Vec::new()),
                _ => Ok(good.into_iter().filter_map(Result::ok).collect()),
            }
        }
        None if is_for_others(value) => Ok(Vec::new()),
        None => Ok(vec![of_jwk(value, 0)?]),
    }
}

/// Whether a JWK is meant for something else than signatures (RFC 7517 sections 4.2 and 4.3).
fn is_for_others(jwk: &Value) -> bool {
    let operations = jwk.get("key_ops").and_then(Value::as_array);
    let is_of_use = jwk.get("use").is_none_or(|of| of == "sig");
    !is_of_use || operations.is_some_and(|all| !all.iter().any(|one| one == "verify"))
}

/// Reads one JWK (RFC 7518 section 6, RFC 8037 section 2).
fn of_jwk(jwk: &Value, index: usize) -> Result<Key, KeyError> {
    let text = |name: &str| jwk.get(name).and_then(Value::as_str);
    let key = text("kid").map_or_else(|| format!("at /keys/{index}"), |id| format!("{id:?}"));
    let bytes = |member: &'static str| {
        let wrong = || KeyError::Member { key: key.clone(), member, expected: "bytes in base64url, without padding" };
        base64url(text(member).unwrap_or_default()).filter(|bytes| !bytes.is_empty()).ok_or_else(wrong)
    };
    let curve = |expected| KeyError::Member { key: key.clone(), member: "crv", expected };
    let material = match text("kty").unwrap_or_default() {
        "RSA" => Material::Rsa { n: without_zeros(bytes("n")?), e: without_zeros(bytes("e")?) },
        "EC" => {
            let name = text("crv").unwrap_or_default();
            let curve = Curve::named(name).ok_or_else(|| curve("P-256, P-384 or P-521"))?;
            point(curve, &bytes("x")?, &bytes("y")?).ok_or_else(|| KeyError::Member {
                key: key.clone(),
                member: "x and y",
                expected: "coordinates of the curve's length",
            })?
        }
        "OKP" if text("crv") == Some("Ed25519") => Material::Ed25519(bytes("x")?),
        "OKP" => return Err(curve("Ed25519")),
        "oct" => return Err(KeyError::Secret(key)),
        kind => return Err(KeyError::Kind { key, kind: kind.to_owned() }),
    };
    Ok(Key { id: text("kid").map(str::to_owned), algorithm: text("alg").map(str::to_owned), material })
}

fn point(curve: Curve, x: &[u8], y: &[u8]) -> Option<Material> {
    let is_whole = x.len() == curve.bytes() && y.len() == curve.bytes();
    is_whole.then(|| Material::Point(curve, [&[4], x, y].concat()))
}

fn without_zeros(bytes: Vec<u8>) -> Vec<u8> {
    bytes.into_iter().skip_while(|byte| *byte == 0).collect()
}

const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
const EC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const ED25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");
const CURVES: [(ObjectIdentifier, Curve); 3] = [
    (ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7"), Curve::P256),
    (ObjectIdentifier::new_unwrap("1.3.132.0.34"), Curve::P384),
    (ObjectIdentifier::new_unwrap("1.3.132.0.35"), Curve::P521),
];

/// Reads a SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7) in PEM.
fn of_pem(text: &str) -> Result<Key, KeyError> {
    let wrong = |error: &dyn std::fmt::Display| KeyError::Pem(error.to_string());
    let der = SubjectPublicKeyInfoDer::from_pem_slice(text.as_bytes()).map_err(|error| wrong(&error))?;
    let info = SubjectPublicKeyInfoRef::from_der(der.as_ref()).map_err(|error| wrong(&error))?;
    let bits = info.subject_public_key.as_bytes().unwrap_or_default();
    let material = match info.algorithm.oid {
        RSA => rsa(bits).ok_or_else(|| wrong(&"its RSA key cannot be read"))?,
        EC => {
            let curve = info.algorithm.parameters_oid().map_err(|error| wrong(&error))?;
            let known = CURVES.iter().find(|(id, _)| *id == curve);
            let (_, curve) = known.ok_or_else(|| wrong(&"its curve is none of P-256, P-384 and P-521"))?;
            Material::Point(*curve, bits.to_vec())
        }
        ED25519 => Material::Ed25519(bits.to_vec()),
        other => return Err(wrong(&format!("its algorithm {other} is none of RSA, EC and Ed25519"))),
    };
    Ok(Key { id: None, algorithm: None, material })
}

/// Reads an RSAPublicKey (RFC 8017 appendix A.1.1).
fn rsa(der: &[u8]) -> Option<Material> {
    use spki::der::asn1::UintRef;
    use spki::der::{Reader as _, SliceReader};
    let mut reader = SliceReader::new(der).ok()?;
    let (n, e) =
        reader.sequence(|inner| Ok::<_, spki::der::Error>((UintRef::decode(inner)?, UintRef::decode(inner)?))).ok()?;
    Some(Material::Rsa { n: n.as_bytes().to_vec(), e: e.as_bytes().to_vec() })
}
