//! `a2aspec compare`: each fault of a gateway is found and named, and an agent does not differ from itself.

#[path = "compare/gateway.rs"]
mod gateway;
#[cfg(unix)]
#[path = "compare/real.rs"]
mod real;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use a2a_reference_agent::{Config, User};
use serde_json::Value;

use super::common::agent::{Agent, Reference};
use super::common::program::{self, Folder, Ran};
use super::common::snapshot;
use gateway::Fault;

/// How long the agent's slow work takes: long enough to see whether events come meanwhile.
const SLOW: Duration = Duration::from_millis(700);
/// The token of the agent's first user.
const TOKEN: &str = "COMPARE_TOKEN";

/// The reference agent with its slow work.
fn reference(config: Config) -> Reference {
    Reference::start(Config { slow: SLOW, ..config })
}

/// An agent behind a gateway. Its card names the gateway, as that of an agent does that knows its public URL.
struct Behind {
    agent: Reference,
    gateway: Agent,
}

impl Behind {
    fn start(fault: Fault, config: Config) -> Self {
        let target: Arc<Mutex<String>> = Arc::default();
        let of_agent = Arc::clone(&target);
        let gateway = gateway::before(move || of_agent.lock().unwrap().clone(), fault);
        let knows_gateway = fault != Fault::RewritesCard && config.public_url.is_none();
        let public_url = knows_gateway.then(|| gateway.url.clone());
        let agent = reference(Config { public_url, ..config });
        *target.lock().unwrap() = agent.url();
        Self { agent, gateway }
    }
}

/// What came of a comparison: the run, and its report.
struct Compared {
    ran: Ran,
    report: Value,
}

impl Compared {
    /// The kinds of the differences.
    fn kinds(&self) -> Vec<String> {
        let all = self.report["differences"].as_array().unwrap().iter();
        all.map(|difference| difference["kind"].as_str().unwrap().to_owned()).collect()
    }

    fn told(&self) -> String {
        format!("{}\n{}\n{}", self.ran.code, self.ran.stdout, self.ran.stderr)
    }
}

/// Compares two URLs in A2A 1.0.
fn compare(direct: &str, gateway: &str, flags: &[&str]) -> Compared {
    let folder = Folder::new();
    let file = folder.file("compare.json");
    let report = format!("json={file}");
    let fixed = [
        "compare",
        direct,
        gateway,
        "--profile",
        "1.0",
        "--timeout",
        "20",
        "--report",
        "terminal",
        "--report",
        &report,
    ];
    let ran = program::run(&[&fixed[..], flags].concat(), &[(TOKEN, "alice")]);
    let text = std::fs::read_to_string(&file).unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr));
    Compared { report: serde_json::from_str(&text).unwrap(), ran }
}

/// The cases that show most: every operation, and few messages.
const FEW: [&str; 14] = [
    "--only",
    "get",
    "--only",
    "cancel",
    "--only",
    "list",
    "--only",
    "stream/arrives-in-time",
    "--only",
    "push/delete*",
    "--only",
    "errors",
    "--only",
    "card",
];

/// Compares an agent with itself behind a gateway with a fault.
fn with_fault(fault: Fault) -> Compared {
    let behind = Behind::start(fault, Config::default());
    let (direct, gateway) = (behind.agent.url(), behind.gateway.url.clone());
    compare(&direct, &gateway, &FEW)
}

/// A fault is found, and named by this kind first.
fn finds(fault: Fault, kind: &str) {
    let compared = with_fault(fault);
    assert_eq!(compared.ran.code, 1, "{fault:?}: {}", compared.told());
    let kinds = compared.kinds();
    assert_eq!(kinds.first().map(String::as_str), Some(kind), "{fault:?}: {kinds:?}\n{}", compared.told());
}

/// No difference is found.
fn finds_nothing(fault: Fault) {
    let compared = with_fault(fault);
    assert_eq!(compared.ran.code, 0, "{fault:?}: {}", compared.told());
}

macro_rules! faults {
    ($($name:ident: $fault:expr => $kind:expr;)*) => {
        $(
            #[test]
            fn $name() {
                finds($fault, $kind);
            }
        )*
    };
}

faults! {
    buffered_streams: Fault::BuffersStreams => "stream-buffered";
    a_lost_version: Fault::DropsRequestHeader("a2a-version") => "version-lost";
    lost_extensions: Fault::DropsRequestHeader("a2a-extensions") => "extensions-lost";
    lost_extensions_of_responses: Fault::DropsResponseHeader("a2a-extensions") => "extensions-lost";
    other_media_types: Fault::OtherMediaType => "media-type";
    a_changed_card: Fault::ChangesCard => "card-signature";
    a_rewritten_card_with_its_signature: Fault::RewritesCard => "card-signature";
    lost_headers_for_caches: Fault::DropsCacheHeaders => "card-header";
    a_page_for_404: Fault::PageFor404 => "body-replaced";
    another_body_for_400: Fault::BodyFor400 => "error";
    hidden_errors: Fault::HidesErrors => "status";
    a_limit_for_bodies: Fault::BodyLimit(1 << 10) => "body-limit";
    a_limit_for_headers: Fault::HeaderLimit(4 << 10) => "header-limit";
    a_time_limit: Fault::TimeLimit(Duration::from_millis(300)) => "time-limit";
    streams_cut_after_two_events: Fault::CutsStreams(2) => "stream-cut";
    unasked_compression: Fault::Compresses => "compressed";
    requests_sent_twice: Fault::SendsTwice => "delivered-twice";
    decoded_paths: Fault::DecodesPaths => "path-decoded";
    lost_queries: Fault::DropsQueries => "query-lost";
    a_refused_method: Fault::RefusesDelete => "method-refused";
    lost_ends: Fault::LosesEnds => "body-cut";
    lost_trailers: Fault::LosesTrailers => "trailers-lost";
    an_agent_out_of_reach: Fault::Unreachable => "unavailable";
}

