//! The security schemes of the card, and what it demands of them: in the form of OpenAPI (0.3, section 5.5.3), in that of 1.0
//! (section 4.5), or in both at once.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::config::{Config, Issuer, Scheme};

/// The scope of all tokens.
const SCOPE: &str = "a2a";
const SCOPE_MEANS: &str = "Speak to the agent.";

/// The schemes, any one of which is enough.
#[derive(Debug, Clone, PartialEq)]
pub struct SecuritySchemes {
    /// The schemes.
    pub all: Vec<SecurityScheme>,
    /// Whether one of them is demanded.
    pub are_demanded: bool,
    in_open_api: bool,
    in_1_0: bool,
}

/// A scheme by its name in the card.
#[derive(Debug, Clone, PartialEq)]
pub struct SecurityScheme {
    pub name: String,
    pub description: &'static str,
    pub kind: Kind,
}

/// What a scheme takes.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    ApiKey { location: &'static str, name: String },
    Http { scheme: &'static str },
    Oauth2(ClientCredentials),
    OpenIdConnect { url: String },
    MutualTls,
}

/// The flow of OAuth 2.0 that the card names: programs alone speak to this agent.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientCredentials {
    pub token_url: String,
    pub metadata_url: String,
    pub scopes: Vec<(&'static str, &'static str)>,
}

impl SecurityScheme {
    /// Nothing for a scheme of OAuth that no issuer stands behind, which no agent has that runs.
    fn of(scheme: &Scheme, issuer: Option<&Issuer>, has_users: bool) -> Option<Self> {
        let (name, description, kind) = match scheme {
            Scheme::Bearer => {
                let description = match has_users {
                    true => "The bearer token of a user.",
                    false => "Any bearer token that is not empty.",
                };
                ("bearer".to_owned(), description, Kind::Http { scheme: "Bearer" })
            }
            Scheme::Basic => (
                "basic".to_owned(),
                "The name of a user, and their token as a password.",
                Kind::Http { scheme: "Basic" },
            ),
            Scheme::ApiKey { place, name } => {
                let kind = Kind::ApiKey { location: place.name(), name: name.clone() };
                (format!("key-in-{}-{name}", place.name()), "The token of a user as a key.", kind)
            }
            Scheme::Oauth2 => {
                let issuer = issuer?;
                let flow = ClientCredentials {
                    token_url: issuer.token_url(),
                    metadata_url: issuer.metadata_url(),
                    scopes: vec![(SCOPE, SCOPE_MEANS)],
                };
                ("oauth".to_owned(), "Tokens by OAuth 2.0.", Kind::Oauth2(flow))
            }
            Scheme::OpenId => {
                let kind = Kind::OpenIdConnect { url: issuer?.discovery_url() };
                ("openid".to_owned(), "Tokens by OpenID Connect.", kind)
            }
            Scheme::Mtls => {
                ("mtls".to_owned(), "A client certificate with a user as a DNS name of its subject.", Kind::MutualTls)
            }
        };
        Some(Self { name, description, kind })
    }

    /// The scopes that are demanded of a token; only those of OAuth 2.0 and OpenID Connect have any.
    pub fn scopes(&self) -> &'static [&'static str] {
        match self.kind {
            Kind::Oauth2(_) => &[SCOPE],
            _ => &[],
        }
    }

    /// As an object of OpenAPI.
    fn in_open_api(&self) -> Value {
        match &self.kind {
            Kind::ApiKey { location, name } => json!({ "type": "apiKey", "in": location, "name": name }),
            Kind::Http { scheme } => json!({ "type": "http", "scheme": scheme }),
            Kind::Oauth2(flow) => json!({
                "type": "oauth2", "flows": flow.to_json(), "oauth2MetadataUrl": flow.metadata_url,
            }),
            Kind::OpenIdConnect { url } => json!({ "type": "openIdConnect", "openIdConnectUrl": url }),
            Kind::MutualTls => json!({ "type": "mutualTLS" }),
        }
    }

    /// What 1.0 calls it, and its object.
    fn in_1_0(&self) -> (&'static str, Value) {
        match &self.kind {
            Kind::ApiKey { location, name } => ("apiKeySecurityScheme", json!({ "location": location, "name": name })),
            Kind::Http { scheme } => ("httpAuthSecurityScheme", json!({ "scheme": scheme })),
            Kind::Oauth2(flow) => {
                let of_1_0 = json!({ "flows": flow.to_json(), "oauth2MetadataUrl": flow.metadata_url });
                ("oauth2SecurityScheme", of_1_0)
            }
            Kind::OpenIdConnect { url } => ("openIdConnectSecurityScheme", json!({ "openIdConnectUrl": url })),
            Kind::MutualTls => ("mtlsSecurityScheme", json!({})),
        }
    }
}

impl ClientCredentials {
    fn to_json(&self) -> Value {
        let scopes: Map<String, Value> =
            self.scopes.iter().map(|(scope, means)| ((*scope).to_owned(), json!(means))).collect();
        json!({ "clientCredentials": { "tokenUrl": self.token_url, "scopes": scopes } })
    }
}

