//! What a case file or a catalogue can get wrong although each part of it reads well.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::requirement::{Binds, Catalogue, Requirement, Visible};
use super::{Act, Action, Case, Library, Outcome, Side, Step, reference};
use crate::profile::Profile;
use crate::yaml::Mistake;

/// References that every step may use, besides fixtures and earlier steps.
const BUILT_IN: [&str; 6] = ["unique", "unknown-id", "method", "route", "interface", "card"];

/// Two cases with one id.
pub(super) fn duplicate(case: &Case, twin: &Case) -> Mistake {
    at(case, format!("the id `{}` is taken", case.id)).help(format!("it is also in {}", twin.file))
}

/// A catalogue whose name is not its file's.
pub(super) fn catalogue_name(file: &str, catalogue: &Catalogue) -> Option<Mistake> {
    let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    (stem != catalogue.catalogue).then(|| {
        Mistake::whole(file, format!("the catalogue calls itself `{}`, its file `{stem}`", catalogue.catalogue))
    })
}

/// Everything that shows only when all files are known.
pub(super) fn library(library: &Library, profiles: &[&Profile], oracles: &[&str]) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    let errors: BTreeSet<&str> =
        profiles.iter().flat_map(|profile| profile.facts.errors.keys().map(String::as_str)).collect();
    let requirements = library.catalogues.values().flat_map(|catalogue| &catalogue.requirements);
    let named: BTreeSet<&str> =
        requirements.flat_map(|requirement| &requirement.cases).map(|case| case.value.as_str()).collect();
    for case in library.cases.values() {
        check_id(case, named.contains(case.id.as_str()), &mut mistakes);
        check_names(case, &mut mistakes);
        check_outcomes(case, &errors, &mut mistakes);
        check_oracles(case, oracles, &mut mistakes);
        check_sides(case, &mut mistakes);
        check_walks(case, &mut mistakes);
        if let Some(own) = &case.own {
            for profile in own.profiles.iter().filter(|name| !profiles.iter().any(|known| known.name() == *name)) {
                mistakes.push(at(case, format!("no such profile: `{profile}`")));
            }
        }
    }
    check_catalogues(library, profiles, &mut mistakes);
    mistakes
}

fn at(case: &Case, message: impl Into<String>) -> Mistake {
    Mistake { offset: case.offset, ..Mistake::whole(&case.file, message) }
}

fn at_step(case: &Case, step: &Step, message: impl Into<String>) -> Mistake {
    Mistake { offset: step.offset.or(case.offset), ..Mistake::whole(&case.file, message) }
}

