//! The requests among the bytes that were written on a connection, each as a server of HTTP/1.1 reads it (RFC 9112).

use bytes::Bytes;

/// The most fields of a head that are looked at.
pub const MOST_FIELDS: usize = 256;

/// A request at the beginning of some bytes.
pub struct WrittenRequest<'h, 'b> {
    /// Its method.
    pub method: &'b str,
    /// As it stands in the request line.
    pub target: &'b str,
    /// Its fields, in their order.
    pub fields: &'h [httparse::Header<'b>],
    /// Its body.
    pub body: &'b [u8],
    /// How many bytes stand behind it.
    pub rest: usize,
}

/// The request at the beginning of some bytes; nothing where readers may differ about what it is or where it ends. Chunks count
/// among these: what they are made of is for the case that wrote them.
pub fn read<'h, 'b>(bytes: &'b [u8], fields: &'h mut [httparse::Header<'b>]) -> Option<WrittenRequest<'h, 'b>> {
    // Empty lines before a request line are skipped (section 2.2).
    let mut start = bytes;
    while let Some(after) = start.strip_prefix(b"\r\n") {
        start = after;
    }
    let mut request = httparse::Request::new(fields);
    let httparse::Status::Complete(head) = request.parse(start).ok()? else { return None };
    let (method, target) = (request.method?, request.path?);
    let fields: &'h [httparse::Header<'b>] = request.headers;
    if request.version != Some(1) {
        return None;
    }
    let named = |name: &'static str| fields.iter().filter(move |field| field.name.eq_ignore_ascii_case(name));
    if named("transfer-encoding").next().is_some() {
        return None;
    }
    let mut lengths = named("content-length");
    let length = match (lengths.next(), lengths.next()) {
        (None, _) => 0,
        (Some(only), None) => {
            let digits = std::str::from_utf8(only.value).ok()?.trim_matches([' ', '\t']);
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse::<usize>().ok().filter(|_| is_number)?
        }
        _ => return None,
    };
    let end = head.checked_add(length)?;
    let body = start.get(head..end)?;
    Some(WrittenRequest { method, target, fields, body, rest: start.len() - end })
}

/// Each of the requests by itself, in their order. From the first on of which it is not clear where it ends, the rest is one.
pub fn split(bytes: &Bytes) -> Vec<Bytes> {
    let mut found = Vec::new();
    let mut from = 0;
    while from < bytes.len() {
        let left = bytes.slice(from..);
        let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
        let length = read(&left, &mut fields).map_or(left.len(), |request| left.len() - request.rest);
        found.push(left.slice(..length));
        from += length.max(1);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(bytes: &'static str) -> Vec<String> {
        split(&Bytes::from(bytes)).iter().map(|one| String::from_utf8_lossy(one).into_owned()).collect()
    }

    #[test]
    fn requests_on_one_connection_are_told_apart() {
        let post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}";
        let get = "GET /b HTTP/1.1\r\nHost: a\r\n\r\n";
        let both = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}GET /b HTTP/1.1\r\nHost: a\r\n\r\n";
        assert_eq!(texts(both), [post, get]);
        assert_eq!(texts("GET /b HTTP/1.1\r\nHost: a\r\n\r\n"), [get]);
        assert!(texts("").is_empty());
    }

    #[test]
    fn from_what_is_not_clear_on_the_rest_is_one() {
        for odd in [
            "GET /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n",
            "GET /b HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nabGET / HTTP/1.1\r\n\r\n",
            "GET /b HTTP/1.1\r\nContent-Length: +1\r\n\r\nabGET / HTTP/1.1\r\n\r\n",
            "GET /b\r\n\r\nGET / HTTP/1.1\r\n\r\n",
            "GET /b HTTP/1.1\r\nContent-Length: 9\r\n\r\nab",
        ] {
            assert_eq!(texts(odd), [odd]);
        }
    }
}
