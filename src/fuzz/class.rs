//! Classes of changes: what must come of a request that was changed in a known way, and what that rests on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::bundle;
use crate::case::{Expect, Library, Matcher, Outcome, Requirement};
use crate::profile::{Binding, Operation};
use crate::yaml::Mistake;

/// The file of all classes.
const FILE: &str = "changes.yaml";

/// What the fuzzer may do to a request, as `schemas/changes.yaml` tells.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Classes {
    classes: Vec<Class>,
}

/// One class.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Class {
    /// Its name.
    pub id: String,
    /// What it is, for people.
    pub title: String,
    /// The bindings that have it; empty: all.
    #[serde(default)]
    bindings: Vec<Binding>,
    /// Whether the places of `like` are those alone, and not what is in them.
    #[serde(default)]
    exactly: bool,
    outcome: Vec<String>,
    /// Conditions on what a result holds, with references to the steps before.
    #[serde(default)]
    at: BTreeMap<String, Value>,
    /// Conditions on the status of gRPC, where there is one.
    #[serde(default)]
    grpc: BTreeMap<String, Value>,
    /// Conditions on the answer of HTTP, where any will do.
    #[serde(default)]
    http: BTreeMap<String, Value>,
    /// By operation, or operation and place, the case whose requirements say what must come of it.
    #[serde(default)]
    like: BTreeMap<String, String>,
}

impl Classes {
    /// Those that the program carries.
    ///
    /// # Errors
    /// A mistake in the bundled file: a bug of ours, which the tests find first.
    pub fn bundled() -> Result<Arc<Self>, Mistake> {
        static READ: OnceLock<Result<Arc<Classes>, Mistake>> = OnceLock::new();
        let read = || bundle::tree(FILE, bundle::text(FILE).unwrap_or_default())?.typed().map(Arc::new);
        READ.get_or_init(read).clone()
    }

    /// The cases on which classes rest, as far as a version names them over a binding.
    pub fn grounds(&self, library: &Library, profile: &str, binding: Binding) -> BTreeSet<String> {
        let all = self.classes.iter().flat_map(|class| class.like.values()).map(String::as_str);
        grounds(library, profile, binding, all)
    }

    /// The class of this name.
    pub fn get(&self, id: &str) -> Option<&Class> {
        self.classes.iter().find(|class| class.id == id)
    }
}

impl Class {
    /// Whether a binding has it.
    pub fn runs_over(&self, binding: Binding) -> bool {
        self.bindings.is_empty() || self.bindings.contains(&binding)
    }

    /// Whether it makes parameters wrong that can be read.
    pub fn is_about_parameters(&self) -> bool {
        self.outcome == ["InvalidParamsError"]
    }

    /// Whether it rests on anything.
    pub fn has_models(&self) -> bool {
        !self.like.is_empty()
    }

    /// What an operation may make of it. An agent that does not take a kind of content may see that first.
    pub fn expect(&self, operation: Operation) -> Expect {
        let mut outcome: Vec<Outcome> = self.outcome.iter().map(|name| Outcome::read(name)).collect();
        if operation.sends_a_message() && self.is_about_parameters() {
            outcome.push(Outcome::Error("ContentTypeNotSupportedError".to_owned()));
        }
        let read = |(name, condition): (&String, &Value)| Some((name.clone(), Matcher::read(condition).ok()?));
        let all = [&self.at, &self.grpc, &self.http];
        let [at, grpc, http] = all.map(|conditions| conditions.iter().filter_map(read).collect());
        Expect { outcome, at, grpc, http, ..Expect::default() }
    }

    /// What is expected of it as case files write it, where these are the outcomes.
    pub fn written(&self, expect: &Expect) -> Value {
        let outcomes: Vec<&str> = expect.outcome.iter().map(Outcome::name).collect();
        let mut written = json!({ "outcome": outcomes });
        for (name, conditions) in [("at", &self.at), ("grpc", &self.grpc), ("http", &self.http)] {
            if let (Some(written), false) = (written.as_object_mut(), conditions.is_empty()) {
                written.insert(name.to_owned(), json!(conditions));
            }
        }
        written
    }

    /// The case that it is like at a place of an operation's parameters.
    pub fn like(&self, operation: Operation, place: &str) -> Option<&str> {
        let whole = format!("{operation}{place}");
        let is_within = |rest: &str| rest.is_empty() || (!self.exactly && rest.starts_with('/'));
        let fits = |key: &&String| whole.strip_prefix(key.as_str()).is_some_and(is_within);
        let longest = self.like.keys().filter(fits).max_by_key(|key| key.len())?;
        self.like.get(longest).map(String::as_str)
    }

