//! Credentials go to the origins that the user names or allows, and to no other.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::http::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::agent::{Agent, card_of, reference};
use super::program::{self, Folder, Ran};
use super::proxy::{Asked, reference_agent, unchanged};

const KEY: &str = "k3y-of-the-agent";
const TOKEN: (&str, &str) = ("A2ASPEC_TEST_TOKEN", "t0k3n-of-the-agent");

/// One short case over every binding of 1.0.
const SHORT: [&str; 6] = ["--profile", "1.0", "--only", "get/unknown-id", "--timeout", "20"];

/// How many requests came over each binding, or for the card, and how many of them with something that is looked for.
#[derive(Clone, Default)]
struct Counts(Arc<Mutex<BTreeMap<&'static str, (usize, usize)>>>);

impl Counts {
    fn count(&self, asked: &Asked, is_found: bool) {
        let kind = match asked.path.as_str() {
            _ if asked.is_grpc() => "grpc",
            path if path.starts_with("/rest") => "http-json",
            path if path.contains("agent-card") => "card",
            _ => "jsonrpc",
        };
        let mut counts = self.0.lock().unwrap();
        let (all, found) = counts.entry(kind).or_default();
        *all += 1;
        *found += usize::from(is_found);
    }

    /// The kinds of requests that came, and those of which some and all had it.
    fn take(&self) -> (Vec<&'static str>, Vec<&'static str>, Vec<&'static str>) {
        let counts = std::mem::take(&mut *self.0.lock().unwrap());
        let kinds = |is: fn(&(usize, usize)) -> bool| {
            counts.iter().filter(|(_, counts)| is(counts)).map(|(kind, _)| *kind).collect()
        };
        (kinds(|_| true), kinds(|(_, found)| *found > 0), kinds(|(all, found)| all == found))
    }
}

fn has_key_and_token(asked: &Asked) -> bool {
    let is = |name: &str, value: &str| asked.headers.get(name).is_some_and(|found| found == value);
    is("x-key", KEY) || is("authorization", &format!("Bearer {}", TOKEN.1))
}

fn is_basic(asked: &Asked, pair: &str) -> bool {
    let wanted = format!("Basic {}", STANDARD.encode(pair));
    asked.headers.get("authorization").is_some_and(|found| found == wanted.as_str())
}

/// The reference agent, counting its requests.
fn counting(is_found: impl Fn(&Asked) -> bool + Send + Sync + 'static) -> (Agent, Counts) {
    let counts = Counts::default();
    let own = counts.clone();
    let agent = reference_agent(move |asked, answer| {
        own.count(&asked, is_found(&asked));
        unchanged(answer)
    });
    (agent, counts)
}

/// An agent whose card names three interfaces below another URL, counting the requests for its card.
fn naming(elsewhere: &str, is_found: impl Fn(&Asked) -> bool + Send + Sync + 'static) -> (Agent, Counts) {
    let counts = Counts::default();
    let own = counts.clone();
    let card = card_of(&[
        (format!("{elsewhere}/1.0"), "JSONRPC", "1.0"),
        (format!("{elsewhere}/rest"), "HTTP+JSON", "1.0"),
        (elsewhere.trim_start_matches("http://").to_owned(), "GRPC", "1.0"),
    ]);
    let agent = reference_agent(move |asked, _| {
        own.count(&asked, is_found(&asked));
        Response::new(Body::from(card.to_string()))
    });
    (agent, counts)
}

fn check(arguments: &[&str]) -> Ran {
    program::run(&[&["check"], arguments, &SHORT[..]].concat(), &[TOKEN])
}

/// The notes of the interfaces in a JSON report on standard output.
fn notes(ran: &Ran) -> Vec<String> {
    let report: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    let interfaces = report["target"]["interfaces"].as_array().unwrap().iter();
    interfaces.map(|interface| interface["note"].as_str().unwrap_or_default().to_owned()).collect()
}

const EVERYWHERE: [&str; 3] = ["grpc", "http-json", "jsonrpc"];

#[test]
fn credentials_go_to_other_origins_only_where_that_is_allowed() {
    let (elsewhere, there) = counting(has_key_and_token);
    let (agent, here) = naming(&elsewhere.url, has_key_and_token);
    let folder = Folder::new();
    let trace = folder.file("trace.txt");
    let header = format!("X-Key: {KEY}");
    let bearer = format!("env:{}", TOKEN.0);
    let given = ["--header", &header, "--bearer", &bearer, "--trace", &trace, "--report", "json"];

    let ran = check(&[&[agent.url.as_str()], &given[..]].concat());
    assert_eq!(there.take(), (EVERYWHERE.to_vec(), vec![], vec![]), "{}", ran.stderr);
    assert_eq!(here.take(), (vec!["card"], vec!["card"], vec!["card"]));
    let told =
        format!("no credentials are sent here, only to {}; to send them: --allow-origin {}", agent.url, elsewhere.url);
    assert_eq!(ran.stderr.matches(&told).count(), 3, "{}", ran.stderr);
    assert!(notes(&ran).iter().all(|note| note.contains(&told)), "{:#?}", notes(&ran));
    assert!(!notes(&ran).is_empty());
    let recorded = std::fs::read_to_string(&trace).unwrap();
    assert!(!recorded.contains("***"), "what is not sent is not in the record: {recorded}");

    let config = folder.write("a2aspec.toml", &format!("allow-origin = [\"{}\"]\n", elsewhere.url));
    for allowing in [["--allow-origin", &elsewhere.url], ["--config", &config]] {
        let ran = check(&[&[agent.url.as_str()], &given[..], &allowing[..]].concat());
        assert_eq!(there.take(), (EVERYWHERE.to_vec(), EVERYWHERE.to_vec(), EVERYWHERE.to_vec()), "{}", ran.stderr);
        assert!(!ran.stderr.contains("no credentials are sent"), "{}", ran.stderr);
        let recorded = std::fs::read_to_string(&trace).unwrap();
        assert!(recorded.contains("> X-Key: ***") && recorded.contains("> authorization: ***"), "{recorded}");
    }
}

/// Where credentials are wanted and the run has some that go elsewhere, others would not help: what is to be allowed is said.
#[test]
fn what_is_kept_from_an_interface_that_wants_it_is_said() {
    let elsewhere = reference_agent(|asked, answer| match has_key_and_token(&asked) {
        false if asked.is_call() => Response::builder().status(401).body(Body::empty()).unwrap(),
        _ => unchanged(answer),
    });
    let (agent, _) = naming(&elsewhere.url, has_key_and_token);
    let bearer = format!("env:{}", TOKEN.0);
    let check = |flags: &[&str]| {
        let over = ["--binding", "jsonrpc", "--binding", "http-json", "--report", "json"];
        let ran = check(&[&[agent.url.as_str()][..], &over, flags].concat());
        let report: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
        let reasons = report["results"].as_array().unwrap().iter().map(|result| result["reason"].clone());
        (ran.code, reasons.filter(|reason| !reason.is_null()).collect::<Vec<_>>())
    };
    let url = &elsewhere.url;
    let withheld = format!(
        "the agent requires credentials (HTTP 401), and yours are not sent to {url}; allow it with --allow-origin {url}"
    );
    assert_eq!(check(&["--bearer", &bearer]), (3, vec![withheld.into(); 2]));
    let wanted = "the agent requires credentials (HTTP 401); pass --bearer or --header";
    assert_eq!(check(&[]), (3, vec![wanted.into(); 2]));
    assert_eq!(check(&["--bearer", &bearer, "--allow-origin", url]), (0, vec![]));
}

#[test]
fn a_card_at_another_origin_is_fetched_without_credentials() {
    let (agent, _) = counting(has_key_and_token);
    let (cards, seen) = naming(&agent.url, has_key_and_token);
    let card = format!("{}/agent-card.json", cards.url);
    let header = format!("X-Key: {KEY}");
    let arguments = [agent.url.as_str(), "--card", &card, "--header", &header];
    let ran = check(&arguments);
    assert_eq!(seen.take(), (vec!["card"], vec![], vec![]), "{}", ran.stderr);
    let told = format!("fetched without credentials; to send them: --allow-origin {}", cards.url);
    assert!(ran.stderr.contains(&told), "{}", ran.stderr);
    check(&[&arguments[..], &["--allow-origin", &cards.url]].concat());
    assert_eq!(seen.take(), (vec!["card"], vec!["card"], vec!["card"]));
}

/// The URL is https and is not even asked, since the card is a file.
#[test]
fn plain_interfaces_of_an_agent_over_https_are_never_silent() {
    let (agent, seen) = counting(has_key_and_token);
    let plain = card_of(&[
        (format!("{}/1.0", agent.url), "JSONRPC", "1.0"),
        (format!("{}/rest", agent.url), "HTTP+JSON", "1.0"),
        (agent.url.trim_start_matches("http://").to_owned(), "GRPC", "1.0"),
    ]);
    let folder = Folder::new();
    let card = folder.write("card.json", &plain.to_string());
    let header = format!("X-Key: {KEY}");
    let without = ["https://agent.invalid", "--card", &card, "--report", "json"];
    let with = [&without[..], &["--header", &header]].concat();
    let allowed = [&with[..], &["--allow-origin", &agent.url]].concat();
    for (arguments, is_sent) in [(&without[..], false), (&with, false), (&allowed, true)] {
        let ran = check(arguments);
        let wanted = if is_sent { EVERYWHERE.to_vec() } else { vec![] };
        assert_eq!(seen.take(), (EVERYWHERE.to_vec(), wanted.clone(), wanted), "{}", ran.stderr);
        let told = "not encrypted, although the URL https://agent.invalid/ is https";
        let warned = ran.stderr.lines().filter(|line| line.starts_with("warning: ") && line.contains(told)).count();
        assert_eq!(warned, 3, "{}", ran.stderr);
        assert!(notes(&ran).iter().all(|note| note.contains(told)), "{:#?}", notes(&ran));
    }
}

#[test]
fn credentials_in_the_url_are_sent_to_all_of_its_origin() {
    let (agent, seen) = counting(|asked| is_basic(asked, "us er:p@ss-word"));
    let url = agent.url.replace("http://", "http://us%20er:p%40ss-word@");
    let kinds = ["card", "grpc", "http-json", "jsonrpc"].to_vec();
    let ran = check(&[&url, "--report", "json"]);
    assert_eq!(seen.take(), (kinds.clone(), kinds.clone(), kinds.clone()), "{}", ran.stderr);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["target"]["url"], format!("{}/", agent.url));
    for text in [&ran.stdout, &ran.stderr] {
        assert!(!text.contains('@') && !text.contains("ss-word"), "{text}");
    }
    // Who gives a token means the token.
    let bearer = format!("env:{}", TOKEN.0);
    check(&[&url, "--bearer", &bearer]);
    assert_eq!(seen.take(), (kinds, vec![], vec![]));
}

