//! `a2aspec card`: what is wrong with a card, and its signatures.

use std::net::Ipv4Addr;

use a2a_reference_agent::{Config, Fault};
use a2aspec::signature::{Signer, jcs};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::agent::reference;
use super::vectors::vectors;
use super::{program, snapshot};

/// The key of RFC 8037 appendix A.1; whoever has `d` can sign with it.
fn key() -> Value {
    json!({
        "kty": "OKP", "crv": "Ed25519", "kid": "team", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
        "d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
    })
}

fn card() -> Value {
    json!({
        "name": "Agent", "description": "", "version": "1", "x-own": true,
        "supportedInterfaces": [
            { "url": "https://agent.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
        ],
        "capabilities": { "streaming": false, "extensions": [] },
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "a", "name": "a", "description": "a", "tags": ["t"] }],
    })
}

fn write(folder: &program::Folder, name: &str, value: &Value) -> String {
    let file = folder.file(name);
    std::fs::write(&file, value.to_string()).unwrap();
    file
}

/// What a command says, with its code; the folder has another name each time.
fn said(arguments: &[&str], folder: &program::Folder) -> String {
    let ran = program::run(arguments, &[]);
    let all = format!("exit {}\n{}{}", ran.code, ran.stdout, ran.stderr);
    all.replace(&folder.file(""), "")
}

/// A card is held against what clients had before: the same card, one with more, one with less, and a file that is no lock.
#[test]
fn what_clients_lose_is_named() {
    let folder = program::Folder::new();
    let lock = program::run(&["card", "lock", &write(&folder, "card.json", &card())], &[]);
    assert_eq!((lock.code, lock.stderr.as_str()), (0, ""));
    let schema: Value = serde_json::from_str(&program::run(&["schema", "lock"], &[]).stdout).unwrap();
    let lock: Value = serde_json::from_str(&lock.stdout).unwrap();
    assert!(jsonschema::is_valid(&schema, &lock), "{lock:#}");
    let lock = write(&folder, "card.lock.json", &lock);
    let (mut more, mut less) = (card(), card());
    more["capabilities"]["streaming"] = json!(true);
    less["supportedInterfaces"][0]["url"] = json!("https://agent.example/other");
    less["skills"] = json!([]);
    let mut all = String::new();
    for (name, value) in [("card.json", card()), ("more.json", more), ("less.json", less)] {
        all.push_str(&said(&["card", "verify", &write(&folder, name, &value), "--lock", &lock], &folder));
    }
    let card = folder.file("card.json");
    all.push_str(&said(&["card", "verify", &card, "--lock", &card], &folder));
    snapshot::check("card-lock", &all);
}

/// A check fails for what clients lose, whatever the results of its cases are.
#[tokio::test(flavor = "multi_thread")]
async fn a_check_holds_the_card_against_a_lock() {
    let folder = program::Folder::new();
    let agent = reference(None).await;
    let url = agent.url();
    let lock = program::run(&["card", "lock", url], &[]).stdout;
    let kept = folder.write("kept.json", &lock);
    let mut lock: Value = serde_json::from_str(&lock).unwrap();
    lock["skills"]["translate"] = json!({ "input": [], "output": [] });
    let lost = write(&folder, "lost.json", &lock);
    let settings = folder.write(
        "a2aspec.toml",
        &format!("url = {url:?}\nlock = {lost:?}\nprofile = [\"1.0\"]\nonly = [\"get/unknown-id\"]\n"),
    );
    let check = |lock: &str| {
        let shown =
            ["--report", "terminal", "--report", &format!("json={}", folder.file("report.json"))].map(str::to_owned);
        let arguments =
            ["check", url, "--profile", "1.0", "--only", "get/unknown-id", "--lock", lock].map(str::to_owned);
        let arguments: Vec<String> = arguments.into_iter().chain(shown).collect();
        program::run(&arguments.iter().map(String::as_str).collect::<Vec<_>>(), &[])
    };
    let ran = check(&kept);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("clients lose nothing that "), "{}", ran.stdout);
    let ran = check(&lost);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("  the skill \"translate\" is gone\n"), "{}", ran.stdout);
    let report: Value = serde_json::from_slice(&std::fs::read(folder.file("report.json")).unwrap()).unwrap();
    assert_eq!(report["lock"], json!({ "file": lost, "lost": ["the skill \"translate\" is gone"] }));
    assert_eq!((&report["gate"]["outcome"], &report["summary"]["must"]["fail"]), (&json!("fails"), &json!(0)));
    let ran = program::run(&["check", "--config", &settings], &[]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let ran = check(&settings);
    assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("is no lock of a card: "), "{}", ran.stderr);
    agent.stop().await;
}

