//! What the HTTP server below the agent does: a section of its own in reports, and no failure of the agent.

use serde_json::{Value, json};

use super::program::{self, Folder};

const HEADING: &str = "The HTTP server below the agent";

/// The reference agent whose server reads lengths with signs, which RFC 9112 has refused (6.3), beside what these faults do.
fn check(faults: &[&str], options: &[&str]) -> program::Ran {
    let mut arguments =
        vec!["selftest", "--profile", "1.0", "--binding", "jsonrpc", "--only", "http1/*", "--only", "get/*"];
    for fault in [&["http1/lengths-with-signs"], faults].concat() {
        arguments.extend(["--fault", fault]);
    }
    program::run(&[&arguments[..], options].concat(), &[])
}

#[test]
fn it_does_not_fail_the_default_gate() {
    let folder = Folder::new();
    let file = |name: &str| folder.file(name);
    let reports = ["json", "markdown", "html"].map(|format| format!("{format}={}", file(format)));
    let reports: Vec<&str> = reports.iter().flat_map(|report| ["--report", report]).collect();
    let ran = check(&[], &[&reports[..], &["--report", "terminal"]].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let (before, after) = ran.stdout.split_once(HEADING).unwrap_or_else(|| panic!("{}", ran.stdout));
    assert!(ran.stdout.contains("1 problem violates 1 HTTP server requirement\n"), "{}", ran.stdout);
    assert!(!before.contains("WARN") && after.contains("WARN http1-6.3-2 (MUST, section 6.3)"), "{}", ran.stdout);
    for format in ["markdown", "html"] {
        let text = std::fs::read_to_string(file(format)).unwrap();
        assert_eq!(text.matches(HEADING).count(), 1, "{text}");
    }
    let report: Value = serde_json::from_str(&std::fs::read_to_string(file("json")).unwrap()).unwrap();
    let problems = report["problems"].as_array().unwrap();
    let [only] = problems.as_slice() else { panic!("{problems:#?}") };
    assert_eq!((&only["verdict"], &only["layer"]), (&json!("warn"), &json!("http-server")));
    let under = &report["requirements"][only["requirement"].as_u64().unwrap() as usize];
    let facts = ["id", "level", "layer", "verdict"].map(|name| under[name].as_str().unwrap());
    assert_eq!(facts, ["http1-6.3-2", "MUST", "http-server", "warn"]);
}

#[test]
fn it_fails_the_gate_where_warnings_do() {
    assert_eq!(check(&[], &["--fail-on", "should"]).code, 1);
}

#[test]
fn it_comes_after_what_the_agent_does() {
    let ran = check(&["get/unknown-is-internal"], &[]);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    let (before, after) = ran.stdout.split_once(HEADING).unwrap_or_else(|| panic!("{}", ran.stdout));
    assert!(before.contains("FAIL") && !after.contains("FAIL"), "{}", ran.stdout);
}
