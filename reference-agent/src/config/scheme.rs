//! The security schemes by which an agent can know its users.

use std::str::FromStr;

use reqwest::Url;

/// A way in which a request says who asks (1.0, section 4.5.1). An agent takes what fits any of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scheme {
    /// The token of a user as a bearer token (RFC 6750, section 2.1).
    Bearer,
    /// The name of a user and their token as a password (RFC 7617).
    Basic,
    /// The token of a user as a key.
    ApiKey {
        /// Where the key is in a request.
        place: KeyPlace,
        /// What it is called there.
        name: String,
    },
    /// The token of a user as a bearer token, which clients get by OAuth 2.0 (RFC 6749).
    Oauth2,
    /// The same, which clients get by OpenID Connect.
    OpenId,
    /// A certificate over TLS with the name of a user.
    Mtls,
}

/// Where a key is in a request (1.0, section 4.5.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyPlace {
    /// In a header; over gRPC that is metadata.
    Header,
    /// In the query of the URL, which gRPC does not have.
    Query,
    /// In a cookie (RFC 6265), of which gRPC does not know either.
    Cookie,
}

impl KeyPlace {
    /// Every place.
    pub const ALL: [Self; 3] = [Self::Header, Self::Query, Self::Cookie];

    /// What cards call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Query => "query",
            Self::Cookie => "cookie",
        }
    }
}

/// A text that names no [`Scheme`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "there are: bearer, basic, oauth2, openid, mtls, api-key=header:NAME, api-key=query:NAME and api-key=cookie:NAME, the \
     name in letters, digits, - and _"
)]
pub struct NoScheme;

impl FromStr for Scheme {
    type Err = NoScheme;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "bearer" => return Ok(Self::Bearer),
            "basic" => return Ok(Self::Basic),
            "oauth2" => return Ok(Self::Oauth2),
            "openid" => return Ok(Self::OpenId),
            "mtls" => return Ok(Self::Mtls),
            _ => {}
        }
        let (place, name) = text.strip_prefix("api-key=").and_then(|key| key.split_once(':')).ok_or(NoScheme)?;
        let place = KeyPlace::ALL.into_iter().find(|known| known.name() == place).ok_or(NoScheme)?;
        let is_name =
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        is_name.then(|| Self::ApiKey { place, name: name.to_owned() }).ok_or(NoScheme)
    }
}

/// Who gives the tokens of OAuth 2.0 and OpenID Connect. The agent only names it: it takes the tokens that it knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issuer {
    url: Url,
    token_url: Option<Url>,
}

/// A text that names no [`Issuer`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no URL of http or https without query and fragment")]
pub struct NoIssuer(
    /// The text.
    pub String,
);

impl Issuer {
    /// An issuer by its URL, whose tokens are given at `token_url`; by default at `/token` below it.
    ///
    /// # Errors
    /// Where either is no URL of HTTP, or the issuer has more than a path (RFC 8414, section 2).
    pub fn new(url: &str, token_url: Option<&str>) -> Result<Self, NoIssuer> {
        let read = |text: &str| {
            let url = text.parse::<Url>().ok().filter(|url| matches!(url.scheme(), "http" | "https"));
            url.ok_or_else(|| NoIssuer(text.to_owned()))
        };
        let issuer = read(url)?;
        if issuer.query().is_some() || issuer.fragment().is_some() {
            return Err(NoIssuer(url.to_owned()));
        }
        Ok(Self { url: issuer, token_url: token_url.map(read).transpose()? })
    }

    /// Where its tokens are given.
    #[must_use]
    pub fn token_url(&self) -> String {
        self.token_url.as_ref().map_or_else(|| format!("{}/token", self.base()), Url::to_string)
    }

    /// Where its metadata are: the well-known path comes before that of the issuer (RFC 8414, section 3.1).
    #[must_use]
    pub fn metadata_url(&self) -> String {
        let path = self.url.path().trim_end_matches('/');
        let origin = self.url.origin().ascii_serialization();
        format!("{origin}/.well-known/oauth-authorization-server{path}")
    }

    /// Where its configuration for OpenID Connect is (OpenID Connect Discovery 1.0, section 4).
    #[must_use]
    pub fn discovery_url(&self) -> String {
        format!("{}/.well-known/openid-configuration", self.base())
    }

    fn base(&self) -> &str {
        self.url.as_str().trim_end_matches('/')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes_are_read() {
        let key = |place, name: &str| Scheme::ApiKey { place, name: name.to_owned() };
        assert_eq!("openid".parse(), Ok(Scheme::OpenId));
        assert_eq!("api-key=header:X-Key".parse(), Ok(key(KeyPlace::Header, "X-Key")));
        assert_eq!("api-key=cookie:s_id".parse(), Ok(key(KeyPlace::Cookie, "s_id")));
        for wrong in
            ["Bearer", "", "api-key", "api-key=header", "api-key=header:", "api-key=body:k", "api-key=query:a=b"]
        {
            assert_eq!(wrong.parse::<Scheme>(), Err(NoScheme), "{wrong}");
        }
    }

    #[test]
    fn what_an_issuer_has_is_found_from_its_url() {
        let issuer = Issuer::new("https://id.example/realms/a/", None).unwrap();
        assert_eq!(issuer.token_url(), "https://id.example/realms/a/token");
        assert_eq!(issuer.metadata_url(), "https://id.example/.well-known/oauth-authorization-server/realms/a");
        assert_eq!(issuer.discovery_url(), "https://id.example/realms/a/.well-known/openid-configuration");
        let issuer = Issuer::new("http://127.0.0.1:9", Some("http://127.0.0.1:9/other")).unwrap();
        assert_eq!(issuer.token_url(), "http://127.0.0.1:9/other");
        assert_eq!(issuer.metadata_url(), "http://127.0.0.1:9/.well-known/oauth-authorization-server");
        for wrong in ["id.example", "ftp://id.example", "https://id.example?a", "https://id.example#a"] {
            assert_eq!(Issuer::new(wrong, None), Err(NoIssuer(wrong.to_owned())));
        }
    }
}
