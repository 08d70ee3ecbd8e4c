//! One case over one binding: what it is called, and how strongly it is demanded.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::case::{Action, Case, FUZZED, Input, Requirement, Step};
use crate::finding::Finding;
use crate::profile::Binding;
use crate::reason::Reason;
use crate::verdict::{Level, TrialResult, Verdict};

/// One case over one binding in one profile.
#[derive(Debug, Clone)]
pub struct Trial {
    /// The case.
    pub case: Arc<Case>,
    /// The requirements that it checks here.
    pub requirements: Vec<Arc<Requirement>>,
    /// Its level here: the highest of those requirements.
    pub level: Level,
    /// Where it runs: an index into the interfaces that the plan was made for.
    pub interface: usize,
    /// Where the steps over the second binding run, in a case that runs across two.
    pub second: Option<usize>,
    /// Name of the profile.
    pub profile: String,
    /// The binding.
    pub binding: Binding,
    /// The other binding of a case that runs across two.
    pub other: Option<Binding>,
    /// Why it does not run, if it does not.
    pub skipped: Option<Reason>,
}

impl Trial {
    /// The sections of its requirements, each once.
    pub(crate) fn sections(&self) -> String {
        let mut seen = BTreeSet::new();
        let parts: Vec<&str> = self
            .requirements
            .iter()
            .flat_map(|requirement| requirement.section.split(','))
            .map(str::trim)
            .filter(|section| seen.insert(*section))
            .collect();
        parts.join(", ")
    }

    /// The kind of input of one of its steps. Where the fuzzer has made its case, that is the requirement that it violates first of
    /// all.
    pub(crate) fn input(&self, step: &Step) -> Input {
        let first = self.requirements.iter().min_by_key(|requirement| requirement.weight());
        match (self.case.area(), first) {
            (FUZZED, Some(first)) => Input::named(&first.id.value),
            _ => Input::of_step(step, &self.case.id),
        }
    }

    /// Whether it talks to the agent over this interface.
    pub(crate) fn talks_over(&self, interface: usize) -> bool {
        self.skipped.is_none() && (self.interface == interface || self.second == Some(interface))
    }

    /// What it runs over: `jsonrpc`, or `jsonrpc+grpc` where it runs across two.
    pub fn bindings(&self) -> String {
        match self.other {
            Some(other) => format!("{}+{other}", self.binding),
            None => self.binding.to_string(),
        }
    }

    /// Its result, of which nothing has been seen yet.
    pub(crate) fn result(&self, verdict: Verdict, reason: Option<Reason>, findings: Vec<Finding>) -> TrialResult {
        TrialResult {
            case: self.case.id.clone(),
            title: self.case.title.clone(),
            requirements: self.requirements.iter().map(|requirement| requirement.id.value.clone()).collect(),
            level: self.level,
            section: self.sections(),
            profile: self.profile.clone(),
            binding: self.bindings(),
            verdict,
            reason,
            held: Vec::new(),
            violated: Vec::new(),
            findings,
            findings_left_out: 0,
            steps: Vec::new(),
            steps_left_out: 0,
            again: Vec::new(),
            without: None,
            foreign: self.case.foreign(),
            shards: BTreeMap::new(),
            times: None,
        }
    }

    /// Its result where it did not run, or not to its end.
    pub(crate) fn without_findings(&self, verdict: Verdict, reason: Reason) -> TrialResult {
        self.result(verdict, Some(reason), Vec::new())
    }

    /// How strongly what was violated is demanded, or the case where nothing was. An assertion is demanded by the strongest of
    /// the requirements that it decides, or as strongly as the case where it decides none.
    pub(crate) fn level_of(&self, violated: &[String]) -> Level {
        let level = |assertion: &String| {
            let decided = self.requirements.iter().filter(|one| one.is_violated_by(&self.case.id, assertion));
            decided.map(|requirement| requirement.weight()).min().unwrap_or(self.level)
        };
        violated.iter().map(level).min().unwrap_or(self.level)
    }

