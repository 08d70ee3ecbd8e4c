//! The signatures of the agent card.

use serde_json::{Value, json};

use super::script::Script;
use super::{Row, hold, right, unseen, wrong};
use crate::profile;
use crate::signature::{Canonical, Keys, Signer, Slip, Unknown, jcs};

/// The key of RFC 8037 appendix A.1.
fn key(with_private: bool) -> Vec<u8> {
    let mut jwk = json!({
        "kty": "OKP", "crv": "Ed25519", "kid": "a", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
    });
    if with_private {
        jwk["d"] = json!("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A");
    }
    jwk.to_string().into_bytes()
}

/// A card in which each rule of 8.4.1 has something to decide.
fn card() -> Value {
    json!({
        "name": "n", "description": "", "version": "1", "iconUrl": "", "x-own": 1,
        "supportedInterfaces": [
            { "url": "http://agent.example/a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
        ],
        "capabilities": { "streaming": false, "extensions": [] },
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "a", "name": "a", "description": "a", "tags": ["t"], "examples": [] }],
        "securityRequirements": [{ "schemes": { "key": { "list": [] } } }],
    })
}

/// The card with a signature over these bytes.
fn signed_over(bytes: &[u8]) -> Value {
    let mut card = card();
    card["signatures"] = json!([Signer::read(&key(true)).unwrap().sign(bytes, None, "a", None).unwrap()]);
    card
}

fn form(unknown: Unknown, slips: &[Slip]) -> Canonical {
    let profiles = profile::bundled().unwrap();
    let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
    Canonical::with_slips(profile.descriptors.as_ref().unwrap(), &card(), unknown, slips).unwrap()
}

fn signed_by(slips: &[Slip]) -> Value {
    signed_over(&form(Unknown::LeftOut, slips).bytes)
}

fn signed() -> Value {
    signed_by(&[])
}

/// The card with another value in its signature.
fn with(member: &str, value: Value) -> Value {
    let mut card = signed();
    card["signatures"][0][member] = value;
    card
}

/// The card with another protected header.
fn headed(header: &Value) -> Value {
    use base64::Engine as _;
    with("protected", json!(base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(header.to_string())))
}

fn v1_0(card: Value) -> Script {
    Script::v1_0().card("c", &card)
}

/// The same where the key is known.
fn known(card: Value) -> Script {
    v1_0(card).trusting(Keys::read(&key(false)).unwrap())
}

fn c() -> Value {
    json!("c")
}

