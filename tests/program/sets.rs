//! `--requirements`: a gate that names a date is not failed by what came later.

use serde_json::Value;

use super::program::{self, Folder, Ran};

/// The second requirement, and its case, came three months after the first.
const CATALOGUE: &str = r#"
catalogue: "1.0"
title: A2A 1.0
source: none
requirements:
  - { id: 1.0-3-1, section: "3", level: MUST, text: A task can be read., cases: [get/existing] }
  - { id: 1.0-3-2, section: "3", level: MUST, text: The task is the one that was asked for., cases: [get/same] }
"#;

const CASES: &str = r#"
cases:
  - id: get/existing
    title: a task can be read
    why: to see it
    right: the task
    wrong: an error
    fix: nothing to mend
    given: { done: { task: completed } }
    steps: [{ call: GetTask, with: { id: "${done.id}" }, expect: { outcome: [result] } }]
  - id: get/same
    title: the task is the right one
    why: to see it
    right: the task
    wrong: another one
    fix: look it up by its id
    given: { done: { task: completed } }
    steps: [{ call: GetTask, with: { id: "${done.id}" }, expect: { outcome: [result], at: { /id: "${done.id}" } } }]
"#;

/// A library with two sets, and the flags of a run with it.
fn library() -> (Folder, String) {
    let folder = Folder::new();
    folder.write("requirements/1.0.yaml", CATALOGUE);
    folder.write("get/get.yaml", CASES);
    folder.write("sets/2026-12.yaml", "set: '2026-12'\nadds: { 1.0-3-1: MUST get/existing }\n");
    folder.write("sets/2027-03.yaml", "set: '2027-03'\nadds: { 1.0-3-2: MUST get/same }\n");
    let path = folder.path().display().to_string();
    (folder, path)
}

/// A run on an agent that answers with another task.
fn check(library: &str, flags: &[&str]) -> Ran {
    let run = ["selftest", "--cases", library, "--profile", "1.0", "--binding", "jsonrpc", "--fault", "get/other-task"];
    program::run(&[&run, flags].concat(), &[])
}

