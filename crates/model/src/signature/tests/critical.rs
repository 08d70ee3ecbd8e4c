//! `crit` and `b64`: each way to use them against RFC 7515 section 4.1.11 or RFC 7797 is refused with its own message.

use serde_json::{Value, json};

use super::super::*;
use super::keys;

/// The key of RFC 8037 appendix A.1.
const PUBLIC: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
const PRIVATE: &str = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A";

/// What a verifier makes of a signature that is right but for these parameters.
fn verified(more: &Value, unprotected: Option<Value>) -> String {
    let mut header = json!({ "alg": "EdDSA", "kid": "a" });
    header.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let protected = URL_SAFE_NO_PAD.encode(header.to_string());
    let pair = ring::signature::Ed25519KeyPair::from_seed_unchecked(&base64url(PRIVATE).unwrap()).unwrap();
    let signature = URL_SAFE_NO_PAD.encode(pair.sign(verify::signing_input(&protected, b"card").as_bytes()));
    let mut parts = json!({ "protected": protected, "signature": signature });
    if let Some(unprotected) = unprotected {
        parts["header"] = unprotected;
    }
    let trusted = keys(&json!({ "kty": "OKP", "crv": "Ed25519", "kid": "a", "x": PUBLIC }));
    let (_, signature) = signatures(&json!({ "signatures": [parts] })).remove(0);
    let signature = signature.unwrap();
    let verdict = signature.verify(b"card", &trusted);
    // The form is judged without keys, too.
    let of_form = verdict.clone().err().filter(Refusal::breaks_critical);
    assert_eq!(signature.critical_fault(), of_form, "{more}");
    verdict.err().map_or_else(|| "holds".to_owned(), |refusal| refusal.to_string())
}

#[test]
fn each_wrong_use_is_refused_with_its_own_message() {
    let protected = [
        json!({}),
        json!({ "b64": true }),
        json!({ "b64": true, "crit": ["b64"] }),
        json!({ "b64": false, "crit": ["b64"] }),
        json!({ "b64": false }),
        json!({ "b64": "false", "crit": ["b64"] }),
        json!({ "b64": null }),
        json!({ "crit": ["b64"] }),
        json!({ "crit": [] }),
        json!({ "crit": null }),
        json!({ "crit": "exp", "exp": 1 }),
        json!({ "crit": ["exp", 1], "exp": 1 }),
        json!({ "crit": ["exp", "exp"], "exp": 1 }),
        json!({ "crit": ["exp"] }),
        json!({ "crit": ["exp"], "exp": 1 }),
        json!({ "crit": ["alg"] }),
        json!({ "crit": ["x5t#S256"] }),
        json!({ "crit": ["crit"] }),
        json!({ "crit": ["b64", "exp"], "b64": false, "exp": 1 }),
    ];
    let told = protected.map(|header| format!("{header}: {}", verified(&header, None)));
    let critical = json!({ "crit": ["exp"], "exp": 1 });
    let unprotected = [
        (json!({}), json!({})),
        (json!({}), json!({ "note": "crit" })),
        (json!({}), critical.clone()),
        (json!({}), json!({ "crit": [] })),
        (json!({}), json!({ "crit": null })),
        (json!({}), json!({ "b64": false })),
        (json!({}), json!({ "b64": true })),
        (critical.clone(), critical),
        (json!({ "crit": ["exp"] }), json!({ "exp": 1 })),
        (json!({ "crit": ["b64"] }), json!({ "b64": false })),
    ];
    let beside = unprotected
        .map(|(header, other)| format!("{header} beside {other}: {}", verified(&header, Some(other.clone()))));
    insta::assert_snapshot!([told.join("\n"), beside.join("\n")].join("\n\n"));
}
