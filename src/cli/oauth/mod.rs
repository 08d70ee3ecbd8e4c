//! Tokens of OAuth 2 (RFC 6749), which an identity has got from an issuer instead of bringing them along.

mod cache;
mod grant;
mod issuer;
mod redirect;
mod renewal;

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tokio::time::Instant;

use self::cache::Cache;
use self::renewal::Renewal;
use super::credentials::{is_a_place, read_value};
use super::fail::Failure;
use super::{Exit, signals};
use crate::auth::{Credentials, Token, origin, token};
use crate::report::Secrets;
use crate::transcript::Response;
use crate::transport::Dialing;
use crate::transport::http::{Http, Settings};

/// How long a person may take in a browser. A device code has its own time.
const PATIENCE: Duration = Duration::from_secs(300);

/// `[identities.NAME.oauth]`: how tokens are got.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct OAuthEntry {
    /// The way to a token.
    pub grant: Grant,
    /// Who gives tokens: its metadata names the endpoints (RFC 8414, OpenID Connect Discovery 1.0).
    pub issuer: Option<String>,
    /// The endpoints of an issuer without metadata.
    pub token_endpoint: Option<String>,
    /// Where a person is sent.
    pub authorization_endpoint: Option<String>,
    /// Where a device code comes from.
    pub device_authorization_endpoint: Option<String>,
    /// The client as which a2aspec is known there.
    pub client_id: String,
    /// Where its secret comes from; a public client has none.
    pub client_secret: Option<String>,
    /// What the token is to allow.
    #[serde(default)]
    pub scopes: Vec<String>,
    /// For whom it is (RFC 8707).
    pub resource: Option<String>,
    /// Whether tokens are kept for the next run.
    #[serde(default = "is_kept")]
    pub cache: bool,
}

fn is_kept() -> bool {
    true
}

/// The ways to a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Grant {
    /// For a program (RFC 6749, section 4.4).
    ClientCredentials,
    /// For a person with a browser anywhere (RFC 8628).
    DeviceCode,
    /// For a person with a browser on this machine (RFC 6749, section 4.1; RFC 7636; RFC 8252).
    AuthorizationCode,
}

/// An identity that gets tokens.
pub(super) struct OAuth {
    name: String,
    entry: OAuthEntry,
    secret: Option<String>,
    /// The origin of the agent that the token is for.
    agent: String,
}