/// Two agents with one skill and one address, two cards of one agent, and what is no card.
#[test]
fn conflicts_between_cards_are_named() {
    let folder = program::Folder::new();
    let named = |name: &str, skill: &str, url: &str| {
        let mut card = card();
        card["name"] = json!(name);
        card["skills"][0]["id"] = json!(skill);
        card["supportedInterfaces"][0]["url"] = json!(url);
        card
    };
    let (one, other) = ("https://agent.example/one", "https://agent.example/other");
    write(&folder, "billing.json", &named("Billing", "pay", one));
    write(&folder, "billing-old.json", &named("Billing", "pay", one));
    let all = said(&["card", "lint", folder.path().to_str().unwrap()], &folder);
    assert!(all.starts_with("exit 0\n") && all.ends_with("2 cards: 0 conflicts\n"), "{all}");
    write(&folder, "search.json", &named("Search", "find", one));
    write(&folder, "shop.json", &named("Shop", "pay", other));
    folder.write("package.json", "{}");
    folder.write("notes.md", "# Notes");
    snapshot::check("card-fleet", &said(&["card", "lint", folder.path().to_str().unwrap()], &folder));
    let (billing, shop) = (folder.file("billing.json"), folder.file("shop.json"));
    let two = said(&["card", "lint", &billing, &shop], &folder);
    assert!(two.starts_with("exit 1\n") && two.ends_with("2 cards: 1 conflict\n"), "{two}");
    let empty = program::Folder::new();
    let none = said(&["card", "lint", empty.path().to_str().unwrap()], &empty);
    assert!(none.starts_with("exit 2\n") && none.contains("has no card"), "{none}");
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_that_cannot_be_reached_are_named() {
    let folder = program::Folder::new();
    let agent = reference(None).await;
    let there = program::run(&["card", "lint", agent.url(), "--connect"], &[]);
    assert_eq!(there.code, 0, "{}{}", there.stdout, there.stderr);
    assert!(there.stdout.ends_with("1 card: 0 conflicts and 0 addresses that cannot be reached\n"), "{}", there.stdout);
    agent.stop().await;
    // It is held, so that no other program gets it, and nothing listens there.
    let held = tokio::net::TcpSocket::new_v4().unwrap();
    held.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let nowhere = format!("http://{}", held.local_addr().unwrap());
    let mut card = card();
    card["supportedInterfaces"][0]["url"] = json!(format!("{nowhere}/rpc"));
    let gone = said(&["card", "lint", &write(&folder, "card.json", &card), "--connect"], &folder);
    assert!(gone.starts_with("exit 1\n"), "{gone}");
    let line = format!("UNREACHABLE {nowhere} (card.json): connection refused\n");
    assert!(gone.contains(&line) && gone.ends_with("1 address that cannot be reached\n"), "{gone}");
}

/// Signatures count as before, and a key that signs no more is a loss.
#[test]
fn a_lock_of_a_signed_card_wants_its_key() {
    let folder = program::Folder::new();
    let (file, private) = (write(&folder, "card.json", &card()), write(&folder, "key.json", &key()));
    let sign = |kid: &str| program::run(&["card", "sign", &file, "--key", &private, "--kid", kid], &[]).stdout;
    let [signed, other] = [("signed.json", "team"), ("other.json", "new")].map(|(name, kid)| {
        let path = folder.file(name);
        std::fs::write(&path, sign(kid)).unwrap();
        path
    });
    let lock = folder.file("card.lock.json");
    std::fs::write(&lock, program::run(&["card", "lock", &signed], &[]).stdout).unwrap();
    let verify = |card: &str| program::run(&["card", "verify", card, "--key", &private, "--lock", &lock], &[]);
    assert_eq!(verify(&signed).code, 0);
    let refused = verify(&other);
    assert_eq!(refused.code, 1);
    assert!(refused.stdout.contains("the card is no longer signed by the key \"team\""), "{}", refused.stdout);
    assert_eq!(verify(&file).code, 1);
}

#[test]
fn a_card_is_signed_and_verified() {
    let folder = program::Folder::new();
    let (card_file, private) = (write(&folder, "card.json", &card()), write(&folder, "key.json", &key()));
    let signed = program::run(&["card", "sign", &card_file, "--key", &private, "--kid", "team"], &[]);
    assert_eq!((signed.code, signed.stderr.as_str()), (0, ""));
    let signed: Value = serde_json::from_str(&signed.stdout).unwrap();
    let signed_file = write(&folder, "signed.json", &signed);
    snapshot::check("card-verify", &said(&["card", "verify", &signed_file, "--key", &private], &folder));

    let mut forged = signed;
    forged["name"] = json!("Another agent");
    let forged = write(&folder, "forged.json", &forged);
    let refused = said(&["card", "verify", &forged, "--key", &private], &folder);
    assert!(refused.starts_with("exit 1\n") && refused.contains("no signature holds"), "{refused}");
    let without_key = said(&["card", "verify", &forged], &folder);
    assert!(without_key.starts_with("exit 2\n") && without_key.contains("--allow-jku"), "{without_key}");
    snapshot::check("card-canonical", &said(&["card", "canonical", &card_file, "--explain"], &folder));
}

#[test]
fn what_is_wrong_with_a_card_is_said_with_its_place() {
    let folder = program::Folder::new();
    let mut wrong = card();
    wrong["supportedInterfaces"][0]["url"] = json!("/a2a");
    wrong["skills"][0].as_object_mut().unwrap().remove("tags");
    wrong["signatures"] = json!([{ "protected": "{}", "signature": "a" }]);
    let wrong = write(&folder, "card.json", &wrong);
    snapshot::check("card-lint", &said(&["card", "lint", &wrong], &folder));
}

/// The keys to which a card points are fetched from a host that the user names, and from no other.
#[tokio::test(flavor = "multi_thread")]
async fn keys_come_from_where_the_card_says_if_the_user_allows_it() {
    let agent = reference(None).await;
    let folder = program::Folder::new();
    let verify = |more: &[&str]| said(&[&["card", "verify", agent.url()], more].concat(), &folder);
    let (allowed, other) = (verify(&["--allow-jku", "127.0.0.1"]), verify(&["--allow-jku", "keys.example"]));
    assert!(allowed.starts_with("exit 0\n") && allowed.contains("holds      EdDSA"), "{allowed}");
    assert!(other.starts_with("exit 2\n"), "{other}");
    let check = |more: &[&str]| {
        let only = ["check", agent.url(), "--profile", "1.0", "--only", "card/signed"];
        said(&[&only, more].concat(), &folder)
    };
    let (allowed, other) = (check(&["--allow-jku", "127.0.0.1"]), check(&[]));
    assert!(allowed.contains("MUST         1     0"), "{allowed}");
    assert!(other.contains("no trusted key is named \"reference-1\""), "{other}");
}

/// The same of the extended card, where the public one points to no keys that it could have been verified by.
#[tokio::test(flavor = "multi_thread")]
async fn the_extended_card_points_to_keys_of_its_own() {
    let faults = vec![Fault::find("card/signature-header-in-a-list").unwrap()];
    let config = Config { faults, ..Config::default() };
    let agent = a2a_reference_agent::start(config, (Ipv4Addr::LOCALHOST, 0).into()).await.unwrap();
    let folder = program::Folder::new();
    let check = |more: &[&str]| {
        let only = ["check", agent.url(), "--profile", "1.0", "--binding", "jsonrpc", "--only", "card/extended-signed"];
        said(&[&only[..], &["--header", "Authorization: Bearer any"], more].concat(), &folder)
    };
    let (allowed, other) = (check(&["--allow-jku", "127.0.0.1"]), check(&[]));
    assert!(allowed.contains("MUST         1     0"), "{allowed}");
    assert!(other.contains("no trusted key is named \"reference-1\""), "{other}");
}

/// What the standards leave open of signed cards: one is taken and something noted, or it is refused. The vectors have a card of
/// each kind; whatever it is, the two commands agree on whether it is wrong.
#[test]
fn a_card_that_may_be_read_in_two_ways_is_told_as_one() {
    let folder = program::Folder::new();
    let private = write(&folder, "key.json", &key());
    let signed = |name: &str, change: &dyn Fn(&str) -> String| {
        let plain = write(&folder, "plain.json", &card());
        let signed = program::run(&["card", "sign", &plain, "--key", &private, "--kid", "team"], &[]);
        folder.write(name, &change(&signed.stdout))
    };
    let twice = signed("twice.json", &|text| text.replacen("{", "{\"version\": \"0\",", 1));
    let lint = said(&["card", "lint", &twice, "--key", &private], &folder);
    assert!(lint.starts_with("exit 0\n") && lint.contains("SHOULD") && lint.contains("json-4-1"), "{lint}");
    let verify = said(&["card", "verify", &twice, "--key", &private], &folder);
    assert!(verify.starts_with("exit 1\n") && verify.contains("stands twice"), "{verify}");
    // Taken, and noted: what is signed of it is less than what is written.
    let long = signed("long.json", &|text| {
        let mut card: Value = serde_json::from_str(text).unwrap();
        card["x-more"] = json!(9_007_199_254_740_993_i64);
        card.to_string()
    });
    let verify = said(&["card", "verify", &long, "--key", &private], &folder);
    assert!(verify.starts_with("exit 0\n") && verify.contains("note  /x-own is not signed"), "{verify}");
    assert!(verify.contains("note  /x-more is signed as 9007199254740992"), "{verify}");
    let marked = signed("marked.json", &|text| format!("\u{feff}{text}"));
    for command in ["lint", "verify"] {
        let said = said(&["card", command, &marked, "--key", &private], &folder);
        assert!(said.starts_with("exit 3\n") && said.contains("byte order mark"), "{said}");
    }
}

/// Whoever signs something else than the canonical form learns what it was.
#[test]
fn what_was_signed_in_place_of_the_canonical_form_is_named() {
    let folder = program::Folder::new();
    let private = write(&folder, "key.json", &key());
    let signer = Signer::read(key().to_string().as_bytes()).unwrap();
    let without = |members: &[&str]| {
        let mut card = card();
        members.iter().for_each(|member| {
            let (parent, name) = member.rsplit_once('/').unwrap();
            card.pointer_mut(parent).unwrap().as_object_mut().unwrap().shift_remove(name);
        });
        card
    };
    let canonical = without(&["/capabilities/extensions"]);
    for (bytes, named) in [
        (jcs(&card()).unwrap(), "with members that have default values"),
        (jcs(&without(&["/capabilities/extensions", "/description"])).unwrap(), "without required members"),
        (jcs(&without(&["/capabilities/extensions", "/capabilities/streaming"])).unwrap(), "without optional members"),
        (format!("{canonical:#}").into_bytes(), "JSON that RFC 8785 writes otherwise"),
        (b"another card".to_vec(), "over the canonical card\n"),
    ] {
        let mut signed = card();
        signed["signatures"] = json!([signer.sign(&bytes, None, "team", None).unwrap()]);
        let file = write(&folder, "signed.json", &signed);
        let verify = said(&["card", "verify", &file, "--key", &private], &folder);
        assert!(verify.starts_with("exit 1\n") && verify.contains(named), "{named}: {verify}");
    }
}

/// The same of the cards of which the vectors say that either is right.
#[test]
fn either_verdict_of_a_card_is_told_by_both_commands() {
    let Some(file) = vectors("agent-card/signed-cards.json") else { return };
    let file: Value = serde_json::from_slice(&file).unwrap();
    let folder = program::Folder::new();
    let keys = write(&folder, "keys.json", &file["trusted_jwks"]);
    let mut told = String::new();
    for case in file["cases"].as_array().unwrap().iter().filter(|case| case["verdict"] == "either") {
        let card = folder.file("card.json");
        std::fs::write(&card, STANDARD.decode(case["card_base64"].as_str().unwrap()).unwrap()).unwrap();
        for command in ["lint", "verify"] {
            let said = said(&["card", command, &card, "--key", &keys], &folder);
            told.push_str(&format!("## {} {command}\n{said}\n", case["name"].as_str().unwrap()));
        }
    }
    snapshot::check("card-either", &told);
}

/// Keys at a URL that the user names, from whatever host.
#[tokio::test(flavor = "multi_thread")]
async fn keys_come_from_a_place_that_the_user_names() {
    let agent = reference(None).await;
    let folder = program::Folder::new();
    let verify = |place: &str| said(&["card", "verify", agent.url(), "--jwks", place], &folder);
    let held = verify(&format!("{}/.well-known/jwks.json", agent.url()));
    assert!(held.starts_with("exit 0\n") && held.contains("holds      EdDSA"), "{held}");
    let absent = verify(&format!("{}/no-keys", agent.url()));
    assert!(absent.starts_with("exit 3\n") && absent.contains("HTTP 404"), "{absent}");
    let no_keys = verify(&format!("{}/.well-known/agent-card.json", agent.url()));
    assert!(no_keys.starts_with("exit 3\n") && no_keys.contains("no keys came from"), "{no_keys}");
}
