//! The agent under test: the interfaces that its card declares, and how to speak over those that can be checked.

mod agent;
mod place;
pub mod scheme;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use crate::diagnostic::words::one_line;
use crate::extension::{self, Extension};
use crate::profile::{Binding, BindingFacts, Dialect, MoreBindings, Operation, Profile, Reading, route};
pub use agent::{Agent, Listed, Unmet};
pub use place::{is_loopback, is_public, is_routed};
pub use scheme::{Demand, SchemeInfo};

/// The agent under test.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
pub struct TargetInfo {
    /// As the user gave it, or that of the agent that was started.
    pub url: String,
    /// Where its card was found; several where the agent has several, none where it has none.
    pub cards: Vec<String>,
    /// The agent's name for itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Every interface that the card declares.
    pub interfaces: Vec<InterfaceInfo>,
    /// The client that was checked, in place of an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientInfo>,
    /// The security schemes that the card declares.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub schemes: Vec<SchemeInfo>,
}

/// A client that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct ClientInfo {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// One declared interface.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct InterfaceInfo {
    /// Its URL.
    pub url: String,
    /// The binding as the card spells it.
    pub binding: String,
    /// The protocol version as the card spells it.
    pub version: String,
    /// The tenant for which it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// The profile by which it was checked.
    pub profile: Option<String>,
    /// Why it was not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// What about it is odd, though it can be checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The dialect that it speaks, where the version leaves that open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// Why it could not be checked to the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<String>,
}

impl InterfaceInfo {
    /// What it is and where, as the card spells it, on one line.
    pub fn title(&self) -> String {
        let url = if self.url.is_empty() { "an empty URL" } else { &self.url };
        one_line(&format!("{} {} at {url}{}", self.binding, self.version, for_tenant(self.tenant.as_deref())))
    }

    /// Whether the card declares it in the version by which it is checked; else only the user requests that version.
    pub fn declares(&self, interface: &Interface) -> bool {
        !interface.is_said || interface.profile.is_declared_as(&self.version)
    }

    /// Adds to what is odd about it.
    pub fn add_note(&mut self, text: &str) {
        self.note = Some(match self.note.take() {
            Some(note) => format!("{note}; {text}"),
            None => text.to_owned(),
        });
    }
}

/// What says for which tenant an interface is, behind where it is.
pub fn for_tenant(tenant: Option<&str>) -> String {
    tenant.map(|tenant| format!(" for the tenant {tenant}")).unwrap_or_default()
}

impl Listed {
    /// An interface that the user names, and no card.
    pub fn named(interface: Interface) -> Self {
        let version = interface.profile.name().to_owned();
        let info = InterfaceInfo {
            url: interface.url.clone(),
            binding: interface.binding.to_string(),
            profile: Some(version.clone()),
            version,
            tenant: interface.tenant.clone(),
            skipped: None,
            note: None,
            dialect: None,
            lost: None,
        };
        Self { info, interface: Some(interface) }
    }

    /// Leaves it out, unless it is left out already.
    pub fn skip(&mut self, why: &str) {
        if self.interface.take().is_some() {
            self.info.skipped = Some(why.to_owned());
        }
    }
}

/// Of which kind the ids of JSON-RPC requests are: numbers, or strings for an agent that reads no numbers (JSON-RPC 2.0, section 4,
/// lets clients choose). All copies of an interface share it.
#[derive(Debug, Clone, Default)]
pub struct RpcIds(Arc<AtomicBool>);

impl RpcIds {
    /// Sets whether the ids are strings.
    pub fn are_strings(&self, are: bool) {
        self.0.store(are, Ordering::Relaxed);
    }

    /// The id of the request with this number.
    pub fn of(&self, number: u64) -> Value {
        match self.0.load(Ordering::Relaxed) {
            true => Value::from(number.to_string()),
            false => Value::from(number),
        }
    }
}

/// An interface that can be checked.
#[derive(Debug, Clone)]
pub struct Interface {
    /// The version that it speaks.
    pub profile: Arc<Profile>,
    /// How.
    pub binding: Binding,
    /// The form in which it speaks.
    pub dialect: Arc<Dialect>,
    /// Where.
    pub url: String,
    /// Where the other replicas of the agent have it.
    pub replicas: Vec<String>,
    /// Whether it speaks TLS, where its URL has no scheme to say so.
    pub tls: Option<bool>,
    /// Its URL in the card, where the user maps that to another.
    pub mapped: Option<String>,
    /// The tenant that its requests must name.
    pub tenant: Option<String>,
    /// The tenants that the card declares at its URL, its own and others, over its binding and in its version.
    pub tenants: Vec<String>,
    /// The extensions that the card declares.
    pub extensions: Vec<Extension>,
    /// Where the card is that led to it.
    pub card: CardPlace,
    /// Whether that card says the version.
    pub is_said: bool,
    /// Whether its version was recognised by asking, and the card is of another.
    pub is_recognised: bool,
    /// The operations of its version that the release has not which its card names, or may be of.
    pub lacks: BTreeSet<Operation>,
    /// Sections of its version's text that the release does not have which its card names: see [`MoreBindings`].
    pub without: Vec<String>,
    /// Name of the profile that it was heard to speak instead of the one that the card claims: only cases about the claim
    /// run over it.
    pub speaks: Option<String>,
    /// The profile whose names of methods it was heard to have over JSON-RPC, in place of those of its own version.
    pub methods: Option<Arc<Profile>>,
    /// Of which kind the ids of its requests over JSON-RPC are.
    pub ids: RpcIds,
}

