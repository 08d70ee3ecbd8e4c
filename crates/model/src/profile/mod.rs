//! A version of A2A as data: what `schemas/<profile>/` says about its wire.
//!
//! Enters: `profile.yaml`, the JSON Schemas beside it, and the descriptors of its proto where it has one. Leaves: a
//! [`Profile`], which answers questions about operations, routes, errors, states and card members, and its
//! [`Dialect`]s, which turn canonical values into a wire form of the version and back, and validate them
//! (`schema`). Knows nothing of networks or cases.

pub mod descriptors;
pub mod dialect;
pub mod facts;
mod folder;
pub mod route;
pub mod schema;
pub mod shape;
mod template;
pub mod types;
mod variants;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use serde_json::Value;

pub use descriptors::Descriptors;
pub use dialect::{Broken, Dialect, Inferred, Miss, Reading, Site};
pub use facts::{
    Binding, BindingFacts, Capability, ErrorFacts, Facts, MoreBindings, Naming, Operation, OperationFacts,
};
pub use route::{Route, segment};
pub use schema::Schemas;
pub use types::Type;

use crate::bundle;
use crate::yaml::{self, Mistake};
use facts::{Nulls, ReleaseFacts};
use folder::Folder;

/// One protocol version, ready for use.
#[derive(Debug)]
pub struct Profile {
    /// What `profile.yaml` says.
    pub facts: Facts,
    /// The wire forms of its objects, by name.
    pub dialects: BTreeMap<String, Arc<Dialect>>,
    /// Its messages and rpcs, where it has a proto.
    pub descriptors: Option<Descriptors>,
    /// The routes of each operation over HTTP+JSON, those of `profile.yaml` before those of the proto.
    pub routes: BTreeMap<Operation, Vec<Route>>,
    /// What [`Self::member_names`] found.
    member_names: OnceLock<BTreeSet<String>>,
}

impl Profile {
    /// Reads a profile from the files of its folder, and the descriptors of its proto.
    ///
    /// # Errors
    /// The mistake in `profile.yaml`, a schema file that is not there or not JSON, a route or dialect that does not
    /// hold together.
    fn read(folder: &Folder<'_>, descriptors: Option<&[u8]>) -> Result<Self, Mistake> {
        let place = folder.place("profile.yaml");
        let whole = |message: String| Mistake::whole(&place, message);
        let mut facts = folder.facts()?;
        if !is_a_day(&facts.published) {
            return Err(whole(format!("`published: {}` is no day such as 2025-07-31", facts.published)));
        }
        let dialects = dialects(folder, &mut facts)?;
        let spoken = facts.bindings.values().flat_map(|binding| &binding.dialects);
        if let Some(unknown) =
            spoken.chain([&facts.card.dialect, &facts.notifications.dialect]).find(|name| !dialects.contains_key(*name))
        {
            return Err(whole(format!("there is no dialect `{unknown}`")));
        }
        let service = facts.bindings.get(&Binding::Grpc).and_then(|binding| binding.service.as_deref());
        let descriptors = match (descriptors, service) {
            (Some(bytes), Some(service)) => Some(Descriptors::read(bytes, service).map_err(whole)?),
            (None, Some(service)) => return Err(whole(format!("{service} needs a proto beside it"))),
            (_, None) => None,
        };
        let routes = route::all(&facts, descriptors.as_ref()).map_err(whole)?;
        Ok(Self { facts, dialects, descriptors, routes, member_names: OnceLock::new() })
    }

    /// The name by which cases, catalogues and flags know it, such as `1.0`.
    pub fn name(&self) -> &str {
        &self.facts.profile
    }

    /// The names of all members that objects of this version can have, canonical and on the wire.
    pub fn member_names(&self) -> &BTreeSet<String> {
        let of_dialect = |dialect: &Arc<Dialect>| {
            let shapes = dialect.types.values().flat_map(|shape| shape.forms.iter().chain([shape]));
            let own = shapes.flat_map(|shape| {
                let of_choices = shape.choices.iter().flatten().flat_map(|choice| choice.fields.keys());
                let of_unions = shape.variants.iter().flat_map(|variants| variants.iter());
                let of_unions = of_unions.map(|(member, _)| member.to_owned());
                shape.fields.keys().chain(of_choices).cloned().chain(of_unions)
            });
            own.chain(dialect.schemas.member_names()).collect::<Vec<String>>()
        };
        self.member_names.get_or_init(|| self.dialects.values().flat_map(of_dialect).collect())
    }

    /// Everything in which a public card breaks its schema, by [`Self::card_as_read`].
    pub fn card_violations(&self, card: &Value) -> Vec<schema::Violation> {
        let dialect = self.dialects.get(&self.facts.card.dialect);
        let card = self.card_as_read(card);
        dialect.map(|dialect| dialect.violations(&self.facts.card.kind, &card)).unwrap_or_default()
    }

