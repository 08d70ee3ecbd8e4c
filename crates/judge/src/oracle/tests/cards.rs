//! The agent card.

use serde_json::{Value, json};

use super::script::Script;
use super::{Row, hold, right, unseen, wrong};

/// The name of a binding, and that of a scheme of HTTP authentication.
const BINDING: &str = "/supportedInterfaces/0/protocolBinding";
const SCHEME: &str = "/securitySchemes/main/httpAuthSecurityScheme/scheme";

/// A card that both versions accept.
fn card() -> Value {
    json!({
        "name": "n", "description": "d", "version": "1", "protocolVersion": "0.3.0",
        "url": "http://agent.example/a", "preferredTransport": "JSONRPC",
        "additionalInterfaces": [{ "url": "http://agent.example/a", "transport": "JSONRPC" }],
        "supportedInterfaces": [
            { "url": "http://agent.example/a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
            { "url": "agent.example:443", "protocolBinding": "GRPC", "protocolVersion": "1.0" },
        ],
        "capabilities": {},
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["application/json; charset=utf-8"],
        "skills": [
            { "id": "a", "name": "a", "description": "a", "tags": ["t"] },
            { "id": "b", "name": "b", "description": "b", "tags": ["t"], "inputModes": ["image/png"] },
        ],
    })
}

fn with(pointer: &str, value: Value) -> Value {
    let mut card = card();
    *card.pointer_mut(pointer).unwrap() = value;
    card
}

/// The card with an interface of a binding that is none of the version's.
fn custom(url: &str) -> Value {
    let mut card = with("/supportedInterfaces/0/protocolBinding", json!("urn:example:ours"));
    card["supportedInterfaces"][0]["url"] = json!(url);
    card
}

fn without(member: &str) -> Value {
    let mut card = card();
    card.as_object_mut().unwrap().remove(member);
    card
}

/// The card with a text at a place that it does not have yet; digits are indices.
/// A card with a further member.
fn more(member: &str) -> Value {
    let mut card = card();
    card[member] = json!("http://agent.example/icon.png");
    card
}

fn linked(pointer: &str, text: Value) -> Value {
    let mut names: Vec<String> =
        pointer.split('/').skip(1).map(|name| name.replace("~1", "/").replace("~0", "~")).collect();
    let root = names.remove(0);
    let inner = names.into_iter().rev().fold(text, |value, name| match name.parse::<usize>() {
        Ok(_) => json!([value]),
        Err(_) => json!({ name: value }),
    });
    let mut card = card();
    card[root] = inner;
    card
}

/// A card of the draft with two interfaces, and those of these bindings once more for clients of 0.3.
fn listed(again: &[&str]) -> Value {
    let interface = |binding: &&str| json!({ "url": "http://agent.example/a", "protocolBinding": binding });
    let all: Vec<Value> = ["JSONRPC", "GRPC"].iter().map(interface).collect();
    let again: Vec<Value> = again.iter().map(interface).collect();
    json!({ "protocolVersion": "1.0", "supportedInterfaces": all, "additionalInterfaces": again })
}

fn at_version(version: &str) -> Value {
    let mut card = listed(&[]);
    card["protocolVersion"] = json!(version);
    card
}

fn draft(card: Value) -> Script {
    Script::v1_0_draft().card("c", &card)
}

fn v1_0(card: Value) -> Script {
    Script::v1_0().card("c", &card)
}

fn v0_3(card: Value) -> Script {
    Script::v0_3().card("c", &card)
}

fn cached(value: &str) -> Script {
    let value = value.to_owned();
    v1_0(card()).but(|draft| draft.headers.push(("cache-control".to_owned(), value)))
}

pub(super) fn rows() -> Vec<Row> {
    [links(), demands(), others()].into_iter().flatten().collect()
}

/// The card with a scheme of OAuth 2.0.
fn oauth(metadata: &str, flow: &str) -> Value {
    let mut card = card();
    let scheme = json!({ "oauth2MetadataUrl": metadata, "flows": { flow: { "scopes": {} } } });
    card["securitySchemes"] = json!({ "login": { "oauth2SecurityScheme": scheme } });
    card
}

/// The card with a scheme of OAuth 2.0 that has the scope `read`, and with these demands.
fn demanding(member: &str, demands: Value, scheme: Value) -> Value {
    let mut card = card();
    card["securitySchemes"] = json!({ "login": scheme });
    card[member] = demands;
    card
}

fn demands() -> Vec<Row> {
    let flows = || json!({ "clientCredentials": { "tokenUrl": "https://login.example/", "scopes": { "read": "" } } });
    let old = |demands: Value| v0_3(demanding("security", demands, json!({ "type": "oauth2", "flows": flows() })));
    let new = |demands: Value| {
        v1_0(demanding("securityRequirements", demands, json!({ "oauth2SecurityScheme": { "flows": flows() } })))
    };
    let of_old = || json!({ "card": "c", "of": "security" });
    let of_new = || json!({ "card": "c", "of": "securityRequirements" });
    let free = v0_3(demanding("security", json!([{ "login": ["any"] }]), json!({ "type": "openIdConnect" })));
    let mut skilled = card();
    skilled["skills"][1]["security"] = json!([{ "key": [] }]);
    vec![
        right("card-security", of_old(), old(json!([{ "login": ["read"] }]))),
        right("card-security", of_new(), new(json!([{ "schemes": { "login": { "list": ["read"] } } }]))),
        // Nobody lists the scopes of OpenID Connect.
        right("card-security", of_old(), free),
        wrong("card-security", of_old(), old(json!([{ "login": [] }, { "key": [] }])), "which it does not declare"),
        wrong("card-security", of_old(), old(json!([{ "login": ["read", "write"] }])), "no flow of its scheme has"),
        wrong("card-security", of_new(), new(json!([{ "schemes": { "key": {} } }])), "which it does not declare"),
        wrong(
            "card-security",
            of_new(),
            new(json!([{ "schemes": { "login": { "list": ["write"] } } }])),
            "no flow of its scheme has",
        ),
        wrong("card-security", of_old(), v0_3(skilled), "which it does not declare"),
        unseen("card-security", of_old(), v0_3(card()), "demands no security"),
        unseen("card-security", of_new(), new(json!([])), "demands no security"),
    ]
}

fn links() -> Vec<Row> {
    let flow = |member: &str| format!("/securitySchemes/a/oauth2SecurityScheme/flows/any/{member}");
    let places = [
        "/provider/url".to_owned(),
        "/documentationUrl".to_owned(),
        "/iconUrl".to_owned(),
        "/capabilities/extensions/0/uri".to_owned(),
        "/securitySchemes/a/openIdConnectSecurityScheme/openIdConnectUrl".to_owned(),
        "/securitySchemes/a/oauth2SecurityScheme/oauth2MetadataUrl".to_owned(),
        flow("authorizationUrl"),
        flow("tokenUrl"),
        flow("refreshUrl"),
        flow("deviceAuthorizationUrl"),
    ];
    let judged = |place: &String| {
        let card = |text: &str| v1_0(linked(place, json!(text)));
        [
            right("card-urls", json!("c"), card("https://agent.example/")),
            wrong("card-urls", json!("c"), card("agent.example"), "not absolute"),
        ]
    };
    places.iter().flat_map(judged).collect()
}

fn others() -> Vec<Row> {
    let c = || json!("c");
    let gone = |script: Script| script.but(|draft| draft.body = b"gone".to_vec());
    vec![
        right("card-camel-case", json!("c"), v1_0(card())),
        wrong("card-camel-case", json!("c"), v1_0(more("icon_url")), "is not in camelCase"),
        // Of another kind, for other clients.
        right("card-camel-case", json!("c"), v1_0(more("x_icon_url"))),
        right("card-valid", c(), v1_0(card())),
        right("card-valid", c(), v0_3(card())),
        wrong("card-valid", c(), v1_0(with("/skills/0/id", json!(1))), "the card is"),
        wrong("card-valid", c(), v0_3(with("/capabilities", json!([]))), "the card is"),
        unseen("card-valid", c(), gone(v1_0(card())), "could not be read"),
        right("card-interfaces", c(), v1_0(card())),
        right("card-interfaces", c(), v0_3(card())),
        wrong("card-interfaces", c(), v1_0(with("/supportedInterfaces/0/url", json!("/a"))), "has no URL"),
        wrong(
            "card-interfaces",
            c(),
            v1_0(with("/supportedInterfaces/0/url", json!("agent.example:80"))),
            "has no URL",
        ),
        wrong("card-interfaces", c(), v1_0(with("/supportedInterfaces/1/url", json!(":443"))), "has no URL"),
        wrong(
            "card-interfaces",
            c(),
            v1_0(with("/supportedInterfaces/1/url", json!("agent.example:http"))),
            "has no URL",
        ),
        wrong(
            "card-interfaces",
            c(),
            v1_0(with("/supportedInterfaces/0/url", json!("http://a.example/?x="))),
            "a query",
        ),
        wrong("card-interfaces", c(), v0_3(with("/url", json!("http://a.example/a#b"))), "a fragment"),
        wrong(
            "card-interfaces",
            c(),
            v1_0(with("/supportedInterfaces/0/protocolBinding", json!(""))),
            "an interface has no binding",
        ),
        wrong(
            "card-interfaces",
            c(),
            v1_0(with("/supportedInterfaces/0/protocolVersion", Value::Null)),
            "an interface has no protocol version",
        ),
        wrong("card-interfaces", c(), v0_3(with("/url", json!("a"))), "has no URL"),
        right("card-interfaces", c(), v1_0(with("/supportedInterfaces/0/url", json!("wss://agent.example/a")))),
        right("card-interfaces", c(), v1_0(with("/supportedInterfaces/0/protocolBinding", json!("urn:example:ours")))),
        wrong("card-interfaces", c(), v1_0(custom("agent.example:80")), "has no URL"),
        wrong("card-interfaces", c(), v1_0(with("/supportedInterfaces/0/url", json!(""))), "has no URL"),
        unseen("card-interfaces", c(), v1_0(with("/supportedInterfaces", json!([]))), "no interface"),
        unseen("card-interfaces", c(), v1_0(with("/supportedInterfaces", Value::Null)), "no interface"),
        right("card-main-listed", c(), v0_3(card())),
        right("card-main-listed", c(), v0_3(without("preferredTransport"))),
        wrong("card-main-listed", c(), v0_3(with("/url", json!("http://agent.example/b"))), "lacks the main one"),
        wrong("card-main-listed", c(), v0_3(with("/preferredTransport", json!("GRPC"))), "lacks the main one"),
        unseen("card-main-listed", c(), v0_3(with("/additionalInterfaces", json!([]))), "no additional interface"),
        right("card-deprecated-list", c(), draft(listed(&["JSONRPC", "GRPC"]))),
        wrong("card-deprecated-list", c(), draft(listed(&["GRPC", "HTTP+JSON"])), "lacks an interface"),
        unseen("card-deprecated-list", c(), draft(listed(&[])), "does not list its interfaces twice"),
        right("card-versions", c(), draft(listed(&[]))),
        wrong("card-versions", c(), draft(at_version("1.0.0")), "not Major.Minor"),
        right("card-interfaces", c(), draft(listed(&["GRPC"]))),
        wrong(
            "card-interfaces",
            c(),
            draft(json!({ "protocolVersion": "1.0", "url": 1, "preferredTransport": "GRPC" })),
            "has no URL",
        ),
        right("card-modes", c(), v1_0(card())),
        wrong("card-modes", c(), v1_0(with("/defaultInputModes/0", json!("text"))), "not a media type"),
        wrong("card-modes", c(), v1_0(with("/defaultOutputModes/0", json!("text"))), "not a media type"),
        wrong("card-modes", c(), v1_0(with("/skills/0", json!({ "outputModes": ["text"] }))), "not a media type"),
        wrong("card-modes", c(), v1_0(with("/skills/1/inputModes/0", json!(["image/png"]))), "not a media type"),
        unseen("card-modes", c(), v1_0(json!({ "skills": [] })), "names no modes"),
        right("card-versions", c(), v1_0(card())),
        wrong(
            "card-versions",
            c(),
            v1_0(with("/supportedInterfaces/0/protocolVersion", json!("1.0.1"))),
            "not Major.Minor",
        ),
        wrong(
            "card-versions",
            c(),
            v1_0(with("/supportedInterfaces/0/protocolVersion", json!("1."))),
            "not Major.Minor",
        ),
        wrong(
            "card-versions",
            c(),
            v1_0(with("/supportedInterfaces/0/protocolVersion", json!("v1.0"))),
            "not Major.Minor",
        ),
        unseen("card-versions", c(), v1_0(with("/supportedInterfaces", json!([]))), "no interface"),
        right("card-skill-ids", c(), v1_0(card())),
        wrong("card-skill-ids", c(), v1_0(with("/skills/1/id", json!("a"))), "two skills have the id \"a\""),
        unseen("card-skill-ids", c(), v1_0(with("/skills", json!([]))), "no skill"),
        right("card-urls", c(), v1_0(linked("/capabilities/extensions/0/uri", json!("urn:example:extension")))),
        wrong("card-urls", c(), v1_0(linked("/iconUrl", json!("/icon.png"))), "not absolute"),
        wrong(
            "card-urls",
            c(),
            v1_0(linked("/securitySchemes/o~1a/oauth2SecurityScheme/flows/clientCredentials/tokenUrl", json!("token"))),
            "not absolute",
        ),
        unseen("card-urls", c(), v1_0(card()), "no links"),
        unseen("card-urls", c(), v1_0(linked("/iconUrl", json!(""))), "no links"),
        right("card-binding-names", c(), v1_0(card())),
        right("card-binding-names", c(), v1_0(with(BINDING, json!("https://example.com/bindings/websocket/v1")))),
        wrong("card-binding-names", c(), v1_0(with(BINDING, json!("json-rpc"))), "neither a standard one nor a URI"),
        unseen("card-binding-names", c(), v1_0(with("/supportedInterfaces", json!([]))), "no binding"),
        right("card-auth-schemes", c(), v1_0(linked(SCHEME, json!("bearer")))),
        wrong("card-auth-schemes", c(), v1_0(linked(SCHEME, json!("jwt"))), "not in the IANA registry"),
        wrong("card-auth-schemes", c(), v1_0(linked(&SCHEME.replace("main", "a~0b"), json!("jwt"))), "not in the IANA"),
        unseen("card-auth-schemes", c(), v1_0(card()), "no scheme of HTTP authentication"),
        right("card-oauth", c(), v1_0(oauth("https://login.example/", "authorizationCode"))),
        // A server of this machine is one for tests.
        right("card-oauth", c(), v1_0(oauth("http://localhost:9000/", "deviceCode"))),
        wrong("card-oauth", c(), v1_0(oauth("http://login.example/", "deviceCode")), "fetched without TLS"),
        wrong("card-oauth", c(), v1_0(oauth("https://login.example/", "implicit")), "deprecated"),
        wrong("card-oauth", c(), v1_0(oauth("https://login.example/", "password")), "deprecated"),
        unseen("card-oauth", c(), v1_0(card()), "no flow of OAuth 2.0"),
        right("card-max-age", c(), cached("public, Max-Age=\"60\"")),
        right("card-max-age", c(), cached("max-age=60 , public")),
        wrong("card-max-age", c(), cached("no-store, s-maxage=60"), "the card has no Cache-Control with max-age"),
        wrong("card-max-age", c(), v1_0(card()), "the card has no Cache-Control with max-age"),
        right("card-json-text", c(), v1_0(card())),
        wrong("card-json-text", c(), gone(v1_0(card())), "not JSON"),
        wrong(
            "card-json-text",
            c(),
            v1_0(card()).but(|draft| draft.body.splice(0..0, *b"\xEF\xBB\xBF").for_each(drop)),
            "not JSON",
        ),
    ]
}

#[test]
fn cards_are_judged() {
    hold(&rows());
}
