//! Identities that are certificates: an agent behind what lets nobody through without one.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};

use a2a_reference_agent::{Config, RunningAgent, User};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig, crypto};

use super::program::{self, Folder};

/// A name that is kept for documents, so that nobody is there.
const NAME: &str = "agent.example.com";

fn pem(label: &str, der: &[u8]) -> String {
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", STANDARD.encode(der))
}

/// Two people who have certificates, and the files of these.
struct People {
    folder: Folder,
    known: RootCertStore,
}

impl People {
    fn new() -> Self {
        let (folder, mut known) = (Folder::new(), RootCertStore::empty());
        for name in ["ann", "bob"] {
            let CertifiedKey { cert, signing_key } = generate_simple_self_signed([name.to_owned()]).unwrap();
            folder.write(&format!("{name}.pem"), &pem("CERTIFICATE", cert.der()));
            folder.write(&format!("{name}.key"), &pem("PRIVATE KEY", &signing_key.serialize_der()));
            known.add(cert.der().clone()).unwrap();
        }
        Self { folder, known }
    }

    /// Settings with both of them, and more.
    fn settings(&self, more: &str) -> String {
        let file = |name: &str| self.folder.file(name);
        let identity = |name: &str, of: &str| {
            format!(
                "[identities.{name}]\ncert = '{}'\nkey = '{}'\n",
                file(&format!("{of}.pem")),
                file(&format!("{of}.key"))
            )
        };
        let all = [more, &identity("ann", "ann"), &identity("bob", "bob"), &identity("again", "ann")].concat();
        self.folder.write("a2aspec.toml", &all)
    }
}

