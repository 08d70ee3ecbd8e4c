//! The documents name what the program has: nothing is added that nobody is told of.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::expect_used, clippy::panic)]

#[path = "documents/cli.rs"]
mod cli;
#[path = "documents/commits.rs"]
mod commits;
#[path = "documents/spec_changes.rs"]
mod spec_changes;
#[path = "documents/supply.rs"]
mod supply;
#[path = "documents/words.rs"]
mod words;

use std::collections::BTreeSet;
use std::path::Path;

use a2aspec::case::{Catalogue, Library, Over, Requirement};
use a2aspec::profile::{Binding, facts, shape};
use a2aspec::report::Format;
use a2aspec::yaml;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::common::readings::{Reading, readings};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Explains catalogues.
const CATALOGUES: &str = "docs/contributing/requirement.md";

/// Explains profiles.
const PROFILES: &str = "docs/contributing/version.md";

/// Explains the case language.
const CASES: &str = "docs/cases.md";

fn document(name: &str) -> String {
    let path = Path::new(ROOT).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_oracle_is_explained() {
    let language = document(CASES);
    let missing: Vec<&str> = a2aspec::judge::oracle::all()
        .iter()
        .map(|oracle| oracle.name)
        .filter(|name| !language.contains(&format!("`{name}")))
        .collect();
    assert!(missing.is_empty(), "{CASES} does not explain {}", missing.join(", "));
}

/// What pipelines are told to say is what the program takes.
#[test]
fn every_flag_of_a_pipeline_is_one() {
    let program = a2aspec::cli::command();
    let flags = |command: &clap::Command| -> BTreeSet<String> {
        command.get_arguments().filter_map(clap::Arg::get_long).map(|flag| format!("--{flag}")).collect()
    };
    let of = |name: &str| flags(program.find_subcommand(name).expect("there is such a command"));
    let known: BTreeSet<String> = ["check", "merge", "init", "diff"].into_iter().flat_map(of).collect();
    let formats: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
    for (name, least) in [("action.yml", 5), ("docs/ci.md", 12), ("Dockerfile", 1)] {
        let text = document(name);
        // What other programs are told is theirs.
        let is_ours = |line: &&str| match line.split_once("a2aspec check") {
            Some((before, _)) => !before.contains("cargo "),
            None => !["cargo ", "docker ", "apk ", "--mount", "COPY ", "curl ", "jq ", "shasum "]
                .iter()
                .any(|other| line.contains(other)),
        };
        let lines =
            text.lines().filter(is_ours).map(|line| line.split_once("a2aspec check").map_or(line, |(_, own)| own));
        let words = lines.flat_map(|line| line.split(|c: char| c.is_whitespace() || "(`\"'".contains(c)));
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let named: BTreeSet<&str> = words
            .iter()
            // `--` ends the flags, and `-->` a comment.
            .filter(|word| word.starts_with("--") && !["--", "-->"].contains(word))
            .filter_map(|word| word.split(['=', ',', ')']).next())
            .collect();
        let unknown: Vec<&&str> = named.iter().filter(|flag| !known.contains(**flag)).collect();
        assert!(unknown.is_empty(), "{name} names {unknown:?}");
        assert!(named.len() >= least, "{name}: {named:?}");
        for (_, report) in words.iter().zip(words.iter().skip(1)).filter(|(flag, _)| **flag == "--report") {
            let format = report.split('=').next().unwrap_or_default();
            assert!(formats.contains(&format), "{name} names the report {format:?}");
        }
    }
}

/// Hooks and workflows are YAML, and start commands that there are.
#[test]
fn hooks_and_releases_run_what_there_is() {
    let program = a2aspec::cli::command();
    let hooks: Vec<Value> = yaml::read("hooks", &document(".pre-commit-hooks.yaml")).expect("hooks are YAML");
    let release: Value = yaml::read("release", &document(".github/workflows/release.yml")).expect("it is YAML");
    let steps = release["jobs"]["build"]["steps"].as_array().expect("a job has steps");
    let lines = hooks.iter().map(|hook| &hook["entry"]).chain(steps.iter().map(|step| &step["run"]));
    let mut seen = Vec::new();
    for text in lines.filter_map(Value::as_str) {
        let starts = text.match_indices("a2aspec ").filter(|(at, _)| !text[..*at].ends_with('-'));
        for (at, found) in starts {
            let word = text[at + found.len()..].split_whitespace().next().unwrap_or_default();
            assert!(program.find_subcommand(word).is_some(), "{text:?} starts `a2aspec {word}`");
            seen.push(word.to_owned());
        }
    }
    assert_eq!(seen, ["lint", "card", "selftest"]);
    let named = document("docs/ci.md");
    for hook in &hooks {
        let id = hook["id"].as_str().expect("a hook has an id");
        assert!(named.contains(&format!("- id: {id}")), "docs/ci.md does not show {id}");
    }
}

/// The example of docs/settings.md can be read, and gives each setting a value.
#[test]
fn every_setting_is_shown() {
    let page = document("docs/settings.md");
    let shown = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example is there");
    let config = toml::from_str::<a2aspec::cli::config::Config>(shown).expect("the example can be read");
    let unset: Vec<String> = format!("{config:#?}")
        .lines()
        .filter(|line| line.starts_with("    ") && !line.starts_with("     "))
        .filter(|line| ["None,", "[],", "{},"].iter().any(|nothing| line.ends_with(nothing)))
        .map(|line| line.trim().to_owned())
        .collect();
    assert!(unset.is_empty(), "docs/settings.md does not show {}", unset.join(" "));
}

#[test]
fn every_key_of_a_case_is_explained() {
    let schema: Value = serde_json::from_str(a2aspec::case::SCHEMA).expect("the schema is JSON");
    let mut keys = Vec::new();
    properties(&schema, &mut keys);
    all_stand_in(CASES, &document(CASES), keys);
}

/// The members that a schema names, at any depth.
fn properties(schema: &Value, found: &mut Vec<String>) {
    match schema {
        Value::Object(keywords) => {
            let named = keywords.get("properties").and_then(Value::as_object);
            found.extend(named.into_iter().flatten().map(|(name, _)| name.clone()));
            keywords.values().for_each(|inner| properties(inner, found));
        }
        Value::Array(items) => items.iter().for_each(|inner| properties(inner, found)),
        _ => {}
    }
}

/// The schema for editors knows the oracles that the judge knows.
#[test]
fn every_oracle_is_in_the_schema() {
    let schema: Value = serde_json::from_str(a2aspec::case::SCHEMA).expect("the schema is JSON");
    // A conversation may also be judged as if it were a run.
    let places = [
        (&[Over::Case, Over::Run][..], "/$defs/case/properties/holds/items"),
        (&[Over::Run][..], "/$defs/case/properties/observe"),
    ];
    for (over, place) in places {
        let oracles = a2aspec::judge::oracle::all();
        let known: BTreeSet<&str> =
            oracles.iter().filter(|oracle| over.contains(&oracle.over)).map(|oracle| oracle.name).collect();
        let alone = schema.pointer(&format!("{place}/then/enum")).and_then(Value::as_array).expect("names");
        let asked = schema.pointer(&format!("{place}/else/properties")).and_then(Value::as_object).expect("members");
        assert_eq!(alone.iter().filter_map(Value::as_str).collect::<BTreeSet<&str>>(), known, "{place}");
        assert_eq!(asked.keys().map(String::as_str).collect::<BTreeSet<&str>>(), known, "{place}");
    }
}

#[test]
fn every_key_of_a_catalogue_is_explained() {
    let keys = keys_of::<Catalogue>().into_iter().chain(keys_of::<Requirement>());
    all_stand_in(CATALOGUES, &document(CATALOGUES), keys);
}

#[test]
fn every_key_of_a_profile_is_explained() {
    let keys = [
        keys_of::<facts::Facts>(),
        keys_of::<facts::CardFacts>(),
        keys_of::<facts::InterfaceFacts>(),
        keys_of::<facts::BindingFacts>(),
        keys_of::<facts::States>(),
        keys_of::<facts::OperationFacts>(),
        keys_of::<facts::ErrorFacts>(),
        keys_of::<facts::DialectFacts>(),
        keys_of::<shape::Shape>(),
        keys_of::<shape::Choice>(),
        keys_of::<shape::BareList>(),
        keys_of::<shape::Tag>(),
        keys_of::<shape::Field>(),
        Binding::ALL.iter().map(ToString::to_string).collect(),
    ];
    all_stand_in(PROFILES, &document(PROFILES), keys.into_iter().flatten());
}

/// A key that nothing has.
const UNKNOWN: &str = "'?': 0";

/// The keys that a type reads: those that it wants instead of one that it does not know.
fn keys_of<T: DeserializeOwned + std::fmt::Debug>() -> Vec<String> {
    listed(&yaml::read::<T>("", UNKNOWN).expect_err("no such key").message)
}

/// The keys that the reader's complaint lists.
fn listed(complaint: &str) -> Vec<String> {
    let (_, list) = complaint.split_once(", expected ").expect("the complaint says what is expected");
    let keys = list.trim_start_matches("one of ").split([',', ' ', '`']).filter(|key| !key.is_empty() && *key != "or");
    keys.map(str::to_owned).collect()
}

/// A chapter of a document, up to the next.
fn chapter<'a>(text: &'a str, name: &str) -> &'a str {
    let (_, rest) = text.split_once(&format!("\n## {name}\n")).expect("the chapter is there");
    rest.split("\n## ").next().unwrap_or(rest)
}

