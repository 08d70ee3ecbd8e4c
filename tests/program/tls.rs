//! Agents that are reached by TLS: whom the suite trusts, and what it says of those whom it does not.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};

use a2a_reference_agent::{Config, Fault, RunningAgent, Tls};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

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

/// The reference agent with a certificate that nobody trusts, which agrees on TLS 1.1; and that certificate.
async fn agent() -> (RunningAgent, String) {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed([NAME.to_owned()]).unwrap();
    let (chain, key) = (cert.pem(), signing_key.serialize_pem().into_bytes());
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

/// What the agent's user sends along, and nobody on the way may see.
const TOKEN: &str = "t0ken-that-only-tls-may-carry";

/// Somebody on the way who has a certificate for the name, or none, and would like the suite to go on without TLS.
struct Middle {
    /// The port that speaks TLS, unless that was stripped.
    port: u16,
    /// The port without TLS, to which everything is led.
    plain: u16,
    certificate: String,
    /// All that came without TLS.
    seen: Arc<Mutex<Vec<u8>>>,
}

/// What is answered to a request for the card, and to any other, by the two ports.
type Answers = fn(u16, u16) -> [String; 2];

impl Middle {
    async fn start(strips: bool, answers: Answers) -> Self {
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed([NAME.to_owned()]).unwrap();
        let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
        let provider = rustls::crypto::ring::default_provider().install_default();
        drop(provider);
        let config = ServerConfig::builder().with_no_client_auth();
        let acceptor = TlsAcceptor::from(Arc::new(config.with_single_cert(vec![cert.der().clone()], key).unwrap()));
        let seen = Arc::new(Mutex::default());
        let ports = [TcpListener::bind("127.0.0.1:0").await.unwrap(), TcpListener::bind("127.0.0.1:0").await.unwrap()];
        let [port, plain] = [0, 1].map(|at: usize| ports[at].local_addr().unwrap().port());
        let answers = answers(port, plain);
        for (listener, acceptor) in ports.into_iter().zip([Some(acceptor).filter(|_| !strips), None]) {
            let (seen, answers) = (Arc::clone(&seen), answers.clone());
            tokio::spawn(async move {
                while let Ok((stream, _)) = listener.accept().await {
                    let (seen, answers, acceptor) = (Arc::clone(&seen), answers.clone(), acceptor.clone());
                    tokio::spawn(async move {
                        match acceptor {
                            None => answer(stream, &answers, Some(&seen)).await,
                            Some(acceptor) => answer(acceptor.accept(stream).await.ok()?, &answers, None).await,
                        }
                    });
                }
            });
        }
        Self { port, plain, certificate: cert.pem(), seen }
    }

    /// What the suite says of it.
    async fn check(&self) -> program::Ran {
        let folder = Folder::new();
        let trusted = folder.write("ca.pem", &self.certificate);
        let url = format!("https://{NAME}:{}/", self.port);
        let resolve = format!("{NAME}=127.0.0.1");
        let run = move || {
            let known = ["--cacert", &trusted, "--resolve", &resolve, "--bearer", "env:A2ASPEC_TEST_TOKEN"];
            let short = ["--profile", "1.0", "--only", "get/unknown-id", "--timeout", "5", "--report", "json"];
            let ran = program::run(&[&["check", &url], &known[..], &short].concat(), &[("A2ASPEC_TEST_TOKEN", TOKEN)]);
            drop(folder);
            ran
        };
        tokio::task::spawn_blocking(run).await.unwrap()
    }

    fn assert_nothing_seen(&self) {
        let seen = String::from_utf8_lossy(&self.seen.lock().unwrap()).into_owned();
        assert!(!seen.contains(TOKEN), "{seen}");
    }
}

async fn answer(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    [card, other]: &[String; 2],
    seen: Option<&Mutex<Vec<u8>>>,
) -> Option<()> {
    let mut head = Vec::new();
    let mut piece = [0; 4096];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = stream.read(&mut piece).await.ok()?;
        let read = piece.get(..read).filter(|read| !read.is_empty())?;
        head.extend_from_slice(read);
        seen.iter().for_each(|seen| seen.lock().unwrap().extend_from_slice(read));
        // No request begins like a ClientHello. Who strips TLS answers it all the same.
        if head.first() == Some(&0x16) {
            break;
        }
    }
    let is_card = head.starts_with(b"GET /.well-known/");
    stream.write_all(if is_card { card } else { other }.as_bytes()).await.ok()?;
    stream.shutdown().await.ok()
}

fn redirect(port: u16) -> String {
    format!(
        "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://{NAME}:{port}/\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    )
}

/// A card with one interface.
fn card(url: &str) -> String {
    let interface = serde_json::json!({ "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" });
    let card = serde_json::json!({
        "name": "Agent", "description": "An agent", "version": "1", "supportedInterfaces": [interface], "capabilities": {},
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "skills": [],
    });
    let body = card.to_string();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
    format!("{head}content-length: {}\r\n\r\n{body}", body.len())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_told_to_whoever_strips_tls() {
    let middle = Middle::start(true, |_, _| ["card", "other"].map(|_| "HTTP/1.1 200 OK\r\n\r\n".to_owned())).await;
    let ran = middle.check().await;
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("TLS failed: the port answers without TLS"), "{}", ran.stderr);
    assert!(!middle.seen.lock().unwrap().is_empty());
    middle.assert_nothing_seen();
}

/// A redirect to plain HTTP is told, and not followed: neither that of the card, nor that of a call.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_followed_out_of_tls() {
    let middle = Middle::start(false, |_, plain| [redirect(plain), redirect(plain)]).await;
    let ran = middle.check().await;
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("http://{NAME}:{}/", middle.plain)), "{}", ran.stderr);
    assert!(middle.seen.lock().unwrap().is_empty());

    let middle =
        Middle::start(false, |port, plain| [card(&format!("https://{NAME}:{port}/a2a")), redirect(plain)]).await;
    let ran = middle.check().await;
    assert_ne!(ran.code, 0, "{}", ran.stdout);
    assert!(format!("{}{}", ran.stdout, ran.stderr).contains("HTTP 307"), "{}{}", ran.stdout, ran.stderr);
    assert!(middle.seen.lock().unwrap().is_empty());
}

/// An interface that is plain, although the card came by TLS: it is checked, with a warning, and without credentials.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_card_that_leads_out_of_tls_is_told() {
    let middle = Middle::start(false, |_, plain| {
        let refused = "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_owned();
        [card(&format!("http://{NAME}:{plain}/a2a")), refused]
    });
    let middle = middle.await;
    let ran = middle.check().await;
    for part in ["not encrypted, although", "no credentials are sent here"] {
        assert!(format!("{}{}", ran.stdout, ran.stderr).contains(part), "{part}: {}{}", ran.stdout, ran.stderr);
    }
    assert!(!middle.seen.lock().unwrap().is_empty());
    middle.assert_nothing_seen();
}
