//! What a request shows of who asks, and what it is told to show (1.0, section 7).

use std::sync::Arc;

use axum::http::header::{AUTHORIZATION, COOKIE, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderValue, Uri};
use axum::response::Response;

use super::http::query;
use crate::config::{KeyPlace, Scheme};
use crate::core::{Credential, Error, Tenants, Unauthenticated, Users};
use crate::version::base64;

/// The names in the certificate that a client has shown over TLS: an extension of each request on its connection.
#[derive(Debug, Clone)]
pub struct CertifiedNames(pub Arc<[String]>);

/// The places of a request in which credentials may be.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    headers: &'a HeaderMap,
    /// Nothing over gRPC, which has metadata alone, and neither a query nor cookies.
    uri: Option<&'a Uri>,
    extensions: &'a Extensions,
}

impl<'a> Shown<'a> {
    /// Those of a request of HTTP.
    pub fn over_http(parts: &'a Parts) -> Self {
        Self { headers: &parts.headers, uri: Some(&parts.uri), extensions: &parts.extensions }
    }

    /// Those of a call of gRPC.
    pub fn over_grpc(metadata: &'a HeaderMap, extensions: &'a Extensions) -> Self {
        Self { headers: metadata, uri: None, extensions }
    }

    /// What fits these schemes.
    fn by(self, schemes: &[Scheme]) -> Vec<Credential> {
        schemes.iter().flat_map(|scheme| self.by_one(scheme)).collect()
    }

    /// Whether a place for one credential has more than one. Proxies and agents differ on which of them counts, so none does: neither of
    /// two fields of `Authorization` (RFC 9110, section 5.3), nor of two keys of one name.
    fn is_doubled(self, schemes: &[Scheme]) -> bool {
        let has_two_keys = |scheme: &Scheme| match scheme {
            Scheme::ApiKey { place, name } => self.keys(*place, name).len() > 1,
            _ => false,
        };
        self.headers.get_all(AUTHORIZATION).iter().nth(1).is_some() || schemes.iter().any(has_two_keys)
    }

    fn by_one(self, scheme: &Scheme) -> Vec<Credential> {
        let token = |token: &str| Credential::Token(token.to_owned());
        match scheme {
            Scheme::Bearer | Scheme::Oauth2 | Scheme::OpenId => self.bearer_token().map(token).into_iter().collect(),
            Scheme::Basic => self.password().into_iter().collect(),
            Scheme::ApiKey { place, name } => {
                let keys = self.keys(*place, name).into_iter().filter(|key| !key.is_empty());
                keys.map(Credential::Token).collect()
            }
            Scheme::Mtls => {
                let names = self.extensions.get::<CertifiedNames>().into_iter().flat_map(|names| names.0.iter());
                names.cloned().map(Credential::Certified).collect()
            }
        }
    }

    /// What `Authorization` has for this scheme of HTTP.
    fn authorization(self, wanted: &str) -> Option<&'a str> {
        let (scheme, rest) = self.headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
        Some(rest.trim()).filter(|rest| scheme.eq_ignore_ascii_case(wanted) && !rest.is_empty())
    }

    /// RFC 6750, section 2.1.
    fn bearer_token(self) -> Option<&'a str> {
        self.authorization("bearer")
    }

    /// RFC 7617, section 2: no name has a colon.
    fn password(self) -> Option<Credential> {
        let text = String::from_utf8(base64::decode(self.authorization("basic")?)?).ok()?;
        let (name, password) = text.split_once(':')?;
        Some(Credential::Password(name.to_owned(), password.to_owned()))
    }

    /// Everything at the place of a key.
    fn keys(self, place: KeyPlace, name: &str) -> Vec<String> {
        match (place, self.uri) {
            (KeyPlace::Header, _) => {
                let fields = self.headers.get_all(name).iter();
                fields.map(|field| String::from_utf8_lossy(field.as_bytes()).into_owned()).collect()
            }
            // gRPC has neither.
            (_, None) => Vec::new(),
            (KeyPlace::Query, Some(uri)) => {
                query(uri).into_iter().filter_map(|(known, key)| (known == name).then_some(key)).collect()
            }
            (KeyPlace::Cookie, Some(_)) => {
                // HTTP/2 may have one in each field (RFC 9113, section 8.2.3).
                let fields = self.headers.get_all(COOKIE).iter().filter_map(|field| field.to_str().ok());
                let pairs = fields.flat_map(|field| field.split(';')).filter_map(|pair| pair.split_once('='));
                pairs.filter(|(known, _)| known.trim() == name).map(|(_, key)| key.trim().to_owned()).collect()
            }
        }
    }
}

