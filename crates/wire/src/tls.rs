//! The first message of each side of TLS (RFC 5246 section 7.4.1, RFC 8446 section 4.1): a ClientHello that offers what no client
//! should, and what a server makes of it. Libraries cannot write the one, and have no need to read the other.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The most bytes that are read of an answer: a ServerHello is among the first few hundred.
const LONGEST: usize = 16 << 10;

/// Type of a record (RFC 5246 section 6.2.1), and of a message in it (section 7.4).
const ALERT: u8 = 21;
const HANDSHAKE: u8 = 22;
const CLIENT_HELLO: u8 = 1;
const SERVER_HELLO: u8 = 2;
/// The level of an alert after which a server goes on (RFC 5246 section 7.2).
const WARNING: u8 = 1;
/// The alert that ends a connection at whatever level.
const CLOSE_NOTIFY: u8 = 0;

const TLS_1_1: u16 = 0x0302;
const TLS_1_2: u16 = 0x0303;

/// What a ClientHello offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Offer {
    /// TLS 1.1 and what was before it, which RFC 8996 forbids, with the cipher suites of its time.
    OldVersions,
    /// TLS 1.2, and only cipher suites that RFC 9325 section 4.1 forbids to negotiate.
    WeakCiphers,
}

/// A cipher suite: its number and its name.
type Suite = (u16, &'static str);

/// Those with which servers of old versions get along.
const OF_OLD_VERSIONS: &[Suite] = &[
    (0xc014, "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA"),
    (0xc00a, "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA"),
    (0xc013, "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"),
    (0xc009, "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA"),
    (0x0039, "TLS_DHE_RSA_WITH_AES_256_CBC_SHA"),
    (0x0033, "TLS_DHE_RSA_WITH_AES_128_CBC_SHA"),
    (0x0035, "TLS_RSA_WITH_AES_256_CBC_SHA"),
    (0x002f, "TLS_RSA_WITH_AES_128_CBC_SHA"),
    (0xc012, "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA"),
    (0xc008, "TLS_ECDHE_ECDSA_WITH_3DES_EDE_CBC_SHA"),
    (0x0016, "TLS_DHE_RSA_WITH_3DES_EDE_CBC_SHA"),
    (0x000a, "TLS_RSA_WITH_3DES_EDE_CBC_SHA"),
];

/// Those without encryption, with RC4, and with keys of less than 112 bits.
const WEAK: &[Suite] = &[
    (0xc011, "TLS_ECDHE_RSA_WITH_RC4_128_SHA"),
    (0xc007, "TLS_ECDHE_ECDSA_WITH_RC4_128_SHA"),
    (0x0005, "TLS_RSA_WITH_RC4_128_SHA"),
    (0x0004, "TLS_RSA_WITH_RC4_128_MD5"),
    (0xc010, "TLS_ECDHE_RSA_WITH_NULL_SHA"),
    (0xc006, "TLS_ECDHE_ECDSA_WITH_NULL_SHA"),
    (0x003b, "TLS_RSA_WITH_NULL_SHA256"),
    (0x0002, "TLS_RSA_WITH_NULL_SHA"),
    (0x0001, "TLS_RSA_WITH_NULL_MD5"),
    (0x0015, "TLS_DHE_RSA_WITH_DES_CBC_SHA"),
    (0x0009, "TLS_RSA_WITH_DES_CBC_SHA"),
    (0x0014, "TLS_DHE_RSA_EXPORT_WITH_DES40_CBC_SHA"),
    (0x0008, "TLS_RSA_EXPORT_WITH_DES40_CBC_SHA"),
    (0x0006, "TLS_RSA_EXPORT_WITH_RC2_CBC_40_MD5"),
    (0x0003, "TLS_RSA_EXPORT_WITH_RC4_40_MD5"),
];

impl Offer {
    fn version(self) -> u16 {
        match self {
            Self::OldVersions => TLS_1_1,
            Self::WeakCiphers => TLS_1_2,
        }
    }

    fn suites(self) -> &'static [Suite] {
        match self {
            Self::OldVersions => OF_OLD_VERSIONS,
            Self::WeakCiphers => WEAK,
        }
    }

    /// Whether an answer takes it up. A server that answers with what was not offered has taken up nothing.
    pub fn is_taken_up_by(self, answer: &ServerReply) -> bool {
        match answer {
            ServerReply::Hello { version, suite } => match self {
                Self::OldVersions => *version <= TLS_1_1,
                Self::WeakCiphers => self.suites().iter().any(|(number, _)| number == suite),
            },
            ServerReply::Alert(_) | ServerReply::Other => false,
        }
    }
}

impl fmt::Display for Offer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OldVersions => "TLS 1.1 at most",
            Self::WeakCiphers => "only cipher suites that nobody may negotiate (RFC 9325)",
        })
    }
}

/// What a server says to a ClientHello.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerReply {
    /// It goes on, in this version and with this cipher suite.
    Hello {
        /// The version, as it is on the wire.
        version: u16,
        /// The number of the cipher suite.
        suite: u16,
    },
    /// It refuses, with the number of this alert.
    Alert(u8),
    /// It speaks something else than TLS.
    Other,
}