/// Two names of one host are two origins.
#[test]
fn credentials_in_the_url_of_an_interface_belong_to_its_origin() {
    let (elsewhere, there) = counting(|asked| is_basic(asked, "card:c4rd-secret"));
    let card = card_of(&[
        (format!("{}/1.0", elsewhere.url), "JSONRPC", "1.0"),
        (format!("{}/rest", elsewhere.url.replace("127.0.0.1", "card:c4rd-secret@localhost")), "HTTP+JSON", "1.0"),
    ]);
    let agent = reference_agent(move |_, _| Response::new(Body::from(card.to_string())));
    let ran = check(&[&agent.url, "--report", "json"]);
    let (_, some, all) = there.take();
    assert_eq!((some, all), (vec!["http-json"], vec!["http-json"]), "{}", ran.stderr);
    for text in [&ran.stdout, &ran.stderr] {
        assert!(!text.contains("c4rd") && !text.contains("card:"), "{text}");
    }
}

#[test]
fn headers_come_from_the_environment_and_from_files() {
    let is_there = |asked: &Asked| {
        let is = |name: &str, value: &str| asked.headers.get(name).is_some_and(|found| found == value);
        is("x-env", "of the environment") && is("x-file", "of the file") && is("authorization", "Bearer of-a-file")
    };
    let (agent, seen) = counting(is_there);
    let folder = Folder::new();
    let (value, token) = (folder.write("value", "of the file\n"), folder.write("token", "of-a-file\r\n"));
    let (header, bearer) = (format!("X-File: file:{value}"), format!("file:{token}"));
    let text =
        format!("bearer = \"{bearer}\"\n[headers]\nX-Env = \"env:A2ASPEC_TEST_VALUE\"\nX-File = \"file:{value}\"\n");
    let config = folder.write("a2aspec.toml", &text);
    let flags = ["--header", &header, "--header", "X-Env: env:A2ASPEC_TEST_VALUE", "--bearer", &bearer];
    for given in [&flags[..], &["--config", &config]] {
        let arguments = [&["check", &agent.url], given, &SHORT[..]].concat();
        let ran = program::run(&arguments, &[("A2ASPEC_TEST_VALUE", "of the environment")]);
        let (kinds, some, all) = seen.take();
        assert_eq!((&kinds, kinds.len()), (&some, 4), "{}", ran.stderr);
        assert_eq!(kinds, all);
    }
}