/// Whose engines a request is for.
///
/// # Errors
/// [`Error::Unauthenticated`] where it is for nobody's, or where a credential is there more than once: also of an agent that asks for
/// none.
pub fn tenants<'a>(users: &'a Users, shown: Shown<'_>) -> Result<&'a Arc<Tenants>, Error> {
    if shown.is_doubled(users.schemes()) {
        return Err(Error::Unauthenticated(Unauthenticated::Doubled));
    }
    users.tenants(&shown.by(users.schemes()))
}

/// Whether a request shows who asks. Of an agent with users that is so of every request that is for somebody's [`tenants`].
pub fn is_authenticated(users: &Users, shown: Shown<'_>) -> bool {
    !shown.by(users.schemes()).is_empty()
}

/// Says what credentials are missing, where that is why the request is refused (RFC 9110, section 11.6.1; 1.0, section 7.4).
pub fn challenge(error: &Error, schemes: &[Scheme], response: &mut Response) {
    let mut challenges: Vec<String> = Vec::new();
    for challenge in schemes.iter().filter_map(|scheme| challenge_of(error, scheme)) {
        // Tokens of all origins are sent in one way.
        if !challenges.contains(&challenge) {
            challenges.push(challenge);
        }
    }
    for challenge in challenges.iter().filter_map(|challenge| HeaderValue::from_str(challenge).ok()) {
        // Each has a field of its own, for lists of challenges are easily misread.
        response.headers_mut().append(WWW_AUTHENTICATE, challenge);
    }
}

