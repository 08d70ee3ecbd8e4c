//! The sets of requirements: every check is in one, so that a gate can leave it out, and nothing that was published disappears.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use a2aspec::case::{Library, Requirement, Sets};

/// Where the files of the sets are.
const FOLDER: &str = "cases/sets";

/// Names the set of the next release, whose file is then written.
const UPDATE: &str = "A2ASPEC_SET";

/// How a file begins.
const HEADING: &str = "\
# What came to the requirements with this set: each with its level and the cases that check it since then.
# A set that was released does not change. To add to the next one: docs/contributing/requirement.md
";

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn library() -> Library {
    let profiles = a2aspec::profile::bundled().expect("the profiles are right");
    let profiles: Vec<_> = profiles.iter().map(AsRef::as_ref).collect();
    Library::load(None, &profiles, &a2aspec::judge::oracle::all()).expect("the cases are right")
}

/// Every requirement, also those that became others.
fn requirements(library: &Library) -> BTreeMap<&str, &Requirement> {
    let entries = library.catalogues.values().flat_map(|catalogue| &catalogue.requirements);
    entries.map(|requirement| (requirement.id.value.as_str(), requirement.as_ref())).collect()
}

/// The month of the last release in a changelog: sets until then are published.
fn last_release(changelog: &str) -> Option<&str> {
    let releases = changelog.lines().filter_map(|line| line.strip_prefix("## [")?.split_once("] - ")?.1.get(..7));
    releases.max()
}

/// What is wrong with the sets, each with what to do.
fn mistakes(library: &Library, sets: &Sets, next: &str) -> Vec<String> {
    let known = requirements(library);
    let is_new = |id: &&str| !sets.added.values().flatten().any(|added| added.requirement == **id);
    let new: Vec<&str> = known.keys().copied().filter(is_new).collect();
    let checks = known.values().flat_map(|one| one.case_ids().into_iter().map(|case| (one.id.value.as_str(), case)));
    let unlisted: Vec<(&str, &str)> = checks.filter(|(id, case)| sets.since(id, case).is_none()).collect();
    let mut wrong = Vec::new();
    if !new.is_empty() || !unlisted.is_empty() {
        wrong.push(format!(
            "{} requirements and {} checks are in no set of requirements: gates that name an older set could not leave \
             them out. Add them to that of the next release with `{UPDATE}={next} cargo test --test data sets::`: \
             {new:?} {unlisted:?}",
            new.len(),
            unlisted.len()
        ));
    }
    for (name, added) in sets.added.iter().flat_map(|(name, all)| all.iter().map(move |added| (name, added))) {
        let id = &added.requirement;
        let Some(now) = known.get(id.as_str()) else {
            wrong.push(format!(
                "{id} was published in {name} and is in no catalogue: bring it back, as it was or with `renamed-to`"
            ));
            continue;
        };
        if now.level < added.level {
            wrong.push(format!(
                "{id} was {} in {name} and is {}: a gate that names {name} would fail by it. Give it a new id, and let \
                 the old one be as it was",
                added.level, now.level
            ));
        }
        for case in added.cases.iter().filter(|case| !library.cases.contains_key(*case)) {
            wrong.push(format!(
                "{case} was published in {name} and is no case: under another id it would not count for gates that name \
                 {name}. Bring it back, or take it out of {FOLDER}/{name}.yaml if its verdict was wrong"
            ));
        }
    }
    wrong
}

/// Writes the set of the next release: all that older ones lack.
fn write(library: &Library, sets: &Sets, next: &str) {
    let older = |id: &str, case: &str| sets.since(id, case).filter(|since| *since < next).is_some();
    let is_known = |id: &str| {
        let mut all = sets.added.iter().filter(|(name, _)| name.as_str() < next).flat_map(|(_, added)| added);
        all.any(|added| added.requirement == id)
    };
    let mut text = format!("{HEADING}set: \"{next}\"\nadds:\n");
    for (id, requirement) in requirements(library) {
        let cases: BTreeSet<&str> = requirement.case_ids().into_iter().filter(|case| !older(id, case)).collect();
        if !cases.is_empty() || !is_known(id) {
            let words: Vec<String> =
                std::iter::once(requirement.level.to_string()).chain(cases.into_iter().map(str::to_owned)).collect();
            text.push_str(&format!("  {id}: {}\n", words.join(" ")));
        }
    }
    std::fs::create_dir_all(path(FOLDER)).unwrap();
    std::fs::write(path(FOLDER).join(format!("{next}.yaml")), text).expect("the set can be written");
}

