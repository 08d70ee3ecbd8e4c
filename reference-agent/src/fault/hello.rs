//! What a server says that agrees on TLS which it should refuse: no library does, so it is written byte by byte.

/// The first message of a client (RFC 5246, section 7.4.1.2), as far as it matters.
pub(crate) struct Hello {
    version: [u8; 2],
    suite: [u8; 2],
}

/// TLS 1.2, which is the newest version that this message names.
const TLS_1_2: [u8; 2] = [3, 3];

/// Reads it: a record, a handshake, version, 32 bytes, the session behind its length, the cipher suites behind theirs.
pub(crate) fn read(bytes: &[u8]) -> Option<Hello> {
    let &[22, 3, _, _, _, 1, _, _, _, major, minor, ..] = bytes else { return None };
    let suites = 44 + usize::from(*bytes.get(43)?) + 2;
    let &[first, second] = bytes.get(suites..suites + 2)? else { return None };
    Some(Hello { version: [major, minor], suite: [first, second] })
}

impl Hello {
    /// Whether it offers nothing newer than TLS 1.1.
    pub(crate) fn is_old(&self) -> bool {
        self.version < TLS_1_2
    }

    /// Whether the first cipher suite that it offers is one of RC4 (RFC 7465): nobody offers these before others.
    pub(crate) fn is_weak(&self) -> bool {
        matches!(self.suite, [0xc0, 0x07 | 0x11] | [0, 4 | 5])
    }

    /// The answer of a server that goes on: a ServerHello of that version and with that cipher suite.
    pub(crate) fn agreed(&self) -> Vec<u8> {
        let mut body = self.version.to_vec();
        body.extend([0x5a; 32]);
        // No session, no compression.
        body.extend([0, self.suite[0], self.suite[1], 0]);
        let length = u8::try_from(body.len()).unwrap_or(u8::MAX);
        let mut record = vec![22, self.version[0], self.version[1], 0, length + 4, 2, 0, 0, length];
        record.extend(body);
        record
    }
}