/// What a scheme asks for. Keys and certificates have no registered name among the schemes of HTTP; a response with 401 must
/// name one all the same, and nobody takes theirs for another.
fn challenge_of(error: &Error, scheme: &Scheme) -> Option<String> {
    let bearer = matches!(scheme, Scheme::Bearer | Scheme::Oauth2 | Scheme::OpenId);
    // RFC 6750, section 3.
    let why = match error {
        Error::Unauthenticated(Unauthenticated::Unknown) => "",
        Error::Unauthenticated(Unauthenticated::Doubled) => r#", error="invalid_request""#,
        Error::Unauthenticated(Unauthenticated::Expired) => {
            r#", error="invalid_token", error_description="the token has expired""#
        }
        Error::Unauthenticated(Unauthenticated::WrongAudience) => {
            r#", error="invalid_token", error_description="the token is for another audience""#
        }
        // Others have no words for credentials that are good.
        Error::PermissionDenied if bearer => r#", error="insufficient_scope", scope="a2a""#,
        _ => return None,
    };
    Some(match scheme {
        Scheme::Bearer | Scheme::Oauth2 | Scheme::OpenId => format!(r#"Bearer realm="a2a"{why}"#),
        Scheme::Basic => r#"Basic realm="a2a", charset="UTF-8""#.to_owned(),
        Scheme::ApiKey { place, name } => format!(r#"ApiKey realm="a2a", in="{}", name="{name}""#, place.name()),
        Scheme::Mtls => r#"ClientCertificate realm="a2a""#.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::Request;
    use axum::response::IntoResponse as _;

    fn parts(uri: &str, headers: &[(&str, &str)]) -> Parts {
        let request =
            headers.iter().fold(Request::builder().uri(uri), |request, (name, value)| request.header(*name, *value));
        request.body(()).unwrap().into_parts().0
    }

    fn by(scheme: &str, uri: &str, headers: &[(&str, &str)]) -> Vec<Credential> {
        Shown::over_http(&parts(uri, headers)).by(&[scheme.parse().unwrap()])
    }

    fn token(token: &str) -> Vec<Credential> {
        vec![Credential::Token(token.to_owned())]
    }

    #[test]
    fn bearer_tokens_must_not_be_empty() {
        for scheme in ["bearer", "oauth2", "openid"] {
            let shown = |value: &str| by(scheme, "/", &[("authorization", value)]);
            assert_eq!(shown("Bearer x"), token("x"));
            assert_eq!(shown("bearer  x"), token("x"));
            for none in ["Bearer", "Bearer  ", "Basic eA=="] {
                assert_eq!(shown(none), [], "{none}");
            }
            assert_eq!(by(scheme, "/", &[]), []);
        }
    }

    #[test]
    fn passwords_come_with_their_names() {
        let shown = |value: &str| by("basic", "/", &[("authorization", value)]);
        let ann = [Credential::Password("ann".to_owned(), "t0:ken".to_owned())];
        assert_eq!(shown("Basic YW5uOnQwOmtlbg=="), ann);
        assert_eq!(shown("basic YW5uOnQwOmtlbg=="), ann);
        for none in ["Basic", "Basic ?", "Basic YW5u", "Bearer YW5uOnQwOmtlbg=="] {
            assert_eq!(shown(none), [], "{none}");
        }
    }

    #[test]
    fn keys_are_where_the_scheme_says() {
        let headers = [("x-key", "a"), ("cookie", "other=1; sid=b"), ("cookie", "k=c")];
        for (scheme, wanted) in [
            ("api-key=header:X-Key", token("a")),
            ("api-key=cookie:sid", token("b")),
            ("api-key=cookie:k", token("c")),
            ("api-key=query:k", token("d e")),
            ("api-key=query:sid", vec![]),
            ("api-key=query:none", vec![]),
            ("api-key=header:sid", vec![]),
        ] {
            assert_eq!(by(scheme, "/?k=d+e&none=", &headers), wanted, "{scheme}");
        }
        // gRPC has metadata alone.
        let parts = parts("/a2a.v1.A2AService/GetTask?k=d", &headers);
        let shown = Shown::over_grpc(&parts.headers, &parts.extensions);
        let by = |scheme: &str| shown.by(&[scheme.parse().unwrap()]);
        assert_eq!(by("api-key=header:X-Key"), token("a"));
        assert_eq!((by("api-key=query:k"), by("api-key=cookie:sid")), (vec![], vec![]));
    }

    #[test]
    fn what_is_there_twice_counts_for_neither() {
        let is_doubled = |scheme: &str, uri: &str, headers: &[(&str, &str)]| {
            Shown::over_http(&parts(uri, headers)).is_doubled(&[scheme.parse().unwrap()])
        };
        let two = [("authorization", "Bearer a"), ("authorization", "Bearer a")];
        for scheme in ["bearer", "basic", "oauth2", "openid", "mtls", "api-key=header:k"] {
            assert!(is_doubled(scheme, "/", &two), "{scheme}");
            assert!(!is_doubled(scheme, "/?k=a&k=b", &two[..1]), "{scheme}");
        }
        assert!(is_doubled("api-key=header:X-Key", "/", &[("x-key", "a"), ("X-Key", "b")]));
        assert!(is_doubled("api-key=header:X-Key", "/", &[("x-key", "a"), ("X-Key", "")]));
        // Letters may be written in other ways.
        assert!(is_doubled("api-key=query:k", "/?k=a&%6b=b", &[]) && !is_doubled("api-key=query:k", "/?k=a&K=b", &[]));
        for cookies in [&[("cookie", "sid=a; sid=b")][..], &[("cookie", "sid=a"), ("cookie", "x=1;  sid=b")]] {
            assert!(is_doubled("api-key=cookie:sid", "/", cookies), "{cookies:?}");
        }
        assert!(!is_doubled("api-key=cookie:sid", "/", &[("cookie", "sid=a; xsid=b"), ("cookie", "y=2")]));
    }

    #[test]
    fn each_scheme_has_its_challenge() {
        let asked = |error: Error, schemes: &[&str]| {
            let schemes: Vec<Scheme> = schemes.iter().map(|scheme| scheme.parse().unwrap()).collect();
            let mut response = "".into_response();
            challenge(&error, &schemes, &mut response);
            let values = response.headers().get_all(WWW_AUTHENTICATE).iter();
            values.map(|value| value.to_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let unknown = Error::Unauthenticated(Unauthenticated::Unknown);
        let all = ["oauth2", "basic", "api-key=cookie:sid", "bearer", "mtls"];
        assert_eq!(
            asked(unknown.clone(), &all),
            [
                r#"Bearer realm="a2a""#,
                r#"Basic realm="a2a", charset="UTF-8""#,
                r#"ApiKey realm="a2a", in="cookie", name="sid""#,
                r#"ClientCertificate realm="a2a""#,
            ],
        );
        let expired = asked(Error::Unauthenticated(Unauthenticated::Expired), &["bearer"]);
        assert!(expired[0].contains("invalid_token"), "{expired:?}");
        assert_eq!(asked(Error::PermissionDenied, &all).len(), 1);
        assert_eq!(asked(Error::ShuttingDown, &all).len(), 0);
    }
}