/// Where a card is.
#[derive(Debug, Clone)]
pub enum CardPlace {
    /// At a URL.
    Url(String),
    /// In a file, so that no case can fetch it.
    File(PathBuf),
    /// Nowhere: the agent has none.
    Missing,
}

impl Interface {
    /// The name of an operation's method over JSON-RPC. A version that has not the operation lends no name for it.
    pub fn method(&self, operation: Operation) -> Option<&str> {
        let own = self.profile.operation(operation)?.method.as_deref();
        let lent = self.methods.as_ref().and_then(|other| other.operation(operation)?.method.as_deref());
        own.map(|own| lent.unwrap_or(own))
    }

    /// An interface that speaks in the likeliest form; `None` where the profile has no such binding.
    pub fn new(profile: &Arc<Profile>, binding: Binding, url: String) -> Option<Self> {
        let dialect = Arc::clone(profile.dialects_over(binding).next()?);
        Some(Self {
            profile: Arc::clone(profile),
            binding,
            dialect,
            url,
            replicas: Vec::new(),
            tls: None,
            mapped: None,
            tenant: None,
            tenants: Vec::new(),
            extensions: Vec::new(),
            card: CardPlace::Missing,
            is_said: true,
            is_recognised: false,
            lacks: BTreeSet::new(),
            without: Vec::new(),
            speaks: None,
            methods: None,
            ids: RpcIds::default(),
        })
    }

    /// The same interface, asked for nothing that this card says it does not give, and for what it requires.
    #[must_use]
    pub fn speaking_to(self, card: &Value) -> Self {
        let own = self.dialect.for_card(card).map(Arc::new);
        let extensions = extension::declared(card, &self.profile);
        Self { dialect: own.unwrap_or_else(|| Arc::clone(&self.dialect)), extensions, ..self }
    }

    /// The same interface of a release that has its binding as this version has it, by a card of the release.
    #[must_use]
    pub fn as_of_release(self, release: &MoreBindings) -> Self {
        Self { is_recognised: true, lacks: release.lacks.clone(), without: release.without.clone(), ..self }
    }

    /// Whether a section of its version's text is one of those that its release does not have.
    pub fn is_without(&self, section: &str) -> bool {
        let is_within = |absent: &String| {
            section.strip_prefix(absent.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.without.iter().any(is_within)
    }

    /// The extensions that each request must ask for.
    pub fn required_extensions(&self) -> impl Iterator<Item = &str> {
        self.extensions.iter().filter(|extension| extension.is_required).map(|extension| extension.uri.as_str())
    }

    /// The headers of every request: those of the version, and those that ask for what the card requires.
    pub fn headers(&self) -> BTreeMap<String, String> {
        let asked = self.extension_headers(&[], true).into_iter().filter_map(|(name, uris)| Some((name, uris?)));
        self.profile.facts.headers.clone().into_iter().chain(asked).collect()
    }

    /// The headers that ask for extensions, be it beside those that the card requires; nothing to ask for leaves them out.
    pub fn extension_headers(&self, asked: &[String], with_required: bool) -> Vec<(String, Option<String>)> {
        let required = self.required_extensions().filter(|_| with_required);
        let uris = extension::list(required.chain(asked.iter().map(String::as_str)));
        let names = self.profile.facts.extensions_headers.iter();
        names.map(|name| (name.clone(), Some(uris.clone()).filter(|uris| !uris.is_empty()))).collect()
    }

    /// Names its tenant in the parameters of a request (1.0, section 8.3.2), unless they name one.
    pub fn name_tenant(&self, params: &mut Value) {
        if let (Some(tenant), Value::Object(members)) = (&self.tenant, params) {
            members.entry("tenant").or_insert_with(|| Value::from(tenant.clone()));
        }
    }

    /// What is appended to its URL: the paths of a tenant begin with its name.
    pub fn path(&self, suffix: &str) -> String {
        match (&self.tenant, self.binding) {
            (Some(tenant), Binding::HttpJson) => format!("/{}{suffix}", route::segment(tenant)),
            _ => suffix.to_owned(),
        }
    }

    /// What follows the name of the tenant in such a path.
    pub fn suffix_of<'a>(&self, path: &'a str) -> Option<&'a str> {
        path.strip_prefix(&self.path(""))
    }

