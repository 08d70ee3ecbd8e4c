//! Held to the public vectors, where they are at hand: RFC 8785, RFC 7515, 7520 and 8037, Wycheproof, and signed cards.

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

/// What a reader of I-JSON makes of a text: the canonical bytes, or nothing.
fn canonical(bytes: &[u8]) -> Option<Vec<u8>> {
    canonical::jcs(&read(bytes).ok()?)
}

#[test]
fn canonical_json_is_that_of_rfc_8785() {
    let (Some(edge), Some(numbers), Some(table)) =
        (load("jcs/edge.json"), vectors("jcs/es6-numbers.txt"), load("jcs/rfc8785-appendix-b.json"))
    else {
        return;
    };
    let cases = edge["cases"].as_array().unwrap();
    assert!(cases.len() > 30);
    for case in cases {
        let input = STANDARD.decode(text(case, "input_base64")).unwrap();
        let expected = case["canonical_base64"].as_str().map(|text| STANDARD.decode(text).unwrap());
        let shown = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(canonical(&input).as_ref().map(shown), expected.as_ref().map(shown), "{case}");
    }
    let number = |bits: &str| f64::from_bits(u64::from_str_radix(bits, 16).unwrap());
    let written = |value: f64| String::from_utf8(canonical::jcs(&json!(value)).unwrap()).unwrap();
    for line in std::str::from_utf8(&numbers).unwrap().lines() {
        let (bits, expected) = line.split_once(',').unwrap();
        assert_eq!(written(number(bits)), expected, "{line}");
    }
    for row in table["cases"].as_array().unwrap() {
        let number = number(text(row, "ieee754"));
        // JSON has no text for what is no number.
        assert_eq!(row.get("json").is_some(), number.is_finite());
        if let Some(expected) = row["json"].as_str() {
            assert_eq!(written(number), expected, "{row}");
        }
    }
    for name in ["values", "structures", "arrays"] {
        let read = |folder: &str| vectors(&format!("jcs/{folder}/{name}.json")).unwrap();
        assert_eq!(String::from_utf8(canonical(&read("input")).unwrap()), String::from_utf8(read("output")));
    }
}

/// Whether a JWS in its parts is one of these keys.
fn is_of(keys: &Keys, protected: &str, payload: &[u8], signature: &str) -> Option<bool> {
    let header = Header::read(protected).ok()?;
    let algorithm = Algorithm::named(header.text("alg")?)?;
    let bytes = base64url(signature)?;
    let message = verify::signing_input(protected, payload);
    let id = header.text("kid").unwrap_or_default();
    let mut of_id = keys.0.iter().filter(|key| id.is_empty() || key.id.as_deref().is_none_or(|own| own == id));
    let is_critical = header.members.get("crit").is_some();
    Some(!is_critical && of_id.any(|key| key.verifies(algorithm, message.as_bytes(), &bytes)))
}

fn keys(jwk: &Value) -> Keys {
    Keys::read(jwk.to_string().as_bytes()).unwrap_or_default()
}

#[test]
fn signatures_are_those_of_the_rfcs() {
    let Some(of_7515) = load("jws/rfc7515.json") else { return };
    let mut seen = Vec::new();
    for case in of_7515["cases"].as_array().unwrap() {
        let (parts, keys) = match case.get("flattened_json") {
            Some(json) => (json, keys(&case["jwks"])),
            None => (case, keys(&case["jwk"])),
        };
        let header = Header::read(text(parts, "protected")).unwrap();
        let name = header.text("alg").unwrap();
        let payload = base64url(text(parts, "payload")).unwrap();
        let verified = is_of(&keys, text(parts, "protected"), &payload, text(parts, "signature"));
        // Secrets in common and unsigned texts are none of ours.
        assert_eq!(verified, (!name.starts_with("HS") && name != "none").then_some(true), "{case}");
        seen.extend(verified.map(|_| name.to_owned()));
    }
    assert_eq!(seen, ["ES256", "ES256"]);
    for (name, algorithm) in [("4_1.rsa_v15_signature", "RS256"), ("4_3.ecdsa_signature", "ES512")] {
        let case = load(&format!("jws/rfc7520/{name}.json")).unwrap();
        let (input, parts) = (&case["input"], &case["output"]["json_flat"]);
        assert_eq!(input["alg"], algorithm);
        let payload = text(input, "payload").as_bytes();
        let is_of = |payload| is_of(&keys(&input["key"]), text(parts, "protected"), payload, text(parts, "signature"));
        assert_eq!((is_of(payload), is_of(b"another")), (Some(true), Some(false)), "{name}");
    }
}

#[test]
fn wycheproof_of_jws() {
    let Some(file) = load("wycheproof/json_web_signature_test.json") else { return };
    let Some(of_keys) = load("wycheproof/json_web_key_test.json") else { return };
    let groups = file["testGroups"].as_array().unwrap().iter().chain(of_keys["testGroups"].as_array().unwrap());
    let (mut accepted, mut refused) = (0, 0);
    for group in groups {
        let Some(public) = group.get("public") else { continue };
        let keys = keys(public);
        for case in group["tests"].as_array().unwrap() {
            let parts: Vec<&str> = case["jws"].as_str().unwrap_or_default().split('.').collect();
            let verified = match parts[..] {
                [protected, payload, signature] => {
                    base64url(payload).is_some_and(|payload| is_of(&keys, protected, &payload, signature) == Some(true))
                }
                _ => false,
            };
            // A key that says it is for ES521, which no registry has; and a weakness of keys that is seen in their making.
            let is_left_out = public["alg"] == "ES521" || group["comment"] == "jws_rsa_roca_key";
            if !is_left_out {
                assert_eq!(verified, case["result"] == "valid", "{} {case}", group["comment"]);
            }
            *(if verified { &mut accepted } else { &mut refused }) += 1;
        }
    }
    assert!(accepted > 15 && refused > 100, "{accepted} {refused}");
}

#[test]
fn wycheproof_of_the_primitives() {
    let files = [
        ("ecdsa_secp256r1_sha256_p1363", Algorithm::Es256),
        ("ecdsa_secp384r1_sha384_p1363", Algorithm::Es384),
        ("ecdsa_secp521r1_sha512_p1363", Algorithm::Es512),
        ("ed25519", Algorithm::EdDsa),
        ("rsa_pss_2048_sha256_mgf1_32", Algorithm::Ps256),
        ("rsa_signature_2048_sha256", Algorithm::Rs256),
    ];
    let hex = |text: &str| -> Vec<u8> {
        (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
    };
    for (name, algorithm) in files {
        let Some(file) = load(&format!("wycheproof/{name}_test.json")) else { return };
        let mut seen = 0;
        for group in file["testGroups"].as_array().unwrap() {
            let Ok(of_pem) = Keys::read(text(group, "publicKeyPem").as_bytes()) else { continue };
            for case in group["tests"].as_array().unwrap() {
                let (message, signature) = (hex(text(case, "msg")), hex(text(case, "sig")));
                let verified = of_pem.0.iter().any(|key| key.verifies(algorithm, &message, &signature));
                match text(case, "result") {
                    "acceptable" => {}
                    result => assert_eq!(verified, result == "valid", "{name} {}", case["tcId"]),
                }
                seen += 1;
            }
        }
        assert!(seen > 50, "{name}: {seen}");
    }
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
            _ => {}
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