fn all_stand_in(name: &str, text: &str, keys: impl IntoIterator<Item = String>) {
    let code = code(text);
    let known: BTreeSet<&str> =
        code.iter().flat_map(|code| code.split(|c: char| !c.is_ascii_alphanumeric() && c != '-')).collect();
    let missing: BTreeSet<String> = keys.into_iter().filter(|key| !known.contains(key.as_str())).collect();
    assert!(missing.is_empty(), "{name} does not explain {missing:?}");
}

/// What a text has as code: between backticks, and in blocks.
fn code(text: &str) -> Vec<&str> {
    let parts = text.split("```").enumerate();
    let code = parts.flat_map(|(index, part)| match index % 2 {
        0 => part.split('`').skip(1).step_by(2).collect::<Vec<_>>(),
        _ => vec![part],
    });
    code.collect()
}

/// The limits that are told are those that the code has, where it is said to have them.
#[test]
fn every_limit_is_where_it_is_said_to_be() {
    let text = document("docs/architecture.md");
    let rows = chapter(&text, "Limits").lines().filter(|line| line.starts_with("| ")).skip(1);
    let mut seen = 0;
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let [names, _, place] = cells.as_slice() else { panic!("three cells: {row}") };
        let place = place.trim().trim_matches('`');
        let source = document(&if place.starts_with("crates/") { place.to_owned() } else { format!("src/{place}") });
        for name in code(names).into_iter().filter(|name| !name.starts_with("--")) {
            let name = name.rsplit("::").next().unwrap_or(name);
            assert!(
                source.contains(&format!("const {name}: ")) || source.contains(&format!("struct {name} ")),
                "{row}"
            );
            seen += 1;
        }
    }
    assert!(seen > 10, "the table is read");
}