/// Why there is no token.
#[derive(Debug, Error)]
enum OAuthError {
    #[error("{url} does not answer: {why}")]
    NoAnswer { url: String, why: String },
    #[error("{url} answers with HTTP {status}{}", location.as_ref().map(|to| format!(", which leads to {to}")).unwrap_or_default())]
    Status { url: String, status: u16, location: Option<String> },
    #[error("the issuer {issuer} has no metadata ({})", tried.join(", "))]
    NoMetadata { issuer: String, tried: Vec<String> },
    #[error("the metadata of the issuer {issuer} is that of {said:?}")]
    Foreign { issuer: String, said: String },
    #[error("the issuer names no {0}")]
    NoEndpoint(&'static str),
    #[error("{what} is {text:?}, which is no URL of https or of this machine")]
    Insecure { what: &'static str, text: String },
    #[error("the issuer refuses: {0}")]
    Refused(String),
    #[error("the answer of the issuer cannot be used: {0}")]
    Unusable(String),
    #[error("{0}")]
    Late(&'static str),
    #[error("the browser cannot come back to this machine: {0}")]
    NoRedirect(String),
    #[error("{0}")]
    Cache(String),
    #[error("a person has to confirm the next one, and the issuer gave nothing that gets it (a refresh token)")]
    NobodyThere,
    #[error("interrupted")]
    Interrupted,
}

impl OAuthError {
    /// What is told of an answer by its status alone.
    fn of_status(url: &str, response: &Response) -> Self {
        let headers = response.headers.iter();
        let location = headers.filter(|(name, _)| name == "location").map(|(_, to)| to.clone()).next();
        let location = location.filter(|_| (300..400).contains(&response.status));
        Self::Status { url: url.to_owned(), status: response.status, location }
    }

    /// The same without a secret that an issuer has said again.
    fn without(self, secret: &str) -> Self {
        let mask = |text: String| Secrets::new(vec![secret.to_owned()]).mask(&text);
        match self {
            Self::Refused(text) => Self::Refused(mask(text)),
            Self::Unusable(text) => Self::Unusable(mask(text)),
            other => other,
        }
    }

    fn exit(&self) -> Exit {
        match self {
            Self::NoAnswer { .. }
            | Self::Status { .. }
            | Self::NoMetadata { .. }
            | Self::Foreign { .. }
            | Self::Unusable(_)
            | Self::NoRedirect(_)
            | Self::Late(_) => Exit::Target,
            Self::NoEndpoint(_) | Self::Insecure { .. } | Self::Refused(_) | Self::NobodyThere | Self::Cache(_) => {
                Exit::Usage
            }
            Self::Interrupted => Exit::Interrupted,
        }
    }

    fn help(&self) -> Option<&'static str> {
        Some(match self {
            Self::NoAnswer { .. } => "does the issuer run, and is its URL right? --timeout gives a slow one more time",
            Self::Status { status: 300..400, .. } => {
                "secrets follow no redirects: name the issuer, or its endpoint, where it is now"
            }
            Self::Status { status: 500.., .. } => "the issuer fails: is it well? Try again later",
            Self::Status { .. } => "is this the URL of an issuer of OAuth 2, or of its endpoint?",
            Self::NoMetadata { .. } => "name its token-endpoint instead of the issuer, and what else the grant takes",
            Self::Foreign { .. } => "write the issuer as its metadata does",
            Self::NoEndpoint(_) => "name it in a2aspec.toml, or take another grant",
            Self::Insecure { .. } => "secrets and tokens go over secure connections only",
            Self::Refused(_) => {
                "client-id, client-secret, scopes and grant are in a2aspec.toml as the issuer knows them"
            }
            Self::Cache(_) => "delete the file, or set cache = false",
            Self::Unusable(_) => "is this an issuer of OAuth 2?",
            Self::Late(_) => "begin again, and confirm sooner",
            Self::NoRedirect(_) | Self::NobodyThere | Self::Interrupted => return None,
        })
    }
}

/// What the issuer gives.
struct Given {
    access: String,
    /// For how long it holds, where the issuer says so.
    lifetime: Option<Duration>,
    refresh: Option<String>,
}

impl OAuth {
    /// Reads the client's secret from wherever it is.
    pub fn read(name: &str, entry: &OAuthEntry) -> Result<Self, Failure> {
        let what = format!("the client secret of the identity `{name}`");
        let secret = match entry.client_secret.as_deref() {
            Some(text) if !is_a_place(text) => {
                let message = format!("{what} comes from the environment, a file or a command");
                return Err(Failure::new(Exit::Usage, &message, Some("write env:NAME, file:PATH or command:LINE")));
            }
            Some(text) => Some(read_value(&what, text)?),
            None => None,
        };
        match (&entry.issuer, &entry.token_endpoint) {
            (None, None) => {
                let message = format!("the identity `{name}` has no issuer that gives tokens");
                Err(Failure::new(Exit::Usage, &message, Some("name its issuer or its token-endpoint in a2aspec.toml")))
            }
            _ => Ok(Self { name: name.to_owned(), entry: entry.clone(), secret, agent: String::new() }),
        }
    }

    /// The same for the agent at an origin: tokens that are kept are kept for each agent.
    pub fn at(self, agent: &str) -> Self {
        Self { agent: agent.to_owned(), ..self }
    }

    /// What nothing may show.
    pub fn secret(&self) -> Option<&str> {
        self.secret.as_deref()
    }

    fn secrets(&self) -> Secrets {
        Secrets::new(self.secret.clone().into_iter().collect())
    }

    /// A token: one that is kept and still holds, or a new one. It is renewed while the run goes on.
    pub async fn token(self, dialing: Dialing, timeout: Duration) -> Result<Token, Failure> {
        let settings = Settings { credentials: Credentials::default(), timeout };
        let http = Http::dialing(dialing, settings).map_err(Failure::broken)?;
        let stop = signals::listen();
        let stop = stop.map_err(|error| Failure::broken(format!("signals cannot be waited for: {error}")))?;
        let asked = Instant::now();
        let given = tokio::select! {
            given = self.get(&http) => given,
            () = signals::stopped(&stop) => Err(OAuthError::Interrupted),
        };
        // An issuer may say again what it was told.
        let (name, secrets) = (self.name.clone(), self.secrets());
        let failure = |error: &OAuthError| {
            let message = format!("there is no token for the identity `{name}`: {error}");
            Failure::new(error.exit(), &message, error.help()).masked(&secrets)
        };
        let given = given.map_err(|error| failure(&error))?;
        let (grant, renewal) = (given.grant(), Renewal::new(self, http, given.refresh));
        Token::new(&name, grant, asked, renewal)
            .map_err(|why| failure(&OAuthError::Unusable(format!("the token {why}"))))
    }

    async fn get(&self, http: &Http) -> Result<Given, OAuthError> {
        let mut cache = self.entry.cache.then(|| Cache::read(self)).transpose()?;
        if let Some(given) = cache.as_ref().and_then(Cache::token) {
            return Ok(given);
        }
        let endpoints = issuer::endpoints(http, &self.entry).await?;
        let given = match cache.as_ref().and_then(Cache::refresh) {
            // One that does not hold any more is got anew.
            Some(refresh) => match grant::refresh(http, self, &endpoints, &refresh).await {
                Err(OAuthError::Refused(_)) => grant::run(http, self, &endpoints).await?,
                given => given?,
            },
            None => grant::run(http, self, &endpoints).await?,
        };
        if let Some(cache) = &mut cache {
            cache.keep(&given)?;
        }
        Ok(given)
    }
}

impl Given {
    /// The same, as those who send it know it.
    fn grant(&self) -> token::Grant {
        let secrets = self.refresh.iter().cloned().collect();
        token::Grant { access: self.access.clone(), lifetime: self.lifetime, secrets }
    }
}

/// A URL to which secrets may go.
fn secure(what: &'static str, text: &str) -> Result<url::Url, OAuthError> {
    let is_secure = |url: &url::Url| {
        url.scheme() == "https"
            || url.host().is_some_and(|host| crate::interface::is_loopback(&host)) && url.scheme() == "http"
    };
    let found = url::Url::parse(text).ok().filter(is_secure).filter(|_| origin::of(text).is_some());
    found.ok_or_else(|| OAuthError::Insecure { what, text: text.to_owned() })
}
