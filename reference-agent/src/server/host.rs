//! The Host of a request. hyper reads it and leaves it to the server to check.

use std::net::Ipv6Addr;

use axum::http::header::HOST;
use axum::http::{HeaderMap, Version};

/// Checks that HTTP/1.1 has a Host, and that HTTP/1 has no more than one, which is a host with or without a port (RFC 9112,
/// section 3.2). HTTP/2 has `:authority` in its place (RFC 9113, section 8.3.1).
///
/// # Errors
/// What is wrong, as a sentence for the client.
pub fn check(version: Version, headers: &HeaderMap) -> Result<(), &'static str> {
    if version > Version::HTTP_11 {
        return Ok(());
    }
    let mut hosts = headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) if version < Version::HTTP_11 => Ok(()),
        (None, _) => Err("the Host header is missing"),
        (Some(_), Some(_)) => Err("there is more than one Host header"),
        (Some(host), None) if is_host(host.as_bytes()) => Ok(()),
        (Some(_), None) => Err("the Host header is not a host with or without a port"),
    }
}

/// `uri-host [ ":" port ]` (RFC 9110, section 7.2). The host may be empty: that is what a client sends whose URL has none.
fn is_host(value: &[u8]) -> bool {
    let (host, port) = match value {
        [b'[', rest @ ..] => {
            let Some(end) = rest.iter().position(|byte| *byte == b']') else { return false };
            let (literal, port) = (&rest[..end], &rest[end + 1..]);
            return is_ip_literal(literal) && is_port(port);
        }
        _ => value.split_at(value.iter().position(|byte| *byte == b':').unwrap_or(value.len())),
    };
    is_name(host) && is_port(port)
}

/// An IPv6 address, or one of a version to come (RFC 3986, section 3.2.2).
fn is_ip_literal(literal: &[u8]) -> bool {
    match literal {
        [b'v' | b'V', rest @ ..] => {
            let dot = rest.iter().position(|byte| *byte == b'.').unwrap_or_default();
            let (version, address) = rest.split_at(dot);
            !version.is_empty()
                && version.iter().all(u8::is_ascii_hexdigit)
                && address.len() > 1
                && address[1..].iter().all(|byte| *byte == b':' || is_name_byte(*byte))
        }
        _ => str::from_utf8(literal).is_ok_and(|literal| literal.parse::<Ipv6Addr>().is_ok()),
    }
}

/// A registered name, which an IPv4 address looks like, too.
fn is_name(name: &[u8]) -> bool {
    let mut rest = name;
    while let [first, after @ ..] = rest {
        rest = match (first, after) {
            (b'%', [high, low, after @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => after,
            (byte, after) if is_name_byte(*byte) => after,
            _ => return false,
        };
    }
    true
}

/// `unreserved / sub-delims` (RFC 3986, section 2).
fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(&byte)
}

/// Nothing, or a colon and digits.
fn is_port(port: &[u8]) -> bool {
    match port {
        [] => true,
        [b':', digits @ ..] => digits.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_told_from_the_rest() {
        for good in [
            "",
            "localhost",
            "127.0.0.1:8080",
            "agent.example:",
            "a_b~c",
            "%41gent.example:80",
            "[::1]",
            "[::1]:8080",
            "[v1.fe80::a+en1]",
        ] {
            assert!(is_host(good.as_bytes()), "{good}");
        }
        for bad in [
            "a b",
            "a/b",
            "http://agent.example",
            "user@agent.example",
            "agent.example:80:80",
            "agent.example:http",
            "agent.example:-1",
            "::1",
            "[::1",
            "[::g]",
            "[127.0.0.1]",
            "[v.a]",
            "[v1.]",
            "[::1]8080",
            "a%4",
            "a%zz",
            "a?b",
            "a#b",
            "a,b:1, c",
            "é",
        ] {
            assert!(!is_host(bad.as_bytes()), "{bad}");
        }
    }

    #[test]
    fn each_version_of_http_has_its_rule() {
        let headers = |hosts: &[&str]| {
            let mut headers = HeaderMap::new();
            for host in hosts {
                headers.append(HOST, host.parse().unwrap());
            }
            headers
        };
        for (version, hosts, is_right) in [
            (Version::HTTP_11, &["a"][..], true),
            (Version::HTTP_11, &[], false),
            (Version::HTTP_11, &["a", "a"], false),
            (Version::HTTP_11, &["a/b"], false),
            (Version::HTTP_10, &[], true),
            (Version::HTTP_10, &["a"], true),
            (Version::HTTP_10, &["a", "b"], false),
            (Version::HTTP_2, &[], true),
            (Version::HTTP_2, &["a"], true),
        ] {
            assert_eq!(check(version, &headers(hosts)).is_ok(), is_right, "{version:?} {hosts:?}");
        }
    }
}
