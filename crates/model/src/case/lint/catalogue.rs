//! What a catalogue can get wrong although each part of it reads well.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::Lint;
use crate::case::convert::inner;
use crate::case::requirement::{Binds, Catalogue, Requirement, Visible};
use crate::case::{CheckRef, Library, Role};
use crate::diagnostic::near;
use crate::diagnostic::words::list;
use crate::profile::Profile;
use crate::yaml::tree::Part;
use crate::yaml::{Mistake, Placed};

/// A catalogue whose name is not its file's.
pub fn name(file: &str, catalogue: &Catalogue) -> Option<Mistake> {
    let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    (stem != catalogue.catalogue).then(|| {
        Mistake::whole(file, format!("the catalogue calls itself `{}`, its file `{stem}`", catalogue.catalogue))
    })
}

impl Lint<'_> {
    /// What catalogues say, of themselves and of the cases.
    pub(super) fn check_catalogues(&mut self) {
        let library = self.library;
        let mistakes = &mut self.mistakes;
        let mut ids: BTreeMap<&str, &str> = BTreeMap::new();
        let mut named: BTreeSet<&str> = BTreeSet::new();
        for catalogue in library.catalogues.values() {
            let file = library.catalogue_file(&catalogue.catalogue);
            for include in &catalogue.includes {
                if !library.catalogues.contains_key(&include.value) {
                    let help = near::help(&include.value, library.catalogues.keys().map(String::as_str));
                    let message = format!("no such catalogue: `{}`", include.value);
                    mistakes.push(Mistake { help, ..Mistake::at(&file, include, message) });
                }
            }
            for requirement in &catalogue.requirements {
                let id = &requirement.id;
                if ids.insert(&id.value, &catalogue.catalogue).is_some() {
                    mistakes.push(Mistake::at(&file, id, format!("the id `{}` is taken", id.value)));
                }
                if !id.value.starts_with(&format!("{}-", catalogue.catalogue)) {
                    let message = format!("the id `{}` does not begin with `{}-`", id.value, catalogue.catalogue);
                    mistakes.push(Mistake::at(&file, id, message));
                }
                if requirement.visible != Visible::Yes && requirement.because.is_none() {
                    let message = "a requirement that cannot be seen wholly says why: `because`";
                    mistakes.push(Mistake::at(&file, id, message));
                }
                check_renaming(library, &file, requirement, mistakes);
                check_unseen(&file, requirement, mistakes);
                mistakes.extend(check_bound(library, &file, requirement));
                mistakes.extend(check_kind(library, &file, requirement));
                mistakes.extend(check_preconditions(library, &file, requirement));
                for check in &requirement.cases {
                    mistakes.extend(check_check(library, &file, check));
                    mistakes.extend(check_errors(library, &file, requirement, check));
                    named.insert(&check.value.case);
                }
            }
        }
        for case in library.cases.values() {
            let id = inner(&case.at, "id");
            match (named.contains(case.id.as_str()), &case.own) {
                (false, None) => {
                    let message = format!("no catalogue names `{}`, so it never runs", case.id);
                    let help = "name it in cases/requirements, or give it a `level` of its own";
                    self.wrong(case, &id, &Part::Value, message, Some(help.to_owned()));
                }
                (true, Some(_)) => {
                    let message = "a case that a catalogue names takes its level from there";
                    self.wrong(case, &inner(&case.at, "level"), &Part::Name, message, None);
                }
                _ => {}
            }
        }
        for profile in self.profiles {
            self.check_operations(profile);
        }
    }

    /// A profile must not be asked for operations that it does not have.
    fn check_operations(&mut self, profile: &Profile) {
        let library = self.library;
        let checks = library.checks(profile.name());
        let applied: BTreeSet<&str> = checks.iter().map(|check| check.case.id.as_str()).collect();
        for case in applied.into_iter().filter_map(|id| library.cases.get(id)) {
            for step in case.all_steps() {
                let operation = step.act.operation();
                if let Some(operation) = operation.filter(|operation| profile.operation(*operation).is_none()) {
                    let message =
                        format!("the catalogue of {} names this case, but {} is not there", profile.name(), operation);
                    self.wrong(case, &step.at, &Part::Value, message, None);
                }
            }
        }
    }
}

