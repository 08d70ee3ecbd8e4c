//! Heads: status lines, field lines, and what they say of the body.

use super::{Field, Framing, Head, Http1ErrorKind};

/// What a request asks for, as far as it decides whether its answer has a body (section 6.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// HEAD: no answer has a body.
    Head,
    /// CONNECT: what follows a 2xx is no HTTP.
    Tunnel,
    /// Anything else.
    Other,
}

impl Asked {
    pub fn by(method: &str) -> Self {
        match method {
            "HEAD" => Self::Head,
            "CONNECT" => Self::Tunnel,
            _ => Self::Other,
        }
    }
}

/// `HTTP-version SP status-code SP [ reason-phrase ]`; the space before a reason that is missing may be missing, too.
pub(super) fn status_line(line: &[u8]) -> Result<(u8, u16, String), Http1ErrorKind> {
    let wrong = Http1ErrorKind::StatusLine;
    let rest = line.strip_prefix(b"HTTP/1.").ok_or(wrong)?;
    let [minor @ b'0'..=b'9', b' ', a @ b'1'..=b'9', b @ b'0'..=b'9', c @ b'0'..=b'9', reason @ ..] = rest else {
        return Err(wrong);
    };
    let reason = match reason {
        [] => reason,
        [b' ', reason @ ..] => reason,
        _ => return Err(wrong),
    };
    let digit = |byte: &u8| u16::from(byte - b'0');
    let status = digit(a) * 100 + digit(b) * 10 + digit(c);
    Ok((minor - b'0', status, String::from_utf8_lossy(reason).into_owned()))
}

/// Adds a line to fields: one of its own, or a part of the one before it (section 5.2).
pub(super) fn add_field(line: &[u8], at: u64, fields: &mut Vec<Field>) -> Result<(), Http1ErrorKind> {
    if line.first().is_some_and(|byte| is_space(*byte)) {
        let last = fields.last_mut().ok_or(Http1ErrorKind::Field)?;
        let more = text(line);
        if !more.is_empty() {
            last.value = format!("{} {more}", last.value).trim_start().to_owned();
        }
        return Ok(());
    }
    let colon = line.iter().position(|byte| *byte == b':').ok_or(Http1ErrorKind::Field)?;
    let (name, value) = (&line[..colon], &line[colon + 1..]);
    if name.is_empty() || !name.iter().all(|byte| is_token(*byte)) {
        return Err(Http1ErrorKind::Field);
    }
    fields.push(Field { name: String::from_utf8_lossy(name).into_owned(), value: text(value), at });
    Ok(())
}

impl Head {
    /// A whole head; `asked` is what it answers.
    pub(super) fn new(
        (minor, status, reason): (u8, u16, String),
        fields: Vec<Field>,
        at: u64,
        asked: Asked,
    ) -> Result<Self, Http1ErrorKind> {
        let mut head = Self { minor, status, reason, fields, framing: Framing::None, at };
        head.framing = head.framing(asked)?;
        Ok(head)
    }

    /// Whether another answer to the same request follows. 101 is the last thing that HTTP says.
    pub(super) fn is_interim(&self) -> bool {
        (100..200).contains(&self.status) && self.status != 101
    }

    /// The rules of section 6.3, in their order.
    fn framing(&self, asked: Asked) -> Result<Framing, Http1ErrorKind> {
        let is_tunnel = asked == Asked::Tunnel && (200..300).contains(&self.status);
        if is_tunnel || self.status == 101 {
            return Ok(Framing::UntilClose);
        }
        if asked == Asked::Head || (100..200).contains(&self.status) || matches!(self.status, 204 | 304) {
            return Ok(Framing::None);
        }
        let codings = self.values("transfer-encoding").flat_map(|value| value.split(','));
        if let Some(last) = codings.map(str::trim).filter(|coding| !coding.is_empty()).last() {
            let is_chunked = last.eq_ignore_ascii_case("chunked");
            return Ok(if is_chunked { Framing::Chunked } else { Framing::UntilClose });
        }
        // Several that are equal are one.
        let mut lengths = self.values("content-length").flat_map(|value| value.split(',')).map(str::trim);
        let Some(first) = lengths.next() else { return Ok(Framing::UntilClose) };
        let is_number = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit());
        match first.parse() {
            Ok(length) if is_number && lengths.all(|other| other == first) => Ok(Framing::Length(length)),
            _ => Err(Http1ErrorKind::Length),
        }
    }
}

/// The size of a chunk; what follows a semicolon extends it, and means nothing here (section 7.1.1).
pub(super) fn chunk_size(line: &[u8]) -> Result<u64, Http1ErrorKind> {
    let end = line.iter().position(|byte| *byte == b';').unwrap_or(line.len());
    let digits = line[..end].trim_ascii_end();
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    let digits = str::from_utf8(digits).ok().filter(|_| is_number).ok_or(Http1ErrorKind::ChunkSize)?;
    u64::from_str_radix(digits, 16).map_err(|_| Http1ErrorKind::ChunkSize)
}

/// A value as text: CR within it counts as a space (section 2.2).
fn text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace('\r', " ");
    text.trim_matches([' ', '\t']).to_owned()
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// tchar of RFC 9110 section 5.6.2.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
