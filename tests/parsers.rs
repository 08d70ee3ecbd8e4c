//! Parsers behind adapters: what is wrong with them is found, once, and nothing else.

// A helper that panics has failed its test, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::deadline;
use crate::common::made;
use crate::common::program;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

use a2aspec::corpus::{Kind, Makers};
use a2aspec::parsers::{Adapter, AdapterError, Outcome, Plan, What, fuzz};
use a2aspec::profile;
use serde_json::Value;

use made::{Language, folder, made};

/// Inputs of each run: every class several times.
const INPUTS: usize = 600;

/// A Python; nothing where there is none, which is told. One that starts fast goes first: what manages versions is slow.
fn python() -> Option<&'static str> {
    static PYTHON: LazyLock<Option<&str>> = LazyLock::new(|| {
        let known = ["/usr/bin/python3", "python3"];
        let found = known.into_iter().find(|python| is_there(python));
        found.or_else(|| not_run("parsers behind adapters in Python", "python3 was not found"))
    });
    *PYTHON
}

/// Whether a program is there and works.
fn is_there(program: &str) -> bool {
    deadline::run(Command::new(program).arg("--version"), program::LIMIT).is_ok_and(|run| run.code == Some(0))
}

/// Says that something is not run, and why. Not by a macro, whose words are shown for tests that fail only.
fn not_run<T>(what: &str, why: &str) -> Option<T> {
    std::io::stderr().write_all(format!("{what} not run: {why}\n").as_bytes()).unwrap();
    None
}

fn example(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/parsers").join(name).display().to_string()
}

/// The number of inputs ends a run, however slow the machine is.
const PLAN: Plan = Plan { seed: 3, time: Duration::from_secs(3_600), inputs: INPUTS };

/// For one input: much, for a machine that does other things, too. Only a parser that hangs takes so long.
const LIMIT: Duration = Duration::from_secs(30);

fn run(kind: Kind, command: &str) -> Result<Outcome, AdapterError> {
    run_within(LIMIT, kind, command)
}

fn run_within(limit: Duration, kind: Kind, command: &str) -> Result<Outcome, AdapterError> {
    let makers = Makers::new(kind, None).unwrap();
    fuzz(&makers, &mut Adapter::new(command, limit), &PLAN)
}

/// What was found, as `what class`.
fn found(kind: Kind, command: &str) -> Vec<String> {
    let outcome = run(kind, command).unwrap();
    assert!(outcome.inputs >= INPUTS, "{}", outcome.inputs);
    outcome.findings.iter().map(|finding| format!("{} {}", finding.what.name(), finding.class.name)).collect()
}

/// Two readers of JSON that millions use are right.
#[test]
fn nothing_is_wrong_with_those_that_are_right() {
    if let Some(python) = python() {
        assert_eq!(found(Kind::Json, &format!("{python} {}", example("json_reader.py"))), [""; 0]);
        assert_eq!(found(Kind::Sse, &format!("{python} {}", example("sse_reader.py"))), [""; 0]);
    }
    if is_there("node") {
        assert_eq!(found(Kind::Json, &format!("node {}", example("json_reader.mjs"))), [""; 0]);
    } else {
        not_run::<()>("the parser of Node.js", "node was not found");
    }
}

/// Each bug is found as what it is, with an input about as small as one made by hand.
#[test]
fn bugs_are_found_once_and_made_small() {
    let Some(python) = python() else { return };
    let reader = format!("{python} {}", example("sse_reader.py"));
    for (bug, what, class, longest) in [
        ("crash", What::Crash, "retry-not-digits", 28),
        ("hang", What::Hang, "several-lines", 60),
        ("bom", What::WrongValue, "byte-order-mark", 24),
        ("strip", What::WrongValue, "space-after-colon", 30),
    ] {
        // Every hang takes as long; an answer comes sooner on a machine with much else to do.
        let limit = if what == What::Hang { Duration::from_secs(1) } else { LIMIT };
        let outcome = run_within(limit, Kind::Sse, &format!("{reader} {bug}")).unwrap();
        let first = outcome.findings.iter().find(|finding| finding.class.name == class);
        let first = first.unwrap_or_else(|| panic!("{bug}: {:#?}", outcome.findings));
        assert_eq!(first.what, what, "{bug}");
        assert_eq!(first.again, 3, "{bug}");
        let shown = first.input.escape_ascii();
        assert!(first.input.len() <= longest, "{bug}: {shown}");
        // A byte order mark twice is another matter, and what is empty after it was stripped, too.
        assert!(outcome.findings.len() <= 3, "{bug}: {:#?}", outcome.findings);
    }
}