impl fmt::Display for ServerReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hello { version, suite } => {
                match version {
                    0x0300 => f.write_str("SSL 3.0")?,
                    0x0301..=TLS_1_2 => write!(f, "TLS 1.{}", (version & 0xff) - 1)?,
                    other => write!(f, "version {other:#06x}")?,
                }
                let known = OF_OLD_VERSIONS.iter().chain(WEAK).find(|(number, _)| number == suite);
                match known {
                    Some((_, name)) => write!(f, " with {name}"),
                    None => write!(f, " with the cipher suite {suite:#06x}"),
                }
            }
            Self::Alert(number) => match alert(*number) {
                Some(name) => write!(f, "the alert {name}"),
                None => write!(f, "the alert {number}"),
            },
            Self::Other => f.write_str("something else than TLS"),
        }
    }
}

/// The names of the alerts that refuse a ClientHello (RFC 8446 section 6.2).
fn alert(number: u8) -> Option<&'static str> {
    Some(match number {
        CLOSE_NOTIFY => "close_notify",
        10 => "unexpected_message",
        40 => "handshake_failure",
        47 => "illegal_parameter",
        50 => "decode_error",
        70 => "protocol_version",
        71 => "insufficient_security",
        80 => "internal_error",
        86 => "inappropriate_fallback",
        109 => "missing_extension",
        112 => "unrecognized_name",
        120 => "no_application_protocol",
        _ => return None,
    })
}

/// A ClientHello for a host, which is named where it has a name and is no address (RFC 6066 section 3).
pub fn client_hello(offer: Offer, name: Option<&str>) -> Vec<u8> {
    let mut body = offer.version().to_be_bytes().to_vec();
    // Nothing is ever encrypted with what comes of it.
    body.extend(*b"a2aspec: nothing follows on this");
    // No session, all suites, no compression.
    body.push(0);
    body.extend(with_length(&offer.suites().iter().flat_map(|(number, _)| number.to_be_bytes()).collect::<Vec<u8>>()));
    body.extend([1, 0]);
    body.extend(with_length(&extensions(offer, name)));
    let mut message = vec![CLIENT_HELLO, 0];
    message.extend(with_length(&body));
    // The version of the record is that of the oldest client, whatever is offered (RFC 5246 appendix E.1).
    let mut record = vec![HANDSHAKE, 3, 1];
    record.extend(with_length(&message));
    record
}

fn extensions(offer: Offer, name: Option<&str>) -> Vec<u8> {
    let mut all = Vec::new();
    let mut add = |number: u16, data: &[u8]| {
        all.extend(number.to_be_bytes());
        all.extend(with_length(data));
    };
    if let Some(name) = name {
        let host = [&[0], with_length(name.as_bytes()).as_slice()].concat();
        add(0, &with_length(&host));
    }
    // Groups and points of elliptic curves (RFC 8422 section 5.1), and that renegotiation is safe (RFC 5746 section 3.4).
    add(10, &with_length(&[0, 29, 0, 23, 0, 24, 0, 25]));
    add(11, &[1, 0]);
    add(0xff01, &[0]);
    // Over one of them every binding of A2A is carried (RFC 7301 section 3.1).
    add(16, &with_length(b"\x02h2\x08http/1.1"));
    if offer.version() == TLS_1_2 {
        add(13, &with_length(&[4, 3, 5, 3, 6, 3, 8, 4, 8, 5, 8, 6, 4, 1, 5, 1, 6, 1, 2, 3, 2, 1]));
    }
    all
}

/// Bytes behind their length in two.
fn with_length(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).unwrap_or(u16::MAX).to_be_bytes();
    [&length, bytes].concat()
}

/// What a server has said, as far as it can be told by now; nothing where more has to come.
pub fn server_reply(mut bytes: &[u8]) -> Option<ServerReply> {
    if bytes.len() > LONGEST {
        return Some(ServerReply::Other);
    }
    loop {
        let kind = *bytes.first()?;
        if !matches!(kind, ALERT | HANDSHAKE) || bytes.get(1).is_some_and(|major| *major != 3) {
            return Some(ServerReply::Other);
        }
        let length = usize::from(number(bytes, 3)?);
        let data = bytes.get(5..)?;
        match kind {
            HANDSHAKE => return in_handshake(data, length),
            _ => match (*data.first()?, *data.get(1)?) {
                // One that a server sends beside its answer (RFC 6066 section 3).
                (WARNING, description) if description != CLOSE_NOTIFY => bytes = data.get(length..)?,
                (_, description) => return Some(ServerReply::Alert(description)),
            },
        }
    }
}

/// A ServerHello: type, length in three bytes, version, 32 bytes of its own, the session behind its length, the cipher suite.
fn in_handshake(data: &[u8], length: usize) -> Option<ServerReply> {
    if *data.first()? != SERVER_HELLO {
        return Some(ServerReply::Other);
    }
    let version = number(data, 4)?;
    let session = usize::from(*data.get(38)?);
    match 39 + session + 2 <= length {
        true => Some(ServerReply::Hello { version, suite: number(data, 39 + session)? }),
        false => Some(ServerReply::Other),
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]))
}

#[cfg(test)]
mod tests;
