//! The ways to a token.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use oauth2::basic::{BasicClient, BasicTokenResponse, BasicTokenType};
use oauth2::{
    AsyncHttpClient, AuthType, AuthUrl, AuthorizationCode, ClientId, ClientSecret, CsrfToken, DeviceAuthorizationUrl,
    EndpointNotSet, EndpointSet, ErrorResponseType, HttpRequest, HttpResponse, PkceCodeChallenge, RedirectUrl,
    RefreshToken, RequestTokenError, Scope, StandardDeviceAuthorizationResponse, StandardErrorResponse,
    TokenResponse as _, TokenUrl,
};
use thiserror::Error;

use super::issuer::Endpoints;
use super::redirect::Redirect;
use super::{Given, Grant, OAuth, OAuthError, PATIENCE};
use crate::binding::Outgoing;
use crate::cli::print;
use crate::clock;
use crate::transcript::Ended;
use crate::transport::http::Http;

type Client = BasicClient<EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointSet>;

/// An exchange with the issuer that brought nothing of use.
#[derive(Debug, Error)]
#[error(transparent)]
struct Lost(OAuthError);

/// The longest time between two questions whether a person has confirmed: an issuer asks for a few seconds.
const LONGEST_INTERVAL: Duration = Duration::from_secs(60 * 60);

/// Gets a token as the settings say.
pub(super) async fn run(http: &Http, oauth: &OAuth, endpoints: &Endpoints) -> Result<Given, OAuthError> {
    match oauth.entry.grant {
        Grant::ClientCredentials => for_program(http, oauth, endpoints).await,
        Grant::DeviceCode => by_device(http, oauth, endpoints).await,
        Grant::AuthorizationCode => by_browser(http, oauth, endpoints).await,
    }
}

/// Gets a token for what was given for that (RFC 6749, section 6).
pub(super) async fn refresh(
    http: &Http,
    oauth: &OAuth,
    endpoints: &Endpoints,
    refresh: &str,
) -> Result<Given, OAuthError> {
    let refresh = RefreshToken::new(refresh.to_owned());
    let client = client(oauth, endpoints);
    let mut request = client.exchange_refresh_token(&refresh);
    for (name, value) in resource(oauth) {
        request = request.add_extra_param(name, value);
    }
    let answer = request.request_async(&Carrier(http)).await;
    // An issuer may say again what it was sent.
    let answer = answer.map_err(|error| refused(error).without(refresh.secret()))?;
    let mut given = given(&answer)?;
    // An issuer may let the old one hold on.
    given.refresh.get_or_insert_with(|| refresh.into_secret());
    Ok(given)
}

/// Gets a token for a program, which needs no person.
pub(super) async fn for_program(http: &Http, oauth: &OAuth, endpoints: &Endpoints) -> Result<Given, OAuthError> {
    let client = client(oauth, endpoints);
    let mut request = client.exchange_client_credentials().add_scopes(scopes(oauth));
    for (name, value) in resource(oauth) {
        request = request.add_extra_param(name, value);
    }
    given(&request.request_async(&Carrier(http)).await.map_err(refused)?)
}

async fn by_device(http: &Http, oauth: &OAuth, endpoints: &Endpoints) -> Result<Given, OAuthError> {
    let carrier = Carrier(http);
    let client =
        client(oauth, endpoints).set_device_authorization_url(DeviceAuthorizationUrl::from_url(endpoints.device()?));
    let mut request = client.exchange_device_code().add_scopes(scopes(oauth));
    for (name, value) in resource(oauth) {
        request = request.add_extra_param(name, value);
    }
    let device: StandardDeviceAuthorizationResponse = request.request_async(&carrier).await.map_err(refused)?;
    if device.interval() > LONGEST_INTERVAL {
        let seconds = device.interval().as_secs();
        return Err(OAuthError::Unusable(format!("it wants {seconds} s to pass between two questions (`interval`)")));
    }
    let limit = clock::bounded(device.expires_in());
    let page = device.verification_uri().as_str();
    ask(oauth, &format!("open {page} and enter the code {}", device.user_code().secret()));
    let waiting = client.exchange_device_access_token(&device);
    match waiting.request_async(&carrier, tokio::time::sleep, Some(limit)).await {
        Ok(token) => given(&token),
        Err(RequestTokenError::ServerResponse(response))
            if response.error() == &oauth2::DeviceCodeErrorResponseType::ExpiredToken =>
        {
            Err(OAuthError::Late("the device code expired before anyone confirmed it"))
        }
        Err(error) => Err(refused(error)),
    }
}

