//! Whether a request is a call of A2A: only its answer has to be one of the protocol.
//!
//! What a server says of another path, another method or another media type is an answer of HTTP (RFC 9110 section 15.5). It may
//! have any form, also that of JSON.

use url::Url;

use crate::interface::Interface;
use crate::profile::Binding;
use crate::transcript::Request;
use crate::wire::http::MediaType;
use crate::written;

/// Whether a request is a call to an interface: at its address, by its method, in its media type. Over JSON-RPC, what a body
/// of that type calls does not matter, since whatever it is the answer is a response (JSON-RPC 2.0 section 5).
pub fn is_call(interface: &Interface, request: &Request) -> bool {
    if interface.binding != Binding::Jsonrpc && request.operation.is_none() {
        return false;
    }
    if !request.is_verbatim {
        let is_at_home = interface.binding != Binding::Jsonrpc || is_same_place(&interface.url, &request.url);
        let is_posted = interface.binding != Binding::Jsonrpc || request.method == "POST";
        let headers = request.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        return is_at_home && is_posted && is_in_form(interface, headers, !request.body.is_empty());
    }
    // Frames of HTTP/2 are told apart by their streams, and those that are odd by who wrote them.
    interface.binding == Binding::Grpc || is_written_call(interface, request)
}

/// Whether bytes are the head and the body of a call and no more.
fn is_written_call(interface: &Interface, request: &Request) -> bool {
    let mut fields = [httparse::EMPTY_HEADER; written::MOST_FIELDS];
    let Some(written) = written::read(&request.body, &mut fields) else { return false };
    let text = |name: &str| {
        let mut found = written.fields.iter().filter(|field| field.name.eq_ignore_ascii_case(name));
        let only = found.next().filter(|_| found.next().is_none())?;
        std::str::from_utf8(only.value).ok()
    };
    let Ok(meant) = Url::parse(&request.url) else { return false };
    let is_host = |host: &str| {
        let written = Url::parse(&format!("{}://{}", meant.scheme(), host.trim()));
        written
            .is_ok_and(|url| url.host() == meant.host() && url.port_or_known_default() == meant.port_or_known_default())
    };
    let target = match written.target.starts_with('/') {
        true => meant.join(written.target),
        false => Url::parse(written.target),
    };
    let is_target = target.is_ok_and(|url| is_same_place(url.as_str(), meant.as_str()) && url.query() == meant.query());
    let headers = written.fields.iter().map(|field| (field.name, std::str::from_utf8(field.value).unwrap_or_default()));
    is_target
        && written.method == request.method
        && written.rest == 0
        && text("host").is_some_and(is_host)
        && is_in_form(interface, headers, !written.body.is_empty())
}

/// Whether two URLs are of one place, whatever their queries are.
fn is_same_place(one: &str, other: &str) -> bool {
    let (Ok(one), Ok(other)) = (Url::parse(one), Url::parse(other)) else { return one == other };
    let place = |url: &Url| (url.origin(), url.path().to_owned());
    place(&one) == place(&other)
}