    /// The requirements on which it rests in a version and over a binding, as those of the case `of`; none where it is but good
    /// sense.
    pub fn requirements(
        &self,
        library: &Library,
        (profile, binding): (&str, Binding),
        (operation, place): (Operation, &str),
        of: &str,
    ) -> Vec<Arc<Requirement>> {
        let Some(like) = self.like(operation, place) else { return Vec::new() };
        let runs =
            library.cases.get(like).is_some_and(|case| case.bindings.is_empty() || case.bindings.contains(&binding));
        if !runs {
            return Vec::new();
        }
        let speak = library.requirements(profile).into_iter().filter(|one| one.speaks_of(&[binding]));
        speak.filter_map(|one| one.as_of(like, of)).map(Arc::new).collect()
    }

    /// The cases that the class names.
    #[cfg(test)]
    fn models(&self) -> impl Iterator<Item = &str> {
        self.like.values().map(String::as_str)
    }
}

/// Those of some cases that a version names over a binding.
pub(super) fn grounds<'c>(
    library: &Library,
    profile: &str,
    binding: Binding,
    cases: impl IntoIterator<Item = &'c str>,
) -> BTreeSet<String> {
    let requirements = library.requirements(profile);
    let is_named = |model: &&str| {
        let runs =
            library.cases.get(*model).is_some_and(|case| case.bindings.is_empty() || case.bindings.contains(&binding));
        runs && requirements.iter().any(|one| one.speaks_of(&[binding]) && one.checks_of(model).next().is_some())
    };
    cases.into_iter().filter(is_named).map(str::to_owned).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::judge::oracle;
    use crate::profile;

    fn library() -> Library {
        let profiles = profile::bundled().unwrap();
        let profiles: Vec<_> = profiles.iter().map(AsRef::as_ref).collect();
        Library::load(None, &profiles, &oracle::all()).unwrap()
    }

    #[test]
    fn every_class_rests_on_cases_that_exist_and_expects_outcomes_that_do() {
        let library = library();
        let profiles = profile::bundled().unwrap();
        let errors: Vec<&String> = profiles.iter().flat_map(|profile| profile.facts.errors.keys()).collect();
        let classes = Classes::bundled().unwrap();
        for class in &classes.classes {
            for model in class.models() {
                assert!(library.cases.contains_key(model), "{}: there is no case {model}", class.id);
            }
            for outcome in &class.outcome {
                let is_known = Outcome::NAMES.contains(&outcome.as_str()) || errors.contains(&outcome);
                assert!(is_known, "{}: there is no outcome {outcome}", class.id);
            }
            assert!(class.like.is_empty() || class.id != "open");
            let expect = class.expect(Operation::GetTask);
            let read = (expect.at.len(), expect.grpc.len(), expect.http.len());
            let written = (class.at.len(), class.grpc.len(), class.http.len());
            assert_eq!(read, written, "{}: a condition that is none", class.id);
        }
    }

    #[test]
    fn the_longest_place_that_fits_decides() {
        let classes = Classes::bundled().unwrap();
        let wrong = classes.get("wrong-type").unwrap();
        let get = Operation::GetTask;
        assert_eq!(wrong.like(get, "/historyLength"), Some("history/get-wrong-type"));
        assert_eq!(wrong.like(get, "/id"), Some("get/id-wrong-type"));
        assert_eq!(wrong.like(Operation::GetExtendedAgentCard, "/tenant"), None);
        let missing = classes.get("missing-member").unwrap();
        assert_eq!(missing.like(Operation::SendMessage, "/message/parts"), Some("send/missing-parts"));
        // That a part has no text is no list that is missing.
        assert_eq!(missing.like(Operation::SendMessage, "/message/parts/0/text"), None);
    }

    #[test]
    fn a_requirement_speaks_of_the_new_case_as_of_the_old() {
        let library = library();
        let classes = Classes::bundled().unwrap();
        let class = classes.get("wrong-type").unwrap();
        let at = (Operation::GetTask, "/id");
        let found = class.requirements(&library, ("1.0", Binding::Jsonrpc), at, "fuzz/new");
        assert!(found.iter().any(|one| one.id.value == "1.0-3.3.2-1" && one.is_violated_by("fuzz/new", "refused")));
        assert!(found.iter().all(|one| !one.is_violated_by("get/id-wrong-type", "refused")));
        // What stands in a path is a string.
        assert!(class.requirements(&library, ("1.0", Binding::HttpJson), at, "fuzz/new").is_empty());
    }
}
