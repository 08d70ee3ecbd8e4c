//! The free texts of an agent card: what the specification says that they are meant to be.

use std::collections::BTreeSet;

use serde_json::Value;
use url::Url;

use super::args::Step;
use super::card::fetched;
use super::observed::in_snake_case;
use super::{judged_apart, judged_of, judgement_of, violates};
use crate::finding::{Finding, Kind};
use crate::interface::is_loopback;
use crate::reason::Reason;
use crate::transcript::Answer;
use crate::wire::json::pointer;
use crate::{CaseView, Judged, Judgement, items};

/// Members of the card that hold addresses (1.0 sections 4.4.1 and 4.4.2).
const ADDRESSES: [&str; 3] = ["/provider/url", "/documentationUrl", "/iconUrl"];

/// Members of an OAuth flow that hold addresses (1.0 sections 4.5.8 to 4.5.10).
const OF_A_FLOW: [&str; 4] = ["authorizationUrl", "tokenUrl", "refreshUrl", "deviceAuthorizationUrl"];

/// The HTTP authentication schemes of the IANA registry, in lower case, as of 2026.
const REGISTERED_SCHEMES: [&str; 14] = [
    "basic",
    "bearer",
    "concealed",
    "digest",
    "dpop",
    "gnap",
    "hoba",
    "mutual",
    "negotiate",
    "oauth",
    "privatetoken",
    "scram-sha-1",
    "scram-sha-256",
    "vapid",
];

/// Whether this is the name of a registered scheme of HTTP authentication, in any case.
pub(super) fn is_registered(scheme: &str) -> bool {
    REGISTERED_SCHEMES.contains(&scheme.to_ascii_lowercase().as_str())
}

/// Members of the card are spelled in camelCase (1.0 section 5.5). A card may have further members: one that stands beside
/// its like in camelCase, for clients of another kind, is such a member.
pub(super) fn camel_case(view: CaseView<'_>, args: &Step) -> Judgement {
    judgement_of((|| {
        let (answer, card) = fetched(&view, args)?;
        let Some((reading, dialect)) = view.profile.card_reading(&card) else { return Ok(Judgement::Right) };
        let misspelled = in_snake_case(&reading, dialect).into_iter().filter(|snake| {
            let around = snake.pointer.rsplit_once('/').and_then(|(around, _)| card.pointer(around));
            around.is_none_or(|around| around.get(&snake.camel).is_none())
        });
        let findings = misspelled.map(|snake| {
            Finding::new(snake.kind).at(answer.exchange.number, snake.pointer).compare(snake.camel, snake.member)
        });
        Ok(Judgement::of(findings.collect()))
    })())
}

/// Links are absolute URLs, and extensions are named by URIs (1.0 sections 4.4.1, 4.4.2, 4.4.4 and 4.5).
pub(super) fn urls(view: CaseView<'_>, args: &Step) -> Judgement {
    judgement_of((|| {
        let (answer, card) = fetched(&view, args)?;
        let mut places: Vec<String> = ADDRESSES.map(str::to_owned).to_vec();
        let extensions = card.pointer("/capabilities/extensions").and_then(Value::as_array).map_or(0, Vec::len);
        places.extend((0..extensions).map(|index| format!("/capabilities/extensions/{index}/uri")));
        for scheme in schemes(&card) {
            places.push(format!("{scheme}/openIdConnectSecurityScheme/openIdConnectUrl"));
            places.push(format!("{scheme}/oauth2SecurityScheme/oauth2MetadataUrl"));
            let flows = format!("{scheme}/oauth2SecurityScheme/flows");
            for flow in members(&card, &flows) {
                places.extend(OF_A_FLOW.map(|member| format!("{flow}/{member}")));
            }
        }
        each_text(answer, &card, &places, "has no links", |text| {
            let finding = Finding::new(Kind::LinkNotAbsolute).compare("such as https://example.com/", text);
            Url::parse(text).is_err().then_some(finding)
        })
    })())
}

/// Bindings have the names of the version (1.0 section 4.4.6), or a URI where they are others (5.8).
pub(super) fn binding_names(view: CaseView<'_>, args: &Step) -> Judgement {
    judgement_of((|| {
        let (answer, card) = fetched(&view, args)?;
        let names: Vec<&str> = view.profile.facts.bindings.values().map(|facts| facts.declared_as.as_str()).collect();
        let listed = items(&card, "supportedInterfaces").len();
        let places: Vec<String> =
            (0..listed).map(|index| format!("/supportedInterfaces/{index}/protocolBinding")).collect();
        each_text(answer, &card, &places, "names no binding", |text| {
            let finding =
                Finding::new(Kind::BindingNameUnknown).compare(format!("{} or a URI", names.join(", ")), text);
            (!names.contains(&text) && Url::parse(text).is_err()).then_some(finding)
        })
    })())
}

