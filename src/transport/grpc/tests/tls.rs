use std::net::SocketAddr;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::*;
use crate::transport::Dialing;
use crate::transport::dialing::tests::pem;

/// A server whose certificate is for `name`, that offers these protocols; and the certificate.
async fn peer(name: &str, protocols: &[&str]) -> (Peer, CertificateDer<'static>) {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed([name.to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let certificate = cert.der().clone();
    let mut config =
        ServerConfig::builder().with_no_client_auth().with_single_cert(vec![certificate.clone()], key).unwrap();
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    let script = Script::grpc(vec![message("one"), ok()]);
    (Peer::start_with(script, Some(TlsAcceptor::from(Arc::new(config)))).await, certificate)
}

/// A client that trusts this certificate.
fn trusting(certificate: &CertificateDer<'static>, address: SocketAddr) -> Grpc {
    let mut dialing = Dialing::default();
    dialing.trust(pem("CERTIFICATE", certificate).as_bytes()).unwrap();
    let settings = Settings { credentials: Credentials::default(), timeout: LONG };
    let http = Arc::new(Http::dialing(dialing, settings).unwrap());
    Grpc::new(&address.to_string(), Some(true), http).unwrap()
}

fn untrusting(address: SocketAddr) -> Grpc {
    Grpc::new(&address.to_string(), Some(true), http(&format!("https://{address}"), LONG)).unwrap()
}

async fn reason(grpc: &Grpc) -> String {
    match failure(grpc).await {
        Ended::Failed(TransportError::Tls(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn speaks_tls() {
    let (peer, certificate) = peer("127.0.0.1", &["h2"]).await;
    let (messages, status, exchange) = whole(&trusting(&certificate, peer.address), outgoing()).await;
    assert_eq!((messages, status.unwrap().code), (vec![Bytes::from_static(b"one")], Some(Code::Ok)));
    assert_eq!(exchange.request.url, format!("https://{}/a2a.Service/GetTask", peer.address));
}

#[tokio::test]
async fn speaks_tls_with_a_server_that_negotiates_no_protocol() {
    let (peer, certificate) = peer("127.0.0.1", &[]).await;
    let (messages, ..) = whole(&trusting(&certificate, peer.address), outgoing()).await;
    assert_eq!(messages, ["one"]);
}

#[tokio::test]
async fn names_what_is_wrong_with_a_certificate() {
    let (peer, certificate) = peer("agent.example", &["h2"]).await;
    let for_another = reason(&trusting(&certificate, peer.address)).await;
    assert!(for_another.contains("certificate not valid for name"), "{for_another}");
    let self_signed = reason(&untrusting(peer.address)).await;
    assert!(self_signed.contains("certificate"), "{self_signed}");
}

#[tokio::test]
async fn says_that_a_port_speaks_no_http_2_behind_tls() {
    let (peer, certificate) = peer("127.0.0.1", &["http/1.1"]).await;
    let no_http_2 = TransportError::Other("the port does not answer in HTTP/2, which gRPC needs".to_owned());
    assert_eq!(failure(&trusting(&certificate, peer.address)).await, Ended::Failed(no_http_2));
}

#[tokio::test]
async fn tells_tls_from_plain_text() {
    let plain = Peer::start(Script::grpc(vec![message("one"), ok()])).await;
    reason(&untrusting(plain.address)).await;

    let (secured, _) = peer("127.0.0.1", &["h2"]).await;
    let no_http_2 = TransportError::Other("the port does not answer in HTTP/2, which gRPC needs".to_owned());
    assert_eq!(failure(&grpc(secured.address, LONG)).await, Ended::Failed(no_http_2));
}
