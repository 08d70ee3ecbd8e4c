//! The names that a case's references can use, and their values.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::case::{Case, References, lookup};
use crate::discovery::triggers::EXTENSION as TRIGGERS;
use crate::extension::{self, Extension};
use crate::interface::{CardPlace, Interface};
use crate::judge::Observation;
use crate::profile::{Binding, segment};
use crate::session::Session;
use crate::transport::inbound::Hook;
use crate::transport::unique;

/// What a case knows so far.
pub(super) struct Scope<'a> {
    session: &'a Session,
    /// The URIs of the extension that the case is about.
    extension: &'a [String],
    /// The fixtures.
    pub fixtures: BTreeMap<String, Arc<Value>>,
    /// The webhooks.
    pub hooks: BTreeMap<String, Hook>,
    /// What the case will ask for.
    wanted: Vec<String>,
    /// What the steps gave of that, by reference. Answers may be large, and most of what is in them is never referred to.
    found: BTreeMap<String, Value>,
}

impl<'a> Scope<'a> {
    pub fn new(session: &'a Session, case: &'a Case) -> Self {
        Self {
            session,
            extension: &case.extension,
            fixtures: BTreeMap::new(),
            hooks: BTreeMap::new(),
            wanted: case.references(),
            found: BTreeMap::new(),
        }
    }

    /// Remembers what came of a step.
    pub fn remember(&mut self, name: &str, seen: &Observation) {
        for reference in &self.wanted {
            let Some(path) = reference.strip_prefix(name).and_then(|rest| rest.strip_prefix('.')) else { continue };
            match seen.refer(path) {
                Some(value) => self.found.insert(reference.clone(), value),
                None => self.found.remove(reference),
            };
        }
    }
}

impl Scope<'_> {
    /// What the names have in a text that is sent as it is written.
    pub fn spelled(&self, spelled: Spelled) -> impl References {
        SpelledScope { scope: self, spelled }
    }

    /// The interface over which the case runs, or the first of two.
    pub fn interface(&self) -> &Interface {
        &self.session.connection.interface
    }

    /// The parameters, as they are on the wire, of an operation that takes one id: `GetTask.done.id` of the task whose id a
    /// reference names, `GetTask.no-such-task` of the one that is called so.
    fn params(&self, call: &str) -> Option<Value> {
        let (operation, id) = call.split_once('.')?;
        let interface = &self.session.connection.interface;
        let mut operations = interface.profile.facts.operations.iter();
        let (_, facts) = operations.find(|(known, _)| known.to_string() == operation)?;
        let id = if id.contains('.') { lookup(id, self).ok()? } else { json!(id) };
        let mut params = json!({ "id": id });
        if interface.binding == Binding::Jsonrpc {
            // Over HTTP+JSON the path says it.
            interface.name_tenant(&mut params);
        }
        Some(facts.params.as_ref().map_or_else(|| params.clone(), |kind| interface.dialect.to_wire(kind, &params)))
    }
}

/// An extension that the card declares; one that the suite does not know only from its triggers, if there is one. Another version
/// is one that the card does not declare.
fn extension(interface: &Interface, is_such: impl Fn(&Extension) -> bool) -> Option<Value> {
    let such = || interface.extensions.iter().filter(|known| is_such(known)).map(|known| known.uri.as_str());
    let uri = such().find(|uri| *uri != TRIGGERS).or_else(|| such().next())?;
    let is_declared = |other: &String| interface.extensions.iter().any(|known| known.uri == *other);
    let others = [("other-version", extension::other_version(uri)), ("other-case", extension::other_case(uri))];
    let others =
        others.into_iter().filter_map(|(name, other)| Some((name, other.filter(|other| !is_declared(other))?)));
    Some(others.chain([("uri", uri.to_owned())]).map(|(name, uri)| (name.to_owned(), json!(uri))).collect())
}

/// The tenants of an interface: its own, or the first that is declared where it is; another that is; and one that nobody declares.
fn tenant(interface: &Interface) -> Option<Value> {
    let one = interface.tenant.as_ref().or(interface.tenants.first())?;
    let other = interface.tenants.iter().find(|other| *other != one);
    let mut names = json!({ "one": one, "unknown": format!("a2aspec-{}", unique()) });
    if let (Some(other), Value::Object(names)) = (other, &mut names) {
        names.insert("other".to_owned(), json!(other));
    }
    Some(names)
}

/// How a text of the agent is spelled inside a text that is sent as it is written.
#[derive(Debug, Clone, Copy)]
pub(super) enum Spelled {
    /// Between the quotation marks of a JSON string (RFC 8259 section 7).
    InJson,
    /// In a segment of a path, or in a query (RFC 3986 sections 3.3 and 3.4).
    InPaths,
}

/// The same names, with their texts spelled so.
struct SpelledScope<'a> {
    scope: &'a Scope<'a>,
    spelled: Spelled,
}

