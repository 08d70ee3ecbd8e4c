//! Interfaces that are declared wrongly, that are not there, or that go away.

use std::net::TcpListener;
use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use super::agent::{Agent, Interface, card_of, reference};
use super::{program, says, snapshot};

/// Two short cases, as the user selects them.
const FEW: [&str; 6] = ["--only", "get/unknown-id", "--only", "get/existing", "--timeout", "60"];

/// No agent has port 1, which only the administrator could give it.
const NOWHERE: &str = "http://127.0.0.1:1";

/// A card that declares what `interfaces` makes of the address of a reference agent, which is served, and nothing else.
fn declaring(interfaces: impl FnOnce(&str) -> Vec<Interface> + Send) -> Agent {
    Agent::serve(async move |_| {
        let agent = Arc::new(reference(None).await);
        let card = card_of(&interfaces(agent.url())).to_string();
        let answer = move || {
            let _served = Arc::clone(&agent);
            std::future::ready(card.clone())
        };
        Router::new().route("/.well-known/agent-card.json", get(answer))
    })
}

fn interface(url: impl Into<String>, binding: &'static str, version: &'static str) -> Interface {
    (url.into(), binding, version)
}

/// Runs a few cases against an agent, and compares what is said with a snapshot.
fn few(name: &str, agent: &Agent) -> program::Ran {
    says(name, &[&["check", &agent.url], &FEW[..]].concat())
}

/// Verdicts by binding and case.
fn verdicts(ran: &program::Ran) -> Vec<(String, String, String)> {
    let report: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    let text = |result: &Value, name: &str| result[name].as_str().unwrap().to_owned();
    let results = report["results"].as_array().unwrap().iter();
    results.map(|result| (text(result, "binding"), text(result, "case"), text(result, "verdict"))).collect()
}

#[test]
fn grpc_at_a_path() {
    let agent = declaring(|url| vec![interface(format!("{url}/a2a/grpc"), "GRPC", "1.0")]);
    assert_eq!(few("grpc-at-a-path", &agent).code, 0);
}

#[test]
fn grpc_at_a_port_of_http_1() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let agent = declaring(move |_| {
        tokio::spawn(async move {
            listener.set_nonblocking(true).unwrap();
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            while let Ok((mut connection, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let mut request = [0; 1024];
                    let _ = connection.read(&mut request).await;
                    let answer = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
                    let _ = connection.write_all(answer).await;
                });
            }
        });
        vec![interface(address, "GRPC", "1.0")]
    });
    assert_eq!(few("grpc-at-a-port-of-http-1", &agent).code, 3);
}

