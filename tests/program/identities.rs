//! What a card demands, and whether a run brings it.

use std::net::Ipv4Addr;

use a2a_reference_agent::Config;
use axum::body::Body;
use serde_json::{Value, json};

use super::agent::Agent;
use super::program;
use super::proxy::{reference_agent, unchanged};

/// The reference agent with a card that demands a key in the query of each request.
fn agent() -> Agent {
    reference_agent(|asked, answer| match serde_json::from_slice::<Value>(answer.body()) {
        Ok(mut card) if !asked.is_call() => {
            let key = json!({ "apiKeySecurityScheme": { "location": "query", "name": "api_key" } });
            card["securitySchemes"] = json!({ "k": key });
            card["securityRequirements"] = json!([{ "schemes": { "k": { "list": [] } } }]);
            answer.map(|_| Body::from(card.to_string()))
        }
        _ => unchanged(answer),
    })
}

const TARGET: [&str; 4] = ["--profile", "1.0", "--binding", "jsonrpc"];
const KEY: [&str; 4] = ["--identity", "me=query api_key: env:A2ASPEC_TEST_KEY", "--as", "me"];

#[test]
fn what_a_card_demands_is_said_before_the_run() {
    let agent = agent();
    let check = |flags: &[&str]| {
        let arguments = [&["check", &agent.url, "--only", "get/existing"], &TARGET[..], flags].concat();
        let ran = program::run(&arguments, &[("A2ASPEC_TEST_KEY", "k3y")]);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        ran.stderr
    };
    let missing = "note: the card demands credentials that the run does not bring: k (API key in query api_key), \
                   with --identity 'me=query api_key: env:VARIABLE' --as me\n";
    let said = check(&[]);
    assert!(said.contains(missing), "{said}");
    let said = check(&KEY);
    assert!(!said.contains("demands"), "{said}");
}

#[test]
fn the_doctor_says_what_is_brought_and_what_a_second_identity_would_unlock() {
    let agent = agent();
    let arguments = [&["doctor", &agent.url], &TARGET[..], &KEY].concat();
    let ran = program::run(&arguments, &[("A2ASPEC_TEST_KEY", "k3y")]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let told: Vec<&str> = ran.stdout.lines().skip_while(|line| *line != "credentials").skip(1).take(3).collect();
    let wanted = [
        "  scheme k               API key in query api_key, demanded in 1.0; credentials given",
        "  own identity           api_key in the query",
        "  other identity         none; add one with --other to check that callers are isolated",
    ];
    for (line, wanted) in told.iter().zip(wanted) {
        assert!(line.starts_with(wanted), "{line}");
    }
    assert_eq!(told.len(), wanted.len(), "{}", ran.stdout);
}

#[test]
fn over_grpc_a_key_in_the_query_is_said_to_go_nowhere() {
    let arguments = [&["check", "--self", "--profile", "1.0", "--binding", "grpc", "--only", "get/existing"], &KEY[..]];
    let ran = program::run(&arguments.concat(), &[("A2ASPEC_TEST_KEY", "k3y")]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let wanted = "gRPC has no query: what the run brings there is not sent (api_key)\n";
    assert!(ran.stderr.contains(wanted), "{}", ran.stderr);
}

/// The reference agent with users, one of whom has a token that has expired; a run says which token that is, or does not.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn credentials_that_are_no_good_are_tried_where_the_user_has_some() {
    let users = ["ann=g00d", "bob=f1ne", "ann=0ld:expired"].map(|user| user.parse().unwrap()).to_vec();
    let config = Config { users, ..Config::default() };
    let agent = a2a_reference_agent::start(config, (Ipv4Addr::LOCALHOST, 0).into()).await.unwrap();
    let url = agent.url().to_owned();
    tokio::task::spawn_blocking(move || {
        let check = |flags: &[&str]| {
            let own =
                ["--bearer", "env:GOOD", "--report", "json", "--only", "security/expired", "--only", "security/narrow"];
            let arguments = [&["check", &url], &TARGET[..], &own, flags].concat();
            let ran = program::run(&arguments, &[("GOOD", "g00d"), ("OLD", "0ld"), ("FINE", "f1ne")]);
            let report: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
            let results = report["results"].as_array().unwrap().clone();
            let told = |result: &Value| format!("{} {} {}", result["case"], result["verdict"], result["reason"]);
            (ran.code, results.iter().map(told).collect::<Vec<_>>(), report)
        };
        let (code, told, _) = check(&[]);
        assert_eq!(code, 0, "{told:?}");
        assert!(
            told.iter().all(|told| told.contains("skipped") && told.contains("needs an identity with role")),
            "{told:?}"
        );
        let (code, told, report) = check(&["--identity", "old=bearer:env:OLD", "--identity", "old=role:expired"]);
        assert_eq!(code, 0, "{told:?}");
        assert!(told.iter().any(|told| told.starts_with("\"security/expired\" \"pass\"")), "{told:?}");
        assert_eq!(report["security"]["identities"][1]["caller"], "expired", "{}", report["security"]);
        // What the agent accepts has not expired.
        let (code, told, report) = check(&["--identity", "old=bearer:env:FINE", "--identity", "old=role:expired"]);
        assert_eq!(code, 1, "{told:?}");
        let command = report["cases"][0]["rerun"][0]["command"].as_str().unwrap();
        assert!(command.contains("--identity old=bearer:env:FINE --identity old=role:expired"), "{command}");
    })
    .await
    .unwrap();
    agent.stop().await;
}