/// Users pin ids and sets: whatever is published stays, and what is new is in a set of its own.
#[test]
fn every_check_is_in_a_set_and_nothing_disappears() {
    let library = library();
    let sets = library.sets().expect("the sets are right");
    let changelog = std::fs::read_to_string(path("CHANGELOG.md")).unwrap();
    let published = last_release(&changelog).unwrap_or_default();
    let newest = sets.names().last().filter(|name| *name > published);
    if let Some(next) = std::env::var_os(UPDATE) {
        let next = next.into_string().unwrap();
        assert!(next.as_str() > published, "the set {next} is released: name that of the next release");
        assert!(sets.names().all(|name| name <= next.as_str()), "there is a newer set than {next}");
        write(&library, &sets, &next);
        return;
    }
    let wrong = mistakes(&library, &sets, newest.unwrap_or("YYYY-MM"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_release_closes_the_sets_until_then() {
    let changelog = "## [Unreleased]\n\n## [0.2.0] - 2027-03-09\n\n## [0.1.0] - 2026-12-20\n";
    assert_eq!(last_release(changelog), Some("2027-03"));
    assert_eq!(last_release("## [Unreleased]\n"), None);
}

/// A library whose sets lack something, and have something that is gone.
#[test]
fn whatever_is_missing_or_gone_is_found() {
    let catalogue = "catalogue: '1.0'\ntitle: A2A 1.0\nsource: none\nrequirements:\n\
         - { id: 1.0-1-1, section: '1', level: MUST, text: one, cases: [get/a, get/b] }\n\
         - { id: 1.0-1-2, section: '1', level: SHOULD, text: two, cases: [get/b] }\n\
         - { id: 1.0-1-3, section: '1', level: MUST, text: three, renamed-to: 1.0-1-2 }\n";
    let case = |id: &str| {
        format!(
            "- {{ id: {id}, title: t, why: w, right: r, wrong: w, fix: f, steps: [{{ call: GetTask, with: {{ id: \
             '${{unknown-id}}' }}, expect: {{ outcome: [TaskNotFoundError] }} }}] }}\n"
        )
    };
    let with = |set: &str| {
        let source = |file: &str, text: &str| a2aspec::case::Source { file: file.into(), text: text.into() };
        let texts = vec![
            source("x/get/get.yaml", &format!("cases:\n{}{}", case("get/a"), case("get/b"))),
            source("x/requirements/1.0.yaml", catalogue),
            source("x/sets/2026-12.yaml", &format!("set: '2026-12'\nadds: {{ {set} }}\n")),
        ];
        let profiles = a2aspec::profile::bundled().unwrap();
        let profiles: Vec<_> = profiles.iter().map(AsRef::as_ref).collect();
        let library = Library::read(texts, &profiles, &[]).unwrap_or_else(|(wrong, _)| panic!("{wrong:?}"));
        let sets = library.sets().unwrap();
        mistakes(&library, &sets, "2026-12")
    };
    let whole = "1.0-1-1: MUST get/a get/b, 1.0-1-2: SHOULD, 1.0-1-3: MUST get/b";
    assert_eq!(with(whole), Vec::<String>::new());
    for (set, expected) in [
        ("1.0-1-1: MUST get/a, 1.0-1-2: SHOULD get/b, 1.0-1-3: MUST", "0 requirements and 1 checks are in no set"),
        ("1.0-1-1: MUST get/a get/b, 1.0-1-3: MUST get/b", "1 requirements and 0 checks are in no set"),
        (&format!("{whole}, 1.0-1-4: MUST"), "1.0-1-4 was published in 2026-12 and is in no catalogue"),
        (&whole.replacen("MUST get/a", "SHOULD get/a", 1), "1.0-1-1 was SHOULD in 2026-12 and is MUST"),
        (&whole.replacen("get/a", "get/a get/c", 1), "get/c was published in 2026-12 and is no case"),
    ] {
        let wrong = with(set);
        assert!(wrong.len() == 1 && wrong[0].contains(expected), "{set}: {wrong:?}");
    }
}
