//! `--profile` and `--binding` with a URL name an interface, whatever the card says.

use axum::Router;
use axum::routing::get;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

use super::agent::{Agent, card_of, reference};
use super::program::{self, Ran};

const FEW: [&str; 6] = ["--only", "get/unknown-id", "--only", "get/existing", "--timeout", "60"];

/// A place for a card.
fn with_card(card: String) -> Agent {
    Agent::serve(async move |_| Router::new().route("/card.json", get(move || std::future::ready(card.clone()))))
}

fn check(url: &str, binding: &str, more: &[&str]) -> Ran {
    let arguments = ["check", url, "--profile", "1.0", "--binding", binding, "--report", "json"];
    program::run(&[&arguments, more, &FEW[..]].concat(), &[])
}

/// URL and note of the interface that was checked.
fn checked(ran: &Ran) -> (String, String) {
    let report: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    let mut interfaces = report["target"]["interfaces"].as_array().unwrap().iter();
    let checked = interfaces.find(|interface| interface.get("skipped").is_none()).unwrap();
    let text = |name: &str| checked[name].as_str().unwrap_or_default().to_owned();
    (text("url"), text("note"))
}

#[test]
fn a_card_that_is_of_no_use() {
    let runtime = Runtime::new().unwrap();
    let agent = runtime.block_on(reference(None));
    let named = format!("{}/1.0", agent.url());
    let other = card_of(&[(format!("{}/rest", agent.url()), "HTTP+JSON", "1.0")]);
    let strange = card_of(&[(agent.url().to_owned(), "WEBSOCKET", "1.0")]);
    let older = card_of(&[(format!("{}/0.3", agent.url()), "JSONRPC", "0.3")]);
    for (card, why) in [
        ("[]".to_owned(), "no usable card: the card at"),
        ("x".repeat(5 << 20), "larger than 4 MiB"),
        ("{".to_owned(), "is not JSON"),
        (json!({ "name": "Agent" }).to_string(), "it declares no interface"),
        (other.to_string(), "it declares HTTP+JSON 1.0 at"),
        (strange.to_string(), "WEBSOCKET is a binding that the suite does not know"),
        (older.to_string(), "it declares JSONRPC 0.3 at"),
    ] {
        let cards = with_card(card);
        let ran = check(&named, "jsonrpc", &["--card", &format!("{}/card.json", cards.url)]);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        let (url, note) = checked(&ran);
        assert_eq!(url, named, "{note}");
        assert!(note.contains(why), "{why}: {note}");
        assert!(ran.stderr.contains(&note), "{}", ran.stderr);
    }
    let ran = check(&named, "jsonrpc", &["--card", "http://127.0.0.1:1/card.json"]);
    assert_eq!((ran.code, checked(&ran).0), (0, named), "{}", ran.stderr);
}

#[test]
fn the_url_of_a_card_in_place_of_the_agents() {
    let runtime = Runtime::new().unwrap();
    let agent = runtime.block_on(reference(None));
    let cards = with_card(card_of(&[(format!("{}/1.0", agent.url()), "JSONRPC", "1.0")]).to_string());
    let card = format!("{}/card.json", cards.url);
    let ran = program::run(&[&["check", &card, "--report", "json"][..], &FEW].concat(), &[]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(checked(&ran).0, format!("{}/1.0", agent.url()));
}

/// A port of gRPC hangs up on HTTP/1.
#[test]
fn a_port_that_speaks_no_http_1() {
    let runtime = Runtime::new().unwrap();
    let agent = runtime.block_on(reference(None));
    let behind = agent.url().trim_start_matches("http://").to_owned();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    runtime.spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let behind = behind.clone();
            tokio::spawn(async move {
                let mut first = [0; 3];
                let _ = client.peek(&mut first).await;
                if &first != b"PRI" {
                    // GOAWAY in the place of a status line.
                    let _ =
                        client.write_all(b"\x00\x00\x08\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01").await;
                    return;
                }
                let mut agent = TcpStream::connect(behind).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut client, &mut agent).await;
            });
        }
    });
    let ran = check(&url, "grpc", &[]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(checked(&ran).1.contains("no usable card: the card at"), "{}", checked(&ran).1);
}

#[test]
fn a_port_where_nothing_listens_has_no_interface_either() {
    let ran = check("http://127.0.0.1:1", "grpc", &[]);
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("cannot be reached: connection refused"), "{}", ran.stderr);
}

