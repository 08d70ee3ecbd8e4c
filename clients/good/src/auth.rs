//! Credentials: those of the application, as the card's security schemes want them (sections 4.5 and 7.3).

use std::net::IpAddr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use tokio::sync::Mutex;

use crate::deviation::deviates;
use crate::failure::Failure;
use crate::http::{Http, Request};
use crate::oauth;

/// What the application has, by the name of the scheme in the card.
#[derive(Debug, Default)]
pub(crate) struct Credentials {
    by_scheme: Map<String, Value>,
    /// The token of a flow, fetched once.
    token: Mutex<Option<String>>,
}

impl Credentials {
    pub(crate) fn new(by_scheme: &Value) -> Self {
        Self { by_scheme: by_scheme.as_object().cloned().unwrap_or_default(), token: Mutex::default() }
    }

    /// Adds the credentials that the card asks for.
    ///
    /// # Errors
    /// The connection is not encrypted, or a flow failed.
    pub(crate) async fn attach(&self, card: &Value, http: &Http, request: &mut Request) -> Result<(), Failure> {
        if self.by_scheme.is_empty() {
            return Ok(());
        }
        for name in self.chosen(card) {
            let Some(scheme) = card["securitySchemes"].get(&name) else { continue };
            if !is_private(request) && !deviates("auth/over-plain-http") {
                return Err(Failure::refused("credentials are sent over encrypted connections only"));
            }
            let given = self.by_scheme.get(&name).cloned().unwrap_or_default();
            self.apply(scheme, &given, http, request).await?;
        }
        Ok(())
    }

    /// The schemes of the first requirement that the application can meet. Without requirements: all that it has.
    fn chosen(&self, card: &Value) -> Vec<String> {
        if deviates("auth/all-that-there-are") {
            return self.by_scheme.keys().cloned().collect();
        }
        let requirements = card["securityRequirements"].as_array().map(Vec::as_slice).unwrap_or_default();
        let names = |requirement: &Value| -> Vec<String> {
            requirement["schemes"].as_object().map(|schemes| schemes.keys().cloned().collect()).unwrap_or_default()
        };
        if deviates("auth/first-requirement-only") {
            return requirements.first().map(names).unwrap_or_default();
        }
        if requirements.is_empty() {
            return self.by_scheme.keys().cloned().collect();
        }
        let has_all = |names: &Vec<String>| names.iter().all(|name| self.by_scheme.contains_key(name));
        let mut chosen = requirements.iter().map(names).find(has_all).unwrap_or_default();
        if deviates("auth/one-scheme-of-several") {
            chosen.truncate(1);
        }
        chosen
    }

    async fn apply(&self, scheme: &Value, given: &Value, http: &Http, request: &mut Request) -> Result<(), Failure> {
        let text = |name: &str| given[name].as_str().unwrap_or_default();
        if deviates("auth/always-bearer") {
            let any =
                ["token", "key", "password"].into_iter().map(text).find(|text| !text.is_empty()).unwrap_or_default();
            return request.set("authorization", &format!("Bearer {any}"));
        }
        if let Some(key) = scheme.get("apiKeySecurityScheme") {
            return place_key(key, text("key"), request);
        }
        if let Some(http) = scheme.get("httpAuthSecurityScheme") {
            let written = http["scheme"].as_str().unwrap_or_default();
            if written.eq_ignore_ascii_case("basic") {
                let pair = format!("{}:{}", text("user"), text("password"));
                let pair = if deviates("auth/basic-unencoded") { pair } else { STANDARD.encode(pair) };
                return request.set("authorization", &format!("Basic {pair}"));
            }
            if written.eq_ignore_ascii_case("bearer") {
                let prefix = if deviates("auth/bearer-unnamed") { "" } else { "Bearer " };
                return request.set("authorization", &format!("{prefix}{}", text("token")));
            }
            return request.set("authorization", &format!("{written} {}", text("token")));
        }
        let flows = scheme.get("oauth2SecurityScheme").map(|scheme| &scheme["flows"]);
        let discovery =
            scheme.get("openIdConnectSecurityScheme").and_then(|scheme| scheme["openIdConnectUrl"].as_str());
        if flows.is_none() && discovery.is_none() {
            return Ok(());
        }
        let token = match given["token"].as_str() {
            Some(token) => token.to_owned(),
            None => {
                let mut kept = self.token.lock().await;
                if kept.is_none() {
                    *kept = Some(oauth::token(flows, discovery, given, http).await?);
                }
                kept.clone().unwrap_or_default()
            }
        };
        request.set("authorization", &format!("Bearer {token}"))
    }
}

fn place_key(scheme: &Value, key: &str, request: &mut Request) -> Result<(), Failure> {
    let name = scheme["name"].as_str().unwrap_or_default();
    match scheme["location"].as_str().unwrap_or_default() {
        _ if deviates("auth/key-always-in-a-header") => request.set(name, key)?,
        "query" => {
            request.url.query_pairs_mut().append_pair(name, key);
        }
        "cookie" => request.set("cookie", &format!("{name}={key}"))?,
        _ if deviates("auth/key-under-its-own-name") => request.set("x-api-key", key)?,
        _ => request.set(name, key)?,
    }
    Ok(())
}

/// Whether nobody else can read what is sent: by TLS, or because it does not leave the machine.
fn is_private(request: &Request) -> bool {
    let host = request.url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    request.url.scheme() == "https" || host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}
