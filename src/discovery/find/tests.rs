use serde_json::json;

use super::*;
use crate::auth::Credentials;
use crate::transport::Dialing;
use crate::transport::http::Settings;

fn at_the_usual_place(card: &Value) -> Found {
    let place = "http://agent.example/.well-known/agent.json";
    Found { place: CardPlace::Url(place.to_owned()), shown: place.to_owned(), document: Document::of_value(card) }
}

/// The versions and bindings of the interfaces that can be checked of an agent with this card.
fn found(card: &Value, wanted: &[&str]) -> Vec<String> {
    let profiles = crate::profile::bundled().unwrap();
    let url = Url::parse("http://agent.example/").unwrap();
    let wanted: Vec<String> = wanted.iter().map(|name| (*name).to_owned()).collect();
    let wanted = Wanted { profiles: &wanted, tenant: None, bases: &Bases::default(), guard: Guard::default() };
    let found = read(&url, &at_the_usual_place(card), &profiles, wanted, &Refused::default());
    let spell = |interface: &Interface| format!("{} {}", interface.profile.name(), interface.binding);
    found.agent.checked().map(|(_, interface)| spell(interface)).collect()
}

/// A card that is right in 0.2 and names no version.
fn unsaid() -> Value {
    json!({
        "name": "a", "description": "a", "version": "1", "url": "http://agent.example/a2a", "capabilities": {},
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["image/png"], "skills": [],
    })
}

fn with(name: &str, value: Value) -> Value {
    let mut card = unsaid();
    card.as_object_mut().unwrap().insert(name.to_owned(), value);
    card
}

#[test]
fn a_card_without_a_version_is_of_the_one_that_it_looks_like_or_that_is_wanted() {
    assert_eq!(found(&unsaid(), &[]), ["0.2.5 jsonrpc"]);
    assert_eq!(found(&unsaid(), &["0.2.1"]), ["0.2.1 jsonrpc"]);
    assert_eq!(found(&unsaid(), &["1.0"]), [""; 0]);
    let interfaces = json!([{ "url": "http://agent.example/a2a", "transport": "JSONRPC" }]);
    assert_eq!(found(&with("additionalInterfaces", interfaces), &[]), ["0.2.5 jsonrpc"]);
    assert_eq!(found(&with("authentication", json!({ "schemes": ["Bearer"] })), &[]), ["0.1 jsonrpc"]);
    assert_eq!(found(&with("securitySchemes", json!({})), &["proposal"]), ["proposal jsonrpc"]);
}

/// As the package fasta2a 0.2.3 writes it, which speaks the first family: without what that family requires, and with
/// names of members that no version has.
#[test]
fn a_card_that_no_version_allows_is_of_the_one_that_it_breaks_least() {
    let card = json!({
        "name": "Agent", "url": "http://agent.example/", "version": "1.0.0", "skills": [],
        "default_input_modes": ["application/json"], "default_output_modes": ["application/json"],
    });
    assert_eq!(found(&card, &[]), ["0.1 jsonrpc"]);
}

/// The interfaces of a card of 1.0, each with its tenant: their titles, with why they are not checked, and the tenants beside.
fn of_tenants(tenants: &[&str], wanted: Option<&str>) -> Vec<(String, Vec<String>)> {
    let profiles = crate::profile::bundled().unwrap();
    let url = Url::parse("http://agent.example/").unwrap();
    let interface = |tenant: &&str| {
        json!({
            "url": "http://agent.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0", "tenant": tenant,
        })
    };
    let card = json!({ "supportedInterfaces": tenants.iter().map(interface).collect::<Vec<_>>() });
    let wanted = Wanted { profiles: &[], tenant: wanted, bases: &Bases::default(), guard: Guard::default() };
    let found = read(&url, &at_the_usual_place(&card), &profiles, wanted, &Refused::default());
    let told = |listed: &Listed| {
        let why = listed.info.skipped.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        let beside = listed.interface.as_ref().map(|interface| interface.tenants.clone()).unwrap_or_default();
        (format!("{}{why}", listed.info.title()), beside)
    };
    found.agent.interfaces.iter().map(told).collect()
}

#[test]
fn interfaces_are_told_apart_by_their_tenants() {
    let (there, twin) = ("JSONRPC 1.0 at http://agent.example/a2a", "is checked for the same version and binding");
    let both = vec!["a".to_owned(), "b".to_owned()];
    assert_eq!(
        of_tenants(&["", "a", "b"], None),
        [
            (there.to_owned(), both.clone()),
            (format!("{there} for the tenant a: http://agent.example/a2a {twin}; --tenant a checks this one"), vec![]),
            (format!("{there} for the tenant b: http://agent.example/a2a {twin}; --tenant b checks this one"), vec![]),
        ]
    );
    let left_out = format!("{there} for the tenant a: {OTHER_TENANT}");
    assert_eq!(of_tenants(&["a", "b"], Some("b")), [(left_out, vec![]), (format!("{there} for the tenant b"), both)]);
}

