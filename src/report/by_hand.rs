//! A request as a line for the shell, so that a person can make it without this program.

use base64::Engine as _;
use url::Url;

use super::model::RequestInfo;
use crate::diagnostic::shell;

/// The line; nothing where there was no request of HTTP, or its body was too long to be kept. Secrets are masked in it.
pub(crate) fn line(request: &RequestInfo, is_grpc: bool) -> Option<String> {
    if request.url.is_empty() || request.body.cut().is_some() {
        return None;
    }
    let text = request.body.shown();
    if request.verbatim {
        return bytes(request);
    }
    if is_grpc {
        return grpc(request, text);
    }
    let mut words = vec!["curl -sS -i -X".to_owned(), quoted(&request.method), quoted(&request.url)];
    for (name, value) in &request.headers {
        words.extend(["-H".to_owned(), quoted(&format!("{name}: {value}"))]);
    }
    // Bytes that a terminal would not keep go the long way round.
    let is_plain = !request.body.is_base64() && !text.chars().any(|c| c.is_control() && c != '\n');
    match (text.is_empty(), is_plain) {
        (true, _) => Some(words.join(" ")),
        (false, true) => {
            words.extend(["--data-binary".to_owned(), quoted(text)]);
            Some(words.join(" "))
        }
        (false, false) => {
            words.push("--data-binary @-".to_owned());
            Some(format!("printf %s {} | base64 -d | {}", encoded(request), words.join(" ")))
        }
    }
}

/// The body in base64.
fn encoded(request: &RequestInfo) -> String {
    let text = request.body.shown();
    match request.body.is_base64() {
        true => text.to_owned(),
        false => base64::engine::general_purpose::STANDARD.encode(text),
    }
}

/// Bytes as they went over a connection of their own, without the pauses between them.
fn bytes(request: &RequestInfo) -> Option<String> {
    let url = Url::parse(&request.url).ok()?;
    let (host, port) = (url.host_str()?, url.port_or_known_default()?);
    let to = match url.scheme() {
        "https" => format!("openssl s_client -quiet -connect {}", quoted(&format!("{host}:{port}"))),
        _ => format!("nc {} {port}", quoted(host.trim_matches(['[', ']']))),
    };
    Some(format!("printf %s {} | base64 -d | {to}", encoded(request)))
}

/// As a call of grpcurl, which asks the server what its messages are.
fn grpc(request: &RequestInfo, text: &str) -> Option<String> {
    let (scheme, rest) = request.url.split_once("://")?;
    let (host, method) = rest.split_once('/')?;
    let mut words = vec!["grpcurl".to_owned()];
    words.extend((scheme == "http").then(|| "-plaintext".to_owned()));
    for (name, value) in request.headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("content-type")) {
        words.extend(["-H".to_owned(), quoted(&format!("{name}: {value}"))]);
    }
    words.extend(["-d".to_owned(), quoted(text), host.to_owned(), method.to_owned()]);
    text.trim_start().starts_with('{').then(|| words.join(" "))
}

/// A word of the shell.
fn quoted(text: &str) -> String {
    shell::word(text, "")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::report::body::{Body, LONGEST_SHOWN};
    use crate::secrets::Secrets;

    fn request(headers: &[(&str, &str)], body: &[u8]) -> RequestInfo {
        RequestInfo {
            method: "POST".to_owned(),
            url: "http://agent.example:8080/rpc?x=1".to_owned(),
            headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            body: Body::new(body, LONGEST_SHOWN, &Secrets::default()),
            verbatim: false,
        }
    }

    #[test]
    fn a_request_is_a_line_of_curl() {
        let json = request(&[("content-type", "application/json")], br#"{"text":"it's"}"#);
        assert_eq!(
            line(&json, false).unwrap(),
            r#"curl -sS -i -X POST 'http://agent.example:8080/rpc?x=1' -H 'content-type: application/json' --data-binary '{"text":"it'\''s"}'"#
        );
        assert_eq!(line(&request(&[], b""), false).unwrap(), "curl -sS -i -X POST 'http://agent.example:8080/rpc?x=1'");
    }

    #[test]
    fn bytes_that_no_terminal_keeps_are_decoded_on_the_way() {
        for body in [&b"a\0b"[..], b"\xff\xfe"] {
            let text = line(&request(&[], body), false).unwrap();
            let encoded = base64::engine::general_purpose::STANDARD.encode(body);
            assert!(text.starts_with(&format!("printf %s {encoded} | base64 -d | curl ")), "{text}");
        }
    }

    #[test]
    fn what_was_not_kept_is_no_line() {
        assert_eq!(line(&request(&[], &vec![b'x'; LONGEST_SHOWN + 1]), false), None);
    }

    #[test]
    fn bytes_of_a_connection_go_to_nc() {
        let bytes =
            |url: &str| RequestInfo { verbatim: true, url: url.to_owned(), ..request(&[], b"GET / HTTP/1.1\r\n") };
        let told = |url: &str| line(&bytes(url), false).unwrap();
        assert_eq!(told("http://a.example/x"), "printf %s R0VUIC8gSFRUUC8xLjENCg== | base64 -d | nc a.example 80");
        assert!(told("http://[::1]:8080/").ends_with("| nc ::1 8080"), "{}", told("http://[::1]:8080/"));
        let with_tls = told("https://a.example/");
        assert!(with_tls.ends_with("| openssl s_client -quiet -connect a.example:443"), "{with_tls}");
    }

    #[test]
    fn a_call_over_grpc_is_one_of_grpcurl() {
        let call = RequestInfo {
            url: "http://agent.example:50051/lf.a2a.v1.A2AService/GetTask".to_owned(),
            ..request(&[("a2a-version", "1.0")], br#"{"id":"t"}"#)
        };
        assert_eq!(
            line(&call, true).unwrap(),
            r#"grpcurl -plaintext -H 'a2a-version: 1.0' -d '{"id":"t"}' agent.example:50051 lf.a2a.v1.A2AService/GetTask"#
        );
    }
}