#[test]
fn what_came_later_is_reported_and_does_not_fail_the_gate() {
    let (folder, library) = library();
    let whole = check(&library, &[]);
    assert_eq!(whole.code, 1, "{}{}", whole.stdout, whole.stderr);
    assert!(!whole.stdout.contains("the set"), "{}", whole.stdout);
    for (date, code) in [("2026-12", 0), ("2027-02-28", 0), ("2027-03", 1), ("2030-01", 1)] {
        let ran = check(&library, &["--requirements", date]);
        assert_eq!(ran.code, code, "{date}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("get/same"), "{date}: {}", ran.stdout);
        assert_eq!(ran.stdout.contains("not in the set 2026-12: does not count"), code == 0, "{date}: {}", ran.stdout);
    }
    // The settings name it as well, and `--fail-fast` does not stop at what does not count.
    let settings = folder.write("a2aspec.toml", "requirements = \"2026-12\"\nfail-fast = true\n");
    let ran = check(&library, &["--config", &settings]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(!ran.stdout.contains("STOPPED"), "{}", ran.stdout);
}

#[test]
fn every_report_says_what_does_not_count() {
    let (folder, library) = library();
    let names = ["json", "html", "markdown", "junit", "sarif", "github", "tap"];
    let files: Vec<String> = names.iter().map(|name| folder.file(&format!("report.{name}"))).collect();
    let outputs: Vec<String> = names.iter().zip(&files).map(|(name, file)| format!("{name}={file}")).collect();
    let reports: Vec<&str> = outputs.iter().flat_map(|output| ["--report", output]).collect();
    let ran = check(&library, &[&["--requirements", "2026-12"], reports.as_slice()].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let read = |file: &String| std::fs::read_to_string(file).unwrap();
    for (name, file) in names.iter().zip(&files).skip(1) {
        let text = read(file);
        assert!(text.contains("not in the set 2026-12") && text.contains("does not count"), "{name}: {text}");
    }
    let report: Value = serde_json::from_str(&read(&files[0])).unwrap();
    let set = &report["requirement_set"];
    assert_eq!((&set["name"], &report["gate"]["outcome"]), (&"2026-12".into(), &"passes".into()));
    let place = report["results"].as_array().unwrap().iter().position(|result| result["case"] == "get/same").unwrap();
    assert_eq!(report["results"][place]["verdict"], "fail");
    let later = serde_json::json!({ place.to_string(): { "since": "2027-03", "counts_as": "skipped" } });
    assert_eq!(set["later"], later);
    // None of the services fails by it.
    assert!(read(&files[3]).contains("failures=\"0\""), "{}", read(&files[3]));
    assert!(read(&files[4]).contains("\"suppressions\""));
    assert!(!read(&files[5]).contains("::error"), "{}", read(&files[5]));
    assert!(read(&files[6]).contains("# TODO not in the set 2026-12"), "{}", read(&files[6]));
}

#[test]
fn a_date_without_a_set_is_refused() {
    let (_folder, library) = library();
    for (date, message) in [
        ("2026-11", "there was no set of requirements at 2026-11"),
        ("latest", "`latest` is not a date such as 2026-12"),
    ] {
        for ran in [
            check(&library, &["--requirements", date]),
            program::run(&["list", "--cases", &library, "--set", date], &[]),
            program::run(&["client", "--cases", &library, "--requirements", date, "--", "false"], &[]),
        ] {
            assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
            assert!(ran.stderr.contains(message), "{}", ran.stderr);
            assert!(ran.stderr.contains("the sets of requirements are `2026-12` and `2027-03`"), "{}", ran.stderr);
        }
    }
    let bundled = program::run(&["selftest", "--requirements", "2026-11"], &[]);
    assert!(bundled.stderr.contains("the only set of requirements is `2026-12`"), "{}", bundled.stderr);
}

#[test]
fn parts_of_a_run_are_put_together_by_a_set() {
    let folder = Folder::new();
    let run =
        ["selftest", "--profile", "1.0", "--binding", "jsonrpc", "--only", "get/unknown-id", "--fail-on", "never"];
    let parts: Vec<String> = (1..=2).map(|part| folder.file(&format!("{part}.json"))).collect();
    for (part, file) in ["1/2", "2/2"].iter().zip(&parts) {
        let ran = program::run(&[&run[..], &["--shard", part, "--report", &format!("json={file}")]].concat(), &[]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    let merge = |date: &str| program::run(&["merge", &parts[0], &parts[1], "--requirements", date], &[]);
    assert_eq!(merge("2026-12").code, 0, "{}", merge("2026-12").stderr);
    assert!(merge("2026-12").stdout.contains("The gate counts the requirements of the set 2026-12\n"));
    assert_eq!(merge("2026-11").code, 2);
}

#[test]
fn the_cases_of_a_set_are_listed() {
    let (_folder, library) = library();
    let list = |flags: &[&str]| program::run(&[&["list", "--cases", &library], flags].concat(), &[]).stdout;
    assert!(list(&["--set", "2027-03"]).contains("get/same") && list(&[]).contains("get/same"));
    let older = list(&["--set", "2026-12"]);
    assert!(older.contains("get/existing") && !older.contains("get/same"), "{older}");
    let older = list(&["--set", "2026-12", "--requirements"]);
    assert!(older.contains("1.0-3-1") && !older.contains("1.0-3-2"), "{older}");
    let all: Value = serde_json::from_str(&list(&["--format", "json"])).unwrap();
    let since: Vec<&str> = all.as_array().unwrap().iter().filter_map(|case| case["since"].as_str()).collect();
    assert_eq!(since, ["2026-12", "2027-03"]);
}