#[test]
fn a_gateway_that_adds_nothing_to_notice_does_not_differ() {
    finds_nothing(Fault::None);
}

#[test]
fn another_spelling_of_media_types_is_no_difference() {
    finds_nothing(Fault::SpellsMediaTypes);
}

#[test]
fn comments_of_streams_are_no_difference() {
    finds_nothing(Fault::DropsComments);
}

#[test]
fn headers_of_the_gateway_are_a_note() {
    let compared = with_fault(Fault::AddsHeaders);
    assert_eq!(compared.ran.code, 0, "{}", compared.told());
    assert!(compared.ran.stdout.contains("x-request-id"), "{}", compared.told());
}

#[test]
fn a_card_that_leads_past_the_gateway() {
    let agent = reference(Config::default());
    let url = agent.url();
    let behind = gateway::before(move || url.clone(), Fault::None);
    let (direct, gateway) = (agent.url(), behind.url.clone());
    let compared = compare(&direct, &gateway, &["--only", "get"]);
    assert_eq!((compared.ran.code, compared.kinds()), (1, vec!["card-address".to_owned()]), "{}", compared.told());
}

/// The agent with users, compared in the name of one.
fn with_users(fault: Fault) -> Compared {
    let users = vec!["alice=alice".parse::<User>().unwrap()];
    let behind = Behind::start(fault, Config { users, ..Config::default() });
    let (direct, gateway) = (behind.agent.url(), behind.gateway.url.clone());
    let bearer = format!("env:{TOKEN}");
    compare(&direct, &gateway, &["--bearer", &bearer, "--only", "get", "--only", "security"])
}

#[test]
fn credentials_that_are_lost() {
    let compared = with_users(Fault::DropsRequestHeader("authorization"));
    assert_eq!((compared.ran.code, compared.kinds()[0].as_str()), (1, "credentials-lost"), "{}", compared.told());
}

#[test]
fn a_challenge_that_is_lost() {
    let compared = with_users(Fault::DropsResponseHeader("www-authenticate"));
    assert_eq!((compared.ran.code, compared.kinds()[0].as_str()), (1, "header"), "{}", compared.told());
}

#[test]
fn credentials_that_arrive_are_no_difference() {
    let compared = with_users(Fault::None);
    assert_eq!(compared.ran.code, 0, "{}", compared.told());
}

#[test]
fn an_agent_does_not_differ_from_itself() {
    let agent = reference(Config::default());
    let url = agent.url();
    for _ in 0..3 {
        let url = url.clone();
        let compared = compare(&url, &url, &[]);
        assert_eq!(compared.ran.code, 0, "{}", compared.told());
        assert!(compared.report["cases"]["compared"].as_u64().unwrap() > 300, "{}", compared.told());
    }
}

#[test]
fn where_nothing_listens_there_is_no_comparison() {
    let agent = reference(Config::default());
    let url = agent.url();
    let compared = compare(&url, "http://127.0.0.1:1", &[]);
    assert_eq!(compared.ran.code, 3, "{}", compared.told());
    let message = compared.report["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("through the gateway: "), "{message}");
}

#[test]
fn where_no_side_answers_there_is_no_comparison() {
    let agent = reference(Config { public_url: Some("http://127.0.0.1:1".to_owned()), ..Config::default() });
    let compared = compare(&agent.url(), &agent.url(), &["--only", "get/unknown-id"]);
    assert_eq!(compared.ran.code, 3, "{}", compared.told());
}

#[test]
fn a_report_shows_the_request_and_both_responses() {
    let behind = Behind::start(Fault::BodyLimit(1 << 10), Config::default());
    let flags = ["--only", "get/unknown-id", "--binding", "http-json"];
    let compared = compare(&behind.agent.url(), &behind.gateway.url, &flags);
    // The last line has the number of messages.
    let lines: Vec<&str> = compared.ran.stdout.lines().take_while(|line| !line.starts_with("1 difference")).collect();
    snapshot::check("compare-body-limit", &lines.join("\n"));
}

#[test]
fn wrong_usage_has_a_help() {
    let mut told = String::new();
    for arguments in [
        &["compare", "http://127.0.0.1:1"][..],
        &["compare", "http://127.0.0.1:1", "http://127.0.0.1:2", "--report", "junit"],
        &["compare", "http://127.0.0.1:1", "127.0.0.1:2"],
    ] {
        let ran = program::run(arguments, &[]);
        told.push_str(&format!("exit {}\n{}\n", ran.code, ran.stderr));
    }
    snapshot::check("compare-errors", &told);
}
