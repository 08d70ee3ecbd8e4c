//! Why a transport failed, told from the errors of the libraries that carry it.

use std::error::Error;
use std::io;
use std::time::Duration;

use crate::transcript::{Ended, Trouble};

/// How an exchange ended that failed with this error. `limit` is how long the suite waits for a connection.
pub(super) fn ended(error: &(dyn Error + 'static), limit: Duration) -> Ended {
    let chain: Vec<&(dyn Error + 'static)> = std::iter::successors(Some(error), |&inner| inner.source()).collect();
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
    Ended::Failed(if kinds.contains(&io::ErrorKind::ConnectionRefused) {
        Trouble::Refused
    } else if mentions(&["dns error", "failed to lookup address"]) {
        Trouble::UnknownHost
    } else if mentions(&["frame with invalid size", "noapplicationprotocol"]) {
        // What answers the preface of HTTP/2 in HTTP/1, or in TLS, reads as a frame of absurd length.
        Trouble::Other("the port does not speak HTTP/2, which gRPC needs".to_owned())
    } else if mentions(&["certificate", "tls", "handshake", "corrupt message"]) {
        Trouble::Tls(last)
    } else if mentions(&[
        "connection closed",
        "connection reset",
        "broken pipe",
        "end of file",
        "incompletemessage",
        "incomplete",
    ]) {
        Trouble::Reset
    } else {
        Trouble::Other(last)
    })
}
