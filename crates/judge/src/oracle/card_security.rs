//! What the card demands of its callers, and what it declares of that.

use std::collections::BTreeSet;

use serde_json::Value;

use super::args::CardSecurity;
use super::card::fetched;
use super::{judged_apart, judged_of, violates};
use crate::finding::{Finding, Kind};
use crate::reason::Reason;
use crate::wire::json::pointer;
use crate::{CaseView, Judged, Judgement, items};

/// What `card-security` asserts: that each scheme which is demanded is declared, and each scope one of a flow of its scheme.
pub(super) const SECURITY: &[&str] = &["schemes", "scopes"];

/// A scheme that the card demands somewhere.
struct Demand<'a> {
    place: String,
    scheme: &'a str,
    scopes: &'a [Value],
}

/// Each scheme that the card or a skill demands is declared (OpenAPI 3.0, Security Requirement Object), and each scope that is demanded of
/// a scheme of OAuth 2.0 is one of those that its flows list. Flows that list none leave it to their server.
pub(super) fn security(view: CaseView<'_>, args: &CardSecurity) -> Judged {
    judged_of((|| {
        let (answer, card) = fetched(&view, &args.card)?;
        let demands = demands(&card, &args.of);
        if demands.is_empty() {
            return Err(Judgement::Unseen(Reason::CardLacks { what: "demands no security".to_owned() }));
        }
        let (mut held, mut findings) = (BTreeSet::from(["schemes"]), Vec::new());
        for Demand { place, scheme, scopes } in demands {
            let Some(declared) = card.get("securitySchemes").and_then(|all| all.get(scheme)) else {
                let finding = Finding::new(Kind::SchemeUndeclared { scheme: format!("{scheme:?}") });
                let finding = finding.compare("a key of securitySchemes", declared_names(&card));
                findings.push(violates("schemes", finding.at(answer.exchange.number, place)));
                continue;
            };
            let listed = listed_scopes(declared);
            if listed.is_empty() {
                continue;
            }
            for (index, scope) in scopes.iter().enumerate().filter_map(|(index, scope)| Some((index, scope.as_str()?)))
            {
                held.insert("scopes");
                if !listed.contains(scope) {
                    let finding = Finding::new(Kind::ScopeUndeclared { scope: format!("{scope:?}") });
                    let all: Vec<&str> = listed.iter().copied().collect();
                    let finding = finding.compare(format!("one of {}", all.join(", ")), scope.to_owned());
                    findings.push(violates("scopes", finding.at(answer.exchange.number, format!("{place}/{index}"))));
                }
            }
        }
        Ok(judged_apart(held, findings))
    })())
}

/// What the card and its skills demand in this member: in the form of OpenAPI, or, within `schemes`, in that of 1.0.
fn demands<'a>(card: &'a Value, member: &str) -> Vec<Demand<'a>> {
    let skills = items(card, "skills").iter().enumerate();
    let of_skills = skills.map(|(index, skill)| (format!("/skills/{index}/{member}"), skill));
    let holders = std::iter::once((format!("/{member}"), card)).chain(of_skills);
    let mut found = Vec::new();
    for (place, holder) in holders {
        for (index, requirement) in items(holder, member).iter().enumerate() {
            let wrapped = requirement.get("schemes").filter(|schemes| schemes.is_object());
            let within = if wrapped.is_some() { "/schemes" } else { "" };
            for (scheme, scopes) in wrapped.unwrap_or(requirement).as_object().into_iter().flatten() {
                let mut place = format!("{place}/{index}{within}");
                pointer::push(&mut place, scheme);
                let (place, scopes) = match scopes.get("list") {
                    Some(list) => (format!("{place}/list"), list),
                    None => (place, scopes),
                };
                found.push(Demand { place, scheme, scopes: scopes.as_array().map_or(&[], Vec::as_slice) });
            }
        }
    }
    found
}

/// The scopes that the flows of a scheme of OAuth 2.0 list.
fn listed_scopes(scheme: &Value) -> BTreeSet<&str> {
    let flows = scheme.pointer("/oauth2SecurityScheme/flows").or_else(|| scheme.get("flows"));
    let flows = flows.and_then(Value::as_object).into_iter().flatten();
    flows.filter_map(|(_, flow)| flow.get("scopes")?.as_object()).flatten().map(|(scope, _)| scope.as_str()).collect()
}

fn declared_names(card: &Value) -> String {
    let schemes = card.get("securitySchemes").and_then(Value::as_object);
    let names: Vec<&str> = schemes.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    if names.is_empty() { "none is declared".to_owned() } else { names.join(", ") }
}
