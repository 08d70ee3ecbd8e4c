//! What clients rely on in a card, and what a later card takes from them.
//!
//! The form is of no version: a card may move from one to another and keep what clients use.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::find::{capabilities, is_free};
use super::interfaces;
use crate::diagnostic::words::list;
use crate::extension;
use crate::profile::{Capability, Profile};
use crate::signature::signatures;

/// The version of the form: it grows when what was there means something else, or is no longer there.
const SCHEMA_VERSION: u32 = 1;
/// What a card declares by a mark of its own. Everything else has a member here.
const DECLARED: [Capability; 3] = [Capability::Streaming, Capability::PushNotifications, Capability::ExtendedCard];

/// What clients rely on.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[schemars(title = "What clients rely on in a card: a2aspec card lock")]
#[serde(deny_unknown_fields)]
pub(crate) struct Lock {
    /// The version of this form.
    pub schema_version: u32,
    /// Where and how the agent is called.
    pub interfaces: BTreeSet<LockedInterface>,
    /// What it can do beside messages and tasks.
    pub capabilities: BTreeSet<String>,
    /// Its skills, by their ids.
    pub skills: BTreeMap<String, Modes>,
    /// Its extensions, by their URIs, each with whether requests must ask for it.
    pub extensions: BTreeMap<String, bool>,
    /// Its security schemes, by their names, without descriptions.
    pub security_schemes: BTreeMap<String, Value>,
    /// What callers must bring: one of these. Where there are none, nothing.
    pub security: Vec<Value>,
    /// The ids of the keys by which the card is signed.
    pub keys: BTreeSet<String>,
}

/// Where and how an agent is called.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LockedInterface {
    /// Without credentials.
    pub url: String,
    /// As the card spells it.
    pub binding: String,
    /// As the card spells it, or else the one that goes without saying.
    pub version: String,
    /// The tenant, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
}

/// The media types of a skill.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Modes {
    /// What it takes.
    pub input: BTreeSet<String>,
    /// What it gives.
    pub output: BTreeSet<String>,
}

impl Lock {
    /// What a card, read by these versions, offers.
    pub(crate) fn of(card: &Value, profiles: &[Arc<Profile>], read_as: &[Arc<Profile>]) -> Self {
        let interfaces = interfaces::declared(card, profiles, &[]).into_iter().map(|declared| LockedInterface {
            url: declared.url,
            binding: declared.binding,
            version: declared.version,
            tenant: declared.tenant,
        });
        let capabilities = read_as.iter().flat_map(|profile| capabilities(card, profile).1);
        let extensions = read_as.iter().flat_map(|profile| extension::declared(card, profile));
        let signed = signatures(card).into_iter().filter_map(|(_, signature)| signature.ok());
        Self {
            schema_version: SCHEMA_VERSION,
            interfaces: interfaces.collect(),
            capabilities: capabilities.filter(|it| DECLARED.contains(it)).map(|it| it.to_string()).collect(),
            skills: skills(card),
            extensions: extensions.map(|extension| (extension.uri, extension.is_required)).collect(),
            security_schemes: members(card, "securitySchemes")
                .map(|(name, scheme)| (name.clone(), undescribed(scheme)))
                .collect(),
            security: ["security", "securityRequirements"].into_iter().flat_map(|name| items(card, name)).collect(),
            keys: signed.filter_map(|signature| signature.header.text("kid").map(str::to_owned)).collect(),
        }
    }

