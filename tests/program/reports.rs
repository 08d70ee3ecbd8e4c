//! The reports of real runs.

use jsonschema::Validator;
use serde_json::{Value, json};

use super::proxy::{reference_agent, unchanged};
use super::{program, snapshot};

fn schema() -> Validator {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/report.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

pub fn assert_keeps_the_schema(report: &Value) {
    let wrong: Vec<String> =
        schema().iter_errors(report).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A clean run says so, in each form, and each form tells the same.
#[test]
fn a_clean_run() {
    let folder = program::Folder::new();
    let (json, junit, trace) = (folder.file("report.json"), folder.file("report.xml"), folder.file("trace.txt"));
    let (json_flag, junit_flag) = (format!("json={json}"), format!("junit={junit}"));
    let arguments = [
        "selftest",
        "--only",
        "get/unknown-id",
        "--only",
        "get/existing",
        "--profile",
        "1.0",
        "--timeout",
        "60",
        "--report",
        "terminal",
        "--report",
        &json_flag,
        "--report",
        &junit_flag,
        "--trace",
        &trace,
    ];
    let ran = program::run(&arguments, &[]);
    snapshot::check("report-of-a-clean-run", &snapshot::told(&ran));
    assert_eq!(ran.code, 0);
    let report: Value = serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
    assert_keeps_the_schema(&report);
    assert_eq!(report["gate"], json!({ "fail_on": "must", "outcome": "passes", "exit_code": 0 }));
    let results = report["results"].as_array().unwrap();
    for result in results {
        let time = |name: &str| result[name].as_f64().unwrap_or_else(|| panic!("{name} of {result}"));
        assert!(time("duration_ms") >= time("waited_ms") && time("waited_ms") > 0.0, "{result}");
    }
    let cases = results.len();
    let junit = std::fs::read_to_string(junit).unwrap();
    assert_eq!(junit.matches("<testcase ").count(), cases, "{junit}");
    let trace = std::fs::read_to_string(trace).unwrap();
    assert!(trace.contains("get/unknown-id") && trace.contains("\"GetTask\""), "{trace}");
}

/// A run in which much is wrong has a report of the same form.
#[test]
fn a_run_with_findings() {
    let agent = reference_agent(|asked, answer| {
        if !asked.is_call() {
            return unchanged(answer);
        }
        let spoiled =
            String::from_utf8_lossy(answer.body()).replace("-32001", "-32603").replace("contextId", "context_id");
        answer.map(|_| spoiled.into())
    });
    // What is between the suite and the agent holds streams back until they end, for which there is no need to wait.
    let what = ["--binding", "jsonrpc", "--skip", "stream/*", "--skip", "subscribe/*"];
    let arguments = [&["check", &agent.url, "--report", "json", "--timeout", "20"], &what[..]].concat();
    let ran = program::run(&arguments, &[]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_keeps_the_schema(&report);
    let verdict = |case: &str| {
        let results = report["results"].as_array().unwrap().iter();
        let of_case = results.filter(|result| result["case"] == case && result["profile"] == "1.0");
        of_case.map(|result| result["verdict"].as_str().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(verdict("get/unknown-id"), ["fail"]);
    assert_eq!(verdict("data/camel-case"), ["fail"]);
    assert_eq!(verdict("get/repeatable"), ["pass"]);
}

/// What a user writes in a folder of their own runs beside the rest.
#[test]
fn cases_of_ones_own() {
    let folder = program::Folder::new();
    let text = "cases:
  - id: own/unknown-id
    title: our agent knows no task of this name
    why: for a test
    right: an error
    wrong: a result
    fix: nothing
    level: SHOULD
    steps:
      - call: GetTask
        with: { id: no-such-task }
        expect: { outcome: [TaskNotFoundError] }
";
    folder.write("own.yaml", text);
    let path = folder.path().display().to_string();
    let ran =
        program::run(&["selftest", "--cases", &path, "--only", "own/*", "--timeout", "60", "--report", "json"], &[]);
    let report: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    assert_keeps_the_schema(&report);
    let results = report["results"].as_array().unwrap();
    assert!(results.iter().all(|result| result["verdict"] == "pass"), "{results:?}");
    let interfaces = report["target"]["interfaces"].as_array().unwrap();
    assert_eq!(results.len(), interfaces.len(), "once over each binding in each profile");
    assert_eq!(ran.code, 0);
}

/// A list of known failures lets them pass, and nothing else.
#[test]
fn known_failures_pass() {
    let folder = program::Folder::new();
    let list = folder.file("known.yaml");
    let check = |fault: &str, more: &[&str]| {
        let what = ["selftest", "--profile", "1.0", "--binding", "jsonrpc", "--only", "get", "--fault", fault];
        program::run(&[&what, more].concat(), &[])
    };
    let written = check("get/other-task", &["--write-baseline", &list]);
    assert_eq!(written.code, 0, "{}{}", written.stdout, written.stderr);
    let entries = std::fs::read_to_string(&list).unwrap();
    assert!(entries.contains("case: get/") && entries.contains("what: "), "{entries}");
    let junit = folder.file("junit.xml");
    let report = format!("junit={junit}");
    let known = check("get/other-task", &["--baseline", &list, "--report", "terminal", "--report", &report]);
    assert_eq!(known.code, 0, "{}{}", known.stdout, known.stderr);
    assert!(
        known.stdout.contains("known.yaml and not shown, 0 new") && !known.stdout.contains("FAIL "),
        "{}",
        known.stdout
    );
    let junit = std::fs::read_to_string(junit).unwrap();
    assert!(junit.contains("failures=\"0\"") && junit.contains("known failure"), "{junit}");
    // Another failure is new, and what is listed is no longer true.
    let other = check("get/unknown-is-internal", &["--baseline", &list]);
    assert_eq!(other.code, 1, "{}{}", other.stdout, other.stderr);
    assert!(other.stdout.contains("no longer true"), "{}", other.stdout);
    let sentence = other.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(sentence.contains("; delete get/") && sentence.contains("no longer failing"), "{sentence}");
    let missing = check("get/other-task", &["--baseline", "no-such.yaml"]);
    assert!(missing.code == 2 && missing.stderr.contains("--write-baseline"), "{}", missing.stderr);
}

/// What a change has broken is new, and the way back fixes it; a report that is none says so.
#[test]
fn two_reports_compared() {
    let folder = program::Folder::new();
    let (right, wrong) = (folder.file("right.json"), folder.file("wrong.json"));
    let only =
        ["selftest", "--only", "get/unknown-id", "--only", "get/existing", "--profile", "1.0", "--binding", "jsonrpc"];
    let check = |file: &str, fault: &[&str]| {
        program::run(&[&only[..], &["--report", &format!("json={file}")], fault].concat(), &[]).code
    };
    assert_eq!((check(&right, &[]), check(&wrong, &["--fault", "get/unknown-is-internal"])), (0, 1));
    let broken = program::run(&["diff", &right, &wrong], &[]);
    assert_eq!(broken.code, 1, "{}", broken.stderr);
    assert!(
        broken.stdout.contains("FAIL 1.0-") && broken.stdout.contains("get/unknown-id (1.0 jsonrpc)"),
        "{}",
        broken.stdout
    );
    let fixed = program::run(&["diff", &wrong, &right, "--format", "json"], &[]);
    let told: Value = serde_json::from_str(&fixed.stdout).unwrap();
    assert_eq!((fixed.code, told["new"].as_array().map(Vec::len)), (0, Some(0)), "{told:#}");
    assert_eq!(told["fixed"][0]["results"], json!(["get/unknown-id (1.0 jsonrpc)"]));
    let none = program::run(&["diff", &right, &folder.file("missing.json")], &[]);
    assert_eq!(none.code, 2);
    assert!(
        none.stderr.contains("missing.json cannot be read: No such file") && none.stderr.contains("--report json="),
        "{}",
        none.stderr
    );
}
