//! Accepts requests of the page itself only. Other pages in a browser can send requests to this machine, too; their `Origin` or
//! `Host` differs.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::Shared;

/// The page runs its own scripts, shows its own styles, and asks nothing of anybody else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// Refuses what other pages ask, and says what a browser may do with the answer.
pub(super) async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let mut response = match refused(request.method(), request.headers(), shared.address) {
        Some(why) => (StatusCode::FORBIDDEN, format!("{why}\n")).into_response(),
        None => next.run(request).await,
    };
    let fields = [
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // The URL has the token.
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in fields {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Why a request is not the page's own.
fn refused(method: &Method, headers: &HeaderMap, address: SocketAddr) -> Option<&'static str> {
    let text = |name: &HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    // A name that leads to this machine may be anybody's (DNS rebinding).
    let hosts = [address.to_string(), format!("localhost:{}", address.port())];
    let host = text(&HOST).unwrap_or_default();
    if !hosts.iter().any(|own| own == host) {
        return Some("the page is reached by its address only, such as 127.0.0.1");
    }
    if text(&ORIGIN).is_some_and(|origin| origin != format!("http://{host}")) {
        return Some("another page made this request");
    }
    let site = HeaderName::from_static("sec-fetch-site");
    if text(&site).is_some_and(|site| !matches!(site, "same-origin" | "none")) {
        return Some("another page made this request");
    }
    // Forms of other pages cannot send it.
    let is_json = text(&CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if method == Method::POST && !is_json {
        return Some("the body must be application/json");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(method: Method, fields: &[(&'static str, &str)]) -> Option<&'static str> {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.insert(HeaderName::from_static(name), value.parse().unwrap());
        }
        refused(&method, &headers, SocketAddr::from(([127, 0, 0, 1], 8090)))
    }

    #[test]
    fn the_page_itself_may_ask() {
        for host in ["127.0.0.1:8090", "localhost:8090"] {
            let origin = format!("http://{host}");
            let own = [("host", host), ("origin", &*origin), ("sec-fetch-site", "same-origin")];
            assert_eq!(answer(Method::GET, &own), None);
            let json = [own.as_slice(), &[("content-type", "application/json")]].concat();
            assert_eq!(answer(Method::POST, &json), None);
        }
        assert_eq!(answer(Method::GET, &[("host", "127.0.0.1:8090"), ("sec-fetch-site", "none")]), None);
    }

    #[test]
    fn others_may_not() {
        let host = ("host", "127.0.0.1:8090");
        for fields in [
            vec![],
            vec![("host", "agent.example:8090")],
            vec![("host", "127.0.0.1:8091")],
            vec![("host", "127.0.0.1")],
            vec![host, ("origin", "http://agent.example")],
            vec![host, ("origin", "http://localhost:8090")],
            vec![host, ("origin", "null")],
            vec![host, ("sec-fetch-site", "cross-site")],
            vec![host, ("sec-fetch-site", "same-site")],
        ] {
            assert!(answer(Method::GET, &fields).is_some(), "{fields:?}");
        }
        for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
            assert!(answer(Method::POST, &[host, ("content-type", kind)]).is_some(), "{kind}");
        }
        assert!(answer(Method::POST, &[host]).is_some());
    }
}