    /// Assertions by the names that the requirements use: of those below an oracle's own, which are as many as an answer has
    /// places, only what a requirement names, and for one that names the whole case the objects.
    /// What was violated above such a place keeps it from holding: a text in place of an object has no member that is right.
    pub(crate) fn as_named(&self, held: Vec<String>, violated: &[String]) -> Vec<String> {
        let known = self.case.assertions();
        // One of several allowed errors; the answer does not show which.
        let is_some_error = |name: &str| name == "error" || name.ends_with(".error");
        let (mut named, below): (Vec<String>, Vec<String>) =
            held.into_iter().partition(|name| known.contains(name) || is_some_error(name));
        for check in self.requirements.iter().flat_map(|requirement| requirement.checks_of(&self.case.id)) {
            let Some(name) = check.name() else {
                // Whatever held shows something of a case that decides as a whole: the objects are enough, without their members. An
                // object that is wrong itself does not hold, whatever its members are.
                let objects: BTreeSet<&str> = below.iter().filter_map(|name| name.split('/').next()).collect();
                let is_new = |object: &&str| named.iter().chain(violated).all(|known| known != object);
                let new: Vec<&str> = objects.into_iter().filter(is_new).collect();
                named.extend(new.into_iter().map(str::to_owned));
                continue;
            };
            let is_spoiled = violated.iter().any(|name| check.is_below(name));
            if !is_spoiled && below.iter().any(|name| check.covers(name)) && !named.iter().any(|known| known == name) {
                named.push(name.to_owned());
            }
        }
        named
    }

    /// Whether it is to judge the whole run by this oracle.
    pub(crate) fn judges_by(&self, oracle: &str) -> bool {
        self.skipped.is_none() && matches!(&self.case.action, Action::Observe(call) if call.name == oracle)
    }

    /// Whether it waits for something that the agent posts.
    pub fn receives(&self) -> bool {
        self.skipped.is_none() && !self.case.webhooks.is_empty()
    }

    /// Whether it judges the whole run instead of talking.
    pub fn observes(&self) -> bool {
        matches!(self.case.action, Action::Observe(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Library;
    use crate::plan::level;
    use crate::profile::{self, Profile};

    /// A trial of a case of the program, with these requirements.
    fn trial(case: &str, requirements: &[(&str, &str)]) -> Trial {
        let profiles = profile::bundled().unwrap();
        let known: Vec<&Profile> = profiles.iter().map(AsRef::as_ref).collect();
        let library = Library::load(None, &known, &[]).unwrap();
        let read = |(level, check): &(&str, &str)| {
            let entry = format!("{{ id: r-1, section: '1', level: {level}, text: it, cases: [{check:?}] }}");
            Arc::new(crate::yaml::read::<Requirement>("r.yaml", &entry).unwrap())
        };
        let requirements: Vec<Arc<Requirement>> = requirements.iter().map(read).collect();
        let case = Arc::clone(library.cases.get(case).unwrap());
        Trial {
            level: level(&case, &requirements),
            case,
            requirements,
            interface: 0,
            second: None,
            profile: "1.0".to_owned(),
            binding: Binding::Jsonrpc,
            other: None,
            skipped: None,
        }
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_violation_counts_as_much_as_what_it_decides() {
        let one = trial("get/unknown-id", &[("MUST", "get/unknown-id#refused"), ("SHOULD", "get/unknown-id#error")]);
        assert_eq!(one.level, Level::Must);
        for (violated, level) in [
            (&["refused"][..], Level::Must),
            (&["error"], Level::Should),
            (&["error", "refused"], Level::Must),
            (&["of no requirement"], Level::Must),
            (&["error", "of no requirement"], Level::Must),
            (&[], Level::Must),
        ] {
            assert_eq!(one.level_of(&names(violated)), level, "{violated:?}");
        }
    }

    #[test]
    fn of_what_an_oracle_has_seen_only_what_requirements_name_is_told() {
        let named =
            [("MUST", "card/valid#card-valid:/skills/*/id"), ("MUST", "card/valid#card-valid:/securitySchemes")];
        let seen = names(&["card-valid:/skills", "card-valid:/skills/0/id", "card-valid:/skills/1/id", "card-valid:"]);
        assert_eq!(trial("card/valid", &named).as_named(seen.clone(), &[]), ["card-valid:/skills/*/id"]);
        let spoiled = names(&["card-valid:/skills/2"]);
        assert!(trial("card/valid", &named).as_named(seen, &spoiled).is_empty());
        let one = trial("get/unknown-id", &[("MUST", "get/unknown-id")]);
        let held = ["refused", "error:TaskNotFoundError"];
        assert_eq!(one.as_named(names(&held), &[]), held);
        let itself = trial("card/valid", &[("MUST", "card/valid#card-valid:/skills$")]);
        assert_eq!(
            itself.as_named(names(&["card-valid:/skills", "card-valid:/skills/0/id"]), &[]),
            ["card-valid:/skills"]
        );
    }
}