/// HTTP authentication schemes are registered ones (1.0 section 4.5.3); their names have no case (RFC 9110, 11.1).
pub(super) fn auth_schemes(view: CaseView<'_>, args: &Step) -> Judgement {
    judgement_of((|| {
        let (answer, card) = fetched(&view, args)?;
        let places: Vec<String> =
            schemes(&card).into_iter().map(|scheme| format!("{scheme}/httpAuthSecurityScheme/scheme")).collect();
        each_text(answer, &card, &places, "declares no scheme of HTTP authentication", |text| {
            let finding = Finding::new(Kind::AuthSchemeUnregistered).compare("such as Bearer or Basic", text);
            (!is_registered(text)).then_some(finding)
        })
    })())
}

/// What `card-oauth` asserts: that metadata are fetched by TLS, and that no flow is deprecated.
pub(super) const OAUTH: &[&str] = &["metadata", "flows"];

/// The flows that 1.0 has only for agents that have them already (section 4.5.7).
const DEPRECATED_FLOWS: [&str; 2] = ["implicit", "password"];

/// The metadata of authorization servers are fetched by TLS (1.0 section 4.5.4), and no scheme offers a deprecated flow (4.5.7).
/// A server on this machine is one for tests.
pub(super) fn oauth(view: CaseView<'_>, args: &Step) -> Judged {
    judged_of((|| {
        let (answer, card) = fetched(&view, args)?;
        let (mut held, mut findings) = (BTreeSet::new(), Vec::new());
        for scheme in schemes(&card).into_iter().map(|scheme| format!("{scheme}/oauth2SecurityScheme")) {
            let place = format!("{scheme}/oauth2MetadataUrl");
            let url = card.pointer(&place).and_then(Value::as_str).and_then(|text| Url::parse(text).ok());
            if let Some(url) = url.filter(|url| !url.host().is_some_and(|host| is_loopback(&host))) {
                held.insert("metadata");
                if url.scheme() != "https" {
                    let finding = Finding::new(Kind::OauthMetadataUnencrypted).at(answer.exchange.number, place);
                    findings.push(violates("metadata", finding.compare("an https URL", url.as_str())));
                }
            }
            for flow in members(&card, &format!("{scheme}/flows")) {
                held.insert("flows");
                let name = flow.rsplit('/').next().unwrap_or_default();
                if DEPRECATED_FLOWS.contains(&name) {
                    let received = name.to_owned();
                    let finding = Finding::new(Kind::FlowDeprecated).at(answer.exchange.number, flow);
                    findings.push(violates(
                        "flows",
                        finding.compare("authorizationCode, clientCredentials or deviceCode", received),
                    ));
                }
            }
        }
        match held.is_empty() {
            true => Err(Judgement::Unseen(Reason::CardLacks {
                what: "has no flow of OAuth 2.0, and no metadata".to_owned(),
            })),
            false => Ok(judged_apart(held, findings)),
        }
    })())
}

/// Asks `wrong` of each place that holds a text; empty ones count as not set. Where there is none, nothing was seen.
fn each_text(
    answer: &Answer,
    card: &Value,
    places: &[String],
    nothing: &str,
    wrong: impl Fn(&str) -> Option<Finding>,
) -> Result<Judgement, Judgement> {
    let texts: Vec<(&String, &str)> = places
        .iter()
        .filter_map(|place| Some((place, card.pointer(place)?.as_str()?)))
        .filter(|(_, text)| !text.is_empty())
        .collect();
    if texts.is_empty() {
        return Err(Judgement::Unseen(Reason::CardLacks { what: nothing.to_owned() }));
    }
    let findings = texts.into_iter().filter_map(|(place, text)| Some(wrong(text)?.at(answer.exchange.number, place)));
    Ok(Judgement::of(findings.collect()))
}

/// Pointers to the security schemes of the card.
fn schemes(card: &Value) -> Vec<String> {
    members(card, "/securitySchemes")
}

/// Pointers to the members of an object.
fn members(card: &Value, object: &str) -> Vec<String> {
    let names = card.pointer(object).and_then(Value::as_object).into_iter().flatten();
    let below = |name: &str| {
        let mut place = object.to_owned();
        pointer::push(&mut place, name);
        place
    };
    names.map(|(name, _)| below(name)).collect()
}