/// The crate eventsource-stream, by its adapter.
#[test]
fn what_is_known_of_a_published_reader_is_found() {
    let built = PathBuf::from(env!("CARGO_BIN_EXE_a2aspec")).with_file_name("examples").join("parser-eventsource");
    if !built.exists() {
        // `cargo test` builds the examples; a single test of it does not.
        let build = ["build", "-q", "-p", "a2aspec", "--example", "parser-eventsource"];
        let built = deadline::run(Command::new(env!("CARGO")).args(build), Duration::from_secs(1_800)).unwrap();
        assert_eq!(built.code, Some(0), "{built}");
    }
    let found = found(Kind::Sse, built.to_str().unwrap());
    assert_eq!(
        found,
        ["crash byte-order-mark", "crash second-byte-order-mark", "wrong-refusal invalid-utf-8", "wrong-value cr"]
    );
}

/// What is wrong with what a published client reads of A2A 1.0, by a command for each kind. docs/parsers.md argues each.
fn wrong_with(language: Language, kinds: &[Kind], command: impl Fn(&str) -> String) -> Option<String> {
    // It says itself why they cannot be had here.
    if made(language).unwrap().is_some() {
        return None;
    }
    let profiles = profile::bundled().unwrap();
    let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
    let mut told = String::new();
    for &kind in kinds {
        let makers = Makers::new(kind, Some(profile)).unwrap();
        // Enough that what comes once in some hundreds comes more than once: two members where one may be are read only if the one
        // that is too many is null.
        let plan = Plan { inputs: 5 * INPUTS, ..PLAN };
        let outcome = fuzz(&makers, &mut Adapter::new(&command(kind.name()), LIMIT), &plan).unwrap();
        assert_eq!(outcome.inputs, plan.inputs);
        for finding in outcome.findings {
            told.push_str(&format!("{} {} {}\n", kind.name(), finding.level, finding.id));
        }
    }
    Some(told)
}

const OBJECTS: &[Kind] = &[Kind::Card, Kind::Event, Kind::Message, Kind::Task];

#[test]
fn what_the_client_in_python_reads_wrong() {
    let python = folder().join("../real/.venv-1.0/bin/python");
    let command = |kind: &str| format!("{} {} {kind}", python.display(), example("a2a_sdk.py"));
    if let Some(wrong) = wrong_with(Language::Python, &[OBJECTS, &[Kind::ProtoJson]].concat(), command) {
        insta::assert_snapshot!(wrong);
    }
}

#[test]
fn what_the_client_in_javascript_reads_wrong() {
    let package = folder().join("javascript/1.0");
    let command = |kind: &str| format!("node {} {} {kind}", example("a2a_sdk.mjs"), package.display());
    if let Some(wrong) = wrong_with(Language::Javascript, OBJECTS, command) {
        insta::assert_snapshot!(wrong);
    }
}

#[test]
fn what_the_client_in_rust_reads_wrong() {
    let program = folder().join("../real/rust-agent/target/debug/rust-parser");
    let command = |kind: &str| format!("{} {kind}", program.display());
    if let Some(wrong) = wrong_with(Language::Rust, OBJECTS, command) {
        insta::assert_snapshot!(wrong);
    }
}

/// An adapter of a parser that refuses everything, behind a Python.
const REFUSES: &str = r#" -c 'import sys,struct
r=sys.stdin.buffer
while n:=r.read(4):
    r.read(struct.unpack(">I",n)[0]); print("{\"accepted\":false}",flush=True)'"#;

/// What is wrong with a parser that refuses everything is one thing.
#[test]
fn a_parser_that_is_always_wrong_has_one_finding_of_each_kind() {
    let Some(python) = python() else { return };
    let refuses = format!("{python}{REFUSES}");
    assert_eq!(found(Kind::Sse, &refuses), ["wrong-refusal plain"]);
    assert_eq!(found(Kind::Json, &refuses), ["wrong-refusal scalar"]);
}

#[test]
fn an_adapter_that_is_none_is_said_to_be_none() {
    assert!(matches!(run(Kind::Json, "exit 3"), Err(AdapterError::EndsAtOnce(_))));
    assert!(matches!(run(Kind::Json, "a2aspec-no-such-command"), Err(AdapterError::EndsAtOnce(_))));
    assert!(matches!(run(Kind::Json, "echo hello; cat > /dev/null"), Err(AdapterError::Answer { .. })));
}

