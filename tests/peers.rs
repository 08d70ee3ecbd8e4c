//! docs/peers.md places each check of the other kits once, and names cases and requirements that are there.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use a2aspec::case::{Library, Need};

const PAGE: &str = "docs/peers.md";

/// A row of the page.
struct Row<'a> {
    kit: &'a str,
    number: usize,
    id: &'a str,
    about: &'a str,
    ours: &'a str,
}

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The cells of a table's row.
fn cells(line: &str) -> Option<Vec<&str>> {
    let inside = line.strip_prefix("| ")?.strip_suffix(" |")?;
    Some(inside.split(" | ").collect())
}

/// The checks that the page places, in its order; a kit is a chapter.
fn rows(page: &str) -> Vec<Row<'_>> {
    let mut kit = "";
    let mut rows = Vec::new();
    for line in page.lines() {
        kit = line.strip_prefix("## ").unwrap_or(kit);
        let Some(cells) = cells(line) else { continue };
        let [number, id, about, ours] = cells[..] else { continue };
        if let Ok(number) = number.parse() {
            rows.push(Row { kit, number, id, about, ours });
        }
    }
    assert!(!rows.is_empty(), "{PAGE} has no rows");
    rows
}

/// What a text has between two of these marks.
fn marked<'a>(text: &'a str, mark: &str) -> Vec<&'a str> {
    text.split(mark).skip(1).step_by(2).collect()
}

/// The words for reasons: the first column of the table before the kits.
fn reasons(page: &str) -> Vec<&str> {
    let head = page.split("\n## ").next().unwrap_or_default();
    let rows = head.lines().filter_map(cells).skip(1);
    rows.filter_map(|cells| cells.first().map(|word| word.trim_end_matches(" …"))).collect()
}

/// The ids of requirements in a text: each begins with its catalogue.
fn named<'a>(text: &'a str, library: &Library) -> Vec<&'a str> {
    let words = text.split([' ', ',', ':', ';', '(', ')']).map(|word| word.trim_end_matches('.'));
    let is_id =
        |word: &&str| word.split_once('-').is_some_and(|(catalogue, _)| library.catalogues.contains_key(catalogue));
    words.filter(is_id).collect()
}

fn library() -> Library {
    let profiles = a2aspec::profile::bundled().expect("the profiles are right");
    let profiles: Vec<_> = profiles.iter().map(AsRef::as_ref).collect();
    Library::load(None, &profiles, &a2aspec::judge::oracle::all()).expect("the cases are right")
}

#[test]
fn every_check_is_placed_once() {
    const LIST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/peers/checks.tsv");
    let list = match std::fs::read_to_string(LIST) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            // Past the capture of a passing test's output, which nobody would see.
            std::io::stderr().write_all(b"not run: ../shared/peers is absent\n").expect("it can be said");
            return;
        }
        list => list.unwrap_or_else(|error| panic!("{LIST}: {error}")),
    };
    let checks = list.lines().skip(1).enumerate().map(|(index, line)| {
        let mut columns = line.split('\t');
        let kit_and_id = (columns.next().unwrap_or_default(), columns.next().unwrap_or_default());
        (index + 1, kit_and_id)
    });
    let checks: BTreeMap<usize, (&str, &str)> = checks.collect();
    let page = page();
    let rows = rows(&page);
    let placed: BTreeMap<usize, (&str, &str)> = rows.iter().map(|row| (row.number, (row.kit, row.id))).collect();
    let missing: Vec<_> = checks.iter().filter(|(number, check)| placed.get(number) != Some(check)).collect();
    assert!(missing.is_empty(), "{PAGE} lacks these checks, or has another kit or id there: {missing:?}");
    assert_eq!(rows.len(), checks.len(), "{PAGE} has a check twice, or one that no kit has");
}

#[test]
fn every_row_has_a_case_or_a_reason() {
    let page = page();
    let known = reasons(&page);
    assert!(known.contains(&"unseen") && known.contains(&"no rule"), "the reasons are read: {known:?}");
    for Row { number, about, ours, .. } in rows(&page) {
        let given = marked(ours, "**");
        let is_known = |reason: &&str| known.contains(reason) || reason.starts_with("needs ");
        let strange = given.iter().find(|reason| !is_known(reason));
        assert_eq!(strange, None, "no. {number} has a reason that {PAGE} does not explain");
        assert!(!given.is_empty() || ours.contains('`'), "no. {number} has neither a case nor a reason");
        assert!(!about.is_empty(), "no. {number} does not say what it is about");
    }
}

#[test]
fn what_is_named_is_there() {
    let library = library();
    let page = page();
    for Row { number, ours, .. } in rows(&page) {
        for case in marked(ours, "`") {
            assert!(library.cases.contains_key(case), "no. {number} names the case {case}, which is not there");
        }
        for id in named(ours, &library) {
            assert!(library.requirement(id).is_some(), "no. {number} names the requirement {id}, which is not there");
        }
    }
}

/// Where a row waits for equipment, the requirements that it names wait for the same.
#[test]
fn what_is_missing_is_catalogued() {
    let library = library();
    for Row { number, ours, .. } in rows(&page()) {
        let pieces: Vec<&str> = ours.split("**").collect();
        for pair in pieces.windows(2) {
            let [reason, after] = pair else { continue };
            let Some(need) = reason.strip_prefix("needs ") else { continue };
            let need: Need =
                serde_json::from_value(need.into()).unwrap_or_else(|error| panic!("no. {number}: {error}"));
            let waiting = named(after, &library);
            assert!(!waiting.is_empty(), "no. {number} names no requirement that needs {need}");
            for id in waiting {
                let needs = library.requirement(id).map(|requirement| requirement.needs.as_slice()).unwrap_or_default();
                assert!(needs.contains(&need), "no. {number}: {id} does not need {need}");
            }
        }
    }
}