/// Whether a body is declared as what the interface takes and not encoded, and whether the client takes what the interface gives.
fn is_in_form<'a>(
    interface: &Interface,
    headers: impl Iterator<Item = (&'a str, &'a str)> + Clone,
    has_body: bool,
) -> bool {
    let values = |name: &'static str| {
        headers.clone().filter(move |(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    };
    let kinds: Vec<&str> = values("content-type").collect();
    let is_declared = match (interface.binding, kinds.as_slice()) {
        (_, []) => !has_body,
        (Binding::Grpc, [kind]) => kind.trim().to_ascii_lowercase().starts_with("application/grpc"),
        (binding, [kind]) => MediaType::parse(kind).is_some_and(|kind| {
            kind.essence() == "application/json" || (binding == Binding::HttpJson && kind.sub.ends_with("+json"))
        }),
        _ => false,
    };
    let takes =
        |accepted: &str| ["json", "*/*", "application/*", "event-stream"].iter().any(|kind| accepted.contains(kind));
    let is_accepted = interface.binding == Binding::Grpc || values("accept").all(takes);
    is_declared && is_accepted && values("content-encoding").next().is_none()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::profile::{self, Operation};

    const BODY: &str = r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"a"}}"#;

    fn interface(binding: Binding) -> Interface {
        let profiles = profile::bundled().unwrap();
        let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
        Interface::new(profile, binding, "http://agent.example:8080/a2a".to_owned()).unwrap()
    }

    fn request(method: &str, url: &str, headers: &[(&str, &str)], body: &str) -> Request {
        Request {
            method: method.to_owned(),
            url: url.to_owned(),
            headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            body: Bytes::copy_from_slice(body.as_bytes()),
            is_verbatim: false,
            operation: None,
            params: std::sync::Arc::default(),
            rpc_id: None,
        }
    }

    #[test]
    fn a_call_is_at_the_address_by_the_method_and_in_the_media_type() {
        let own = interface(Binding::Jsonrpc);
        let json = ("Content-Type", "application/json; charset=utf-8");
        let at = |method, url, headers: &[(&str, &str)], body| is_call(&own, &request(method, url, headers, body));
        let url = "http://agent.example:8080/a2a";
        assert!(at("POST", url, &[json], BODY));
        assert!(at("POST", "http://agent.example:8080/a2a?key=1", &[json], BODY), "an API key may be in the query");
        assert!(at("POST", url, &[json], "{"), "whatever a body of that type is, a response answers it");
        assert!(at("POST", url, &[json, ("accept", "application/json, text/event-stream")], BODY));
        for (method, url, headers, what) in [
            ("GET", url, &[json][..], "another method"),
            ("POST", "http://agent.example:8080/a2a/tasks", &[json], "another path"),
            ("POST", "http://other.example:8080/a2a", &[json], "another host"),
            ("POST", url, &[("content-type", "text/plain")], "another media type"),
            ("POST", url, &[("content-type", "application/jsonp")], "another media type"),
            ("POST", url, &[], "no media type"),
            ("POST", url, &[json, ("content-type", "text/plain")], "two media types"),
            ("POST", url, &[json, ("content-encoding", "gzip")], "an encoded body"),
            ("POST", url, &[json, ("accept", "image/png")], "a client that takes pictures"),
        ] {
            assert!(!at(method, url, headers, BODY), "{what}");
        }
    }

    #[test]
    fn over_the_other_bindings_a_call_has_an_operation() {
        let own = interface(Binding::HttpJson);
        let mut get = request("GET", "http://agent.example:8080/a2a/tasks/a", &[], "");
        assert!(!is_call(&own, &get));
        get.operation = Some(Operation::GetTask);
        assert!(is_call(&own, &get));
        let kind = ("content-type", "application/a2a+json");
        let mut send = request("POST", "http://agent.example:8080/a2a/message:send", &[kind], "{}");
        send.operation = Some(Operation::SendMessage);
        assert!(is_call(&own, &send));
        send.headers = vec![("content-type".to_owned(), "text/plain".to_owned())];
        assert!(!is_call(&own, &send));
    }

    #[test]
    fn bytes_are_a_call_where_they_are_one_as_a_client_writes_it() {
        let own = interface(Binding::Jsonrpc);
        let written = |bytes: String| {
            let mut request = request("POST", "http://agent.example:8080/a2a", &[], &bytes);
            request.is_verbatim = true;
            is_call(&own, &request)
        };
        let fields = |length: usize| {
            format!("Host: agent.example:8080\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n")
        };
        let right = format!("{}{BODY}", fields(BODY.len()));
        for line in
            ["POST /a2a HTTP/1.1\r\n", "\r\nPOST /a2a HTTP/1.1\r\n", "POST http://agent.example:8080/a2a HTTP/1.1\r\n"]
        {
            assert!(written(format!("{line}{right}")), "{line:?}");
        }
        for line in [
            "OPTIONS * HTTP/1.1\r\n",
            "CONNECT other.example:1 HTTP/1.1\r\n",
            "GET /a2a HTTP/1.1\r\n",
            "POST /no-such-path HTTP/1.1\r\n",
            "POST //a2a HTTP/1.1\r\n",
            "POST http://other.example/a2a HTTP/1.1\r\n",
            "POST /a2a HTTP/9.9\r\n",
            "POST /a2a\r\n",
        ] {
            assert!(!written(format!("{line}{right}")), "{line:?}");
        }
        let line = "POST /a2a HTTP/1.1\r\n";
        assert!(!written(format!("{line}{right}more")), "more than the body");
        assert!(!written(format!("{line}{}{BODY}", fields(BODY.len() + 1))), "less than the body");
        assert!(!written(format!("{line}Host: other.example\r\n{right}")), "two hosts");
        assert!(!written(format!("{line}{}", right.replace("application/json", "text/plain"))), "another media type");
    }
}
