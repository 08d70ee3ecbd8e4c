//! The examples of the RFCs: 7515, 7520, 7797, 8037 and the keys of 7520.

use serde_json::{Value, json};

use super::super::*;
use super::{keys, load, text};

/// A signature in its parts, verified as that of a card is; its header names a key, as 8.4.2 of A2A wants.
fn verified(keys: &Keys, parts: &Value, payload: &[u8]) -> Result<(), Refusal> {
    let (_, signature) = signatures(&json!({ "signatures": [parts] })).remove(0);
    signature?.verify(payload, keys)
}

/// The same where the header names no key, which those of RFC 7515 do not.
fn is_of(keys: &Keys, parts: &Value, payload: &[u8]) -> bool {
    let header = Header::read(text(parts, "protected")).unwrap();
    let algorithm = Algorithm::named(header.text("alg").unwrap()).unwrap();
    let message = verify::signing_input(text(parts, "protected"), payload);
    let bytes = base64url(text(parts, "signature")).unwrap();
    keys.0.iter().any(|key| key.verifies(algorithm, message.as_bytes(), &bytes))
}

#[test]
fn signatures_are_those_of_rfc_7515() {
    let Some(file) = load("jws/rfc7515.json") else { return };
    let mut seen = Vec::new();
    for case in file["cases"].as_array().unwrap() {
        let (parts, keys) = match case.get("flattened_json") {
            Some(parts) => (parts, keys(&case["jwks"])),
            None => (case, keys(&case["jwk"])),
        };
        let name = Header::read(text(parts, "protected")).unwrap().text("alg").unwrap().to_owned();
        let payload = base64url(text(parts, "payload")).unwrap();
        match name.as_str() {
            "HS256" => assert_eq!(verified(&keys, parts, &payload), Err(Refusal::Secret(name.clone()))),
            "none" => assert_eq!(verified(&keys, parts, &payload), Err(Refusal::Unsigned(name.clone()))),
            _ => {
                assert_eq!((is_of(&keys, parts, &payload), is_of(&keys, parts, b"another")), (true, false), "{case}");
                // Cards are stricter: 8.4.2 demands the name of the key in what is signed.
                assert_eq!(verified(&keys, parts, &payload), Err(Refusal::NoKeyId));
            }
        }
        seen.push(name);
    }
    assert_eq!(seen, ["HS256", "ES256", "none", "ES256"]);
}

#[test]
fn signatures_are_those_of_rfc_7520() {
    for (name, algorithm) in [("4_1.rsa_v15_signature", "RS256"), ("4_3.ecdsa_signature", "ES512")] {
        let Some(case) = load(&format!("jws/rfc7520/{name}.json")) else { return };
        let (input, parts) = (&case["input"], &case["output"]["json_flat"]);
        assert_eq!(input["alg"], algorithm);
        let of = |payload: &[u8]| verified(&keys(&input["key"]), parts, payload);
        assert_eq!(of(text(input, "payload").as_bytes()), Ok(()), "{name}");
        assert!(matches!(of(b"another"), Err(Refusal::Wrong(_))), "{name}");
    }
    // A payload that is elsewhere, as that of cards is, but signed with a secret in common.
    let detached = load("jws/rfc7520/4_5.signature_with_detached_content.json").unwrap();
    let parts = &detached["output"]["json_flat"];
    assert_eq!(parts.get("payload"), None);
    let payload = text(&detached["input"], "payload").as_bytes();
    assert_eq!(verified(&keys(&detached["input"]["key"]), parts, payload), Err(Refusal::Secret("HS256".to_owned())));
    // Its header is not signed at all. What 4.4.7 of A2A demands in a card is not there.
    let unprotected = load("jws/rfc7520/4_7.protecting_content_only.json").unwrap();
    let parts = &unprotected["output"]["json_flat"];
    assert_eq!(verified(&keys(&unprotected["input"]["key"]), parts, payload), Err(Refusal::Member("protected")));
}

/// The public halves of the keys of RFC 7520 verify what was signed with the private ones; the secret is no key.
#[test]
fn keys_are_those_of_rfc_7520() {
    for (public, example) in
        [("3_1.ec_public_key", "4_3.ecdsa_signature"), ("3_3.rsa_public_key", "4_1.rsa_v15_signature")]
    {
        let Some(jwk) = load(&format!("jws/jwk/{public}.json")) else { return };
        let case = load(&format!("jws/rfc7520/{example}.json")).unwrap();
        let payload = text(&case["input"], "payload").as_bytes();
        assert_eq!(verified(&keys(&jwk), &case["output"]["json_flat"], payload), Ok(()), "{public}");
    }
    let secret = load("jws/jwk/3_5.symmetric_key_mac_computation.json").unwrap();
    let refused = Keys::read(secret.to_string().as_bytes());
    assert!(matches!(refused, Err(KeyError::Secret(_))), "{refused:?}");
}

/// A payload that is signed as it is, and not in base64url (RFC 7797), is none of a card's: 8.4.2 demands base64url.
#[test]
fn payloads_that_are_not_encoded_are_refused() {
    let Some(case) = load("jws/rfc7797/4.2.hmac-sha2_b64_false.json") else { return };
    let parts = &case["output"]["json_flat"];
    let refused = verified(&keys(&case["input"]["key"]), parts, b"$.02");
    assert_eq!(refused, Err(Refusal::Secret("HS256".to_owned())));
    let jwk = of_rfc_8037();
    let signed = |header: Value| {
        let protected = URL_SAFE_NO_PAD.encode(header.to_string());
        let seed = base64url(text(&jwk, "d")).unwrap();
        let pair = ring::signature::Ed25519KeyPair::from_seed_unchecked(&seed).unwrap();
        let signature = URL_SAFE_NO_PAD.encode(pair.sign(format!("{protected}.$.02").as_bytes()));
        verified(&keys(&jwk), &json!({ "protected": protected, "signature": signature }), b"$.02")
    };
    let critical = signed(json!({ "alg": "EdDSA", "kid": "a", "b64": false, "crit": ["b64"] }));
    assert_eq!(critical, Err(Refusal::NotEncoded));
    // Without crit, a verifier that does not know b64 would read the payload as base64url.
    let silent = signed(json!({ "alg": "EdDSA", "kid": "a", "b64": false }));
    assert_eq!(silent, Err(Refusal::B64NotCritical));
}

/// The key of RFC 8037 appendix A.1, which is among the vectors, too.
fn of_rfc_8037() -> Value {
    json!({
        "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
        "d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
    })
}

/// Appendix A.4 and A.5 of RFC 8037, with the keys of A.1 and A.2 as the vectors have them.
#[test]
fn signatures_are_those_of_rfc_8037() {
    let parts = json!({
        "protected": "eyJhbGciOiJFZERTQSJ9",
        "signature": "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg",
    });
    let payload = b"Example of Ed25519 signing";
    assert!(is_of(&keys(&of_rfc_8037()), &parts, payload));
    assert!(!is_of(&keys(&of_rfc_8037()), &parts, b"Example of Ed25519 signinh"));
    let Some(file) = load("jws/rfc8037.json") else { return };
    let cases = file["cases"].as_array().unwrap();
    assert_eq!(cases[0]["jwk"], of_rfc_8037());
    for case in cases {
        assert!(is_of(&keys(&case["jwk"]), &parts, payload), "{case}");
    }
    // What the signer makes with that key holds, too.
    let jwk = of_rfc_8037().to_string();
    let made = Signer::read(jwk.as_bytes()).unwrap().sign(payload, None, "a", None).unwrap();
    assert_eq!(verified(&keys(&of_rfc_8037()), &made, payload), Ok(()));
}
