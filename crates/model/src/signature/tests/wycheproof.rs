//! Project Wycheproof: attacks and mistakes that verifiers were found to fall for.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::*;
use super::{keys, load, text};

/// Whether a JWS in its compact form holds, verified as that of a card is.
fn holds(keys: &Keys, compact: &str) -> bool {
    let parts: Vec<&str> = compact.split('.').collect();
    let [protected, payload, signature] = parts[..] else { return false };
    let Some(payload) = base64url(payload) else { return false };
    let card = json!({ "signatures": [{ "protected": protected, "signature": signature }] });
    let (_, signature) = signatures(&card).remove(0);
    signature.is_ok_and(|signature| signature.verify(&payload, keys).is_ok())
}

/// Why a signature that is right by a vector is none here, or one that is wrong by it holds.
fn otherwise(group: &Value, jwks: &Value) -> Option<&'static str> {
    let all = jwks["keys"].as_array().map_or_else(|| vec![jwks], |all| all.iter().collect());
    if all.iter().any(|jwk| jwk["kty"] == "oct") {
        return Some("a secret in common signs no cards (RFC 8725 section 2.1)");
    }
    if all.iter().any(|jwk| jwk["alg"] == "ES521") {
        return Some("the key is meant for ES521, which no registry has");
    }
    (group["comment"] == "jws_rsa_roca_key").then_some("how a key was made (ROCA) is no matter of signatures")
}

#[test]
fn signatures_of_jws() {
    let (mut held, mut refused, mut encrypted) = (0, 0, 0);
    let mut others = BTreeMap::new();
    for name in ["json_web_crypto", "json_web_key", "json_web_signature"] {
        let Some(file) = load(&format!("wycheproof/{name}_test.json")) else { return };
        for group in file["testGroups"].as_array().unwrap() {
            let jwks = group.get("public").unwrap_or(&group["private"]);
            let keys = keys(jwks);
            for case in group["tests"].as_array().unwrap() {
                // Cards are not encrypted.
                let Some(jws) = case["jws"].as_str() else {
                    assert!(case.get("jwe").is_some(), "{case}");
                    encrypted += 1;
                    continue;
                };
                let (is_held, is_right) = (holds(&keys, jws), case["result"] == "valid");
                *(if is_held { &mut held } else { &mut refused }) += 1;
                if is_held != is_right {
                    let why = otherwise(group, jwks).unwrap_or_else(|| panic!("{} {case}", group["comment"]));
                    *others.entry((why, is_held)).or_insert(0) += 1;
                }
            }
        }
    }
    insta::assert_snapshot!(format!("held {held}, refused {refused}, encrypted {encrypted}\n{others:#?}"));
}

/// Bytes in hexadecimal.
fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

/// A file of signatures by one algorithm: how many hold, how many do not, and how many are left to the verifier.
fn primitives(name: &str, algorithm: Algorithm) -> Option<[usize; 3]> {
    let file = load(&format!("wycheproof/{name}_test.json"))?;
    let mut seen = [0; 3];
    for group in file["testGroups"].as_array().unwrap() {
        let of_pem = Keys::read(text(group, "publicKeyPem").as_bytes()).unwrap();
        let jwk = group.get("publicKeyJwk").or_else(|| group.get("keyJwk"));
        let of_jwk = jwk.map(|jwk| Keys::read(jwk.to_string().as_bytes()).unwrap());
        for case in group["tests"].as_array().unwrap() {
            let (message, signature) = (hex(text(case, "msg")), hex(text(case, "sig")));
            let is_of = |keys: &Keys| keys.0.iter().any(|key| key.verifies(algorithm, &message, &signature));
            let verified = is_of(&of_pem);
            assert_eq!(of_jwk.as_ref().map(is_of).unwrap_or(verified), verified, "{name} {}", case["tcId"]);
            seen[match text(case, "result") {
                "acceptable" => 2,
                result => {
                    assert_eq!(verified, result == "valid", "{name} {}", case["tcId"]);
                    usize::from(!verified)
                }
            }] += 1;
        }
    }
    Some(seen)
}

#[test]
fn signatures_by_each_algorithm() {
    for (name, algorithm, expected) in [
        ("ecdsa_secp256r1_sha256_p1363", Algorithm::Es256, [87, 45, 0]),
        ("ecdsa_secp384r1_sha384_p1363", Algorithm::Es384, [97, 44, 0]),
        ("ecdsa_secp521r1_sha512_p1363", Algorithm::Es512, [116, 44, 0]),
        ("ed25519", Algorithm::EdDsa, [44, 32, 0]),
        ("rsa_pss_2048_sha256_mgf1_32", Algorithm::Ps256, [32, 23, 0]),
        // RFC 8017 section A.2.4 lets a verifier take a DigestInfo without NULL.
        ("rsa_signature_2048_sha256", Algorithm::Rs256, [5, 125, 1]),
    ] {
        assert_eq!(primitives(name, algorithm).unwrap_or(expected), expected, "{name}");
    }
}
