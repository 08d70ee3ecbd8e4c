//! Tokens of OAuth 2.0: client credentials, and the authorization code with PKCE (RFC 7636).

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use reqwest::Method;
use reqwest::header::LOCATION;
use ring::rand::SecureRandom;
use serde_json::{Value, json};
use url::Url;
use url::form_urlencoded::Serializer;

use crate::deviation::deviates;
use crate::failure::Failure;
use crate::http::{self, Http, Request};

/// Where the browser of a person would be sent back to. The answer is read before anything is asked there.
const BACK: &str = "http://127.0.0.1/callback";

/// A token by one of the flows, or by those that the issuer announces.
pub(crate) async fn token(
    flows: Option<&Value>,
    discovery: Option<&str>,
    given: &Value,
    http: &Http,
) -> Result<String, Failure> {
    let found = match discovery {
        Some(url) => {
            let answer = http.fetch(&Request::get(http::url(url)?)).await?;
            let answer: Value = json_of(&http::body(answer).await?)?;
            Some(json!({ "clientCredentials": { "tokenUrl": answer["token_endpoint"] } }))
        }
        None => None,
    };
    let flows = found.as_ref().or(flows).unwrap_or(&Value::Null);
    if let Some(flow) = flows.get("clientCredentials") {
        return ask(flow, vec![("grant_type", "client_credentials".to_owned())], given, http).await;
    }
    let flow =
        flows.get("authorizationCode").ok_or_else(|| Failure::refused("no flow of OAuth that this client has"))?;
    let verifier = random();
    let plain = deviates("oauth/pkce-plain");
    let hash = ring::digest::digest(&ring::digest::SHA256, verifier.as_bytes());
    let challenge = if plain { verifier.clone() } else { URL_SAFE_NO_PAD.encode(hash) };
    let state = random();
    let mut url = http::url(flow["authorizationUrl"].as_str().unwrap_or_default())?;
    {
        let mut query = url.query_pairs_mut();
        query.append_pair("response_type", "code").append_pair("redirect_uri", BACK).append_pair("state", &state);
        query.append_pair("client_id", given["client-id"].as_str().unwrap_or_default());
        if !deviates("oauth/no-pkce") {
            query.append_pair("code_challenge", &challenge);
            query.append_pair("code_challenge_method", if plain { "plain" } else { "S256" });
        }
    }
    let code = code(Request::get(url), &state, http).await?;
    let mut form = vec![("grant_type", "authorization_code".to_owned()), ("code", code)];
    form.push(("redirect_uri", BACK.to_owned()));
    if !deviates("oauth/verifier-forgotten") {
        form.push(("code_verifier", verifier));
    }
    ask(flow, form, given, http).await
}

/// The code that the issuer sends a browser back with.
async fn code(request: Request, state: &str, http: &Http) -> Result<String, Failure> {
    // It stays where it is: what is at the address of the redirect is this client itself.
    let stopped = http.once(&request).await;
    let target = match &stopped {
        Ok(response) => response.headers().get(LOCATION).and_then(|value| value.to_str().ok()).map(str::to_owned),
        Err(_) => None,
    };
    let target = target.and_then(|target| Url::parse(&target).ok());
    let target = target.ok_or_else(|| Failure::transport("the issuer does not redirect"))?;
    let parameter = |name: &str| target.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    if parameter("state").as_deref() != Some(state) {
        return Err(Failure::unreadable("the issuer answers with another state"));
    }
    parameter("code").ok_or_else(|| Failure::transport("the issuer gives no code"))
}

/// Asks the token endpoint of a flow.
async fn ask(flow: &Value, form: Vec<(&str, String)>, given: &Value, http: &Http) -> Result<String, Failure> {
    let text = |name: &str| given[name].as_str().unwrap_or_default();
    let mut request = Request::get(http::url(flow["tokenUrl"].as_str().unwrap_or_default())?);
    request.method = Method::POST;
    request.set("content-type", "application/x-www-form-urlencoded")?;
    request.set("accept", "application/json")?;
    let pair = STANDARD.encode(format!("{}:{}", text("client-id"), text("client-secret")));
    request.set("authorization", &format!("Basic {pair}"))?;
    request.body = Some(form_of(flow, form, text("client-id")).into_bytes());
    let response = http.send(&request).await?;
    let status = response.status();
    let answer = http::body(response).await?;
    if !status.is_success() {
        return Err(Failure::status(status.as_u16()));
    }
    let token = json_of(&answer)?["access_token"].as_str().map(str::to_owned);
    token.ok_or_else(|| Failure::unreadable("the issuer gives no access_token"))
}

fn form_of(flow: &Value, form: Vec<(&str, String)>, client: &str) -> String {
    let mut body = Serializer::new(String::new());
    body.extend_pairs(form);
    if let Some(scopes) = flow["scopes"].as_object().filter(|scopes| !scopes.is_empty()) {
        let scopes: Vec<&str> = scopes.keys().map(String::as_str).collect();
        body.append_pair("scope", &scopes.join(" "));
    }
    body.append_pair("client_id", client);
    body.finish()
}

fn json_of(body: &[u8]) -> Result<Value, Failure> {
    serde_json::from_slice(body).map_err(|error| Failure::unreadable(format!("the issuer: {error}")))
}

/// A text that nobody can guess.
pub(crate) fn random() -> String {
    let mut bytes = [0; 32];
    // The generator of the system fails only where there is none.
    let _ = ring::rand::SystemRandom::new().fill(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}
