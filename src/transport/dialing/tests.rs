use std::net::Ipv4Addr;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

use super::*;
use crate::auth::Credentials;
use crate::transcript::Ended;
use crate::transport::http::{Http, Settings};
use crate::wire::tls::{Offer, ServerReply};

/// A name that no resolver knows (RFC 6761 section 6.4).
const NAME: &str = "agent.invalid";

/// A text in PEM (RFC 7468).
pub(in crate::transport) fn pem(label: &str, der: &[u8]) -> String {
    let text = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, der);
    format!("-----BEGIN {label}-----\n{text}\n-----END {label}-----\n")
}

fn client(dialing: Dialing) -> Http {
    Http::dialing(dialing, Settings { credentials: Credentials::default(), timeout: Duration::from_secs(30) }).unwrap()
}

/// A server that says what it was sent to whoever gets through to it, and its certificate in PEM.
async fn server() -> (u16, String) {
    server_with(|chain, key| ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key).unwrap()).await
}

/// The same with another configuration of its certificate.
async fn server_with(
    configured: impl FnOnce(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>) -> ServerConfig,
) -> (u16, String) {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed([NAME.to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(configured(vec![cert.der().clone()], key)));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let mut read = [0; 3];
            let _ = stream.read_exact(&mut read).await;
            let _ = stream.write_all(&read).await;
            let _ = stream.shutdown().await;
        }
    });
    (port, pem("CERTIFICATE", cert.der()))
}

/// What comes back of three bytes, or how the connection could not be made.
async fn echo(dialing: Dialing, port: u16) -> Result<String, String> {
    echo_with(&client(dialing), port).await
}

async fn echo_with(client: &Http, port: u16) -> Result<String, String> {
    let stream = client.dial(&format!("https://{NAME}:{port}/")).await;
    let mut stream = stream.map_err(|ended| ended.to_string())?;
    let told = |error: std::io::Error| error.to_string();
    stream.write_all(b"abc").await.map_err(told)?;
    let mut read = String::new();
    stream.read_to_string(&mut read).await.map_err(told)?;
    Ok(read)
}

fn local() -> Dialing {
    let mut dialing = Dialing::default();
    dialing.find_at("Agent.invalid", IpAddr::V4(Ipv4Addr::LOCALHOST));
    dialing
}

#[tokio::test]
async fn whom_to_trust_is_the_choice_of_the_user() {
    let (port, pem) = server().await;
    let untrusted = echo(local(), port).await.unwrap_err();
    assert!(untrusted.contains("certificate"), "{untrusted}");
    let unknown = echo(Dialing::default(), port).await.unwrap_err();
    assert!(unknown.contains("cannot be resolved"), "{unknown}");

    let mut trusting = local();
    trusting.trust(pem.as_bytes()).unwrap();
    assert_eq!(echo(trusting, port).await.unwrap(), "abc");
    let mut blind = local();
    blind.verify_nothing();
    assert!(blind.verifies_nothing());
    assert_eq!(echo(blind, port).await.unwrap(), "abc");
}

/// As `openssl req -x509` makes it: one that signs itself, marked as that of an authority.
#[tokio::test]
async fn a_certificate_that_the_user_names_may_be_that_of_an_authority() {
    let key = rcgen::KeyPair::generate().unwrap();
    let mut made = rcgen::CertificateParams::new([NAME.to_owned()]).unwrap();
    made.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let certificate = made.self_signed(&key).unwrap();
    let (chain, key) = (certificate.der().clone(), PrivateKeyDer::try_from(key.serialize_der()).unwrap());
    let (port, _) = server_with(|_, _| {
        ServerConfig::builder().with_no_client_auth().with_single_cert(vec![chain.clone()], key).unwrap()
    })
    .await;
    let mut trusting = local();
    trusting.trust(pem("CERTIFICATE", &chain).as_bytes()).unwrap();
    assert_eq!(echo(trusting.clone(), port).await.unwrap(), "abc");
    assert!(echo(local(), port).await.unwrap_err().contains("certificate"));
    // For its own name only.
    trusting.find_at("another.invalid", IpAddr::V4(Ipv4Addr::LOCALHOST));
    let other = client(trusting).dial(&format!("https://another.invalid:{port}/")).await;
    assert!(other.err().unwrap().to_string().contains("certificate"));
}

