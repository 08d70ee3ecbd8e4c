//! Why a transport failed, told from the errors of the libraries that carry it.

use std::error::Error;
use std::io;
use std::time::Duration;

use super::dialing::NOT_PUBLIC;
use crate::transcript::{Ended, TransportError};

/// The most fields of a head or of trailers that are read over HTTP/1.1, as many as `wire::http1` reads.
pub(crate) const MOST_FIELDS: usize = 2_048;
/// The most bytes of headers or trailers that are read over HTTP/2: what a status and its details could ever need, and more.
pub(crate) const LONGEST_HEADERS: u32 = 1 << 20;

/// What hyper says where it reads no more of chunks (`proto/h1/decode.rs`: `CHUNKED_EXTENSIONS_LIMIT`, `TRAILER_LIMIT`), none of which
/// can be set, and the limit.
const OF_CHUNKS: [(&str, &str); 3] = [
    ("chunk extensions over limit", "16 KiB of chunk extensions in one body"),
    ("chunk trailers bytes over limit", "16 KiB of trailers behind the chunks of a body"),
    ("chunk trailers count overflow", "2048 trailers behind the chunks of a body"),
];
/// How hyper's errors about chunks and trailers begin that are of another form than they should.
const BAD_CHUNKS: [&str; 4] = ["invalid chunk", "invalid trailer", "invalid header", "partial header"];

/// How an exchange ended that failed with this error. `limit` is how long the suite waits for a connection.
pub(super) fn ended(error: &(dyn Error + 'static), limit: Duration) -> Ended {
    let chain = chain(error);
    if let Some(ended) = chain.iter().find_map(|part| of_http2(part.downcast_ref()?)) {
        return ended;
    }
    let kinds: Vec<io::ErrorKind> =
        chain.iter().filter_map(|part| Some(part.downcast_ref::<io::Error>()?.kind())).collect();
    let of_reqwest = |is: fn(&reqwest::Error) -> bool| chain.iter().any(|part| part.downcast_ref().is_some_and(is));
    if of_reqwest(reqwest::Error::is_timeout) || kinds.contains(&io::ErrorKind::TimedOut) {
        return Ended::TimedOut(limit);
    }
    let texts: Vec<String> = chain.iter().map(|part| part.to_string().to_ascii_lowercase()).collect();
    let mentions = |words: &[&str]| words.iter().any(|word| texts.iter().any(|text| text.contains(word)));
    let last = chain.last().map(ToString::to_string).unwrap_or_default();
    // Whatever it is, it came before there was a way to the agent.
    if mentions(&["tunnel error"]) {
        let why = last.trim_start_matches("tunnel error: ");
        return Ended::Failed(TransportError::Other(format!("the proxy on the way opens no connection: {why}")));
    }
    if let Some(error) = chain.iter().find_map(|part| of_http1(part.downcast_ref()?)).or_else(|| of_chunks(&chain)) {
        return Ended::Failed(error);
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
    } else if mentions(&["invalidcontenttype"]) {
        // The first byte is that of no record (RFC 8446 section 5.1): mostly an `H`, and sometimes somebody on the way.
        TransportError::Tls("the port answers without TLS".to_owned())
    } else if mentions(&["noapplicationprotocol"]) {
        // RFC 7301 section 3.2: HTTP/1.1 or HTTP/2 was offered alone.
        TransportError::Other("the port speaks another version of HTTP behind TLS".to_owned())
    } else if is_about_the_client(&last) {
        TransportError::NotLetIn(last)
    } else if mentions(&["without sending tls close_notify"]) {
        // The connection was closed in the middle, as one without TLS may be.
        TransportError::Reset
    } else if mentions(&[
        "certificate",
        "tls",
        "handshake",
        "corrupt message",
        "fatal alert",
        "peer misbehaved",
        "cannot decrypt",
    ]) {
        TransportError::Tls(last)
    } else if kinds.iter().any(|kind| CLOSED.contains(kind))
        || mentions(&["connection closed", "connection reset", "broken pipe", "end of file", "incomplete"])
    {
        TransportError::Reset
    } else if of_reqwest(reqwest::Error::is_builder) {
        TransportError::Other(format!("the HTTP client of the suite cannot write the request: {last}"))
    } else {
        TransportError::Other(last)
    })
}

