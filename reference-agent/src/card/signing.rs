//! Signs the cards (1.0, section 8.4; 0.3, section 5.5.6).
//!
//! What is signed is the card that a reader of one version sees: without what that version does not know, and without members
//! that have their default. The agent knows its own card, so both are lists of places.

use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};

use super::AgentCard;
use super::schemes::SecuritySchemes;
use crate::config::Config;
use crate::fault::Switch;
use crate::version::{Version, base64};

/// The seed of the key: a fixed one, so that whoever tests with the agent can know its public half. It proves nothing.
const SEED: [u8; 32] = *b"reference agent of a2aspec: seed";

/// The name of the key.
const KEY: &str = "reference-1";

/// Where the public key is.
pub const JWKS: &str = "/.well-known/jwks.json";

/// What the card for 1.0 and 0.3 has that 1.0 does not know, beside the schemes in the words of OpenAPI.
const UNKNOWN_IN_1_0: [&str; 7] = [
    "/protocolVersion",
    "/url",
    "/preferredTransport",
    "/additionalInterfaces",
    "/supportsAuthenticatedExtendedCard",
    "/capabilities/stateTransitionHistory",
    "/security",
];

/// What is neither required nor optional, and is signed only where it is not false, its default (8.4.1).
const DEFAULTS: [&str; 5] = [
    "/capabilities/extensions/0/required",
    "/capabilities/extensions/1/required",
    "/capabilities/extensions/2/required",
    "/capabilities/extensions/3/required",
    "/capabilities/extensions/4/required",
];

/// The public key as a JWKS (RFC 7517, RFC 8037).
#[must_use]
pub fn public_keys() -> Value {
    let public = pair().map(|pair| base64url(pair.public_key().as_ref())).unwrap_or_default();
    json!({ "keys": [{ "kty": "OKP", "crv": "Ed25519", "x": public, "kid": KEY, "alg": "EdDSA", "use": "sig" }] })
}

/// A card with its signature; cards of versions that know none are left alone.
pub fn signed(config: &Config, card: &AgentCard, version: Version) -> Value {
    let mut whole = serde_json::to_value(card).unwrap_or_default();
    let unknown: &[&str] = match version {
        Version::V1_0 | Version::V1_1Draft => &UNKNOWN_IN_1_0,
        Version::V1_0Draft | Version::V0_3 => &[],
        _ => return whole,
    };
    if config.breaks(Switch::SignsWithoutRequired) {
        whole["description"] = "".into();
    }
    if config.breaks(Switch::SignsWithoutExplicit) {
        whole["iconUrl"] = "".into();
    }
    let mut content = whole.clone();
    unknown.iter().for_each(|pointer| drop_at(&mut content, pointer));
    if matches!(version, Version::V1_0 | Version::V1_1Draft) {
        content["securitySchemes"] =
            serde_json::to_value(card.security_schemes.clone().map(SecuritySchemes::in_words_of_1_0))
                .unwrap_or_default();
    }
    if !config.breaks(Switch::SignsDefaults) {
        for pointer in DEFAULTS {
            if content.pointer(pointer) == Some(&Value::Bool(false)) {
                drop_at(&mut content, pointer);
            }
        }
    }
    if config.breaks(Switch::SignsWithoutRequired) {
        drop_at(&mut content, "/description");
    }
    if config.breaks(Switch::SignsWithoutExplicit) {
        drop_at(&mut content, "/iconUrl");
        drop_at(&mut content, "/capabilities/stateTransitionHistory");
    }
    if config.breaks(Switch::SignsSignatures) {
        content["signatures"] = json!([]);
    }
    let text = match config.breaks(Switch::SignsUncanonical) {
        true => content.to_string().into_bytes(),
        false => serde_json_canonicalizer::to_vec(&content).unwrap_or_default(),
    };
    let mut header = json!({ "alg": "EdDSA", "typ": "JOSE", "kid": KEY, "jku": format!("{}{JWKS}", card.base) });
    if config.breaks(Switch::SignsWithoutType) {
        drop_at(&mut header, "/typ");
    }
    whole["signatures"] = signature(&header, &text).into_iter().collect();
    whole
}

fn signature(header: &Value, payload: &[u8]) -> Option<Value> {
    let protected = base64url(header.to_string().as_bytes());
    let input = format!("{protected}.{}", base64url(payload));
    let signature = base64url(pair()?.sign(input.as_bytes()).as_ref());
    Some(json!({ "protected": protected, "signature": signature }))
}

fn pair() -> Option<Ed25519KeyPair> {
    Ed25519KeyPair::from_seed_unchecked(&SEED).ok()
}

/// RFC 7515, section 2.
fn base64url(bytes: &[u8]) -> String {
    base64::encode(bytes).trim_end_matches('=').replace('+', "-").replace('/', "_")
}

fn drop_at(value: &mut Value, pointer: &str) {
    let Some((parent, name)) = pointer.rsplit_once('/') else { return };
    if let Some(parent) = value.pointer_mut(parent).and_then(Value::as_object_mut) {
        parent.shift_remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::{for_version, public_card};
    use crate::config::{Standing, User};

    #[test]
    fn cards_are_signed_from_the_versions_on_that_know_signatures() {
        let card = public_card(&Config::default(), "http://host");
        for version in [Version::V1_0, Version::V1_0Draft, Version::V0_3] {
            let signed = signed(&Config::default(), &for_version(version, card.clone()), version);
            assert_eq!(signed["signatures"].as_array().map(Vec::len), Some(1));
        }
        for version in Version::UNNAMED {
            let card = for_version(version, card.clone());
            assert_eq!(signed(&Config::default(), &card, version), serde_json::to_value(card).unwrap());
        }
    }

    #[test]
    fn every_place_that_is_left_out_is_there() {
        let user = User { name: "ann".to_owned(), token: "t0ken".to_owned(), standing: Standing::Good };
        let config = Config { users: vec![user], ..Config::default() };
        let card = serde_json::to_value(public_card(&config, "http://host")).unwrap();
        for pointer in UNKNOWN_IN_1_0.iter().chain(&DEFAULTS) {
            assert!(card.pointer(pointer).is_some(), "{pointer}");
        }
    }
}
