//! Where an issuer gives tokens, as its metadata says (RFC 8414; OpenID Connect Discovery 1.0, section 4).

use serde::Deserialize;
use url::Url;

use super::{OAuthEntry, OAuthError, secure};
use crate::transcript::Ended;
use crate::transport::http::Http;

/// The endpoints of an issuer.
pub(super) struct Endpoints {
    pub token: Url,
    authorization: Option<Url>,
    device: Option<Url>,
    /// Whether a client shows its secret in the body, and not in a header (RFC 6749, section 2.3.1).
    pub wants_secret_in_body: bool,
}

impl Endpoints {
    pub fn authorization(&self) -> Result<Url, OAuthError> {
        self.authorization.clone().ok_or(OAuthError::NoEndpoint("authorization-endpoint"))
    }

    pub fn device(&self) -> Result<Url, OAuthError> {
        self.device.clone().ok_or(OAuthError::NoEndpoint("device-authorization-endpoint"))
    }
}

/// What of the metadata counts here.
#[derive(Default, Deserialize)]
struct Metadata {
    issuer: String,
    token_endpoint: Option<String>,
    authorization_endpoint: Option<String>,
    device_authorization_endpoint: Option<String>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

/// The endpoints: those of the settings before those of the metadata.
pub(super) async fn endpoints(http: &Http, entry: &OAuthEntry) -> Result<Endpoints, OAuthError> {
    let found = match &entry.issuer {
        Some(issuer) => metadata(http, issuer).await?,
        None => Metadata::default(),
    };
    let url = |what, said: &Option<String>, found: &Option<String>| {
        said.as_ref().or(found.as_ref()).map(|text| secure(what, text)).transpose()
    };
    let token = url("the token endpoint", &entry.token_endpoint, &found.token_endpoint)?;
    let (body, header) = ("client_secret_post", "client_secret_basic");
    let methods = found.token_endpoint_auth_methods_supported.unwrap_or_default();
    let takes = |method: &str| methods.iter().any(|known| known == method);
    Ok(Endpoints {
        token: token.ok_or(OAuthError::NoEndpoint("token-endpoint"))?,
        authorization: url("the authorization endpoint", &entry.authorization_endpoint, &found.authorization_endpoint)?,
        device: url(
            "the device authorization endpoint",
            &entry.device_authorization_endpoint,
            &found.device_authorization_endpoint,
        )?,
        wants_secret_in_body: takes(body) && !takes(header),
    })
}

/// The metadata at the first of its places that has any.
async fn metadata(http: &Http, issuer: &str) -> Result<Metadata, OAuthError> {
    let url = secure("the issuer", issuer)?;
    let mut tried = Vec::new();
    // What says more than that there is nothing.
    let mut told = None;
    for place in places(&url) {
        let exchange = http.fetch("GET", place.as_str(), &[], "the metadata of the issuer").await;
        let response = match (exchange.response, exchange.ended) {
            (Some(response), Ended::Complete) => response,
            (_, ended) => return Err(OAuthError::NoAnswer { url: place.into(), why: ended.to_string() }),
        };
        if response.status != 200 {
            if matches!(response.status, 300..400 | 500..) {
                told.get_or_insert(OAuthError::of_status(place.as_str(), &response));
            }
            tried.push(format!("HTTP {} at {}", response.status, place.path()));
            continue;
        }
        let metadata: Metadata = serde_json::from_slice(&response.body)
            .map_err(|error| OAuthError::Unusable(format!("{place} has no metadata: {error}")))?;
        // Nobody speaks for another (RFC 8414, section 3.3).
        return match metadata.issuer.trim_end_matches('/') == issuer.trim_end_matches('/') {
            true => Ok(metadata),
            false => Err(OAuthError::Foreign { issuer: issuer.to_owned(), said: metadata.issuer }),
        };
    }
    Err(told.unwrap_or(OAuthError::NoMetadata { issuer: issuer.to_owned(), tried }))
}

/// OpenID Connect puts its name behind the path of the issuer, RFC 8414 between host and path (section 3.1).
fn places(issuer: &Url) -> [Url; 2] {
    let path = issuer.path().trim_end_matches('/');
    let at = |path: String| {
        let mut url = issuer.clone();
        url.set_path(&path);
        url
    };
    [
        at(format!("{path}/.well-known/openid-configuration")),
        at(format!("/.well-known/oauth-authorization-server{path}")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_standard_has_its_place() {
        let of = |issuer: &str| places(&Url::parse(issuer).unwrap()).map(String::from);
        assert_eq!(
            of("https://id.example"),
            [
                "https://id.example/.well-known/openid-configuration",
                "https://id.example/.well-known/oauth-authorization-server"
            ]
        );
        assert_eq!(
            of("https://id.example/a/"),
            [
                "https://id.example/a/.well-known/openid-configuration",
                "https://id.example/.well-known/oauth-authorization-server/a"
            ]
        );
    }
}
