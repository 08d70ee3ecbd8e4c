//! Cards that claim what the agent does not speak, or claim nothing.

use std::net::{Ipv4Addr, SocketAddr};

use a2a_reference_agent::{Config, RunningAgent};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};

use super::agent::Agent;
use super::program::{self, Folder};

/// What a run says of an agent whose card is this one, as a JSON report and what is said beside it.
fn check(card: &Value, flags: &[&str]) -> (Value, String) {
    let folder = Folder::new();
    let file = folder.write("card.json", &card.to_string());
    let url = card["url"].as_str().or(card["supportedInterfaces"][0]["url"].as_str()).unwrap().to_owned();
    let mut arguments = vec![
        "check",
        &url,
        "--card",
        &file,
        "--report",
        "json",
        "--only",
        "version/as-claimed",
        "--only",
        "get/existing",
    ];
    arguments.extend(flags);
    let ran = program::run(&arguments, &[]);
    let report = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr));
    (report, ran.stderr)
}

/// Case, profile and verdict of each result.
fn results(report: &Value) -> Vec<[String; 3]> {
    let results = report["results"].as_array().unwrap();
    let row = |result: &Value| ["case", "profile", "verdict"].map(|name| result[name].as_str().unwrap().to_owned());
    let mut rows: Vec<[String; 3]> = results.iter().map(row).collect();
    rows.sort();
    rows
}

/// Version as the card says it, profile, and note of each interface.
fn interfaces(report: &Value) -> Vec<[&str; 3]> {
    let interfaces = report["target"]["interfaces"].as_array().unwrap();
    interfaces
        .iter()
        .map(|one| ["version", "profile", "note"].map(|name| one[name].as_str().unwrap_or_default()))
        .collect()
}

/// The JSON-RPC address of an agent's version with a card of its own.
fn address(agent: &RunningAgent, version: &str) -> String {
    let bases = agent.bases();
    let (_, base) = bases.iter().find(|(name, _)| *name == version).unwrap();
    format!("{base}/a2a")
}

fn with_agent(test: impl FnOnce(&RunningAgent)) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let agent = runtime.block_on(a2a_reference_agent::start(Config::default(), address)).unwrap();
    test(&agent);
    runtime.block_on(agent.stop());
}

fn skills() -> Value {
    json!([{ "id": "s", "name": "s", "description": "s", "tags": ["s"] }])
}

