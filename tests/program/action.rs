//! The action of `action.yml`: its steps run as the service runs them, by bash, with the files and variables that it gives.

#[path = "action/comments.rs"]
mod comments;
#[path = "action/github.rs"]
mod github;
#[path = "action/job.rs"]
mod job;
#[path = "action/sources.rs"]
mod sources;

use std::path::Path;

use axum::body::Body;

use super::proxy::{reference_agent, unchanged};
use job::Job;

/// Each an argument of its own, whatever the shell makes of it.
const ARGS: &str = "--profile=1.0\n--binding=jsonrpc\n--only=get/unknown-id\n";

#[test]
fn an_agent_that_is_right_passes_with_all_reports() {
    let agent = reference_agent(|_, answer| unchanged(answer));
    let last = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/no-such-report.json");
    let inputs = [
        ("url", agent.url.as_str()),
        ("args", "--binding=jsonrpc\n--only=get/unknown-id"),
        ("fail-on", "should"),
        ("profile", "1.0"),
    ];
    let job = Job::run(&[&inputs[..], &[("compare-with", last)]].concat());
    assert_eq!((job.last.code, job.outputs["exit-code"].as_str()), (0, "0"), "{}", job.last.stderr);
    assert!(job.last.stderr.contains("the gate passes") && !job.last.stdout.contains("::error"), "{}", job.last.stdout);
    let summary = job.file("GITHUB_STEP_SUMMARY");
    assert!(summary.contains("the gate passes"), "{summary}");
    for (output, begins) in [("json", "{"), ("html", "<!doctype html>"), ("junit", "<?xml"), ("sarif", "{")] {
        let report = job.file(&job.outputs[output]);
        assert!(report.to_ascii_lowercase().starts_with(begins), "{output}: {report:.80}");
    }
}

#[test]
fn an_agent_that_is_wrong_fails_with_annotations() {
    let agent = reference_agent(|_, answer| {
        let text = String::from_utf8_lossy(answer.body()).replace("-32001", "-32603");
        answer.map(|_| Body::from(text))
    });
    let earlier = reference_agent(|_, answer| unchanged(answer));
    let passed = Job::run(&[("url", &earlier.url), ("args", ARGS)]);
    let last = passed.folder.file(&passed.outputs["json"]);
    let job = Job::run(&[("url", &agent.url), ("args", ARGS), ("compare-with", &last)]);
    assert_eq!((job.last.code, job.outputs["exit-code"].as_str()), (1, "1"), "{}", job.last.stderr);
    assert!(job.file("GITHUB_STEP_SUMMARY").contains("### New problems"), "{}", job.file("GITHUB_STEP_SUMMARY"));
    assert!(job.last.stdout.lines().any(|line| line.starts_with("::error ")), "{}", job.last.stdout);
    assert!(job.file("GITHUB_STEP_SUMMARY").contains("get/unknown-id"));
    let quiet = Job::run(&[("url", &agent.url), ("args", ARGS), ("summary", "false"), ("fail-on", "never")]);
    assert_eq!(quiet.last.code, 0, "{}", quiet.last.stderr);
    assert_eq!((quiet.last.stdout.as_str(), quiet.file("GITHUB_STEP_SUMMARY").as_str()), ("", ""));
}

/// Without an agent the program is installed, downloaded or built, and nothing is checked.
#[test]
fn without_a_url_the_program_is_there() {
    for inputs in [&[][..], &[("build", "true")]] {
        let job = Job::run(inputs);
        assert_eq!((job.last.code, job.outputs["exit-code"].as_str()), (0, ""), "{}", job.last.stderr);
        let installed = job.path.first().map(|folder| Path::new(folder).join("a2aspec"));
        assert!(installed.is_some_and(|program| program.exists()), "{:?}", job.path);
    }
}

/// An archive that the release does not vouch for, or that is not the one that the user expects, is not unpacked.
#[test]
fn an_archive_with_another_checksum_is_refused() {
    let change = |release: &Path| {
        let archive = std::fs::read_dir(release).unwrap().map(|entry| entry.unwrap().path());
        let archive = archive.into_iter().find(|path| path.extension().is_some_and(|end| end == "gz")).unwrap();
        let mut bytes = std::fs::read(&archive).unwrap();
        bytes.push(0);
        std::fs::write(archive, bytes).unwrap();
    };
    let unexpected = "0".repeat(64);
    for job in [Job::run_with(&[], change), Job::run(&[("sha256", &unexpected)])] {
        assert_eq!(job.last.code, 1, "{}", job.last.stderr);
        assert!(job.last.stdout.contains("does not have the checksum of the release"), "{}", job.last.stdout);
        assert!(!job.folder.path().join("a2aspec/bin/a2aspec").exists() && job.path.is_empty());
    }
    let unknown = Job::run(&[("version", "9.9.9")]);
    assert!(unknown.last.code != 0 && unknown.path.is_empty(), "{}", unknown.last.stderr);
}
