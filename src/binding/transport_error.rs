//! Why a transport failed, told from the errors of the libraries that carry it.

use std::error::Error;
use std::io;
use std::time::Duration;

use super::dialing::NOT_PUBLIC;
use crate::transcript::{Ended, TransportError};

/// How an exchange ended that failed with this error. `limit` is how long the suite waits for a connection.
pub(super) fn ended(error: &(dyn Error + 'static), limit: Duration) -> Ended {
    let chain: Vec<&(dyn Error + 'static)> = std::iter::successors(Some(error), |&inner| inner.source()).collect();
    if let Some(error) =
        chain.iter().find_map(|part| part.downcast_ref::<h2::Error>()).filter(|error| error.is_remote())
    {
        match error.reason() {
            Some(reason) if error.is_reset() => return Ended::Reset(reason.into()),
            Some(h2::Reason::NO_ERROR) if error.is_go_away() => return Ended::Failed(TransportError::GoneAway),
            _ => {}
        }
    }
    let kinds: Vec<io::ErrorKind> =
        chain.iter().filter_map(|part| Some(part.downcast_ref::<io::Error>()?.kind())).collect();
    let timed_out =
        chain.iter().any(|part| part.downcast_ref::<reqwest::Error>().is_some_and(reqwest::Error::is_timeout));
    if timed_out || kinds.contains(&io::ErrorKind::TimedOut) {
        return Ended::TimedOut(limit);
    }
    let texts: Vec<String> = chain.iter().map(ToString::to_string).collect();
    let mentions =
        |words: &[&str]| words.iter().any(|word| texts.iter().any(|text| text.to_ascii_lowercase().contains(word)));
    let last = texts.last().cloned().unwrap_or_default();
    // Whatever it is, it came before there was a way to the agent.
    if mentions(&["tunnel error"]) {
        let why = last.trim_start_matches("tunnel error: ");
        return Ended::Failed(TransportError::Other(format!("the proxy on the way opens no connection: {why}")));
    }
    Ended::Failed(if kinds.contains(&io::ErrorKind::ConnectionRefused) {
        TransportError::Refused
    } else if kinds.contains(&io::ErrorKind::PermissionDenied) && last.contains(NOT_PUBLIC) {
        // Our own refusal to go there.
        TransportError::Other(last)
    } else if mentions(&["too many open files"]) {
        // Whoever looks for a host opens files, too.
        TransportError::Other("this machine lets the suite open no more connections: too many open files".to_owned())
    } else if mentions(&["dns error", "failed to lookup address"]) {
        TransportError::UnknownHost
    } else if mentions(&["message head is too large", "too many headers"]) {
        TransportError::Other("the head of the answer is longer than the suite reads".to_owned())
    } else if mentions(&["invalidcontenttype"]) {
        // The first byte is that of no record (RFC 8446 section 5.1): mostly an `H`, and sometimes somebody on the way.
        TransportError::Tls("the port answers without TLS".to_owned())
    } else if is_about_the_client(&last) {
        TransportError::NotLetIn(last)
    } else if mentions(&["certificate", "tls", "handshake", "corrupt message"]) {
        TransportError::Tls(last)
    } else if mentions(&[
        "connection closed",
        "connection reset",
        "broken pipe",
        "end of file",
        "incompletemessage",
        "incomplete",
    ]) {
        TransportError::Reset
    } else {
        TransportError::Other(last)
    })
}

/// Whether an error is an alert by which a server turns away a client for its certificate. Before TLS 1.3 there is none for a missing
/// one (RFC 5246, section 7.4.6).
fn is_about_the_client(error: &str) -> bool {
    const ALERTS: [&str; 10] = [
        "AccessDenied",
        "BadCertificate",
        "CertificateExpired",
        "CertificateRequired",
        "CertificateRevoked",
        "CertificateUnknown",
        "DecryptError",
        "HandshakeFailure",
        "UnknownCA",
        "UnsupportedCertificate",
    ];
    error.strip_prefix("received fatal alert: ").is_some_and(|alert| ALERTS.contains(&alert))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An error with another one behind it.
    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Layer {
        text: &'static str,
        source: Option<Box<dyn Error + Send + Sync>>,
    }

    fn layer(text: &'static str, source: impl Into<Box<dyn Error + Send + Sync>>) -> Layer {
        Layer { text, source: Some(source.into()) }
    }

    #[test]
    fn tells_failures_apart() {
        let io = |kind, text: &'static str| io::Error::new(kind, text);
        let limit = Duration::from_secs(1);
        for (error, told) in [
            (
                layer("client error (Connect)", io(io::ErrorKind::ConnectionRefused, "os")),
                Ended::Failed(TransportError::Refused),
            ),
            (layer("client error (Connect)", io(io::ErrorKind::TimedOut, "os")), Ended::TimedOut(limit)),
            (
                layer("client error (Connect)", layer("dns error", "try again")),
                Ended::Failed(TransportError::UnknownHost),
            ),
            (
                layer("client error (Connect)", io(io::ErrorKind::InvalidData, "invalid peer certificate: Expired")),
                Ended::Failed(TransportError::Tls("invalid peer certificate: Expired".to_owned())),
            ),
            (
                layer("client error (Connect)", "received corrupt message of type InvalidContentType"),
                Ended::Failed(TransportError::Tls("the port answers without TLS".to_owned())),
            ),
            (
                layer(
                    "client error (SendRequest)",
                    io(io::ErrorKind::InvalidData, "received fatal alert: CertificateRequired"),
                ),
                Ended::Failed(TransportError::NotLetIn("received fatal alert: CertificateRequired".to_owned())),
            ),
            (
                layer(
                    "client error (Connect)",
                    io(io::ErrorKind::InvalidData, "received fatal alert: ProtocolVersion (tls)"),
                ),
                Ended::Failed(TransportError::Tls("received fatal alert: ProtocolVersion (tls)".to_owned())),
            ),
            (layer("http2 error", io(io::ErrorKind::BrokenPipe, "broken pipe")), Ended::Failed(TransportError::Reset)),
            (
                layer("dns error", io(io::ErrorKind::Other, "Too many open files (os error 24)")),
                Ended::Failed(TransportError::Other(
                    "this machine lets the suite open no more connections: too many open files".to_owned(),
                )),
            ),
            (layer("request failed", "no idea"), Ended::Failed(TransportError::Other("no idea".to_owned()))),
        ] {
            assert_eq!(ended(&error, limit), told, "{error:?}");
        }
    }
}
