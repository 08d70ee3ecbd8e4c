//! Held to the public vectors, where they are at hand: signed cards here, the others in the files below.

mod canonical_json;
mod critical;
mod rfcs;
mod wycheproof;

use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::vectors::vectors;

fn load(name: &str) -> Option<Value> {
    Some(serde_json::from_slice(&vectors(name)?).unwrap())
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap()
}

fn keys(jwk: &Value) -> Keys {
    Keys::read(jwk.to_string().as_bytes()).unwrap_or_default()
}

/// What a verifier makes of a card: the way of `a2aspec card verify`.
fn verdict(card: &[u8], trusted: &Keys, unknown: Unknown) -> Result<(), String> {
    let card = read(card).map_err(|error| error.to_string())?;
    let profiles = crate::profile::bundled().unwrap();
    let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
    let canonical = Canonical::by(profile.descriptors.as_ref().unwrap(), &card, unknown).unwrap();
    let mut refusals = Vec::new();
    for (_, signature) in signatures(&card) {
        match signature.and_then(|signature| signature.verify(&canonical.bytes, trusted)) {
            Ok(()) => return Ok(()),
            Err(refusal) => refusals.push(refusal.to_string()),
        }
    }
    Err(if refusals.is_empty() { "unsigned".to_owned() } else { refusals.join("; ") })
}

/// What is made here of the cards of which the standards allow both.
fn is_taken(name: &str) -> bool {
    match name {
        // Numbers are doubles (RFC 8785 section 3.2.2.3), and in those 2^53 + 1 is 2^53.
        "either-2pow53-plus-1" => true,
        // What a version does not know may be ignored (A2A 5.7), and is not part of what was signed.
        "either-unknown-member" => true,
        // RFC 7515 section 4 lets a reader take the last of two, but somebody else takes the first: `none`.
        "either-protected-duplicate-alg" => false,
        // RFC 8785 section 3.1 takes I-JSON alone, in which names are unique.
        "either-duplicate-member-first-evil" => false,
        // RFC 8259 section 8.1 lets a reader ignore it; whoever sends it is wrong already.
        "either-bom" => false,
        other => panic!("{other} is new"),
    }
}

#[test]
fn signed_cards_are_judged_as_the_vectors_say() {
    let Some(file) = load("agent-card/signed-cards.json") else { return };
    let trusted = Keys::read(file["trusted_jwks"].to_string().as_bytes()).unwrap();
    let mut told = Vec::new();
    for case in file["cases"].as_array().unwrap() {
        let card = STANDARD.decode(text(case, "card_base64")).unwrap();
        let name = text(case, "name");
        let judged = verdict(&card, &trusted, Unknown::LeftOut);
        match text(case, "verdict") {
            "valid" => assert_eq!(judged, Ok(()), "{name}"),
            "invalid" => assert!(judged.is_err(), "{name}"),
            "unsigned" => assert_eq!(judged, Err("unsigned".to_owned()), "{name}"),
            "either" => assert_eq!(judged.is_ok(), is_taken(name), "{name}: {judged:?}"),
            other => panic!("{name}: {other}"),
        }
        told.push(format!("{name}: {}", judged.err().unwrap_or_else(|| "holds".to_owned())));
        let Some(expected) = case["canonical_payload_base64"].as_str() else { continue };
        let profiles = crate::profile::bundled().unwrap();
        let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
        let value = read(&card).unwrap();
        let made = Canonical::by(profile.descriptors.as_ref().unwrap(), &value, Unknown::LeftOut).unwrap();
        let expected = String::from_utf8(STANDARD.decode(expected).unwrap()).unwrap();
        assert_eq!(String::from_utf8(made.bytes).unwrap(), expected, "{name}");
    }
    insta::assert_snapshot!(told.join("\n"));
}

/// Cards with a few of each kind of member, some of them with their default, in any order.
fn cards() -> impl Strategy<Value = Value> {
    let text = prop_oneof![Just(String::new()), "\\PC{0,8}"];
    let flag = prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from)];
    let own = prop_oneof![any::<f64>().prop_map(Value::from), any::<i64>().prop_map(Value::from), Just(json!([{}]))];
    (text.clone(), text, flag, own, any::<bool>()).prop_map(|(name, icon, streaming, own, is_reversed)| {
        let mut members = vec![
            ("name", json!(name)),
            ("iconUrl", json!(icon)),
            ("capabilities", json!({ "streaming": streaming, "extensions": [{ "uri": "", "params": { "p": own } }] })),
            ("skills", json!([])),
            ("securityRequirements", json!([])),
            ("x-own", own),
        ];
        if is_reversed {
            members.reverse();
        }
        Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    })
}