impl References for SpelledScope<'_> {
    fn value(&self, reference: &str) -> Option<Cow<'_, Value>> {
        let value = lookup(reference, self.scope).ok()?;
        // The version's routes are paths already.
        let is_a_path = reference.starts_with("route.");
        Some(Cow::Owned(match (value, self.spelled) {
            (Value::String(text), Spelled::InJson) => Value::String(within_quotes(&text)),
            (Value::String(text), Spelled::InPaths) if !is_a_path => Value::String(segment(&text)),
            (value, _) => value,
        }))
    }
}

fn within_quotes(text: &str) -> String {
    let quoted = json!(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

impl References for Scope<'_> {
    fn value(&self, name: &str) -> Option<Cow<'_, Value>> {
        if let Some(found) = self.found.get(name) {
            return Some(Cow::Borrowed(found));
        }
        if let Some(fixture) = self.fixtures.get(name) {
            return Some(Cow::Borrowed(fixture));
        }
        let interface = &self.session.connection.interface;
        let made = match name {
            "unique" => Some(json!(unique())),
            "unknown-id" => Some(json!(self.session.unknown_id())),
            "method" => {
                let operations = interface.profile.facts.operations.iter();
                let named =
                    operations.map(|(operation, _)| (operation.to_string(), json!(interface.method(*operation))));
                Some(named.collect())
            }
            "route" => {
                let routes = interface.profile.routes.iter();
                // The common one, without a tenant's name in it.
                let plain = routes.filter_map(|(operation, routes)| {
                    let least = routes.iter().min_by_key(|route| route.path.members().count())?;
                    Some((operation.to_string(), json!(least.path.to_string())))
                });
                Some(plain.collect())
            }
            "webhook" => Some(self.hooks.iter().map(|(name, hook)| (name.clone(), json!(hook.url()))).collect()),
            "extension" if !self.extension.is_empty() => {
                extension(interface, |known| self.extension.contains(&known.uri))
            }
            "extension" => extension(interface, |known| !known.is_required),
            "required-extension" => extension(interface, |known| known.is_required),
            "tenant" => tenant(interface),
            "interface" => {
                let version = interface.profile.facts.headers.get("A2A-Version");
                Some(json!({ "url": interface.url, "version": version }))
            }
            "card" => match &interface.card {
                CardPlace::Url(url) => Some(json!({ "url": url })),
                CardPlace::File(_) | CardPlace::Missing => None,
            },
            _ => name.strip_prefix("params.").and_then(|rest| self.params(rest)),
        };
        made.map(Cow::Owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile;

    #[test]
    fn tenants_are_those_that_are_declared_at_the_interface() {
        let profiles = profile::bundled().unwrap();
        let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
        let known = |own: Option<&str>, tenants: &[&str]| {
            tenant(&Interface {
                tenant: own.map(str::to_owned),
                tenants: tenants.iter().map(|name| (*name).to_owned()).collect(),
                ..Interface::new(profile, Binding::Jsonrpc, String::new()).unwrap()
            })
        };
        let names = |own, tenants: &[&str]| {
            let known = known(own, tenants)?;
            Some((known.get("one").cloned()?, known.get("other").cloned()))
        };
        assert_eq!(known(None, &[]), None);
        assert_eq!(names(None, &["a"]), Some((json!("a"), None)));
        assert_eq!(names(None, &["a", "b"]), Some((json!("a"), Some(json!("b")))));
        assert_eq!(names(Some("b"), &["a", "b"]), Some((json!("b"), Some(json!("a")))));
        let [first, second] = [(), ()].map(|()| known(None, &["a"]).and_then(|known| known.get("unknown").cloned()));
        assert_ne!(first, second, "each is new");
    }

    #[test]
    fn an_extension_is_one_that_may_do_something() {
        let profiles = profile::bundled().unwrap();
        let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
        let found = |extensions: Value, is_such: fn(&Extension) -> bool| {
            let interface = Interface::new(profile, Binding::Jsonrpc, String::new()).unwrap();
            let card = json!({ "capabilities": { "extensions": extensions } });
            extension(&interface.speaking_to(&card), is_such)
        };
        let optional = |extensions: Value| found(extensions, |known| !known.is_required);
        let triggers = json!({ "uri": TRIGGERS });
        let whole = json!({ "uri": "urn:a:v1", "other-version": "urn:a:v2", "other-case": "urn:a:V1" });
        assert_eq!(optional(json!([triggers, { "uri": "urn:a:v1" }])), Some(whole.clone()));
        let name = optional(json!([triggers])).and_then(|known| known.get("uri").cloned());
        assert_eq!(name, Some(json!(TRIGGERS)), "where there is no other");
        assert_eq!(optional(json!([{ "uri": "urn:a:v1", "required": true }])), None);
        let required = json!([triggers, { "uri": "urn:a:v1", "required": true }]);
        assert_eq!(found(required, |known| known.is_required), Some(whole));
        // What the card declares is no version that it lacks.
        let both = optional(json!([{ "uri": "urn:a:v1" }, { "uri": "urn:a:v2" }])).unwrap();
        assert_eq!(both, json!({ "uri": "urn:a:v1", "other-case": "urn:a:V1" }));
    }
}