    /// A public card without what is as good as not there.
    pub fn card_as_read<'a>(&self, card: &'a Value) -> Cow<'a, Value> {
        match self.facts.card.nulls {
            Some(Nulls::Absent) => Cow::Owned(without_nulls(card)),
            None => Cow::Borrowed(card),
        }
    }

    /// The public card with its typed places, and the dialect in which it is written.
    pub fn card_reading(&self, card: &serde_json::Value) -> Option<(Reading, &Dialect)> {
        let dialect = self.dialects.get(&self.facts.card.dialect)?;
        Some((dialect.from_wire(&self.facts.card.kind, card.clone()), dialect))
    }

    /// The dialect of what is posted to webhooks.
    pub fn notification_dialect(&self) -> Option<&Dialect> {
        self.dialects.get(&self.facts.notifications.dialect).map(AsRef::as_ref)
    }

    /// What was posted to a webhook, with its typed places.
    pub fn read_notification(&self, wire: Value) -> Reading {
        match self.notification_dialect() {
            Some(dialect) => dialect.from_wire(&self.facts.notifications.kind, wire),
            None => Reading::plain(wire),
        }
    }

    /// How little a card looks like one of this version: in how many places it breaks the schema, and how many members it
    /// has that the version does not know.
    pub fn strangeness_of_card(&self, card: &Value) -> usize {
        let dialect = self.dialects.get(&self.facts.card.dialect);
        let unknown = dialect.map(|dialect| dialect.schemas.unknown_members(&self.facts.card.kind, card));
        self.card_violations(card).len() + unknown.unwrap_or_default()
    }

    /// What this version says of an operation; `None` where it has no such operation.
    pub fn operation(&self, operation: Operation) -> Option<&OperationFacts> {
        self.facts.operations.get(&operation)
    }

    /// Whether an operation exists over a binding.
    pub fn offers(&self, operation: Operation, binding: Binding) -> bool {
        self.operation(operation).is_some_and(|facts| match binding {
            Binding::Jsonrpc => facts.method.is_some(),
            Binding::HttpJson => self.routes.contains_key(&operation),
            Binding::Grpc => self.descriptors.as_ref().is_some_and(|all| all.rpc(operation, facts).is_some()),
        })
    }

    /// The release around this version which a card names, or may be of where it names none.
    pub fn release(&self, version: Option<&str>) -> Option<&ReleaseFacts> {
        let all = &self.facts.releases;
        let Some(version) = version else { return all.iter().find(|release| release.unsaid) };
        let is_named = |release: &&ReleaseFacts| release.declared_as.iter().any(|known| known == version);
        let is_like = |release: &&ReleaseFacts| release.declared_as.iter().any(|pattern| is_like(pattern, version));
        all.iter().find(is_named).or_else(|| all.iter().filter(|_| !self.is_called(version)).find(is_like))
    }

    /// The operations that such a release does not have.
    pub fn lacking_in(&self, version: Option<&str>) -> BTreeSet<Operation> {
        self.release(version).map(|release| release.lacks.clone()).unwrap_or_default()
    }

    /// The wire forms that agents may speak over a binding, the likeliest first.
    pub fn dialects_over(&self, binding: Binding) -> impl Iterator<Item = &Arc<Dialect>> {
        let names = self.facts.bindings.get(&binding).map_or(&[][..], |facts| facts.dialects.as_slice());
        names.iter().filter_map(|name| self.dialects.get(name))
    }

    /// How errors of a binding say which they are.
    pub fn naming(&self, binding: Binding) -> Naming<'_> {
        let by_type = self.facts.bindings.get(&binding).and_then(|facts| facts.error_type.as_deref());
        let by_reason = || self.facts.error_domain.as_deref().map(Naming::ByReason);
        by_type.map(Naming::ByType).or_else(by_reason).unwrap_or(Naming::ByStatus)
    }

    /// The error of the version that is called so in a binding, with its facts.
    pub fn error_called(&self, naming: Naming<'_>, called: &str) -> Option<(&str, &ErrorFacts)> {
        let mut errors = self.facts.errors.iter();
        errors.find(|(_, facts)| naming.of(facts) == Some(called)).map(|(name, facts)| (name.as_str(), facts))
    }

    /// The names that an error can have over a binding by its status and by what it calls itself. One that calls itself what
    /// no error of this version is called is none of those that are called something; nor is one that calls itself nothing,
    /// where those always do.
    pub fn names_of(
        &self,
        binding: Binding,
        called: Option<&str>,
        has_status: impl Fn(&ErrorFacts) -> bool,
    ) -> Vec<String> {
        let naming = self.naming(binding);
        let are_named = self.facts.bindings.get(&binding).is_some_and(|facts| facts.errors_are_named);
        self.errors_with(|facts| {
            has_status(facts)
                && match called {
                    Some(called) if self.error_called(naming, called).is_some() => naming.of(facts) == Some(called),
                    Some(_) => naming.of(facts).is_none(),
                    None => !are_named || naming.of(facts).is_none(),
                }
        })
    }

    /// The names of the errors of which something holds, in the order of their names.
    pub fn errors_with(&self, holds: impl Fn(&ErrorFacts) -> bool) -> Vec<String> {
        self.facts.errors.iter().filter(|(_, facts)| holds(facts)).map(|(name, _)| name.clone()).collect()
    }

    /// Whether a task in this canonical state can never change again.
    pub fn is_terminal(&self, state: &str) -> bool {
        self.facts.states.terminal.iter().any(|known| known == state)
    }

    /// Whether a task in this canonical state waits for its client.
    pub fn is_interrupted(&self, state: &str) -> bool {
        self.facts.states.interrupted.iter().any(|known| known == state)
    }

    /// Whether a task in this canonical state goes on by itself: one in a state that nobody knows does not.
    pub fn is_running(&self, state: &str) -> bool {
        state == "TASK_STATE_WORKING" || self.facts.states.initial.iter().any(|known| known == state)
    }

    /// Whether it is a release, and no draft.
    pub fn is_released(&self) -> bool {
        !self.facts.unreleased && !self.name().ends_with("-draft") && self.name() != "proposal"
    }

    /// Whether this is the profile that has this very spelling of the protocol version.
    pub fn is_called(&self, declared: &str) -> bool {
        self.facts.declared_as.iter().any(|pattern| pattern == declared)
    }

    /// Whether a card that spells its protocol version `declared` means this profile.
    pub fn is_declared_as(&self, declared: &str) -> bool {
        self.facts.declared_as.iter().any(|pattern| is_like(pattern, declared))
    }
}