#[test]
fn a_false_claim_is_a_finding_and_the_agent_is_judged_by_what_it_speaks() {
    with_agent(|agent| {
        let card = json!({
            "name": "a", "description": "a", "version": "1", "capabilities": {}, "skills": skills(),
            "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
            "supportedInterfaces": [
                { "url": address(agent, "0.2.5"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
            ],
        });
        let (report, said) = check(&card, &[]);
        assert_eq!(
            interfaces(&report),
            [
                ["1.0", "1.0", "the claim is false: it does not know the methods of A2A 1.0"],
                ["0.2.5", "0.2.5", "found out by asking: the card does not say so"],
            ]
        );
        let expected = [
            ["get/existing", "0.2.5", "pass"],
            ["version/as-claimed", "0.2.5", "pass"],
            ["version/as-claimed", "1.0", "fail"],
        ];
        assert_eq!(results(&report), expected);
        let finding = report["results"]
            .as_array()
            .unwrap()
            .iter()
            .find_map(|result| result["findings"][0]["message"].as_str())
            .unwrap();
        assert_eq!(finding, "the card declares A2A 1.0, and the interface speaks A2A 0.2.5 (SendMessage)");
        assert!(said.contains("the claim is false"), "{said}");
        let (report, _) = check(&card, &["--profile", "0.2.1"]);
        // The card does not claim the version that the user requests.
        assert_eq!(results(&report), [["get/existing", "0.2.1", "pass"]]);
    });
}

#[test]
fn a_card_that_says_no_version_is_one_of_the_versions_that_need_none() {
    with_agent(|agent| {
        let card = json!({
            "name": "a", "description": "a", "version": "1", "capabilities": {}, "skills": skills(),
            "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
            "url": address(agent, "0.2.5"),
        });
        let (report, _) = check(&card, &[]);
        assert_eq!(interfaces(&report), [["0.2.5", "0.2.5", "the card does not say its version"]]);
        assert_eq!(results(&report), [["get/existing", "0.2.5", "pass"], ["version/as-claimed", "0.2.5", "pass"]]);
    });
}

/// Release 0.2.6 has HTTP+JSON and gRPC as 0.3 has them, and its card is one of 0.2.5.
#[test]
fn a_release_between_two_versions_has_bindings_of_the_later_one() {
    with_agent(|agent| {
        let host = agent.url().trim_start_matches("http://");
        let more = [(format!("{}/rest", agent.url()), "HTTP+JSON"), (host.to_owned(), "GRPC")];
        let more = more.map(|(url, transport)| json!({ "url": url, "transport": transport }));
        let card = json!({
            "protocolVersion": "0.2.6", "name": "a", "description": "a", "version": "1", "capabilities": {},
            "skills": skills(), "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
            "url": address(agent, "0.2.5"), "preferredTransport": "JSONRPC", "additionalInterfaces": more,
            "supportsAuthenticatedExtendedCard": true,
        });
        let (report, _) = check(&card, &["--only", "card/*", "--only", "capabilities/extended-card*"]);
        let profiles: Vec<&str> = interfaces(&report).iter().map(|[_, profile, _]| *profile).collect();
        assert_eq!(profiles, ["0.2.5", "0.3", "0.3"]);
        let results = results(&report);
        let read =
            results.iter().filter(|[case, ..]| case == "get/existing").map(|[_, profile, verdict]| [profile, verdict]);
        assert!(read.eq([["0.2.5", "pass"], ["0.3", "pass"], ["0.3", "pass"]]), "{results:?}");
        assert!(results.iter().all(|[.., verdict]| verdict != "fail" && verdict != "warn"), "{results:?}");
        let of_the_card = |known: &str| results.iter().find(|[case, profile, _]| case == known && profile == "0.3");
        assert_eq!(of_the_card("card/valid").map(|[.., verdict]| verdict.as_str()), Some("skipped"));
    });
}

/// What the first servers of A2A say: what they cannot read is an invalid request, be it for its method or its parameters.
async fn invalid_or_not_found(Json(request): Json<Value>) -> Json<Value> {
    let params = &request["params"];
    let code = match request["method"].as_str() {
        Some("tasks/get") if params["id"].is_string() => -32001,
        Some("tasks/pushNotification/get") if params["id"].is_string() => -32003,
        _ => -32600,
    };
    Json(json!({ "jsonrpc": "2.0", "id": request["id"], "error": { "code": code, "message": "no" } }))
}

#[test]
fn a_method_that_two_families_have_proves_neither() {
    let agent = Agent::serve(|_| async { Router::new().route("/", post(invalid_or_not_found)) });
    let card = json!({
        "name": "a", "description": "a", "version": "1", "capabilities": {}, "skills": skills(),
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "url": agent.url,
    });
    let (report, _) = check(&card, &["--fail-on", "never"]);
    assert_eq!(interfaces(&report), [["0.1", "0.1", "found out by asking: the card does not say so"]]);
}

/// An agent of 0.3 that has one error for whatever it does not serve, with a text that says what.
async fn one_error(Json(request): Json<Value>) -> Json<Value> {
    let method = request["method"].as_str().unwrap_or_default();
    let known = ["tasks/get", "message/send", "tasks/pushNotificationConfig/get"].contains(&method);
    let text = if known { "nothing of that id or form".to_owned() } else { format!("cannot do {method}") };
    Json(json!({ "jsonrpc": "2.0", "id": request["id"], "error": { "code": -32603, "message": text } }))
}

/// What an agent says of a method that no version has tells its methods from others, whatever its codes.
#[test]
fn an_agent_with_one_error_for_everything_is_known_by_what_differs() {
    let agent = Agent::serve(|_| async { Router::new().route("/", post(one_error)) });
    let card = json!({
        "name": "a", "description": "a", "version": "1", "capabilities": {}, "skills": skills(),
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "supportedInterfaces": [{ "url": agent.url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }],
    });
    let (report, _) = check(&card, &["--fail-on", "never"]);
    let [claimed, spoken] = interfaces(&report)[..] else { panic!("{:?}", interfaces(&report)) };
    assert_eq!(claimed, ["1.0", "1.0", "the claim is false: it does not know the methods of A2A 1.0"]);
    assert_eq!(spoken[2], "found out by asking: the card does not say so");
    // That it takes no message at all says nothing about its version.
    let claim = |profile: &str| {
        let found = results(&report).into_iter().find(|row| row[0] == "version/as-claimed" && row[1] == profile);
        found.map(|[_, _, verdict]| verdict)
    };
    assert_eq!((claim("1.0").as_deref(), claim(spoken[1]).as_deref()), (Some("fail"), Some("pass")));
}