#[test]
fn a_version_that_a_card_says_is_the_one() {
    let of = |version: &str| json!({ "url": "http://agent.example/a2a", "protocolVersion": version });
    for (version, profile) in [
        ("0.2.0", "0.2.1"),
        ("0.2.1", "0.2.1"),
        ("0.2.3", "0.2.1"),
        ("0.2.4", "0.2.5"),
        ("0.2.5", "0.2.5"),
        ("0.2.9", "0.2.5"),
        ("0.3.0", "0.3"),
    ] {
        assert_eq!(found(&of(version), &[]), [format!("{profile} jsonrpc")], "{version}");
    }
    assert_eq!(found(&of("7.0"), &[]), ["0.3 jsonrpc"]);
    assert_eq!(found(&of("latest"), &[]).len(), 1);
}

/// Release 0.2.6 has bindings as 0.3 has them.
#[test]
fn a_release_has_the_bindings_of_its_text() {
    let of = |version: &str| {
        let interface = |transport| json!({ "url": "http://agent.example/other", "transport": transport });
        json!({
            "url": "http://agent.example/a2a", "protocolVersion": version,
            "additionalInterfaces": [interface("HTTP+JSON"), interface("GRPC"), interface("JSONRPC")],
        })
    };
    let later = ["0.2.5 jsonrpc", "0.3 http-json", "0.3 grpc"];
    assert_eq!(found(&of("0.2.6"), &[]), later);
    assert_eq!(found(&of("0.2.9"), &[]), later);
    assert_eq!(found(&of("0.2.5"), &[]), ["0.2.5 jsonrpc"]);
    assert_eq!(found(&of("0.2.4"), &[]), ["0.2.5 jsonrpc"]);
}

/// A card that names a developer's machine first and the public one after it can be checked at the latter.
#[tokio::test]
async fn another_interface_is_checked_in_place_of_a_private_one() {
    let profiles = crate::profile::bundled().unwrap();
    let settings = Settings { credentials: Credentials::default(), timeout: std::time::Duration::from_secs(5) };
    let http = Http::dialing(Dialing::default(), settings).unwrap();
    let url = Url::parse("https://93.184.216.34/").unwrap();
    let private = (0..6).map(|last| format!("http://10.0.0.{last}/"));
    for (before, is_checked) in [(2, true), (6, false)] {
        let urls = private.clone().take(before).chain(["https://93.184.216.35/".to_owned()]);
        let interface = |url| json!({ "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" });
        let card = json!({ "supportedInterfaces": urls.map(interface).collect::<Vec<_>>() });
        let wanted = Wanted { profiles: &[], tenant: None, bases: &Bases::default(), guard: Guard::default() };
        let home = Home::of(&http, &url).await;
        let found = without_private(&http, &home, &at_the_usual_place(&card), &profiles, wanted).await;
        let checked: Vec<_> = found.agent.checked().map(|(_, interface)| interface.url.clone()).collect();
        let wanted = if is_checked { vec!["https://93.184.216.35/".to_owned()] } else { Vec::new() };
        assert_eq!(checked, wanted);
        assert_eq!(found.only_public, Some(BTreeSet::new()));
    }
}

#[test]
fn a_release_owes_the_operations_that_it_has() {
    let profiles = crate::profile::bundled().unwrap();
    let url = Url::parse("http://agent.example/").unwrap();
    let lacks = |card: &Value| {
        let wanted = Wanted { profiles: &[], tenant: None, bases: &Bases::default(), guard: Guard::default() };
        let found = read(&url, &at_the_usual_place(card), &profiles, wanted, &Refused::default());
        let (_, interface) = found.agent.checked().next().unwrap();
        interface.lacks.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let said = |version: &str| {
        let mut card = unsaid();
        card["protocolVersion"] = json!(version);
        card
    };
    let both = ["ListTaskPushNotificationConfigs", "DeleteTaskPushNotificationConfig"];
    for card in [said("0.2.4"), unsaid()] {
        let lacks = lacks(&card);
        assert!(lacks.len() == 2 && both.iter().all(|name| lacks.iter().any(|known| known == name)), "{lacks:?}");
    }
    assert_eq!(lacks(&said("0.2.5")), [""; 0]);
    assert_eq!(lacks(&said("0.2.6")), ["GetExtendedAgentCard"]);
}

#[test]
fn what_an_agent_takes_is_what_its_requests_name() {
    let profiles = crate::profile::bundled().unwrap();
    let url = Url::parse("http://agent.example/").unwrap();
    let wanted = Wanted { profiles: &[], tenant: None, bases: &Bases::default(), guard: Guard::default() };
    let found = read(&url, &at_the_usual_place(&unsaid()), &profiles, wanted, &Refused::default());
    let (_, interface) = found.agent.checked().next().unwrap();
    let dialect = &interface.dialect;
    let sent = dialect.to_wire("SendMessageConfiguration", &json!({ "returnImmediately": true }));
    assert_eq!(sent, json!({ "blocking": false, "acceptedOutputModes": ["image/png"] }));
}
