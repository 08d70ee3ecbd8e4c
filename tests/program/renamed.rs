//! Ids that became others: who pinned one is led to what it is called now.

use super::program;

const CATALOGUE: &str = r#"
catalogue: "1.0"
title: A2A 1.0
source: none
requirements:
  - { id: 1.0-3-1, section: "3", level: MUST, text: A task can be read., cases: [get/existing] }
  - { id: 1.0-3-2, section: "3", level: MUST, text: Tasks can be read., renamed-to: 1.0-3-1 }
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
    steps: [{ call: GetTask, with: { id: "${done.id}" } }]
"#;

/// A library with one case and two ids for its requirement.
fn library() -> (program::Folder, String) {
    let folder = program::Folder::new();
    folder.write("requirements/1.0.yaml", CATALOGUE);
    folder.write("get/get.yaml", CASES);
    let path = folder.path().display().to_string();
    (folder, path)
}

#[test]
fn an_old_id_is_explained_by_the_new_one() {
    let (_folder, library) = library();
    let ran = program::run(&["explain", "1.0-3-2", "--cases", &library], &[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let new = program::run(&["explain", "1.0-3-1", "--cases", &library], &[]);
    assert_eq!(ran.stdout, format!("1.0-3-2 is called 1.0-3-1 now\n\n{}", new.stdout));
}

#[test]
fn an_old_id_selects_what_the_new_one_does() {
    let (_folder, library) = library();
    let check = ["selftest", "--cases", &library, "--profile", "1.0", "--binding", "jsonrpc", "--only", "1.0-3-2"];
    let ran = program::run(&check, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("note: 1.0-3-2 is called 1.0-3-1 now"), "{}", ran.stderr);
    assert!(ran.stdout.contains("1 case tested, 0 not tested"), "{}", ran.stdout);
    let check = ["selftest", "--cases", &library, "--skip", "1.0-3-2"];
    let ran = program::run(&check, &[]);
    assert!(ran.stderr.contains("note: 1.0-3-2 is called 1.0-3-1 now"), "{}", ran.stderr);
    assert!(!ran.stdout.contains("1 case tested"), "{}", ran.stdout);
}

/// A requirement is listed, and counted, once.
#[test]
fn an_old_id_is_no_statement_of_its_own() {
    let (_folder, library) = library();
    let ran = program::run(&["list", "--requirements", "--profile", "1.0", "--cases", &library], &[]);
    assert!(ran.stdout.contains("1.0-3-1") && !ran.stdout.contains("1.0-3-2"), "{}", ran.stdout);
    let ran = program::run(&["lint", &library], &[]);
    assert_eq!(ran.stdout, "1 case and 1 requirement in 1 catalogue are right\n");
}