proptest! {
    /// What is signed does not depend on the order of members, nor on whether it was canonicalised before; and what is signed
    /// with a key holds with that key.
    #[test]
    fn what_is_signed_is_the_same_for_every_writer(card in cards(), keep in any::<bool>()) {
        let unknown = if keep { Unknown::Kept } else { Unknown::LeftOut };
        let profiles = crate::profile::bundled().unwrap();
        let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
        let by = |card: &Value| Canonical::by(profile.descriptors.as_ref().unwrap(), card, unknown).unwrap();
        let canonical = by(&card);
        let read_again: Value = serde_json::from_slice(&canonical.bytes).unwrap();
        prop_assert_eq!(&by(&read_again).bytes, &canonical.bytes);
        let reversed = Value::Object(card.as_object().unwrap().clone().into_iter().rev().collect());
        prop_assert_eq!(&by(&reversed).bytes, &canonical.bytes);

        let mut jwk = json!({
            "kty": "OKP", "crv": "Ed25519", "kid": "a", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
            "d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
        });
        let mut signed = card;
        let signer = Signer::read(jwk.to_string().as_bytes()).unwrap();
        signed["signatures"] = json!([signer.sign(&canonical.bytes, None, "a", None).unwrap()]);
        jwk.as_object_mut().unwrap().remove("d");
        let (_, signature) = signatures(&signed).remove(0);
        prop_assert_eq!(signature.unwrap().verify(&by(&signed).bytes, &keys(&jwk)), Ok(()));
    }
}

/// Each kind of private key signs by its algorithms, and its public half verifies it.
#[test]
fn every_kind_of_key_signs() {
    let of_rfc = |name: &str| load(&format!("jws/rfc7520/{name}.json")).map(|case| case["input"]["key"].clone());
    let (Some(rsa), Some(p521)) = (of_rfc("4_1.rsa_v15_signature"), of_rfc("4_3.ecdsa_signature")) else { return };
    let signs = |private: &[u8], public: &[u8], algorithm: Option<Algorithm>| {
        let signature = Signer::read(private).unwrap().sign(b"card", algorithm, "a", Some("https://a/")).unwrap();
        let card = json!({ "signatures": [signature] });
        let mut trusted = Keys::read(public).unwrap();
        trusted.0.iter_mut().for_each(|key| key.id = None);
        let (_, signature) = signatures(&card).remove(0);
        let signature = signature.unwrap();
        assert_eq!(signature.verify(b"card", &trusted), Ok(()), "{algorithm:?}");
        assert_eq!(signature.verify(b"cart", &trusted), Err(Refusal::Wrong("a".to_owned())));
    };
    for algorithm in &Algorithm::ALL[..6] {
        signs(rsa.to_string().as_bytes(), rsa.to_string().as_bytes(), Some(*algorithm));
    }
    signs(p521.to_string().as_bytes(), p521.to_string().as_bytes(), None);
    for kind in [&rcgen::PKCS_ECDSA_P256_SHA256, &rcgen::PKCS_ECDSA_P384_SHA384, &rcgen::PKCS_ED25519] {
        let pair = rcgen::KeyPair::generate_for(kind).unwrap();
        let pem =
            |label, der: &[u8]| format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", STANDARD.encode(der));
        let public = pem("PUBLIC KEY", &rcgen::PublicKeyData::subject_public_key_info(&pair));
        signs(pem("PRIVATE KEY", &pair.serialize_der()).as_bytes(), public.as_bytes(), None);
    }
    let of_rsa = Signer::read(rsa.to_string().as_bytes()).unwrap();
    assert!(matches!(of_rsa.sign(b"card", Some(Algorithm::Es256), "a", None), Err(SignError::OtherAlgorithm { .. })));
    let wrong = |bytes: &[u8]| Signer::read(bytes).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(wrong(b"-----BEGIN PUBLIC KEY-----").contains("neither a private key"));
    assert!(wrong(b"{\"kty\":\"oct\",\"k\":\"AA\",\"d\":\"AA\"}").contains("its kind"));
}

#[test]
fn mistakes_in_files_of_keys_are_said_in_a_sentence() {
    let said = |text: &str| Keys::read(text.as_bytes()).err().map(|error| error.to_string()).unwrap_or_default();
    let all = [
        "",
        "{",
        "{}",
        r#"{"keys":[]}"#,
        r#"{"kty":"oct","k":"AA","kid":"s"}"#,
        r#"{"kty":"EC","crv":"P-192"}"#,
        r#"{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#,
        r#"{"kty":"RSA","n":"","e":"AQAB"}"#,
        r#"{"kty":"OKP","crv":"X25519","x":"AA","use":"sig"}"#,
        r#"{"kty":"RSA","use":"enc"}"#,
        "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
    ];
    insta::assert_snapshot!(all.map(|text| format!("{text:?}: {}", said(text))).join("\n"));
    // A set may have keys that nobody here knows.
    let set =
        r#"{"keys":[{"kty":"NEW"},{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;
    assert_eq!(Keys::read(set.as_bytes()).unwrap().0.len(), 1);
}