fn fuzz_parser(arguments: &[&str]) -> program::Ran {
    program::run(&[&["fuzz"], arguments].concat(), &[])
}

#[test]
fn a_run_is_told_to_people_and_programs_and_written_to_files() {
    let folder = program::Folder::new();
    let findings = folder.path().join("findings");
    let Some(python) = python() else { return };
    let reader = format!("{python} {}", example("sse_reader.py"));
    let command = format!("{reader} no-cr");
    let arguments =
        ["--kind", "sse", "--parser", &command, "--requests", "280", "--findings", findings.to_str().unwrap()];
    let output = fuzz_parser(&arguments);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let told = output.stdout.replace(&command, "COMMAND");
    let (findings_told, end) = told.rsplit_once("280 inputs of").unwrap();
    assert!(end.contains("28 classes") && end.contains("a second; seed 1"), "{end}");
    insta::assert_snapshot!(findings_told);
    let mut names: Vec<String> =
        std::fs::read_dir(&findings).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    insta::assert_snapshot!(names.join("\n"));
    let output = fuzz_parser(&["--kind", "sse", "--parser", &command, "--requests", "280", "--report", "json"]);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(report["inputs"], 280);
    let written = std::fs::read(findings.join("wrong-value-cr.finding.json")).unwrap();
    let written: Value = serde_json::from_slice(&written).unwrap();
    assert!(report["findings"].as_array().unwrap().contains(&written));
}

fn replay(findings: &Path, parser: &str) -> (Option<i32>, String) {
    let arguments = ["replay", findings.to_str().unwrap(), "--parser", parser];
    let ran = program::run(&arguments, &[]);
    (Some(ran.code), ran.stdout)
}

/// The files alone are enough to ask again, and a list of known findings keeps a run from failing.
#[test]
fn findings_are_replayed_and_known() {
    let folder = program::Folder::new();
    let findings = folder.path().join("findings");
    let Some(python) = python() else { return };
    let reader = format!("{python} {}", example("sse_reader.py"));
    let wrong = format!("{reader} no-cr");
    let arguments = ["--kind", "sse", "--parser", &wrong, "--requests", "280", "--findings"];
    let arguments = [&arguments[..], &[findings.to_str().unwrap()]].concat();
    assert_eq!(fuzz_parser(&arguments).code, 1);
    let (code, told) = replay(&findings, &wrong);
    assert_eq!((code, told.matches("STILL     wrong-value-cr").count()), (Some(1), 2), "{told}");
    let (code, told) = replay(&findings.join("wrong-value-cr.finding.json"), &reader);
    assert_eq!((code, told.as_str()), (Some(0), "FIXED     wrong-value-cr\n"));
    let (code, told) = replay(&findings.join("wrong-value-cr.finding.json"), &format!("{python}{REFUSES}"));
    assert_eq!(code, Some(1));
    assert!(told.starts_with("OTHERWISE wrong-value-cr\n          refused what it should read, before:"), "{told}");

    let list = folder.path().join("known");
    std::fs::write(&list, "wrong-value-cr # argued elsewhere\n\nwrong-value-crlf\nhang-plain\n").unwrap();
    let output = fuzz_parser(&[&arguments[..], &["--known", list.to_str().unwrap()]].concat());
    let told = output.stdout;
    assert_eq!(output.code, 0, "{told}");
    assert!(told.contains("known, and not met: hang-plain"), "{told}");
    let output = fuzz_parser(&[&arguments[..], &["--known", "wrong-value-cr"]].concat());
    assert_eq!(output.code, 1);
}

#[test]
fn mistakes_are_said_in_a_sentence() {
    let mut said = String::new();
    for arguments in [
        &["--kind", "jsn", "--parser", "cat"][..],
        &["--kind", "json", "--parser", "exit 3"],
        &["--kind", "json", "--parser", "cat", "--time", "0"],
        &["--kind", "task", "--parser", "cat", "--profile", "9"],
        &["--kind", "protojson", "--parser", "cat", "--profile", "0.1"],
        &["--kind", "json", "--parser", "cat", "--known", "no-such-file"],
    ] {
        let output = fuzz_parser(arguments);
        said.push_str(&format!("{:?}\n{}\n", Some(output.code), output.stderr));
    }
    insta::assert_snapshot!(said);
}
