//! Which values of recorded traffic are credentials.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use url::Url;

/// What is written in place of a value that has a credential.
pub(super) const MASK: &str = "***";
/// Headers that have nothing but credentials.
const HEADERS: [&str; 5] = ["authorization", "proxy-authorization", "cookie", "set-cookie", "a2a-notification-token"];
/// Parts of the names of headers and parameters that have credentials.
const PARTS: [&str; 8] =
    ["api-key", "api_key", "apikey", "secret", "password", "access-token", "access_token", "auth-token"];
/// Names of parameters of queries that have credentials.
const PARAMETERS: [&str; 6] = ["key", "token", "sig", "signature", "code", "auth"];
/// Members of requests that have credentials: those of webhooks.
const MEMBERS: [&str; 4] = ["token", "credentials", "password", "clientSecret"];
/// The most secrets that are kept: who brings more is not a client.
const MOST: usize = 10_000;

/// The names under which the cards of an agent take credentials.
pub(super) type Names = BTreeSet<String>;

/// The names of the API keys that cards declare, in lower case.
pub(super) fn names<'c>(cards: impl Iterator<Item = &'c Value>) -> Names {
    let mut names = Names::new();
    for card in cards {
        let schemes = card.get("securitySchemes").and_then(Value::as_object).into_iter().flat_map(|all| all.values());
        for scheme in schemes {
            let scheme = scheme.get("apiKeySecurityScheme").unwrap_or(scheme);
            let name = scheme.get("name").and_then(Value::as_str);
            names.extend(name.filter(|_| scheme.get("scheme").is_none()).map(str::to_ascii_lowercase));
        }
    }
    names
}

/// The secrets of the traffic.
#[derive(Debug, Default)]
pub(super) struct Found(BTreeSet<String>);

impl Found {
    /// Keeps a value. The name of this program is none: a check uses it as a credential of its webhooks, and command lines begin
    /// with it.
    fn add(&mut self, value: &str) {
        let value = value.trim();
        if self.0.len() < MOST && !value.is_empty() && value != env!("CARGO_PKG_NAME") {
            self.0.insert(value.to_owned());
        }
    }

    /// All of them.
    pub fn values(&self) -> impl Iterator<Item = String> + '_ {
        self.0.iter().cloned()
    }

    /// Keeps the credentials of headers and puts masks in their places.
    pub fn mask_headers(&mut self, headers: &mut [(String, String)], names: &Names) {
        for (name, value) in headers {
            let is_secret = HEADERS.contains(&name.as_str()) || is_credential(name) || names.contains(name);
            if !is_secret {
                continue;
            }
            match name.as_str() {
                "cookie" => value.split(';').for_each(|pair| self.add(pair.split_once('=').map_or(pair, |(_, it)| it))),
                "set-cookie" => {
                    let pair = value.split(';').next().unwrap_or_default();
                    self.add(pair.split_once('=').map_or(pair, |(_, it)| it));
                }
                _ => self.credential(value),
            }
            MASK.clone_into(value);
        }
    }

    /// A value such as `Bearer x` or `Basic x`.
    fn credential(&mut self, value: &str) {
        let Some((scheme, token)) = value.trim().split_once(' ') else { return self.add(value) };
        self.add(token);
        let pair = STANDARD.decode(token.trim()).ok().filter(|_| scheme.eq_ignore_ascii_case("basic"));
        if let Some(pair) = pair.and_then(|pair| String::from_utf8(pair).ok()) {
            self.add(&pair);
            pair.split_once(':').into_iter().for_each(|(_, password)| self.add(password));
        }
    }

    /// A URL without its credentials, which are kept.
    pub fn mask_url(&mut self, text: &str, names: &Names) -> String {
        let Ok(mut url) = Url::parse(text) else { return text.to_owned() };
        if let Some(password) = url.password().map(str::to_owned) {
            self.add(&password);
        } else if !url.username().is_empty() {
            self.add(url.username());
        }
        // A URL of HTTP can do without.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let is_secret = |name: &str| {
            let name = name.to_ascii_lowercase();
            PARAMETERS.contains(&name.as_str()) || is_credential(&name) || names.contains(&name)
        };
        let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        if !pairs.iter().any(|(name, _)| is_secret(name)) {
            return if text.contains('@') { url.to_string() } else { text.to_owned() };
        }
        pairs.iter().filter(|(name, _)| is_secret(name)).for_each(|(_, value)| self.add(value));
        let masked = pairs.iter().map(|(name, value)| (name, if is_secret(name) { MASK } else { value }));
        url.query_pairs_mut().clear().extend_pairs(masked);
        url.to_string()
    }

    /// Keeps the credentials in parameters, those of webhooks.
    pub fn look_into(&mut self, params: &Value) {
        match params {
            Value::Object(members) => {
                for (name, member) in members {
                    match member {
                        Value::String(text) if MEMBERS.contains(&name.as_str()) => self.add(text),
                        member => self.look_into(member),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.look_into(item)),
            _ => {}
        }
    }
}

fn is_credential(name: &str) -> bool {
    PARTS.iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn credentials_are_kept_and_masked() {
        let card = json!({ "securitySchemes": { "a": { "apiKeySecurityScheme": { "name": "X-Mine", "location": "header" } } } });
        let names = names(std::iter::once(&card));
        let mut found = Found::default();
        let mut headers = [
            ("authorization", "Basic dXNlcjpwNHNzdzByZA=="),
            ("cookie", "a=one-cookie; b=two-cookie"),
            ("set-cookie", "c=three-cookie; Path=/"),
            ("x-mine", "own-key"),
            ("x-api-key", "usual-key"),
            ("accept", "*/*"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
        found.mask_headers(&mut headers, &names);
        assert_eq!(headers.iter().filter(|(_, value)| value == MASK).count(), 5);
        let url = found.mask_url("http://u:in-url@a.example/x?api_key=in-query&pageToken=p", &names);
        assert_eq!(url, "http://a.example/x?api_key=***&pageToken=p");
        assert_eq!(
            found.mask_url("http://a.example/tasks?contextId=%20", &names),
            "http://a.example/tasks?contextId=%20"
        );
        found.look_into(&json!({ "pushNotificationConfig": { "token": "of-webhook" }, "pageToken": "p" }));
        found.look_into(&json!({ "authentication": { "credentials": "a2aspec" } }));
        let all: Vec<String> = found.values().collect();
        for secret in [
            "p4ssw0rd",
            "one-cookie",
            "two-cookie",
            "three-cookie",
            "own-key",
            "usual-key",
            "in-url",
            "in-query",
            "of-webhook",
        ] {
            assert!(all.iter().any(|known| known == secret), "{secret} in {all:?}");
        }
        assert!(!all.iter().any(|known| known == "p" || known == "a2aspec"));
    }
}