async fn by_browser(http: &Http, oauth: &OAuth, endpoints: &Endpoints) -> Result<Given, OAuthError> {
    let mut redirect = Redirect::listen().await?;
    let client = client(oauth, endpoints)
        .set_auth_uri(AuthUrl::from_url(endpoints.authorization()?))
        .set_redirect_uri(RedirectUrl::from_url(redirect.url().clone()));
    let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
    let mut request =
        client.authorize_url(CsrfToken::new_random).add_scopes(scopes(oauth)).set_pkce_challenge(challenge);
    for (name, value) in resource(oauth) {
        request = request.add_extra_param(name, value);
    }
    let (page, state) = request.url();
    ask(oauth, &format!("open {page} in a browser on this machine"));
    let code = tokio::time::timeout(PATIENCE, redirect.code(state.secret())).await;
    let code = code.map_err(|_| OAuthError::Late("nobody came back from the browser in five minutes"))??;
    let mut request = client.exchange_code(AuthorizationCode::new(code)).set_pkce_verifier(verifier);
    for (name, value) in resource(oauth) {
        request = request.add_extra_param(name, value);
    }
    given(&request.request_async(&Carrier(http)).await.map_err(refused)?)
}

/// Says what a person has to do, also where little else is said.
fn ask(oauth: &OAuth, what: &str) {
    print::warn(&oauth.secrets(), &format!("to be `{}`: {what}", oauth.name));
}

fn client(oauth: &OAuth, endpoints: &Endpoints) -> Client {
    let way = if endpoints.wants_secret_in_body { AuthType::RequestBody } else { AuthType::BasicAuth };
    let client = BasicClient::new(ClientId::new(oauth.entry.client_id.clone()))
        .set_token_uri(TokenUrl::from_url(endpoints.token.clone()))
        .set_auth_type(way);
    match oauth.secret() {
        Some(secret) => client.set_client_secret(ClientSecret::new(secret.to_owned())),
        None => client,
    }
}

fn scopes(oauth: &OAuth) -> impl Iterator<Item = Scope> {
    oauth.entry.scopes.iter().cloned().map(Scope::new)
}

/// For whom the token is to be (RFC 8707, section 2).
fn resource(oauth: &OAuth) -> impl Iterator<Item = (&'static str, String)> {
    oauth.entry.resource.iter().cloned().map(|resource| ("resource", resource))
}

fn given(token: &BasicTokenResponse) -> Result<Given, OAuthError> {
    if *token.token_type() != BasicTokenType::Bearer {
        return Err(OAuthError::Unusable("the token is none of RFC 6750, which A2A takes".to_owned()));
    }
    Ok(Given {
        access: token.access_token().secret().clone(),
        lifetime: token.expires_in().map(clock::bounded),
        refresh: token.refresh_token().map(|token| token.secret().clone()),
    })
}

fn refused<T>(error: RequestTokenError<Lost, StandardErrorResponse<T>>) -> OAuthError
where
    T: ErrorResponseType + Display + 'static,
{
    match error {
        RequestTokenError::ServerResponse(response) => OAuthError::Refused(match response.error_description() {
            Some(description) => format!("{} ({description})", response.error()),
            None => response.error().to_string(),
        }),
        RequestTokenError::Request(Lost(error)) => error,
        // What serde says of a value shows it, which may be the token.
        RequestTokenError::Parse(error, _) => {
            OAuthError::Unusable(format!("{} is not as RFC 6749 has it", place(&error.path().to_string())))
        }
        RequestTokenError::Other(why) => OAuthError::Unusable(why),
    }
}