/// Whether a spelling of a version is the one that a pattern has, or begins as it does before `.*`.
fn is_like(pattern: &str, declared: &str) -> bool {
    match pattern.strip_suffix(".*") {
        Some(stem) => declared.strip_prefix(stem).is_some_and(|rest| rest.starts_with('.')),
        None => pattern == declared,
    }
}

/// A value without the members that are null, at any depth.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let set = members.iter().filter(|(_, member)| !member.is_null());
            Value::Object(set.map(|(name, member)| (name.clone(), without_nulls(member))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_nulls).collect()),
        other => other.clone(),
    }
}

/// Every profile in the program, oldest first; one that is not released before the one that it is like.
///
/// # Errors
/// A mistake in the bundled files: a bug of ours, which `a2aspec lint` and the tests find first.
pub fn bundled() -> Result<Vec<Arc<Profile>>, Mistake> {
    static LOADED: OnceLock<Result<Vec<Arc<Profile>>, Mistake>> = OnceLock::new();
    LOADED.get_or_init(read_bundled).clone()
}

fn read_bundled() -> Result<Vec<Arc<Profile>>, Mistake> {
    let folders = Folder::bundled()?;
    let read =
        yaml::in_parallel(&folders, |folder| Profile::read(folder, bundle::descriptors(folder.name)).map(Arc::new));
    let mut profiles = read.into_iter().collect::<Result<Vec<_>, _>>()?;
    let days: BTreeMap<String, String> =
        profiles.iter().map(|profile| (profile.name().to_owned(), profile.facts.published.clone())).collect();
    profiles.sort_by_key(|profile| {
        let Facts { published, like, unreleased, .. } = &profile.facts;
        let of_release = like.as_ref().filter(|_| *unreleased).and_then(|like| days.get(like));
        (of_release.unwrap_or(published).clone(), !unreleased)
    });
    Ok(profiles)
}

/// Whether a text is a day in the form that sorts by time: `2025-07-31`.
fn is_a_day(text: &str) -> bool {
    let is_number = |part: &str, length: usize| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = text.split('-').collect();
    matches!(parts.as_slice(), [year, month, day] if is_number(year, 4) && is_number(month, 2) && is_number(day, 2))
}

