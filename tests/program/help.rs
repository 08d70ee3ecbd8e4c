//! What the program says of itself.

use super::{program, snapshot};

/// Runs a command that must succeed, and compares the first lines of what it says with a snapshot.
fn says(name: &str, arguments: &[&str], lines: usize) {
    let ran = program::run(arguments, &[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    let head: String = ran.stdout.lines().take(lines).map(|line| format!("{}\n", line.trim_end())).collect();
    snapshot::check(name, &head);
}

#[test]
fn help_of_every_command() {
    says("help", &["--help"], usize::MAX);
    for command in [
        "check",
        "doctor",
        "selftest",
        "judge",
        "proxy",
        "compare",
        "watch",
        "ui",
        "init",
        "fuzz",
        "replay",
        "diff",
        "merge",
        "baseline",
        "matrix",
        "census",
        "agent",
        "list",
        "explain",
        "coverage",
        "profiles",
        "diff-spec",
        "lint",
        "schema",
        "export",
        "corpus",
        "card",
        "webhook",
    ] {
        says(&format!("help-{command}"), &[command, "--help"], usize::MAX);
    }
    for command in ["lint", "verify", "lock", "sign", "canonical"] {
        says(&format!("help-card-{command}"), &["card", command, "--help"], usize::MAX);
    }
    for command in ["add", "accept", "prune"] {
        says(&format!("help-baseline-{command}"), &["baseline", command, "--help"], usize::MAX);
    }
    says("help-webhook-listen", &["webhook", "listen", "--help"], usize::MAX);
}

#[test]
fn the_version() {
    let ran = program::run(&["--version"], &[]);
    assert_eq!(ran.stdout, format!("a2aspec {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn explanations() {
    says("explain-a-case", &["explain", "get/unknown-id"], usize::MAX);
    says("explain-a-requirement", &["explain", "1.0-3.1.2-5"], usize::MAX);
    says("explain-a-section", &["explain", "3.1.3", "--profile", "1.0"], usize::MAX);
    says("explain-an-area", &["explain", "blocking"], 12);
}

/// Everything that is listed can be explained.
#[test]
fn whatever_is_listed_can_be_explained() {
    let ran = program::run(&["list", "--requirements", "--profile", "1.0"], &[]);
    let ids = ran.stdout.lines().filter(|line| !line.starts_with(' ')).filter_map(|line| line.split(' ').next());
    let some: Vec<&str> = ids.step_by(40).collect();
    assert!(some.len() > 3, "{}", ran.stdout);
    for id in some {
        let ran = program::run(&["explain", id], &[]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stdout.starts_with(id), "{}", ran.stdout);
    }
}

#[test]
fn lists() {
    says("list", &["list"], 5);
    says("list-of-one-profile", &["list", "--profile", "0.3"], 5);
    says("list-as-json", &["list", "--format", "json", "--profile", "1.0"], 12);
    says("list-of-requirements-as-json", &["list", "--requirements", "--format", "json", "--profile", "1.0"], 20);
    says("list-of-requirements", &["list", "--requirements", "--profile", "1.0"], 6);
    let of_area = ["list", "--area", "get", "--level", "must", "--profile", "1.0"];
    says("list-of-an-area", &of_area, usize::MAX);
    let of_section = ["list", "--requirements", "--profile", "1.0", "--only", "3.1.3", "--level", "must"];
    says("list-of-requirements-of-a-section", &of_section, usize::MAX);
    says("list-of-extensions", &["list", "--extension"], usize::MAX);
    let unknown = program::run(&["list", "--extension", "urn:x"], &[]);
    assert!(
        unknown.code == 2 && unknown.stderr.contains("no case is about the extension `urn:x`"),
        "{}",
        unknown.stderr
    );
    let nothing = program::run(&["list", "--only", "get/unknown-idd"], &[]);
    assert!(nothing.code == 2 && nothing.stderr.contains("did you mean get/unknown-id?"), "{}", nothing.stderr);
}

#[test]
fn versions() {
    says("profiles", &["profiles"], 4);
    says("diff-spec", &["diff-spec", "0.3", "1.0"], 40);
    says("diff-spec-of-the-draft", &["diff-spec", "1.0", "1.1-draft"], usize::MAX);
}

#[test]
fn the_programs_own_cases_are_right() {
    let ran = program::run(&["lint"], &[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.trim_end().ends_with("are right"), "{}", ran.stdout);
}
