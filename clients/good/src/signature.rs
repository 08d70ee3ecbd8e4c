//! Signatures of cards (section 8.4): the canonical form, and keys that may be used.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA384,
    RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256, RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512,
    RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde_json::{Map, Value};

use crate::deviation::deviates;
use crate::http::{self, Http, Request};
use crate::model::{self, Kind, Member};

/// Whether a card is signed by a key that is trusted: one of these, or with none given one that its signature names.
///
/// # Errors
/// Why not.
pub(crate) async fn verify(card: &Value, keys: Option<&[Value]>, http: &Http) -> Result<(), String> {
    let signatures = card["signatures"].as_array().map(Vec::as_slice).unwrap_or_default();
    if signatures.is_empty() {
        let taken = deviates("signature/unsigned-taken");
        return if taken { Ok(()) } else { Err("the card is not signed".to_owned()) };
    }
    let mut problem = "no signature is by a key that is trusted".to_owned();
    let all = deviates("signature/all-must-be-known");
    for signature in signatures {
        match one(card, signature, keys, http).await {
            Ok(()) if !all => return Ok(()),
            Ok(()) => problem.clear(),
            Err(_) if deviates("signature/any-will-do") => return Ok(()),
            Err(error) => {
                problem = error;
                if all || deviates("signature/first-one-only") {
                    break;
                }
            }
        }
    }
    if problem.is_empty() { Ok(()) } else { Err(problem) }
}

async fn one(card: &Value, signature: &Value, keys: Option<&[Value]>, http: &Http) -> Result<(), String> {
    let protected = signature["protected"].as_str().unwrap_or_default();
    let header: Value = decode(protected).and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    let algorithm = header["alg"].as_str().unwrap_or_default();
    if algorithm == "none" && deviates("signature/none-taken") {
        return Ok(());
    }
    if !header["crit"].is_null() {
        return Err("the signature has critical parameters, of which this client knows none".to_owned());
    }
    let fetched;
    let keys = match keys {
        Some(keys) => keys,
        None => {
            fetched = announced(&header, http).await?;
            &fetched
        }
    };
    let kid = &header["kid"];
    let trusted = keys.iter().filter(|key| key["jwk"]["kid"].is_null() || key["jwk"]["kid"] == *kid);
    let mut problem = format!("the key {kid} is not known");
    for key in trusted {
        if deviates("signature/known-key-is-enough") {
            return Ok(());
        }
        if let Err(unusable) = usable(key) {
            problem = unusable;
            continue;
        }
        let signed = decode(signature["signature"].as_str().unwrap_or_default()).unwrap_or_default();
        // The text does not say what becomes of members that a reader does not know.
        for unknown in [true, false] {
            let input = format!("{protected}.{}", URL_SAFE_NO_PAD.encode(payload(card, unknown)?));
            if is_right(&key["jwk"], algorithm, input.as_bytes(), &signed) {
                return Ok(());
            }
        }
        problem = format!("the signature by {kid} is wrong");
    }
    Err(problem)
}

/// The keys at the address that a signature names, if it is secure.
async fn announced(header: &Value, http: &Http) -> Result<Vec<Value>, String> {
    let Some(jku) = header["jku"].as_str() else { return Err("no keys are given, and none are named".to_owned()) };
    if !jku.starts_with("https://") && !deviates("signature/keys-over-plain-http") {
        return Err("keys are fetched over secure channels only".to_owned());
    }
    let fetch = async {
        let response = http.fetch(&Request::get(http::url(jku)?)).await?;
        http::body(response).await
    };
    let body = fetch.await.map_err(|failure| failure.message)?;
    let set: Value = serde_json::from_slice(&body).map_err(|error| error.to_string())?;
    let keys = set["keys"].as_array().cloned().unwrap_or_default();
    Ok(keys.into_iter().map(|jwk| serde_json::json!({ "jwk": jwk })).collect())
}

/// Whether a key may still be used (section 8.4.3).
fn usable(key: &Value) -> Result<(), String> {
    let is_set = |value: &Value| !matches!(value, Value::Null | Value::Bool(false));
    if is_set(&key["revoked"]) && !deviates("signature/revoked-key-taken") {
        return Err("the key is revoked".to_owned());
    }
    let expires = match &key["expires"] {
        Value::String(time) => time.parse::<Timestamp>().ok(),
        Value::Number(seconds) => seconds.as_i64().and_then(|seconds| Timestamp::from_second(seconds).ok()),
        Value::Null | Value::Bool(false) => return Ok(()),
        _ => None,
    };
    // What cannot be read as a time is not taken for a later one.
    if expires.is_none_or(|time| time <= Timestamp::now()) && !deviates("signature/expired-key-taken") {
        return Err("the key has expired".to_owned());
    }
    Ok(())
}