/// A check leads to a case, and to an assertion that it makes.
fn check_check(library: &Library, file: &str, check: &Placed<CheckRef>) -> Option<Mistake> {
    let name = &check.value.case;
    let Some(case) = library.cases.get(name) else {
        let near = near::nearest(name, library.cases.keys().map(String::as_str));
        let mistake = Mistake::at(file, check, format!("no such case: `{name}`"));
        return Some(Mistake { help: near.map(|near| format!("did you mean `{near}`?")), ..mistake });
    };
    let assertions = case.assertions();
    let wanted = check.value.assertion.as_deref()?;
    if assertions.iter().any(|known| check.value.covers(known)) || case.asserts_place(wanted) {
        return None;
    }
    let mistake = Mistake::at(file, check, format!("the case `{name}` asserts no `{wanted}`"));
    let near = near::nearest(wanted, assertions.iter().map(String::as_str));
    Some(mistake.help(match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("it asserts {}", list(&assertions)),
    }))
}

/// Of a requirement that names an error, more is checked than that there is a result, that the request is refused by whatever
/// error, or what a result holds: none of these tells one error from another.
fn check_kind(library: &Library, file: &str, requirement: &Requirement) -> Option<Mistake> {
    let named = errors_named_in(&requirement.text).next()?;
    let tells_errors_apart = |check: &Placed<CheckRef>| {
        let Some(case) = library.cases.get(&check.value.case) else { return true };
        case.assertions().iter().filter(|assertion| check.value.covers(assertion)).any(|assertion| {
            let own = assertion.rsplit_once('.').map_or(assertion.as_str(), |(_, own)| own);
            !matches!(own, "result" | "refused") && !own.starts_with('/')
        })
    };
    if requirement.cases.is_empty() || requirement.cases.iter().any(tells_errors_apart) {
        return None;
    }
    let id = &requirement.id;
    let message =
        format!("`{}` speaks of {named}, and is decided by nothing that tells one error from another", id.value);
    let help = "name an `error`, an `error-at:`, `http:` or `grpc:` condition, or an oracle of its cases";
    Some(Mistake::at(file, id, message).help(help))
}

/// A requirement is decided by more than that earlier steps of its cases have results: these are what the later ones need.
fn check_preconditions(library: &Library, file: &str, requirement: &Requirement) -> Option<Mistake> {
    let is_precondition = |check: &Placed<CheckRef>| {
        let step = check.value.assertion.as_deref().and_then(|assertion| assertion.strip_suffix(".result"));
        let Some((step, case)) = step.zip(library.cases.get(&check.value.case)) else { return false };
        let of_step = format!("{step}.");
        case.assertions().last().is_some_and(|last| !last.starts_with(&of_step))
    };
    let first = requirement.cases.first()?;
    if !requirement.cases.iter().all(is_precondition) {
        return None;
    }
    let message = format!("`{}` is decided by nothing but what later steps need", requirement.id.value);
    Some(Mistake::at(file, first, message).help("name what the last step asserts, or an assertion about the result"))
}

/// Of a requirement that names errors, a case that allows others beside them decides by those that are named only: another
/// does not show that the requirement holds.
fn check_errors(library: &Library, file: &str, requirement: &Requirement, check: &Placed<CheckRef>) -> Option<Mistake> {
    let named: Vec<&str> = errors_named_in(&requirement.text).filter(|name| name.ends_with("Error")).collect();
    let assertions = library.cases.get(&check.value.case)?.assertions();
    let decides = assertions.iter().filter(|assertion| check.value.covers(assertion));
    let errors = || decides.clone().filter_map(|assertion| assertion.rsplit_once("error:").map(|(_, error)| error));
    let is_named = |error: &&str| named.contains(error);
    let other = errors().find(|error| !is_named(error))?;
    let wanted = errors().find(is_named)?;
    let message = format!("`{}` speaks of {wanted}, and holds here by {other} as well", requirement.id.value);
    let help = format!("name `{}#error:{wanted}`, with the step before it where there are several", check.value.case);
    Some(Mistake::at(file, check, message).help(help))
}

/// The errors of the protocol that a text names: `TaskNotFoundError`, `-32001`.
fn errors_named_in(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let is_code = |word: &str| word.strip_prefix("-32").is_some_and(|rest| rest.len() == 3);
    let is_name = |word: &str| word.len() > "Error".len() && word.ends_with("Error");
    words.filter(move |word| is_code(word) || is_name(word))
}

/// What nobody sees is not looked at, with whatever equipment.
fn check_unseen(file: &str, requirement: &Requirement, mistakes: &mut Vec<Mistake>) {
    let id = &requirement.id;
    let mut wrong = |message: &str| mistakes.push(Mistake::at(file, id, message));
    if requirement.visible == Visible::No && !requirement.needs.is_empty() {
        wrong("a requirement that cannot be seen does not come to be seen by what it `needs`");
    }
    if requirement.visible == Visible::No && !requirement.cases.is_empty() {
        wrong("a requirement that cannot be seen has no cases; what they see of it makes it `partly` visible");
    }
}

