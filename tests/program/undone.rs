//! Runs that cannot be done: every report that was asked for is there, with the reason, and none of an earlier run.

use std::net::TcpListener;
use std::time::Duration;

use axum::Router;
use serde_json::Value;

use super::agent::{Agent, silent};
use super::program::{self, Folder, Ran};
use super::reports::assert_keeps_the_schema;

/// Every format, with the file that gets it.
const FORMATS: [&str; 11] =
    ["json", "ndjson", "junit", "html", "markdown", "github", "sarif", "tap", "har", "badge", "terminal"];

/// Where nothing listens.
fn nowhere() -> String {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    format!("http://{free}")
}

/// Runs a command with a report in each format, over those of an earlier run.
fn with_all(arguments: &[&str], folder: &Folder) -> Ran {
    let reports: Vec<String> =
        FORMATS.map(|format| format!("--report={format}={}", folder.write(format, "old"))).into();
    let flags: Vec<&str> = arguments.iter().copied().chain(reports.iter().map(String::as_str)).collect();
    program::run(&flags, &[])
}

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.file(name)).unwrap()
}

/// What each report must say of an error.
#[track_caller]
fn assert_all_say(folder: &Folder, reason: &str, help: &str, outcome: &str, code: i32) {
    for format in FORMATS.into_iter().filter(|format| *format != "badge") {
        let text = read(folder, format);
        assert!(text.contains(reason), "{format}: {text}");
        assert!(format == "har" || text.contains(help), "{format}: {text}");
    }
    assert!(read(folder, "badge").contains("not checked"));
    let report: Value = serde_json::from_str(&read(folder, "json")).unwrap();
    assert_keeps_the_schema(&report);
    assert_eq!(report["gate"]["outcome"], outcome);
    assert_eq!(report["gate"]["exit_code"], code);
    assert_eq!(report["error"]["outcome"], outcome);
    let junit = read(folder, "junit");
    assert!(junit.contains("tests=\"1\"") && junit.contains("errors=\"1\""), "{junit}");
    let sarif: Value = serde_json::from_str(&read(folder, "sarif")).unwrap();
    assert_eq!(sarif["runs"][0]["invocations"][0]["executionSuccessful"], false);
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 1);
}

#[test]
fn an_agent_that_cannot_be_reached() {
    let folder = Folder::new();
    let url = nowhere();
    let findings = folder.file("findings");
    let commands: [&[&str]; 2] = [&["check", &url], &["fuzz", &url, "--time", "1", "--findings", &findings]];
    for command in commands {
        let ran = with_all(command, &folder);
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{}", ran.stderr);
        assert_all_say(&folder, "cannot be reached", "check that the agent is running", "unreachable", 3);
    }
}

/// A card that is no card, and one that declares nothing.
#[test]
fn a_card_that_cannot_be_used() {
    for (body, reason) in [
        ("{\"name\": \"a\u{feff}<script>\", ", "the card is not JSON"),
        ("[]", "card"),
        ("{\"name\": \"x\", \"supportedInterfaces\": []}", "interface"),
    ] {
        let agent = Agent::serve(async move |_| {
            Router::new().fallback(move || async move { ([("content-type", "application/json")], body) })
        });
        let folder = Folder::new();
        let ran = with_all(&["check", &agent.url], &folder);
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{}", ran.stderr);
        assert_all_say(&folder, reason, "", "unreachable", 3);
        assert!(!read(&folder, "html").contains("a\u{feff}<script>"));
    }
}

/// What is asked for cannot be done, as is only seen once the agent was found.
#[test]
fn a_selection_of_nothing() {
    let folder = Folder::new();
    let ran = with_all(&["selftest", "--only", "nothing/at-all"], &folder);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert_all_say(&folder, "nothing/at-all", "a2aspec list", "unusable", 2);
}

#[test]
fn a_deadline_before_the_first_case() {
    let (agent, asked) = silent(None);
    let folder = Folder::new();
    let ran = with_all(&["check", &agent.url, "--deadline", "1", "--timeout", "600"], &folder);
    asked.recv_timeout(Duration::from_secs(1)).unwrap();
    assert_eq!(ran.code, 130, "{}", ran.stderr);
    assert_all_say(&folder, "the 1 s of --deadline were over before the first case", "", "interrupted", 130);
}

/// A run that is killed leaves reports that say so.
#[cfg(unix)]
#[test]
fn a_run_that_is_killed() {
    let (agent, asked) = silent(None);
    let folder = Folder::new();
    let file = folder.write("report.json", "an old one");
    let flag = format!("json={file}");
    let running = program::start(&["check", &agent.url, "--timeout", "600", "--report", &flag], &[]);
    asked.recv_timeout(Duration::from_secs(60)).unwrap();
    running.signal("KILL");
    running.end_within(program::LIMIT).unwrap();
    let report: Value = serde_json::from_str(&read(&folder, "report.json")).unwrap();
    assert_keeps_the_schema(&report);
    assert!(report["error"]["message"].as_str().unwrap().contains("the run has not ended"));
}

/// Standard output gets the report that was asked for, and nothing where none was.
#[test]
fn standard_output_has_what_was_asked_for() {
    let url = nowhere();
    let ran = program::run(&["check", &url, "--report", "json"], &[]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.code, &report["gate"]["exit_code"]), (3, &Value::from(3)));
    assert!(program::run(&["check", &url, "--report", "terminal"], &[]).stdout.contains("cannot be reached"));
    assert_eq!(program::run(&["check", &url], &[]).stdout, "");
}

/// Findings that cannot be run again, since the agent is gone.
#[test]
fn a_replay_on_an_agent_that_is_gone() {
    let folder = Folder::new();
    let file = "tests/findings/168582cea3f1.yaml";
    let ran = with_all(&["replay", file, &nowhere()], &folder);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert_all_say(&folder, "cannot be reached", "check that the agent is running", "unreachable", 3);
}

/// Such a report is no part, is not compared, and is an agent in a matrix that was not checked.
#[test]
fn other_commands_on_the_report_of_an_error() {
    let folder = Folder::new();
    let file = folder.file("report.json");
    program::run(&["check", &nowhere(), "--report", &format!("json={file}")], &[]);
    let merged = with_all(&["merge", &file], &folder);
    assert_eq!(merged.code, 2);
    assert!(merged.stderr.contains("this run could not be done"), "{}", merged.stderr);
    assert!(merged.stderr.contains("help: repeat the run of this part"), "{}", merged.stderr);
    assert_all_say(&folder, "this run could not be done", "repeat the run", "unusable", 2);
    let diff = program::run(&["diff", &file, &file], &[]);
    assert_eq!(diff.code, 2);
    assert!(diff.stderr.contains("this run could not be done"), "{}", diff.stderr);
    let matrix = program::run(&["matrix", &file], &[]);
    assert_eq!(matrix.code, 0, "{}", matrix.stderr);
    assert!(matrix.stdout.contains("cannot be reached"), "{}", matrix.stdout);
}

/// A matrix that cannot be made leaves no earlier one.
#[test]
fn a_matrix_that_cannot_be_made() {
    let folder = Folder::new();
    let (wrong, page) = (folder.write("wrong.json", "{}"), folder.write("matrix.html", "old"));
    let ran = program::run(&["matrix", &wrong, "--report", &format!("html={page}")], &[]);
    assert_eq!(ran.code, 2);
    assert!(read(&folder, "matrix.html").contains("the matrix was not finished"));
}
