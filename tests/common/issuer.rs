//! An issuer of tokens (RFC 6749, 7636, 8414, 8628) on this machine, for one client.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use super::agent::Agent;

pub const CLIENT: &str = "suite";
pub const SECRET: &str = "m4rked-client/secret+1~";
/// How long whoever is shown a token takes it after its end: a request may have been on its way.
const LEEWAY: Duration = Duration::from_secs(2);
/// What every token has.
pub const TOKEN: &str = "m4rked-token/";

/// How an issuer behaves.
#[derive(Clone)]
pub struct Manner {
    /// Where its metadata is.
    pub metadata: &'static str,
    /// For how many seconds tokens hold, where it says so.
    pub lifetime: Option<u64>,
    /// What it says of a device code before it gives the token.
    pub device: Vec<&'static str>,
    /// Whether it says again what it was sent.
    pub repeats: bool,
    pub gives_refresh: bool,
}

impl Default for Manner {
    fn default() -> Self {
        let metadata = "/.well-known/openid-configuration";
        Self { metadata, lifetime: Some(3600), device: Vec::new(), repeats: false, gives_refresh: false }
    }
}

type Form = BTreeMap<String, String>;

#[derive(Default)]
struct State {
    /// The forms that came for tokens.
    asked: Vec<Form>,
    given: usize,
    /// Until when tokens hold.
    ends: BTreeMap<String, Instant>,
    /// Codes with their challenges and redirects.
    codes: BTreeMap<String, (String, String)>,
    refresh: BTreeSet<String>,
    device_answers: usize,
}

/// An issuer that runs.
pub struct Issuer {
    pub agent: Agent,
    state: Arc<Mutex<State>>,
}

impl Issuer {
    pub fn start(manner: Manner) -> Self {
        let state = Arc::new(Mutex::new(State::default()));
        let kept = Arc::clone(&state);
        let agent = Agent::serve(|url| async move {
            let metadata = json!({
                "issuer": url,
                "token_endpoint": format!("{url}/token"),
                "authorization_endpoint": format!("{url}/authorize"),
                "device_authorization_endpoint": format!("{url}/device"),
            });
            let of_tokens = (Arc::clone(&kept), manner.clone());
            let of_codes = Arc::clone(&kept);
            let page = format!("{url}/enter");
            let device = json!({
                "device_code": "d3vice", "user_code": "ABCD-EFGH", "verification_uri": page,
                "expires_in": 60, "interval": 0,
            });
            Router::new()
                .route(manner.metadata, get(move || async move { metadata.to_string() }))
                .route("/device", post(move || async move { json_answer(StatusCode::OK, &device) }))
                .route("/authorize", get(move |uri: Uri| async move { authorize(&of_codes, &uri) }))
                .route(
                    "/token",
                    post(move |headers: HeaderMap, body: String| async move {
                        let form: Form = url::form_urlencoded::parse(body.as_bytes()).into_owned().collect();
                        token(&of_tokens.0, &of_tokens.1, &headers, form)
                    }),
                )
        });
        Self { agent, state }
    }

    /// Who knows whether a token holds now.
    pub fn holds(&self) -> impl Fn(&str) -> bool + Send + Sync + 'static {
        let state = Arc::clone(&self.state);
        move |token| state.lock().unwrap().ends.get(token).is_some_and(|end| Instant::now() < *end)
    }

    /// The grants that were asked for, in their order.
    pub fn grants(&self) -> Vec<String> {
        self.state.lock().unwrap().asked.iter().map(|form| form["grant_type"].clone()).collect()
    }

    /// What was said with the last of them.
    pub fn last(&self, name: &str) -> Option<String> {
        self.state.lock().unwrap().asked.last()?.get(name).cloned()
    }
}

fn json_answer(status: StatusCode, body: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

fn refusal(status: StatusCode, error: &str, description: &str) -> Response {
    json_answer(status, &json!({ "error": error, "error_description": description }))
}

/// The page on which a person says yes: one that needs no person.
fn authorize(state: &Mutex<State>, uri: &Uri) -> Response {
    let query: Form = url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()).into_owned().collect();
    assert_eq!((query["client_id"].as_str(), query["response_type"].as_str()), (CLIENT, "code"));
    assert_eq!(query["code_challenge_method"], "S256");
    let redirect = query["redirect_uri"].clone();
    let mut back = url::Url::parse(&redirect).unwrap();
    back.query_pairs_mut().append_pair("state", &query["state"]);
    if query.get("scope").is_some_and(|scope| scope == "denied") {
        back.query_pairs_mut().append_pair("error", "access_denied");
    } else {
        back.query_pairs_mut().append_pair("code", "c0de");
    }
    state.lock().unwrap().codes.insert("c0de".to_owned(), (query["code_challenge"].clone(), redirect));
    (StatusCode::FOUND, [(header::LOCATION, back.to_string())]).into_response()
}

fn token(state: &Mutex<State>, manner: &Manner, headers: &HeaderMap, form: Form) -> Response {
    let mut state = state.lock().unwrap();
    state.asked.push(form.clone());
    let said = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    // Both parts are encoded as in a form (RFC 6749, section 2.3.1).
    let secret: String = url::form_urlencoded::byte_serialize(SECRET.as_bytes()).collect();
    if said != format!("Basic {}", STANDARD.encode(format!("{CLIENT}:{secret}"))) {
        let pair = said.strip_prefix("Basic ").and_then(|pair| STANDARD.decode(pair).ok()).unwrap_or_default();
        let repeated = if manner.repeats { String::from_utf8(pair).unwrap() } else { "who is that?".to_owned() };
        return refusal(StatusCode::UNAUTHORIZED, "invalid_client", &repeated);
    }
    if form.get("scope").is_some_and(|scope| scope.contains("odd")) {
        return refusal(StatusCode::BAD_REQUEST, "invalid_scope", "there is no scope odd");
    }
    let get = |name: &str| form.get(name).map(String::as_str).unwrap_or_default();
    let is_right = match get("grant_type") {
        "client_credentials" => true,
        "refresh_token" => state.refresh.remove(get("refresh_token")),
        "authorization_code" => state.codes.remove(get("code")).is_some_and(|(challenge, redirect)| {
            let digest = ring::digest::digest(&ring::digest::SHA256, get("code_verifier").as_bytes());
            URL_SAFE_NO_PAD.encode(digest) == challenge && redirect == get("redirect_uri")
        }),
        "urn:ietf:params:oauth:grant-type:device_code" => {
            let answer = manner.device.get(state.device_answers).copied();
            state.device_answers += 1;
            match answer {
                Some(error) => return refusal(StatusCode::BAD_REQUEST, error, "not now"),
                None => get("device_code") == "d3vice",
            }
        }
        other => return refusal(StatusCode::BAD_REQUEST, "unsupported_grant_type", other),
    };
    if !is_right {
        return refusal(StatusCode::BAD_REQUEST, "invalid_grant", "not any more");
    }
    state.given += 1;
    let access = format!("{TOKEN}{}", state.given);
    let lifetime = Duration::from_secs(manner.lifetime.unwrap_or(3600).min(u64::from(u32::MAX)));
    state.ends.insert(access.clone(), Instant::now() + lifetime + LEEWAY);
    let mut answer = json!({ "access_token": access, "token_type": "Bearer" });
    if let Some(lifetime) = manner.lifetime {
        answer["expires_in"] = lifetime.into();
    }
    if manner.gives_refresh {
        let refresh = format!("m4rked-refresh-{}", state.given);
        answer["refresh_token"] = refresh.clone().into();
        state.refresh.insert(refresh);
    }
    json_answer(StatusCode::OK, &answer)
}