    /// What two cards of one agent offer together.
    #[must_use]
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.interfaces.extend(other.interfaces);
        self.capabilities.extend(other.capabilities);
        self.skills.extend(other.skills);
        self.extensions.extend(other.extensions);
        self.security_schemes.extend(other.security_schemes);
        self.security.extend(other.security);
        self.keys.extend(other.keys);
        self
    }

    /// What clients lose with a later card, a sentence each.
    pub(crate) fn lost(&self, now: &Self) -> Vec<String> {
        let interfaces = self.interfaces.difference(&now.interfaces).map(|interface| format!("{interface} is gone"));
        let capabilities = self.capabilities.difference(&now.capabilities);
        let capabilities = capabilities.map(|name| format!("the card no longer declares {name}"));
        let skills = self.skills.iter().flat_map(|(id, modes)| match now.skills.get(id) {
            None => vec![format!("the skill {id:?} is gone")],
            Some(now) => modes.lost(id, now),
        });
        let lost = interfaces.chain(capabilities).chain(skills).chain(self.lost_extensions(now));
        lost.chain(self.lost_credentials(now)).chain(self.lost_keys(now)).collect()
    }

    fn lost_extensions<'k>(&'k self, now: &'k Self) -> impl Iterator<Item = String> + use<'k> {
        let gone = self.extensions.keys().filter(|uri| !now.extensions.contains_key(*uri));
        let demanded = now.extensions.iter().filter(|(uri, is_required)| {
            **is_required && self.extensions.get(*uri).is_none_or(|was_required| !was_required)
        });
        let gone = gone.map(|uri| format!("the extension {uri} is gone"));
        gone.chain(demanded.map(|(uri, _)| format!("requests must now ask for the extension {uri}")))
    }

    fn lost_credentials(&self, now: &Self) -> Vec<String> {
        let mut lost = Vec::new();
        for (name, scheme) in &self.security_schemes {
            match now.security_schemes.get(name) {
                None => lost.push(format!("the security scheme {name:?} is gone")),
                Some(now) if now != scheme => {
                    lost.push(format!("the security scheme {name:?} was {scheme} and is now {now}"));
                }
                Some(_) => {}
            }
        }
        match self.security.as_slice() {
            // Where nothing is demanded, nothing is lost.
            _ if now.security.is_empty() || now.security.iter().any(is_free) => {}
            [] => lost.push(format!("callers must now bring credentials: {}", any_of(&now.security))),
            all => {
                let refused = all.iter().filter(|demand| !now.security.contains(demand));
                lost.extend(refused.map(|demand| format!("the credentials {demand} are no longer enough")));
            }
        }
        lost
    }

    fn lost_keys<'k>(&'k self, now: &'k Self) -> impl Iterator<Item = String> + use<'k> {
        self.keys.difference(&now.keys).map(|key| format!("the card is no longer signed by the key {key:?}"))
    }
}

impl fmt::Display for LockedInterface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { url, binding, version, tenant } = self;
        write!(f, "the interface {binding} {version} at {url}")?;
        tenant.iter().try_for_each(|tenant| write!(f, " for the tenant {tenant}"))
    }
}

impl Modes {
    fn lost(&self, skill: &str, now: &Self) -> Vec<String> {
        let gone = |before: &BTreeSet<String>, now: &BTreeSet<String>, verb: &str| {
            let gone: Vec<String> = before.difference(now).cloned().collect();
            (!gone.is_empty()).then(|| format!("the skill {skill:?} no longer {verb} {}", list(&gone)))
        };
        let input = gone(&self.input, &now.input, "takes");
        input.into_iter().chain(gone(&self.output, &now.output, "gives")).collect()
    }
}

/// The skills of a card, each with its media types or those of the card.
fn skills(card: &Value) -> BTreeMap<String, Modes> {
    let of = |skill: &Value, own: &str, common: &str| match texts(skill, own) {
        own if own.is_empty() => texts(card, common),
        own => own,
    };
    let skill = |skill: &Value| {
        let modes = Modes {
            input: of(skill, "inputModes", "defaultInputModes"),
            output: of(skill, "outputModes", "defaultOutputModes"),
        };
        Some((skill.get("id")?.as_str()?.to_owned(), modes))
    };
    card.get("skills").and_then(Value::as_array).into_iter().flatten().filter_map(skill).collect()
}

fn texts(value: &Value, name: &str) -> BTreeSet<String> {
    items(value, name).filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

fn items<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = Value> + use<'v> {
    value.get(name).and_then(Value::as_array).into_iter().flatten().cloned()
}

