//! The catalogues are whole, and say so in a summary that is up to date.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::program;

use std::collections::BTreeSet;
use std::path::PathBuf;

use a2aspec::case::Library;
use a2aspec::coverage::{Coverage, State};
use serde_json::Value;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn document(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn library() -> Library {
    let profiles = a2aspec::profile::bundled().expect("the profiles are right");
    let profiles: Vec<_> = profiles.iter().map(AsRef::as_ref).collect();
    Library::load(None, &profiles, &a2aspec::judge::oracle::all()).expect("the cases are right")
}

#[test]
fn the_summary_is_up_to_date() {
    let ran = program::run(&["coverage"], &[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let page = document("docs/coverage.md");
    let mut lines = (1..).zip(ran.stdout.lines().zip(page.lines()));
    let difference = lines.find(|(_, (now, then))| now != then).map(|(number, (now, _))| format!(" {number}: {now}"));
    assert!(
        ran.stdout == page,
        "docs/coverage.md is stale; write it anew with `cargo run -q -- coverage > docs/coverage.md`. The first line \
         that differs is{}",
        difference.unwrap_or_else(|| " after the end of one of the two".to_owned()),
    );
}

/// Whatever can be seen with what the suite has is looked at.
#[test]
fn every_visible_requirement_has_a_case() {
    let coverage = Coverage::whole(&library(), &[]);
    let rows = coverage.parts.iter().flat_map(|part| &part.requirements);
    let open: Vec<String> = rows
        .filter(|row| row.state == State::NotChecked)
        .map(|row| format!("{} ({}): {}", row.id, row.level, row.because.as_deref().unwrap_or(&row.text)))
        .collect();
    assert!(
        open.is_empty(),
        "{} requirements of servers are visible, and no case looks. Name a case, or say what it `needs`, or that it is \
         not visible, and why:\n{}",
        open.len(),
        open.join("\n"),
    );
}

#[test]
fn every_case_checks_a_requirement() {
    let library = library();
    let checking: BTreeSet<String> = Coverage::whole(&library, &[]).cases.into_iter().map(|case| case.id).collect();
    let idle: Vec<&String> = library.cases.keys().filter(|id| !checking.contains(*id)).collect();
    assert!(idle.is_empty(), "no requirement of servers names {idle:?}");
}

#[test]
fn a_profile_has_what_it_builds_on_and_nothing_else() {
    let ran = program::run(&["coverage", "--profile", "0.3", "--report", "json"], &[]);
    let matrix: Value = serde_json::from_str(&ran.stdout).expect("it is JSON");
    let parts = matrix["parts"].as_array().expect("there are parts");
    let names: Vec<&str> = parts.iter().filter_map(|part| part["catalogue"].as_str()).collect();
    assert_eq!(
        names,
        ["0.3", "jsonrpc", "json", "sse", "http", "http1", "grpc", "robustness", "timestamp", "traceability", "ap2"]
    );
    let cases = matrix["cases"].as_array().expect("there are cases");
    assert!(cases.iter().all(|case| case["requirements"][0]["id"].is_string()));
}

#[test]
fn the_json_is_valid_against_its_schema() {
    let schema: Value = serde_json::from_str(&document("schemas/coverage.schema.json")).expect("the schema is JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("it is a schema");
    let ran = program::run(&["coverage", "--report", "json"], &[]);
    let matrix: Value = serde_json::from_str(&ran.stdout).expect("it is JSON");
    let errors: Vec<String> =
        validator.iter_errors(&matrix).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    for place in ["", "/summary", "/summary/must", "/equipment", "/parts/0", "/parts/0/sections/0", "/cases/0"] {
        let mut odd = matrix.clone();
        let place = odd.pointer_mut(place).expect(place);
        match place {
            Value::Object(members) => drop(members.insert("unknown".into(), Value::Null)),
            other => *other = Value::Null,
        }
        assert!(!validator.is_valid(&odd), "an unknown member is let through");
    }
}
