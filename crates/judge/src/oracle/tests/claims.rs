//! What a card claims.

use serde_json::{Value, json};

use super::script::Script;
use super::{Row, findings, hold, right, unseen, wrong};
use crate::profile::Operation::{GetTask, SendMessage};

fn error(code: i32, message: &str) -> Value {
    json!({ "code": code, "message": message })
}

/// An answer to a method of the version, and one to a method that no version has.
fn answers(asked: Value, unknown: Value) -> Script {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "a2aspec/no-such-method", "params": {} }).to_string();
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {} }).to_string();
    let asked = Script::v1_0().error("s", SendMessage, asked).but(|draft| draft.request = Some(request.clone()));
    asked.error("u", SendMessage, unknown).but(|draft| draft.request = Some(body.clone()))
}

fn refused(code: i32) -> Script {
    answers(error(code, "no"), error(-32601, "no"))
}

/// A card, and the status and headers of what is asked then.
fn secured(card: Value, status: u16, headers: &[(&str, &str)]) -> Script {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect::<Vec<_>>();
    Script::v1_0().card("c", &card).error("s", GetTask, error(-32001, "no")).but(|draft| {
        draft.status = status;
        draft.headers = headers.clone();
    })
}

pub(super) fn rows() -> Vec<Row> {
    let of = || json!(["s", "u"]);
    let claim = "speaks-as-claimed";
    let lost = Script::v1_0().error("s", SendMessage, error(-32602, "no")).but(|draft| draft.is_lost = true);
    let broke = |what: &str| error(-32603, what);
    let asked = || json!(["c", "s"]);
    let secure = "secured-as-declared";
    let basic = &[("www-authenticate", "Basic")][..];
    let schemes = || json!({ "securitySchemes": { "a": {} } });
    let rows_of_claims = vec![
        right(claim, of(), refused(-32602)),
        right(claim, of(), refused(-32600)),
        wrong(claim, of(), refused(-32601), "and the interface does not know its methods"),
        wrong(claim, of(), refused(-32009), "and the interface does not know its methods"),
        wrong(claim, of(), refused(-32600).heard_to_speak("0.3"), "the interface speaks A2A 0.3"),
        unseen(claim, of(), lost, "no response"),
        unseen(
            claim,
            of(),
            Script::v1_0().answer("s", SendMessage, "<html>").error("u", SendMessage, broke("no")),
            "the agent answered with HTTP 200 with a page of markup",
        ),
        unseen(
            claim,
            of(),
            Script::v1_0().result("s", SendMessage, json!({})).result("u", SendMessage, json!({})),
            "the agent answers an unknown method in the same way",
        ),
        // An agent that says the same of a method that no version has says nothing; what differs does.
        unseen(claim, of(), answers(broke("no"), broke("no")), "the agent answers an unknown method in the same way"),
        unseen(
            claim,
            of(),
            answers(broke("no SendMessage"), broke("no a2aspec/no-such-method")),
            "the agent answers an unknown method in the same way",
        ),
        right(claim, of(), answers(broke("no message"), broke("no such method"))),
    ];
    let rows_of_security = vec![
        right(secure, asked(), secured(json!({}), 200, &[])),
        right(secure, asked(), secured(schemes(), 200, &[])),
        right(secure, asked(), secured(schemes(), 401, basic)),
        right(secure, asked(), secured(json!({ "security": [{ "a": [] }] }), 401, basic)),
        right(secure, asked(), secured(json!({ "skills": [{ "securityRequirements": [{}] }] }), 401, basic)),
        wrong(
            secure,
            asked(),
            secured(json!({}), 401, basic),
            "the agent requires credentials that its card does not declare",
        ),
        wrong(
            secure,
            asked(),
            secured(json!({ "authentication": { "schemes": [] } }), 401, basic),
            "the agent requires credentials that its card does not declare",
        ),
        wrong(secure, asked(), secured(schemes(), 401, &[]), "HTTP 401 lacks the header www-authenticate"),
        unseen(
            secure,
            asked(),
            secured(json!({ "securityRequirements": [{}] }), 200, &[]),
            "the card requires credentials, and the agent did not ask for them",
        ),
    ];
    rows_of_claims.into_iter().chain(rows_of_security).chain(rows_of_challenges()).collect()
}

fn rows_of_challenges() -> Vec<Row> {
    let (fits, of) = ("challenge-fits", || json!(["c", "s"]));
    let card = |schemes: Value| json!({ "securitySchemes": schemes });
    let bearer = || card(json!({ "a": { "httpAuthSecurityScheme": { "scheme": "bearer" } } }));
    let login = || card(json!({ "a": { "type": "oauth2" }, "b": { "type": "http", "scheme": "Basic" } }));
    let key =
        || card(json!({ "a": { "type": "http", "scheme": "bearer" }, "b": { "type": "apiKey", "in": "header" } }));
    let asks = |card: Value, challenges: &[&str]| {
        let headers: Vec<_> = challenges.iter().map(|challenge| ("www-authenticate", *challenge)).collect();
        secured(card, 401, &headers)
    };
    vec![
        right(fits, of(), asks(bearer(), &["Bearer realm=\"Basic, a\""])),
        right(fits, of(), asks(bearer(), &["Negotiate", "Digest nonce=\"x\", BEARER"])),
        right(fits, of(), asks(login(), &["DPoP algs=\"ES256\""])),
        right(fits, of(), asks(login(), &["basic realm=\"a\""])),
        right(fits, of(), asks(key(), &["Bearer"])),
        wrong(fits, of(), asks(bearer(), &["Negotiate"]), "WWW-Authenticate names no scheme that the card declares"),
        wrong(
            fits,
            of(),
            asks(bearer(), &["Basic realm=\"Bearer\""]),
            "WWW-Authenticate names no scheme that the card declares",
        ),
        wrong(
            fits,
            of(),
            asks(login(), &["Negotiate, Digest nonce=\"x\""]),
            "WWW-Authenticate names no scheme that the card declares",
        ),
        wrong(
            fits,
            of(),
            asks(json!({ "authentication": { "schemes": ["Bearer"] } }), &["Negotiate"]),
            "WWW-Authenticate names no scheme that the card declares",
        ),
        // A key has no name among the schemes of HTTP, and the name of a scheme may be the agent's own.
        unseen(fits, of(), asks(key(), &["ApiKey"]), "any challenge"),
        unseen(
            fits,
            of(),
            asks(card(json!({ "a": { "type": "http", "scheme": "token" } })), &["Bearer"]),
            "any challenge",
        ),
        unseen(fits, of(), asks(json!({}), &["Negotiate"]), "declares no schemes"),
        // Each is told by an assertion of another oracle.
        unseen(fits, of(), asks(bearer(), &[]), "the refusal has no challenge"),
        unseen(
            fits,
            of(),
            secured(bearer(), 403, &[("www-authenticate", "Negotiate")]),
            "the refusal has no challenge",
        ),
    ]
}

#[test]
fn claims_are_judged() {
    hold(&rows());
}

/// Each is an assertion of its own.
#[test]
fn what_is_asked_for_and_how_are_told_apart() {
    let found = findings("secured-as-declared", json!(["c", "s"]), secured(json!({}), 401, &[]));
    let names: Vec<&str> = found.iter().map(|finding| finding.assertion.as_str()).collect();
    assert_eq!(names, [":declared", ":challenge"]);
}