fn members<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = (&'v String, &'v Value)> + use<'v> {
    value.get(name).and_then(Value::as_object).into_iter().flatten()
}

/// A scheme without what is for people.
fn undescribed(scheme: &Value) -> Value {
    match scheme {
        Value::Object(members) => {
            let kept = members.iter().filter(|(name, _)| *name != "description");
            Value::Object(kept.map(|(name, value)| (name.clone(), undescribed(value))).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

fn any_of(demands: &[Value]) -> String {
    demands.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::profile;

    fn lock(card: &Value) -> Lock {
        let profiles = profile::bundled().unwrap();
        Lock::of(card, &profiles, &interfaces::versions(card, &profiles))
    }

    fn card() -> Value {
        json!({
            "name": "Weather", "description": "d", "version": "1",
            "supportedInterfaces": [
                { "url": "https://a.example/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
                { "url": "https://a.example/rest", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0" },
            ],
            "capabilities": {
                "streaming": true, "pushNotifications": true,
                "extensions": [{ "uri": "urn:e" }],
            },
            "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain", "image/png"],
            "skills": [
                { "id": "rain", "name": "n", "description": "d", "tags": [] },
                { "id": "sun", "name": "n", "description": "d", "tags": [], "inputModes": ["audio/ogg"] },
            ],
            "securitySchemes": { "key": { "apiKeySecurityScheme": { "name": "X-Key", "location": "header", "description": "d" } } },
        })
    }

    /// What is lost when the card changes so.
    fn lost(change: impl FnOnce(&mut Value)) -> Vec<String> {
        let mut later = card();
        change(&mut later);
        lock(&card()).lost(&lock(&later))
    }

    #[test]
    fn each_loss_is_named() {
        let lost = lost(|card| {
            card["supportedInterfaces"].as_array_mut().unwrap().pop();
            card["capabilities"]["streaming"] = json!(false);
            card["capabilities"]["extensions"] =
                json!([{ "uri": "urn:e", "required": true }, { "uri": "urn:f", "required": true }]);
            card["defaultOutputModes"] = json!(["text/plain"]);
            card["skills"].as_array_mut().unwrap().pop();
            card["securitySchemes"]["key"]["apiKeySecurityScheme"]["name"] = json!("X-Other");
            card["securityRequirements"] = json!([{ "schemes": { "key": { "list": [] } } }]);
        });
        insta::assert_snapshot!(lost.join("\n"));
    }

    #[test]
    fn what_is_new_or_for_people_is_no_loss() {
        let lost = lost(|card| {
            card["name"] = json!("Other");
            card["capabilities"]["extensions"] = json!([{ "uri": "urn:e" }, { "uri": "urn:f" }]);
            card["skills"].as_array_mut().unwrap().push(json!({ "id": "wind" }));
            card["defaultInputModes"] = json!(["text/plain", "text/html"]);
            card["securitySchemes"]["key"]["apiKeySecurityScheme"]["description"] = json!("other");
            card["supportedInterfaces"].as_array_mut().unwrap().reverse();
        });
        assert_eq!(lost, [""; 0]);
    }

    #[test]
    fn fewer_demands_are_no_loss_and_other_demands_are_one() {
        let mut before = card();
        before["securityRequirements"] = json!([{ "schemes": { "key": { "list": [] } } }]);
        let after = card();
        assert_eq!(lock(&before).lost(&lock(&after)), [""; 0]);
        let mut other = card();
        other["securityRequirements"] = json!([{ "schemes": { "mtls": { "list": [] } } }]);
        assert_eq!(
            lock(&before).lost(&lock(&other)),
            [r#"the credentials {"schemes":{"key":{"list":[]}}} are no longer enough"#]
        );
    }

    #[test]
    fn a_lock_is_read_as_it_was_written() {
        let lock = lock(&card());
        let text = serde_json::to_string(&lock).unwrap();
        assert_eq!(serde_json::from_str::<Lock>(&text).unwrap(), lock);
    }
}