/// The card of production on another instance: its interfaces are checked there, and nothing goes to production.
#[test]
fn a_base_url_maps_the_interfaces_of_the_card() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let agent = runtime.block_on(reference(Some("https://agent.invalid".to_owned())));
    let cases = ["--profile", "1.0", "--only", "get/*", "--only", "card/*", "--report", "json", "--timeout", "60"];
    let ran = program::run(&[&["check", agent.url(), "--base-url", agent.url()], &cases[..]].concat(), &[]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let interfaces = report["target"]["interfaces"].as_array().unwrap().iter();
    let checked: Vec<&Value> = interfaces.filter(|interface| interface.get("skipped").is_none()).collect();
    assert_eq!(checked.len(), 3, "{checked:#?}");
    for interface in checked {
        assert!(interface["url"].as_str().unwrap().starts_with(agent.url()), "{interface}");
        assert!(interface["note"].as_str().unwrap().contains("the card says https://agent.invalid"), "{interface}");
    }
    assert!(report["results"].as_array().unwrap().iter().any(|result| result["binding"] == "grpc"));
}

#[test]
fn the_base_url_of_a_binding_wins() {
    let (agent, seen) = counting(has_key_and_token);
    let (cards, _) = naming("http://agent.invalid:9", |_| false);
    let header = format!("X-Key: {KEY}");
    let base = format!("jsonrpc={}", agent.url);
    let arguments =
        [cards.url.as_str(), "--header", &header, "--base-url", "http://127.0.0.1:1/x", "--base-url", &base];
    let ran = check(&[&arguments[..], &["--report", "json"]].concat());
    // An origin that the user maps to is one that he names.
    assert_eq!(seen.take(), (vec!["jsonrpc"], vec!["jsonrpc"], vec!["jsonrpc"]), "{}", ran.stderr);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let urls: Vec<&Value> =
        report["target"]["interfaces"].as_array().unwrap().iter().map(|interface| &interface["url"]).collect();
    assert_eq!(urls, [&format!("{}/1.0", agent.url), "http://127.0.0.1:1/x/rest", "127.0.0.1:1/x"]);
    let again = report["cases"][0]["rerun"][0]["command"].as_str().unwrap();
    let wanted = format!(
        "a2aspec check {}/ --base-url http://127.0.0.1:1/x --base-url {base} --header 'X-Key: ***' --only",
        cards.url
    );
    assert!(again.starts_with(&wanted), "{again}");
}