pub(super) fn rows() -> Vec<Row> {
    let mut itself = form(Unknown::LeftOut, &[]).content;
    itself["signatures"] = json!([]);
    // As the utilities of published SDKs sign it: that a scheme is demanded without scopes is not signed either.
    let mut without_empty = form(Unknown::LeftOut, &[]).content;
    for name in ["description", "iconUrl", "securityRequirements"] {
        assert!(without_empty.as_object_mut().unwrap().remove(name).is_some());
    }
    let two = {
        let mut card = signed_over(b"another card");
        card["signatures"].as_array_mut().unwrap().push(signed()["signatures"][0].clone());
        card
    };
    vec![
        right("card-signatures", c(), v1_0(signed())),
        unseen("card-signatures", c(), v1_0(card()), "is not signed"),
        wrong(
            "card-signatures",
            c(),
            v1_0(with("signature", json!("ab=="))),
            "a signature of the card is malformed (RFC 7515)",
        ),
        wrong(
            "card-signatures",
            c(),
            v1_0(with("signature", json!("a+/b"))),
            "a signature of the card is malformed (RFC 7515)",
        ),
        wrong(
            "card-signatures",
            c(),
            v1_0(with("protected", json!("{}"))),
            "a signature of the card is malformed (RFC 7515)",
        ),
        wrong(
            "card-signatures",
            c(),
            v1_0(with("protected", json!("W10"))),
            "a signature of the card is malformed (RFC 7515)",
        ),
        unseen("card-signatures", c(), v1_0(with("protected", json!(1))), "can be read"),
        right("card-signature-headers", c(), v1_0(signed())),
        unseen("card-signature-headers", c(), v1_0(card()), "is not signed"),
        unseen("card-signature-headers", c(), v1_0(with("protected", json!("{}"))), "can be read"),
        wrong("card-signature-headers", c(), v1_0(headed(&json!({ "kid": "a", "typ": "JOSE" }))), "its algorithm"),
        wrong("card-signature-headers", c(), v1_0(headed(&json!({ "alg": "EdDSA", "typ": "JOSE" }))), "its key"),
        wrong("card-signature-headers", c(), v1_0(headed(&json!({ "alg": "EdDSA", "kid": "a" }))), "the type JOSE"),
        right("card-signature-headers", c(), v1_0(with("header", json!({ "note": 1 })))),
        wrong("card-signature-headers", c(), v1_0(with("header", json!({ "crit": ["exp"], "exp": 1 }))), "crit or b64"),
        wrong("card-signature-headers", c(), v1_0(with("header", json!({ "b64": false }))), "crit or b64"),
        wrong(
            "card-signature-headers",
            c(),
            v1_0(headed(&json!({ "alg": "EdDSA", "kid": "a", "typ": "JOSE", "crit": [] }))),
            "crit or b64",
        ),
        right(
            "card-signature-headers",
            c(),
            v1_0(headed(&json!({ "alg": "EdDSA", "kid": "a", "typ": "JOSE", "crit": ["exp"], "exp": 1 }))),
        ),
        unseen("card-signed", c(), known(with("header", json!({ "crit": ["exp"], "exp": 1 }))), "can be verified"),
        right("card-signed", c(), known(signed())),
        right("card-signed", c(), known(signed_over(&form(Unknown::Kept, &[]).bytes))),
        right("card-signed", c(), known(two)),
        unseen("card-signed", c(), known(card()), "is not signed"),
        unseen("card-signed", c(), v1_0(signed()), "--card-key"),
        unseen("card-signed", c(), known(with("signature", json!("ab=="))), "can be verified"),
        unseen("card-signed", c(), known(headed(&json!({ "alg": "EdDSA", "kid": "b" }))), "no trusted key"),
        unseen("card-signed", c(), known(headed(&json!({ "alg": "ES256", "kid": "a" }))), "none for ES256"),
        unseen(
            "card-signed",
            c(),
            known(headed(&json!({ "alg": "EdDSA", "kid": "a", "crit": ["exp"], "exp": 1 }))),
            "crit",
        ),
        unseen(
            "card-signed",
            c(),
            known(headed(&json!({ "alg": "EdDSA", "kid": "a", "crit": ["b64"], "b64": false }))),
            "not in base64url",
        ),
        wrong("card-signed", c(), known(signed_over(b"another card")), "no signature of the card is valid"),
        wrong(
            "card-signed",
            c(),
            known(headed(&json!({ "alg": "none", "kid": "a" }))),
            "no signature of the card is valid",
        ),
        wrong(
            "card-signed",
            c(),
            known(signed_by(&[Slip::KeepsDefaults])),
            "the signature covers members with default values, which the canonical form omits",
        ),
        wrong(
            "card-signed",
            c(),
            known(signed_by(&[Slip::DropsRequired])),
            "the signature does not cover required members with default values",
        ),
        wrong(
            "card-signed",
            c(),
            known(signed_by(&[Slip::DropsExplicit])),
            "the signature does not cover optional members that were set to their default",
        ),
        wrong(
            "card-signed",
            c(),
            known(signed_by(&[Slip::DropsRequired, Slip::DropsExplicit])),
            "the signature does not cover required members with default values",
        ),
        wrong(
            "card-signed",
            c(),
            known(signed_over(&jcs(&itself).unwrap())),
            "the signature covers the member `signatures",
        ),
        wrong(
            "card-signed",
            c(),
            known(signed_over(form(Unknown::LeftOut, &[]).content.to_string().as_bytes())),
            "the signature covers another form of the card than the canonical one",
        ),
        wrong(
            "card-signed",
            c(),
            known(signed_over(&jcs(&without_empty).unwrap())),
            "the signature covers another form of the card than the canonical one",
        ),
    ]
}

#[test]
fn signatures_are_judged() {
    hold(&rows());
}