/// The certificate is trusted, but it is that of another host.
#[test]
fn grpc_behind_the_certificate_of_another_host() {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["agent.example".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let mut config =
        ServerConfig::builder().with_no_client_auth().with_single_cert(vec![cert.der().clone()], key).unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = format!("https://{}", listener.local_addr().unwrap());
    let agent = declaring(move |_| {
        tokio::spawn(async move {
            listener.set_nonblocking(true).unwrap();
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            while let Ok((connection, _)) = listener.accept().await {
                let _ = acceptor.accept(connection).await;
            }
        });
        vec![interface(address, "GRPC", "1.0")]
    });
    let folder = program::Folder::new();
    let pem = format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", STANDARD.encode(cert.der()));
    let trusted = folder.write("trusted.pem", &pem);
    let ran = program::run(&[&["check", &agent.url], &FEW[..]].concat(), &[("SSL_CERT_FILE", &trusted)]);
    snapshot::check("grpc-behind-the-certificate-of-another-host", &snapshot::told(&ran));
    assert_eq!(ran.code, 3);
}

#[test]
fn addresses_that_cannot_be_used() {
    let unusable = || {
        vec![
            interface("ftp://agent.example", "GRPC", "1.0"),
            interface("agent.example", "GRPC", "1.0"),
            interface("", "GRPC", "1.0"),
            interface("", "HTTP+JSON", "1.0"),
            interface("ftp://agent.example", "HTTP+JSON", "1.0"),
        ]
    };
    let none = declaring(move |_| unusable());
    assert_eq!(few("addresses-unusable", &none).code, 3);
    let one = declaring(move |url| unusable().into_iter().chain([interface(url, "GRPC", "1.0")]).collect());
    assert_eq!(few("addresses-unusable-but-one", &one).code, 0);
}

#[test]
fn a_base_url_with_and_without_a_slash() {
    let of = |slash: &str| {
        let agent = declaring(|url| vec![interface(format!("{url}/rest{slash}"), "HTTP+JSON", "1.0")]);
        let selection = ["--only", "http-json/*", "--only", "get/*", "--only", "list/*", "--report", "json"];
        verdicts(&program::run(&[&["check", &agent.url, "--timeout", "60"], &selection[..]].concat(), &[]))
    };
    let (without, with) = (of(""), of("/"));
    assert!(without.iter().any(|(_, case, verdict)| case == "get/existing" && verdict == "pass"), "{without:#?}");
    assert_eq!(with, without);
}

/// The same interface in other words is shown and checked once.
#[test]
fn interfaces_that_are_declared_twice() {
    let agent = declaring(|url| {
        let rest = |version| interface(format!("{url}/rest"), "HTTP+JSON", version);
        let grpc = |version| interface(url, "GRPC", version);
        vec![rest("1.0"), rest("1.0"), rest("0.3"), rest("0.3.0"), grpc("0.3.0"), grpc("0.3.0"), grpc("0.3")]
    });
    let ran = program::run(&[&["check", &agent.url, "--report", "json"], &FEW[..]].concat(), &[]);
    let report: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    let shown: Vec<(&str, &str)> = report["target"]["interfaces"]
        .as_array()
        .unwrap()
        .iter()
        .map(|interface| (interface["binding"].as_str().unwrap(), interface["version"].as_str().unwrap()))
        .collect();
    assert_eq!(shown, [("HTTP+JSON", "1.0"), ("HTTP+JSON", "0.3"), ("GRPC", "0.3.0")], "{report:#}");
    assert!(verdicts(&ran).iter().all(|(.., verdict)| verdict == "pass"), "{report:#}");
}

/// Bindings of one's own are named by URIs.
#[test]
fn a_binding_that_the_suite_does_not_know() {
    let agent = declaring(|url| {
        let custom = interface("wss://agent.example", "https://agent.example/bindings/websocket/v1", "1.0");
        vec![custom, interface(format!("{url}/1.0"), "JSONRPC", "1.0")]
    });
    assert_eq!(few("binding-of-ones-own", &agent).code, 0);
}

/// All three bindings of which one, in the order of the card, is nowhere.
fn without(down: usize) -> Agent {
    declaring(move |url| {
        let mut three = vec![
            interface(format!("{url}/1.0"), "JSONRPC", "1.0"),
            interface(format!("{url}/rest"), "HTTP+JSON", "1.0"),
            interface(url, "GRPC", "1.0"),
        ];
        three[down].0 = NOWHERE.to_owned();
        three
    })
}

#[test]
fn one_interface_is_down() {
    assert_eq!(few("interface-down-jsonrpc", &without(0)).code, 3);
    assert_eq!(few("interface-down-http-json", &without(1)).code, 3);
    assert_eq!(few("interface-down-grpc", &without(2)).code, 3);
}

/// The other forms of the report say it as well.
#[test]
fn one_interface_is_down_in_every_report() {
    let agent = without(2);
    let folder = program::Folder::new();
    let (json, junit) = (folder.file("report.json"), folder.file("report.xml"));
    let flags = [format!("json={json}"), format!("junit={junit}")];
    let reports = ["--report", &flags[0], "--report", &flags[1]];
    let ran = program::run(&[&["check", &agent.url], &FEW[..], &reports].concat(), &[]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let report: Value = serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
    let lost: Vec<&Value> =
        report["target"]["interfaces"].as_array().unwrap().iter().map(|interface| &interface["lost"]).collect();
    let reason = Value::from("the interface cannot be reached: connection refused");
    assert_eq!(lost, [&Value::Null, &Value::Null, &reason]);
    assert!(report.get("stopped").is_none(), "the run went on");
    let junit = std::fs::read_to_string(junit).unwrap();
    let property = format!(r#"<property name="lost" value="GRPC 1.0 at {NOWHERE}: {}"/>"#, reason.as_str().unwrap());
    assert!(junit.contains(&property), "{junit}");
}

/// What is wrong with the others weighs more than what could not be seen.
#[test]
fn one_interface_is_down_and_another_fails() {
    let agent = without(2);
    let folder = program::Folder::new();
    let text = "cases:
  - id: own/impossible
    title: no agent can pass this
    why: for a test
    right: nothing
    wrong: everything
    fix: nothing
    level: MUST
    steps:
      - call: GetTask
        with: { id: no-such-task }
        expect: { outcome: [UnsupportedOperationError] }
";
    folder.write("own.yaml", text);
    let path = folder.path().display().to_string();
    let ran = program::run(&["check", &agent.url, "--cases", &path, "--only", "own/*", "--report", "json"], &[]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let verdicts: Vec<String> =
        verdicts(&ran).into_iter().map(|(binding, _, verdict)| binding + " " + &verdict).collect();
    assert_eq!(verdicts, ["grpc unreached", "http-json fail", "jsonrpc fail"]);
}

#[test]
fn every_interface_is_down() {
    let agent = declaring(|_| {
        let of = |binding| interface(NOWHERE, binding, "1.0");
        vec![of("JSONRPC"), of("HTTP+JSON"), of("GRPC")]
    });
    assert_eq!(few("every-interface-down", &agent).code, 3);
    assert_eq!(program::run(&["check", &agent.url], &[]).code, 3);
}

/// Interfaces that take connections and never answer are given up together, and before their cases.
#[test]
fn every_interface_hangs() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let agent = declaring(move |_| {
        let of = |binding, version| interface(address.clone(), binding, version);
        let both = |version| [of("JSONRPC", version), of("HTTP+JSON", version), of("GRPC", version)];
        [both("1.0"), both("0.3")].concat()
    });
    let ran = program::run(&["check", &agent.url, "--timeout", "3", "--report", "json"], &[]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let verdicts = verdicts(&ran);
    assert!(verdicts.iter().all(|(.., verdict)| verdict == "unreached" || verdict == "skipped"));
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let asked = report["exchanges"].as_array().unwrap().len();
    assert!(asked < verdicts.len() / 10, "{asked} requests in vain for {} results", verdicts.len());
}

/// What is seen of an interface before it goes away counts; what is not is not reached.
#[test]
fn an_interface_that_goes_away() {
    /// Requests that are let through.
    const SOME: usize = 40;
    let agent = declaring(|url| {
        let address = url.trim_start_matches("http://").to_owned();
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let in_front = format!("http://{}/rest", listener.local_addr().unwrap());
        tokio::spawn(async move {
            listener.set_nonblocking(true).unwrap();
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            let (tell, mut heard) = tokio::sync::mpsc::unbounded_channel();
            // All of its connections go when this is dropped.
            let mut connections = tokio::task::JoinSet::new();
            let mut requests = 0;
            while requests < SOME {
                tokio::select! {
                    Ok((client, _)) = listener.accept() => {
                        connections.spawn(forward(client, address.clone(), tell.clone()));
                    }
                    Some(()) = heard.recv() => requests += 1,
                }
            }
        });
        vec![interface(format!("{url}/1.0"), "JSONRPC", "1.0"), interface(in_front, "HTTP+JSON", "1.0")]
    });
    let selection = ["--only", "get/*", "--only", "list/*", "--only", "send/*", "--report", "json", "--jobs", "2"];
    let ran = program::run(&[&["check", &agent.url], &selection[..]].concat(), &[]);
    assert_eq!(ran.code, 3, "{}{}", ran.stdout, ran.stderr);
    let verdicts = verdicts(&ran);
    let count = |binding: &str, verdict: &str| {
        verdicts.iter().filter(|(over, _, came)| over == binding && came == verdict).count()
    };
    assert_eq!(count("jsonrpc", "unreached") + count("jsonrpc", "broken"), 0, "{verdicts:#?}");
    assert!(count("http-json", "pass") > 0, "{verdicts:#?}");
    assert!(count("http-json", "unreached") > count("http-json", "broken"), "{verdicts:#?}");
    assert_eq!(count("http-json", "fail"), 0, "{verdicts:#?}");
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let lost = report["target"]["interfaces"][1]["lost"].as_str().unwrap();
    assert!(lost.contains("stopped answering"), "{lost}");
}

/// Carries bytes to the agent and back, and tells of each piece that the client sends.
async fn forward(mut client: tokio::net::TcpStream, address: String, tell: tokio::sync::mpsc::UnboundedSender<()>) {
    let mut agent = tokio::net::TcpStream::connect(address).await.unwrap();
    let (mut sent, mut came) = ([0; 4096], [0; 4096]);
    loop {
        tokio::select! {
            read = client.read(&mut sent) => match read {
                Ok(read) if read > 0 => {
                    let _ = tell.send(());
                    agent.write_all(&sent[..read]).await.unwrap();
                }
                _ => return,
            },
            read = agent.read(&mut came) => match read {
                Ok(read) if read > 0 => client.write_all(&came[..read]).await.unwrap(),
                _ => return,
            },
        }
    }
}

#[test]
fn a_binding_that_is_not_declared() {
    let agent = declaring(|url| vec![interface(format!("{url}/1.0"), "JSONRPC", "1.0")]);
    assert_eq!(says("binding-not-declared", &["check", &agent.url, "--binding", "grpc"]).code, 3);
}

/// An agent without a card is checked at the interface that the user names.
#[test]
fn no_card_but_an_interface() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let agent = runtime.block_on(reference(None));
    let says = |name: &str, url: &str, binding: &str| {
        let card = format!("{}/no-card.json", agent.url());
        let arguments = ["check", url, "--card", &card, "--profile", "1.0", "--binding", binding];
        let ran = says(name, &[&arguments, &FEW[..]].concat());
        assert_eq!(ran.code, 0, "{}", ran.stdout);
    };
    says("no-card-but-grpc", agent.url(), "grpc");
    says("no-card-but-grpc-at-a-path", &format!("{}/a2a", agent.url()), "grpc");
    says("no-card-but-http-json", &format!("{}/rest", agent.url()), "http-json");
}
