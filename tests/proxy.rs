//! `a2aspec proxy`: it changes nothing but addresses, sees what is wrong on both sides, and stays out of the way.

use std::time::Duration;

use a2a_reference_agent::{Capability, Config, Fault, Tls};
use serde_json::{Value, json};

use super::common::agent::{Agent, Reference, card_of};
use super::common::program::{self, Folder, Ran, Running};
use super::common::snapshot;

/// The reference agent with a fault.
fn with_fault(id: &str) -> Reference {
    Reference::start(Config { faults: vec![Fault::find(id).unwrap()], ..Config::default() })
}

/// A proxy before an agent, at work.
struct Proxy {
    running: Running,
    url: String,
    folder: Folder,
}

impl Proxy {
    fn start(to: &str, flags: &[&str]) -> Self {
        let folder = Folder::new();
        let report = format!("json={}", folder.file("proxy.json"));
        let fixed = ["proxy", "--to", to, "--profile", "1.0", "--report", &report, "--report", "terminal"];
        let running = program::start(&[&fixed[..], flags].concat(), &[]);
        let line = running.stderr_line("proxy at ");
        let url = line.split("proxy at ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
        Self { running, url, folder }
    }

    /// What came of it, and its report.
    fn end(self) -> (Ran, Value) {
        self.running.signal("INT");
        let ran = self.running.wait();
        let text = std::fs::read_to_string(self.folder.file("proxy.json")).unwrap_or_else(|_| panic!("{}", ran.stderr));
        (ran, serde_json::from_str(&text).unwrap())
    }
}

/// The results with these verdicts, each as its case and binding.
fn results(report: &Value, verdicts: &[&str]) -> Vec<String> {
    let all = report["results"].as_array().unwrap().iter();
    let of = all.filter(|result| verdicts.contains(&result["verdict"].as_str().unwrap()));
    let text =
        |result: &Value| format!("{} over {}", result["case"].as_str().unwrap(), result["binding"].as_str().unwrap());
    let mut results: Vec<String> = of.map(text).collect();
    results.sort();
    results
}

/// The flags of a check of few cases, which show each operation and a stream.
const FEW: [&str; 10] =
    ["--profile", "1.0", "--only", "get", "--only", "stream", "--only", "list", "--fail-on", "never"];

/// The wrong results of a check that are about the agent; the requests of a check are wrong on purpose.
fn of_the_agent(report: &Value) -> Vec<String> {
    results(report, &["fail", "warn", "broken"]).into_iter().filter(|case| !case.starts_with("client/")).collect()
}

#[test]
fn an_agent_does_not_differ_from_itself_behind_it() {
    let agent = Reference::start(Config { slow: Duration::from_millis(700), ..Config::default() });
    let proxy = Proxy::start(&agent.url(), &["--skip", "client/*"]);
    let ran = program::run(
        &[
            &["compare", &agent.url(), &proxy.url, "--timeout", "20"],
            &FEW[..8],
            &["--only", "errors", "--only", "http1"],
        ]
        .concat(),
        &[],
    );
    // The signature of a card does not cover other addresses.
    let kinds: Vec<&str> = ran.stdout.lines().filter(|line| line.trim_start().starts_with("kind ")).collect();
    assert!(kinds.len() == 1 && kinds[0].ends_with("card-signature"), "{}{}", ran.stdout, ran.stderr);
    let (ran, report) = proxy.end();
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let passed = results(&report, &["pass"]);
    for binding in ["jsonrpc", "http-json", "grpc"] {
        assert!(passed.iter().any(|case| case.ends_with(binding)), "{binding}: {passed:#?}");
    }
}

#[test]
fn a_fault_of_the_agent_is_reported_while_it_runs() {
    // What is wrong with times has no form over gRPC.
    for (fault, case) in [
        ("data/time-since-1970", "data/task-status over http-json"),
        ("list/oldest-first", "list/every-list-newest-first over grpc"),
    ] {
        let agent = with_fault(fault);
        let proxy = Proxy::start(&agent.url(), &["--skip", "client/*"]);
        program::run(&[&["check", &proxy.url][..], &FEW].concat(), &[]);
        proxy.running.stderr_line("FAIL ");
        let (ran, report) = proxy.end();
        let failed = of_the_agent(&report);
        assert!(ran.code == 1 && failed.iter().any(|id| id == case), "{failed:#?}\n{}", ran.stderr);
    }
}

#[test]
fn an_archive_is_judged_as_what_passed_was() {
    let agent = with_fault("data/time-since-1970");
    let folder = Folder::new();
    let (archive, judged) = (folder.file("traffic.har"), folder.file("judged.json"));
    let proxy = Proxy::start(&agent.url(), &["--record", &archive, "--binding", "jsonrpc", "--binding", "http-json"]);
    program::run(
        &[&["check", &proxy.url, "--binding", "jsonrpc", "--bearer", "env:T"][..], &FEW].concat(),
        &[("T", "s3cr3t-of-the-user")],
    );
    let (_, of_proxy) = proxy.end();
    let text = std::fs::read_to_string(&archive).unwrap();
    assert!(!text.contains("s3cr3t-of-the-user"), "the archive has a credential");
    let report = format!("json={judged}");
    program::run(&["judge", &archive, "--profile", "1.0", "--report", &report, "--fail-on", "never"], &[]);
    let of_archive: Value = serde_json::from_str(&std::fs::read_to_string(&judged).unwrap()).unwrap();
    for verdicts in [&["fail", "warn"][..], &["pass"], &["unreached"]] {
        let own = |report: &Value| {
            let all = results(report, verdicts).into_iter();
            all.filter(|id| id.ends_with("jsonrpc")).collect::<Vec<_>>()
        };
        assert_eq!(own(&of_proxy), own(&of_archive), "{verdicts:?}");
    }
}

/// A request of a client, by curl, which comes with every machine that runs the other tests of commands.
fn curl(path: &str, headers: &[&str], body: &Value) -> String {
    let headers: String = headers.iter().map(|header| format!("-H '{header}' ")).collect();
    format!("curl -s \"$A2ASPEC_PROXY_URL{path}\" -H 'Content-Type: application/json' {headers}-d '{body}'")
}

/// What a proxy before the reference agent says of a client.
fn of_client(script: &str, flags: &[&str]) -> Ran {
    let agent = Reference::start(Config::default());
    let fixed = ["proxy", "--to", &agent.url(), "--profile", "1.0", "--only", "client/*"];
    let ran = program::run(&[&fixed[..], flags, &["--", "sh", "-c", script]].concat(), &[]);
    // Ports differ.
    let masked = |text: &str| {
        let words = text.split_inclusive([' ', '\n', '/']);
        words
            .map(|word| {
                if word.starts_with("127.0.0.1:") {
                    word.replace(|c: char| c.is_ascii_digit(), "")
                } else {
                    word.to_owned()
                }
            })
            .collect::<String>()
    };
    Ran { stdout: masked(&ran.stdout), stderr: masked(&ran.stderr), ..ran }
}

fn message(id: &str) -> Value {
    let mut message = json!({ "role": "ROLE_USER", "parts": [{ "text": "complete" }] });
    if !id.is_empty() {
        message["messageId"] = json!(id);
    }
    json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": { "message": message } })
}

#[test]
fn a_right_client_passes() {
    let ran = of_client(&curl("/1.0", &["A2A-Version: 1.0"], &message("m-1")), &[]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("\"TASK_STATE_COMPLETED\""), "the command has its own output: {}", ran.stdout);
    // The version may be in the query instead (A2A 1.0, 3.6.1).
    let ran = of_client(&curl("/1.0?A2A-Version=1.0", &[], &message("m-1")), &[]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_wrong_client_is_reported() {
    let ran = of_client(&curl("/1.0", &[], &message("")), &[]);
    assert_eq!(ran.code, 1);
    let told: String =
        ran.stderr.lines().filter(|line| line.starts_with("FAIL")).map(|line| format!("{line}\n")).collect();
    snapshot::check("proxy-wrong-client", &told);
}

#[test]
fn a_capability_that_is_not_declared_is_not_used() {
    let agent = Reference::start(Config { without: [Capability::Streaming].into(), ..Config::default() });
    let mut body = message("m-1");
    body["method"] = json!("SendStreamingMessage");
    let script = curl("/1.0", &["A2A-Version: 1.0"], &body);
    let fixed = ["proxy", "--to", &agent.url(), "--profile", "1.0", "--only", "client/*", "--", "sh", "-c", &script];
    let ran = program::run(&fixed, &[]);
    assert!(ran.stderr.contains("client/streaming-not-declared over jsonrpc"), "{}", ran.stderr);
}

#[test]
fn a_command_that_fails_fails_the_run() {
    let right = curl("/1.0", &["A2A-Version: 1.0"], &message("m-1"));
    let ran = of_client(&format!("{right}; exit 7"), &[]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("the command ended with exit code 7"), "{}", ran.stderr);
    assert!(ran.stdout.contains("the gate passes") || ran.stderr.contains("the gate passes"), "{}", ran.stderr);
}

#[test]
fn what_passed_is_needed() {
    let agent = Reference::start(Config::default());
    let script = "curl -s \"$A2ASPEC_PROXY_URL/.well-known/agent-card.json\" && echo \"came by $A2ASPEC_PROXY_URL\"";
    let ran = program::run(&["proxy", "--to", &agent.url(), "--", "sh", "-c", script], &[]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("no A2A call in 1 entry"), "{}", ran.stderr);
    let (card, url) = ran.stdout.split_once("came by ").unwrap();
    let url = url.lines().next().unwrap();
    let card: Value = serde_json::from_str(card).unwrap();
    for interface in card["supportedInterfaces"].as_array().unwrap() {
        let address = interface["url"].as_str().unwrap();
        assert!(url.ends_with(address) || address.starts_with(url), "{address} does not lead to {url}");
    }
}

#[test]
fn each_origin_of_the_card_has_a_port() {
    let other = Reference::start(Config::default());
    let channel = other.url().trim_start_matches("http://").trim_end_matches('/').to_owned();
    let grpc = channel.clone();
    let agent = Agent::serve(async move |url| {
        let card = card_of(&[(format!("{url}/rpc"), "JSONRPC", "1.0"), (grpc, "GRPC", "1.0")]);
        axum::Router::new().route("/.well-known/agent-card.json", axum::routing::get(async move || card.to_string()))
    });
    let proxy = Proxy::start(&agent.url, &["--skip", "client/*"]);
    let second = proxy.running.stderr_line(&format!("for http://{channel}"));
    let ran = program::run(&["check", &proxy.url, "--profile", "1.0", "--binding", "grpc", "--only", "get"], &[]);
    assert_eq!(ran.code, 0, "{second}\n{}{}", ran.stdout, ran.stderr);
    let (ran, report) = proxy.end();
    assert!(results(&report, &["pass"]).iter().any(|case| case.ends_with("over grpc")), "{}", ran.stderr);
}

#[test]
fn a_sample_leaves_exchanges_out() {
    let right = curl("/1.0", &["A2A-Version: 1.0"], &message("m-1"));
    let calls = [right.as_str(); 12].join(" && ");
    let ran = of_client(&calls, &["--sample", "50%"]);
    assert!(ran.code == 0 && ran.stderr.contains("calls not judged: the sample leaves them out"), "{}", ran.stderr);
    let ran = of_client(&calls, &["--sample", "0%"]);
    assert!(ran.code == 3 && ran.stderr.contains("no A2A call could be judged"), "{}", ran.stderr);
}

#[test]
fn changes_on_the_way_are_not_the_agents() {
    let agent = Reference::start(Config::default());
    let all = ["--skip", "client/*", "--split", "--delay", "5"];
    let proxy = Proxy::start(&agent.url(), &all);
    let ran = program::run(
        &["check", &proxy.url, "--profile", "1.0", "--only", "get", "--only", "stream", "--timeout", "30"],
        &[],
    );
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let (ran, report) = proxy.end();
    assert_eq!((ran.code, of_the_agent(&report)), (0, Vec::new()), "{}", ran.stderr);

    let proxy = Proxy::start(&agent.url(), &["--skip", "client/*", "--cut", "30%"]);
    let folder = Folder::new();
    let seen = format!("json={}", folder.file("check.json"));
    let flags = ["--report", &seen, "--profile", "1.0", "--only", "get", "--only", "stream", "--fail-on", "never"];
    program::run(&[&["check", &proxy.url][..], &flags].concat(), &[]);
    let text = std::fs::read_to_string(folder.file("check.json")).unwrap();
    assert!(text.contains("closed"), "the client does not see that responses break off: {text}");
    let (ran, report) = proxy.end();
    assert_eq!((ran.code, of_the_agent(&report)), (0, Vec::new()), "{}", ran.stderr);
}

#[test]
fn tls_is_on_both_sides() {
    let folder = Folder::new();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    let (chain, key) =
        (folder.write("chain.pem", &made.cert.pem()), folder.write("key.pem", &made.signing_key.serialize_pem()));
    let tls = Tls { chain: std::fs::read(&chain).unwrap(), key: std::fs::read(&key).unwrap() };
    let agent = Reference::start(Config { tls: Some(tls), ..Config::default() });
    let proxy =
        Proxy::start(&agent.url(), &["--cacert", &chain, "--tls", &chain, "--tls-key", &key, "--skip", "client/*"]);
    assert!(proxy.url.starts_with("https://"), "{}", proxy.url);
    let ran = program::run(&["check", &proxy.url, "--cacert", &chain, "--profile", "1.0", "--only", "get"], &[]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let (ran, report) = proxy.end();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(results(&report, &["pass"]).iter().any(|case| case.ends_with("over grpc")), "{}", ran.stderr);
}

#[test]
fn an_agent_that_is_gone_is_a_bad_gateway() {
    let agent = Reference::start(Config::default());
    let proxy = Proxy::start(&agent.url(), &[]);
    drop(agent);
    let ran = program::run_by("curl", &["-s", "-w", "%{http_code}", &format!("{}/1.0", proxy.url), "-d", "{}"], &[]);
    assert!(ran.stdout.ends_with("502") && ran.stdout.contains("no response from the agent"), "{}", ran.stdout);
}