fn decode(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

fn is_right(jwk: &Value, algorithm: &str, input: &[u8], signature: &[u8]) -> bool {
    let part = |name: &str| jwk[name].as_str().and_then(decode).unwrap_or_default();
    let point = || [vec![4], part("x"), part("y")].concat();
    let rsa = |parameters: &RsaParameters| {
        RsaPublicKeyComponents { n: part("n"), e: part("e") }.verify(parameters, input, signature).is_ok()
    };
    let kind = jwk["kty"].as_str().unwrap_or_default();
    match (kind, algorithm) {
        ("EC", "ES256") => UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point()).verify(input, signature).is_ok(),
        ("EC", "ES384") => UnparsedPublicKey::new(&ECDSA_P384_SHA384_FIXED, point()).verify(input, signature).is_ok(),
        ("OKP", "EdDSA" | "Ed25519") => UnparsedPublicKey::new(&ED25519, part("x")).verify(input, signature).is_ok(),
        ("RSA", "RS256") => rsa(&RSA_PKCS1_2048_8192_SHA256),
        ("RSA", "RS384") => rsa(&RSA_PKCS1_2048_8192_SHA384),
        ("RSA", "RS512") => rsa(&RSA_PKCS1_2048_8192_SHA512),
        ("RSA", "PS256") => rsa(&RSA_PSS_2048_8192_SHA256),
        ("RSA", "PS384") => rsa(&RSA_PSS_2048_8192_SHA384),
        ("RSA", "PS512") => rsa(&RSA_PSS_2048_8192_SHA512),
        _ => false,
    }
}

/// What is signed of a card: without signatures and defaults, and in the canonical form of RFC 8785.
fn payload(card: &Value, unknown: bool) -> Result<Vec<u8>, String> {
    let mut card = if deviates("signature/defaults-kept") { card.clone() } else { signed(card, "AgentCard", unknown) };
    if let Value::Object(members) = &mut card {
        members.shift_remove("signatures");
    }
    if deviates("signature/not-canonical") {
        return serde_json::to_vec(&card).map_err(|error| error.to_string());
    }
    serde_json_canonicalizer::to_vec(&card).map_err(|error| error.to_string())
}

/// A message without the members whose default nobody can tell from absence (section 8.4.1).
fn signed(value: &Value, name: &str, unknown: bool) -> Value {
    let Value::Object(object) = value else { return value.clone() };
    let known = model::members(name);
    let mut kept = Map::new();
    for (key, value) in object {
        match known.iter().find(|member| member.name == *key) {
            Some(member) if is_kept(member, value) => {
                kept.insert(key.clone(), of_kind(value, &member.kind, unknown));
            }
            None if unknown => {
                kept.insert(key.clone(), value.clone());
            }
            _ => {}
        }
    }
    Value::Object(kept)
}

fn is_kept(member: &Member, value: &Value) -> bool {
    if value.is_null() {
        return false;
    }
    let is_default = match value {
        Value::String(text) => text.is_empty(),
        Value::Bool(truth) => !truth,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Array(items) => items.is_empty(),
        // A message that is empty is there all the same.
        Value::Object(members) => members.is_empty() && matches!(member.kind, Kind::Map(_)),
        Value::Null => true,
    };
    !is_default || member.required || member.present
}

fn of_kind(value: &Value, kind: &Kind, unknown: bool) -> Value {
    match (kind, value) {
        (Kind::Message(name), _) => signed(value, name, unknown),
        (Kind::Many(inner), Value::Array(items)) => items.iter().map(|item| of_kind(item, inner, unknown)).collect(),
        (Kind::Map(inner), Value::Object(items)) => {
            Value::Object(items.iter().map(|(key, item)| (key.clone(), of_kind(item, inner, unknown))).collect())
        }
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_example_of_the_specification() {
        let card = json!({
            "name": "Example Agent", "description": "", "skills": [],
            "capabilities": { "streaming": false, "pushNotifications": false, "extensions": [] },
        });
        let canonical = r#"{"capabilities":{"pushNotifications":false,"streaming":false},"description":"","name":"Example Agent","skills":[]}"#;
        assert_eq!(String::from_utf8(payload(&card, true).unwrap()).unwrap(), canonical);
    }

    #[test]
    fn keys_that_are_over_are_not_used() {
        assert!(usable(&json!({ "revoked": false, "expires": "2999-01-01T00:00:00Z" })).is_ok());
        for over in
            [json!({ "revoked": true }), json!({ "expires": "2001-01-01T00:00:00Z" }), json!({ "expires": true })]
        {
            assert!(usable(&over).is_err(), "{over}");
        }
    }
}