/// Where in the answer something is.
fn place(path: &str) -> String {
    match path {
        "." | "?" => "it".to_owned(),
        path => format!("its `{path}`"),
    }
}

/// What sends the requests of the library: a closure's future would be bound to one lifetime, and not be sent between threads.
struct Carrier<'a>(&'a Http);

impl<'c> AsyncHttpClient<'c> for Carrier<'_> {
    type Error = Lost;
    type Future = BoxFuture<'c, Result<HttpResponse, Lost>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        carry(self.0, request).boxed()
    }
}

/// Sends a request of the library's, over connections as the user wants them. Redirects are not followed.
async fn carry(http: &Http, request: HttpRequest) -> Result<HttpResponse, Lost> {
    let (head, body) = request.into_parts();
    let url = head.uri.to_string();
    let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let outgoing = Outgoing {
        method: head.method.to_string(),
        url: url.clone(),
        headers: head.headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect(),
        body: Bytes::from(body),
        operation: None,
        params: Arc::default(),
        rpc_id: None,
        purpose: "a token".to_owned(),
    };
    let mut incoming = http.send(http.next_number(), outgoing).await;
    http.read_to_end(&mut incoming).await;
    let exchange = incoming.into_exchange();
    let lost = |why: String| Lost(OAuthError::NoAnswer { url: url.clone(), why });
    let response = match (exchange.response, exchange.ended) {
        (Some(response), Ended::Complete) => response,
        (_, ended) => return Err(lost(ended.to_string())),
    };
    // What it refuses, an issuer says with these (RFC 6749, section 5.2).
    if !matches!(response.status, 200..=299 | 400 | 401 | 403) {
        return Err(Lost(OAuthError::of_status(&url, &response)));
    }
    let mut answer = http::Response::builder().status(response.status);
    for (name, value) in &response.headers {
        answer = answer.header(name, value);
    }
    answer.body(response.body.to_vec()).map_err(|error| lost(error.to_string()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use serde_json::json;
    use tokio::time::Instant;

    use super::*;
    use crate::auth::Credentials;
    use crate::cli::oauth::{OAuthEntry, issuer};
    use crate::transport::http::Settings;
    use crate::transport::memory::{Memory, Reply};

    /// An issuer asks for more time, does not answer at all, and then gives the token (RFC 8628, section 3.5).
    #[tokio::test(start_paused = true)]
    async fn who_waits_for_a_device_slows_down() {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let memory = Memory::new(move |outgoing| {
            let refusal = |error: &str| Reply::json(400, &json!({ "error": error }));
            if outgoing.url.ends_with("/device") {
                let page = "https://id.example/enter";
                return Reply::json(
                    200,
                    &json!({ "device_code": "d", "user_code": "u", "verification_uri": page, "expires_in": 900, "interval": 2 }),
                );
            }
            match count.fetch_add(1, Ordering::Relaxed) {
                0 => refusal("authorization_pending"),
                1 => refusal("slow_down"),
                2 => Reply::json(503, &json!({})),
                _ => Reply::json(200, &json!({ "access_token": "t", "token_type": "bearer" })),
            }
        });
        let settings = Settings { credentials: Credentials::default(), timeout: Duration::from_secs(10) };
        let http = Http::over(Arc::new(memory), settings);
        let entry: OAuthEntry = toml::from_str(
            "grant = 'device-code'\nclient-id = 'c'\ntoken-endpoint = 'https://id.example/token'\n\
             device-authorization-endpoint = 'https://id.example/device'",
        )
        .unwrap();
        let endpoints = issuer::endpoints(&http, &entry).await.unwrap();
        let oauth = OAuth::read("ann", &entry).unwrap();
        let began = Instant::now();
        let given = run(&http, &oauth, &endpoints).await.unwrap();
        assert_eq!((given.access.as_str(), given.lifetime), ("t", None));
        assert_eq!(asked.load(Ordering::Relaxed), 4);
        // Two seconds, then seven, then more than that after no answer.
        assert!(began.elapsed() >= Duration::from_secs(2 + 7 + 7), "{:?}", began.elapsed());
    }
}
