//! The schemes by which callers of an agent say who they are, as its card declares them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::auth::{Header, Parameter};

/// A security scheme of a card (1.0 section 4.5, 0.3 section 5.5.3), and whether a run has what it takes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct SchemeInfo {
    /// Its name in the card.
    pub name: String,
    /// What it is, for people.
    pub kind: String,
    /// The versions whose cards declare it so.
    pub profiles: Vec<String>,
    /// Whether the card demands it of all requests, be it as one of several.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub demanded: bool,
    /// Whether the identity of the run brings it.
    pub brought: bool,
    /// How the suite is given what it takes; nothing where it has it, or could not bring it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// A scheme as a card declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scheme {
    name: String,
    kind: Kind,
    demanded: bool,
}

/// What a scheme takes.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    /// A scheme of HTTP authentication (RFC 9110, section 11).
    Http(String),
    /// A key in a place of each request: `header`, `query` or `cookie`.
    ApiKey {
        place: String,
        name: String,
    },
    /// An access token, which is sent as a bearer token (RFC 6750).
    Oauth2,
    OpenIdConnect,
    MutualTls,
    /// None that the versions of A2A define.
    Unknown,
}

/// What a run brings to an agent.
#[derive(Debug, Clone, Copy)]
pub struct Brought<'a> {
    /// What is sent along with requests.
    pub headers: &'a [Header],
    /// What the query of requests has.
    pub parameters: &'a [&'a Parameter],
    /// Whether a certificate is shown over TLS.
    pub has_certificate: bool,
}

/// What a card demands of its callers (1.0 sections 4.4.1 and 4.4.5, 0.3 sections 5.5 and 5.5.4): one of several alternatives, each of
/// which may be several schemes together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demand {
    /// The skill that it is for; nothing where it is for every request.
    pub skill: Option<String>,
    /// The names of the schemes of each alternative; one without any lets in everybody.
    pub alternatives: Vec<Vec<String>>,
}

impl Demand {
    /// What a card demands, of all requests and for its skills.
    pub fn all(card: &Value) -> Vec<Self> {
        let of_names = names(card).map(|name| vec![name.to_owned()]);
        let of_card = Self { skill: None, alternatives: alternatives(card).chain(of_names).collect() };
        let skills = card.get("skills").and_then(Value::as_array).into_iter().flatten();
        let of_skills = skills.map(|skill| Self {
            skill: skill.get("id").and_then(Value::as_str).map(str::to_owned),
            alternatives: alternatives(skill).collect(),
        });
        let all = std::iter::once(of_card).chain(of_skills.filter(|demand| demand.skill.is_some()));
        all.filter(|demand| !demand.alternatives.is_empty()).collect()
    }
}

/// The names of the schemes of each alternative that a card or a skill demands.
fn alternatives(of: &Value) -> impl Iterator<Item = Vec<String>> {
    let lists = ["/securityRequirements", "/security"].into_iter().filter_map(|place| of.pointer(place)?.as_array());
    let demands = lists.flatten().filter_map(|demand| demand.get("schemes").unwrap_or(demand).as_object());
    demands.map(|demand| demand.keys().cloned().collect())
}

/// The schemes of a card, in the form of OpenAPI, in that of protobuf, or as the names that versions before 0.2 have.
pub fn declared(card: &Value) -> Vec<Scheme> {
    let of_card = Demand::all(card).into_iter().find(|demand| demand.skill.is_none());
    let demanded = of_card.map(|demand| demand.alternatives.concat()).unwrap_or_default();
    let scheme = |name: &str, kind: Kind| Scheme {
        demanded: demanded.iter().any(|known| known == name),
        name: name.to_owned(),
        kind,
    };
    if let Some(schemes) = card.get("securitySchemes").and_then(Value::as_object) {
        return schemes.iter().map(|(name, value)| scheme(name, Kind::of(value))).collect();
    }
    // A name alone is that of a scheme of HTTP (0.1, section 4; OpenAPI's names are for objects).
    names(card).map(|name| scheme(name, Kind::named(name))).collect()
}

/// The names of the schemes that a card of a version before 0.2 demands.
fn names(card: &Value) -> impl Iterator<Item = &str> {
    let names = card.pointer("/authentication/schemes").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str)
}

impl Kind {
    fn of(value: &Value) -> Self {
        let text = |of: &Value, name: &str| of.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let of_key = |of: &Value, place: &str| Self::ApiKey { place: text(of, place), name: text(of, "name") };
        match value.get("type").and_then(Value::as_str) {
            Some("http") => return Self::Http(text(value, "scheme")),
            Some("apiKey") => return of_key(value, "in"),
            Some("oauth2") => return Self::Oauth2,
            Some("openIdConnect") => return Self::OpenIdConnect,
            Some("mutualTLS") => return Self::MutualTls,
            _ => {}
        }
        if let Some(http) = value.get("httpAuthSecurityScheme") {
            Self::Http(text(http, "scheme"))
        } else if let Some(key) = value.get("apiKeySecurityScheme") {
            of_key(key, "location")
        } else if value.get("oauth2SecurityScheme").is_some() {
            Self::Oauth2
        } else if value.get("openIdConnectSecurityScheme").is_some() {
            Self::OpenIdConnect
        } else if value.get("mtlsSecurityScheme").is_some() {
            Self::MutualTls
        } else {
            Self::Unknown
        }
    }