#[tokio::test]
async fn a_certificate_is_shown_to_those_who_ask_for_one() {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed([NAME.to_owned()]).unwrap();
    let mut known = RootCertStore::empty();
    known.add(cert.der().clone()).unwrap();
    provide();
    let asking = WebPkiClientVerifier::builder(Arc::new(known)).build().unwrap();
    let (port, server) = server_with(|chain, key| {
        ServerConfig::builder().with_client_cert_verifier(asking).with_single_cert(chain, key).unwrap()
    })
    .await;
    let mut trusting = local();
    trusting.trust(server.as_bytes()).unwrap();
    let mut own = trusting.clone();
    own.show(pem("CERTIFICATE", cert.der()).as_bytes(), pem("PRIVATE KEY", &signing_key.serialize_der()).as_bytes())
        .unwrap();
    assert_eq!(echo(own, port).await.unwrap(), "abc");
    let mut ann = trusting.clone();
    let key = pem("PRIVATE KEY", &signing_key.serialize_der());
    ann.show_as(Caller::Other, pem("CERTIFICATE", cert.der()).as_bytes(), key.as_bytes()).unwrap();
    assert_eq!(ann.certificate_of(Caller::Other), Some(cert.der().as_ref()));
    let client = client(ann);
    for caller in Caller::ALL {
        let shown = client.in_the_name_of(caller).ways().dialing().has_certificate();
        assert_eq!(shown, caller == Caller::Other, "{caller:?}");
        assert_eq!(echo_with(&client.in_the_name_of(caller), port).await == Ok("abc".to_owned()), shown, "{caller:?}");
    }
    // TLS 1.3 tells of a missing certificate only after the client has gone on.
    assert_ne!(echo(trusting, port).await, Ok("abc".to_owned()));
}

#[tokio::test]
async fn an_offer_is_refused_by_a_server_of_today() {
    let (port, _) = server().await;
    for offer in [Offer::OldVersions, Offer::WeakCiphers] {
        let exchange = client(local()).hello(&format!("https://{NAME}:{port}/"), offer, "test").await;
        assert!(
            matches!(exchange.ended, Ended::Hello(_, ServerReply::Alert(_)) | Ended::Closed),
            "{:?}",
            exchange.ended
        );
        assert!(exchange.request.is_verbatim && exchange.request.headers.is_empty());
    }
}

#[test]
fn texts_without_what_they_should_hold_are_told() {
    let mut dialing = Dialing::default();
    assert_eq!(dialing.trust(b"").unwrap_err().to_string(), "holds no certificate in PEM");
    let error = dialing.show(b"", b"").unwrap_err().to_string();
    assert_eq!(error, "holds no certificate in PEM");
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed([NAME.to_owned()]).unwrap();
    let error = dialing
        .show(pem("CERTIFICATE", cert.der()).as_bytes(), pem("CERTIFICATE", cert.der()).as_bytes())
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("holds no private key"), "{error}");
    dialing
        .show(pem("CERTIFICATE", cert.der()).as_bytes(), pem("PRIVATE KEY", &signing_key.serialize_der()).as_bytes())
        .unwrap();
    assert!(!format!("{dialing:?}").contains(&format!("{:?}", signing_key.serialize_der())), "the key is not shown");
}

#[tokio::test]
async fn a_name_is_public_where_all_its_addresses_are_or_the_user_says_where_it_is() {
    let mut dialing = Dialing::default();
    dialing.find_at("Agent.Example.COM", "127.0.0.1".parse().unwrap());
    let ways = Ways::new(dialing);
    assert!(ways.is_routed("agent.example.com").await, "another place has that name");
    assert!(!ways.is_routed("localhost").await);
}

/// Who is told where a host is goes there, and asks no resolver: of this name, none knows anything.
#[tokio::test]
async fn a_host_is_where_it_was_seen() {
    let (port, pem) = server().await;
    let mut trusting = Dialing::default();
    trusting.trust(pem.as_bytes()).unwrap();
    let http = client(trusting);
    let url = format!("https://{NAME}:{port}/");
    assert!(client(local()).is_told("agent.INVALID") && !http.is_told(NAME));
    let there = http.looking_at("Agent.invalid", &[IpAddr::V4(Ipv4Addr::LOCALHOST)]).unwrap();
    assert_eq!(echo_with(&there, port).await.unwrap(), "abc");
    // Over HTTP it is another client that connects: it gets through, and to one that speaks none.
    let ended = there.fetch("GET", &url, &[], "test").await.ended;
    assert!(!matches!(ended, Ended::Failed(crate::transcript::TransportError::UnknownHost)), "{ended:?}");
    let ended = http.fetch("GET", &url, &[], "test").await.ended;
    assert_eq!(ended, Ended::Failed(crate::transcript::TransportError::UnknownHost));
}
