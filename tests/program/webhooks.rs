//! `a2aspec webhook listen`, with somebody who posts.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};

use a2a_reference_agent::{Config, RunningAgent};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use serde_json::Value;

use super::program::Running;
use super::{program, snapshot};

/// The program at work, its address, and the path of its webhook there.
fn listening(arguments: &[&str]) -> (Running, String, String) {
    let running = program::start(&[&["webhook", "listen"], arguments].concat(), &[]);
    let first = running.stdout_line("webhook at ");
    let (address, path) = first.strip_prefix("webhook at http://").unwrap().split_once('/').unwrap();
    (running, address.to_owned(), format!("/{path}"))
}

/// Sends one request, and gives the first line of its answer.
fn send(address: &str, method: &str, path: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(program::LIMIT)).unwrap();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\nx-a2a-notification-token: t0k3n\r\n"
    );
    write!(stream, "{head}content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.lines().next().unwrap().to_owned()
}

#[test]
fn what_is_posted_is_shown_as_it_comes() {
    let (running, address, path) = listening(&["--count", "2", "--status", "202"]);
    assert!(send(&address, "GET", &format!("{path}?validationToken=abc"), "").starts_with("HTTP/1.1 200"));
    for body in [r#"{"task":{"id":"t-1"}}"#, "no JSON\u{1b}[2J"] {
        assert!(send(&address, "POST", &path, body).starts_with("HTTP/1.1 202"));
    }
    let ran = running.wait();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    // The first line was waited for.
    let (_, shown) = ran.stdout.split_once('\n').unwrap();
    let is_timed = |line: &str| line.starts_with('#') || line.starts_with('=');
    let untimed = |line: &str| {
        line.rsplit_once([',', 'a'])
            .filter(|_| is_timed(line))
            .map(|(said, _)| said.trim_end_matches([',', ' ']).to_owned())
    };
    let lines = shown.lines().map(|line| untimed(line).unwrap_or_else(|| line.to_owned()).replace(&path, "/PATH"));
    snapshot::check("webhook-listen", &lines.collect::<Vec<_>>().join("\n"));
}

/// What comes for other paths is sent away, and not shown.
#[cfg(unix)]
#[test]
fn it_listens_until_a_signal() {
    let (running, address, _) = listening(&[]);
    assert!(send(&address, "POST", "/elsewhere", "{}").starts_with("HTTP/1.1 404"));
    running.signal("INT");
    let ran = running.wait();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(!ran.stdout.contains("elsewhere"), "{}", ran.stdout);
}

#[test]
fn an_address_that_is_none_is_told() {
    let ran = program::run(&["webhook", "listen", "--webhook-listen", "localhost"], &[]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("\"localhost\" is no address to listen on"), "{}", ran.stderr);
}

/// The verdicts and reasons of the cases in which something is posted.
fn posted(arguments: &[&str]) -> (program::Ran, Vec<(String, String)>) {
    let short = ["--profile", "1.0", "--binding", "jsonrpc", "--only", "push/posted", "--report", "json"];
    let ran = program::run(&[arguments, &short[..]].concat(), &[]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let results = report["results"].as_array().into_iter().flatten();
    let told = results.map(|result| (text(&result["verdict"]), text(&result["reason"]))).collect();
    (ran, told)
}

/// The reference agent checks itself with a certificate that is made for the run, and trusts it.
#[test]
fn webhooks_are_received_over_tls() {
    let (ran, told) = posted(&["selftest", "--webhook-tls"]);
    assert!(!told.is_empty() && told.iter().all(|(verdict, _)| verdict == "pass"), "{told:?} {}", ran.stderr);
    let (ran, told) = posted(&["selftest", "--webhook-tls", "--fault", "push/posts-by-put"]);
    assert!(!told.is_empty() && told.iter().all(|(verdict, _)| verdict == "fail"), "{told:?} {}", ran.stderr);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let exchanges = report["exchanges"].as_array().unwrap().iter();
    let inbound: Vec<&Value> = exchanges.filter(|exchange| exchange["direction"] == "inbound").collect();
    assert!(!inbound.is_empty(), "{report}");
    for exchange in inbound {
        assert!(exchange["request"]["url"].as_str().unwrap().starts_with("https://127.0.0.1:"), "{exchange}");
    }
    let command = report["cases"][0]["rerun"][0]["command"].as_str().unwrap();
    assert!(command.contains("--webhook-tls"), "{command}");
}

/// An agent that trusts this certificate, or none but those of this machine.
async fn trusting(authority: Option<&str>) -> RunningAgent {
    let webhook_authorities = authority.map(|pem| pem.as_bytes().to_vec());
    let config = Config { webhook_authorities, ..Config::default() };
    a2a_reference_agent::start(config, (Ipv4Addr::LOCALHOST, 0).into()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn an_agent_has_to_trust_the_certificate_of_webhooks() {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let (trusting, doubting) = (trusting(Some(&cert.pem())).await, trusting(None).await);
    let urls = [&trusting, &doubting].map(|agent| agent.url().to_owned());
    let folder = program::Folder::new();
    let (chain, key) = (folder.write("hook.pem", &cert.pem()), folder.write("hook.key", &signing_key.serialize_pem()));
    let CertifiedKey { signing_key: other, .. } = generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let other = folder.write("other.key", &other.serialize_pem());
    tokio::task::spawn_blocking(move || {
        let with = |url: &str, key: &str| posted(&["check", url, "--webhook-cert", &chain, "--webhook-key", key]);
        let (ran, told) = with(&urls[0], &key);
        assert!(!told.is_empty() && told.iter().all(|(verdict, _)| verdict == "pass"), "{told:?} {}", ran.stderr);

        let (ran, told) = with(&urls[1], &key);
        assert!(!told.is_empty(), "nothing was run");
        for (verdict, reason) in told {
            assert_eq!(verdict, "unreached", "{reason}");
            assert!(reason.contains("UnknownCA") && reason.contains("--webhook-cert"), "{reason}");
        }
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        let command = report["cases"][0]["rerun"][0]["command"].as_str().unwrap_or_default();
        assert!(command.contains(&format!("--webhook-cert {chain} --webhook-key {key}")), "{command}");

        let (ran, _) = with(&urls[0], &other);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains("hook.pem does not go with its key"), "{}", ran.stderr);
    })
    .await
    .unwrap();
    trusting.stop().await;
    doubting.stop().await;
}

/// Who listens by hand sees the certificate, since nobody else has it.
#[test]
fn a_made_certificate_is_shown() {
    let running = program::start(&["webhook", "listen", "--webhook-tls"], &[]);
    let first = running.stdout_line("");
    assert!(first.starts_with("webhook at https://127.0.0.1:"), "{first}");
    running.stdout_line("-----BEGIN CERTIFICATE-----");
    running.stdout_line("Ctrl-C");
}