    fn named(name: &str) -> Self {
        match name.to_ascii_lowercase().as_str() {
            "oauth2" => Self::Oauth2,
            "openidconnect" => Self::OpenIdConnect,
            "mutualtls" => Self::MutualTls,
            // Such a name does not say where the key goes.
            "apikey" => Self::ApiKey { place: String::new(), name: String::new() },
            _ => Self::Http(name.to_owned()),
        }
    }

    /// What it is, for people.
    fn shown(&self) -> String {
        match self {
            Self::Http(scheme) => format!("HTTP {scheme}"),
            Self::ApiKey { place, name } if place.is_empty() || name.is_empty() => "API key".to_owned(),
            Self::ApiKey { place, name } => format!("API key in {place} {name}"),
            Self::Oauth2 => "OAuth 2.0".to_owned(),
            Self::OpenIdConnect => "OpenID Connect".to_owned(),
            Self::MutualTls => "mutual TLS".to_owned(),
            Self::Unknown => "of no kind that A2A defines".to_owned(),
        }
    }

    /// Whether this is what it takes.
    fn is_in(&self, brought: Brought<'_>) -> bool {
        let has = |name: &str, fits: &dyn Fn(&str) -> bool| {
            brought.headers.iter().any(|(known, value)| known.eq_ignore_ascii_case(name) && fits(value))
        };
        let authorizes = |wanted: &str| {
            let is_it = |value: &str| value.split(' ').next().is_some_and(|it| it.eq_ignore_ascii_case(wanted));
            has("authorization", &is_it)
        };
        match self {
            Self::Http(scheme) => authorizes(scheme),
            Self::Oauth2 | Self::OpenIdConnect => authorizes("bearer"),
            Self::ApiKey { place, name } if place == "header" => has(name, &|_| true),
            Self::ApiKey { place, name } if place == "cookie" => has("cookie", &|value| {
                value.split(';').any(|pair| pair.split_once('=').is_some_and(|(known, _)| known.trim() == name))
            }),
            Self::ApiKey { place, name } if place == "query" => {
                brought.parameters.iter().any(|(known, _)| known == name)
            }
            Self::MutualTls => brought.has_certificate,
            Self::ApiKey { .. } | Self::Unknown => false,
        }
    }

    /// The names that challenges of HTTP have for it; none where challenges have no name for it. A token may be bound to a key of its
    /// holder (RFC 9449, section 7.1).
    fn challenges(&self) -> Vec<&str> {
        match self {
            Self::Http(scheme) => vec![scheme],
            Self::Oauth2 | Self::OpenIdConnect => vec!["Bearer", "DPoP"],
            Self::ApiKey { .. } | Self::MutualTls | Self::Unknown => Vec::new(),
        }
    }

    /// The flags that give the suite what it takes.
    fn help(&self) -> Option<String> {
        match self {
            Self::Http(scheme) if scheme.eq_ignore_ascii_case("basic") => {
                Some("--identity me=basic:env:VARIABLE --as me".to_owned())
            }
            Self::Http(scheme) if !scheme.eq_ignore_ascii_case("bearer") => {
                Some("--header 'Authorization: env:VARIABLE'".to_owned())
            }
            Self::Http(_) => Some("--bearer env:VARIABLE".to_owned()),
            Self::Oauth2 | Self::OpenIdConnect => {
                Some("--bearer env:VARIABLE, or [identities.me.oauth] in a2aspec.toml and --as me".to_owned())
            }
            Self::ApiKey { place, name } if place == "header" && is_plain(name) => {
                Some(format!("--header '{name}: env:VARIABLE'"))
            }
            Self::ApiKey { place, name } if matches!(place.as_str(), "cookie" | "query") && is_plain(name) => {
                Some(format!("--identity 'me={place} {name}: env:VARIABLE' --as me"))
            }
            Self::MutualTls => Some(
                "--cert FILE --key FILE, or cert and key of [identities.me] in a2aspec.toml and --as me".to_owned(),
            ),
            Self::ApiKey { .. } | Self::Unknown => None,
        }
    }
}

/// Whether a name from outside can stand in a command line as it is.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

impl Scheme {
    /// The names that challenges of HTTP have for it; none where challenges have no name for it.
    pub fn challenges(&self) -> Vec<&str> {
        self.kind.challenges()
    }

    /// Whether it takes certificates of clients.
    pub fn is_mutual_tls(&self) -> bool {
        self.kind == Kind::MutualTls
    }