/// The contents of docs/interpretations.md list each reading.
#[test]
fn every_reading_is_in_the_contents() {
    let page = document("docs/interpretations.md");
    let contents = chapter(&page, "Contents");
    let readings: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    let missing: Vec<&&str> = readings.iter().filter(|title| !contents.contains(&format!("[{title}]("))).collect();
    assert!(readings.len() > 200 && missing.is_empty(), "the contents do not list {missing:?}");
}

/// What `explain` says of readings is what the document has. `A2ASPEC_UPDATE_DOCS=1` writes it anew.
#[test]
fn explain_knows_every_reading() {
    const PLACE: &str = "src/cli/explain/readings.txt";
    let line = |one: Reading| [vec![one.anchor, one.title], one.cases].concat().join("\t") + "\n";
    let wanted: String = readings().into_iter().filter(|one| !one.cases.is_empty()).map(line).collect();
    let page = document("docs/interpretations.md");
    let contents = chapter(&page, "Contents");
    for anchor in wanted.lines().filter_map(|line| line.split('\t').next()) {
        assert!(contents.contains(&format!("](#{anchor})")), "the contents have no link to #{anchor}");
    }
    if std::env::var_os("A2ASPEC_UPDATE_DOCS").is_some() {
        std::fs::write(Path::new(ROOT).join(PLACE), &wanted).expect("it can be written");
    }
    let found = std::fs::read_to_string(Path::new(ROOT).join(PLACE)).unwrap_or_default();
    assert!(
        found == wanted,
        "{PLACE} is not what docs/interpretations.md has: run the test with A2ASPEC_UPDATE_DOCS=1"
    );
}

/// Files and cases that the documents name are there.
#[test]
fn what_is_named_is_there() {
    const FOLDERS: [&str; 8] = ["src/", "docs/", "tests/", "cases/", "schemas/", "crates/", "reference-agent/", ".ci/"];
    let profiles = a2aspec::profile::bundled().expect("the profiles are right");
    let profiles: Vec<_> = profiles.iter().map(AsRef::as_ref).collect();
    let library = Library::load(None, &profiles, &a2aspec::judge::oracle::all()).expect("the cases are right");
    for name in
        ["README.md", CATALOGUES, PROFILES, CASES, "SECURITY.md", "docs/architecture.md", "docs/interpretations.md"]
    {
        let text = document(name);
        let is_path =
            |code: &&str| FOLDERS.iter().any(|folder| code.starts_with(folder)) && !code.contains(['<', '*', ' ']);
        for path in code(&text).into_iter().filter(is_path) {
            assert!(Path::new(ROOT).join(path).exists(), "{name} names {path}");
        }
    }
    let readings = document("docs/interpretations.md");
    let is_case = |code: &&str| {
        let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        code.split_once('/').is_some_and(|(area, name)| {
            library.cases.values().any(|case| case.area() == area) && name.chars().all(|c| kebab(c) || c == '/')
        })
    };
    let missing: Vec<&str> =
        code(&readings).into_iter().filter(is_case).filter(|id| !library.cases.contains_key(*id)).collect();
    assert!(missing.is_empty(), "docs/interpretations.md names cases that are not there: {}", missing.join(", "));
}