/// Who names this instance does not mean that one.
#[test]
fn a_card_that_leads_to_another_instance() {
    let runtime = Runtime::new().unwrap();
    let agent = runtime.block_on(reference(None));
    let named = format!("{}/1.0", agent.url());
    let elsewhere = with_card(card_of(&[("http://agent.invalid/1.0".into(), "JSONRPC", "1.0")]).to_string());
    let ran = check(&named, "jsonrpc", &["--card", &format!("{}/card.json", elsewhere.url)]);
    let (url, note) = checked(&ran);
    assert_eq!((ran.code, &url), (0, &named), "{}", ran.stderr);
    assert!(note.contains("on another host, at http://agent.invalid/1.0"), "{note}");
    assert!(note.contains(&format!("--base-url {}", agent.url())), "{note}");

    // Another port of this machine is where an agent has its other bindings.
    let folder = program::Folder::new();
    let near = folder.write("card.json", &card_of(&[(named.clone(), "JSONRPC", "1.0")]).to_string());
    let ran = check(&elsewhere.url, "jsonrpc", &["--card", &near]);
    let (url, note) = checked(&ran);
    assert_eq!((ran.code, &url), (0, &named), "{}", ran.stderr);
    assert!(note.contains(&format!("to check it there: --base-url {}", elsewhere.url)), "{note}");
}

/// What no card says is neither used nor refused.
#[test]
fn an_agent_without_a_card_owes_no_refusal() {
    let runtime = Runtime::new().unwrap();
    let agent = runtime.block_on(reference(None));
    let named = format!("{}/1.0", agent.url());
    let arguments = ["check", &named, "--card", &format!("{named}/none"), "--profile", "1.0", "--binding", "jsonrpc"];
    let ran = program::run(&[&arguments[..], &["--only", "capabilities/*", "--report", "json"]].concat(), &[]);
    let report: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    let results = report["results"].as_array().unwrap();
    assert!(results.iter().any(|result| result["reason"].as_str().is_some_and(|why| why.contains("no card declares"))));
    assert!(results.iter().all(|result| result["verdict"] != "fail"), "{report:#}");
}

/// The command lines by which the report says to run cases again.
fn again(ran: &Ran) -> Vec<String> {
    let report: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    let cases = report["cases"].as_array().unwrap().iter();
    cases
        .flat_map(|case| case["rerun"].as_array().unwrap())
        .map(|line| line["command"].as_str().unwrap().to_owned())
        .collect()
}

/// Version and binding in such a line name what is at its URL, which so must be the interface's where the card's is not meant.
#[test]
fn a_case_is_run_again_at_the_same_interface() {
    let elsewhere = with_card(card_of(&[("http://agent.invalid/1.0".into(), "JSONRPC", "1.0")]).to_string());
    let card = format!("{}/card.json", elsewhere.url);
    let flags = ["--card", &card, "--header", "X-Key: k3y-of-mine", "--report", "json"];
    let ran = program::run(&[&["check", &elsewhere.url], &flags[..], &FEW[..2]].concat(), &[]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    // What was not sent there is not sent there the next time, either.
    let wanted = format!(
        "a2aspec check http://agent.invalid/1.0 --card {card} --only get/unknown-id --profile 1.0 --binding jsonrpc"
    );
    assert_eq!(again(&ran), [wanted]);

    // A version that the card does not say, found out by asking.
    let runtime = Runtime::new().unwrap();
    let agent = runtime.block_on(reference(None));
    let spoken = format!("{}/0.2.5/a2a", agent.url());
    let wrong = with_card(card_of(&[(spoken.clone(), "JSONRPC", "1.0")]).to_string());
    let card = format!("{}/card.json", wrong.url);
    let flags = ["--card", &card, "--report", "json", "--only", "get/existing"];
    let ran = program::run(&[&["check", &wrong.url], &flags[..], &["--max-messages", "0"]].concat(), &[]);
    let lines = again(&ran);
    let line = format!("a2aspec check {spoken} --card {card} --only get/existing --profile 0.2.5 --binding jsonrpc");
    assert_eq!(lines, [line], "{}", ran.stderr);
    let words: Vec<&str> = lines[0].split(' ').skip(1).chain(["--report", "json"]).collect();
    let ran = program::run(&words, &[]);
    assert_eq!((ran.code, checked(&ran).0), (0, spoken), "{}", ran.stderr);
}

/// The user asks how far an agent of another version is from 1.0: the card does not claim 1.0, and so violates no claim.
#[test]
fn a_version_that_only_the_user_requests_is_no_claim_of_the_card() {
    let runtime = Runtime::new().unwrap();
    let agent = runtime.block_on(reference(None));
    let older = with_card(card_of(&[(format!("{}/0.3", agent.url()), "JSONRPC", "0.3")]).to_string());
    let card = format!("{}/card.json", older.url);
    let only = ["--only", "version/as-claimed", "--only", "send/*"];
    let check = ["check", agent.url(), "--card", &card, "--profile", "1.0", "--report", "json"];
    let ran = program::run(&[&check[..], &only].concat(), &[]);
    let report: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    let results = report["results"].as_array().unwrap();
    let of = |case: &str| results.iter().find(|result| result["case"] == case).map(|result| &result["verdict"]);
    assert_eq!((of("version/as-claimed"), of("send/task-or-message")), (None, Some(&json!("fail"))), "{}", ran.stdout);
    assert!(checked(&ran).1.contains("as requested; the card declares another version"), "{}", ran.stderr);
}