/// Makes the dialects; those that are like another take what that one says.
fn dialects(folder: &Folder<'_>, facts: &mut Facts) -> Result<BTreeMap<String, Arc<Dialect>>, Mistake> {
    let place = folder.place("profile.yaml");
    let mut made: BTreeMap<String, Arc<Dialect>> = BTreeMap::new();
    let mut rest = std::mem::take(&mut facts.dialects);
    while !rest.is_empty() {
        let is_ready = |like: &Option<String>| like.as_ref().is_none_or(|like| made.contains_key(like));
        let Some(name) = rest.iter().find(|(_, facts)| is_ready(&facts.like)).map(|(name, _)| name.clone()) else {
            let names: Vec<&str> = rest.keys().map(String::as_str).collect();
            return Err(Mistake::whole(&place, format!("what is {} like?", names.join(", "))));
        };
        let Some(own) = rest.remove(&name) else { break };
        let like = own.like.as_ref().and_then(|like| made.get(like));
        let schemas = match (&own.schema, like) {
            (Some(file), Some(like)) => Arc::new(like.schemas.under(&folder.schemas(file)?)),
            (Some(file), None) => Arc::new(folder.schemas(file)?),
            (None, Some(like)) => Arc::clone(&like.schemas),
            (None, None) => {
                return Err(Mistake::whole(&place, format!("the dialect `{name}` needs a `schema` or a `like`")));
            }
        };
        let mut types = like.map(|like| like.types.clone()).unwrap_or_default();
        types.extend(own.types);
        let nulls_absent = own.nulls == Some(Nulls::Absent) || like.is_some_and(|like| like.nulls_absent);
        let hidden = types.iter().find_map(|(kind, shape)| {
            let mut unions = shape.forms.iter().chain([shape]).filter_map(|shape| shape.variants.as_ref());
            Some((kind, unions.find_map(|variants| variants.hidden())?))
        });
        if let Some((kind, (member, earlier))) = hidden {
            let message = format!("no {kind} is ever a `{member}`, since all that is one is a `{earlier}` before it");
            return Err(
                Mistake::whole(&place, message).help("say what `lacks` tells them apart, or change their order")
            );
        }
        made.insert(name.clone(), Arc::new(Dialect { name, types, schemas, nulls_absent }));
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundled_as(name: &str) -> Arc<Profile> {
        bundled().unwrap().into_iter().find(|profile| profile.name() == name).unwrap()
    }

    /// ErrorInfo is a MUST for the errors of A2A (1.0 sections 10.6 and 11.6); 0.3 has none.
    #[test]
    fn an_error_without_its_name_is_none_of_those_that_always_say_it() {
        let of = |version: &str, binding, called| {
            bundled_as(version)
                .names_of(binding, called, |facts| facts.has_http(400) || facts.has_grpc("INVALID_ARGUMENT"))
        };
        for version in ["1.0", "1.0-draft"] {
            let named = if version == "1.0" { "CONTENT_TYPE_NOT_SUPPORTED" } else { "UNSUPPORTED_OPERATION" };
            let unnamed = ["InvalidParamsError", "InvalidRequestError", "JSONParseError"];
            assert_eq!(of(version, Binding::HttpJson, None), unnamed, "{version}");
            assert_eq!(of(version, Binding::Grpc, None), unnamed, "{version}");
            assert_eq!(of(version, Binding::Grpc, Some(named)).len(), 1, "{version}");
            // Published agents say so of invalid parameters. The text does not, so it names none of A2A's errors.
            assert_eq!(of(version, Binding::Grpc, Some("INVALID_PARAMS")), unnamed, "{version}");
            assert_eq!(of(version, Binding::Grpc, Some("OUT_OF_LUCK")), unnamed, "{version}");
        }
        assert!(of("0.3", Binding::HttpJson, None).iter().any(|name| name == "ContentTypeNotSupportedError"));
    }

    #[test]
    fn a_null_member_of_a_card_before_1_0_is_not_there() {
        let card = serde_json::json!({ "iconUrl": null, "skills": [{ "id": "a", "examples": null }], "name": null });
        let stripped = serde_json::json!({ "skills": [{ "id": "a" }] });
        assert_eq!(*bundled_as("0.3").card_as_read(&card), stripped);
        assert_eq!(*bundled_as("1.0").card_as_read(&card), card);
        let missing = |violation: &schema::Violation| violation.missing.as_deref() == Some("name");
        assert!(bundled_as("0.2.5").card_violations(&card).iter().any(missing));
    }

    #[test]
    fn profiles_are_in_the_order_of_their_texts() {
        let names: Vec<String> = bundled().unwrap().iter().map(|profile| profile.name().to_owned()).collect();
        assert_eq!(names, ["proposal", "0.1", "0.2.1", "0.2.5", "0.3", "1.0-draft", "1.1-draft", "1.0"]);
        assert!(is_a_day("2025-07-31"));
        for text in ["2025-7-31", "July 2025", "2025-07-31T00:00:00Z", ""] {
            assert!(!is_a_day(text), "{text}");
        }
    }
}