    /// Whether it is on this machine, so that the agent gets to what listens here.
    pub fn is_on_this_machine(&self) -> bool {
        let host = |text: &str| Url::parse(text).ok().and_then(|url| Some(is_loopback(&url.host()?)));
        // Over gRPC there need not be a scheme.
        host(&self.url).or_else(|| host(&format!("http://{}", self.url))).unwrap_or(false)
    }

    /// The URL to which paths are appended: of a binding with paths, without a slash at its end.
    pub fn base(&self) -> &str {
        match self.binding {
            Binding::HttpJson => self.url.trim_end_matches('/'),
            Binding::Jsonrpc | Binding::Grpc => &self.url,
        }
    }

    /// What the profile says of its binding.
    pub fn binding_facts(&self) -> Option<&BindingFacts> {
        self.profile.facts.bindings.get(&self.binding)
    }

    /// The canonical type of an operation's result, or of each event of its stream.
    pub fn result_type(&self, operation: Operation) -> Option<&str> {
        self.profile.operation(operation)?.result.as_deref()
    }

    /// A result, read as one of the operation; as it is where the operation is not known or any result will do.
    pub fn read_result(&self, operation: Option<Operation>, wire: Value) -> Arc<Reading> {
        Arc::new(match operation.and_then(|operation| self.result_type(operation)) {
            Some(kind) => self.dialect.from_wire(kind, wire),
            None => Reading::plain(wire),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn requests_ask_for_what_the_card_requires() {
        let profiles = crate::profile::bundled().unwrap();
        let headers = |version: &str, extensions: Value| {
            let profile = profiles.iter().find(|profile| profile.name() == version).unwrap();
            let interface = Interface::new(profile, Binding::Jsonrpc, "http://agent.example".to_owned()).unwrap();
            let card = json!({ "capabilities": { "extensions": extensions } });
            interface.speaking_to(&card)
        };
        let required = json!([{ "uri": "urn:a", "required": true }, { "uri": "urn:b" }]);
        let interface = headers("1.0", required.clone());
        assert_eq!(interface.headers().get("A2A-Extensions").map(String::as_str), Some("urn:a"));
        let beside = interface.extension_headers(&["urn:b".to_owned()], true);
        assert_eq!(beside, [("A2A-Extensions".to_owned(), Some("urn:a,urn:b".to_owned()))]);
        assert_eq!(interface.extension_headers(&[], false), [("A2A-Extensions".to_owned(), None)]);
        let names = |version: &str| headers(version, required.clone()).headers().into_keys().collect::<Vec<_>>();
        assert_eq!(names("1.0-draft"), ["A2A-Extensions", "A2A-Version", "X-A2A-Extensions"]);
        assert_eq!(names("0.3"), ["X-A2A-Extensions"]);
        assert_eq!(names("0.2.1"), [""; 0]);
        assert_eq!(headers("0.3", json!([{ "uri": "urn:b" }])).headers().len(), 0);
    }

    #[test]
    fn requests_are_for_the_tenant_of_the_interface() {
        let profiles = crate::profile::bundled().unwrap();
        let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
        let of = |binding, tenant: Option<&str>| Interface {
            tenant: tenant.map(str::to_owned),
            ..Interface::new(profile, binding, "http://agent.example".to_owned()).unwrap()
        };
        let named = |interface: &Interface, mut params: Value| {
            interface.name_tenant(&mut params);
            params
        };
        let acme = of(Binding::HttpJson, Some("ac/me"));
        assert_eq!(named(&acme, json!({})), json!({ "tenant": "ac/me" }));
        assert_eq!(named(&acme, json!({ "tenant": "b" })), json!({ "tenant": "b" }));
        assert_eq!(named(&of(Binding::Grpc, None), json!({})), json!({}));
        assert_eq!(acme.path("/tasks"), "/ac%2Fme/tasks");
        assert_eq!(acme.suffix_of("/ac%2Fme/tasks"), Some("/tasks"));
        assert_eq!(acme.suffix_of("/tasks"), None);
        assert_eq!(of(Binding::Jsonrpc, Some("acme")).path("?a"), "?a");
    }

    #[test]
    fn what_is_on_this_machine_is_told_by_its_host() {
        let profiles = crate::profile::bundled().unwrap();
        let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
        let is_here =
            |binding, url: &str| Interface::new(profile, binding, url.to_owned()).unwrap().is_on_this_machine();
        for here in ["http://127.0.0.1:1/a", "https://localhost", "http://[::1]:1/", "http://agent.localhost:1"] {
            assert!(is_here(Binding::Jsonrpc, here), "{here}");
        }
        assert!(is_here(Binding::Grpc, "127.0.0.1:50051") && is_here(Binding::Grpc, "localhost:50051"));
        for away in ["http://agent.example/", "http://10.0.0.1/", "http://localhost.example/", "nowhere at all"] {
            assert!(!is_here(Binding::Jsonrpc, away), "{away}");
        }
        assert!(!is_here(Binding::Grpc, "agent.example:443"));
    }
}
