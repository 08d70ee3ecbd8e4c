//! Cards that cannot be used, and cards that can although they are wrong.

use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use serde_json::{Value, json};

use super::agent::{Agent, card, card_of};
use super::{program, says, snapshot};

/// An agent that has this at the place of its card, and nothing else.
fn with_card(content_type: &'static str, body: impl Into<String>) -> Agent {
    let body: String = body.into();
    serve(move |_| (content_type, body))
}

fn serve(card: impl FnOnce(String) -> (&'static str, String) + Send) -> Agent {
    Agent::serve(async move |url| {
        let (content_type, body) = card(url);
        let answer = move || {
            let body = body.clone();
            async move { ([(header::CONTENT_TYPE, content_type)], body).into_response() }
        };
        Router::new().route("/.well-known/agent-card.json", get(answer))
    })
}

#[test]
fn a_card_of_50_mb() {
    let mut card = card("1.0", "http://127.0.0.1:1/");
    card["description"] = Value::from("x".repeat(50_000_000));
    let agent = with_card("application/json", card.to_string());
    assert_eq!(says("card-of-50-mb", &["check", &agent.url]).code, 3);
}

#[test]
fn a_card_that_is_no_object() {
    let agent = with_card("application/json", "[]");
    assert_eq!(says("card-is-a-list", &["check", &agent.url]).code, 3);
}

#[test]
fn a_card_that_is_a_page() {
    let agent = with_card("text/html", "<!doctype html>\n<html><body><h1>Welcome</h1></body></html>\n");
    assert_eq!(says("card-is-a-page", &["check", &agent.url]).code, 3);
}

#[test]
fn a_card_that_is_cut_short() {
    let agent = with_card("application/json", "{\n  \"name\": \"Agent\",\n  \"url\": \"http://\n");
    assert_eq!(says("card-is-cut-short", &["check", &agent.url]).code, 3);
}

#[test]
fn no_card_anywhere() {
    let agent = Agent::serve(async move |_| Router::new().fallback(|| async { StatusCode::NOT_FOUND }));
    assert_eq!(says("no-card", &["check", &agent.url]).code, 3);
    assert_eq!(says("no-card-below-a-path", &["check", &format!("{}/agents/one", agent.url)]).code, 3);
}

#[test]
fn a_card_of_an_unknown_version() {
    let agent = serve(|url| ("application/json", card_of(&[(url, "JSONRPC", "7.2")]).to_string()));
    assert_eq!(
        says("card-of-an-unknown-version", &["check", &agent.url, "--only", "card/versions-major-minor"]).code,
        3
    );
    let agent = serve(|url| ("application/json", card_of(&[(url, "JSONRPC", "v1.0")]).to_string()));
    assert_eq!(
        says("card-of-a-spelled-version", &["check", &agent.url, "--only", "card/versions-major-minor"]).code,
        3
    );
}

#[test]
fn a_card_without_interfaces() {
    let agent = with_card("application/json", json!({ "name": "Agent" }).to_string());
    assert_eq!(says("card-without-interfaces", &["check", &agent.url]).code, 3);
}

#[test]
fn a_card_without_what_is_asked_for() {
    let agent = serve(|url| ("application/json", card("0.3", &url).to_string()));
    let named = ["check", &agent.url, "--profile", "0.3", "--binding", "grpc", "--only", "get/unknown-id"];
    // The URL is checked as the user names it, and shows nothing.
    assert_eq!(says("card-of-another-binding", &named).code, 1);
    let several = ["check", &agent.url, "--profile", "0.3", "--binding", "grpc", "--binding", "http-json"];
    assert_eq!(says("card-of-other-bindings", &several).code, 3);
}

#[test]
fn a_card_file_that_is_not_there() {
    assert_eq!(says("card-file-missing", &["check", "http://127.0.0.1:1", "--card", "no-such-card.json"]).code, 2);
}

/// A card with a violation is no reason not to test what it declares.
#[test]
fn a_card_with_a_violation() {
    let agent = super::proxy::reference_agent(|asked, answer| {
        if asked.is_call() {
            return super::proxy::unchanged(answer);
        }
        let mut card: Value = serde_json::from_slice(answer.body()).unwrap();
        card["skills"][0]["id"] = Value::from(7);
        axum::http::Response::new(axum::body::Body::from(card.to_string()))
    });
    let arguments = ["check", &agent.url, "--profile", "1.0", "--binding", "jsonrpc"];
    let cases = ["--only", "card/valid", "--only", "get/unknown-id"];
    let ran = program::run(&[&arguments[..], &cases].concat(), &[]);
    // The whole card is quoted, which is not of interest here.
    let short: String = ran.stderr.lines().map(|line| line.chars().take(120).collect::<String>() + "\n").collect();
    snapshot::check("card-with-a-violation", &format!("exit code {}\n{short}", ran.code));
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("/skills/0/id"), "{}", ran.stdout);
    assert!(ran.stdout.contains("card/valid"), "{}", ran.stdout);
}