/// The reference agent, reached by TLS with a certificate that these know; where it is, its certificate, and the certificates
/// that came through.
async fn agent(known: RootCertStore, users: Vec<User>) -> (RunningAgent, String, String, Arc<Mutex<Vec<Vec<u8>>>>) {
    let _provided = crypto::ring::default_provider().install_default();
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed([NAME.to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let asking = WebPkiClientVerifier::builder(Arc::new(known)).build().unwrap();
    let tls = ServerConfig::builder().with_client_cert_verifier(asking);
    let mut tls = tls.with_single_cert(vec![cert.der().clone()], key).unwrap();
    tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(tls));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let url = format!("https://{NAME}:{}", listener.local_addr().unwrap().port());
    let config = Config { public_url: Some(url.clone()), users, ..Config::default() };
    let agent = a2a_reference_agent::start(config, (Ipv4Addr::LOCALHOST, 0).into()).await.unwrap();
    let behind = agent.url().trim_start_matches("http://").trim_end_matches('/').to_owned();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let shown = Arc::clone(&seen);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, behind, shown) = (acceptor.clone(), behind.clone(), Arc::clone(&shown));
            tokio::spawn(async move {
                let mut stream = match acceptor.accept(stream).into_fallible().await {
                    Ok(stream) => stream,
                    // What the client has sent by then is read, or the alert would get lost with the connection.
                    Err((_, mut stream)) => return drop(tokio::io::copy(&mut stream, &mut tokio::io::sink()).await),
                };
                let chain = stream.get_ref().1.peer_certificates().unwrap();
                shown.lock().unwrap().push(chain[0].to_vec());
                let Ok(mut agent) = TcpStream::connect(behind).await else { return };
                let _ = tokio::io::copy_bidirectional(&mut stream, &mut agent).await;
            });
        }
    });
    (agent, url, pem("CERTIFICATE", cert.der()), seen)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_identity_shows_its_certificate_over_http_and_grpc() {
    let people = People::new();
    let (agent, url, certificate, seen) = agent(people.known.clone(), Vec::new()).await;
    let trusted = people.folder.write("ca.pem", &certificate);
    tokio::task::spawn_blocking(move || {
        let resolve = format!("{NAME}=127.0.0.1");
        let check = |more: &str, flags: &[&str]| {
            let settings = people.settings(more);
            let base = ["check", &url, "--config", &settings, "--cacert", &trusted, "--resolve", &resolve];
            let what = ["--profile", "1.0", "--binding", "jsonrpc", "--binding", "grpc", "--report", "json"];
            let cases = ["--only", "get/existing", "--only", "security/others-task"];
            program::run(&[&base[..], &what, &cases, flags].concat(), &[])
        };
        let alone = check("", &[]);
        assert_eq!(alone.code, 3, "{}", alone.stderr);
        let ran = check("", &["--as", "ann", "--other", "bob"]);
        let report: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
        let verdicts = |case: &str| {
            let results = report["results"].as_array().unwrap().iter().filter(|result| result["case"] == case);
            results.map(|result| result["verdict"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(verdicts("get/existing"), ["pass", "pass"], "{}", ran.stdout);
        // An agent that knows nothing of its callers shows each of them everything.
        assert_eq!(verdicts("security/others-task"), ["fail", "fail"], "{}", ran.stdout);
        let identities = &report["security"]["identities"];
        for (number, caller) in ["own", "other"].into_iter().enumerate() {
            assert_eq!(identities[number]["caller"], caller, "{identities}");
            assert_eq!(identities[number]["brings"][0], "a client certificate", "{identities}");
        }
        let mut shown = seen.lock().unwrap().clone();
        shown.sort();
        shown.dedup();
        assert_eq!(shown.len(), 2, "each shows their own");

        let twice = check("", &["--as", "ann", "--other", "again"]);
        assert_eq!(twice.code, 2, "{}", twice.stderr);
        assert!(
            twice.stderr.contains("the own identity and the other one bring the same credentials"),
            "{}",
            twice.stderr
        );
        let half = check("as = 'eve'\n[identities.eve]\ncert = 'eve.pem'\n", &[]);
        assert_eq!(half.code, 2, "{}", half.stderr);
        assert!(half.stderr.contains("`cert` and `key` of the identity `eve` go together"), "{}", half.stderr);
        let gone = check("as = 'eve'\n[identities.eve]\ncert = 'eve.pem'\nkey = 'eve.key'\n", &[]);
        assert_eq!(gone.code, 2, "{}", gone.stderr);
        assert!(gone.stderr.contains("the file eve.pem cannot be read"), "{}", gone.stderr);
    })
    .await
    .unwrap();
    agent.stop().await;
}

/// Who has no certificate is refused by the handshake, and has no other answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handshake_that_is_refused_refuses_nobody_as_it_should() {
    let people = People::new();
    let users = vec!["ann=t0ken".parse().unwrap()];
    let (agent, url, certificate, _) = agent(people.known.clone(), users).await;
    let trusted = people.folder.write("ca.pem", &certificate);
    let cases = ["", "-to-stream", "-to-subscribe", "-tell-nothing", "-cancel-refused-only"];
    tokio::task::spawn_blocking(move || {
        let resolve = format!("{NAME}=127.0.0.1");
        let settings = people.settings("");
        let base = ["check", &url, "--config", &settings, "--cacert", &trusted, "--resolve", &resolve];
        let who = ["--as", "ann", "--bearer", "env:TOKEN"];
        let what = ["--profile", "1.0", "--binding", "jsonrpc", "--binding", "grpc", "--report", "json"];
        let only = cases.map(|case| format!("security/no-credentials{case}"));
        let only: Vec<&str> = only.iter().flat_map(|case| ["--only", case]).collect();
        let ran = program::run(&[&base[..], &who, &what, &only].concat(), &[("TOKEN", "t0ken")]);
        let report: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
        let results = report["results"].as_array().unwrap();
        let told: Vec<_> = results.iter().map(|result| (&result["case"], &result["verdict"])).collect();
        assert_eq!(told.len(), 2 * cases.len(), "{told:?}");
        assert!(told.iter().all(|(_, verdict)| *verdict == "pass"), "{}", ran.stdout);
    })
    .await
    .unwrap();
    agent.stop().await;
}
