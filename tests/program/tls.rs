//! Agents that are reached by TLS: whom the suite trusts, and what it says of those whom it does not.

use std::net::Ipv4Addr;

use a2a_reference_agent::{Config, Fault, RunningAgent, Tls};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use serde_json::Value;

use super::program::{self, Folder};

/// A name that is kept for documents, so that nobody is there.
const NAME: &str = "agent.example.com";

/// What shows that there is TLS, over two bindings.
const SHORT: [&str; 10] = [
    "--profile",
    "1.0",
    "--binding",
    "jsonrpc",
    "--binding",
    "grpc",
    "--only",
    "security/old-tls",
    "--only",
    "security/encrypted",
];

fn pem(label: &str, der: &[u8]) -> String {
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", STANDARD.encode(der))
}

/// The reference agent with a certificate that nobody trusts, which agrees on TLS 1.1; and that certificate.
async fn agent() -> (RunningAgent, String) {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed([NAME.to_owned()]).unwrap();
    let chain = pem("CERTIFICATE", cert.der());
    let key = pem("PRIVATE KEY", &signing_key.serialize_der()).into_bytes();
    let tls = Some(Tls { chain: chain.clone().into_bytes(), key });
    let faults = vec![Fault::find("security/old-tls").unwrap()];
    let config = Config { tls, host: Some(NAME.to_owned()), faults, ..Config::default() };
    (a2a_reference_agent::start(config, (Ipv4Addr::LOCALHOST, 0).into()).await.unwrap(), chain)
}

/// What a run says of the agent, with these flags.
fn check(url: &str, flags: &[&str]) -> program::Ran {
    let resolve = format!("{NAME}=127.0.0.1");
    let arguments = [&["check", url, "--resolve", &resolve, "--report", "json"], &SHORT[..], flags].concat();
    program::run(&arguments, &[])
}

/// The verdicts of both cases over both bindings: there is TLS, and of an old version, too.
fn assert_seen(report: &Value) {
    let results = report["results"].as_array().unwrap().iter();
    let mut verdicts: Vec<_> = results.map(|result| format!("{} {}", result["case"], result["verdict"])).collect();
    verdicts.sort();
    let [right, wrong] = ["\"security/encrypted\" \"pass\"", "\"security/old-tls\" \"warn\""];
    assert_eq!(verdicts, [right, right, wrong, wrong]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn whom_the_suite_trusts_is_said_by_its_user() {
    let (agent, chain) = agent().await;
    let url = agent.url().to_owned();
    let folder = Folder::new();
    let trusted = folder.write("ca.pem", &chain);
    tokio::task::spawn_blocking(move || {
        let untrusted = check(&url, &[]);
        assert_eq!(untrusted.code, 3, "{}", untrusted.stderr);
        for part in ["TLS failed: invalid peer certificate", "--cacert FILE", "--insecure"] {
            assert!(untrusted.stderr.contains(part), "{part}: {}", untrusted.stderr);
        }

        let trusting = check(&url, &["--cacert", &trusted]);
        let report: Value = serde_json::from_str(&trusting.stdout).expect(&trusting.stderr);
        assert_seen(&report);
        assert!(!trusting.stderr.contains("--insecure"), "{}", trusting.stderr);
        let mut results = report["results"].as_array().unwrap().iter();
        let finding = results.find_map(|result| result["findings"].get(0)).unwrap();
        assert!(finding["received"].as_str().unwrap().starts_with("TLS 1.1 with TLS_"), "{finding}");
        let command = report["cases"][0]["rerun"][0]["command"].as_str().unwrap();
        assert!(command.contains(&format!("--cacert {trusted} --resolve {NAME}=127.0.0.1")), "{command}");

        let blind = check(&url, &["--insecure"]);
        let report: Value = serde_json::from_str(&blind.stdout).expect(&blind.stderr);
        assert_seen(&report);
        assert!(blind.stderr.contains("warning: JSONRPC 1.0"), "{}", blind.stderr);
        let checked = report["target"]["interfaces"].as_array().unwrap().iter();
        for interface in checked.filter(|interface| interface["skipped"].is_null()) {
            let note = interface["note"].as_str().unwrap_or_default();
            assert!(note.contains("its certificate is not verified (--insecure)"), "{interface}");
        }
    })
    .await
    .unwrap();
    agent.stop().await;
}