impl SecuritySchemes {
    /// Those of an agent. One without users takes credentials for its extended card alone, and its card demands no scheme.
    pub fn of(config: &Config) -> Self {
        let has_users = !config.users.is_empty();
        let scheme = |scheme: &Scheme| SecurityScheme::of(scheme, config.issuer.as_ref(), has_users);
        let all = config.schemes.iter().filter_map(scheme).collect();
        Self { all, are_demanded: has_users, in_open_api: true, in_1_0: true }
    }

    /// The schemes without what 1.0 says of them.
    pub fn in_words_of_open_api(self) -> Self {
        Self { in_1_0: false, ..self }
    }

    /// The schemes without what versions before 1.0 say of them.
    pub fn in_words_of_1_0(self) -> Self {
        Self { in_open_api: false, ..self }
    }

    /// The schemes that there were before 0.3, which first had mutual TLS (0.2.5, section 5.5.3).
    pub fn before_0_3(mut self) -> Self {
        self.all.retain(|scheme| scheme.kind != Kind::MutualTls);
        self
    }

    /// The demand for any of them (0.3, section 5.5): each a map to its scopes.
    pub fn security(&self) -> Vec<Value> {
        self.demanded().map(|scheme| json!({ (&scheme.name): scheme.scopes() })).collect()
    }

    /// The same in the form of protobuf (1.0, section 4.4.1).
    pub fn security_requirements(&self) -> Vec<Value> {
        let scopes = |scheme: &SecurityScheme| match scheme.scopes() {
            [] => json!({}),
            scopes => json!({ "list": scopes }),
        };
        self.demanded().map(|scheme| json!({ "schemes": { (&scheme.name): scopes(scheme) } })).collect()
    }

    /// The schemes that are demanded: all of them or none.
    pub fn demanded(&self) -> impl Iterator<Item = &SecurityScheme> {
        self.all.iter().filter(|_| self.are_demanded)
    }

    /// The demand in the oldest cards: names, as HTTP and OpenAPI have them (0.1, section 5.4).
    pub fn names(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        for scheme in self.demanded() {
            let name = match &scheme.kind {
                Kind::ApiKey { .. } => "apiKey",
                Kind::Http { scheme } => scheme,
                Kind::Oauth2(_) => "OAuth2",
                Kind::OpenIdConnect { .. } => "openIdConnect",
                Kind::MutualTls => "mutualTLS",
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

impl Serialize for SecuritySchemes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.all.iter().map(|scheme| {
            let mut members = Map::new();
            let described = |mut object: Value| {
                object["description"] = json!(scheme.description);
                object
            };
            if let (true, Value::Object(open_api)) = (self.in_open_api, described(scheme.in_open_api())) {
                members.extend(open_api);
            }
            if self.in_1_0 {
                let (kind, object) = scheme.in_1_0();
                members.insert(kind.to_owned(), described(object));
            }
            (&scheme.name, members)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schemes(texts: &[&str]) -> SecuritySchemes {
        let config = Config {
            schemes: texts.iter().map(|text| text.parse().unwrap()).collect(),
            issuer: Some(Issuer::new("https://id.example", None).unwrap()),
            users: vec!["ann=t0ken".parse().unwrap()],
            ..Config::default()
        };
        SecuritySchemes::of(&config)
    }

    const ALL: [&str; 7] = ["bearer", "basic", "api-key=header:X-Key", "api-key=query:key", "oauth2", "openid", "mtls"];

    #[test]
    fn a_scheme_is_said_in_two_ways() {
        let all = schemes(&ALL);
        let both = serde_json::to_value(&all).unwrap();
        let old = serde_json::to_value(all.clone().in_words_of_open_api()).unwrap();
        let new = serde_json::to_value(all.clone().in_words_of_1_0()).unwrap();
        for scheme in &all.all {
            let (of_both, of_old, of_new) = (&both[&scheme.name], &old[&scheme.name], &new[&scheme.name]);
            assert_eq!(of_new.as_object().unwrap().len(), 1, "{of_new}");
            assert!(of_old["type"].is_string(), "{of_old}");
            let said = of_old.as_object().unwrap().iter().chain(of_new.as_object().unwrap());
            assert_eq!(
                said.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>(),
                *of_both.as_object().unwrap()
            );
        }
        let key =
            json!({"type": "apiKey", "in": "header", "name": "X-Key", "description": "The token of a user as a key."});
        assert_eq!(old["key-in-header-X-Key"], key);
        assert_eq!(
            new["oauth"]["oauth2SecurityScheme"]["flows"]["clientCredentials"]["tokenUrl"],
            "https://id.example/token"
        );
    }

    #[test]
    fn schemes_are_alternatives() {
        let two = schemes(&["basic", "oauth2"]);
        assert_eq!(two.security(), [json!({"basic": []}), json!({"oauth": ["a2a"]})]);
        let of_1_0 = [json!({"schemes": {"basic": {}}}), json!({"schemes": {"oauth": {"list": ["a2a"]}}})];
        assert_eq!(two.security_requirements(), of_1_0);
        let names = ["Bearer", "Basic", "apiKey", "OAuth2", "openIdConnect", "mutualTLS"];
        assert_eq!(schemes(&ALL).names(), names);
        assert_eq!(schemes(&ALL).before_0_3().security().len(), 6);
    }
}
