//! Agents with tenants: which interfaces are checked, what names the tenant, and how it is said again.

use std::net::Ipv4Addr;
use std::time::Duration;

use a2a_reference_agent::{Config, Fault, RunningAgent, Tenant};
use serde_json::Value;
use tokio::runtime::Runtime;

use super::program::{self, Ran};

/// Some of what each binding asks: calls, lists, streams, webhooks and exact bytes.
const FEW: [&str; 8] = [
    "--only",
    "get/existing",
    "--only",
    "subscribe/first-event",
    "--only",
    "push/created",
    "--only",
    "http-json/coding-not-accepted",
];

async fn start(faults: &[&str]) -> RunningAgent {
    let faults = faults.iter().map(|id| Fault::find(id).unwrap()).collect();
    // On a busy machine, too, a task is at work until it is subscribed to.
    let slow = Duration::from_secs(3);
    let config = Config { tenants: Tenant::two().to_vec(), faults, slow, ..Config::default() };
    a2a_reference_agent::start(config, (Ipv4Addr::LOCALHOST, 0).into()).await.unwrap()
}

fn check(url: &str, more: &[&str]) -> Ran {
    program::run(&[&["check", url, "--timeout", "60", "--report", "json"], more].concat(), &[])
}

fn report(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).expect(&ran.stderr)
}

/// The interfaces of a report that were checked, each with its tenant.
fn checked(report: &Value) -> Vec<(&str, Option<&str>)> {
    let all = report["target"]["interfaces"].as_array().unwrap().iter();
    let checked = all.filter(|interface| interface.get("skipped").is_none());
    checked.map(|one| (one["binding"].as_str().unwrap(), one.get("tenant").and_then(Value::as_str))).collect()
}

#[test]
fn the_interfaces_of_a_tenant_are_checked_for_it() {
    let runtime = Runtime::new().unwrap();
    let agent = runtime.block_on(start(&[]));
    let tenants = ["--only", "tenants/*", "--only", "http-json/tenant-paths"];
    let ran = check(agent.url(), &[&["--tenant", "globex", "--fail-on", "should"], &FEW[..], &tenants].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let report = report(&ran);
    let own = Some("globex");
    assert_eq!(checked(&report), [("JSONRPC", own), ("HTTP+JSON", own), ("GRPC", own)]);
    let verdicts = report["results"].as_array().unwrap().iter().map(|result| result["verdict"].as_str().unwrap());
    assert!(verdicts.clone().count() > 20 && verdicts.clone().all(|verdict| verdict == "pass"), "{}", ran.stdout);
    // Whatever was made was made for the tenant.
    let listed = |below: &str| {
        let url = format!("{}/rest{below}/tasks", agent.url());
        runtime.block_on(async move {
            let answer = reqwest::Client::builder()
                .no_proxy()
                .build()
                .unwrap()
                .get(url)
                .header("A2A-Version", "1.0")
                .send()
                .await
                .unwrap();
            serde_json::from_str::<Value>(&answer.text().await.unwrap()).unwrap()["totalSize"].as_u64().unwrap()
        })
    };
    assert_eq!((listed(""), listed("/globex") > 0), (0, true));
}

#[test]
fn without_a_word_the_first_interfaces_are_checked() {
    let runtime = Runtime::new().unwrap();
    let agent = runtime.block_on(start(&[]));
    let ran = check(agent.url(), &["--profile", "1.0", "--only", "tenants/*"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let report = report(&ran);
    assert_eq!(checked(&report), [("JSONRPC", None), ("HTTP+JSON", None), ("GRPC", None)]);
    let left = report["target"]["interfaces"].as_array().unwrap();
    let left = left.iter().filter_map(|one| Some((one.get("tenant")?.as_str()?, one.get("skipped")?.as_str()?)));
    let left: Vec<_> = left.collect();
    assert_eq!(left.len(), 6);
    let is_told = |(tenant, why): &(&str, &str)| why.ends_with(&format!("; --tenant {tenant} checks this one"));
    assert!(left.iter().all(is_told), "{left:?}");
}

#[test]
fn a_tenant_that_no_interface_has_is_told() {
    let runtime = Runtime::new().unwrap();
    let agent = runtime.block_on(start(&[]));
    let ran = check(agent.url(), &["--tenant", "initech"]);
    assert_eq!(ran.code, 3, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("for the tenant acme: --tenant leaves it out"), "{}", ran.stderr);
}

/// What is found is found again by the line that the report gives, and the request that shows it names the tenant.
#[test]
fn lines_name_the_tenant() {
    let runtime = Runtime::new().unwrap();
    let agent = runtime.block_on(start(&["get/unknown-is-internal"]));
    let ran = check(agent.url(), &["--tenant", "acme", "--only", "get/unknown-id"]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let report = report(&ran);
    let lines: Vec<&str> = report["cases"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|case| case["rerun"].as_array().unwrap())
        .map(|line| line["command"].as_str().unwrap())
        .collect();
    assert!(lines.len() == 3 && lines.iter().all(|line| line.contains("--tenant acme")), "{lines:?}");
    let words: Vec<&str> = lines[0].split(' ').skip(1).collect();
    let again = program::run(&[&words[..], &["--report", "json"]].concat(), &[]);
    assert_eq!(again.code, 1, "{}{}", again.stdout, again.stderr);
    let shown = ran.stdout.contains(r#"\"tenant\":\"acme\""#) && ran.stdout.contains("/rest/acme/tasks/");
    assert!(shown, "{}", ran.stdout);
}

/// An interface that the user names is for the tenant that the user names.
#[test]
fn an_interface_without_a_card() {
    let runtime = Runtime::new().unwrap();
    let agent = runtime.block_on(start(&[]));
    let url = format!("{}/1.0", agent.url());
    let named = ["--profile", "1.0", "--binding", "jsonrpc", "--card", "http://127.0.0.1:1/card.json"];
    let ran = check(&url, &[&named[..], &["--tenant", "acme", "--only", "get/existing"]].concat());
    assert_eq!((ran.code, checked(&report(&ran))), (0, vec![("jsonrpc", Some("acme"))]), "{}", ran.stderr);
}