/// Who is bound is who is checked.
fn check_bound(library: &Library, file: &str, requirement: &Requirement) -> Option<Mistake> {
    let role = match requirement.binds {
        Binds::Server => Role::Agent,
        Binds::Client => Role::Client,
    };
    let is_of_others =
        |check: &&Placed<CheckRef>| library.cases.get(&check.value.case).is_some_and(|case| case.role() != role);
    let check = requirement.cases.iter().find(is_of_others)?;
    let message = match role {
        Role::Client => {
            format!("a requirement that binds clients is not decided by `{}`, a case about agents", check.value.case)
        }
        Role::Agent => {
            format!("a requirement that binds agents is not decided by `{}`, a case about clients", check.value.case)
        }
    };
    Some(Mistake::at(file, check, message))
}

/// An id that became another leads to a requirement, in one step, and is none itself.
fn check_renaming(library: &Library, file: &str, old: &Requirement, mistakes: &mut Vec<Mistake>) {
    let Some(new) = &old.renamed_to else { return };
    if !(old.cases.is_empty() && old.needs.is_empty() && old.because.is_none() && old.visible == Visible::Yes) {
        let message = format!("`{}` is `{}` now: what is checked, and how, is said there", old.id.value, new.value);
        mistakes.push(
            Mistake::at(file, &old.id, message)
                .help("leave out `cases`, `needs`, `visible` and `because` beside `renamed-to`"),
        );
    }
    match library.requirement(&new.value) {
        None => {
            let message = format!("no such requirement: `{}`", new.value);
            mistakes.push(Mistake::at(file, new, message));
        }
        Some(Requirement { renamed_to: Some(newest), .. }) => {
            let message = format!("`{}` was renamed itself", new.value);
            mistakes.push(Mistake::at(file, new, message).help(format!("name what it became: `{}`", newest.value)));
        }
        Some(_) => {}
    }
}

impl Library {
    fn catalogue_file(&self, name: &str) -> String {
        self.catalogue_files.get(name).cloned().unwrap_or_else(|| format!("{name}.yaml"))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;

    /// What a check says of a requirement with these cases.
    fn mistake(
        check: fn(&Library, &str, &Requirement) -> Option<Mistake>,
        text: &str,
        cases: &[&str],
    ) -> Option<String> {
        static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
            let profiles = crate::profile::bundled().unwrap();
            let known: Vec<&Profile> = profiles.iter().map(AsRef::as_ref).collect();
            Library::load(None, &known, &[]).unwrap()
        });
        let entry = format!("{{ id: r-1, section: '1', level: MUST, text: {text:?}, cases: {cases:?} }}");
        let requirement: Requirement = crate::yaml::read("r.yaml", &entry).unwrap();
        check(&LIBRARY, "r.yaml", &requirement).map(|mistake| mistake.message)
    }

    #[test]
    fn a_requirement_about_an_error_is_decided_by_what_tells_errors_apart() {
        let mistake = |text: &str, check: &str| mistake(check_kind, text, &[check]);
        let named = "It is refused with TaskNotFoundError.";
        let wanted = "`r-1` speaks of TaskNotFoundError, and is decided by nothing that tells one error from another";
        assert_eq!(mistake(named, "get/unknown-id#refused").as_deref(), Some(wanted));
        assert!(mistake("The code is -32001.", "get/existing#/id").is_some());
        assert_eq!(mistake(named, "get/unknown-id#error"), None);
        assert_eq!(mistake(named, "get/unknown-id"), None);
        assert_eq!(mistake("It is refused.", "get/unknown-id#refused"), None);
        assert_eq!(mistake("An Error has -32 bits.", "get/unknown-id#refused"), None);
    }

    #[test]
    fn a_requirement_is_decided_by_more_than_the_preconditions_of_its_cases() {
        let mistake = |checks: &[&str]| mistake(check_preconditions, "it", checks);
        let wanted = "`r-1` is decided by nothing but what later steps need";
        let (before, after) = (
            "push/deleted#DeleteTaskPushNotificationConfig.result",
            "push/delete-removes#ListTaskPushNotificationConfigs./configs",
        );
        assert_eq!(mistake(&[before]).as_deref(), Some(wanted));
        assert_eq!(mistake(&[before, after]), None);
        assert_eq!(mistake(&["get/existing#result"]), None);
        assert_eq!(mistake(&["push/deleted"]), None);
    }
}