fn check_id(case: &Case, is_named: bool, mistakes: &mut Vec<Mistake>) {
    let is_segment = |segment: &str| {
        !segment.is_empty()
            && !segment.starts_with('-')
            && !segment.ends_with('-')
            && segment.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    if case.id.split('/').count() < 2 || !case.id.split('/').all(is_segment) {
        let message = format!("the id `{}` is not a kebab-case path of two segments or more", case.id);
        mistakes.push(at(case, message).help("such as `get/unknown-id`"));
    }
    let folder = Path::new(&case.file).parent().and_then(Path::file_name).and_then(|name| name.to_str());
    // Where a user keeps cases of their own is their affair.
    if is_named && folder != Some(case.area()) {
        mistakes.push(at(case, format!("the area of `{}` is not its folder `{}`", case.id, folder.unwrap_or(""))));
    }
    if let Some(both) = case.needs.iter().find(|capability| case.without.contains(capability)) {
        mistakes.push(at(case, format!("`{both}` is both needed and unwanted")));
    }
}

/// References and names of streams must exist before they are used.
fn check_names(case: &Case, mistakes: &mut Vec<Mistake>) {
    let Action::Steps(steps) = &case.action else { return };
    let mut known: BTreeSet<String> = BUILT_IN.iter().map(|name| (*name).to_owned()).collect();
    known.extend(case.given.keys().cloned());
    let mut open = BTreeSet::new();
    for step in steps {
        let inner: Vec<&Step> = step.with_inner();
        for step in &inner {
            let names: Vec<String> =
                step.references().iter().map(|reference| reference::name(reference).to_owned()).collect();
            for name in names.into_iter().filter(|name| !known.contains(name)) {
                // A step's own answer may be named in its own expectation.
                if step.name.as_ref() != Some(&name) {
                    mistakes.push(at_step(case, step, format!("nothing before this step is called `{name}`")));
                }
            }
            match &step.act {
                Act::Open(_) => match &step.name {
                    Some(name) => {
                        open.insert(name.clone());
                    }
                    None => mistakes.push(at_step(case, step, "an open stream needs a name: `as`")),
                },
                Act::Drain(name) | Act::Close(name) if !open.contains(name) => {
                    mistakes.push(at_step(case, step, format!("no stream is open under the name `{name}`")));
                }
                _ => {}
            }
        }
        for step in inner {
            known.extend(step.name.clone());
        }
    }
}

fn check_outcomes(case: &Case, errors: &BTreeSet<&str>, mistakes: &mut Vec<Mistake>) {
    for step in case.all_steps() {
        for outcome in step.expect.iter().flat_map(|expect| &expect.outcome) {
            if let Outcome::Error(name) = outcome
                && !errors.contains(name.as_str())
            {
                let known: Vec<&str> = errors.iter().copied().collect();
                mistakes.push(at_step(case, step, format!("no such outcome: `{name}`")).help(format!(
                    "there are result, refusal, http-refusal, nothing, http, grpc, {}",
                    known.join(", ")
                )));
            }
        }
    }
}

/// There is a second binding only in a case that runs across two, and there it is for something.
fn check_sides(case: &Case, mistakes: &mut Vec<Mistake>) {
    let second = case.all_steps().into_iter().find(|step| step.over == Side::Second);
    match (case.across, second) {
        (false, Some(step)) => {
            mistakes
                .push(at_step(case, step, "there is no second binding").help("`across: true` runs a case over two"));
        }
        (true, None) => mistakes.push(at(case, "a case that runs across two bindings does a step `over: second`")),
        _ => {}
    }
}

/// An agent may hold any number of tasks: a walk keeps to one context, or says when it has seen enough.
fn check_walks(case: &Case, mistakes: &mut Vec<Mistake>) {
    for step in case.all_steps() {
        if let Act::Walk(walk) = &step.act
            && walk.with.get("contextId").is_none()
            && walk.until.is_empty()
        {
            mistakes.push(
                at_step(case, step, "a walk over the tasks of every context has no bound")
                    .help("give it a `contextId`, or say with `until` when it has seen enough"),
            );
        }
    }
}

fn check_oracles(case: &Case, oracles: &[&str], mistakes: &mut Vec<Mistake>) {
    let observed = match &case.action {
        Action::Observe(oracle) => Some(oracle),
        Action::Steps(_) => None,
    };
    for oracle in case.holds.iter().chain(observed) {
        if !oracles.contains(&oracle.name.as_str()) {
            let message = format!("no such oracle: `{}`", oracle.name);
            mistakes.push(
                Mistake { offset: oracle.offset.or(case.offset), ..Mistake::whole(&case.file, message) }
                    .help(format!("there are {}", oracles.join(", "))),
            );
        }
    }
}

fn check_catalogues(library: &Library, profiles: &[&Profile], mistakes: &mut Vec<Mistake>) {
    let mut ids: BTreeMap<&str, &str> = BTreeMap::new();
    let mut named: BTreeSet<&str> = BTreeSet::new();
    for catalogue in library.catalogues.values() {
        let file = library.catalogue_file(&catalogue.catalogue);
        for include in &catalogue.includes {
            if !library.catalogues.contains_key(&include.value) {
                mistakes.push(Mistake::at(
                    &file,
                    include.referenced,
                    format!("no such catalogue: `{}`", include.value),
                ));
            }
        }
        for requirement in &catalogue.requirements {
            let id = &requirement.id;
            if ids.insert(&id.value, &catalogue.catalogue).is_some() {
                mistakes.push(Mistake::at(&file, id.referenced, format!("the id `{}` is taken", id.value)));
            }
            if !id.value.starts_with(&format!("{}-", catalogue.catalogue)) {
                let message = format!("the id `{}` does not begin with `{}-`", id.value, catalogue.catalogue);
                mistakes.push(Mistake::at(&file, id.referenced, message));
            }
            if requirement.visible != Visible::Yes && requirement.because.is_none() {
                let message = "a statement that cannot be seen wholly says why: `because`";
                mistakes.push(Mistake::at(&file, id.referenced, message));
            }
            check_renaming(library, &file, requirement, mistakes);
            check_unseen(&file, requirement, mistakes);
            for case in &requirement.cases {
                if !library.cases.contains_key(&case.value) {
                    mistakes.push(Mistake::at(&file, case.referenced, format!("no such case: `{}`", case.value)));
                }
                named.insert(&case.value);
            }
        }
    }
    for case in library.cases.values() {
        match (named.contains(case.id.as_str()), &case.own) {
            (false, None) => mistakes.push(
                at(case, format!("no catalogue names `{}`, so it never runs", case.id))
                    .help("name it in cases/requirements, or give it a `level` of its own"),
            ),
            (true, Some(_)) => mistakes.push(at(case, "a case that a catalogue names takes its level from there")),
            _ => {}
        }
    }
    for profile in profiles {
        check_operations(library, profile, mistakes);
    }
}

/// What nobody sees is not looked at, with whatever equipment; nor is what clients do.
fn check_unseen(file: &str, requirement: &Requirement, mistakes: &mut Vec<Mistake>) {
    let id = &requirement.id;
    let mut wrong = |message: &str| mistakes.push(Mistake::at(file, id.referenced, message));
    if requirement.visible == Visible::No && !requirement.needs.is_empty() {
        wrong("a statement that cannot be seen does not come to be seen by what it `needs`");
    }
    if requirement.visible == Visible::No && !requirement.cases.is_empty() {
        wrong("a statement that cannot be seen has no cases; what they see of it makes it `partly` visible");
    }
    if requirement.binds == Binds::Client && !requirement.cases.is_empty() {
        wrong("a statement that binds clients has no cases: it is servers that are checked");
    }
}

/// An id that became another leads to a statement, in one step, and is none itself.
fn check_renaming(library: &Library, file: &str, old: &Requirement, mistakes: &mut Vec<Mistake>) {
    let Some(new) = &old.renamed_to else { return };
    if !(old.cases.is_empty() && old.needs.is_empty() && old.because.is_none() && old.visible == Visible::Yes) {
        let message = format!("`{}` is `{}` now: what is checked, and how, is said there", old.id.value, new.value);
        mistakes.push(
            Mistake::at(file, old.id.referenced, message)
                .help("leave out `cases`, `needs`, `visible` and `because` beside `renamed-to`"),
        );
    }
    match library.requirement(&new.value) {
        None => {
            let message = format!("no such requirement: `{}`", new.value);
            mistakes.push(Mistake::at(file, new.referenced, message));
        }
        Some(Requirement { renamed_to: Some(newest), .. }) => {
            let message = format!("`{}` was renamed itself", new.value);
            mistakes.push(
                Mistake::at(file, new.referenced, message).help(format!("name what it became: `{}`", newest.value)),
            );
        }
        Some(_) => {}
    }
}

/// A profile must not be asked for operations that it does not have.
fn check_operations(library: &Library, profile: &Profile, mistakes: &mut Vec<Mistake>) {
    let applied: BTreeSet<&str> = library.checks(profile.name()).iter().map(|check| check.case.id.as_str()).collect();
    for case in applied.into_iter().filter_map(|id| library.cases.get(id)) {
        for step in case.all_steps() {
            let operation = step.act.operation();
            if let Some(operation) = operation.filter(|operation| profile.operation(*operation).is_none()) {
                let message =
                    format!("the catalogue of {} names this case, but {} is not there", profile.name(), operation);
                mistakes.push(at_step(case, step, message));
            }
        }
    }
}

impl Library {
    fn catalogue_file(&self, name: &str) -> String {
        self.catalogue_files.get(name).cloned().unwrap_or_else(|| format!("{name}.yaml"))
    }
}