/// How a system says that the other side closed or reset a connection.
const CLOSED: [io::ErrorKind; 5] = [
    io::ErrorKind::ConnectionReset,
    io::ErrorKind::ConnectionAborted,
    io::ErrorKind::BrokenPipe,
    io::ErrorKind::UnexpectedEof,
    io::ErrorKind::NotConnected,
];

/// An error and what it comes from. An I/O error speaks for the one within it, and so does not name it as its source.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> Vec<&'a (dyn Error + 'static)> {
    let mut found = vec![error];
    let mut last = error;
    loop {
        let within = last.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        let Some(inner) = within.map(|within| within as &(dyn Error + 'static)).or_else(|| last.source()) else {
            return found;
        };
        found.push(inner);
        last = inner;
    }
}

/// What an error of the library for HTTP/2 is: the agent's word, something that it got wrong, or a limit of the library's own
/// (`codec/framed_read.rs`, `proto/streams`), which it tells the agent as ENHANCE_YOUR_CALM.
fn of_http2(error: &h2::Error) -> Option<Ended> {
    let reason = error.reason()?;
    if error.is_remote() {
        return Some(match reason {
            reason if error.is_reset() => Ended::Reset(reason.into()),
            h2::Reason::NO_ERROR => Ended::Failed(TransportError::GoneAway),
            reason => Ended::Failed(TransportError::GoneAwayFor(reason.into())),
        });
    }
    if !error.is_library() {
        return None;
    }
    let what = error.to_string();
    Some(Ended::Failed(match reason {
        h2::Reason::ENHANCE_YOUR_CALM => {
            let most = LONGEST_HEADERS >> 10;
            TransportError::OwnLimit(format!(
                "{most} KiB of fields, and bounded numbers of small frames and resets ({what})"
            ))
        }
        // A head that is too long, and one that is not allowed, are the same to the library.
        h2::Reason::PROTOCOL_ERROR if error.is_reset() => {
            let most = LONGEST_HEADERS >> 10;
            TransportError::OwnLimit(format!("{most} KiB of fields, and such as HTTP/2 allows ({what})"))
        }
        _ => TransportError::NotHttp2(what),
    }))
}

/// What an error of the library for HTTP/1.1 is, as far as it says.
fn of_http1(error: &hyper::Error) -> Option<TransportError> {
    if error.is_parse_too_large() {
        return Some(TransportError::OwnLimit(format!("400 KiB or {MOST_FIELDS} fields in the head of an answer")));
    }
    if error.is_parse() {
        return Some(TransportError::NotHttp1(error.to_string()));
    }
    if error.to_string().contains("unexpected message") {
        return Some(TransportError::NotHttp1("it comes where nothing was asked for".to_owned()));
    }
    let is_closed = error.is_incomplete_message() || error.is_closed() || error.is_canceled();
    (is_closed && error.source().is_none()).then_some(TransportError::Reset)
}

/// What an error about the chunks of a body is.
fn of_chunks(chain: &[&(dyn Error + 'static)]) -> Option<TransportError> {
    chain.iter().find_map(|part| {
        let text = part.to_string();
        let limit = OF_CHUNKS.iter().find(|(said, _)| *said == text).map(|(_, limit)| *limit);
        let is_bad = BAD_CHUNKS.iter().any(|begin| text.to_ascii_lowercase().starts_with(begin));
        match limit {
            Some(limit) => Some(TransportError::OwnLimit(limit.to_owned())),
            None => is_bad.then_some(TransportError::NotHttp1(text)),
        }
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