    /// What a report says of it, as a scheme of this version.
    pub fn info(&self, profile: &str, brought: Brought<'_>) -> SchemeInfo {
        let is_brought = self.kind.is_in(brought);
        SchemeInfo {
            name: self.name.clone(),
            kind: self.kind.shown(),
            profiles: vec![profile.to_owned()],
            demanded: self.demanded,
            brought: is_brought,
            help: self.kind.help().filter(|_| !is_brought),
        }
    }
}

impl SchemeInfo {
    /// Takes another, where it is the same in another version. Whether it was.
    pub fn take(&mut self, other: &Self) -> bool {
        let is_same = (&self.name, &self.kind, self.demanded, self.brought)
            == (&other.name, &other.kind, other.demanded, other.brought);
        if is_same {
            let new = other.profiles.iter().filter(|name| !self.profiles.contains(name)).cloned().collect::<Vec<_>>();
            self.profiles.extend(new);
        }
        is_same
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(card: &Value, headers: &[(&str, &str)]) -> Vec<String> {
        let headers: Vec<Header> =
            headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let brought = Brought { headers: &headers, parameters: &[], has_certificate: false };
        let line = |scheme: &Scheme| {
            let info = scheme.info("1.0", brought);
            let demanded = if info.demanded { ", demanded" } else { "" };
            let brought = if info.brought { "brought".to_owned() } else { info.help.unwrap_or_default() };
            format!("{}: {}{demanded}: {brought}", info.name, info.kind)
        };
        declared(card).iter().map(line).collect()
    }

    #[test]
    fn both_forms_of_a_card_are_read() {
        let protobuf = json!({
            "securitySchemes": {
                "a": { "httpAuthSecurityScheme": { "scheme": "Bearer" } },
                "b": { "apiKeySecurityScheme": { "location": "header", "name": "X-Key" } },
                "c": { "mtlsSecurityScheme": {} },
                "d": { "oauth2SecurityScheme": {} },
            },
            "securityRequirements": [{ "schemes": { "a": { "list": [] } } }],
        });
        let wanted = [
            "a: HTTP Bearer, demanded: brought",
            "b: API key in header X-Key: --header 'X-Key: env:VARIABLE'",
            "c: mutual TLS: --cert FILE --key FILE, or cert and key of [identities.me] in a2aspec.toml and --as me",
            "d: OAuth 2.0: brought",
        ];
        assert_eq!(told(&protobuf, &[("authorization", "Bearer t0ken")]), wanted);
        let openapi = json!({
            "securitySchemes": {
                "a": { "type": "http", "scheme": "basic" },
                "b": { "type": "apiKey", "in": "cookie", "name": "session" },
                "c": { "type": "mutualTLS" },
                "d": { "type": "openIdConnect" },
                "e": { "type": "odd" },
                "f": { "type": "apiKey", "in": "query", "name": "key" },
            },
            "security": [{ "a": [] }, { "b": [] }],
        });
        let wanted = [
            "a: HTTP basic, demanded: --identity me=basic:env:VARIABLE --as me",
            "b: API key in cookie session, demanded: brought",
            "c: mutual TLS: --cert FILE --key FILE, or cert and key of [identities.me] in a2aspec.toml and --as me",
            "d: OpenID Connect: --bearer env:VARIABLE, or [identities.me.oauth] in a2aspec.toml and --as me",
            "e: of no kind that A2A defines: ",
            "f: API key in query key: --identity 'me=query key: env:VARIABLE' --as me",
        ];
        assert_eq!(told(&openapi, &[("Cookie", "x=1; session=2")]), wanted);
    }

    #[test]
    fn names_alone_are_schemes_of_http() {
        let card = json!({ "authentication": { "schemes": ["Bearer", "apiKey", 7] } });
        assert_eq!(
            told(&card, &[]),
            ["Bearer: HTTP Bearer, demanded: --bearer env:VARIABLE", "apiKey: API key, demanded: "]
        );
        assert_eq!(told(&json!([]), &[]), [""; 0]);
    }

    #[test]
    fn no_name_of_a_card_gets_into_a_shell() {
        let key = json!({ "type": "apiKey", "in": "header", "name": "X'; rm -rf /" });
        assert_eq!(told(&json!({ "securitySchemes": { "k": key } }), &[]), ["k: API key in header X'; rm -rf /: "]);
    }

    #[test]
    fn versions_that_say_the_same_are_told_together() {
        let card = json!({ "securitySchemes": { "a": { "type": "http", "scheme": "bearer" } } });
        let of = |profile: &str, headers: &[Header]| {
            declared(&card)[0].info(profile, Brought { headers, parameters: &[], has_certificate: false })
        };
        let mut one = of("0.3", &[]);
        assert!(one.take(&of("0.2.5", &[])) && one.take(&of("0.3", &[])));
        assert_eq!(one.profiles, ["0.3", "0.2.5"]);
        assert!(!one.take(&of("0.2.1", &[("authorization".to_owned(), "Bearer x".to_owned())])));
    }
}
